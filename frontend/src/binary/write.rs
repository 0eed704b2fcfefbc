//! Writer of binary vISA objects, of version 4.1.
//!
//! Takes any module and gives the bytes, or says which number is too large for the format. What
//! [`super::read`] makes of them is an equal module, if the module passes [`crate::verify`], is of
//! version 4.1, its globals have no attributes, and its names are what the reader makes of names: subroutines'
//! labels end in `_` and a number, the attributes are those of `crate::attributes`.

use std::collections::{BTreeSet, HashMap};

use cranelift_entity::EntityRef;
use thiserror::Error;

use crate::module::{
    Align, ArrayDecl, Attr, AttrValue, Combine, Exec, InputVar, Inst, LabelDecl, LabelKind,
    Modifier, Module, Object, ObjectKind, Operand, PredUse, Region, StateVar, Type, predefined,
};
use crate::opcode::{Field, Width};

use super::inst::{GRF, class};

/// What the format has no room for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("object {object}{}: {what} is {found}, the format has room up to {most}", at(.inst))]
pub struct WriteError {
    /// The number of the object in the module.
    pub object: usize,
    /// The number of the instruction, if it is one.
    pub inst: Option<usize>,
    pub what: &'static str,
    pub found: u64,
    pub most: u64,
}

fn at(inst: &Option<usize>) -> String {
    inst.map_or_else(String::new, |n| format!(", instruction {n}"))
}

/// The version written.
const VERSION: [u8; 2] = [4, 1];

/// The module as a file.
pub fn write(module: &Module) -> Result<Vec<u8>, WriteError> {
    let objects = module.objects.iter().enumerate();
    let objects: Vec<Written> = objects
        .map(|(i, object)| Writer::new(i, object).object())
        .collect::<Result<_, _>>()?;
    let is_kernel = |o: &Object| o.kind == ObjectKind::Kernel;
    let kernels = module.objects.iter().filter(|o| is_kernel(o)).count();
    let functions = module.objects.len() - kernels;
    let names: usize = module.objects.iter().map(|o| o.name.len()).sum();
    let globals = globals(module)?;
    let infos = kernels * KERNEL_INFO + functions * FUNCTION_INFO;
    let header = FILE_HEADER + infos + names + globals.len();

    let mut out = Bytes {
        object: 0,
        inst: None,
        bytes: b"CISA".to_vec(),
    };
    out.bytes.extend(VERSION);
    out.u16("the count of kernels", kernels)?;
    // Offsets of the objects, which follow the header in the module's order.
    let mut offset = header;
    let mut infos: Vec<(usize, usize)> = Vec::with_capacity(objects.len());
    for written in &objects {
        infos.push((offset, offset + written.inputs));
        offset += written.bytes.len();
    }
    for wanted in [true, false] {
        if !wanted {
            out.u16("the count of globals", module.globals.len())?;
            out.bytes.extend(&globals);
            out.u16("the count of functions", functions)?;
        }
        let numbered = module.objects.iter().enumerate();
        for (i, object) in numbered.filter(|(_, object)| is_kernel(object) == wanted) {
            out.object = i;
            if let ObjectKind::Function { linkage, .. } = object.kind {
                out.bytes.push(linkage as u8);
            }
            out.u16("the length of the name", object.name.len())?;
            out.bytes.extend(object.name.as_bytes());
            out.u32("the offset of the object", infos[i].0)?;
            out.u32("the size of the object", objects[i].bytes.len())?;
            if wanted {
                out.u32("the offset of the inputs", infos[i].1)?;
            }
            // No relocations of variables and functions; no native code.
            out.bytes.extend([0; 4]);
            out.bytes.extend(wanted.then_some(0));
        }
    }
    for written in objects {
        out.bytes.extend(written.bytes);
    }
    Ok(out.bytes)
}

/// The entries of the file-scope variables.
fn globals(module: &Module) -> Result<Vec<u8>, WriteError> {
    let mut out = Bytes {
        object: 0,
        inst: None,
        bytes: Vec::new(),
    };
    for global in &module.globals {
        out.bytes.push(global.linkage as u8);
        out.u16("the length of the name", global.name.len())?;
        out.bytes.extend(global.name.as_bytes());
        out.bytes.push(type_and_align(global.ty, global.align));
        out.u16("the count of elements", global.elements.into())?;
        // Their attributes have names in no string pool.
        out.check("the count of a global's attributes", global.attrs.len(), 0)?;
        out.bytes.push(0);
    }
    Ok(out.bytes)
}

fn type_and_align(ty: Type, align: Align) -> u8 {
    ty as u8 | (align as u8) << 4
}

/// Bytes of the header's parts, names apart.
const FILE_HEADER: usize = 4 + 2 + 2 + 2 + 2;
const KERNEL_INFO: usize = 2 + 4 + 4 + 4 + 4 + 1;
const FUNCTION_INFO: usize = 1 + 2 + 4 + 4 + 4;

/// An object in the format.
struct Written {
    bytes: Vec<u8>,
    /// Where the count of inputs is.
    inputs: usize,
}

/// The bytes so far, and what they are of.
struct Bytes {
    object: usize,
    inst: Option<usize>,
    bytes: Vec<u8>,
}

impl Bytes {
    fn check(&self, what: &'static str, found: usize, most: u64) -> Result<(), WriteError> {
        let found = found as u64;
        if found <= most {
            return Ok(());
        }
        Err(WriteError {
            object: self.object,
            inst: self.inst,
            what,
            found,
            most,
        })
    }

    fn u8(&mut self, what: &'static str, n: usize) -> Result<(), WriteError> {
        self.check(what, n, u8::MAX.into())?;
        self.bytes.push(n as u8);
        Ok(())
    }

    fn u16(&mut self, what: &'static str, n: usize) -> Result<(), WriteError> {
        self.check(what, n, u16::MAX.into())?;
        self.bytes.extend((n as u16).to_le_bytes());
        Ok(())
    }

    fn u32(&mut self, what: &'static str, n: usize) -> Result<(), WriteError> {
        self.check(what, n, u32::MAX.into())?;
        self.bytes.extend((n as u32).to_le_bytes());
        Ok(())
    }
}

/// Writes one object.
struct Writer<'a> {
    object: &'a Object,
    out: Bytes,
    strings: HashMap<&'a str, u32>,
    pool: Vec<&'a str>,
    /// The place of each label in the table.
    labels: Vec<usize>,
}

impl<'a> Writer<'a> {
    fn new(number: usize, object: &'a Object) -> Writer<'a> {
        Writer {
            object,
            out: Bytes {
                object: number,
                inst: None,
                bytes: Vec::new(),
            },
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
        // No variables of video motion estimation.
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

        // The pool stands first, and is known last.
        let mut pool = Bytes {
            object: self.out.object,
            inst: None,
            bytes: Vec::new(),
        };
        pool.u32("the count of strings", self.pool.len())?;
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

    fn index(&mut self, string: &'a str) -> usize {
        let next = self.pool.len() as u32;
        let index = *self.strings.entry(string).or_insert(next);
        if index == next {
            self.pool.push(string);
        }
        index as usize
    }

    /// Puts the names of functions into the pool before others: their indices have two bytes.
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

    fn string(&mut self, string: &'a str) -> Result<(), WriteError> {
        let index = self.index(string);
        self.out.u32("the index of a string", index)
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
        self.out.u32("the count of variables", vars.len())?;
        for var in vars {
            self.string(&var.name)?;
            self.out.bytes.push(type_and_align(var.ty, var.align));
            self.out.u16("the count of elements", var.elements.into())?;
            let (base, offset) = var.alias.map_or((0, 0), |(base, at)| (base.index(), at));
            self.out.u32("the number of a variable", base)?;
            self.out.u16("the offset of an alias", offset.into())?;
            // Of this object, not of the file.
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
        self.out
            .u32("the count of inputs", self.object.inputs.len())?;
        for input in &self.object.inputs {
            let (class, index) = match input.var {
                InputVar::General(var) => (0, var.index()),
                InputVar::Sampler(sampler) => (1, sampler.index()),
                InputVar::Surface(surface) => (2, surface.index()),
            };
            self.out
                .check("the provenance of an input", input.implicit.into(), 31)?;
            self.out.bytes.push(class | input.implicit << 3);
            self.out.u32("the number of a variable", index)?;
            self.out
                .u16("the offset of an input", input.offset.into())?;
            self.out.u16("the size of an input", input.size.into())?;
        }
        Ok(())
    }

    fn inst(&mut self, inst: &'a Inst) -> Result<(), WriteError> {
        let row = inst.op.row();
        self.out.bytes.push(row.number);
        if let [sub] = row.subs {
            self.out.bytes.push(*sub);
        }
        let list = inst.operands.len().saturating_sub(row.operand_count());
        let flags = inst.operands.iter().find_map(|operand| match operand {
            Operand::Field(n) => Some(*n),
            _ => None,
        });
        let mut operands = inst.operands.iter();
        for field in row.fields {
            match field {
                Field::Exec => self.exec(inst.exec)?,
                Field::GatherExec => self.gather_exec(inst.exec)?,
                Field::Pred => {
                    let bits = match inst.pred {
                        Some(pred) => self.pred(pred)?,
                        None => 0,
                    };
                    self.out.u16("", bits.into())?;
                }
                Field::Count => self.out.u8("the length of a list", list)?,
                field if field.is_list() => {
                    for operand in operands.by_ref() {
                        self.operand(*field, operand)?;
                    }
                }
                field if field.is_absent(flags.unwrap_or(0)) => {}
                field => {
                    if let Some(operand) = operands.next() {
                        self.operand(*field, operand)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn exec(&mut self, exec: Exec) -> Result<(), WriteError> {
        self.out
            .bytes
            .push(exec.size.trailing_zeros() as u8 | mask(exec));
        Ok(())
    }

    fn gather_exec(&mut self, exec: Exec) -> Result<(), WriteError> {
        let size = match exec.size {
            16 => 1,
            1 => 2,
            _ => 0,
        };
        self.out.bytes.push(size | mask(exec));
        Ok(())
    }

    fn pred(&mut self, pred: PredUse) -> Result<u16, WriteError> {
        self.out.check(
            "the number of a predicate",
            pred.pred.index(),
            MAX_PREDICATE,
        )?;
        let control = match pred.combine {
            Combine::None => 0,
            Combine::Any => 1,
            Combine::All => 2,
        };
        Ok(pred.pred.index() as u16 | control << 13 | u16::from(pred.inverse) << 15)
    }

    fn operand(&mut self, field: Field, operand: &'a Operand) -> Result<(), WriteError> {
        match operand {
            Operand::General {
                var,
                row,
                col,
                region,
                modifier,
            } => {
                self.tag(class::GENERAL, *modifier);
                self.out.u32("the number of a variable", var.index())?;
                self.out.bytes.extend([*row, *col]);
                self.region(*region, matches!(field, Field::Dst(_)));
                Ok(())
            }
            Operand::Indirect {
                addr,
                off,
                imm,
                ty,
                region,
                modifier,
            } => {
                self.tag(class::INDIRECT, *modifier);
                self.out
                    .u16("the number of an address variable", addr.index())?;
                self.out.bytes.push(*off);
                self.out.bytes.extend(imm.to_le_bytes());
                self.out.bytes.push(*ty as u8);
                self.region(*region, matches!(field, Field::Dst(_)));
                Ok(())
            }
            Operand::Address { addr, off, width } => {
                self.tag(class::ADDRESS, Modifier::None);
                self.out
                    .u16("the number of an address variable", addr.index())?;
                self.out.bytes.extend([*off, width.trailing_zeros() as u8]);
                Ok(())
            }
            Operand::AddressOf { var, offset } => {
                let element = self.object.vars[*var].ty.bytes() as u16;
                self.tag(class::GENERAL, Modifier::None);
                self.out.u32("the number of a variable", var.index())?;
                self.out
                    .u8("the row of an address", (offset / GRF).into())?;
                self.out
                    .u8("the column of an address", (offset % GRF / element).into())?;
                self.region(
                    Region {
                        v: Some(0),
                        w: 1,
                        h: 0,
                    },
                    false,
                );
                Ok(())
            }
            Operand::Predicate(pred) => {
                let bits = self.pred(*pred)?;
                self.tag(class::PREDICATE, Modifier::None);
                self.out.u16("", bits.into())
            }
            Operand::Imm { ty, bits } => {
                self.tag(class::IMMEDIATE, Modifier::None);
                self.out.bytes.push(*ty as u8);
                let bytes = bits.to_le_bytes();
                let wide = matches!(ty, Type::Df | Type::Q | Type::Uq);
                self.out.bytes.extend(&bytes[..if wide { 8 } else { 4 }]);
                Ok(())
            }
            Operand::State { of, off } => {
                let (kind, index) = match of {
                    StateVar::Surface(surface) => (0, surface.index()),
                    StateVar::Sampler(sampler) => (1, sampler.index()),
                };
                self.tag(class::STATE, Modifier::None);
                self.out.bytes.push(kind);
                self.out.u16("the number of a state variable", index)?;
                self.out.bytes.push(*off);
                Ok(())
            }
            Operand::Raw { var, offset } => {
                self.out.u32("the number of a variable", var.index())?;
                self.out
                    .u16("the offset of a raw operand", (*offset).into())
            }
            Operand::Surface(surface) => self.out.u8("the number of a surface", surface.index()),
            Operand::Sampler(sampler) => self.out.u8("the number of a sampler", sampler.index()),
            Operand::Label(label) => {
                let place = self.labels.get(label.index()).copied().unwrap_or(0);
                self.out.u16("the number of a label", place)
            }
            Operand::Field(n) => match field {
                Field::Number(Width::Byte, _) => self.out.u8("a number", *n as usize),
                Field::Number(Width::Dword, _) => self.out.u32("a number", *n as usize),
                Field::Number(Width::Nothing, _) => {
                    self.out.check("a number of newer text", *n as usize, 0)
                }
                _ => self.out.u16("a number", *n as usize),
            },
            Operand::Name(name) if field == Field::FileName => self.string(name),
            Operand::Name(name) => {
                let index = self.index(name);
                self.out.u16("the index of a function's name", index)
            }
        }
    }

    fn tag(&mut self, class: u8, modifier: Modifier) {
        self.out.bytes.push(class | (modifier as u8) << 3);
    }

    fn region(&mut self, region: Region, is_dst: bool) {
        let Region { v, w, h } = region;
        let (v, w) = if is_dst {
            (0, 0)
        } else {
            (v.map_or(0, stride), stride(w))
        };
        self.out
            .bytes
            .extend((v | w << 4 | stride(h) << 8).to_le_bytes());
    }
}

/// The greatest number of a predicate.
const MAX_PREDICATE: u64 = 0xfff;

fn mask(exec: Exec) -> u8 {
    (exec.offset / 4) << 4 | u8::from(exec.no_mask) << 7
}

fn stride(n: u8) -> u16 {
    match n {
        0 => 1,
        n => n.trailing_zeros() as u16 + 2,
    }
}

/// The least size that has room for an attribute's number.
fn int_bytes(n: i64) -> usize {
    if i8::try_from(n).is_ok() {
        1
    } else if i16::try_from(n).is_ok() {
        2
    } else {
        4
    }
}

/// The name of a subroutine's label and the number behind it.
fn numbered(decl: &LabelDecl) -> Option<(&str, u16)> {
    let (name, number) = decl.name.rsplit_once('_')?;
    let place = number.parse().ok()?;
    (decl.kind == LabelKind::Subroutine).then_some((name, place))
}

fn name_in_table(decl: &LabelDecl) -> &str {
    numbered(decl).map_or(&decl.name, |(name, _)| name)
}

/// The place of each label in the table. The reader puts a subroutine's place behind its name, so
/// `main_3` stands in place 3 as `main`; the others fill the gaps.
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
