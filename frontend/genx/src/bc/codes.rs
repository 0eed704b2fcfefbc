//! Numbers that records of constants and of instructions share.

use crate::ir::{BinaryOp, CastOp};

/// Operations by their numbers; floats share those of integers.
pub(super) const BINARY: &[(u64, BinaryOp)] = &[
    (0, BinaryOp::Add),
    (1, BinaryOp::Sub),
    (2, BinaryOp::Mul),
    (3, BinaryOp::UDiv),
    (4, BinaryOp::SDiv),
    (5, BinaryOp::URem),
    (6, BinaryOp::SRem),
    (7, BinaryOp::Shl),
    (8, BinaryOp::LShr),
    (9, BinaryOp::AShr),
    (10, BinaryOp::And),
    (11, BinaryOp::Or),
    (12, BinaryOp::Xor),
    (0, BinaryOp::FAdd),
    (1, BinaryOp::FSub),
    (2, BinaryOp::FMul),
    (4, BinaryOp::FDiv),
    (6, BinaryOp::FRem),
];

/// Conversions in the order of their numbers.
pub(super) const CASTS: [CastOp; 14] = [
    CastOp::Trunc,
    CastOp::ZExt,
    CastOp::SExt,
    CastOp::FpToUi,
    CastOp::FpToSi,
    CastOp::UiToFp,
    CastOp::SiToFp,
    CastOp::FpTrunc,
    CastOp::FpExt,
    CastOp::PtrToInt,
    CastOp::IntToPtr,
    CastOp::BitCast,
    CastOp::AddrSpaceCast,
    // An address without what else a pointer says.
    CastOp::PtrToInt,
];

/// Number whose sign is the lowest bit.
pub(super) fn signed(bits: u64) -> i64 {
    match (bits & 1 != 0, (bits >> 1).cast_signed()) {
        (false, n) => n,
        (true, 0) => i64::MIN,
        (true, n) => -n,
    }
}
