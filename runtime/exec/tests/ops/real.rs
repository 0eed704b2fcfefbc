//! Functions of reals in 113 bits, rounded to odd, so that a second rounding to any of the machine's types is exact
//! (Boldo and Melquiond, "Emulation of FMA and correctly rounded sums").

use astro_float::{BigFloat, Consts, RoundingMode};
use kiln_emit::inst::MathFn;
use rustc_apfloat::ieee::{Double, Quad};
use rustc_apfloat::{Float, FloatConvert, Round, Status, StatusAnd};

/// Error bound in the last of 64 bits.
const MAX_ERROR: u64 = 1 << 20;
/// Exponents above this are out of the range of every type.
const MAX_EXPONENT: f64 = 5000.0;
/// Bits that the transcendental functions are computed to.
const PRECISION: usize = 192;

/// Toward zero, the last bit set if anything was cut off.
pub fn to_odd(StatusAnd { status, value }: StatusAnd<Quad>) -> Quad {
    if status.intersects(Status::INEXACT) && value.is_finite() {
        Quad::from_bits(value.to_bits() | 1)
    } else {
        value
    }
}

/// A function of reals; none if it is none of the extended math functions of floats.
pub fn math(function: MathFn, a: Quad, b: Quad) -> Option<Quad> {
    let one = Quad::from_u128(1).value;
    let nan = Quad::qnan(None);
    let quotient = |a: Quad, b: Quad| to_odd(a.div_r(b, Round::TowardZero));
    let big = |f: &dyn Fn(&BigFloat, &mut Consts) -> BigFloat| {
        of_big(&with_constants(|c| f(&to_big(a), c)))
    };
    let rm = RoundingMode::None;
    Some(match function {
        MathFn::Inv => quotient(one, a),
        MathFn::Fdiv => quotient(a, b),
        _ if a.is_nan() && function != MathFn::Pow => nan,
        MathFn::Sqt if a.is_zero() || a.is_pos_infinity() => a,
        MathFn::Sqt if a.is_negative() => nan,
        MathFn::Sqt => big(&|a, _| a.sqrt(PRECISION, rm)),
        MathFn::Rsqt if a.is_zero() || a.is_pos_infinity() => quotient(one, a),
        MathFn::Rsqt if a.is_negative() => nan,
        MathFn::Rsqt => big(&|a, _| a.sqrt(PRECISION, rm).reciprocal(PRECISION, rm)),
        MathFn::Log if a.is_zero() => -Quad::INFINITY,
        MathFn::Log if a.is_negative() => nan,
        MathFn::Log if a.is_infinite() => a,
        MathFn::Log => big(&|a, c| a.log2(PRECISION, rm, c)),
        MathFn::Exp if a.is_infinite() => {
            if a.is_negative() {
                Quad::ZERO
            } else {
                a
            }
        }
        MathFn::Exp if a.is_zero() => one,
        MathFn::Exp if to_f64(a).abs() > MAX_EXPONENT => beyond(a.is_negative()),
        MathFn::Exp => big(&|a, c| BigFloat::from_word(2, PRECISION).pow(a, PRECISION, rm, c)),
        MathFn::Sin | MathFn::Cos if a.is_infinite() => nan,
        MathFn::Sin if a.is_zero() => a,
        MathFn::Cos if a.is_zero() => one,
        MathFn::Sin => big(&|a, c| a.sin(PRECISION, rm, c)),
        MathFn::Cos => big(&|a, c| a.cos(PRECISION, rm, c)),
        MathFn::Pow => power(a, b),
        _ => return None,
    })
}

/// As the C library defines it, but NaN for a negative base.
fn power(a: Quad, b: Quad) -> Quad {
    let one = Quad::from_u128(1).value;
    if a < Quad::ZERO {
        return Quad::qnan(None);
    }
    if b.is_zero() || a == one {
        return one;
    }
    if a.is_nan() || b.is_nan() {
        return Quad::qnan(None);
    }
    if a.is_zero() || a.is_infinite() || b.is_infinite() {
        // Exact results: taken from the host.
        let host = to_f64(a).powf(to_f64(b));
        return Double::from_bits(host.to_bits().into())
            .convert(&mut false)
            .value;
    }
    let exponent = to_f64(a).log2() * to_f64(b);
    if exponent.abs() > MAX_EXPONENT {
        return beyond(exponent < 0.0);
    }
    let result = with_constants(|c| to_big(a).pow(&to_big(b), PRECISION, RoundingMode::None, c));
    of_big(&result)
}

/// A number that is too small, or too large, for any of the types.
fn beyond(small: bool) -> Quad {
    Quad::from_u128(1)
        .value
        .scalbn(if small { -10_000 } else { 10_000 })
}

fn with_constants<T>(f: impl FnOnce(&mut Consts) -> T) -> T {
    thread_local! {
        static CONSTANTS: std::cell::RefCell<Consts> =
            std::cell::RefCell::new(Consts::new().expect("memory for constants"));
    }
    CONSTANTS.with_borrow_mut(f)
}

fn to_f64(a: Quad) -> f64 {
    let double: Double = a.convert(&mut false).value;
    f64::from_bits(double.to_bits() as u64)
}

/// A source, which is exact in a double.
fn to_big(a: Quad) -> BigFloat {
    BigFloat::from_f64(to_f64(a), PRECISION)
}

fn of_big(v: &BigFloat) -> Quad {
    if v.is_zero() {
        return Quad::ZERO;
    }
    if v.is_inf_pos() {
        return Quad::INFINITY;
    }
    let Some((&[.., low, middle, high], _, sign, exponent, _)) = v.as_raw_parts() else {
        return Quad::qnan(None);
    };
    // A fraction in [1/2, 1), the highest word last: its upper 113 bits, and the rest. A result within the error bound
    // of a 113-bit number is taken to be that number.
    let upper = u128::from(high) << 64 | u128::from(middle);
    let significand = upper >> 15;
    let significand = match (upper as u64) << 49 | low >> 15 {
        0..MAX_ERROR => significand,
        rest if rest > u64::MAX - MAX_ERROR => significand + 1,
        _ => significand | 1,
    };
    let magnitude = Quad::from_u128(significand).value.scalbn(exponent - 113);
    if sign.is_negative() {
        -magnitude
    } else {
        magnitude
    }
}
