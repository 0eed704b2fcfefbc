//! `kiln disasm`: object files of every platform, several files, JSON, and bytes that are no
//! instructions.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use kiln_emit::platform::{PLATFORMS, Platform};
use kiln_emit::ze_info::ZeInfo;
use kiln_emit::zebin::{ADDRESS, Relocation, Relocations, Symbol, SymbolPlace, Zebin};
use serde_json::Value;

fn kiln(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_kiln"))
        .args(args)
        .output()
        .unwrap()
}

/// Standard output of a run that must succeed.
fn pass(args: &[&str]) -> String {
    let output = kiln(args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

/// Standard output of a run that lists bytes that are no instructions and reports them.
fn partly(args: &[&str], said: &str) -> String {
    let output = kiln(args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(1 | 3)), "{args:?}");
    assert!(errors.contains(said), "{args:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Diagnostic of a run that must fail without writing anything.
fn fail(args: &[&str]) -> String {
    let output = kiln(args);
    assert!(matches!(output.status.code(), Some(1 | 2)), "{args:?}");
    assert!(output.stdout.is_empty(), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// Machine code for a platform, with its path.
fn fixture(platform: &str) -> (String, Vec<u8>) {
    let mut found = kiln_corpus::machine_code(platform).into_iter();
    let first = found.next().expect("a fixture");
    (first.path.display().to_string(), first.code)
}

fn temporary(name: &str, bytes: &[u8]) -> String {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("disasm-{name}"));
    fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

/// Platforms with fixtures.
fn platforms() -> Vec<&'static Platform> {
    let known = |p: &&Platform| !kiln_corpus::machine_code(p.name).is_empty();
    let found: Vec<_> = PLATFORMS.iter().filter(known).collect();
    assert!(found.len() >= 6, "only {} platforms", found.len());
    found
}

fn function(name: &str, section: &str, value: usize, size: usize) -> Symbol {
    Symbol {
        name: name.to_string(),
        value: value as u64,
        size: size as u64,
        info: 2,
        other: 0,
        place: SymbolPlace::Section(section.to_string()),
    }
}

#[test]
fn object_files_say_their_platform() {
    for platform in platforms() {
        let (path, code) = fixture(platform.name);
        let zebin = Zebin::new(platform, vec![("k".into(), code)], ZeInfo::default());
        let file = temporary(&format!("{}.zebin", platform.name), &zebin.write().unwrap());
        let raw = pass(&["disasm", "-p", platform.name, &path]);
        assert_eq!(pass(&["disasm", &file]), raw, "{}", platform.name);
        assert_eq!(pass(&["disasm", "-p", platform.name, &file]), raw);
        let document: Value =
            serde_json::from_str(&pass(&["disasm", "--format", "json", &file])).unwrap();
        assert_eq!(document["files"][0]["platform"], platform.name);

        // A zebin without a known product family is identified by its core family.
        let mut other = zebin.clone();
        for note in other.notes.iter_mut().filter(|note| note.kind == 1) {
            note.desc = 0xffff_fff0u32.to_le_bytes().to_vec();
        }
        let file = temporary(
            &format!("{}-core.zebin", platform.name),
            &other.write().unwrap(),
        );
        assert_eq!(pass(&["disasm", &file]), raw, "{}", platform.name);
    }
}

#[test]
fn an_object_file_of_an_unknown_platform_needs_one_named() {
    let (_, code) = fixture("skl");
    let mut zebin = Zebin::new(&PLATFORMS[0], vec![("k".into(), code)], ZeInfo::default());
    zebin.notes.clear();
    let file = temporary("unknown.zebin", &zebin.write().unwrap());
    assert!(fail(&["disasm", &file]).contains("use --platform"));
    assert!(pass(&["disasm", "-p", "skl", &file]).contains("mov"));
}

#[test]
fn functions_have_headings_and_relocations_are_said() {
    let platform = &PLATFORMS[0];
    let (path, code) = fixture("skl");
    let lines = pass(&["disasm", "--numeric-labels", "-p", "skl", &path]);
    let size = code.len();
    let twice = [code.as_slice(), &code].concat();
    let mut zebin = Zebin::new(platform, vec![("k".into(), twice)], ZeInfo::default());
    zebin.symbols.clear();
    zebin.symbols.push(function("f", ".text.k", size, size));
    zebin.symbols.push(function("k", ".text.k", 0, size));
    zebin.relocations.push(Relocations {
        section: ".text.k".into(),
        addends: false,
        entries: vec![Relocation {
            offset: size as u64 + 1,
            kind: ADDRESS,
            symbol: 2,
            addend: 0,
        }],
    });
    let file = temporary("functions.zebin", &zebin.write().unwrap());
    let listed = pass(&["disasm", "--numeric-labels", &file]);
    let (first, rest) = lines.split_once('\n').unwrap();
    let note = "relocated: address of k";
    let expected = format!("// kernel k\n{lines}// function f\n{first} // {note}\n{rest}");
    assert_eq!(listed, expected);

    // Listed alone, the function has the same listing as in the file.
    let alone = pass(&["disasm", "--numeric-labels", "--kernel", "f", &file]);
    assert_eq!(alone, format!("{first} // {note}\n{rest}"));
    assert!(fail(&["disasm", "--kernel", "g", &file]).contains("the kernels are: k, f"));

    let document = pass(&["disasm", "--format", "json", "--kernel", "f", &file]);
    let document: Value = serde_json::from_str(&document).unwrap();
    let unit = &document["files"][0]["units"][0];
    assert_eq!(unit["section"], ".text.k");
    assert_eq!(unit["offset"], size);
    assert_eq!(unit["symbols"][0]["name"], "f");
    assert_eq!(unit["symbols"][0]["kind"], "function");
    assert_eq!(unit["instructions"][0]["relocations"][0], note);

    // A symbol's size may be less than that of its code.
    zebin.symbols[1].size = 15;
    let file = temporary("small_symbol.zebin", &zebin.write().unwrap());
    assert_eq!(pass(&["disasm", "--numeric-labels", &file]), expected);
    let alone = pass(&["disasm", "--numeric-labels", "--kernel", "k", &file]);
    assert_eq!(alone, lines);
}

#[test]
fn several_files_are_listed_in_their_order() {
    let (path, _) = fixture("skl");
    let other = kiln_corpus::project().join("examples/saxpy/saxpy.dat");
    let other = other.display().to_string();
    let one = pass(&["disasm", "-p", "skl", &path]);
    let two = pass(&["disasm", "-p", "skl", &other]);
    let listed = pass(&["disasm", "-p", "skl", &path, &other, &path]);
    let expected = format!("// {path}\n{one}// {other}\n{two}// {path}\n{one}");
    assert_eq!(listed, expected);
    let out = temporary("several.asm", b"");
    pass(&["disasm", "-p", "skl", &path, &other, &path, "-o", &out]);
    assert_eq!(fs::read_to_string(&out).unwrap(), expected);
    // An unreadable file does not stop the others.
    let missing = "/nowhere/code.dat";
    let listed = partly(&["disasm", "-p", "skl", missing, &path], missing);
    assert_eq!(listed, format!("// {path}\n{one}"));
}

#[test]
fn json_has_what_the_listing_has() {
    for platform in platforms() {
        let (path, code) = fixture(platform.name);
        let listed = pass(&["disasm", "--numeric-labels", "-p", platform.name, &path]);
        let document = pass(&[
            "disasm",
            "--numeric-labels",
            "--format",
            "json",
            "-p",
            platform.name,
            &path,
        ]);
        let document: Value = serde_json::from_str(&document).unwrap();
        assert_eq!(document["version"], 1);
        let unit = &document["files"][0]["units"][0];
        assert_eq!(unit["size"], code.len());
        let instructions = unit["instructions"].as_array().unwrap();
        assert_eq!(instructions.len(), listed.lines().count());
        let mut offset = 0;
        for (inst, line) in instructions.iter().zip(listed.lines()) {
            let (text, comment) = line.split_once("//").unwrap_or((line, ""));
            let words: Vec<_> = text.split_whitespace().collect();
            assert_eq!(inst["text"], words.join(" "));
            assert_eq!(inst["offset"], offset);
            assert_eq!(inst["compacted"], text.contains("Compacted"));
            offset += inst["size"].as_u64().unwrap();
            let message = inst
                .get("message")
                .map_or("", |m| m["description"].as_str().unwrap());
            assert_eq!(message, comment.trim());
        }
        assert_eq!(offset, code.len() as u64);
    }
}

#[test]
fn bytes_that_are_no_instruction_are_illegal_with_a_reason() {
    for platform in platforms() {
        let (_, mut code) = fixture(platform.name);
        // An opcode of no family, and a truncated instruction.
        let bad = [&[0x7f][..], &[0; 15]].concat();
        code.splice(..0, bad);
        code.extend([0x61; 5]);
        let file = temporary(&format!("{}.bad", platform.name), &code);
        let said = format!("are no instructions of {}", platform.name);
        let listed = partly(&["disasm", "-p", platform.name, &file], &said);
        let illegal: Vec<&str> = listed
            .lines()
            .filter(|line| line.contains("illegal"))
            .collect();
        assert_eq!(illegal.len(), 2, "{}: {illegal:?}", platform.name);
        assert!(
            illegal[0].contains("illegal // 0x7f is no opcode // bytes 7f00"),
            "{}",
            illegal[0]
        );
        assert!(illegal[1].contains("5 bytes left"), "{}", illegal[1]);
        let document = partly(
            &["disasm", "--format", "json", "-p", platform.name, &file],
            &said,
        );
        let document: Value = serde_json::from_str(&document).unwrap();
        let first = &document["files"][0]["units"][0]["instructions"][0];
        assert_eq!(first["illegal"], "0x7f is no opcode");
        assert_eq!(first.get("text"), None);
    }
}
