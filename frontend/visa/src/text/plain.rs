//! Lines as compilers write them, read at once.
//!
//! Nearly all of a long text is declarations of variables and predicates that are called by their number, and
//! instructions whose operands are such variables, immediates, surfaces and labels, with one blank between words. A
//! line like that is matched here from left to right, in a tenth of the time that the parser takes to look for what
//! else there may be. Of a line with anything else nothing is taken and nothing is said: the parser reads it. So what
//! is taken must mean the same there.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::lexer::{Mark, is_name, is_whole_name};
use super::number::Suffixes;
use super::parser::{Current, Parser, Symbol, place};
use crate::module::{
    Align, ArrayDecl, Combine, Exec, Inst, Modifier, Operand, PredUse, Predicate, Region, Type,
    Var, VarDecl,
};
use crate::opcode::{Field, Meaning, Opcode};

/// The most digits of a decimal number.
const DIGITS: usize = 6;
/// The most digits of a hexadecimal number.
const HEX_DIGITS: usize = 16;

/// Bit `n` is set if a part of a region can be `n`.
const STRIDES: u64 = 1 | 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8 | 1 << 16 | 1 << 32;
/// Bit `n` is set if an execution size can be `n`.
const SIZES: u64 = STRIDES & !1;

/// What is left of a text, and the whole of it.
#[derive(Clone, Copy)]
pub(super) struct Rest<'a>(&'a [u8], &'a str);

impl<'a> Rest<'a> {
    pub fn new(text: &'a str) -> Rest<'a> {
        Rest(text.as_bytes(), text)
    }

    pub fn len(self) -> usize {
        self.0.len()
    }

    #[inline]
    fn first(self) -> u8 {
        self.0.first().copied().unwrap_or(b'\n')
    }

    #[inline]
    fn is<const N: usize>(&mut self, text: &[u8; N]) -> bool {
        match self.0.split_first_chunk::<N>() {
            Some((first, rest)) if first == text => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    #[inline]
    pub fn eat<const N: usize>(&mut self, text: &[u8; N]) -> Option<()> {
        self.is(text).then_some(())
    }

    #[inline(always)]
    fn number<T: TryFrom<u32>>(&mut self) -> Option<T> {
        let mut n: u32 = 0;
        let mut rest = self.0;
        while let [digit @ b'0'..=b'9', behind @ ..] = rest {
            n = n.wrapping_mul(10).wrapping_add((digit - b'0').into());
            rest = behind;
        }
        let len = self.0.len() - rest.len();
        self.0 = rest;
        (1..=DIGITS).contains(&len).then_some(())?;
        n.try_into().ok()
    }

    /// One of the numbers whose bits are set.
    #[inline]
    fn one_of(&mut self, set: u64) -> Option<u8> {
        let n: u8 = self.number()?;
        (n < 64 && set >> n & 1 != 0).then_some(n)
    }

    fn hexadecimal(&mut self) -> Option<u64> {
        let mut n = 0;
        let mut rest = self.0;
        while let [digit, behind @ ..] = rest
            && let Some(value) = char::from(*digit).to_digit(16)
        {
            n = n << 4 | u64::from(value);
            rest = behind;
        }
        let len = self.0.len() - rest.len();
        self.0 = rest;
        (1..=HEX_DIGITS).contains(&len).then_some(n)
    }

    #[inline]
    fn word(&mut self) -> &'a str {
        let start = self.1.len() - self.0.len();
        while let [b, behind @ ..] = self.0
            && is_name(*b)
        {
            self.0 = behind;
        }
        &self.1[start..self.1.len() - self.0.len()]
    }

    /// The letter and a number: the bytes of both, and the number.
    #[inline]
    fn name(&mut self, letter: u8) -> Option<(usize, u32)> {
        let before = self.0.len();
        self.eat(&[letter])?;
        let number = self.number()?;
        Some((before - self.0.len(), number))
    }

    #[inline]
    fn var(&mut self, current: &Current) -> Option<Var> {
        let (len, number) = self.name(b'V')?;
        current.numbered_var(len, number)
    }

    fn predicate(&mut self, current: &Current) -> Option<Predicate> {
        let (len, number) = self.name(b'P')?;
        current.numbered_predicate(len, number)
    }

    /// `(P1) ` or `(!P1) ` behind the `(`.
    fn guard(&mut self, current: &Current) -> Option<PredUse> {
        let inverse = self.is(b"!");
        let pred = self.predicate(current)?;
        self.eat(b") ")?;
        Some(PredUse {
            pred,
            inverse,
            combine: Combine::None,
        })
    }

    fn is_first(self, letter: u8) -> Option<()> {
        (self.first() == letter).then_some(())
    }

    /// ` (M1, 8)` or ` (M5_NM, 8)`.
    fn exec(&mut self) -> Option<Exec> {
        self.eat(b" (M")?;
        let [digit @ b'1'..=b'8', behind @ ..] = self.0 else {
            return None;
        };
        self.0 = behind;
        let no_mask = self.is(b"_NM");
        self.eat(b", ")?;
        let size = self.one_of(SIZES)?;
        self.eat(b")")?;
        Some(Exec {
            size,
            offset: (digit - b'1') * 4,
            no_mask,
        })
    }

    fn dst(&mut self, current: &Current, modifier: Modifier) -> Option<Operand> {
        match self.first() {
            b'V' => self.general(current, true, modifier),
            b'P' if modifier == Modifier::None => self.flags(current),
            _ => None,
        }
    }

    fn src(&mut self, current: &Current) -> Option<Operand> {
        match self.first() {
            b'V' => self.general(current, false, Modifier::None),
            b'P' => self.flags(current),
            b'(' => {
                let modifier = match () {
                    () if self.is(b"(-)") => Modifier::Neg,
                    () if self.is(b"(abs)") => Modifier::Abs,
                    () if self.is(b"(~)") => Modifier::Not,
                    () => return None,
                };
                self.general(current, false, modifier)
            }
            b'0'..=b'9' => {
                let bits = match self.is(b"0x") {
                    true => self.hexadecimal()?,
                    false => self.number::<u32>()?.into(),
                };
                self.eat(b":")?;
                Some(Operand::imm(Type::from_name(self.word())?, bits))
            }
            _ => None,
        }
    }

    /// `P1`.
    fn flags(&mut self, current: &Current) -> Option<Operand> {
        let pred = self.predicate(current)?;
        Some(Operand::Predicate(PredUse {
            pred,
            inverse: false,
            combine: Combine::None,
        }))
    }

    /// `V32(0,1)<1>` or `V32(0,1)<8;8,1>`.
    fn general(&mut self, current: &Current, is_dst: bool, modifier: Modifier) -> Option<Operand> {
        let var = self.var(current)?;
        let (row, col) = self.origin()?;
        let region = match is_dst {
            true => self.dst_region()?,
            false => self.src_region()?,
        };
        Some(Operand::General {
            var,
            row,
            col,
            region,
            modifier,
        })
    }

    /// `(0,1)`.
    #[inline]
    fn origin(&mut self) -> Option<(u8, u8)> {
        if self.is(b"(0,0)") {
            return Some((0, 0));
        }
        self.eat(b"(")?;
        let row = self.number()?;
        self.eat(b",")?;
        let col = self.number()?;
        self.eat(b")")?;
        Some((row, col))
    }

    /// `<1>`.
    #[inline]
    fn dst_region(&mut self) -> Option<Region> {
        if self.is(b"<1>") {
            return Some(Region::dst(1));
        }
        self.eat(b"<")?;
        let stride = self.one_of(STRIDES)?;
        self.eat(b">")?;
        Some(Region::dst(stride))
    }

    /// `<8;8,1>`.
    #[inline]
    fn src_region(&mut self) -> Option<Region> {
        let (v, w, h);
        if let Some(([b'<', first, b';', second, b',', third, b'>'], behind)) =
            self.0.split_first_chunk()
        {
            let stride = |digit: &u8| {
                let n = digit.wrapping_sub(b'0');
                (n < 10 && STRIDES >> n & 1 != 0).then_some(n)
            };
            (v, w, h) = (stride(first)?, stride(second)?, stride(third)?);
            self.0 = behind;
        } else {
            self.eat(b"<")?;
            v = self.one_of(STRIDES)?;
            self.eat(b";")?;
            w = self.one_of(STRIDES)?;
            self.eat(b",")?;
            h = self.one_of(STRIDES)?;
            self.eat(b">")?;
        }
        Some(Region { v: Some(v), w, h })
    }

    /// `V32.64`.
    fn raw(&mut self, current: &Current) -> Option<Operand> {
        let var = self.var(current)?;
        self.eat(b".")?;
        let offset = self.number()?;
        Some(Operand::Raw { var, offset })
    }

    /// `T6`.
    fn surface(&mut self, current: &Current) -> Option<Operand> {
        let start = self.1.len() - self.0.len();
        self.is(b"%");
        self.word();
        match current
            .symbols
            .get(&self.1[start..self.1.len() - self.0.len()])?
        {
            Symbol::Surface(surface) => Some(Operand::Surface(*surface)),
            _ => None,
        }
    }

    fn inst(&mut self, current: &mut Current<'a>, mark: Mark) -> Option<Inst> {
        let pred = match self.is(b"(") {
            true => Some(self.guard(current)?),
            false => None,
        };
        let (op, None) = Opcode::from_mnemonic(self.word())? else {
            return None;
        };
        let row = op.row();
        let mut suffixes = *self;
        while self.is(b".") {
            self.word();
        }
        let behind_suffixes = self.len();
        let mut modifier = Modifier::None;
        if row.saturates() && suffixes.is(b".sat") {
            modifier = Modifier::Sat;
        }
        let mut exec = None;
        let mut guarded = pred.is_none();
        let mut operands = SmallVec::new();
        let mut label = None;
        for field in row.fields {
            match field {
                // A label is the last.
                _ if label.is_some() => return None,
                Field::Exec => exec = Some(self.exec()?),
                Field::Pred => guarded = true,
                Field::Number(_, Meaning::Zero) => operands.push(Operand::Field(0)),
                Field::Number(_, meaning) if meaning.suffixes() == Suffixes::One => {
                    suffixes.eat(b".")?;
                    // Hexadecimal numbers may be of any of the row's.
                    let word = Some(suffixes.word()).filter(|word| !word.starts_with('x'))?;
                    operands.push(Operand::Field(meaning.suffix_value(word)?));
                }
                Field::Dst(_) => {
                    self.eat(b" ")?;
                    operands.push(self.dst(current, modifier)?);
                }
                Field::Src(_) => {
                    self.eat(b" ")?;
                    operands.push(self.src(current)?);
                }
                Field::RawDst | Field::RawSrc => {
                    self.eat(b" ")?;
                    operands.push(self.raw(current)?);
                }
                Field::Surface => {
                    self.eat(b" ")?;
                    operands.push(self.surface(current)?);
                }
                Field::Label => {
                    self.eat(b" ")?;
                    label = Some(self.word()).filter(|name| is_whole_name(name));
                    label?;
                }
                _ => return None,
            }
        }
        let ends = matches!(self.first(), b' ' | b'\n') && suffixes.len() == behind_suffixes;
        let as_usual = guarded && ends && row.text_order.is_empty();
        let exec = exec.filter(|_| as_usual)?;
        // What is no such line is not to name a label.
        operands.extend(label.map(|name| Operand::Label(current.label(Cow::Borrowed(name)))));
        Some(Inst {
            op,
            exec,
            pred,
            operands,
            place: place(mark),
            origin: Inst::UNNUMBERED,
        })
    }

    /// `V32 v_type=G type=d num_elts=16 align=GRF` or `P1 v_type=P num_elts=16` up to the end of the line: the name, the
    /// number in it, and what is declared. `var` says which variable it is that is called by so many bytes and that
    /// number.
    #[inline(always)]
    pub fn declaration(
        &mut self,
        var: impl FnMut(usize, u32) -> Option<Var>,
    ) -> Option<(&'a str, u32, Declaration)> {
        let letter = self.first();
        let start = self.1.len() - self.0.len();
        let (len, number) = self.name(letter)?;
        let name = &self.1[start..start + len];
        let decl = match letter {
            b'V' => Declaration::Var(self.var_decl(name, var)?),
            b'P' => Declaration::Predicate(self.predicate_decl(name)?),
            _ => return None,
        };
        self.is_first(b'\n')?;
        Some((name, number, decl))
    }

    #[inline(always)]
    fn var_decl(
        &mut self,
        name: &str,
        mut var: impl FnMut(usize, u32) -> Option<Var>,
    ) -> Option<VarDecl> {
        self.eat(b" v_type=G type=")?;
        let ty = Type::from_name(self.word())?;
        let elements = self.elements()?;
        let align = match self.is(b" align=") {
            true => Align::from_name(self.word())?,
            false => Align::Byte,
        };
        let alias = if self.is(b" alias=<") {
            let (len, number) = self.name(b'V')?;
            self.eat(b", ")?;
            let offset = self.number()?;
            self.eat(b">")?;
            Some((var(len, number)?, offset))
        } else {
            None
        };
        Some(VarDecl {
            name: name.into(),
            ty,
            align,
            elements,
            alias,
            attrs: Vec::new(),
        })
    }

    fn predicate_decl(&mut self, name: &str) -> Option<ArrayDecl> {
        self.eat(b" v_type=P")?;
        Some(ArrayDecl {
            elements: self.elements()?,
            name: name.into(),
            attrs: Vec::new(),
        })
    }

    fn elements(&mut self) -> Option<u16> {
        self.eat(b" num_elts=")?;
        self.number()
    }
}

/// What comes before the name of what is declared.
pub(super) const DECL: &[u8; 6] = b".decl ";

pub(super) enum Declaration {
    Var(VarDecl),
    Predicate(ArrayDecl),
}

impl<'a> Parser<'a> {
    /// Reads the statement that comes next if it is such a line.
    pub(super) fn plain(&mut self) -> Result<bool, super::ParseError> {
        let (Some(current), None, true) = (&mut self.current, &self.recovery, self.has_version)
        else {
            return Ok(false);
        };
        if !current.scopes.are_none() {
            return Ok(false);
        }
        let mark = self.lexer.mark();
        let text = self.lexer.rest_of_text();
        let mut rest = Rest::new(text);
        if !rest.is(DECL) {
            let Some(inst) = rest.inst(current, mark) else {
                return Ok(false);
            };
            current.push(inst);
            self.lexer.skip(text.len() - rest.len());
            return Ok(true);
        }
        let var = |len, number| current.numbered_var(len, number);
        let Some((name, number, decl)) = rest.declaration(var) else {
            return Ok(false);
        };
        let object = current.object_mut();
        let symbol = match decl {
            Declaration::Var(decl) => Symbol::Var(object.vars.push(decl)),
            Declaration::Predicate(decl) => Symbol::Predicate(object.predicates.push(decl)),
        };
        self.lexer.skip(DECL.len());
        let mark = self.lexer.mark();
        self.lexer.skip(text.len() - rest.len() - DECL.len());
        self.declare(name, Some(number), symbol, mark)?;
        Ok(true)
    }
}
