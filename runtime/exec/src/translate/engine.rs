//! The engine that executes translated code.

use std::sync::atomic::Ordering::Relaxed;

use super::blocks::Blocks;
use super::code::Code;
use super::enter;
use super::host::Host;
use super::modes::{MODES, mode_number};
use super::sites::Site;
use super::translations::Translations;
use crate::code::counts::Counts;
use crate::code::decoded::Decoded;
use crate::interpret::step::steps_on;
use crate::interpret::turns::Turns;
use crate::state::cause::Cause;
use crate::state::memory::Shared;
use crate::state::thread::{FloatMode, Status, Thread};

/// Number of instructions interpreted, for each of a program's, after which translating it pays: it takes as long.
const MIN_MISSED_PER_INST: u64 = 50;

/// The engine that executes translated code.
pub struct Translated<'a> {
    program: &'a Decoded,
    translations: &'a Translations,
    blocks: &'a Blocks,
    /// Counters and sites of each code, made when it is first entered.
    pub(super) own: [Option<Own>; MODES],
    /// The code that was last entered.
    last: Option<&'a Code>,
    /// True if every mode is translated at once.
    pub(super) eager: bool,
    _mode: enter::HostMode,
}

/// A worker's state for a code.
pub struct Own {
    counters: Vec<u64>,
    sites: Vec<Site>,
}

impl<'a> Translated<'a> {
    /// Translates a program for the mode in which threads start, unless that is done; none if the host has not the
    /// instructions, or the system refuses.
    pub fn new(program: &'a Decoded, translations: &'a Translations) -> Option<Translated<'a>> {
        let engine = Translated::later(program, translations)?;
        translations.get(program, FloatMode::INITIAL)?;
        Some(engine)
    }

    /// As [`Translated::new`], but the program is translated when enough of it has been interpreted.
    pub fn later(program: &'a Decoded, translations: &'a Translations) -> Option<Translated<'a>> {
        Host::available().map(|_| Translated {
            program,
            translations,
            blocks: translations.blocks(program),
            own: Default::default(),
            last: None,
            eager: false,
            _mode: enter::HostMode::set(),
        })
    }

    /// The code for a mode with its entry for an operation, translated now if it pays.
    fn code(&self, index: u32, mode: FloatMode) -> Option<(&'a Code, u32)> {
        let translations = self.translations;
        let number = mode_number(mode);
        if let Some((code, entry)) =
            (self.last).and_then(|c| Some((c, c.entry(self.blocks, index, number)?)))
        {
            return Some((code, entry));
        }
        let existing = translations.existing(self.blocks, index, number);
        if existing.is_some() {
            return existing;
        }
        let enough = MIN_MISSED_PER_INST * self.program.ops().len() as u64;
        if !self.eager && translations.missed[number].load(Relaxed) < enough {
            return None;
        }
        let code = translations.get(self.program, mode)?;
        Some((code, code.entry(self.blocks, index, number)?))
    }

    /// Number of instructions of the block at hand, if it can be entered.
    pub(super) fn block_len(&self, thread: &Thread) -> Option<u32> {
        self.code(thread.ip, thread.mode)?;
        self.blocks.block(thread.ip).map(|block| block.len)
    }

    /// Executes up to `limit` instructions, with the time unchanged.
    pub(super) fn run(
        &mut self,
        thread: &mut Thread,
        shared: &mut Shared,
        limit: u64,
        counts: &mut Counts,
    ) -> Result<(), Cause> {
        let program = self.program;
        let mut left = limit;
        while left > 0 && thread.status == Status::Running {
            let before = thread.executed;
            let block = self.blocks.block(thread.ip);
            let entry = block
                .filter(|block| block.first == thread.ip)
                .and_then(|block| Some((block, self.code(thread.ip, thread.mode)?)));
            let result = match entry {
                Some((block, (code, entry))) if u64::from(block.len) <= left => {
                    self.run_code(code, entry, thread, shared, left, counts)
                }
                _ => {
                    // The interpreter goes on to the end of the block.
                    let rest = block.map_or(1, |b| u64::from(b.first + b.len - thread.ip));
                    let mode = mode_number(thread.mode);
                    let result = steps_on(thread, program, shared, rest.min(left), counts);
                    if entry.is_none() {
                        let missed = thread.executed - before;
                        self.translations.missed[mode].fetch_add(missed, Relaxed);
                    }
                    result
                }
            };
            left = left.saturating_sub(thread.executed - before);
            result?;
        }
        Ok(())
    }

    fn run_code(
        &mut self,
        code: &'a Code,
        entry: u32,
        thread: &mut Thread,
        shared: &mut Shared,
        limit: u64,
        counts: &mut Counts,
    ) -> Result<(), Cause> {
        let blocks = self.blocks;
        self.last = Some(code);
        let own = self.own[code.start].get_or_insert_with(|| Own {
            counters: vec![0; blocks.counters],
            sites: code.sites.iter().map(|kind| kind.bind(shared)).collect(),
        });
        let lent = enter::Lent {
            code,
            blocks,
            program: self.program,
            thread: &mut *thread,
            shared,
            counters: &mut own.counters,
            sites: &mut own.sites,
        };
        let end = enter::enter(lent, entry, limit as i64);
        let mut left = end.left;
        if end.error.is_some() || end.postponed {
            // The block was taken off and counted as a whole.
            if let Some(block) = blocks.block(thread.ip) {
                left += i64::from(block.first + block.len - thread.ip);
            }
            blocks.take_back(thread.ip, thread, self.program, counts);
        }
        thread.executed += (limit as i64 - left) as u64;
        end.error.map_or(Ok(()), Err)
    }
}

impl Turns for Translated<'_> {
    fn turn(
        &mut self,
        thread: &mut Thread,
        _program: &Decoded,
        shared: &mut Shared,
        limit: u64,
        counts: &mut Counts,
    ) -> Result<(), Cause> {
        thread.update_timestamp();
        self.run(thread, shared, limit, counts)
    }

    fn end(&mut self, counts: &mut Counts) {
        for own in self.own.iter_mut().flatten() {
            self.blocks.drain(&mut own.counters, counts);
        }
    }
}
