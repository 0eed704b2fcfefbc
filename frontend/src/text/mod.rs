//! Reader of vISA text (`.visaasm`, `.isaasm`; specification, chapter 8, and what the reference
//! compiler writes).
//!
//! Takes any text and gives a [`Module`] or an error with its place. What it guarantees of a module
//! is what [`crate::binary`] does. A file may hold several kernels and functions, each after a
//! `.version` or not.
//!
//! Text has less than the binary, and names where that has numbers. What the reader makes of it:
//! - general, address and predicate variables are called as they are declared, samplers and
//!   surfaces by their `v_name`; each is numbered in the order of its declarations;
//! - labels: see [`crate::labels`]; one that a `.function` names is that of a subroutine;
//! - attributes: see [`crate::attributes`]; `.funcdecl` and comments are nothing;
//! - `FILE` and `LOC` are instructions as in the binary;
//! - fields that text leaves out are 0;
//! - immediates are cut to the width of their type; floats may be written as such (`1.5:f`).
//!
//! Not read: expressions where a number stands, `%sizeof`, scopes (`{`, `}`). Of LSC, DPAS, VA and
//! `nbarrier` instructions the text is our own: mnemonic and suffixes of the opcode's row, then its
//! operands in the order of the row.

mod lexer;
pub(crate) mod number;
mod operand;
mod parser;

use thiserror::Error;

use crate::labels::LabelError;
use crate::module::Module;
use lexer::Mark;

/// Why a text is no vISA module, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{line}:{column}: {kind}")]
pub struct ParseError {
    /// From 1.
    pub line: u32,
    /// In bytes, from 1.
    pub column: u32,
    /// Of the first byte at fault, from the start of the text.
    pub offset: usize,
    /// In bytes.
    pub length: usize,
    pub kind: ParseErrorKind,
}

impl ParseError {
    fn new(mark: Mark, length: usize, kind: ParseErrorKind) -> ParseError {
        let Mark {
            offset,
            line,
            column,
        } = mark;
        ParseError {
            line,
            column,
            offset,
            length,
            kind,
        }
    }
}

/// What is wrong there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ParseErrorKind {
    #[error("found {found}, expected {expected}")]
    Expected {
        expected: &'static str,
        found: String,
    },
    #[error("unknown {what} `{name}`")]
    Unknown { what: &'static str, name: String },
    #[error("`{name}` is no {expected}")]
    Class {
        name: String,
        expected: &'static str,
    },
    #[error("`{name}` is declared twice")]
    Duplicate { name: String },
    #[error("{what} does not fit, expected {expected}")]
    Range {
        what: &'static str,
        expected: &'static str,
    },
    #[error("version {major}.{minor} is not supported, expected 3.0 to 4.1")]
    Version { major: u8, minor: u8 },
    #[error("the string is not closed on this line")]
    UnclosedString,
    #[error("the string has an unknown escape sequence")]
    Escape,
    #[error("`{mnemonic}` has no {what}")]
    Superfluous {
        mnemonic: &'static str,
        what: &'static str,
    },
    #[error("`{mnemonic}` needs a suffix that says {what}")]
    MissingSuffix {
        mnemonic: &'static str,
        what: &'static str,
    },
    #[error(transparent)]
    Label(#[from] LabelError),
}

impl ParseErrorKind {
    fn number(what: &'static str) -> ParseErrorKind {
        ParseErrorKind::Range {
            what,
            expected: "a number of its width",
        }
    }
}

/// Whether a variable or a label can be called so in text.
pub(crate) fn is_name(name: &str) -> bool {
    lexer::is_whole_name(name)
}

/// Reads a module.
pub fn parse(source: &str) -> Result<Module, ParseError> {
    parser::Parser::new(source).module()
}
