//! A text buffer for listings.
//!
//! A listing is appended in pieces of a few characters, whose cost is that of the listing. Nearly all pieces come
//! from tables of [`Short`] texts, which are copied as words and then cut to their length.

use std::fmt;

/// ASCII text that grows at its end.
#[derive(Default)]
pub(crate) struct Text {
    bytes: Vec<u8>,
}

/// A short text with its length.
#[derive(Clone, Copy)]
pub(crate) struct Short {
    chars: [u8; SHORT_CAPACITY],
    len: u8,
}

/// Capacity of a [`Short`] in characters.
const SHORT_CAPACITY: usize = 15;

impl Short {
    pub const EMPTY: Short = Short {
        chars: [b' '; SHORT_CAPACITY],
        len: 0,
    };

    pub const fn new(text: &str) -> Short {
        Short::EMPTY.str(text)
    }

    pub const fn byte(mut self, byte: u8) -> Short {
        self.chars[self.len as usize] = byte;
        self.len += 1;
        self
    }

    pub const fn str(mut self, text: &str) -> Short {
        let text = text.as_bytes();
        let mut i = 0;
        while i < text.len() {
            self = self.byte(text[i]);
            i += 1;
        }
        self
    }

    /// A number below 1000 in decimal.
    pub const fn number(mut self, number: u16) -> Short {
        assert!(number < 1000);
        if number >= 100 {
            self = self.byte(b'0' + (number / 100) as u8);
        }
        if number >= 10 {
            self = self.byte(b'0' + (number / 10 % 10) as u8);
        }
        self.byte(b'0' + (number % 10) as u8)
    }
}

/// The numbers from 0 on in decimal, each with a prefix.
pub(super) const fn numbers<const N: usize>(prefix: &str) -> [Short; N] {
    let mut table = [Short::new(prefix); N];
    let mut n = 0;
    while n < N {
        table[n] = table[n].number(n as u16);
        n += 1;
    }
    table
}

static SMALL: [Short; 256] = numbers("");

impl Text {
    pub fn with_capacity(bytes: usize) -> Text {
        Text {
            bytes: Vec::with_capacity(bytes),
        }
    }

    /// Reserves room for more bytes.
    pub fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(bytes);
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The text. All appended pieces are UTF-8: names, numbers, and whole strings of callers.
    pub fn into_string(self) -> String {
        String::from_utf8(self.bytes).expect("pieces of text are UTF-8")
    }

    #[inline]
    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    #[inline]
    pub fn str(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    #[inline]
    pub fn short(&mut self, short: &Short) {
        self.cut(short.chars, usize::from(short.len));
    }

    /// The first `len` of `bytes`.
    #[inline]
    fn cut<const N: usize>(&mut self, bytes: [u8; N], len: usize) {
        let end = self.bytes.len() + len;
        self.bytes.extend_from_slice(&bytes);
        self.bytes.truncate(end);
    }

    #[inline]
    pub fn spaces(&mut self, count: usize) {
        if count <= 16 {
            self.cut([b' '; 16], count);
        } else {
            self.bytes.resize(self.bytes.len() + count, b' ');
        }
    }

    /// A number in decimal.
    #[inline]
    pub fn number(&mut self, number: u32) {
        match SMALL.get(number as usize) {
            Some(short) => self.short(short),
            None => self.digits(u64::from(number), 10, 1),
        }
    }

    pub fn signed(&mut self, number: i64) {
        if number < 0 {
            self.byte(b'-');
        }
        match u32::try_from(number.unsigned_abs()) {
            Ok(small) => self.number(small),
            Err(_) => self.digits(number.unsigned_abs(), 10, 1),
        }
    }

    /// A number in hexadecimal with its prefix and a minimum number of digits.
    pub fn hex(&mut self, number: u64, digits: usize) {
        self.str("0x");
        self.digits(number, 16, digits);
    }

    fn digits(&mut self, mut number: u64, base: u64, least: usize) {
        let mut digits = [b'0'; 20];
        let mut first = digits.len();
        while number != 0 {
            first -= 1;
            digits[first] = b"0123456789ABCDEF"[(number % base) as usize];
            number /= base;
        }
        let first = first.min(digits.len().saturating_sub(least));
        self.bytes.extend_from_slice(&digits[first..]);
    }

    /// Drops spaces at the end.
    pub fn trim_end(&mut self) {
        let kept = self.bytes.iter().rposition(|byte| *byte != b' ');
        self.bytes.truncate(kept.map_or(0, |last| last + 1));
    }
}

impl From<String> for Text {
    fn from(text: String) -> Text {
        Text {
            bytes: text.into_bytes(),
        }
    }
}

impl fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.str(text);
        Ok(())
    }
}

#[cfg(test)]
#[path = "tests/text.rs"]
mod tests;
