//! Tests of passes as files.
//!
//! A file `NAME.machine` has a function, a line of [`MARKER`], and the expected output of a pass. With the
//! environment variable `UPDATE` set to 1 the expected output is written instead of compared.

use std::fs;
use std::path::Path;

use crate::parse::parse;
use kiln_machine::func::Function;
use kiln_machine::verify::{Level, verify};

/// The line between input and expected output.
pub const MARKER: &str = "=====";

/// Runs `pass` on every file of a folder.
///
/// # Panics
/// A file cannot be read, has no expected output, or another one than the pass makes; or the folder has no files.
pub fn check(folder: &Path, level: Level, pass: impl Fn(&mut Function)) {
    let update = std::env::var("UPDATE").is_ok_and(|v| v == "1");
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "{}: no files", folder.display());
    let mut wrong = Vec::new();
    for path in &paths {
        let name = path.display();
        assert!(
            path.extension().is_some_and(|e| e == "machine"),
            "{name}: not a test"
        );
        let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{name}: {e}"));
        let marker = format!("\n{MARKER}\n");
        let (input, expected) = match text.split_once(&marker) {
            Some((input, expected)) => (input, Some(expected)),
            None => (text.trim_end_matches('\n'), None),
        };
        let mut func = parse(input).unwrap_or_else(|e| panic!("{name}:{e}"));
        verify(&func, level, None).unwrap_or_else(|e| panic!("{name}: {e}"));
        pass(&mut func);
        verify(&func, level, None)
            .unwrap_or_else(|e| panic!("{name}: after the pass: {e}\n{func}"));
        let found = func.to_string();
        if update {
            let text = format!("{input}{marker}{found}");
            fs::write(path, text).unwrap_or_else(|e| panic!("{name}: {e}"));
        } else if expected != Some(found.as_str()) {
            wrong.push(format!("{name}: found\n{found}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}\nUPDATE=1 writes what was found",
        wrong.join("\n")
    );
}
