//! Constants: read in the order of the module, and made values of a function where it uses them.

use std::ops::Range;
use std::sync::Arc;

use smallvec::SmallVec;

use super::codes::{BINARY, CASTS, signed};
use super::function::{Body, Local};
use super::{Global, Reader, block};
use crate::error::{Code, Result};
use crate::ir::asm::Asm;
use crate::ir::fault::Fault;
use crate::ir::rules::Constants;
use crate::ir::types::MAX_DEPTH;
use crate::ir::{Const, Op, Scalar, Type, TypeData, Value, ValueDef};

/// Codes of records.
mod code {
    pub const SETTYPE: u64 = 1;
    pub const NULL: u64 = 2;
    pub const UNDEF: u64 = 3;
    pub const INTEGER: u64 = 4;
    pub const WIDE_INTEGER: u64 = 5;
    pub const FLOAT: u64 = 6;
    pub const AGGREGATE: u64 = 7;
    pub const STRING: u64 = 8;
    pub const CSTRING: u64 = 9;
    pub const CE_BINOP: u64 = 10;
    pub const CE_CAST: u64 = 11;
    pub const CE_GEP_OLD: u64 = 12;
    pub const INLINEASM: [u64; 4] = [18, 23, 28, 30];
    pub const CE_INBOUNDS_GEP: u64 = 20;
    pub const BLOCKADDRESS: u64 = 21;
    pub const DATA: u64 = 22;
    pub const CE_GEP_INRANGE_INDEX: u64 = 24;
    pub const POISON: u64 = 26;
    pub const CE_GEP_INRANGE: u64 = 31;
    pub const CE_GEP: u64 = 32;
}

/// Bits of a block in the number that is its address.
const BLOCK_BITS: u32 = 24;

/// A constant.
pub(super) struct Constant {
    pub ty: Type,
    pub kind: Kind,
}

/// Content of a constant; others are named by their numbers.
pub(super) enum Kind {
    Plain(Const),
    Aggregate(Vec<u64>),
    /// Bits of each element.
    Data(Vec<u64>),
    Expression(Op, SmallVec<[u64; 3]>),
    /// Inline assembly, which is only called.
    Asm(Arc<Asm>),
    /// An unsupported constant, an error only if it is used.
    Refused(Fault),
}

impl Reader<'_> {
    /// Reads a block of constants; gives their numbers.
    pub(super) fn constants_block(&mut self) -> Result<Range<usize>> {
        let from = self.constants.len();
        let mut ty = None;
        self.records(block::CONSTANTS, |reader| {
            if reader.record.code == code::SETTYPE {
                ty = Some(reader.ty(reader.op(0)?)?);
                return Ok(());
            }
            let Some(ty) = ty else {
                return Err(reader.fail("a constant without a type"));
            };
            let kind = reader.constant_record(ty)?;
            reader.constants.push(Constant { ty, kind });
            Ok(())
        })?;
        Ok(from..self.constants.len())
    }

    fn constant_record(&self, ty: Type) -> Result<Kind> {
        let ops = &self.record.ops;
        let types = &self.module.types;
        let refused = |code, message: String| Ok(Kind::Refused(Fault::new(code, message)));
        match self.record.code {
            code::NULL => Ok(Kind::Plain(Const::Zero)),
            code::UNDEF | code::POISON => Ok(Kind::Plain(Const::Undef)),
            code::INTEGER => {
                let n = signed(self.op(0)?);
                Ok(match crate::ir::rules::integer(types, ty, n.into()) {
                    Ok(constant) => Kind::Plain(constant),
                    Err(fault) => Kind::Refused(fault),
                })
            }
            // Words from the lowest on.
            code::WIDE_INTEGER => {
                let word = |n: usize| ops.get(n).map_or(0, |bits| signed(*bits).cast_unsigned());
                let low = u128::from(word(0)) | u128::from(word(1)) << 64;
                let more = ops.iter().skip(2).any(|bits| signed(*bits) != 0);
                let n = if more { i128::MIN } else { low.cast_signed() };
                Ok(match crate::ir::rules::integer(types, ty, n) {
                    Ok(constant) => Kind::Plain(constant),
                    Err(fault) => Kind::Refused(fault),
                })
            }
            code::FLOAT => match *types.data(ty) {
                TypeData::Scalar(scalar) if scalar.is_float() => Ok(Kind::Plain(Const::Bits(
                    self.op(0)? & mask(types.bits(scalar)),
                ))),
                _ => Err(self.fail("the type of a float is none")),
            },
            code::AGGREGATE => Ok(Kind::Aggregate(ops.clone())),
            code::STRING => Ok(Kind::Data(ops.clone())),
            code::CSTRING => {
                let mut bytes = ops.clone();
                bytes.push(0);
                Ok(Kind::Data(bytes))
            }
            code::DATA => Ok(Kind::Data(ops.clone())),
            code::CE_BINOP => {
                let float = types.is_float(ty);
                let op = BINARY.iter().find(|(number, op)| {
                    *number == ops.first().copied().unwrap_or(99) && op.is_float() == float
                });
                match op {
                    Some((_, op)) => Ok(Kind::Expression(
                        Op::Binary(*op),
                        [self.op(1)?, self.op(2)?].into_iter().collect(),
                    )),
                    None => Err(self.fail("no operation has this number")),
                }
            }
            code::CE_CAST => match CASTS.get(usize::try_from(self.op(0)?).unwrap_or(usize::MAX)) {
                Some(cast) => Ok(Kind::Expression(
                    Op::Cast(*cast),
                    [self.op(2)?].into_iter().collect(),
                )),
                None => Err(self.fail("no conversion has this number")),
            },
            code @ (code::CE_GEP_OLD
            | code::CE_INBOUNDS_GEP
            | code::CE_GEP_INRANGE_INDEX
            | code::CE_GEP_INRANGE
            | code::CE_GEP) => {
                let from = match code {
                    code::CE_GEP_INRANGE_INDEX | code::CE_GEP => 2,
                    // Flags, and the bits, start and end of a range.
                    code::CE_GEP_INRANGE => 5,
                    _ => 1,
                };
                let pairs = ops.get(from..).unwrap_or_default().chunks_exact(2);
                if pairs.len() == 0 || !pairs.remainder().is_empty() {
                    return Err(self.fail("an address without the type of its base"));
                }
                let source = self.ty(ops[0])?;
                Ok(Kind::Expression(
                    Op::Gep(source),
                    pairs.map(|pair| pair[1]).collect(),
                ))
            }
            // Function and block: a number of its own, since nothing jumps there.
            code::BLOCKADDRESS => {
                let (function, block) = (self.op(1)?, self.op(2)?);
                let bits = function << BLOCK_BITS | block & ((1 << BLOCK_BITS) - 1);
                Ok(Kind::Plain(Const::Bits(bits.wrapping_add(1))))
            }
            code if code::INLINEASM.contains(&code) => {
                // The newest form begins with the type of the function.
                let from = usize::from(Some(&code) == code::INLINEASM.last());
                let mut rest = ops.get(from + 1..).unwrap_or_default();
                let mut text = || {
                    let (length, after) = rest.split_first()?;
                    let length = usize::try_from(*length).ok()?;
                    let chars = after.get(..length)?.iter().map(|c| *c as u8);
                    rest = &after[length..];
                    Some(String::from_utf8_lossy(&chars.collect::<Vec<u8>>()).into_owned())
                };
                let (Some(text), Some(constraints)) = (text(), text()) else {
                    return Err(self.fail("the text of inline assembly has no end"));
                };
                let effects = self.op(from)? & 1 != 0;
                Ok(match Asm::new(text, constraints, effects) {
                    Ok(asm) => Kind::Asm(Arc::new(asm)),
                    Err(fault) => Kind::Refused(fault),
                })
            }
            code => refused(
                Code::Constant,
                format!("a constant of code {code} is not supported"),
            ),
        }
    }

    /// Constant of a number.
    fn numbered(&self, body: &Body, number: u64) -> Option<&Constant> {
        let number = usize::try_from(number).ok()?;
        let number = match number.checked_sub(body.base) {
            Some(local) => match body.locals.get(local)? {
                Local::Constant(number) => *number,
                Local::Value(_) => return None,
            },
            None => match self.values.get(number)? {
                Global::Constant(number) => *number,
                _ => return None,
            },
        };
        self.constants.get(number)
    }

    /// Inline assembly of a number; an error if it is not supported.
    pub(super) fn asm(&self, body: &Body, number: u64) -> Result<Option<Arc<Asm>>> {
        match self.numbered(body, number).map(|constant| &constant.kind) {
            Some(Kind::Asm(asm)) => Ok(Some(asm.clone())),
            Some(Kind::Refused(fault)) => Err(fault.clone().at(self.loc())),
            _ => Ok(None),
        }
    }

    /// Elements of the constant mask of a shuffle; `u32::MAX` for those that are undefined.
    pub(super) fn mask_of(&self, body: &Body, number: u64, length: usize) -> Result<Vec<u32>> {
        let constant = |number: u64| self.numbered(body, number);
        let element = |number: u64| match &constant(number)?.kind {
            Kind::Plain(Const::Undef) => Some(u32::MAX),
            Kind::Plain(Const::Zero) => Some(0),
            Kind::Plain(Const::Bits(bits)) => u32::try_from(*bits).ok(),
            _ => None,
        };
        let mask = match constant(number).map(|constant| &constant.kind) {
            Some(Kind::Data(bits)) => bits.iter().map(|bits| u32::try_from(*bits).ok()).collect(),
            Some(Kind::Aggregate(members)) => members.iter().map(|n| element(*n)).collect(),
            Some(Kind::Plain(_)) => element(number).map(|n| vec![n; length]),
            _ => None,
        };
        match mask {
            Some(mask) => Ok(mask),
            None => Err(self.refused(Code::Mismatch, "the mask must be constant")),
        }
    }

    /// Value of a constant, a function or a variable for a function.
    pub(super) fn constant(&mut self, body: &mut Body, number: u64) -> Result<Value> {
        self.constant_at(body, number, 0)
    }

    fn constant_at(&mut self, body: &mut Body, number: u64, depth: u32) -> Result<Value> {
        if depth > MAX_DEPTH {
            return Err(self.fail("constants are nested too deeply"));
        }
        let global = usize::try_from(number)
            .ok()
            .and_then(|at| match at.checked_sub(body.base) {
                Some(local) => match body.locals.get(local)? {
                    Local::Constant(number) => Some(Global::Constant(*number)),
                    Local::Value(_) => None,
                },
                None => self.values.get(at).copied(),
            });
        let number = match global {
            Some(Global::Function(id, ty)) => {
                return Ok(body.function.address(ty, ValueDef::Function(id)));
            }
            Some(Global::Variable(id, ty)) => {
                return Ok(body.function.address(ty, ValueDef::Global(id)));
            }
            Some(Global::Constant(number)) => number,
            None => return Err(self.fail(format!("value {number} is no constant"))),
        };
        if let Some(value) = body.made.get(&number) {
            return Ok(*value);
        }
        let ty = self.constants[number].ty;
        // A cycle meets this kind instead of its own constant, which is put back below.
        let itself = Kind::Refused(Fault::new(Code::Bitcode, "a constant is part of itself"));
        let kind = std::mem::replace(&mut self.constants[number].kind, itself);
        let value = self.make_constant(body, ty, &kind, depth);
        self.constants[number].kind = kind;
        let value = value?;
        body.made.insert(number, value);
        Ok(value)
    }

    fn make_constant(
        &mut self,
        body: &mut Body,
        ty: Type,
        kind: &Kind,
        depth: u32,
    ) -> Result<Value> {
        match kind {
            Kind::Plain(constant) => Ok(Constants::value(
                &self.module.types,
                &mut body.function,
                ty,
                constant.clone(),
            )),
            Kind::Refused(fault) => Err(fault.clone().at(self.loc())),
            Kind::Asm(_) => Err(self.refused(Code::Constant, "inline assembly is no value")),
            Kind::Aggregate(members) => {
                let mut list = Vec::new();
                for member in members {
                    list.push(self.constant_at(body, *member, depth + 1)?);
                }
                let value = Constants::aggregate(&self.module.types, &mut body.function, ty, list);
                self.placed(value)
            }
            Kind::Data(elements) => {
                let element = match *self.module.types.data(ty) {
                    TypeData::Vector(_, scalar) => self.module.types.scalar(scalar),
                    TypeData::Array(_, element) => element,
                    _ => return Err(self.fail("the type of elements has none")),
                };
                let width = match *self.module.types.data(element) {
                    TypeData::Scalar(
                        scalar @ (Scalar::Int(..=64)
                        | Scalar::Half
                        | Scalar::BFloat
                        | Scalar::Float
                        | Scalar::Double),
                    ) => self.module.types.bits(scalar),
                    _ => return Err(self.fail("the elements are no numbers")),
                };
                let bits = elements.iter().map(|bits| bits & mask(width));
                let list = bits.map(|bits| body.function.bits(element, bits)).collect();
                let value = Constants::aggregate(&self.module.types, &mut body.function, ty, list);
                self.placed(value)
            }
            Kind::Expression(op, operands) => {
                let mut args = SmallVec::new();
                for operand in operands {
                    args.push(self.constant_at(body, *operand, depth + 1)?);
                }
                let types = &mut self.module.types;
                let value =
                    body.constants
                        .expression(types, &mut body.function, op.clone(), args, ty);
                self.placed(value)
            }
        }
    }
}

fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}
