//! Instructions of a binary object, read by a walk over the fields of the opcode's row.

use cranelift_entity::EntityRef;
use smallvec::SmallVec;

use super::defective::Layout;
use super::object::{SAMPLER, SURFACE, VARIABLE, addr, entity, predicate};
use super::version::{OlderOperand, Part, Parts, since};
use super::{Cursor, ReadError, ReadErrorKind, Reader, value};
use crate::module::{
    Combine, Exec, Inst, Label, LabelDecl, Modifier, Object, Operand, Place, PredUse, Region,
    Sampler, StateVar, Type, Var, predefined,
};
use crate::opcode::{Field, Opcode, Row, Width};

/// Classes of vector operands: bits 0-2 of the tag.
pub(super) mod class {
    pub const GENERAL: u8 = 0;
    pub const ADDRESS: u8 = 1;
    pub const PREDICATE: u8 = 2;
    pub const INDIRECT: u8 = 3;
    pub const IMMEDIATE: u8 = 5;
    pub const STATE: u8 = 6;
}

/// Execution mask of version 3.0 that means M1.
const DEFAULT_MASK: u8 = 9;

/// Source that older versions lack.
pub(super) const ZERO: Operand = Operand::Imm {
    ty: Type::Uw,
    bits: 0,
};
/// Raw source that older versions lack.
pub(super) const NULL: Operand = Operand::Raw {
    var: Var::NULL,
    offset: 0,
};

/// Upper bound on the number of parameters of a sampler message.
const MAX_PARAMETERS: usize = 16;

impl Reader<'_> {
    pub(super) fn inst(
        &mut self,
        object: &Object,
        labels: &[LabelDecl],
        layout: Layout,
    ) -> Result<Inst, ReadError> {
        let place = Place {
            pos: self.cursor.pos() as u32,
            column: 0,
        };
        let mut row = self.row()?;
        if row.opcode == Opcode::LscBlock2d && !self.has_fields(row, object) {
            row = Opcode::LscBlock2dPayload.row();
        }
        let operands = SmallVec::new();
        let mut inst = Inst {
            op: row.opcode,
            exec: Exec::NONE,
            pred: None,
            operands,
            place,
            origin: Inst::UNNUMBERED,
        };
        // The length of a list depends on `count`, the presence of an operand on `flags`.
        let mut count = 0;
        let mut flags = None;
        let left_out = layout.left_out(row);
        let is_list = row.fields.last().is_some_and(|field| field.is_list());
        let parts = Parts::of(row.opcode, self.version);
        let kept = parts.len() - if is_list { 0 } else { left_out };
        for i in 0..kept {
            let at = self.cursor;
            let field = match parts.get(i) {
                Part::Now(field) => field,
                Part::Exec8 => {
                    inst.exec = self.exec8()?;
                    continue;
                }
                Part::Older(operand) => {
                    inst.operands.push(self.older(operand)?);
                    continue;
                }
            };
            let operand = match field {
                Field::Exec => {
                    inst.exec = self.exec()?;
                    continue;
                }
                Field::GatherExec => {
                    inst.exec = self.gather_exec()?;
                    continue;
                }
                Field::Pred => {
                    inst.pred = self.pred(object)?;
                    continue;
                }
                Field::Count => {
                    count = usize::from(self.cursor.u8()?);
                    if layout == Layout::Defective {
                        // A list of one element is missing together with its length.
                        let rest = count.checked_sub(left_out);
                        let raws = row.fields.last() == Some(&Field::RawSrcs);
                        let rest = rest.filter(|n| {
                            !raws || (*n < MAX_PARAMETERS && self.are_raws(object, *n))
                        });
                        count = rest.unwrap_or(0);
                        self.cursor = if rest.is_some() { self.cursor } else { at };
                    }
                    continue;
                }
                Field::Labels => {
                    for _ in 0..count {
                        inst.operands.push(self.label(labels)?);
                    }
                    continue;
                }
                Field::RawSrcs => {
                    for _ in 0..count {
                        inst.operands.push(self.raw(object)?);
                    }
                    continue;
                }
                field if field.is_absent(flags.unwrap_or(0)) => continue,
                Field::Dst(_) => self.vector(object, true)?,
                Field::Src(_) | Field::SrcBlock | Field::SrcIf(_) => self.vector(object, false)?,
                Field::SrcAddress => address_of(object, self.vector(object, false)?),
                Field::RawDst | Field::RawSrc | Field::RawSrcIf(_) => self.raw(object)?,
                Field::Surface => {
                    let index = self.cursor.u8()?.into();
                    Operand::Surface(entity(&at, SURFACE, &object.surfaces, index)?)
                }
                Field::Sampler => {
                    let index = self.cursor.u8()?.into();
                    Operand::Sampler(sampler(&at, object, index)?)
                }
                Field::Label => self.label(labels)?,
                Field::Name => {
                    let index = self.cursor.u16()?.into();
                    Operand::Name(Box::new(self.pool.name(&at, index)?))
                }
                Field::FileName => {
                    let index = self.cursor.u32()?;
                    Operand::Name(Box::new(self.pool.name(&at, index)?))
                }
                Field::Number(width, meaning) => {
                    let number = meaning.defined(match width {
                        Width::Byte => self.cursor.u8()?.into(),
                        Width::Word => self.cursor.u16()?.into(),
                        Width::Dword => self.cursor.u32()?,
                        Width::Nothing => 0,
                        Width::SamplerOp if self.version >= since::WIDE_SAMPLER_OP => {
                            self.cursor.u16()?.into()
                        }
                        Width::SamplerOp => widen_sampler_op(self.cursor.u8()?),
                    });
                    flags.get_or_insert(number);
                    Operand::Field(number)
                }
            };
            inst.operands.push(operand);
        }
        Ok(inst)
    }

    /// True if the next bytes are operands of this row, none of whose vector operands is `%null`. The format has
    /// nothing that tells a two-dimensional block with an address in a variable from one with the parts of an address;
    /// its offsets and data, read as such parts, are `%null`, out of range or no operand.
    fn has_fields(&mut self, row: &Row, object: &Object) -> bool {
        let before = self.cursor;
        let all = row.fields.iter().all(|field| match field {
            Field::Exec => self.exec().is_ok(),
            Field::Pred => self.pred(object).is_ok(),
            Field::Src(_) => match self.vector(object, false) {
                Ok(Operand::General { var, .. }) => var != Var::NULL,
                operand => operand.is_ok(),
            },
            Field::Number(Width::Byte, _) => self.cursor.u8().is_ok(),
            Field::Number(Width::Word, _) => self.cursor.u16().is_ok(),
            Field::Number(..) => self.cursor.u32().is_ok(),
            _ => self.raw(object).is_ok(),
        });
        self.cursor = before;
        all
    }

    fn older(&mut self, operand: OlderOperand) -> Result<Operand, ReadError> {
        Ok(match operand {
            OlderOperand::Zero => ZERO,
            OlderOperand::Null => NULL,
            OlderOperand::Immediate => Operand::imm(Type::Uw, self.cursor.u16()?.into()),
            OlderOperand::OtherChannels => Operand::Field(u32::from(!self.cursor.u8()? & 0xf)),
        })
    }

    fn exec8(&mut self) -> Result<Exec, ReadError> {
        let at = self.cursor;
        let bits = self.cursor.u8()?;
        match bits & 0xf {
            0 => self.mask(&at, bits >> 4, 8),
            n => Err(value(&at, "an execution size", n.into(), "0")),
        }
    }

    fn row(&mut self) -> Result<&'static Row, ReadError> {
        let at = self.cursor;
        let number = self.cursor.u8()?;
        let rows = Opcode::rows_of(number);
        let Some(first) = rows.first() else {
            return Err(at.error(ReadErrorKind::Opcode { number }));
        };
        if first.subs.is_empty() {
            return Ok(first);
        }
        let before = self.cursor;
        let sub = self.cursor.u8()?;
        let row = rows
            .iter()
            .find(|row| row.subs.contains(&sub))
            .ok_or_else(|| at.error(ReadErrorKind::SubOpcode { number, sub }))?;
        if row.subs.len() > 1 {
            self.cursor = before;
        }
        Ok(row)
    }

    fn exec(&mut self) -> Result<Exec, ReadError> {
        let at = self.cursor;
        let bits = self.cursor.u8()?;
        let size = exec_size(bits & 0xf)
            .ok_or_else(|| value(&at, "an execution size", (bits & 0xf).into(), "0 to 5"))?;
        self.mask(&at, bits >> 4, size)
    }

    fn gather_exec(&mut self) -> Result<Exec, ReadError> {
        let at = self.cursor;
        let bits = self.cursor.u8()?;
        let size = match bits & 3 {
            0 => 8,
            1 => 16,
            2 => 1,
            n => return Err(value(&at, "a count of elements", n.into(), "0, 1 or 2")),
        };
        self.mask(&at, bits >> 4, size)
    }

    fn mask(&self, at: &Cursor, bits: u8, size: u8) -> Result<Exec, ReadError> {
        let (offset, no_mask) = match bits {
            _ if self.version >= since::MASK_BITS => ((bits & 7) * 4, bits & 8 != 0),
            0..=7 => (bits * 4, false),
            8 => (0, true),
            DEFAULT_MASK => (0, false),
            _ => return Err(value(at, "an execution mask", bits.into(), "0 to 9")),
        };
        Ok(Exec {
            size,
            offset,
            no_mask,
        })
    }

    fn pred(&mut self, object: &Object) -> Result<Option<PredUse>, ReadError> {
        let at = self.cursor;
        match self.cursor.u16()? {
            0 => Ok(None),
            bits => pred_use(&at, object, bits).map(Some),
        }
    }

    fn label(&mut self, labels: &[LabelDecl]) -> Result<Operand, ReadError> {
        let at = self.cursor;
        let index = self.cursor.u16()?;
        if usize::from(index) >= labels.len() {
            let (index, count) = (index.into(), labels.len());
            return Err(at.error(ReadErrorKind::Index {
                what: "label",
                index,
                count,
            }));
        }
        Ok(Operand::Label(Label::new(index.into())))
    }

    /// True if `count` raw operands come next.
    fn are_raws(&mut self, object: &Object, count: usize) -> bool {
        let before = self.cursor;
        let all = (0..count).all(|_| self.raw(object).is_ok());
        self.cursor = before;
        all
    }

    fn raw(&mut self, object: &Object) -> Result<Operand, ReadError> {
        let at = self.cursor;
        let index = self.number()?;
        let offset = self.cursor.u16()?;
        Ok(Operand::Raw {
            var: entity(&at, VARIABLE, &object.vars, index)?,
            offset,
        })
    }

    fn vector(&mut self, object: &Object, is_dst: bool) -> Result<Operand, ReadError> {
        let at = self.cursor;
        let tag = self.cursor.u8()?;
        let modifier = Modifier::from_number(tag >> 3 & 7)
            .ok_or_else(|| value(&at, "a modifier", (tag >> 3 & 7).into(), "0 to 5"))?;
        let at = self.cursor;
        match tag & 7 {
            class::GENERAL => {
                let index = self.number()?;
                let var = entity(&at, VARIABLE, &object.vars, index)?;
                let (row, col) = (self.cursor.u8()?, self.cursor.u8()?);
                let region = self.region(is_dst)?;
                Ok(Operand::General {
                    var,
                    row,
                    col,
                    region,
                    modifier,
                })
            }
            class::ADDRESS => {
                let index = self.cursor.u16()?.into();
                let addr = addr(&at, object, index)?;
                let off = self.cursor.u8()?;
                let at = self.cursor;
                let n = self.cursor.u8()? & 0xf;
                let width = exec_size(n)
                    .ok_or_else(|| value(&at, "the width of an address", n.into(), "0 to 5"))?;
                Ok(Operand::Address { addr, off, width })
            }
            class::PREDICATE => match self.cursor.u16()? {
                bits if bits > 0xfff => Err(value(
                    &at,
                    "a predicate operand",
                    bits.into(),
                    "a number below 4096",
                )),
                bits => pred_use(&at, object, bits).map(Operand::Predicate),
            },
            class::INDIRECT => {
                let index = self.cursor.u16()?.into();
                let addr = addr(&at, object, index)?;
                let off = self.cursor.u8()?;
                let imm = self.cursor.u16()? as i16;
                let ty = self.ty()?;
                let region = self.region(is_dst)?;
                Ok(Operand::Indirect {
                    addr,
                    off,
                    imm,
                    ty,
                    region,
                    modifier,
                })
            }
            class::IMMEDIATE => {
                let ty = self.ty()?;
                let bits = match ty {
                    Type::Df | Type::Q | Type::Uq => self.cursor.u64()?,
                    _ => self.cursor.u32()?.into(),
                };
                Ok(Operand::imm(ty, bits))
            }
            class::STATE => {
                let kind = self.cursor.u8()?;
                let index = self.cursor.u16()?.into();
                let off = self.cursor.u8()?;
                let of = match kind {
                    0 => StateVar::Surface(entity(&at, SURFACE, &object.surfaces, index)?),
                    1 => StateVar::Sampler(sampler(&at, object, index)?),
                    n => return Err(value(&at, "the class of a state", n.into(), "0 or 1")),
                };
                Ok(Operand::State { of, off })
            }
            n => Err(value(
                &at,
                "the class of an operand",
                n.into(),
                "0 to 3, 5 or 6",
            )),
        }
    }

    fn ty(&mut self) -> Result<Type, ReadError> {
        let at = self.cursor;
        let n = self.cursor.u8()? & 0xf;
        Type::from_number(n).ok_or_else(|| value(&at, "a type", n.into(), "0 to 15"))
    }

    fn region(&mut self, is_dst: bool) -> Result<Region, ReadError> {
        let at = self.cursor;
        let bits = self.cursor.u16()?;
        let part = |shift: u16| {
            let n = bits >> shift & 0xf;
            stride(n).map_err(|()| value(&at, "a part of a region", n.into(), "0 to 7"))
        };
        let (v, w, h) = (part(0)?, part(4)?, part(8)?);
        match (is_dst, v, w, h) {
            (true, _, _, Some(h)) => Ok(Region::dst(h)),
            (false, v, Some(w), Some(h)) => Ok(Region { v, w, h }),
            _ => Err(value(
                &at,
                "a region",
                bits.into(),
                "a width and a horizontal stride",
            )),
        }
    }
}

fn sampler(at: &Cursor, object: &Object, index: u32) -> Result<Sampler, ReadError> {
    match index {
        predefined::BINDLESS_SAMPLER => Ok(Sampler::from_u32(index)),
        index => entity(at, SAMPLER, &object.samplers, index),
    }
}

fn pred_use(at: &Cursor, object: &Object, bits: u16) -> Result<PredUse, ReadError> {
    let pred = predicate(at, object, (bits & 0xfff).into())?;
    let combine = match bits >> 13 & 3 {
        0 => Combine::None,
        1 => Combine::Any,
        2 => Combine::All,
        n => {
            return Err(value(
                at,
                "the control of a predicate",
                n.into(),
                "0, 1 or 2",
            ));
        }
    };
    Ok(PredUse {
        pred,
        inverse: bits >> 15 != 0,
        combine,
    })
}

/// Address operand of `addr_add`, which the file has as a general or state operand.
fn address_of(object: &Object, operand: Operand) -> Operand {
    match operand {
        Operand::General { var, row, col, .. } => {
            let element = object.vars[var].ty.bytes() as u16;
            Operand::AddressOf {
                var,
                offset: u16::from(row) * GRF + u16::from(col) * element,
            }
        }
        other => other,
    }
}

/// Bytes of a row of a variable.
pub(super) const GRF: u16 = 32;

fn exec_size(n: u8) -> Option<u8> {
    (n < 6).then(|| 1 << n)
}

fn stride(n: u16) -> Result<Option<u8>, ()> {
    match n {
        0 => Ok(None),
        1 => Ok(Some(0)),
        2..=7 => Ok(Some(1 << (n - 2))),
        _ => Err(()),
    }
}

/// Objects before version 4.0 have the operation in five bits and the flags in the three above.
fn widen_sampler_op(n: u8) -> u32 {
    u32::from(n & 0x1f) | u32::from(n >> 5) << 8
}
