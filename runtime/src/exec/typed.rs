//! Messages to the data port that know an image's format or its two dimensions: typed reads,
//! writes and atomics, and media blocks.
//!
//! Payloads follow the PRM, vol. 7, "Shared Functions — Data Port". A typed access outside the image
//! is an error here: OpenCL leaves it undefined, and the hardware drops it, so that it shows
//! nowhere. Media blocks may reach over the edges, as the language allows of them: reads repeat the
//! last texel, writes there are dropped.

use kiln_emit::messages::{Flag, Lines, Slots};

use super::atomic::Atomic;
use super::error::Cause;
use super::format::{Color, TEXEL_MAX};
use super::image::Shape;
use super::machine::Thread;
use super::memory::{Shared, Span};
use super::message::{Message, address, fill, header_dword};

/// Channels of a typed message.
const CHANNELS: usize = 8;
/// Registers of a media block at most.
const MEDIA_MAX: usize = 64;

/// Which channels of the execution mask a typed message acts for: the first eight or the second.
fn slot_group(m: &Message) -> Result<usize, Cause> {
    match m.request()?.fields.slots {
        Some(Slots::Low) => Ok(0),
        Some(Slots::High) => Ok(CHANNELS),
        _ => Err(m.unknown()),
    }
}

/// Reads texels; outside, an error.
pub fn read(thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
    let group = slot_group(m)?;
    let (buffer, shape) = shared.image(m.bti())?;
    let first = usize::from(m.has_header());
    let parameters = m.payload_len().saturating_sub(first);
    let mut colors = [Color::default(); CHANNELS];
    for lane in m.channels(group + CHANNELS).filter(|&lane| lane >= group) {
        let at = coordinates(thread, m, &shape, first, parameters, lane - group)?;
        let place = texel(shared, buffer, &shape, at, lane)?;
        colors[lane - group] = shape.format.decode(&bytes_of(place, &shape));
        shared.count(false, shape.format.bytes());
    }
    let Some(response) = m.response() else {
        return Ok(());
    };
    let mask = m.request()?.fields.channels.unwrap_or_default();
    let wanted = (0..4).filter(|color| mask >> color & 1 != 0);
    for (index, color) in wanted.enumerate() {
        for lane in m.channels(group + CHANNELS).filter(|&lane| lane >= group) {
            let at = response + index * m.register() + (lane - group) * 4;
            fill(thread, m, at, &colors[lane - group][color].to_le_bytes())?;
        }
    }
    Ok(())
}

/// Writes texels; channels that are masked off keep what they have.
pub fn write(thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
    let group = slot_group(m)?;
    let (buffer, shape) = shared.image(m.bti())?;
    let first = usize::from(m.has_header());
    let mask = m.request()?.fields.channels.unwrap_or_default();
    let written = |color: usize| mask >> color & 1 != 0;
    let count = (0..4).filter(|&color| written(color)).count();
    let parameters = m.payload_len().saturating_sub(first + count);
    for lane in m.channels(group + CHANNELS).filter(|&lane| lane >= group) {
        let at = coordinates(thread, m, &shape, first, parameters, lane - group)?;
        let place = texel(shared, buffer, &shape, at, lane)?;
        let mut bytes = bytes_of(place, &shape);
        let mut color = shape.format.decode(&bytes);
        for (index, channel) in (0..4).filter(|&color| written(color)).enumerate() {
            let from = m.at(first + parameters + index, (lane - group) * 4)?;
            thread.sent(from, 4)?;
            color[channel] = thread.grf_dword(from);
        }
        let bytes = &mut bytes[..shape.format.bytes()];
        shape.format.encode(color, bytes);
        place.write(bytes);
        shared.count(true, bytes.len());
    }
    Ok(())
}

/// Atomic operations on texels of 32 bits.
pub fn atomic(thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
    // Here one bit names the slots: the first eight or the second.
    let high = m.request()?.fields.flags.has(Flag::HighSlots);
    let group = if high { CHANNELS } else { 0 };
    let (buffer, shape) = shared.image(m.bti())?;
    if shape.format.bytes() != 4 || shape.format.channels() != 1 {
        return Err(m.bad("only texels of one channel of 32 bits are changed atomically"));
    }
    let atomic = Atomic::new(m, CHANNELS, 4, 4)?;
    let first = usize::from(m.has_header());
    let parameters = m.payload_len().saturating_sub(first + atomic.sources());
    let mut results = [0; CHANNELS];
    for lane in m.channels(group + CHANNELS).filter(|&lane| lane >= group) {
        let at = coordinates(thread, m, &shape, first, parameters, lane - group)?;
        let mut sources = [0; 2];
        for (index, source) in sources.iter_mut().enumerate().take(atomic.sources()) {
            let register = first + parameters + index;
            *source = address(thread, m, register, lane - group, 4)?;
        }
        let place = texel(shared, buffer, &shape, at, lane)?;
        results[lane - group] = atomic.perform(place, sources);
        shared.count(true, shape.format.bytes());
    }
    let Some(response) = m.response().filter(|_| atomic.returns) else {
        return Ok(());
    };
    for lane in m.channels(group + CHANNELS).filter(|&lane| lane >= group) {
        let value = results[lane - group] as u32;
        fill(
            thread,
            m,
            response + (lane - group) * 4,
            &value.to_le_bytes(),
        )?;
    }
    Ok(())
}

/// The coordinates of a channel: as many parameters as the payload has, at most u, v and r; the
/// level of detail after them must be 0.
fn coordinates(
    thread: &Thread,
    m: &Message,
    shape: &Shape,
    first: usize,
    parameters: usize,
    lane: usize,
) -> Result<[u32; 3], Cause> {
    if !(1..=4).contains(&parameters) {
        return Err(m.bad("its payload has no room for the coordinates, or more than they need"));
    }
    let mut at = [0; 4];
    for (number, place) in at.iter_mut().enumerate().take(parameters) {
        let from = m.at(first + number, lane * 4)?;
        thread.sent(from, 4)?;
        *place = thread.grf_dword(from);
    }
    let [u, v, r, level] = at;
    if level != 0 {
        return Err(m.bad("an image has one level of detail"));
    }
    let mut used = [u, v, r];
    for unused in used.iter_mut().skip(shape.kind.limits().len()) {
        *unused = 0;
    }
    Ok(used)
}

/// A texel's bytes, as many as its format has.
fn bytes_of(place: Span, shape: &Shape) -> [u8; TEXEL_MAX] {
    let mut bytes = [0; TEXEL_MAX];
    place.read(&mut bytes[..shape.format.bytes()]);
    bytes
}

/// A texel's place.
fn texel<'a>(
    shared: &Shared<'a>,
    buffer: usize,
    shape: &Shape,
    at: [u32; 3],
    lane: usize,
) -> Result<Span<'a>, Cause> {
    let channel = lane as u32;
    let Some(offset) = shape.offset(at.map(|c| i64::from(c as i32))) else {
        return Err(Cause::OutsideImage {
            channel,
            at: at.map(|c| c as i32),
            kind: shape.kind.name(),
            size: shape.size,
        });
    };
    shared
        .memory
        .at_offset(buffer, offset, shape.format.bytes(), channel)
}

/// Reads or writes a rectangle of bytes.
pub fn media_block(
    thread: &mut Thread,
    shared: &mut Shared,
    m: &Message,
    write: bool,
) -> Result<(), Cause> {
    if !m.has_header() {
        return Err(m.bad("a block message without a header"));
    }
    if m.enabled() == 0 {
        return Ok(());
    }
    let (buffer, shape) = shared.image(m.bti())?;
    let left = i64::from(header_dword(thread, m, 0)? as i32);
    let top = i64::from(header_dword(thread, m, 1)? as i32);
    let size = header_dword(thread, m, 2)?;
    let width = (size & 0x3f) as usize + 1;
    let height = (size >> 16 & 0x3f) as usize + 1;
    // Rows start at multiples of a power of two.
    let pitch = width.next_power_of_two().max(4);
    let registers = (pitch * height).div_ceil(m.register());
    if registers > MEDIA_MAX || !write && registers > m.response_len() {
        return Err(m.bad("its block is larger than its registers"));
    }
    let unit = shape.format.bytes().min(TEXEL_MAX) as i64;
    // Of a field, every other row of the surface.
    let (step, parity) = match m.request()?.fields.lines {
        Some(Lines::Top) => (2, 0),
        Some(Lines::Bottom) => (2, 1),
        _ => (1, 0),
    };
    let rows = (i64::from(shape.size[1]) - parity + step - 1) / step;
    let row_bytes = shape.pitch() as i64;
    if rows == 0 {
        return Err(m.bad("the surface has no such row"));
    }
    for row in 0..height {
        for byte in 0..width {
            let (x, y) = (left + byte as i64, top + row as i64);
            let outside = !(0..row_bytes).contains(&x) || !(0..rows).contains(&y);
            if write && outside {
                continue;
            }
            // The nearest texel's byte of the same place in it.
            let texel = x.div_euclid(unit).clamp(0, row_bytes / unit - 1);
            let x = texel * unit + x.rem_euclid(unit);
            let offset = (y.clamp(0, rows - 1) * step + parity) * row_bytes + x;
            let memory = shared.memory.at_offset(buffer, offset as u64, 1, 0)?;
            let place = row * pitch + byte;
            if write {
                let from = m.at(1, place)?;
                memory.write(&thread.grf[from..from + 1]);
                shared.count(true, 1);
            } else if let Some(response) = m.response() {
                let mut value = [0];
                memory.read(&mut value);
                shared.count(false, 1);
                fill(thread, m, response + place, &value)?;
            }
        }
    }
    Ok(())
}
