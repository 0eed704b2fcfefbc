//! Register pressure of a machine function: units live at once, before allocation.

use cranelift_entity::EntityRef;
use kiln_emit::inst::VReg;
use kiln_isel::mir::{Class, MBlock, MFunc, MInst, Role};

/// A dense set of virtual registers.
#[derive(Clone, PartialEq)]
struct Set(Vec<u64>);

impl Set {
    fn new(func: &MFunc) -> Set {
        Set(vec![0; func.vregs.len().div_ceil(64)])
    }

    fn insert(&mut self, v: VReg) -> bool {
        let word = &mut self.0[v.index() / 64];
        let bit = 1 << (v.index() % 64);
        let fresh = *word & bit == 0;
        *word |= bit;
        fresh
    }

    fn remove(&mut self, v: VReg) -> bool {
        let word = &mut self.0[v.index() / 64];
        let bit = 1 << (v.index() % 64);
        let there = *word & bit != 0;
        *word &= !bit;
        there
    }

    fn contains(&self, v: VReg) -> bool {
        self.0[v.index() / 64] >> (v.index() % 64) & 1 == 1
    }
}

/// The most general-register units that are live at one point.
pub fn max(func: &MFunc) -> u32 {
    let live_out = liveness(func);
    let mut most = 0;
    for (block, mut live) in func.blocks.iter().zip(live_out) {
        let is_grf = |v: VReg| u32::from(func.vregs[v] == Class::Grf);
        let mut count: u32 = func
            .vregs
            .keys()
            .filter(|&v| live.contains(v))
            .map(is_grf)
            .sum();
        most = most.max(count);
        for m in block.insts.iter().rev() {
            // A result that nobody reads takes a register all the same.
            let mut unread = 0;
            defs(m, |v| {
                if live.remove(v) {
                    count -= is_grf(v);
                } else {
                    unread += is_grf(v);
                }
            });
            most = most.max(count + unread);
            uses(m, |v| {
                if live.insert(v) {
                    count += is_grf(v);
                }
            });
            most = most.max(count);
        }
    }
    most
}

fn defs(m: &MInst, mut f: impl FnMut(VReg)) {
    m.operands(|v, role| {
        if matches!(role, Role::Def | Role::DefOver(_) | Role::Result(..)) {
            f(v);
        }
    });
}

fn uses(m: &MInst, mut f: impl FnMut(VReg)) {
    m.operands(|v, role| match role {
        Role::Use | Role::LateUse | Role::Payload(..) => f(v),
        Role::DefOver(old) | Role::Result(_, Some(old)) => f(old),
        Role::Def | Role::Result(_, None) => {}
    });
}

/// Registers live at the end of each block.
fn liveness(func: &MFunc) -> Vec<Set> {
    let summary = |block: &MBlock| {
        let (mut used, mut defined) = (Set::new(func), Set::new(func));
        for (_, args) in &block.succs {
            for &v in args {
                used.insert(v);
            }
        }
        for m in block.insts.iter().rev() {
            defs(m, |v| {
                used.remove(v);
                defined.insert(v);
            });
            uses(m, |v| {
                used.insert(v);
            });
        }
        for &p in &block.params {
            used.remove(p);
            defined.insert(p);
        }
        (used, defined)
    };
    let (mut ins, defined): (Vec<Set>, Vec<Set>) = func.blocks.iter().map(summary).unzip();
    let mut outs = vec![Set::new(func); func.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for b in (0..func.blocks.len()).rev() {
            for (to, args) in &func.blocks[b].succs {
                let from = ins[*to as usize].0.clone();
                for (o, i) in outs[b].0.iter_mut().zip(from) {
                    *o |= i;
                }
                for &v in args {
                    outs[b].insert(v);
                }
            }
            for w in 0..ins[b].0.len() {
                let new = ins[b].0[w] | outs[b].0[w] & !defined[b].0[w];
                changed |= new != ins[b].0[w];
                ins[b].0[w] = new;
            }
        }
    }
    // An argument is read at the end of the block; whether it lives on the successor says.
    outs
}
