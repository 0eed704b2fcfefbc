//! Lines as compilers write them, read at once.
//!
//! Nearly all of a long text is declarations of variables and predicates that are called by their number, and
//! instructions whose operands are such variables and immediates, with one blank between words. A line like that
//! is matched here from left to right, in a tenth of the time that the parser takes to look for what else there
//! may be. Of a line with anything else nothing is taken and nothing is said: the parser reads it. So what is
//! taken must mean the same there.

use smallvec::SmallVec;

use super::lexer::Mark;
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

/// What is left of a text.
#[derive(Clone, Copy)]
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    fn first(self) -> u8 {
        self.0.as_bytes().first().copied().unwrap_or(b'\n')
    }

    /// The first bytes, which are ASCII, and what is behind them.
    fn split(&mut self, len: usize) -> &'a str {
        let (first, rest) = self.0.split_at(len);
        self.0 = rest;
        first
    }

    fn is<const N: usize>(&mut self, text: &[u8; N]) -> bool {
        let next = self.0.as_bytes().first_chunk::<N>() == Some(text);
        if next {
            self.split(N);
        }
        next
    }

    fn eat<const N: usize>(&mut self, text: &[u8; N]) -> Option<()> {
        self.is(text).then_some(())
    }

    fn number<T: TryFrom<u32>>(&mut self) -> Option<T> {
        let mut n = 0;
        let mut len = 0;
        for digit in self.0.bytes().take(DIGITS + 1) {
            if !digit.is_ascii_digit() {
                break;
            }
            n = n * 10 + u32::from(digit - b'0');
            len += 1;
        }
        if !(1..=DIGITS).contains(&len) {
            return None;
        }
        self.split(len);
        n.try_into().ok()
    }

    /// One of the numbers whose bits are set.
    fn one_of(&mut self, set: u64) -> Option<u8> {
        let n: u8 = self.number()?;
        (n < 64 && set >> n & 1 != 0).then_some(n)
    }

    fn hexadecimal(&mut self) -> Option<u64> {
        let mut n = 0;
        let mut len = 0;
        for digit in self.0.bytes().take(HEX_DIGITS + 1) {
            let Some(value) = char::from(digit).to_digit(16) else {
                break;
            };
            n = n << 4 | u64::from(value);
            len += 1;
        }
        if !(1..=HEX_DIGITS).contains(&len) {
            return None;
        }
        self.split(len);
        Some(n)
    }

    fn word(&mut self) -> &'a str {
        let is = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        let len = self.0.as_bytes().iter().take_while(|b| is(b)).count();
        self.split(len)
    }

    /// The letter and a number.
    fn name(&mut self, letter: u8) -> Option<(&'a str, u32)> {
        self.is_first(letter)?;
        let start = self.0;
        self.split(1);
        let number = self.number()?;
        Some((&start[..start.len() - self.0.len()], number))
    }

    fn var(&mut self, current: &Current) -> Option<Var> {
        let (name, number) = self.name(b'V')?;
        current.numbered_var(name, number)
    }

    fn predicate(&mut self, current: &Current) -> Option<Predicate> {
        let (name, number) = self.name(b'P')?;
        current.numbered_predicate(name, number)
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
        let digit @ b'1'..=b'8' = self.first() else {
            return None;
        };
        self.split(1);
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
        self.eat(b"(")?;
        let row = self.number()?;
        self.eat(b",")?;
        let col = self.number()?;
        self.eat(b")<")?;
        let first = self.one_of(STRIDES)?;
        let region = if is_dst {
            Region::dst(first)
        } else {
            self.eat(b";")?;
            let w = self.one_of(STRIDES)?;
            self.eat(b",")?;
            let h = self.one_of(STRIDES)?;
            Region {
                v: Some(first),
                w,
                h,
            }
        };
        self.eat(b">")?;
        Some(Operand::General {
            var,
            row,
            col,
            region,
            modifier,
        })
    }

    fn inst(&mut self, current: &Current, mark: Mark) -> Option<Inst> {
        let pred = match self.is(b"(") {
            true => Some(self.guard(current)?),
            false => None,
        };
        let (op, None) = Opcode::from_mnemonic(self.word())? else {
            return None;
        };
        let row = op.row();
        let mut suffix = match self.is(b".") {
            true => Some(self.word()),
            false => None,
        };
        let mut modifier = Modifier::None;
        if suffix == Some("sat") && row.saturates() {
            modifier = Modifier::Sat;
            suffix = None;
        }
        let mut exec = None;
        let mut guarded = pred.is_none();
        let mut operands = SmallVec::new();
        for field in row.fields {
            match field {
                Field::Exec => exec = Some(self.exec()?),
                Field::Pred => guarded = true,
                Field::Number(_, meaning @ Meaning::Relation) => {
                    operands.push(Operand::Field(meaning.suffix_value(suffix.take()?)?));
                }
                Field::Dst(_) => {
                    self.eat(b" ")?;
                    operands.push(self.dst(current, modifier)?);
                }
                Field::Src(_) => {
                    self.eat(b" ")?;
                    operands.push(self.src(current)?);
                }
                _ => return None,
            }
        }
        let ends = matches!(self.first(), b' ' | b'\n');
        let as_usual = guarded && ends && suffix.is_none() && row.text_order.is_empty();
        as_usual.then_some(Inst {
            op,
            exec: exec?,
            pred,
            operands,
            place: place(mark),
        })
    }

    /// The properties of a general variable: the declaration but for its name.
    fn var_decl(&mut self, current: &Current) -> Option<VarDecl> {
        self.eat(b" v_type=G type=")?;
        let ty = Type::from_name(self.word())?;
        let elements = self.elements()?;
        let align = match self.is(b" align=") {
            true => Align::from_name(self.word())?,
            false => Align::Byte,
        };
        let alias = if self.is(b" alias=<") {
            let var = self.var(current)?;
            self.eat(b", ")?;
            let offset = self.number()?;
            self.eat(b">")?;
            Some((var, offset))
        } else {
            None
        };
        self.is_first(b'\n')?;
        Some(VarDecl {
            name: Default::default(),
            ty,
            align,
            elements,
            alias,
            attrs: Vec::new(),
        })
    }

    fn predicate_decl(&mut self) -> Option<ArrayDecl> {
        self.eat(b" v_type=P")?;
        let elements = self.elements()?;
        self.is_first(b'\n')?;
        Some(ArrayDecl {
            name: Default::default(),
            elements,
            attrs: Vec::new(),
        })
    }

    fn elements(&mut self) -> Option<u16> {
        self.eat(b" num_elts=")?;
        self.number()
    }
}

/// What comes before the name of what is declared.
const DECL: &[u8; 6] = b".decl ";

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
        let mut rest = Rest(text);
        if !rest.is(DECL) {
            let Some(inst) = rest.inst(current, mark) else {
                return Ok(false);
            };
            current.object.insts.push(inst);
            self.lexer.skip(text.len() - rest.0.len());
            return Ok(true);
        }
        let letter @ (b'V' | b'P') = rest.first() else {
            return Ok(false);
        };
        let Some((name, _)) = rest.name(letter) else {
            return Ok(false);
        };
        let symbol = match letter {
            b'V' => rest.var_decl(current).map(|mut decl| {
                decl.name = name.into();
                Symbol::Var(current.object.vars.push(decl))
            }),
            _ => rest.predicate_decl().map(|mut decl| {
                decl.name = name.into();
                Symbol::Predicate(current.object.predicates.push(decl))
            }),
        };
        let Some(symbol) = symbol else {
            return Ok(false);
        };
        self.lexer.skip(DECL.len());
        let mark = self.lexer.mark();
        self.lexer.skip(text.len() - rest.0.len() - DECL.len());
        self.declare(name, symbol, mark)?;
        Ok(true)
    }
}
