//! How the time of each stage grows with the size of what it works on.
//!
//! `cargo run --release -p kiln-runtime --example growth [-- FILE...]` makes families of kernels, each
//! of several sizes, and prints for each the microseconds that a stage takes for one vISA instruction:
//! of a stage that is linear they are the same from the smallest to the largest. Files of vISA are
//! measured instead, if there are any.

use std::fmt::Write;
use std::sync::LazyLock;
use std::time::Instant;

use kiln_frontend::module::{Module, Object};
use kiln_ir::build::build;

/// Makes a kernel's text with so many of what the family has many of.
type Generator = fn(u32) -> String;

const FAMILIES: &[(&str, Generator, &[u32])] = &[
    (
        "straight code",
        straight,
        &[25_000, 50_000, 100_000, 200_000],
    ),
    ("ifs", ifs, &[2_500, 5_000, 10_000, 20_000]),
    ("loops behind each other", loops, &[1_000, 2_000, 4_000]),
    ("loops in one loop", loops_in_a_loop, &[1_000, 2_000, 4_000]),
    ("back edges to one block", continues, &[1_000, 2_000, 4_000]),
    ("ways of a switch", switch, &[500, 1_000, 2_000, 4_000]),
    (
        "variables live over ifs",
        live_over_ifs,
        &[500, 1_000, 2_000],
    ),
];

/// Runs of which the fastest counts.
const RUNS: usize = 5;

/// A SIMD16 kernel with `vars` variables of sixteen dwords.
fn kernel(vars: u32, body: &str) -> String {
    let mut text = String::from(".version 4.1\n.kernel \"growth\"\n");
    for v in 0..vars {
        let _ = writeln!(text, ".decl V{v} v_type=G type=d num_elts=16 align=hword");
    }
    text += ".decl P1 v_type=P num_elts=16\n.decl P2 v_type=P num_elts=16\n";
    text += ".decl T6 v_type=T num_elts=1 v_name=T006\n.kernel_attr SimdSize=16\n";
    text += body;
    text += "ret (M1, 1)\n";
    text
}

fn add(text: &mut String, to: u32, a: u32, b: u32) {
    let _ = writeln!(
        text,
        "add (M1, 16) V{to}(0,0)<1> V{a}(0,0)<1;1,0> V{b}(0,0)<1;1,0>"
    );
}

fn compare(text: &mut String, relation: &str, p: u32, var: u32, with: u32) {
    let _ = writeln!(
        text,
        "cmp.{relation} (M1, 16) P{p} V{var}(0,0)<1;1,0> 0x{with:x}:d"
    );
}

fn store(text: &mut String, address: u32, data: u32) {
    let _ = writeln!(
        text,
        "scatter4_scaled.R (M1, 16) T6 0x0:ud V{address}.0 V{data}.0"
    );
}

/// Each instruction makes a new variable out of two that are not far back.
fn straight(count: u32) -> String {
    let mut text = String::new();
    for i in 0..count {
        add(
            &mut text,
            i + 2,
            i + 1 - i % 2,
            i.saturating_sub(i * 7 % 31),
        );
    }
    store(&mut text, 0, count);
    kernel(count + 2, &text)
}

/// Both sides of each if write a few variables.
fn ifs(count: u32) -> String {
    let mut text = String::new();
    for i in 0..count {
        let v = i % 24;
        compare(&mut text, "lt", 1, v, i);
        let _ = writeln!(text, "(!P1) goto (M1, 16) no{i}");
        add(&mut text, (v + 1) % 24, v, (v + 5) % 24);
        let _ = writeln!(text, "goto (M1, 16) end{i}\nno{i}:");
        add(&mut text, (v + 3) % 24, v, (v + 7) % 24);
        let _ = writeln!(text, "end{i}:");
    }
    store(&mut text, 0, 1);
    kernel(24, &text)
}

fn one_loop(text: &mut String, i: u32) {
    let v = i % 16;
    let _ = writeln!(text, "top{i}:");
    compare(text, "gt", 1, v, i);
    let _ = writeln!(text, "(P1) goto (M1, 16) out{i}");
    add(text, v, v, (v + 3) % 16);
    compare(text, "lt", 2, v, i + 9);
    let _ = writeln!(text, "(P2) goto (M1, 16) top{i}\nout{i}:");
    add(text, (v + 1) % 16, v, (v + 2) % 16);
}

fn loops(count: u32) -> String {
    let mut text = String::new();
    for i in 0..count {
        one_loop(&mut text, i);
    }
    store(&mut text, 0, 1);
    kernel(16, &text)
}

fn loops_in_a_loop(count: u32) -> String {
    let mut text = String::from("around:\n");
    for i in 0..count {
        one_loop(&mut text, i);
        if i % 4 == 0 {
            text += "(P1) goto (M1, 16) behind\n";
        }
    }
    text += "(P2) goto (M1, 16) around\nbehind:\n";
    store(&mut text, 0, 1);
    kernel(16, &text)
}

/// One loop that is begun again in many places, half of them for all channels at once.
fn continues(count: u32) -> String {
    let mut text = String::from("top:\n");
    for i in 0..count {
        let v = i % 16;
        add(&mut text, v, (v + 1) % 16, (v + 3) % 16);
        compare(&mut text, "lt", 1, v, i);
        let size = if i % 2 == 0 { 16 } else { 1 };
        let _ = writeln!(text, "(P1) goto (M1, {size}) top");
    }
    store(&mut text, 0, 1);
    kernel(16, &text)
}

fn switch(count: u32) -> String {
    let mut text = String::new();
    for i in 0..count {
        compare(&mut text, "ne", 1, 0, i);
        let _ = writeln!(text, "(P1) goto (M1, 16) no{i}");
        add(&mut text, 1 + i % 8, 0, 1 + i % 5);
        let _ = writeln!(text, "goto (M1, 16) end\nno{i}:");
    }
    text += "end:\n";
    store(&mut text, 0, 1);
    kernel(9, &text)
}

/// As many ifs as variables, each of which is written in one of them and read at the end.
fn live_over_ifs(count: u32) -> String {
    let mut text = String::new();
    for v in 0..count {
        let _ = writeln!(text, "mov (M1, 16) V{v}(0,0)<1> 0x{v:x}:d");
    }
    for v in 0..count {
        compare(&mut text, "lt", 1, (v + 1) % count, v);
        let _ = writeln!(text, "(P1) goto (M1, 16) end{v}");
        add(&mut text, v, v, (v + 1) % count);
        let _ = writeln!(text, "end{v}:");
    }
    for v in 1..count {
        add(&mut text, 0, 0, v);
    }
    store(&mut text, 1, 0);
    kernel(count, &text)
}

/// The stages that are measured: each gives the seconds it took.
const STAGES: &[&str] = &["parse", "check", "ir"];

/// Seconds that this thread has run for, where the system says, so that what else the machine does
/// counts little; else those that have passed.
fn clock() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let run = times
        .split(' ')
        .next()
        .and_then(|ns| ns.parse::<f64>().ok());
    run.map_or_else(|| START.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

fn timed<T>(run: impl FnOnce() -> T) -> (T, f64) {
    let start = clock();
    let result = run();
    (result, clock() - start)
}

fn stages(text: &str) -> Result<(usize, Vec<f64>), String> {
    let (module, parse) = timed(|| kiln_frontend::text::parse(text));
    let module: Module = module.map_err(|e| e.to_string())?;
    let (findings, check) = timed(|| kiln_frontend::verify::verify(&module));
    if let Some(finding) = findings.first() {
        return Err(finding.to_string());
    }
    let kernel: &Object = module.objects.first().ok_or("no kernel")?;
    let (func, ir) = timed(|| build(kernel));
    let func = func.map_err(|e| e.to_string())?;
    kiln_ir::verify::verify(&func).map_err(|e| e.to_string())?;
    Ok((kernel.insts.len(), vec![parse, check, ir]))
}

/// A line of the table: microseconds for an instruction.
fn measure(name: &str, text: &str) {
    let mut best: Vec<f64> = vec![f64::INFINITY; STAGES.len()];
    let mut count = 0;
    for _ in 0..RUNS {
        match stages(text) {
            Ok((insts, seconds)) => {
                count = insts;
                for (best, seconds) in best.iter_mut().zip(seconds) {
                    *best = best.min(seconds);
                }
            }
            Err(error) => return println!("{name}: {error}"),
        }
    }
    print!("| {name} | {count} |");
    for seconds in best {
        print!(" {:.2} |", seconds * 1e6 / count.max(1) as f64);
    }
    println!();
}

fn main() {
    println!("| kernel | instructions | {} |", STAGES.join(" | "));
    println!("| --- | --- |{}", " --- |".repeat(STAGES.len()));
    let files: Vec<String> = std::env::args().skip(1).collect();
    for file in &files {
        let name = file.rsplit('/').next().unwrap_or(file);
        match std::fs::read_to_string(file) {
            Ok(text) => measure(name, &text),
            Err(error) => println!("{name}: {error}"),
        }
    }
    if files.is_empty() {
        for (name, generator, sizes) in FAMILIES {
            for &size in *sizes {
                measure(&format!("{size} {name}"), &generator(size));
            }
        }
    }
}
