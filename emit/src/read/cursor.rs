//! A place in a line, and the pieces of text that every part of an instruction is made of.

use std::borrow::Cow;

/// An error at a place of a line.
pub(super) struct Unreadable {
    /// Byte of the line.
    pub at: usize,
    pub what: What,
}

/// The kind of an error.
pub(super) enum What {
    /// A description of what may stand there.
    Expected(Cow<'static, str>),
    /// A complete message.
    Wrong(String),
}

pub(super) type Result<T> = std::result::Result<T, Unreadable>;

/// The rest of a line.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'a> {
    pub line: &'a str,
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(line: &'a str) -> Cursor<'a> {
        Cursor { line, at: 0 }
    }

    pub fn rest(&self) -> &'a str {
        &self.line[self.at..]
    }

    pub fn space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }

    pub fn is_at_end(&self) -> bool {
        self.at == self.line.len()
    }

    /// Takes `text` if it comes next.
    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    pub fn expected<T>(&self, what: impl Into<Cow<'static, str>>) -> Result<T> {
        Err(Unreadable {
            at: self.at,
            what: What::Expected(what.into()),
        })
    }

    pub fn wrong<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(Unreadable {
            at: self.at,
            what: What::Wrong(what.into()),
        })
    }

    pub fn expect(&mut self, text: &'static str) -> Result<()> {
        match self.eat(text) {
            true => Ok(()),
            false => self.expected(format!("`{text}`")),
        }
    }

    /// Takes characters as long as they are of a kind; perhaps none.
    pub fn take(&mut self, mut is: impl FnMut(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !is(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Takes a name of letters, digits and underscores.
    pub fn word(&mut self) -> &'a str {
        self.take(|c| c.is_ascii_alphanumeric() || c == '_')
    }

    /// Takes the longest of several names that comes next.
    pub fn one_of<T>(
        &mut self,
        all: impl Iterator<Item = (T, &'static str)>,
        what: &'static str,
    ) -> Result<T> {
        let start = *self;
        let word = self.word();
        for (value, name) in all {
            if name == word {
                return Ok(value);
            }
        }
        start.expected(what)
    }

    /// Takes a number in decimal, without a sign and below `limit`.
    pub fn number(&mut self, limit: u32, what: &'static str) -> Result<u32> {
        let start = *self;
        let digits = self.take(|c| c.is_ascii_digit());
        match digits.parse() {
            Ok(number) if number < limit => Ok(number),
            _ => start.expected(format!("{what} below {limit}")),
        }
    }

    /// Takes a number in hexadecimal with its prefix.
    pub fn hex(&mut self, what: &'static str) -> Result<u64> {
        let start = *self;
        if self.eat("0x") {
            let digits = self.take(|c| c.is_ascii_hexdigit());
            if let Ok(number) = u64::from_str_radix(digits, 16) {
                return Ok(number);
            }
        }
        start.expected(what)
    }
}
