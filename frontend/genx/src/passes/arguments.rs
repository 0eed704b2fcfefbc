//! Parameters that no register holds as they are.
//!
//! Takes any function. Afterwards a structure that is passed by reference and is a copy is an allocation of the
//! function: of a kernel, with the bytes of the argument, of other functions, with those that its caller names. A
//! vector of `i1` of a kernel comes in the bits of an integer. What the document dialect has as parameters of a
//! kernel, and a launch gives, is asked for by an intrinsic. A constant vector of addresses is put together by
//! instructions.

use super::kernels::{ArgKind, Implicit, Kernel};
use crate::error::{Code, Diagnostic, Result};
use crate::intrinsics::Intrinsic;
use crate::ir::rules;
use crate::ir::{CastOp, Const, Function, Inst, InstData, Op, Scalar, Type, Types, Value};

/// Bytes of a structure that is passed by value.
const MAX_STRUCTURE: u64 = 2048;

/// Lowers the parameters of a function; of a kernel, its description is given.
///
/// # Errors
/// A structure is too large, or of unknown size.
pub fn lower(types: &mut Types, function: &mut Function, kernel: Option<&Kernel>) -> Result<()> {
    let mut pass = Arguments {
        types,
        function,
        new: Vec::new(),
    };
    for i in 0..pass.function.params.len() {
        let param = pass.function.params[i];
        match kernel.map(|kernel| &kernel.args[i].kind) {
            Some(ArgKind::Structure(bytes)) => pass.structure(param, i, Some(*bytes))?,
            Some(ArgKind::Implicit(
                kind @ (Implicit::LocalIds | Implicit::LocalSize | Implicit::GroupCount),
            )) => pass.implicit(param, *kind)?,
            Some(_) if pass.types.is_bool(pass.function.ty(param)) => pass.bools(param),
            None if pass.function.byval.get(i).is_some_and(Option::is_some) => {
                pass.structure(param, i, None)?;
            }
            _ => {}
        }
    }
    pass.addresses();
    let Arguments { function, new, .. } = pass;
    if let Some(entry) = function.order.first() {
        function.blocks[*entry].insts.splice(0..0, new);
    }
    Ok(())
}

struct Arguments<'a> {
    types: &'a mut Types,
    function: &'a mut Function,
    new: Vec<Inst>,
}

impl Arguments<'_> {
    fn add(&mut self, op: Op, args: &[Value], ty: Type) -> Option<Value> {
        let inst = self.function.make(InstData {
            loc: self.function.loc,
            ..rules::data(op, args.into(), ty)
        });
        self.new.push(inst);
        self.function.insts[inst].result
    }

    /// Sets the alignment of the last instruction.
    fn align(&mut self, align: u32) {
        if let Some(last) = self.new.last() {
            self.function.insts[*last].align = align;
        }
    }

    /// Lets all instructions use another value in the place of a parameter.
    fn replace(&mut self, param: Value, by: Option<Value>) {
        let Some(by) = by else { return };
        let new = std::mem::take(&mut self.new);
        for (inst, data) in &mut self.function.insts {
            if !new.contains(&inst) {
                for arg in data.args.iter_mut().filter(|arg| **arg == param) {
                    *arg = by;
                }
            }
        }
        self.new = new;
    }

    fn intrinsic(&self, name: &str) -> Result<Op> {
        match Intrinsic::named(name) {
            Ok(intrinsic) => Ok(Op::Intrinsic(intrinsic)),
            Err(code) => Err(Diagnostic::new(
                code,
                self.function.loc,
                format!("no {name}"),
            )),
        }
    }

    fn addresses(&mut self) {
        let values = self.function.values.keys();
        let vectors: Vec<Value> = values
            .filter(|value| {
                let is_vector = self.types.count(self.function.ty(*value)).is_some();
                is_vector && matches!(self.function.as_const(*value), Some(Const::Aggregate(_)))
            })
            .collect();
        for vector in vectors {
            let Some(Const::Aggregate(members)) = self.function.as_const(vector).cloned() else {
                continue;
            };
            let ty = self.function.ty(vector);
            let before = std::mem::take(&mut self.new);
            let mut whole = Some(self.function.constant(ty, Const::Undef));
            for (i, member) in (0..).zip(members.iter().copied()) {
                let index = self.function.bits(Types::I32, i);
                if let Some(old) = whole {
                    whole = self.add(Op::InsertElement, &[old, member, index], ty);
                }
            }
            self.replace(vector, whole);
            let chain = std::mem::replace(&mut self.new, before);
            let Some(&entry) = self.function.order.first() else {
                continue;
            };
            // After the expressions that its members are.
            let insts = &self.function.blocks[entry].insts;
            let after = insts
                .iter()
                .rposition(|i| {
                    let result = self.function.insts[*i].result;
                    result.is_some_and(|result| members.contains(&result))
                })
                .map_or(0, |at| at + 1);
            self.function.blocks[entry]
                .insts
                .splice(after..after, chain);
        }
    }

    fn structure(&mut self, param: Value, i: usize, bytes: Option<u32>) -> Result<()> {
        let ty = self.function.byval.get(i).copied().flatten();
        let size = ty
            .and_then(|ty| self.types.layout(ty))
            .map(|(size, _)| size);
        let (Some(ty), Some(size)) = (ty, size.filter(|n| (1..=MAX_STRUCTURE).contains(n))) else {
            return Err(Diagnostic::new(
                Code::Argument,
                self.function.loc,
                format!("argument {i}: a structure of this size is not passed by value"),
            ));
        };
        let used = self.function.order.iter().any(|block| {
            let insts = &self.function.blocks[*block].insts;
            insts
                .iter()
                .any(|inst| self.function.insts[*inst].args.contains(&param))
        });
        let element = if size % 4 == 0 { 4 } else { 1 };
        let count = bytes.map_or(size, u64::from) / element;
        let vector = self
            .types
            .shaped(Some(count as u32), Scalar::Int(8 * element as u32));
        if used {
            let one = self.function.bits(Types::I32, 1);
            let pointer = self.function.ty(param);
            let align = rules::natural_align(self.types, ty);
            let copy = self.add(Op::Alloca(ty), &[one], pointer);
            self.align(align);
            let value = match bytes {
                Some(_) => Some(param),
                None => {
                    let value = self.add(Op::Load, &[param], vector);
                    self.align(align);
                    value
                }
            };
            if let (Some(copy), Some(value)) = (copy, value) {
                self.add(Op::Store, &[value, copy], Types::VOID);
                self.align(align);
            }
            self.replace(param, copy);
        }
        if bytes.is_some() {
            self.function.values[param].ty = vector;
        }
        Ok(())
    }

    fn implicit(&mut self, param: Value, kind: Implicit) -> Result<()> {
        let op = self.intrinsic(match kind {
            Implicit::LocalIds => "genx.local.id",
            Implicit::LocalSize => "genx.local.size",
            _ => "genx.group.count",
        })?;
        let ty = self.function.ty(param);
        let value = self.add(op, &[], ty);
        self.replace(param, value);
        Ok(())
    }

    fn bools(&mut self, param: Value) {
        let ty = self.function.ty(param);
        let count = self.types.count(ty);
        // One alone is a byte.
        let Some(count) = count else {
            let byte = self.types.int(8);
            let value = self.add(Op::Cast(CastOp::Trunc), &[param], ty);
            self.replace(param, value);
            self.function.values[param].ty = byte;
            return;
        };
        let wide = count.next_power_of_two().max(8);
        let element = wide.min(32);
        let numbers = self
            .types
            .shaped((wide > 32).then_some(wide / 32), Scalar::Int(element));
        let bits = self.types.shaped(Some(wide), Scalar::Int(1));
        let mut value = self.add(Op::Cast(CastOp::BitCast), &[param], bits);
        if let Some(all) = value.filter(|_| wide != count) {
            let first = (0..count).collect();
            value = self.add(Op::Shuffle(first), &[all, all], ty);
        }
        self.replace(param, value);
        self.function.values[param].ty = numbers;
    }
}
