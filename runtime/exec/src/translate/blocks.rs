//! Basic blocks of operations, and the counters of their executions.
//!
//! A block begins at an operation where channels or the thread may wait, after one that ends a block, and at the first
//! operation; all of it is executed on the same channels. Executions of a block are counted once, and so are its active
//! channels for each of their ranges that its operations have; an operation with a predicate counts its own channels.

use crate::code::counts::Counts;
use crate::code::decoded::Decoded;
use crate::code::operation::{Operation, Path, Target};
use crate::state::lanes::low_mask;
use crate::state::thread::{File, Thread};

/// Operations that are executed one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub first: u32,
    pub len: u32,
    /// Counter of executions.
    pub executions: u32,
    /// Ranges of channels whose active ones are counted: first, mask, counter.
    pub ranges: Vec<(u8, u32, u32)>,
}

/// The number of channels of an operation's executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// A fixed number for each execution.
    Always(u32),
    /// A counter of its block.
    OfRange(u32),
    /// A counter of its own.
    Own(u32),
}

/// All blocks of a program.
#[derive(Debug)]
pub struct Blocks {
    pub blocks: Vec<Block>,
    /// The block of each operation.
    pub of: Vec<u32>,
    pub lanes: Vec<Lanes>,
    /// Number of counters.
    pub counters: usize,
}

/// True if a block ends with an operation.
pub fn ends(op: &Operation) -> bool {
    let control = matches!(
        op.dst.target,
        Target::File {
            file: File::Control,
            ..
        }
    );
    match &op.path {
        Path::Branch | Path::Wait | Path::Barrier | Path::Fault(_) => true,
        Path::Send(send) => send.ends_thread(),
        Path::Systolic(systolic) => systolic.is_shared(),
        _ => control,
    }
}

/// True if a thread may have to come back to an operation before it is executed.
fn suspends(op: &Operation) -> bool {
    matches!(op.path, Path::Wait | Path::Barrier)
}

impl Blocks {
    pub fn new(program: &Decoded) -> Blocks {
        let ops = program.ops();
        let mut blocks = Blocks {
            blocks: Vec::new(),
            of: Vec::with_capacity(ops.len()),
            lanes: Vec::with_capacity(ops.len()),
            counters: 0,
        };
        let mut begins = true;
        for (index, op) in (0..).zip(ops) {
            if begins || op.wakes || suspends(op) {
                let executions = blocks.counter();
                blocks.blocks.push(Block {
                    first: index,
                    len: 0,
                    executions,
                    ranges: Vec::new(),
                });
            }
            blocks.add(op);
            begins = ends(op);
        }
        blocks
    }

    fn counter(&mut self) -> u32 {
        self.counters += 1;
        self.counters as u32 - 1
    }

    fn add(&mut self, op: &Operation) {
        let lanes = match (op.pred, op.ungated) {
            (Some(_), _) => Lanes::Own(self.counter()),
            (None, 0) => {
                let next = self.counters as u32;
                let Some(block) = self.blocks.last_mut() else {
                    return;
                };
                let range = (op.chan_off, op.mask);
                let known = block.ranges.iter().find(|r| (r.0, r.1) == range);
                let counter = match known {
                    Some(range) => range.2,
                    None => {
                        block.ranges.push((range.0, range.1, next));
                        self.counters += 1;
                        next
                    }
                };
                Lanes::OfRange(counter)
            }
            (None, _) => Lanes::Always(op.mask.count_ones()),
        };
        self.lanes.push(lanes);
        self.of.push(self.blocks.len() as u32 - 1);
        if let Some(block) = self.blocks.last_mut() {
            block.len += 1;
        }
    }

    /// The block of an operation.
    pub fn block(&self, index: u32) -> Option<&Block> {
        self.blocks.get(*self.of.get(index as usize)? as usize)
    }

    /// Adds what counters have counted, and clears them.
    pub fn drain(&self, counters: &mut [u64], counts: &mut Counts) {
        let value = |counter: u32| counters.get(counter as usize).copied().unwrap_or(0);
        for (index, lanes) in (0..).zip(&self.lanes) {
            let Some(block) = self.block(index) else {
                continue;
            };
            let executions = value(block.executions);
            let lanes = match *lanes {
                Lanes::Always(n) => u64::from(n) * executions,
                Lanes::OfRange(counter) | Lanes::Own(counter) => value(counter),
            };
            counts.add_at(index, executions, lanes);
        }
        counters.fill(0);
    }

    /// Takes back what was counted ahead for the operations of a block from one on, which were not executed.
    pub fn take_back(&self, from: u32, thread: &Thread, program: &Decoded, counts: &mut Counts) {
        let Some(block) = self.block(from) else {
            return;
        };
        for index in from..block.first + block.len {
            let Some(op) = program.op(index) else { return };
            let lanes = match self.lanes.get(index as usize) {
                Some(Lanes::Always(n)) => *n,
                Some(Lanes::OfRange(_)) => thread.mask(op).count_ones(),
                // An operation that was not reached has not counted yet.
                _ => 0,
            };
            counts.take_back_at(index, u64::from(lanes));
        }
    }
}

/// True if a mask is that of the first channels.
pub fn is_whole(op: &Operation) -> bool {
    op.mask == low_mask(op.lanes.into())
}
