//! Attempts to compile a module: the usual one, and the fallback for divergent control flow.
//!
//! Each attempt is a whole run of [`PASSES`](crate::passes::PASSES) over the module as it was read. An error ends the
//! compilation, unless a later attempt [helps](Attempt::helps) against errors of its kind: then that attempt's result
//! counts, and the error becomes a warning.

use crate::error::{Code, Diagnostic};

/// Decisions that hold for a whole run of the passes.
#[derive(Debug, PartialEq, Eq)]
pub struct Attempt {
    pub name: &'static str,
    /// True if `goto` and `join` become logic on masks and scalar branches.
    pub masks: bool,
}

/// The attempts, in the order in which they are made.
pub const ATTEMPTS: &[Attempt] = &[USUAL, MASKS];
const USUAL: Attempt = Attempt {
    name: "usual",
    masks: false,
};
const MASKS: Attempt = Attempt {
    name: "masks",
    masks: true,
};

impl Attempt {
    /// True if the attempt may succeed where an earlier one failed.
    pub fn helps(&self, error: &Diagnostic) -> bool {
        self.masks && error.code == Code::Divergence
    }
}
