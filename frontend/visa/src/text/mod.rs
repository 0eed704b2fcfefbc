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
//! - attributes: see `crate::attributes`; `.funcdecl` and comments are nothing;
//! - `FILE` and `LOC` are instructions as in the binary;
//! - fields that text leaves out are 0;
//! - immediates are cut to the width of their type; floats may be written as such (`1.5:f`);
//! - numbers may be expressions: see `expr`;
//! - scopes are gone: a name that was taken before gets a number behind it (`V32_1`).
//!
//! LSC instructions are read by `lsc`. Of `va.*` the text is our own, for the reference has none:
//! mnemonic and suffixes of the opcode's row, then its operands in the order of the row.

mod diagnose;
mod expr;
mod lexer;
pub(crate) mod lsc;
pub(crate) mod number;
mod operand;
mod parser;
mod spans;
mod symbols;

use thiserror::Error;

use crate::labels::LabelError;
use crate::module::{Module, Object, ObjectKind};
use crate::opcode::Opcode;
use lexer::Mark;
pub(crate) use parser::EXTERNAL_CALL;

pub use diagnose::{Diagnosis, MAX_ERRORS};
pub use spans::Spans;

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
    #[error("version {major}.{minor} is not supported, expected 3.0 to 4.2")]
    Version { major: u8, minor: u8 },
    #[error("the string is not closed on this line")]
    UnclosedString,
    #[error("the string has an unknown escape sequence")]
    Escape,
    #[error("the scope is not closed")]
    UnclosedScope,
    #[error("no scope is open")]
    NoScope,
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
    /// A code that stands for this kind of error for ever: `S0001`.
    pub fn code(&self) -> &'static str {
        match self {
            ParseErrorKind::Expected { .. } => "S0001",
            ParseErrorKind::Unknown { .. } => "S0002",
            ParseErrorKind::Class { .. } => "S0003",
            ParseErrorKind::Duplicate { .. } => "S0004",
            ParseErrorKind::Range { .. } => "S0005",
            ParseErrorKind::Version { .. } => "S0006",
            ParseErrorKind::UnclosedString => "S0007",
            ParseErrorKind::Escape => "S0008",
            ParseErrorKind::UnclosedScope => "S0009",
            ParseErrorKind::NoScope => "S0010",
            ParseErrorKind::Superfluous { .. } => "S0011",
            ParseErrorKind::MissingSuffix { .. } => "S0012",
            ParseErrorKind::Label(_) => "S0013",
        }
    }

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

/// A character, and what it is for a message.
type Punctuation = (u8, &'static str);

/// What text has before and after the operand of that number: `vme_fbr` puts three of its sources
/// into parentheses.
pub(crate) fn punctuation(
    op: Opcode,
    operand: usize,
) -> (Option<Punctuation>, Option<Punctuation>) {
    const OPEN: Option<Punctuation> = Some((b'(', "`(`"));
    const COMMA: Option<Punctuation> = Some((b',', "`,`"));
    const CLOSE: Option<Punctuation> = Some((b')', "`)`"));
    match (op, operand) {
        (Opcode::VmeFbr, 3) => (OPEN, COMMA),
        (Opcode::VmeFbr, 4) => (None, COMMA),
        (Opcode::VmeFbr, 5) => (None, CLOSE),
        _ => (None, None),
    }
}

/// Reads a module.
pub fn parse(source: &str) -> Result<Module, ParseError> {
    parser::Parser::new(source).module()
}

/// Reads a module as far as it can be read, and says all that is wrong with it.
///
/// An object with an error is left out of the module. Takes more time and memory than [`parse`],
/// for the places of everything.
pub fn diagnose(source: &str) -> Diagnosis {
    parser::Parser::new(source).diagnose()
}

/// Why several texts are no module: the number of the one at fault, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FilesError {
    #[error("{error}")]
    Parse { file: usize, error: ParseError },
    #[error("{what} `{name}` is in an earlier file too, and is another there")]
    Duplicate {
        file: usize,
        what: &'static str,
        name: String,
    },
}

/// Reads several texts as one module, objects in their order.
///
/// A compiler writes a kernel and each function it calls into files of their own, and sometimes all
/// of them into one more: an object that is the same in two files is kept once. The version is the
/// highest.
pub fn parse_files(sources: &[&str]) -> Result<Module, FilesError> {
    let mut all = Module::default();
    for (file, source) in sources.iter().enumerate() {
        let module = parse(source).map_err(|error| FilesError::Parse { file, error })?;
        all.version = all.version.max(module.version);
        for object in module.objects {
            let twin = all.objects.iter().find(|other| {
                let kernel = |o: &Object| o.kind == ObjectKind::Kernel;
                other.name == object.name && kernel(other) == kernel(&object)
            });
            match twin {
                None => all.objects.push(object),
                Some(twin) if *twin == object => {}
                Some(_) => {
                    let what = match object.kind {
                        ObjectKind::Kernel => "kernel",
                        ObjectKind::Function { .. } => "function",
                    };
                    let name = object.name.to_string();
                    return Err(FilesError::Duplicate { file, what, name });
                }
            }
        }
    }
    Ok(all)
}
