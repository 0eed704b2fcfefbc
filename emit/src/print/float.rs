//! Floating-point immediates as the reference writes them.
//!
//! The shortest of the usual forms that reads back to the same bits: six significant digits
//! without an exponent where that is short, else with one; failing both, the bits in hexadecimal.
//! Infinities and NaNs are named.

/// Explicit mantissa bits of each format.
const F16_MANTISSA: u32 = 10;
const F32_MANTISSA: u32 = 23;
const F64_MANTISSA: u32 = 52;

pub(super) fn f16_text(bits: u16) -> String {
    let value = half::f16::from_bits(bits);
    if value.is_nan() {
        return nan(u64::from(bits), bits >> 15 != 0, F16_MANTISSA);
    }
    let text = finite(value.to_f64(), |text| reads_as_f32(text, value.to_f32()));
    text.unwrap_or_else(|| format!("0x{bits:X}"))
}

pub(super) fn f32_text(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if value.is_nan() {
        return nan(u64::from(bits), bits >> 31 != 0, F32_MANTISSA);
    }
    let text = finite(f64::from(value), |text| reads_as_f32(text, value));
    text.unwrap_or_else(|| format!("0x{bits:X}"))
}

pub(super) fn f64_text(bits: u64) -> String {
    let value = f64::from_bits(bits);
    if value.is_nan() {
        return nan(bits, bits >> 63 != 0, F64_MANTISSA);
    }
    let text = finite(value, |text| text.parse() == Ok(value));
    text.unwrap_or_else(|| format!("0x{bits:X}"))
}

/// Readers take every number for a double first.
fn reads_as_f32(text: &str, value: f32) -> bool {
    text.parse::<f64>().is_ok_and(|read| read as f32 == value)
}

fn nan(bits: u64, negative: bool, mantissa: u32) -> String {
    let quiet = 1 << (mantissa - 1);
    let sign = if negative { "-" } else { "" };
    let kind = if bits & quiet != 0 { "qnan" } else { "snan" };
    format!("{sign}{kind}(0x{:X})", bits & (quiet - 1))
}

/// `None` if no form reads back exactly.
fn finite(value: f64, exact: impl Fn(&str) -> bool) -> Option<String> {
    if value.is_infinite() {
        return Some(if value < 0.0 { "-inf" } else { "inf" }.into());
    }
    let general = general(value);
    if exact(&general) {
        let whole = !general.contains(['.', 'e']);
        return Some(if whole { general + ".0" } else { general });
    }
    Some(scientific(value, 6)).filter(|text| exact(text))
}

/// Six significant digits, trailing zeros dropped; with an exponent when it is below -4 or the
/// digits do not reach the point.
fn general(value: f64) -> String {
    let rounded = scientific(value, 5);
    let (digits, exponent) = rounded.split_once('e').unwrap_or((&rounded, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) {
        let decimals = (5 - exponent) as usize;
        let fixed = format!("{value:.decimals$}");
        trim(&fixed).to_string()
    } else {
        format!("{}e{}", trim(digits), &rounded[digits.len() + 1..])
    }
}

fn trim(digits: &str) -> &str {
    if digits.contains('.') {
        digits.trim_end_matches('0').trim_end_matches('.')
    } else {
        digits
    }
}

/// With `decimals` digits after the point and an exponent of at least two digits.
fn scientific(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_single_precision() {
        for (bits, text) in [
            (0x0000_0000, "0.0"),
            (0x8000_0000, "-0.0"),
            (0xbf80_0000, "-1.0"),
            (0x3dcc_cccd, "0.1"),
            (0x5d5e_0b6b, "1e+18"),
            (0x3fc0_0001, "0x3FC00001"),
            (0x3851_b717, "5e-05"),
            (0x4974_2400, "1e+06"),
            (0x4996_b438, "1.234567e+06"),
            (0xff80_0000, "-inf"),
            (0x7fc0_0001, "qnan(0x1)"),
            (0xffa0_0000, "-snan(0x200000)"),
        ] {
            assert_eq!(f32_text(bits), text, "{bits:#x}");
        }
    }

    #[test]
    fn other_precisions() {
        assert_eq!(f64_text(0x3fb9_9999_9999_999a), "0.1");
        assert_eq!(f16_text(0x3e00), "1.5");
        assert_eq!(f16_text(0x2e66), "0x2E66");
        assert_eq!(f16_text(0x7e01), "qnan(0x1)");
    }
}
