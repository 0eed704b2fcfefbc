//! A second implementation of instructions: channel by channel, on unbounded integers and on the software floating
//! point of `rustc_apfloat`. It shares only the instruction type with the executor, and is written to be compared with
//! the manual, not to be fast.
//!
//! This file has registers, operands and the writing of results; `compute` has the operations.

use kiln_emit::inst::{
    Cond, Dst, Inst, Op, Place, Pred, PredCtrl, Reg, RegFile, SWIZZLE_XYZW, Src, SrcReg, Type,
};
use kiln_emit::platform::Platform;
use rustc_apfloat::ieee::{BFloat, Double, Float8E5M2, Half, Quad, Single};
use rustc_apfloat::{Float, FloatConvert, Round};

/// Bits of `cr0.0` that keep denormals of `df`, `f` and `hf`.
const KEEP_DF: u32 = 1 << 6;
const KEEP_F: u32 = 1 << 7;
const KEEP_HF: u32 = 1 << 10;

/// A thread's registers.
#[derive(Clone)]
pub struct State {
    pub platform: &'static Platform,
    pub general: Vec<u8>,
    pub address: Vec<u8>,
    pub flags: u64,
    pub control: u32,
    /// The first notification count.
    pub notification: u32,
    pub active: u32,
    /// Dword lanes of the accumulators, with all their bits.
    pub acc: [i128; 16],
    /// Float lanes of the accumulators, as they were stored.
    pub float_acc: [u64; 16],
    /// The first dwords of the registers of a thread's state and of its messages.
    pub thread_state: u32,
    pub message_state: u32,
}

/// A number of any type: every float of the machine is exact in a [`Quad`].
#[derive(Clone, Copy, Debug)]
pub enum Value {
    Int(i128),
    Real(Quad),
}

/// The error that the model does not cover a kind.
#[derive(Debug, PartialEq, Eq)]
pub struct Unknown(pub &'static str);

pub type Result<T> = std::result::Result<T, Unknown>;

pub fn width(ty: Type) -> u32 {
    ty.bytes() * 8
}

pub fn ones(bits: u32) -> u64 {
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

pub fn widen<F: Float + FloatConvert<Quad>>(bits: u64) -> Quad {
    F::from_bits(bits.into()).convert(&mut false).value
}

pub fn narrow<F: Float>(value: Quad, round: Round) -> u64
where
    Quad: FloatConvert<F>,
{
    value.convert_r(round, &mut false).value.to_bits() as u64
}

/// Unused low bits of the dword of a `tf32`.
const TF32_CUT: u32 = 13;

/// A number with as many digits as a `tf32` has, which are those of a `hf`, and the exponent of a single.
fn tf32(v: Quad, round: Round) -> Quad {
    let exponent = v.ilogb();
    if !v.is_finite() || v.is_zero() {
        return v;
    }
    // Below the normal numbers the last digit keeps its place.
    let down = match exponent < -126 {
        true => 126 - 14,
        false => -exponent,
    };
    let digits = widen::<Half>(narrow::<Half>(v.scalbn(down), round));
    digits.scalbn(-down)
}

pub fn quad_of_int(v: i128) -> Quad {
    Quad::from_i128_r(v, Round::TowardZero).value
}

impl State {
    /// Bytes of a general register.
    pub fn grf_bytes(&self) -> usize {
        self.platform.grf_bytes as usize
    }

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

    /// Replaces a denormal by a zero of its sign, unless denormals are kept.
    fn flushed(&self, bits: u64, ty: Type) -> u64 {
        let (fraction, all) = match ty {
            Type::Hf => (10, 15),
            Type::Bf => (7, 15),
            Type::Bf8 => (2, 7),
            Type::Tf32 => (23, 31),
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

    pub fn real(&self, bits: u64, ty: Type) -> Quad {
        let bits = self.flushed(bits & ones(width(ty)), ty);
        match ty {
            Type::Hf => widen::<Half>(bits),
            Type::Bf => widen::<BFloat>(bits),
            Type::Bf8 => widen::<Float8E5M2>(bits),
            // The low bits of the dword are ignored.
            Type::Tf32 => widen::<Single>(bits & !ones(TF32_CUT)),
            Type::F => widen::<Single>(bits),
            _ => widen::<Double>(bits),
        }
    }

    /// A number rounded to a float type once.
    pub fn bits_of_real(&self, v: Quad, ty: Type) -> u64 {
        let bits = match ty {
            Type::Hf => narrow::<Half>(v, self.round()),
            Type::Bf => narrow::<BFloat>(v, self.round()),
            Type::Bf8 => narrow::<Float8E5M2>(v, self.round()),
            Type::Tf32 => narrow::<Single>(tf32(v, self.round()), self.round()),
            Type::F => narrow::<Single>(v, self.round()),
            _ => narrow::<Double>(v, self.round()),
        };
        self.flushed(bits, ty)
    }

    pub fn word(&self, at: usize) -> i64 {
        i64::from(u16::from_le_bytes([self.address[at], self.address[at + 1]]))
    }

    /// Byte of a source's element for a channel in the general registers.
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
            Place::Direct(reg) => reg.num as usize * self.grf_bytes() + usize::from(reg.byte),
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
            // Align16 quadwords are implemented without swizzle only.
            return match src.swizzle == SWIZZLE_XYZW && v != 0 {
                true => Ok(place + lane * size),
                false => Err(Unknown("Align16 quadwords in another order")),
            };
        }
        let chosen = usize::from(src.swizzle >> (lane % 4 * 2) & 3);
        let group = if v == 0 { 0 } else { lane / 4 * 4 };
        Ok(place + (group + chosen) * size)
    }

    pub fn general_bits(&self, at: usize, size: usize) -> u64 {
        let mut word = [0; 8];
        word[..size].copy_from_slice(&self.general[at..at + size]);
        u64::from_le_bytes(word)
    }

    /// A source's bits for a channel.
    pub fn bits(&self, inst: &Inst, src: &Src, lane: usize) -> Result<u64> {
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
                Place::Direct(Reg {
                    file: RegFile::State,
                    byte: 0,
                    ..
                }) => Ok(self.thread_state.into()),
                Place::Direct(Reg {
                    file: RegFile::MessageControl,
                    byte: 0,
                    ..
                }) => Ok(self.message_state.into()),
                Place::Direct(Reg {
                    file: RegFile::Acc, ..
                }) if reg.ty.is_float() => Ok(self.float_acc[lane]),
                // The instruction is alone, at offset 0.
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
    pub fn value(&self, inst: &Inst, index: usize, lane: usize) -> Result<Value> {
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

    /// True if the predicate holds for a channel of the instruction.
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

    /// True if the execution mask lets a channel of the instruction through.
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

    /// True if the accumulator is written. From XeHPC on there is no accumulator write control: carries, borrows and
    /// `mach` always write it.
    pub fn writes_accumulator(&self, inst: &Inst) -> bool {
        let always = ["pvc", "lnl", "bmg", "ptl"].contains(&self.platform.name);
        inst.opts.acc_wr_en || always && matches!(inst.op, Op::Addc | Op::Subb | Op::Mach)
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
        if self.writes_accumulator(inst) {
            match (result, stored) {
                (Outcome::Carry(_, carry), _) => self.acc[lane] = carry,
                (_, Some(Value::Int(v))) => self.acc[lane] = v,
                _ => self.float_acc[lane] = bits,
            }
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
                    let at = reg.num as usize * self.grf_bytes() + usize::from(reg.byte) + step;
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
                RegFile::Acc if dst.ty.is_float() => self.float_acc[lane] = bits,
                RegFile::Acc => {
                    self.acc[lane] = match result {
                        Outcome::Value(Value::Int(v)) => v,
                        _ => return Err(Unknown("bits in the accumulator")),
                    };
                }
                RegFile::Control if size == 4 => self.control = bits as u32,
                RegFile::State if size == 4 => self.thread_state = bits as u32,
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

    /// Converts a number to a type: its bits and its value.
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
}

/// A channel's result.
#[derive(Clone, Copy)]
pub enum Outcome {
    /// To be converted and stored.
    Value(Value),
    /// As `Value`, with the value for the accumulator.
    Carry(Value, i128),
    /// Stored as they are.
    Bits(u64),
    /// A comparison's.
    Truth(bool),
    /// No result.
    Nothing,
}

pub fn relation(cond: Cond, order: Option<std::cmp::Ordering>) -> bool {
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
