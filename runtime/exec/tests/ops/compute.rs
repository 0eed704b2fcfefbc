//! The model's operations: what one channel's result is.

use kiln_emit::inst::{Inst, MathFn, Op, Place, Reg, Src, SrcReg, Type};
use rustc_apfloat::ieee::{Double, Quad, Single};
use rustc_apfloat::{Float, Round};

use crate::model::{
    Outcome, Result, State, Unknown, Value, narrow, ones, quad_of_int, relation, widen, width,
};
use crate::{exact, real};

impl State {
    /// The type that float results are rounded to when the destination is no float.
    fn execution_type(inst: &Inst) -> Type {
        let double = inst.srcs.iter().any(|s| s.ty() == Type::Df);
        if double { Type::Df } else { Type::F }
    }

    /// A result on its way to the destination: rounded as floats are.
    fn rounded(&self, inst: &Inst, v: Quad) -> Value {
        let dst = inst.dst.map_or(Type::F, |d| d.ty);
        if dst.is_float() {
            return Value::Real(v);
        }
        let exec = Self::execution_type(inst);
        let bits = match exec {
            Type::Df => narrow::<Double>(v, self.round()),
            _ => narrow::<Single>(v, self.round()),
        };
        Value::Real(match exec {
            Type::Df => widen::<Double>(bits),
            _ => widen::<Single>(bits),
        })
    }

    /// The result of the instruction for one channel.
    pub fn compute(&self, inst: &Inst, lane: usize, chosen: bool) -> Result<Outcome> {
        let count = inst.srcs.len();
        if inst.op == Op::Mov && is_copy(inst) {
            return self.copy(inst, lane);
        }
        let floats = inst.srcs.iter().any(|s| s.ty().is_float());
        if floats && !inst.op.is_bitwise() && !matches!(inst.op, Op::Bfrev | Op::Smov | Op::Movi) {
            let mut s = [quad_of_int(0); 3];
            for (index, v) in s.iter_mut().enumerate().take(count) {
                *v = match self.value(inst, index, lane)? {
                    Value::Real(v) => v,
                    Value::Int(v) => self.real_of_int(v, inst),
                };
            }
            if let Some(value) = self.compute_groups(inst, lane)? {
                return Ok(Outcome::Value(self.rounded(inst, value)));
            }
            return self.compute_real(inst, lane, s, chosen);
        }
        let mut s = [0; 3];
        for (index, v) in s.iter_mut().enumerate().take(count) {
            let bits = matches!(inst.op, Op::Smov | Op::Movi);
            *v = match self.value(inst, index, lane)? {
                Value::Int(v) => v,
                Value::Real(_) if bits => i128::from(
                    self.bits(inst, &inst.srcs[index], lane)? & ones(width(inst.srcs[index].ty())),
                ),
                Value::Real(_) => return Err(Unknown("a float among integers")),
            };
        }
        self.compute_int(inst, lane, s, chosen)
    }

    /// An integer source of an operation on floats.
    fn real_of_int(&self, v: i128, inst: &Inst) -> Quad {
        let exec = Self::execution_type(inst);
        let v = quad_of_int(v);
        match exec {
            Type::Df => widen::<Double>(narrow::<Double>(v, self.round())),
            _ => widen::<Single>(narrow::<Single>(v, self.round())),
        }
    }

    /// Bits moved as they are, but for the sign.
    fn copy(&self, inst: &Inst, lane: usize) -> Result<Outcome> {
        let src = &inst.srcs[0];
        let mut bits = self.bits(inst, src, lane)?;
        if let Src::Reg(reg) = src {
            let sign = 1 << (width(reg.ty) - 1);
            if reg.modifier.abs {
                bits &= !sign;
            }
            if reg.modifier.neg {
                bits ^= sign;
            }
        }
        Ok(Outcome::Bits(bits))
    }

    /// A float source's number for a channel.
    fn number(&self, inst: &Inst, index: usize, lane: usize) -> Result<Quad> {
        match self.value(inst, index, lane)? {
            Value::Real(v) => Ok(v),
            Value::Int(_) => Err(Unknown("an integer among floats")),
        }
    }

    /// The result for a channel of an operation across channels; `None` for other operations.
    fn compute_groups(&self, inst: &Inst, lane: usize) -> Result<Option<Quad>> {
        let round = self.round();
        // Each product is added with a rounding to a single.
        let step = |a, b, c| widen::<Single>(narrow::<Single>(exact::fused(a, b, c, round), round));
        let sum = |terms: &[(Quad, Quad)], start: Quad| {
            terms.iter().fold(start, |sum, &(a, b)| step(a, b, sum))
        };
        let one = quad_of_int(1);
        let first = lane / 4 * 4;
        let pair = |i: usize| {
            Ok((
                self.number(inst, 0, first + i)?,
                self.number(inst, 1, first + i)?,
            ))
        };
        let single = |index: usize, byte: usize| {
            let Src::Reg(SrcReg {
                place: Place::Direct(Reg { num, byte: sub, .. }),
                ..
            }) = inst.srcs[index]
            else {
                return Err(Unknown("that operand of an equation"));
            };
            let at = num as usize * self.grf_bytes() + usize::from(sub);
            let at = if byte == 12 {
                at - at % 16 + 12
            } else {
                at + byte
            };
            Ok(widen::<Single>(self.general_bits(at, 4)))
        };
        let terms = match inst.op {
            Op::Dp2 => vec![pair(0)?, pair(1)?],
            Op::Dp3 => vec![pair(0)?, pair(1)?, pair(2)?],
            Op::Dp4 => vec![pair(0)?, pair(1)?, pair(2)?, pair(3)?],
            Op::Dph => vec![pair(0)?, pair(1)?, pair(2)?, (one, pair(3)?.1)],
            Op::Line => {
                let u = self.number(inst, 1, lane)?;
                return Ok(Some(step(single(0, 0)?, u, single(0, 12)?)));
            }
            Op::Pln => {
                // Channels 0-7: u, v; channels 8-15: u, v.
                let place = (lane / 8 * 2) * self.grf_bytes() + lane % 8 * 4;
                let (u, v) = (
                    single_at(self, inst, place)?,
                    single_at(self, inst, place + self.grf_bytes())?,
                );
                let inner = step(single(0, 4)?, v, single(0, 12)?);
                return Ok(Some(step(single(0, 0)?, u, inner)));
            }
            _ => return Ok(None),
        };
        Ok(Some(sum(&terms, -Quad::ZERO)))
    }

    fn compute_real(
        &self,
        inst: &Inst,
        lane: usize,
        [a, b, c]: [Quad; 3],
        chosen: bool,
    ) -> Result<Outcome> {
        let nearest_integer = |round| Ok(exact::integral(a, round));
        let value = match inst.op {
            Op::Mov => Ok(a),
            Op::Add => Ok(exact::fused(a, quad_of_int(1), b, self.round())),
            Op::Mul => Ok(exact::product(a, b)),
            Op::Mad => Ok(exact::fused(b, c, a, self.round())),
            Op::Mac => {
                let ty = inst.srcs[0].ty();
                let sum = self.real(self.float_acc[lane], ty);
                Ok(exact::fused(a, b, sum, self.round()))
            }
            Op::Rndd => nearest_integer(Round::TowardNegative),
            Op::Rndu => nearest_integer(Round::TowardPositive),
            Op::Rndz => nearest_integer(Round::TowardZero),
            Op::Rnde => nearest_integer(Round::NearestTiesToEven),
            Op::Frc => Ok(exact::fraction(a)),
            Op::Sel => {
                let first = match &inst.cond {
                    Some(cond) => b.is_nan() || relation(cond.cond, a.partial_cmp(&b)),
                    None => chosen,
                };
                Ok(if first { a } else { b })
            }
            Op::Csel => {
                let cond = inst.cond.ok_or(Unknown("no condition"))?.cond;
                let first = relation(cond, c.partial_cmp(&quad_of_int(0)));
                Ok(if first { a } else { b })
            }
            Op::Cmp | Op::Cmpn => {
                let cond = inst.cond.ok_or(Unknown("no condition"))?.cond;
                let truth = relation(cond, a.partial_cmp(&b)) || inst.op == Op::Cmpn && b.is_nan();
                return Ok(Outcome::Truth(truth));
            }
            Op::Math(function) => real::math(function, a, b).ok_or(Unknown("that function")),
            _ => Err(Unknown("that operation on floats")),
        }?;
        Ok(Outcome::Value(self.rounded(inst, value)))
    }

    fn compute_int(
        &self,
        inst: &Inst,
        lane: usize,
        [a, b, c]: [i128; 3],
        chosen: bool,
    ) -> Result<Outcome> {
        let types = || inst.srcs.iter().map(Src::ty).chain(inst.dst.map(|d| d.ty));
        let n = if types().any(|t| t.bytes() == 8) {
            64
        } else {
            32
        };
        let count = (b & (n - 1)) as u32;
        let low = |v: i128| v as u128 & ((1 << n) - 1);
        let dword = a as u32;
        let value = match inst.op {
            Op::Smov if inst.srcs[0].ty().is_float() => return Ok(Outcome::Bits(a as u64)),
            Op::Mov | Op::Smov => a,
            Op::Not => !a,
            Op::And => a & b,
            Op::Or => a | b,
            Op::Xor => a ^ b,
            Op::Add => a + b,
            // Products of quadwords are defined in their lower 128 bits only.
            Op::Mul => a.wrapping_mul(b),
            Op::Mad => a + b * c,
            Op::Avg => (a + b + 1).div_euclid(2),
            Op::Shl => a << count,
            Op::Shr => (low(a) >> count) as i128,
            Op::Asr => a.div_euclid(1 << count),
            Op::Lzd => (0..32).find(|i| dword << i >> 31 != 0).unwrap_or(32).into(),
            Op::Cbit => {
                let bits = a as u64 & ones(width(inst.srcs[0].ty()));
                (0..64).map(|i| i128::from(bits >> i & 1)).sum()
            }
            Op::Bfrev => (0..32)
                .map(|i| i128::from(dword >> i & 1) << (31 - i))
                .sum(),
            Op::Fbl => (0..32).find(|i| dword >> i & 1 != 0).unwrap_or(0xffff_ffff),
            Op::Fbh => {
                let sign = if inst.srcs[0].ty().is_signed() {
                    dword >> 31
                } else {
                    0
                };
                (0..32)
                    .find(|i| dword >> (31 - i) & 1 != sign)
                    .unwrap_or(0xffff_ffff)
            }
            Op::Bfe => {
                let (size, from) = (a & 31, b & 31);
                let size = size.min(32 - from);
                let field = i128::from(c as u32) >> from & ((1 << size) - 1);
                let negative = size > 0 && field >> (size - 1) != 0;
                match inst.srcs[2].ty().is_signed() && negative {
                    true => field - (1 << size),
                    false => field,
                }
            }
            Op::Bfi1 => ((1i128 << (a & 31)) - 1) << (b & 31) & 0xffff_ffff,
            Op::Bfi2 => {
                let mut field = b;
                (0..32)
                    .map(|i| {
                        let bit = 1 << i;
                        if a & bit == 0 {
                            return c & bit;
                        }
                        let next = field & 1;
                        field >>= 1;
                        // The mask is one run of ones: bits beyond it are zero.
                        next << i
                    })
                    .sum()
            }
            Op::Sad2 => {
                let pair = |i| match (self.value(inst, 0, i)?, self.value(inst, 1, i)?) {
                    (Value::Int(a), Value::Int(b)) => Ok((a - b).abs()),
                    _ => Err(Unknown("a float among integers")),
                };
                // The second channel's result is undefined: the old value is kept here.
                match lane % 2 {
                    0 => pair(lane)? + pair(lane + 1)?,
                    _ => return Ok(Outcome::Nothing),
                }
            }
            Op::Movi => {
                let Src::Reg(SrcReg {
                    place: Place::Indirect { addr, imm },
                    ty,
                    ..
                }) = inst.srcs[0]
                else {
                    return Err(Unknown("movi without addresses"));
                };
                let at = |lane: usize| {
                    let word = self.word(usize::from(addr.byte) + lane * 2);
                    (word + i64::from(imm)) as usize
                };
                let at = at(0) / self.grf_bytes() * self.grf_bytes() + at(lane) % self.grf_bytes();
                return Ok(Outcome::Bits(self.general_bits(at, ty.bytes() as usize)));
            }
            Op::Addc => return Ok(Outcome::Carry(Value::Int(a + b), (a + b) >> 32 & 1)),
            Op::Subb => return Ok(Outcome::Carry(Value::Int(a - b), (a < b).into())),
            Op::Mac => a * b + self.acc[lane],
            Op::Macl => {
                let full = self.acc[lane] + a * (b - (b & 0xffff));
                return Ok(Outcome::Carry(Value::Int(full), full));
            }
            Op::Add3 => a + b + c,
            Op::Rol | Op::Ror => {
                let n = width(inst.srcs[0].ty());
                let bits = a as u64 & ones(n);
                let left = b as u64 % u64::from(n);
                let left = match inst.op {
                    Op::Rol => left,
                    _ => (u64::from(n) - left) % u64::from(n),
                };
                let turned = u128::from(bits) << left;
                (turned as u64 & ones(n) | (turned >> n) as u64).into()
            }
            // The table's entry for the three bits, the first source's lowest.
            Op::Bfn(table) => (0..64)
                .map(|i| {
                    let entry = (a >> i & 1) | (b >> i & 1) << 1 | (c >> i & 1) << 2;
                    i128::from(u64::from(table) >> entry & 1) << i
                })
                .sum(),
            Op::Dp4a => {
                let byte = |v: i128, i: i128, ty: Type| {
                    let bits = v >> (8 * i) & 0xff;
                    match ty.is_signed() && bits > 127 {
                        true => bits - 256,
                        false => bits,
                    }
                };
                let [_, x, y] = [0, 1, 2].map(|n| inst.srcs[n].ty());
                let product = |i| byte(b, i, x) * byte(c, i, y);
                a + (0..4).map(product).sum::<i128>()
            }
            Op::Mach => {
                // The accumulator has src0 * the low word of src1: the rest is added.
                let full = self.acc[lane] + a * (b - (b & 0xffff));
                // From Gen11 to XeHPG `mach` gives the lower half unless it writes the accumulator.
                let low = ["icllp", "tgllp", "dg2", "mtl"].contains(&self.platform.name)
                    && !inst.opts.acc_wr_en;
                let result = if low { full } else { full >> 32 };
                return Ok(Outcome::Carry(Value::Int(result), full));
            }
            Op::Sel => {
                let first = match &inst.cond {
                    Some(cond) => relation(cond.cond, Some(a.cmp(&b))),
                    None => chosen,
                };
                if first { a } else { b }
            }
            Op::Csel => {
                let cond = inst.cond.ok_or(Unknown("no condition"))?.cond;
                if relation(cond, Some(c.cmp(&0))) {
                    a
                } else {
                    b
                }
            }
            Op::Cmp | Op::Cmpn => {
                let cond = inst.cond.ok_or(Unknown("no condition"))?.cond;
                return Ok(Outcome::Truth(relation(cond, Some(a.cmp(&b)))));
            }
            Op::Math(function @ (MathFn::Iqot | MathFn::Irem)) => {
                let signed = inst.srcs[0].ty().is_signed();
                let none = match (signed, a < 0) {
                    (false, _) => u32::MAX.into(),
                    (true, false) => i32::MAX.into(),
                    (true, true) => i32::MIN.into(),
                };
                match (b, function) {
                    (0, _) => none,
                    (_, MathFn::Iqot) => a.abs() / b.abs() * a.signum() * b.signum(),
                    _ => a - a.abs() / b.abs() * a.signum() * b.signum() * b,
                }
            }
            _ => return Err(Unknown("that operation on integers")),
        };
        Ok(Outcome::Value(Value::Int(value)))
    }
}

/// A single at a number of bytes after a plane equation's second source.
fn single_at(state: &State, inst: &Inst, byte: usize) -> Result<Quad> {
    let Src::Reg(SrcReg {
        place: Place::Direct(Reg { num, .. }),
        modifier,
        ..
    }) = inst.srcs[1]
    else {
        return Err(Unknown("that operand of an equation"));
    };
    let v = widen::<Single>(state.general_bits(num as usize * state.grf_bytes() + byte, 4));
    Ok(if modifier.neg { -v } else { v })
}

/// True if a `mov` copies bits: no conversion, nothing asked of the value.
fn is_copy(inst: &Inst) -> bool {
    let (Some(dst), Some(src)) = (inst.dst, inst.srcs.first()) else {
        return false;
    };
    dst.ty == src.ty() && dst.ty.is_float() && !inst.saturate && inst.cond.is_none()
}
