//! Filtering: the texels that coordinates read, and their mixture.
//!
//! By the formulas of OpenCL C ("Addressing and Filter Modes"), in 32-bit floats. The hardware mixes
//! with weights of eight fractional bits: with the linear filter, its results lie within 1/256 of
//! the difference between neighbouring texels, for each axis, of the ones here.

use super::format::Color;
use super::image::{Addressing, Comparison, Filter, Sampler, Shape};

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
    let fraction = if sampler.normalized { at } else { at / extent } + offset / extent;
    // The coordinate in texels, folded into the image by the repeating modes.
    let unfolded = match sampler.addressing {
        Addressing::Repeat => (fraction - fraction.floor()) * extent,
        Addressing::MirroredRepeat => {
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
mod tests {
    use super::super::format::Format;
    use super::super::image::ImageKind;
    use super::*;

    const MODES: [Addressing; 4] = [
        Addressing::Clamp,
        Addressing::ClampToEdge,
        Addressing::Repeat,
        Addressing::MirroredRepeat,
    ];

    fn lookup(at: [f32; 3]) -> Lookup {
        Lookup {
            at,
            ..Lookup::default()
        }
    }

    fn row(size: u32) -> Shape {
        Shape::new(ImageKind::D1, Format::find("r32float").unwrap(), &[size]).unwrap()
    }

    /// The texels 10, 20, 30, 40; outside 0.
    fn ramp(texel: [i64; 3]) -> Result<Color, ()> {
        let value = match texel[0] {
            at @ 0..4 => 10.0 * (at + 1) as f32,
            _ => 0.0,
        };
        Ok([value.to_bits(), 0, 0, 0])
    }

    fn read(addressing: Addressing, filter: Filter, normalized: bool, at: f32) -> f32 {
        let sampler = Sampler {
            normalized,
            addressing,
            filter,
            comparison: None,
        };
        f32::from_bits(sample(&row(4), &sampler, &lookup([at, 0.0, 0.0]), ramp).unwrap()[0])
    }

    #[test]
    fn nearest_reads_the_texel_that_the_address_mode_says() {
        let at = [-1.5, -0.5, 0.0, 0.5, 1.99, 3.5, 4.0, 5.5];
        let expected: [(Addressing, [f32; 8]); 4] = [
            (
                Addressing::Clamp,
                [0.0, 0.0, 10.0, 10.0, 20.0, 40.0, 0.0, 0.0],
            ),
            (
                Addressing::ClampToEdge,
                [10.0, 10.0, 10.0, 10.0, 20.0, 40.0, 40.0, 40.0],
            ),
            (
                Addressing::Repeat,
                [30.0, 40.0, 10.0, 10.0, 20.0, 40.0, 10.0, 20.0],
            ),
            (
                Addressing::MirroredRepeat,
                [20.0, 10.0, 10.0, 10.0, 20.0, 40.0, 40.0, 30.0],
            ),
        ];
        for (mode, texels) in expected {
            for (at, texel) in at.into_iter().zip(texels) {
                assert_eq!(
                    read(mode, Filter::Nearest, true, at / 4.0),
                    texel,
                    "{mode:?} {at}"
                );
                assert_eq!(
                    read(mode, Filter::Nearest, false, at),
                    texel,
                    "{mode:?} {at}"
                );
            }
        }
    }

    #[test]
    fn linear_mixes_neighbours() {
        let expected = [
            (
                Addressing::Clamp,
                [0.0, 5.0, 10.0, 12.5, 15.0, 40.0, 20.0, 0.0],
            ),
            (
                Addressing::ClampToEdge,
                [10.0, 10.0, 10.0, 12.5, 15.0, 40.0, 40.0, 40.0],
            ),
            (
                Addressing::Repeat,
                [40.0, 25.0, 10.0, 12.5, 15.0, 40.0, 25.0, 15.0],
            ),
            (
                Addressing::MirroredRepeat,
                [10.0, 10.0, 10.0, 12.5, 15.0, 40.0, 40.0, 35.0],
            ),
        ];
        for (mode, texels) in expected {
            for (at, texel) in [-0.5, 0.0, 0.5, 0.75, 1.0, 3.5, 4.0, 5.0]
                .into_iter()
                .zip(texels)
            {
                assert_eq!(
                    read(mode, Filter::Linear, true, at / 4.0),
                    texel,
                    "{mode:?} {at}"
                );
            }
        }
    }

    #[test]
    fn all_axes_are_mixed_and_layers_are_not() {
        let format = Format::find("r32float").unwrap();
        let linear = Sampler {
            filter: Filter::Linear,
            ..Sampler::default()
        };
        // Each texel is the sum of its coordinates, weighted.
        let texel = |at: [i64; 3]| -> Result<Color, ()> {
            let value = at[0] as f32 + 10.0 * at[1] as f32 + 100.0 * at[2] as f32;
            Ok([value.to_bits(), 0, 0, 0])
        };
        let read = |kind, sizes: &[u32], at| {
            let shape = Shape::new(kind, format, sizes).unwrap();
            f32::from_bits(sample(&shape, &linear, &lookup(at), texel).unwrap()[0])
        };
        let at = [1.75, 2.25, 1.5];
        assert_eq!(read(ImageKind::D3, &[4, 4, 4], at), 1.25 + 17.5 + 100.0);
        assert_eq!(read(ImageKind::D2, &[4, 4], at), 1.25 + 17.5);
        // Halves go to the even layer; what is beyond the last layer, to the last.
        assert_eq!(
            read(ImageKind::D2Array, &[4, 4, 4], at),
            1.25 + 17.5 + 200.0
        );
        assert_eq!(read(ImageKind::D2Array, &[4, 4, 4], [0.5, 0.5, 9.0]), 300.0);
        assert_eq!(read(ImageKind::D1Array, &[4, 4], [0.5, -3.0, 0.0]), 0.0);
        assert_eq!(read(ImageKind::D1Array, &[4, 4], [0.5, 2.4, 0.0]), 20.0);
    }

    /// Each texel is ten times its row and its column.
    fn grid(texel: [i64; 3]) -> Result<Color, ()> {
        let value = 10.0 * texel[1] as f32 + texel[0] as f32;
        Ok([value.to_bits(), (-value).to_bits(), 0, 0])
    }

    #[test]
    fn directions_meet_the_faces_of_a_cube() {
        for (direction, expected) in [
            ([2.0, 0.0, 0.0], [0.5, 0.5, 0.0]),
            ([2.0, -1.0, 1.0], [0.25, 0.75, 0.0]),
            ([-2.0, -1.0, 1.0], [0.75, 0.75, 1.0]),
            ([1.0, 2.0, -1.0], [0.75, 0.25, 2.0]),
            ([1.0, -2.0, -1.0], [0.75, 0.75, 3.0]),
            ([1.0, -1.0, 2.0], [0.75, 0.75, 4.0]),
            ([1.0, -1.0, -2.0], [0.25, 0.75, 5.0]),
            ([1.0, 1.0, 1.0], [1.0, 0.0, 4.0]),
            ([1.0, 1.0, 0.0], [1.0, 0.5, 2.0]),
        ] {
            assert_eq!(face(direction), expected, "{direction:?}");
        }
    }

    #[test]
    fn offsets_are_in_texels_before_the_address_mode() {
        let read = |addressing, filter, at, offset| {
            let sampler = Sampler {
                normalized: true,
                addressing,
                filter,
                comparison: None,
            };
            let lookup = Lookup {
                at: [at, 0.0, 0.0],
                offset: [offset, 0, 0],
                compared: None,
            };
            f32::from_bits(sample(&row(4), &sampler, &lookup, ramp).unwrap()[0])
        };
        use Addressing::*;
        for (mode, filter, at, offset, expected) in [
            (ClampToEdge, Filter::Nearest, 0.125, 2, 30.0),
            (ClampToEdge, Filter::Nearest, 0.125, -3, 10.0),
            (Clamp, Filter::Nearest, 0.125, -1, 0.0),
            (Repeat, Filter::Nearest, 0.125, -1, 40.0),
            (Repeat, Filter::Nearest, 0.875, 7, 30.0),
            (MirroredRepeat, Filter::Nearest, 0.125, -2, 20.0),
            (ClampToEdge, Filter::Linear, 0.25, 1, 25.0),
        ] {
            assert_eq!(
                read(mode, filter, at, offset),
                expected,
                "{mode:?} {at} {offset}"
            );
        }
    }

    #[test]
    fn gather_takes_four_texels_and_a_comparison_each() {
        let format = Format::find("rg32float").unwrap();
        let shape = Shape::new(ImageKind::D2, format, &[4, 4]).unwrap();
        let sampler = Sampler::default();
        let mut asked = lookup([1.75, 2.25, 0.0]);
        let floats = |color: Color| color.map(f32::from_bits);
        let gathered = gather(&shape, &sampler, &asked, 0, grid).unwrap();
        assert_eq!(floats(gathered), [21.0, 22.0, 12.0, 11.0]);
        let gathered = gather(&shape, &sampler, &asked, 1, grid).unwrap();
        assert_eq!(floats(gathered), [-21.0, -22.0, -12.0, -11.0]);
        asked.compared = Some((Comparison::LessEqual, 21.0));
        let gathered = gather(&shape, &sampler, &asked, 0, grid).unwrap();
        assert_eq!(floats(gathered), [1.0, 1.0, 0.0, 0.0]);
        // The filter mixes what the comparisons give.
        let linear = Sampler {
            filter: Filter::Linear,
            ..sampler
        };
        let mixed = sample(&shape, &linear, &asked, grid).unwrap();
        assert_eq!(floats(mixed), [0.75, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn no_coordinate_reads_far_outside() {
        let odd = [
            f32::NAN,
            f32::INFINITY,
            f32::NEG_INFINITY,
            1e30,
            -1e30,
            -1e-40,
            3.4e38,
        ];
        for addressing in MODES {
            for filter in [Filter::Nearest, Filter::Linear] {
                for normalized in [false, true] {
                    for at in odd {
                        let sampler = Sampler {
                            normalized,
                            addressing,
                            filter,
                            comparison: None,
                        };
                        let texel = |at: [i64; 3]| -> Result<Color, ()> {
                            assert!((-1..=4).contains(&at[0]), "{sampler:?}: {at:?}");
                            assert!(addressing == Addressing::Clamp || (0..4).contains(&at[0]));
                            Ok([0; 4])
                        };
                        sample(&row(4), &sampler, &lookup([at, 0.0, 0.0]), texel).unwrap();
                    }
                }
            }
        }
    }
}
