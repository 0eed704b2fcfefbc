//! Constants: read in the order of the module, and made values of a function where it uses them.

use smallvec::SmallVec;
use spirv::Op;

use super::body::Body;
use super::compute;
use super::{Global, Reader};
use crate::error::{Code, Result};
use crate::ir::fault::Fault;
use crate::ir::rules::{self, Constants};
use crate::ir::types::MAX_DEPTH;
use crate::ir::{Const, Op as IrOp, Type, Types, Value, ValueDef};

/// Bits of a word.
const WORD_BITS: u32 = 32;
/// Maximum length, in words, of an integer whose value is read.
const MOST_WORDS: usize = 4;

/// A constant.
pub(super) struct Constant {
    pub ty: Type,
    pub kind: Kind,
}

/// Content of a constant; others are named by their results.
#[derive(Clone)]
pub(super) enum Kind {
    Plain(Const),
    Aggregate(Vec<u32>),
    /// Address of a function.
    Function(u32),
    Expression(Op, Vec<u32>),
    /// An unsupported constant, an error only if it is used.
    Refused(Fault),
}

impl Reader<'_> {
    /// Reads an instruction that makes a constant; false for any other.
    pub(super) fn constant_inst(&mut self) -> Result<bool> {
        let Some(op) = self.opcode() else {
            return Ok(false);
        };
        match op {
            Op::ConstantTrue
            | Op::ConstantFalse
            | Op::Constant
            | Op::ConstantComposite
            | Op::ConstantNull
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::SpecConstant
            | Op::SpecConstantComposite
            | Op::SpecConstantOp
            | Op::ConstantFunctionPointerINTEL
            | Op::ConstantSampler
            | Op::Undef => {}
            Op::ConstantCompositeContinuedINTEL | Op::SpecConstantCompositeContinuedINTEL => {
                self.continued()?;
                return Ok(true);
            }
            _ => return Ok(false),
        }
        let (ty, id) = (self.op(0)?, self.op(1)?);
        self.type_of.insert(id, ty);
        let constant = match self.value_ty(ty) {
            Ok(ty) => Constant {
                ty,
                kind: self.constant_kind(op, ty)?,
            },
            Err(error) if Code::is_unsupported(error.code.text()) => Constant {
                ty: Types::VOID,
                kind: Kind::Refused(Fault::new(error.code, error.message)),
            },
            Err(error) => return Err(error),
        };
        self.globals
            .insert(id, Global::Constant(self.constants.len()));
        self.constants.push(constant);
        Ok(true)
    }

    fn constant_kind(&self, op: Op, ty: Type) -> Result<Kind> {
        Ok(match op {
            Op::ConstantTrue | Op::SpecConstantTrue => Kind::Plain(Const::Bits(1)),
            Op::ConstantFalse | Op::SpecConstantFalse => Kind::Plain(Const::Bits(0)),
            Op::ConstantNull => Kind::Plain(Const::Zero),
            Op::Undef => Kind::Plain(Const::Undef),
            Op::ConstantComposite | Op::SpecConstantComposite => {
                Kind::Aggregate(self.rest(2).to_vec())
            }
            Op::ConstantFunctionPointerINTEL => Kind::Function(self.op(2)?),
            Op::SpecConstantOp => match Op::from_u32(self.op(2)?) {
                Some(op) => Kind::Expression(op, self.rest(3).to_vec()),
                None => return Err(self.fail("no operation has this number")),
            },
            Op::ConstantSampler => Kind::Refused(Fault::new(
                Code::Constant,
                "samplers that are constants are not supported",
            )),
            _ => {
                self.op(2)?;
                match self.number(ty, self.rest(2)) {
                    Ok(constant) => Kind::Plain(constant),
                    Err(fault) => Kind::Refused(fault),
                }
            }
        })
    }

    /// Number of a type in words, from the lowest on.
    fn number(&self, ty: Type, words: &[u32]) -> std::result::Result<Const, Fault> {
        let types = &self.module.types;
        let Some((1, scalar)) = types.shape(ty) else {
            return Err(Fault::new(Code::Spirv, "a number of another type"));
        };
        let bits = types.bits(scalar);
        let more = words.iter().skip(MOST_WORDS).any(|word| *word != 0);
        let low = words.iter().take(MOST_WORDS).zip(0..);
        let n = low.fold(0u128, |n, (word, at)| {
            n | u128::from(*word) << (at * WORD_BITS)
        });
        if bits > u64::BITS {
            let n = if more { i128::MIN } else { n.cast_signed() };
            return rules::integer(types, ty, n);
        }
        Ok(Const::Bits(n as u64 & u64::MAX >> (u64::BITS - bits)))
    }

    /// Adds members to those of the last constant.
    fn continued(&mut self) -> Result<()> {
        let more = self.rest(0);
        match self.constants.last_mut().map(|constant| &mut constant.kind) {
            Some(Kind::Aggregate(members)) => members.extend(more),
            _ => return Err(self.fail("members of no constant")),
        }
        Ok(())
    }

    /// Bits of a constant that is a number.
    pub(super) fn plain_number(&self, id: u32) -> Option<u64> {
        let Some(Global::Constant(number)) = self.globals.get(&id) else {
            return None;
        };
        match self.constants[*number].kind {
            Kind::Plain(Const::Bits(bits)) => Some(bits),
            Kind::Plain(Const::Zero) => Some(0),
            _ => None,
        }
    }

    /// Value of a result of the module for a function.
    pub(super) fn constant(&mut self, body: &mut Body, id: u32) -> Result<Value> {
        self.constant_at(body, id, 0)
    }

    fn constant_at(&mut self, body: &mut Body, id: u32, depth: u32) -> Result<Value> {
        if depth > MAX_DEPTH {
            return Err(self.fail("constants are nested too deeply"));
        }
        let number = match self.globals.get(&id) {
            Some(Global::Constant(number)) => *number,
            Some(Global::Variable(global, ty)) => {
                return Ok(body.function.address(*ty, ValueDef::Global(*global)));
            }
            Some(Global::Refused(fault)) => return Err(fault.clone().at(self.loc())),
            Some(Global::Function(_) | Global::Import(_)) => {
                return Err(self.fail(format!("function {} is no value", self.shown(id))));
            }
            None => return Err(self.fail(format!("{} has no definition", self.shown(id)))),
        };
        if let Some(value) = body.made.get(&number) {
            return Ok(*value);
        }
        let ty = self.constants[number].ty;
        // A cycle meets this kind instead of its own constant, which is put back below.
        let itself = Kind::Refused(Fault::new(Code::Spirv, "a constant is part of itself"));
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
        let types = &self.module.types;
        match kind {
            Kind::Plain(constant) => {
                let function = &mut body.function;
                Ok(Constants::value(types, function, ty, constant.clone()))
            }
            Kind::Refused(fault) => Err(fault.clone().at(self.loc())),
            Kind::Function(id) => match self.globals.get(id) {
                Some(Global::Function(function)) => {
                    Ok(body.function.address(ty, ValueDef::Function(*function)))
                }
                _ => Err(self.fail(format!("{} is no function", self.shown(*id)))),
            },
            Kind::Aggregate(members) => {
                let mut list = Vec::new();
                for member in members {
                    list.push(self.constant_at(body, *member, depth + 1)?);
                }
                let value = Constants::aggregate(&self.module.types, &mut body.function, ty, list);
                self.placed(value)
            }
            Kind::Expression(op, operands) => self.expression(body, ty, *op, operands, depth),
        }
    }

    fn expression(
        &mut self,
        body: &mut Body,
        ty: Type,
        op: Op,
        operands: &[u32],
        depth: u32,
    ) -> Result<Value> {
        let mut args: SmallVec<[Value; 3]> = SmallVec::new();
        for operand in operands {
            args.push(self.constant_at(body, *operand, depth + 1)?);
        }
        let Some(first) = args.first().map(|arg| body.function.ty(*arg)) else {
            return Err(self.fail("an expression without operands"));
        };
        let types = &self.module.types;
        let made = match op {
            Op::AccessChain | Op::InBoundsAccessChain => {
                args.insert(1, body.function.bits(Types::I32, 0));
                Some(IrOp::Gep(self.pointee(operands[0])?))
            }
            Op::PtrAccessChain | Op::InBoundsPtrAccessChain => {
                Some(IrOp::Gep(self.pointee(operands[0])?))
            }
            Op::Select => Some(IrOp::Select),
            op => match compute::binary(op).or(compute::relation(op)) {
                Some(made) => Some(made),
                None => match compute::cast(types, op, first, ty) {
                    Some(None) => return Ok(args[0]),
                    Some(Some(cast)) => Some(IrOp::Cast(cast)),
                    None => None,
                },
            },
        };
        let Some(made) = made else {
            let message = format!("a constant that is an Op{op:?} is not supported");
            return Err(self.refused(Code::Constant, message));
        };
        let (types, function) = (&mut self.module.types, &mut body.function);
        let value = (body.constants).expression(types, function, made, args, ty);
        let value = self.placed(value)?;
        match rules::fits(&self.module.types, body.function.ty(value), ty) {
            true => Ok(value),
            false => Err(self.fail("an expression has another type")),
        }
    }
}
