//! Texel formats: the stored channels and their order, and the conversion of their numbers.
//!
//! A channel is read as a 32-bit float, or as a 32-bit integer for `sint` and `uint` types. Channels that are not
//! stored read as 0, alpha as 1 (OpenCL C, "Image Functions"; PRM vol. 5, "Surface Formats").

use std::fmt;

use half::f16;

/// Encoding of a channel's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    /// 0 to 1 in equal steps.
    Unorm,
    /// -1 to 1; the two lowest values are both -1.
    Snorm,
    Uint,
    Sint,
    Float,
}

/// An order of channels.
#[derive(Debug, PartialEq, Eq)]
struct Order {
    name: &'static str,
    /// Number in OpenCL.
    code: u32,
    /// Index of each stored channel among red, green, blue and alpha.
    channels: &'static [usize],
    /// Channels that are read as the red one.
    copies: &'static [usize],
    /// True if colors are sRGB-encoded; alpha is not.
    srgb: bool,
}

/// A type of channels.
#[derive(Debug, PartialEq, Eq)]
struct Kind {
    name: &'static str,
    code: u32,
    number: Number,
    /// Size of a channel in bytes.
    bytes: usize,
}

const ORDERS: &[Order] = &[
    order("r", 0x10b0, &[0]),
    order("a", 0x10b1, &[3]),
    order("rg", 0x10b2, &[0, 1]),
    order("ra", 0x10b3, &[0, 3]),
    order("rgba", 0x10b5, &[0, 1, 2, 3]),
    order("bgra", 0x10b6, &[2, 1, 0, 3]),
    order("argb", 0x10b7, &[3, 0, 1, 2]),
    order("abgr", 0x10c3, &[3, 2, 1, 0]),
    copied("i", 0x10b8, &[1, 2, 3]),
    copied("l", 0x10b9, &[1, 2]),
    encoded("srgba", 0x10c1, &[0, 1, 2, 3]),
    encoded("sbgra", 0x10c2, &[2, 1, 0, 3]),
];

const KINDS: &[Kind] = &[
    kind("8snorm", 0x10d0, Number::Snorm, 1),
    kind("16snorm", 0x10d1, Number::Snorm, 2),
    kind("8unorm", 0x10d2, Number::Unorm, 1),
    kind("16unorm", 0x10d3, Number::Unorm, 2),
    kind("8sint", 0x10d7, Number::Sint, 1),
    kind("16sint", 0x10d8, Number::Sint, 2),
    kind("32sint", 0x10d9, Number::Sint, 4),
    kind("8uint", 0x10da, Number::Uint, 1),
    kind("16uint", 0x10db, Number::Uint, 2),
    kind("32uint", 0x10dc, Number::Uint, 4),
    kind("16float", 0x10dd, Number::Float, 2),
    kind("32float", 0x10de, Number::Float, 4),
];

const fn order(name: &'static str, code: u32, channels: &'static [usize]) -> Order {
    Order {
        name,
        code,
        channels,
        copies: &[],
        srgb: false,
    }
}

const fn copied(name: &'static str, code: u32, copies: &'static [usize]) -> Order {
    Order {
        copies,
        ..order(name, code, &[0])
    }
}

const fn encoded(name: &'static str, code: u32, channels: &'static [usize]) -> Order {
    Order {
        srgb: true,
        ..order(name, code, channels)
    }
}

const fn kind(name: &'static str, code: u32, number: Number, bytes: usize) -> Kind {
    Kind {
        name,
        code,
        number,
        bytes,
    }
}

const ALPHA: usize = 3;

/// Bytes of the largest texel.
pub const TEXEL_MAX: usize = 16;

/// Bytes of a texel, as dwords; zeros follow.
pub type Texel = [u32; TEXEL_MAX / 4];

/// A texel's channels, red to alpha: the bits of floats or integers.
pub type Color = [u32; 4];

/// A texel format: an order of channels and a type, written one after the other: `rgba8unorm`,
/// `bgra8uint`, `r32float`. Orders are `r`, `a`, `rg`, `ra`, `rgba`, `bgra`, `argb` and `abgr`, intensity (`i`),
/// luminance (`l`), and `srgba` and `sbgra` of type `8unorm`;
/// types `8unorm`, `16unorm`, `8snorm`, `16snorm`, `8uint`, `16uint`, `32uint`, `8sint`, `16sint`,
/// `32sint`, `16float` and `32float`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    order: &'static Order,
    kind: &'static Kind,
}

impl Format {
    /// The format with the given name.
    pub fn find(name: &str) -> Option<Format> {
        let digits = name.find(|c: char| c.is_ascii_digit())?;
        let (order, kind) = name.split_at(digits);
        let format = Format {
            order: ORDERS.iter().find(|o| o.name == order)?,
            kind: KINDS.iter().find(|k| k.name == kind)?,
        };
        let known =
            !format.order.srgb || format.kind.number == Number::Unorm && format.bytes() == 4;
        known.then_some(format)
    }

    /// Size of a texel in bytes.
    pub fn bytes(self) -> usize {
        self.order.channels.len() * self.kind.bytes
    }

    /// Number of channels that a texel stores.
    pub fn channels(self) -> usize {
        self.order.channels.len()
    }

    /// Mask of the channels that a texel stores, red in bit 0.
    pub fn stored(self) -> u8 {
        let channels = self.order.channels.iter();
        channels.fold(0, |mask, channel| mask | 1 << channel)
    }

    /// OpenCL's numbers of the channels' order and type.
    pub fn codes(self) -> (u32, u32) {
        (self.order.code, self.kind.code)
    }

    /// True if channels are read as floats, else as integers.
    pub fn is_float(self) -> bool {
        !matches!(self.kind.number, Number::Uint | Number::Sint)
    }

    /// The border color: zero, but 1 for an alpha that is not stored.
    pub fn border(self) -> Color {
        self.decode(&[0; TEXEL_MAX])
    }

    /// Decodes a texel. Missing bytes are zero.
    pub fn decode(self, texel: &[u8]) -> Color {
        let mut dwords = Texel::default();
        for (dword, bytes) in dwords.iter_mut().zip(texel.chunks(4)) {
            let mut whole = [0; 4];
            whole[..bytes.len()].copy_from_slice(bytes);
            *dword = u32::from_le_bytes(whole);
        }
        self.decode_dwords(dwords)
    }

    /// Decodes a texel.
    pub fn decode_dwords(self, texel: Texel) -> Color {
        let mut color = [0, 0, 0, self.opaque()];
        for (&channel, (dword, shift)) in self.order.channels.iter().zip(self.places()) {
            color[channel] = self.kind.decode(texel[dword] >> shift);
            if self.order.srgb && channel != ALPHA {
                color[channel] = linear(f32::from_bits(color[channel])).to_bits();
            }
        }
        for &channel in self.order.copies {
            color[channel] = color[0];
        }
        color
    }

    /// An alpha of 1.
    fn opaque(self) -> u32 {
        match self.is_float() {
            true => 1f32.to_bits(),
            false => 1,
        }
    }

    /// Dword and lowest bit of each channel in a texel.
    fn places(self) -> impl Iterator<Item = (usize, usize)> {
        let bytes = self.kind.bytes;
        (0..).step_by(bytes).map(|at| (at / 4, at % 4 * 8))
    }

    /// Encodes a texel: integers saturate, fractions round to nearest even.
    pub fn encode(self, color: Color, texel: &mut [u8]) {
        let dwords = self.encode_dwords(color).map(u32::to_le_bytes);
        for (to, from) in texel.iter_mut().zip(&dwords.as_flattened()[..self.bytes()]) {
            *to = *from;
        }
    }

    /// As [`Format::encode`].
    pub fn encode_dwords(self, color: Color) -> Texel {
        let mut texel = Texel::default();
        for (&channel, (dword, shift)) in self.order.channels.iter().zip(self.places()) {
            let value = match self.order.srgb && channel != ALPHA {
                true => curved(f32::from_bits(color[channel])).to_bits(),
                false => color[channel],
            };
            let unused = 32 - 8 * self.kind.bytes as u32;
            texel[dword] |= self.kind.encode(value) << unused >> unused << shift;
        }
        texel
    }
}

/// The intensity of a stored sRGB color, and the color of an intensity (IEC 61966-2-1).
fn linear(color: f32) -> f32 {
    match color {
        ..=0.04045 => color / 12.92,
        _ => libm::pow((f64::from(color) + 0.055) / 1.055, 2.4) as f32,
    }
}

fn curved(intensity: f32) -> f32 {
    match intensity {
        ..=0.0031308 => intensity * 12.92,
        _ => (1.055 * libm::pow(intensity.into(), 1.0 / 2.4) - 0.055) as f32,
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.order.name, self.kind.name)
    }
}

impl Kind {
    /// The number of a channel, which is in the lowest bits.
    fn decode(&self, bits: u32) -> u32 {
        let shift = 32 - 8 * self.bytes as u32;
        let raw = bits << shift >> shift;
        let signed = (bits << shift) as i32 >> shift;
        match self.number {
            Number::Uint => raw,
            Number::Sint => signed as u32,
            Number::Unorm => (raw as f32 / self.largest()).to_bits(),
            Number::Snorm => (signed as f32 / self.largest()).max(-1.0).to_bits(),
            Number::Float if self.bytes == 2 => f16::from_bits(raw as u16).to_f32().to_bits(),
            Number::Float => raw,
        }
    }

    fn encode(&self, value: u32) -> u32 {
        let bits = 8 * self.bytes as u32;
        let float = f32::from_bits(value);
        // Conversions of OpenCL C saturate, and convert NaNs to zero.
        let scaled = || (float * self.largest()).round_ties_even();
        match self.number {
            Number::Uint => value.min(u32::MAX >> (32 - bits)),
            Number::Sint => {
                let most = i32::MAX >> (32 - bits);
                (value as i32).clamp(-most - 1, most) as u32
            }
            Number::Unorm => scaled().clamp(0.0, self.largest()) as u32,
            Number::Snorm => scaled().clamp(-self.largest(), self.largest()) as i32 as u32,
            Number::Float if self.bytes == 2 => u32::from(f16::from_f32(float).to_bits()),
            Number::Float => value,
        }
    }

    /// Code of the number 1.
    fn largest(&self) -> f32 {
        let bits = 8 * self.bytes as u32 - u32::from(self.number == Number::Snorm);
        (u32::MAX >> (32 - bits)) as f32
    }
}

#[cfg(test)]
#[path = "../tests/format.rs"]
mod tests;
