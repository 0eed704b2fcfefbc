//! Messages by channels as data: operands, payloads and responses.

use kiln_visa::module::{Operand, Type as VType};
use kiln_visa::opcode::Opcode;

use super::operand::Src;
use super::predicates::Mask;
use crate::ir::Value;

/// An operand of a message that goes out by channels.
pub enum Item {
    Is(Operand),
    /// Channels of texels, with a bit for sixteen pixels.
    Texels(u32),
    Send(Payload),
    Null,
    Receive,
}

/// Elements of a type for each channel, in planes.
pub struct Payload {
    pub src: Src,
    pub ty: VType,
    pub planes: u32,
    /// The value that the source is.
    pub value: Option<Value>,
}

/// A payload that was made: of a value as elements of a type, for a number of channels, from one on, of so many.
pub type PayloadKey = (Value, VType, [u32; 3]);

/// The response of a message by channels.
pub struct Receive {
    pub value: Value,
    pub old: Option<Value>,
    pub ty: VType,
    pub planes: u32,
}

/// A message by channels.
pub struct Transfer {
    pub op: Opcode,
    pub count: u32,
    /// Channels of one instruction at most.
    pub most: u32,
    /// Channels that operands have room for at least.
    pub room: u32,
    pub items: Vec<Item>,
    pub mask: Option<Mask>,
    pub receive: Option<Receive>,
}
