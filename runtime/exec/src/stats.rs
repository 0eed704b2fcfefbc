//! Statistics of a launch.
//!
//! During execution only numbers per operation are counted ([`Counts`]); names of instructions and kinds of messages
//! are looked up once, at the end ([`Stats`]).

use std::collections::BTreeMap;

use kiln_emit::inst::Op;

use super::operation::Path;
use super::program::Program;

/// Executions of each operation, by its index.
#[derive(Debug)]
pub struct Counts {
    ops: Vec<Count>,
    /// Number of bytes that messages read and wrote.
    pub read: u64,
    pub written: u64,
}

/// Number of executions, and of the channels enabled in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Number of executed instructions.
    pub instructions: u64,
    /// Sum of their enabled channels.
    pub lanes: u64,
}

impl Counts {
    pub fn new(program: &Program) -> Counts {
        Counts {
            ops: vec![Count::default(); program.ops().len()],
            read: 0,
            written: 0,
        }
    }

    /// Counts an execution with a number of channels.
    #[inline]
    pub fn executed(&mut self, index: u32, lanes: u32) {
        self.add_at(index, 1, lanes.into());
    }

    /// Counts executions of an operation with their channels together.
    #[inline]
    pub fn add_at(&mut self, index: u32, instructions: u64, lanes: u64) {
        if let Some(count) = self.ops.get_mut(index as usize) {
            count.instructions = count.instructions.wrapping_add(instructions);
            count.lanes = count.lanes.wrapping_add(lanes);
        }
    }

    /// Takes back an execution that was counted before it was certain. Until what was counted is added, numbers may be
    /// less than zero.
    pub fn take_back_at(&mut self, index: u32, lanes: u64) {
        self.add_at(index, 1u64.wrapping_neg(), lanes.wrapping_neg());
    }

    /// The first operation for which others differ, but for those that fused pairs execute.
    pub fn first_difference(&self, other: &Counts, program: &Program) -> Option<usize> {
        let mut pairs = self.ops.iter().zip(&other.ops).zip(program.ops());
        pairs.position(|((a, b), op)| a != b && op.systolic().is_none())
    }

    /// The counts of an operation.
    pub fn of(&self, index: usize) -> Count {
        self.ops.get(index).copied().unwrap_or_default()
    }

    pub fn add(&mut self, other: &Counts) {
        for (count, other) in self.ops.iter_mut().zip(&other.ops) {
            count.add(*other);
        }
        self.read += other.read;
        self.written += other.written;
    }
}

impl Count {
    fn add(&mut self, other: Count) {
        self.instructions += other.instructions;
        self.lanes += other.lanes;
    }
}

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
    /// Executions by mnemonic.
    pub by_instruction: BTreeMap<String, Count>,
    /// Executions of sends by request.
    pub by_message: BTreeMap<String, Count>,
    /// Executions of each instruction, in the order of [`Program::insts`].
    pub by_place: Vec<Count>,
}

impl Stats {
    pub(super) fn new(counts: &Counts, program: &Program, groups: u64, threads: u64) -> Stats {
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
