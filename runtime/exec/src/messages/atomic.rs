//! Atomic operations of the data port: their effect on a number in memory, and the messages that perform one for each
//! channel.

use kiln_emit::messages::{Atomic as Operation, Flag};

use super::payload::{address, aligned, fill};
use crate::code::send::Message;
use crate::state::cause::Cause;
use crate::state::lanes::LANES;
use crate::state::memory::{Shared, Span};
use crate::state::thread::Thread;

/// An atomic operation of a message.
pub struct Atomic {
    op: Operation,
    channels: usize,
    /// Bytes of an address and of the number.
    address: usize,
    size: usize,
    pub returns: bool,
}

impl Atomic {
    /// The operation that a message asks for.
    pub fn new(m: &Message, channels: usize, address: usize, size: usize) -> Result<Atomic, Cause> {
        use Operation::*;
        let fields = &m.request()?.fields;
        let op = match fields.atomic {
            None | Some(CompareExchange64 | FloatAdd64 | FloatSubtract64) => {
                return Err(m.unknown());
            }
            Some(op) => op,
        };
        Ok(Atomic {
            op,
            channels,
            address,
            size,
            returns: fields.flags.has(Flag::Returns),
        })
    }

    /// An operation on a number of the given size in bytes.
    pub fn of(op: Operation, channels: usize, address: usize, size: usize) -> Atomic {
        Atomic {
            op,
            channels,
            address,
            size,
            returns: true,
        }
    }

    /// The new number and the returned one, from the old number and the sources.
    fn apply(&self, old: u64, a: u64, b: u64) -> (u64, u64) {
        use Operation::*;
        let unused = 64 - 8 * self.size as u32;
        let signed = |v: u64| (v << unused) as i64 >> unused;
        let mask = u64::MAX >> unused;
        let float = |v: u64| match self.size {
            2 => half::f16::from_bits(v as u16).to_f64(),
            4 => f64::from(f32::from_bits(v as u32)),
            _ => f64::from_bits(v),
        };
        // A sum of two halves or singles is exact enough as a double to be rounded to the same result.
        let bits = |v: f64| match self.size {
            2 => u64::from(half::f16::from_f64(v).to_bits()),
            4 => u64::from((v as f32).to_bits()),
            _ => v.to_bits(),
        };
        let new = match self.op {
            And => old & a,
            Or => old | a,
            Xor => old ^ a,
            Exchange => a,
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
            FloatMax => bits(float(old).max(float(a))),
            FloatMin => bits(float(old).min(float(a))),
            FloatAdd => bits(float(old) + float(a)),
            FloatSubtract => bits(float(old) - float(a)),
            FloatCompareExchange if float(old) == float(a) => b,
            // Operations that `new` refuses leave memory unchanged.
            _ => old,
        } & mask;
        let returned = if matches!(self.op, PreDecrement) {
            new
        } else {
            old
        };
        (new, returned)
    }

    /// Performs the operation on a number in memory; returns the message's result.
    pub fn perform(&self, memory: Span, [a, b]: [u64; 2]) -> u64 {
        let old = memory.update(self.size, |old| self.apply(old, a, b).0);
        self.apply(old, a, b).1
    }

    /// Number of operands besides the number in memory.
    pub fn sources(&self) -> usize {
        use Operation::*;
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
