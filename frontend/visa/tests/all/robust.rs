//! Readers end with a module or an error on any input.

use std::cell::Cell;
use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use crate::common::saxpy;
use kiln_visa::binary::{read, write};
use kiln_visa::module::{Module, Operand};
use kiln_visa::print::print;
use kiln_visa::text::parse;
use kiln_visa::verify::verify;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::TestRunner;

static TEXT: LazyLock<String> = LazyLock::new(saxpy);
static BINARY: LazyLock<Vec<u8>> =
    LazyLock::new(|| write(&parse(&TEXT).expect("saxpy")).expect("saxpy"));

/// Runs every function that must work on any module that was read.
fn use_all(module: &Module) {
    let findings = verify(module);
    let printed = print(module);
    if findings.is_empty() {
        let again = parse(&printed).expect("printed text of a sound module");
        assert_eq!(print(&again), printed);
    }
    if let Ok(bytes) = write(module) {
        drop(read(&bytes));
    }
}

/// True if the bytes are read as a module.
fn try_text(source: &str) -> bool {
    match parse(source) {
        Ok(module) => {
            use_all(&module);
            true
        }
        Err(error) => {
            assert!(error.offset <= source.len(), "{error}");
            false
        }
    }
}

fn try_binary(bytes: &[u8]) {
    if let Ok(module) = read(bytes) {
        use_all(&module);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in vec(any::<u8>(), 0..400)) {
        try_binary(&bytes);
        let mut object = b"CISA\x04\x01".to_vec();
        object.extend(&bytes);
        try_binary(&object);
    }

    #[test]
    fn changed_bytes(changes in vec((any::<Index>(), any::<u8>()), 1..4)) {
        let mut bytes = BINARY.clone();
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        try_binary(&bytes);
    }

    #[test]
    fn changed_code(changes in vec((any::<Index>(), any::<u8>()), 1..3)) {
        // The instructions are the last part of the file.
        let mut bytes = BINARY.clone();
        let code = 600;
        let start = bytes.len() - code;
        for (at, byte) in changes {
            bytes[start + at.index(code)] = byte;
        }
        try_binary(&bytes);
    }

    #[test]
    fn changed_text(at in any::<Index>(), len in 0usize..6, with in "[ -~\n]{0,4}") {
        let at = at.index(TEXT.len());
        let end = (at + len).min(TEXT.len());
        try_text(&format!("{}{with}{}", &TEXT[..at], &TEXT[end..]));
    }
}

/// The texts of all examples.
static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut folders: Vec<_> = fs::read_dir(crate::common::folder())
        .expect("the examples")
        .map(|entry| entry.expect("an example").path())
        .collect();
    folders.sort();
    let text = |folder: &PathBuf| {
        let name = folder.file_name()?;
        fs::read_to_string(folder.join(name).with_extension("visaasm")).ok()
    };
    folders.iter().filter_map(text).collect()
});

/// Removes a line, repeats it elsewhere, swaps two, or puts a word of one into the other.
fn change(lines: &mut Vec<String>, kind: u8, line: &Index, other: &Index, word: &Index) {
    if lines.is_empty() {
        return;
    }
    let (line, other) = (line.index(lines.len()), other.index(lines.len()));
    let words = |text: &str| -> Vec<String> {
        let word = |w: &&str| !w.is_empty();
        text.split([' ', ',', '(', ')', '<', '>', ';', '='])
            .filter(word)
            .map(str::to_owned)
            .collect()
    };
    match kind {
        0 => drop(lines.remove(line)),
        1 => lines.insert(other, lines[line].clone()),
        2 => lines.swap(line, other),
        _ => {
            let (here, there) = (words(&lines[line]), words(&lines[other]));
            if !here.is_empty() && !there.is_empty() {
                let (old, new) = (word.get(&here), word.get(&there));
                lines[line] = lines[line].replacen(old.as_str(), new, 1);
            }
        }
    }
}

/// Mutated texts, many of which are valid: random text never gets past the first words.
#[test]
fn changed_lines() {
    let changes = vec(
        (0u8..6, any::<Index>(), any::<Index>(), any::<Index>()),
        1..4,
    );
    let config = ProptestConfig {
        cases: 1000,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let read = Cell::new(0);
    let result = TestRunner::new(config).run(&(any::<Index>(), changes), |(text, changes)| {
        let mut lines: Vec<String> = text.get(&TEXTS).lines().map(str::to_owned).collect();
        for (kind, line, other, word) in &changes {
            change(&mut lines, *kind, line, other, word);
        }
        read.set(read.get() + usize::from(try_text(&(lines.join("\n") + "\n"))));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    assert!(read.get() >= 200, "only {} of 1000 are read", read.get());
}

/// Numbers with a meaning are printed so that they can be read: each instruction of the seeds, with each of its
/// numbers changed.
#[test]
fn every_number_is_printed_or_wrong() {
    let seeds = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds/binary_read");
    let (mut tried, mut sound) = (0, 0);
    for entry in fs::read_dir(seeds).expect("the seeds") {
        let bytes = fs::read(entry.expect("a seed").path()).expect("a seed");
        let Ok(module) = read(&bytes) else { continue };
        for object in 0..module.objects.len() {
            let mut alone = module.clone();
            alone.objects.swap(0, object);
            alone.objects.truncate(1);
            let insts = std::mem::take(&mut alone.objects[0].insts);
            alone.objects[0].labels.clear();
            for inst in &insts {
                let numbers = inst.operands.iter().enumerate();
                let numbers = numbers.filter(|(_, o)| matches!(o, Operand::Field(_)));
                for (at, _) in numbers {
                    for n in (0..=260).chain((9..32).map(|bit| 1 << bit)) {
                        let mut changed = inst.clone();
                        changed.operands[at] = Operand::Field(n);
                        alone.objects[0].insts = vec![changed];
                        tried += 1;
                        sound += u32::from(verify(&alone).is_empty());
                        use_all(&alone);
                    }
                }
            }
        }
    }
    assert!(sound > 1000, "{sound} of {tried} were sound");
}
