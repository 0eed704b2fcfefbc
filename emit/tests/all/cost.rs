//! Estimated cycles of code, compared with cycles computed by hand from the tables of docs/cost-model.md.

use kiln_emit::cost::{self, Cycles, Estimate, Scratch, Weights, estimate};
use kiln_emit::inst::{
    Desc, Dst, Inst, MathFn, Message, Op, Pipe, Reg, RegFile, Region, Src, Systolic, Target,
    TokenUse, Type,
};
use kiln_emit::messages::data_port::{self, scratch_read, scratch_write};
use kiln_emit::messages::{Block, Kind, Surface};
use kiln_emit::platform::{self, Platform};

fn skl() -> &'static Platform {
    platform::find("skl").expect("a known platform")
}

/// An operation on general registers, all of one type.
fn op(op: Op, size: u8, ty: Type, dst: u32, srcs: &[u32]) -> Inst {
    let mut inst = Inst::new(op, size);
    inst.dst = Some(Dst::new(Reg::grf(dst), 1, ty));
    let src = |reg: &u32| Src::reg(Reg::grf(*reg), Region::packed(size), ty);
    inst.srcs.extend(srcs.iter().map(src));
    inst
}

/// Reads or writes a block of scratch space.
fn block(kind: Kind, offset: u32, block: Block, registers: u8, [dst, data]: [u32; 2]) -> Inst {
    let write = kind == Kind::HwordScratchBlockWrite;
    let request = match write {
        true => scratch_write(block, offset).lengths(1, registers, 0),
        false => scratch_read(block, offset).lengths(1, 0, registers),
    };
    let descriptors = request.encode(skl().family).expect("a request");
    let mut inst = Inst::new(Op::Sends, 16);
    inst.msg = Some(descriptors.message());
    inst.dst = Some(match write {
        true => Dst::new(Reg::NULL, 1, Type::Ud),
        false => Dst::new(Reg::grf(dst), 1, Type::Ud),
    });
    let payload = |reg| Src::reg(Reg::grf(reg), Region::packed(8), Type::Ud);
    inst.srcs.extend([payload(0), payload(data)]);
    inst
}

fn cycles(code: &[Inst]) -> Cycles {
    estimate(code, skl(), Weights::Loops).cycles
}

#[test]
fn results_are_waited_for() {
    let first = op(Op::Add, 8, Type::F, 10, &[20, 21]);
    // Independent instructions follow each other at the rate of the unit: two cycles a register.
    let other = op(Op::Add, 16, Type::F, 12, &[22, 24]);
    let both = cycles(&[first.clone(), other]);
    assert_eq!(
        both,
        Cycles {
            issue: 6.0,
            units: 0.0,
            ..Cycles::default()
        }
    );
    // The sum is issued in two cycles, and can be read eight cycles later.
    let reader = op(Op::Add, 8, Type::F, 11, &[10, 21]);
    let waiting = cycles(&[first.clone(), reader]);
    assert_eq!(
        waiting,
        Cycles {
            issue: 4.0,
            results: 8.0,
            ..Cycles::default()
        }
    );
    // An instruction that overwrites the register waits too, unless its options remove the dependency.
    let mut over = op(Op::Add, 8, Type::F, 10, &[22, 21]);
    assert_eq!(cycles(&[first.clone(), over.clone()]), waiting);
    over.opts.no_dd_chk = true;
    assert_eq!(cycles(&[first, over]).results, 0.0);
}

#[test]
fn elements_of_64_bits_and_functions_take_longer() {
    let alone = |inst: Inst| cycles(&[inst]).sum();
    assert_eq!(alone(op(Op::Add, 8, Type::F, 10, &[20, 21])), 2.0);
    assert_eq!(alone(op(Op::Add, 16, Type::Hf, 10, &[20, 21])), 2.0);
    assert_eq!(alone(op(Op::Add, 8, Type::Df, 10, &[20, 22])), 8.0);
    assert_eq!(alone(op(Op::Mul, 8, Type::D, 10, &[20, 22])), 4.0);
    assert_eq!(alone(op(Op::Mul, 8, Type::W, 10, &[20, 22])), 2.0);
    // The second waits until the unit is free: four cycles after the first was taken.
    let inverse = |dst| op(Op::Math(MathFn::Inv), 8, Type::F, dst, &[20]);
    let two = cycles(&[inverse(10), inverse(11)]);
    assert_eq!(
        two,
        Cycles {
            issue: 4.0,
            units: 2.0,
            ..Cycles::default()
        }
    );
}

#[test]
fn the_second_and_the_third_source_may_come_from_one_bank() {
    for (registers, conflicts) in [
        ([20, 30, 32], 2.0),
        ([20, 30, 31], 0.0),
        ([20, 30, 94], 0.0),
        ([20, 31, 33], 2.0),
        ([20, 30, 30], 0.0),
    ] {
        let mad = op(Op::Mad, 16, Type::F, 10, &registers);
        assert_eq!(cycles(&[mad]).banks, conflicts, "{registers:?}");
    }
}

/// By the table of docs/cost-model.md: registers of the sources of `mad`, and cycles that a pass loses.
#[test]
fn banks_of_xe_have_bundles() {
    let cases = [
        ("tgllp", [20, 36, 52], 1.0),
        ("tgllp", [21, 36, 52], 0.0),
        ("tgllp", [20, 22, 38], 0.0),
        ("tgllp", [20, 30, 32], 0.0),
        ("dg2", [20, 21, 30], 1.0),
        ("dg2", [20, 84, 30], 1.0),
        ("dg2", [20, 24, 28], 1.0),
        ("dg2", [20, 22, 24], 0.0),
        ("dg2", [20, 20, 22], 0.0),
        ("pvc", [20, 52, 21], 1.0),
        ("pvc", [20, 36, 21], 0.0),
        ("pvc", [20, 36, 22], 1.0),
        ("pvc", [20, 52, 84], 2.0),
        ("bmg", [20, 36, 21], 1.0),
        ("bmg", [20, 22, 24], 1.0),
        ("bmg", [20, 22, 23], 0.0),
        ("bmg", [20, 36, 52], 2.0),
    ];
    for (name, registers, lost) in cases {
        let platform = platform::find(name).expect("a known platform");
        let channels = (platform.grf_bytes / 4) as u8;
        let mad = op(Op::Mad, channels, Type::F, 10, &registers);
        let banks = |code: &[Inst]| estimate(code, platform, Weights::Loops).cycles.banks;
        let alone = banks(std::slice::from_ref(&mad));
        assert_eq!(alone, lost, "{name} {registers:?}");
        // Sources that the operation before had are not read again.
        assert_eq!(banks(&[mad.clone(), mad]), lost, "{name} {registers:?}");
    }
}

#[test]
fn columns_of_products_are_read_once() {
    let shape = |repeat| Op::Dpas(Systolic { depth: 8, repeat });
    let product = |repeat, columns| op(shape(repeat), 16, Type::D, 10, &[10, columns, 60]);
    let units = |code: &[Inst]| {
        let platform = platform::find("bmg").expect("a known platform");
        let mut code = code.to_vec();
        // The first of them only begins.
        code.iter_mut()
            .skip(1)
            .for_each(|inst| inst.dst = Some(Dst::new(Reg::grf(90), 1, Type::D)));
        estimate(&code, platform, Weights::Loops).cycles.units
    };
    assert_eq!(units(&[product(8, 30), product(8, 40)]), 7.0);
    assert_eq!(units(&[product(2, 30), product(2, 40)]), 7.0);
    assert_eq!(
        units(&[product(2, 30), product(2, 30), product(2, 40)]),
        7.0 + 1.0
    );
}

#[test]
fn answers_are_waited_for_and_counted() {
    use Kind::{HwordScratchBlockRead as Read, HwordScratchBlockWrite as Write};
    let code = [
        block(Write, 64, Block::X2, 2, [0, 30]),
        block(Write, 96, Block::X4, 4, [0, 32]),
        block(Read, 64, Block::X4, 4, [40, 0]),
        op(Op::Add, 8, Type::D, 10, &[40, 21]),
    ];
    let scratch = cost::scratch(&code, skl());
    let expected = Scratch {
        spills: 2,
        fills: 1,
        bytes: 160,
    };
    assert_eq!(scratch, expected);
    // The port takes a line of 64 bytes in 20 cycles: the second message waits for the first, the third for the two
    // lines of the second. A response arrives 100 cycles after its request.
    let cycles = cycles(&code);
    assert_eq!(cycles.issue, 8.0);
    assert_eq!(cycles.units, 18.0 + 38.0);
    assert_eq!(cycles.messages, 100.0);
}

/// An oword block with its offset in a header.
fn far_block(kind: Kind, surface: Surface, [header, data]: [u32; 2]) -> Inst {
    let write = kind == Kind::OwordBlockWrite;
    let request = data_port::block(kind, Block::X4).surface(surface);
    let request = match write {
        true => request.lengths(1, 2, 0),
        false => request.lengths(1, 0, 2),
    };
    let mut inst = block(Kind::HwordScratchBlockWrite, 0, Block::X1, 1, [0, data]);
    let descriptors = request.encode(skl().family).expect("a request");
    inst.msg = Some(descriptors.message());
    inst.srcs[0] = Src::reg(Reg::grf(header), Region::packed(8), Type::Ud);
    if !write {
        inst.srcs.truncate(1);
        inst.dst = Some(Dst::new(Reg::grf(data), 1, Type::Ud));
    }
    inst
}

#[test]
fn blocks_beyond_the_reach_of_scratch_messages_count_where_their_offset_is_known() {
    use Kind::{OwordBlockRead as Read, OwordBlockWrite as Write};
    let offset = |header: u32, src: Src| {
        let mut mov = Inst::new(Op::Mov, 1);
        let place = Reg::new(RegFile::Grf, header, 8);
        mov.dst = Some(Dst::new(place, 1, Type::Ud));
        mov.srcs.push(src);
        mov
    };
    let owords = |n| Src::imm(Type::Ud, n);
    let frame = Src::reg(Reg::new(RegFile::Grf, 127, 12), Region::SCALAR, Type::Ud);
    let copy = op(Op::Mov, 8, Type::Ud, 20, &[0]);
    let code = [
        // 64 bytes at 160 KiB, and 64 bytes 32 bytes further.
        offset(20, owords(10240)),
        far_block(Write, Surface::Stateless, [20, 30]),
        offset(20, owords(10242)),
        far_block(Write, Surface::Stateless, [20, 32]),
        far_block(Read, Surface::Stateless, [20, 40]),
        // A block of a buffer, not of scratch space.
        far_block(Write, Surface::Bti(3), [20, 30]),
        // A write of the whole header overwrites the offset; the address of a stack frame is unknown.
        copy,
        far_block(Read, Surface::Stateless, [20, 40]),
        offset(20, frame),
        far_block(Write, Surface::Stateless, [20, 30]),
        // The response overwrites its own header.
        offset(40, owords(10240)),
        far_block(Read, Surface::Stateless, [40, 40]),
        far_block(Read, Surface::Stateless, [40, 42]),
        // Within reach of a scratch block message.
        block(Kind::HwordScratchBlockWrite, 0, Block::X2, 2, [0, 30]),
    ];
    let expected = Scratch {
        spills: 3,
        fills: 2,
        bytes: 96 + 64,
    };
    assert_eq!(cost::scratch(&code, skl()), expected);
}

#[test]
fn loops_count_ten_times_or_as_often_as_was_counted() {
    let add = op(Op::Add, 8, Type::F, 10, &[20, 21]);
    let mut back = Inst::new(Op::While, 8);
    back.jip = Some(Target::Offset(-16));
    let code = [add.clone(), add.clone(), back, add];
    let loops = estimate(&code, skl(), Weights::Loops);
    // Each addition takes two cycles, the branch eight.
    assert_eq!(loops.cycles.issue, 2.0 + 10.0 * (2.0 + 8.0) + 2.0);
    let counted = estimate(&code, skl(), Weights::Counts(&[3, 7, 7, 3]));
    assert_eq!(counted.cycles.issue, 3.0 * 2.0 + 7.0 * 10.0 + 3.0 * 2.0);
    assert_eq!(estimate(&[], skl(), Weights::Loops), Estimate::default());
}

#[test]
fn units_are_free_at_the_start_of_a_block() {
    let mut divide = op(Op::Math(MathFn::Idiv), 16, Type::Ud, 10, &[20, 22]);
    divide.dst = Some(Dst::new(Reg::NULL, 1, Type::Ud));
    let mut back = Inst::new(Op::While, 8);
    back.jip = Some(Target::Offset(-16));
    // The loop is the second division and the branch.
    let code = [divide.clone(), divide, back];
    assert_eq!(cycles(&code).units, 0.0);
}

/// The reference compiler's spill and fill of a register on Battlemage: `store.ugm.d32x16t.a32 ss[a0.2][r126]` and the
/// load of the same.
fn by_address(desc: u32, data: u32) -> Inst {
    let mut inst = Inst::new(Op::Send, 1);
    inst.no_mask = true;
    let writes = desc >> 20 & 31 == 0;
    inst.dst = Some(match writes {
        true => Dst::new(Reg::NULL, 1, Type::Ud),
        false => Dst::new(Reg::grf(data), 1, Type::Ud),
    });
    let payload = |reg| Src::reg(reg, Region::packed(1), Type::Ud);
    let second = if writes { Reg::grf(data) } else { Reg::NULL };
    inst.srcs.extend([payload(Reg::grf(126)), payload(second)]);
    inst.msg = Some(Message {
        sfid: 15,
        eot: false,
        desc: Desc::Imm(desc),
        ex_desc: Desc::Addr { byte: 8 },
    });
    inst.send.src1_len = u8::from(writes);
    inst
}

const SPILL: u32 = 0x4200_D504;
const FILL: u32 = 0x4210_D500;

#[test]
fn spills_by_address_count() {
    let bmg = platform::find("bmg").expect("a known platform");
    let mut address = op(Op::Mov, 1, Type::Ud, 126, &[]);
    let at = |bytes: u64| {
        address.srcs.truncate(0);
        address.srcs.push(Src::imm(Type::Ud, bytes));
        address.clone()
    };
    let [first, second] = [0x40, 0x80].map(at);
    let code = [
        first.clone(),
        by_address(SPILL, 10),
        second,
        by_address(SPILL, 11),
        first,
        by_address(SPILL, 12),
        by_address(FILL, 13),
        // A dword of a private array, one for all.
        by_address(0x4210_8500, 14),
    ];
    let found = cost::scratch(&code, bmg);
    let expected = Scratch {
        spills: 3,
        fills: 1,
        bytes: 128,
    };
    assert_eq!(found, expected);
}

/// Waits are those of the annotations: the same code waits longer, the more is annotated.
#[test]
fn annotations_are_waited_for_since_gen12() {
    let bmg = platform::find("bmg").expect("a known platform");
    let add = |ty, dst, src| op(Op::Add, 16, ty, dst, &[src, src]);
    let waiting = |dist: Option<(Pipe, u8)>| {
        let mut last = add(Type::F, 14, 12);
        last.swsb.dist = dist;
        let code = [add(Type::D, 10, 20), add(Type::F, 12, 22), last];
        estimate(&code, bmg, Weights::Loops).cycles
    };
    // Issued in cycles 1, 2 and 3; the sums can be read in cycles 11 and 12.
    assert_eq!(waiting(None).sum(), 3.0);
    assert_eq!(waiting(Some((Pipe::Int, 1))).results, 9.0);
    assert_eq!(waiting(Some((Pipe::Float, 1))).results, 10.0);
    assert_eq!(waiting(Some((Pipe::All, 1))).results, 10.0);
    assert_eq!(waiting(Some((Pipe::Float, 2))).results, 0.0);
    let with_token = |used| {
        let mut fill = by_address(FILL, 30);
        fill.swsb.token = Some((TokenUse::Set, 3));
        let mut next = add(Type::F, 14, 12);
        next.swsb.token = Some((used, 3));
        estimate(&[fill, next], bmg, Weights::Loops).cycles.messages
    };
    // Eight cycles and one for the address's register; 200 for a load that names no cache, and one for its line.
    assert_eq!(with_token(TokenUse::Src), 9.0);
    assert_eq!(with_token(TokenUse::Dst), 201.0);
}
