//! Block messages to the data port: consecutive bytes of a surface, of memory at an address, or of the
//! thread's scratch space, to and from consecutive registers.
//!
//! A block has a header with its offset or address. It is accessed as a whole if any channel is enabled (PRM vol. 7,
//! "Shared Functions — Data Port").

use kiln_emit::messages::{Block, Flag, Kind};
use kiln_emit::platform::Payload;

use super::payload::{self, buffer_base, fill, header_dword, payload};
use crate::code::send::Message;
use crate::state::cause::Cause;
use crate::state::lanes::low_mask;
use crate::state::memory::{SCRATCH_STATE, Shared, Space, Span};
use crate::state::thread::Thread;

/// Size of a block of octwords in bytes, and its start within the first register.
pub fn oword_count(m: &Message) -> Result<(usize, usize), Cause> {
    match m.request()?.fields.block {
        Some(Block::X1High) => Ok((16, 16)),
        Some(block @ (Block::X1 | Block::X2 | Block::X4 | Block::X8 | Block::X16)) => {
            Ok((16 * block.count() as usize, 0))
        }
        _ => Err(m.unknown()),
    }
}

/// Size of a block of hexadecawords in bytes.
pub fn hword_count(m: &Message) -> Result<usize, Cause> {
    let block = m.request()?.fields.block.ok_or_else(|| m.unknown())?;
    Ok(HWORD * block.count() as usize)
}

/// Octword blocks of a surface: aligned reads (offset in octwords), unaligned ones (in bytes) and
/// writes.
pub fn surface(thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
    if !m.has_header() {
        return Err(m.bad("a block message without a header"));
    }
    let kind = m.request()?.kind;
    let (size, skip) = oword_count(m)?;
    let in_bytes = matches!(
        kind,
        Kind::AlignedOwordBlockRead | Kind::ConstantAlignedOwordBlockRead
    );
    let unit = if in_bytes { 1 } else { 16 };
    let offset = header_dword(thread, m, 2)?.wrapping_mul(unit);
    let offset = offset.wrapping_add(buffer_base(thread, m)?);
    if in_bytes && !offset.is_multiple_of(4) {
        return Err(m.bad("an unaligned block's offset is no multiple of 4"));
    }
    if m.enabled() == 0 {
        return Ok(());
    }
    let write = kind == Kind::OwordBlockWrite;
    let space = shared.space(m.bti())?;
    shared.count(write, size);
    match space.at(u64::from(offset), size, 0) {
        Ok(memory) => copy(thread, m, memory, size, write, skip),
        // Compilers merge reads to blocks that reach beyond a surface's end, where the hardware returns zeros.
        Err(Cause::OutOfBounds { at, room, .. }) if !write && at < room => {
            let mut bytes = [0; BLOCK];
            let inside = (room - at) as usize;
            space.at(at, inside, 0)?.read(&mut bytes[..inside]);
            respond(thread, m, &bytes[..size], skip)
        }
        Err(cause) => Err(cause),
    }
}

/// Octword and hexadecaword (32-byte) blocks at a 64-bit address.
pub fn address(thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
    if !m.has_header() {
        return Err(m.bad("a block message without a header"));
    }
    let kind = m.request()?.kind;
    let at = payload::address(thread, m, 0, 0, 8)?;
    let ((size, skip), alignment) = match kind {
        Kind::A64OwordBlockRead | Kind::A64OwordBlockWrite => (oword_count(m)?, 16),
        Kind::A64HwordBlockRead | Kind::A64HwordBlockWrite => ((hword_count(m)?, 0), 4),
        _ => (oword_count(m)?, 4),
    };
    let write = matches!(
        kind,
        Kind::A64OwordBlockWrite | Kind::A64AlignedOwordBlockWrite | Kind::A64HwordBlockWrite
    );
    if !at.is_multiple_of(alignment) {
        return Err(m.bad("a block's address is not aligned as its message demands"));
    }
    if size > BLOCK {
        return Err(m.unknown());
    }
    if m.enabled() == 0 {
        return Ok(());
    }
    let memory = shared.memory.at_address(at, size, 0)?;
    shared.count(write, size);
    copy(thread, m, memory, size, write, skip)
}

/// Maximum size of a block in bytes.
const BLOCK: usize = 8 * HWORD;
/// A hexadecaword: the unit of large blocks, and of offsets into scratch space.
const HWORD: usize = 32;

/// Copies between memory and registers: those after the header, or those of the response.
fn copy(
    thread: &mut Thread,
    m: &Message,
    memory: Span,
    size: usize,
    write: bool,
    skip: usize,
) -> Result<(), Cause> {
    let mut bytes = [0; BLOCK];
    let bytes = bytes
        .get_mut(..size)
        .ok_or_else(|| m.bad("a block of more than 256 bytes"))?;
    if write {
        for (index, part) in bytes.chunks_mut(m.register()).enumerate() {
            let at = m.at(1 + index, skip)?;
            part.copy_from_slice(payload(thread, m, at, part.len())?);
        }
        memory.write(bytes);
        Ok(())
    } else {
        memory.read(bytes);
        respond(thread, m, bytes, skip)
    }
}

/// Writes a response that starts `skip` bytes into its first register.
fn respond(thread: &mut Thread, m: &Message, bytes: &[u8], skip: usize) -> Result<(), Cause> {
    m.response()
        .map_or(Ok(()), |at| fill(thread, m, at + skip, bytes))
}

/// Blocks of the thread's scratch space, in hexadecawords.
pub fn scratch(thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
    if !m.has_header() {
        return Err(m.bad("a block message without a header"));
    }
    // The header has the space's address, or the surface that contains it.
    let expected = match thread.platform.payload {
        Payload::Registers => thread.scratch & !0x3ff,
        Payload::Memory => SCRATCH_STATE,
    };
    if header_dword(thread, m, 5)? & !0x3ff != expected {
        return Err(m.bad("the header's scratch pointer is not the thread's"));
    }
    let request = m.request()?;
    let size = hword_count(m)?;
    let write = request.kind == Kind::HwordScratchBlockWrite;
    let by_dword = request.fields.flags.has(Flag::ByDword);
    let start = shared.scratch + u64::from(thread.scratch & !0x3ff);
    let offset = request.fields.offset.unwrap_or_default();
    let memory = Space::Address(shared.memory, start).at(u64::from(offset), size, 0)?;
    shared.count(write, size);
    if !write || !by_dword {
        if m.enabled() == 0 {
            return Ok(());
        }
        return copy(thread, m, memory, size, write, 0);
    }
    // The execution mask covers sixteen dwords. Without it, a message covers the dwords of a register beyond its channels, too:
    // registers of 64 bytes are spilled by messages of eight channels.
    let beyond = low_mask(m.register() / 4) & !low_mask(m.lanes());
    let enabled = match m.ungated && m.enabled() != 0 {
        true => m.enabled() | beyond,
        false => m.enabled(),
    };
    let mut bytes = [0; BLOCK];
    let bytes = &mut bytes[..size];
    memory.read(bytes);
    for (index, dword) in bytes.chunks_exact_mut(4).enumerate() {
        if enabled >> (index % 16) & 1 != 0 {
            let at = m.at(1, index * 4)?;
            dword.copy_from_slice(payload(thread, m, at, 4)?);
        }
    }
    memory.write(bytes);
    Ok(())
}
