//! The spill slots of an allocation and their costs, for the laboratory.
//!
//! Takes a proved answer. The proof knows the values in each place, so that this holds for every allocator.

use std::collections::BTreeSet;

use cranelift_entity::SecondaryMap;
use kiln_machine::func::Block;
use kiln_machine::graph::depths;
use kiln_machine::inst::VReg;

use crate::build_problem::Presented;
use crate::problem::{Answer, Value};
use crate::prove::Proved;
use crate::scan::message_weight;

/// A place in a machine function: an instruction of a block, or its terminator after the last.
pub type Spot = (Block, u32);

/// A spill slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The registers that are in it, in one part of the code or another, ascending.
    pub values: Vec<VReg>,
    pub grfs: u32,
    /// Number of messages that write and read it.
    pub stores: u32,
    pub loads: u32,
    /// Cost of these messages, weighted by frequencies: one in a loop counts ten times.
    pub cost: u64,
    /// Number of operands that are values of the slot.
    pub uses: u32,
    /// The first and the last message, in the order of the code.
    pub first: Spot,
    pub last: Spot,
}

/// The spill slots of an allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InMemory {
    /// Spill slots with messages, by first message.
    pub stored: Vec<Stored>,
    /// The registers that units hold at the spot that was asked for.
    pub in_units: BTreeSet<VReg>,
}

/// Says what is in memory, and what units hold before the instruction at a spot.
pub fn in_memory(input: &Presented, answer: &Answer, proved: &Proved, spot: Spot) -> InMemory {
    let func = input.func;
    let names = input.registers();
    let name = |v: &Value| names[*v as usize];
    let loops = depths(func);
    let mut slots: Vec<Option<Stored>> = vec![None; answer.slots.len()];
    let mut found = InMemory::default();
    let listed = input.first_from(spot);
    let mut values_of: Vec<BTreeSet<Value>> = vec![BTreeSet::new(); answer.slots.len()];
    proved.walk(|i, step, state| {
        let Some(step) = step else {
            if Some(i) == listed {
                found.in_units = state.in_units().filter_map(|v| name(&v)).collect();
            }
            return;
        };
        let is_store = step.to.is_memory();
        let Some(slot) = step.to.slot().or(step.from.slot()) else {
            return;
        };
        let (block, inst) = input.spot(i);
        let stored = slots[slot].get_or_insert_with(|| Stored {
            values: Vec::new(),
            grfs: answer.slots[slot].grfs,
            stores: 0,
            loads: 0,
            cost: 0,
            uses: 0,
            first: (block, inst),
            last: (block, inst),
        });
        stored.stores += u32::from(is_store);
        stored.loads += u32::from(!is_store);
        stored.cost += message_weight(loops[block.as_u32() as usize]);
        stored.first = stored.first.min((block, inst));
        stored.last = stored.last.max((block, inst));
        values_of[slot].extend(state.of(step.from, &answer.slots));
    });
    let mut uses: SecondaryMap<VReg, u32> = SecondaryMap::new();
    for i in 0..input.problem.inst_count() as u32 {
        for op in input.problem.operands(i) {
            if let Some(v) = name(&op.value()) {
                uses[v] += 1;
            }
        }
    }
    for (stored, values) in slots.into_iter().zip(values_of) {
        let Some(mut stored) = stored else { continue };
        stored.values = values.iter().filter_map(name).collect();
        stored.values.sort_unstable();
        stored.uses = stored.values.iter().map(|&v| uses[v]).sum();
        found.stored.push(stored);
    }
    found.stored.sort_by_key(|stored| stored.first);
    found
}
