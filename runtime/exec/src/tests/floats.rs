//! Arithmetic of floats, conversions and comparisons.

use super::*;

#[test]
fn float_operations_round_once() {
    let mut random = Random(11);
    for round in 0..400 {
        let mut float = || {
            // Exponents near each other: sums cancel and round.
            let bits = random.next() as u32;
            f32::from_bits(bits & 0x80ff_ffff | 0x3e00_0000 | (bits >> 3 & 0x0180_0000))
        };
        let (a, b, c) = (float(), float(), float());
        let mut t = thread();
        keep_denormals(&mut t);
        let bits = |v: f32| u64::from(v.to_bits());
        put(&mut t, 10, 4, &[bits(a), bits(b), bits(c)]);
        let mut run = |op, n: u16, ty: Type| {
            let srcs: Vec<Src> = (0..n).map(|i| scalar(10, i * 4, Type::F)).collect();
            t.perform(&inst(op, 1, dst(12, ty), &srcs)).unwrap();
            get(&t, 12, ty.bytes() as usize, 1)[0]
        };
        let f = |v: u64| f32::from_bits(v as u32);
        assert_eq!(f(run(Op::Add, 2, Type::F)), a + b);
        assert_eq!(f(run(Op::Mul, 2, Type::F)), a * b);
        assert_eq!(f(run(Op::Mad, 3, Type::F)), b.mul_add(c, a));
        // Exact in doubles, then rounded once to a half.
        let half = half::f16::from_f64(f64::from(a) * f64::from(b));
        assert_eq!(run(Op::Mul, 2, Type::Hf) as u16, half.to_bits());
        assert_eq!(f(run(Op::Rnde, 1, Type::F)), a.round_ties_even());
        assert_eq!(f(run(Op::Frc, 1, Type::F)), a - a.floor());
        assert_eq!(run(Op::Mov, 1, Type::D) as i32, a as i32);
        // The directed modes enclose the nearest.
        let [up, down, zero] = [1u32, 2, 3].map(|mode| {
            t.control[..4].copy_from_slice(&(0x4c0 | mode << 4).to_le_bytes());
            t.update_mode();
            let srcs = [scalar(10, 0, Type::F), scalar(10, 4, Type::F)];
            t.perform(&inst(Op::Mul, 1, dst(12, Type::F), &srcs))
                .unwrap();
            f64::from(f(get(&t, 12, 4, 1)[0]))
        });
        let exact = f64::from(a) * f64::from(b);
        assert!(down <= exact && exact <= up, "{round}: {down} {exact} {up}");
        assert!(up == down || (down as f32).next_up() == up as f32);
        assert_eq!(zero, if exact < 0.0 { up } else { down });
    }
}

#[test]
fn halves_are_the_hosts() {
    use half::f16;
    let mut random = Random(23);
    for _ in 0..500 {
        let [a, b, c] = [0; 3].map(|_| f16::from_bits(random.next() as u16));
        let mut t = thread();
        keep_denormals(&mut t);
        put(&mut t, 10, 2, &[a, b, c].map(|v| u64::from(v.to_bits())));
        let mut run = |op, n: u16| {
            let srcs: Vec<Src> = (0..n).map(|i| scalar(10, i * 2, Type::Hf)).collect();
            t.perform(&inst(op, 1, dst(12, Type::Hf), &srcs)).unwrap();
            f16::from_bits(get(&t, 12, 2, 1)[0] as u16)
        };
        let same = |x: f16, y: f16| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
        let [x, y, z] = [a, b, c].map(f16::to_f64);
        assert!(same(run(Op::Add, 2), f16::from_f64(x + y)), "{a} + {b}");
        assert!(same(run(Op::Mul, 2), f16::from_f64(x * y)), "{a} * {b}");
        // The product is exact in a double; its sum with a near enough number too.
        if x.abs() < 256.0 && (y * z).abs() < 256.0 {
            assert!(
                same(run(Op::Mad, 3), f16::from_f64(y * z + x)),
                "{b} * {c} + {a}"
            );
        }
    }
}

#[test]
fn denormals_are_flushed_unless_kept() {
    let tiny = f32::from_bits(0x0000_1234);
    let small = f32::MIN_POSITIVE;
    for keep in [false, true] {
        let mut t = thread();
        if keep {
            keep_denormals(&mut t);
        }
        let bits = |v: f32| u64::from(v.to_bits());
        put(
            &mut t,
            10,
            4,
            &[bits(-tiny), bits(small), bits(0.5), bits(1.0)],
        );
        let mut run = |op, a, b| {
            let srcs = [scalar(10, a, Type::F), scalar(10, b, Type::F)];
            t.perform(&inst(op, 1, dst(12, Type::F), &srcs)).unwrap();
            f32::from_bits(dwords(&t, 12, 1)[0])
        };
        let input = run(Op::Mul, 0, 12);
        let output = run(Op::Mul, 4, 8);
        let expected = if keep {
            (-tiny, small * 0.5)
        } else {
            (-0.0, 0.0)
        };
        assert_eq!(
            (input.to_bits(), output.to_bits()),
            (expected.0.to_bits(), expected.1.to_bits())
        );
        // A move that changes nothing changes no denormal either.
        t.perform(&inst(
            Op::Mov,
            1,
            dst(12, Type::F),
            &[scalar(10, 0, Type::F)],
        ))
        .unwrap();
        assert_eq!(dwords(&t, 12, 1)[0], (-tiny).to_bits());
    }
}

#[test]
fn conversions_clamp_and_round() {
    let mut t = thread();
    keep_denormals(&mut t);
    let cases = [
        0.0,
        -0.9,
        1.5,
        2.5,
        -2.5,
        3e9,
        -3e9,
        5e9,
        1e20,
        -1e20,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        1e-320,
    ];
    for v in cases {
        put(&mut t, 10, 8, &[v.to_bits()]);
        let mut run = |ty: Type| {
            t.perform(&inst(Op::Mov, 1, dst(12, ty), &[scalar(10, 0, Type::Df)]))
                .unwrap();
            get(&t, 12, ty.bytes() as usize, 1)[0]
        };
        assert_eq!(run(Type::D) as i32, v as i32, "{v}");
        assert_eq!(run(Type::Ud) as u32, v as u32, "{v}");
        assert_eq!(run(Type::Q) as i64, v as i64, "{v}");
        assert_eq!(run(Type::Ub) as u8, v as u8, "{v}");
        assert_eq!(run(Type::F) as u32, (v as f32).to_bits(), "{v}");
    }
    let mut random = Random(8);
    for _ in 0..300 {
        let v = random.next();
        put(&mut t, 10, 8, &[v]);
        let mut run = |from, to: Type| {
            t.perform(&inst(Op::Mov, 1, dst(12, to), &[scalar(10, 0, from)]))
                .unwrap();
            get(&t, 12, to.bytes() as usize, 1)[0]
        };
        assert_eq!(f64::from_bits(run(Type::Uq, Type::Df)), v as f64);
        assert_eq!(f64::from_bits(run(Type::Q, Type::Df)), v as i64 as f64);
        assert_eq!(f32::from_bits(run(Type::Uq, Type::F) as u32), v as f32);
        assert_eq!(
            f32::from_bits(run(Type::D, Type::F) as u32),
            v as i32 as f32
        );
    }
    // Saturation of floats is to 0…1.
    for (v, expected) in [(-1.0f32, 0.0f32), (0.25, 0.25), (7.0, 1.0), (f32::NAN, 0.0)] {
        put(&mut t, 10, 4, &[u64::from(v.to_bits())]);
        let mut i = inst(Op::Mov, 1, dst(12, Type::F), &[scalar(10, 0, Type::F)]);
        i.saturate = true;
        t.perform(&i).unwrap();
        assert_eq!(f32::from_bits(dwords(&t, 12, 1)[0]), expected);
    }
}

#[test]
fn minimum_and_maximum_prefer_numbers() {
    let mut t = thread();
    let nan = f32::NAN;
    for (cond, a, b, expected) in [
        (Cond::Lt, 1.0f32, 2.0f32, 1.0f32),
        (Cond::Ge, 1.0, 2.0, 2.0),
        (Cond::Lt, nan, 2.0, 2.0),
        (Cond::Lt, 2.0, nan, 2.0),
        (Cond::Ge, nan, -2.0, -2.0),
        (Cond::Ge, -2.0, nan, -2.0),
    ] {
        put(
            &mut t,
            10,
            4,
            &[u64::from(a.to_bits()), u64::from(b.to_bits())],
        );
        let mut i = inst(
            Op::Sel,
            1,
            dst(12, Type::F),
            &[scalar(10, 0, Type::F), scalar(10, 4, Type::F)],
        );
        i.cond = Some(CondMod {
            cond,
            flag: Reg::NULL,
        });
        t.perform(&i).unwrap();
        assert_eq!(
            f32::from_bits(dwords(&t, 12, 1)[0]),
            expected,
            "{cond:?} {a} {b}"
        );
    }
}

#[test]
fn comparisons_of_not_a_number_fail_but_for_inequality() {
    let mut t = thread();
    put(
        &mut t,
        10,
        4,
        &[u64::from(f32::NAN.to_bits()), u64::from(1f32.to_bits())],
    );
    for (cond, expected) in [
        (Cond::Eq, 0),
        (Cond::Ne, 1),
        (Cond::Lt, 0),
        (Cond::Le, 0),
        (Cond::Gt, 0),
        (Cond::Ge, 0),
        (Cond::Un, 1),
    ] {
        t.perform(&cmp(
            1,
            cond,
            scalar(10, 0, Type::F),
            scalar(10, 4, Type::F),
        ))
        .unwrap();
        assert_eq!(t.flag_bits() & 1, expected, "{cond:?}");
    }
}

#[test]
fn mac_adds_to_the_accumulator_with_one_rounding() {
    let mut random = Random(0x3ac);
    for _ in 0..500 {
        let mut t = thread();
        keep_denormals(&mut t);
        let lanes = |random: &mut Random| [0; 8].map(|_| f32::from_bits(random.next() as u32));
        let [a, b, c] = [0; 3].map(|_| lanes(&mut random));
        for (num, values) in [(10, a), (11, b), (12, c)] {
            put(&mut t, num, 4, &values.map(|v| u64::from(v.to_bits())));
        }
        let acc = Dst::new(Reg::new(RegFile::Acc, 0, 0), 1, Type::F);
        let fill = inst(Op::Mov, 8, acc, &[src(12, 8, Type::F)]);
        let sources = [src(10, 8, Type::F), src(11, 8, Type::F)];
        let mac = inst(Op::Mac, 8, dst(13, Type::F), &sources);
        t.perform(&fill).unwrap();
        t.perform(&mac).unwrap();
        for (lane, found) in dwords(&t, 13, 8).into_iter().enumerate() {
            let expected = a[lane].mul_add(b[lane], c[lane]);
            let both = f32::from_bits(found).is_nan() && expected.is_nan();
            assert!(
                both || found == expected.to_bits(),
                "{lane}: {found:#x}, {expected:e}"
            );
        }
    }
}

/// Halves and doubles, of which products and sums are exact in doubles, or in whole numbers.
#[test]
fn mac_adds_to_accumulators_of_other_floats() {
    let mut random = Random(0x3ad);
    for ty in [Type::Hf, Type::Df] {
        for _ in 0..200 {
            let mut t = thread();
            let lanes = |random: &mut Random| {
                [0.0; 4].map(|_| match ty {
                    // Between 1 and 32, with all bits of a half.
                    Type::Hf => f64::from(half::f16::from_bits(
                        0x3c00 + (random.next() % 0x1400) as u16,
                    )),
                    _ => f64::from(random.next() as i16),
                })
            };
            let [a, b, c] = [0; 3].map(|_| lanes(&mut random));
            let bits = |value: f64| match ty {
                Type::Hf => half::f16::from_f64(value).to_bits().into(),
                _ => value.to_bits(),
            };
            let size = ty.bytes() as usize;
            for (num, values) in [(10, a), (11, b), (12, c)] {
                put(&mut t, num, size, &values.map(bits));
            }
            let acc = Dst::new(Reg::new(RegFile::Acc, 0, 0), 1, ty);
            let [left, right, start] = [10, 11, 12].map(|num| src(num, 4, ty));
            t.perform(&inst(Op::Mov, 4, acc, &[start])).unwrap();
            let mac = inst(Op::Mac, 4, dst(13, ty), &[left, right]);
            t.perform(&mac).unwrap();
            for (lane, found) in get(&t, 13, size, 4).into_iter().enumerate() {
                let expected = bits(a[lane] * b[lane] + c[lane]);
                assert_eq!(found, expected, "{ty:?}, {lane}");
            }
        }
    }
}
