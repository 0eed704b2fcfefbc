//! Messages to the sampler: reading texels, filtered or not, and asking for an image's size.
//!
//! Takes a message and the images and samplers bound; writes a register (two, of sixteen channels)
//! for each color channel that the header does not mask. Payloads follow the PRM, vol. 7, "Shared
//! Functions — 3D Sampler". Images have one level of detail, so the messages differ only in where
//! their payloads hold the coordinates.

use kiln_emit::messages::{Flag, Kind};

use super::error::Cause;
use super::filter::sample;
use super::format::{Color, TEXEL_MAX};
use super::image::{Sampler, Shape};
use super::machine::{LANES, Thread};
use super::memory::Shared;
use super::message::{Message, channels, fill, header_dword};

/// What a message asks for.
#[derive(Clone, Copy)]
enum Ask {
    /// A filtered texel; coordinates are floats.
    Sample,
    /// A texel; coordinates are integers. The level of detail is at this parameter, if anywhere.
    Load { level: Option<usize> },
    /// The image's size at the level of detail that is the first parameter.
    Size,
    /// How many samples a texel has.
    Samples,
}

/// Kinds of messages that are carried out, what is asked for, and which parameters are the
/// coordinates u, v and r.
const KINDS: &[(Kind, Ask, [usize; 3])] = &[
    (Kind::Sample, Ask::Sample, [0, 1, 2]),
    // the bias comes first
    (Kind::SampleB, Ask::Sample, [1, 2, 3]),
    // the level of detail comes first
    (Kind::SampleL, Ask::Sample, [1, 2, 3]),
    // each coordinate is followed by its gradients
    (Kind::SampleD, Ask::Sample, [0, 3, 6]),
    (Kind::Ld, Ask::Load { level: Some(2) }, [0, 1, 3]),
    (Kind::Resinfo, Ask::Size, [0; 3]),
    (Kind::Sampleinfo, Ask::Samples, [0; 3]),
    (Kind::SampleLz, Ask::Sample, [0, 1, 2]),
    (Kind::LdLz, Ask::Load { level: None }, [0, 1, 2]),
];

/// Bits of the header's dword 2: texel offsets; disabled color channels; feedback.
const HEADER_OFFSETS: u32 = 0xfff;
const HEADER_MASK: u32 = 12;
const HEADER_FEEDBACK: u32 = 1 << 23;
/// Bytes of a sampler's state.
const STATE_BYTES: u32 = 16;

/// Executes a message to the sampler.
pub fn send(thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
    let asked = m.request()?;
    let kind = KINDS.iter().find(|(kind, ..)| *kind == asked.kind);
    let &(_, ask, coordinates) = kind.ok_or_else(|| m.unknown())?;
    let channels = channels(m)?;
    let mut request = Request {
        m,
        ask,
        coordinates,
        channels,
        first: usize::from(m.has_header()),
        colors: 0b1111,
        half: asked.fields.flags.has(Flag::Half),
    };
    let mut state = 0;
    if m.has_header() {
        let flags = header_dword(thread, m, 2)?;
        if flags & (HEADER_OFFSETS | HEADER_FEEDBACK) != 0 {
            return Err(m.bad("texel offsets and feedback of the sampler are not implemented"));
        }
        request.colors = !(flags >> HEADER_MASK) & 0b1111;
        // Where the samplers' states start, as an offset; r0's is 0.
        state = (header_dword(thread, m, 3)? & !0x1f) / STATE_BYTES;
    }
    let (buffer, shape) = shared.image(m.bti())?;
    let sampler = match ask {
        Ask::Sample => {
            let index = asked
                .fields
                .sampler
                .unwrap_or_default()
                .saturating_add(state);
            let sampler = shared.samplers.get(index as usize).copied().flatten();
            sampler.ok_or(Cause::NoSampler(index))?
        }
        _ => Sampler::default(),
    };
    // The payload is read before the response, which may overlap it, is written.
    let mut results = [[0; 4]; LANES];
    for lane in m.channels(channels) {
        results[lane] = request.lane(thread, shared, buffer, &shape, &sampler, lane)?;
    }
    request.respond(thread, &shape, &results)
}

struct Request<'a> {
    m: &'a Message,
    ask: Ask,
    coordinates: [usize; 3],
    channels: usize,
    /// The first register of the parameters.
    first: usize,
    /// Color channels that are wanted.
    colors: u32,
    /// They are numbers of 16 bits.
    half: bool,
}

impl Request<'_> {
    /// A parameter of a channel; 0 if the payload does not reach so far.
    fn parameter(&self, thread: &Thread, number: usize, lane: usize) -> Result<u32, Cause> {
        let registers = self.channels * 4 / self.m.register();
        let register = self.first + number * registers;
        if register >= self.m.payload_len() {
            return Ok(0);
        }
        Ok(thread.grf_dword(self.m.at(register, lane * 4)?))
    }

    fn lane(
        &self,
        thread: &Thread,
        shared: &mut Shared,
        buffer: usize,
        shape: &Shape,
        sampler: &Sampler,
        lane: usize,
    ) -> Result<Color, Cause> {
        let mut at = [0; 3];
        for (place, &number) in at.iter_mut().zip(&self.coordinates) {
            *place = self.parameter(thread, number, lane)?;
        }
        let mut texel = |at| read(shared, buffer, shape, at, lane);
        match self.ask {
            Ask::Sample => sample(shape, sampler, at.map(f32::from_bits), texel),
            Ask::Load { level } => {
                let level = level.map_or(Ok(0), |number| self.parameter(thread, number, lane))?;
                // There is one level; the others are outside the image.
                if level != 0 {
                    return Ok(shape.format.border());
                }
                let mut whole = [0; 3];
                let axes = shape.kind.limits().len();
                for (to, from) in whole.iter_mut().zip(at).take(axes) {
                    *to = i64::from(from as i32);
                }
                texel(whole)
            }
            Ask::Size => {
                let level = self.parameter(thread, 0, lane)?;
                let layers = shape.kind.layer_axis();
                let mut size: Color = [0, 0, 0, 1];
                let whole = shape.size.iter().take(shape.kind.limits().len());
                for (axis, (place, &whole)) in size.iter_mut().zip(whole).enumerate() {
                    let halved = whole.checked_shr(level).unwrap_or(0);
                    *place = if layers == Some(axis) { whole } else { halved };
                }
                Ok(size)
            }
            Ask::Samples => Ok([1, 0, 0, 0]),
        }
    }

    /// Writes the wanted colors, as many as the response has room for.
    fn respond(
        &self,
        thread: &mut Thread,
        shape: &Shape,
        results: &[Color; LANES],
    ) -> Result<(), Cause> {
        let Some(response) = self.m.response() else {
            return Ok(());
        };
        // Numbers of 16 bits take the lower half of a register that eight channels have.
        let half = self.half;
        let size = if half { 2 } else { 4 };
        let stride = (self.channels * size).next_multiple_of(self.m.register());
        let room = self.m.response_len() * self.m.register() / stride;
        let wanted = (0..4).filter(|color| self.colors >> color & 1 != 0);
        let is_float =
            shape.format.is_float() && matches!(self.ask, Ask::Sample | Ask::Load { .. });
        for (index, color) in wanted.enumerate().take(room) {
            for lane in self.m.channels(self.channels) {
                let value = match results[lane][color] {
                    bits if half && is_float => {
                        u32::from(half::f16::from_f32(f32::from_bits(bits)).to_bits())
                    }
                    bits => bits,
                };
                let at = response + index * stride + lane * size;
                fill(thread, self.m, at, &value.to_le_bytes()[..size])?;
            }
        }
        Ok(())
    }
}

/// A texel's color, or the border's outside.
fn read(
    shared: &mut Shared,
    buffer: usize,
    shape: &Shape,
    at: [i64; 3],
    lane: usize,
) -> Result<Color, Cause> {
    let Some(offset) = shape.offset(at) else {
        return Ok(shape.format.border());
    };
    let size = shape.format.bytes();
    let mut texel = [0; TEXEL_MAX];
    let bytes = shared.memory.at_offset(buffer, offset, size, lane as u32)?;
    bytes.read(&mut texel[..size]);
    shared.count(false, size);
    Ok(shape.format.decode(&texel))
}
