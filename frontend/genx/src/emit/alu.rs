//! Arithmetic, logic and conversions.

use kiln_visa::module::{Modifier, Operand, Type as VType};
use kiln_visa::opcode::Opcode;
use smallvec::SmallVec;

use super::bale::{self, Fold};
use super::calls::{new_stack_top, stack_top};
use super::function::{Emitter, elementwise, imm, source};
use super::operand::{Dst, Elementwise, Layout, Src, Target};
use super::predicates::Mask;
use super::value::{negated, repeated};
use crate::error::{Code, Result};
use crate::intrinsics::{Alu, Kind, Sign};
use crate::ir::{BinaryOp, CastOp, Inst, Op, Scalar, Value};

/// The sign of a bfloat.
const BFLOAT_SIGN: u64 = 0x8000;

impl Emitter<'_, '_> {
    /// Computes the result of an instruction, which is not `i1`, into a destination.
    pub fn compute(
        &mut self,
        inst: Inst,
        dst: Dst,
        mask: Option<Mask>,
        saturate: bool,
    ) -> Result<()> {
        let data = self.data(inst);
        let (count, scalar) = self.shape_of(data.ty)?;
        let simple = bale::is_simple(self.shared.module, self.function, inst);
        let to = Target {
            count,
            dst,
            mask,
            saturate,
        };
        if !simple && (to.mask.is_some() || saturate) {
            return self.through_temp(inst, scalar, to);
        }
        match &data.op {
            Op::Binary(op) => self.binary(inst, *op, scalar, to),
            Op::FNeg if scalar == Scalar::BFloat => {
                let src = self.source(data.args[0], Sign::Own)?;
                let srcs = [src, imm(VType::Uw, BFLOAT_SIGN)];
                self.alu(Opcode::Xor, count, to.dst, &srcs)
            }
            Op::FNeg => {
                let ty = self.visa(scalar, Sign::Own)?;
                let src = negated(self.source(data.args[0], Sign::Own)?);
                self.put(Opcode::Mov, to.typed(ty), &[src])
            }
            Op::Cast(op) => self.cast(*op, inst, to),
            Op::Select => self.select(inst, to),
            Op::Intrinsic(intrinsic) => self.function_of(inst, intrinsic.kind(), scalar, to),
            Op::ExtractElement => {
                let src = self.source_of(inst)?;
                self.put(Opcode::Mov, to, &[src])
            }
            Op::Load | Op::Store | Op::Alloca(_) | Op::Gep(_) => {
                self.error(Code::Memory, "this access of memory is not supported")
            }
            Op::InsertValue(_) => self.unsupported("an aggregate that is built here"),
            _ => self.unsupported("this instruction"),
        }
    }

    fn source_of(&mut self, inst: Inst) -> Result<Src> {
        match self.data(inst).op {
            Op::ExtractElement => {
                let value = self.data(inst).args[0];
                self.source(value, Sign::Signed)
            }
            _ => self.unsupported("this instruction"),
        }
    }

    /// Computes into a variable, and moves that.
    fn through_temp(&mut self, inst: Inst, scalar: Scalar, to: Target) -> Result<()> {
        let ty = self.visa(scalar, Sign::Signed)?;
        let (_, temp, src) = self.temp(ty, to.count);
        self.compute(inst, temp, None, false)?;
        self.put(Opcode::Mov, to.typed(ty), &[src])
    }

    /// Adds an operation with a mask.
    pub fn masked(
        &mut self,
        op: Opcode,
        count: u32,
        dst: Dst,
        srcs: &[Src],
        mask: Option<Mask>,
        saturate: bool,
    ) -> Result<()> {
        self.apply(Elementwise {
            mask,
            saturate,
            ..elementwise(op, count, dst, srcs)
        })
    }

    /// Adds an operation with its destination, mask and saturation.
    pub fn put(&mut self, op: Opcode, to: Target, srcs: &[Src]) -> Result<()> {
        self.masked(op, to.count, to.dst, srcs, to.mask, to.saturate)
    }

    fn binary(&mut self, inst: Inst, op: BinaryOp, scalar: Scalar, to: Target) -> Result<()> {
        use BinaryOp::{
            AShr, Add, And, FAdd, FDiv, FMul, FRem, FSub, LShr, Mul, Or, SDiv, SRem, Shl, Sub,
            UDiv, URem, Xor,
        };
        let data = self.data(inst);
        let (a, b) = (data.args[0], data.args[1]);
        let bits = self.shared.module.types.bits(scalar);
        let (opcode, sign) = match op {
            Sub if bale::uniform(self.function, a) == Some(0)
                && self.function.as_const(b).is_none() =>
            {
                let ty = self.visa(scalar, Sign::Signed)?;
                let src = negated(self.source(b, Sign::Signed)?);
                return self.put(Opcode::Mov, to.typed(ty), &[src]);
            }
            Add | Sub => (Opcode::Add, Sign::Signed),
            Mul if bits == 64 => return self.multiply_long(to.count, a, b, to.dst),
            Mul => (Opcode::Mul, Sign::Signed),
            FAdd | FSub => {
                if let Some(product) = self.product_of(inst) {
                    return self.multiply_add(inst, product, to);
                }
                (Opcode::Add, Sign::Own)
            }
            FMul => (Opcode::Mul, Sign::Own),
            FDiv => return self.quotient(inst, scalar, to),
            FRem => return self.unsupported("this remainder"),
            UDiv => (Opcode::Div, Sign::Unsigned),
            SDiv => (Opcode::Div, Sign::Signed),
            URem => (Opcode::Mod, Sign::Unsigned),
            SRem => (Opcode::Mod, Sign::Signed),
            Shl => (Opcode::Shl, Sign::Signed),
            LShr => (Opcode::Shr, Sign::Unsigned),
            AShr => (Opcode::Asr, Sign::Signed),
            And => (Opcode::And, Sign::Signed),
            Or => (Opcode::Or, Sign::Signed),
            Xor => {
                if bale::uniform(self.function, b) == Some(u64::MAX >> (64 - bits)) {
                    let src = self.source(a, Sign::Signed)?;
                    return self.bitwise(Opcode::Not, to, &[src]);
                }
                (Opcode::Xor, Sign::Signed)
            }
        };
        let ty = self.visa(scalar, sign)?;
        let mut left = self.source(a, sign)?;
        let mut right = self.source(b, sign)?;
        if matches!(op, Sub | FSub) {
            right = negated(right);
        }
        if matches!(left, Src::Imm { .. }) && op.commutes() {
            std::mem::swap(&mut left, &mut right);
        }
        if matches!(op, Shl | LShr | AShr) {
            right = self.amount(right, bits);
        }
        let to = to.typed(ty);
        match op {
            And | Or | Xor => self.bitwise(opcode, to, &[left, right]),
            _ => self.put(opcode, to, &[left, right]),
        }
    }

    /// Adds a bitwise operation: on doublewords, where bytes or words lie side by side.
    fn bitwise(&mut self, op: Opcode, to: Target, srcs: &[Src]) -> Result<()> {
        match as_doublewords(&to, srcs) {
            Some((to, srcs)) => self.put(op, to, &srcs),
            None => self.put(op, to, srcs),
        }
    }

    /// Shift amounts: an immediate has no sign.
    fn amount(&mut self, src: Src, bits: u32) -> Src {
        match src {
            Src::Imm { bits: n, .. } => imm(VType::Ud, n & u64::from(bits - 1)),
            src if src.ty() == VType::Q => src.typed(VType::Uq),
            src => src,
        }
    }

    fn product_of(&self, inst: Inst) -> Option<(Inst, usize)> {
        let args = &self.data(inst).args;
        (0..2).find_map(|i| {
            let product = self.function.inst_of(args[i])?;
            (self.bales.fold[product] == Fold::Product).then_some((product, i))
        })
    }

    fn multiply_add(
        &mut self,
        inst: Inst,
        (product, place): (Inst, usize),
        to: Target,
    ) -> Result<()> {
        let args = self.data(product).args.clone();
        let a = self.source(args[0], Sign::Own)?;
        let b = self.source(args[1], Sign::Own)?;
        let c = self.source(self.data(inst).args[1 - place], Sign::Own)?;
        self.put(Opcode::Mad, to, &[a, b, c])
    }

    /// Product of 64-bit integers.
    fn multiply_long(&mut self, count: u32, a: Value, b: Value, dst: Dst) -> Result<()> {
        let a = self.in_variable(a, count)?;
        let b = self.in_variable(b, count)?;
        self.multiply_halves(count, &a, &b, dst)
    }

    /// A source that is a variable or an immediate.
    pub fn in_variable(&mut self, value: Value, count: u32) -> Result<Src> {
        match self.source(value, Sign::Unsigned)? {
            src @ Src::Indirect { .. } => {
                let (_, dst, temp) = self.temp(src.ty(), count);
                self.copy(count, dst, src)?;
                Ok(temp)
            }
            src => Ok(src),
        }
    }

    fn select(&mut self, inst: Inst, to: Target) -> Result<()> {
        let Target {
            count,
            dst,
            saturate,
            ..
        } = to;
        let data = self.data(inst);
        let mask = self.mask_of(data.args[0], count)?;
        let yes = self.source(data.args[1], Sign::Signed)?;
        let no = self.source(data.args[2], Sign::Signed)?;
        if mask.execution {
            // No predicate says which channels are on.
            let (_, to, chosen) = self.temp(yes.ty(), count);
            self.copy(count, to.clone(), no)?;
            self.masked(Opcode::Mov, count, to, &[yes], Some(mask), false)?;
            return self.masked(Opcode::Mov, count, dst, &[chosen], None, saturate);
        }
        self.choose(mask, count, dst, yes, no, saturate)
    }

    /// One of two sources by a mask.
    pub fn choose(
        &mut self,
        mask: Mask,
        count: u32,
        dst: Dst,
        yes: Src,
        no: Src,
        saturate: bool,
    ) -> Result<()> {
        let (mut mask, mut yes, mut no) = (mask, yes, no);
        // Only the second source can be an immediate.
        if matches!(yes, Src::Imm { .. }) && !matches!(no, Src::Imm { .. }) {
            std::mem::swap(&mut yes, &mut no);
            mask.inverse = !mask.inverse;
        }
        self.masked(Opcode::Sel, count, dst, &[yes, no], Some(mask), saturate)
    }

    fn cast(&mut self, op: CastOp, inst: Inst, target: Target) -> Result<()> {
        let data = self.data(inst);
        let arg = data.args[0];
        let (count, to) = self.shape_of(data.ty)?;
        let (_, from) = self.shape(arg)?;
        if from == Scalar::Int(1) {
            return self.convert_bools(op, arg, count, to, target.dst);
        }
        let (read, written) = match op {
            CastOp::ZExt | CastOp::UiToFp | CastOp::PtrToInt | CastOp::IntToPtr => {
                (Sign::Unsigned, Sign::Unsigned)
            }
            CastOp::FpToUi => (Sign::Own, Sign::Unsigned),
            _ => (Sign::Signed, Sign::Signed),
        };
        let ty = self.visa(to, written)?;
        let src = self.source(arg, read)?;
        let target = target.typed(ty);
        if matches!(
            op,
            CastOp::Trunc
                | CastOp::PtrToInt
                | CastOp::IntToPtr
                | CastOp::BitCast
                | CastOp::AddrSpaceCast
        ) {
            if self.shape(arg)?.0 != count {
                return self.unsupported("this conversion");
            }
            return self.truncate(src, target);
        }
        if bale::is_simple_cast(&self.shared.module.types, op, from, to) {
            return self.put(Opcode::Mov, target, &[src]);
        }
        // By way of 32 bits: exact, but for the rounding of a double to a half.
        if from == Scalar::Double && to == Scalar::Half {
            return self.double_to_half(src, count, target.dst);
        }
        let middle = match op {
            CastOp::FpExt | CastOp::FpTrunc => VType::F,
            CastOp::SiToFp | CastOp::UiToFp if self.shared.module.types.bits(from) < 32 => {
                match read {
                    Sign::Unsigned => VType::Ud,
                    _ => VType::D,
                }
            }
            CastOp::SiToFp | CastOp::UiToFp => {
                return self.unsupported("a 64-bit integer as a half");
            }
            CastOp::FpToSi | CastOp::FpToUi if from == Scalar::Half => VType::F,
            CastOp::FpToSi | CastOp::FpToUi => match written {
                Sign::Unsigned => VType::Ud,
                _ => VType::D,
            },
            _ if read == Sign::Unsigned => VType::Ud,
            _ => VType::D,
        };
        let (_, temp, through) = self.temp(middle, count);
        self.copy(count, temp, src)?;
        self.copy(count, target.dst, through)
    }

    /// A double as a half, rounded once: the float between is rounded to odd.
    fn double_to_half(&mut self, src: Src, count: u32, dst: Dst) -> Result<()> {
        // float = nearest; where it is not exact and even, the last bit is set towards the double.
        let (_, d64, wide) = self.temp(VType::Df, count);
        self.copy(count, d64, src)?;
        let (_, to, near) = self.temp(VType::F, count);
        self.copy(count, to.clone(), wide.clone())?;
        let (_, back_to, back) = self.temp(VType::Df, count);
        self.copy(count, back_to, near.clone())?;
        let bits = near.clone().typed(VType::Ud);
        // One less where the float is beyond the double, in magnitude.
        let beyond = self.compare(
            kiln_visa::opcode::Relation::Gt,
            count,
            back.clone().with(Modifier::Abs),
            wide.clone().with(Modifier::Abs),
        )?;
        let inexact = self.compare(kiln_visa::opcode::Relation::Ne, count, back, wide)?;
        let as_bits = to.typed(VType::Ud);
        self.masked(
            Opcode::Add,
            count,
            as_bits.clone().typed(VType::D),
            &[bits.clone().typed(VType::D), imm(VType::D, u64::MAX)],
            Some(beyond),
            false,
        )?;
        self.masked(
            Opcode::Or,
            count,
            as_bits,
            &[bits, imm(VType::Ud, 1)],
            Some(inexact),
            false,
        )?;
        self.copy(count, dst, near)
    }

    /// Lower part of each element.
    fn truncate(&mut self, src: Src, to: Target) -> Result<()> {
        let (Dst::Var { ty, .. } | Dst::Indirect { ty, .. }) = &to.dst else {
            return self.unsupported("this conversion");
        };
        let ty = *ty;
        // From 64 bits to bytes, the word between is read in its place.
        let src = match src {
            Src::Var {
                var,
                ty: from,
                layout,
                modifier: Modifier::None,
            } if from.bytes() > ty.bytes() => {
                let narrow = match ty.bytes() {
                    1 if from.bytes() == 8 => VType::Uw,
                    1 => from,
                    2 => VType::Uw,
                    _ => VType::Ud,
                };
                super::function::source(var, narrow, layout)
            }
            Src::Imm { bits, .. } => imm(ty, bits),
            src => src,
        };
        self.put(Opcode::Mov, to, &[src])
    }

    /// Elementwise operation of an intrinsic.
    fn function_of(&mut self, inst: Inst, kind: Kind, scalar: Scalar, to: Target) -> Result<()> {
        let data = self.data(inst);
        match kind {
            Kind::Alu(alu) => self.direct(inst, alu, scalar, to),
            Kind::Saturate => match self.function.inst_of(data.args[0]) {
                Some(from) if self.bales.fold[from] == Fold::Destination => {
                    self.compute(from, to.dst, to.mask, true)
                }
                _ => {
                    let src = self.source(data.args[0], Sign::Own)?;
                    let to = Target {
                        saturate: true,
                        ..to
                    };
                    self.put(Opcode::Mov, to, &[src])
                }
            },
            Kind::Modifier(modifier) => {
                let src = self.source(data.args[0], Sign::Signed)?;
                let src = match src {
                    Src::Imm { .. } => {
                        let (_, temp, from) = self.temp(src.ty(), to.count);
                        self.copy(to.count, temp, src)?;
                        from
                    }
                    src => src,
                };
                self.put(Opcode::Mov, to, &[src.with(modifier)])
            }
            Kind::Abs => {
                let src = self.in_variable(data.args[0], to.count)?;
                let ty = self.visa(scalar, Sign::Signed)?;
                let (_, temp, from) = self.temp(ty, to.count);
                self.copy(to.count, temp, src.typed(ty))?;
                self.copy(to.count, to.dst, from.with(Modifier::Abs))
            }
            Kind::Extremum(greater, sign) => {
                let sign = if scalar.is_float() { Sign::Own } else { sign };
                let ty = self.visa(scalar, sign)?;
                let (mut a, mut b) = (
                    self.source(data.args[0], sign)?,
                    self.source(data.args[1], sign)?,
                );
                if matches!(a, Src::Imm { .. }) {
                    std::mem::swap(&mut a, &mut b);
                }
                let (to, srcs) = (to.typed(ty), [a, b]);
                if to.mask.is_some() {
                    let (_, temp, from) = self.temp(ty, to.count);
                    self.extremum(greater, to.count, temp, &srcs, to.saturate)?;
                    return self.masked(Opcode::Mov, to.count, to.dst, &[from], to.mask, false);
                }
                self.extremum(greater, to.count, to.dst, &srcs, to.saturate)
            }
            Kind::Frame => {
                let at = self.number(data.args[0])?;
                if at >= u64::from(self.function.frame) {
                    return self.error(Code::Operand, "the frame is not so large");
                }
                let src = self.address_in_frame(self.frame + at as u32)?;
                self.copy(to.count, to.dst, src)
            }
            Kind::Room => {
                let bytes = self.source(data.args[0], Sign::Unsigned)?;
                self.copy(to.count, to.dst, stack_top())?;
                self.alu(Opcode::Add, 1, new_stack_top(), &[stack_top(), bytes])
            }
            Kind::StackTop => self.copy(to.count, to.dst, stack_top()),
            Kind::FunctionAddress | Kind::GlobalAddress => {
                let src = self.source(data.args[0], Sign::Unsigned)?;
                self.copy(to.count, to.dst, src)
            }
            Kind::CopySign => self.copy_sign(inst, to.count, scalar, to.dst),
            Kind::Predefined(number) => self.predefined(number, to.count, to.dst),
            Kind::LocalId | Kind::LocalSize | Kind::GroupCount | Kind::PrintBuffer => {
                self.implicit(kind, to.count, to.dst)
            }
            Kind::PredefinedSurface => {
                let number = self.number(data.args[0])?;
                // In the order of vISA: shared local, stack, thread's private, bindless.
                let bti = match number {
                    0 => 254,
                    _ => 255,
                };
                self.copy(to.count, to.dst, imm(VType::Ud, bti))
            }
            Kind::ReadRegion => {
                let src = self.region(inst, Sign::Signed)?;
                self.copy(to.count, to.dst, src)
            }
            _ => self.bit_function(inst, kind, to.count, scalar, to.dst),
        }
    }

    fn extremum(
        &mut self,
        greater: bool,
        count: u32,
        dst: Dst,
        srcs: &[Src],
        saturate: bool,
    ) -> Result<()> {
        self.apply(Elementwise {
            lead: Some(Operand::Field(greater.into())),
            saturate,
            ..elementwise(Opcode::FMinMax, count, dst, srcs)
        })
    }

    fn direct(&mut self, inst: Inst, alu: Alu, scalar: Scalar, to: Target) -> Result<()> {
        let count = to.count;
        let data = self.data(inst);
        if !alu
            .op
            .row()
            .platforms
            .contains(self.shared.platform.generation)
            && !matches!(alu.op, Opcode::Divm | Opcode::Sqrtm)
        {
            let message = format!(
                "{} has no {}",
                self.shared.platform.name,
                alu.op.row().mnemonic
            );
            return self.error(Code::Platform, message);
        }
        let result = self.visa(scalar, alu.result)?;
        let mut srcs = smallvec::SmallVec::<[Src; 4]>::new();
        for (n, arg) in data.args.iter().enumerate() {
            srcs.push(self.source(*arg, alu.operands[n.min(2)])?);
        }
        let float = scalar.is_float();
        if matches!(alu.op, Opcode::Divm | Opcode::Sqrtm) {
            let afn = data.flags.afn && scalar == Scalar::Float;
            if afn && alu.op == Opcode::Sqrtm {
                return self.alu(Opcode::Sqrt, count, to.dst, &srcs);
            }
            return self.ieee(alu.op, count, scalar, to.dst, &srcs);
        }
        let needs_float = matches!(
            alu.op,
            Opcode::Rndd | Opcode::Rndu | Opcode::Rnde | Opcode::Rndz | Opcode::Frc
        );
        if needs_float && scalar == Scalar::Half {
            return self.as_float(alu.op, count, to.dst, &srcs);
        }
        if float
            && scalar == Scalar::Double
            && !matches!(
                alu.op,
                Opcode::Sqrt | Opcode::Inv | Opcode::Mov | Opcode::Div
            )
        {
            return self.unsupported(format_args!("{} of a double", alu.op.row().mnemonic));
        }
        let group = bale::group(alu.op);
        if !count.is_multiple_of(group) {
            let message = format!("{count} elements are no groups of {group}");
            return self.error(Code::Operand, message);
        }
        if group > 1 {
            // Sources of groups have packed regions, which an immediate has not.
            for src in srcs.iter_mut().filter(|src| matches!(src, Src::Imm { .. })) {
                let (_, dst, packed) = self.temp(src.ty(), count);
                self.copy(count, dst, src.clone())?;
                *src = packed;
            }
        }
        if matches!(alu.op, Opcode::Mul | Opcode::Mad) && scalar.is_int() {
            return self.product(alu, to, result, &srcs);
        }
        if matches!(
            alu.op,
            Opcode::Cbit
                | Opcode::Fbl
                | Opcode::Fbh
                | Opcode::Lzd
                | Opcode::Bfrev
                | Opcode::Bfe
                | Opcode::Bfi
        ) && scalar != Scalar::Int(32)
        {
            return self.error(Code::Operand, "the result is of 32 bits");
        }
        let is_long = |ty: VType| ty.bytes() == 8;
        if alu.op == Opcode::Add3 && (is_long(result) || srcs.iter().any(|src| is_long(src.ty()))) {
            return self.unsupported("a sum of three 64-bit integers");
        }
        let to = Target {
            saturate: to.saturate || alu.saturate,
            ..to.typed(result)
        };
        self.put(alu.op, to, &srcs)
    }

    /// Product or sum of a product of integers. vISA saturates none of them: what is saturated is computed in twice
    /// the width first.
    fn product(&mut self, alu: Alu, to: Target, result: VType, srcs: &[Src]) -> Result<()> {
        let Target {
            count, dst, mask, ..
        } = to;
        let widest = |srcs: &[Src]| srcs.iter().map(|src| src.ty().bytes()).max().unwrap_or(4);
        let factors = widest(&srcs[..2]);
        let may_overflow = alu.saturate && result.bytes() == 8 && srcs.len() > 2;
        let widest = if alu.saturate { widest(srcs) } else { factors };
        if factors == 8 || may_overflow {
            return self.unsupported("a product of 64-bit integers by an intrinsic");
        }
        let signed = alu.operands[..2].contains(&Sign::Signed);
        if !alu.saturate && widest >= result.bytes() {
            // Only the lower bits matter.
            let (_, to, product) = self.temp(if signed { VType::D } else { VType::Ud }, count);
            self.alu(Opcode::Mul, count, to.clone(), &srcs[..2])?;
            let last = match srcs.get(2) {
                Some(addend) => {
                    self.alu(Opcode::Add, count, to, &[product.clone(), addend.clone()])?;
                    product
                }
                None => product,
            };
            return self.masked(Opcode::Mov, count, dst.typed(result), &[last], mask, false);
        }
        let wide = match (widest, signed) {
            (4, true) => VType::Q,
            (4, false) => VType::Uq,
            (_, true) => VType::D,
            (_, false) => VType::Ud,
        };
        let wide = match (result.bytes(), wide.bytes()) {
            (8, _) if signed => VType::Q,
            (8, _) => VType::Uq,
            _ => wide,
        };
        let (_, to, product) = self.temp(wide, count);
        self.alu(Opcode::Mul, count, to.clone(), &srcs[..2])?;
        if let Some(addend) = srcs.get(2) {
            self.alu(Opcode::Add, count, to, &[product.clone(), addend.clone()])?;
        }
        self.masked(
            Opcode::Mov,
            count,
            dst.typed(result),
            &[product],
            mask,
            alu.saturate,
        )
    }

    fn copy_sign(&mut self, inst: Inst, count: u32, scalar: Scalar, dst: Dst) -> Result<()> {
        let data = self.data(inst);
        let bits = self.shared.module.types.bits(scalar);
        let ty = match bits {
            16 => VType::Uw,
            32 => VType::Ud,
            _ => VType::Uq,
        };
        let sign = 1u64 << (bits - 1);
        let magnitude = self.in_variable(data.args[0], count)?.typed(ty);
        let from = self.in_variable(data.args[1], count)?.typed(ty);
        let (_, a, low) = self.temp(ty, count);
        self.alu(Opcode::And, count, a, &[magnitude, imm(ty, sign - 1)])?;
        let (_, b, high) = self.temp(ty, count);
        self.alu(Opcode::And, count, b, &[from, imm(ty, sign)])?;
        self.alu(Opcode::Or, count, dst.typed(ty), &[low, high])
    }

    /// Sum or difference of dwords with its carry, the results by `extractvalue`.
    pub fn with_carry(&mut self, inst: Inst, op: Opcode) -> Result<()> {
        let data = self.data(inst);
        let (count, scalar) = self.shape(data.args[0])?;
        if scalar != Scalar::Int(32) {
            return self.error(Code::Operand, "the operands must be of 32 bits");
        }
        let a = self.source(data.args[0], Sign::Unsigned)?;
        let b = self.source(data.args[1], Sign::Unsigned)?;
        let (_, sum, sum_src) = self.temp(VType::Ud, count);
        let (_, carry, carry_src) = self.temp(VType::Ud, count);
        // One instruction has two destinations: in steps of eight.
        let mut i = 0;
        while i < count {
            let size = (count - i).min(8);
            let size = 1 << size.ilog2();
            let part = |src: &Src| super::value::selected(src.clone(), i..i + size);
            let (s, c) = (part_of(&sum, i), part_of(&carry, i));
            let operands = self.object().operands(&[c, s], &[part(&a), part(&b)], size);
            let Some(mut operands) = operands else {
                return self.error(
                    Code::Size,
                    "an operand cannot be reached by its instruction",
                );
            };
            // Sum first.
            operands.swap(0, 1);
            self.object().inst(op, super::object::exec(size), operands);
            i += size;
        }
        let results = self.members(inst);
        for (member, user) in results {
            let src = match member {
                0 => carry_src.clone(),
                _ => sum_src.clone(),
            };
            let to = self.whole(user, Sign::Unsigned)?;
            self.copy(count, to, src)?;
        }
        Ok(())
    }

    /// Product and sum of dwords in 64 bits: the halves as two results, the upper one first, or in one vector, the lower
    /// ones in its first half.
    pub fn wide_mad(&mut self, inst: Inst, sign: Sign, result: Option<Value>) -> Result<()> {
        let data = self.data(inst);
        let &[a, b, c] = &data.args[..] else {
            return self.error(Code::Operand, "3 operands are expected");
        };
        let (count, scalar) = self.shape(a)?;
        let lower = match result {
            Some(result) => self.shape(result)?.0 / 2,
            None => count,
        };
        if scalar != Scalar::Int(32) || lower < count {
            return self.error(
                Code::Operand,
                "dwords are expected, and twice as many of the result",
            );
        }
        let wide = match sign {
            Sign::Signed => VType::Q,
            _ => VType::Uq,
        };
        let (a, b, c) = (
            self.source(a, sign)?,
            self.source(b, sign)?,
            self.source(c, sign)?,
        );
        let (var, to, sum) = self.temp(wide, count);
        self.alu(Opcode::Mul, count, to.clone(), &[a, b])?;
        self.alu(Opcode::Add, count, to, &[sum, c])?;
        let half = |at| super::function::source(var, VType::Ud, Layout::contiguous(at, 8));
        let (low, high) = (half(0), half(4));
        if let Some(result) = result {
            let dst = self.whole(result, Sign::Unsigned)?;
            self.copy(count, dst.clone(), low)?;
            return self.copy(count, part_of(&dst, lower), high);
        }
        for (member, user) in self.members(inst) {
            let to = self.whole(user, Sign::Unsigned)?;
            let src = if member == 0 { &high } else { &low };
            self.copy(count, to, src.clone())?;
        }
        Ok(())
    }

    /// Values that are taken out of an aggregate result, by the number of the member.
    pub fn members(&self, inst: Inst) -> Vec<(u32, Value)> {
        let Some(result) = self.data(inst).result else {
            return Vec::new();
        };
        let uses = self.bales.uses[result].iter();
        uses.filter_map(|(user, _)| {
            let data = self.data(*user);
            match &data.op {
                Op::ExtractValue(path) => Some((path[0], data.result?)),
                _ => None,
            }
        })
        .collect()
    }
}

/// Elements of a contiguous destination from one on.
fn part_of(dst: &Dst, i: u32) -> Dst {
    match dst {
        Dst::Var { var, ty, layout } => Dst::var(*var, *ty, layout.moved(i * ty.bytes())),
        other => other.clone(),
    }
}

/// The operands of an operation on bytes or words as those of one on doublewords, for operations that treat each bit by
/// itself. None unless all elements are written, and those of each operand fill doublewords.
fn as_doublewords(to: &Target, srcs: &[Src]) -> Option<(Target, SmallVec<[Src; 2]>)> {
    const DWORD: u32 = 4;
    let Dst::Var { var, ty, layout } = &to.dst else {
        return None;
    };
    let bytes = ty.bytes();
    let size = to.count * bytes;
    if bytes >= DWORD || size < 2 * DWORD || !size.is_multiple_of(DWORD) || to.mask.is_some() {
        return None;
    }
    let whole = |layout: &Layout| {
        let start = layout.at(0);
        let fills = *layout == Layout::contiguous(start, bytes) && start.is_multiple_of(DWORD);
        fills.then(|| Layout::contiguous(start, DWORD))
    };
    let operand = |src: &Src| match src {
        Src::Imm { bits, .. } => Some(imm(VType::D, repeated(*bits, bytes, DWORD))),
        Src::Var {
            var,
            ty,
            layout,
            modifier: Modifier::None,
        } if ty.bytes() == bytes => Some(source(*var, VType::D, whole(layout)?)),
        _ => None,
    };
    let to = Target {
        count: size / DWORD,
        dst: Dst::var(*var, VType::D, whole(layout)?),
        ..to.clone()
    };
    Some((to, srcs.iter().map(operand).collect::<Option<_>>()?))
}
