//! The part of `.ci/roundtrip` that needs no other tool.
//!
//! With two arguments, writes our text of the first into the second, by way of an object if the format can express it,
//! and prints `object` or `text`. Without arguments, reads every file named on standard input, writes its module in
//! both forms, reads these, and compares:
//!
//! - text -> module -> text -> module: equal;
//! - module -> object -> module: equal except for the version, if the object format lacks that of the text; and object
//!   -> module -> object: identical bytes;
//! - an object is identical to the one written from its module.

use std::fs;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use kiln_visa::binary::{self, ReadErrorKind, read, write};
use kiln_visa::module::Module;
use kiln_visa::print::print;
use kiln_visa::text::parse;

/// Result for one file.
enum Outcome {
    Good,
    /// The object format cannot express it.
    TextOnly,
    /// The object lacks operands.
    Defective,
}

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    match arguments.as_slice() {
        [] => compare_all(),
        [input, output] => match rewrite(input, output) {
            Ok(way) => {
                println!("{way}");
                ExitCode::SUCCESS
            }
            Err(error) => {
                eprintln!("{}: {error}", input.display());
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("usage: roundtrip [INPUT OUTPUT]");
            ExitCode::from(2)
        }
    }
}

fn rewrite(input: &Path, output: &Path) -> Result<&'static str, String> {
    let source = fs::read_to_string(input).map_err(|e| e.to_string())?;
    let module = parse(&source).map_err(|e| e.to_string())?;
    let (module, way) = match write(&module) {
        Ok(bytes) => {
            let mut again = read(&bytes).map_err(|e| e.to_string())?;
            again.version = module.version;
            (again, "object")
        }
        Err(_) => (module, "text"),
    };
    fs::write(output, print(&module)).map_err(|e| e.to_string())?;
    Ok(way)
}

fn compare_all() -> ExitCode {
    let (mut good, mut text_only, mut defective, mut bad) = (0, 0, 0, 0);
    for path in io::stdin().lock().lines().map_while(Result::ok) {
        match round_trip(Path::new(&path)) {
            Ok(Outcome::Good) => good += 1,
            Ok(Outcome::TextOnly) => text_only += 1,
            Ok(Outcome::Defective) => defective += 1,
            Err(error) => {
                eprintln!("{path}: {error}");
                bad += 1;
            }
        }
    }
    println!(
        "roundtrip: modules: {good} equal in both forms, {text_only} in text alone, \
         {bad} not; {defective} objects lack operands"
    );
    ExitCode::from(u8::from(bad > 0))
}

fn round_trip(path: &Path) -> Result<Outcome, String> {
    let bytes = fs::read(path).map_err(|e| e.to_string())?;
    if path.extension().is_some_and(|e| e == "isa") {
        let module = match read(&bytes) {
            Ok(module) => module,
            Err(e) if matches!(e.kind, ReadErrorKind::OperandsMissing { .. }) => {
                return Ok(Outcome::Defective);
            }
            Err(e) => return Err(e.to_string()),
        };
        text(&module)?;
        return object(module, Some(&bytes));
    }
    let source = String::from_utf8(bytes).map_err(|e| e.to_string())?;
    let module = parse(&source).map_err(|e| e.to_string())?;
    text(&module)?;
    object(module, None)
}

fn text(module: &Module) -> Result<(), String> {
    let again = parse(&print(module)).map_err(|e| format!("our text: {e}"))?;
    same(&again == module, "the module of our text is another")
}

fn object(mut module: Module, original: Option<&[u8]>) -> Result<Outcome, String> {
    let Ok(bytes) = write(&module) else {
        return Ok(Outcome::TextOnly);
    };
    let identical = original.is_none_or(|original| original == bytes);
    same(
        identical,
        "our object is another than the one that was read",
    )?;
    let again = read(&bytes).map_err(|e| format!("our object: {e}"))?;
    module.version = module.version.min(binary::NEWEST);
    same(again == module, "the module of our object is another")?;
    let twice = write(&again).map_err(|e| format!("our object: {e}"))?;
    same(
        twice == bytes,
        "an object that was read is written otherwise",
    )?;
    Ok(Outcome::Good)
}

fn same(holds: bool, otherwise: &str) -> Result<(), String> {
    holds.then_some(()).ok_or_else(|| otherwise.to_owned())
}
