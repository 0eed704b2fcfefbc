//! The engines compared: translated code beside the interpreter, and what is not translated.
//!
//! `engines kernels [-p PLATFORM]` runs all examples and test kernels from the reference compiler's object files with
//! both engines, compares with the expected results, and prints for each platform how many of the executed instructions
//! the interpreter executes for translated code, and which.
//!
//! `engines --programs N --seed S` runs N random programs with both: straight code of random operations, of those of
//! every platform's object files, control flow, and messages, with all modes of `cr0` and many special values. A program
//! in which the engines differ is reduced to the instructions that it takes.
//!
//! `engines changed --cases N --seed S` runs N programs of changed machine code of every platform with both, in child
//! processes, and reports those that differ, exceed their budget, or end the process. `engines changed --case NUMBER
//! --seed S [--count N]` runs one of them again, or N from that number on, in its own process.
//!
//! Each program and kernel has a limit of processor time, after which the system ends the process by SIGXCPU: all have
//! budgets, so that only translated code can run on for ever.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use compare::registers_of;
use instance::instance;
use kiln_emit::inst::{Desc, Inst, Op, SyncFn, Type};
use kiln_emit::messages::{Function, message_name};
use kiln_emit::platform::Platform;
use kiln_emit::zebin::Zebin;
use kiln_exec::launch::Description;
use kiln_exec::translate::{Host, Listing};
use kiln_exec::{Cause, Engine, Launch, Options, Program, World};
use limit::limit_time;
use model::State;
use random::Random;

mod changed_code;
mod limit;

#[path = "../../../exec/tests/ops/compare.rs"]
mod compare;
#[path = "../../../exec/tests/ops/compute.rs"]
mod compute;
#[path = "../../../exec/tests/ops/coverage.rs"]
mod coverage;
#[path = "../../../exec/tests/ops/elements.rs"]
mod elements;
#[path = "../../../exec/tests/ops/exact.rs"]
mod exact;
#[path = "../../../exec/tests/ops/flow.rs"]
mod flow;
#[path = "../../../exec/tests/ops/instance.rs"]
mod instance;
#[path = "../../../exec/tests/ops/kind.rs"]
mod kind;
#[path = "../../../exec/tests/ops/messages.rs"]
mod messages;
#[path = "../../../exec/tests/ops/model.rs"]
mod model;
#[path = "../../../exec/tests/ops/random.rs"]
mod random;
#[path = "../../../exec/tests/ops/real.rs"]
mod real;
#[path = "../../../exec/tests/ops/space.rs"]
mod space;

/// Number of kinds listed.
const LISTED_KINDS: usize = 25;
/// Processor time of a kernel, and of a random program, in seconds: far more than either takes.
const KERNEL_SECONDS: u64 = 120;
const PROGRAM_SECONDS: u64 = 30;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let at = args.iter().position(|a| a == name)?;
        args.get(at + 1).cloned()
    };
    if value("--host").as_deref() == Some("avx2") {
        Host::leave_out_avx512();
    }
    let number = |name: &str| value(name).and_then(|n| n.parse().ok());
    let seed = number("--seed").unwrap_or(1);
    let wrong = match args.first().map(String::as_str) {
        Some("kernels") => kernels(value("-p").as_deref(), value("-k").as_deref()),
        Some("--programs") => programs(number("--programs").unwrap_or(1000), seed),
        Some("changed") => match (number("--case"), number("--cases")) {
            (Some(case), _) => {
                changed_code::child(case..case + number("--count").unwrap_or(1), seed)
            }
            (None, count) => {
                changed_code::parent(count.unwrap_or(1000), seed, value("--host").as_deref())
            }
        },
        _ => {
            eprintln!(
                "engines kernels [-p PLATFORM] [-k KERNEL] [--host avx2]\n\
                 engines --programs N --seed S [--host avx2]\n\
                 engines changed --cases N --seed S [--host avx2]\n\
                 engines changed --case NUMBER --seed S [--count N] [--host avx2]"
            );
            return ExitCode::FAILURE;
        }
    };
    ExitCode::from(u8::from(wrong > 0))
}

/// Executed instructions of all kernels of a platform.
#[derive(Default)]
struct Coverage {
    executed: u64,
    called: u64,
    /// Called out messages to images and samplers, and systolic operations.
    apart: u64,
    /// Executions of what is called out, by a form of the instruction.
    kinds: BTreeMap<String, u64>,
}

fn kernels(only: Option<&str>, kernel: Option<&str>) -> usize {
    let mut wrong = 0;
    for platform in coverage::platforms().filter(|p| only.is_none_or(|o| o == p.name)) {
        let name = platform.name;
        let mut coverage = Coverage::default();
        let mut count = 0;
        for of in kiln_corpus::kernels(&kiln_corpus::ALL) {
            if kernel.is_some_and(|k| k != of.name) {
                continue;
            }
            let Some(file) = of.object(name) else {
                continue;
            };
            count += 1;
            limit_time(KERNEL_SECONDS);
            if let Err(what) = run(&of.folder, &file, platform, &mut coverage) {
                println!("{name} {}: {what}", of.name);
                wrong += 1;
            }
        }
        let share = |n: u64| 100.0 * n as f64 / coverage.executed.max(1) as f64;
        println!(
            "{name}: {count} kernels, {} instructions, {:.2} % called out, {:.2} % without images and systolic operations",
            coverage.executed,
            share(coverage.called),
            share(coverage.called - coverage.apart)
        );
        let mut kinds: Vec<_> = coverage.kinds.iter().collect();
        kinds.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
        for (kind, n) in kinds.into_iter().take(LISTED_KINDS) {
            println!("  {:6.2} %  {kind}", share(*n));
        }
    }
    wrong
}

fn run(
    folder: &Path,
    file: &Path,
    platform: &'static Platform,
    coverage: &mut Coverage,
) -> Result<(), String> {
    let error = |e: &dyn std::fmt::Display| e.to_string();
    let bytes = std::fs::read(file).map_err(|e| error(&e))?;
    let yaml = std::fs::read_to_string(folder.join("launch.yaml")).map_err(|e| error(&e))?;
    let description = Description::parse(&yaml).map_err(|e| error(&e))?;
    let zebin = Zebin::parse(&bytes).map_err(|e| error(&e))?;
    let program =
        Program::from_zebin(&zebin, &description.kernel, platform).map_err(|e| error(&e))?;
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: &description.kernel,
        global: description.global,
        local: description.local,
        dimensions: description.dimensions,
        args: description.load_args(folder).map_err(|e| error(&e))?,
        budget: Launch::BUDGET,
    };
    let options = Options {
        engine: Engine::Both,
        ..Options::default()
    };
    let stats = launch.run_with(&program, &options).map_err(|e| error(&e))?;
    description
        .check(&launch.args, folder)
        .map_err(|e| error(&e))?;
    let host = Host::available().unwrap_or(Host::Avx512);
    let listing = Listing::of(&program, host).map_err(|e| error(&e))?;
    let operations = listing.blocks.iter().flat_map(|b| &b.operations);
    for ((operation, count), inst) in operations.zip(&stats.by_place).zip(program.insts()) {
        coverage.executed += count.instructions;
        if operation.called {
            coverage.called += count.instructions;
            if is_apart(inst, platform) {
                coverage.apart += count.instructions;
            }
            *coverage.kinds.entry(form(&operation.inst)).or_default() += count.instructions;
        }
    }
    Ok(())
}

/// True for messages to images and samplers, and systolic operations.
fn is_apart(inst: &Inst, platform: &Platform) -> bool {
    let Some(message) = inst.msg else {
        return matches!(inst.op, Op::Dpas(_) | Op::Dpasw(_));
    };
    let desc = match message.desc {
        Desc::Imm(desc) => desc,
        Desc::Addr { .. } => 0,
    };
    let name = message_name(platform.family, message.sfid, desc);
    let image = name.starts_with("typed") || name.starts_with("media");
    image
        || matches!(
            Function::of(message.sfid),
            Function::Sampler | Function::Typed
        )
}

/// An instruction without the numbers of its registers.
fn form(inst: &str) -> String {
    let mut text = String::new();
    let mut last = ' ';
    for c in inst.split("//").next().unwrap_or_default().chars() {
        let number = c.is_ascii_digit() && (last == 'r' || last == '#');
        if number {
            if last == 'r' {
                text.push('#');
            }
            last = '#';
            continue;
        }
        if c == ' ' && last == ' ' {
            continue;
        }
        text.push(c);
        last = c;
    }
    text
}

/// Maximum number of instructions of a straight program.
const MAX_INSTS: usize = 24;
/// Limit on the instructions that a program executes.
const BUDGET: u64 = 10_000;
/// Number of differences shown.
const SHOWN: usize = 12;

/// Runs random programs until as many as are shown differ; gives the number of those in which the engines differ.
fn programs(count: u64, seed: u64) -> usize {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let platforms: Vec<(&Platform, Vec<Inst>)> = coverage::platforms()
        .map(|platform| {
            let own = coverage::of_object_files(platform).unwrap_or_default();
            let mut kinds: Vec<Inst> = own.into_values().map(|(kind, _)| kind).collect();
            kinds.extend(coverage::listed(platform).unwrap_or_default());
            (platform, kinds)
        })
        .collect();
    let mut wrong = 0;
    for number in 0..count {
        limit_time(PROGRAM_SECONDS);
        let (platform, kinds) = &platforms[random.below(platforms.len())];
        let straight: Vec<&Inst> = kinds.iter().filter(|k| is_straight(k)).collect();
        let sends: Vec<&Inst> = kinds
            .iter()
            .filter(|k| k.msg.is_some_and(|m| !m.eot))
            .collect();
        let result = match number % 4 {
            0 => {
                let kinds: Vec<Inst> = (0..MAX_INSTS).map(|_| space::kind(&mut random)).collect();
                straight_program(
                    &kinds.iter().collect::<Vec<_>>(),
                    coverage::skl(),
                    &mut random,
                )
            }
            1 => straight_program(&straight, platform, &mut random),
            2 if number % 8 == 2 => flow::compare(&mut random).map(|_| ()),
            2 => {
                // Beside the model, too.
                let kind = space::kind(&mut random);
                difference(compare::compare(&kind, coverage::skl(), 1, random.next()))
            }
            _ if sends.is_empty() => Ok(()),
            _ => {
                let kind = sends[random.below(sends.len())];
                difference(messages::compare(kind, platform, 4, random.next()))
            }
        };
        if let Err(what) = result {
            println!("program {number}: {what}");
            wrong += 1;
            if wrong == SHOWN {
                println!(
                    "{} programs, the engines differ in {wrong}, the others are left out",
                    number + 1
                );
                return wrong;
            }
        }
    }
    println!("{count} programs, the engines differ in {wrong}");
    wrong
}

/// The difference between the engines that a comparison with the model found.
fn difference(result: Result<(), compare::Difference>) -> Result<(), String> {
    use compare::Difference;
    match result {
        Err(Difference::Wrong(what)) => Err(what),
        Err(Difference::Refused(what)) if what.contains("the engines differ") => Err(what),
        // Some messages the model does not know, or not in all their forms.
        Err(Difference::Unknown(what)) if what.is_empty() => Err(what.to_string()),
        Ok(()) | Err(Difference::Unknown(_) | Difference::Refused(_)) => Ok(()),
    }
}

/// True for instructions that neither branch nor wait nor send.
fn is_straight(inst: &Inst) -> bool {
    use Op::*;
    inst.msg.is_none()
        && !matches!(
            inst.op,
            Jmpi | Brd
                | If
                | Brc
                | Else
                | Endif
                | While
                | Break
                | Cont
                | Halt
                | Calla
                | Call
                | Ret
                | Goto
                | Join
                | Wait
                | Illegal
                | Sync(SyncFn::Bar)
                | Dpasw(_)
        )
}

/// Runs instructions of the kinds one after the other.
fn straight_program(
    kinds: &[&Inst],
    platform: &'static Platform,
    random: &mut Random,
) -> Result<(), String> {
    if kinds.is_empty() {
        return Ok(());
    }
    let count = 1 + random.below(MAX_INSTS);
    let mut insts = Vec::new();
    let mut state = State::random(random, platform);
    for _ in 0..count {
        let (inst, new) = instance(kinds[random.below(kinds.len())], platform, random);
        insts.push(inst);
        state = new;
    }
    if random.chance(2) {
        // Most code rounds to nearest.
        state.control &= !0x30;
    }
    for dword in state.general.chunks_exact_mut(4) {
        if random.chance(4) {
            let ty = random_type(random.next());
            let special = random.element(ty) as u32;
            dword.copy_from_slice(&special.to_le_bytes());
        }
    }
    let Err(mut what) = engines_agree(&insts, &state) else {
        return Ok(());
    };
    // Without the instructions that the difference does not need.
    let mut at = 0;
    while at < insts.len() && insts.len() > 1 {
        let mut fewer = insts.clone();
        fewer.remove(at);
        match engines_agree(&fewer, &state) {
            Err(still) => {
                insts = fewer;
                what = still;
            }
            Ok(()) => at += 1,
        }
    }
    let listing: Vec<String> = insts.iter().map(|i| format!("  {i}\n")).collect();
    Err(format!(
        "{} with cr0 {:#x}, channels {:#x}: {what}\n{}",
        platform.name,
        state.control,
        state.active,
        listing.concat()
    ))
}

fn random_type(number: u64) -> Type {
    match number % 3 {
        0 => Type::D,
        1 => Type::Hf,
        _ => Type::F,
    }
}

/// Runs code with both engines; other errors than differences are no failure, but both must have them.
fn engines_agree(insts: &[Inst], state: &State) -> Result<(), String> {
    let registers = registers_of(state).map_err(|e| e.to_string())?;
    let result = registers
        .on(Engine::Both)
        .run(insts.to_vec(), &mut World::default(), BUDGET);
    match result {
        Err(what @ Cause::Engines { .. }) => Err(what.to_string()),
        _ => Ok(()),
    }
}
