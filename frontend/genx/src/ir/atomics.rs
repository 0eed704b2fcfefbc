//! Atomic accesses of LLVM as intrinsics of their own, which both readers make.
//!
//! Each has the operands of its instruction and, as the last, its ordering: a number as bitcode has it. What they become is
//! `passes/accesses`.

use super::fault::Fault;
use super::function::{Function, Op, Value};
use super::types::Types;
use crate::error::Code;
use crate::intrinsics::Intrinsic;

/// Operations of `atomicrmw`: their words in the order of their numbers, with the intrinsics that they become.
pub const OPERATIONS: [(&str, Option<&str>); 15] = [
    ("xchg", Some("kiln.atomic.xchg")),
    ("add", Some("kiln.atomic.add")),
    ("sub", Some("kiln.atomic.sub")),
    ("and", Some("kiln.atomic.and")),
    ("nand", None),
    ("or", Some("kiln.atomic.or")),
    ("xor", Some("kiln.atomic.xor")),
    ("max", Some("kiln.atomic.imax")),
    ("min", Some("kiln.atomic.imin")),
    ("umax", Some("kiln.atomic.max")),
    ("umin", Some("kiln.atomic.min")),
    ("fadd", None),
    ("fsub", None),
    ("fmax", Some("kiln.atomic.fmax")),
    ("fmin", Some("kiln.atomic.fmin")),
];
pub const LOAD: &str = "kiln.atomic.load";
pub const STORE: &str = "kiln.atomic.store";
pub const EXCHANGE: &str = "kiln.atomic.cmpxchg";
pub const FENCE: &str = "kiln.atomic.fence";

/// Orderings in the order of their numbers.
pub const ORDERINGS: [&str; 7] = [
    "notatomic",
    "unordered",
    "monotonic",
    "acquire",
    "release",
    "acq_rel",
    "seq_cst",
];

/// True if accesses after this one in program order are seen after it.
pub fn acquires(ordering: u64) -> bool {
    matches!(ordering, 3 | 5 | 6)
}

/// True if accesses before this one in program order are seen before it.
pub fn releases(ordering: u64) -> bool {
    matches!(ordering, 4..=6)
}

/// Intrinsic of a name of this list.
pub fn op(name: &str) -> Result<Op, Fault> {
    match Intrinsic::named(name) {
        Ok(intrinsic) => Ok(Op::Intrinsic(intrinsic)),
        Err(code) => Err(Fault::new(code, format!("no intrinsic {name}"))),
    }
}

/// Intrinsic of an `atomicrmw` by its number.
///
/// # Errors
/// No intrinsic does it.
pub fn operation(number: u64) -> Result<Op, Fault> {
    let row = usize::try_from(number).ok().and_then(|n| OPERATIONS.get(n));
    match row {
        Some((_, Some(name))) => op(name),
        Some((word, None)) => Err(unsupported(word)),
        None => Err(Fault::new(
            Code::Instruction,
            format!("atomicrmw of number {number} is not supported"),
        )),
    }
}

/// The fault that no intrinsic does an operation.
pub fn unsupported(word: &str) -> Fault {
    let message = format!("atomicrmw {word} is not supported");
    Fault::new(Code::Instruction, message)
}

/// An ordering as an operand.
pub fn ordering(function: &mut Function, number: u64) -> Value {
    function.bits(Types::I32, number & 7)
}
