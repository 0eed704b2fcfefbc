//! The Gen9 encoding (Skylake, Broxton).
//!
//! Sources: the public Skylake Programmer's Reference Manual, vol. 2a (instruction formats,
//! compaction tables) and vol. 7 (opcodes). Bits are numbered over the whole 128-bit word.

use super::bits::{Bits, bit, bits};
use super::spec::{
    ArfSpec, Attrs, Codes, CompactClass, CompactForm, CompactTable, Copies, DstBits, FILE_IMM,
    Form, Format, Functions, HSTRIDES, Header, ImmRule, Immediate, MathSpec, MessageBits, OpSpec,
    Ops, RegFiles, Spec, SrcBits, SystolicBits, ThreadCodes, VSTRIDES,
};
use crate::inst::{Cond, MathFn, Op, PredCtrl, RegFile, SyncFn, Type};
use crate::messages;
use crate::platform::Generation;

pub static SPEC: Spec = GEN9;

/// Files whose registers hold addresses and masks rather than elements.
pub(super) const STEPPED: &[RegFile] = &[
    RegFile::ChannelEnable,
    RegFile::Ip,
    RegFile::FlowControl,
    RegFile::MessageControl,
];

pub(super) const GEN9: Spec = Spec {
    ops: Ops::new(OPS),
    math: Functions::new(MATH),
    arf: RegFiles::new(ARF),
    thread: ThreadCodes {
        atomic: 1,
        switch: 2,
        no_preempt: None,
    },
    align1: ALIGN1,
    align16: ALIGN16,
    ternary: TERNARY,
    bit_function: TERNARY,
    branch: ALIGN1,
    send: SEND,
    sends: SENDS,
    compact: COMPACT,
    messages: &messages::GEN9,
    systolic: TERNARY,
    syncs: &Codes::<SyncFn>::new(&[]),
    swsb: None,
    jump_src: 1,
    jump_base: 16,
    align16_ternary: true,
    chan_unit: Generation::Skl.channel_step(),
    stepped: STEPPED,
    step: 1,
    macro_regions: false,
    compact_control: true,
};

pub(super) const CONDS: &Codes<Cond> = &Codes::<Cond>::new(&[
    (Cond::Eq, 1),
    (Cond::Ne, 2),
    (Cond::Gt, 3),
    (Cond::Ge, 4),
    (Cond::Lt, 5),
    (Cond::Le, 6),
    (Cond::Ov, 8),
    (Cond::Un, 9),
]);

const HEADER: Header = Header {
    opcode: bits(6, 0),
    align16: bit(8),
    no_dd_clr: bit(9),
    no_dd_chk: bit(10),
    chan_off: bit(11).then(13, 12),
    thread: bits(15, 14),
    pred: bits(19, 16),
    pred_inverse: bit(20),
    exec_size: bits(23, 21),
    cond: bits(27, 24),
    math: bits(27, 24),
    acc_wr_en: bit(28),
    branch: bit(28),
    no_src_dep_set: bit(28),
    compact: bit(29),
    breakpoint: bit(30),
    saturate: bit(31),
    flag: bits(33, 32),
    no_mask: bit(34),
    swsb: Bits::NONE,
    sync: Bits::NONE,
    bit_function: Bits::NONE,
};

pub(super) const NO_MESSAGE: MessageBits = MessageBits {
    sfid: Bits::NONE,
    eot: Bits::NONE,
    desc: Bits::NONE,
    desc_select: Bits::NONE,
    desc_file: Bits::NONE,
    desc_num: Bits::NONE,
    desc_sub: Bits::NONE,
    ex_len: Bits::NONE,
    ex_func: Bits::NONE,
    ex_select: Bits::NONE,
    ex_sub: Bits::NONE,
    ex_bso: Bits::NONE,
    src1_len: Bits::NONE,
    cps: Bits::NONE,
    ex_offset: [Bits::NONE; 2],
    serialize: Bits::NONE,
};

pub(super) const NO_SRC: SrcBits = SrcBits {
    file: Bits::NONE,
    arf: Bits::NONE,
    imm: Bits::NONE,
    imm16: Bits::NONE,
    imm_or_native: false,
    ty: Bits::NONE,
    sub_byte: Bits::NONE,
    half: Bits::NONE,
    indirect: Bits::NONE,
    neg: Bits::NONE,
    abs: Bits::NONE,
    num: Bits::NONE,
    sub: Bits::NONE,
    sub_unit: 1,
    addr_sub: Bits::NONE,
    addr_imm: Bits::NONE,
    addr_imm_unit: 1,
    vstride: Bits::NONE,
    width: Bits::NONE,
    hstride: Bits::NONE,
    swizzle: Bits::NONE,
    replicate: Bits::NONE,
    mme: Bits::NONE,
};

const DST: DstBits = DstBits {
    file: bits(36, 35),
    arf: Bits::NONE,
    ty: bits(40, 37),
    indirect: bit(63),
    hstride: bits(62, 61),
    num: bits(60, 53),
    sub: bits(52, 48),
    sub_unit: 1,
    addr_sub: bits(60, 57),
    addr_imm: bits(56, 48).then(47, 47),
    addr_imm_unit: 1,
    chan_mask: Bits::NONE,
    mme: Bits::NONE,
    hstrides: HSTRIDES,
};

const SRC0: SrcBits = SrcBits {
    file: bits(42, 41),
    ty: bits(46, 43),
    indirect: bit(79),
    neg: bit(78),
    abs: bit(77),
    num: bits(76, 69),
    sub: bits(68, 64),
    addr_sub: bits(76, 73),
    addr_imm: bits(72, 64).then(95, 95),
    vstride: bits(88, 85),
    width: bits(84, 82),
    hstride: bits(81, 80),
    ..NO_SRC
};

const SRC1: SrcBits = SrcBits {
    file: bits(90, 89),
    ty: bits(94, 91),
    indirect: bit(111),
    neg: bit(110),
    abs: bit(109),
    num: bits(108, 101),
    sub: bits(100, 96),
    addr_sub: bits(108, 105),
    addr_imm: bits(104, 96).then(121, 121),
    vstride: bits(120, 117),
    width: bits(116, 114),
    hstride: bits(113, 112),
    ..NO_SRC
};

pub(super) const ALIGN1: Format = Format {
    header: HEADER,
    dst: DST,
    src: [SRC0, SRC1, NO_SRC],
    imm32: bits(127, 96),
    imm64: bits(127, 64),
    jip: bits(127, 96),
    uip: bits(95, 64),
    message: NO_MESSAGE,
    types: TYPES,
    imm_types: IMM_TYPES,
    preds: PREDS_ALIGN1,
    conds: CONDS,
    vstrides: VSTRIDES,
    systolic: SystolicBits {
        depth: Bits::NONE,
        repeat: Bits::NONE,
    },
};

const ALIGN16: Format = Format {
    dst: DstBits {
        sub: bit(52),
        sub_unit: 16,
        addr_imm: bits(56, 52).then(47, 47),
        addr_imm_unit: 16,
        chan_mask: bits(51, 48),
        ..DST
    },
    src: [
        SrcBits {
            sub: bit(68),
            sub_unit: 16,
            addr_imm: bits(72, 68).then(95, 95),
            addr_imm_unit: 16,
            width: Bits::NONE,
            hstride: Bits::NONE,
            swizzle: bits(67, 64).then(83, 80),
            ..SRC0
        },
        SrcBits {
            sub: bit(100),
            sub_unit: 16,
            addr_imm: bits(104, 100).then(121, 121),
            addr_imm_unit: 16,
            width: Bits::NONE,
            hstride: Bits::NONE,
            swizzle: bits(99, 96).then(115, 112),
            ..SRC1
        },
        NO_SRC,
    ],
    preds: PREDS_ALIGN16,
    ..ALIGN1
};

pub(super) const TERNARY: Format = Format {
    dst: DstBits {
        file: Bits::NONE,
        arf: Bits::NONE,
        ty: bits(48, 46),
        indirect: Bits::NONE,
        hstride: Bits::NONE,
        num: bits(63, 56),
        sub: bits(55, 53),
        sub_unit: 4,
        addr_sub: Bits::NONE,
        addr_imm: Bits::NONE,
        addr_imm_unit: 1,
        chan_mask: bits(52, 49),
        mme: Bits::NONE,
        hstrides: HSTRIDES,
    },
    src: [
        SrcBits {
            ty: bits(45, 43),
            neg: bit(38),
            abs: bit(37),
            num: bits(83, 76),
            sub: bit(84).then(75, 73),
            sub_unit: 2,
            swizzle: bits(72, 65),
            replicate: bit(64),
            ..NO_SRC
        },
        SrcBits {
            half: bit(36),
            neg: bit(40),
            abs: bit(39),
            num: bits(104, 97),
            sub: bit(105).then(96, 94),
            sub_unit: 2,
            swizzle: bits(93, 86),
            replicate: bit(85),
            ..NO_SRC
        },
        SrcBits {
            half: bit(35),
            neg: bit(42),
            abs: bit(41),
            num: bits(125, 118),
            sub: bit(126).then(117, 115),
            sub_unit: 2,
            swizzle: bits(114, 107),
            replicate: bit(106),
            ..NO_SRC
        },
    ],
    imm32: Bits::NONE,
    imm64: Bits::NONE,
    jip: Bits::NONE,
    uip: Bits::NONE,
    types: TERNARY_TYPES,
    imm_types: &Codes::<Type>::new(&[]),
    preds: PREDS_ALIGN16,
    ..ALIGN1
};

/// A send has function and flags in fields of the arithmetic header.
const SEND_HEADER: Header = Header {
    no_dd_clr: Bits::NONE,
    no_dd_chk: Bits::NONE,
    cond: Bits::NONE,
    saturate: Bits::NONE,
    ..HEADER
};

pub(super) const SEND: Format = Format {
    header: SEND_HEADER,
    src: [
        SrcBits {
            neg: Bits::NONE,
            abs: Bits::NONE,
            sub: bit(68),
            sub_unit: 16,
            addr_imm: bits(72, 68).then(95, 95),
            addr_imm_unit: 16,
            vstride: Bits::NONE,
            width: Bits::NONE,
            hstride: Bits::NONE,
            ..SRC0
        },
        NO_SRC,
        NO_SRC,
    ],
    message: MessageBits {
        sfid: bits(27, 24),
        eot: bit(127),
        desc: bits(126, 96),
        desc_file: bits(90, 89),
        desc_num: bits(108, 101),
        desc_sub: bits(100, 96),
        ex_func: bits(67, 64).then(83, 80).then(88, 85).then(94, 91),
        ..NO_MESSAGE
    },
    ..ALIGN1
};

pub(super) const SENDS: Format = Format {
    header: SEND_HEADER,
    dst: DstBits {
        file: bit(35),
        hstride: Bits::NONE,
        sub: bit(52),
        sub_unit: 16,
        addr_imm: bits(56, 52).then(62, 62),
        addr_imm_unit: 16,
        ..DST
    },
    src: [
        SrcBits {
            indirect: bit(79),
            num: bits(76, 69),
            sub: bit(68),
            sub_unit: 16,
            addr_sub: bits(76, 73),
            addr_imm: bits(72, 68).then(78, 78),
            addr_imm_unit: 16,
            ..NO_SRC
        },
        SrcBits {
            file: bit(36),
            indirect: bit(42),
            num: bits(51, 44),
            addr_sub: bits(51, 48),
            addr_imm: bits(47, 43).then(41, 41),
            addr_imm_unit: 16,
            ..NO_SRC
        },
        NO_SRC,
    ],
    message: MessageBits {
        sfid: bits(27, 24),
        eot: bit(127),
        desc: bits(126, 96),
        desc_select: bit(77),
        ex_len: bits(67, 64),
        ex_func: bits(95, 80),
        ex_select: bit(61),
        ex_sub: bits(82, 80),
        ..NO_MESSAGE
    },
    ..ALIGN1
};

const TYPES: &Codes<Type> = &Codes::<Type>::new(&[
    (Type::Ud, 0),
    (Type::D, 1),
    (Type::Uw, 2),
    (Type::W, 3),
    (Type::Ub, 4),
    (Type::B, 5),
    (Type::Df, 6),
    (Type::F, 7),
    (Type::Uq, 8),
    (Type::Q, 9),
    (Type::Hf, 10),
]);

const IMM_TYPES: &Codes<Type> = &Codes::<Type>::new(&[
    (Type::Ud, 0),
    (Type::D, 1),
    (Type::Uw, 2),
    (Type::W, 3),
    (Type::Uv, 4),
    (Type::Vf, 5),
    (Type::V, 6),
    (Type::F, 7),
    (Type::Uq, 8),
    (Type::Q, 9),
    (Type::Df, 10),
    (Type::Hf, 11),
]);

const TERNARY_TYPES: &Codes<Type> = &Codes::<Type>::new(&[
    (Type::F, 0),
    (Type::D, 1),
    (Type::Ud, 2),
    (Type::Df, 3),
    (Type::Hf, 4),
]);

pub(super) const PREDS_ALIGN1: &Codes<PredCtrl> = &Codes::<PredCtrl>::new(&[
    (PredCtrl::Normal, 1),
    (PredCtrl::AnyV, 2),
    (PredCtrl::AllV, 3),
    (PredCtrl::Any(2), 4),
    (PredCtrl::All(2), 5),
    (PredCtrl::Any(4), 6),
    (PredCtrl::All(4), 7),
    (PredCtrl::Any(8), 8),
    (PredCtrl::All(8), 9),
    (PredCtrl::Any(16), 10),
    (PredCtrl::All(16), 11),
    (PredCtrl::Any(32), 12),
    (PredCtrl::All(32), 13),
]);

pub(super) const PREDS_ALIGN16: &Codes<PredCtrl> = &Codes::<PredCtrl>::new(&[
    (PredCtrl::Normal, 1),
    (PredCtrl::Replicate(0), 2),
    (PredCtrl::Replicate(1), 3),
    (PredCtrl::Replicate(2), 4),
    (PredCtrl::Replicate(3), 5),
    (PredCtrl::Any(4), 6),
    (PredCtrl::All(4), 7),
]);

pub(super) const fn math(function: MathFn, code: u8, sources: u8) -> MathSpec {
    MathSpec {
        function,
        code,
        sources,
    }
}

pub(super) const MATH: &[MathSpec] = &[
    math(MathFn::Inv, 1, 1),
    math(MathFn::Log, 2, 1),
    math(MathFn::Exp, 3, 1),
    math(MathFn::Sqt, 4, 1),
    math(MathFn::Rsqt, 5, 1),
    math(MathFn::Sin, 6, 1),
    math(MathFn::Cos, 7, 1),
    math(MathFn::Fdiv, 9, 2),
    math(MathFn::Pow, 10, 2),
    math(MathFn::Idiv, 11, 2),
    math(MathFn::Iqot, 12, 2),
    math(MathFn::Irem, 13, 2),
    math(MathFn::Invm, 14, 2),
    math(MathFn::Rsqtm, 15, 1),
];

pub(super) const fn arf(file: RegFile, code: u8, base: u8, count: u8) -> ArfSpec {
    ArfSpec {
        file,
        code,
        base,
        count,
    }
}

pub(super) const ARF: &[ArfSpec] = &[
    arf(RegFile::Null, 0x0, 0, 1),
    arf(RegFile::Addr, 0x1, 0, 1),
    arf(RegFile::Acc, 0x2, 0, 2),
    arf(RegFile::Mme, 0x2, 2, 8),
    arf(RegFile::Flag, 0x3, 0, 2),
    arf(RegFile::ChannelEnable, 0x4, 0, 1),
    arf(RegFile::StackPointer, 0x6, 0, 1),
    arf(RegFile::State, 0x7, 0, 2),
    arf(RegFile::Control, 0x8, 0, 1),
    arf(RegFile::Notification, 0x9, 0, 1),
    arf(RegFile::Ip, 0xa, 0, 1),
    arf(RegFile::Tdr, 0xb, 0, 1),
    arf(RegFile::Timestamp, 0xc, 0, 1),
    arf(RegFile::FlowControl, 0xd, 0, 5),
    arf(RegFile::Debug, 0xf, 0, 1),
];

pub(super) const P: Attrs = Attrs::PRED;
/// Predicate and condition.
pub(super) const PC: Attrs = P.or(Attrs::COND);
pub(super) const PCM: Attrs = PC.or(Attrs::MODS);
pub(super) const PCS: Attrs = PC.or(Attrs::SAT);
pub(super) const PCSM: Attrs = PCS.or(Attrs::MODS);
pub(super) const PSM: Attrs = P.or(Attrs::SAT).or(Attrs::MODS);
pub(super) const CSM: Attrs = Attrs::COND.or(Attrs::SAT).or(Attrs::MODS);

pub(super) const fn op(op: Op, code: u8, form: Form, attrs: Attrs) -> OpSpec {
    OpSpec {
        op,
        code,
        form,
        attrs,
        fixed: &[],
    }
}

pub(super) const fn fixed(spec: OpSpec, fixed: &'static [(Bits, u64)]) -> OpSpec {
    OpSpec { fixed, ..spec }
}

const CODE_D: u64 = 1;
const ARF_IP: u64 = 0xa0;
/// The destination of instructions without one: `null<1>`.
pub(super) const NO_DST: (Bits, u64) = (DST.hstride, 1);

/// `null<1>`, and an immediate in the first source's field.
pub(super) const BOTH: &[(Bits, u64)] = &[NO_DST, (SRC0.file, FILE_IMM), (SRC0.ty, CODE_D)];
/// `null<1>`, and an immediate in the second source's field.
pub(super) const ONE: &[(Bits, u64)] = &[NO_DST, (SRC1.file, FILE_IMM), (SRC1.ty, CODE_D)];
/// Destination and source `ip`.
pub(super) const JUMP: &[(Bits, u64)] = &[
    NO_DST,
    (DST.num, ARF_IP),
    (SRC0.num, ARF_IP),
    (SRC1.ty, CODE_D),
];
/// `null<2;4,1>` as the first source.
pub(super) const CALL: &[(Bits, u64)] = &[
    (SRC0.vstride, 2),
    (SRC0.width, 2),
    (SRC0.hstride, 1),
    (SRC1.ty, CODE_D),
];
/// Destination `ip`.
pub(super) const TO_IP: &[(Bits, u64)] = &[
    NO_DST,
    (DST.num, ARF_IP),
    (DST.ty, CODE_D),
    (SRC0.ty, CODE_D),
];

/// Operations that Gen11 shares, with the same numbers and forms.
macro_rules! ops {
    ($($more:expr),* $(,)?) => {{
        use Form::*;
        &[
            op(Op::Illegal, 0x00, Nullary, Attrs::NONE),
            op(Op::Mov, 0x01, Unary, PCSM),
            op(Op::Sel, 0x02, Binary, PCSM),
            op(Op::Not, 0x04, Unary, PCM),
            op(Op::And, 0x05, Binary, PCM),
            op(Op::Or, 0x06, Binary, PCM),
            op(Op::Xor, 0x07, Binary, PCM),
            op(Op::Shr, 0x08, Binary, PCSM),
            op(Op::Shl, 0x09, Binary, PCSM),
            op(Op::Smov, 0x0a, Binary, P),
            op(Op::Asr, 0x0c, Binary, PCSM),
            op(Op::Cmp, 0x10, Binary, PCM),
            op(Op::Cmpn, 0x11, Binary, PCM),
            op(Op::Csel, 0x12, Ternary, CSM),
            op(Op::Bfrev, 0x17, Unary, P),
            op(Op::Bfe, 0x18, Ternary, P),
            op(Op::Bfi1, 0x19, Binary, P),
            op(Op::Bfi2, 0x1a, Ternary, P),
            fixed(op(Op::Jmpi, 0x20, Jump, P), JUMP),
            fixed(op(Op::Brd, 0x21, BranchOneReg, P), TO_IP),
            fixed(op(Op::If, 0x22, BranchBoth, P.or(Attrs::BRANCH)), BOTH),
            fixed(op(Op::Brc, 0x23, BranchBothReg, P), TO_IP),
            fixed(op(Op::Else, 0x24, BranchBoth, Attrs::BRANCH), BOTH),
            fixed(op(Op::Endif, 0x25, BranchOne, Attrs::NONE), ONE),
            fixed(op(Op::While, 0x27, BranchOne, P.or(Attrs::BRANCH)), ONE),
            fixed(op(Op::Break, 0x28, BranchBoth, P), BOTH),
            fixed(op(Op::Cont, 0x29, BranchBoth, P), BOTH),
            fixed(op(Op::Halt, 0x2a, BranchBoth, P), BOTH),
            fixed(op(Op::Calla, 0x2b, Call, P), CALL),
            fixed(op(Op::Call, 0x2c, Call, P), CALL),
            fixed(op(Op::Ret, 0x2d, Return, P), &[NO_DST]),
            fixed(op(Op::Goto, 0x2e, BranchBoth, P.or(Attrs::BRANCH)), BOTH),
            fixed(op(Op::Join, 0x2f, BranchOne, P), ONE),
            fixed(op(Op::Wait, 0x30, Wait, Attrs::NONE), &[NO_DST]),
            op(Op::Send, 0x31, Send, P),
            op(Op::Sendc, 0x32, Send, P),
            op(Op::Sends, 0x33, Sends, P),
            op(Op::Sendsc, 0x34, Sends, P),
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
            op(Op::Mach, 0x49, Binary, PSM),
            op(Op::Lzd, 0x4a, Unary, PCSM),
            op(Op::Fbh, 0x4b, Unary, P),
            op(Op::Fbl, 0x4c, Unary, P),
            op(Op::Cbit, 0x4d, Unary, P),
            op(Op::Addc, 0x4e, Binary, PC),
            op(Op::Subb, 0x4f, Binary, PCS),
            op(Op::Mad, 0x5b, Ternary, PCSM),
            op(Op::Madm, 0x5d, Ternary, PCSM),
            op(Op::Nop, 0x7e, Nullary, Attrs::NONE),
            $($more),*
        ]
    }};
}
pub(super) use ops;

const OPS: &[OpSpec] = ops![
    op(Op::Movi, 0x03, Form::Unary, PSM),
    op(Op::Sad2, 0x50, Form::Binary, PCSM),
    op(Op::Sada2, 0x51, Form::Binary, PCSM),
    op(Op::Dp4, 0x54, Form::Binary, PCSM),
    op(Op::Dph, 0x55, Form::Binary, PCSM),
    op(Op::Dp3, 0x56, Form::Binary, PCSM),
    op(Op::Dp2, 0x57, Form::Binary, PCSM),
    op(Op::Line, 0x59, Form::Binary, PCSM),
    op(Op::Pln, 0x5a, Form::Binary, PCS),
    op(Op::Lrp, 0x5c, Form::Ternary, PCSM),
];

/// Compaction (PRM vol. 2a, "EU Compact Instruction Format").
const COMPACT: &[CompactForm] = &[
    CompactForm {
        tables: &one_register_tables(COMPACT_TYPES),
        ..ONE_REGISTER
    },
    CompactForm {
        tables: &register_tables(COMPACT_TYPES),
        ..REGISTERS
    },
    CompactForm {
        tables: &first_imm_tables(COMPACT_TYPES),
        ..FIRST_IMM
    },
    CompactForm {
        tables: &last_imm_tables(COMPACT_TYPES),
        ..LAST_IMM
    },
    CompactForm {
        classes: &[CompactClass::Ternary],
        immediate: Immediate::No,
        copies: Copies::new(&[
            OPCODE,
            (bits(18, 12), bits(62, 56)),
            (bit(28), bit(64)),
            (bits(31, 30), bits(31, 30)),
            (bit(32), bit(85)),
            (bit(33), bit(106)),
            (bits(36, 34), bits(75, 73)),
            (bits(39, 37), bits(96, 94)),
            (bits(42, 40), bits(117, 115)),
            (bits(49, 43), bits(82, 76)),
            (bits(56, 50), bits(103, 97)),
            (bits(63, 57), bits(124, 118)),
        ]),
        tables: &[
            CompactTable::new(
                bits(9, 8),
                bits(28, 8).then(34, 32).then(36, 35),
                &[0x80_6001, 0x00_6001, 0x00_8001, 0x00_8021],
            ),
            CompactTable::new(
                bits(11, 10),
                bits(55, 37)
                    .then(72, 65)
                    .then(93, 86)
                    .then(114, 107)
                    .then(84, 83)
                    .then(105, 104)
                    .then(126, 125),
                &[
                    0x727_2720_f000,
                    0x727_2720_f002,
                    0x727_2720_f008,
                    0x727_2720_f020,
                ],
            ),
        ],
        imm: Bits::NONE,
        imm_rules: &[],
    },
];

/// One and two sources, all registers.
pub(super) const REGISTERS: CompactForm = CompactForm {
    classes: &[CompactClass::Binary],
    immediate: Immediate::No,
    copies: Copies::new(&[
        OPCODE, BREAKPOINT, ACC_WR_EN, COND, DST_NUM, SRC0_NUM, SRC1_NUM,
    ]),
    tables: &[],
    imm: Bits::NONE,
    imm_rules: &[],
};

pub(super) const fn register_tables(types: &'static [u64]) -> [CompactTable; 5] {
    [
        CONTROL,
        types_of(types),
        subs(bits(52, 48).then(68, 64).then(100, 96)),
        SOURCE0,
        CompactTable::new(bits(39, 35), bits(120, 109), COMPACT_SOURCES),
    ]
}

/// One source; the second index of the sub-register table is ignored.
pub(super) const ONE_REGISTER: CompactForm = CompactForm {
    classes: &[CompactClass::Unary],
    ..REGISTERS
};

pub(super) const fn one_register_tables(types: &'static [u64]) -> [CompactTable; 5] {
    let [control, types, _, source0, source1] = register_tables(types);
    [
        control,
        types,
        subs(bits(52, 48).then(68, 64)),
        source0,
        source1,
    ]
}

/// An immediate as the only source.
pub(super) const FIRST_IMM: CompactForm = CompactForm {
    classes: BASIC,
    immediate: Immediate::Src0,
    copies: Copies::new(&[OPCODE, BREAKPOINT, ACC_WR_EN, COND, DST_NUM]),
    imm: COMPACT_IMM,
    imm_rules: COMPACT_IMM_RULES,
    ..REGISTERS
};

pub(super) const fn first_imm_tables(types: &'static [u64]) -> [CompactTable; 3] {
    [CONTROL, types_of(types), subs(bits(52, 48))]
}

/// An immediate as second source.
pub(super) const LAST_IMM: CompactForm = CompactForm {
    immediate: Immediate::Src1,
    copies: Copies::new(&[OPCODE, BREAKPOINT, ACC_WR_EN, COND, DST_NUM, SRC0_NUM]),
    ..FIRST_IMM
};

pub(super) const fn last_imm_tables(types: &'static [u64]) -> [CompactTable; 4] {
    [
        CONTROL,
        types_of(types),
        subs(bits(52, 48).then(68, 64)),
        SOURCE0,
    ]
}

const BASIC: &[CompactClass] = &[CompactClass::Unary, CompactClass::Binary];
const OPCODE: (Bits, Bits) = (bits(6, 0), HEADER.opcode);
const BREAKPOINT: (Bits, Bits) = (bit(7), HEADER.breakpoint);
const ACC_WR_EN: (Bits, Bits) = (bit(23), HEADER.acc_wr_en);
const COND: (Bits, Bits) = (bits(27, 24), HEADER.cond);
const DST_NUM: (Bits, Bits) = (bits(47, 40), DST.num);
const SRC0_NUM: (Bits, Bits) = (bits(55, 48), SRC0.num);
const SRC1_NUM: (Bits, Bits) = (bits(63, 56), SRC1.num);

const CONTROL: CompactTable = CompactTable::new(
    bits(12, 8),
    bit(8)
        .then(34, 34)
        .then(10, 9)
        .then(23, 12)
        .then(31, 31)
        .then(33, 32),
    COMPACT_CONTROL,
);

const fn types_of(values: &'static [u64]) -> CompactTable {
    CompactTable::new(bits(17, 13), bits(46, 35).then(94, 89).then(63, 61), values)
}

const fn subs(fields: Bits) -> CompactTable {
    CompactTable::new(bits(22, 18), fields, COMPACT_SUBS)
}

const SOURCE0: CompactTable = CompactTable::new(bits(34, 30), bits(88, 77), COMPACT_SOURCES);

const COMPACT_IMM: Bits = bits(63, 56).then(39, 35);
/// Sign extension for every type.
const COMPACT_IMM_RULES: &[(u8, ImmRule)] = &{
    let mut rules = [(0, ImmRule::Signed); 16];
    let mut ty = 0;
    while ty < rules.len() {
        rules[ty].0 = ty as u8;
        ty += 1;
    }
    rules
};

const COMPACT_CONTROL: &[u64] = &[
    0x00002, 0x04000, 0x04001, 0x04002, 0x04003, 0x04004, 0x04005, 0x04007, 0x04008, 0x04009,
    0x0400d, 0x06000, 0x06001, 0x06002, 0x06003, 0x06004, 0x06005, 0x06007, 0x06009, 0x0600d,
    0x06010, 0x06100, 0x08000, 0x08002, 0x08004, 0x08100, 0x16000, 0x16010, 0x18000, 0x18100,
    0x28000, 0x28100,
];

const COMPACT_TYPES: &[u64] = &[
    0x40001, 0x40040, 0x40041, 0x400c1, 0x4015d, 0x405dd, 0x40741, 0x40745, 0x4075d, 0x41041,
    0x43040, 0x43041, 0x45145, 0x47144, 0x47145, 0x5c75d, 0x5d71d, 0x5d75c, 0x5d75d, 0x5f75c,
    0x0040c, 0x4005d, 0x40145, 0x41040, 0x45144, 0x47104, 0x49209, 0x5775d, 0x5f75d, 0x4f34c,
    0x49248, 0x4b248,
];

const COMPACT_SUBS: &[u64] = &[
    0x0000, 0x0001, 0x0008, 0x000f, 0x0010, 0x0080, 0x0100, 0x0180, 0x0200, 0x0210, 0x0280, 0x1000,
    0x1001, 0x1081, 0x1082, 0x1083, 0x1084, 0x1087, 0x1088, 0x108e, 0x108f, 0x1180, 0x11e8, 0x2000,
    0x2180, 0x3000, 0x3c87, 0x4000, 0x5000, 0x6000, 0x7000, 0x701c,
];

const COMPACT_SOURCES: &[u64] = &[
    0x000, 0x002, 0x010, 0x012, 0x018, 0x020, 0x028, 0x048, 0x050, 0x070, 0x078, 0x300, 0x302,
    0x308, 0x310, 0x312, 0x320, 0x328, 0x338, 0x340, 0x342, 0x348, 0x350, 0x360, 0x368, 0x370,
    0x371, 0x378, 0x468, 0x469, 0x46a, 0x588,
];
