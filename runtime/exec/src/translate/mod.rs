//! Translation of Gen code to x86-64 with AVX-512, or with AVX2.
//!
//! A program is translated as a whole, each block for one float mode, and the code is kept beside it. `emit` goes through
//! its blocks; an operation whose form no part takes calls the interpreter's function for it, so that everything can be
//! translated and coverage decides only about speed. All of a thread's state is in its `Thread` whenever a block ends:
//! turns, waits, errors and figures are those of the interpreter.
//!
//! | file | takes |
//! | --- | --- |
//! | `blocks` | where blocks begin and end, and what they count |
//! | `modes` | the float mode in which each is expected to run |
//! | `windows` | registers that hold parts of a thread |
//! | `loops` | which of them stay in registers over a loop |
//! | `masks` | execution masks, predicates, flags |
//! | `operands` | regions as vectors |
//! | `arithmetic`, `wide`, `doubles` | operations on lanes of 32 and of 64 bits, by rows |
//! | `messages` | plain loads and stores |
//! | `indirect` | moves through addresses in `a0` |
//! | `branches` | control flow |
//! | `asm`, `codes` | instructions of x86-64 |
//! | `legalize`, `expand`, `avx2` | all code once more, for hosts without AVX-512 |
//! | `memory`, `enter` | memory that executes, and entering it |
//! | `both` | the two engines side by side |

mod arithmetic;
mod asm;
mod avx2;
mod blocks;
mod both;
mod branches;
mod codes;
mod doubles;
mod emit;
mod enter;
mod expand;
mod indirect;
mod legalize;
mod listing;
mod loops;
mod masks;
mod memory;
mod messages;
mod modes;
mod operands;
mod wide;
mod windows;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::engine::Turns;
use super::error::Cause;
use super::machine::{FloatMode, Status, Thread};
use super::memory::Shared;
use super::program::Program;
use super::run::steps_on;
use super::stats::Counts;
use asm::Line;
use blocks::Blocks;
use memory::Executable;
use messages::{Site, SiteKind};
use modes::{MODES, mode_number, of_blocks};

pub(super) use both::Both;
pub use emit::Refusal;
pub use listing::{BlockListing, Listing, OperationListing};

/// Features of a host that code is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// AVX-512 F, BW, DQ and VL.
    Avx512,
    /// AVX2, FMA and F16C.
    Avx2,
}

/// True once [`Host::leave_out_avx512`] was called.
static WITHOUT_AVX512: AtomicBool = AtomicBool::new(false);

impl Host {
    /// The best features that this host has; none if it cannot execute translated code.
    pub fn available() -> Option<Host> {
        macro_rules! has {
            ($($feature:tt),*) => { $(std::arch::is_x86_feature_detected!($feature))&&* };
        }
        if !has!("bmi1", "bmi2", "popcnt") {
            return None;
        }
        let avx512 = has!("avx512f", "avx512bw", "avx512dq", "avx512vl");
        if avx512 && !WITHOUT_AVX512.load(Relaxed) {
            return Some(Host::Avx512);
        }
        has!("avx2", "fma", "f16c").then_some(Host::Avx2)
    }

    /// Has the process execute code of AVX2 where it could execute AVX-512, from its first translation on; for tests.
    pub fn leave_out_avx512() {
        WITHOUT_AVX512.store(true, Relaxed);
    }
}

/// Number of instructions interpreted, for each of a program's, after which translating it pays: it takes as long.
const MIN_MISSED_PER_INST: u64 = 50;

/// Translated code: each block for the mode in which it is expected to run.
#[derive(Debug)]
pub(super) struct Code {
    /// Number of the float mode in which threads are expected to start.
    start: usize,
    memory: Executable,
    pool: Vec<Line>,
    entries: Vec<Option<u32>>,
    exit: u32,
    /// Number of each block's float mode.
    modes: Vec<usize>,
    translated: Vec<emit::Translated>,
    offsets: Vec<u32>,
    sites: Vec<SiteKind>,
    site_of: Vec<Option<u32>>,
}

impl Code {
    /// Translates a program whose threads start in a mode.
    fn new(
        program: &Program,
        blocks: &Blocks,
        start: FloatMode,
        host: Host,
    ) -> Result<Code, Refusal> {
        let modes = of_blocks(program, blocks, start);
        let output = emit::translate(program, blocks, &modes, host)?;
        Ok(Code {
            start: mode_number(start),
            memory: output.memory,
            pool: output.pool,
            entries: output.entries,
            exit: output.exit,
            modes: modes.into_iter().map(mode_number).collect(),
            translated: output.translated,
            offsets: output.offsets,
            sites: output.sites,
            site_of: output.site_of,
        })
    }

    /// Offset of the code for an operation at which a block of a mode begins.
    fn entry(&self, blocks: &Blocks, index: u32, mode: usize) -> Option<u32> {
        let entry = self.entries.get(index as usize).copied().flatten()?;
        let block = *blocks.of.get(index as usize)?;
        (self.modes.get(block as usize) == Some(&mode)).then_some(entry)
    }
}

/// The code of a program, for each float mode in which threads have started.
#[derive(Debug, Default)]
pub(super) struct Translations {
    blocks: OnceLock<Blocks>,
    codes: [OnceLock<Option<Box<Code>>>; MODES],
    /// Number of instructions that were interpreted in each mode where code would have executed them.
    missed: [AtomicU64; MODES],
}

impl Translations {
    fn blocks(&self, program: &Program) -> &Blocks {
        self.blocks.get_or_init(|| Blocks::new(program))
    }

    /// The code for threads that start in a mode, translated now unless it is there; none if it cannot be.
    fn get(&self, program: &Program, start: FloatMode) -> Option<&Code> {
        let host = Host::available()?;
        let code = self.codes[mode_number(start)].get_or_init(|| {
            let code = Code::new(program, self.blocks(program), start, host);
            code.ok().map(Box::new)
        });
        code.as_deref()
    }

    /// Code that is there, with its entry for an operation in a mode.
    fn existing(&self, blocks: &Blocks, index: u32, mode: usize) -> Option<(&Code, u32)> {
        let codes = self.codes.iter().filter_map(|c| c.get()?.as_deref());
        let mut entries = codes.filter_map(|c| Some((c, c.entry(blocks, index, mode)?)));
        entries.next()
    }
}

/// The engine that executes translated code.
pub(super) struct Translated<'a> {
    program: &'a Program,
    blocks: &'a Blocks,
    /// Counters and sites of each code, made when it is first entered.
    own: [Option<Own>; MODES],
    /// True if every mode is translated at once.
    eager: bool,
    _mode: enter::HostMode,
}

/// A worker's state for a code.
struct Own {
    counters: Vec<u64>,
    sites: Vec<Site>,
}

impl<'a> Translated<'a> {
    /// Translates a program for the mode in which threads start, unless that is done; none if the host has not the
    /// instructions, or the system refuses.
    pub fn new(program: &'a Program) -> Option<Translated<'a>> {
        let engine = Translated::later(program)?;
        program.translations().get(program, FloatMode::INITIAL)?;
        Some(engine)
    }

    /// As [`Translated::new`], but the program is translated when enough of it has been interpreted.
    pub fn later(program: &'a Program) -> Option<Translated<'a>> {
        Host::available().map(|_| Translated {
            program,
            blocks: program.translations().blocks(program),
            own: Default::default(),
            eager: false,
            _mode: enter::HostMode::set(),
        })
    }

    /// The code for a mode with its entry for an operation, translated now if it pays.
    fn code(&self, index: u32, mode: FloatMode) -> Option<(&'a Code, u32)> {
        let translations = self.program.translations();
        let number = mode_number(mode);
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
    fn block_len(&self, thread: &Thread) -> Option<u32> {
        self.code(thread.ip, thread.mode)?;
        self.blocks.block(thread.ip).map(|block| block.len)
    }

    /// Executes up to `limit` instructions, with the time unchanged.
    fn run(
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
                        program.translations().missed[mode].fetch_add(missed, Relaxed);
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
        _program: &Program,
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
