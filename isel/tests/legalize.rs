//! Legalization, by files of input and expected output.

use std::path::Path;

use kiln_isel::legalize;
use kiln_machine::testing::files;
use kiln_machine::verify::{Level, verify};

#[test]
fn instructions_become_legal() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes/legalize");
    files::check(&folder, Level::Wide, |func| {
        legalize::run(func).unwrap_or_else(|e| panic!("{e:?}"));
        verify(func, Level::Legal, None).unwrap_or_else(|e| panic!("{e}"));
    });
}
