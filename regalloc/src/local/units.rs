//! Registers for general values, in units of allocation, side by side where messages want them so.

use kiln_emit::inst::Reg as GenReg;
use kiln_machine::func::Class;
use kiln_machine::inst::{Base, Inst, List, Reg, Src, VReg};
use smallvec::SmallVec;

use super::walk::{Booking, Fits, Full, Value, Walk};
use super::{NONE, NOWHERE};
use crate::adapter::reads_late;
use crate::rewrite::copy;

impl Walk<'_> {
    /// Gives the general values of an instruction their registers.
    pub(super) fn assign_units(&mut self, n: u32, source: &Inst, inst: &mut Inst) -> Fits {
        let func = self.func;
        let is_unit = |reg: Reg| match reg.base() {
            Base::Virt(v) => func.regs[v].class == Class::Grf,
            Base::List(_) => true,
            Base::Null | Base::Phys(..) => false,
        };
        let result = source
            .dst
            .filter(|dst| dst.indirect.is_none() && is_unit(dst.reg));
        let olds: SmallVec<[Option<VReg>; 4]> = result.map_or_else(SmallVec::new, |dst| {
            let count = func.registers_of(&dst.reg).len();
            (0..count).map(|k| func.old(dst.old, k)).collect()
        });
        let late = reads_late(source, func.target);
        for (number, src) in source.srcs.iter().enumerate() {
            let Src::Reg(r) = src else { continue };
            if r.indirect.is_some() || !is_unit(r.reg) {
                continue;
            }
            // What is written over while it is still read is read elsewhere.
            let regs = func.registers_of(&r.reg);
            let apart = late[number] && regs.iter().any(|v| olds.contains(&Some(*v)));
            let first = self.side_by_side(regs, apart)?;
            if let Src::Reg(to) = &mut inst.srcs[number] {
                to.reg = self.unit_reg(first, r.reg.byte());
            }
        }
        let Some(dst) = result else { return Ok(()) };
        let regs = func.registers_of(&dst.reg);
        let first = self.define(n, regs, &olds)?;
        if let Some(to) = &mut inst.dst {
            to.reg = self.unit_reg(first, dst.reg.byte());
        }
        Ok(())
    }

    /// The first of the units in which some values are side by side: their own, or those of copies.
    fn side_by_side(&mut self, regs: &[VReg], apart: bool) -> Fits<u32> {
        let units: SmallVec<[u32; 4]> = regs.iter().map(|&v| self.values[v].place.into()).collect();
        if !apart && units.windows(2).all(|pair| pair[1] == pair[0] + 1) {
            return Ok(units[0]);
        }
        let first = self.find(regs.len() as u32).ok_or(Full)?;
        for (to, from) in (first..).zip(units) {
            self.hold(to);
            self.copies |= 1 << to;
            self.copy_unit(to, from);
        }
        Ok(first)
    }

    /// Gives the results of an instruction units side by side, with what they are written over in them.
    fn define(&mut self, n: u32, regs: &[VReg], olds: &[Option<VReg>]) -> Fits<u32> {
        let place = |v: VReg| u32::from(self.values[v].place);
        // What is over with this instruction is written over where it is.
        let ends = |old: &Option<VReg>| old.is_some_and(|old| self.values[old].last == n);
        let are_together = olds.iter().all(ends)
            && olds
                .iter()
                .flatten()
                .zip(0..)
                .all(|(&old, k)| place(old) == place(olds[0].unwrap_or(old)) + k);
        let first = match are_together {
            true => {
                let first = olds[0].map_or(0, place);
                for old in olds.iter().flatten() {
                    self.values[*old].place = NOWHERE;
                }
                first
            }
            false => {
                let first = self.units_for(regs)?;
                for (to, old) in (first..).zip(olds) {
                    self.hold(to);
                    if let Some(old) = old {
                        self.copy_unit(to, self.values[*old].place.into());
                    }
                }
                first
            }
        };
        for (unit, &v) in (first..).zip(regs) {
            self.hold(unit);
            self.values[v].place = unit as u8;
            self.alive.push(v);
        }
        Ok(first)
    }

    fn copy_unit(&mut self, to: u32, from: u32) {
        let dwords = (self.frame.unit_bytes / 4) as u8;
        let reg = |unit: u32| GenReg::grf(unit * self.frame.unit_grfs);
        let inst = copy(dwords, reg(to), reg(from));
        self.stats.moves += 1;
        self.emit(inst);
    }

    fn hold(&mut self, unit: u32) {
        self.held |= 1 << unit;
        self.units |= 1 << unit;
        self.written |= 1 << unit;
    }

    /// A unit, which is held.
    pub(super) fn unit(&mut self) -> Fits<u32> {
        let unit = self.find(1).ok_or(Full)?;
        self.hold(unit);
        Ok(unit)
    }

    /// The first of free units for values, where the list that they are in has them if it can.
    fn units_for(&mut self, regs: &[VReg]) -> Fits<u32> {
        let count = regs.len() as u32;
        let Value { list, n, .. } = self.values[regs[0]];
        if list == NONE {
            return self.find(count).ok_or(Full);
        }
        let known = self.bookings.iter().find(|booking| booking.list == list);
        let booked = known
            .map(|booking| (booking.first, booking.units))
            .or_else(|| {
                let all = self.func.lists[List::from_u32(list)].len() as u32;
                let first = self.find(all)?;
                let units = run(first, all);
                self.bookings.push(Booking { list, first, units });
                Some((first, units))
            });
        if let Some((first, units)) = booked {
            let own = run(first + u32::from(n), count);
            if own & units == own && own & self.held == 0 {
                return Ok(first + u32::from(n));
            }
        }
        self.find(count).ok_or(Full)
    }

    /// So many free units side by side, if there are some outside those that are booked.
    fn find(&self, count: u32) -> Option<u32> {
        let booked = self
            .bookings
            .iter()
            .fold(0, |all, booking| all | booking.units);
        let free = self.own.may & !self.held;
        [free & !booked, free].into_iter().find_map(|free| {
            let starts = (1..count).fold(free, |starts, k| starts & free >> k);
            (starts != 0).then(|| starts.trailing_zeros())
        })
    }
}

/// So many units from one on, a bit each.
fn run(first: u32, count: u32) -> u128 {
    ((1u128 << count) - 1) << first
}
