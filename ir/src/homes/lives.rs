//! From where to where a variable has to keep its place.
//!
//! That is from its first instruction to its last in the order of the code, which is the order of blocks, and more where
//! loops go back:
//!
//! * A loop that has some of its instructions, but not all, is in it as a whole: others may run there while channels that
//!   have left wait with their contents, or before what is inside comes to its turn again.
//! * A loop that has all of them is in it if contents may come round: if there is a way from the loop's start to a read
//!   with no write before it of all bytes for all that read them. Then all loops around are in it, too. Of what each
//!   channel writes and reads for itself, the ways are those that a channel takes; of all else, those that execution takes.
//!
//! A subroutine counts as a loop, as it may be called again. What several routines name, or what comes round one, is alive
//! in the kernel itself: from the first place where one of these may run to the last.
//!
//! Whoever waits at a join waits behind what others run meanwhile, but in loops, and these are whole.

use std::ops::Range;

use cranelift_entity::{EntityRef, SecondaryMap};
use kiln_frontend::module::{Object, Var};
use kiln_target::platform::Platform;
use smallvec::SmallVec;

use super::mentions::{self, Mention, Part, Who};
use crate::access;
use crate::cfg::Cfg;
use crate::dominators::Dominators;
use crate::func::Block;
use crate::linear::Linear;
use crate::ssa::Origin;

const NONE: u32 = u32::MAX;

/// A root variable's life.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    /// The routine that it is alive in.
    pub(super) routine: u32,
    /// The numbers of its first instruction and its last there; of a variable that no instruction names, none.
    pub(super) first: u32,
    pub(super) last: u32,
    /// How often it is named.
    pub(super) named: u32,
    /// The same, for each loop around eight times.
    pub(super) uses: u32,
    /// Named by messages, and written by them.
    pub(super) raw: bool,
    pub(super) answer: bool,
    /// Bytes that are accessed.
    pub(super) bytes: u32,
    /// The blocks of the first instruction and of the last.
    blocks: [u32; 2],
    /// What the first instructions write: bytes from the start on, in the first block, and for whom.
    covered: u32,
    who: Who,
    /// Of these bytes only so many of each channel's, if not all.
    part: Option<Part>,
    /// Something is read that they do not write.
    exposed: bool,
    /// Several routines name it.
    shared: bool,
    /// What instructions do to it.
    read: bool,
    written: bool,
}

impl Life {
    const NEW: Life = Life {
        routine: NONE,
        first: NONE,
        last: 0,
        named: 0,
        uses: 0,
        raw: false,
        answer: false,
        bytes: 0,
        blocks: [0; 2],
        covered: 0,
        who: Who::Some,
        part: None,
        exposed: false,
        shared: false,
        read: false,
        written: false,
    };

    pub(super) fn is_used(&self) -> bool {
        self.first != NONE
    }

    /// Whether contents may come from one block to another.
    pub(super) fn crosses_blocks(&self) -> bool {
        let is_within = self.blocks[0] == self.blocks[1] && !self.exposed && !self.shared;
        self.read && self.written && !is_within
    }

    /// Adds what the second half of the code does. Whatever that reads is taken for something that the first did not write
    /// for it; to be exact would matter only where the same is found again (see [`comes_round`]).
    fn join(&mut self, behind: &Life) {
        if !behind.is_used() {
            return;
        }
        if !self.is_used() {
            *self = *behind;
            return;
        }
        self.shared |= behind.shared || self.routine != NONE && self.routine != behind.routine;
        self.routine = behind.routine;
        self.last = behind.last;
        self.blocks[1] = behind.blocks[1];
        self.named += behind.named;
        self.uses += behind.uses;
        self.bytes = self.bytes.max(behind.bytes);
        self.raw |= behind.raw;
        self.answer |= behind.answer;
        self.exposed |= behind.read;
        self.read |= behind.read;
        self.written |= behind.written;
    }

    fn note(&mut self, mention: &Mention, inst: u32, block: Block, weight: u32, doms: &Dominators) {
        let b = block.as_u32();
        let is_first = !self.is_used();
        if is_first {
            self.first = inst;
            self.blocks[0] = b;
        }
        self.last = inst;
        self.named += 1;
        self.uses += weight;
        self.blocks[1] = b;
        self.raw |= mention.raw;
        self.read |= !mention.write;
        self.written |= mention.write;
        self.answer |= mention.raw && mention.write;
        self.bytes = self.bytes.max(mention.to);
        if self.exposed {
            return;
        }
        let own = Block::from_u32(self.blocks[0]);
        match mention.write {
            true if is_first => self.who = mention.who,
            true => {}
            false => {
                let within = |part: Part| mention.part.is_some_and(|read| part.has(read));
                self.exposed = mention.to > self.covered
                    || !self.part.is_none_or(within)
                    || !self.who.gives(mention.who)
                    || own != block && !doms.dominates(own, block);
                return;
            }
        }
        let same = match self.who {
            Who::All => mention.who == Who::All,
            who => who.gives(mention.who),
        };
        let first = is_first && mention.is_at_start() && !mention.predicated;
        let behind = own == block && mention.from <= self.covered && self.part.is_none();
        if first || behind && same && !mention.some && mention.who != Who::Some {
            self.covered = self.covered.max(mention.to);
            self.part = mention.part.filter(|_| first && mention.some);
        }
    }
}

/// A loop: the blocks from where it begins to the last that goes back.
struct Loop {
    head: u32,
    latch: u32,
    parent: u32,
    /// Others begin in it and end behind it, which are now a part of it.
    crossed: bool,
    /// What an instruction in it counts.
    weight: u32,
}

/// What a loop makes instructions count more, and the most that one counts.
const TIMES: u32 = 8;
const MOST: u32 = 512;

/// Loops in each other; those that overlap otherwise are one.
struct Loops {
    all: Vec<Loop>,
    /// The innermost loop of each block.
    of: Vec<u32>,
}

impl Loops {
    fn new(linear: &Linear) -> Loops {
        let blocks = &linear.blocks;
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for (b, data) in blocks {
            let back = data.succs.iter().filter(|edge| edge.to <= b);
            ranges.extend(back.map(|edge| (edge.to.as_u32(), b.as_u32())));
        }
        for routine in linear.routines.values().skip(1) {
            let Range { start, end } = routine.blocks;
            ranges.push((start.as_u32(), end.as_u32() - 1));
        }
        // Outer ones first.
        ranges.sort_unstable_by_key(|&(head, latch)| (head, std::cmp::Reverse(latch)));
        let mut all: Vec<Loop> = Vec::with_capacity(ranges.len());
        let mut open: Vec<u32> = Vec::new();
        for (head, latch) in ranges {
            while open.last().is_some_and(|&l| all[l as usize].latch < head) {
                open.pop();
            }
            // What reaches out of a loop that it begins in makes that and those around it longer.
            if let Some(&l) = open.last()
                && latch > all[l as usize].latch
            {
                all[l as usize].crossed = true;
                for &l in open.iter().rev() {
                    let around = &mut all[l as usize];
                    if around.latch >= latch {
                        break;
                    }
                    around.latch = latch;
                }
                continue;
            }
            let parent = open.last().copied().unwrap_or(NONE);
            let around = all.get(parent as usize).map_or(1, |l: &Loop| l.weight);
            open.push(all.len() as u32);
            all.push(Loop {
                head,
                latch,
                parent,
                crossed: false,
                weight: (around * TIMES).min(MOST),
            });
        }
        let mut of = vec![NONE; blocks.len()];
        let mut next = 0;
        let mut innermost = NONE;
        for (b, of) in of.iter_mut().enumerate() {
            let b = b as u32;
            while innermost != NONE && all[innermost as usize].latch < b {
                innermost = all[innermost as usize].parent;
            }
            while all.get(next).is_some_and(|one| one.head == b) {
                innermost = next as u32;
                next += 1;
            }
            *of = innermost;
        }
        Loops { all, of }
    }

    /// What an instruction in a block counts.
    fn weight(&self, block: u32) -> u32 {
        let around = self.all.get(self.of[block as usize] as usize);
        around.map_or(1, |l| l.weight)
    }

    fn has(&self, l: u32, block: u32) -> bool {
        let one = &self.all[l as usize];
        (one.head..=one.latch).contains(&block)
    }

    /// The outermost loop that has one block and not the other.
    fn between(&self, block: u32, other: u32) -> Option<&Loop> {
        let mut found = None;
        let mut l = self.of[block as usize];
        while l != NONE && !self.has(l, other) {
            found = Some(&self.all[l as usize]);
            l = self.all[l as usize].parent;
        }
        found
    }

    /// The innermost loop that has both blocks.
    fn around(&self, blocks: [u32; 2]) -> u32 {
        let mut l = self.of[blocks[0] as usize];
        while l != NONE && !self.has(l, blocks[1]) {
            l = self.all[l as usize].parent;
        }
        l
    }

    /// Whether a loop, or one around it, is one of several that overlap.
    fn is_crossed(&self, mut l: u32) -> bool {
        while l != NONE && !self.all[l as usize].crossed {
            l = self.all[l as usize].parent;
        }
        l != NONE
    }

    fn outermost(&self, mut l: u32) -> &Loop {
        while self.all[l as usize].parent != NONE {
            l = self.all[l as usize].parent;
        }
        &self.all[l as usize]
    }
}

/// A call of a subroutine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    pub(super) inst: u32,
    block: u32,
    pub(super) caller: usize,
    pub(super) callee: usize,
}

/// From where to where each variable is alive.
pub struct Lives {
    pub(super) of: SecondaryMap<Var, Life>,
    /// Routines, callers before what they call.
    pub(super) order: Vec<usize>,
    /// In the order of the code.
    pub(super) calls: Vec<Call>,
}

/// An instruction and its block.
type At = (u32, u32);

/// Where each routine runs, as the kernel itself sees it: from the first of its calls to the last, those of its callers
/// included.
struct Runs {
    routine_of: Vec<u32>,
    ends: Vec<Option<[At; 2]>>,
}

impl Runs {
    fn new(linear: &Linear, order: &[usize], calls: &[Call]) -> Runs {
        let mut routine_of = vec![0; linear.blocks.len()];
        for (r, routine) in &linear.routines {
            let Range { start, end } = routine.blocks;
            routine_of[start.index()..end.index()].fill(r.as_u32());
        }
        let mut runs = Runs {
            routine_of,
            ends: vec![None; linear.routines.len()],
        };
        for &caller in order {
            for call in calls.iter().filter(|call| call.caller == caller) {
                let seen = runs.seen(caller, (call.inst, call.block));
                for at in seen.into_iter().flatten() {
                    runs.ends[call.callee] = Some(hull(runs.ends[call.callee], at));
                }
            }
        }
        runs
    }

    /// Where the kernel is when a routine is at some place; nowhere if nothing calls the routine.
    fn seen(&self, routine: usize, at: At) -> Option<[At; 2]> {
        match routine {
            0 => Some([at; 2]),
            _ => self.ends[routine],
        }
    }

    /// Makes a variable one of the kernel itself that is alive wherever those may run that name it.
    fn share(&self, life: &mut Life, named: impl Iterator<Item = (u32, Block)>) {
        life.shared = true;
        life.routine = 0;
        let of = |(inst, block): (u32, Block)| {
            let routine = self.routine_of[block.index()] as usize;
            self.seen(routine, (inst, block.as_u32()))
        };
        let arrives = (life.first == 0).then_some([(0, 0); 2]);
        let places = named.filter_map(of).flatten();
        if let Some([first, last]) = places.fold(arrives, |ends, at| Some(hull(ends, at))) {
            (life.first, life.last) = (first.0, last.0);
            life.blocks = [first.1, last.1];
        }
    }
}

/// What is from the first to the last, and one more.
fn hull(ends: Option<[At; 2]>, at: At) -> [At; 2] {
    let [first, last] = ends.unwrap_or([at; 2]);
    [first.min(at), last.max(at)]
}

/// The life of each root variable. With halves of the code gone through at the same time, it may be longer in loops than
/// it has to be.
pub fn lives(
    object: &Object,
    target: &Platform,
    (graph, linear): (&Cfg, &Linear),
    doms: &Dominators,
    in_halves: bool,
) -> Lives {
    let mut of = SecondaryMap::with_default(Life::NEW);
    of.resize(object.vars.len() + object.predicates.len());
    let bodies = bodies(graph, linear);
    let order: Vec<usize> = graph.bottom_up.iter().rev().copied().collect();
    let calls = calls(graph, linear, &bodies);
    let mut lives = Lives { of, order, calls };
    // Inputs are there from the start.
    for (var, _) in access::input_vars(object) {
        lives.of[object.root(var).0] = Life {
            routine: 0,
            first: 0,
            ..Life::NEW
        };
    }
    let loops = Loops::new(linear);
    let runs = Runs::new(linear, &lives.order, &lives.calls);
    let reader = Reader {
        object,
        grf: target.grf_bytes,
        linear,
        doms,
        loops: &loops,
        routine_of: &runs.routine_of,
    };
    let named = reader.read(&mut lives.of, in_halves);
    if loops.all.is_empty() {
        return lives;
    }
    let blocks = &linear.blocks;
    let over = |life: &mut Life, one: &Loop| {
        let [head, latch] = [one.head, one.latch].map(|b| &blocks[Block::from_u32(b)].insts);
        life.first = life.first.min(head.start);
        life.last = life.last.max(latch.end.saturating_sub(1));
        life.blocks = [life.blocks[0].min(one.head), life.blocks[1].max(one.latch)];
    };
    // Gives the innermost loop that has all of it.
    let over_parts = |life: &mut Life| {
        let [first, last] = life.blocks;
        for (block, other) in [(first, last), (last, first)] {
            if let Some(one) = loops.between(block, other) {
                over(life, one);
            }
        }
        loops.around(life.blocks)
    };
    // What several routines name is taken to come round.
    let share = |life: &mut Life, var: Var| {
        runs.share(life, naming(&named, var).into_iter());
        let around = over_parts(life);
        if around != NONE {
            over(life, loops.outermost(around));
        }
    };
    let mut unsure: Vec<(Var, u32)> = Vec::new();
    for (var, life) in lives.of.iter_mut().filter(|(_, life)| life.is_used()) {
        if life.shared {
            share(life, var);
            continue;
        }
        let [first, last] = life.blocks;
        let around = over_parts(life);
        if around != NONE && (life.exposed || loops.is_crossed(around) && first != last) {
            unsure.push((var, around));
        }
    }
    let ways = (graph, linear, &bodies[..]);
    let comes_round = comes_round(object, target, ways, &loops, (&unsure, &named));
    for (&(var, around), _) in unsure.iter().zip(comes_round).filter(|(_, comes)| *comes) {
        let life = &mut lives.of[var];
        match life.routine {
            0 => over(life, loops.outermost(around)),
            // It is there from one call to the next.
            _ => share(life, var),
        }
    }
    lives
}

/// The block of the linear graph that has the instructions of each block of the program.
fn bodies(graph: &Cfg, linear: &Linear) -> Vec<u32> {
    let mut bodies = vec![NONE; graph.blocks.len()];
    for (b, origin) in linear.origins.iter().enumerate() {
        if let Origin::Body(l) = *origin {
            bodies[l] = b as u32;
        }
    }
    bodies
}

fn calls(graph: &Cfg, linear: &Linear, bodies: &[u32]) -> Vec<Call> {
    let mut calls = Vec::new();
    for (caller, range) in graph.routines.iter().enumerate() {
        for l in range.clone() {
            let block = bodies[l];
            // Blocks that nothing leads to are empty.
            let inst = linear.blocks[Block::from_u32(block)]
                .insts
                .clone()
                .next_back();
            if let (Some(callee), Some(inst)) = (graph.blocks[l].call, inst) {
                calls.push(Call {
                    inst,
                    block,
                    caller,
                    callee,
                });
            }
        }
    }
    calls
}

/// Goes through the instructions.
struct Reader<'a> {
    object: &'a Object,
    grf: u32,
    linear: &'a Linear,
    doms: &'a Dominators,
    loops: &'a Loops,
    routine_of: &'a [u32],
}

impl Reader<'_> {
    /// Notes what instructions do to each variable, those of both halves of the code at the same time if so asked; gives
    /// where each is named if there are loops.
    fn read(&self, lives: &mut SecondaryMap<Var, Life>, in_halves: bool) -> [Named; 2] {
        let all = self.object.insts.len() as u32;
        let mut named = [Named::default(), Named::default()];
        let [one, other] = &mut named;
        if !in_halves {
            self.part(0..all, lives, one);
            return named;
        }
        let mut behind = SecondaryMap::with_default(Life::NEW);
        behind.resize(self.object.vars.len() + self.object.predicates.len());
        rayon::join(
            || self.part(0..all / 2, lives, one),
            || self.part(all / 2..all, &mut behind, other),
        );
        for (life, behind) in lives.values_mut().zip(behind.values()) {
            life.join(behind);
        }
        named
    }

    /// The same of some of the instructions.
    fn part(&self, part: Range<u32>, lives: &mut SecondaryMap<Var, Life>, named: &mut Named) {
        let has_loops = !self.loops.all.is_empty();
        if has_loops {
            named.reserve(self.object, part.len());
        }
        for (b, data) in &self.linear.blocks {
            let weight = self.loops.weight(b.as_u32());
            let routine = self.routine_of[b.index()];
            for i in data.insts.start.max(part.start)..data.insts.end.min(part.end) {
                let inst = &self.object.insts[i as usize];
                mentions::of(self.object, self.grf, inst, |mention| {
                    let life = &mut lives[mention.root];
                    life.note(&mention, i, b, weight, self.doms);
                    life.shared |= life.routine != NONE && life.routine != routine;
                    life.routine = routine;
                    if has_loops {
                        named.push(mention.root, i, b);
                    }
                });
            }
        }
    }
}

/// The instructions that name each variable, with their blocks.
#[derive(Default)]
struct Named {
    /// Each with the number of the one before it that names the same variable.
    all: Vec<(u32, Block, u32)>,
    /// The number of the last of each variable, from 1 on.
    last: SecondaryMap<Var, u32>,
}

impl Named {
    fn reserve(&mut self, object: &Object, insts: usize) {
        self.last
            .resize(object.vars.len() + object.predicates.len());
        self.all.reserve(3 * insts);
    }

    fn push(&mut self, var: Var, inst: u32, block: Block) {
        let number = self.all.len() as u32 + 1;
        let before = std::mem::replace(&mut self.last[var], number);
        self.all.push((inst, block, before));
    }

    /// The instructions that name a variable, the last one first.
    fn back(&self, var: Var) -> impl Iterator<Item = (u32, Block)> {
        let at = |number: u32| self.all.get((number as usize).wrapping_sub(1));
        let all = std::iter::successors(at(self.last[var]), move |&&(_, _, before)| at(before));
        all.map(|&(inst, block, _)| (inst, block))
    }
}

/// The instructions of both halves that name a variable, in order, each once.
fn naming([one, other]: &[Named; 2], var: Var) -> Vec<(u32, Block)> {
    let mut list: Vec<(u32, Block)> = other.back(var).chain(one.back(var)).collect();
    list.reverse();
    list.dedup();
    list
}

/// What is known of a variable in a loop that has all its instructions.
struct Round {
    size: u32,
    /// Blocks that read it before they write all of it, and those that write all.
    reads: Vec<u32>,
    kills: Vec<u32>,
    /// The first access for channels of their own.
    own: Option<Who>,
    /// Not all of these have the same bytes for the same channels.
    mixed: bool,
    /// Written by channels for themselves, and read by others.
    is_own: bool,
    is_shared: bool,
}

/// Blocks that are gone through to find what comes round, for each block there is; what is not found by then is taken to.
const STEPS: usize = 64;

/// For each of some variables, whether contents may come round its loop.
fn comes_round(
    object: &Object,
    target: &Platform,
    (graph, linear, bodies): (&Cfg, &Linear, &[u32]),
    loops: &Loops,
    (unsure, named): (&[(Var, u32)], &[Named; 2]),
) -> Vec<bool> {
    let blocks = &linear.blocks;
    let rounds: Vec<Round> = unsure
        .iter()
        .map(|&(var, _)| Round::new(object, target, var, named))
        .collect();
    if rounds.is_empty() {
        return Vec::new();
    }
    let channels = channels(graph, linear, bodies);
    let mut seen = vec![NONE; blocks.len()];
    let mut work: Vec<u32> = Vec::new();
    let mut steps = STEPS * blocks.len();
    let walks = rounds.iter().zip(unsure).enumerate();
    let walk = |(n, (round, &(_, around))): (usize, (&Round, &(Var, u32)))| {
        if round.mixed || round.is_own && round.is_shared || loops.is_crossed(around) {
            return true;
        }
        let one = &loops.all[around as usize];
        work.clear();
        work.extend(&round.reads);
        while let Some(b) = work.pop() {
            if std::mem::replace(&mut seen[b as usize], n as u32) == n as u32 {
                continue;
            }
            steps = steps.saturating_sub(1);
            // Joins and critical edges in front of a block are the same place for a channel.
            if steps == 0 || b <= one.head || b > one.latch || channels.start(b) <= one.head {
                return true;
            }
            let open = |p: &u32| round.kills.binary_search(p).is_err();
            match round.is_shared {
                true => {
                    let preds = blocks[Block::from_u32(b)].preds.iter();
                    work.extend(preds.map(|p| p.as_u32()).filter(open));
                }
                false => work.extend(channels.preds(b).iter().copied().filter(open)),
            }
        }
        false
    };
    walks.map(walk).collect()
}

/// The ways that a channel takes, by the blocks of the linear graph that have the instructions.
struct Channels {
    preds: Vec<SmallVec<[u32; 2]>>,
    /// The first of the empty blocks in front of each block.
    starts: Vec<u32>,
}

fn channels(graph: &Cfg, linear: &Linear, bodies: &[u32]) -> Channels {
    let mut starts = Vec::with_capacity(linear.origins.len());
    let mut start = 0;
    for (b, origin) in linear.origins.iter().enumerate() {
        starts.push(start);
        if let Origin::Body(_) = origin {
            start = b as u32 + 1;
        }
    }
    let mut preds = vec![SmallVec::new(); linear.blocks.len()];
    for (l, &body) in bodies.iter().enumerate() {
        for to in graph.logical_succs(l) {
            preds[bodies[to] as usize].push(body);
        }
    }
    Channels { preds, starts }
}

impl Channels {
    fn preds(&self, block: u32) -> &[u32] {
        &self.preds[block as usize]
    }

    fn start(&self, block: u32) -> u32 {
        self.starts[block as usize]
    }
}

impl Round {
    fn new(object: &Object, target: &Platform, var: Var, named: &[Named; 2]) -> Round {
        let mut round = Round {
            size: super::bytes(object, var),
            reads: Vec::new(),
            kills: Vec::new(),
            own: None,
            mixed: false,
            is_own: false,
            is_shared: false,
        };
        for (inst, block) in naming(named, var) {
            let inst = &object.insts[inst as usize];
            mentions::of(object, target.grf_bytes, inst, |mention| {
                if mention.root == var {
                    round.note(&mention, block.as_u32());
                }
            });
        }
        round
    }

    fn note(&mut self, mention: &Mention, block: u32) {
        match (mention.who, self.own) {
            (Who::Own(_), None) => self.own = Some(mention.who),
            (Who::Own(_), Some(own)) => self.mixed |= !own.gives(mention.who),
            (Who::All | Who::Some, _) => {}
        }
        if !mention.write {
            self.is_shared |= mention.who == Who::All;
            if self.kills.last() != Some(&block) && self.reads.last() != Some(&block) {
                self.reads.push(block);
            }
            return;
        }
        self.is_own |= mention.who != Who::All;
        if mention.who == Who::Some {
            return;
        }
        let whole = mention.from == 0 && mention.to >= self.size && !mention.some;
        if whole && self.kills.last() != Some(&block) {
            self.kills.push(block);
        }
    }
}
