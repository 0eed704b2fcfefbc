//! Products of matrices (`dpas`).
//!
//! Takes a product whose shape and types the opcode table's fields give, and leaves one instruction of the machine
//! whose operands are lists of registers, as those of a message are. Operands that do not begin at a register are
//! copied. Rules of the types are the verifier's.

use kiln_emit::encoding;
use kiln_machine::inst::{Reg, Src};
use kiln_platform::isa::{Op, Type};
use kiln_platform::rules::rules;
use kiln_visa::module::{self as visa, Operand};
use kiln_visa::opcode::Opcode;
use kiln_visa::shape::{Product, RawShape, product};

use super::buffer::Buffer;
use super::message::is_null;
use super::operand::machine_type;
use super::{Channels, Result, Select};

/// Numbers of the operands.
const RESULT: usize = 0;
const ADDEND: usize = 1;
const COLUMNS: usize = 2;
const ROWS: usize = 3;

/// Maximum number of dwords of a copy.
const COPY_DWORDS: u32 = 16;

impl Select<'_, '_> {
    /// Selects a product of matrices.
    pub(super) fn systolic(&mut self, visa: &visa::Inst) -> Result {
        let Some(Product {
            shape,
            columns,
            rows,
        }) = product(visa)
        else {
            return self.fail("a shape or types that no platform multiplies");
        };
        let op = match visa.op {
            Opcode::Dpasw => Op::Dpasw(shape),
            _ => Op::Dpas(shape),
        };
        let target = self.out.target;
        if !encoding::has(op, target) {
            return self.fail("an operation the platform lacks");
        }
        if rules(target.family).systolic_channels != Some(visa.exec.size) {
            return self.fail("another number of channels than the array has");
        }
        if visa.pred.is_some() {
            return self.fail("a predicate");
        }
        let channels = self.channels(visa);
        let to = self.table_type(&visa.operands[RESULT], columns)?;
        let addend = match is_null(&visa.operands[ADDEND]) {
            true => Src::packed(Reg::NULL, to),
            false => {
                let ty = self.table_type(&visa.operands[ADDEND], columns)?;
                Src::packed(self.matrix(visa, ADDEND)?, ty)
            }
        };
        let second = Src::packed(self.matrix(visa, COLUMNS)?, columns);
        let third = Src::packed(self.matrix(visa, ROWS)?, rows);
        if is_null(&visa.operands[RESULT]) {
            return self.fail("%null as a result");
        }
        let answer = self.answer(visa, RESULT)?;
        let whole = matches!(answer.shape, RawShape::Lanes { .. });
        if !whole && !answer.byte.is_multiple_of(self.grf()) {
            return self.fail("a result that does not begin at a register");
        }
        self.received(answer, to, channels, |select, to| {
            let mut inst = select.instruction(op, channels);
            inst.srcs = [addend, second, third].into_iter().collect();
            inst.dst = Some(to);
            select.push(inst);
        });
        Ok(())
    }

    /// The type of the elements of a table that products are added to. Words with products of `bf` are such.
    fn table_type(&self, operand: &Operand, columns: Type) -> Result<Type> {
        let Operand::Raw { var, .. } = *operand else {
            return self.fail("an operand that is not raw");
        };
        match (machine_type(self.ir.object.vars[var].ty), columns) {
            (ty @ (Type::D | Type::Ud), columns) if !columns.is_float() => Ok(ty),
            (Type::F, columns) if columns.is_float() => Ok(Type::F),
            (Type::Hf, Type::Hf) => Ok(Type::Hf),
            (Type::Bf | Type::W | Type::Uw, Type::Bf) => Ok(Type::Bf),
            _ => self.fail("a table of another type than the products"),
        }
    }

    /// The registers of a source, copied to others if it does not begin at one.
    pub(super) fn matrix(&mut self, visa: &visa::Inst, at: usize) -> Result<Reg> {
        let (var, offset) = match visa.operands[at] {
            Operand::Raw { var, offset } => (var, u32::from(offset)),
            Operand::General { var, row, col, .. } => {
                (var, self.offset(var, row.into(), col.into()))
            }
            _ => return self.fail("an operand that is no matrix"),
        };
        if is_null(&Operand::Raw { var, offset: 0 }) {
            return self.fail("%null as a matrix");
        }
        let grf = self.grf();
        let (shape, grfs) = self.shape(visa, at)?;
        let bytes = shape.extent(visa.exec.size, grf);
        let (storage, byte) = self.storage(var, offset)?;
        let reg = self.read(storage, byte, byte + bytes);
        if reg.byte().is_multiple_of(grf) {
            return Ok(reg);
        }
        let mut copy = Buffer::new(grfs * grf);
        let mut done = 0;
        while done < bytes {
            let dwords = 1 << ((bytes - done).div_ceil(4)).min(COPY_DWORDS).ilog2();
            let to = copy.write(self, done, dwords, Type::Ud);
            let from = Src::packed(reg.at(reg.byte() + done), Type::Ud);
            self.alu(Op::Mov, Channels::all(dwords as u8), to, &[from]);
            done += dwords * 4;
        }
        Ok(copy.whole(self))
    }
}
