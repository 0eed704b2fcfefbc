//! Growth of the time of each stage, and of peak memory, with the size of the input.
//!
//! `cargo run --release -p kiln-compile --example growth [-- NAME...]` makes families of kernels (those whose names
//! contain a NAME, if any is given), each of several sizes, and prints the microseconds that each stage takes for one
//! vISA instruction; `-p PLATFORM` names a platform other than skl. A linear stage takes the same for each size. `growth` is the ratio of the sum to that of the
//! smallest kernel. Arguments that are files of vISA are measured instead. In two families one body is repeated 1 to
//! 64 times, below and above the size of the register file; for these the fitted line and its R2 are printed, and
//! drawn with `--svg FILE`.
//!
//! Each kernel is measured in a process of its own, so that no memory is reused. Times are processor times of the
//! thread. The sizes of a family take turns, several times, and the medians of times and growth are shown, so that
//! other load on the machine counts little.

use std::fmt::Write;
use std::process::Command;
use std::sync::{LazyLock, OnceLock};
use std::time::Instant;

use kiln_compile::attempt::{self, Scratch};
use kiln_compile::{Options, Seconds};
use kiln_emit::platform::{self, MessageFamily, Platform, SKL};
use kiln_visa::module::Module;
use plotters::prelude::*;

/// The platform that is compiled for, if it is not skl.
static TARGET: OnceLock<&Platform> = OnceLock::new();

fn target() -> &'static Platform {
    TARGET.get().copied().unwrap_or(&SKL)
}

/// Makes the text of a kernel of the family with the given count.
type Generator = fn(u32) -> String;

const FAMILIES: &[(&str, Generator, &[u32])] = &[
    ("straight code", straight, &[50_000, 100_000, 200_000]),
    ("ifs", ifs, &[2_500, 5_000, 10_000]),
    ("nested ifs", ifs_in_ifs, &[1_000, 2_000, 4_000]),
    ("loops in sequence", loops, &[1_000, 2_000, 4_000]),
    ("loops in one loop", loops_in_a_loop, &[1_000, 2_000, 4_000]),
    (
        "loops nested eight deep",
        nested_loops,
        &[1_000, 2_000, 4_000],
    ),
    ("nested loops", loops_in_loops, &[250, 500, 1_000]),
    ("back edges to one block", continues, &[1_000, 2_000, 4_000]),
    ("cases of a switch", switch, &[500, 1_000, 2_000]),
    (
        "variables live across ifs",
        live_over_ifs,
        &[500, 1_000, 2_000],
    ),
    (
        "variables live from ifs to the end of a loop",
        over_a_loop,
        &[500, 1_000, 2_000],
    ),
    (
        "instructions that spill",
        spilling,
        &[10_000, 20_000, 40_000],
    ),
    ("calls of one subroutine", calls, &[1_000, 2_000, 4_000]),
    (
        "subroutines, each called twice",
        subroutines,
        &[1_000, 2_000, 4_000],
    ),
    (
        "subroutines, each calling the next",
        chain,
        &[250, 500, 1_000],
    ),
    (
        "subroutines of forty ifs, each called twice",
        branching_subroutines,
        &[50, 100, 200],
    ),
    ("unreachable blocks", unreachable, &[2_000, 4_000, 8_000]),
];

/// Families that repeat one body: their time must be linear.
const REPEATED: &[(&str, Generator)] = &[
    ("times one body that fits the registers", fitting),
    ("times one body that spills", overflowing),
];
const TIMES: &[u32] = &[1, 2, 4, 8, 16, 24, 32, 40, 48, 56, 64];

/// Number of turns, of which the median counts.
const TURNS: usize = 5;

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
    let _ = match target().memory {
        MessageFamily::LoadStore => writeln!(
            text,
            "lsc_store.ugm (M1, 16) bti(0x0)[V{address}.0]:a32 V{data}.0:d32"
        ),
        MessageFamily::DataPort => writeln!(
            text,
            "scatter4_scaled.R (M1, 16) T6 0x0:ud V{address}.0 V{data}.0"
        ),
    };
}

/// Each instruction makes a new variable out of two that were made shortly before.
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

/// Both branches of each if write a few variables.
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

/// Each if is nested in the one before.
fn ifs_in_ifs(count: u32) -> String {
    let mut text = String::new();
    for i in 0..count {
        let v = i % 24;
        compare(&mut text, "lt", 1, v, i);
        let _ = writeln!(text, "(P1) goto (M1, 16) end{i}");
        add(&mut text, (v + 1) % 24, v, (v + 5) % 24);
    }
    for i in (0..count).rev() {
        let v = i % 24;
        let _ = writeln!(text, "end{i}:");
        add(&mut text, (v + 3) % 24, v, (v + 7) % 24);
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

/// One loop with many continues, half of them uniform.
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

/// Loops nested eight deep.
fn nested_loops(count: u32) -> String {
    nests(count, 8)
}

/// Each loop is nested in the one before.
fn loops_in_loops(count: u32) -> String {
    nests(count, count)
}

fn nests(count: u32, depth: u32) -> String {
    let mut text = String::new();
    for nest in (0..count).step_by(depth as usize) {
        let nest = nest..count.min(nest + depth);
        for i in nest.clone() {
            let v = i % 16;
            let _ = writeln!(text, "top{i}:");
            add(&mut text, v, v, (v + 3) % 16);
        }
        for i in nest.rev() {
            let v = i % 16;
            add(&mut text, (v + 1) % 16, v, (v + 2) % 16);
            compare(&mut text, "lt", 2, v, i + 9);
            let _ = writeln!(text, "(P2) goto (M1, 16) top{i}");
        }
    }
    store(&mut text, 0, 1);
    kernel(16, &text)
}

/// A loop begins with an if for each variable, which assigns it one of two values, and ends with uses of all.
fn over_a_loop(count: u32) -> String {
    let mut text = String::from("top:\n");
    for v in 1..count {
        compare(&mut text, "lt", 1, 0, v);
        let _ = writeln!(text, "(P1) goto (M1, 16) other{v}");
        let _ = writeln!(text, "mov (M1, 16) V{v}(0,0)<1> 0x{v:x}:d");
        let _ = writeln!(text, "goto (M1, 16) end{v}\nother{v}:");
        let _ = writeln!(text, "mov (M1, 16) V{v}(0,0)<1> V0(0,0)<1;1,0>\nend{v}:");
    }
    for v in 1..count {
        add(&mut text, 0, 0, v);
    }
    compare(&mut text, "lt", 2, 0, 7);
    let _ = writeln!(text, "(P2) goto (M1, 16) top");
    store(&mut text, 0, 1);
    kernel(count, &text)
}

/// More variables than registers, used in mixed order.
fn spilling(count: u32) -> String {
    const VARS: u32 = 100;
    let mut text = String::new();
    for v in 0..VARS {
        let _ = writeln!(text, "mov (M1, 16) V{v}(0,0)<1> 0x{v:x}:d");
    }
    let mut state = 1u32;
    let mut any = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % VARS
    };
    for _ in 0..count {
        let to = any();
        add(&mut text, to, to, any());
    }
    for v in 1..VARS {
        add(&mut text, 0, 0, v);
    }
    store(&mut text, 1, 0);
    kernel(VARS, &text)
}

/// Variables of a body that fits the 64 places of the register file, and of one that does not.
const FITTING_VARS: u32 = 30;
const SPILLING_VARS: u32 = 90;

/// A body of 200 additions, half of them predicated, on variables that are live across it.
fn repeated(vars: u32, count: u32) -> String {
    let mut text = String::new();
    for v in 0..vars {
        let _ = writeln!(text, "mov (M1, 16) V{v}(0,0)<1> 0x{v:x}:d");
    }
    for i in 0..count {
        for n in 0..200 {
            if n == 100 {
                compare(&mut text, "lt", 1, i % vars, i);
                let _ = writeln!(text, "(!P1) goto (M1, 16) end{i}");
            }
            add(&mut text, n * 7 % vars, n * 7 % vars, (n * 11 + 5) % vars);
        }
        let _ = writeln!(text, "end{i}:");
    }
    for v in 1..vars {
        add(&mut text, 0, 0, v);
    }
    store(&mut text, 1, 0);
    kernel(vars, &text)
}

fn fitting(count: u32) -> String {
    repeated(FITTING_VARS, count)
}

fn overflowing(count: u32) -> String {
    repeated(SPILLING_VARS, count)
}

/// A subroutine that computes V1 from V0, with locals numbered from `local` on.
fn subroutine(text: &mut String, i: u32, local: u32) {
    let _ = writeln!(text, ".function \"s{i}\"\ns{i}:");
    add(text, local, 0, 2);
    for n in 0..12 {
        add(text, local + n % 2, local, 3 - n % 2);
    }
    add(text, 1, local, local + 1);
}

fn calls(count: u32) -> String {
    let mut text = String::new();
    for i in 0..count {
        add(&mut text, 0, 4 + i % 8, 4 + i % 3);
        text += "call (M1, 16) s0\n";
        add(&mut text, 4 + i % 5, 1, 4 + i % 8);
    }
    store(&mut text, 4, 5);
    text += "ret (M1, 1)\n";
    subroutine(&mut text, 0, 12);
    kernel(14, &text)
}

fn subroutines(count: u32) -> String {
    let mut text = String::new();
    for i in (0..count).chain(0..count) {
        add(&mut text, 0, 4 + i % 8, 4 + i % 3);
        let _ = writeln!(text, "call (M1, 16) s{i}");
        add(&mut text, 4 + i % 5, 1, 4 + i % 8);
    }
    store(&mut text, 4, 5);
    for i in 0..count {
        text += "ret (M1, 16)\n";
        subroutine(&mut text, i, 12 + i * 2);
    }
    kernel(12 + count * 2, &text)
}

/// Each subroutine is called in two places of the one before.
fn chain(count: u32) -> String {
    let mut text = String::from("call (M1, 16) s0\ncall (M1, 16) s0\n");
    store(&mut text, 0, 1);
    for i in 0..count {
        text += "ret (M1, 16)\n";
        subroutine(&mut text, i, 12 + i * 2);
        if i + 1 < count {
            add(&mut text, 0, 1, 2);
            let next = i + 1;
            let _ = writeln!(text, "call (M1, 16) s{next}");
            add(&mut text, 0, 1, 3);
            let _ = writeln!(text, "call (M1, 16) s{next}");
        }
    }
    kernel(12 + count * 2, &text)
}

/// Many subroutines of many blocks: passes that allocate or copy tables of a whole kernel for each of its routines, or
/// of a whole routine for each of its blocks, show here.
fn branching_subroutines(count: u32) -> String {
    const IFS: u32 = 40;
    let mut text = String::new();
    for i in (0..count).chain(0..count) {
        add(&mut text, 0, 4 + i % 8, 4 + i % 3);
        let _ = writeln!(text, "call (M1, 16) s{i}");
        add(&mut text, 4 + i % 5, 1, 4 + i % 8);
    }
    store(&mut text, 4, 5);
    for i in 0..count {
        let local = 12 + i * 2;
        let _ = writeln!(text, "ret (M1, 16)\n.function \"s{i}\"\ns{i}:");
        add(&mut text, local, 0, 2);
        add(&mut text, local + 1, 0, 3);
        for n in 0..IFS {
            compare(&mut text, "lt", 1, local + n % 2, n);
            let _ = writeln!(text, "(!P1) goto (M1, 16) no{i}_{n}");
            add(&mut text, local, local, local + 1);
            let _ = writeln!(text, "goto (M1, 16) end{i}_{n}\nno{i}_{n}:");
            add(&mut text, local + 1, local, 2);
            let _ = writeln!(text, "end{i}_{n}:");
        }
        add(&mut text, 1, local, local + 1);
    }
    kernel(12 + count * 2, &text)
}

/// Unreachable code after unconditional branches, which compilers leave behind.
fn unreachable(count: u32) -> String {
    let mut text = String::new();
    for i in 0..count {
        let v = i % 16;
        let _ = writeln!(text, "goto (M1, 16) next{i}\ndead{i}:");
        add(&mut text, v, v, (v + 1) % 16);
        let _ = writeln!(text, "next{i}:");
        add(&mut text, v, v, (v + 3) % 16);
    }
    store(&mut text, 0, 1);
    kernel(16, &text)
}

/// The stages that are measured, and their sum.
const STAGES: &[&str] = &["read", "check", "ir", "select", "allocate", "encode", "all"];

/// Seconds that this thread has run for, where the system says, so that what else the machine does
/// counts little; else those that have passed.
fn clock() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    // The system counts up when it chooses who runs next.
    std::thread::yield_now();
    let times = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let run = times
        .split(' ')
        .next()
        .and_then(|ns| ns.parse::<f64>().ok());
    run.map_or_else(|| START.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// The most memory this process has had, in MiB, where the system says.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kib / 1024.0)
}

/// Figures of one compilation.
struct Figures {
    /// Number of vISA instructions, and of machine instructions.
    visa: usize,
    gen_: usize,
    /// Seconds of each stage.
    seconds: Vec<f64>,
}

/// Compiles a kernel with the list of passes, and measures each phase.
fn compile(text: &str) -> Result<Figures, String> {
    let mut start = clock();
    let mut lap = || {
        let now = clock();
        now - std::mem::replace(&mut start, now)
    };
    let module: Module = kiln_visa::text::parse(text).map_err(|e| e.to_string())?;
    let read = lap();
    let findings = kiln_visa::verify::verify(&module);
    if let Some(finding) = findings.first() {
        return Err(finding.to_string());
    }
    let check = lap();
    let kernel = module.objects.first().ok_or("no kernel")?;
    let options = Options {
        verify: false,
        ..Options::new(target())
    };
    let compiled =
        attempt::compile(kernel, &options, &mut Scratch::default()).map_err(|e| e.to_string())?;
    let Seconds {
        ir,
        isel,
        regalloc,
        emit,
    } = compiled.seconds;
    Ok(Figures {
        visa: compiled.visa_instructions,
        gen_: compiled.instructions,
        seconds: vec![read, check, ir, isel, regalloc, emit, read + check + lap()],
    })
}

/// Cells of a line of the table: instructions, microseconds per instruction, and memory.
fn measure(text: &str) -> Result<String, String> {
    // A first compilation initializes the tables of the process.
    compile(&straight(1))?;
    let figures = compile(text)?;
    let mut line = format!("{} {}", figures.visa, figures.gen_);
    for seconds in &figures.seconds {
        let _ = write!(line, " {}", seconds * 1e6 / figures.visa.max(1) as f64);
    }
    let _ = write!(line, " {}", peak().unwrap_or(f64::NAN));
    Ok(line)
}

/// Measures one kernel in a process of its own and returns the cells of its line.
fn measured(what: &[&str]) -> Result<Vec<f64>, String> {
    let output = std::env::current_exe()
        .and_then(|program| {
            Command::new(program)
                .args([MEASURE, target().name])
                .args(what)
                .output()
        })
        .map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout);
    let cells: Result<Vec<f64>, _> = said.split_whitespace().map(str::parse).collect();
    match cells {
        Ok(cells) if cells.len() == STAGES.len() + 3 => Ok(cells),
        _ => Err(said.into_owned()),
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Measures kernels in turn and prints a line for each; returns the vISA instructions and the seconds of all stages.
fn table(kernels: &[(String, Vec<&str>)]) -> Result<Vec<(f64, f64)>, String> {
    let turn = |_| kernels.iter().map(|(_, what)| measured(what)).collect();
    let turns: Vec<Vec<Vec<f64>>> = (0..TURNS).map(turn).collect::<Result<_, _>>()?;
    let all = 2 + STAGES.len() - 1;
    let mut points = Vec::new();
    for (k, (name, _)) in kernels.iter().enumerate() {
        let cell = |i: usize| median(turns.iter().map(|turn| turn[k][i]).collect());
        print!("| {name} | {} | {} |", cell(0), cell(1));
        for stage in 2..=all {
            print!(" {:.2} |", cell(stage));
        }
        let growth = median(
            turns
                .iter()
                .map(|turn| turn[k][all] / turn[0][all])
                .collect(),
        );
        println!(" {:.0} | {growth:.2} |", cell(all + 1));
        points.push((cell(0), cell(0) * cell(all) * 1e-6));
    }
    Ok(points)
}

/// Least-squares line through points: its value at zero, its slope and R2.
fn line(points: &[(f64, f64)]) -> (f64, f64, f64) {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let sum =
        |of: &dyn Fn(f64, f64) -> f64| points.iter().map(|p| of(p.0 - x, p.1 - y)).sum::<f64>();
    let (xx, xy, yy) = (sum(&|x, _| x * x), sum(&|x, y| x * y), sum(&|_, y| y * y));
    let slope = xy / xx;
    (y - slope * x, slope, xy * xy / (xx * yy))
}

/// Draws points of several families and the lines through them.
fn draw(
    families: &[(&str, Vec<(f64, f64)>)],
    path: &str,
) -> Result<(), Box<dyn std::error::Error>> {
    let all = || families.iter().flat_map(|(_, points)| points);
    let most = |of: fn(&(f64, f64)) -> f64| all().map(of).fold(1e-9, f64::max) * 1.05;
    let area = SVGBackend::new(path, (640, 320)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(8)
        .x_label_area_size(36)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..most(|p| p.0), 0.0..most(|p| p.1) * 1e3)?;
    chart
        .configure_mesh()
        .disable_mesh()
        .x_desc("vISA instructions")
        .y_desc("ms")
        .draw()?;
    for ((name, points), colour) in families.iter().zip([BLUE, RED]) {
        let (start, slope, r2) = line(points);
        let end = points.iter().map(|p| p.0).fold(0.0, f64::max);
        let ends = [0.0, end].map(|x| (x, (start + slope * x) * 1e3));
        chart.draw_series(LineSeries::new(ends, colour))?;
        let dots = points
            .iter()
            .map(|(x, y)| Circle::new((*x, y * 1e3), 3, colour.filled()));
        chart
            .draw_series(dots)?
            .label(format!("{name}, R2 {r2:.4}"))
            .legend(move |at| Circle::new(at, 3, colour.filled()));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .draw()?;
    area.present()?;
    Ok(())
}

/// First argument of a measuring process.
const MEASURE: &str = "--measure";

/// Chooses the platform that is compiled for.
fn choose(name: &str) {
    match platform::find(name) {
        Some(found) => drop(TARGET.set(found)),
        None => eprintln!("-p {name}: no platform; skl is used"),
    }
}

fn main() {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, name, what @ ..] = args.as_slice()
        && flag == MEASURE
    {
        choose(name);
        let text = match what {
            [family, size] => {
                let families = FAMILIES
                    .iter()
                    .map(|(name, generator, _)| (name, generator));
                let repeated = REPEATED.iter().map(|(name, generator)| (name, generator));
                families
                    .chain(repeated)
                    .find(|(name, _)| **name == family.as_str())
                    .zip(size.parse().ok())
                    .map_or(String::new(), |((_, generator), size)| generator(size))
            }
            _ => std::fs::read_to_string(what.concat()).unwrap_or_default(),
        };
        print!("{}", measure(&text).unwrap_or_else(|error| error));
        return;
    }
    if let Some(at) = args.iter().position(|arg| arg == "-p") {
        let words: Vec<String> = args.drain(at..args.len().min(at + 2)).collect();
        choose(words.last().map_or("", String::as_str));
    }
    let svg = args.iter().position(|arg| arg == "--svg").map(|at| {
        let plot: Vec<String> = args.drain(at..args.len().min(at + 2)).collect();
        plot.concat().split_off("--svg".len())
    });
    println!(
        "| kernel | vISA | Gen | {} | MiB | growth |",
        STAGES.join(" | ")
    );
    println!("| --- |{}", " --: |".repeat(STAGES.len() + 4));
    let (files, names): (Vec<&String>, Vec<&String>) = args
        .iter()
        .partition(|arg| std::path::Path::new(arg).is_file());
    for file in &files {
        let name = file.rsplit('/').next().unwrap_or(file);
        if let Err(error) = table(&[(name.to_owned(), vec![file])]) {
            println!("{name}: {error}");
        }
    }
    let chosen =
        |family: &str| names.is_empty() || names.iter().any(|n| family.contains(n.as_str()));
    let families = FAMILIES.iter().map(|(family, _, sizes)| (*family, *sizes));
    let repeated = REPEATED.iter().map(|(family, _)| (*family, TIMES));
    let mut lines = Vec::new();
    for (family, sizes) in families.chain(repeated) {
        if !files.is_empty() || !chosen(family) {
            continue;
        }
        let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
        let kernels: Vec<(String, Vec<&str>)> = (sizes.iter())
            .map(|size| (format!("{size} {family}"), vec![family, size]))
            .collect();
        match table(&kernels) {
            Ok(points) if REPEATED.iter().any(|(name, _)| *name == family) => {
                lines.push((family, points));
            }
            Ok(_) => {}
            Err(error) => println!("{family}: {error}"),
        }
    }
    for (family, points) in &lines {
        let (start, slope, r2) = line(points);
        println!(
            "\n{family}: {:.2} ms and {:.2} us an instruction, R2 {r2:.4}",
            start * 1e3,
            slope * 1e6
        );
    }
    if let Some(path) = svg
        && let Err(error) = draw(&lines, &path)
    {
        println!("{path}: {error}");
    }
}
