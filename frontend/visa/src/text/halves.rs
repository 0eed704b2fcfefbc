//! Long code, read in two halves at the same time.
//!
//! Behind the declarations of an object its instructions are read each by itself, but for the labels. So the
//! second half of a long text is read by another parser, which knows what is declared where the code begins.
//! What it has read is taken if nothing else was declared on the way and no label turned out to be another
//! kind of one than it took it for; otherwise the second half is read again. The module, or the error, is the
//! same as if all had been read in order.

use std::borrow::Cow;
use std::sync::Arc;

use cranelift_entity::EntityRef;

use super::ParseError;
use super::parser::{Current, Parser};
use crate::module::{Label, LabelKind, Module, Object, Operand};

impl<'a> Current<'a> {
    /// The same with no instruction, to be read on from here.
    fn apart(&self) -> Current<'a> {
        Current {
            object: Arc::clone(&self.object),
            insts: Vec::new(),
            labelled: Vec::new(),
            symbols: self.symbols.clone(),
            ahead: self.ahead,
            var_names: self.var_names.clone(),
            predicate_names: self.predicate_names.clone(),
            misled: self.misled,
            scopes: Default::default(),
            labels: self.labels.clone(),
            label_numbers: self.label_numbers.clone(),
            listed: true,
            in_order: true,
        }
    }

    /// How much there is of all that may be declared.
    fn declared(&self) -> [usize; 8] {
        let Object {
            vars,
            addrs,
            predicates,
            samplers,
            surfaces,
            inputs,
            attrs,
            ..
        } = &*self.object;
        [
            vars.len(),
            addrs.len(),
            predicates.len(),
            samplers.len(),
            surfaces.len(),
            inputs.len(),
            attrs.len(),
            self.symbols.len(),
        ]
    }

    /// Adds what was read behind; whether that was possible. `kinds` are those of the labels that were known
    /// when that began.
    fn join(&mut self, behind: Current<'a>, kinds: &[LabelKind]) -> bool {
        let mut names: Vec<(Label, Cow<str>)> = (behind.label_numbers.into_iter())
            .map(|(name, label)| (label, name))
            .collect();
        names.sort_unstable_by_key(|(label, _)| *label);
        let before = |label: Label| *kinds.get(label.index()).unwrap_or(&LabelKind::Block);
        let taken_for = |(label, name): &(Label, Cow<str>)| {
            let number = self.label_numbers.get(name);
            let kind = number.map_or(LabelKind::Block, |number| self.labels[number.index()].kind);
            kind == before(*label)
        };
        if !names.iter().all(taken_for) {
            return false;
        }
        let mut numbers = Vec::with_capacity(names.len());
        for (label, name) in names {
            let number = self.label(name);
            numbers.push(number);
            let kind = behind.labels[label.index()].kind;
            if kind != before(label) {
                self.labels[number.index()].kind = kind;
            }
        }
        let mut insts = behind.insts;
        for i in behind.labelled {
            for operand in &mut insts[i].operands {
                if let Operand::Label(label) = operand {
                    *label = numbers[label.index()];
                }
            }
            self.labelled.push(self.insts.len() + i);
        }
        self.insts.append(&mut insts);
        true
    }
}

impl Parser<'_> {
    /// Reads the rest in two halves, if code begins here and it is long. If the second has to be read again,
    /// this is where it begins.
    pub(super) fn halves(&mut self) -> Result<(), ParseError> {
        let Some(current) = &mut self.current else {
            return Ok(());
        };
        if current.in_order || self.recovery.is_some() {
            return Ok(());
        }
        if current.insts.is_empty() {
            return self.declarations();
        }
        current.in_order = true;
        if !current.scopes.are_none() {
            return Ok(());
        }
        let Some((first, second, count)) = self.lexer.halves() else {
            return Ok(());
        };
        current.insts.reserve(2 * count);
        let declared = current.declared();
        let kinds: Vec<LabelKind> = current.labels.iter().map(|label| label.kind).collect();
        let objects = self.module.objects.len();
        let mut other = Parser {
            lexer: second,
            module: Module::default(),
            has_version: self.has_version,
            current: Some(current.apart()),
            recovery: None,
        };
        if let Some(behind) = &mut other.current {
            behind.insts.reserve(count);
        }
        self.lexer = first;
        let (read, behind) = rayon::join(|| self.lines(), || other.lines());
        read?;
        self.lexer = second;
        let no_more = |parser: &Parser, objects: usize| {
            let same =
                |current: &Current| current.declared() == declared && current.scopes.are_none();
            parser.module.objects.len() == objects && parser.current.as_ref().is_some_and(same)
        };
        if behind.is_ok()
            && no_more(self, objects)
            && no_more(&other, 0)
            && let (Some(current), Some(behind)) = (&mut self.current, other.current)
            && current.join(behind, &kinds)
        {
            self.lexer = other.lexer;
        }
        Ok(())
    }
}
