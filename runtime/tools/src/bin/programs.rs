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

use std::process::ExitCode;

mod comparison;
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

use case::Case as Kept;
use comparison::{Case, Fault, Request};
use kiln_compile::Tier;
use kiln_emit::platform::Platform;
use kiln_exec::Program as Code;
use program::Program;

/// A program whose results are defined.
struct Drawn {
    program: Program,
    kept: Kept,
}

impl Drawn {
    fn of(program: Program) -> Option<Drawn> {
        let outcome = walk::walk(&program).ok()?;
        let kept = Kept::new(&program, &outcome);
        Some(Drawn { program, kept })
    }
}

impl std::fmt::Debug for Drawn {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let scopes = self.program.scopes.iter().map(|s| (&s.body, &s.subs));
        f.debug_list().entries(scopes).finish()
    }
}

impl Case for Drawn {
    const NAME: &'static str = "program";

    fn target(&self) -> &'static Platform {
        self.kept.target
    }

    fn file(&self) -> String {
        self.kept.write()
    }

    fn visa(&self) -> Option<String> {
        // The finalizer leaves calls by address to a linker.
        let text = &self.kept.text;
        (!text.contains("ifcall")).then(|| text.clone())
    }

    fn ours(&self) -> Vec<Fault> {
        let faults = variants(&self.kept).filter_map(|(limit, tier)| {
            let code = run::compile(&self.kept, limit, tier);
            Fault::of(&(limit, tier), code, |code| run::check(code, &self.kept))
        });
        faults.collect()
    }

    fn check_reference(&self, code: &[u8]) -> Result<(), String> {
        run::check(&Code::from_text(code, self.kept.target), &self.kept)
    }

    fn reduced(self, fails: impl Fn(&Self) -> bool) -> Self {
        let failing =
            |program: &Program| Drawn::of(program.clone()).is_some_and(|drawn| fails(&drawn));
        let program = reduce::reduce(self.program.clone(), failing);
        Drawn::of(program).unwrap_or(self)
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [command, files @ ..] = &args[..]
        && command == "check"
    {
        return check(files);
    }
    let (command, rest) = match args.split_first() {
        Some((what, rest)) if ["reduce", "keep", "write"].contains(&what.as_str()) => {
            (what.as_str(), rest)
        }
        _ => ("", &args[..]),
    };
    let Some(request) = Request::of(rest, ["", "write"].contains(&command)) else {
        eprintln!(
            "programs [reduce | keep | write] PLATFORM [COUNT] SEED FOLDER [FINALIZER]\nprograms check FILE..."
        );
        return ExitCode::FAILURE;
    };
    let draw = |seed| Drawn::of(draw::program(seed, request.target));
    match command {
        "reduce" => request.reduce(draw),
        "write" => write(&request),
        "keep" => match draw(request.seeds.start) {
            Some(drawn) => {
                request.write(&format!("program-{}", request.seeds.start), &drawn, "kept");
                ExitCode::SUCCESS
            }
            None => {
                println!("program {}: not defined", request.seeds.start);
                ExitCode::FAILURE
            }
        },
        _ => request.compare(draw),
    }
}

/// Writes the vISA of programs, of those too whose results are not defined.
fn write(request: &Request) -> ExitCode {
    for seed in request.seeds.clone() {
        let path = request.folder.join(format!("{seed:06}.visaasm"));
        if let Err(e) = std::fs::write(&path, draw::program(seed, request.target).text()) {
            eprintln!("{}: {e}", path.display());
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// The ways in which a program is compiled.
fn variants(case: &Kept) -> impl Iterator<Item = (u32, Tier)> {
    let limits = case.limits().iter();
    limits.flat_map(|&limit| run::TIERS.map(|tier| (limit, tier)))
}

fn check(files: &[String]) -> ExitCode {
    let mut wrong = 0;
    for file in files {
        let text = std::fs::read_to_string(file).map_err(|e| e.to_string());
        let case = text.and_then(|text| Kept::read(&text).ok_or("not a kept program".into()));
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
