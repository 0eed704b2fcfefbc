//! Spilling of whole webs, before an allocator sees the function.
//!
//! Takes a legal function in SSA form without virtual flags and addresses, and guarantees one in which about as many
//! general values are live at once as there are units. regalloc2 keeps a bit for each value in each block in which it is
//! live: for thousands of values over thousands of blocks that is the square of their number. Here a live range is an
//! interval over the code, extended over the loops in which it may be loop-carried, so that time is near the length of
//! the code. Exact liveness is found only to see whether spilling is needed, and not beyond a number for each block.
//! Code in which not many more values are live than there are units is left as it is: allocators split live ranges.
//! An allocator that plans its spills gets all code as it is, unless it refuses that: exact liveness is too long.
//!
//! A web is a variable: values joined by block parameters and tied operands. The webs are spilled that cost least, by
//! their accesses weighted by loops, for the positions over the limit that they are live in. They are stored after each
//! definition and loaded before a use, unless the block has the value in a register already and registers are free from
//! there on. Their block parameters disappear, so that a web must be one variable in truth: where one of its values is
//! read, no other was written since. A web of which that is not true (a copy lives on while its source changes) stays in
//! registers, as do values that calls pass.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use cranelift_entity::{EntityRef, SecondaryMap};
use kiln_machine::func::{Block, Class, Entered, Function};
use kiln_machine::graph::{Graph, depths};
use kiln_machine::inst::{Dst, Inst, Opcode, Reg, Role, Src, VReg};
use kiln_target::isa::Type;
use smallvec::SmallVec;

use crate::flags::ADDED;

const NONE: u32 = u32::MAX;
/// A number of values that stays negative when more are added.
const NEVER_OVER: i32 = i32::MIN / 2;
/// Values left at once, in percent of the units, if most of the code is over the limit.
/// If only some of it is, the constant after this one holds: the rest is little then, and regalloc2 spills less for it. (Hash kernels of two places over the limit: 625 stores
/// and 523 loads if as many are left as there are units, 166 and 183 at a tenth more.)
const LEFT_PERCENT_OF_MOST_CODE: u32 = 90;
const LEFT_PERCENT_OF_SOME_CODE: u32 = 110;
/// Maximum number of pairs of a block and a live-in value, for each position of the code, that are followed one by one.
const MAX_LIVE_PER_POSITION: usize = 64;
/// Weight of an access in a loop beside one outside.
const LOOP_WEIGHT: u64 = 8;
/// Maximum number of nested loops that weigh.
const MAX_WEIGHED_LOOPS: u32 = 6;
/// Minimum number of positions that a spilled web lives over for each access.
const MIN_POSITIONS_PER_ACCESS: u64 = 4;
/// Entries in the dominance frontiers of all blocks, for each block: more only where loops lie deep in each
/// other.
const MAX_FRONTIERS_PER_BLOCK: usize = 256;

/// Units and slots that there are.
#[derive(Clone, Copy)]
pub struct Room {
    /// Units of general registers.
    pub units: u32,
    /// Minimum number of live values for which this pass spills, in percent of the units.
    pub over: u32,
    /// True if the allocator plans its spills from exact liveness: it has found that too long.
    pub is_planned: bool,
    /// Slots of scratch memory.
    pub slots: u32,
}

impl Room {
    fn is_over(&self, count: i32) -> bool {
        count > (self.units * self.over / 100) as i32
    }
}

/// Where a value lives: from its definition to before its last use.
#[derive(Clone, Copy, Default)]
struct Life {
    from: u32,
    to: u32,
}

impl Life {
    fn contains(self, at: u32) -> bool {
        (self.from..self.to).contains(&at)
    }
}

/// A definition or a use of a web's value.
#[derive(Clone, Copy)]
struct Event {
    /// The number of the block in the dominator tree.
    block: u32,
    access: Access,
    v: VReg,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    /// A definition at the start of a block: a parameter, or an input.
    Param,
    Def,
    Use,
}

/// Positions at which more values live than there are units.
pub struct Over {
    lives: Lives,
    /// Values that live at each position.
    counts: Vec<i32>,
}

/// Finds the positions at which more values live than there are units; none if nothing has to be spilled.
pub fn over(func: &Function, graph: &Graph, room: &Room) -> Option<Over> {
    let lives = Lives::new(func, graph);
    let counts = lives.pressure();
    let is_over = counts.iter().any(|&count| room.is_over(count));
    is_over.then_some(Over { lives, counts })
}

/// Spills. Gives the number of slots used; `origins` keeps the number that each instruction of a block had.
pub fn run(
    func: &mut Function,
    graph: &Graph,
    room: Room,
    Over { lives, counts }: Over,
    origins: &mut SecondaryMap<Block, Vec<u32>>,
) -> u32 {
    let is_over = |count: &i32| room.is_over(*count);
    let exact = if room.is_planned {
        None
    } else {
        lives.exact(func, graph)
    };
    let counts = exact.unwrap_or(counts);
    let over = counts.iter().filter(|count| is_over(count)).count();
    if over == 0 {
        return 0;
    }
    let low = match over > counts.len() / 2 {
        true => room.units * LEFT_PERCENT_OF_MOST_CODE / 100,
        false => room.units * LEFT_PERCENT_OF_SOME_CODE / 100,
    };
    let mut pressure = Counts::new(&counts);
    // Where it is not far over the registers it is nothing.
    let far = |&count: &i32| if is_over(&count) { count } else { NEVER_OVER };
    let far: Vec<i32> = counts.iter().map(far).collect();
    let webs = Webs::new(func, graph, &lives, &far);
    let far = Counts::new(&far);
    let chosen = webs.choose(graph, &lives, &mut pressure, far, low);
    let (slots, count) = webs.slots(&lives, &chosen, room.slots);
    let mut rewriter = Rewriter {
        func,
        lives: &lives,
        pressure: &mut pressure,
        low,
        slots: &slots,
        held: vec![None; count as usize],
        since: 0,
        passed: Vec::new(),
        loaded: vec![false; slots.len()],
    };
    rewriter.edges();
    for (place, &block) in lives.order.iter().enumerate() {
        rewriter.block(place, block, &mut origins[block]);
    }
    rewriter.unread(origins);
    count
}

/// Positions of the code, and the intervals of its values.
struct Lives {
    /// The blocks that are reached, each after its predecessors but for those by backward edges.
    order: Vec<Block>,
    /// The position of the start of each of these, and after the last. Instructions follow, and the end.
    starts: Vec<u32>,
    /// By value.
    of: Vec<Life>,
}

impl Lives {
    fn new(func: &Function, graph: &Graph) -> Lives {
        let mut lives = Lives {
            order: order(func),
            starts: Vec::new(),
            of: vec![Life { from: NONE, to: 0 }; func.regs.len()],
        };
        // The values that each block defines.
        let mut defined: Vec<VReg> = Vec::with_capacity(func.regs.len());
        let mut ends = Vec::with_capacity(lives.order.len());
        let mut at = 0;
        for &block in &lives.order {
            lives.starts.push(at);
            let of = &mut lives.of;
            walk(func, block, |access| match access {
                None => at += 1,
                Some((v, is_def)) => {
                    let life = &mut of[v.index()];
                    life.from = life.from.min(at);
                    life.to = life.to.max(at + u32::from(is_def));
                    if is_def {
                        defined.push(v);
                    }
                }
            });
            at += 1;
            ends.push(defined.len());
        }
        lives.starts.push(at);
        for life in &mut lives.of {
            life.from = life.from.min(life.to);
        }
        lives.draw_out(func, graph, &defined, &ends);
        lives
    }

    /// The place in the order of the block at a position.
    fn place(&self, at: u32) -> usize {
        self.starts.partition_point(|&start| start <= at) - 1
    }

    /// Extends live ranges over the loops that they may be loop-carried in.
    ///
    /// Where a value lives outside its interval, a way from there to a use, or from the definition to
    /// there, comes over a backward edge from one side of an end of the interval to the other, and the
    /// definition dominates the block that the edge leads to. That has a greater number in the
    /// dominator tree. So with the blocks of definitions taken from the greatest number to the least,
    /// and the ranges of those edges added whose blocks have greater ones, ranges that overlap being
    /// one, an interval needs nothing but the ranges that its ends are in.
    fn draw_out(&mut self, func: &Function, graph: &Graph, defined: &[VReg], ends: &[usize]) {
        let mut places: SecondaryMap<Block, u32> = SecondaryMap::new();
        for (place, &block) in self.order.iter().enumerate() {
            places[block] = place as u32;
        }
        let number = |block: Block| graph.dominated(block).start;
        let mut back: Vec<(u32, u32, u32)> = Vec::new();
        for (place, &block) in self.order.iter().enumerate() {
            for edge in &func.blocks[block].succs {
                if places[edge.to] as usize <= place {
                    back.push((number(edge.to), places[edge.to], place as u32));
                }
            }
        }
        if back.is_empty() {
            return;
        }
        back.sort_unstable();
        let mut blocks: Vec<u32> = (0..self.order.len() as u32).collect();
        blocks.sort_unstable_by_key(|&place| Reverse(number(self.order[place as usize])));
        // The last place of the ranges around each, and of that the first; itself, if it is in none.
        let mut last: Vec<u32> = (0..blocks.len() as u32).collect();
        let mut first = last.clone();
        let mut inside = vec![false; blocks.len()];
        for place in blocks {
            let block = self.order[place as usize];
            while let Some((_, from, to)) = back.pop_if(|(head, ..)| *head > number(block)) {
                inside[from as usize] = true;
                let mut at = end_of(&mut last, from);
                while at < to {
                    last[at as usize] = at + 1;
                    inside[at as usize + 1] = true;
                    let next = end_of(&mut last, at + 1);
                    first[next as usize] = first[next as usize].min(first[at as usize]);
                    at = next;
                }
            }
            let place = place as usize;
            let begin = place.checked_sub(1).map_or(0, |before| ends[before]);
            for v in &defined[begin..ends[place]] {
                let life = self.of[v.index()];
                let (low, high) = (self.place(life.from), self.place(life.to - 1));
                if low == high && low == place {
                    continue;
                }
                let life = &mut self.of[v.index()];
                if inside[low] {
                    let low = first[end_of(&mut last, low as u32) as usize];
                    life.from = life.from.min(self.starts[low as usize]);
                }
                if inside[high] {
                    let high = end_of(&mut last, high as u32);
                    life.to = life.to.max(self.starts[high as usize + 1]);
                }
            }
        }
    }

    /// Number of values that live at each position, by their intervals.
    fn pressure(&self) -> Vec<i32> {
        let mut counts = self.nothing();
        for &life in &self.of {
            count(&mut counts, life.from, life.to);
        }
        sums(counts)
    }

    /// By position, the number of live values less that at the position before.
    fn nothing(&self) -> Vec<i32> {
        vec![0; self.starts.last().map_or(0, |&end| end as usize) + 1]
    }

    /// How many values live at each position, block by block, unless that takes too long: an interval
    /// is often longer than a life. Values are followed from uses in other blocks back to the definition.
    fn exact(&self, func: &Function, graph: &Graph) -> Option<Vec<i32>> {
        let mut places: SecondaryMap<Block, u32> = SecondaryMap::new();
        for (place, &block) in self.order.iter().enumerate() {
            places[block] = place as u32;
        }
        // By value: where it is defined, and where it is last read there.
        let mut defs = vec![(0u32, Life::default()); self.of.len()];
        let mut uses: Vec<(VReg, u32, u32)> = Vec::new();
        for (place, &block) in self.order.iter().enumerate() {
            let place = place as u32;
            let mut at = self.starts[place as usize];
            walk(func, block, |access| match access {
                None => at += 1,
                Some((v, true)) => {
                    let (from, to) = (at, at + 1);
                    defs[v.index()] = (place, Life { from, to });
                }
                Some((v, false)) if defs[v.index()].0 != place => uses.push((v, place, at)),
                Some((v, false)) => {
                    let life = &mut defs[v.index()].1;
                    life.to = life.to.max(at);
                }
            });
        }
        uses.sort_unstable();
        let mut counts = self.nothing();
        // The value that was last seen to live at each block's start, and at its end.
        let mut begins = vec![VReg::NOTHING; self.order.len()];
        let mut ends = begins.clone();
        let mut lives_in: Vec<u32> = Vec::new();
        let mut left = MAX_LIVE_PER_POSITION * self.starts.last().map_or(0, |&end| end as usize);
        for uses in uses.chunk_by(|a, b| a.0 == b.0) {
            let v = uses[0].0;
            let (def, life) = &mut defs[v.index()];
            lives_in.clear();
            for &(_, place, _) in uses {
                if std::mem::replace(&mut begins[place as usize], v) != v {
                    lives_in.push(place);
                }
            }
            let mut next = 0;
            while let Some(&place) = lives_in.get(next) {
                next += 1;
                for pred in graph.preds(self.order[place as usize]) {
                    if !graph.is_reached(*pred) {
                        continue;
                    }
                    let pred = places[*pred];
                    ends[pred as usize] = v;
                    if pred != *def && std::mem::replace(&mut begins[pred as usize], v) != v {
                        lives_in.push(pred);
                    }
                }
            }
            left = left.checked_sub(lives_in.len())?;
            life.to = self.starts[*def as usize + 1];
            for &place in &lives_in {
                let start = self.starts[place as usize];
                let to = match ends[place as usize] == v {
                    true => self.starts[place as usize + 1],
                    false => {
                        let behind = uses.partition_point(|&(_, p, _)| p <= place);
                        uses[behind - 1].2
                    }
                };
                count(&mut counts, start, to);
            }
        }
        for (_, life) in defs {
            count(&mut counts, life.from, life.to);
        }
        Some(sums(counts))
    }
}

/// A value lives from one position to before another.
fn count(changes: &mut [i32], from: u32, to: u32) {
    changes[from as usize] += 1;
    changes[to as usize] -= 1;
}

fn sums(mut changes: Vec<i32>) -> Vec<i32> {
    let mut now = 0;
    for change in &mut changes {
        now += *change;
        *change = now;
    }
    changes
}

/// The blocks in reverse postorder. Of a block's successors that which is laid out last is visited first,
/// so that the code after a loop comes after it. A block that only jumps is taken for its target.
fn order(func: &Function) -> Vec<Block> {
    let key = |&block: &Block| {
        let data = &func.blocks[block];
        match (data.insts.as_slice(), data.succs.as_slice()) {
            ([], [edge]) => edge.to,
            _ => block,
        }
    };
    let succs = |block: Block| {
        let mut succs: SmallVec<[Block; 2]> =
            (func.blocks[block].succs.iter().map(|edge| edge.to)).collect();
        succs.sort_by_key(key);
        succs
    };
    let mut seen: SecondaryMap<Block, bool> = SecondaryMap::new();
    let mut order = Vec::with_capacity(func.blocks.len());
    let mut stack = vec![(func.entry(), succs(func.entry()))];
    seen[func.entry()] = true;
    while let Some((block, left)) = stack.last_mut() {
        let block = *block;
        match left.pop() {
            Some(to) => {
                if !std::mem::replace(&mut seen[to], true) {
                    stack.push((to, succs(to)));
                }
            }
            None => {
                order.push(block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The last of the places that are one loop, with the way there shortened.
fn end_of(last: &mut [u32], mut at: u32) -> u32 {
    while last[at as usize] != at {
        let next = last[at as usize];
        last[at as usize] = last[next as usize];
        at = next;
    }
    at
}

/// The accesses of a block in order: of each a value and whether it is defined. Between those of two
/// instructions, or of one and the start or the end, is a step to the next position.
fn walk(func: &Function, block: Block, mut f: impl FnMut(Option<(VReg, bool)>)) {
    let data = &func.blocks[block];
    if block == func.entry() {
        func.inputs.iter().for_each(|&(v, _)| f(Some((v, true))));
    }
    data.params.iter().for_each(|&v| f(Some((v, true))));
    for inst in &data.insts {
        f(None);
        accesses(func, inst, |v, is_def| f(Some((v, is_def))));
    }
    f(None);
    let args = data.succs.iter().flat_map(|edge| &edge.args);
    args.for_each(|&v| f(Some((v, false))));
}

/// General values that an instruction reads, then those that it defines.
fn accesses(func: &Function, inst: &Inst, mut f: impl FnMut(VReg, bool)) {
    let mut defs: SmallVec<[VReg; 8]> = SmallVec::new();
    func.visit(inst, |v, role| match role {
        Role::Source { .. } if func.regs[v].class == Class::Grf => f(v, false),
        Role::Result { old, .. } => {
            old.into_iter().for_each(|old| f(old, false));
            defs.push(v);
        }
        _ => {}
    });
    defs.into_iter().for_each(|v| f(v, true));
}

/// A count at each position: a tree with the most of each half, less what is added to all of it.
struct Counts {
    size: u32,
    most: Vec<i32>,
    added: Vec<i32>,
}

/// A part of the tree: its root, the first position and how many.
#[derive(Clone, Copy)]
struct Part {
    node: usize,
    from: u32,
    size: u32,
}

impl Part {
    fn halves(self) -> [Part; 2] {
        let size = self.size / 2;
        [0, 1].map(|half| Part {
            node: 2 * self.node + half as usize,
            from: self.from + half * size,
            size,
        })
    }

    fn is_in(self, life: Life) -> bool {
        life.from <= self.from && self.from + self.size <= life.to
    }

    fn is_apart(self, life: Life) -> bool {
        life.to <= self.from || self.from + self.size <= life.from
    }
}

impl Counts {
    fn new(counts: &[i32]) -> Counts {
        let size = counts.len().next_power_of_two();
        let mut most = vec![0; 2 * size];
        most[size..size + counts.len()].copy_from_slice(counts);
        for n in (1..size).rev() {
            most[n] = most[2 * n].max(most[2 * n + 1]);
        }
        Counts {
            size: size as u32,
            most,
            added: vec![0; 2 * size],
        }
    }

    fn all(&self) -> Part {
        Part {
            node: 1,
            from: 0,
            size: self.size,
        }
    }

    fn add(&mut self, life: Life, change: i32) {
        self.add_in(self.all(), life, change);
    }

    fn add_in(&mut self, part: Part, life: Life, change: i32) {
        if part.is_apart(life) {
            return;
        }
        if part.is_in(life) {
            self.most[part.node] += change;
            self.added[part.node] += change;
            return;
        }
        let halves = part.halves();
        for half in halves {
            self.add_in(half, life, change);
        }
        let [left, right] = halves.map(|half| self.most[half.node]);
        self.most[part.node] = left.max(right) + self.added[part.node];
    }

    /// The most at any position of an interval.
    fn most(&self, life: Life) -> i32 {
        self.most_in(self.all(), life)
    }

    fn most_in(&self, part: Part, life: Life) -> i32 {
        if part.is_apart(life) {
            return 0;
        }
        if part.is_in(life) {
            return self.most[part.node];
        }
        let [left, right] = part.halves().map(|half| self.most_in(half, life));
        left.max(right) + self.added[part.node]
    }
}

/// A web: values that are one variable.
#[derive(Clone, Copy, Default)]
struct Web {
    /// Accesses by how often they run, and positions that the values live over where too many do.
    cost: u64,
    length: u64,
    /// Its events and members, in the lists of all.
    events: (u32, u32),
    members: (u32, u32),
    /// A value of it is passed where a calling convention says.
    is_passed: bool,
}

/// The webs of all general values.
struct Webs {
    /// By value: its web.
    of: Vec<u32>,
    webs: Vec<Web>,
    events: Vec<Event>,
    members: Vec<VReg>,
}

impl Webs {
    fn new(func: &Function, graph: &Graph, lives: &Lives, far: &[i32]) -> Webs {
        // Positions before each where too much lives.
        let mut before: Vec<u32> = Vec::with_capacity(far.len() + 1);
        before.push(0);
        for &count in far {
            before.push(before[before.len() - 1] + u32::from(count >= 0));
        }
        let mut sets: Vec<u32> = (0..func.regs.len() as u32).collect();
        let mut join = |a: VReg, b: VReg| {
            let (a, b) = (end_of(&mut sets, a.as_u32()), end_of(&mut sets, b.as_u32()));
            sets[a.min(b) as usize] = a.max(b);
        };
        for &block in &lives.order {
            let data = &func.blocks[block];
            for edge in &data.succs {
                let params = &func.blocks[edge.to].params;
                edge.args.iter().zip(params).for_each(|(&a, &p)| join(a, p));
            }
            for inst in &data.insts {
                func.visit(inst, |v, role| {
                    if let Role::Result { old: Some(old), .. } = role {
                        join(v, old);
                    }
                });
            }
        }
        let mut numbers = vec![NONE; sets.len()];
        let mut webs = Webs {
            of: vec![NONE; sets.len()],
            webs: Vec::new(),
            events: Vec::new(),
            members: Vec::new(),
        };
        for v in func.regs.keys() {
            let root = end_of(&mut sets, v.as_u32()) as usize;
            if numbers[root] == NONE {
                numbers[root] = webs.webs.len() as u32;
                webs.webs.push(Web::default());
            }
            webs.of[v.index()] = numbers[root];
            let life = lives.of[v.index()];
            let web = &mut webs.webs[numbers[root] as usize];
            web.length += u64::from(before[life.to as usize] - before[life.from as usize]);
            web.members.1 += 1;
        }
        webs.collect(func, graph, lives);
        webs
    }

    /// The events of all webs, each web's together, of blocks before those that they dominate.
    fn collect(&mut self, func: &Function, graph: &Graph, lives: &Lives) {
        let depths = depths(func);
        let mut all: Vec<Event> = Vec::new();
        let mut order = lives.order.clone();
        order.sort_unstable_by_key(|&block| graph.dominated(block).start);
        for block in order {
            let weight = LOOP_WEIGHT.pow(depths[block.index()].min(MAX_WEIGHED_LOOPS));
            let data = &func.blocks[block];
            let number = graph.dominated(block).start;
            let mut event = |v: VReg, access: Access, weight: u64, passed: bool| {
                let web = &mut self.webs[self.of[v.index()] as usize];
                web.cost += weight;
                web.events.1 += 1;
                web.is_passed |= passed;
                all.push(Event {
                    block: number,
                    access,
                    v,
                });
            };
            if block == func.entry() {
                // A subroutine's are where its callers are to put them.
                let passed = func.entered == Entered::Subroutine;
                for &(v, _) in &func.inputs {
                    event(v, Access::Param, weight, passed);
                }
            }
            // Parameters and arguments of a web in memory cost nothing.
            for &v in &data.params {
                event(v, Access::Param, 0, false);
            }
            for inst in &data.insts {
                let passes = inst.is_call() || matches!(inst.op, Opcode::Results | Opcode::Return);
                accesses(func, inst, |v, is_def| {
                    let access = if is_def { Access::Def } else { Access::Use };
                    event(v, access, weight, passes);
                });
            }
            for &v in data.succs.iter().flat_map(|edge| &edge.args) {
                event(v, Access::Use, 0, false);
            }
        }
        let (mut event, mut member) = (0, 0);
        for web in &mut self.webs {
            let (events, members) = (web.events.1, web.members.1);
            web.events = (event, event);
            web.members = (member, member);
            event += events;
            member += members;
        }
        let Some(&nothing) = all.first() else { return };
        self.events = vec![nothing; all.len()];
        for event in all {
            let end = &mut self.webs[self.of[event.v.index()] as usize].events.1;
            self.events[*end as usize] = event;
            *end += 1;
        }
        self.members = vec![nothing.v; self.of.len()];
        for v in func.regs.keys() {
            let end = &mut self.webs[self.of[v.index()] as usize].members.1;
            self.members[*end as usize] = v;
            *end += 1;
        }
    }

    fn events(&self, web: &Web) -> &[Event] {
        &self.events[web.events.0 as usize..web.events.1 as usize]
    }

    fn lives<'a>(&'a self, web: &Web, lives: &'a Lives) -> impl Iterator<Item = Life> + 'a {
        let members = &self.members[web.members.0 as usize..web.members.1 as usize];
        members.iter().map(|v| lives.of[v.index()])
    }

    /// The webs to spill: the cheapest for their length, until nowhere more than `low` values live.
    fn choose(
        &self,
        graph: &Graph,
        lives: &Lives,
        pressure: &mut Counts,
        mut far: Counts,
        low: u32,
    ) -> Vec<u32> {
        let is_free = |n: &u32| {
            let web = &self.webs[*n as usize];
            !web.is_passed && web.length > MIN_POSITIONS_PER_ACCESS * self.events(web).len() as u64
        };
        let mut order: Vec<u32> = (0..self.webs.len() as u32).filter(is_free).collect();
        order.sort_by(|&a, &b| {
            let [a, b] = [a, b].map(|n| &self.webs[n as usize]);
            (u128::from(a.cost) * u128::from(b.length))
                .cmp(&(u128::from(b.cost) * u128::from(a.length)))
        });
        let mut chosen = Vec::new();
        let Some(frontiers) = Frontiers::new(graph, lives) else {
            return Vec::new();
        };
        for n in order {
            let web = &self.webs[n as usize];
            let is_over = |life| far.most(life) > low as i32;
            if self.lives(web, lives).any(is_over) && frontiers.is_variable(self.events(web), lives)
            {
                for life in self.lives(web, lives) {
                    pressure.add(life, -1);
                    far.add(life, -1);
                }
                chosen.push(n);
            }
        }
        chosen
    }

    /// A slot for each value of the chosen webs, and how many there are. Webs share one that do not live
    /// at once, by their whole intervals.
    fn slots(&self, lives: &Lives, chosen: &[u32], most: u32) -> (Vec<u32>, u32) {
        let mut slots = vec![NONE; self.of.len()];
        let mut hulls: Vec<(u32, u32, u32)> = Vec::with_capacity(chosen.len());
        for &n in chosen {
            let (mut from, mut to) = (NONE, 0);
            for life in self.lives(&self.webs[n as usize], lives) {
                from = from.min(life.from);
                to = to.max(life.to);
            }
            hulls.push((from, to, n));
        }
        hulls.sort_unstable();
        let mut taken: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
        let mut count = 0;
        for (from, to, n) in hulls {
            let slot = match taken.peek().copied() {
                Some(Reverse((until, slot))) if until <= from => {
                    taken.pop();
                    slot
                }
                _ if count == most => continue,
                _ => {
                    count += 1;
                    count - 1
                }
            };
            taken.push(Reverse((to, slot)));
            let members = self.webs[n as usize].members;
            for v in &self.members[members.0 as usize..members.1 as usize] {
                slots[v.index()] = slot;
            }
        }
        (slots, count)
    }
}

/// Blocks by their number in a walk over the dominator tree, and where dominance ends.
struct Frontiers {
    /// By number: the end of the blocks that the block dominates, and where its code starts.
    ends: Vec<u32>,
    starts: Vec<u32>,
    /// By number: joins that the block does not dominate and a predecessor of which it does, one list
    /// behind the other.
    joins: Vec<u32>,
    lists: Vec<u32>,
}

impl Frontiers {
    /// Nothing if loops in each other make the frontiers too long.
    fn new(graph: &Graph, lives: &Lives) -> Option<Frontiers> {
        let blocks = graph.order().len();
        // Numbers begin with 1.
        let mut frontiers = Frontiers {
            ends: vec![0; blocks + 1],
            starts: vec![0; blocks + 1],
            joins: Vec::new(),
            lists: vec![0; blocks + 2],
        };
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        // By number: the last join that was found to be in the frontier.
        let mut known = vec![0; blocks + 1];
        for (&block, &start) in lives.order.iter().zip(&lives.starts) {
            let range = graph.dominated(block);
            frontiers.ends[range.start as usize] = range.end;
            frontiers.starts[range.start as usize] = start;
            let idom = graph.idom(block);
            for &pred in graph.preds(block) {
                let mut runner = Some(pred).filter(|&pred| graph.is_reached(pred));
                while let Some(at) = runner.filter(|_| runner != idom) {
                    let number = graph.dominated(at).start;
                    // It is in the frontiers from there on upward, too.
                    if std::mem::replace(&mut known[number as usize], range.start) == range.start {
                        break;
                    }
                    pairs.push((number, range.start));
                    runner = graph.idom(at);
                    if pairs.len() > MAX_FRONTIERS_PER_BLOCK * blocks {
                        return None;
                    }
                }
            }
        }
        for &(block, _) in &pairs {
            frontiers.lists[block as usize + 1] += 1;
        }
        for n in 1..frontiers.lists.len() {
            frontiers.lists[n] += frontiers.lists[n - 1];
        }
        frontiers.joins = vec![0; pairs.len()];
        let mut next = frontiers.lists.clone();
        for (block, join) in pairs {
            let at = &mut next[block as usize];
            frontiers.joins[*at as usize] = join;
            *at += 1;
        }
        Some(frontiers)
    }

    fn of(&self, block: u32) -> &[u32] {
        let [from, to] = [block, block + 1].map(|n| self.lists[n as usize] as usize);
        &self.joins[from..to]
    }

    /// Whether at each use of one of the web's values it was the one written last, on every way there:
    /// so that they may be one variable.
    ///
    /// It is so if the definition nearest above each use in the dominator tree is of the value used,
    /// and no value lives over a join in the frontier of a definition's block that has no parameter of
    /// the web. For let `d` be the last definition on a way from `m` to a use of `m`, and another. It
    /// does not dominate the use, so that the way comes through a join of its frontier, without a
    /// parameter. `m` lives there. Either it is the definition nearest above that join, or what is
    /// nearest does not dominate the use either, is higher in the tree than `d`, and the same holds for
    /// it further on the way.
    fn is_variable(&self, events: &[Event], lives: &Lives) -> bool {
        let defs = || events.iter().filter(|e| e.access != Access::Use);
        if defs().count() < 2 {
            return true;
        }
        let mut joins: SmallVec<[u32; 16]> = SmallVec::new();
        for def in defs() {
            joins.extend_from_slice(self.of(def.block));
        }
        joins.sort_unstable();
        joins.dedup();
        let mut joins = joins.into_iter().peekable();
        let mut events = events.iter().peekable();
        // Definitions above the current block, with their blocks.
        let mut above: Vec<(u32, VReg)> = Vec::new();
        loop {
            let block = match (events.peek().map(|e| e.block), joins.peek().copied()) {
                (Some(event), Some(join)) => event.min(join),
                (Some(block), None) | (None, Some(block)) => block,
                (None, None) => return true,
            };
            while above
                .pop_if(|&mut (top, _)| block >= self.ends[top as usize])
                .is_some()
            {}
            let mut has_param = false;
            let is_param = |e: &&Event| e.block == block && e.access == Access::Param;
            while let Some(event) = events.next_if(is_param) {
                above.push((block, event.v));
                has_param = true;
            }
            if joins.next_if_eq(&block).is_some()
                && !has_param
                && let Some((_, v)) = above.last()
                && lives.of[v.index()].contains(self.starts[block as usize])
            {
                return false;
            }
            while let Some(event) = events.next_if(|e| e.block == block) {
                match (event.access, above.last()) {
                    (Access::Use, Some(&(_, v))) if v == event.v => {}
                    (Access::Use, _) => return false,
                    _ => above.push((block, event.v)),
                }
            }
        }
    }
}

/// Puts stores and loads in the code.
struct Rewriter<'a> {
    func: &'a mut Function,
    lives: &'a Lives,
    pressure: &'a mut Counts,
    low: u32,
    /// By value, as it was before.
    slots: &'a [u32],
    /// By slot: the block whose code has its value in a register, which, and where it was last.
    held: Vec<Option<(u32, VReg, u32)>>,
    /// The position after the last call.
    since: u32,
    /// Parameters in memory with arguments.
    passed: Vec<(VReg, VReg)>,
    /// By value: it is loaded somewhere.
    loaded: Vec<bool>,
}

impl Rewriter<'_> {
    fn slot(&self, v: VReg) -> Option<u32> {
        let slot = self.slots.get(v.index());
        slot.copied().filter(|&slot| slot != NONE)
    }

    /// Takes parameters that are in memory away, and their arguments.
    fn edges(&mut self) {
        let stays = |v: &VReg| self.slots[v.index()] == NONE;
        let blocks: Vec<Block> = self.func.blocks.keys().collect();
        for &block in &blocks {
            let mut succs = std::mem::take(&mut self.func.blocks[block].succs);
            for edge in &mut succs {
                let params = &self.func.blocks[edge.to].params;
                let gone = params.iter().zip(&edge.args).filter(|(p, _)| !stays(p));
                self.passed.extend(gone.map(|(&p, &arg)| (p, arg)));
                let mut params = params.iter();
                edge.args.retain(|_| params.next().is_some_and(stays));
            }
            self.func.blocks[block].succs = succs;
        }
        for block in blocks {
            self.func.blocks[block].params.retain(|v| stays(v));
        }
    }

    /// Leaves out the stores of values that are not loaded, nor as the parameters they are passed to.
    fn unread(&mut self, origins: &mut SecondaryMap<Block, Vec<u32>>) {
        let mut args = std::mem::take(&mut self.passed);
        args.sort_unstable();
        let mut work: Vec<VReg> = (self.func.regs.keys().take(self.loaded.len()))
            .filter(|v| self.loaded[v.index()])
            .collect();
        while let Some(v) = work.pop() {
            let first = args.partition_point(|&(p, _)| p < v);
            for &(_, arg) in args[first..].iter().take_while(|&&(p, _)| p == v) {
                if !std::mem::replace(&mut self.loaded[arg.index()], true) {
                    work.push(arg);
                }
            }
        }
        let is_read = |inst: &Inst| match (inst.op, inst.srcs.get(1).and_then(Src::as_reg)) {
            (Opcode::Spill, Some(stored)) => {
                let v = stored.reg.as_virt();
                v.is_none_or(|v| self.loaded[v.index()])
            }
            _ => true,
        };
        for (block, data) in self.func.blocks.iter_mut() {
            let numbers = &mut origins[block];
            let mut kept = data.insts.iter().map(is_read);
            numbers.retain(|_| kept.next().unwrap_or(true));
            data.insts.retain(is_read);
        }
    }

    fn block(&mut self, place: usize, block: Block, origins: &mut Vec<u32>) {
        let before = std::mem::take(&mut self.func.blocks[block].insts);
        let numbers = std::mem::take(origins);
        let mut at = self.lives.starts[place];
        let place = place as u32;
        let mut code = Vec::with_capacity(before.len());
        if place == 0 {
            for (v, _) in self.func.inputs.clone() {
                self.store(place, v, at, &mut code);
            }
        }
        origins.resize(code.len(), ADDED);
        for (mut inst, number) in before.into_iter().zip(numbers) {
            at += 1;
            let mut reads: SmallVec<[VReg; 8]> = SmallVec::new();
            let mut writes: SmallVec<[VReg; 4]> = SmallVec::new();
            accesses(self.func, &inst, |v, is_def| match is_def {
                _ if self.slot(v).is_none() => {}
                true => writes.push(v),
                false => reads.push(v),
            });
            if !reads.is_empty() {
                reads.sort_unstable();
                reads.dedup();
                let loaded: SmallVec<[VReg; 8]> =
                    (reads.iter().map(|&v| self.load(place, v, at, &mut code))).collect();
                self.func
                    .map_uses(&mut inst, |v| match reads.binary_search(&v) {
                        Ok(n) => loaded[n],
                        Err(_) => v,
                    });
                origins.resize(code.len(), ADDED);
            }
            // Calls leave nothing in registers.
            if inst.is_call() {
                self.since = at + 1;
            }
            code.push(inst);
            origins.push(number);
            for v in writes {
                self.store(place, v, at, &mut code);
            }
            origins.resize(code.len(), ADDED);
        }
        self.func.blocks[block].insts = code;
    }

    /// Stores a spilled value after its definition.
    fn store(&mut self, place: u32, v: VReg, at: u32, code: &mut Vec<Inst>) {
        if let Some(slot) = self.slot(v) {
            let mut inst = Inst::no_mask(Opcode::Spill, 1);
            inst.srcs.push(Src::imm(Type::Ud, slot.into()));
            inst.srcs.push(Src::scalar(Reg::virt(v, 0), Type::Ud));
            code.push(inst);
            self.held[slot as usize] = Some((place, v, at));
        }
    }

    /// The register that has the value of a slot before the instruction at a position.
    fn load(&mut self, place: u32, v: VReg, at: u32, code: &mut Vec<Inst>) -> VReg {
        let Some(slot) = self.slot(v) else { return v };
        if let Some((block, there, last)) = self.held[slot as usize]
            && block == place
            && last >= self.since
        {
            let life = Life { from: last, to: at };
            if last == at || self.pressure.most(life) < self.low as i32 {
                self.pressure.add(life, 1);
                self.held[slot as usize] = Some((place, there, at));
                return there;
            }
        }
        self.loaded[v.index()] = true;
        let loaded = self.func.regs.push(self.func.regs[v]);
        let mut inst = Inst::no_mask(Opcode::Fill, 1);
        inst.srcs.push(Src::imm(Type::Ud, slot.into()));
        inst.dst = Some(Dst::new(Reg::virt(loaded, 0), 1, Type::Ud));
        code.push(inst);
        self.held[slot as usize] = Some((place, loaded, at));
        loaded
    }
}
