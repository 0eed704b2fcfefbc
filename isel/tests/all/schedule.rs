//! Scheduling: by files of input and expected output, by running random functions before and after, and by the
//! pressure and the waits that result.

use std::path::Path;

use kiln_isel::{pairs, schedule};
use kiln_machine::func::Function;
use kiln_machine::graph::Graph;
use kiln_machine::pressure::pressure;
use kiln_machine::verify::{Level, verify};
use kiln_machine_testing::files;
use kiln_machine_testing::random::seeds;
use kiln_machine_testing::run::compare_in_any_order;

use crate::common::legal;

/// The most units that live at once, after pairs of values were put in one unit.
fn most(mut func: Function) -> u32 {
    pairs::run(&mut func);
    pressure(&func, &Graph::new(&func)).units.amount
}

#[test]
fn functions_do_what_they_did() {
    let mut moved = 0;
    for seed in 0..seeds() {
        let before = legal(seed);
        let mut after = before.clone();
        schedule::run(&mut after, 62);
        if let Err(e) = verify(&after, Level::Legal, None) {
            panic!("seed {seed}: {e}");
        }
        if let Err(e) = compare_in_any_order(&before, &after) {
            panic!("seed {seed}: {e}");
        }
        moved += u64::from(before.to_string() != after.to_string());
    }
    assert!(moved * 2 > seeds(), "{moved} of {}", seeds());
}

/// The pressure grows neither above its old value nor above the limit, however low that is; in one of a hundred functions
/// by a unit, since a pair of values that lives over several blocks counts as two units in all but the first.
#[test]
fn registers_suffice() {
    let mut above = 0;
    for seed in 0..seeds() {
        for units in [4, 8, 16] {
            let before = legal(seed);
            let mut after = before.clone();
            schedule::run(&mut after, units);
            let (old, new) = (most(before), most(after));
            assert!(
                new <= old.max(units) + 1,
                "seed {seed}, {units} units: {new} live, {old} before"
            );
            above += u64::from(new > old.max(units));
        }
    }
    assert!(above * 100 <= seeds(), "{above} of {}", seeds());
}

#[test]
fn files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes/schedule");
    files::check(&folder, Level::Legal, |func| {
        schedule::run(func, 62);
    });
}
