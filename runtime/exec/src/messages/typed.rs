//! Data port messages that depend on an image's format or its two dimensions: typed reads, writes and atomics, and
//! media blocks.
//!
//! Payloads follow the PRM, vol. 7, "Shared Functions — Data Port". A typed access outside the image is an error here;
//! OpenCL leaves it undefined, and the hardware drops it silently. Media blocks may reach over the edges: reads repeat
//! the last texel, writes there are dropped.

use kiln_emit::messages::{Flag, Lines, Slots};

use super::atomic::Atomic;
use super::bound::BoundImage;
use super::payload::{fill, fill_dwords, header_dword, sent_dwords};
use crate::code::send::Message;
use crate::state::cause::Cause;
use crate::state::format::{Color, TEXEL_MAX};
use crate::state::image::{ImageKind, Shape};
use crate::state::lanes::{LANES, low_mask};
use crate::state::memory::{Shared, Span};
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

    /// Enabled channels, from the group's first in bit 0.
    fn enabled(&self) -> u32 {
        let all = self.m.enabled().checked_shr(self.group as u32);
        all.unwrap_or(0) & low_mask(self.channels)
    }

    /// A parameter of all channels.
    fn parameter(&self, thread: &Thread, number: usize) -> Result<[u32; LANES], Cause> {
        let register = self.first() + number * self.pitch();
        sent_dwords(thread, self.m, register, self.enabled())
    }

    /// Writes dwords of the response.
    fn respond(
        &self,
        thread: &mut Thread,
        response: usize,
        number: usize,
        value: impl Fn(usize) -> u32,
    ) -> Result<(), Cause> {
        let at = response + number * self.pitch() * self.m.register();
        fill_dwords(thread, self.m, at, self.enabled(), value)
    }

    /// Reads texels; outside, an error.
    pub fn read(&self, thread: &mut Thread, shared: &mut Shared) -> Result<(), Cause> {
        let mut image = BoundImage::new(shared, self.surface)?;
        let (format, bytes) = (image.shape.format, image.texel_bytes);
        let places = self.places(thread, &image.shape, self.coordinates(0))?;
        let mut colors = [Color::default(); LANES];
        for lane in self.lanes() {
            let place = self.texel(&mut image, &places, lane)?;
            colors[lane] = format.decode_dwords(place.dwords(bytes));
            shared.count(false, bytes);
        }
        let Some(response) = self.m.response() else {
            return Ok(());
        };
        for (number, component) in self.components().enumerate() {
            self.respond(thread, response, number, |lane| colors[lane][component])?;
        }
        Ok(())
    }

    /// Writes texels; masked components keep their values.
    pub fn write(&self, thread: &mut Thread, shared: &mut Shared) -> Result<(), Cause> {
        let mut image = BoundImage::new(shared, self.surface)?;
        let (format, bytes) = (image.shape.format, image.texel_bytes);
        let parameters = self.coordinates(self.components().count());
        let places = self.places(thread, &image.shape, parameters)?;
        let masked = format.stored() & !self.components;
        let mut values = [[0; LANES]; 4];
        for (number, component) in self.components().enumerate() {
            values[component] = self.parameter(thread, parameters + number)?;
        }
        for lane in self.lanes() {
            let place = self.texel(&mut image, &places, lane)?;
            let mut color = match masked {
                0 => Color::default(),
                _ => format.decode_dwords(place.dwords(bytes)),
            };
            for component in self.components() {
                color[component] = values[component][lane];
            }
            place.set_dwords(format.encode_dwords(color), bytes);
            shared.count(true, bytes);
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
        let mut image = BoundImage::new(shared, self.surface)?;
        let format = image.shape.format;
        if format.bytes() != 4 || format.channels() != 1 {
            return Err(
                (self.m).bad("only texels of one channel of 32 bits are changed atomically")
            );
        }
        let parameters = self.coordinates(atomic.sources());
        let places = self.places(thread, &image.shape, parameters)?;
        let mut sources = [[0; LANES]; 2];
        for (index, source) in sources.iter_mut().enumerate().take(atomic.sources()) {
            *source = self.parameter(thread, parameters + index)?;
        }
        let mut results = [0; LANES];
        for lane in self.lanes() {
            let place = self.texel(&mut image, &places, lane)?;
            let sources = sources.each_ref().map(|source| u64::from(source[lane]));
            results[lane] = atomic.perform(place, sources);
            shared.count(true, image.texel_bytes);
        }
        let Some(response) = self.m.response().filter(|_| atomic.returns) else {
            return Ok(());
        };
        self.respond(thread, response, 0, |lane| results[lane] as u32)
    }

    /// Coordinates of all channels: as many parameters as the payload has, at most u, v and r; the level of detail after
    /// them must be 0.
    fn places(
        &self,
        thread: &Thread,
        shape: &Shape,
        parameters: usize,
    ) -> Result<[[u32; LANES]; 3], Cause> {
        let mut places = [[0; LANES]; 3];
        if self.enabled() == 0 {
            return Ok(places);
        }
        if shape.kind == ImageKind::D2Msaa {
            return Err(self.m.bad("the image is of a kind that it does not read"));
        }
        if !(1..=4).contains(&parameters) {
            let what = "its payload has no room for the coordinates, or more than they need";
            return Err(self.m.bad(what));
        }
        for number in 0..parameters {
            let given = self.parameter(thread, number)?;
            match places.get_mut(number) {
                // The kind does not have more coordinates.
                Some(_) if number >= shape.kind.limits().len() => {}
                Some(place) => *place = given,
                None if given != [0; LANES] => {
                    return Err(self.m.bad("an image has one level of detail"));
                }
                None => {}
            }
        }
        Ok(places)
    }

    /// A texel's place.
    fn texel<'b>(
        &self,
        image: &mut BoundImage<'b>,
        places: &[[u32; LANES]; 3],
        lane: usize,
    ) -> Result<Span<'b>, Cause> {
        let at = places.each_ref().map(|place| place[lane] as i32);
        let channel = lane + self.group;
        let place = image.texel(at.map(i64::from), channel)?;
        place.ok_or(Cause::OutsideImage {
            channel: channel as u32,
            at,
            kind: image.shape.kind.name(),
            size: image.shape.size,
        })
    }
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
