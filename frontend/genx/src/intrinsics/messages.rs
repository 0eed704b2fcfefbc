//! Messages to memory: which operand of an intrinsic is which of the vISA instruction.
//!
//! Operands of the intrinsics are numbered from 0. Sources: the language reference of the dialect, and the pages of
//! the vISA specification.

use kiln_visa::opcode::Opcode;

/// An operand of the vISA instruction, in the order of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A number.
    Is(u32),
    /// A constant operand.
    Number(u8),
    /// The channels that a mask names. (The language reference says that it names those that are left out; the
    /// reference compiler and its users take it for those that are moved.)
    Channels(u8),
    /// The channels of texels that a mask names, with the number of pixels.
    Texels(u8),
    Sampler(u8),
    /// A single for each channel.
    Singles(u8),
    /// Bytes of an element of the data, as its number.
    ElementSize,
    /// Size of the data in owords, as a power of two; the number is added.
    Owords(u32),
    /// Rows of a block of this width.
    Rows(u8),
    Surface(u8),
    /// One value for all channels.
    Scalar(u8),
    /// A qword for each channel.
    Addresses(u8),
    /// A dword for each channel.
    Offsets(u8),
    /// Nothing: the null register.
    Null,
    /// Data that is sent.
    Send(u8),
    /// Data that is received.
    Receive,
}

/// The operand that determines the parts in which a message is sent, and their sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Owords at consecutive addresses, which this operand begins, in units of so many bytes.
    Block { address: u8, unit: u32, most: u32 },
    /// A rectangle: one message.
    Rectangle,
    /// Channels, as many as this operand has elements; at most so many in one message.
    Channels { of: u8, most: u32 },
}

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    pub op: Opcode,
    pub shape: Shape,
    pub predicate: Option<u8>,
    /// Old value of the result.
    pub old: Option<u8>,
    pub parts: &'static [Part],
}

impl Message {
    /// True if it writes memory.
    pub fn is_store(&self) -> bool {
        self.sent().is_some()
    }

    /// The operand that is sent.
    pub fn sent(&self) -> Option<u8> {
        self.parts.iter().find_map(|part| match part {
            Part::Send(n) => Some(*n),
            _ => None,
        })
    }
}

use Part::*;

const fn block(op: Opcode, address: u8, unit: u32, most: u32, parts: &'static [Part]) -> Message {
    Message {
        op,
        shape: Shape::Block {
            address,
            unit,
            most,
        },
        predicate: None,
        old: None,
        parts,
    }
}

const fn channels(
    op: Opcode,
    of: u8,
    predicate: Option<u8>,
    old: Option<u8>,
    parts: &'static [Part],
) -> Message {
    Message {
        op,
        shape: Shape::Channels { of, most: 16 },
        predicate,
        old,
        parts,
    }
}

/// Owords of the largest block.
const MOST_OWORDS: u32 = 8;

pub const SVM_BLOCK_LD: Message = block(
    Opcode::SvmBlockLd,
    0,
    1,
    MOST_OWORDS,
    &[Owords(0), Scalar(0), Receive],
);
pub const SVM_BLOCK_LD_UNALIGNED: Message = block(
    Opcode::SvmBlockLd,
    0,
    1,
    MOST_OWORDS,
    &[Owords(8), Scalar(0), Receive],
);
pub const SVM_BLOCK_ST: Message = block(
    Opcode::SvmBlockSt,
    0,
    1,
    MOST_OWORDS,
    &[Owords(0), Scalar(0), Send(1)],
);
pub const OWORD_LD: Message = block(
    Opcode::OwordLd,
    2,
    16,
    MOST_OWORDS,
    &[Owords(0), Number(0), Surface(1), Scalar(2), Receive],
);
pub const OWORD_LD_UNALIGNED: Message = block(
    Opcode::OwordLdUnaligned,
    2,
    1,
    MOST_OWORDS,
    &[Owords(0), Number(0), Surface(1), Scalar(2), Receive],
);
pub const OWORD_ST: Message = block(
    Opcode::OwordSt,
    1,
    16,
    MOST_OWORDS,
    &[Owords(0), Surface(0), Scalar(1), Send(2)],
);
pub const SVM_GATHER: Message = channels(
    Opcode::SvmGather,
    2,
    Some(0),
    Some(3),
    &[ElementSize, Number(1), Addresses(2), Receive],
);
pub const SVM_SCATTER: Message = channels(
    Opcode::SvmScatter,
    2,
    Some(0),
    None,
    &[ElementSize, Number(1), Addresses(2), Send(3)],
);
pub const SVM_GATHER4_SCALED: Message = channels(
    Opcode::SvmGather4Scaled,
    4,
    Some(0),
    Some(5),
    &[Channels(1), Is(0), Scalar(3), Addresses(4), Receive],
);
pub const SVM_SCATTER4_SCALED: Message = channels(
    Opcode::SvmScatter4Scaled,
    4,
    Some(0),
    None,
    &[Channels(1), Is(0), Scalar(3), Addresses(4), Send(5)],
);
pub const GATHER_SCALED: Message = channels(
    Opcode::GatherScaled,
    5,
    Some(0),
    Some(6),
    &[
        Is(0),
        Number(1),
        Is(0),
        Surface(3),
        Scalar(4),
        Offsets(5),
        Receive,
    ],
);
pub const GATHER_SCALED2: Message = channels(
    Opcode::GatherScaled,
    4,
    None,
    None,
    &[
        Is(0),
        Number(0),
        Is(0),
        Surface(2),
        Scalar(3),
        Offsets(4),
        Receive,
    ],
);
pub const GATHER_MASKED_SCALED2: Message = channels(
    Opcode::GatherScaled,
    4,
    Some(5),
    None,
    &[
        Is(0),
        Number(0),
        Is(0),
        Surface(2),
        Scalar(3),
        Offsets(4),
        Receive,
    ],
);
pub const SCATTER_SCALED: Message = channels(
    Opcode::ScatterScaled,
    5,
    Some(0),
    None,
    &[
        Is(0),
        Number(1),
        Is(0),
        Surface(3),
        Scalar(4),
        Offsets(5),
        Send(6),
    ],
);
pub const GATHER4_SCALED: Message = channels(
    Opcode::Gather4Scaled,
    5,
    Some(0),
    Some(6),
    &[
        Channels(1),
        Is(0),
        Surface(3),
        Scalar(4),
        Offsets(5),
        Receive,
    ],
);
pub const GATHER4_SCALED2: Message = channels(
    Opcode::Gather4Scaled,
    4,
    None,
    None,
    &[
        Channels(0),
        Is(0),
        Surface(2),
        Scalar(3),
        Offsets(4),
        Receive,
    ],
);
pub const GATHER4_MASKED_SCALED2: Message = channels(
    Opcode::Gather4Scaled,
    4,
    Some(5),
    None,
    &[
        Channels(0),
        Is(0),
        Surface(2),
        Scalar(3),
        Offsets(4),
        Receive,
    ],
);
pub const SCATTER4_SCALED: Message = channels(
    Opcode::Scatter4Scaled,
    5,
    Some(0),
    None,
    &[
        Channels(1),
        Is(0),
        Surface(3),
        Scalar(4),
        Offsets(5),
        Send(6),
    ],
);
pub const GATHER4_TYPED: Message = Message {
    op: Opcode::Gather4Typed,
    shape: Shape::Channels { of: 3, most: 8 },
    predicate: Some(1),
    old: Some(6),
    parts: &[
        Number(0),
        Surface(2),
        Offsets(3),
        Offsets(4),
        Offsets(5),
        Null,
        Receive,
    ],
};
pub const SCATTER4_TYPED: Message = Message {
    op: Opcode::Scatter4Typed,
    shape: Shape::Channels { of: 3, most: 8 },
    predicate: Some(1),
    old: None,
    parts: &[
        Number(0),
        Surface(2),
        Offsets(3),
        Offsets(4),
        Offsets(5),
        Null,
        Send(6),
    ],
};
pub const MEDIA_LD: Message = Message {
    op: Opcode::MediaLd,
    shape: Shape::Rectangle,
    predicate: None,
    old: None,
    parts: &[
        Number(0),
        Surface(1),
        Number(2),
        Number(3),
        Rows(3),
        Scalar(4),
        Scalar(5),
        Receive,
    ],
};
pub const MEDIA_ST: Message = Message {
    op: Opcode::MediaSt,
    shape: Shape::Rectangle,
    predicate: None,
    old: None,
    parts: &[
        Number(0),
        Surface(1),
        Number(2),
        Number(3),
        Rows(3),
        Scalar(4),
        Scalar(5),
        Send(6),
    ],
};
pub const SAMPLE: Message = channels(
    Opcode::Sample,
    3,
    None,
    None,
    &[
        Texels(0),
        Sampler(1),
        Surface(2),
        Singles(3),
        Singles(4),
        Singles(5),
        Receive,
    ],
);
pub const LOAD: Message = channels(
    Opcode::Load,
    2,
    None,
    None,
    &[
        Texels(0),
        Surface(1),
        Offsets(2),
        Offsets(3),
        Offsets(4),
        Receive,
    ],
);
