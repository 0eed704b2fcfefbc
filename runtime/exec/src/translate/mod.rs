//! Translation of Gen code to x86-64 with AVX-512, or with AVX2.
//!
//! A program is translated as a whole, for one float mode, and the code is kept beside it. `emit` goes through its
//! blocks; an operation whose form no part takes calls the interpreter's function for it, so that everything can be
//! translated and coverage decides only about speed. All of a thread's state is in its `Thread` whenever a block ends:
//! turns, waits, errors and figures are those of the interpreter.
//!
//! | file | takes |
//! | --- | --- |
//! | `blocks` | where blocks begin and end, and what they count |
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
mod operands;
mod wide;
mod windows;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use super::engine::Turns;
use super::error::Cause;
use super::machine::{FloatMode, Status, Thread};
use super::memory::Shared;
use super::operation::{Base, File, Target};
use super::program::Program;
use super::run::steps_on;
use super::stats::Counts;
use super::wide::Rounding;
use asm::Line;
use blocks::Blocks;
use memory::Executable;
use messages::{Site, SiteKind};

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

/// Number of float modes that code is translated for: denormals of three types kept or flushed.
const MODES: usize = 8;
/// Number of instructions interpreted, for each of a program's, after which translating it pays: it takes as long.
const MIN_MISSED_PER_INST: u64 = 50;
/// Number of instructions that are interpreted before it is looked again whether there is code.
const INTERPRETED_INSTS: u64 = 256;

/// The number of a mode that code is translated for; none if it rounds other than to nearest.
fn mode_number(mode: FloatMode) -> Option<usize> {
    let bit = |set: bool, n: usize| usize::from(set) << n;
    let number = bit(mode.flush_df, 0) | bit(mode.flush_f, 1) | bit(mode.flush_hf, 2);
    (mode.rounding == Rounding::NearestEven).then_some(number)
}

/// Translated code.
#[derive(Debug)]
pub(super) struct Code {
    memory: Executable,
    pool: Vec<Line>,
    entries: Vec<Option<u32>>,
    exit: u32,
    /// Number of the float mode.
    mode: usize,
    blocks: Blocks,
    translated: Vec<emit::Translated>,
    offsets: Vec<u32>,
    sites: Vec<SiteKind>,
    site_of: Vec<Option<u32>>,
}

impl Code {
    fn new(
        program: &Program,
        (mode, number): (FloatMode, usize),
        host: Host,
    ) -> Result<Code, Refusal> {
        let blocks = Blocks::new(program);
        let output = emit::translate(program, &blocks, mode, host)?;
        Ok(Code {
            memory: output.memory,
            pool: output.pool,
            entries: output.entries,
            exit: output.exit,
            mode: number,
            blocks,
            translated: output.translated,
            offsets: output.offsets,
            sites: output.sites,
            site_of: output.site_of,
        })
    }
}

/// The code of a program, for each float mode that it has run in.
#[derive(Debug, Default)]
pub(super) struct Translations {
    codes: [OnceLock<Option<Box<Code>>>; MODES],
    /// Number of instructions that were interpreted where code would have executed them.
    missed: AtomicU64,
}

impl Translations {
    /// The code for a mode, translated now unless it is there; none if it cannot be.
    fn get(&self, program: &Program, mode: FloatMode) -> Option<&Code> {
        let number = mode_number(mode)?;
        let host = Host::available()?;
        let code = self.codes[number].get_or_init(|| {
            let code = Code::new(program, (mode, number), host);
            code.ok().map(Box::new)
        });
        code.as_deref()
    }

    /// The code for a mode, if it is there.
    fn existing(&self, mode: FloatMode) -> Option<&Code> {
        self.codes[mode_number(mode)?].get()?.as_deref()
    }
}

/// The mode in which most of a program runs: that after its writes of `cr0` with constants.
fn main_mode(program: &Program) -> FloatMode {
    let mut bits = 0u32;
    for op in program.ops() {
        let Target::File {
            file: File::Control,
            at: 0,
        } = op.dst.target
        else {
            continue;
        };
        let mut constants = op.sources().iter().filter_map(|s| match s.base {
            Base::Constant(bits) => Some(bits as u32),
            _ => None,
        });
        let constant = constants.next_back().unwrap_or(0);
        bits = match op.op {
            kiln_emit::inst::Op::Or => bits | constant,
            kiln_emit::inst::Op::And => bits & constant,
            _ => constant,
        };
    }
    FloatMode::of(bits)
}

/// The engine that executes translated code.
pub(super) struct Translated<'a> {
    program: &'a Program,
    /// Counters and sites of the code of each mode, made when it is first entered.
    own: [Option<Own>; MODES],
    /// True if every mode is translated at once.
    eager: bool,
    _mode: enter::HostMode,
}

/// A worker's state for the code of a mode.
struct Own {
    counters: Vec<u64>,
    sites: Vec<Site>,
}

impl<'a> Translated<'a> {
    /// Translates a program for the mode in which most of it runs, unless that is done; none if the host has not the
    /// instructions, or the system refuses.
    pub fn new(program: &'a Program) -> Option<Translated<'a>> {
        let engine = Translated::later(program)?;
        let mode = main_mode(program);
        if mode_number(mode).is_some() {
            program.translations().get(program, mode)?;
        }
        Some(engine)
    }

    /// As [`Translated::new`], but the program is translated when enough of it has been interpreted.
    pub fn later(program: &'a Program) -> Option<Translated<'a>> {
        Host::available().map(|_| Translated {
            program,
            own: Default::default(),
            eager: false,
            _mode: enter::HostMode::set(),
        })
    }

    fn code(&self, mode: FloatMode) -> Option<&'a Code> {
        let translations = self.program.translations();
        let enough = MIN_MISSED_PER_INST * self.program.ops().len() as u64;
        let many = || translations.missed.load(Relaxed) >= enough;
        match translations.existing(mode) {
            Some(code) => Some(code),
            None if self.eager || many() => translations.get(self.program, mode),
            None => None,
        }
    }

    /// Number of instructions of the block at hand, if it can be entered.
    fn block_len(&self, thread: &Thread) -> Option<u32> {
        let code = self.code(thread.mode)?;
        code.entries.get(thread.ip as usize).copied().flatten()?;
        code.blocks.block(thread.ip).map(|block| block.len)
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
            let code = self.code(thread.mode);
            let entry = code.and_then(|code| {
                let entry = code.entries.get(thread.ip as usize).copied().flatten()?;
                let block = code.blocks.block(thread.ip)?;
                (u64::from(block.len) <= left).then_some((code, entry))
            });
            let before = thread.executed;
            let result = match entry {
                Some((code, entry)) => self.run_code(code, entry, thread, shared, left, counts),
                None if code.is_some() => steps_on(thread, program, shared, 1, counts),
                None => {
                    let some = left.min(INTERPRETED_INSTS);
                    let result = steps_on(thread, program, shared, some, counts);
                    let missed = thread.executed - before;
                    program.translations().missed.fetch_add(missed, Relaxed);
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
        let own = self.own[code.mode].get_or_insert_with(|| Own {
            counters: vec![0; code.blocks.counters],
            sites: code.sites.iter().map(|kind| kind.bind(shared)).collect(),
        });
        let lent = enter::Lent {
            code,
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
            if let Some(block) = code.blocks.block(thread.ip) {
                left += i64::from(block.first + block.len - thread.ip);
            }
            code.blocks
                .take_back(thread.ip, thread, self.program, counts);
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
        for (number, own) in self.own.iter_mut().enumerate() {
            let code = self.program.translations().codes[number].get();
            if let (Some(own), Some(Some(code))) = (own, code) {
                code.blocks.drain(&mut own.counters, counts);
            }
        }
    }
}
