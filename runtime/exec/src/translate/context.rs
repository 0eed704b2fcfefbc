//! The context: data that translated code finds by one register of the host.

use std::mem::MaybeUninit;

use super::asm::Line;
use super::blocks::Blocks;
use super::code::Code;
use super::sites::Site;
use crate::code::decoded::Decoded;
use crate::state::cause::Cause;
use crate::state::memory::Shared;
use crate::state::thread::Thread;

/// Number of vector registers that code uses, and of mask registers.
pub const VECTORS: usize = 32;
pub const MASKS: usize = 8;
/// The first value that is a mask's, for lanes of 4 and of 8 bytes.
pub const LANES4: usize = VECTORS * 2;
pub const LANES8: usize = LANES4 + MASKS * 2;
pub const VALUES: usize = LANES8 + MASKS * 2;

/// Offsets in the frame: values, bits of masks, and two vectors for values within an instruction.
pub const BITS: usize = VALUES * 32;
pub const FIRST_TEMP: usize = BITS + MASKS * 8;
/// Size of the frame in bytes.
pub const FRAME_BYTES: usize = FIRST_TEMP + 2 * 64;

/// State that translated code finds through its context register.
#[repr(C)]
pub struct Context {
    /// Values of code that has fewer registers than it was made for. It is written before it is read.
    pub frame: [MaybeUninit<Line>; FRAME_BYTES.div_ceil(size_of::<Line>())],
    /// Distances and elements of the channels of a message that code takes one by one. They are written before they are read.
    pub lanes: [MaybeUninit<Line>; 2],
    pub thread: *mut Thread,
    pub counters: *mut u64,
    pub pool: *const Line,
    pub sites: *mut Site,
    /// Number of instructions that are left of the turn.
    pub left: i64,
    /// Numbers of bytes that messages read and wrote.
    pub read: u64,
    pub written: u64,
    pub program: *const Decoded,
    pub code: *const Code,
    pub blocks: *const Blocks,
    /// The group's state. Its lifetime is that of the call of `enter`.
    pub shared: *mut Shared<'static>,
    pub counter_count: usize,
    /// The result of the last call of the interpreter.
    pub error: Option<Cause>,
    /// True if the operation at `ip` was counted with its block, but is not executed yet.
    pub postponed: bool,
}

/// Control bits of `MXCSR`: round to nearest, denormals kept, no exception. Rust expects them, too.
pub const MXCSR: u32 = 0x1f80;
