//! The state of one thread: registers, execution mask, mode bits.
//!
//! Register files are byte arrays, so that regions of any type are read from all of them in the same way. The
//! accumulators' lanes of integers and native floats are wider than a register's and kept apart, in
//! [`Accumulators::wide`].
//!
//! [`Thread`] has its fields in the order in which they are declared, the files first: translated code finds them at
//! fixed distances from its start. A group's threads are made once and reset for each group.

use std::fmt;
use std::ops::{Deref, DerefMut, Range};

use kiln_emit::inst::{Reg, RegFile};
use kiln_emit::platform::{Platform, StateRegister};
use kiln_emit::verify::scoreboard::Board;

use super::cause::Cause;
use super::defined::Defined;
use super::lanes::LANES;
use super::wide::Rounding;

/// Maximum number of barriers of a group.
pub const BARRIERS: usize = 32;

/// Maximum size of a general register, or of an accumulator, in bytes.
const REGISTER_MAX: usize = 64;
/// Maximum size of the general registers together in bytes.
const GRF_MAX: usize = 256 * REGISTER_MAX;
/// Bytes after the general registers that belong to none, so that a vector that begins in the last one can be read whole.
const SPARE: usize = 64;
/// Number of accumulators: `acc0`-`acc15`, of which early families have two, and the eight special accumulators
/// `mme0`-`mme7`, with room for an operand that begins in the last of them. They are separate, because macro steps
/// use both where there are more than two.
const ACC_COUNT: usize = 26;
/// Number of the accumulator that `mme0` is.
pub const MME_BASE: u32 = 16;
/// Maximum number of lanes of an accumulator (of word type).
const ACC_LANES: usize = REGISTER_MAX / 2;
/// Maximum size of the flag registers in bytes.
const FLAG_BYTES: usize = 16;
/// Maximum size of the address register in bytes.
pub const ADDR_BYTES: usize = 32;

/// Size of the scalar register in bytes.
const SCALAR_BYTES: usize = 64;

/// Bits of `cr0.0` that keep denormals instead of flushing them to zero, for `df`, `f` and `hf`.
const DENORM_DF: u32 = 1 << 6;
const DENORM_F: u32 = 1 << 7;
const DENORM_HF: u32 = 1 << 10;

/// Bit of `cr0.0` for singles without infinities and NaNs.
const ALT_MODE: u8 = 1;

/// Initial contents of bytes: no plausible value, so that a use is noticed.
pub const UNDEFINED: u8 = 0xba;

/// A register file that is an array of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    Grf,
    Acc,
    Addr,
    Flag,
    Control,
    State,
    MessageControl,
    Scalar,
    Notification,
    Timestamp,
}

impl File {
    /// Bytes of the file on a platform.
    pub fn bytes(self, platform: &Platform) -> usize {
        match self {
            File::Grf => (platform.grf_bytes * platform.grf_count) as usize,
            File::Acc => ACC_COUNT * platform.grf_bytes as usize,
            File::Addr => platform.addr_bytes as usize,
            File::Flag => platform.flag_count as usize * 4,
            File::Control | File::State | File::MessageControl => 16,
            File::Scalar => SCALAR_BYTES,
            File::Notification => 12,
            File::Timestamp => 20,
        }
    }
}

/// State of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Running,
    /// In `wait`, until its notification count is not zero.
    Waiting,
    /// At an operation that both threads of a fused pair execute together.
    Paired,
    Ended,
}

/// Rounding and treatment of denormals: `cr0.0`, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatMode {
    pub rounding: Rounding,
    pub flush_df: bool,
    pub flush_f: bool,
    pub flush_hf: bool,
}

impl FloatMode {
    /// The mode in which a thread starts: `cr0` is zero.
    pub const INITIAL: FloatMode = FloatMode {
        rounding: Rounding::NearestEven,
        flush_df: true,
        flush_f: true,
        flush_hf: true,
    };

    /// Decodes `cr0.0`.
    pub fn of(bits: u32) -> FloatMode {
        FloatMode {
            rounding: Rounding::from_bits(bits >> 4),
            flush_df: bits & DENORM_DF == 0,
            flush_f: bits & DENORM_F == 0,
            flush_hf: bits & DENORM_HF == 0,
        }
    }

    /// Bits of `cr0.0` that [`FloatMode::of`] decodes to this mode; the others are zero.
    pub fn bits(self) -> u32 {
        let kept = |flush: bool, bit: u32| if flush { 0 } else { bit };
        (self.rounding as u32) << 4
            | kept(self.flush_df, DENORM_DF)
            | kept(self.flush_f, DENORM_F)
            | kept(self.flush_hf, DENORM_HF)
    }
}

/// The general registers: as many bytes as the platform has.
#[repr(C, align(64))]
pub struct Grf {
    bytes: [u8; GRF_MAX + SPARE],
    len: usize,
}

impl Deref for Grf {
    type Target = [u8];

    #[inline(always)]
    fn deref(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

impl DerefMut for Grf {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut [u8] {
        self.bytes.get_mut(..self.len).unwrap_or_default()
    }
}

/// The accumulator registers.
#[repr(C, align(64))]
pub struct Accumulators {
    pub bytes: [u8; ACC_COUNT * REGISTER_MAX],
    /// Full value of each lane, [`ACC_LANES`] per register: an integer, or the double of a native float.
    pub wide: [i64; ACC_COUNT * ACC_LANES],
    /// Logarithm of an accumulator's size in bytes.
    register_log: u32,
}

impl Accumulators {
    /// Makes those zero that begin in the first bytes.
    fn reset(&mut self, bytes: usize) {
        let count = bytes.div_ceil(1 << self.register_log).min(ACC_COUNT);
        self.bytes[..count << self.register_log].fill(0);
        self.wide[..count * ACC_LANES].fill(0);
    }

    /// Full value of the element of `size` bytes at byte `at` of the file.
    pub fn wide(&self, at: usize, size: usize) -> Option<i64> {
        self.wide.get(self.lane(at, size)).copied()
    }

    /// Full value of an element, mutable.
    pub fn wide_mut(&mut self, at: usize, size: usize) -> Option<&mut i64> {
        let lane = self.lane(at, size);
        self.wide.get_mut(lane)
    }

    fn lane(&self, at: usize, size: usize) -> usize {
        let within = at & ((1 << self.register_log) - 1);
        (at >> self.register_log) * ACC_LANES + within / size
    }

    /// Index in [`Accumulators::wide`] of an element, given the size of a register.
    pub fn lane_of(at: usize, size: usize, register: usize) -> usize {
        at / register * ACC_LANES + at % register / size
    }

    /// Resets the full value of an element whose bytes were written otherwise.
    pub fn forget_wide(&mut self, at: usize, size: usize) {
        let mut word = [0; 8];
        if let Some(bytes) = self.bytes.get(at..at + size) {
            word[..size].copy_from_slice(bytes);
        }
        if let Some(wide) = self.wide_mut(at, size) {
            *wide = i64::from_le_bytes(word);
        }
    }
}

/// State that code can change, so that starting a thread of it need not reset the rest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Ranges of bytes of the general registers, in order and apart.
    pub grf: Vec<Range<usize>>,
    /// Bytes of the accumulators, from the first one on.
    pub accumulators: usize,
}

impl Written {
    /// State with ranges of the general registers in any order.
    pub fn new(mut ranges: Vec<Range<usize>>, accumulators: usize) -> Written {
        ranges.sort_by_key(|range| range.start);
        let mut grf: Vec<Range<usize>> = Vec::new();
        for range in ranges.into_iter().filter(|range| !range.is_empty()) {
            match grf.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => grf.push(range),
            }
        }
        Written { grf, accumulators }
    }
}

/// One thread.
#[repr(C)]
pub struct Thread {
    pub grf: Grf,
    pub acc: Accumulators,
    pub addr: [u8; ADDR_BYTES],
    pub flags: [u8; FLAG_BYTES],
    pub control: [u8; 16],
    pub state: [u8; 16],
    pub message_control: [u8; 16],
    /// `s0`: numbers of registers whose contents a message gathers.
    pub scalar: [u8; SCALAR_BYTES],
    pub notification: [u8; 12],
    pub timestamp: [u8; 20],
    /// Index of the next operation.
    pub ip: u32,
    /// Channels that execute at `ip`.
    pub active: u32,
    /// Channels that wait for `ip` to reach their entry of `wake`.
    pub waiting: u32,
    /// Channels of the innermost call; all others wait wherever `ip` is.
    pub called: u32,
    pub wake: [u32; LANES],
    pub platform: &'static Platform,
    pub status: Status,
    /// Number of executed instructions.
    pub executed: u64,
    pub mode: FloatMode,
    /// Index in the group.
    pub number: u32,
    /// Defined bytes of the general registers, if they are tracked.
    pub defined: Option<Box<Defined>>,
    /// Unfinished accesses of its instructions, if they are tracked.
    pub board: Option<Box<Board>>,
    /// Offset of the thread's scratch space among that of all threads, and its size in bytes. If the header has the
    /// space's address, the offset is `r0.5`.
    pub scratch: u32,
    pub scratch_bytes: u32,
}

impl Thread {
    /// A platform's thread about to execute its first instruction on the channels of `dispatch`.
    pub fn new(number: u32, dispatch: u32, platform: &'static Platform) -> Thread {
        let mut thread = Thread {
            grf: Grf {
                bytes: [UNDEFINED; GRF_MAX + SPARE],
                len: File::Grf.bytes(platform).min(GRF_MAX),
            },
            acc: Accumulators {
                bytes: [0; ACC_COUNT * REGISTER_MAX],
                wide: [0; ACC_COUNT * ACC_LANES],
                register_log: platform.grf_bytes.ilog2(),
            },
            addr: [0; ADDR_BYTES],
            flags: [0; FLAG_BYTES],
            control: [0; 16],
            state: [0; 16],
            message_control: [0; 16],
            scalar: [0; SCALAR_BYTES],
            notification: [0; 12],
            timestamp: [0; 20],
            ip: 0,
            active: 0,
            waiting: 0,
            called: 0,
            wake: [0; LANES],
            platform,
            status: Status::Running,
            executed: 0,
            mode: FloatMode::INITIAL,
            number,
            defined: None,
            board: None,
            scratch: 0,
            scratch_bytes: 0,
        };
        thread.reset(number, dispatch, &Written::new(Vec::new(), 0));
        thread
    }

    /// Takes over the state of another thread of the platform. What is tracked for checks is not.
    pub fn copy_state(&mut self, other: &Thread) {
        self.grf.copy_from_slice(&other.grf);
        self.acc.bytes = other.acc.bytes;
        self.acc.wide = other.acc.wide;
        self.addr = other.addr;
        self.flags = other.flags;
        self.control = other.control;
        self.state = other.state;
        self.message_control = other.message_control;
        self.scalar = other.scalar;
        self.notification = other.notification;
        self.timestamp = other.timestamp;
        self.ip = other.ip;
        self.active = other.active;
        self.waiting = other.waiting;
        self.called = other.called;
        self.wake = other.wake;
        self.status = other.status;
        self.executed = other.executed;
        self.mode = other.mode;
        self.number = other.number;
        self.scratch = other.scratch;
        self.scratch_bytes = other.scratch_bytes;
    }

    /// Makes it a thread as [`Thread::new`] does, of the same platform, after code that can change this state.
    pub fn reset(&mut self, number: u32, dispatch: u32, written: &Written) {
        let len = self.grf.len();
        for range in &written.grf {
            self.grf[range.start.min(len)..range.end.min(len)].fill(UNDEFINED);
        }
        self.acc.reset(written.accumulators);
        self.addr = [0; _];
        self.flags = [0; _];
        self.control = [0; _];
        self.scalar = [0; _];
        self.notification = [0; _];
        self.timestamp = [0; _];
        self.ip = 0;
        self.active = dispatch;
        self.waiting = 0;
        self.called = u32::MAX;
        self.wake = [0; _];
        self.status = Status::Running;
        self.executed = 0;
        self.mode = FloatMode::INITIAL;
        self.number = number;
        self.defined = None;
        self.board = None;
        self.scratch = 0;
        self.scratch_bytes = 0;
        // The thread's number in the machine, which selects its private memory. Dwords are stored once: a load after stores of
        // its bytes waits for them.
        let (mut rest, mut state, mut message_control) = (number, 0, 0);
        for digit in self.platform.thread_number {
            let dword = match digit.register {
                StateRegister::Thread => &mut state,
                StateRegister::Message => &mut message_control,
            };
            *dword |= (rest % digit.count) << digit.low;
            rest /= digit.count;
        }
        // sr0.2 is the dispatch mask.
        self.state = bytes([state, 0, dispatch, 0]);
        self.message_control = bytes([message_control, 0, 0, 0]);
    }

    /// A register file's bytes.
    pub fn file(&self, file: File) -> &[u8] {
        match file {
            File::Grf => &self.grf,
            File::Acc => &self.acc.bytes[..file.bytes(self.platform)],
            File::Addr => &self.addr,
            File::Flag => &self.flags[..file.bytes(self.platform)],
            File::Control => &self.control,
            File::State => &self.state,
            File::MessageControl => &self.message_control,
            File::Scalar => &self.scalar,
            File::Notification => &self.notification,
            File::Timestamp => &self.timestamp,
        }
    }

    /// As [`Thread::file`], to be written.
    pub fn file_mut(&mut self, file: File) -> &mut [u8] {
        match file {
            File::Grf => &mut self.grf,
            File::Acc => &mut self.acc.bytes[..file.bytes(self.platform)],
            File::Addr => &mut self.addr,
            File::Flag => &mut self.flags[..file.bytes(self.platform)],
            File::Control => &mut self.control,
            File::State => &mut self.state,
            File::MessageControl => &mut self.message_control,
            File::Scalar => &mut self.scalar,
            File::Notification => &mut self.notification,
            File::Timestamp => &mut self.timestamp,
        }
    }

    /// Bytes of a general register.
    pub fn register_bytes(&self) -> usize {
        self.platform.grf_bytes as usize
    }

    /// A dword of a general register.
    pub fn grf_dword(&self, at: usize) -> u32 {
        match self.grf.get(at..at + 4) {
            Some(b) => u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
            None => 0,
        }
    }

    /// All flag bits, those of `f0` lowest.
    pub fn flag_bits(&self) -> u128 {
        u128::from_le_bytes(self.flags)
    }

    /// Replaces the flag bits of `mask` by those of `bits`.
    pub fn set_flag_bits(&mut self, mask: u128, bits: u128) {
        self.flags = (self.flag_bits() & !mask | bits & mask).to_le_bytes();
    }

    /// `cr0.0`.
    pub fn control_bits(&self) -> u32 {
        let [a, b, c, d, ..] = self.control;
        u32::from_le_bytes([a, b, c, d])
    }

    /// Decodes `cr0.0` after a write; refuses unsupported modes.
    pub fn change_mode(&mut self) -> Result<(), Cause> {
        if self.control[0] & ALT_MODE != 0 {
            return Err(Cause::Form {
                what: "the alternative mode of singles (cr0.0 bit 0)",
            });
        }
        self.update_mode();
        Ok(())
    }

    /// Sets `cr0.0` of a thread that has just been reset.
    pub fn start_control(&mut self, bits: u32) {
        self.control = bytes([bits, 0, 0, 0]);
        self.mode = FloatMode::of(bits);
    }

    /// Decodes `cr0.0`.
    pub fn update_mode(&mut self) {
        self.mode = FloatMode::of(self.control_bits());
    }

    /// Sets `tm0` to the instructions executed so far: a clock that only moves forward.
    pub fn update_timestamp(&mut self) {
        let now = self.executed.to_le_bytes();
        self.timestamp[..8].copy_from_slice(&now);
    }

    /// `n0.0`.
    pub fn notified(&self) -> [u8; 4] {
        let [a, b, c, d, ..] = self.notification;
        [a, b, c, d]
    }

    /// Records that a barrier is complete: one more notification, or its bit.
    pub fn notify(&mut self, barrier: usize) {
        let before = u32::from_le_bytes(self.notified());
        let after = match self.platform.barriers {
            0 | 1 => before.saturating_add(1),
            _ => before | 1 << (barrier % BARRIERS),
        };
        self.notification[..4].copy_from_slice(&after.to_le_bytes());
        if self.status == Status::Waiting {
            self.status = Status::Running;
        }
    }

    /// Marks bytes of the general registers as defined, if they are tracked.
    #[inline]
    pub fn define(&mut self, at: usize, size: usize) {
        if let Some(defined) = &mut self.defined {
            defined.set(at, size, true);
        }
    }

    /// Checks that a message's bytes are defined, if they are tracked.
    #[inline]
    pub fn sent(&self, at: usize, size: usize) -> Result<(), Cause> {
        match self.defined.as_ref().and_then(|d| d.missing(at, size)) {
            None => Ok(()),
            Some(byte) => Err(Cause::UndefinedSent {
                register: (byte / self.register_bytes()) as u32,
                byte: (byte % self.register_bytes()) as u32,
            }),
        }
    }
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            File::Grf => "r",
            File::Acc => "acc",
            File::Addr => "a",
            File::Flag => "f",
            File::Control => "cr",
            File::State => "sr",
            File::MessageControl => "msg",
            File::Scalar => "s",
            File::Notification => "n",
            File::Timestamp => "tm",
        })
    }
}

fn bytes(dwords: [u32; 4]) -> [u8; 16] {
    let [a, b, c, d] = dwords.map(u128::from);
    (a | b << 32 | c << 64 | d << 96).to_le_bytes()
}

/// A register's file, and its first byte there.
pub fn file_of(reg: Reg, platform: &'static Platform) -> Result<(File, usize), Cause> {
    let bytes = platform.grf_bytes as usize;
    let (file, size, first) = match reg.file {
        RegFile::Grf => (File::Grf, bytes, 0),
        RegFile::Acc => (File::Acc, bytes, 0),
        RegFile::Mme => (File::Acc, bytes, MME_BASE as usize),
        RegFile::Flag => (File::Flag, 4, 0),
        // These files have one register.
        RegFile::Addr => (File::Addr, 0, 0),
        RegFile::Control => (File::Control, 0, 0),
        RegFile::State => (File::State, 0, 0),
        RegFile::MessageControl => (File::MessageControl, 0, 0),
        RegFile::Scalar => (File::Scalar, 0, 0),
        RegFile::Notification => (File::Notification, 0, 0),
        RegFile::Timestamp => (File::Timestamp, 0, 0),
        file => return Err(Cause::Register { file, num: reg.num }),
    };
    Ok((
        file,
        (reg.num as usize + first) * size + usize::from(reg.byte),
    ))
}
