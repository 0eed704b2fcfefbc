//! All that is wrong with a text: the parser goes on behind an error.
//!
//! Statements end with their line, so the parser takes up again at the next one. What would only
//! follow from an earlier error is left out: a name is missed once an object, and not at all if its
//! declaration is wrong itself.

use std::collections::HashSet;

use super::spans::{ObjectSpans, Spans};
use super::{ParseError, ParseErrorKind};
use crate::module::Module;

/// The errors of a text that are kept.
pub const MAX_ERRORS: usize = 20;

/// What names are of that a declaration would have made known.
const DECLARED: [&str; 2] = ["variable", "general variable"];

/// What [`super::diagnose`] makes of a text.
#[derive(Clone, Debug, Default)]
pub struct Diagnosis {
    /// The objects without an error.
    pub module: Module,
    /// Where their parts stand in the text.
    pub spans: Spans,
    /// The first [`MAX_ERRORS`], in their order.
    pub errors: Vec<ParseError>,
    /// How many more there are.
    pub more: usize,
}

/// What the parser keeps while it goes on behind errors.
#[derive(Default)]
pub(super) struct Recovery {
    pub spans: Spans,
    /// Of the object that is being read.
    pub current: ObjectSpans,
    pub errors: Vec<ParseError>,
    pub more: usize,
    /// Whether something of the object that is being read is wrong.
    pub broken: bool,
    /// Names that are not missed again.
    missed: HashSet<String>,
    /// The name whose declaration the next error is in.
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

    /// The declaration of that name is wrong, as the error that is recorded next says.
    pub fn undeclared(&mut self, name: &str) {
        self.undeclared = Some(name.to_owned());
    }

    /// Ends the object that was read; its places, if nothing was wrong with it.
    pub fn end_object(&mut self) -> Option<ObjectSpans> {
        self.missed.clear();
        let spans = std::mem::take(&mut self.current);
        (!std::mem::take(&mut self.broken)).then_some(spans)
    }
}
