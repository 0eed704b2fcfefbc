//! Machine code of all families, compared with the reference's listings.
//!
//! `corpus/machine_code` has for each platform the code of this project's examples from the reference compiler, that of the kernels and of
//! the assembly text in `src` there, and `short.dat` and `compact.dat` for the compaction tables. The text beside
//! each is the reference disassembler's listing with numeric labels. `remake` there makes them.

use crate::common::{families, fixtures, recorded_path};
use kiln_emit::encoding::{compactable, decode, encode};
use kiln_emit::inst::{Desc, Inst};
use kiln_emit::listing::{Style, entries, line, list};
use kiln_emit::messages::{Descriptors, Request, RequestError};
use kiln_emit::platform::{Family, PLATFORMS, Platform, find};
use kiln_emit::verify::verify;
use std::collections::BTreeSet;
use std::fs;

/// Some entries of Gen9's compaction tables hold bits that the instructions lack, so no encoder would choose them.
const REDUNDANT: &str = "skl/compact.dat";

/// Every instruction with its bytes and place, except those of [`REDUNDANT`].
fn instructions() -> impl Iterator<Item = (&'static Platform, Vec<u8>, Inst, String)> {
    PLATFORMS.iter().flat_map(|platform| {
        let fixtures = fixtures(platform).into_iter();
        let chosen = fixtures.filter(|fixture| !fixture.path.ends_with(REDUNDANT));
        chosen.flat_map(move |fixture| {
            let all = entries(&fixture.code, platform);
            let with_bytes = all.map(|entry| {
                let at = entry.offset as usize;
                let bytes = fixture.code[at..at + entry.len as usize].to_vec();
                let place = format!("{}+{at:#x}", fixture.path.display());
                let inst = entry.inst.unwrap_or_else(|e| panic!("{place}: {e}"));
                (platform, bytes, inst, place)
            });
            with_bytes.collect::<Vec<_>>()
        })
    })
}

#[test]
fn decoding_and_encoding_give_the_same_bytes() {
    let mut count = 0;
    for (platform, bytes, inst, place) in instructions() {
        let encoded = encode(&inst, platform).unwrap_or_else(|e| panic!("{place}: {inst}: {e}"));
        assert_eq!(encoded.as_bytes(), bytes, "{place}: {inst}");
        count += 1;
    }
    assert!(count > 40_000, "only {count} instructions");
}

#[test]
fn short_forms_are_found_again() {
    let mut short = 0;
    for (platform, _, mut inst, place) in instructions() {
        if !inst.opts.compacted || inst.op.is_branch() {
            continue;
        }
        short += 1;
        let found = compactable(&inst, platform);
        assert_eq!(found, Ok(true), "{place}: {inst}");
        inst.opts.compacted = false;
        let long = encode(&inst, platform).expect("the long form exists");
        let back = decode(long.as_bytes(), platform);
        assert_eq!(back, Ok(inst), "{place}");
    }
    assert!(short > 14_000, "only {short} short instructions");
}

/// Code of the reference compiler, and executable code of the reference assembler.
#[test]
fn compiled_code_breaks_no_rule() {
    let free = ["assembled", "rare", "short", "compact"].map(|name| format!("/{name}.dat+"));
    let mut count = 0;
    for (platform, _, inst, place) in instructions() {
        if free.iter().any(|name| place.contains(name)) {
            continue;
        }
        assert_eq!(verify(&inst, platform), Ok(()), "{place}: {inst}");
        count += 1;
    }
    assert!(count > 35_000, "only {count} instructions");
}

/// Lines of the reference that read a predicate wrongly, and what the code says: in an Align16 group each channel has a flag
/// of its own, and the second channel is written (docs/reference-faults.md).
const MISREAD: [(&str, &str); 1] = [(
    "(f0.0) mad (1|M0) r2.1<1>:f r3.0<0;0>:f -r4.3<0;0>:f r5.5<0>:f",
    "(f0.0) mad (4|M0) r2.0.y<1>:f r3.0.r:f -r4.3.r:f r5.5.r:f {Align16}",
)];

#[test]
fn listings_are_the_references() {
    let mut programs = 0;
    for platform in PLATFORMS {
        for fixture in kiln_corpus::machine_code(platform.name) {
            let name = fixture.path.display();
            let listing = list(&fixture.code, platform, Style::Numeric);
            let mut lines = listing.lines().map(normal);
            for (n, line) in fixture.listing.lines().enumerate() {
                let found = lines.next();
                let wrong = MISREAD.iter().find(|(misread, _)| *misread == line);
                let expected = wrong.map_or(line, |(_, right)| right);
                assert_eq!(found.as_deref(), Some(expected), "{name}, line {}", n + 1);
            }
            assert_eq!(lines.next(), None, "{name}: more lines than the reference");
            programs += 1;
        }
    }
    assert!(programs > 100, "only {programs} programs");
}

/// The line without comments and with single spaces, as in the fixtures.
fn normal(line: &str) -> String {
    let code = line.split("//").next().unwrap_or_default();
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Bytes that decoded wrongly once.
#[test]
fn what_short_forms_and_waits_say_is_kept() {
    let text = |name, bytes: &[u8]| {
        let platform = PLATFORMS.iter().find(|platform| platform.name == name);
        normal(list(bytes, platform.expect("a platform"), Style::Numeric).trim_end())
    };
    // A type table entry for an immediate as a second source, of an instruction that has one source.
    let short = [0x61, 0x00, 0x0b, 0x66, 0x02, 0x04, 0x10, 0x00];
    assert_eq!(
        text("tgllp", &short),
        "mov (16|M16) r11.0<1>:d r4.0<8;8,1>:d {Compacted}"
    );
    let mut nop = [0; 16];
    nop[..2].copy_from_slice(&[0x60, 0x01]);
    assert_eq!(text("tgllp", &nop), "nop {@1}");
    let mut call = [0; 16];
    call[..13].copy_from_slice(&[0x2b, 0, 3, 0, 8, 0x40, 0x44, 0x3e, 0, 0, 0, 0, 16]);
    assert_eq!(text("tgllp", &call), "calla (8|M0) r62.2 16");
}

/// The fixtures use every feature that a corpus of real code uses (`coverage --record` lists it).
#[test]
fn what_compilers_use_is_covered() {
    let mut recorded = 0;
    for (family, platforms) in families() {
        let mut used = BTreeSet::new();
        for platform in platforms {
            for fixture in fixtures(platform) {
                for entry in entries(&fixture.code, platform) {
                    let inst = entry.inst.expect("an instruction");
                    used.extend(crate::common::features(&inst, platform));
                }
            }
        }
        assert!(used.len() > 300, "{family:?}: only {} features", used.len());
        let Ok(expected) = fs::read_to_string(recorded_path(family)) else {
            continue;
        };
        recorded += 1;
        let missing: Vec<&str> = expected.lines().filter(|f| !used.contains(*f)).collect();
        assert!(missing.is_empty(), "{family:?}: not covered: {missing:#?}");
    }
    assert_eq!(recorded, 4, "families with a list of what compilers use");
}

/// Any bytes decode or give a reason, and a decoded instruction encodes to the same.
#[test]
fn decoding_is_total_and_stable() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for platform in PLATFORMS {
        let mut decoded = 0;
        for _ in 0..20_000 {
            let sparse = u128::from(next() & next()) << 64 | u128::from(next() & next());
            let code = sparse & !0x7f | u128::from(next() & 0x7f);
            let bytes = code.to_le_bytes();
            assert!(!list(&bytes, platform, Style::Labels).is_empty());
            let Ok(mut inst) = decode(&bytes, platform) else {
                continue;
            };
            decoded += 1;
            let again = encode(&inst, platform).or_else(|_| {
                inst.opts.compacted = false;
                encode(&inst, platform)
            });
            let again = again.unwrap_or_else(|e| panic!("{}: {inst:?}: {e}", platform.name));
            assert_eq!(decode(again.as_bytes(), platform), Ok(inst));
        }
        assert!(decoded > 1000, "{}: only {decoded}", platform.name);
    }
}

/// Sub-registers counted in elements, in bytes and in words, as the reference lists them.
#[test]
fn sub_registers_are_counted_as_each_family_does() {
    for (platform, code, expected) in [
        (
            "pvc",
            0x41_01b1_d1d0_0220_000c_0061_u128,
            "mov (8|M0) fc1.26<0>:ud r[a0.0,216]<8;1,1>:ud",
        ),
        (
            "lnl",
            0x41_01b1_d1d0_0220_000c_0061,
            "mov (8|M0) fc1.13<0>:ud r[a0.0,216]<8;1,1>:ud",
        ),
        (
            "lnl",
            0x1_e911_0044_a07a_610c_0220_000c_0061,
            "mov (8|M0) r97.0<0>:ud ip.15<8;4,2>:ud",
        ),
        (
            "pvc",
            0x1a04_1604_0505_0000_0a25_3aa0_0010_0059,
            "dpas.2x8 (16|M0) r10.2:f null:f r22:bf r26.0:bf",
        ),
        (
            "dg2",
            0x1e04_1425_0044_0c04_8a07_1e60_0003_0059,
            "dpas.8x4 (8|M0) r138:d r12:d r20.8:u4 r30.0:b",
        ),
    ] {
        let platform = find(platform).expect("a known platform");
        let inst = decode(&u128::to_le_bytes(code), platform).expect("an instruction");
        assert_eq!(line(&inst, 0, platform, Style::Numeric), expected);
    }
}

/// Native floats as the reference assembler encodes them and its disassembler lists them: on Gen11 in all operations,
/// later in operations of three sources only.
#[test]
fn accumulators_have_native_floats() {
    for (platform, code, expected) in [
        (
            "icllp",
            0x0180_0404_0720_6601_2000_c018_0060_005b_u128,
            "mad (8|M0) acc0.0<1>:nf r6.3<0;0>:f r2.0<8;1>:f r6.0<0>:f",
        ),
        (
            "icllp",
            0x0188_0406_0722_002b_0a00_4808_0060_005b,
            "mad (8|M0) r10.0<1>:f acc0.0<2;1>:nf r3.0<8;1>:f r6.1<0>:f",
        ),
        (
            "icllp",
            0x008d_00c0_4a8d_0400_2060_5928_0060_0040,
            "add (8|M0) r3.0<1>:f acc0.0<8;8,1>:nf r6.0<8;8,1>:f",
        ),
        (
            "tgllp",
            0x0604_0205_0a0a_0664_2000_02f0_0003_005b,
            "mad (8|M0) acc0.0<1>:nf r6.3<0;0>:f r2.0<8;1>:f r6.0<0>:f",
        ),
        (
            "dg2",
            0x0624_0305_0a0a_2001_0a04_0fa8_0003_005b,
            "mad (8|M0) r10.0<1>:f acc0.0<8;1>:nf r3.0<8;1>:f r6.1<0>:f",
        ),
    ] {
        let platform = find(platform).expect("a known platform");
        let bytes = code.to_le_bytes();
        let inst = decode(&bytes, platform).expect("an instruction");
        assert_eq!(line(&inst, 0, platform, Style::Numeric), expected);
        assert_eq!(encode(&inst, platform).expect("a code").as_bytes(), bytes);
        assert_eq!(verify(&inst, platform), Ok(()), "{expected}");
    }
    // Later families, and operations of two sources, lack them.
    let ternary = 0x0604_0205_0a0a_0664_2000_02f0_0003_005b_u128;
    let unary = 0x0046_0605_2000_0af0_0003_0061_u128;
    for (platform, code) in [("pvc", ternary), ("lnl", ternary), ("tgllp", unary)] {
        let platform = find(platform).expect("a known platform");
        assert!(decode(&code.to_le_bytes(), platform).is_err());
    }
}

/// Every message of the fixtures with a constant descriptor is a known request and encodes to the same. Only assembly
/// text (`forms`) has fields with reserved codes.
#[test]
fn descriptors_of_compilers_decode() {
    for (family, platforms) in families() {
        let mut seen = 0;
        for platform in platforms {
            for fixture in fixtures(platform) {
                for entry in entries(&fixture.code, platform) {
                    let Some(message) = entry.inst.ok().and_then(|inst| inst.msg) else {
                        continue;
                    };
                    let Desc::Imm(desc) = message.desc else {
                        continue;
                    };
                    let ex_desc = match message.ex_desc {
                        Desc::Imm(ex_desc) => ex_desc,
                        Desc::Addr { .. } if matches!(family, Family::Gen9 | Family::Gen11) => {
                            u32::from(message.sfid) | u32::from(message.eot) << 5
                        }
                        Desc::Addr { .. } => 0,
                    };
                    let of = Descriptors {
                        sfid: message.sfid,
                        end_of_thread: message.eot,
                        desc,
                        ex_desc,
                    };
                    let place =
                        || format!("{} at {:#x}: {of:x?}", fixture.path.display(), entry.offset);
                    match Request::decode(of, family) {
                        Ok(request) => assert_eq!(request.encode(family), Ok(of), "{}", place()),
                        Err(RequestError::Code { .. }) if fixture.path.ends_with("forms.dat") => {}
                        Err(error) => panic!("{}: {error}", place()),
                    }
                    seen += 1;
                }
            }
        }
        assert!(seen > 100, "only {seen} of {family:?}");
    }
}
