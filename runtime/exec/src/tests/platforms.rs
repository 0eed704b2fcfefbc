//! Differences between platforms: sizes of register files, and meanings of some operations.

use kiln_emit::inst::SyncFn;
use kiln_emit::platform::find;

use super::flow::{add_imm, less_than, run_alone};
use super::*;
use crate::state::memory::SCRATCH_STATE;

fn platform(name: &str) -> &'static Platform {
    find(name).expect("a known platform")
}

#[test]
fn forward_gotos_take_the_channels_that_the_platform_says() {
    let code = vec![
        less_than(10, 3),
        predicated(branch(Op::Goto, 8, 32, Some(32)), false),
        add_imm(20, 1),
        branch(Op::Join, 8, 16, None),
        add_imm(20, 10),
    ];
    for (name, expected) in [
        ("skl", [11, 11, 11, 10, 10, 10, 10, 10]),
        ("icllp", [10, 10, 10, 11, 11, 11, 11, 11]),
    ] {
        let mut t = numbered_on(platform(name));
        run_alone(&mut t, code.clone());
        assert_eq!(dwords(&t, 20, 8), expected, "{name}");
        assert_eq!((t.active, t.waiting), (0xff, 0));
    }
}

/// The product of two dwords through the accumulator, by `mach` with or without accumulator write control.
fn product(t: &mut Thread, ty: Type, a: u32, b: u32, acc_write: bool) -> u32 {
    put(t, 10, 4, &[u64::from(a); 8]);
    put(t, 11, 4, &[u64::from(b); 8]);
    let low = Region {
        vstride: Some(16),
        width: 8,
        hstride: 2,
    };
    let acc = Dst::new(Reg::new(RegFile::Acc, 0, 0), 1, ty);
    let low = Src::reg(Reg::grf(11), low, Type::Uw);
    t.perform(&inst(Op::Mul, 8, acc, &[src(10, 8, ty), low]))
        .unwrap();
    let sources = [src(10, 8, ty), src(11, 8, ty)];
    let mut mach = inst(Op::Mach, 8, dst(20, ty), &sources);
    mach.opts.acc_wr_en = acc_write;
    t.perform(&mach).unwrap();
    dwords(t, 20, 1)[0]
}

#[test]
fn mach_without_accumulator_write_gives_the_half_that_the_platform_says() {
    let numbers = [
        0,
        1,
        7,
        0xffff,
        0x1_0000,
        0x7fff_ffff,
        0x8000_0000,
        u32::MAX,
    ];
    for (a, b) in numbers.iter().flat_map(|&a| numbers.map(|b| (a, b))) {
        let signed = i64::from(a as i32) * i64::from(b as i32);
        let unsigned = u64::from(a) * u64::from(b);
        for (ty, exact) in [(Type::D, signed as u64), (Type::Ud, unsigned)] {
            let (high, low) = ((exact >> 32) as u32, exact as u32);
            let mut gen9 = Thread::new(0, 0xff, &SKL);
            let mut gen11 = Thread::new(0, 0xff, platform("icllp"));
            assert_eq!(product(&mut gen9, ty, a, b, false), high, "{a} {b}");
            assert_eq!(product(&mut gen9, ty, a, b, true), high, "{a} {b}");
            assert_eq!(product(&mut gen11, ty, a, b, false), low, "{a} {b}");
            assert_eq!(product(&mut gen11, ty, a, b, true), high, "{a} {b}");
        }
    }
}

/// The reference compiler's code for 64-bit products: the low half is moved out of the accumulator.
#[test]
fn the_accumulator_keeps_the_low_half_where_it_has_no_write_control() {
    for name in ["pvc", "lnl", "bmg"] {
        for (ty, a, b) in [
            (Type::Ud, 0x1234_5678, 0x9abc_def0),
            (Type::Ud, u32::MAX, u32::MAX),
            (Type::D, 0x8000_0001, 0x7fff_ffff),
        ] {
            let mut t = Thread::new(0, 0xff, platform(name));
            let high = product(&mut t, ty, a, b, false);
            let acc = Src::reg(Reg::new(RegFile::Acc, 0, 0), Region::packed(8), ty);
            t.perform(&inst(Op::Mov, 8, dst(21, ty), &[acc])).unwrap();
            let low = dwords(&t, 21, 1)[0];
            let exact = match ty {
                Type::D => (i64::from(a as i32) * i64::from(b as i32)) as u64,
                _ => u64::from(a) * u64::from(b),
            };
            assert_eq!(
                u64::from(high) << 32 | u64::from(low),
                exact,
                "{name}: {a:#x} * {b:#x}"
            );
        }
    }
}

/// The reference finalizer's code of `madw` for Battlemage: `mul` to the accumulator, `mach` for the upper half, and
/// `mov` of the lower half from the accumulator. Only the last tells that `mach` writes it without a control.
#[test]
fn the_reference_finalizers_product_of_64_bits_is_right_on_battlemage() {
    let code = [
        "411a1000600601200406100104082000",
        "49001000600605150406100604081000",
        "61001000600605140020100000000000",
    ];
    let byte = |text: &str, at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    let bytes: Vec<u8> = (code.iter())
        .flat_map(|text| (0..text.len()).step_by(2).map(|at| byte(text, at)))
        .collect();
    let bmg = platform("bmg");
    let insts = kiln_emit::listing::insts(&bytes, bmg);
    assert_eq!(insts.len(), 3);
    let numbers = [
        0,
        1,
        0xffff,
        0x1_0000,
        0x1234_5678,
        0x7fff_ffff,
        0x8000_0001,
        u32::MAX,
    ];
    let [a, b]: [Vec<u32>; 2] = [
        (0..16).map(|lane| numbers[lane % 8]).collect(),
        (0..16)
            .map(|lane| numbers[(lane * 3 + lane / 8) % 8])
            .collect(),
    ];
    let mut t = Thread::new(0, 0xffff, bmg);
    for (register, factors) in [(6, &a), (8, &b)] {
        let wide: Vec<u64> = factors.iter().map(|n| u64::from(*n)).collect();
        put(&mut t, register, 4, &wide);
    }
    for inst in &insts {
        t.perform(inst).unwrap();
    }
    let (low, high) = (dwords(&t, 20, 16), dwords(&t, 21, 16));
    for lane in 0..16 {
        let exact = i64::from(a[lane] as i32) * i64::from(b[lane] as i32);
        let found = u64::from(high[lane]) << 32 | u64::from(low[lane]);
        assert_eq!(found, exact as u64, "{:#x} * {:#x}", a[lane], b[lane]);
    }
}

/// Two steps of an interpolation, as in pixel shaders: the sum of the first does not fit a single.
#[test]
fn native_floats_keep_more_bits_than_singles() {
    for name in ["icllp", "tgllp"] {
        let mut t = Thread::new(0, 0xff, platform(name));
        let [small, large] = [2f32.powi(-30), 1.0].map(|v| u64::from(v.to_bits()));
        put(&mut t, 2, 4, &[small; 8]);
        put(&mut t, 6, 4, &[large; 8]);
        put(&mut t, 7, 4, &[u64::from((-1f32).to_bits()); 8]);
        let acc = |ty| Src::reg(Reg::new(RegFile::Acc, 0, 0), Region::packed(8), ty);
        let to_acc = |ty| Dst::new(Reg::new(RegFile::Acc, 0, 0), 1, ty);
        let f = |num| src(num, 8, Type::F);
        for (ty, expected) in [(Type::Nf, 2f32.powi(-30)), (Type::F, 0.0)] {
            // 1 + 2^-30 * 1, then -1 is added.
            t.perform(&inst(Op::Mad, 8, to_acc(ty), &[f(6), f(2), f(6)]))
                .unwrap();
            t.perform(&inst(Op::Mad, 8, dst(10, Type::F), &[acc(ty), f(7), f(6)]))
                .unwrap();
            assert_eq!(dwords(&t, 10, 8), [expected.to_bits(); 8], "{name}, {ty:?}");
        }
        // A single in the accumulator is read unchanged.
        t.perform(&inst(Op::Mov, 8, to_acc(Type::F), &[f(7)]))
            .unwrap();
        t.perform(&inst(
            Op::Mad,
            8,
            dst(10, Type::F),
            &[acc(Type::Nf), f(6), f(6)],
        ))
        .unwrap();
        assert_eq!(dwords(&t, 10, 8), [0; 8]);
    }
}

#[test]
fn rotations_stay_within_the_type() {
    let mut t = Thread::new(0, 0xff, platform("icllp"));
    let mut random = Random(0x1234_5678_9abc_def1);
    for round in 0..200 {
        let (v, n) = (random.next() as u32, (random.next() % 70) as u32);
        put(&mut t, 11, 4, &[u64::from(n); 8]);
        let by = match round % 2 {
            0 => Src::imm(Type::Ud, u64::from(n)),
            _ => src(11, 8, Type::Ud),
        };
        let (word, number) = (v as u16, u64::from);
        for (op, ty, expected) in [
            (Op::Rol, Type::Ud, number(v.rotate_left(n))),
            (Op::Ror, Type::Ud, number(v.rotate_right(n))),
            (Op::Rol, Type::D, number(v.rotate_left(n))),
            (Op::Ror, Type::D, number(v.rotate_right(n))),
            (Op::Rol, Type::Uw, number(word.rotate_left(n).into())),
            (Op::Ror, Type::Uw, number(word.rotate_right(n).into())),
            (Op::Rol, Type::W, number(word.rotate_left(n).into())),
            (Op::Ror, Type::W, number(word.rotate_right(n).into())),
        ] {
            let bytes = ty.bytes() as usize;
            put(&mut t, 10, bytes, &[number(v); 8]);
            t.perform(&inst(op, 8, dst(12, ty), &[src(10, 8, ty), by]))
                .unwrap();
            let found = get(&t, 12, bytes, 8);
            assert_eq!(found, [expected; 8], "{op:?} {ty:?} {v:#x} by {n}");
        }
    }
}

#[test]
fn registers_are_as_large_and_as_many_as_the_platform_says() {
    let pvc = platform("pvc");
    let mut t = Thread::new(0, 0xffff, pvc);
    // Sixteen dwords are one register there.
    let numbers: Vec<u64> = (100..116).collect();
    put(&mut t, 255, 4, &numbers);
    let mut add = inst(
        Op::Add,
        16,
        dst(200, Type::D),
        &[src(255, 16, Type::D), Src::imm(Type::D, 1)],
    );
    t.perform(&add).unwrap();
    assert_eq!(dwords(&t, 200, 16), (101..117).collect::<Vec<u32>>());
    assert_eq!(dwords(&t, 201, 1), [0xbaba_baba]);
    // The operand reaches beyond the last register of a smaller file.
    let error = Thread::new(0, 0xffff, &SKL).perform(&add).unwrap_err();
    assert!(
        matches!(error, Cause::RegisterRange { size: 4096, .. }),
        "{error}"
    );
    add.srcs[0] = src(256, 16, Type::D);
    let error = t.perform(&add).unwrap_err();
    assert!(
        matches!(error, Cause::RegisterRange { size: 16384, .. }),
        "{error}"
    );

    // f3 is the last flag register.
    let f3 = Reg::new(RegFile::Flag, 3, 2);
    let mut compare = cmp(16, Cond::Gt, src(255, 16, Type::D), Src::imm(Type::D, 107));
    compare.cond = Some(CondMod {
        cond: Cond::Gt,
        flag: f3,
    });
    t.perform(&compare).unwrap();
    assert_eq!(t.flags[12..16], [0, 0, 0x00, 0xff]);
    let mut moved = mov_imm(210, 16, Type::D, 7);
    moved.pred = Some(Pred {
        flag: f3,
        inverse: true,
        ctrl: PredCtrl::Normal,
    });
    t.perform(&moved).unwrap();
    assert_eq!(dwords(&t, 210, 9)[7..], [7, 0xbaba_baba]);
    let error = Thread::new(0, 0xffff, &SKL).perform(&compare).unwrap_err();
    assert!(
        matches!(
            error,
            Cause::Register {
                file: RegFile::Flag,
                num: 3
            }
        ),
        "{error}"
    );

    // An accumulator has as many lanes as a register: the sixteenth is in acc0.
    put(&mut t, 10, 4, &[1 << 20; 16]);
    let acc = Dst::new(Reg::new(RegFile::Acc, 0, 0), 1, Type::D);
    let factor = src(10, 16, Type::D);
    t.perform(&inst(Op::Mul, 16, acc, &[factor, factor]))
        .unwrap();
    assert_eq!(t.acc.wide(60, 4), Some(1 << 40));
    assert_eq!(t.acc.wide(64, 4), Some(0));
}

/// Private memory is selected by these numbers; compilers combine them, and all combinations are distinct.
#[test]
fn a_threads_number_is_where_the_platform_has_it() {
    let of = |name, number| {
        let t = Thread::new(number, 0xffff, platform(name));
        let word = |bytes: &[u8; 16]| u32::from(u16::from_le_bytes([bytes[0], bytes[1]]));
        (word(&t.state), word(&t.message_control))
    };
    for number in 0..128 {
        let (dg2, _) = of("dg2", number);
        let once = dg2 >> 1 & !63 | dg2 & 63;
        assert_eq!(once >> 1 & !7 | once & 7, number, "dg2");
        let (pvc, _) = of("pvc", number);
        let once = pvc >> 2 & !63 | pvc & 63;
        assert_eq!(once >> 1 & !7 | once & 7, number, "pvc");
        let (state, message) = of("bmg", number);
        let unit = state & 0x7f;
        assert_eq!(message << 6 | unit >> 1 & !7 | unit & 7, number, "bmg");
    }
}

/// Two threads produce and two consume; a fifth does both, at a barrier of its own.
#[test]
fn named_barriers_let_consumers_go_when_all_have_come() {
    let signal = |kind: u32, barrier: u32, count: u32| {
        let dword = count << 24 | count << 16 | kind << 14 | barrier;
        let mut code = vec![
            inst(
                Op::Mov,
                1,
                Dst::new(Reg::new(RegFile::Grf, 10, 8), 1, Type::Ud),
                &[Src::imm(Type::Ud, dword.into())],
            ),
            send(3, desc(1, 0, 4), 1, None, 10, None),
        ];
        let mut wait = Inst::new(Op::Sync(SyncFn::Bar), 1);
        wait.srcs.push(Src::imm(Type::Ud, barrier.into()));
        code.push(wait);
        code
    };
    let code = [
        signal(1, 3, 2),
        signal(1, 3, 2),
        signal(2, 3, 2),
        signal(2, 3, 2),
        signal(0, 4, 1),
    ];
    let memory = Memory::default();
    let slm = Words::filled(0, 0);
    let mut shared = shared(&memory, &slm);
    let mut threads: Vec<Thread> = (0..5)
        .map(|number| Thread::new(number, 0xffff, platform("pvc")))
        .collect();
    // All except the second producer.
    for number in [0, 2, 3, 4] {
        run(&mut threads[number], code[number].clone(), &mut shared, 10).unwrap();
        assert_eq!(threads[number].status, Status::Waiting);
    }
    shared.barriers.pass(&mut threads, 5);
    let running = |threads: &[Thread]| -> Vec<bool> {
        let running = threads.iter().map(|t| t.status == Status::Running);
        running.collect()
    };
    assert_eq!(running(&threads), [false, true, false, false, true]);
    run(&mut threads[1], code[1].clone(), &mut shared, 10).unwrap();
    shared.barriers.pass(&mut threads, 5);
    // A thread that only produces is not notified.
    assert_eq!(running(&threads), [false, false, true, true, true]);
    for number in [2, 3, 4] {
        run(&mut threads[number], code[number].clone(), &mut shared, 10).unwrap();
        assert_eq!(threads[number].ip, 3, "{number} goes on");
    }
    assert!(
        shared
            .barriers
            .arrive_at(0, 1 << 24 | 1 << 16 | 3 << 14)
            .is_err()
    );
    shared.barriers.arrive_at(0, 2 << 24 | 2 << 16 | 7).unwrap();
    assert!(shared.barriers.arrive_at(1, 3 << 24 | 2 << 16 | 7).is_err());
}

/// `load strided` and `store strided` have an address and a distance.
#[test]
fn strided_messages_go_from_channel_to_channel_by_their_distance() {
    let mut t = Thread::new(0, 0xffff, platform("bmg"));
    let mut memory = Memory::default();
    let buffer = memory.add("buffer", &(0..=255).collect::<Vec<u8>>());
    let slm = Words::filled(0, 0);
    let mut shared = shared(&memory, &slm);
    let start = memory.address(buffer) + 8;
    put(&mut t, 10, 8, &[start]);
    put(&mut t, 11, 4, &[0; 16]);
    t.grf[10 * 64 + 8..][..4].copy_from_slice(&12u32.to_le_bytes());
    // d32, one element, addresses of 64 bits.
    let load = send(15, desc(1, 1, 0x581), 16, Some(20), 10, None);
    run(&mut t, vec![load], &mut shared, 2).unwrap();
    let expected: Vec<u32> = (0..16)
        .map(|lane| {
            let at = 8 + lane * 12;
            u32::from_le_bytes([at, at + 1, at + 2, at + 3])
        })
        .collect();
    assert_eq!(dwords(&t, 20, 16), expected);
    t.ip = 0;
    let store = send(15, desc(1, 0, 0x585), 16, None, 10, Some((11, 1)));
    run(&mut t, vec![store], &mut shared, 2).unwrap();
    let bytes = memory.contents(buffer);
    let zeros = bytes[8..].chunks(12).take(16).all(|row| row[..4] == [0; 4]);
    assert!(zeros && bytes[12] == 12 && bytes[19] == 19, "{bytes:?}");
}

/// A data port atomic message with 64-bit addresses has as many channels as a register has dwords: two registers of
/// addresses are followed by one of operands.
#[test]
fn atomics_at_addresses_have_a_channel_for_each_dword_of_a_register() {
    for (name, lanes) in [("tgllp", 8), ("pvc", 16)] {
        let mut t = Thread::new(0, 0xffff, platform(name));
        let mut memory = Memory::default();
        let buffer = memory.add("buffer", &[0; 64]);
        let slm = Words::filled(0, 0);
        let mut shared = shared(&memory, &slm);
        let start = memory.address(buffer);
        let addresses: Vec<u64> = (0..lanes).map(|lane| start + 4 * lane).collect();
        put(&mut t, 10, 8, &addresses);
        put(&mut t, 12, 4, &(1..=lanes).collect::<Vec<u64>>());
        let add = send(
            12,
            desc(2, 0, 0x487ff),
            lanes as u8,
            None,
            10,
            Some((12, 1)),
        );
        run(&mut t, vec![add], &mut shared, 2).unwrap();
        let bytes = memory.contents(buffer);
        let found: Vec<u64> = bytes.chunks(4).map(|dword| dword[0].into()).collect();
        let expected: Vec<u64> = (1..=16).map(|n| if n > lanes { 0 } else { n }).collect();
        assert_eq!(found, expected, "{name}");
    }
}

/// On platforms with more than two accumulators, none of them is an extended one.
#[test]
fn accumulators_are_none_of_the_special_ones() {
    for name in ["skl", "dg2", "pvc", "ptl"] {
        let count = if name == "skl" { 2 } else { 8 };
        let mut t = Thread::new(0, 0xffff, platform(name));
        for mme in 0..8 {
            let to = Dst::new(Reg::new(RegFile::Mme, mme, 0), 1, Type::Ud);
            let number = Src::imm(Type::Ud, 100 + u64::from(mme));
            t.perform(&inst(Op::Mov, 8, to, &[number])).unwrap();
        }
        for acc in 0..count {
            let to = Dst::new(Reg::new(RegFile::Acc, acc, 0), 1, Type::Ud);
            let number = Src::imm(Type::Ud, u64::from(acc));
            t.perform(&inst(Op::Mov, 8, to, &[number])).unwrap();
        }
        for mme in 0..8 {
            let from = Src::reg(
                Reg::new(RegFile::Mme, mme, 0),
                Region::new(8, 8, 1),
                Type::Ud,
            );
            t.perform(&inst(Op::Mov, 8, dst(20, Type::Ud), &[from]))
                .unwrap();
            assert_eq!(dwords(&t, 20, 8), [100 + mme; 8], "{name}");
        }
    }
}

/// Spill code of the reference compiler for Ponte Vecchio writes each register by eight channels without a mask, and
/// reads whole registers back.
#[test]
fn a_scratch_block_without_a_mask_has_whole_registers() {
    let write = |registers: u32, exec, masked: bool| {
        let block = desc(1, 0, HEADER | 7 << 16 | registers << 12 | 2);
        let sent = send(DC0, block, exec, None, 12, Some((40, registers)));
        if masked { sent } else { no_mask(sent) }
    };
    let all: Vec<u64> = (1..=32).collect();
    let without = |kept: fn(usize) -> bool| -> Vec<u64> {
        let all = all.iter().enumerate();
        all.map(|(at, n)| if kept(at) { *n } else { 0 }).collect()
    };
    for (message, expected) in [
        (write(1, 8, false), without(|at| at < 16)),
        (write(1, 16, false), without(|at| at < 16)),
        (write(2, 8, false), all.clone()),
        (write(1, 8, true), without(|at| at < 8 && at != 1)),
        (write(2, 16, true), without(|at| at % 16 != 1)),
    ] {
        let mut t = Thread::new(0, 0xfffd, platform("pvc"));
        put(&mut t, 12, 4, &[0, 0, 0, 0, 0, SCRATCH_STATE.into(), 0, 0]);
        put(&mut t, 40, 4, &all);
        let read = send(
            DC0,
            desc(1, 2, HEADER | 1 << 18 | 2 << 12 | 2),
            16,
            Some(50),
            12,
            None,
        );
        exchange(&mut t, vec![message.clone(), no_mask(read)]).unwrap();
        assert_eq!(get(&t, 50, 4, 32), expected, "{message:?}");
    }
}
