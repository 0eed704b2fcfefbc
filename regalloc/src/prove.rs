//! Proof that an answer solves its problem, in the terms of [`crate::problem`] alone.
//!
//! Symbolic execution, as regalloc2's checker has it: each place holds a set of values, where control flow joins what
//! it holds on all ways, and the state of each block is iterated to a fixpoint. A move copies a set, a definition
//! replaces it, a clobber empties it, an edge adds parameters to the sets of their arguments. Each use must find its
//! value in its place. Any file that a [`UnitSet`] holds can be proved.

use std::collections::{BTreeMap, BTreeSet};

use kiln_platform::bits::UnitSet;
use kiln_platform::platform::UNIT_GRFS;
use smallvec::SmallVec;

use crate::problem::{Answer, Constraint, Move, Operand, Place, Problem, Role, Slot, Unit, Value};

/// Values of one place, ascending.
type Held = SmallVec<[Value; 2]>;

/// Values that each place holds.
#[derive(Clone)]
pub struct State {
    units: Vec<Held>,
    /// By the first GRF of a slot, the number of its GRFs and the values. Slots in it do not overlap.
    memory: BTreeMap<u32, (u32, Held)>,
}

impl State {
    /// The values in units.
    pub fn in_units(&self) -> impl Iterator<Item = Value> + '_ {
        self.units.iter().flatten().copied()
    }

    /// The values in a place.
    pub fn of(&self, place: Place, slots: &[Slot]) -> &[Value] {
        match place {
            Place::Unit(unit) => self.units.get(unit.index()).map_or(&[], |held| held),
            Place::Memory(n) => {
                let slot = slots.get(n as usize);
                let found = slot.and_then(|slot| {
                    let (grfs, held) = self.memory.get(&slot.at)?;
                    (*grfs == slot.grfs).then_some(held)
                });
                found.map_or(&[], |held| held)
            }
        }
    }

    fn put(&mut self, place: Place, slots: &[Slot], held: Held) {
        match place {
            Place::Unit(unit) => {
                if let Some(of_unit) = self.units.get_mut(unit.index()) {
                    *of_unit = held;
                }
            }
            Place::Memory(n) => {
                let Some(&Slot { at, grfs }) = slots.get(n as usize) else {
                    return;
                };
                while let Some((&other, &(count, _))) = self.memory.range(..at + grfs).next_back()
                    && other + count > at
                {
                    self.memory.remove(&other);
                }
                self.memory.insert(at, (grfs, held));
            }
        }
    }

    /// Keeps what another state has in the same place.
    fn meet(&mut self, other: &State) {
        for (mine, theirs) in self.units.iter_mut().zip(&other.units) {
            mine.retain(|v| theirs.contains(v));
        }
        self.memory.retain(|at, (grfs, held)| {
            let theirs = other.memory.get(at).filter(|(count, _)| count == grfs);
            held.retain(|v| theirs.is_some_and(|(_, theirs)| theirs.contains(v)));
            !held.is_empty()
        });
    }

    fn sets(&mut self) -> impl Iterator<Item = &mut Held> {
        let memory = self.memory.values_mut().map(|(_, held)| held);
        self.units.iter_mut().chain(memory)
    }

    fn to_keep(&self) -> Kept {
        let units = self.units.iter().zip(0..);
        let units = units.flat_map(|(held, unit)| held.iter().map(move |v| (unit, *v)));
        Kept {
            units: units.collect(),
            memory: self.memory.clone(),
        }
    }
}

/// The state at the start of a block, in the bytes of what it holds: there are many blocks, in most of which few units are used.
#[derive(PartialEq, Eq)]
struct Kept {
    /// Units with a value of theirs, ascending.
    units: Box<[(u32, Value)]>,
    memory: BTreeMap<u32, (u32, Held)>,
}

impl Kept {
    fn state(&self, unit_count: usize) -> State {
        let mut units = vec![Held::new(); unit_count];
        for &(unit, value) in &self.units {
            units[unit as usize].push(value);
        }
        State {
            units,
            memory: self.memory.clone(),
        }
    }
}

struct Proof<'a> {
    problem: &'a Problem,
    answer: &'a Answer,
    allocatable: UnitSet,
    /// Targets of moves: the allocatable units, and those that fixed operands name, as the last message of a thread does.
    targets: UnitSet,
    /// By value: the block that defines it.
    defined: Vec<u32>,
}

/// An answer that solves its problem.
pub struct Proved<'a> {
    proof: Proof<'a>,
    /// By block: the state at its start, if it can be reached.
    states: Vec<Option<Kept>>,
}

impl Proved<'_> {
    /// The state at the start of a block, if it can be reached.
    pub fn at_start(&self, block: usize) -> Option<State> {
        let kept = self.states.get(block)?.as_ref()?;
        Some(kept.state(self.proof.problem.file.unit_count))
    }

    /// Calls `see` with the state before each instruction, and before each move, of each block.
    pub fn walk(&self, mut see: impl FnMut(u32, Option<&Move>, &State)) {
        for b in 0..self.states.len() {
            if let Some(mut state) = self.at_start(b) {
                let walked = self.proof.block(b, &mut state, &mut see);
                debug_assert!(walked.is_ok(), "a proof can be repeated");
            }
        }
    }
}

/// Proves that an answer solves a problem.
///
/// # Errors
/// The first thing that is wrong.
pub fn prove<'a>(problem: &'a Problem, answer: &'a Answer) -> Result<Proved<'a>, String> {
    if answer.places.len() != problem.operand_count() {
        return Err("another number of operands".to_string());
    }
    if !answer.moves.is_sorted_by_key(|step| step.at) {
        return Err("moves are not in their order".to_string());
    }
    let mut proof = Proof {
        problem,
        answer,
        allocatable: problem.file.allocatable().collect(),
        targets: problem.file.allocatable().collect(),
        defined: vec![u32::MAX; problem.value_count()],
    };
    for b in 0..problem.block_count() {
        let (first, end) = problem.insts_of(b);
        for op in (first..end).flat_map(|i| problem.operands(i)) {
            if let Constraint::Fixed(unit) = op.constraint {
                proof.targets.insert(unit);
            }
        }
        let defs = (first..end)
            .flat_map(|i| problem.operands(i))
            .filter(|op| op.is_def());
        for v in defs
            .map(|op| op.value())
            .chain(problem.params(b).iter().copied())
        {
            proof.defined[v as usize] = b as u32;
        }
    }
    let states = proof.run()?;
    Ok(Proved { proof, states })
}

impl Proof<'_> {
    /// The state at the start of each block.
    fn run(&self) -> Result<Vec<Option<Kept>>, String> {
        let problem = self.problem;
        let unit_count = problem.file.unit_count;
        let mut states: Vec<Option<Kept>> = Vec::new();
        states.resize_with(problem.block_count(), || None);
        let mut work = BTreeSet::from([0]);
        states[0] = Some(Kept {
            units: Box::default(),
            memory: BTreeMap::new(),
        });
        while let Some(b) = work.pop_first() {
            let Some(mut state) = states[b].as_ref().map(|kept| kept.state(unit_count)) else {
                continue;
            };
            self.block(b, &mut state, &mut |_, _, _| {})?;
            for edge in problem.edges(b) {
                let to = edge.to as usize;
                let there = self.cross(&state, problem.args(edge), to);
                match &mut states[to] {
                    Some(old) => {
                        let mut met = old.state(unit_count);
                        met.meet(&there);
                        let met = met.to_keep();
                        if *old != met {
                            *old = met;
                            work.insert(to);
                        }
                    }
                    none => {
                        *none = Some(there.to_keep());
                        work.insert(to);
                    }
                }
            }
        }
        Ok(states)
    }

    /// The state after an edge. Values that the block there defines are those of another round of a loop.
    fn cross(&self, state: &State, args: &[Value], to: usize) -> State {
        let params = self.problem.params(to);
        let mut there = state.clone();
        for held in there.sets() {
            let passed = args.iter().zip(params);
            let passed: Held = (passed.filter(|(arg, _)| held.contains(arg)))
                .map(|(_, &param)| param)
                .collect();
            held.retain(|v| self.defined[*v as usize] != to as u32);
            held.extend(passed);
            held.sort_unstable();
        }
        there
    }

    fn block(
        &self,
        b: usize,
        state: &mut State,
        see: &mut impl FnMut(u32, Option<&Move>, &State),
    ) -> Result<(), String> {
        let (first, end) = self.problem.insts_of(b);
        let moves = &self.answer.moves;
        let mut next = moves.partition_point(|step| step.at < 2 * first);
        for i in first..end {
            for at in [2 * i, 2 * i + 1] {
                if at == 2 * i + 1 {
                    see(i, None, state);
                    self.inst(i, state)
                        .map_err(|e| format!("instruction {i}: {e}"))?;
                }
                while let Some(step) = moves.get(next).filter(|step| step.at == at) {
                    see(i, Some(step), state);
                    self.transfer(step.from, step.to, state)
                        .map_err(|e| format!("move at instruction {i}: {e}"))?;
                    next += 1;
                }
            }
        }
        Ok(())
    }

    fn transfer(&self, from: Place, to: Place, state: &mut State) -> Result<(), String> {
        let slots = &self.answer.slots;
        for place in [from, to] {
            match place {
                Place::Unit(unit) if unit.index() >= self.problem.file.unit_count => {
                    return Err(format!("there is no {unit:?}"));
                }
                Place::Memory(n) if n as usize >= slots.len() => {
                    return Err(format!("there is no slot {n}"));
                }
                _ => {}
            }
        }
        if to.unit().is_some_and(|unit| !self.targets.contains(unit)) {
            return Err(format!("{to:?} is not given out"));
        }
        if from.is_memory() && to.is_memory() {
            return Err("both places are in memory".to_string());
        }
        let mut held = Held::from_slice(state.of(from, slots));
        for place in [from, to] {
            if let Place::Memory(n) = place {
                held.retain(|v| self.problem.slot_grfs(*v) <= slots[n as usize].grfs);
            }
        }
        state.put(to, slots, held);
        Ok(())
    }

    fn inst(&self, i: u32, state: &mut State) -> Result<(), String> {
        let start = self.problem.operands_from(i);
        let ops = self.problem.operands(i);
        let places = &self.answer.places[start..start + ops.len()];
        let clobbers = self.problem.clobbers(i);
        for (op, &place) in ops.iter().zip(places) {
            self.suits(i, op, place, places)?;
            if op.is_use() && !state.of(place, &self.answer.slots).contains(&op.value()) {
                return Err(format!("value {} is not in {place:?}", op.value()));
            }
        }
        let mut written = clobbers;
        for (op, &place) in ops.iter().zip(places).filter(|(op, _)| op.is_def()) {
            if let Some(unit) = place.unit() {
                if written.contains(unit) {
                    return Err(format!("{unit:?} of value {} is written twice", op.value()));
                }
                written.insert(unit);
            }
        }
        for (op, place) in ops.iter().zip(places) {
            if op.role() == Role::LateUse && place.unit().is_some_and(|u| written.contains(u)) {
                return Err(format!("value {} is overwritten early", op.value()));
            }
        }
        for unit in clobbers.iter() {
            if let Some(held) = state.units.get_mut(unit as usize) {
                held.clear();
            }
        }
        for (op, &place) in ops.iter().zip(places).filter(|(op, _)| op.is_def()) {
            let held = SmallVec::from_slice(&[op.value()]);
            state.put(place, &self.answer.slots, held);
        }
        Ok(())
    }

    /// An operand is where it may be.
    fn suits(&self, i: u32, op: &Operand, place: Place, places: &[Place]) -> Result<(), String> {
        // An input may still be read in the unit in which it arrived, which is not given out.
        let is_given = |unit: Unit| op.is_use() || self.allocatable.contains(unit);
        let suits = match op.constraint {
            Constraint::Register => place.unit().is_some_and(is_given),
            Constraint::Anywhere => match place {
                Place::Unit(unit) => is_given(unit),
                Place::Memory(n) => {
                    let least = match self.problem.is_copy(i) {
                        true => self.problem.slot_grfs(op.value()),
                        false => UNIT_GRFS,
                    };
                    (self.answer.slots.get(n as usize)).is_some_and(|slot| slot.grfs >= least)
                }
            },
            Constraint::Fixed(unit) => place == Place::Unit(unit),
            Constraint::Tied(other) => {
                places.get(usize::from(other)) == Some(&place) && place.unit().is_none_or(is_given)
            }
        };
        match suits {
            true => Ok(()),
            false => Err(format!("{op:?} may not be in {place:?}")),
        }
    }
}
