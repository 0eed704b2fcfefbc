//! Exact binary floating point: wide enough that a product or a sum of two of the machine's
//! numbers is rounded once, by [`Wide::round`], whatever the rounding mode and format.
//!
//! The host's own arithmetic does the common case (round to nearest even, `f` and `df`); this does
//! the rest: other rounding modes, half precision, and the macro instructions `madm`, `invm` and
//! `rsqtm`, whose operands have more bits than a register.
//!
//! This is no library on purpose: the tests' model of the machine computes with `rustc_apfloat`
//! (`runtime/exec/tests/ops`), and a model must not share its arithmetic with the code that it tests.

use std::cmp::Ordering;

/// Number of significand bits. Twice that of a double, and enough that bits truncated from a longer one (a product of
/// two macro operands) never matter.
const BITS: u32 = 126;

/// Rounding of inexact results (`cr0.0` bits 4-5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    NearestEven,
    Up,
    Down,
    TowardZero,
}

impl Rounding {
    /// From the two bits of `cr0.0`.
    pub fn from_bits(bits: u32) -> Rounding {
        match bits & 3 {
            0 => Rounding::NearestEven,
            1 => Rounding::Up,
            2 => Rounding::Down,
            _ => Rounding::TowardZero,
        }
    }
}

/// A binary interchange format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Number of stored significand bits.
    pub fraction: u32,
    /// Number of exponent bits.
    pub exponent: u32,
}

pub const HF: Format = Format::new(10, 5);
/// The upper half of a single.
pub const BF: Format = Format::new(7, 8);
/// A single whose significand is a half's; it lies in the upper bits of a dword.
pub const TF32: Format = Format::new(10, 8);
/// The upper half of a half.
pub const BF8: Format = Format::new(2, 5);
pub const F: Format = Format::new(23, 8);
pub const DF: Format = Format::new(52, 11);

impl Format {
    const fn new(fraction: u32, exponent: u32) -> Format {
        Format { fraction, exponent }
    }

    pub fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The number after the largest one.
    pub fn limit(self) -> f64 {
        f64::from(self.bias() + 1).exp2()
    }

    fn sign_bit(self) -> u64 {
        1 << (self.fraction + self.exponent)
    }

    pub fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction
    }

    fn quiet_nan(self) -> u64 {
        self.infinity() | 1 << (self.fraction - 1)
    }
}

/// Class of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    Zero,
    Finite,
    Infinite,
    Nan,
}

/// A number: `significand * 2^exponent`, the significand with bit 125 set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wide {
    pub class: Class,
    pub negative: bool,
    pub significand: u128,
    pub exponent: i32,
    /// True if the exact value is slightly larger in magnitude.
    pub sticky: bool,
}

impl Wide {
    pub const NAN: Wide = Wide::special(Class::Nan, false);

    pub const fn special(class: Class, negative: bool) -> Wide {
        Wide {
            class,
            negative,
            significand: 0,
            exponent: 0,
            sticky: false,
        }
    }

    /// `significand * 2^exponent`, exactly if the significand has no more than 126 bits.
    pub fn new(negative: bool, significand: u128, exponent: i32) -> Wide {
        Wide {
            class: Class::Finite,
            negative,
            significand,
            exponent,
            sticky: false,
        }
        .normalized()
    }

    fn normalized(mut self) -> Wide {
        if self.class != Class::Finite {
            return self;
        }
        if self.significand == 0 {
            // The truncated remainder is no different from zero.
            return Wide::special(Class::Zero, self.negative);
        }
        let top = u128::BITS - self.significand.leading_zeros();
        if top > BITS {
            let cut = top - BITS;
            self.sticky |= self.significand & ((1 << cut) - 1) != 0;
            self.significand >>= cut;
            self.exponent += cut as i32;
        } else {
            self.significand <<= BITS - top;
            self.exponent -= (BITS - top) as i32;
        }
        self
    }

    /// From a number's bits in a format.
    pub fn from_bits(bits: u64, format: Format) -> Wide {
        let negative = bits & format.sign_bit() != 0;
        let fraction = bits & ((1 << format.fraction) - 1);
        let biased = (bits >> format.fraction) as i32 & ((1 << format.exponent) - 1);
        let unit = 1 - format.bias() - format.fraction as i32;
        match (biased, fraction) {
            (0, 0) => Wide::special(Class::Zero, negative),
            (0, _) => Wide::new(negative, u128::from(fraction), unit),
            (e, f) if e == (1 << format.exponent) - 1 => {
                Wide::special(if f == 0 { Class::Infinite } else { Class::Nan }, negative)
            }
            (e, f) => Wide::new(negative, u128::from(f | 1 << format.fraction), unit + e - 1),
        }
    }

    pub fn from_f64(value: f64) -> Wide {
        Wide::from_bits(value.to_bits(), DF)
    }

    pub fn from_int(value: i128) -> Wide {
        Wide::new(value < 0, value.unsigned_abs(), 0)
    }

    pub fn negated(self) -> Wide {
        Wide {
            negative: !self.negative,
            ..self
        }
    }

    /// Position of the leading bit: the number is in `[2^e, 2^(e+1))`.
    pub fn leading_exponent(self) -> i32 {
        self.exponent + BITS as i32 - 1
    }

    pub fn mul(self, other: Wide) -> Wide {
        let negative = self.negative != other.negative;
        match (self.class, other.class) {
            (Class::Nan, _) | (_, Class::Nan) => Wide::NAN,
            (Class::Zero, Class::Infinite) | (Class::Infinite, Class::Zero) => Wide::NAN,
            (Class::Zero, _) | (_, Class::Zero) => Wide::special(Class::Zero, negative),
            (Class::Infinite, _) | (_, Class::Infinite) => Wide::special(Class::Infinite, negative),
            (Class::Finite, Class::Finite) => {
                let (high, low) = wide_product(self.significand, other.significand);
                // The product has 251 or 252 bits: keep the upper 128 of 256.
                Wide {
                    class: Class::Finite,
                    negative,
                    significand: high,
                    exponent: self.exponent + other.exponent + u128::BITS as i32,
                    sticky: low != 0 || self.sticky || other.sticky,
                }
                .refilled(low)
            }
        }
    }

    /// Normalizes, shifting in bits of `low`, which follow the significand's.
    fn refilled(mut self, low: u128) -> Wide {
        let top = u128::BITS - self.significand.leading_zeros();
        let missing = BITS.saturating_sub(top);
        if missing > 0 {
            self.significand = self.significand << missing | low >> (u128::BITS - missing);
            self.exponent -= missing as i32;
            self.sticky |= low << missing != 0;
        }
        self.normalized()
    }

    pub fn add(self, other: Wide, rounding: Rounding) -> Wide {
        match (self.class, other.class) {
            (Class::Nan, _) | (_, Class::Nan) => Wide::NAN,
            (Class::Infinite, Class::Infinite) if self.negative != other.negative => Wide::NAN,
            (Class::Infinite, _) => self,
            (_, Class::Infinite) => other,
            (Class::Zero, Class::Zero) if self.negative != other.negative => {
                Wide::special(Class::Zero, rounding == Rounding::Down)
            }
            (Class::Zero, _) => other,
            (_, Class::Zero) => self,
            (Class::Finite, Class::Finite) => {
                let (large, small) = match self.compare_magnitude(&other) {
                    Ordering::Less => (other, self),
                    _ => (self, other),
                };
                large.add_smaller(small, rounding)
            }
        }
    }

    fn compare_magnitude(&self, other: &Wide) -> Ordering {
        (self.exponent, self.significand, self.sticky).cmp(&(
            other.exponent,
            other.significand,
            other.sticky,
        ))
    }

    /// The sum of two finite numbers, `self` the larger in magnitude.
    fn add_smaller(self, small: Wide, rounding: Rounding) -> Wide {
        let shift = (self.exponent - small.exponent) as u32;
        let (mut aligned, mut cut) = match shift {
            0..=127 => (
                small.significand >> shift,
                small.significand & ((1 << shift) - 1) != 0,
            ),
            _ => (0, true),
        };
        cut |= small.sticky;
        let mut sum = self;
        if self.negative == small.negative {
            sum.significand += aligned;
            sum.sticky |= cut;
        } else {
            if cut {
                // Slightly more than `aligned` is subtracted: one unit more, and a little is added back.
                aligned += 1;
            }
            sum.significand -= aligned;
            sum.sticky |= cut;
            if sum.significand == 0 && !sum.sticky {
                return Wide::special(Class::Zero, rounding == Rounding::Down);
            }
        }
        sum.normalized()
    }

    /// `self * factor + addend`, to be rounded once.
    pub fn mul_add(self, factor: Wide, addend: Wide, rounding: Rounding) -> Wide {
        self.mul(factor).add(addend, rounding)
    }

    /// Rounds the significand to `bits` bits, to nearest, for macro operands, whose exponent has no bound here.
    pub fn shortened(self, bits: u32) -> Wide {
        if self.class != Class::Finite {
            return self;
        }
        let cut = BITS - bits;
        let half = 1u128 << (cut - 1);
        let rest = self.significand & ((1 << cut) - 1);
        let mut kept = self.significand >> cut;
        let up = match rest.cmp(&half) {
            Ordering::Greater => true,
            Ordering::Equal => self.sticky || kept & 1 != 0,
            Ordering::Less => false,
        };
        kept += u128::from(up);
        Wide::new(self.negative, kept, self.exponent + cut as i32)
    }

    /// The number's bits in a format, rounded once. Denormal results are kept.
    pub fn round(self, format: Format, rounding: Rounding) -> u64 {
        let sign = if self.negative { format.sign_bit() } else { 0 };
        match self.class {
            Class::Nan => return format.quiet_nan(),
            Class::Zero => return sign,
            Class::Infinite => return sign | format.infinity(),
            Class::Finite => {}
        }
        let lowest = 1 - format.bias();
        // A leading exponent one above the largest finite number's is large enough.
        let leading = self.leading_exponent().min(format.bias() + 1);
        let exponent = leading + 1 - BITS as i32;
        // Below the smallest normal number the last place is fixed.
        let last_place = leading.max(lowest) - format.fraction as i32;
        let cut = (last_place - exponent) as u32;
        let (kept, rest_nonzero, against_half) = match cut {
            0..=127 => {
                let rest = self.significand & ((1 << cut) - 1);
                let half = 1u128 << (cut - 1);
                (
                    self.significand >> cut,
                    rest != 0 || self.sticky,
                    rest.cmp(&half),
                )
            }
            _ => (0, true, Ordering::Less),
        };
        let up = match rounding {
            Rounding::NearestEven => match against_half {
                Ordering::Greater => true,
                Ordering::Equal => self.sticky || kept & 1 != 0,
                Ordering::Less => false,
            },
            Rounding::Up => rest_nonzero && !self.negative,
            Rounding::Down => rest_nonzero && self.negative,
            Rounding::TowardZero => false,
        };
        let significand = kept as u64 + u64::from(up);
        // A carry out of the fraction raises the exponent by itself.
        let biased = (last_place + format.fraction as i32 - lowest) as u64;
        let magnitude = (biased << format.fraction) + significand;
        if magnitude < format.infinity() {
            return sign | magnitude;
        }
        let to_infinity = match rounding {
            Rounding::NearestEven => true,
            Rounding::Up => !self.negative,
            Rounding::Down => self.negative,
            Rounding::TowardZero => false,
        };
        sign | if to_infinity {
            format.infinity()
        } else {
            format.infinity() - 1
        }
    }

    /// As a double, to nearest.
    pub fn to_f64(self) -> f64 {
        f64::from_bits(self.round(DF, Rounding::NearestEven))
    }
}

/// The 256-bit product: upper and lower half.
fn wide_product(a: u128, b: u128) -> (u128, u128) {
    let split = |x: u128| (x >> 64, x & u128::from(u64::MAX));
    let ((a1, a0), (b1, b0)) = (split(a), split(b));
    let low = a0 * b0;
    let middle = a1 * b0 + (low >> 64);
    let (carry, middle) = split(middle);
    let middle = a0 * b1 + middle;
    (
        a1 * b1 + carry + (middle >> 64),
        middle << 64 | (low & u128::from(u64::MAX)),
    )
}

#[cfg(test)]
#[path = "../tests/wide.rs"]
mod tests;
