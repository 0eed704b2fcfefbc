//! Instructions of a binary object, written by a walk over the parts of the opcode.

use cranelift_entity::EntityRef;

use super::inst::{GRF, NULL, ZERO, class};
use super::version::{OlderOperand, Part, Parts, since};
use super::write::{MAX_PREDICATE, WriteError, Writer};
use crate::module::{Combine, Exec, Inst, Modifier, Operand, PredUse, Region, StateVar, Type};
use crate::opcode::{Field, Width};

impl<'a> Writer<'a> {
    pub(super) fn inst(&mut self, inst: &'a Inst) -> Result<(), WriteError> {
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
        let parts = Parts::of(inst.op, self.out.version);
        for i in 0..parts.len() {
            let field = match parts.get(i) {
                Part::Now(field) => field,
                Part::Exec8 => {
                    self.exec8(inst)?;
                    continue;
                }
                Part::Older(form) => {
                    if let Some(operand) = operands.next() {
                        self.older(form, operand)?;
                    }
                    continue;
                }
            };
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
                        self.operand(field, operand)?;
                    }
                }
                field if field.is_absent(flags.unwrap_or(0)) => {}
                field => {
                    if let Some(operand) = operands.next() {
                        self.operand(field, operand)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn older(&mut self, form: OlderOperand, operand: &Operand) -> Result<(), WriteError> {
        match (form, operand) {
            (OlderOperand::Immediate, Operand::Imm { ty: Type::Uw, bits }) => {
                self.out.u16("a texel offset", *bits as usize)
            }
            (OlderOperand::OtherChannels, Operand::Field(n)) => {
                self.out.check("a mask of channels", *n as usize, 0xf)?;
                self.out.u8("", (!n & 0xf) as usize)
            }
            (OlderOperand::Zero, operand) => self.out.has(*operand == ZERO, "a mask of events"),
            (OlderOperand::Null, operand) => {
                self.out.has(*operand == NULL, "a level of detail here")
            }
            _ => self.out.has(false, "an operand but an immediate `uw` here"),
        }
    }

    fn exec8(&mut self, inst: &Inst) -> Result<(), WriteError> {
        self.out.has(inst.pred.is_none(), "a predicate here")?;
        self.out
            .has(inst.exec.size == 8, "an execution size but 8 here")?;
        let mask = self.mask(inst.exec)?;
        self.out.u8("", mask.into())
    }

    fn exec(&mut self, exec: Exec) -> Result<(), WriteError> {
        let mask = self.mask(exec)?;
        self.out.bytes.push(exec.size.trailing_zeros() as u8 | mask);
        Ok(())
    }

    fn gather_exec(&mut self, exec: Exec) -> Result<(), WriteError> {
        let size = match exec.size {
            16 => 1,
            1 => 2,
            _ => 0,
        };
        let mask = self.mask(exec)?;
        self.out.bytes.push(size | mask);
        Ok(())
    }

    fn mask(&mut self, exec: Exec) -> Result<u8, WriteError> {
        let expressible = self.out.version >= since::MASK_BITS || !exec.no_mask || exec.offset == 0;
        self.out.has(expressible, "M2_NM to M8_NM")?;
        Ok((exec.offset / 4) << 4 | u8::from(exec.no_mask) << 7)
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
                self.out.number("the number of a variable", var.index())?;
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
                self.out.number("the number of a variable", var.index())?;
                self.out
                    .u8("the row of an address", (offset / GRF).into())?;
                self.out
                    .u8("the column of an address", (offset % GRF / element).into())?;
                self.region(Region::SCALAR, false);
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
                self.out.number("the number of a variable", var.index())?;
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
                Field::Number(Width::SamplerOp, _) if self.out.version < since::WIDE_SAMPLER_OP => {
                    self.sampler_op(*n)
                }
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

    /// Writes the operation of the sampler; in one byte, five bits of operation and the three flags of bits 8 to
    /// 10.
    fn sampler_op(&mut self, n: u32) -> Result<(), WriteError> {
        self.out
            .check("an operation of the sampler", (n & 0xff) as usize, 0x1f)?;
        self.out
            .check("a flag of the sampler", (n >> 8) as usize, 7)?;
        self.out.u8("", (n & 0x1f | n >> 8 << 5) as usize)
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

fn stride(n: u8) -> u16 {
    match n {
        0 => 1,
        n => n.trailing_zeros() as u16 + 2,
    }
}
