//! Lines with columns.
//!
//! A column is padded to its width. Overflow is taken from the padding of later columns, so that a long operand
//! shifts no more than it must.

use crate::text::Text;

/// Widths of the columns of a listing.
pub(super) mod width {
    pub const PREDICATE: usize = 7;
    pub const MNEMONIC: usize = 13;
    pub const CONDITION: usize = 9;
    pub const DST: usize = 12;
    pub const SRC: usize = 16;
    pub const SEND_DST: usize = 7;
    pub const SEND_SRC: usize = 6;
    pub const DESC: usize = 10;
}

pub(super) struct Line<'a> {
    /// The text; direct writes are outside all columns.
    pub text: &'a mut Text,
    /// Characters by which earlier columns overflowed.
    debt: usize,
}

impl Line<'_> {
    pub fn new(text: &mut Text) -> Line<'_> {
        Line { text, debt: 0 }
    }

    /// Writes a column with the text that `write` appends.
    #[inline]
    pub fn column(&mut self, width: usize, write: impl FnOnce(&mut Text)) {
        let start = self.text.len();
        write(self.text);
        let used = self.text.len() - start;
        let left = width.saturating_sub(used);
        let paid = self.debt.min(left);
        self.debt = self.debt - paid + used.saturating_sub(width);
        self.text.spaces(left - paid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_columns_pay_for_overflow() {
        let mut text = Text::default();
        let mut line = Line::new(&mut text);
        line.column(2, |text| text.str("abcd"));
        line.column(3, |text| text.str("e"));
        line.column(2, |text| text.str("f"));
        line.text.str("g");
        assert_eq!(text.as_bytes(), b"abcdef g");
    }
}
