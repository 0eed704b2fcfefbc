//! A machine function as a [`Problem`] of register allocation.
//!
//! Takes a legal function in SSA form whose flags and addresses are assigned, with the units chosen for payloads, and
//! guarantees a problem that says all that the hardware and the calling conventions ask of general registers.
//!
//! The instructions of the entry come after some of their own: one that defines the inputs where they arrive, and a
//! copy of each that arrives in a unit that is not given out. Old contents that an instruction writes over are a use
//! to which the definition is tied. A value has one unit in an instruction: what must be in two units, or is written
//! over and read late, is copied before. Each block ends in one instruction without operands; other instructions
//! without operands are left out, and so are blocks that cannot be reached.
//!
//! Values are numbered downward in the order of the code. regalloc2 merges the live ranges of block parameters and
//! arguments in the order of these numbers, and merges more of a large web when a short early range comes before a
//! long late one.

use std::collections::HashMap;

use cranelift_entity::{EntitySet, SecondaryMap};
use foldhash::fast::FixedState;
use kiln_machine::func::{Block, Class, Function, Term};
use kiln_machine::graph::Graph;
use kiln_machine::inst::{Base, Inst, Opcode, Reg, Role as MachineRole, Src, VReg};
use kiln_machine::liveness::{Liveness, term_uses};
use kiln_platform::bits::UnitSet;
use kiln_platform::platform::UNIT_GRFS;
use smallvec::SmallVec;

use crate::AllocError;
use crate::frame::Frame;
use crate::late::reads_late;
use crate::payload::Payloads;
use crate::problem::{Constraint, Operand, Problem, Role, Unit, Value};
use crate::routines::{Parts, Passed};

const NONE: u32 = u32::MAX;

/// The machine instruction that an instruction of the problem stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Defines the inputs.
    Entry,
    /// Copies a value: an input from where it arrives, or one that an instruction needs twice.
    Copy,
    /// Writes an argument of a subroutine to a GRF of scratch space.
    Pass(u32),
    /// Reads a result of a subroutine from a GRF of scratch space.
    Take(u32),
    At(Block, u32),
    Term(Block),
}

/// A problem, and what its instructions and blocks stand for.
pub struct Presented<'a> {
    pub problem: Problem,
    pub func: &'a Function,
    pub parts: &'a Parts,
    /// By instruction.
    pub sources: Vec<Source>,
    /// By block.
    pub origins: Vec<Block>,
    /// The number of each value; [`NONE`] of a register that is no value.
    values: SecondaryMap<VReg, Value>,
    /// Copies of values that instructions of a block need in several units, by the number of the copy.
    copies: HashMap<(Block, VReg, usize), Value, FixedState>,
    /// Copies that idle blocks pass instead of arguments, by the block and the argument's number.
    copies_of_arguments: HashMap<(Block, usize), Value, FixedState>,
}

/// Arguments of idle blocks that need a place of their own, by the block that leads there: the idle block, the argument's
/// number, and the argument.
type Shared = SecondaryMap<Block, Vec<(Block, usize, VReg)>>;

/// States a function as a problem.
///
/// # Errors
/// The function is not what allocation takes.
pub fn build<'a>(
    func: &'a Function,
    payloads: &Payloads,
    frame: &Frame,
    parts: &'a Parts,
) -> Result<Presented<'a>, AllocError> {
    let origins = reverse_postorder(func);
    let mut number: SecondaryMap<Block, u32> = SecondaryMap::with_default(NONE);
    for (i, &b) in (0..).zip(&origins) {
        number[b] = i;
    }
    let insts = origins
        .iter()
        .map(|&b| func.blocks[b].insts.len() + 1)
        .sum();
    let mut p = Presented {
        problem: Problem::new(frame.file(), insts, origins.len()),
        func,
        parts,
        sources: Vec::with_capacity(insts),
        origins,
        values: SecondaryMap::with_default(NONE),
        copies: HashMap::default(),
        copies_of_arguments: HashMap::default(),
    };
    p.number()?;
    let active = entered_active(func);
    let shared = shared_arguments(func, &active);
    for b in p.origins.clone() {
        let block = &func.blocks[b];
        if b == func.entry() {
            p.entry(frame)?;
        }
        let named = (0..).zip(&block.insts);
        for (i, inst) in named.filter(|(_, inst)| names_values(inst)) {
            match inst.op {
                Opcode::CallRoutine(callee) => p.call_routine(b, i, inst, callee.into())?,
                Opcode::Return => p.leave(b, i, inst)?,
                _ => p.inst(b, i, inst, payloads.of(b, i))?,
            }
        }
        p.copy_shared(b, &shared)?;
        p.add(Source::Term(b), []);
        let params: SmallVec<[Value; 8]> = p.all(&block.params)?;
        let edges = block.succs.iter();
        let edges = edges.map(|edge| {
            let copied = |(n, &v)| match p.copies_of_arguments.get(&(b, n)) {
                Some(&copy) => Ok(copy),
                None => p.value(v),
            };
            let args = edge.args.iter().enumerate().map(copied);
            Ok((number[edge.to], args.collect::<Result<_, _>>()?))
        });
        let edges: SmallVec<[(u32, SmallVec<[Value; 8]>); 2]> = edges.collect::<Result<_, _>>()?;
        p.problem.end_block(params, edges);
        if func.target.paired && is_idle(func, &active, b) {
            p.problem.pass_by();
        }
    }
    p.problem.finish();
    Ok(p)
}

/// A virtual register in an instruction, and the unit that it has to be in.
struct Named {
    v: VReg,
    role: MachineRole,
    /// A source that is read while results are written.
    is_late: bool,
    fixed: Option<Unit>,
}

impl Presented<'_> {
    /// By value: its register; none for a copy that only the problem has.
    pub fn registers(&self) -> Vec<Option<VReg>> {
        let mut registers = vec![None; self.problem.value_count()];
        for (v, &value) in self.values.iter().filter(|(_, value)| **value != NONE) {
            registers[value as usize] = Some(v);
        }
        registers
    }

    /// The place in the function that an instruction stands for. One of the problem's own has that of the next.
    pub fn spot(&self, inst: u32) -> (Block, u32) {
        let rest = self.sources[inst as usize..].iter();
        let mut named = rest.filter_map(|source| match *source {
            Source::At(b, i) => Some((b, i)),
            Source::Term(b) => Some((b, self.func.blocks[b].insts.len() as u32)),
            Source::Entry | Source::Copy | Source::Pass(_) | Source::Take(_) => None,
        });
        named.next().unwrap_or((self.func.entry(), 0))
    }

    /// The first instruction that stands for one from a place of the function on, in its block.
    pub fn first_from(&self, (block, inst): (Block, u32)) -> Option<u32> {
        let found = self.sources.iter().position(|source| match *source {
            Source::At(b, i) => b == block && i >= inst,
            Source::Term(b) => b == block,
            Source::Entry | Source::Copy | Source::Pass(_) | Source::Take(_) => false,
        });
        found.map(|i| i as u32)
    }

    /// Gives numbers to all values.
    fn number(&mut self) -> Result<(), AllocError> {
        let func = self.func;
        let mut defined: Vec<VReg> = Vec::with_capacity(func.regs.len());
        for &b in &self.origins {
            if b == func.entry() {
                defined.extend(func.inputs.iter().map(|&(v, _)| v));
            }
            let block = &func.blocks[b];
            defined.extend(&block.params);
            for inst in block.insts.iter().filter(|inst| names_values(inst)) {
                func.visit(inst, |v, role| {
                    if role.is_def() {
                        defined.push(v);
                    }
                });
            }
        }
        for &v in defined.iter().rev() {
            if self.values[v] != NONE {
                return Err(self.invalid(format!("{v} is defined twice")));
            }
            self.values[v] = self.problem.add_value(self.slot_grfs(v));
        }
        Ok(())
    }

    /// GRFs that a value needs in a spill slot: a unit in a frame on the stack.
    fn slot_grfs(&self, v: VReg) -> u32 {
        let (target, data) = (self.func.target, self.func.regs[v]);
        match self.func.entered.by_stack_call() || data.class != Class::Grf {
            true => UNIT_GRFS,
            false => u32::from(data.bytes).div_ceil(target.grf_bytes).max(1),
        }
    }

    fn invalid(&self, what: String) -> AllocError {
        AllocError::Invalid {
            func: self.func.name.clone(),
            what,
        }
    }

    fn value(&self, v: VReg) -> Result<Value, AllocError> {
        match self.values[v] {
            NONE => Err(self.invalid(format!("{v} is used and never defined"))),
            value => Ok(value),
        }
    }

    fn all(&self, list: &[VReg]) -> Result<SmallVec<[Value; 8]>, AllocError> {
        list.iter().map(|&v| self.value(v)).collect()
    }

    fn add(&mut self, source: Source, operands: impl IntoIterator<Item = Operand>) {
        self.sources.push(source);
        self.problem.add_inst(operands);
    }

    fn copy(&mut self, from: Value, to: Value) {
        self.sources.push(Source::Copy);
        self.problem.add_copy(from, to);
    }

    /// The value in another unit, from before the instruction on.
    fn copied(&mut self, value: Value) -> Value {
        let copy = self.temporary();
        self.copy(value, copy);
        copy
    }

    /// A copy of a value that nothing writes over. Later instructions of the block that need as many share it.
    fn copy_of(&mut self, b: Block, v: VReg, number: usize) -> Result<Value, AllocError> {
        if let Some(&copy) = self.copies.get(&(b, v, number)) {
            return Ok(copy);
        }
        let value = self.value(v)?;
        let copy = self.copied(value);
        self.copies.insert((b, v, number), copy);
        Ok(copy)
    }

    /// Copies the arguments that an idle block after a block passes where they live on: it moves nothing itself.
    fn copy_shared(&mut self, b: Block, shared: &Shared) -> Result<(), AllocError> {
        for &(idle, n, v) in &shared[b] {
            let value = self.value(v)?;
            let copy = self.copied(value);
            self.copies_of_arguments.insert((idle, n), copy);
        }
        Ok(())
    }

    fn temporary(&mut self) -> Value {
        self.problem.add_value(UNIT_GRFS)
    }

    fn entry(&mut self, frame: &Frame) -> Result<(), AllocError> {
        let func = self.func;
        let mut copies: SmallVec<[(Value, Value); 8]> = SmallVec::new();
        let mut operands: SmallVec<[Operand; 16]> = SmallVec::new();
        for (n, &(v, grf)) in func.inputs.iter().enumerate() {
            let to = self.value(v)?;
            let (arrives, at) = match grf {
                // A call puts its return address into a register.
                None if n == 0 => (to, Constraint::Register),
                None => (to, Constraint::Anywhere),
                Some(grf) => {
                    let unit = grf / UNIT_GRFS;
                    if unit as usize >= frame.unit_count || grf % UNIT_GRFS != 0 {
                        return Err(self.invalid(format!("{v} arrives in r{grf}")));
                    }
                    let mut arrives = to;
                    // The unit of r0 alone is not given out and yet not overwritten.
                    let stays = unit == 0 && frame.keeps_first && self.is_read_at_once(v);
                    if !frame.allocatable.contains(unit) && !stays {
                        arrives = self.temporary();
                        copies.push((arrives, to));
                    }
                    (arrives, Constraint::Fixed(Unit(unit as u16)))
                }
            };
            operands.push(Operand::new(arrives, Role::Def, at));
        }
        self.add(Source::Entry, operands);
        for (arrives, to) in copies {
            self.copy(arrives, to);
        }
        Ok(())
    }

    /// True if all that is done with a register is that instructions of the entry block read it.
    fn is_read_at_once(&self, v: VReg) -> bool {
        let func = self.func;
        let mut otherwise = false;
        for (block, data) in func.blocks.iter() {
            term_uses(func, block, |used| otherwise |= used == v);
            for inst in &data.insts {
                func.visit(inst, |used, role| {
                    otherwise |= match role {
                        MachineRole::Result { old, .. } => old == Some(v),
                        _ => used == v && block != func.entry(),
                    };
                });
            }
        }
        !otherwise
    }

    /// The registers of an instruction, with the units that payloads and calling conventions ask for.
    fn named(&self, inst: &Inst, payload: Option<&[Option<Unit>]>) -> SmallVec<[Named; 8]> {
        let late = reads_late(self.func, inst);
        let stack = self.func.abi.stack.as_ref();
        let args = stack.map_or(0, |s| s.args / UNIT_GRFS);
        let mut named: SmallVec<[Named; 8]> = SmallVec::new();
        self.func.visit(inst, |v, role| {
            let passed = match role {
                MachineRole::Source { src: 0, n } if inst.passes() => Some(n),
                MachineRole::Result { n, .. } if inst.is_call() => Some(n),
                _ => None,
            };
            let fixed = match passed {
                Some(n) => Some(Unit((args + n) as u16)),
                None => payload.and_then(|units| units[named.len()]),
            };
            let is_late = matches!(role, MachineRole::Source { src, .. } if late[usize::from(src)]);
            named.push(Named {
                v,
                role,
                is_late,
                fixed,
            });
        });
        named
    }

    fn inst(
        &mut self,
        b: Block,
        i: u32,
        inst: &Inst,
        payload: Option<&[Option<Unit>]>,
    ) -> Result<(), AllocError> {
        if let (Opcode::Undef, Some(v)) = (inst.op, inst.dst.and_then(|dst| dst.reg.as_virt())) {
            self.sources.push(Source::At(b, i));
            self.problem.add_undefined(self.value(v)?);
            return Ok(());
        }
        let named = self.named(inst, payload);
        // The values of each operand, and of what it is written over.
        let mut values: SmallVec<[(Value, Option<Value>); 8]> = SmallVec::new();
        // The source that is written over in its place.
        let adds = self.func.adds_in_place(inst);
        let addend = |x: &Named| {
            let MachineRole::Result { n, old: Some(_) } = x.role else {
                return None;
            };
            let same = |s: &Named| {
                s.role == MachineRole::Source { src: 0, n }
                    && s.fixed.is_some()
                    && s.fixed == x.fixed
            };
            named.iter().position(same).filter(|_| adds)
        };
        let apart = named.iter().filter(|x| addend(x).is_none());
        let mut held: SmallVec<[VReg; 8]> = apart.filter_map(|x| x.role.old()).collect();
        let overs = held.len();
        for (n, x) in named.iter().enumerate() {
            let mut value = self.value(x.v)?;
            let is_source = matches!(x.role, MachineRole::Source { .. });
            if is_source && (x.is_late || x.fixed.is_some()) {
                if held.contains(&x.v) && (x.fixed.is_some() || held[..overs].contains(&x.v)) {
                    let copies = held.iter().filter(|&&v| v == x.v).count();
                    value = self.copy_of(b, x.v, copies)?;
                }
                held.push(x.v);
            }
            let old = match x.role.old() {
                Some(_) if let Some(n) = addend(x) => Some(values[n].0),
                Some(old) if named[..n].iter().any(|x| x.role.old() == Some(old)) => {
                    let old = self.value(old)?;
                    Some(self.copied(old))
                }
                Some(old) => Some(self.value(old)?),
                None => None,
            };
            values.push((value, old));
        }
        self.clobber(inst, &named);
        let mut operands: SmallVec<[Operand; 8]> = SmallVec::new();
        for (x, (value, old)) in named.iter().zip(values) {
            let at = x.fixed.map_or(Constraint::Register, Constraint::Fixed);
            match (x.role, old) {
                (MachineRole::Source { .. }, _) => {
                    let role = if x.is_late { Role::LateUse } else { Role::Use };
                    operands.push(Operand::new(value, role, at));
                }
                (MachineRole::Result { .. }, None) => {
                    operands.push(Operand::new(value, Role::Def, at));
                }
                (MachineRole::Result { .. }, Some(old)) => {
                    let tied = Constraint::Tied(operands.len() as u16);
                    // The addend has the unit already.
                    let from = addend(x).map_or(at, |_| Constraint::Anywhere);
                    operands.push(Operand::new(old, Role::Use, from));
                    let to = x.fixed.map_or(tied, Constraint::Fixed);
                    operands.push(Operand::new(value, Role::Def, to));
                }
                _ => return Err(self.invalid(format!("{} in {b} is no general register", x.v))),
            }
        }
        self.add(Source::At(b, i), operands);
        Ok(())
    }

    /// Units that a call with a stack overwrites beside its results.
    fn clobber(&mut self, inst: &Inst, named: &[Named]) {
        if !inst.is_call() || self.func.abi.stack.is_none() {
            return;
        }
        let results = named.iter().filter(|x| x.role.is_def());
        let results: UnitSet = results.filter_map(|x| x.fixed).collect();
        let clobbers = self.parts.clobbers(self.func, inst) - results;
        self.problem.clobber(clobbers);
    }

    /// A call of a subroutine: arguments and results are where its own allocation has them.
    fn call_routine(
        &mut self,
        b: Block,
        i: u32,
        inst: &Inst,
        callee: u32,
    ) -> Result<(), AllocError> {
        let Some(convention) = self.parts.convention(callee) else {
            return Err(self.invalid(format!("subroutine {callee} has no convention")));
        };
        let (uses, defs) = passed_by(self.func, inst);
        if uses.len() != convention.inputs.len() || defs.len() > convention.results.len() {
            return Err(self.invalid(format!("another call than subroutine {callee} takes")));
        }
        let mut operands: SmallVec<[Operand; 16]> = SmallVec::new();
        let mut seen: EntitySet<VReg> = EntitySet::new();
        for (&v, &passed) in uses.iter().zip(&convention.inputs) {
            let mut value = self.value(v)?;
            match passed {
                Passed::Unit(unit) => {
                    if !seen.insert(v) {
                        value = self.copied(value);
                    }
                    operands.push(Operand::new(value, Role::Use, Constraint::Fixed(unit)));
                }
                Passed::Slot(slot) => {
                    let operand = Operand::new(value, Role::Use, Constraint::Register);
                    self.add(Source::Pass(slot), [operand]);
                }
            }
        }
        let mut clobbers = convention.clobbers | UnitSet::of(convention.return_address);
        let mut taken: SmallVec<[(u32, VReg); 8]> = SmallVec::new();
        for (&v, &passed) in defs.iter().zip(&convention.results) {
            match passed {
                Passed::Unit(unit) => {
                    clobbers.remove(unit);
                    let value = self.value(v)?;
                    operands.push(Operand::new(value, Role::Def, Constraint::Fixed(unit)));
                }
                Passed::Slot(slot) => taken.push((slot, v)),
            }
        }
        self.problem.clobber(clobbers);
        self.add(Source::At(b, i), operands);
        for (slot, v) in taken {
            let operand = Operand::new(self.value(v)?, Role::Def, Constraint::Register);
            self.add(Source::Take(slot), [operand]);
        }
        Ok(())
    }

    /// The return of a subroutine: its results may be anywhere, the return address is in a unit.
    fn leave(&mut self, b: Block, i: u32, inst: &Inst) -> Result<(), AllocError> {
        let (mut uses, _) = passed_by(self.func, inst);
        uses.extend(return_address(inst));
        let mut operands: SmallVec<[Operand; 16]> = SmallVec::new();
        let mut seen: EntitySet<VReg> = EntitySet::new();
        for (n, &v) in uses.iter().enumerate() {
            let mut value = self.value(v)?;
            if !seen.insert(v) {
                value = self.copied(value);
            }
            let at = match n + 1 == uses.len() {
                true => Constraint::Register,
                false => Constraint::Anywhere,
            };
            operands.push(Operand::new(value, Role::Use, at));
        }
        self.add(Source::At(b, i), operands);
        Ok(())
    }
}

/// True if allocation has to know of an instruction: one of the machine's whose operands name no virtual registers is
/// left out of the problem.
pub fn names_values(inst: &Inst) -> bool {
    let is_value = |reg: Reg| reg.as_virt().is_some() || reg.as_list().is_some();
    let mut srcs = inst.srcs.iter().filter_map(Src::as_reg);
    inst.gen_op().is_none()
        || inst.dst.is_some_and(|dst| is_value(dst.reg))
        || srcs.any(|src| is_value(src.reg))
}

/// Values that a call or return of a subroutine passes, and the results that it defines.
pub fn passed_by<'f>(func: &'f Function, inst: &Inst) -> (Vec<VReg>, &'f [VReg]) {
    let list = |reg: Option<Reg>| match reg.map(Reg::base) {
        Some(Base::List(list)) => &func.lists[list][..],
        _ => &[],
    };
    let first = inst.srcs.first().and_then(|src| src.as_reg());
    let uses = list(first.map(|r| r.reg)).to_vec();
    (uses, list(inst.dst.as_ref().map(|dst| dst.reg)))
}

/// The return address of a subroutine, in its return.
pub fn return_address(inst: &Inst) -> Option<VReg> {
    inst.srcs.last()?.as_reg()?.reg.as_virt()
}

/// The blocks that execution may come to with an active channel.
fn entered_active(func: &Function) -> EntitySet<Block> {
    let mut active = EntitySet::new();
    active.insert(func.entry());
    for block in func.blocks.values() {
        // The last of two is taken when no channel is active, and so is the one of a goto that all channels take.
        let always = match block.term {
            Term::GotoForward { pred: None, .. } => 0,
            Term::GotoForward { .. } | Term::GotoBackward { .. } | Term::Join => 1,
            _ => block.succs.len(),
        };
        active.extend(block.succs.iter().take(always).map(|edge| edge.to));
    }
    active
}

/// True for a block that a thread whose channels wait passes without executing it, if another thread of its pair has active
/// channels: a join, and a block before one that only threads without active channels come to.
fn is_idle(func: &Function, active: &EntitySet<Block>, b: Block) -> bool {
    match func.blocks[b].term {
        Term::Join => true,
        Term::Jump => !active.contains(b),
        _ => false,
    }
}

/// Finds arguments of idle blocks that live on after the block that they are passed to, or are passed twice.
fn shared_arguments(func: &Function, active: &EntitySet<Block>) -> Shared {
    let mut shared = Shared::new();
    if !func.target.paired {
        return shared;
    }
    let graph = Graph::new(func);
    let passes = |b: &Block| {
        let block = &func.blocks[*b];
        let passes = block.succs.iter().any(|edge| !edge.args.is_empty());
        passes && block.term == Term::Jump && is_idle(func, active, *b)
    };
    let idle: Vec<Block> = func.blocks.keys().filter(passes).collect();
    let edges = idle.iter().flat_map(|&b| &func.blocks[b].succs);
    let mut passed: EntitySet<VReg> = EntitySet::new();
    passed.extend(edges.flat_map(|edge| edge.args.iter().copied()));
    let live = Liveness::of(func, &graph, |v| passed.contains(v));
    for b in idle {
        let [before] = graph.preds(b) else { continue };
        for edge in &func.blocks[b].succs {
            for (n, &v) in edge.args.iter().enumerate() {
                let again = edge.args[..n].contains(&v) || live.live_in(edge.to).contains(&v);
                let is_general = func.regs[v].class == Class::Grf;
                if again && is_general && !is_idle(func, active, *before) {
                    shared[*before].push((b, n, v));
                }
            }
        }
    }
    shared
}

/// The blocks that can be reached, each after its predecessors but for those of back edges.
fn reverse_postorder(func: &Function) -> Vec<Block> {
    let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut order = Vec::with_capacity(func.blocks.len());
    let mut stack = vec![(func.entry(), 0)];
    seen[func.entry()] = true;
    while let Some((b, next)) = stack.pop() {
        // The last successor first, so that the first one, which is fallen into, follows directly.
        let succs = &func.blocks[b].succs;
        match succs.len().checked_sub(next + 1) {
            Some(i) => {
                stack.push((b, next + 1));
                let to = succs[i].to;
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, 0));
                }
            }
            None => order.push(b),
        }
    }
    order.reverse();
    order
}
