//! Parts of a message: its header, addresses, data and response, and the counts that its descriptor says.

use kiln_emit::messages::Simd;

use crate::code::send::Message;
use crate::state::cause::Cause;
use crate::state::memory::{BTI_STATELESS, BTI_STATELESS_NONCOHERENT};
use crate::state::thread::Thread;

/// Indices of consecutive elements.
const ALL: [u32; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

/// Number of bytes that each channel of a byte message accesses.
pub fn byte_count(m: &Message) -> Result<usize, Cause> {
    match m.request()?.fields.bits {
        Some(bits @ (8 | 16 | 32)) => Ok(usize::from(bits / 8)),
        _ => Err(m.unknown()),
    }
}

/// Number of channels of the message.
pub fn channels(m: &Message) -> Result<usize, Cause> {
    match m.request()?.fields.simd {
        Some(Simd::S8) => Ok(8),
        Some(Simd::S16) => Ok(16),
        Some(Simd::S32) => Ok(32),
        _ => Err(m.unknown()),
    }
}

/// Indices of the elements that each channel of a gathering or scattering message accesses.
pub fn elements(m: &Message) -> &'static [u32] {
    let count = m.request.and_then(|request| request.fields.elements);
    &ALL[..usize::from(count.unwrap_or(1))]
}

/// A dword of the message's header.
pub fn header_dword(thread: &Thread, m: &Message, index: usize) -> Result<u32, Cause> {
    let at = m.at(0, index * 4)?;
    thread.sent(at, 4)?;
    Ok(thread.grf_dword(at))
}

/// Offset that a stateless message's header adds: the buffer base in dword 5.
pub fn buffer_base(thread: &Thread, m: &Message) -> Result<u32, Cause> {
    match m.bti() {
        BTI_STATELESS | BTI_STATELESS_NONCOHERENT => Ok(header_dword(thread, m, 5)? & !0x3ff),
        _ => Ok(0),
    }
}

/// An address from the payload.
pub fn address(
    thread: &Thread,
    m: &Message,
    first: usize,
    lane: usize,
    size: usize,
) -> Result<u64, Cause> {
    let at = m.at(first, lane * size)?;
    thread.sent(at, size)?;
    let low = u64::from(thread.grf_dword(at));
    Ok(if size == 8 {
        low | u64::from(thread.grf_dword(at + 4)) << 32
    } else {
        low
    })
}

/// Refuses an access that violates its message's alignment.
#[inline]
pub fn aligned(at: u64, alignment: u64, size: usize, channel: u32) -> Result<(), Cause> {
    if at & (alignment - 1) == 0 {
        return Ok(());
    }
    Err(Cause::Misaligned {
        channel,
        at,
        size: size as u64,
        alignment,
    })
}

/// Bytes of a message's payload in the general registers.
pub fn payload<'a>(
    thread: &'a Thread,
    m: &Message,
    at: usize,
    size: usize,
) -> Result<&'a [u8], Cause> {
    let bytes = thread.grf.get(at..at + size);
    bytes.ok_or_else(|| m.bad("its payload reaches beyond the last register"))
}

/// Writes part of a response.
#[inline]
pub fn fill(thread: &mut Thread, m: &Message, at: usize, bytes: &[u8]) -> Result<(), Cause> {
    let room = thread.grf.get_mut(at..at + bytes.len());
    let Some(room) = room else {
        return Err(m.bad("its response reaches beyond the last register"));
    };
    room.copy_from_slice(bytes);
    thread.define(at, bytes.len());
    Ok(())
}
