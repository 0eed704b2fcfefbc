//! Register allocation in one walk over the code, by a plan of spilling.
//!
//! Takes a [`Problem`] and gives an [`Answer`]. Linear scan over SSA form: blocks are walked in reverse postorder, and
//! the walk knows which value is in which unit. The plan says where each web is in memory, so that hardly anything
//! else has to be spilled. Where a unit is wanted all the same and none is free, the value whose next use is furthest
//! is spilled (Belady 1966; on SSA form with distances as in Braun and Hack 2009, "Register Spilling and Live-Range
//! Splitting for SSA-Form Programs"). A value is stored once, so that it is in its slot on every way to a later load:
//! where it is first left there, if that is on all these ways, or else right after its definition. At a block with
//! several predecessors a value is in the unit in which the first has it, and the other edges get moves.
//!
//! `operands` does an instruction, `joins` the start of a block; `spans` finds live ranges and `live_ranges` distances to
//! next uses; `webs` chooses preferred units so that few moves are needed, `plan` where webs are in memory;
//! `parallel_moves` orders moves that happen at once, `prune_moves` leaves out moves without an effect, `slots` gives webs
//! their slots. Time is near the length of the code, whether or not it spills.

mod joins;
mod lists;
mod live_ranges;
mod loops;
mod operands;
mod parallel_moves;
mod plan;
mod prune_moves;
mod slots;
mod spans;
mod turns;
mod webs;

use kiln_platform::bits::UnitSet;

use crate::problem::{Answer, NoAnswer, Place, Point, Problem, Unit, units};
use joins::Entry;
pub(crate) use lists::Lists;
pub(crate) use live_ranges::LiveRanges;
pub(crate) use plan::Plan;
pub use plan::message_weight;
pub(crate) use prune_moves::Draft;
use turns::Turns;
use webs::NO_UNIT;
pub(crate) use webs::Webs;

/// No value, where a value's number is expected.
pub(crate) const NO_VALUE: u32 = u32::MAX;

/// By unit: the value in it; [`NO_VALUE`] if there is none.
type Held = Vec<u32>;

/// A copy: from one place, to another.
type Step = (Place, Place);

struct Scan<'a> {
    problem: &'a Problem,
    ranges: LiveRanges,
    webs: Webs,
    plan: Plan,
    turns: Turns,
    allocatable: UnitSet,
    /// By value: the unit that it was put in last. It is there as long as the unit holds it, and in its slot otherwise.
    last_unit: Vec<Unit>,
    holds: Held,
    free: UnitSet,
    /// Values that are left in their slots; with the key of a move there, if one unit has the value until then.
    stores: Vec<(u32, Option<(u64, Unit)>)>,
    /// By value: its definition point, and the unit that it was defined in.
    defined: Vec<(Point, Unit)>,
    /// By block, the units that hold something at its start.
    starts: Vec<UnitSet>,
    /// By block: the contents of units at its end.
    exits: Vec<Held>,
    /// Exits of blocks that are done, for their memory.
    spare: Vec<Held>,
    /// By loop header, the places that it wants.
    entries: Vec<Entry>,
    /// Moves, with a key to order them by: see [`key`].
    moves: Vec<(u64, Step)>,
    /// By operand.
    places: Vec<Place>,
    /// Number of loads by plan that are done.
    arrived: usize,
    block: usize,
    inst: u32,
}

/// The order of moves at one point of the program.
#[derive(Clone, Copy)]
enum Order {
    Leave,
    BlockEntry,
    Store,
    Operand,
}

fn key(point: Point, order: Order) -> u64 {
    u64::from(point) << 2 | order as u64
}

/// Assigns units.
///
/// # Errors
/// An instruction needs more units at once than there are.
pub fn allocate(problem: &Problem) -> Result<Answer, NoAnswer> {
    let ranges = LiveRanges::new(problem);
    let webs = Webs::new(problem, &ranges.spans);
    let plan = Plan::new(problem, &ranges, &webs);
    let turns = Turns::new(&problem.file);
    let allocatable = turns.preferred().iter().copied().collect();
    let (values, blocks) = (problem.value_count(), problem.block_count());
    let mut scan = Scan {
        problem,
        ranges,
        webs,
        plan,
        turns,
        allocatable,
        last_unit: vec![NO_UNIT; values],
        holds: vec![NO_VALUE; problem.file.unit_count],
        free: allocatable,
        stores: Vec::new(),
        defined: vec![(0, NO_UNIT); values],
        starts: vec![UnitSet::EMPTY; blocks],
        exits: vec![Vec::new(); blocks],
        spare: Vec::new(),
        entries: vec![Entry::default(); blocks],
        moves: Vec::new(),
        places: Vec::with_capacity(problem.operand_count()),
        arrived: 0,
        block: 0,
        inst: 0,
    };
    for b in 0..blocks {
        scan.enter(b);
        scan.starts[b] = allocatable - scan.free;
        let (first, end) = problem.insts_of(b);
        for i in first..end {
            scan.inst = i;
            scan.inst(i)?;
        }
        scan.leave(b);
    }
    Ok(scan.draft().answer())
}

impl<'a> Scan<'a> {
    fn unit_of(&self, v: u32) -> Option<Unit> {
        let unit = self.last_unit[v as usize];
        (self.held_by(unit) == v).then_some(unit)
    }

    /// The place of a value that lives.
    fn place_of(&self, v: u32) -> Place {
        self.unit_of(v).map_or_else(|| self.memory(v), Place::Unit)
    }

    /// True if the plan has the web of a value in memory somewhere, so that it says for each join where.
    fn is_planned(&self, v: u32) -> bool {
        !self.plan.is_empty() && self.plan.has(self.webs.of(v))
    }

    /// True if the plan has a value in memory before an instruction.
    fn is_away(&self, v: u32, i: u32) -> bool {
        !self.plan.is_empty() && self.plan.is_away(self.webs.of(v), i)
    }

    /// The slot of a value: that of its web.
    fn memory(&self, v: u32) -> Place {
        Place::Memory(self.webs.of(v))
    }

    fn put(&mut self, v: u32, unit: Unit) {
        self.last_unit[v as usize] = unit;
        self.holds[unit.index()] = v;
        self.free.remove(unit);
    }

    /// The value in a unit; [`NO_VALUE`] if there is none.
    fn held_by(&self, unit: Unit) -> u32 {
        self.holds.get(unit.index()).copied().unwrap_or(NO_VALUE)
    }

    /// Takes a value out of its unit.
    fn clear(&mut self, v: u32) {
        if let Some(unit) = self.unit_of(v) {
            self.holds[unit.index()] = NO_VALUE;
            self.release(UnitSet::of(unit));
        }
    }

    /// Makes units free, those of them that are given out.
    fn release(&mut self, units: UnitSet) {
        let units = units & self.allocatable;
        self.free |= units;
        self.turns.release(units);
    }

    /// Leaves a value in its slot alone.
    fn spill(&mut self, v: u32) {
        self.clear(v);
        self.store(v);
    }

    /// Leaves a value in its slot, in which it is stored once.
    fn store(&mut self, v: u32) {
        self.store_from(v, None);
    }

    /// Leaves a value in its slot, from a place on at which a unit has it.
    fn store_from(&mut self, v: u32, from: Option<(u64, Unit)>) {
        self.stores.push((v, from));
    }

    /// Adds the stores. A value whose first place in memory is in the block of its definition, or its only one and in no
    /// more loops, is stored there: its slot is free until then. Others are stored right after their definition. The
    /// only place in memory is on all ways to a load where each loop is entered by its first block.
    fn add_stores(&mut self) {
        let mut stores = std::mem::take(&mut self.stores);
        let have_side_entries = self.ranges.loops.have_side_entries;
        stores.sort_by_key(|&(v, _)| v);
        for of_value in stores.chunk_by(|a, b| a.0 == b.0) {
            let v = of_value[0].0;
            let (point, unit) = self.defined[v as usize];
            if unit == NO_UNIT {
                continue;
            }
            let own = self.problem.block_of(point / 2);
            let is_after = |key: u64, is_only: bool| {
                let block = self.problem.block_of((key >> 3) as u32);
                let depth = |b: usize| self.ranges.depth[b];
                block == own || is_only && !have_side_entries && depth(block) <= depth(own)
            };
            let (key, unit) = match *of_value {
                [(_, Some((key, unit))), ref others @ ..] if is_after(key, others.is_empty()) => {
                    (key, unit)
                }
                _ => (key(point, Order::Store), unit),
            };
            let step = (Place::Unit(unit), self.memory(v));
            self.moves.push((key, step));
        }
    }

    /// The draft of the answer: the places and the moves of the walk.
    fn draft(mut self) -> Draft<'a> {
        self.add_stores();
        self.moves.sort_by_key(|&(key, _)| key);
        Draft {
            problem: self.problem,
            slot_grfs: self.webs.slot_grfs(self.problem),
            places: self.places,
            moves: self.moves,
            starts: self.starts,
        }
    }

    /// Remembers the definition point of a value.
    fn define_at(&mut self, v: u32, point: Point) {
        if let Some(unit) = self.unit_of(v) {
            self.defined[v as usize] = (point, unit);
        }
    }

    /// Adds a move before an instruction.
    fn before(&mut self, i: u32, from: Place, to: Place) {
        self.moves.push((key(2 * i, Order::Operand), (from, to)));
    }

    /// A free unit of a set for a value from a position on: its web's preferred one, or else the next in turn.
    fn choose(&mut self, v: u32, at: u32, among: UnitSet) -> Option<Unit> {
        let free = self.free & among;
        if free.is_empty() {
            return None;
        }
        let web = self.webs.of(v);
        let spans = &self.ranges.spans;
        let mut preferred = self.webs.preferred(web);
        if preferred == NO_UNIT {
            let (_, end) = self.problem.insts_of(self.block);
            let chosen = match self.webs.end(web) {
                Some(last) if last <= 2 * end => {
                    let in_turn = self.turns.of(free);
                    let chosen = self.webs.choose_preferred(web, in_turn, spans);
                    chosen.inspect(|&unit| self.turns.take(unit))
                }
                // First fit leaves long ranges free for the webs that follow.
                Some(_) => {
                    let candidates = self.turns.preferred().iter().copied();
                    let candidates = candidates.filter(|&u| free.contains(u));
                    self.webs.choose_preferred(web, candidates, spans)
                }
                None => None,
            };
            preferred = chosen.unwrap_or(NO_UNIT);
        }
        if preferred != NO_UNIT
            && free.contains(preferred)
            && self.webs.reserved(preferred, v, at, spans).is_none()
        {
            return Some(preferred);
        }
        self.next_in_turn(v, at, free)
    }

    /// The next free unit in turn without a reservation while a value lives, or else the one whose reservation begins
    /// last.
    fn next_in_turn(&mut self, v: u32, at: u32, free: UnitSet) -> Option<Unit> {
        let mut best: Option<(u32, Unit)> = None;
        let mut unreserved = None;
        for unit in self.turns.of(free) {
            match self.webs.reserved(unit, v, at, &self.ranges.spans) {
                None => {
                    unreserved = Some(unit);
                    break;
                }
                Some(from) if best.is_none_or(|(latest, _)| from > latest) => {
                    best = Some((from, unit));
                }
                Some(_) => {}
            }
        }
        if let Some(unit) = unreserved {
            self.turns.take(unit);
        }
        unreserved.or(best.map(|(_, unit)| unit))
    }

    /// A unit of a set for a value; if none is free, the value with the furthest next use is spilled, except from
    /// `kept` units.
    fn make_room(
        &mut self,
        v: u32,
        at: u32,
        among: UnitSet,
        kept: UnitSet,
    ) -> Result<Unit, NoAnswer> {
        if let Some(unit) = self.choose(v, at, among) {
            return Ok(unit);
        }
        let held = (self.allocatable & among) - self.free - kept;
        let distance = |unit: &Unit| {
            let v = self.holds[unit.index()];
            (self.ranges.next_use(v, at / 2 + 1, self.block), *unit)
        };
        let furthest = units(held)
            .filter(|&u| self.holds[u.index()] != NO_VALUE)
            .max_by_key(distance);
        let unit = furthest.ok_or(NoAnswer::TooFewUnits)?;
        self.spill(self.holds[unit.index()]);
        Ok(unit)
    }
}
