//! The float mode of each block.
//!
//! Code is made for the mode in which a block is expected to run. Writes of `cr0` end blocks, so that a block has one mode.
//! Takes the mode in which a thread starts and follows the writes of `cr0` with constants in the order of the code.
//! A guess is enough: a block is entered only with its mode, and is interpreted in another. Balanced pairs of
//! writes, as around a division, are followed exactly.

use super::blocks::Blocks;
use crate::code::decoded::Decoded;
use crate::state::thread::FloatMode;

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
            bits = op.control(bits).unwrap_or(bits);
        }
    }
    modes
}
