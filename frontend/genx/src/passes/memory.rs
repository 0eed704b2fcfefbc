//! Memory of a thread, and addresses.
//!
//! Takes any function. Afterwards there is no `alloca` and no `getelementptr`: what a thread allocates is a value, an
//! array of which parts are named by variables one vector with indirect regions. Values are put into SSA form with
//! phis where control flow meets and the value is still wanted (Cytron et al., pruned by liveness; superfluous phis
//! go in `simplify`). One whose address is used in another way is a part of the function's frame in private memory.
//! Constants of the module are values; its variables are read and written as a whole by `vload` and `vstore`. Loads and
//! stores of other memory become messages: to the whole address space, or to shared local memory.

use std::collections::HashMap;

use cranelift_entity::SecondaryMap;
use kiln_platform::platform::{MessageFamily, Platform};
use smallvec::{SmallVec, smallvec};

use crate::error::{Code, Diagnostic, Result};
use crate::intrinsics::{Intrinsic, Kind};
use crate::ir::rules;
use crate::ir::types::MAX_BYTES;
use crate::ir::{
    BinaryOp, Block, CastOp, Const, Function, FunctionId, Inst, InstData, Module, Op, Scalar, Type,
    TypeData, Types, Value, ValueDef,
};

/// Bytes of a function's frame in private memory.
const MAX_FRAME: u64 = 1 << 20;
/// Alignment of an allocation in a frame, at least and at most.
pub(super) const ALIGNMENT: std::ops::RangeInclusive<u64> = 16..=256;
/// Address space of shared local memory.
pub(super) const LOCAL: u32 = 3;
/// Address space of memory that all threads share.
const SHARED: u32 = 1;
/// Attributes of variables that are kept in registers.
const REGISTER_ATTRIBUTES: [&str; 3] = ["genx_volatile", "VCVolatile", "VCGlobalVariable"];

/// An allocation that becomes a value.
struct Variable {
    /// Type of the value.
    ty: Type,
    /// Bytes of an element, if it is a vector of integers of that size.
    element: Option<u32>,
    module: Option<OfModule>,
}

/// A global variable.
enum OfModule {
    /// A variable that never changes: its elements, and the functions whose addresses are at some of its bytes.
    Constant(Box<[u64]>, Vec<(u32, FunctionId)>),
    /// Address of the variable.
    Variable(Value),
}

/// The target of a pointer.
#[derive(Clone, Copy)]
struct Place {
    variable: usize,
    offset: i64,
    /// Offset in bytes that is a variable, of 32 bits.
    dynamic: Option<Value>,
}

/// Promotes the allocations of a function to values, and makes messages of its other accesses.
///
/// # Errors
/// An allocation has no size or is too large; an access is not supported.
pub fn lower(module: &mut Module, function: &mut Function, platform: &Platform) -> Result<()> {
    let globals = function.values.keys();
    let globals = globals.filter(|v| matches!(function.values[*v].def, ValueDef::Global(_)));
    let globals: Vec<Value> = globals.collect();
    let touches = |data: &InstData| {
        matches!(data.op, Op::Alloca(_) | Op::Gep(_) | Op::Load | Op::Store)
            || matches!(&data.op, Op::Intrinsic(i)
                if matches!(i.kind(), Kind::Load | Kind::Store | Kind::Ordered(_) | Kind::Masked(_)))
    };
    let mut insts = function
        .order
        .iter()
        .flat_map(|block| &function.blocks[*block].insts);
    if globals.is_empty() && !insts.any(|inst| touches(&function.insts[*inst])) {
        return Ok(());
    }
    let mut pass = Memory::new(module, function);
    pass.has_local_blocks = platform.memory == MessageFamily::LoadStore;
    pass.find()?;
    pass.find_globals(&globals)?;
    pass.rewrite()?;
    function.frame = pass.frame as u32;
    Ok(())
}

/// Marks the globals whose address is used in a function other than to read and write them.
pub fn find_addresses(module: &mut Module, function: &mut Function) {
    let globals = function.values.keys();
    let globals = globals.filter(|v| matches!(function.values[*v].def, ValueDef::Global(_)));
    let globals: Vec<Value> = globals.collect();
    if globals.is_empty() {
        return;
    }
    let uses = crate::emit::uses(function);
    let mut pass = Memory::new(module, function);
    for pointer in globals {
        let ValueDef::Global(id) = pass.function.values[pointer].def else {
            continue;
        };
        let size = pass.module.types.layout(pass.module.globals[id].ty);
        let global = &pass.module.globals[id];
        let own = REGISTER_ATTRIBUTES
            .iter()
            .any(|name| Module::attr(&global.attrs, name).is_some());
        // Other threads see what is written there.
        let seen = global.space == LOCAL || (global.space == SHARED && !global.constant && !own);
        let fits = !seen && size.is_some_and(|(size, _)| (1..=MAX_BYTES).contains(&size));
        let bytes = size.map_or(0, |(size, _)| size);
        if !uses[pointer].is_empty()
            && (!fits || pass.variable(None, pointer, bytes, &uses).is_err())
        {
            pass.module.globals[id].in_memory = true;
        }
    }
}

pub(super) struct Memory<'a> {
    pub(super) module: &'a mut Module,
    pub(super) function: &'a mut Function,
    variables: Vec<Variable>,
    places: SecondaryMap<Value, Option<Place>>,
    /// Value of each variable at this point.
    current: Vec<Option<Value>>,
    pub(super) new: Vec<Inst>,
    /// Instruction that is replaced.
    at: Option<Inst>,
    /// Bytes of the frame, and where in it allocations are.
    frame: u64,
    frames: HashMap<Inst, u64>,
    /// True if a block of shared local memory is one message.
    pub(super) has_local_blocks: bool,
    /// Results of atomic exchanges: the old value, and true if it was exchanged.
    pub(super) exchanged: HashMap<Value, [Value; 2]>,
}

/// Value and pointer of a load or a store.
fn access(data: &InstData) -> Option<(Option<Value>, Value)> {
    match &data.op {
        Op::Load => Some((None, data.args[0])),
        Op::Store => Some((Some(data.args[0]), data.args[1])),
        Op::Intrinsic(intrinsic) => match intrinsic.kind() {
            Kind::Load => Some((None, *data.args.first()?)),
            Kind::Store => Some((Some(*data.args.first()?), *data.args.get(1)?)),
            _ => None,
        },
        _ => None,
    }
}

impl<'a> Memory<'a> {
    /// The pass over a function, with no variables yet.
    fn new(module: &'a mut Module, function: &'a mut Function) -> Memory<'a> {
        Memory {
            module,
            function,
            variables: Vec::new(),
            places: SecondaryMap::new(),
            current: Vec::new(),
            new: Vec::new(),
            at: None,
            frame: 0,
            frames: HashMap::new(),
            has_local_blocks: false,
            exchanged: HashMap::new(),
        }
    }

    /// Finds the globals. One whose address is used in another way is left alone.
    fn find_globals(&mut self, globals: &[Value]) -> Result<()> {
        let uses = crate::emit::uses(self.function);
        for &pointer in globals {
            let ValueDef::Global(id) = self.function.values[pointer].def else {
                continue;
            };
            let global = &self.module.globals[id];
            let (ty, constant, init) = (global.ty, global.constant, global.init.clone());
            let functions = global.functions.clone();
            let size = self.module.types.layout(ty).map(|(size, _)| size);
            let Some(bytes) = size.filter(|size| (1..=MAX_BYTES).contains(size)) else {
                continue;
            };
            if self.module.globals[id].in_memory {
                continue;
            }
            let Ok(found) = self.variable(None, pointer, bytes, &uses) else {
                continue;
            };
            if let (true, Some((user, _))) =
                (self.module.globals[id].addresses, uses[pointer].first())
            {
                let name = &self.module.globals[id].name;
                let message =
                    format!("variable @{name} is not supported: its initializer has addresses");
                return self.error(*user, Code::Memory, message);
            }
            let element = found.element.unwrap_or(1);
            let count = (bytes / u64::from(element)) as u32;
            let ty = self
                .module
                .types
                .shaped(Some(count), Scalar::Int(element * 8));
            let of_module = match init {
                Some(data) if constant => {
                    let parts = data.chunks(element as usize).take(count as usize);
                    let number =
                        |part: &[u8]| part.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
                    OfModule::Constant(parts.map(number).collect(), functions)
                }
                _ => OfModule::Variable(pointer),
            };
            self.places[pointer] = Some(Place {
                variable: self.variables.len(),
                offset: 0,
                dynamic: None,
            });
            self.variables.push(Variable {
                ty,
                element: Some(element),
                module: Some(of_module),
            });
        }
        Ok(())
    }

    pub(super) fn error<T>(&self, inst: Inst, code: Code, message: impl Into<String>) -> Result<T> {
        Err(Diagnostic::new(
            code,
            self.function.insts[inst].loc,
            message,
        ))
    }

    /// Finds the allocations, and the loads and stores of each.
    fn find(&mut self) -> Result<()> {
        let uses = crate::emit::uses(self.function);
        for block in self.function.order.clone() {
            for inst in self.function.blocks[block].insts.clone() {
                let Op::Alloca(ty) = self.function.insts[inst].op else {
                    continue;
                };
                let data = &self.function.insts[inst];
                let count = self.function.as_bits(data.args[0]);
                let (Some(count), Some((size, natural))) = (count, self.module.types.layout(ty))
                else {
                    return self.error(
                        inst,
                        Code::Memory,
                        "an allocation of a type without a size",
                    );
                };
                let bytes = size.saturating_mul(count);
                let Some(pointer) = data.result else { continue };
                let align = natural.max(data.align.into()).next_power_of_two();
                let found = match bytes <= MAX_BYTES {
                    true => self.variable(Some(inst), pointer, bytes, &uses).ok(),
                    false => None,
                };
                let Some(variable) = found else {
                    let at = self
                        .frame
                        .next_multiple_of(align.clamp(*ALIGNMENT.start(), *ALIGNMENT.end()));
                    let end = at.saturating_add(bytes);
                    if end > MAX_FRAME {
                        let message =
                            format!("allocations of {end} bytes: {MAX_FRAME} are possible");
                        return self.error(inst, Code::Size, message);
                    }
                    self.frame = end.next_multiple_of(*ALIGNMENT.start());
                    self.frames.insert(inst, at);
                    continue;
                };
                self.places[pointer] = Some(Place {
                    variable: self.variables.len(),
                    offset: 0,
                    dynamic: None,
                });
                self.variables.push(variable);
            }
        }
        Ok(())
    }

    /// The value that an allocation becomes, by its accesses.
    fn variable(
        &mut self,
        alloca: Option<Inst>,
        pointer: Value,
        bytes: u64,
        uses: &crate::emit::Uses,
    ) -> Result<Variable> {
        let mut work = vec![(pointer, true)];
        let mut accessed: Vec<Type> = Vec::new();
        let mut whole = true;
        while let Some((pointer, at_start)) = work.pop() {
            for &(user, arg) in &uses[pointer] {
                let data = &self.function.insts[user];
                match &data.op {
                    Op::Cast(CastOp::BitCast | CastOp::AddrSpaceCast) => {
                        work.extend(data.result.map(|result| (result, at_start)));
                    }
                    Op::Gep(_) if arg == 0 => {
                        let zero = data.args[1..]
                            .iter()
                            .all(|i| self.function.as_bits(*i) == Some(0));
                        work.extend(data.result.map(|result| (result, at_start && zero)));
                    }
                    _ => {
                        match access(data) {
                            Some((value, to)) if to == pointer && value != Some(pointer) => {
                                let ty = value.map_or(data.ty, |value| self.function.ty(value));
                                whole &= at_start;
                                accessed.push(ty);
                            }
                            _ => {
                                return self.error(user, Code::Memory, "the address of an allocation is used here, which is not supported");
                            }
                        }
                    }
                }
            }
        }
        let types = &self.module.types;
        if let Some(first) = accessed.first()
            && whole
            && alloca.is_some()
            && accessed.iter().all(|ty| ty == first)
            && types.shape(*first).is_some()
        {
            return Ok(Variable {
                ty: *first,
                element: None,
                module: None,
            });
        }
        let mut element = 8;
        for ty in &accessed {
            let Some((_, scalar)) = types.shape(*ty).filter(|(_, s)| *s != Scalar::Int(1)) else {
                let name = types.name(*ty);
                let at = alloca.or_else(|| uses[pointer].first().map(|u| u.0));
                let Some(at) = at else { break };
                return self.error(
                    at,
                    Code::Memory,
                    format!("an access of type {name} in an allocation is not supported"),
                );
            };
            element = element.min(types.scalar_bytes(scalar));
        }
        while !bytes.is_multiple_of(u64::from(element)) {
            element /= 2;
        }
        let count = (bytes / u64::from(element)).max(1) as u32;
        let ty = self
            .module
            .types
            .shaped(Some(count), Scalar::Int(element * 8));
        Ok(Variable {
            ty,
            element: Some(element),
            module: None,
        })
    }

    /// Variables that are wanted at the start of each block.
    fn live_in(&self) -> SecondaryMap<Block, Vec<bool>> {
        let count = self.variables.len();
        let mut reads: SecondaryMap<Block, Vec<bool>> = SecondaryMap::new();
        let mut kills: SecondaryMap<Block, Vec<bool>> = SecondaryMap::new();
        // Pointers to variables are followed from their definitions.
        let mut of: SecondaryMap<Value, Option<usize>> = SecondaryMap::new();
        for value in self.function.values.keys() {
            of[value] = self.places[value].map(|place| place.variable);
        }
        for &block in &self.function.reverse_postorder() {
            let (mut read, mut kill) = (vec![false; count], vec![false; count]);
            for &inst in &self.function.blocks[block].insts {
                let data = &self.function.insts[inst];
                if let (Op::Cast(_) | Op::Gep(_), Some(result)) = (&data.op, data.result) {
                    of[result] = of[result].or(of[data.args[0]]);
                }
                let Some((value, pointer)) = access(data) else {
                    continue;
                };
                let Some(variable) = of[pointer] else {
                    continue;
                };
                let full =
                    value.is_some_and(|v| self.function.ty(v) == self.variables[variable].ty);
                if self.variables[variable].module.is_some() {
                    continue;
                }
                match (full, kill[variable]) {
                    (true, _) => kill[variable] = true,
                    (false, false) => read[variable] = true,
                    (false, true) => {}
                }
            }
            reads[block] = read;
            kills[block] = kill;
        }
        let mut live = reads.clone();
        let mut changed = true;
        let mut order = self.function.reverse_postorder();
        order.reverse();
        while changed {
            changed = false;
            for &block in &order {
                for next in self.function.successors(block).to_vec() {
                    for variable in 0..count {
                        let wanted = live[next].get(variable) == Some(&true);
                        if wanted && !kills[block][variable] && !live[block][variable] {
                            live[block][variable] = true;
                            changed = true;
                        }
                    }
                }
            }
        }
        live
    }

    fn rewrite(&mut self) -> Result<()> {
        let live = self.live_in();
        let preds = crate::emit::predecessors(self.function);
        let count = self.variables.len();
        let mut ends: SecondaryMap<Block, Vec<Option<Value>>> = SecondaryMap::new();
        let mut phis: Vec<(Block, usize, Inst)> = Vec::new();
        for (n, block) in self.function.reverse_postorder().into_iter().enumerate() {
            let insts = std::mem::take(&mut self.function.blocks[block].insts);
            self.new = Vec::with_capacity(insts.len());
            self.current = match &preds[block][..] {
                [only] if n > 0 => ends[*only].clone(),
                _ => vec![None; count],
            };
            self.current.resize(count, None);
            let joins = n > 0 && preds[block].len() > 1;
            self.at = insts.first().copied();
            for variable in (0..count).filter(|v| joins && live[block][*v]) {
                let ty = self.variables[variable].ty;
                let phi = self.make(Op::Phi, smallvec![], ty);
                self.new.push(phi);
                self.current[variable] = self.function.insts[phi].result;
                phis.push((block, variable, phi));
            }
            // Phis of the function itself stay in front of all else.
            for &inst in &insts {
                self.at = Some(inst);
                self.instruction(inst)?;
            }
            self.function.blocks[block].insts = std::mem::take(&mut self.new);
            ends[block] = std::mem::take(&mut self.current);
        }
        for (block, variable, phi) in phis {
            for pred in &preds[block] {
                let value = ends[*pred].get(variable).copied().flatten();
                let value = match value {
                    Some(value) => value,
                    None => self
                        .function
                        .constant(self.variables[variable].ty, Const::Undef),
                };
                self.function.insts[phi].args.push(value);
                self.function.insts[phi].targets.push(*pred);
            }
        }
        Ok(())
    }

    pub(super) fn make(&mut self, op: Op, args: SmallVec<[Value; 3]>, ty: Type) -> Inst {
        let (loc, dbg) = match self.at {
            Some(at) => (self.function.insts[at].loc, self.function.insts[at].dbg),
            None => Default::default(),
        };
        self.function.make(InstData {
            loc,
            dbg,
            ..rules::data(op, args, ty)
        })
    }

    pub(super) fn add(&mut self, op: Op, args: SmallVec<[Value; 3]>, ty: Type) -> Value {
        let inst = self.make(op, args, ty);
        self.new.push(inst);
        match self.function.insts[inst].result {
            Some(value) => value,
            None => self.function.constant(Types::I32, Const::Undef),
        }
    }

    fn instruction(&mut self, inst: Inst) -> Result<()> {
        let data = self.function.insts[inst].clone();
        match &data.op {
            Op::Alloca(_) => {
                if let Some(at) = self.frames.get(&inst) {
                    let at = self.function.bits(Types::I32, *at);
                    let op = self.intrinsic(inst, "kiln.frame")?;
                    let new = &mut self.function.insts[inst];
                    new.op = op;
                    new.args = smallvec![at];
                    self.new.push(inst);
                }
                Ok(())
            }
            Op::Cast(CastOp::BitCast | CastOp::AddrSpaceCast)
                if self.places[data.args[0]].is_some() =>
            {
                if let Some(result) = data.result {
                    self.places[result] = self.places[data.args[0]];
                }
                Ok(())
            }
            Op::Gep(source) => self.gep(inst, &data, *source),
            Op::Intrinsic(intrinsic) if let Kind::Ordered(access) = intrinsic.kind() => {
                self.ordered(inst, &data, access)
            }
            Op::Intrinsic(intrinsic) if let Kind::Masked(masked) = intrinsic.kind() => {
                self.masked(inst, &data, masked)
            }
            Op::ExtractValue(path) if let Some(parts) = self.exchanged.get(&data.args[0]) => {
                let part = parts[usize::from(path.first() != Some(&0))];
                self.become_copy(inst, part);
                Ok(())
            }
            _ => match access(&data) {
                Some((value, pointer)) => match self.places[pointer] {
                    Some(place) => self.local(inst, &data, value, place),
                    None => self.global(inst, &data, value, pointer),
                },
                None => {
                    self.new.push(inst);
                    Ok(())
                }
            },
        }
    }

    pub(super) fn bits(&mut self, ty: Type, n: i64) -> Value {
        let bits = match self.module.types.element(ty) {
            Some(scalar) => self.module.types.bits(scalar),
            None => 64,
        };
        let n = n.cast_unsigned() & (u64::MAX >> (64 - bits.clamp(1, 64)));
        match self.module.types.count(ty) {
            Some(count) => {
                let all = Const::Vector(vec![n; count as usize].into());
                self.function.constant(ty, all)
            }
            None => self.function.bits(ty, n),
        }
    }

    /// An index as an integer of a size.
    fn index(&mut self, index: Value, bits: u32) -> Value {
        let from = self.function.ty(index);
        let count = self.module.types.count(from);
        let ty = self.module.types.shaped(count, Scalar::Int(bits));
        let width = self
            .module
            .types
            .element(from)
            .map_or(bits, |s| self.module.types.bits(s));
        match width.cmp(&bits) {
            std::cmp::Ordering::Equal => index,
            std::cmp::Ordering::Less => self.add(Op::Cast(CastOp::SExt), smallvec![index], ty),
            std::cmp::Ordering::Greater => self.add(Op::Cast(CastOp::Trunc), smallvec![index], ty),
        }
    }

    /// Offset in bytes that indices add up to: a constant, and a variable part of so many bits.
    fn offset(
        &mut self,
        inst: Inst,
        source: Type,
        indices: &[Value],
        bits: u32,
    ) -> Result<(i64, Option<Value>)> {
        let (mut constant, mut dynamic) = (0i64, None);
        let mut ty = source;
        for (n, &index) in indices.iter().enumerate() {
            let known = self.function.as_bits(index).map(|raw| {
                let scalar = self.module.types.element(self.function.ty(index));
                let width = scalar
                    .map_or(64, |s| self.module.types.bits(s))
                    .clamp(1, 64);
                (raw << (64 - width)).cast_signed() >> (64 - width)
            });
            let step = match n {
                0 => self.module.types.layout(ty).map(|(size, _)| (size, ty)),
                _ => match (self.module.types.data(ty), known) {
                    (TypeData::Struct(..), Some(field)) => {
                        let Some((at, inner)) = self.module.types.field(ty, field.cast_unsigned())
                        else {
                            return self.error(inst, Code::Mismatch, "an index of no field");
                        };
                        constant = constant.wrapping_add(at as i64);
                        ty = inner;
                        continue;
                    }
                    _ => self.module.types.field(ty, 1),
                },
            };
            let Some((size, inner)) = step else {
                return self.error(
                    inst,
                    Code::Memory,
                    "the size of what is indexed is not known",
                );
            };
            if n > 0 {
                ty = inner;
            }
            match known {
                Some(n) => constant = constant.wrapping_add(n.wrapping_mul(size as i64)),
                None => {
                    let index = self.index(index, bits);
                    let int = self.function.ty(index);
                    let scaled = match size.is_power_of_two() {
                        true => {
                            let by = self.bits(int, size.trailing_zeros().into());
                            self.add(Op::Binary(BinaryOp::Shl), smallvec![index, by], int)
                        }
                        false => {
                            let by = self.bits(int, size as i64);
                            self.add(Op::Binary(BinaryOp::Mul), smallvec![index, by], int)
                        }
                    };
                    dynamic = Some(match dynamic {
                        Some(other) => self.sum(other, scaled),
                        None => scaled,
                    });
                }
            }
        }
        Ok((constant, dynamic))
    }

    /// A scalar as a vector, if one is asked for.
    fn as_lanes(&mut self, value: Value, lanes: Option<u32>) -> Value {
        match (self.module.types.count(self.function.ty(value)), lanes) {
            (None, Some(lanes)) => self.splat(value, lanes),
            _ => value,
        }
    }

    /// The sum of two integers, either of which may be for all lanes of the other.
    fn sum(&mut self, a: Value, b: Value) -> Value {
        let lanes = [a, b].map(|v| self.module.types.count(self.function.ty(v)));
        let lanes = lanes[0].or(lanes[1]);
        let [a, b] = [a, b].map(|part| self.as_lanes(part, lanes));
        let ty = self.function.ty(a);
        self.add(Op::Binary(BinaryOp::Add), smallvec![a, b], ty)
    }

    fn gep(&mut self, inst: Inst, data: &InstData, source: Type) -> Result<()> {
        let Some(result) = data.result else {
            return Ok(());
        };
        let base = data.args[0];
        if let Some(place) = self.places[base] {
            if self.module.types.count(data.ty).is_some() {
                let message = "vectors of addresses in an allocation are not supported";
                return self.error(inst, Code::Memory, message);
            }
            let (constant, dynamic) = self.offset(inst, source, &data.args[1..], 32)?;
            let dynamic = match (place.dynamic, dynamic) {
                (Some(a), Some(b)) => {
                    Some(self.add(Op::Binary(BinaryOp::Add), smallvec![a, b], Types::I32))
                }
                (a, b) => a.or(b),
            };
            self.places[result] = Some(Place {
                variable: place.variable,
                offset: place.offset.wrapping_add(constant),
                dynamic,
            });
            return Ok(());
        }
        let Some(scalar) = self.module.types.element(data.ty) else {
            return self.error(
                inst,
                Code::Memory,
                "an address of this type is not supported",
            );
        };
        let bits = self.module.types.bits(scalar);
        let lanes = self.module.types.count(data.ty);
        let int = self.module.types.shaped(lanes, Scalar::Int(bits));
        let (constant, dynamic) = self.offset(inst, source, &data.args[1..], bits)?;
        let mut address = self.as_integers(base);
        if let Some(dynamic) = dynamic {
            let [a, b] = [address, dynamic].map(|part| self.as_lanes(part, lanes));
            address = self.add(Op::Binary(BinaryOp::Add), smallvec![a, b], int);
        }
        address = self.as_lanes(address, lanes);
        if constant != 0 {
            let by = self.bits(int, constant);
            address = self.add(Op::Binary(BinaryOp::Add), smallvec![address, by], int);
        }
        let new = &mut self.function.insts[inst];
        new.op = Op::Cast(CastOp::IntToPtr);
        new.args = smallvec![address];
        self.new.push(inst);
        Ok(())
    }

    pub(super) fn intrinsic(&self, inst: Inst, name: &str) -> Result<Op> {
        match Intrinsic::named(name) {
            Ok(intrinsic) => Ok(Op::Intrinsic(intrinsic)),
            Err(_) => self.error(inst, Code::Intrinsic, format!("no intrinsic {name}")),
        }
    }

    /// Turns an instruction into a copy of a value.
    pub(super) fn become_copy(&mut self, inst: Inst, value: Value) {
        let data = &mut self.function.insts[inst];
        data.op = Op::Freeze;
        data.args = smallvec![value];
        self.new.push(inst);
    }

    /// Numbers of a region that is one row: its elements, the distance of these, and an undefined vector before it.
    fn row(&mut self, parts: u32) -> [Value; 3] {
        let number = |n: u32| (Types::I32, Const::Bits(n.into()));
        let undef = (Types::I32, Const::Undef);
        [number(parts), number(1), undef].map(|(ty, value)| self.function.constant(ty, value))
    }

    /// Replaces a part of a variable's value from a byte on.
    fn insert(&mut self, inst: Inst, old: Value, value: Value, offset: Value) -> Result<Value> {
        let ty = self.function.ty(old);
        let types = &mut self.module.types;
        let (whole, part) = (types.shape(ty), types.shape(self.function.ty(value)));
        let (Some((_, element)), Some((count, scalar))) = (whole, part) else {
            return self.error(inst, Code::Memory, "a part of this type is not supported");
        };
        let parts = count * types.scalar_bytes(scalar) / types.scalar_bytes(element);
        let part = types.shaped(Some(parts), element);
        let value = self.reinterpret(value, part);
        let [width, one, undef] = self.row(parts);
        let all = self.function.bits(Types::I1, 1);
        let op = self.intrinsic(inst, "genx.wrregioni")?;
        let args = smallvec![old, value, width, width, one, offset, undef, all];
        Ok(self.add(op, args, ty))
    }

    /// A load or store of an allocation.
    fn local(
        &mut self,
        inst: Inst,
        data: &InstData,
        value: Option<Value>,
        place: Place,
    ) -> Result<()> {
        let Variable { ty, element, .. } = self.variables[place.variable];
        let old = match (
            &self.variables[place.variable].module,
            self.current[place.variable],
        ) {
            (Some(OfModule::Constant(..)), _) if value.is_some() => {
                return self.error(inst, Code::Memory, "a constant is written");
            }
            (Some(OfModule::Constant(data, functions)), _) => {
                let (data, functions) = (Const::Vector(data.clone()), functions.clone());
                let mut whole = self.function.constant(ty, data);
                let pointer = self.module.types.scalar(Scalar::Ptr(0));
                for (byte, id) in functions {
                    let address = self.function.address(pointer, ValueDef::Function(id));
                    let word = self.module.types.int(16);
                    let at = self.bits(word, byte.into());
                    whole = self.insert(inst, whole, address, at)?;
                }
                whole
            }
            (Some(OfModule::Variable(pointer)), _) => {
                let pointer = *pointer;
                let op = self.intrinsic(inst, "genx.vload")?;
                self.add(op, smallvec![pointer], ty)
            }
            (None, Some(value)) => value,
            (None, None) => self.function.constant(ty, Const::Undef),
        };
        let Some(element) = element else {
            match value {
                Some(value) => self.current[place.variable] = Some(value),
                None => self.become_copy(inst, old),
            }
            return Ok(());
        };
        let accessed = value.map_or(data.ty, |value| self.function.ty(value));
        let Some((count, scalar)) = self.module.types.shape(accessed) else {
            return self.error(
                inst,
                Code::Memory,
                "an access of this type is not supported",
            );
        };
        let bytes = count * self.module.types.scalar_bytes(scalar);
        let parts = bytes / element;
        let size = u64::from(self.module.types.count(ty).unwrap_or(1)) * u64::from(element);
        let end = place.offset.checked_add(bytes.into());
        if place.dynamic.is_none() && (place.offset < 0 || end.is_none_or(|end| end > size as i64))
        {
            // An access beyond the variable has no meaning, so that anything may be read, and nothing written.
            if value.is_none() {
                let undef = self.function.constant(accessed, Const::Undef);
                self.become_copy(inst, undef);
            }
            return Ok(());
        }
        let word = self.module.types.int(16);
        let offset = match place.dynamic {
            Some(dynamic) => {
                let by = self.bits(Types::I32, place.offset);
                let sum = self.add(
                    Op::Binary(BinaryOp::Add),
                    smallvec![dynamic, by],
                    Types::I32,
                );
                self.add(Op::Cast(CastOp::Trunc), smallvec![sum], word)
            }
            None => self.bits(word, place.offset),
        };
        match value {
            None => {
                let part = Scalar::Int(element * 8);
                let part = self.module.types.shaped(Some(parts), part);
                let [width, one, undef] = self.row(parts);
                let op = self.intrinsic(inst, "genx.rdregioni")?;
                let args = smallvec![old, width, width, one, offset, undef];
                let read = self.add(op, args, part);
                self.become_bits(inst, read);
            }
            Some(value) => {
                let new = self.insert(inst, old, value, offset)?;
                match self.variables[place.variable].module {
                    Some(OfModule::Variable(pointer)) => {
                        let op = self.intrinsic(inst, "genx.vstore")?;
                        self.add(op, smallvec![new, pointer], Types::VOID);
                    }
                    _ => self.current[place.variable] = Some(new),
                }
            }
        }
        Ok(())
    }
}
