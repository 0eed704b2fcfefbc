//! Lines of columns.
//!
//! A column is padded to its width; what overflows is taken from the padding of the columns after
//! it, so that a long operand shifts no more than it must.

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
    text: &'a mut String,
    /// Characters by which earlier columns overflowed.
    debt: usize,
}

impl Line<'_> {
    pub fn new(text: &mut String) -> Line<'_> {
        Line { text, debt: 0 }
    }

    /// Text outside any column.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub fn pad(&mut self, count: usize) {
        self.text.extend(std::iter::repeat_n(' ', count));
    }

    /// A column of the text that `write` appends.
    pub fn column(&mut self, width: usize, write: impl FnOnce(&mut String)) {
        let start = self.text.len();
        write(self.text);
        self.end(width, start);
    }

    /// A column that starts with `number`, which the reference does not count when it pads.
    pub fn column_after(&mut self, width: usize, number: &str, write: impl FnOnce(&mut String)) {
        self.text.push_str(number);
        self.column(width, write);
    }

    fn end(&mut self, width: usize, start: usize) {
        let used = self.text.len() - start;
        let paid = self.debt.min(width.saturating_sub(used));
        self.debt = self.debt - paid + used.saturating_sub(width);
        self.pad(width.saturating_sub(used) - paid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_columns_pay_for_overflow() {
        let mut text = String::new();
        let mut line = Line::new(&mut text);
        line.column(2, |text| text.push_str("abcd"));
        line.column(3, |text| text.push('e'));
        line.column(2, |text| text.push('f'));
        line.push("g");
        assert_eq!(text, "abcdef g");
    }
}
