//! All errors of a text: the parser continues after an error.
//!
//! Statements end with their line, so the parser resumes at the next one. Errors that follow from an earlier one
//! are dropped: an unknown name is reported once in an object, and not at all if its declaration has an error.

use std::collections::HashSet;

use super::spans::{ObjectSpans, Spans};
use super::{ParseError, ParseErrorKind};
use crate::module::Module;

/// Maximum number of errors kept for a text.
pub const MAX_ERRORS: usize = 20;

/// Kinds of names that a declaration makes known.
const DECLARED: [&str; 2] = ["variable", "general variable"];

/// Result of [`super::diagnose`].
#[derive(Clone, Debug, Default)]
pub struct Diagnosis {
    /// The objects without an error.
    pub module: Module,
    /// Positions of their parts in the text.
    pub spans: Spans,
    /// The first [`MAX_ERRORS`] errors, in order.
    pub errors: Vec<ParseError>,
    /// Number of errors after those.
    pub more: usize,
}

/// State of a parser that continues after errors.
#[derive(Default)]
pub(super) struct Recovery {
    pub spans: Spans,
    /// Positions in the object that is being read.
    pub current: ObjectSpans,
    pub errors: Vec<ParseError>,
    pub more: usize,
    /// True if the object that is being read has an error.
    pub broken: bool,
    /// Names whose absence is not reported again.
    missed: HashSet<String>,
    /// Name whose declaration has the error that is recorded next.
    undeclared: Option<String>,
}

impl Recovery {
    pub fn record(&mut self, error: ParseError) {
        self.broken = true;
        self.current.forget();
        let undeclared = self.undeclared.take();
        if let ParseErrorKind::Unknown { what, name } = &error.kind
            && DECLARED.contains(what)
            && !self.missed.insert(name.clone())
        {
            self.missed.extend(undeclared);
            return;
        }
        self.missed.extend(undeclared);
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        } else {
            self.more += 1;
        }
    }

    /// Notes that the error recorded next is in the declaration of `name`.
    pub fn undeclared(&mut self, name: &str) {
        self.undeclared = Some(name.to_owned());
    }

    /// Ends the object. Returns its positions if it has no error.
    pub fn end_object(&mut self) -> Option<ObjectSpans> {
        self.missed.clear();
        let spans = std::mem::take(&mut self.current);
        (!std::mem::take(&mut self.broken)).then_some(spans)
    }
}
