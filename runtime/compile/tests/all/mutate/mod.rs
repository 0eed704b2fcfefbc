//! Kernels near valid ones, for the property test and the fuzz target: the texts of examples and of the tests'
//! kernels, changed line by line so that many results are still vISA.

use std::sync::OnceLock;

use kiln_compile::source::Input;
use kiln_compile::{CompileError, Error, Options, Session};
use kiln_emit::encoding::encode;
use kiln_emit::listing::entries;
use kiln_emit::platform::{MessageFamily, Platform};
use kiln_emit::verify::verify;
use kiln_regalloc::AllocError;

/// Bytes that encode one change.
pub const CHANGE: usize = 6;

const TYPES: [&str; 10] = ["ud", "d", "uw", "w", "ub", "b", "uq", "q", "f", "df"];
const EXECUTIONS: [&str; 8] = [
    "(M1, 16)",
    "(M1, 8)",
    "(M1, 1)",
    "(M1_NM, 1)",
    "(M1_NM, 8)",
    "(M5, 4)",
    "(M1, 32)",
    "(M3, 8)",
];
const GUARDS: [&str; 4] = ["(P1) ", "(!P1) ", "(P1.any) ", "(P2) "];
const REGIONS: [&str; 8] = [
    "<0;1,0>", "<1;1,0>", "<8;8,1>", "<16;8,2>", "<2;1,0>", "<4;2,2>", "<1>", "<2>",
];
const NUMBERS: [&str; 8] = ["0", "1", "2", "3", "7", "16", "31", "64"];
/// Register limits: all, few, and so few that many kernels are refused.
const LIMITS: [u32; 3] = [128, 40, 24];
/// Characters that separate the words of a line.
const SEPARATORS: &[char] = &[' ', ',', '(', ')', '<', '>', ';', ':', '='];

/// Texts for a platform of the kernels in sets of the corpus.
fn texts_in(sets: &[&str], platform: &str) -> Vec<String> {
    let kernels = kiln_corpus::kernels(sets).into_iter();
    let texts = kernels.filter_map(|kernel| kernel.visa(platform));
    texts
        .map(|path| std::fs::read_to_string(path).expect("a text"))
        .collect()
}

/// The texts of the examples.
pub fn texts() -> &'static [String] {
    static TEXTS: OnceLock<Vec<String>> = OnceLock::new();
    TEXTS.get_or_init(|| texts_in(&["examples"], "skl"))
}

/// Texts of the examples and of the tests' kernels for Gen9, and for Xe2 and Xe3.
fn all_texts(platform: &Platform) -> &'static [String] {
    static TEXTS: [OnceLock<Vec<String>>; 2] = [const { OnceLock::new() }; 2];
    let newer = platform.memory == MessageFamily::LoadStore;
    let made_for = if newer { "bmg" } else { "skl" };
    TEXTS[usize::from(newer)].get_or_init(|| texts_in(&kiln_corpus::ALL, made_for))
}

/// A text for a platform made from the data, and its register limit. The first byte chooses a text, the second the registers and
/// whether the text is one of the first 256 or of the rest; then come changes of [`CHANGE`] bytes each: the kind of
/// change, a line, another line, and a choice.
pub fn mutated(data: &[u8], platform: &Platform) -> (String, u32) {
    let [choice, second, changes @ ..] = data else {
        return (String::new(), LIMITS[0]);
    };
    let all = all_texts(platform);
    let number = usize::from(*choice) + 256 * usize::from(second / 128);
    let mut lines: Vec<String> = all[number % all.len()].lines().map(str::to_owned).collect();
    for change in changes.chunks_exact(CHANGE) {
        let number = |low: u8, high: u8| usize::from(u16::from_le_bytes([low, high]));
        let (line, other) = (number(change[1], change[2]), number(change[3], change[4]));
        if !lines.is_empty() {
            let (line, other) = (line % lines.len(), other % lines.len());
            apply(&mut lines, change[0], line, other, usize::from(change[5]));
        }
    }
    let limit = LIMITS[usize::from(*second) % LIMITS.len()];
    (lines.join("\n") + "\n", limit)
}

/// The range of one of the parts of a text between these two characters.
fn place(
    text: &str,
    choice: usize,
    begins: char,
    is_part: fn(char) -> bool,
) -> Option<(usize, usize)> {
    let starts: Vec<usize> = text.match_indices(begins).map(|(at, _)| at).collect();
    let from = *starts.get(choice % starts.len().max(1))?;
    let rest = &text[from + begins.len_utf8()..];
    let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
    Some((from, from + begins.len_utf8() + length))
}

fn apply(lines: &mut Vec<String>, kind: u8, line: usize, other: usize, choice: usize) {
    let text = lines[line].clone();
    match kind % 11 {
        0 => drop(lines.remove(line)),
        1 => lines.insert(other, text),
        2 => lines.swap(line, other),
        // A word of another line that begins with the same letter.
        3 | 4 => {
            let words = |text: &str| -> Vec<String> {
                let words = text.split(SEPARATORS).filter(|word| !word.is_empty());
                words.map(str::to_owned).collect()
            };
            let (here, there) = (words(&text), words(&lines[other]));
            let Some(word) = here.get(choice % here.len().max(1)) else {
                return;
            };
            let alike = |w: &&String| {
                w.as_bytes()[0].is_ascii_digit() == word.as_bytes()[0].is_ascii_digit()
            };
            if let Some(with) = there.iter().filter(alike).nth(choice % there.len().max(1)) {
                lines[line] = text.replacen(word.as_str(), with, 1);
            }
        }
        5 => {
            if let (Some(from), Some(to)) = (text.find("(M"), text.find(") ")) {
                let execution = EXECUTIONS[choice % EXECUTIONS.len()];
                if from < to {
                    lines[line] = format!("{}{execution}{}", &text[..from], &text[to + 1..]);
                }
            }
        }
        6 if text.starts_with("    ") => {
            let guard = GUARDS[choice % GUARDS.len()];
            lines[line] = format!("    {guard}{}", text.trim_start());
        }
        // Another region.
        8 => {
            let in_region = |c: char| c.is_ascii_digit() || ";,>".contains(c);
            if let Some((from, to)) = place(&text, choice / 8, '<', in_region) {
                let region = REGIONS[choice % REGIONS.len()];
                lines[line] = format!("{}{region}{}", &text[..from], &text[to..]);
            }
        }
        // Another number: of an element, an offset, a size.
        9 => {
            let begins = ['(', ',', '=', 'x'][choice / 8 % 4];
            if let Some((from, to)) = place(&text, choice / 32, begins, |c| c.is_ascii_digit()) {
                let number = NUMBERS[choice % NUMBERS.len()];
                lines[line] = format!("{}{number}{}", &text[..=from], &text[to..]);
            }
        }
        // Swaps two words.
        10 => {
            let mut words: Vec<&str> = text.split(' ').collect();
            let count = words.len();
            words.swap(choice % count, choice / 16 % count);
            lines[line] = words.join(" ");
        }
        _ => {
            let (from, to) = (TYPES[choice % TYPES.len()], TYPES[other % TYPES.len()]);
            lines[line] = text.replacen(&format!("type={from} "), &format!("type={to} "), 1);
        }
    }
}

/// Compiles a text for a platform with a register limit; true if it was accepted.
///
/// # Panics
/// The result is no legal machine code, or the error is an internal one.
pub fn compile(text: &str, platform: &'static Platform, grf_limit: u32) -> bool {
    let options = Options {
        verify: true,
        grf_limit,
        ..Options::new(platform)
    };
    let input = Input {
        name: "k.visaasm",
        bytes: text.as_bytes(),
    };
    match Session::new(options).compile_module(&[input]) {
        Ok(module) => {
            module
                .kernels
                .iter()
                .for_each(|kernel| legal(&kernel.code, platform));
            true
        }
        Err(failure) => {
            assert!(!failure.to_string().is_empty());
            let wrong = matches!(
                &failure.error,
                Error::Compile(
                    CompileError::Broken { .. }
                        | CompileError::Encode { .. }
                        | CompileError::Allocate(
                            AllocError::Invalid { .. } | AllocError::Unproved { .. }
                        )
                )
            );
            assert!(!wrong, "{failure}");
            false
        }
    }
}

/// Checks that every instruction decodes, is legal, and encodes to the same bytes.
fn legal(code: &[u8], platform: &'static Platform) {
    let mut again = Vec::with_capacity(code.len());
    for entry in entries(code, platform) {
        let inst = entry.inst.expect("an instruction");
        if let Err(violation) = verify(&inst, platform) {
            panic!("{inst}: {violation}");
        }
        let encoded = encode(&inst, platform).expect("an instruction that can be encoded");
        again.extend_from_slice(encoded.as_bytes());
    }
    assert!(again == code, "encoded again, the code differs");
}
