//! Conversions of C's `printf`, as OpenCL C has them.
//!
//! Source: ISO C, "The fprintf function"; OpenCL C specification, "printf". What C leaves open is as glibc has it.

/// Width and precision that are heeded: no text of a record is longer.
const MAX_FIELD: usize = 16 << 10;
/// Precision of floats, if the format says none.
const PRECISION: usize = 6;

/// A part of a format.
#[derive(Debug, PartialEq, Eq)]
pub enum Part<'a> {
    /// Text as it is.
    Text(&'a [u8]),
    Conversion(Conversion),
}

/// A conversion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversion {
    left: bool,
    plus: bool,
    space: bool,
    other: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// Bits of an integer.
    bits: u32,
    /// Letter that says the kind.
    pub letter: u8,
}

/// A value to print.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    Int(i64),
    Float(f64),
    Pointer(u64),
}

/// The parts of a format, in their order. What begins as a conversion and has no letter is text.
pub fn parts(format: &[u8]) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.iter().position(|byte| *byte == b'%') {
        let (text, conversion) = rest.split_at(at);
        parts.push(Part::Text(text));
        if conversion.get(1) == Some(&b'%') {
            parts.push(Part::Text(b"%"));
            rest = &conversion[2..];
            continue;
        }
        let letter = |byte: &u8| b"csdioxXufFeEaAgGp".contains(byte);
        let Some(end) = conversion.iter().position(letter) else {
            rest = conversion;
            break;
        };
        parts.push(Part::Conversion(read(&conversion[1..end], conversion[end])));
        rest = &conversion[end + 1..];
    }
    parts.push(Part::Text(rest));
    parts.retain(|part| *part != Part::Text(b""));
    parts
}

/// Reads what stands between the sign and the letter: flags, width, precision, `v` with a number of elements, length.
fn read(mut text: &[u8], letter: u8) -> Conversion {
    let mut conversion = Conversion {
        letter,
        bits: u32::BITS,
        ..Conversion::default()
    };
    while let Some((flag, rest)) = text.split_first() {
        match flag {
            b'-' => conversion.left = true,
            b'+' => conversion.plus = true,
            b' ' => conversion.space = true,
            b'#' => conversion.other = true,
            b'0' => conversion.zero = true,
            _ => break,
        }
        text = rest;
    }
    conversion.width = number(&mut text);
    if let Some(rest) = text.strip_prefix(b".") {
        text = rest;
        conversion.precision = Some(number(&mut text));
    }
    if let Some(rest) = text.strip_prefix(b"v") {
        text = rest;
        number(&mut text);
    }
    conversion.bits = match text {
        b"hh" => u8::BITS,
        b"h" => u16::BITS,
        b"l" | b"ll" | b"j" | b"z" | b"t" => u64::BITS,
        _ => u32::BITS,
    };
    conversion
}

/// Reads a number, 0 if there is none.
fn number(text: &mut &[u8]) -> usize {
    let mut number = 0usize;
    while let Some((digit @ b'0'..=b'9', rest)) = text.split_first() {
        number = (10 * number + usize::from(digit - b'0')).min(MAX_FIELD);
        *text = rest;
    }
    number
}

impl Conversion {
    /// The text of a number.
    pub fn number(&self, value: Value) -> Vec<u8> {
        let int = match value {
            Value::Int(int) => int,
            Value::Float(float) => float as i64,
            Value::Pointer(pointer) => pointer as i64,
        };
        let float = match value {
            Value::Float(float) => float,
            Value::Int(int) => int as f64,
            Value::Pointer(pointer) => pointer as f64,
        };
        match self.letter {
            b'd' | b'i' => self.signed(int),
            b'c' => self.padded(b"", &[int as u8], false),
            b'p' => match int {
                0 => self.padded(b"", b"(nil)", false),
                _ => self.padded(b"0x", format!("{int:x}").as_bytes(), false),
            },
            b'o' | b'u' | b'x' | b'X' => self.unsigned(int as u64),
            _ => self.float(float),
        }
    }

    /// A text, of at most as many bytes as the precision says.
    pub fn string(&self, text: &[u8]) -> Vec<u8> {
        let end = self.precision.unwrap_or(usize::MAX).min(text.len());
        self.padded(b"", &text[..end], false)
    }

    /// Sign and digits, made as wide as the format says: with blanks, or with zeros after the sign.
    fn padded(&self, sign: &[u8], digits: &[u8], zeros: bool) -> Vec<u8> {
        let fill = self.width.saturating_sub(sign.len() + digits.len());
        let fill = |byte, wanted| vec![byte; if wanted { fill } else { 0 }];
        let zeros = zeros && self.zero && !self.left;
        [
            &fill(b' ', !zeros && !self.left)[..],
            sign,
            &fill(b'0', zeros),
            digits,
            &fill(b' ', self.left),
        ]
        .concat()
    }

    /// Sign of a number that is not negative.
    fn sign(&self, negative: bool) -> &'static [u8] {
        match (negative, self.plus, self.space) {
            (true, ..) => b"-",
            (_, true, _) => b"+",
            (_, _, true) => b" ",
            _ => b"",
        }
    }

    /// Digits of an integer, of which the precision says the least number.
    fn integer(&self, sign: &[u8], digits: String, is_zero: bool) -> Vec<u8> {
        let digits = match self.precision {
            Some(0) if is_zero => String::new(),
            Some(least) => format!("{digits:0>least$}"),
            None => digits,
        };
        self.padded(sign, digits.as_bytes(), self.precision.is_none())
    }

    fn signed(&self, value: i64) -> Vec<u8> {
        let value = match self.bits {
            8 => value as i8 as i64,
            16 => value as i16 as i64,
            32 => value as i32 as i64,
            _ => value,
        };
        let digits = value.unsigned_abs().to_string();
        self.integer(self.sign(value < 0), digits, value == 0)
    }

    fn unsigned(&self, value: u64) -> Vec<u8> {
        let value = value & (u64::MAX >> (u64::BITS - self.bits));
        let (prefix, mut digits): (&[u8], String) = match self.letter {
            b'o' => (b"", format!("{value:o}")),
            b'x' => (b"0x", format!("{value:x}")),
            b'X' => (b"0X", format!("{value:X}")),
            _ => (b"", value.to_string()),
        };
        let prefix = match self.other && value != 0 {
            true => prefix,
            false => b"",
        };
        if self.letter == b'o' && self.other {
            // The first digit is 0, of a precision too.
            let least = digits.len() + usize::from(value != 0);
            let least = least.max(self.precision.unwrap_or(0));
            digits = format!("{digits:0>least$}");
            return self.padded(b"", digits.as_bytes(), self.precision.is_none());
        }
        self.integer(prefix, digits, value == 0)
    }

    fn float(&self, value: f64) -> Vec<u8> {
        let sign = self.sign(value.is_sign_negative());
        let upper = self.letter.is_ascii_uppercase();
        let cased = |text: String| match upper {
            true => text.to_ascii_uppercase(),
            false => text,
        };
        if !value.is_finite() {
            let name = if value.is_nan() { "nan" } else { "inf" };
            return self.padded(sign, cased(name.to_string()).as_bytes(), false);
        }
        let value = value.abs();
        let precision = self.precision.unwrap_or(PRECISION);
        let digits = match self.letter.to_ascii_lowercase() {
            b'f' => self.pointed(format!("{value:.precision$}")),
            b'e' => self.exponential(value, precision),
            b'g' => self.general(value, precision.max(1)),
            _ => {
                let hexadecimal = cased(self.hexadecimal(value));
                let prefix = if upper { b"0X" } else { b"0x" };
                let sign = [sign, prefix].concat();
                return self.padded(&sign, hexadecimal.as_bytes(), true);
            }
        };
        self.padded(sign, cased(digits).as_bytes(), true)
    }

    /// Digits with a point, which `#` asks for where no digit follows it.
    fn pointed(&self, digits: String) -> String {
        match self.other && !digits.contains('.') {
            true => digits + ".",
            false => digits,
        }
    }

    /// One digit before the point, and an exponent of at least two.
    fn exponential(&self, value: f64, precision: usize) -> String {
        let (digits, exponent) = scientific(value, precision);
        let digits = self.pointed(digits);
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}e{sign}{:02}", exponent.abs())
    }

    /// The shorter of both forms, without zeros at its end.
    fn general(&self, value: f64, precision: usize) -> String {
        let (_, exponent) = scientific(value, precision - 1);
        let fixed = (-4..precision as i32).contains(&exponent);
        let digits = match fixed {
            true => {
                let after = (precision as i32 - 1 - exponent) as usize;
                self.pointed(format!("{value:.after$}"))
            }
            false => self.exponential(value, precision - 1),
        };
        if self.other {
            return digits;
        }
        let (mantissa, exponent) = match digits.find('e') {
            Some(at) => digits.split_at(at),
            None => (&digits[..], ""),
        };
        let mantissa = match mantissa.contains('.') {
            true => mantissa.trim_end_matches('0').trim_end_matches('.'),
            false => mantissa,
        };
        format!("{mantissa}{exponent}")
    }

    /// A hexadecimal digit before the point, as many after it as are needed or asked for, and a binary exponent.
    fn hexadecimal(&self, value: f64) -> String {
        const DIGITS: usize = 13;
        const FRACTION: u32 = 52;
        const BIAS: i64 = 1023;
        let bits = value.to_bits();
        let (exponent, fraction) = (bits >> FRACTION, bits & ((1 << FRACTION) - 1));
        let (mut mantissa, exponent) = match (exponent, fraction) {
            (0, 0) => (0, 0),
            (0, fraction) => (fraction, 1 - BIAS),
            (exponent, fraction) => (1 << FRACTION | fraction, exponent as i64 - BIAS),
        };
        let mut digits = DIGITS;
        if let Some(precision) = self.precision.filter(|precision| *precision < DIGITS) {
            // To the nearest, of two as near to the even one.
            let dropped = 4 * (DIGITS - precision) as u32;
            let (kept, rest) = (mantissa >> dropped, mantissa & ((1 << dropped) - 1));
            let half = 1 << (dropped - 1);
            let up = rest > half || rest == half && kept & 1 == 1;
            mantissa = kept + u64::from(up);
            digits = precision;
        }
        let first = mantissa >> (4 * digits);
        let after = mantissa & ((1 << (4 * digits)) - 1);
        let mut after = match digits {
            0 => String::new(),
            _ => format!("{after:0digits$x}"),
        };
        match self.precision {
            None => after.truncate(after.trim_end_matches('0').len()),
            Some(precision) => after = format!("{after:0<precision$}"),
        }
        let point = if after.is_empty() && !self.other {
            ""
        } else {
            "."
        };
        format!("{first:x}{point}{after}p{exponent:+}")
    }
}

/// Decimal digits of a number, one before the point, and the exponent.
fn scientific(value: f64, precision: usize) -> (String, i32) {
    let text = format!("{value:.precision$e}");
    match text.split_once('e') {
        Some((digits, exponent)) => (digits.to_string(), exponent.parse().unwrap_or(0)),
        None => (text, 0),
    }
}

#[cfg(test)]
#[path = "tests/format.rs"]
mod tests;
