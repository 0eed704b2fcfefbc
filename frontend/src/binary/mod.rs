//! Reader and writer of binary vISA objects (specification, chapter 4).
//!
//! The reader takes any bytes and gives a [`Module`] or an error with its place in the file. What it
//! guarantees of a module: every number of a variable, label or string is in range, aliases go to
//! variables declared before (so there is no cycle), every label that is mentioned is defined
//! once, and every instruction has the operands of its row of [`crate::opcode`]. Nothing is
//! allocated for a count that the file is too short for.
//!
//! What it brings into the form that text has too: `crate::attributes`, [`crate::labels`], and
//! - address variables and predicates are called after their number (`A0`, `P1`): text has no other
//!   name for them;
//! - characters of labels and functions that text cannot have (`.`, `$`) become `_`, and the label
//!   of a subroutine ends in its number in the file (`main_0`);
//! - what a function's attributes say of it stands over its header, which compilers leave empty;
//! - immediates are cut to the width of their type;
//! - an instruction without execution size has [`crate::module::Exec::NONE`].

mod cursor;
mod inst;
mod write;

use cranelift_entity::{EntityRef, PrimaryMap};
use thiserror::Error;

use crate::attributes;
use crate::labels::{self, LabelError};
use crate::module::{
    Addr, Align, ArrayDecl, Attr, Global, Input, InputVar, LabelDecl, LabelKind, Linkage, Module,
    Object, ObjectKind, Predicate, Sampler, Surface, Type, Var, VarDecl, predefined,
};
use crate::opcode::Opcode;
use crate::text::is_name;
use cursor::Cursor;
use inst::Layout;

pub use write::{WriteError, write};

/// Why a file is no vISA object.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("at offset {offset:#x}{}: {kind}", in_instruction(.instruction))]
pub struct ReadError {
    /// Byte offset from the start of the file.
    pub offset: usize,
    /// The number of the instruction in its object, from 0, if it is one that is at fault.
    pub instruction: Option<usize>,
    pub kind: ReadErrorKind,
}

fn in_instruction(number: &Option<usize>) -> String {
    number.map_or_else(String::new, |n| format!(" (instruction {n})"))
}

/// What is wrong there.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadErrorKind {
    #[error("the file ends too early: {wanted} bytes expected, {left} left")]
    Truncated { wanted: usize, left: usize },
    #[error("not a vISA object: the first bytes are {found:02x?}, expected 43 49 53 41 (\"CISA\")")]
    Magic { found: [u8; 4] },
    #[error("version {major}.{minor} is not supported, expected 3.6 to 4.1")]
    Version { major: u8, minor: u8 },
    #[error("{what} is at {start:#x} with {len} bytes, outside of the file of {file} bytes")]
    Outside {
        what: &'static str,
        start: u64,
        len: u64,
        file: usize,
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
    #[error("the instructions end in the middle of one: {end:#x} is the end")]
    InstructionEnd { end: usize },
    #[error("{0:?} is no name of an attribute")]
    AttributeName(String),
    #[error("{0} is not valid UTF-8")]
    Encoding(&'static str),
    #[error(transparent)]
    Label(#[from] LabelError),
}

/// Reads a module.
pub fn read(bytes: &[u8]) -> Result<Module, ReadError> {
    let mut cursor = Cursor::new(bytes);
    let magic = [cursor.u8()?, cursor.u8()?, cursor.u8()?, cursor.u8()?];
    if magic != *b"CISA" {
        let kind = ReadErrorKind::Magic { found: magic };
        return Err(ReadError {
            offset: 0,
            instruction: None,
            kind,
        });
    }
    let version = (cursor.u8()?, cursor.u8()?);
    if !((3, 6)..=(4, 1)).contains(&version) {
        let kind = ReadErrorKind::Version {
            major: version.0,
            minor: version.1,
        };
        return Err(ReadError {
            offset: 4,
            instruction: None,
            kind,
        });
    }
    let mut module = Module {
        version,
        ..Module::default()
    };
    // The tables of the header stand before the objects, which are elsewhere in the file.
    let mut places = Vec::new();
    for _ in 0..cursor.u16()? {
        let name = name(&mut cursor, version)?;
        let (offset, _size, _inputs) = (cursor.u32()?, cursor.u32()?, cursor.u32()?);
        relocations(&mut cursor)?;
        for _ in 0..cursor.u8()? {
            cursor.take(GEN_BINARY_BYTES)?;
        }
        places.push((ObjectKind::Kernel, name, offset));
    }
    for _ in 0..cursor.u16()? {
        module.globals.push(global(&mut cursor, version)?);
    }
    for _ in 0..cursor.u16()? {
        let linkage = linkage(&mut cursor)?;
        let name = name(&mut cursor, version)?;
        let (offset, _size) = (cursor.u32()?, cursor.u32()?);
        relocations(&mut cursor)?;
        let kind = ObjectKind::Function {
            linkage,
            arg_grfs: 0,
            ret_grfs: 0,
        };
        places.push((kind, name, offset));
    }
    for (kind, name, offset) in places {
        let what = "an object";
        let cursor = cursor.part(
            what,
            offset.into(),
            (bytes.len() as u64).saturating_sub(offset.into()),
        )?;
        module.objects.push(
            Reader {
                cursor,
                version,
                strings: Vec::new(),
            }
            .object(kind, name)?,
        );
    }
    Ok(module)
}

/// Platform, offset and size of an embedded native binary.
const GEN_BINARY_BYTES: usize = 9;

fn name(cursor: &mut Cursor, version: (u8, u8)) -> Result<String, ReadError> {
    let len = if version >= (3, 7) {
        cursor.u16()?.into()
    } else {
        cursor.u8()?.into()
    };
    utf8(cursor, "a name", |c| c.take(len))
}

fn utf8<'a>(
    cursor: &mut Cursor<'a>,
    what: &'static str,
    take: impl FnOnce(&mut Cursor<'a>) -> Result<&'a [u8], ReadError>,
) -> Result<String, ReadError> {
    let at = *cursor;
    let bytes = take(cursor)?;
    std::str::from_utf8(bytes)
        .map(str::to_owned)
        .map_err(|_| at.error(ReadErrorKind::Encoding(what)))
}

/// The tables of file-scope variables and functions that an object refers to; nothing writes them.
fn relocations(cursor: &mut Cursor) -> Result<(), ReadError> {
    for _ in 0..2 {
        let count = usize::from(cursor.u16()?);
        cursor.take(4 * count)?;
    }
    Ok(())
}

fn linkage(cursor: &mut Cursor) -> Result<Linkage, ReadError> {
    let at = *cursor;
    match cursor.u8()? {
        0 => Ok(Linkage::Extern),
        1 => Ok(Linkage::Static),
        2 => Ok(Linkage::Global),
        n => Err(value(&at, "a linkage", n.into(), "0, 1 or 2")),
    }
}

fn value(at: &Cursor, what: &'static str, found: u32, expected: &'static str) -> ReadError {
    at.error(ReadErrorKind::Value {
        what,
        found,
        expected,
    })
}

fn global(cursor: &mut Cursor, version: (u8, u8)) -> Result<Global, ReadError> {
    let linkage = linkage(cursor)?;
    let name = name(cursor, version)?;
    let (ty, align) = type_and_align(cursor)?;
    let elements = cursor.u16()?;
    let at = *cursor;
    // Their names are in no string pool.
    match cursor.u8()? {
        0 => Ok(Global {
            linkage,
            name,
            ty,
            align,
            elements,
            attrs: Vec::new(),
        }),
        n => Err(value(
            &at,
            "the count of a global's attributes",
            n.into(),
            "0",
        )),
    }
}

fn type_and_align(cursor: &mut Cursor) -> Result<(Type, Align), ReadError> {
    let at = *cursor;
    let bits = cursor.u8()?;
    let ty = Type::from_number(bits & 0xf)
        .ok_or_else(|| value(&at, "a type", (bits & 0xf).into(), "0 to 15"))?;
    let align = Align::from_number(bits >> 4)
        .ok_or_else(|| value(&at, "an alignment", (bits >> 4).into(), "0 to 9"))?;
    Ok((ty, align))
}

/// Least bytes of an entry of each table, for the room to reserve.
const VAR_BYTES: usize = 15;
const ARRAY_BYTES: usize = 7;
const LABEL_BYTES: usize = 6;
const INPUT_BYTES: usize = 9;

/// Reads one object.
struct Reader<'a> {
    cursor: Cursor<'a>,
    version: (u8, u8),
    strings: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn object(mut self, kind: ObjectKind, name: String) -> Result<Object, ReadError> {
        let start = self.cursor.pos() as u64;
        self.strings()?;
        let _name = self.string()?;

        let mut object = Object::new(kind, name);
        self.vars(&mut object)?;
        let addrs = self.cursor.u16()?.into();
        self.arrays(addrs, &mut object.addrs, Some("A"))?;
        let predicates = self.cursor.u16()?.into();
        self.arrays(predicates, &mut object.predicates, Some("P"))?;
        let labels = self.labels()?;
        let samplers = self.cursor.u8()?.into();
        self.arrays(samplers, &mut object.samplers, None)?;
        let surfaces = self.cursor.u8()?.into();
        self.arrays(surfaces, &mut object.surfaces, None)?;
        let at = self.cursor;
        match self.cursor.u8()? {
            0 => {}
            n => return Err(value(&at, "the count of VME variables", n.into(), "0")),
        }
        if object.kind == ObjectKind::Kernel {
            self.inputs(&mut object)?;
        }
        let at = self.cursor;
        let (size, entry) = (self.cursor.u32()?, self.cursor.u32()?);
        if let ObjectKind::Function {
            arg_grfs, ret_grfs, ..
        } = &mut object.kind
        {
            (*arg_grfs, *ret_grfs) = (self.cursor.u8()?, self.cursor.u8()?);
        }
        let attrs = self.cursor.u16()?.into();
        object.attrs = self.attrs(attrs)?;
        attributes::complete_function(&mut object);
        self.cursor = at.part(
            "the code of an object",
            start + u64::from(entry),
            size.into(),
        )?;
        self.insts(&mut object, &labels)?;
        labels::number(&mut object, labels).map_err(|e| ReadError {
            offset: object.insts[e.inst()].place.pos as usize,
            instruction: Some(e.inst()),
            kind: e.into(),
        })?;
        Ok(object)
    }

    fn strings(&mut self) -> Result<(), ReadError> {
        let count = self.cursor.u32()? as usize;
        self.strings.reserve(self.cursor.capacity(count, 1));
        for _ in 0..count {
            let at = self.cursor;
            let bytes = self.cursor.string()?;
            let string = std::str::from_utf8(bytes)
                .map_err(|_| at.error(ReadErrorKind::Encoding("a string of the pool")))?;
            self.strings.push(string);
        }
        Ok(())
    }

    /// A string by an index of four bytes.
    fn string(&mut self) -> Result<&'a str, ReadError> {
        let at = self.cursor;
        let index = self.cursor.u32()?;
        self.pooled(&at, index)
    }

    fn pooled(&self, at: &Cursor, index: u32) -> Result<&'a str, ReadError> {
        let count = self.strings.len();
        self.strings.get(index as usize).copied().ok_or_else(|| {
            at.error(ReadErrorKind::Index {
                what: "string",
                index,
                count,
            })
        })
    }

    fn attrs(&mut self, count: usize) -> Result<Vec<Attr>, ReadError> {
        let mut attrs = Vec::new();
        for _ in 0..count {
            let at = self.cursor;
            let name = self.string()?;
            if !is_name(name) {
                return Err(at.error(ReadErrorKind::AttributeName(name.to_owned())));
            }
            let len = self.cursor.u8()?.into();
            let bytes = self.cursor.take(len)?;
            attrs.extend(attributes::from_bytes(name, bytes));
        }
        Ok(attrs)
    }

    fn vars(&mut self, object: &mut Object) -> Result<(), ReadError> {
        let count = self.cursor.u32()? as usize;
        object.vars.reserve(self.cursor.capacity(count, VAR_BYTES));
        for _ in 0..count {
            let name = self.string()?.to_owned();
            let (ty, align) = type_and_align(&mut self.cursor)?;
            let elements = self.cursor.u16()?;
            let at = self.cursor;
            let (base, offset) = (self.cursor.u32()?, self.cursor.u16()?);
            let alias = match base {
                predefined::NULL => None,
                base if (base as usize) < object.vars.len() => Some((Var::from_u32(base), offset)),
                index => {
                    let count = object.vars.len();
                    let what = "an alias is of a variable not declared before it:";
                    return Err(at.error(ReadErrorKind::Index { what, index, count }));
                }
            };
            let at = self.cursor;
            match self.cursor.u8()? {
                0 => {}
                n => return Err(value(&at, "the scope of an alias", n.into(), "0 (local)")),
            }
            let attrs = self.cursor.u8()?.into();
            let attrs = self.attrs(attrs)?;
            object.vars.push(VarDecl {
                name,
                ty,
                align,
                elements,
                alias,
                attrs,
            });
        }
        Ok(())
    }

    /// Address, predicate, sampler or surface variables. With `letter` they are called after their
    /// number, without after their name in the file.
    fn arrays<K: EntityRef>(
        &mut self,
        count: usize,
        into: &mut PrimaryMap<K, ArrayDecl>,
        letter: Option<&str>,
    ) -> Result<(), ReadError> {
        into.reserve(self.cursor.capacity(count, ARRAY_BYTES));
        for _ in 0..count {
            let name = self.string()?;
            let name = match letter {
                Some(letter) => format!("{letter}{}", into.len()),
                None => name.to_owned(),
            };
            let elements = self.cursor.u16()?;
            let attrs = self.cursor.u8()?.into();
            let attrs = self.attrs(attrs)?;
            into.push(ArrayDecl {
                name,
                elements,
                attrs,
            });
        }
        Ok(())
    }

    fn labels(&mut self) -> Result<Vec<LabelDecl>, ReadError> {
        let count = usize::from(self.cursor.u16()?);
        let mut labels = Vec::with_capacity(self.cursor.capacity(count, LABEL_BYTES));
        for number in 0..count {
            let name = self.string()?.replace(['.', '$'], "_");
            let at = self.cursor;
            let (name, kind) = match self.cursor.u8()? {
                0 => (name, LabelKind::Block),
                1 => (format!("{name}_{number}"), LabelKind::Subroutine),
                2 => (name, LabelKind::Kernel),
                n => return Err(value(&at, "the kind of a label", n.into(), "0 to 2")),
            };
            let attrs = self.cursor.u8()?.into();
            let attrs = self.attrs(attrs)?;
            labels.push(LabelDecl { name, kind, attrs });
        }
        Ok(labels)
    }

    fn inputs(&mut self, object: &mut Object) -> Result<(), ReadError> {
        let count = self.cursor.u32()? as usize;
        object
            .inputs
            .reserve(self.cursor.capacity(count, INPUT_BYTES));
        for _ in 0..count {
            let at = self.cursor;
            let kind = self.cursor.u8()?;
            let index = self.cursor.u32()?;
            let check = |what, count| {
                if (index as usize) < count {
                    Ok(index)
                } else {
                    Err(at.error(ReadErrorKind::Index { what, index, count }))
                }
            };
            let var = match kind & 7 {
                0 => InputVar::General(Var::from_u32(check(VARIABLE, object.vars.len())?)),
                1 => InputVar::Sampler(Sampler::from_u32(check(SAMPLER, object.samplers.len())?)),
                2 => InputVar::Surface(Surface::from_u32(check(SURFACE, object.surfaces.len())?)),
                n => return Err(value(&at, "the class of an input", n.into(), "0, 1 or 2")),
            };
            let (offset, size) = (self.cursor.u16()?, self.cursor.u16()?);
            object.inputs.push(Input {
                var,
                implicit: kind >> 3,
                offset,
                size,
            });
        }
        Ok(())
    }

    fn insts(&mut self, object: &mut Object, labels: &[LabelDecl]) -> Result<(), ReadError> {
        let start = self.cursor;
        while !self.cursor.at_end() {
            let number = object.insts.len();
            match self.inst(object, labels, Layout::Complete) {
                Ok(inst) => object.insts.push(inst),
                Err(mut e) => {
                    e.instruction = Some(number);
                    self.cursor = start;
                    return Err(self.left_out(object, labels).unwrap_or(e));
                }
            }
        }
        Ok(())
    }

    /// The error that the writer left out operands, if that is what is wrong with the code at the
    /// cursor: it must begin with instructions of [`Layout::Defective`], the last of them a return,
    /// and what follows, whatever it is, must have the size of all that was left out.
    fn left_out(&mut self, object: &Object, labels: &[LabelDecl]) -> Option<ReadError> {
        let mut first = None;
        let (mut least, mut most) = (0, 0);
        for number in 0.. {
            let inst = self.inst(object, labels, Layout::Defective).ok()?;
            let row = inst.op.row();
            if let (None, Some(missing)) = (&first, Layout::Defective.first_left_out(row)) {
                let mut error = self.cursor.error(ReadErrorKind::OperandsMissing {
                    mnemonic: row.mnemonic,
                    missing,
                });
                error.instruction = Some(number);
                first = Some(error);
            }
            let bytes = Layout::Defective.bytes_left_out(row);
            (least, most) = (least + bytes.0, most + bytes.1);
            let rest = least..=most;
            let ends = matches!(inst.op, Opcode::Ret | Opcode::FRet);
            if ends && rest.contains(&self.cursor.left()) {
                return first;
            }
            if self.cursor.left() < least {
                return None;
            }
        }
        None
    }
}

const VARIABLE: &str = "variable";
const SAMPLER: &str = "sampler";
const SURFACE: &str = "surface";

/// Entities of a map, for the types that the operands of instructions need.
fn entity<K: EntityRef, V>(
    at: &Cursor,
    what: &'static str,
    map: &PrimaryMap<K, V>,
    index: u32,
) -> Result<K, ReadError> {
    if (index as usize) < map.len() {
        Ok(K::new(index as usize))
    } else {
        Err(at.error(ReadErrorKind::Index {
            what,
            index,
            count: map.len(),
        }))
    }
}

/// An address variable by number.
fn addr(at: &Cursor, object: &Object, index: u32) -> Result<Addr, ReadError> {
    entity(at, "address variable", &object.addrs, index)
}

/// A predicate by number; 0 is none.
fn predicate(at: &Cursor, object: &Object, index: u32) -> Result<Predicate, ReadError> {
    if index == 0 {
        return Err(value(at, "the number of a predicate", 0, "1 or more"));
    }
    entity(at, "predicate", &object.predicates, index)
}
