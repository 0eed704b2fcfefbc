//! Register pressure of a machine function: units live at once, before allocation.

use cranelift_entity::{EntityRef, EntitySet};
use kiln_emit::inst::VReg;
use kiln_isel::mir::{Class, MFunc, MInst, Role};

/// The most general-register units that are live at one point.
pub fn max(func: &MFunc) -> u32 {
    let live_out = liveness(func);
    let mut most = 0;
    for (block, out) in func.blocks.iter().zip(&live_out) {
        let mut live = out.clone();
        let mut count = live.keys().filter(|&v| func.vregs[v] == Class::Grf).count() as u32;
        most = most.max(count);
        for m in block.insts.iter().rev() {
            let mut defs = 0;
            step(m, &mut live, |v, added| {
                if func.vregs[v] == Class::Grf {
                    if added {
                        count += 1;
                    } else {
                        count -= 1;
                        defs += 1;
                    }
                }
            });
            // While it runs, what it reads and what it makes are there at once.
            most = most.max(count).max(count.saturating_sub(0).max(defs));
        }
    }
    most
}

/// Applies an instruction backwards; tells what enters and leaves the set.
fn step(m: &MInst, live: &mut EntitySet<VReg>, mut change: impl FnMut(VReg, bool)) {
    m.operands(|v, role| {
        if matches!(role, Role::Def | Role::DefOver(_) | Role::Result(..)) && live.remove(v) {
            change(v, false);
        }
    });
    m.operands(|v, role| {
        let read = match role {
            Role::Use | Role::LateUse | Role::Payload(..) => Some(v),
            Role::DefOver(old) | Role::Result(_, Some(old)) => Some(old),
            Role::Def | Role::Result(_, None) => None,
        };
        if let Some(v) = read
            && live.insert(v)
        {
            change(v, true);
        }
    });
}

/// Registers live at the end of each block.
fn liveness(func: &MFunc) -> Vec<EntitySet<VReg>> {
    let n = func.blocks.len();
    let mut outs: Vec<EntitySet<VReg>> = (0..n).map(|_| EntitySet::new()).collect();
    let mut ins: Vec<EntitySet<VReg>> = (0..n).map(|_| EntitySet::new()).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..n).rev() {
            let mut out = EntitySet::new();
            for (to, args) in &func.blocks[b].succs {
                for v in ins[*to as usize].keys() {
                    out.insert(v);
                }
                for &v in args {
                    out.insert(v);
                }
            }
            let mut live = out.clone();
            for m in func.blocks[b].insts.iter().rev() {
                step(m, &mut live, |_, _| {});
            }
            for &p in &func.blocks[b].params {
                live.remove(p);
            }
            let count = |s: &EntitySet<VReg>| s.keys().map(EntityRef::index).count();
            if count(&live) != count(&ins[b]) || count(&out) != count(&outs[b]) {
                changed = true;
            }
            ins[b] = live;
            outs[b] = out;
        }
    }
    outs
}
