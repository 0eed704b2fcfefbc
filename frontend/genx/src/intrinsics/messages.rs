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

/// Owords of the largest block.
const MOST_OWORDS: u32 = 8;

const fn block(address: u8, unit: u32) -> Shape {
    Shape::Block {
        address,
        unit,
        most: MOST_OWORDS,
    }
}

const fn channels(of: u8, most: u32) -> Shape {
    Shape::Channels { of, most }
}

/// Messages: the vISA instruction, the shape, the numbers of the operands that are predicate and old value, and the
/// operands of the vISA instruction.
macro_rules! messages {
    (@) => { None };
    (@ $operand:literal) => { Some($operand) };
    ($($name:ident = $op:ident, $shape:expr $(, predicate $predicate:literal)? $(, old $old:literal)? =>
        $($part:expr),*;)*) => {$(
        pub const $name: Message = Message {
            op: Opcode::$op,
            shape: $shape,
            predicate: messages!(@ $($predicate)?),
            old: messages!(@ $($old)?),
            parts: &[$($part),*],
        };
    )*};
}

messages! {
    SVM_BLOCK_LD = SvmBlockLd, block(0, 1) =>
        Owords(0), Scalar(0), Receive;
    SVM_BLOCK_LD_UNALIGNED = SvmBlockLd, block(0, 1) =>
        Owords(8), Scalar(0), Receive;
    SVM_BLOCK_ST = SvmBlockSt, block(0, 1) =>
        Owords(0), Scalar(0), Send(1);
    OWORD_LD = OwordLd, block(2, 16) =>
        Owords(0), Number(0), Surface(1), Scalar(2), Receive;
    OWORD_LD_UNALIGNED = OwordLdUnaligned, block(2, 1) =>
        Owords(0), Number(0), Surface(1), Scalar(2), Receive;
    OWORD_ST = OwordSt, block(1, 16) =>
        Owords(0), Surface(0), Scalar(1), Send(2);
    SVM_GATHER = SvmGather, channels(2, 16), predicate 0, old 3 =>
        ElementSize, Number(1), Addresses(2), Receive;
    SVM_SCATTER = SvmScatter, channels(2, 16), predicate 0 =>
        ElementSize, Number(1), Addresses(2), Send(3);
    SVM_GATHER4_SCALED = SvmGather4Scaled, channels(4, 16), predicate 0, old 5 =>
        Channels(1), Is(0), Scalar(3), Addresses(4), Receive;
    SVM_SCATTER4_SCALED = SvmScatter4Scaled, channels(4, 16), predicate 0 =>
        Channels(1), Is(0), Scalar(3), Addresses(4), Send(5);
    GATHER_SCALED = GatherScaled, channels(5, 16), predicate 0, old 6 =>
        Is(0), Number(1), Is(0), Surface(3), Scalar(4), Offsets(5), Receive;
    GATHER_SCALED2 = GatherScaled, channels(4, 16) =>
        Is(0), Number(0), Is(0), Surface(2), Scalar(3), Offsets(4), Receive;
    GATHER_MASKED_SCALED2 = GatherScaled, channels(4, 16), predicate 5 =>
        Is(0), Number(0), Is(0), Surface(2), Scalar(3), Offsets(4), Receive;
    SCATTER_SCALED = ScatterScaled, channels(5, 16), predicate 0 =>
        Is(0), Number(1), Is(0), Surface(3), Scalar(4), Offsets(5), Send(6);
    GATHER4_SCALED = Gather4Scaled, channels(5, 16), predicate 0, old 6 =>
        Channels(1), Is(0), Surface(3), Scalar(4), Offsets(5), Receive;
    GATHER4_SCALED2 = Gather4Scaled, channels(4, 16) =>
        Channels(0), Is(0), Surface(2), Scalar(3), Offsets(4), Receive;
    GATHER4_MASKED_SCALED2 = Gather4Scaled, channels(4, 16), predicate 5 =>
        Channels(0), Is(0), Surface(2), Scalar(3), Offsets(4), Receive;
    SCATTER4_SCALED = Scatter4Scaled, channels(5, 16), predicate 0 =>
        Channels(1), Is(0), Surface(3), Scalar(4), Offsets(5), Send(6);
    GATHER4_TYPED = Gather4Typed, channels(3, 8), predicate 1, old 6 =>
        Number(0), Surface(2), Offsets(3), Offsets(4), Offsets(5), Null, Receive;
    SCATTER4_TYPED = Scatter4Typed, channels(3, 8), predicate 1 =>
        Number(0), Surface(2), Offsets(3), Offsets(4), Offsets(5), Null, Send(6);
    MEDIA_LD = MediaLd, Shape::Rectangle =>
        Number(0), Surface(1), Number(2), Number(3), Rows(3), Scalar(4), Scalar(5), Receive;
    MEDIA_ST = MediaSt, Shape::Rectangle =>
        Number(0), Surface(1), Number(2), Number(3), Rows(3), Scalar(4), Scalar(5), Send(6);
    SAMPLE = Sample, channels(3, 16) =>
        Texels(0), Sampler(1), Surface(2), Singles(3), Singles(4), Singles(5), Receive;
    LOAD = Load, channels(2, 16) =>
        Texels(0), Surface(1), Offsets(2), Offsets(3), Offsets(4), Receive;
}
