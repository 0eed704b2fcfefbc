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
pub const OPERATIONS: [(&str, &str); 21] = [
    ("xchg", "kiln.atomic.xchg"),
    ("add", "kiln.atomic.add"),
    ("sub", "kiln.atomic.sub"),
    ("and", "kiln.atomic.and"),
    ("nand", "kiln.atomic.nand"),
    ("or", "kiln.atomic.or"),
    ("xor", "kiln.atomic.xor"),
    ("max", "kiln.atomic.imax"),
    ("min", "kiln.atomic.imin"),
    ("umax", "kiln.atomic.max"),
    ("umin", "kiln.atomic.min"),
    ("fadd", "kiln.atomic.fadd"),
    ("fsub", "kiln.atomic.fsub"),
    ("fmax", "kiln.atomic.fmax"),
    ("fmin", "kiln.atomic.fmin"),
    ("uinc_wrap", "kiln.atomic.uinc.wrap"),
    ("udec_wrap", "kiln.atomic.udec.wrap"),
    ("usub_cond", "kiln.atomic.usub.cond"),
    ("usub_sat", "kiln.atomic.usub.sat"),
    ("fmaximum", "kiln.atomic.fmaximum"),
    ("fminimum", "kiln.atomic.fminimum"),
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

/// Number of an ordering that orders nothing but accesses of one address, and of the strongest.
pub const MONOTONIC: u64 = 2;
pub const SEQUENTIAL: u64 = 6;

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
/// No operation has the number.
pub fn operation(number: u64) -> Result<Op, Fault> {
    let row = usize::try_from(number).ok().and_then(|n| OPERATIONS.get(n));
    match row {
        Some((_, name)) => op(name),
        None => Err(unsupported(&format!("of number {number}"))),
    }
}

/// The fault that there is no such operation.
pub fn unsupported(word: &str) -> Fault {
    let message = format!("atomicrmw {word} is not supported");
    Fault::new(Code::Instruction, message)
}

/// Bits of SPIR-V's memory semantics, the stronger first, and numbers of the orderings that they say.
const SEMANTICS: [(u64, u64); 4] = [(0x10, 6), (8, 5), (4, 4), (2, 3)];

/// Number of the ordering that memory semantics of SPIR-V say; none if they order nothing.
pub fn of_semantics(bits: u64) -> Option<u64> {
    let row = SEMANTICS.iter().find(|(bit, _)| bits & bit != 0);
    row.map(|(_, number)| *number)
}

/// An ordering as an operand.
pub fn ordering(function: &mut Function, number: u64) -> Value {
    function.bits(Types::I32, number & 7)
}
