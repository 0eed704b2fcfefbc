//! The causes of failures.

use kiln_emit::inst::{Op, RegFile, Type};
use kiln_emit::verify::scoreboard::Finding;

/// The cause of a failed execution or launch.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "each is documented by its message; `at` is a byte offset or address, `channel` counts from 0"
)]
pub enum Cause {
    #[error("{0:?} is not implemented")]
    Op(Op),
    #[error("{op:?} on operands of type {ty:?} is not implemented")]
    OpType { op: Op, ty: Type },
    #[error("{what} is not implemented")]
    Form { what: &'static str },
    #[error(
        "channels {channels:#x} are to wait at offset {at:#x} for {expected}, but there is {found}: the \
         hardware would not take them in again",
        at = lost.at,
        expected = lost.expected,
        found = lost.found.map_or("no instruction", Op::mnemonic)
    )]
    Lost { channels: u32, lost: Box<Lost> },
    #[error("malformed instruction: {what}")]
    Malformed { what: &'static str },
    #[error("register {num} of {file:?} cannot be used here")]
    Register { file: RegFile, num: u32 },
    #[error("an operand reaches byte {at} of a register file of {size} bytes")]
    RegisterRange { at: usize, size: usize },
    #[error("{name} (shared function {sfid}, descriptor {desc:#010x}) is not implemented")]
    Message { name: String, sfid: u8, desc: u32 },
    #[error("{name} (descriptor {desc:#010x}): {what}")]
    Payload {
        name: String,
        desc: u32,
        what: &'static str,
    },
    #[error("channel {channel}: {size} bytes at {at:#x} of {space}, which has {room:#x} bytes")]
    OutOfBounds {
        channel: u32,
        space: String,
        at: u64,
        size: u64,
        room: u64,
    },
    #[error("channel {channel}: {size} bytes at address {at:#x}: no buffer is there")]
    NoBuffer { channel: u32, at: u64, size: u64 },
    #[error(
        "channel {channel}: {size} bytes at {at:#x}, where a multiple of {alignment} is demanded"
    )]
    Misaligned {
        channel: u32,
        at: u64,
        size: u64,
        alignment: u64,
    },
    #[error("channel {channel} uses byte {byte} of r{register}, which is undefined")]
    Undefined {
        channel: u32,
        register: u32,
        byte: u32,
    },
    #[error("byte {byte} of r{register}, which is undefined, is sent")]
    UndefinedSent { register: u32, byte: u32 },
    #[error("binding table entry {0} is empty")]
    EmptyEntry(u32),
    #[error("binding table entry {0} is an image, where a buffer is expected")]
    Image(u32),
    #[error("binding table entry {0} is a buffer, where an image is expected")]
    NoImage(u32),
    #[error("no sampler is at index {0}")]
    NoSampler(u32),
    #[error("channel {channel}: texel {at:?} of an {kind} of size {size:?}")]
    OutsideImage {
        channel: u32,
        at: [i32; 3],
        kind: &'static str,
        size: [u32; 3],
    },
    #[error("no instruction starts at offset {0:#x}")]
    NoInstruction(u32),
    #[error("the instruction at offset {at:#x} does not decode: {why}")]
    Undecodable { at: u32, why: String },
    #[error("the thread ended while channels {waiting:#x} waited for offsets not reached")]
    Stranded { waiting: u32 },
    #[error(
        "a barrier that not all threads reach: {waiting} of the group's {threads} wait, the others \
         have ended"
    )]
    Deadlock { waiting: u32, threads: u32 },
    #[error("it does not wait for the instruction at {at:#x}, and {finding}:\n  {at:#06x} {inst}")]
    Hazard {
        /// Offset of the earlier instruction that may not have finished.
        at: u32,
        inst: String,
        finding: Finding,
    },
    #[error("the hardware does not define it: {rule}")]
    Refused { rule: String },
    #[error("it overwrites r{register}, which the message at {at:#x} may read only now")]
    ReadLate { register: u32, at: u32 },
    #[error("the other thread of the fused pair does not reach this operation")]
    Unpaired,
    #[error("the engines differ within {count} instructions from offset {at:#x} on: {what}")]
    Engines { at: u32, count: u64, what: String },
    #[error("{0} instructions executed: the budget is used up")]
    Budget(u64),
    #[error("the launch was stopped from outside")]
    Stopped,
}

/// A place where channels would wait for ever, because no instruction there activates them again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Offset from the program's start, in bytes.
    pub at: u32,
    /// The operation there; none if no instruction starts there.
    pub found: Option<Op>,
    /// The required operation.
    pub expected: &'static str,
}
