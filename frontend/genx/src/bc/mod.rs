//! LLVM IR in bitcode, of LLVM 14 and later, with typed and with opaque pointers.
//!
//! [`stream`] gives blocks and records; the other files say what the records mean, one a block. Instructions and
//! constants are made by the rules of [`crate::ir::rules`], as those of a text are. A value is a number: first those
//! of the module, then those of the function.

mod attributes;
mod codes;
mod constants;
mod function;
mod inst;
mod metadata;
mod module;
pub mod stream;
mod types;

use std::collections::HashMap;

use smol_str::SmolStr;

use crate::error::{Code, Diagnostic, Error, Loc, Result};
use crate::ir::fault::Fault;
use crate::ir::{FunctionId, GlobalId, Inst, MetaId, Module, Type};
use attributes::Group;
use constants::Constant;
use stream::{Entry, Record, Stream};

/// Start of a stream of LLVM IR.
const MAGIC: &[u8; 4] = b"BC\xC0\xDE";
/// Start of the wrapper around one, 0x0B17C0DE.
const WRAPPER: &[u8; 4] = b"\xDE\xC0\x17\x0B";
/// Bytes of the wrapper's fields.
const WRAPPER_BYTES: usize = 20;

/// Kinds of blocks.
mod block {
    pub const MODULE: u64 = 8;
    pub const PARAMATTR: u64 = 9;
    pub const PARAMATTR_GROUP: u64 = 10;
    pub const CONSTANTS: u64 = 11;
    pub const FUNCTION: u64 = 12;
    pub const VALUE_SYMTAB: u64 = 14;
    pub const METADATA: u64 = 15;
    pub const TYPES: u64 = 17;
    pub const METADATA_ATTACHMENT: u64 = 16;
    pub const METADATA_KINDS: u64 = 22;
    pub const STRTAB: u64 = 23;
}

/// Value of the module.
#[derive(Clone, Copy)]
enum Global {
    Function(FunctionId, Type),
    Variable(GlobalId, Type),
    /// Number of a constant.
    Constant(usize),
}

/// Reader of a module.
pub(crate) struct Reader<'a> {
    stream: Stream<'a>,
    record: Record<'a>,
    module: Module,
    strtab: &'a [u8],
    types: Vec<Type>,
    groups: HashMap<u64, Group>,
    /// Lists of groups that functions and variables name.
    lists: Vec<Vec<u64>>,
    values: Vec<Global>,
    constants: Vec<Constant>,
    meta: HashMap<u64, MetaId>,
    meta_count: u64,
    /// Number of the kind `llvm.loop`.
    loop_kind: Option<u64>,
    /// Branches with nodes of it.
    loops: Vec<(FunctionId, Inst, MetaId)>,
    /// Initializers of globals, by the numbers of their constants.
    inits: Vec<(GlobalId, u64, Loc)>,
    /// True if bundles of operands were read for the call that follows.
    bundles: bool,
    /// Functions with bodies, in order.
    bodies: std::collections::VecDeque<FunctionId>,
}

/// True if a file is bitcode of LLVM, with or without the wrapper.
pub fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC) || bytes.starts_with(WRAPPER)
}

/// Reads a module.
///
/// # Errors
/// The first thing that is wrong with the bytes.
pub fn parse(bytes: &[u8]) -> Result<Module> {
    let fail =
        |at: usize, message: &str| Diagnostic::new(Code::Bitcode, Loc::byte(at as u64), message);
    let (mut body, mut base) = (bytes, 0);
    if bytes.starts_with(WRAPPER) {
        let field = |n: usize| {
            let field = bytes.get(4 * n..4 * n + 4)?.try_into().ok()?;
            Some(u32::from_le_bytes(field) as usize)
        };
        let (Some(offset), Some(size), true) = (field(2), field(3), bytes.len() >= WRAPPER_BYTES)
        else {
            return Err(fail(bytes.len(), "the file ends within its wrapper"));
        };
        let Some(inside) = bytes.get(offset..offset.saturating_add(size)) else {
            return Err(fail(8, "the wrapper names bytes after the end of the file"));
        };
        (body, base) = (inside, offset);
    }
    let Some(body) = body.strip_prefix(MAGIC) else {
        return Err(fail(base, "the bytes are no bitcode of LLVM"));
    };
    let base = (base + MAGIC.len()) as u64;
    let mut reader = Reader {
        stream: Stream::new(body, base),
        record: Record::default(),
        module: Module::default(),
        strtab: strtab(Stream::new(body, base))?,
        types: Vec::new(),
        groups: HashMap::new(),
        lists: Vec::new(),
        values: Vec::new(),
        constants: Vec::new(),
        meta: HashMap::new(),
        meta_count: 0,
        loop_kind: None,
        loops: Vec::new(),
        inits: Vec::new(),
        bundles: false,
        bodies: Default::default(),
    };
    let mut found = false;
    loop {
        match reader.entry()? {
            Entry::Block(block::MODULE) if found => return Err(reader.fail("a second module")),
            Entry::Block(block::MODULE) => {
                reader.module_block()?;
                found = true;
            }
            Entry::Block(_) => reader.stream.skip()?,
            Entry::Record => {}
            Entry::End if !found => return Err(reader.fail("there is no module")),
            Entry::End => {
                reader.module.set_unrolling(&reader.loops);
                return Ok(reader.module);
            }
        }
    }
}

/// The table of names, which follows the module.
fn strtab<'a>(mut stream: Stream<'a>) -> Result<&'a [u8]> {
    let mut record = Record::default();
    loop {
        match stream.next(&mut record)? {
            Entry::Block(block::STRTAB) => {
                stream.enter(block::STRTAB)?;
                while let Entry::Record = stream.next(&mut record)? {
                    if let Some(blob) = record.blob {
                        return Ok(blob);
                    }
                }
                return Ok(&[]);
            }
            Entry::Block(_) => stream.skip()?,
            Entry::Record => {}
            Entry::End => return Ok(&[]),
        }
    }
}

impl<'a> Reader<'a> {
    fn entry(&mut self) -> Result<Entry> {
        self.stream.next(&mut self.record)
    }

    /// Place of the record.
    fn loc(&self) -> Loc {
        Loc::byte(self.record.at)
    }

    /// Error that the bytes are no bitcode.
    fn fail(&self, message: impl Into<String>) -> Error {
        Diagnostic::new(Code::Bitcode, self.loc(), message)
    }

    /// Error about valid input that is not supported.
    fn refused(&self, code: Code, message: impl Into<String>) -> Error {
        Diagnostic::new(code, self.loc(), message)
    }

    /// Puts the place of the record to a broken rule.
    fn placed<T>(&self, result: std::result::Result<T, Fault>) -> Result<T> {
        result.map_err(|fault| fault.at(self.loc()))
    }

    /// Operand of the record.
    fn op(&self, n: usize) -> Result<u64> {
        match self.record.ops.get(n) {
            Some(op) => Ok(*op),
            None => Err(self.fail(format!("the record has no operand {n}"))),
        }
    }

    /// Type of a number.
    fn ty(&self, number: u64) -> Result<Type> {
        let ty = usize::try_from(number).ok().and_then(|n| self.types.get(n));
        match ty {
            Some(ty) => Ok(*ty),
            None => Err(self.fail(format!("there is no type {number}"))),
        }
    }

    /// Text of the record's operands, one a character.
    fn text(&self, from: usize) -> SmolStr {
        text(self.record.ops.get(from..).unwrap_or_default())
    }

    /// Reads the records of a block that begins here, and skips the blocks within it.
    fn records(
        &mut self,
        kind: u64,
        mut each: impl FnMut(&mut Reader<'a>) -> Result<()>,
    ) -> Result<()> {
        self.stream.enter(kind)?;
        loop {
            match self.entry()? {
                Entry::Block(_) => self.stream.skip()?,
                Entry::Record => each(self)?,
                Entry::End => return Ok(()),
            }
        }
    }
}

/// Text of characters.
fn text(chars: &[u64]) -> SmolStr {
    let bytes: Vec<u8> = chars.iter().map(|c| *c as u8).collect();
    String::from_utf8_lossy(&bytes).into()
}
