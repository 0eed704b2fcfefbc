//! Spans of the declarations, instructions and operands of a text.
//!
//! Spans are needed only for errors, so reading a module does not record them: [`super::diagnose`] does, reading
//! the text again. They take eight bytes a declaration and about thirty an operand.

use std::ops::Range;

use cranelift_entity::EntityRef;

use super::symbols::Symbol;
use crate::module::{Subject, predefined};

/// Range of bytes of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Span from `start` to `end`, without a comment and blanks at its end.
    pub fn new(text: &str, start: usize, end: usize) -> Span {
        let code = text.get(start..end).unwrap_or("");
        let comment = [code.find("//"), code.find("/*")];
        let end = comment.into_iter().flatten().min().unwrap_or(code.len());
        let small = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span {
            start: small(start),
            end: small(start + code[..end].trim_end().len()),
        }
    }

    fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

/// Spans of a text, by object.
#[derive(Clone, Debug, Default)]
pub struct Spans {
    objects: Vec<ObjectSpans>,
}

/// Spans in one object: declared entities in order, and instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct ObjectSpans {
    pub header: Span,
    pub vars: Vec<Span>,
    pub addrs: Vec<Span>,
    pub predicates: Vec<Span>,
    pub samplers: Vec<Span>,
    pub surfaces: Vec<Span>,
    pub inputs: Vec<Span>,
    pub attrs: Vec<(String, Span)>,
    /// Span of each instruction, and the length of `parts` at its end.
    insts: Vec<(Span, usize)>,
    parts: Vec<(Subject, Span)>,
}

impl ObjectSpans {
    /// Adds a part of the instruction that is being read.
    pub fn part(&mut self, subject: Subject, span: Span) {
        self.parts.push((subject, span));
    }

    /// Spans of the declarations of this kind.
    pub fn of(&mut self, symbol: Symbol) -> &mut Vec<Span> {
        match symbol {
            Symbol::Var(_) => &mut self.vars,
            Symbol::Addr(_) => &mut self.addrs,
            Symbol::Predicate(_) => &mut self.predicates,
            Symbol::Sampler(_) => &mut self.samplers,
            Symbol::Surface(_) => &mut self.surfaces,
        }
    }

    /// Adds an instruction, which the parts since the last one belong to.
    pub fn inst(&mut self, span: Span) {
        self.insts.push((span, self.parts.len()));
    }

    /// Drops the parts of an instruction that was not completed.
    pub fn forget(&mut self) {
        self.parts.truncate(self.insts.last().map_or(0, |i| i.1));
    }

    fn find(&self, inst: Option<usize>, subject: Subject) -> Option<Span> {
        let declared = |spans: &[Span], number: usize, before: usize| {
            spans.get(number.checked_sub(before)?).copied()
        };
        match subject {
            Subject::Object => Some(self.header),
            Subject::Var(v) => declared(&self.vars, v.index(), predefined::VAR_COUNT),
            Subject::Addr(a) => declared(&self.addrs, a.index(), 0),
            Subject::Predicate(p) => declared(&self.predicates, p.index(), 1),
            Subject::Sampler(s) => declared(&self.samplers, s.index(), 0),
            Subject::Surface(s) => declared(&self.surfaces, s.index(), predefined::SURFACES.len()),
            Subject::Input(i) => declared(&self.inputs, i, 0),
            Subject::Attr(name) => {
                let mut attrs = self.attrs.iter().rev();
                attrs.find(|(n, _)| *n == name).map(|(_, span)| *span)
            }
            Subject::Inst => Some(self.insts.get(inst?)?.0),
            Subject::Operand(_) | Subject::Guard | Subject::Exec => {
                let inst = inst?;
                let end = self.insts.get(inst)?.1;
                let start = inst.checked_sub(1).map_or(0, |i| self.insts[i].1);
                let parts = self.parts.get(start..end)?;
                let found = parts.iter().find(|(part, _)| *part == subject);
                found.map(|(_, span)| *span)
            }
        }
    }
}

impl Spans {
    pub(super) fn push(&mut self, object: ObjectSpans) {
        self.objects.push(object);
    }

    /// Range of a part of the object or of one of its instructions. If text does not have the part, the range is
    /// that of the instruction; for an entity that is not declared, that of the line that begins the object.
    pub fn find(
        &self,
        object: usize,
        inst: Option<usize>,
        subject: Subject,
    ) -> Option<Range<usize>> {
        let object = self.objects.get(object)?;
        let whole = if inst.is_some() {
            Subject::Inst
        } else {
            Subject::Object
        };
        let found = object.find(inst, subject);
        let span = found.or_else(|| object.find(inst, whole))?;
        Some(span.range())
    }
}
