//! Images and samplers: every form of the messages, against the texels that OpenCL's formulas select.
//!
//! The image has four floats a texel, which encode its position. Coordinates are texel centres, so that the filter
//! does not matter; for `sample4` they are corners.

use kiln_exec::{Addressing, Comparison, Filter, Format, Image, ImageKind, Sampler, Shape};

use crate::bench::{Bench, State, VAR_BYTES};
use crate::case::element;
use crate::common;
use crate::model::Ty;
use crate::random::Random;

const SIDE: i64 = 8;

/// The value of the texel at x, y in a channel; outside the image, that of the nearest texel.
fn texel(x: i64, y: i64, channel: usize) -> f32 {
    let [x, y] = [x, y].map(|at| at.clamp(0, SIDE - 1));
    (channel as i64 * 64 + y * SIDE + x) as f32
}

fn image() -> Image {
    let format = Format::find("rgba32float").unwrap();
    let places = (0..SIDE * SIDE * 4).map(|i| (i / 4 % SIDE, i / 4 / SIDE, i as usize % 4));
    Image {
        shape: Shape::new(ImageKind::D2, format, &[SIDE as u32; 2]).unwrap(),
        texels: places
            .flat_map(|(x, y, channel)| texel(x, y, channel).to_le_bytes())
            .collect(),
    }
}

const SAMPLER: Sampler = Sampler {
    normalized: false,
    addressing: Addressing::ClampToEdge,
    filter: Filter::Nearest,
    comparison: Some(Comparison::Less),
};

/// Variables of a channel: u and v of integers and of floats, zeros, a reference.
const DECLS: &str = "\
.decl SAMP v_type=S num_elts=1 v_name=S000
.decl IMAGE v_type=T num_elts=1 v_name=T007
.decl X v_type=G type=d num_elts=32 align=hword
.decl Y v_type=G type=d num_elts=32 align=hword
.decl U v_type=G type=f num_elts=32 align=hword
.decl V v_type=G type=f num_elts=32 align=hword
.decl UH v_type=G type=hf num_elts=32 align=hword
.decl VH v_type=G type=hf num_elts=32 align=hword
.decl ZERO v_type=G type=f num_elts=32 align=hword
.decl REF v_type=G type=f num_elts=32 align=hword
.decl NONE v_type=G type=d num_elts=32 align=hword
.decl ONE v_type=G type=d num_elts=32 align=hword
";

/// Gets the coordinates from bytes of S0: x in the low three bits, y in the next.
const SETUP: &str = "\
movs (M1_NM, 1) SAMP(0) 0x0:ud
movs (M1_NM, 1) IMAGE(0) 0x2:ud
and (M1_NM, 32) X(0,0)<1> S0_ub(0,0)<1;1,0> 0x7:uw
shr (M1_NM, 32) Y(0,0)<1> S0_ub(0,0)<1;1,0> 0x3:uw
and (M1_NM, 32) Y(0,0)<1> Y(0,0)<1;1,0> 0x7:d
mov (M1_NM, 32) U(0,0)<1> X(0,0)<1;1,0>
mov (M1_NM, 32) V(0,0)<1> Y(0,0)<1;1,0>
add (M1_NM, 32) U(0,0)<1> U(0,0)<1;1,0> 0x3f000000:f
add (M1_NM, 32) V(0,0)<1> V(0,0)<1;1,0> 0x3f000000:f
mov (M1_NM, 32) UH(0,0)<1> U(0,0)<1;1,0>
mov (M1_NM, 32) VH(0,0)<1> V(0,0)<1;1,0>
mov (M1_NM, 32) ZERO(0,0)<1> 0x0:f
mov (M1_NM, 32) REF(0,0)<1> 0x42040000:f
mov (M1_NM, 32) NONE(0,0)<1> 0x0:d
mov (M1_NM, 32) ONE(0,0)<1> 0x1:d
";

const REFERENCE: f32 = 33.0;

/// Expected channels of an operation at a texel's coordinates.
type Expected = fn(i64, i64) -> [f32; 4];

fn colors(x: i64, y: i64) -> [f32; 4] {
    std::array::from_fn(|channel| texel(x, y, channel))
}

/// Without a sampler, coordinates outside the image have no texel.
fn loaded(x: i64, y: i64) -> [f32; 4] {
    let inside = (0..SIDE).contains(&x) && (0..SIDE).contains(&y);
    if inside { colors(x, y) } else { [0.0; 4] }
}

fn compared(x: i64, y: i64) -> [f32; 4] {
    let passes = REFERENCE < texel(x, y, 0);
    [f32::from(u8::from(passes)), 0.0, 0.0, 1.0]
}

/// The four texels around the corner at the upper left of a texel, counterclockwise from the lower left one. The texel
/// itself is the lower right one.
fn around(x: i64, y: i64) -> [(i64, i64); 4] {
    [(x, y + 1), (x + 1, y + 1), (x + 1, y), (x, y)]
}

/// Operation, operands after the surface, expected channels, and flags for a color mask and a sampler.
struct Form {
    op: &'static str,
    parameters: &'static str,
    expected: Expected,
    gathers: Option<&'static str>,
    loads: bool,
}

const fn sample(op: &'static str, parameters: &'static str, expected: Expected) -> Form {
    Form {
        op,
        parameters,
        expected,
        gathers: None,
        loads: false,
    }
}

const fn load(op: &'static str, parameters: &'static str) -> Form {
    Form {
        loads: true,
        ..sample(op, parameters, loaded)
    }
}

const fn gather(
    op: &'static str,
    channel: &'static str,
    parameters: &'static str,
    expected: Expected,
) -> Form {
    Form {
        gathers: Some(channel),
        ..sample(op, parameters, expected)
    }
}

const FORMS: &[Form] = &[
    sample("sample_3d", "U V", colors),
    sample("sample_3d", "U V ZERO", colors),
    sample("sample_lz", "U V", colors),
    sample("sample_lz", "UH VH", colors),
    sample("sample_l", "ZERO U V", colors),
    sample("sample_b", "ZERO U V", colors),
    sample("sample_d", "U ZERO ZERO V ZERO ZERO", colors),
    sample("sample_c", "REF U V", compared),
    sample("sample_c_lz", "REF U V", compared),
    sample("sample_l_c", "REF ZERO U V", compared),
    sample("sample_b_c", "REF ZERO U V", compared),
    sample("sample_d_c", "REF U ZERO ZERO V ZERO ZERO", compared),
    load("load_3d", "X Y NONE"),
    load("load_lz", "X Y"),
    gather("sample4", "R", "U V", |x, y| {
        around(x, y).map(|(x, y)| texel(x, y, 0))
    }),
    gather("sample4", "B", "U V ZERO", |x, y| {
        around(x, y).map(|(x, y)| texel(x, y, 2))
    }),
    gather("sample4_po", "A", "U V ONE NONE", |x, y| {
        around(x + 1, y).map(|(x, y)| texel(x, y, 3))
    }),
    gather("sample4_c", "R", "REF U V", |x, y| {
        around(x, y).map(|(x, y)| f32::from(u8::from(REFERENCE < texel(x, y, 0))))
    }),
    gather("sample4_po_c", "R", "REF U V ONE NONE", |x, y| {
        around(x + 1, y).map(|(x, y)| f32::from(u8::from(REFERENCE < texel(x, y, 0))))
    }),
];

const MASKS: [(&str, &[usize]); 7] = [
    ("R", &[0]),
    ("RG", &[0, 1]),
    ("RGB", &[0, 1, 2]),
    ("RGBA", &[0, 1, 2, 3]),
    ("B", &[2]),
    ("GA", &[1, 3]),
    ("RBA", &[0, 2, 3]),
];

fn random_state(r: &mut Random) -> State {
    let mut state = [[0; VAR_BYTES]; 4];
    state.iter_mut().flatten().for_each(|b| *b = r.next() as u8);
    state
}

#[test]
fn every_form_of_the_sampler_reads_the_texels_it_names() {
    let mut r = Random(31);
    let image = image();
    for (n, form) in FORMS.iter().enumerate() {
        for round in 0..10 {
            let before = random_state(&mut r);
            let narrow = form.parameters.starts_with("UH");
            // Each parameter begins at a register.
            let (size, offset) = match narrow {
                true => r.of(&[(8usize, 0usize), (8, 16), (16, 0), (16, 16)]),
                false => r.of(&[(8, 0), (8, 8), (8, 24), (16, 0), (16, 16)]),
            };
            let simd = if offset + size > 16 { 32 } else { 16 };
            let items = if r.below(2) == 0 {
                simd
            } else {
                1 + r.below(simd.into()) as u8
            };
            let half = r.below(3) == 0;
            let null_mask = r.below(3) == 0;
            let moved = r.below(2) == 0;
            let (mask, wanted) = match form.gathers {
                Some(channel) => (channel, MASKS[3].1),
                None => r.of(&MASKS),
            };
            let (mut dx, mut dy) = (0, 0);
            let mut aoffimmi = "0x0:uw".to_string();
            // Offsets given by a parameter replace these.
            if moved && !form.op.contains("_po") {
                (dx, dy) = (r.below(16) as i64 - 8, r.below(16) as i64 - 8);
                aoffimmi = format!("{:#x}:uw", (dx & 15) << 8 | (dy & 15) << 4);
            }
            let modifier = if null_mask { ".pixel_null_mask" } else { "" };
            let sampler = if form.loads { "" } else { " SAMP" };
            let name = if half { "D_hf" } else { "D" };
            let at = offset * if narrow { 2 } else { 4 };
            let parameters: Vec<String> = form
                .parameters
                .split(' ')
                .map(|name| format!("{name}.{at}"))
                .collect();
            let indexed = r.below(3) == 0;
            let index = "mov (M1_NM, 1) S2_ud(0,0)<1> 0x2:ud\nmov (M1_NM, 1) S2_ud(0,1)<1> 0x0:ud\n\
                movs (M1_NM, 1) IMAGE(0) S2_ud(0,0)<0;1,0>\nmovs (M1_NM, 1) SAMP(0) S2_ud(0,1)<0;1,0>\n";
            let text = format!(
                "{}{modifier}.{mask} (M{}, {size}) {aoffimmi}{sampler} IMAGE {name}.0 {}",
                form.op,
                offset / 4 + 1,
                parameters.join(" ")
            );
            let bench = Bench {
                simd,
                items: items.into(),
                decls: DECLS.into(),
                body: format!("{SETUP}{}{text}\n", if indexed { index } else { "" }),
            };
            let limit = r.of(&[128, 40]);
            // 16-bit parameters exist from Ice Lake on.
            let target = common::target(if narrow { "icllp" } else { "skl" });
            let (after, _) = bench
                .run_with(target, &before, limit, Some((&image, SAMPLER)))
                .unwrap_or_else(|e| panic!("form {n}, round {round}: {e}\n{text}"));
            let (bytes, ty) = if half { (2, Ty::Hf) } else { (4, Ty::D) };
            let row = (size * bytes).next_multiple_of(32);
            let mut expected = before[3];
            for lane in (0..size).filter(|lane| offset + lane < items.into()) {
                let byte = i64::from(before[0][offset + lane]);
                let texels = (form.expected)((byte & 7) + dx, (byte >> 3 & 7) + dy);
                for (plane, &channel) in wanted.iter().enumerate() {
                    let at = plane * row + lane * bytes;
                    let value = match half {
                        true => half::f16::from_f32(texels[channel]).to_bits().into(),
                        false => texels[channel].to_bits(),
                    };
                    expected[at..at + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
                    let found = element(&after[3], at, ty) as u32 & u32::MAX >> (32 - 8 * bytes);
                    assert_eq!(found, value, "{text}: channel {lane}, color {plane}");
                }
            }
            let end = row * wanted.len();
            if null_mask {
                // Only bits of channels count; others are undefined.
                let mask = element(&after[3], end, Ty::Ud) as u32;
                let all = if size == 8 { 0xff } else { 0xffff };
                let active = usize::from(items) > offset;
                assert!(
                    !active || mask & all == all,
                    "{text}: the mask of null pixels"
                );
                expected[end..end + 4].copy_from_slice(&after[3][end..end + 4]);
            }
            // For eight halves the upper part of a register is undefined.
            for (at, (found, expected)) in after[3].iter().zip(expected).enumerate() {
                let unused = half && size == 8 && at < end && at % 32 >= 16;
                assert!(unused || *found == expected, "{text}: byte {at}");
            }
        }
    }
}

#[test]
fn images_tell_their_size() {
    let image = image();
    for (size, mask, expected) in [
        (8usize, "RG", &[8u32, 8][..]),
        (16, "RGBA", &[8, 8, 0, 1]),
        (8, "GA", &[8, 1]),
    ] {
        let body = format!("{SETUP}resinfo.{mask} (M1, {size}) IMAGE NONE.0 D.0\n");
        let bench = Bench {
            simd: 16,
            items: 16,
            decls: DECLS.into(),
            body,
        };
        let before = random_state(&mut Random(33));
        let (after, _) = bench
            .run_with(common::skl(), &before, 128, Some((&image, SAMPLER)))
            .unwrap();
        for (plane, &value) in expected.iter().enumerate() {
            let at = plane * size * 4 + (size - 1) * 4;
            assert_eq!(element(&after[3], at, Ty::Ud), u64::from(value), "{mask}");
        }
    }
    let bench = Bench {
        simd: 16,
        items: 16,
        decls: DECLS.into(),
        body: format!("{SETUP}sampleinfo.R (M1, 8) IMAGE D.0\n"),
    };
    let before = random_state(&mut Random(34));
    let (after, _) = bench
        .run_with(common::skl(), &before, 128, Some((&image, SAMPLER)))
        .unwrap();
    assert_eq!(element(&after[3], 28, Ty::Ud), 1);
}

#[test]
fn typed_messages_read_write_and_change_texels() {
    let mut r = Random(35);
    let image = image();
    for (mask, wanted) in MASKS {
        for offset in [0usize, 8] {
            let mut before = random_state(&mut r);
            // Each channel has its own texel.
            for (lane, byte) in before[0].iter_mut().enumerate().take(32) {
                *byte = (lane * 5 % 64) as u8;
            }
            let (m, at) = (offset / 4 + 1, offset * 4);
            let lod = r.of(&["%null", "NONE"]);
            let body = format!(
                "{SETUP}gather4_typed.{mask} (M{m}, 8) IMAGE X.{at} Y.{at} %null.0 {lod}.{at} D.0\n\
                 scatter4_typed.{mask} (M{m}, 8) IMAGE Y.{at} X.{at} %null.0 {lod}.{at} S1.0\n"
            );
            let bench = Bench {
                simd: 16,
                items: 13,
                decls: DECLS.into(),
                body,
            };
            let (after, texels) = bench
                .run_with(common::skl(), &before, 128, Some((&image, SAMPLER)))
                .unwrap();
            let mut written = image.texels.clone();
            let mut read = before[3];
            for lane in (0..8).filter(|lane| offset + lane < 13) {
                let byte = i64::from(before[0][offset + lane]);
                let (x, y) = (byte & 7, byte >> 3 & 7);
                for (plane, &channel) in wanted.iter().enumerate() {
                    let at = plane * 32 + lane * 4;
                    read[at..at + 4].copy_from_slice(&texel(x, y, channel).to_le_bytes());
                    let to = ((x * SIDE + y) * 4) as usize * 4 + channel * 4;
                    written[to..to + 4].copy_from_slice(&before[1][at..at + 4]);
                }
            }
            assert!(
                after[3] == read,
                "gather4_typed.{mask}, channels from {offset}"
            );
            assert!(
                texels == written,
                "scatter4_typed.{mask}, channels from {offset}"
            );
        }
    }
}

#[test]
fn typed_atomics_change_texels_of_32_bits() {
    let format = Format::find("r32uint").unwrap();
    let image = Image {
        shape: Shape::new(ImageKind::D2, format, &[SIDE as u32; 2]).unwrap(),
        texels: (0..64u32).flat_map(|i| (1000 + i).to_le_bytes()).collect(),
    };
    type Change = fn(u32, u32, u32) -> u32;
    let ops: [(&str, &str, Change); 6] = [
        ("add", "S1.0 %null.0", |old, a, _| old.wrapping_add(a)),
        ("xchg", "S1.0 %null.0", |_, a, _| a),
        ("inc", "%null.0 %null.0", |old, _, _| old + 1),
        ("max", "S1.0 %null.0", |old, a, _| old.max(a)),
        ("maxsint", "S1.0 %null.0", |old, a, _| {
            (old as i32).max(a as i32) as u32
        }),
        (
            "cmpxchg",
            "S1.0 S2.0",
            |old, a, b| if old == b { a } else { old },
        ),
    ];
    let mut r = Random(36);
    for (op, sources, change) in ops {
        for returns in [true, false] {
            let mut before = random_state(&mut r);
            for (lane, byte) in before[0].iter_mut().enumerate().take(32) {
                *byte = (lane * 5 % 64) as u8;
            }
            // Half of the channels compare with the present value.
            for lane in (0..8).step_by(2) {
                let there = 1000 + u32::from(before[0][lane]);
                before[2][lane * 4..lane * 4 + 4].copy_from_slice(&there.to_le_bytes());
            }
            let dst = if returns { "D" } else { "%null" };
            let text = format!(
                "typed_atomic.{op} (M1, 8) IMAGE X.0 Y.0 %null.0 %null.0 {sources} {dst}.0"
            );
            let bench = Bench {
                simd: 8,
                items: 7,
                decls: DECLS.into(),
                body: format!("{SETUP}{text}\n"),
            };
            let (after, texels) = bench
                .run_with(common::skl(), &before, 128, Some((&image, SAMPLER)))
                .unwrap_or_else(|e| panic!("{e}: {text}"));
            let word = |var: usize, lane: usize| element(&before[var], lane * 4, Ty::Ud) as u32;
            for (lane, &at) in before[0].iter().enumerate().take(7) {
                let at = usize::from(at);
                let old = 1000 + at as u32;
                let new = u32::from_le_bytes(texels[at * 4..at * 4 + 4].try_into().unwrap());
                assert_eq!(new, change(old, word(1, lane), word(2, lane)), "{text}");
                let result = element(&after[3], lane * 4, Ty::Ud) as u32;
                assert_eq!(result, if returns { old } else { word(3, lane) }, "{text}");
            }
        }
    }
}
