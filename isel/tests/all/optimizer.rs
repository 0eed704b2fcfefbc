//! Passes of the optimizer, by files of input and expected output.

use std::path::Path;

use kiln_isel::opt;
use kiln_machine::func::Function;
use kiln_machine::graph::Graph;
use kiln_machine::verify::Level;
use kiln_machine_testing::files;

fn folder(pass: &str, run: impl Fn(&mut Function)) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes");
    files::check(&folder.join(pass), Level::Wide, run);
}

#[test]
fn copies() {
    folder("copies", |func| opt::copies::run(func, &Graph::new(func)));
}

#[test]
fn identities() {
    folder("identities", |func| {
        opt::identities::run(func, &Graph::new(func))
    });
}

#[test]
fn dead() {
    folder("dead", |func| opt::dead::run(func, &Graph::new(func)));
}

#[test]
fn invariants() {
    folder("invariants", |func| {
        opt::invariants::run(func, &Graph::new(func))
    });
}

#[test]
fn values() {
    folder("values", |func| opt::values::run(func, &Graph::new(func)));
}

#[test]
fn conditions() {
    folder("conditions", opt::conditions::run);
}

#[test]
fn arrays() {
    folder("arrays", opt::arrays::run);
}

#[test]
fn destinations() {
    folder("destinations", |func| {
        opt::destinations::run(func, &Graph::new(func))
    });
}

#[test]
fn flags() {
    folder("flags", opt::flags::run);
}

#[test]
fn scattered() {
    folder("scattered", opt::scattered::run);
}

#[test]
fn widen_slots() {
    folder("widen-slots", opt::widen_slots::run);
}

#[test]
fn narrow() {
    folder("narrow", opt::narrow::run);
}
