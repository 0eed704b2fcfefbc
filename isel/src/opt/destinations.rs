//! Lets operations write the destinations of the moves that copy their results.
//!
//! Takes wide machine IR in SSA form and leaves equivalent IR. vISA code builds payloads by moves: an operation
//! computes a value, and a `mov` copies it, or half of it, to its place. If all uses of a value are such moves, the
//! operation writes the places itself, in pieces if there are several. It stays where it is if the move's tied
//! operand is defined there and has no other use; otherwise it goes to the place of the move, if that is at most
//! `MAX_DISTANCE` instructions further down.
//!
//! A move that ignores the mask, of a value computed under a mask, becomes an operation under that mask: the value
//! is undefined in other channels. In the opposite case, and across blocks (where the mask may differ), only
//! destinations without a tied operand are written.

use std::ops::Range;

use cranelift_entity::SecondaryMap;
use kiln_machine::func::{Block, Class, Function};
use kiln_machine::graph::Graph;
use kiln_machine::inst::{Dst, Inst, Old, Reg, Src, SrcReg, VReg};
use kiln_machine::liveness::{term_uses, uses_of};
use kiln_platform::isa::{Op, PredCtrl, RegFile, SrcMod, Type};
use kiln_platform::op::Props;
use smallvec::SmallVec;

use super::dead::has_effect;

/// Maximum distance that an operation moves down; the live ranges of its sources grow by as much.
const MAX_DISTANCE: u32 = 32;

/// The place of an instruction: its block and its index plus one; 0 is the start of the block.
type Place = (Block, u32);

/// A replacement of an instruction.
struct Edit {
    at: Place,
    inst: Inst,
}

struct Moves {
    uses: SecondaryMap<VReg, u32>,
    defs: SecondaryMap<VReg, Option<Place>>,
    /// For each register whose only uses are moves: the places of the moves.
    copies: SecondaryMap<VReg, SmallVec<[Place; 2]>>,
    /// For each block: the places of writes of control registers.
    modes: SecondaryMap<Block, Vec<u32>>,
}

/// Replaces moves by operations that write the moves' destinations.
pub fn run(func: &mut Function, graph: &Graph) {
    let mut moves = Moves::new(func, graph);
    let mut edits: Vec<Edit> = Vec::new();
    let mut gone: SecondaryMap<Block, Vec<u32>> = SecondaryMap::new();
    for &block in graph.order() {
        for n in 0..func.blocks[block].insts.len() {
            let Some(value) = copied(func, &func.blocks[block].insts[n]) else {
                continue;
            };
            let places = &moves.copies[value];
            let last = places.last() == Some(&(block, n as u32 + 1));
            if !last || moves.uses[value] as usize != places.len() {
                continue;
            }
            let places = places.clone();
            let Some(made) = moves.pieces(func, value, &places) else {
                continue;
            };
            if let Some((block, n)) = moves.defs[value] {
                gone[block].push(n);
                // An operation that is itself a move no longer counts among its source's moves.
                let by = &func.blocks[block].insts[n as usize - 1];
                if let Some(source) = copied(func, by) {
                    moves.copies[source].clear();
                }
            }
            for (block, n) in places {
                gone[block].push(n);
            }
            for edit in made {
                if let Some(v) = edit.inst.dst.and_then(|dst| dst.reg.as_virt()) {
                    moves.defs[v] = Some(edit.at);
                    // A move is replaced once: its place no longer identifies it.
                    moves.copies[v].clear();
                    func.regs[v].uniform &= edit.inst.opts.no_mask;
                }
                edits.push(edit);
            }
        }
    }
    edits.sort_by_key(|edit| edit.at);
    let mut edits = edits.into_iter().peekable();
    for block in func.blocks.keys().collect::<Vec<_>>() {
        let removed = &mut gone[block];
        if removed.is_empty() && edits.peek().is_none_or(|edit| edit.at.0 != block) {
            continue;
        }
        removed.sort_unstable();
        let old = std::mem::take(&mut func.blocks[block].insts);
        let mut new = Vec::with_capacity(old.len());
        for (n, inst) in (1..).zip(old) {
            while let Some(edit) = edits.next_if(|edit| edit.at == (block, n)) {
                new.push(edit.inst);
            }
            if removed.binary_search(&n).is_err() {
                new.push(inst);
            }
        }
        func.blocks[block].insts = new;
    }
}

impl Moves {
    fn new(func: &Function, graph: &Graph) -> Moves {
        let mut moves = Moves {
            uses: func.map_of_registers(0),
            defs: func.map_of_registers(None),
            copies: func.map_of_registers(SmallVec::new()),
            modes: SecondaryMap::new(),
        };
        for &block in graph.order() {
            let data = &func.blocks[block];
            for &v in &data.params {
                moves.defs[v] = Some((block, 0));
            }
            for (n, inst) in (1..).zip(&data.insts) {
                uses_of(func, inst, |v| moves.uses[v] += 1);
                func.visit_definitions(inst, |v, _| moves.defs[v] = Some((block, n)));
                if let Some(value) = copied(func, inst) {
                    moves.copies[value].push((block, n));
                }
                let file = inst.dst.and_then(|dst| dst.reg.as_phys());
                let control = |(file, _)| matches!(file, RegFile::Control | RegFile::State);
                if file.is_some_and(control) {
                    moves.modes[block].push(n);
                }
            }
            term_uses(func, block, |v| moves.uses[v] += 1);
        }
        moves
    }

    /// The operation that defines a value, in pieces that write the destinations of the moves at some places.
    fn pieces(&self, func: &Function, value: VReg, places: &[Place]) -> Option<Vec<Edit>> {
        let at = self.defs[value].filter(|at| at.1 > 0)?;
        let by = &func.blocks[at.0].insts[at.1 as usize - 1];
        if !is_operation(func, by, value) {
            return None;
        }
        let mut taken: u32 = 0;
        let mut made = Vec::with_capacity(places.len());
        for &place in places {
            let copy = &func.blocks[place.0].insts[place.1 as usize - 1];
            let lanes = lanes(by, copy)?;
            // No channel is computed twice.
            let bits = (u64::MAX >> (64 - lanes.len())) << lanes.start;
            if taken & bits as u32 != 0 {
                return None;
            }
            taken |= bits as u32;
            let inst = self.piece(func, at, by, place, copy, lanes)?;
            let at = self.place(at, by, place, copy)?;
            made.push(Edit { at, inst });
        }
        Some(made)
    }

    /// The operation on some of its channels, with the destination of a move.
    fn piece(
        &self,
        func: &Function,
        at: Place,
        by: &Inst,
        place: Place,
        copy: &Inst,
        lanes: Range<u32>,
    ) -> Option<Inst> {
        let (to, made) = (copy.dst?, by.dst?);
        let count = lanes.len() as u32;
        let fresh = to.old == Old::None;
        let masked = !by.opts.no_mask;
        let same_channels = match (masked, copy.opts.no_mask) {
            (true, true) => true,
            (true, false) => {
                let off = u32::from(by.chan_off) + lanes.start == copy.chan_off.into();
                off && (fresh || at.0 == place.0)
            }
            (false, true) => true,
            (false, false) => fresh,
        };
        let whole = count == u32::from(by.exec_size);
        let off = u32::from(by.chan_off) + lanes.start;
        let by_channel = masked || by.pred.is_some();
        let named = whole || !by_channel || count >= 4 && off.is_multiple_of(count);
        // A predicate over groups of channels would see other groups.
        let plain = by
            .pred
            .is_none_or(|pred| whole || pred.ctrl == PredCtrl::Normal);
        if !same_channels || !named || !plain {
            return None;
        }
        let mut inst = *by;
        inst.exec_size = count as u8;
        if by_channel {
            inst.chan_off = off as u8;
        }
        for src in inst.srcs.iter_mut() {
            *src = of_lanes(func, src, &lanes, whole)?;
        }
        // The type of the move does not change the result's bits.
        inst.dst = Some(Dst { ty: made.ty, ..to });
        Some(inst)
    }

    /// The place of the piece for a move.
    fn place(&self, at: Place, by: &Inst, place: Place, copy: &Inst) -> Option<Place> {
        let there = match copy.dst?.old {
            Old::None => true,
            Old::Reg(old) => {
                let before = self.defs[old].is_none_or(|def| match def.0 == at.0 {
                    true => def.1 <= at.1,
                    false => at.0 == place.0,
                });
                before && self.uses[old] == 1
            }
            Old::List(_) => false,
        };
        if there {
            return Some(at);
        }
        let ((block, from), (other, to)) = (at, place);
        let fixed = |src: &Src| src.as_reg().is_some_and(|r| r.reg.as_phys().is_some());
        let modes = &self.modes[block];
        let next = modes.partition_point(|&at| at <= from);
        let near = block == other
            && to - from <= MAX_DISTANCE
            && modes.get(next).is_none_or(|&at| at > to)
            && by.pred.is_none()
            && !by.srcs.iter().any(fixed);
        near.then_some(place)
    }
}

/// The register whose elements an instruction copies, if that is its only effect.
fn copied(func: &Function, inst: &Inst) -> Option<VReg> {
    let dst = inst.dst.as_ref()?;
    let &[Src::Reg(from)] = &inst.srcs[..] else {
        return None;
    };
    let plain = inst.op == Op::Mov
        && inst.is_bare()
        && dst.indirect.is_none()
        && dst.mme.is_none()
        && from.indirect.is_none()
        && from.mme.is_none()
        && from.region.vstride.is_some()
        && from.modifier == SrcMod::default();
    let raw = from.ty == dst.ty
        || from.ty.bytes() == dst.ty.bytes() && !from.ty.is_float() && !dst.ty.is_float();
    let value = from.reg.as_virt()?;
    let general = |v: VReg| func.regs[v].class == Class::Grf;
    (plain && raw && general(value) && general(dst.reg.as_virt()?)).then_some(value)
}

/// True if the only effect of an instruction is to compute a register channel by channel.
fn is_operation(func: &Function, inst: &Inst, value: VReg) -> bool {
    let Some(dst) = &inst.dst else { return false };
    let accumulates = inst
        .gen_op()
        .is_none_or(|op| op.is(Props::READS_ACC) || op.is(Props::WRITES_ACC));
    let known = |src: &Src| match src {
        Src::Imm(imm) => !matches!(imm.ty, Type::V | Type::Uv | Type::Vf),
        Src::Reg(r) => {
            let file = r.reg.as_phys();
            r.indirect.is_none()
                && r.mme.is_none()
                && r.region.vstride.is_some()
                && file.is_none_or(|(file, _)| file == RegFile::Grf)
        }
    };
    inst.is_by_channel()
        && !accumulates
        && !has_effect(inst)
        && inst.cond.is_none()
        && inst.symbol.is_none()
        && !inst.opts.switch
        && dst.reg == Reg::virt(value, dst.reg.byte())
        && dst.old == Old::None
        && dst.mme.is_none()
        && func.regs[value].class == Class::Grf
        && inst.srcs.iter().all(known)
}

/// The channels of an operation whose results a move copies.
fn lanes(by: &Inst, copy: &Inst) -> Option<Range<u32>> {
    let (made, Src::Reg(from)) = (by.dst?, copy.srcs.first()?) else {
        return None;
    };
    let step = u32::from(made.hstride) * made.ty.bytes();
    let first = from.reg.byte().checked_sub(made.reg.byte())?;
    let count = u32::from(copy.exec_size);
    let start = first / step.max(1);
    let in_line = (0..count).all(|n| from.element(n) == n * step);
    let fits = first.is_multiple_of(step.max(1)) && start + count <= by.exec_size.into();
    let same = from.ty.bytes() == made.ty.bytes();
    (step > 0 && in_line && fits && same).then(|| start..start + count)
}

/// The part of a source that some channels read.
fn of_lanes(func: &Function, src: &Src, lanes: &Range<u32>, whole: bool) -> Option<Src> {
    let Src::Reg(r) = src else { return Some(*src) };
    if whole {
        return Some(*src);
    }
    let first = r.offset(lanes.start);
    let reg = match r.reg.as_phys() {
        Some((file, num)) => {
            let grf = func.target.grf_bytes;
            Reg::phys(file, num + (first / grf) as u8, first % grf)
        }
        None => r.reg.at(first),
    };
    let same = lanes
        .clone()
        .all(|n| r.offset(n) == first + r.element(n - lanes.start));
    same.then_some(Src::Reg(SrcReg { reg, ..*r }))
}
