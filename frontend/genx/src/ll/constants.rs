//! Constants in text, and the data that variables begin with.
//!
//! The expressions that LLVM allows as constants become instructions at the start of the function, where their
//! values are known to every use. [`Constants`] makes all of them.

use smallvec::smallvec;

use crate::error::{Code, Diagnostic, Loc, Result};
use crate::ir::rules::{self, Constants};
use crate::ir::types::MAX_DEPTH;
use crate::ir::{BinaryOp, CastOp, Const, Function, Op, Scalar, Type, TypeData, Types, Value};

use super::Parser;
use super::function::Body;
use super::lexer::Token;

impl Parser<'_> {
    fn bad_constant<T>(&mut self, loc: Loc, message: impl Into<String>) -> Result<T> {
        Err(Diagnostic::new(Code::Constant, loc, message))
    }

    /// A constant of a type.
    pub(super) fn constant(&mut self, body: &mut Body, ty: Type, depth: u32) -> Result<Value> {
        if depth > MAX_DEPTH {
            return self.lex.error("constants are nested too deeply");
        }
        let loc = self.lex.loc();
        match self.lex.token().clone() {
            Token::Int(text) => {
                let Some(Scalar::Int(_)) = self.scalar_of(ty) else {
                    return self
                        .lex
                        .expected(&format!("a {}", self.module.types.name(ty)));
                };
                self.lex.take()?;
                let Ok(n) = text.parse() else {
                    return self.bad_constant(loc, "the number is too large");
                };
                let constant = rules::integer(&self.module.types, ty, n).map_err(|f| f.at(loc))?;
                Ok(body.function.constant(ty, constant))
            }
            Token::Float(text) => {
                let Some(scalar) = self.scalar_of(ty).filter(|s| s.is_float()) else {
                    return self
                        .lex
                        .expected(&format!("a {}", self.module.types.name(ty)));
                };
                self.lex.take()?;
                match text.parse::<f64>() {
                    Ok(n) => self.float(body, ty, scalar, n, loc),
                    Err(_) => self.bad_constant(loc, "this is no number"),
                }
            }
            Token::Hex(kind, digits) => self.hex(body, ty, kind, digits),
            Token::Bytes(bytes) => {
                self.lex.take()?;
                let byte = self.module.types.int(8);
                let members = bytes.iter().map(|b| body.function.bits(byte, (*b).into()));
                let members = members.collect();
                let types = &self.module.types;
                Constants::aggregate(types, &mut body.function, ty, members).map_err(|f| f.at(loc))
            }
            Token::Global(name) => {
                self.lex.take()?;
                Ok(self.global_value(&mut body.function, ty, name))
            }
            Token::Punct(b'<' | b'[' | b'{') => self.members(body, ty, depth),
            Token::Word(word) => self.constant_word(body, ty, word, depth),
            _ => self.lex.expected("a value"),
        }
    }

    fn scalar_of(&self, ty: Type) -> Option<Scalar> {
        match *self.module.types.data(ty) {
            TypeData::Scalar(scalar) => Some(scalar),
            _ => None,
        }
    }

    fn float(
        &mut self,
        body: &mut Body,
        ty: Type,
        scalar: Scalar,
        n: f64,
        loc: Loc,
    ) -> Result<Value> {
        let bits = match scalar {
            Scalar::Double => Some(n.to_bits()),
            // A decimal constant must be exact.
            Scalar::Float if n.is_nan() => narrow(n, 23, 8),
            Scalar::Float if f64::from(n as f32) == n => Some((n as f32).to_bits().into()),
            Scalar::Half => narrow(n, 10, 5),
            Scalar::BFloat => narrow(n, 7, 8),
            _ => None,
        };
        match bits {
            Some(bits) => Ok(body.function.bits(ty, bits)),
            None => {
                let name = self.module.types.name(ty);
                self.bad_constant(loc, format!("{n:e} is no {name}"))
            }
        }
    }

    fn hex(&mut self, body: &mut Body, ty: Type, kind: u8, digits: &str) -> Result<Value> {
        let loc = self.lex.loc();
        let scalar = self.scalar_of(ty);
        self.lex.take()?;
        let Ok(bits) = u64::from_str_radix(digits, 16) else {
            return self.bad_constant(loc, "the number is too large, or has no digits");
        };
        match (kind, scalar) {
            (b'x', Some(scalar)) if scalar.is_float() => {
                self.float(body, ty, scalar, f64::from_bits(bits), loc)
            }
            (b'H', Some(Scalar::Half)) | (b'R', Some(Scalar::BFloat)) if bits < 1 << 16 => {
                Ok(body.function.bits(ty, bits))
            }
            _ => {
                let name = self.module.types.name(ty);
                self.bad_constant(loc, format!("this is no constant of type {name}"))
            }
        }
    }

    fn constant_word(
        &mut self,
        body: &mut Body,
        ty: Type,
        word: &str,
        depth: u32,
    ) -> Result<Value> {
        let loc = self.lex.loc();
        let simple = match word {
            "true" | "false" if ty == Types::I1 => Some(Const::Bits((word == "true").into())),
            "null" | "zeroinitializer" | "none" => Some(Const::Zero),
            "undef" | "poison" => Some(Const::Undef),
            _ => None,
        };
        if let Some(constant) = simple {
            self.lex.take()?;
            let types = &self.module.types;
            return Ok(Constants::value(types, &mut body.function, ty, constant));
        }
        if word == "splat" {
            self.lex.take()?;
            self.lex.expect(b'(')?;
            let value = self.typed_constant(body, depth + 1)?;
            self.lex.expect(b')')?;
            let (Some(count), Some(bits)) =
                (self.module.types.count(ty), body.function.as_bits(value))
            else {
                return self.bad_constant(loc, "`splat` is for vectors of numbers");
            };
            let elements = Const::Vector(vec![bits; count as usize].into());
            let types = &self.module.types;
            return Ok(Constants::value(types, &mut body.function, ty, elements));
        }
        if word == "blockaddress" {
            return self.block_address(body, ty);
        }
        if word == "asm" {
            return Err(Diagnostic::new(
                Code::Instruction,
                loc,
                "inline assembly is not supported",
            ));
        }
        self.expression(body, ty, word, depth)
    }

    /// Address of a block: a number of its own, since nothing jumps there.
    fn block_address(&mut self, body: &mut Body, ty: Type) -> Result<Value> {
        let loc = self.lex.loc();
        self.lex.take()?;
        self.lex.expect(b'(')?;
        let Token::Global(function) = self.lex.token().clone() else {
            return self.lex.expected("a function");
        };
        self.lex.take()?;
        self.lex.expect(b',')?;
        let Token::Local(block) = self.lex.token().clone() else {
            return self.lex.expected("a block");
        };
        self.lex.take()?;
        self.lex.expect(b')')?;
        let next = self.block_addresses.len() as u64 + 1;
        let number = *self
            .block_addresses
            .entry((function, block))
            .or_insert(next);
        if !self.module.types.is_pointer(ty) {
            return self.bad_constant(loc, "the address of a block is a pointer");
        }
        Ok(body.function.constant(ty, Const::Bits(number)))
    }

    pub(super) fn typed_constant(&mut self, body: &mut Body, depth: u32) -> Result<Value> {
        let ty = self.ty()?;
        self.constant(body, ty, depth)
    }

    /// Operation with constant operands.
    fn expression(&mut self, body: &mut Body, ty: Type, word: &str, depth: u32) -> Result<Value> {
        let loc = self.lex.loc();
        let cast = CastOp::NAMES.iter().find(|(name, _)| *name == word);
        let binary = BinaryOp::NAMES.iter().find(|(name, _)| *name == word);
        let (op, args) = if let Some((_, cast)) = cast {
            self.lex.take()?;
            self.lex.expect(b'(')?;
            let value = self.typed_constant(body, depth + 1)?;
            self.lex.expect_word("to")?;
            let to = self.ty()?;
            self.lex.expect(b')')?;
            if to != ty {
                return self.bad_constant(loc, "the expression has another type");
            }
            (Op::Cast(*cast), smallvec![value])
        } else if let Some((_, binary)) = binary {
            self.lex.take()?;
            while matches!(self.lex.token(), Token::Word("nuw" | "nsw" | "exact")) {
                self.lex.take()?;
            }
            self.lex.expect(b'(')?;
            let left = self.typed_constant(body, depth + 1)?;
            self.lex.expect(b',')?;
            let right = self.typed_constant(body, depth + 1)?;
            self.lex.expect(b')')?;
            (Op::Binary(*binary), smallvec![left, right])
        } else if word == "getelementptr" {
            self.lex.take()?;
            while let Token::Word(word @ ("inbounds" | "nuw" | "nusw" | "inrange")) =
                *self.lex.token()
            {
                self.lex.take()?;
                // The bytes around the result that may be reached from it.
                if word == "inrange" {
                    self.skip_parens()?;
                }
            }
            self.lex.expect(b'(')?;
            let source = self.ty()?;
            let mut args = smallvec![];
            while self.lex.eat(b',')? {
                self.lex.eat_word("inrange")?;
                args.push(self.typed_constant(body, depth + 1)?);
            }
            self.lex.expect(b')')?;
            if args.is_empty() {
                return self.bad_constant(loc, "a base is expected");
            }
            (Op::Gep(source), args)
        } else {
            return self.lex.expected("a value");
        };
        let value =
            body.constants
                .expression(&mut self.module.types, &mut body.function, op, args, ty);
        value.map_err(|fault| fault.at(loc))
    }

    /// Elements of a vector, an array or a structure in their brackets.
    fn members(&mut self, body: &mut Body, ty: Type, depth: u32) -> Result<Value> {
        let loc = self.lex.loc();
        let open = [b'<', b'[', b'{'].into_iter().find(|b| self.lex.is(*b));
        self.lex.take()?;
        let packed = open == Some(b'<') && self.lex.eat(b'{')?;
        let close = match open {
            Some(b'<') if packed => b'}',
            Some(b'<') => b'>',
            Some(b'[') => b']',
            _ => b'}',
        };
        let mut members = Vec::new();
        while !self.lex.is(close) {
            members.push(self.typed_constant(body, depth + 1)?);
            if !self.lex.eat(b',')? {
                break;
            }
        }
        self.lex.expect(close)?;
        if packed {
            self.lex.expect(b'>')?;
        }
        let types = &self.module.types;
        Constants::aggregate(types, &mut body.function, ty, members).map_err(|f| f.at(loc))
    }

    /// Initializer of a global; `None` if it has an address that is not a function's.
    pub(super) fn initializer(&mut self, ty: Type) -> Result<Option<crate::ir::module::Data>> {
        let loc = self.lex.loc();
        let mut body = Body::new(Function::new("".into(), Types::VOID));
        let value = self.constant(&mut body, ty, 0)?;
        rules::data_of(&self.module.types, &body.function, value).map_err(|f| f.at(loc))
    }
}

/// Bits of a number as a float with a fraction and an exponent of so many bits; `None` if it is not exact.
fn narrow(n: f64, fraction: u32, exponent: u32) -> Option<u64> {
    let bits = n.to_bits();
    let sign = (bits >> 63) << (fraction + exponent);
    let most = (1u64 << exponent) - 1;
    let bias = (1i64 << (exponent - 1)) - 1;
    if n == 0.0 {
        return Some(sign);
    }
    if n.is_infinite() {
        return Some(sign | most << fraction);
    }
    if n.is_nan() {
        let payload = (bits & ((1 << 52) - 1)) >> (52 - fraction);
        return Some(sign | most << fraction | payload.max(1 << (fraction - 1)));
    }
    let e = ((bits >> 52 & 0x7ff) as i64) - 1023 + bias;
    let mantissa = bits & ((1 << 52) - 1);
    if e >= most as i64 {
        return None;
    }
    if e > 0 {
        let cut = 52 - fraction;
        let exact = mantissa & ((1 << cut) - 1) == 0;
        return exact.then_some(sign | (e as u64) << fraction | mantissa >> cut);
    }
    let shift = (52 - fraction) as i64 + 1 - e;
    let whole = mantissa | 1 << 52;
    let exact = shift < 64 && whole & ((1 << shift) - 1) == 0;
    exact.then(|| sign | whole >> shift)
}
