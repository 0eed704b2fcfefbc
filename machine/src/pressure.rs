//! Register pressure: the general registers that are live at once.
//!
//! Takes a function and its graph or liveness. `walk` visits the points of each block from its end; [`pressure`] is the
//! maximum over all points, [`profile`] the amount at each, [`live_at`] the registers live at one. A point is before an
//! instruction or at the end of a block. Results of the instruction before it count even if nothing reads them, since
//! they take registers all the same.

use std::ops::AddAssign;

use crate::func::{Block, Class, Function};
use crate::graph::Graph;
use crate::inst::VReg;
use crate::liveness::{Ends, Liveness, term_uses, uses_of};

/// No block: the register is not live.
const NONE: u32 = u32::MAX;

/// The maximum of an amount, with its first point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peak {
    pub amount: u32,
    pub block: Block,
    /// Index of the instruction after the point, or of the terminator.
    pub inst: usize,
}

/// Maximum pressure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pressure {
    /// Bytes in use.
    pub bytes: Peak,
    /// Allocation units: one for each virtual register, whatever its size.
    pub units: Peak,
}

/// The pressure at one point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Amount {
    pub bytes: u32,
    pub units: u32,
}

impl Amount {
    /// The amount of a register; none if it is not a general one.
    fn of(func: &Function, v: VReg) -> Option<Amount> {
        let data = &func.regs[v];
        (data.class == Class::Grf).then_some(Amount {
            bytes: data.bytes.into(),
            units: 1,
        })
    }
}

impl AddAssign for Amount {
    fn add_assign(&mut self, other: Amount) {
        self.bytes += other.bytes;
        self.units += other.units;
    }
}

/// The maximum pressure and its points.
pub fn pressure(func: &Function, graph: &Graph) -> Pressure {
    let start = Peak {
        amount: 0,
        block: func.entry(),
        inst: 0,
    };
    let mut most = Pressure {
        bytes: start,
        units: start,
    };
    walk(func, ends(func, graph, u32::MAX), |now, block, inst| {
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

/// The pressure at each point of each block.
pub struct Profile {
    /// By block: the index of its first point; then the end of the last block's.
    starts: Vec<usize>,
    amounts: Vec<Amount>,
}

impl Profile {
    /// The pressure before each instruction of a block and at its end.
    pub fn of(&self, block: Block) -> &[Amount] {
        let b = block.as_u32() as usize;
        &self.amounts[self.starts[b]..self.starts[b + 1]]
    }
}

/// The pressure at each point of each block, as far as it is below a number of units: where more live, some may be missing.
pub fn profile(func: &Function, graph: &Graph, most: u32) -> Profile {
    let mut starts = Vec::with_capacity(func.blocks.len() + 1);
    starts.push(0);
    let mut end = 0;
    for block in func.blocks.values() {
        end += block.insts.len() + 1;
        starts.push(end);
    }
    let mut amounts = vec![Amount::default(); end];
    walk(func, ends(func, graph, most), |now, block, inst| {
        let most = &mut amounts[starts[block.as_u32() as usize] + inst];
        most.bytes = most.bytes.max(now.amount.bytes);
        most.units = most.units.max(now.amount.units);
    });
    Profile { starts, amounts }
}

/// The registers that are live at a point, ascending.
pub fn live_at(func: &Function, live: &Liveness, block: Block, inst: usize) -> Vec<VReg> {
    let mut found = Vec::new();
    let ends = |now: &mut Now, block| live.live_out(block).iter().for_each(|&v| now.add(v));
    walk(func, ends, |now, at, number| {
        if (at, number) == (block, inst) {
            // The last visit of a point has all registers.
            found = now.registers();
        }
    });
    found
}

/// Enters what is live-out: amounts of all registers, but of these only those that the block mentions.
fn ends(func: &Function, graph: &Graph, most: u32) -> impl Fn(&mut Now, Block) {
    let is_full = |amount: &Amount| amount.units >= most;
    let ends = Ends::new(func, graph, |v| Amount::of(func, v), is_full);
    move |now, block| {
        let mentioned = ends.mentioned(block).iter();
        mentioned.for_each(|v| now.live[v.as_u32() as usize] = now.block);
        now.amount = ends.sum(block);
    }
}

/// Calls `see` for each point, for some more than once, with growing sets. At the end of a block `enter` adds what is
/// live-out.
fn walk(func: &Function, enter: impl Fn(&mut Now, Block), mut see: impl FnMut(&Now, Block, usize)) {
    let mut now = Now {
        func,
        live: vec![NONE; func.regs.len()],
        block: NONE,
        amount: Amount::default(),
    };
    for (block, data) in func.blocks.iter() {
        now.block = block.as_u32();
        now.amount = Amount::default();
        enter(&mut now, block);
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

/// The registers live at the current point.
struct Now<'a> {
    func: &'a Function,
    /// By register: the block in which it was last found live, so that nothing has to be cleared.
    live: Vec<u32>,
    block: u32,
    amount: Amount,
}

impl Now<'_> {
    fn add(&mut self, v: VReg) {
        let state = &mut self.live[v.as_u32() as usize];
        if *state != self.block
            && let Some(amount) = Amount::of(self.func, v)
        {
            *state = self.block;
            self.amount += amount;
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
