//! Subroutines: caller and callee keep to the callee's convention.
//!
//! The callee begins with its inputs in the places of the convention. At its end, results and return address are in
//! their places, the copy of r0 is in its own, and no register or part of scratch space is overwritten beyond those of
//! the convention. The caller is checked with the same convention; scratch space below the end of the callee's frames
//! holds no value after a call.

use kiln_emit::inst::{Inst as Gen, Op, Place, Reg, RegFile, Src, Target};
use kiln_machine::inst::{Inst, VReg};
use smallvec::SmallVec;

use super::addresses::Register;
use super::{Checker, Far, Held, Part, Result, State};
use crate::build_problem::{passed_by, return_address};
use crate::problem::Unit;
use crate::routines::Passed;
use kiln_platform::bits::UnitSet;
use kiln_platform::platform::MessageFamily;

impl Checker<'_> {
    /// The state in which a subroutine begins: each input in a place of its own.
    pub(super) fn begin(&self, state: &mut State) -> Result {
        let own = self.own.ok_or("a subroutine without a convention")?;
        let places = [Passed::Unit(own.return_address)]
            .into_iter()
            .chain(own.inputs.iter().copied());
        if self.func.inputs.len() != own.inputs.len() + 1 {
            return Err("a convention for other inputs".into());
        }
        for (&(v, _), place) in self.func.inputs.iter().zip(places) {
            let held = SmallVec::from_slice(&[(v, Part::WHOLE)]);
            let before = match place {
                Passed::Unit(unit) => {
                    let there = state.units.get_mut(unit.index());
                    std::mem::replace(there.ok_or("beyond the register file")?, held)
                }
                Passed::Slot(slot) => self.keep(state, slot, held)?,
            };
            if !before.is_empty() {
                return Err(format!("{v} arrives where another input does"));
            }
        }
        let headers = self.parts.headers;
        state.header = headers.iter().map(|headers| headers.header).collect();
        let far = headers.and_then(|headers| headers.far);
        let far = far.filter(|_| self.goes_far(own.frame_end));
        match self.func.target.memory {
            MessageFamily::DataPort => state.far = far.map(|grf| Far { grf, offset: None }),
            MessageFamily::LoadStore => state.register = far.map(Register::ready),
        }
        Ok(())
    }

    /// True if a subroutine may use the header of far messages. The convention of stack calls always has it.
    fn goes_far(&self, frame_end: u32) -> bool {
        let near = self.func.target.scratch_block_bytes;
        self.func.abi.stack.is_some() || frame_end * self.grf_bytes > near
    }

    /// A subroutine finds the header of far messages, and leaves it.
    fn is_far(&self, frame_end: u32, state: &State) -> Result {
        let far = self.parts.headers.and_then(|headers| headers.far);
        let ready = |grf| {
            state
                .register
                .as_ref()
                .is_some_and(|r| r.grf == grf && r.is_ready())
        };
        let there = far.is_some_and(|grf| match self.func.target.memory {
            MessageFamily::DataPort => state.has_far(grf),
            MessageFamily::LoadStore => ready(grf),
        });
        match there || !self.goes_far(frame_end) {
            true => Ok(()),
            false => Err("a subroutine's frame is far, and no register for messages to it".into()),
        }
    }

    /// Puts a value into a slot of the frames of callees, and gives the values that were there.
    fn keep(&self, state: &mut State, slot: u32, held: Held) -> Result<Held> {
        let grfs = self.unit_bytes / self.grf_bytes;
        let before = state.in_slot(slot, grfs);
        let others = state.slots.keys().filter(|&&at| at != slot).count();
        state.put(slot, grfs, held);
        match state.slots.len() == others + 1 {
            true => Ok(before),
            false => Err(format!("slot {slot} overlaps another")),
        }
    }

    fn is_at(&self, v: VReg, place: Passed, state: &State) -> Result {
        let slot = match place {
            Passed::Unit(unit) => return self.reads_unit(v, unit.index(), state),
            Passed::Slot(slot) => slot,
        };
        let held = state.in_slot(slot, self.unit_bytes / self.grf_bytes);
        match held.contains(&(state.class(v), Part::WHOLE)) {
            true => Ok(()),
            false => Err(format!("{v}, which is passed, is not at {place:?}")),
        }
    }

    /// True if an instruction has all channels of the function, and no predicate.
    pub(super) fn for_all(&self, p: &Gen) -> bool {
        (p.exec_size, p.chan_off, p.no_mask) == (self.func.simd, 0, false) && p.pred.is_none()
    }

    pub(super) fn call_routine(&self, f: &Inst, callee: u32, p: &Gen, state: &mut State) -> Result {
        let convention = self.parts.convention(callee);
        let convention = convention.ok_or("a call of what has no convention")?;
        let (uses, defs) = passed_by(self.func, f);
        if uses.len() != convention.inputs.len() || defs.len() > convention.results.len() {
            return Err("a call that passes something else".into());
        }
        for (&v, &place) in uses.iter().zip(&convention.inputs) {
            if place == Passed::Unit(convention.return_address) {
                return Err(format!("{v} is passed where the return address is put"));
            }
            self.is_at(v, place, state)?;
        }
        let back =
            Reg::grf(u32::from(convention.return_address) * self.unit_bytes / self.grf_bytes);
        let to = p.dst.map(|dst| dst.place);
        let same = p.op == Op::Call
            && p.jip == Some(Target::Routine(callee))
            && to == Some(Place::Direct(back))
            && self.for_all(p);
        if !same {
            return Err("another call than the function's".into());
        }
        if let Some(pointers) = &mut state.stack {
            self.stack_for(convention.frame_end, pointers)?;
        }
        self.is_far(convention.frame_end, state)?;
        state.far = state.far.map(|far| Far {
            offset: None,
            ..far
        });
        let clobbers = convention.clobbers | UnitSet::of(convention.return_address);
        for unit in clobbers.iter() {
            self.overwrite(state, unit * self.unit_bytes, self.unit_bytes);
        }
        state.slots.retain(|&slot, _| slot >= convention.frame_end);
        state.flags.iter_mut().for_each(Held::clear);
        state.address.iter_mut().for_each(Held::clear);
        if let Some(register) = &mut state.register {
            register.kept = Default::default();
        }
        for (&v, &place) in defs.iter().zip(&convention.results) {
            let held = SmallVec::from_slice(&[(v, Part::WHOLE)]);
            match place {
                Passed::Unit(unit) => {
                    let there = state.units.get_mut(unit.index());
                    *there.ok_or("beyond the register file")? = held;
                }
                Passed::Slot(slot) => {
                    self.keep(state, slot, held)?;
                }
            }
        }
        Ok(())
    }

    /// The end of a subroutine.
    pub(super) fn leave(&self, f: &Inst, p: &Gen, state: &State) -> Result {
        let own = self.own.ok_or("a return without a caller")?;
        let (results, _) = passed_by(self.func, f);
        if results.len() != own.results.len() {
            return Err("a convention for other results".into());
        }
        for (&v, &place) in results.iter().zip(&own.results) {
            self.is_at(v, place, state)?;
        }
        let address = return_address(f).ok_or("no return address")?;
        let same = self.func.inputs.first().is_some_and(|&(v, _)| v == address);
        let from = match p.srcs.first() {
            Some(Src::Reg(r)) if !r.modifier.neg && !r.modifier.abs => match r.place {
                Place::Direct(reg) if reg.file == RegFile::Grf => reg,
                _ => return Err("a return to elsewhere".into()),
            },
            _ => return Err("a return to elsewhere".into()),
        };
        let unit = self.unit(from, 0)?;
        self.is_at(address, Passed::Unit(Unit(unit as u16)), state)?;
        if !same || p.op != Op::Ret || p.jip != Some(Target::Reg) || !self.for_all(p) {
            return Err("a return to elsewhere".into());
        }
        if let Some(pointers) = &state.stack {
            self.stack_left(pointers)?;
        }
        self.is_far(own.frame_end, state)?;
        let headers = self.parts.headers;
        match headers.is_some_and(|headers| state.header.contains(&headers.header)) {
            true => Ok(()),
            false => Err("the copy of r0 is not where the caller left it".into()),
        }
    }

    /// A subroutine overwrites no register that its callers may rely on.
    pub(super) fn overwrites_as_said(&self) -> Result {
        let Some(own) = self.own else { return Ok(()) };
        let grfs = self.unit_bytes / self.grf_bytes;
        let kept = |unit: u32| {
            let mut of_unit = unit * grfs..(unit + 1) * grfs;
            of_unit.any(|grf| self.func.reserved.iter().any(|range| range.contains(&grf)))
        };
        let beyond = self.written.get() - own.clobbers;
        match beyond.iter().find(|&unit| !kept(unit)) {
            Some(unit) => Err(format!(
                "unit {unit} is overwritten, and callers do not know"
            )),
            None => Ok(()),
        }
    }
}
