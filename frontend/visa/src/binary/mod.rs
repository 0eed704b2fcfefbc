//! Reader and writer of binary vISA objects (specification, chapter 4), versions 3.0 to 4.1.
//!
//! The reader takes any bytes and gives a [`Module`] or an error with its offset. It guarantees: numbers of
//! variables, labels and strings are in range; an alias is of a variable declared earlier, so there is no cycle;
//! every label that is mentioned is defined once; every instruction has the operands of its row in
//! [`crate::opcode`]. Only names and values of attributes are copied, each once. Nothing is allocated for a count
//! that the file is too short for, and no byte belongs to two objects.
//!
//! The reader normalizes, so that text and binary of one kernel give equal modules (see also `crate::attributes`
//! and [`crate::labels`]):
//! - address variables and predicates are named by their number (`A0`, `P1`), since text has no other name for
//!   them;
//! - characters of labels and functions that text cannot have (`.`, `$`) become `_`, and the label
//!   of a subroutine ends in its number in the file (`main_0`);
//! - a function's attributes take precedence over its header, which compilers leave empty;
//! - immediates are cut to the width of their type;
//! - an instruction without execution size has [`crate::module::Exec::NONE`];
//! - a field that an older version lacks has the value that its absence means (`version`).
//!
//! Native code in the file beside the vISA is skipped.

mod cursor;
mod defective;
mod header;
mod inst;
mod object;
mod pool;
mod version;
mod write;
mod write_inst;

use thiserror::Error;

use crate::attributes;
use crate::labels::LabelError;
use crate::module::{Module, Object};
use cursor::Cursor;
use object::Reader;

pub use crate::module::{NEWEST, OLDEST};
pub use write::{WriteError, WriteErrorKind, write};

/// Reason why a file is no vISA object.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("at offset {offset:#x}{}: {kind}", in_instruction(.instruction))]
pub struct ReadError {
    /// Byte offset from the start of the file.
    pub offset: usize,
    /// Number of the instruction at fault in its object, from 0; `None` if it is no instruction.
    pub instruction: Option<usize>,
    /// The fault at that place.
    pub kind: ReadErrorKind,
}

fn in_instruction(number: &Option<usize>) -> String {
    number.map_or_else(String::new, |n| format!(" (instruction {n})"))
}

/// Kind of a [`ReadError`].
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum ReadErrorKind {
    #[error("the file ends too early: {wanted} bytes expected, {left} left")]
    Truncated { wanted: usize, left: usize },
    #[error("not a vISA object: the first bytes are {found:02x?}, expected 43 49 53 41 (\"CISA\")")]
    Magic { found: [u8; 4] },
    #[error(
        "version {major}.{minor} is not supported, expected {}.{} to {}.{}",
        OLDEST.0, OLDEST.1, NEWEST.0, NEWEST.1
    )]
    Version { major: u8, minor: u8 },
    #[error("{what} is at {start:#x} with {len} bytes, beyond the end at {end:#x}")]
    Outside {
        what: &'static str,
        start: u64,
        len: u64,
        end: usize,
    },
    #[error("object `{name}` is at {start:#x} to {end:#x}, where object `{other}` is")]
    Overlap {
        name: String,
        other: String,
        start: u64,
        end: u64,
    },
    #[error("unknown opcode {number:#04x}")]
    Opcode { number: u8 },
    #[error("unknown sub-opcode {sub:#04x} of opcode {number:#04x}")]
    SubOpcode { number: u8, sub: u8 },
    #[error("{what} {index} does not exist, there are {count}")]
    Index {
        what: &'static str,
        index: u32,
        count: usize,
    },
    #[error("{what} is {found}, expected {expected}")]
    Value {
        what: &'static str,
        found: u32,
        expected: &'static str,
    },
    #[error(
        "this object was written by a release of the reference compiler whose writer leaves out \
         the last operands of each instruction (`{mnemonic}` ends where {missing} was expected); \
         use the .visaasm that it wrote with it"
    )]
    OperandsMissing {
        mnemonic: &'static str,
        missing: &'static str,
    },
    #[error("{0:?} is no name of an attribute")]
    AttributeName(String),
    #[error("the names of subroutines are {found} bytes altogether, expected at most {most}")]
    Names { found: usize, most: usize },
    #[error("{0} is not valid UTF-8")]
    Encoding(&'static str),
    #[error(transparent)]
    Label(#[from] LabelError),
}

/// Reads a module.
pub fn read(bytes: &[u8]) -> Result<Module, ReadError> {
    let (mut module, entries) = header::read(bytes)?;
    for entry in entries {
        let mut object = Object::new(entry.kind, entry.name);
        object.relocations = entry.relocations;
        module.objects.push(match entry.span {
            Some(span) => Reader::new(span.part()?, module.version)?.object(object)?,
            None => attributes::extern_function(object),
        });
    }
    Ok(module)
}

fn value(at: &Cursor, what: &'static str, found: u32, expected: &'static str) -> ReadError {
    at.error(ReadErrorKind::Value {
        what,
        found,
        expected,
    })
}
