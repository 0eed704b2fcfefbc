//! Listings are read back to the code that they came from; what is no listing is an error with its place.

use kiln_emit::encoding::decode;
use kiln_emit::listing::{Style, list};
use kiln_emit::platform::{PLATFORMS, Platform, find};
use kiln_emit::read::assemble;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::any_bytes::near;

/// Machine code of a platform's family; fixtures have every compact form.
fn codes(platform: &'static Platform) -> Vec<(String, Vec<u8>)> {
    let family = PLATFORMS.iter().filter(|p| p.family == platform.family);
    let all = family.flat_map(|p| kiln_corpus::machine_code(p.name));
    all.map(|m| (m.name, m.code)).collect()
}

/// True if code is what was read, with zeros after it that are too short for an instruction, which no listing has.
fn is_padded(read: &[u8], code: &[u8]) -> bool {
    let rest = code.strip_prefix(read);
    rest.is_some_and(|rest| rest.len() < 16 && rest.iter().all(|byte| *byte == 0))
}

/// The code without zeros at its end that are too short for an instruction, which no listing has.
fn unpadded(code: &[u8], length: usize) -> &[u8] {
    let padding = &code[length.min(code.len())..];
    assert!(padding.len() < 16 && padding.iter().all(|byte| *byte == 0));
    &code[..code.len() - padding.len()]
}

#[test]
fn listings_are_read_back_to_the_code_they_came_from() {
    for platform in PLATFORMS {
        let codes = codes(platform);
        assert!(!codes.is_empty(), "{}", platform.name);
        for (name, code) in codes {
            for style in [Style::Labels, Style::Numeric] {
                let listing = list(&code, platform, style);
                let read = assemble(&listing, platform, true);
                let read = read.unwrap_or_else(|e| panic!("{} {name}: {e:?}", platform.name));
                let same = unpadded(&code, read.code.len()) == read.code;
                assert!(same, "{} {name}: other code", platform.name);
            }
        }
    }
}

/// Listings of the reference's own disassembler, which the fixtures have.
#[test]
fn listings_of_the_reference_are_read_to_its_code() {
    let mut read_back = 0;
    for platform in PLATFORMS {
        for code in kiln_corpus::machine_code(platform.name) {
            // The reference's listing has no bytes of what its text does not say.
            if list(&code.code, platform, Style::Labels).contains("// bytes ") {
                continue;
            }
            let read = assemble(&code.listing, platform, true);
            let read = read.unwrap_or_else(|e| panic!("{} {}: {e:?}", platform.name, code.name));
            let again = list(&read.code, platform, Style::Labels);
            let expected = list(&code.code, platform, Style::Labels);
            for (again, expected) in again.lines().zip(expected.lines()) {
                assert_eq!(again, expected, "{} {}", platform.name, code.name);
            }
            let same = unpadded(&code.code, read.code.len()) == read.code;
            assert!(same, "{} {}: other code", platform.name, code.name);
            read_back += 1;
        }
    }
    assert!(read_back > 50, "only {read_back}");
}

/// The words of a line without its comment; numbers of immediates by their value.
fn words(line: &str) -> Vec<String> {
    let code = line.split("//").next().unwrap_or_default();
    let hex = |word: &str| u64::from_str_radix(word.strip_prefix("0x")?, 16).ok();
    let word = |word: &str| match (word.split_once(':'), hex(word)) {
        (_, Some(number)) => format!("{number:#x}"),
        (Some((number, ty)), None) => match (hex(number), number.parse::<f64>()) {
            (Some(number), _) => format!("{number}:{ty}"),
            (None, Ok(number)) if ty.ends_with('f') => format!("{}:{ty}", number as f32),
            (None, Ok(number)) => format!("{number}:{ty}"),
            (None, Err(_)) => word.to_ascii_lowercase(),
        },
        (None, None) => word.to_ascii_lowercase(),
    };
    let code = code.replace('(', " (").replace('{', " {");
    code.split_whitespace().map(word).collect()
}

/// Mutated lines are refused, or the code that they give says what the text says.
#[test]
fn mutated_listings_end_in_an_error_or_are_meant() {
    const PIECES: [&str; 26] = [
        "",
        " ",
        "1",
        "9",
        "r",
        "<",
        ">",
        ";",
        ",",
        ":",
        ".",
        "(",
        ")",
        "{",
        "}",
        "-",
        "~",
        "|M",
        "f0.1",
        ":q",
        "0x",
        "@",
        "$",
        "abs",
        "{Compacted}",
        "\u{e9}",
    ];
    for platform in PLATFORMS {
        let codes = codes(platform);
        let lists = codes
            .iter()
            .map(|(_, code)| list(code, platform, Style::Numeric));
        let lines: Vec<String> = lists
            .flat_map(|l| l.lines().map(str::to_string).collect::<Vec<_>>())
            .collect();
        let mut runner = TestRunner::deterministic();
        let strategy = (
            any::<prop::sample::Index>(),
            any::<prop::sample::Index>(),
            0..4_usize,
            0..PIECES.len(),
        );
        let (mut errors, mut meant) = (0, 0);
        while errors < 400 {
            let (line, at, cut, piece) = strategy.new_tree(&mut runner).unwrap().current();
            let line = &lines[line.index(lines.len())];
            // Listings have unsigned numbers in hexadecimal.
            let line = line.split("//").next().unwrap_or_default().trim_end();
            if line.contains("illegal") || line.is_empty() {
                continue;
            }
            let at = at.index(line.len());
            let end = (at + cut).min(line.len());
            let mutated = format!("{}{}{}", &line[..at], PIECES[piece], &line[end..]);
            match assemble(&mutated, platform, false) {
                Err(found) => {
                    let first = &found[0];
                    assert_eq!(first.at.line, 1);
                    assert!(first.at.column as usize <= mutated.len() + 1, "{first:?}");
                    errors += 1;
                }
                Ok(read) => {
                    let again = list(&read.code, platform, Style::Numeric);
                    let again: Vec<String> = again.lines().flat_map(words).collect();
                    assert_eq!(again, words(&mutated), "{}: `{line}`", platform.name);
                    meant += 1;
                }
            }
        }
        assert!(meant > 10, "only {meant} changes make another instruction");
    }
}

#[test]
fn errors_have_line_column_and_what_was_expected() {
    let cases = [
        (
            "skl",
            "mov (8|M0) r1.0<1>:f r2.0<8;8,1>:x",
            34,
            "found `x`, expected a type",
        ),
        (
            "skl",
            "mov (8|M0) r1.0<1>:f",
            21,
            "found the end of the line, expected a register",
        ),
        (
            "skl",
            "move (8|M0) r1.0<1>:f r2.0<8;8,1>:f",
            1,
            "found `move`, expected an operation of the platform",
        ),
        (
            "skl",
            "sync.nop null",
            1,
            "found `sync.nop`, expected an operation of the platform",
        ),
        (
            "skl",
            "mov (8|M0) r1.0<1>:d 3000000000:d",
            22,
            "found `3000000000:d`, expected a value of `d`",
        ),
        (
            "skl",
            "mov (3|M0) r1.0<1>:d r2.0<8;8,1>:d",
            1,
            "execution size 3 is none of 1, 2, 4, 8, 16 and 32",
        ),
        ("skl", "jmpi away", 6, "there is no label `away`"),
        (
            "skl",
            "add (8|M0) r1.0<1>:d r2.0<8;8,1>:d 123456:d {Compacted}",
            1,
            "the instruction has no compact form",
        ),
        (
            "tgllp",
            "send.none (8|M0) r1 r2 null 0x0 0x2100000",
            6,
            "found `none`, expected a shared function",
        ),
        (
            "tgllp",
            "mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d {$1,$2}",
            40,
            "a second token",
        ),
        (
            "dg2",
            "mov (8|M0) r1.0<1>:d r2.0<1;1,0>:d {X@1}",
            37,
            "found `X@1}`, expected a pipeline",
        ),
    ];
    for (name, line, column, what) in cases {
        let platform = find(name).expect("a platform");
        let text = format!("L0:\n// a comment\n  /* and\n another */ {line}\n");
        let errors = assemble(&text, platform, false).expect_err(line);
        let [error] = errors.as_slice() else {
            panic!("{line}: {errors:?}");
        };
        assert_eq!(
            (error.at.line, error.at.column),
            (4, column + 12),
            "{line}: {error}"
        );
        assert_eq!(error.what, what, "{line}");
    }
}

#[test]
fn broken_rules_are_errors_unless_unchecked() {
    let platform = find("skl").expect("a platform");
    // The region goes over more than two registers.
    let line = "mov (16|M0) r1.0<1>:d r2.0<8;4,2>:d";
    let errors = assemble(line, platform, false).expect_err("a broken rule");
    assert!(
        errors[0].what.contains("more than two registers"),
        "{errors:?}"
    );
    assert!(assemble(line, platform, true).is_ok());
}

/// The text of the channel-enable register has no place for a sub-register.
#[test]
fn a_byte_in_the_middle_of_channel_enable_is_read_back() {
    let platform = find("lnl").expect("a platform");
    let code = [
        0x61, 0x11, 0x08, 0x0d, 0x0f, 0x10, 0x10, 0, 0, 0x40, 0x80, 0, 0, 0, 0, 0,
    ];
    let listing = list(&code, platform, Style::Labels);
    let read = assemble(&listing, platform, true).unwrap_or_else(|e| panic!("{listing}: {e:?}"));
    assert_eq!(read.code, code, "{listing}");
}

#[test]
fn reading_stops_after_some_errors() {
    let platform = find("skl").expect("a platform");
    let errors = assemble(&"what is this\n".repeat(1000), platform, false);
    assert_eq!(errors.expect_err("no listing").len(), 20);
}

#[test]
fn labels_are_there_once() {
    let platform = find("skl").expect("a platform");
    let errors = assemble("a:\na: b: jmpi b\n", platform, false).expect_err("twice");
    assert_eq!(errors[0].what, "label `a` is there twice, first in line 1");
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(8192)
    })]

    /// Any bytes are listed, and the listing is read back to them.
    #[test]
    fn any_bytes_are_read_back((platform, bytes) in near()) {
        let size = decode(&bytes, platform).map_or(bytes.len(), |inst| inst.size() as usize);
        for style in [Style::Labels, Style::Numeric] {
            let listing = list(&bytes[..size], platform, style);
            let read = assemble(&listing, platform, true);
            prop_assert!(read.is_ok(), "{read:?}\n{listing}");
            let read = read.unwrap().code;
            prop_assert!(is_padded(&read, &bytes[..size]), "{read:02x?} {listing}");
        }
    }

    /// So are bytes of which most are no instructions.
    #[test]
    fn what_is_no_instruction_is_read_back(mut code in prop::collection::vec(any::<u8>(), 16..80), platform in 0..PLATFORMS.len()) {
        // Zeros at the end that are too short for an instruction are not listed.
        code.push(1);
        let platform = &PLATFORMS[platform];
        let listing = list(&code, platform, Style::Labels);
        let read = assemble(&listing, platform, true);
        prop_assert!(read.is_ok(), "{read:?}\n{listing}");
        let read = read.unwrap().code;
        prop_assert_eq!(&read[..], &code[..], "{}", listing);
    }

    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,200}", platform in 0..PLATFORMS.len()) {
        let _ = assemble(&text, &PLATFORMS[platform], false);
    }
}
