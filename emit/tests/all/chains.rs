//! Chains of systolic operations: those of the reference compiler's code, and what ends one.

use crate::kernels::kernels;
use kiln_emit::assemble::Program;
use kiln_emit::chains;
use kiln_emit::inst::{Dst, Inst, Op, Reg, Region, Src, Systolic, Type};
use kiln_emit::platform::{self, Platform};

fn find(name: &str) -> &'static Platform {
    platform::find(name).expect("the platform is known")
}

/// By instruction: true if it is bound to the next.
fn bound(mut insts: Vec<Inst>, platform: &'static Platform) -> Vec<bool> {
    for inst in &mut insts {
        inst.opts.atomic = false;
    }
    let mut program = Program {
        blocks: vec![insts],
    };
    chains::run(&mut program, platform);
    program.blocks[0]
        .iter()
        .map(|inst| inst.opts.atomic)
        .collect()
}

#[test]
fn chains_are_those_of_the_reference() {
    // Where the reference has chains of others, they begin with a product that only works around an erratum.
    for (name, least) in [("dg2", 0), ("pvc", 2), ("bmg", 48), ("ptl", 54)] {
        let (mut theirs, mut both) = (0, 0);
        for (kernel, code) in kernels(find(name)) {
            let systolic = |at: usize| code[at].op.is_systolic();
            let chained = |at: usize| systolic(at) && code[at].opts.atomic;
            theirs += (0..code.len()).filter(|&at| chained(at)).count();
            for (at, ours) in bound(code.clone(), find(name)).into_iter().enumerate() {
                assert!(!ours || chained(at), "{name} {kernel} {at}: {}", code[at]);
                both += usize::from(ours);
            }
        }
        println!("{name}: {both} of {theirs}");
        assert!(
            both >= least && theirs <= least + 2,
            "{name}: {both} of {theirs}"
        );
    }
}

/// A product of eight steps, with singles that begin at registers.
fn product(repeat: u8, [sum, columns, rows]: [u32; 3]) -> Inst {
    let shape = Systolic { depth: 8, repeat };
    let mut inst = Inst::new(Op::Dpas(shape), 16);
    inst.dst = Some(Dst::new(Reg::grf(sum), 1, Type::F));
    for (register, ty) in [(sum, Type::F), (columns, Type::Bf), (rows, Type::Bf)] {
        inst.srcs
            .push(Src::reg(Reg::grf(register), Region::packed(16), ty));
    }
    inst
}

fn binds(insts: [Inst; 2]) -> bool {
    bound(insts.to_vec(), find("bmg"))[0]
}

#[test]
fn what_ends_a_chain() {
    let first = product(8, [10, 50, 60]);
    let next = product(8, [20, 50, 64]);
    assert!(binds([first.clone(), next.clone()]));
    let mut other = next.clone();
    other.chan_off = 16;
    assert!(!binds([first.clone(), other]), "other channels");
    let mut other = next.clone();
    other.srcs[2] = Src::reg(Reg::grf(64), Region::packed(16), Type::Hf);
    assert!(!binds([first.clone(), other]), "another type");
    let mut other = next.clone();
    other.srcs[0] = Src::reg(Reg::grf(10), Region::packed(16), Type::F);
    assert!(!binds([first.clone(), other]), "reads the sum before");
    assert!(
        !binds([first.clone(), product(8, [44, 50, 64])]),
        "overwrites its own columns"
    );
    assert!(
        !binds([first.clone(), product(8, [56, 70, 64])]),
        "overwrites rows of the first"
    );
    // Rows of one quarter of a kilobyte are kept four times, columns once.
    assert!(binds([first.clone(), product(8, [20, 70, 60])]));
    assert!(binds([first.clone(), product(8, [20, 70, 64])]));
    assert!(
        !binds([first.clone(), product(8, [20, 70, 62])]),
        "half of the rows"
    );
    assert!(
        !binds([product(4, [10, 50, 60]), product(4, [20, 70, 60])]),
        "four rows"
    );
    assert!(binds([product(4, [10, 50, 60]), product(4, [20, 50, 64])]));
    assert!(binds([product(8, [10, 50, 60]), product(1, [20, 50, 64])]));
    assert!(
        !binds([product(8, [10, 50, 60]), product(1, [20, 70, 60])]),
        "one row"
    );
    let five: Vec<Inst> = (0..5)
        .map(|n| product(8, [10 + 8 * n, 70 + 8 * (n / 4), 110 + 4 * (n % 4)]))
        .collect();
    assert_eq!(bound(five, find("bmg")), [true, true, true, true, false]);
    let apart: Vec<Inst> = (0..5)
        .map(|n| product(8, [10 + 8 * n, 70 + 8 * (n / 4), 90 + 4 * n]))
        .collect();
    assert_eq!(bound(apart, find("bmg")), [true, true, true, false, false]);
}
