//! Errors of a launch.

use std::fmt::Write as _;

use kiln_emit::inst::{Inst, Place, RegFile, Src};
use smallvec::SmallVec;

use crate::code::decoded::Decoded;
use crate::state::cause::Cause;
use crate::state::thread::{File, Thread};

/// The state in which a thread stopped, and the cause.
#[derive(Debug, thiserror::Error)]
#[error(
    "group {group:?}, thread {thread}, offset {ip:#x}: {cause}\n{listing}  execution mask \
     {active:#x}\n{registers}"
)]
pub struct ExecError {
    /// Number of the group in each dimension.
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
    /// The reason.
    #[source]
    pub cause: Cause,
}

impl ExecError {
    /// The error of a thread in its present state.
    pub fn new(group: [u32; 3], thread: &Thread, program: &Decoded, cause: Cause) -> ExecError {
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

fn listing(program: &Decoded, index: u32) -> String {
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

/// A launch that does not fit its kernel.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum BindError {
    #[error("no kernel named {0}")]
    NoKernel(String),
    #[error("{found} arguments found, {expected} expected")]
    ArgCount { found: usize, expected: usize },
    #[error("argument {index}, counted from 0 ({declared}): {found} found, {expected} expected")]
    ArgKind {
        index: u32,
        declared: String,
        found: String,
        expected: String,
    },
    #[error("global size {global} is no multiple of local size {local} in dimension {dimension}")]
    Size {
        dimension: usize,
        global: u32,
        local: u32,
    },
    #[error("a group of {items} work-items in {simd}-channel threads: 1 to 1024 are possible")]
    GroupSize { items: u64, simd: u32 },
    #[error("SIMD size {0}: 1, 8, 16 or 32 expected")]
    Simd(u32),
    #[error("{found} bytes of shared local memory: 65536 are possible")]
    Slm { found: u64 },
    #[error("`{name}`, {part} byte {offset} of the payload, is not implemented")]
    Payload {
        name: String,
        /// Name of the payload.
        part: &'static str,
        offset: u32,
    },
    #[error("a payload of {0} bytes does not fit the registers")]
    PayloadSize(u64),
    #[error("binding table index {0}: 239 is the last")]
    Binding(u32),
    #[error("work_group_walk_order_dimensions {0:?}: 0, 1 and 2 expected, in any order")]
    WalkOrder(Vec<u32>),
    #[error("sampler {0}: 15 is the last")]
    SamplerIndex(u32),
    #[error("inline sampler {index}: `{value}` is not implemented")]
    InlineSampler { index: u32, value: String },
    #[error("an image of {expected} bytes has {found}")]
    Texels { expected: u64, found: u64 },
    #[error("{0} bytes of memory for each thread are too many")]
    ThreadMemory(u64),
    #[error("no instruction at {0:#x}, the entry of threads that start with local ids")]
    Entry(u32),
    #[error("a trace of group {group}: {last} is the last")]
    TracedGroup { group: u64, last: u64 },
    #[error("a trace of thread {thread}: {last} is the last of a group")]
    TracedThread { thread: u32, last: u32 },
}

/// The error of a launch.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum RunError {
    #[error(transparent)]
    Bind(#[from] BindError),
    #[error(transparent)]
    Exec(#[from] Box<ExecError>),
    /// All groups up to this one together executed more instructions than [`Launch::budget`](super::request::Launch).
    #[error("group {group:?}: {budget} instructions executed: the budget is used up")]
    Budget { group: [u32; 3], budget: u64 },
}
