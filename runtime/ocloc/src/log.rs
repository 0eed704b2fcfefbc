//! Messages of a call besides those of ocloc.

use std::env;

/// Variable that makes an object file with ocloc's code an error.
pub const STRICT: &str = "KILN_STRICT";

/// True if [`STRICT`] is set, and not 0.
pub fn is_strict() -> bool {
    env::var_os(STRICT).is_some_and(|value| value != "0" && !value.is_empty())
}

/// A line for each object file that has ocloc's code.
pub fn refusals(kept: &[(String, String)]) -> String {
    let line = |(name, reason): &(String, String)| {
        let reason: Vec<&str> = reason.split_whitespace().collect();
        format!(
            "kiln-ocloc: {name} has ocloc's code: {}\n",
            reason.join(" ")
        )
    };
    kept.iter().map(line).collect()
}

/// The line of a call all of whose files have ocloc's code.
pub fn kept(reason: impl std::fmt::Display) -> String {
    format!("kiln-ocloc: ocloc's code: {reason}\n")
}

/// Why the files of a call with a word have ocloc's code.
pub fn unread(word: &str) -> String {
    format!("files of calls with {word} are not read")
}

/// ocloc's messages with the call as it was where they repeat it (`-v`).
pub fn without_change(said: &[u8], arguments: &[String]) -> Vec<u8> {
    let Some(at) = find(said, b"Command was: ") else {
        return said.to_vec();
    };
    let (before, line) = said.split_at(at);
    let end = line
        .iter()
        .position(|byte| *byte == b'\n')
        .unwrap_or(line.len());
    let line_text = String::from_utf8_lossy(&line[..end]).into_owned();
    let program = line_text.split(' ').nth(2).unwrap_or_default();
    let mut text = format!("Command was: {program}");
    let mut quoted = false;
    for word in arguments {
        text += &match quoted {
            true => format!(" \"{word}\""),
            false => format!(" {word}"),
        };
        quoted = !quoted && (word == "-options" || word == "-internal_options");
    }
    [before, text.as_bytes(), &line[end..]].concat()
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|part| part == what)
}
