//! The vISA module: an object for each kernel, with the subroutines that it calls.

use std::collections::HashMap;

use kiln_frontend::build::Builder;
use kiln_frontend::module::{AttrValue, Object as VObject, Type as VType, Var};
use kiln_target::platform::Platform;

use super::function::{Emitter, Place, Shared, Signature};
use super::object::Object;
use crate::error::{Code, Diagnostic, Result};
use crate::intrinsics::Kind;
use crate::ir::{Const, FunctionId, Module, Op, Scalar, TypeData, ValueDef};
use crate::passes::kernels::{ArgKind, Kernel};

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
    pub args: Vec<Argument>,
    /// Local ids, local size, group count, if the kernel reads them.
    pub implicit: [Option<Placed>; 3],
}

/// Bytes of a module variable that is kept in registers.
const MAX_GLOBAL: u64 = 4096;
/// Dimensions of a launch.
const DIMENSIONS: u32 = 3;

/// Functions that a kernel reaches by calls, callees first.
fn reached(module: &Module, from: FunctionId) -> Result<Vec<FunctionId>> {
    let mut order = Vec::new();
    // 1 under way, 2 done.
    let mut state: HashMap<FunctionId, u8> = HashMap::new();
    let mut work = vec![(from, false)];
    while let Some((id, done)) = work.pop() {
        if done {
            state.insert(id, 2);
            order.push(id);
            continue;
        }
        if state.contains_key(&id) {
            continue;
        }
        state.insert(id, 1);
        work.push((id, true));
        let function = &module.functions[id];
        for block in &function.order {
            for inst in &function.blocks[*block].insts {
                let data = &function.insts[*inst];
                let Op::Call(callee) = data.op else { continue };
                if state.get(&callee) == Some(&1) {
                    let name = &module.functions[callee].name;
                    let message =
                        format!("function @{name} calls itself: recursion is not supported");
                    return Err(Diagnostic::new(Code::Call, data.loc, message));
                }
                if module.functions[callee].is_declaration() {
                    let name = &module.functions[callee].name;
                    let message = format!("function @{name} has no definition");
                    return Err(Diagnostic::new(Code::Callee, data.loc, message));
                }
                work.push((callee, false));
            }
        }
    }
    Ok(order)
}

/// Makes the object of a kernel.
pub fn kernel(
    module: &Module,
    kernel: &Kernel,
    platform: &'static Platform,
) -> Result<(VObject, Interface)> {
    let functions = reached(module, kernel.function)?;
    let grf = platform.grf_bytes;
    let mut builder = Builder::explicit_kernel(&kernel.name);
    let slm = kernel.slm.max(slm_init(module, &functions));
    builder.attr("SLMSize", AttrValue::Int(slm.div_ceil(1024).into()));
    let mut shared = Shared {
        module,
        platform,
        object: Object::new(builder, grf),
        subroutines: HashMap::new(),
        globals: HashMap::new(),
        implicit: [None; 3],
    };
    let mut interface = Interface {
        name: kernel.name.to_string(),
        slm,
        args: Vec::new(),
        implicit: [None; 3],
    };
    // The header, and a register for local ids.
    let mut next = 2 * grf;
    let wanted = implicit(module, &functions);
    for i in (0..3).filter(|i| wanted[*i]) {
        let (ty, at) = match i {
            0 => (VType::Uw, grf),
            _ => (VType::Ud, next.next_multiple_of(4)),
        };
        let bytes = DIMENSIONS * ty.bytes();
        let at = if i > 0 && at / grf != (at + bytes - 1) / grf {
            at.next_multiple_of(grf)
        } else {
            at
        };
        let var = shared.object.var(ty, bytes);
        shared.object.builder.input(var, at as u16);
        shared.implicit[i] = Some(var);
        interface.implicit[i] = Some(Placed { offset: at, bytes });
        if i > 0 {
            next = at + bytes;
        }
    }
    let mut function = module.functions[kernel.function].clone();
    let mut inputs: Vec<Option<Var>> = Vec::new();
    let (mut surfaces, mut samplers) = (0, 0);
    for (param, arg) in function.params.clone().into_iter().zip(&kernel.args) {
        let ty = function.ty(param);
        let counter = match arg.kind {
            ArgKind::Buffer | ArgKind::Image(_) => Some(&mut surfaces),
            ArgKind::Sampler => Some(&mut samplers),
            ArgKind::Value | ArgKind::Pointer => None,
        };
        if let Some(counter) = counter {
            let number = *counter;
            *counter += 1;
            function.values[param].def = ValueDef::Const(Const::Bits(number.into()));
            inputs.push(None);
            interface.args.push(Argument {
                arg: arg.clone(),
                place: None,
                number: Some(number),
            });
            continue;
        }
        let (var, place) = input(module, &mut shared.object, &function, ty, &mut next)?;
        inputs.push(Some(var));
        interface.args.push(Argument {
            arg: arg.clone(),
            place: Some(place),
            number: None,
        });
    }
    for id in &functions {
        if *id != kernel.function {
            let signature = signature(&mut shared, *id)?;
            shared.subroutines.insert(*id, signature);
        }
    }
    let mut types = module.types.clone();
    crate::passes::simplify::simplify(&mut types, &mut function);
    globals(&mut shared, &functions);
    let mut emitter = Emitter::new(&mut shared, &function, None)?;
    for (param, var) in function.params.iter().zip(&inputs) {
        if let Some(var) = var {
            emitter.bind(*param, Place::Var(*var));
        }
    }
    emitter.emit()?;
    for id in &functions {
        if *id == kernel.function {
            continue;
        }
        let function = &module.functions[*id];
        let Some(signature) = shared.subroutines.get(id).cloned() else {
            continue;
        };
        shared.object.builder.define(signature.label);
        let params = signature.params.clone();
        let mut emitter = Emitter::new(&mut shared, function, Some(signature))?;
        for (param, place) in function.params.iter().zip(params) {
            emitter.bind(*param, place);
        }
        emitter.emit()?;
    }
    let object = shared.object.builder.finish();
    let object = object.map_err(|e| Diagnostic::new(Code::Rule, function.loc, e.to_string()))?;
    Ok((object, interface))
}

/// Makes variables of the module's variables that functions read or write, with their first values.
fn globals(shared: &mut Shared, functions: &[FunctionId]) {
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
        for (at, part) in (0u32..).step_by(4).zip(init.chunks(4)) {
            let bits = part.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
            let dst = super::operand::Dst::Var {
                var,
                ty: VType::Ud,
                layout: super::operand::Layout::same(at),
            };
            let _ = shared
                .object
                .copy(dst, super::function::imm(VType::Ud, bits), 1);
        }
    }
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

/// Declares an argument: aligned, and in one register if it fits one.
fn input(
    module: &Module,
    object: &mut Object,
    function: &crate::ir::Function,
    ty: crate::ir::Type,
    next: &mut u32,
) -> Result<(Var, Placed)> {
    let shape = module
        .types
        .shape(ty)
        .filter(|(_, scalar)| *scalar != Scalar::Int(1));
    let Some((count, scalar)) = shape else {
        let name = module.types.name(ty);
        let message = format!("an argument of type {name} is not supported");
        return Err(Diagnostic::new(Code::Argument, function.loc, message));
    };
    let visa = match module.types.bits(scalar) {
        8 => VType::B,
        16 => VType::W,
        32 => VType::D,
        64 => VType::Q,
        _ => {
            let name = module.types.name(ty);
            let message = format!("an argument of type {name} is not supported");
            return Err(Diagnostic::new(Code::Argument, function.loc, message));
        }
    };
    let bytes = count * visa.bytes();
    let align = bytes.next_power_of_two().min(object.grf);
    let at = next.next_multiple_of(align);
    let end = u64::from(at) + u64::from(bytes);
    if end > u64::from(128 * object.grf / 2) {
        let message = "the arguments are too large";
        return Err(Diagnostic::new(Code::Size, function.loc, message));
    }
    let var = object.var(visa, bytes);
    object.builder.input(var, at as u16);
    *next = at + bytes;
    Ok((var, Placed { offset: at, bytes }))
}

/// Values of the launch that functions read: local ids, local size, group count.
fn implicit(module: &Module, functions: &[FunctionId]) -> [bool; 3] {
    let mut wanted = [false; 3];
    for_intrinsics(module, functions, |kind, _, _| match kind {
        Kind::LocalId => wanted[0] = true,
        Kind::LocalSize => wanted[1] = true,
        Kind::GroupCount => wanted[2] = true,
        _ => {}
    });
    wanted
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
