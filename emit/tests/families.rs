//! Machine code of the families after Gen9, against the reference's listings.
//!
//! `fixtures/PLATFORM` has the code of this project's examples as the reference compiler makes it,
//! `assembled.dat` for what the examples do not use, and `short.dat` for the tables of short forms;
//! the text beside each is what the reference disassembler says of it, with numeric labels.

mod common;

use kiln_emit::encoding::{compactable, decode, encode};
use kiln_emit::listing::{Style, entries, list};
use kiln_emit::platform::{PLATFORMS, Platform};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Machine code, its platform and its name.
fn fixtures() -> Vec<(&'static Platform, String, Vec<u8>, String)> {
    let mut out = Vec::new();
    for platform in PLATFORMS.iter().filter(|p| p.name != "skl") {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures")
            .join(platform.name);
        let Ok(files) = fs::read_dir(dir) else {
            continue;
        };
        for file in files {
            let path = file.expect("a directory entry").path();
            if path.extension().is_some_and(|e| e == "dat") {
                let code = fs::read(&path).expect("machine code");
                let text = fs::read_to_string(path.with_extension("asm")).expect("its listing");
                let name = path.display().to_string();
                out.push((platform, name, code, text));
            }
        }
    }
    assert!(out.len() > 70, "only {} fixtures", out.len());
    out
}

#[test]
fn decoding_and_encoding_give_the_same_bytes() {
    for (platform, name, code, _) in fixtures() {
        for entry in entries(&code, platform) {
            let at = entry.offset as usize;
            let inst = entry.inst.expect("an instruction");
            let encoded = encode(&inst, platform).expect("it encodes");
            let bytes = &code[at..at + entry.len as usize];
            assert_eq!(encoded.as_bytes(), bytes, "{name}+{at:#x}: {inst}");
        }
    }
}

#[test]
fn short_forms_are_found_again() {
    let mut short = 0;
    for (platform, name, code, _) in fixtures() {
        for entry in entries(&code, platform) {
            let mut inst = entry.inst.expect("an instruction");
            if !inst.opts.compacted || inst.op.is_branch() {
                continue;
            }
            short += 1;
            let found = compactable(&inst, platform);
            assert_eq!(found, Ok(true), "{name}+{:#x}: {inst}", entry.offset);
            inst.opts.compacted = false;
            let long = encode(&inst, platform).expect("the long form exists");
            let back = decode(long.as_bytes(), platform);
            assert_eq!(back, Ok(inst), "{name}+{:#x}", entry.offset);
        }
    }
    assert!(short > 5000, "only {short} short instructions");
}

#[test]
fn listings_are_the_references() {
    for (platform, name, code, expected) in fixtures() {
        let listing = list(&code, platform, Style::Numeric);
        let mut lines = listing.lines().map(normal);
        for (n, line) in expected.lines().enumerate() {
            let found = lines.next();
            assert_eq!(found.as_deref(), Some(line), "{name}, line {}", n + 1);
        }
        assert_eq!(lines.next(), None, "{name}: more lines than the reference");
    }
}

/// Without comments and with single spaces, as the fixtures are.
fn normal(line: &str) -> String {
    let code = line.split("//").next().unwrap_or_default();
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn every_family_is_well_covered() {
    for platform in ["icllp", "tgllp", "dg2", "pvc", "lnl"] {
        let mut used = BTreeSet::new();
        for (_, _, code, _) in fixtures().iter().filter(|f| f.0.name == platform) {
            let found = kiln_emit::platform::find(platform).expect("the platform is known");
            for entry in entries(code, found) {
                used.extend(common::features(&entry.inst.expect("an instruction")));
            }
        }
        assert!(used.len() > 170, "{platform}: only {} features", used.len());
    }
}

/// Any bytes at all decode or say why not, and what decodes encodes to its equal.
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
