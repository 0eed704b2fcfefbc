//! The answer in regalloc2's form, without moves that nobody needs.
//!
//! A value may be loaded or moved and then go to memory before it is read, and be stored for loads that are
//! not there any more. Such moves are left out. What is in memory gets slots, which are shared by what is
//! not there at once.

use std::collections::BTreeMap;

use regalloc2::{
    Allocation, Block, Edit, Function, Inst, OperandKind, Output, ProgPoint, SpillSlot,
};

use super::edges::{ASIDE, Move, Place, SPARE};
use super::{NOBODY, Scan};
use crate::adapter::preg;
use crate::rewrite::Slot;

impl Scan<'_> {
    /// The answer, and where its slots are.
    pub(super) fn answer(mut self) -> (Output, Vec<Slot>) {
        self.edits.sort_by_key(|&(key, _)| key);
        self.leave_out_unread();
        self.leave_out_unloaded();
        let (slots, places) = self.slots();
        let count = places.len() as u32;
        let slot = |place: Place| match place {
            Place::Memory(SPARE) => count,
            Place::Memory(ASIDE) => count + 1,
            Place::Memory(web) => slots[web as usize],
            Place::Unit(_) => 0,
        };
        let alloc = |place: Place| match place {
            Place::Unit(unit) => Allocation::reg(preg(unit.into())),
            memory => Allocation::stack(SpillSlot::new(slot(memory) as usize)),
        };
        let written = self.edits.iter().map(|&(_, (_, to))| to);
        let behind = (written.filter(|to| to.unit().is_none())).map(|to| slot(to) + 1);
        let edit = |&(key, (from, to)): &(u64, Move)| {
            let inst = Inst::new((key >> 3) as usize);
            let point = match key >> 2 & 1 {
                0 => ProgPoint::before(inst),
                _ => ProgPoint::after(inst),
            };
            let (from, to) = (alloc(from), alloc(to));
            (point, Edit::Move { from, to })
        };
        let output = Output {
            num_spillslots: behind.max().unwrap_or(0).max(count) as usize,
            edits: self.edits.iter().map(edit).collect(),
            allocs: self.allocs.iter().map(|&p| alloc(p)).collect(),
            inst_alloc_offsets: (0..self.input.num_insts() as u32)
                .map(|i| self.input.operands_from(i))
                .collect(),
            ..Output::default()
        };
        (output, places)
    }

    /// Leaves out moves to registers that are written again before anything reads them, from the end of each
    /// block to its start.
    fn leave_out_unread(&mut self) {
        let input = self.input;
        let mut unread = vec![false; self.edits.len()];
        let mut next = self.edits.len();
        // What is read behind the start of each block; as long as that is not known, what is there.
        let mut reads = std::mem::take(&mut self.starts);
        for b in (0..input.num_blocks()).rev() {
            let succs = input.block_succs(Block::new(b)).iter();
            let mut read = succs.fold(0, |set, succ| set | reads[succ.index()]);
            let (first, end) = input.insts_of(b);
            for i in (first..end).rev() {
                let mut moves = |from: u64, read: &mut u64, edits: &[(u64, Move)]| {
                    while let Some(at) = next.checked_sub(1)
                        && edits[at].0 >> 2 >= from
                    {
                        next = at;
                        let (from, to) = edits[at].1;
                        unread[at] = to.unit().is_some() && *read & to.bit() == 0;
                        if !unread[at] {
                            *read = *read & !to.bit() | from.bit();
                        }
                    }
                };
                moves(2 * u64::from(i) + 1, &mut read, &self.edits);
                let places = self.input.operands_from(i) as usize;
                let ops = input.inst_operands(Inst::new(i as usize)).iter();
                let ops = ops.zip(&self.allocs[places..]);
                for (_, place) in ops.clone().filter(|(op, _)| op.kind() == OperandKind::Def) {
                    read &= !place.bit();
                }
                for (_, place) in ops.filter(|(op, _)| op.kind() == OperandKind::Use) {
                    read |= place.bit();
                }
                moves(2 * u64::from(i), &mut read, &self.edits);
            }
            reads[b] = read;
        }
        let mut unread = unread.into_iter();
        self.edits.retain(|_| unread.next() != Some(true));
    }

    /// Leaves out stores to what nothing is loaded from.
    fn leave_out_unloaded(&mut self) {
        let mut loaded = vec![false; self.place.len()];
        let froms = self.edits.iter().map(|&(_, (from, _))| from);
        for place in froms.chain(self.allocs.iter().copied()) {
            if let Place::Memory(web) = place
                && let Some(loaded) = loaded.get_mut(web as usize)
            {
                *loaded = true;
            }
        }
        let is_loaded = |web: u32| loaded.get(web as usize).is_none_or(|loaded| *loaded);
        self.edits.retain(|(_, (_, to))| match *to {
            Place::Memory(web) => is_loaded(web),
            Place::Unit(_) => true,
        });
        for v in 0..self.stored.len() {
            self.stored[v] &= is_loaded(self.webs.of(v as u32));
        }
    }

    /// A slot for each web with values in memory, and where each is: webs that are not there at once share
    /// registers of scratch memory. A parameter is stored where blocks end that lead to its own, while
    /// others are still read.
    fn slots(&self) -> (Vec<u32>, Vec<Slot>) {
        let grfs = self.grfs();
        let mut lives: BTreeMap<u32, BTreeMap<u32, u32>> = BTreeMap::new();
        for v in (0..self.place.len() as u32).filter(|&v| self.stored[v as usize]) {
            let of_web = lives.entry(self.webs.of(v)).or_default();
            of_web.extend(self.lives.spans.of(v as usize).iter().copied());
        }
        for b in 0..self.input.num_blocks() {
            let block = Block::new(b);
            for p in self.input.block_params(block) {
                let v = p.vreg() as u32;
                if !self.stored[v as usize] {
                    continue;
                }
                let web = self.webs.of(v);
                for pred in self.input.block_preds(block) {
                    let end = 2 * self.input.insts_of(pred.index()).1;
                    // Unless another of the web is there until then.
                    let of_web = lives.entry(web).or_default();
                    let before = of_web.range(..end).next_back();
                    if before.is_none_or(|(_, &to)| to < end) {
                        of_web.insert(end - 1, end);
                    }
                }
            }
        }
        let mut order: Vec<(u32, u32)> = (lives.iter())
            .filter_map(|(&web, lives)| Some((*lives.first_key_value()?.0, web)))
            .collect();
        order.sort_unstable();
        let mut slots = vec![NOBODY; self.place.len()];
        let mut places = Vec::new();
        let mut taken: Vec<BTreeMap<u32, u32>> = Vec::new();
        for (_, web) in order {
            let Some(lives) = lives.remove(&web) else {
                continue;
            };
            let is_free = |grf: usize| {
                taken.get(grf).is_none_or(|grf| {
                    lives.iter().all(|(&from, &to)| {
                        let before = grf.range(..to).next_back();
                        before.is_none_or(|(_, &end)| end <= from)
                    })
                })
            };
            let size = grfs[web as usize] as usize;
            let fits = |at: &usize| (*at..at + size).all(is_free);
            let at = (0..taken.len()).find(fits).unwrap_or(taken.len());
            taken.resize(taken.len().max(at + size), BTreeMap::new());
            for grf in &mut taken[at..at + size] {
                grf.extend(&lives);
            }
            slots[web as usize] = places.len() as u32;
            places.push(Slot {
                at: at as u32,
                grfs: size as u32,
            });
        }
        (slots, places)
    }

    /// By web, the registers that its values take in memory: all of a unit if one is passed there.
    fn grfs(&self) -> Vec<u32> {
        let mut grfs = vec![1; self.place.len()];
        for (v, of_value) in (0..).zip(self.input.grfs()) {
            let own = &mut grfs[self.webs.of(v) as usize];
            *own = of_value.max(*own);
        }
        for place in &self.allocs {
            if let Place::Memory(web) = place
                && let Some(own) = grfs.get_mut(*web as usize)
            {
                *own = self.input.func.target.unit_grfs();
            }
        }
        grfs
    }
}
