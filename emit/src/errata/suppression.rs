//! Read suppression: after a message or a branch that leaves channels out, an instruction may get an operand that the one
//! before it has read.

use crate::assemble::Program;
use crate::inst::{Cond, CondMod, Dst, Inst, Op, PredCtrl, Reg, RegFile, Region, Src, Type};
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
        let chooses = inst.op.is_send() && inst.pred.is_some() && has_response(inst);
        let diverges = match inst.op {
            Op::Goto | Op::If | Op::Break => differs(inst),
            Op::While => at > 0 && differs(inst),
            _ => false,
        };
        (chooses || diverges).then(selection)
    });
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

/// A selection that writes a part of r1 with itself, whatever the condition.
fn selection() -> Inst {
    let mut csel = Inst::new(Op::Csel, 4);
    csel.no_mask = true;
    csel.cond = Some(CondMod {
        cond: Cond::Eq,
        flag: Reg::new(RegFile::Flag, 0, 0),
    });
    csel.dst = Some(Dst::new(Reg::grf(1), 1, Type::W));
    let source = Src::reg(Reg::grf(1), Region::new(4, 4, 1), Type::W);
    csel.srcs.extend([source; 3]);
    csel
}
