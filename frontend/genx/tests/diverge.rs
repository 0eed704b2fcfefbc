//! Divergent control flow: branches of channels where the rules for them hold, else masks.

use kiln_genx::{Options, compile};
use kiln_platform::platform::PLATFORMS;
use kiln_visa::opcode::Opcode;

/// Branches of channels in the vISA of a program of the runtime's tests, and the warnings.
fn compiled(name: &str) -> (usize, Vec<String>) {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/genx");
    let text = std::fs::read(format!("{folder}/{name}/{name}.ll")).expect("a program");
    let platform = PLATFORMS.iter().find(|p| p.name == "skl").expect("skl");
    let options = Options {
        platform,
        variant: None,
    };
    let compiled = compile(&text, &options).expect("vISA");
    let objects = compiled.visa.objects.iter();
    let insts = objects.flat_map(|object| &object.insts);
    let branches = insts.filter(|inst| inst.op == Opcode::Goto).count();
    let warnings = compiled.warnings.iter();
    let warnings = warnings.map(|found| format!("{}: {found}", found.loc));
    (branches, warnings.collect())
}

#[test]
fn branches_of_channels_stay_where_the_rules_hold() {
    assert_eq!(compiled("simdcf_if"), (2, vec![]));
    assert_eq!(compiled("simdcf_collatz"), (1, vec![]));
    assert_eq!(compiled("simdcf_nested"), (2, vec![]));
}

#[test]
fn masks_take_their_place_elsewhere() {
    let (branches, warnings) = compiled("simdcf_masks");
    assert_eq!((branches, warnings.len()), (0, 1));
    assert!(warnings[0].contains(": rule "), "{}", warnings[0]);
}
