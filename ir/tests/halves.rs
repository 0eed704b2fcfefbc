//! The IR that two threads make is that of one.

use std::path::{Path, PathBuf};

use kiln_frontend::module::Object;
use kiln_frontend::text;
use kiln_ir::build::{BuildOptions, build_with};
use kiln_ir::cfg::CfgError;
use kiln_ir::subroutines::{Which, prepare};
use kiln_target::platform::SKL;

/// All that there is of the IR of an object, as text, and whether it has several routines.
fn ir(object: &Object, halves_from: usize) -> Result<(String, bool), CfgError> {
    let options = BuildOptions {
        halves_from,
        ..BuildOptions::default()
    };
    let func = build_with(object, &SKL, options)?;
    let text = format!(
        "{func}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}\n{:?}",
        func.blocks,
        func.cells,
        func.homes,
        func.values,
        func.routines,
        func.calls,
        func.insts,
        func.read_pool,
        func.write_pool,
    );
    Ok((text, func.routines.len() > 1))
}

/// Compares both ways; gives whether there is an IR, and whether of several routines.
fn compare(object: &Object, what: &Path) -> (usize, usize) {
    match (ir(object, 0), ir(object, usize::MAX)) {
        (Ok(two), Ok(one)) => {
            assert!(two == one, "{}", what.display());
            (1, usize::from(one.1))
        }
        (two, one) => {
            let errors = [two, one].map(|of| of.err().map(|e| e.to_string()));
            assert_eq!(errors[0], errors[1], "{}", what.display());
            (0, 0)
        }
    }
}

fn texts(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(texts(&path)),
            false if path.extension().is_some_and(|e| e == "visaasm") => files.push(path),
            false => {}
        }
    }
    files
}

#[test]
fn halves_are_the_whole() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut compared, mut several) = (0, 0);
    for file in [
        "examples",
        "runtime/tests/kernels",
        "runtime/tests/programs",
    ]
    .iter()
    .flat_map(|folder| texts(&root.join(folder)))
    {
        let Ok(module) = text::parse(&std::fs::read_to_string(&file).unwrap()) else {
            continue;
        };
        for object in &module.objects {
            let prepared = prepare(object, Which::Few).ok().flatten();
            let object = prepared.as_ref().unwrap_or(object);
            let (any, calls) = compare(object, &file);
            compared += any;
            several += calls;
        }
    }
    assert!(compared > 200 && several > 5, "{compared} {several}");
}
