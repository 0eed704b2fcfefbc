//! regalloc2 after the plan of spilling: a problem in which what the plan puts into memory is there already.
//!
//! Takes a problem and gives an answer. Values of webs that are away somewhere ([`plan`](crate::scan)) are split into
//! *versions*: a definition is one, and so is each load. A version is stored right after its definition and ends where the plan
//! sends it away; a use without a version loads one. Where ways with several versions meet, a block parameter is
//! another, unless all its arguments turn out to be one version (the pruning of Braun et al. 2013, "Simple and Efficient
//! Construction of Static Single Assignment Form"). Loads and stores are instructions of the split problem, so that
//! regalloc2 assigns their units, and moves of the answer. Stores that nothing loads are left out of that, and slots
//! shared, as for `scan`.

use kiln_platform::bits::UnitSet;
use kiln_platform::platform::UNIT_GRFS;
use smallvec::SmallVec;

use crate::problem::{Answer, Constraint, NoAnswer, Operand, Place, Point, Problem, Role};
use crate::regalloc2::{self, Context};
use crate::scan::{Draft, Lists, LiveRanges, NO_VALUE, Plan, Webs};

/// A move of a version between a unit and the slot of a web, at a point of the code.
#[derive(Clone, Copy)]
struct Access {
    version: u32,
    web: u32,
    at: Point,
}

/// An instruction of the split problem.
#[derive(Clone, Copy)]
enum Source {
    Own(u32),
    Load(Access),
    /// A store; one after a definition comes with the value, and is dropped if that is never in its slot alone.
    Store(Access, Option<u32>),
}

/// A block of the split problem: the number of the instruction after its last, and versions.
struct Block {
    end: usize,
    params: Vec<u32>,
    edges: Vec<(u32, Vec<u32>)>,
}

struct Split<'a> {
    problem: &'a Problem,
    ranges: LiveRanges,
    webs: Webs,
    plan: Plan,
    /// By block: the planned values that live at its start, but for parameters.
    live_in: Lists<u32>,
    /// By value: its version, or [`NO_VALUE`] while it is in its slot alone.
    now: Vec<u32>,
    /// By version: its value. Versions ascend in the order of the code.
    values: Vec<u32>,
    /// By operand: its version, or [`NO_VALUE`] for one in memory.
    versions: Vec<u32>,
    sources: Vec<Source>,
    blocks: Vec<Block>,
    /// By block with one predecessor: the versions of `live_in` at its start.
    entries: Vec<Vec<u32>>,
    /// By value: true if it is in its slot alone anywhere.
    leaves: Vec<bool>,
    /// Number of loads by plan that are done.
    arrived: usize,
}

/// Assigns units.
///
/// # Errors
/// As [`regalloc2::allocate`].
pub fn allocate(problem: &Problem, context: &mut Context) -> Result<Answer, NoAnswer> {
    let mut split = Split::new(problem);
    for b in 0..problem.block_count() {
        split.block(b);
    }
    split.drop_stores();
    let all = split.one_version_each();
    let given = regalloc2::allocate(&split.stated(&all), context)?;
    Ok(split.draft(&given).answer())
}

impl<'a> Split<'a> {
    fn new(problem: &'a Problem) -> Split<'a> {
        let ranges = LiveRanges::new(problem);
        let webs = Webs::new(problem, &ranges.spans);
        let plan = Plan::new(problem, &ranges, &webs);
        let starts: Vec<u32> = (0..problem.block_count())
            .map(|b| 2 * problem.insts_of(b).0)
            .collect();
        // Block that a value is a parameter of, by value.
        let mut given = vec![NO_VALUE; problem.value_count()];
        for b in 0..problem.block_count() {
            problem
                .params(b)
                .iter()
                .for_each(|&p| given[p as usize] = b as u32);
        }
        let mut live_in: Vec<(u32, u32)> = Vec::new();
        let planned = (0..problem.value_count() as u32).filter(|&v| plan.has(webs.of(v)));
        for v in planned {
            for &(from, to) in ranges.spans.of(v as usize) {
                let first = starts.partition_point(|&start| start < from);
                let blocks = (first..starts.len()).take_while(|&b| starts[b] < to);
                let entered = blocks.map(|b| b as u32).filter(|&b| given[v as usize] != b);
                live_in.extend(entered.map(|b| (b, v)));
            }
        }
        Split {
            problem,
            live_in: Lists::sorted(problem.block_count(), live_in.iter().copied()),
            ranges,
            webs,
            plan,
            now: vec![NO_VALUE; problem.value_count()],
            values: Vec::new(),
            versions: Vec::with_capacity(problem.operand_count()),
            sources: Vec::new(),
            blocks: Vec::new(),
            entries: vec![Vec::new(); problem.block_count()],
            leaves: vec![false; problem.value_count()],
            arrived: 0,
        }
    }

    fn is_planned(&self, v: u32) -> bool {
        self.plan.has(self.webs.of(v))
    }

    fn is_away(&self, v: u32, i: u32) -> bool {
        self.plan.is_away(self.webs.of(v), i)
    }

    /// A new version of a value.
    fn define(&mut self, v: u32) -> u32 {
        self.values.push(v);
        let version = self.values.len() as u32 - 1;
        self.now[v as usize] = version;
        version
    }

    /// The version of a value, loaded at a point if it has none.
    fn version(&mut self, v: u32, at: Point) -> u32 {
        if self.now[v as usize] == NO_VALUE {
            let web = self.webs.of(v);
            let version = self.define(v);
            self.sources.push(Source::Load(Access { version, web, at }));
        }
        self.now[v as usize]
    }

    /// Adds the store after the definition of a planned value.
    fn store(&mut self, v: u32, version: u32, at: Point) {
        if self.is_planned(v) {
            let web = self.webs.of(v);
            let access = Access { version, web, at };
            self.sources.push(Source::Store(access, Some(v)));
        }
    }

    /// Leaves a value in its slot alone.
    fn send_away(&mut self, v: u32) {
        self.now[v as usize] = NO_VALUE;
        self.leaves[v as usize] = true;
    }

    /// Drops the stores of values that are never in their slots alone.
    fn drop_stores(&mut self) {
        let all = std::mem::take(&mut self.sources);
        let mut from = 0;
        for block in &mut self.blocks {
            let sources = all[from..block.end].iter().filter(|source| match source {
                Source::Store(_, Some(v)) => self.leaves[*v as usize],
                _ => true,
            });
            self.sources.extend(sources);
            from = std::mem::replace(&mut block.end, self.sources.len());
        }
    }

    fn block(&mut self, b: usize) {
        let (first, end) = self.problem.insts_of(b);
        let params = self.enter(b);
        let last = end - 1;
        for i in first..last {
            self.inst(i);
        }
        let edges = self.leave(b, last);
        self.inst(last);
        self.blocks.push(Block {
            end: self.sources.len(),
            params,
            edges,
        });
    }

    /// The values that a parameter gives a version at the start of a block. A parameter of the problem comes with its
    /// place in the list.
    fn passed(&self, b: usize) -> impl Iterator<Item = (Option<usize>, u32)> {
        let first = self.problem.insts_of(b).0;
        let joins = self.problem.preds(b).len() > 1;
        let live_in = self.live_in.of(b).iter().filter(move |_| joins);
        let own = self.problem.params(b).iter().enumerate();
        let own = own.map(|(n, &p)| (Some(n), p));
        let passed = own.chain(live_in.map(|&v| (None, v)));
        passed.filter(move |&(_, v)| !self.is_away(v, first))
    }

    /// Finds the versions at the start of a block, and gives its parameters.
    fn enter(&mut self, b: usize) -> Vec<u32> {
        let first = self.problem.insts_of(b).0;
        let entry = std::mem::take(&mut self.entries[b]);
        for n in 0..self.live_in.of(b).len() {
            let v = self.live_in.of(b)[n];
            match self.is_away(v, first) {
                true => self.send_away(v),
                false => self.now[v as usize] = entry.get(n).copied().unwrap_or(NO_VALUE),
            }
        }
        for &p in self.problem.params(b) {
            self.now[p as usize] = NO_VALUE;
        }
        let passed: Vec<(Option<usize>, u32)> = self.passed(b).collect();
        let versions = passed.into_iter().map(|(_, v)| self.define(v)).collect();
        for &p in self.problem.params(b) {
            if self.now[p as usize] != NO_VALUE {
                self.store(p, self.now[p as usize], 2 * first);
            }
        }
        versions
    }

    /// Loads what an instruction reads before it, and stores what it defines after it.
    fn inst(&mut self, i: u32) {
        while let Some(&(at, v)) = self.plan.arrivals.get(self.arrived)
            && at <= i
        {
            self.arrived += 1;
            self.version(v, 2 * i);
        }
        let problem = self.problem;
        let ops = problem.operands(i);
        let start = problem.operands_from(i);
        for op in ops.iter().filter(|op| op.is_use()) {
            if op.constraint != Constraint::Anywhere {
                self.version(op.value(), 2 * i);
            }
        }
        self.sources.push(Source::Own(i));
        for (k, op) in ops.iter().enumerate() {
            let v = op.value();
            if op.is_use() {
                self.versions.push(self.now[v as usize]);
                continue;
            }
            let version = self.define(v);
            self.versions.push(version);
            if !self.ranges.kills(start + k) {
                self.store(v, version, 2 * i + 1);
            }
        }
        if problem.block_ended_by(i).is_none() {
            for v in ops.iter().map(|op| op.value()) {
                if self.is_away(v, i + 1) {
                    self.send_away(v);
                }
            }
        }
    }

    /// Passes values on to the blocks after this one, before its last instruction.
    fn leave(&mut self, b: usize, last: u32) -> Vec<(u32, Vec<u32>)> {
        let problem = self.problem;
        let mut edges = Vec::new();
        for edge in problem.edges(b) {
            let to = edge.to as usize;
            let given = problem.args(edge);
            let passed = self.passed(to).map(|(n, v)| n.map_or(v, |n| given[n]));
            let passed: Vec<u32> = passed.collect();
            let args = passed.into_iter().map(|v| self.version(v, 2 * last));
            edges.push((edge.to, args.collect()));
            let mut stores: SmallVec<[Source; 4]> = SmallVec::new();
            let first = problem.insts_of(to).0;
            for (&p, &arg) in problem.params(to).iter().zip(given) {
                let web = self.webs.of(p);
                if !self.is_away(p, first) {
                    continue;
                }
                if self.webs.of(arg) == web {
                    self.leaves[arg as usize] = true;
                    continue;
                }
                let (version, at) = (self.version(arg, 2 * last), 2 * last);
                stores.push(Source::Store(Access { version, web, at }, None));
            }
            self.sources.extend(stores);
            if problem.preds(to).len() == 1 {
                let live_in = self.live_in.of(to).iter();
                self.entries[to] = live_in.map(|&v| self.now[v as usize]).collect();
            }
        }
        edges
    }

    /// By version: the one that it is the same as. A parameter is that of its arguments if they are one beside itself,
    /// and of the same value: payloads may hold two values in two fixed units, and regalloc2 0.15.2 loses a value that
    /// an instruction reads in two.
    fn one_version_each(&self) -> Vec<u32> {
        let mut same: Vec<u32> = (0..self.values.len() as u32).collect();
        let mut args: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); same.len()];
        for (to, passed) in self.blocks.iter().flat_map(|block| &block.edges) {
            for (&param, &arg) in self.blocks[*to as usize].params.iter().zip(passed) {
                args[param as usize].push(arg);
            }
        }
        let find = |same: &[u32], mut version: u32| {
            while same[version as usize] != version {
                version = same[version as usize];
            }
            version
        };
        let mut changes = true;
        while std::mem::take(&mut changes) {
            for param in self.blocks.iter().flat_map(|block| &block.params) {
                if same[*param as usize] != *param {
                    continue;
                }
                let each = args[*param as usize].iter();
                let mut others = each.map(|&arg| find(&same, arg)).filter(|arg| arg != param);
                let value = |version: u32| self.values[version as usize];
                if let Some(other) = others.next()
                    && others.all(|arg| arg == other)
                    && value(other) == value(*param)
                {
                    same[*param as usize] = other;
                    changes = true;
                }
            }
        }
        (0..same.len() as u32).map(|v| find(&same, v)).collect()
    }

    /// The split problem. Numbers of values descend in the order of the code.
    fn stated(&self, same: &[u32]) -> Problem {
        let problem = self.problem;
        let mut split = Problem::new(problem.file.clone(), self.sources.len(), self.blocks.len());
        for &v in self.values.iter().rev() {
            split.add_value(problem.slot_grfs(v));
        }
        let number = |version: u32| self.values.len() as u32 - 1 - same[version as usize];
        let one = |version, role| [Operand::new(number(version), role, Constraint::Register)];
        let mut first = 0;
        for block in &self.blocks {
            for source in &self.sources[first..block.end] {
                let i = match *source {
                    Source::Own(i) => i,
                    Source::Load(access) => {
                        split.add_inst(one(access.version, Role::Def));
                        continue;
                    }
                    Source::Store(access, _) => {
                        split.add_inst(one(access.version, Role::Use));
                        continue;
                    }
                };
                let versions = &self.versions[problem.operands_from(i)..];
                if !problem.clobbers(i).is_empty() {
                    split.clobber(problem.clobbers(i));
                }
                if let ([_, _], true) = (problem.operands(i), problem.is_copy(i)) {
                    split.add_copy(number(versions[0]), number(versions[1]));
                    continue;
                }
                let ops = problem.operands(i).iter().zip(versions);
                let in_units = ops.filter(|(_, version)| **version != NO_VALUE);
                let dropped = |k: u16| {
                    let before = &versions[..usize::from(k)];
                    before
                        .iter()
                        .filter(|&&version| version == NO_VALUE)
                        .count() as u16
                };
                split.add_inst(in_units.map(|(op, &version)| {
                    let constraint = match op.constraint {
                        Constraint::Tied(k) => Constraint::Tied(k - dropped(k)),
                        other => other,
                    };
                    Operand::new(number(version), op.role(), constraint)
                }));
            }
            first = block.end;
            let is_own = |param: &u32| same[*param as usize] == *param;
            let params = block.params.iter().copied().filter(is_own).map(number);
            let edges = block.edges.iter().map(|(to, args)| {
                let params = &self.blocks[*to as usize].params;
                let passed = params.iter().zip(args).filter(|(param, _)| is_own(param));
                (*to, passed.map(|(_, &arg)| number(arg)).collect())
            });
            split.end_block(params, edges);
        }
        split.finish();
        split
    }

    /// The answer for the problem, from that for the split one, whose own slots come after those of webs.
    fn draft(&self, given: &Answer) -> Draft<'a> {
        let problem = self.problem;
        let webs = problem.value_count() as u32;
        let place = |place: Place| match place {
            Place::Memory(slot) if slot != NO_VALUE => Place::Memory(webs + slot),
            other => other,
        };
        let mut slot_grfs = self.webs.slot_grfs(problem);
        slot_grfs.resize(slot_grfs.len() + given.slots.len(), UNIT_GRFS);
        let mut draft = Draft {
            problem,
            places: Vec::with_capacity(problem.operand_count()),
            moves: Vec::new(),
            slot_grfs,
            starts: vec![UnitSet::ALL; problem.block_count()],
        };
        let mut found = given.places.iter().map(|&at| place(at));
        let mut moves = given.moves.iter().peekable();
        for (n, source) in (0u32..).zip(&self.sources) {
            let (before, after) = match *source {
                Source::Own(i) => (2 * i, 2 * i + 1),
                Source::Load(access) | Source::Store(access, _) => (access.at, access.at),
            };
            let mut steps = |draft: &mut Draft, until: Point, at: Point| {
                while let Some(step) = moves.next_if(|step| step.at <= until) {
                    let step = (place(step.from), place(step.to));
                    draft.moves.push((u64::from(at) << 2, step));
                }
            };
            steps(&mut draft, 2 * n, before);
            match *source {
                Source::Own(i) => {
                    let ops = problem.operands(i).iter();
                    let versions = &self.versions[problem.operands_from(i)..];
                    draft.places.extend(ops.zip(versions).map(|(op, &version)| {
                        let memory = Place::Memory(self.webs.of(op.value()));
                        match version {
                            NO_VALUE => memory,
                            _ => found.next().unwrap_or(memory),
                        }
                    }));
                }
                Source::Load(access) | Source::Store(access, _) => {
                    let memory = Place::Memory(access.web);
                    let unit = found.next().unwrap_or(memory);
                    let step = match source {
                        Source::Load(_) => (memory, unit),
                        _ => (unit, memory),
                    };
                    draft.moves.push((u64::from(access.at) << 2, step));
                }
            }
            steps(&mut draft, 2 * n + 1, after);
        }
        draft
    }
}
