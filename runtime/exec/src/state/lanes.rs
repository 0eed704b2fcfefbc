//! Channels as bits of a mask, and as entries of an array.

/// Maximum number of channels of a thread.
pub const LANES: usize = 32;

/// One value per channel; those beyond the execution size are meaningless.
pub type Lanes<T> = [T; LANES];

/// A mask of the lowest `n` channels.
pub fn low_mask(n: usize) -> u32 {
    if n >= LANES { u32::MAX } else { (1 << n) - 1 }
}
