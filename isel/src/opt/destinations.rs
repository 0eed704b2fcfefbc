//! Computes values where they are wanted, instead of copying them there.
//!
//! vISA puts payloads together by moves: an operation makes a value, and a `mov` puts it, or half of it,
//! into its place. Where all that reads a value are such moves, the operation writes the places itself,
//! in pieces if there are several. It does so where it stands, if what the move was written over is there
//! already and wanted by nobody else; otherwise where the move stood, if that is near.
//!
//! A move whatever the mask of a value made under a mask becomes an operation under that mask: the value
//! held nothing of worth in other channels. The other way round, and from one block to another where
//! the mask may be another, only a destination without old contents can be written.

use std::ops::Range;

use cranelift_entity::SecondaryMap;
use kiln_machine::func::{Block, Class, Function};
use kiln_machine::graph::Graph;
use kiln_machine::inst::{Dst, Inst, Old, Reg, Src, SrcReg, VReg};
use kiln_machine::liveness::{term_uses, uses_of};
use kiln_target::isa::{Op, PredCtrl, RegFile, SrcMod, Type};
use kiln_target::op::Props;
use smallvec::SmallVec;

use super::dead::has_effect;

/// How many instructions further down an operation may go: what it reads lives so much longer.
const NEAR: u32 = 32;

/// Where an instruction stands: a place before all of a block is 0.
type Place = (Block, u32);

/// What an instruction is replaced by.
struct Edit {
    at: Place,
    inst: Inst,
}

struct Moves {
    uses: SecondaryMap<VReg, u32>,
    defs: SecondaryMap<VReg, Option<Place>>,
    /// The moves that read a register, and nothing else of it.
    copies: SecondaryMap<VReg, SmallVec<[Place; 2]>>,
    /// Where control registers are written, by blocks.
    modes: SecondaryMap<Block, Vec<u32>>,
}

/// Writes values to where moves put them.
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
                // An operation that is a move itself is none of its source any more.
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
                    // What is moved once stays: the place no longer tells the instruction.
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
            uses: SecondaryMap::with_capacity(func.regs.len()),
            defs: SecondaryMap::with_capacity(func.regs.len()),
            copies: SecondaryMap::with_capacity(func.regs.len()),
            modes: SecondaryMap::new(),
        };
        for &block in graph.order() {
            let data = &func.blocks[block];
            for &v in &data.params {
                moves.defs[v] = Some((block, 0));
            }
            for (n, inst) in (1..).zip(&data.insts) {
                uses_of(func, inst, |v| moves.uses[v] += 1);
                func.visit(inst, |v, role| {
                    if role.is_def() {
                        moves.defs[v] = Some((block, n));
                    }
                });
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

    /// The operation that makes a value, in pieces that write what the moves at some places do.
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
            // Each channel is computed once.
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

    /// The operation on some of its channels, writing what a move does.
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
        // Predicates of groups see other groups.
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
        // What the operation's result was read as does not matter to its bits.
        inst.dst = Some(Dst { ty: made.ty, ..to });
        Some(inst)
    }

    /// Where the piece for a move stands.
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
            && to - from <= NEAR
            && modes.get(next).is_none_or(|&at| at > to)
            && by.pred.is_none()
            && !by.srcs.iter().any(fixed);
        near.then_some(place)
    }
}

/// The register that an instruction copies elements of, if it does nothing else.
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

/// Whether an instruction computes a register channel by channel, and nothing else.
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

/// What some channels read of a source.
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
