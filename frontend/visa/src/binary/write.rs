//! Writer of binary vISA objects.
//!
//! Takes any module and gives its bytes in the module's version (the newest if only text has that version), or the
//! first thing that the version cannot express. [`super::read`] gives an equal module, if the module passes
//! [`crate::verify`] and has names and attributes in the reader's form: labels of subroutines end in `_` and a
//! number. A module that was read is the same after writing and reading, and so are the bytes.

use std::collections::{BTreeSet, HashMap};

use cranelift_entity::EntityRef;
use thiserror::Error;

use super::version::{Version, since};
use crate::attributes;
use crate::module::{
    Align, ArrayDecl, Attr, AttrValue, Global, InputVar, LabelDecl, LabelKind, Linkage, Module,
    NEWEST, OLDEST, Object, ObjectKind, Operand, Relocation, Type, predefined,
};
use crate::opcode::Field;

/// Part of a module that cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("object {object}{}: {kind}", at(.inst))]
pub struct WriteError {
    /// Number of the object in the module.
    pub object: usize,
    /// Number of the instruction, if the part is one.
    pub inst: Option<usize>,
    /// The data that the format has no place for.
    pub kind: WriteErrorKind,
}

/// Reason why it cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum WriteErrorKind {
    #[error("{what} is {found}, the format has room up to {most}")]
    TooLarge {
        what: &'static str,
        found: u64,
        most: u64,
    },
    #[error("objects of version {}.{} do not have {what}", .version.0, .version.1)]
    Version {
        what: &'static str,
        version: (u8, u8),
    },
}

fn at(inst: &Option<usize>) -> String {
    inst.map_or_else(String::new, |n| format!(", instruction {n}"))
}

/// Writes a module as a file.
pub fn write(module: &Module) -> Result<Vec<u8>, WriteError> {
    let version = module.version.clamp(OLDEST, NEWEST);
    let written = |(i, object)| match is_elsewhere(object) {
        true => Ok(None),
        false => Writer::new(version, i, object).object().map(Some),
    };
    let numbered = module.objects.iter().enumerate();
    let objects: Vec<Option<Written>> = numbered.map(written).collect::<Result<_, _>>()?;

    // The header contains offsets; its size does not depend on them.
    let size = header(module, version, &vec![Place::default(); objects.len()])?.len();
    let mut end = size;
    let mut places = Vec::with_capacity(objects.len());
    for written in &objects {
        let (bytes, inputs) = written
            .as_ref()
            .map_or((0, 0), |w| (w.bytes.len(), w.inputs));
        places.push(Place {
            start: if bytes == 0 { 0 } else { end },
            size: bytes,
            inputs: end + inputs,
        });
        end += bytes;
    }
    let mut out = header(module, version, &places)?;
    out.reserve_exact(end - size);
    for written in objects.into_iter().flatten() {
        out.extend(written.bytes);
    }
    Ok(out)
}

/// True if the file has no object for the function: it is extern and has nothing but a name.
fn is_elsewhere(object: &Object) -> bool {
    let kind = ObjectKind::Function {
        linkage: Linkage::Extern,
        arg_grfs: 0,
        ret_grfs: 0,
    };
    object.kind == kind && object.insts.is_empty() && {
        let mut bare = attributes::extern_function(Object::new(kind, object.name.clone()));
        bare.relocations.clone_from(&object.relocations);
        *object == bare
    }
}

/// Position of an object in the file.
#[derive(Clone, Default)]
struct Place {
    start: usize,
    size: usize,
    /// Offset of the count of its inputs.
    inputs: usize,
}

/// Writes everything before the objects.
fn header(module: &Module, version: Version, places: &[Place]) -> Result<Vec<u8>, WriteError> {
    let mut out = Bytes::new(version, 0);
    out.bytes.extend(b"CISA");
    out.bytes.extend([version.0, version.1]);
    let of = |kernels| {
        let objects = module.objects.iter().zip(places).enumerate();
        objects.filter(move |(_, (o, _))| (o.kind == ObjectKind::Kernel) == kernels)
    };
    out.u16("the count of kernels", of(true).count())?;
    for (i, (object, place)) in of(true) {
        out.object = i;
        out.name(&object.name)?;
        out.u32("the offset of the object", place.start)?;
        out.u32("the size of the object", place.size)?;
        out.u32("the offset of the inputs", place.inputs)?;
        out.relocations(&object.relocations.variables)?;
        out.relocations(&object.relocations.functions)?;
        // No native code.
        out.bytes.push(0);
    }
    out.u16("the count of globals", module.globals.len())?;
    for global in &module.globals {
        out.global(global)?;
    }
    out.u16("the count of functions", of(false).count())?;
    for (i, (object, place)) in of(false) {
        out.object = i;
        if let ObjectKind::Function { linkage, .. } = object.kind {
            out.bytes.push(linkage as u8);
        }
        out.name(&object.name)?;
        out.u32("the offset of the object", place.start)?;
        out.u32("the size of the object", place.size)?;
        out.relocations(&object.relocations.variables)?;
        out.relocations(&object.relocations.functions)?;
    }
    Ok(out.bytes)
}

fn type_and_align(ty: Type, align: Align) -> u8 {
    ty as u8 | (align as u8) << 4
}

/// Bytes of an object.
struct Written {
    bytes: Vec<u8>,
    /// Offset of the count of inputs.
    inputs: usize,
}

/// Bytes written so far, and the part of the module that they belong to.
pub(super) struct Bytes {
    pub version: Version,
    object: usize,
    pub inst: Option<usize>,
    pub bytes: Vec<u8>,
}

impl Bytes {
    fn new(version: Version, object: usize) -> Bytes {
        Bytes {
            version,
            object,
            inst: None,
            bytes: Vec::new(),
        }
    }

    fn error(&self, kind: WriteErrorKind) -> WriteError {
        WriteError {
            object: self.object,
            inst: self.inst,
            kind,
        }
    }

    pub fn check(&self, what: &'static str, found: usize, most: u64) -> Result<(), WriteError> {
        let found = found as u64;
        if found <= most {
            return Ok(());
        }
        Err(self.error(WriteErrorKind::TooLarge { what, found, most }))
    }

    /// Fails unless `holds`; `what` describes the thing that the version has no room for.
    pub fn has(&self, holds: bool, what: &'static str) -> Result<(), WriteError> {
        if holds {
            return Ok(());
        }
        let version = self.version;
        Err(self.error(WriteErrorKind::Version { what, version }))
    }

    pub fn u8(&mut self, what: &'static str, n: usize) -> Result<(), WriteError> {
        self.check(what, n, u8::MAX.into())?;
        self.bytes.push(n as u8);
        Ok(())
    }

    pub fn u16(&mut self, what: &'static str, n: usize) -> Result<(), WriteError> {
        self.check(what, n, u16::MAX.into())?;
        self.bytes.extend((n as u16).to_le_bytes());
        Ok(())
    }

    pub fn u32(&mut self, what: &'static str, n: usize) -> Result<(), WriteError> {
        self.check(what, n, u32::MAX.into())?;
        self.bytes.extend((n as u32).to_le_bytes());
        Ok(())
    }

    /// The number or count of a string or variable.
    pub fn number(&mut self, what: &'static str, n: usize) -> Result<(), WriteError> {
        if self.version >= since::WIDE_NUMBERS {
            self.u32(what, n)
        } else {
            self.u16(what, n)
        }
    }

    /// Writes a name of the header.
    fn name(&mut self, name: &str) -> Result<(), WriteError> {
        let what = "the length of the name";
        if self.version >= since::WIDE_NAME_LENGTH {
            self.u16(what, name.len())?;
        } else {
            self.u8(what, name.len())?;
        }
        self.bytes.extend(name.as_bytes());
        Ok(())
    }

    fn relocations(&mut self, table: &[Relocation]) -> Result<(), WriteError> {
        self.u16("the count of relocations", table.len())?;
        for entry in table {
            self.bytes.extend(entry.symbolic.to_le_bytes());
            self.bytes.extend(entry.resolved.to_le_bytes());
        }
        Ok(())
    }

    fn global(&mut self, global: &Global) -> Result<(), WriteError> {
        self.bytes.push(global.linkage as u8);
        self.name(&global.name)?;
        self.bytes.push(type_and_align(global.ty, global.align));
        self.u16("the count of elements", global.elements.into())?;
        self.u8("the count of attributes", global.attrs.len())?;
        for attr in &global.attrs {
            self.number("the index of a string", attr.name as usize)?;
            self.u8("the size of an attribute", attr.value.len())?;
            self.bytes.extend(&attr.value);
        }
        Ok(())
    }
}

/// Writes one object.
pub(super) struct Writer<'a> {
    pub object: &'a Object,
    pub out: Bytes,
    strings: HashMap<&'a str, u32>,
    pool: Vec<&'a str>,
    /// Position of each label in the table.
    pub labels: Vec<usize>,
}

impl<'a> Writer<'a> {
    fn new(version: Version, number: usize, object: &'a Object) -> Writer<'a> {
        Writer {
            object,
            out: Bytes::new(version, number),
            strings: HashMap::new(),
            pool: Vec::new(),
            labels: label_places(object),
        }
    }

    fn object(mut self) -> Result<Written, WriteError> {
        let object = self.object;
        self.string(&object.name)?;
        self.pool_functions();
        self.vars()?;
        self.out
            .u16("the count of address variables", object.addrs.len())?;
        self.arrays(object.addrs.values())?;
        let predicates = object.predicates.len().saturating_sub(1);
        self.out
            .check("the count of predicates", predicates, MAX_PREDICATE)?;
        self.out.u16("the count of predicates", predicates)?;
        self.arrays(object.predicates.values().skip(1))?;
        self.label_table()?;
        self.out
            .u8("the count of samplers", object.samplers.len())?;
        self.arrays(object.samplers.values())?;
        let surfaces = object.surfaces.values().skip(predefined::SURFACES.len());
        self.out.u8("the count of surfaces", surfaces.len())?;
        self.arrays(surfaces)?;
        // Count of variables for video motion estimation.
        self.out.u8("", 0)?;
        let inputs = self.out.bytes.len();
        if object.kind == ObjectKind::Kernel {
            self.inputs()?;
        }
        let size_at = self.out.bytes.len();
        self.out.bytes.extend([0; 8]);
        if let ObjectKind::Function {
            arg_grfs, ret_grfs, ..
        } = object.kind
        {
            self.out.bytes.extend([arg_grfs, ret_grfs]);
        }
        self.out
            .u16("the count of attributes", object.attrs.len())?;
        self.attrs(&object.attrs)?;
        let entry = self.out.bytes.len();
        for (i, inst) in object.insts.iter().enumerate() {
            self.out.inst = Some(i);
            self.inst(inst)?;
        }
        self.out.inst = None;

        // The pool comes first in the file but is complete only now.
        let mut pool = Bytes::new(self.out.version, self.out.object);
        pool.number("the count of strings", self.pool.len())?;
        for string in &self.pool {
            pool.bytes
                .extend(string.bytes().filter(|b| *b != 0).chain([0]));
        }
        let (pool, mut bytes) = (pool.bytes, self.out.bytes);
        let size = (bytes.len() - entry) as u32;
        bytes[size_at..size_at + 4].copy_from_slice(&size.to_le_bytes());
        let entry = (pool.len() + entry) as u32;
        bytes[size_at + 4..size_at + 8].copy_from_slice(&entry.to_le_bytes());
        let inputs = pool.len() + inputs;
        Ok(Written {
            bytes: [pool, bytes].concat(),
            inputs,
        })
    }

    pub fn index(&mut self, string: &'a str) -> usize {
        let next = self.pool.len() as u32;
        let index = *self.strings.entry(string).or_insert(next);
        if index == next {
            self.pool.push(string);
        }
        index as usize
    }

    /// Adds the names of functions to the pool before others, because their indices have two bytes.
    fn pool_functions(&mut self) {
        for inst in self
            .object
            .insts
            .iter()
            .filter(|i| i.op.row().fields.contains(&Field::Name))
        {
            for operand in &inst.operands {
                if let Operand::Name(name) = operand {
                    self.index(name);
                }
            }
        }
    }

    pub fn string(&mut self, string: &'a str) -> Result<(), WriteError> {
        let index = self.index(string);
        self.out.number("the index of a string", index)
    }

    fn attrs(&mut self, attrs: &'a [Attr]) -> Result<(), WriteError> {
        for attr in attrs {
            self.string(&attr.name)?;
            let int;
            let value = match &attr.value {
                AttrValue::Flag => &[],
                AttrValue::Str(s) => s.as_bytes(),
                AttrValue::Int(n) => {
                    int = n.to_le_bytes();
                    &int[..int_bytes(*n)]
                }
            };
            self.out.u8("the size of an attribute", value.len())?;
            self.out.bytes.extend(value);
        }
        Ok(())
    }

    fn vars(&mut self) -> Result<(), WriteError> {
        let vars = self.object.vars.values().skip(predefined::VAR_COUNT);
        self.out.number("the count of variables", vars.len())?;
        for var in vars {
            self.string(&var.name)?;
            self.out.bytes.push(type_and_align(var.ty, var.align));
            self.out.u16("the count of elements", var.elements.into())?;
            let (base, offset) = var.alias.map_or((0, 0), |(base, at)| (base.index(), at));
            self.out.number("the number of a variable", base)?;
            self.out.u16("the offset of an alias", offset.into())?;
            // Scope of an alias: this object.
            self.out.bytes.push(0);
            self.out.u8("the count of attributes", var.attrs.len())?;
            self.attrs(&var.attrs)?;
        }
        Ok(())
    }

    fn arrays(&mut self, arrays: impl Iterator<Item = &'a ArrayDecl>) -> Result<(), WriteError> {
        for array in arrays {
            self.string(&array.name)?;
            self.out
                .u16("the count of elements", array.elements.into())?;
            self.out.u8("the count of attributes", array.attrs.len())?;
            self.attrs(&array.attrs)?;
        }
        Ok(())
    }

    fn label_table(&mut self) -> Result<(), WriteError> {
        let count = self.labels.iter().max().map_or(0, |last| last + 1);
        self.out.u16("the count of labels", count)?;
        let mut table = vec![None; count];
        for (label, decl) in &self.object.labels {
            table[self.labels[label.index()]] = Some(decl);
        }
        for decl in table {
            self.string(decl.map_or("", name_in_table))?;
            self.out
                .bytes
                .push(decl.map_or(LabelKind::Block, |decl| decl.kind) as u8);
            let attrs = decl.map_or(&[][..], |decl| &decl.attrs);
            self.out.u8("the count of attributes", attrs.len())?;
            self.attrs(attrs)?;
        }
        Ok(())
    }

    fn inputs(&mut self) -> Result<(), WriteError> {
        let (what, count) = ("the count of inputs", self.object.inputs.len());
        if self.out.version >= since::WIDE_INPUT_COUNT {
            self.out.u32(what, count)?;
        } else {
            self.out.u8(what, count)?;
        }
        for input in &self.object.inputs {
            let (class, index) = match input.var {
                InputVar::General(var) => (0, var.index()),
                InputVar::Sampler(sampler) => (1, sampler.index()),
                InputVar::Surface(surface) => (2, surface.index()),
            };
            self.out
                .check("the provenance of an input", input.implicit.into(), 31)?;
            self.out.bytes.push(class | input.implicit << 3);
            self.out.number("the number of a variable", index)?;
            self.out
                .u16("the offset of an input", input.offset.into())?;
            self.out.u16("the size of an input", input.size.into())?;
        }
        Ok(())
    }
}

/// Maximum number of a predicate.
pub(super) const MAX_PREDICATE: u64 = 0xfff;

/// Minimum size in bytes of an attribute's number.
fn int_bytes(n: i64) -> usize {
    if i8::try_from(n).is_ok() {
        1
    } else if i16::try_from(n).is_ok() {
        2
    } else {
        4
    }
}

/// Name of a subroutine's label, split into the name in the file and the number appended to it.
fn numbered(decl: &LabelDecl) -> Option<(&str, u16)> {
    let (name, number) = decl.name.rsplit_once('_')?;
    let place = number.parse().ok()?;
    (decl.kind == LabelKind::Subroutine).then_some((name, place))
}

fn name_in_table(decl: &LabelDecl) -> &str {
    numbered(decl).map_or(&decl.name, |(name, _)| name)
}

/// Position of each label in the table. The reader appends a subroutine's position to its name, so `main_3` is
/// `main` at position 3; other labels fill the gaps.
fn label_places(object: &Object) -> Vec<usize> {
    let mut places = vec![None; object.labels.len()];
    let mut taken = BTreeSet::new();
    for (label, decl) in &object.labels {
        let place = numbered(decl).map(|(_, place)| usize::from(place));
        places[label.index()] = place.filter(|place| taken.insert(*place));
    }
    let mut free = (0..).filter(|place| !taken.contains(place));
    places
        .into_iter()
        .map(|place| place.or_else(|| free.next()).unwrap_or(0))
        .collect()
}
