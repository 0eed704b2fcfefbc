//! The vISA module: an object for each kernel, with the subroutines that it calls.

use std::collections::HashMap;

use cranelift_entity::SecondaryMap;
use kiln_platform::platform::{Payload, Platform};
use kiln_visa::build::Builder;
use kiln_visa::module::{AttrValue, Object as VObject, Type as VType, Var};

use super::function::{Address, Emitter, Place, Shared, Signature};
use super::object::Object;
use super::places::{Passed, Private};
use crate::error::{Code, Diagnostic, Loc, Result};
use crate::intrinsics::Kind;
use crate::ir::function::MAX_INSTS;
use crate::ir::{Const, Function, FunctionId, GlobalId, InstData, Module, Op, TypeData, ValueDef};
use crate::passes::calls::Calls;
use crate::passes::kernels::{ArgKind, Implicit, Kernel};
use crate::passes::printf;

/// Place of an argument or an implicit value in the registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    pub offset: u32,
    pub bytes: u32,
}

/// Argument of a kernel, as a launch sets it.
#[derive(Clone, Debug, PartialEq)]
pub struct Argument {
    pub arg: crate::passes::kernels::Arg,
    /// Bytes in registers; `None` for what has only a number.
    pub place: Option<Placed>,
    /// Binding table index, or number of the sampler.
    pub number: Option<u32>,
}

/// Interface of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Interface {
    pub name: String,
    pub slm: u32,
    /// Bytes of private memory of each thread.
    pub private: u32,
    /// Arguments that a launch sets, in its order.
    pub args: Vec<Argument>,
    /// Values that the kernel receives besides.
    pub implicit: Vec<(Implicit, Placed)>,
}

/// Bytes of a global that is kept in registers.
const MAX_GLOBAL: u64 = 4096;
/// Dimensions of a launch.
const DIMENSIONS: u32 = 3;

/// Bytes of private memory for calls whose depth is unknown.
const STACK_BYTES: u32 = 8192;
/// Bytes of private memory of a thread.
const MAX_PRIVATE: u64 = 1 << 20;
/// Registers that arguments end before: the code needs some of the 128, too.
const MAX_ARGUMENT_GRFS: u32 = 112;
/// Alignment of a variable in memory.
const ALIGNMENT: u64 = 16;
/// Address space of shared local memory.
const LOCAL: u32 = 3;
/// Address space of memory that all threads share.
const SHARED: u32 = 1;

/// Functions of an object: the one that it is made for, and its subroutines, callees first.
fn members(module: &Module, calls: &Calls, from: FunctionId) -> Vec<FunctionId> {
    let mut order = Vec::new();
    let mut seen: SecondaryMap<FunctionId, bool> = SecondaryMap::new();
    let mut work = vec![(from, false)];
    while let Some((id, done)) = work.pop() {
        if done {
            order.push(id);
            continue;
        }
        if std::mem::replace(&mut seen[id], true) {
            continue;
        }
        work.push((id, true));
        for data in insts(&module.functions[id]) {
            if let Op::Call(callee) = data.op
                && !calls.stack[callee]
            {
                work.push((callee, false));
            }
        }
    }
    order
}

/// Functions called with a stack that a kernel may reach.
fn stack_functions(module: &Module, calls: &Calls, kernel: FunctionId) -> Vec<FunctionId> {
    let mut found = Vec::new();
    let mut seen: SecondaryMap<FunctionId, bool> = SecondaryMap::new();
    let mut work = vec![kernel];
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut seen[id], true) {
            continue;
        }
        if calls.stack[id] {
            found.push(id);
        }
        let function = &module.functions[id];
        for data in insts(function) {
            if let Op::Call(callee) = data.op {
                work.push(callee);
            }
            for arg in &data.args {
                if let ValueDef::Function(id) = function.values[*arg].def {
                    work.push(id);
                }
            }
        }
    }
    found
}

fn insts(function: &Function) -> impl Iterator<Item = &InstData> {
    let blocks = function
        .order
        .iter()
        .flat_map(|b| &function.blocks[*b].insts);
    blocks.map(|inst| &function.insts[*inst])
}

/// The offsets of the frames of an object's functions, and the size of all, in bytes.
fn frames(module: &Module, functions: &[FunctionId]) -> (HashMap<FunctionId, u32>, u64) {
    let mut places = HashMap::new();
    let mut next = 0u64;
    for id in functions {
        places.insert(*id, next as u32);
        next += u64::from(module.functions[*id].frame);
    }
    (places, next)
}

/// The texts that code names and the driver keeps: the name of each, and its bytes.
pub fn strings(module: &Module) -> Vec<(String, Vec<u8>)> {
    let kept = module.globals.values();
    kept.filter(|global| Module::attr(&global.attrs, printf::ATTRIBUTE).is_some())
        .map(|global| {
            (
                global.name.to_string(),
                global.init.clone().unwrap_or_default(),
            )
        })
        .collect()
}

/// Makes the objects of all kernels, and of the functions that are called with a stack.
///
/// # Errors
/// An instruction, a type or a call that is not supported, with its place.
pub fn objects(
    module: &Module,
    kernels: &[Kernel],
    calls: &Calls,
    platform: &'static Platform,
) -> Result<(Vec<VObject>, Vec<Interface>)> {
    let (mut objects, mut interfaces) = (Vec::new(), Vec::new());
    let mut room = MAX_INSTS;
    for kernel in kernels {
        let made = KernelObject {
            module,
            kernel,
            calls,
            platform,
            room,
        }
        .make()?;
        room = room.saturating_sub(made.0.insts.len());
        objects.push(made.0);
        interfaces.push(made.1);
    }
    for &id in calls.reached.iter().filter(|id| calls.stack[**id]) {
        let made = function(module, id, calls, platform, room)?;
        room = room.saturating_sub(made.insts.len());
        objects.push(made);
    }
    Ok((objects, interfaces))
}

/// Makes the object of a function that is called with a stack.
fn function(
    module: &Module,
    id: FunctionId,
    calls: &Calls,
    platform: &'static Platform,
    room: usize,
) -> Result<VObject> {
    let of = &module.functions[id];
    let passed = Passed::of_function(module, platform.grf_bytes, of)?;
    let (args, results) = (passed.arg_grfs as u8, passed.result_grfs as u8);
    let mut builder = Builder::function(&super::calls::name(module, id), args, results);
    builder.attr("Target", AttrValue::Str("cm".into()));
    let functions = members(module, calls, id);
    let mut shared = Shared::new(module, platform, builder, calls, room);
    let (places, bytes) = frames(module, &functions);
    if bytes > MAX_PRIVATE {
        return Err(Diagnostic::new(
            Code::Size,
            of.loc,
            "the frame is too large",
        ));
    }
    shared.frames = places;
    if bytes > 0 || grows(module, &functions) {
        shared.frame = Some(shared.object.var(VType::Uq, 8));
    }
    if let Some(loc) = register_variable(module, &functions) {
        let message = "a global in registers, in a function that is called with a stack";
        return Err(Diagnostic::new(Code::Memory, loc, message));
    }
    local_addresses(&mut shared);
    signatures(&mut shared, &functions, id)?;
    let own = shared.frames.get(&id).copied().unwrap_or(0);
    let mut emitter = Emitter::new(&mut shared, of, None)?;
    emitter.frame = own;
    emitter.enter(&passed, bytes as u32)?;
    emitter.enter_mode()?;
    emitter.emit()?;
    subroutines(&mut shared, &functions, id)?;
    let object = shared.object.builder.finish();
    object.map_err(|e| Diagnostic::new(Code::Rule, of.loc, e.to_string()))
}

/// True if a function takes memory of a variable size from the stack.
fn grows(module: &Module, functions: &[FunctionId]) -> bool {
    let mut found = false;
    for_intrinsics(module, functions, |kind, _, _| {
        found |= matches!(kind, Kind::Room);
    });
    found
}

/// Declares the subroutines of an object.
fn signatures(shared: &mut Shared, functions: &[FunctionId], root: FunctionId) -> Result<()> {
    for id in functions.iter().filter(|id| **id != root) {
        let signature = signature(shared, *id)?;
        shared.subroutines.insert(*id, signature);
    }
    Ok(())
}

/// Adds the code of the subroutines of an object.
fn subroutines(shared: &mut Shared, functions: &[FunctionId], root: FunctionId) -> Result<()> {
    for id in functions.iter().filter(|id| **id != root) {
        let function = &shared.module.functions[*id];
        let Some(signature) = shared.subroutines.get(id).cloned() else {
            continue;
        };
        shared.object.builder.define(signature.label);
        let params = signature.params.clone();
        let own = shared.frames.get(id).copied().unwrap_or(0);
        let mut emitter = Emitter::new(shared, function, Some(signature))?;
        emitter.frame = own;
        for (param, place) in function.params.iter().zip(params) {
            emitter.bind(*param, place);
        }
        emitter.enter_mode()?;
        emitter.emit()?;
    }
    Ok(())
}

/// Place of a use of a global that is kept in registers.
fn register_variable(module: &Module, functions: &[FunctionId]) -> Option<Loc> {
    let mut found = None;
    for_intrinsics(module, functions, |kind, function, data| {
        let pointer = match kind {
            Kind::Load => data.args.first(),
            Kind::Store => data.args.get(1),
            _ => None,
        };
        if let Some(ValueDef::Global(_)) = pointer.map(|p| &function.values[*p].def) {
            found = found.or(Some(data.loc));
        }
    });
    found
}

/// Gives the globals in shared local memory addresses after what kernels declare, and finds those that the driver keeps. Returns the
/// end of shared local memory.
fn local_addresses(shared: &mut Shared) -> u64 {
    let module = shared.module;
    let all: Vec<FunctionId> = shared.calls.reached.clone();
    let mut next = u64::from(slm_init(module, &all)).max(shared.local_start);
    for (id, global) in &module.globals {
        let size = module.types.layout(global.ty).map_or(0, |(size, _)| size);
        if Module::attr(&global.attrs, printf::ATTRIBUTE).is_some() {
            shared.addresses.insert(id, Address::Named);
        } else if global.space == LOCAL && global.in_memory && size > 0 {
            let at = next.next_multiple_of(ALIGNMENT);
            shared.addresses.insert(id, Address::Local(at as u32));
            next = at + size;
        }
    }
    next
}

struct KernelObject<'a> {
    module: &'a Module,
    kernel: &'a Kernel,
    calls: &'a Calls,
    platform: &'static Platform,
    /// Instructions that the object may have.
    room: usize,
}

impl<'a> KernelObject<'a> {
    fn make(self) -> Result<(VObject, Interface)> {
        let KernelObject {
            module,
            kernel,
            calls,
            platform,
            room,
        } = self;
        let functions = members(module, calls, kernel.function);
        let builder = Builder::explicit_kernel(&kernel.name);
        let mut shared = Shared::new(module, platform, builder, calls, room);
        shared.local_start = kernel.slm.into();
        let mut interface = Interface {
            name: kernel.name.to_string(),
            slm: kernel.slm.max(slm_init(module, &functions)),
            private: 0,
            args: Vec::new(),
            implicit: Vec::new(),
        };
        let used = variables_in_memory(module, &functions);
        let end = local_addresses(&mut shared);
        if used
            .iter()
            .any(|(id, _)| module.globals[*id].space == LOCAL)
        {
            interface.slm = u32::try_from(end).unwrap_or(u32::MAX);
        }
        let slm = interface.slm.div_ceil(1024);
        shared
            .object
            .builder
            .attr("SLMSize", AttrValue::Int(slm.into()));
        let private = self.private(&mut shared, &functions, &used)?;
        interface.private = private.bytes;
        let mut function = module.functions[kernel.function].clone();
        let mut wanted = implicit(module, &functions);
        if private.bytes > 0 {
            wanted.push(Implicit::PrivateBase);
        }
        let base = self.inputs(&mut shared, &mut interface, &mut function, &wanted)?;
        signatures(&mut shared, &functions, kernel.function)?;
        let mut types = module.types.clone();
        crate::passes::simplify::simplify(&mut types, &mut function);
        globals(&mut shared, &functions)?;
        let own = shared.frames.get(&kernel.function).copied().unwrap_or(0);
        let mut emitter = Emitter::new(&mut shared, &function, None)?;
        emitter.frame = own;
        for (param, var) in function.params.iter().zip(&base.params) {
            if let Some(var) = var {
                emitter.bind(*param, Place::Var(*var));
            }
        }
        if let Some(var) = base.private {
            emitter.begin_private(var, &private, &used)?;
        }
        let mut reached = functions.clone();
        for id in stack_functions(module, calls, kernel.function) {
            reached.extend(members(module, calls, id));
        }
        emitter.begin_mode(&reached)?;
        emitter.emit()?;
        subroutines(&mut shared, &functions, kernel.function)?;
        let object = shared.object.builder.finish();
        let object =
            object.map_err(|e| Diagnostic::new(Code::Rule, function.loc, e.to_string()))?;
        Ok((object, interface))
    }

    /// The kernel's part of private memory, and all of it with the stack.
    fn private(
        &self,
        shared: &mut Shared,
        functions: &[FunctionId],
        used: &[(GlobalId, Loc)],
    ) -> Result<Private> {
        let (module, calls) = (self.module, self.calls);
        let (places, mut own) = frames(module, functions);
        shared.frames = places;
        for (id, loc) in used {
            let global = &module.globals[*id];
            let size = module.types.layout(global.ty).map_or(0, |(size, _)| size);
            let shares = global.space == SHARED && !global.constant;
            if shared.addresses.contains_key(id) {
                continue;
            }
            let data = global
                .init
                .as_ref()
                .is_some_and(|init| init.len() as u64 <= MAX_PRIVATE);
            if shares || !data {
                let message = format!(
                    "variable @{} in memory is not supported: {}",
                    global.name,
                    if shares {
                        "all threads share it"
                    } else {
                        "its initializer has addresses"
                    }
                );
                return Err(Diagnostic::new(Code::Memory, *loc, message));
            }
            let at = own.next_multiple_of(ALIGNMENT);
            shared.addresses.insert(*id, Address::Frame(at as u32));
            own = at + size;
        }
        own = own.next_multiple_of(ALIGNMENT);
        let others = stack_functions(module, calls, self.kernel.function);
        let sum: u64 = others
            .iter()
            .map(|id| frames(module, &members(module, calls, *id)).1)
            .sum();
        let external = others
            .iter()
            .any(|id| module.functions[*id].is_declaration());
        let of_others = others.iter().map(|id| members(module, calls, *id));
        let mut parts = of_others.chain([functions.to_vec()]);
        let grows = parts.any(|functions| grows(module, &functions));
        let endless = grows || calls.indirect || others.iter().any(|id| calls.recursive[*id]);
        let stack = match (sum, endless, external || grows) {
            (0, _, false) => 0,
            (sum, false, false) => sum,
            (sum, ..) => sum.max(STACK_BYTES.into()),
        };
        if own + stack > MAX_PRIVATE {
            let message = format!("{} bytes of private memory are too much", own + stack);
            let loc = module.functions[self.kernel.function].loc;
            return Err(Diagnostic::new(Code::Size, loc, message));
        }
        if own > 0 || stack > 0 {
            shared.frame = Some(shared.object.var(VType::Uq, 8));
        }
        Ok(Private {
            own: own as u32,
            bytes: match own + stack {
                0 => 0,
                bytes => bytes.next_power_of_two() as u32,
            },
            has_stack: stack > 0,
        })
    }

    /// Declares the implicit inputs, each once: their variables, and the offset after the last.
    fn implicit_inputs(
        &self,
        shared: &mut Shared,
        interface: &mut Interface,
        wanted: &[Implicit],
    ) -> (Vec<(Implicit, Var)>, u32) {
        let grf = self.platform.grf_bytes;
        // The header, a register for local ids, and what arrives in their place where a thread loads them: these
        // kernels have no arguments there.
        let mut next = 2 * grf;
        if self.platform.payload == Payload::Memory && wanted.contains(&Implicit::LocalIds) {
            next += self.platform.inline_bytes;
        }
        let mut given: Vec<(Implicit, Var)> = Vec::new();
        let named = self.kernel.args.iter().filter_map(|arg| match arg.kind {
            ArgKind::Implicit(kind) => Some(kind),
            _ => None,
        });
        for kind in wanted.iter().copied().chain(named) {
            if given.iter().any(|(known, _)| *known == kind) {
                continue;
            }
            let (ty, count) = match kind {
                Implicit::LocalIds => (VType::Uw, DIMENSIONS),
                Implicit::LocalSize | Implicit::GroupCount => (VType::Ud, DIMENSIONS),
                _ => (VType::Uq, 1),
            };
            let bytes = count * ty.bytes();
            let mut at = match kind {
                Implicit::LocalIds => grf,
                _ => next.next_multiple_of(ty.bytes()),
            };
            if at / grf != (at + bytes - 1) / grf {
                at = at.next_multiple_of(grf);
            }
            let var = shared.object.var(ty, bytes);
            shared.object.builder.input(var, at as u16);
            if kind != Implicit::LocalIds {
                next = at + bytes;
            }
            given.push((kind, var));
            interface
                .implicit
                .push((kind, Placed { offset: at, bytes }));
            match kind {
                Implicit::LocalIds => {
                    shared.implicit[0] = Some(var);
                    if self.platform.payload == Payload::Memory {
                        // The code before the kernel's own loads them.
                        let builder = &mut shared.object.builder;
                        builder.attr("PerThreadInputSize", AttrValue::Int(grf.into()));
                    }
                }
                Implicit::LocalSize => shared.implicit[1] = Some(var),
                Implicit::GroupCount => shared.implicit[2] = Some(var),
                Implicit::PrintfBuffer => shared.implicit[3] = Some(var),
                _ => {}
            }
        }
        (given, next)
    }

    /// Declares the inputs of a kernel that arrive in registers: the implicit ones first, then the arguments.
    fn inputs(
        &self,
        shared: &mut Shared,
        interface: &mut Interface,
        function: &mut Function,
        wanted: &[Implicit],
    ) -> Result<Inputs> {
        let (given, mut next) = self.implicit_inputs(shared, interface, wanted);
        let variable = |kind: Implicit| given.iter().find(|(known, _)| *known == kind);
        let mut inputs = Inputs {
            params: Vec::new(),
            private: variable(Implicit::PrivateBase).map(|(_, var)| *var),
        };
        let (mut surfaces, mut samplers) = (0, 0);
        let mut structures: HashMap<u32, Placed> = HashMap::new();
        let params = function.params.clone();
        for (i, (param, arg)) in (0..).zip(params.into_iter().zip(&self.kernel.args)) {
            let counter = match arg.kind {
                ArgKind::Buffer | ArgKind::Image(_) => Some(&mut surfaces),
                ArgKind::Sampler => Some(&mut samplers),
                _ => None,
            };
            if let Some(counter) = counter {
                let number = *counter;
                *counter += 1;
                function.values[param].def = ValueDef::Const(Const::Bits(number.into()));
                inputs.params.push(None);
                interface.args.push(Argument {
                    arg: arg.clone(),
                    place: None,
                    number: Some(number),
                });
                continue;
            }
            if let ArgKind::Implicit(kind) = arg.kind {
                inputs.params.push(variable(kind).map(|(_, var)| *var));
                continue;
            }
            let ty = function.ty(param);
            let (visa, bytes) = input_type(self.module, function, ty)?;
            if let ArgKind::Part(of, byte) = arg.kind {
                let place = structures.get(&of).filter(|p| byte + bytes <= p.bytes);
                let Some(place) = place else {
                    let message = format!("argument {i} is no part of the structure {of}");
                    return Err(Diagnostic::new(Code::Kernel, function.loc, message));
                };
                let var = shared.object.var(visa, bytes);
                shared
                    .object
                    .builder
                    .input(var, (place.offset + byte) as u16);
                inputs.params.push(Some(var));
                continue;
            }
            let place = place_input(&shared.object, function, bytes, &mut next)?;
            let parts = self
                .kernel
                .args
                .iter()
                .any(|a| matches!(a.kind, ArgKind::Part(of, _) if of == i));
            if parts {
                structures.insert(i, place);
                inputs.params.push(None);
            } else {
                let var = shared.object.var(visa, bytes);
                shared.object.builder.input(var, place.offset as u16);
                inputs.params.push(Some(var));
            }
            interface.args.push(Argument {
                arg: arg.clone(),
                place: Some(place),
                number: None,
            });
        }
        Ok(inputs)
    }
}

/// Variables that a kernel begins with.
struct Inputs {
    /// By parameter: the variable that holds it.
    params: Vec<Option<Var>>,
    /// Address of the private memory of all threads.
    private: Option<Var>,
}

/// Globals in memory that functions name, each with the place of a use.
fn variables_in_memory(module: &Module, functions: &[FunctionId]) -> Vec<(GlobalId, Loc)> {
    let mut found: Vec<(GlobalId, Loc)> = Vec::new();
    let mut seen: SecondaryMap<GlobalId, bool> = SecondaryMap::new();
    for id in functions {
        let function = &module.functions[*id];
        for data in insts(function) {
            for arg in &data.args {
                if let ValueDef::Global(global) = function.values[*arg].def
                    && module.globals[global].in_memory
                    && !std::mem::replace(&mut seen[global], true)
                {
                    found.push((global, data.loc));
                }
            }
        }
    }
    found
}

/// Makes vISA variables of the globals that functions read or write, with their initializers.
fn globals(shared: &mut Shared, functions: &[FunctionId]) -> Result<()> {
    let module = shared.module;
    let mut used = Vec::new();
    for_intrinsics(module, functions, |kind, function, data| {
        let pointer = match kind {
            Kind::Load => data.args.first(),
            Kind::Store => data.args.get(1),
            _ => None,
        };
        if let Some(ValueDef::Global(id)) = pointer.map(|p| &function.values[*p].def) {
            used.push(*id);
        }
    });
    let mut values = Vec::new();
    for id in used {
        let global = &module.globals[id];
        let size = module.types.layout(global.ty).map(|(size, _)| size);
        let Some(size) = size.filter(|size| (1..=MAX_GLOBAL).contains(size)) else {
            continue;
        };
        if shared.globals.contains_key(&id) {
            continue;
        }
        let var = shared.object.block(VType::Ud, size as u32);
        shared.globals.insert(id, var);
        let Some(init) = &global.init else { continue };
        let parts = init.chunks(4);
        let dword = |part: &[u8]| part.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
        values.push((id, var, parts.map(dword).collect::<Vec<u64>>()));
    }
    if let (false, Some(first)) = (values.is_empty(), functions.first()) {
        let mut emitter = Emitter::new(shared, &module.functions[*first], None)?;
        for (id, var, values) in values {
            emitter.fill(var, VType::Ud, &values)?;
            for (byte, function) in &module.globals[id].functions {
                emitter.write_function(var, *byte, *function)?;
            }
        }
    }
    Ok(())
}

/// Places of a subroutine's parameters and results.
fn signature(shared: &mut Shared, id: FunctionId) -> Result<Signature> {
    let module = shared.module;
    let function = &module.functions[id];
    let number = shared.subroutines.len();
    let label = shared
        .object
        .builder
        .subroutine(&format!("f_{}", number + 1));
    let results: Vec<crate::ir::Type> = match module.types.data(function.result) {
        TypeData::Void => Vec::new(),
        TypeData::Struct(fields, _) => fields.clone(),
        _ => vec![function.result],
    };
    let params: Vec<_> = function
        .params
        .iter()
        .map(|param| function.ty(*param))
        .collect();
    let mut emitter = Emitter::new(shared, function, None)?;
    let mut places = Vec::new();
    for ty in params.iter().chain(&results) {
        places.push(emitter.new_place(*ty)?);
    }
    let result = places.split_off(params.len());
    Ok(Signature {
        label,
        params: places,
        result,
    })
}

/// Type of vISA and bytes of an argument.
fn input_type(module: &Module, function: &Function, ty: crate::ir::Type) -> Result<(VType, u32)> {
    let shape = module
        .types
        .shape(ty)
        .map(|(count, scalar)| (count, module.types.bits(scalar)));
    let visa = match shape {
        Some((_, 8)) => VType::B,
        Some((_, 16)) => VType::W,
        Some((_, 32)) => VType::D,
        Some((_, 64)) => VType::Q,
        _ => {
            let name = module.types.name(ty);
            let message = format!("an argument of type {name} is not supported");
            return Err(Diagnostic::new(Code::Argument, function.loc, message));
        }
    };
    let count = shape.map_or(1, |(count, _)| count);
    Ok((visa, count.saturating_mul(visa.bytes())))
}

/// Place of an argument: aligned, and in one register if it fits one.
fn place_input(object: &Object, function: &Function, bytes: u32, next: &mut u32) -> Result<Placed> {
    let align = bytes
        .clamp(1, object.grf)
        .next_power_of_two()
        .min(object.grf);
    let at = next.next_multiple_of(align);
    let end = u64::from(at) + u64::from(bytes);
    if end > u64::from(MAX_ARGUMENT_GRFS * object.grf) {
        let message = "the arguments are too large";
        return Err(Diagnostic::new(Code::Size, function.loc, message));
    }
    *next = at + bytes;
    Ok(Placed { offset: at, bytes })
}

/// Values of the launch that functions read.
fn implicit(module: &Module, functions: &[FunctionId]) -> Vec<Implicit> {
    const ALL: [Implicit; 4] = [
        Implicit::LocalIds,
        Implicit::LocalSize,
        Implicit::GroupCount,
        Implicit::PrintfBuffer,
    ];
    let mut wanted = [false; 4];
    for_intrinsics(module, functions, |kind, _, _| match kind {
        Kind::LocalId => wanted[0] = true,
        Kind::LocalSize => wanted[1] = true,
        Kind::GroupCount => wanted[2] = true,
        Kind::PrintBuffer => wanted[3] = true,
        _ => {}
    });
    ALL.into_iter()
        .zip(wanted)
        .filter_map(|(kind, wanted)| wanted.then_some(kind))
        .collect()
}

/// Bytes of shared local memory that the code asks for.
fn slm_init(module: &Module, functions: &[FunctionId]) -> u32 {
    let mut bytes = 0;
    for_intrinsics(module, functions, |kind, function, data| {
        if let (Kind::SlmInit, Some(arg)) = (kind, data.args.first()) {
            let said = function.as_bits(*arg).and_then(|n| u32::try_from(n).ok());
            bytes = bytes.max(said.unwrap_or(0));
        }
    });
    bytes
}

fn for_intrinsics(
    module: &Module,
    functions: &[FunctionId],
    mut each: impl FnMut(Kind, &crate::ir::Function, &crate::ir::InstData),
) {
    for id in functions {
        let function = &module.functions[*id];
        for block in &function.order {
            for inst in &function.blocks[*block].insts {
                let data = &function.insts[*inst];
                if let Op::Intrinsic(intrinsic) = data.op {
                    each(intrinsic.kind(), function, data);
                }
            }
        }
    }
}
