//! Random OpenCL C kernels: the reference compiler's code against ours from its vISA.
//!
//! `opencl PLATFORM COUNT SEED FOLDER OCLOC`: kernels whose results differ are written to FOLDER, with their launch in the form
//! of `corpus/kernels/remake`.
//! `opencl reduce PLATFORM SEED FOLDER OCLOC`: one such kernel, reduced to what the difference needs.
//!
//! A difference is the reference's fault if its finalizer, with fewer optimizations, makes code of the same vISA that
//! gives our result and reads no undefined register. It is undefined if that code gives a third result. For other
//! differences, the variants of the reference's code are listed by the result that they give.
//!
//! Prints how many kernels are refused and how many differ; fails if ours refuses one or differs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[path = "../../../exec/tests/visa_ops/random.rs"]
mod random;

#[path = "../../../exec/tests/opencl/generate.rs"]
mod generate;
#[path = "../../../exec/tests/opencl/program.rs"]
mod program;
#[path = "../../../exec/tests/opencl/reduce.rs"]
mod reduce;
#[path = "../../../exec/tests/opencl/run.rs"]
mod run;

use kiln_compile::Tier;
use kiln_emit::platform::{self, Platform};
use kiln_exec::Arg;
use program::{Program, Range};
use run::Reference;

/// Settings of our code: the usual registers, few enough to spill, and the quick tier; then all registers, where there are
/// more.
const VARIANTS: [(u32, Tier); 4] = [
    (128, Tier::Best),
    (40, Tier::Best),
    (128, Tier::Quick),
    (256, Tier::Best),
];

/// Outcome of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Same,
    /// The reference compiler does not compile it.
    Unknown(String),
    /// The code of the program does not run to its end.
    Fails(String),
    Refused(String),
    /// The results differ, and the reference's code reads undefined registers, or gives a third result with other
    /// optimizations.
    Undefined(usize, String),
    Differs(usize, String),
    /// The results differ, and the reference's unoptimized code agrees with ours.
    Fault(usize, String),
}

/// Compiles and runs kernels that have the same settings.
struct Bench {
    target: &'static Platform,
    ocloc: PathBuf,
    folder: PathBuf,
    variants: Vec<(u32, Tier)>,
    /// True if the variants of the reference's code are run where results differ.
    asks: bool,
}

impl Bench {
    fn check(&self, programs: &[&Program]) -> Vec<Outcome> {
        let work = self.folder.join(format!("work-{}", std::process::id()));
        match run::reference((&self.ocloc, self.target), &work, programs) {
            Ok(reference) => {
                let each = programs.iter().enumerate();
                each.map(|(n, program)| self.compare(&reference, n, program))
                    .collect()
            }
            Err(what) if programs.len() == 1 => vec![Outcome::Unknown(what)],
            // Each alone, since the reference compiler may fail on several of them.
            Err(_) => programs.chunks(1).flat_map(|one| self.check(one)).collect(),
        }
    }

    /// For each kernel: true if the reference's code is wrong, but its finalizer with other options gives our result.
    fn faulty(&self, programs: &[&Program], finalizer: &'static str) -> Vec<bool> {
        let work = self.folder.join(format!("work-{}", std::process::id()));
        let mut others: Vec<Program> = programs.iter().map(|&of| of.clone()).collect();
        for other in &mut others {
            other.settings.finalizer = finalizer;
        }
        let all: Vec<&Program> = others.iter().collect();
        let compiler = (&*self.ocloc, self.target);
        let both = run::reference(compiler, &work, programs)
            .and_then(|wrong| Ok((wrong, run::reference(compiler, &work, &all)?)));
        let Ok((wrong, right)) = both else {
            if programs.len() == 1 {
                return vec![false];
            }
            let (first, second) = programs.split_at(programs.len() / 2);
            return [first, second]
                .map(|half| self.faulty(half, finalizer))
                .concat();
        };
        let is_faulty = |number: usize, program: &Program| -> Result<bool, String> {
            let range = &program.ranges[0];
            let run = |zebin| run::run((zebin, self.target), number, program, range);
            let expected = run(&right.zebin)?;
            Ok(run::difference(&run(&wrong.zebin)?, &expected).is_some()
                && run::undefined((&right.zebin, self.target), number, program, range).is_none()
                && run::difference(&run(&run::ours(&wrong, number, VARIANTS[0])?)?, &expected)
                    .is_none())
        };
        let each = programs.iter().enumerate();
        each.map(|(n, program)| is_faulty(n, program).unwrap_or(false))
            .collect()
    }

    fn compare(&self, reference: &Reference, number: usize, program: &Program) -> Outcome {
        let mut expected = Vec::new();
        for range in &program.ranges {
            match run::run((&reference.zebin, self.target), number, program, range) {
                Ok(args) => expected.push(args),
                Err(what) => return Outcome::Fails(what),
            }
        }
        for &(limit, tier) in &self.variants {
            let named = variant_name((limit, tier));
            let zebin = match run::ours(reference, number, (limit, tier)) {
                Ok(zebin) => zebin,
                // The convention of stack calls needs all registers.
                Err(what)
                    if limit < VARIANTS[0].0 && what.contains("the convention of stack calls") =>
                {
                    continue;
                }
                Err(what) => return Outcome::Refused(format!("{named} {what}")),
            };
            for (n, range) in program.ranges.iter().enumerate() {
                let found = run::run((&zebin, self.target), number, program, range);
                let differs = match &found {
                    Ok(args) => run::difference(args, &expected[n]),
                    Err(what) => Some(what.clone()),
                };
                if let Some(what) = differs {
                    let mut what = format!("{named} {what}");
                    if let Ok(ours) = &found {
                        let mut third = None;
                        for (name, finalizer) in FINALIZERS {
                            let mut other = program.clone();
                            other.settings.finalizer = finalizer;
                            match self.whose(&other, range, ours, &expected[n]) {
                                OURS => {
                                    return Outcome::Fault(n, format!("{what}; {name}: ours"));
                                }
                                said @ (ANOTHER | UNDEFINED) => {
                                    third = third.or(Some((name, said)));
                                }
                                _ => {}
                            }
                        }
                        if let Some((name, said)) = third {
                            let what = format!("{what}; {name}: {said}");
                            return Outcome::Undefined(n, what);
                        }
                        what += &self.opinions(program, range, ours, &expected[n]);
                    }
                    return match run::undefined(
                        (&reference.zebin, self.target),
                        number,
                        program,
                        range,
                    ) {
                        Some(why) => Outcome::Undefined(n, format!("{what}; {why}")),
                        None => Outcome::Differs(n, what),
                    };
                }
            }
        }
        Outcome::Same
    }

    /// For each variant of the reference compiler's code, the result that it agrees with.
    fn opinions(&self, program: &Program, range: &Range, ours: &[Arg], theirs: &[Arg]) -> String {
        if !self.asks {
            return String::new();
        }
        let mut said = String::new();
        for (name, optimize, control) in OTHERS {
            let mut other = program.clone();
            (other.settings.optimize, other.settings.control) = (optimize, control);
            if other.settings == program.settings {
                continue;
            }
            let whose = self.whose(&other, range, ours, theirs);
            said += &format!("; {name}: {whose}");
        }
        said
    }

    /// The result that a variant of the reference compiler's code agrees with.
    fn whose(&self, of: &Program, range: &Range, ours: &[Arg], theirs: &[Arg]) -> &'static str {
        let work = self.folder.join(format!("other-{}", std::process::id()));
        let result =
            run::reference((&self.ocloc, self.target), &work, &[of]).and_then(|reference| {
                let zebin = reference.zebin;
                Ok((run::run((&zebin, self.target), 0, of, range)?, zebin))
            });
        match result {
            Err(_) => "no result",
            Ok((args, zebin)) if run::difference(&args, ours).is_none() => {
                match run::undefined((&zebin, self.target), 0, of, range) {
                    Some(_) => UNDEFINED,
                    None => OURS,
                }
            }
            Ok((args, _)) if run::difference(&args, theirs).is_none() => "the reference's",
            Ok(_) => ANOTHER,
        }
    }
}

fn variant_name((limit, tier): (u32, Tier)) -> String {
    match tier {
        Tier::Best => format!("{limit} GRFs:"),
        Tier::Quick => format!("{limit} GRFs, quick:"),
    }
}

const OURS: &str = "ours";
const ANOTHER: &str = "another";
const UNDEFINED: &str = "ours, by an undefined register";
/// Options of the reference's finalizer that make other code of the same vISA.
const FINALIZERS: [(&str, &str); 5] = [
    ("without copy propagation", "-nocopyprop"),
    ("without merging of spills", "-nospillcleanup"),
    ("without leaving out reads of spills", "-normwopt"),
    ("without rematerialization", "-noremat"),
    ("without the finalizer's optimizations", "-debug"),
];

/// Variants of the reference compiler's code: optimization on or off, and `IGC_FunctionControl`.
const OTHERS: [(&str, bool, u32); 4] = [
    ("inlined", true, 0),
    ("subroutines", true, 2),
    ("not optimized", false, 0),
    ("not optimized, subroutines", false, 2),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let usage = || {
        eprintln!(
            "opencl PLATFORM COUNT SEED FOLDER OCLOC\nopencl reduce PLATFORM SEED FOLDER OCLOC"
        );
        ExitCode::FAILURE
    };
    let (reduces, args) = match args.split_first() {
        Some((what, rest)) if what == "reduce" => (true, rest),
        _ => (false, &args[..]),
    };
    let (name, count, seed, folder, ocloc) = match args {
        [name, seed, folder, ocloc] if reduces => (name, 1, seed, folder, ocloc),
        [name, count, seed, folder, ocloc] if !reduces => match count.parse() {
            Ok(count) => (name, count, seed, folder, ocloc),
            Err(_) => return usage(),
        },
        _ => return usage(),
    };
    let (Some(target), Ok(seed)) = (platform::find(name), seed.parse()) else {
        return usage();
    };
    let fits = |&(limit, _): &(u32, Tier)| limit <= target.grf_count;
    let mut bench = Bench {
        target,
        ocloc: PathBuf::from(ocloc),
        folder: PathBuf::from(folder),
        variants: VARIANTS.into_iter().filter(fits).collect(),
        asks: true,
    };
    match reduces {
        true => reduced(&mut bench, seed),
        false => many(&bench, seed, count),
    }
}

fn many(bench: &Bench, seed: u64, count: u64) -> ExitCode {
    let (mut unknown, mut fails, mut undefined) = (0, 0, 0);
    let (mut refused, mut differs, mut faults) = (0, 0, 0);
    let end = seed + count;
    let mut at = seed;
    while at < end {
        let next = end.min((at / generate::SEEDS_PER_FILE + 1) * generate::SEEDS_PER_FILE);
        let programs: Vec<Program> = (at..next)
            .map(|seed| generate::program(seed, bench.target))
            .collect();
        let all: Vec<&Program> = programs.iter().collect();
        // Without optimizations the reference compiler fails on one kernel in three, so few files of many would
        // compile.
        let together = match all[0].settings.optimize {
            true => all.len(),
            false => 1,
        };
        let outcomes = all.chunks(together).flat_map(|some| bench.check(some));
        for (program, outcome) in programs.iter().zip(outcomes) {
            let (count, range, what) = match outcome {
                Outcome::Same => continue,
                Outcome::Unknown(what) => (&mut unknown, 0, format!("the reference: {what}")),
                Outcome::Fails(what) => (&mut fails, 0, format!("the reference's code: {what}")),
                Outcome::Refused(what) => (&mut refused, 0, format!("not compiled: {what}")),
                Outcome::Undefined(range, what) => (&mut undefined, range, what),
                Outcome::Differs(range, what) => (&mut differs, range, what),
                Outcome::Fault(range, what) => (&mut faults, range, what),
            };
            *count += 1;
            let name = format!("opencl_{}", program.seed);
            keep(&bench.folder, &name, program, range, &what);
        }
        at = next;
    }
    println!(
        "total: {count} kernels, {unknown} refused by the reference, {fails} that its code does not end, \
         {undefined} that use what is undefined, {faults} that it optimizes wrongly, {refused} of our programs \
         refused, {differs} different"
    );
    ExitCode::from(u8::from(refused + differs > 0))
}

fn keep(folder: &Path, name: &str, program: &Program, range: usize, what: &str) {
    let path = folder.join(name).with_extension("cl");
    match std::fs::write(&path, run::described(program, &program.ranges[range])) {
        Ok(()) => println!(
            "{}: {}",
            path.display(),
            what.lines().next().unwrap_or_default()
        ),
        Err(e) => println!("{name}: {what} (not kept: {e})"),
    }
}

/// Reduces a kernel whose results differ.
fn reduced(bench: &mut Bench, seed: u64) -> ExitCode {
    let mut program = generate::program(seed, bench.target);
    let kind = |outcome: &Outcome| match outcome {
        Outcome::Refused(what) => what.split_once(": ").map(|(_, what)| class(what)),
        outcome => Some(format!("{:?}", std::mem::discriminant(outcome))),
    };
    let first = bench.check(&[&program]).remove(0);
    if first == Outcome::Same {
        println!("kernel {seed}: nothing differs");
        return ExitCode::FAILURE;
    }
    println!("{first:?}");
    bench.asks = false;
    if let Outcome::Differs(range, what)
    | Outcome::Undefined(range, what)
    | Outcome::Fault(range, what) = &first
    {
        program.ranges = vec![program.ranges[*range]];
        let named = |of: &&(u32, Tier)| what.starts_with(&variant_name(**of));
        bench.variants = VARIANTS.iter().filter(named).copied().collect();
    }
    let wanted = kind(&first);
    let named = |what: &str| FINALIZERS.iter().find(|of| what.contains(of.0));
    let right = match &first {
        Outcome::Fault(_, what) => named(what).map(|of| of.1),
        _ => None,
    };
    let name = format!("opencl_{seed}_reduced");
    let size = |program: &Program| program.text(0).len();
    let (mut tested, mut smallest) = (0, size(&program));
    let mut holds = |programs: &[Program]| {
        tested += programs.len();
        let all: Vec<&Program> = programs.iter().collect();
        let held: Vec<bool> = match right {
            Some(finalizer) => bench.faulty(&all, finalizer),
            None => {
                let outcomes = bench.check(&all);
                let same = outcomes.iter().map(|outcome| kind(outcome) == wanted);
                same.collect()
            }
        };
        // Every improvement is kept at once, in case time runs out.
        let held_now = programs.iter().zip(&held).filter(|of| *of.1);
        if let Some((program, _)) = held_now.min_by_key(|of| size(of.0))
            && size(program) < smallest
        {
            smallest = size(program);
            let what = format!("{tested} kernels tried, {smallest} bytes");
            keep(&bench.folder, &name, program, 0, &what);
        }
        held
    };
    let program = reduce::reduce(program, &mut holds);
    let last = bench.check(&[&program]).remove(0);
    keep(&bench.folder, &name, &program, 0, &format!("{last:?}"));
    println!("{tested} kernels tried");
    ExitCode::SUCCESS
}

/// A message without its numbers and names.
fn class(what: &str) -> String {
    let plain = |c: char| c.is_ascii_alphabetic() || c == ' ';
    what.chars().filter(|&c| plain(c)).collect()
}
