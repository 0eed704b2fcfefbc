//! The state of one thread: registers, execution mask, mode bits.
//!
//! Register files are byte arrays, so that a region of any type is read from any of them the same
//! way. The accumulators' integer lanes are wider than what a register holds: they are kept apart,
//! as [`Accumulators::wide`].

use super::defined::Defined;
use super::error::Cause;
use super::operation::File;
use super::wide::Rounding;

/// Channels a thread has at most.
pub const LANES: usize = 32;
/// Bytes of a general register.
pub const GRF_BYTES: usize = 32;
/// General registers of a thread.
pub const GRF_COUNT: usize = 128;
/// Bytes of the general register file.
pub const GRF_FILE: usize = GRF_BYTES * GRF_COUNT;
/// `acc0`-`acc1`, and the eight special accumulators `mme0`-`mme7` after them (as `acc2`-`acc9`).
pub const ACC_COUNT: usize = 10;
/// The number of the accumulator that `mme0` is.
pub const MME_BASE: u32 = 2;
/// Lanes of an accumulator at most (of word type).
const ACC_LANES: usize = 16;

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
    /// Bytes of the file.
    pub const fn bytes(self) -> usize {
        match self {
            File::Grf => GRF_FILE,
            File::Acc => ACC_COUNT * GRF_BYTES,
            File::Addr => 32,
            File::Flag => 8,
            File::Control | File::State => 16,
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
    pub bytes: [u8; ACC_COUNT * GRF_BYTES],
    /// The integer value of each lane, sixteen a register, with the bits that `bytes` cannot hold.
    pub wide: [i64; ACC_COUNT * ACC_LANES],
}

impl Accumulators {
    /// Where in `wide` the element of `size` bytes at byte `at` of the file is.
    pub fn lane(at: usize, size: usize) -> usize {
        at / GRF_BYTES * ACC_LANES + at % GRF_BYTES / size
    }

    /// Records that bytes were written that are no integer lanes.
    pub fn forget_wide(&mut self, at: usize, size: usize) {
        let mut word = [0; 8];
        if let Some(bytes) = self.bytes.get(at..at + size) {
            word[..size].copy_from_slice(bytes);
        }
        if let Some(lane) = self.wide.get_mut(Self::lane(at, size)) {
            *lane = i64::from_le_bytes(word);
        }
    }
}

/// One thread.
pub struct Thread {
    pub grf: Box<[u8; GRF_FILE]>,
    pub acc: Box<Accumulators>,
    pub addr: [u8; File::Addr.bytes()],
    pub flags: [u8; File::Flag.bytes()],
    pub control: [u8; File::Control.bytes()],
    pub state: [u8; File::State.bytes()],
    pub notification: [u8; File::Notification.bytes()],
    pub timestamp: [u8; File::Timestamp.bytes()],
    /// The operation that is executed next, by its index in the program.
    pub ip: u32,
    /// Channels that execute at `ip`.
    pub active: u32,
    /// Channels that wait for `ip` to reach their entry of `wake`.
    pub waiting: u32,
    pub wake: [u32; LANES],
    pub status: Status,
    /// Instructions executed.
    pub executed: u64,
    pub mode: FloatMode,
    /// Its number in the group.
    pub number: u32,
    /// Which bytes of the general registers are defined, if that is recorded.
    pub defined: Option<Box<Defined>>,
    /// What `r0.5` told it of its scratch space: the offset from the general state base.
    pub scratch: u32,
}

impl Thread {
    /// A thread about to execute its first instruction on the channels of `dispatch`.
    pub fn new(number: u32, dispatch: u32) -> Thread {
        let mut thread = Thread {
            grf: Box::new([UNDEFINED; GRF_FILE]),
            acc: Box::new(Accumulators {
                bytes: [0; ACC_COUNT * GRF_BYTES],
                wide: [0; ACC_COUNT * ACC_LANES],
            }),
            addr: [0; File::Addr.bytes()],
            flags: [0; File::Flag.bytes()],
            control: [0; File::Control.bytes()],
            state: [0; File::State.bytes()],
            notification: [0; File::Notification.bytes()],
            timestamp: [0; File::Timestamp.bytes()],
            ip: 0,
            active: dispatch,
            waiting: 0,
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
            scratch: 0,
        };
        // sr0.2: the dispatch mask.
        thread.state[8..12].copy_from_slice(&dispatch.to_le_bytes());
        thread
    }

    /// A register file's bytes.
    pub fn file(&self, file: File) -> &[u8] {
        match file {
            File::Grf => &*self.grf,
            File::Acc => &self.acc.bytes,
            File::Addr => &self.addr,
            File::Flag => &self.flags,
            File::Control => &self.control,
            File::State => &self.state,
            File::Notification => &self.notification,
            File::Timestamp => &self.timestamp,
        }
    }

    /// As [`Thread::file`], to be written.
    pub fn file_mut(&mut self, file: File) -> &mut [u8] {
        match file {
            File::Grf => &mut *self.grf,
            File::Acc => &mut self.acc.bytes,
            File::Addr => &mut self.addr,
            File::Flag => &mut self.flags,
            File::Control => &mut self.control,
            File::State => &mut self.state,
            File::Notification => &mut self.notification,
            File::Timestamp => &mut self.timestamp,
        }
    }

    /// A dword of a general register.
    pub fn grf_dword(&self, at: usize) -> u32 {
        match self.grf.get(at..at + 4) {
            Some(b) => u32::from_le_bytes([b[0], b[1], b[2], b[3]]),
            None => 0,
        }
    }

    /// All flag bits: `f0` in the lower half, `f1` in the upper.
    pub fn flag_bits(&self) -> u64 {
        u64::from_le_bytes(self.flags)
    }

    /// Replaces the flag bits of `mask` by those of `bits`.
    pub fn set_flag_bits(&mut self, mask: u64, bits: u64) {
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
