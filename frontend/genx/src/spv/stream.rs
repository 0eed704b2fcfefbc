//! Instructions in the words of a module.

use smol_str::SmolStr;
use spirv::Op;

use crate::error::{Code, Diagnostic, Loc, Result};

/// Bits of the opcode in the first word of an instruction; the others count its words.
const OPCODE_BITS: u32 = 16;
/// Bytes of a word.
const WORD: usize = 4;

/// An instruction.
#[derive(Clone, Copy, Default)]
pub(super) struct Inst<'a> {
    /// Number of its first word.
    at: usize,
    /// Operation; `None` for one that has no name.
    pub op: Option<Op>,
    code: u32,
    /// Words after the first.
    pub words: &'a [u32],
}

impl Inst<'_> {
    /// Place of the instruction: its byte.
    pub fn loc(&self) -> Loc {
        Loc::byte((self.at * WORD) as u64)
    }

    /// Name for messages.
    pub fn name(&self) -> String {
        match self.op {
            Some(op) => format!("Op{op:?}"),
            None => format!("of code {}", self.code),
        }
    }
}

/// Reads the instructions one after the other.
#[derive(Clone, Copy)]
pub(super) struct Words<'a> {
    words: &'a [u32],
    at: usize,
}

impl<'a> Words<'a> {
    pub fn new(words: &'a [u32], at: usize) -> Words<'a> {
        Words { words, at }
    }

    /// The next instruction; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Inst<'a>>> {
        let Some(first) = self.words.get(self.at) else {
            return Ok(None);
        };
        let count = (first >> OPCODE_BITS) as usize;
        let code = first & ((1 << OPCODE_BITS) - 1);
        let words = self.words.get(self.at + 1..self.at + count);
        let inst = Inst {
            at: self.at,
            op: Op::from_u32(code),
            code,
            words: words.unwrap_or_default(),
        };
        if count == 0 || words.is_none() {
            let message = match count {
                0 => "an instruction without words",
                _ => "an instruction ends after the file",
            };
            return Err(Diagnostic::new(Code::Spirv, inst.loc(), message));
        }
        self.at += count;
        Ok(Some(inst))
    }
}

/// Text at the beginning of words, four bytes in each, and the number of its words.
pub(super) fn text(words: &[u32]) -> Option<(SmolStr, usize)> {
    let mut bytes = Vec::new();
    for (i, word) in words.iter().enumerate() {
        for byte in word.to_le_bytes() {
            if byte == 0 {
                return Some((String::from_utf8_lossy(&bytes).into(), i + 1));
            }
            bytes.push(byte);
        }
    }
    None
}
