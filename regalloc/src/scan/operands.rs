//! One instruction: its operands' places, and what has to move for them.
//!
//! In turn: what must be in one register is moved there, and what was there goes elsewhere; what is in memory
//! is loaded; what lives on leaves the registers that are about to be overwritten; what a definition writes over
//! is copied if it lives on. Then what dies here makes room for what is defined.

use regalloc2::{
    Function, Inst, OperandConstraint, OperandKind, OperandPos, ProgPoint, RegAllocError,
};
use smallvec::SmallVec;

use super::edges::{self, Move, Place};
use super::{NOBODY, Scan, SomeUnits, set_of};
use crate::adapter::{Source, unit};

/// A value that an instruction reads.
#[derive(Clone, Copy)]
struct Use {
    /// Among the instruction's operands.
    k: usize,
    v: u32,
    fixed: Option<u8>,
    /// It may be in memory.
    anywhere: bool,
    /// This operand is read while results are written, or another of the same value is.
    is_late: bool,
    value_is_late: bool,
    /// The value is wanted behind the instruction.
    stays: bool,
}

/// A value that it defines.
#[derive(Clone, Copy)]
struct Def {
    k: usize,
    v: u32,
    fixed: Option<u8>,
    anywhere: bool,
    /// The operand that it is written over.
    over: Option<usize>,
}

struct Operands {
    i: u32,
    uses: SmallVec<[Use; 8]>,
    defs: SmallVec<[Def; 4]>,
    /// Registers that uses must be in, and those in which nothing stays that lives on.
    fixed: u64,
    lost: u64,
    /// Registers of operands, which are not taken for anything else.
    kept: u64,
    /// Those with copies that end with the instruction; of these, those that last until it has written.
    copies: u64,
    late_copies: u64,
    places: SmallVec<[Option<Place>; 8]>,
}

impl Operands {
    fn reads(&self, v: u32) -> bool {
        self.uses.iter().any(|u| u.v == v)
    }

    /// Whether a value is wanted while results are written, or behind the instruction.
    fn lasts(&self, v: u32) -> bool {
        let found = self.uses.iter().find(|u| u.v == v);
        found.is_none_or(|u| u.stays || u.value_is_late)
    }

    /// Registers for a value that is not to be moved again.
    fn suits(&self, lasts: bool) -> u64 {
        !self.fixed & if lasts { !self.lost } else { u64::MAX }
    }
}

impl Scan<'_> {
    /// Gives the operands of an instruction their places.
    pub(super) fn inst(&mut self, i: u32) -> Result<(), RegAllocError> {
        let mut o = self.operands(i);
        self.arrive(&mut o)?;
        self.load(&mut o)?;
        let dropped = self.make_way(&mut o)?;
        let over = self.write_over(&mut o)?;
        for u in &o.uses {
            o.places[u.k] = o.places[u.k].or(self.place[u.v as usize]);
        }
        for v in dropped {
            self.spill(v);
        }
        // What dies makes room.
        for u in o.uses.iter().filter(|u| !u.stays && !u.value_is_late) {
            self.clear(u.v);
        }
        self.free |= o.copies & !o.late_copies & self.all;
        self.define(&mut o, &over)?;
        // What was read late, and what nobody wants.
        self.free |= o.late_copies & self.all;
        for u in o.uses.iter().filter(|u| !u.stays && u.value_is_late) {
            self.clear(u.v);
        }
        let start = self.input.operands_from(i);
        for def in &o.defs {
            if let Some(unit) = self.unit_of(def.v) {
                self.free &= !(1 << unit);
            }
            self.bear(def.v, ProgPoint::after(Inst::new(i as usize)));
        }
        for def in &o.defs {
            if self.lives.dies(start + def.k as u32) {
                self.clear(def.v);
            }
        }
        let nowhere = Place::Memory(NOBODY);
        (self.allocs).extend(o.places.iter().map(|p| p.unwrap_or(nowhere)));
        Ok(())
    }

    fn operands(&self, i: u32) -> Operands {
        let inst = Inst::new(i as usize);
        let ops = self.input.inst_operands(inst);
        let start = self.input.operands_from(i);
        let mut o = Operands {
            i,
            uses: SmallVec::new(),
            defs: SmallVec::new(),
            fixed: 0,
            lost: set_of(self.input.inst_clobbers(inst)),
            kept: 0,
            copies: 0,
            late_copies: 0,
            places: SmallVec::from_elem(None, ops.len()),
        };
        for (k, op) in ops.iter().enumerate() {
            let v = op.vreg().vreg() as u32;
            let fixed = match op.constraint() {
                OperandConstraint::FixedReg(preg) => Some(unit(preg) as u8),
                _ => None,
            };
            let bit = fixed.map_or(0, |unit| 1 << unit);
            let anywhere = op.constraint() == OperandConstraint::Any;
            match op.kind() {
                OperandKind::Use => {
                    o.fixed |= bit;
                    let is_late = op.pos() == OperandPos::Late;
                    let of_v = |other: &&regalloc2::Operand| {
                        other.kind() == OperandKind::Use && other.vreg() == op.vreg()
                    };
                    let late = |other: &regalloc2::Operand| other.pos() == OperandPos::Late;
                    o.uses.push(Use {
                        k,
                        v,
                        fixed,
                        anywhere,
                        is_late,
                        value_is_late: ops.iter().filter(of_v).any(late),
                        stays: !self.lives.dies(start + k as u32),
                    });
                }
                OperandKind::Def => {
                    o.lost |= bit;
                    let over = match op.constraint() {
                        OperandConstraint::Reuse(old) => Some(old),
                        _ => None,
                    };
                    o.defs.push(Def {
                        k,
                        v,
                        fixed,
                        anywhere,
                        over,
                    });
                }
            }
        }
        o
    }

    /// Moves what has to be in one register there. What is in its place goes elsewhere, or is itself one
    /// of these.
    fn arrive(&mut self, o: &mut Operands) -> Result<(), RegAllocError> {
        if o.fixed == 0 {
            return Ok(());
        }
        let is_fixed = |v: u32| o.uses.iter().any(|u| u.fixed.is_some() && u.v == v);
        for unit in SomeUnits(o.fixed & !self.free & self.all) {
            let v = self.holds[unit as usize];
            if v != NOBODY && !is_fixed(v) {
                self.vacate(o, unit)?;
            }
        }
        let mut moves: SmallVec<[Move; 8]> = SmallVec::new();
        let mut arrive: SmallVec<[(u32, u8); 8]> = SmallVec::new();
        for u in &o.uses {
            let Some(to) = u.fixed else { continue };
            let from = self.place[u.v as usize].ok_or(RegAllocError::TooManyLiveRegs)?;
            o.places[u.k] = Some(Place::Unit(to));
            o.kept |= 1 << to;
            moves.push((from, Place::Unit(to)));
            if o.lost >> to & 1 == 0 || !u.stays {
                arrive.push((u.v, to));
                continue;
            }
            // It is read here, and lives on elsewhere.
            o.copies |= 1 << to;
            if u.is_late {
                o.late_copies |= 1 << to;
            }
            if let Place::Unit(unit) = from
                && (o.lost | o.fixed) >> unit & 1 == 1
            {
                match self.choose(u.v, 2 * o.i, o.suits(true)) {
                    Some(other) => {
                        moves.push((from, Place::Unit(other)));
                        self.free &= !(1 << other);
                        arrive.push((u.v, other));
                    }
                    // Its register is read before anything else is there.
                    None => self.spill(u.v),
                }
            }
        }
        for step in edges::in_order(&moves, self.free & !o.fixed, self.order[0]) {
            self.before(o.i, step.0, step.1);
        }
        for &(v, _) in &arrive {
            self.clear(v);
        }
        for (v, to) in arrive {
            self.put(v, to);
        }
        self.free &= !o.copies;
        Ok(())
    }

    /// Makes a register free before an instruction: its value goes elsewhere.
    fn vacate(&mut self, o: &Operands, unit: u8) -> Result<(), RegAllocError> {
        let v = self.holds[unit as usize];
        let among = o.suits(o.uses.iter().all(|u| u.v != v || u.stays));
        let to = match self.choose(v, 2 * o.i, among) {
            Some(to) => to,
            None if !o.reads(v) => {
                self.spill(v);
                return Ok(());
            }
            None => {
                let wanted = SomeUnits(self.all & !self.free)
                    .filter(|&u| o.reads(self.holds[u as usize]))
                    .fold(0, |set, u| set | 1 << u);
                self.make_room(v, 2 * o.i, among, wanted)?
            }
        };
        self.before(o.i, Place::Unit(unit), Place::Unit(to));
        self.clear(v);
        self.put(v, to);
        Ok(())
    }

    /// Loads what is in memory and must be in a register.
    fn load(&mut self, o: &mut Operands) -> Result<(), RegAllocError> {
        for u in o.uses.iter().filter(|u| !u.anywhere) {
            if let Some(unit) = self.unit_of(u.v) {
                o.kept |= 1 << unit;
            }
        }
        for u in o.uses.iter().filter(|u| !u.anywhere && u.fixed.is_none()) {
            if self.unit_of(u.v).is_some() {
                continue;
            }
            let best = o.suits(u.stays || u.value_is_late);
            let unit = match self.make_room(u.v, 2 * o.i, best, o.kept) {
                Ok(unit) => unit,
                Err(_) => self.make_room(u.v, 2 * o.i, !o.fixed, o.kept)?,
            };
            self.before(o.i, self.memory(u.v), Place::Unit(unit));
            self.clear(u.v);
            self.put(u.v, unit);
            o.kept |= 1 << unit;
        }
        Ok(())
    }

    /// Moves what lives on out of registers that are overwritten. Gives what is in memory alone behind the
    /// instruction, which still reads it where it is.
    fn make_way(&mut self, o: &mut Operands) -> Result<SmallVec<[u32; 4]>, RegAllocError> {
        let mut dropped: SmallVec<[u32; 4]> = SmallVec::new();
        for unit in SomeUnits(o.lost & !self.free & !o.copies) {
            let v = self.holds[unit as usize];
            if v == NOBODY || !o.lasts(v) {
                continue;
            }
            match self.choose(v, 2 * o.i, o.suits(true)) {
                Some(to) => {
                    self.before(o.i, Place::Unit(unit), Place::Unit(to));
                    self.clear(v);
                    self.put(v, to);
                    if o.reads(v) {
                        o.kept |= 1 << to;
                    }
                }
                None if o.uses.iter().any(|u| u.v == v && u.value_is_late) => {
                    return Err(RegAllocError::TooManyLiveRegs);
                }
                None if o.reads(v) => dropped.push(v),
                None => self.spill(v),
            }
        }
        Ok(dropped)
    }

    /// Gives the registers of definitions that write over something, with a copy of that if it lives on.
    fn write_over(&mut self, o: &mut Operands) -> Result<SmallVec<[(Def, u8); 4]>, RegAllocError> {
        let mut over: SmallVec<[(Def, u8); 4]> = SmallVec::new();
        for def in &o.defs {
            let Some(old) = def.over else { continue };
            let old = o.uses.iter().find(|u| u.k == old);
            let old = *old.ok_or(RegAllocError::TooManyLiveRegs)?;
            let unit = self.unit_of(old.v).ok_or(RegAllocError::TooManyLiveRegs)?;
            if !old.stays && !old.value_is_late && o.lost >> unit & 1 == 0 {
                over.push((*def, unit));
                continue;
            }
            let to = self.make_room(def.v, 2 * o.i, o.suits(true), o.kept)?;
            self.before(o.i, Place::Unit(unit), Place::Unit(to));
            self.free &= !(1 << to);
            o.kept |= 1 << to;
            o.copies |= 1 << to;
            o.late_copies |= 1 << to;
            o.places[old.k] = Some(Place::Unit(to));
            over.push((*def, to));
        }
        Ok(over)
    }

    /// Gives definitions their registers.
    fn define(&mut self, o: &mut Operands, over: &[(Def, u8)]) -> Result<(), RegAllocError> {
        let mut kept = o.late_copies;
        for u in o.uses.iter().filter(|u| u.value_is_late) {
            if let Some(unit) = self.unit_of(u.v) {
                kept |= 1 << unit;
            }
        }
        let fixed = o.defs.iter().filter_map(|def| Some((*def, def.fixed?)));
        for (def, unit) in fixed.chain(over.iter().copied()) {
            // Inputs arrive in registers that are not given out, too.
            let is_taken = self.all & !self.free & !o.late_copies;
            if def.over.is_none() && is_taken >> unit & 1 == 1 {
                return Err(RegAllocError::TooManyLiveRegs);
            }
            self.put(def.v, unit);
            o.places[def.k] = Some(Place::Unit(unit));
            kept |= 1 << unit;
        }
        for def in &o.defs {
            if o.places[def.k].is_some() {
                continue;
            }
            // What is copied and dies leaves its register to the copy.
            let source = match (self.input.source[o.i as usize], o.places[0]) {
                (Source::Copy, Some(Place::Unit(unit))) if self.free >> unit & 1 == 1 => Some(unit),
                _ => None,
            };
            let chosen = match source {
                Some(unit) => Ok(unit),
                None => self.make_room(def.v, 2 * o.i + 1, !o.lost, kept),
            };
            let place = match chosen {
                Ok(unit) => {
                    self.put(def.v, unit);
                    kept |= 1 << unit;
                    Place::Unit(unit)
                }
                Err(_) if def.anywhere => {
                    let memory = self.memory(def.v);
                    self.place[def.v as usize] = Some(memory);
                    self.stored[def.v as usize] = true;
                    memory
                }
                Err(error) => return Err(error),
            };
            o.places[def.k] = Some(place);
        }
        Ok(())
    }
}
