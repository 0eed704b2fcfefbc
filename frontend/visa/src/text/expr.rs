//! Integers in text: literals and constant expressions. Precedence climbing evaluates them while they are read.
//!
//! Operators and precedence are those of C, except that `|` binds tighter than `^`, and `^` tighter than `&`, and
//! that `>>>` is a logical shift. `%sizeof(V32)` is the size of a general variable or of addresses in bytes,
//! `%sizeof(GRF)` that of a register, `%DispatchSimd` the number of channels that an attribute says. In angle brackets there are no comparisons ([`Parser::in_angles`]): `>` ends the expression.

use super::parser::Parser;
use super::symbols::Symbol;
use super::{ParseError, ParseErrorKind};
use crate::module::AttrValue;

type Result<T> = std::result::Result<T, ParseError>;

/// Operators by precedence, lowest first.
const LEVELS: &[&[&str]] = &[
    &["&"],
    &["^"],
    &["|"],
    &["==", "!="],
    &["<=", ">=", "<", ">"],
    &["<<", ">>>", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];
const SHIFT: usize = 5;
const SUM: usize = 6;
const PRODUCT: usize = 7;

/// Operator that gives the size of a variable.
const SIZE_OF: &str = "%sizeof";

/// Number of channels that the kernel's attributes say.
const CHANNELS: &str = "%DispatchSimd";

/// Bytes of an address.
const ADDRESS_BYTES: i128 = 2;

/// Maximum nesting of operators, signs and parentheses.
const MAX_DEPTH: u32 = 64;

/// Value of an operation; `None` if it is undefined or out of range.
fn apply(op: &str, a: i128, b: i128) -> Option<i128> {
    let amount = || u32::try_from(b).ok().filter(|n| *n < 64);
    let n = match op {
        "&" => a & b,
        "^" => a ^ b,
        "|" => a | b,
        "==" => i128::from(a == b),
        "!=" => i128::from(a != b),
        "<=" => i128::from(a <= b),
        ">=" => i128::from(a >= b),
        "<" => i128::from(a < b),
        ">" => i128::from(a > b),
        "<<" => a.checked_shl(amount()?)?,
        ">>" => a >> amount()?,
        ">>>" => i128::from((a as u64) >> amount()?),
        "+" => a.checked_add(b)?,
        "-" => a.checked_sub(b)?,
        "*" => a.checked_mul(b)?,
        "/" => a.checked_div(b)?,
        _ => a.checked_rem(b)?,
    };
    (i128::from(i64::MIN)..=i128::from(u64::MAX))
        .contains(&n)
        .then_some(n)
}

impl Parser<'_> {
    /// Reads an expression whose value fits into `T`.
    pub(super) fn unsigned<T: TryFrom<i128> + TryFrom<u16>>(
        &mut self,
        what: &'static str,
    ) -> Result<T> {
        let ends = |rest: &[u8]| match rest {
            [] | [b',' | b')' | b']' | b'\n', ..] => true,
            [b' ', next, ..] => next.is_ascii_alphabetic(),
            _ => false,
        };
        if let Some(n) = self.lexer.short(ends) {
            return Ok(n);
        }
        self.fitting(what, |p| p.condition(what, 0))
    }

    /// Reads an expression of up to 64 bits.
    pub(super) fn wide(&mut self, what: &'static str) -> Result<i64> {
        self.condition(what, 0).map(|n| n as i64)
    }

    /// Reads an expression between `<` and `>`.
    pub(super) fn in_angles<T: TryFrom<i128> + TryFrom<u16>>(
        &mut self,
        what: &'static str,
    ) -> Result<T> {
        let ends = |rest: &[u8]| match rest {
            [b',' | b';', ..] => true,
            [b'>', rest @ ..] => rest.first() != Some(&b'>'),
            _ => false,
        };
        if let Some(n) = self.lexer.short(ends) {
            return Ok(n);
        }
        self.fitting(what, |p| p.binary(what, SHIFT, 0))
    }

    /// Reads an expression of sums and products.
    pub(super) fn sum<T: TryFrom<i128>>(&mut self, what: &'static str) -> Result<T> {
        self.fitting(what, |p| p.binary(what, SUM, 0))
    }

    /// Reads an expression of products and negates it.
    pub(super) fn negated<T: TryFrom<i128>>(&mut self, what: &'static str) -> Result<T> {
        self.fitting(what, |p| p.binary(what, PRODUCT, 0).map(|n| -n))
    }

    /// Reads a literal, `%sizeof` or an expression in parentheses.
    pub(super) fn prim<T: TryFrom<i128>>(&mut self, what: &'static str) -> Result<T> {
        self.fitting(what, |p| p.primary(what, 0))
    }

    /// Reads a [`Parser::prim`] with any signs before it.
    pub(super) fn signed(&mut self, what: &'static str) -> Result<i128> {
        self.unary(what, 0)
    }

    fn fitting<T: TryFrom<i128>>(
        &mut self,
        what: &'static str,
        read: impl FnOnce(&mut Self) -> Result<i128>,
    ) -> Result<T> {
        let mark = self.lexer.mark();
        let n = read(self)?;
        T::try_from(n).map_err(|_| {
            let kind = ParseErrorKind::number(what);
            self.lexer.error_from(mark, kind)
        })
    }

    /// Reads `a ? b : c` or a binary expression.
    fn condition(&mut self, what: &'static str, depth: u32) -> Result<i128> {
        let n = self.binary(what, 0, depth)?;
        if !self.lexer.eat(b'?') {
            return Ok(n);
        }
        let depth = self.deeper(depth)?;
        let then = self.binary(what, 0, depth)?;
        self.lexer.expect(b':', "`:` of a condition")?;
        let otherwise = self.condition(what, depth)?;
        Ok(if n != 0 { then } else { otherwise })
    }

    /// Reads an expression of operators of at least the precedence `loosest`.
    fn binary(&mut self, what: &'static str, loosest: usize, depth: u32) -> Result<i128> {
        let mark = self.lexer.mark();
        let first = self.unary(what, depth)?;
        self.climb(what, loosest, first, depth)
            .map_err(|e| match e.kind {
                ParseErrorKind::Range { .. } if e.length == 0 => {
                    self.lexer.error_from(mark, e.kind)
                }
                _ => e,
            })
    }

    fn climb(
        &mut self,
        what: &'static str,
        loosest: usize,
        first: i128,
        depth: u32,
    ) -> Result<i128> {
        let mut value = first;
        while let Some((level, op)) = self.operator(loosest) {
            self.lexer.skip(op.len());
            let depth = self.deeper(depth)?;
            let next = self.unary(what, depth)?;
            let right = self.climb(what, level + 1, next, depth)?;
            let mark = self.lexer.adjacent_mark();
            value = apply(op, value, right)
                .ok_or_else(|| ParseError::new(mark, 0, ParseErrorKind::number(what)))?;
        }
        Ok(value)
    }

    /// Next operator, if its precedence is at least `loosest`.
    fn operator(&mut self, loosest: usize) -> Option<(usize, &'static str)> {
        let rest = self.lexer.rest();
        if !matches!(rest, [first, ..] if b"&^|=!<>+-*/%".contains(first)) {
            return None;
        }
        // A `>` that ends the expression leaves `>>` a shift, and makes `>=` no operator.
        let all = LEVELS.iter().enumerate();
        let found = all
            .flat_map(|(level, ops)| ops.iter().map(move |op| (level, *op)))
            .filter(|(_, op)| rest.starts_with(op.as_bytes()))
            .max_by_key(|(_, op)| op.len())?;
        (found.0 >= loosest).then_some(found)
    }

    fn deeper(&mut self, depth: u32) -> Result<u32> {
        if depth < MAX_DEPTH {
            return Ok(depth + 1);
        }
        let mark = self.lexer.mark();
        let kind = ParseErrorKind::Range {
            what: "the depth of the expression",
            expected: "at most 64 nested operators, signs and parentheses",
        };
        Err(ParseError::new(mark, 1, kind))
    }

    fn unary(&mut self, what: &'static str, depth: u32) -> Result<i128> {
        if self.lexer.is_number() {
            return self.lexer.integer(what);
        }
        for (sign, value) in [
            (b'-', (|n| -n) as fn(i128) -> i128),
            (b'~', |n| !n),
            (b'!', |n| i128::from(n == 0)),
        ] {
            if self.lexer.eat(sign) {
                let depth = self.deeper(depth)?;
                return self.unary(what, depth).map(value);
            }
        }
        self.primary(what, depth)
    }

    fn primary(&mut self, what: &'static str, depth: u32) -> Result<i128> {
        if self.lexer.eat(b'(') {
            let depth = self.deeper(depth)?;
            let n = self.condition(what, depth)?;
            self.lexer.expect(b')', "`)`")?;
            return Ok(n);
        }
        if self.lexer.eat_word(SIZE_OF) {
            let closed = self.lexer.eat(b'(');
            let n = self.size_of()?;
            if closed {
                self.lexer.expect(b')', "`)`")?;
            }
            return Ok(n);
        }
        if self.lexer.eat_word(CHANNELS) {
            return self.dispatched();
        }
        self.lexer.integer(what)
    }

    /// True if an operator with a name is next.
    pub(super) fn begins_with_operator(&mut self) -> bool {
        let rest = self.lexer.rest();
        rest.starts_with(SIZE_OF.as_bytes()) || rest.starts_with(CHANNELS.as_bytes())
    }

    /// The number of channels that the kernel's attributes say.
    fn dispatched(&mut self) -> Result<i128> {
        let mark = self.lexer.mark();
        let attrs = &self.current()?.object.attrs;
        let named = |name: &str| attrs.iter().find(|attr| attr.name == name);
        match named("SimdSize")
            .or(named("DispatchSimdSize"))
            .map(|attr| &attr.value)
        {
            Some(AttrValue::Int(channels)) => Ok((*channels).into()),
            _ => Err(self.unknown(mark, "attribute before its use", "SimdSize")),
        }
    }

    /// Reads a name and gives the size of that variable in bytes.
    fn size_of(&mut self) -> Result<i128> {
        let mark = self.lexer.mark();
        let Some(name) = self.lexer.name() else {
            return Err(self.lexer.expected("a variable or `GRF`"));
        };
        match self.current()?.symbol(name) {
            Some(Symbol::Var(var)) => Ok(self.current()?.object.vars[var].bytes().into()),
            Some(Symbol::Addr(addr)) => {
                Ok(i128::from(self.current()?.object.addrs[addr].elements) * ADDRESS_BYTES)
            }
            None if name == "GRF" => Ok(self.grf_bytes.into()),
            _ => Err(self.unknown(mark, "general variable", name)),
        }
    }
}
