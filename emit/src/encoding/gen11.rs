//! The Gen11 encoding (Ice Lake).
//!
//! Gen9's without Align16: three-source operations have regions and 16-bit immediates, macro operations name their
//! accumulators in the sub-register fields, and types have other codes. Sources: the public Ice Lake programmer's
//! reference manual, vol. 2a, and the public tables of the reference assembler.

use super::bits::{Bits, bit, bits};
use super::gen9::{
    ALIGN1, BOTH, CALL, CSM, FIRST_IMM, GEN9, JUMP, LAST_IMM, NO_DST, NO_SRC, ONE, ONE_REGISTER, P,
    PC, PCM, PCS, PCSM, PREDS_ALIGN1, PSM, REGISTERS, SEND, SENDS, TERNARY as GEN9_TERNARY, TO_IP,
    first_imm_tables, fixed, last_imm_tables, one_register_tables, op, ops, register_tables,
};
use super::spec::{
    Attrs, Codes, CompactForm, DstBits, Form, Format, Header, OpSpec, Ops, Spec, SrcBits,
    ThreadCodes,
};
use crate::inst::{MathFn, Op, Type};

pub static SPEC: Spec = Spec {
    ops: Ops::new(OPS),
    thread: ThreadCodes {
        atomic: 1,
        switch: 2,
        no_preempt: Some(3),
    },
    align1: BASIC,
    align16: BASIC,
    ternary: TERNARY,
    branch: BASIC,
    send: typed(SEND),
    sends: typed(SENDS),
    compact: &[
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
    ],
    align16_ternary: false,
    ..GEN9
};

/// A format with this family's types, in Align1 only.
const fn typed(format: Format) -> Format {
    Format {
        header: Header {
            align16: Bits::NONE,
            ..format.header
        },
        types: TYPES,
        imm_types: IMM_TYPES,
        ..format
    }
}

const BASIC: Format = {
    let [src0, src1, none] = ALIGN1.src;
    Format {
        dst: DstBits {
            mme: bits(51, 48),
            ..ALIGN1.dst
        },
        src: [
            SrcBits {
                mme: bits(67, 64),
                ..src0
            },
            SrcBits {
                mme: bits(99, 96),
                ..src1
            },
            none,
        ],
        ..typed(ALIGN1)
    }
};

/// Bit that is set if the types of a three-source operation are floating-point.
const FLOAT: u8 = 35;

const TERNARY: Format = Format {
    dst: DstBits {
        arf: bit(36),
        ty: bits(48, 46).then(FLOAT, FLOAT),
        hstride: bit(49),
        sub: bits(55, 54),
        sub_unit: 8,
        chan_mask: Bits::NONE,
        mme: bits(55, 52),
        hstrides: &Codes::<u8>::new(&[(1, 0), (2, 1)]),
        ..GEN9_TERNARY.dst
    },
    src: [
        SrcBits {
            imm: bit(43),
            imm16: bits(82, 67),
            imm_or_native: true,
            ty: bits(66, 64).then(FLOAT, FLOAT),
            neg: bit(38),
            abs: bit(37),
            num: bits(83, 76),
            sub: bits(75, 71),
            vstride: bits(68, 67),
            hstride: bits(70, 69),
            mme: bits(75, 72),
            ..NO_SRC
        },
        SrcBits {
            arf: bit(44),
            ty: bits(87, 85).then(FLOAT, FLOAT),
            neg: bit(40),
            abs: bit(39),
            num: bits(104, 97),
            sub: bits(96, 92),
            vstride: bits(89, 88),
            hstride: bits(91, 90),
            mme: bits(96, 93),
            ..NO_SRC
        },
        SrcBits {
            imm: bit(45),
            imm16: bits(124, 109),
            ty: bits(108, 106).then(FLOAT, FLOAT),
            neg: bit(42),
            abs: bit(41),
            num: bits(125, 118),
            sub: bits(117, 113),
            hstride: bits(112, 111),
            mme: bits(117, 114),
            ..NO_SRC
        },
    ],
    preds: PREDS_ALIGN1,
    vstrides: &Codes::<Option<u8>>::new(&[(Some(0), 0), (Some(2), 1), (Some(4), 2), (Some(8), 3)]),
    ..typed(GEN9_TERNARY)
};

const TYPES: &Codes<Type> = &Codes::<Type>::new(&[
    (Type::Ud, 0),
    (Type::D, 1),
    (Type::Uw, 2),
    (Type::W, 3),
    (Type::Ub, 4),
    (Type::B, 5),
    (Type::Uq, 6),
    (Type::Q, 7),
    (Type::Hf, 8),
    (Type::F, 9),
    (Type::Df, 10),
    (Type::Nf, 11),
]);

const IMM_TYPES: &Codes<Type> = &Codes::<Type>::new(&[
    (Type::Ud, 0),
    (Type::D, 1),
    (Type::Uw, 2),
    (Type::W, 3),
    (Type::Uv, 4),
    (Type::V, 5),
    (Type::Uq, 6),
    (Type::Q, 7),
    (Type::Hf, 8),
    (Type::F, 9),
    (Type::Df, 10),
    (Type::Vf, 11),
]);

const OPS: &[OpSpec] = ops![
    op(Op::Movi, 0x03, Form::Binary, PSM),
    op(Op::Ror, 0x0e, Form::Binary, PC),
    op(Op::Rol, 0x0f, Form::Binary, PC),
];

const COMPACT_TYPES: &[u64] = &[
    0x40001, 0x40040, 0x40041, 0x400c1, 0x40165, 0x40be5, 0x40941, 0x40945, 0x40965, 0x41041,
    0x43040, 0x43041, 0x45145, 0x47144, 0x47145, 0x64965, 0x65925, 0x65964, 0x65965, 0x67964,
    0x40c, 0x40065, 0x40145, 0x41040, 0x45144, 0x47104, 0x49209, 0x6f965, 0x67965, 0x4f34c,
    0x49248, 0x4b248,
];
