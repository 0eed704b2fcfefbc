use super::*;
use crate::state::format::Format;
use crate::state::image::ImageKind;

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
    // The filter mixes the results of the comparisons.
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
