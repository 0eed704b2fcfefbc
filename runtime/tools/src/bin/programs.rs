//! Random vISA programs: our code and the reference finalizer's against a walk of the program's tree.
//!
//! `programs PLATFORM COUNT SEED FOLDER [FINALIZER]`: COUNT programs; those whose results differ are written to FOLDER.
//! `programs reduce PLATFORM SEED FOLDER [FINALIZER]`: the program, reduced to what the error needs (an error of the
//! finalizer's code, if one is given and ours is right), is written to FOLDER.
//! `programs keep PLATFORM SEED FOLDER`: the program is written to FOLDER in the form of `corpus/programs/found`.
//! `programs write PLATFORM COUNT SEED FOLDER`: the vISA of COUNT programs is written to FOLDER, one file for each seed.
//! `programs check FILE...`: checks our code of programs in that form.
//!
//! Prints how many of our programs and of the reference's are wrong; fails if one of ours is.

use std::path::Path;
use std::process::ExitCode;

mod reference;

#[path = "../../../exec/tests/visa_ops/model.rs"]
mod model;
#[path = "../../../exec/tests/visa_ops/ops.rs"]
mod ops;
#[path = "../../../exec/tests/visa_ops/random.rs"]
mod random;

#[path = "../../../exec/tests/programs/case.rs"]
mod case;
#[path = "../../../exec/tests/programs/draw.rs"]
mod draw;
#[path = "../../../exec/tests/programs/program.rs"]
mod program;
#[path = "../../../exec/tests/programs/reduce.rs"]
mod reduce;
#[path = "../../../exec/tests/programs/run.rs"]
mod run;
#[path = "../../../exec/tests/programs/text.rs"]
mod text;
#[path = "../../../exec/tests/programs/walk.rs"]
mod walk;

use case::Case;
use kiln_compile::Tier;
use kiln_emit::platform::{self, Platform};
use kiln_exec::Program as Code;
use program::Program;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [command, files @ ..] = &args[..]
        && command == "check"
    {
        return check(files);
    }
    let (command, args) = match args.first().map(String::as_str) {
        Some(what @ ("reduce" | "keep" | "write")) => (Some(what), &args[1..]),
        _ => (None, &args[..]),
    };
    let target = args.first().and_then(|name| platform::find(name));
    let numbers = args.iter().skip(1).map_while(|n| n.parse().ok());
    let numbers: Vec<u64> = numbers.collect();
    let (target, count, seed, rest) = match (target, command, &numbers[..]) {
        (Some(target), Some("reduce" | "keep"), [seed]) => (target, 1, *seed, &args[2..]),
        (Some(target), None | Some("write"), [count, seed]) => (target, *count, *seed, &args[3..]),
        _ => {
            eprintln!(
                "programs [reduce | keep | write] PLATFORM [COUNT] SEED FOLDER [FINALIZER]\nprograms check FILE..."
            );
            return ExitCode::FAILURE;
        }
    };
    let Some(folder) = rest.first().map(Path::new) else {
        eprintln!("a folder for what fails is missing");
        return ExitCode::FAILURE;
    };
    let finalizer = rest.get(1).map(Path::new);
    match command {
        Some("reduce") => return reduce_to_file(target, seed, folder, finalizer),
        Some("write") => return write(target, folder, seed..seed + count),
        Some(_) => return keep(target, folder, seed),
        None => {}
    }
    let (mut tried, mut refused, mut wrong) = (0u64, 0, 0);
    let (mut reference_refused, mut reference_wrong) = (0, 0);
    for seed in seed..seed + count {
        let program = draw::program(seed, target);
        let Some(case) = case_of(&program) else {
            continue;
        };
        tried += 1;
        let keep = |what: &str| {
            let path = folder.join(format!("program-{}.visaasm", program.seed));
            match std::fs::write(&path, case.write()) {
                Ok(()) => println!("{}: {what}", path.display()),
                Err(e) => println!("program {}: {what} (not kept: {e})", program.seed),
            }
        };
        for (limit, tier) in variants(&case) {
            match run::compile(&case, limit, tier) {
                Err(what) => {
                    refused += 1;
                    keep(&format!("{limit} GRFs, {tier:?}: not compiled: {what}"));
                }
                Ok(code) => {
                    if let Err(what) = run::check(&code, &case) {
                        wrong += 1;
                        keep(&format!("{limit} GRFs, {tier:?}: {what}"));
                    }
                }
            }
        }
        if let Some(finalizer) = finalizer
            // The finalizer leaves calls by address to a linker.
            && !case.text.contains("ifcall")
        {
            match reference::finalize(finalizer, folder, target, &case.text) {
                None => reference_refused += 1,
                Some(code) => {
                    if let Err(what) = run::check(&Code::from_text(&code, target), &case) {
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

/// Writes the vISA of programs, of those too whose results are not defined.
fn write(target: &'static Platform, folder: &Path, seeds: std::ops::Range<u64>) -> ExitCode {
    for seed in seeds {
        let path = folder.join(format!("{seed:06}.visaasm"));
        if let Err(e) = std::fs::write(&path, draw::program(seed, target).text()) {
            eprintln!("{}: {e}", path.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// The expected results of a program, if they are defined.
fn case_of(program: &Program) -> Option<Case> {
    let outcome = walk::walk(program).ok()?;
    Some(Case::new(program, &outcome))
}

/// The ways in which a program is compiled.
fn variants(case: &Case) -> impl Iterator<Item = (u32, Tier)> {
    let limits = case.limits().iter();
    limits.flat_map(|&limit| run::TIERS.map(|tier| (limit, tier)))
}

fn check(files: &[String]) -> ExitCode {
    let mut wrong = 0;
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|e| e.to_string());
        let case = text.and_then(|text| Case::read(&text).ok_or("not a kept program".into()));
        let result = case.and_then(|case| {
            let right = |(limit, tier)| run::check(&run::compile(&case, limit, tier)?, &case);
            variants(&case).try_for_each(right)
        });
        match &result {
            Ok(()) => println!("{file}: right"),
            Err(what) => println!("{file}: {what}"),
        }
        wrong += usize::from(result.is_err());
    }
    ExitCode::from(u8::from(wrong > 0))
}

/// Writes the program of a seed in the form of `corpus/programs/found`.
fn keep(target: &'static Platform, folder: &Path, seed: u64) -> ExitCode {
    let Some(case) = case_of(&draw::program(seed, target)) else {
        println!("program {seed}: not defined");
        return ExitCode::FAILURE;
    };
    let path = folder.join(format!("program-{seed}.visaasm"));
    match std::fs::write(&path, case.write()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            println!("{}: {e}", path.display());
            ExitCode::FAILURE
        }
    }
}

/// Reduces a program that our code, or else the reference's, computes wrong.
fn reduce_to_file(
    target: &'static Platform,
    seed: u64,
    folder: &Path,
    finalizer: Option<&Path>,
) -> ExitCode {
    let ours = |program: &Program| {
        let case = case_of(program)?;
        variants(&case).find_map(|(limit, tier)| {
            let code = run::compile(&case, limit, tier);
            code.and_then(|code| run::check(&code, &case)).err()
        })
    };
    let theirs = |program: &Program| {
        let case = case_of(program)?;
        let code = reference::finalize(finalizer?, folder, target, &case.text)?;
        run::check(&Code::from_text(&code, target), &case).err()
    };
    let program = draw::program(seed, target);
    let (whose, program, what) = if let Some(first) = ours(&program) {
        // Errors of the same kind: wrong result, wrong allocation, not compiled.
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
    match std::fs::write(
        &path,
        case_of(&program).map_or_else(String::new, |case| case.write()),
    ) {
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
