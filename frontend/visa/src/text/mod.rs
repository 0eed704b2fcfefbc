//! Reader of vISA text (`.visaasm`, `.isaasm`; specification, chapter 8, and what the reference
//! compiler writes).
//!
//! Takes any text and gives a [`Module`] or an error with its position. The guarantees are those of
//! [`crate::binary`]. A file may hold several kernels and functions, each with or without a `.version`.
//!
//! Text has less than the binary, and names instead of numbers:
//! - general, address and predicate variables have their declared names, samplers and surfaces their `v_name`; all
//!   are numbered in the order of declaration;
//! - labels: see [`crate::labels`]; a label named by a `.function` is that of a subroutine;
//! - attributes: see `crate::attributes`; `.funcdecl` and comments are ignored;
//! - `FILE` and `LOC` are instructions as in the binary;
//! - fields that text leaves out are 0;
//! - immediates are cut to the width of their type; floats may have a point (`1.5:f`);
//! - numbers may be expressions: see `expr`;
//! - scopes are flattened: a name that is taken gets a number appended (`V32_1`).
//!
//! LSC instructions are read by `lsc`. The reference has no text for `va.*`; ours is the mnemonic and suffixes of
//! the opcode's row, then its operands in the order of the row.

mod diagnose;
mod expr;
mod lexer;
mod lsc;
pub(crate) mod number;
mod operand;
mod parser;
mod spans;
mod symbols;

use thiserror::Error;

use crate::build::Builder;
use crate::labels::LabelError;
use crate::module::{Module, Object, ObjectKind, Predicate, Var};
use crate::opcode::Opcode;
use lexer::Mark;
pub(crate) use parser::EXTERNAL_CALL;

pub use diagnose::{Diagnosis, MAX_ERRORS};
pub use spans::Spans;

/// Reason why a text is no vISA module, and its position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{line}:{column}: {kind}")]
pub struct ParseError {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// Offset of the first byte at fault, from the start of the text.
    pub offset: usize,
    /// Length in bytes.
    pub length: usize,
    /// The fault at that place.
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

/// Kind of a [`ParseError`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is documented by its message")]
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
    /// Permanent code of this kind of error, for example `S0001`.
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

/// A character, and its description for errors.
type Punctuation = (u8, &'static str);

/// Characters before and after an operand in text: `vme_fbr` has three of its sources in parentheses.
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

/// Reads a module for a platform, whose registers have `grf_bytes` bytes. [`parse`] takes 32, which matters where a text
/// asks for them: `%sizeof(GRF)`.
pub fn parse_for(source: &str, grf_bytes: u32) -> Result<Module, ParseError> {
    let mut parser = parser::Parser::new(source);
    parser.grf_bytes = grf_bytes;
    parser.module()
}

/// Reads a module as far as possible and reports all errors.
///
/// Objects with an error are left out of the module. Takes more time and memory than [`parse`], because it records
/// all positions.
pub fn diagnose(source: &str) -> Diagnosis {
    parser::Parser::new(source).diagnose()
}

/// Entity of an object that a part of it in text may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// General variable.
    Var(Var),
    /// Predicate.
    Predicate(Predicate),
}

/// Reads instructions and declarations, and adds them to an object: inline assembly. The text sees the variables that
/// are predefined and those of `names`; what it declares, labels too, has its own names and is seen in it alone.
///
/// # Errors
/// The first fault, with its place in the text. The object then has what was read before.
///
/// ```
/// use kiln_visa::build::Builder;
/// use kiln_visa::module::{Exec, Type};
/// use kiln_visa::opcode::Opcode;
/// use kiln_visa::text::{Named, part};
///
/// let mut k = Builder::kernel("twice", 16);
/// let value = k.var("value", Type::D, 16);
/// part("add (M1, 16) it(0,0)<1> it(0,0)<1;1,0> it(0,0)<1;1,0>", &mut k, &[("it", Named::Var(value))])?;
/// k.inst(Opcode::Ret, Exec::channels(1), []);
/// assert_eq!(k.finish()?.insts.len(), 3);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn part(
    source: &str,
    builder: &mut Builder,
    names: &[(&str, Named)],
) -> Result<(), ParseError> {
    parser::Parser::new(source).part(builder, names)
}

/// Reason why several texts are no module, with the number of the text at fault.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[expect(
    missing_docs,
    reason = "each is documented by its message; `file` is the number of the text"
)]
pub enum FilesError {
    #[error("{error}")]
    Parse { file: usize, error: ParseError },
    #[error("{what} `{name}` is defined differently in an earlier file")]
    Duplicate {
        file: usize,
        what: &'static str,
        name: String,
    },
}

/// Reads several texts as one module, objects in order.
///
/// Compilers write a kernel and each function it calls into separate files, and sometimes all of them into one
/// more. An object that is equal in two files is kept once. The version is the highest of all.
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
