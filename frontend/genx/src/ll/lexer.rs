//! Tokens of LLVM IR in text.
//!
//! A token refers to the text; only names with escapes are made anew. Positions are byte offsets, from which
//! [`Lexer::loc`] makes line and column when a message needs them.

use smol_str::SmolStr;

use crate::error::{Code, Diagnostic, Loc, Result};

/// Words between the start of a function's definition and its name that are looked through.
const MOST_WORDS: u32 = 64;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub enum Token<'a> {
    End,
    /// Keyword, instruction or type.
    Word(&'a str),
    /// `name:`, the start of a block; quotes removed.
    Label(SmolStr),
    /// `%name`
    Local(SmolStr),
    /// `@name`
    Global(SmolStr),
    /// `#0`
    Attrs(u32),
    /// `!name`
    Meta(SmolStr),
    /// `!0`
    MetaId(u32),
    /// `!` before a brace or a string.
    Bang,
    /// Content of a string, as bytes.
    Str(Vec<u8>),
    /// `c"..."`
    Bytes(Vec<u8>),
    /// Decimal integer, with its sign.
    Int(&'a str),
    /// Decimal float.
    Float(&'a str),
    /// `0x`, `0xH` and the like: the letter (`x` without one) and the digits.
    Hex(u8, &'a str),
    /// One of `( ) [ ] { } < > , = * | ^ :`
    Punct(u8),
    /// `...`
    Dots,
}

/// Lexer with one token of look-ahead.
#[derive(Clone)]
pub struct Lexer<'a> {
    text: &'a str,
    /// Offset after the current token.
    pos: usize,
    /// Offset of the current token.
    start: usize,
    token: Token<'a>,
    /// Start of a line before the current token, and its number, so that locations are cheap.
    line: (usize, u32),
    /// A place in that line, and the characters before it: lines may be long.
    column: (usize, u32),
}

const fn is_name(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'$' | b'.' | b'_' | b'\\')
}

impl<'a> Lexer<'a> {
    /// Lexer at the first token.
    ///
    /// # Errors
    /// The first characters are no token.
    pub fn new(text: &'a str) -> Result<Lexer<'a>> {
        let mut lexer = Lexer {
            text,
            pos: 0,
            start: 0,
            token: Token::End,
            line: (0, 1),
            column: (0, 0),
        };
        lexer.advance()?;
        Ok(lexer)
    }

    /// Continues at a later offset, and gives the lexer as it was.
    ///
    /// # Errors
    /// No token begins at the offset.
    pub fn jump(&mut self, to: usize) -> Result<Lexer<'a>> {
        let before = self.clone();
        self.pos = to;
        (self.line, self.column) = ((0, 1), (0, 0));
        self.advance()?;
        Ok(before)
    }

    /// Offsets after the names of all types that are defined, each at the start of a line.
    pub fn type_places(&self) -> Vec<(SmolStr, usize)> {
        let bytes = self.text.as_bytes();
        let mut places = Vec::new();
        let starts = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
        for start in std::iter::once(0).chain(starts) {
            if bytes.get(start) != Some(&b'%') {
                continue;
            }
            let mut lexer = self.clone();
            lexer.pos = start;
            if let Ok(name) = lexer.name("a name")
                && lexer.text[lexer.pos..].trim_ascii_start().starts_with('=')
            {
                places.push((name, lexer.pos));
            }
        }
        places
    }

    /// Names of all functions that are defined or declared, each at the start of a line.
    pub fn function_names(&self) -> Vec<SmolStr> {
        let bytes = self.text.as_bytes();
        let mut names = Vec::new();
        let starts = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
        for start in std::iter::once(0).chain(starts) {
            let line = &bytes[start..];
            if !line.starts_with(b"define ") && !line.starts_with(b"declare ") {
                continue;
            }
            let mut lexer = self.clone();
            lexer.pos = start;
            for _ in 0..MOST_WORDS {
                match lexer.advance() {
                    Ok(()) if lexer.token != Token::End => {}
                    _ => break,
                }
                if let Token::Global(name) = &lexer.token {
                    names.push(name.clone());
                    break;
                }
            }
        }
        names
    }

    /// The current token.
    pub fn token(&self) -> &Token<'a> {
        &self.token
    }

    /// Place of the current token.
    pub fn loc(&mut self) -> Loc {
        let bytes = self.text.as_bytes();
        let (mut from, mut line) = self.line;
        let (mut known, mut column) = self.column;
        if known > self.start {
            (known, column) = (from, 0);
        }
        while let Some(at) = memchr::memchr(b'\n', &bytes[known..self.start]) {
            from = known + at + 1;
            (known, column) = (from, 0);
            line += 1;
        }
        column += self.text[known..self.start].chars().count() as u32;
        (self.line, self.column) = ((from, line), (self.start, column));
        Loc {
            line,
            column: column + 1,
            byte: 0,
        }
    }

    /// Syntax error at the current token.
    pub fn error<T>(&mut self, message: impl Into<String>) -> Result<T> {
        Err(Diagnostic::new(Code::Syntax, self.loc(), message))
    }

    /// Error that something else was expected.
    pub fn expected<T>(&mut self, what: &str) -> Result<T> {
        let found = match &self.token {
            Token::End => "the end of the text".to_string(),
            _ => {
                let end = self.pos.min(self.start + 40);
                let end = (self.start..=end)
                    .rev()
                    .find(|i| self.text.is_char_boundary(*i));
                format!("`{}`", &self.text[self.start..end.unwrap_or(self.start)])
            }
        };
        self.error(format!("{what} is expected, not {found}"))
    }

    /// Takes the current token.
    ///
    /// # Errors
    /// The text that follows is no token.
    pub fn take(&mut self) -> Result<Token<'a>> {
        let token = std::mem::replace(&mut self.token, Token::End);
        self.advance()?;
        Ok(token)
    }

    fn skip_blank(&mut self) {
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.pos) {
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.pos += 1,
                Some(b';') => {
                    let rest = &bytes[self.pos..];
                    self.pos += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    fn advance(&mut self) -> Result<()> {
        self.skip_blank();
        self.start = self.pos;
        let bytes = self.text.as_bytes();
        let Some(&first) = bytes.get(self.pos) else {
            self.token = Token::End;
            return Ok(());
        };
        self.token = match first {
            b'%' => Token::Local(self.name("a name")?),
            b'@' => Token::Global(self.name("a name")?),
            b'#' => {
                self.pos += 1;
                // A debug record, `#dbg_value(...)`, begins so too.
                let digits = self.run(is_name);
                if digits.starts_with("dbg") {
                    self.token = Token::Word(&self.text[self.start..self.pos]);
                    return Ok(());
                }
                match digits.parse() {
                    Ok(n) => Token::Attrs(n),
                    Err(_) => return self.error("a number is expected after `#`"),
                }
            }
            b'!' => self.bang()?,
            b'"' => {
                let content = self.quoted()?;
                if bytes.get(self.pos) == Some(&b':') {
                    self.pos += 1;
                    Token::Label(String::from_utf8_lossy(&content).into())
                } else {
                    Token::Str(content)
                }
            }
            b'c' if bytes.get(self.pos + 1) == Some(&b'"') => {
                self.pos += 1;
                Token::Bytes(self.quoted()?)
            }
            b'.' if self.text[self.pos..].starts_with("...") => {
                self.pos += 3;
                Token::Dots
            }
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b',' | b'=' | b'*' | b'|'
            | b'^' | b':' => {
                self.pos += 1;
                Token::Punct(first)
            }
            b'-' | b'+' | b'0'..=b'9' => self.number()?,
            b if is_name(b) => self.word(),
            _ => return self.error("no token of LLVM IR begins so"),
        };
        Ok(())
    }

    fn run(&mut self, is: impl Fn(u8) -> bool) -> &'a str {
        let from = self.pos;
        let rest = &self.text.as_bytes()[from..];
        self.pos += rest.iter().position(|b| !is(*b)).unwrap_or(rest.len());
        &self.text[from..self.pos]
    }

    /// Name after a sigil.
    fn name(&mut self, what: &str) -> Result<SmolStr> {
        self.pos += 1;
        if self.text.as_bytes().get(self.pos) == Some(&b'"') {
            let content = self.quoted()?;
            return Ok(String::from_utf8_lossy(&content).into());
        }
        match self.run(is_name) {
            "" => self.expected(what),
            name => Ok(name.into()),
        }
    }

    fn bang(&mut self) -> Result<Token<'a>> {
        self.pos += 1;
        let name = self.run(is_name);
        if name.is_empty() {
            return Ok(Token::Bang);
        }
        if name.bytes().all(|b| b.is_ascii_digit()) {
            return match name.parse() {
                Ok(n) => Ok(Token::MetaId(n)),
                Err(_) => self.error("the number of a node is too large"),
            };
        }
        Ok(Token::Meta(name.into()))
    }

    /// Content of the string that begins here, `\XX` replaced.
    fn quoted(&mut self) -> Result<Vec<u8>> {
        let bytes = self.text.as_bytes();
        let from = self.pos + 1;
        let Some(length) = memchr::memchr(b'"', &bytes[from..]) else {
            return self.error("the string has no end");
        };
        self.pos = from + length + 1;
        let raw = &bytes[from..from + length];
        if memchr::memchr(b'\\', raw).is_none() {
            return Ok(raw.to_vec());
        }
        let mut content = Vec::with_capacity(raw.len());
        let mut rest = raw;
        while let Some((first, after)) = rest.split_first() {
            let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
            let code = code.and_then(|hex| u8::from_str_radix(hex, 16).ok());
            (rest, _) = match (*first, code) {
                (b'\\', Some(byte)) => {
                    content.push(byte);
                    (&after[2..], ())
                }
                (b'\\', None) if after.first() == Some(&b'\\') => {
                    content.push(b'\\');
                    (&after[1..], ())
                }
                (byte, _) => {
                    content.push(byte);
                    (after, ())
                }
            };
        }
        Ok(content)
    }

    fn number(&mut self) -> Result<Token<'a>> {
        let bytes = self.text.as_bytes();
        let from = self.pos;
        if bytes[from] == b'0' && bytes.get(from + 1) == Some(&b'x') {
            self.pos += 2;
            let kind = match bytes.get(self.pos) {
                Some(&b @ (b'H' | b'K' | b'L' | b'M' | b'R')) => {
                    self.pos += 1;
                    b
                }
                _ => b'x',
            };
            let digits = self.run(|b| b.is_ascii_hexdigit());
            return Ok(Token::Hex(kind, digits));
        }
        self.pos += 1;
        self.run(|b| b.is_ascii_digit());
        let mut is_float = false;
        if bytes.get(self.pos) == Some(&b'.') && bytes[from] != b'.' {
            is_float = true;
            self.pos += 1;
            self.run(|b| b.is_ascii_digit());
            if matches!(bytes.get(self.pos), Some(b'e' | b'E')) {
                self.pos += 1;
                if matches!(bytes.get(self.pos), Some(b'+' | b'-')) {
                    self.pos += 1;
                }
                self.run(|b| b.is_ascii_digit());
            }
        }
        // A label may begin with digits.
        let end = self.pos;
        self.run(is_name);
        if bytes.get(self.pos) == Some(&b':') {
            let name = &self.text[from..self.pos];
            self.pos += 1;
            return Ok(Token::Label(name.into()));
        }
        self.pos = end;
        let text = &self.text[from..end];
        if text == "-" || text == "+" {
            return self.error("a number is expected after the sign");
        }
        Ok(match is_float {
            true => Token::Float(text),
            false => Token::Int(text),
        })
    }

    fn word(&mut self) -> Token<'a> {
        let word = self.run(is_name);
        if self.text.as_bytes().get(self.pos) == Some(&b':') {
            self.pos += 1;
            return Token::Label(word.into());
        }
        Token::Word(word)
    }

    /// True if the current token is this word.
    pub fn is_word(&self, word: &str) -> bool {
        matches!(self.token, Token::Word(w) if w == word)
    }

    /// True if the current token is this character.
    pub fn is(&self, punct: u8) -> bool {
        self.token == Token::Punct(punct)
    }

    /// Takes a word if it is the current token.
    ///
    /// # Errors
    /// The text that follows is no token.
    pub fn eat_word(&mut self, word: &str) -> Result<bool> {
        let found = self.is_word(word);
        if found {
            self.take()?;
        }
        Ok(found)
    }

    /// Takes a character if it is the current token.
    ///
    /// # Errors
    /// The text that follows is no token.
    pub fn eat(&mut self, punct: u8) -> Result<bool> {
        let found = self.is(punct);
        if found {
            self.take()?;
        }
        Ok(found)
    }

    /// Takes a character.
    ///
    /// # Errors
    /// The token is another one.
    pub fn expect(&mut self, punct: u8) -> Result<()> {
        match self.eat(punct)? {
            true => Ok(()),
            false => self.expected(&format!("`{}`", char::from(punct))),
        }
    }

    /// Takes a word.
    ///
    /// # Errors
    /// The token is another one.
    pub fn expect_word(&mut self, word: &str) -> Result<()> {
        match self.eat_word(word)? {
            true => Ok(()),
            false => self.expected(&format!("`{word}`")),
        }
    }

    /// Takes an integer.
    ///
    /// # Errors
    /// The token is another one, or the number is too large.
    pub fn int(&mut self) -> Result<i64> {
        match self.token {
            Token::Int(text) => match text.parse() {
                Ok(n) => {
                    self.take()?;
                    Ok(n)
                }
                Err(_) => self.error("the number is too large"),
            },
            _ => self.expected("an integer"),
        }
    }

    /// Takes a number that is not negative and below a limit.
    ///
    /// # Errors
    /// The token is another one, or the number is too large.
    pub fn count(&mut self, limit: u64) -> Result<u64> {
        let loc = self.loc();
        let n = self.int()?;
        match u64::try_from(n) {
            Ok(n) if n < limit => Ok(n),
            _ => Err(Diagnostic::new(
                Code::Size,
                loc,
                format!("{n} is not between 0 and {limit}"),
            )),
        }
    }

    /// Takes a string.
    ///
    /// # Errors
    /// The token is another one.
    pub fn string(&mut self) -> Result<SmolStr> {
        match self.token {
            Token::Str(_) => match self.take()? {
                Token::Str(bytes) => Ok(String::from_utf8_lossy(&bytes).into()),
                _ => self.expected("a string"),
            },
            _ => self.expected("a string"),
        }
    }
}
