//! A machine function as regalloc2 wants to see it.
//!
//! The instructions of the entry come after some of their own: one that defines the inputs where
//! they arrive, and a copy of each that arrives in a register that is not to be allocated.
//! Blocks follow in reverse postorder, which regalloc2's checker wants (it takes a block before its
//! predecessors for one that nothing reaches); what cannot be reached is left out. Old contents that
//! an instruction writes over are a use that the definition must share its register with. Each
//! block ends in one instruction without operands; others without operands are left out.
//!
//! Values are numbered downward in the order of the code: regalloc2 merges the live ranges of block
//! parameters and arguments in the order of these numbers, and merges more of a large web when a short
//! early range comes before a long late one.

use cranelift_entity::{EntitySet, SecondaryMap};
use kiln_machine::func::{Block, Class, Function, Term};
use kiln_machine::inst::{Base, Inst, Opcode, Reg, Role, Src, VReg};
use kiln_target::isa::RegFile;
use kiln_target::platform::Platform;
use regalloc2::{
    InstRange, MachineEnv, Operand, OperandConstraint, OperandKind, OperandPos, PReg, PRegSet,
    RegClass,
};
use smallvec::SmallVec;

use crate::AllocError;
use crate::flags::region_end;
use crate::frame::Frame;
use crate::place::{ANY, Fixed};
use crate::routines::{Parts, Passed};

/// Units that one class of regalloc2 can number.
pub const UNITS: u32 = 64;
/// Of these the last is the number of no register.
pub const ONE_CLASS: u32 = UNITS - 1;
const NONE: u32 = u32::MAX;
/// Where an instruction of the adapter comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Defines the inputs.
    Entry,
    /// Copies a value: an input from where it arrives, or one that an instruction reads late and
    /// also writes over.
    Copy,
    /// Writes an argument of a subroutine to a slot, or reads a result.
    Pass(u32),
    Take(u32),
    At(Block, u32),
    Term(Block),
}

/// The class and the number of a unit. All values are of the first class: a file of 128 units would
/// give the second half of them the second.
pub fn preg(unit: u32) -> PReg {
    const CLASSES: [RegClass; 2] = [RegClass::Int, RegClass::Float];
    PReg::new(
        (unit % UNITS) as usize,
        CLASSES[(unit / UNITS) as usize % 2],
    )
}

/// The unit of a register.
pub fn unit(preg: PReg) -> u32 {
    let half = u32::from(preg.class() == RegClass::Float);
    preg.hw_enc() as u32 + half * UNITS
}

/// The units that may be given out.
pub fn environment(frame: &Frame) -> MachineEnv {
    let mut units = [PRegSet::empty(); 3];
    let mut saved = units;
    for &u in &frame.units {
        let preg = preg(u);
        let set = match frame.saved.contains(&u) {
            true => &mut saved,
            false => &mut units,
        };
        set[preg.class() as usize].add(preg);
    }
    MachineEnv {
        preferred_regs_by_class: units,
        non_preferred_regs_by_class: saved,
        scratch_by_class: [None; 3],
        fixed_stack_slots: Vec::new(),
    }
}

pub type Blocks = SmallVec<[regalloc2::Block; 2]>;

/// Operands of all instructions in one pool, with ranges.
pub struct Adapter<'a> {
    pub func: &'a Function,
    pub parts: &'a Parts,
    pub source: Vec<Source>,
    /// The block of the function behind each of the adapter's.
    pub origin: Vec<Block>,
    operands: Vec<Operand>,
    ranges: Vec<(u32, u32)>,
    /// Instructions of each block.
    blocks: Vec<(u32, u32)>,
    succs: Vec<Blocks>,
    preds: Vec<Blocks>,
    params: Vec<Vec<regalloc2::VReg>>,
    args: Vec<SmallVec<[Vec<regalloc2::VReg>; 2]>>,
    /// What calls overwrite beside their results, by instruction.
    calls: Vec<(u32, PRegSet)>,
    /// regalloc2's number of each virtual register.
    numbers: SecondaryMap<VReg, u32>,
    vregs: usize,
}

impl<'a> Adapter<'a> {
    /// By regalloc2's number, the registers that a value takes in memory: a unit on the stack, and of what is
    /// added.
    pub fn grfs(&self) -> Vec<u32> {
        let target = self.func.target;
        let mut grfs = vec![target.unit_grfs(); self.vregs];
        if self.func.entered.by_stack_call() {
            return grfs;
        }
        for (v, data) in self
            .func
            .regs
            .iter()
            .filter(|(_, data)| data.class == Class::Grf)
        {
            if let Some(grfs) = grfs.get_mut(self.numbers[v] as usize) {
                *grfs = u32::from(data.bytes).div_ceil(target.grf_bytes).max(1);
            }
        }
        grfs
    }

    /// # Errors
    /// The function does not keep to what allocation is promised.
    pub fn new(
        func: &'a Function,
        fixed: &Fixed,
        frame: &Frame,
        parts: &'a Parts,
    ) -> Result<Adapter<'a>, AllocError> {
        let origin = reverse_postorder(func);
        let mut number: SecondaryMap<Block, u32> = SecondaryMap::with_default(u32::MAX);
        for (i, &b) in origin.iter().enumerate() {
            number[b] = i as u32;
        }
        let insts = origin.iter().map(|&b| func.blocks[b].insts.len() + 1);
        let count = insts.sum();
        let mut a = Adapter {
            func,
            parts,
            source: Vec::with_capacity(count),
            operands: Vec::new(),
            ranges: Vec::with_capacity(count),
            blocks: Vec::with_capacity(origin.len()),
            succs: Vec::with_capacity(origin.len()),
            preds: vec![Blocks::new(); origin.len()],
            params: Vec::with_capacity(origin.len()),
            args: Vec::with_capacity(origin.len()),
            calls: Vec::new(),
            origin,
            numbers: SecondaryMap::with_default(NONE),
            vregs: 0,
        };
        a.number()?;
        for b in a.origin.clone() {
            let block = &func.blocks[b];
            let first = a.source.len() as u32;
            if b == func.entry() {
                a.entry(frame)?;
            }
            let named = block.insts.iter().enumerate();
            for (i, inst) in named.filter(|(_, inst)| names_values(inst)) {
                match inst.op {
                    Opcode::CallRoutine(callee) => {
                        a.call_routine(b, i as u32, inst, callee.into())?
                    }
                    Opcode::Return => a.leave(b, i as u32, inst)?,
                    _ => a.inst(b, i as u32, inst, fixed.of(b, i as u32))?,
                }
            }
            a.source.push(Source::Term(b));
            a.close(a.operands.len());
            a.blocks.push((first, a.source.len() as u32));
            let params = block.params.iter().map(|&v| a.vreg(v));
            let params = params.collect::<Result<_, _>>()?;
            a.params.push(params);
            let to = |to: Block| regalloc2::Block::new(number[to] as usize);
            a.succs.push(block.succs.iter().map(|e| to(e.to)).collect());
            let mut args = SmallVec::new();
            for edge in &block.succs {
                let list = edge.args.iter().map(|&v| a.vreg(v));
                args.push(list.collect::<Result<Vec<_>, _>>()?);
            }
            a.args.push(args);
        }
        for b in 0..a.blocks.len() {
            for s in a.succs[b].clone() {
                a.preds[s.index()].push(regalloc2::Block::new(b));
            }
        }
        Ok(a)
    }

    /// Gives numbers to all that is defined.
    fn number(&mut self) -> Result<(), AllocError> {
        let func = self.func;
        let mut defined: Vec<VReg> = Vec::with_capacity(func.regs.len());
        for &b in &self.origin {
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
        self.vregs = defined.len();
        for (i, &v) in (0..).zip(defined.iter().rev()) {
            if self.numbers[v] != NONE {
                return Err(self.invalid(format!("{v} is defined twice")));
            }
            self.numbers[v] = i;
        }
        Ok(())
    }

    fn invalid(&self, what: String) -> AllocError {
        AllocError::Invalid {
            func: self.func.name.clone(),
            what,
        }
    }

    fn vreg(&self, v: VReg) -> Result<regalloc2::VReg, AllocError> {
        match self.numbers[v] {
            NONE => Err(self.invalid(format!("{v} is used and never defined"))),
            n => Ok(regalloc2::VReg::new(n as usize, RegClass::Int)),
        }
    }

    fn entry(&mut self, frame: &Frame) -> Result<(), AllocError> {
        let func = self.func;
        let mut copies: Vec<(regalloc2::VReg, regalloc2::VReg)> = Vec::new();
        let start = self.operands.len();
        self.source.push(Source::Entry);
        for (n, &(v, grf)) in func.inputs.iter().enumerate() {
            let Some(grf) = grf else {
                // A call puts its return address into a register.
                let anywhere = match n {
                    0 => OperandConstraint::Reg,
                    _ => OperandConstraint::Any,
                };
                let v = self.vreg(v)?;
                self.push(v, anywhere, OperandKind::Def, OperandPos::Late);
                continue;
            };
            let unit = grf / frame.unit_grfs;
            if unit >= ONE_CLASS || grf % frame.unit_grfs != 0 {
                return Err(self.invalid(format!("{v} arrives in r{grf}")));
            }
            let to = self.vreg(v)?;
            let mut arrives = to;
            if !is_allocated(frame, grf) {
                arrives = regalloc2::VReg::new(self.vregs, RegClass::Int);
                self.vregs += 1;
                copies.push((arrives, to));
            }
            let at = OperandConstraint::FixedReg(preg(unit));
            self.push(arrives, at, OperandKind::Def, OperandPos::Late);
        }
        self.close(start);
        for (arrives, to) in copies {
            self.copy(arrives, to);
        }
        Ok(())
    }

    fn copy(&mut self, from: regalloc2::VReg, to: regalloc2::VReg) {
        let start = self.operands.len();
        self.source.push(Source::Copy);
        self.push(
            from,
            OperandConstraint::Reg,
            OperandKind::Use,
            OperandPos::Early,
        );
        self.push(
            to,
            OperandConstraint::Reg,
            OperandKind::Def,
            OperandPos::Late,
        );
        self.close(start);
    }

    fn inst(
        &mut self,
        b: Block,
        i: u32,
        inst: &Inst,
        units: Option<&[u8]>,
    ) -> Result<(), AllocError> {
        let late = reads_late(inst, self.func.target);
        let is_late =
            |role: Role| matches!(role, Role::Source { src, .. } if late[usize::from(src)]);
        let mut list: SmallVec<[(VReg, Role); 8]> = SmallVec::new();
        self.func.visit(inst, |v, role| list.push((v, role)));
        // What is passed is where the calling convention says.
        let stack = self.func.abi.stack.as_ref();
        let passed_from = stack.map_or(0, |s| s.args / self.func.target.unit_grfs());
        let passed = |n: usize| match list[n].1 {
            Role::Source { src: 0, n } if inst.passes() => Some(n),
            Role::Result { n, .. } if inst.is_call() => Some(n),
            _ => None,
        };
        let fixed = |n: usize| match (passed(n), units.map(|units| units[n])) {
            (Some(k), _) => Some(OperandConstraint::FixedReg(preg(passed_from + k))),
            (None, None | Some(ANY)) => None,
            (None, Some(u)) => Some(OperandConstraint::FixedReg(preg(u.into()))),
        };
        // A value has one register in an instruction: what must be in two, or is written over and
        // still read, is copied for the second. Each operand's value, and what it is written over.
        let mut values: SmallVec<[(regalloc2::VReg, Option<regalloc2::VReg>); 8]> = SmallVec::new();
        let mut held: SmallVec<[VReg; 8]> = list.iter().filter_map(|&(_, r)| r.old()).collect();
        let overs = held.len();
        for (n, &(v, role)) in list.iter().enumerate() {
            let mut vreg = self.vreg(v)?;
            if matches!(role, Role::Source { .. }) && (is_late(role) || fixed(n).is_some()) {
                if held.contains(&v) && (fixed(n).is_some() || held[..overs].contains(&v)) {
                    vreg = self.copied(vreg);
                }
                held.push(v);
            }
            let old = match role.old() {
                Some(old) if list[..n].iter().any(|&(_, r)| r.old() == Some(old)) => {
                    let old = self.vreg(old)?;
                    Some(self.copied(old))
                }
                Some(old) => Some(self.vreg(old)?),
                None => None,
            };
            values.push((vreg, old));
        }
        if inst.is_call() && stack.is_some() {
            let results = list.iter().filter(|(_, role)| role.is_def()).count() as u32;
            let overwritten = self.parts.lost_by(self.func, inst);
            let mut lost = PRegSet::empty();
            for unit in (0..ONE_CLASS).filter(|unit| overwritten >> unit & 1 == 1) {
                if !(passed_from..passed_from + results).contains(&unit) {
                    lost.add(preg(unit));
                }
            }
            self.calls.push((self.source.len() as u32, lost));
        }
        self.source.push(Source::At(b, i));
        let start = self.operands.len();
        for (n, (&(v, role), (vreg, old))) in list.iter().zip(values).enumerate() {
            let at = fixed(n).unwrap_or(OperandConstraint::Reg);
            match (role, old) {
                (Role::Source { .. }, _) => {
                    let pos = match is_late(role) {
                        true => OperandPos::Late,
                        false => OperandPos::Early,
                    };
                    self.push(vreg, at, OperandKind::Use, pos);
                }
                (Role::Result { .. }, None) => {
                    self.push(vreg, at, OperandKind::Def, OperandPos::Late);
                }
                (Role::Result { .. }, Some(old)) => {
                    let reuse = OperandConstraint::Reuse(self.operands.len() - start);
                    self.push(old, at, OperandKind::Use, OperandPos::Early);
                    let tied = fixed(n).unwrap_or(reuse);
                    self.push(vreg, tied, OperandKind::Def, OperandPos::Late);
                }
                _ => return Err(self.invalid(format!("{v} in {b} is no general register"))),
            }
        }
        self.close(start);
        Ok(())
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
        let mut operands: SmallVec<[(regalloc2::VReg, u32, OperandKind); 16]> = SmallVec::new();
        let mut seen: EntitySet<VReg> = EntitySet::new();
        for (&v, &place) in uses.iter().zip(&convention.inputs) {
            let mut vreg = self.vreg(v)?;
            match place {
                Passed::Unit(unit) => {
                    if !seen.insert(v) {
                        vreg = self.copied(vreg);
                    }
                    operands.push((vreg, unit, OperandKind::Use));
                }
                Passed::Slot(slot) => self.moved(Source::Pass(slot), vreg, OperandKind::Use),
            }
        }
        let mut lost = PRegSet::empty();
        let overwritten = convention.lost | 1 << convention.back;
        for unit in (0..ONE_CLASS).filter(|unit| overwritten >> unit & 1 == 1) {
            lost.add(preg(unit));
        }
        let mut taken: SmallVec<[(u32, VReg); 8]> = SmallVec::new();
        for (&v, &place) in defs.iter().zip(&convention.results) {
            match place {
                Passed::Unit(unit) => {
                    lost.remove(preg(unit));
                    operands.push((self.vreg(v)?, unit, OperandKind::Def));
                }
                Passed::Slot(slot) => taken.push((slot, v)),
            }
        }
        self.calls.push((self.source.len() as u32, lost));
        self.source.push(Source::At(b, i));
        let start = self.operands.len();
        for (vreg, unit, kind) in operands {
            let pos = match kind {
                OperandKind::Use => OperandPos::Early,
                OperandKind::Def => OperandPos::Late,
            };
            self.push(vreg, OperandConstraint::FixedReg(preg(unit)), kind, pos);
        }
        self.close(start);
        for (slot, v) in taken {
            let v = self.vreg(v)?;
            self.moved(Source::Take(slot), v, OperandKind::Def);
        }
        Ok(())
    }

    /// The return of a subroutine: its results are wherever they are.
    fn leave(&mut self, b: Block, i: u32, inst: &Inst) -> Result<(), AllocError> {
        let (mut uses, _) = passed_by(self.func, inst);
        uses.extend(return_address(inst));
        let mut values: Vec<regalloc2::VReg> = Vec::with_capacity(uses.len());
        let mut seen: EntitySet<VReg> = EntitySet::new();
        for &v in &uses {
            let mut vreg = self.vreg(v)?;
            if !seen.insert(v) {
                vreg = self.copied(vreg);
            }
            values.push(vreg);
        }
        self.source.push(Source::At(b, i));
        let start = self.operands.len();
        for (n, &vreg) in values.iter().enumerate() {
            let at = match n + 1 == values.len() {
                true => OperandConstraint::Reg,
                false => OperandConstraint::Any,
            };
            self.push(vreg, at, OperandKind::Use, OperandPos::Early);
        }
        self.close(start);
        Ok(())
    }

    /// A move of a register to or from a slot.
    fn moved(&mut self, source: Source, v: regalloc2::VReg, kind: OperandKind) {
        let start = self.operands.len();
        self.source.push(source);
        let pos = match kind {
            OperandKind::Use => OperandPos::Early,
            OperandKind::Def => OperandPos::Late,
        };
        self.push(v, OperandConstraint::Reg, kind, pos);
        self.close(start);
    }

    /// The value in another register, from before the instruction on.
    fn copied(&mut self, v: regalloc2::VReg) -> regalloc2::VReg {
        let copy = regalloc2::VReg::new(self.vregs, RegClass::Int);
        self.vregs += 1;
        self.copy(v, copy);
        copy
    }

    fn close(&mut self, start: usize) {
        self.ranges.push((start as u32, self.operands.len() as u32));
    }

    fn push(
        &mut self,
        v: regalloc2::VReg,
        at: OperandConstraint,
        kind: OperandKind,
        pos: OperandPos,
    ) {
        self.operands.push(Operand::new(v, at, kind, pos));
    }

    /// The instructions of a block: the first, and the one behind the last.
    pub fn insts_of(&self, block: usize) -> (u32, u32) {
        self.blocks[block]
    }

    pub fn operand_count(&self) -> usize {
        self.operands.len()
    }

    /// The number of an instruction's first operand.
    pub fn operands_from(&self, inst: u32) -> u32 {
        self.ranges[inst as usize].0
    }

    fn last_of(&self, inst: regalloc2::Inst) -> Option<&Term> {
        match self.source[inst.index()] {
            Source::Term(b) => Some(&self.func.blocks[b].term),
            _ => None,
        }
    }
}

/// Whether allocation has to know of an instruction: one of the machine's whose operands have registers is passed over.
pub fn names_values(inst: &Inst) -> bool {
    let is_value = |reg: Reg| reg.as_virt().is_some() || reg.as_list().is_some();
    let mut srcs = inst.srcs.iter().filter_map(Src::as_reg);
    inst.gen_op().is_none()
        || inst.dst.is_some_and(|dst| is_value(dst.reg))
        || srcs.any(|src| is_value(src.reg))
}

/// What a call or return of a subroutine passes, and what it gets back.
pub fn passed_by<'f>(func: &'f Function, inst: &Inst) -> (Vec<VReg>, &'f [VReg]) {
    let list = |reg: Option<Reg>| match reg.map(Reg::base) {
        Some(Base::List(list)) => &func.lists[list][..],
        _ => &[],
    };
    let first = inst.srcs.first().and_then(|src| src.as_reg());
    let uses = list(first.map(|r| r.reg)).to_vec();
    (uses, list(inst.dst.as_ref().map(|dst| dst.reg)))
}

/// What holds the address to which a subroutine goes back.
pub fn return_address(inst: &Inst) -> Option<VReg> {
    inst.srcs.last()?.as_reg()?.reg.as_virt()
}

/// Whether what arrives in a register can stay there.
fn is_allocated(frame: &Frame, grf: u32) -> bool {
    frame.units.binary_search(&(grf / frame.unit_grfs)).is_ok()
}

/// For each source whether it may be read after part of the destination is written: the hardware
/// runs an instruction that spans two registers as two halves, in turn. Likewise those of a message
/// that its result must not overlap.
pub fn reads_late(inst: &Inst, target: &Platform) -> [bool; 3] {
    let grf_bytes = target.grf_bytes;
    let mut late = [false; 3];
    let Some(dst) = &inst.dst else { return late };
    let virt = |reg: kiln_machine::inst::Reg| {
        !reg.is_null() && !matches!(reg.as_phys(), Some((file, _)) if file != RegFile::Grf)
    };
    if inst.message.is_some() {
        return [target.response_apart; 3];
    }
    if dst.indirect.is_some() || !virt(dst.reg) {
        return late;
    }
    let n = u32::from(inst.exec_size);
    let step = u32::from(dst.hstride) * dst.ty.bytes();
    let one_register =
        |byte: u32, bytes: u32| byte / grf_bytes == (byte + bytes.max(1) - 1) / grf_bytes;
    let dst_short = one_register(dst.reg.byte(), (n - 1) * step + dst.ty.bytes());
    for (i, src) in inst.srcs.iter().enumerate() {
        let Src::Reg(r) = src else { continue };
        if r.indirect.is_some() {
            continue;
        }
        let (width, hstride) = (r.region.width, r.region.hstride);
        let packed = match width {
            1 => r.region.vstride == Some(1),
            _ => r.region.vstride == Some(width * hstride) && hstride > 0,
        };
        let distance = r.ty.bytes() * u32::from(if width == 1 { 1 } else { hstride });
        let same = packed && r.reg.byte() == dst.reg.byte() && step == distance;
        // Mixed sizes make the hardware run several steps even inside one register.
        let end = region_end(r.region, inst.exec_size, r.ty);
        let short = dst_short && n * r.ty.bytes() <= grf_bytes && one_register(r.reg.byte(), end);
        late[i] = !(same || short);
    }
    late
}

/// The blocks that can be reached, each after all its predecessors but those by back edges.
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

impl regalloc2::Function for Adapter<'_> {
    fn num_insts(&self) -> usize {
        self.source.len()
    }

    fn num_blocks(&self) -> usize {
        self.blocks.len()
    }

    fn entry_block(&self) -> regalloc2::Block {
        regalloc2::Block::new(0)
    }

    fn block_insns(&self, block: regalloc2::Block) -> InstRange {
        let (from, to) = self.blocks[block.index()];
        InstRange::new(
            regalloc2::Inst::new(from as usize),
            regalloc2::Inst::new(to as usize),
        )
    }

    fn block_succs(&self, block: regalloc2::Block) -> &[regalloc2::Block] {
        &self.succs[block.index()]
    }

    fn block_preds(&self, block: regalloc2::Block) -> &[regalloc2::Block] {
        &self.preds[block.index()]
    }

    fn block_params(&self, block: regalloc2::Block) -> &[regalloc2::VReg] {
        &self.params[block.index()]
    }

    fn is_ret(&self, inst: regalloc2::Inst) -> bool {
        matches!(self.last_of(inst), Some(Term::End | Term::Return))
    }

    fn is_branch(&self, inst: regalloc2::Inst) -> bool {
        (self.last_of(inst)).is_some_and(|t| !matches!(t, Term::End | Term::Return))
    }

    fn branch_blockparams(
        &self,
        block: regalloc2::Block,
        _: regalloc2::Inst,
        succ: usize,
    ) -> &[regalloc2::VReg] {
        &self.args[block.index()][succ]
    }

    fn inst_operands(&self, inst: regalloc2::Inst) -> &[Operand] {
        let (from, to) = self.ranges[inst.index()];
        &self.operands[from as usize..to as usize]
    }

    fn inst_clobbers(&self, inst: regalloc2::Inst) -> PRegSet {
        let inst = inst.index() as u32;
        let at = self.calls.binary_search_by_key(&inst, |&(call, _)| call);
        at.map_or(PRegSet::empty(), |at| self.calls[at].1)
    }

    fn num_vregs(&self) -> usize {
        self.vregs
    }

    fn spillslot_size(&self, _: RegClass) -> usize {
        1
    }
}
