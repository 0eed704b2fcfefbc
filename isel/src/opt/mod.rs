//! The optimizer: passes over wide machine IR, between selection and legalization.
//!
//! The list of passes of `kiln-compile` has their order. Each pass takes a function that [`kiln_machine::verify`]
//! accepts and leaves such a function, in time close to linear in its size. No pass adds, removes or redirects an
//! edge between blocks, so that one graph serves all of them.

pub mod arrays;
pub mod conditions;
mod constants;
pub mod copies;
pub mod dead;
pub mod destinations;
pub mod flags;
pub mod identities;
pub mod invariants;
pub mod narrow;
pub mod scattered;
pub mod values;
pub mod widen_slots;

use cranelift_entity::SecondaryMap;
use kiln_machine::func::{Block, Function};
use kiln_machine::inst::{Inst, VReg};
use kiln_machine::liveness::{term_uses, uses_of};

/// Visits blocks in an order. Each instruction is taken out of its block during the call, so that `f` may change
/// the rest of the function.
fn for_each_inst(
    func: &mut Function,
    order: &[Block],
    mut f: impl FnMut(&mut Function, Block, usize, &mut Inst),
) {
    for &block in order {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        for (n, inst) in insts.iter_mut().enumerate() {
            f(func, block, n, inst);
        }
        func.blocks[block].insts = insts;
    }
}

/// The number of reads of each register.
fn count_uses(func: &Function) -> SecondaryMap<VReg, u32> {
    let mut uses = func.map_of_registers(0);
    for (block, data) in func.blocks.iter() {
        for inst in &data.insts {
            uses_of(func, inst, |v| uses[v] += 1);
        }
        term_uses(func, block, |v| uses[v] += 1);
    }
    uses
}
