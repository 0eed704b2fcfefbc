//! Estimated cycles of machine code of any compiler.
//!
//! Takes decoded instructions in program order. Each basic block is executed once on a model of one thread that has
//! its execution unit to itself. The thread issues in order; an instruction waits for its sources, for the registers
//! it overwrites, and for the unit that executes it. A block starts with nothing in flight. The sum weighs each block
//! by its execution count or, where that is unknown, by ten for each loop around it. The numbers are in `tables`;
//! `docs/cost-model.md` says what they rest on and what is left out.

mod board;
mod loops;
mod scratch;
mod tables;
pub mod time;
pub mod timeline;

use serde::Serialize;
use smallvec::SmallVec;

use crate::footprint::{self, Bytes, Footprint};
use crate::inst::{CondMod, Desc, Inst, Op, Place, Reg, RegFile, Src, Type};
use crate::messages::{Function, Request};
use crate::platform::Platform;
use crate::scoreboard::{Units, accesses_state};

use board::{Board, Waits};
use loops::Blocks;
use tables::{NO_REGISTER, Table, Unit};
use time::Time;

pub use scratch::{Access, Scratch, accesses, scratch};
pub(crate) use scratch::{ByAddress, HWORD, request};
pub(crate) use tables::is_by_channel;

/// Weight of a loop's body relative to the code around it.
const LOOP_WEIGHT: f64 = 10.0;

/// Execution counts of blocks.
#[derive(Clone, Copy, Debug)]
pub enum Weights<'a> {
    /// Ten for each loop around the block.
    Loops,
    /// Execution count of each instruction.
    Counts(&'a [u64]),
}

/// Cycles by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Cycles {
    /// Issue of instructions.
    pub issue: f64,
    /// Bank conflicts between sources.
    pub banks: f64,
    /// Waits for the result of a computation.
    pub results: f64,
    /// Waits for a message's response, or for the read of its payload.
    pub messages: f64,
    /// Waits for a busy unit.
    pub units: f64,
}

impl Cycles {
    pub fn sum(&self) -> f64 {
        self.issue + self.banks + self.results + self.messages + self.units
    }

    fn add(&mut self, other: &Cycles, weight: f64) {
        self.issue += other.issue * weight;
        self.banks += other.banks * weight;
        self.results += other.results * weight;
        self.messages += other.messages * weight;
        self.units += other.units * weight;
    }
}

/// The cost of a basic block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Block {
    /// Index of the first instruction.
    pub first: usize,
    pub instructions: usize,
    /// Loops around it, including those around calls of its subroutine.
    pub loops: u32,
    /// Weight of the block in the sum.
    pub weight: f64,
    /// Cycles of one execution.
    pub cycles: Cycles,
}

/// The estimate for a piece of code.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Estimate {
    /// Weighted sum over all blocks.
    pub cycles: Cycles,
    pub blocks: Vec<Block>,
}

/// Estimates the cycles of code.
pub fn estimate(code: &[Inst], platform: &Platform, weights: Weights) -> Estimate {
    let blocks = Blocks::new(code);
    let mut model = Model::of_annotations(platform);
    let mut estimate = Estimate::default();
    for (range, &depth) in blocks.starts.windows(2).zip(&blocks.depths) {
        let (first, end) = (range[0] as usize, range[1] as usize);
        let cycles = model.block(&code[first..end]);
        let weight = match weights {
            Weights::Loops => LOOP_WEIGHT.powi(depth as i32),
            Weights::Counts(counts) => counts.get(first).map_or(0.0, |count| *count as f64),
        };
        estimate.cycles.add(&cycles, weight);
        estimate.blocks.push(Block {
            first,
            instructions: end - first,
            loops: depth,
            weight,
            cycles,
        });
    }
    estimate
}

/// The cycle at which something ends. Of two that end in one cycle, a message is the later one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct End(i64);

impl End {
    fn new(cycle: i64, by_message: bool) -> End {
        End(cycle << 1 | i64::from(by_message))
    }

    fn cycle(self) -> i64 {
        self.0 >> 1
    }

    fn by_message(self) -> bool {
        self.0 & 1 != 0
    }
}

/// The ends of the pending accesses of a register.
#[derive(Clone, Copy, Debug, Default)]
struct Ready {
    /// End of the last write.
    written: End,
    /// End of the last read by a message.
    read: End,
    /// Cycle at which the last computation that reads it is over, and its unit: by distances, another pipeline waits for that before it writes.
    used: i64,
    user: Option<Unit>,
}

/// Index of each register that instructions wait for, in one table.
struct Places {
    flags: u16,
    accumulators: u16,
    address: u16,
    count: u16,
}

impl Places {
    /// Number of accumulators that a decoded instruction can name.
    const ACCUMULATORS: u16 = 16;

    fn new(platform: &Platform) -> Places {
        let flags = platform.grf_count as u16;
        let accumulators = flags + 2 * platform.flag_count as u16;
        let address = accumulators + Places::ACCUMULATORS;
        Places {
            flags,
            accumulators,
            address,
            count: address + 1,
        }
    }

    /// Index of a register outside the general file; none if nothing waits for it.
    fn of(&self, file: RegFile, number: u32, byte: u16) -> Option<u16> {
        match file {
            RegFile::Flag => {
                let place = u32::from(self.flags) + 2 * number + u32::from(byte / 2);
                let place = u16::try_from(place).ok()?;
                (place < self.accumulators).then_some(place)
            }
            RegFile::Acc | RegFile::Mme => {
                let number = number % u32::from(Places::ACCUMULATORS);
                Some(self.accumulators + number as u16)
            }
            RegFile::Addr => Some(self.address),
            _ => None,
        }
    }
}

/// Indices of an instruction's registers.
type Indices = SmallVec<[u16; 8]>;

/// All that the time of an instruction depends on.
pub(crate) struct Facts {
    time: Time,
    /// The register of each of the sources that are read through banks; of a systolic operation, that of the second one.
    sources: [u16; 3],
    /// Registers of the second source of a systolic operation.
    columns: i64,
    by_message: bool,
    no_dd_chk: bool,
    /// True if it waits for all computations before it, and the next instruction for it: an access to the thread's state.
    alone: bool,
    /// Registers of all files that are read, the general ones first, and how many these are.
    reads: Indices,
    general_reads: usize,
    writes: Indices,
    /// Annotations, if the model goes by them.
    waits: Option<Waits>,
}

impl Facts {
    pub(crate) fn time(&self) -> &Time {
        &self.time
    }

    pub(crate) fn alone(&self) -> bool {
        self.alone
    }
}

/// The state of a thread.
pub(crate) struct Model<'a> {
    platform: &'a Platform,
    table: &'static Table,
    /// Units of instructions that wait by distances and tokens; none if the hardware watches all registers.
    scoreboard: Option<Units>,
    places: Places,
    now: i64,
    ready: Vec<Ready>,
    /// Cycle at which each unit can take the next instruction.
    units: [i64; Unit::COUNT],
    /// Cycle at which everything issued so far is over.
    horizon: i64,
    /// The registers of the sources of the instruction before.
    sources: [u16; 3],
    /// Cycle at which all computations issued so far are over.
    computed: i64,
    /// Pipelines and tokens, if instructions wait for what their annotations say instead of for general registers.
    board: Option<Board>,
}

impl<'a> Model<'a> {
    pub(crate) fn new(platform: &'a Platform) -> Model<'a> {
        let places = Places::new(platform);
        Model {
            platform,
            table: tables::table(platform.family),
            scoreboard: Units::new(platform),
            now: 0,
            ready: vec![Ready::default(); places.count.into()],
            places,
            units: [0; Unit::COUNT],
            horizon: 0,
            sources: [NO_REGISTER; 3],
            computed: 0,
            board: None,
        }
    }

    /// A model of finished code: where there are annotations, instructions wait for what these say.
    fn of_annotations(platform: &'a Platform) -> Model<'a> {
        Model {
            board: Board::new(platform),
            ..Model::new(platform)
        }
    }

    /// Cycles of one execution of a block.
    fn block(&mut self, insts: &[Inst]) -> Cycles {
        self.start();
        let mut cycles = Cycles::default();
        for inst in insts {
            let facts = self.facts(inst, &footprint::of(inst, self.platform));
            cycles.add(&self.issue(&facts), 1.0);
        }
        cycles
    }

    /// Begins a block, with nothing in flight, and gives the cycle of that.
    pub(crate) fn start(&mut self) -> i64 {
        self.now = self.now.max(self.horizon);
        self.sources = [NO_REGISTER; 3];
        self.now
    }

    pub(crate) fn by_distance(&self) -> bool {
        self.scoreboard.is_some()
    }

    /// The pipeline of an instruction whose end others wait for by distances, before they overwrite what it reads.
    fn pipeline(&self, time: &Time) -> Option<Unit> {
        let units = self.scoreboard.filter(|_| self.board.is_none())?;
        let unit = time.unit.filter(|unit| Unit::PIPES.contains(unit))?;
        (unit != Unit::Math || units.math_pipe).then_some(unit)
    }

    /// The current cycle.
    pub(crate) fn now(&self) -> i64 {
        self.now
    }

    /// Issues instructions.
    pub(crate) fn run(&mut self, facts: &[Facts]) {
        for facts in facts {
            self.issue(facts);
        }
    }

    /// The facts of an instruction with this footprint.
    pub(crate) fn facts(&self, inst: &Inst, footprint: &Footprint) -> Facts {
        let mut time = match inst.op.is_send() {
            true => self.message(inst, footprint),
            false => self.computation(inst),
        };
        // Annotations have the wait themselves.
        let alone = self.by_distance() && self.board.is_none() && accesses_state(inst);
        if alone {
            time.issue += time.result;
        }
        let mut reads = Indices::new();
        for bytes in &footprint.reads {
            for register in bytes.registers() {
                reads.push(register);
            }
        }
        let general_reads = reads.len();
        let mut writes: Indices = footprint.writes.registers().collect();
        self.add_others(inst, &mut reads, &mut writes);
        Facts {
            time,
            sources: sources(inst),
            columns: columns(inst),
            by_message: inst.op.is_send(),
            no_dd_chk: inst.opts.no_dd_chk,
            alone,
            reads,
            general_reads,
            writes,
            waits: self.board.as_ref().map(|board| board.waits(inst)),
        }
    }

    /// The end of what an instruction waits for, or the current cycle.
    fn available(&self, facts: &Facts) -> End {
        let ready = |&at: &u16| self.ready.get(usize::from(at)).copied().unwrap_or_default();
        let mut last = End::new(self.now, false);
        if let (Some(board), Some(waits)) = (&self.board, &facts.waits) {
            last = last.max(board.until(waits));
            // The hardware itself watches the other registers.
            let others = facts
                .reads
                .iter()
                .filter(|place| **place >= self.places.flags);
            return others.map(|at| ready(at).written).fold(last, Ord::max);
        }
        for ready in facts.reads.iter().map(&ready) {
            last = last.max(ready.written);
        }
        if facts.alone {
            last = last.max(End::new(self.computed, false));
        }
        if !facts.no_dd_chk {
            for ready in facts.writes.iter().map(&ready) {
                last = last.max(ready.written).max(ready.read);
                if ready.user != facts.time.unit {
                    last = last.max(End::new(ready.used, false));
                }
            }
        }
        last
    }

    /// Cycles until an instruction can be issued and its unit takes it.
    pub(crate) fn wait(&self, facts: &Facts) -> i64 {
        let at = self.available(facts).cycle();
        let unit = facts.time.unit.map_or(0, |unit| self.units[unit as usize]);
        let issue = facts.time.issue + self.banks(facts);
        at.max(unit - issue) - self.now
    }

    /// Issues an instruction, and gives what that takes.
    pub(crate) fn issue(&mut self, facts: &Facts) -> Cycles {
        let mut cycles = Cycles::default();
        let time = &facts.time;
        let available = self.available(facts);
        let at = available.cycle();
        match available.by_message() {
            true => cycles.messages += (at - self.now) as f64,
            false => cycles.results += (at - self.now) as f64,
        }
        let banks = self.banks(facts);
        self.now = at + time.issue + banks;
        cycles.issue += time.issue as f64;
        cycles.banks += banks as f64;
        let is_kept = self.sources[1] == facts.sources[1];
        self.sources = facts.sources;
        for register in &mut self.sources {
            if facts.writes.contains(register) {
                *register = NO_REGISTER;
            }
        }
        if let Some(unit) = time.unit {
            let free = &mut self.units[unit as usize];
            cycles.units += (*free - self.now).max(0) as f64;
            self.now = self.now.max(*free);
            // Columns are read a register a cycle, unless the operation before had the same.
            let columns = if is_kept { 0 } else { facts.columns };
            *free = self.now + time.busy.max(columns);
            self.horizon = self.horizon.max(*free);
        }
        if let Some(unit) = self.pipeline(time) {
            for &register in &facts.reads[..facts.general_reads] {
                if let Some(ready) = self.ready.get_mut(usize::from(register)) {
                    ready.used = self.now + time.result;
                    ready.user = Some(unit);
                }
            }
        }
        if let Some(after) = time.read {
            for &register in &facts.reads[..facts.general_reads] {
                self.mark_busy(register, after, |ready, at| ready.read = End::new(at, true));
            }
        }
        if let (Some(board), Some(waits)) = (&mut self.board, &facts.waits) {
            board.issue(waits, self.now, &facts.time);
        }
        if !facts.by_message {
            self.computed = self.computed.max(self.now + time.result);
        }
        let by_message = facts.by_message;
        for &place in &facts.writes {
            let after = match place {
                place if place < self.places.flags || place == self.places.address => time.result,
                place if place >= self.places.accumulators => time.accumulator,
                _ => time.flag,
            };
            self.mark_busy(place, after, |ready, at| {
                ready.written = End::new(at, by_message);
            });
        }
        cycles
    }

    /// Cycles that an operation loses to clashes of banks.
    fn banks(&self, facts: &Facts) -> i64 {
        let Some(banks) = &self.table.banks else {
            return 0;
        };
        let mut read = facts.sources;
        if banks.keeps {
            for (register, before) in read.iter_mut().zip(self.sources) {
                if *register == before {
                    *register = NO_REGISTER;
                }
            }
        }
        banks.cycles(read) * facts.time.passes
    }

    /// Marks a register as busy for a number of cycles from now.
    fn mark_busy(&mut self, place: u16, after: i64, with: impl Fn(&mut Ready, i64)) {
        let at = self.now + after;
        self.horizon = self.horizon.max(at);
        if let Some(ready) = self.ready.get_mut(usize::from(place)) {
            with(ready, at);
        }
    }

    /// Adds the registers outside the general file that an instruction reads, and those that it writes.
    fn add_others(&self, inst: &Inst, reads: &mut Indices, writes: &mut Indices) {
        let place = |reg: Reg| self.places.of(reg.file, reg.num, reg.byte);
        let operand = |of: Place| match of {
            Place::Direct(reg) => place(reg),
            Place::Indirect { .. } => Some(self.places.address),
        };
        let add = |list: &mut Indices, place: Option<u16>| {
            if let Some(place) = place {
                list.push(place);
            }
        };
        for src in &inst.srcs {
            if let Src::Reg(src) = src {
                add(reads, operand(src.place));
            }
        }
        add(reads, inst.pred.and_then(|pred| place(pred.flag)));
        if let Some(message) = inst.msg {
            let descriptors = [message.desc, message.ex_desc];
            let in_register = |desc: &Desc| matches!(desc, Desc::Addr { .. });
            let address = descriptors.iter().any(in_register);
            add(reads, address.then_some(self.places.address));
        }
        match inst.dst.map(|dst| dst.place) {
            Some(Place::Direct(reg)) => add(writes, place(reg)),
            Some(Place::Indirect { .. }) => reads.push(self.places.address),
            None => {}
        }
        add(
            writes,
            inst.cond.and_then(|CondMod { flag, .. }| place(flag)),
        );
        let accumulator = self.places.accumulators;
        if matches!(inst.op, Op::Mac | Op::Mach | Op::Macl) {
            reads.push(accumulator);
        }
        if inst.opts.acc_wr_en || matches!(inst.op, Op::Addc | Op::Subb | Op::Mach) {
            writes.push(accumulator);
        }
    }

    fn computation(&self, inst: &Inst) -> Time {
        let sources: SmallVec<[Type; 4]> = inst.srcs.iter().map(Src::ty).collect();
        let result = inst.dst.map(|dst| (dst.ty, dst.hstride));
        time::computation(self.platform, inst.op, inst.exec_size, &sources, result)
    }

    fn message(&self, inst: &Inst, footprint: &Footprint) -> Time {
        let request = scratch::request(inst, self.platform);
        let registers = |bytes: &Bytes| bytes.registers().count() as u32;
        let message = time::Message {
            function: Function::of(inst.msg.map_or(0, |message| message.sfid)),
            request: request.map(|request: Request| (request.kind, request.header)),
            cache: request.and_then(|request| request.fields.cache),
            exec_size: inst.exec_size,
            payload: footprint.reads.iter().map(registers).sum(),
            result: registers(&footprint.writes),
        };
        time::message(self.platform, &message)
    }
}

/// The registers of the sources of a computation in pipelines that read through banks.
fn sources(inst: &Inst) -> [u16; 3] {
    let mut sources = [NO_REGISTER; 3];
    if inst.op.is_send() || matches!(inst.op, Op::Math(_)) {
        return sources;
    }
    for (n, (register, src)) in sources.iter_mut().zip(&inst.srcs).enumerate() {
        if let Src::Reg(src) = src
            && let Some(reg) = footprint::general(src.place)
            && (n == 1 || !inst.op.is_systolic())
        {
            *register = reg.num as u16;
        }
    }
    sources
}

/// Registers of the second source of a systolic operation.
fn columns(inst: &Inst) -> i64 {
    match (inst.op, &inst.srcs[..]) {
        (Op::Dpas(shape) | Op::Dpasw(shape), [_, columns, rows]) => {
            shape.column_registers(columns.ty(), rows.ty()).into()
        }
        _ => 0,
    }
}
