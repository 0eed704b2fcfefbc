//! Applies an allocation: instructions on physical registers, moves, spills and fills.
//!
//! Takes the function as it was presented to an allocator, and the answer, and gives the code of each block without
//! its terminator, with the code that the calling convention wants at entry and return.

use std::ops::Range;

use cranelift_entity::SecondaryMap;
use kiln_emit::inst::{Inst as Gen, Op, Origin, Reg, RegFile};
use kiln_machine::func::{Block, Entered, Function, Term, Variable};
use kiln_machine::inst::{self, Inst, Opcode, Role, VReg};
use kiln_machine::liveness::term_uses;
use kiln_platform::bits::UnitSet;
use kiln_platform::platform::{AddressCalls, MessageFamily, UNIT_GRFS};

use crate::build_problem::{Presented, Source};
use crate::flags::{ADDED, Assigned};
use crate::frame::Frame;
use crate::last_dword::LastDword;
use crate::names::Names;
use crate::physical::{Physical, RESULT, copy, switch};
use crate::problem::{Answer, Place, Slot, Unit};
use crate::routines::{Convention, Passed};
use crate::spill_addresses;
use crate::spill_messages::{self, Access, Grfs};
use crate::stack::StackFrame;
use crate::{AllocError, Stats};

/// The code of one block.
pub struct Body {
    pub block: Block,
    pub insts: Vec<Gen>,
    /// The number of each instruction in its block of the function before allocation; [`ADDED`] if it has none.
    pub origins: Vec<u32>,
}

impl Body {
    /// Gives the instructions that were added last the number of the one that they stand for, and its origin in vISA.
    fn came_from(&mut self, number: u32, visa: u32) {
        for inst in &mut self.insts[self.origins.len()..] {
            inst.origin = Origin::new(visa);
        }
        self.origins.resize(self.insts.len(), number);
    }
}

/// The code of a function.
pub struct Rewritten {
    pub bodies: Vec<Body>,
    pub stats: Stats,
    /// The calling convention, if the function is a subroutine.
    pub convention: Option<Convention>,
}

struct Rewriter<'a> {
    func: &'a Function,
    frame: &'a Frame,
    input: &'a Presented<'a>,
    answer: &'a Answer,
    names: &'a Names,
    /// By register: the number of operands that read it, if all are in the block of its definition; else 0.
    readers: SecondaryMap<VReg, u8>,
    /// GRFs of scratch space that slots take.
    used_slots: u32,
    /// The first GRF of scratch space for spills.
    scratch: u32,
    /// The frame on the stack, if the function has one.
    stack: Option<StackFrame<'a>>,
    last_dword: LastDword,
    stats: Stats,
    /// Units that hold something at one time or another.
    units: UnitSet,
    /// Units that are overwritten, with those that callees overwrite.
    written: UnitSet,
    /// Units that called functions overwrite.
    clobbered: UnitSet,
    /// The convention of a subroutine, as far as it is known.
    convention: Option<Convention>,
}

/// Makes the code of all blocks.
///
/// # Errors
/// More scratch space is needed than messages address.
pub fn rewrite(
    input: &Presented,
    answer: &Answer,
    frame: &Frame,
    assigned: &Assigned,
    names: &Names,
    scratch_base: u32,
) -> Result<Rewritten, AllocError> {
    let func = input.func;
    let base = scratch_base.div_ceil(frame.grf_bytes);
    let scratch = base.max(input.parts.frames_end(func));
    let ends = answer.slots.iter().map(|slot| slot.at + slot.grfs);
    let is_routine = func.entered == Entered::Subroutine;
    let mut r = Rewriter {
        func,
        frame,
        input,
        answer,
        names,
        readers: readers(func),
        used_slots: ends.max().unwrap_or(0),
        scratch,
        stack: StackFrame::new(func, frame),
        last_dword: LastDword::of(func),
        stats: Stats::default(),
        units: frame.reserved,
        written: UnitSet::EMPTY,
        clobbered: UnitSet::EMPTY,
        convention: is_routine.then(|| Convention {
            inputs: Vec::new(),
            return_address: Unit(0),
            results: Vec::new(),
            clobbers: UnitSet::EMPTY,
            frame_end: 0,
        }),
    };
    let mut bodies = Vec::with_capacity(input.origins.len());
    let mut moves = 0;
    for (b, &block) in input.origins.iter().enumerate() {
        bodies.push(r.block(b, block, &assigned.origins[block], &mut moves)?);
    }
    r.stats.demoted = assigned.demoted;
    r.stats.spill_bytes = (scratch - base + r.used_slots) * frame.grf_bytes;
    r.enter_and_leave(&mut bodies)?;
    r.stats.grf_used = r.units.len() * UNIT_GRFS;
    r.stats.overwritten = frame.grfs(r.overwritten());
    if let Some(convention) = &mut r.convention {
        convention.clobbers = r.written;
        // A function that spills nothing has no frame.
        convention.frame_end = match r.stats.spill_bytes {
            0 => 0,
            _ => scratch + r.used_slots,
        };
    }
    Ok(Rewritten {
        bodies,
        stats: r.stats,
        convention: r.convention,
    })
}

impl Rewriter<'_> {
    /// Units that callers lose: those that are allocated or that variables in memory are reached through, but for
    /// callee-saved ones, and those that entering, leaving and calls overwrite.
    fn overwritten(&self) -> UnitSet {
        let grfs = self.func.reserved.iter().flat_map(|range| range.clone());
        let variables: UnitSet = grfs.map(|grf| grf / UNIT_GRFS).collect();
        let own = self.units & (self.frame.allocatable | (variables & self.frame.reserved));
        let by_frame = self.stack.as_ref().map(StackFrame::overwrites);
        (own - self.frame.saved) | by_frame.unwrap_or_default() | self.clobbered
    }

    /// The code of a block; `moves` is the number of the first move that is not done yet.
    fn block(
        &mut self,
        b: usize,
        block: Block,
        origins: &[u32],
        moves: &mut usize,
    ) -> Result<Body, AllocError> {
        let count = self.func.blocks[block].insts.len();
        // Some more are added, and the terminator.
        let count = count + count / 16 + 1;
        let mut body = Body {
            block,
            insts: Vec::with_capacity(count),
            origins: Vec::with_capacity(count),
        };
        self.last_dword.start(self.func, block);
        // Instructions before this one are in the code, or have none.
        let mut done = 0;
        let (first, end) = self.input.problem.insts_of(b);
        for i in first..end {
            self.moves(2 * i, moves, &mut body)?;
            self.source(i, origins, &mut done, &mut body)?;
            self.moves(2 * i + 1, moves, &mut body)?;
        }
        self.last_dword.end(&mut body.insts);
        body.origins.resize(body.insts.len(), ADDED);
        Ok(body)
    }

    /// The moves at a point.
    fn moves(&mut self, at: u32, next: &mut usize, body: &mut Body) -> Result<(), AllocError> {
        let mut names = self.names.get(&at).into_iter().flatten();
        while let Some(step) = self.answer.moves.get(*next).filter(|step| step.at == at) {
            let first = body.insts.len();
            self.transfer(step.from, step.to, &mut body.insts)?;
            if let Some(name) = names.next() {
                for inst in &mut body.insts[first..] {
                    inst.origin = inst.origin.of_variable(name.number());
                }
            }
            body.origins.resize(body.insts.len(), ADDED);
            *next += 1;
        }
        Ok(())
    }

    /// The code that an instruction of the problem stands for.
    fn source(
        &mut self,
        i: u32,
        origins: &[u32],
        done: &mut usize,
        body: &mut Body,
    ) -> Result<(), AllocError> {
        let (input, answer) = (self.input, self.answer);
        let start = input.problem.operands_from(i);
        let ops = input.problem.operands(i);
        let places = &answer.places[start..start + ops.len()];
        let source = input.sources[i as usize];
        for (op, place) in ops.iter().zip(places) {
            self.units |= place.set();
            if op.is_def() && source != Source::Entry {
                self.written |= place.set();
            }
        }
        match source {
            Source::Entry => self.enter(places, body),
            Source::Pass(at) => self.pass(places[0], at, Access::Write, body)?,
            Source::Take(at) => self.pass(places[0], at, Access::Read, body)?,
            Source::Copy if places[0] == places[1] => {}
            Source::Copy => self.transfer(places[0], places[1], &mut body.insts)?,
            Source::At(block, n) => {
                let n = n as usize;
                self.left_out(body, origins, *done..n);
                *done = n + 1;
                let inst = &self.func.blocks[block].insts[n];
                self.last_dword.before(n, &mut body.insts);
                body.origins.resize(body.insts.len(), ADDED);
                self.inst_at(inst, origins[n], places, body)?;
            }
            Source::Term(block) => {
                let end = self.func.blocks[block].insts.len();
                self.left_out(body, origins, *done..end);
            }
        }
        body.origins.resize(body.insts.len(), ADDED);
        Ok(())
    }

    /// The first instruction: a kernel's copy of r0, since spills need it, or what the hardware wants of a subroutine.
    fn enter(&mut self, places: &[Place], body: &mut Body) {
        let header = self.frame.headers.header;
        let passed: Vec<Passed> = places.iter().map(|&place| self.passed(place)).collect();
        if let Some(convention) = &mut self.convention {
            if let (Some(address), Some((_, inputs))) = (places.first(), passed.split_first()) {
                convention.return_address = address.unit().unwrap_or(Unit(0));
                convention.inputs = inputs.to_vec();
            }
            body.insts.push(switch(header));
        } else if self.func.entered == Entered::Dispatched {
            let dwords = (self.frame.grf_bytes / 4) as u8;
            body.insts.push(copy(dwords, Reg::grf(header), Reg::grf(0)));
        }
    }

    /// An argument or result of a subroutine in scratch space.
    fn pass(
        &mut self,
        place: Place,
        at: u32,
        access: Access,
        body: &mut Body,
    ) -> Result<(), AllocError> {
        self.count(access);
        self.scratch(
            place,
            Slot {
                at,
                grfs: UNIT_GRFS,
            },
            access,
            &mut body.insts,
        )
    }

    /// The code of an instruction of the function.
    fn inst_at(
        &mut self,
        inst: &Inst,
        origin: u32,
        places: &[Place],
        body: &mut Body,
    ) -> Result<(), AllocError> {
        match (inst.op, &self.stack) {
            (Opcode::Gen(op), _) => {
                body.insts.push(self.inst(op, inst, places));
                body.origins.push(origin);
            }
            (Opcode::CallRoutine(callee), _) => {
                self.last_dword.end(&mut body.insts);
                body.insts.extend(self.call_routine(inst, callee.into()));
                self.last_dword.after_call();
                body.came_from(origin, inst.origin);
            }
            (Opcode::Return, _) => {
                body.insts.extend(self.leave_subroutine(places));
                body.came_from(origin, inst.origin);
            }
            (Opcode::Undef | Opcode::Results, _) | (_, None) => {}
            (Opcode::Call | Opcode::CallAddress, Some(stack)) => {
                let mut call = self.inst(Op::Call, inst, places);
                let address = call.srcs.last().copied();
                call.srcs.truncate(0);
                let clobbers = self.input.parts.clobbers(self.func, inst);
                self.units |= clobbers;
                self.written |= clobbers;
                self.clobbered |= clobbers;
                self.last_dword.end(&mut body.insts);
                self.last_dword.after_call();
                body.insts.extend(match (inst.op, address) {
                    (Opcode::CallAddress, Some(address)) => match self.func.target.address_calls {
                        AddressCalls::Jump => stack.call_address(address),
                        AddressCalls::Call => stack.call_distance(call, address),
                        AddressCalls::Calla => stack.call_there(call, address),
                    },
                    _ => stack.call(call),
                });
                body.came_from(origin, inst.origin);
                body.insts.extend(stack.after_call());
                body.origins.resize(body.insts.len(), ADDED);
            }
        }
        Ok(())
    }

    /// Puts instructions into the code that the problem leaves out.
    fn left_out(&mut self, body: &mut Body, origins: &[u32], range: Range<usize>) {
        body.origins.resize(body.insts.len(), ADDED);
        let insts = &self.func.blocks[body.block].insts;
        for n in range {
            if let Some(op) = insts[n].gen_op() {
                self.last_dword.before(n, &mut body.insts);
                body.origins.resize(body.insts.len(), ADDED);
                body.insts.push(self.inst(op, &insts[n], &[]));
                body.origins.push(origins[n]);
            }
        }
    }

    /// A place as callers know it.
    fn passed(&self, place: Place) -> Passed {
        match place {
            Place::Unit(unit) => Passed::Unit(unit),
            Place::Memory(slot) => Passed::Slot(self.scratch + self.slot(slot).at),
        }
    }

    /// The return of a subroutine, whose results are where they are.
    fn leave_subroutine(&mut self, places: &[Place]) -> Option<Gen> {
        let (address, results) = places.split_last()?;
        let results: Vec<Passed> = results.iter().map(|&place| self.passed(place)).collect();
        self.convention.as_mut()?.results = results;
        Some(self.physical().leave_subroutine(address.unit()?))
    }

    /// A call of a subroutine, all of whose operands are in their places.
    fn call_routine(&mut self, source: &Inst, callee: u32) -> Vec<Gen> {
        let Some(convention) = self.input.parts.convention(callee) else {
            return Vec::new();
        };
        let clobbers = convention.clobbers | UnitSet::of(convention.return_address);
        self.written |= clobbers;
        self.units |= clobbers;
        let call = self.physical().call_routine(source, callee, convention);
        call.to_vec()
    }

    fn physical(&self) -> Physical<'_> {
        Physical {
            func: self.func,
            frame: self.frame,
        }
    }

    /// The first GRF of a unit. Nothing but a unit is asked for.
    fn first_grf(&self, place: Place) -> u32 {
        place.unit().map_or(0, u32::from) * UNIT_GRFS
    }

    /// The register at a byte of a unit.
    fn unit_reg(&self, place: Place, byte: u32) -> Reg {
        let at = self.first_grf(place) * self.frame.grf_bytes + byte;
        Reg::new(
            RegFile::Grf,
            at / self.frame.grf_bytes,
            (at % self.frame.grf_bytes) as u16,
        )
    }

    fn inst(&self, op: Op, m: &Inst, places: &[Place]) -> Gen {
        // The first register of each operand, in the order of the problem's operands.
        let mut first: [Option<Place>; 4] = [None; 4];
        let mut next = 0;
        let (mut result, mut readers) = (Variable::NONE, 0);
        self.func.visit(m, |v, role| {
            let (operand, n) = match role {
                Role::Source { src, n } => (usize::from(src), n),
                Role::Result { n, old } => {
                    next += usize::from(old.is_some());
                    if n == 0 {
                        result = self.func.regs[v].variable;
                        readers = self.readers[v];
                    }
                    (RESULT, n)
                }
                _ => return,
            };
            if n == 0 {
                first[operand] = places.get(next).copied();
            }
            next += 1;
        });
        let reg = |r: inst::Reg, operand: usize| match first[operand] {
            Some(place) => self.unit_reg(place, r.byte()),
            None => Reg::NULL,
        };
        let mut inst = self.physical().inst(op, m, reg);
        inst.origin = inst
            .origin
            .of_variable(result.number())
            .with_readers(readers);
        inst
    }

    /// A move between units, or to or from a spill slot.
    fn transfer(&mut self, from: Place, to: Place, code: &mut Vec<Gen>) -> Result<(), AllocError> {
        self.units |= from.set() | to.set();
        self.written |= to.set();
        match (from, to) {
            (_, Place::Memory(slot)) => self.spill(from, self.slot(slot), Access::Write, code),
            (Place::Memory(slot), _) => self.spill(to, self.slot(slot), Access::Read, code),
            _ => {
                self.stats.moves += 1;
                let dwords = (self.frame.unit_bytes / 4) as u8;
                let (to, from) = (self.unit_reg(to, 0), self.unit_reg(from, 0));
                code.push(copy(dwords, to, from));
                Ok(())
            }
        }
    }

    /// One of the allocator's slots, after the function's own.
    fn slot(&self, number: u32) -> Slot {
        self.answer.slots[number as usize]
    }

    fn count(&mut self, access: Access) {
        match access {
            Access::Write => self.stats.spills += 1,
            Access::Read => self.stats.fills += 1,
        }
    }

    /// Writes a unit, or as much of it as the slot has, to a slot of the frame, or reads it.
    fn spill(
        &mut self,
        unit: Place,
        slot: Slot,
        access: Access,
        code: &mut Vec<Gen>,
    ) -> Result<(), AllocError> {
        self.count(access);
        match self.stack.as_ref().filter(|stack| stack.is_dynamic()) {
            Some(stack) => {
                let first = self.first_grf(unit);
                let dword = &mut self.last_dword;
                stack.spill(slot.at, first, access, dword, code)
            }
            None => {
                let at = self.scratch + slot.at;
                self.scratch(unit, Slot { at, ..slot }, access, code)
            }
        }
    }

    /// Writes a unit, or as much of it as the slot has, to scratch space, or reads it.
    fn scratch(
        &mut self,
        unit: Place,
        slot: Slot,
        access: Access,
        code: &mut Vec<Gen>,
    ) -> Result<(), AllocError> {
        let grfs = Grfs {
            first: self.first_grf(unit),
            count: slot.grfs,
        };
        let (func, frame, at) = (self.func, self.frame, slot.at);
        match func.target.memory {
            MessageFamily::LoadStore if at + grfs.count > frame.near_scratch_grfs => {
                let dword = &mut self.last_dword;
                spill_addresses::scratch(func, frame, at, grfs, access, dword, code)
            }
            _ => spill_messages::scratch(func, frame, at, grfs, access, code),
        }
    }

    /// Adds the code at entry and return that the calling convention wants.
    fn enter_and_leave(&mut self, bodies: &mut [Body]) -> Result<(), AllocError> {
        let is_routine = self.func.entered == Entered::Subroutine;
        let end = self.scratch + self.used_slots;
        let goes_far = self.stats.spill_bytes > 0 && end > self.frame.near_scratch_grfs;
        let entry = self.func.entry();
        if let (Entered::Dispatched, None, Some(far)) =
            (self.func.entered, &self.stack, self.frame.headers.far)
            && goes_far
            && let Some(body) = bodies.iter_mut().find(|body| body.block == entry)
        {
            let dwords = (self.frame.grf_bytes / 4) as u8;
            let header = self.frame.headers.header;
            let code = match self.func.target.memory {
                MessageFamily::DataPort => vec![copy(dwords, Reg::grf(far), Reg::grf(header))],
                MessageFamily::LoadStore => spill_addresses::enter(far, header).to_vec(),
            };
            body.origins.splice(1..1, code.iter().map(|_| ADDED));
            body.insts.splice(1..1, code);
        }
        let Some(stack) = self.stack.as_ref().filter(|_| !is_routine) else {
            return Ok(());
        };
        let (used, slots) = (self.units, self.used_slots);
        self.stats.frame_bytes = stack.bytes(used, slots);
        for body in bodies {
            if body.block == self.func.entry() {
                // A kernel's copy of r0 comes before.
                let at = usize::from(!stack.is_dynamic());
                let code = stack.enter(used, slots, end * self.frame.grf_bytes)?;
                let origins = std::iter::repeat_n(ADDED, code.len());
                body.origins.splice(at..at, origins);
                body.insts.splice(at..at, code);
            }
            if self.func.blocks[body.block].term == Term::Return {
                body.insts.extend(stack.leave(used, slots)?);
                body.origins.resize(body.insts.len(), ADDED);
            }
        }
        Ok(())
    }
}

/// By register: the number of operands that read it, if all are in the block of its definition and it is no part of
/// another; else 0.
fn readers(func: &Function) -> SecondaryMap<VReg, u8> {
    const MANY: u8 = u8::MAX;
    if func.target.accumulators == 0 {
        return SecondaryMap::new();
    }
    let mut readers = func.map_of_registers(0u8);
    let mut home = func.map_of_registers(u32::MAX);
    for (block, data) in func.blocks.iter() {
        for inst in &data.insts {
            func.visit(inst, |v, role| match role {
                Role::Result { old: None, .. } => home[v] = block.as_u32(),
                Role::Result { old: Some(old), .. } => {
                    readers[v] = MANY;
                    readers[old] = MANY;
                }
                Role::Source { .. } if home[v] == block.as_u32() => {
                    readers[v] = readers[v].saturating_add(1);
                }
                _ => readers[v] = MANY,
            });
        }
        term_uses(func, block, |v| readers[v] = MANY);
    }
    for readers in readers.values_mut().filter(|readers| **readers == MANY) {
        *readers = 0;
    }
    readers
}
