//! Statistics of a launch.
//!
//! During execution only numbers per operation are counted ([`Counts`](crate::code::counts::Counts)); names of instructions and kinds of messages
//! are looked up once, at the end ([`Stats`]).

use std::collections::BTreeMap;

use kiln_emit::inst::Op;

use crate::code::counts::{Count, Counts};
use crate::code::decoded::Decoded;
use crate::code::operation::Path;

/// Statistics of a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Number of groups of work-items.
    pub groups: u64,
    /// Number of hardware threads that executed them.
    pub threads: u64,
    /// Number of executed machine instructions of all threads.
    pub instructions: u64,
    /// Number of those that sent a message.
    pub messages: u64,
    /// Sum of the enabled channels of all instructions.
    pub lanes: u64,
    /// Number of bytes that messages read from buffers, scratch space and local memory. An atomic operation counts as
    /// a write.
    pub bytes_read: u64,
    /// Number of bytes that messages wrote.
    pub bytes_written: u64,
    /// Text that the kernel printed: its records in the order in which groups took room for them.
    pub printed: String,
    /// Executions by mnemonic.
    pub by_instruction: BTreeMap<String, Count>,
    /// Executions of sends by request.
    pub by_message: BTreeMap<String, Count>,
    /// Executions of each instruction, in the order of [`Program::insts`](crate::Program).
    pub by_place: Vec<Count>,
}

impl Stats {
    pub(super) fn new(counts: &Counts, program: &Decoded, groups: u64, threads: u64) -> Stats {
        let mut stats = Stats {
            groups,
            threads: groups * threads,
            bytes_read: counts.read,
            bytes_written: counts.written,
            by_place: counts.ops[..program.insts().count()].to_vec(),
            ..Stats::default()
        };
        let executed = counts.ops.iter().zip(program.ops()).zip(program.insts());
        for ((count, op), inst) in executed.filter(|((c, _), _)| c.instructions != 0) {
            stats.instructions += count.instructions;
            stats.lanes += count.lanes;
            let name = match inst.op {
                Op::Math(function) => format!("math.{}", function.name()),
                op => op.mnemonic().to_string(),
            };
            stats.by_instruction.entry(name).or_default().add(*count);
            if let Path::Send(send) = &op.path {
                stats.messages += count.instructions;
                stats.by_message.entry(send.name()).or_default().add(*count);
            }
        }
        stats
    }
}
