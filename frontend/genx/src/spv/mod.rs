//! SPIR-V modules with the capability `VectorComputeINTEL`, the form in which programs carry such kernels.
//!
//! `stream` gives the instructions; the other files say what they mean. A module is read twice: its declarations with
//! the heads of all functions, then the bodies. Instructions, types and constants are made by the rules of
//! [`crate::ir::rules`], as those of the other forms are. What becomes of decorations are the attributes of the carrier
//! form.

mod attributes;
mod body;
mod compute;
mod constants;
mod derived;
mod extended;
mod function;
mod inst;
mod lines;
mod memory;
mod module;
mod stream;
mod types;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use smol_str::SmolStr;
use spirv::{Decoration, Op, StorageClass};

use crate::error::{Code, Diagnostic, Error, Loc, Result};
use crate::ir::asm::Asm;
use crate::ir::fault::Fault;
use crate::ir::{FunctionId, GlobalId, Module, Type};
use constants::Constant;
use extended::Set;
use stream::{Inst, Words};

/// First word of a module, in the order of bytes that this machine has.
const MAGIC: u32 = spirv::MAGIC_NUMBER;
/// Words before the first instruction.
const HEADER: usize = 5;

/// Result of the module.
#[derive(Clone)]
enum Global {
    Function(FunctionId),
    /// An imported function, by its name.
    Import(SmolStr),
    Variable(GlobalId, Type),
    /// Number of a constant.
    Constant(usize),
    /// An unsupported declaration, an error only if it is used.
    Refused(Fault),
}

/// A pointer type: its storage class, and its pointee unless it is untyped.
#[derive(Clone, Copy)]
struct Pointer {
    class: StorageClass,
    to: Option<u32>,
}

/// A decoration of a result, and its instruction.
#[derive(Clone, Copy)]
struct Decorated<'a> {
    kind: u32,
    inst: Inst<'a>,
}

/// Reader of a module.
pub(crate) struct Reader<'a> {
    /// Instruction that is being read.
    inst: Inst<'a>,
    module: Module,
    names: HashMap<u32, SmolStr>,
    strings: HashMap<u32, SmolStr>,
    decorations: HashMap<u32, Vec<Decorated<'a>>>,
    /// Functions of entry points with their names, and their modes.
    entries: HashMap<u32, SmolStr>,
    modes: HashMap<u32, Vec<Inst<'a>>>,
    /// Names of all entry points.
    kernels: HashSet<SmolStr>,
    sets: HashMap<u32, Set>,
    types: HashMap<u32, std::result::Result<Type, Fault>>,
    pointers: HashMap<u32, Pointer>,
    /// Type of each result.
    type_of: HashMap<u32, u32>,
    globals: HashMap<u32, Global>,
    constants: Vec<Constant>,
    asms: HashMap<u32, std::result::Result<Arc<Asm>, Fault>>,
    lines: lines::Lines,
}

/// True if a file is SPIR-V, in either order of bytes.
pub fn is_spirv(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC.to_le_bytes()) || bytes.starts_with(&MAGIC.to_be_bytes())
}

/// Reads a module.
///
/// # Errors
/// The first error of the module.
pub fn parse(bytes: &[u8]) -> Result<Module> {
    let fail =
        |at: usize, message: &str| Diagnostic::new(Code::Spirv, Loc::byte(at as u64), message);
    let (words, rest) = bytes.as_chunks::<4>();
    if words.len() < HEADER {
        return Err(fail(bytes.len(), "the file ends within its header"));
    }
    if !rest.is_empty() {
        return Err(fail(bytes.len(), "the last word is not whole"));
    }
    let read = match bytes.starts_with(&MAGIC.to_le_bytes()) {
        true => u32::from_le_bytes,
        false => u32::from_be_bytes,
    };
    let words: Vec<u32> = words.iter().map(|word| read(*word)).collect();
    let mut reader = Reader {
        inst: Inst::default(),
        module: Module::default(),
        names: HashMap::new(),
        strings: HashMap::new(),
        decorations: HashMap::new(),
        entries: HashMap::new(),
        modes: HashMap::new(),
        kernels: HashSet::new(),
        sets: HashMap::new(),
        types: HashMap::new(),
        pointers: HashMap::new(),
        type_of: HashMap::new(),
        globals: HashMap::new(),
        constants: Vec::new(),
        asms: HashMap::new(),
        lines: lines::Lines::default(),
    };
    reader.module(Words::new(&words, HEADER))?;
    Ok(reader.module)
}

impl<'a> Reader<'a> {
    /// Place of the instruction.
    fn loc(&self) -> Loc {
        self.inst.loc()
    }

    /// Error that the words are no SPIR-V.
    fn fail(&self, message: impl Into<String>) -> Error {
        Diagnostic::new(Code::Spirv, self.loc(), message)
    }

    /// Error about valid input that is not supported.
    fn refused(&self, code: Code, message: impl Into<String>) -> Error {
        Diagnostic::new(code, self.loc(), message)
    }

    /// Adds the place of the instruction to the error of a broken rule.
    fn placed<T>(&self, result: std::result::Result<T, Fault>) -> Result<T> {
        result.map_err(|fault| fault.at(self.loc()))
    }

    /// Word after the first.
    fn op(&self, n: usize) -> Result<u32> {
        match self.inst.words.get(n) {
            Some(word) => Ok(*word),
            None => Err(self.fail(format!("{} has no operand {n}", self.inst.name()))),
        }
    }

    /// Words from one on.
    fn rest(&self, from: usize) -> &'a [u32] {
        self.inst.words.get(from..).unwrap_or_default()
    }

    /// Text that begins at a word, and the number of the first word after it.
    fn text(&self, from: usize) -> Result<(SmolStr, usize)> {
        match stream::text(self.rest(from)) {
            Some((text, words)) => Ok((text, from + words)),
            None => Err(self.fail("a text has no end")),
        }
    }

    /// Decorations of a kind that a result has.
    fn decorated(&self, id: u32, kind: Decoration) -> impl Iterator<Item = &Decorated<'a>> {
        self.numbered(id, kind as u32)
    }

    /// Decorations of a number that a result has.
    fn numbered(&self, id: u32, kind: u32) -> impl Iterator<Item = &Decorated<'a>> {
        let all = self.decorations.get(&id).into_iter().flatten();
        all.filter(move |decorated| decorated.kind == kind)
    }

    /// Word of a decoration; 0 if it has none, `None` if the result is not decorated so.
    fn decoration(&self, id: u32, kind: Decoration) -> Option<u32> {
        self.decorated(id, kind).next().map(|found| found.word(0))
    }

    fn has(&self, id: u32, kind: Decoration) -> bool {
        self.decoration(id, kind).is_some()
    }

    /// Name for a message.
    fn shown(&self, id: u32) -> String {
        match self.names.get(&id) {
            Some(name) => format!("%{name}"),
            None => format!("%{id}"),
        }
    }

    /// Error that an instruction is not supported.
    fn unsupported(&self) -> Error {
        let message = format!("instruction {} is not supported", self.inst.name());
        self.refused(Code::Instruction, message)
    }

    fn opcode(&self) -> Option<Op> {
        self.inst.op
    }
}

impl<'a> Decorated<'a> {
    /// Words after the result and the decoration's number.
    fn words(&self) -> &'a [u32] {
        self.inst.words.get(2..).unwrap_or_default()
    }

    /// Word after the decoration's number; 0 if there is none.
    fn word(&self, n: usize) -> u32 {
        self.words().get(n).copied().unwrap_or(0)
    }
}
