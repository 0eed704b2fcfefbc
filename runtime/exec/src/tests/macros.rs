//! Sequences of `madm` that divide and take roots.

use super::*;

/// A macro operand: a register and its extension (8: none).
fn wide_src(num: u32, mme: u8, neg: bool, ty: Type) -> Src {
    Src::Reg(SrcReg {
        place: Place::Direct(Reg::grf(num)),
        region: Region::new(4, 4, 1),
        ty,
        modifier: SrcMod { neg, abs: false },
        swizzle: kiln_emit::inst::SWIZZLE_XYZW,
        mme: Some(mme),
    })
}

type Operand = (u32, u8, bool);

/// A macro's first step and its others, each skipped by the channels that are done.
fn run_macro(t: &mut Thread, ty: Type, first: (MathFn, &[Operand]), steps: &[[Operand; 4]]) {
    let operand = |o: &Operand| wide_src(o.0, o.1, o.2, ty);
    let to = |o: &Operand| Dst {
        mme: Some(o.1),
        ..dst(o.0, ty)
    };
    let srcs: Vec<Src> = first.1[1..].iter().map(operand).collect();
    let mut start = inst(Op::Math(first.0), 4, to(&first.1[0]), &srcs);
    start.cond = Some(CondMod {
        cond: Cond::Eo,
        flag: F0,
    });
    t.perform(&start).unwrap();
    for step in steps {
        let srcs: Vec<Src> = step[1..].iter().map(operand).collect();
        let mut i = predicated(inst(Op::Madm, 4, to(&step[0]), &srcs), true);
        i.opts.align16 = true;
        t.perform(&i).unwrap();
    }
}

const fn plain(num: u32) -> Operand {
    (num, 8, false)
}

const fn minus(num: u32) -> Operand {
    (num, 8, true)
}

const fn ext(num: u32, mme: u8) -> Operand {
    (num, mme, false)
}

/// Division as the reference compiler expands it: `r12 = r90 / r42`, with 0 in r51 and 1 in r50.
const DIVISION: [[Operand; 4]; 10] = [
    [ext(112, 1), plain(51), plain(90), ext(12, 0)],
    [ext(116, 2), plain(50), minus(42), ext(12, 0)],
    [ext(120, 3), plain(90), minus(42), ext(112, 1)],
    [ext(2, 4), ext(12, 0), ext(116, 2), ext(12, 0)],
    [ext(124, 5), plain(50), minus(42), ext(2, 4)],
    [ext(12, 6), ext(12, 0), ext(116, 2), ext(2, 4)],
    [ext(112, 7), ext(112, 1), ext(120, 3), ext(2, 4)],
    [ext(2, 0), ext(2, 4), ext(12, 6), ext(124, 5)],
    [ext(120, 1), plain(90), minus(42), ext(112, 7)],
    [plain(12), ext(112, 7), ext(120, 1), ext(2, 0)],
];

/// Square root likewise: `r2 = sqrt(r116)`, with 0 in r51, 1 in r50, 0.5 in r20, 1.5 in r30.
const ROOT: [[Operand; 4]; 10] = [
    [ext(16, 1), plain(51), plain(20), ext(2, 0)],
    [ext(124, 2), plain(51), plain(116), ext(2, 0)],
    [ext(12, 3), plain(20), (124, 2, true), ext(16, 1)],
    [ext(120, 5), plain(50), plain(30), ext(12, 3)],
    [ext(2, 6), plain(51), ext(12, 3), ext(124, 2)],
    [ext(12, 7), plain(51), ext(12, 3), ext(16, 1)],
    [ext(2, 6), ext(124, 2), ext(120, 5), ext(2, 6)],
    [ext(120, 5), ext(16, 1), ext(120, 5), ext(12, 7)],
    [ext(16, 1), plain(116), (2, 6, true), ext(2, 6)],
    [plain(2), ext(2, 6), ext(16, 1), ext(120, 5)],
];

#[test]
fn division_and_square_root_macros_round_correctly() {
    let mut random = Random(0xdead_beef);
    let special = [
        0.0,
        -0.0,
        1.0,
        -3.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        -1e-310,
        1.0 + f64::EPSILON,
    ];
    let mut values: Vec<f64> = special.to_vec();
    values.extend((0..500).map(|_| f64::from_bits(random.next())));
    values.extend((0..500).map(|_| f64::from_bits(random.next() >> 12 | 0x3ff0_0000_0000_0000)));
    let same = |x: u64, y: u64| x == y || f64::from_bits(x).is_nan() && f64::from_bits(y).is_nan();
    for i in 0..values.len() {
        for j in if i < special.len() {
            0..special.len()
        } else {
            i - 2..i
        } {
            let (a, b) = (values[i], values[j]);
            let mut t = thread();
            keep_denormals(&mut t);
            for (num, v) in [
                (90, a),
                (42, b),
                (116, a),
                (51, 0.0),
                (50, 1.0),
                (20, 0.5),
                (30, 1.5),
            ] {
                put(&mut t, num, 8, &[v.to_bits(); 4]);
            }
            let first = (MathFn::Invm, &[ext(12, 0), plain(90), plain(42)][..]);
            run_macro(&mut t, Type::Df, first, &DIVISION);
            let found = get(&t, 12, 8, 4);
            assert!(
                same(found[3], (a / b).to_bits()),
                "{a:e} / {b:e}: {:e}",
                f64::from_bits(found[3])
            );
            put(&mut t, 116, 8, &[a.to_bits(); 4]);
            let first = (MathFn::Rsqtm, &[ext(2, 0), plain(116)][..]);
            run_macro(&mut t, Type::Df, first, &ROOT);
            let found = get(&t, 2, 8, 4);
            assert!(
                same(found[0], a.sqrt().to_bits()),
                "sqrt {a:e}: {:e}",
                f64::from_bits(found[0])
            );
        }
    }
}

#[test]
fn single_macros_round_correctly() {
    let mut random = Random(0xfeed);
    for _ in 0..2000 {
        let [a, b] = [0; 2].map(|_| f32::from_bits(random.next() as u32));
        let mut t = thread();
        keep_denormals(&mut t);
        for (num, v) in [
            (90, a),
            (42, b),
            (116, a),
            (51, 0.0),
            (50, 1.0),
            (20, 0.5),
            (30, 1.5),
        ] {
            put(&mut t, num, 4, &[u64::from(v.to_bits()); 8]);
        }
        let same = |x: u32, y: f32| x == y.to_bits() || f32::from_bits(x).is_nan() && y.is_nan();
        let first = (MathFn::Invm, &[ext(12, 0), plain(90), plain(42)][..]);
        run_macro(&mut t, Type::F, first, &DIVISION);
        assert!(same(dwords(&t, 12, 1)[0], a / b), "{a:e} / {b:e}");
        put(&mut t, 116, 4, &[u64::from(a.to_bits()); 8]);
        let first = (MathFn::Rsqtm, &[ext(2, 0), plain(116)][..]);
        run_macro(&mut t, Type::F, first, &ROOT);
        assert!(same(dwords(&t, 2, 1)[0], a.sqrt()), "sqrt {a:e}");
    }
}

#[test]
fn a_macro_without_its_last_steps_is_not_rounded_correctly() {
    // Otherwise the executor would hide missing steps in a finalizer's code.
    let mut wrong = 0;
    for i in 1..50u32 {
        let (a, b) = (f64::from(i) + 0.1, f64::from(i * 7) + 0.3);
        let mut t = thread();
        for (num, v) in [(90, a), (42, b), (51, 0.0), (50, 1.0)] {
            put(&mut t, num, 8, &[v.to_bits(); 4]);
        }
        let first = (MathFn::Invm, &[ext(12, 0), plain(90), plain(42)][..]);
        let quotient = [plain(12), plain(51), plain(90), ext(12, 0)];
        run_macro(&mut t, Type::Df, first, &[quotient]);
        wrong += u32::from(get(&t, 12, 8, 1)[0] != (a / b).to_bits());
    }
    assert!(wrong > 40, "{wrong}");
}
