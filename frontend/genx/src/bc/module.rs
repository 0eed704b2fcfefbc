//! The module: its variables and functions, and the blocks within it.

use smol_str::SmolStr;

use super::{Global as Value, Reader, block};
use crate::error::{Code, Result};
use crate::ir::rules;
use crate::ir::{Function, Global, Linkage, Scalar, TypeData, Types};

use super::function::Body;
use super::stream::Entry;

/// Codes of records.
mod code {
    pub const VERSION: u64 = 1;
    pub const DATALAYOUT: u64 = 3;
    pub const ASM: u64 = 4;
    pub const GLOBALVAR: u64 = 7;
    pub const FUNCTION: u64 = 8;
    pub const ALIAS_OLD: u64 = 9;
    pub const ALIAS: u64 = 14;
    pub const SOURCE_FILENAME: u64 = 16;
    pub const IFUNC: u64 = 18;
}

/// Version from which on names are in a table of their own.
const WITH_STRTAB: u64 = 2;
/// The calling convention of kernels.
const SPIR_KERNEL: u64 = 76;
/// Storage class of an exported function or variable.
const DLL_EXPORT: u64 = 2;

fn linkage(number: u64, dll: u64) -> Linkage {
    match number {
        _ if dll == DLL_EXPORT => Linkage::Kernel,
        6 => Linkage::Kernel,
        0 | 5 | 15 => Linkage::External,
        3 | 9 | 13 | 14 => Linkage::Internal,
        _ => Linkage::Other,
    }
}

impl Reader<'_> {
    pub(super) fn module_block(&mut self) -> Result<()> {
        self.stream.enter(block::MODULE)?;
        let mut version = 0;
        loop {
            match self.entry()? {
                Entry::Block(block::TYPES) => self.type_table()?,
                Entry::Block(block::PARAMATTR_GROUP) => self.attribute_groups()?,
                Entry::Block(block::PARAMATTR) => self.attribute_lists()?,
                Entry::Block(block::CONSTANTS) => {
                    let constants = self.constants_block()?;
                    let numbers = constants.map(Value::Constant);
                    self.values.extend(numbers);
                }
                Entry::Block(block::METADATA) => self.metadata_block()?,
                Entry::Block(block::METADATA_KINDS) => self.metadata_kinds()?,
                Entry::Block(block::FUNCTION) => {
                    self.variables()?;
                    self.function_block()?;
                }
                Entry::Block(_) => self.stream.skip()?,
                Entry::Record if self.record.code == code::VERSION => {
                    version = self.op(0)?;
                    if version != WITH_STRTAB {
                        let message = format!(
                            "version {version} of bitcode: LLVM 14 and later are supported"
                        );
                        return Err(self.fail(message));
                    }
                }
                Entry::Record => self.module_record()?,
                Entry::End if version == 0 => return Err(self.fail("the module has no version")),
                Entry::End => {
                    self.variables()?;
                    return match self.bodies.is_empty() {
                        true => Ok(()),
                        false => Err(self.fail("a function has no body")),
                    };
                }
            }
        }
    }

    fn module_record(&mut self) -> Result<()> {
        match self.record.code {
            code::DATALAYOUT => {
                let layout = self.text(0);
                self.module.types.set_layout(&layout);
                Ok(())
            }
            code::SOURCE_FILENAME => {
                self.module.source_file = Some(self.text(0));
                Ok(())
            }
            code::GLOBALVAR => self.variable(),
            code::FUNCTION => self.function(),
            code::ASM => Err(self.refused(Code::Instruction, "inline assembly is not supported")),
            code::ALIAS | code::ALIAS_OLD | code::IFUNC => {
                Err(self.refused(Code::Variant, "aliases are not supported"))
            }
            _ => Ok(()),
        }
    }

    /// Name in the first two operands.
    fn symbol(&self) -> Result<SmolStr> {
        let (from, size) = (self.op(0)?, self.op(1)?);
        let range = usize::try_from(from).ok().zip(usize::try_from(size).ok());
        let name = range.and_then(|(from, size)| self.strtab.get(from..from.checked_add(size)?));
        match name {
            Some(name) => Ok(String::from_utf8_lossy(name).into()),
            None => Err(self.fail("a name is not in the table of names")),
        }
    }

    fn optional(&self, n: usize) -> u64 {
        self.record.ops.get(n).copied().unwrap_or(0)
    }

    /// Name, type, constant and address space, initializer, linkage, ..., storage class at 12, attributes at 14.
    fn variable(&mut self) -> Result<()> {
        let name = self.symbol()?;
        let ty = self.ty(self.op(2)?)?;
        let flags = self.op(3)?;
        if flags & 2 == 0 {
            return Err(self.fail("a variable without a type"));
        }
        let space = u32::try_from(flags >> 2).unwrap_or(u32::MAX);
        let init = self.op(4)?;
        let loc = self.loc();
        let id = self.module.globals.push(Global {
            name: name.clone(),
            ty,
            space,
            linkage: linkage(self.op(5)?, self.optional(12)),
            constant: flags & 1 != 0,
            init: None,
            functions: Vec::new(),
            addresses: false,
            in_memory: false,
            attrs: self.function_attrs(self.optional(14)),
            loc,
        });
        if let Some(init) = init.checked_sub(1) {
            self.inits.push((id, init, loc));
        }
        let pointer = self.module.types.pointer(ty, space);
        self.values.push(Value::Variable(id, pointer));
        match self.module.global_names.insert(name.clone(), id) {
            None => Ok(()),
            Some(_) => Err(self.refused(Code::Name, format!("@{name} is defined twice"))),
        }
    }

    /// Name, type, calling convention, declaration, linkage, attributes, ..., storage class at 13, personality at 16,
    /// address space at 18.
    fn function(&mut self) -> Result<()> {
        let name = self.symbol()?;
        let ty = self.ty(self.op(2)?)?;
        let TypeData::Function(result, params, variadic) = self.module.types.data(ty).clone()
        else {
            return Err(self.fail("the type of a function is none"));
        };
        let is_declaration = self.op(4)? != 0;
        let list = self.op(6)?;
        if self.optional(16) != 0 || self.optional(12) != 0 || self.optional(15) != 0 {
            return Err(self.refused(
                Code::Instruction,
                "exceptions and prologues are not supported",
            ));
        }
        let mut function = Function::new(name.clone(), result);
        function.spir_kernel = self.op(3)? == SPIR_KERNEL;
        function.linkage = linkage(self.op(5)?, self.optional(13));
        function.variadic = variadic;
        function.attrs = self.function_attrs(list);
        function.loc = self.loc();
        for (i, param) in params.into_iter().enumerate() {
            if matches!(param, Types::VOID | Types::LABEL) {
                return Err(self.fail("no value has the type of a parameter"));
            }
            function.param(param, SmolStr::default());
            let (attrs, byval) = self.param_attrs(list, i);
            function.param_attrs.push(attrs);
            function.byval.push(byval);
        }
        let space = u32::try_from(self.optional(18)).unwrap_or(0);
        let pointer = self.module.types.scalar(Scalar::Ptr(space));
        let id = self.module.functions.push(function);
        self.values.push(Value::Function(id, pointer));
        if !is_declaration {
            self.bodies.push_back(id);
        }
        match self.module.function_names.insert(name.clone(), id) {
            None => Ok(()),
            Some(_) => Err(self.refused(Code::Name, format!("@{name} is defined twice"))),
        }
    }

    /// Makes the initializers of the globals, once all constants of the module are known.
    fn variables(&mut self) -> Result<()> {
        for (id, value, loc) in std::mem::take(&mut self.inits) {
            let function = Function::new(SmolStr::default(), Types::VOID);
            let mut body = Body::new(function, self.values.len());
            self.record.at = loc.byte.into();
            let value = self.constant(&mut body, value)?;
            let global = &self.module.globals[id];
            if !rules::fits(&self.module.types, body.function.ty(value), global.ty) {
                return Err(self.fail("the initializer has another type than the variable"));
            }
            let data = rules::data_of(&self.module.types, &body.function, value);
            let init = self.placed(data)?;
            self.module.globals[id].set_init(init);
        }
        Ok(())
    }
}
