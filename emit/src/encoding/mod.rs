//! Encoding and decoding of single instructions.
//!
//! One description of each family (`spec`) drives [`encode`] and [`decode`]; compaction is part of both. An
//! instruction that the family cannot express is an [`EncodeError`]; undecodable bytes are a [`DecodeError`].
//! Decoding never panics.

mod bits;
mod compact;
mod decode;
mod encode;
mod gen11;
mod gen9;
pub(crate) mod spec;
pub(crate) mod swsb;
mod ternary;
mod xe;
mod xe_compact;

pub use compact::compactable;
pub use decode::decode;
pub(crate) use decode::decode_into;
pub use encode::encode;
pub(crate) use encode::{Open, Targets, encode_open, writes_no_flag};
pub(crate) use ternary::{to_align1, to_align16};

use crate::inst::{Desc, Op, PredCtrl, Reg, Region, Swsb, Type};
use crate::platform::{Family, Platform};
use std::fmt;

/// The description of a platform's encoding.
pub(crate) fn spec(platform: &Platform) -> &'static spec::Spec {
    family_spec(platform.family)
}

/// True if the bits of an immediate of 64 bits follow each other in an instruction, so that one relocation fills it.
pub fn has_whole_immediates(platform: &Platform) -> bool {
    let imm64 = spec(platform).align1.imm64;
    imm64.exists() && imm64.place(1) < imm64.place(1 << 63)
}

/// True if the platform has the operation.
pub fn has(op: Op, platform: &Platform) -> bool {
    let spec = spec(platform);
    let function = match op {
        Op::Math(function) => spec.math(function).is_some(),
        _ => true,
    };
    function && spec.op(op).is_some()
}

/// True if the sources of the platform's operation may have modifiers.
pub fn takes_modifiers(op: Op, platform: &Platform) -> bool {
    let row = spec(platform).op(op);
    row.is_some_and(|row| row.attrs.has(spec::Attrs::MODS))
}

/// True if instructions take a predicate control.
pub fn takes_predicate(control: PredCtrl, platform: &Platform) -> bool {
    spec(platform).align1.preds.code(control).is_some()
}

/// Number of channels of which an execution mask names a group: fewer must begin one.
pub fn channel_unit(platform: &Platform) -> u8 {
    spec(platform).chan_unit
}

/// The description of a family's encoding.
pub(crate) fn family_spec(family: Family) -> &'static spec::Spec {
    match family {
        Family::Gen9 => &gen9::SPEC,
        Family::Gen11 => &gen11::SPEC,
        Family::Gen12Lp => &xe::GEN12LP,
        Family::XeHpg => &xe::XE_HPG,
        Family::XeHpc => &xe::XE_HPC,
        Family::Xe2 => &xe::XE2,
        Family::Xe3 => &xe::XE3,
    }
}

/// One encoded instruction: 8 or 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoded {
    bytes: [u8; 16],
    len: u8,
}

impl Encoded {
    fn long(word: u128) -> Encoded {
        Encoded {
            bytes: word.to_le_bytes(),
            len: 16,
        }
    }

    fn short(word: u64) -> Encoded {
        Encoded {
            bytes: u128::from(word).to_le_bytes(),
            len: 8,
        }
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

/// The operand that an error is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    Dst,
    Src(u8),
    Flag,
    Descriptor,
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Dst => f.write_str("destination"),
            Operand::Src(n) => write!(f, "source {n}"),
            Operand::Flag => f.write_str("flag"),
            Operand::Descriptor => f.write_str("descriptor"),
        }
    }
}

/// The reason that an instruction has no encoding on the platform.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EncodeError {
    #[error("{op:?} is no operation of platform {platform}")]
    Op { op: Op, platform: &'static str },
    #[error("{op:?} takes {expected} sources, found {found}")]
    Sources {
        op: Op,
        expected: usize,
        found: usize,
    },
    #[error("{op:?} has no {what}")]
    Missing { op: Op, what: &'static str },
    #[error("{op:?} cannot have {what}")]
    Unexpected { op: Op, what: &'static str },
    #[error("{op:?} must be {what}")]
    Mode { op: Op, what: &'static str },
    #[error("execution size {0} is none of 1, 2, 4, 8, 16 and 32")]
    ExecSize(u8),
    #[error("channel offset {0} is no multiple of 4 below 32")]
    ChanOff(u8),
    #[error("{operand}: there is no register {} of file {:?} here", reg.num, reg.file)]
    Register { operand: Operand, reg: Reg },
    #[error("{operand}: byte offset {byte} must be a multiple of {unit} below {limit}")]
    SubRegister {
        operand: Operand,
        byte: u16,
        unit: u16,
        limit: u16,
    },
    #[error("{operand}: the address register must be a0 at an even byte below 32, found {reg:?}")]
    AddressRegister { operand: Operand, reg: Reg },
    #[error("{operand}: address offset {imm} must be a multiple of {unit} from {min} to {max}")]
    AddressOffset {
        operand: Operand,
        imm: i16,
        unit: i16,
        min: i32,
        max: i32,
    },
    #[error("{operand} cannot be addressed indirectly")]
    Indirect { operand: Operand },
    #[error("{operand}: type {} cannot be written here", ty.name())]
    Type { operand: Operand, ty: Type },
    #[error("{operand}: region {region:?} has no encoding here")]
    Region { operand: Operand, region: Region },
    #[error("destination: stride {0} is none of 0, 1, 2 and 4")]
    DstStride(u8),
    #[error("{operand}: {what} out of range")]
    Range {
        operand: Operand,
        what: &'static str,
    },
    #[error("{operand} cannot be an immediate")]
    Immediate { operand: Operand },
    #[error("{operand}: immediate {bits:#x} does not fit type {}", ty.name())]
    ImmediateRange {
        operand: Operand,
        ty: Type,
        bits: u64,
    },
    #[error("{operand} cannot have a source modifier")]
    Modifier { operand: Operand },
    #[error("predicate control {0:?} has no encoding here")]
    Pred(PredCtrl),
    #[error("the predicate's flag differs from the condition's")]
    Flags,
    #[error("thread controls Switch, Atomic and NoPreempt exclude each other")]
    Thread,
    #[error("{0:?} is no scoreboard annotation here")]
    Swsb(Swsb),
    #[error("target block {0} was never placed")]
    Block(u32),
    #[error("target {0:?} cannot be encoded")]
    Target(crate::inst::Target),
    #[error("a branch to offset {0} is out of range")]
    Offset(i64),
    #[error("{what} {desc:?} cannot be encoded")]
    Descriptor { what: &'static str, desc: Desc },
    #[error("the extended descriptor and the message disagree on {0}")]
    Message(&'static str),
    #[error("the instruction has no compact form")]
    NotCompactable,
    #[error("block {block}, instruction {index}: {source}")]
    At {
        block: usize,
        index: usize,
        source: Box<EncodeError>,
    },
}

/// The reason that bytes cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("{found} bytes left of an instruction of {needed}")]
    Truncated { needed: usize, found: usize },
    #[error("{0:#04x} is no opcode")]
    Opcode(u64),
    #[error("{0:?} has no compact form")]
    NotCompact(Op),
    #[error("{what} has the reserved value {value:#x}")]
    Reserved { what: &'static str, value: u64 },
    #[error("{operand}: {what} has the reserved value {value:#x}")]
    Operand {
        operand: Operand,
        what: &'static str,
        value: u64,
    },
    #[error("{operand}: there is no register {num:#04x} of the {file} file")]
    Register {
        operand: Operand,
        file: &'static str,
        num: u64,
    },
    #[error("{op:?} must be {what}")]
    Mode { op: Op, what: &'static str },
}

#[cfg(test)]
#[path = "tests/encoding.rs"]
mod tests;
