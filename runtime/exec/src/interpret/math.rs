//! The shared math function: transcendental functions, integer division, and the macro steps of
//! IEEE division and square root.
//!
//! The functions are computed in doubles and rounded, to half a unit in the last place; the hardware's have a few units
//! (PRM vol. 7, "Extended Math"). Those that a host's library would compute are the crate `libm`'s, so that all hosts
//! have the same results.
//!
//! # Macro operands
//!
//! `invm`, `rsqtm` and `madm` compute on numbers longer than a register: a register and an
//! accumulator (`mme0`-`mme7`) together. How the hardware divides a number among the two is not
//! public. Here the register has the sign, the low bits of the exponent and the upper bits of the
//! fraction, as the type lays them out; the accumulator's element continues both (see
//! [`Extension`]). Steps round to what the pair holds, which is enough for the last one, which
//! writes an ordinary number, to be rounded correctly. The first approximation has the precision
//! of a single: the remaining steps are needed to refine it.

use kiln_emit::inst::{Cond, MathFn, Type};

use crate::code::operation::{Condition, Operation, Target};
use crate::state::cause::Cause;
use crate::state::lanes::{LANES, Lanes};
use crate::state::numbers::double_nan_of;
use crate::state::thread::{MME_BASE, Thread};
use crate::state::wide::{self, Class, Format, Wide};

/// The `mme` operand number that means none.
const NO_MME: u8 = 8;
/// Number of exponent bits in the extension.
const EXPONENT_BITS: u32 = 5;

/// Executes `math`.
pub fn execute(thread: &mut Thread, op: &Operation, function: MathFn) -> Result<(), Cause> {
    match function {
        MathFn::Idiv | MathFn::Iqot | MathFn::Irem => divide(thread, op, function),
        MathFn::Invm | MathFn::Rsqtm => approximate(thread, op, function),
        _ => float_function(thread, op, function),
    }
}

fn float_function(thread: &mut Thread, op: &Operation, function: MathFn) -> Result<(), Cause> {
    let lanes = usize::from(op.lanes);
    let dst = &op.dst;
    let live = thread.enabled(op);
    let mut s = [[0f64; LANES]; 2];
    for (src, values) in op.sources().iter().zip(&mut s) {
        if !matches!(src.ty, Type::F | Type::Hf) {
            return Err(Cause::OpType {
                op: op.op,
                ty: src.ty,
            });
        }
        thread.load_f64(src, lanes, live, values)?;
    }
    let [a, b] = s;
    let mut r = [0f64; LANES];
    for lane in 0..lanes {
        let (a, b) = (a[lane], b[lane]);
        r[lane] = match function {
            MathFn::Inv => 1.0 / a,
            MathFn::Log => libm::log2(a),
            MathFn::Exp => libm::exp2(a),
            MathFn::Sqt => a.sqrt(),
            MathFn::Rsqt => 1.0 / a.sqrt(),
            MathFn::Sin => libm::sin(a),
            MathFn::Cos => libm::cos(a),
            MathFn::Fdiv => a / b,
            // A negative base gives a NaN, whatever the exponent.
            MathFn::Pow if a < 0.0 => f64::NAN,
            MathFn::Pow => libm::pow(a, b),
            _ => return Err(Cause::Op(op.op)),
        };
        if r[lane].is_nan() {
            let sources = [a, b];
            r[lane] = double_nan_of(&sources[..op.sources().len().min(sources.len())]);
        }
    }
    thread.store_f64(dst, lanes, live, op.saturate, &mut r)
}

/// Integer quotient and remainder. Division by zero gives the largest number of the dividend's
/// sign for both (PRM vol. 7, "INT DIV").
fn divide(thread: &mut Thread, op: &Operation, function: MathFn) -> Result<(), Cause> {
    let lanes = usize::from(op.lanes);
    let dst = op.dst;
    let live = thread.enabled(op);
    let mut s = [[0i64; LANES]; 2];
    for (src, values) in op.sources().iter().zip(&mut s) {
        if !matches!(src.ty, Type::D | Type::Ud) {
            return Err(Cause::OpType {
                op: op.op,
                ty: src.ty,
            });
        }
        thread.load_int(src, lanes, live, false, values)?;
    }
    let signed = op.srcs[0].ty.is_signed();
    let mut quotient = [0i64; LANES];
    let mut remainder = [0i64; LANES];
    for lane in 0..lanes {
        let (a, b) = (s[0][lane], s[1][lane]);
        (quotient[lane], remainder[lane]) = match (b, signed, a < 0) {
            (0, false, _) => (i64::from(u32::MAX), i64::from(u32::MAX)),
            (0, true, false) => (i64::from(i32::MAX), i64::from(i32::MAX)),
            (0, true, true) => (i64::from(i32::MIN), i64::from(i32::MIN)),
            _ => (a / b, a % b),
        };
    }
    if function != MathFn::Irem {
        thread.store_int(&dst, lanes, live, op.saturate, &mut quotient)?;
    }
    match function {
        MathFn::Irem => thread.store_int(&dst, lanes, live, op.saturate, &mut remainder),
        MathFn::Idiv => {
            let mut next = dst;
            if let Target::File { at, .. } = &mut next.target {
                *at += (lanes * 4).next_multiple_of(thread.register_bytes()) as u16;
            }
            thread.store_int(&next, lanes, live, op.saturate, &mut remainder)
        }
        _ => Ok(()),
    }
}

/// Layout of the accumulator's element that extends a register's number. From bit 0: further fraction bits; further
/// exponent bits, signed; and a bit that is set if the register's number stands alone (zero, infinity, NaN).
struct Extension {
    format: Format,
    fraction: u32,
}

impl Extension {
    fn of(ty: Type) -> Result<Extension, Cause> {
        match ty {
            Type::Df => Ok(Extension {
                format: wide::DF,
                fraction: 63 - EXPONENT_BITS,
            }),
            Type::F => Ok(Extension {
                format: wide::F,
                fraction: 31 - EXPONENT_BITS,
            }),
            _ => Err(Cause::Form {
                what: "a macro step on that type",
            }),
        }
    }

    fn alone(&self) -> u64 {
        1 << (self.fraction + EXPONENT_BITS)
    }

    fn join(&self, bits: u64, extension: u64) -> Wide {
        if extension & self.alone() != 0 {
            return Wide::from_bits(bits, self.format);
        }
        let Format { fraction, exponent } = self.format;
        let negative = bits >> (fraction + exponent) & 1 != 0;
        let upper = bits & ((1 << fraction) - 1) | 1 << fraction;
        let lower = extension & ((1 << self.fraction) - 1);
        let significand = u128::from(upper) << self.fraction | u128::from(lower);
        let low = (bits >> fraction & ((1 << exponent) - 1)) as i32;
        let high = (extension >> self.fraction & ((1 << EXPONENT_BITS) - 1)) as i32;
        let high = high << (32 - EXPONENT_BITS) >> (32 - EXPONENT_BITS);
        let biased = high * (1 << exponent) + low;
        Wide::new(
            negative,
            significand,
            biased - self.format.bias() - (fraction + self.fraction) as i32,
        )
    }

    fn split(&self, number: Wide, rounding: wide::Rounding) -> (u64, u64) {
        if number.class != Class::Finite {
            return (number.round(self.format, rounding), self.alone());
        }
        let Format { fraction, exponent } = self.format;
        let bits = fraction + 1 + self.fraction;
        let short = number.shortened(bits);
        // Moves the significand, which is aligned to the top, down to `bits` bits.
        let biased = short.leading_exponent() + self.format.bias();
        let significand = short.significand >> (126 - bits);
        let upper = (significand >> self.fraction) as u64 & ((1 << fraction) - 1);
        let lower = significand as u64 & ((1 << self.fraction) - 1);
        let low = biased.rem_euclid(1 << exponent) as u64;
        let high = biased.div_euclid(1 << exponent) as u64 & ((1 << EXPONENT_BITS) - 1);
        let sign = u64::from(number.negative) << (fraction + exponent);
        (
            sign | low << fraction | upper,
            high << self.fraction | lower,
        )
    }
}

/// Place of a channel's element in the accumulators.
fn extension_at(thread: &Thread, mme: u8, lane: usize, size: usize) -> usize {
    (u32::from(mme) + MME_BASE) as usize * thread.register_bytes() + lane * size
}

fn load(thread: &Thread, op: &Operation, index: usize, out: &mut Lanes<Wide>) -> Result<(), Cause> {
    let lanes = usize::from(op.lanes);
    let src = &op.srcs[index];
    let extension = Extension::of(src.ty)?;
    let size = src.ty.bytes() as usize;
    let mut bits = [0; LANES];
    thread.load_bits(src, lanes, thread.enabled(op), &mut bits)?;
    for lane in 0..lanes {
        let number = match src.mme {
            Some(mme) if mme < NO_MME => {
                let at = extension_at(thread, mme, lane, size);
                let Some(element) = thread.acc.bytes.get(at..at + size) else {
                    return Err(Cause::RegisterRange {
                        at,
                        size: thread.acc.bytes.len(),
                    });
                };
                let mut word = [0; 8];
                word[..size].copy_from_slice(element);
                extension.join(bits[lane], u64::from_le_bytes(word))
            }
            _ => Wide::from_bits(bits[lane], extension.format),
        };
        out[lane] = number;
        if src.abs {
            out[lane].negative = false;
        }
        if src.neg {
            out[lane] = out[lane].negated();
        }
    }
    Ok(())
}

fn store(
    thread: &mut Thread,
    op: &Operation,
    enabled: u32,
    numbers: &Lanes<Wide>,
) -> Result<(), Cause> {
    let lanes = usize::from(op.lanes);
    let dst = &op.dst;
    let extension = Extension::of(dst.ty)?;
    let size = dst.ty.bytes() as usize;
    let rounding = thread.mode.rounding;
    let Some(mme) = dst.mme.filter(|&mme| mme < NO_MME) else {
        return thread.store_bits(dst, lanes, enabled, |lane| {
            numbers[lane].round(extension.format, rounding)
        });
    };
    thread.store_bits(dst, lanes, enabled, |lane| {
        extension.split(numbers[lane], rounding).0
    })?;
    for lane in (0..lanes).filter(|lane| enabled >> lane & 1 != 0) {
        let at = extension_at(thread, mme, lane, size);
        let room = thread.acc.bytes.len();
        let Some(element) = thread.acc.bytes.get_mut(at..at + size) else {
            return Err(Cause::RegisterRange { at, size: room });
        };
        let (_, further) = extension.split(numbers[lane], rounding);
        element.copy_from_slice(&further.to_le_bytes()[..size]);
        thread.acc.forget_wide(at, size);
    }
    Ok(())
}

/// `madm`: `src1 * src2 + src0` on macro operands.
pub fn madm(thread: &mut Thread, op: &Operation) -> Result<(), Cause> {
    let mut s = [[Wide::NAN; LANES]; 3];
    for (index, values) in s.iter_mut().enumerate() {
        load(thread, op, index, values)?;
    }
    let mode = thread.mode.rounding;
    let mut r = [Wide::NAN; LANES];
    for lane in 0..usize::from(op.lanes) {
        r[lane] = s[1][lane].mul_add(s[2][lane], s[0][lane], mode);
    }
    let enabled = thread.enabled(op);
    store(thread, op, enabled, &r)
}

/// `invm` and `rsqtm`: a first approximation of `1 / src1` or of `1 / sqrt(src0)`. If there is nothing to refine
/// (zero, infinity, NaN), it is the macro's final result `src0 / src1` or `sqrt(src0)`, and the early-out flag is
/// set.
fn approximate(thread: &mut Thread, op: &Operation, function: MathFn) -> Result<(), Cause> {
    let lanes = usize::from(op.lanes);
    let mut s = [[Wide::NAN; LANES]; 2];
    load(thread, op, 0, &mut s[0])?;
    if function == MathFn::Invm {
        load(thread, op, 1, &mut s[1])?;
    }
    let mut r = [Wide::NAN; LANES];
    let mut early = 0;
    for lane in 0..lanes {
        let (a, b) = (s[0][lane], s[1][lane]);
        let finite = |w: Wide| w.class == Class::Finite;
        r[lane] = match function {
            MathFn::Invm if finite(a) && finite(b) => reciprocal(b),
            MathFn::Rsqtm if finite(a) && !a.negative => reciprocal_root(a),
            _ => {
                early |= 1 << lane;
                match function {
                    MathFn::Invm => Wide::from_f64(a.to_f64() / b.to_f64()),
                    _ => Wide::from_f64(a.to_f64().sqrt()),
                }
            }
        };
    }
    let enabled = thread.enabled(op);
    store(thread, op, enabled, &r)?;
    let flag = op.cond.unwrap_or(Condition {
        cond: Cond::Eo,
        bit: Some(op.chan_off),
    });
    thread.set_flags(&flag, enabled, early);
    Ok(())
}

/// A finite number's significand in [1, 2), and its exponent.
fn significand(number: Wide) -> (f64, i32) {
    let exponent = number.leading_exponent();
    (
        Wide {
            negative: false,
            exponent: -125,
            ..number
        }
        .to_f64(),
        exponent,
    )
}

/// `1 / number` to the precision of a single.
fn reciprocal(number: Wide) -> Wide {
    let (m, exponent) = significand(number);
    let mut r = Wide::from_f64(f64::from((1.0 / m) as f32));
    r.exponent -= exponent;
    r.negative = number.negative;
    r
}

/// `1 / sqrt(number)` to the precision of a single.
fn reciprocal_root(number: Wide) -> Wide {
    let (m, exponent) = significand(number);
    let odd = exponent.rem_euclid(2);
    let mut r = Wide::from_f64(f64::from((1.0 / (m * f64::from(1 << odd)).sqrt()) as f32));
    r.exponent -= (exponent - odd) / 2;
    r
}
