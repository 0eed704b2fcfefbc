//! Broken rules of the IR, without a place.

use crate::error::{Code, Diagnostic, Error, Loc};

/// A broken rule; the reader knows the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub code: Code,
    pub message: String,
}

impl Fault {
    pub fn new(code: Code, message: impl Into<String>) -> Fault {
        Fault {
            code,
            message: message.into(),
        }
    }

    /// The diagnostic at a place.
    pub fn at(self, loc: Loc) -> Error {
        Diagnostic::new(self.code, loc, self.message)
    }
}
