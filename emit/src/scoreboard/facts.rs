//! Facts of instructions that the scoreboard goes by: unit, registers, and the waits that no register causes.
//!
//! A chain of systolic operations is one node: its first instruction has the registers of all and waits for them; its
//! last takes the token. Registers of an indirect operand and of a message whose length is in a register are unknown:
//! the former may be all, the latter as many as a message can have.

use std::num::NonZeroU64;
use std::ops::Range;

use kiln_platform::errata::Erratum;
use kiln_platform::op::Props;
use kiln_platform::rules::{Rules, rules};

use super::registers::{self, GRFS, Kind, Registers};
use super::state::accesses_state;
use super::units::{Unit, Units};
use crate::assemble::Program;
use crate::encoding::swsb::SwsbSpec;
use crate::footprint::{self, Bytes, Footprint};
use crate::inst::{Desc, Inst, Op, Place, Pred, PredCtrl, Reg, RegFile, Src, Target, Type};
use crate::messages::{Access, Descriptors, Function, Request, second_beside_descriptor};
use crate::platform::Platform;

/// The order of reads out of order: those of equal keys read one after the other. The key has the unit and the channels.
pub(super) type Order = Option<NonZeroU64>;

/// Numbers of units after those of shared functions.
const MATH_UNIT: u8 = 16;
const SYSTOLIC_UNIT: u8 = 17;

/// An access to bytes of a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub register: u16,
    pub writes: bool,
    pub bytes: u64,
}

/// Properties of an instruction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    pub unit: Unit,
    /// First of its parts; the next instruction's are behind the last.
    first_part: u32,
    /// The pipeline in which a distance without a name counts, if it is one.
    pub own: Option<u8>,
    pub order: Order,
    /// The instruction that takes the token: the last of a chain, or itself.
    pub setter: u32,
    pub notes: Notes,
}

/// Notes on an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Notes(u16);

impl Notes {
    /// Ends everything in order.
    pub const BRANCH: Notes = Notes(1);
    /// Calls, returns and jumps to unknown places: nothing may be unfinished.
    pub const LEAVES: Notes = Notes(1 << 1);
    /// Does not reach the next instruction.
    pub const ENDS: Notes = Notes(1 << 2);
    /// Accesses registers that nothing in a pipeline may change meanwhile.
    pub const ALONE: Notes = Notes(1 << 3);
    /// Writes the address register.
    pub const ADDRESS: Notes = Notes(1 << 4);
    /// Reads registers that are unknown.
    pub const READS_ANY: Notes = Notes(1 << 5);
    /// Writes registers that are unknown.
    pub const WRITES_ANY: Notes = Notes(1 << 6);
    /// Writes bytes, which are merged into words.
    pub const MERGES: Notes = Notes(1 << 7);
    /// Loads from shared local memory.
    pub const LOADS_LOCAL: Notes = Notes(1 << 8);
    /// Stores to shared local memory, or a fence of it.
    pub const STORES_LOCAL: Notes = Notes(1 << 9);
    /// A fence: messages after it wait for it.
    pub const FENCE: Notes = Notes(1 << 10);
    /// Bound to the instruction before: it waits for nothing itself.
    pub const BOUND: Notes = Notes(1 << 11);
    /// Takes a token.
    pub const SETS: Notes = Notes(1 << 12);
    /// Waits until all before it have finished, though it does not depend on them.
    pub const LAST: Notes = Notes(1 << 13);

    pub(super) fn has(self, other: Notes) -> bool {
        self.0 & other.0 != 0
    }

    fn add(&mut self, other: Notes, if_true: bool) {
        if if_true {
            self.0 |= other.0;
        }
    }
}

/// The code as the scoreboard sees it; instructions are numbered through all blocks.
#[derive(Debug)]
pub(super) struct Code<'a> {
    pub platform: &'a Platform,
    pub swsb: &'static SwsbSpec,
    pub rules: &'static Rules,
    pub units: Units,
    /// General registers that indirect operands may access.
    pub indirect: Registers,
    facts: Vec<Fact>,
    parts: Vec<Part>,
    /// Number of the first instruction of each block, and the number of all.
    pub starts: Vec<u32>,
}

impl<'a> Code<'a> {
    pub(super) fn new(
        program: &Program,
        platform: &'a Platform,
        swsb: &'static SwsbSpec,
        units: Units,
        indirect: &[Range<u32>],
    ) -> Code<'a> {
        let count = program.blocks.iter().map(Vec::len).sum();
        let mut code = Code {
            platform,
            swsb,
            rules: rules(platform.family),
            units,
            indirect: Registers::default(),
            facts: Vec::with_capacity(count),
            parts: Vec::with_capacity(count * EXPECTED_PARTS),
            starts: Vec::with_capacity(program.blocks.len() + 1),
        };
        for register in indirect.iter().flat_map(Range::clone) {
            if register < u32::from(GRFS) {
                code.indirect.insert(register as u16);
            }
        }
        for block in &program.blocks {
            code.starts.push(code.facts.len() as u32);
            for (at, inst) in block.iter().enumerate() {
                code.add(inst, at.checked_sub(1).map(|before| &block[before]));
            }
            code.chains(block);
        }
        code.starts.push(code.facts.len() as u32);
        code
    }

    pub(super) fn fact(&self, inst: u32) -> &Fact {
        &self.facts[inst as usize]
    }

    pub(super) fn parts(&self, inst: u32) -> &[Part] {
        let first = self.facts[inst as usize].first_part;
        let end = self.facts.get(inst as usize + 1);
        let end = end.map_or(self.parts.len(), |next| next.first_part as usize);
        &self.parts[first as usize..end]
    }

    /// Numbers of a block's instructions.
    pub(super) fn insts(&self, block: usize) -> std::ops::Range<u32> {
        self.starts[block]..self.starts[block + 1]
    }

    /// Number of instructions.
    pub(super) fn len(&self) -> usize {
        self.facts.len()
    }

    fn add(&mut self, inst: &Inst, before: Option<&Inst>) {
        let unit = self.units.unit(inst);
        let mut notes = self.notes(inst, unit);
        let first_part = self.parts.len() as u32;
        self.registers(inst, unit, &mut notes);
        notes.add(
            Notes::ALONE,
            accesses_state(inst) || before.is_some_and(accesses_state),
        );
        self.facts.push(Fact {
            unit,
            first_part,
            own: self.own(inst),
            order: self.order(inst),
            setter: self.facts.len() as u32,
            notes,
        });
    }

    /// The pipeline in which a distance without a name counts.
    fn own(&self, inst: &Inst) -> Option<u8> {
        let named = [Erratum::DistanceAndToken, Erratum::LongTypeWaits];
        match named.iter().any(|&erratum| self.platform.needs(erratum)) {
            true => None,
            false => self.units.own(inst),
        }
    }

    fn notes(&self, inst: &Inst, unit: Unit) -> Notes {
        let mut notes = Notes::default();
        let by_register = inst.jip == Some(Target::Reg) || inst.uip == Some(Target::Reg);
        let call = matches!(inst.op, Op::Call | Op::Calla | Op::Ret);
        let eot = inst.msg.is_some_and(|message| message.eot);
        let jumps = inst.op == Op::Jmpi && inst.pred.is_none();
        notes.add(Notes::BRANCH, inst.op.is_branch());
        notes.add(
            Notes::LEAVES,
            call || inst.op.is_branch() && (by_register || !inst.srcs.is_empty()),
        );
        notes.add(
            Notes::ENDS,
            jumps || eot || matches!(inst.op, Op::Ret | Op::Illegal),
        );
        let takes = unit == Unit::Token;
        let waits = self.platform.needs(Erratum::EndWaitsForAll);
        notes.add(Notes::LAST, eot && waits);
        // Before there was a math pipeline, the message that ends the thread had none.
        notes.add(Notes::SETS, takes && (!eot || self.units.math_pipe));
        let byte = inst.dst.is_some_and(|dst| dst.ty.bytes() == 1);
        let merges = self.rules.byte_merges && byte && self.is_general(inst);
        notes.add(Notes::MERGES, merges);
        self.message_notes(inst, &mut notes);
        notes
    }

    fn is_general(&self, inst: &Inst) -> bool {
        inst.dst
            .is_some_and(|dst| footprint::general(dst.place).is_some())
    }

    fn message_notes(&self, inst: &Inst, notes: &mut Notes) {
        let Some(of) = inst.msg.as_ref().and_then(Descriptors::of) else {
            return;
        };
        // A fence has a register each way at most.
        let short = of.payload() <= 1 && of.response() <= 1;
        if !short && Function::of(of.sfid) != Function::LocalMemory {
            return;
        }
        let Ok(request) = Request::decode(of, self.platform.family) else {
            return;
        };
        let local = request.function == Function::LocalMemory;
        let fence = request.kind.is_fence();
        let loads = request.kind.access() == Access::Read || request.response != 0;
        let waited = self.platform.needs(Erratum::FenceTokenWaited);
        notes.add(Notes::FENCE, fence && waited);
        if self.platform.needs(Erratum::LocalLoadsReadLate) {
            notes.add(Notes::LOADS_LOCAL, local && loads && !fence);
            notes.add(Notes::STORES_LOCAL, local && (!loads || fence));
        }
    }

    /// Two messages read in order if the same function executes them for the same channels. Without a predicate,
    /// channels are only known if the execution mask applies.
    fn order(&self, inst: &Inst) -> Order {
        let unit = match inst.op {
            Op::Math(_) => MATH_UNIT,
            op if op.is_systolic() => SYSTOLIC_UNIT,
            op if op.is_send() => {
                let message = inst.msg?;
                let known = self.units.one_pipe || matches!(message.desc, Desc::Imm(_));
                known.then_some(message.sfid)?
            }
            _ => MATH_UNIT,
        };
        let known = inst.pred.is_some() || !inst.no_mask;
        let fields = [unit, inst.exec_size, inst.chan_off].map(u64::from);
        let key = fields.iter().fold(1, |key, field| key << 8 | field);
        let key = key << 16 | inst.pred.as_ref().map_or(0, predicate_key);
        known.then(|| NonZeroU64::new(key))?
    }

    /// Adds the accesses of an instruction.
    fn registers(&mut self, inst: &Inst, unit: Unit, notes: &mut Notes) {
        let Footprint { reads, writes } = &self.footprint(inst);
        let may_be_stale =
            self.platform.needs(Erratum::IntraReadSuppression) && matches!(unit, Unit::Pipe(_));
        for (n, read) in reads.iter().enumerate() {
            for (register, bytes) in read.parts() {
                let whole = may_be_stale && is_read_twice(reads, n, register);
                self.access(register, if whole { u64::MAX } else { bytes }, false);
            }
        }
        self.others(inst, notes);
        let math = matches!(inst.op, Op::Math(_));
        let needs = |erratum| math && self.platform.needs(erratum);
        let whole = needs(Erratum::MathReadSuppression) || needs(Erratum::MathWholeRegisters);
        for (register, bytes) in writes.parts() {
            let bytes = match notes.has(Notes::MERGES) {
                _ if whole => u64::MAX,
                true => words(bytes),
                false => bytes,
            };
            self.access(register, bytes, true);
        }
    }

    fn access(&mut self, register: u16, bytes: u64, writes: bool) {
        self.parts.push(Part {
            register,
            writes,
            bytes,
        });
    }

    /// The general registers of an instruction.
    fn footprint(&self, inst: &Inst) -> Footprint {
        let to_null = inst
            .dst
            .is_some_and(|dst| matches!(dst.place, Place::Direct(reg) if reg.is_null()));
        let mut footprint = match inst.op == Op::Mov && to_null {
            // A move to null waits for what it reads, whatever it is for.
            true => footprint::of(
                &Inst {
                    dst: None,
                    ..inst.clone()
                },
                self.platform,
            ),
            false => footprint::of(inst, self.platform),
        };
        let grf_bytes = self.platform.grf_bytes;
        if inst.op.is_systolic() && self.platform.needs(Erratum::SystolicSource8) {
            footprint
                .reads
                .extend(footprint::columns(inst, self.platform));
        }
        let Some(message) = inst.msg else {
            return footprint;
        };
        let count = self.platform.grf_count;
        let from = |place, length: u32| {
            let first = footprint::general(place)?.num;
            let length = length.min(count.saturating_sub(first));
            Some(footprint::registers(first, length, grf_bytes))
        };
        let payload = |src: &Src, length| match src {
            Src::Reg(src) => from(src.place, length),
            Src::Imm { .. } => None,
        };
        if matches!(message.desc, Desc::Addr { .. }) {
            let first = inst.srcs.first();
            footprint
                .reads
                .extend(first.and_then(|src| payload(src, MAX_PAYLOAD)));
            let written = inst.dst.and_then(|dst| from(dst.place, MAX_RESPONSE));
            footprint.writes = written.unwrap_or_default();
        }
        let unknown = matches!(message.ex_desc, Desc::Addr { .. })
            && second_beside_descriptor(inst, self.platform.family).is_none();
        if unknown {
            let second = inst.srcs.get(1);
            footprint
                .reads
                .extend(second.and_then(|src| payload(src, MAX_RESPONSE)));
        }
        footprint
    }

    /// Adds accesses to registers other than the general ones, and notes those that are unknown.
    fn others(&mut self, inst: &Inst, notes: &mut Notes) {
        let size = |ty: Type| u32::from(inst.exec_size) * ty.bytes();
        for src in &inst.srcs {
            if let Src::Reg(src) = src {
                let any = self.other(src.place, size(src.ty), false);
                notes.add(Notes::READS_ANY, any);
            }
        }
        if let Some(dst) = inst.dst {
            let any = self.other(dst.place, size(dst.ty), true);
            notes.add(Notes::WRITES_ANY, any);
            let address = matches!(dst.place, Place::Direct(reg) if reg.file == RegFile::Addr);
            notes.add(Notes::ADDRESS, address);
        }
        if let Some(message) = inst.msg {
            for desc in [message.desc, message.ex_desc] {
                if let Desc::Addr { byte } = desc {
                    self.register(Reg::new(RegFile::Addr, 0, byte.into()), 4, false);
                }
            }
        }
        let channels = inst.exec_size + inst.chan_off;
        if let Some(pred) = inst.pred
            && self.platform.needs(Erratum::FlagsReadEarly)
        {
            let group = match pred.ctrl {
                PredCtrl::Any(group) | PredCtrl::All(group) => group,
                _ => 1,
            };
            self.register(pred.flag, group.max(channels).div_ceil(8).into(), false);
        }
        if let Some(cond) = inst.cond {
            self.register(cond.flag, channels.div_ceil(8).into(), true);
        }
        let accumulator = Reg::new(RegFile::Acc, 0, 0);
        if inst.opts.acc_wr_en || inst.op.is(Props::WRITES_ACC) {
            self.register(accumulator, size(Type::Ud), true);
        } else if inst.op.is(Props::READS_ACC) {
            self.register(accumulator, size(Type::Ud), false);
        }
    }

    /// Adds an operand that is no general register; true if it is unknown.
    fn other(&mut self, place: Place, size: u32, writes: bool) -> bool {
        match place {
            Place::Direct(reg) => {
                if reg.file != RegFile::Grf {
                    self.register(reg, size, writes);
                }
                false
            }
            Place::Indirect { addr, .. } => {
                self.register(addr, size, false);
                true
            }
        }
    }

    /// Adds an access to a number of bytes of a register.
    fn register(&mut self, reg: Reg, size: u32, writes: bool) {
        let Some(register) = registers::number(reg.file, reg.num) else {
            return;
        };
        let tracked = match registers::kind(register) {
            Kind::Tracked => true,
            Kind::Overwritten => !self.units.one_pipe,
            Kind::ReadOnly => self.rules.guards_addresses,
        };
        if !tracked {
            return;
        }
        // Flags by their halves; of the others any access meets any.
        let bytes = match reg.file {
            RegFile::Flag if size > 2 => u64::MAX,
            RegFile::Flag => 3 << reg.byte.min(62),
            _ => u64::MAX,
        };
        self.access(register, bytes, writes);
    }

    /// Makes chains of systolic operations one node each, in the last block that was added.
    fn chains(&mut self, block: &[Inst]) {
        let base = self.facts.len() - block.len();
        let mut at = 0;
        while at < block.len() {
            let bound = |n: usize| {
                let next = block.get(n + 1);
                block[n].op.is_systolic()
                    && block[n].opts.atomic
                    && next.is_some_and(|next| next.op.is_systolic())
            };
            let mut last = at;
            while bound(last) {
                last += 1;
            }
            if last > at {
                self.facts[base + at].setter = (base + last) as u32;
                // Parts are in order, so that those of all can be the first one's.
                let end = self.facts.get(base + last + 1);
                let end = end.map_or(self.parts.len() as u32, |fact| fact.first_part);
                for fact in &mut self.facts[base + at + 1..=base + last] {
                    fact.first_part = end;
                    fact.unit = Unit::None;
                    fact.notes = Notes::BOUND;
                }
            }
            at = last + 1;
        }
    }
}

/// Accesses of an instruction in most code, for the size of their list.
const EXPECTED_PARTS: usize = 6;

/// Maximum numbers of registers of a payload and of a response.
const MAX_PAYLOAD: u32 = 15;
const MAX_RESPONSE: u32 = 32;

/// True for a register that two sources read, where one may get what the other read before.
fn is_read_twice(reads: &[Bytes], n: usize, register: u16) -> bool {
    let mut others = (0..reads.len()).filter(|&other| other != n);
    others.any(|other| reads[other].registers().any(|read| read == register))
}

/// A number for a predicate, not 0.
fn predicate_key(pred: &Pred) -> u64 {
    let (kind, group) = match pred.ctrl {
        PredCtrl::Normal => (1, 0),
        PredCtrl::AnyV => (2, 0),
        PredCtrl::AllV => (3, 0),
        PredCtrl::Any(group) => (4, group),
        PredCtrl::All(group) => (5, group),
        PredCtrl::AnyChannel => (6, 0),
        PredCtrl::AllChannels => (7, 0),
        PredCtrl::Replicate(channel) => (8, channel),
    };
    let flag = u64::from(pred.flag.num) << 1 | u64::from(pred.flag.byte / 2);
    kind << 12 | u64::from(group) << 6 | (flag & 31) << 1 | u64::from(pred.inverse)
}

/// Bytes rounded to words.
fn words(bytes: u64) -> u64 {
    let low = (bytes | bytes >> 1) & (u64::MAX / 3);
    low | low << 1
}

pub(super) fn places(inst: &Inst) -> impl Iterator<Item = Place> {
    let srcs = inst.srcs.iter().filter_map(|src| match src {
        Src::Reg(src) => Some(src.place),
        Src::Imm { .. } => None,
    });
    srcs.chain(inst.dst.map(|dst| dst.place))
}
