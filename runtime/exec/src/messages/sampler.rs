//! Messages to the sampler: filtered and unfiltered texel reads, and queries.
//!
//! Takes a message and the images and samplers bound; writes a register (two, of sixteen channels)
//! for each color channel that the header does not mask. Payloads follow the PRM, vol. 7, "Shared
//! Functions — 3D Sampler". Images have one level of detail, so the messages differ only in where
//! their payloads hold the coordinates. Samples of a texel are not compressed: what `ld_mcs` gives is 0, and
//! is not looked at.

use kiln_emit::messages::{Flag, Kind};

use super::bound::BoundImage;
use super::filter::{Lookup, face, gather, sample};
use super::payload::{channels, dwords, fill, fill_dwords, header_dword};
use crate::code::send::Message;
use crate::state::cause::Cause;
use crate::state::format::Color;
use crate::state::image::{Addressing, ImageKind, Sampler, Shape};
use crate::state::lanes::{LANES, low_mask};
use crate::state::memory::Shared;
use crate::state::thread::Thread;

/// The request of a message.
#[derive(Clone, Copy)]
enum Ask {
    /// A filtered texel; coordinates are floats.
    Sample,
    /// A channel of four texels; this parameter and the next have the texel offsets, if there are any.
    Gather { offsets: Option<usize> },
    /// A texel; coordinates are integers. The level of detail and the sample's number are in these parameters, if
    /// any.
    Load {
        level: Option<usize>,
        sample: Option<usize>,
    },
    /// Places of a compressed texel's samples.
    Slices,
    /// The level of detail of coordinates: clamped to the existing ones, and unclamped.
    Level,
    /// The image's size at the level of detail in the first parameter.
    Size,
    /// Number of samples of a texel.
    Samples,
}

/// A supported kind of message.
struct KindFacts {
    kind: Kind,
    ask: Ask,
    /// Indices of the parameters with the coordinates u, v and r.
    coordinates: [usize; 3],
    /// True if texels are compared with the first parameter.
    compares: bool,
}

const fn plain(kind: Kind, ask: Ask, coordinates: [usize; 3]) -> KindFacts {
    KindFacts {
        kind,
        ask,
        coordinates,
        compares: false,
    }
}

const fn comparing(kind: Kind, ask: Ask, coordinates: [usize; 3]) -> KindFacts {
    KindFacts {
        kind,
        ask,
        coordinates,
        compares: true,
    }
}

/// Parameters before the coordinates are the reference, then the bias or the level of detail. Gradients may follow
/// each coordinate.
const KINDS: &[KindFacts] = &[
    plain(Kind::Sample, Ask::Sample, [0, 1, 2]),
    plain(Kind::SampleB, Ask::Sample, [1, 2, 3]),
    plain(Kind::SampleL, Ask::Sample, [1, 2, 3]),
    comparing(Kind::SampleC, Ask::Sample, [1, 2, 3]),
    plain(Kind::SampleD, Ask::Sample, [0, 3, 6]),
    comparing(Kind::SampleBC, Ask::Sample, [2, 3, 4]),
    comparing(Kind::SampleLC, Ask::Sample, [2, 3, 4]),
    plain(Kind::Ld, load(Some(2), None), [0, 1, 3]),
    plain(Kind::Lod, Ask::Level, [0, 1, 2]),
    plain(Kind::SampleKillpix, Ask::Sample, [0, 1, 2]),
    plain(Kind::Ld2dmsW, load(Some(6), Some(0)), [3, 4, 5]),
    plain(Kind::Ld2dms, load(Some(5), Some(0)), [2, 3, 4]),
    plain(Kind::Ld2dss, load(Some(4), Some(0)), [1, 2, 3]),
    plain(Kind::LdMcs, Ask::Slices, [0, 1, 2]),
    plain(Kind::Gather4, Ask::Gather { offsets: None }, [0, 1, 2]),
    plain(Kind::Resinfo, Ask::Size, [0; 3]),
    plain(Kind::Sampleinfo, Ask::Samples, [0; 3]),
    comparing(Kind::Gather4C, Ask::Gather { offsets: None }, [1, 2, 3]),
    plain(Kind::Gather4Po, Ask::Gather { offsets: Some(2) }, [0, 1, 4]),
    comparing(
        Kind::Gather4PoC,
        Ask::Gather { offsets: Some(3) },
        [1, 2, 5],
    ),
    comparing(Kind::SampleDC, Ask::Sample, [1, 4, 7]),
    plain(Kind::SampleLz, Ask::Sample, [0, 1, 2]),
    comparing(Kind::SampleCLz, Ask::Sample, [1, 2, 3]),
    plain(Kind::LdLz, load(None, None), [0, 1, 2]),
];

const fn load(level: Option<usize>, sample: Option<usize>) -> Ask {
    Ask::Load { level, sample }
}

/// Number of lanes of a quad of two by two pixels, from the upper left one: differences between their coordinates are
/// derivatives.
const QUAD: usize = 4;

/// Fields of the header's dword 2: texel offsets, four bits with a sign each, of u in the highest; disabled color
/// channels; the gathered channel; feedback.
const HEADER_OFFSETS: u32 = 0xfff;
const HEADER_MASK: u32 = 12;
const HEADER_CHANNEL: u32 = 16;
const HEADER_FEEDBACK: u32 = 1 << 23;
/// Size of a sampler's state in bytes.
const STATE_BYTES: u32 = 16;

/// Executes a message to the sampler.
pub fn send(thread: &mut Thread, shared: &mut Shared, m: &Message) -> Result<(), Cause> {
    let asked = m.request()?;
    if let (Kind::SamplerFlush, Some(at)) = (asked.kind, m.response()) {
        // There is no cache: the response is always empty.
        let zeros = [0; 64];
        return fill(thread, m, at, &zeros[..m.register()]);
    }
    let facts = KINDS.iter().find(|facts| facts.kind == asked.kind);
    let facts = facts.ok_or_else(|| m.unknown())?;
    let channels = channels(m)?;
    let mut request = Request {
        m,
        facts,
        channels,
        first: usize::from(m.has_header()),
        colors: 0b1111,
        half: asked.fields.flags.has(Flag::Half),
        half_parameters: asked.fields.flags.has(Flag::HalfParameters),
        offset: [0; 3],
        gathered: 0,
        feedback: false,
    };
    let (mut state, mut bindless) = (0, false);
    if m.has_header() {
        let flags = header_dword(thread, m, 2)?;
        request.offset = [8, 4, 0].map(|low| ((flags & HEADER_OFFSETS) << (28 - low)) as i32 >> 28);
        request.feedback = flags & HEADER_FEEDBACK != 0;
        match facts.ask {
            Ask::Gather { .. } => request.gathered = (flags >> HEADER_CHANNEL & 3) as usize,
            _ => request.colors = !(flags >> HEADER_MASK) & 0b1111,
        }
        // Offset of the samplers' states; r0's is 0. A bindless sampler has its own.
        let at = header_dword(thread, m, 3)?;
        bindless = thread.platform.bindless_sampler_bit && at & 1 != 0;
        state = (at & if bindless { !0xf } else { !0x1f }) / STATE_BYTES;
    }
    let mut image = BoundImage::new(shared, m.bti())?;
    let shape = image.shape;
    let single = shape.kind != ImageKind::D2Msaa;
    let takes = match facts.ask {
        Ask::Sample | Ask::Gather { .. } | Ask::Level => single,
        Ask::Load { sample, .. } => (single || sample.is_some()) && shape.kind != ImageKind::Cube,
        Ask::Slices => shape.kind != ImageKind::Cube,
        Ask::Size | Ask::Samples => true,
    };
    if !takes {
        return Err(m.bad("the image is of a kind that it does not read"));
    }
    let sampler = match facts.ask {
        Ask::Sample | Ask::Gather { .. } | Ask::Level => {
            let index = asked
                .fields
                .sampler
                .unwrap_or_default()
                .saturating_add(state);
            let sampler = shared.bindings.sampler(index, bindless);
            sampler.ok_or(Cause::NoSampler(index))?
        }
        _ => Sampler::default(),
    };
    // The payload is read before the response, which may overlap it, is written.
    let mut results = [[0; 4]; LANES];
    let mut coordinates = [[0; LANES]; 3];
    for (place, &number) in coordinates.iter_mut().zip(&facts.coordinates) {
        *place = request.parameters(thread, number)?;
    }
    for lane in m.channels(channels) {
        let at = coordinates.each_ref().map(|coordinate| coordinate[lane]);
        results[lane] = request.lane(thread, shared, &mut image, &sampler, at, lane)?;
    }
    request.respond(thread, &shape, &results)
}

struct Request<'a> {
    m: &'a Message,
    facts: &'static KindFacts,
    channels: usize,
    /// First register of the parameters.
    first: usize,
    /// Requested color channels.
    colors: u32,
    /// True if colors have 16 bits.
    half: bool,
    /// True if parameters have 16 bits.
    half_parameters: bool,
    /// Offset in texels.
    offset: [i32; 3],
    /// Requested channel of a gathering message.
    gathered: usize,
    /// True if the mask of channels with all texels in memory follows the colors.
    feedback: bool,
}

impl Request<'_> {
    /// Enabled channels.
    fn enabled(&self) -> u32 {
        self.m.enabled() & low_mask(self.channels)
    }

    /// A parameter of all channels; 0 if the payload is too short.
    fn parameters(&self, thread: &Thread, number: usize) -> Result<[u32; LANES], Cause> {
        let register = self.first + number * (self.channels * 4).div_ceil(self.m.register());
        if !self.half_parameters && register < self.m.payload_len() {
            return dwords(thread, self.m, register, self.enabled());
        }
        let mut parameters = [0; LANES];
        for lane in self.m.channels(self.channels) {
            parameters[lane] = self.parameter(thread, number, lane)?;
        }
        Ok(parameters)
    }

    /// A parameter of a channel; 0 if the payload is too short.
    fn parameter(&self, thread: &Thread, number: usize, lane: usize) -> Result<u32, Cause> {
        let size = if self.half_parameters { 2 } else { 4 };
        let registers = (self.channels * size).div_ceil(self.m.register());
        let register = self.first + number * registers;
        if register >= self.m.payload_len() {
            return Ok(0);
        }
        if !self.half_parameters {
            return Ok(thread.grf_dword(self.m.at(register, lane * 4)?));
        }
        let at = self.m.at(register, lane * 2)?;
        let bits = u16::from_le_bytes([thread.grf[at], thread.grf[at + 1]]);
        Ok(match self.facts.ask {
            Ask::Sample | Ask::Gather { .. } | Ask::Level => {
                half::f16::from_bits(bits).to_f32().to_bits()
            }
            _ => bits as i16 as u32,
        })
    }

    /// The lookup of a sampling message.
    fn lookup(
        &self,
        thread: &Thread,
        shape: &Shape,
        sampler: &Sampler,
        at: [u32; 3],
        lane: usize,
    ) -> Result<Lookup, Cause> {
        let mut lookup = Lookup {
            at: at.map(f32::from_bits),
            offset: self.offset,
            compared: None,
        };
        if shape.kind == ImageKind::Cube {
            // The other modes mix texels of several faces.
            if sampler.addressing != Addressing::ClampToEdge {
                return Err(self
                    .m
                    .bad("a cube is read with coordinates clamped to the edge"));
            }
            lookup.at = face(lookup.at);
        }
        if self.facts.compares {
            let missing = || self.m.bad("the sampler has no comparison");
            let comparison = sampler.comparison.ok_or_else(missing)?;
            let reference = f32::from_bits(self.parameter(thread, 0, lane)?);
            lookup.compared = Some((comparison, reference));
        }
        if let Ask::Gather {
            offsets: Some(first),
        } = self.facts.ask
        {
            for axis in 0..2 {
                lookup.offset[axis] = self.parameter(thread, first + axis, lane)? as i32;
            }
        }
        Ok(lookup)
    }

    fn lane(
        &self,
        thread: &Thread,
        shared: &mut Shared,
        image: &mut BoundImage,
        sampler: &Sampler,
        at: [u32; 3],
        lane: usize,
    ) -> Result<Color, Cause> {
        let shape = &{ image.shape };
        let mut texel = |at| read(shared, image, at, lane);
        // The length of a direction does not matter.
        let sampler = &Sampler {
            normalized: sampler.normalized || shape.kind == ImageKind::Cube,
            ..*sampler
        };
        match self.facts.ask {
            Ask::Sample => {
                let lookup = self.lookup(thread, shape, sampler, at, lane)?;
                sample(shape, sampler, &lookup, texel)
            }
            Ask::Gather { .. } => {
                let lookup = self.lookup(thread, shape, sampler, at, lane)?;
                gather(shape, sampler, &lookup, self.gathered, texel)
            }
            Ask::Load { level, sample } => {
                let given =
                    |at: Option<usize>| at.map_or(Ok(0), |n| self.parameter(thread, n, lane));
                // There is one level; others, and other samples, are outside the image.
                let sample = given(sample)?;
                if given(level)? != 0 || sample >= shape.samples() {
                    return Ok(shape.format.border());
                }
                let mut whole = [0, 0, i64::from(sample)];
                let axes = shape.kind.coordinates();
                let placed = whole.iter_mut().zip(at).zip(self.offset);
                for ((to, from), offset) in placed.take(axes) {
                    *to = i64::from(from as i32) + i64::from(offset);
                }
                texel(whole)
            }
            Ask::Size => {
                let level = self.parameter(thread, 0, lane)?;
                let layers = shape.kind.layer_axis();
                let mut size: Color = [0, 0, 0, 1];
                // A cube has no layers, and samples are not counted.
                let axes = match shape.kind {
                    ImageKind::Cube => shape.kind.axes(),
                    kind => kind.coordinates(),
                };
                let whole = shape.size.iter().take(axes);
                for (axis, (place, &whole)) in size.iter_mut().zip(whole).enumerate() {
                    let halved = whole.checked_shr(level).unwrap_or(0);
                    *place = if layers == Some(axis) { whole } else { halved };
                }
                Ok(size)
            }
            Ask::Samples => Ok([shape.samples(), 0, 0, 0]),
            Ask::Slices => Ok([0; 4]),
            Ask::Level => {
                let asked = self.level(thread, sampler, shape, lane)?;
                Ok([0f32, asked, 0.0, 0.0].map(f32::to_bits))
            }
        }
    }

    /// Level of detail of a channel's pixel: the logarithm of the distance in texels to the next pixel, to the right
    /// or below, whichever is greater (OpenGL 4.6, "Scale Factor and Level of Detail").
    fn level(
        &self,
        thread: &Thread,
        sampler: &Sampler,
        shape: &Shape,
        lane: usize,
    ) -> Result<f32, Cause> {
        let first = lane / QUAD * QUAD;
        let mut most = 0f32;
        for other in [first + 1, first + 2] {
            let mut square = 0f32;
            for axis in 0..shape.kind.axes() {
                let number = self.facts.coordinates[axis];
                let [from, to] = [first, other].map(|lane| self.parameter(thread, number, lane));
                let step = f32::from_bits(to?) - f32::from_bits(from?);
                let texels = if sampler.normalized {
                    shape.size[axis] as f32
                } else {
                    1.0
                };
                square += (step * texels).powi(2);
            }
            most = most.max(square.sqrt());
        }
        Ok(libm::log2f(most))
    }

    /// Writes the requested colors, as many as fit the response.
    fn respond(
        &self,
        thread: &mut Thread,
        shape: &Shape,
        results: &[Color; LANES],
    ) -> Result<(), Cause> {
        let Some(response) = self.m.response() else {
            return Ok(());
        };
        // 16-bit numbers of eight channels take the lower half of a register.
        let half = self.half;
        let size = if half { 2 } else { 4 };
        let stride = (self.channels * size).next_multiple_of(self.m.register());
        let wanted = (0..4).filter(|color| self.colors >> color & 1 != 0);
        let all = self.m.response_len();
        // The executor kills no pixel by its color; a response with an extra register receives that mask.
        let full = wanted.clone().count() * stride / self.m.register();
        let pixels = self.facts.kind == Kind::SampleKillpix && all > full;
        let mask = self.feedback || pixels;
        let rows = all - usize::from(mask).min(all);
        let room = rows * self.m.register() / stride;
        let is_float =
            shape.format.is_float() && !matches!(self.facts.ask, Ask::Size | Ask::Samples);
        for (index, color) in wanted.enumerate().take(room) {
            if !half {
                let at = response + index * stride;
                fill_dwords(thread, self.m, at, self.enabled(), |lane| {
                    results[lane][color]
                })?;
                continue;
            }
            for lane in self.m.channels(self.channels) {
                let value = match results[lane][color] {
                    bits if is_float => {
                        u32::from(half::f16::from_f32(f32::from_bits(bits)).to_bits())
                    }
                    bits => bits,
                };
                let at = response + index * stride + lane * size;
                fill(thread, self.m, at, &value.to_le_bytes()[..size])?;
            }
        }
        if mask {
            // No bound image has null pages.
            let at = response + rows * self.m.register();
            fill(thread, self.m, at, &u32::MAX.to_le_bytes())?;
        }
        Ok(())
    }
}

/// A texel's color, or the border's outside.
fn read(
    shared: &mut Shared,
    image: &mut BoundImage,
    at: [i64; 3],
    lane: usize,
) -> Result<Color, Cause> {
    let format = image.shape.format;
    let Some(texel) = image.texel(at, lane)? else {
        return Ok(format.border());
    };
    shared.count(false, image.texel_bytes);
    Ok(format.decode_dwords(texel.dwords(image.texel_bytes)))
}
