//! Floating-point immediates in the reference's notation.
//!
//! The first of these forms that reads back to the same bits: six significant digits, without an exponent if that is
//! short, else with one; seven digits with an exponent; the bits in hexadecimal. Infinities and NaNs have names.
//!
//! Six digits survive a round trip through any of these formats, so that a value with a six-digit name has no other
//! shortest name; among seven-digit names the shortest is the nearest. Hence the standard library's shortest digits
//! are the reference's, except below the normal range.

use crate::text::Text;
use std::fmt::{self, LowerExp, Write};
use std::num::FpCategory;

/// Explicit mantissa bits of each format.
const F16_MANTISSA: u32 = 10;
const F32_MANTISSA: u32 = 23;
const F64_MANTISSA: u32 = 52;

/// Significant digits of the short forms and of the long one.
const SHORT_DIGITS: usize = 6;
const LONG_DIGITS: usize = 7;

pub(super) fn write_f16(bits: u16, text: &mut Text) {
    let value = half::f16::from_bits(bits);
    if value.is_nan() {
        nan(u64::from(bits), bits >> 15 != 0, F16_MANTISSA, text);
    } else {
        single(value.to_f32(), u64::from(bits), text);
    }
}

pub(super) fn write_f32(bits: u32, text: &mut Text) {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        nan(u64::from(bits), bits >> 31 != 0, F32_MANTISSA, text);
    } else {
        single(value, u64::from(bits), text);
    }
}

pub(super) fn write_f64(bits: u64, text: &mut Text) {
    let value = f64::from_bits(bits);
    if value.is_nan() {
        nan(bits, bits >> 63 != 0, F64_MANTISSA, text);
    } else {
        let exact = |read| read == value;
        finite(value, value.classify(), bits, exact, text);
    }
}

/// Readers parse every number as a double first.
fn single(value: f32, bits: u64, text: &mut Text) {
    let exact = |read| read as f32 == value;
    finite(value, value.classify(), bits, exact, text);
}

fn nan(bits: u64, negative: bool, mantissa: u32, text: &mut Text) {
    let quiet = 1 << (mantissa - 1);
    text.str(if negative { "-" } else { "" });
    text.str(if bits & quiet != 0 { "qnan(" } else { "snan(" });
    text.hex(bits & (quiet - 1), 1);
    text.byte(b')');
}

/// `exact` is true for a number that reads back to the value.
fn finite<F: LowerExp>(
    value: F,
    class: FpCategory,
    bits: u64,
    exact: impl Fn(f64) -> bool,
    text: &mut Text,
) {
    if class == FpCategory::Infinite {
        text.str(if exact(f64::INFINITY) { "inf" } else { "-inf" });
        return;
    }
    let of = |digits: fmt::Arguments| Decimal::of(digits).filter(|d| d.value().is_some_and(&exact));
    let decimal = if class == FpCategory::Subnormal {
        let rounded = |digits: usize| of(format_args!("{value:.*e}", digits - 1));
        rounded(SHORT_DIGITS).or_else(|| rounded(LONG_DIGITS))
    } else {
        of(format_args!("{value:e}"))
    };
    match decimal {
        Some(decimal) if decimal.count <= LONG_DIGITS => decimal.write(text),
        _ => text.hex(bits, 1),
    }
}

/// A number as `{:e}` writes it: digits with a point after the first, and an exponent.
struct Decimal {
    written: [u8; 32],
    len: usize,
    negative: bool,
    /// The significant digits, as characters.
    digits: [u8; 32],
    count: usize,
    exponent: i32,
}

impl Decimal {
    /// `None` if the text is no such number, or longer than any that shortest digits make.
    fn of(number: fmt::Arguments) -> Option<Decimal> {
        let mut decimal = Decimal {
            written: [0; 32],
            len: 0,
            negative: false,
            digits: [b'0'; 32],
            count: 0,
            exponent: 0,
        };
        decimal.write_fmt(number).ok()?;
        let (mantissa, exponent) = decimal.text()?.split_once('e')?;
        let (exponent, negative) = (exponent.parse().ok()?, mantissa.starts_with('-'));
        let (mut digits, mut count) = ([b'0'; 32], 0);
        for digit in mantissa.bytes().filter(u8::is_ascii_digit) {
            digits[count] = digit;
            count += 1;
        }
        while count > 1 && digits[count - 1] == b'0' {
            count -= 1;
        }
        Some(Decimal {
            negative,
            digits,
            count,
            exponent,
            ..decimal
        })
    }

    fn text(&self) -> Option<&str> {
        str::from_utf8(&self.written[..self.len]).ok()
    }

    fn value(&self) -> Option<f64> {
        self.text()?.parse().ok()
    }

    fn write(&self, text: &mut Text) {
        if self.negative {
            text.byte(b'-');
        }
        let plain = -4..SHORT_DIGITS as i32;
        if self.count > SHORT_DIGITS || !plain.contains(&self.exponent) {
            self.write_digits(1, text);
            text.byte(b'e');
            text.byte(if self.exponent < 0 { b'-' } else { b'+' });
            if self.exponent.unsigned_abs() < 10 {
                text.byte(b'0');
            }
            text.number(self.exponent.unsigned_abs());
        } else if self.exponent < 0 {
            text.str("0.");
            for _ in 1..self.exponent.unsigned_abs() {
                text.byte(b'0');
            }
            self.write_digits(self.count, text);
        } else {
            let whole = self.exponent as usize + 1;
            self.write_digits(whole, text);
            if self.count <= whole {
                text.str(".0");
            }
        }
    }

    /// The digits with a point after `whole` of them, if any follow.
    fn write_digits(&self, whole: usize, text: &mut Text) {
        let shown = self.count.max(whole);
        for (n, digit) in self.digits[..shown].iter().enumerate() {
            if n == whole {
                text.byte(b'.');
            }
            text.byte(*digit);
        }
    }
}

impl fmt::Write for Decimal {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.len + text.len();
        let place = self.written.get_mut(self.len..end).ok_or(fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.len = end;
        Ok(())
    }
}

#[cfg(test)]
#[path = "tests/float.rs"]
mod tests;
