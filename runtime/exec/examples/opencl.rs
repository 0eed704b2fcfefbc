//! Random OpenCL C kernels: the reference compiler's code against ours of its vISA.
//!
//! `opencl COUNT SEED FOLDER OCLOC`: kernels whose results differ are written to FOLDER, with their launch as
//! `tests/kernels/remake` reads it.
//! `opencl reduce SEED FOLDER OCLOC`: the same of one kernel, with all taken out that the difference does not
//! need.
//! One that differs counts as the reference's fault if its finalizer, with fewer optimizations, makes code of the
//! same vISA that has our result and uses no register that nobody wrote, and as undefined if that has a third. Of
//! others it is said whose result the reference compiler's code has that is made in other ways.
//! Prints how many are refused and how many differ; fails if any of ours is refused or differs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[path = "../tests/visa_ops/random.rs"]
mod random;

#[path = "../tests/opencl/generate.rs"]
mod generate;
#[path = "../tests/opencl/program.rs"]
mod program;
#[path = "../tests/opencl/reduce.rs"]
mod reduce;
#[path = "../tests/opencl/run.rs"]
mod run;

use kiln_compile::Tier;
use kiln_exec::Arg;
use program::{Program, Range};
use run::Reference;

/// How our code is made: in all registers, in so few that there are spills, and soon.
const VARIANTS: [(u32, Tier); 3] = [(128, Tier::Best), (40, Tier::Best), (128, Tier::Quick)];

/// What has become of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    Same,
    /// The reference compiler does not compile it.
    Unknown(String),
    /// Its code does not run to its end.
    Fails(String),
    Refused(String),
    /// The results differ, and the reference's code uses registers that nobody wrote, or has another result as its
    /// finalizer optimizes more or less.
    Undefined(usize, String),
    Differs(usize, String),
    /// The results differ, and the reference's code has ours if it is not optimized.
    Fault(usize, String),
}

/// Compiles and runs kernels that have the same settings.
struct Bench {
    ocloc: PathBuf,
    folder: PathBuf,
    variants: Vec<(u32, Tier)>,
    /// Looks who else has our result where it differs.
    asks: bool,
}

impl Bench {
    fn check(&self, programs: &[&Program]) -> Vec<Outcome> {
        let work = self.folder.join(format!("work-{}", std::process::id()));
        match run::reference(&self.ocloc, &work, programs) {
            Ok(reference) => {
                let each = programs.iter().enumerate();
                each.map(|(n, program)| self.compare(&reference, n, program))
                    .collect()
            }
            Err(what) if programs.len() == 1 => vec![Outcome::Unknown(what)],
            // Each on its own, since there may be several that the reference compiler does not end with.
            Err(_) => programs.chunks(1).flat_map(|one| self.check(one)).collect(),
        }
    }

    /// Of which kernels the reference's code is wrong, but as the finalizer makes it with other options it has our
    /// result.
    fn faulty(&self, programs: &[&Program], finalizer: &'static str) -> Vec<bool> {
        let work = self.folder.join(format!("work-{}", std::process::id()));
        let mut others: Vec<Program> = programs.iter().map(|&of| of.clone()).collect();
        for other in &mut others {
            other.settings.finalizer = finalizer;
        }
        let all: Vec<&Program> = others.iter().collect();
        let both = run::reference(&self.ocloc, &work, programs)
            .and_then(|wrong| Ok((wrong, run::reference(&self.ocloc, &work, &all)?)));
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
            let run = |zebin| run::run(zebin, number, program, range);
            let expected = run(&right.zebin)?;
            Ok(run::difference(&run(&wrong.zebin)?, &expected).is_some()
                && run::undefined(&right.zebin, number, program, range).is_none()
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
            match run::run(&reference.zebin, number, program, range) {
                Ok(args) => expected.push(args),
                Err(what) => return Outcome::Fails(what),
            }
        }
        for &(limit, tier) in &self.variants {
            let named = match tier {
                Tier::Best => format!("{limit} GRFs"),
                Tier::Quick => format!("{limit} GRFs, quick"),
            };
            let zebin = match run::ours(reference, number, (limit, tier)) {
                Ok(zebin) => zebin,
                // The convention of stack calls has all registers.
                Err(what)
                    if limit < VARIANTS[0].0 && what.contains("the convention of stack calls") =>
                {
                    continue;
                }
                Err(what) => return Outcome::Refused(format!("{named}: {what}")),
            };
            for (n, range) in program.ranges.iter().enumerate() {
                let found = run::run(&zebin, number, program, range);
                let differs = match &found {
                    Ok(args) => run::difference(args, &expected[n]),
                    Err(what) => Some(what.clone()),
                };
                if let Some(what) = differs {
                    let mut what = format!("{named}: {what}");
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
                    return match run::undefined(&reference.zebin, number, program, range) {
                        Some(why) => Outcome::Undefined(n, format!("{what}; {why}")),
                        None => Outcome::Differs(n, what),
                    };
                }
            }
        }
        Outcome::Same
    }

    /// Whose result the reference compiler's code has that is made in other ways.
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

    /// Whose result the reference compiler's code has.
    fn whose(&self, of: &Program, range: &Range, ours: &[Arg], theirs: &[Arg]) -> &'static str {
        let work = self.folder.join(format!("other-{}", std::process::id()));
        let result = run::reference(&self.ocloc, &work, &[of])
            .and_then(|reference| Ok((run::run(&reference.zebin, 0, of, range)?, reference.zebin)));
        match result {
            Err(_) => "no result",
            Ok((args, zebin)) if run::difference(&args, ours).is_none() => {
                match run::undefined(&zebin, 0, of, range) {
                    Some(_) => UNDEFINED,
                    None => OURS,
                }
            }
            Ok((args, _)) if run::difference(&args, theirs).is_none() => "the reference's",
            Ok(_) => ANOTHER,
        }
    }
}

const OURS: &str = "ours";
const ANOTHER: &str = "another";
const UNDEFINED: &str = "ours, of a register that nobody wrote";
/// How the reference's finalizer makes other code of the same vISA.
const FINALIZERS: [(&str, &str); 5] = [
    ("without copy propagation", "-nocopyprop"),
    ("without merging of spills", "-nospillcleanup"),
    ("without leaving out reads of spills", "-normwopt"),
    ("without rematerialization", "-noremat"),
    ("without the finalizer's optimizations", "-debug"),
];

/// Other ways in which the reference compiler makes code of a kernel: with or without optimizations, and
/// `IGC_FunctionControl`.
const OTHERS: [(&str, bool, u32); 4] = [
    ("inlined", true, 0),
    ("subroutines", true, 2),
    ("not optimized", false, 0),
    ("not optimized, subroutines", false, 2),
];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let usage = || {
        eprintln!("opencl COUNT SEED FOLDER OCLOC\nopencl reduce SEED FOLDER OCLOC");
        ExitCode::FAILURE
    };
    let [what, seed, folder, ocloc] = &args[..] else {
        return usage();
    };
    let Ok(seed) = seed.parse::<u64>() else {
        return usage();
    };
    let mut bench = Bench {
        ocloc: PathBuf::from(ocloc),
        folder: PathBuf::from(folder),
        variants: VARIANTS.to_vec(),
        asks: true,
    };
    match what.parse::<u64>() {
        Ok(count) => many(&bench, seed, count),
        Err(_) if what == "reduce" => reduced(&mut bench, seed),
        Err(_) => usage(),
    }
}

fn many(bench: &Bench, seed: u64, count: u64) -> ExitCode {
    let (mut unknown, mut fails, mut undefined) = (0, 0, 0);
    let (mut refused, mut differs, mut faults) = (0, 0, 0);
    let end = seed + count;
    let mut at = seed;
    while at < end {
        let next = end.min((at / generate::TOGETHER + 1) * generate::TOGETHER);
        let programs: Vec<Program> = (at..next).map(generate::program).collect();
        let all: Vec<&Program> = programs.iter().collect();
        // Without optimizations the reference compiler ends on one of three, so that hardly any file is compiled.
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

/// Reduces a kernel to what its difference needs.
fn reduced(bench: &mut Bench, seed: u64) -> ExitCode {
    let mut program = generate::program(seed);
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
        let quick = what.contains("GRFs, quick");
        let all = what.starts_with(&VARIANTS[0].0.to_string());
        let number = if quick { 2 } else { usize::from(!all) };
        bench.variants = vec![VARIANTS[number]];
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
        // What there is already is kept, for one that has no time for the rest.
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
