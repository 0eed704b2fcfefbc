//! One instruction: the places of its operands, and the moves before it.
//!
//! In turn: fixed uses are moved to their units, and other values leave those; spilled values are loaded; values that
//! live on leave the units that are about to be overwritten; the use of a tied definition is copied if it lives on.
//! Then killed values make room for definitions.

use kiln_platform::bits::UnitSet;
use smallvec::SmallVec;

use super::parallel_moves::in_order;
use super::{NO_VALUE, Order, Scan, Step, key};
use crate::problem::{Constraint, NoAnswer, Place, Unit, units};

/// A value that an instruction reads.
#[derive(Clone, Copy)]
struct Use {
    /// The number of the operand in the instruction.
    k: usize,
    v: u32,
    fixed: Option<Unit>,
    /// True if it may be in memory.
    anywhere: bool,
    /// True if this operand is a late use.
    is_late: bool,
    /// True if any operand of the same value is a late use.
    value_is_late: bool,
    /// True if the value lives on after the instruction.
    stays: bool,
}

/// A value that an instruction defines.
#[derive(Clone, Copy)]
struct Def {
    k: usize,
    v: u32,
    fixed: Option<Unit>,
    anywhere: bool,
    /// The use that it is tied to.
    tied: Option<usize>,
}

struct Operands {
    i: u32,
    uses: SmallVec<[Use; 8]>,
    defs: SmallVec<[Def; 4]>,
    /// Units of fixed uses.
    fixed: UnitSet,
    /// Units that are overwritten: of fixed definitions, and clobbers.
    overwritten: UnitSet,
    /// Units of operands, which are not taken for anything else.
    kept: UnitSet,
    /// Units with copies that the instruction alone needs.
    copies: UnitSet,
    /// Units of these that are needed until results are written.
    late_copies: UnitSet,
    places: SmallVec<[Option<Place>; 8]>,
}

impl Operands {
    fn reads(&self, v: u32) -> bool {
        self.uses.iter().any(|u| u.v == v)
    }

    /// True if a value is needed while results are written, or after the instruction.
    fn lasts(&self, v: u32) -> bool {
        let found = self.uses.iter().find(|u| u.v == v);
        found.is_none_or(|u| u.stays || u.value_is_late)
    }

    /// Units for a value that is not to be moved again.
    fn suits(&self, lasts: bool) -> UnitSet {
        let all = UnitSet::ALL - self.fixed;
        if lasts { all - self.overwritten } else { all }
    }
}

impl Scan<'_> {
    /// Gives the operands of an instruction their places.
    pub(super) fn inst(&mut self, i: u32) -> Result<(), NoAnswer> {
        self.load_by_plan(i);
        let mut o = self.operands(i);
        self.arrive(&mut o)?;
        self.load(&mut o)?;
        let dropped = self.make_way(&mut o)?;
        let tied = self.copy_tied(&mut o)?;
        for u in &o.uses {
            o.places[u.k] = o.places[u.k].or(Some(self.place_of(u.v)));
        }
        for v in dropped {
            self.spill(v);
        }
        // Killed values make room.
        for u in o.uses.iter().filter(|u| !u.stays && !u.value_is_late) {
            self.clear(u.v);
        }
        self.release(o.copies - o.late_copies);
        self.define(&mut o, &tied)?;
        // Late uses, and definitions without uses.
        self.release(o.late_copies);
        for u in o.uses.iter().filter(|u| !u.stays && u.value_is_late) {
            self.clear(u.v);
        }
        let start = self.problem.operands_from(i);
        for def in &o.defs {
            if let Some(unit) = self.unit_of(def.v) {
                self.free.remove(unit);
            }
            self.define_at(def.v, 2 * i + 1);
        }
        for def in &o.defs {
            if self.ranges.kills(start + def.k) {
                self.clear(def.v);
            }
        }
        if !self.plan.is_empty() {
            self.send_away(&o);
        }
        let nowhere = Place::Memory(NO_VALUE);
        (self.places).extend(o.places.iter().map(|p| p.unwrap_or(nowhere)));
        Ok(())
    }

    /// Loads values that the plan has in units from an instruction on that does not read them, as far as there are units.
    fn load_by_plan(&mut self, i: u32) {
        if self.problem.is_idle(self.block) {
            return;
        }
        while let Some(&(at, v)) = self.plan.arrivals.get(self.arrived)
            && at <= i
        {
            self.arrived += 1;
            if self.unit_of(v).is_none()
                && self.ranges.is_live(v, 2 * i)
                && let Some(unit) = self.choose(v, 2 * i, UnitSet::ALL)
            {
                self.before(i, self.memory(v), Place::Unit(unit));
                self.put(v, unit);
            }
        }
    }

    /// Spills values that the plan has in memory from the next instruction on.
    fn send_away(&mut self, o: &Operands) {
        let uses = o.uses.iter().filter(|u| u.stays).map(|u| u.v);
        for v in uses.chain(o.defs.iter().map(|def| def.v)) {
            if let Some(unit) = self.unit_of(v)
                && self.is_away(v, o.i + 1)
            {
                self.clear(v);
                self.store_from(v, Some((key(2 * o.i + 1, Order::Store), unit)));
            }
        }
    }

    fn operands(&self, i: u32) -> Operands {
        let ops = self.problem.operands(i);
        let start = self.problem.operands_from(i);
        let mut o = Operands {
            i,
            uses: SmallVec::new(),
            defs: SmallVec::new(),
            fixed: UnitSet::EMPTY,
            overwritten: self.problem.clobbers(i),
            kept: UnitSet::EMPTY,
            copies: UnitSet::EMPTY,
            late_copies: UnitSet::EMPTY,
            places: SmallVec::from_elem(None, ops.len()),
        };
        for (k, op) in ops.iter().enumerate() {
            let v = op.value();
            let fixed = match op.constraint {
                Constraint::Fixed(unit) => Some(unit),
                _ => None,
            };
            let units = fixed.map_or(UnitSet::EMPTY, UnitSet::of);
            let anywhere = op.constraint == Constraint::Anywhere;
            if op.is_use() {
                o.fixed |= units;
                let mut of_v = ops.iter().filter(|other| other.value() == v);
                o.uses.push(Use {
                    k,
                    v,
                    fixed,
                    anywhere,
                    is_late: op.is_late_use(),
                    value_is_late: of_v.any(|other| other.is_late_use()),
                    stays: !self.ranges.kills(start + k),
                });
            } else {
                o.overwritten |= units;
                let tied = match op.constraint {
                    Constraint::Tied(other) => Some(other.into()),
                    _ => None,
                };
                o.defs.push(Def {
                    k,
                    v,
                    fixed,
                    anywhere,
                    tied,
                });
            }
        }
        o
    }

    /// Moves fixed uses to their units. Another value in such a unit goes elsewhere, unless it is a fixed use itself.
    fn arrive(&mut self, o: &mut Operands) -> Result<(), NoAnswer> {
        if o.fixed.is_empty() {
            return Ok(());
        }
        let is_fixed = |v: u32| o.uses.iter().any(|u| u.fixed.is_some() && u.v == v);
        for unit in units((o.fixed & self.allocatable) - self.free) {
            let v = self.held_by(unit);
            if v != NO_VALUE && !is_fixed(v) {
                self.vacate(o, unit)?;
            }
        }
        let mut moves: SmallVec<[Step; 8]> = SmallVec::new();
        let mut arrive: SmallVec<[(u32, Unit); 8]> = SmallVec::new();
        for u in &o.uses {
            let Some(to) = u.fixed else { continue };
            let from = self.place_of(u.v);
            o.places[u.k] = Some(Place::Unit(to));
            o.kept.insert(to);
            moves.push((from, Place::Unit(to)));
            if !o.overwritten.contains(to) || !u.stays {
                arrive.push((u.v, to));
                continue;
            }
            // The web is read here, and lives on elsewhere.
            o.copies.insert(to);
            if u.is_late {
                o.late_copies.insert(to);
            }
            if let Place::Unit(unit) = from
                && (o.overwritten | o.fixed).contains(unit)
            {
                match self.choose(u.v, 2 * o.i, o.suits(true)) {
                    Some(other) => {
                        moves.push((from, Place::Unit(other)));
                        self.free.remove(other);
                        arrive.push((u.v, other));
                    }
                    // The unit of the source is read before it is written.
                    None => self.spill(u.v),
                }
            }
        }
        for step in in_order(&moves, self.free - o.fixed, self.turns.preferred()[0]) {
            self.before(o.i, step.0, step.1);
        }
        for &(v, _) in &arrive {
            self.clear(v);
        }
        for (v, to) in arrive {
            self.put(v, to);
        }
        self.free -= o.copies;
        Ok(())
    }

    /// Makes a unit free before an instruction: its value goes elsewhere.
    fn vacate(&mut self, o: &Operands, unit: Unit) -> Result<(), NoAnswer> {
        let v = self.held_by(unit);
        let among = o.suits(o.uses.iter().all(|u| u.v != v || u.stays));
        let to = match self.choose(v, 2 * o.i, among) {
            Some(to) => to,
            None if !o.reads(v) => {
                self.spill(v);
                return Ok(());
            }
            None => {
                let taken = units(self.allocatable - self.free);
                let wanted = taken.filter(|u| o.reads(self.held_by(*u))).collect();
                self.make_room(v, 2 * o.i, among, wanted)?
            }
        };
        self.before(o.i, Place::Unit(unit), Place::Unit(to));
        self.clear(v);
        self.put(v, to);
        Ok(())
    }

    /// Loads spilled values that have to be in units.
    fn load(&mut self, o: &mut Operands) -> Result<(), NoAnswer> {
        for u in o.uses.iter().filter(|u| !u.anywhere) {
            if let Some(unit) = self.unit_of(u.v) {
                o.kept.insert(unit);
            }
        }
        for u in o.uses.iter().filter(|u| !u.anywhere && u.fixed.is_none()) {
            if self.unit_of(u.v).is_some() {
                continue;
            }
            let best = o.suits(u.stays || u.value_is_late);
            let unit = match self.make_room(u.v, 2 * o.i, best, o.kept) {
                Ok(unit) => unit,
                Err(_) => self.make_room(u.v, 2 * o.i, UnitSet::ALL - o.fixed, o.kept)?,
            };
            self.before(o.i, self.memory(u.v), Place::Unit(unit));
            self.clear(u.v);
            self.put(u.v, unit);
            o.kept.insert(unit);
        }
        Ok(())
    }

    /// Moves values that live on out of units that are overwritten. Gives the values that are spilled after the
    /// instruction, which still reads them where they are.
    fn make_way(&mut self, o: &mut Operands) -> Result<SmallVec<[u32; 4]>, NoAnswer> {
        let mut dropped: SmallVec<[u32; 4]> = SmallVec::new();
        for unit in units(o.overwritten - self.free - o.copies) {
            let v = self.held_by(unit);
            if v == NO_VALUE || !o.lasts(v) {
                continue;
            }
            // A late use stays in a unit, for which another value may go.
            let is_late = o.uses.iter().any(|u| u.v == v && u.value_is_late);
            let to = match is_late {
                true => Some(self.make_room(v, 2 * o.i, o.suits(true), o.kept)?),
                false => self.choose(v, 2 * o.i, o.suits(true)),
            };
            match to {
                Some(to) => {
                    self.before(o.i, Place::Unit(unit), Place::Unit(to));
                    self.clear(v);
                    self.put(v, to);
                    if o.reads(v) {
                        o.kept.insert(to);
                    }
                }
                None if o.reads(v) => dropped.push(v),
                None => self.spill(v),
            }
        }
        Ok(dropped)
    }

    /// Gives the units of tied definitions. The use is copied if its value lives on.
    fn copy_tied(&mut self, o: &mut Operands) -> Result<SmallVec<[(Def, Unit); 4]>, NoAnswer> {
        let mut tied: SmallVec<[(Def, Unit); 4]> = SmallVec::new();
        for def in &o.defs {
            let Some(old) = def.tied else { continue };
            let old = o.uses.iter().find(|u| u.k == old);
            let old = *old.ok_or(NoAnswer::TooFewUnits)?;
            let unit = self.unit_of(old.v).ok_or(NoAnswer::TooFewUnits)?;
            if !old.stays && !old.value_is_late && !o.overwritten.contains(unit) {
                tied.push((*def, unit));
                continue;
            }
            let to = self.make_room(def.v, 2 * o.i, o.suits(true), o.kept)?;
            self.before(o.i, Place::Unit(unit), Place::Unit(to));
            self.free.remove(to);
            o.kept.insert(to);
            o.copies.insert(to);
            o.late_copies.insert(to);
            o.places[old.k] = Some(Place::Unit(to));
            tied.push((*def, to));
        }
        Ok(tied)
    }

    /// Gives definitions their units.
    fn define(&mut self, o: &mut Operands, tied: &[(Def, Unit)]) -> Result<(), NoAnswer> {
        let mut kept = o.late_copies;
        for u in o.uses.iter().filter(|u| u.value_is_late) {
            if let Some(unit) = self.unit_of(u.v) {
                kept.insert(unit);
            }
        }
        let fixed = o.defs.iter().filter_map(|def| Some((*def, def.fixed?)));
        for (def, unit) in fixed.chain(tied.iter().copied()) {
            // Inputs may arrive in units that are not given out.
            let taken = self.allocatable - self.free - o.late_copies;
            if def.tied.is_none() && taken.contains(unit) {
                return Err(NoAnswer::TooFewUnits);
            }
            self.put(def.v, unit);
            o.places[def.k] = Some(Place::Unit(unit));
            kept.insert(unit);
        }
        for def in &o.defs {
            if o.places[def.k].is_some() {
                continue;
            }
            let is_copy = self.problem.is_copy(o.i);
            // A copy that the plan has in memory next is stored from where its source is.
            if is_copy && self.is_away(def.v, o.i + 1) {
                o.places[def.k] = Some(self.memory(def.v));
                continue;
            }
            // A killed value leaves its unit to its copy.
            let source = match (is_copy, o.places[0]) {
                (true, Some(Place::Unit(unit))) if self.free.contains(unit) => Some(unit),
                _ => None,
            };
            let chosen = match source {
                Some(unit) => Ok(unit),
                None => {
                    let among = UnitSet::ALL - o.overwritten;
                    self.make_room(def.v, 2 * o.i + 1, among, kept)
                }
            };
            let place = match chosen {
                Ok(unit) => {
                    self.put(def.v, unit);
                    kept.insert(unit);
                    Place::Unit(unit)
                }
                Err(_) if def.anywhere => self.memory(def.v),
                Err(error) => return Err(error),
            };
            o.places[def.k] = Some(place);
        }
        Ok(())
    }
}
