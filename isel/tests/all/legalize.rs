//! Legalization, by files of input and expected output, and on random functions.

use std::path::Path;

use kiln_isel::legalize;
use kiln_machine::verify::{Level, verify};
use kiln_machine_testing::files;
use kiln_machine_testing::random::{functions, seeds};
use kiln_machine_testing::run::compare;

#[test]
fn instructions_become_legal() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes/legalize");
    files::check(&folder, Level::Wide, |func| {
        legalize::run(func).unwrap_or_else(|e| panic!("{e:?}"));
        verify(func, Level::Legal, None).unwrap_or_else(|e| panic!("{e}"));
    });
}

#[test]
fn legal_code_does_the_same() {
    for (seed, before) in functions(Level::Wide, seeds()) {
        let mut after = before.clone();
        legalize::run(&mut after).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
        compare(&before, &after).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{before}\n{after}"));
    }
}
