//! The encodings since Gen12: Tiger Lake, XeHPG, XeHPC and Xe2.
//!
//! The families share one layout. XeHPC widened registers, flags and the scoreboard field, and narrowed channel offsets and
//! predicate controls. Sources: the public programmer's reference manuals of these products, vol. 2a (instruction
//! formats), and the public tables of the reference assembler. Bits are numbered over the whole 128-bit word.

use super::bits::{Bits, bit, bits};
use super::gen9::{
    CONDS, CSM, MATH, NO_MESSAGE, NO_SRC, P, PC, PCM, PCS, PCSM, PREDS_ALIGN1, PSM, STEPPED, arf,
    fixed, op,
};
use super::spec::{
    ArfSpec, Attrs, Codes, CompactClass, CompactForm, CompactTable, Copies, DstBits, Form, Format,
    Functions, HSTRIDES, Header, ImmRule, Immediate, MessageBits, ONE_BY_ONE, OpSpec, Ops,
    RegFiles, Spec, SrcBits, SystolicBits, ThreadCodes, VSTRIDES,
};
use super::swsb::{FIVE_PIPES, FOUR_PIPES, ONE_PIPE, THREE_PIPES};
use super::xe_compact::*;
use crate::inst::{Cond, MathFn, Op, PredCtrl, RegFile, SyncFn, Type};
use crate::messages;
use crate::platform::Generation;

pub static GEN12LP: Spec = GEN12LP_SPEC;
pub static XE_HPG: Spec = XE_HPG_SPEC;
pub static XE_HPC: Spec = XE_HPC_SPEC;
pub static XE2: Spec = XE2_SPEC;
/// Xe2's, with scalar registers and their pipeline.
pub static XE3: Spec = Spec {
    arf: RegFiles::new(XE3_ARF),
    swsb: Some(&FIVE_PIPES),
    ..XE2_SPEC
};

const GEN12LP_SPEC: Spec = Spec {
    ops: Ops::new(GEN12_OPS),
    math: Functions::new(MATH).without(GONE_SINCE_GEN12),
    arf: RegFiles::new(GEN12_ARF),
    thread: ThreadCodes {
        atomic: 1,
        switch: 2,
        no_preempt: None,
    },
    align1: BASIC,
    align16: BASIC,
    ternary: TERNARY,
    systolic: SYSTOLIC,
    bit_function: bit_function(TERNARY),
    branch: branch(BASIC),
    send: SEND,
    sends: SEND,
    compact: GEN12_COMPACT,
    messages: &messages::GEN12,
    syncs: SYNCS,
    swsb: Some(&ONE_PIPE),
    jump_src: 0,
    jump_base: 0,
    align16_ternary: false,
    chan_unit: Generation::Tgllp.channel_step(),
    stepped: STEPPED,
    step: 1,
    macro_regions: true,
    compact_control: false,
};

const XE_HPG_SPEC: Spec = Spec {
    ops: Ops::new(XE_HPG_OPS),
    math: Functions::new(MATH)
        .without(GONE_SINCE_GEN12)
        .without(GONE_SINCE_XE_HPG),
    sends: XE_SEND,
    send: XE_SEND,
    compact: XE_HPG_COMPACT,
    messages: &messages::XE,
    swsb: Some(&THREE_PIPES),
    ..GEN12LP_SPEC
};

const XE_HPC_SPEC: Spec = Spec {
    ops: Ops::new(XE_HPC_OPS),
    arf: RegFiles::new(XE_HPC_ARF),
    align1: WIDE_BASIC,
    align16: WIDE_BASIC,
    ternary: WIDE_TERNARY,
    systolic: WIDE_SYSTOLIC,
    bit_function: bit_function(WIDE_TERNARY),
    branch: branch(WIDE_BASIC),
    send: WIDE_SEND,
    sends: WIDE_SEND,
    compact: XE_HPC_COMPACT,
    swsb: Some(&FOUR_PIPES),
    chan_unit: Generation::Pvc.channel_step(),
    step: 2,
    ..XE_HPG_SPEC
};

const XE2_SPEC: Spec = Spec {
    ops: Ops::new(XE2_OPS),
    arf: RegFiles::new(XE2_ARF),
    send: XE2_SEND,
    sends: XE2_SEND,
    compact: XE2_COMPACT,
    messages: &messages::XE2,
    stepped: &[RegFile::ChannelEnable, RegFile::Ip],
    macro_regions: true,
    ..XE_HPC_SPEC
};

/// Functions that Gen12 and later do not have.
const GONE_SINCE_GEN12: &[MathFn] = &[MathFn::Fdiv, MathFn::Pow];

/// Functions that XeHPG and later do not have, besides.
const GONE_SINCE_XE_HPG: &[MathFn] = &[MathFn::Idiv, MathFn::Iqot, MathFn::Irem];

const SYNCS: &Codes<SyncFn> = &Codes::<SyncFn>::new(&[
    (SyncFn::Nop, 0),
    (SyncFn::AllRd, 2),
    (SyncFn::AllWr, 3),
    (SyncFn::Flush, 12),
    (SyncFn::Fence, 13),
    (SyncFn::Bar, 14),
    (SyncFn::Host, 15),
]);

const HEADER: Header = Header {
    opcode: bits(6, 0),
    align16: Bits::NONE,
    no_dd_clr: Bits::NONE,
    no_dd_chk: Bits::NONE,
    chan_off: bits(21, 19),
    thread: bit(32),
    pred: bits(27, 24),
    pred_inverse: bit(28),
    exec_size: bits(18, 16),
    cond: bits(95, 92),
    math: bits(95, 92),
    acc_wr_en: bit(33),
    branch: bit(33),
    no_src_dep_set: Bits::NONE,
    compact: bit(29),
    breakpoint: bit(30),
    saturate: bit(34),
    flag: bits(23, 22),
    no_mask: bit(31),
    swsb: bits(15, 8),
    sync: bits(95, 92),
    bit_function: bits(87, 84).then(95, 92),
};

const DST: DstBits = DstBits {
    file: bit(50),
    arf: Bits::NONE,
    ty: bits(39, 36),
    indirect: bit(35),
    hstride: bits(49, 48),
    num: bits(63, 56),
    sub: bits(55, 51),
    sub_unit: 1,
    addr_sub: bits(63, 60),
    addr_imm: bits(59, 50),
    addr_imm_unit: 1,
    chan_mask: Bits::NONE,
    mme: bits(54, 51),
    hstrides: HSTRIDES,
};

const SRC0: SrcBits = SrcBits {
    file: bit(66),
    imm: bit(46),
    ty: bits(43, 40),
    indirect: bit(80),
    neg: bit(45),
    abs: bit(44),
    num: bits(79, 72),
    sub: bits(71, 67),
    addr_sub: bits(79, 76),
    addr_imm: bits(75, 66),
    vstride: bits(87, 84),
    width: bits(83, 81),
    hstride: bits(65, 64),
    mme: bits(70, 67),
    ..NO_SRC
};

const SRC1: SrcBits = SrcBits {
    file: bit(98),
    imm: bit(47),
    ty: bits(91, 88),
    indirect: bit(112),
    neg: bit(121),
    abs: bit(120),
    num: bits(111, 104),
    sub: bits(103, 99),
    addr_sub: bits(111, 108),
    addr_imm: bits(107, 98),
    vstride: bits(119, 116),
    width: bits(115, 113),
    hstride: bits(97, 96),
    mme: bits(102, 99),
    ..NO_SRC
};

const NO_SHAPE: SystolicBits = SystolicBits {
    depth: Bits::NONE,
    repeat: Bits::NONE,
};

const BASIC: Format = Format {
    header: HEADER,
    dst: DST,
    src: [SRC0, SRC1, NO_SRC],
    imm32: bits(127, 96),
    imm64: bits(127, 96).then(95, 64),
    jip: bits(127, 96),
    uip: bits(95, 64),
    message: NO_MESSAGE,
    types: TYPES,
    imm_types: IMM_TYPES,
    preds: PREDS_ALIGN1,
    conds: CONDS,
    vstrides: VSTRIDES,
    systolic: NO_SHAPE,
};

/// Operands of control flow are packed dwords.
const fn branch(format: Format) -> Format {
    let [src0, src1, none] = format.src;
    Format {
        dst: DstBits {
            indirect: Bits::NONE,
            ty: Bits::NONE,
            hstride: Bits::NONE,
            ..format.dst
        },
        src: [
            SrcBits {
                ty: Bits::NONE,
                vstride: Bits::NONE,
                width: Bits::NONE,
                hstride: Bits::NONE,
                ..src0
            },
            src1,
            none,
        ],
        ..format
    }
}

/// Bit that is set if the types of a three-source operation are floating-point; each type has three bits of its own.
const FLOAT: u8 = 39;

const TERNARY: Format = Format {
    dst: DstBits {
        ty: bits(38, 36).then(FLOAT, FLOAT),
        indirect: Bits::NONE,
        hstride: bit(48),
        addr_sub: Bits::NONE,
        addr_imm: Bits::NONE,
        hstrides: &Codes::<u8>::new(&[(1, 0), (2, 1)]),
        ..DST
    },
    src: [
        SrcBits {
            imm16: bits(79, 64),
            ty: bits(42, 40).then(FLOAT, FLOAT),
            indirect: Bits::NONE,
            addr_sub: Bits::NONE,
            addr_imm: Bits::NONE,
            vstride: bit(35).then(43, 43),
            width: Bits::NONE,
            ..SRC0
        },
        SrcBits {
            imm: Bits::NONE,
            ty: bits(90, 88).then(FLOAT, FLOAT),
            indirect: Bits::NONE,
            neg: bit(87),
            abs: bit(86),
            addr_sub: Bits::NONE,
            addr_imm: Bits::NONE,
            vstride: bit(83).then(91, 91),
            width: Bits::NONE,
            ..SRC1
        },
        SrcBits {
            file: bit(114),
            imm: bit(47),
            imm16: bits(127, 112),
            ty: bits(82, 80).then(FLOAT, FLOAT),
            neg: bit(85),
            abs: bit(84),
            num: bits(127, 120),
            sub: bits(119, 115),
            hstride: bits(113, 112),
            mme: bits(118, 115),
            ..NO_SRC
        },
    ],
    imm32: Bits::NONE,
    imm64: Bits::NONE,
    jip: Bits::NONE,
    uip: Bits::NONE,
    types: NATIVE_TYPES,
    vstrides: &Codes::<Option<u8>>::new(&[(Some(0), 0), (Some(1), 1), (Some(4), 2), (Some(8), 3)]),
    ..BASIC
};

const BIT_FUNCTION_CONDS: &Codes<Cond> =
    &Codes::<Cond>::new(&[(Cond::Eq, 1), (Cond::Gt, 2), (Cond::Lt, 3)]);

/// The function occupies the fields of modifiers and condition; there are only three conditions.
const fn bit_function(format: Format) -> Format {
    let [src0, src1, src2] = format.src;
    Format {
        header: Header {
            cond: bits(45, 44),
            ..format.header
        },
        conds: BIT_FUNCTION_CONDS,
        src: [
            SrcBits {
                neg: Bits::NONE,
                abs: Bits::NONE,
                ..src0
            },
            SrcBits {
                neg: Bits::NONE,
                abs: Bits::NONE,
                ..src1
            },
            SrcBits {
                neg: Bits::NONE,
                abs: Bits::NONE,
                ..src2
            },
        ],
        ..format
    }
}

const SYSTOLIC: Format = Format {
    header: Header {
        cond: Bits::NONE,
        ..HEADER
    },
    dst: DstBits {
        hstride: Bits::NONE,
        ..TERNARY.dst
    },
    src: [
        systolic(TERNARY.src[0], Bits::NONE),
        systolic(TERNARY.src[1], bits(87, 86)),
        systolic(TERNARY.src[2], bits(85, 84)),
    ],
    types: TYPES,
    systolic: SystolicBits {
        depth: bits(49, 48),
        repeat: bits(45, 43),
    },
    ..TERNARY
};

/// Sources of systolic operations are whole matrices.
const fn systolic(src: SrcBits, sub_byte: Bits) -> SrcBits {
    SrcBits {
        file: src.file,
        ty: src.ty,
        sub_byte,
        num: src.num,
        sub: src.sub,
        sub_unit: src.sub_unit,
        ..NO_SRC
    }
}

const SEND: Format = Format {
    header: Header {
        cond: Bits::NONE,
        acc_wr_en: Bits::NONE,
        saturate: Bits::NONE,
        ..HEADER
    },
    dst: DstBits {
        ty: Bits::NONE,
        indirect: Bits::NONE,
        hstride: Bits::NONE,
        sub: Bits::NONE,
        addr_sub: Bits::NONE,
        addr_imm: Bits::NONE,
        ..DST
    },
    src: [payload(SRC0), payload(SRC1), NO_SRC],
    message: MessageBits {
        sfid: bits(95, 92),
        eot: bit(34),
        desc: bits(91, 81)
            .then(121, 113)
            .then(55, 51)
            .then(71, 67)
            .then(123, 122),
        desc_select: bit(48),
        ex_len: bits(103, 99).then(39, 35),
        ex_func: bits(47, 40).then(65, 64).then(97, 96).then(127, 124),
        ex_select: bit(49),
        ex_sub: bits(42, 40),
        serialize: bit(33),
        ..NO_MESSAGE
    },
    ..BASIC
};

const fn payload(src: SrcBits) -> SrcBits {
    SrcBits {
        file: src.file,
        num: src.num,
        ..NO_SRC
    }
}

const XE_SEND: Format = Format {
    message: MessageBits {
        ex_bso: bit(39),
        src1_len: bits(103, 99),
        cps: bit(35),
        ..SEND.message
    },
    ..SEND
};

const fn wide_header(header: Header) -> Header {
    Header {
        chan_off: bits(25, 24),
        pred: bits(27, 26),
        exec_size: bits(20, 18),
        acc_wr_en: Bits::NONE,
        flag: bit(21).then(23, 22),
        swsb: bits(17, 8),
        ..header
    }
}

const WIDE_HEADER: Header = wide_header(HEADER);

const WIDE_BASIC: Format = Format {
    header: WIDE_HEADER,
    dst: DstBits {
        sub: bit(33).then(55, 51),
        addr_imm: bit(33).then(59, 50),
        ..DST
    },
    src: [
        SrcBits {
            sub: bit(87).then(71, 67),
            addr_imm: bit(87).then(75, 66),
            vstride: bits(86, 84),
            ..SRC0
        },
        SrcBits {
            sub_unit: 2,
            addr_imm_unit: 2,
            vstride: bits(118, 116),
            ..SRC1
        },
        NO_SRC,
    ],
    preds: WIDE_PREDS,
    vstrides: &Codes::<Option<u8>>::new(&[
        (Some(0), 0),
        (Some(1), 1),
        (Some(2), 2),
        (Some(4), 3),
        (Some(8), 4),
        (Some(16), 5),
        (Some(32), 6),
        (None, 7),
    ]),
    ..BASIC
};

const WIDE_PREDS: &Codes<PredCtrl> = &Codes::<PredCtrl>::new(&[
    (PredCtrl::Normal, 1),
    (PredCtrl::AnyChannel, 2),
    (PredCtrl::AllChannels, 3),
]);

const fn wide_ternary(format: Format) -> Format {
    let [src0, src1, src2] = format.src;
    Format {
        header: wide_header(format.header),
        dst: DstBits {
            sub_unit: 2,
            ..format.dst
        },
        src: [
            SrcBits {
                sub_unit: 2,
                ..src0
            },
            SrcBits {
                sub_unit: 2,
                ..src1
            },
            SrcBits {
                sub_unit: 2,
                ..src2
            },
        ],
        types: TYPES,
        preds: WIDE_PREDS,
        ..format
    }
}

const WIDE_TERNARY: Format = wide_ternary(TERNARY);
const WIDE_SYSTOLIC: Format = wide_ternary(SYSTOLIC);

const WIDE_SEND: Format = Format {
    header: wide_header(XE_SEND.header),
    preds: WIDE_PREDS,
    ..XE_SEND
};

const XE2_SEND: Format = Format {
    message: MessageBits {
        cps: Bits::NONE,
        ex_offset: [
            bits(39, 35),
            bits(47, 43).then(65, 64).then(97, 96).then(127, 124),
        ],
        ..WIDE_SEND.message
    },
    ..WIDE_SEND
};

const TYPES: &Codes<Type> = &Codes::<Type>::new(TYPE_ROWS.split_at(14).0);

/// Types of three-source operands, which may be native floats before XeHPC.
const NATIVE_TYPES: &Codes<Type> = &Codes::<Type>::new(TYPE_ROWS);

const TYPE_ROWS: &[(Type, u8)] = &[
    (Type::Ub, 0),
    (Type::Uw, 1),
    (Type::Ud, 2),
    (Type::Uq, 3),
    (Type::B, 4),
    (Type::W, 5),
    (Type::D, 6),
    (Type::Q, 7),
    (Type::Bf8, 8),
    (Type::Hf, 9),
    (Type::F, 10),
    (Type::Df, 11),
    (Type::Bf, 13),
    (Type::Tf32, 14),
    (Type::Nf, 15),
];

const IMM_TYPES: &Codes<Type> = &Codes::<Type>::new(&[
    (Type::Uv, 0),
    (Type::Uw, 1),
    (Type::Ud, 2),
    (Type::Uq, 3),
    (Type::V, 4),
    (Type::W, 5),
    (Type::D, 6),
    (Type::Q, 7),
    (Type::Vf, 8),
    (Type::Hf, 9),
    (Type::F, 10),
    (Type::Df, 11),
]);

const GEN12_ARF: &[ArfSpec] = &[
    arf(RegFile::Null, 0x0, 0, 1),
    arf(RegFile::Addr, 0x1, 0, 1),
    arf(RegFile::Acc, 0x2, 0, 8),
    arf(RegFile::Mme, 0x2, 8, 8),
    arf(RegFile::Flag, 0x3, 0, 2),
    arf(RegFile::ChannelEnable, 0x4, 0, 1),
    arf(RegFile::MessageControl, 0x5, 0, 8),
    arf(RegFile::StackPointer, 0x6, 0, 1),
    arf(RegFile::State, 0x7, 0, 1),
    arf(RegFile::Control, 0x8, 0, 1),
    arf(RegFile::Notification, 0x9, 0, 1),
    arf(RegFile::Ip, 0xa, 0, 1),
    arf(RegFile::Tdr, 0xb, 0, 1),
    arf(RegFile::Timestamp, 0xc, 0, 1),
    arf(RegFile::FlowControl, 0xd, 0, 4),
    arf(RegFile::Debug, 0xf, 0, 1),
];

/// Architecture registers since XeHPC, completed by those that changed again.
macro_rules! wide_arf {
    ($($more:expr),* $(,)?) => {
        &[
            arf(RegFile::Null, 0x0, 0, 1),
            arf(RegFile::Addr, 0x1, 0, 1),
            arf(RegFile::Acc, 0x2, 0, 16),
            arf(RegFile::Flag, 0x3, 0, 4),
            arf(RegFile::ChannelEnable, 0x4, 0, 1),
            arf(RegFile::State, 0x7, 0, 1),
            arf(RegFile::Control, 0x8, 0, 1),
            arf(RegFile::Notification, 0x9, 0, 1),
            arf(RegFile::Ip, 0xa, 0, 1),
            arf(RegFile::Tdr, 0xb, 0, 1),
            arf(RegFile::Timestamp, 0xc, 0, 1),
            arf(RegFile::Debug, 0xf, 0, 1),
            $($more),*
        ]
    };
}

const XE_HPC_ARF: &[ArfSpec] = wide_arf![
    arf(RegFile::MessageControl, 0x5, 0, 8),
    arf(RegFile::FlowControl, 0xd, 0, 4),
];

const XE2_ARF: &[ArfSpec] = wide_arf![
    arf(RegFile::MessageControl, 0x5, 0, 2),
    arf(RegFile::FlowControl, 0xd, 0, 3),
];

const XE3_ARF: &[ArfSpec] = wide_arf![
    arf(RegFile::MessageControl, 0x5, 0, 2),
    arf(RegFile::Scalar, 0x6, 0, 1),
    arf(RegFile::FlowControl, 0xd, 0, 3),
];

const PM: Attrs = P.or(Attrs::MODS);
const PB: Attrs = P.or(Attrs::BRANCH);

/// An immediate in the first source's field.
const ONE: &[(Bits, u64)] = &[(SRC0.imm, 1)];
/// Immediates in both sources' fields.
const BOTH: &[(Bits, u64)] = &[(SRC0.imm, 1), (SRC1.imm, 1)];
/// The destination of instructions without one: `null<1>`.
const NO_DST: (Bits, u64) = (DST.hstride, 1);

/// Operations that all these families share. `lzd` lost modifiers over time and is therefore not among them.
macro_rules! ops {
    ($($more:expr),* $(,)?) => {{
        use Form::*;
        &[
            op(Op::Illegal, 0x00, Nullary, Attrs::NONE),
            fixed(op(Op::Sync(SyncFn::Nop), 0x01, Sync, P), &[NO_DST]),
            op(Op::Jmpi, 0x20, Jump, P),
            op(Op::Brd, 0x21, BranchOneReg, P),
            fixed(op(Op::If, 0x22, BranchBoth, PB), BOTH),
            op(Op::Brc, 0x23, BranchBothReg, P),
            fixed(op(Op::Else, 0x24, BranchBoth, Attrs::BRANCH), BOTH),
            fixed(op(Op::Endif, 0x25, BranchOne, Attrs::NONE), ONE),
            fixed(op(Op::While, 0x27, BranchOne, P), ONE),
            fixed(op(Op::Break, 0x28, BranchBoth, P), BOTH),
            fixed(op(Op::Cont, 0x29, BranchBoth, P), BOTH),
            fixed(op(Op::Halt, 0x2a, BranchBoth, P), BOTH),
            op(Op::Calla, 0x2b, Call, P),
            op(Op::Call, 0x2c, Call, P),
            op(Op::Ret, 0x2d, Return, P),
            fixed(op(Op::Goto, 0x2e, BranchBoth, PB), BOTH),
            fixed(op(Op::Join, 0x2f, BranchOne, P), ONE),
            op(Op::Send, 0x31, Sends, P),
            op(Op::Sendc, 0x32, Sends, P),
            op(Op::Math(MathFn::Inv), 0x38, Math, PSM),
            op(Op::Add, 0x40, Binary, PCSM),
            op(Op::Mul, 0x41, Binary, PCSM),
            op(Op::Avg, 0x42, Binary, PCSM),
            op(Op::Frc, 0x43, Unary, PCM),
            op(Op::Rndu, 0x44, Unary, PCSM),
            op(Op::Rndd, 0x45, Unary, PCSM),
            op(Op::Rnde, 0x46, Unary, PCSM),
            op(Op::Rndz, 0x47, Unary, PCSM),
            op(Op::Mac, 0x48, Binary, PCSM),
            op(Op::Mach, 0x49, Binary, PM),
            op(Op::Fbh, 0x4b, Unary, P),
            op(Op::Fbl, 0x4c, Unary, P),
            op(Op::Cbit, 0x4d, Unary, P),
            op(Op::Addc, 0x4e, Binary, PC),
            op(Op::Subb, 0x4f, Binary, PCS),
            op(Op::Dp4a, 0x58, Ternary, PCS),
            op(Op::Mad, 0x5b, Ternary, PCSM),
            op(Op::Nop, 0x60, Nullary, Attrs::NONE),
            op(Op::Mov, 0x61, Unary, PCSM),
            op(Op::Sel, 0x62, Binary, PCSM),
            op(Op::Movi, 0x63, Binary, PSM),
            op(Op::Not, 0x64, Unary, PCM),
            op(Op::And, 0x65, Binary, PCM),
            op(Op::Or, 0x66, Binary, PCM),
            op(Op::Xor, 0x67, Binary, PCM),
            op(Op::Shr, 0x68, Binary, PCSM),
            op(Op::Shl, 0x69, Binary, PCSM),
            op(Op::Asr, 0x6c, Binary, PCSM),
            op(Op::Ror, 0x6e, Binary, PC),
            op(Op::Rol, 0x6f, Binary, PC),
            op(Op::Cmp, 0x70, Binary, PCM),
            op(Op::Cmpn, 0x71, Binary, PCM),
            op(Op::Csel, 0x72, Ternary, CSM),
            op(Op::Bfrev, 0x77, Unary, P),
            op(Op::Bfe, 0x78, Ternary, P),
            op(Op::Bfi1, 0x79, Binary, P),
            op(Op::Bfi2, 0x7a, Ternary, P),
            $($more),*
        ]
    }};
}

const LZD: OpSpec = op(Op::Lzd, 0x4a, Form::Unary, PCM);
const ADD3: OpSpec = op(Op::Add3, 0x52, Form::Ternary, PCSM);
const MADM: OpSpec = op(Op::Madm, 0x5d, Form::Ternary, PM);
const BFN: OpSpec = op(Op::Bfn(0), 0x6b, Form::BitFunction, PC);
const DPAS: OpSpec = op(Op::Dpas(ONE_BY_ONE), 0x59, Form::Systolic, Attrs::NONE);
const DPASW: OpSpec = op(Op::Dpasw(ONE_BY_ONE), 0x5a, Form::Systolic, Attrs::NONE);
const MACL: OpSpec = op(Op::Macl, 0x53, Form::Binary, PM);

const GEN12_OPS: &[OpSpec] = ops![LZD];
const XE_HPG_OPS: &[OpSpec] = ops![LZD, ADD3, MADM, BFN, DPAS, DPASW];
const XE_HPC_OPS: &[OpSpec] = ops![
    LZD,
    ADD3,
    MADM,
    BFN,
    DPAS,
    MACL,
    op(Op::Srnd, 0x54, Form::Binary, Attrs::SAT),
];
const XE2_OPS: &[OpSpec] = ops![
    op(Op::Lzd, 0x4a, Form::Unary, PC),
    ADD3,
    MADM,
    BFN,
    DPAS,
    MACL,
    op(Op::Srnd, 0x54, Form::Binary, Attrs::NONE),
];

/// Copied fields of compact instructions.
const OPCODE: (Bits, Bits) = (bits(6, 0), HEADER.opcode);
const BREAKPOINT: (Bits, Bits) = (bit(7), HEADER.breakpoint);
const SWSB: (Bits, Bits) = (bits(15, 8), HEADER.swsb);
const DST_NUM: (Bits, Bits) = (bits(23, 16), DST.num);
const SRC0_NUM: (Bits, Bits) = (bits(47, 40), SRC0.num);
const SRC1_NUM: (Bits, Bits) = (bits(63, 56), SRC1.num);
const SRC2_NUM: (Bits, Bits) = (bits(55, 48), TERNARY.src[2].num);
const WIDE_SWSB: (Bits, Bits) = (bits(17, 8), WIDE_HEADER.swsb);
const WIDE_DST_NUM: (Bits, Bits) = (bits(39, 32), DST.num);

const SHORT_IMM: Bits = bits(63, 52);
const IMM_RULES: &[(u8, ImmRule)] = &[
    (0, ImmRule::Unsigned),
    (1, ImmRule::UnsignedWords),
    (2, ImmRule::Unsigned),
    (4, ImmRule::Unsigned),
    (5, ImmRule::SignedWords),
    (6, ImmRule::Signed),
    (8, ImmRule::Unsigned),
    (9, ImmRule::HighWords),
    (10, ImmRule::High),
];

/// A table of a compact form: the field of the index, the fields that an entry stands for, the entries.
const fn table(index: Bits, fields: Bits, values: &'static [u64]) -> CompactTable {
    CompactTable::new(index, fields, values)
}

const CONTROL: CompactTable = table(
    bits(28, 24),
    bits(28, 16).then(31, 31).then(34, 32).then(95, 92),
    GEN12_CONTROL,
);
const IMM_TYPED: CompactTable = table(
    bits(34, 30),
    bits(43, 35).then(50, 46).then(66, 66).then(91, 88),
    GEN12_TYPES,
);
const TYPED: CompactTable = table(
    bits(34, 30),
    bits(43, 35)
        .then(50, 46)
        .then(66, 66)
        .then(91, 88)
        .then(98, 98),
    GEN12_TYPES,
);
const SUBS: Bits = bits(39, 35);
const SUBS_DST: CompactTable = table(SUBS, bits(55, 51), GEN12_SUBS_DST);
const SUBS_TWO: CompactTable = table(SUBS, bits(55, 51).then(71, 67), GEN12_SUBS_TWO);
const SUBS_THREE: CompactTable = table(SUBS, bits(55, 51).then(71, 67).then(103, 99), GEN12_SUBS);
const SOURCE0: Bits = bits(45, 44).then(65, 64).then(87, 80);
const SOURCE1: Bits = bits(97, 96).then(121, 112);

const PLAIN: CompactForm = CompactForm {
    classes: &[],
    immediate: Immediate::No,
    copies: Copies::new(&[]),
    tables: &[],
    imm: Bits::NONE,
    imm_rules: &[],
};

const UNARY: CompactForm = CompactForm {
    classes: &[CompactClass::Unary],
    copies: Copies::new(&[OPCODE, BREAKPOINT, SWSB, DST_NUM, SRC0_NUM]),
    ..PLAIN
};

const UNARY_IMM: CompactForm = CompactForm {
    immediate: Immediate::Src0,
    copies: Copies::new(&[OPCODE, BREAKPOINT, SWSB, DST_NUM]),
    imm: SHORT_IMM,
    imm_rules: IMM_RULES,
    ..UNARY
};

const BINARY: CompactForm = CompactForm {
    classes: &[CompactClass::Binary],
    copies: Copies::new(&[OPCODE, BREAKPOINT, SWSB, DST_NUM, SRC0_NUM, SRC1_NUM]),
    ..PLAIN
};

const BINARY_IMM: CompactForm = CompactForm {
    classes: &[CompactClass::Binary],
    immediate: Immediate::Src1,
    copies: Copies::new(&[OPCODE, BREAKPOINT, SWSB, DST_NUM, SRC0_NUM]),
    imm: SHORT_IMM,
    imm_rules: IMM_RULES,
    ..PLAIN
};

const TERNARY_FORM: CompactForm = CompactForm {
    classes: &[CompactClass::Ternary],
    copies: Copies::new(&[
        OPCODE, BREAKPOINT, SWSB, DST_NUM, SRC0_NUM, SRC1_NUM, SRC2_NUM,
    ]),
    ..PLAIN
};

/// Register files, strides and modifiers of three sources.
const TERNARY_SOURCES: Bits = bits(35, 35)
    .then(47, 43)
    .then(66, 64)
    .then(87, 83)
    .then(91, 91)
    .then(98, 96)
    .then(114, 112);
const TERNARY_SUBS: Bits = bits(55, 51).then(71, 67).then(103, 99).then(119, 115);

const fn basic_tables(
    subs: CompactTable,
    source0: &'static [u64],
    source1: &'static [u64],
) -> [CompactTable; 5] {
    [
        CONTROL,
        TYPED,
        subs,
        table(bits(51, 48), SOURCE0, source0),
        table(bits(55, 52), SOURCE1, source1),
    ]
}

/// Tables of an immediate as the only source; its region index stands for no source.
const fn only_imm_tables(source0: &'static [u64]) -> [CompactTable; 4] {
    let [control, types, _, source0] = imm_tables(source0);
    [control, types, SUBS_DST, source0]
}

const fn imm_tables(source0: &'static [u64]) -> [CompactTable; 4] {
    [
        CONTROL,
        IMM_TYPED,
        SUBS_TWO,
        table(bits(51, 48), SOURCE0, source0),
    ]
}

macro_rules! narrow_compact {
    ($source0:ident, $source1:ident, $ternary:ident, $control:expr, $sources:ident) => {
        &[
            CompactForm {
                tables: &basic_tables(SUBS_TWO, $source0, $source1),
                ..UNARY
            },
            CompactForm {
                tables: &only_imm_tables($source0),
                ..UNARY_IMM
            },
            CompactForm {
                tables: &basic_tables(SUBS_THREE, $source0, $source1),
                ..BINARY
            },
            CompactForm {
                tables: &imm_tables($source0),
                ..BINARY_IMM
            },
            CompactForm {
                tables: &[
                    $control,
                    table(bits(34, 30), TERNARY_SOURCES, $sources),
                    table(SUBS, TERNARY_SUBS, GEN12_TERNARY_SUBS),
                ],
                ..$ternary
            },
        ]
    };
}

/// The control table of three sources. `fields` are those of strides and register file of the destination.
const fn ternary_control(fields: Bits, values: &'static [u64]) -> CompactTable {
    let fields = fields.then(82, 80).then(90, 88).then(95, 92);
    table(bits(28, 24), fields, values)
}

const TERNARY_HEADER: Bits = bits(28, 16).then(31, 31).then(34, 32).then(42, 36);

const GEN12_COMPACT: &[CompactForm] = narrow_compact!(
    GEN12_SOURCE0,
    GEN12_SOURCE1,
    TERNARY_FORM,
    ternary_control(
        TERNARY_HEADER.then(48, 48).then(50, 50),
        GEN12_TERNARY_CONTROL
    ),
    GEN12_TERNARY_SOURCES
);

const XE_TERNARY_FORM: CompactForm = CompactForm {
    classes: &[CompactClass::Ternary, CompactClass::Systolic],
    ..TERNARY_FORM
};

const XE_HPG_COMPACT: &[CompactForm] = narrow_compact!(
    XE_SOURCE0,
    XE_SOURCE1,
    XE_TERNARY_FORM,
    ternary_control(TERNARY_HEADER.then(50, 48), XE_TERNARY_CONTROL),
    XE_TERNARY_SOURCES
);

const WIDE_TYPES_INDEX: Bits = bits(28, 26).then(31, 30);
const WIDE_COPIES: &[(Bits, Bits)] = &[OPCODE, BREAKPOINT, WIDE_SWSB, WIDE_DST_NUM, SRC0_NUM];
const WIDE_TERNARY_CONTROL: Bits = bits(28, 18)
    .then(31, 31)
    .then(32, 32)
    .then(34, 34)
    .then(42, 36)
    .then(50, 48)
    .then(82, 80)
    .then(90, 88)
    .then(95, 92);

/// Tables of one and two sources. The last one is of the second source.
const fn wide_tables(values: &[&'static [u64]; 5]) -> [CompactTable; 5] {
    let [control, types, subs, source0, source1] = *values;
    [
        table(
            bits(22, 18),
            bits(28, 18)
                .then(31, 31)
                .then(32, 32)
                .then(34, 34)
                .then(95, 92),
            control,
        ),
        table(WIDE_TYPES_INDEX, TYPED.fields, types),
        table(
            bits(51, 48),
            bit(33).then(55, 51).then(71, 67).then(87, 87),
            subs,
        ),
        table(
            bits(25, 23),
            bits(45, 44).then(65, 64).then(86, 80),
            source0,
        ),
        table(
            bits(55, 52),
            bits(97, 96).then(103, 99).then(118, 112).then(121, 120),
            source1,
        ),
    ]
}

const fn wide_imm_tables(values: &[&'static [u64]; 5]) -> [CompactTable; 4] {
    let [control, types, subs, source0, _] = wide_tables(values);
    [
        control,
        table(types.index, IMM_TYPED.fields, types.values),
        subs,
        source0,
    ]
}

const fn wide_ternary_tables(
    control: &'static [u64],
    sources: &'static [u64],
    subs: &'static [u64],
) -> [CompactTable; 3] {
    [
        table(bits(21, 18), WIDE_TERNARY_CONTROL, control),
        table(bits(25, 22), TERNARY_SOURCES, sources),
        table(WIDE_TYPES_INDEX, TERNARY_SUBS, subs),
    ]
}

const WIDE_UNARY: CompactForm = CompactForm {
    copies: Copies::new(WIDE_COPIES),
    ..UNARY
};
const WIDE_UNARY_IMM: CompactForm = CompactForm {
    copies: Copies::new(&[OPCODE, BREAKPOINT, WIDE_SWSB, WIDE_DST_NUM]),
    ..UNARY_IMM
};
const WIDE_BINARY: CompactForm = CompactForm {
    copies: Copies::new(&[
        OPCODE,
        BREAKPOINT,
        WIDE_SWSB,
        WIDE_DST_NUM,
        SRC0_NUM,
        SRC1_NUM,
    ]),
    ..BINARY
};
const WIDE_BINARY_IMM: CompactForm = CompactForm {
    copies: Copies::new(WIDE_COPIES),
    ..BINARY_IMM
};
const WIDE_TERNARY_FORM: CompactForm = CompactForm {
    copies: Copies::new(&[
        OPCODE,
        BREAKPOINT,
        WIDE_SWSB,
        WIDE_DST_NUM,
        SRC0_NUM,
        SRC1_NUM,
        SRC2_NUM,
    ]),
    ..TERNARY_FORM
};
const WIDE_SYSTOLIC_FORM: CompactForm = CompactForm {
    classes: &[CompactClass::Systolic],
    ..WIDE_TERNARY_FORM
};

const HPC_VALUES: &[&[u64]; 5] = &[
    XE_HPC_CONTROL,
    XE_HPC_TYPES,
    XE_HPC_SUBS,
    XE_HPC_SOURCE0,
    XE_HPC_SOURCE1,
];
const XE2_VALUES: &[&[u64]; 5] = &[XE2_CONTROL, XE2_TYPES, XE2_SUBS, XE2_SOURCE0, XE2_SOURCE1];

macro_rules! wide_compact {
    ($values:ident, $ternary:expr, $systolic:expr) => {
        &[
            CompactForm {
                tables: &wide_tables($values),
                ..WIDE_UNARY
            },
            CompactForm {
                tables: &wide_imm_tables($values),
                ..WIDE_UNARY_IMM
            },
            CompactForm {
                tables: &wide_tables($values),
                ..WIDE_BINARY
            },
            CompactForm {
                tables: &wide_imm_tables($values),
                ..WIDE_BINARY_IMM
            },
            CompactForm {
                tables: &$ternary,
                ..WIDE_TERNARY_FORM
            },
            CompactForm {
                tables: &$systolic,
                ..WIDE_SYSTOLIC_FORM
            },
        ]
    };
}

const XE_HPC_COMPACT: &[CompactForm] = wide_compact!(
    HPC_VALUES,
    wide_ternary_tables(
        XE_HPC_TERNARY_CONTROL,
        XE_HPC_TERNARY_SOURCES,
        XE_HPC_TERNARY_SUBS,
    ),
    wide_ternary_tables(
        XE_HPC_SYSTOLIC_CONTROL,
        XE_HPC_SYSTOLIC_SOURCES,
        XE_HPC_TERNARY_SUBS,
    )
);

const XE2_COMPACT: &[CompactForm] = wide_compact!(
    XE2_VALUES,
    wide_ternary_tables(XE2_TERNARY_CONTROL, XE2_TERNARY_SOURCES, XE2_TERNARY_SUBS),
    wide_ternary_tables(
        XE_HPC_SYSTOLIC_CONTROL,
        XE_HPC_SYSTOLIC_SOURCES,
        XE2_TERNARY_SUBS,
    )
);
