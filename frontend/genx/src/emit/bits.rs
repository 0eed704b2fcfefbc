//! Functions that are neither arithmetic nor logic.

use kiln_visa::opcode::Opcode;

use super::function::Emitter;
use super::operand::{Dst, Src};
use crate::error::{Code, Result};
use crate::intrinsics::{Kind, Sign};
use crate::ir::{Inst, Scalar};

impl Emitter<'_, '_> {
    /// Emits the instructions of an intrinsic that computes on the bits of an integer.
    pub fn bit_function(
        &mut self,
        inst: Inst,
        kind: Kind,
        count: u32,
        scalar: Scalar,
        dst: Dst,
    ) -> Result<()> {
        let data = self.data(inst);
        match kind {
            Kind::Fma => {
                let mut srcs = Vec::new();
                for arg in &data.args {
                    srcs.push(self.source(*arg, Sign::Own)?);
                }
                self.alu(Opcode::Mad, count, dst, &srcs)
            }
            Kind::Bfn => {
                let table = self.number(data.args[3])? as u32 & 0xff;
                if !Opcode::Bfn
                    .row()
                    .platforms
                    .contains(self.shared.platform.generation)
                {
                    return self.error(
                        Code::Platform,
                        format!("{} has no bfn", self.shared.platform.name),
                    );
                }
                let mut srcs = Vec::new();
                for arg in &data.args[..3] {
                    srcs.push(self.source(*arg, Sign::Unsigned)?);
                }
                self.apply(super::operand::Elementwise {
                    tail: Some(kiln_visa::module::Operand::Field(table)),
                    ..super::function::elementwise(Opcode::Bfn, count, dst, &srcs)
                })
            }
            Kind::SubSat(sign) => {
                let ty = self.visa(scalar, sign)?;
                let a = self.source(data.args[0], sign)?;
                let b = super::value::negated(self.in_register(data.args[1], count, sign)?);
                self.masked(Opcode::Add, count, dst.typed(ty), &[a, b], None, true)
            }
            Kind::Approximate(op)
                if data.flags.afn && matches!(scalar, Scalar::Float | Scalar::Half) =>
            {
                let srcs = data.args.iter().map(|arg| self.source(*arg, Sign::Own));
                let srcs = srcs.collect::<Result<Vec<_>>>()?;
                self.alu(op, count, dst, &srcs)
            }
            Kind::SaveMask => {
                let mask = self.mask(data.args[0])?;
                let src = self.bits(&mask, 0)?;
                self.copy(1, dst, src)
            }
            Kind::Copy => {
                let src = self.source(data.args[0], Sign::Signed)?;
                self.copy(count, dst, src)
            }
            Kind::Load | Kind::Store => {
                self.error(Code::Memory, "this access of memory is not supported")
            }
            _ => match &data.op {
                crate::ir::Op::Intrinsic(intrinsic) => self.error(
                    Code::Intrinsic,
                    format!("llvm.{} is not supported", intrinsic.name()),
                ),
                _ => self.unsupported("an intrinsic"),
            },
        }
    }

    /// A value in a variable, so that it can have a modifier.
    fn in_register(&mut self, value: crate::ir::Value, count: u32, sign: Sign) -> Result<Src> {
        let src = self.source(value, sign)?;
        if !matches!(src, Src::Imm { .. }) {
            return Ok(src);
        }
        let (_, dst, var) = self.temp(src.ty(), count);
        self.copy(count, dst, src)?;
        Ok(var)
    }
}
