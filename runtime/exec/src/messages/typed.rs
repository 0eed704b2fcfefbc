//! Data port messages that depend on an image's format or its two dimensions: typed reads, writes and atomics, and
//! media blocks.
//!
//! Payloads follow the PRM, vol. 7, "Shared Functions — Data Port". A typed access outside the image is an error here;
//! OpenCL leaves it undefined, and the hardware drops it silently. Media blocks may reach over the edges: reads repeat
//! the last texel, writes there are dropped.

use kiln_emit::messages::{Flag, Lines, Slots};

use super::atomic::Atomic;
use super::payload::{fill, header_dword};
use crate::code::send::Message;
use crate::state::cause::Cause;
use crate::state::format::{Color, TEXEL_MAX};
use crate::state::image::{ImageKind, Shape};
use crate::state::lanes::LANES;
use crate::state::memory::{Shared, Space, Span};
use crate::state::thread::Thread;

/// Number of channels of a typed message to the data port.
const CHANNELS: usize = 8;
/// Maximum number of registers of a media block.
const MEDIA_MAX: usize = 64;

/// Texels of a message, and places of their coordinates in the payload.
pub struct Texels<'a> {
    m: &'a Message,
    /// First channel of the message in the execution mask.
    group: usize,
    channels: usize,
    /// Index of the image in the binding table or the heap.
    surface: u32,
    /// Mask of the transferred components.
    components: u8,
}

impl<'a> Texels<'a> {
    /// Texels of a message to the data port, which is for the first or the second eight channels.
    pub fn of_group(m: &'a Message) -> Result<Texels<'a>, Cause> {
        let fields = &m.request()?.fields;
        // One bit names the slots of an atomic operation.
        let group = match fields.slots {
            Some(Slots::Low) => 0,
            Some(Slots::High) => CHANNELS,
            None if fields.flags.has(Flag::HighSlots) => CHANNELS,
            None => 0,
            _ => return Err(m.unknown()),
        };
        Ok(Texels {
            m,
            group,
            channels: CHANNELS,
            surface: m.bti(),
            components: fields.channels.unwrap_or_default(),
        })
    }

    /// Texels of a message to the function for typed data, which is for all channels.
    pub fn of_all(m: &'a Message, surface: u32) -> Result<Texels<'a>, Cause> {
        Ok(Texels {
            m,
            group: 0,
            channels: m.lanes(),
            surface,
            components: m.request()?.fields.channels.unwrap_or_default(),
        })
    }

    /// Enabled channels, as numbers from the group's first.
    fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        let group = self.group;
        (self.m.channels(group + self.channels)).filter_map(move |lane| lane.checked_sub(group))
    }

    fn components(&self) -> impl Iterator<Item = usize> + use<> {
        let mask = self.components;
        (0..4).filter(move |component| mask >> component & 1 != 0)
    }

    /// Number of registers for a dword of each channel.
    fn pitch(&self) -> usize {
        (self.channels * 4).div_ceil(self.m.register())
    }

    /// Number of coordinate parameters in the payload, given the number of others after them.
    fn coordinates(&self, others: usize) -> usize {
        let registers = self.m.payload_len();
        (registers.saturating_sub(self.first()) / self.pitch()).saturating_sub(others)
    }

    fn first(&self) -> usize {
        usize::from(self.m.has_header())
    }

    /// A parameter of a channel.
    fn parameter(&self, thread: &Thread, number: usize, lane: usize) -> Result<u32, Cause> {
        let at = (self.m).at(self.first() + number * self.pitch(), lane * 4)?;
        thread.sent(at, 4)?;
        Ok(thread.grf_dword(at))
    }

    /// Writes a dword of the response.
    fn respond(
        &self,
        thread: &mut Thread,
        response: usize,
        number: usize,
        lane: usize,
        value: u32,
    ) -> Result<(), Cause> {
        let at = response + number * self.pitch() * self.m.register() + lane * 4;
        fill(thread, self.m, at, &value.to_le_bytes())
    }

    /// Reads texels; outside, an error.
    pub fn read(&self, thread: &mut Thread, shared: &mut Shared) -> Result<(), Cause> {
        let (space, shape) = shared.image(self.surface)?;
        let parameters = self.coordinates(0);
        let mut colors = [Color::default(); LANES];
        for lane in self.lanes() {
            let at = self.texel_of(thread, &shape, parameters, lane)?;
            let place = texel(space, &shape, at, lane + self.group)?;
            colors[lane] = shape.format.decode(&bytes_of(place, &shape));
            shared.count(false, shape.format.bytes());
        }
        let Some(response) = self.m.response() else {
            return Ok(());
        };
        for (number, component) in self.components().enumerate() {
            for lane in self.lanes() {
                self.respond(thread, response, number, lane, colors[lane][component])?;
            }
        }
        Ok(())
    }

    /// Writes texels; masked components keep their values.
    pub fn write(&self, thread: &mut Thread, shared: &mut Shared) -> Result<(), Cause> {
        let (space, shape) = shared.image(self.surface)?;
        let parameters = self.coordinates(self.components().count());
        let masked = shape.format.stored() & !self.components;
        for lane in self.lanes() {
            let at = self.texel_of(thread, &shape, parameters, lane)?;
            let place = texel(space, &shape, at, lane + self.group)?;
            let mut color = match masked {
                0 => Color::default(),
                _ => shape.format.decode(&bytes_of(place, &shape)),
            };
            for (number, component) in self.components().enumerate() {
                color[component] = self.parameter(thread, parameters + number, lane)?;
            }
            let mut bytes = [0; TEXEL_MAX];
            let bytes = &mut bytes[..shape.format.bytes()];
            shape.format.encode(color, bytes);
            place.write(bytes);
            shared.count(true, bytes.len());
        }
        Ok(())
    }

    /// Atomic operations on texels of 32 bits.
    pub fn atomic(
        &self,
        thread: &mut Thread,
        shared: &mut Shared,
        atomic: &Atomic,
    ) -> Result<(), Cause> {
        let (space, shape) = shared.image(self.surface)?;
        if shape.format.bytes() != 4 || shape.format.channels() != 1 {
            return Err(
                (self.m).bad("only texels of one channel of 32 bits are changed atomically")
            );
        }
        let parameters = self.coordinates(atomic.sources());
        let mut results = [0; LANES];
        for lane in self.lanes() {
            let at = self.texel_of(thread, &shape, parameters, lane)?;
            let mut sources = [0; 2];
            for (index, source) in sources.iter_mut().enumerate().take(atomic.sources()) {
                *source = u64::from(self.parameter(thread, parameters + index, lane)?);
            }
            let place = texel(space, &shape, at, lane + self.group)?;
            results[lane] = atomic.perform(place, sources);
            shared.count(true, shape.format.bytes());
        }
        let Some(response) = self.m.response().filter(|_| atomic.returns) else {
            return Ok(());
        };
        for lane in self.lanes() {
            self.respond(thread, response, 0, lane, results[lane] as u32)?;
        }
        Ok(())
    }

    /// Coordinates of a channel: as many parameters as the payload has, at most u, v and r; the level of detail after
    /// them must be 0.
    fn texel_of(
        &self,
        thread: &Thread,
        shape: &Shape,
        parameters: usize,
        lane: usize,
    ) -> Result<[u32; 3], Cause> {
        if shape.kind == ImageKind::D2Msaa {
            return Err(self.m.bad("the image is of a kind that it does not read"));
        }
        if !(1..=4).contains(&parameters) {
            let what = "its payload has no room for the coordinates, or more than they need";
            return Err(self.m.bad(what));
        }
        let mut at = [0; 4];
        for (number, place) in at.iter_mut().enumerate().take(parameters) {
            *place = self.parameter(thread, number, lane)?;
        }
        let [u, v, r, level] = at;
        if level != 0 {
            return Err(self.m.bad("an image has one level of detail"));
        }
        let mut used = [u, v, r];
        for unused in used.iter_mut().skip(shape.kind.limits().len()) {
            *unused = 0;
        }
        Ok(used)
    }
}

/// Bytes of a texel in the size of its format.
fn bytes_of(place: Span, shape: &Shape) -> [u8; TEXEL_MAX] {
    let mut bytes = [0; TEXEL_MAX];
    place.read(&mut bytes[..shape.format.bytes()]);
    bytes
}

/// A texel's place.
fn texel<'a>(
    space: Space<'a>,
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
    space.at(offset, shape.format.bytes(), channel)
}

/// A media block, which is described by its header.
pub fn media_block(
    thread: &mut Thread,
    shared: &mut Shared,
    m: &Message,
    write: bool,
) -> Result<(), Cause> {
    if !m.has_header() {
        return Err(m.bad("a block message without a header"));
    }
    let size = header_dword(thread, m, 2)?;
    let block = Rectangle {
        surface: m.bti(),
        left: header_dword(thread, m, 0)? as i32,
        top: header_dword(thread, m, 1)? as i32,
        width: (size & 0x3f) as usize + 1,
        height: (size >> 16 & 0x3f) as usize + 1,
    };
    block.run(thread, shared, m, write)
}

/// A two-dimensional block of an image, described by its payload like a block of memory. Outside the image it behaves
/// like a media block, to which the language's block operations map as well.
pub fn block_2d(
    thread: &mut Thread,
    shared: &mut Shared,
    m: &Message,
    surface: u32,
    write: bool,
) -> Result<(), Cause> {
    // The other half is not used.
    let at = m.at(0, 28)?;
    thread.sent(at, 2)?;
    let size = thread.grf_dword(at);
    let block = Rectangle {
        surface,
        left: header_dword(thread, m, 5)? as i32,
        top: header_dword(thread, m, 6)? as i32,
        width: (size & 0xff) as usize + 1,
        height: (size >> 8 & 0xff) as usize + 1,
    };
    block.run(thread, shared, m, write)
}

/// A rectangle of an image's bytes.
struct Rectangle {
    surface: u32,
    left: i32,
    top: i32,
    width: usize,
    height: usize,
}

impl Rectangle {
    fn run(
        &self,
        thread: &mut Thread,
        shared: &mut Shared,
        m: &Message,
        write: bool,
    ) -> Result<(), Cause> {
        if m.enabled() == 0 {
            return Ok(());
        }
        let (space, shape) = shared.image(self.surface)?;
        let (left, top) = (i64::from(self.left), i64::from(self.top));
        let (width, height) = (self.width, self.height);
        // Rows are padded to a power of two.
        let pitch = width.next_power_of_two().max(4);
        let registers = (pitch * height).div_ceil(m.register());
        if registers > MEDIA_MAX || !write && registers > m.response_len() {
            return Err(m.bad("its block is larger than its registers"));
        }
        let unit = shape.format.bytes().min(TEXEL_MAX) as i64;
        // A field has every other row of the surface.
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
                // The byte at the same place in the nearest texel.
                let texel = x.div_euclid(unit).clamp(0, row_bytes / unit - 1);
                let x = texel * unit + x.rem_euclid(unit);
                let y = y.clamp(0, rows - 1) * step + parity;
                let memory = space.at(shape.byte(x as u64, y as u64, 0), 1, 0)?;
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
}
