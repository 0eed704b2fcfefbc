//! A bound on the cost of reading YAML.
//!
//! The YAML reader visits every open bracket for each word, so that deep nesting takes quadratic time long before the
//! reader's own limit applies. [`check`] bounds the nesting without parsing: a bracket that is not closed on its own
//! line counts as open to the end, and so does every one on a line with a string, a tag or a comment.

/// Maximum number of open brackets.
const MAX_OPEN_BRACKETS: usize = 256;

/// The error for a document whose brackets may be nested too deeply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line}: more than {MAX_OPEN_BRACKETS} brackets that are not closed on their own line"
)]
pub struct TooDeep {
    /// Line number, from 1.
    pub line: usize,
}

/// Checks that a YAML document can be read in linear time.
///
/// # Errors
/// Brackets of the document may be nested too deeply.
pub fn check(document: &[u8]) -> Result<(), TooDeep> {
    let mut open = 0;
    for (number, line) in document.split(|byte| *byte == b'\n').enumerate() {
        open += left_open(line);
        if open > MAX_OPEN_BRACKETS {
            return Err(TooDeep { line: number + 1 });
        }
    }
    Ok(())
}

/// Maximum number of brackets that the line opens and does not close.
fn left_open(line: &[u8]) -> usize {
    // On a line with one of these characters a bracket may be part of a word.
    let plain = !line.iter().any(|byte| b"'\"#!".contains(byte));
    let mut open: usize = 0;
    for byte in line {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' if plain => open = open.saturating_sub(1),
            _ => {}
        }
    }
    open
}

#[cfg(test)]
#[path = "tests/yaml.rs"]
mod tests;
