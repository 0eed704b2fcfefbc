//! Arithmetic on 113 bits, rounded to odd as [`crate::real`] has it.

use rustc_apfloat::ieee::Quad;
use rustc_apfloat::{Float, Round};

use crate::real::to_odd;

/// `a * b + c`. The rounding mode decides the sign of a sum of zero.
pub fn fused(a: Quad, b: Quad, c: Quad, round: Round) -> Quad {
    let sum = a.mul_add_r(b, c, Round::TowardZero);
    if sum.value.is_zero() {
        return a.mul_add_r(b, c, round).value;
    }
    to_odd(sum)
}

pub fn product(a: Quad, b: Quad) -> Quad {
    to_odd(a.mul_r(b, Round::TowardZero))
}

pub fn integral(a: Quad, round: Round) -> Quad {
    a.round_to_integral(round).value
}

/// `a` minus the next lower integer.
pub fn fraction(a: Quad) -> Quad {
    let below = integral(a, Round::TowardNegative);
    fused(
        -below,
        Quad::from_u128(1).value,
        a,
        Round::NearestTiesToEven,
    )
}
