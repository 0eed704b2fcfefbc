//! Registers that hold parts of a thread: windows and masks, and those that keep them over a loop.

use std::collections::HashMap;

use iced_x86::Register;
use iced_x86::code_asm::CodeLabel;

use super::asm::Reg;

/// Maximum number of homes; the other registers are for windows that come and go.
const HOMES: usize = WINDOW_REGS as usize - 6;

/// Number of registers that hold windows; those after them are for values within an operation.
pub const WINDOW_REGS: Reg = 24;

/// The registers for values within an operation.
pub const TEMPS: [Reg; 8] = [24, 25, 26, 27, 28, 29, 30, 31];

/// Mask registers that keep execution masks.
pub const KEPT: [Register; 3] = [Register::K1, Register::K2, Register::K3];
/// The enabled channels of the operation at hand.
pub const ENABLED: Register = Register::K5;
/// Mask registers for values within an operation.
pub const SPREAD: Register = Register::K4;
pub const HOLDS: Register = Register::K6;
pub const OTHER: Register = Register::K7;

/// A window in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Offset in `Thread`.
    pub at: usize,
    /// Size in bytes; for a broadcast (`each`), of the one element.
    pub len: usize,
    /// True for a broadcast: all lanes have the one element.
    pub each: bool,
    /// True if the register is newer than the thread.
    pub dirty: bool,
    pub reg: Reg,
    /// Time of the last use.
    pub used: u32,
}

impl Entry {
    /// A window that is in no register yet.
    pub fn of(at: usize, len: usize, each: bool) -> Entry {
        Entry {
            at,
            len,
            each,
            dirty: false,
            reg: 0,
            used: 0,
        }
    }

    /// The window in another register.
    pub fn moved(self, reg: Reg) -> Entry {
        Entry { reg, ..self }
    }

    /// True for the same window, wherever it is.
    pub fn is_same(&self, other: &Entry) -> bool {
        (self.at, self.len, self.each) == (other.at, other.len, other.each)
    }

    pub fn overlaps(&self, at: usize, len: usize) -> bool {
        self.at < at + len && at < self.at + self.len
    }
}

/// All windows that are in registers.
#[derive(Clone, Debug, Default)]
pub struct Windows {
    pub entries: Vec<Entry>,
    pub clock: u32,
    /// Registers of the operation at hand.
    pub pinned: u32,
}

/// Execution masks that are in registers.
#[derive(Clone, Debug, Default)]
pub struct Masks {
    pub kept: Vec<Kept>,
}

/// The active channels of a first channel and a width, in a mask register.
#[derive(Clone, Copy, Debug)]
pub struct Kept {
    pub first: u8,
    pub lanes: u8,
    pub k: Register,
}

/// A loop whose blocks are translated.
pub struct Loop {
    /// The label of each block at which homes are in registers, by its first operation.
    pub inner: HashMap<u32, CodeLabel>,
    pub homes: Vec<Entry>,
    /// The first operation of the loop.
    pub first: u32,
}

/// A window that blocks use, with the number of uses since something overlapping was written.
#[derive(Clone, Copy)]
pub struct Use {
    pub entry: Entry,
    pub count: u32,
}

/// The windows that blocks use.
#[derive(Default)]
pub struct Uses(pub Vec<Use>);

impl Uses {
    pub fn note(&mut self, entry: Entry) {
        match self.0.iter_mut().find(|u| u.entry.is_same(&entry)) {
            Some(known) => {
                known.count += 1;
                known.entry.dirty |= entry.dirty;
            }
            None => self.0.push(Use { entry, count: 1 }),
        }
    }

    /// Forgets windows that a write from a place on overlaps, but for the window itself if it stays in its register.
    pub fn supersede(&mut self, at: usize, len: usize, stays: bool) {
        let is_it = |e: &Entry| stays && !e.each && (e.at, e.len) == (at, len);
        self.0
            .retain(|u| !u.entry.overlaps(at, len) || is_it(&u.entry));
    }

    /// The windows used most, each with a register.
    pub fn homes(mut self) -> Vec<Entry> {
        self.0.sort_by_key(|u| std::cmp::Reverse(u.count));
        let most = self.0.into_iter().take(HOMES).zip(0..);
        most.map(|(u, reg)| u.entry.moved(reg)).collect()
    }
}
