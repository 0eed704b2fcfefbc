//! How many general registers live at once, over all of the code.
//!
//! Takes a function and its liveness. `walk` goes through each block from its end and shows what lives
//! at every place; [`pressure`] is the most of it, [`profile`] all of it, [`live_at`] who lives at one
//! place. A place is before an instruction or at the end of a block. What the instruction before it
//! writes counts there even if nobody reads it, since it has a register all the same.

use crate::func::{Block, Class, Function};
use crate::inst::VReg;
use crate::liveness::{Liveness, term_uses, uses_of};

/// No block: not live.
const NONE: u32 = u32::MAX;

/// The most of something that lives at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak {
    pub amount: u32,
    pub block: Block,
    /// Before the instruction of that number, or the terminator.
    pub inst: usize,
}

/// The most general registers that live at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pressure {
    /// Bytes in use.
    pub bytes: Peak,
    /// Registers, each a unit of the target's however little of it is in use.
    pub units: Peak,
}

/// What lives at one place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    pub bytes: u32,
    pub units: u32,
}

/// How many general registers live at once, and where that is.
pub fn pressure(func: &Function, live: &Liveness) -> Pressure {
    let start = Peak {
        amount: 0,
        block: func.entry(),
        inst: 0,
    };
    let mut most = Pressure {
        bytes: start,
        units: start,
    };
    walk(func, live, |now, block, inst| {
        let amounts = [now.amount.bytes, now.amount.units];
        for (peak, amount) in [&mut most.bytes, &mut most.units].into_iter().zip(amounts) {
            if amount > peak.amount {
                *peak = Peak {
                    amount,
                    block,
                    inst,
                };
            }
        }
    });
    most
}

/// What lives at each place of each block.
pub struct Profile {
    /// Where each block begins, and where the last ends.
    starts: Vec<usize>,
    amounts: Vec<Amount>,
}

impl Profile {
    /// What lives before each instruction of a block and at its end.
    pub fn of(&self, block: Block) -> &[Amount] {
        let b = block.as_u32() as usize;
        &self.amounts[self.starts[b]..self.starts[b + 1]]
    }
}

/// What lives at each place of each block.
pub fn profile(func: &Function, live: &Liveness) -> Profile {
    let mut starts = Vec::with_capacity(func.blocks.len() + 1);
    starts.push(0);
    let mut end = 0;
    for block in func.blocks.values() {
        end += block.insts.len() + 1;
        starts.push(end);
    }
    let mut amounts = vec![Amount::default(); end];
    walk(func, live, |now, block, inst| {
        let most = &mut amounts[starts[block.as_u32() as usize] + inst];
        most.bytes = most.bytes.max(now.amount.bytes);
        most.units = most.units.max(now.amount.units);
    });
    Profile { starts, amounts }
}

/// The registers that live at a place, ascending.
pub fn live_at(func: &Function, live: &Liveness, block: Block, inst: usize) -> Vec<VReg> {
    let mut found = Vec::new();
    walk(func, live, |now, at, number| {
        if (at, number) == (block, inst) {
            // What is shown last of a place is all of it.
            found = now.registers();
        }
    });
    found
}

/// Shows what lives at each place, more than once at some.
fn walk(func: &Function, live: &Liveness, mut see: impl FnMut(&Now, Block, usize)) {
    let mut now = Now {
        func,
        live: vec![NONE; func.regs.len()],
        block: NONE,
        amount: Amount::default(),
    };
    for (block, data) in func.blocks.iter() {
        now.block = block.as_u32();
        now.amount = Amount::default();
        live.live_out(block).iter().for_each(|&v| now.add(v));
        term_uses(func, block, |v| now.add(v));
        see(&now, block, data.insts.len());
        for (i, inst) in data.insts.iter().enumerate().rev() {
            let mut defs = DefsOf::default();
            func.visit(inst, |v, role| {
                if role.is_def() {
                    defs.push(v);
                }
            });
            defs.iter().for_each(|&v| now.add(v));
            see(&now, block, i + 1);
            defs.iter().for_each(|&v| now.remove(v));
            uses_of(func, inst, |v| now.add(v));
            see(&now, block, i);
        }
        data.params.iter().for_each(|&v| now.add(v));
        if block == func.entry() {
            func.inputs.iter().for_each(|&(v, _)| now.add(v));
        }
        see(&now, block, 0);
    }
}

type DefsOf = smallvec::SmallVec<[VReg; 8]>;

struct Now<'a> {
    func: &'a Function,
    /// The block in which a register was last found to be live, so that nothing is ever cleared.
    live: Vec<u32>,
    block: u32,
    amount: Amount,
}

impl Now<'_> {
    fn add(&mut self, v: VReg) {
        let state = &mut self.live[v.as_u32() as usize];
        let data = &self.func.regs[v];
        if *state != self.block && data.class == Class::Grf {
            *state = self.block;
            self.amount.bytes += u32::from(data.bytes);
            self.amount.units += 1;
        }
    }

    fn remove(&mut self, v: VReg) {
        let state = &mut self.live[v.as_u32() as usize];
        if *state == self.block {
            *state = NONE;
            self.amount.bytes -= u32::from(self.func.regs[v].bytes);
            self.amount.units -= 1;
        }
    }

    fn registers(&self) -> Vec<VReg> {
        let regs = self.func.regs.keys();
        regs.filter(|v| self.live[v.as_u32() as usize] == self.block)
            .collect()
    }
}
