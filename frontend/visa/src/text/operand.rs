//! Parser of the operands of instructions.

use super::lexer::{Mark, parse_integer};
use super::parser::Parser;
use super::symbols::Symbol;
use super::{ParseError, ParseErrorKind};
use crate::module::{
    Addr, Combine, Modifier, Operand, PredUse, Predicate, Region, StateVar, Type, Var,
};
use crate::opcode::Field;

type Result<T> = std::result::Result<T, ParseError>;

/// Bytes of an element of a surface or sampler variable.
const STATE_BYTES: u16 = 4;

/// Maximum part of a region.
const MAX_STRIDE: u8 = 32;

/// True if a part of a region can be `n`.
fn is_stride(n: u8) -> bool {
    n <= MAX_STRIDE && (n == 0 || n.is_power_of_two())
}

impl<'a> Parser<'a> {
    /// Reads the operand of a field. `saturate` applies to a destination.
    pub(super) fn operand(&mut self, field: Field, saturate: bool) -> Result<Operand> {
        match field {
            Field::Dst(_) => self.destination(saturate),
            Field::SrcAddress if self.lexer.eat(b'&') => self.address_of(),
            Field::RawDst | Field::RawSrc | Field::RawSrcIf(_) => self.raw(),
            Field::Surface | Field::Sampler if self.lexer.eat(b'(') => {
                let operand = self.state(field)?;
                self.lexer.expect(b',', "`,` and an offset")?;
                self.no_offset()?;
                self.lexer.expect(b')', "`)`")?;
                Ok(operand)
            }
            Field::Surface | Field::Sampler => self.state(field),
            Field::Label => Ok(Operand::Label(self.label_name()?)),
            Field::Name | Field::FileName => Ok(Operand::Name(Box::new(self.text_name()?.into()))),
            // All others are vector sources; fields without an operand do not get here.
            _ => {
                let modifier = self.modifier()?;
                self.vector(false, modifier)
            }
        }
    }

    /// Reads the name of a surface or a sampler.
    fn state(&mut self, field: Field) -> Result<Operand> {
        let what = match field {
            Field::Surface => "a surface",
            _ => "a sampler",
        };
        match (field, self.symbol(what)?) {
            (Field::Surface, (.., Symbol::Surface(surface))) => Ok(Operand::Surface(surface)),
            (Field::Sampler, (.., Symbol::Sampler(sampler))) => Ok(Operand::Sampler(sampler)),
            (Field::Surface, (mark, name, _)) => Err(self.no(mark, "surface", name)),
            (_, (mark, name, _)) => Err(self.no(mark, "sampler", name)),
        }
    }

    /// Reads the offset of a state, which newer hardware than that of all platforms has.
    fn no_offset(&mut self) -> Result<()> {
        let mark = self.lexer.mark();
        match self.wide("an offset")? {
            0 => Ok(()),
            _ => Err(self.unknown(mark, "offset of a state; 0 is known", "")),
        }
    }

    fn destination(&mut self, saturate: bool) -> Result<Operand> {
        if !saturate {
            return self.vector(true, Modifier::None);
        }
        let mark = self.lexer.mark();
        match self.vector(true, Modifier::Sat)? {
            operand @ (Operand::General { .. } | Operand::Indirect { .. }) => Ok(operand),
            _ => {
                let expected = "general variable, which `.sat` needs";
                let name = self.lexer.since(mark).to_owned();
                let kind = ParseErrorKind::Class { name, expected };
                Err(self.lexer.error_from(mark, kind))
            }
        }
    }

    /// Reads a declared name and gives its symbol.
    pub(super) fn symbol(&mut self, what: &'static str) -> Result<(Mark, &'a str, Symbol)> {
        let mark = self.lexer.mark();
        let rest = self.lexer.rest();
        if let Some((symbol, length)) = self.current()?.symbol_at_start(rest) {
            self.lexer.skip(length);
            return Ok((mark, self.lexer.since(mark), symbol));
        }
        let name = self.lexer.name().ok_or_else(|| self.lexer.expected(what))?;
        match self.current()?.symbol(name) {
            Some(symbol) => Ok((mark, name, symbol)),
            None => Err(self.unknown(mark, "variable", name)),
        }
    }

    /// Error: the name is declared, but not as `what`.
    fn no(&self, mark: Mark, what: &'static str, name: &str) -> ParseError {
        let expected = what;
        let kind = ParseErrorKind::Class {
            name: name.to_owned(),
            expected,
        };
        ParseError::new(mark, name.len(), kind)
    }

    /// Reads the name of a general variable.
    pub(super) fn var(&mut self) -> Result<Var> {
        match self.symbol("a variable")? {
            (.., Symbol::Var(var)) => Ok(var),
            (mark, name, _) => Err(self.no(mark, "general variable", name)),
        }
    }

    pub(super) fn predicate(&mut self) -> Result<Predicate> {
        match self.symbol("a predicate")? {
            (.., Symbol::Predicate(predicate)) => Ok(predicate),
            (mark, name, _) => Err(self.no(mark, "predicate", name)),
        }
    }

    fn addr(&mut self) -> Result<Addr> {
        match self.symbol("an address variable")? {
            (.., Symbol::Addr(addr)) => Ok(addr),
            (mark, name, _) => Err(self.no(mark, "address variable", name)),
        }
    }

    /// Reads a raw operand: `V32.64`.
    pub(super) fn raw(&mut self) -> Result<Operand> {
        let var = self.var()?;
        if !self.lexer.next_is(b'.') {
            return Err(self.lexer.expected("`.` and an offset in bytes"));
        }
        self.raw_offset(var)
    }

    /// Reads the offset of a raw operand: `.64`, `.(2*32)` or nothing.
    pub(super) fn raw_offset(&mut self, var: Var) -> Result<Operand> {
        let offset = if !self.lexer.eat_adjacent(b'.') {
            0
        } else if self.lexer.next_is(b'(') {
            self.prim("an offset in bytes")?
        } else {
            self.lexer.unsigned("an offset in bytes")?
        };
        Ok(Operand::Raw { var, offset })
    }

    /// Reads the operand after `&`: `V32` or `V32[16]`.
    pub(super) fn address_of(&mut self) -> Result<Operand> {
        let (mark, name, symbol) = self.symbol("a variable")?;
        let mut offset: u16 = 0;
        if self.lexer.eat(b'[') {
            offset = self.unsigned("an offset in bytes")?;
            self.lexer.expect(b']', "`]`")?;
        }
        let of = match symbol {
            Symbol::Var(var) => return Ok(Operand::AddressOf { var, offset }),
            Symbol::Surface(surface) => StateVar::Surface(surface),
            Symbol::Sampler(sampler) => StateVar::Sampler(sampler),
            _ => return Err(self.no(mark, "variable, surface or sampler", name)),
        };
        match u8::try_from(offset / STATE_BYTES) {
            Ok(off) if offset.is_multiple_of(STATE_BYTES) => Ok(Operand::State { of, off }),
            _ => Err(self
                .lexer
                .error_from(mark, ParseErrorKind::number("the offset"))),
        }
    }

    /// Reads a source modifier: `(-)`, `(abs)`, `(-abs)`, `(~)` or nothing.
    fn modifier(&mut self) -> Result<Modifier> {
        // A `(` may begin an expression too.
        let rest = self.lexer.rest();
        if !rest.starts_with(b"(") {
            return Ok(Modifier::None);
        }
        let modifiers = [
            Modifier::Neg,
            Modifier::Abs,
            Modifier::NegAbs,
            Modifier::Not,
        ];
        let found = modifiers
            .into_iter()
            .find(|m| rest.starts_with(m.text().as_bytes()));
        let modifier = found.unwrap_or_default();
        self.lexer.skip(modifier.text().len());
        Ok(modifier)
    }

    fn vector(&mut self, is_dst: bool, modifier: Modifier) -> Result<Operand> {
        let first = self.lexer.peek();
        if matches!(first, b'0'..=b'9' | b'-' | b'(' | b'~' | b'!')
            || (first == b'%' && self.begins_with_operator())
        {
            return self.imm();
        }
        if self.lexer.eat_indirect() {
            return self.indirect(is_dst, modifier);
        }
        let (_, _, symbol) = self.symbol("an operand")?;
        match symbol {
            Symbol::Var(var) => {
                let (row, col) = if let Some([row, col]) = self.lexer.digits(b"(#,#)") {
                    self.lexer.skip(5);
                    (row, col)
                } else if self.lexer.eat(b'(') {
                    self.pair()?
                } else {
                    (0, 0)
                };
                let region = match self.lexer.peek() {
                    b'<' => self.region(is_dst)?,
                    // Sources of `dpas` have no region.
                    _ if !is_dst => Region::new(1, 1, 0),
                    _ => return Err(self.lexer.expected("`<` and a region")),
                };
                Ok(Operand::General {
                    var,
                    row,
                    col,
                    region,
                    modifier,
                })
            }
            Symbol::Addr(addr) => {
                let off = self.element()?;
                self.lexer.expect(b'<', "`<` and a width")?;
                let width = self.in_angles("a width")?;
                self.lexer.expect(b'>', "`>`")?;
                Ok(Operand::Address { addr, off, width })
            }
            Symbol::Predicate(pred) => {
                let combine = Combine::None;
                Ok(Operand::Predicate(PredUse {
                    pred,
                    inverse: false,
                    combine,
                }))
            }
            Symbol::Surface(surface) => Ok(Operand::State {
                of: StateVar::Surface(surface),
                off: self.element()?,
            }),
            Symbol::Sampler(sampler) => Ok(Operand::State {
                of: StateVar::Sampler(sampler),
                off: self.element()?,
            }),
        }
    }

    /// Reads the number of an element: `(3)`.
    fn element(&mut self) -> Result<u8> {
        self.lexer
            .expect(b'(', "`(` and the number of an element")?;
        let off = self.unsigned("the number of an element")?;
        self.lexer.expect(b')', "`)`")?;
        Ok(off)
    }

    /// Reads row and column after the `(`: `1,2)`.
    pub(super) fn pair(&mut self) -> Result<(u8, u8)> {
        let row = self.unsigned("a row")?;
        self.lexer.expect(b',', "`,` and a column")?;
        let col = self.unsigned("a column")?;
        self.lexer.expect(b')', "`)`")?;
        Ok((row, col))
    }

    /// Reads an indirect operand after the `r[`: `A0(1),-16]<1>:f`.
    fn indirect(&mut self, is_dst: bool, modifier: Modifier) -> Result<Operand> {
        let addr = self.addr()?;
        let off = self.element()?;
        let imm = if self.lexer.eat(b',') {
            self.unsigned("an offset")?
        } else {
            0
        };
        self.lexer.expect(b']', "`]`")?;
        let region = self.region(is_dst)?;
        self.lexer.expect(b':', "`:` and a type")?;
        let ty = self.ty()?;
        Ok(Operand::Indirect {
            addr,
            off,
            imm,
            ty,
            region,
            modifier,
        })
    }

    /// Reads a region: `<1>` of a destination, `<8;8,1>` of a source, or `<1,0>` of an indirect source, which may also
    /// have the distance of its elements alone: `<1>` is `<1;1,0>`.
    fn region(&mut self, is_dst: bool) -> Result<Region> {
        if is_dst {
            if let Some([h]) = self.lexer.digits(b"<#>")
                && is_stride(h)
            {
                self.lexer.skip(3);
                return Ok(Region::dst(h));
            }
        } else if let Some([v, w, h]) = self.lexer.digits(b"<#;#,#>")
            && is_stride(v)
            && is_stride(w)
            && is_stride(h)
        {
            self.lexer.skip(7);
            let v = Some(v);
            return Ok(Region { v, w, h });
        }
        self.lexer.expect(b'<', "`<` and a region")?;
        let first = self.stride()?;
        let region = if is_dst {
            Region::dst(first)
        } else if self.lexer.peek() == b'>' {
            Region::new(first, 1, 0)
        } else if self.lexer.eat(b';') {
            let w = self.stride()?;
            self.lexer.expect(b',', "`,` and a horizontal stride")?;
            Region::new(first, w, self.stride()?)
        } else {
            self.lexer
                .expect(b',', "`;` and a width, or `,` and a horizontal stride")?;
            Region {
                v: None,
                w: first,
                h: self.stride()?,
            }
        };
        self.lexer.expect(b'>', "`>`")?;
        Ok(region)
    }

    fn stride(&mut self) -> Result<u8> {
        let mark = self.lexer.mark();
        let n: u8 = self.in_angles("a part of a region")?;
        if !is_stride(n) {
            let expected = "0 or a power of two up to 32";
            let kind = ParseErrorKind::Range {
                what: "the part of a region",
                expected,
            };
            return Err(self.lexer.error_from(mark, kind));
        }
        Ok(n)
    }

    /// Reads an immediate: `0x3f800000:f`, `-1:w`, `1.5:df`, `(4*8):d`.
    fn imm(&mut self) -> Result<Operand> {
        let mark = self.lexer.mark();
        let before = self.lexer;
        let digits = self.lexer.number();
        let whole = self.lexer.peek() == b':' && !digits.is_empty();
        let integer = if whole {
            parse_integer(digits)
        } else {
            self.lexer = before;
            Some(self.signed("an immediate")?)
        };
        self.lexer.expect(b':', "`:` and a type")?;
        let ty = self.ty()?;
        let float = || match ty {
            _ if !whole => None,
            Type::F => digits.parse::<f32>().ok().map(|f| f.to_bits().into()),
            Type::Df => digits.parse::<f64>().ok().map(f64::to_bits),
            _ => None,
        };
        // The sign of a float's bits is that of the number.
        let negated = |digits: &str| match ty {
            Type::F => parse_integer(digits).map(|n| n as u64 ^ 1 << 31),
            Type::Df => parse_integer(digits).map(|n| n as u64 ^ 1 << 63),
            _ => None,
        };
        let negative = digits.strip_prefix('-').filter(|_| whole).and_then(negated);
        let bits = negative.or(integer.map(|n| n as u64)).or_else(float);
        let kind = || ParseErrorKind::Range {
            what: "the immediate",
            expected: "an integer, or a number with a point of type f or df",
        };
        let bits = bits.ok_or_else(|| self.lexer.error_from(mark, kind()))?;
        Ok(Operand::imm(ty, bits))
    }
}
