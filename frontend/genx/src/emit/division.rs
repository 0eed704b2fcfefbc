//! Quotients and roots of floats, and products of integers of 64 bits.
//!
//! vISA divides floats approximately or, where the platform has the macros, correctly rounded.

use kiln_visa::module::Type as VType;
use kiln_visa::opcode::Opcode;

use super::function::{Emitter, imm};
use super::operand::{Dst, Layout, Src, Target};
use crate::error::{Code, Result};
use crate::intrinsics::Sign;
use crate::ir::{Inst, Scalar};

impl Emitter<'_, '_> {
    /// The result of an operation in a new variable.
    pub fn computed(&mut self, op: Opcode, ty: VType, count: u32, srcs: &[Src]) -> Result<Src> {
        let (_, dst, src) = self.temp(ty, count);
        self.alu(op, count, dst, srcs)?;
        Ok(src)
    }

    /// Quotient of floats: rounded correctly unless the instruction allows a reciprocal.
    pub fn quotient(&mut self, inst: Inst, scalar: Scalar, to: Target) -> Result<()> {
        let data = self.data(inst);
        let (a, b) = (
            self.source(data.args[0], Sign::Own)?,
            self.source(data.args[1], Sign::Own)?,
        );
        let reciprocal = data.flags.arcp || data.flags.afn;
        match scalar {
            Scalar::Float | Scalar::Half if reciprocal => self.put(Opcode::Div, to, &[a, b]),
            _ => self.ieee(Opcode::Divm, to.count, scalar, to.dst, &[a, b]),
        }
    }

    /// A quotient or root that is rounded correctly.
    pub fn ieee(
        &mut self,
        op: Opcode,
        count: u32,
        scalar: Scalar,
        dst: Dst,
        srcs: &[Src],
    ) -> Result<()> {
        let platform = self.shared.platform;
        if !op.row().platforms.contains(platform.generation) {
            let what = if op == Opcode::Divm {
                "quotients"
            } else {
                "square roots"
            };
            return self.error(
                Code::Platform,
                format!(
                    "{} has no correctly rounded {what}; `arcp` or `afn` allows others",
                    platform.name
                ),
            );
        }
        // The result of a half is that of a float, rounded: 24 bits are more than twice 11 and two.
        match scalar {
            Scalar::Half => self.as_float(op, count, dst, srcs),
            _ => self.alu(op, count, dst, srcs),
        }
    }

    /// An operation that vISA has only for floats, on halves.
    pub fn as_float(&mut self, op: Opcode, count: u32, dst: Dst, srcs: &[Src]) -> Result<()> {
        let mut wide = Vec::new();
        for src in srcs {
            wide.push(self.computed(Opcode::Mov, VType::F, count, std::slice::from_ref(src))?);
        }
        let result = self.computed(op, VType::F, count, &wide)?;
        self.copy(count, dst, result)
    }

    /// Product of 64-bit integers from products of their halves.
    pub fn multiply_halves(&mut self, count: u32, a: &Src, b: &Src, dst: Dst) -> Result<()> {
        let half = |src: &Src, high: u32| match src {
            Src::Var { var, layout, .. } => {
                super::function::source(*var, VType::Ud, layout.moved(4 * high))
            }
            Src::Imm { bits, .. } => imm(VType::Ud, bits >> (32 * high) & 0xffff_ffff),
            other => other.clone(),
        };
        let (var, low, product) = self.temp(VType::Uq, count);
        self.alu(Opcode::Mul, count, low, &[half(a, 0), half(b, 0)])?;
        let (_, to, cross) = self.temp(VType::Ud, count);
        self.alu(Opcode::Mul, count, to.clone(), &[half(a, 0), half(b, 1)])?;
        let cross2 = self.computed(Opcode::Mul, VType::Ud, count, &[half(a, 1), half(b, 0)])?;
        self.alu(Opcode::Add, count, to, &[cross.clone(), cross2])?;
        let upper = Layout::contiguous(4, 8);
        let high = super::function::source(var, VType::Ud, upper.clone());
        let to = Dst::var(var, VType::Ud, upper);
        self.alu(Opcode::Add, count, to, &[high, cross])?;
        self.copy(count, dst.typed(VType::Q), product.typed(VType::Q))
    }
}
