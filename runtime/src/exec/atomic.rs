//! Atomic operations of the data port: what each does to a number in memory, and the messages that
//! ask for one in each channel.

use super::error::Cause;
use super::machine::{LANES, Thread};
use super::memory::{Shared, Span};
use super::message::{Message, address, aligned, fill};

/// What an atomic message does to a number in memory.
#[derive(Clone, Copy)]
enum AtomicOp {
    And,
    Or,
    Xor,
    Store,
    Increment,
    Decrement,
    Add,
    Subtract,
    ReverseSubtract,
    SignedMax,
    SignedMin,
    UnsignedMax,
    UnsignedMin,
    CompareExchange,
    /// Decrement, giving the new value.
    PreDecrement,
    FloatMax,
    FloatMin,
    FloatCompareExchange,
}

/// An atomic operation of a message.
pub struct Atomic {
    op: AtomicOp,
    channels: usize,
    /// Bytes of an address and of the number.
    address: usize,
    size: usize,
    pub returns: bool,
}

impl Atomic {
    /// An operation on integers, by a message's descriptor.
    pub fn int(m: &Message, channels: usize, address: usize, size: usize) -> Result<Atomic, Cause> {
        use AtomicOp::*;
        let op = match m.field(8, 4) {
            1 => And,
            2 => Or,
            3 => Xor,
            4 => Store,
            5 => Increment,
            6 => Decrement,
            7 => Add,
            8 => Subtract,
            9 => ReverseSubtract,
            10 => SignedMax,
            11 => SignedMin,
            12 => UnsignedMax,
            13 => UnsignedMin,
            14 => CompareExchange,
            15 => PreDecrement,
            _ => return Err(m.unknown()),
        };
        Ok(Atomic {
            op,
            channels,
            address,
            size,
            returns: m.field(13, 1) != 0,
        })
    }

    /// As [`Atomic::int`], on floats.
    pub fn float(m: &Message, channels: usize, address: usize) -> Result<Atomic, Cause> {
        let op = match m.field(8, 3) {
            1 => AtomicOp::FloatMax,
            2 => AtomicOp::FloatMin,
            3 => AtomicOp::FloatCompareExchange,
            _ => return Err(m.unknown()),
        };
        Ok(Atomic {
            op,
            channels,
            address,
            size: 4,
            returns: m.field(13, 1) != 0,
        })
    }

    /// The new number, and what is returned, from the old one and the sources.
    fn apply(&self, old: u64, a: u64, b: u64) -> (u64, u64) {
        use AtomicOp::*;
        let signed = |v: u64| {
            if self.size == 8 {
                v as i64
            } else {
                i64::from(v as i32)
            }
        };
        let float = |v: u64| f32::from_bits(v as u32);
        let mask = if self.size == 8 {
            u64::MAX
        } else {
            u64::from(u32::MAX)
        };
        let new = match self.op {
            And => old & a,
            Or => old | a,
            Xor => old ^ a,
            Store => a,
            Increment => old.wrapping_add(1),
            Decrement | PreDecrement => old.wrapping_sub(1),
            Add => old.wrapping_add(a),
            Subtract => old.wrapping_sub(a),
            ReverseSubtract => a.wrapping_sub(old),
            SignedMax => signed(old).max(signed(a)) as u64,
            SignedMin => signed(old).min(signed(a)) as u64,
            UnsignedMax => old.max(a),
            UnsignedMin => old.min(a),
            CompareExchange if old == a => b,
            FloatMax => u64::from(float(old).max(float(a)).to_bits()),
            FloatMin => u64::from(float(old).min(float(a)).to_bits()),
            FloatCompareExchange if float(old) == float(a) => b,
            CompareExchange | FloatCompareExchange => old,
        } & mask;
        let returned = if matches!(self.op, PreDecrement) {
            new
        } else {
            old
        };
        (new, returned)
    }

    /// Carries it out on a number in memory; gives what is returned.
    pub fn perform(&self, memory: Span, [a, b]: [u64; 2]) -> u64 {
        let old = memory.update(self.size, |old| self.apply(old, a, b).0);
        self.apply(old, a, b).1
    }

    /// Operands besides the number in memory.
    pub fn sources(&self) -> usize {
        use AtomicOp::*;
        match self.op {
            Increment | Decrement | PreDecrement => 0,
            CompareExchange | FloatCompareExchange => 2,
            _ => 1,
        }
    }
}

/// Atomic operations, channel after channel.
pub fn atomic(
    thread: &mut Thread,
    shared: &mut Shared,
    m: &Message,
    atomic: Atomic,
) -> Result<(), Cause> {
    let first = usize::from(m.has_header());
    let addresses = (atomic.channels * atomic.address).div_ceil(m.register());
    let stride = (atomic.channels * atomic.size).div_ceil(m.register());
    let mut results = [0; LANES];
    for lane in m.channels(atomic.channels) {
        let start = address(thread, m, first, lane, atomic.address)?;
        let mut sources = [0; 2];
        for (index, source) in sources.iter_mut().enumerate().take(atomic.sources()) {
            let register = first + addresses + index * stride;
            *source = address(thread, m, register, lane, atomic.size)?;
        }
        let memory = if atomic.address == 8 {
            shared.memory.at_address(start, atomic.size, lane as u32)?
        } else {
            let space = shared.space(m.bti())?;
            space.at(start & u64::from(u32::MAX), atomic.size, lane as u32)?
        };
        aligned(start, atomic.size as u64, atomic.size, lane as u32)?;
        results[lane] = atomic.perform(memory, sources);
        shared.count(true, atomic.size);
    }
    // The response may overlap the payload.
    if let Some(response) = m.response().filter(|_| atomic.returns) {
        for lane in m.channels(atomic.channels) {
            let bytes = results[lane].to_le_bytes();
            let at = response + lane * atomic.size;
            fill(thread, m, at, &bytes[..atomic.size])?;
        }
    }
    Ok(())
}
