//! Control flow: branches, the copies of phis, subroutines.

use std::collections::HashMap;

use cranelift_entity::SecondaryMap;
use foldhash::fast::FixedState;
use kiln_visa::module::{Exec, Operand, PredUse};
use kiln_visa::opcode::{Opcode, Relation};

use super::diverge;
use super::function::{Emitter, Place, imm};
use super::operand::Dst;
use crate::error::{Code, Result};
use crate::intrinsics::Sign;
use crate::ir::{Block, FunctionId, Inst, Op, TypeData, Value, ValueDef};

/// Copies at the end of each block, and the final target of jumps to a block.
pub struct Copies {
    copies: SecondaryMap<Block, Vec<(Value, Value)>>,
    target: SecondaryMap<Block, Option<Block>>,
}

impl Copies {
    /// True if a block has no code: all jumps go past it.
    pub fn is_empty_block(&self, block: Block) -> bool {
        self.target[block].is_some()
    }

    fn target(&self, block: Block) -> Block {
        self.target[block].unwrap_or(block)
    }
}

impl Emitter<'_, '_> {
    /// Finds the copies of phis, and the blocks without code.
    pub fn empty_blocks(&mut self) -> Result<Copies> {
        let function = self.function;
        let mut copies: SecondaryMap<Block, Vec<(Value, Value)>> = SecondaryMap::new();
        for &block in &function.order {
            for &inst in &function.blocks[block].insts {
                let data = &function.insts[inst];
                let (Op::Phi, Some(result)) = (&data.op, data.result) else {
                    continue;
                };
                if let Some(plan) = &self.diverge
                    && (plan.masks[result] || plan.resumes[result])
                {
                    continue;
                }
                for (arg, from) in data.args.iter().zip(&data.targets) {
                    let undefined = function.is_undef(*arg);
                    if !undefined && self.classes.root(result) != self.classes.root(*arg) {
                        copies[*from].push((result, *arg));
                    }
                }
            }
        }
        if self.diverge.is_some() {
            self.before_branches(&mut copies)?;
        }
        let mut next: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
        for (n, &block) in function.order.iter().enumerate() {
            if let [only] = function.blocks[block].insts[..]
                && n > 0
                && function.insts[only].op == Op::Br
                && copies[block].is_empty()
            {
                next[block] = Some(function.insts[only].targets[0]);
            }
        }
        let mut target: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
        let mut passed: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
        for &block in &function.order {
            let (mut at, mut path) = (block, Vec::new());
            // A loop of empty blocks is left as it is, and so is what leads to it.
            while let Some(further) = target[at].or(next[at]) {
                if passed[at] == Some(block) {
                    path.drain(..).for_each(|block| next[block] = None);
                    break;
                }
                passed[at] = Some(block);
                path.push(at);
                at = further;
            }
            path.into_iter().for_each(|block| target[block] = Some(at));
        }
        Ok(Copies { copies, target })
    }

    /// Puts the copies on an edge that a goto takes before the goto: the channels go where they wait at once.
    fn before_branches(
        &mut self,
        copies: &mut SecondaryMap<Block, Vec<(Value, Value)>>,
    ) -> Result<()> {
        let function = self.function;
        for &block in &function.order {
            let Some((branch, goto)) = diverge::last(function, block) else {
                continue;
            };
            let Some(&end) = function.blocks[block].insts.last() else {
                continue;
            };
            let data = &function.insts[end];
            let conditional = diverge::condition(function, &self.bales.uses, branch).is_some();
            if data.op != Op::CondBr || !conditional {
                continue;
            }
            let (taken, other) = (data.targets[0], data.targets[1]);
            // A block with code of its own is where the channels wait; its copies are at its end.
            if function.blocks[taken].insts.len() > 1 {
                continue;
            }
            let moved = std::mem::take(&mut copies[taken]);
            let free = moved
                .iter()
                .all(|(to, _)| !self.classes.is_wanted(*to, other));
            let right = moved.is_empty() || goto && free;
            if !right {
                return self.diverges_otherwise("copies on an edge of a branch of channels");
            }
            copies[block].extend(moved);
        }
        Ok(())
    }

    /// Error that the hardware has no branch of channels as the IR has it.
    fn diverges_otherwise<T>(&self, what: &str) -> Result<T> {
        self.error(Code::Divergence, format!("{what}: not supported"))
    }

    /// Block where channels wait that comes next after a block.
    fn next_join(&self, block: Block) -> Option<Block> {
        let plan = self.diverge.as_ref()?;
        let at = self.layout.iter().position(|b| *b == block)?;
        let waits = |b: &&Block| plan.targets.values().any(|target| target == *b);
        self.layout[at + 1..].iter().find(waits).copied()
    }

    /// The end of a block that a goto or a join ends.
    fn branch_of_channels(
        &mut self,
        block: Block,
        branch: (Inst, bool),
        end: Inst,
        next: Option<Block>,
        copies: &Copies,
    ) -> Result<()> {
        let (inst, goto) = branch;
        let (targets, op) = (&self.data(end).targets, &self.data(end).op);
        let conditional = diverge::condition(self.function, &self.bales.uses, inst).is_some();
        let wrong =
            |e: &Self| e.diverges_otherwise("this order of blocks in divergent control flow");
        let taken = copies.target(targets[0]);
        if !goto && self.object().count != self.before {
            return self.diverges_otherwise("code before the branch of a join");
        }
        if self.next_join(block) != Some(taken) {
            return wrong(self);
        }
        let falls = match (conditional, op) {
            (true, Op::CondBr) => copies.target(targets[1]),
            _ => taken,
        };
        if !goto {
            return self.jump(None, falls, next);
        }
        let (Some(plan), condition) = (&self.diverge, self.data(inst).args[2]) else {
            return Ok(());
        };
        let (size, target) = (plan.channels, plan.targets.get(&inst).copied());
        let Some(label) = target.and_then(|target| self.labels[copies.target(target)]) else {
            return wrong(self);
        };
        let at = |block: Block| self.layout.iter().position(|b| *b == block);
        if at(block) >= target.and_then(at) {
            return wrong(self);
        }
        // The end of a loop: channels go back, and the others wait after it.
        let back = at(falls) <= at(block) && next == Some(taken) && target == Some(taken);
        let pred = match super::bale::uniform(self.function, condition) {
            Some(bit) if (bit != 0) == back => None,
            Some(_) if back => return Ok(()),
            Some(_) => return self.jump(None, falls, next),
            None => match self.mask(condition)?.at(0) {
                // Else channels go whose condition does not hold.
                Some(pred) => Some(PredUse {
                    inverse: pred.inverse == back,
                    ..pred
                }),
                None => return self.diverges_otherwise("such a condition"),
            },
        };
        let exec = Exec {
            size: size as u8,
            offset: 0,
            no_mask: false,
        };
        let label = match (back, self.labels[falls]) {
            (true, Some(start)) => start,
            _ => label,
        };
        self.object()
            .inst_if(Opcode::Goto, exec, pred, [label.into()]);
        match back {
            true => Ok(()),
            false => self.jump(None, falls, next),
        }
    }

    pub fn terminator(
        &mut self,
        block: Block,
        inst: Inst,
        next: Option<Block>,
        copies: &Copies,
    ) -> Result<()> {
        let data = self.data(inst);
        let next = next.map(|next| copies.target(next));
        if self.diverge.is_some()
            && let Some(branch) = diverge::last(self.function, block)
            && (branch.1 || diverge::condition(self.function, &self.bales.uses, branch.0).is_some())
        {
            self.parallel(&copies.copies[block])?;
            return self.branch_of_channels(block, branch, inst, next, copies);
        }
        self.parallel(&copies.copies[block])?;
        match &data.op {
            Op::Br => {
                let to = copies.target(data.targets[0]);
                self.jump(None, to, next)
            }
            Op::CondBr => {
                let (yes, no) = (
                    copies.target(data.targets[0]),
                    copies.target(data.targets[1]),
                );
                if let Some(bit) = super::bale::uniform(self.function, data.args[0]) {
                    let to = if bit & 1 != 0 { yes } else { no };
                    return self.jump(None, to, next);
                }
                if yes == no {
                    return self.jump(None, yes, next);
                }
                let mask = self.mask(data.args[0])?;
                let Some(pred) = mask.at(0) else {
                    return self.error(Code::Mismatch, "a condition is expected");
                };
                if next == Some(yes) {
                    let inverse = PredUse {
                        inverse: !pred.inverse,
                        ..pred
                    };
                    return self.jump(Some(inverse), no, None);
                }
                self.jump(Some(pred), yes, None)?;
                self.jump(None, no, next)
            }
            Op::Switch(numbers) => {
                let value = data.args[0];
                let (_, scalar) = self.shape(value)?;
                let ty = self.visa(scalar, Sign::Unsigned)?;
                for (number, to) in numbers.iter().zip(&data.targets[1..]) {
                    let src = self.source(value, Sign::Unsigned)?;
                    let mask = self.compare(Relation::Eq, 1, src, imm(ty, *number))?;
                    let to = copies.target(*to);
                    self.jump(mask.at(0), to, None)?;
                }
                self.jump(None, copies.target(data.targets[0]), next)
            }
            Op::Ret => self.ret(inst),
            // An unreachable end returns nothing.
            _ => self.end(),
        }
    }

    /// Ends the code where it is not known to be reached.
    pub fn end(&mut self) -> Result<()> {
        if let Some(passed) = self.passed.clone() {
            return self.leave(&passed, None);
        }
        self.leave_mode()?;
        self.object().inst(Opcode::Ret, Exec::channels(1), []);
        Ok(())
    }

    fn jump(&mut self, pred: Option<PredUse>, to: Block, next: Option<Block>) -> Result<()> {
        if pred.is_none() && next == Some(to) {
            return Ok(());
        }
        let Some(label) = self.labels[to] else {
            return self.error(Code::Name, "a block is not in the function");
        };
        self.object()
            .inst_if(Opcode::Jmp, Exec::channels(1), pred, [label.into()]);
        Ok(())
    }

    /// Copies that happen at one time. One whose destination no other reads goes first; a cycle is opened by a
    /// variable of its own.
    fn parallel(&mut self, copies: &[(Value, Value)]) -> Result<()> {
        if copies.is_empty() {
            return Ok(());
        }
        // Each copy: destination, source, and the class of the source.
        let class = |e: &Self, value: Value| match e.function.values[value].def {
            ValueDef::Inst(_) | ValueDef::Param(_) => Some(e.classes.root(value)),
            _ => None,
        };
        let mut open: Vec<(Value, Value, Option<Value>)> = Vec::new();
        for (to, from) in copies {
            open.push((*to, *from, class(self, *from)));
        }
        // Maps with an entry for each copied value: a dense map of all values would be allocated anew at each edge.
        let mut readers: HashMap<Value, u32, FixedState> = HashMap::default();
        for (_, _, from) in &open {
            if let Some(from) = from {
                *readers.entry(*from).or_default() += 1;
            }
        }
        let root = |e: &Self, value: Value| e.classes.root(value);
        let mut waiting: HashMap<Value, usize, FixedState> = HashMap::default();
        for (i, (to, ..)) in open.iter().enumerate() {
            waiting.insert(root(self, *to), i);
        }
        let mut done = vec![false; open.len()];
        let mut ready: Vec<usize> = (0..open.len())
            .filter(|i| !readers.contains_key(&root(self, open[*i].0)))
            .collect();
        let mut replaced: HashMap<Value, Place, FixedState> = HashMap::default();
        let mut start = 0;
        loop {
            while let Some(i) = ready.pop() {
                let (to, from, read) = open[i];
                done[i] = true;
                let place = read.and_then(|read| replaced.get(&read).cloned());
                self.move_value(to, from, place)?;
                if let Some(read) = read
                    && let Some(left) = readers.get_mut(&read)
                {
                    *left -= 1;
                    if *left == 0
                        && let Some(&free) = waiting.get(&read)
                        && !done[free]
                    {
                        ready.push(free);
                    }
                }
            }
            while start < done.len() && done[start] {
                start += 1;
            }
            let Some((to, ..)) = open.get(start) else {
                return Ok(());
            };
            // A cycle: the old value of the destination is saved, and its readers take that.
            let cycle = root(self, *to);
            let aside = self.new_place(self.function.ty(*to))?;
            self.store_to(&aside, cycle)?;
            replaced.insert(cycle, aside);
            ready.push(start);
        }
    }

    fn move_value(&mut self, to: Value, from: Value, place: Option<Place>) -> Result<()> {
        let (count, scalar) = self.shape(to)?;
        match (self.place(to)?, place) {
            (Place::Mask(to), Some(Place::Mask(from))) => self.copy_mask(&to, &from),
            (Place::Mask(to), _) => {
                let from = self.mask(from)?;
                self.copy_mask(&to, &from)
            }
            (_, Some(Place::Var(var))) => {
                let ty = self.visa(scalar, Sign::Signed)?;
                let layout = super::operand::Layout::contiguous(0, ty.bytes());
                let dst = self.whole(to, Sign::Signed)?;
                self.copy(count, dst, super::function::source(var, ty, layout))
            }
            _ => {
                let dst = self.whole(to, Sign::Signed)?;
                let src = self.source(from, Sign::Signed)?;
                self.copy(count, dst, src)
            }
        }
    }

    /// Puts a value into a place of the same type.
    pub fn store_to(&mut self, place: &Place, value: Value) -> Result<()> {
        match place {
            Place::Mask(to) => {
                let from = self.mask(value)?;
                self.copy_mask(to, &from)
            }
            Place::Var(var) => {
                let (count, scalar) = self.shape(value)?;
                let ty = self.visa(scalar, Sign::Signed)?;
                let src = self.source(value, Sign::Signed)?;
                let layout = super::operand::Layout::contiguous(0, ty.bytes());
                self.copy(count, Dst::var(*var, ty, layout), src)
            }
            Place::None => self.unsupported("a copy"),
        }
    }

    /// Member of an aggregate that is built by `insertvalue`; `None` if it may be anything.
    pub fn member(&self, aggregate: Value, number: u32) -> Option<Value> {
        let mut at = aggregate;
        loop {
            let data = self.data(self.function.inst_of(at)?);
            let Op::InsertValue(path) = &data.op else {
                return None;
            };
            if path.as_slice() == [number] {
                return Some(data.args[1]);
            }
            at = data.args[0];
        }
    }

    fn ret(&mut self, inst: Inst) -> Result<()> {
        let data = self.data(inst);
        if let Some(passed) = self.passed.clone() {
            return self.leave(&passed, data.args.first().copied());
        }
        if let (Some(signature), Some(value)) = (self.signature.clone(), data.args.first()) {
            let is_struct = matches!(
                self.shared.module.types.data(self.function.ty(*value)),
                TypeData::Struct(..)
            );
            for (number, place) in (0..).zip(&signature.result) {
                let part = match is_struct {
                    true => self.member(*value, number),
                    false => Some(*value),
                };
                if let Some(part) = part.filter(|part| !self.function.is_undef(*part)) {
                    self.store_to(place, part)?;
                }
            }
        }
        self.leave_mode()?;
        self.object().inst(Opcode::Ret, Exec::channels(1), []);
        Ok(())
    }

    /// A call of a subroutine of the same object.
    pub fn call(&mut self, inst: Inst, callee: FunctionId) -> Result<()> {
        let data = self.data(inst);
        let Some(signature) = self.shared.subroutines.get(&callee).cloned() else {
            let name = &self.shared.module.functions[callee].name;
            return self.error(
                Code::Callee,
                format!("function @{name} has no definition here"),
            );
        };
        if signature.params.len() != data.args.len() {
            return self.error(Code::Mismatch, "the call has another number of arguments");
        }
        for (place, arg) in signature.params.iter().zip(&data.args) {
            if !self.function.is_undef(*arg) {
                self.store_to(place, *arg)?;
            }
        }
        let label: Operand = signature.label.into();
        self.object().inst(
            Opcode::Call,
            Exec::channels(super::calls::CHANNELS),
            [label],
        );
        let Some(result) = data.result else {
            return Ok(());
        };
        let is_struct = matches!(self.shared.module.types.data(data.ty), TypeData::Struct(..));
        if !is_struct {
            return self.load_from(result, &signature.result[0]);
        }
        for (number, member) in self.members(inst) {
            if let Some(place) = signature.result.get(number as usize) {
                self.load_from(member, place)?;
            }
        }
        Ok(())
    }

    /// Copies a place into a value of the same type.
    fn load_from(&mut self, value: Value, place: &Place) -> Result<()> {
        match (self.place(value)?, place) {
            (Place::Mask(to), Place::Mask(from)) => self.copy_mask(&to, from),
            (Place::Var(_), Place::Var(var)) => {
                let (count, scalar) = self.shape(value)?;
                let ty = self.visa(scalar, Sign::Signed)?;
                let dst = self.whole(value, Sign::Signed)?;
                let layout = super::operand::Layout::contiguous(0, ty.bytes());
                self.copy(count, dst, super::function::source(*var, ty, layout))
            }
            _ => self.error(Code::Mismatch, "the result of the call has another type"),
        }
    }
}
