//! Random vISA programs: our code and the reference finalizer's against a walk of the program's tree.
//!
//! `programs COUNT SEED FOLDER [FINALIZER]`: programs of so many seeds; those whose results differ are written
//! to FOLDER.
//! `programs reduce SEED FOLDER [FINALIZER]`: the program, with all taken out that what is wrong does not need
//! (in the finalizer's code, if one is given and ours is right), is written to FOLDER.
//! Prints how many of our programs and of the reference's are wrong; fails if one of ours is.

use std::path::Path;
use std::process::ExitCode;

mod reference;

#[path = "../tests/visa_ops/model.rs"]
mod model;
#[path = "../tests/visa_ops/ops.rs"]
mod ops;
#[path = "../tests/visa_ops/random.rs"]
mod random;

#[path = "../tests/programs/draw.rs"]
mod draw;
#[path = "../tests/programs/program.rs"]
mod program;
#[path = "../tests/programs/reduce.rs"]
mod reduce;
#[path = "../tests/programs/run.rs"]
mod run;
#[path = "../tests/programs/text.rs"]
mod text;
#[path = "../tests/programs/walk.rs"]
mod walk;

use kiln_runtime::exec::Program as Code;
use program::{By, Program, Stmt};
use walk::Outcome;

/// The dword at a byte.
fn bits(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (reduced, args) = match args.first() {
        Some(what) if what == "reduce" => (true, &args[1..]),
        _ => (false, &args[..]),
    };
    let numbers: Vec<u64> = args.iter().map_while(|n| n.parse().ok()).collect();
    let (count, seed, rest) = match (reduced, &numbers[..]) {
        (true, [seed]) => (1, *seed, &args[1..]),
        (false, [count, seed]) => (*count, *seed, &args[2..]),
        _ => {
            eprintln!("programs [reduce | COUNT] SEED FOLDER [FINALIZER]");
            return ExitCode::FAILURE;
        }
    };
    let Some(folder) = rest.first().map(Path::new) else {
        eprintln!("a folder for what fails is missing");
        return ExitCode::FAILURE;
    };
    let finalizer = rest.get(1).map(Path::new);
    if reduced {
        return reduce_to_file(seed, folder, finalizer);
    }
    let (mut tried, mut refused, mut wrong) = (0u64, 0, 0);
    let (mut reference_refused, mut reference_wrong) = (0, 0);
    for seed in seed..seed + count {
        let program = draw::program(seed);
        let Ok(expected) = walk::walk(&program) else {
            continue;
        };
        tried += 1;
        let text = program.text();
        let keep = |what: &str| {
            let path = folder.join(format!("program-{}.visaasm", program.seed));
            match std::fs::write(&path, &text) {
                Ok(()) => println!("{}: {what}", path.display()),
                Err(e) => println!("program {}: {what} (not kept: {e})", program.seed),
            }
        };
        for limit in program.limits() {
            match run::compile(&program, &text, *limit) {
                Err(what) => {
                    refused += 1;
                    keep(&format!("{limit} GRFs: not compiled: {what}"));
                }
                Ok(code) => {
                    if let Err(what) = right(&code, &program, &expected) {
                        wrong += 1;
                        keep(&format!("{limit} GRFs: {what}"));
                    }
                }
            }
        }
        if let Some(finalizer) = finalizer
            && !calls_by_address(&program)
        {
            match reference::finalize(finalizer, folder, &text) {
                None => reference_refused += 1,
                Some(code) => {
                    if let Err(what) =
                        right(&Code::from_text(&code, run::skl()), &program, &expected)
                    {
                        reference_wrong += 1;
                        keep(&format!("the reference's code: {what}"));
                    }
                }
            }
        }
    }
    let reference = match finalizer {
        Some(_) => format!(
            ", {reference_refused} refused by the reference, {reference_wrong} wrong in its code"
        ),
        None => String::new(),
    };
    println!(
        "total: {count} seeds, {tried} programs, {refused} of our codes refused, {wrong} wrong{reference}"
    );
    ExitCode::from(u8::from(refused + wrong > 0))
}

/// Whether a function is called by its address: the reference finalizer leaves these calls to a linker.
fn calls_by_address(program: &Program) -> bool {
    program.scopes.iter().any(|scope| {
        let subs = scope.subs.iter().map(|sub| &sub.body);
        subs.chain([&scope.body]).any(|body| by_address(body))
    })
}

fn by_address(block: &[Stmt]) -> bool {
    block.iter().any(|stmt| match stmt {
        Stmt::Function { by, .. } => matches!(by, By::Address { .. }),
        Stmt::If { then, other, .. } => by_address(then) || by_address(other),
        Stmt::Loop { body, step, .. } => by_address(body) || by_address(step),
        _ => false,
    })
}

fn right(code: &Code, program: &Program, expected: &Outcome) -> Result<(), String> {
    run::compare(&run::run(code, program)?, program, expected)
}

/// Reduces a program to what is wrong in our code, or else in the reference's.
fn reduce_to_file(seed: u64, folder: &Path, finalizer: Option<&Path>) -> ExitCode {
    let ours = |program: &Program| {
        let expected = walk::walk(program).ok()?;
        let text = program.text();
        program.limits().iter().find_map(|limit| {
            let code = run::compile(program, &text, *limit);
            code.and_then(|code| right(&code, program, &expected)).err()
        })
    };
    let theirs = |program: &Program| {
        let expected = walk::walk(program).ok()?;
        let code = reference::finalize(finalizer?, folder, &program.text())?;
        right(&Code::from_text(&code, run::skl()), program, &expected).err()
    };
    let program = draw::program(seed);
    let (whose, program, what) = if let Some(first) = ours(&program) {
        // The same kind of fault: wrong, wrongly allocated, or not compiled.
        let kind = |what: &str| {
            let kinds = [" found", "allocation", "subroutine", "not supported"];
            kinds.iter().position(|kind| what.contains(kind))
        };
        let fails = |p: &Program| ours(p).is_some_and(|what| kind(&what) == kind(&first));
        let program = reduce::reduce(program, fails);
        let what = ours(&program);
        ("ours", program, what)
    } else {
        let program = reduce::reduce(program, |p| theirs(p).is_some());
        let what = theirs(&program);
        ("the reference's", program, what)
    };
    let Some(what) = what else {
        println!("program {seed}: nothing is wrong");
        return ExitCode::FAILURE;
    };
    let path = folder.join(format!("program-{seed}-reduced.visaasm"));
    match std::fs::write(&path, program.text()) {
        Ok(()) => println!("{}: {whose}: {what}", path.display()),
        Err(e) => println!("program {seed}: {whose}: {what} (not kept: {e})"),
    }
    println!(
        "{:#?}",
        program
            .scopes
            .iter()
            .map(|s| (&s.body, &s.subs))
            .collect::<Vec<_>>()
    );
    ExitCode::SUCCESS
}
