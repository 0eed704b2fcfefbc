//! Places of elements: where those of a source lie, as seen from those of the destination.
//!
//! On some platforms the channels of floats and of 64-bit values keep their place: a source that is no scalar has the
//! destination's steps and its offset in a register. Bytes and words are moved within a register by certain steps only
//! (PRM vol. 9, "Register Region Restrictions"). A source that lies elsewhere is copied first, as integers of at most
//! 32 bits, which are free to move.

use kiln_machine::inst::{Dst, Inst, Old, Reg, Src, SrcReg};
use kiln_platform::isa::{Op, Region, SrcMod, Type};
use smallvec::SmallVec;

use super::pieces::Dest;
use super::{Legalizer, Result, is_raw_mov};
use crate::channels::Channels;

/// Maximum distance between elements of a destination, in elements.
const MAX_STEP: u32 = 4;

/// A place for a source: the distance between its elements in elements, and the offset of the first in a register.
#[derive(Clone, Copy)]
struct Place {
    step: u32,
    offset: u32,
}

impl Legalizer<'_> {
    /// Moves sources to where the operation reaches them from its destination.
    pub(super) fn place_sources(
        &mut self,
        op: Op,
        n: u32,
        dest: &mut Dest,
        srcs: &mut SmallVec<[Src; 3]>,
    ) -> Result {
        let anywhere = dest.is_null() || dest.indirect.is_some() || n == 1;
        if anywhere || !(self.rules.in_place || self.rules.narrow_steps) {
            return Ok(());
        }
        let small = |ty: Type| ty.is_float() && ty.bytes() < 4;
        let fixed = |ty: Type| ty.is_float() || ty.bytes() == 8;
        let types: SmallVec<[Type; 4]> = srcs.iter().map(Src::ty).chain([dest.ty]).collect();
        let in_place = self.rules.in_place
            && types.iter().any(|&ty| fixed(ty))
            && !types.iter().any(|&ty| small(ty));
        let step = dest.h * dest.ty.bytes();
        let narrow = self.rules.narrow_steps
            && step <= 2
            && !types.iter().any(|&ty| fixed(ty))
            && !dest.is_architecture();
        if !in_place && !narrow {
            return Ok(());
        }
        let raw = is_raw_mov(op, dest.saturate, dest.ty, srcs);
        for at in 0..srcs.len() {
            let Src::Reg(r) = srcs[at] else { continue };
            let wanted = match in_place {
                true => self.own_place(&r, n, dest, step),
                false => self.near_place(&r, n, dest, step),
            };
            let Some(place) = wanted else { continue };
            if in_place && raw && r.ty.bytes() == 4 {
                // The bits alone are moved.
                (srcs[at], dest.ty) = (Src::Reg(SrcReg { ty: Type::Ud, ..r }), Type::Ud);
                return Ok(());
            }
            srcs[at] = self.placed(r, n, place)?;
        }
        Ok(())
    }

    /// The place of a source whose channels keep theirs, if it is not there.
    fn own_place(&self, r: &SrcReg, n: u32, dest: &Dest, step: u32) -> Option<Place> {
        let found = r.step(n);
        if found == Some(0) || r.indirect.is_some() {
            return None;
        }
        let size = r.ty.bytes();
        let offset = match dest.is_architecture() || self.is_architecture(r.reg) {
            true => r.reg.byte() % self.grf,
            false => dest.byte % self.grf,
        };
        let there =
            found.is_some_and(|found| found * size == step) && r.reg.byte() % self.grf == offset;
        (!there).then_some(Place {
            step: step / size,
            offset,
        })
    }

    /// The place of bytes or words that are packed more closely, if they are not within reach.
    fn near_place(&self, r: &SrcReg, n: u32, dest: &Dest, step: u32) -> Option<Place> {
        let size = r.ty.bytes();
        let direct = r.indirect.is_none() && r.region.vstride.is_some();
        if size > 2 || !direct || self.is_architecture(r.reg) {
            return None;
        }
        let packed = Place { step: 1, offset: 0 };
        let Some(elements) = r.step(n) else {
            let close = u32::from(r.region.hstride) * size <= step;
            let reached = close && dest.byte.is_multiple_of(4);
            return (!reached).then_some(packed);
        };
        let to = dest.byte % self.grf;
        match elements * size / step {
            0 | 1 => None,
            far @ (2 | 4) if size == 1 || far == 2 => {
                let unit = if size == 2 { dest.ty.bytes() } else { 1 };
                let wanted = to % (self.grf / far);
                let from = r.reg.byte() % self.grf;
                if wanted == from / far / unit * unit {
                    None
                } else if elements > MAX_STEP {
                    Some(self.in_dwords(size, step, to))
                } else {
                    Some(Place {
                        step: elements,
                        offset: wanted * far,
                    })
                }
            }
            _ => Some(self.in_dwords(size, step, to)),
        }
    }

    /// The place of a copy with an element in each dword.
    fn in_dwords(&self, size: u32, step: u32, to: u32) -> Place {
        let far = 4 / step;
        Place {
            step: 4 / size,
            offset: to % (self.grf / far) * far,
        }
    }

    /// A copy of a source's elements at a place, with the source's modifiers.
    fn placed(&mut self, r: SrcReg, n: u32, place: Place) -> Result<Src> {
        let raw = SrcReg {
            modifier: SrcMod::default(),
            ..r
        };
        let size = r.ty.bytes();
        if place.step > MAX_STEP {
            return self.widened_place(raw, r.modifier, n, place);
        }
        let bytes = place.offset + n * place.step * size;
        let reg = match size {
            8 => self.placed_halves(raw, n, place, bytes)?,
            _ => {
                let ty = match size {
                    1 => Type::Ub,
                    2 => Type::Uw,
                    _ => Type::Ud,
                };
                let tmp = self.temp(bytes);
                let to = Dst::new(tmp.at(place.offset), place.step as u8, ty);
                let from = SrcReg { ty, ..raw };
                if self.moves_freely(ty) || r.step(n).is_some() {
                    self.moved(Src::Reg(from), to, n)?;
                } else {
                    let mut dest = self.dest_of(&to, false, n);
                    self.one_by_one(from, &mut dest, n);
                }
                tmp
            }
        };
        let region = Region::new(place.step as u8, 1, 0);
        Ok(Src::Reg(SrcReg {
            reg: reg.at(place.offset),
            region,
            ..r
        }))
    }

    /// A copy as dwords, at steps that no destination of the type has.
    fn widened_place(
        &mut self,
        raw: SrcReg,
        modifier: SrcMod,
        n: u32,
        place: Place,
    ) -> Result<Src> {
        let ty = if raw.ty.is_signed() {
            Type::D
        } else {
            Type::Ud
        };
        let step = place.step * raw.ty.bytes() / ty.bytes();
        let tmp = self.temp(place.offset + n * step * ty.bytes());
        let to = Dst::new(tmp.at(place.offset), step as u8, ty);
        match step <= MAX_STEP {
            true => self.moved(Src::Reg(raw), to, n)?,
            false => {
                let mut dest = self.dest_of(&to, false, n);
                self.one_by_one(raw, &mut dest, n);
            }
        }
        Ok(Src::Reg(SrcReg {
            reg: tmp.at(place.offset),
            region: Region::new(step as u8, 1, 0),
            ty,
            modifier,
            ..raw
        }))
    }

    /// A copy of elements of 64 bits, half by half, or one by one where no region has the halves.
    fn placed_halves(&mut self, r: SrcReg, n: u32, place: Place, bytes: u32) -> Result<Reg> {
        let even = r.step(n).filter(|step| 2 * step <= 32);
        let Some(step) = even.filter(|_| 2 * place.step <= MAX_STEP) else {
            let tmp = self.temp(bytes);
            let to = Dst::new(tmp.at(place.offset), place.step as u8, r.ty);
            let mut dest = self.dest_of(&to, false, n);
            self.one_by_one(r, &mut dest, n);
            return Ok(tmp);
        };
        let mut before = Old::None;
        let mut tmp = r.reg;
        for half in [0, 4] {
            tmp = self.temp(bytes);
            let from = Src::reg(
                r.reg.at(r.reg.byte() + half),
                Region::new(2 * step as u8, 1, 0),
                Type::Ud,
            );
            let to = Dst::new(tmp.at(place.offset + half), 2 * place.step as u8, Type::Ud);
            self.moved(from, Dst { old: before, ..to }, n)?;
            before = match *self.func.registers(&tmp.base()) {
                [one] => Old::Reg(one),
                _ => tmp.as_list().map_or(Old::None, Old::List),
            };
        }
        Ok(tmp)
    }

    /// The type that moves the bits of another: dwords are integers, which move freely.
    pub(super) fn moved_as(&self, ty: Type) -> Type {
        match ty {
            Type::F if self.rules.in_place => Type::Ud,
            ty => ty,
        }
    }

    /// True if elements of a type may be moved from any place of a register to any other.
    pub(super) fn moves_freely(&self, ty: Type) -> bool {
        match ty.bytes() {
            8 => !self.rules.in_place,
            4 => true,
            _ => !self.rules.narrow_steps,
        }
    }

    /// Moves elements one by one, which any place can take.
    pub(super) fn one_by_one(&mut self, r: SrcReg, dest: &mut Dest, n: u32) {
        for lane in 0..n {
            let mut mov = Inst::no_mask(Op::Mov, 1);
            mov.srcs
                .push(Src::scalar(self.located(r.reg, r.offset(lane)), r.ty));
            mov.dst = Some(Dst {
                hstride: 1,
                ..self.write(dest, lane, 1)
            });
            self.push(mov);
        }
    }

    fn moved(&mut self, from: Src, to: Dst, n: u32) -> Result {
        let mut dest = self.dest_of(&to, false, n);
        let srcs = SmallVec::from_slice(&[from]);
        self.alu(Op::Mov, Channels::all(n as u8), &mut dest, srcs, None)
    }
}
