//! Arguments and results of calls with a stack that the convention has no registers for.
//!
//! Takes any function. Afterwards the arguments of a call with a stack take at most 32 registers and its result 12
//! ([`MAX_PASSED`]): an argument that is too wide for the rest is the address of a copy in the caller's private memory, and a
//! result that is too wide is written to a place there, whose address comes after the arguments. Types alone decide which these
//! are, so that both sides of a call by an address agree. The widest arguments go first, the first of equal ones before the others.
//! A structure as a result stays, and so does a call of a function that another module defines.

use std::collections::HashMap;

use smallvec::{SmallVec, smallvec};

use super::Context;
use super::builder::{Builder, rewrite};
use super::calls::MAX_PASSED;
use crate::error::Result;
use crate::ir::rules::{self, natural_align};
use crate::ir::{
    Function, FunctionId, Inst, InstData, Module, Op, Scalar, Type, TypeData, Types, Value,
};

/// Elements of `i1` in a dword, and its bytes.
const BITS: u32 = 32;
const DWORD: u32 = 4;

/// Arguments that are passed by their address, and whether the result is.
struct Plan {
    args: Vec<bool>,
    result: bool,
}

impl Plan {
    /// The plan for these types, unless all of them have registers.
    fn of(types: &Types, grf: u32, args: &[Type], result: Type) -> Option<Plan> {
        let [most, most_results] = MAX_PASSED;
        let grfs = |ty: Type| grfs(types, grf, ty);
        let mut plan = Plan {
            args: vec![false; args.len()],
            result: grfs(result) > most_results,
        };
        let mut taken: Vec<u32> = args.iter().map(|ty| grfs(*ty)).collect();
        let mut total = taken.iter().sum::<u32>() + u32::from(plan.result);
        while total > most {
            let widest = (0..taken.len()).rev().max_by_key(|at| taken[*at])?;
            if taken[widest] <= 1 {
                break;
            }
            total -= taken[widest] - 1;
            (taken[widest], plan.args[widest]) = (1, true);
        }
        (plan.result || plan.args.contains(&true)).then_some(plan)
    }
}

/// Registers of a value that is passed, as `emit/places.rs` counts them; 0 for what is in none.
fn grfs(types: &Types, grf: u32, ty: Type) -> u32 {
    let bytes = match types.shape(ty) {
        None => return 0,
        Some((count, Scalar::Int(1))) => count.div_ceil(BITS) * DWORD,
        Some((count, scalar)) => count * types.scalar_bytes(scalar),
    };
    bytes.div_ceil(grf).max(1)
}

/// Lets a function, and the calls in it, pass by address what has no registers.
///
/// # Errors
/// The function becomes too long.
pub fn lower(module: &mut Module, function: &mut Function, context: Context) -> Result<()> {
    let grf = context.platform.grf_bytes;
    if context.calls.stack[context.id] {
        receive(&mut module.types, function, grf);
    }
    let is_here = |id: FunctionId| id == context.id || !module.functions[id].is_declaration();
    let passed: HashMap<Inst, Plan> = {
        let insts = function.order.iter();
        let insts = insts.flat_map(|block| &function.blocks[*block].insts);
        insts
            .filter_map(|inst| {
                let data = &function.insts[*inst];
                let args = match data.op {
                    Op::Call(id) if context.calls.stack[id] && is_here(id) => &data.args[..],
                    Op::CallIndirect(_) => &data.args[1..],
                    _ => return None,
                };
                let args: Vec<Type> = args.iter().map(|arg| function.ty(*arg)).collect();
                Some((*inst, Plan::of(&module.types, grf, &args, data.ty)?))
            })
            .collect()
    };
    let mut places = Places::default();
    let wants = |_: &Types, _: &Function, inst: Inst| passed.contains_key(&inst);
    rewrite(&mut module.types, function, wants, |b| {
        let plan = &passed[&b.inst];
        pass(b, plan, &mut places);
        Ok(())
    })?;
    if let Some(entry) = function.order.first() {
        function.blocks[*entry].insts.splice(0..0, places.made);
    }
    Ok(())
}

/// Takes the arguments of a function from memory, and writes its result there.
fn receive(types: &mut Types, function: &mut Function, grf: u32) {
    let params = function.params.clone();
    let args: Vec<Type> = params.iter().map(|param| function.ty(*param)).collect();
    let Some(plan) = Plan::of(types, grf, &args, function.result) else {
        return;
    };
    let pointer = types.scalar(Scalar::Ptr(0));
    let mut loaded = HashMap::new();
    let mut loads = Vec::new();
    for (at, (param, ty)) in params.into_iter().zip(args).enumerate() {
        if !plan.args[at] {
            continue;
        }
        function.values[param].ty = pointer;
        let load = memory(types, function, Op::Load, smallvec![param], ty);
        loads.push(load);
        if let Some(value) = function.insts[load].result {
            loaded.insert(param, value);
        }
    }
    for block in &function.order {
        for inst in &function.blocks[*block].insts {
            for arg in &mut function.insts[*inst].args {
                *arg = loaded.get(arg).copied().unwrap_or(*arg);
            }
        }
    }
    if plan.result {
        let ty = std::mem::replace(&mut function.result, Types::VOID);
        let place = function.param(pointer, "kiln.result".into());
        for block in function.order.clone() {
            let Some(&last) = function.blocks[block].insts.last() else {
                continue;
            };
            if function.insts[last].op == Op::Ret {
                let value = std::mem::take(&mut function.insts[last].args)[0];
                let args = smallvec![value, place];
                let store = memory(types, function, Op::Store, args, Types::VOID);
                function.insts[store].align = natural_align(types, ty);
                let end = function.blocks[block].insts.len() - 1;
                function.blocks[block].insts.insert(end, store);
            }
        }
    }
    if let Some(entry) = function.order.first() {
        function.blocks[*entry].insts.splice(0..0, loads);
    }
}

/// An access of memory at the place of the function, aligned as its type is.
fn memory(
    types: &Types,
    function: &mut Function,
    op: Op,
    args: SmallVec<[Value; 3]>,
    ty: Type,
) -> Inst {
    function.make(InstData {
        loc: function.loc,
        align: natural_align(types, ty),
        ..rules::data(op, args, ty)
    })
}

/// Places in private memory, by their type and the number among the operands: calls use them one after the other.
#[derive(Default)]
struct Places {
    at: HashMap<(Type, usize), Value>,
    made: Vec<Inst>,
}

impl Places {
    fn of(&mut self, b: &mut Builder, ty: Type, number: usize) -> Value {
        if let Some(place) = self.at.get(&(ty, number)) {
            return *place;
        }
        let pointer = b.types.scalar(Scalar::Ptr(0));
        let one = b.function.bits(Types::I32, 1);
        let made = memory(b.types, b.function, Op::Alloca(ty), smallvec![one], pointer);
        b.function.insts[made].align = natural_align(b.types, ty);
        self.made.push(made);
        let none = b.function.constant(pointer, crate::ir::Const::Undef);
        let place = b.function.insts[made].result.unwrap_or(none);
        self.at.insert((ty, number), place);
        place
    }
}

/// Passes by address what a plan says.
fn pass(b: &mut Builder, plan: &Plan, places: &mut Places) {
    let data = b.function.insts[b.inst].clone();
    let first = data.args.len() - plan.args.len();
    let mut args = data.args;
    for (at, _) in plan.args.iter().enumerate().filter(|(_, by)| **by) {
        let value = args[first + at];
        let ty = b.function.ty(value);
        let place = places.of(b, ty, at);
        aligned(b, Op::Store, smallvec![value, place], Types::VOID, ty);
        args[first + at] = place;
    }
    let place = plan.result.then(|| places.of(b, data.ty, plan.args.len()));
    args.extend(place);
    let result = match place {
        Some(_) => Types::VOID,
        None => data.ty,
    };
    let op = match data.op {
        Op::CallIndirect(_) => {
            let params = args[first..]
                .iter()
                .map(|arg| b.function.ty(*arg))
                .collect();
            let ty = b.types.get(TypeData::Function(result, params, false));
            Op::CallIndirect(ty)
        }
        op => op,
    };
    match place {
        None => b.become_op(op, args),
        Some(place) => {
            b.add(op, args, Types::VOID);
            b.function.insts[b.inst].align = natural_align(b.types, data.ty);
            b.become_op(Op::Load, smallvec![place]);
        }
    }
}

/// Adds an access of memory that is aligned as a type is.
fn aligned(b: &mut Builder, op: Op, args: SmallVec<[Value; 3]>, ty: Type, like: Type) {
    b.add(op, args, ty);
    let align = natural_align(b.types, like);
    if let Some(last) = b.new.last() {
        b.function.insts[*last].align = align;
    }
}
