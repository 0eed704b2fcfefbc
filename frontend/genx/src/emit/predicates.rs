//! Vectors of `i1` in predicates: up to 32 elements each, several for wider vectors.

use kiln_visa::module::{PredUse, Predicate};
use smallvec::SmallVec;

/// Elements of one predicate.
pub const CHANNELS: u32 = 32;

/// A vector of `i1`.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    /// Predicate of each 32 elements.
    pub parts: SmallVec<[Predicate; 1]>,
    pub count: u32,
    /// True if the elements are the complements of the predicates'.
    pub inverse: bool,
    /// True for the channels that are on, which need no predicate.
    pub execution: bool,
}

impl Mask {
    /// The channels that are on.
    pub fn execution(count: u32) -> Mask {
        Mask {
            parts: SmallVec::new(),
            count,
            inverse: false,
            execution: true,
        }
    }

    /// Use of the predicate of an element.
    pub fn at(&self, element: u32) -> Option<PredUse> {
        let pred = *self.parts.get((element / CHANNELS) as usize)?;
        Some(match self.inverse {
            true => PredUse::not(pred),
            false => PredUse::of(pred),
        })
    }

    /// Elements of a part.
    pub fn width(&self, part: usize) -> u32 {
        (self.count - part as u32 * CHANNELS).min(CHANNELS)
    }
}

/// Channels that a predicate of so many elements is declared with: an execution size.
pub fn channels(elements: u32) -> u32 {
    elements.clamp(1, CHANNELS).next_power_of_two()
}

/// Number of channels of a group that every platform's execution masks select.
const GROUP: u32 = 8;

/// True if an instruction of `size` channels can use a predicate from element `first` on.
pub fn aligned(first: u32, size: u32) -> bool {
    let first = first % CHANNELS;
    first.is_multiple_of(size.max(GROUP)) && first + size <= CHANNELS
}
