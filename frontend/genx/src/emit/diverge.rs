//! Divergent control flow as the hardware has it: the rules under which `goto` and `join` can stay.
//!
//! [`plan`] takes a function whose `goto` and `join` were not lowered. The hardware has one execution mask, and channels that
//! wait each at one place; the intrinsics have both as values. The two agree if at each use the mask that is meant is the one
//! that there is (rules 1 to 4 of the language's conformance rules), if the channels that wait for a join are those of its
//! resume mask (5 to 8), and if the branches are those that the hardware takes when no channel is left (9 to 11). So the walk
//! follows three things along the blocks: the value that is the execution mask, the value that is the resume mask of each
//! join, and if some channel is on. `Emitter::terminator` compares the order of the blocks.

use std::collections::HashMap;

use super::bale::Uses;
use crate::error::{Code, Diagnostic, Result};
use crate::intrinsics::Kind;
use crate::ir::{Block, Function, Inst, Module, Op, Value};
use cranelift_entity::SecondaryMap;

/// Channels of a thread at least: with fewer, some that no branch turns off are on.
const MIN_CHANNELS: u32 = 16;

/// Facts about divergent control flow that the emission of a function needs.
#[derive(Default)]
pub struct Plan {
    /// Channels of each branch.
    pub channels: u32,
    /// True for values that are the execution mask, or its first elements.
    pub masks: SecondaryMap<Value, bool>,
    /// True for resume masks.
    pub resumes: SecondaryMap<Value, bool>,
    /// The block at which the channels wait that a goto turns off.
    pub targets: HashMap<Inst, Block>,
    /// True for blocks that begin with a join.
    pub joins: SecondaryMap<Block, bool>,
}

/// True if a function has divergent control flow.
pub fn has(function: &Function) -> bool {
    let blocks = function.order.iter();
    let mut insts = blocks.flat_map(|block| &function.blocks[*block].insts);
    insts.any(|inst| function.is_goto(*inst).is_some())
}

/// Facts about the channels that are on at a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Channels {
    /// One is on.
    On,
    /// One is on or waits for the join of this web.
    Waits(Value),
    Unknown,
}

/// State at a place.
#[derive(Clone)]
struct State {
    /// The execution mask; `None` if it is as at the start.
    mask: Option<Value>,
    /// Resume masks by web; none if no channel waits.
    resumes: HashMap<Value, Value>,
    channels: Channels,
}

struct Walk<'a> {
    module: &'a Module,
    function: &'a Function,
    uses: &'a Uses,
    plan: Plan,
    /// Representatives of the webs of resume masks.
    web: HashMap<Value, Value>,
    /// Block of each web's join.
    home: HashMap<Value, Block>,
    ends: SecondaryMap<Block, Vec<(Block, State)>>,
}

/// Finds out if a function's control flow is the hardware's.
///
/// # Errors
/// The rule that does not hold, at the instruction.
pub fn plan(module: &Module, function: &Function, uses: &Uses) -> Result<Plan> {
    let mut walk = Walk {
        module,
        function,
        uses,
        plan: Plan::default(),
        web: HashMap::new(),
        home: HashMap::new(),
        ends: SecondaryMap::new(),
    };
    walk.classify()?;
    walk.check_uses()?;
    walk.walk()?;
    Ok(walk.plan)
}

impl Walk<'_> {
    fn fail<T>(&self, inst: Inst, rule: u32, what: &str) -> Result<T> {
        let loc = self.function.insts[inst].loc;
        let message = format!("rule {rule} of divergent control flow: {what}");
        Err(Diagnostic::new(Code::Divergence, loc, message))
    }

    fn insts(&self) -> Vec<(Block, Inst)> {
        let blocks = self.function.order.iter();
        let all = blocks.flat_map(|b| self.function.blocks[*b].insts.iter().map(|i| (*b, *i)));
        all.collect()
    }

    /// Member of the result of a goto or join.
    fn member(&self, inst: Inst, number: u32) -> Option<Value> {
        let result = self.function.insts[inst].result?;
        let mut users = self.uses[result].iter().map(|(user, _)| *user);
        users.find_map(|user| match &self.function.insts[user].op {
            Op::ExtractValue(path) if path.as_slice() == [number] => {
                self.function.insts[user].result
            }
            _ => None,
        })
    }

    fn is_ones(&self, value: Value) -> bool {
        self.function.as_bits(value) == Some(1)
    }

    fn is_zero(&self, value: Value) -> bool {
        self.function.as_bits(value) == Some(0)
    }

    /// The web of a resume mask.
    fn root(&self, mut value: Value) -> Value {
        while let Some(up) = self.web.get(&value).filter(|up| **up != value) {
            value = *up;
        }
        value
    }

    fn unite(&mut self, a: Value, b: Value) {
        let (a, b) = (self.root(a), self.root(b));
        self.web.insert(b, a);
        self.web.entry(a).or_insert(a);
    }

    /// Finds the masks, the webs of the resume masks, and the blocks of the joins.
    fn classify(&mut self) -> Result<()> {
        let all = self.insts();
        let mut count = None;
        for &(block, inst) in &all {
            let Some(goto) = self.function.is_goto(inst) else {
                continue;
            };
            let args = &self.function.insts[inst].args;
            if args.len() != if goto { 3 } else { 2 } {
                return self.fail(inst, 2, "operands are missing");
            }
            let types = &self.module.types;
            let wide = types.count(self.function.ty(args[0])).unwrap_or(1);
            let narrow = types.count(self.function.ty(args[1])).unwrap_or(1);
            if *count.get_or_insert(narrow) != narrow || !(MIN_CHANNELS..=wide).contains(&narrow) {
                return self.fail(inst, 2, "all branches have 16 or all 32 channels");
            }
            if let Some(mask) = self.member(inst, 0) {
                self.plan.masks[mask] = true;
            }
            if goto && let Some(resume) = self.member(inst, 1) {
                self.plan.resumes[resume] = true;
            }
            self.plan.joins[block] |= !goto;
        }
        self.plan.channels = count.unwrap_or(MIN_CHANNELS);
        // Phis and beginnings of masks are masks.
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &(_, inst) in &all {
                let data = &self.function.insts[inst];
                let Some(result) = data.result else { continue };
                let any = |set: &SecondaryMap<Value, bool>| data.args.iter().any(|a| set[*a]);
                let is_phi = data.op == Op::Phi;
                let is_start = match &data.op {
                    Op::Shuffle(numbers) => {
                        let count = self.module.types.count(self.function.ty(data.args[0]));
                        self.plan.masks[data.args[0]]
                            && numbers.len() <= count.unwrap_or(1) as usize
                            && (0..).zip(numbers.iter()).all(|(i, n)| *n == i)
                    }
                    Op::Freeze => self.plan.masks[data.args[0]],
                    _ => false,
                };
                let mask = is_start || is_phi && any(&self.plan.masks);
                let resume = is_phi && any(&self.plan.resumes);
                changed |= mask && !self.plan.masks[result];
                changed |= resume && !self.plan.resumes[result];
                self.plan.masks[result] |= mask;
                self.plan.resumes[result] |= resume;
            }
        }
        for &(_, inst) in &all {
            let data = &self.function.insts[inst];
            let resumes = |walk: &Self, v: Value| walk.plan.resumes[v];
            match self.function.is_goto(inst) {
                Some(true) => {
                    let Some(resume) = self.member(inst, 1) else {
                        return self.fail(inst, 7, "channels never join");
                    };
                    self.unite(resume, resume);
                    if resumes(self, data.args[1]) {
                        self.unite(resume, data.args[1]);
                    } else if !self.is_zero(data.args[1]) {
                        return self.fail(inst, 8, "the old resume mask is none");
                    }
                }
                Some(false) => {}
                None if data.op == Op::Phi && data.result.is_some_and(|r| resumes(self, r)) => {
                    let Some(result) = data.result else { continue };
                    for arg in data.args.clone() {
                        if resumes(self, arg) {
                            self.unite(result, arg);
                        } else if !self.is_zero(arg) {
                            return self.fail(inst, 6, "an operand is no resume mask");
                        }
                    }
                }
                None => {}
            }
        }
        for &(block, inst) in &all {
            if self.function.is_goto(inst) == Some(false) {
                let resume = self.function.insts[inst].args[1];
                if self.is_zero(resume) {
                    continue;
                }
                if !self.plan.resumes[resume] {
                    return self.fail(inst, 8, "the resume mask is none");
                }
                if self.home.insert(self.root(resume), block).is_some() {
                    return self.fail(inst, 7, "two joins have one resume mask");
                }
            }
        }
        for &(_, inst) in &all {
            if self.function.is_goto(inst) == Some(true)
                && let Some(resume) = self.member(inst, 1)
            {
                let Some(home) = self.home.get(&self.root(resume)) else {
                    return self.fail(inst, 7, "channels never join");
                };
                self.plan.targets.insert(inst, *home);
            }
        }
        Ok(())
    }

    /// Checks that masks are only used where the hardware has them.
    fn check_uses(&self) -> Result<()> {
        for (_, inst) in self.insts() {
            let data = &self.function.insts[inst];
            let result_mask = data.result.is_some_and(|r| self.plan.masks[r]);
            for (i, arg) in data.args.iter().enumerate() {
                let (mask, resume) = (self.plan.masks[*arg], self.plan.resumes[*arg]);
                if !mask && !resume {
                    let other = data.op == Op::Phi && result_mask && !self.is_ones(*arg);
                    if other {
                        return self.fail(inst, 2, "an operand is no execution mask");
                    }
                    continue;
                }
                let count = self.module.types.count(self.function.ty(*arg)).unwrap_or(1);
                let small = count <= self.plan.channels;
                let right = match (&data.op, self.function.is_goto(inst)) {
                    (_, Some(_)) => i == 0 && mask || i == 1 && resume,
                    (Op::Phi, _) => true,
                    (Op::Shuffle(_) | Op::Freeze, _) => result_mask && mask && i < 2,
                    (Op::Select, _) => {
                        i == 0 && mask && small && !self.module.types.is_bool(data.ty)
                    }
                    (Op::Intrinsic(intrinsic), _) => {
                        let one = |v: Value| {
                            self.module
                                .types
                                .count(self.function.ty(v))
                                .is_none_or(|n| n == 1)
                        };
                        let place = data.args.get(5).copied();
                        matches!(intrinsic.kind(), Kind::WriteRegion)
                            && i == 7
                            && mask
                            && small
                            && place.is_some_and(|p| one(p) || self.function.as_const(p).is_some())
                    }
                    _ => false,
                };
                if !right {
                    return self.fail(inst, 3, "an execution mask is used otherwise");
                }
            }
        }
        Ok(())
    }

    /// The mask that a beginning or copy of one is of.
    fn whole(&self, mut value: Value) -> Value {
        while let Some(inst) = self.function.inst_of(value) {
            match &self.function.insts[inst].op {
                Op::Shuffle(_) | Op::Freeze if self.plan.masks[value] => {
                    value = self.function.insts[inst].args[0];
                }
                _ => break,
            }
        }
        value
    }

    /// True if a value is the execution mask of a state. Where no channel waits, all are on.
    fn is_current(&self, value: Value, state: &State) -> bool {
        state.mask == Some(self.whole(value)) || state.resumes.is_empty() && self.is_ones(value)
    }

    fn walk(&mut self) -> Result<()> {
        let order = self.function.reverse_postorder();
        let preds = super::assign::predecessors(self.function);
        let start = State {
            mask: None,
            resumes: HashMap::new(),
            channels: Channels::On,
        };
        let mut into: SecondaryMap<Block, Option<State>> = SecondaryMap::new();
        if let Some(entry) = order.first() {
            into[*entry] = Some(start);
        }
        for &block in &order {
            let Some(mut state) = into[block].clone() else {
                continue;
            };
            let passes_on = self.passes_on(block);
            for inst in self.function.blocks[block].insts.clone() {
                self.phi(inst, &mut state);
            }
            if self.plan.joins[block] {
                state.channels = self.at_join(block, &preds[block]);
            } else if !passes_on {
                state.channels = Channels::On;
            }
            let ends = self.block(block, state)?;
            for (next, end) in &ends {
                if into[*next].is_none() {
                    into[*next] = Some(end.clone());
                }
            }
            self.ends[block] = ends;
        }
        // Each edge has what the block was walked with.
        for &block in &order {
            for (next, end) in &self.ends[block] {
                if let Some(start) = &into[*next] {
                    self.edge(block, *next, end, start)?;
                }
            }
        }
        Ok(())
    }

    /// The places where channels wait if none is on after the join of a block.
    fn at_join(&self, block: Block, preds: &[Block]) -> Channels {
        let ends = preds.iter().flat_map(|pred| &self.ends[*pred]);
        let states = ends
            .filter(|(to, _)| *to == block)
            .map(|(_, end)| end.channels);
        states.fold(Channels::On, |all, one| match (all, one) {
            (_, Channels::Waits(web)) if self.home.get(&web) == Some(&block) => all,
            (all, Channels::On) => all,
            (Channels::On, one) => one,
            (all, one) if all == one => all,
            _ => Channels::Unknown,
        })
    }

    /// Masks that a phi gives from its block on.
    fn phi(&self, inst: Inst, state: &mut State) {
        let data = &self.function.insts[inst];
        let (Op::Phi, Some(result)) = (&data.op, data.result) else {
            return;
        };
        if self.plan.masks[result] {
            state.mask = Some(result);
        }
        if self.plan.resumes[result] {
            state.resumes.insert(self.root(result), result);
        }
    }

    /// Follows a block to its end. Returns the states of its edges.
    fn block(&self, block: Block, mut state: State) -> Result<Vec<(Block, State)>> {
        let insts = &self.function.blocks[block].insts;
        let mut last: Option<Inst> = None;
        let mut used = false;
        for &inst in insts {
            let data = &self.function.insts[inst];
            match self.function.is_goto(inst) {
                Some(goto) => {
                    if used && !goto {
                        return self.fail(inst, 3, "a mask is used before the join of its block");
                    }
                    if last.is_some_and(|last| self.function.is_goto(last) == Some(true))
                        || last.is_some_and(|last| self.condition(last).is_some())
                    {
                        return self.fail(inst, 9, "a branch follows another in its block");
                    }
                    self.branch(inst, goto, &mut state)?;
                    last = Some(inst);
                }
                None => {
                    let is_phi = data.op == Op::Phi;
                    for arg in data
                        .args
                        .iter()
                        .filter(|arg| self.plan.masks[**arg] && !is_phi)
                    {
                        let copy = matches!(data.op, Op::Shuffle(_) | Op::Freeze);
                        let at_end = last.is_some_and(|last| {
                            self.function.is_goto(last) == Some(true)
                                || self.condition(last).is_some()
                        });
                        if !copy && (at_end || !self.is_current(*arg, &state)) {
                            return self.fail(inst, 1, "another mask is the execution mask here");
                        }
                        used |= !copy;
                    }
                    let calls = matches!(data.op, Op::Call(_) | Op::CallIndirect(_));
                    if calls && !state.resumes.is_empty() && self.others_diverge() {
                        return self.fail(
                            inst,
                            1,
                            "a function that diverges is called by some channels",
                        );
                    }
                }
            }
        }
        self.leave(block, last, state)
    }

    /// True if a subroutine has control flow of this kind.
    fn others_diverge(&self) -> bool {
        let functions = self.module.functions.values();
        let mut others = functions.filter(|f| f.name != self.function.name && !f.spir_kernel);
        others.any(has)
    }

    fn branch(&self, inst: Inst, goto: bool, state: &mut State) -> Result<()> {
        let args = &self.function.insts[inst].args;
        if !self.is_current(args[0], state) {
            return self.fail(inst, 1, "another mask is the execution mask here");
        }
        // A result that is not used is the mask, all the same.
        state.mask = self.member(inst, 0).or(self.function.insts[inst].result);
        let resume = args[1];
        let web = match goto {
            true => self.member(inst, 1).map(|r| self.root(r)),
            false if self.is_zero(resume) => return Ok(()),
            false => Some(self.root(resume)),
        };
        let Some(web) = web else { return Ok(()) };
        let there = state.resumes.get(&web).copied();
        let said = Some(resume).filter(|r| !self.is_zero(*r));
        if there != said {
            return self.fail(inst, 5, "channels wait that the resume mask does not have");
        }
        match (goto, self.member(inst, 1)) {
            (true, Some(resume)) => _ = state.resumes.insert(web, resume),
            _ => _ = state.resumes.remove(&web),
        }
        Ok(())
    }

    fn condition(&self, inst: Inst) -> Option<Value> {
        condition(self.function, self.uses, inst)
    }

    /// States of the edges out of a block, whose last branch of channels is given.
    fn leave(&self, block: Block, last: Option<Inst>, state: State) -> Result<Vec<(Block, State)>> {
        let insts = &self.function.blocks[block].insts;
        let Some(&end) = insts.last() else {
            return Ok(Vec::new());
        };
        let data = &self.function.insts[end];
        let Some(last) = last else {
            if data.op == Op::Ret && !state.resumes.is_empty() {
                return self.fail(end, 7, "channels wait at the end");
            }
            return Ok(data.targets.iter().map(|to| (*to, state.clone())).collect());
        };
        let goto = self.function.is_goto(last) == Some(true);
        let condition = self.condition(last);
        let web = match goto {
            true => self.member(last, 1).map(|r| self.root(r)),
            false => None,
        };
        let gone = match web {
            Some(web) => Channels::Waits(web),
            None => state.channels,
        };
        let with = |channels| State {
            channels,
            ..state.clone()
        };
        match (condition, &data.op) {
            (Some(condition), Op::CondBr) => {
                let once = self.uses[condition].len() == 1;
                if !once || data.args[0] != condition || data.targets[0] == data.targets[1] {
                    return self.fail(
                        last,
                        9 + u32::from(!goto),
                        "the condition is not the branch's",
                    );
                }
                Ok(vec![
                    (data.targets[0], with(gone)),
                    (data.targets[1], with(Channels::On)),
                ])
            }
            (Some(_), _) => self.fail(last, 9 + u32::from(!goto), "the condition is no branch's"),
            (None, Op::Br) if goto => Ok(vec![(data.targets[0], with(gone))]),
            (None, _) if goto => self.fail(last, 9, "no join follows"),
            _ => {
                if data.op == Op::Ret && !state.resumes.is_empty() {
                    return self.fail(end, 7, "channels wait at the end");
                }
                Ok(data
                    .targets
                    .iter()
                    .map(|to| (*to, with(Channels::On)))
                    .collect())
            }
        }
    }

    /// Checks an edge against the state that its block was walked with.
    fn edge(&self, from: Block, to: Block, end: &State, start: &State) -> Result<()> {
        let insts = &self.function.blocks[to].insts;
        let Some(&first) = insts.first() else {
            return Ok(());
        };
        let mut merged = end.clone();
        for &inst in insts {
            let data = &self.function.insts[inst];
            let (Op::Phi, Some(result)) = (&data.op, data.result) else {
                continue;
            };
            let arg = data
                .targets
                .iter()
                .position(|b| *b == from)
                .map(|i| data.args[i]);
            let Some(arg) = arg else { continue };
            if self.plan.masks[result] {
                if !self.is_current(arg, end) {
                    return self.fail(inst, 1, "another mask is the execution mask there");
                }
                merged.mask = Some(result);
            }
            if self.plan.resumes[result] {
                let web = self.root(result);
                let said = Some(arg).filter(|r| !self.is_zero(*r));
                if end.resumes.get(&web).copied() != said {
                    return self.fail(inst, 5, "channels wait that the resume mask does not have");
                }
                merged.resumes.insert(web, result);
            }
        }
        let mut start = start.clone();
        for inst in insts {
            self.phi(*inst, &mut start);
        }
        let all = merged.resumes.is_empty() && start.resumes.is_empty();
        if !all && merged.mask != start.mask || merged.resumes != start.resumes {
            return self.fail(first, 1, "the masks of two edges differ");
        }
        let passes_on = self.passes_on(to);
        match end.channels {
            Channels::On => Ok(()),
            _ if !self.plan.joins[to] && passes_on => Ok(()),
            Channels::Waits(web) if self.home.get(&web) == Some(&to) => Ok(()),
            // One that branches if no channel is on.
            _ if self.plan.joins[to] && self.branches(to) => Ok(()),
            _ => self.fail(first, 11, "no channel may be on here"),
        }
    }

    /// True for a block that only goes on to another.
    fn passes_on(&self, block: Block) -> bool {
        match self.function.blocks[block].insts[..] {
            [only] => self.function.insts[only].op == Op::Br,
            _ => false,
        }
    }

    fn branches(&self, block: Block) -> bool {
        let insts = &self.function.blocks[block].insts;
        let mut joins = insts
            .iter()
            .filter(|inst| self.function.is_goto(**inst) == Some(false));
        joins.any(|inst| self.condition(*inst).is_some())
    }
}

/// The result of a goto or join that says that no channel is on, if it is used.
pub fn condition(function: &Function, uses: &Uses, inst: Inst) -> Option<Value> {
    let number = match function.is_goto(inst)? {
        true => 2,
        false => 1,
    };
    let result = function.insts[inst].result?;
    let mut users = uses[result].iter().map(|(user, _)| *user);
    let taken = users.find_map(|user| match &function.insts[user].op {
        Op::ExtractValue(path) if path.as_slice() == [number] => function.insts[user].result,
        _ => None,
    });
    taken.filter(|value| !uses[*value].is_empty())
}

/// The goto or join that ends a block, and true for a goto.
pub fn last(function: &Function, block: Block) -> Option<(Inst, bool)> {
    let insts = function.blocks[block].insts.iter().rev();
    let mut found = insts.filter_map(|inst| Some((*inst, function.is_goto(*inst)?)));
    found.next()
}
