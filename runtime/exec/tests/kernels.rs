//! The examples and test kernels give the results of another OpenCL implementation: as compiled by the reference
//! compiler for each platform of the executor, which tests the executor, and as compiled by us, with all registers and
//! with few. `examples/remake` and `kernels/remake` make their files.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use kiln_compile::Allocator;
use kiln_compile::info::Info;
use kiln_compile::source::Input;
use kiln_compile::{CompiledModule, Failure, Grfs, Options, Session, Tier};
use kiln_corpus::COMMON;
use kiln_emit::assemble::{Program, assemble};
use kiln_emit::encoding::encode;
use kiln_emit::errata;
use kiln_emit::inst::{Dst, Inst, Op, Place, Reg, RegFile, Src, Swsb, SyncFn, TokenUse, Type};
use kiln_emit::listing::entries;
use kiln_emit::platform::{self, Family, PLATFORMS, Platform};
use kiln_emit::verify::errata::check_code as check_errata;
use kiln_emit::verify::scoreboard;
use kiln_emit::zebin::Zebin;
use kiln_exec::Launch;
use kiln_exec::launch::Description;
use kiln_platform::errata::Erratum;

/// Register limits; the later ones make many kernels spill.
const LIMITS: [u32; 3] = [128, 48, 32];
/// Further limits, of which each kernel is compiled with one.
const FURTHER_LIMITS: [u32; 5] = [24, 28, 40, 64, 96];

/// The limits for a kernel: the environment's `LIMITS`, if it has them (`.ci/limits`).
fn limits(k: &Kernel) -> Vec<u32> {
    match std::env::var("LIMITS") {
        Ok(all) => all.split(' ').map(|n| n.parse().unwrap()).collect(),
        Err(_) => {
            let pick = k.name.bytes().map(usize::from).sum::<usize>() % FURTHER_LIMITS.len();
            LIMITS.into_iter().chain([FURTHER_LIMITS[pick]]).collect()
        }
    }
}

fn skl() -> &'static Platform {
    platform::find("skl").expect("the platform is known")
}

fn gen11() -> &'static Platform {
    platform::find("icllp").expect("the platform is known")
}

/// Platforms with code of the reference compiler only, and the number of its kernels. A platform that shares the code
/// of another has only the kernels that the other cannot run.
const XE: [(&str, usize); 7] = [
    ("tgllp", 163),
    ("dg2", 163),
    ("mtl", 28),
    ("pvc", 167),
    ("bmg", 186),
    ("lnl", 1),
    ("ptl", 186),
];

/// As [`XE`], for kernels that need features of these platforms.
const XE_ONLY: [(&str, usize); 4] = [("dg2", 7), ("pvc", 12), ("bmg", 15), ("ptl", 15)];

fn each_xe(check: impl Fn(&Kernel) -> Result<(), String> + Sync) {
    let of_all = XE.map(|(name, count)| (name, count, &COMMON[..]));
    let own = XE_ONLY.map(|(name, count)| (name, count, &["xe_kernels"][..]));
    for (name, count, sets) in of_all.into_iter().chain(own) {
        let platform = platform::find(name).expect("the platform is known");
        let mut found = kiln_corpus::kernels(sets);
        found.retain(|kernel| kernel.object(name).is_some());
        assert_eq!(found.len(), count, "kernels for {name}");
        on_each(read(platform, found), &check);
    }
}

/// An example or kernel, as the reference compiler compiled it for a platform.
struct Kernel {
    of: kiln_corpus::Kernel,
    name: String,
    platform: &'static Platform,
    description: Description,
    zebin: Zebin,
}

impl Kernel {
    /// The reference compiler's vISA for the platform, or that for the first platform if there is none.
    fn visa(&self) -> Vec<u8> {
        let own = self.of.visa(self.platform.name);
        let file = own.or_else(|| self.of.visa(kiln_corpus::FIRST));
        std::fs::read(file.unwrap()).unwrap()
    }
}

/// Names of the examples and kernels that the reference compiler does not compile for a platform.
fn unsupported(platform: &Platform) -> BTreeSet<String> {
    let path = kiln_corpus::project().join("examples/unsupported.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let words = lines.map(|line| line.split(' ').collect::<Vec<_>>());
    words
        .filter(|words| words[0] == platform.name)
        .map(|words| words[1].to_string())
        .collect()
}

/// All kernels that a platform can run.
fn kernels(platform: &'static Platform) -> Vec<Kernel> {
    let unsupported = unsupported(platform);
    let (without, with): (Vec<_>, Vec<_>) = kiln_corpus::kernels(&COMMON)
        .into_iter()
        .partition(|kernel| unsupported.contains(&kernel.name));
    assert_eq!(without.len(), unsupported.len(), "of {unsupported:?}");
    read(platform, with)
}

/// The kernels of a list that have an object file for a platform.
fn read(platform: &'static Platform, kernels: Vec<kiln_corpus::Kernel>) -> Vec<Kernel> {
    let read = |of: kiln_corpus::Kernel| {
        let yaml = std::fs::read_to_string(of.folder.join("launch.yaml")).unwrap();
        let object = of.object(platform.name).unwrap();
        Kernel {
            description: Description::parse(&yaml).unwrap(),
            zebin: Zebin::parse(&std::fs::read(object).unwrap()).unwrap(),
            platform,
            name: of.name.clone(),
            of,
        }
    };
    kernels.into_iter().map(read).collect()
}

/// Runs `check` on every kernel of a platform, on two threads, and fails with all errors. `count` is the expected
/// number of kernels.
fn each(
    platform: &'static Platform,
    count: usize,
    check: impl Fn(&Kernel) -> Result<(), String> + Sync,
) {
    let kernels = kernels(platform);
    assert!(kernels.len() >= count, "only {} kernels", kernels.len());
    on_each(kernels, check);
}

fn on_each(kernels: Vec<Kernel>, check: impl Fn(&Kernel) -> Result<(), String> + Sync) {
    let (first, second) = kernels.split_at(kernels.len() / 2);
    let run = |part: &[Kernel]| -> Vec<String> {
        let title = |k: &Kernel| format!("{} on {}", k.name, k.platform.name);
        let failed = |k: &Kernel| check(k).err().map(|e| format!("{}: {e}", title(k)));
        part.iter().filter_map(failed).collect()
    };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let other = scope.spawn(|| run(second));
        let mut failures = run(first);
        failures.extend(other.join().unwrap());
        failures
    });
    assert!(
        failures.is_empty(),
        "{} kernels fail:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// The reference's code heeds the errata that our passes heed.
#[test]
fn the_reference_compilers_code_heeds_the_errata() {
    each(skl(), 155, heeds_the_errata);
    each(gen11(), 155, heeds_the_errata);
    each_xe(heeds_the_errata);
}

/// Errata that the reference compiler leaves out where it is asked for no revision (docs/reference-faults.md).
const DECIDED: [Erratum; 2] = [Erratum::HdcFenceBeforeEnd, Erratum::UgmFenceBeforeEnd];

/// Errata that the reference compiler leaves out in single kernels.
const DECIDED_HERE: [((&str, &str), Erratum); 1] = [(WITHOUT_WAIT, Erratum::StateWriteBeforeFlow)];

/// A kernel that accesses the thread's state without the wait after it, and its platform (docs/reference-faults.md).
const WITHOUT_WAIT: (&str, &str) = ("tofloat_long", "pvc");

fn heeds_the_errata(k: &Kernel) -> Result<(), String> {
    for kernel in &k.zebin.kernels {
        let decoded = entries(&kernel.text, k.platform);
        let insts = decoded
            .map(|entry| entry.inst.map_err(|e| e.to_string()))
            .collect::<Result<Vec<Inst>, String>>()?;
        let findings = check_errata(&insts, k.platform);
        let is_decided = |erratum: Erratum| {
            let here = (k.name.as_str(), k.platform.name);
            DECIDED.contains(&erratum) || DECIDED_HERE.contains(&(here, erratum))
        };
        if let Some(finding) = findings.iter().find(|f| !is_decided(f.erratum)) {
            return Err(format!("{}: {finding}", insts[finding.at]));
        }
        for inst in insts.iter().filter(|inst| inst.op.is_send()) {
            let mut plain = inst.clone();
            plain.opts.no_preempt = false;
            let mut program = Program {
                blocks: vec![vec![plain]],
            };
            errata::run(&mut program, k.platform);
            let mut made = program.blocks[0].iter();
            let ours = made.find(|made| made.msg == inst.msg && made.srcs == inst.srcs);
            if ours.is_none_or(|ours| ours.opts.no_preempt != inst.opts.no_preempt) {
                return Err(format!("{inst}: may be interrupted, or not, otherwise"));
            }
        }
    }
    Ok(())
}

/// Runs a kernel of an object file; strictly if it has a barrier.
fn run(k: &Kernel, zebin: &Zebin) -> Result<(), String> {
    let info = zebin.ze_info.kernel(&k.description.kernel);
    let options = kiln_exec::Options {
        hardware: info.is_some_and(|info| info.execution_env.barrier_count > 0),
        ..kiln_exec::Options::default()
    };
    run_with(k, zebin, &options)
}

fn run_with(k: &Kernel, zebin: &Zebin, options: &kiln_exec::Options) -> Result<(), String> {
    let kernel = &k.description.kernel;
    let program =
        kiln_exec::Program::from_zebin(zebin, kernel, k.platform).map_err(|e| e.to_string())?;
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel,
        global: k.description.global,
        local: k.description.local,
        dimensions: k.description.dimensions,
        args: k
            .description
            .load_args(&k.of.folder)
            .map_err(|e| e.to_string())?,
        budget: Launch::BUDGET,
    };
    launch
        .run_with(&program, options)
        .map_err(|e| e.to_string())?;
    k.description
        .check(&launch.args, &k.of.folder)
        .map_err(|e| e.to_string())
}

/// Runs a kernel as the reference compiler compiled it, strictly.
fn run_reference(k: &Kernel) -> Result<(), String> {
    let options = kiln_exec::Options {
        hardware: WITHOUT_WAIT != (&k.name, k.platform.name),
        ..kiln_exec::Options::default()
    };
    run_with(k, &k.zebin, &options)
}

/// As [`run_reference`], with reads of undefined registers as errors.
fn run_checked(k: &Kernel) -> Result<(), String> {
    let options = kiln_exec::Options {
        check: true,
        hardware: WITHOUT_WAIT != (&k.name, k.platform.name),
        ..kiln_exec::Options::default()
    };
    run_with(k, &k.zebin, &options)
}

#[test]
fn the_reference_compilers_code_for_gen9_gives_the_expected_results() {
    each(skl(), 183, run_reference);
}

#[test]
fn the_reference_compilers_code_for_gen11_gives_the_expected_results() {
    each(gen11(), 155, run_reference);
}

#[test]
fn the_reference_compilers_code_for_xe_gives_the_expected_results() {
    each_xe(run_checked);
}

/// True for what annotations may add: a `sync` that only waits, or the read into null of a payload that the platform's
/// messages read late.
fn is_wait(inst: &Inst, platform: &Platform) -> bool {
    use SyncFn::{AllRd, AllWr, Nop};
    let null = inst.dst == Some(Dst::new(Reg::NULL, 1, Type::Ud));
    let again = inst.op == Op::Mov && inst.exec_size == 1 && null;
    let waits = matches!(inst.op, Op::Sync(Nop | AllRd | AllWr));
    waits || again && platform.needs(Erratum::SendReadsLate)
}

/// True if an instruction computes with its own place in the code.
fn knows_its_place(inst: &Inst) -> bool {
    let reads_ip = |src: &Src| match src {
        Src::Reg(src) => matches!(src.place, Place::Direct(reg) if reg.file == RegFile::Ip),
        Src::Imm { .. } => false,
    };
    matches!(inst.op, Op::Calla | Op::Ret) || inst.srcs.iter().any(reads_ip)
}

/// The object file with our annotations in the kernel's code; none if the code depends on its length.
fn annotated_anew(k: &Kernel) -> Result<Option<Zebin>, String> {
    let mut zebin = k.zebin.clone();
    let name = &k.description.kernel;
    let text = zebin.kernels.iter_mut().find(|text| text.name == *name);
    let text = text.ok_or("no such kernel")?;
    let decoded: Vec<_> = entries(&text.text, k.platform).collect();
    let insts: Result<Vec<Inst>, _> = decoded.iter().map(|entry| entry.inst.clone()).collect();
    let mut insts = insts.map_err(|e| e.to_string())?;
    if insts.iter().any(knows_its_place) {
        return Ok(None);
    }
    // Instructions that relocations change keep their length.
    let number =
        |offset: u64| decoded.partition_point(|entry| u64::from(entry.offset) <= offset) - 1;
    let section = format!(".text.{name}");
    let mut relocated: Vec<&mut u64> = zebin
        .relocations
        .iter_mut()
        .filter(|relocations| relocations.section == section)
        .flat_map(|relocations| {
            relocations
                .entries
                .iter_mut()
                .map(|entry| &mut entry.offset)
        })
        .collect();
    for offset in &relocated {
        insts[number(**offset)].opts.long = true;
    }
    // Places of instructions among those that do more than wait.
    let ranks: Vec<usize> = insts
        .iter()
        .scan(0, |rank, inst| {
            Some(std::mem::replace(
                rank,
                *rank + usize::from(!is_wait(inst, k.platform)),
            ))
        })
        .collect();
    let mut program = Program::of_code(insts).ok_or("a branch goes between instructions")?;
    for block in &mut program.blocks {
        block.retain(|inst| !is_wait(inst, k.platform));
        for inst in block {
            inst.swsb = Swsb::default();
        }
    }
    let all = 0..k.platform.grf_count;
    kiln_emit::scoreboard::run(&mut program, k.platform, &[all]);
    let assembled = assemble(&program, k.platform).map_err(|e| e.to_string())?;
    let placed = program.blocks.iter().flatten().zip(&assembled.inst_offsets);
    let kept: Vec<u32> = placed
        .filter(|(inst, _)| !is_wait(inst, k.platform))
        .map(|(_, offset)| *offset)
        .collect();
    for offset in &mut relocated {
        let at = number(**offset);
        let within = **offset - u64::from(decoded[at].offset);
        **offset = u64::from(kept[ranks[at]]) + within;
    }
    let info = zebin
        .ze_info
        .kernels
        .iter_mut()
        .find(|info| info.name == *name);
    let skipped = &mut info
        .ok_or("no such kernel")?
        .execution_env
        .offset_to_skip_per_thread_data_load;
    *skipped = kept[ranks[number(u64::from(*skipped))]];
    text.text = assembled.code;
    Ok(Some(zebin))
}

/// The reference's code with our annotations runs as it does with its own, and waits for all it must.
#[test]
fn the_reference_compilers_code_runs_with_our_annotations() {
    let runs = AtomicUsize::new(0);
    each_xe(|k| {
        let Some(zebin) = annotated_anew(k)? else {
            return Ok(());
        };
        runs.fetch_add(1, Ordering::Relaxed);
        let options = kiln_exec::Options {
            check: true,
            ..kiln_exec::Options::default()
        };
        run_with(k, &zebin, &options)
    });
    let runs = runs.into_inner();
    println!("{runs} kernels");
    assert!(runs > 700, "{runs} kernels");
}

/// Removes the annotations of a kernel's instructions, one instruction after the other; counts those whose absence the
/// static checker reports, and those that a run reports.
fn without_annotations(k: &Kernel) -> Result<(usize, usize), String> {
    let (mut missed, mut reported) = (0, 0);
    let kernel = k
        .zebin
        .kernels
        .iter()
        .position(|text| text.name == k.description.kernel);
    let number = kernel.ok_or("no such kernel")?;
    let ze_info = k.zebin.ze_info.kernel(&k.description.kernel);
    let skipped = ze_info.map_or(0, |k| k.execution_env.offset_to_skip_per_thread_data_load);
    let text = &k.zebin.kernels[number].text;
    let decoded: Vec<_> = entries(text, k.platform).collect();
    let insts: Result<Vec<Inst>, _> = decoded.iter().map(|entry| entry.inst.clone()).collect();
    let mut insts = insts.map_err(|e| e.to_string())?;
    for n in 0..insts.len() {
        let whole = insts[n].clone();
        if whole
            .swsb
            .token
            .is_none_or(|(used, _)| used == TokenUse::Set)
            && whole.swsb.dist.is_none()
        {
            continue;
        }
        insts[n].swsb.dist = None;
        insts[n].swsb.token = whole.swsb.token.filter(|(used, _)| *used == TokenUse::Set);
        let found = scoreboard::check_code(&insts, k.platform).map_err(|e| e.to_string())?;
        let mut zebin = k.zebin.clone();
        let bytes = encode(&insts[n], k.platform);
        insts[n] = whole;
        // Some encode only with their annotation.
        let Ok(bytes) = bytes else { continue };
        let (at, len) = (decoded[n].offset as usize, decoded[n].len as usize);
        if bytes.as_bytes().len() != len {
            continue;
        }
        zebin.kernels[number].text[at..at + len].copy_from_slice(bytes.as_bytes());
        let options = kiln_exec::Options {
            check: true,
            ..kiln_exec::Options::default()
        };
        let result = run_with(k, &zebin, &options);
        let hazard = result.is_err_and(|e| e.contains("it does not wait for the instruction at"));
        if hazard && found.is_empty() {
            return Err(format!("{}: found when run, and on no way", insts[n]));
        }
        // Threads that start with their local ids skip the instructions that load them.
        let executed = |f: &scoreboard::Finding| decoded[f.first].offset >= skipped;
        missed += usize::from(found.iter().any(executed));
        reported += usize::from(hazard);
    }
    Ok((missed, reported))
}

/// With annotations removed, the static checker finds every error that a run finds; a run finds those on its path.
#[test]
fn annotations_that_are_taken_away_are_missed_when_code_is_run() {
    let some = ["saxpy", "reduction", "transpose"].map(kiln_corpus::Kernel::named);
    let annotated = |p: &&Platform| !matches!(p.family, Family::Gen9 | Family::Gen11);
    let compiled = |p: &&Platform| some[0].object(p.name).is_some();
    let platforms: Vec<_> = PLATFORMS
        .iter()
        .filter(annotated)
        .filter(compiled)
        .collect();
    assert!(
        platforms.len() >= 5,
        "object files of {} platforms",
        platforms.len()
    );
    for platform in platforms {
        let name = platform.name;
        let (mut missed, mut reported) = (0, 0);
        for k in read(platform, some.to_vec()) {
            let counts = without_annotations(&k).unwrap_or_else(|e| panic!("{}: {e}", k.name));
            missed += counts.0;
            reported += counts.1;
        }
        println!("{name}: {reported} of {missed}");
        assert!(missed > 40, "{name}: only {missed} matter");
        assert!(
            reported * 10 >= missed * 9,
            "{name}: {reported} of {missed}"
        );
    }
}

/// Encodes each instruction of a kernel again.
fn encode_again(k: &Kernel) -> Result<(), String> {
    for kernel in &k.zebin.kernels {
        let entries = entries(&kernel.text, k.platform);
        for entry in entries {
            let at = entry.offset as usize;
            let inst = entry.inst.map_err(|e| format!("{at:#x}: {e}"))?;
            let code = encode(&inst, k.platform).map_err(|e| format!("{at:#x}: {e}"))?;
            let bytes = code.as_bytes();
            if kernel.text.get(at..at + bytes.len()) != Some(bytes) {
                return Err(format!("{at:#x}: {inst} is encoded otherwise"));
            }
        }
    }
    Ok(())
}

/// The reference's instructions encode to the same bytes.
#[test]
fn the_reference_compilers_code_for_gen11_is_encoded_again() {
    each(gen11(), 155, encode_again);
}

/// Runs a kernel as compiled by us with each register limit, from an object file of ours. Counts the runs.
fn run_ours(k: &Kernel, runs: &AtomicUsize) -> Result<(), String> {
    let visa = k.visa();
    let limits = limits(k);
    let (scan, ion) = (Allocator::Scan, Allocator::Ion);
    let ways = limits.iter().map(|&limit| (limit, Tier::Best, scan));
    let quick = [LIMITS[0], LIMITS[LIMITS.len() - 1]].map(|limit| (limit, Tier::Quick, scan));
    // One run uses the other allocator.
    let other = (LIMITS[0], Tier::Best, ion);
    for (limit, tier, allocator) in ways.chain(quick).chain([other]) {
        let options = Options {
            grf_limit: limit,
            allocator,
            ..Options::new(k.platform).tier(tier)
        };
        let object = match object_file(k, &visa, options) {
            // The convention of stack calls needs all registers.
            Err(why) if limit < LIMITS[0] && why.contains("the convention of stack calls") => {
                continue;
            }
            object => object?,
        };
        run(k, &object).map_err(|e| format!("{limit} GRFs, {tier:?}, {allocator:?}: {e}"))?;
        runs.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

fn ours_in_all_limits(platform: &'static Platform, count: usize) {
    let runs = AtomicUsize::new(0);
    each(platform, count, |k| run_ours(k, &runs));
    println!("{}: {} runs", platform.name, runs.into_inner());
}

/// Our object file of a kernel, compiled with every verifier on.
fn object_file(k: &Kernel, visa: &[u8], options: Options) -> Result<Zebin, String> {
    let options = Options {
        verify: true,
        ..options
    };
    let session = Session::new(options).only(&k.description.kernel);
    let input = Input {
        name: &k.name,
        bytes: visa,
    };
    let module = session
        .compile_module(&[input])
        .map_err(|e| e.to_string())?;
    let info = Info::Zebin(k.zebin.clone());
    (session.object_file(&module, info)).map_err(|e| e.to_string())
}

/// Kernels with vISA for a device.
struct XeVisa {
    device: &'static str,
    /// Platforms that execute code made from it, each with the platform whose object files have the arguments.
    platforms: &'static [(&'static str, &'static str)],
    count: usize,
}

const XE_VISA: [XeVisa; 5] = [
    XeVisa {
        device: "tgllp",
        platforms: &[("tgllp", "tgllp")],
        count: 24,
    },
    XeVisa {
        device: "dg2",
        platforms: &[("dg2", "dg2")],
        count: 32,
    },
    XeVisa {
        device: "mtl",
        platforms: &[("mtl", "mtl")],
        count: 5,
    },
    XeVisa {
        device: "pvc",
        platforms: &[("pvc", "pvc")],
        count: 36,
    },
    XeVisa {
        device: "bmg",
        platforms: &[("bmg", "bmg"), ("lnl", "bmg"), ("ptl", "ptl")],
        count: 92,
    },
];

/// Register limits there, and where the choice is left to the register pressure; the least make many kernels spill. A
/// platform has those that its largest register mode has.
const XE_LIMITS: [(u32, Grfs); 5] = [
    (256, Grfs::Limit),
    (128, Grfs::Limit),
    (96, Grfs::Limit),
    (64, Grfs::Limit),
    (128, Grfs::Auto),
];

#[test]
fn our_code_for_xe_gives_the_expected_results() {
    let rows = XE_VISA.iter().flat_map(|row| {
        let each = |&(name, arguments)| (row.device, row.count, name, arguments);
        row.platforms.iter().map(each)
    });
    for (device, count, name, arguments) in rows {
        let mut found = kiln_corpus::kernels(&kiln_corpus::ALL);
        found.retain(|kernel| kernel.visa(device).is_some());
        assert_eq!(found.len(), count, "kernels for {device}");
        let platform = platform::find(name).expect("the platform is known");
        let made_for = platform::find(arguments).expect("the platform is known");
        on_each(read(made_for, found), |k| {
            let visa = k.of.visa(device).ok_or("no vISA")?;
            let text = std::fs::read(visa).map_err(|e| e.to_string())?;
            let limits = XE_LIMITS.iter().copied();
            for (grf_limit, grfs) in limits.filter(|limit| limit.0 <= platform.grf_count) {
                let options = Options {
                    grf_limit,
                    grfs,
                    ..Options::new(platform)
                };
                let failed = |e: String| format!("{grf_limit} GRFs, {grfs:?}: {e}");
                let zebin = match object_file(k, &text, options) {
                    Err(why)
                        if grf_limit < 128 && why.contains("the convention of stack calls") =>
                    {
                        continue;
                    }
                    zebin => zebin.map_err(failed)?,
                };
                let checked = kiln_exec::Options {
                    check: true,
                    hardware: true,
                    ..kiln_exec::Options::default()
                };
                run_with(k, &zebin, &checked).map_err(failed)?;
            }
            Ok(())
        });
    }
}

/// Numbers added to the place of a block of an image are as if the place had them.
#[test]
fn places_of_blocks_of_images_have_offsets() {
    let bmg = platform::find("bmg").expect("the platform is known");
    on_each(
        read(bmg, vec![kiln_corpus::Kernel::named("img_block")]),
        |k| {
            let text = String::from_utf8(k.visa()).map_err(|e| e.to_string())?;
            let less = "    add (M1_NM, 1) V0058(0,0)<1> V0058(0,0)<0;1,0> -0x808:d\n    \
                    add (M1_NM, 1) V0060(0,0)<1> V0060(0,0)<0;1,0> 0x3:d\n";
            let text: Vec<String> = (text.lines())
                .map(|line| match line.contains("[V0058,V0060]") {
                    true => less.to_owned() + &line.replace("58,V0060", "58+0x808,V0060-0x3"),
                    false => line.to_owned(),
                })
                .collect();
            assert!(text.iter().any(|line| line.contains("+0x808")));
            let zebin = object_file(k, text.join("\n").as_bytes(), Options::new(bmg))?;
            run(k, &zebin)
        },
    );
}

/// Sums stay in the registers of what they are added to, and parts of matrices are loaded side by side. The reference's
/// code does not spill either.
#[test]
fn products_of_matrices_need_no_scratch_space() {
    let platform = platform::find("bmg").expect("the platform is known");
    for (name, grf_limit) in [
        ("xe_gemm", 128),
        ("xe_attention", 128),
        ("xe_attention_large", 256),
    ] {
        let options = Options {
            grf_limit,
            ..Options::new(platform)
        };
        let visa = kiln_corpus::Kernel::named(name).visa(platform.name);
        let bytes = &std::fs::read(visa.expect("the kernel's vISA")).expect("the file");
        let module = Session::new(options)
            .compile_module(&[Input { name, bytes }])
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        let found = module.kernels.iter().map(|k| k.allocation.spill_bytes);
        assert_eq!(found.sum::<u32>(), 0, "{name}");
    }
}

/// Kernels with spills, subroutines, stack calls and arrays in memory.
const SPILLING: [&str; 10] = [
    "call_arrays",
    "call_divergent",
    "call_recursive",
    "call_single",
    "call_wide",
    "priv_large",
    "sha256",
    "sub_arrays",
    "sub_nested",
    "sub_wide",
];

/// Private memory before the spill slots takes almost all, or more, of the range of scratch block messages.
#[test]
fn spills_far_into_scratch_space_are_right() {
    let spilling = SPILLING.map(kiln_corpus::Kernel::named);
    on_each(read(skl(), spilling.to_vec()), |k: &Kernel| {
        let text = String::from_utf8(k.visa()).map_err(|e| e.to_string())?;
        let own = text.lines().filter(|line| !line.contains("SpillMemOffset"));
        let own: Vec<&str> = own.collect();
        for (bytes, grf_limit) in [(130_560, 128), (130_560, 32), (200_000, 48), (200_000, 24)] {
            let attribute = format!(".kernel_attr SpillMemOffset={bytes}");
            let lines = own.iter().flat_map(|&line| {
                let begins = line.starts_with(".kernel_attr SimdSize");
                [Some(line), begins.then_some(attribute.as_str())]
            });
            let text: Vec<&str> = lines.flatten().collect();
            let options = Options {
                grf_limit,
                ..Options::new(k.platform)
            };
            match object_file(k, text.join("\n").as_bytes(), options) {
                Err(what) if grf_limit < 128 && what.contains("the convention of stack calls") => {}
                object => run(k, &object?)
                    .map_err(|e| format!("behind {bytes} bytes, {grf_limit} GRFs: {e}"))?,
            }
        }
        Ok(())
    });
}

/// Kernels with more private memory than short messages can address; the reference's code for them is wrong.
#[test]
fn our_code_has_memory_beyond_short_messages() {
    let runs = AtomicUsize::new(0);
    for platform in [skl(), gen11()] {
        let kernels = read(platform, kiln_corpus::kernels(&["far_kernels"]));
        on_each(kernels, |k| run_ours(k, &runs));
    }
    assert!(runs.into_inner() >= 8);
}

/// An optional pass, a different one for each kernel.
#[test]
fn our_code_gives_the_expected_results_without_a_pass() {
    let passes: Vec<&str> = kiln_compile::passes::optional_passes().collect();
    assert!(passes.len() >= 15, "only {} passes", passes.len());
    each(skl(), 184, |k| {
        let pick = k.name.bytes().map(usize::from).sum::<usize>() % passes.len();
        let options = Options {
            without: vec![passes[pick]],
            ..Options::new(k.platform)
        };
        let object = object_file(k, &k.visa(), options)?;
        run(k, &object).map_err(|e| format!("without {}: {e}", passes[pick]))
    });
}

/// A kernel compiled with the quick tier is recompiled and replaced.
#[test]
fn a_kernel_is_recompiled() {
    each(skl(), 184, |k| {
        let visa = k.visa();
        let inputs = [Input {
            name: &k.name,
            bytes: &visa,
        }];
        let fail = |e: Box<Failure>| e.to_string();
        let session = Session::new(Options::new(k.platform).tier(Tier::Quick));
        let loaded = session.load(&inputs).map_err(fail)?;
        let mut module = session.compile_loaded(&loaded).map_err(fail)?;
        let best = Session::new(Options::new(k.platform));
        let best = best.compile_module(&inputs).map_err(fail)?;
        let kernel = &k.description.kernel;
        let of = |module: &CompiledModule| -> (BTreeSet<String>, BTreeSet<String>, Vec<Vec<u8>>) {
            let at = module.kernels.iter().position(|one| one.name == *kernel);
            let at = at.expect("the kernel that is run");
            let names = module.kernels[at].symbols.iter().map(|s| s.name.clone());
            let open = module.kernels[at]
                .relocations
                .iter()
                .map(|r| r.symbol.clone());
            let all = module.kernels.iter().chain(&module.functions).enumerate();
            let others = all
                .filter(|(n, _)| *n != at)
                .map(|(_, one)| one.code.clone());
            (names.collect(), open.collect(), others.collect())
        };
        let before = of(&module);
        session
            .recompile(&loaded, &mut module, kernel, Tier::Best)
            .map_err(fail)?;
        // The symbols that other code uses, and the rest of the module, are unchanged.
        assert!(
            of(&module) == before,
            "{}: other symbols or other code",
            k.name
        );
        let code = |module: &CompiledModule| {
            let one = module.kernels.iter().find(|one| one.name == *kernel);
            one.expect("it was there").code.clone()
        };
        assert!(
            code(&module) == code(&best),
            "{}: other code than at once",
            k.name
        );
        let object = session.object_file(&module, Info::Zebin(k.zebin.clone()));
        run(k, &object.map_err(|e| e.to_string())?)?;
        let none = session.recompile(&loaded, &mut module, "nobody", Tier::Best);
        assert!(none.is_err_and(|e| e.to_string().contains("no kernel is named nobody")));
        Ok(())
    });
}

#[test]
fn our_code_for_gen9_gives_the_expected_results() {
    ours_in_all_limits(skl(), 182);
}

#[test]
fn our_code_for_gen11_gives_the_expected_results() {
    ours_in_all_limits(gen11(), 154);
}
