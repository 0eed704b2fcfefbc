//! Windows that stay in registers over the blocks of a loop.
//!
//! A loop is a run of consecutive blocks of which only the last one branches back, to the first, and which never call the
//! interpreter. It is translated twice; the first code only shows which windows it uses, and is discarded. Those used most
//! get a home: a register that holds them wherever a block of the loop begins. Each block has two labels. Branches within
//! the loop go to the inner one. All else (code before the loop, the start of a turn) enters at the outer one, after which
//! homes are loaded. Where control leaves the loop, homes that changed are written back.
//!
//! Guarantees: at a block's outer label all state is in the thread, in loops as elsewhere; at its inner label homes have
//! the newest values, and only those that the loop writes may be newer than the thread.

use std::mem::replace;
use std::ops::Range;

use iced_x86::IcedError;
use iced_x86::code_asm::{CodeAssembler, CodeLabel};

use super::asm::Done;
use super::blocks::{Block, Blocks, ends};
use super::emitter::{Cold, Emitter};
use super::held::{Entry, Loop, Uses};
use crate::code::decoded::Decoded;
use crate::code::operation::{Jump, Path};

/// The loops of a program, as ranges of blocks.
pub fn find(program: &Decoded, blocks: &Blocks) -> Vec<Range<usize>> {
    let mut loops = Vec::new();
    // The block after the last one that goes back, or that calls the interpreter at its end.
    let mut after = 0;
    for (number, block) in blocks.blocks.iter().enumerate() {
        let last = block.first + block.len - 1;
        let Some(op) = program.op(last) else { continue };
        if !ends(op) {
            continue;
        }
        if !matches!(op.path, Path::Branch) {
            after = number + 1;
            continue;
        }
        let back = [op.jip, op.uip].into_iter().find_map(|jump| match jump {
            Jump::To(to) if to <= last => Some(to),
            _ => None,
        });
        if let Some(to) = back {
            let first = blocks.of[to as usize] as usize;
            if first >= after && blocks.blocks[first].first == to {
                loops.push(first..number + 1);
            }
            after = number + 1;
        }
    }
    loops
}

impl Emitter<'_> {
    /// Translates the blocks of a loop.
    pub fn loop_blocks(&mut self, range: Range<usize>) -> Done {
        let blocks = self.blocks.blocks.get(range).unwrap_or_default();
        let Some(first) = blocks.first() else {
            return Ok(());
        };
        let homes = self.survey(blocks)?;
        if !homes.is_empty() {
            let inner = blocks.iter().map(|b| (b.first, self.asm.label()));
            let inner = inner.collect();
            let first = first.first;
            self.around = Some(Loop {
                inner,
                homes,
                first,
            });
        }
        for block in blocks {
            self.block(block)?;
        }
        self.around = None;
        self.windows.entries.clear();
        Ok(())
    }

    /// The windows that are to stay in registers in blocks; none if something is called out.
    fn survey(&mut self, blocks: &[Block]) -> Result<Vec<Entry>, IcedError> {
        let real = replace(&mut self.asm.a, CodeAssembler::new(64)?);
        let (cold, sites) = (self.cold.len(), self.sites.len());
        self.uses = Some(Uses::default());
        for block in blocks {
            self.body(block)?;
        }
        self.asm.a = real;
        self.cold.truncate(cold);
        self.sites.truncate(sites);
        let mut ops = blocks.iter().flat_map(|b| b.first..b.first + b.len);
        let called = ops.any(|index| self.translated[index as usize].called);
        let uses = self.uses.take().filter(|_| !called);
        Ok(uses.map_or(Vec::new(), Uses::homes))
    }

    /// Puts the inner label of a block of a loop here, and has its other label lead to it.
    pub fn begin_in_loop(&mut self, block: &Block) -> Done {
        let Some(around) = &self.around else {
            return Ok(());
        };
        let (homes, first) = (around.homes.clone(), around.first);
        let Some(mut inner) = around.inner.get(&block.first).copied() else {
            return Ok(());
        };
        if block.first == first {
            self.place_block(block.first)?;
            self.reload(&homes)?;
        } else if let Some(&label) = self.labels.get(&block.first) {
            let (index, homes) = (block.first, homes.clone());
            self.cold.push((label, inner, Cold::Enter { index, homes }));
        }
        self.asm.place(&mut inner)?;
        self.windows.entries = homes;
        Ok(())
    }

    /// Ends the use of windows before a block's last jumps: in a loop only homes stay, elsewhere none.
    pub fn leave_windows(&mut self) -> Done {
        let Some(around) = &self.around else {
            return self.forget_all();
        };
        let homes = around.homes.clone();
        for index in (0..self.windows.entries.len()).rev() {
            let entry = self.windows.entries[index];
            let home = homes.iter().find(|h| h.is_same(&entry));
            let stays = home.is_some_and(|h| h.reg == entry.reg);
            if !stays || !home.is_some_and(|h| h.dirty) {
                self.save(index)?;
            }
            if !stays {
                self.windows.entries.remove(index);
            }
        }
        for home in homes {
            if !self.windows.entries.iter().any(|e| e.is_same(&home)) {
                self.flush(home.at, home.len)?;
                self.reload(&[home])?;
                let mut entry = home;
                entry.dirty = false;
                self.windows.entries.push(entry);
            }
        }
        Ok(())
    }

    /// The label by which the code at hand goes to the block of an operation, with windows as they are; none if that is
    /// code for another float mode.
    pub fn target(&mut self, index: u32) -> Option<CodeLabel> {
        if self.mode_at(index) != self.mode {
            return None;
        }
        let label = self.labels.get(&index).copied()?;
        let Some(around) = &self.around else {
            return Some(label);
        };
        if let Some(&inner) = around.inner.get(&index) {
            return Some(inner);
        }
        let windows = self.windows.entries.clone();
        if let Some((way, to, Cold::Leave { windows: same })) = self.cold.last()
            && (*to, same) == (label, &windows)
        {
            return Some(*way);
        }
        let way = self.asm.label();
        self.cold.push((way, label, Cold::Leave { windows }));
        Some(way)
    }
}
