//! Sets of registers.

use std::ops::{BitAnd, BitOr, BitOrAssign, Sub, SubAssign};

const WORD: u32 = u64::BITS;

/// A set of numbers below `64 * N`. A larger number is in no set, and inserting one changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BitSet<const N: usize>([u64; N]);

/// General registers, by their numbers.
pub type GrfSet = BitSet<4>;

/// Allocation units of the register file, by their numbers.
pub type UnitSet = BitSet<2>;

impl<const N: usize> BitSet<N> {
    pub const EMPTY: BitSet<N> = BitSet([0; N]);
    /// All numbers that a set can hold.
    pub const ALL: BitSet<N> = BitSet([u64::MAX; N]);
    /// Number of elements that a set can hold.
    pub const CAPACITY: u32 = WORD * N as u32;

    /// A set of one number.
    pub fn of(n: impl Into<u32>) -> BitSet<N> {
        let mut set = BitSet::EMPTY;
        set.insert(n);
        set
    }

    pub fn contains(&self, n: impl Into<u32>) -> bool {
        let n = n.into();
        (self.0.get((n / WORD) as usize)).is_some_and(|word| word >> (n % WORD) & 1 == 1)
    }

    pub fn insert(&mut self, n: impl Into<u32>) {
        let n = n.into();
        if let Some(word) = self.0.get_mut((n / WORD) as usize) {
            *word |= 1 << (n % WORD);
        }
    }

    pub fn remove(&mut self, n: impl Into<u32>) {
        let n = n.into();
        if let Some(word) = self.0.get_mut((n / WORD) as usize) {
            *word &= !(1 << (n % WORD));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Number of elements.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// The smallest element.
    pub fn first(&self) -> Option<u32> {
        let at = self.0.iter().position(|&word| word != 0)?;
        Some(at as u32 * WORD + self.0[at].trailing_zeros())
    }

    /// The elements, ascending.
    pub fn iter(self) -> impl Iterator<Item = u32> + Clone {
        (0..).zip(self.0).flat_map(|(at, word)| {
            let rest = std::iter::successors(Some(word), |word| Some(word & word.wrapping_sub(1)));
            (rest.take_while(|&word| word != 0)).map(move |word| at * WORD + word.trailing_zeros())
        })
    }

    /// The words of the set, the smallest numbers first.
    pub fn words(&self) -> [u64; N] {
        self.0
    }

    pub fn from_words(words: [u64; N]) -> BitSet<N> {
        BitSet(words)
    }

    fn zip(self, other: BitSet<N>, f: impl Fn(u64, u64) -> u64) -> BitSet<N> {
        BitSet(std::array::from_fn(|n| f(self.0[n], other.0[n])))
    }
}

impl<const N: usize> Default for BitSet<N> {
    fn default() -> BitSet<N> {
        BitSet::EMPTY
    }
}

impl<const N: usize> BitOr for BitSet<N> {
    type Output = BitSet<N>;

    fn bitor(self, other: BitSet<N>) -> BitSet<N> {
        self.zip(other, |a, b| a | b)
    }
}

impl<const N: usize> BitOrAssign for BitSet<N> {
    fn bitor_assign(&mut self, other: BitSet<N>) {
        *self = *self | other;
    }
}

impl<const N: usize> BitAnd for BitSet<N> {
    type Output = BitSet<N>;

    fn bitand(self, other: BitSet<N>) -> BitSet<N> {
        self.zip(other, |a, b| a & b)
    }
}

impl<const N: usize> Sub for BitSet<N> {
    type Output = BitSet<N>;

    fn sub(self, other: BitSet<N>) -> BitSet<N> {
        self.zip(other, |a, b| a & !b)
    }
}

impl<const N: usize> SubAssign for BitSet<N> {
    fn sub_assign(&mut self, other: BitSet<N>) {
        *self = *self - other;
    }
}

impl<const N: usize, T: Into<u32>> FromIterator<T> for BitSet<N> {
    fn from_iter<I: IntoIterator<Item = T>>(numbers: I) -> BitSet<N> {
        numbers.into_iter().fold(BitSet::EMPTY, |mut set, n| {
            set.insert(n);
            set
        })
    }
}

#[cfg(test)]
#[path = "tests/bits.rs"]
mod tests;
