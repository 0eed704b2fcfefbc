//! What an instruction does, a second time: channel by channel, on unbounded integers and on the
//! software floating point of `rustc_apfloat`. Shares nothing with the executor but the
//! instruction itself, and is written to be compared with the manual, not to be fast.

use kiln_emit::inst::{
    Cond, Dst, Inst, MathFn, Op, Place, Pred, PredCtrl, Reg, RegFile, Src, SrcReg, Type,
};
use rustc_apfloat::ieee::{Double, Half, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

use crate::real;

pub const GRF_BYTES: usize = 32;
/// Bits of `cr0.0` that keep denormals of `df`, `f` and `hf`.
const KEEP_DF: u32 = 1 << 6;
const KEEP_F: u32 = 1 << 7;
const KEEP_HF: u32 = 1 << 10;

/// A thread's registers.
#[derive(Clone)]
pub struct State {
    pub general: Vec<u8>,
    pub address: Vec<u8>,
    pub flags: u64,
    pub control: u32,
    /// The first notification count.
    pub notification: u32,
    pub active: u32,
    /// Dword lanes of the accumulators, with all their bits.
    pub acc: [i128; 16],
}

/// A number of any type: every float of the machine is exact in a [`Quad`].
#[derive(Clone, Copy, Debug)]
pub enum Value {
    Int(i128),
    Real(Quad),
}

/// What the model does not know: the kind is not covered by it.
#[derive(Debug, PartialEq, Eq)]
pub struct Unknown(pub &'static str);

type Result<T> = std::result::Result<T, Unknown>;

fn width(ty: Type) -> u32 {
    ty.bytes() * 8
}

fn ones(bits: u32) -> u64 {
    if bits >= 64 {
        u64::MAX
    } else {
        (1 << bits) - 1
    }
}

fn integer(bits: u64, ty: Type) -> i128 {
    let bits = i128::from(bits & ones(width(ty)));
    if ty.is_signed() && bits >> (width(ty) - 1) != 0 {
        bits - (1 << width(ty))
    } else {
        bits
    }
}

fn limits(ty: Type) -> (i128, i128) {
    let n = width(ty);
    match ty.is_signed() {
        true => (-(1 << (n - 1)), (1 << (n - 1)) - 1),
        false => (0, (1 << n) - 1),
    }
}

fn widen<F: Float + FloatConvert<Quad>>(bits: u64) -> Quad {
    F::from_bits(bits.into()).convert(&mut false).value
}

fn narrow<F: Float>(value: Quad, round: Round) -> u64
where
    Quad: FloatConvert<F>,
{
    value.convert_r(round, &mut false).value.to_bits() as u64
}

fn quad_of_int(v: i128) -> Quad {
    Quad::from_i128_r(v, Round::TowardZero).value
}

impl State {
    pub fn round(&self) -> Round {
        match self.control >> 4 & 3 {
            0 => Round::NearestTiesToEven,
            1 => Round::TowardPositive,
            2 => Round::TowardNegative,
            _ => Round::TowardZero,
        }
    }

    fn keeps_denormals(&self, ty: Type) -> bool {
        let bit = match ty {
            Type::Df => KEEP_DF,
            Type::Hf => KEEP_HF,
            _ => KEEP_F,
        };
        self.control & bit != 0
    }

    /// A denormal becomes a zero of its sign, unless they are kept.
    fn flushed(&self, bits: u64, ty: Type) -> u64 {
        let (fraction, all) = match ty {
            Type::Hf => (10, 15),
            Type::F => (23, 31),
            _ => (52, 63),
        };
        let exponent = bits >> fraction & ones(all - fraction);
        if exponent == 0 && !self.keeps_denormals(ty) {
            bits & 1 << all
        } else {
            bits
        }
    }

    fn real(&self, bits: u64, ty: Type) -> Quad {
        let bits = self.flushed(bits & ones(width(ty)), ty);
        match ty {
            Type::Hf => widen::<Half>(bits),
            Type::F => widen::<Single>(bits),
            _ => widen::<Double>(bits),
        }
    }

    /// A number rounded to a float type once.
    pub fn bits_of_real(&self, v: Quad, ty: Type) -> u64 {
        let bits = match ty {
            Type::Hf => narrow::<Half>(v, self.round()),
            Type::F => narrow::<Single>(v, self.round()),
            _ => narrow::<Double>(v, self.round()),
        };
        self.flushed(bits, ty)
    }

    fn word(&self, at: usize) -> i64 {
        i64::from(u16::from_le_bytes([self.address[at], self.address[at + 1]]))
    }

    /// Where a source's element for a channel is in the general registers.
    fn element(&self, inst: &Inst, src: &SrcReg, lane: usize) -> Result<usize> {
        let size = src.ty.bytes() as usize;
        let region = src.region;
        let (w, h) = (
            usize::from(region.width.max(1)),
            usize::from(region.hstride),
        );
        let (row, column) = (lane / w, lane % w);
        let start = |place: usize, v: usize| place + (row * v + column * h) * size;
        let place = match src.place {
            Place::Direct(reg) => reg.num as usize * GRF_BYTES + usize::from(reg.byte),
            Place::Indirect { addr, imm } => {
                let base = usize::from(addr.byte);
                match region.vstride {
                    None => {
                        let at = (self.word(base + row * 2) + i64::from(imm)) as usize;
                        return Ok(at + column * h * size);
                    }
                    Some(_) => (self.word(base) + i64::from(imm)) as usize,
                }
            }
        };
        let v = usize::from(region.vstride.ok_or(Unknown("rows of a direct source"))?);
        if !inst.opts.align16 || (v, w, h) == (0, 1, 0) {
            return Ok(start(place, v));
        }
        // Four channels of 32 bits (or less) make a group, or two of 64.
        if size == 8 {
            return Err(Unknown("Align16 quadwords"));
        }
        let chosen = usize::from(src.swizzle >> (lane % 4 * 2) & 3);
        let group = if v == 0 { 0 } else { lane / 4 * 4 };
        Ok(place + (group + chosen) * size)
    }

    fn general_bits(&self, at: usize, size: usize) -> u64 {
        let mut word = [0; 8];
        word[..size].copy_from_slice(&self.general[at..at + size]);
        u64::from_le_bytes(word)
    }

    /// A source's bits for a channel.
    fn bits(&self, inst: &Inst, src: &Src, lane: usize) -> Result<u64> {
        match src {
            Src::Imm { ty, bits } => Ok(immediate(*ty, *bits, lane, inst)),
            Src::Reg(reg) => match reg.place {
                Place::Direct(Reg {
                    file: RegFile::Flag,
                    num,
                    byte,
                }) => Ok(self.flags >> (num * 32 + u32::from(byte) * 8)),
                Place::Direct(Reg {
                    file: RegFile::Grf, ..
                })
                | Place::Indirect { .. } => {
                    let at = self.element(inst, reg, lane)?;
                    Ok(self.general_bits(at, reg.ty.bytes() as usize))
                }
                Place::Direct(Reg {
                    file: RegFile::Addr,
                    byte,
                    ..
                }) => {
                    let at = usize::from(byte);
                    Ok(self.word(at) as u64 | (self.word(at + 2) as u64) << 16)
                }
                Place::Direct(Reg {
                    file: RegFile::Control,
                    byte: 0,
                    ..
                }) => Ok(self.control.into()),
                // The instruction is alone, at the program's start.
                Place::Direct(Reg {
                    file: RegFile::Ip | RegFile::Null,
                    ..
                }) => Ok(0),
                Place::Direct(Reg {
                    file: RegFile::ChannelEnable,
                    ..
                }) => Ok(self.active.into()),
                Place::Direct(_) => Err(Unknown("a source of that register file")),
            },
        }
    }

    /// A source's number for a channel, with its modifiers.
    fn value(&self, inst: &Inst, index: usize, lane: usize) -> Result<Value> {
        let src = &inst.srcs[index];
        let (abs, neg) = match src {
            Src::Reg(r) => (r.modifier.abs, r.modifier.neg),
            Src::Imm { .. } => (false, false),
        };
        let ty = match src.ty() {
            Type::V => Type::W,
            Type::Uv => Type::Uw,
            Type::Vf => Type::F,
            ty => ty,
        };
        if ty.is_float() && !inst.op.is_bitwise() && inst.op != Op::Bfrev {
            let mut v = self.real(self.bits(inst, src, lane)?, ty);
            if abs {
                v = v.abs();
            }
            return Ok(Value::Real(if neg { -v } else { v }));
        }
        let mut v = match src {
            Src::Reg(SrcReg {
                place: Place::Direct(reg),
                ..
            }) if reg.file == RegFile::Acc => self.acc[lane],
            _ if ty.is_float() => i128::from(self.bits(inst, src, lane)? & ones(width(ty))),
            _ => integer(self.bits(inst, src, lane)?, ty),
        };
        if abs {
            v = v.abs();
        }
        if neg {
            v = if inst.op.is_bitwise() { !v } else { -v };
        }
        Ok(Value::Int(v))
    }

    /// Whether the predicate holds for a channel of the instruction.
    fn predicate(&self, pred: &Pred, inst: &Inst, lane: usize) -> Result<bool> {
        let base = pred.flag.num * 32 + u32::from(pred.flag.byte) * 8;
        let channel = u32::from(inst.chan_off) + lane as u32;
        let bit = |c: u32| self.flags.checked_shr(base + c).unwrap_or(0) & 1 != 0;
        let holds = match pred.ctrl {
            PredCtrl::Normal => bit(channel),
            PredCtrl::Any(n) | PredCtrl::All(n) => {
                let n = u32::from(n);
                let mut group = (channel / n * n..channel / n * n + n).map(bit);
                match pred.ctrl {
                    PredCtrl::Any(_) => group.any(|b| b),
                    _ => group.all(|b| b),
                }
            }
            _ => return Err(Unknown("that predicate control")),
        };
        Ok(holds != pred.inverse)
    }

    /// Whether the execution mask lets a channel of the instruction through.
    fn masked_in(&self, inst: &Inst, lane: usize) -> bool {
        let written = match &inst.dst {
            Some(dst) if inst.opts.align16 => dst.chan_mask >> (lane % 4) & 1 != 0,
            _ => true,
        };
        written && (inst.no_mask || self.active >> (usize::from(inst.chan_off) + lane) & 1 != 0)
    }

    /// The instruction's channels that execute it, counted from its first.
    pub fn enabled(&self, inst: &Inst) -> Result<Vec<usize>> {
        let mut on = Vec::new();
        for lane in 0..usize::from(inst.exec_size) {
            let chosen = match &inst.pred {
                Some(pred) => self.predicate(pred, inst, lane)?,
                None => true,
            };
            if chosen && self.masked_in(inst, lane) {
                on.push(lane);
            }
        }
        Ok(on)
    }

    fn set_flag(&mut self, flag: Reg, channel: usize, on: bool) {
        let bit = 1 << (flag.num as usize * 32 + usize::from(flag.byte) * 8 + channel);
        self.flags = if on {
            self.flags | bit
        } else {
            self.flags & !bit
        };
    }

    /// Executes an instruction that neither branches nor sends.
    pub fn execute(&mut self, inst: &Inst) -> Result<()> {
        if inst.op == Op::Nop {
            return Ok(());
        }
        let before = self.clone();
        let dst = inst.dst.as_ref().ok_or(Unknown("no destination"))?;
        for lane in 0..usize::from(inst.exec_size) {
            let chosen = match &inst.pred {
                Some(pred) => before.predicate(pred, inst, lane)?,
                None => true,
            };
            let on = before.masked_in(inst, lane) && (chosen || inst.op == Op::Sel);
            let on = match (inst.op, &inst.srcs[..]) {
                (Op::Smov, [_, Src::Imm { bits, .. }]) => on && bits >> lane & 1 != 0,
                _ => on,
            };
            if !on {
                continue;
            }
            let result = before.compute(inst, lane, chosen)?;
            self.finish(&before, inst, dst, lane, result)?;
        }
        Ok(())
    }

    /// Writes a channel's result: to the destination, the flags and the accumulator.
    fn finish(
        &mut self,
        before: &State,
        inst: &Inst,
        dst: &Dst,
        lane: usize,
        result: Outcome,
    ) -> Result<()> {
        let channel = usize::from(inst.chan_off) + lane;
        let overflows = match result {
            Outcome::Value(Value::Int(v)) => {
                let (low, high) = limits(dst.ty);
                !dst.ty.is_float() && !(low..=high).contains(&v)
            }
            _ => false,
        };
        let (bits, stored) = match result {
            Outcome::Nothing => return Ok(()),
            Outcome::Bits(bits) => (bits, None),
            Outcome::Truth(truth) => {
                if let Some(cond) = &inst.cond {
                    self.set_flag(cond.flag, channel, truth);
                }
                (if truth { u64::MAX } else { 0 }, None)
            }
            Outcome::Value(v) | Outcome::Carry(v, _) => {
                let (bits, stored) = before.converted(v, dst.ty, inst.saturate);
                (bits, Some(stored))
            }
        };
        self.write(dst, lane, bits, result)?;
        if inst.opts.acc_wr_en {
            self.acc[lane] = match (result, stored) {
                (Outcome::Carry(_, carry), _) => carry,
                (_, Some(Value::Int(v))) => v,
                _ => return Err(Unknown("a float's accumulator")),
            };
        }
        let conditional = !matches!(inst.op, Op::Sel | Op::Csel);
        if let (Some(cond), Some(stored), true) = (&inst.cond, stored, conditional) {
            let on = match (cond.cond, stored) {
                (Cond::Ov, _) => overflows,
                (cond, Value::Int(v)) => relation(cond, Some(v.cmp(&0))),
                (cond, Value::Real(v)) => relation(cond, v.partial_cmp(&quad_of_int(0))),
            };
            self.set_flag(cond.flag, channel, on);
        }
        Ok(())
    }

    fn write(&mut self, dst: &Dst, lane: usize, bits: u64, result: Outcome) -> Result<()> {
        let size = dst.ty.bytes() as usize;
        let step = lane * usize::from(dst.hstride.max(1)) * size;
        let word = bits.to_le_bytes();
        match dst.place {
            Place::Direct(reg) => match reg.file {
                RegFile::Null => {}
                RegFile::Grf => {
                    let at = reg.num as usize * GRF_BYTES + usize::from(reg.byte) + step;
                    self.general[at..at + size].copy_from_slice(&word[..size]);
                }
                RegFile::Addr => {
                    let at = usize::from(reg.byte) + step;
                    self.address[at..at + size].copy_from_slice(&word[..size]);
                }
                RegFile::Flag => {
                    let at = reg.num * 32 + u32::from(reg.byte) * 8 + step as u32 * 8;
                    let mask = ones(width(dst.ty)) << at;
                    self.flags = self.flags & !mask | bits << at & mask;
                }
                RegFile::Acc => {
                    self.acc[lane] = match result {
                        Outcome::Value(Value::Int(v)) => v,
                        _ => return Err(Unknown("a float in the accumulator")),
                    };
                }
                RegFile::Control if size == 4 => self.control = bits as u32,
                RegFile::Notification => self.notification = bits as u32,
                _ => return Err(Unknown("a destination of that register file")),
            },
            Place::Indirect { addr, imm } => {
                let at = self.word(usize::from(addr.byte)) + i64::from(imm);
                let at = at as usize + step;
                self.general[at..at + size].copy_from_slice(&word[..size]);
            }
        }
        Ok(())
    }

    /// A number as a type has it: its bits, and its value.
    fn converted(&self, v: Value, ty: Type, saturate: bool) -> (u64, Value) {
        if ty.is_float() {
            let mut v = match v {
                Value::Int(v) => quad_of_int(v),
                Value::Real(v) => v,
            };
            let one = quad_of_int(1);
            if saturate {
                v = if v > one {
                    one
                } else if v > quad_of_int(0) {
                    v
                } else {
                    quad_of_int(0)
                };
            }
            let bits = self.bits_of_real(v, ty);
            return (bits, Value::Real(self.real(bits, ty)));
        }
        let (low, high) = limits(ty);
        let v = match v {
            Value::Int(v) if saturate => v.clamp(low, high),
            Value::Int(v) => v,
            // Toward zero and clamped; what is no number is 0.
            Value::Real(v) if v.is_nan() => 0,
            Value::Real(v) => v
                .to_i128_r(100, Round::TowardZero, &mut false)
                .value
                .clamp(low, high),
        };
        (v as u64, Value::Int(integer(v as u64, ty)))
    }

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

    /// What the instruction computes for one channel.
    fn compute(&self, inst: &Inst, lane: usize, chosen: bool) -> Result<Outcome> {
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
            return self.compute_real(inst, s, chosen);
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

    /// What a channel's result is that depends on other channels; none of other operations.
    fn compute_groups(&self, inst: &Inst, lane: usize) -> Result<Option<Quad>> {
        let round = self.round();
        // Each product is added with a rounding to a single.
        let step = |a, b, c| widen::<Single>(narrow::<Single>(real::fused(a, b, c, round), round));
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
            let at = num as usize * GRF_BYTES + usize::from(sub);
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
                let place = (lane / 8 * 2) * GRF_BYTES + lane % 8 * 4;
                let (u, v) = (
                    single_at(self, inst, place)?,
                    single_at(self, inst, place + GRF_BYTES)?,
                );
                let inner = step(single(0, 4)?, v, single(0, 12)?);
                return Ok(Some(step(single(0, 0)?, u, inner)));
            }
            _ => return Ok(None),
        };
        Ok(Some(sum(&terms, -Quad::ZERO)))
    }

    fn compute_real(&self, inst: &Inst, [a, b, c]: [Quad; 3], chosen: bool) -> Result<Outcome> {
        let nearest_integer = |round| Ok(real::integral(a, round));
        let value = match inst.op {
            Op::Mov => Ok(a),
            Op::Add => Ok(real::fused(a, quad_of_int(1), b, self.round())),
            Op::Mul => Ok(real::product(a, b)),
            Op::Mad => Ok(real::fused(b, c, a, self.round())),
            Op::Rndd => nearest_integer(Round::TowardNegative),
            Op::Rndu => nearest_integer(Round::TowardPositive),
            Op::Rndz => nearest_integer(Round::TowardZero),
            Op::Rnde => nearest_integer(Round::NearestTiesToEven),
            Op::Frc => Ok(real::fraction(a)),
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
            Op::Mul => a * b,
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
                        // The mask is one run of ones: bits beyond it do not come back.
                        next << i
                    })
                    .sum()
            }
            Op::Sad2 => {
                let pair = |i| match (self.value(inst, 0, i)?, self.value(inst, 1, i)?) {
                    (Value::Int(a), Value::Int(b)) => Ok((a - b).abs()),
                    _ => Err(Unknown("a float among integers")),
                };
                // The second channel's result is undefined: here it is as it was.
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
                let at = at(0) / GRF_BYTES * GRF_BYTES + at(lane) % GRF_BYTES;
                return Ok(Outcome::Bits(self.general_bits(at, ty.bytes() as usize)));
            }
            Op::Addc => return Ok(Outcome::Carry(Value::Int(a + b), (a + b) >> 32 & 1)),
            Op::Subb => return Ok(Outcome::Carry(Value::Int(a - b), (a < b).into())),
            Op::Mac => a * b + self.acc[lane],
            Op::Mach => {
                // The accumulator has src0 * the low word of src1: the rest is added.
                let full = self.acc[lane] + a * (b - (b & 0xffff));
                return Ok(Outcome::Carry(Value::Int(full >> 32), full));
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

/// A channel's result.
#[derive(Clone, Copy)]
enum Outcome {
    /// To be converted and stored.
    Value(Value),
    /// The same, with what the accumulator gets.
    Carry(Value, i128),
    /// Stored as they are.
    Bits(u64),
    /// A comparison's.
    Truth(bool),
    /// None.
    Nothing,
}

/// A single at so many bytes behind a plane equation's second source.
fn single_at(state: &State, inst: &Inst, byte: usize) -> Result<Quad> {
    let Src::Reg(SrcReg {
        place: Place::Direct(Reg { num, .. }),
        modifier,
        ..
    }) = inst.srcs[1]
    else {
        return Err(Unknown("that operand of an equation"));
    };
    let v = widen::<Single>(state.general_bits(num as usize * GRF_BYTES + byte, 4));
    Ok(if modifier.neg { -v } else { v })
}

/// Whether a `mov` copies bits: no conversion, nothing asked of the value.
fn is_copy(inst: &Inst) -> bool {
    let (Some(dst), Some(src)) = (inst.dst, inst.srcs.first()) else {
        return false;
    };
    dst.ty == src.ty() && dst.ty.is_float() && !inst.saturate && inst.cond.is_none()
}

fn relation(cond: Cond, order: Option<std::cmp::Ordering>) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    match (cond, order) {
        (Cond::Eq, order) => order == Some(Equal),
        (Cond::Ne, order) => order != Some(Equal),
        (Cond::Gt, order) => order == Some(Greater),
        (Cond::Ge, order) => matches!(order, Some(Greater | Equal)),
        (Cond::Lt, order) => order == Some(Less),
        (Cond::Le, order) => matches!(order, Some(Less | Equal)),
        (Cond::Un, order) => order.is_none(),
        (Cond::Ov | Cond::Eo, _) => false,
    }
}

/// The bits of an immediate for a channel: elements of packed vectors go by the destination's words,
/// of `vf` by its dwords.
fn immediate(ty: Type, bits: u64, lane: usize, inst: &Inst) -> u64 {
    let step = inst
        .dst
        .map_or(4, |d| u32::from(d.hstride.max(1)) * d.ty.bytes()) as usize;
    match ty {
        Type::V | Type::Uv => {
            let element = lane * step / 2 % 8;
            let nibble = bits >> (4 * element) & 15;
            match ty {
                Type::V if nibble >= 8 => nibble | 0xffff_ffff_ffff_fff0,
                _ => nibble,
            }
        }
        Type::Vf => {
            let byte = bits >> (8 * (lane * step / 4 % 4)) & 0xff;
            let sign = (byte >> 7) << 31;
            match byte & 0x7f {
                0 => sign,
                // Exponents go from a bias of 3 to one of 127, fractions from 4 bits to 23.
                rest => sign | ((rest >> 4) + 124) << 23 | (rest & 15) << 19,
            }
        }
        _ => bits,
    }
}
