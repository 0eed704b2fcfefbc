//! A proof that no variable in one place is spoiled by another.
//!
//! Takes a function whose variables have homes, whatever has given them, and finds for each variable where its contents
//! are still wanted and may be there; nothing else may be written to its bytes at these instructions. The control flow is
//! built anew and nothing is taken from the lives that the homes were made from but what an instruction does
//! (`mentions`).
//!
//! Where contents are wanted depends on who reads them:
//!
//! * If each byte is only ever read by one channel, that is asked on the logical graph: a byte is wanted where its channel
//!   is, if a way from there leads to a read and not before that to a write of the byte by this channel or for all. While
//!   others execute, a channel waits at one of the joins of [`Cfg::waiting_spans`], and what it wants there is kept
//!   in all blocks of the span.
//! * All else is asked on the linear graph, where only what is written for all channels is new.
//!
//! Contents may be there where a way of the linear graph leads to from an instruction that writes some, or from the entry
//! for inputs. Only ways along which they are wanted have to be followed: behind a gap they are new.
//!
//! Ways lead into a subroutine that names the variable, or calls one that does, and from its end to behind each of its
//! calls. Others run at their calls as if all of their instructions stood there.
//!
//! An instruction that reads a variable may not write to its bytes by another name, as it may become several. The time is
//! that of the walks, which is about linear in the blocks in which each variable lives; the memory is linear in the code.

use std::ops::{Range, RangeInclusive};

use cranelift_entity::EntityRef;
use kiln_frontend::module::{Object, Var};
use smallvec::SmallVec;

use super::mentions::{self, Mention, Who};
use crate::access;
use crate::cfg::{self, Cfg, CfgError};
use crate::func::{Block, Function, Home, Inst, Routine};
use crate::linear::{self, Linear};
use crate::ssa::Origin;

const NONE: u32 = u32::MAX;

/// Why homes are not right.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    #[error(transparent)]
    Flow(#[from] CfgError),
    #[error("variable {var} has no place, or not all of it where there is room")]
    Outside { var: String },
    #[error("{inst}: writing {writer} spoils {kept}")]
    Spoiled {
        inst: Inst,
        writer: String,
        kept: String,
    },
    #[error("inputs {one} and {other} arrive in the same bytes")]
    Inputs { one: String, other: String },
}

/// Proves the homes of a function that are each one place; of others there is nothing to prove.
///
/// # Errors
/// The first variable that is not where it can be, or that may be spoiled.
pub fn check(func: &Function) -> Result<(), HomeError> {
    if func.placed.is_none() {
        return Ok(());
    }
    let graph = cfg::build(func.object)?;
    let linear = linear::lay_out(&graph);
    let routines = Routines::of(&graph, &linear);
    let touches = Touches::of(func, &linear, &routines);
    let places = places(func, &touches)?;
    let inputs: Vec<Var> = access::input_vars(func.object)
        .map(|(var, _)| func.object.root(var).0)
        .collect();
    let mut proof = Proof {
        object: func.object,
        linear: &linear,
        ways: Ways::of(&graph, &linear),
        routines,
        through: Vec::new(),
        writes: Writes::of(func, &touches, &places),
        inputs: &inputs,
        places: &places,
        wanted: Sets::new(linear.blocks.len()),
        waiting: Marks::new(linear.blocks.len()),
        there: Marks::new(linear.blocks.len()),
    };
    let vars = func.object.vars.keys();
    let vars = vars.chain(super::predicates(func.object));
    let mut vars = vars.filter(|&var| places[var.index()].is_some());
    vars.try_for_each(|var| proof.prove(var, touches.var(var)))
}

/// An access of some bytes of a variable.
#[derive(Clone, Copy)]
struct Touch {
    inst: u32,
    block: u32,
    mention: Mention,
}

impl Touch {
    fn bytes(&self) -> impl Iterator<Item = u32> + use<> {
        let Mention {
            from,
            to,
            who,
            part,
            ..
        } = self.mention;
        (from..to).filter(move |&byte| match (who, part) {
            (Who::Own(lanes), Some(part)) => lanes.has(part, byte),
            _ => true,
        })
    }

    /// Whether nothing is left of its bytes, of active channels at least.
    fn is_whole(&self) -> bool {
        let Mention {
            write,
            predicated,
            some,
            part,
            who,
            ..
        } = self.mention;
        write && !predicated && who != Who::Some && (!some || part.is_some())
    }
}

/// All accesses that may ever run, of one root variable after the other, each in the order of the code.
struct Touches(Vec<Touch>);

impl Touches {
    fn of(func: &Function, linear: &Linear, routines: &Routines) -> Touches {
        let object = func.object;
        let mut list = Vec::new();
        let runs = |b: Block| routines.running[0].contains(&(routines.of[b.index()] as usize));
        for (b, data) in linear.blocks.iter().filter(|&(b, _)| runs(b)) {
            for inst in data.insts.clone() {
                let visa = &object.insts[inst as usize];
                mentions::of(object, func.target.grf_bytes, visa, |mention| {
                    list.push(Touch {
                        inst,
                        block: b.as_u32(),
                        mention,
                    });
                });
            }
        }
        list.sort_by_key(|touch| touch.mention.root);
        Touches(list)
    }

    fn var(&self, var: Var) -> &[Touch] {
        let start = self.0.partition_point(|touch| touch.mention.root < var);
        let behind = &self.0[start..];
        &behind[..behind.partition_point(|touch| touch.mention.root == var)]
    }
}

/// Where a variable is.
#[derive(Clone)]
struct Place {
    is_memory: bool,
    /// The bytes that it has.
    own: Range<u32>,
    /// Those that may be written when it is: messages write whole registers.
    spoils: Range<u32>,
}

impl Place {
    fn is_spoiled_by(&self, other: &Place) -> bool {
        let (own, spoils) = (&self.own, &other.spoils);
        self.is_memory == other.is_memory && own.start < spoils.end && spoils.start < own.end
    }
}

/// The place of each root variable that is named, or an input.
fn places(func: &Function, touches: &Touches) -> Result<Vec<Option<Place>>, HomeError> {
    let object = func.object;
    let grf = func.target.grf_bytes;
    let mut places = vec![None; object.vars.len() + object.predicates.len()];
    let mut list = &touches.0[..];
    let inputs = access::input_vars(object).map(|(var, _)| object.root(var).0);
    let mut add = |var: Var, touches: &[Touch]| {
        let end = touches.iter().map(|touch| touch.mention.to).max();
        let size = super::bytes(object, var).max(end.unwrap_or(0));
        let raw = touches
            .iter()
            .any(|touch| touch.mention.raw && touch.mention.write);
        places[var.index()] = place(func, var, size, if raw { grf } else { 1 });
        let outside = || HomeError::Outside {
            var: super::name(object, var),
        };
        places[var.index()].as_ref().map(|_| ()).ok_or_else(outside)
    };
    for var in inputs {
        add(var, touches.var(var))?;
    }
    while let Some(touch) = list.first() {
        let var = touch.mention.root;
        let own = list.partition_point(|touch| touch.mention.root == var);
        // Predicates without a home are values like any others.
        if var.index() < object.vars.len() || func.homes[var] != Home::Special {
            add(var, &list[..own])?;
        }
        list = &list[own..];
    }
    Ok(places)
}

/// The place of a variable of so many bytes, of which messages write whole units of a size; nothing if it has none or
/// is not where variables may be.
fn place(func: &Function, var: Var, size: u32, whole: u32) -> Option<Place> {
    let placed = func.placed.as_ref()?;
    let grf = func.target.grf_bytes;
    let (is_memory, offset, room, whole) = match func.homes[var] {
        Home::Register { offset } => {
            let room = placed.grfs.start * grf..placed.grfs.end * grf;
            (false, offset, room, whole)
        }
        // What is loaded and stored is whole units.
        Home::Memory { offset } => (true, offset, 0..placed.memory, func.target.unit_bytes()),
        _ => return None,
    };
    let end = offset.checked_add(size)?;
    let spoils = offset / whole * whole..end.checked_next_multiple_of(whole)?;
    let is_inside = room.start <= spoils.start && spoils.end <= room.end;
    is_inside.then_some(Place {
        is_memory,
        own: offset..end,
        spoils,
    })
}

/// Instructions that write to each register, and to each part of memory of that size, with the variable.
struct Writes {
    size: u32,
    at: [Vec<Vec<(u32, Var)>>; 2],
}

impl Writes {
    fn of(func: &Function, touches: &Touches, places: &[Option<Place>]) -> Writes {
        let size = func.target.grf_bytes;
        let mut at = [Vec::new(), Vec::new()];
        for touch in touches.0.iter().filter(|touch| touch.mention.write) {
            let var = touch.mention.root;
            let Some(place) = &places[var.index()] else {
                continue;
            };
            let lists: &mut Vec<Vec<(u32, Var)>> = &mut at[usize::from(place.is_memory)];
            let end = place.spoils.end.div_ceil(size) as usize;
            if lists.len() < end {
                lists.resize(end, Vec::new());
            }
            for list in &mut lists[(place.spoils.start / size) as usize..end] {
                list.push((touch.inst, var));
            }
        }
        for list in at.iter_mut().flatten() {
            list.sort_unstable();
            list.dedup();
        }
        Writes { size, at }
    }

    /// Those of some instructions that may write to a place.
    fn within(
        &self,
        place: &Place,
        insts: RangeInclusive<u32>,
    ) -> impl Iterator<Item = (u32, Var)> {
        let lists = &self.at[usize::from(place.is_memory)];
        let end = (place.own.end.div_ceil(self.size) as usize).min(lists.len());
        let lists = &lists[((place.own.start / self.size) as usize).min(end)..end];
        let (first, last) = insts.into_inner();
        lists.iter().flat_map(move |list| {
            let list = &list[list.partition_point(|&(inst, _)| inst < first)..];
            list.iter()
                .copied()
                .take_while(move |&(inst, _)| inst <= last)
        })
    }
}

/// The two graphs over the blocks of the linear one, and where channels wait.
struct Ways {
    /// The block that has the instructions of the logical block that each is of, or is in front of.
    bodies: Vec<u32>,
    /// Where a channel comes from and where it goes, of blocks with instructions.
    preds: Vec<SmallVec<[u32; 2]>>,
    succs: Vec<SmallVec<[u32; 2]>>,
    /// Where channels wait that go on there: the first block that runs meanwhile, or none.
    waits: Vec<u32>,
}

impl Ways {
    fn of(graph: &Cfg, linear: &Linear) -> Ways {
        let count = linear.origins.len();
        let mut ways = Ways {
            bodies: vec![NONE; count],
            preds: vec![SmallVec::new(); count],
            succs: vec![SmallVec::new(); count],
            waits: vec![NONE; count],
        };
        // Of logical blocks.
        let mut body_of = vec![NONE; graph.blocks.len()];
        let mut next = NONE;
        for (b, origin) in linear.origins.iter().enumerate().rev() {
            if let Origin::Body(l) = *origin {
                next = b as u32;
                body_of[l] = next;
            }
            ways.bodies[b] = next;
        }
        for (l, &body) in body_of.iter().enumerate() {
            for to in graph.logical_succs(l).map(|to| body_of[to]) {
                ways.succs[body as usize].push(to);
                ways.preds[to as usize].push(body);
            }
        }
        for span in graph.waiting_spans() {
            let at = &mut ways.waits[body_of[span.at] as usize];
            *at = (*at).min(body_of[span.from]);
        }
        ways
    }
}

/// What is called where.
struct Routines {
    /// The routine of each block, and the one that its last instruction calls, if it calls one.
    of: Vec<u32>,
    calls: Vec<u32>,
    /// The blocks that call each routine.
    callers: Vec<Vec<u32>>,
    /// All routines that run when one is called.
    running: Vec<Vec<usize>>,
}

impl Routines {
    fn of(graph: &Cfg, linear: &Linear) -> Routines {
        let (blocks, count) = (linear.blocks.len(), linear.routines.len());
        let mut routines = Routines {
            of: vec![0; blocks],
            calls: vec![NONE; blocks],
            callers: vec![Vec::new(); count],
            running: vec![Vec::new(); count],
        };
        for (r, routine) in &linear.routines {
            let Range { start, end } = routine.blocks;
            routines.of[start.index()..end.index()].fill(r.as_u32());
        }
        for (b, origin) in linear.origins.iter().enumerate() {
            if let Origin::Body(l) = *origin
                && let Some(callee) = graph.blocks[l].call
                && !linear.blocks[Block::new(b)].insts.is_empty()
            {
                routines.calls[b] = callee as u32;
                routines.callers[callee].push(b as u32);
            }
        }
        for &callee in &graph.bottom_up {
            let all = &mut routines.running[callee];
            all.push(callee);
            all.sort_unstable();
            all.dedup();
            let all = all.clone();
            for &caller in &routines.callers[callee] {
                let caller = routines.of[caller as usize] as usize;
                routines.running[caller].extend(&all);
            }
        }
        routines
    }

    fn called_by(&self, b: u32) -> Option<usize> {
        Some(self.calls[b as usize])
            .filter(|&r| r != NONE)
            .map(|r| r as usize)
    }
}

/// Marks of blocks that are taken away again in the time that it took to make them.
struct Marks {
    is: Vec<bool>,
    list: Vec<u32>,
}

impl Marks {
    fn new(count: usize) -> Marks {
        Marks {
            is: vec![false; count],
            list: Vec::new(),
        }
    }

    fn has(&self, b: u32) -> bool {
        self.is[b as usize]
    }

    /// Whether it is new.
    fn add(&mut self, b: u32) -> bool {
        let is_new = !std::mem::replace(&mut self.is[b as usize], true);
        if is_new {
            self.list.push(b);
        }
        is_new
    }

    fn clear(&mut self) {
        for b in self.list.drain(..) {
            self.is[b as usize] = false;
        }
    }
}

/// A set of bytes of a variable.
type Bytes = SmallVec<[u64; 1]>;

fn add(set: &mut Bytes, byte: u32) {
    set[byte as usize / 64] |= 1 << (byte % 64);
}

fn remove(set: &mut Bytes, byte: u32) {
    set[byte as usize / 64] &= !(1 << (byte % 64));
}

fn has(set: &Bytes, byte: u32) -> bool {
    set[byte as usize / 64] >> (byte % 64) & 1 != 0
}

fn is_empty(set: &Bytes) -> bool {
    set.iter().all(|&word| word == 0)
}

/// What is wanted at the start of blocks, of those where something is.
struct Sets {
    at: Vec<u32>,
    list: Vec<(u32, Bytes)>,
}

impl Sets {
    fn new(count: usize) -> Sets {
        Sets {
            at: vec![NONE; count],
            list: Vec::new(),
        }
    }

    fn get(&self, b: u32) -> Option<&Bytes> {
        self.list
            .get(self.at[b as usize] as usize)
            .map(|(_, set)| set)
    }

    fn has(&self, b: u32) -> bool {
        self.at[b as usize] != NONE
    }

    /// Whether some are new.
    fn add(&mut self, b: u32, bytes: &Bytes) -> bool {
        if is_empty(bytes) {
            return false;
        }
        match self.list.get_mut(self.at[b as usize] as usize) {
            Some((_, set)) => {
                let mut is_new = false;
                for (word, more) in set.iter_mut().zip(bytes) {
                    is_new |= more & !*word != 0;
                    *word |= more;
                }
                is_new
            }
            None => {
                self.at[b as usize] = self.list.len() as u32;
                self.list.push((b, bytes.clone()));
                true
            }
        }
    }

    fn clear(&mut self) {
        for (b, _) in self.list.drain(..) {
            self.at[b as usize] = NONE;
        }
    }
}

/// By whom each byte of a variable is read.
struct Readers {
    /// The only channel that reads it; of what nobody reads, none.
    channels: Vec<u32>,
    /// Some byte is read by several.
    shared: bool,
}

impl Readers {
    fn of(touches: &[Touch], size: u32) -> Readers {
        let mut readers = Readers {
            channels: vec![NONE; size as usize],
            shared: false,
        };
        for touch in touches.iter().filter(|touch| !touch.mention.write) {
            let Who::Own(lanes) = touch.mention.who else {
                readers.shared = true;
                break;
            };
            for byte in touch.bytes() {
                let channel = lanes.channel(byte);
                let known = &mut readers.channels[byte as usize];
                readers.shared |= *known != NONE && *known != channel;
                *known = channel;
            }
        }
        readers
    }

    /// Calls `f` with the bytes that are new for all their readers behind an access.
    fn renewed(&self, touch: &Touch, f: impl FnMut(u32)) {
        if !touch.is_whole() {
            return;
        }
        match touch.mention.who {
            Who::All => touch.bytes().for_each(f),
            Who::Own(lanes) if !self.shared => {
                let is_own = |&byte: &u32| self.channels[byte as usize] == lanes.channel(byte);
                touch.bytes().filter(is_own).for_each(f);
            }
            Who::Own(_) | Who::Some => {}
        }
    }
}

struct Proof<'a> {
    object: &'a Object,
    linear: &'a Linear,
    ways: Ways,
    routines: Routines,
    writes: Writes,
    inputs: &'a [Var],
    places: &'a [Option<Place>],
    /// Of the variable that it is about: the routines that ways lead into, what is wanted at the start of each block, where
    /// it is wanted by channels that wait, and at the starts of which blocks it may be there.
    through: Vec<bool>,
    wanted: Sets,
    waiting: Marks,
    there: Marks,
}

impl Proof<'_> {
    fn prove(&mut self, var: Var, touches: &[Touch]) -> Result<(), HomeError> {
        let end = touches.iter().map(|touch| touch.mention.to).max();
        let size = end.unwrap_or(0);
        let readers = Readers::of(touches, size);
        let none: Bytes = SmallVec::from_elem(0, size.div_ceil(64) as usize);
        let blocks: Vec<&[Touch]> = touches.chunk_by(|a, b| a.block == b.block).collect();
        let of = &self.routines.of;
        let mut own = vec![false; self.routines.running.len()];
        blocks
            .iter()
            .for_each(|touches| own[of[touches[0].block as usize] as usize] = true);
        let running = self.routines.running.iter();
        self.through = running.map(|all| all.iter().any(|&r| own[r])).collect();
        self.wanted.clear();
        self.waiting.clear();
        self.there.clear();
        self.want(&blocks, &readers, &none);
        if !readers.shared {
            self.wait();
        }
        self.arrive(var, &blocks, readers.shared)?;
        // Blocks where it is and that do not name it.
        for &b in &self.there.list {
            let named = blocks.binary_search_by_key(&b, |touches| touches[0].block);
            if named.is_err() {
                self.keep_in(var, b)?;
                self.keep_over_call(var, b)?;
            }
        }
        blocks
            .iter()
            .try_for_each(|touches| self.within(var, touches, &readers, none.clone()))
    }

    /// Finds what is wanted at the starts of blocks.
    fn want(&mut self, blocks: &[&[Touch]], readers: &Readers, none: &Bytes) {
        let mut work: Vec<u32> = Vec::new();
        let mut renewed: Vec<Bytes> = Vec::with_capacity(blocks.len());
        for touches in blocks {
            let (mut new, mut read) = (none.clone(), none.clone());
            for touch in *touches {
                if !touch.mention.write {
                    let old = touch.bytes().filter(|&byte| !has(&new, byte));
                    old.for_each(|byte| add(&mut read, byte));
                }
                readers.renewed(touch, |byte| add(&mut new, byte));
            }
            if self.wanted.add(touches[0].block, &read) {
                work.push(touches[0].block);
            }
            renewed.push(new);
        }
        while let Some(b) = work.pop() {
            let Some(bytes) = self.wanted.get(b).cloned() else {
                continue;
            };
            let preds = self.preds(b, readers.shared);
            for pred in preds {
                let mut bytes = bytes.clone();
                if let Ok(n) = blocks.binary_search_by_key(&pred, |touches| touches[0].block) {
                    for (word, new) in bytes.iter_mut().zip(&renewed[n]) {
                        *word &= !new;
                    }
                }
                if self.wanted.add(pred, &bytes) {
                    work.push(pred);
                }
            }
        }
    }

    /// Where ways to a block come from.
    fn preds(&self, b: u32, shared: bool) -> SmallVec<[u32; 2]> {
        let data = &self.linear.blocks[Block::from_u32(b)];
        let own: SmallVec<[u32; 2]> = match shared {
            true => data.preds.iter().map(|pred| pred.as_u32()).collect(),
            false => self.ways.preds[b as usize].clone(),
        };
        let routine = self.routines.of[b as usize] as usize;
        let is_entry = self.entry(routine, shared) == b && self.through[routine];
        let callers = is_entry.then(|| &self.routines.callers[routine][..]);
        // From the end of what the block in front of it calls.
        let before = own.iter().filter_map(|&pred| match self.goes_into(pred) {
            Some(callee) => self.exit(callee),
            None => Some(pred),
        });
        before
            .chain(callers.unwrap_or_default().iter().copied())
            .collect()
    }

    /// Where ways from a block lead to.
    fn succs(&self, b: u32, shared: bool) -> SmallVec<[u32; 2]> {
        let own = |b: u32| -> SmallVec<[u32; 2]> {
            let data = &self.linear.blocks[Block::from_u32(b)];
            match shared {
                true => data.succs.iter().map(|edge| edge.to.as_u32()).collect(),
                false => self.ways.succs[b as usize].clone(),
            }
        };
        if let Some(callee) = self.goes_into(b) {
            return SmallVec::from_elem(self.entry(callee, shared), 1);
        }
        let routine = self.routines.of[b as usize] as usize;
        if self.through[routine] && self.exit(routine) == Some(b) {
            let callers = self.routines.callers[routine].iter();
            return callers.flat_map(|&caller| own(caller)).collect();
        }
        own(b)
    }

    /// What a block calls, if it is a routine that ways lead into.
    fn goes_into(&self, b: u32) -> Option<usize> {
        let callee = self.routines.called_by(b);
        callee.filter(|&callee| self.through[callee])
    }

    fn entry(&self, routine: usize, shared: bool) -> u32 {
        let data = &self.linear.routines[Routine::new(routine)];
        let start = data.blocks.start.as_u32();
        match shared {
            true => start,
            false => self.ways.bodies[start as usize],
        }
    }

    fn exit(&self, routine: usize) -> Option<u32> {
        let data = &self.linear.routines[Routine::new(routine)];
        data.exit.expand().map(Block::as_u32)
    }

    /// Marks the blocks that run while channels wait that want something.
    fn wait(&mut self) {
        let wants = self.wanted.list.iter().map(|&(b, _)| b);
        let mut spans: Vec<Range<u32>> = wants
            .map(|b| self.ways.waits[b as usize]..b)
            .filter(|span| span.start != NONE)
            .collect();
        spans.sort_unstable_by_key(|span| span.start);
        let mut marked = 0;
        for span in spans {
            for b in span.start.max(marked)..span.end {
                // Not what is in front of the block where they wait.
                if self.ways.bodies[b as usize] == b {
                    self.waiting.add(b);
                }
            }
            marked = marked.max(span.end);
        }
        // And in what is called there.
        let mut next = 0;
        while let Some(&b) = self.waiting.list.get(next) {
            next += 1;
            if let Some(callee) = self.goes_into(b) {
                let data = &self.linear.routines[Routine::new(callee)];
                let blocks = data.blocks.start.as_u32()..data.blocks.end.as_u32();
                for b in blocks.filter(|&b| self.ways.bodies[b as usize] == b) {
                    self.waiting.add(b);
                }
            }
        }
    }

    /// Whether anything is wanted at the start of a block.
    fn is_wanted(&self, b: u32, shared: bool) -> bool {
        if shared {
            return self.wanted.has(b);
        }
        let body = self.ways.bodies[b as usize];
        self.wanted.has(body) || self.waiting.has(body)
    }

    /// Finds the blocks at whose starts it may be there, of those where it is wanted.
    fn arrive(&mut self, var: Var, blocks: &[&[Touch]], shared: bool) -> Result<(), HomeError> {
        let mut work: Vec<u32> = Vec::new();
        let is_input = self.inputs.contains(&var);
        if is_input && self.is_wanted(0, shared) {
            let place = |var: Var| self.places[var.index()].as_ref();
            let overlap = |other: &Var| {
                let (one, other) = (place(var), place(*other));
                one.zip(other)
                    .is_some_and(|(a, b)| a.own.start < b.own.end && b.own.start < a.own.end)
            };
            let mut others = self.inputs.iter().filter(|&&other| other != var);
            if let Some(&other) = others.find(|other| overlap(other)) {
                return Err(HomeError::Inputs {
                    one: self.name(var),
                    other: self.name(other),
                });
            }
            self.there.add(0);
            work.push(0);
        }
        let writes = |touches: &&&[Touch]| touches.iter().any(|touch| touch.mention.write);
        work.extend(blocks.iter().filter(writes).map(|touches| touches[0].block));
        while let Some(b) = work.pop() {
            for to in self.succs(b, true) {
                if self.is_wanted(to, shared) && self.there.add(to) {
                    work.push(to);
                }
            }
        }
        Ok(())
    }

    /// Holds the writes of others against a block that names it.
    fn within(
        &self,
        var: Var,
        touches: &[Touch],
        readers: &Readers,
        mut wanted: Bytes,
    ) -> Result<(), HomeError> {
        let b = touches[0].block;
        let data = &self.linear.blocks[Block::from_u32(b)];
        let mut union = |to: u32| {
            if let Some(bytes) = self.wanted.get(to) {
                wanted
                    .iter_mut()
                    .zip(bytes)
                    .for_each(|(word, more)| *word |= more);
            }
        };
        let succs = self.succs(b, readers.shared);
        succs.into_iter().for_each(&mut union);
        let waits = self.waiting.has(b);
        // It may be there from this instruction on.
        let first = match self.there.has(b) {
            true => data.insts.start,
            false => match touches.iter().find(|touch| touch.mention.write) {
                Some(write) => write.inst,
                None => return Ok(()),
            },
        };
        let keep = |from: u32, to: u32| match from.max(first) {
            from if from <= to => self.keep(var, from..=to),
            _ => Ok(()),
        };
        if waits || !is_empty(&wanted) {
            self.keep_over_call(var, b)?;
        }
        let mut behind = data.insts.end;
        for of_inst in touches.chunk_by(|a, b| a.inst == b.inst).rev() {
            let inst = of_inst[0].inst;
            let is_read = of_inst.iter().any(|touch| !touch.mention.write);
            let is_kept = waits || !is_empty(&wanted);
            if is_kept && inst + 1 < behind {
                keep(inst + 1, behind - 1)?;
            }
            if is_kept || is_read {
                keep(inst, inst)?;
            }
            for touch in of_inst.iter().rev() {
                match touch.mention.write {
                    true => readers.renewed(touch, |byte| remove(&mut wanted, byte)),
                    false => touch.bytes().for_each(|byte| add(&mut wanted, byte)),
                }
            }
            behind = inst;
        }
        if (waits || !is_empty(&wanted)) && data.insts.start < behind {
            keep(data.insts.start, behind - 1)?;
        }
        Ok(())
    }

    /// Holds the writes of others in a block against it.
    fn keep_in(&self, var: Var, b: u32) -> Result<(), HomeError> {
        let insts = &self.linear.blocks[Block::from_u32(b)].insts;
        match insts.is_empty() {
            true => Ok(()),
            false => self.keep(var, insts.start..=insts.end - 1),
        }
    }

    /// Holds the writes of all that runs at a block's call against it, if no way leads there.
    fn keep_over_call(&self, var: Var, b: u32) -> Result<(), HomeError> {
        let callee = self.routines.called_by(b);
        let Some(callee) = callee.filter(|&callee| !self.through[callee]) else {
            return Ok(());
        };
        for &routine in &self.routines.running[callee] {
            let blocks = &self.linear.routines[Routine::new(routine)].blocks;
            for b in blocks.start.as_u32()..blocks.end.as_u32() {
                self.keep_in(var, b)?;
            }
        }
        Ok(())
    }

    /// Says which of some instructions writes another variable to its bytes, if one does.
    fn keep(&self, var: Var, insts: RangeInclusive<u32>) -> Result<(), HomeError> {
        let Some(place) = &self.places[var.index()] else {
            return Ok(());
        };
        let spoils = |&(_, writer): &(u32, Var)| {
            let other = self.places[writer.index()].as_ref();
            writer != var && other.is_some_and(|other| place.is_spoiled_by(other))
        };
        match self.writes.within(place, insts).find(spoils) {
            Some((inst, writer)) => Err(HomeError::Spoiled {
                inst: Inst::from_u32(inst),
                writer: self.name(writer),
                kept: self.name(var),
            }),
            None => Ok(()),
        }
    }

    fn name(&self, var: Var) -> String {
        super::name(self.object, var)
    }
}
