//! What each arithmetic and logic operation computes.
//!
//! An instruction is executed in one of three domains, by its operands' types: integers, singles
//! (`hf` and `f`) and doubles. In each, all sources are read, then all channels computed, then the
//! enabled ones written, and the flags set from what was written.

use std::cmp::Ordering;

use kiln_emit::inst::{Cond, Dst, Inst, Op, Place, Pred, PredCtrl, Reg, RegFile, Src, Type};

use super::error::Cause;
use super::machine::{LANES, Thread};
use super::math;
use super::operand::{Int, Lanes, int_range, wrap};
use super::wide::{self, Format, Rounding, Wide};

/// A mask of the lowest `n` channels.
pub fn low_mask(n: usize) -> u32 {
    if n >= LANES { u32::MAX } else { (1 << n) - 1 }
}

/// The channels an Align16 destination writes; all of them in Align1.
fn channel_mask(inst: &Inst) -> u32 {
    match &inst.dst {
        Some(dst) if inst.opts.align16 && dst.chan_mask != 15 => {
            let group = u32::from(dst.chan_mask);
            if dst.ty.bytes() == 8 {
                // A quadword has two of the group's channels.
                (group & 1 | group >> 1 & 2) * 0x5555_5555
            } else {
                group * 0x1111_1111
            }
        }
        _ => u32::MAX,
    }
}

/// The number of a flag's first bit among all flag bits.
fn flag_base(flag: Reg) -> u32 {
    flag.num * 32 + u32::from(flag.byte) * 8
}

impl Thread {
    /// The instruction's predicate for each of its channels, from bit 0.
    pub fn predicate(&self, pred: &Pred, chan_off: u8, lanes: usize) -> u32 {
        let bits = self.flag_bits();
        let base = flag_base(pred.flag);
        let from = |base: u32| bits.checked_shr(base).unwrap_or(0) as u32;
        let channels = from(base);
        let group_wise = |size: u8, test: fn(u32, u32) -> bool| {
            let size = u32::from(size).clamp(1, 32);
            let group = low_mask(size as usize);
            let mut result = 0;
            for lane in 0..lanes as u32 {
                let first = (u32::from(chan_off) + lane) / size * size;
                let of_group = channels.checked_shr(first).unwrap_or(0) & group;
                result |= u32::from(test(of_group, group)) << lane;
            }
            result
        };
        let mine = |bits: u32| bits.checked_shr(u32::from(chan_off)).unwrap_or(0);
        let value = match pred.ctrl {
            PredCtrl::Normal => mine(channels),
            // Channel by channel, over the two halves of the flag register.
            PredCtrl::AnyV => mine(from(pred.flag.num * 32) | from(pred.flag.num * 32 + 16)),
            PredCtrl::AllV => mine(from(pred.flag.num * 32) & from(pred.flag.num * 32 + 16)),
            PredCtrl::Any(size) => group_wise(size, |bits, _| bits != 0),
            PredCtrl::All(size) => group_wise(size, |bits, group| bits == group),
            PredCtrl::AnyChannel => group_wise(lanes as u8, |bits, _| bits != 0),
            PredCtrl::AllChannels => group_wise(lanes as u8, |bits, group| bits == group),
            PredCtrl::Replicate(channel) => {
                let mut result = 0;
                for lane in 0..lanes {
                    result |= (mine(channels) >> (lane & !3) >> channel & 1) << lane;
                }
                result
            }
        };
        (if pred.inverse { !value } else { value }) & low_mask(lanes)
    }

    /// The channels of the instruction that the execution mask lets through, from bit 0.
    pub fn mask(&self, inst: &Inst) -> u32 {
        let lanes = low_mask(usize::from(inst.exec_size)) & channel_mask(inst);
        if inst.no_mask {
            lanes
        } else {
            self.active >> inst.chan_off & lanes
        }
    }

    /// The channels the instruction acts on: execution mask and predicate.
    pub fn enabled(&self, inst: &Inst) -> u32 {
        let mask = self.mask(inst);
        match &inst.pred {
            Some(pred) => mask & self.predicate(pred, inst.chan_off, usize::from(inst.exec_size)),
            None => mask,
        }
    }

    /// Sets the flag's bits of the enabled channels.
    pub fn set_flags(&mut self, flag: Reg, chan_off: u8, enabled: u32, values: u32) {
        if flag.file != RegFile::Flag {
            return;
        }
        let base = flag_base(flag) + u32::from(chan_off);
        let place = |bits: u32| u64::from(bits).checked_shl(base).unwrap_or(0);
        self.set_flag_bits(place(enabled), place(values));
    }

    /// Executes an operation that neither branches nor sends.
    pub fn execute(&mut self, inst: &Inst) -> Result<(), Cause> {
        match inst.op {
            Op::Nop => return Ok(()),
            Op::Mov if is_raw_move(inst) => return self.raw_move(inst),
            Op::Smov => return self.scattered_move(inst),
            Op::Math(function) => return math::execute(self, inst, function),
            Op::Madm => return math::madm(self, inst),
            _ => {}
        }
        match domain(inst) {
            Domain::Int => self.int_op::<i64>(inst),
            Domain::WideInt => self.int_op::<i128>(inst),
            Domain::Single => self.single_op(inst),
            Domain::Double => self.double_op(inst),
        }
    }

    /// A move that changes no bit: not even a denormal or a signalling not-a-number is touched.
    fn raw_move(&mut self, inst: &Inst) -> Result<(), Cause> {
        let (dst, src) = (dst_of(inst)?, src_of(inst, 0)?);
        let lanes = usize::from(inst.exec_size);
        let mut bits = [0u64; LANES];
        self.load_bits(src, lanes, inst.opts.align16, &mut bits)?;
        if let Src::Reg(reg) = src {
            // The modifiers of floats act on the sign bit alone.
            let sign = 1u64 << (dst.ty.bytes() * 8 - 1);
            for b in &mut bits[..lanes] {
                if reg.modifier.abs {
                    *b &= !sign;
                }
                if reg.modifier.neg {
                    *b ^= sign;
                }
            }
        }
        self.store_bits(dst, lanes, self.enabled(inst), |lane| bits[lane])
    }

    /// `smov`: a move whose second source is a further mask of channels, from bit 0.
    fn scattered_move(&mut self, inst: &Inst) -> Result<(), Cause> {
        let Src::Imm { bits, .. } = src_of(inst, 1)? else {
            return Err(Cause::Malformed {
                what: "smov without an immediate mask",
            });
        };
        let enabled = self.enabled(inst) & *bits as u32;
        let (dst, lanes) = (dst_of(inst)?, usize::from(inst.exec_size));
        let mut values = [0i128; LANES];
        self.load_int(src_of(inst, 0)?, lanes, false, false, &mut values)?;
        self.store_bits(dst, lanes, enabled, |lane| values[lane].low())
    }

    fn int_op<T: Int>(&mut self, inst: &Inst) -> Result<(), Cause> {
        use Op::*;
        let lanes = usize::from(inst.exec_size);
        let dst = dst_of(inst)?;
        let logical = matches!(inst.op, And | Or | Xor | Not);
        let align16 = inst.opts.align16;
        let mut s = [[T::default(); LANES]; 3];
        for (src, values) in inst.srcs.iter().zip(&mut s) {
            self.load_int(src, lanes, align16, logical, values)?;
        }
        let [a, b, c] = &s;
        let mut r = [T::default(); LANES];
        macro_rules! each {
            (|$($v:ident = $s:ident),*| $e:expr) => {{
                for lane in 0..lanes {
                    $(let $v = $s[lane];)*
                    r[lane] = $e;
                }
            }};
        }
        let width = exec_bits(inst);
        let ones = T::from_u64(if width == 64 {
            u64::MAX
        } else {
            u64::from(u32::MAX)
        });
        let enabled = self.enabled(inst);
        match inst.op {
            Mov => r = *a,
            Not => each!(|a = a| a.not()),
            And => each!(|a = a, b = b| a.and(b)),
            Or => each!(|a = a, b = b| a.or(b)),
            Xor => each!(|a = a, b = b| a.xor(b)),
            Add => each!(|a = a, b = b| a.wrapping_add(b)),
            Mul => each!(|a = a, b = b| a.wrapping_mul(b)),
            Mad => each!(|a = a, b = b, c = c| a.wrapping_add(b.wrapping_mul(c))),
            Avg => each!(|a = a, b = b| a.wrapping_add(b).wrapping_add(T::from_i64(1)).shr1()),
            Shl => each!(|a = a, b = b| {
                T::from_u64(a.low() << (b.low() & (width - 1)))
            }),
            Shr => each!(|a = a, b = b| {
                T::from_u64(a.and(ones).low() >> (b.low() & (width - 1)))
            }),
            Asr => each!(|a = a, b = b| {
                T::from_i64((a.to_i128() >> (b.low() & (width - 1))) as i64)
            }),
            Bfrev => each!(|a = a| T::from_u64(u64::from((a.low() as u32).reverse_bits()))),
            Lzd => each!(|a = a| T::from_u64(u64::from((a.low() as u32).leading_zeros()))),
            Fbl => each!(|a = a| bit_or_none(a.low() as u32, u32::trailing_zeros)),
            Fbh if src_of(inst, 0)?.ty().is_signed() => each!(|a = a| {
                // The first bit that differs from the sign.
                let a = a.low() as u32;
                bit_or_none(if a >> 31 != 0 { !a } else { a }, u32::leading_zeros)
            }),
            Fbh => each!(|a = a| bit_or_none(a.low() as u32, u32::leading_zeros)),
            Cbit => {
                let ty = src_of(inst, 0)?.ty();
                let source = u64::MAX >> (64 - ty.bytes() * 8);
                each!(|a = a| T::from_u64(u64::from((a.low() & source).count_ones())))
            }
            Bfe => {
                let signed = src_of(inst, 2)?.ty().is_signed();
                each!(|w = a, o = b, v = c| bitfield(w.low(), o.low(), v.low() as u32, signed))
            }
            Bfi1 => each!(|w = a, o = b| {
                let ones = (1u64 << (w.low() & 31)) - 1;
                T::from_u64(u64::from((ones << (o.low() & 31)) as u32))
            }),
            // The field moves up to where the mask begins.
            Bfi2 => each!(|m = a, v = b, base = c| {
                let moved = (v.low() as u32).checked_shl((m.low() as u32).trailing_zeros());
                m.and(T::from_u64(moved.unwrap_or(0).into())).or(m.not().and(base))
            }),
            Addc => {
                each!(|a = a, b = b| a.wrapping_add(b));
                self.write_acc(lanes, enabled, |lane| (r[lane].low() >> 32 & 1) as i64);
            }
            Subb => {
                each!(|a = a, b = b| a.wrapping_sub(b));
                self.write_acc(lanes, enabled, |lane| i64::from(a[lane] < b[lane]));
            }
            Mac => {
                let acc = self.read_acc(lanes);
                each!(|a = a, b = b, acc = acc| a.wrapping_mul(b).wrapping_add(T::from_i64(acc)));
            }
            Mach => return self.mach(inst, a, b),
            Sel => {
                let chosen = match &inst.cond {
                    Some(cond) => {
                        let mut chosen = 0;
                        for lane in 0..lanes {
                            let first = compare(cond.cond, a[lane].cmp(&b[lane]));
                            chosen |= u32::from(first) << lane;
                        }
                        chosen
                    }
                    None => self.choice(inst)?,
                };
                for lane in 0..lanes {
                    r[lane] = if chosen >> lane & 1 != 0 {
                        a[lane]
                    } else {
                        b[lane]
                    };
                }
                let mask = self.mask(inst);
                return self.store_int(dst, lanes, mask, inst.saturate, &mut r);
            }
            Cmp | Cmpn => {
                let cond = condition(inst)?;
                let mut values = 0;
                for lane in 0..lanes {
                    values |= u32::from(compare(cond, a[lane].cmp(&b[lane]))) << lane;
                }
                return self.store_comparison(inst, enabled, values);
            }
            Csel => {
                let cond = condition(inst)?;
                each!(|a = a, b = b, c = c| {
                    if compare(cond, c.cmp(&T::default())) { a } else { b }
                });
                return self.store_int(dst, lanes, enabled, inst.saturate, &mut r);
            }
            op => return Err(Cause::Op(op)),
        }
        let overflow = match &inst.cond {
            Some(cond) if cond.cond == Cond::Ov => {
                let (low, high) = int_range(dst.ty);
                let mut bits = 0;
                for (lane, v) in r.iter().enumerate().take(lanes) {
                    bits |= u32::from(!(low..=high).contains(&v.to_i128())) << lane;
                }
                bits
            }
            _ => 0,
        };
        self.store_int(dst, lanes, enabled, inst.saturate, &mut r)?;
        // Of these two the accumulator already has the carry or borrow.
        if inst.opts.acc_wr_en && !matches!(inst.op, Addc | Subb) {
            self.write_acc(lanes, enabled, |lane| r[lane].low() as i64);
        }
        if let Some(cond) = &inst.cond {
            let mut values = overflow;
            if cond.cond != Cond::Ov {
                for (lane, v) in r.iter().enumerate().take(lanes) {
                    // As its destination's type has it, even if the destination is null.
                    let stored = if dst.ty.is_float() {
                        *v
                    } else {
                        wrap(*v, dst.ty)
                    };
                    values |= u32::from(compare(cond.cond, stored.cmp(&T::default()))) << lane;
                }
            }
            self.set_flags(cond.flag, inst.chan_off, enabled, values);
        }
        Ok(())
    }

    /// `mach`: completes a 64-bit product of which the accumulator holds what the lower half of
    /// the second source makes, and writes its upper dword.
    fn mach<T: Int>(&mut self, inst: &Inst, a: &Lanes<T>, b: &Lanes<T>) -> Result<(), Cause> {
        let lanes = usize::from(inst.exec_size);
        let enabled = self.enabled(inst);
        let acc = self.read_acc(lanes);
        let mut full = [0i64; LANES];
        let mut high = [0i64; LANES];
        let signed = src_of(inst, 0)?.ty().is_signed() || src_of(inst, 1)?.ty().is_signed();
        for lane in 0..lanes {
            let upper = (b[lane].low() as i64 >> 16) << 16;
            let product = (a[lane].low() as i64).wrapping_mul(upper);
            full[lane] = acc[lane].wrapping_add(product);
            high[lane] = if signed {
                full[lane] >> 32
            } else {
                (full[lane] as u64 >> 32) as i64
            };
        }
        self.store_int(dst_of(inst)?, lanes, enabled, inst.saturate, &mut high)?;
        if inst.opts.acc_wr_en {
            self.write_acc(lanes, enabled, |lane| full[lane]);
        }
        if let Some(cond) = &inst.cond {
            let mut values = 0;
            for (lane, v) in high.iter().enumerate().take(lanes) {
                values |= u32::from(compare(cond.cond, v.cmp(&0))) << lane;
            }
            self.set_flags(cond.flag, inst.chan_off, enabled, values);
        }
        Ok(())
    }

    /// The accumulator that operations on dwords read without naming it: `acc0`, and `acc1` for
    /// the channels after the first eight. An instruction's first channel is in its first lane,
    /// whatever its channel offset.
    fn read_acc(&self, lanes: usize) -> Lanes<i64> {
        let mut out = [0; LANES];
        for (lane, out) in out.iter_mut().enumerate().take(lanes) {
            *out = self.acc.wide[lane / 8 * 16 + lane % 8];
        }
        out
    }

    /// Writes what [`Thread::read_acc`] reads.
    fn write_acc(&mut self, lanes: usize, enabled: u32, value: impl Fn(usize) -> i64) {
        for lane in (0..lanes).filter(|lane| enabled >> lane & 1 != 0) {
            let v = value(lane);
            self.acc.wide[lane / 8 * 16 + lane % 8] = v;
            if let Some(bytes) = self.acc.bytes[lane * 4..].first_chunk_mut() {
                *bytes = (v as u32).to_le_bytes();
            }
        }
    }

    /// The predicate of a `sel`, which chooses instead of masking.
    fn choice(&self, inst: &Inst) -> Result<u32, Cause> {
        let pred = inst.pred.as_ref().ok_or(Cause::Malformed {
            what: "sel with neither a predicate nor a condition",
        })?;
        Ok(self.predicate(pred, inst.chan_off, usize::from(inst.exec_size)))
    }

    /// The result of a comparison: ones or zeroes to the destination, and the flags.
    fn store_comparison(&mut self, inst: &Inst, enabled: u32, values: u32) -> Result<(), Cause> {
        let lanes = usize::from(inst.exec_size);
        self.store_bits(dst_of(inst)?, lanes, enabled, |lane| {
            if values >> lane & 1 != 0 { u64::MAX } else { 0 }
        })?;
        if let Some(cond) = &inst.cond {
            self.set_flags(cond.flag, inst.chan_off, enabled, values);
        }
        Ok(())
    }

    fn single_op(&mut self, inst: &Inst) -> Result<(), Cause> {
        let lanes = usize::from(inst.exec_size);
        let mut s = [[0f32; LANES]; 3];
        for (src, values) in inst.srcs.iter().zip(&mut s) {
            self.load_f32(src, lanes, inst.opts.align16, values)?;
        }
        let dst = dst_of(inst)?;
        let mut r = [0f32; LANES];
        let host = self.mode.rounding == Rounding::NearestEven && dst.ty != Type::Hf;
        let [a, b, c] = &s;
        match inst.op {
            Op::Add if host => (0..lanes).for_each(|l| r[l] = a[l] + b[l]),
            Op::Mul if host => (0..lanes).for_each(|l| r[l] = a[l] * b[l]),
            Op::Mad if host => (0..lanes).for_each(|l| r[l] = b[l].mul_add(c[l], a[l])),
            _ => {
                let doubles = s.map(|values| values.map(f64::from));
                return self.float_op(inst, wide::F, &doubles);
            }
        }
        let enabled = self.enabled(inst);
        self.store_f32(dst, lanes, enabled, inst.saturate, &mut r)?;
        self.finish_float(inst, enabled, &r.map(f64::from))
    }

    fn double_op(&mut self, inst: &Inst) -> Result<(), Cause> {
        let lanes = usize::from(inst.exec_size);
        let mut s = [[0f64; LANES]; 3];
        for (src, values) in inst.srcs.iter().zip(&mut s) {
            self.load_f64(src, lanes, inst.opts.align16, values)?;
        }
        self.float_op(inst, wide::DF, &s)
    }

    /// An operation on floats, its sources as doubles; `exec` is the format of the execution type.
    fn float_op(&mut self, inst: &Inst, exec: Format, s: &[Lanes<f64>; 3]) -> Result<(), Cause> {
        use Op::*;
        let lanes = usize::from(inst.exec_size);
        let dst = dst_of(inst)?;
        let [a, b, c] = s;
        let mut r = [0f64; LANES];
        let mode = self.mode.rounding;
        // Results are rounded once, to the destination's format if that is a float's.
        let format = match dst.ty {
            Type::Hf => wide::HF,
            Type::F => wide::F,
            Type::Df => wide::DF,
            _ => exec,
        };
        let host = mode == Rounding::NearestEven && format == wide::DF;
        let rounded = |w: Wide| Wide::from_bits(w.round(format, mode), format).to_f64();
        let w = Wide::from_f64;
        let enabled = self.enabled(inst);
        match inst.op {
            Mov => r = *a,
            Add if host => (0..lanes).for_each(|l| r[l] = a[l] + b[l]),
            Mul if host => (0..lanes).for_each(|l| r[l] = a[l] * b[l]),
            Mad if host => (0..lanes).for_each(|l| r[l] = b[l].mul_add(c[l], a[l])),
            Add => (0..lanes).for_each(|l| r[l] = rounded(w(a[l]).add(w(b[l]), mode))),
            Mul => (0..lanes).for_each(|l| r[l] = rounded(w(a[l]).mul(w(b[l])))),
            Mad => (0..lanes).for_each(|l| r[l] = rounded(w(b[l]).mul_add(w(c[l]), w(a[l]), mode))),
            // src0 * src1 + (1 - src0) * src2.
            Lrp => (0..lanes).for_each(|l| {
                let rest = w(1.0).add(w(a[l]).negated(), mode).mul(w(c[l]));
                r[l] = rounded(w(a[l]).mul(w(b[l])).add(rest, mode));
            }),
            Frc => (0..lanes).for_each(|l| r[l] = a[l] - a[l].floor()),
            Rndu => (0..lanes).for_each(|l| r[l] = a[l].ceil()),
            Rndd => (0..lanes).for_each(|l| r[l] = a[l].floor()),
            Rnde => (0..lanes).for_each(|l| r[l] = a[l].round_ties_even()),
            Rndz => (0..lanes).for_each(|l| r[l] = a[l].trunc()),
            Sel => {
                let chosen = match &inst.cond {
                    Some(cond) => {
                        let mut chosen = 0;
                        for lane in 0..lanes {
                            // A number is preferred to not-a-number.
                            let first =
                                b[lane].is_nan() || compare_float(cond.cond, a[lane], b[lane]);
                            chosen |= u32::from(first) << lane;
                        }
                        chosen
                    }
                    None => self.choice(inst)?,
                };
                for lane in 0..lanes {
                    r[lane] = if chosen >> lane & 1 != 0 {
                        a[lane]
                    } else {
                        b[lane]
                    };
                }
                let mask = self.mask(inst);
                return self.store_f64(dst, lanes, mask, inst.saturate, &mut r);
            }
            Cmp | Cmpn => {
                let cond = condition(inst)?;
                let mut values = 0;
                for lane in 0..lanes {
                    let holds = compare_float(cond, a[lane], b[lane])
                        || inst.op == Cmpn && b[lane].is_nan();
                    values |= u32::from(holds) << lane;
                }
                return self.store_comparison(inst, enabled, values);
            }
            Csel => {
                let cond = condition(inst)?;
                for lane in 0..lanes {
                    let first = compare_float(cond, c[lane], 0.0);
                    r[lane] = if first { a[lane] } else { b[lane] };
                }
                return self.store_f64(dst, lanes, enabled, inst.saturate, &mut r);
            }
            op => return Err(Cause::OpType { op, ty: dst.ty }),
        }
        self.store_f64(dst, lanes, enabled, inst.saturate, &mut r)?;
        self.finish_float(inst, enabled, &r)
    }

    /// The accumulator and the flags after a float result was written.
    fn finish_float(&mut self, inst: &Inst, enabled: u32, r: &Lanes<f64>) -> Result<(), Cause> {
        let lanes = usize::from(inst.exec_size);
        if inst.opts.acc_wr_en {
            let dst = dst_of(inst)?;
            let acc = Dst::new(Reg::new(RegFile::Acc, 0, 0), 1, dst.ty);
            self.store_f64(&acc, lanes, enabled, false, &mut r.clone())?;
        }
        if let Some(cond) = &inst.cond {
            let mut values = 0;
            for (lane, v) in r.iter().enumerate().take(lanes) {
                values |= u32::from(compare_float(cond.cond, *v, 0.0)) << lane;
            }
            self.set_flags(cond.flag, inst.chan_off, enabled, values);
        }
        Ok(())
    }
}

/// Which arithmetic an instruction is done in.
enum Domain {
    /// 64 bits hold every exact result.
    Int,
    WideInt,
    Single,
    Double,
}

fn domain(inst: &Inst) -> Domain {
    let dst = inst.dst.map_or(Type::Ud, |d| d.ty);
    let types = || inst.srcs.iter().map(Src::ty);
    let float = types().any(Type::is_float);
    // These take the bits of a float.
    if float && !matches!(inst.op, Op::And | Op::Or | Op::Xor | Op::Not | Op::Bfrev) {
        return if dst == Type::Df || types().any(|t| t == Type::Df) {
            Domain::Double
        } else {
            Domain::Single
        };
    }
    // The product of two unsigned dwords is the only result of dwords that has no room in 63 bits.
    let product = matches!(inst.op, Op::Mul | Op::Mad | Op::Mac);
    if exec_bits(inst) == 64 || product && types().filter(|&t| t == Type::Ud).count() >= 2 {
        Domain::WideInt
    } else {
        Domain::Int
    }
}

/// Bits that an integer operation works on: as many as its widest operand, 32 at least.
fn exec_bits(inst: &Inst) -> u64 {
    let wide = inst
        .srcs
        .iter()
        .map(Src::ty)
        .chain(inst.dst.map(|d| d.ty))
        .any(|t| t.bytes() == 8);
    if wide { 64 } else { 32 }
}

/// Whether a `mov` copies bits: same type on both sides, nothing asked of the value.
fn is_raw_move(inst: &Inst) -> bool {
    let [src] = inst.srcs.as_slice() else {
        return false;
    };
    let Some(dst) = inst.dst else { return false };
    let plain = match src {
        // The accumulator's lanes are wider than their type; integers have no sign bit to flip.
        Src::Reg(r) => {
            !matches!(r.place, Place::Direct(reg) if reg.file == RegFile::Acc)
                && (r.ty.is_float() || !r.modifier.neg && !r.modifier.abs)
        }
        Src::Imm { ty, .. } => !matches!(ty, Type::V | Type::Uv | Type::Vf),
    };
    let acc = matches!(dst.place, Place::Direct(reg) if reg.file == RegFile::Acc);
    src.ty() == dst.ty
        && plain
        && !acc
        && !inst.saturate
        && inst.cond.is_none()
        && !inst.opts.acc_wr_en
}

/// The destination, which every operation here has.
pub fn dst_of(inst: &Inst) -> Result<&Dst, Cause> {
    inst.dst.as_ref().ok_or(Cause::Malformed {
        what: "no destination",
    })
}

/// A source the operation must have.
pub fn src_of(inst: &Inst, index: usize) -> Result<&Src, Cause> {
    inst.srcs.get(index).ok_or(Cause::Malformed {
        what: "too few sources",
    })
}

fn condition(inst: &Inst) -> Result<Cond, Cause> {
    inst.cond.map(|c| c.cond).ok_or(Cause::Malformed {
        what: "a comparison without a condition",
    })
}

/// Whether a relation holds between two numbers that compare so.
fn compare(cond: Cond, order: Ordering) -> bool {
    match cond {
        Cond::Eq => order.is_eq(),
        Cond::Ne => order.is_ne(),
        Cond::Gt => order.is_gt(),
        Cond::Ge => order.is_ge(),
        Cond::Lt => order.is_lt(),
        Cond::Le => order.is_le(),
        Cond::Ov | Cond::Un | Cond::Eo => false,
    }
}

fn compare_float(cond: Cond, a: f64, b: f64) -> bool {
    match a.partial_cmp(&b) {
        Some(order) => compare(cond, order),
        None => matches!(cond, Cond::Ne | Cond::Un),
    }
}

/// A bit's number, or all ones when there is none.
fn bit_or_none<T: Int>(v: u32, number: fn(u32) -> u32) -> T {
    T::from_u64(u64::from(if v == 0 { u32::MAX } else { number(v) }))
}

/// `width` bits of `v` from bit `offset`, extended by their sign or by zero.
fn bitfield<T: Int>(width: u64, offset: u64, v: u32, signed: bool) -> T {
    let (width, offset) = (width & 31, offset & 31);
    if width == 0 {
        return T::default();
    }
    let shifted = v >> offset;
    // A field that reaches beyond bit 31 ends there.
    let width = width.min(32 - offset) as u32;
    let up = 32 - width;
    if signed {
        T::from_i64(i64::from((shifted << up) as i32 >> up))
    } else {
        T::from_u64(u64::from(shifted << up >> up))
    }
}
