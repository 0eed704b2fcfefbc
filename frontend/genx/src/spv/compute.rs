//! Operations with an instruction of the IR, as tables.

use spirv::Op;

use crate::ir::function::Flags;
use crate::ir::{BinaryOp, CastOp, FloatRel, IntRel, Op as IrOp, Scalar, Type, Types};

const BINARY: &[(Op, BinaryOp)] = &[
    (Op::IAdd, BinaryOp::Add),
    (Op::FAdd, BinaryOp::FAdd),
    (Op::ISub, BinaryOp::Sub),
    (Op::FSub, BinaryOp::FSub),
    (Op::IMul, BinaryOp::Mul),
    (Op::FMul, BinaryOp::FMul),
    (Op::UDiv, BinaryOp::UDiv),
    (Op::SDiv, BinaryOp::SDiv),
    (Op::FDiv, BinaryOp::FDiv),
    (Op::UMod, BinaryOp::URem),
    (Op::SRem, BinaryOp::SRem),
    (Op::FRem, BinaryOp::FRem),
    (Op::ShiftLeftLogical, BinaryOp::Shl),
    (Op::ShiftRightLogical, BinaryOp::LShr),
    (Op::ShiftRightArithmetic, BinaryOp::AShr),
    (Op::BitwiseAnd, BinaryOp::And),
    (Op::BitwiseOr, BinaryOp::Or),
    (Op::BitwiseXor, BinaryOp::Xor),
    (Op::LogicalAnd, BinaryOp::And),
    (Op::LogicalOr, BinaryOp::Or),
    (Op::LogicalNotEqual, BinaryOp::Xor),
];

const INT_RELATIONS: &[(Op, IntRel)] = &[
    (Op::IEqual, IntRel::Eq),
    (Op::LogicalEqual, IntRel::Eq),
    (Op::PtrEqual, IntRel::Eq),
    (Op::INotEqual, IntRel::Ne),
    (Op::PtrNotEqual, IntRel::Ne),
    (Op::UGreaterThan, IntRel::Ugt),
    (Op::UGreaterThanEqual, IntRel::Uge),
    (Op::ULessThan, IntRel::Ult),
    (Op::ULessThanEqual, IntRel::Ule),
    (Op::SGreaterThan, IntRel::Sgt),
    (Op::SGreaterThanEqual, IntRel::Sge),
    (Op::SLessThan, IntRel::Slt),
    (Op::SLessThanEqual, IntRel::Sle),
];

/// Relations of floats by the names that LLVM has for them.
const FLOAT_RELATIONS: &[(Op, &str)] = &[
    (Op::FOrdEqual, "oeq"),
    (Op::FUnordEqual, "ueq"),
    (Op::FOrdNotEqual, "one"),
    (Op::LessOrGreater, "one"),
    (Op::FUnordNotEqual, "une"),
    (Op::FOrdLessThan, "olt"),
    (Op::FUnordLessThan, "ult"),
    (Op::FOrdGreaterThan, "ogt"),
    (Op::FUnordGreaterThan, "ugt"),
    (Op::FOrdLessThanEqual, "ole"),
    (Op::FUnordLessThanEqual, "ule"),
    (Op::FOrdGreaterThanEqual, "oge"),
    (Op::FUnordGreaterThanEqual, "uge"),
    (Op::Ordered, "ord"),
    (Op::Unordered, "uno"),
];

/// Operations with the operands of an intrinsic.
const INTRINSICS: &[(Op, &str)] = &[
    (Op::BitReverse, "bitreverse"),
    (Op::UCountLeadingZerosINTEL, "ctlz"),
    (Op::UCountTrailingZerosINTEL, "cttz"),
    (Op::IAddSatINTEL, "sadd.sat"),
    (Op::UAddSatINTEL, "uadd.sat"),
    (Op::ISubSatINTEL, "ssub.sat"),
    (Op::USubSatINTEL, "usub.sat"),
    (Op::SatConvertSToU, "genx.ustrunc.sat"),
    (Op::SatConvertUToS, "genx.sutrunc.sat"),
    (Op::Any, "genx.any"),
    (Op::All, "genx.all"),
];

/// Conversions that saturate if they are decorated so.
const SATURATED: &[(Op, &str)] = &[
    (Op::ConvertFToS, "genx.fptosi.sat"),
    (Op::ConvertFToU, "genx.fptoui.sat"),
    (Op::SConvert, "genx.sstrunc.sat"),
    (Op::UConvert, "genx.uutrunc.sat"),
];

fn row<T: Copy>(table: &[(Op, T)], op: Op) -> Option<T> {
    let found = table.iter().find(|(one, _)| *one == op);
    found.map(|(_, made)| *made)
}

/// Arithmetic or logic of two operands.
pub(super) fn binary(op: Op) -> Option<IrOp> {
    row(BINARY, op).map(IrOp::Binary)
}

/// A relation of two operands.
pub(super) fn relation(op: Op) -> Option<IrOp> {
    if let Some(relation) = row(INT_RELATIONS, op) {
        return Some(IrOp::ICmp(relation));
    }
    let name = row(FLOAT_RELATIONS, op)?;
    let number = (0..).zip(FloatRel::NAMES).find(|(_, one)| *one == name);
    number.map(|(number, _)| IrOp::FCmp(FloatRel(number)))
}

/// Name of the intrinsic that an operation is.
pub(super) fn intrinsic(op: Op) -> Option<&'static str> {
    row(INTRINSICS, op)
}

/// Name of the intrinsic that a conversion is if it saturates.
pub(super) fn saturated(op: Op) -> Option<&'static str> {
    row(SATURATED, op)
}

/// Conversion of an operation; `None` inside if it leaves the value as it is. A boolean is an integer of one bit here.
pub(super) fn cast(types: &Types, op: Op, from: Type, to: Type) -> Option<Option<CastOp>> {
    let kind = |ty| types.element(ty).unwrap_or(Scalar::Int(0));
    let (a, b) = (kind(from), kind(to));
    let (wide, narrow) = (types.bits(a), types.bits(b));
    let pointer = |scalar| match scalar {
        Scalar::Ptr(space) => Some(space),
        _ => None,
    };
    let sized = |extended, cut| match wide.cmp(&narrow) {
        std::cmp::Ordering::Less => Some(extended),
        std::cmp::Ordering::Equal => None,
        std::cmp::Ordering::Greater => Some(cut),
    };
    Some(match op {
        Op::ConvertFToU => Some(CastOp::FpToUi),
        Op::ConvertFToS => Some(CastOp::FpToSi),
        Op::ConvertUToF => Some(CastOp::UiToFp),
        Op::ConvertSToF => Some(CastOp::SiToFp),
        Op::UConvert => sized(CastOp::ZExt, CastOp::Trunc),
        Op::SConvert => sized(CastOp::SExt, CastOp::Trunc),
        Op::FConvert => sized(CastOp::FpExt, CastOp::FpTrunc),
        Op::ConvertPtrToU => Some(CastOp::PtrToInt),
        Op::ConvertUToPtr => Some(CastOp::IntToPtr),
        Op::PtrCastToGeneric
        | Op::GenericCastToPtr
        | Op::GenericCastToPtrExplicit
        | Op::PtrCastToCrossWorkgroupALTERA
        | Op::CrossWorkgroupCastToPtrALTERA
            if from == to =>
        {
            None
        }
        Op::PtrCastToGeneric
        | Op::GenericCastToPtr
        | Op::GenericCastToPtrExplicit
        | Op::PtrCastToCrossWorkgroupALTERA
        | Op::CrossWorkgroupCastToPtrALTERA => Some(CastOp::AddrSpaceCast),
        Op::Bitcast => match (pointer(a), pointer(b)) {
            _ if from == to => None,
            (Some(_), None) => Some(CastOp::PtrToInt),
            (None, Some(_)) => Some(CastOp::IntToPtr),
            (Some(a), Some(b)) if a != b => Some(CastOp::AddrSpaceCast),
            _ => Some(CastOp::BitCast),
        },
        _ => return None,
    })
}

/// Flags of the words of `FPFastMathMode`.
pub(super) fn flags(word: u32) -> Flags {
    use spirv::FPFastMathMode as Mode;
    let mode = Mode::from_bits_retain(word);
    let fast = mode.contains(Mode::FAST);
    Flags {
        arcp: fast || mode.contains(Mode::ALLOW_RECIP),
        contract: fast || mode.contains(Mode::ALLOW_CONTRACT),
        afn: fast,
        reassoc: fast || mode.contains(Mode::ALLOW_REASSOC),
        ..Flags::default()
    }
}
