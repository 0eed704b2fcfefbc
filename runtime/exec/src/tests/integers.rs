//! Integer operations, and the accumulators.

use super::*;

const INTS: [Type; 8] = [
    Type::Ub,
    Type::B,
    Type::Uw,
    Type::W,
    Type::Ud,
    Type::D,
    Type::Uq,
    Type::Q,
];

/// Runs a two-source operation on random elements of every pair of types.
fn check_binary(op: Op, saturate: bool, model: impl Fn(i128, i128) -> i128) {
    let mut random = Random(0x1234_5678_9abc_def1);
    for a_ty in INTS {
        for b_ty in INTS {
            for d_ty in INTS {
                let mut t = thread();
                let pick = |random: &mut Random| (0..4).map(|_| random.next()).collect::<Vec<_>>();
                let (a, b) = (pick(&mut random), pick(&mut random));
                put(&mut t, 10, a_ty.bytes() as usize, &a);
                put(&mut t, 20, b_ty.bytes() as usize, &b);
                let mut i = inst(op, 4, dst(30, d_ty), &[src(10, 4, a_ty), src(20, 4, b_ty)]);
                i.saturate = saturate;
                t.perform(&i).unwrap();
                let (low, high) = int_range(d_ty);
                for (lane, found) in get(&t, 30, d_ty.bytes() as usize, 4)
                    .into_iter()
                    .enumerate()
                {
                    let (a, b) = (value(a[lane], a_ty), value(b[lane], b_ty));
                    let exact = model(a, b);
                    let stored = if saturate {
                        exact.clamp(low, high)
                    } else {
                        exact
                    };
                    let expected = value(stored as u64, d_ty);
                    assert_eq!(
                        value(found, d_ty),
                        expected,
                        "{op:?} {a_ty:?} {a} {b_ty:?} {b} -> {d_ty:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn integer_operations_wrap_and_saturate() {
    for saturate in [false, true] {
        check_binary(Op::Add, saturate, |a, b| a + b);
        check_binary(Op::Mul, saturate, |a, b| a.wrapping_mul(b));
        check_binary(Op::Avg, saturate, |a, b| (a + b + 1) >> 1);
    }
    check_binary(Op::And, false, |a, b| a & b);
    check_binary(Op::Or, false, |a, b| a | b);
    check_binary(Op::Xor, false, |a, b| a ^ b);
}

#[test]
fn source_modifiers_negate_and_complement() {
    let mut t = thread();
    put(&mut t, 10, 4, &[5, u64::from(u32::MAX), 1 << 31, 0]);
    let modified = |neg, abs| {
        let Src::Reg(mut r) = src(10, 4, Type::D) else {
            unreachable!()
        };
        r.modifier = SrcMod { neg, abs };
        Src::Reg(r)
    };
    let mut run = |op, m| {
        let zero = Src::imm(Type::D, 0);
        t.perform(&inst(op, 4, dst(30, Type::D), &[m, zero]))
            .unwrap();
        dwords(&t, 30, 4)
    };
    let int_min = 1 << 31;
    assert_eq!(
        run(Op::Add, modified(true, false)),
        [-5i32 as u32, 1, int_min, 0]
    );
    assert_eq!(run(Op::Add, modified(false, true)), [5, 1, int_min, 0]);
    assert_eq!(
        run(Op::Add, modified(true, true)),
        [-5i32 as u32, u32::MAX, int_min, 0]
    );
    assert_eq!(
        run(Op::Or, modified(true, false)),
        [!5, 0, !int_min, u32::MAX]
    );
}

#[test]
fn shifts_use_as_many_bits_of_the_count_as_the_width_has() {
    let mut random = Random(77);
    for _ in 0..200 {
        let (a, s) = (random.next(), random.next());
        let mut t = thread();
        put(&mut t, 10, 8, &[a]);
        put(&mut t, 11, 8, &[s]);
        let mut run = |op, ty: Type| {
            let i = inst(
                op,
                1,
                dst(12, ty),
                &[scalar(10, 0, ty), scalar(11, 0, Type::Ud)],
            );
            t.perform(&i).unwrap();
            get(&t, 12, ty.bytes() as usize, 1)[0]
        };
        let (low, s) = (a as u32, s as u32);
        assert_eq!(run(Op::Shl, Type::D) as u32, low << (s & 31));
        assert_eq!(run(Op::Shr, Type::Ud) as u32, low >> (s & 31));
        assert_eq!(run(Op::Asr, Type::D) as i32, low as i32 >> (s & 31));
        assert_eq!(run(Op::Shl, Type::Q), a << (s & 63));
        assert_eq!(run(Op::Shr, Type::Uq), a >> (s & 63));
        assert_eq!(run(Op::Asr, Type::Q) as i64, a as i64 >> (s & 63));
    }
    // A quadword destination makes a quadword shift of a dword.
    let mut t = thread();
    put(&mut t, 10, 4, &[u64::from(-3i32 as u32)]);
    let by = Src::imm(Type::W, 32);
    t.perform(&inst(
        Op::Shl,
        1,
        dst(12, Type::Q),
        &[scalar(10, 0, Type::D), by],
    ))
    .unwrap();
    assert_eq!(get(&t, 12, 8, 1)[0] as i64, -3i64 << 32);
}

#[test]
fn bit_operations() {
    let mut random = Random(5);
    for round in 0..300 {
        let v = if round == 0 { 0 } else { random.next() as u32 };
        let (w, o) = (random.next() as u32 & 31, random.next() as u32 & 31);
        let base = random.next() as u32;
        let mut t = thread();
        put(
            &mut t,
            10,
            4,
            &[u64::from(v), u64::from(w), u64::from(o), u64::from(base)],
        );
        let mut run = |op, ty, bytes: &[u16]| {
            let srcs: Vec<Src> = bytes.iter().map(|&b| scalar(10, b, ty)).collect();
            t.perform(&inst(op, 1, dst(12, ty), &srcs)).unwrap();
            dwords(&t, 12, 1)[0]
        };
        assert_eq!(run(Op::Bfrev, Type::Ud, &[0]), v.reverse_bits());
        assert_eq!(run(Op::Cbit, Type::Ud, &[0]), v.count_ones());
        assert_eq!(run(Op::Lzd, Type::Ud, &[0]), v.leading_zeros());
        assert_eq!(run(Op::Not, Type::Ud, &[0]), !v);
        let first = (0..32).find(|b| v >> b & 1 != 0).unwrap_or(u32::MAX);
        assert_eq!(run(Op::Fbl, Type::Ud, &[0]), first);
        let top = (0..32).find(|b| v << b >> 31 != 0).unwrap_or(u32::MAX);
        assert_eq!(run(Op::Fbh, Type::Ud, &[0]), top);
        let differs = (0..32)
            .find(|b| v << b >> 31 != v >> 31)
            .unwrap_or(u32::MAX);
        assert_eq!(run(Op::Fbh, Type::D, &[0]), differs);
        let field = (0..w)
            .filter(|b| o + b < 32)
            .fold(0, |f, b| f | (v >> (o + b) & 1) << b);
        assert_eq!(run(Op::Bfe, Type::Ud, &[4, 8, 0]), field);
        let width = w.min(32 - o);
        let signed = if width == 0 || field >> (width - 1) == 0 {
            field
        } else {
            field | u32::MAX << width
        };
        assert_eq!(run(Op::Bfe, Type::D, &[4, 8, 0]), signed);
        let mask = (0..w)
            .filter(|b| o + b < 32)
            .fold(0, |m, b| m | 1 << (o + b));
        assert_eq!(run(Op::Bfi1, Type::Ud, &[4, 8]), mask);
        let moved = w.checked_shl(v.trailing_zeros()).unwrap_or(0);
        assert_eq!(run(Op::Bfi2, Type::Ud, &[0, 4, 12]), v & moved | !v & base);
        let bits = scalar(10, 0, Type::F);
        t.perform(&inst(Op::Bfrev, 1, dst(12, Type::Ud), &[bits]))
            .unwrap();
        assert_eq!(dwords(&t, 12, 1)[0], v.reverse_bits());
    }
}

#[test]
fn the_accumulator_makes_full_products() {
    let mut random = Random(99);
    for _ in 0..300 {
        let (a, b) = (random.next() as u32, random.next() as u32);
        for ty in [Type::Ud, Type::D] {
            let mut t = thread();
            put(&mut t, 10, 4, &[u64::from(a); 8]);
            put(&mut t, 11, 4, &[u64::from(b); 8]);
            let acc = Dst::new(Reg::new(RegFile::Acc, 0, 0), 1, ty);
            let low_halves = Src::reg(Reg::grf(11), Region::new(2, 1, 0), Type::Uw);
            let partial = inst(Op::Mul, 8, acc, &[src(10, 8, ty), low_halves]);
            let mut high = inst(Op::Mach, 8, dst(12, ty), &[src(10, 8, ty), src(11, 8, ty)]);
            // The upper half's channels use the first accumulator too.
            high.chan_off = 8;
            high.opts.acc_wr_en = true;
            let acc = Src::reg(Reg::new(RegFile::Acc, 0, 0), Region::new(8, 8, 1), ty);
            let low = inst(Op::Mov, 8, dst(13, ty), &[acc]);
            for i in [partial, high, low] {
                t.perform(&i).unwrap();
            }
            let product = value(u64::from(a), ty) * value(u64::from(b), ty);
            assert_eq!(
                dwords(&t, 12, 8),
                [(product >> 32) as u32; 8],
                "{a:#x} {b:#x} {ty:?}"
            );
            assert_eq!(
                dwords(&t, 13, 8),
                [product as u32; 8],
                "{a:#x} {b:#x} {ty:?}"
            );
        }
    }
}

#[test]
fn carries_and_borrows_reach_the_accumulator() {
    let mut random = Random(3);
    for _ in 0..200 {
        let (a, b) = (random.next(), random.next());
        let mut t = thread();
        let halves = |v: u64| [v & 0xffff_ffff, v >> 32];
        put(&mut t, 10, 4, &halves(a));
        put(&mut t, 11, 4, &halves(b));
        let mut wide = |op| {
            let mut low = inst(
                op,
                1,
                dst(12, Type::Ud),
                &[scalar(10, 0, Type::Ud), scalar(11, 0, Type::Ud)],
            );
            low.opts.acc_wr_en = true;
            let acc = Src::reg(Reg::new(RegFile::Acc, 0, 0), Region::SCALAR, Type::Ud);
            let carry = inst(Op::Mov, 1, dst(13, Type::Ud), &[acc]);
            t.perform(&low).unwrap();
            t.perform(&carry).unwrap();
            (dwords(&t, 12, 1)[0], dwords(&t, 13, 1)[0])
        };
        let (a, b) = (a as u32, b as u32);
        let (sum, carry) = a.overflowing_add(b);
        assert_eq!(wide(Op::Addc), (sum, u32::from(carry)));
        let (difference, borrow) = a.overflowing_sub(b);
        assert_eq!(wide(Op::Subb), (difference, u32::from(borrow)));
    }
}

/// As in the reference's code of `madw`: the product is in the accumulator and has more than 32 bits.
#[test]
fn carries_of_the_accumulator_are_those_of_its_lower_half() {
    let mut random = Random(4);
    for _ in 0..200 {
        let (x, y, added) = (
            random.next() as u32,
            random.next() as u32,
            random.next() as u32,
        );
        let mut t = thread();
        put(&mut t, 10, 4, &[u64::from(x)]);
        put(&mut t, 11, 4, &[u64::from(y)]);
        put(&mut t, 14, 4, &[u64::from(added)]);
        let acc = Reg::new(RegFile::Acc, 0, 0);
        let read = || Src::reg(acc, Region::SCALAR, Type::Ud);
        let low = scalar(11, 0, Type::Uw);
        let [x_, y_, added_] = [10, 11, 14].map(|n| scalar(n, 0, Type::Ud));
        let into = Dst::new(acc, 1, Type::Ud);
        let mut mach = inst(Op::Mach, 1, dst(12, Type::Ud), &[x_, y_]);
        mach.opts.acc_wr_en = true;
        let code = [
            inst(Op::Mul, 1, into, &[x_, low]),
            mach,
            inst(Op::Addc, 1, dst(13, Type::Ud), &[read(), added_]),
            inst(
                Op::Add,
                1,
                dst(12, Type::Ud),
                &[read(), scalar(12, 0, Type::Ud)],
            ),
        ];
        for inst in &code {
            t.perform(inst).unwrap();
        }
        let sum = u64::from(x) * u64::from(y) + u64::from(added);
        let found = [dwords(&t, 13, 1)[0], dwords(&t, 12, 1)[0]];
        assert_eq!(found, [sum as u32, (sum >> 32) as u32]);
    }
}

#[test]
fn integer_division() {
    let mut random = Random(31);
    for round in 0..200 {
        let a = random.next() as u32;
        let b = if round < 4 { 0 } else { random.next() as u32 };
        for ty in [Type::Ud, Type::D] {
            let mut t = thread();
            put(&mut t, 10, 4, &[u64::from(a), u64::from(b)]);
            let mut run = |function| {
                let srcs = [scalar(10, 0, ty), scalar(10, 4, ty)];
                t.perform(&inst(Op::Math(function), 1, dst(12, ty), &srcs))
                    .unwrap();
                (dwords(&t, 12, 1)[0], dwords(&t, 13, 1)[0])
            };
            let (q, r) = match (ty, b) {
                (Type::Ud, 0) => (u32::MAX, u32::MAX),
                (_, 0) if (a as i32) < 0 => (i32::MIN as u32, i32::MIN as u32),
                (_, 0) => (i32::MAX as u32, i32::MAX as u32),
                (Type::Ud, _) => (a / b, a % b),
                _ => (
                    (a as i32).wrapping_div(b as i32) as u32,
                    (a as i32).wrapping_rem(b as i32) as u32,
                ),
            };
            assert_eq!(run(MathFn::Iqot).0, q);
            assert_eq!(run(MathFn::Irem).0, r);
            assert_eq!(run(MathFn::Idiv), (q, r));
        }
    }
}

#[test]
fn sums_of_absolute_differences_go_to_the_first_of_two_channels() {
    let mut random = Random(0x51de);
    for round in 0..200 {
        for ty in [Type::Ub, Type::B] {
            let mut t = thread();
            let [a, b, c] = [0; 3].map(|_| (0..16).map(|_| random.next()).collect::<Vec<_>>());
            put(&mut t, 10, 1, &a);
            put(&mut t, 11, 1, &b);
            put(
                &mut t,
                12,
                2,
                &c.iter().map(|c| c & 0xff).collect::<Vec<_>>(),
            );
            put(&mut t, 30, 2, &[7; 16]);
            let acc = Dst::new(Reg::new(RegFile::Acc, 0, 0), 1, Type::Uw);
            t.perform(&inst(Op::Mov, 16, acc, &[src(12, 16, Type::Uw)]))
                .unwrap();
            let op = if round % 2 == 0 { Op::Sad2 } else { Op::Sada2 };
            let sources = [src(10, 16, ty), src(11, 16, ty)];
            t.perform(&inst(op, 16, dst(30, Type::W), &sources))
                .unwrap();
            let difference = |i: usize| (value(a[i], ty) - value(b[i], ty)).abs();
            for (pair, found) in get(&t, 30, 2, 16).chunks(2).enumerate() {
                let start = if op == Op::Sada2 {
                    c[2 * pair] & 0xff
                } else {
                    0
                };
                let sum = difference(2 * pair) + difference(2 * pair + 1) + i128::from(start);
                assert_eq!(i128::from(found[0]), sum, "{op:?}");
            }
        }
    }
}
