//! Passes of the optimizer: by files of input and expected output, and by running random functions
//! before and after.

use std::path::Path;

use kiln_isel::opt::{self, PASSES};
use kiln_machine::func::Function;
use kiln_machine::graph::Graph;
use kiln_machine::testing::files;
use kiln_machine::testing::random::{Shape, function, seeds};
use kiln_machine::testing::run::compare;
use kiln_machine::verify::{Level, verify};

fn shape(seed: u64) -> Shape {
    Shape {
        level: Level::Wide,
        depth: seed as u32 % 3,
        length: 16,
        messages: seed.is_multiple_of(2),
    }
}

fn check(name: &str, seeds: std::ops::Range<u64>, pass: impl Fn(&mut Function)) {
    for seed in seeds {
        let before = function(seed, &shape(seed));
        let mut after = before.clone();
        pass(&mut after);
        if let Err(e) = verify(&after, Level::Wide, None) {
            panic!("{name}, seed {seed}: {e}\n{before}\n{after}");
        }
        if let Err(e) = compare(&before, &after) {
            panic!("{name}, seed {seed}: {e}\n{before}\n{after}");
        }
    }
}

#[test]
fn passes_keep_what_functions_do() {
    for pass in PASSES {
        check(pass.name, 0..seeds(), |func| {
            (pass.run)(func, &Graph::new(func))
        });
    }
}

#[test]
fn all_passes_together_keep_what_functions_do() {
    check("all", 1000..1000 + 2 * seeds(), |func| {
        opt::run(func, |_, _| {})
    });
}

#[test]
fn passes_do_something() {
    let count = |func: &Function| func.blocks.values().map(|b| b.insts.len()).sum::<usize>();
    for pass in PASSES.iter().filter(|p| p.name == "dead") {
        let (mut before, mut after) = (0, 0);
        for seed in 0..50 {
            let mut func = function(seed, &shape(seed));
            before += count(&func);
            let graph = Graph::new(&func);
            (pass.run)(&mut func, &graph);
            after += count(&func);
        }
        assert!(
            after * 10 < before * 9,
            "{}: {before} to {after}",
            pass.name
        );
    }
}

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
fn spread() {
    folder("spread", opt::spread::run);
}

#[test]
fn narrow() {
    folder("narrow", opt::narrow::run);
}
