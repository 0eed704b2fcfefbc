//! Functions that kernels reach, and those of them that are called with a stack.
//!
//! A function is called with a stack if it calls itself, by way of others too, if its address is used, if it allocates memory of
//! a variable size, or if an attribute says so and its arguments fit into registers, or if another module defines it. All others
//! become subroutines. A function that calls itself is in a strongly connected component of the call graph (Tarjan, "Depth-First
//! Search and Linear Graph Algorithms").

use cranelift_entity::SecondaryMap;
use smallvec::SmallVec;

use super::allocations;
use super::kernels::Kernel;
use super::printf;
use crate::error::{Code, Diagnostic, Loc, Result};
use crate::ir::{Function, FunctionId, Module, Op, TypeData, Types, ValueDef};

/// Attributes of a function that is called with a stack.
const ATTRIBUTES: [&str; 2] = ["CMStackCall", "VCStackCall"];
/// Parts of the names of functions that no other module defines: those of SPIR-V, and those that print.
const REFUSED: [&str; 3] = ["__spirv_", "printf", "__vc_"];
/// Registers of 32 bytes for the arguments and for the result of a call with a stack.
pub const MAX_PASSED: [u32; 2] = [32, 12];

/// The functions of a module that are compiled.
pub struct Calls {
    /// In the order in which they are reached.
    pub reached: Vec<FunctionId>,
    /// True for those that are called with a stack.
    pub stack: SecondaryMap<FunctionId, bool>,
    /// True for those that call themselves.
    pub recursive: SecondaryMap<FunctionId, bool>,
    /// True if calls of addresses are among them.
    pub indirect: bool,
    /// Functions that another module must define, each with the place of a use.
    pub undefined: Vec<(FunctionId, Loc)>,
}

impl Calls {
    /// Warnings of functions that no module at hand defines.
    pub fn warnings(&self, module: &Module) -> Vec<Diagnostic> {
        let warning = |&(id, loc): &(FunctionId, Loc)| {
            let name = &module.functions[id].name;
            let message = format!("function @{name} is not defined here: a loader must find it");
            *Diagnostic::new(Code::Undefined, loc, message)
        };
        self.undefined.iter().map(warning).collect()
    }

    /// Removes the code of all other functions.
    pub fn remove_others(&self, module: &mut Module) {
        let mut reached: SecondaryMap<FunctionId, bool> = SecondaryMap::new();
        self.reached.iter().for_each(|id| reached[*id] = true);
        for (id, function) in &mut module.functions {
            if !reached[id] {
                function.order.clear();
            }
        }
    }
}

/// Finds the functions that kernels reach.
///
/// # Errors
/// A function is called that can have no definition, or that is a kernel.
pub fn find(module: &Module, kernels: &[Kernel]) -> Result<Calls> {
    let mut calls = Calls {
        reached: Vec::new(),
        stack: SecondaryMap::new(),
        recursive: SecondaryMap::new(),
        indirect: false,
        undefined: Vec::new(),
    };
    let mut seen: SecondaryMap<FunctionId, bool> = SecondaryMap::new();
    let mut kernel: SecondaryMap<FunctionId, bool> = SecondaryMap::new();
    let mut callees: SecondaryMap<FunctionId, Vec<FunctionId>> = SecondaryMap::new();
    let mut work: Vec<FunctionId> = kernels.iter().rev().map(|k| k.function).collect();
    work.iter().for_each(|id| kernel[*id] = true);
    while let Some(id) = work.pop() {
        if std::mem::replace(&mut seen[id], true) {
            continue;
        }
        calls.reached.push(id);
        let function = &module.functions[id];
        each_use(module, function, |user, loc| {
            let (callee, is_call) = user;
            let named = &module.functions[callee];
            let error = |code, what: &str| {
                Err(Diagnostic::new(
                    code,
                    loc,
                    format!("function @{} {what}", named.name),
                ))
            };
            if named.is_declaration() {
                // Records of the driver's buffer take its place.
                if is_call && printf::prints(&named.name) {
                    return Ok(());
                }
                // A loader finds it by its name.
                if is_refused(&named.name) {
                    return error(Code::Callee, "has no definition");
                }
                if !std::mem::replace(&mut calls.stack[callee], true) {
                    calls.undefined.push((callee, loc));
                }
                return Ok(());
            }
            if kernel[callee] {
                return error(Code::Call, "is a kernel: it cannot be called");
            }
            match is_call {
                true => callees[id].push(callee),
                false => calls.stack[callee] = true,
            }
            work.push(callee);
            Ok(())
        })?;
        calls.indirect |= insts(function).any(|data| matches!(data.op, Op::CallIndirect(_)));
    }
    components(&calls.reached, &callees, &mut calls.recursive);
    for &id in &calls.reached {
        let function = &module.functions[id];
        let asked = ATTRIBUTES
            .iter()
            .any(|name| Module::attr(&function.attrs, name).is_some());
        let asked = asked && !kernel[id] && fits(&module.types, function);
        let grows = !kernel[id] && allocations::has_variable(function);
        calls.stack[id] |= calls.recursive[id] || grows || asked;
    }
    Ok(calls)
}

/// True for the name of a function that no other module defines.
pub fn is_refused(name: &str) -> bool {
    REFUSED.iter().any(|word| name.contains(word))
}

/// True if the arguments and the result of a function are passed in registers.
fn fits(types: &Types, function: &Function) -> bool {
    let grfs = |ty| match types.layout(ty) {
        Some((bytes, _))
            if !matches!(types.data(ty), TypeData::Struct(..) | TypeData::Array(..)) =>
        {
            Some(bytes.div_ceil(32))
        }
        _ => None,
    };
    let sum = function
        .params
        .iter()
        .map(|p| grfs(function.ty(*p)))
        .sum::<Option<u64>>();
    let result = match function.result {
        Types::VOID => Some(0),
        ty => grfs(ty),
    };
    let within = |n: Option<u64>, i: usize| n.is_some_and(|n| n <= MAX_PASSED[i].into());
    within(sum, 0) && within(result, 1) && function.byval.iter().all(Option::is_none)
}

fn insts(function: &Function) -> impl Iterator<Item = &crate::ir::InstData> {
    let blocks = function
        .order
        .iter()
        .flat_map(|b| &function.blocks[*b].insts);
    blocks.map(|inst| &function.insts[*inst])
}

/// Calls `each` with the functions that a function calls (true) or whose address it uses, by a variable, too.
fn each_use(
    module: &Module,
    function: &Function,
    mut each: impl FnMut((FunctionId, bool), Loc) -> Result<()>,
) -> Result<()> {
    for data in insts(function) {
        if let Op::Call(callee) = data.op {
            each((callee, true), data.loc)?;
        }
        for arg in &data.args {
            match function.values[*arg].def {
                ValueDef::Function(id) => each((id, false), data.loc)?,
                ValueDef::Global(id) => {
                    for (_, function) in &module.globals[id].functions {
                        each((*function, false), data.loc)?;
                    }
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Marks the functions that are in a cycle of calls.
fn components(
    reached: &[FunctionId],
    callees: &SecondaryMap<FunctionId, Vec<FunctionId>>,
    recursive: &mut SecondaryMap<FunctionId, bool>,
) {
    // Number of each function, the least that it reaches, and true while its component is open.
    let mut number: SecondaryMap<FunctionId, u32> = SecondaryMap::new();
    let mut least: SecondaryMap<FunctionId, u32> = SecondaryMap::new();
    let mut open: SecondaryMap<FunctionId, bool> = SecondaryMap::new();
    let mut stack: Vec<FunctionId> = Vec::new();
    let mut next = 1;
    for &root in reached {
        let mut work: Vec<(FunctionId, usize)> = vec![(root, 0)];
        while let Some((id, n)) = work.pop() {
            if n == 0 {
                if number[id] != 0 {
                    continue;
                }
                number[id] = next;
                least[id] = next;
                next += 1;
                open[id] = true;
                stack.push(id);
            }
            if let Some(&callee) = callees[id].get(n) {
                work.push((id, n + 1));
                if number[callee] == 0 {
                    work.push((callee, 0));
                } else if open[callee] {
                    least[id] = least[id].min(number[callee]);
                }
                continue;
            }
            if let Some(&(parent, _)) = work.last() {
                least[parent] = least[parent].min(least[id]);
            }
            if least[id] == number[id] {
                let mut members: SmallVec<[FunctionId; 4]> = SmallVec::new();
                while let Some(member) = stack.pop() {
                    open[member] = false;
                    members.push(member);
                    if member == id {
                        break;
                    }
                }
                let cycle = members.len() > 1 || callees[id].contains(&id);
                members.iter().for_each(|member| recursive[*member] = cycle);
            }
        }
    }
}
