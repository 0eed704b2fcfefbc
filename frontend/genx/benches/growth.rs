//! Times of the front end for modules of LLVM IR, and how they grow with twice the length.
//!
//! `cargo bench -p kiln-genx` prints a table. Each time is the least of several.

use std::fmt::Write;
use std::time::Instant;

use kiln_genx::{Options, compile, read};
use kiln_platform::platform::PLATFORMS;

const HEAD: &str = "target datalayout = \"e-p:64:64-i64:64-n8:16:32\"
target triple = \"spir64-unknown-unknown\"
declare <16 x i32> @llvm.genx.svm.block.ld.v16i32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v16i32(i64, <16 x i32>)
declare <256 x i32> @llvm.genx.svm.block.ld.v256i32.i64(i64)
declare void @llvm.genx.svm.block.st.i64.v256i32(i64, <256 x i32>)
define spir_kernel void @k(i64 %p, i32 %n) #0 {
";
const TAIL: &str = "  ret void\n}\nattributes #0 = { \"VCFunction\" }\n";
/// Instructions of the shorter module of a pair.
const LENGTH: usize = 10_000;
const ROUNDS: usize = 9;
/// Bytes of the text that is only read.
const TEXT: usize = 10 << 20;

/// Makes a module of about so many instructions.
type Make = fn(usize) -> String;

/// Sums and products of vectors, each of the last value and one of some before.
fn arithmetic(length: usize, lanes: usize) -> String {
    let mut text = format!(
        "{HEAD}  %v0 = call <{lanes} x i32> @llvm.genx.svm.block.ld.v{lanes}i32.i64(i64 %p)\n"
    );
    for i in 1..length {
        let op = ["add", "mul", "xor", "sub"][i % 4];
        let (last, before) = (i - 1, i.saturating_sub(7));
        let _ = writeln!(text, "  %v{i} = {op} <{lanes} x i32> %v{last}, %v{before}");
    }
    let last = length - 1;
    let _ = writeln!(
        text,
        "  call void @llvm.genx.svm.block.st.i64.v{lanes}i32(i64 %p, <{lanes} x i32> %v{last})"
    );
    text + TAIL
}

fn straight(length: usize) -> String {
    arithmetic(length, 16)
}

fn wide(length: usize) -> String {
    arithmetic(length / 8, 256)
}

/// Loops one after the other, of some instructions each.
fn loops(length: usize) -> String {
    let mut text = format!("{HEAD}  br label %l0\n");
    let count = length / 5;
    for i in 0..count {
        let (before, value) = match i {
            0 => ("0".to_owned(), "%n".to_owned()),
            _ => (format!("l{}", i - 1), format!("%s{}", i - 1)),
        };
        let before = if i == 0 {
            "%0".to_owned()
        } else {
            format!("%{before}")
        };
        let next = if i + 1 == count {
            "end".to_owned()
        } else {
            format!("l{}", i + 1)
        };
        let _ = writeln!(
            text,
            "l{i}:\n  %a{i} = phi i32 [ {value}, {before} ], [ %s{i}, %l{i} ]\n  %i{i} = phi i32 [ 0, {before} ], [ %j{i}, %l{i} ]\n  %s{i} = add i32 %a{i}, %i{i}\n  %j{i} = add i32 %i{i}, 1\n  %c{i} = icmp ult i32 %j{i}, %n\n  br i1 %c{i}, label %l{i}, label %{next}"
        );
    }
    let _ = writeln!(text, "end:\n  {}", stored(&format!("%s{}", count - 1)));
    text + TAIL
}

/// Branches whose values meet in phis.
fn phis(length: usize) -> String {
    let mut text = format!("{HEAD}  br label %b0\n");
    let count = length / 6;
    for i in 0..count {
        let value = if i == 0 {
            "%n".to_owned()
        } else {
            format!("%p{}", i - 1)
        };
        let next = if i + 1 == count {
            "end".to_owned()
        } else {
            format!("b{}", i + 1)
        };
        let _ = writeln!(
            text,
            "b{i}:\n  %c{i} = icmp ugt i32 {value}, {i}\n  br i1 %c{i}, label %y{i}, label %z{i}\ny{i}:\n  %a{i} = add i32 {value}, 3\n  br label %j{i}\nz{i}:\n  %x{i} = mul i32 {value}, 5\n  br label %j{i}\nj{i}:\n  %p{i} = phi i32 [ %a{i}, %y{i} ], [ %x{i}, %z{i} ]\n  br label %{next}"
        );
    }
    let _ = writeln!(text, "end:\n  {}", stored(&format!("%p{}", count - 1)));
    text + TAIL
}

/// Code that stores a scalar.
fn stored(value: &str) -> String {
    format!(
        "%out = insertelement <16 x i32> zeroinitializer, i32 {value}, i32 0\n  call void @llvm.genx.svm.block.st.i64.v16i32(i64 %p, <16 x i32> %out)"
    )
}

/// Seconds of the fastest of some rounds of each: these alternate, so that other work on the machine slows all of them.
fn least<const N: usize>(runs: [&dyn Fn(); N]) -> [f64; N] {
    let mut least = [f64::MAX; N];
    for _ in 0..ROUNDS {
        for (least, run) in least.iter_mut().zip(runs) {
            let start = Instant::now();
            run();
            *least = least.min(start.elapsed().as_secs_f64());
        }
    }
    least
}

fn main() {
    let options = Options::new(PLATFORMS.iter().find(|p| p.name == "skl").expect("skl"));
    let compiled = |text: &str| {
        if let Err(error) = compile(text.as_bytes(), &options) {
            panic!("{}: {error}", error.loc);
        }
    };
    let shapes: [(&str, Make); 4] = [
        ("straight line", straight),
        ("loops", loops),
        ("phis", phis),
        ("wide vectors", wide),
    ];
    println!("| | {LENGTH} instructions, ms | twice, ms | times |\n|---|---|---|---|");
    for (name, make) in shapes {
        let (short, long) = (make(LENGTH), make(2 * LENGTH));
        let [once, twice] = least([&|| compiled(&short), &|| compiled(&long)]);
        let (a, b) = (once * 1e3, twice * 1e3);
        println!("| {name} | {a:.1} | {b:.1} | {:.2} |", twice / once);
    }
    let mut text = straight(TEXT / 40);
    text.truncate(text.floor_char_boundary(text.len()));
    let [read] = least([&|| {
        if let Err(error) = read(text.as_bytes()) {
            panic!("{}: {error}", error.loc);
        }
    }]);
    let megabytes = text.len() as f64 / f64::from(1 << 20);
    println!(
        "\n{megabytes:.1} MB of text are read in {:.0} ms",
        read * 1e3
    );
}
