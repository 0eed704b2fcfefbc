//! Divergent control flow: branches of channels where the rules for them hold, else masks.

use kiln_frontend::opcode::Opcode;
use kiln_genx::{Options, compile};
use kiln_target::platform::PLATFORMS;

/// Branches of channels in the vISA of a program of the runtime's tests.
fn branches(name: &str) -> usize {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../runtime/tests/genx");
    let text = std::fs::read(format!("{folder}/{name}/{name}.ll")).expect("a program");
    let platform = PLATFORMS.iter().find(|p| p.name == "skl").expect("skl");
    let options = Options {
        platform,
        variant: None,
    };
    let compiled = compile(&text, &options).expect("vISA");
    let objects = compiled.visa.objects.iter();
    let insts = objects.flat_map(|object| &object.insts);
    insts.filter(|inst| inst.op == Opcode::Goto).count()
}

#[test]
fn branches_of_channels_stay_where_the_rules_hold() {
    assert_eq!(branches("simdcf_if"), 2);
    assert_eq!(branches("simdcf_collatz"), 1);
    assert_eq!(branches("simdcf_nested"), 2);
}

#[test]
fn masks_take_their_place_elsewhere() {
    assert_eq!(branches("simdcf_masks"), 0);
}
