//! A bound on what reading YAML costs.
//!
//! The reader looks at every open bracket again for each word, so that deeply nested brackets take
//! quadratic time, long before its limit of nesting applies. [`check`] bounds how deep they can be
//! nested without reading the document: one that is not closed on its own line counts as open to the
//! end, and so does every one on a line with a string, a tag or a comment.

/// Brackets that may be open at once.
const DEEPEST: usize = 256;

/// A document whose brackets may be nested too deeply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: more than {DEEPEST} brackets that are not closed on their own line")]
pub struct TooDeep {
    /// From 1.
    pub line: usize,
}

/// Whether a YAML document can be read in time that is linear in its size.
///
/// # Errors
/// Where its brackets may be nested too deeply.
pub fn check(document: &[u8]) -> Result<(), TooDeep> {
    let mut open = 0;
    for (number, line) in document.split(|byte| *byte == b'\n').enumerate() {
        open += left_open(line);
        if open > DEEPEST {
            return Err(TooDeep { line: number + 1 });
        }
    }
    Ok(())
}

/// How many brackets the line opens and does not close, at most.
fn left_open(line: &[u8]) -> usize {
    // Where one of these stands, a bracket need not be one.
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
mod tests {
    use super::*;

    #[test]
    fn brackets_are_counted() {
        let deep = "[".repeat(DEEPEST);
        assert_eq!(check(deep.as_bytes()), Ok(()));
        assert_eq!(
            check(format!("a: 1\nb: {deep}{{").as_bytes()),
            Err(TooDeep { line: 2 })
        );
        let lists = "- {a: [1, 2], b: 3}\n".repeat(DEEPEST + 1);
        assert_eq!(check(lists.as_bytes()), Ok(()));
    }

    #[test]
    fn what_may_be_no_bracket_closes_none() {
        for hidden in [
            "[ \"]\", \n",
            "[ ']',\n",
            "[ # ]\n",
            "[ !<]> a,\n",
            "[ \"\n]\n\",\n",
        ] {
            let document = hidden.repeat(DEEPEST + 1);
            assert!(check(document.as_bytes()).is_err(), "{hidden}");
        }
        // No file of ours is near the bound: a line each with a string in brackets.
        let strings = "- {bytes: \"07\"}\n".repeat(DEEPEST);
        assert_eq!(check(strings.as_bytes()), Ok(()));
    }
}
