//! The walk through one block: what each word holds from instruction to instruction, and where values
//! go when there is no room.

use std::cmp::Reverse;

use cranelift_entity::SecondaryMap;
use kiln_machine::func::{Block, Class, Term};
use kiln_machine::inst::{Inst, Reg, VReg};
use smallvec::SmallVec;

use super::access::{Access, Accesses, free_words, term_read};
use super::file::{MAX_WORDS, mask};
use super::webs::Span;
use super::{ADDED, END, NONE, NOWHERE, Pass, reads, writes};
use crate::AllocError;

/// Worth of a place, the largest is taken: 2 if it is free long enough, 1 if free, 0 if in use; the position up to which it is
/// free or not wanted; true if its neighbour is in use; the instruction that used it last, the earliest first.
type Worth = (u8, u32, bool, Reverse<Option<u32>>);

/// A use of a value in a block.
struct Use {
    inst: u32,
    /// The value's next one in the block.
    next: u32,
}

/// The state of the walk through one block.
pub(super) struct Walk<'p, 'a> {
    pub(super) pass: &'p mut Pass<'a>,
    uses: Vec<Use>,
    /// The first use of each value that is still to come, and the last of all.
    head: SecondaryMap<VReg, u32>,
    last: SecondaryMap<VReg, u32>,
    /// The value that each word holds, webs apart.
    pub(super) slots: [Option<VReg>; MAX_WORDS],
    /// The word of each value, and the instruction and word of its definition.
    pub(super) at: SecondaryMap<VReg, u8>,
    pub(super) defined: SecondaryMap<VReg, (u32, u8)>,
    /// Spans of each word that are not over, from the last to the first.
    spans: [SmallVec<[Span; 4]>; MAX_WORDS],
    /// Values that have one possible place, the file's start: positions of their definitions, from the last to the first, and
    /// their size.
    firsts: Vec<(u32, u8)>,
    /// The instruction with the last access of each word's last value, plus one.
    left: [u32; MAX_WORDS],
    block: Block,
    inst: u32,
    /// Words the current instruction reads from.
    pub(super) pinned: u16,
    /// Values that the current instruction is still to read.
    pub(super) reading: SmallVec<[VReg; 4]>,
    /// Instructions to add, with twice the number of the one they stand before, or one more behind.
    added: Vec<(u32, Inst)>,
}

impl<'p, 'a> Walk<'p, 'a> {
    pub(super) fn new(pass: &'p mut Pass<'a>) -> Walk<'p, 'a> {
        Walk {
            uses: Vec::new(),
            head: SecondaryMap::with_default(NONE),
            last: SecondaryMap::new(),
            slots: [None; MAX_WORDS],
            at: SecondaryMap::with_default(NOWHERE),
            defined: SecondaryMap::new(),
            spans: Default::default(),
            firsts: Vec::new(),
            left: [0; MAX_WORDS],
            block: Block::from_u32(0),
            inst: 0,
            pinned: 0,
            reading: SmallVec::new(),
            added: Vec::new(),
            pass,
        }
    }
}

impl Walk<'_, '_> {
    pub(super) fn block(
        &mut self,
        b: Block,
        named: &[(u32, Accesses)],
        origins: &mut Vec<u32>,
    ) -> Result<(), AllocError> {
        let class = self.pass.file.class;
        let func = &mut *self.pass.func;
        let mut term = func.blocks[b].term;
        let mut insts = std::mem::take(&mut func.blocks[b].insts);
        let count = insts.len();
        let at_end = term_read(func, &term, class);
        let free = free_words(func.target, &term).filter(|_| class == Class::Flag);
        if at_end.is_none() && free.is_none() && named.is_empty() {
            func.blocks[b].insts = insts;
            return Ok(());
        }
        self.block = b;
        self.prepare(b, named, at_end.map(|a| (count as u32, a.v)));
        let mut gone = Vec::new();
        // Nothing changes at the others: webs begin and end where something names them.
        for (i, list) in named {
            let i = *i as usize;
            let inst = &mut insts[i];
            self.begin(i);
            if !list.is_empty() && !self.inst(i, inst, list)? {
                gone.push(i);
            }
            if inst.is_call() {
                for v in self.slots.into_iter().flatten() {
                    self.evict(v);
                }
            }
        }
        self.begin(count);
        if let Some(a) = at_end {
            self.next(a.v, count);
            let word = self.load(a.v, count)?;
            if let Some(pred) = term.pred_mut() {
                pred.flag = self.pass.file.reg(word, a.byte);
            }
        }
        if let (Some(size), Term::GotoForward { free_flag, .. }) = (free, &mut term) {
            let at = reads(count);
            let word = self.choose(size, size, (at, at), END, count)?;
            *free_flag = self.pass.file.reg(word, 0);
        }
        for slot in std::mem::take(&mut self.slots).into_iter().flatten() {
            self.at[slot] = NOWHERE;
        }
        if self.added.is_empty() && gone.is_empty() {
            let block = &mut self.pass.func.blocks[b];
            block.insts = insts;
            block.term = term;
            return Ok(());
        }
        let mut added = std::mem::take(&mut self.added);
        added.sort_by_key(|&(at, _)| at);
        let mut added = added.into_iter().peekable();
        let mut out = Vec::with_capacity(count + added.len());
        let mut numbers = Vec::with_capacity(count + added.len());
        let mut upto = |at: u32, out: &mut Vec<Inst>, numbers: &mut Vec<u32>| {
            while let Some((_, inst)) = added.next_if(|&(to, _)| to <= at) {
                out.push(inst);
                numbers.push(ADDED);
            }
        };
        let mut gone = gone.into_iter().peekable();
        for (i, inst) in insts.into_iter().enumerate() {
            upto(2 * i as u32, &mut out, &mut numbers);
            if gone.next_if_eq(&i).is_none() {
                out.push(inst);
                numbers.push(origins[i]);
            }
            upto(2 * i as u32 + 1, &mut out, &mut numbers);
        }
        upto(END, &mut out, &mut numbers);
        *origins = numbers;
        let block = &mut self.pass.func.blocks[b];
        block.insts = out;
        block.term = term;
        Ok(())
    }

    /// Finds the uses in a block, by what its instructions name and what is read at its end.
    fn prepare(&mut self, b: Block, lists: &[(u32, Accesses)], at_end: Option<(u32, VReg)>) {
        self.uses.clear();
        self.left = [0; MAX_WORDS];
        self.spans.iter_mut().for_each(SmallVec::clear);
        let reads = lists.iter().rev().flat_map(|(i, list)| {
            let reads = list.iter().rev().filter_map(Access::read);
            reads.map(move |v| (*i, v))
        });
        for (inst, v) in at_end.into_iter().chain(reads) {
            if self.head[v] == NONE {
                self.last[v] = inst;
            }
            let next = self.head[v];
            self.head[v] = self.uses.len() as u32;
            self.uses.push(Use { inst, next });
        }
        self.firsts.clear();
        for (i, list) in lists.iter().rev() {
            let only = |a: &&Access| self.pass.align[a.v] == self.pass.file.words;
            let firsts = list.iter().filter(|a| a.read().is_none()).filter(only);
            (self.firsts).extend(firsts.map(|a| (writes(*i as usize), self.pass.size[a.v])));
        }
        let mut spans = self.pass.spans[b].clone();
        spans.sort_unstable_by_key(|s| std::cmp::Reverse(s.from));
        for s in spans {
            for w in s.word..s.word + s.size {
                self.spans[usize::from(w)].push(s);
            }
        }
    }

    /// The next use of a value after the current instruction, which `next` has told of.
    pub(super) fn next_use(&self, v: VReg) -> u32 {
        match self.head[v] {
            NONE => NONE,
            at => self.uses[at as usize].inst,
        }
    }

    /// The value's uses up to this instruction are over.
    pub(super) fn next(&mut self, v: VReg, i: usize) {
        while self.next_use(v) <= i as u32 && self.head[v] != NONE {
            self.head[v] = self.uses[self.head[v] as usize].next;
        }
    }

    /// True if a web has the word at a position.
    pub(super) fn is_webs(&self, word: usize, at: u32) -> bool {
        let spans = self.spans[word].iter().rev();
        spans.take_while(|s| s.from <= at).any(|s| at <= s.to)
    }

    fn begin(&mut self, i: usize) {
        self.inst = i as u32;
        self.pinned = 0;
        for spans in &mut self.spans {
            while spans.last().is_some_and(|s| s.to < reads(i)) {
                spans.pop();
            }
        }
        while self.firsts.last().is_some_and(|&(at, _)| at < reads(i)) {
            self.firsts.pop();
        }
        self.make_way(reads(i));
    }

    /// Values leave the words that webs have from this position on.
    pub(super) fn make_way(&mut self, at: u32) {
        for w in 0..MAX_WORDS {
            if let Some(v) = self.slots[w]
                && self.is_webs(w, at)
            {
                self.evict(v);
            }
        }
    }

    pub(super) fn clear(&mut self, v: VReg) {
        if self.at[v] != NOWHERE {
            self.at[v] = NOWHERE;
            for (slot, left) in self.slots.iter_mut().zip(&mut self.left) {
                if *slot == Some(v) {
                    *slot = None;
                    *left = self.inst + 1;
                }
            }
        }
    }

    pub(super) fn put(&mut self, v: VReg, word: u8) {
        self.at[v] = word;
        for w in word..word + self.pass.size[v] {
            self.slots[usize::from(w)] = Some(v);
        }
    }

    /// The value is in its general register from its definition on.
    pub(super) fn demote(&mut self, v: VReg) -> VReg {
        if let Some(home) = self.pass.home[v].expand() {
            return home;
        }
        let home = self.pass.make_home(v);
        let (inst, word) = self.defined[v];
        self.store(v, word, inst as usize);
        home
    }

    pub(super) fn store(&mut self, v: VReg, word: u8, after: usize) {
        if let Some(home) = self.pass.home[v].expand() {
            let file = self.pass.file;
            let mov = file.copy(Reg::virt(home, 0), file.reg(word, 0), self.pass.size[v]);
            self.added.push((2 * after as u32 + 1, mov));
        }
    }

    pub(super) fn evict(&mut self, v: VReg) {
        if self.next_use(v) != NONE || self.reading.contains(&v) {
            self.demote(v);
        }
        self.clear(v);
    }

    /// A place that is free between two positions, made so if need be.
    pub(super) fn choose(
        &mut self,
        size: u8,
        align: u8,
        (from, to): (u32, u32),
        until: u32,
        i: usize,
    ) -> Result<u8, AllocError> {
        let mut best: Option<(Worth, u8)> = None;
        for word in (0..self.pass.file.words).step_by(align.into()) {
            let words = usize::from(word)..usize::from(word + size);
            let busy = mask(word, size) & (self.pinned | self.pass.taken) != 0;
            if busy
                || words
                    .clone()
                    .any(|w| self.is_webs(w, from) || self.is_webs(w, to))
            {
                continue;
            }
            let held = self.slots[words.clone()].iter().flatten();
            let wanted = held.map(|&v| self.next_use(v)).min();
            let coming = (words.clone())
                .flat_map(|w| self.spans[w].iter().rev().find(|s| s.from > to))
                .map(|s| s.from)
                .chain(
                    self.firsts
                        .iter()
                        .rev()
                        .find(|&&(at, size)| at > to && word < size)
                        .map(|first| first.0),
                )
                .min()
                .unwrap_or(END);
            // A word beside one in use leaves a whole register free elsewhere.
            let other = usize::from(word ^ size);
            let beside = self.slots.get(other).is_some_and(Option::is_some)
                || other < MAX_WORDS && self.is_webs(other, from);
            let left = self.left[words.clone()].iter().copied().max();
            let left = Reverse(left.filter(|_| self.pass.takes_turns()));
            let worth = match wanted {
                None if coming > until => (2, 0, beside, left),
                None => (1, coming, beside, left),
                Some(next) => (0, next, beside, left),
            };
            if best.is_none_or(|(b, _)| worth > b) {
                best = Some((worth, word));
            }
        }
        let Some((_, word)) = best else {
            let what = format!("instruction {i} of {} needs more than there is", self.block);
            return Err(self.pass.fail(what));
        };
        for w in word..word + size {
            if let Some(v) = self.slots[usize::from(w)] {
                self.evict(v);
            }
        }
        Ok(word)
    }

    /// The position of a value's last use in the block.
    pub(super) fn until(&self, v: VReg) -> u32 {
        match self.next_use(v) {
            NONE => 0,
            _ => reads(self.last[v] as usize),
        }
    }

    pub(super) fn place_of(&self, v: VReg) -> Option<u8> {
        let places = [self.pass.fixed[v], self.at[v]];
        places.into_iter().find(|&w| w != NOWHERE)
    }

    /// Makes sure that a value is in the file before instruction `i`.
    pub(super) fn load(&mut self, v: VReg, i: usize) -> Result<u8, AllocError> {
        let (size, align) = (self.pass.size[v], self.pass.align[v]);
        let word = match self.place_of(v) {
            Some(word) => word,
            None => {
                let at = reads(i);
                let until = self.until(v);
                let word = self.choose(size, align, (at, at), until, i)?;
                self.fill(v, word, i)?;
                self.put(v, word);
                word
            }
        };
        self.pinned |= mask(word, size);
        Ok(word)
    }

    /// Copies a value to a place before instruction `i`.
    pub(super) fn fill(&mut self, v: VReg, word: u8, i: usize) -> Result<(), AllocError> {
        let file = self.pass.file;
        let from = match (self.place_of(v), self.pass.home[v].expand()) {
            (Some(at), _) => file.reg(at, 0),
            (None, Some(home)) => Reg::virt(home, 0),
            (None, None) => {
                return Err(self.pass.fail(format!("{v} is used before it is defined")));
            }
        };
        let mov = file.copy(file.reg(word, 0), from, self.pass.size[v]);
        self.added.push((2 * i as u32, mov));
        Ok(())
    }
}
