//! Lexer of vISA text. The parser asks for the token that it expects next.
//!
//! Works on bytes and copies nothing: names are slices of the source. Every token but those of [`Lexer::suffix`]
//! and the functions named `adjacent` may have blanks and comments before it. The end of a line ends a statement;
//! only [`Lexer::statement`] skips it.

use std::borrow::Cow;

use memchr::memchr;

use super::spans::Span;
use super::{ParseError, ParseErrorKind};
use crate::labels::LabelError;
use crate::module::{Place, is_name_byte};

/// Eight spaces, which are skipped in one step.
const EIGHT_SPACES: u64 = u64::from_le_bytes(*b"        ");
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Position in the source, for errors found later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub offset: usize,
    pub line: u32,
    pub column: u32,
}

#[derive(Clone, Copy)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    pos: usize,
    line: u32,
    line_start: usize,
}

impl<'a> Lexer<'a> {
    /// Lexer at the beginning of a text, after the byte-order mark that some editors write.
    pub fn new(text: &'a str) -> Lexer<'a> {
        let start = text.len() - text.trim_start_matches(BYTE_ORDER_MARK).len();
        Lexer {
            text,
            bytes: text.as_bytes(),
            pos: start,
            line: 1,
            line_start: start,
        }
    }

    fn at(&self, pos: usize) -> u8 {
        self.bytes.get(pos).copied().unwrap_or(0)
    }

    #[inline(always)]
    fn blanks(&mut self) {
        let next = self.at(self.pos);
        if !may_be_blank(next) {
            return;
        }
        self.pos += usize::from(next == b' ');
        if may_be_blank(self.at(self.pos)) {
            self.skip_blanks();
        }
    }

    #[inline(never)]
    fn skip_blanks(&mut self) {
        loop {
            let rest = self.bytes.get(self.pos..).unwrap_or_default();
            match rest {
                [b' ', ..] => self.pos += spaces(rest),
                [b'\t' | b'\r', ..] => self.pos += 1,
                [b'/', b'/', ..] => self.pos += memchr(b'\n', rest).unwrap_or(rest.len()),
                [b'/', b'*', ..] => self.comment(),
                _ => return,
            }
        }
    }

    fn comment(&mut self) {
        self.pos += 2;
        while self.pos < self.bytes.len() {
            match (self.at(self.pos), self.at(self.pos + 1)) {
                (b'*', b'/') => {
                    self.pos += 2;
                    return;
                }
                (b'\n', _) => self.newline(),
                _ => self.pos += 1,
            }
        }
    }

    fn newline(&mut self) {
        self.pos += 1;
        self.line += 1;
        self.line_start = self.pos;
    }

    /// Position of the next token.
    pub fn mark(&mut self) -> Mark {
        self.blanks();
        self.adjacent_mark()
    }

    /// Current position, before blanks.
    pub fn adjacent_mark(&self) -> Mark {
        Mark {
            offset: self.pos,
            line: self.line,
            column: (self.pos - self.line_start + 1) as u32,
        }
    }

    /// Skips ends of lines. True if a statement follows.
    pub fn statement(&mut self) -> bool {
        loop {
            self.blanks();
            match self.bytes.get(self.pos) {
                Some(b'\n') => self.newline(),
                next => return next.is_some(),
            }
        }
    }

    /// True at the end of the line.
    pub fn at_line_end(&mut self) -> bool {
        self.blanks();
        matches!(self.bytes.get(self.pos), None | Some(b'\n'))
    }

    /// Next character, which is not consumed; 0 at the end of the text.
    pub fn peek(&mut self) -> u8 {
        self.blanks();
        self.at(self.pos)
    }

    /// Consumes `c` if it is next. Returns true if it was.
    pub fn eat(&mut self, c: u8) -> bool {
        self.blanks();
        self.eat_adjacent(c)
    }

    /// Consumes `c` if it is next without a blank. Returns true if it was.
    pub fn eat_adjacent(&mut self, c: u8) -> bool {
        let next = self.bytes.get(self.pos) == Some(&c);
        self.pos += usize::from(next);
        next
    }

    /// True if `c` is next without a blank.
    pub fn next_is(&self, c: u8) -> bool {
        self.bytes.get(self.pos) == Some(&c)
    }

    /// Consumes `r[` if it is next. Returns true if it was.
    pub fn eat_indirect(&mut self) -> bool {
        self.blanks();
        let next = self.at(self.pos) == b'r' && self.at(self.pos + 1) == b'[';
        self.pos += if next { 2 } else { 0 };
        next
    }

    /// Consumes the word if it is next and not part of a longer name. Returns true if it was.
    pub fn eat_word(&mut self, word: &str) -> bool {
        self.blanks();
        let next =
            self.rest().starts_with(word.as_bytes()) && !is_name(self.at(self.pos + word.len()));
        self.pos += if next { word.len() } else { 0 };
        next
    }

    /// Rest of the text after blanks.
    pub fn rest(&mut self) -> &'a [u8] {
        self.blanks();
        &self.bytes[self.pos..]
    }

    /// Consumes letters, digits and points that follow without a blank.
    pub fn shape(&mut self) -> &'a str {
        self.run(self.pos, |b| b.is_ascii_alphanumeric() || b == b'.')
    }

    pub fn expect(&mut self, c: u8, what: &'static str) -> Result<(), ParseError> {
        if self.eat(c) {
            Ok(())
        } else {
            Err(self.expected(what))
        }
    }

    /// Consumes a name: letters, digits, `_`, `$`, `@` and `?`, with an optional `%` before it.
    pub fn name(&mut self) -> Option<&'a str> {
        self.blanks();
        let start = self.pos;
        let first = start + usize::from(self.at(start) == b'%');
        if !is_name_start(self.at(first)) {
            return None;
        }
        Some(self.run(first + 1, is_name))
    }

    /// Consumes the characters up to `pos` and all after that for which `is` holds.
    fn run(&mut self, pos: usize, is: impl Fn(u8) -> bool) -> &'a str {
        let start = self.pos;
        let rest = self.bytes.get(pos..).unwrap_or_default();
        let mut len = 0;
        for b in rest {
            if !is(*b) {
                break;
            }
            len += 1;
        }
        self.pos = pos + len;
        &self.text[start..self.pos]
    }

    /// Consumes a mnemonic or the name of a label.
    pub fn mnemonic(&mut self) -> Option<&'a str> {
        self.blanks();
        let start = self.pos;
        is_name_start(self.at(start)).then(|| self.run(start, |b| is_name(b) || b == b'+'))
    }

    /// Consumes the definition of a label, its colon included, if it has characters that no other name has.
    pub fn label(&mut self) -> Option<&'a str> {
        self.blanks();
        let rest = self.bytes.get(self.pos..)?;
        let is = |b: &u8| is_name(*b) || *b == b'-';
        let length = rest.iter().position(|b| !is(b))?;
        let name = &rest[..length];
        let is_label =
            rest[length] == b':' && name.contains(&b'-') && is_name_start(*name.first()?);
        if !is_label {
            return None;
        }
        self.pos += length + 1;
        Some(&self.text[self.pos - length - 1..self.pos - 1])
    }

    /// The mnemonic before the current position together with the suffix after it, for mnemonics with a point.
    /// Consumes nothing.
    pub fn dotted(&mut self, mnemonic: &str) -> Option<&'a str> {
        let start = self.pos - mnemonic.len();
        let end = self.pos;
        self.suffix()
            .map(|_| &self.text[start..self.pos])
            .inspect(|_| self.pos = end)
    }

    /// Skips `len` bytes of the line, which were looked at before.
    pub fn skip(&mut self, len: usize) {
        self.pos = (self.pos + len).min(self.bytes.len());
    }

    /// Skips the rest of the line.
    pub fn skip_line(&mut self) {
        let rest = &self.bytes[self.pos.min(self.bytes.len())..];
        self.pos += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
    }

    /// Text from the mark to the current position.
    pub fn since(&self, mark: Mark) -> &'a str {
        &self.text[mark.offset..self.pos]
    }

    /// Span from the mark to the current position.
    pub fn span(&self, mark: Mark) -> Span {
        Span::new(self.text, mark.offset, self.pos)
    }

    /// Consumes a suffix: a `.` that follows without a blank, and the word after it.
    pub fn suffix(&mut self) -> Option<&'a str> {
        if self.at(self.pos) != b'.' {
            return None;
        }
        self.pos += 1;
        let is = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'<' | b'>');
        Some(self.run(self.pos, is))
    }

    /// True if a number is next: a digit, or `-` and a digit.
    pub fn is_number(&mut self) -> bool {
        self.blanks();
        let sign = usize::from(self.at(self.pos) == b'-');
        self.at(self.pos + sign).is_ascii_digit()
    }

    /// True if a number without a type is next.
    pub fn is_plain_number(mut self) -> bool {
        self.is_number() && !self.number().is_empty() && !self.next_is(b':')
    }

    /// Consumes a number with sign, prefix, point and exponent.
    pub fn number(&mut self) -> &'a str {
        self.blanks();
        let start = self.pos;
        let sign = usize::from(self.at(start) == b'-');
        let hex = self.at(start + sign) == b'0' && self.at(start + sign + 1) | 0x20 == b'x';
        if hex {
            return self.run(start + sign + 2, |b| b.is_ascii_hexdigit());
        }
        self.run(start + sign, |b| b.is_ascii_digit());
        let fraction = self.at(self.pos) == b'.' && self.at(self.pos + 1).is_ascii_digit();
        if fraction {
            self.run(self.pos + 1, |b| b.is_ascii_digit());
        }
        let exponent = self.at(self.pos) | 0x20 == b'e';
        if exponent && matches!(self.at(self.pos + 1), b'+' | b'-') {
            self.run(self.pos + 2, |b| b.is_ascii_digit());
        }
        &self.text[start..self.pos]
    }

    /// Consumes a decimal number of up to four digits that fits into `T`, if `ends` holds for the rest of the text
    /// after it. Nearly all numbers are of this kind, so it is tried before an expression.
    pub fn short<T: TryFrom<u16>>(&mut self, ends: impl Fn(&[u8]) -> bool) -> Option<T> {
        self.blanks();
        let mut n: u16 = 0;
        let mut digits = 0;
        let mut rest = self.bytes.get(self.pos..)?;
        while let [digit @ b'0'..=b'9', after @ ..] = rest {
            if digits == 4 {
                return None;
            }
            n = 10 * n + u16::from(digit - b'0');
            digits += 1;
            rest = after;
        }
        if digits == 0 || !ends(rest) {
            return None;
        }
        let n = T::try_from(n).ok()?;
        self.pos += digits;
        Some(n)
    }

    /// Consumes an integer: decimal or, with `0x`, hexadecimal.
    pub fn integer(&mut self, what: &'static str) -> Result<i128, ParseError> {
        let mark = self.mark();
        if !self.is_number() {
            return Err(self.expected(what));
        }
        // A point ends an integer: `V32.0.` is none.
        let start = self.pos;
        let sign = usize::from(self.at(start) == b'-');
        let hex = self.at(start + sign) == b'0' && self.at(start + sign + 1) | 0x20 == b'x';
        let digits = if hex {
            self.run(start + sign + 2, |b| b.is_ascii_hexdigit())
        } else {
            self.run(start + sign, |b| b.is_ascii_digit())
        };
        parse_integer(digits).ok_or_else(|| self.error_from(mark, ParseErrorKind::number(what)))
    }

    /// Consumes an unsigned integer that fits into `T`.
    pub fn unsigned<T: TryFrom<i128> + TryFrom<u16>>(
        &mut self,
        what: &'static str,
    ) -> Result<T, ParseError> {
        if let Some(n) = self.short(|rest| !matches!(rest, [b'x' | b'X', ..])) {
            return Ok(n);
        }
        let mark = self.mark();
        let n = self.integer(what)?;
        T::try_from(n).map_err(|_| self.error_from(mark, ParseErrorKind::number(what)))
    }

    /// The digits at the `#` of `pattern`, if the text is next without blanks. Consumes nothing. Most operands have
    /// `(0,0)` and `<8;8,1>`, which one comparison recognizes.
    #[inline]
    pub fn digits<const N: usize, const D: usize>(&self, pattern: &[u8; N]) -> Option<[u8; D]> {
        let next = self.bytes.get(self.pos..)?.first_chunk::<N>()?;
        let mut digits = [0; D];
        let mut count = 0;
        for (byte, expected) in next.iter().zip(pattern) {
            if *expected == b'#' {
                let digit = byte.wrapping_sub(b'0');
                if digit > 9 {
                    return None;
                }
                digits[count] = digit;
                count += 1;
            } else if byte != expected {
                return None;
            }
        }
        Some(digits)
    }

    /// Consumes a string in quotes and resolves its escapes.
    pub fn string(&mut self) -> Result<Cow<'a, str>, ParseError> {
        let mark = self.mark();
        if !self.eat(b'"') {
            return Err(self.expected("a string in quotes"));
        }
        let start = self.pos;
        let mut escapes = false;
        loop {
            match self.bytes.get(self.pos) {
                Some(b'"') => break,
                Some(b'\\') if !matches!(self.bytes.get(self.pos + 1), None | Some(b'\n')) => {
                    escapes = true;
                    self.pos += 2;
                }
                None | Some(b'\n' | b'\\') => {
                    return Err(self.error_from(mark, ParseErrorKind::UnclosedString));
                }
                Some(_) => self.pos += 1,
            }
        }
        let end = self.pos;
        self.pos += 1;
        if !escapes {
            return Ok(Cow::Borrowed(&self.text[start..end]));
        }
        unescape(&self.bytes[start..end])
            .map(Cow::Owned)
            .ok_or_else(|| self.error_from(mark, ParseErrorKind::Escape))
    }

    /// Error: `what` was expected instead of the next token.
    pub fn expected(&mut self, what: &'static str) -> ParseError {
        let mark = self.mark();
        let rest = &self.bytes[self.pos..];
        let alone = |b: u8| !is_name(b) && !matches!(b, b'%' | b'.');
        let len = match rest.first() {
            None | Some(b'\n') => 0,
            Some(b) if alone(*b) => self.text[self.pos..]
                .chars()
                .next()
                .map_or(0, char::len_utf8),
            Some(_) => rest.iter().position(|b| alone(*b)).unwrap_or(rest.len()),
        };
        let found = match len {
            0 => "the end of the line".to_owned(),
            _ => format!("`{}`", &self.text[self.pos..self.pos + len]),
        };
        let kind = ParseErrorKind::Expected {
            expected: what,
            found,
        };
        ParseError::new(mark, len, kind)
    }

    /// Error about a label in the statement at an earlier place. The names of a part's labels end with `suffix`, which its
    /// text does not have.
    pub fn error_of_label(&self, place: Place, suffix: &str, error: LabelError) -> ParseError {
        let Place { pos: line, column } = place;
        let before = self.text.split_inclusive('\n').take(line as usize - 1);
        let start = before.map(str::len).sum::<usize>() + column as usize - 1;
        let error = error.without(suffix);
        let statement = self.text[start..].split('\n').next().unwrap_or_default();
        let name = error.name();
        let is_whole = |(at, found): &(usize, &str)| {
            let around = [at.checked_sub(1), Some(at + found.len())];
            let mut bytes = around
                .into_iter()
                .flatten()
                .filter_map(|at| statement.as_bytes().get(at));
            !bytes.any(|b| is_name(*b))
        };
        // The last one, since a mnemonic may be a label, too.
        let found = statement.rmatch_indices(name).find(is_whole);
        let at = found.map_or(0, |(at, _)| at);
        let mark = Mark {
            offset: start + at,
            line,
            column: column + at as u32,
        };
        let length = self.bytes[mark.offset..]
            .iter()
            .take_while(|b| is_name(**b))
            .count();
        ParseError::new(mark, length, error.into())
    }

    /// Error about the text from the mark to the current position.
    pub fn error_from(&self, mark: Mark, kind: ParseErrorKind) -> ParseError {
        ParseError::new(mark, self.pos.saturating_sub(mark.offset), kind)
    }
}

/// Number of spaces at the start. Comments after instructions are aligned in a column, with many spaces before.
fn spaces(mut bytes: &[u8]) -> usize {
    let mut count = 0;
    while let Some((chunk, rest)) = bytes.split_first_chunk() {
        let others = u64::from_le_bytes(*chunk) ^ EIGHT_SPACES;
        if others != 0 {
            return count + (others.trailing_zeros() / u8::BITS) as usize;
        }
        count += chunk.len();
        bytes = rest;
    }
    count + bytes.iter().take_while(|b| **b == b' ').count()
}

/// True if a blank or a comment may begin with `b`.
fn may_be_blank(b: u8) -> bool {
    BLANK[usize::from(b)]
}

const fn is_name_start(b: u8) -> bool {
    NAME[b as usize] && !b.is_ascii_digit()
}

/// True if names may contain `b`.
fn is_name(b: u8) -> bool {
    NAME[usize::from(b)]
}

/// By byte, true if a blank or a comment may begin with it.
const BLANK: [bool; 256] = {
    let mut blank = [false; 256];
    blank[b' ' as usize] = true;
    blank[b'\t' as usize] = true;
    blank[b'\r' as usize] = true;
    blank[b'/' as usize] = true;
    blank
};

/// By byte, true if names may contain it.
const NAME: [bool; 256] = {
    let mut name = [false; 256];
    let mut b = 0;
    while b < 256 {
        name[b] = is_name_byte(b as u8);
        b += 1;
    }
    name
};

/// Value of an integer; `None` if it has more than 64 bits or no digits.
pub(super) fn parse_integer(digits: &str) -> Option<i128> {
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, digits),
    };
    let n = match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => digits.parse::<u64>(),
    };
    n.ok().map(|n| sign * i128::from(n))
}

fn unescape(bytes: &[u8]) -> Option<String> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'\\' {
            out.push(*first);
            continue;
        }
        let [escape, tail @ ..] = rest else {
            return None;
        };
        rest = tail;
        out.push(match escape {
            b'a' => 7,
            b'b' => 8,
            b'e' => 0x1b,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'\'' | b'"' | b'?' | b'\\' => *escape,
            b'x' => {
                let len = rest
                    .iter()
                    .take(2)
                    .take_while(|b| b.is_ascii_hexdigit())
                    .count();
                let (digits, tail) = rest.split_at(len);
                rest = tail;
                u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?
            }
            _ => return None,
        });
    }
    String::from_utf8(out).ok()
}
