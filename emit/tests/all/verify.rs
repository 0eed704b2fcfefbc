//! Rules for instructions: for each, an instruction that breaks no other rule.

use kiln_emit::inst::{
    Cond, CondMod, Desc, Dst, Inst, MathFn, Message, Op, Pipe, Place, Pred, PredCtrl, Reg, RegFile,
    Region, Src, SyncFn, Systolic, Target, TokenUse, Type,
};
use kiln_emit::platform::{Family, PLATFORMS, find};
use kiln_emit::verify::{Violation, verify, verify_finished, verify_function};

fn two(op: Op, exec_size: u8, ty: Type) -> Inst {
    let mut inst = Inst::new(op, exec_size);
    inst.dst = Some(Dst::new(Reg::grf(2), 1, ty));
    inst.srcs
        .push(Src::reg(Reg::grf(4), Region::packed(exec_size), ty));
    inst.srcs
        .push(Src::reg(Reg::grf(6), Region::packed(exec_size), ty));
    inst
}

/// The violation of `inst` after `change`; before the change it is valid.
fn violation(name: &str, mut inst: Inst, change: impl FnOnce(&mut Inst)) -> Violation {
    let platform = find(name).expect("the platform is known");
    assert_eq!(verify(&inst, platform), Ok(()), "{inst}");
    change(&mut inst);
    verify(&inst, platform).expect_err("a broken rule")
}

fn region(inst: &mut Inst, region: Region) {
    if let Src::Reg(src) = &mut inst.srcs[0] {
        src.region = region;
    }
}

fn place(inst: &mut Inst, num: u32, byte: u16) {
    if let Src::Reg(src) = &mut inst.srcs[0] {
        src.place = Place::Direct(Reg::new(RegFile::Grf, num, byte));
    }
}

macro_rules! breaks {
    ($platform:literal, $($name:ident: $inst:expr, $change:expr => $violation:pat,)*) => {$(
        #[test]
        fn $name() {
            let found = violation($platform, $inst, $change);
            assert!(matches!(found, $violation), "{found}");
        }
    )*};
}

fn add() -> Inst {
    two(Op::Add, 8, Type::D)
}

/// The reference compiler makes such code for 64-bit operands on Broxton.
#[test]
fn rows_of_one_may_be_as_far_apart_along_them() {
    let mut inst = two(Op::Add, 2, Type::Q);
    region(&mut inst, Region::new(4, 1, 4));
    let on = |name| verify(&inst, find(name).expect("the platform is known"));
    assert_eq!(on("bxt"), Ok(()));
    assert!(matches!(on("skl"), Err(Violation::Region { .. })));
}

/// Compilers of media code make such code: the types do not tell what the value was computed from.
#[test]
fn a_move_may_saturate_to_its_own_type() {
    let mut inst = Inst::new(Op::Mov, 8);
    inst.dst = Some(Dst::new(Reg::grf(2), 2, Type::Ub));
    let src = Src::reg(Reg::grf(4), Region::packed(8), Type::Ub);
    inst.srcs.push(src);
    inst.saturate = true;
    let platform = find("tgllp").expect("the platform is known");
    assert_eq!(verify(&inst, platform), Ok(()));
}

fn mad() -> Inst {
    let mut inst = two(Op::Mad, 8, Type::F);
    inst.srcs
        .push(Src::reg(Reg::grf(8), Region::packed(8), Type::F));
    inst
}

fn send() -> Inst {
    let mut inst = Inst::new(Op::Send, 8);
    inst.dst = Some(Dst::new(Reg::grf(2), 1, Type::Ud));
    inst.srcs
        .push(Src::reg(Reg::grf(126), Region::SCALAR, Type::Ud));
    let desc = Desc::Imm(0x0410_6e03);
    inst.msg = Some(Message {
        sfid: 12,
        eot: false,
        desc,
        ex_desc: Desc::Imm(0xc),
    });
    inst
}

breaks! {
    "skl",
    execution_size: add(), |i| i.exec_size = 12 => Violation::ExecSize(12),
    channel_group: add(), |i| i.chan_off = 4 => Violation::Channels { offset: 4, size: 8 },
    source_count: add(), |i| i.srcs.truncate(1) => Violation::Sources { .. },
    comparison: add(), |i| i.op = Op::Cmp => Violation::Operation { op: Op::Cmp, .. },
    selection: add(), |i| i.op = Op::Sel => Violation::Operation { op: Op::Sel, .. },
    width: add(), |i| region(i, Region::new(16, 16, 1)) => Violation::Region { .. },
    single_row: add(), |i| region(i, Region::new(16, 8, 1)) => Violation::Region { .. },
    column_stride: add(), |i| region(i, Region::new(2, 1, 2)) => Violation::Region { .. },
    wide_scalar: add(), |i| region(i, Region::new(0, 4, 0)) => Violation::Region { .. },
    row_across: add(), |i| place(i, 4, 16) => Violation::Region { .. },
    three_registers: add(), |i| region(i, Region::new(16, 4, 2)) => Violation::Span { .. },
    past_the_file: two(Op::Add, 16, Type::D), |i| place(i, 127, 0) => Violation::File { .. },
    alignment: add(), |i| place(i, 4, 2) => Violation::Alignment { .. },
    narrow_result: add(), |i| i.dst = Some(Dst::new(Reg::grf(2), 1, Type::W))
        => Violation::DstStride { expected: 4, found: 2 },
    flat_result: add(), |i| i.dst = Some(Dst::new(Reg::grf(2), 0, Type::D))
        => Violation::Operand { .. },
    first_immediate: add(), |i| i.srcs[0] = Src::imm(Type::D, 1) => Violation::Operand { .. },
    byte_immediate: add(), |i| i.srcs[1] = Src::imm(Type::B, 1) => Violation::Operand { .. },
    flag_file: add(), |i| i.cond = Some(CondMod { cond: Cond::Eq, flag: Reg::grf(0) })
        => Violation::Operand { .. },
    lost_condition: add(), |i| i.cond = Some(CondMod { cond: Cond::Eq, flag: Reg::NULL })
        => Violation::Operation { .. },
    float_remainder: two(Op::Math(MathFn::Pow), 8, Type::F),
        |i| i.op = Op::Math(MathFn::Irem) => Violation::Operation { .. },
    ternary_file: mad(), |i| i.srcs[0] = Src::reg(Reg::NULL, Region::SCALAR, Type::F)
        => Violation::Operand { .. },
    ternary_types: mad(), |i| i.srcs[2] = Src::reg(Reg::grf(8), Region::packed(8), Type::D)
        => Violation::Operand { .. },
    payload_end: send(), |i| place(i, 127, 0) => Violation::File { end: 129, count: 128, .. },
    payload_nowhere: send(), |i| i.srcs[0] = Src::reg(Reg::NULL, Region::SCALAR, Type::Ud)
        => Violation::Operand { .. },
    payload_start: send(), |i| place(i, 120, 8) => Violation::Operand { .. },
    last_message: send(), |i| {
        place(i, 20, 0);
        let message = i.msg.as_mut().expect("a message");
        message.eot = true;
    } => Violation::Operand { .. },
    branch_target: {
        let mut inst = Inst::new(Op::Endif, 8);
        inst.jip = Some(Target::Offset(16));
        inst
    }, |i| i.jip = None => Violation::Operation { .. },
}

fn pred(ctrl: PredCtrl) -> Option<Pred> {
    let (flag, inverse) = (Reg::new(RegFile::Flag, 0, 0), false);
    Some(Pred {
        flag,
        inverse,
        ctrl,
    })
}

fn indirect_rows(inst: &mut Inst, n: usize) {
    if let Src::Reg(src) = &mut inst.srcs[n] {
        let addr = Reg::new(RegFile::Addr, 0, 0);
        src.place = Place::Indirect { addr, imm: 0 };
        src.region = Region {
            vstride: None,
            width: 1,
            hstride: 0,
        };
    }
}

/// A message of two payloads, of one and two registers from r10 and r11, with a response of one register.
fn answered() -> Inst {
    let mut inst = two_payloads(12);
    inst.dst = Some(Dst::new(Reg::grf(14), 1, Type::Ud));
    if let Some(message) = &mut inst.msg {
        message.desc = Desc::Imm(0x0210_0000);
    }
    inst
}

fn two_payloads(sfid: u8) -> Inst {
    let mut inst = Inst::new(Op::Sends, 8);
    inst.dst = Some(Dst::new(Reg::NULL, 1, Type::Ud));
    for num in [10, 11] {
        let src = Src::reg(Reg::grf(num), Region::SCALAR, Type::Ud);
        inst.srcs.push(src);
    }
    inst.msg = Some(Message {
        sfid,
        eot: false,
        desc: Desc::Imm(0x0200_0000),
        ex_desc: Desc::Imm(0x80 | u32::from(sfid)),
    });
    inst
}

/// A message with two payloads since Gen12.
fn message() -> Inst {
    let mut inst = two_payloads(12);
    inst.op = Op::Send;
    inst
}

fn product() -> Inst {
    let mut inst = Inst::new(
        Op::Dpas(Systolic {
            depth: 8,
            repeat: 4,
        }),
        8,
    );
    inst.dst = Some(Dst::new(Reg::grf(10), 1, Type::D));
    for (num, ty) in [(20, Type::D), (30, Type::B), (40, Type::Ub)] {
        inst.srcs.push(Src::reg(Reg::grf(num), Region::SCALAR, ty));
    }
    inst
}

fn wide_product() -> Inst {
    let mut inst = product();
    inst.exec_size = 16;
    inst
}

fn types(inst: &mut Inst, ty: Type) {
    if let Some(dst) = &mut inst.dst {
        dst.ty = ty;
    }
    for src in &mut inst.srcs {
        if let Src::Reg(src) = src {
            src.ty = ty;
        }
    }
}

fn dst_byte(inst: &mut Inst, byte: u16) {
    if let Some(dst) = &mut inst.dst {
        dst.place = Place::Direct(Reg::new(RegFile::Grf, 2, byte));
    }
}

breaks! {
    "skl",
    flag_bits: {
        let mut inst = add();
        inst.chan_off = 8;
        inst.pred = pred(PredCtrl::Normal);
        inst
    }, |i| {
        i.chan_off = 16;
        if let Some(pred) = &mut i.pred {
            pred.flag.byte = 2;
        }
    } => Violation::Operand { .. },
    rows_without_address: add(), |i| region(i, Region { vstride: None, width: 1, hstride: 0 })
        => Violation::Operand { .. },
    rows_of_the_second_source: {
        let mut inst = add();
        indirect_rows(&mut inst, 0);
        inst
    }, |i| indirect_rows(i, 1) => Violation::Operand { .. },
    target_between: {
        let mut inst = Inst::new(Op::Endif, 8);
        inst.jip = Some(Target::Offset(16));
        inst
    }, |i| i.jip = Some(Target::Offset(12)) => Violation::Operation { .. },
    payloads_apart: two_payloads(12), |i| place(i, 12, 0) => Violation::Operation { .. },
    predicate_of_later_platforms: {
        let mut inst = add();
        inst.pred = pred(PredCtrl::AnyV);
        inst
    }, |i| i.pred = pred(PredCtrl::AnyChannel) => Violation::Operation { .. },
    ternary_accumulator: mad(), |i| i.srcs[1] = Src::reg(
        Reg::new(RegFile::Acc, 0, 0), Region::packed(8), Type::F,
    ) => Violation::Operand { .. },
}

breaks! {
    "icllp",
    doubles_on_gen11: add(), |i| types(i, Type::Df) => Violation::Operand { .. },
    long_integers_on_gen11: add(), |i| types(i, Type::Q) => Violation::Operand { .. },
    middle_immediate: {
        let mut inst = two(Op::Mad, 8, Type::W);
        inst.srcs.push(Src::imm(Type::W, 3));
        inst
    }, |i| i.srcs.swap(1, 2) => Violation::Operand { .. },
    ternary_immediate_size: {
        let mut inst = two(Op::Mad, 8, Type::D);
        inst.srcs.push(Src::imm(Type::W, 3));
        inst
    }, |i| i.srcs[2] = Src::imm(Type::D, 3) => Violation::Operand { .. },
    ternary_stride: mad(), |i| if let Some(dst) = &mut i.dst {
        dst.hstride = 4;
    } => Violation::Operand { .. },
    ternary_span: {
        let mut inst = mad();
        inst.exec_size = 16;
        inst
    }, |i| if let Some(dst) = &mut i.dst {
        dst.hstride = 2;
    } => Violation::Span { .. },
    ternary_kinds: mad(), |i| i.srcs[2] = Src::reg(Reg::grf(8), Region::packed(8), Type::D)
        => Violation::Operand { .. },
    gen11_payloads_apart: two_payloads(12), |i| place(i, 12, 0) => Violation::Operation { .. },
    gen11_response_apart: answered(), |i| place(i, 14, 0) => Violation::Operation { .. },
}

breaks! {
    "tgllp",
    tokens_in_order: {
        let mut inst = add();
        inst.swsb.token = Some((TokenUse::Dst, 3));
        inst
    }, |i| i.swsb.token = Some((TokenUse::Set, 3)) => Violation::Operation { .. },
    brain_floats_on_gen12: add(), |i| types(i, Type::Bf) => Violation::Operand { .. },
    doubles_on_gen12: mad(), |i| types(i, Type::Df) => Violation::Operand { .. },
    synchronised_register: {
        let mut inst = Inst::new(Op::Sync(SyncFn::AllRd), 1);
        inst.srcs.push(Src::imm(Type::Ud, 6));
        inst
    }, |i| i.srcs[0] = Src::reg(Reg::grf(3), Region::SCALAR, Type::Ud)
        => Violation::Operation { .. },
    last_payload_end: message(), |i| i.srcs[1] = Src::reg(
        Reg::grf(127), Region::SCALAR, Type::Ud,
    ) => Violation::File { end: 129, count: 128, .. },
}

breaks! {
    "dg2",
    long_integers_on_dg2: add(), |i| types(i, Type::Uq) => Violation::Operand { .. },
    doubles_on_dg2: add(), |i| types(i, Type::Df) => Violation::Operand { .. },
    small_floats_on_dg2: add(), |i| types(i, Type::Bf8) => Violation::Operand { .. },
    another_place: two(Op::Add, 4, Type::F), |i| dst_byte(i, 4) => Violation::Region { .. },
    another_stride: two(Op::Add, 4, Type::F), |i| region(i, Region::new(8, 4, 2))
        => Violation::Region { .. },
    unnamed_distance: {
        let mut inst = message();
        inst.swsb.dist = Some((Pipe::All, 1));
        inst
    }, |i| i.swsb.dist = Some((Pipe::Own, 1)) => Violation::Operation { .. },
    bits_of_floats: {
        let mut inst = mad();
        inst.op = Op::Bfn(0x96);
        types(&mut inst, Type::Ud);
        inst
    }, |i| types(i, Type::F) => Violation::Operation { .. },
    systolic_channels: product(), |i| i.exec_size = 16 => Violation::Operation { .. },
    systolic_depth: product(), |i| i.op = Op::Dpas(Systolic { depth: 4, repeat: 4 })
        => Violation::Operation { .. },
    systolic_types: product(), |i| i.srcs[1] = Src::reg(Reg::grf(30), Region::SCALAR, Type::Hf)
        => Violation::Operation { .. },
    systolic_end: product(), |i| i.srcs[1] = Src::reg(Reg::grf(250), Region::SCALAR, Type::B)
        => Violation::File { end: 258, count: 256, .. },
    systolic_start: product(), |i| i.srcs[0] = Src::reg(
        Reg::new(RegFile::Grf, 20, 4), Region::SCALAR, Type::D,
    ) => Violation::Operand { .. },
    last_registers: {
        let mut inst = message();
        inst.srcs[0] = Src::reg(Reg::grf(127), Region::SCALAR, Type::Ud);
        inst.srcs[1] = Src::reg(Reg::NULL, Region::SCALAR, Type::Ud);
        if let Some(message) = &mut inst.msg {
            message.eot = true;
            message.ex_desc = Desc::Imm(0);
        }
        inst
    }, |i| place(i, 100, 0) => Violation::Operand { .. },
}

breaks! {
    "mtl",
    doubles_in_their_place: two(Op::Add, 4, Type::Df), |i| region(i, Region::new(0, 2, 1))
        => Violation::Region { .. },
    tokens_of_floats: {
        let mut inst = two(Op::Add, 4, Type::Df);
        inst.swsb.token = Some((TokenUse::Set, 3));
        inst
    }, |i| types(i, Type::F) => Violation::Operation { .. },
}

breaks! {
    "pvc",
    grouped_predicate: {
        let mut inst = add();
        inst.pred = pred(PredCtrl::AnyChannel);
        inst
    }, |i| i.pred = pred(PredCtrl::Any(8)) => Violation::Operation { .. },
    narrow_product: wide_product(), |i| i.exec_size = 8 => Violation::Operation { .. },
    long_integers_span: two(Op::Add, 16, Type::Q), |i| i.exec_size = 32 => Violation::Span { .. },
}

breaks! {
    "lnl",
    past_256: two(Op::Add, 32, Type::F), |i| place(i, 255, 0)
        => Violation::File { end: 257, count: 256, .. },
    short_distance: {
        let mut inst = message();
        inst.msg = inst.msg.map(|message| Message { sfid: 15, ..message });
        inst.swsb.dist = Some((Pipe::Float, 1));
        inst
    }, |i| i.swsb.dist = Some((Pipe::Own, 1)) => Violation::Operation { .. },
}

/// The reference assembler warns of these, too (`-Wtypes`); it has no such warning for the others.
#[test]
fn operations_are_defined_for_the_types_of_their_tables() {
    use Type::{B, D, Df, F, Hf, Q, Ub, Ud, Uq, Uw, W};
    for (name, op, result, sources, defined) in [
        ("icllp", Op::Rol, Ud, [Ud, Ud], true),
        ("bmg", Op::Rol, Uq, [Uq, Uq], true),
        ("skl", Op::Shr, F, [Ud, Ud], false),
        ("skl", Op::Shr, Ud, [Ud, Ud], true),
        ("skl", Op::Avg, F, [F, F], false),
        ("skl", Op::And, F, [F, F], false),
        ("dg2", Op::Xor, D, [D, D], true),
        ("skl", Op::Addc, D, [D, D], false),
        ("skl", Op::Add, F, [D, D], true),
        ("skl", Op::Add, D, [F, F], false),
        ("skl", Op::Add, F, [F, D], false),
        ("skl", Op::Sel, Df, [F, F], false),
        ("skl", Op::Mach, F, [F, F], false),
        ("skl", Op::Mac, D, [D, D], false),
        ("skl", Op::Mac, D, [W, W], true),
        ("skl", Op::Mul, Hf, [D, D], false),
        ("skl", Op::Mul, Q, [W, W], false),
        ("skl", Op::Mul, Q, [D, D], true),
        ("skl", Op::Bfi1, Uw, [Uw, Uw], false),
        ("skl", Op::Sad2, D, [Ub, B], false),
        ("skl", Op::Dp4, Hf, [Hf, Hf], false),
    ] {
        let platform = find(name).expect("the platform is known");
        let mut inst = two(op, 4, sources[0]);
        if let Some(dst) = &mut inst.dst {
            dst.ty = result;
            let wide = sources[0].bytes().max(result.bytes());
            dst.hstride = (wide / result.bytes()) as u8;
        }
        if let Src::Reg(src) = &mut inst.srcs[1] {
            src.ty = sources[1];
        }
        if op == Op::Sel {
            inst.pred = pred(PredCtrl::Normal);
        }
        let what = Violation::Operation {
            op,
            what: "is not defined for operands of these types",
        };
        let expected = if defined { Ok(()) } else { Err(what) };
        assert_eq!(verify_finished(&inst, platform), expected, "{name} {inst}");
    }
}

/// A math function of one or two sources.
fn math(function: MathFn, ty: Type, sources: usize) -> Inst {
    let mut inst = two(Op::Math(function), 8, ty);
    inst.srcs.truncate(sources);
    inst
}

/// The reference assembler refuses these, too.
#[test]
fn math_functions_are_those_of_the_platform() {
    use Family::{Gen9, Gen11, Gen12Lp};
    use MathFn::{Fdiv, Idiv, Inv, Iqot, Irem, Pow};
    for platform in PLATFORMS {
        let name = platform.name;
        assert_eq!(verify(&math(Inv, Type::F, 1), platform), Ok(()), "{name}");
        for (function, ty, families) in [
            (Fdiv, Type::F, &[Gen9, Gen11][..]),
            (Pow, Type::F, &[Gen9, Gen11]),
            (Idiv, Type::D, &[Gen9, Gen11, Gen12Lp]),
            (Iqot, Type::D, &[Gen9, Gen11, Gen12Lp]),
            (Irem, Type::Ud, &[Gen9, Gen11, Gen12Lp]),
        ] {
            let inst = math(function, ty, 2);
            let has = families.contains(&platform.family);
            assert_eq!(
                verify(&inst, platform).is_ok(),
                has,
                "{function:?} on {name}"
            );
            let encoded = kiln_emit::encoding::encode(&inst, platform);
            assert_eq!(encoded.is_ok(), has, "{function:?} on {name}");
        }
    }
}

/// A load of one register by the untyped function, or the data port's message of one register.
fn load(sfid: u8) -> Inst {
    let mut inst = Inst::new(Op::Send, 8);
    inst.dst = Some(Dst::new(Reg::grf(10), 1, Type::Ud));
    let payload = Src::reg(Reg::grf(20), Region::packed(8), Type::Ud);
    let none = Src::reg(Reg::NULL, Region::packed(8), Type::Ud);
    inst.srcs.extend([payload, none]);
    inst.msg = Some(Message {
        sfid,
        eot: false,
        desc: Desc::Imm(1 << 25 | 1 << 20),
        ex_desc: Desc::Imm(0),
    });
    inst
}

#[test]
fn the_data_ports_are_gone_from_xe2_on() {
    let on = |name, inst: &Inst| {
        let platform = find(name).expect("the platform is known");
        verify(inst, platform).and_then(|()| verify_function(inst, platform))
    };
    for (name, ports) in [
        ("tgllp", true),
        ("dg2", true),
        ("bmg", false),
        ("ptl", false),
    ] {
        for sfid in [4, 9, 10, 12] {
            assert_eq!(on(name, &load(sfid)).is_ok(), ports, "{sfid} on {name}");
        }
        // `ugm` came with XeHPG.
        assert_eq!(on(name, &load(15)).is_ok(), name != "tgllp", "{name}");
    }
}

#[test]
fn dwords_are_multiplied_to_a_dword_on_gen9_only() {
    let product = |second: Type| {
        let mut inst = two(Op::Mul, 8, Type::D);
        if let Src::Reg(src) = &mut inst.srcs[1] {
            src.ty = second;
        }
        inst
    };
    let on = |name, inst: &Inst| verify(inst, find(name).expect("the platform is known"));
    assert_eq!(on("skl", &product(Type::D)), Ok(()));
    for name in ["icllp", "tgllp", "dg2", "pvc", "bmg", "ptl"] {
        assert_eq!(on(name, &product(Type::Uw)), Ok(()), "{name}");
        let found = on(name, &product(Type::D)).expect_err("a broken rule");
        assert!(matches!(found, Violation::Operation { .. }), "{found}");
    }
}

#[test]
fn groups_of_predicates_and_of_four_channels_end_with_xe_hpg() {
    let on = |name, inst: &Inst| verify(inst, find(name).expect("the platform is known"));
    let grouped = |ctrl| {
        let mut inst = add();
        inst.pred = Some(Pred {
            flag: Reg::new(RegFile::Flag, 0, 0),
            inverse: false,
            ctrl,
        });
        inst
    };
    let mut nibble = two(Op::Add, 4, Type::D);
    nibble.chan_off = 4;
    for (name, before) in [
        ("dg2", true),
        ("pvc", false),
        ("bmg", false),
        ("ptl", false),
    ] {
        let any = on(name, &grouped(PredCtrl::Any(8)));
        assert_eq!(any.is_ok(), before, "{name}");
        let any = on(name, &grouped(PredCtrl::AnyChannel));
        assert_eq!(any.is_ok(), !before, "{name}");
        assert_eq!(on(name, &nibble).is_ok(), before, "{name}");
    }
}

/// Steps and places of sources for packed words at byte 0, as the reference finalizer takes them.
#[test]
fn bytes_and_words_reach_only_certain_places_on_xe_hpc() {
    let moved = |to: u16, ty: Type, region: Region, from: u16| {
        let mut inst = Inst::new(Op::Mov, 16);
        inst.dst = Some(Dst::new(Reg::new(RegFile::Grf, 2, to), 1, Type::Uw));
        inst.srcs
            .push(Src::reg(Reg::new(RegFile::Grf, 4, from), region, ty));
        inst
    };
    let [packed, second, fourth, eighth] = [1, 2, 4, 8].map(|step| Region::new(step, 1, 0));
    for (to, ty, region, from, reached) in [
        (0, Type::Uw, packed, 6, true),
        (0, Type::Uw, second, 0, true),
        (32, Type::Uw, second, 0, true),
        (0, Type::Uw, second, 2, true),
        (0, Type::Uw, second, 4, false),
        (0, Type::Uw, fourth, 0, false),
        (0, Type::Ub, second, 1, true),
        (8, Type::Ub, fourth, 16, true),
        (8, Type::Ub, fourth, 8, false),
        (0, Type::Ub, eighth, 0, true),
        (0, Type::Ub, eighth, 4, false),
    ] {
        let inst = moved(to, ty, region, from);
        let on = |name| verify(&inst, find(name).expect("the platform is known"));
        assert_eq!(on("bmg").is_ok(), reached, "{inst}");
    }
}

#[test]
fn floats_of_eight_bits_are_converted_in_one_form() {
    let mut good = Inst::new(Op::Mov, 16);
    let dst = Dst::new(Reg::grf(2), 1, Type::Bf8);
    good.dst = Some(dst);
    good.srcs = [Src::reg(Reg::grf(4), Region::packed(16), Type::Hf)]
        .into_iter()
        .collect();
    let with = |change: &dyn Fn(&mut Inst)| {
        let mut inst = good.clone();
        change(&mut inst);
        inst
    };
    let bad = [
        with(&|inst| inst.dst = Some(Dst { hstride: 2, ..dst })),
        with(&|inst| dst_byte(inst, 16)),
        with(&|inst| place(inst, 4, 2)),
        with(&|inst| {
            inst.exec_size = 1;
            region(inst, Region::SCALAR);
        }),
    ];
    for name in ["pvc", "bmg", "ptl"] {
        let platform = find(name).expect("the platform is known");
        assert_eq!(verify_finished(&good, platform), Ok(()), "{name}");
        for inst in &bad {
            assert_eq!(verify(inst, platform), Ok(()), "{name}: {inst}");
            let found = verify_finished(inst, platform);
            assert!(
                matches!(found, Err(Violation::Operation { .. })),
                "{name}: {inst}"
            );
        }
    }
}
