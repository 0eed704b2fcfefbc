//! Pairs of narrow values: by files of input and expected output, by running random functions before and after, and
//! by the pressure that results.

use std::path::Path;

use kiln_isel::pairs;
use kiln_machine::func::Function;
use kiln_machine::graph::Graph;
use kiln_machine::pressure::pressure;
use kiln_machine::verify::{Level, verify};
use kiln_machine_testing::files;
use kiln_machine_testing::random::seeds;
use kiln_machine_testing::run::compare;

use crate::common::legal;

/// Random functions keep their effects, and their pressure does not grow.
#[test]
fn functions_do_what_they_did_in_no_more_units() {
    let most = |func: &Function| pressure(func, &Graph::new(func)).units.amount;
    let (mut changed, mut fewer) = (0, 0);
    for seed in 0..seeds() {
        let before = legal(seed);
        let mut after = before.clone();
        pairs::run(&mut after);
        if let Err(e) = verify(&after, Level::Legal, None) {
            panic!("seed {seed}: {e}");
        }
        if let Err(e) = compare(&before, &after) {
            panic!("seed {seed}: {e}");
        }
        let (old, new) = (most(&before), most(&after));
        assert!(new <= old, "seed {seed}: {new} live, {old} before");
        changed += u64::from(before.to_string() != after.to_string());
        fewer += u64::from(new < old);
    }
    assert!(changed * 4 > seeds(), "{changed} of {} changed", seeds());
    assert!(fewer > 0);
}

#[test]
fn files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes/pairs");
    files::check(&folder, Level::Legal, pairs::run);
}
