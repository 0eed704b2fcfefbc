//! Instructions without an encoding are refused with an error that names the cause.

use kiln_emit::assemble::{Program, Relocation, RelocationKind, assemble};
use kiln_emit::encoding::{DecodeError, EncodeError, Operand, compactable, decode, encode};
use kiln_emit::inst::{
    Cond, CondMod, Desc, Dst, Inst, MathFn, Message, Op, Place, Pred, PredCtrl, Reg, RegFile,
    Region, Src, SrcReg, Target, Type,
};
use kiln_emit::platform::{PLATFORMS, Platform, find};

fn platform() -> &'static Platform {
    find("skl").expect("the platform is known")
}

const FLAG: Reg = Reg {
    file: RegFile::Flag,
    num: 0,
    byte: 0,
};

/// `add (8|M0) r2.0<1>:d r3.0<8;8,1>:d r4.0<8;8,1>:d`
fn add() -> Inst {
    let mut inst = Inst::new(Op::Add, 8);
    inst.dst = Some(Dst::new(Reg::grf(2), 1, Type::D));
    inst.srcs
        .push(Src::reg(Reg::grf(3), Region::packed(8), Type::D));
    inst.srcs
        .push(Src::reg(Reg::grf(4), Region::packed(8), Type::D));
    inst
}

fn mad() -> Inst {
    let mut inst = Inst::new(Op::Mad, 8);
    inst.dst = Some(Dst::new(Reg::grf(2), 1, Type::F));
    for num in 3..6 {
        inst.srcs
            .push(Src::reg(Reg::grf(num), Region::packed(8), Type::F));
    }
    inst
}

fn send() -> Inst {
    let mut inst = Inst::new(Op::Send, 8);
    inst.dst = Some(Dst::new(Reg::grf(2), 1, Type::Ud));
    inst.srcs
        .push(Src::reg(Reg::grf(3), Region::SCALAR, Type::Ud));
    let desc = Desc::Imm(0x0210_6e03);
    inst.msg = Some(Message {
        sfid: 12,
        eot: false,
        desc,
        ex_desc: Desc::Imm(0xc),
    });
    inst
}

fn jump() -> Inst {
    let mut inst = Inst::new(Op::Jmpi, 1);
    inst.jip = Some(Target::Offset(16));
    inst
}

/// A jump whose offset from the instruction's start does not fit is refused, so that every decoded jump can be
/// encoded.
#[test]
fn the_furthest_jumps() {
    for platform in PLATFORMS {
        let encoded = encode(&jump(), platform).expect("a jump");
        for offset in [i32::MIN, -8, 0, i32::MAX - 16, i32::MAX - 7, i32::MAX] {
            let mut bytes = encoded.as_bytes().to_vec();
            bytes[12..].copy_from_slice(&offset.to_le_bytes());
            if let Ok(inst) = decode(&bytes, platform) {
                let again = encode(&inst, platform).unwrap_or_else(|e| panic!("{offset}: {e}"));
                assert_eq!(again.as_bytes(), bytes, "{}", platform.name);
            } else {
                assert!(offset > i32::MAX - 16, "{}: {offset}", platform.name);
            }
        }
    }
}

fn src(inst: &mut Inst, n: usize) -> &mut SrcReg {
    match &mut inst.srcs[n] {
        Src::Reg(src) => src,
        Src::Imm { .. } => panic!("an immediate"),
    }
}

fn dst(inst: &mut Inst) -> &mut Dst {
    inst.dst.as_mut().expect("a destination")
}

fn message(inst: &mut Inst) -> &mut Message {
    inst.msg.as_mut().expect("a message")
}

/// The error of `inst` after `change`; before the change it encodes.
fn error_of(mut inst: Inst, change: impl FnOnce(&mut Inst)) -> EncodeError {
    encode(&inst, platform()).expect("it encodes unchanged");
    change(&mut inst);
    encode(&inst, platform()).expect_err("it no longer encodes")
}

macro_rules! refuses {
    ($($name:ident: $inst:expr, $change:expr => $error:pat,)*) => {$(
        #[test]
        fn $name() {
            let error = error_of($inst, $change);
            assert!(matches!(error, $error), "{error}");
        }
    )*};
}

const DST: Operand = Operand::Dst;
const SRC0: Operand = Operand::Src(0);
const SRC1: Operand = Operand::Src(1);

refuses! {
    sources: add(), |i| i.srcs.truncate(1) => EncodeError::Sources { expected: 2, found: 1, .. },
    missing_dst: add(), |i| i.dst = None => EncodeError::Missing { what: "destination", .. },
    missing_target: jump(), |i| i.jip = None => EncodeError::Missing { what: "jump target", .. },
    missing_message: send(), |i| i.msg = None => EncodeError::Missing { what: "message", .. },
    missing_flag: add(), |i| i.cond = Some(CondMod { cond: Cond::Eq, flag: Reg::NULL })
        => EncodeError::Missing { .. },
    unexpected_saturation: send(), |i| i.saturate = true => EncodeError::Unexpected { .. },
    unexpected_message: add(), |i| i.msg = send().msg => EncodeError::Unexpected { .. },
    unexpected_early_out: add(), |i| i.cond = Some(CondMod { cond: Cond::Eo, flag: FLAG })
        => EncodeError::Unexpected { .. },
    unexpected_preemption_control: add(), |i| i.opts.no_preempt = true
        => EncodeError::Unexpected { what: "NoPreempt", .. },
    macro_needs_align16: add(), |i| i.op = Op::Math(MathFn::Invm)
        => EncodeError::Mode { what: "Align16", .. },
    exec_size: add(), |i| i.exec_size = 3 => EncodeError::ExecSize(3),
    exec_size_too_large: add(), |i| i.exec_size = 64 => EncodeError::ExecSize(64),
    chan_off: add(), |i| i.chan_off = 2 => EncodeError::ChanOff(2),
    chan_off_too_large: add(), |i| i.chan_off = 32 => EncodeError::ChanOff(32),
    register: add(), |i| dst(i).place = Place::Direct(Reg::grf(128))
        => EncodeError::Register { operand: DST, .. },
    architecture_register: add(), |i| dst(i).place = Place::Direct(Reg::new(RegFile::Acc, 2, 0))
        => EncodeError::Register { operand: DST, .. },
    ternary_register: mad(), |i| src(i, 1).place = Place::Direct(Reg::new(RegFile::Acc, 0, 0))
        => EncodeError::Register { operand: SRC1, .. },
    sub_register: add(), |i| dst(i).place = Place::Direct(Reg::new(RegFile::Grf, 2, 32))
        => EncodeError::SubRegister { operand: DST, byte: 32, limit: 32, .. },
    flag_half: add(), |i| i.cond = Some(CondMod { cond: Cond::Eq, flag: Reg { byte: 1, ..FLAG } })
        => EncodeError::SubRegister { operand: Operand::Flag, unit: 2, limit: 4, .. },
    payload_sub_register: send(), |i| src(i, 0).place = Place::Direct(Reg::new(RegFile::Grf, 3, 4))
        => EncodeError::SubRegister { operand: SRC0, unit: 16, .. },
    address_register: add(), |i| src(i, 0).place = Place::Indirect {
        addr: Reg::new(RegFile::Addr, 0, 1),
        imm: 0,
    } => EncodeError::AddressRegister { operand: SRC0, .. },
    address_offset: add(), |i| src(i, 0).place = Place::Indirect {
        addr: Reg::new(RegFile::Addr, 0, 2),
        imm: 512,
    } => EncodeError::AddressOffset { operand: SRC0, imm: 512, unit: 1, min: -512, max: 511 },
    ternary_indirect: mad(), |i| src(i, 0).place = Place::Indirect {
        addr: Reg::new(RegFile::Addr, 0, 2),
        imm: 0,
    } => EncodeError::Indirect { operand: SRC0 },
    dst_type: add(), |i| dst(i).ty = Type::V => EncodeError::Type { operand: DST, ty: Type::V },
    ternary_type: mad(), |i| src(i, 2).ty = Type::D
        => EncodeError::Type { operand: Operand::Src(2), ty: Type::D },
    byte_immediate: add(), |i| i.srcs[1] = Src::imm(Type::B, 1)
        => EncodeError::Type { operand: SRC1, ty: Type::B },
    region: add(), |i| src(i, 0).region = Region::new(8, 8, 3)
        => EncodeError::Region { operand: SRC0, .. },
    ternary_region: mad(), |i| src(i, 0).region = Region::new(8, 4, 2)
        => EncodeError::Region { operand: SRC0, .. },
    dst_stride: add(), |i| dst(i).hstride = 3 => EncodeError::DstStride(3),
    ternary_dst_stride: mad(), |i| dst(i).hstride = 2 => EncodeError::DstStride(2),
    swizzle: add(), |i| src(i, 0).swizzle = 0
        => EncodeError::Range { operand: SRC0, .. },
    chan_mask: add(), |i| dst(i).chan_mask = 7 => EncodeError::Range { operand: DST, .. },
    extended_accumulator: add(), |i| dst(i).mme = Some(1)
        => EncodeError::Range { operand: DST, .. },
    shared_function: send(), |i| message(i).sfid = 16
        => EncodeError::Range { operand: Operand::Descriptor, .. },
    first_immediate: add(), |i| i.srcs[0] = Src::imm(Type::D, 1)
        => EncodeError::Immediate { operand: SRC0 },
    wide_immediate: add(), |i| i.srcs[1] = Src::imm(Type::Q, 1)
        => EncodeError::Immediate { operand: SRC1 },
    immediate_range: add(), |i| i.srcs[1] = Src::imm(Type::W, 0x1_0000)
        => EncodeError::ImmediateRange { operand: SRC1, ty: Type::W, bits: 0x1_0000 },
    modifier: send(), |i| src(i, 0).modifier.neg = true
        => EncodeError::Modifier { operand: SRC0 },
    pred: add(), |i| i.pred = Some(Pred { flag: FLAG, inverse: false, ctrl: PredCtrl::Any(3) })
        => EncodeError::Pred(PredCtrl::Any(3)),
    flags: add(), |i| {
        i.pred = Some(Pred { flag: FLAG, inverse: false, ctrl: PredCtrl::Normal });
        i.cond = Some(CondMod { cond: Cond::Eq, flag: Reg { byte: 2, ..FLAG } });
    } => EncodeError::Flags,
    thread: add(), |i| (i.opts.switch, i.opts.atomic) = (true, true) => EncodeError::Thread,
    block: jump(), |i| i.jip = Some(Target::Block(4)) => EncodeError::Block(4),
    offset: jump(), |i| i.jip = Some(Target::Offset(i32::MIN)) => EncodeError::Offset(_),
    descriptor: send(), |i| message(i).desc = Desc::Imm(1 << 31)
        => EncodeError::Descriptor { what: "descriptor", .. },
    extended_descriptor: send(), |i| message(i).ex_desc = Desc::Addr { byte: 4 }
        => EncodeError::Descriptor { what: "extended descriptor", .. },
    message_function: send(), |i| message(i).ex_desc = Desc::Imm(0xa)
        => EncodeError::Message("the shared function"),
    message_end: send(), |i| message(i).ex_desc = Desc::Imm(0x2c)
        => EncodeError::Message("end of thread"),
    not_compactable: send(), |i| i.opts.compacted = true => EncodeError::NotCompactable,
}

#[test]
fn a_target_register_is_no_distance() {
    let mut inst = Inst::new(Op::Endif, 8);
    inst.jip = Some(Target::Reg);
    let error = encode(&inst, platform()).expect_err("no register form");
    assert_eq!(error, EncodeError::Target(Target::Reg));
}

#[test]
fn assembling_says_where() {
    let mut bad = jump();
    bad.jip = Some(Target::Block(9));
    let program = Program {
        blocks: vec![vec![], vec![add(), bad]],
    };
    let error = assemble(&program, platform()).expect_err("there is no block 9");
    let source = Box::new(EncodeError::Block(9));
    assert_eq!(
        error,
        EncodeError::At {
            block: 1,
            index: 1,
            source
        }
    );
}

#[test]
fn branches_reach_blocks_over_compacted_code() {
    let jump_to = |block| {
        let mut inst = jump();
        inst.jip = Some(Target::Block(block));
        inst
    };
    let mut while_ = Inst::new(Op::While, 8);
    while_.jip = Some(Target::Block(0));
    assert_eq!(compactable(&add(), platform()), Ok(true));
    let blocks = vec![vec![add(), jump_to(2)], vec![add()], vec![while_]];
    let code = assemble(&Program { blocks }, platform())
        .expect("it assembles")
        .code;
    // add (8), jmpi (16), add (8), while (16)
    assert_eq!(code.len(), 48);
    let jump = decode(&code[8..], platform()).expect("the jump");
    assert_eq!(jump.jip, Some(Target::Offset(24)));
    // The hardware counts from the next instruction.
    assert_eq!(code[20..24], 8i32.to_le_bytes());
    let back = decode(&code[32..], platform()).expect("the loop's end");
    assert_eq!(back.jip, Some(Target::Offset(-32)));
    assert!(back.opts.branch_ctrl);
}

#[test]
fn symbols_leave_relocations_where_their_addresses_are() {
    let address = |ty, symbol| {
        let mut inst = Inst::new(Op::Mov, 1);
        inst.no_mask = true;
        inst.dst = Some(Dst::new(Reg::grf(2), 1, ty));
        inst.srcs.push(Src::imm(ty, 0));
        inst.symbol = symbol;
        inst
    };
    // A known immediate is compacted; a relocated one keeps its field.
    let blocks = vec![
        vec![address(Type::Ud, None), address(Type::Ud, Some(7))],
        vec![address(Type::Uq, Some(3))],
    ];
    let assembled = assemble(&Program { blocks }, platform()).expect("it assembles");
    assert_eq!(assembled.inst_offsets, [0, 8, 24]);
    assert_eq!(assembled.block_offsets, [0, 24, 40]);
    let relocation = |offset, kind, symbol| Relocation {
        offset,
        kind,
        symbol,
    };
    assert_eq!(
        assembled.relocations,
        [
            relocation(20, RelocationKind::AddressLow, 7),
            relocation(32, RelocationKind::Address, 3)
        ]
    );
    let mut none = add();
    none.symbol = Some(0);
    let program = Program {
        blocks: vec![vec![none]],
    };
    assemble(&program, platform()).expect_err("no immediate");
}

#[test]
fn three_sources_encode_from_either_view() {
    let mut scalar = mad();
    scalar.exec_size = 1;
    scalar.no_mask = true;
    dst(&mut scalar).place = Place::Direct(Reg::new(RegFile::Grf, 2, 4));
    for n in 0..3 {
        src(&mut scalar, n).region = Region::SCALAR;
    }
    src(&mut scalar, 1).place = Place::Direct(Reg::new(RegFile::Grf, 4, 12));
    let text = scalar.to_string();
    let encoded = encode(&scalar, platform()).expect("it encodes");
    let decoded = decode(encoded.as_bytes(), platform()).expect("it decodes");
    assert!(decoded.opts.align16);
    assert_eq!(
        (decoded.exec_size, decoded.dst.map(|dst| dst.chan_mask)),
        (4, Some(2))
    );
    assert_eq!(decoded.to_string(), text);
}

#[test]
fn decoding_says_why_not() {
    let reserved = |bytes: [u8; 16]| decode(&bytes, platform()).expect_err("no instruction");
    assert_eq!(
        decode(&[1, 2, 3], platform()),
        Err(DecodeError::Truncated {
            needed: 8,
            found: 3
        })
    );
    assert_eq!(
        decode(&[1; 9], platform()),
        Err(DecodeError::Truncated {
            needed: 16,
            found: 9
        })
    );
    assert_eq!(
        reserved([0x0b, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        { DecodeError::Opcode(0x0b) }
    );
    assert_eq!(
        decode(&[0x31, 0, 0, 0x20, 0, 0, 0, 0], platform()),
        Err(DecodeError::NotCompact(Op::Send))
    );
    let encoded = encode(&add(), platform()).expect("it encodes");
    let mut bytes = [0; 16];
    bytes.copy_from_slice(encoded.as_bytes());
    // Execution size 7, then source 0's vertical stride 7, then general register 255.
    let mut wide = bytes;
    wide[2] |= 0xe0;
    let what = "execution size";
    assert_eq!(reserved(wide), DecodeError::Reserved { what, value: 7 });
    let mut strided = bytes;
    strided[10] |= 0xe0;
    assert!(matches!(
        reserved(strided),
        DecodeError::Operand {
            operand: SRC0,
            what: "vertical stride",
            ..
        }
    ));
    let mut far = bytes;
    far[9] |= 0x1f;
    far[8] |= 0xe0;
    assert!(matches!(
        reserved(far),
        DecodeError::Register {
            operand: SRC0,
            num: 255,
            ..
        }
    ));
    let mut short_mad = bytes;
    short_mad[0] = 0x5b;
    assert_eq!(
        reserved(short_mad),
        DecodeError::Mode {
            op: Op::Mad,
            what: "Align16"
        }
    );
}
