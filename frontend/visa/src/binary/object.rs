//! An object of a binary: tables of declarations, then instructions.

use cranelift_entity::{EntityRef, PrimaryMap};
use smol_str::format_smolstr;

use super::defective::Layout;
use super::pool::Pool;
use super::version::{Version, since};
use super::{Cursor, ReadError, ReadErrorKind, value};
use crate::attributes;
use crate::labels;
use crate::module::{
    Addr, Align, ArrayDecl, Attr, Input, InputVar, LabelDecl, LabelKind, Name, Object, ObjectKind,
    Predicate, Sampler, Surface, Type, Var, VarDecl, is_name, predefined,
};

/// Minimum size in bytes of an entry of each table in any version; bounds the capacity reserved.
const VAR_BYTES: usize = 11;
const ARRAY_BYTES: usize = 5;
const LABEL_BYTES: usize = 4;
const INPUT_BYTES: usize = 7;
/// Typical size in bytes of a short instruction; a move of a variable has 22.
const INST_BYTES: usize = 20;

/// Maximum total size of the names of subroutines, in multiples of the object's size. Each name has a number
/// appended, so strings of the pool cannot be shared.
const MAX_SUBROUTINE_NAMES: usize = 4;

/// Reads one object.
pub(super) struct Reader<'a> {
    pub cursor: Cursor<'a>,
    pub version: Version,
    pub pool: Pool<'a>,
    start: usize,
}

impl<'a> Reader<'a> {
    /// Reader of the object that fills `cursor`.
    pub fn new(mut cursor: Cursor<'a>, version: Version) -> Result<Reader<'a>, ReadError> {
        let start = cursor.pos();
        let pool = Pool::read(&mut cursor, version)?;
        Ok(Reader {
            cursor,
            version,
            pool,
            start,
        })
    }

    /// Reads the rest of an object whose kind and name came from the header.
    pub fn object(mut self, mut object: Object) -> Result<Object, ReadError> {
        let at = self.cursor;
        let name = self.number()?;
        self.pool.string(&at, name)?;
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
        let code = self.start as u64 + u64::from(entry);
        self.cursor = at.part("the code of an object", code, size.into())?;
        let labelled = self.insts(&mut object, &labels)?;
        let errors = labels::number_all(&mut object, labels, &labelled);
        match errors.into_iter().next() {
            None => Ok(object),
            Some(e) => Err(ReadError {
                offset: object.insts[e.inst()].place.pos as usize,
                instruction: Some(e.inst()),
                kind: e.into(),
            }),
        }
    }

    /// The number or count of a string or variable.
    pub fn number(&mut self) -> Result<u32, ReadError> {
        self.cursor.number(self.version)
    }

    fn name(&mut self) -> Result<Name, ReadError> {
        let at = self.cursor;
        let index = self.number()?;
        self.pool.name(&at, index)
    }

    fn attrs(&mut self, count: usize) -> Result<Vec<Attr>, ReadError> {
        let mut attrs = Vec::new();
        for _ in 0..count {
            let at = self.cursor;
            let name = self.name()?;
            if !is_name(&name) {
                return Err(at.error(ReadErrorKind::AttributeName(name.to_string())));
            }
            let len = self.cursor.u8()?.into();
            let bytes = self.cursor.take(len)?;
            attrs.extend(attributes::from_bytes(name, bytes));
        }
        Ok(attrs)
    }

    fn vars(&mut self, object: &mut Object) -> Result<(), ReadError> {
        let count = self.number()? as usize;
        object.vars.reserve(self.cursor.capacity(count, VAR_BYTES));
        for _ in 0..count {
            let name = self.name()?;
            let (ty, align) = type_and_align(&mut self.cursor)?;
            let elements = self.cursor.u16()?;
            let at = self.cursor;
            let (base, offset) = (self.number()?, self.cursor.u16()?);
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

    /// Address, predicate, sampler or surface variables. With `letter` they are named by it and their number,
    /// otherwise by their name in the file.
    fn arrays<K: EntityRef>(
        &mut self,
        count: usize,
        into: &mut PrimaryMap<K, ArrayDecl>,
        letter: Option<&str>,
    ) -> Result<(), ReadError> {
        into.reserve(self.cursor.capacity(count, ARRAY_BYTES));
        for _ in 0..count {
            let name = self.name()?;
            let name = match letter {
                Some(letter) => format_smolstr!("{letter}{}", into.len()),
                None => name,
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
        let mut found = 0;
        let most = MAX_SUBROUTINE_NAMES * (self.cursor.end() - self.start);
        for number in 0..count {
            let at = self.cursor;
            let index = self.number()?;
            let name = self.pool.label(&at, index)?;
            let (name, kind) = match self.cursor.u8()? {
                0 => (name, LabelKind::Block),
                1 => {
                    found += name.len();
                    if found > most {
                        return Err(at.error(ReadErrorKind::Names { found, most }));
                    }
                    (format_smolstr!("{name}_{number}"), LabelKind::Subroutine)
                }
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
        let count = if self.version >= since::WIDE_INPUT_COUNT {
            self.cursor.u32()? as usize
        } else {
            self.cursor.u8()?.into()
        };
        object
            .inputs
            .reserve(self.cursor.capacity(count, INPUT_BYTES));
        for _ in 0..count {
            let at = self.cursor;
            let kind = self.cursor.u8()?;
            let index = self.number()?;
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

    /// Reads the instructions up to the end. Returns the numbers of those with a label.
    fn insts(
        &mut self,
        object: &mut Object,
        labels: &[LabelDecl],
    ) -> Result<Vec<usize>, ReadError> {
        let start = self.cursor;
        object.insts.reserve(start.left() / INST_BYTES);
        let mut labelled = Vec::new();
        while !self.cursor.at_end() {
            let number = object.insts.len();
            match self.inst(object, labels, Layout::Complete) {
                Ok(mut inst) => {
                    inst.origin = number as u32;
                    if labels::has_label(&inst) {
                        labelled.push(number);
                    }
                    object.insts.push(inst);
                }
                Err(mut e) => {
                    e.instruction = Some(number);
                    self.cursor = start;
                    return Err(self.left_out(object, labels).unwrap_or(e));
                }
            }
        }
        Ok(labelled)
    }
}

pub(super) fn type_and_align(cursor: &mut Cursor) -> Result<(Type, Align), ReadError> {
    let at = *cursor;
    let bits = cursor.u8()?;
    let ty = Type::from_number(bits & 0xf)
        .ok_or_else(|| value(&at, "a type", (bits & 0xf).into(), "0 to 15"))?;
    let align = Align::from_number(bits >> 4)
        .ok_or_else(|| value(&at, "an alignment", (bits >> 4).into(), "0 to 9"))?;
    Ok((ty, align))
}

pub(super) const VARIABLE: &str = "variable";
pub(super) const SAMPLER: &str = "sampler";
pub(super) const SURFACE: &str = "surface";

/// Entity with this number in a map.
pub(super) fn entity<K: EntityRef, V>(
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

/// Address variable with this number.
pub(super) fn addr(at: &Cursor, object: &Object, index: u32) -> Result<Addr, ReadError> {
    entity(at, "address variable", &object.addrs, index)
}

/// Predicate with this number, which must not be 0.
pub(super) fn predicate(at: &Cursor, object: &Object, index: u32) -> Result<Predicate, ReadError> {
    if index == 0 {
        return Err(value(at, "the number of a predicate", 0, "1 or more"));
    }
    entity(at, "predicate", &object.predicates, index)
}
