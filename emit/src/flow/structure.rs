//! Structured control flow in place of gotos and joins.
//!
//! | | before | after |
//! | --- | --- | --- |
//! | two ways | `(~P) goto A` … `mov f, 0`, `(~f) goto E`, `A: join` … `E: join` | `(P) if` … `else` … `endif` |
//! | a loop | `H:` … `(P) goto J` … `(Q) goto.b H`, `J: join` | `H:` … `(P) break` … `(Q) while H` |
//!
//! `E` keeps its join if the channels of other gotos wait there. Without a second branch, `if` and `endif` are no
//! fewer than goto and join, and these stay. `docs/control-flow.md` gives the conditions and why they suffice. Edge
//! moves are in blocks of their own between a branch and its join, so that a matched region has none.
//!
//! Takes a program in which each jump target is the nearest place where channels may wait, and keeps it so. Renumbers
//! the blocks.

use crate::assemble::Program;
use crate::flow::{BranchTargets, NONE, drop_goto, is_forward, leaving, number, starts_with_join};
use crate::inst::{Inst, Op, PredCtrl, Target};

/// Rewrites every region of a matching shape.
pub fn structure(program: &mut Program) {
    let mut names = BranchTargets::new(program);
    let branches = Branches::new(program, &names);
    let loops = loops(program, &names, &branches);
    // Exiting channels of these loops wait at `while`.
    for found in &loops {
        names.latched[found.join as usize] = false;
    }
    let mut ways = if_else_regions(program, &names);
    close(program, &mut ways, &branches);
    ways.retain(|way| way.kept);
    if !ways.is_empty() || !loops.is_empty() {
        Rewrite::new(program.blocks.len(), &names, ways, loops).rewrite(program);
    }
}

/// An if-else region: `if` at the end of block `head`, `else` at the end of block `turn`, before block `second`, and
/// `endif` at the start of block `end`.
struct IfElse {
    head: u32,
    turn: u32,
    second: u32,
    end: u32,
    kept: bool,
    /// Index of the region around it.
    parent: Option<usize>,
}

/// A loop from block `head` to the end of block `latch`. Exiting channels wait at block `join` after it.
struct Loop {
    head: u32,
    latch: u32,
    join: u32,
    /// Blocks that end in a goto out of the loop.
    exits: Vec<u32>,
    /// True if gotos elsewhere make channels wait at `join`, too.
    shared: bool,
}

/// Branches by block.
struct Branches {
    /// Forward gotos: the block, and the block where its channels wait.
    gotos: Vec<(u32, u32)>,
    /// Scalar jumps and backward gotos: the block, and the target of active channels.
    jumps: Vec<(u32, u32)>,
    /// By block: the last block where channels wait that a goto in the block sends there.
    farthest: Extremes,
    /// By block: the first block with a goto or join whose channels wait in this block, or that jumps here when no
    /// channel is active. Encoded by [`first`].
    sources: Extremes,
    /// By block: the first block that a jump in it leads to. Encoded by [`first`].
    jump_targets: Extremes,
}

/// Encoding of a block for which the smallest block is the greatest number.
fn first(block: u32) -> u32 {
    u32::MAX - block
}

impl Branches {
    fn new(program: &Program, names: &BranchTargets) -> Branches {
        let count = program.blocks.len() + 1;
        let (mut gotos, mut jumps) = (Vec::new(), Vec::new());
        let mut farthest = vec![0; count];
        let mut sources = vec![0; count];
        let mut jump_targets = vec![0; count];
        for (b, block) in program.blocks.iter().enumerate() {
            for inst in block {
                let from = b as u32;
                let forward = is_forward(inst);
                let active = match inst.op {
                    Op::Jmpi => names.to(inst.jip),
                    Op::Goto if !forward => names.to(inst.uip),
                    _ => None,
                };
                if let Some(to) = active {
                    jumps.push((from, to));
                    let least: &mut u32 = &mut jump_targets[b];
                    *least = first(to).max(*least);
                }
                if let Some(to) = names.to(inst.uip).filter(|_| forward) {
                    gotos.push((from, to));
                    let most: &mut u32 = &mut farthest[b];
                    *most = to.max(*most);
                    let least: &mut u32 = &mut sources[to as usize];
                    *least = first(from).max(*least);
                }
                if let Some(to) = names
                    .to(inst.jip)
                    .filter(|_| forward || inst.op == Op::Join)
                {
                    let least: &mut u32 = &mut sources[to as usize];
                    *least = first(from).max(*least);
                }
            }
        }
        Branches {
            gotos,
            jumps,
            farthest: Extremes::new(farthest),
            sources: Extremes::new(sources),
            jump_targets: Extremes::new(jump_targets),
        }
    }
}

/// Range-maximum queries by a sparse table: a row for each power of two.
struct Extremes(Vec<Vec<u32>>);

impl Extremes {
    fn new(list: Vec<u32>) -> Extremes {
        let mut rows = vec![list];
        let mut width = 1;
        while let Some(last) = rows.last()
            && last.len() > width
        {
            let next = (0..last.len() - width).map(|i| last[i].max(last[i + width]));
            rows.push(next.collect());
            width *= 2;
        }
        Extremes(rows)
    }

    /// Maximum of the entries from `from` to `to`, both included; 0 if there are none.
    fn greatest(&self, from: u32, to: u32) -> u32 {
        if from > to {
            return 0;
        }
        let row = (to - from + 1).ilog2() as usize;
        let second = to as usize + 1 - (1 << row);
        self.0[row][from as usize].max(self.0[row][second])
    }
}

/// All if-else regions, by their first block.
fn if_else_regions(program: &Program, names: &BranchTargets) -> Vec<IfElse> {
    let mut found = Vec::new();
    for (turn, block) in program.blocks.iter().enumerate() {
        if let Some(way) = if_else_at(program, names, turn as u32, block) {
            found.push(way);
        }
    }
    found.sort_unstable_by_key(|way| way.head);
    found
}

fn if_else_at(
    program: &Program,
    names: &BranchTargets,
    turn: u32,
    block: &[Inst],
) -> Option<IfElse> {
    leaving(block)?;
    let goto = block.last()?;
    let end = names.to(goto.uip)?;
    let second = names.to(goto.jip)?;
    let ending = program.blocks.get(end as usize)?;
    let join = program.blocks.get(second as usize)?.first()?;
    let head = names.waiter[second as usize];
    let opening = program.blocks.get(head as usize)?.last()?;
    let one_size = |inst: &Inst| (inst.exec_size, inst.chan_off) == (join.exec_size, join.chan_off);
    let fits = second == names.nonempty[turn as usize + 1]
        && second != end
        && join.op == Op::Join
        && names.to(join.jip) == Some(end)
        && starts_with_join(ending)
        && !names.latched[end as usize]
        && names.waiters[second as usize] == 1
        && !names.latched[second as usize]
        && !names.jumped[second as usize]
        && !names.idle[second as usize]
        && head < turn
        && is_forward(opening)
        && opening.pred.is_some()
        && names.to(opening.jip) == Some(second)
        && one_size(goto)
        && one_size(opening)
        && one_size(&ending[0]);
    fits.then_some(IfElse {
        head,
        turn,
        second,
        end,
        kept: true,
        parent: None,
    })
}

/// Keeps the if-else regions that nest properly and that no jump enters or leaves.
fn close(program: &Program, ways: &mut [IfElse], branches: &Branches) {
    let count = program.blocks.len() + 1;
    // Innermost region around each block.
    let mut inner: Vec<Option<usize>> = vec![None; count];
    // Innermost region around each block's end, where the goto that begins a region counts as inside.
    let mut begun: Vec<Option<usize>> = vec![None; count];
    let mut open: Vec<usize> = Vec::new();
    let mut next = 0;
    for block in 0..count as u32 {
        while open.pop_if(|&mut way| ways[way].end <= block).is_some() {}
        inner[block as usize] = open.last().copied();
        begun[block as usize] = open.last().copied();
        if let Some(way) = ways.get(next)
            && way.head == block
        {
            let (second, end) = (way.second, way.end);
            let nested = open.last().is_none_or(|&outer| {
                let outer = &ways[outer];
                let side = if block < outer.turn + 1 {
                    outer.turn
                } else {
                    outer.end
                };
                end <= side && second < side
            });
            ways[next].kept = nested;
            ways[next].parent = open.last().copied();
            if nested {
                open.push(next);
                begun[block as usize] = Some(next);
            }
            next += 1;
        }
    }
    for &(from, to) in &branches.jumps {
        let (from, to) = (inner[from as usize], inner[to as usize]);
        for (mut way, other) in [(from, to), (to, from)] {
            while let Some(w) = way
                && !around(ways, w, other)
            {
                ways[w].kept = false;
                way = ways[w].parent;
            }
        }
    }
    for &(from, to) in &branches.gotos {
        let (from, mut way) = (begun[from as usize], inner[to as usize]);
        while let Some(w) = way
            && !around(ways, w, from)
        {
            ways[w].kept = false;
            way = ways[w].parent;
        }
    }
}

/// True if `outer` is `inner` or around it.
fn around(ways: &[IfElse], outer: usize, inner: Option<usize>) -> bool {
    inner.is_some_and(|inner| {
        let (outer, inner) = (&ways[outer], &ways[inner]);
        outer.head <= inner.head && inner.end <= outer.end
    })
}

/// All loops whose exiting channels wait only directly after the loop.
fn loops(program: &Program, names: &BranchTargets, branches: &Branches) -> Vec<Loop> {
    let mut exits: Vec<(u32, u32)> = branches.gotos.iter().map(|&(b, to)| (to, b)).collect();
    exits.sort_unstable();
    let depth = innermost_heads(program.blocks.len(), branches);
    let mut found = Vec::new();
    for (latch, block) in program.blocks.iter().enumerate() {
        let latch = latch as u32;
        let Some(goto) = block.last() else { continue };
        if goto.op != Op::Goto || is_forward(goto) || goto.pred.is_none() {
            continue;
        }
        let (Some(head), Some(join)) = (names.to(goto.uip), names.to(goto.jip)) else {
            continue;
        };
        let start = exits.partition_point(|&(to, _)| to < join);
        let own: Vec<u32> = (exits[start..].iter())
            .take_while(|&&(to, _)| to == join)
            .map(|&(_, b)| b)
            .filter(|&b| b >= head && b <= latch)
            .collect();
        let follows = join == names.nonempty[latch as usize + 1];
        let joins = |b: u32| {
            let block = program.blocks.get(b as usize);
            block
                .and_then(|block| block.first())
                .filter(|inst| inst.op == Op::Join)
        };
        let Some(behind) = joins(join).filter(|_| follows) else {
            continue;
        };
        let breaks = |&b: &u32| {
            let block = &program.blocks[b as usize];
            let last = block.last().filter(|inst| is_forward(inst));
            depth[b as usize] == head
                && last.is_some_and(|goto| {
                    names.to(goto.uip) == Some(join)
                        && names.to(goto.jip).is_some_and(|to| joins(to).is_some())
                        && goto.pred.is_none_or(|p| p.ctrl == PredCtrl::Normal)
                        && goto.exec_size == behind.exec_size
                })
        };
        let at = join as usize;
        let shared = names.waiters[at] as usize > own.len() + 1;
        // With no channel active, execution must enter only by a join that skips the loop.
        let inside = match joins(head) {
            Some(first) if names.to(first.jip).is_some_and(|to| to > join) => head + 1,
            Some(_) => head,
            None if names.idle[head as usize] => continue,
            None => head,
        };
        // The join stays, or becomes an `endif`, if other channels wait there.
        let last = if shared { latch } else { join };
        let enters = branches.sources.greatest(inside, last) > first(head);
        let leaves = branches.farthest.greatest(head, latch) > join
            || branches.jump_targets.greatest(head, latch) > first(head);
        if own.iter().all(breaks)
            && !enters
            && !leaves
            && goto.exec_size == behind.exec_size
            && !names.jumped[at]
            && !names.idle[at]
        {
            found.push(Loop {
                head,
                latch,
                join,
                exits: own,
                shared,
            });
        }
    }
    found
}

/// Header of the innermost loop around each block, which is the greatest.
fn innermost_heads(count: usize, branches: &Branches) -> Vec<u32> {
    let mut loops: Vec<(u32, u32)> = (branches.jumps.iter())
        .filter(|&&(from, to)| to <= from)
        .map(|&(from, to)| (to, from))
        .collect();
    loops.sort_unstable();
    let mut heads = vec![NONE; count];
    // Blocks without a header so far, by skipping those that have one (union-find).
    let mut free: Vec<u32> = (0..=count as u32).collect();
    for &(head, latch) in loops.iter().rev() {
        let mut block = seek(&mut free, head);
        while block <= latch {
            heads[block as usize] = head;
            free[block as usize] = block + 1;
            block = seek(&mut free, block);
        }
    }
    heads
}

fn seek(free: &mut [u32], from: u32) -> u32 {
    let mut end = from;
    while free[end as usize] != end {
        end = free[end as usize];
    }
    let mut at = from;
    while at != end {
        at = std::mem::replace(&mut free[at as usize], end);
    }
    end
}

/// The new form of a block's last instruction.
#[derive(Clone, Copy)]
enum Role {
    /// Unchanged.
    Same,
    If(usize),
    Else(usize),
    While(usize),
    Break(usize),
}

struct Rewrite<'a> {
    names: &'a BranchTargets,
    ways: Vec<IfElse>,
    loops: Vec<Loop>,
    role: Vec<Role>,
    /// If-else regions that end at the block, outermost first.
    ends: Vec<Vec<usize>>,
    /// Blocks from which a jump to the block with no channel active is redirected to the last instruction of another.
    instead: Vec<(u32, u32)>,
    /// Number of gotos with channels waiting at the block that are replaced.
    structured: Vec<u32>,
    /// New block numbers: of the block's start, of its remaining part, of its last instruction if others jump there,
    /// and of each `endif`.
    start: Vec<u32>,
    main: Vec<u32>,
    tail: Vec<u32>,
    endif: Vec<u32>,
}

impl<'a> Rewrite<'a> {
    fn new(
        count: usize,
        names: &'a BranchTargets,
        ways: Vec<IfElse>,
        loops: Vec<Loop>,
    ) -> Rewrite<'a> {
        let mut r = Rewrite {
            names,
            role: vec![Role::Same; count + 1],
            ends: vec![Vec::new(); count + 1],
            instead: vec![(NONE, NONE); count + 1],
            structured: vec![0; count + 1],
            start: vec![NONE; count + 1],
            main: vec![NONE; count + 1],
            tail: vec![NONE; count + 1],
            endif: vec![NONE; ways.len()],
            ways,
            loops,
        };
        for (w, way) in r.ways.iter().enumerate() {
            r.role[way.head as usize] = Role::If(w);
            r.role[way.turn as usize] = Role::Else(w);
            r.ends[way.end as usize].push(w);
            r.structured[way.end as usize] += 1;
            r.structured[way.second as usize] += 1;
            r.instead[way.second as usize] = (0, way.turn);
        }
        for (l, found) in r.loops.iter().enumerate() {
            r.role[found.latch as usize] = Role::While(l);
            r.structured[found.join as usize] += found.exits.len() as u32 + 1;
            let from = if found.shared { found.head } else { 0 };
            r.instead[found.join as usize] = (from, found.latch);
            for &exit in &found.exits {
                r.role[exit as usize] = Role::Break(l);
            }
        }
        let mut next = 0;
        for b in 0..=count {
            r.start[b] = next;
            for &w in r.ends[b].iter().rev() {
                r.endif[w] = next;
                next += 1;
            }
            r.main[b] = next;
            next += 1;
            if matches!(r.role[b], Role::Else(_) | Role::While(_)) {
                r.tail[b] = next;
                next += 1;
            }
        }
        r
    }

    fn rewrite(&self, program: &mut Program) {
        let mut out = Vec::with_capacity(self.main.len());
        for (b, mut block) in std::mem::take(&mut program.blocks).into_iter().enumerate() {
            let ending = self.ends[b].len();
            // Other gotos keep the join.
            let structured = self.structured[b];
            let joined = structured == 0 || self.names.waiters[b] > structured;
            for place in 0..ending as u32 {
                let mut endif = block[0].clone();
                endif.op = Op::Endif;
                endif.jip = match joined || place + 1 < ending as u32 {
                    true => Some(Target::Block(self.start[b] + place + 1)),
                    false => self.jump(b, endif.jip),
                };
                out.push(vec![endif]);
            }
            if !joined {
                block.remove(0);
            }
            let last = match self.role[b] {
                Role::Same => None,
                role => self.last(b, role, &mut block),
            };
            block.iter_mut().for_each(|inst| self.targets(b, inst));
            match self.role[b] {
                Role::Else(_) | Role::While(_) => {
                    out.push(block);
                    out.push(Vec::from_iter(last));
                }
                _ => {
                    block.extend(last);
                    out.push(block);
                }
            }
        }
        program.blocks = out;
    }

    /// Removes the last instruction of a block and returns its new form.
    fn last(&self, b: usize, role: Role, block: &mut Vec<Inst>) -> Option<Inst> {
        let all = leaving(block).is_some();
        let mut inst = block.last()?.clone();
        if matches!(role, Role::Else(_) | Role::Break(_)) {
            drop_goto(block);
        } else {
            block.pop();
        }
        inst.opts.branch_ctrl = matches!(role, Role::While(_));
        let to = |block: u32| Some(Target::Block(block));
        match role {
            Role::Same => {}
            Role::If(w) => {
                inst.op = Op::If;
                // An `if` names the channels that stay.
                if let Some(pred) = &mut inst.pred {
                    pred.inverse = !pred.inverse;
                }
                inst.jip = to(self.main[self.ways[w].second as usize]);
                inst.uip = to(self.endif[w]);
            }
            Role::Else(w) => {
                inst.op = Op::Else;
                inst.pred = None;
                inst.jip = to(self.endif[w]);
                inst.uip = inst.jip;
            }
            Role::While(l) => {
                inst.op = Op::While;
                inst.jip = to(self.start[self.loops[l].head as usize]);
                inst.uip = None;
            }
            Role::Break(l) => {
                inst.op = Op::Break;
                if all {
                    inst.pred = None;
                }
                inst.jip = self.jump(b, inst.jip);
                inst.uip = to(self.tail[self.loops[l].latch as usize]);
            }
        }
        Some(inst)
    }

    /// New target of a jump in that block with no channel active.
    fn jump(&self, b: usize, target: Option<Target>) -> Option<Target> {
        let to = self.names.to(target)? as usize;
        let block = match self.instead[to] {
            (from, last) if last != NONE && b >= from as usize => self.tail[last as usize],
            _ => self.start[to],
        };
        Some(Target::Block(block))
    }

    /// Replaces an instruction's targets by their new numbers.
    fn targets(&self, b: usize, inst: &mut Inst) {
        let named = |list: &[u32], target| {
            let block = self.names.to(target)? as usize;
            Some(Target::Block(list[block]))
        };
        match inst.op {
            Op::Join => inst.jip = self.jump(b, inst.jip),
            Op::Goto if is_forward(inst) => {
                inst.jip = self.jump(b, inst.jip);
                inst.uip = named(&self.main, inst.uip);
            }
            Op::Goto => {
                inst.jip = named(&self.main, inst.jip);
                inst.uip = named(&self.start, inst.uip);
            }
            _ if number(inst.jip).is_some() => inst.jip = named(&self.start, inst.jip),
            _ => {}
        }
    }
}
