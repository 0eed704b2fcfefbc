//! Applies an allocation: instructions on physical registers, moves, spills and fills.
//!
//! Takes the function with regalloc2's answer and gives the code of each block without what ends it.
//! A value is spilled by a scratch block message of one unit with the copy of r0 as its header; beyond the
//! 128 KiB that these reach, by an oword block, with the other copy as its header, whose offset is set before. Slots
//! are numbered by first use, so that the frame has no holes; regalloc2 shares them between values
//! that do not live at once.

use std::ops::Range;

use kiln_emit::inst::{Dst, Inst as Gen, Op, Origin, Reg, RegFile, Region, Src, Type};
use kiln_emit::messages::{self, Flag, data_port};
use kiln_machine::func::{Block, Entered, Function, Term};
use kiln_machine::inst::{self, Inst, Opcode, Role};
use regalloc2::{Allocation, AllocationKind, Edit, Function as _, InstOrEdit, OperandKind, Output};

use crate::adapter::{Adapter, Source, unit};
use crate::flags::{ADDED, Assigned};
use crate::frame::{Frame, NEAR_GRFS};
use crate::physical::{Physical, RESULT};
use crate::routines::{Convention, Passed};
use crate::stack::{self, StackFrame};
use crate::{AllocError, Stats};

/// The code of one block.
pub struct Body {
    pub block: Block,
    pub insts: Vec<Gen>,
    /// What number each instruction has in the block of the function that was to be allocated;
    /// [`ADDED`] if none.
    pub origins: Vec<u32>,
}

impl Body {
    /// Says of the instructions that were added last which one they stand for, and which of vISA.
    fn came_from(&mut self, number: u32, visa: u32) {
        for inst in &mut self.insts[self.origins.len()..] {
            inst.origin = Origin::new(visa);
        }
        self.origins.resize(self.insts.len(), number);
    }
}

struct Rewriter<'a> {
    func: &'a Function,
    frame: &'a Frame,
    input: &'a Adapter<'a>,
    output: &'a Output,
    /// Where the allocator's slots are.
    slots: Vec<Option<Slot>>,
    /// Registers of scratch space that slots take.
    used_slots: u32,
    /// The first register of scratch space for spills.
    scratch: u32,
    /// Where spills of a function go that is called.
    stack: Option<StackFrame<'a>>,
    stats: Stats,
    units: u128,
    /// Units that are overwritten, with those that callees overwrite.
    written: u128,
    /// Those that functions overwrite which are called.
    lost: u128,
    /// Of a subroutine, as far as it is known.
    convention: Option<Convention>,
}

/// What the allocator has decided.
pub struct Answer<'a> {
    pub output: &'a Output,
    /// Where slots are, of units if the frame is on a stack. The others have units of their own.
    pub slots: &'a [Slot],
}

/// Registers of scratch space, from the first for slots on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub at: u32,
    pub grfs: u32,
}

/// Makes the code of all blocks. The first slots are those that the function itself names, `spilled`, of a
/// unit each.
///
/// # Errors
/// More scratch space is needed than messages address.
pub fn rewrite(
    func: &Function,
    frame: &Frame,
    input: &Adapter,
    answer: Answer,
    assigned: &Assigned,
    spilled: u32,
    scratch_base: u32,
) -> Result<(Vec<Body>, Stats, Option<Convention>), AllocError> {
    let Answer { output, slots } = answer;
    let spilled = spilled * frame.unit_grfs;
    let callees = input.parts.frames_end(func);
    let scratch = scratch_base.div_ceil(frame.grf_bytes).max(callees);
    let is_routine = func.entered == Entered::Subroutine;
    let mut r = Rewriter {
        func,
        frame,
        input,
        output,
        slots: (slots.iter())
            .map(|slot| Slot {
                at: spilled + slot.at,
                ..*slot
            })
            .map(Some)
            .collect(),
        used_slots: (slots.iter())
            .map(|slot| spilled + slot.at + slot.grfs)
            .max()
            .unwrap_or(spilled),
        scratch,
        stack: StackFrame::new(func, frame),
        stats: Stats::default(),
        units: 0,
        written: 0,
        lost: 0,
        convention: is_routine.then(Convention::default),
    };
    for &u in &frame.kept {
        r.units |= 1 << u;
    }
    let mut bodies = Vec::with_capacity(input.num_blocks());
    for (b, &block) in input.origin.iter().enumerate() {
        bodies.push(r.block(b, block, &assigned.origins[block])?);
    }
    r.stats.demoted = assigned.demoted;
    let callees = scratch - scratch_base.div_ceil(frame.grf_bytes);
    r.stats.spill_bytes = (callees + r.used_slots) * frame.grf_bytes;
    r.enter_and_leave(&mut bodies)?;
    r.stats.grf_used = r.units.count_ones() * frame.unit_grfs;
    let kept = r.stack.as_ref().map_or(0, StackFrame::kept);
    let allocated = frame.units.iter().fold(0, |set, unit| set | 1 << unit);
    // The window through which variables in memory are reached is out of allocation, and overwritten.
    let reserved = |unit: &u32| {
        let mut grfs = unit * frame.unit_grfs..(unit + 1) * frame.unit_grfs;
        grfs.any(|grf| func.reserved.iter().any(|range| range.contains(&grf)))
    };
    let reserved = frame.kept.iter().copied().filter(reserved);
    let reserved = reserved.fold(0, |set: u128, unit| set | 1 << unit);
    let by_frame = r.stack.as_ref().map_or(0, StackFrame::overwrites);
    let by_function = (r.units & (allocated | reserved) & !kept) | by_frame;
    r.stats.overwritten = frame.grfs(by_function | r.lost);
    if let Some(convention) = &mut r.convention {
        convention.lost = r.written;
        // Nothing is anybody's frame if nobody spills.
        convention.frame_end = match r.stats.spill_bytes {
            0 => 0,
            _ => scratch + r.used_slots,
        };
    }
    Ok((bodies, r.stats, r.convention))
}

impl Rewriter<'_> {
    fn block(&mut self, b: usize, block: Block, origins: &[u32]) -> Result<Body, AllocError> {
        let count = self.func.blocks[block].insts.len();
        // Some more are added, and how the block ends.
        let count = count + count / 16 + 1;
        let mut body = Body {
            block,
            insts: Vec::with_capacity(count),
            origins: Vec::with_capacity(count),
        };
        let (input, output) = (self.input, self.output);
        let grfs = self.frame.unit_grfs;
        // What allocation has passed over up to there has been put into the code.
        let mut done = 0;
        for item in output.block_insts_and_edits(input, regalloc2::Block::new(b)) {
            let (inst, origin) = match item {
                InstOrEdit::Edit(Edit::Move { from, to }) => {
                    self.transfer(*from, *to, &mut body.insts)?;
                    body.origins.resize(body.insts.len(), ADDED);
                    continue;
                }
                InstOrEdit::Inst(inst) => {
                    let allocs = output.inst_allocs(inst);
                    allocs.iter().for_each(|a| self.note(*a));
                    let source = input.source[inst.index()];
                    if source != Source::Entry {
                        for (operand, alloc) in input.inst_operands(inst).iter().zip(allocs) {
                            if operand.kind() == OperandKind::Def {
                                self.overwrites(*alloc);
                            }
                        }
                    }
                    match source {
                        Source::Entry if self.convention.is_some() => {
                            self.enter_subroutine(allocs);
                            (switch(self.frame.header), ADDED)
                        }
                        Source::Pass(slot) => {
                            self.stats.spills += 1;
                            let slot = Slot { at: slot, grfs };
                            self.scratch_block(allocs[0], slot, true, &mut body.insts)?;
                            body.origins.resize(body.insts.len(), ADDED);
                            continue;
                        }
                        Source::Take(slot) => {
                            self.stats.fills += 1;
                            let slot = Slot { at: slot, grfs };
                            self.scratch_block(allocs[0], slot, false, &mut body.insts)?;
                            body.origins.resize(body.insts.len(), ADDED);
                            continue;
                        }
                        Source::Entry if self.func.entered != Entered::Dispatched => continue,
                        // Before anything is moved, as spills need it.
                        Source::Entry => {
                            let words = (self.frame.grf_bytes / 4) as u8;
                            let header = Reg::grf(self.frame.header);
                            (copy(words, header, Reg::grf(0)), ADDED)
                        }
                        // The value stayed where it is.
                        Source::Copy if allocs[0] == allocs[1] => continue,
                        Source::Copy => {
                            self.stats.moves += 1;
                            (self.copy_unit(allocs[0], allocs[1]), ADDED)
                        }
                        Source::At(block, i) => {
                            self.passed_over(&mut body, origins, done..i as usize);
                            done = i as usize + 1;
                            let source = &self.func.blocks[block].insts[i as usize];
                            let origin = origins[i as usize];
                            let op = match (source.op, &self.stack) {
                                (Opcode::Gen(op), _) => op,
                                (op @ (Opcode::Spill | Opcode::Fill), _) => {
                                    let write = op == Opcode::Spill;
                                    let slot = match source.srcs.first() {
                                        Some(inst::Src::Imm(slot)) => slot.bits() as u32,
                                        _ => 0,
                                    };
                                    let slot = Slot {
                                        at: slot * grfs,
                                        grfs,
                                    };
                                    self.spill(allocs[0], slot, write, &mut body.insts)?;
                                    body.origins.resize(body.insts.len(), ADDED);
                                    continue;
                                }
                                (Opcode::CallRoutine(callee), _) => {
                                    body.insts.extend(self.call_routine(source, callee.into()));
                                    body.came_from(origin, source.origin);
                                    continue;
                                }
                                (Opcode::Return, _) => {
                                    body.insts.extend(self.leave_subroutine(allocs));
                                    body.came_from(origin, source.origin);
                                    continue;
                                }
                                (Opcode::Undef | Opcode::Results, _) | (_, None) => continue,
                                (Opcode::Call | Opcode::CallAddress, Some(stack)) => {
                                    let mut call = self.inst(Op::Call, source, allocs);
                                    let address = call.srcs.pop();
                                    call.srcs.clear();
                                    let lost = self.input.parts.lost_by(self.func, source);
                                    self.units |= lost;
                                    self.written |= lost;
                                    self.lost |= lost;
                                    body.insts.extend(match (source.op, address) {
                                        (Opcode::CallAddress, Some(address)) => {
                                            stack.call_address(address)
                                        }
                                        _ => stack.call(call),
                                    });
                                    body.came_from(origin, source.origin);
                                    continue;
                                }
                            };
                            (self.inst(op, source, allocs), origin)
                        }
                        Source::Term(block) => {
                            let end = self.func.blocks[block].insts.len();
                            self.passed_over(&mut body, origins, done..end);
                            continue;
                        }
                    }
                }
            };
            body.insts.push(inst);
            body.origins.push(origin);
        }
        Ok(body)
    }

    /// Puts instructions into the code that allocation need not know of.
    fn passed_over(&self, body: &mut Body, origins: &[u32], range: Range<usize>) {
        let insts = &self.func.blocks[body.block].insts;
        for n in range {
            if let Some(op) = insts[n].gen_op() {
                body.insts.push(self.inst(op, &insts[n], &[]));
                body.origins.push(origins[n]);
            }
        }
    }

    /// A place that is passed.
    fn passed(&mut self, a: Allocation) -> Passed {
        match a.as_reg() {
            Some(preg) => Passed::Unit(unit(preg)),
            None => {
                let slot = self.slot(a);
                Passed::Slot(self.scratch + slot.at)
            }
        }
    }

    /// Where a subroutine finds what it is given.
    fn enter_subroutine(&mut self, allocs: &[Allocation]) {
        let places: Vec<Passed> = allocs.iter().map(|&a| self.passed(a)).collect();
        if let (Some(convention), Some((back, inputs))) =
            (&mut self.convention, places.split_first())
        {
            convention.back = back.unit().unwrap_or(0);
            convention.inputs = inputs.to_vec();
        }
    }

    /// Goes back from a subroutine, whose results are where they are.
    fn leave_subroutine(&mut self, allocs: &[Allocation]) -> Option<Gen> {
        let (&back, results) = allocs.split_last()?;
        let results: Vec<Passed> = results.iter().map(|&a| self.passed(a)).collect();
        self.convention.as_mut()?.results = results;
        let back = back.as_reg().map_or(0, unit);
        Some(self.physical().leave_subroutine(back))
    }

    /// A call of a subroutine, all of whose operands are in their places.
    fn call_routine(&mut self, source: &Inst, callee: u32) -> Vec<Gen> {
        let Some(convention) = self.input.parts.convention(callee) else {
            return Vec::new();
        };
        self.written |= convention.lost | 1 << convention.back;
        self.units |= convention.lost | 1 << convention.back;
        let call = self.physical().call_routine(source, callee, convention);
        call.to_vec()
    }

    fn physical(&self) -> Physical<'_> {
        Physical {
            func: self.func,
            frame: self.frame,
        }
    }

    fn overwrites(&mut self, a: Allocation) {
        if let Some(preg) = a.as_reg() {
            self.written |= 1 << unit(preg);
        }
    }

    fn note(&mut self, a: Allocation) {
        if let Some(preg) = a.as_reg() {
            self.units |= 1 << unit(preg);
        }
    }

    /// The register at a byte of an allocated unit.
    fn unit_reg(&self, a: Allocation, byte: u32) -> Reg {
        let unit = a.as_reg().map_or(0, unit);
        let at = unit * self.frame.unit_bytes + byte;
        Reg::new(
            RegFile::Grf,
            at / self.frame.grf_bytes,
            (at % self.frame.grf_bytes) as u16,
        )
    }

    fn inst(&self, op: Op, m: &Inst, allocs: &[Allocation]) -> Gen {
        // The first register of each operand, in the order in which the adapter has them.
        let mut first: [Option<Allocation>; 4] = [None; 4];
        let mut next = 0;
        self.func.visit(m, |_, role| {
            let (operand, n) = match role {
                Role::Source { src, n } => (usize::from(src), n),
                Role::Result { n, old } => {
                    next += usize::from(old.is_some());
                    (RESULT, n)
                }
                _ => return,
            };
            if n == 0 {
                first[operand] = allocs.get(next).copied();
            }
            next += 1;
        });
        let reg = |r: inst::Reg, operand: usize| match first[operand] {
            Some(a) => self.unit_reg(a, r.byte()),
            None => Reg::NULL,
        };
        self.physical().inst(op, m, reg)
    }

    /// A move between registers, or to or from a spill slot.
    fn transfer(
        &mut self,
        from: Allocation,
        to: Allocation,
        code: &mut Vec<Gen>,
    ) -> Result<(), AllocError> {
        self.note(from);
        self.note(to);
        self.overwrites(to);
        match (from.kind(), to.kind()) {
            (AllocationKind::Reg, AllocationKind::Stack) => {
                let slot = self.slot(to);
                self.spill(from, slot, true, code)
            }
            (AllocationKind::Stack, AllocationKind::Reg) => {
                let slot = self.slot(from);
                self.spill(to, slot, false, code)
            }
            _ => {
                self.stats.moves += 1;
                code.push(self.copy_unit(from, to));
                Ok(())
            }
        }
    }

    /// The place of one of the allocator's slots.
    fn slot(&mut self, slot: Allocation) -> Slot {
        let number = slot.as_stack().map_or(0, |s| s.index());
        if number >= self.slots.len() {
            self.slots.resize(number + 1, None);
        }
        *self.slots[number].get_or_insert_with(|| {
            let (at, grfs) = (self.used_slots, self.frame.unit_grfs);
            self.used_slots += grfs;
            Slot { at, grfs }
        })
    }

    /// Writes a unit, or as much of it as the slot has, to the slot that begins at that register, or reads it.
    fn spill(
        &mut self,
        unit: Allocation,
        slot: Slot,
        write: bool,
        code: &mut Vec<Gen>,
    ) -> Result<(), AllocError> {
        match write {
            true => self.stats.spills += 1,
            false => self.stats.fills += 1,
        }
        match self.stack.as_ref().filter(|stack| stack.is_dynamic()) {
            Some(stack) => {
                let first = self.unit_reg(unit, 0).num;
                stack.spill(slot.at, first, write, code)
            }
            None => {
                let at = self.scratch + slot.at;
                self.scratch_block(unit, Slot { at, ..slot }, write, code)
            }
        }
    }

    /// What the function does first and last by its calling convention.
    fn enter_and_leave(&mut self, bodies: &mut [Body]) -> Result<(), AllocError> {
        let is_routine = self.func.entered == Entered::Subroutine;
        let goes_far = self.stats.spill_bytes > 0 && self.scratch + self.used_slots > NEAR_GRFS;
        let entry = self.func.entry();
        if let (Entered::Dispatched, None, Some(far)) =
            (self.func.entered, &self.stack, self.frame.far)
            && goes_far
            && let Some(body) = bodies.iter_mut().find(|body| body.block == entry)
        {
            let words = (self.frame.grf_bytes / 4) as u8;
            let header = Reg::grf(self.frame.header);
            body.insts.insert(1, copy(words, Reg::grf(far), header));
            body.origins.insert(1, ADDED);
        }
        let Some(stack) = self.stack.as_ref().filter(|_| !is_routine) else {
            return Ok(());
        };
        let (used, slots) = (self.units, self.used_slots);
        let scratch = (self.scratch + self.used_slots) * self.frame.grf_bytes;
        self.stats.frame_bytes = stack.bytes(used, slots);
        for body in bodies {
            if body.block == self.func.entry() {
                // A kernel's copy of r0 comes before.
                let at = usize::from(!stack.is_dynamic());
                let code = stack.enter(used, slots, scratch)?;
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

    fn copy_unit(&self, from: Allocation, to: Allocation) -> Gen {
        let dwords = (self.frame.unit_bytes / 4) as u8;
        copy(dwords, self.unit_reg(to, 0), self.unit_reg(from, 0))
    }

    /// Writes or reads so many registers of a unit, which are at a register of scratch space.
    fn scratch_block(
        &mut self,
        unit: Allocation,
        Slot { at, grfs }: Slot,
        write: bool,
        code: &mut Vec<Gen>,
    ) -> Result<(), AllocError> {
        let too_far = AllocError::Scratch {
            func: self.func.name.clone(),
            limit: self.frame.scratch_grfs() * self.frame.grf_bytes,
        };
        if at + grfs > self.frame.scratch_grfs() {
            return Err(too_far);
        }
        if let Some(far) = self.frame.far
            && at + grfs > NEAR_GRFS
        {
            let first = self.unit_reg(unit, 0).num;
            code.push(stack::go_to(far, at * self.frame.grf_bytes));
            code.push(stack::block(self.func, far, (first, grfs), write)?);
            return Ok(());
        }
        let block = messages::Block::of(grfs).unwrap_or(messages::Block::X1);
        let offset = at * self.frame.grf_bytes;
        let request = match write {
            true => (data_port::scratch_write(block, offset))
                .flag(Flag::ByDword, true)
                .lengths(1, grfs as u8, 0),
            false => data_port::scratch_read(block, offset).lengths(1, 0, grfs as u8),
        };
        let message = request.encode(self.func.target.family);
        let reg = self.unit_reg(unit, 0);
        let mut send = Gen::new(if write { Op::Sends } else { Op::Send }, 16);
        send.no_mask = true;
        send.msg = Some(message.map_err(|_| too_far)?.message());
        let header = Reg::grf(self.frame.header);
        send.srcs
            .push(Src::reg(header, Region::packed(8), Type::Ud));
        send.dst = Some(match write {
            true => Dst::new(Reg::NULL, 1, Type::Uw),
            false => Dst::new(reg, 1, Type::Uw),
        });
        if write {
            send.srcs.push(Src::reg(reg, Region::packed(8), Type::Ud));
        }
        code.push(send);
        Ok(())
    }
}

/// The hardware wants the instruction behind a call, and a called function's first, to let another
/// thread run (reference: `WaThreadSwitchAfterCall`).
pub fn switch(header: u32) -> Gen {
    let mut mov = Gen::new(Op::Mov, 1);
    mov.no_mask = true;
    mov.opts.switch = true;
    mov.dst = Some(Dst::new(Reg::NULL, 1, Type::Ud));
    let header = Src::reg(Reg::grf(header), Region::SCALAR, Type::Ud);
    mov.srcs.push(header);
    mov
}

/// Copies dwords, whatever channels run.
pub fn copy(dwords: u8, to: Reg, from: Reg) -> Gen {
    let mut mov = Gen::new(Op::Mov, dwords);
    mov.no_mask = true;
    mov.dst = Some(Dst::new(to, 1, Type::Ud));
    mov.srcs
        .push(Src::reg(from, Region::packed(dwords), Type::Ud));
    mov
}
