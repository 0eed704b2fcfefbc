//! Orders the instructions of each block so that less is waited for.
//!
//! Takes legal machine IR in SSA form and leaves the same instructions in an order that keeps every dependency
//! (`depend`). A block is walked once with a clock, by the numbers of the cost model
//! ([`kiln_emit::cost::time`]): of the instructions whose operands have been computed, the one goes next that
//! need not wait, and of several the one with the longest way of dependencies to the end of the block.
//! Only the next `WINDOW` instructions are looked at, so that the time is near linear.
//!
//! What is computed before its turn lives longer. `lives` knows how many registers each place of the
//! old order holds; an instruction goes ahead of others only if all places that it passes stay below
//! what there is. Where that is not so the old order is kept, which other passes have made, so that this one
//! brings no spills. Where more live than there are, what ends more lives than it begins goes first.
//!
//! It runs before registers are assigned: afterwards their reuse would keep most instructions in their places.

mod depend;
pub(crate) mod lives;

use kiln_emit::cost::time::Time;
use kiln_machine::func::{Block, Function};

use depend::Depend;
use lives::{Known, Lives};

/// Instructions in the old order that are looked at for the next one.
const WINDOW: usize = 64;
/// Instructions that are tried before the old order's next is taken.
const TRIED: usize = 4;

/// Where more registers live than there are: cycles that what ends lives may have to wait for to go ahead.
const LONG: i64 = 20;

/// Blocks with fewer instructions stay as they are.
const FEW: usize = 3;

/// Orders the instructions of a function that may have so many units of general registers. Gives how many
/// lived at once before that, at most.
pub fn run(func: &mut Function, units: u32) -> u32 {
    let blocks: Vec<Block> = (func.blocks.iter())
        .filter(|(_, data)| data.insts.len() >= FEW)
        .map(|(block, _)| block)
        .collect();
    let (known, roots) = (Known::new(func, units), depend::roots(func));
    let orders = orders(func, &blocks, &known, &roots);
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
    /// The numbers that instructions have in their blocks, one block behind the other.
    list: Vec<u32>,
    /// Units of general registers that lived at once in the old order, at most.
    most: i16,
}

/// The new orders of some blocks.
fn orders(func: &Function, blocks: &[Block], known: &Known, roots: &[u32]) -> Orders {
    let mut lives = Lives::new(known);
    let mut depend = Depend::new(roots);
    let mut walk = Walk::default();
    let mut orders = Orders::default();
    for &block in blocks {
        let count = func.blocks[block].insts.len();
        lives.enter(func, block);
        orders.most = lives.most().map_or(0, |(_, most)| most).max(orders.most);
        let mut first = 0;
        while first < count {
            let end = depend.region(func, block, first);
            walk.region(first, end, &depend, &mut lives, &mut orders.list);
            first = end;
            if first < count {
                // What everything waits for.
                lives.take(first, first);
                orders.list.push(first as u32);
                first += 1;
            }
        }
    }
    orders
}

/// An instruction whose operands have all been computed.
#[derive(Clone, Copy)]
struct Ready {
    inst: u32,
    /// When they are there.
    at: i64,
    height: i64,
    time: Time,
    refused: bool,
}

/// The walk over a region. Numbers of instructions are those within the region.
#[derive(Default)]
struct Walk {
    now: i64,
    units: [i64; Time::UNITS],
    ready: Vec<Ready>,
    /// By instruction: when its operands are there, as far as that is known, and how many are not known.
    at: Vec<i64>,
    missing: Vec<u32>,
    done: Vec<bool>,
}

impl Walk {
    fn region(
        &mut self,
        first: usize,
        end: usize,
        depend: &Depend,
        lives: &mut Lives,
        order: &mut Vec<u32>,
    ) {
        let count = end - first;
        self.now = 0;
        self.units = [0; Time::UNITS];
        self.ready.clear();
        self.at.clear();
        self.at.resize(count, 0);
        self.done.clear();
        self.done.resize(count, false);
        self.missing.clear();
        self.missing.extend_from_slice(depend.missing());
        let mut seen = 0;
        let mut head = 0;
        while head < count {
            while seen < count.min(head + WINDOW) {
                if self.missing[seen] == 0 {
                    self.push(seen, depend);
                }
                seen += 1;
            }
            let next = self.choose(first, head, lives);
            let Ready { inst, at, time, .. } = self.ready.swap_remove(next);
            let inst = inst as usize;
            lives.take(first + head, first + inst);
            order.push((first + inst) as u32);
            self.done[inst] = true;
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
            while head < count && self.done[head] {
                head += 1;
            }
        }
    }

    fn push(&mut self, inst: usize, depend: &Depend) {
        self.ready.push(Ready {
            inst: inst as u32,
            at: self.at[inst],
            height: depend.height(inst),
            time: *depend.time(inst),
            refused: false,
        });
    }

    /// Cycles until an instruction can be issued and its unit takes it.
    fn wait(&self, ready: &Ready) -> i64 {
        let unit = ready.time.unit().map_or(0, |unit| self.units[unit]);
        (ready.at - self.now)
            .max(unit - self.now - ready.time.issue)
            .max(0)
    }

    /// The place among the ready ones of the instruction that goes next.
    fn choose(&mut self, first: usize, head: usize, lives: &Lives) -> usize {
        let is_head = |ready: &Ready| ready.inst as usize == head;
        if lives.is_over(first + head) {
            let candidates = self.ready.iter().enumerate().filter_map(|(place, ready)| {
                let more = lives.more(first + ready.inst as usize);
                let is_late = more <= 0 && self.wait(ready) > LONG;
                (more < 0 || is_head(ready)).then_some(((is_late, more, ready.inst), place))
            });
            return candidates.min().map_or(0, |(_, place)| place);
        }
        let mut chosen = None;
        for _ in 0..TRIED {
            let candidates = (self.ready.iter().enumerate()).filter(|(_, ready)| !ready.refused);
            let key = |ready: &Ready| (self.wait(ready), -ready.height, ready.inst);
            let best = candidates.min_by_key(|(_, ready)| key(ready));
            let Some((place, ready)) = best else {
                break;
            };
            if lives.may_take(first + head, first + ready.inst as usize) {
                chosen = Some(place);
                break;
            }
            self.ready[place].refused = true;
        }
        (self.ready.iter_mut()).for_each(|ready| ready.refused = false);
        // The first that is left depends on none that is.
        let head = || self.ready.iter().position(is_head);
        chosen.or_else(head).unwrap_or(0)
    }
}
