//! The plan of spilling: where each web is in memory, decided for all code before units are assigned.
//!
//! Takes live ranges and webs, and gives for each web the code before which it is *away*, in its slot alone. With that
//! no more values live in registers than there are units, as far as this can be had. A web is evicted where it goes
//! away, whatever way leads there, and stays in registers elsewhere: the decision belongs to the web. Decided at each
//! join for itself, a value that only some ways spill would be loaded or dropped again at each join that follows.
//!
//! A *gap* of a web is the code between two of its accesses that follow each other, in the order of the code. Its cost,
//! weighted by frequencies, is the load at its end, the stores of values that are in it, and the loads on edges that
//! lead out of it to where the web is not away, less those on edges that it saves. Its benefit is the number of
//! positions over the limit. A gap is cut into pieces where one load may serve several ways out of it: at the end of each
//! block with an edge that leads out to where the web lives, and at the start of each loop around its end. Between two pieces
//! the web is loaded if only the first is away. Candidates are such gaps, gaps with those that their edges lead to, and
//! all gaps of a web. The candidate with the most benefit for its cost is chosen until no position is over the limit
//! (the greedy algorithm for covering); then what is not needed any more is given back.
//!
//! [`kiln_platform::crowded`] has the positions over the limit, [`straddling`] the edges that leave gaps, [`cost`] costs.

mod cost;
mod straddling;

use std::collections::BinaryHeap;

use super::lists::Lists;
use super::live_ranges::LiveRanges;
use super::webs::Webs;
use crate::problem::Problem;
pub use cost::message_weight;
use cost::{Costs, Price};
use kiln_platform::crowded::Crowded;

/// By web: the instructions before which it is away, as ascending ranges from the first to the last.
#[derive(Default)]
pub struct Plan {
    away: Lists<(u32, u32)>,
    /// Reloads, as instruction and web, before instructions that do not use the web themselves; ascending.
    pub arrivals: Vec<(u32, u32)>,
}

impl Plan {
    /// Makes the plan.
    pub fn new(problem: &Problem, ranges: &LiveRanges, webs: &Webs) -> Plan {
        let limit = problem.file.allocatable().count() as i32;
        let excess: Vec<i32> = pressure(problem, ranges)
            .iter()
            .map(|&pressure| pressure - limit)
            .collect();
        if excess.iter().all(|&excess| excess <= 0) {
            return Plan::default();
        }
        let crowded = Crowded::new(&excess);
        let costs = Costs::new(problem, ranges, webs, &crowded);
        let mut planner = Planner { crowded, costs };
        planner.choose();
        planner.give_back();
        Plan {
            away: planner.costs.away(problem.value_count()),
            arrivals: planner.costs.arrivals(),
        }
    }

    /// True if nothing is away anywhere.
    pub fn is_empty(&self) -> bool {
        self.away.is_empty()
    }

    /// True if a web is away somewhere.
    pub fn has(&self, web: u32) -> bool {
        !self.away.is_empty() && !self.away.of(web as usize).is_empty()
    }

    /// True if a web is away before an instruction.
    pub fn is_away(&self, web: u32, inst: u32) -> bool {
        if self.away.is_empty() {
            return false;
        }
        let away = self.away.of(web as usize);
        let next = away.partition_point(|&(_, last)| last < inst);
        away.get(next).is_some_and(|&(first, _)| first <= inst)
    }
}

/// Number of values that live at each instruction. The units that a call overwrites beside are not counted: the walk
/// spills what it finds there.
fn pressure(problem: &Problem, ranges: &LiveRanges) -> Vec<i32> {
    let count = problem.inst_count();
    let mut change = vec![0; 2 * count + 3];
    for v in 0..problem.value_count() {
        for &(from, to) in ranges.spans.of(v) {
            change[from as usize] += 1;
            change[to as usize] -= 1;
        }
    }
    let mut live = 0;
    let mut pressure = Vec::with_capacity(count);
    for at in change[..2 * count].chunks(2) {
        let before = live + at[0];
        live = before + at[1];
        pressure.push(before.max(live));
    }
    pressure
}

/// Something that may be chosen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Candidate {
    Gap(u32),
    Web(u32),
}

struct Planner<'a> {
    crowded: Crowded,
    costs: Costs<'a>,
}

impl Planner<'_> {
    /// Chooses candidates until no position is over the limit, or none helps.
    fn choose(&mut self) {
        // Each has an upper bound of what it is worth, and gets its worth when it is the first.
        let mut heap: BinaryHeap<(u64, Candidate)> = BinaryHeap::new();
        for web in 0..self.costs.web_count() as u32 {
            let gaps = self.costs.gaps_of(web);
            if gaps.len() > 1 {
                heap.push((self.bound_of_all(web), Candidate::Web(web)));
            }
            heap.extend(gaps.filter_map(|gap| self.bound(gap)));
        }
        let mut choices = vec![0u32; self.costs.web_count()];
        while let Some((bound, candidate)) = heap.pop()
            && self.crowded.total() > 0
        {
            let price = match candidate {
                Candidate::Gap(gap) if self.costs.is_away(gap) => continue,
                Candidate::Gap(gap) => self.costs.grown(gap, &self.crowded),
                Candidate::Web(web) => self.costs.whole(web, &self.crowded),
            };
            let worth = price.worth();
            if worth == 0 {
                self.costs.drop_trial();
                continue;
            }
            if worth < bound && heap.peek().is_some_and(|&(next, _)| next > worth) {
                self.costs.drop_trial();
                heap.push((worth, candidate));
                continue;
            }
            let chosen = self.costs.take_trial();
            for &gap in &chosen {
                for (from, to) in self.costs.parts(gap) {
                    self.crowded.add(from, to, -1);
                }
            }
            for &gap in &chosen {
                for near in self.costs.near(gap) {
                    heap.extend(self.bound(near));
                }
            }
            let Some(&gap) = chosen.first() else { continue };
            let web = self.costs.web_of(gap);
            let count = &mut choices[web as usize];
            *count += 1;
            // All that is left of a web takes time to look at: it is looked at ever more seldom.
            if count.is_power_of_two() && matches!(candidate, Candidate::Gap(_)) {
                heap.push((u64::MAX, Candidate::Web(web)));
            }
        }
    }

    /// A gap that helps, with an upper bound of its worth.
    fn bound(&self, gap: u32) -> Option<(u64, Candidate)> {
        let benefit = self.costs.benefit(gap, &self.crowded);
        let least = Price {
            benefit,
            cost: self.costs.least(gap) as i64,
        };
        let is_open = benefit > 0 && !self.costs.is_away(gap);
        is_open.then(|| (least.worth(), Candidate::Gap(gap)))
    }

    /// An upper bound of what all gaps of a web are worth, of which none is away.
    fn bound_of_all(&self, web: u32) -> u64 {
        let mut least = Price::default();
        for gap in self.costs.gaps_of(web) {
            least.benefit += self.costs.benefit(gap, &self.crowded);
            least.cost += self.costs.load(gap) as i64;
        }
        least.worth()
    }

    /// Gives back gaps for which there is room after all: those first that cost most for the room that they need.
    fn give_back(&mut self) {
        let mut list: Vec<(u64, u32)> = Vec::new();
        for gap in self.costs.all_away().collect::<Vec<u32>>() {
            let benefit = self
                .costs
                .parts(gap)
                .map(|(from, to)| self.crowded.first_over(from, to))
                .sum();
            let cost = self.costs.loads(gap);
            list.push((Price { benefit, cost }.worth(), gap));
        }
        list.sort_unstable();
        for (_, gap) in list {
            let has_room = |&(from, to): &(u32, u32)| self.crowded.most(from, to) < 0;
            let parts: Vec<(u32, u32)> = self.costs.parts(gap).collect();
            if parts.iter().all(has_room) && self.costs.loads(gap) > 0 {
                for (from, to) in parts {
                    self.crowded.add(from, to, 1);
                }
                self.costs.set_back(gap);
            }
        }
    }
}
