//! Float operations that read one register by different paths: the second may get what the first read, of another path.

use super::suppression::selection_of;
use crate::assemble::Program;
use crate::insert;
use crate::inst::{Cond, CondMod, Inst, Op, Region, Src, SrcMod, SrcReg, Type};
use crate::platform::Platform;

/// Puts a selection among equal floats between two operations of the float pipeline, one on the path of moves and
/// selections of halves and the other not, that have one source in common (SWWA.cpp fixReadSuppressioninFPU0).
pub(super) fn separate(program: &mut Program, _: &Platform) {
    let mut before: Option<Inst> = None;
    for block in &mut program.blocks {
        let mut made = Vec::new();
        for (at, inst) in block.iter().enumerate() {
            if !is_float(inst) {
                continue;
            }
            if before.is_some_and(|before| may_be_stale(&before, inst)) {
                made.push((at, selection_of(Type::F)));
            }
            before = Some(inst.clone());
        }
        insert::all(block, &mut made);
    }
}

/// True if an instruction of the float pipeline may get a source that the one before read by another path.
fn may_be_stale(before: &Inst, inst: &Inst) -> bool {
    let same = |(a, b): (&Src, &Src)| matches!((a, b), (Src::Reg(a), Src::Reg(b)) if is_same(a, b));
    let mut sources = before.srcs.iter().zip(&inst.srcs);
    is_of_halves(before) != is_of_halves(inst) && sources.any(same)
}

/// True if two sources are one once rows of packed elements are written in one way, which depends on the number of channels
/// before that.
fn is_same(a: &SrcReg, b: &SrcReg) -> bool {
    let alike = (a.place, a.ty, a.modifier) == (b.place, b.ty, b.modifier);
    let steps = step(a.region).is_some() && step(a.region) == step(b.region);
    alike && (a.region == b.region || steps)
}

/// The distance between elements, if it is one.
fn step(region: Region) -> Option<u8> {
    match region.vstride {
        Some(vertical) if region.width == 1 => Some(vertical),
        Some(vertical) if vertical == region.width * region.hstride => Some(region.hstride),
        _ => None,
    }
}

fn is_float(inst: &Inst) -> bool {
    let in_pipe = !inst.op.is_send() && !inst.op.is_systolic() && !inst.op.is_branch();
    let source = inst.srcs.first().map(Src::ty);
    let ty = inst.dst.map(|dst| dst.ty).or(source);
    in_pipe && ty.is_some_and(Type::is_float)
}

/// True for raw moves and selections of halves, and conversions of doubles to floats.
fn is_of_halves(inst: &Inst) -> bool {
    let (Some(to), Some(from)) = (inst.dst.map(|dst| dst.ty), inst.srcs.first().map(Src::ty))
    else {
        return false;
    };
    let plain = |src: &Src| match src {
        Src::Reg(src) => src.modifier == SrcMod::default(),
        Src::Imm { .. } => true,
    };
    let ordered = |cond: CondMod| matches!(cond.cond, Cond::Ge | Cond::Lt);
    let raw = !inst.saturate && inst.srcs.iter().all(plain) && (to, from) == (Type::Hf, Type::Hf);
    let copies = match inst.op {
        Op::Mov => inst.cond.is_none(),
        Op::Sel => inst.cond.is_none_or(ordered),
        _ => false,
    };
    raw && copies || (to, from) == (Type::F, Type::Df)
}
