//! Removes instructions whose results nobody reads.
//!
//! Takes SSA and keeps it so: works back from the instructions that have an effect, through what
//! they read. Block parameters nobody reads go too, with their arguments.

use cranelift_entity::EntitySet;
use kiln_emit::inst::VReg;

use crate::mir::{MFunc, Role};

/// Removes dead instructions and dead block parameters.
pub fn run(func: &mut MFunc) {
    let mut live: EntitySet<VReg> = EntitySet::with_capacity(func.vregs.len());
    // Blocks may be walked more than once only because of back edges.
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..func.blocks.len()).rev() {
            for s in 0..func.blocks[b].succs.len() {
                let (to, _) = func.blocks[b].succs[s];
                for i in 0..func.blocks[to as usize].params.len() {
                    if live.contains(func.blocks[to as usize].params[i]) {
                        changed |= live.insert(func.blocks[b].succs[s].1[i]);
                    }
                }
            }
            for m in func.blocks[b].insts.iter().rev() {
                let mut wanted = m.has_effect();
                m.operands(|v, role| wanted |= is_def(role) && live.contains(v));
                if wanted {
                    m.operands(|v, role| match role {
                        Role::Def | Role::Result(_, None) => {}
                        Role::DefOver(old) | Role::Result(_, Some(old)) => {
                            changed |= live.insert(old)
                        }
                        Role::Use | Role::LateUse | Role::Payload(..) => changed |= live.insert(v),
                    });
                }
            }
        }
    }
    for b in 0..func.blocks.len() {
        func.blocks[b].insts.retain(|m| {
            let mut wanted = m.has_effect();
            m.operands(|v, role| wanted |= is_def(role) && live.contains(v));
            wanted
        });
        for s in 0..func.blocks[b].succs.len() {
            let to = func.blocks[b].succs[s].0 as usize;
            let keep: Vec<bool> = func.blocks[to]
                .params
                .iter()
                .map(|&p| live.contains(p))
                .collect();
            let mut flags = keep.iter();
            func.blocks[b].succs[s]
                .1
                .retain(|_| *flags.next().expect("one flag an argument"));
        }
    }
    for block in &mut func.blocks {
        block.params.retain(|&p| live.contains(p));
    }
}

fn is_def(role: Role) -> bool {
    matches!(role, Role::Def | Role::DefOver(_) | Role::Result(..))
}
