//! Long lists of declarations, read in two halves at the same time.
//!
//! A variable that is called by its number has the place in the list that the number says, so that the second half of
//! the list can be read without the first: as far as it is lines as compilers write them (`plain`) and each variable is
//! the one behind the last. What has been read is taken if it begins where the first half came to its end, and if
//! what it is an alias of is called in the first half as there; otherwise it is read again in order. So the module, or
//! the error, is the same.

use std::sync::Arc;

use cranelift_entity::{EntityRef, PrimaryMap};

use super::ParseError;
use super::parser::{Current, Parser};
use super::plain::{DECL, Declaration, Rest};
use crate::module::{ArrayDecl, Var, VarDecl};

/// The second half, as far as it was read.
#[derive(Default)]
struct Behind {
    vars: List<VarDecl>,
    predicates: List<ArrayDecl>,
    /// Variables of the first half, with the bytes of the names that they are called by.
    mentioned: Vec<(Var, usize)>,
    bytes: usize,
}

/// What is declared one behind the other.
struct List<T> {
    first: usize,
    decls: Vec<T>,
    /// The bytes of their names.
    names: Vec<u8>,
}

impl<T> Default for List<T> {
    fn default() -> List<T> {
        List {
            first: 0,
            decls: Vec::new(),
            names: Vec::new(),
        }
    }
}

impl<T> List<T> {
    /// Adds what has that place; whether it is that behind the last.
    fn push(&mut self, decl: T, place: usize, name: usize) -> bool {
        if self.decls.is_empty() {
            self.first = place;
        }
        let Ok(name) = u8::try_from(name) else {
            return false;
        };
        let next = place == self.first + self.decls.len();
        if next {
            self.decls.push(decl);
            self.names.push(name);
        }
        next
    }

    /// Whether it can stand behind so many.
    fn is_behind(&self, count: usize) -> bool {
        self.decls.is_empty() || self.first == count
    }

    /// Adds it behind what was declared before.
    fn join<K: EntityRef>(self, decls: &mut PrimaryMap<K, T>, names: &mut Vec<u8>) {
        names.resize(decls.len(), 0);
        names.extend(self.names);
        decls.reserve(self.decls.len());
        for decl in self.decls {
            decls.push(decl);
        }
    }
}

impl Behind {
    fn lines(&self) -> usize {
        self.vars.decls.len() + self.predicates.decls.len()
    }

    /// Reads lines up to one that has to be read in order.
    fn read(text: &str, ahead: u32) -> Behind {
        let mut behind = Behind::default();
        let mut rest = Rest::new(text);
        while behind.line(&mut rest, ahead).is_some() {
            behind.bytes = text.len() - rest.len();
        }
        behind
    }

    fn line(&mut self, rest: &mut Rest, ahead: u32) -> Option<()> {
        rest.eat(DECL)?;
        // The last number is that of no variable.
        let place =
            |number: u32| Some(number.wrapping_add(ahead)).filter(|place| *place != u32::MAX);
        let Behind {
            vars, mentioned, ..
        } = self;
        let alias = |len: usize, number: u32| {
            let var = Var::from_u32(place(number)?);
            match var.index().checked_sub(vars.first) {
                Some(here) if !vars.decls.is_empty() => {
                    (usize::from(*vars.names.get(here)?) == len).then_some(var)
                }
                _ => {
                    mentioned.push((var, len));
                    Some(var)
                }
            }
        };
        let (name, number, decl) = rest.declaration(alias)?;
        rest.eat(b"\n")?;
        let added = match decl {
            Declaration::Var(decl) => self.vars.push(decl, place(number)? as usize, name.len()),
            Declaration::Predicate(decl) => self.predicates.push(decl, number as usize, name.len()),
        };
        added.then_some(())
    }
}

impl Current<'_> {
    /// Adds what was read behind; whether that was possible.
    fn declare_behind(&mut self, behind: Behind) -> bool {
        let Behind {
            vars,
            predicates,
            mentioned,
            ..
        } = behind;
        let is_called = |(var, len): &(Var, usize)| {
            let name = self.var_names.get(var.index());
            name.is_some_and(|name| usize::from(*name) == *len)
        };
        let fits = vars.is_behind(self.object.vars.len())
            && predicates.is_behind(self.object.predicates.len())
            && self.has_numbers_only()
            && mentioned.iter().all(is_called);
        if fits {
            let object = Arc::make_mut(&mut self.object);
            vars.join(&mut object.vars, &mut self.var_names);
            predicates.join(&mut object.predicates, &mut self.predicate_names);
        }
        fits
    }
}

impl Parser<'_> {
    /// Reads the declarations that come next in two halves, if they are many. Where what is behind these begins, or
    /// the second half if it has to be read again, is where the parser goes on.
    pub(super) fn declarations(&mut self) -> Result<(), ParseError> {
        let Some(current) = &mut self.current else {
            return Ok(());
        };
        let (Some(ahead), false) = (current.ahead, current.listed) else {
            return Ok(());
        };
        current.listed = true;
        let Some((first, second)) = self.lexer.halves_of_lines(DECL) else {
            return Ok(());
        };
        let objects = self.module.objects.len();
        let whole = std::mem::replace(&mut self.lexer, first);
        let (read, behind) = rayon::join(|| self.lines(), || Behind::read(second, ahead));
        read?;
        self.lexer = whole.from(self.lexer);
        let (bytes, lines) = (behind.bytes, behind.lines());
        if self.module.objects.len() == objects
            && let Some(current) = &mut self.current
            && current.declare_behind(behind)
        {
            self.lexer.skip_lines(bytes, lines);
        }
        Ok(())
    }
}
