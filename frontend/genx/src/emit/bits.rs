//! Functions on the bits of integers.

use kiln_visa::module::Type as VType;
use kiln_visa::opcode::{Opcode, Relation};

use super::alu::typed;
use super::bale;
use super::function::{Emitter, imm, source};
use super::operand::{Dst, Layout, Src};
use super::predicates::Mask;
use crate::error::{Code, Result};
use crate::intrinsics::{Kind, Sign};
use crate::ir::{BinaryOp, Inst, Scalar};

impl Emitter<'_, '_> {
    /// A function that is several instructions.
    pub fn bit_function(
        &mut self,
        inst: Inst,
        kind: Kind,
        count: u32,
        scalar: Scalar,
        dst: Dst,
    ) -> Result<()> {
        let data = self.data(inst);
        let bits = self.shared.module.types.bits(scalar);
        match kind {
            Kind::Fma => {
                let mut srcs = Vec::new();
                for arg in &data.args {
                    srcs.push(self.source(*arg, Sign::Own)?);
                }
                self.alu(Opcode::Mad, count, dst, &srcs)
            }
            Kind::Rotate(left) => self.funnel(inst, left, true, count, scalar, dst),
            Kind::FunnelShift(left) => self.funnel(inst, left, false, count, scalar, dst),
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
                self.masked(Opcode::Add, count, typed(dst, ty), &[a, b], None, true)
            }
            Kind::CountOnes
            | Kind::LeadingZeros
            | Kind::TrailingZeros
            | Kind::ReverseBits
            | Kind::SwapBytes
                if !matches!(bits, 8 | 16 | 32 | 64) =>
            {
                self.unsupported("an integer of this size")
            }
            Kind::CountOnes => self.count_ones(inst, count, bits, dst),
            Kind::LeadingZeros => self.leading_zeros(inst, count, bits, dst),
            Kind::TrailingZeros => self.trailing_zeros(inst, count, bits, dst),
            Kind::ReverseBits => self.reverse(inst, count, bits, dst),
            Kind::SwapBytes => self.swap(inst, count, bits, dst),
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

    /// An operand as dwords: one part, or the lower and the upper.
    fn dwords(&mut self, inst: Inst, count: u32, bits: u32) -> Result<Vec<Src>> {
        let value = self.data(inst).args[0];
        if bits == 64 {
            let (var, dst, _) = self.temp(VType::Uq, count);
            let src = self.source(value, Sign::Unsigned)?;
            self.copy(count, dst, src)?;
            let half = |at| source(var, VType::Ud, Layout::contiguous(at, 8));
            return Ok(vec![half(0), half(4)]);
        }
        let (_, dst, wide) = self.temp(VType::Ud, count);
        let src = self.source(value, Sign::Unsigned)?;
        self.copy(count, dst, src)?;
        Ok(vec![wide])
    }

    /// A function of a dword, in a variable.
    fn of_dword(&mut self, op: Opcode, count: u32, src: Src) -> Result<(Dst, Src)> {
        let (_, dst, result) = self.temp(VType::Ud, count);
        self.alu(op, count, dst.clone(), &[src])?;
        Ok((dst, result))
    }

    fn count_ones(&mut self, inst: Inst, count: u32, bits: u32, dst: Dst) -> Result<()> {
        let parts = self.dwords(inst, count, bits)?;
        let (to, mut sum) = self.of_dword(Opcode::Cbit, count, parts[0].clone())?;
        if let Some(high) = parts.get(1) {
            let (_, more) = self.of_dword(Opcode::Cbit, count, high.clone())?;
            self.alu(Opcode::Add, count, to, &[sum.clone(), more])?;
            sum = sum.typed(VType::Ud);
        }
        self.copy(count, dst, sum)
    }

    fn leading_zeros(&mut self, inst: Inst, count: u32, bits: u32, dst: Dst) -> Result<()> {
        let parts = self.dwords(inst, count, bits)?;
        let (to, first) = self.of_dword(Opcode::Lzd, count, parts[0].clone())?;
        if let Some(high) = parts.get(1) {
            // The upper half counts first; the lower half counts as well if the upper is 0.
            self.alu(
                Opcode::Add,
                count,
                to.clone(),
                &[first.clone(), imm(VType::Ud, 32)],
            )?;
            let zero = self.compare(Relation::Ne, count, high.clone(), imm(VType::Ud, 0))?;
            let (_, upper) = self.of_dword(Opcode::Lzd, count, high.clone())?;
            self.masked(Opcode::Mov, count, to, &[upper], Some(zero), false)?;
        } else if bits < 32 {
            let less = imm(VType::D, u64::from(32 - bits).wrapping_neg());
            self.alu(
                Opcode::Add,
                count,
                typed(to, VType::D),
                &[first.clone().typed(VType::D), less],
            )?;
        }
        self.copy(count, dst, first)
    }

    fn trailing_zeros(&mut self, inst: Inst, count: u32, bits: u32, dst: Dst) -> Result<()> {
        let parts = self.dwords(inst, count, bits)?;
        let low = parts[0].clone();
        if bits < 32 {
            // A bit behind the last ends the search.
            let (_, to, marked) = self.temp(VType::Ud, count);
            self.alu(Opcode::Or, count, to, &[low, imm(VType::Ud, 1 << bits)])?;
            let (_, result) = self.of_dword(Opcode::Fbl, count, marked)?;
            return self.copy(count, dst, result);
        }
        let (to, result) = self.of_dword(Opcode::Fbl, count, low.clone())?;
        let none = self.compare(Relation::Eq, count, low, imm(VType::Ud, 0))?;
        match parts.get(1) {
            None => self.masked(
                Opcode::Mov,
                count,
                to,
                &[imm(VType::Ud, 32)],
                Some(none),
                false,
            )?,
            Some(high) => {
                let (upper_to, upper) = self.of_dword(Opcode::Fbl, count, high.clone())?;
                self.alu(
                    Opcode::Add,
                    count,
                    upper_to.clone(),
                    &[upper.clone(), imm(VType::Ud, 32)],
                )?;
                let empty = self.compare(Relation::Eq, count, high.clone(), imm(VType::Ud, 0))?;
                self.masked(
                    Opcode::Mov,
                    count,
                    upper_to,
                    &[imm(VType::Ud, 64)],
                    Some(empty),
                    false,
                )?;
                self.masked(Opcode::Mov, count, to, &[upper], Some(none), false)?;
            }
        }
        self.copy(count, dst, result)
    }

    fn reverse(&mut self, inst: Inst, count: u32, bits: u32, dst: Dst) -> Result<()> {
        let parts = self.dwords(inst, count, bits)?;
        if let Some(high) = parts.get(1) {
            let (var, _, whole) = self.temp(VType::Uq, count);
            for (at, part) in [(4, parts[0].clone()), (0, high.clone())] {
                let to = Dst::Var {
                    var,
                    ty: VType::Ud,
                    layout: Layout::contiguous(at, 8),
                };
                self.alu(Opcode::Bfrev, count, to, &[part])?;
            }
            return self.copy(count, dst, whole);
        }
        let (to, result) = self.of_dword(Opcode::Bfrev, count, parts[0].clone())?;
        if bits < 32 {
            self.alu(
                Opcode::Shr,
                count,
                to,
                &[result.clone(), imm(VType::Ud, u64::from(32 - bits))],
            )?;
        }
        self.copy(count, dst, result)
    }

    fn swap(&mut self, inst: Inst, count: u32, bits: u32, dst: Dst) -> Result<()> {
        let bytes = bits / 8;
        let ty = match bits {
            16 => VType::Uw,
            32 => VType::Ud,
            _ => VType::Uq,
        };
        let value = self.data(inst).args[0];
        let (from, to, _) = self.temp(ty, count);
        let src = self.source(value, Sign::Unsigned)?;
        self.copy(count, to, src)?;
        let (var, _, swapped) = self.temp(ty, count);
        for byte in 0..bytes {
            let layout = Layout::contiguous(byte, bytes);
            let src = source(from, VType::Ub, Layout::contiguous(bytes - 1 - byte, bytes));
            self.copy(
                count,
                Dst::Var {
                    var,
                    ty: VType::Ub,
                    layout,
                },
                src,
            )?;
        }
        self.copy(count, typed(dst, ty), swapped)
    }

    /// The upper or lower half of two numbers side by side, shifted. A rotation has one number twice.
    fn funnel(
        &mut self,
        inst: Inst,
        left: bool,
        rotate: bool,
        count: u32,
        scalar: Scalar,
        dst: Dst,
    ) -> Result<()> {
        let data = self.data(inst);
        let bits = self.shared.module.types.bits(scalar);
        let ty = self.visa(scalar, Sign::Unsigned)?;
        let high = self.in_register(data.args[0], count, Sign::Unsigned)?;
        let (low, amount) = match rotate {
            true => (high.clone(), data.args[1]),
            false => (
                self.in_register(data.args[1], count, Sign::Unsigned)?,
                data.args[2],
            ),
        };
        let mask = u64::from(bits - 1);
        let dst = typed(dst, ty);
        let (first, second) = if left {
            (Opcode::Shl, Opcode::Shr)
        } else {
            (Opcode::Shr, Opcode::Shl)
        };
        let (near, far) = if left { (high, low) } else { (low, high) };
        // Bytes are shifted as words, so that nothing is shifted in behind them.
        if let Some(n) = bale::uniform(self.function, amount) {
            let n = n & mask;
            if n == 0 {
                return self.copy(count, dst, near);
            }
            let (_, a, shifted) = self.temp(ty, count);
            self.alu(first, count, a, &[near, imm(VType::Ud, n)])?;
            let (_, b, rest) = self.temp(ty, count);
            self.alu(
                second,
                count,
                b,
                &[far, imm(VType::Ud, u64::from(bits) - n)],
            )?;
            return self.alu(Opcode::Or, count, dst, &[shifted, rest]);
        }
        let amount = self.in_register(amount, count, Sign::Unsigned)?;
        let (_, to, n) = self.temp(ty, count);
        self.alu(Opcode::And, count, to, &[amount, imm(ty, mask)])?;
        let (_, a, shifted) = self.temp(ty, count);
        self.alu(first, count, a, &[near, n.clone()])?;
        // The rest by one, then by what is missing to all bits but one: never by all.
        let (_, to, inverse) = self.temp(ty, count);
        self.alu(Opcode::Xor, count, to, &[n, imm(ty, mask)])?;
        let (_, b, half) = self.temp(ty, count);
        self.alu(second, count, b.clone(), &[far, imm(VType::Ud, 1)])?;
        self.alu(second, count, b, &[half.clone(), inverse])?;
        self.alu(Opcode::Or, count, dst, &[shifted, half])
    }

    /// Result of arithmetic with a bit that says that it does not fit.
    pub fn with_overflow(&mut self, inst: Inst, op: BinaryOp, sign: Sign) -> Result<()> {
        let data = self.data(inst);
        let (count, scalar) = self.shape(data.args[0])?;
        let bits = self.shared.module.types.bits(scalar);
        let wide = match (bits, sign) {
            (8 | 16, Sign::Signed) => VType::D,
            (8 | 16, _) => VType::D,
            (32, Sign::Signed) => VType::Q,
            (32, _) => VType::Q,
            _ => return self.unsupported("arithmetic with overflow of this width"),
        };
        let ty = self.visa(scalar, sign)?;
        let mut operands = Vec::new();
        for arg in &data.args {
            let src = self.source(*arg, sign)?;
            let (_, dst, var) = self.temp(wide, count);
            self.copy(count, dst, src)?;
            operands.push(var);
        }
        let (_, dst, exact) = self.temp(wide, count);
        let [a, b] = [operands[0].clone(), operands[1].clone()];
        match op {
            BinaryOp::Add => self.alu(Opcode::Add, count, dst, &[a, b])?,
            BinaryOp::Sub => self.alu(Opcode::Add, count, dst, &[a, super::value::negated(b)])?,
            _ if bits == 32 => {
                let (a, b) = (
                    self.source(data.args[0], sign)?,
                    self.source(data.args[1], sign)?,
                );
                let product = if sign == Sign::Signed {
                    VType::Q
                } else {
                    VType::Uq
                };
                self.alu(Opcode::Mul, count, typed(dst, product), &[a, b])?;
            }
            _ => self.alu(Opcode::Mul, count, dst, &[a, b])?,
        }
        let (_, narrow_to, narrow) = self.temp(ty, count);
        let low = match &exact {
            Src::Var { var, layout, .. } => source(*var, ty, layout.clone()),
            other => other.clone(),
        };
        self.copy(count, narrow_to, low)?;
        let (_, back_to, back) = self.temp(wide, count);
        self.copy(count, back_to, narrow.clone())?;
        let over = self.compare(Relation::Ne, count, back, exact)?;
        for (member, user) in self.members(inst) {
            match member {
                0 => {
                    let to = self.whole(user, sign)?;
                    self.copy(count, to, narrow.clone())?;
                }
                _ => {
                    let to: Mask = match self.place(user)? {
                        super::function::Place::Mask(mask) => mask,
                        _ => return self.unsupported("such a result"),
                    };
                    self.copy_mask(&to, &over)?;
                }
            }
        }
        Ok(())
    }
}
