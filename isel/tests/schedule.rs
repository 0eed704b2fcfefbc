//! Scheduling: by files of input and expected output, by running random functions before and after, and by the
//! pressure and the waits that result.

mod common;

use std::path::Path;

use kiln_isel::{pairs, schedule};
use kiln_machine::func::{Block, BlockData, Function};
use kiln_machine::graph::Graph;
use kiln_machine::inst::VReg;
use kiln_machine::liveness::Liveness;
use kiln_machine::pressure::live_at;
use kiln_machine::testing::files;
use kiln_machine::testing::random::seeds;
use kiln_machine::testing::run::compare_in_any_order;
use kiln_machine::verify::{Level, verify};

use common::legal;

/// The most halves of units that live at once, if values that may share a unit take one.
fn most(func: &Function) -> usize {
    let live = Liveness::new(func, &Graph::new(func));
    let shares = pairs::candidates(func);
    let halves = |v: &VReg| if shares[v.as_u32() as usize] { 1 } else { 2 };
    let at = |(block, inst)| {
        let live = live_at(func, &live, block, inst);
        live.iter().map(halves).sum::<usize>()
    };
    let of =
        |(block, data): (Block, &BlockData)| (0..=data.insts.len()).map(move |inst| (block, inst));
    let places = func.blocks.iter().flat_map(of);
    places.map(at).max().unwrap_or(0)
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

/// The pressure grows neither above its old value nor above the limit, however low that is.
#[test]
fn registers_suffice() {
    for seed in 0..seeds() {
        for units in [4, 8, 16] {
            let before = legal(seed);
            let mut after = before.clone();
            schedule::run(&mut after, units);
            let (old, new) = (most(&before), most(&after));
            assert!(
                new <= old.max(2 * units as usize),
                "seed {seed}, {units} units: {new} halves live, {old} before"
            );
        }
    }
}

#[test]
fn files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes/schedule");
    files::check(&folder, Level::Legal, |func| {
        schedule::run(func, 62);
    });
}
