//! Executions of each operation.

use super::decoded::Decoded;

/// Executions of each operation, by its index.
#[derive(Debug)]
pub struct Counts {
    pub ops: Vec<Count>,
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
    pub fn new(program: &Decoded) -> Counts {
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
    pub fn first_difference(&self, other: &Counts, program: &Decoded) -> Option<usize> {
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
    /// Adds another count to this one.
    pub fn add(&mut self, other: Count) {
        self.instructions += other.instructions;
        self.lanes += other.lanes;
    }
}
