//! The module: capabilities, names, decorations, entry points, variables, and the heads of its functions.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use smol_str::{SmolStr, format_smolstr};
use spirv::{
    AddressingModel, Capability, Decoration, ExecutionModel, LinkageType, MemoryModel, Op,
    StorageClass,
};

use super::body::{Body, Head, unique};
use super::stream::{Inst, Words};
use super::{Decorated, Global, Reader};
use crate::error::{Code, Result};
use crate::ir::asm::Asm;
use crate::ir::fault::Fault;
use crate::ir::rules;
use crate::ir::{
    Const, Function, FunctionId, Global as Variable, GlobalId, Linkage, Scalar, TypeData, Types,
};
use crate::passes::calls;

/// Sizes of pointers in address spaces, as the reference has them for both widths of addresses.
const LAYOUTS: [(AddressingModel, &str); 2] = [
    (
        AddressingModel::Physical32,
        "p:32:32-p1:32:32-p2:32:32-p3:32:32-p4:32:32-p6:32:32",
    ),
    (AddressingModel::Physical64, "p3:32:32-p6:32:32"),
];
/// Decorations that groups give to their targets.
const MAX_GROUPED: usize = 1 << 20;

impl<'a> Reader<'a> {
    /// Reads a module.
    pub(super) fn module(&mut self, mut words: Words<'a>) -> Result<()> {
        let mut heads = Vec::new();
        let mut inits = Vec::new();
        let (mut compute, mut grouped) = (false, 0);
        while let Some(inst) = words.next()? {
            self.inst = inst;
            match inst.op {
                Some(Op::Capability) => {
                    compute |= self.op(0)? == Capability::VectorComputeINTEL as u32;
                }
                Some(Op::MemoryModel) => self.memory_model(compute)?,
                Some(Op::Function) => heads.push(self.head(&mut words)?),
                Some(Op::Variable | Op::UntypedVariableKHR) => inits.extend(self.variable()?),
                Some(Op::GroupDecorate) => self.group(&mut grouped)?,
                _ => {
                    let known = self.annotation()?
                        || self.type_inst()?
                        || self.constant_inst()?
                        || self.line_inst()?;
                    if !known {
                        return Err(self.unsupported());
                    }
                }
            }
        }
        if !compute {
            return Err(self.fail("the module has no memory model"));
        }
        self.kernels = self.entries.values().cloned().collect();
        let heads = self.declare(heads)?;
        for (inst, id, init) in inits {
            self.inst = inst;
            self.first_value(id, init)?;
        }
        for (function, head) in heads {
            self.inst = head.inst;
            self.function(function, &head)?;
        }
        Ok(())
    }

    fn memory_model(&mut self, compute: bool) -> Result<()> {
        if !compute {
            return Err(self.refused(
                Code::NoCompute,
                "the module has no VectorComputeINTEL: its kernels are those of one channel",
            ));
        }
        let addressing = self.op(0)?;
        let row = LAYOUTS
            .iter()
            .find(|(model, _)| *model as u32 == addressing);
        let model = self.op(1)?;
        match row.filter(|_| model == MemoryModel::OpenCL as u32) {
            Some((_, layout)) => self.module.types.set_layout(layout),
            None => return Err(self.refused(Code::NoCompute, "the memory model is not OpenCL's")),
        }
        Ok(())
    }

    /// Reads a decoration, a name or a mode of another result; false for any other instruction.
    fn annotation(&mut self) -> Result<bool> {
        let Some(op) = self.opcode() else {
            return Ok(false);
        };
        match op {
            Op::EntryPoint => {
                let (id, (name, _)) = (self.op(1)?, self.text(2)?);
                if self.op(0)? != ExecutionModel::Kernel as u32 {
                    return Err(self.refused(Code::NoCompute, "an entry point that is no kernel"));
                }
                self.entries.insert(id, name);
            }
            Op::ExecutionMode | Op::ExecutionModeId => {
                let id = self.op(0)?;
                self.modes.entry(id).or_default().push(self.inst);
            }
            Op::Name => {
                let (id, (name, _)) = (self.op(0)?, self.text(1)?);
                if !name.is_empty() {
                    self.names.insert(id, name);
                }
            }
            Op::String => {
                let (id, (text, _)) = (self.op(0)?, self.text(1)?);
                self.strings.insert(id, text);
            }
            Op::Decorate | Op::DecorateId | Op::DecorateString => {
                let (id, kind) = (self.op(0)?, self.op(1)?);
                let inst = self.inst;
                let all = self.decorations.entry(id).or_default();
                all.push(Decorated { kind, inst });
            }
            Op::ExtInstImport => {
                let (id, (name, _)) = (self.op(0)?, self.text(1)?);
                self.sets.insert(id, super::extended::set(&name));
            }
            Op::AsmTargetINTEL => {}
            Op::AsmINTEL => {
                let id = self.op(1)?;
                let (text, next) = self.text(4)?;
                let (constraints, _) = self.text(next)?;
                let effects = self.has(id, Decoration::SideEffectsINTEL);
                let asm = Asm::new(text.to_string(), constraints.to_string(), effects);
                self.asms.insert(id, asm.map(Arc::new));
            }
            Op::ExtInst => self.debug_inst()?,
            Op::Nop
            | Op::Source
            | Op::SourceContinued
            | Op::SourceExtension
            | Op::Extension
            | Op::ModuleProcessed
            | Op::MemberName
            | Op::MemberDecorate
            | Op::MemberDecorateString
            | Op::DecorationGroup
            | Op::AliasDomainDeclINTEL
            | Op::AliasScopeDeclINTEL
            | Op::AliasScopeListDeclINTEL => {}
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Gives the decorations of a group to its targets.
    fn group(&mut self, grouped: &mut usize) -> Result<()> {
        let group = self
            .decorations
            .get(&self.op(0)?)
            .cloned()
            .unwrap_or_default();
        *grouped += group.len() * self.rest(1).len();
        if *grouped > MAX_GROUPED {
            return Err(self.refused(Code::Size, "groups have too many decorations"));
        }
        for target in self.rest(1) {
            let all = self.decorations.entry(*target).or_default();
            all.extend(&group);
        }
        Ok(())
    }

    /// Reads a function as far as its first label, and skips its body.
    fn head(&mut self, words: &mut Words<'a>) -> Result<Head<'a>> {
        let (ty, id) = (self.op(0)?, self.op(1)?);
        self.type_of.insert(id, ty);
        let mut head = Head {
            inst: self.inst,
            id,
            params: Vec::new(),
            body: None,
            entry: None,
        };
        loop {
            let here = *words;
            let Some(inst) = words.next()? else {
                return Err(self.fail("a function has no end"));
            };
            let within = self.inst;
            self.inst = inst;
            match inst.op {
                Some(Op::FunctionParameter) if head.body.is_none() => {
                    head.params.push((self.op(1)?, self.op(0)?));
                }
                Some(Op::Label) if head.body.is_none() => head.body = Some(here),
                Some(Op::FunctionEnd) => return Ok(head),
                Some(Op::Function) => return Err(self.fail("a function within another")),
                Some(Op::Line | Op::NoLine) => {}
                _ if head.body.is_none() => {
                    return Err(self.fail("a function begins with its parameters and a label"));
                }
                _ => {}
            }
            self.inst = within;
        }
    }

    /// Linkage of a result, and the name that other modules know it by.
    fn linkage(&self, id: u32) -> Result<(Linkage, Option<SmolStr>)> {
        let Some(found) = self.decorated(id, Decoration::LinkageAttributes).next() else {
            return Ok((Linkage::Internal, None));
        };
        let words = found.words();
        let Some((name, count)) = super::stream::text(words) else {
            return Err(self.fail("the name of a linkage has no end"));
        };
        let known = words
            .get(count)
            .and_then(|kind| LinkageType::from_u32(*kind));
        match known {
            Some(_) => Ok((Linkage::External, Some(name))),
            None => Err(self.fail("no linkage has this number")),
        }
    }

    /// Reads a variable; gives the result that is its initializer.
    fn variable(&mut self) -> Result<Option<(Inst<'a>, GlobalId, Option<u32>)>> {
        let (ty, id) = (self.op(0)?, self.op(1)?);
        self.type_of.insert(id, ty);
        let untyped = self.opcode() == Some(Op::UntypedVariableKHR);
        let init = self.rest(3 + usize::from(untyped)).first().copied();
        let held = match untyped {
            true => self.op(3)?,
            false => self.pointer_of(id)?.to.unwrap_or(0),
        };
        let class = self.pointer_of(id)?.class;
        let types = self
            .value_ty(ty)
            .and_then(|pointer| Ok((pointer, self.value_ty(held)?)));
        let (pointer, held) = match types {
            Ok(types) => types,
            // A variable that nothing uses may have an unsupported type.
            Err(error) if Code::is_unsupported(error.code.text()) => {
                let fault = Fault::new(error.code, error.message);
                self.globals.insert(id, Global::Refused(fault));
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let (linkage, exported) = self.linkage(id)?;
        let name = match exported.or(self.names.get(&id).cloned()) {
            Some(name) => name,
            None => format_smolstr!("{id}"),
        };
        let name = unique(name, id, |name| self.module.global_names.contains_key(name));
        let space = match self.module.types.element(pointer) {
            Some(Scalar::Ptr(space)) => space,
            _ => 0,
        };
        let global = self.module.globals.push(Variable {
            name: name.clone(),
            ty: held,
            space,
            linkage,
            constant: self.has(id, Decoration::Constant)
                || matches!(class, StorageClass::UniformConstant | StorageClass::Input),
            init: None,
            functions: Vec::new(),
            addresses: false,
            in_memory: false,
            attrs: self.variable_attrs(id),
            loc: self.loc(),
        });
        self.module.global_names.insert(name, global);
        self.globals.insert(id, Global::Variable(global, pointer));
        let imported = linkage == Linkage::External && init.is_none();
        Ok((!imported).then_some((self.inst, global, init)))
    }

    /// Makes the initializer of a variable; one without is undefined.
    fn first_value(&mut self, global: GlobalId, init: Option<u32>) -> Result<()> {
        let ty = self.module.globals[global].ty;
        let mut body = Body::new(Function::new(SmolStr::default(), Types::VOID));
        let value = match init {
            Some(init) => self.constant(&mut body, init)?,
            None => body.function.constant(ty, Const::Undef),
        };
        if !rules::fits(&self.module.types, body.function.ty(value), ty) {
            return Err(self.fail("the initializer has another type than the variable"));
        }
        let data = rules::data_of(&self.module.types, &body.function, value);
        let init = self.placed(data)?;
        self.module.globals[global].set_init(init);
        Ok(())
    }

    /// Declares all functions. An entry point that only calls a function, which nothing else does, is that function.
    fn declare(&mut self, heads: Vec<Head<'a>>) -> Result<Vec<(FunctionId, Head<'a>)>> {
        let wrapped = self.wrapped(&heads)?;
        let entries: HashMap<u32, u32> = wrapped.iter().map(|(e, callee)| (*callee, *e)).collect();
        let mut declared = Vec::new();
        for mut head in heads {
            if wrapped.contains_key(&head.id) {
                continue;
            }
            self.inst = head.inst;
            head.entry = entries.get(&head.id).copied();
            if let Some(function) = self.declaration(&head)? {
                declared.push((function, head));
            }
        }
        Ok(declared)
    }

    /// The function of a head; `None` if it is an intrinsic.
    fn declaration(&mut self, head: &Head<'a>) -> Result<Option<FunctionId>> {
        let id = head.id;
        let (linkage, exported) = self.linkage(id)?;
        let kernel = self.entries.get(&head.entry.unwrap_or(id)).cloned();
        let named = kernel.clone().or(exported).or(self.names.get(&id).cloned());
        let name = named.unwrap_or_else(|| format_smolstr!("{id}"));
        let is_own = || !matches!(rules::callee(&name), Ok(rules::Callee::Function));
        if head.body.is_none() && (is_own() || calls::is_refused(&name)) {
            self.globals.insert(id, Global::Import(name));
            return Ok(None);
        }
        let ty = self.ty(self.op(3)?)?;
        let TypeData::Function(result, params, _) = self.module.types.data(ty).clone() else {
            return Err(self.fail("the type of a function is none"));
        };
        if params.len() != head.params.len() || result != self.ty(self.op(0)?)? {
            return Err(
                self.fail("a function has other parameters or another result than its type")
            );
        }
        let name = match kernel.is_some() {
            true => name,
            // Kernels come after the functions.
            false => unique(name, id, |name| {
                self.module.function_names.contains_key(name) || self.kernels.contains(name)
            }),
        };
        let mut function = Function::new(name.clone(), result);
        function.spir_kernel = kernel.is_some();
        function.linkage = linkage;
        function.loc = self.loc();
        for (param, ty) in &head.params {
            self.type_of.insert(*param, *ty);
            let name = self.names.get(param).cloned().unwrap_or_default();
            let ty = self.value_ty(*ty)?;
            let ty = self.param_ty(*param, ty);
            function.param(ty, name);
            function.param_attrs.push(self.param_attrs(*param));
            function.byval.push(self.by_value(*param)?);
        }
        function.attrs = self.function_attrs(id, head.entry)?;
        let function = self.module.functions.push(function);
        self.globals.insert(id, Global::Function(function));
        match self.module.function_names.insert(name.clone(), function) {
            None => Ok(Some(function)),
            Some(_) => Err(self.refused(Code::Name, format!("@{name} is defined twice"))),
        }
    }

    /// Entry points that only call a function with their own parameters, and these functions, which nothing else uses.
    fn wrapped(&mut self, heads: &[Head<'a>]) -> Result<HashMap<u32, u32>> {
        let mut uses: HashMap<u32, u32> = HashMap::new();
        let mut wrapped = HashMap::new();
        let pointers = self
            .constants
            .iter()
            .filter_map(|constant| match constant.kind {
                super::constants::Kind::Function(id) => Some(id),
                _ => None,
            });
        pointers.for_each(|id| *uses.entry(id).or_default() += 1);
        for head in heads {
            let Some(mut words) = head.body else { continue };
            let is_entry = self.entries.contains_key(&head.id);
            let (mut only, mut callee) = (is_entry, None);
            while let Some(inst) = words.next()? {
                match inst.op {
                    Some(Op::FunctionEnd) => break,
                    Some(Op::FunctionCall) => {
                        let Some(id) = inst.words.get(2) else {
                            continue;
                        };
                        *uses.entry(*id).or_default() += 1;
                        let args = inst.words[3..].iter();
                        only &= callee.is_none() && args.eq(head.params.iter().map(|(id, _)| id));
                        callee = Some(*id);
                    }
                    Some(Op::Label | Op::Line | Op::NoLine | Op::Return) => {}
                    _ => only = false,
                }
            }
            if let (true, Some(callee)) = (only, callee) {
                wrapped.insert(head.id, callee);
            }
        }
        let bodies = heads.iter().filter(|head| head.body.is_some());
        let bodies: HashSet<u32> = bodies.map(|head| head.id).collect();
        wrapped.retain(|_, callee| uses.get(callee) == Some(&1) && bodies.contains(callee));
        Ok(wrapped)
    }
}
