//! Products of matrices whose operands overlap, as no allocation leaves them; ways that meet.

use kiln_emit::inst::Dst;
use kiln_target::isa::Systolic;

use super::*;

/// Bytes of a register of families with products of matrices of 16 columns.
const GRF_BYTES: u32 = 64;

/// A product of matrices of halves with eight rows of 16 floats, all of whose operands are in the registers from these
/// numbers on: the result, the addend, the columns, and the rows. They have 8, 8, 8, and 4 registers.
fn product(registers: [u32; 4]) -> Gen {
    let shape = Systolic {
        depth: 8,
        repeat: 8,
    };
    let [dst, srcs @ ..] = registers.map(Reg::grf);
    let mut inst = Gen::new(Op::Dpas(shape), 16);
    inst.dst = Some(Dst::new(dst, 1, Type::F));
    for (src, ty) in srcs.into_iter().zip([Type::F, Type::Hf, Type::Hf]) {
        inst.srcs.push(Src::reg(src, Region::new(1, 1, 0), ty));
    }
    inst
}

#[test]
fn results_of_matrices_are_where_nothing_is_read() {
    for good in [
        [20, 20, 40, 60],
        [20, 28, 36, 44],
        [20, 12, 4, 16],
        [20, 12, 28, 28],
    ] {
        assert_eq!(steps_agree(&product(good), GRF_BYTES), Ok(()), "{good:?}");
    }
    let bad = [
        // The addend begins a row later, or earlier.
        [20, 21, 40, 60],
        [20, 13, 40, 60],
        // Columns, and rows.
        [20, 20, 20, 60],
        [20, 20, 27, 60],
        [20, 20, 13, 60],
        [20, 20, 40, 17],
        [20, 20, 40, 27],
    ];
    for bad in bad {
        let found = steps_agree(&product(bad), GRF_BYTES);
        let said = found.expect_err(&format!("{bad:?}"));
        assert!(said.contains("writes what it still reads"), "{said}");
    }
}

/// A register for messages, whose last dword keeps the words of values with these numbers.
fn keeping(values: &[u32]) -> addresses::Register {
    let words = [0, 1].map(|part| values.iter().map(|&v| (VReg::from_u32(v), part)).collect());
    addresses::Register {
        kept: words,
        ..addresses::Register::ready(4)
    }
}

/// The surface is there whatever else the register has.
#[test]
fn ways_that_meet_leave_what_both_have() {
    let met = |a: &addresses::Register, b: &addresses::Register| a.clone().meet(b);
    let (one, both) = (keeping(&[1]), keeping(&[1, 2]));
    assert_eq!(met(&one, &both), Some(one.clone()));
    assert_eq!(met(&keeping(&[3]), &both), Some(keeping(&[])));
    let called = addresses::Register::called(4);
    assert_eq!(met(&one, &called), Some(called));
    let without = addresses::Register {
        surface: false,
        ..one.clone()
    };
    assert_eq!(met(&one, &without), Some(without));
    assert_eq!(met(&one, &addresses::Register::ready(6)), None);
}
