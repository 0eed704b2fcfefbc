//! Strips machine code of its scoreboard annotations and makes them anew:
//! `cargo run --release -p kiln-emit --example scoreboard -- PLATFORM FILE...`
//!
//! Prints the numbers of `sync` instructions before and after, estimated cycles before and after (not of code that
//! writes through addresses), the time of the
//! pass, and what the static checker finds. Fails if it finds anything. Files with code that is not understood are
//! named and left out. With `-v`, figures of each file too.

use kiln_emit::assemble::{Program, assemble};
use kiln_emit::inst::{Dst, Inst, Op, Place, Swsb, SyncFn};
use kiln_emit::listing::{Style, entries, line};
use kiln_emit::platform::{Platform, find};
use kiln_emit::verify::scoreboard::check_code;
use kiln_emit::{cost, scoreboard};
use std::process::ExitCode;
use std::time::Duration;
use std::{env, fs, io};

#[derive(Default)]
struct Figures {
    files: usize,
    insts: usize,
    /// Before and after.
    syncs: [usize; 2],
    cycles: [f64; 2],
    time: Duration,
    findings: usize,
}

fn main() -> io::Result<ExitCode> {
    let mut args = env::args().skip(1).peekable();
    let verbose = args.next_if(|arg| arg == "-v").is_some();
    let Some(platform) = args.next().as_deref().and_then(find) else {
        eprintln!("scoreboard: [-v] PLATFORM FILE...");
        return Ok(ExitCode::from(2));
    };
    let mut all = Figures::default();
    for file in args {
        match measure(&file, &fs::read(&file)?, platform) {
            Err(why) => println!("{file}: {why}"),
            Ok(figures) => {
                if verbose {
                    println!("{file}: {}", figures.text());
                }
                all.add(&figures);
            }
        }
    }
    println!("{}: {} files, {}", platform.name, all.files, all.text());
    Ok(ExitCode::from(u8::from(all.findings != 0)))
}

impl Figures {
    fn add(&mut self, other: &Figures) {
        self.files += other.files;
        self.insts += other.insts;
        self.time += other.time;
        self.findings += other.findings;
        for n in 0..2 {
            self.syncs[n] += other.syncs[n];
            self.cycles[n] += other.cycles[n];
        }
    }

    fn text(&self) -> String {
        let Figures {
            insts,
            syncs,
            cycles,
            time,
            findings,
            ..
        } = self;
        format!(
            "{insts} instructions, sync {} -> {} = {:.3}, cycles {:.0} -> {:.0} = {:.4}, {:.3} us an instruction, {findings} findings",
            syncs[0],
            syncs[1],
            syncs[1] as f64 / syncs[0] as f64,
            cycles[0],
            cycles[1],
            cycles[1] / cycles[0],
            time.as_secs_f64() * 1e6 / *insts as f64
        )
    }
}

/// Time that the thread has had a processor, by the first figure of the kernel's file; 0 where there is none.
fn processor_time() -> Duration {
    let file = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = file.split_whitespace().next();
    Duration::from_nanos(first.and_then(|first| first.parse().ok()).unwrap_or(0))
}

fn is_wait(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::Sync(SyncFn::Nop | SyncFn::AllRd | SyncFn::AllWr)
    )
}

fn estimate(insts: &[Inst], platform: &Platform) -> f64 {
    cost::estimate(insts, platform, cost::Weights::Loops)
        .cycles
        .sum()
}

fn measure(file: &str, code: &[u8], platform: &'static Platform) -> Result<Figures, String> {
    let before: Result<Vec<Inst>, _> = entries(code, platform).map(|entry| entry.inst).collect();
    let before = before.map_err(|error| error.to_string())?;
    let mut program =
        Program::of_code(before.clone()).ok_or("a branch goes between instructions")?;
    for block in &mut program.blocks {
        block.retain(|inst| !is_wait(inst));
        for inst in block {
            inst.swsb = Swsb::default();
        }
    }
    let insts = program.blocks.iter().map(Vec::len).sum();
    let all = 0..platform.grf_count;
    let clock = processor_time();
    scoreboard::run(&mut program, platform, &[all]);
    let time = processor_time() - clock;
    let assembled = assemble(&program, platform).map_err(|error| error.to_string())?;
    let after = kiln_emit::listing::insts(&assembled.code, platform);
    let found = check_code(&after, platform).map_err(|error| error.to_string())?;
    for found in found.iter().take(5) {
        let text = |at: usize| line(&after[at], 0, platform, Style::Numeric);
        println!(
            "{file}: {} {} / {} {}: {found}",
            found.first,
            text(found.first),
            found.second,
            text(found.second)
        );
    }
    let syncs = |insts: &[Inst]| insts.iter().filter(|inst| is_wait(inst)).count();
    // Nothing tells here which registers an indirect operand accesses, so that it waits for all.
    let indirect = |inst: &Inst| {
        let is = |dst: Dst| matches!(dst.place, Place::Indirect { .. });
        inst.dst.is_some_and(is)
    };
    let left_out = before.iter().any(indirect);
    let cycles = |insts: &[Inst]| match left_out {
        true => 0.0,
        false => estimate(insts, platform),
    };
    Ok(Figures {
        files: 1,
        insts,
        syncs: [syncs(&before), syncs(&after)],
        cycles: [cycles(&before), cycles(&after)],
        time,
        findings: found.len(),
    })
}
