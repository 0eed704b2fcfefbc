//! Arguments of kernels that are numbers of 64 bits and addresses.
//!
//! Programs of explicit SIMD hand buffers over as numbers. A driver must know them as pointers, to keep the buffers where the device
//! can read them. An argument is one if its value gets to an access's address by sums, choices, conversions, regions, parts of
//! vectors, calls, or an allocation that it is stored in as a whole; products and shifts make no addresses. Source: the pass
//! `GenXDetectPointerArg` of the reference compiler, whose object files drivers take.

use std::collections::{HashMap, HashSet};

use super::kernels::{ArgKind, Kernel};
use crate::intrinsics::{Kind, lsc};
use crate::ir::{
    BinaryOp, Function, FunctionId, InstData, Module, Op, Scalar, Value, ValueDef, atomics,
};

/// Address spaces of addresses that are no argument's: shared local memory, code, and offsets of 32 bits.
const OTHERS: [u32; 3] = [3, 9, 6];
/// Numbers of the address among the operands of older messages, by the begin of a name; the first that fits.
const ADDRESSES: [(&str, usize); 6] = [
    ("genx.svm.block.", 0),
    ("genx.svm.gather4", 3),
    ("genx.svm.scatter4", 3),
    ("genx.svm.gather", 2),
    ("genx.svm.scatter", 2),
    ("genx.svm.atomic.", 1),
];
/// Number of the address among the operands of a block of two dimensions.
const OF_BLOCK: usize = 9;

/// Makes pointers of the numbers that are addresses.
pub fn mark(module: &Module, kernels: &mut [Kernel]) {
    let mut trace = Trace {
        module,
        calls: HashMap::new(),
        stored: HashMap::new(),
        called: HashSet::new(),
        seen: HashSet::new(),
        work: Vec::new(),
    };
    for (id, function) in &module.functions {
        let insts = function.order.iter();
        let insts = insts.flat_map(|block| &function.blocks[*block].insts);
        for data in insts.map(|inst| &function.insts[*inst]) {
            if let Op::Call(callee) = data.op {
                let calls = trace.calls.entry(callee).or_default();
                calls.push((id, data.args.to_vec()));
            }
            if data.op == Op::Store && is_allocation(function, data.args[1]) {
                let stored = trace.stored.entry((id, data.args[1])).or_default();
                stored.push(data.args[0]);
            }
            let address = address(data).and_then(|at| data.args.get(at));
            trace.work.extend(address.map(|value| (id, *value)));
        }
    }
    let found = trace.params();
    for kernel in kernels {
        let function = &module.functions[kernel.function];
        for (at, arg) in kernel.args.iter_mut().enumerate() {
            let param = function.params[at];
            let is_long = module.types.shape(function.ty(param)) == Some((1, Scalar::Int(64)));
            if arg.kind == ArgKind::Value && is_long && found.contains(&(kernel.function, at)) {
                arg.kind = ArgKind::Pointer;
            }
        }
    }
}

/// Number of the operand that is an address of memory.
fn address(data: &InstData) -> Option<usize> {
    let Op::Intrinsic(intrinsic) = data.op else {
        return match data.op {
            Op::Load => Some(0),
            Op::Store => Some(1),
            _ => None,
        };
    };
    match intrinsic.kind() {
        Kind::Lsc(message) if message.memory == lsc::Memory::Stateless => {
            Some(message.address.into())
        }
        Kind::LscBlock(_) => Some(OF_BLOCK),
        Kind::Ordered(_) => Some(usize::from(intrinsic.name() == atomics::STORE)),
        _ => {
            let mut rows = ADDRESSES.iter();
            let row = rows.find(|(begin, _)| intrinsic.name().starts_with(begin));
            row.map(|(_, at)| *at)
        }
    }
}

/// Values that may be addresses, back to the parameters that they are made of.
struct Trace<'a> {
    module: &'a Module,
    /// Arguments of the calls of a function, each with the function that it is in.
    calls: HashMap<FunctionId, Vec<(FunctionId, Vec<Value>)>>,
    /// Values that are stored in an allocation as a whole, until it is loaded from.
    stored: HashMap<(FunctionId, Value), Vec<Value>>,
    /// Functions whose results may be addresses.
    called: HashSet<FunctionId>,
    seen: HashSet<(FunctionId, Value)>,
    work: Vec<(FunctionId, Value)>,
}

impl Trace<'_> {
    /// Functions and numbers of the parameters.
    fn params(mut self) -> HashSet<(FunctionId, usize)> {
        let mut found = HashSet::new();
        while let Some((id, value)) = self.work.pop() {
            let function = &self.module.functions[id];
            if !self.may_be_address(function, value) || !self.seen.insert((id, value)) {
                continue;
            }
            match function.values[value].def {
                ValueDef::Param(at) => {
                    let at = at as usize;
                    found.insert((id, at));
                    let calls = self.calls.get(&id).into_iter().flatten();
                    let args = calls.filter_map(|(from, args)| Some((*from, *args.get(at)?)));
                    self.work.extend(args);
                }
                ValueDef::Inst(inst) => {
                    let data = &function.insts[inst];
                    match data.op {
                        Op::Call(callee) if self.called.insert(callee) => {
                            self.work.extend(results(self.module, callee));
                        }
                        Op::Call(_) => {}
                        Op::Load => {
                            let stored = self.stored.remove(&(id, data.args[0]));
                            let stored = stored.into_iter().flatten();
                            self.work.extend(stored.map(|value| (id, value)));
                        }
                        _ => {
                            let from = sources(data);
                            self.work.extend(from.into_iter().map(|value| (id, value)));
                        }
                    }
                }
                _ => {}
            }
        }
        found
    }

    fn may_be_address(&self, function: &Function, value: Value) -> bool {
        match self.module.types.element(function.ty(value)) {
            Some(Scalar::Ptr(space)) => !OTHERS.contains(&space),
            scalar => scalar == Some(Scalar::Int(64)),
        }
    }
}

/// Values that a function gives.
fn results(module: &Module, id: FunctionId) -> Vec<(FunctionId, Value)> {
    let function = &module.functions[id];
    let ends = function.order.iter();
    let ends = ends.filter_map(|block| function.blocks[*block].insts.last());
    let ends = ends.map(|last| &function.insts[*last]);
    ends.filter(|data| data.op == Op::Ret)
        .flat_map(|data| data.args.iter().map(|value| (id, *value)))
        .collect()
}

/// Values that an address is made of by an instruction.
fn sources(data: &InstData) -> Vec<Value> {
    use BinaryOp::{AShr, LShr, Mul, SDiv, SRem, Shl, UDiv, URem};
    match data.op {
        Op::Binary(Mul | UDiv | SDiv | URem | SRem | Shl | LShr | AShr) => Vec::new(),
        Op::Gep(_) => data.args[..1].to_vec(),
        Op::Intrinsic(intrinsic) => match intrinsic.kind() {
            Kind::ReadRegion => data.args[..1].to_vec(),
            Kind::WriteRegion => data.args[..2].to_vec(),
            _ => Vec::new(),
        },
        Op::CallIndirect(_) | Op::Asm(_) | Op::Alloca(_) => Vec::new(),
        _ => data.args.to_vec(),
    }
}

fn is_allocation(function: &Function, place: Value) -> bool {
    let made = function.inst_of(place);
    made.is_some_and(|inst| matches!(function.insts[inst].op, Op::Alloca(_)))
}
