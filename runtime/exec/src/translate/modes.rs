//! The float mode of each block.
//!
//! Code is made for the mode in which a block is expected to run. Writes of `cr0` end blocks, so that a block has one mode.
//! Takes the mode in which a thread starts and follows the writes of `cr0` with constants in the order of the code.
//! A guess is enough: a block is entered only with its mode, and is interpreted in another. Balanced pairs of
//! writes, as around a division, are followed exactly.

use kiln_emit::inst::Op;

use super::blocks::Blocks;
use crate::code::decoded::Decoded;
use crate::code::operation::{Base, Operation, Target};
use crate::state::thread::{File, FloatMode};

/// Number of float modes: four roundings, and denormals of three types kept or flushed.
pub const MODES: usize = 32;

/// The number of a mode, below [`MODES`].
pub fn mode_number(mode: FloatMode) -> usize {
    let bit = |set: bool, n: usize| usize::from(set) << n;
    let flushes = bit(mode.flush_df, 0) | bit(mode.flush_f, 1) | bit(mode.flush_hf, 2);
    flushes | (mode.rounding as usize) << 3
}

/// The mode of each block of a program whose threads start in a mode.
pub fn of_blocks(program: &Decoded, blocks: &Blocks, start: FloatMode) -> Vec<FloatMode> {
    let mut bits = start.bits();
    let mut modes = Vec::with_capacity(blocks.blocks.len());
    for block in &blocks.blocks {
        modes.push(FloatMode::of(bits));
        if let Some(op) = program.op(block.first + block.len - 1) {
            bits = after(op, bits);
        }
    }
    modes
}

/// `cr0.0` after an operation; as before it, where it writes nothing else than a function of a constant.
fn after(op: &Operation, bits: u32) -> u32 {
    let control = Target::File {
        file: File::Control,
        at: 0,
    };
    let mut constants = op.sources().iter().filter_map(|s| match s.base {
        Base::Constant(bits) => Some(bits as u32),
        _ => None,
    });
    match (op.op, constants.next_back()) {
        _ if op.dst.target != control || op.pred.is_some() => bits,
        (Op::Or, Some(constant)) => bits | constant,
        (Op::And, Some(constant)) => bits & constant,
        (Op::Xor, Some(constant)) => bits ^ constant,
        (Op::Mov, Some(constant)) => constant,
        _ => bits,
    }
}
