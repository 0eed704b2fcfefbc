//! Kernels near valid ones, for the property test and the fuzz target: the texts of examples, changed
//! line by line so that much of what comes out is still vISA.

use std::path::Path;
use std::sync::OnceLock;

use kiln_emit::encoding::encode;
use kiln_emit::listing::entries;
use kiln_emit::platform::{Platform, find};
use kiln_emit::verify::verify;
use kiln_runtime::pipeline::{CompileError, Options};
use kiln_runtime::session::{Error, Session};
use kiln_runtime::source::Input;

/// Bytes that say one change.
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
/// What stands for itself between the words of a line.
const SEPARATORS: &[char] = &[' ', ',', '(', ')', '<', '>', ';', ':', '='];

/// The texts of the examples.
pub fn texts() -> &'static [String] {
    static TEXTS: OnceLock<Vec<String>> = OnceLock::new();
    TEXTS.get_or_init(|| {
        let examples = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .map(|folder| folder.join("examples"))
            .find(|folder| folder.join("saxpy/saxpy.visaasm").exists())
            .expect("the examples");
        let mut folders: Vec<_> = std::fs::read_dir(examples)
            .expect("the examples")
            .map(|entry| entry.expect("an example").path())
            .collect();
        folders.sort();
        let text = |folder: std::path::PathBuf| {
            let name = folder.file_name()?.to_str()?.to_owned();
            std::fs::read_to_string(folder.join(name).with_extension("visaasm")).ok()
        };
        folders.into_iter().filter_map(text).collect()
    })
}

/// A text made of the data: the first byte chooses the example, then come changes of [`CHANGE`] bytes
/// each: what is done, the number of a line, that of another, and a choice.
pub fn mutated(data: &[u8]) -> String {
    let Some((&choice, changes)) = data.split_first() else {
        return String::new();
    };
    let all = texts();
    let mut lines: Vec<String> = all[usize::from(choice) % all.len()]
        .lines()
        .map(str::to_owned)
        .collect();
    for change in changes.chunks_exact(CHANGE) {
        let number = |low: u8, high: u8| usize::from(u16::from_le_bytes([low, high]));
        let (line, other) = (number(change[1], change[2]), number(change[3], change[4]));
        if !lines.is_empty() {
            let (line, other) = (line % lines.len(), other % lines.len());
            apply(&mut lines, change[0], line, other, usize::from(change[5]));
        }
    }
    lines.join("\n") + "\n"
}

fn apply(lines: &mut Vec<String>, kind: u8, line: usize, other: usize, choice: usize) {
    let text = lines[line].clone();
    match kind % 8 {
        0 => drop(lines.remove(line)),
        1 => lines.insert(other, text),
        2 => lines.swap(line, other),
        // A word of another line, of the same kind by its first letter.
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
        _ => {
            let (from, to) = (TYPES[choice % TYPES.len()], TYPES[other % TYPES.len()]);
            lines[line] = text.replacen(&format!("type={from} "), &format!("type={to} "), 1);
        }
    }
}

/// Compiles a text from its first byte to its last; whether it was accepted.
///
/// # Panics
/// What was accepted is no legal machine code, or an error says that the finalizer is wrong.
pub fn compile(text: &str) -> bool {
    let platform = find("skl").expect("the platform");
    let options = Options {
        verify: true,
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
                Error::Compile(CompileError::Broken { .. } | CompileError::Encode { .. })
            );
            assert!(!wrong, "{failure}");
            false
        }
    }
}

/// Every instruction is one, legal, and the same when it is encoded again.
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
