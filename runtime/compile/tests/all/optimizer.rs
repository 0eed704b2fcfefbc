//! Passes of the optimizer: random functions give the same results before and after them.

use kiln_compile::passes::{PASSES, optimize};
use kiln_machine::func::Function;
use kiln_machine::verify::{Level, verify};
use kiln_machine_testing::random::{Shape, function, seeds};
use kiln_machine_testing::run::compare;

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
    let passes = PASSES.iter().filter(|pass| pass.is_optimization());
    assert!(passes.clone().count() > 10);
    for pass in passes {
        check(pass.name, 0..seeds(), |func| optimize(&[pass], func));
    }
}

#[test]
fn all_passes_together_keep_what_functions_do() {
    check("all", 1000..1000 + 2 * seeds(), |func| {
        let passes = PASSES.iter().filter(|pass| pass.is_optimization());
        optimize(&passes.collect::<Vec<_>>(), func);
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
            optimize(&[pass], &mut func);
            after += count(&func);
        }
        assert!(
            after * 10 < before * 9,
            "{}: {before} to {after}",
            pass.name
        );
    }
}
