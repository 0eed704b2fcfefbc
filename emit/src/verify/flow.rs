//! Checks that every channel that waits is reached.
//!
//! Channels that diverge wait at a place further on: those of a goto at a join, those of an `if` after `else` or at
//! `endif`, those that leave a loop after its `while`. They are lost if the instruction pointer jumps over that
//! place. For each instruction this finds the nearest place ahead at which channels may wait while it executes, and
//! refuses branches beyond it. It refuses branches whose targets are not what the manuals demand (volume 2a, the
//! single instructions), and masked instructions between a branch that left no channel active and the next join: only
//! moves for the waiting channels may be there. Jumps to an address in a register and the bodies of subroutines are
//! not followed: a call continues at the next instruction.
//!
//! An instruction is two nodes, as executed by some channel and by none: a join that some channel executes falls
//! through, one that none does may jump to its target.
//!
//! Places are visited from the nearest on. From each branch that makes channels wait there, the search marks
//! everything that is executed until the place is reached. A marked node already has a nearer place, so that the
//! search skips to that (union-find over the marks): each node is marked once.

use crate::assemble::Program;
use crate::inst::{Inst, Op, Target};

/// A branch that may lose channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("block {}, instruction {} ({op:?}): {what}", at.0, at.1)]
pub struct FlowError {
    /// Block and index; for code without blocks, 0 and the index.
    pub at: (usize, usize),
    pub op: Op,
    pub what: Wrong,
}

/// The defect of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    #[error("its {which} is {found:?}, {expected} expected")]
    Target {
        which: &'static str,
        expected: &'static str,
        found: Option<Op>,
    },
    #[error("continues at block {}, instruction {}, past channels that may wait at block {}, instruction {}", to.0, to.1, waiting.0, waiting.1)]
    Skips {
        to: (usize, usize),
        waiting: (usize, usize),
    },
    #[error("ends the thread while channels may wait at block {}, instruction {}", waiting.0, waiting.1)]
    Ends { waiting: (usize, usize) },
    #[error("no channel may be active after it at {op:?} (block {}, instruction {}): only instructions without a mask may come before the join", place.0, place.1)]
    Masked { op: Op, place: (usize, usize) },
}

/// Checks a program whose branches name blocks.
///
/// # Errors
/// The first wrong branch.
pub fn check_program(program: &Program) -> Result<(), FlowError> {
    Flow::of_program(program).check()
}

/// Checks decoded code, whose branches have distances.
///
/// # Errors
/// The first wrong branch.
pub fn check_code(code: &[Inst]) -> Result<(), FlowError> {
    Flow::of_code(code).check()
}

/// The absent place.
pub(crate) const NONE: u32 = u32::MAX;

/// An instruction as executed by some channel or by none: twice its index, plus one for none.
type Node = u32;

fn some(at: u32) -> Node {
    at * 2
}

fn none(at: u32) -> Node {
    at * 2 + 1
}

/// Successors of a node, at most three.
#[derive(Default)]
struct Nexts {
    list: [Node; 3],
    count: usize,
}

impl Nexts {
    fn add(&mut self, node: Node) {
        self.list[self.count] = node;
        self.count += 1;
    }

    fn iter(&self) -> impl Iterator<Item = Node> {
        self.list.into_iter().take(self.count)
    }
}

/// The instructions in sequence, with the indices of branch targets.
pub(crate) struct Flow<'a> {
    pub(crate) insts: Vec<&'a Inst>,
    places: Vec<(usize, usize)>,
    pub(crate) jip: Vec<u32>,
    pub(crate) uip: Vec<u32>,
    /// True for instructions at which channels may wait.
    waits: Vec<bool>,
}

impl<'a> Flow<'a> {
    /// A program whose branches name blocks.
    pub(super) fn of_program(program: &'a Program) -> Flow<'a> {
        let mut starts = Vec::with_capacity(program.blocks.len() + 1);
        let mut insts = Vec::new();
        let mut places = Vec::new();
        for (b, block) in program.blocks.iter().enumerate() {
            starts.push(insts.len() as u32);
            insts.extend(block);
            places.extend((0..block.len()).map(|i| (b, i)));
        }
        starts.push(insts.len() as u32);
        Flow::new(insts, places, |_, target| match target {
            Some(Target::Block(block)) => starts.get(block as usize).copied(),
            _ => None,
        })
    }

    /// Decoded code, whose branches have distances.
    pub(crate) fn of_code(code: &'a [Inst]) -> Flow<'a> {
        let mut offsets = Vec::with_capacity(code.len() + 1);
        let mut offset = 0i64;
        for inst in code {
            offsets.push(offset);
            offset += i64::from(inst.size());
        }
        offsets.push(offset);
        let places = (0..code.len()).map(|i| (0, i)).collect();
        Flow::new(code.iter().collect(), places, |at, target| match target {
            Some(Target::Offset(by)) => {
                let to = offsets[at as usize] + i64::from(by);
                offsets.binary_search(&to).ok().map(|i| i as u32)
            }
            _ => None,
        })
    }

    fn new(
        insts: Vec<&'a Inst>,
        places: Vec<(usize, usize)>,
        target: impl Fn(u32, Option<Target>) -> Option<u32>,
    ) -> Flow<'a> {
        let numbered = || (0u32..).zip(&insts);
        let jip = numbered().map(|(i, inst)| target(i, inst.jip).unwrap_or(NONE));
        let uip = numbered().map(|(i, inst)| target(i, inst.uip).unwrap_or(NONE));
        Flow {
            jip: jip.collect(),
            uip: uip.collect(),
            waits: vec![false; insts.len() + 2],
            insts,
            places,
        }
    }
}

impl Flow<'_> {
    fn check(mut self) -> Result<(), FlowError> {
        for at in 0..self.insts.len() as u32 {
            self.targets(at)?;
        }
        let nearest = self.find_places();
        for at in 0..self.insts.len() as u32 {
            self.skips(at, &nearest)?;
            self.moves(at, &nearest)?;
        }
        Ok(())
    }

    /// Finds where channels may wait, and the nearest of these places during each node. Targets of branches are right.
    pub(crate) fn find_places(&mut self) -> Vec<u32> {
        let mut waiting: Vec<(u32, u32)> = Vec::new();
        for at in 0..self.insts.len() as u32 {
            for place in self.wait(at).into_iter().flatten() {
                waiting.push((place, at));
            }
        }
        waiting.sort_unstable();
        for &(place, _) in &waiting {
            self.waits[place as usize] = true;
        }
        self.nearest(&waiting)
    }

    /// True if all branches go where the manuals demand.
    pub(crate) fn is_right(&self) -> bool {
        (0..self.insts.len() as u32).all(|at| self.targets(at).is_ok())
    }

    /// The nearest place at which channels may wait while an instruction executes, of those that [`Flow::find_places`]
    /// gives.
    pub(crate) fn nearest_of(at: u32, places: &[u32]) -> u32 {
        places[some(at) as usize].min(places[none(at) as usize])
    }

    /// The instructions to which execution may go from one. Targets of branches are right.
    pub(crate) fn follow(&self, at: u32) -> impl Iterator<Item = u32> {
        let [some, none] = [some(at), none(at)].map(|node| self.nexts(node));
        let both = [some, none].into_iter();
        both.flat_map(|nexts| nexts.list.into_iter().take(nexts.count))
            .map(|node| node / 2)
    }

    pub(super) fn place(&self, at: u32) -> (usize, usize) {
        let end = self.places.last().map_or((0, 0), |&(b, i)| (b, i + 1));
        self.places.get(at as usize).copied().unwrap_or(end)
    }

    fn op(&self, at: u32) -> Option<Op> {
        self.insts.get(at as usize).map(|inst| inst.op)
    }

    fn error(&self, at: u32, what: Wrong) -> FlowError {
        FlowError {
            at: self.place(at),
            op: self.insts[at as usize].op,
            what,
        }
    }

    /// Checks the targets of a branch.
    fn targets(&self, at: u32) -> Result<(), FlowError> {
        let inst = self.insts[at as usize];
        let (jip, uip) = (self.jip[at as usize], self.uip[at as usize]);
        let forward = |to: u32| to != NONE && to > at;
        let backward = |to: u32| to <= at;
        let is =
            |to: u32, ops: &[Op]| forward(to) && self.op(to).is_some_and(|op| ops.contains(&op));
        let (jump, update) = match inst.op {
            Op::Goto if inst.opts.branch_ctrl => (
                (jip == at + 1 && is(jip, &[Op::Join]), "the join behind it"),
                (backward(uip), "an instruction before it"),
            ),
            Op::Goto => (
                (forward(jip), "an instruction ahead"),
                (is(uip, &[Op::Join]), "a join ahead"),
            ),
            // The join itself: no channels wait further on.
            Op::Join if jip == at => return Ok(()),
            Op::Join | Op::Endif => ((forward(jip), "an instruction ahead"), (true, "")),
            Op::If => {
                let no_else = is(jip, &[Op::Endif]);
                let behind_else = forward(jip) && self.op(jip - 1) == Some(Op::Else);
                (
                    (no_else || behind_else, "endif, or what is behind else"),
                    (is(uip, &[Op::Endif]), "an endif ahead"),
                )
            }
            Op::Else => (
                (
                    is(jip, &[Op::Endif]) && jip == uip,
                    "the endif of its update target",
                ),
                (is(uip, &[Op::Endif]), "an endif ahead"),
            ),
            Op::While => ((backward(jip), "an instruction before it"), (true, "")),
            Op::Break | Op::Cont => (
                (
                    is(jip, &[Op::Else, Op::Endif, Op::While, Op::Join]),
                    "else, endif, join or while ahead",
                ),
                (is(uip, &[Op::While]), "a while ahead"),
            ),
            Op::Jmpi => {
                let register = inst.jip == Some(Target::Reg);
                ((register || jip != NONE, "an instruction"), (true, ""))
            }
            _ => return Ok(()),
        };
        for (which, (right, expected), to) in
            [("jump target", jump, jip), ("update target", update, uip)]
        {
            if !right {
                let found = self.op(to);
                let what = Wrong::Target {
                    which,
                    expected,
                    found,
                };
                return Err(self.error(at, what));
            }
        }
        Ok(())
    }

    /// The place where the channels wait that do not take an `if`. For an `else`, after which they continue, it is
    /// the `else` itself: if no channels wait there, it jumps to its target.
    fn other_way(&self, at: u32) -> u32 {
        let jip = self.jip[at as usize];
        jip - u32::from(self.op(jip - 1) == Some(Op::Else))
    }

    /// Places where channels may wait after the instruction.
    pub(crate) fn wait(&self, at: u32) -> [Option<u32>; 2] {
        let inst = self.insts[at as usize];
        let (jip, uip) = (self.jip[at as usize], self.uip[at as usize]);
        match inst.op {
            Op::Goto if inst.opts.branch_ctrl => [Some(jip), None],
            Op::Goto => [Some(uip), None],
            Op::If => [Some(self.other_way(at)), None],
            Op::Else => [Some(uip), None],
            Op::While => [Some(at + 1), None],
            Op::Break => [Some(uip + 1), None],
            Op::Cont => [Some(uip), None],
            _ => [None, None],
        }
    }

    /// Successors of a node.
    fn nexts(&self, node: Node) -> Nexts {
        let (at, active) = (node / 2, node.is_multiple_of(2));
        let inst = self.insts[at as usize];
        let (jip, uip) = (self.jip[at as usize], self.uip[at as usize]);
        let same = |at| if active { some(at) } else { none(at) };
        let mut nexts = Nexts::default();
        match inst.op {
            // A jump to an address in a register: a call returns to the next instruction after other threads' turn;
            // the end of a function does not.
            Op::Jmpi if jip == NONE => {
                let next = self.insts.get(at as usize + 1);
                if next.is_some_and(|next| next.opts.switch) {
                    nexts.add(same(at + 1));
                }
            }
            Op::Jmpi => {
                nexts.add(same(jip));
                if inst.pred.is_some() {
                    nexts.add(same(at + 1));
                }
            }
            Op::Goto if inst.opts.branch_ctrl => {
                if active {
                    nexts.add(some(uip));
                }
                nexts.add(self.arrive(jip));
            }
            Op::If => {
                if active {
                    nexts.add(some(at + 1));
                }
                nexts.add(self.arrive(self.other_way(at)));
            }
            Op::Goto | Op::Break | Op::Cont => {
                if active {
                    nexts.add(some(at + 1));
                }
                nexts.add(self.arrive(jip));
            }
            Op::Join | Op::Endif => {
                if active || self.waits[at as usize] {
                    nexts.add(some(at + 1));
                }
                if !active && jip != at {
                    nexts.add(self.arrive(jip));
                }
            }
            Op::Else => {
                if self.waits[at as usize] {
                    nexts.add(some(at + 1));
                }
                nexts.add(self.arrive(jip));
            }
            Op::While => {
                if active {
                    nexts.add(some(jip));
                }
                nexts.add(self.arrive(at + 1));
            }
            // After a call by address all channels continue together, and other threads may run.
            Op::Ret => {
                let next = self.insts.get(at as usize + 1);
                if next.is_some_and(|next| next.opts.switch) {
                    nexts.add(same(at + 1));
                }
            }
            _ if inst.msg.is_some_and(|m| m.eot) => {}
            _ => nexts.add(same(at + 1)),
        }
        nexts
    }

    /// The node of a jump target that is reached with no channel active. Channels waiting there may continue, and at
    /// anything but a join some channel does.
    fn arrive(&self, at: u32) -> Node {
        match self.op(at) {
            Some(Op::Join | Op::Endif) | None => none(at),
            _ if self.waits[at as usize] => some(at),
            _ => none(at),
        }
    }

    /// Nearest place at which channels may wait during each node.
    fn nearest(&self, waiting: &[(u32, u32)]) -> Vec<u32> {
        // The end of the code may be a place, too.
        let count = self.insts.len() as u32 + 1;
        let mut nearest = vec![NONE; count as usize * 2];
        // Link from a marked node to the next place's, and on as far as is known.
        let mut further: Vec<Node> = (0..count * 2).collect();
        let mut work = Vec::new();
        for &(place, branch) in waiting {
            work.extend(self.nexts(some(branch)).iter());
            while let Some(node) = work.pop() {
                let node = find(&mut further, node, place);
                if node / 2 >= place {
                    continue;
                }
                nearest[node as usize] = place;
                further[node as usize] = self.arrive(place);
                work.extend(self.nexts(node).iter());
            }
        }
        nearest
    }

    /// Refuses an instruction with a successor beyond a place where channels may wait.
    fn skips(&self, at: u32, nearest: &[u32]) -> Result<(), FlowError> {
        for node in [some(at), none(at)] {
            let own = self.wait(at).into_iter().flatten().min().unwrap_or(NONE);
            let own = if node == some(at) { own } else { NONE };
            let waiting = nearest[node as usize].min(own);
            if waiting == NONE {
                continue;
            }
            let place = self.place(waiting);
            if self.insts[at as usize].msg.is_some_and(|m| m.eot) {
                return Err(self.error(at, Wrong::Ends { waiting: place }));
            }
            if let Some(to) = self
                .nexts(node)
                .iter()
                .map(|n| n / 2)
                .find(|&to| to > waiting)
            {
                let to = self.place(to);
                return Err(self.error(at, Wrong::Skips { to, waiting: place }));
            }
        }
        Ok(())
    }

    /// Checks that only moves lie between a jump target and the intended join.
    fn moves(&self, from: u32, nearest: &[u32]) -> Result<(), FlowError> {
        for at in self.idle(from, nearest) {
            let inst = self.insts[at as usize];
            if ends_moves(inst) {
                let (op, place) = (inst.op, self.place(at));
                return Err(self.error(from, Wrong::Masked { op, place }));
            }
        }
        Ok(())
    }

    /// The instructions between the jump target of a branch that leaves no channel active and the next place, or up to one
    /// that is no move.
    pub(super) fn idle(&self, from: u32, nearest: &[u32]) -> Vec<u32> {
        let mut idle = Vec::new();
        let mut at = match self.insts[from as usize].op {
            Op::If => self.other_way(from),
            Op::Goto | Op::Else | Op::Break | Op::Cont => self.jip[from as usize],
            // If no channels wait further on, some channel continues here; and any that continue at the next
            // instruction anyway count as active.
            Op::Join | Op::Endif
                if nearest[none(from) as usize] != NONE && self.jip[from as usize] > from + 1 =>
            {
                self.jip[from as usize]
            }
            _ => return idle,
        };
        // The bound ends a cycle of jumps.
        for _ in 0..self.insts.len() {
            let Some(inst) = self.insts.get(at as usize) else {
                break;
            };
            if self.waits[at as usize]
                || matches!(inst.op, Op::Join | Op::Endif | Op::Else | Op::While)
            {
                break;
            }
            idle.push(at);
            at = match inst.op {
                Op::Jmpi if inst.pred.is_none() => self.jip[at as usize],
                _ if ends_moves(inst) => break,
                _ => at + 1,
            };
        }
        idle
    }
}

/// True for an instruction that cannot be among moves where no channel is active.
fn ends_moves(inst: &Inst) -> bool {
    match inst.op {
        Op::Jmpi if inst.pred.is_none() => false,
        // A wait has no channels.
        Op::Sync(_) | Op::Nop => false,
        op => !inst.no_mask || op.is_branch() || inst.msg.is_some_and(|m| m.eot),
    }
}

/// First node on the chain of marks from `node` that is not marked, or not before `place`.
fn find(further: &mut [Node], node: Node, place: u32) -> Node {
    let mut end = node;
    while end / 2 < place && further[end as usize] != end {
        end = further[end as usize];
    }
    let mut at = node;
    while at != end {
        at = std::mem::replace(&mut further[at as usize], end);
    }
    end
}
