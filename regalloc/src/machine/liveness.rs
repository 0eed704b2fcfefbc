//! Which registers live across block boundaries.
//!
//! One walk back from the uses of each register to its definition: the time is that of the answer,
//! however many registers or loops there are. Arguments of an edge live at the end of their block.

use cranelift_entity::{EntityRef, SecondaryMap};
use kiln_machine::func::{Block, Function};
use kiln_machine::inst::VReg;
use smallvec::SmallVec;

/// Registers that live at the start and at the end of each block, in ascending order.
pub struct Liveness {
    live_in: SecondaryMap<Block, Vec<VReg>>,
    live_out: SecondaryMap<Block, Vec<VReg>>,
}

impl Liveness {
    pub fn live_in(&self, block: Block) -> &[VReg] {
        &self.live_in[block]
    }

    pub fn live_out(&self, block: Block) -> &[VReg] {
        &self.live_out[block]
    }

    pub fn new(func: &Function) -> Liveness {
        const NONE: u32 = u32::MAX;
        let mut defined: SecondaryMap<VReg, u32> = SecondaryMap::with_default(NONE);
        let mut preds: SecondaryMap<Block, SmallVec<[Block; 2]>> = SecondaryMap::new();
        for &(v, _) in &func.inputs {
            defined[v] = func.entry().as_u32();
        }
        for (b, block) in func.blocks.iter() {
            for &v in &block.params {
                defined[v] = b.as_u32();
            }
            for inst in &block.insts {
                func.visit(inst, |v, role| {
                    if role.is_def() {
                        defined[v] = b.as_u32();
                    }
                });
            }
            for edge in &block.succs {
                preds[edge.to].push(b);
            }
        }
        // Uses of registers that another block defines; whether at the end of the block only.
        let mut uses: Vec<(VReg, Block, bool)> = Vec::new();
        for (b, block) in func.blocks.iter() {
            let mut add = |v: VReg, at_end: bool| {
                if at_end || defined[v] != b.as_u32() {
                    uses.push((v, b, at_end));
                }
            };
            for inst in &block.insts {
                func.visit(inst, |v, role| match role.old() {
                    Some(old) => add(old, false),
                    None if !role.is_def() => add(v, false),
                    None => {}
                });
            }
            if let Some(v) = block.term.pred().and_then(|p| p.flag.as_virt()) {
                add(v, false);
            }
            for &v in block.succs.iter().flat_map(|e| &e.args) {
                add(v, true);
            }
        }
        uses.sort_unstable_by_key(|&(v, b, _)| (v, b));
        let mut live = Liveness {
            live_in: SecondaryMap::new(),
            live_out: SecondaryMap::new(),
        };
        live.live_in.resize(func.blocks.len());
        live.live_out.resize(func.blocks.len());
        let mut work: Vec<Block> = Vec::new();
        for (v, b, at_end) in uses {
            if at_end && live.live_out[b].last() != Some(&v) {
                live.live_out[b].push(v);
            }
            if defined[v] != b.as_u32() {
                work.push(b);
            }
            while let Some(b) = work.pop() {
                if live.live_in[b].last() == Some(&v) {
                    continue;
                }
                live.live_in[b].push(v);
                for &p in &preds[b] {
                    if live.live_out[p].last() != Some(&v) {
                        live.live_out[p].push(v);
                    }
                    if defined[v] != p.as_u32() {
                        work.push(p);
                    }
                }
            }
        }
        live
    }
}

/// Whether a sorted list has an element.
pub fn contains(list: &[VReg], v: VReg) -> bool {
    list.binary_search_by_key(&v.index(), |v| v.index()).is_ok()
}
