//! Chooses the SIMD size and the number of registers of each kernel among variants of one program, which are object files with their vISA
//! ([`choose`]) or files of vISA ([`choose_visa`]). [`rank`](mod@crate::rank) says which is better.

mod objects;
mod visa;

pub use crate::rank::{Choice, Fixed, Reason, Refused, Variant};
pub use objects::{choose, narrower};
pub use visa::{Chosen, Differs, choose_visa};
