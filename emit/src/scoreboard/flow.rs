//! Tokens, and waits for them, on all paths.
//!
//! A state has, by token, the registers that its holder has not yet read or written; states of joining paths are
//! united. Blocks are walked in the order of their code until no state grows. The first walk gives each instruction
//! its token, so that later ones only find more waits. A register that an instruction touches is waited for by its
//! token, and waiting for a token ends all that its holder does. States grow only, so that the walks end; with `b`
//! blocks in loops of depth `d` there are about `d + 1` walks over them.
//!
//! An edge goes to every target of a branch and to the next instruction. Calls wait for everything, so that routines
//! begin with nothing unfinished.

use super::facts::{Code, Fact, Notes, Order};
use super::registers::{Kind, Registers, kind};
use super::units::Unit;
use crate::assemble::Program;
use crate::inst::{Inst, Target};

/// Number of tokens that some family has.
const MAX_TOKENS: usize = 32;

/// Tokens that an instruction waits for, as masks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Wait {
    /// Until results are written.
    pub dst: u32,
    /// Until sources are read.
    pub src: u32,
}

/// The waits and tokens of all instructions.
#[derive(Debug)]
pub(super) struct Waits {
    pub waits: Vec<Wait>,
    /// Token that each instruction takes; [`NO_TOKEN`] for none.
    pub tokens: Vec<u8>,
}

pub(super) const NO_TOKEN: u8 = u8::MAX;

/// Reads and writes that a token's holder has not finished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pending {
    writes: Registers,
    reads: Registers,
    /// The order of its reads; none if paths differ.
    order: Order,
    /// Tokens whose holders read after it.
    followers: u32,
}

/// Unfinished messages at a place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct State {
    /// Tokens with something unfinished.
    active: u32,
    /// Tokens of fences, and of loads from local memory.
    fences: u32,
    local: u32,
    /// Registers of all tokens, or more.
    writes: Registers,
    reads: Registers,
}

/// State at the start of a block.
#[derive(Clone, Debug, Default)]
struct Entry {
    state: State,
    pending: Vec<(u8, Pending)>,
    /// True if the block was not walked since it grew.
    is_open: bool,
}

pub(super) struct Solver<'a> {
    code: &'a Code<'a>,
    program: &'a Program,
    entries: Vec<Entry>,
    state: State,
    pending: [Pending; MAX_TOKENS],
    /// Number of tokens.
    count: u8,
    /// When each token was last taken.
    taken: [u32; MAX_TOKENS],
    result: Waits,
}

/// The numbers of set bits.
pub(super) fn bits(mut mask: u32) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros() as u8)?;
        mask &= mask - 1;
        Some(bit)
    })
}

impl<'a> Solver<'a> {
    pub(super) fn new(code: &'a Code<'a>, program: &'a Program) -> Solver<'a> {
        let open = Entry {
            is_open: true,
            ..Entry::default()
        };
        Solver {
            code,
            program,
            entries: vec![open; program.blocks.len()],
            state: State::default(),
            pending: [Pending::default(); MAX_TOKENS],
            count: 1 << code.swsb.token_bits,
            taken: [0; MAX_TOKENS],
            result: Waits {
                waits: vec![Wait::default(); code.len()],
                tokens: vec![NO_TOKEN; code.len()],
            },
        }
    }

    pub(super) fn solve(mut self) -> Waits {
        loop {
            let mut walked = false;
            for block in 0..self.entries.len() {
                if self.entries[block].is_open {
                    walked = true;
                    self.walk(block);
                }
            }
            if !walked {
                return self.result;
            }
        }
    }

    fn walk(&mut self, block: usize) {
        let entry = &mut self.entries[block];
        entry.is_open = false;
        self.state = entry.state.clone();
        for &(token, pending) in &entry.pending {
            self.pending[usize::from(token)] = pending;
        }
        let insts = self.code.insts(block);
        let first = self.code.starts[block];
        let mut reaches_end = true;
        for (number, inst) in insts.zip(&self.program.blocks[block]) {
            self.step(first, number);
            let notes = self.code.fact(number).notes;
            if notes.has(Notes::LEAVES) {
                self.state = State::default();
            } else if notes.has(Notes::BRANCH) {
                self.branch(inst);
            }
            reaches_end = !notes.has(Notes::ENDS);
        }
        if reaches_end && block + 1 < self.entries.len() {
            self.reach(block + 1);
        }
    }

    /// Unites the state with that of a branch's targets.
    fn branch(&mut self, inst: &Inst) {
        for target in [inst.jip, inst.uip].into_iter().flatten() {
            if let Target::Block(block) = target
                && (block as usize) < self.entries.len()
            {
                self.reach(block as usize);
            }
        }
    }

    fn reach(&mut self, block: usize) {
        let entry = &mut self.entries[block];
        let state = &mut entry.state;
        let mut grown = self.state.active & !state.active != 0
            || self.state.fences & !state.fences != 0
            || self.state.local & !state.local != 0;
        state.fences |= self.state.fences;
        state.local |= self.state.local;
        for token in bits(self.state.active) {
            let mut new = self.pending[usize::from(token)];
            new.writes.leave_block();
            new.reads.leave_block();
            let known = entry.pending.iter_mut().find(|(known, _)| *known == token);
            match known {
                None => entry.pending.push((token, new)),
                Some((_, known)) => {
                    let before = *known;
                    known.writes.add(&new.writes);
                    known.reads.add(&new.reads);
                    known.followers &= new.followers;
                    if known.order != new.order {
                        known.order = None;
                    }
                    grown |= *known != before;
                }
            }
            state.writes.add(&new.writes);
            state.reads.add(&new.reads);
        }
        state.active |= self.state.active;
        entry.is_open |= grown;
    }

    fn step(&mut self, first: u32, number: u32) {
        let code = self.code;
        let fact = code.fact(number);
        if fact.notes.has(Notes::BOUND) {
            return;
        }
        let mut wait = self.needed(fact, number);
        let takes = code.fact(fact.setter).notes.has(Notes::SETS) || fact.notes.has(Notes::SETS);
        if takes {
            let setter = fact.setter as usize;
            if self.result.tokens[setter] == NO_TOKEN {
                let token = self.choose(first, wait.dst);
                self.result.tokens[setter] = token;
                self.taken[usize::from(token)] = number + 1;
            }
            let token = self.result.tokens[setter];
            // An instruction that takes a token waits for its holder.
            let alone = setter == number as usize;
            if alone {
                wait.dst &= !(1 << token);
                wait.src &= !(1 << token);
            }
            self.release(wait);
            self.release(Wait {
                dst: 1 << token,
                src: 0,
            });
            self.take(token, fact, number);
        } else {
            self.release(wait);
        }
        self.result.waits[number as usize] = wait;
    }

    /// The tokens that an instruction must wait for.
    fn needed(&self, fact: &Fact, number: u32) -> Wait {
        let state = &self.state;
        let mut wait = Wait::default();
        if state.active == 0 {
            return wait;
        }
        let notes = fact.notes;
        // Operations on registers need no memory, and go on while a fence is under way.
        if notes.has(Notes::SETS) || notes.has(Notes::ENDS) {
            wait.dst |= state.fences;
        }
        if notes.has(Notes::STORES_LOCAL) {
            wait.dst |= state.local;
        }
        if notes.has(Notes::LEAVES) {
            for token in bits(state.active) {
                match self.pending[usize::from(token)].writes.is_empty() {
                    true => wait.src |= 1 << token,
                    false => wait.dst |= 1 << token,
                }
            }
            wait.src &= !wait.dst;
            return wait;
        }
        let (mut reads, mut writes) = self.touched(number);
        if notes.has(Notes::READS_ANY) {
            reads.add(&self.code.indirect);
        }
        if notes.has(Notes::WRITES_ANY) {
            writes.add(&self.code.indirect);
        }
        let mut touched = reads;
        touched.add(&writes);
        if !touched.meets(&state.writes) && !writes.meets(&state.reads) {
            wait.src &= !wait.dst;
            return wait;
        }
        for token in bits(state.active & !wait.dst) {
            let pending = &self.pending[usize::from(token)];
            if touched.meets(&pending.writes) {
                wait.dst |= 1 << token;
            } else if writes.meets(&pending.reads) && !self.reads_after(fact, pending) {
                wait.src |= 1 << token;
            }
        }
        wait.src &= !wait.dst;
        wait
    }

    /// True if the instruction reads its operands after a token's holder.
    fn reads_after(&self, fact: &Fact, pending: &Pending) -> bool {
        fact.unit == Unit::Token && fact.order.is_some() && fact.order == pending.order
    }

    /// Registers that an instruction reads and writes, as far as software waits for them.
    fn touched(&self, number: u32) -> (Registers, Registers) {
        let (mut reads, mut writes) = (Registers::default(), Registers::default());
        for part in self.code.parts(number) {
            match (part.writes, kind(part.register)) {
                (true, _) => writes.insert(part.register),
                (false, Kind::Tracked) => reads.insert(part.register),
                (false, _) => {}
            }
        }
        (reads, writes)
    }

    /// Ends what an instruction waits for.
    fn release(&mut self, wait: Wait) {
        let waited = (wait.dst | wait.src) & self.state.active;
        if waited == 0 {
            return;
        }
        for token in bits(self.state.active) {
            let bit = 1 << token;
            let pending = &mut self.pending[usize::from(token)];
            if wait.dst & bit != 0 {
                self.state.active &= !bit;
                continue;
            }
            // Waiting for a later message of the function ends the reads of earlier ones.
            if wait.src & bit != 0 || pending.followers & waited != 0 {
                pending.reads = Registers::default();
                if pending.writes.is_empty() {
                    self.state.active &= !bit;
                }
            }
        }
        let active = self.state.active;
        self.state.fences &= active;
        self.state.local &= active;
        self.state.writes = Registers::default();
        self.state.reads = Registers::default();
        for token in bits(active) {
            self.state
                .writes
                .add(&self.pending[usize::from(token)].writes);
            self.state
                .reads
                .add(&self.pending[usize::from(token)].reads);
        }
    }

    /// Gives a token to an instruction.
    fn take(&mut self, token: u8, fact: &Fact, number: u32) {
        let bit = 1 << token;
        let mut new = Pending {
            order: fact.order,
            ..Pending::default()
        };
        for part in self.code.parts(number) {
            let register = part.register;
            match (part.writes, kind(register)) {
                (true, Kind::ReadOnly) => {}
                (true, _) => new.writes.insert(register),
                (false, _) => new.reads.insert(register),
            }
        }
        if fact.notes.has(Notes::READS_ANY) {
            new.reads.add(&self.code.indirect);
        }
        if fact.notes.has(Notes::WRITES_ANY) {
            new.writes.add(&self.code.indirect);
        }
        for other in bits(self.state.active) {
            let pending = &mut self.pending[usize::from(other)];
            if fact.order.is_some() && pending.order == fact.order {
                pending.followers |= bit;
                pending.reads.remove(&new.reads);
                pending.reads.remove(&new.writes);
            } else {
                pending.followers &= !bit;
            }
        }
        self.state.active |= bit;
        self.state.fences &= !bit;
        self.state.local &= !bit;
        if fact.notes.has(Notes::FENCE) {
            self.state.fences |= bit;
        }
        if fact.notes.has(Notes::LOADS_LOCAL) {
            self.state.local |= bit;
        }
        self.state.writes.add(&new.writes);
        self.state.reads.add(&new.reads);
        self.pending[usize::from(token)] = new;
    }

    /// The token for an instruction of a block that begins with `first`: one that it waits for anyway, if it was taken in
    /// the block; else a free one; else one that it waits for, or the one that was taken first. A token of a block before
    /// would stand for both messages where ways meet, and waits for the first would be for the second as well.
    fn choose(&self, first: u32, waited: u32) -> u8 {
        let by_age = |token: &u8| self.taken[usize::from(*token)];
        let all = u32::MAX >> (32 - u32::from(self.count));
        let waited = waited & all;
        let own = bits(waited).filter(|&token| self.taken[usize::from(token)] > first);
        let own = own.fold(0, |own, token| own | 1 << token);
        let among = [own, all & !self.state.active, waited, all];
        let among = among.into_iter().find(|&among| among != 0);
        bits(among.unwrap_or(all)).min_by_key(by_age).unwrap_or(0)
    }
}
