//! Memory instructions against a model of memory: gathers and scatters, blocks, atomics, on surfaces and in local
//! memory, and media blocks on an image of bytes.
//!
//! Surface 0 contains the bytes of the variables, so that reads find them there; writes go to local memory, from which
//! blocks read them back.

use kiln_exec::{Format, Image, ImageKind, Sampler, Shape};

use crate::bench::{Bench, State, VAR_BYTES};
use crate::case::element;
use crate::common;
use crate::model::Ty;
use crate::random::Random;

const BYTES: usize = 4 * VAR_BYTES;

fn random_state(r: &mut Random) -> State {
    let mut state = [[0; VAR_BYTES]; 4];
    state.iter_mut().flatten().for_each(|b| *b = r.next() as u8);
    state
}

fn bench(simd: u8, items: u32, body: &str) -> Bench {
    Bench {
        simd,
        items,
        decls: ".decl SURFACE v_type=T num_elts=1 v_name=T007\n.decl P1 v_type=P num_elts=16\n"
            .into(),
        body: format!("movs (M1_NM, 1) SURFACE(0) 0x0:ud\n{body}"),
    }
}

/// Offsets in S0, multiples of the unit below the limit.
fn offsets(r: &mut Random, state: &mut State, limit: usize, unit: usize) -> [usize; 16] {
    let offsets = std::array::from_fn(|_| r.below(limit / unit) * unit);
    for (n, offset) in offsets.iter().enumerate() {
        state[0][n * 4..n * 4 + 4].copy_from_slice(&(*offset as u32).to_le_bytes());
    }
    offsets
}

/// Operation, bytes of an element, elements for each channel, unit of offsets.
const READS: &[(&str, usize, usize, usize)] = &[
    ("gather.1", 1, 1, 1),
    ("gather.2", 2, 1, 2),
    ("gather.4", 4, 1, 4),
    ("gather_scaled.1", 1, 1, 1),
    ("gather_scaled.2", 2, 1, 1),
    ("gather_scaled.4", 4, 1, 1),
    ("gather4_scaled.R", 4, 1, 1),
    ("gather4_scaled.RG", 4, 2, 1),
    ("gather4_scaled.RGB", 4, 3, 1),
    ("gather4_scaled.RGBA", 4, 4, 1),
];

#[test]
fn gathers_read_what_the_offsets_say() {
    let mut r = Random(41);
    for &(op, bytes, count, unit) in READS {
        for size in [8usize, 16] {
            for global in [0usize, 16] {
                let mut before = random_state(&mut r);
                let limit = (BYTES - 16 * unit - 16) / unit;
                let step = if op.contains("4_") || op.ends_with("d.4") {
                    4
                } else {
                    1
                };
                let at = offsets(&mut r, &mut before, limit, step);
                let items = 1 + r.below(16) as u32;
                let text = format!("{op} (M1, {size}) SURFACE {global:#x}:ud S0.0 D.0\n");
                let after = bench(16, items, &text)
                    .run(common::skl(), &before)
                    .unwrap_or_else(|e| panic!("{e}: {text}"));
                let memory = before.concat();
                for (lane, at) in at.iter().enumerate().take(size) {
                    for n in 0..count {
                        let from = (global + at) * unit + n * 4;
                        let to = (n * size + lane) * 4;
                        let expected = match lane < items as usize {
                            true => &memory[from..from + bytes],
                            false => &before[3][to..to + bytes],
                        };
                        assert_eq!(&after[3][to..to + bytes], expected, "{text} {lane}");
                    }
                }
            }
        }
    }
}

const WRITES: &[(&str, usize, usize, usize)] = &[
    ("scatter.1", 1, 1, 1),
    ("scatter.2", 2, 1, 2),
    ("scatter.4", 4, 1, 4),
    ("scatter_scaled.1", 1, 1, 1),
    ("scatter_scaled.2", 2, 1, 1),
    ("scatter_scaled.4", 4, 1, 1),
    ("scatter4_scaled.R", 4, 1, 1),
    ("scatter4_scaled.RGB", 4, 3, 1),
    ("scatter4_scaled.RGBA", 4, 4, 1),
];

/// Fills 256 bytes of local memory, changes some, and reads all back: by blocks if local memory has them (from Ice
/// Lake on), else by channels.
fn in_local(target: &str, change: &str) -> String {
    let all = |op: &str, var: &str| -> String {
        let blocks =
            (0..2).map(|n| format!("oword_{op} (8) %slm {:#x}:ud {var}.{}\n", n * 8, n * 128));
        let name = if op == "st" { "scatter" } else { "gather" };
        let rows = (0..4).map(|n| n * 64);
        let rows = rows.map(|at| {
            format!("{name}4_scaled.R (M1_NM, 16) %slm {at:#x}:ud OFFSET.0 {var}.{at}\n")
        });
        match target {
            "skl" => rows.collect(),
            _ => blocks.collect(),
        }
    };
    format!("{}{change}{}", all("st", "S2"), all("ld", "D"))
}

const TARGETS: [&str; 2] = ["skl", "icllp"];

#[test]
fn scatters_write_where_the_offsets_say() {
    let mut r = Random(42);
    for &(op, bytes, count, unit) in WRITES {
        for (target, size) in TARGETS.into_iter().flat_map(|t| [(t, 8usize), (t, 16)]) {
            let mut before = random_state(&mut r);
            // Each channel has its own place.
            let room = 256 / size;
            let at: Vec<usize> = (0..size).map(|lane| lane * room / unit).collect();
            for (n, at) in at.iter().enumerate() {
                before[0][n * 4..n * 4 + 4].copy_from_slice(&(*at as u32).to_le_bytes());
            }
            let items = 1 + r.below(16) as u32;
            let text = format!("{op} (M1, {size}) %slm 0x0:ud S0.0 S1.0\n");
            let after = bench(16, items, &in_local(target, &text))
                .run(common::target(target), &before)
                .unwrap_or_else(|e| panic!("{e}: {text}"));
            let mut expected = before[2][..256].to_vec();
            for lane in 0..size.min(items as usize) {
                for n in 0..count {
                    let from = (n * size + lane) * 4;
                    let to = lane * room + n * 4;
                    expected[to..to + bytes].copy_from_slice(&before[1][from..from + bytes]);
                }
            }
            assert!(after[3][..256] == expected, "{text}");
        }
    }
}

#[test]
fn atomics_change_one_channel_after_the_other() {
    type Change = fn(u32, u32, u32) -> u32;
    let ops: [(&str, &str, Change); 13] = [
        ("add", "S1.0 %null.0", |old, a, _| old.wrapping_add(a)),
        ("sub", "S1.0 %null.0", |old, a, _| old.wrapping_sub(a)),
        ("inc", "%null.0 %null.0", |old, _, _| old.wrapping_add(1)),
        ("dec", "%null.0 %null.0", |old, _, _| old.wrapping_sub(1)),
        ("min", "S1.0 %null.0", |old, a, _| old.min(a)),
        ("max", "S1.0 %null.0", |old, a, _| old.max(a)),
        ("minsint", "S1.0 %null.0", |old, a, _| {
            (old as i32).min(a as i32) as u32
        }),
        ("maxsint", "S1.0 %null.0", |old, a, _| {
            (old as i32).max(a as i32) as u32
        }),
        ("xchg", "S1.0 %null.0", |_, a, _| a),
        ("and", "S1.0 %null.0", |old, a, _| old & a),
        ("or", "S1.0 %null.0", |old, a, _| old | a),
        ("xor", "S1.0 %null.0", |old, a, _| old ^ a),
        (
            "cmpxchg",
            "S1.0 S1.64",
            |old, a, b| if old == b { a } else { old },
        ),
    ];
    let mut r = Random(43);
    for (op, sources, change) in ops {
        for (target, size) in TARGETS.into_iter().flat_map(|t| [(t, 8usize), (t, 16)]) {
            let mut before = random_state(&mut r);
            let at = offsets(&mut r, &mut before, 64, 4);
            let items = 1 + r.below(16) as u32;
            let text = format!("dword_atomic.{op} (M1, {size}) %slm S0.0 {sources} S0.128\n");
            let body = in_local(target, &text);
            let after = bench(16, items, &body)
                .run(common::target(target), &before)
                .unwrap_or_else(|e| panic!("{e}: {text}"));
            let mut memory = before[2][..256].to_vec();
            for (lane, &at) in at.iter().enumerate().take(size.min(items as usize)) {
                let old = u32::from_le_bytes(memory[at..at + 4].try_into().unwrap());
                let word = |at: usize| element(&before[1], at, Ty::Ud) as u32;
                let new = change(old, word(lane * 4), word(64 + lane * 4));
                memory[at..at + 4].copy_from_slice(&new.to_le_bytes());
                let found = element(&after[0], 128 + lane * 4, Ty::Ud) as u32;
                assert_eq!(found, old, "{text}, channel {lane}");
            }
            assert!(after[3][..256] == memory, "{text}");
        }
    }
}

#[test]
fn blocks_of_owords_are_read_at_their_offset() {
    let mut r = Random(44);
    for owords in [1usize, 2, 4, 8] {
        let before = random_state(&mut r);
        let memory = before.concat();
        for (op, unit) in [("oword_ld", 16), ("oword_ld_unaligned", 4)] {
            let at = 1 + r.below((BYTES - 256) / unit);
            let offset = if unit == 16 { at } else { at * 4 };
            let text = format!("{op} ({owords}) SURFACE {offset:#x}:ud D.32\n");
            let after = bench(16, 1, &text)
                .run(common::skl(), &before)
                .unwrap_or_else(|e| panic!("{e}: {text}"));
            let end = 32 + owords * 16;
            assert_eq!(
                after[3][32..end],
                memory[at * unit..at * unit + owords * 16],
                "{text}"
            );
            assert!(after[3][..32] == before[3][..32], "{text}");
        }
    }
}

#[test]
fn media_blocks_move_rectangles() {
    const WIDTH: usize = 48;
    let format = Format::find("r8uint").unwrap();
    let image = Image {
        shape: Shape::new(ImageKind::D2, format, &[WIDTH as u32, 24]).unwrap(),
        texels: (0..WIDTH * 24).map(|i| (i * 7 % 251) as u8).collect(),
    };
    let mut r = Random(45);
    for (mode, step, parity) in [("nomod", 1, 0), ("top", 2, 0), ("bottom", 2, 1)] {
        for (width, height) in [(4usize, 1usize), (4, 8), (8, 4), (12, 4), (16, 8), (32, 8)] {
            let before = random_state(&mut r);
            let (x, y) = (r.below(16), r.below(3));
            // The block is written after it is read, at a place inside the image.
            let (to_x, to_y) = if x + height > 12 { (x, y) } else { (y, x) };
            let text = format!(
                "movs (M1_NM, 1) SURFACE(0) 0x2:ud\n\
                 media_ld.{mode} ({width}, {height}) SURFACE 0 {x:#x}:ud {y:#x}:ud D.0\n\
                 media_st.{mode} ({width}, {height}) SURFACE 0 {to_x:#x}:ud {to_y:#x}:ud S1.0\n"
            );
            let (after, texels) = bench(16, 1, &text)
                .run_with(
                    common::skl(),
                    &before,
                    128,
                    Some((&image, Sampler::default())),
                )
                .unwrap_or_else(|e| panic!("{e}: {text}"));
            let pitch = width.next_power_of_two().max(4);
            let mut written = image.texels.clone();
            for row in 0..height {
                let line = |y: usize| (y + row) * step + parity;
                let from = line(y) * WIDTH + x;
                let read = &after[3][row * pitch..row * pitch + width];
                assert_eq!(read, &image.texels[from..from + width], "{text}");
                let to = line(to_y) * WIDTH + to_x;
                let data = &before[1][row * pitch..row * pitch + width];
                written[to..to + width].copy_from_slice(data);
            }
            assert!(texels == written, "{text}");
        }
    }
}
