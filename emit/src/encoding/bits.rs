//! Bit fields of a 128-bit instruction word.
//!
//! A field is one or more pieces, least significant first, so that a value scattered over the word is read and
//! written as one number. Fields are constants that make up the tables of each encoding family.

/// The place of a field in the instruction word. [`Bits::NONE`] is a field that the format lacks: it reads as 0 and
/// holds only 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// The least significant piece; nearly all fields have no other.
    first: Piece,
    /// The more significant pieces; width 0 ends the list.
    further: [Piece; FURTHER],
    /// Number of bits of all pieces together.
    width: u8,
}

const FURTHER: usize = 8;

/// Adjacent bits, all in the same half of the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    low: u8,
    width: u8,
}

/// The field from bit `high` down to bit `low`, in the notation of hardware manuals.
pub const fn bits(high: u8, low: u8) -> Bits {
    Bits::NONE.then(high, low)
}

/// The field of one bit.
pub const fn bit(at: u8) -> Bits {
    bits(at, at)
}

impl Piece {
    const NONE: Piece = Piece { low: 0, width: 0 };

    /// Bits of the piece, shifted down to bit 0.
    #[inline]
    const fn mask(self) -> u64 {
        MASKS[(self.width & 127) as usize]
    }

    #[inline]
    const fn get(self, word: u128) -> u64 {
        let half = if self.low & 64 == 0 {
            word as u64
        } else {
            (word >> 64) as u64
        };
        half >> (self.low & 63) & self.mask()
    }

    /// Bits of `value` beyond the piece are dropped.
    #[inline]
    const fn place(self, value: u64) -> u128 {
        let half = (value & self.mask()) << (self.low & 63);
        if self.low & 64 == 0 {
            half as u128
        } else {
            (half as u128) << 64
        }
    }
}

/// Masks of the lowest *n* bits; all of a half from 64 on.
const MASKS: [u64; 128] = {
    let mut masks = [u64::MAX; 128];
    let mut width = 0;
    while width < 64 {
        masks[width] = (1 << width) - 1;
        width += 1;
    }
    masks
};

impl Bits {
    pub const NONE: Bits = Bits {
        first: Piece::NONE,
        further: [Piece::NONE; FURTHER],
        width: 0,
    };

    /// This field, extended by `high` down to `low` as its next more significant piece.
    pub const fn then(self, high: u8, low: u8) -> Bits {
        assert!(high >= low && high < 128);
        if low < 64 && high >= 64 {
            return self.then(63, low).then(high, 64);
        }
        let piece = Piece {
            low,
            width: high - low + 1,
        };
        let mut joined = self;
        joined.width += piece.width;
        if !self.exists() {
            joined.first = piece;
            return joined;
        }
        let mut i = 0;
        while self.further[i].width != 0 {
            i += 1;
        }
        joined.further[i] = piece;
        joined
    }

    /// Number of bits in the field.
    #[inline]
    pub const fn width(&self) -> u32 {
        self.width as u32
    }

    /// The word with all bits of the field set.
    #[inline]
    pub const fn mask(&self) -> u128 {
        self.place(u64::MAX)
    }

    #[inline]
    pub const fn exists(&self) -> bool {
        self.first.width != 0
    }

    /// True if the fields have a bit in common.
    #[inline(always)]
    pub fn overlaps(&self, other: Bits) -> bool {
        self.mask() & other.mask() != 0
    }

    /// The value. Most of the decoder's time is spent here.
    #[inline]
    pub fn get(&self, word: u128) -> u64 {
        let value = self.first.get(word);
        if self.further[0].width == 0 {
            value
        } else {
            value | self.further_pieces(word) << self.first.width
        }
    }

    /// The value of all pieces but the first.
    fn further_pieces(&self, word: u128) -> u64 {
        let mut value = 0;
        let mut at = 0;
        for piece in self.further.iter().take_while(|piece| piece.width != 0) {
            value |= piece.get(word) << at;
            at += u32::from(piece.width);
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

    /// A word with this field alone. Bits of `value` beyond the field are dropped. Inlined, like [`set`](Bits::set),
    /// because the encoder of a known format has its fields as constants.
    #[inline(always)]
    pub const fn place(&self, value: u64) -> u128 {
        let word = self.first.place(value);
        if self.further[0].width == 0 {
            word
        } else {
            word | self.place_further(value >> self.first.width)
        }
    }

    /// The word of all pieces but the first.
    const fn place_further(&self, value: u64) -> u128 {
        let mut word = 0;
        let mut rest = value;
        let mut i = 0;
        while i < FURTHER && self.further[i].width != 0 {
            let piece = self.further[i];
            word |= piece.place(rest);
            rest = if piece.width < 64 {
                rest >> piece.width
            } else {
                0
            };
            i += 1;
        }
        word
    }

    /// Stores `value`; false, with `word` as it was, if it does not fit.
    #[inline(always)]
    #[must_use]
    pub fn set(&self, word: &mut u128, value: u64) -> bool {
        let total = self.width();
        if total < 64 && value >> total != 0 {
            return false;
        }
        if self.further[0].width != 0 {
            *word = *word & !self.mask() | self.place(value);
            return true;
        }
        // A single piece is within one half of the word.
        let at = self.first.low & 63;
        let put = |half: u64| half & !(self.first.mask() << at) | value << at;
        let (low, high) = (*word as u64, (*word >> 64) as u64);
        let (low, high) = match self.first.low & 64 {
            0 => (put(low), high),
            _ => (low, put(high)),
        };
        *word = u128::from(high) << 64 | u128::from(low);
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

#[cfg(test)]
#[path = "tests/bits.rs"]
mod tests;
