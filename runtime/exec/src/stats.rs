//! What a launch did, counted.
//!
//! While code runs only numbers by operation are counted ([`Counts`]); what an instruction is
//! called and what kind of message it sends is looked up once, at the end ([`Stats`]).

use std::collections::BTreeMap;

use kiln_emit::inst::Op;

use super::operation::Path;
use super::program::Program;

/// How often each operation was executed, by its index, and on how many channels in all.
#[derive(Debug)]
pub struct Counts {
    ops: Vec<Count>,
    /// Bytes that messages read and wrote.
    pub read: u64,
    pub written: u64,
}

/// Executions, and the channels that were enabled in them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Instructions executed.
    pub instructions: u64,
    /// The sum over these of the channels they acted on.
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

    /// An operation was executed on so many channels.
    #[inline]
    pub fn executed(&mut self, index: u32, lanes: u32) {
        if let Some(count) = self.ops.get_mut(index as usize) {
            count.instructions += 1;
            count.lanes += u64::from(lanes);
        }
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

/// What a launch did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Groups of work-items.
    pub groups: u64,
    /// Hardware threads that executed them.
    pub threads: u64,
    /// Machine instructions executed, by all threads.
    pub instructions: u64,
    /// Those of them that sent a message.
    pub messages: u64,
    /// The sum over all instructions of the channels they acted on.
    pub lanes: u64,
    /// Bytes that messages read from buffers, scratch space and local memory. An atomic operation
    /// counts as a write of its number.
    pub bytes_read: u64,
    /// Bytes that messages wrote.
    pub bytes_written: u64,
    /// Executions by the instruction's mnemonic.
    pub by_instruction: BTreeMap<String, Count>,
    /// Executions of `send` and its like by what the message asks for.
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
