//! Flags, predicates, regions, addresses and packed immediates.

use super::*;

#[test]
fn comparisons_set_the_flags_of_enabled_channels() {
    let mut t = thread();
    put(&mut t, 10, 4, &[1, 2, 3, 4, 5, 6, 7, 8]);
    t.active = 0b1111_0111;
    t.set_flag_bits(u128::MAX, 0xffff_ffff_ffff_ffff);
    t.perform(&cmp(8, Cond::Gt, src(10, 8, Type::D), Src::imm(Type::D, 4)))
        .unwrap();
    // Channel 3 is disabled: its bit is unchanged.
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
    t.set_flag_bits(u128::MAX, 0b0110_1111_0000_0001);
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
        let op = Operation::new(&nop, 0, &SKL);
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
    // A strided destination leaves the elements between unchanged.
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
    // Scattered moves, one for each channel.
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

/// A register with one variable of a byte, moved as dwords: the copy has that byte.
#[test]
fn moves_copy_undefined_bytes_one_by_one() {
    let mut t = thread();
    t.defined = Some(Box::new(Defined::none(t.grf.len())));
    let at = |num: u32, byte: usize| num as usize * t.platform.grf_bytes as usize + byte;
    let [from, to] = [at(10, 5), at(20, 0)];
    t.define(from, 1);
    let check = |t: &mut Thread, inst: Inst| {
        let program = Decoded::from_insts(vec![inst], t.platform);
        t.check(&program.ops()[0])
    };
    check(
        &mut t,
        inst(Op::Mov, 8, dst(20, Type::D), &[src(10, 8, Type::D)]),
    )
    .unwrap();
    let known: Vec<usize> = (0..32).filter(|n| t.sent(to + n, 1).is_ok()).collect();
    assert_eq!(known, [5]);
    let add = |byte, ty| {
        let sources = [scalar(20, byte, ty), Src::imm(Type::W, 1)];
        inst(Op::Add, 1, dst(30, Type::D), &sources)
    };
    check(&mut t, add(5, Type::Ub)).unwrap();
    for (byte, ty) in [(4, Type::Ub), (4, Type::Ud)] {
        let found = check(&mut t, add(byte, ty));
        assert!(matches!(found, Err(Cause::Undefined { .. })), "{found:?}");
    }
    // A wider copy has bits of all its source's bytes.
    check(
        &mut t,
        inst(Op::Mov, 1, dst(21, Type::D), &[scalar(20, 4, Type::Uw)]),
    )
    .unwrap();
    assert!((0..4).all(|n| t.sent(at(21, n), 1).is_err()));
}

/// `smov` does not change channels outside its mask.
#[test]
fn smov_defines_what_it_moves() {
    let mut t = thread();
    t.defined = Some(Box::new(Defined::none(t.grf.len())));
    let at = |num: usize, channel: usize| num * t.platform.grf_bytes as usize + channel * 4;
    let [from, first, last] = [at(11, 0), at(20, 0), at(20, 8)];
    t.define(from, 4);
    t.define(first, 16);
    // r10 is undefined: so are the first channel's four bytes afterwards, and no other's.
    for (num, channel) in [(10, 0), (11, 4)] {
        let mask = Src::imm(Type::Uw, 1 << channel);
        let smov = inst(
            Op::Smov,
            8,
            dst(20, Type::D),
            &[scalar(num, 0, Type::D), mask],
        );
        let program = Decoded::from_insts(vec![smov], t.platform);
        t.check(&program.ops()[0]).unwrap();
    }
    let known: Vec<bool> = (first..last)
        .step_by(4)
        .map(|at| t.sent(at, 4).is_ok())
        .collect();
    assert_eq!(known, [false, true, true, true, true, false, false, false]);
}
