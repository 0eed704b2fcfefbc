//! Products of matrices: which operand of an intrinsic is which of `dpas`.

use kiln_visa::opcode::Opcode;

/// A product of matrices, with its sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Systolic {
    pub op: Opcode,
    /// True if the first operand is added.
    pub adds: bool,
    /// True if precisions, depth and count of repetitions are operands each, the signs of result and sum after them;
    /// otherwise they are bytes of one, the columns' precision lowest, and integers are signed.
    pub spelled: bool,
}

/// In one number.
pub const PACKED: Systolic = Systolic {
    op: Opcode::Dpas,
    adds: true,
    spelled: false,
};
pub const PACKED_ALONE: Systolic = Systolic {
    adds: false,
    ..PACKED
};
pub const SPELLED: Systolic = Systolic {
    spelled: true,
    ..PACKED
};
/// A matrix product of two fused threads.
pub const WIDE: Systolic = Systolic {
    op: Opcode::Dpasw,
    ..PACKED
};
pub const WIDE_ALONE: Systolic = Systolic {
    adds: false,
    ..WIDE
};
