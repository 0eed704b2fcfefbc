//! Messages of the sampler and of the data port for images.

use super::messages::{message, registers};
use super::*;
use crate::state::format::{Color, Format};
use crate::state::image::{Addressing, Comparison, Filter, Image, ImageKind, Sampler, Shape};

/// Runs one message with an image of 4 by 3 texels `r32uint`, whose texel (x, y) is `100 * y + x`, and a sampler;
/// returns the image's dwords.
pub(super) fn exchange_image(
    t: &mut Thread,
    sent: Inst,
    sampler: Sampler,
) -> Result<Vec<u32>, Cause> {
    exchange_kind(t, sent, sampler, ImageKind::D2, &[4, 3])
}

/// Compares with an image of another kind: 10000 times the third coordinate, if it has one, is added.
fn exchange_kind(
    t: &mut Thread,
    sent: Inst,
    sampler: Sampler,
    kind: ImageKind,
    sizes: &[u32],
) -> Result<Vec<u32>, Cause> {
    let format = Format::find("r32uint").unwrap();
    let (width, height) = (sizes[0], sizes[1]);
    let texels = (0..sizes.iter().product()).flat_map(|i| {
        let (x, y, z) = (i % width, i / width % height, i / width / height);
        (10000 * z + 100 * y + x).to_le_bytes()
    });
    let image = Image {
        shape: Shape::new(kind, format, sizes).unwrap(),
        texels: texels.collect(),
    };
    let mut memory = Memory::default();
    let buffer = memory.add("image", &image.texels);
    let mut shared = Shared {
        memory: &memory,
        bindings: &Tables {
            surfaces: vec![Some(Surface::of(buffer, Some(image.shape)))],
            samplers: vec![Some(sampler)],
        },
        slm: &Words::filled(0, 0),
        general_state: 0,
        scratch: 0,
        barriers: Barriers::default(),
        read: 0,
        written: 0,
    };
    run(t, vec![sent], &mut shared, 10)?;
    let bytes = memory.contents(buffer);
    Ok(bytes
        .chunks_exact(4)
        .map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect())
}

const SAMPLER: u8 = 2;

#[test]
fn every_sampler_message_finds_its_coordinates() {
    let sampler = Sampler {
        normalized: false,
        addressing: Addressing::ClampToEdge,
        filter: Filter::Nearest,
        comparison: Some(Comparison::Always),
    };
    let one = 1f32.to_bits();
    // Message type; parameters that read texel (2, 1), or query the size; result.
    let texel = [102, 0, 0, 1];
    let (x, y) = (2.5f32.to_bits(), 1.5f32.to_bits());
    let passed = [one, 0, 0, one];
    let cases: [(&str, u32, &[u32], Color); 21] = [
        ("sample", 0x00, &[x, y], texel),
        ("sample_b", 0x01, &[one, x, y], texel),
        ("sample_l", 0x02, &[one, x, y], texel),
        ("sample_d", 0x04, &[x, one, one, y, one, one], texel),
        ("sample_c", 0x03, &[one, x, y], passed),
        ("sample_b_c", 0x05, &[one, one, x, y], passed),
        ("sample_l_c", 0x06, &[one, one, x, y], passed),
        ("sample_d_c", 0x14, &[one, x, one, one, y, one, one], passed),
        ("sample_c_lz", 0x19, &[one, x, y], passed),
        ("ld", 0x07, &[2, 1, 0], texel),
        ("ld of another level", 0x07, &[2, 1, 1], [0, 0, 0, 1]),
        ("resinfo", 0x0a, &[0], [4, 3, 0, 1]),
        ("sample_killpix", 0x0c, &[x, y], texel),
        ("ld_mcs", 0x1d, &[2, 1], [0; 4]),
        ("ld2dms_w", 0x1c, &[0, 9, 9, 2, 1], texel),
        ("another sample", 0x1c, &[1, 0, 0, 2, 1], [0, 0, 0, 1]),
        ("ld2dms", 0x1e, &[0, 9, 2, 1], texel),
        ("ld2dss", 0x1f, &[0, 2, 1], texel),
        ("sampleinfo", 0x0b, &[0], [1, 0, 0, 0]),
        ("sample_lz", 0x18, &[x, y], texel),
        ("ld_lz outside", 0x1a, &[2, u32::MAX], [0, 0, 0, 1]),
    ];
    for (lanes, mode) in [(8, 1), (16, 2)] {
        for (name, kind, parameters, expected) in &cases {
            for header in [false, true] {
                let mut t = Thread::new(0, 0xffff, &SKL);
                t.active = 0b10_0110 << (lanes - 8);
                let mut first = 10;
                if header {
                    // The header leaves out green and alpha.
                    put(&mut t, 10, 4, &[0, 0, 0b1010 << 12, 0, 0, 0, 0, 0]);
                    first += 1;
                }
                let stride = registers(lanes, 4) as u32;
                for (index, &value) in parameters.iter().enumerate() {
                    put(
                        &mut t,
                        first + index as u32 * stride,
                        4,
                        &vec![u64::from(value); lanes],
                    );
                }
                put(&mut t, 80, 4, &[7; 64]);
                let length = first as usize - 10 + parameters.len() * stride as usize;
                let colors: &[usize] = if header { &[0, 2] } else { &[0, 1, 2, 3] };
                let bits = mode << 17 | kind << 12 | if header { HEADER } else { 0 };
                let sent = message(
                    SAMPLER,
                    bits,
                    16,
                    (length, 0, colors.len() * stride as usize),
                );
                exchange_image(&mut t, sent, sampler).unwrap_or_else(|e| panic!("{name}: {e}"));
                for (index, &color) in colors.iter().enumerate() {
                    let found = dwords(&t, 80 + index as u32 * stride, lanes);
                    for (lane, found) in found.into_iter().enumerate() {
                        let on = t.active >> lane & 1 != 0;
                        let wanted = if on { expected[color] } else { 7 };
                        assert_eq!(found, wanted, "{name}, {lanes} channels, color {color}");
                    }
                }
            }
        }
    }
}

/// Result, or error, of a message of eight channels with one active.
fn read_one(
    kind: u32,
    parameters: &[u32],
    sampler: Sampler,
    image: (ImageKind, &[u32]),
) -> Result<Color, String> {
    let mut t = Thread::new(0, 0b100, &SKL);
    for (register, &value) in (10..).zip(parameters) {
        put(&mut t, register, 4, &[u64::from(value); 8]);
    }
    let sent = message(SAMPLER, 1 << 17 | kind << 12, 8, (parameters.len(), 0, 4));
    exchange_kind(&mut t, sent, sampler, image.0, image.1).map_err(|e| e.to_string())?;
    Ok([0, 1, 2, 3].map(|color| dwords(&t, 80 + color, 3)[2]))
}

#[test]
fn samples_are_read_by_their_numbers() {
    let image = (ImageKind::D2Msaa, &[4, 3, 8][..]);
    let read = |kind, parameters: &[u32]| read_one(kind, parameters, Sampler::default(), image);
    let texel = |red| Ok([red, 0, 0, 1]);
    for sample in 0..8 {
        let red = 10000 * sample + 102;
        assert_eq!(read(0x1c, &[sample, 0, 0, 2, 1]), texel(red));
        assert_eq!(read(0x1e, &[sample, 0, 2, 1]), texel(red));
        assert_eq!(read(0x1f, &[sample, 2, 1]), texel(red));
    }
    // A sample, a level of detail and coordinates that do not exist.
    for parameters in [
        &[8, 0, 0, 2, 1][..],
        &[1, 0, 0, 2, 1, 0, 1],
        &[1, 0, 0, 4, 1],
    ] {
        assert_eq!(read(0x1c, parameters), texel(0), "{parameters:?}");
    }
    assert_eq!(read(0x1d, &[2, 1]), Ok([0; 4]));
    assert_eq!(read(0x0a, &[0]), Ok([4, 3, 0, 1]));
    assert_eq!(read(0x0b, &[0]), Ok([8, 0, 0, 0]));
    for (kind, name) in [(0x07, "ld"), (0x18, "sample_lz"), (0x08, "gather4")] {
        let error = read(kind, &[0, 0]).unwrap_err();
        assert!(
            error.contains(name) && error.contains("a kind that it does not read"),
            "{error}"
        );
    }
    let typed = message(DC1, 5 << 14 | 1 << 12, 16, (2, 0, 4));
    let (mut t, sampler) = (Thread::new(0, 1, &SKL), Sampler::default());
    let error = exchange_kind(&mut t, typed, sampler, image.0, image.1).unwrap_err();
    assert!(error.to_string().contains("does not read"), "{error}");
}

#[test]
fn cubes_are_read_by_directions() {
    let image = (ImageKind::Cube, &[4, 4, 6][..]);
    let read = |kind, parameters: &[f32], sampler| {
        let bits: Vec<u32> = parameters.iter().map(|n| n.to_bits()).collect();
        read_one(kind, &bits, sampler, image)
    };
    // Direction; face, row and column of its texel.
    for (direction, red) in [
        ([8.0, -3.0, 1.0], 201),
        ([-8.0, -3.0, 1.0], 10202),
        ([1.0, 8.0, -3.0], 20102),
        ([1.0, -8.0, -3.0], 30202),
        ([1.0, -3.0, 8.0], 40202),
        ([1.0, -3.0, -8.0], 50201),
        ([1.0, -9.0, -9.0], 50301),
    ] {
        for normalized in [false, true] {
            let sampler = Sampler {
                normalized,
                ..Sampler::default()
            };
            let found = read(0x18, &direction, sampler);
            assert_eq!(found, Ok([red, 0, 0, 1]), "{direction:?}");
        }
    }
    let gathered = read(0x08, &[-8.0, -3.0, 1.0], Sampler::default());
    assert_eq!(gathered, Ok([10301, 10302, 10202, 10201]));
    assert_eq!(read(0x0a, &[0.0], Sampler::default()), Ok([4, 4, 0, 1]));
    let repeats = Sampler {
        addressing: Addressing::Repeat,
        ..Sampler::default()
    };
    let error = read(0x18, &[1.0, 0.0, 0.0], repeats).unwrap_err();
    assert!(error.contains("clamped to the edge"), "{error}");
    let error = read(0x07, &[0.0, 0.0], Sampler::default()).unwrap_err();
    assert!(error.contains("a kind that it does not read"), "{error}");
}

/// Offsets of the header (u 1, v -1), the channel that is gathered and the mask of null pixels; of
/// 16-bit parameters.
#[test]
fn headers_move_coordinates_choose_channels_and_ask_for_feedback() {
    let (x, y) = (1.5f32.to_bits(), 1.5f32.to_bits());
    let offsets = 1 << 8 | 0xf << 4;
    let cases: [(&str, u32, u64, &[u32], Color); 7] = [
        ("sample_lz", 0x18, offsets, &[x, y], [2, 0, 0, 1]),
        ("ld_lz", 0x1a, offsets, &[1, 1], [2, 0, 0, 1]),
        ("gather4", 0x08, 0, &[x, y], [201, 202, 102, 101]),
        ("gather4 of alpha", 0x08, 3 << 16, &[x, y], [1; 4]),
        ("gather4, moved", 0x08, offsets, &[x, y], [102, 103, 3, 2]),
        (
            "gather4_po",
            0x11,
            0,
            &[x, y, 1, u32::MAX],
            [102, 103, 3, 2],
        ),
        ("gather4_c", 0x10, 0, &[0, x, y], [0x3f80_0000; 4]),
    ];
    let sampler = Sampler {
        comparison: Some(Comparison::Less),
        ..Sampler::default()
    };
    for (name, kind, flags, parameters, expected) in cases {
        for feedback in [false, true] {
            let mut t = Thread::new(0, 0b101, &SKL);
            let flags = flags | u64::from(feedback) << 23;
            put(&mut t, 10, 4, &[0, 0, flags, 0, 0, 0, 0, 0]);
            for (register, &value) in (11..).zip(parameters) {
                put(&mut t, register, 4, &[u64::from(value); 8]);
            }
            put(&mut t, 80, 4, &[7; 48]);
            let lengths = (1 + parameters.len(), 0, 4 + usize::from(feedback));
            let sent = message(SAMPLER, HEADER | 1 << 17 | kind << 12, 8, lengths);
            exchange_image(&mut t, sent, sampler).unwrap_or_else(|e| panic!("{name}: {e}"));
            for (register, color) in (80..).zip(expected) {
                assert_eq!(dwords(&t, register, 3), [color, 7, color], "{name}");
            }
            let mask = if feedback { u32::MAX } else { 7 };
            assert_eq!(dwords(&t, 84, 2), [mask, 7], "{name}");
        }
    }
    let mut t = Thread::new(0, 0b10, &SKL);
    let half = |value: f32| u64::from(half::f16::from_f32(value).to_bits());
    put(&mut t, 10, 2, &[half(2.5); 8]);
    put(&mut t, 11, 2, &[half(1.5); 8]);
    let sent = message(SAMPLER, 1 << 29 | 1 << 17 | 0x18 << 12, 8, (2, 0, 4));
    exchange_image(&mut t, sent, sampler).unwrap();
    assert_eq!(dwords(&t, 80, 2)[1], 102);
}

#[test]
fn what_the_sampler_cannot_do_is_an_error() {
    let try_one = |bits: u32, header: [u64; 8]| {
        let mut t = Thread::new(0, 1, &SKL);
        put(&mut t, 10, 4, &header);
        let sent = message(SAMPLER, bits, 8, (4, 0, 4));
        exchange_image(&mut t, sent, Sampler::default())
            .unwrap_err()
            .to_string()
    };
    let none = [0; 8];
    for (bits, header, part) in [
        (1 << 17 | 0x03 << 12, none, "has no comparison"),
        (1 << 17 | 0x16 << 12, none, "sample_min"),
        (0x18 << 12, none, "sample_lz"),
        (1 << 17 | 0x18 << 12 | 1, none, "entry 1 is empty"),
        (
            1 << 17 | 0x18 << 12 | 3 << 8,
            none,
            "no sampler is at index 3",
        ),
        (
            HEADER | 1 << 17 | 0x18 << 12,
            [0, 0, 0, 64, 0, 0, 0, 0],
            "no sampler is at index 4",
        ),
    ] {
        let error = try_one(bits, header);
        assert!(error.contains(part), "{bits:#x}: {error}");
    }
    // A buffer where an image is expected.
    let sent = message(SAMPLER, 1 << 17 | 0x18 << 12, 8, (2, 0, 4));
    let error = exchange(&mut Thread::new(0, 1, &SKL), vec![sent]).unwrap_err();
    assert!(matches!(error, Cause::NoImage(0)), "{error}");
    // An image where a buffer is expected.
    let sent = message(DC1, 1 << 14 | 2 << 12 | 0b1110 << 8, 8, (1, 0, 1));
    let error = exchange_image(&mut Thread::new(0, 1, &SKL), sent, Sampler::default()).unwrap_err();
    assert!(matches!(error, Cause::Image(0)), "{error}");
}

#[test]
fn typed_messages_take_the_channels_of_their_slots() {
    for (slots, shift) in [(1, 0), (2, 8)] {
        let mut t = Thread::new(0, 0xffff, &SKL);
        t.active = 0b1010_0000_1010;
        let on = |lane: usize| t_active(shift) >> lane & 1 != 0;
        put(&mut t, 10, 4, &[0, 1, 2, 3, 0, 1, 2, 3]);
        put(&mut t, 11, 4, &[0, 0, 0, 1, 1, 1, 2, 2]);
        put(&mut t, 80, 4, &[7; 32]);
        let read = message(DC1, 5 << 14 | slots << 12, 16, (2, 0, 4));
        exchange_image(&mut t, read, Sampler::default()).unwrap();
        for lane in 0..8 {
            let texel = [0, 1, 2, 103, 100, 101, 202, 203][lane];
            let found = [0, 1, 2, 3].map(|color| dwords(&t, 80 + color, 8)[lane]);
            assert_eq!(found, if on(lane) { [texel, 0, 0, 1] } else { [7; 4] });
        }
        t.ip = 0;
        put(&mut t, 40, 4, &[11, 12, 13, 14, 15, 16, 17, 18]);
        let write = message(DC1, 13 << 14 | slots << 12 | 0b1110 << 8, 16, (2, 1, 0));
        let after = exchange_image(&mut t, write, Sampler::default()).unwrap();
        let mut expected: Vec<u32> = (0..12).map(|i| i / 4 * 100 + i % 4).collect();
        for (lane, at) in [0, 1, 2, 7, 4, 5, 10, 11].into_iter().enumerate() {
            if on(lane) {
                expected[at] = 11 + lane as u32;
            }
        }
        assert_eq!(after, expected);
        // An access outside the image: the error has the coordinates.
        t.ip = 0;
        put(&mut t, 11, 4, &[3; 8]);
        let write = message(DC1, 13 << 14 | slots << 12 | 0b1110 << 8, 16, (2, 1, 0));
        let error = exchange_image(&mut t, write, Sampler::default()).unwrap_err();
        assert!(
            matches!(error, Cause::OutsideImage { at: [_, 3, 0], .. }),
            "{error}"
        );
    }
    for bits in [5 << 14, 13 << 14 | 3 << 12] {
        let sent = message(DC1, bits, 8, (2, 4, 4));
        let error =
            exchange_image(&mut Thread::new(0, 1, &SKL), sent, Sampler::default()).unwrap_err();
        assert!(matches!(error, Cause::Message { .. }), "{error}");
    }
}

#[test]
fn texels_are_changed_atomically() {
    for (slots, shift) in [(0, 0), (1, 8)] {
        let mut t = Thread::new(0, 0xffff, &SKL);
        t.active = 0b111 << shift;
        put(&mut t, 10, 4, &[3, 3, 0, 0, 0, 0, 0, 0]);
        put(&mut t, 11, 4, &[2, 2, 1, 0, 0, 0, 0, 0]);
        put(&mut t, 40, 4, &[5, 6, 7, 8, 8, 8, 8, 8]);
        put(&mut t, 80, 4, &[9; 8]);
        let bits = 6 << 14 | 1 << 13 | slots << 12 | 7 << 8;
        let add = message(DC1, bits, 16, (2, 1, 1));
        let after = exchange_image(&mut t, add, Sampler::default()).unwrap();
        assert_eq!((after[11], after[4], after[0]), (203 + 11, 107, 0));
        assert_eq!(dwords(&t, 80, 4), [203, 208, 100, 9]);
    }
}

/// Active channels of `typed_messages_take_the_channels_of_their_slots` in a slot group.
fn t_active(shift: u32) -> u32 {
    0b1010_0000_1010 >> shift & 0xff
}

#[test]
fn media_blocks_repeat_edges_and_drop_what_is_outside() {
    // Two rows of eight bytes, from the last texel of a row on.
    let mut t = Thread::new(0, 0xff, &SKL);
    put(&mut t, 10, 4, &[12, 1, 1 << 16 | 7, 0, 0, 0, 0, 0]);
    put(&mut t, 80, 4, &[7; 8]);
    let read = no_mask(message(DC1, HEADER | 4 << 14, 8, (1, 0, 1)));
    exchange_image(&mut t, read, Sampler::default()).unwrap();
    assert_eq!(dwords(&t, 80, 8), [103, 103, 203, 203, 7, 7, 7, 7]);
    // Beyond the upper left corner.
    t.ip = 0;
    put(
        &mut t,
        10,
        4,
        &[
            (-4i32) as u32 as u64,
            u64::from(u32::MAX),
            1 << 16 | 7,
            0,
            0,
            0,
            0,
            0,
        ],
    );
    let read = no_mask(message(DC1, HEADER | 4 << 14, 8, (1, 0, 1)));
    exchange_image(&mut t, read, Sampler::default()).unwrap();
    assert_eq!(dwords(&t, 80, 4), [0, 0, 0, 0]);
    t.ip = 0;
    put(&mut t, 40, 4, &[1, 2, 3, 4, 5, 6, 7, 8]);
    let write = no_mask(message(DC1, HEADER | 10 << 14, 8, (1, 1, 0)));
    let after = exchange_image(&mut t, write, Sampler::default()).unwrap();
    assert_eq!(after[..5], [4, 1, 2, 3, 100]);
    // A block larger than its registers.
    t.ip = 0;
    put(&mut t, 10, 4, &[0, 0, 63 << 16 | 63, 0, 0, 0, 0, 0]);
    let read = no_mask(message(DC1, HEADER | 4 << 14, 8, (1, 0, 8)));
    let error = exchange_image(&mut t, read, Sampler::default()).unwrap_err();
    assert!(
        error.to_string().contains("larger than its registers"),
        "{error}"
    );
}

/// In a quad whose pixels are two texels apart horizontally and four vertically, the greater distance counts.
#[test]
fn levels_of_detail_are_of_quads_and_pixels_that_live_are_told() {
    let sampler = |normalized| Sampler {
        normalized,
        ..Sampler::default()
    };
    // The image has 4 by 3 texels.
    for (normalized, across, down, expected) in [
        (false, [2.0f32, 0.0], [0.0f32, 4.0], 2.0f32),
        (false, [3.0, 4.0], [1.0, 0.0], 5f32.log2()),
        (true, [0.5, 0.0], [0.0, 1.0 / 6.0], 1.0),
        (false, [0.0, 0.0], [0.0, 0.0], f32::NEG_INFINITY),
    ] {
        let mut t = Thread::new(0, 0b0010_1001, &SKL);
        for axis in 0..2 {
            let at = |lane: usize| {
                1.0 + (lane % 2) as f32 * across[axis] + (lane / 2 % 2) as f32 * down[axis]
            };
            let row: Vec<u64> = (0..8).map(|lane| at(lane).to_bits().into()).collect();
            put(&mut t, 10 + axis as u32, 4, &row);
        }
        put(&mut t, 80, 4, &[7; 32]);
        let sent = message(SAMPLER, 1 << 17 | 0x09 << 12, 8, (2, 0, 4));
        exchange_image(&mut t, sent, sampler(normalized)).unwrap();
        let bits = expected.to_bits();
        assert_eq!(dwords(&t, 80, 8), [0, 7, 7, 0, 7, 0, 7, 7]);
        assert_eq!(dwords(&t, 81, 8), [bits, 7, 7, bits, 7, bits, 7, 7]);
    }
    let mut t = Thread::new(0, 1, &SKL);
    put(&mut t, 84, 4, &[7; 8]);
    let sent = message(SAMPLER, 1 << 17 | 0x0c << 12, 8, (2, 0, 5));
    exchange_image(&mut t, sent, sampler(false)).unwrap();
    assert_eq!(dwords(&t, 84, 2), [u32::MAX, 7]);
    let mut t = Thread::new(0, 1, &SKL);
    put(&mut t, 10, 4, &[0; 8]);
    put(&mut t, 80, 4, &[7; 9]);
    let sent = message(SAMPLER, HEADER | 3 << 17 | 0x1f << 12, 8, (1, 0, 1));
    exchange_image(&mut t, sent, sampler(false)).unwrap();
    assert_eq!(dwords(&t, 80, 9), [0, 0, 0, 0, 0, 0, 0, 0, 7]);
}
