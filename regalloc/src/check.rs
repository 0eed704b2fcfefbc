//! Proof of an allocation: a program does what the function from which it was made says.
//!
//! Takes the function and the program, and shares nothing else with the passes that made the program. A data-flow
//! analysis over the program tracks the values of the function that each place holds: units of general registers,
//! words of flags and of the address register, slots of scratch space. A place may hold several values (copies, block
//! parameters and their arguments). Guarantees that each instruction of the function is in the program once, in its
//! order, with its operands, and reads its values from places that hold them. Every other instruction is a known copy,
//! a spill, a fill, or a part of the block's terminator. At a join, a place holds the values that it holds on all
//! paths. States only lose values on the way to the fixpoint, so that each block is walked a few times.

use std::cell::Cell;
use std::collections::BTreeSet;

use cranelift_entity::SecondaryMap;
use kiln_emit::inst::{
    Desc, Dst, Inst as Gen, Op, Place, PredCtrl, Reg, RegFile, Region, Src, SrcReg, Target, Type,
};
use kiln_machine::func::{Block, Class, Entered, Function, Term};
use kiln_machine::graph::Graph;
use kiln_machine::inst::{self, Base, Inst, Old, Opcode, VReg};
use kiln_machine::liveness::Liveness;
use kiln_platform::abi::Stack;
use kiln_platform::bits::{GrfSet, UnitSet};
use kiln_platform::platform::{MessageFamily, UNIT_GRFS};
use smallvec::SmallVec;

mod addresses;
mod calls;
mod routines;
mod state;

use crate::flags::ADDED;
use crate::layout::TERM;
use crate::routines::{Convention, Parts};
use crate::{Allocated, layout};
use state::{Far, Held, Part, State};

/// A difference between program and function, with its place in the program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("block {block}, instruction {index}: {what}")]
pub struct Wrong {
    pub block: usize,
    pub index: usize,
    pub what: String,
}

type Result<T = ()> = std::result::Result<T, String>;

/// Bytes of a word of flags and addresses.
const WORD: u32 = 2;
/// Bytes of an hword, the unit of scratch block messages.
const HWORD: u32 = 32;

/// A write of a flag or an address: the place, the value, its bytes, and the old value.
struct Write {
    to: Reg,
    v: VReg,
    byte: u32,
    bytes: u32,
    old: Option<VReg>,
}

/// The result of such a write: words of a file, or a unit that holds the value instead.
enum Written {
    Words { to: Reg, words: Vec<(usize, Held)> },
    Unit { unit: usize, v: VReg, part: Part },
}

struct Checker<'a> {
    func: &'a Function,
    parts: &'a Parts,
    /// The convention of the function, if it is a subroutine.
    own: Option<&'a Convention>,
    /// The registers that callers take to be clobbered, if they call the function by name.
    overwritten: GrfSet,
    /// Units that it overwrites.
    written: Cell<UnitSet>,
    program: &'a [Vec<Gen>],
    origins: &'a layout::Origins,
    live: Liveness,
    unit_bytes: u32,
    grf_bytes: u32,
    /// The register that holds the copy of r0 that the program begins with.
    header: Option<u32>,
    /// The program's blocks of each block: the first, and the last.
    range: SecondaryMap<Block, Option<(usize, usize)>>,
    resolved: SecondaryMap<Block, Option<Block>>,
    /// The place of an error.
    at: (usize, usize),
}

/// Checks a program against its function, which calls no subroutines.
///
/// # Errors
/// As [`check_part`].
pub fn check(func: &Function, allocated: &Allocated) -> std::result::Result<(), Wrong> {
    check_part(func, allocated, &Parts::default())
}

/// Checks a program against its function, against the conventions of the subroutines that it calls and, if it is one,
/// against its own.
///
/// # Errors
/// The first difference from the function.
pub fn check_part(
    func: &Function,
    allocated: &Allocated,
    parts: &Parts,
) -> std::result::Result<(), Wrong> {
    let mut c = Checker {
        parts,
        own: allocated.convention.as_ref(),
        overwritten: allocated.stats.overwritten,
        written: Cell::new(UnitSet::EMPTY),
        func,
        program: &allocated.program.blocks,
        origins: &allocated.origins,
        live: Liveness::new(func, &Graph::new(func)),
        unit_bytes: func.target.unit_bytes(),
        grf_bytes: func.target.grf_bytes,
        header: allocated
            .program
            .blocks
            .first()
            .and_then(|block| copied(block.first()?)),
        range: SecondaryMap::new(),
        resolved: SecondaryMap::new(),
        at: (0, 0),
    };
    c.run().map_err(|what| Wrong {
        block: c.at.0,
        index: c.at.1,
        what,
    })
}

/// The register that an instruction copies r0 to, if it does.
fn copied(inst: &Gen) -> Option<u32> {
    let r0 = |src: &Src| matches!(src, Src::Reg(r) if r.place == Place::Direct(Reg::grf(0)));
    match inst.dst?.place {
        Place::Direct(to) if inst.op == Op::Mov && inst.srcs.iter().all(r0) => Some(to.num),
        _ => None,
    }
}

impl Checker<'_> {
    fn run(&mut self) -> Result {
        let same = self.program.len() == self.origins.blocks.len()
            && self
                .program
                .iter()
                .map(Vec::len)
                .eq(self.origins.insts.iter().map(Vec::len));
        if !same {
            return Err("the program has other instructions than are accounted for".into());
        }
        for (i, &b) in self.origins.blocks.iter().enumerate() {
            self.range[b] = match self.range[b] {
                None => Some((i, i)),
                Some((first, last)) if last + 1 == i => Some((first, i)),
                Some(_) => return Err(format!("{b} is there twice")),
            };
        }
        if self.origins.blocks.first() != self.resolve(self.func.entry())?.as_ref() {
            return Err("the program does not begin with the entry".into());
        }
        let mut states: SecondaryMap<Block, Option<Box<State>>> = SecondaryMap::new();
        states[self.func.entry()] = Some(Box::new(self.entry()?));
        let again = self.reached_again();
        let mut work = BTreeSet::from([self.func.entry()]);
        while let Some(b) = work.pop_first() {
            // All blocks before this one are done, so that no other state comes to one outside of loops.
            let kept = match again[b] {
                true => states[b].clone(),
                false => states[b].take(),
            };
            let Some(mut state) = kept.map(|state| *state) else {
                continue;
            };
            self.block(b, &mut state)?;
            for edge in &self.func.blocks[b].succs {
                let there = self.cross(&state, edge);
                match &mut states[edge.to] {
                    Some(old) => {
                        let before = old.clone();
                        old.meet(&there);
                        if *old != before {
                            work.insert(edge.to);
                        }
                    }
                    none => {
                        *none = Some(Box::new(there));
                        work.insert(edge.to);
                    }
                }
            }
        }
        self.loses_as_said(self.overwritten)?;
        self.overwrites_as_said()
    }

    /// Blocks that lie between the ends of an edge back, in the order of their numbers.
    fn reached_again(&self) -> SecondaryMap<Block, bool> {
        let mut first: SecondaryMap<Block, Option<Block>> = SecondaryMap::new();
        for (b, data) in self.func.blocks.iter() {
            let back = data.succs.iter().map(|edge| edge.to).filter(|to| *to <= b);
            first[b] = back.min();
        }
        let mut again = SecondaryMap::new();
        let mut least = None;
        for b in self.func.blocks.keys().rev() {
            least = [least, first[b]].into_iter().flatten().min();
            again[b] = least.is_some_and(|least| least <= b);
        }
        again
    }

    fn entry(&self) -> Result<State> {
        let target = self.func.target;
        let units = target.grf_count / UNIT_GRFS;
        let mut state = State::new(units as usize, target.flag_count as usize * 2);
        self.called(&mut state);
        if self.func.entered == Entered::Subroutine {
            self.begin(&mut state)?;
        }
        for &(v, grf) in &self.func.inputs {
            let Some(grf) = grf else { continue };
            let unit = grf * self.grf_bytes / self.unit_bytes;
            state.units[unit as usize].push((v, Part::WHOLE));
        }
        Ok(state)
    }

    /// The state after an edge: live values, and parameters in the places of their arguments.
    fn cross(&self, state: &State, edge: &kiln_machine::func::Edge) -> State {
        let mut passed: Vec<(VReg, VReg)> = (edge.args.iter().copied())
            .zip(self.func.blocks[edge.to].params.iter().copied())
            .collect();
        passed.sort_unstable();
        let live = self.live.live_in(edge.to);
        state.follow(|v| {
            let lives = live.binary_search(&v).is_ok() || self.is_callers(v);
            let first = passed.partition_point(|&(a, _)| a < v);
            let params = passed[first..].iter().take_while(move |&&(a, _)| a == v);
            lives
                .then_some(v)
                .into_iter()
                .chain(params.map(|&(_, p)| p))
        })
    }

    /// Follows blocks without code to one that is in the program.
    fn resolve(&mut self, from: Block) -> Result<Option<Block>> {
        let mut path = Vec::new();
        let mut b = from;
        let end = loop {
            if let Some(end) = self.resolved[b] {
                break end;
            }
            if self.range[b].is_some() {
                break b;
            }
            let block = &self.func.blocks[b];
            let code = block.insts.iter().any(|i| i.op != Opcode::Undef);
            if block.term != Term::Jump || code || path.len() > self.func.blocks.len() {
                return Err(format!("{b} is not in the program"));
            }
            path.push(b);
            b = block.succs[0].to;
        };
        for b in path {
            self.resolved[b] = Some(end);
        }
        Ok(Some(end))
    }

    fn block(&mut self, b: Block, state: &mut State) -> Result {
        let insts = &self.func.blocks[b].insts;
        let mut next = 0;
        // The call whose further instructions may follow.
        let mut calling: Option<usize> = None;
        let mut ending: Vec<(usize, usize)> = Vec::new();
        // Every place holds a value without code until the next instruction has run.
        let mut undefined: Vec<VReg> = Vec::new();
        let skip = |next: &mut usize, state: &mut State, undefined: &mut Vec<VReg>| {
            undefined.clear();
            let no_code = |i: &&Inst| matches!(i.op, Opcode::Undef | Opcode::Results);
            while let Some(inst) = insts.get(*next).filter(no_code) {
                let dst = inst.dst.as_ref().and_then(|d| d.reg.as_virt());
                undefined.extend(dst);
                *next += 1;
            }
            state.anywhere(undefined, self.func);
        };
        skip(&mut next, state, &mut undefined);
        if let Some((first, last)) = self.range[b] {
            for p in first..=last {
                for (i, inst) in self.program[p].iter().enumerate() {
                    self.at = (p, i);
                    steps_agree(inst, self.grf_bytes)?;
                    match self.origins.insts[p][i] {
                        TERM => ending.push((p, i)),
                        _ if !ending.is_empty() => {
                            return Err("code behind the end of the block".into());
                        }
                        ADDED => {
                            self.added(inst, state)?;
                            state.anywhere(&undefined, self.func);
                        }
                        origin if calling == Some(origin as usize) => {
                            let call = &insts[origin as usize];
                            self.rest_of_call(call, inst, state, &undefined)?;
                        }
                        origin if origin as usize == next && insts[next].is_call() => {
                            match insts[next].op {
                                Opcode::CallRoutine(callee) => {
                                    self.call_routine(&insts[next], callee.into(), inst, state)?;
                                }
                                _ => self.call(&insts[next], inst, state)?,
                            }
                            calling = Some(next);
                            next += 1;
                            skip(&mut next, state, &mut undefined);
                        }
                        origin if origin as usize == next && insts[next].op == Opcode::Return => {
                            self.leave(&insts[next], inst, state)?;
                            next += 1;
                            skip(&mut next, state, &mut undefined);
                        }
                        origin if origin as usize == next => {
                            self.inst(&insts[next], inst, state)?;
                            next += 1;
                            skip(&mut next, state, &mut undefined);
                        }
                        _ => return Err(format!("instruction {next} of {b} is not in its place")),
                    }
                }
            }
        }
        if next != insts.len() {
            return Err(format!("instruction {next} of {b} is missing"));
        }
        if self.range[b].is_some() {
            self.end(b, &ending, state)?;
        }
        Ok(())
    }

    // Places.

    fn address_of(&self, reg: Reg) -> u32 {
        reg.num * self.grf_bytes + u32::from(reg.byte)
    }

    /// The unit that begins a number of bytes before a register.
    fn unit(&self, reg: Reg, byte: u32) -> Result<usize> {
        let at = self.address_of(reg).checked_sub(byte);
        match at {
            Some(at) if reg.file == RegFile::Grf && at.is_multiple_of(self.unit_bytes) => {
                Ok((at / self.unit_bytes) as usize)
            }
            _ => Err(format!("{reg:?} is not at byte {byte} of a unit")),
        }
    }

    fn held<'s>(&self, state: &'s State, unit: usize) -> Result<&'s Held> {
        state
            .units
            .get(unit)
            .ok_or_else(|| "beyond the register file".into())
    }

    /// The words of a file, if it has any, and the number of the first of a register.
    fn words<'s>(&self, state: &'s mut State, reg: Reg) -> Option<(&'s mut Vec<Held>, usize)> {
        let byte = usize::from(reg.byte);
        match reg.file {
            RegFile::Flag => Some((&mut state.flags, (reg.num as usize * 4 + byte) / 2)),
            RegFile::Addr => Some((&mut state.address, byte / 2)),
            _ => None,
        }
    }

    /// Checks that a register of the program holds the value of the function's register, in a number of bytes.
    fn reads(&self, f: inst::Reg, p: Reg, bytes: u32, state: &mut State) -> Result {
        match f.base() {
            Base::Virt(v) if self.func.regs[v].class == Class::Grf => {
                self.reads_unit(v, self.unit(p, f.byte())?, state)
            }
            Base::Virt(v) => {
                let (from, to) = (f.byte() / WORD, (f.byte() + bytes).div_ceil(WORD));
                let class = state.class(v);
                if let Some((words, at)) = self.words(state, p) {
                    let Some(base) = at.checked_sub(from as usize) else {
                        return Err(format!("{v} is not where {p:?} is"));
                    };
                    let there = |part: u32| {
                        let word = words.get(base + part as usize);
                        word.is_some_and(|w| w.contains(&(class, Part::word(part as u8))))
                    };
                    if (from..to).all(there) {
                        return Ok(());
                    }
                    return Err(format!("{v} is not in {p:?}"));
                }
                self.reads_words(v, to as u8, self.word(p, f.byte())?, state)
            }
            Base::List(l) => {
                let first = self.unit(p, f.byte())?;
                (self.func.lists[l].iter().zip(first..))
                    .try_for_each(|(&v, unit)| self.reads_unit(v, unit, state))
            }
            _ => self.same(f, p, state),
        }
    }

    /// Checks that a unit holds a value of a general register.
    fn reads_unit(&self, v: VReg, unit: usize, state: &State) -> Result {
        self.reads_words(v, Part::WHOLE.words, (unit, 0), state)
    }

    /// Checks that a unit holds a number of words of a value, from a word on.
    fn reads_words(&self, v: VReg, words: u8, (unit, at): (usize, u8), state: &State) -> Result {
        let class = state.class(v);
        let mut held = self.held(state, unit)?.iter();
        match held.any(|&(x, there)| x == class && there.has(at, words)) {
            true => Ok(()),
            false => Err(format!("{v} is not at word {at} of unit {unit}")),
        }
    }

    /// A unit, and the word in it that begins a number of bytes before a register.
    fn word(&self, reg: Reg, byte: u32) -> Result<(usize, u8)> {
        let at = self.address_of(reg).checked_sub(byte);
        match at {
            Some(at) if reg.file == RegFile::Grf && at.is_multiple_of(WORD) => Ok((
                (at / self.unit_bytes) as usize,
                (at % self.unit_bytes / WORD) as u8,
            )),
            _ => Err(format!("{reg:?} is not {byte} bytes after a word")),
        }
    }

    /// A part of a unit gets a value.
    fn put(&self, state: &mut State, unit: usize, part: Part, values: Held) {
        let at = unit as u32 * self.unit_bytes + u32::from(part.at) * WORD;
        let others = state.units.get(unit).cloned().unwrap_or_default();
        self.overwrite(state, at, u32::from(part.words) * WORD);
        let end = part.at + part.words;
        let all = (self.unit_bytes / WORD) as u8;
        let apart = others.into_iter().flat_map(|(v, other)| {
            let reg = self.func.regs[v];
            let words = u32::from(reg.bytes).div_ceil(WORD).max(1) as u8;
            // A value without a definition is in all words that are left.
            let parts = match (other == Part::WHOLE, reg.class) {
                (true, Class::Grf) => 0..0,
                (true, _) => 0..all - words + 1,
                (false, _) => other.at..other.at + 1,
            };
            let words = if other == Part::WHOLE {
                words
            } else {
                other.words
            };
            let parts = parts.map(move |at| (v, Part { at, words }));
            parts.filter(move |(_, kept)| kept.at >= end || kept.at + kept.words <= part.at)
        });
        if let Some(held) = state.units.get_mut(unit) {
            held.extend(apart);
            held.extend(values);
        }
    }

    /// A register that the function names is the one it names; the header may be elsewhere.
    fn same(&self, f: inst::Reg, p: Reg, state: &State) -> Result {
        let same = match f.base() {
            Base::Null => p.is_null(),
            Base::Phys(RegFile::Grf, num) => {
                let at = u32::from(num) * self.grf_bytes + f.byte();
                let (grf, byte) = (at / self.grf_bytes, at % self.grf_bytes);
                let there = match grf == self.func.abi.header {
                    true => state.header.contains(&p.num),
                    false => p.num == grf,
                };
                p.file == RegFile::Grf && there && u32::from(p.byte) == byte
            }
            Base::Phys(file, num) => {
                (p.file, p.num, u32::from(p.byte)) == (file, u32::from(num), f.byte())
            }
            Base::Virt(_) | Base::List(_) => false,
        };
        if same {
            Ok(())
        } else {
            Err(format!("{p:?} is not {f:?}"))
        }
    }

    /// Bytes of the register file lose what they held.
    fn overwrite(&self, state: &mut State, at: u32, bytes: u32) {
        let end = at + bytes.max(1) - 1;
        for unit in at / self.unit_bytes..=end / self.unit_bytes {
            self.written.set(self.written.get() | UnitSet::of(unit));
            if let Some(held) = state.units.get_mut(unit as usize) {
                held.clear();
            }
        }
        let pointers = self.writes_pointers(at, bytes);
        for grf in at / self.grf_bytes..=end / self.grf_bytes {
            if state.header.remove(&grf) && pointers {
                state.far = Some(Far { grf, offset: None });
            }
            state.far = state.far.filter(|far| far.grf != grf || pointers);
            let register = state.register.take();
            state.register = register.filter(|register| register.grf != grf);
        }
    }

    /// True for bytes that hold pointers to implicit arguments. Messages to the data port read their offset beside these.
    fn writes_pointers(&self, at: u32, bytes: u32) -> bool {
        let data_port = self.func.target.memory == MessageFamily::DataPort;
        let stack = self.func.abi.stack.as_ref().filter(|_| data_port);
        let Some(first) = stack.map(|stack| stack.messages * self.grf_bytes) else {
            return false;
        };
        let starts = [Stack::IMPLICIT_ARGS, Stack::LOCAL_IDS].map(|byte| first + byte);
        let within = |&start: &u32| start <= at && at + bytes <= start + 8;
        starts.iter().any(within)
    }

    // Instructions that allocation added.

    fn added(&self, inst: &Gen, state: &mut State) -> Result {
        let plain = inst.no_mask
            && inst.pred.is_none()
            && inst.cond.is_none()
            && !inst.saturate
            && inst.chan_off == 0
            && inst.symbol.is_none();
        if plain && let Some(done) = self.on_stack(inst, state) {
            return done;
        }
        let nowhere = inst
            .dst
            .is_some_and(|d| d.place == Place::Direct(Reg::NULL));
        if plain && inst.op == Op::Mov && nowhere {
            return Ok(());
        }
        if plain
            && self.func.target.memory == MessageFamily::LoadStore
            && let Some(done) = self.by_address(inst, state)
        {
            return done;
        }
        match (inst.op, &inst.msg) {
            _ if !plain => Err("an added instruction that is masked".into()),
            (Op::Mov, None) if matches!(inst.srcs[..], [Src::Imm { .. }]) => {
                self.goes_to(inst, state)
            }
            (Op::Mov, None) => self.copy(inst, state),
            (Op::Send | Op::Sends, Some(_)) => self.scratch(inst, state),
            _ => Err("an added instruction that is no copy".into()),
        }
    }

    fn copy(&self, inst: &Gen, state: &mut State) -> Result {
        let unknown = || Err("a copy of something unknown".to_string());
        let (Some(dst), [Src::Reg(src)]) = (&inst.dst, &inst.srcs[..]) else {
            return unknown();
        };
        let (Place::Direct(to), Place::Direct(from)) = (dst.place, src.place) else {
            return unknown();
        };
        let n = u32::from(inst.exec_size);
        let packed = offsets(src.region, inst.exec_size).eq(0..n) && dst.hstride == 1;
        let modified = src.modifier.neg || src.modifier.abs;
        if !packed || dst.ty != src.ty || modified {
            return unknown();
        }
        let bytes = n * dst.ty.bytes();
        let words = (bytes / WORD) as usize;
        let small = |r: Reg| matches!(r.file, RegFile::Flag | RegFile::Addr);
        if from.file == RegFile::Grf && to.file == RegFile::Grf {
            let (a, b) = (self.address_of(from), self.address_of(to));
            let whole = bytes == self.unit_bytes
                && a.is_multiple_of(self.unit_bytes)
                && b.is_multiple_of(self.unit_bytes);
            let header = bytes == self.grf_bytes && state.header.contains(&from.num);
            let values = match whole {
                true => self.held(state, (a / self.unit_bytes) as usize)?.clone(),
                false if header && from.byte == 0 && to.byte == 0 => Held::new(),
                false => return unknown(),
            };
            self.overwrite(state, b, bytes);
            if header {
                state.header.insert(to.num);
            }
            if whole {
                state.units[(b / self.unit_bytes) as usize] = values;
            }
            return Ok(());
        }
        if small(from) && to.file == RegFile::Grf {
            let (unit, begin) = self.word(to, 0)?;
            let Some((file, at)) = self.words(state, from) else {
                return unknown();
            };
            let part = |words: usize| Part {
                at: begin,
                words: words as u8,
            };
            let mut values = Held::new();
            for &(v, first) in file.get(at).into_iter().flatten() {
                let word = |k: usize| (v, Part::word(k as u8));
                let there = |k: usize| file.get(at + k).is_some_and(|w| w.contains(&word(k)));
                let count = (0..words).take_while(|&k| there(k)).count();
                if first.at == 0 && count > 0 {
                    values.push((v, part(count)));
                }
            }
            self.put(state, unit, part(words), values);
            return Ok(());
        }
        if small(to) {
            let values: Vec<Held> = if small(from) {
                let Some((file, at)) = self.words(state, from) else {
                    return unknown();
                };
                (0..words)
                    .map(|k| file.get(at + k).cloned().unwrap_or_default())
                    .collect()
            } else if from.file == RegFile::Grf {
                let (unit, begin) = self.word(from, 0)?;
                let held = self.held(state, unit)?.clone();
                let word = |k: u8| {
                    let there = held.iter().filter(|(_, part)| part.has(begin, k + 1));
                    there.map(|&(v, _)| (v, Part::word(k))).collect()
                };
                (0..words as u8).map(word).collect()
            } else {
                return unknown();
            };
            let Some((file, at)) = self.words(state, to) else {
                return unknown();
            };
            for (k, values) in values.into_iter().enumerate() {
                *file.get_mut(at + k).ok_or("beyond the file")? = values;
            }
            return Ok(());
        }
        unknown()
    }

    /// The offset of the next message is written to a copy of r0.
    fn goes_to(&self, inst: &Gen, state: &mut State) -> Result {
        let (to, ty) = match inst.dst {
            Some(Dst {
                place: Place::Direct(to),
                ty,
                ..
            }) => (to, ty),
            _ => return Err("an immediate goes nowhere".into()),
        };
        let there = to.file == RegFile::Grf && u32::from(to.byte) == Stack::OFFSET;
        if !there || ty != Type::Ud || inst.exec_size != 1 || !state.has_far(to.num) {
            return Err("an added instruction that is no copy".into());
        }
        state.header.remove(&to.num);
        state.far = Some(Far {
            grf: to.num,
            offset: calls::immediate(inst.srcs.first()),
        });
        Ok(())
    }

    /// Scratch block messages (PRM, "Scratch Block Read/Write"), and oword blocks to scratch space.
    fn scratch(&self, inst: &Gen, state: &mut State) -> Result {
        let fail = |what: &str| Err(format!("a spill or fill that {what}"));
        let Some(msg) = &inst.msg else {
            return fail("is no message");
        };
        let (Desc::Imm(desc), Desc::Imm(ex_desc)) = (msg.desc, msg.ex_desc) else {
            return fail("says in a register what it does");
        };
        let direct = |place: Place| match place {
            Place::Direct(r) if r.file == RegFile::Grf => Some(r),
            _ => None,
        };
        let source = |n: usize| match inst.srcs.get(n) {
            Some(Src::Reg(r)) => direct(r.place),
            _ => None,
        };
        let header = source(0).filter(|r| r.byte == 0).map(|r| r.num);
        let far = state.far.filter(|far| header == Some(far.grf));
        let (at, grfs, write) = match far {
            None if header.is_none_or(|grf| !state.header.contains(&grf)) => {
                return fail("has no header");
            }
            None => {
                let is_scratch = desc >> 18 & 3 == 3;
                let (at, hwords) = (desc & 0xfff, 1 << (desc >> 12 & 3));
                let grfs = hwords * HWORD / self.grf_bytes;
                let aligned = (at * HWORD).is_multiple_of(self.grf_bytes);
                let at = at * HWORD / self.grf_bytes;
                (is_scratch && aligned).then_some((at, grfs, desc >> 17 & 1 == 1))
            }
            Some(far) => calls::oword_block(desc).and_then(|(owords, write)| {
                let at = far.offset? * calls::OWORD;
                let aligned = at.is_multiple_of(self.grf_bytes);
                let grfs = owords * calls::OWORD / self.grf_bytes;
                aligned.then_some((at / self.grf_bytes, grfs, write))
            }),
        }
        .ok_or("a spill or fill that goes nowhere that is known")?;
        let bytes = grfs * self.grf_bytes;
        let (sent, received) = (desc >> 25 & 15, desc >> 20 & 31);
        let is_block = msg.sfid == calls::DATA_PORT && !msg.eot && desc >> 19 & 1 == 1;
        if !is_block || grfs == 0 || bytes > self.unit_bytes || sent != 1 {
            return fail("is none of a unit, nor of a part");
        }
        if write {
            let Some(data) = source(1) else {
                return fail("writes nothing");
            };
            if received != 0 || ex_desc >> 6 & 15 != grfs || inst.op != Op::Sends {
                return fail("writes another number of registers");
            }
            if self.own.is_some_and(|own| at + grfs > own.frame_end) {
                return fail("is beyond the subroutine's frame");
            }
            let mut held = self.held(state, self.unit(data, 0)?)?.clone();
            held.retain(|(v, part)| {
                let begin = u32::from(part.at) * WORD;
                begin + u32::from(self.func.regs[*v].bytes) <= bytes
            });
            state.put(at, grfs, held);
        } else {
            let Some(to) = inst.dst.and_then(|d| direct(d.place)) else {
                return fail("reads to nowhere");
            };
            if received != grfs || inst.op != Op::Send {
                return fail("reads another number of registers");
            }
            let unit = self.unit(to, 0)?;
            self.overwrite(state, self.address_of(to), self.unit_bytes);
            state.units[unit] = state.in_slot(at, grfs);
        }
        Ok(())
    }

    // Instructions of the function.

    /// Checks that an instruction reads its sources, predicate and descriptors from places that hold them.
    fn inputs(&self, f: &Inst, p: &Gen, state: &mut State) -> Result {
        for (src, out) in f.srcs.iter().zip(&p.srcs) {
            if let (inst::Src::Reg(r), Src::Reg(out)) = (src, out) {
                let (Place::Direct(reg) | Place::Indirect { addr: reg, .. }) = out.place;
                let bytes = match r.indirect {
                    Some(_) => match r.region.vstride {
                        None => u32::from(f.exec_size / r.region.width.max(1)) * WORD,
                        Some(_) => WORD,
                    },
                    None => {
                        let last = offsets(r.region, f.exec_size).max().unwrap_or(0);
                        (last + 1) * r.ty.bytes()
                    }
                };
                self.reads(r.reg, reg, bytes, state)?;
            }
        }
        if let (Some(pred), Some(out)) = (&f.pred, &p.pred) {
            let bytes = self.flag_bytes(f.exec_size, f.chan_off, Some(pred.ctrl));
            self.reads(pred.flag, out.flag, bytes, state)?;
        }
        if let (Some(id), Some(out)) = (f.message.expand(), &p.msg) {
            let message = &self.func.messages[id];
            for (desc, out) in [(message.desc, out.desc), (message.ex_desc, out.ex_desc)] {
                if let (inst::Desc::Addr(reg), Desc::Addr { byte }) = (desc, out) {
                    self.reads(reg, Reg::new(RegFile::Addr, 0, byte.into()), 4, state)?;
                }
            }
        }
        Ok(())
    }

    fn inst(&self, f: &Inst, p: &Gen, state: &mut State) -> Result {
        self.alike(f, p)?;
        self.inputs(f, p, state)?;
        // Old contents are checked before any value is lost.
        let mut results: SmallVec<[(usize, VReg); 4]> = SmallVec::new();
        let mut small: SmallVec<[Write; 2]> = SmallVec::new();
        let mut lost: SmallVec<[(u32, u32); 2]> = SmallVec::new();
        if let (Some(d), Some(out)) = (&f.dst, &p.dst) {
            let (Place::Direct(to) | Place::Indirect { addr: to, .. }) = out.place;
            let step = u32::from(d.hstride) * d.ty.bytes();
            let bytes = (u32::from(f.exec_size.max(1)) - 1) * step + d.ty.bytes();
            match d.reg.base() {
                _ if d.indirect.is_some() => self.reads(d.reg, to, WORD, state)?,
                Base::Virt(v) if self.func.regs[v].class != Class::Grf => {
                    let old = match d.old {
                        Old::Reg(old) => Some(old),
                        _ => None,
                    };
                    let byte = d.reg.byte();
                    small.push(Write {
                        to,
                        v,
                        byte,
                        bytes,
                        old,
                    });
                }
                Base::Virt(_) | Base::List(_) => {
                    let first = self.unit(to, d.reg.byte())?;
                    for (k, &v) in self.func.registers(&d.reg.base()).iter().enumerate() {
                        if let Some(old) = self.func.old(d.old, k) {
                            self.reads_unit(old, first + k, state)?;
                        }
                        self.held(state, first + k)?;
                        results.push((first + k, v));
                    }
                    let bytes = match (p.msg, f.message.expand()) {
                        (Some(msg), Some(_)) => match msg.desc {
                            Desc::Imm(desc) => (desc >> 20 & 31) * self.grf_bytes,
                            // The span ends with the last register, and may begin anywhere in the first.
                            Desc::Addr { .. } => {
                                results.len() as u32 * self.unit_bytes - d.reg.byte()
                            }
                        },
                        _ if f.takes_lists() => {
                            results.len() as u32 * self.unit_bytes - d.reg.byte()
                        }
                        _ => bytes,
                    };
                    lost.push((self.address_of(to), bytes));
                }
                _ => {
                    self.same(d.reg, to, state)?;
                    if to.file == RegFile::Grf {
                        lost.push((self.address_of(to), bytes));
                    }
                }
            }
        }
        if let (Some(c), Some(out)) = (&f.cond, &p.cond) {
            match c.flag.as_virt() {
                Some(v) => {
                    let bytes = self.flag_bytes(f.exec_size, f.chan_off, None);
                    small.push(Write {
                        to: out.flag,
                        v,
                        byte: c.flag.byte(),
                        bytes,
                        old: c.old.expand(),
                    });
                }
                None => self.same(c.flag, out.flag, state)?,
            }
            if p.pred
                .is_some_and(|pred| !out.flag.is_null() && pred.flag != out.flag)
            {
                return Err("a condition and a predicate of two flags".into());
            }
        }
        // Old contents of flags are all read before any is written.
        let mut after: SmallVec<[Written; 2]> = SmallVec::new();
        for write in &small {
            after.push(self.small(write, state)?);
        }
        for (at, bytes) in lost {
            self.overwrite(state, at, bytes);
        }
        for (unit, v) in results {
            state.units[unit] = SmallVec::from_slice(&[(v, Part::WHOLE)]);
        }
        for written in after {
            match written {
                Written::Unit { unit, v, part } => {
                    let values = SmallVec::from_slice(&[(v, part)]);
                    self.put(state, unit, part, values);
                }
                Written::Words { to, words } => {
                    if let Some((file, _)) = self.words(state, to) {
                        for (at, held) in words {
                            file[at] = held;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The values in words, or in a unit, after a write of a flag or an address.
    fn small(&self, write: &Write, state: &mut State) -> Result<Written> {
        let Write {
            to,
            v,
            byte,
            bytes,
            old,
        } = *write;
        let size = u32::from(self.func.regs[v].bytes)
            .max(byte + bytes)
            .div_ceil(WORD);
        // Words without a definition belong to the new value as well.
        let kept = old.map_or(0, |old| u32::from(self.func.regs[old].bytes).div_ceil(WORD));
        let class = old.map(|old| state.class(old));
        if let Some((words, at)) = self.words(state, to) {
            let base = at
                .checked_sub((byte / WORD) as usize)
                .ok_or("before the file")?;
            let written = byte / WORD..(byte + bytes).div_ceil(WORD);
            let mut after = Vec::new();
            for part in 0..size {
                let at = base + part as usize;
                let before = words.get(at).ok_or("beyond the file")?;
                let there = class.is_none_or(|old| before.contains(&(old, Part::word(part as u8))));
                if part < kept && !there {
                    return Err(format!("what {v} is written over is not in {to:?}"));
                }
                // Words that the instruction leaves alone hold what they held, too.
                let mut held = match written.contains(&part) {
                    true => Held::new(),
                    false => before.clone(),
                };
                held.push((v, Part::word(part as u8)));
                after.push((at, held));
            }
            return Ok(Written::Words { to, words: after });
        }
        let (unit, at) = self.word(to, byte)?;
        if let Some(old) = old {
            self.reads_words(old, kept as u8, (unit, at), state)?;
        }
        let words = size as u8;
        let part = Part { at, words };
        Ok(Written::Unit { unit, v, part })
    }

    /// Bytes of a flag that an instruction's channels take.
    fn flag_bytes(&self, exec_size: u8, chan_off: u8, ctrl: Option<PredCtrl>) -> u32 {
        let channels = match ctrl {
            Some(PredCtrl::Any(n) | PredCtrl::All(n)) => n.max(exec_size + chan_off),
            _ => exec_size + chan_off,
        };
        u32::from(channels).div_ceil(16) * WORD
    }

    /// Checks that all but the registers of an instruction is unchanged.
    fn alike(&self, f: &Inst, p: &Gen) -> Result {
        let fail = |what: &str| Err(format!("another {what} than the function's"));
        if f.op != Opcode::Gen(p.op) {
            return fail("operation");
        }
        let opts = (
            p.no_mask,
            p.saturate,
            p.opts.align16,
            p.opts.acc_wr_en,
            p.opts.switch,
        );
        let o = f.opts;
        if (f.exec_size, f.chan_off) != (p.exec_size, p.chan_off)
            || opts != (o.no_mask, o.saturate, o.align16, o.acc_wr_en, o.switch)
        {
            return fail("execution");
        }
        if f.pred.map(|x| (x.inverse, x.ctrl)) != p.pred.map(|x| (x.inverse, x.ctrl))
            || f.cond.map(|x| x.cond) != p.cond.map(|x| x.cond)
        {
            return fail("predicate or condition");
        }
        let mut dst = f.dst.as_ref().map(|d| Dst {
            mme: d.mme,
            ..Dst::new(Reg::NULL, d.hstride, d.ty)
        });
        if let (Some(dst), Some(out)) = (&mut dst, &p.dst) {
            dst.place = out.place;
        }
        let indirect = |place: Place| match place {
            Place::Indirect { imm, .. } => Some(imm),
            Place::Direct(_) => None,
        };
        let offset = p.dst.and_then(|d| indirect(d.place));
        if dst != p.dst || f.dst.as_ref().and_then(|d| d.indirect) != offset {
            return fail("destination");
        }
        if f.srcs.len() != p.srcs.len() {
            return fail("number of sources");
        }
        for (src, out) in f.srcs.iter().zip(&p.srcs) {
            let same = match (src, out) {
                (inst::Src::Imm(imm), out) => *out == Src::imm(imm.ty, imm.bits()),
                (inst::Src::Reg(r), Src::Reg(out)) => {
                    let Src::Reg(plain) = Src::reg(Reg::NULL, r.region, r.ty) else {
                        return fail("source");
                    };
                    let expected = SrcReg {
                        place: out.place,
                        modifier: r.modifier,
                        mme: r.mme,
                        ..plain
                    };
                    expected == *out && r.indirect == indirect(out.place)
                }
                _ => false,
            };
            if !same {
                return fail("source");
            }
        }
        let message = f.message.expand().map(|id| &self.func.messages[id]);
        let said = |d: inst::Desc, out: Desc| match (d, out) {
            (inst::Desc::Imm(a), Desc::Imm(b)) => a == b,
            (inst::Desc::Addr(_), Desc::Addr { .. }) => true,
            _ => false,
        };
        let same = match (message, &p.msg) {
            (None, None) => true,
            (Some(a), Some(b)) => {
                (a.sfid, a.eot) == (b.sfid, b.eot)
                    && said(a.desc, b.desc)
                    && said(a.ex_desc, b.ex_desc)
            }
            _ => false,
        };
        if !same {
            return fail("message");
        }
        let low = |src: &Src| match src {
            Src::Reg(SrcReg {
                place: Place::Direct(r),
                ..
            }) => r.file == RegFile::Grf && !self.func.target.may_end_thread(r.num),
            _ => false,
        };
        if p.msg.is_some_and(|m| m.eot) && p.srcs.iter().any(low) {
            return Err("a message that ends the thread from another register".into());
        }
        if f.symbol.expand().map(|s| s.as_u32()) != p.symbol {
            return fail("symbol");
        }
        if p.jip.is_some() || p.uip.is_some() {
            return fail("target");
        }
        Ok(())
    }

    // Terminators.

    fn end(&mut self, b: Block, ending: &[(usize, usize)], state: &mut State) -> Result {
        let program = self.program;
        let block = &self.func.blocks[b];
        let mut code = ending.iter().map(|&(p, i)| &program[p][i]).peekable();
        let succs: SmallVec<[Option<Block>; 2]> = block
            .succs
            .iter()
            .map(|e| self.resolve(e.to))
            .collect::<Result<_>>()?;
        let first = succs.first().copied().flatten();
        let last = succs.last().copied().flatten();
        match block.term {
            Term::Jump => return self.lands(b, &mut code, first),
            Term::Branch { pred } => {
                let mut to = [None; 2];
                while let Some(jump) = code.next_if(|g| g.pred.is_some()) {
                    let out = jump.pred.as_ref().ok_or("no predicate")?;
                    self.reads(pred.flag, out.flag, WORD, state)?;
                    if jump.op != Op::Jmpi || out.ctrl != pred.ctrl {
                        return Err("another branch than the function's".into());
                    }
                    let when = usize::from(out.inverse != pred.inverse);
                    to[when] = to[when].or(self.begins(jump.jip)?);
                }
                let rest = self.falls(b, &mut code)?;
                let to = to.map(|t| t.or(rest));
                if to != [first, last] {
                    return Err("a branch to another place".into());
                }
            }
            Term::GotoForward { pred, .. } => {
                self.goto_forward(&block.term, last, &mut code, state)?;
                if pred.is_some() {
                    return self.lands(b, &mut code, first);
                }
            }
            Term::GotoBackward {
                pred,
                exec_size,
                chan_off,
            } => {
                let g = code.next().ok_or("no goto")?;
                is_branch(g, Op::Goto, exec_size, chan_off, true)?;
                match (&pred, &g.pred) {
                    (None, None) => {}
                    (Some(f), Some(p)) if (p.inverse, p.ctrl) == (f.inverse, f.ctrl) => {
                        let bytes = self.flag_bytes(exec_size, chan_off, Some(f.ctrl));
                        self.reads(f.flag, p.flag, bytes, state)?;
                    }
                    _ => return Err("a goto of other channels".into()),
                }
                if self.begins(g.uip)? != first || self.begins(g.jip)? != last {
                    return Err("a goto to another place".into());
                }
                if pred.is_some() {
                    return self.lands(b, &mut code, last);
                }
            }
            Term::Join => {
                let g = code.next().ok_or("no join")?;
                is_branch(g, Op::Join, self.func.simd, 0, false)?;
                if self.begins(g.jip)? != last || g.pred.is_some() {
                    return Err("a join that goes on elsewhere".into());
                }
                return self.lands(b, &mut code, first);
            }
            // The code has ended the thread itself.
            Term::End if block.insts.last().is_some_and(|i| self.ends(i)) => {}
            Term::End => {
                if let Some(mov) = code.next_if(|g| g.op == Op::Mov) {
                    self.added(mov, state)?;
                }
                let g = code.next().ok_or("no end of the thread")?;
                let from = match g.srcs.first() {
                    Some(Src::Reg(SrcReg {
                        place: Place::Direct(r),
                        ..
                    })) => *r,
                    _ => return Err("an end of the thread without payload".into()),
                };
                let sent =
                    state.header.contains(&from.num) && self.func.target.may_end_thread(from.num);
                if !sent || !g.msg.is_some_and(|m| m.eot) {
                    return Err("an end of the thread from another register".into());
                }
            }
            Term::Return if self.func.entered == Entered::Subroutine => {
                if block.insts.last().is_none_or(|i| i.op != Opcode::Return) {
                    return Err("a subroutine that does not go back".into());
                }
            }
            Term::Return => self.back(b, &mut code, state)?,
        }
        match code.next() {
            None => Ok(()),
            Some(_) => Err("code behind the end of the block".into()),
        }
    }

    /// Checks a goto to a later block: its channels, and the join where the others wait.
    fn goto_forward<'a>(
        &self,
        term: &Term,
        last: Option<Block>,
        code: &mut impl Iterator<Item = &'a Gen>,
        state: &mut State,
    ) -> Result {
        let &Term::GotoForward {
            pred,
            exec_size,
            chan_off,
            uip,
            ..
        } = term
        else {
            return Ok(());
        };
        let mut zero = None;
        if pred.is_none() && self.func.target.goto_on_false {
            let mov = code.next().ok_or("no flag for a goto")?;
            zero = Some(self.zero(mov, exec_size + chan_off, state)?);
        }
        let g = code.next().ok_or("no goto")?;
        is_branch(g, Op::Goto, exec_size, chan_off, false)?;
        match (&pred, &g.pred, zero) {
            (None, None, None) => {}
            (None, Some(p), Some(flag))
                if (p.flag, p.inverse, p.ctrl) == (flag, true, PredCtrl::Normal) => {}
            (Some(f), Some(p), None) if p.inverse == f.inverse && p.ctrl == f.ctrl => {
                let bytes = self.flag_bytes(exec_size, chan_off, Some(f.ctrl));
                self.reads(f.flag, p.flag, bytes, state)?;
            }
            _ => return Err("a goto of other channels".into()),
        }
        let join = match (g.uip, self.range[uip]) {
            (Some(Target::Block(t)), Some((_, last))) if t as usize == last => last,
            _ => return Err("a goto to where nobody waits".into()),
        };
        if self.program[join].first().map(|j| j.op) != Some(Op::Join) {
            return Err("a goto to where no join is".into());
        }
        if self.begins(g.jip)? != last {
            return Err("a goto with another jump target".into());
        }
        Ok(())
    }

    /// True if an instruction ends the thread in any case.
    fn ends(&self, inst: &Inst) -> bool {
        let message = inst.message.expand().map(|id| &self.func.messages[id]);
        inst.pred.is_none() && message.is_some_and(|m| m.eot)
    }

    /// The block that a branch's target begins.
    fn begins(&self, target: Option<Target>) -> Result<Option<Block>> {
        if let Some(Target::Block(t)) = target {
            let b = self.origins.blocks.get(t as usize).copied();
            let b = b.ok_or("a branch out of the program")?;
            if self.range[b].is_some_and(|(first, _)| first == t as usize) {
                return Ok(Some(b));
            }
        }
        Err("a branch into the middle of a block".into())
    }

    /// The block that is executed after a block: the next, or the target of a jump.
    fn falls<'g>(
        &self,
        b: Block,
        code: &mut impl Iterator<Item = &'g Gen>,
    ) -> Result<Option<Block>> {
        match code.next() {
            Some(jump) if jump.op == Op::Jmpi && jump.pred.is_none() => self.begins(jump.jip),
            Some(_) => Err("code behind the end of the block".into()),
            None => {
                let behind = self.range[b].map_or(0, |(_, last)| last + 1);
                self.begins(Some(Target::Block(behind as u32)))
            }
        }
    }

    fn lands<'g>(
        &self,
        b: Block,
        code: &mut impl Iterator<Item = &'g Gen>,
        to: Option<Block>,
    ) -> Result {
        if self.falls(b, code)? != to {
            return Err("execution goes on elsewhere".into());
        }
        match code.next() {
            None => Ok(()),
            Some(_) => Err("code behind a jump".into()),
        }
    }

    /// A flag is cleared for a number of channels.
    fn zero(&self, mov: &Gen, channels: u8, state: &mut State) -> Result<Reg> {
        let ty = if channels > 16 { Type::Ud } else { Type::Uw };
        let flag = match mov.dst.map(|d| (d.place, d.ty)) {
            Some((Place::Direct(r), t)) if r.file == RegFile::Flag && t == ty => r,
            _ => return Err("no flag is cleared".into()),
        };
        let clears = mov.op == Op::Mov
            && mov.no_mask
            && mov.exec_size == 1
            && mov.pred.is_none()
            && mov.srcs[..] == [Src::imm(ty, 0)];
        if !clears {
            return Err("a flag is not cleared".into());
        }
        if let Some((file, at)) = self.words(state, flag) {
            let count = (ty.bytes() / WORD) as usize;
            let words = file.get_mut(at..at + count).ok_or("beyond the file")?;
            words.iter_mut().for_each(SmallVec::clear);
        }
        Ok(flag)
    }
}

/// Elements of a region, channel by channel.
fn offsets(region: Region, exec_size: u8) -> impl Iterator<Item = u32> {
    let (w, h) = (u32::from(region.width.max(1)), u32::from(region.hstride));
    let v = u32::from(region.vstride.unwrap_or(0));
    (0..u32::from(exec_size)).map(move |i| i / w * v + i % w * h)
}

/// A product of matrices writes a row of its result while it still reads its sources: none may be in the result's
/// registers, but for rows that products are added to in their place.
fn matrices_are_apart(inst: &Gen, grf_bytes: u32) -> Result {
    let (Op::Dpas(shape) | Op::Dpasw(shape), Some(dst)) = (inst.op, inst.dst) else {
        return Ok(());
    };
    let [Src::Reg(addend), Src::Reg(columns), Src::Reg(rows)] = &inst.srcs[..] else {
        return Err("a product of other operands than three matrices".into());
    };
    let start = |place: Place| match place {
        Place::Direct(reg) if reg.file == RegFile::Grf => {
            Some(reg.num * grf_bytes + u32::from(reg.byte))
        }
        _ => None,
    };
    let table = |ty: Type| u32::from(inst.exec_size) * u32::from(shape.repeat) * ty.bytes();
    let Some(to) = start(dst.place) else {
        return Ok(());
    };
    let mut row_bytes = shape.row_bytes(columns.ty, rows.ty);
    if matches!(inst.op, Op::Dpasw(_)) {
        // Two threads have half of the rows' registers each.
        row_bytes = row_bytes.div_ceil(grf_bytes).div_ceil(2) * grf_bytes;
    }
    let sources = [
        (addend, table(addend.ty)),
        (
            columns,
            shape.column_registers(columns.ty, rows.ty) * grf_bytes,
        ),
        (rows, row_bytes),
    ];
    for (n, (src, bytes)) in sources.into_iter().enumerate() {
        let Some(from) = start(src.place) else {
            continue;
        };
        let in_place = n == 0 && from == to && src.ty.bytes() == dst.ty.bytes();
        if !in_place && from < to + table(dst.ty) && to < from + bytes {
            return Err(format!("`{inst}` writes what it still reads"));
        }
    }
    Ok(())
}

/// The hardware executes an instruction whose operands span two registers in two steps: the second must not read what
/// the first has written (PRM, "Register Region Restrictions").
fn steps_agree(inst: &Gen, grf_bytes: u32) -> Result {
    if inst.op.is_systolic() {
        return matrices_are_apart(inst, grf_bytes);
    }
    // A branch has operands for all channels.
    let steps = inst.msg.is_none() && inst.exec_size > 1 && !inst.op.is_branch();
    let Some(dst) = inst.dst.filter(|_| steps) else {
        return Ok(());
    };
    let Place::Direct(to) = dst.place else {
        return Ok(());
    };
    if to.file != RegFile::Grf {
        return Ok(());
    }
    let half = usize::from(inst.exec_size / 2);
    let bytes = |reg: Reg, n: u32, ty: Type| {
        let first = reg.num * grf_bytes + u32::from(reg.byte) + n * ty.bytes();
        (first, first + ty.bytes())
    };
    let span = |list: &mut dyn Iterator<Item = (u32, u32)>| {
        list.fold((u32::MAX, 0), |(a, b), (from, to)| (a.min(from), b.max(to)))
    };
    let two = |(from, to): (u32, u32)| from / grf_bytes != (to - 1) / grf_bytes;
    let written = |i: usize| bytes(to, i as u32 * u32::from(dst.hstride), dst.ty);
    let all = span(&mut (0..half * 2).map(written));
    for src in &inst.srcs {
        let Src::Reg(src) = src else { continue };
        let Place::Direct(from) = src.place else {
            continue;
        };
        if from.file != RegFile::Grf || src.region.vstride.is_none() {
            continue;
        }
        let read: SmallVec<[(u32, u32); 32]> = offsets(src.region, inst.exec_size)
            .map(|n| bytes(from, n, src.ty))
            .collect();
        let source = span(&mut read.iter().copied());
        let apart = source.1 <= all.0 || all.1 <= source.0;
        if apart || !two(source) && !two(all) {
            continue;
        }
        let clash = read[half..]
            .iter()
            .any(|&(a, b)| (0..half).map(written).any(|(c, d)| a < d && c < b));
        if clash {
            return Err(format!(
                "the second half of `{inst}` reads what the first has written"
            ));
        }
    }
    Ok(())
}

/// Checks that a branch is the function's.
fn is_branch(g: &Gen, op: Op, exec_size: u8, chan_off: u8, back: bool) -> Result {
    let same = g.op == op
        && (g.exec_size, g.chan_off) == (exec_size, chan_off)
        && g.opts.branch_ctrl == back
        && !g.no_mask;
    match same {
        true => Ok(()),
        false => Err("another branch than the function's".into()),
    }
}

#[cfg(test)]
#[path = "tests/check.rs"]
mod tests;
