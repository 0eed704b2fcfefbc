//! List scheduling within blocks, after register allocation.
//!
//! Takes blocks of instructions with physical registers, and guarantees the same instructions in an order that keeps
//! every dependency. The time of an order is that of the cost model ([`crate::cost`]): among the instructions whose
//! predecessors have been issued, the next is one that waits least; among several, the one with the longest path of
//! dependencies to the end of the region. An order that is not faster than the one before is not taken.
//!
//! Two accesses depend on each other if they overlap in a byte and one of them writes. An instruction with another
//! effect, such as a branch, a fence or an access to a control register, ends a *region*: nothing is moved over it.
//! Where the scoreboard orders it, a change of the mode of floats is a write of a place of its own, which all read but integer operations
//! and messages that read memory: they alone have the same results in every mode. It waits for all computations, and the next instruction
//! for it, so that it goes into the time of another wait.
//! Only the next `WINDOW_INSTS` instructions are candidates, so that the time is near linear.
//!
//! Scheduling before allocation (`isel/src/schedule`) has more freedom, but where many values live at once it keeps
//! the order that it finds, and it does not know of moves, spills and fills.

use smallvec::SmallVec;

use crate::assemble::Program;
use crate::cost::{ByAddress, Facts, HWORD, Model, request};
use crate::footprint::{self, Footprint};
use crate::inst::{Desc, Inst, Op, Place, PredCtrl, Reg, RegFile, Src, SrcMod, Type};
use crate::messages::{
    Access as MemoryAccess, Function, Kind, Memory, Request, second_beside_descriptor,
};
use crate::platform::Platform;
use kiln_platform::errata::Erratum;
use kiln_platform::op::Props;

const NONE: u32 = u32::MAX;
/// Number of instructions, in the order before, that are candidates for the next one.
const WINDOW_INSTS: usize = 64;
/// Bits of cr0.0 that only the results of floats depend on: rounding, and denormal numbers of doubles, floats, halves and bf16 (PRM,
/// "Control Register"; IGC, `initCR`).
const MODE_BITS: u64 = 0x4000_04f0;
/// Number of places that are tried for an instruction that runs alone.
const MAX_PLACES: usize = 24;
/// Number of instructions at the end of a region among which none that runs alone should be.
const TAIL_INSTS: usize = 3;

/// Schedules all blocks. The first runs right after some instructions, whose results it waits for.
pub fn schedule(program: &mut Program, platform: &Platform, before: &[Inst]) {
    let mut scheduler = Scheduler::new(platform);
    let by_address =
        |inst: &Inst| Some(ByAddress::of(inst, &request(inst, platform)?, platform)?.registers);
    let mut all = program.blocks.iter().flatten().filter_map(by_address);
    let first = all.next();
    scheduler.spills = first.filter(|first| all.all(|other| other == *first));
    let facts = |inst| {
        let footprint = footprint::of(inst, platform);
        scheduler.model.facts(inst, &footprint)
    };
    let mut before: Vec<Facts> = before.iter().map(facts).collect();
    scheduler.unmasked = before.is_empty() && platform.needs(Erratum::FirstInstructionUnmasked);
    for block in &mut program.blocks {
        scheduler.block(block, &before);
        scheduler.unmasked = false;
        before.clear();
    }
}

/// The cause of a dependency between two accesses of a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    Grf,
    Flag,
    Accumulator,
    Address,
    Memory,
}

/// The instructions over which one may be moved.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Movability {
    /// Instructions that share no register with it.
    Any,
    /// Instructions that share no register with it; messages only if neither of the two writes memory, or their memory is apart.
    /// Messages without a common bit access different memory ([`Scheduler::parts`]).
    Message {
        writes: bool,
        bytes: u64,
    },
    None,
}

/// An access to bytes of a place.
#[derive(Clone, Copy)]
struct Access {
    place: u32,
    bytes: u64,
    writes: bool,
}

#[derive(Clone, Copy)]
struct Edge {
    to: u32,
    cycles: i64,
    next: u32,
}

/// Accesses of a place since others wrote all of their bytes: instructions with bytes.
#[derive(Clone, Default)]
struct Held {
    writes: SmallVec<[(u32, u64); 2]>,
    reads: SmallVec<[(u32, u64); 2]>,
}

struct Scheduler<'a> {
    platform: &'a Platform,
    /// The registers that have the address and the surface in all blocks of registers by address: those of spills. Where others do, their
    /// distance is unknown.
    spills: Option<(u32, Desc)>,
    model: Model<'a>,
    /// The cycle in which the block begins.
    start: i64,
    /// True if the first instruction of the block should not have a mask.
    unmasked: bool,
    /// By place: general registers, flag registers, and the others.
    held: Vec<Held>,
    touched: Vec<u32>,
    facts: Vec<Facts>,
    edges: Edges,
    /// By instruction of the region: the cycles from its issue to the end of all that depends on it.
    heights: Vec<i64>,
    order: Vec<u32>,
}

/// The dependencies between the instructions of a region.
#[derive(Default)]
struct Edges {
    list: Vec<Edge>,
    /// By instruction: the first of its edges, and the number of those that lead to it.
    first: Vec<u32>,
    missing: Vec<u32>,
}

impl Edges {
    fn clear(&mut self) {
        self.list.clear();
        self.first.clear();
        self.missing.clear();
    }

    fn add_inst(&mut self) {
        self.first.push(NONE);
        self.missing.push(0);
    }

    fn add(&mut self, from: u32, to: u32, cycles: i64) {
        let first = &mut self.first[from as usize];
        self.list.push(Edge {
            to,
            cycles,
            next: *first,
        });
        *first = self.list.len() as u32 - 1;
        self.missing[to as usize] += 1;
    }

    /// The edges that begin at an instruction.
    fn from(&self, inst: usize) -> impl Iterator<Item = Edge> + '_ {
        let mut at = self.first[inst];
        std::iter::from_fn(move || {
            let edge = *self.list.get(at as usize)?;
            at = edge.next;
            Some(edge)
        })
    }
}

impl<'a> Scheduler<'a> {
    fn new(platform: &'a Platform) -> Scheduler<'a> {
        let mut scheduler = Scheduler {
            platform,
            spills: None,
            model: Model::new(platform),
            start: 0,
            unmasked: false,
            held: Vec::new(),
            touched: Vec::new(),
            facts: Vec::new(),
            edges: Edges::default(),
            heights: Vec::new(),
            order: Vec::new(),
        };
        let places = scheduler.others() + 4;
        scheduler.held = vec![Held::default(); places as usize];
        scheduler
    }

    /// Number of the place after the flag registers.
    fn others(&self) -> u32 {
        self.platform.grf_count + self.platform.flag_count
    }

    fn cause(&self, place: u32) -> Cause {
        let (grfs, others) = (self.platform.grf_count, self.others());
        match place {
            place if place < grfs => Cause::Grf,
            place if place < others => Cause::Flag,
            place if place == others => Cause::Accumulator,
            place if place == others + 1 => Cause::Address,
            _ => Cause::Memory,
        }
    }

    fn block(&mut self, block: &mut Vec<Inst>, before: &[Facts]) {
        if block.len() < 3 {
            return;
        }
        self.facts.clear();
        self.facts.reserve(block.len());
        self.order.clear();
        self.start = self.model.start();
        self.model.run(before);
        let mut first = 0;
        while first < block.len() {
            first = self.region(block, first, before);
        }
        let after = self.model.now() - self.start;
        let start = self.model.start();
        self.model.run(before);
        self.model.run(&self.facts);
        if after < self.model.now() - start {
            let mut old: Vec<Option<Inst>> = block.drain(..).map(Some).collect();
            block.extend(self.order.iter().filter_map(|&n| old[n as usize].take()));
        }
    }

    /// Schedules from an instruction on to the one that ends the region, that included. Gives the one after it.
    fn region(&mut self, block: &[Inst], from: usize, before: &[Facts]) -> usize {
        for place in self.touched.drain(..) {
            let held = &mut self.held[place as usize];
            held.writes.clear();
            held.reads.clear();
        }
        self.edges.clear();
        let mut end = from;
        while end < block.len() {
            let number = (end - from) as u32;
            self.edges.add_inst();
            let inst = &block[end];
            let footprint = footprint::of(inst, self.platform);
            self.facts.push(self.model.facts(inst, &footprint));
            for access in self.registers(inst, &footprint) {
                self.add(number, access, from);
            }
            let movability = self.movability(inst);
            if let Movability::Message { writes, bytes } = movability {
                let place = self.others() + 2;
                let access = Access {
                    place,
                    bytes,
                    writes,
                };
                self.add(number, access, from);
            }
            let writes = self.writes_mode(inst);
            if writes || depends_on_mode(inst, movability) {
                let place = self.others() + 3;
                let access = Access {
                    place,
                    bytes: 1,
                    writes,
                };
                self.add(number, access, from);
            }
            end += 1;
            if movability == Movability::None {
                // Everything before stays before.
                for before in 0..number {
                    self.edges.add(before, number, 0);
                }
                break;
            }
        }
        self.measure(from);
        self.walk(block, from, end);
        if from == 0 {
            self.hide(before);
        }
        end
    }

    fn add(&mut self, inst: u32, access: Access, from: usize) {
        let cause = self.cause(access.place);
        let held = &mut self.held[access.place as usize];
        self.touched.push(access.place);
        for &(before, _) in held
            .writes
            .iter()
            .filter(|(n, bytes)| *n != inst && bytes & access.bytes != 0)
        {
            let time = self.facts[from + before as usize].time();
            let cycles = match cause {
                Cause::Grf | Cause::Address => time.result,
                Cause::Flag => time.flag,
                Cause::Accumulator => time.accumulator,
                Cause::Memory => 0,
            };
            self.edges.add(before, inst, cycles);
        }
        match access.writes {
            true => {
                for &(before, _) in held
                    .reads
                    .iter()
                    .filter(|(n, bytes)| *n != inst && bytes & access.bytes != 0)
                {
                    let read = self.facts[from + before as usize].time().read;
                    let cycles = if cause == Cause::Grf {
                        read.unwrap_or(0)
                    } else {
                        0
                    };
                    self.edges.add(before, inst, cycles);
                }
                for list in [&mut held.writes, &mut held.reads] {
                    list.retain(|(n, bytes)| {
                        // The instruction's own read still counts for later writes.
                        if *n != inst {
                            *bytes &= !access.bytes;
                        }
                        *bytes != 0
                    });
                }
                held.writes.push((inst, access.bytes));
            }
            false => held.reads.push((inst, access.bytes)),
        }
    }

    fn measure(&mut self, from: usize) {
        let count = self.edges.first.len();
        self.heights.clear();
        self.heights.resize(count, 0);
        for inst in (0..count).rev() {
            let after = self
                .edges
                .from(inst)
                .map(|edge| edge.cycles + self.heights[edge.to as usize]);
            self.heights[inst] = self.facts[from + inst].time().issue + after.max().unwrap_or(0);
        }
    }

    /// Puts the instructions of a region in order.
    fn walk(&mut self, block: &[Inst], from: usize, end: usize) {
        let count = end - from;
        let mut done = vec![false; count];
        let mut ready: Vec<u32> = Vec::new();
        // Order among those that wait equally long.
        let rank = |inst: u32| (-self.heights[inst as usize] << 32) + i64::from(inst);
        let ranks: Vec<i64> = (0..count as u32).map(rank).collect();
        let (mut head, mut seen, mut left) = (0, 0, count);
        while head < count {
            while seen < count.min(head + WINDOW_INSTS) {
                if self.edges.missing[seen] == 0 {
                    ready.push(seen as u32);
                }
                seen += 1;
            }
            // The next instruction waits for the result of one that is alone, and a branch cannot.
            let is_last = left <= TAIL_INSTS;
            let unmasked = self.unmasked && self.order.is_empty();
            let key = |&inst: &u32| {
                let facts = &self.facts[from + inst as usize];
                let wait = self.model.wait(facts);
                match facts.alone() {
                    true if is_last => (i64::MIN, 0),
                    true => (wait + facts.time().issue, ranks[inst as usize]),
                    false => (wait, ranks[inst as usize]),
                }
            };
            let key = |inst: &u32| (unmasked && !block[from + *inst as usize].no_mask, key(inst));
            let best = (0..ready.len()).min_by_key(|&n| key(&ready[n]));
            let Some(best) = best else { break };
            let inst = ready.swap_remove(best) as usize;
            left -= 1;
            done[inst] = true;
            self.order.push((from + inst) as u32);
            self.model.issue(&self.facts[from + inst]);
            let mut at = self.edges.first[inst];
            while let Some(&edge) = self.edges.list.get(at as usize) {
                at = edge.next;
                let missing = &mut self.edges.missing[edge.to as usize];
                *missing -= 1;
                if *missing == 0 && (edge.to as usize) < seen {
                    ready.push(edge.to);
                }
            }
            while head < count && done[head] {
                head += 1;
            }
        }
    }

    /// Moves the first instruction of a block that runs alone to where the first region takes least: into the time of a wait.
    fn hide(&mut self, before: &[Facts]) {
        let order = &self.order;
        let Some(at) = (order.iter()).position(|&n| self.facts[n as usize].alone()) else {
            return;
        };
        if at + 1 == order.len() {
            return;
        }
        let alone = order[at];
        let leads = |a: u32, b: u32| self.edges.from(a as usize).any(|edge| edge.to == b);
        let first = (0..at).rev().find(|&place| leads(order[place], alone));
        let first = first.map_or(0, |place| place + 1);
        let last = (at + 1..order.len()).find(|&place| leads(alone, order[place]));
        // A branch cannot wait for it.
        let last = last.unwrap_or(order.len()).min(order.len() - 1) - 1;
        let places = first..last.min(first + MAX_PLACES);
        let end = places.end.max(at) + WINDOW_INSTS;
        let mut order: SmallVec<[u32; WINDOW_INSTS]> = order.iter().copied().take(end).collect();
        let place = |order: &mut [u32], from: usize, to: usize| match from < to {
            true => order[from..=to].rotate_left(1),
            false => order[to..=from].rotate_right(1),
        };
        let mut now = at;
        let mut best = None;
        for to in places.chain([at]) {
            place(&mut order, now, to);
            now = to;
            let start = self.model.start();
            self.model.run(before);
            for &n in &order {
                self.model.issue(&self.facts[n as usize]);
            }
            let cycles = self.model.now() - start;
            if best.is_none_or(|(least, _)| cycles < least) {
                best = Some((cycles, to));
            }
        }
        if let Some((_, to)) = best {
            place(&mut self.order, at, to);
        }
        self.start = self.model.start();
        self.model.run(before);
        for &n in &self.order {
            self.model.issue(&self.facts[n as usize]);
        }
    }

    /// True for a change of bits of the control register that are the mode of floats, where the scoreboard orders it with what is before
    /// and after: without one it switches threads.
    fn writes_mode(&self, inst: &Inst) -> bool {
        let is_control = |reg: Reg| reg.file == RegFile::Control && reg.byte == 0;
        let (Some(dst), [Src::Reg(old), Src::Imm { ty, bits }]) = (inst.dst, &inst.srcs[..]) else {
            return false;
        };
        let simple = inst.pred.is_none()
            && inst.cond.is_none()
            && inst.exec_size == 1
            && inst.no_mask
            && matches!(inst.op, Op::Or | Op::Xor)
            && old.modifier == SrcMod::default()
            && [dst.ty, old.ty] == [Type::Ud; 2];
        self.model.by_distance()
            && simple
            && is_direct(dst.place, is_control)
            && is_direct(old.place, is_control)
            && !matches!(ty, Type::V | Type::Uv | Type::Vf)
            && bits & !MODE_BITS == 0
    }

    /// The instructions that an instruction may be moved over as far as anything but registers is concerned.
    fn movability(&self, inst: &Inst) -> Movability {
        let is_written =
            self.writes_mode(inst) || inst.dst.is_none_or(|dst| is_direct(dst.place, is_plain));
        if !is_written || is_ordered(inst, self.platform) || !inst.srcs.iter().all(is_read) {
            return Movability::None;
        }
        if !inst.op.is_send() {
            return match inst.op.is(Props::EFFECT) {
                true => Movability::None,
                false => Movability::Any,
            };
        }
        match request(inst, self.platform) {
            Some(request) if !request.end_of_thread => {
                let writes = match request.kind.access() {
                    MemoryAccess::Read => false,
                    MemoryAccess::Write => true,
                    MemoryAccess::Other => return Movability::None,
                };
                let bytes = self.parts(inst, &request);
                Movability::Message { writes, bytes }
            }
            _ => Movability::None,
        }
    }

    /// Bits for the parts of memory that a message accesses: the first is shared local memory, the second images as the sampler
    /// reads them, and a block of scratch space has some of the others. Buffers are apart from images: one kernel may not write
    /// memory as the one and read it as the other.
    fn parts(&self, inst: &Inst, request: &Request) -> u64 {
        const LOCAL: u64 = 1;
        const IMAGES: u64 = 2;
        const REST: u64 = 4;
        match request.memory() {
            Memory::Local => return LOCAL,
            Memory::Images if request.function == Function::Sampler => return IMAGES,
            Memory::Images => return !LOCAL,
            Memory::Other => {}
        }
        let fields = &request.fields;
        let (at, bytes) = match (request.kind, fields.offset, fields.block) {
            (Kind::HwordScratchBlockRead | Kind::HwordScratchBlockWrite, Some(at), Some(block)) => {
                (i64::from(at), block.count() * HWORD)
            }
            _ => match ByAddress::of(inst, request, self.platform) {
                Some(block) if self.spills == Some(block.registers) => {
                    (block.offset.into(), block.bytes)
                }
                _ => return !(LOCAL | IMAGES),
            },
        };
        let part = |byte: i64| byte.div_euclid(self.platform.grf_bytes.into());
        let parts = part(at)..=part(at + i64::from(bytes) - 1);
        let count = i64::from(REST.leading_zeros()) + 1;
        parts.fold(0, |all, part| all | REST << part.rem_euclid(count))
    }

    /// The accesses to registers that an instruction names.
    fn registers(&self, inst: &Inst, footprint: &Footprint) -> SmallVec<[Access; 8]> {
        let mut accesses: SmallVec<[Access; 8]> = SmallVec::new();
        let reads = footprint.reads.iter().map(|bytes| (bytes, false));
        for (bytes, writes) in reads.chain([(&footprint.writes, true)]) {
            accesses.extend(bytes.parts().map(|(register, bytes)| Access {
                place: register.into(),
                bytes,
                writes,
            }));
        }
        let others = self.others();
        let mut other = |place: u32, bytes: u64, writes: bool| {
            accesses.push(Access {
                place,
                bytes,
                writes,
            });
        };
        let bits = |first: u32, count: u32| (u64::MAX >> (64 - count.clamp(1, 64))) << first;
        // A flag has a bit for each channel.
        let channels = bits(inst.chan_off.into(), inst.exec_size.into());
        let flag = |reg: Reg, bits: u64| {
            (
                self.platform.grf_count + reg.num,
                bits << (8 * u32::from(reg.byte)),
            )
        };
        let mut operand = |place: Place, size: u32, writes: bool| match place {
            Place::Direct(reg) => match reg.file {
                RegFile::Flag => {
                    let (place, bits) = flag(reg, bits(0, 8 * size));
                    other(place, bits, writes);
                }
                RegFile::Acc | RegFile::Mme => other(others, 1, writes),
                RegFile::Addr => other(others + 1, bits(reg.byte.into(), size), writes),
                _ => {}
            },
            Place::Indirect { .. } => other(others + 1, u64::MAX, false),
        };
        if let Some(Desc::Addr { byte }) = inst.msg.map(|msg| msg.ex_desc) {
            let surface = Place::Direct(Reg::new(RegFile::Addr, 0, byte.into()));
            operand(surface, 4, false);
        }
        for src in &inst.srcs {
            if let Src::Reg(src) = src {
                operand(src.place, src.ty.bytes() * u32::from(inst.exec_size), false);
            }
        }
        if let Some(dst) = inst.dst {
            let size = dst.ty.bytes() * u32::from(inst.exec_size) * u32::from(dst.hstride.max(1));
            operand(dst.place, size, true);
        }
        if let Some(pred) = inst.pred {
            let bits = match pred.ctrl {
                PredCtrl::Normal => channels,
                // Groups of channels, and flags of two registers.
                _ => u64::MAX,
            };
            let (place, bits) = flag(pred.flag, bits);
            other(place, bits, false);
            if pred.ctrl != PredCtrl::Normal {
                for register in 0..self.platform.flag_count {
                    other(self.platform.grf_count + register, u64::MAX, false);
                }
            }
        }
        if let Some(cond) = inst.cond.filter(|cond| cond.flag.file == RegFile::Flag) {
            let (place, bits) = flag(cond.flag, channels);
            other(place, bits, true);
        }
        if inst.op.is_macro() || inst.opts.acc_wr_en || inst.op.is(Props::WRITES_ACC) {
            other(others, 1, true);
        } else if inst.op.is(Props::READS_ACC) {
            other(others, 1, false);
        }
        accesses
    }
}

/// True if an instruction stays where it is for its options, its result or its message.
fn is_ordered(inst: &Inst, platform: &Platform) -> bool {
    let opts = &inst.opts;
    let is_alone = opts.switch || opts.atomic || opts.no_preempt || opts.breakpoint || opts.align16;
    let in_register = |desc: Desc| matches!(desc, Desc::Addr { .. });
    // Where the instruction has the length, the register has the surface alone.
    let surface_alone = second_beside_descriptor(inst, platform.family).is_some();
    // A read that only waits: for a fence, say.
    let waits = inst.op == Op::Mov
        && inst.cond.is_none()
        && inst
            .dst
            .is_some_and(|dst| is_direct(dst.place, Reg::is_null));
    is_alone
        || opts.no_dd_clr
        || opts.no_dd_chk
        || waits
        || matches!(inst.op, Op::Sendc | Op::Sendsc)
        || inst.msg.is_some_and(|msg| {
            msg.eot || in_register(msg.desc) || in_register(msg.ex_desc) && !surface_alone
        })
}

/// True if the mode of floats may change what an instruction does, or if it reads the control register: all but integer operations and
/// messages that read memory.
fn depends_on_mode(inst: &Inst, movability: Movability) -> bool {
    match movability {
        Movability::Any => {}
        Movability::Message { writes, .. } => return writes,
        Movability::None => return true,
    }
    let is_integer = |ty: Type| !ty.is_float();
    let source = |src: &Src| match src {
        Src::Reg(src) => {
            is_integer(src.ty) && is_direct(src.place, |reg| reg.file != RegFile::Control)
        }
        Src::Imm { ty, .. } => is_integer(*ty),
    };
    let simple =
        !matches!(inst.op, Op::Math(_) | Op::Dpas(_) | Op::Dpasw(_)) && !inst.op.is_macro();
    !(simple && inst.dst.is_none_or(|dst| is_integer(dst.ty)) && inst.srcs.iter().all(source))
}

/// True if a source may be read earlier or later.
fn is_read(src: &Src) -> bool {
    use RegFile::{ChannelEnable, Control, State};
    let is_state = |reg: Reg| matches!(reg.file, ChannelEnable | State | Control);
    match src {
        Src::Reg(src) => is_direct(src.place, |reg| is_plain(reg) || is_state(reg)),
        Src::Imm { .. } => true,
    }
}

/// True for a register whose accesses depend on nothing else.
fn is_plain(reg: Reg) -> bool {
    use RegFile::{Acc, Addr, Flag, Grf, Mme, Null};
    matches!(reg.file, Grf | Null | Acc | Mme | Flag | Addr)
}

fn is_direct(place: Place, is: impl Fn(Reg) -> bool) -> bool {
    match place {
        Place::Direct(reg) => is(reg),
        Place::Indirect { .. } => false,
    }
}
