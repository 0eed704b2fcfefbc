//! The defined bytes of the general registers: those that were written or that the thread started with.

use super::lanes::low_mask;

/// A bit for each byte of the general registers.
#[derive(Clone, Debug)]
pub struct Defined {
    bytes: Vec<u32>,
}

/// Bytes covered by a word of [`Defined`].
const WORD: usize = 32;

impl Defined {
    /// A register file without defined bytes.
    pub fn none(bytes: usize) -> Defined {
        Defined {
            bytes: vec![0; bytes.div_ceil(WORD)],
        }
    }

    /// Marks the bytes that a thread starts with.
    pub fn start(&mut self, bytes: usize) {
        self.set(0, bytes, true);
    }

    pub fn set(&mut self, at: usize, size: usize, defined: bool) {
        for (word, mask) in masks(at, size) {
            if let Some(bits) = self.bytes.get_mut(word) {
                *bits = if defined { *bits | mask } else { *bits & !mask };
            }
        }
    }

    /// Mask of the defined bytes among at most eight.
    pub fn get(&self, at: usize, size: usize) -> u8 {
        let known = |byte: usize| self.missing(at + byte, 1).is_none();
        (0..size).fold(0, |bits, byte| bits | u8::from(known(byte)) << byte)
    }

    /// The first undefined byte of a range.
    #[inline]
    pub fn missing(&self, at: usize, size: usize) -> Option<usize> {
        masks(at, size).find_map(|(word, mask)| {
            let missing = mask & !self.bytes.get(word)?;
            (missing != 0).then(|| word * WORD + missing.trailing_zeros() as usize)
        })
    }
}

/// A range of bytes as a mask for each word.
#[inline]
fn masks(at: usize, size: usize) -> impl Iterator<Item = (usize, u32)> {
    let end = at + size;
    (at / WORD..end.div_ceil(WORD)).map(move |word| {
        let first = word * WORD;
        let low = at.max(first) - first;
        let high = end.min(first + WORD) - first;
        (word, low_mask(high) & !low_mask(low))
    })
}
