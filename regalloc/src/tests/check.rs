//! Products of matrices whose operands overlap, as no allocation leaves them; ways that meet.

use kiln_emit::inst::Dst;
use kiln_platform::isa::Systolic;
use kiln_platform::platform::SKL;

use super::state::Meeting;
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
    let words = [0, 1].map(|part| {
        values
            .iter()
            .map(|&v| (VReg::from_u32(v), Part::word(part)))
            .collect()
    });
    addresses::Register {
        kept: words,
        ..addresses::Register::ready(4)
    }
}

/// The surface is there whatever else the register has.
#[test]
fn ways_that_meet_leave_what_both_have() {
    let classes = Meeting::default();
    let met = |a: &addresses::Register, b: &addresses::Register| a.clone().meet(b, &classes);
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

/// The values of a place, whole, by their numbers.
fn whole(values: &[u32]) -> Held {
    let each = values.iter().map(|&v| (VReg::from_u32(v), Part::WHOLE));
    each.collect()
}

/// Three values without a definition go round a loop: one way defines the second in unit 1, and writes unit 0; another
/// leaves all three undefined.
#[test]
fn values_without_a_definition_are_where_the_others_have_them() {
    let mut func = Function::new("f", &SKL, 16);
    let values = [0; 3].map(|_| func.grf(32));
    let mut begin = State::new(3, 4);
    begin.anywhere(&values, &func);
    assert_eq!(begin.units, [whole(&[0]), whole(&[0]), whole(&[0])]);
    let mut other = begin.follow(|v| (v != values[1]).then_some(v).into_iter());
    other.units[0] = Held::new();
    other.units[1] = whole(&[1]);
    let mut met = begin.clone();
    met.meet(&other);
    assert_eq!(met.units, [whole(&[]), whole(&[1]), whole(&[0])]);
    assert_eq!(
        [0, 1, 2].map(|v| met.class(values[v])),
        [0, 1, 0].map(|v| values[v])
    );
    other.meet(&begin);
    assert_eq!(other, met);
    begin.meet(&begin.clone());
    assert_eq!(begin.class(values[2]), values[0]);
    // A parameter is where its argument was.
    let next = VReg::from_u32(7);
    let after = begin.follow(|v| (v == values[1]).then_some(next).into_iter());
    assert_eq!(after.units[2], whole(&[7]));
}
