//! Filtering: the texels that coordinates read, and their mixture.
//!
//! By the formulas of OpenCL C ("Addressing and Filter Modes"), in 32-bit floats. The hardware mixes
//! with weights of eight fractional bits: with the linear filter, its results lie within 1/256 of
//! the difference between neighbouring texels, for each axis, of the ones here.

use crate::state::format::Color;
use crate::state::image::{Addressing, Comparison, Filter, Sampler, Shape};

/// Texels on both sides of a coordinate along one axis, and the weight of the second.
#[derive(Clone, Copy)]
struct Between {
    texels: [i64; 2],
    weight: f32,
}

/// Coordinates, offsets from them in texels, and the reference value for the red channel.
#[derive(Clone, Copy, Default)]
pub struct Lookup {
    pub at: [f32; 3],
    pub offset: [i32; 3],
    pub compared: Option<(Comparison, f32)>,
}

impl Lookup {
    /// The texel, or the result of its comparison in the red channel, 1 or 0.
    fn seen(&self, texel: Color) -> Color {
        let Some((comparison, reference)) = self.compared else {
            return texel;
        };
        let holds = comparison.holds(reference, f32::from_bits(texel[0]));
        [f32::from(u8::from(holds)), 0.0, 0.0, 1.0].map(f32::to_bits)
    }

    fn between(&self, shape: &Shape, sampler: &Sampler) -> [Between; 3] {
        let mut between = [Between {
            texels: [0; 2],
            weight: 0.0,
        }; 3];
        for (axis, place) in between.iter_mut().enumerate().take(shape.kind.axes()) {
            let (at, offset) = (self.at[axis], self.offset[axis]);
            *place = along(sampler, at, offset, shape.size[axis]);
        }
        if let Some(axis) = shape.kind.layer_axis() {
            let layer = layer(self.at[axis], shape.size[axis]);
            between[axis].texels = [layer; 2];
        }
        between
    }
}

/// One of the texels around coordinates: bit n selects the second along axis n.
fn corner(between: &[Between; 3], bits: usize) -> [i64; 3] {
    std::array::from_fn(|axis| between[axis].texels[bits >> axis & 1])
}

/// Reads an image with a sampler. `texel` returns a texel, or the border color outside the image.
pub fn sample<E>(
    shape: &Shape,
    sampler: &Sampler,
    lookup: &Lookup,
    mut texel: impl FnMut([i64; 3]) -> Result<Color, E>,
) -> Result<Color, E> {
    let axes = shape.kind.axes();
    let between = lookup.between(shape, sampler);
    if sampler.filter == Filter::Nearest || !shape.format.is_float() {
        return Ok(lookup.seen(texel(corner(&between, 0))?));
    }
    let mut mixed = [0f32; 4];
    for bits in 0..1 << axes {
        let weight = (0..axes).fold(1.0, |weight, axis| {
            let second = between[axis].weight;
            weight
                * if bits >> axis & 1 != 0 {
                    second
                } else {
                    1.0 - second
                }
        });
        // Texels without weight do not count, not even infinite ones.
        if weight != 0.0 {
            let color = lookup.seen(texel(corner(&between, bits))?);
            for (sum, channel) in mixed.iter_mut().zip(color) {
                *sum += weight * f32::from_bits(channel);
            }
        }
    }
    Ok(mixed.map(f32::to_bits))
}

/// A channel of each of the four texels that a linear filter would mix, whatever the sampler's filter: from the lower
/// left one counterclockwise, the first axis to the right and the second downwards.
pub fn gather<E>(
    shape: &Shape,
    sampler: &Sampler,
    lookup: &Lookup,
    channel: usize,
    mut texel: impl FnMut([i64; 3]) -> Result<Color, E>,
) -> Result<Color, E> {
    let linear = Sampler {
        filter: Filter::Linear,
        ..*sampler
    };
    let between = lookup.between(shape, &linear);
    let mut gathered = Color::default();
    for (to, bits) in gathered.iter_mut().zip([0b10, 0b11, 0b01, 0b00]) {
        *to = lookup.seen(texel(corner(&between, bits))?)[channel];
    }
    Ok(gathered)
}

/// Intersection of a direction from the centre with a cube: the place on a face, from 0 to 1, and the face's number
/// (OpenGL 4.6, "Cube Map Texture Selection"). Among axes of equal magnitude the last one selects the face.
pub fn face(direction: [f32; 3]) -> [f32; 3] {
    let [x, y, z] = direction;
    let far = direction.map(f32::abs);
    let (face, along, across, down) = if far[2] >= far[0] && far[2] >= far[1] {
        (4, z, if z < 0.0 { -x } else { x }, -y)
    } else if far[1] >= far[0] {
        (2, y, x, if y < 0.0 { -z } else { z })
    } else {
        (0, x, if x < 0.0 { z } else { -z }, -y)
    };
    let place = |at: f32| (at / along.abs() + 1.0) / 2.0;
    let face = face + u8::from(along < 0.0);
    [place(across), place(down), f32::from(face)]
}

/// The layer nearest to a coordinate.
fn layer(at: f32, size: u32) -> i64 {
    (at.round_ties_even() as i64).clamp(0, i64::from(size) - 1)
}

fn along(sampler: &Sampler, at: f32, offset: i32, size: u32) -> Between {
    let extent = size as f32;
    let last = i64::from(size) - 1;
    let offset = offset as f32;
    let fraction = || if sampler.normalized { at } else { at / extent } + offset / extent;
    // The coordinate in texels, folded into the image by the repeating modes.
    let unfolded = match sampler.addressing {
        Addressing::Repeat => (fraction() - fraction().floor()) * extent,
        Addressing::MirroredRepeat => {
            let fraction = fraction();
            (fraction - 2.0 * (0.5 * fraction).round_ties_even()).abs() * extent
        }
        _ if sampler.normalized => at * extent + offset,
        _ => at + offset,
    };
    let inside = |texel: i64| match sampler.addressing {
        Addressing::Clamp => texel.clamp(-1, last + 1),
        Addressing::ClampToEdge | Addressing::MirroredRepeat => texel.clamp(0, last),
        Addressing::Repeat if texel < 0 => texel.saturating_add(last + 1).max(0),
        Addressing::Repeat if texel > last => texel.saturating_sub(last + 1).min(last),
        Addressing::Repeat => texel,
    };
    match sampler.filter {
        Filter::Nearest => Between {
            texels: [inside(unfolded.floor() as i64); 2],
            weight: 0.0,
        },
        Filter::Linear => {
            let low = unfolded - 0.5;
            let first = low.floor() as i64;
            let weight = low - low.floor();
            Between {
                texels: [inside(first), inside(first.saturating_add(1))],
                // Infinities and NaNs lie on a texel.
                weight: if weight.is_finite() { weight } else { 0.0 },
            }
        }
    }
}

#[cfg(test)]
#[path = "../tests/filter.rs"]
mod tests;
