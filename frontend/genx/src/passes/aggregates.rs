//! Structures and arrays taken apart.
//!
//! Takes any function. Afterwards no instruction computes, loads or stores a structure or an array: its members are
//! values of their own. Parameters that are aggregates are as many parameters as they have members, and an aggregate
//! result is a flat structure, which `insertvalue` builds before a return and `extractvalue` takes apart after a call.

use cranelift_entity::SecondaryMap;
use smallvec::{SmallVec, smallvec};

use crate::error::{Code, Diagnostic, Result};
use crate::ir::function::ValueData;
use crate::ir::{
    Const, Function, Inst, InstData, Module, Op, Type, TypeData, Types, Value, ValueDef,
};

/// Members of an aggregate, and of those in it.
const MAX_MEMBERS: usize = 256;

/// A member that is no aggregate: its type, and the byte where it begins.
type Leaf = (Type, u64);

/// Members of a type in order; `None` if there are too many, or their size is unknown.
fn leaves(types: &Types, ty: Type) -> Option<Vec<Leaf>> {
    let mut all = Vec::new();
    let mut work = vec![(ty, 0u64)];
    while let Some((ty, at)) = work.pop() {
        let count = match types.data(ty) {
            TypeData::Struct(fields, _) => fields.len() as u64,
            TypeData::Array(n, _) => *n,
            _ => {
                all.push((ty, at));
                if all.len() > MAX_MEMBERS {
                    return None;
                }
                continue;
            }
        };
        if count > MAX_MEMBERS as u64 || work.len() > MAX_MEMBERS {
            return None;
        }
        for number in (0..count).rev() {
            let (offset, field) = types.field(ty, number)?;
            work.push((field, at + offset));
        }
    }
    Some(all)
}

fn is_aggregate(types: &Types, ty: Type) -> bool {
    matches!(types.data(ty), TypeData::Struct(..) | TypeData::Array(..))
}

/// Members of a member that a path names: number of the first, and how many.
fn range(types: &Types, mut ty: Type, path: &[u32]) -> Option<(usize, usize)> {
    let mut first = 0;
    for &number in path {
        for before in 0..number {
            let (_, field) = types.field(ty, before.into())?;
            first += leaves(types, field)?.len();
        }
        ty = types.field(ty, number.into())?.1;
    }
    Some((first, leaves(types, ty)?.len()))
}

/// Type of an aggregate with its members side by side.
fn flat(types: &mut Types, ty: Type) -> Option<Type> {
    let members = leaves(types, ty)?.iter().map(|(ty, _)| *ty).collect();
    Some(types.get(TypeData::Struct(members, false)))
}

/// Takes the aggregates of a function apart.
///
/// # Errors
/// An aggregate has too many members.
pub fn lower(module: &mut Module, function: &mut Function) -> Result<()> {
    let has = |function: &Function, types: &Types| {
        let values = function.params.iter().copied();
        let insts = function
            .order
            .iter()
            .flat_map(|b| &function.blocks[*b].insts);
        let operands = insts.flat_map(|i| {
            let data = &function.insts[*i];
            data.args.iter().copied().chain(data.result)
        });
        values
            .chain(operands)
            .any(|v| is_aggregate(types, function.ty(v)))
    };
    if !has(function, &module.types) {
        return Ok(());
    }
    let mut pass = Aggregates {
        types: &mut module.types,
        function,
        members: SecondaryMap::new(),
        new: Vec::new(),
    };
    pass.params()?;
    let order = pass.function.reverse_postorder();
    for block in order {
        let insts = std::mem::take(&mut pass.function.blocks[block].insts);
        for inst in insts {
            pass.instruction(inst)?;
        }
        pass.function.blocks[block].insts = std::mem::take(&mut pass.new);
    }
    pass.phis()
}

struct Aggregates<'a> {
    types: &'a mut Types,
    function: &'a mut Function,
    /// Members of each value that is an aggregate.
    members: SecondaryMap<Value, Option<Vec<Value>>>,
    new: Vec<Inst>,
}

impl Aggregates<'_> {
    fn error<T>(&self, inst: Inst) -> Result<T> {
        let message = "an aggregate of so many members is not supported";
        Err(Diagnostic::new(
            Code::Size,
            self.function.insts[inst].loc,
            message,
        ))
    }

    fn leaves(&self, inst: Inst, ty: Type) -> Result<Vec<Leaf>> {
        match leaves(self.types, ty) {
            Some(leaves) => Ok(leaves),
            None => self.error(inst),
        }
    }

    fn params(&mut self) -> Result<()> {
        let mut params = Vec::new();
        let (mut attrs, mut byval) = (Vec::new(), Vec::new());
        for (i, param) in self.function.params.clone().into_iter().enumerate() {
            let ty = self.function.ty(param);
            if !is_aggregate(self.types, ty) {
                params.push(param);
                attrs.push(
                    self.function
                        .param_attrs
                        .get(i)
                        .cloned()
                        .unwrap_or_default(),
                );
                byval.push(self.function.byval.get(i).copied().flatten());
                continue;
            }
            let Some(leaves) = leaves(self.types, ty) else {
                let message = "a parameter with so many members is not supported";
                return Err(Diagnostic::new(Code::Size, self.function.loc, message));
            };
            let mut members = Vec::new();
            for (ty, _) in leaves {
                let member = self.function.values.push(ValueData {
                    ty,
                    def: ValueDef::Param(params.len() as u32),
                    name: Default::default(),
                });
                params.push(member);
                attrs.push(Default::default());
                byval.push(None);
                members.push(member);
            }
            self.members[param] = Some(members);
        }
        for (number, param) in (0..).zip(&params) {
            self.function.values[*param].def = ValueDef::Param(number);
        }
        self.function.params = params;
        self.function.param_attrs = attrs;
        self.function.byval = byval;
        if is_aggregate(self.types, self.function.result)
            && let Some(ty) = flat(self.types, self.function.result)
        {
            self.function.result = ty;
        }
        Ok(())
    }

    /// An instruction like another.
    fn add(&mut self, like: Inst, op: Op, args: SmallVec<[Value; 3]>, ty: Type) -> Option<Value> {
        let data = InstData {
            op,
            args,
            ty,
            result: None,
            targets: smallvec![],
            ..self.function.insts[like].clone()
        };
        let inst = self.function.make(data);
        self.new.push(inst);
        self.function.insts[inst].result
    }

    /// Members of an operand.
    fn members_of(&mut self, inst: Inst, value: Value) -> Result<Vec<Value>> {
        if let Some(members) = &self.members[value] {
            return Ok(members.clone());
        }
        let ty = self.function.ty(value);
        let leaves = self.leaves(inst, ty)?;
        let mut members = Vec::new();
        match self.function.as_const(value).cloned() {
            Some(Const::Aggregate(parts)) => {
                for part in parts {
                    match is_aggregate(self.types, self.function.ty(part)) {
                        true => members.extend(self.members_of(inst, part)?),
                        false => members.push(part),
                    }
                }
            }
            // A use before its definition is unreachable, so that any value will do.
            constant => {
                let constant = constant.unwrap_or(Const::Undef);
                for (ty, _) in leaves {
                    members.push(self.function.constant(ty, constant.clone()));
                }
            }
        }
        self.members[value] = Some(members.clone());
        Ok(members)
    }

    fn instruction(&mut self, inst: Inst) -> Result<()> {
        let data = self.function.insts[inst].clone();
        match data.op.clone() {
            Op::Phi if is_aggregate(self.types, data.ty) => {
                let Some(result) = data.result else {
                    return Ok(());
                };
                let mut members = Vec::new();
                for (ty, _) in self.leaves(inst, data.ty)? {
                    let phi = self.function.make(InstData {
                        args: smallvec![],
                        ty,
                        result: None,
                        ..data.clone()
                    });
                    self.new.push(phi);
                    members.extend(self.function.insts[phi].result);
                }
                // The operands follow when all are known.
                self.new.push(inst);
                self.members[result] = Some(members);
            }
            Op::Select if is_aggregate(self.types, data.ty) => {
                let yes = self.members_of(inst, data.args[1])?;
                let no = self.members_of(inst, data.args[2])?;
                let mut members = Vec::new();
                for (a, b) in yes.into_iter().zip(no) {
                    let ty = self.function.ty(a);
                    members.extend(self.add(inst, Op::Select, smallvec![data.args[0], a, b], ty));
                }
                self.set(&data, members);
            }
            Op::Freeze if is_aggregate(self.types, data.ty) => {
                let members = self.members_of(inst, data.args[0])?;
                self.set(&data, members);
            }
            Op::InsertValue(path) => {
                let mut members = self.members_of(inst, data.args[0])?;
                let Some((first, count)) = range(self.types, data.ty, &path) else {
                    return self.error(inst);
                };
                let new = match is_aggregate(self.types, self.function.ty(data.args[1])) {
                    true => self.members_of(inst, data.args[1])?,
                    false => vec![data.args[1]],
                };
                members.splice(first..first + count, new);
                self.set(&data, members);
            }
            Op::ExtractValue(path) => self.extract(inst, &data, &path)?,
            Op::Load if is_aggregate(self.types, data.ty) => self.load(inst, &data)?,
            Op::Store if is_aggregate(self.types, self.function.ty(data.args[0])) => {
                let members = self.members_of(inst, data.args[0])?;
                let leaves = self.leaves(inst, self.function.ty(data.args[0]))?;
                for (member, (_, at)) in members.into_iter().zip(leaves) {
                    let place = self.place(inst, data.args[1], at);
                    self.add(inst, Op::Store, smallvec![member, place], Types::VOID);
                    self.align(data.align, at);
                }
            }
            Op::Call(_) | Op::CallIndirect(_) | Op::Asm(_) => self.call(inst, &data)?,
            Op::Ret
                if data
                    .args
                    .first()
                    .is_some_and(|v| is_aggregate(self.types, self.function.ty(*v))) =>
            {
                let members = self.members_of(inst, data.args[0])?;
                let ty = self.function.result;
                let mut whole = self.function.constant(ty, Const::Undef);
                for (number, member) in (0..).zip(members) {
                    let op = Op::InsertValue(smallvec![number]);
                    whole = self
                        .add(inst, op, smallvec![whole, member], ty)
                        .unwrap_or(whole);
                }
                self.function.insts[inst].args = smallvec![whole];
                self.new.push(inst);
            }
            Op::Intrinsic(_) if is_aggregate(self.types, data.ty) => {
                self.new.push(inst);
                self.take_apart(inst, &data, data.result)?;
            }
            _ => self.new.push(inst),
        }
        Ok(())
    }

    /// Takes the members out of a flat result.
    fn take_apart(&mut self, inst: Inst, data: &InstData, whole: Option<Value>) -> Result<()> {
        let Some(whole) = whole else { return Ok(()) };
        let mut members = Vec::new();
        for (number, (ty, _)) in (0..).zip(self.leaves(inst, data.ty)?) {
            let op = Op::ExtractValue(smallvec![number]);
            members.extend(self.add(inst, op, smallvec![whole], ty));
        }
        self.set(data, members);
        Ok(())
    }

    fn set(&mut self, data: &InstData, members: Vec<Value>) {
        if let Some(result) = data.result {
            self.members[result] = Some(members);
        }
    }

    fn extract(&mut self, inst: Inst, data: &InstData, path: &[u32]) -> Result<()> {
        let whole = data.args[0];
        let members = self.members_of(inst, whole)?;
        let Some((first, count)) = range(self.types, self.function.ty(whole), path) else {
            return self.error(inst);
        };
        if is_aggregate(self.types, data.ty) {
            self.set(data, members[first..first + count].to_vec());
            return Ok(());
        }
        let new = &mut self.function.insts[inst];
        new.op = Op::Freeze;
        new.args = smallvec![members[first]];
        self.new.push(inst);
        Ok(())
    }

    /// Address of a byte after a pointer.
    fn place(&mut self, inst: Inst, pointer: Value, at: u64) -> Value {
        if at == 0 {
            return pointer;
        }
        let (byte, long) = (self.types.int(8), self.types.int(64));
        let at = self.function.bits(long, at);
        let ty = self.function.ty(pointer);
        self.add(inst, Op::Gep(byte), smallvec![pointer, at], ty)
            .unwrap_or(pointer)
    }

    /// Sets the alignment of the last access, which is at a byte of an aggregate.
    fn align(&mut self, align: u32, at: u64) {
        let Some(&last) = self.new.last() else { return };
        let known = match at {
            0 => align,
            at => align.min(1 << at.trailing_zeros().min(12)),
        };
        self.function.insts[last].align = known;
    }

    fn load(&mut self, inst: Inst, data: &InstData) -> Result<()> {
        let mut members = Vec::new();
        for (ty, at) in self.leaves(inst, data.ty)? {
            let place = self.place(inst, data.args[0], at);
            members.extend(self.add(inst, Op::Load, smallvec![place], ty));
            self.align(data.align, at);
        }
        self.set(data, members);
        Ok(())
    }

    /// A call gets its arguments apart, and its result is flat.
    fn call(&mut self, inst: Inst, data: &InstData) -> Result<()> {
        let mut args = SmallVec::new();
        for &arg in &data.args {
            match is_aggregate(self.types, self.function.ty(arg)) {
                true => args.extend(self.members_of(inst, arg)?),
                false => args.push(arg),
            }
        }
        let aggregate = is_aggregate(self.types, data.ty);
        let result = match aggregate {
            true => flat(self.types, data.ty),
            false => Some(data.ty),
        };
        let Some(result) = result else {
            return self.error(inst);
        };
        if !aggregate {
            self.function.insts[inst].args = args;
            self.new.push(inst);
            return Ok(());
        }
        let whole = self.add(inst, data.op.clone(), args, result);
        self.take_apart(inst, data, whole)
    }

    /// Gives the phis of members their operands, and removes those of aggregates.
    fn phis(&mut self) -> Result<()> {
        for block in self.function.order.clone() {
            for inst in self.function.blocks[block].insts.clone() {
                let data = self.function.insts[inst].clone();
                if data.op != Op::Phi || !is_aggregate(self.types, data.ty) {
                    continue;
                }
                let members = match data.result {
                    Some(result) => self.members_of(inst, result)?,
                    None => Vec::new(),
                };
                for arg in &data.args {
                    let from = self.members_of(inst, *arg)?;
                    for (member, value) in members.iter().zip(from) {
                        if let Some(phi) = self.function.inst_of(*member) {
                            self.function.insts[phi].args.push(value);
                        }
                    }
                }
            }
            let Function { blocks, insts, .. } = &mut *self.function;
            let types = &*self.types;
            blocks[block]
                .insts
                .retain(|i| insts[*i].op != Op::Phi || !is_aggregate(types, insts[*i].ty));
        }
        Ok(())
    }
}
