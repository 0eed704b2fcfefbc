//! Text of LSC instructions: printer ([`crate::lsc`]).

use std::fmt::{self, Write};

use cranelift_entity::EntityRef;

use super::Printer;
use crate::lsc::*;
use crate::module::{Inst, Operand, StateVar, Type};
use crate::opcode::{LscOp, Meaning, Opcode, Row, name_of};

/// An instruction that is being written.
struct Writing<'w> {
    printer: &'w Printer<'w>,
    inst: &'w Inst,
    row: &'static Row,
    op: u32,
}

/// Writes an LSC instruction without its predicate.
pub(crate) fn write(printer: &Printer, inst: &Inst, out: &mut String) -> fmt::Result {
    let row = inst.op.row();
    let mut writing = Writing {
        printer,
        inst,
        row,
        op: 0,
    };
    writing.op = writing.number(Meaning::LscOp, 0);
    writing.write(out)
}

impl Writing<'_> {
    fn number(&self, meaning: Meaning, nth: usize) -> u32 {
        let at = number_at(self.row, meaning, nth);
        match at.and_then(|i| self.inst.operands.get(i)) {
            Some(Operand::Field(n)) => *n,
            _ => 0,
        }
    }

    fn name(&self, table: &[(&'static str, u32)], meaning: Meaning, nth: usize) -> &'static str {
        name_of(table, self.number(meaning, nth)).unwrap_or("?")
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        let op = self.op;
        if self.row.opcode == Opcode::LscFence {
            let unit = self.name(UNITS, Meaning::LscUnit, 0);
            let fence = self.name(FENCES, Meaning::LscFenceOp, 0);
            let scope = self.name(SCOPES, Meaning::LscScope, 0);
            return write!(out, "{}.{unit}.{fence}.{scope}", self.row.mnemonic);
        }
        out.push_str(LscOp::name(op).unwrap_or("?"));
        let unit = match number_at(self.row, Meaning::LscUnit, 0) {
            Some(_) => self.name(UNITS, Meaning::LscUnit, 0),
            None => TYPED,
        };
        write!(out, ".{unit}")?;
        let levels = [0, 1].map(|level| self.number(Meaning::LscCaching, level));
        if levels != [0, 0] {
            let names = levels.map(|n| name_of(CACHING, n).unwrap_or("?"));
            write!(out, ".{}.{}", names[0], names[1])?;
        }
        if says_exec(self.row, op) {
            write!(out, " {}", self.inst.exec)?;
        }
        for (k, part) in parts(op).iter().enumerate() {
            out.push_str("  ");
            match part {
                Part::Data => {
                    self.raw(data_at(self.row, op, k), out)?;
                    self.shape(out)?;
                }
                Part::Address => self.address(out)?,
                Part::Argument => {
                    let at = position(self.row, first_data(self.row) + k - 2, is_raw_src);
                    self.raw(at, out)?;
                }
            }
        }
        Ok(())
    }

    fn operand(&self, at: Option<usize>) -> Option<&Operand> {
        at.and_then(|i| self.inst.operands.get(i))
    }

    fn raw(&self, at: Option<usize>, out: &mut String) -> fmt::Result {
        let Some(Operand::Raw { var, offset }) = self.operand(at) else {
            return out.write_str("?");
        };
        out.push_str(self.printer.var(*var));
        match offset {
            0 => Ok(()),
            offset => write!(out, ".{offset}"),
        }
    }

    fn shape(&self, out: &mut String) -> fmt::Result {
        let shape = shape(self.row, self.op);
        if matches!(shape, Shape::Elements | Shape::Channels | Shape::Block) {
            write!(out, ":{}", self.name(DATA_SIZES, Meaning::LscDataSize, 0))?;
        }
        let transposed = self.number(Meaning::LscDataOrder, 0) == TRANSPOSED;
        let area = || {
            let width = self.number(Meaning::LscWidth, 0);
            (width, self.number(Meaning::LscHeight, 0))
        };
        match shape {
            Shape::None => Ok(()),
            Shape::Elements => {
                match self.name(ELEMENTS, Meaning::LscElements, 0) {
                    "1" => {}
                    count => write!(out, "x{count}")?,
                }
                out.write_str(if transposed { "t" } else { "" })
            }
            Shape::Channels => {
                let mask = self.number(Meaning::LscChannels, 0);
                out.push('.');
                let channels = CHANNELS.iter().enumerate();
                out.extend(channels.filter(|(i, _)| mask >> i & 1 != 0).map(|(_, c)| c));
                Ok(())
            }
            Shape::Block => {
                out.push('.');
                match self.number(Meaning::LscBlocks, 0) {
                    1 => {}
                    blocks => write!(out, "{blocks}x")?,
                }
                let (width, height) = area();
                let vnni = self.number(Meaning::LscVnni, 0) != 0;
                let [order, vnni] = [transposed, vnni].map(|flag| if flag { 't' } else { 'n' });
                write!(out, "{width}x{height}{order}{vnni}")
            }
            Shape::TypedBlock => {
                let (width, height) = area();
                write!(out, ":{width}x{height}")
            }
        }
    }

    fn address(&self, out: &mut String) -> fmt::Result {
        let row = self.row;
        let mut vector = 0;
        if matches!(row.opcode, Opcode::LscBlock2d | Opcode::LscBlock2dPayload) {
            out.push_str("flat");
        } else {
            out.push_str(self.name(ADDRESS_TYPES, Meaning::LscAddressType, 0));
            let surface = self.operand(position(row, 0, is_vector));
            let index = self.number(Meaning::LscSurfaceIndex, 0);
            let ty = self.number(Meaning::LscAddressType, 0);
            let none = matches!(
                surface,
                Some(Operand::Imm {
                    bits: 0,
                    ty: Type::Ud
                }) | None
            );
            if !(none
                && index == 0
                && name_of(ADDRESS_TYPES, ty).is_some_and(|n| n == "flat" || n == "arg"))
            {
                out.push('(');
                self.vector(surface, out)?;
                if index != 0 {
                    write!(out, ",{index:#x}")?;
                }
                out.push(')');
            }
            vector = 1;
        }
        if row.opcode == Opcode::LscCounter {
            return Ok(());
        }
        out.push('[');
        match row.opcode {
            Opcode::LscBlock2d | Opcode::LscTypedBlock2d => {
                let count = row.operand_fields().filter(|f| is_vector(*f)).count();
                for k in vector..count {
                    out.push_str(if k > vector { "," } else { "" });
                    self.vector(self.operand(position(row, k, is_vector)), out)?;
                    if k + 2 >= count {
                        self.offset(k + 2 - count, out)?;
                    }
                }
            }
            Opcode::LscBlock2dPayload => {
                self.vector(self.operand(position(row, 0, is_address_payload)), out)?;
                let [x, y] = [0, 1].map(|axis| self.number(Meaning::LscOffset, axis) as i32);
                write!(out, " + ({x},{y})")?;
            }
            Opcode::LscTyped => {
                for k in 0..4 {
                    let at = position(row, k, is_raw_src);
                    let rest = (k..4).map(|k| self.operand(position(row, k, is_raw_src)));
                    if k > 0 && rest.flatten().all(|raw| *raw == null()) {
                        break;
                    }
                    out.push_str(if k > 0 { "," } else { "" });
                    self.raw(at, out)?;
                    if k < 3 {
                        self.offset(k, out)?;
                    }
                }
            }
            _ => {
                match self.number(Meaning::LscScale, 0) {
                    0 | 1 => {}
                    scale => write!(out, "{scale:#x}*")?,
                }
                self.raw(position(row, 0, is_raw_src), out)?;
                self.offset(0, out)?;
                if row.opcode == Opcode::LscStrided {
                    out.push(',');
                    self.vector(self.operand(position(row, 1, is_vector)), out)?;
                }
            }
        }
        out.push(']');
        if number_at(row, Meaning::LscAddressSize, 0).is_some() && self.op != LscOp::STATE_INFO {
            write!(
                out,
                ":{}",
                self.name(ADDRESS_SIZES, Meaning::LscAddressSize, 0)
            )?;
        }
        Ok(())
    }

    fn offset(&self, nth: usize, out: &mut String) -> fmt::Result {
        match self.number(Meaning::LscOffset, nth) as i32 {
            0 => Ok(()),
            n if n < 0 => write!(out, "-{:#x}", n.unsigned_abs()),
            n => write!(out, "+{n:#x}"),
        }
    }

    fn vector(&self, operand: Option<&Operand>, out: &mut String) -> fmt::Result {
        match operand {
            Some(Operand::General { var, row, col, .. }) => {
                out.push_str(self.printer.var(*var));
                match (row, col) {
                    (0, 0) => Ok(()),
                    (row, col) => write!(out, "({row},{col})"),
                }
            }
            Some(Operand::Imm { bits, .. }) => write!(out, "{bits:#x}"),
            Some(Operand::State { of, off }) => match of {
                StateVar::Surface(surface) => {
                    write!(out, "{}({off})", super::surface_name(surface.index()))
                }
                StateVar::Sampler(sampler) => write!(out, "S{}({off})", sampler.index()),
            },
            _ => out.write_str("?"),
        }
    }
}
