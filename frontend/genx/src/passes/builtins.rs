//! Arithmetic that the platform has no instruction for, as functions of the library in `library.rs`.
//!
//! Takes any function whose integers have 1, 8, 16, 32 or 64 bits. Afterwards no integer is divided but by instructions of the
//! platform, no float has a remainder, and bits are counted, reversed and swapped by instructions for dwords.

use kiln_platform::platform::Platform;
use kiln_visa::opcode::Opcode;
use smallvec::SmallVec;

use super::builder::{Builder, rewrite};
use super::library::Text;
use crate::error::Result;
use crate::intrinsics::Kind;
use crate::ir::{BinaryOp, CastOp, Function, Inst, Module, Op, Scalar, Types, Value};

/// Inlines the functions.
///
/// # Errors
/// A value becomes too large.
pub fn lower(
    module: &mut Module,
    function: &mut Function,
    platform: &'static Platform,
) -> Result<()> {
    let wants = |types: &Types, function: &Function, inst| {
        builtin(types, function, inst, platform).is_some()
    };
    rewrite(&mut module.types, function, wants, |builder| {
        let (builtin, bits) = match builtin(builder.types, builder.function, builder.inst, platform)
        {
            Some(found) => found,
            None => return Ok(()),
        };
        let args = builder.function.insts[builder.inst].args.clone();
        let result = match (builtin, &args[..]) {
            (Builtin::Divide(op), &[a, b]) => builder.divided(op, bits, a, b, platform)?,
            (Builtin::Remainder, &[a, b]) => builder.remainder(bits, a, b)?,
            (Builtin::Bits(name), &[a, ..]) => {
                builder.inlined_one(Text::Bits, &format!("{name}.i{bits}"), &[a])?
            }
            (Builtin::Math(name), args) => builder.function_of_floats(name, bits, args)?,
            (Builtin::Convert(op, from), &[x]) => builder.converted(op, from, bits, x, platform)?,
            (Builtin::Launch(name), args) => {
                let zero = builder.function.bits(Types::I32, 0);
                let dimension = args.first().copied().unwrap_or(zero);
                let wide = builder.inlined_one(Text::Launch, name, &[dimension])?;
                let ty = builder.function.insts[builder.inst].ty;
                match bits {
                    64 => wide,
                    _ => builder.cast(CastOp::Trunc, wide, ty),
                }
            }
            (Builtin::Shift(left), &[a, by]) => builder.funnel(left, bits, [a, a], by)?,
            (Builtin::Shift(left), &[a, b, by]) => builder.funnel(left, bits, [a, b], by)?,
            _ => return builder.error("another number of operands is expected"),
        };
        builder.become_bits(result);
        Ok(())
    })
}

/// An operation that becomes a function.
enum Builtin {
    Divide(BinaryOp),
    Remainder,
    /// A function of one operand.
    Bits(&'static str),
    /// A shift of two numbers side by side, to the left or right; of one number twice, if it has two operands.
    Shift(bool),
    /// A value of a launch.
    Launch(&'static str),
    /// A function of floats.
    Math(&'static str),
    /// A conversion from so many bits, one of its sides an integer of 64.
    Convert(CastOp, u32),
}

/// True if vISA divides integers on a platform. Where it has no `mod`, its `div` is of floats.
fn divides_dwords(platform: &Platform) -> bool {
    Opcode::Mod.row().platforms.contains(platform.generation)
}

/// True if integers of 64 bits can be multiplied by a reciprocal: there are doubles, converted from and to such integers, and
/// divided correctly.
fn has_reciprocals(platform: &Platform) -> bool {
    let divides = Opcode::Divm.row().platforms.contains(platform.generation);
    platform.fp64 && platform.int64 && divides
}

/// The function that an instruction becomes on a platform, and the bits of its elements.
fn builtin(
    types: &Types,
    function: &Function,
    inst: Inst,
    platform: &Platform,
) -> Option<(Builtin, u32)> {
    let data = &function.insts[inst];
    let scalar = types.element(data.ty)?;
    let bits = types.bits(scalar);
    let builtin = match &data.op {
        Op::Binary(BinaryOp::FRem) if scalar != Scalar::BFloat => {
            return Some((Builtin::Remainder, bits));
        }
        Op::Cast(op @ (CastOp::UiToFp | CastOp::SiToFp | CastOp::FpToUi | CastOp::FpToSi)) => {
            let from = types.element(function.ty(*data.args.first()?))?;
            let float = if scalar.is_float() { scalar } else { from };
            let wide = scalar == Scalar::Int(64) || from == Scalar::Int(64);
            let known = match float {
                Scalar::Half => wide,
                Scalar::Float => wide && !platform.int64,
                _ => false,
            };
            return known.then_some((Builtin::Convert(*op, types.bits(from)), bits));
        }
        Op::Binary(op @ (BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem)) => {
            let divides = divides_dwords(platform);
            (bits != 32 || !divides).then_some(Builtin::Divide(*op))
        }
        Op::Intrinsic(intrinsic) => match intrinsic.kind() {
            Kind::CountOnes => Some(Builtin::Bits("ctpop")),
            Kind::LeadingZeros => Some(Builtin::Bits("ctlz")),
            Kind::TrailingZeros => Some(Builtin::Bits("cttz")),
            Kind::ReverseBits => Some(Builtin::Bits("bitreverse")),
            Kind::Math(_, Some(fast)) if data.flags.afn => {
                return Some((Builtin::Math(fast), bits));
            }
            Kind::Math(name, _) => return Some((Builtin::Math(name), bits)),
            Kind::Approximate(_) if !data.flags.afn => {
                return Some((Builtin::Math(intrinsic.name()), bits));
            }
            Kind::Launch(name) => Some(Builtin::Launch(name)),
            Kind::SwapBytes if bits > 8 => Some(Builtin::Bits("bswap")),
            Kind::Rotate(left) | Kind::FunnelShift(left) => Some(Builtin::Shift(left)),
            _ => None,
        },
        _ => None,
    };
    let known = matches!(bits, 8 | 16 | 32 | 64) && matches!(scalar, Scalar::Int(_));
    Some((builtin.filter(|_| known)?, bits))
}

impl Builder<'_> {
    /// A quotient or remainder of integers. Those of fewer than 32 bits are of dwords.
    fn divided(
        &mut self,
        op: BinaryOp,
        bits: u32,
        a: Value,
        b: Value,
        platform: &Platform,
    ) -> Result<Value> {
        let signed = matches!(op, BinaryOp::SDiv | BinaryOp::SRem);
        if bits < 32 {
            let (wide, own) = (self.shaped(a, Scalar::Int(32)), self.function.ty(a));
            let extend = if signed { CastOp::SExt } else { CastOp::ZExt };
            let [a, b] = [a, b].map(|x| self.extended_to(extend, bits, x, wide));
            let result = self.divided(op, 32, a, b, platform)?;
            return Ok(self.cast(CastOp::Trunc, result, own));
        }
        if bits == 32 && divides_dwords(platform) {
            return Ok(self.binary(op, a, b));
        }
        let name = match op {
            BinaryOp::UDiv | BinaryOp::SDiv => "udiv",
            _ => "urem",
        };
        let (magnitude, with_sign) = (format!("magnitude.i{bits}"), format!("signed.i{bits}"));
        let n = match signed {
            true => self.inlined_one(Text::Division, &magnitude, &[a])?,
            false => a,
        };
        let constant = self.function.as_bits(b).filter(|d| *d != 0 && bits == 32);
        let mut result = match constant {
            Some(d) => {
                let d = match signed {
                    true => (d as u32).cast_signed().unsigned_abs(),
                    false => d as u32,
                };
                let ty = self.function.ty(a);
                let [d, reciprocal] = [d, u32::MAX / d].map(|n| self.splat(ty, n.into()));
                self.inlined_one(
                    Text::Division,
                    &format!("{name}.by.i32"),
                    &[n, d, reciprocal],
                )?
            }
            None => {
                let d = match signed {
                    true => self.inlined_one(Text::Division, &magnitude, &[b])?,
                    false => b,
                };
                let way = match bits == 64 && !has_reciprocals(platform) {
                    true => "bits.",
                    false => "",
                };
                self.inlined_one(Text::Division, &format!("{way}{name}.i{bits}"), &[n, d])?
            }
        };
        // A quotient of different signs is negative; a remainder has the sign of the dividend.
        if signed {
            result = self.inlined_one(Text::Division, &with_sign, &[result, a])?;
        }
        match (op, constant) {
            (BinaryOp::SDiv, Some(d)) if (d as u32).cast_signed() > 0 => Ok(result),
            (BinaryOp::SDiv, _) => self.inlined_one(Text::Division, &with_sign, &[result, b]),
            _ => Ok(result),
        }
    }

    /// An integer of so many bits in more, a constant as one.
    fn extended_to(&mut self, op: CastOp, bits: u32, value: Value, ty: crate::ir::Type) -> Value {
        match self.function.as_bits(value) {
            Some(n) => {
                let above = 64 - bits;
                let n = match op {
                    CastOp::SExt => ((n << above).cast_signed() >> above).cast_unsigned(),
                    _ => n,
                };
                self.splat(ty, n & u64::from(u32::MAX))
            }
            None => self.cast(op, value, ty),
        }
    }

    /// A function of floats. Those of halves are computed in floats.
    fn function_of_floats(&mut self, name: &str, bits: u32, args: &[Value]) -> Result<Value> {
        let of_doubles = format!("{name}.f64");
        let name = format!("{name}.f32");
        match bits {
            64 if Text::Doubles.has(&of_doubles)? => {
                self.inlined_one(Text::Doubles, &of_doubles, args)
            }
            32 => self.inlined_one(Text::Math, &name, args),
            16 => {
                let ty = self.function.insts[self.inst].ty;
                let mut wide: SmallVec<[Value; 2]> = SmallVec::new();
                for arg in args {
                    let float = self.shaped(*arg, Scalar::Float);
                    wide.push(self.cast(CastOp::FpExt, *arg, float));
                }
                let result = self.inlined_one(Text::Math, &name, &wide)?;
                Ok(self.cast(CastOp::FpTrunc, result, ty))
            }
            _ => self.error("this function of doubles is not supported"),
        }
    }

    /// A conversion between an integer of 64 bits and a float, or a half, whose finite values are those of small integers.
    fn converted(
        &mut self,
        op: CastOp,
        from: u32,
        to: u32,
        x: Value,
        platform: &Platform,
    ) -> Result<Value> {
        let name = match op {
            CastOp::UiToFp => "uitofp.i64.f32",
            CastOp::SiToFp => "sitofp.i64.f32",
            CastOp::FpToUi => "fptoui.f32.i64",
            _ => "fptosi.f32.i64",
        };
        let float = self.shaped(x, Scalar::Float);
        let x = match from {
            16 => self.cast(CastOp::FpExt, x, float),
            _ => x,
        };
        let result = match (platform.int64, op) {
            (true, CastOp::UiToFp | CastOp::SiToFp) => self.cast(op, x, float),
            (true, _) => {
                let ty = self.function.insts[self.inst].ty;
                self.cast(op, x, ty)
            }
            (false, _) => self.inlined_one(Text::Convert, name, &[x])?,
        };
        if to != 16 {
            return Ok(result);
        }
        let half = self.function.insts[self.inst].ty;
        Ok(self.cast(CastOp::FpTrunc, result, half))
    }

    /// The remainder of floats. That of halves equals the remainder of the same floats.
    fn remainder(&mut self, bits: u32, a: Value, b: Value) -> Result<Value> {
        if bits != 16 {
            return self.inlined_one(Text::Remainder, &format!("frem.f{bits}"), &[a, b]);
        }
        let (float, half) = (self.shaped(a, Scalar::Float), self.function.ty(a));
        let [a, b] = [a, b].map(|x| self.cast(CastOp::FpExt, x, float));
        let result = self.inlined_one(Text::Remainder, "frem.f32", &[a, b])?;
        Ok(self.cast(CastOp::FpTrunc, result, half))
    }

    /// The upper or lower half of two numbers side by side, shifted.
    fn funnel(
        &mut self,
        left: bool,
        bits: u32,
        [high, low]: [Value; 2],
        by: Value,
    ) -> Result<Value> {
        let mask = u64::from(bits - 1);
        let (first, second) = match left {
            true => (BinaryOp::Shl, BinaryOp::LShr),
            false => (BinaryOp::LShr, BinaryOp::Shl),
        };
        let (near, far) = if left { (high, low) } else { (low, high) };
        let Some(n) = self.function.as_bits(by).map(|n| n & mask) else {
            // The rest by one, then by what is missing to all bits but one: never by all.
            let n = self.binary_bits(BinaryOp::And, by, mask);
            let shifted = self.binary(first, near, n);
            let missing = self.binary_bits(BinaryOp::Xor, n, mask);
            let half = self.binary_bits(second, far, 1);
            let rest = self.binary(second, half, missing);
            return Ok(self.binary(BinaryOp::Or, shifted, rest));
        };
        if n == 0 {
            return Ok(near);
        }
        let shifted = self.binary_bits(first, near, n);
        let rest = self.binary_bits(second, far, u64::from(bits) - n);
        Ok(self.binary(BinaryOp::Or, shifted, rest))
    }
}
