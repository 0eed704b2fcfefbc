//! Bit fields of a 128-bit instruction word.
//!
//! A field is one or more pieces, least significant first, so that a value scattered over the word
//! is read and written as one number. Fields are constants: they make up the tables of each
//! encoding family.

/// A field's place in the instruction word. [`Bits::NONE`] is a field the format lacks: it reads
/// as 0 and holds only 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// Lowest bit and width of each piece, least significant piece first; width 0 ends the list.
    pieces: [(u8, u8); 9],
}

/// The field from bit `high` down to bit `low`, as hardware manuals write it.
pub const fn bits(high: u8, low: u8) -> Bits {
    Bits::NONE.then(high, low)
}

/// The field of one bit.
pub const fn bit(at: u8) -> Bits {
    bits(at, at)
}

impl Bits {
    pub const NONE: Bits = Bits {
        pieces: [(0, 0); 9],
    };

    /// This field with `high` down to `low` as its next more significant piece.
    pub const fn then(mut self, high: u8, low: u8) -> Bits {
        assert!(high >= low && high < 128);
        let mut i = 0;
        while self.pieces[i].1 != 0 {
            i += 1;
        }
        self.pieces[i] = (low, high - low + 1);
        self
    }

    /// How many bits the field holds.
    pub const fn width(&self) -> u32 {
        let mut sum = 0;
        let mut i = 0;
        while i < self.pieces.len() {
            sum += self.pieces[i].1 as u32;
            i += 1;
        }
        sum
    }

    #[inline]
    pub const fn exists(&self) -> bool {
        self.pieces[0].1 != 0
    }

    /// Whether the fields have a bit in common.
    pub fn overlaps(&self, other: Bits) -> bool {
        self.place(u64::MAX) & other.place(u64::MAX) != 0
    }

    /// The value. Nearly all fields are of one piece, and decoding is little else than this.
    #[inline]
    pub fn get(&self, word: u128) -> u64 {
        let (low, width) = self.pieces[0];
        let value = (word >> low) as u64 & mask(width);
        if self.pieces[1].1 == 0 {
            value
        } else {
            value | self.further_pieces(word) << width
        }
    }

    /// The pieces but the first, joined.
    fn further_pieces(&self, word: u128) -> u64 {
        let mut value = 0;
        let mut at = 0;
        for (low, width) in &self.pieces[1..] {
            if *width == 0 {
                break;
            }
            value |= ((word >> low) as u64 & mask(*width)) << at;
            at += u32::from(*width);
        }
        value
    }

    /// The value of a two's-complement field.
    pub fn get_signed(&self, word: u128) -> i64 {
        let unused = 64 - self.width();
        if unused == 64 {
            0
        } else {
            (self.get(word) << unused) as i64 >> unused
        }
    }

    #[inline]
    pub fn flag(&self, word: u128) -> bool {
        self.get(word) != 0
    }

    /// A word of this field alone. Bits of `value` beyond the field are dropped.
    #[inline]
    pub const fn place(&self, value: u64) -> u128 {
        let (low, width) = self.pieces[0];
        let word = ((value & mask(width)) as u128) << low;
        if self.pieces[1].1 == 0 {
            word
        } else {
            word | self.place_further(value >> width)
        }
    }

    /// The pieces but the first.
    const fn place_further(&self, value: u64) -> u128 {
        let mut word = 0;
        let mut rest = value;
        let mut i = 1;
        while i < self.pieces.len() {
            let (low, width) = self.pieces[i];
            if width == 0 {
                break;
            }
            word |= ((rest & mask(width)) as u128) << low;
            rest = if width < 64 { rest >> width } else { 0 };
            i += 1;
        }
        word
    }

    /// Stores `value`; false, with `word` as it was, if it does not fit.
    #[must_use]
    pub fn set(&self, word: &mut u128, value: u64) -> bool {
        let total = self.width();
        if total < 64 && value >> total != 0 {
            return false;
        }
        *word = *word & !self.place(u64::MAX) | self.place(value);
        true
    }

    /// Stores a two's-complement value; false, with `word` as it was, if it does not fit.
    #[must_use]
    pub fn set_signed(&self, word: &mut u128, value: i64) -> bool {
        let unused = 64 - self.width();
        if unused == 64 {
            return value == 0;
        }
        let cut = (value as u64) << unused;
        (cut as i64 >> unused) == value && self.set(word, cut >> unused)
    }
}

#[inline]
const fn mask(width: u8) -> u64 {
    if width >= 64 {
        u64::MAX
    } else {
        (1 << width) - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_join_least_significant_first() {
        const FIELD: Bits = bits(3, 0).then(11, 8);
        let mut word = u128::MAX;
        assert!(FIELD.set(&mut word, 0xa5));
        assert_eq!(FIELD.get(word), 0xa5);
        assert_eq!(word & 0xfff, 0xaf5);
        assert!(!FIELD.set(&mut word, 0x100));
        assert_eq!(FIELD.get(word), 0xa5);
    }

    #[test]
    fn signed_values_keep_their_range() {
        const FIELD: Bits = bits(127, 126).then(64, 64);
        let mut word = 0;
        for value in -4..4 {
            assert!(FIELD.set_signed(&mut word, value));
            assert_eq!(FIELD.get_signed(word), value);
        }
        assert!(!FIELD.set_signed(&mut word, 4));
        assert!(!FIELD.set_signed(&mut word, -5));
    }

    #[test]
    fn a_field_may_fill_a_qword() {
        const FIELD: Bits = bits(127, 64);
        let mut word = 7;
        assert!(FIELD.set(&mut word, u64::MAX));
        assert_eq!((FIELD.get(word), word as u64), (u64::MAX, 7));
        assert!(Bits::NONE.set(&mut word, 0) && !Bits::NONE.set(&mut word, 1));
    }
}
