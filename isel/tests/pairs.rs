//! Narrow values two to a unit: by files of input and expected output, by running random functions before and
//! after, and by what it is for.

use std::path::Path;

use kiln_isel::{legalize, pairs};
use kiln_machine::func::Function;
use kiln_machine::graph::Graph;
use kiln_machine::liveness::Liveness;
use kiln_machine::pressure::pressure;
use kiln_machine::testing::files;
use kiln_machine::testing::random::{Shape, function};
use kiln_machine::testing::run::compare;
use kiln_machine::verify::{Level, verify};

/// How many random functions each property is tried on; more with `SEEDS`.
fn seeds() -> u64 {
    let seeds = std::env::var("SEEDS").ok();
    seeds.and_then(|n| n.parse().ok()).unwrap_or(400)
}

/// A legal function, alternately made so and made legal.
fn legal(seed: u64) -> Function {
    let level = match seed.is_multiple_of(2) {
        true => Level::Wide,
        false => Level::Legal,
    };
    let shape = Shape {
        level,
        depth: seed as u32 % 3,
        length: 24,
        messages: !seed.is_multiple_of(3),
    };
    let mut func = function(seed, &shape);
    if level == Level::Wide {
        legalize::run(&mut func).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
    }
    func
}

/// Of random functions: they do what they did, and no more units live than did before.
#[test]
fn functions_do_what_they_did_in_no_more_units() {
    let most = |func: &Function| {
        let live = Liveness::new(func, &Graph::new(func));
        pressure(func, &live).units.amount
    };
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
