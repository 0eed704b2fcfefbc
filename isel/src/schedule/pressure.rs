//! Register pressure at each place of a block, in the original order and as the schedule changes it.
//!
//! The amounts that are live at the ends of blocks are exact ([`Ends`]) up to [`MAX_COUNTED_UNITS`].
//!
//! A value that [`pairs`](crate::pairs) may put in one unit with another counts as half a unit, or as a unit if that is
//! asked for. [`Pressure::needed`] has the units that an order of a block needs once its values are in pairs.

use std::cmp::Reverse;
use std::ops::AddAssign;

use kiln_machine::func::{Block, Class, Entered, Function};
use kiln_machine::graph::Graph;
use kiln_machine::inst::VReg;
use kiln_machine::liveness::{Ends, term_uses};
use kiln_platform::errata::Erratum;
use smallvec::SmallVec;

use crate::pairs::Pairs;

/// Amounts of registers: halves of units of general registers, words of flags and of addresses, and units if each value
/// has its own.
pub type Amounts = [i32; 4];

const GRF: usize = 0;
const FLAG: usize = 1;
const ADDRESS: usize = 2;
const UNITS: usize = 3;

/// Words of flags that are kept free, those on platforms where instructions without a mask get guards, and maximum words of
/// addresses, of sixteen, that may be live at once.
const FREE_FLAG_WORDS: i32 = 1;
const FREE_FLAG_WORDS_OF_GUARDS: i32 = 2;
const MAX_ADDRESS_WORDS: i32 = 8;

/// Percentage of the general registers that may be live where an instruction was moved up, if no more were in the block
/// before: payloads of messages need consecutive registers.
const MOVED_UP_PERCENT: u32 = 92;

/// Maximum number of live units that are counted at the end of a block: all orders spill with more, which are four times the
/// largest file.
const MAX_COUNTED_UNITS: i32 = 512;

/// Facts of a function before scheduling.
pub struct Known {
    /// Units of general registers that exist.
    units: i32,
    /// Maximum amounts that may be live where an instruction was moved up.
    limit: Amounts,
    /// True for a subroutine: its callers have fewer registers if it needs more.
    is_called: bool,
    /// For each register: its class, and its size.
    size: Vec<(u8, i32)>,
    ends: Ends<Live>,
}

/// Amounts that are live at once.
#[derive(Clone, Copy, Default)]
struct Live(Amounts);

impl AddAssign for Live {
    fn add_assign(&mut self, other: Live) {
        add(&mut self.0, &other.0, 1);
    }
}

pub struct Pressure<'a> {
    known: &'a Known,
    block: Block,
    /// Halves of units that exist and are not used.
    less: i32,
    /// Maximum amounts that may be live in the block where an instruction was moved up.
    bound: Amounts,
    /// For each register: the block at whose end it was found live last, plus one.
    lives_after: Vec<u32>,
    /// The amounts that are live at the end of the block.
    at_end: Amounts,
    /// For each instruction of the block, and for its end: the amounts that are live before it.
    before: Vec<Amounts>,
    /// The most units that live at once in the new order so far, if each value has its own.
    most_units: i32,
    /// For each register: the number of reads that follow, in the block or after it.
    reads: Vec<u32>,
    /// For each register: the number of the walk that saw it last.
    seen: Vec<u32>,
    walks: u32,
    /// For each instruction of the block: the amounts that it defines, the start of its reads in `read`, and the
    /// start of its definitions in `defs`.
    defined: Vec<Amounts>,
    /// Amounts of general registers that it defines and nothing reads.
    unread: Vec<Amounts>,
    starts: Vec<(u32, u32)>,
    read: Vec<u32>,
    defs: Vec<u32>,
}

impl Known {
    /// Takes the registers that may share a unit.
    pub fn new(func: &Function, units: u32, is_half: impl Fn(VReg) -> bool) -> Known {
        let size = |(v, data): (VReg, &kiln_machine::func::RegData)| match data.class {
            Class::Grf => (GRF as u8, 2 - i32::from(is_half(v))),
            Class::Flag => (FLAG as u8, data.bytes.div_ceil(2) as i32),
            Class::Addr => (ADDRESS as u8, data.bytes.div_ceil(2) as i32),
        };
        let size: Vec<(u8, i32)> = func.regs.iter().map(size).collect();
        // Flags and addresses that the block does not mention can wait in a general register.
        let live = |v: VReg| {
            let mut live = Live::default();
            let size = size[v.as_u32() as usize];
            if usize::from(size.0) == GRF {
                count(&mut live.0, size, 1);
            }
            Some(live)
        };
        let free_flag_words = match func.target.needs(Erratum::NoMaskPredicated) {
            true => FREE_FLAG_WORDS_OF_GUARDS,
            false => FREE_FLAG_WORDS,
        };
        let is_full = |live: &Live| live.0[UNITS] >= MAX_COUNTED_UNITS;
        Known {
            units: units as i32,
            limit: [
                (2 * units * MOVED_UP_PERCENT / 100) as i32,
                2 * func.target.flag_count as i32 - free_flag_words,
                MAX_ADDRESS_WORDS,
                i32::MAX,
            ],
            is_called: func.entered != Entered::Dispatched,
            ends: Ends::new(func, &Graph::new(func), live, is_full),
            size,
        }
    }
}

impl Pressure<'_> {
    pub fn new(known: &Known) -> Pressure<'_> {
        let count = known.size.len();
        Pressure {
            known,
            block: Block::from_u32(0),
            less: 0,
            bound: [0; 4],
            lives_after: vec![0; count],
            at_end: [0; 4],
            before: Vec::new(),
            most_units: 0,
            reads: vec![0; count],
            seen: vec![0; count],
            walks: 0,
            defined: Vec::new(),
            unread: Vec::new(),
            starts: Vec::new(),
            read: Vec::new(),
            defs: Vec::new(),
        }
    }

    /// Starts a block.
    pub fn enter(&mut self, func: &Function, block: Block) {
        let insts = &func.blocks[block].insts;
        self.block = block;
        self.end(func);
        self.starts.clear();
        self.read.clear();
        self.defs.clear();
        for inst in insts {
            self.starts
                .push((self.read.len() as u32, self.defs.len() as u32));
            let mut read: SmallVec<[u32; 8]> = SmallVec::new();
            func.visit(inst, |v, role| match role.is_def() {
                true => {
                    self.defs.push(v.as_u32());
                    read.extend(role.old().map(|v| v.as_u32()));
                }
                false => read.push(v.as_u32()),
            });
            read.sort_unstable();
            read.dedup();
            self.read.extend_from_slice(&read);
        }
        self.starts
            .push((self.read.len() as u32, self.defs.len() as u32));
        self.count_reads();
        self.defined.clear();
        self.unread.clear();
        for at in self.starts.windows(2) {
            let (mut defined, mut unread) = ([0; 4], [0; 4]);
            for &v in &self.defs[at[0].1 as usize..at[1].1 as usize] {
                let size = self.known.size[v as usize];
                if self.reads[v as usize] > 0 {
                    count(&mut defined, size, 1);
                } else if usize::from(size.0) == GRF {
                    count(&mut unread, size, 1);
                }
            }
            self.defined.push(defined);
            self.unread.push(unread);
        }
        self.start(0);
    }

    /// Finds the registers that are live at the end of the block: arguments of its edges beside those that are live-out.
    fn end(&mut self, func: &Function) {
        let stamp = self.block.as_u32() + 1;
        self.at_end = self.known.ends.sum(self.block).0;
        for v in self.known.ends.mentioned(self.block) {
            let v = v.as_u32() as usize;
            self.lives_after[v] = stamp;
            let size = self.known.size[v];
            if usize::from(size.0) != GRF {
                count(&mut self.at_end, size, 1);
            }
        }
        term_uses(func, self.block, |v| {
            let v = v.as_u32() as usize;
            if std::mem::replace(&mut self.lives_after[v], stamp) != stamp {
                count(&mut self.at_end, self.known.size[v], 1);
            }
        });
    }

    /// True if a register that the block mentions is live at its end.
    fn lives_after(&self, v: usize) -> bool {
        self.lives_after[v] > self.block.as_u32()
    }

    /// Starts the block again, with so many units less than before.
    pub fn start_with_less(&mut self, units: i32) {
        self.count_reads();
        self.start(self.less + 2 * units);
    }

    /// Starts the block with so many halves of units less than exist.
    fn start(&mut self, less: i32) {
        self.less = less;
        self.most_units = 0;
        self.before = self.amounts((0..self.defined.len() as u32).rev());
        // The allocator has to find registers for what the old order has at once, anyway.
        let before = &self.before[..self.before.len() - 1];
        let most = before.iter().map(|amounts| amounts[GRF]).max();
        let own = most.unwrap_or(0).min(self.exist());
        self.bound = self.known.limit;
        self.bound[GRF] = match self.known.is_called {
            true => own,
            false => own.max(self.bound[GRF] - less),
        };
    }

    /// Counts the reads that follow the start of the block.
    fn count_reads(&mut self) {
        for &v in self.read.iter().chain(&self.defs) {
            self.reads[v as usize] = u32::from(self.lives_after(v as usize));
        }
        for &v in &self.read {
            self.reads[v as usize] += 1;
        }
    }

    /// The amounts that are live before each instruction of an order, given from its end, and at the end.
    fn amounts(&mut self, order: impl Iterator<Item = u32>) -> Vec<Amounts> {
        let count_of = self.defined.len();
        self.walks += 1;
        let mut all = vec![[0; 4]; count_of + 1];
        let mut now = self.at_end;
        all[count_of] = now;
        for (place, inst) in (0..count_of).rev().zip(order) {
            let inst = inst as usize;
            add(&mut all[place + 1], &self.unread[inst], 1);
            add(&mut now, &self.defined[inst], -1);
            for at in self.starts[inst].0..self.starts[inst + 1].0 {
                let v = self.read[at as usize] as usize;
                let known = std::mem::replace(&mut self.seen[v], self.walks);
                if known != self.walks && !self.lives_after(v) {
                    count(&mut now, self.known.size[v], 1);
                }
            }
            all[place] = now;
        }
        all
    }

    /// The most units that are needed at once in an order.
    pub fn needs(&mut self, func: &Function, order: &[u32], pairs: &mut Pairs) -> i32 {
        let needed = self.needed(func, order, pairs);
        needed.into_iter().max().unwrap_or(0)
    }

    /// Number of units that are needed before each instruction of an order, and at its end, once its values are in pairs.
    pub fn needed(&mut self, func: &Function, order: &[u32], pairs: &mut Pairs) -> Vec<i32> {
        let amounts = self.amounts(order.iter().rev().copied());
        let mut shared = vec![0; amounts.len() + 1];
        let insts = order
            .iter()
            .map(|&inst| (inst, self.reads_of(inst as usize)));
        pairs.shared(func, self.block, insts, |values| {
            let (mut from, mut to) = (u32::MAX, 0);
            for (def, last) in values {
                shared[def as usize + 1] -= 1;
                shared[last as usize + 1] += 1;
                (from, to) = (from.min(def), to.max(last));
            }
            shared[from as usize + 1] += 1;
            shared[to as usize + 1] -= 1;
        });
        let mut less = 0;
        let needed = amounts.iter().zip(shared).map(|(amounts, change)| {
            less += change;
            amounts[UNITS] + less
        });
        needed.collect()
    }

    /// The registers that an instruction reads.
    fn reads_of(&self, inst: usize) -> &[u32] {
        &self.read[self.starts[inst].0 as usize..self.starts[inst + 1].0 as usize]
    }

    /// The change of the live amounts by an instruction, if it is scheduled next.
    fn change(&self, inst: usize) -> Amounts {
        let mut change = self.defined[inst];
        for &v in self.reads_of(inst) {
            if self.reads[v as usize] == 1 {
                count(&mut change, self.known.size[v as usize], -1);
            }
        }
        change
    }

    /// The first place of maximum pressure of general registers in the block, and the pressure in units if each value
    /// has its own.
    pub fn most(&self) -> Option<(usize, i32)> {
        let amounts = self.before.iter().map(|amounts| amounts[UNITS]);
        (amounts.enumerate()).max_by_key(|&(inst, amount)| (amount, Reverse(inst)))
    }

    /// Number of units that exist.
    pub fn units(&self) -> i32 {
        self.known.units
    }

    /// Number of units that an order may need if the old one does not: in a subroutine no further ones, which its callers
    /// would have to do without.
    pub fn units_to_take(&self) -> i32 {
        match self.known.is_called {
            true => 0,
            false => self.known.units,
        }
    }

    /// The most units that live at once in the new order so far, if each value has its own.
    pub fn most_units(&self) -> i32 {
        self.most_units
    }

    /// True if there are units enough for the new order, which the walk has just made, with its values in pairs.
    pub fn has_room(&mut self, func: &Function, order: &[u32], pairs: &mut Pairs) -> bool {
        let units = self.units_to_take();
        self.most_units <= units || self.needs(func, order, pairs) <= units
    }

    /// The amount of general registers that exist.
    fn exist(&self) -> i32 {
        2 * self.known.units - self.less
    }

    /// True if more general registers are live before an instruction than exist.
    pub fn is_over(&self, inst: usize) -> bool {
        self.before[inst][GRF] > self.exist()
    }

    /// The change of the number of live general registers by an instruction.
    pub fn more(&self, inst: usize) -> i32 {
        let mut more = self.defined[inst][GRF] + self.unread[inst][GRF];
        for &v in self.reads_of(inst) {
            if self.reads[v as usize] == 1 {
                let (class, amount) = self.known.size[v as usize];
                more -= if usize::from(class) == GRF { amount } else { 0 };
            }
        }
        more
    }

    /// True if there are registers enough to move an instruction up to before `head`.
    pub fn may_take(&self, head: usize, inst: usize) -> bool {
        if head == inst {
            return true;
        }
        let change = self.change(inst);
        let passed = &self.before[head..=inst];
        let unread = self.unread[inst][GRF];
        if unread > 0 && self.before[head][GRF] + change[GRF] + unread > self.bound[GRF] {
            return false;
        }
        [GRF, FLAG, ADDRESS].into_iter().all(|class| {
            change[class] <= 0
                || passed
                    .iter()
                    .all(|now| now[class] + change[class] <= self.bound[class])
        })
    }

    /// Moves an instruction up to before `head`.
    pub fn take(&mut self, head: usize, inst: usize) {
        let change = self.change(inst);
        let after = self.before[head][UNITS] + change[UNITS] + self.unread[inst][UNITS];
        self.most_units = self.most_units.max(after).max(self.before[head][UNITS]);
        if head != inst {
            for now in &mut self.before[head..=inst] {
                add(now, &change, 1);
            }
        }
        for at in self.starts[inst].0..self.starts[inst + 1].0 {
            self.reads[self.read[at as usize] as usize] -= 1;
        }
    }
}

/// Adds a value of a class and an amount, so many times.
fn count(to: &mut Amounts, (class, amount): (u8, i32), times: i32) {
    to[usize::from(class)] += amount * times;
    if usize::from(class) == GRF {
        to[UNITS] += times;
    }
}

fn add(to: &mut Amounts, amounts: &Amounts, times: i32) {
    for (to, amount) in to.iter_mut().zip(amounts) {
        *to += amount * times;
    }
}
