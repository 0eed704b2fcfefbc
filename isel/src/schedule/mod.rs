//! List scheduling within blocks, before register allocation.
//!
//! Takes legal machine IR in SSA form and leaves the same instructions in an order that keeps every dependency
//! (`depend`). A clock runs through each block by the latencies of the cost model ([`kiln_emit::cost::time`]).
//! Among instructions whose operands are available, the next is one that need not wait; among several, the one with
//! the longest path of dependencies to the end of the block. Only the next `WINDOW_INSTS` instructions are
//! candidates, so that the time is near linear. A longer block is scheduled with `WIDE_WINDOW_INSTS`, too, which finds more
//! to do while messages are on their way and needs more registers: the order with fewer cycles is taken, if there are
//! registers for it.
//!
//! An early definition lengthens a live range. `pressure` keeps the number of live registers at each place of the
//! original order: an instruction is moved up only if no place that it passes exceeds the limit, or what the block had at
//! once before. Where more registers are live than exist, an instruction that ends more live ranges than it starts goes
//! first, and then one that ends as many and waits least. A block that could need more units than there are is put in
//! pairs as [`pairs`](crate::pairs) will do it; if it does need more than there are and than it did, it is scheduled with a
//! unit for each value, and if that does not help, its order is kept. So scheduling causes no spills.
//!
//! After allocation, reuse of registers would prevent most moves.

mod depend;
mod pressure;

use kiln_emit::cost::time::Time;
use kiln_machine::func::{Block, Function};

use crate::pairs::Pairs;
use depend::Depend;
use pressure::{Known, Pressure};

/// Number of instructions, in the original order, that are candidates for the next one.
const WINDOW_INSTS: usize = 64;
const WIDE_WINDOW_INSTS: usize = 128;
/// Maximum number of candidates that are tried before the next one of the original order is taken.
const MAX_TRIED: usize = 4;

/// Maximum wait, in cycles, for an instruction that ends live ranges where more registers are live than exist.
const MAX_WAIT_CYCLES: i64 = 20;

/// Maximum number of times that a block is scheduled again with fewer units, and that stretches of it are put back: each
/// time other values are in pairs.
const MAX_TRIALS: usize = 2;

/// Minimum number of instructions in a block that is scheduled.
const MIN_BLOCK_INSTS: usize = 3;

/// Schedules a function that has `units` units of general registers. Gives the maximum pressure before that.
pub fn run(func: &mut Function, units: u32) -> u32 {
    let blocks: Vec<Block> = (func.blocks.iter())
        .filter(|(_, data)| data.insts.len() >= MIN_BLOCK_INSTS)
        .map(|(block, _)| block)
        .collect();
    let mut pairs = Pairs::new(func);
    let known = Known::new(func, units, |v| pairs.may_share(v));
    let roots = depend::roots(func);
    let orders = orders(func, &blocks, &known, &roots, &mut pairs);
    let mut order = orders.list.into_iter();
    let mut old = Vec::new();
    for block in blocks {
        let insts = &mut func.blocks[block].insts;
        old.clone_from(insts);
        for (inst, from) in insts.iter_mut().zip(&mut order) {
            *inst = old[from as usize];
        }
    }
    orders.most as u32
}

/// The new orders of blocks.
#[derive(Default)]
struct Orders {
    /// Indices of instructions in their blocks, block after block.
    list: Vec<u32>,
    /// Maximum number of live units of general registers in the original order.
    most: i32,
}

/// The new orders of some blocks.
fn orders(
    func: &Function,
    blocks: &[Block],
    known: &Known,
    roots: &[u32],
    pairs: &mut Pairs,
) -> Orders {
    let mut pressure = Pressure::new(known);
    let mut depend = Depend::new(roots);
    let mut walk = Walk::default();
    let mut orders = Orders::default();
    for &block in blocks {
        pressure.enter(func, block);
        depend.enter(func, block);
        orders.most = pressure.most().map_or(0, |(_, most)| most).max(orders.most);
        let mut order = Vec::new();
        walk.window = WINDOW_INSTS;
        let cycles = walk.block(&depend, &mut pressure, &mut order);
        let is_within = pressure.most_units() <= pressure.units_to_take();
        // A subroutine takes no further units, so that no wide order has room.
        if order.len() > WINDOW_INSTS && pressure.units_to_take() > 0 {
            let mut wide = Vec::with_capacity(order.len());
            walk.window = WIDE_WINDOW_INSTS;
            pressure.start_with_less(0);
            if walk.block(&depend, &mut pressure, &mut wide) < cycles
                && pressure.has_room(func, &wide, pairs)
            {
                orders.list.extend(wide);
                continue;
            }
            walk.window = WINDOW_INSTS;
        }
        if is_within {
            orders.list.extend(order);
            continue;
        }
        for _ in 0..MAX_TRIALS {
            let over = pressure.needs(func, &order, pairs) - pressure.units();
            if over <= 0 {
                break;
            }
            let mut other = Vec::with_capacity(order.len());
            pressure.start_with_less(over);
            walk.block(&depend, &mut pressure, &mut other);
            if pressure.needs(func, &other, pairs) < pressure.units() + over {
                order = other;
            }
        }
        keep_within(func, &mut pressure, pairs, &mut order);
        orders.list.extend(order);
    }
    orders
}

/// Puts stretches of a new order back into the old one, so that it needs no more units than there are, or than the old
/// order does.
fn keep_within(func: &Function, pressure: &mut Pressure, pairs: &mut Pairs, order: &mut [u32]) {
    let old: Vec<u32> = (0..order.len() as u32).collect();
    let limit = pressure
        .needs(func, &old, pairs)
        .max(pressure.units_to_take());
    for _ in 0..MAX_TRIALS {
        let needed = pressure.needed(func, order, pairs);
        let mut from = 0;
        let mut last = 0;
        let mut is_within = true;
        for at in 0..order.len() {
            last = last.max(order[at] as usize);
            // Both orders have the same instructions up to here.
            if last == at {
                let to = at + 1;
                if needed[from + 1..=to].iter().any(|&needed| needed > limit) {
                    order[from..to].copy_from_slice(&old[from..to]);
                    is_within = false;
                }
                from = to;
            }
        }
        if is_within {
            return;
        }
    }
    order.copy_from_slice(&old);
}

/// An instruction whose operands have all been issued.
#[derive(Clone, Copy)]
struct Ready {
    inst: u32,
    /// Order among those that wait equally long: the longest path of dependencies first, then the order of the code.
    rank: i64,
    /// The cycle in which they are available.
    at: i64,
    issue: i64,
    unit: Option<u8>,
    refused: bool,
}

/// The walk through the regions of a block.
#[derive(Default)]
struct Walk {
    /// Number of instructions that are candidates.
    window: usize,
    now: i64,
    units: [i64; Time::UNITS],
    ready: Vec<Ready>,
    /// For each instruction: the cycle in which its operands are available, as far as known, and the number of
    /// unknown ones.
    at: Vec<i64>,
    missing: Vec<u32>,
    done: Vec<bool>,
}

impl Walk {
    /// Adds the order of a block. Gives the cycles that its instructions take.
    fn block(&mut self, depend: &Depend, pressure: &mut Pressure, order: &mut Vec<u32>) -> i64 {
        let count = depend.missing().len();
        self.at.clear();
        self.at.resize(count, 0);
        self.done.clear();
        self.done.resize(count, false);
        self.missing.clear();
        self.missing.extend_from_slice(depend.missing());
        let mut cycles = 0;
        let mut first = 0;
        for &end in depend.ends() {
            self.region(first, end, depend, pressure, order);
            cycles += self.now;
            first = end + 1;
            if end < count {
                // An instruction that ends a region, on which everything after it depends.
                pressure.take(end, end);
                order.push(end as u32);
            }
        }
        cycles
    }

    fn region(
        &mut self,
        first: usize,
        end: usize,
        depend: &Depend,
        pressure: &mut Pressure,
        order: &mut Vec<u32>,
    ) {
        self.now = 0;
        self.units = [0; Time::UNITS];
        self.ready.clear();
        let mut seen = first;
        let mut head = first;
        while head < end {
            while seen < end.min(head + self.window) {
                if self.missing[seen] == 0 {
                    self.push(seen, depend);
                }
                seen += 1;
            }
            let next = self.choose(head, pressure);
            let Ready { inst, at, .. } = self.ready.swap_remove(next);
            pressure.take(head, inst as usize);
            order.push(inst);
            let inst = inst as usize;
            self.done[inst] = true;
            let time = depend.time(inst);
            self.now = self.now.max(at) + time.issue;
            if let Some(unit) = time.unit() {
                self.now = self.now.max(self.units[unit]);
                self.units[unit] = self.now + time.busy;
            }
            for edge in depend.after(inst) {
                let to = edge.to as usize;
                self.at[to] = self.at[to].max(self.now + i64::from(edge.cycles));
                self.missing[to] -= 1;
                if self.missing[to] == 0 && to < seen {
                    self.push(to, depend);
                }
            }
            while head < end && self.done[head] {
                head += 1;
            }
        }
    }

    fn push(&mut self, inst: usize, depend: &Depend) {
        let time = depend.time(inst);
        self.ready.push(Ready {
            inst: inst as u32,
            rank: (-depend.height(inst) << 32) + inst as i64,
            at: self.at[inst],
            issue: time.issue,
            unit: time.unit().map(|unit| unit as u8),
            refused: false,
        });
    }

    /// Cycles until an instruction can be issued and its unit accepts it.
    fn wait(&self, ready: &Ready) -> i64 {
        let unit = ready.unit.map_or(0, |unit| self.units[usize::from(unit)]);
        (ready.at.max(unit - ready.issue) - self.now).max(0)
    }

    /// The index, among the ready instructions, of the next one.
    fn choose(&mut self, head: usize, pressure: &Pressure) -> usize {
        let is_head = |ready: &Ready| ready.inst as usize == head;
        if pressure.is_over(head) {
            // Instructions that free registers and wait little come before all others, whose key is a wait and so not negative.
            let (mut least, mut next) = ((i64::MAX, i64::MAX), 0);
            for (place, ready) in self.ready.iter().enumerate() {
                let more = i64::from(pressure.more(ready.inst as usize));
                if more > least.0.min(0) && (least.0 < 0 || !is_head(ready)) {
                    continue;
                }
                let wait = self.wait(ready);
                let frees = more < 0 && wait <= MAX_WAIT_CYCLES;
                let key = (if frees { more } else { wait }, ready.rank);
                if key < least {
                    (least, next) = (key, place);
                }
            }
            return next;
        }
        let mut chosen = None;
        for _ in 0..MAX_TRIED {
            let candidates = (self.ready.iter().enumerate()).filter(|(_, ready)| !ready.refused);
            let key = |ready: &Ready| (self.wait(ready), ready.rank);
            let best = candidates.min_by_key(|(_, ready)| key(ready));
            let Some((place, ready)) = best else {
                break;
            };
            if pressure.may_take(head, ready.inst as usize) {
                chosen = Some(place);
                break;
            }
            self.ready[place].refused = true;
        }
        (self.ready.iter_mut()).for_each(|ready| ready.refused = false);
        // The first instruction left depends on none that is left.
        let head = || self.ready.iter().position(is_head);
        chosen.or_else(head).unwrap_or(0)
    }
}
