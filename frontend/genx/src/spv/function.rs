//! Bodies of functions: blocks, and the values of results.

use std::collections::HashSet;

use smallvec::{SmallVec, smallvec};
use smol_str::{SmolStr, format_smolstr};
use spirv::Op;

use super::body::{Body, Head, unique};
use super::stream::Words;
use super::{Global, Reader};
use crate::error::{Code, Diagnostic, Result};
use crate::ir::function::ValueData;
use crate::ir::rules;
use crate::ir::{
    Block, Const, Function, FunctionId, InstData, Op as IrOp, Type, Types, Unroll, Value, ValueDef,
};
use crate::passes::printf;

/// True for an operation without a result in a function.
fn has_no_result(op: Op) -> bool {
    matches!(
        op,
        Op::Nop
            | Op::Line
            | Op::NoLine
            | Op::Store
            | Op::CopyMemory
            | Op::CopyMemorySized
            | Op::Branch
            | Op::BranchConditional
            | Op::Switch
            | Op::Return
            | Op::ReturnValue
            | Op::Unreachable
            | Op::Label
            | Op::LoopMerge
            | Op::SelectionMerge
            | Op::LifetimeStart
            | Op::LifetimeStop
            | Op::AtomicStore
            | Op::MemoryBarrier
            | Op::RestoreMemoryINTEL
            | Op::ControlBarrier
            | Op::FunctionEnd
    )
}

impl<'a> Reader<'a> {
    /// Reads the body of a function.
    pub(super) fn function(&mut self, id: FunctionId, head: &Head<'a>) -> Result<()> {
        let Some(mut words) = head.body else {
            return Ok(());
        };
        self.lines.here = None;
        let place = Function::new(SmolStr::default(), Types::VOID);
        let function = std::mem::replace(&mut self.module.functions[id], place);
        let mut body = Body::new(function);
        let params = head.params.iter().map(|(id, _)| *id);
        body.values
            .extend(params.zip(body.function.params.iter().copied()));
        self.results(&mut body, words)?;
        while let Some(inst) = words.next()? {
            self.inst = inst;
            if inst.op == Some(Op::FunctionEnd) {
                break;
            }
            self.body_inst(&mut body)?;
        }
        self.close(&mut body)?;
        self.module.functions[id] = body.function;
        Ok(())
    }

    /// Makes the blocks, and notes the types of all results.
    fn results(&mut self, body: &mut Body, mut words: Words<'a>) -> Result<()> {
        while let Some(inst) = words.next()? {
            self.inst = inst;
            match inst.op {
                Some(Op::FunctionEnd) => break,
                Some(Op::Label) => {
                    let id = self.op(0)?;
                    let block = body.function.blocks.push(Default::default());
                    body.function.order.push(block);
                    let name = self.names.get(&id).cloned().unwrap_or_default();
                    body.function.blocks[block].name = name;
                    if body.blocks.insert(id, block).is_some() {
                        let message = format!("block {} is defined twice", self.shown(id));
                        return Err(self.refused(Code::Name, message));
                    }
                }
                Some(op) if !has_no_result(op) => {
                    if let [ty, id, ..] = inst.words {
                        self.type_of.insert(*id, *ty);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The wish for unrolling in the loop control that begins at an operand.
    fn unrolling(&self, at: usize) -> Result<Unroll> {
        let control = spirv::LoopControl::from_bits_retain(self.op(at)?);
        let partial = spirv::LoopControl::PARTIAL_COUNT;
        if control.contains(spirv::LoopControl::DONT_UNROLL) {
            return Ok(Unroll::Never);
        }
        if control.contains(partial) {
            // Each lower bit from that of the dependency length on has an operand, too.
            let first = spirv::LoopControl::DEPENDENCY_LENGTH.bits();
            let before = control.bits() & (partial.bits() - 1) & !(first - 1);
            let count = self.op(at + 1 + before.count_ones() as usize)?;
            return Ok(Unroll::by(count));
        }
        Ok(match control.contains(spirv::LoopControl::UNROLL) {
            true => Unroll::Full,
            false => Unroll::ByCost,
        })
    }

    fn body_inst(&mut self, body: &mut Body) -> Result<()> {
        self.counted()?;
        if self.line_inst()? {
            return Ok(());
        }
        match self.opcode() {
            Some(Op::Label) => {
                if body.current.is_some() {
                    return Err(self.fail("a block has no end"));
                }
                body.current = Some(self.block(body, self.op(0)?)?);
                Ok(())
            }
            Some(op @ (Op::LoopMerge | Op::LoopControlINTEL)) => {
                let at = if op == Op::LoopMerge { 2 } else { 0 };
                let unroll = self.unrolling(at)?;
                body.unrolling
                    .extend(body.current.map(|block| (block, unroll)));
                Ok(())
            }
            // Hints, and what says how memory is used.
            Some(
                Op::Nop
                | Op::SelectionMerge
                | Op::LifetimeStart
                | Op::LifetimeStop
                | Op::AssumeTrueKHR,
            ) => Ok(()),
            _ if body.current.is_none() => {
                Err(self.fail("an instruction after the end of a block"))
            }
            _ => self.instruction(body),
        }
    }

    /// Adds an instruction to the block; gives its result.
    pub(super) fn put(&mut self, body: &mut Body, mut data: InstData) -> Result<Option<Value>> {
        let Some(block) = body.current else {
            return Err(self.fail("an instruction after the end of a block"));
        };
        data.loc = self.loc();
        data.dbg = self.lines.here;
        let inst = body.function.make(data);
        body.function.blocks[block].insts.push(inst);
        if body.function.insts[inst].op.is_terminator() {
            body.current = None;
        }
        Ok(body.function.insts[inst].result)
    }

    /// Adds an instruction of an operation; gives its result, which it must have.
    pub(super) fn value_of(
        &mut self,
        body: &mut Body,
        op: IrOp,
        args: SmallVec<[Value; 3]>,
        stated: Type,
    ) -> Result<Value> {
        let data = self.make(body, op, args, stated)?;
        match self.put(body, data)? {
            Some(value) => Ok(value),
            None => Err(self.fail("an operation has no result")),
        }
    }

    /// Adds the instruction that gives the result of the one that is read.
    pub(super) fn finish(&mut self, body: &mut Body, mut data: InstData) -> Result<()> {
        let (ty, id) = (self.op(0)?, self.op(1)?);
        let wanted = self.ty(ty)?;
        if !rules::fits(&self.module.types, data.ty, wanted) {
            let types = &self.module.types;
            let message = format!(
                "the result is {}, not {}",
                types.name(data.ty),
                types.name(wanted)
            );
            return Err(self.refused(Code::Mismatch, message));
        }
        if data.ty == Types::VOID {
            self.put(body, data)?;
            return Ok(());
        }
        let forward = body.forward.remove(&id).map(|(value, _)| value);
        if let Some(value) = forward {
            let used = body.function.ty(value);
            if used != data.ty {
                return Err(self.refused(Code::Mismatch, "a value was used as one of another type"));
            }
            data.result = Some(value);
        }
        let next = body.function.insts.next_key();
        let Some(value) = self.put(body, data)? else {
            return Err(self.fail("an operation has no result"));
        };
        body.function.values[value].def = ValueDef::Inst(next);
        body.function.values[value].name = self.names.get(&id).cloned().unwrap_or_default();
        self.define(body, id, value)
    }

    /// Adds an instruction of an operation whose result is that of the one that is read.
    pub(super) fn finish_of(
        &mut self,
        body: &mut Body,
        op: IrOp,
        args: SmallVec<[Value; 3]>,
    ) -> Result<()> {
        let stated = self.ty(self.op(0)?)?;
        let data = self.make(body, op, args, stated)?;
        self.finish(body, data)
    }

    /// Makes a value the result of the instruction that is read.
    pub(super) fn alias(&mut self, body: &mut Body, value: Value) -> Result<()> {
        let id = self.op(1)?;
        let wanted = self.ty(self.op(0)?)?;
        let found = body.function.ty(value);
        if body.forward.contains_key(&id) || !rules::fits(&self.module.types, found, wanted) {
            return self.finish_of(body, IrOp::Freeze, smallvec![value]);
        }
        self.define(body, id, value)
    }

    fn define(&mut self, body: &mut Body, id: u32, value: Value) -> Result<()> {
        if body.values.insert(id, value).is_some() || self.globals.contains_key(&id) {
            let message = format!("{} is defined twice", self.shown(id));
            return Err(self.refused(Code::Name, message));
        }
        Ok(())
    }

    /// Value of a result.
    pub(super) fn value(&mut self, body: &mut Body, id: u32) -> Result<Value> {
        if let Some(value) = body.values.get(&id) {
            return Ok(*value);
        }
        if self.globals.contains_key(&id) {
            return self.constant(body, id);
        }
        if let Some((value, _)) = body.forward.get(&id) {
            return Ok(*value);
        }
        let Some(ty) = self.type_of.get(&id) else {
            let message = format!("{} has no definition", self.shown(id));
            return Err(self.refused(Code::Name, message));
        };
        let value = body.function.values.push(ValueData {
            ty: self.value_ty(*ty)?,
            def: ValueDef::Forward,
            name: SmolStr::default(),
        });
        body.forward.insert(id, (value, self.loc()));
        Ok(value)
    }

    /// Values of operands from one on.
    pub(super) fn values(&mut self, body: &mut Body, from: usize) -> Result<SmallVec<[Value; 3]>> {
        let ids = self.rest(from);
        ids.iter().map(|id| self.value(body, *id)).collect()
    }

    /// Value of an operand.
    pub(super) fn arg(&mut self, body: &mut Body, n: usize) -> Result<Value> {
        let id = self.op(n)?;
        self.value(body, id)
    }

    /// Block of a label.
    pub(super) fn block(&self, body: &Body, id: u32) -> Result<Block> {
        match body.blocks.get(&id) {
            Some(block) => Ok(*block),
            None => Err(self.fail(format!("{} is no block of the function", self.shown(id)))),
        }
    }

    /// Instruction of an operation that has these operands; `stated` is the type that it names.
    pub(super) fn make(
        &mut self,
        body: &Body,
        op: IrOp,
        args: SmallVec<[Value; 3]>,
        stated: Type,
    ) -> Result<InstData> {
        let ty = rules::check(&mut self.module.types, &body.function, &op, &args, stated);
        Ok(rules::data(op, args, self.placed(ty)?))
    }

    /// A call; its callee may be an intrinsic.
    pub(super) fn call(&mut self, body: &mut Body) -> Result<()> {
        let callee = self.op(2)?;
        let result = self.ty(self.op(0)?)?;
        let args = self.values(body, 3)?;
        let name = match self.globals.get(&callee) {
            Some(Global::Function(id)) => {
                let data = rules::data(IrOp::Call(*id), args, result);
                return self.finish(body, data);
            }
            Some(Global::Import(name)) => name.clone(),
            _ => {
                let message = format!("{} is no function", self.shown(callee));
                return Err(self.refused(Code::Name, message));
            }
        };
        let found = rules::callee(&name);
        match self.placed(found)? {
            rules::Callee::Nothing if result == Types::VOID => Ok(()),
            rules::Callee::Nothing => {
                let undef = body.function.constant(result, Const::Undef);
                self.finish_of(body, IrOp::Freeze, smallvec![undef])
            }
            rules::Callee::Intrinsic(intrinsic) => {
                let mut data = rules::data(IrOp::Intrinsic(intrinsic), args, result);
                data.flags = self.flags();
                if rules::copies(&data.op) {
                    data.align = 1;
                }
                self.finish(body, data)
            }
            rules::Callee::Function if printf::prints(&name) => {
                let id = self.printing();
                self.finish(body, rules::data(IrOp::Call(id), args, result))
            }
            rules::Callee::Function => {
                let message = format!("function @{name} has no definition");
                Err(self.refused(Code::Callee, message))
            }
        }
    }

    /// Ends a function: all that was used must be there, and what has no name gets a number.
    fn close(&mut self, body: &mut Body) -> Result<()> {
        let places = body.forward.values().map(|(_, loc)| *loc);
        if let Some(loc) = places.min_by_key(|loc| loc.byte) {
            let message = "a value is used that is not defined";
            return Err(Diagnostic::new(Code::Name, loc, message));
        }
        if body.current.is_some() {
            return Err(self.fail("a block has no end"));
        }
        let mut known = HashSet::new();
        let mut next = 0;
        let named = |name: &mut SmolStr| {
            if name.is_empty() {
                *name = format_smolstr!("{next}");
                next += 1;
            }
            *name = unique(std::mem::take(name), known.len() as u32, |name| {
                known.contains(name)
            });
            known.insert(name.clone());
        };
        body.function.visit_names(named);
        for block in &body.function.order {
            if let Some(last) = body.function.blocks[*block].insts.last() {
                let data = &mut body.function.insts[*last];
                let mut said = data.targets.iter().filter_map(|to| body.unrolling.get(to));
                data.flags.unroll = said.next().copied().unwrap_or_default();
            }
        }
        body.constants.close(&mut body.function);
        Ok(())
    }
}
