//! Flags that are read before the thread ends: one that was written and never read would be waited for by the next
//! thread.

use super::{ends_thread, read};
use crate::assemble::Program;
use crate::inst::{Dst, Inst, Op, Place, Reg, RegFile, Src};
use crate::platform::Platform;

/// Reads each flag register, before the message that ends the thread, that some block writes and does not read
/// afterwards.
pub(super) fn read_before_end(program: &mut Program, platform: &Platform) {
    let mut unread = vec![false; platform.flag_count as usize];
    for block in &program.blocks {
        // A branch ends what is looked at together, also within a block, as one that joins channels.
        for stretch in block.split_inclusive(|inst| inst.op.is_branch()) {
            let mut pending = vec![false; unread.len()];
            for inst in stretch.iter().filter(|inst| !ends_thread(inst)) {
                note(inst, &mut pending);
            }
            for (unread, pending) in unread.iter_mut().zip(pending) {
                *unread |= pending;
            }
        }
    }
    // Routines that are called are apart: they may leave any flag.
    let insts = program.blocks.iter().flatten();
    let calls = insts
        .into_iter()
        .any(|inst| matches!(inst.op, Op::Call | Op::Calla));
    let flags: Vec<u32> = (0..platform.flag_count)
        .filter(|flag| calls || unread[*flag as usize])
        .collect();
    for flag in flags {
        let reg = Reg::new(RegFile::Flag, flag, 0);
        super::insert(program, |block, at| {
            ends_thread(&block[at]).then(|| read(1, reg))
        });
    }
}

/// Clears the flags that an instruction reads, then sets those that it writes.
fn note(inst: &Inst, pending: &mut [bool]) {
    let named = |place: Place| match place {
        Place::Direct(reg) if reg.file == RegFile::Flag => Some(reg.num as usize),
        _ => None,
    };
    let sources = inst.srcs.iter().filter_map(|src| match src {
        Src::Reg(src) => named(src.place),
        Src::Imm { .. } => None,
    });
    let read = sources.chain(inst.pred.map(|pred| pred.flag.num as usize));
    let explicit = inst.dst.and_then(|dst: Dst| named(dst.place));
    let condition = inst.cond.filter(|cond| !cond.flag.is_null());
    let written = explicit.or(condition.map(|cond| cond.flag.num as usize));
    for flag in read {
        set(pending, flag, false);
    }
    if let Some(flag) = written {
        set(pending, flag, true);
    }
}

fn set(pending: &mut [bool], flag: usize, to: bool) {
    if let Some(flag) = pending.get_mut(flag) {
        *flag = to;
    }
}
