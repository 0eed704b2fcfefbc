//! Symbol table: the names that an object declares.
//!
//! Compilers number what they declare: `V32`, `P1`. Such a name is a letter, a number and a length, which also says
//! how many zeros the number begins with; it is found in a table by its number. All other names are in a hash map.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::module::{Addr, Predicate, Sampler, Surface, Var, is_name_byte};

/// Entity that a name is declared as.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Symbol {
    Var(Var),
    Addr(Addr),
    Predicate(Predicate),
    Sampler(Sampler),
    Surface(Surface),
}

/// Letters of names that have a table.
const LETTERS: [u8; 2] = *b"VP";
/// Maximum number of digits of a name in a table.
const MAX_DIGITS: usize = 8;
/// Entries by which a table may grow ahead of the names in it, so that its size is bounded by theirs.
const MAX_GAP: usize = 1024;

/// Names and their symbols.
#[derive(Default)]
pub(super) struct Symbols<'a> {
    /// For each of [`LETTERS`], the length of the name with that number, and its symbol.
    tables: [Vec<Option<(u8, Symbol)>>; LETTERS.len()],
    /// Number of names in the tables.
    count: usize,
    others: HashMap<&'a str, Symbol, RandomState>,
}

/// Position of the name at the start of a text in the tables: number of the table, number in the name, and length of
/// the name. `None` if it has none.
#[inline]
fn place(text: &[u8]) -> Option<(usize, usize, usize)> {
    let (letter, digits) = text.split_first()?;
    let table = LETTERS.iter().position(|l| l == letter)?;
    let (mut number, mut count) = (0, 0);
    for b in digits {
        if !b.is_ascii_digit() {
            if is_name_byte(*b) {
                return None;
            }
            break;
        }
        if count == MAX_DIGITS {
            return None;
        }
        number = 10 * number + usize::from(b - b'0');
        count += 1;
    }
    (count != 0).then_some((table, number, 1 + count))
}

impl<'a> Symbols<'a> {
    #[inline]
    pub fn get(&self, name: &str) -> Option<Symbol> {
        match self.at_start(name.as_bytes()) {
            Some((symbol, length)) if length == name.len() => Some(symbol),
            _ => self.others.get(name).copied(),
        }
    }

    /// Symbol of the name at the start of a text, if it is in a table, and the length of the name.
    #[inline]
    pub fn at_start(&self, text: &[u8]) -> Option<(Symbol, usize)> {
        let (table, number, length) = place(text)?;
        let (found, symbol) = (*self.tables[table].get(number)?)?;
        (usize::from(found) == length).then_some((symbol, length))
    }

    /// Sets or removes the symbol of a name. Returns the one before.
    pub fn set(&mut self, name: &'a str, symbol: Option<Symbol>) -> Option<Symbol> {
        if let Some((table, number, length)) = place(name.as_bytes())
            && length == name.len()
            && number < 2 * self.count + MAX_GAP
        {
            let table = &mut self.tables[table];
            if table.len() <= number {
                table.resize(number + 1, None);
            }
            let length = length as u8;
            let entry = &mut table[number];
            let before = *entry;
            if before.is_none_or(|(other, _)| other == length) {
                *entry = symbol.map(|symbol| (length, symbol));
                self.count += usize::from(before.is_none());
                // A name whose number was too high for the table when it was declared is in the map.
                let other = self.others.remove(name);
                return before.map(|(_, symbol)| symbol).or(other);
            }
        }
        match symbol {
            Some(symbol) => self.others.insert(name, symbol),
            None => self.others.remove(name),
        }
    }

    /// All names.
    pub fn names(&self) -> Vec<String> {
        let others = self.others.keys().map(|name| name.to_string());
        let tables = LETTERS.iter().zip(&self.tables);
        let numbered = tables.flat_map(|(letter, table)| {
            let entries = table.iter().enumerate();
            entries.filter_map(|(number, entry)| {
                let digits = usize::from(entry.as_ref()?.0) - 1;
                Some(format!("{}{number:0digits$}", char::from(*letter)))
            })
        });
        others.chain(numbered).collect()
    }
}

#[cfg(test)]
#[path = "tests/symbols.rs"]
mod tests;
