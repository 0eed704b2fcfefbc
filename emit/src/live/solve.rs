//! The data flow: what each block wants when it begins.
//!
//! Takes the blocks of [`super::flow`]. Guarantees a solution that is at least the least one, in which
//!
//! - bytes that an active channel reads in its own slot are wanted where that channel may go, up to a write by the same
//!   channel or by all;
//! - bytes that are read across channels are wanted where the instruction pointer may go, up to a write by all channels, or
//!   by the active ones where no other waits;
//! - channels that wait want, where the instruction pointer may go meanwhile, what they want at the place where they go on;
//!   before the branch that they left by, this is what they want there.
//!
//! Blocks are visited from the last to the first as long as one of those that they depend on has changed. A subroutine is
//! solved once to know what it wants and replaces, and once with what its callers want.

use super::accesses::{Accesses, GRF_ROWS, Gather, ROWS, Replaces};
use super::flow::Graph;
use super::state::{Packed, State, Wanted};
use crate::inst::Inst;
use kiln_platform::abi::{self, Stack};

/// Visits of a block after which what it wants never shrinks, so that the search ends.
const VISITS: u32 = 12;

/// The solved problem.
pub(super) struct Solved<'a> {
    pub code: &'a [Inst],
    pub graph: &'a Graph,
    gather: Gather<'a>,
    /// Instructions whose predicate only asks for active channels.
    guarded: &'a [bool],
    /// Number of general registers that the code may name.
    grfs: usize,
    /// The convention of functions that are called from elsewhere.
    convention: Option<&'static Stack>,
    /// By block: what is wanted at its start.
    pub wanted: Vec<Packed>,
    /// By block: the routine that it is in.
    routine: Vec<u32>,
    pub routines: Vec<Routine>,
}

/// A kernel, a function, or a subroutine.
#[derive(Default)]
pub(super) struct Routine {
    pub entry: u32,
    /// Blocks of the routine, ascending.
    blocks: Vec<u32>,
    /// Routines that it calls, and the blocks that do.
    calls: Vec<(u32, u32)>,
    /// True if it is called where all channels run, or not at all.
    all_run: bool,
    is_called: bool,
    /// State that is wanted after the routine.
    after: Packed,
    /// State that the routine itself wants, and the bytes that it always replaces.
    summary: Packed,
    replaces: Vec<u64>,
}

impl<'a> Solved<'a> {
    pub fn new(
        code: &'a [Inst],
        graph: &'a Graph,
        gather: Gather<'a>,
        guarded: &'a [bool],
        entries: &[u32],
    ) -> Solved<'a> {
        let mut solved = Solved {
            code,
            graph,
            gather,
            guarded,
            grfs: 0,
            convention: None,
            wanted: vec![Packed::default(); graph.blocks.len()],
            routine: Vec::new(),
            routines: Vec::new(),
        };
        solved.grfs = solved.count_grfs();
        solved.convention = abi::STACK_2.with_grfs(solved.grfs as u32).stack.as_ref();
        solved.find_routines(entries);
        let order = solved.bottom_up();
        for &routine in &order {
            if solved.routines[routine as usize].is_called {
                solved.run(routine);
                let entry = solved.routines[routine as usize].entry;
                solved.routines[routine as usize].summary = solved.wanted[entry as usize].clone();
                solved.routines[routine as usize].replaces = solved.always_replaced(routine);
            }
        }
        for &routine in order.iter().rev() {
            if !solved.routines[routine as usize].is_called {
                solved.routines[routine as usize].after = solved.convention_after(routine);
            }
            solved.run(routine);
            solved.tell_callees(routine);
        }
        solved
    }

    /// The number of general registers of a thread: 128, or 256 if the code names one beyond.
    fn count_grfs(&self) -> usize {
        let mut accesses = Accesses::default();
        let wide = self.code.iter().any(|inst| {
            self.gather.of(inst, &mut accesses);
            let rows = accesses.reads.iter().chain(&accesses.writes);
            rows.map(|access| usize::from(access.row))
                .any(|row| (128..GRF_ROWS).contains(&row))
        });
        if wide { GRF_ROWS } else { 128 }
    }

    /// Number of general registers of a thread, as far as the code says.
    pub fn grfs(&self) -> usize {
        self.grfs
    }

    fn find_routines(&mut self, entries: &[u32]) {
        let count = self.graph.blocks.len();
        self.routine = vec![u32::MAX; count];
        let called = self.graph.blocks.iter().filter_map(|block| block.calls);
        let mut roots: Vec<u32> = called.clone().collect();
        roots.sort_unstable();
        roots.dedup();
        let called = roots.clone();
        let named = entries.iter().map(|at| self.graph.block_of(*at));
        let roots = named.chain(roots).chain(0..count as u32);
        for root in roots {
            if root as usize >= count || self.routine[root as usize] != u32::MAX {
                continue;
            }
            let number = self.routines.len() as u32;
            let mut blocks = Vec::new();
            let mut open = vec![root];
            while let Some(at) = open.pop() {
                // Code that falls into a named place belongs to it.
                let foreign = at != root && called.binary_search(&at).is_ok();
                if self.routine[at as usize] != u32::MAX || foreign {
                    continue;
                }
                self.routine[at as usize] = number;
                blocks.push(at);
                open.extend(self.graph.blocks[at as usize].next.iter().copied());
            }
            blocks.sort_unstable();
            self.routines.push(Routine {
                entry: root,
                blocks,
                all_run: true,
                is_called: called.binary_search(&root).is_ok(),
                ..Routine::default()
            });
        }
        for (at, block) in (0u32..).zip(&self.graph.blocks) {
            if let Some(to) = block.calls {
                let routine = self.routine[at as usize] as usize;
                let callee = self.routine[to as usize];
                self.routines[routine].calls.push((at, callee));
            }
        }
        // A routine that is called where channels wait runs without these.
        let mut open: Vec<u32> = (0..self.routines.len() as u32).collect();
        while let Some(routine) = open.pop() {
            let Routine { calls, all_run, .. } = &self.routines[routine as usize];
            let waits = |at: u32| self.graph.blocks[at as usize].near.is_some();
            let told: Vec<u32> = calls
                .iter()
                .filter(|(at, _)| !all_run || waits(*at))
                .map(|(_, to)| *to)
                .collect();
            for to in told {
                if std::mem::replace(&mut self.routines[to as usize].all_run, false) {
                    open.push(to);
                }
            }
        }
    }

    /// The routines, those that are called before their callers.
    fn bottom_up(&self) -> Vec<u32> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.routines.len()];
        for root in 0..self.routines.len() as u32 {
            let mut path = vec![(root, 0)];
            if std::mem::replace(&mut seen[root as usize], true) {
                continue;
            }
            while let Some((routine, next)) = path.last_mut() {
                let calls = &self.routines[*routine as usize].calls;
                match calls.get(*next) {
                    Some(&(_, to)) => {
                        *next += 1;
                        if !std::mem::replace(&mut seen[to as usize], true) {
                            path.push((to, 0));
                        }
                    }
                    None => {
                        order.push(*routine);
                        path.pop();
                    }
                }
            }
        }
        order
    }

    /// State that may be wanted after a function that code elsewhere calls.
    fn convention_after(&self, routine: u32) -> Packed {
        let returns = self.routines[routine as usize].blocks.iter();
        let returns = returns
            .map(|at| &self.graph.blocks[*at as usize])
            .any(|block| block.returns);
        let mut state = State::new();
        if let Some(convention) = self.convention.filter(|_| returns) {
            let end = convention.callee_saved.end as usize;
            for wanted in &mut state.0[convention.args as usize..end.min(self.grfs)] {
                wanted.maybe = u64::MAX;
            }
        }
        state.pack()
    }

    /// Solves the blocks of a routine.
    fn run(&mut self, routine: u32) {
        let blocks = std::mem::take(&mut self.routines[routine as usize].blocks);
        let graph = self.graph;
        let position = |at: u32| blocks.binary_search(&at).ok();
        let mut dirty = vec![true; blocks.len()];
        let mut visits = vec![0u32; blocks.len()];
        // By block: those that channels enter for which it is a place ahead.
        let mut dependents: Vec<Vec<u32>> = vec![Vec::new(); blocks.len()];
        for (n, &at) in blocks.iter().enumerate() {
            let block = &graph.blocks[at as usize];
            for &next in &block.next {
                for place in self.new_places(at, next) {
                    if let Some(place) = position(place) {
                        dependents[place].push(n as u32);
                    }
                }
            }
            for &to in &block.stay {
                if let Some(to) = position(to).filter(|_| !block.next.contains(&to)) {
                    dependents[to].push(n as u32);
                }
            }
        }
        let mut state = State::new();
        let mut accesses = Accesses::default();
        let mut left = blocks.len();
        while left > 0 {
            for n in (0..blocks.len()).rev() {
                if !std::mem::replace(&mut dirty[n], false) {
                    continue;
                }
                left -= 1;
                let at = blocks[n];
                self.at_end(at, &mut state);
                let block = &graph.blocks[at as usize];
                for here in (block.first..block.end).rev() {
                    self.accesses(here, &mut accesses);
                    let replaces = self.replaces(here);
                    state.undo_writes(&accesses, replaces, self.all_run(at));
                    state.undo_reads(&accesses, replaces);
                }
                visits[n] += 1;
                if visits[n] > VISITS {
                    for (row, wanted) in &self.wanted[at as usize].0 {
                        state.0[usize::from(*row)].join(wanted);
                    }
                }
                let packed = state.pack();
                if packed == self.wanted[at as usize] {
                    continue;
                }
                self.wanted[at as usize] = packed;
                let from = block.from.iter().filter_map(|from| position(*from));
                let others = dependents[n].iter().map(|n| *n as usize);
                for n in from.chain(others) {
                    left += usize::from(!std::mem::replace(&mut dirty[n], true));
                }
            }
        }
        self.routines[routine as usize].blocks = blocks;
    }

    /// The accesses of an instruction.
    pub fn accesses(&self, at: u32, accesses: &mut Accesses) {
        self.gather.of(&self.code[at as usize], accesses);
        if accesses.indirect {
            accesses.perhaps.push((0, self.grfs as u16));
        }
    }

    pub fn replaces(&self, at: u32) -> Replaces {
        let guarded = self.guarded.get(at as usize).copied().unwrap_or(false);
        Gather::replaces(&self.code[at as usize], guarded)
    }

    /// True if all channels of the thread run a block.
    pub fn all_run(&self, block: u32) -> bool {
        let routine = self.routine[block as usize] as usize;
        self.graph.blocks[block as usize].near.is_none() && self.routines[routine].all_run
    }

    /// Places ahead of `next` that are not ahead of the end of `at`, nearest first.
    fn new_places(&self, at: u32, next: u32) -> impl Iterator<Item = u32> {
        let before: smallvec::SmallVec<[u32; 8]> = self
            .graph
            .chain(self.graph.blocks[at as usize].near)
            .collect();
        let after = self.graph.chain(self.graph.blocks[next as usize].near);
        after.filter(move |place| !before.contains(place))
    }

    /// State that is wanted at the end of a block, before its last instruction is undone.
    pub fn at_end(&self, at: u32, state: &mut State) {
        state.clear();
        let block = &self.graph.blocks[at as usize];
        if block.returns {
            let routine = &self.routines[self.routine[at as usize] as usize];
            join(state, &routine.after, |to, from| to.join(from));
        }
        for &to in &block.stay {
            join(state, &self.wanted[to as usize], |to, from| {
                to.join_own(from)
            });
        }
        let mut waiting: Option<State> = None;
        for &next in &block.next {
            let wanted = &self.wanted[next as usize];
            join(state, wanted, |to, from| to.join_rest(from));
            let ahead = self.graph.chain(block.near).any(|place| place == next);
            let waits_there =
                self.graph.blocks[next as usize].waits && (ahead || block.leave.contains(&next));
            let has = waits_there || wanted.0.iter().any(|(_, wanted)| wanted.wait != 0);
            if !has {
                continue;
            }
            let mut here = State::new();
            join(&mut here, wanted, |to, from| to.join_wait(from));
            if waits_there {
                join(&mut here, self.at_place(next), |to, from| {
                    to.join_arrival(from)
                });
            }
            if !block.leave.is_empty() {
                for (to, from) in state
                    .0
                    .iter_mut()
                    .zip(&here.0)
                    .filter(|(_, from)| from.wait != 0)
                {
                    to.join_departure(from);
                }
            }
            // Channels wait at these places only after this block.
            let own_place = (waits_there && !ahead).then_some(next);
            for place in own_place.into_iter().chain(self.new_places(at, next)) {
                let outer = &self.wanted[place as usize];
                for (row, wanted) in &self.at_place(place).0 {
                    here.0[usize::from(*row)].wait &= !(wanted.own & !outer.get(*row).wait);
                }
            }
            match &mut waiting {
                None => waiting = Some(here),
                Some(waiting) => {
                    for (to, from) in waiting.0.iter_mut().zip(&here.0) {
                        to.join_wait(from);
                        to.all |= from.all;
                    }
                }
            }
        }
        if let Some(waiting) = waiting {
            for (to, from) in state.0.iter_mut().zip(&waiting.0) {
                to.join_wait(from);
                to.all |= from.all;
            }
        }
        self.call(at, state);
    }

    /// State that channels want which go on at a place: after an `else`, if that is the place.
    fn at_place(&self, place: u32) -> &Packed {
        let block = &self.graph.blocks[place as usize];
        let inst = &self.code[block.first as usize];
        let after = (inst.op == crate::inst::Op::Else).then_some(place + 1);
        let after = after.and_then(|next| self.wanted.get(next as usize));
        after.unwrap_or(&self.wanted[place as usize])
    }

    /// Undoes the call at the end of a block, if there is one.
    fn call(&self, at: u32, state: &mut State) {
        let block = &self.graph.blocks[at as usize];
        if let Some(to) = block.calls {
            let callee = &self.routines[self.routine[to as usize] as usize];
            let always = self.code[block.end as usize - 1].pred.is_none();
            for (wanted, replaced) in state.0.iter_mut().zip(&callee.replaces).filter(|_| always) {
                wanted.own &= !replaced;
                wanted.all &= !replaced;
                wanted.maybe &= !replaced;
            }
            join(state, &callee.summary, |to, from| to.join(from));
        }
        if let Some(convention) = self.convention.filter(|_| block.calls_away) {
            let args = convention.args as usize..convention.callee_saved.start as usize;
            for wanted in &mut state.0[args] {
                wanted.maybe = u64::MAX;
            }
        }
    }

    /// Passes what is wanted after calls on to the routines that are called.
    fn tell_callees(&mut self, routine: u32) {
        let calls = std::mem::take(&mut self.routines[routine as usize].calls);
        for &(at, callee) in &calls {
            let mut state = State::new();
            for next in &self.graph.blocks[at as usize].next {
                join(&mut state, &self.wanted[*next as usize], |to, from| {
                    to.join(from)
                });
            }
            join(
                &mut state,
                &self.routines[callee as usize].after,
                |to, from| to.join(from),
            );
            self.routines[callee as usize].after = state.pack();
        }
        self.routines[routine as usize].calls = calls;
    }

    /// By register: bytes that a routine writes on all ways, for all channels that execute it.
    fn always_replaced(&self, routine: u32) -> Vec<u64> {
        let Routine { blocks, entry, .. } = &self.routines[routine as usize];
        let mut replaced: Vec<Option<Vec<u64>>> = vec![None; blocks.len()];
        let mut accesses = Accesses::default();
        let mut changed = true;
        while changed {
            changed = false;
            for (n, &at) in blocks.iter().enumerate().rev() {
                let block = &self.graph.blocks[at as usize];
                let known = block.next.iter().filter_map(|next| {
                    blocks
                        .binary_search(next)
                        .ok()
                        .and_then(|n| replaced[n].as_ref())
                });
                let mut now: Option<Vec<u64>> = block.returns.then(|| vec![0; ROWS]);
                for next in known {
                    match &mut now {
                        Some(now) => now
                            .iter_mut()
                            .zip(next)
                            .for_each(|(now, next)| *now &= next),
                        None => now = Some(next.clone()),
                    }
                }
                let Some(mut now) = now else { continue };
                if let Some(to) = block.calls {
                    let callee = &self.routines[self.routine[to as usize] as usize];
                    now.iter_mut()
                        .zip(&callee.replaces)
                        .for_each(|(now, other)| *now |= other);
                }
                // A branch inside may leave channels out.
                let all = block.near.is_none();
                for here in block.first..block.end {
                    self.gather.of(&self.code[here as usize], &mut accesses);
                    let counts = match self.replaces(here) {
                        Replaces::All => true,
                        Replaces::Active => all,
                        Replaces::Nothing => false,
                    };
                    for write in accesses.writes.iter().filter(|_| counts) {
                        now[usize::from(write.row)] |= write.bytes;
                    }
                }
                if replaced[n].as_ref() != Some(&now) {
                    replaced[n] = Some(now);
                    changed = true;
                }
            }
        }
        let entry = blocks.binary_search(entry).ok();
        let entry = entry.and_then(|n| replaced[n].take());
        entry.unwrap_or_else(|| vec![0; ROWS])
    }
}

/// Joins what is wanted of each register.
fn join(state: &mut State, packed: &Packed, with: impl Fn(&mut Wanted, &Wanted)) {
    for (row, wanted) in &packed.0 {
        with(&mut state.0[usize::from(*row)], wanted);
    }
}
