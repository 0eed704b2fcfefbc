//! The command streamer: batches of commands (PRM vol. 2a, "Command Reference").

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use kiln_exec::Options;

use super::blit::{self, address, pair};
use super::code::Programs;
use super::device::Device;
use super::launch::{Bases, Failure, Launch, Settings};
use super::media;
use super::record;
use super::registers::Registers;
use super::report;
use super::space::{ADDRESS, Fault, Space};
use super::walker::Walker;

/// Effect of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Nothing here: caches, modes and prefetches.
    None,
    End,
    Jump,
    Wait,
    StoreData,
    StoreRegister,
    LoadRegister,
    LoadRegisterMemory,
    CopyRegister,
    Predicate,
    Compute,
    Atomic,
    Flush,
    MemoryCopy,
    MemorySet,
    BlockCopy,
    Color,
    Pipe,
    Bases,
    TablePool,
    FrontEnd,
    Walk,
    MediaFrontEnd,
    Descriptors,
    MediaWalk,
}

/// Commands by the bits of their first dword that are not zero in a mask.
const COMMANDS: &[(u32, u32, Effect)] = &[
    (0xff80_0000, 0x0000_0000, Effect::None),          // MI_NOOP
    (0xff80_0000, 0x0080_0000, Effect::Predicate),     // MI_SET_PREDICATE
    (0xff80_0000, 0x0100_0000, Effect::None),          // MI_USER_INTERRUPT
    (0xff80_0000, 0x0280_0000, Effect::None),          // MI_ARB_CHECK
    (0xff80_0000, 0x0400_0000, Effect::None),          // MI_ARB_ON_OFF
    (0xff80_0000, 0x0480_0000, Effect::None),          // MI_MEM_FENCE
    (0xff80_0000, 0x0500_0000, Effect::End),           // MI_BATCH_BUFFER_END
    (0xff80_0000, 0x0d00_0000, Effect::Compute),       // MI_MATH
    (0xff80_0000, 0x0e00_0000, Effect::Wait),          // MI_SEMAPHORE_WAIT
    (0xff80_0000, 0x1000_0000, Effect::StoreData),     // MI_STORE_DATA_IMM
    (0xff80_0000, 0x1100_0000, Effect::LoadRegister),  // MI_LOAD_REGISTER_IMM
    (0xff80_0000, 0x1200_0000, Effect::StoreRegister), // MI_STORE_REGISTER_MEM
    (0xff80_0000, 0x1300_0000, Effect::Flush),         // MI_FLUSH_DW
    (0xff80_0000, 0x1480_0000, Effect::LoadRegisterMemory), // MI_LOAD_REGISTER_MEM
    (0xff80_0000, 0x1500_0000, Effect::CopyRegister),  // MI_LOAD_REGISTER_REG
    (0xff80_0000, 0x1780_0000, Effect::Atomic),        // MI_ATOMIC
    (0xff80_0000, 0x1880_0000, Effect::Jump),          // MI_BATCH_BUFFER_START
    (0xffc0_0000, 0x5040_0000, Effect::BlockCopy),     // XY_BLOCK_COPY_BLT
    (0xffc0_0000, 0x5100_0000, Effect::Color),         // XY_FAST_COLOR_BLT
    (0xffc0_0000, 0x5680_0000, Effect::MemoryCopy),    // MEM_COPY
    (0xffc0_0000, 0x56c0_0000, Effect::MemorySet),     // MEM_SET
    (0xfc00_0000, 0xac00_0000, Effect::None),          // RESOURCE_BARRIER
    (0xffff_0000, 0x6003_0000, Effect::None),          // STATE_PREFETCH
    (0xffff_0000, 0x6101_0000, Effect::Bases),         // STATE_BASE_ADDRESS
    (0xffff_0000, 0x6102_0000, Effect::None),          // STATE_SIP
    (0xffff_0000, 0x6104_0000, Effect::None),          // GPGPU_CSR_BASE_ADDRESS
    (0xffff_0000, 0x6105_0000, Effect::None),          // STATE_COMPUTE_MODE
    (0xffff_0000, 0x6109_0000, Effect::None),          // STATE_CONTEXT_DATA_BASE_ADDRESS
    (0xffff_0000, 0x610b_0000, Effect::None),          // STATE_SYSTEM_MEM_FENCE_ADDRESS
    (0xffff_0000, 0x6904_0000, Effect::None),          // PIPELINE_SELECT
    (0xffff_0000, 0x7000_0000, Effect::MediaFrontEnd), // MEDIA_VFE_STATE
    (0xffff_0000, 0x7002_0000, Effect::Descriptors),   // MEDIA_INTERFACE_DESCRIPTOR_LOAD
    (0xffff_0000, 0x7004_0000, Effect::None),          // MEDIA_STATE_FLUSH
    (0xffff_0000, 0x7105_0000, Effect::MediaWalk),     // GPGPU_WALKER
    (0xffff_0000, 0x7200_0000, Effect::FrontEnd),      // CFE_STATE
    (0xffff_0000, 0x7208_0000, Effect::Walk),          // COMPUTE_WALKER
    (0xffff_0000, 0x7919_0000, Effect::TablePool),     // 3DSTATE_BINDING_TABLE_POOL_ALLOC
    (0xffff_0000, 0x7a00_0000, Effect::Pipe),          // PIPE_CONTROL
];

/// The only command of a client of the pipeline with one dword.
const PIPELINE_SELECT: u32 = 0x6904;
/// Bits of commands that heed the predicate: of `MI_BATCH_BUFFER_START`, and of others.
const PREDICATED_JUMP: u32 = 1 << 15;
const PREDICATED: u32 = 1 << 8;
/// Bit of `MI_BATCH_BUFFER_START` to an address in the first general register.
const INDIRECT_JUMP: u32 = 1 << 18;
/// Maximum number of dwords of a command.
const LONGEST: u32 = 258;
/// Maximum number of commands between two waits: a batch of more is one that jumps in circles.
const MOST_COMMANDS: u32 = 1 << 22;
/// Maximum depth of batches that return.
const MOST_LEVELS: usize = 16;

/// Effect of a command by its first dword; none if it is not known.
fn effect(first: u32) -> Option<Effect> {
    let found = COMMANDS
        .iter()
        .find(|(mask, value, _)| first & mask == *value);
    if found.is_none() {
        report::unknown(format_args!(
            "command {first:#010x} is not implemented, and does nothing"
        ));
    }
    found.map(|&(_, _, effect)| effect)
}

/// Number of dwords of a command by its first one.
pub fn length(first: u32) -> u32 {
    let dwords = match (first >> 29, first >> 23 & 0x3f) {
        (0, 0..0x10) => 1,
        (3, _) if first >> 16 == PIPELINE_SELECT => 1,
        _ => (first & 0xff) + 2,
    };
    dwords.min(LONGEST)
}

/// Ticks of the device's clock: 19.2 MHz, from a second before the process first asked. The driver takes from the first answer the time since a command
/// was queued, which must not be before the clock's begin.
pub fn ticks() -> u64 {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let start = START.get_or_init(Instant::now);
    (start.elapsed().as_nanos() * 192 / 10_000) as u64 + u64::from(CLOCK)
}

/// The clock's rate in hertz.
pub const CLOCK: u32 = 19_200_000;

/// Time that a program has to ask whether its queue is banned before the queue goes on without launches.
const GRACE: Duration = Duration::from_secs(2);

/// A queue's command streamer.
pub struct Streamer {
    /// The ban of the queue, if its program can ask for it. After a launch that failed, and some time for the question, no launch is executed any longer,
    /// but all other commands are: a driver that frees memory waits for what they write, without asking again.
    pub ban: Option<Arc<AtomicBool>>,
    lost: bool,
    /// The device.
    pub device: &'static Device,
    /// Options of launches.
    pub settings: Settings,
    /// State of the stream.
    bases: Bases,
    registers: Registers,
    programs: Programs,
    /// Host threads of launches with several groups: a queue waits for no other queue's launch.
    pool: Option<rayon::ThreadPool>,
}

/// Comparison of a semaphore: its number in the command.
fn holds(comparison: u32, value: u32, data: u32) -> bool {
    match comparison {
        0 => value > data,
        1 => value >= data,
        2 => value < data,
        3 => value <= data,
        4 => value == data,
        _ => value != data,
    }
}

impl Streamer {
    /// A streamer in its first state.
    pub fn new(device: &'static Device, settings: Settings) -> Streamer {
        Streamer {
            ban: None,
            lost: false,
            device,
            settings,
            bases: Bases::default(),
            registers: Registers::default(),
            programs: Programs::default(),
            pool: None,
        }
    }

    /// Executes a batch to its end. `space` gives the address space as it now is; `stop` ends a wait.
    ///
    /// # Errors
    /// Nothing is bound at an address, or a launch failed.
    pub fn run(
        &mut self,
        start: u64,
        space: &dyn Fn() -> Arc<Space>,
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        let mut now = space();
        let mut at = start & !3;
        let mut back = Vec::new();
        let mut words = Vec::new();
        let mut left = MOST_COMMANDS;
        loop {
            left = left
                .checked_sub(1)
                .ok_or(Failure::Endless("a batch without an end"))?;
            if stop.load(Relaxed) {
                return Ok(());
            }
            let first = now.dword(at)?;
            words.clear();
            for number in 0..length(first) {
                words.push(now.dword(at + u64::from(number) * 4)?);
            }
            let next = at + words.len() as u64 * 4;
            self.list(at, &words);
            let Some(effect) = effect(first) else {
                at = next;
                continue;
            };
            at = match effect {
                Effect::End => match back.pop() {
                    Some(back) => back,
                    None => return Ok(()),
                },
                Effect::Jump if first & PREDICATED_JUMP != 0 && self.registers.skips() => next,
                Effect::Jump => {
                    if first >> 22 & 1 != 0 {
                        if back.len() == MOST_LEVELS {
                            return Err(Failure::Endless("batches that call each other"));
                        }
                        back.push(next);
                    }
                    match first & INDIRECT_JUMP {
                        0 => address(&words, 1) & !3,
                        _ => self.registers.general(0) & ADDRESS & !3,
                    }
                }
                Effect::Wait => {
                    if !wait(&now, &words, stop)? {
                        return Ok(());
                    }
                    // The driver may have bound memory meanwhile.
                    now = space();
                    left = MOST_COMMANDS;
                    next
                }
                Effect::Walk | Effect::MediaWalk | Effect::Pipe
                    if first & PREDICATED != 0 && self.registers.skips() =>
                {
                    next
                }
                Effect::Walk | Effect::MediaWalk => {
                    now = space();
                    self.walk(&now, &words, stop)?;
                    next
                }
                effect => {
                    self.command(effect, &now, &words)?;
                    next
                }
            };
        }
    }

    /// Executes a command that is no jump.
    ///
    /// # Errors
    /// As [`Streamer::run`].
    pub fn single(
        &mut self,
        words: &[u32],
        space: &Arc<Space>,
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        self.list(0, words);
        match effect(words[0]) {
            Some(Effect::Walk | Effect::MediaWalk) => self.walk(space, words, stop),
            Some(effect) => self.command(effect, space, words),
            None => Ok(()),
        }
    }

    /// Lists a command, if that is wanted.
    fn list(&self, at: u64, words: &[u32]) {
        if self.settings.commands {
            let words: Vec<_> = words.iter().map(|word| format!("{word:08x}")).collect();
            let thread = std::thread::current().id();
            eprintln!("kiln gpu: {thread:?} {at:#x} {}", words.join(" "));
        }
    }

    fn walk(
        &mut self,
        space: &Arc<Space>,
        words: &[u32],
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        if words.len() == media::WALKER_DWORDS {
            let platform = self.device.platform();
            let launch = media::launch(words, space, &self.bases, platform)?;
            return self.launch(space, launch, stop);
        }
        let Some(walker) = Walker::new(words) else {
            report::unknown(format_args!(
                "a walker of {} dwords is not implemented",
                words.len()
            ));
            return Ok(());
        };
        let started = ticks();
        let launch = walker.launch(space, &self.bases, self.device.platform());
        self.launch(space, launch, stop)?;
        match walker.post() {
            (1, at, value) => space.set_qword(at, value)?,
            (3, at, _) => {
                // Start and end of the context, and of the clock that all contexts share.
                let end = ticks();
                for (number, value) in (0..).zip([started, started, end, end]) {
                    match walker.wide_clock() {
                        true => space.set_qword(at.wrapping_add(number * 8), value)?,
                        false => space.set_dword(at.wrapping_add(number * 4), value as u32)?,
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn launch(
        &mut self,
        space: &Arc<Space>,
        launch: Launch,
        stop: &AtomicBool,
    ) -> Result<(), Failure> {
        if self.lost {
            return Ok(());
        }
        if self.pool.is_none() && launch.groups != [1; 3] {
            let pool = rayon::ThreadPoolBuilder::new().thread_name(|_| "kiln-gpu".into());
            // Without threads, this one executes all groups.
            self.pool = pool.build().ok();
        }
        let options = Options {
            check: self.settings.check,
            engine: self.settings.engine,
            stop: Some(stop),
            pool: self.pool.as_ref(),
            ..Options::default()
        };
        let (bases, programs) = (&self.bases, &mut self.programs);
        let budget = self.settings.budget;
        let arguments = &launch.arguments;
        let states = launch.states(space, bases, self.device);
        let (groups, first) = (launch.groups, launch.first);
        let record = record::begin(space, &states, launch.code, arguments, groups, first);
        let started = Instant::now();
        match launch.run(space, bases, programs, self.device, &options, budget) {
            Ok(stats) => {
                report::launched(&stats, started.elapsed());
                if let Some(record) = record {
                    record.end(space);
                }
            }
            Err(Failure::Run(error)) if self.settings.goes_on => report::fault(error),
            Err(failure) => match (failure, &self.ban) {
                (Failure::Run(error), Some(ban)) => {
                    report::fault(error);
                    ban.store(true, Relaxed);
                    let start = Instant::now();
                    while !stop.load(Relaxed) && start.elapsed() < GRACE {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    self.lost = true;
                }
                (failure, _) => return Err(failure),
            },
        }
        Ok(())
    }

    fn command(&mut self, effect: Effect, space: &Space, c: &[u32]) -> Result<(), Failure> {
        let word = |at: usize| c.get(at).copied().unwrap_or(0);
        match effect {
            Effect::StoreData => {
                let at = address(c, 1) & !3;
                match c[0] >> 21 & 1 {
                    0 => space.set_dword(at, word(3))?,
                    _ => space.set_qword(at, u64::from(word(3)) | u64::from(word(4)) << 32)?,
                }
            }
            Effect::LoadRegister => {
                for pair in c[1..].chunks_exact(2) {
                    self.registers.set(pair[0], pair[1]);
                }
            }
            Effect::StoreRegister => {
                space.set_dword(address(c, 2) & !3, self.registers.get(word(1)))?;
            }
            Effect::LoadRegisterMemory => {
                let value = space.dword(address(c, 2) & !3)?;
                self.registers.set(word(1), value);
            }
            Effect::CopyRegister => {
                let value = self.registers.get(word(1));
                self.registers.set(word(2), value);
            }
            Effect::Predicate => self.registers.set_predicate(c[0] & 15),
            Effect::Compute => self.registers.compute(&c[1..]),
            Effect::Atomic => atomic(space, c)?,
            Effect::Flush => post(space, c[0] >> 14 & 3, address(c, 1), pair(c, 3))?,
            Effect::Pipe => post(space, word(1) >> 14 & 3, address(c, 2), pair(c, 4))?,
            Effect::MemoryCopy if c.len() >= 9 => blit::memory_copy(space, c)?,
            Effect::MemorySet if c.len() >= 7 => blit::memory_set(space, c)?,
            Effect::BlockCopy if c.len() >= 12 => blit::block_copy(space, c, self.device.tiling)?,
            Effect::Color if c.len() >= 11 => blit::color(space, c, self.device.tiling)?,
            Effect::Bases => self.set_bases(c),
            Effect::TablePool if word(1) >> 11 & 1 != 0 => {
                self.bases.tables = address(c, 1) & !0xfff
            }
            Effect::FrontEnd => self.bases.scratch = u64::from(word(1) >> 10) << 6,
            Effect::MediaFrontEnd => self.bases.scratch = address(c, 1),
            Effect::Descriptors => self.bases.descriptors = word(3).into(),
            _ => {}
        }
        Ok(())
    }

    fn set_bases(&mut self, c: &[u32]) {
        let bases = &mut self.bases;
        let places = [
            (&mut bases.general, 1),
            (&mut bases.surface, 4),
            (&mut bases.dynamic, 6),
            (&mut bases.indirect, 8),
            (&mut bases.instruction, 10),
            (&mut bases.bindless, 16),
            (&mut bases.bindless_samplers, 19),
        ];
        for (place, at) in places {
            if c.len() > at + 1 && c[at] & 1 != 0 {
                *place = address(c, at) & !0xfff;
                if at == 4 {
                    bases.tables = address(c, at) & !0xfff;
                }
            }
        }
    }
}

/// An operation after others: a store of a number, or of the clock.
fn post(space: &Space, operation: u32, at: u64, value: u64) -> Result<(), Fault> {
    match operation {
        1 => space.set_qword(at & !7, value),
        3 => space.set_qword(at & !7, ticks()),
        _ => Ok(()),
    }
}

/// Waits for a semaphore; false if the queue ends before.
fn wait(space: &Space, c: &[u32], stop: &AtomicBool) -> Result<bool, Fault> {
    let at = address(c, 2) & !3;
    let mut tries = 0u32;
    while !holds(c[0] >> 12 & 7, space.dword(at)?, c[1]) {
        if stop.load(Relaxed) {
            return Ok(false);
        }
        tries = tries.saturating_add(1);
        match tries {
            0..200 => std::thread::yield_now(),
            _ => std::thread::sleep(Duration::from_micros(50)),
        }
    }
    Ok(true)
}

/// `MI_ATOMIC` with dwords, not atomic among queues but for the store.
fn atomic(space: &Space, c: &[u32]) -> Result<(), Fault> {
    let at = address(c, 1) & !3;
    let (old, operand) = (space.dword(at)?, c.get(3).copied().unwrap_or(0));
    let new = match c[0] >> 8 & 0xff {
        0x04 => operand,
        0x05 => old.wrapping_add(1),
        0x06 => old.wrapping_sub(1),
        0x07 => old.wrapping_add(operand),
        operation => {
            report::unknown(format_args!(
                "MI_ATOMIC operation {operation:#x} is not implemented"
            ));
            old
        }
    };
    space.set_dword(at, new)
}
