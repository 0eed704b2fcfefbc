//! Parts of a message: its header, addresses, data and response, and the counts that its descriptor says.

use kiln_emit::messages::Simd;

use crate::code::send::Message;
use crate::state::cause::Cause;
use crate::state::lanes::{LANES, low_mask};
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

/// A dword of each channel, from a register of the payload on; zero for channels that are not enabled.
pub fn dwords(
    thread: &Thread,
    m: &Message,
    first: usize,
    enabled: u32,
) -> Result<[u32; LANES], Cause> {
    let mut dwords = [0; LANES];
    let lanes = m.register() / size_of::<u32>();
    for (register, part) in (first..).zip(dwords.chunks_mut(lanes)) {
        let enabled = enabled.checked_shr(((register - first) * lanes) as u32);
        let enabled = enabled.unwrap_or(0) & low_mask(lanes);
        if enabled == 0 {
            continue;
        }
        let at = m.at(register, 0)?;
        let bytes = payload(thread, m, at, m.register())?;
        for (lane, (dword, bytes)) in part.iter_mut().zip(bytes.as_chunks().0).enumerate() {
            if enabled >> lane & 1 != 0 {
                *dword = u32::from_le_bytes(*bytes);
            }
        }
    }
    Ok(dwords)
}

/// As [`dwords`], which must be defined where that is checked.
pub fn sent_dwords(
    thread: &Thread,
    m: &Message,
    first: usize,
    enabled: u32,
) -> Result<[u32; LANES], Cause> {
    if thread.defined.is_some() {
        for lane in (0..LANES).filter(|lane| enabled >> lane & 1 != 0) {
            thread.sent(m.at(first, lane * size_of::<u32>())?, size_of::<u32>())?;
        }
    }
    dwords(thread, m, first, enabled)
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

/// Writes a dword of each enabled channel from a byte of the response on.
pub fn fill_dwords(
    thread: &mut Thread,
    m: &Message,
    at: usize,
    enabled: u32,
    value: impl Fn(usize) -> u32,
) -> Result<(), Cause> {
    let count = LANES - enabled.leading_zeros() as usize;
    let Some(room) = thread.grf.get_mut(at..at + count * size_of::<u32>()) else {
        return Err(m.bad("its response reaches beyond the last register"));
    };
    for (lane, place) in room.as_chunks_mut().0.iter_mut().enumerate() {
        if enabled >> lane & 1 != 0 {
            *place = value(lane).to_le_bytes();
            if let Some(defined) = &mut thread.defined {
                defined.set(at + lane * size_of::<u32>(), size_of::<u32>(), true);
            }
        }
    }
    Ok(())
}
