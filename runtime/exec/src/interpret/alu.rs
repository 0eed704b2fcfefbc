//! Arithmetic and logic operations.
//!
//! An instruction is executed in one of three domains, depending on its operands' types: integers, singles (`hf` and
//! `f`) and doubles. In each domain all sources are read, then all channels computed, then the enabled ones written;
//! flags are set from the written values.

use std::cmp::Ordering;

use kiln_emit::inst::{Cond, Op, Type};

use super::math;
use super::systolic;
use crate::code::operation::{Base, Condition, Dest, Operation, Path, Target};
use crate::state::cause::Cause;
use crate::state::lanes::{LANES, Lanes, low_mask};
use crate::state::numbers::{Int, double_nan_of, fused, int_range, number_of, wrap};
use crate::state::thread::{File, Thread};
use crate::state::wide::{self, Format, Rounding, Wide};

/// Channels that `sad2` and `sada2` write.
const EVEN_CHANNELS: u32 = 0x5555_5555;

/// A bit for each of the first `lanes` channels for which the condition holds.
fn lanes_where(lanes: usize, holds: impl Fn(usize) -> bool) -> u32 {
    (0..lanes).fold(0, |bits, lane| bits | u32::from(holds(lane)) << lane)
}

impl Thread {
    /// Sets the flag's bits of the enabled channels, if a flag is to be written.
    #[inline]
    pub fn set_flags(&mut self, cond: &Condition, enabled: u32, values: u32) {
        if let Some(bit) = cond.bit {
            let place = |bits: u32| u128::from(bits).checked_shl(u32::from(bit)).unwrap_or(0);
            self.set_flag_bits(place(enabled), place(values));
        }
    }

    /// Executes an operation that neither branches, sends nor waits.
    #[inline]
    pub fn execute(&mut self, op: &Operation) -> Result<(), Cause> {
        match &op.path {
            Path::Raw => self.raw_move(op),
            Path::Int => self.int_op::<i64>(op),
            Path::WideInt => self.int_op::<i128>(op),
            Path::Single => self.single_op(op),
            Path::Double => self.double_op(op),
            Path::Math(function) => math::execute(self, op, *function),
            Path::Madm => math::madm(self, op),
            Path::Scattered => self.scattered_move(op),
            Path::Indexed => self.indexed_move(op),
            Path::Nop => Ok(()),
            Path::Fault(cause) => Err(Cause::clone(cause)),
            Path::Stochastic => self.stochastic(op),
            Path::Systolic(systolic) if !systolic.is_shared() => {
                systolic::execute(self, op, systolic);
                Ok(())
            }
            Path::Branch | Path::Send(_) | Path::Wait | Path::Barrier | Path::Systolic(_) => {
                Err(Cause::Op(op.op))
            }
        }
    }

    /// A move that changes no bit: denormals and signalling NaNs pass unchanged.
    pub fn raw_move(&mut self, op: &Operation) -> Result<(), Cause> {
        let lanes = usize::from(op.lanes);
        let (enabled, src) = (self.enabled(op), &op.srcs[0]);
        let mut bits = [0u64; LANES];
        self.load_bits(src, lanes, enabled, &mut bits)?;
        // The modifiers of floats act on the sign bit alone.
        let sign = 1u64 << (op.dst.ty.bytes() * 8 - 1);
        for b in &mut bits[..lanes] {
            if src.abs {
                *b &= !sign;
            }
            if src.neg {
                *b ^= sign;
            }
        }
        self.store_bits(&op.dst, lanes, enabled, |lane| bits[lane])
    }

    /// `smov`: a move whose second source is a further mask of channels, from bit 0.
    pub fn scattered_move(&mut self, op: &Operation) -> Result<(), Cause> {
        let Base::Constant(bits) = op.srcs[1].base else {
            return Err(Cause::Malformed {
                what: "smov without an immediate mask",
            });
        };
        let enabled = self.enabled(op) & bits as u32;
        let lanes = usize::from(op.lanes);
        let mut values = [0i128; LANES];
        self.load_int(&op.srcs[0], lanes, enabled, false, &mut values)?;
        self.store_bits(&op.dst, lanes, enabled, |lane| values[lane].low())
    }

    /// `srnd`: adds random bits to those that the result has no room for, and truncates the sum.
    fn stochastic(&mut self, op: &Operation) -> Result<(), Cause> {
        let lanes = usize::from(op.lanes);
        let enabled = self.enabled(op);
        let from = op.srcs[0].ty;
        let (format, cut) = match (from, op.dst.ty) {
            (Type::F, Type::Hf) => (wide::HF, 13),
            (Type::Hf, Type::Bf8 | Type::Ub) => (wide::BF8, 8),
            (_, ty) => return Err(Cause::OpType { op: op.op, ty }),
        };
        let mut values = [0; LANES];
        let mut noise = [0; LANES];
        self.load_bits(&op.srcs[0], lanes, enabled, &mut values)?;
        self.load_bits(&op.srcs[1], lanes, enabled, &mut noise)?;
        self.store_bits(&op.dst, lanes, enabled, |lane| {
            let finite = number_of(values[lane], from).is_finite();
            let added = if finite {
                noise[lane] & u64::from(low_mask(cut))
            } else {
                0
            };
            let sum = f64::from(number_of(values[lane] + added, from));
            // An overflow gives an infinity, not the largest number.
            let sum = if sum.abs() >= format.limit() {
                f64::INFINITY.copysign(sum)
            } else {
                sum
            };
            Wide::from_f64(sum).round(format, Rounding::TowardZero)
        })
    }

    /// An operation on integers that `T` has room for.
    pub fn int_op<T: Int>(&mut self, op: &Operation) -> Result<(), Cause> {
        use Op::*;
        let lanes = usize::from(op.lanes);
        let dst = &op.dst;
        let logical = matches!(op.op, And | Or | Xor | Not | Bfn(_));
        let enabled = match op.op {
            Sad2 | Sada2 => self.enabled(op) & EVEN_CHANNELS,
            _ => self.enabled(op),
        };
        let live = self.live(op, self.enabled(op));
        let mut s = [[T::default(); LANES]; 3];
        for (src, values) in op.sources().iter().zip(&mut s) {
            self.load_int(src, lanes, live, logical, values)?;
            if matches!(op.op, Addc | Subb) && src.is_accumulator() {
                // The carry out of the lower half is wanted, whatever the accumulator has above it.
                for value in &mut values[..lanes] {
                    *value = value.and(T::from_u64(u32::MAX.into()));
                }
            }
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
        let width = op.width();
        let ones = T::from_u64(if width == 64 {
            u64::MAX
        } else {
            u64::from(u32::MAX)
        });
        match op.op {
            Mov => r = *a,
            Not => each!(|a = a| a.not()),
            And => each!(|a = a, b = b| a.and(b)),
            Or => each!(|a = a, b = b| a.or(b)),
            Xor => each!(|a = a, b = b| a.xor(b)),
            Add => each!(|a = a, b = b| a.wrapping_add(b)),
            Add3 => each!(|a = a, b = b, c = c| a.wrapping_add(b).wrapping_add(c)),
            Bfn(function) => each!(|a = a, b = b, c = c| bit_function(function, [a, b, c])),
            Dp4a => {
                let [_, b_type, c_type] = op.srcs.each_ref().map(|src| src.ty);
                each!(|a = a, b = b, c = c| {
                    let (b, c) = (bytes_of(b, b_type), bytes_of(c, c_type));
                    let products = b.iter().zip(c).map(|(b, c)| b * c);
                    a.wrapping_add(T::from_i64(products.sum()))
                });
            }
            Mul => each!(|a = a, b = b| a.wrapping_mul(b)),
            Mad => each!(|a = a, b = b, c = c| a.wrapping_add(b.wrapping_mul(c))),
            Avg => each!(|a = a, b = b| a.wrapping_add(b).wrapping_add(T::from_i64(1)).shr(1)),
            Shl => each!(|a = a, b = b| a.shl((b.low() & (width - 1)) as u32)),
            Shr => each!(|a = a, b = b| {
                T::from_u64(a.and(ones).low() >> (b.low() & (width - 1)))
            }),
            Asr => each!(|a = a, b = b| a.shr((b.low() & (width - 1)) as u32)),
            Rol => each!(|a = a, b = b| rotated(a, b, op.srcs[0].ty, u64::rotate_left)),
            Ror => each!(|a = a, b = b| rotated(a, b, op.srcs[0].ty, u64::rotate_right)),
            Bfrev => each!(|a = a| T::from_u64(u64::from((a.low() as u32).reverse_bits()))),
            Lzd => each!(|a = a| T::from_u64(u64::from((a.low() as u32).leading_zeros()))),
            Fbl => each!(|a = a| bit_or_none(a.low() as u32, u32::trailing_zeros)),
            Fbh if op.srcs[0].ty.is_signed() => each!(|a = a| {
                // The first bit that differs from the sign.
                let a = a.low() as u32;
                bit_or_none(if a >> 31 != 0 { !a } else { a }, u32::leading_zeros)
            }),
            Fbh => each!(|a = a| bit_or_none(a.low() as u32, u32::leading_zeros)),
            Cbit => {
                let ty = op.srcs[0].ty;
                let source = u64::MAX >> (64 - ty.bytes() * 8);
                each!(|a = a| T::from_u64(u64::from((a.low() & source).count_ones())))
            }
            Bfe => {
                let signed = op.srcs[2].ty.is_signed();
                each!(|w = a, o = b, v = c| bitfield(w.low(), o.low(), v.low() as u32, signed))
            }
            Bfi1 => each!(|w = a, o = b| {
                let ones = (1u64 << (w.low() & 31)) - 1;
                T::from_u64(u64::from((ones << (o.low() & 31)) as u32))
            }),
            // The field is shifted up to the start of the mask.
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
            Mach | Macl => return self.mach(op, a, b),
            Sad2 | Sada2 => r = self.absolute_differences(op.op, a, b),
            Sel => {
                r = self.select(op, a, b, |cond, a, b| compare(cond, a.cmp(&b)))?;
                let mask = self.mask(op);
                return self.store_int(dst, lanes, mask, op.saturate, &mut r);
            }
            Cmp | Cmpn => {
                let cond = condition(op)?;
                let values = lanes_where(lanes, |l| compare(cond, a[l].cmp(&b[l])));
                return self.store_comparison(op, enabled, values);
            }
            Csel => {
                let cond = op.cond.map(|cond| cond.cond);
                each!(|a = a, b = b, c = c| {
                    let first = cond.is_none_or(|cond| compare(cond, c.cmp(&T::default())));
                    if first { a } else { b }
                });
                return self.store_int(dst, lanes, enabled, op.saturate, &mut r);
            }
            other => return Err(Cause::Op(other)),
        }
        self.finish_int(op, enabled, &mut r)
    }

    /// Stores results of an operation on integers, and sets the flags and the accumulator as it asks for.
    fn finish_int<T: Int>(
        &mut self,
        op: &Operation,
        enabled: u32,
        r: &mut Lanes<T>,
    ) -> Result<(), Cause> {
        let (lanes, dst) = (usize::from(op.lanes), &op.dst);
        let overflow = match &op.cond {
            Some(cond) if cond.cond == Cond::Ov => {
                let (low, high) = int_range(dst.ty);
                Some(lanes_where(lanes, |l| {
                    !(low..=high).contains(&r[l].to_i128())
                }))
            }
            _ => None,
        };
        self.store_int(dst, lanes, enabled, op.saturate, r)?;
        // For these two the accumulator already has the carry or borrow.
        if op.acc_write && !matches!(op.op, Op::Addc | Op::Subb) {
            self.write_acc(lanes, enabled, |lane| r[lane].low() as i64);
        }
        if let Some(cond) = &op.cond {
            let values = overflow.unwrap_or_else(|| {
                lanes_where(lanes, |l| {
                    // The value as converted to the destination's type, even for a null destination.
                    let stored = match dst.ty.is_float() {
                        true => r[l],
                        false => wrap(r[l], dst.ty),
                    };
                    compare(cond.cond, stored.cmp(&T::default()))
                })
            });
            self.set_flags(cond, enabled, values);
        }
        Ok(())
    }

    /// `mach` and `macl` complete a 64-bit product: the accumulator holds the product with the lower half of the
    /// second source. They write its upper or its lower dword.
    fn mach<T: Int>(&mut self, op: &Operation, a: &Lanes<T>, b: &Lanes<T>) -> Result<(), Cause> {
        let lanes = usize::from(op.lanes);
        let enabled = self.enabled(op);
        let acc = self.read_acc(lanes);
        let mut full = [0i64; LANES];
        let mut half = [0i64; LANES];
        let signed = op.srcs[0].ty.is_signed() || op.srcs[1].ty.is_signed();
        for lane in 0..lanes {
            let upper = (b[lane].low() as i64 >> 16) << 16;
            let product = (a[lane].low() as i64).wrapping_mul(upper);
            full[lane] = acc[lane].wrapping_add(product);
            half[lane] = match (op.op, signed) {
                (Op::Macl, true) => i64::from(full[lane] as i32),
                (Op::Macl, false) => i64::from(full[lane] as u32),
                (_, true) => full[lane] >> 32,
                (_, false) => (full[lane] as u64 >> 32) as i64,
            };
        }
        self.store_int(&op.dst, lanes, enabled, op.saturate, &mut half)?;
        if op.acc_write {
            self.write_acc(lanes, enabled, |lane| full[lane]);
        }
        if let Some(cond) = &op.cond {
            let values = lanes_where(lanes, |l| compare(cond.cond, half[l].cmp(&0)));
            self.set_flags(cond, enabled, values);
        }
        Ok(())
    }

    /// The accumulator that dword operations read implicitly: `acc0`, and `acc1` for the channels beyond it. An
    /// instruction's first channel is in its first lane, whatever its channel offset.
    fn read_acc(&self, lanes: usize) -> Lanes<i64> {
        let mut out = [0; LANES];
        for (lane, out) in out.iter_mut().enumerate().take(lanes) {
            *out = self.acc.wide(lane * 4, 4).unwrap_or(0);
        }
        out
    }

    /// Writes the accumulator that [`Thread::read_acc`] reads.
    fn write_acc(&mut self, lanes: usize, enabled: u32, value: impl Fn(usize) -> i64) {
        for lane in (0..lanes).filter(|lane| enabled >> lane & 1 != 0) {
            let v = value(lane);
            if let Some(wide) = self.acc.wide_mut(lane * 4, 4) {
                *wide = v;
            }
            if let Some(bytes) = self.acc.bytes[lane * 4..].first_chunk_mut() {
                *bytes = (v as u32).to_le_bytes();
            }
        }
    }

    /// Results of a `sel`: the first source of each channel for which the predicate or, with a condition, `first`
    /// holds.
    fn select<T: Copy>(
        &self,
        op: &Operation,
        a: &Lanes<T>,
        b: &Lanes<T>,
        first: impl Fn(Cond, T, T) -> bool,
    ) -> Result<Lanes<T>, Cause> {
        let chosen = match (&op.cond, &op.pred) {
            (Some(_), _) => 0,
            (None, Some(pred)) => self.predicate(op, pred),
            (None, None) => {
                return Err(Cause::Malformed {
                    what: "sel with neither a predicate nor a condition",
                });
            }
        };
        Ok(std::array::from_fn(|lane| {
            let is_first = match op.cond {
                Some(cond) => first(cond.cond, a[lane], b[lane]),
                None => chosen >> lane & 1 != 0,
            };
            if is_first { a[lane] } else { b[lane] }
        }))
    }

    /// The channels for which sources matter: the predicate of a `sel` masks none.
    fn live(&self, op: &Operation, enabled: u32) -> u32 {
        match op.op {
            Op::Sel => self.mask(op),
            _ => enabled,
        }
    }

    /// The result of a comparison: ones or zeroes to the destination, and the flags.
    fn store_comparison(&mut self, op: &Operation, enabled: u32, values: u32) -> Result<(), Cause> {
        let lanes = usize::from(op.lanes);
        self.store_bits(&op.dst, lanes, enabled, |lane| {
            if values >> lane & 1 != 0 { u64::MAX } else { 0 }
        })?;
        if let Some(cond) = &op.cond {
            self.set_flags(cond, enabled, values);
        }
        Ok(())
    }

    /// Executes an operation whose operands are `f` or `hf`.
    pub fn single_op(&mut self, op: &Operation) -> Result<(), Cause> {
        let lanes = usize::from(op.lanes);
        let enabled = self.enabled(op);
        let live = self.live(op, enabled);
        let mut singles = [[0f32; LANES]; 3];
        for (src, values) in op.sources().iter().zip(&mut singles) {
            self.load_f32(src, lanes, live, values)?;
        }
        if selects_singles(op) {
            return self.select_singles(op, live, &singles);
        }
        let mut s = [[0f64; LANES]; 3];
        for (values, singles) in s.iter_mut().zip(&singles).take(op.sources().len()) {
            for (value, single) in values.iter_mut().zip(singles).take(lanes) {
                *value = f64::from(*single);
            }
        }
        self.float_op(op, wide::F, &s)
    }

    /// An operation with a `df`.
    pub fn double_op(&mut self, op: &Operation) -> Result<(), Cause> {
        let lanes = usize::from(op.lanes);
        let enabled = self.enabled(op);
        let live = self.live(op, enabled);
        let mut s = [[0f64; LANES]; 3];
        for (src, values) in op.sources().iter().zip(&mut s) {
            self.load_f64(src, lanes, live, values)?;
        }
        self.float_op(op, wide::DF, &s)
    }

    /// Selects among singles, whose bits stay: a wider format would make a signalling not-a-number quiet.
    fn select_singles(
        &mut self,
        op: &Operation,
        live: u32,
        [a, b, c]: &[Lanes<f32>; 3],
    ) -> Result<(), Cause> {
        let lanes = usize::from(op.lanes);
        let cond = op.cond.as_ref().map(|cond| cond.cond);
        let chosen = match (op.op, cond, &op.pred) {
            (Op::Csel, cond, _) => lanes_where(lanes, |l| {
                cond.is_none_or(|cond| compare_float(cond, c[l].into(), 0.0))
            }),
            // A number is preferred to not-a-number.
            (_, Some(cond), _) => lanes_where(lanes, |l| {
                b[l].is_nan() || compare_float(cond, a[l].into(), b[l].into())
            }),
            (_, None, Some(pred)) => self.predicate(op, pred),
            (_, None, None) => {
                return Err(Cause::Malformed {
                    what: "sel with neither a predicate nor a condition",
                });
            }
        };
        self.store_bits(&op.dst, lanes, live, |lane| {
            let single = if chosen >> lane & 1 != 0 { a } else { b };
            single[lane].to_bits().into()
        })
    }

    /// An operation on floats with its sources as doubles; `exec` is the format of the execution type.
    fn float_op(&mut self, op: &Operation, exec: Format, s: &[Lanes<f64>; 3]) -> Result<(), Cause> {
        use Op::*;
        let lanes = usize::from(op.lanes);
        let dst = &op.dst;
        let [a, b, c] = s;
        let mut r = [0f64; LANES];
        let mode = self.mode.rounding;
        // Results are rounded once, to the destination's format if it is a float.
        let format = match dst.ty {
            Type::Hf => wide::HF,
            Type::Bf => wide::BF,
            Type::Tf32 => wide::TF32,
            Type::Bf8 => wide::BF8,
            Type::F => wide::F,
            Type::Df | Type::Nf => wide::DF,
            _ => exec,
        };
        let host = mode == Rounding::NearestEven && format == wide::DF;
        // Sources of a single operation are exact singles: the host rounds once, too.
        let single = mode == Rounding::NearestEven && format == wide::F && exec == wide::F;
        let rounded = |w: Wide| Wide::from_bits(w.round(format, mode), format).to_f64();
        let w = Wide::from_f64;
        let enabled = self.enabled(op);
        match op.op {
            Mov => r = *a,
            Add if host => (0..lanes).for_each(|l| r[l] = a[l] + b[l]),
            Mul if host => (0..lanes).for_each(|l| r[l] = a[l] * b[l]),
            Mad if host => (0..lanes).for_each(|l| r[l] = b[l].mul_add(c[l], a[l])),
            Add if single => (0..lanes).for_each(|l| r[l] = f64::from(a[l] as f32 + b[l] as f32)),
            Mul if single => (0..lanes).for_each(|l| r[l] = f64::from(a[l] as f32 * b[l] as f32)),
            Mad if single => (0..lanes).for_each(|l| {
                r[l] = fused(b[l] as f32, c[l] as f32, a[l] as f32).into();
            }),
            Add => (0..lanes).for_each(|l| r[l] = rounded(w(a[l]).add(w(b[l]), mode))),
            Mul => (0..lanes).for_each(|l| r[l] = rounded(w(a[l]).mul(w(b[l])))),
            Mad => (0..lanes).for_each(|l| r[l] = rounded(w(b[l]).mul_add(w(c[l]), w(a[l]), mode))),
            // src0 * src1 + (1 - src0) * src2.
            Lrp => (0..lanes).for_each(|l| {
                let rest = w(1.0).add(w(a[l]).negated(), mode).mul(w(c[l]));
                r[l] = rounded(w(a[l]).mul(w(b[l])).add(rest, mode));
            }),
            Mac if matches!(dst.ty, Type::Hf | Type::F | Type::Df) => {
                let acc = self.accumulated(dst.ty, lanes)?;
                (0..lanes).for_each(|l| {
                    r[l] = rounded(w(a[l]).mul_add(w(b[l]), w(acc[l]), mode));
                    if r[l].is_nan() {
                        r[l] = double_nan_of(&[a[l], b[l], acc[l]]);
                    }
                });
            }
            Dp2 | Dp3 | Dp4 | Dph if lanes % 4 == 0 => r = self.dot(op.op, lanes, a, b),
            Line => r = self.line(op, b)?,
            Pln => r = self.plane(op)?,
            Frc if host || single => (0..lanes).for_each(|l| r[l] = a[l] - a[l].floor()),
            Frc => (0..lanes).for_each(|l| {
                let whole = w(a[l].floor()).negated();
                // A zero is positive in any rounding mode.
                r[l] = rounded(w(a[l]).add(whole, Rounding::NearestEven));
            }),
            Rndu => (0..lanes).for_each(|l| r[l] = a[l].ceil()),
            Rndd => (0..lanes).for_each(|l| r[l] = a[l].floor()),
            Rnde => (0..lanes).for_each(|l| r[l] = a[l].round_ties_even()),
            Rndz => (0..lanes).for_each(|l| r[l] = a[l].trunc()),
            Sel => {
                // A number is preferred to not-a-number.
                let first = |cond, a, b: f64| b.is_nan() || compare_float(cond, a, b);
                r = self.select(op, a, b, first)?;
                let mask = self.mask(op);
                return self.store_f64(dst, lanes, mask, op.saturate, &mut r);
            }
            Cmp | Cmpn => {
                let cond = condition(op)?;
                let values = lanes_where(lanes, |l| {
                    compare_float(cond, a[l], b[l]) || op.op == Cmpn && b[l].is_nan()
                });
                return self.store_comparison(op, enabled, values);
            }
            Csel => {
                let cond = op.cond.map(|cond| cond.cond);
                for lane in 0..lanes {
                    let first = cond.is_none_or(|cond| compare_float(cond, c[lane], 0.0));
                    r[lane] = if first { a[lane] } else { b[lane] };
                }
                return self.store_f64(dst, lanes, enabled, op.saturate, &mut r);
            }
            op => return Err(Cause::OpType { op, ty: dst.ty }),
        }
        if let Some(sources) = rounded_sources(op.op, s) {
            for (lane, r) in r.iter_mut().enumerate().take(lanes) {
                if r.is_nan() {
                    *r = double_nan_of(&sources.map(|s| s[lane]));
                }
            }
        }
        self.store_f64(dst, lanes, enabled, op.saturate, &mut r)?;
        self.finish_float(op, enabled, &r)
    }

    /// The accumulator and the flags after a float result was written.
    fn finish_float(&mut self, op: &Operation, enabled: u32, r: &Lanes<f64>) -> Result<(), Cause> {
        let lanes = usize::from(op.lanes);
        if op.acc_write {
            let acc = Dest {
                target: Target::File {
                    file: File::Acc,
                    at: 0,
                },
                step: op.dst.ty.bytes() as u16,
                ..op.dst
            };
            self.store_f64(&acc, lanes, enabled, false, &mut r.clone())?;
        }
        if let Some(cond) = &op.cond {
            let values = lanes_where(lanes, |l| compare_float(cond.cond, r[l], 0.0));
            self.set_flags(cond, enabled, values);
        }
        Ok(())
    }
}

/// The sources of arithmetic whose results that are no numbers follow [`double_nan_of`], in the order of its rule;
/// none of other operations.
fn rounded_sources(op: Op, [a, b, c]: &[Lanes<f64>; 3]) -> Option<[&Lanes<f64>; 3]> {
    match op {
        Op::Add | Op::Mul => Some([a, b, b]),
        Op::Mad => Some([b, c, a]),
        Op::Frc | Op::Rndu | Op::Rndd | Op::Rnde | Op::Rndz => Some([a, a, a]),
        _ => None,
    }
}

fn condition(op: &Operation) -> Result<Cond, Cause> {
    op.cond.map(|c| c.cond).ok_or(Cause::Malformed {
        what: "a comparison without a condition",
    })
}

/// True if a relation holds for an ordering.
pub fn compare(cond: Cond, order: Ordering) -> bool {
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

pub fn compare_float(cond: Cond, a: f64, b: f64) -> bool {
    match a.partial_cmp(&b) {
        Some(order) => compare(cond, order),
        None => matches!(cond, Cond::Ne | Cond::Un),
    }
}

/// A bit's number, or all ones when there is none.
fn bit_or_none<T: Int>(v: u32, number: fn(u32) -> u32) -> T {
    T::from_u64(u64::from(if v == 0 { u32::MAX } else { number(v) }))
}

/// `bfn`: each result bit is the bit of `function` at the index that the three sources' bits make, the first source's
/// the lowest.
fn bit_function<T: Int>(function: u8, sources: [T; 3]) -> T {
    let mut result = T::default();
    for number in (0..8).filter(|number| function >> number & 1 != 0) {
        let mut all = T::from_i64(-1);
        for (n, source) in sources.into_iter().enumerate() {
            let set = number >> n & 1 != 0;
            all = all.and(if set { source } else { source.not() });
        }
        result = result.or(all);
    }
    result
}

/// The four bytes of a dword, sign-extended if it is of a signed type.
fn bytes_of<T: Int>(v: T, ty: Type) -> [i64; 4] {
    (v.low() as u32)
        .to_le_bytes()
        .map(|byte| match ty.is_signed() {
            true => i64::from(byte as i8),
            false => i64::from(byte),
        })
}

/// A number of a type, rotated within that type.
fn rotated<T: Int>(v: T, by: T, ty: Type, rotate: fn(u64, u32) -> u64) -> T {
    let bits = ty.bytes() * 8;
    let low = v.low() & (u64::MAX >> (64 - bits));
    // Copies of the number fill the word, so that a rotation of the word rotates each copy.
    let copies = (0..64 / bits).fold(0, |all, i| all | low << (i * bits));
    T::from_u64(rotate(copies, by.low() as u32 % bits) & (u64::MAX >> (64 - bits)))
}

/// `width` bits of `v` from bit `offset`, sign- or zero-extended.
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

/// True if an operation selects among singles and leaves them as they are.
fn selects_singles(op: &Operation) -> bool {
    let single = |ty: Type| ty == Type::F;
    let selects = matches!(op.op, Op::Sel | Op::Csel) && !op.saturate;
    selects && single(op.dst.ty) && op.sources().iter().all(|src| single(src.ty))
}
