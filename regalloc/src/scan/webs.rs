//! Values that are best in one register, and when each register is spoken for.
//!
//! A *web* is values that block parameters, old contents and copies join, and that never live at once. It
//! has a home, the register in which its values need no moves, and one place in memory. What has to be in
//! a register at a place (a message's payload, what a call passes or overwrites) is *booked* there, and
//! so are the lives of a web's values at its home: others had better not be there then. Nothing depends on
//! it but how many moves are made.

use std::cell::Cell;
use std::collections::BTreeMap;

use regalloc2::{Block, Function, Inst, Operand, OperandConstraint, OperandKind};

use super::lives::Spans;
use crate::adapter::{Adapter, Source, UNITS, unit};

pub const NOWHERE: u8 = u8::MAX;
/// No web: what is booked for an instruction.
const NOBODY: u32 = u32::MAX;
/// Lives of a web that are looked at when its home is chosen.
const LOOKED_AT: usize = 32;

pub struct Webs {
    parent: Vec<u32>,
    /// By the root of a web of several values: their lives, first positions with last.
    lives: BTreeMap<u32, BTreeMap<u32, u32>>,
    home: Vec<u8>,
    /// By register: disjoint spans, with the web that they are for.
    booked: Vec<BTreeMap<u32, (u32, u32)>>,
    /// By register: the span found last in which it is not booked. The next question is mostly about the same one.
    gaps: Vec<Cell<(u32, u32)>>,
}

impl Webs {
    pub fn new(input: &Adapter, spans: &Spans) -> Webs {
        let values = input.num_vregs();
        let mut webs = Webs {
            parent: (0..values as u32).collect(),
            lives: BTreeMap::new(),
            home: vec![NOWHERE; values],
            booked: vec![BTreeMap::new(); UNITS as usize],
            gaps: vec![Cell::default(); UNITS as usize],
        };
        for b in 0..input.num_blocks() {
            let block = Block::new(b);
            for (s, &succ) in input.block_succs(block).iter().enumerate() {
                let args = input.branch_blockparams(block, Inst::invalid(), s);
                for (arg, param) in args.iter().zip(input.block_params(succ)) {
                    webs.join(arg.vreg() as u32, param.vreg() as u32, spans);
                }
            }
        }
        for i in 0..input.num_insts() {
            let ops = input.inst_operands(Inst::new(i));
            for op in ops {
                if let OperandConstraint::Reuse(k) = op.constraint() {
                    webs.join(ops[k].vreg().vreg() as u32, op.vreg().vreg() as u32, spans);
                }
            }
            if let (Source::Copy, [from, to]) = (input.source[i], ops) {
                webs.join(from.vreg().vreg() as u32, to.vreg().vreg() as u32, spans);
            }
        }
        webs.book_fixed(input, spans);
        webs
    }

    /// The web of a value.
    pub fn of(&self, mut v: u32) -> u32 {
        while self.parent[v as usize] != v {
            v = self.parent[v as usize];
        }
        v
    }

    /// Makes one web of two, if their values never live at once.
    fn join(&mut self, a: u32, b: u32, spans: &Spans) {
        let (a, b) = (self.of(a), self.of(b));
        if a == b {
            return;
        }
        let mut take = |v: u32| {
            let own = || spans.of(v as usize).iter().copied().collect();
            self.lives.remove(&v).unwrap_or_else(own)
        };
        let (mut few, mut many) = (take(a), take(b));
        let (mut child, mut root) = (a, b);
        if few.len() > many.len() {
            std::mem::swap(&mut few, &mut many);
            std::mem::swap(&mut child, &mut root);
        }
        let apart = few.iter().all(|(&from, &to)| {
            let before = many.range(..to).next_back();
            before.is_none_or(|(_, &end)| end <= from)
        });
        if apart {
            many.extend(few);
            self.parent[child as usize] = root;
            self.lives.insert(root, many);
        } else {
            self.lives.insert(child, few);
            self.lives.insert(root, many);
        }
    }

    /// Books what instructions want somewhere, and the webs of such values with it.
    fn book_fixed(&mut self, input: &Adapter, spans: &Spans) {
        for i in 0..input.num_insts() as u32 {
            let inst = Inst::new(i as usize);
            for op in input.inst_operands(inst) {
                let OperandConstraint::FixedReg(preg) = op.constraint() else {
                    continue;
                };
                let (unit, web) = (unit(preg) as u8, self.of(op.vreg().vreg() as u32));
                if self.home[web as usize] == NOWHERE {
                    self.settle(web, unit, spans);
                }
                let (from, to) = span(i, op);
                if self.conflict(unit, from, to, web).is_none() {
                    self.book(unit, from, to, web);
                }
            }
            for preg in input.inst_clobbers(inst) {
                self.book(unit(preg) as u8, 2 * i + 1, 2 * i + 2, NOBODY);
            }
        }
    }

    fn book(&mut self, unit: u8, from: u32, to: u32, web: u32) {
        self.booked[unit as usize].insert(from, (to, web));
        self.gaps[unit as usize].set((0, 0));
    }

    /// The first position in a span at which a register is booked for another web.
    pub fn conflict(&self, unit: u8, from: u32, to: u32, web: u32) -> Option<u32> {
        let to = to.max(from + 1);
        let gap = &self.gaps[unit as usize];
        if gap.get().0 <= from && to <= gap.get().1 {
            return None;
        }
        let booked = &self.booked[unit as usize];
        let before = booked.range(..=from).next_back();
        let end = before.map_or(0, |(_, &(end, _))| end);
        if let Some((_, &(_, other))) = before
            && end > from
            && other != web
        {
            return Some(from);
        }
        let behind = booked.range(from + 1..);
        let next = behind.clone().next().map_or(u32::MAX, |(&at, _)| at);
        if end <= from && to <= next {
            gap.set((end, next));
        }
        (behind.take_while(|&(&at, _)| at < to))
            .find(|(_, booked)| booked.1 != web)
            .map(|(&at, _)| at)
    }

    /// The first position at or behind one at which a register is booked for another web than a value's,
    /// while the value lives.
    pub fn wanted(&self, unit: u8, v: u32, at: u32, spans: &Spans) -> Option<u32> {
        let web = self.of(v);
        let spans = spans.of(v as usize);
        let next = spans.partition_point(|&(_, to)| to <= at);
        (spans[next..].iter().take(LOOKED_AT))
            .find_map(|&(from, to)| self.conflict(unit, from.max(at), to, web))
    }

    pub fn home(&self, web: u32) -> u8 {
        self.home[web as usize]
    }

    /// Gives a web its home, and books its lives there as far as nobody else has.
    fn settle(&mut self, web: u32, unit: u8, spans: &Spans) {
        self.home[web as usize] = unit;
        let all = match self.lives.get(&web) {
            Some(all) => all.clone(),
            None => spans.of(web as usize).iter().copied().collect(),
        };
        for (from, to) in all {
            if self.conflict(unit, from, to, web).is_none() {
                self.book(unit, from, to, web);
            }
        }
    }

    /// Chooses the home of a web of several values that has none: of these registers, in order, the one that
    /// is booked for the fewest of its lives.
    pub fn choose_home(
        &mut self,
        web: u32,
        units: impl Iterator<Item = u8>,
        spans: &Spans,
    ) -> Option<u8> {
        if self.home[web as usize] != NOWHERE {
            return None;
        }
        let all = self.lives.get(&web).filter(|all| all.len() > 1)?;
        let mut best: Option<(usize, u8)> = None;
        for unit in units {
            let taken = |life: &(&u32, &u32)| self.conflict(unit, *life.0, *life.1, web).is_some();
            let count = all.iter().take(LOOKED_AT).filter(taken).count();
            if best.is_none_or(|(least, _)| count < least) {
                best = Some((count, unit));
            }
            if count == 0 {
                break;
            }
        }
        let (_, unit) = best?;
        self.settle(web, unit, spans);
        Some(unit)
    }
}

/// When an operand of an instruction needs its register.
fn span(i: u32, op: &Operand) -> (u32, u32) {
    match op.kind() {
        OperandKind::Use => (2 * i, 2 * i + 1),
        OperandKind::Def => (2 * i + 1, 2 * i + 2),
    }
}
