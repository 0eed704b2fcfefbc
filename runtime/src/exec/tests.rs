//! Instructions by hand, against models that share nothing with the executor: the host's own
//! arithmetic, and results worked out on paper.

mod messages;

use kiln_emit::inst::{
    Cond, CondMod, Desc, Dst, Inst, MathFn, Message, Op, Place, Pred, PredCtrl, Reg, RegFile,
    Region, Src, SrcMod, SrcReg, Target, Type,
};

use super::error::Cause;
use super::machine::{Status, Thread};
use super::memory::{Memory, Shared, Surface};
use super::operand::int_range;
use super::operation::Operation;
use super::program::Program;
use super::run::steps;
use super::stats::Counts;
use super::words::Words;

const F0: Reg = Reg {
    file: RegFile::Flag,
    num: 0,
    byte: 0,
};

impl Thread {
    /// Executes an instruction as if it were alone in a program.
    fn perform(&mut self, inst: &Inst) -> Result<(), Cause> {
        let program = Program::from_insts(vec![inst.clone()]);
        self.execute(&program.ops()[0])
    }
}

fn dst(num: u32, ty: Type) -> Dst {
    Dst::new(Reg::grf(num), 1, ty)
}

fn src(num: u32, exec: u8, ty: Type) -> Src {
    Src::reg(Reg::grf(num), Region::packed(exec), ty)
}

fn scalar(num: u32, byte: u16, ty: Type) -> Src {
    Src::reg(Reg::new(RegFile::Grf, num, byte), Region::SCALAR, ty)
}

fn inst(op: Op, exec: u8, dst: Dst, srcs: &[Src]) -> Inst {
    let mut inst = Inst::new(op, exec);
    inst.dst = Some(dst);
    inst.srcs = srcs.iter().copied().collect();
    inst
}

fn mov_imm(num: u32, exec: u8, ty: Type, bits: u64) -> Inst {
    inst(Op::Mov, exec, dst(num, ty), &[Src::imm(ty, bits)])
}

fn branch(op: Op, exec: u8, jip: i32, uip: Option<i32>) -> Inst {
    let mut inst = Inst::new(op, exec);
    inst.jip = Some(Target::Offset(jip));
    inst.uip = uip.map(Target::Offset);
    inst
}

fn predicated(mut inst: Inst, inverse: bool) -> Inst {
    inst.pred = Some(Pred {
        flag: F0,
        inverse,
        ctrl: PredCtrl::Normal,
    });
    inst
}

fn no_mask(mut inst: Inst) -> Inst {
    inst.no_mask = true;
    inst
}

fn cmp(exec: u8, cond: Cond, a: Src, b: Src) -> Inst {
    let null = Dst::new(Reg::NULL, 1, a.ty());
    let mut inst = inst(Op::Cmp, exec, null, &[a, b]);
    inst.cond = Some(CondMod { cond, flag: F0 });
    inst
}

fn thread() -> Thread {
    Thread::new(0, 0xffff)
}

fn put(thread: &mut Thread, num: u32, size: usize, values: &[u64]) {
    for (i, v) in values.iter().enumerate() {
        let at = num as usize * 32 + i * size;
        thread.grf[at..at + size].copy_from_slice(&v.to_le_bytes()[..size]);
    }
}

fn get(thread: &Thread, num: u32, size: usize, count: usize) -> Vec<u64> {
    (0..count)
        .map(|i| {
            let at = num as usize * 32 + i * size;
            let mut word = [0; 8];
            word[..size].copy_from_slice(&thread.grf[at..at + size]);
            u64::from_le_bytes(word)
        })
        .collect()
}

fn dwords(thread: &Thread, num: u32, count: usize) -> Vec<u32> {
    get(thread, num, 4, count)
        .into_iter()
        .map(|v| v as u32)
        .collect()
}

/// Keeps denormals, as compilers ask for.
fn keep_denormals(thread: &mut Thread) {
    thread.control[..4].copy_from_slice(&0x4c0u32.to_le_bytes());
    thread.update_mode();
}

/// A fixed sequence of well mixed numbers.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // Small and extreme numbers are as likely as others.
        match self.0 >> 61 {
            0 => self.0 & 0xff,
            1 => !(self.0 & 0xff),
            2 => 1 << (self.0 & 63),
            3 => (1u64 << (self.0 & 63)).wrapping_sub(1),
            _ => self.0,
        }
    }
}

/// The value of an element.
fn value(bits: u64, ty: Type) -> i128 {
    let width = ty.bytes() * 8;
    let cut = i128::from(bits) & ((1i128 << width) - 1);
    if ty.is_signed() && cut >> (width - 1) != 0 {
        cut - (1i128 << width)
    } else {
        cut
    }
}

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

#[test]
fn comparisons_set_the_flags_of_enabled_channels() {
    let mut t = thread();
    put(&mut t, 10, 4, &[1, 2, 3, 4, 5, 6, 7, 8]);
    t.active = 0b1111_0111;
    t.set_flag_bits(u64::MAX, 0xffff_ffff_ffff_ffff);
    t.perform(&cmp(8, Cond::Gt, src(10, 8, Type::D), Src::imm(Type::D, 4)))
        .unwrap();
    // Channel 3 is off: its bit stays.
    assert_eq!(t.flag_bits(), 0xffff_ffff_ffff_fff8);
    // Channels 16-23 have their own bits, in the upper half.
    let mut upper = no_mask(cmp(8, Cond::Lt, src(10, 8, Type::D), Src::imm(Type::D, 3)));
    upper.chan_off = 16;
    t.perform(&upper).unwrap();
    assert_eq!(t.flag_bits(), 0xffff_ffff_ff03_fff8);
    // A result's sign and zero, as stored.
    let mut sum = inst(
        Op::Add,
        8,
        Dst::new(Reg::NULL, 1, Type::Ub),
        &[src(10, 8, Type::D), Src::imm(Type::D, 252)],
    );
    sum.cond = Some(CondMod {
        cond: Cond::Eq,
        flag: F0,
    });
    t.perform(&no_mask(sum)).unwrap();
    assert_eq!(t.flag_bits() & 0xff, 0b1000);
}

#[test]
fn predicates_mask_choose_and_combine() {
    let mut t = thread();
    t.set_flag_bits(u64::MAX, 0b0110_1111_0000_0001);
    put(&mut t, 30, 4, &[0; 16]);
    t.perform(&predicated(mov_imm(30, 16, Type::Ud, 7), false))
        .unwrap();
    let lanes = |bits: u32| (0..16).map(|l| (bits >> l & 1) * 7).collect::<Vec<_>>();
    assert_eq!(dwords(&t, 30, 16), lanes(0b0110_1111_0000_0001));
    let one = Src::imm(Type::Ud, 1);
    put(&mut t, 10, 4, &[7; 16]);
    let sel = inst(
        Op::Sel,
        16,
        dst(32, Type::Ud),
        &[src(10, 16, Type::Ud), one],
    );
    t.perform(&predicated(sel, true)).unwrap();
    let chosen: Vec<u32> = lanes(!0b0110_1111_0000_0001)
        .iter()
        .map(|v| *v.max(&1))
        .collect();
    assert_eq!(dwords(&t, 32, 16), chosen);
    let pred = |ctrl, inverse, chan_off, lanes| {
        let mut nop = Inst::new(Op::Nop, lanes);
        nop.chan_off = chan_off;
        nop.pred = Some(Pred {
            flag: F0,
            inverse,
            ctrl,
        });
        let op = Operation::new(&nop, 0);
        t.predicate(&op, &op.pred.unwrap())
    };
    assert_eq!(pred(PredCtrl::Any(4), false, 0, 16), 0b1111_1111_0000_1111);
    assert_eq!(pred(PredCtrl::All(4), false, 0, 16), 0b0000_1111_0000_0000);
    assert_eq!(pred(PredCtrl::All(4), false, 8, 4), 0b1111);
    assert_eq!(pred(PredCtrl::Any(16), true, 0, 1), 0);
    assert_eq!(pred(PredCtrl::All(16), true, 0, 1), 1);
    assert_eq!(
        pred(PredCtrl::Replicate(0), false, 0, 16),
        0b0000_1111_0000_1111
    );
}

#[test]
fn regions_pick_their_elements() {
    let mut t = thread();
    let numbers: Vec<u64> = (0..64).collect();
    put(&mut t, 10, 4, &numbers);
    let mut run = |byte, region| {
        let source = Src::reg(Reg::new(RegFile::Grf, 10, byte), region, Type::Ud);
        t.perform(&inst(Op::Mov, 8, dst(30, Type::Ud), &[source]))
            .unwrap();
        dwords(&t, 30, 8)
    };
    assert_eq!(run(0, Region::new(8, 8, 1)), [0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(run(4, Region::new(16, 8, 2)), [1, 3, 5, 7, 9, 11, 13, 15]);
    assert_eq!(run(8, Region::new(4, 2, 1)), [2, 3, 6, 7, 10, 11, 14, 15]);
    assert_eq!(run(0, Region::new(1, 4, 2)), [0, 2, 4, 6, 1, 3, 5, 7]);
    assert_eq!(run(12, Region::SCALAR), [3; 8]);
    assert_eq!(run(0, Region::new(2, 1, 0)), [0, 2, 4, 6, 8, 10, 12, 14]);
    assert_eq!(run(0, Region::new(0, 8, 1)), [0, 1, 2, 3, 4, 5, 6, 7]);
    // A strided destination leaves the elements between alone.
    put(&mut t, 30, 2, &[0; 16]);
    let strided = Dst::new(Reg::new(RegFile::Grf, 30, 2), 2, Type::Uw);
    t.perform(&inst(Op::Mov, 8, strided, &[src(10, 8, Type::Ud)]))
        .unwrap();
    assert_eq!(
        get(&t, 30, 2, 16),
        [0, 0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7]
    );
}

#[test]
fn addresses_find_registers() {
    let mut t = thread();
    let numbers: Vec<u64> = (0..64).collect();
    put(&mut t, 10, 4, &numbers);
    let a0 = Reg::new(RegFile::Addr, 0, 0);
    let addresses = [320 + 4 * 9, 320, 320 + 4 * 60, 320 + 4 * 2];
    for (i, a) in addresses.iter().enumerate() {
        t.addr[i * 2..i * 2 + 2].copy_from_slice(&(*a as u16).to_le_bytes());
    }
    let mut run = |imm, region| {
        let source = Src::Reg(SrcReg {
            place: Place::Indirect { addr: a0, imm },
            region,
            ty: Type::Ud,
            modifier: SrcMod::default(),
            swizzle: 0,
            mme: None,
        });
        t.perform(&inst(Op::Mov, 4, dst(30, Type::Ud), &[source]))
            .map(|()| dwords(&t, 30, 4))
    };
    let rows = |width| Region {
        vstride: None,
        width,
        hstride: 1,
    };
    assert_eq!(run(0, rows(1)).unwrap(), [9, 0, 60, 2]);
    assert_eq!(run(4, rows(2)).unwrap(), [10, 11, 1, 2]);
    assert_eq!(run(-4, Region::new(4, 4, 1)).unwrap(), [8, 9, 10, 11]);
    assert!(matches!(
        run(-500, rows(1)),
        Err(Cause::RegisterRange { .. })
    ));
    // Scattered moves: a channel each.
    for (channel, address) in addresses.iter().enumerate().take(2) {
        let mut to = dst(0, Type::Ud);
        let base = Reg::new(RegFile::Addr, 0, channel as u16 * 2);
        to.place = Place::Indirect { addr: base, imm: 0 };
        let mask = Src::imm(Type::Uw, 1 << channel);
        let i = inst(
            Op::Smov,
            8,
            to,
            &[Src::imm(Type::Ud, 1000 + channel as u64), mask],
        );
        t.perform(&i).unwrap();
        assert_eq!(
            t.grf_dword(*address as usize + channel * 4),
            1000 + channel as u32
        );
    }
}

#[test]
fn packed_immediates_differ_by_channel() {
    let mut t = thread();
    let mut run = |ty, to, bits| {
        t.perform(&inst(Op::Mov, 8, dst(30, to), &[Src::imm(ty, bits)]))
            .unwrap();
        get(&t, 30, to.bytes() as usize, 8)
    };
    assert_eq!(
        run(Type::Uv, Type::Uw, 0xfedc_ba98),
        [8, 9, 10, 11, 12, 13, 14, 15]
    );
    let signed = run(Type::V, Type::W, 0x8765_4f10);
    assert_eq!(
        signed.iter().map(|v| *v as i16).collect::<Vec<_>>(),
        [0, 1, -1, 4, 5, 6, 7, -8]
    );
    let floats = run(Type::Vf, Type::F, 0x00b8_3040);
    let floats: Vec<f32> = floats.iter().map(|v| f32::from_bits(*v as u32)).collect();
    assert_eq!(floats[..4], [2.0, 1.0, -1.5, 0.0]);
}

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
    // Else the executor would hide a finalizer's missing steps.
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

/// Executes code on one thread until it ends or nothing is left, at most `limit` instructions.
fn run(t: &mut Thread, insts: Vec<Inst>, shared: &mut Shared, limit: u32) -> Result<(), Cause> {
    let end = insts.len() as u32;
    let program = Program::from_insts(insts);
    let mut counts = Counts::new(&program);
    for _ in 0..limit {
        if t.ip == end || t.status != Status::Running {
            // Channels may wait for the end.
            t.wake_channels();
            return Ok(());
        }
        steps(t, &program, shared, 1, &mut counts)?;
    }
    panic!("the code does not end");
}

fn run_alone(t: &mut Thread, insts: Vec<Inst>) {
    let mut shared = Shared {
        memory: &Memory::default(),
        surfaces: &[],
        samplers: &[],
        slm: &Words::default(),
        general_state: 0,
        arrived: 0,
        read: 0,
        written: 0,
    };
    run(t, insts, &mut shared, 10_000).unwrap();
}

fn add_imm(num: u32, v: i32) -> Inst {
    let by = Src::imm(Type::D, u64::from(v as u32));
    inst(Op::Add, 8, dst(num, Type::D), &[src(num, 8, Type::D), by])
}

/// r10 holds the channels' numbers, r20 zeroes; channels 0-7 are on.
fn numbered() -> Thread {
    let mut t = Thread::new(0, 0xff);
    put(&mut t, 10, 4, &[0, 1, 2, 3, 4, 5, 6, 7]);
    put(&mut t, 20, 4, &[0; 8]);
    put(&mut t, 21, 4, &[0; 8]);
    t
}

fn less_than(num: u32, v: u64) -> Inst {
    cmp(8, Cond::Lt, src(num, 8, Type::D), Src::imm(Type::D, v))
}

#[test]
fn both_sides_of_a_condition_run_for_their_channels() {
    let code = |limit| {
        vec![
            less_than(10, limit),
            predicated(branch(Op::If, 8, 48, Some(64)), false),
            add_imm(20, 1),
            branch(Op::Else, 8, 32, Some(32)),
            add_imm(20, 2),
            branch(Op::Endif, 8, 16, None),
            add_imm(20, 10),
        ]
    };
    for (limit, executed) in [
        (3, vec![11, 11, 11, 12, 12, 12, 12, 12]),
        (0, vec![12; 8]),
        (8, vec![11; 8]),
    ] {
        let mut t = numbered();
        run_alone(&mut t, code(limit));
        assert_eq!(dwords(&t, 20, 8), executed);
        assert_eq!((t.active, t.waiting), (0xff, 0));
    }
}

#[test]
fn a_branch_no_channel_takes_is_jumped_over() {
    // An instruction without mask shows whether it was executed.
    let mut t = numbered();
    let code = vec![
        less_than(10, 0),
        predicated(branch(Op::If, 8, 32, Some(32)), false),
        no_mask(mov_imm(21, 1, Type::D, 1)),
        branch(Op::Endif, 8, 16, None),
    ];
    run_alone(&mut t, code);
    assert_eq!(dwords(&t, 21, 1), [0]);
}

#[test]
fn loops_run_as_often_as_each_channel_says() {
    // do { r20 += 1; if (r20 == 6) break; if (r20 odd) continue; r21 += 1 } while (r20 < r10)
    let odd = {
        let mut i = inst(
            Op::And,
            8,
            Dst::new(Reg::NULL, 1, Type::D),
            &[src(20, 8, Type::D), Src::imm(Type::D, 1)],
        );
        i.cond = Some(CondMod {
            cond: Cond::Ne,
            flag: F0,
        });
        i
    };
    let code = vec![
        add_imm(20, 1),
        cmp(8, Cond::Eq, src(20, 8, Type::D), Src::imm(Type::D, 6)),
        predicated(branch(Op::Break, 8, 80, Some(80)), false),
        odd,
        predicated(branch(Op::Cont, 8, 32, Some(32)), false),
        add_imm(21, 1),
        // The continuing channels come back here.
        cmp(8, Cond::Lt, src(20, 8, Type::D), src(10, 8, Type::D)),
        predicated(branch(Op::While, 8, -112, None), false),
    ];
    // `cont` must reach the condition: its target is that compare here.
    let mut t = numbered();
    run_alone(&mut t, code);
    assert_eq!(dwords(&t, 20, 8), [1, 1, 2, 3, 4, 5, 6, 6]);
    assert_eq!(dwords(&t, 21, 8), [0, 0, 1, 1, 2, 2, 2, 2]);
    assert_eq!((t.active, t.waiting), (0xff, 0));
}

#[test]
fn gotos_jump_where_the_predicate_is_false_and_join() {
    let code = vec![
        less_than(10, 3),
        predicated(branch(Op::Goto, 8, 32, Some(64)), false),
        add_imm(20, 1),
        branch(Op::Join, 8, 32, None),
        add_imm(20, 2),
        branch(Op::Join, 8, 16, None),
        add_imm(20, 10),
    ];
    let mut t = numbered();
    run_alone(&mut t, code);
    assert_eq!(dwords(&t, 20, 8), [13, 13, 13, 10, 10, 10, 10, 10]);
    // Backward: where it is true.
    let mut back = predicated(branch(Op::Goto, 8, 16, Some(-32)), false);
    back.opts.branch_ctrl = true;
    let code = vec![
        add_imm(20, 1),
        cmp(8, Cond::Lt, src(20, 8, Type::D), src(10, 8, Type::D)),
        back,
        branch(Op::Join, 8, 16, None),
        add_imm(20, 100),
    ];
    let mut t = numbered();
    run_alone(&mut t, code);
    assert_eq!(dwords(&t, 20, 8), [101, 101, 102, 103, 104, 105, 106, 107]);
}

#[test]
fn calls_return_and_halts_skip() {
    let mut call = predicated(branch(Op::Call, 8, 64, None), false);
    call.dst = Some(dst(125, Type::Ud));
    let mut ret = Inst::new(Op::Ret, 8);
    ret.srcs.push(scalar(125, 0, Type::Ud));
    ret.jip = Some(Target::Reg);
    let code = vec![
        less_than(10, 4),
        call,
        add_imm(20, 1),
        less_than(10, 2),
        predicated(branch(Op::Halt, 8, 64, Some(64)), false),
        // The function, which the channels that go on run too.
        add_imm(21, 5),
        less_than(10, 4),
        predicated(ret, false),
    ];
    let mut t = numbered();
    run_alone(&mut t, code);
    assert_eq!(dwords(&t, 21, 8), [5, 5, 10, 10, 5, 5, 5, 5]);
    assert_eq!(dwords(&t, 20, 8)[..2], [1, 1]);
}

#[test]
fn jumps_move_all_channels() {
    let jump = |pred: bool| {
        let i = no_mask(branch(Op::Jmpi, 1, 32, None));
        if pred { predicated(i, false) } else { i }
    };
    for (limit, expected) in [(1, 0), (0, 1)] {
        let mut t = numbered();
        run_alone(
            &mut t,
            vec![
                less_than(10, limit),
                jump(true),
                add_imm(20, 1),
                jump(false),
                add_imm(21, 1),
            ],
        );
        assert_eq!((dwords(&t, 20, 1)[0], dwords(&t, 21, 1)[0]), (expected, 0));
    }
}

fn send(
    sfid: u8,
    desc: u32,
    exec: u8,
    response: Option<u32>,
    first: u32,
    second: Option<(u32, u32)>,
) -> Inst {
    let mut i = Inst::new(
        if second.is_some() {
            Op::Sends
        } else {
            Op::Send
        },
        exec,
    );
    let to = response.map_or(Reg::NULL, Reg::grf);
    i.dst = Some(Dst::new(to, 1, Type::Ud));
    i.srcs.push(src(first, 8, Type::Ud));
    let mut ex = u32::from(sfid);
    if let Some((num, len)) = second {
        i.srcs.push(src(num, 8, Type::Ud));
        ex |= len << 6;
    }
    i.msg = Some(Message {
        sfid,
        eot: false,
        desc: Desc::Imm(desc),
        ex_desc: Desc::Imm(ex),
    });
    i
}

/// Runs messages against one surface of 256 bytes (byte *n* is *n*), 128 bytes of shared memory,
/// and 1 KiB of scratch space; gives the surface.
fn exchange(t: &mut Thread, insts: Vec<Inst>) -> Result<Vec<u8>, Cause> {
    let mut memory = Memory::default();
    let bytes: Vec<u8> = (0..=255).collect();
    let surface = memory.add("surface", &bytes);
    let scratch = memory.add("scratch", &[0; 1024]);
    let general_state = memory.address(scratch);
    let mut shared = Shared {
        memory: &memory,
        surfaces: &[
            Some(Surface {
                buffer: surface,
                image: None,
            }),
            None,
        ],
        samplers: &[],
        slm: &Words::filled(128, 0),
        general_state,
        arrived: 0,
        read: 0,
        written: 0,
    };
    run(t, insts, &mut shared, 100)?;
    Ok(memory.contents(surface))
}

/// Lengths of message and response, and the rest of a descriptor.
fn desc(message: u32, response: u32, rest: u32) -> u32 {
    message << 25 | response << 20 | rest
}

const DC0: u8 = 10;
const DC1: u8 = 12;
const HEADER: u32 = 1 << 19;

#[test]
fn untyped_messages_move_the_dwords_of_their_mask() {
    let mut t = numbered();
    put(&mut t, 10, 4, &[0, 16, 32, 48, 64, 80, 96, 112]);
    put(&mut t, 30, 4, &[9; 16]);
    t.active = 0b0101;
    // Reads x and z of each address.
    let read = send(
        DC1,
        desc(1, 2, 1 << 14 | 2 << 12 | 0b1010 << 8),
        8,
        Some(30),
        10,
        None,
    );
    exchange(&mut t, vec![read]).unwrap();
    let le = |n: u32| u32::from_le_bytes([n as u8, n as u8 + 1, n as u8 + 2, n as u8 + 3]);
    assert_eq!(dwords(&t, 30, 8), [le(0), 9, le(32), 9, 9, 9, 9, 9]);
    assert_eq!(dwords(&t, 31, 8), [le(8), 9, le(40), 9, 9, 9, 9, 9]);
    // Writes y and w of channels 0 and 2.
    put(
        &mut t,
        40,
        4,
        &[1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14, 15, 16, 17, 18],
    );
    t.ip = 0;
    let write = send(
        DC1,
        desc(1, 0, 9 << 14 | 2 << 12 | 0b0101 << 8),
        8,
        None,
        10,
        Some((40, 2)),
    );
    let after = exchange(&mut t, vec![write]).unwrap();
    let mut expected: Vec<u8> = (0..=255).collect();
    for (at, v) in [(4, 1u32), (12, 11), (36, 3), (44, 13)] {
        expected[at..at + 4].copy_from_slice(&v.to_le_bytes());
    }
    assert_eq!(after, expected);
}

#[test]
fn responses_may_overlap_their_payloads() {
    // Sixteen addresses in two registers; the response covers the second one first.
    let mut t = numbered();
    t.active = 0xffff;
    let addresses: Vec<u64> = (0..16).map(|i| 8 * i).collect();
    put(&mut t, 10, 4, &addresses);
    let read = send(
        DC1,
        desc(2, 2, 1 << 14 | 1 << 12 | 0b1110 << 8),
        16,
        Some(11),
        10,
        None,
    );
    exchange(&mut t, vec![read]).unwrap();
    let le = |n: u64| u32::from_le_bytes([n as u8, n as u8 + 1, n as u8 + 2, n as u8 + 3]);
    let expected: Vec<u32> = addresses.iter().map(|&a| le(a)).collect();
    assert_eq!(dwords(&t, 11, 16), expected);

    // Increments of sixteen dwords: the old values over the second register of addresses.
    let mut t = numbered();
    t.active = 0xffff;
    put(&mut t, 10, 4, &addresses);
    let rest = 2 << 14 | 1 << 13 | 5 << 8;
    let atomic = send(DC1, desc(2, 2, rest), 16, Some(11), 10, None);
    let after = exchange(&mut t, vec![atomic]).unwrap();
    assert_eq!(dwords(&t, 11, 16), expected);
    for a in addresses {
        let bytes = after[a as usize..][..4].try_into().unwrap();
        assert_eq!(u32::from_le_bytes(bytes), le(a) + 1);
    }
}

#[test]
fn bytes_are_gathered_and_scattered() {
    for (log, size) in [(0, 1), (1, 2), (2, 4)] {
        let mut t = numbered();
        put(&mut t, 10, 4, &[3, 200, 100, 0, 0, 0, 0, 0]);
        t.active = 0b111;
        let read = send(DC0, desc(1, 1, 4 << 14 | log << 10), 8, Some(30), 10, None);
        exchange(&mut t, vec![read]).unwrap();
        let expected = |n: u32| (0..size).fold(0, |v, i| v | (n + i) << (8 * i));
        assert_eq!(
            dwords(&t, 30, 3),
            [expected(3), expected(200), expected(100)]
        );
        put(&mut t, 40, 4, &[0xaabb_ccdd; 8]);
        t.ip = 0;
        t.active = 0b010;
        let write = send(
            DC0,
            desc(1, 0, 12 << 14 | log << 10),
            8,
            None,
            10,
            Some((40, 1)),
        );
        let after = exchange(&mut t, vec![write]).unwrap();
        let changed: Vec<usize> = (0..256).filter(|&i| usize::from(after[i]) != i).collect();
        assert_eq!(changed, (200..200 + size as usize).collect::<Vec<_>>());
        assert_eq!(after[200], 0xdd);
    }
}

#[test]
fn addresses_of_64_bits_reach_buffers() {
    let base = {
        let mut memory = Memory::default();
        let index = memory.add("surface", &[]);
        memory.address(index)
    };
    let mut t = numbered();
    let addresses: Vec<u64> = (0..8).map(|n| base + n * 24).collect();
    put(&mut t, 10, 8, &addresses);
    t.active = 0b1000_0001;
    // Two quadwords of each.
    let read = send(
        DC1,
        desc(2, 4, 0x10 << 14 | 1 << 10 | 2 << 8 | 255),
        8,
        Some(30),
        10,
        None,
    );
    let quad = |n: u64| u64::from_le_bytes(std::array::from_fn(|i| n as u8 + i as u8));
    exchange(&mut t, vec![read]).unwrap();
    let found = get(&t, 30, 8, 16);
    assert_eq!(
        [found[0], found[7], found[8], found[15]],
        [quad(0), quad(168), quad(8), quad(176)]
    );
    // A block of four octwords, 32 bytes into the buffer.
    put(&mut t, 12, 8, &[base + 32, 0, 0, 0]);
    t.ip = 0;
    let block = send(
        DC1,
        desc(1, 2, HEADER | 0x14 << 14 | 3 << 8 | 255),
        8,
        Some(40),
        12,
        None,
    );
    exchange(&mut t, vec![no_mask(block)]).unwrap();
    assert_eq!(get(&t, 40, 1, 64), (32..96).collect::<Vec<_>>());
    // Behind the buffer's end there is none.
    put(&mut t, 10, 8, &[base + 250; 8]);
    t.ip = 0;
    let read = send(
        DC1,
        desc(2, 2, 0x10 << 14 | 2 << 8 | 255),
        8,
        Some(30),
        10,
        None,
    );
    let error = exchange(&mut t, vec![read]).unwrap_err();
    assert!(
        matches!(
            error,
            Cause::OutOfBounds {
                channel: 0,
                at: 250,
                size: 8,
                room: 256,
                ..
            }
        ),
        "{error}"
    );
}

#[test]
fn octword_blocks_and_scratch_space() {
    let mut t = numbered();
    let counting: Vec<u64> = (1..=16).collect();
    put(&mut t, 40, 4, &counting);
    put(&mut t, 12, 4, &[0, 0, 2, 0, 0, 0, 0, 0]);
    // Offset 2 octwords; four of them.
    let write = send(
        DC0,
        desc(1, 0, HEADER | 8 << 14 | 3 << 8),
        8,
        None,
        12,
        Some((40, 2)),
    );
    let read = send(DC0, desc(1, 2, HEADER | 3 << 8), 8, Some(50), 12, None);
    // The unaligned read's offset is in bytes: two octwords, 2 bytes off a multiple of 4.
    let unaligned = send(
        DC0,
        desc(1, 1, HEADER | 1 << 14 | 2 << 8),
        8,
        Some(60),
        12,
        None,
    );
    let after = exchange(&mut t, vec![no_mask(write), no_mask(read)]).unwrap();
    assert_eq!(after[31..37], [31, 1, 0, 0, 0, 2]);
    assert_eq!(get(&t, 50, 4, 16), counting);
    t.ip = 0;
    assert!(matches!(
        exchange(&mut t, vec![no_mask(unaligned)]),
        Err(Cause::Payload { .. })
    ));

    // Two registers of scratch space at register 3, dword by dword, then all of them back.
    let spill = send(
        DC0,
        desc(1, 0, HEADER | 7 << 16 | 1 << 12 | 3),
        16,
        None,
        12,
        Some((40, 2)),
    );
    let reload = send(
        DC0,
        desc(1, 2, HEADER | 1 << 18 | 1 << 12 | 3),
        16,
        Some(50),
        12,
        None,
    );
    t.ip = 0;
    t.active = 0xfffd;
    exchange(&mut t, vec![spill.clone(), no_mask(reload)]).unwrap();
    let mut expected = counting.clone();
    expected[1] = 0;
    assert_eq!(get(&t, 50, 4, 16), expected);
    // Another thread's scratch space is out of reach.
    put(&mut t, 12, 4, &[0, 0, 0, 0, 0, 0x400, 0, 0]);
    t.ip = 0;
    assert!(matches!(
        exchange(&mut t, vec![spill]),
        Err(Cause::Payload { .. })
    ));
}

#[test]
fn atomics_update_shared_memory_and_return() {
    // (operation, old, source 0, source 1, new, returned)
    let minus = |v: i32| v as u32;
    for (code, a, b, new, returned) in [
        (1, 0b1100, 0, 0b1000, 0b1010),
        (2, 0b1100, 0, 0b1110, 0b1010),
        (3, 0b1100, 0, 0b0110, 0b1010),
        (4, 7, 0, 7, 0b1010),
        (5, 0, 0, 11, 10),
        (6, 0, 0, 9, 10),
        (7, minus(-12), 0, minus(-2), 10),
        (8, 3, 0, 7, 10),
        (9, 3, 0, minus(-7), 10),
        (10, minus(-1), 0, 10, 10),
        (11, minus(-1), 0, minus(-1), 10),
        (12, minus(-1), 0, minus(-1), 10),
        (13, minus(-1), 0, 10, 10),
        (14, 10, 99, 99, 10),
        (14, 11, 99, 10, 10),
        (15, 0, 0, 9, 9),
    ] {
        let mut t = numbered();
        t.active = 1;
        put(&mut t, 10, 4, &[64; 8]);
        put(&mut t, 11, 4, &[10; 8]);
        put(&mut t, 12, 4, &[u64::from(a); 8]);
        put(&mut t, 13, 4, &[b; 8]);
        let slm = 254;
        let set = send(
            DC1,
            desc(1, 0, 9 << 14 | 2 << 12 | 0b1110 << 8 | slm),
            8,
            None,
            10,
            Some((11, 1)),
        );
        let rest = 2 << 14 | 1 << 13 | 1 << 12 | code << 8 | slm;
        let atomic = send(DC1, desc(1, 1, rest), 8, Some(30), 10, Some((12, 2)));
        let read = send(
            DC1,
            desc(1, 1, 1 << 14 | 2 << 12 | 0b1110 << 8 | slm),
            8,
            Some(31),
            10,
            None,
        );
        exchange(&mut t, vec![set, atomic, read]).unwrap();
        assert_eq!(
            (dwords(&t, 31, 1)[0], dwords(&t, 30, 1)[0]),
            (new, returned),
            "operation {code}"
        );
    }
}

#[test]
fn accesses_out_of_bounds_and_unknown_messages_are_errors() {
    let read = |bti: u32| {
        send(
            DC1,
            desc(1, 1, 1 << 14 | 2 << 12 | 0b1110 << 8 | bti),
            8,
            Some(30),
            10,
            None,
        )
    };
    let try_one = |offset: u64, i: Inst| {
        let mut t = numbered();
        put(&mut t, 10, 4, &[0, 0, offset, 0, 0, 0, 0, 0]);
        exchange(&mut t, vec![i]).map(|_| ())
    };
    assert!(try_one(252, read(0)).is_ok());
    assert!(matches!(
        try_one(253, read(0)),
        Err(Cause::OutOfBounds {
            channel: 2,
            at: 253,
            ..
        })
    ));
    assert!(matches!(
        try_one(0xffff_fffe, read(0)),
        Err(Cause::OutOfBounds { channel: 2, .. })
    ));
    assert!(try_one(124, read(254)).is_ok());
    assert!(matches!(
        try_one(125, read(254)),
        Err(Cause::OutOfBounds { .. })
    ));
    assert!(matches!(
        try_one(1024, read(255)),
        Err(Cause::OutOfBounds { .. })
    ));
    assert!(matches!(try_one(0, read(1)), Err(Cause::EmptyEntry(1))));
    assert!(matches!(try_one(0, read(200)), Err(Cause::EmptyEntry(200))));
    let sampler = send(2, desc(1, 1, 0), 8, Some(30), 10, None);
    assert!(matches!(
        try_one(0, sampler),
        Err(Cause::Message { sfid: 2, .. })
    ));
    let short = send(
        DC1,
        desc(1, 0, 9 << 14 | 2 << 12 | 0b1110 << 8),
        8,
        None,
        10,
        None,
    );
    assert!(matches!(try_one(0, short), Err(Cause::Payload { .. })));
}
