//! Stack calls: arguments, results, clobbered registers, and the state that a function owes its caller.
//!
//! The stack's pointers are tracked as distances from their values at entry, so that a place in a frame is a number as
//! that of a spill slot is. The registers that a callee saves and the caller's pointers are values of their own, with
//! numbers after those of the function.

use kiln_emit::inst::{Desc, Inst as Gen, Op, Place, Reg, RegFile, Src, Target, Type};
use kiln_machine::func::{Block, Entered};
use kiln_machine::inst::{Inst, Opcode, VReg};
use kiln_platform::abi::Stack;
use kiln_platform::bits::GrfSet;
use kiln_platform::platform::{AddressCalls, MessageFamily, UNIT_GRFS};
use smallvec::SmallVec;

use super::addresses::Register;
use super::{Checker, Held, Part, Result, State};
use crate::routines::units;

pub(super) const OWORD: u32 = 16;
/// The entry of the binding table that means all memory, and the data port's number (PRM, "Shared
/// Function IDs").
const STATELESS: u32 = 255;
pub(super) const DATA_PORT: u8 = 10;

/// The stack's pointers from the end of the stack at entry, in owords or, where messages access memory by address, in
/// bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pointers {
    top: Option<u32>,
    frame: Option<Where>,
    /// The place in the stack that the next message accesses.
    offset: Option<u32>,
    /// True if the register of messages is a copy of r0 but for the offset.
    header: bool,
    /// True if the return address is that of the caller.
    address: bool,
    /// A register that holds the caller's pointers.
    descriptor: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Where {
    Callers,
    At(u32),
}

impl Pointers {
    pub(super) fn offset(&self) -> Option<u32> {
        self.offset
    }

    pub(super) fn meet(&mut self, other: &Pointers) {
        fn both<T: PartialEq>(a: &mut Option<T>, b: &Option<T>) {
            if a != b {
                *a = None;
            }
        }
        both(&mut self.top, &other.top);
        both(&mut self.frame, &other.frame);
        both(&mut self.offset, &other.offset);
        both(&mut self.descriptor, &other.descriptor);
        self.header &= other.header;
        self.address &= other.address;
    }
}

fn direct(place: Place) -> Option<Reg> {
    match place {
        Place::Direct(reg) => Some(reg),
        Place::Indirect { .. } => None,
    }
}

fn register(src: Option<&Src>) -> Option<Reg> {
    match src {
        Some(Src::Reg(r)) if !r.modifier.neg && !r.modifier.abs => direct(r.place),
        _ => None,
    }
}

pub(super) fn immediate(src: Option<&Src>) -> Option<u32> {
    match src {
        Some(Src::Imm { bits, .. }) => Some(*bits as u32),
        _ => None,
    }
}

/// Number of owords of a block message to all memory, and true if it writes; `None` for another message.
pub(super) fn oword_block(desc: u32) -> Option<(u32, bool)> {
    let owords = 1u32 << (desc >> 8 & 7).saturating_sub(1);
    let kind = match desc >> 14 & 31 {
        0 => false,
        8 => true,
        _ => return None,
    };
    (desc & 0xff == STATELESS).then_some((owords, kind))
}

impl Checker<'_> {
    fn is_by_address(&self) -> bool {
        self.func.target.memory == MessageFamily::LoadStore
    }

    /// Bytes that pointers count as one.
    fn pointer_unit(&self) -> u32 {
        if self.is_by_address() { 1 } else { OWORD }
    }

    /// The caller's contents of a unit.
    fn callers(&self, unit: u32) -> VReg {
        VReg::from_u32(self.func.regs.len() as u32 + unit)
    }

    /// The caller's pointers.
    fn descriptor(&self) -> VReg {
        self.callers(self.func.target.grf_count)
    }

    pub(super) fn is_callers(&self, v: VReg) -> bool {
        v.as_u32() >= self.func.regs.len() as u32
    }

    fn saved_units(&self, stack: &Stack) -> std::ops::Range<u32> {
        let grfs = self.unit_bytes / self.grf_bytes;
        stack.callee_saved.start / grfs..stack.callee_saved.end / grfs
    }

    /// The state in which a function that keeps to a convention of calls begins.
    pub(super) fn called(&self, state: &mut State) {
        let Some(stack) = &self.func.abi.stack else {
            return;
        };
        let called = self.func.entered.by_stack_call();
        state.stack = Some(Pointers {
            top: called.then_some(0),
            frame: called.then_some(Where::Callers),
            offset: None,
            header: called || self.is_by_address(),
            address: called,
            descriptor: None,
        });
        if called && self.is_by_address() {
            state.register = Some(Register::called(stack.messages));
        }
        if self.func.entered == Entered::Subroutine {
            state.stack = self.within();
        }
        if called {
            state.header = [self.func.abi.header].into();
            for unit in self.saved_units(stack) {
                state.units[unit as usize].push((self.callers(unit), Part::WHOLE));
            }
        }
    }

    /// A kernel's stack in one of its subroutines: it begins after the subroutine's frame or later.
    pub(super) fn within(&self) -> Option<Pointers> {
        let end = self.own?.frame_end * self.grf_bytes;
        Some(Pointers {
            top: Some(end / self.pointer_unit()),
            frame: Some(Where::At(0)),
            offset: None,
            header: true,
            address: false,
            descriptor: None,
        })
    }

    /// A subroutine is called whose frame, with those of all that it calls, ends there.
    pub(super) fn stack_for(&self, frame_end: u32, pointers: &mut Pointers) -> Result {
        let top = pointers.top.ok_or("a call with the stack's end unknown")?;
        if top * self.pointer_unit() < frame_end * self.grf_bytes || !pointers.header {
            return Err("a subroutine's frame is not below the stack".into());
        }
        pointers.offset = None;
        pointers.descriptor = None;
        pointers.address = false;
        Ok(())
    }

    /// A subroutine leaves the stack as it found it.
    pub(super) fn stack_left(&self, pointers: &Pointers) -> Result {
        let entered = self.within().ok_or("no stack")?;
        let same = (pointers.top, pointers.frame) == (entered.top, entered.frame);
        match same && pointers.header {
            true => Ok(()),
            false => Err("the stack is not as the kernel has it".into()),
        }
    }

    /// Follows an added instruction that writes or uses the stack's pointers; `None` if it does neither.
    pub(super) fn on_stack(&self, inst: &Gen, state: &mut State) -> Option<Result> {
        let stack = self.func.abi.stack.as_ref()?;
        let mut pointers = state.stack?;
        if inst.msg.is_some() {
            // A kernel and its subroutines have their frames at fixed places.
            let called = self.func.entered.by_stack_call() && !self.is_by_address();
            return called.then(|| self.frame_message(inst, state))?;
        }
        let to = direct(inst.dst?.place)?;
        if to.is_null() {
            return (inst.op == Op::Mov).then_some(Ok(()));
        }
        let is = |reg: Option<Reg>, num: u32, byte: u32| {
            let there = Reg::new(RegFile::Grf, num, byte as u16);
            reg.is_some_and(|reg| reg == there)
        };
        let (from, first) = (register(inst.srcs.first()), immediate(inst.srcs.first()));
        let (one, pointed) = (inst.exec_size == 1, stack.pointers);
        let of = |reg: Option<Reg>, pointers: &Pointers| match pointers.frame {
            _ if is(reg, pointed, Stack::TOP) => pointers.top,
            Some(Where::At(at)) if is(reg, pointed, Stack::FRAME) => Some(at),
            _ => None,
        };
        let typed = inst.dst.is_some_and(|d| d.ty == Type::Ud);
        if !typed {
            return None;
        }
        match inst.op {
            Op::Add if one && is(Some(to), stack.messages, self.offset_byte()) => {
                let by = immediate(inst.srcs.get(1))?;
                pointers.offset = of(from, &pointers).map(|at| at + by);
            }
            Op::Add if one && is(Some(to), pointed, Stack::TOP) => {
                let by = immediate(inst.srcs.get(1))?;
                pointers.top = of(from, &pointers).map(|at| at + by);
            }
            Op::Mov if one && is(Some(to), pointed, Stack::FRAME) => {
                pointers.frame = first.or_else(|| of(from, &pointers)).map(Where::At);
            }
            Op::Mov if one && is(Some(to), pointed, Stack::TOP) => pointers.top = first,
            Op::Mov if inst.exec_size == 4 && is(Some(to), pointed, Stack::RETURN) => {
                let from = from?;
                if pointers.descriptor != Some(from.num) || from.byte != 0 {
                    return Some(Err("pointers that are not the caller's".into()));
                }
                pointers.top = Some(0);
                pointers.frame = Some(Where::Callers);
                pointers.address = true;
            }
            Op::Mov if !self.is_by_address() && is(Some(to), stack.messages, 0) => {
                let copied = from.is_some_and(|r| state.header.contains(&r.num) && r.byte == 0);
                let whole = u32::from(inst.exec_size) * 4 == self.grf_bytes;
                pointers.header = copied && whole;
                if pointers.header {
                    state.header.insert(stack.messages);
                }
            }
            _ => return None,
        }
        state.stack = Some(pointers);
        Some(Ok(()))
    }

    /// Byte of the register of messages that says where the next one goes.
    fn offset_byte(&self) -> u32 {
        match self.is_by_address() {
            true => Stack::ADDRESS,
            false => Stack::OFFSET,
        }
    }

    /// A message that writes or reads a frame: registers, or the caller's pointers.
    fn frame_message(&self, inst: &Gen, state: &mut State) -> Option<Result> {
        let stack = self.func.abi.stack.as_ref()?;
        let pointers = state.stack?;
        let msg = inst.msg?;
        let (Desc::Imm(desc), Desc::Imm(ex_desc)) = (msg.desc, msg.ex_desc) else {
            return None;
        };
        let header = register(inst.srcs.first())?;
        if msg.sfid != DATA_PORT || desc & 0xff != STATELESS || header.num != stack.messages {
            return None;
        }
        let Some((owords, write)) = oword_block(desc) else {
            return Some(Err("a message to the stack of another kind".into()));
        };
        let bytes = owords * OWORD;
        let grfs = bytes / self.grf_bytes;
        let (sent, received, second) = (desc >> 25 & 15, desc >> 20 & 31, ex_desc >> 6 & 15);
        let lengths = match write {
            true => (1, 0, grfs),
            false => (1, grfs, 0),
        };
        let fail = |what: &str| Some(Err(format!("a message to the stack that {what}")));
        let with_header = desc >> 19 & 1 == 1 && pointers.header;
        if (sent, received, second) != lengths || !with_header {
            return fail("has other lengths, or no header");
        }
        let Some(offset) = pointers.offset else {
            return fail("goes nowhere that is known");
        };
        let data = match write {
            true => register(inst.srcs.get(1)),
            false => direct(inst.dst?.place),
        };
        Some(self.in_frame((offset * OWORD, grfs), write, data?, state))
    }

    /// Registers of a frame, at so many bytes from the stack's end at entry, are written or read: units, or the caller's
    /// pointers.
    pub(super) fn in_frame(
        &self,
        (at, grfs): (u32, u32),
        write: bool,
        data: Reg,
        state: &mut State,
    ) -> Result {
        let stack = self.func.abi.stack.as_ref().ok_or("no convention")?;
        let pointers = state.stack.ok_or("no stack")?;
        let fail = |what: &str| Err(format!("a message to the stack that {what}"));
        let own = (Stack::DESCRIPTOR_GRFS * self.grf_bytes)..self.func.scratch_bytes;
        let accessed = at..at + grfs * self.grf_bytes;
        if accessed.start < own.end && own.start < accessed.end {
            return fail("accesses the function's own variables");
        }
        // Slots of frames are counted in registers, as spill slots are.
        let at = at / self.grf_bytes;
        if grfs == Stack::DESCRIPTOR_GRFS {
            if write {
                if data.num != stack.pointers {
                    return fail("writes half a unit");
                }
                let callers = pointers.address
                    && pointers.top == Some(0)
                    && pointers.frame == Some(Where::Callers);
                state.free(at, grfs);
                if callers {
                    let held = SmallVec::from_slice(&[(self.descriptor(), Part::WHOLE)]);
                    state.put(at, grfs, held);
                }
                return Ok(());
            }
            self.overwrite(state, self.address_of(data), self.grf_bytes);
            let held = state.in_slot(at, grfs);
            let descriptor = held.contains(&(self.descriptor(), Part::WHOLE));
            if let Some(pointers) = &mut state.stack {
                pointers.descriptor = descriptor.then_some(data.num);
            }
            return Ok(());
        }
        if !grfs.is_multiple_of(UNIT_GRFS) {
            return fail("is of parts of units");
        }
        let first = self.unit(data, 0)?;
        for n in 0..grfs / UNIT_GRFS {
            let (unit, at) = (first + n as usize, at + n * UNIT_GRFS);
            if write {
                let held: Held = state.units.get(unit).cloned().unwrap_or_default();
                state.put(at, UNIT_GRFS, held);
            } else {
                self.overwrite(state, unit as u32 * self.unit_bytes, self.unit_bytes);
                state.units[unit] = state.in_slot(at, UNIT_GRFS);
            }
        }
        Ok(())
    }

    /// Checks that arguments or results are in the registers of the convention.
    fn passed(&self, inst: &Inst, state: &State) -> Result {
        let Some(stack) = &self.func.abi.stack else {
            return Err("a call without a convention".into());
        };
        if !inst.passes() {
            return Ok(());
        }
        let reg = inst.srcs[0]
            .as_reg()
            .ok_or("what is passed is no register")?
            .reg;
        let first = (stack.args * self.grf_bytes / self.unit_bytes) as usize;
        for (unit, &v) in (first..).zip(self.func.registers(&reg.base())) {
            self.reads_unit(v, unit, state)?;
        }
        Ok(())
    }

    /// The first instruction of a call. All arguments are in their places here; the instructions that follow are the
    /// jump.
    pub(super) fn call(&self, f: &Inst, p: &Gen, state: &mut State) -> Result {
        let stack = self.func.abi.stack.as_ref().ok_or("no convention")?;
        self.passed(f, state)?;
        if f.op == Opcode::Call {
            let symbol = f.symbol.expand().map(|s| s.as_u32());
            let to = p.dst.and_then(|d| direct(d.place));
            let back = Reg::new(RegFile::Grf, stack.pointers, Stack::RETURN as u16);
            let same = p.op == Op::Call
                && p.symbol == symbol
                && to == Some(back)
                && (p.exec_size, p.chan_off, p.no_mask)
                    == (f.exec_size, f.chan_off, f.opts.no_mask)
                && p.pred.map(|x| (x.inverse, x.ctrl)) == f.pred.map(|x| (x.inverse, x.ctrl));
            if !same {
                return Err("another call than the function's".into());
            }
            if let (Some(pred), Some(out)) = (&f.pred, &p.pred) {
                let bytes = self.flag_bytes(f.exec_size, f.chan_off, Some(pred.ctrl));
                self.reads(pred.flag, out.flag, bytes, state)?;
            }
        } else {
            let address = f.srcs.last().and_then(|s| s.as_reg());
            let address = address.ok_or("an address that is no register")?;
            let by_call = self.func.target.address_calls == AddressCalls::Calla;
            let operand = p.srcs.get(usize::from(!by_call));
            let out = register(operand).ok_or("a call without its address")?;
            self.reads(address.reg, out, 4, state)?;
            let back = Reg::new(RegFile::Grf, stack.pointers, Stack::RETURN as u16);
            let there = p.op == Op::Mov && p.dst.and_then(|d| direct(d.place)) == Some(back);
            let less_ip = matches!(p.srcs.first(), Some(Src::Reg(r)) if r.modifier.neg
                && direct(r.place).is_some_and(|reg| reg.file == RegFile::Ip));
            let jumps = p.op == Op::Add && less_ip && p.opts.long;
            if !(if by_call { there } else { jumps }) {
                return Err("a call of another address".into());
            }
        }
        // Only frames below the stack's end are safe from the callee.
        let pointers = state.stack.as_mut().ok_or("no stack")?;
        let top = pointers.top.ok_or("a call with the stack's end unknown")?;
        let end = top * self.pointer_unit() / self.grf_bytes;
        pointers.offset = None;
        pointers.descriptor = None;
        pointers.address = false;
        state.slots.retain(|&at, slot| at + slot.grfs <= end);
        if self.is_by_address() {
            self.register_called(stack.messages, state)?;
        }
        let clobbers = self.parts.clobbers(self.func, f);
        self.written.set(self.written.get() | clobbers);
        let duties = self.saved_units(stack).end;
        for (unit, held) in (0u32..).zip(&mut state.units) {
            if clobbers.contains(unit) || unit >= duties {
                held.clear();
            }
        }
        state.flags.iter_mut().for_each(Held::clear);
        state.address.iter_mut().for_each(Held::clear);
        // The callee has changed the offset in the register of messages.
        state.far = state.has_far(stack.messages).then_some(super::Far {
            grf: stack.messages,
            offset: None,
        });
        let header = self.func.abi.header;
        state.header.retain(|&grf| grf == header);
        if let Some(dst) = &f.dst {
            let first = (stack.args * self.grf_bytes / self.unit_bytes) as usize;
            for (unit, &v) in (first..).zip(self.func.registers(&dst.reg.base())) {
                self.held(state, unit)?;
                state.units[unit] = SmallVec::from_slice(&[(v, Part::WHOLE)]);
            }
        }
        Ok(())
    }

    /// The other instructions of a call write only the return address, and registers that hold no value after the
    /// call but values without a definition, which every place holds.
    pub(super) fn rest_of_call(
        &self,
        f: &Inst,
        p: &Gen,
        state: &State,
        undefined: &[VReg],
    ) -> Result {
        if matches!(f.op, Opcode::CallRoutine(_)) {
            let nowhere = p
                .dst
                .and_then(|d| direct(d.place))
                .is_some_and(|to| to.is_null());
            return match p.op == Op::Mov && p.no_mask && nowhere {
                true => Ok(()),
                false => Err("a call of a subroutine has one instruction more".into()),
            };
        }
        let stack = self.func.abi.stack.as_ref().ok_or("no convention")?;
        let jumps = p.op == Op::Jmpi && p.jip == Some(Target::Reg) && f.op == Opcode::CallAddress;
        let back = Reg::new(RegFile::Grf, stack.pointers, Stack::RETURN as u16);
        let by_address = f.op == Opcode::CallAddress;
        let comes_back = p.op == Op::Ret
            && by_address
            && self.for_all(p)
            && p.jip == Some(Target::Reg)
            && register(p.srcs.first()) == Some(back);
        let Some(to) = p.dst.and_then(|d| direct(d.place)) else {
            return match jumps || comes_back {
                true => Ok(()),
                false => Err("a call goes elsewhere".into()),
            };
        };
        let by_distance = self.func.target.address_calls == AddressCalls::Call;
        if p.op == Op::Calla || by_distance && p.op == Op::Call {
            let same_channels = (p.exec_size, p.chan_off, p.no_mask)
                == (f.exec_size, f.chan_off, f.opts.no_mask)
                && p.pred.is_none()
                && f.pred.is_none();
            let there = p.jip == Some(Target::Reg) && register(p.srcs.first()) == Some(back);
            return match by_address && to == back && there && same_channels {
                true => Ok(()),
                false => Err("a call of another address".into()),
            };
        }
        if p.op == Op::Call {
            // A call by address has the next instruction as its jump target.
            let next = Some(Target::Offset(p.size() as i32));
            let same = by_address && to == back && p.jip == next && self.for_all(p);
            return match same {
                true => Ok(()),
                false => Err("a call of another address".into()),
            };
        }
        let unit = (self.address_of(to) / self.unit_bytes) as usize;
        let empty = || -> Result<bool> {
            let held = self.held(state, unit)?;
            Ok(held.iter().all(|(v, _)| undefined.contains(v)))
        };
        let free = to.is_null() || to == back || empty()?;
        match p.no_mask && free {
            true => Ok(()),
            false => Err("a call overwrites what is wanted".into()),
        }
    }

    /// A function overwrites no register that a caller by name relies on. Saved registers and those with a role of
    /// their own are checked at its returns.
    pub(super) fn loses_as_said(&self, overwritten: GrfSet) -> Result {
        let stack = match &self.func.abi.stack {
            Some(stack) if self.func.entered == Entered::Called => stack,
            _ => return Ok(()),
        };
        let said = units(overwritten);
        let beyond = self.written.get() - said;
        let saved_from = self.saved_units(stack).start;
        match beyond.iter().find(|&unit| unit < saved_from) {
            Some(unit) => Err(format!(
                "unit {unit} is overwritten, and callers do not know"
            )),
            None => Ok(()),
        }
    }

    /// The end of a function: results, saved registers and pointers have the values of the convention.
    pub(super) fn back<'g>(
        &self,
        b: Block,
        code: &mut impl Iterator<Item = &'g Gen>,
        state: &State,
    ) -> Result {
        let stack = self
            .func
            .abi
            .stack
            .as_ref()
            .ok_or("a return without a caller")?;
        let results = self.func.blocks[b].insts.last();
        match results.filter(|inst| inst.op == Opcode::Results) {
            Some(inst) => self.passed(inst, state)?,
            None => return Err("a return without results".into()),
        }
        for unit in self.saved_units(stack) {
            if !self
                .held(state, unit as usize)?
                .contains(&(self.callers(unit), Part::WHOLE))
            {
                return Err(format!("unit {unit} is not what the caller left there"));
            }
        }
        let pointers = state.stack.ok_or("no stack")?;
        let callers =
            pointers.top == Some(0) && pointers.frame == Some(Where::Callers) && pointers.address;
        if !callers || !state.header.contains(&self.func.abi.header) {
            return Err("the stack is not as the caller left it".into());
        }
        let last = code.last().ok_or("no return")?;
        let op = match self.func.entered {
            Entered::Called => Op::Ret,
            _ => Op::Jmpi,
        };
        let from = register(last.srcs.first());
        let back = Reg::new(RegFile::Grf, stack.pointers, Stack::RETURN as u16);
        match last.op == op && last.jip == Some(Target::Reg) && from == Some(back) {
            true => Ok(()),
            false => Err("a return to elsewhere".into()),
        }
    }
}
