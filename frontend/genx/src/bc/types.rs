//! The table of types.

use smol_str::SmolStr;

use super::{Reader, block};
use crate::error::{Code, Result};
use crate::ir::{Scalar, TypeData, Types};

/// Codes of records.
mod code {
    pub const NUMENTRY: u64 = 1;
    pub const VOID: u64 = 2;
    pub const FLOAT: u64 = 3;
    pub const DOUBLE: u64 = 4;
    pub const LABEL: u64 = 5;
    pub const OPAQUE: u64 = 6;
    pub const INTEGER: u64 = 7;
    pub const POINTER: u64 = 8;
    pub const HALF: u64 = 10;
    pub const ARRAY: u64 = 11;
    pub const VECTOR: u64 = 12;
    pub const X86_FP80: u64 = 13;
    pub const FP128: u64 = 14;
    pub const PPC_FP128: u64 = 15;
    pub const METADATA: u64 = 16;
    pub const X86_MMX: u64 = 17;
    pub const STRUCT_ANON: u64 = 18;
    pub const STRUCT_NAME: u64 = 19;
    pub const STRUCT_NAMED: u64 = 20;
    pub const FUNCTION: u64 = 21;
    pub const TOKEN: u64 = 22;
    pub const BFLOAT: u64 = 23;
    pub const OPAQUE_POINTER: u64 = 25;
    pub const TARGET_TYPE: u64 = 26;
}

impl Reader<'_> {
    pub(super) fn type_table(&mut self) -> Result<()> {
        let mut name = SmolStr::default();
        self.records(block::TYPES, |reader| reader.type_record(&mut name))
    }

    fn type_record(&mut self, name: &mut SmolStr) -> Result<()> {
        let types = &mut self.module.types;
        let ty = match self.record.code {
            code::NUMENTRY => return Ok(()),
            code::STRUCT_NAME => {
                *name = self.text(0);
                return Ok(());
            }
            code::VOID => Types::VOID,
            code::LABEL => Types::LABEL,
            code::METADATA => Types::METADATA,
            code::HALF => types.scalar(Scalar::Half),
            code::BFLOAT => types.scalar(Scalar::BFloat),
            code::FLOAT => types.scalar(Scalar::Float),
            code::DOUBLE => types.scalar(Scalar::Double),
            code::INTEGER => {
                let bits = self.op(0)?;
                let ty = self.module.types.integer(bits);
                self.placed(ty)?
            }
            code::OPAQUE_POINTER => {
                let space = self.space(0)?;
                self.module.types.scalar(Scalar::Ptr(space))
            }
            code::POINTER => {
                let (to, space) = (self.op(0)?, self.space(1)?);
                // Only a structure with a body can follow a pointer to it.
                match usize::try_from(to).ok().and_then(|n| self.types.get(n)) {
                    Some(to) => self.module.types.pointer(*to, space),
                    None => self.module.types.scalar(Scalar::Ptr(space)),
                }
            }
            code::OPAQUE => self
                .module
                .types
                .get(TypeData::Opaque(std::mem::take(name))),
            code::ARRAY => {
                let (count, element) = (self.op(0)?, self.ty(self.op(1)?)?);
                let ty = self.module.types.array(count, element);
                self.placed(ty)?
            }
            code::VECTOR => {
                let (count, element) = (self.op(0)?, self.ty(self.op(1)?)?);
                if self
                    .record
                    .ops
                    .get(2)
                    .is_some_and(|scalable| *scalable != 0)
                {
                    return Err(
                        self.refused(Code::Type, "vectors of variable size are not supported")
                    );
                }
                let ty = self.module.types.vector_of(count, element);
                self.placed(ty)?
            }
            code::STRUCT_ANON | code::STRUCT_NAMED => {
                let packed = self.op(0)? != 0;
                let fields = self.record.ops[1..].iter().map(|field| self.ty(*field));
                let fields = fields.collect::<Result<_>>()?;
                let ty = self.module.types.checked(TypeData::Struct(fields, packed));
                self.placed(ty)?
            }
            code::FUNCTION => {
                let (variadic, result) = (self.op(0)? != 0, self.ty(self.op(1)?)?);
                let params = self.record.ops[2..].iter().map(|param| self.ty(*param));
                let params = params.collect::<Result<_>>()?;
                let ty = self
                    .module
                    .types
                    .checked(TypeData::Function(result, params, variadic));
                self.placed(ty)?
            }
            code::TARGET_TYPE => self.target_type(std::mem::take(name))?,
            code => {
                let name = match code {
                    code::X86_FP80 => "x86_fp80",
                    code::FP128 => "fp128",
                    code::PPC_FP128 => "ppc_fp128",
                    code::X86_MMX => "x86_mmx",
                    code::TOKEN => "token",
                    _ => {
                        return Err(self.refused(
                            Code::Type,
                            format!("a type of code {code} is not supported"),
                        ));
                    }
                };
                return Err(self.refused(Code::Type, format!("type {name} is not supported")));
            }
        };
        self.types.push(ty);
        Ok(())
    }

    /// Address space in an operand; 0 if it is left out.
    fn space(&self, n: usize) -> Result<u32> {
        let space = self.record.ops.get(n).copied().unwrap_or(0);
        match u32::try_from(space) {
            Ok(space) if space < 1 << 24 => Ok(space),
            _ => Err(self.fail(format!("{space} is no address space"))),
        }
    }

    /// A handle with this name and its parameters.
    fn target_type(&mut self, name: SmolStr) -> Result<crate::ir::Type> {
        let mut name = name.to_string();
        let types = usize::try_from(self.op(0)?).unwrap_or(usize::MAX);
        for number in self.record.ops.iter().skip(types.saturating_add(1)) {
            name.push('.');
            name.push_str(&number.to_string());
        }
        Ok(self.module.types.get(TypeData::Handle(name.into())))
    }
}
