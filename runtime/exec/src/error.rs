//! Errors of execution.

use std::fmt::Write as _;

use kiln_emit::inst::{Inst, Op, Place, RegFile, Src, Type};
use kiln_emit::verify::scoreboard::Finding;
use smallvec::SmallVec;

use super::machine::Thread;
use super::operation::{File, Lost};
use super::program::Program;

/// The state in which a thread stopped, and the cause.
#[derive(Debug, thiserror::Error)]
#[error(
    "group {group:?}, thread {thread}, offset {ip:#x}: {cause}\n{listing}  execution mask \
     {active:#x}\n{registers}"
)]
pub struct ExecError {
    pub group: [u32; 3],
    /// Index of the thread in its group.
    pub thread: u32,
    /// Offset from the program's start, in bytes.
    pub ip: u32,
    /// The instruction in listing syntax.
    pub inst: String,
    /// Listing of the instruction and its neighbours with their offsets; it is marked.
    pub listing: String,
    /// Channels that were executing.
    pub active: u32,
    /// Contents of the instruction's registers, in hexadecimal dwords.
    pub registers: String,
    #[source]
    pub cause: Cause,
}

/// The cause of a failed execution or launch.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
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
    #[error("the other thread of the fused pair does not reach this operation")]
    Unpaired,
    #[error("the engines differ within {count} instructions from offset {at:#x} on: {what}")]
    Engines { at: u32, count: u64, what: String },
    #[error("{0} instructions executed: the budget is used up")]
    Budget(u64),
}

impl ExecError {
    /// The error of a thread in its present state.
    pub fn new(group: [u32; 3], thread: &Thread, program: &Program, cause: Cause) -> ExecError {
        let inst = program.inst(thread.ip);
        ExecError {
            group,
            thread: thread.number,
            ip: program.ops().get(thread.ip as usize).map_or(0, |op| op.at),
            inst: inst.map_or_else(|| "no instruction".to_string(), Inst::to_string),
            active: thread.active,
            listing: listing(program, thread.ip),
            registers: inst.map_or_else(String::new, |inst| registers(thread, inst)),
            cause,
        }
    }
}

/// Number of instructions shown before and after the failed one.
const LISTED_NEIGHBOURS: u32 = 3;

fn listing(program: &Program, index: u32) -> String {
    let mut text = String::new();
    for shown in index.saturating_sub(LISTED_NEIGHBOURS)..=index + LISTED_NEIGHBOURS {
        if let (Some(op), Some(inst)) = (program.op(shown), program.inst(shown)) {
            let mark = if shown == index { '>' } else { ' ' };
            let _ = writeln!(text, "{mark} {:#06x} {inst}", op.at);
        }
    }
    text
}

/// The general registers in which an instruction's operands start; the address register and the flags if they are
/// used.
fn registers(thread: &Thread, inst: &Inst) -> String {
    let places = inst
        .dst
        .iter()
        .map(|d| d.place)
        .chain(inst.srcs.iter().filter_map(|s| match s {
            Src::Reg(r) => Some(r.place),
            Src::Imm { .. } => None,
        }));
    let mut text = String::new();
    let mut seen = SmallVec::<[usize; 8]>::new();
    let mut line = |name: String, bytes: &[u8]| {
        let dwords = bytes
            .chunks_exact(4)
            .map(|b| format!(" {:08x}", u32::from_le_bytes([b[0], b[1], b[2], b[3]])));
        text.extend(
            [format!("  {name:>4}:")]
                .into_iter()
                .chain(dwords)
                .chain(["\n".to_string()]),
        );
    };
    for place in places {
        match place {
            Place::Direct(reg) if reg.file == RegFile::Grf => {
                // Two registers of 32 bytes hold a dword of each of sixteen channels.
                let size = thread.register_bytes();
                let registers = thread.grf.chunks_exact(size).enumerate();
                for (num, bytes) in registers.skip(reg.num as usize).take(2) {
                    if !seen.contains(&num) {
                        seen.push(num);
                        line(format!("r{num}"), bytes);
                    }
                }
            }
            Place::Indirect { .. } => line("a0".to_string(), &thread.addr),
            Place::Direct(_) => {}
        }
    }
    if inst.pred.is_some() || inst.cond.is_some() {
        for (num, bytes) in thread.file(File::Flag).chunks_exact(4).enumerate() {
            line(format!("f{num}"), bytes);
        }
    }
    text
}
