//! The state of one thread: registers, execution mask, mode bits.
//!
//! Register files are byte arrays, so that a region of any type is read from any of them the same
//! way. The accumulators' integer lanes are wider than what a register holds: they are kept apart,
//! as [`Accumulators::wide`].

use kiln_emit::platform::{Platform, StateRegister};
use kiln_emit::verify::scoreboard::Board;

use super::defined::Defined;
use super::error::Cause;
use super::operation::File;
use super::wide::Rounding;

/// Channels a thread has at most.
pub const LANES: usize = 32;
/// Bytes of a general register, or of an accumulator, at most.
const REGISTER_MAX: usize = 64;
/// `acc0`-`acc15`, of which early families have two, and the eight special accumulators `mme0`-`mme7`
/// behind them, with room for an operand that begins in the last of them. They are apart: macro steps
/// have both where there are more than two.
const ACC_COUNT: usize = 26;
/// The number of the accumulator that `mme0` is.
pub const MME_BASE: u32 = 16;
/// Lanes of an accumulator at most (of word type).
const ACC_LANES: usize = REGISTER_MAX / 2;
/// Bytes of the flag registers at most.
const FLAG_BYTES: usize = 16;
/// Bytes of the address register at most.
pub const ADDR_BYTES: usize = 32;

/// Bytes of the scalar register.
const SCALAR_BYTES: usize = 64;

/// Bits of `cr0.0`: numbers below the normal ones are kept (not flushed to zero) when set, for
/// `df`, `f` and `hf`.
const DENORM_DF: u32 = 1 << 6;
const DENORM_F: u32 = 1 << 7;
const DENORM_HF: u32 = 1 << 10;

/// Bit of `cr0.0`: singles without infinities and what is not a number.
const ALT_MODE: u8 = 1;

/// What bytes hold that nobody wrote: no plausible value, so that its use is seen.
pub const UNDEFINED: u8 = 0xba;

/// A mask of the lowest `n` channels.
pub fn low_mask(n: usize) -> u32 {
    if n >= LANES { u32::MAX } else { (1 << n) - 1 }
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

/// What a thread is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Running,
    /// In `wait`, until its notification count is not zero.
    Waiting,
    /// Before an operation that it executes together with the other thread of its fused pair.
    Paired,
    Ended,
}

/// How floating-point results are rounded and denormals treated: `cr0.0`, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloatMode {
    pub rounding: Rounding,
    pub flush_df: bool,
    pub flush_f: bool,
    pub flush_hf: bool,
}

/// The accumulator registers.
pub struct Accumulators {
    pub bytes: [u8; ACC_COUNT * REGISTER_MAX],
    /// The integer value of each lane, [`ACC_LANES`] a register, with the bits that `bytes` cannot
    /// hold.
    wide: [i64; ACC_COUNT * ACC_LANES],
    /// Bytes of an accumulator, as a power of two.
    register_log: u32,
}

impl Accumulators {
    /// The integer value of the element of `size` bytes at byte `at` of the file.
    pub fn wide(&self, at: usize, size: usize) -> Option<i64> {
        self.wide.get(self.lane(at, size)).copied()
    }

    /// The same, to be written.
    pub fn wide_mut(&mut self, at: usize, size: usize) -> Option<&mut i64> {
        let lane = self.lane(at, size);
        self.wide.get_mut(lane)
    }

    fn lane(&self, at: usize, size: usize) -> usize {
        let within = at & ((1 << self.register_log) - 1);
        (at >> self.register_log) * ACC_LANES + within / size
    }

    /// Records that bytes were written that are no integer lanes.
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

/// One thread.
pub struct Thread {
    pub platform: &'static Platform,
    pub grf: Box<[u8]>,
    pub acc: Box<Accumulators>,
    pub addr: [u8; ADDR_BYTES],
    pub flags: [u8; FLAG_BYTES],
    pub control: [u8; 16],
    pub state: [u8; 16],
    pub message_control: [u8; 16],
    /// `s0`: numbers of registers whose contents a message gathers.
    pub scalar: [u8; SCALAR_BYTES],
    pub notification: [u8; 12],
    pub timestamp: [u8; 20],
    /// The operation that is executed next, by its index in the program.
    pub ip: u32,
    /// Channels that execute at `ip`.
    pub active: u32,
    /// Channels that wait for `ip` to reach their entry of `wake`.
    pub waiting: u32,
    /// Channels of the innermost call: others wait whatever `ip` is.
    pub called: u32,
    pub wake: [u32; LANES],
    pub status: Status,
    /// Instructions executed.
    pub executed: u64,
    pub mode: FloatMode,
    /// Its number in the group.
    pub number: u32,
    /// Which bytes of the general registers are defined, if that is recorded.
    pub defined: Option<Box<Defined>>,
    /// What its instructions may still be doing, if that is recorded.
    pub board: Option<Box<Board>>,
    /// Where its scratch space is among that of all threads, and how many bytes it has. Where the header
    /// says where it is, the first is what `r0.5` says.
    pub scratch: u32,
    pub scratch_bytes: u32,
}

impl Thread {
    /// A platform's thread about to execute its first instruction on the channels of `dispatch`.
    pub fn new(number: u32, dispatch: u32, platform: &'static Platform) -> Thread {
        let mut thread = Thread {
            platform,
            grf: vec![UNDEFINED; File::Grf.bytes(platform)].into_boxed_slice(),
            acc: Box::new(Accumulators {
                bytes: [0; ACC_COUNT * REGISTER_MAX],
                wide: [0; ACC_COUNT * ACC_LANES],
                register_log: platform.grf_bytes.ilog2(),
            }),
            addr: [0; ADDR_BYTES],
            flags: [0; FLAG_BYTES],
            control: [0; 16],
            state: [0; 16],
            message_control: [0; 16],
            scalar: [0; SCALAR_BYTES],
            notification: [0; 12],
            timestamp: [0; 20],
            ip: 0,
            active: dispatch,
            waiting: 0,
            called: u32::MAX,
            wake: [0; LANES],
            status: Status::Running,
            executed: 0,
            mode: FloatMode {
                rounding: Rounding::NearestEven,
                flush_df: true,
                flush_f: true,
                flush_hf: true,
            },
            number,
            defined: None,
            board: None,
            scratch: 0,
            scratch_bytes: 0,
        };
        // Which thread of the machine it is: private memory goes by it.
        let mut rest = number;
        for digit in platform.thread_number {
            let part = (rest % digit.count) << digit.low;
            rest /= digit.count;
            let dword = match digit.register {
                StateRegister::Thread => &mut thread.state,
                StateRegister::Message => &mut thread.message_control,
            };
            for (byte, bits) in dword.iter_mut().zip(part.to_le_bytes()) {
                *byte |= bits;
            }
        }
        // sr0.2: the dispatch mask.
        thread.state[8..12].copy_from_slice(&dispatch.to_le_bytes());
        thread
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

    /// Takes on the modes of `cr0.0` after it was written.
    pub fn change_mode(&mut self) -> Result<(), Cause> {
        if self.control[0] & ALT_MODE != 0 {
            return Err(Cause::Form {
                what: "the alternative mode of singles (cr0.0 bit 0)",
            });
        }
        self.update_mode();
        Ok(())
    }

    /// Decodes `cr0.0`.
    pub fn update_mode(&mut self) {
        let [a, b, c, d, ..] = self.control;
        let bits = u32::from_le_bytes([a, b, c, d]);
        self.mode = FloatMode {
            rounding: Rounding::from_bits(bits >> 4),
            flush_df: bits & DENORM_DF == 0,
            flush_f: bits & DENORM_F == 0,
            flush_hf: bits & DENORM_HF == 0,
        };
    }

    /// Sets `tm0` to the instructions executed so far: a clock that only moves forward.
    pub fn update_timestamp(&mut self) {
        let now = self.executed.to_le_bytes();
        self.timestamp[..8].copy_from_slice(&now);
    }
}
