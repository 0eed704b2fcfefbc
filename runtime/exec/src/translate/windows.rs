//! Vector registers as copies of parts of a thread's state.
//!
//! A window is a place in [`Thread`] and a length of 4 to 64 bytes, or one element for all lanes. It is in at most one
//! register. Registers are given to windows as they are used, least recently used first, and written back when another
//! window needs the register, when something overlapping is read or written, or when the block ends; in loops some stay
//! ([`super::loops`]).
//!
//! Guarantees: whatever is read has the newest value; two windows that overlap are never both changed; registers of the
//! operation at hand are not given away ([`Emitter::begin`] ends that).

use std::mem::offset_of;

use iced_x86::IcedError;

use super::asm::{Arg, Done, Length, Reg, THREAD, at};
use super::codes;
use super::emitter::Emitter;
use super::held::{Entry, TEMPS, WINDOW_REGS};
use crate::state::thread::{Accumulators, File, Thread};

/// Offset in [`Thread`] of a byte of a register file.
pub fn place(file: File, at: usize) -> usize {
    at + match file {
        File::Grf => offset_of!(Thread, grf),
        File::Acc => offset_of!(Thread, acc) + offset_of!(Accumulators, bytes),
        File::Addr => offset_of!(Thread, addr),
        File::Flag => offset_of!(Thread, flags),
        File::Control => offset_of!(Thread, control),
        File::State => offset_of!(Thread, state),
        File::MessageControl => offset_of!(Thread, message_control),
        File::Scalar => offset_of!(Thread, scalar),
        File::Notification => offset_of!(Thread, notification),
        File::Timestamp => offset_of!(Thread, timestamp),
    }
}

impl Emitter<'_> {
    /// A register for a value within an operation that no operand uses.
    pub fn spare(&self) -> Reg {
        TEMPS[7]
    }

    /// Begins an operation: no register is needed for the one before.
    pub fn begin(&mut self) {
        self.windows.pinned = 0;
    }

    fn touch(&mut self, index: usize) -> Reg {
        self.windows.clock += 1;
        let entry = &mut self.windows.entries[index];
        entry.used = self.windows.clock;
        self.windows.pinned |= 1 << entry.reg;
        let entry = *entry;
        self.note_use(entry);
        entry.reg
    }

    fn note_use(&mut self, entry: Entry) {
        if let Some(uses) = &mut self.uses {
            uses.note(entry);
        }
    }

    fn enter(&mut self, entry: Entry, reg: Reg) {
        self.windows.clock += 1;
        let used = self.windows.clock;
        let entry = Entry { reg, used, ..entry };
        self.windows.entries.push(entry);
        self.note_use(entry);
    }

    pub fn save(&mut self, index: usize) -> Done {
        let entry = self.windows.entries[index];
        if entry.dirty {
            self.asm.store(entry.reg, at(THREAD, entry.at), entry.len)?;
            self.windows.entries[index].dirty = false;
        }
        Ok(())
    }

    /// A register for a window that the operation at hand does not use: its home if it has one, else one that is no
    /// other's home; among these one that no window has, or the least recently used.
    fn free(&mut self, window: &Entry) -> Result<Reg, IcedError> {
        // The class of each register, above the time of its last use.
        let class = |number: u64| number << u32::BITS;
        let mut keys = [class(1); WINDOW_REGS as usize];
        for entry in &self.windows.entries {
            keys[usize::from(entry.reg)] += u64::from(entry.used);
        }
        for home in self.around.iter().flat_map(|around| &around.homes) {
            let key = &mut keys[usize::from(home.reg)];
            match home.is_same(window) {
                true => *key -= class(1),
                false => *key += class(1),
            }
        }
        let pinned = self.windows.pinned;
        let usable = (0..WINDOW_REGS).filter(|reg| pinned >> reg & 1 == 0);
        let best = usable.min_by_key(|&reg| keys[usize::from(reg)]);
        // An operation uses far fewer registers than there are.
        let reg = best.unwrap_or(0);
        if let Some(index) = self.windows.entries.iter().position(|e| e.reg == reg) {
            self.save(index)?;
            self.windows.entries.remove(index);
        }
        self.windows.pinned |= 1 << reg;
        Ok(reg)
    }

    fn find(&self, at: usize, len: usize) -> Option<usize> {
        let entries = &self.windows.entries;
        entries
            .iter()
            .position(|e| !e.each && e.at == at && e.len == len)
    }

    /// Writes back what overlaps, and keeps it.
    pub fn flush(&mut self, at: usize, len: usize) -> Done {
        for index in 0..self.windows.entries.len() {
            if self.windows.entries[index].overlaps(at, len) {
                self.save(index)?;
            }
        }
        Ok(())
    }

    /// Forgets what overlaps, written back unless all of it is about to be overwritten.
    fn supersede(&mut self, at: usize, len: usize, (whole, stays): (bool, bool)) -> Done {
        if let Some(uses) = &mut self.uses {
            uses.supersede(at, len, stays);
        }
        for index in (0..self.windows.entries.len()).rev() {
            let entry = self.windows.entries[index];
            if entry.overlaps(at, len) {
                let covered = whole && entry.at >= at && entry.at + entry.len <= at + len;
                if !covered {
                    self.save(index)?;
                }
                self.windows.entries.remove(index);
            }
        }
        Ok(())
    }

    /// Writes back what overlaps, and forgets it: memory is about to be written.
    pub fn forget(&mut self, at: usize, len: usize) -> Done {
        self.supersede(at, len, (false, false))
    }

    /// Writes back all windows.
    pub fn flush_all(&mut self) -> Done {
        (0..self.windows.entries.len()).try_for_each(|index| self.save(index))
    }

    /// Writes back all windows and forgets them.
    pub fn forget_all(&mut self) -> Done {
        self.flush_all()?;
        self.windows.entries.clear();
        Ok(())
    }

    /// A register whose lowest bytes are a window's.
    pub fn read(&mut self, from: usize, len: usize) -> Result<Reg, IcedError> {
        let window = Entry::of(from, len, false);
        let entries = &self.windows.entries;
        if let Some(index) = entries
            .iter()
            .position(|e| !e.each && e.at == from && e.len >= len)
        {
            return Ok(self.touch(index));
        }
        let whole = len == 32 && from >= 32;
        if whole && let Some(index) = self.find(from - 32, 64) {
            let source = self.touch(index);
            let reg = self.free(&window)?;
            self.asm.plain3(
                iced_x86::Code::EVEX_Vextracti64x4_ymmm256_k1z_zmm_imm8,
                Length::Y.register(reg),
                Length::Z.register(source),
                1,
            )?;
            self.enter(window, reg);
            return Ok(reg);
        }
        if len == 64
            && let (Some(low), Some(high)) = (self.find(from, 32), self.find(from + 32, 32))
        {
            let (low, high) = (self.touch(low), self.touch(high));
            let reg = self.free(&window)?;
            self.asm.insert_half(reg, low, high)?;
            self.enter(window, reg);
            return Ok(reg);
        }
        self.flush(from, len)?;
        let reg = self.free(&window)?;
        self.asm.load(reg, at(THREAD, from), len)?;
        self.enter(window, reg);
        Ok(reg)
    }

    /// A register all of whose lanes have an element of 4 or 8 bytes.
    pub fn read_each(&mut self, from: usize, size: usize) -> Result<Reg, IcedError> {
        let window = Entry::of(from, size, true);
        let entries = &self.windows.entries;
        if let Some(index) = entries
            .iter()
            .position(|e| e.each && e.at == from && e.len == size)
        {
            return Ok(self.touch(index));
        }
        let low = entries
            .iter()
            .position(|e| !e.each && e.at == from && e.len >= size);
        let reg;
        if let Some(index) = low {
            let source = self.touch(index);
            reg = self.free(&window)?;
            let codes = if size == 8 {
                codes::BROADCASTQ
            } else {
                codes::BROADCASTD
            };
            self.asm.spread(codes, reg, source)?;
        } else {
            self.flush(from, size)?;
            reg = self.free(&window)?;
            self.asm.broadcast(reg, at(THREAD, from), size)?;
        }
        self.enter(window, reg);
        Ok(reg)
    }

    /// The register that is to hold a window's new value; `merge` if it has to have the old one before.
    pub fn write(&mut self, to: usize, len: usize, merge: bool) -> Result<Reg, IcedError> {
        let dirty = true;
        let window = Entry {
            dirty,
            ..Entry::of(to, len, false)
        };
        if let Some(index) = self.find(to, len) {
            let reg = self.touch(index);
            self.windows.entries.remove(index);
            self.supersede(to, len, (!merge, true))?;
            self.enter(window, reg);
            return Ok(reg);
        }
        self.supersede(to, len, (!merge, true))?;
        let reg = self.free(&window)?;
        if merge {
            self.asm.load(reg, at(THREAD, to), len)?;
        }
        self.enter(window, reg);
        Ok(reg)
    }

    /// The instructions that put windows back to their registers after a call, from the thread.
    pub fn reload(&mut self, entries: &[Entry]) -> Done {
        for entry in entries {
            match entry.each {
                true => self
                    .asm
                    .broadcast(entry.reg, at(THREAD, entry.at), entry.len)?,
                false => self.asm.load(entry.reg, at(THREAD, entry.at), entry.len)?,
            }
        }
        Ok(())
    }

    /// The instructions that write changed windows back.
    pub fn save_all(&mut self, entries: &[Entry]) -> Done {
        for entry in entries.iter().filter(|e| e.dirty) {
            self.asm.store(entry.reg, at(THREAD, entry.at), entry.len)?;
        }
        Ok(())
    }

    /// The last source of an instruction, in a register.
    pub fn in_register(&mut self, arg: Arg, temp: Reg) -> Result<Reg, IcedError> {
        match arg {
            Arg::Reg(reg) => Ok(reg),
            Arg::Each(from) => {
                self.asm.broadcast(temp, from, 4)?;
                Ok(temp)
            }
            Arg::Whole(from) => {
                self.asm.load(temp, from, 64)?;
                Ok(temp)
            }
        }
    }
}
