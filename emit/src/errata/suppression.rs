//! Read suppression: after a message or a branch that leaves channels out, an instruction may get an operand that the one
//! before it has read.

use super::ends_thread;
use crate::assemble::Program;
use crate::inst::{Cond, CondMod, Dst, Inst, Op, Place, PredCtrl, Reg, RegFile, Region, Src, Type};
use crate::platform::Platform;

/// Puts a selection among equals before each message with a predicate and a response, and before each branch that only
/// some channels may take (SWWA.cpp insertDummyMovForHWRSWAonaAllpipelines).
///
/// Channels wait at `while`: where that begins a block, the selection is at the end of the block before.
pub(super) fn read_anew(program: &mut Program, _: &Platform) {
    let mut before: Option<usize> = None;
    for b in 0..program.blocks.len() {
        let Some(first) = program.blocks[b].first() else {
            continue;
        };
        if first.op == Op::While
            && differs(first)
            && let Some(block) = before.map(|before| &mut program.blocks[before])
            && block.last().is_some_and(|last| !last.op.is_branch())
        {
            block.push(selection());
        }
        before = Some(b);
    }
    super::insert(program, |block, at| {
        let inst = &block[at];
        (chooses(inst) || diverges(inst) && (at > 0 || inst.op != Op::While)).then(selection)
    });
}

/// Puts selections among equals, of each pipeline one, before the end of a thread with 256 registers, whose last message is
/// sent from the upper half (SWWA.cpp HWWorkaround, insertDummyCsel).
pub(super) fn before_end(program: &mut Program, _: &Platform) {
    for ty in [Type::W, Type::F] {
        super::insert(program, |block, at| {
            let end = ends_thread(&block[at]).then(|| block[at].srcs.first())??;
            let upper = matches!(end, Src::Reg(end) if matches!(end.place, Place::Direct(reg) if reg.num >= 128));
            upper.then(|| selection_of(ty))
        });
    }
}

/// Reads the first second source of systolic operations in a block anew, by a move onto itself, in code where channels may
/// be left out (SWWA.cpp insertDummyMovForHWRSWAonDPAS).
pub(super) fn read_columns_anew(program: &mut Program, _: &Platform) {
    let mut insts = program.blocks.iter().flatten();
    if !insts.any(|inst| chooses(inst) || diverges(inst)) {
        return;
    }
    super::insert(program, |block, at| {
        let mut before = block[..at].iter();
        let first = block[at].op.is_systolic() && !before.any(|inst| inst.op.is_systolic());
        let Some(Src::Reg(source)) = block[at].srcs.get(1).filter(|_| first) else {
            return None;
        };
        let Place::Direct(reg) = source.place else {
            return None;
        };
        let mut mov = Inst::new(Op::Mov, 8);
        mov.dst = Some(Dst::new(Reg::grf(reg.num), 1, Type::Ud));
        let again = Src::reg(Reg::grf(reg.num), Region::packed(8), Type::Ud);
        mov.srcs.push(again);
        Some(mov)
    });
}

/// True for a message with a response that only some channels may send.
fn chooses(inst: &Inst) -> bool {
    inst.op.is_send() && inst.pred.is_some() && has_response(inst)
}

/// True for a branch after which only some channels may go on.
fn diverges(inst: &Inst) -> bool {
    matches!(inst.op, Op::Goto | Op::If | Op::Break | Op::While) && differs(inst)
}

/// True if a branch may be taken by some channels only.
fn differs(branch: &Inst) -> bool {
    branch
        .pred
        .is_some_and(|pred| pred.ctrl == PredCtrl::Normal)
}

fn has_response(inst: &Inst) -> bool {
    inst.dst
        .is_some_and(|dst| dst.place != Dst::new(Reg::NULL, 1, Type::Ud).place)
}

fn selection() -> Inst {
    selection_of(Type::W)
}

/// A selection that writes a part of r1 with itself, whatever the condition.
pub(super) fn selection_of(ty: Type) -> Inst {
    let mut csel = Inst::new(Op::Csel, 4);
    csel.no_mask = true;
    csel.cond = Some(CondMod {
        cond: Cond::Eq,
        flag: Reg::new(RegFile::Flag, 0, 0),
    });
    // The register's halves keep operands of floats apart from words.
    let byte = if ty.is_float() { 16 } else { 0 };
    let part = Reg::new(RegFile::Grf, 1, byte);
    csel.dst = Some(Dst::new(part, 1, ty));
    let source = Src::reg(part, Region::new(4, 4, 1), ty);
    csel.srcs.extend([source; 3]);
    csel
}
