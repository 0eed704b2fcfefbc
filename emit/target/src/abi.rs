//! Calling conventions: which registers hold what, one row a version.
//!
//! Source: the reference compiler's stack-call definitions (versions 1 and 2 on 128 registers of 32
//! bytes); the registers a kernel keeps for itself are Kiln's own choice within what the PRM demands
//! of the end of thread.

/// Registers with a duty of their own, by number.
#[derive(Debug, PartialEq, Eq)]
pub struct Abi {
    /// `%arg` and `%retval` begin here.
    pub args: u32,
    /// From here on a callee leaves registers as they were.
    pub callee_saved: u32,
    /// The copy of r0 that message headers are made of and that the end of thread sends: r112 or
    /// above (PRM vol. 2a, "send", End of Thread).
    pub header: u32,
}

/// What a kernel without stack calls keeps to.
pub const KERNEL: Abi = Abi {
    args: 26,
    callee_saved: 60,
    header: 127,
};
