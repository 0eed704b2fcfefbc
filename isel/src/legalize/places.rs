//! Places of elements: where those of a source lie, as seen from those of the destination.
//!
//! On some platforms the channels of floats and of 64-bit values keep their place: a source that is no scalar has the
//! destination's steps and its offset in a register. Bytes and words are moved within a register by certain steps only
//! (PRM vol. 9, "Register Region Restrictions"). A source that lies elsewhere is copied first, as integers of at most
//! 32 bits, which are free to move.

use kiln_machine::inst::{Dst, Inst, Old, Reg, Src, SrcReg};
use kiln_platform::errata::Erratum;
use kiln_platform::isa::{Op, Region, SrcMod, Type};
use kiln_platform::rules::{keeps_places, packs_floats};
use kiln_platform::sources::Sources;
use smallvec::SmallVec;

use super::halves::halved;
use super::pieces::Dest;
use super::{Copied, Legalizer, Result, Shape, is_raw_mov, shape};
use crate::channels::Channels;

/// Maximum distance between elements of a destination, in elements.
const MAX_STEP: u32 = 4;

/// Number of the last source of three.
const LAST: usize = 2;

/// A place for a source: the distance between its elements in elements, and the offset of the first in a register.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Place {
    step: u32,
    offset: u32,
}

impl Place {
    pub(super) const PACKED: Place = Place { step: 1, offset: 0 };
}

impl Legalizer<'_> {
    /// Moves sources to where the operation reaches them from its destination.
    pub(super) fn place_sources(
        &mut self,
        op: Op,
        n: u32,
        dest: &mut Dest,
        srcs: &mut Sources<Src>,
    ) -> Result {
        let ternary = shape(op) == Shape::Three && self.rules.ternary.last_as_destination;
        let math = shape(op) == Shape::Math && self.rules.math_in_place;
        if n == 1 || !(self.rules.in_place || self.rules.narrow_steps || ternary || math) {
            return Ok(());
        }
        // A place that is unknown is no place of its own.
        let known = dest.indirect.is_none();
        let types: SmallVec<[Type; 4]> = srcs.iter().map(Src::ty).chain([dest.ty]).collect();
        let in_place =
            known && self.rules.in_place && keeps_places(dest.ty, srcs.iter().map(Src::ty));
        if dest.is_null() && in_place {
            dest.h = self.common_step(n, dest.ty.bytes(), srcs);
        }
        let step = dest.h * dest.ty.bytes();
        let narrow = self.rules.narrow_steps
            && step <= 2
            && !types.iter().any(|&ty| ty.is_float() || ty.bytes() == 8)
            && !dest.is_null()
            && !dest.is_architecture();
        let mixed = |&ty: &Type| packs_floats((dest.ty, dest.h), (ty, 1));
        let last = known && ternary && !dest.is_null() && !types.iter().any(mixed);
        let in_place = in_place || known && math;
        if !in_place && !narrow && !last {
            return Ok(());
        }
        let raw = is_raw_mov(op, dest.saturate, dest.ty, srcs);
        // Brain floats beside wider ones are packed as sources, wherever the result lies.
        let brains = types.contains(&Type::Bf) && types.contains(&Type::F);
        for at in 0..srcs.len() {
            let Src::Reg(r) = srcs[at] else { continue };
            let wanted = if brains && r.ty == Type::Bf {
                self.packed_place(&r, n, dest)
            } else if in_place || last && at == LAST {
                self.own_place(&r, n, dest, step)
            } else if narrow {
                self.near_place(&r, n, dest, at)
            } else {
                None
            };
            let Some(place) = wanted else { continue };
            if in_place && raw && move_as_bits(dest, srcs) {
                return self.place_sources(op, n, dest, srcs);
            }
            srcs[at] = self.placed(r, n, place)?;
        }
        Ok(())
    }

    /// Lets no address name floats or values of 64 bits, scalars excepted, on families where it must not: nobody knows
    /// whether they lie as the other operands do, so that their bits are moved as integers.
    pub(super) fn free_addresses(
        &mut self,
        op: Op,
        n: u32,
        dest: &mut Dest,
        srcs: &mut Sources<Src>,
    ) -> Result {
        let has = |ty| dest.ty == ty || srcs.iter().any(|src| src.ty() == ty);
        if has(Type::Hf) && has(Type::F) {
            // Operations on mixed floats, moves among them, have no addresses (Mesa, `gen_validate.cpp`).
            for at in 0..srcs.len() {
                if let Src::Reg(r) = srcs[at]
                    && r.indirect.is_some()
                {
                    srcs[at] = self.aside(r, n)?;
                }
            }
        }
        if self.rules.float_addresses || n == 1 {
            return Ok(());
        }
        let writes = dest.indirect.is_some() && dest.ty.is_float();
        let raw = is_raw_mov(op, dest.saturate, dest.ty, srcs);
        let refused = srcs.iter().any(|src| is_moved_by_address(src, n));
        if raw && (writes || refused) && move_as_bits(dest, srcs) {
            return Ok(());
        }
        for at in 0..srcs.len() {
            let Src::Reg(r) = srcs[at] else { continue };
            if is_moved_by_address(&srcs[at], n) {
                srcs[at] = self.placed(r, n, Place::PACKED)?;
            }
        }
        Ok(())
    }

    /// True for a move of values of 64 bits from or to an address that must not name them.
    pub(super) fn moves_by_address(&self, op: Op, n: u32, dest: &Dest, srcs: &[Src]) -> bool {
        let raw = dest.ty.bytes() == 8 && is_raw_mov(op, dest.saturate, dest.ty, srcs);
        if self.rules.float_addresses || !raw || n == 1 {
            return false;
        }
        let same = matches!(srcs, [Src::Reg(r)] if r.step(n) == Some(0));
        let writes = dest.indirect.is_some() && !same;
        writes || srcs.iter().any(|src| is_moved_by_address(src, n))
    }

    /// The distance between elements of a result that is not kept which spares most copies of sources: that of the first
    /// source of as many bytes, if a group of channels that a mask names is in two registers.
    fn common_step(&self, n: u32, bytes: u32, srcs: &[Src]) -> u32 {
        let step = |src: &Src| match src {
            Src::Reg(r) if r.indirect.is_none() && r.ty.bytes() == bytes => r.step(n),
            _ => None,
        };
        let found = srcs.iter().filter_map(step).find(|&step| step > 0);
        let group = n.min(self.channel_unit);
        let near = |&step: &u32| matches!(step, 1 | 2 | 4) && group * step * bytes <= self.unit;
        found.filter(near).unwrap_or(1)
    }

    /// Makes a source that lies as the destination does, or a scalar, the last one of three, if the operation allows it.
    pub(super) fn order_terms(&self, op: Op, n: u32, dest: &Dest, srcs: &mut Sources<Src>) -> Op {
        if shape(op) != Shape::Three || !self.rules.ternary.last_as_destination || n == 1 {
            return op;
        }
        let step = dest.h * dest.ty.bytes();
        let fits = |src: &Src| match src {
            Src::Reg(r) => self.own_place(r, n, dest, step).is_none(),
            Src::Imm(_) => true,
        };
        let alike = |at: usize| srcs[at].ty().bytes() == srcs[LAST].ty().bytes();
        let may = |at: usize| match srcs[at] {
            Src::Imm(_) => false,
            Src::Reg(_) => fits(&srcs[at]) && alike(at),
        };
        let firsts: &[usize] = match op {
            Op::Add3 | Op::Bfn(_) => &[1, 0],
            Op::Mad => &[1],
            _ => &[],
        };
        let Some(&at) = firsts.iter().find(|&&at| !fits(&srcs[LAST]) && may(at)) else {
            return op;
        };
        srcs.swap(at, LAST);
        match op {
            Op::Bfn(table) => Op::Bfn(exchanged(table, at, LAST)),
            _ => op,
        }
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
        let stride = found.unwrap_or(u32::MAX);
        let packed = packs_floats((dest.ty, step / dest.ty.bytes()), (r.ty, stride));
        let there =
            found.is_some_and(|found| found * size == step) && r.reg.byte() % self.grf == offset;
        let there = there || packed;
        (!there).then_some(Place {
            step: step / size,
            offset,
        })
    }

    /// The place of a source that must be packed, if it is not there: that of a result of its type, or the start or the middle of a
    /// register.
    fn packed_place(&self, r: &SrcReg, n: u32, dest: &Dest) -> Option<Place> {
        let (found, byte) = (r.step(n), r.reg.byte());
        let alike = dest.ty == r.ty && !dest.is_null();
        let offset = if alike { dest.byte % self.grf } else { 0 };
        let aligned = match alike {
            true => byte % self.grf == offset,
            false => byte.is_multiple_of(self.grf / 2),
        };
        let there = r.indirect.is_none() && (found == Some(0) || found == Some(1) && aligned);
        (!there).then_some(Place { step: 1, offset })
    }

    /// The place of bytes or words that are packed more closely, if they are not within reach.
    fn near_place(&self, r: &SrcReg, n: u32, dest: &Dest, at: usize) -> Option<Place> {
        let (step, size) = (dest.h * dest.ty.bytes(), r.ty.bytes());
        let by_rows = r.region.vstride.is_none();
        if size > 2 || by_rows || r.indirect.is_none() && self.is_architecture(r.reg) {
            return None;
        }
        let packed = Place::PACKED;
        let Some(elements) = r.step(n) else {
            let close = u32::from(r.region.hstride) * size <= step;
            // Rows of two bytes are at most three bytes apart (Mesa, `gen_validate.cpp`).
            let far = step == 1 && r.region.width == 2 && r.region.vstride > Some(3);
            let aligned = dest.indirect.is_none() && dest.byte.is_multiple_of(4);
            let reached = close && !far && aligned;
            return (!reached).then_some(packed);
        };
        let to = dest.byte % self.grf;
        let swizzles = at == 1 && size == 2 && dest.ty.bytes() == 1;
        match elements * size / step {
            0 | 1 => None,
            // An address may be any byte: what is as close, or a dword apart, is reached from everywhere.
            _ if dest.indirect.is_some() => Some(packed),
            _ if r.indirect.is_some() => Some(self.in_dwords(size, step, to)),
            _ if swizzles && self.func.target.needs(Erratum::ByteSwizzles) => Some(packed),
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
        let copy = Copied {
            from: Src::Reg(raw),
            ty: r.ty,
            count: n,
            place,
        };
        let reg = self.once(copy, |this| {
            let ty = match size {
                1 => Type::Ub,
                2 => Type::Uw,
                8 => return this.placed_halves(raw, n, place, bytes),
                _ => Type::Ud,
            };
            let tmp = this.temp(bytes);
            let to = Dst::new(tmp.at(place.offset), place.step as u8, ty);
            let from = SrcReg { ty, ..raw };
            if this.moves_freely(ty) || r.step(n).is_some() {
                this.moved(Src::Reg(from), to, n)?;
            } else {
                let mut dest = this.dest_of(&to, false, n);
                this.one_by_one(from, &mut dest, n);
            }
            Ok(tmp)
        })?;
        let region = Region::new(place.step as u8, 1, 0);
        Ok(Src::Reg(SrcReg {
            reg: reg.at(place.offset),
            region,
            indirect: None,
            ..r
        }))
    }

    /// A copy as dwords or floats of 32 bits, at steps that no destination of the type has.
    fn widened_place(
        &mut self,
        raw: SrcReg,
        modifier: SrcMod,
        n: u32,
        place: Place,
    ) -> Result<Src> {
        let ty = match (raw.ty.is_float(), raw.ty.is_signed()) {
            (true, _) => Type::F,
            (false, true) => Type::D,
            (false, false) => Type::Ud,
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
        let region = halved(&r, n).filter(|region| {
            region.hstride <= 4 && region.vstride.is_none_or(|stride| stride <= 32)
        });
        let Some(region) = region.filter(|_| 2 * place.step <= MAX_STEP) else {
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
            let from = match r.indirect {
                Some(imm) => SrcReg {
                    indirect: Some(imm + half as i16),
                    ..r
                },
                None => SrcReg {
                    reg: r.reg.at(r.reg.byte() + half),
                    ..r
                },
            };
            let from = Src::Reg(SrcReg {
                region,
                ty: Type::Ud,
                ..from
            });
            let to = Dst::new(tmp.at(place.offset + half), 2 * place.step as u8, Type::Ud);
            self.moved(from, Dst { old: before, ..to }, n)?;
            before = match *self.func.registers(&tmp.base()) {
                [one] => Old::Reg(one),
                _ => tmp.as_list().map_or(Old::None, Old::List),
            };
        }
        Ok(tmp)
    }

    /// The type that moves the bits of another: integers, which move freely, where floats keep their place.
    pub(super) fn moved_as(&self, ty: Type) -> Type {
        match ty {
            Type::F if self.rules.in_place => Type::Ud,
            Type::Hf | Type::Bf if self.rules.in_place => Type::Uw,
            ty => ty,
        }
    }

    /// True if elements of a type may be moved from any place of a register to any other.
    pub(super) fn moves_freely(&self, ty: Type) -> bool {
        match ty.bytes() {
            8 if self.lacks(ty) => false,
            8 => !self.rules.in_place,
            4 => true,
            _ => !self.rules.narrow_steps,
        }
    }

    /// Moves elements one by one, which any place can take.
    pub(super) fn one_by_one(&mut self, r: SrcReg, dest: &mut Dest, n: u32) {
        let places: SmallVec<[SrcReg; 32]> = (0..n).map(|lane| self.element(&r, lane)).collect();
        self.singly(&places, r.ty, dest);
    }

    /// Moves elements one by one, as dwords where the target lacks their type.
    pub(super) fn singly(&mut self, places: &[SrcReg], ty: Type, dest: &mut Dest) {
        if !self.lacks(ty) {
            return self.each(places, 0, ty, dest);
        }
        let mut lower = self.lower(dest);
        self.each(places, 0, Type::Ud, &mut lower);
        let mut upper = self.upper(dest, lower);
        self.each(places, 4, Type::Ud, &mut upper);
    }

    fn each(&mut self, places: &[SrcReg], further: u32, ty: Type, dest: &mut Dest) {
        for (lane, from) in (0..).zip(places) {
            let mut mov = Inst::no_mask(Op::Mov, 1);
            let mut from = SrcReg { ty, ..*from };
            match &mut from.indirect {
                Some(imm) => *imm += further as i16,
                None => from.reg = from.reg.at(from.reg.byte() + further),
            }
            mov.srcs.push(Src::Reg(from));
            mov.dst = Some(Dst {
                hstride: 1,
                ..self.write(dest, lane, 1)
            });
            self.push(mov);
        }
    }

    fn moved(&mut self, from: Src, to: Dst, n: u32) -> Result {
        let mut dest = self.dest_of(&to, false, n);
        let srcs = Sources::from([from]);
        self.alu(Op::Mov, Channels::all(n as u8), &mut dest, srcs, None)
    }
}

/// The truth table of a function of three bits after two of its sources were exchanged. Bit `n` of a table is the
/// result for sources that are the bits of `n`.
fn exchanged(table: u8, one: usize, other: usize) -> u8 {
    (0..8).fold(0, |bits, n| {
        let differ = (n >> one ^ n >> other) & 1;
        let from = n ^ (differ << one | differ << other);
        bits | (table >> from & 1) << n
    })
}

/// True if a source is of floats or of 64 bits, no scalar, and at an address.
fn is_moved_by_address(src: &Src, n: u32) -> bool {
    let Src::Reg(r) = src else { return false };
    let fixed = r.ty.is_float() || r.ty.bytes() == 8;
    let scalar = r.region.vstride.is_some() && r.step(n) == Some(0);
    fixed && r.indirect.is_some() && !scalar
}

/// Moves the bits of floats of at most 32 bits as an integer; false for other types.
fn move_as_bits(dest: &mut Dest, srcs: &mut [Src]) -> bool {
    let ty = match (dest.ty.is_float(), dest.ty.bytes()) {
        (true, 1) => Type::Ub,
        (true, 2) => Type::Uw,
        (true, 4) => Type::Ud,
        _ => return false,
    };
    let [Src::Reg(r)] = srcs else { return false };
    (r.ty, dest.ty) = (ty, ty);
    true
}
