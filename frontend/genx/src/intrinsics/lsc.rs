//! Messages of the load-store units: where their memory is, and which operand of an intrinsic is which part.
//!
//! Operands that all messages by channels share: the mask, a number that is an atomic's operation, caching of level 1 and
//! 3, the factor and offset of the addresses, the size of an element, the count of elements, their order, the channels
//! of a pixel. Source: the language reference of the dialect, and the vISA specification of `LSC_UNTYPED`.

/// Memory that a message names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Addresses of 64 bits.
    Stateless,
    /// Shared local memory.
    Local,
    /// A surface of the binding table.
    Table,
    /// A surface by the offset of its state.
    Bindless,
}

/// Effect of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    Load,
    Store,
    Prefetch,
    Atomic,
}

/// A message by channels, or of one transposed block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    pub memory: Memory,
    pub action: Action,
    /// True if it moves the channels of pixels.
    pub quad: bool,
    /// Number of the operand with the addresses.
    pub address: u8,
    /// Number of the operand that names the surface.
    pub surface: u8,
    /// Number of the first operand that is sent.
    pub data: Option<u8>,
    /// Number of the operand with the old value of the result.
    pub old: Option<u8>,
}

/// Numbers of the operands that all messages by channels share.
pub const MASK: usize = 0;
pub const OPERATION: usize = 1;
pub const CACHING: usize = 2;
pub const SCALE: usize = 4;
pub const OFFSET: usize = 5;
pub const SIZE: usize = 6;
pub const ELEMENTS: usize = 7;
pub const CHANNELS: usize = 9;

pub const fn load(memory: Memory, quad: bool) -> Message {
    Message {
        memory,
        action: Action::Load,
        quad,
        address: 10,
        surface: 11,
        data: None,
        old: None,
    }
}

/// A load that keeps the old value of the channels that are off.
pub const fn merge(memory: Memory, quad: bool) -> Message {
    Message {
        old: Some(12),
        ..load(memory, quad)
    }
}

pub const fn prefetch(memory: Memory) -> Message {
    Message {
        action: Action::Prefetch,
        ..load(memory, false)
    }
}

pub const fn store(memory: Memory, quad: bool) -> Message {
    Message {
        action: Action::Store,
        surface: 12,
        data: Some(11),
        ..load(memory, quad)
    }
}

pub const fn atomic(memory: Memory) -> Message {
    Message {
        action: Action::Atomic,
        surface: 13,
        data: Some(11),
        old: Some(14),
        ..load(memory, false)
    }
}

/// An atomic of older modules, whose surface is before its addresses.
pub const fn old_atomic(memory: Memory) -> Message {
    Message {
        address: 11,
        surface: 10,
        data: Some(12),
        ..atomic(memory)
    }
}
