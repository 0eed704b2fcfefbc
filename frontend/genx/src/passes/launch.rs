//! Variables that hold values of a launch, and variables of other modules.
//!
//! Takes any function. Afterwards no instruction names a variable of SPIR-V's `BuiltIn` values: those that are read become
//! intrinsics, one for each dimension, at the start of the function, where an allocation holds them that `memory` promotes. A
//! constant that another module defines is refused, since nothing here knows its value.

use crate::error::{Code, Diagnostic, Result};
use crate::intrinsics::{Intrinsic, launch};
use crate::ir::{
    CastOp, Const, Function, GlobalId, Inst, InstData, Linkage, Module, Op, Scalar, Type, Types,
    Value, ValueDef, rules,
};

/// Dimensions of a launch.
const DIMENSIONS: u32 = 3;

/// The value of a launch that a variable holds.
fn value_of(module: &Module, id: GlobalId) -> Option<&'static launch::Row> {
    let global = &module.globals[id];
    match Module::attr(&global.attrs, launch::ATTRIBUTE) {
        Some(name) => launch::named(name),
        None if global.linkage == Linkage::External => launch::variable(&global.name),
        None => None,
    }
}

/// Lowers the variables of a function.
///
/// # Errors
/// A variable has another type than its value, or it is a constant of another module.
pub fn lower(module: &mut Module, function: &mut Function) -> Result<()> {
    let named = function.values.iter();
    let mut named: Vec<(Value, GlobalId)> = named
        .filter_map(|(value, data)| match data.def {
            ValueDef::Global(id) => Some((value, id)),
            _ => None,
        })
        .collect();
    if named.is_empty() {
        return Ok(());
    }
    named.sort_by_key(|(_, id)| *id);
    let uses = crate::emit::uses(function);
    let mut pass = Launch {
        module,
        function,
        new: Vec::new(),
    };
    for (pointer, id) in named {
        let Some(&(user, _)) = uses[pointer].first() else {
            continue;
        };
        match value_of(pass.module, id) {
            Some(row) => {
                let held = pass.held(pointer, id, row, user)?;
                for (user, at) in &uses[pointer] {
                    pass.function.insts[*user].args[*at as usize] = held;
                }
            }
            None => pass.has_value(id, user)?,
        }
    }
    let Launch { function, new, .. } = pass;
    if let Some(&entry) = function.order.first() {
        function.blocks[entry].insts.splice(0..0, new);
    }
    Ok(())
}

struct Launch<'a> {
    module: &'a mut Module,
    function: &'a mut Function,
    new: Vec<Inst>,
}

impl Launch<'_> {
    fn error<T>(&self, user: Inst, message: String) -> Result<T> {
        let loc = self.function.insts[user].loc;
        Err(Diagnostic::new(Code::Memory, loc, message))
    }

    /// Refuses a constant without a value.
    fn has_value(&self, id: GlobalId, user: Inst) -> Result<()> {
        let global = &self.module.globals[id];
        let has = global.init.is_some() || global.addresses || !global.functions.is_empty();
        if has || !global.constant || global.linkage == Linkage::Internal {
            return Ok(());
        }
        let message = format!("the constant @{} has no value in this module", global.name);
        self.error(user, message)
    }

    fn add(&mut self, op: Op, args: &[Value], ty: Type, like: Inst) -> Value {
        let &InstData { loc, dbg, .. } = &self.function.insts[like];
        let inst = self.function.make(InstData {
            loc,
            dbg,
            ..rules::data(op, args.into(), ty)
        });
        self.new.push(inst);
        match self.function.insts[inst].result {
            Some(value) => value,
            None => self.function.constant(ty, Const::Undef),
        }
    }

    /// An allocation with the value, as a pointer of the type of the variable's.
    fn held(
        &mut self,
        pointer: Value,
        id: GlobalId,
        row: &launch::Row,
        user: Inst,
    ) -> Result<Value> {
        let ty = self.module.globals[id].ty;
        let types = &mut self.module.types;
        let count = types.count(ty);
        let element = match types.element(ty) {
            Some(Scalar::Int(bits @ (32 | 64)))
                if count == row.has_dimensions.then_some(DIMENSIONS) =>
            {
                types.int(bits)
            }
            _ => {
                let (name, ty) = (&self.module.globals[id].name, types.name(ty));
                let message = format!("the variable @{name} has no value of type {ty}");
                return self.error(user, message);
            }
        };
        let Ok(intrinsic) = Intrinsic::named(row.intrinsic) else {
            return self.error(user, format!("no {}", row.intrinsic));
        };
        let mut value = self.function.constant(ty, Const::Undef);
        for dimension in 0..count.unwrap_or(1) {
            let at = self.function.bits(Types::I32, dimension.into());
            let args = if row.has_dimensions { &[at][..] } else { &[] };
            let one = self.add(Op::Intrinsic(intrinsic), args, element, user);
            value = match count {
                Some(_) => self.add(Op::InsertElement, &[value, one, at], ty, user),
                None => one,
            };
        }
        let own = self.module.types.scalar(Scalar::Ptr(0));
        let one = self.function.bits(Types::I32, 1);
        let align = rules::natural_align(&self.module.types, ty);
        let held = self.add(Op::Alloca(ty), &[one], own, user);
        self.align(align);
        self.add(Op::Store, &[value, held], Types::VOID, user);
        self.align(align);
        let wanted = self.function.ty(pointer);
        Ok(match wanted == own {
            true => held,
            false => self.add(Op::Cast(CastOp::AddrSpaceCast), &[held], wanted, user),
        })
    }

    /// Sets the alignment of the last instruction.
    fn align(&mut self, align: u32) {
        if let Some(last) = self.new.last() {
            self.function.insts[*last].align = align;
        }
    }
}
