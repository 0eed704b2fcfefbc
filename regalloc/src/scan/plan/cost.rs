//! Gaps of webs, and what it costs to have a web in memory there.
//!
//! Costs are in messages, weighted by frequencies: the loops around a block. A value is stored once, after its
//! definition; a parameter that arrives in memory needs the stores of its arguments.
//!
//! A set of gaps that may be chosen is a *trial*. It grows gap by gap, so that each gap is looked at once.

use std::ops::Range;

use smallvec::SmallVec;

use super::super::lists::Lists;
use super::super::live_ranges::LiveRanges;
use super::super::loops::Loops;
use super::super::webs::Webs;
use super::straddling::{Edge, Straddling};
use crate::problem::Problem;
use kiln_platform::crowded::Crowded;

const NONE: u32 = u32::MAX;
/// The frequency of the body of a loop beside the code around it, and the number of loops around each other that count:
/// as in the cost model (docs/cost-model.md).
const LOOP_WEIGHT: u64 = 10;
const MAX_LOOPS: u32 = 8;

/// The cost of a message with so many loops around it.
pub fn message_weight(depth: u32) -> u64 {
    LOOP_WEIGHT.pow(depth.min(MAX_LOOPS))
}

/// The benefit of a set of gaps, in positions over the limit, and its cost.
#[derive(Clone, Copy, Default)]
pub struct Price {
    pub benefit: u32,
    pub cost: i64,
}

impl Price {
    /// Benefit by cost.
    pub fn worth(self) -> u64 {
        (u64::from(self.benefit) << 32) / self.cost.max(1) as u64
    }

    fn is_better(self, other: Price) -> bool {
        let product = |a: Price, b: Price| i128::from(a.benefit) * i128::from(b.cost.max(1));
        product(self, other) > product(other, self)
    }

    fn with(self, other: Price) -> Price {
        Price {
            benefit: self.benefit + other.benefit,
            cost: self.cost + other.cost,
        }
    }
}

struct Gap {
    web: u32,
    /// The first instruction that the web is away before, and the last: that of the access, if one ends it.
    first: u32,
    last: u32,
    /// The position after the last one at which the web needs no unit.
    end: u32,
    /// The first part of the web that ends behind the start of the gap.
    part: u32,
    /// The cost of the load at its end, and the least of a load there or in one of the pieces that follow.
    load: u64,
    least: u64,
    /// The weight of the block whose code goes on in the next piece; zero if no block's does.
    passes: u64,
    is_away: bool,
    in_trial: bool,
}

/// Code in which a value of a web lives: from an instruction to before another.
#[derive(Clone, Copy, Default)]
struct Part {
    from: u32,
    to: u32,
    v: u32,
}

/// The block of a definition: its weight and its first instruction, which is [`NONE`] if the value is no parameter.
#[derive(Clone, Copy, Default)]
struct Home {
    weight: u64,
    enters: u32,
}

/// Edges between a gap and another of its web.
struct Link {
    /// The other gap; [`NONE`] for code that is in none.
    other: u32,
    weight: u64,
    /// True if the edges lead out of the gap.
    leaves: bool,
}

#[derive(Default)]
struct Trial {
    gaps: Vec<u32>,
    stored: Vec<u32>,
}

pub struct Costs<'a> {
    problem: &'a Problem,
    gaps: Vec<Gap>,
    /// By web: its gaps.
    webs: Vec<Range<u32>>,
    /// By web: the value that stands for it.
    roots: Vec<u32>,
    /// By web: where its values live, ascending.
    parts: Lists<Part>,
    /// By value: its web, if that may be away.
    of: Vec<u32>,
    homes: Vec<Home>,
    /// By parameter: arguments, each with the block that ends in the edge.
    args: Lists<(u32, u32)>,
    /// By value: true if it is stored.
    stored: Vec<bool>,
    weights: Vec<u64>,
    edges: Straddling,
    loops: &'a Loops,
    /// By block: its first instruction.
    starts: Vec<u32>,
    links: Vec<Link>,
    /// By gap: its part of the links; [`NONE`] if they have not been asked for.
    linked: Vec<(u32, u32)>,
    trial: Trial,
}

impl<'a> Costs<'a> {
    pub fn new(
        problem: &'a Problem,
        ranges: &'a LiveRanges,
        webs: &Webs,
        crowded: &Crowded,
    ) -> Self {
        let weights = ranges.depth.iter().copied().map(message_weight).collect();
        let (of, roots) = numbered(problem, ranges, webs, crowded);
        let parts = parts(&of, roots.len(), ranges);
        let values = problem.value_count();
        let mut costs = Costs {
            problem,
            gaps: Vec::new(),
            webs: Vec::with_capacity(roots.len()),
            roots,
            parts,
            of,
            homes: vec![
                Home {
                    weight: 0,
                    enters: NONE
                };
                values
            ],
            args: Lists::default(),
            stored: vec![false; values],
            weights,
            edges: Straddling::new(&[], 0),
            loops: &ranges.loops,
            starts: (0..problem.block_count())
                .map(|b| problem.insts_of(b).0)
                .collect(),
            links: Vec::new(),
            linked: Vec::new(),
            trial: Trial::default(),
        };
        let accesses = costs.read_code();
        costs.read_edges();
        for web in 0..costs.roots.len() {
            costs.find_gaps(web, accesses.of(web), crowded);
        }
        costs.linked = vec![(NONE, NONE); costs.gaps.len()];
        costs
    }

    /// Finds definitions, and by web the instructions that access it, each with the weight of a load before it.
    fn read_code(&mut self) -> Lists<(u32, u64)> {
        let mut accesses: Vec<(u32, (u32, u64))> = Vec::new();
        for b in 0..self.problem.block_count() {
            let (first, end) = self.problem.insts_of(b);
            let weight = self.weights[b];
            for &p in self.problem.params(b) {
                let enters = first;
                self.homes[p as usize] = Home { weight, enters };
            }
            for i in first..end {
                for op in self.problem.operands(i) {
                    let v = op.value() as usize;
                    if op.is_def() {
                        self.homes[v].weight = weight;
                    }
                    let load = if op.is_use() { weight } else { 0 };
                    if self.of[v] != NONE {
                        accesses.push((self.of[v], (i, load)));
                    }
                }
            }
        }
        Lists::sorted(self.roots.len(), accesses.iter().copied())
    }

    fn read_edges(&mut self) {
        let mut edges = Vec::new();
        let mut args: Vec<(u32, (u32, u32))> = Vec::new();
        for b in 0..self.problem.block_count() {
            let (_, end) = self.problem.insts_of(b);
            for edge in self.problem.edges(b) {
                let target = edge.to as usize;
                let (to, _) = self.problem.insts_of(target);
                let weight = self.weights[b].min(self.weights[target]);
                let from = end - 1;
                edges.push(Edge { from, to, weight });
                let passed = self
                    .problem
                    .args(edge)
                    .iter()
                    .zip(self.problem.params(target));
                args.extend(passed.map(|(&arg, &param)| (param, (arg, b as u32))));
            }
        }
        self.edges = Straddling::new(&edges, self.problem.inst_count() + 1);
        self.args = Lists::sorted(self.of.len(), args.iter().copied());
    }

    /// Makes the gaps of a web: before each access, and after the last.
    fn find_gaps(&mut self, web: usize, accesses: &[(u32, u64)], crowded: &Crowded) {
        let start = self.gaps.len() as u32;
        let parts = self.parts.of(web);
        let mut next = parts.first().map_or(0, |part| part.from);
        let end = parts.iter().map(|part| part.to).max().unwrap_or(0);
        for accesses in accesses.chunk_by(|a, b| a.0 == b.0) {
            let at = accesses[0].0;
            if at > next {
                let load = accesses.iter().map(|access| access.1).max();
                self.add_gaps(web as u32, next..at, load.unwrap_or(0), crowded);
            }
            next = at + 1;
        }
        if end > next {
            self.add_gaps(web as u32, next..end, 0, crowded);
        }
        self.webs.push(start..self.gaps.len() as u32);
    }

    /// Adds the gap from one instruction to another, in pieces: a web that is wanted at several places may be loaded
    /// once for all.
    fn add_gaps(&mut self, web: u32, code: Range<u32>, load: u64, crowded: &Crowded) {
        let (mut first, last) = (code.start, code.end);
        let add = |gaps: &mut Vec<Gap>, first: u32, last: u32, end: u32, load: u64| {
            let parts = self.parts.of(web as usize);
            gaps.push(Gap {
                web,
                first,
                last,
                end,
                part: parts.partition_point(|part| part.to <= first) as u32,
                load,
                least: load,
                passes: 0,
                is_away: false,
                in_trial: false,
            });
        };
        let mut gaps = std::mem::take(&mut self.gaps);
        let start = gaps.len();
        if crowded.over(first, last) > 0 {
            for at in self.splits(web, first, last) {
                add(&mut gaps, first, at - 1, at, 0);
                first = at;
            }
        }
        add(&mut gaps, first, last, last, load);
        let mut least = load;
        for n in (start..gaps.len() - 1).rev() {
            let at = gaps[n].end;
            let block = self.starts.partition_point(|&start| start < at) - 1;
            least = least.min(self.weights[block]);
            gaps[n].least = least;
            let starts_block = self.starts.get(block + 1) == Some(&at);
            gaps[n].passes = if starts_block { 0 } else { self.weights[block] };
        }
        self.gaps = gaps;
    }

    /// Instructions before which a web may be loaded ahead of the end of a gap: the first of each loop that has the end and
    /// not the start, and those that end blocks with an edge that leads out to where the web lives.
    fn splits(&self, web: u32, first: u32, last: u32) -> SmallVec<[u32; 4]> {
        let block = self.starts.partition_point(|&start| start <= last) - 1;
        let starts = self.loops.around(block as u32).map(|(start, _)| start);
        let mut splits: SmallVec<[u32; 4]> = starts.take_while(|&start| start > first).collect();
        let lives = |from: u32, to: u32| self.lives_in(web, from, to);
        self.edges.below((first + 1, last), lives, |edge| {
            if edge.from < edge.to && splits.last() != Some(&edge.from) {
                splits.push(edge.from);
            }
        });
        splits.retain(|at| self.lives_at(web, *at) && self.lives_at(web, *at - 1));
        splits.sort_unstable();
        splits.dedup();
        splits
    }

    /// The loads ahead of accesses: instructions with the values that are loaded before them.
    pub fn arrivals(&self) -> Vec<(u32, u32)> {
        let mut arrivals = Vec::new();
        for pair in self.gaps.windows(2) {
            let at = pair[1].first;
            let is_split =
                pair[0].web == pair[1].web && pair[0].end == at && pair[0].last + 1 == at;
            if is_split && pair[0].is_away && !pair[1].is_away {
                let parts = self.parts.of(pair[0].web as usize);
                let next = parts.partition_point(|part| part.to <= at);
                arrivals.extend(
                    parts
                        .get(next)
                        .filter(|part| part.from <= at)
                        .map(|part| (at, part.v)),
                );
            }
        }
        arrivals.sort_unstable();
        arrivals
    }

    pub fn web_count(&self) -> usize {
        self.webs.len()
    }

    pub fn gaps_of(&self, web: u32) -> Range<u32> {
        self.webs[web as usize].clone()
    }

    pub fn web_of(&self, gap: u32) -> u32 {
        self.gaps[gap as usize].web
    }

    pub fn is_away(&self, gap: u32) -> bool {
        self.gaps[gap as usize].is_away
    }

    pub fn load(&self, gap: u32) -> u64 {
        self.gaps[gap as usize].load
    }

    /// A lower bound of the cost of a gap while nothing beside it is away.
    pub fn least(&self, gap: u32) -> u64 {
        let first = self.parts_in(gap).next().map(|part| part.v as usize);
        let store = first.filter(|&v| !self.stored[v] && self.homes[v].enters == NONE);
        self.gaps[gap as usize].least + store.map_or(0, |v| self.homes[v].weight)
    }

    fn parts_in(&self, gap: u32) -> impl Iterator<Item = Part> + '_ {
        let gap = &self.gaps[gap as usize];
        let parts = &self.parts.of(gap.web as usize)[gap.part as usize..];
        let within = parts.iter().take_while(|part| part.from < gap.end);
        within.map(|part| Part {
            from: part.from.max(gap.first),
            to: part.to.min(gap.end),
            v: part.v,
        })
    }

    /// The code of a gap in which its web lives.
    pub fn parts(&self, gap: u32) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.parts_in(gap).map(|part| (part.from, part.to))
    }

    /// Number of positions over the limit in a gap.
    pub fn benefit(&self, gap: u32, crowded: &Crowded) -> u32 {
        self.parts(gap)
            .map(|(from, to)| crowded.over(from, to))
            .sum()
    }

    fn lives_at(&self, web: u32, at: u32) -> bool {
        self.lives_in(web, at, at)
    }

    /// True if a web lives at one of the positions from the first to the last.
    fn lives_in(&self, web: u32, first: u32, last: u32) -> bool {
        let parts = self.parts.of(web as usize);
        let next = parts.partition_point(|part| part.to <= first);
        parts.get(next).is_some_and(|part| part.from <= last)
    }

    /// The gap of a web that has a position.
    fn gap_at(&self, web: u32, at: u32) -> Option<u32> {
        let gaps = self.gaps_of(web);
        let all = &self.gaps[gaps.start as usize..gaps.end as usize];
        let next = all.partition_point(|gap| gap.last < at);
        let found = all.get(next).is_some_and(|gap| gap.first <= at);
        found.then_some(gaps.start + next as u32)
    }

    /// True if a web is away in a gap, or would be with the trial. False for [`NONE`].
    fn is_out(&self, gap: u32) -> bool {
        let gap = self.gaps.get(gap as usize);
        gap.is_some_and(|gap| gap.is_away || gap.in_trial)
    }

    /// Finds the edges between a gap and other code in which its web lives, once.
    fn link(&mut self, gap: u32) -> Range<usize> {
        let Gap {
            web, first, last, ..
        } = self.gaps[gap as usize];
        let (start, end) = self.linked[gap as usize];
        if start != NONE {
            return start as usize..end as usize;
        }
        let mut found: SmallVec<[Link; 8]> = SmallVec::new();
        let mut edge = |edge: Edge| {
            let leaves = (first..=last).contains(&edge.from);
            let (own, other) = match leaves {
                true => (edge.from, edge.to),
                false => (edge.to, edge.from),
            };
            if !self.lives_at(web, own) {
                return;
            }
            let other = self.gap_at(web, other);
            let other = other.unwrap_or(NONE);
            let weight = edge.weight;
            match found
                .iter_mut()
                .find(|link| (link.other, link.leaves) == (other, leaves))
            {
                Some(link) => link.weight += weight,
                None => found.push(Link {
                    other,
                    weight,
                    leaves,
                }),
            }
        };
        let lives = |from: u32, to: u32| self.lives_in(web, from, to);
        self.edges.above((first, last), lives, &mut edge);
        self.edges.below((first, last), lives, &mut edge);
        found.extend(self.next_piece(gap));
        found.extend(
            gap.checked_sub(1)
                .and_then(|before| self.next_piece(before))
                .map(|link| Link {
                    other: gap - 1,
                    leaves: false,
                    ..link
                }),
        );
        let start = self.links.len();
        self.links.extend(found);
        self.linked[gap as usize] = (start as u32, self.links.len() as u32);
        start..self.links.len()
    }

    /// The way within a block from a piece of a gap to the next.
    fn next_piece(&self, gap: u32) -> Option<Link> {
        let weight = self.gaps[gap as usize].passes;
        (weight > 0).then_some(Link {
            other: gap + 1,
            weight,
            leaves: true,
        })
    }

    /// The edges of a gap, as far as they have been found.
    fn links(&self, gap: u32) -> &[Link] {
        match self.linked[gap as usize] {
            (NONE, _) => &[],
            (start, end) => &self.links[start as usize..end as usize],
        }
    }

    /// The cost of loads at the end of a gap and on its edges, beside what is away already.
    pub fn loads(&mut self, gap: u32) -> i64 {
        let links = self.link(gap);
        let mut cost = self.load(gap) as i64;
        for link in &self.links[links] {
            match (link.leaves, self.is_out(link.other)) {
                (true, false) => cost += link.weight as i64,
                (false, true) => cost -= link.weight as i64,
                _ => {}
            }
        }
        cost
    }

    /// Adds a gap to the trial, and gives its price beside that.
    fn try_gap(&mut self, gap: u32, benefit: u32) -> Price {
        let loads = self.loads(gap);
        self.gaps[gap as usize].in_trial = true;
        self.trial.gaps.push(gap);
        let cost = loads + self.stores(gap) as i64;
        Price { benefit, cost }
    }

    /// Stores the values that live in a gap, and gives the cost.
    fn stores(&mut self, gap: u32) -> u64 {
        let mut work: SmallVec<[u32; 16]> = self.parts_in(gap).map(|part| part.v).collect();
        let web = self.web_of(gap);
        let mut cost = 0;
        while let Some(v) = work.pop() {
            if std::mem::replace(&mut self.stored[v as usize], true) {
                continue;
            }
            self.trial.stored.push(v);
            let home = self.homes[v as usize];
            if home.enters == NONE || !self.is_out(self.gap_at(web, home.enters).unwrap_or(NONE)) {
                cost += home.weight;
                continue;
            }
            for &(arg, block) in self.args.of(v as usize) {
                match self.of[arg as usize] == web {
                    true => work.push(arg),
                    false => cost += self.weights[block as usize],
                }
            }
        }
        cost
    }

    /// A trial of a gap, with gaps that its edges lead to as long as they make it better.
    pub fn grown(&mut self, gap: u32, crowded: &Crowded) -> Price {
        let benefit = self.benefit(gap, crowded);
        if benefit == 0 {
            return Price::default();
        }
        let mut price = self.try_gap(gap, benefit);
        let mut others: SmallVec<[(u64, u32); 8]> = SmallVec::new();
        self.leads_to(gap, &mut others);
        while let Some(best) = (0..others.len()).max_by_key(|&n| others[n]) {
            let (_, other) = others.swap_remove(best);
            if self.is_out(other) {
                continue;
            }
            let (gaps, stored) = (self.trial.gaps.len(), self.trial.stored.len());
            let more = price.with(self.try_gap(other, self.benefit(other, crowded)));
            if more.is_better(price) {
                price = more;
                self.leads_to(other, &mut others);
            } else {
                self.cut_trial(gaps, stored);
            }
        }
        price
    }

    /// Adds the open gaps that edges of a gap lead to, with the weights of the edges.
    fn leads_to(&self, gap: u32, others: &mut SmallVec<[(u64, u32); 8]>) {
        for link in self.links(gap) {
            if !link.leaves || link.other == NONE || self.is_out(link.other) {
                continue;
            }
            match others.iter_mut().find(|(_, gap)| *gap == link.other) {
                Some((sum, _)) => *sum += link.weight,
                None => others.push((link.weight, link.other)),
            }
        }
    }

    /// A trial of all gaps of a web that are not away. Then no edge has a load.
    pub fn whole(&mut self, web: u32, crowded: &Crowded) -> Price {
        let mut price = Price::default();
        for gap in self
            .gaps_of(web)
            .filter(|&gap| !self.gaps[gap as usize].is_away)
        {
            self.trial.gaps.push(gap);
            price.benefit += self.benefit(gap, crowded);
            price.cost += self.load(gap) as i64;
        }
        for gap in self
            .gaps_of(web)
            .filter(|&gap| self.gaps[gap as usize].is_away)
        {
            let links = self.links(gap).iter();
            let loaded = links.filter(|link| link.leaves && !self.is_out(link.other));
            price.cost -= loaded.map(|link| link.weight as i64).sum::<i64>();
        }
        for n in 0..self.trial.gaps.len() {
            let gap = self.trial.gaps[n];
            self.gaps[gap as usize].in_trial = true;
        }
        for n in 0..self.trial.gaps.len() {
            price.cost += self.stores(self.trial.gaps[n]) as i64;
        }
        price
    }

    /// Takes what was added last out of the trial, except for so many gaps and stored values.
    fn cut_trial(&mut self, gaps: usize, stored: usize) {
        for gap in self.trial.gaps.drain(gaps..) {
            self.gaps[gap as usize].in_trial = false;
        }
        for v in self.trial.stored.drain(stored..) {
            self.stored[v as usize] = false;
        }
    }

    pub fn drop_trial(&mut self) {
        self.cut_trial(0, 0);
    }

    /// Makes the gaps of the trial away, and gives them.
    pub fn take_trial(&mut self) -> Vec<u32> {
        let trial = std::mem::take(&mut self.trial);
        for &gap in &trial.gaps {
            let gap = &mut self.gaps[gap as usize];
            (gap.in_trial, gap.is_away) = (false, true);
        }
        trial.gaps
    }

    /// Gaps that cost less once a gap is away: those beside it, and those that its edges come from and lead to.
    pub fn near(&self, gap: u32) -> SmallVec<[u32; 8]> {
        let gaps = self.gaps_of(self.web_of(gap));
        let mut near: SmallVec<[u32; 8]> = SmallVec::new();
        near.extend(gap.checked_sub(1).filter(|gap| gaps.contains(gap)));
        near.extend(Some(gap + 1).filter(|gap| gaps.contains(gap)));
        for link in self.links(gap) {
            if link.other != NONE && !near.contains(&link.other) {
                near.push(link.other);
            }
        }
        near.retain(|gap| !self.is_away(*gap));
        near
    }

    pub fn all_away(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.gaps.len() as u32).filter(|&gap| self.is_away(gap))
    }

    /// Takes a gap back.
    pub fn set_back(&mut self, gap: u32) {
        self.gaps[gap as usize].is_away = false;
    }

    /// By value that stands for a web: the code before which that is away.
    pub fn away(&self, values: usize) -> Lists<(u32, u32)> {
        let away = self.gaps.iter().filter(|gap| gap.is_away);
        let away = away.map(|gap| (self.roots[gap.web as usize], (gap.first, gap.last)));
        Lists::sorted(values, away)
    }
}

/// Numbers the webs that live where more values live than there are units. By value, the number of its web; by web,
/// the value that stands for it.
fn numbered(
    problem: &Problem,
    ranges: &LiveRanges,
    webs: &Webs,
    crowded: &Crowded,
) -> (Vec<u32>, Vec<u32>) {
    let values = problem.value_count();
    let mut numbers = vec![NONE; values];
    let mut roots = Vec::new();
    let all: Vec<u32> = (0..values as u32).map(|v| webs.of(v)).collect();
    for (v, &root) in all.iter().enumerate() {
        let mut spans = ranges.spans.of(v).iter();
        let helps = |&(from, to): &(u32, u32)| crowded.over(from.div_ceil(2), to.div_ceil(2)) > 0;
        if numbers[root as usize] == NONE && spans.any(helps) {
            numbers[root as usize] = roots.len() as u32;
            roots.push(root);
        }
    }
    (
        all.iter().map(|&root| numbers[root as usize]).collect(),
        roots,
    )
}

/// By web, the code in which its values live.
fn parts(of: &[u32], webs: usize, ranges: &LiveRanges) -> Lists<Part> {
    let spans = of.iter().enumerate().filter(|(_, web)| **web != NONE);
    let spans = spans.flat_map(|(v, &web)| {
        let spans = ranges.spans.of(v).iter();
        spans.map(move |&(from, to)| {
            let (from, to, v) = (from.div_ceil(2), to.div_ceil(2), v as u32);
            (web, Part { from, to, v })
        })
    });
    let mut parts = Lists::sorted(webs, spans);
    for web in 0..webs {
        parts
            .of_mut(web)
            .sort_unstable_by_key(|part| (part.from, part.to));
    }
    parts
}
