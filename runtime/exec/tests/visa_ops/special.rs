//! Operations that do not fit the table: predicates as data, addresses, packed immediates.

use crate::bench::{Bench, State, VAR_BYTES};
use crate::case::element;
use crate::common;
use crate::guard::low;
use crate::model::{Num, Relation, Ty};
use crate::random::Random;

/// Features that the second target lacks: 64-bit integers, dot products, sums of absolute differences, planes, and
/// macro steps.
const ON_ONE: [&str; 9] = [
    "uq", "dp2", "dp3", "dp4", "dph", "sad2", "plane", "invm", "rsqtm",
];

fn random_state(r: &mut Random) -> State {
    let mut state = [[0; VAR_BYTES]; 4];
    state.iter_mut().flatten().for_each(|b| *b = r.next() as u8);
    state
}

fn run(simd: u8, decls: &str, body: String, before: &State) -> State {
    let items = simd.into();
    let bench = Bench {
        simd,
        items,
        decls: decls.to_string(),
        body,
    };
    let run = |target| {
        let after = bench.run(common::target(target), before);
        after.unwrap_or_else(|e| panic!("{target}: {e}\n{}", bench.body))
    };
    let state = run("skl");
    if !ON_ONE.iter().any(|what| bench.body.contains(what)) {
        assert_eq!(state, run("icllp"), "icllp differs\n{}", bench.body);
    }
    state
}

fn predicates(simd: u8) -> String {
    (1..4)
        .map(|p| format!(".decl P{p} v_type=P num_elts={simd}\n"))
        .collect()
}

fn type_of(simd: u8) -> &'static str {
    if simd > 16 { "ud" } else { "uw" }
}

/// The channels of a predicate that was moved to D.
fn stored(state: &State, simd: u8) -> u32 {
    element(&state[3], 0, Ty::Ud) as u32 & low(simd.into())
}

#[test]
fn predicate_logic_works_on_whole_predicates() {
    let mut r = Random(1);
    type Logic = fn(u32, u32) -> u32;
    let ops: [(&str, Logic); 4] = [
        ("and", |a, b| a & b),
        ("or", |a, b| a | b),
        ("xor", |a, b| a ^ b),
        ("not", |a, _| !a),
    ];
    for simd in [8, 16, 32] {
        for (name, op) in ops {
            let (a, b) = (
                r.next() as u32 & low(simd.into()),
                r.next() as u32 & low(simd.into()),
            );
            let ty = type_of(simd);
            let second = if name == "not" { "" } else { " P2" };
            let body = format!(
                "setp (M1_NM, {simd}) P1 {a:#x}:{ty}\nsetp (M1_NM, {simd}) P2 {b:#x}:{ty}\n\
                 {name} (M1_NM, {simd}) P3 P1{second}\nmov (M1_NM, 1) D_ud(0,0)<1> P3\n"
            );
            let after = run(simd, &predicates(simd), body, &random_state(&mut r));
            assert_eq!(
                stored(&after, simd),
                op(a, b) & low(simd.into()),
                "{name}, SIMD{simd}"
            );
        }
    }
}

#[test]
fn predicate_logic_on_the_upper_half_leaves_the_lower() {
    let mut r = Random(2);
    let (a, b, c) = (r.next() as u32, r.next() as u32, r.next() as u32);
    let body = format!(
        "setp (M1_NM, 32) P1 {a:#x}:ud\nsetp (M1_NM, 32) P2 {b:#x}:ud\nsetp (M1_NM, 32) P3 {c:#x}:ud\n\
         xor (M5_NM, 16) P3 P1 P2\nmov (M1_NM, 1) D_ud(0,0)<1> P3\n"
    );
    let after = run(32, &predicates(32), body, &random_state(&mut r));
    assert_eq!(stored(&after, 32), c & 0xffff | (a ^ b) & 0xffff_0000);
}

#[test]
fn setp_takes_bits_of_a_scalar_and_low_bits_of_elements() {
    let mut r = Random(3);
    for simd in [8u8, 16, 32] {
        let lanes = usize::from(simd);
        let before = random_state(&mut r);
        let scalar = format!("setp (M1_NM, {simd}) P1 S0_{}(1,0)<0;1,0>\n", type_of(simd));
        let body = scalar + "mov (M1_NM, 1) D_ud(0,0)<1> P1\n";
        let after = run(simd, &predicates(simd), body, &before);
        let bits = element(&before[0], 32, Ty::Ud) as u32;
        assert_eq!(
            stored(&after, simd),
            bits & low(lanes),
            "scalar, SIMD{simd}"
        );

        let vector =
            format!("setp (M1_NM, {simd}) P1 S1_uw(0,3)<1;1,0>\nmov (M1_NM, 1) D_ud(0,0)<1> P1\n");
        let after = run(simd, &predicates(simd), vector, &before);
        let bit = |lane: usize| u32::from(before[1][6 + lane * 2] & 1) << lane;
        let bits = (0..lanes).map(bit).fold(0, |a, b| a | b);
        assert_eq!(stored(&after, simd), bits, "elements, SIMD{simd}");
    }
}

#[test]
fn packed_immediates_have_an_element_for_each_channel() {
    let mut r = Random(4);
    let before = random_state(&mut r);
    let packed = 0x8f73_1c5eu32;
    let body = format!(
        "mov (M1_NM, 8) D_w(0,0)<1> {packed:#x}:v\nmov (M1_NM, 8) D_uw(1,0)<2> {packed:#x}:uv\n\
         mov (M1_NM, 8) D_d(2,0)<1> {packed:#x}:v\nadd (M1_NM, 8) D_d(3,0)<1> S0_d(0,1)<1;1,0> {packed:#x}:v\n\
         mov (M1_NM, 4) D_f(4,0)<1> 0xa8403000:vf\nadd (M1_NM, 8) D_w(5,0)<1> {packed:#x}:v S0_w(0,0)<1;1,0>\n"
    );
    let after = run(16, "", body, &before);
    for lane in 0..8 {
        let nibble = packed >> (4 * lane) & 0xf;
        let signed = (nibble << 28) as i32 >> 28;
        let d = &after[3];
        let (own, word) = (
            element(&before[0], 4 + lane * 4, Ty::D),
            element(&before[0], lane * 2, Ty::W),
        );
        assert_eq!(element(d, lane * 2, Ty::W) as i16, signed as i16);
        assert_eq!(element(d, 32 + lane * 4, Ty::Uw), u64::from(nibble));
        assert_eq!(element(d, 64 + lane * 4, Ty::D) as i32, signed);
        assert_eq!(
            element(d, 96 + lane * 4, Ty::D) as i32,
            (own as i32).wrapping_add(signed)
        );
        assert_eq!(
            element(d, 160 + lane * 2, Ty::W) as i16,
            (word as i16).wrapping_add(signed as i16)
        );
    }
    // Sign, three bits of exponent (bias 3), four of fraction.
    let floats: Vec<f32> = (0..4)
        .map(|i| f32::from_bits(element(&after[3], 128 + i * 4, Ty::F) as u32))
        .collect();
    assert_eq!(floats, [0.0, 1.0, 2.0, -0.75]);
}

const ADDRESS: &str = ".decl A0 v_type=A num_elts=16\n";

#[test]
fn one_address_reads_and_writes_a_region() {
    let mut r = Random(5);
    for n in 0..48 {
        let before = random_state(&mut r);
        let ty = r.of(&[Ty::Ub, Ty::W, Ty::Ud, Ty::F, Ty::Uq]);
        let (size, bytes) = (r.of(&[1usize, 4, 8, 16]), ty.bytes());
        let size = size.min(64 / bytes);
        let step = if size == 1 { 0 } else { r.of(&[0usize, 1, 2]) };
        let reach = if size == 1 {
            1
        } else {
            (size - 1) * step.max(1) + 1
        } * bytes;
        if reach > 64 {
            continue;
        }
        // An address may only reach the bytes of its variable.
        let (at, imm) = (r.below((256 - reach) / bytes) * bytes, r.below(8) * bytes);
        let name = ty.name();
        let from = format!("r[A0(2),{imm}]<{step};1,0>:{name}");
        let body = if n % 2 == 0 {
            format!(
                "addr_add (M1_NM, 1) A0(2)<1> &S0 {at:#x}:uw\n\
                 mov (M1, {size}) D_{name}(0,0)<1> {from}\n"
            )
        } else {
            format!(
                "mov (M1_NM, 1) S2_uw(0,0)<1> {at:#x}:uw\n\
                 addr_add (M1_NM, 1) A0(2)<1> &D S2_uw(0,0)<0;1,0>\n\
                 mov (M1, {size}) r[A0(2),{imm}]<1>:{name} S0_{name}(0,0)<1;1,0>\n"
            )
        };
        let after = run(16, ADDRESS, body.clone(), &before);
        let mut expected = before[3];
        for lane in 0..size {
            let away = (at + imm + lane * bytes, lane * bytes);
            let (from, to) = if n % 2 == 0 {
                (at + imm + lane * step * bytes, away.1)
            } else {
                (away.1, away.0)
            };
            expected[to..to + bytes].copy_from_slice(&before[0][from..from + bytes]);
        }
        assert_eq!(after[3], expected, "{body}");
    }
}

#[test]
fn an_address_for_each_channel_reads_its_element() {
    let mut r = Random(6);
    for _ in 0..32 {
        let mut before = random_state(&mut r);
        let ty = r.of(&[Ty::B, Ty::Uw, Ty::D, Ty::F]);
        let (size, bytes) = (r.of(&[8usize, 16]), ty.bytes());
        // One address for each channel, or one for four channels in a row.
        let width = r.of(&[1, 4]);
        let room = (256 - 4 * bytes) / bytes;
        let addresses: Vec<usize> = (0..16).map(|_| r.below(room) * bytes).collect();
        for (word, at) in before[1].chunks_exact_mut(2).zip(&addresses) {
            word.copy_from_slice(&(*at as u16).to_le_bytes());
        }
        let (name, count, imm) = (ty.name(), size / width, r.below(4) * bytes);
        let region = if width == 1 { "<1,0>" } else { "<4,1>" };
        let body = format!(
            "addr_add (M1_NM, {count}) A0(0)<1> &S0 S1_uw(0,0)<1;1,0>\n\
             mov (M1, {size}) D_{name}(1,0)<1> r[A0(0),{imm}]{region}:{name}\n"
        );
        let after = run(16, ADDRESS, body.clone(), &before);
        let mut expected = before[3];
        for lane in 0..size {
            let from = addresses[lane / width] + imm + lane % width * bytes;
            let to = 32 + lane * bytes;
            expected[to..to + bytes].copy_from_slice(&before[0][from..from + bytes]);
        }
        assert_eq!(after[3], expected, "{body}");
    }
}

#[test]
fn many_live_predicates_keep_their_channels() {
    // More predicates than the flag registers and the eight spill places of flags.
    let mut r = Random(7);
    for (simd, count) in [(32u8, 6usize), (32, 14), (16, 20)] {
        let before = random_state(&mut r);
        let mut decls = String::new();
        let mut body = String::new();
        for p in 1..=count {
            decls += &format!(".decl P{p} v_type=P num_elts={simd}\n");
            for at in (0..simd).step_by(16) {
                let half = at / 4 + 1;
                body += &format!(
                    "cmp.lt (M{half}, 16) P{p} S0_uw(0,{at})<1;1,0> S1_uw(0,{})<0;1,0>\n",
                    p % 16
                )
                .replace("(0,16)", "(1,0)");
            }
        }
        for p in (1..=count).rev() {
            let (row, col) = ((p - 1) / 8, (p - 1) % 8);
            body += &format!("mov (M1_NM, 1) D_ud({row},{col})<1> P{p}\n");
        }
        let after = run(simd, &decls, body, &before);
        for p in 1..=count {
            let limit = element(&before[1], p % 16 * 2, Ty::Uw);
            let less =
                |lane: usize| u32::from(element(&before[0], lane * 2, Ty::Uw) < limit) << lane;
            let bits = (0..usize::from(simd)).map(less).fold(0, |a, b| a | b);
            let found = element(&after[3], (p - 1) * 4, Ty::Ud) as u32 & low(simd.into());
            assert_eq!(found, bits, "P{p} of {count}, SIMD{simd}");
        }
    }
}

#[test]
fn many_live_addresses_keep_theirs() {
    let mut r = Random(8);
    let mut before = random_state(&mut r);
    for (i, word) in before[1].chunks_exact_mut(2).enumerate() {
        word.copy_from_slice(&(((i * 37 + 11) % 60 * 4) as u16).to_le_bytes());
    }
    let count = 4;
    let mut decls = String::new();
    let mut body = String::new();
    for a in 0..count {
        decls += &format!(".decl A{a} v_type=A num_elts=16\n");
        body += &format!("addr_add (M1_NM, 16) A{a}(0)<1> &S0 S1_uw({a},0)<1;1,0>\n");
    }
    for a in (0..count).rev() {
        for half in 0..2 {
            let row = 2 * a + half;
            body += &format!(
                "mov (M1_NM, 8) D_ud({row},0)<1> r[A{a}({}),0]<1,0>:ud\n",
                8 * half
            );
        }
    }
    let after = run(16, &decls, body, &before);
    for i in 0..16 * count {
        let from = element(&before[1], i * 2, Ty::Uw) as usize;
        assert_eq!(
            element(&after[3], i * 4, Ty::Ud),
            element(&before[0], from, Ty::Ud),
            "element {i}"
        );
    }
}

#[test]
fn compares_take_an_immediate_in_either_place() {
    let mut r = Random(9);
    let mut before = random_state(&mut r);
    for (lane, dword) in before[0].chunks_exact_mut(4).enumerate() {
        // Less than, equal to and greater than the immediate.
        dword.copy_from_slice(&(lane as i32 % 3 + 6).to_le_bytes());
    }
    for relation in Relation::ALL {
        for first in [true, false] {
            let (reg, imm) = ("S0_d(0,0)<1;1,0>", "0x7:d");
            let sources = if first { [imm, reg] } else { [reg, imm] }.join(" ");
            let body = format!(
                "cmp.{} (M1, 16) P1 {sources}\nmov (M1_NM, 1) D_ud(0,0)<1> P1\n",
                relation.name()
            );
            let after = run(16, &predicates(16), body.clone(), &before);
            for lane in 0..16 {
                let (own, imm) = (Num::I(lane as i128 % 3 + 6), Num::I(7));
                let holds = if first {
                    relation.holds(imm, own)
                } else {
                    relation.holds(own, imm)
                };
                assert_eq!(
                    stored(&after, 16) >> lane & 1 == 1,
                    holds,
                    "channel {lane}: {body}"
                );
            }
        }
    }
}

fn float(state: &State, var: usize, n: usize) -> f32 {
    f32::from_bits(element(&state[var], n * 4, Ty::F) as u32)
}

/// Products of four channels, some of them inactive: these are read and not written.
#[test]
fn dot_products_are_of_four_channels_each() {
    let mut r = Random(21);
    type Dot = fn([f32; 4], [f32; 4]) -> f32;
    let ops: [(&str, Dot); 4] = [
        ("dp2", |a, b| a[0] * b[0] + a[1] * b[1]),
        ("dp3", |a, b| (0..3).map(|i| a[i] * b[i]).sum()),
        ("dp4", |a, b| (0..4).map(|i| a[i] * b[i]).sum()),
        ("dph", |a, b| {
            (0..3).map(|i| a[i] * b[i]).sum::<f32>() + b[3]
        }),
    ];
    for size in [4usize, 8, 16] {
        for (name, dot) in ops {
            let mut before = random_state(&mut r);
            for state in before.iter_mut().take(2) {
                for chunk in state.chunks_exact_mut(4) {
                    let small = r.below(17) as f32 - 8.0;
                    chunk.copy_from_slice(&small.to_le_bytes());
                }
            }
            let body = format!(
                "setp (M1_NM, 16) P1 0x5a3c:uw\nmov (M1, 16) S2_f(0,0)<1> S0_f(0,0)<1;1,0>\n\
                 (P1) {name} (M1, {size}) D_f(0,0)<1> S2_f(0,0)<1;1,0> (-)S1_f(1,0)<1;1,0>\n"
            );
            let after = run(16, &predicates(16), body, &before);
            for lane in 0..size {
                let from = lane / 4 * 4;
                let a = std::array::from_fn(|i| float(&before, 0, from + i));
                let b = std::array::from_fn(|i| -float(&before, 1, 8 + from + i));
                let written = 0x5a3c >> lane & 1 == 1;
                let expected = match written {
                    true => dot(a, b).to_bits(),
                    false => float(&before, 3, lane).to_bits(),
                };
                let found = float(&after, 3, lane).to_bits();
                assert_eq!(found, expected, "{name}, {size} channels, channel {lane}");
            }
        }
    }
}

#[test]
fn differences_are_of_two_channels() {
    let mut r = Random(22);
    let before = random_state(&mut r);
    for size in [2usize, 8, 16] {
        let body = format!(
            "sad2 (M1, {size}) D_uw(0,0)<1> S0_ub(0,3)<1;1,0> S1_ub(1,0)<1;1,0>\n\
             sad2add (M1, {size}) D_w(2,0)<1> S0_b(0,0)<1;1,0> S1_b(1,0)<1;1,0> S2_w(0,0)<1;1,0>\n"
        );
        let after = run(16, "", body, &before);
        for lane in (0..size).step_by(2) {
            let plain: u32 = (lane..lane + 2)
                .map(|i| u32::from(before[0][3 + i].abs_diff(before[1][32 + i])))
                .sum();
            assert_eq!(element(&after[3], lane * 2, Ty::Uw), u64::from(plain));
            let signed: i32 = (lane..lane + 2)
                .map(|i| (i32::from(before[0][i] as i8) - i32::from(before[1][32 + i] as i8)).abs())
                .sum();
            let sum = (signed + i32::from(element(&before[2], lane * 2, Ty::W) as i16)) as i16;
            assert_eq!(
                element(&after[3], 64 + lane * 2, Ty::W) as i16,
                sum,
                "{lane}"
            );
        }
    }
}

/// `line`: parameters 0 and 3; `plane`: 0, 1 and 3; coordinates of eight channels in a register each.
#[test]
fn lines_and_planes_take_parameters_from_four() {
    let mut r = Random(23);
    let mut before = random_state(&mut r);
    for state in before.iter_mut().take(2) {
        for chunk in state.chunks_exact_mut(4) {
            let small = r.below(17) as f32 - 8.0;
            chunk.copy_from_slice(&small.to_le_bytes());
        }
    }
    let four: [f32; 4] = std::array::from_fn(|i| float(&before, 0, 4 + i));
    for (size, off) in [(8usize, 0usize), (8, 8), (16, 0)] {
        let body = format!(
            "mov (M1_NM, 16) D_f(0,0)<1> S1_f(0,0)<1;1,0>\n\
             mov (M1_NM, 16) D_f(2,0)<1> S1_f(2,0)<1;1,0>\n\
             setp (M1_NM, 16) P1 0x5a3c:uw\n\
             (P1) plane (M{mask}, {size}) D_f(0,0)<1> S0_f(0,4)<0;4,1> (-)D_f(0,0)<1;1,0>\n\
             line.sat (M{mask}, {size}) D_f(6,0)<1> S0_f(0,4)<0;4,1> S1_f(0,0)<1;1,0>\n\
             line (M{mask}, {size}) D_f(8,0)<1> (-)S0_f(0,5)<0;1,0> S1_f(0,0)<1;1,0>\n",
            mask = off / 4 + 1,
        );
        let after = run(16, &predicates(16), body, &before);
        for lane in 0..size {
            let x = float(&before, 1, lane);
            let register = lane / 8 * 16 + lane % 8;
            let (u, v) = (float(&before, 1, register), float(&before, 1, register + 8));
            let plane = match 0x5a3c >> (off + lane) & 1 {
                1 => four[0] * -u + four[1] * -v + four[3],
                _ => x,
            };
            assert_eq!(float(&after, 3, lane), plane, "{size} from {off}, {lane}");
            let line = (four[0] * x + four[3]).clamp(0.0, 1.0);
            assert_eq!(
                float(&after, 3, 48 + lane),
                line,
                "{size} from {off}, {lane}"
            );
            let same = -four[1] * x - four[1];
            assert_eq!(
                float(&after, 3, 64 + lane),
                same,
                "{size} from {off}, {lane}"
            );
        }
    }
}

/// Equal labels, adjacent labels, labels before the jump; indices of all types.
#[test]
fn switchjmp_goes_to_the_label_of_its_index() {
    let mut r = Random(24);
    for count in [1usize, 2, 3, 7, 32] {
        for ty in ["ub", "w", "d", "ud"] {
            for index in [0, count / 2, count - 1] {
                let mut before = random_state(&mut r);
                before[0][0..4].copy_from_slice(&(index as u32).to_le_bytes());
                // Two indices share each label; one case leads back to the jump with another index.
                let labels: Vec<String> = (0..count).map(|n| format!("case{}", n / 2)).collect();
                let mut body = format!(
                    "mov (M1_NM, 1) D_ud(0,0)<1> 0:ud\nagain:\n\
                     switchjmp (M1, 1) S0_{ty}(0,0)<0;1,0> ({})\n",
                    labels.join(", ")
                );
                for case in 0..count.div_ceil(2) {
                    let back = match case {
                        2 => "mov (M1_NM, 1) S0_ud(0,0)<1> 0:ud\njmp (M1, 1) again\n",
                        _ => "jmp (M1, 1) behind\n",
                    };
                    body += &format!(
                        "case{case}:\nadd (M1_NM, 1) D_ud(0,0)<1> D_ud(0,0)<0;1,0> {}:ud\n{back}",
                        case + 1
                    );
                }
                body += "behind:\n";
                let after = run(16, "", body, &before);
                let case = index as u64 / 2;
                let expected = if case == 2 { 3 + 1 } else { case + 1 };
                assert_eq!(
                    element(&after[3], 0, Ty::Ud),
                    expected,
                    "{index} of {count}"
                );
            }
        }
    }
}

/// `invm` and `rsqtm`: an approximation of the reciprocal or of the reciprocal root; or, where the predicate is
/// set, the quotient or the root itself.
#[test]
fn approximations_tell_which_of_them_are_final() {
    let mut r = Random(25);
    let special = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    for (ty, bytes, single) in [("f", 4usize, true), ("df", 8, false)] {
        for (op, size, pred) in [
            ("invm", 16usize, ""),
            ("invm", 4, "(!P2) "),
            ("rsqtm", 8, ""),
            ("rsqtm", 16, "(!P2) "),
            ("rsqtm", 1, ""),
        ] {
            let mut before = random_state(&mut r);
            let mut given = [[0f64; 16]; 2];
            for (state, values) in before.iter_mut().zip(&mut given) {
                for (n, value) in values.iter_mut().enumerate() {
                    let own = 1.0 + r.below(1 << 20) as f64 / 256.0;
                    let odd = r.of(&special);
                    *value = r.of(&[own, own, own, own, -own, odd]);
                    let at = n * bytes;
                    match single {
                        true => state[at..at + 4].copy_from_slice(&(*value as f32).to_le_bytes()),
                        false => state[at..at + 8].copy_from_slice(&value.to_le_bytes()),
                    }
                }
            }
            let invm = op == "invm";
            let second = if invm {
                format!(" S1_{ty}(0,0)<1;1,0>")
            } else {
                String::new()
            };
            let body = format!(
                "setp (M1_NM, 16) P2 0x0f05:uw\nsetp (M1_NM, 16) P1 0x1234:uw\n\
                 {pred}{op} (M1, {size}) D_{ty}(0,0)<1> P1 S0_{ty}(0,0)<1;1,0>{second}\n\
                 mov (M1_NM, 1) D_ud(8,0)<1> P1\n"
            );
            let after = run(16, &predicates(16), body.clone(), &before);
            let early = element(&after[3], 256, Ty::Ud);
            let [first, second] = given;
            for (lane, (a, b)) in first.into_iter().zip(second).enumerate() {
                let at = lane * bytes;
                let chosen = lane < size && (pred.is_empty() || 0x0f05 >> lane & 1 == 0);
                if !chosen {
                    assert_eq!(
                        after[3][at..at + bytes],
                        before[3][at..at + bytes],
                        "{body}: {lane}"
                    );
                    assert_eq!(early >> lane & 1, 0x1234 >> lane & 1, "{body}: {lane}");
                    continue;
                }
                let found = match single {
                    true => f32::from_bits(element(&after[3], at, Ty::F) as u32).into(),
                    false => f64::from_bits(element(&after[3], at, Ty::Df)),
                };
                let plain = |x: f64| x.is_finite() && x != 0.0;
                let refined = if invm {
                    plain(a) && plain(b)
                } else {
                    plain(a) && a > 0.0
                };
                assert_eq!(early >> lane & 1 == 0, refined, "{body}: {lane}: {a} {b}");
                let exact = match (invm, refined) {
                    (true, true) => 1.0 / b,
                    (true, false) => a / b,
                    (false, true) => 1.0 / a.sqrt(),
                    (false, false) => a.sqrt(),
                };
                let near = (found / exact - 1.0).abs() < 1e-6;
                let same = found == exact || found.is_nan() && exact.is_nan();
                assert!(
                    same || refined && near,
                    "{body}: {lane}: {found} of {a} {b}"
                );
            }
        }
    }
}

/// A sum of a `df` and of 64-bit integers is computed in `df` (rule V0085); the model is the host's arithmetic.
#[test]
fn sums_of_doubles_and_integers_are_sums_of_doubles() {
    let mut r = Random(11);
    let mut before = random_state(&mut r);
    let doubles: Vec<f64> = (0..8).map(|n| f64::from(n * 1000) - 2500.25).collect();
    let integers: Vec<i64> = (0..8).map(|n| (n - 4) * 123_456_789).collect();
    for n in 0..8 {
        let at = n * 8..(n + 1) * 8;
        before[0][at.clone()].copy_from_slice(&doubles[n].to_le_bytes());
        before[1][at].copy_from_slice(&integers[n].to_le_bytes());
    }
    let decls = predicates(8);
    let guard = "setp (M1_NM, 8) P1 0x5a:uw\n";
    for (line, expected) in [
        (
            "(P1) add (M1, 8) D_q(0,0)<1> S0_df(0,0)<1;1,0> (-)S1_q(0,0)<1;1,0>",
            (|a, b| (a - b as f64) as i64 as u64) as fn(f64, i64) -> u64,
        ),
        (
            "(P1) add (M1, 8) D_df(0,0)<1> S1_q(0,0)<1;1,0> S0_df(0,0)<1;1,0>",
            |a, b| (a + b as f64).to_bits(),
        ),
        (
            "(P1) add (M1, 8) D_q(0,0)<1> S0_df(0,0)<1;1,0> 0x7:q",
            |a, _| (a + 7.0) as i64 as u64,
        ),
    ] {
        let bench = Bench {
            simd: 8,
            items: 8,
            decls: decls.clone(),
            body: format!("{guard}{line}\n"),
        };
        let after = bench.run(common::target("skl"), &before);
        let after = after.unwrap_or_else(|e| panic!("{line}: {e}"));
        for n in 0..8 {
            let found = element(&after[3], n * 8, Ty::Uq);
            let old = element(&before[3], n * 8, Ty::Uq);
            let expected = match 0x5a >> n & 1 {
                1 => expected(doubles[n], integers[n]),
                _ => old,
            };
            assert_eq!(found, expected, "{line}, channel {n}");
        }
    }
}
