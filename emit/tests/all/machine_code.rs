//! Compactor, assembler and listing with labels over the machine code of the examples, which the
//! reference compiler made.

use kiln_emit::assemble::{Program, assemble};
use kiln_emit::encoding::{compactable, decode, encode};
use kiln_emit::inst::{Inst, Target};
use kiln_emit::listing::{Style, entries, list};
use kiln_emit::platform::{Platform, find};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn platform() -> &'static Platform {
    find("skl").expect("the platform is known")
}

/// Name and machine code of every example that has any.
fn examples() -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let mut found = Vec::new();
    for entry in fs::read_dir(root).expect("the examples are there") {
        let dir = entry.expect("a folder").path();
        let name = dir
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let code: PathBuf = dir.join(&name).with_extension("dat");
        if let Ok(bytes) = fs::read(code) {
            found.push((name, bytes));
        }
    }
    assert!(found.len() >= 14, "only {} examples", found.len());
    found
}

/// Every instruction with its offset.
fn instructions(code: &[u8]) -> Vec<(u32, Inst)> {
    entries(code, platform())
        .map(|entry| (entry.offset, entry.inst.expect("compiled code decodes")))
        .collect()
}

#[test]
fn the_compactor_decides_as_the_reference_compiler_did() {
    let mut short = 0;
    for (name, code) in examples() {
        for (offset, mut inst) in instructions(&code) {
            let was = std::mem::take(&mut inst.opts.compacted);
            short += usize::from(was);
            let is = compactable(&inst, platform()).expect("it encodes");
            assert_eq!(is, was, "{name}+{offset:#x}: {inst}");
        }
    }
    assert!(short > 100, "only {short} compacted instructions to see");
}

#[test]
fn long_forms_decode_to_the_same_instruction() {
    for (name, code) in examples() {
        for (offset, mut inst) in instructions(&code) {
            inst.opts.compacted = false;
            let long = encode(&inst, platform()).expect("the long form exists");
            assert_eq!(long.as_bytes().len(), 16);
            let back = decode(long.as_bytes(), platform()).expect("it decodes");
            assert_eq!(back, inst, "{name}+{offset:#x}");
        }
    }
}

/// The program of machine code: blocks begin at the targets of branches.
fn program(code: &[u8]) -> Program {
    let insts = instructions(code);
    let mut starts: BTreeMap<u32, u32> = BTreeMap::new();
    starts.insert(0, 0);
    for (offset, inst) in &insts {
        for target in [inst.jip, inst.uip].into_iter().flatten() {
            if let Target::Offset(distance) = target {
                starts.insert(offset.wrapping_add_signed(distance), 0);
            }
        }
    }
    for (n, block) in starts.values_mut().enumerate() {
        *block = n as u32;
    }
    let mut blocks = vec![Vec::new(); starts.len()];
    for (offset, mut inst) in insts {
        inst.opts.compacted = false;
        for target in [&mut inst.jip, &mut inst.uip].into_iter().flatten() {
            if let Target::Offset(distance) = *target {
                *target = Target::Block(starts[&offset.wrapping_add_signed(distance)]);
            }
        }
        let block = starts
            .range(..=offset)
            .next_back()
            .map_or(0, |(_, block)| *block);
        blocks[block as usize].push(inst);
    }
    Program { blocks }
}

#[test]
fn programs_assemble_to_the_code_they_came_from() {
    let mut branches = 0;
    for (name, code) in examples() {
        let program = program(&code);
        branches += program.blocks.len() - 1;
        let assembled = assemble(&program, platform()).expect("it assembles");
        assert!(assembled.code == code, "{name} differs");
        let starts = entries(&code, platform()).map(|entry| entry.offset);
        assert!(assembled.inst_offsets.iter().copied().eq(starts), "{name}");
    }
    assert!(branches > 20, "only {branches} branch targets to see");
}

#[test]
fn listings_are_the_references() {
    for (name, code) in examples() {
        let expected = kiln_corpus::text(&format!("machine_code/skl/{name}.asm"));
        let listing = list(&code, platform(), Style::Labels);
        let mut lines = listing.lines().map(normal);
        for (n, line) in expected.lines().enumerate() {
            assert_eq!(
                lines.next().as_deref(),
                Some(line),
                "{name}, line {}",
                n + 1
            );
        }
        assert_eq!(lines.next(), None, "{name}: more lines than the reference");
    }
}

/// The line without comments and with single spaces, as in the fixtures.
fn normal(line: &str) -> String {
    let code = line.split("//").next().unwrap_or_default();
    code.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn numeric_listings_have_distances_and_no_labels() {
    for (name, code) in examples() {
        let listing = list(&code, platform(), Style::Numeric);
        assert_eq!(listing.lines().count(), instructions(&code).len(), "{name}");
        for (line, (_, inst)) in listing.lines().zip(instructions(&code)) {
            if let Some(Target::Offset(distance)) = inst.jip {
                let words = normal(line);
                let found = words.split(' ').any(|word| word == distance.to_string());
                assert!(found, "{name}: {line}");
            }
        }
    }
}

#[test]
fn zeros_too_few_for_an_instruction_are_padding() {
    let (_, mut code) = examples().swap_remove(0);
    let whole = list(&code, platform(), Style::Numeric);
    code.extend([0; 8]);
    assert_eq!(list(&code, platform(), Style::Numeric), whole);
    code.extend([0; 8]);
    assert_ne!(list(&code, platform(), Style::Numeric), whole);
}

#[test]
fn listings_go_on_after_what_is_no_instruction() {
    let (_, code) = examples().swap_remove(0);
    let mut broken = vec![0xff; 16];
    broken[3] = 0xdf;
    broken.extend_from_slice(&code);
    broken.extend_from_slice(&[0x01, 0x02]);
    let listing = list(&broken, platform(), Style::Numeric);
    let lines: Vec<&str> = listing.lines().collect();
    assert_eq!(lines.len(), instructions(&code).len() + 2);
    assert!(
        lines[0].trim_start().starts_with("illegal // "),
        "{}",
        lines[0]
    );
    assert!(
        lines[lines.len() - 1].contains("2 bytes left"),
        "{}",
        lines[lines.len() - 1]
    );
    let whole = list(&code, platform(), Style::Numeric);
    assert!(whole.lines().eq(lines[1..lines.len() - 1].iter().copied()));
}
