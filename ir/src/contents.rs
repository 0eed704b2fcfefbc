//! Contents of variables: reads that find none, and writes that no instruction reads.
//!
//! Takes an object that the verifier accepts, and guarantees findings along paths, by data flow over the bits of each
//! cell. A channel reads its own bits along the ways that a channel goes (the logical graph). A read across channels
//! also finds what others wrote on the ways that the thread goes (the linear graph), and a write without a mask is also
//! read by channels that wait.
//!
//! Forward, the bits that some path writes and those that every path writes; backward, the bits that are live. A write
//! under a predicate counts as one of all bits where a read asks for it, and ends no value. Subroutines count by
//! summaries: callees first, the bits that they write; callers first, the bits that all callers have written. What a
//! subroutine leaves is live if another routine reads any of the variable.
//!
//! Most cells need no data flow, since a search from an access ends soon: backward from a read to the writes before it,
//! and forward from a write to a read. The flow of a cell is solved where a search reaches the entry, or finds no read.
//!
//! Without findings are inputs, predefined variables, those with attributes and those whose address is taken: not all
//! their uses are instructions that name them.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use kiln_platform::platform::Platform;
use kiln_visa::module::{Addr, Inst, Object, Predicate, Var, predefined};
use kiln_visa::opcode::{Field, Opcode};

use crate::access::{self, Reached};
use crate::address_taken;
use crate::cfg::{self, Cfg, CfgError, Exit};
use crate::func::{Cell, Owner};
use crate::liveness::{Access, AccessKind, Mask};
use crate::{build, storage};

/// A variable with storage of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variable {
    /// A root variable.
    General(u32),
    /// A predicate.
    Predicate(u32),
    /// An address variable.
    Address(u32),
}

impl Variable {
    /// The name of the variable in its object.
    pub fn name(self, object: &Object) -> &str {
        match self {
            Variable::General(n) => &object.vars[Var::from_u32(n)].name,
            Variable::Predicate(n) => &object.predicates[Predicate::from_u32(n)].name,
            Variable::Address(n) => &object.addrs[Addr::from_u32(n)].name,
        }
    }
}

/// The kind of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// No path to the read writes any of what it reads.
    NeverWritten,
    /// A path to the read writes not all of what it reads.
    SometimesWritten,
    /// The instruction's write is not read on any path.
    NotRead,
    /// The variable is written, here first, and never read.
    NeverRead,
}

/// A finding about an instruction's access of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// Index of the instruction.
    pub inst: u32,
    /// The variable.
    pub var: Variable,
    /// The kind of the finding.
    pub kind: Kind,
}

/// The findings about an object, in the order of its instructions.
///
/// # Errors
/// Control flow or a message that has no IR.
pub fn find(object: &Object, target: &'static Platform) -> Result<Vec<Finding>, CfgError> {
    let graph = cfg::build(object, target)?;
    let mut func = build::empty(object, target, &graph);
    let assigned = storage::assign(&mut func, &graph, None);
    address_taken::place(&mut func, &graph, &assigned.taken)?;
    let (accesses, _) = access::collect(&func, &graph, &Reached::new())?;
    let variable = |cell: Cell| match func.cells[cell].owner {
        Owner::Var { var, .. }
            if var.as_u32() as usize >= predefined::VAR_COUNT
                && object.vars[var].attrs.is_empty() =>
        {
            Some(Variable::General(var.as_u32()))
        }
        Owner::Predicate(pred) => Some(Variable::Predicate(pred.as_u32())),
        Owner::Addr(addr) => Some(Variable::Address(addr.as_u32())),
        _ => None,
    };
    let mut cells: BTreeMap<u32, Vec<Item>> = BTreeMap::new();
    for (block, range) in accesses.blocks.iter().enumerate() {
        for access in &accesses.list[range.start as usize..range.end as usize] {
            let inst = &object.insts[access.inst as usize];
            if inst.op != Opcode::Lifetime {
                let items = cells.entry(access.cell.as_u32()).or_default();
                items.push(Item {
                    block,
                    access: *access,
                    is_masked: !inst.exec.no_mask,
                });
            }
        }
    }
    for &(cell, _) in &func.entry {
        cells.remove(&cell.as_u32());
    }
    let flow = Flow::new(&graph);
    let mut reads: BTreeMap<(u32, Variable), Found> = BTreeMap::new();
    // By instruction and variable: true if all its writes are dead.
    let mut writes: BTreeMap<(u32, Variable), bool> = BTreeMap::new();
    let mut read: BTreeSet<Variable> = BTreeSet::new();
    for (cell, items) in &cells {
        let Some(var) = variable(Cell::from_u32(*cell)) else {
            continue;
        };
        if items.iter().any(|item| item.access.kind.is_read()) {
            read.insert(var);
        }
        // A predicate is one value: compilers write all its channels where one is read, and read all where some are
        // written.
        let is_one = matches!(var, Variable::Predicate(_));
        let wholes: Option<Vec<Item>> = is_one.then(|| items.iter().map(Item::whole).collect());
        flow.reads(wholes.as_ref().unwrap_or(items), |access, written| {
            let found = reads.entry((access.inst, var)).or_default();
            found.some |= access.mask & written.may != 0;
            found.is_missing |= access.mask & written.may & !written.must != 0;
        });
        flow.writes(items, is_one, |access, is_dead| {
            *writes.entry((access.inst, var)).or_insert(true) &= is_dead;
        });
    }
    let reads = reads.into_iter().filter_map(|((inst, var), found)| {
        let kind = match found {
            _ if compares_with_itself(&object.insts[inst as usize]) => return None,
            Found { some: false, .. } => Kind::NeverWritten,
            Found { is_missing, .. } => is_missing.then_some(Kind::SometimesWritten)?,
        };
        Some(Finding { inst, var, kind })
    });
    let mut said: BTreeSet<Variable> = BTreeSet::new();
    let dead = writes.into_iter().filter(|(_, is_dead)| *is_dead);
    let dead = dead.filter_map(|((inst, var), _)| {
        let kind = match read.contains(&var) {
            true => Kind::NotRead,
            false => said.insert(var).then_some(Kind::NeverRead)?,
        };
        Some(Finding { inst, var, kind })
    });
    let mut found: Vec<Finding> = reads.chain(dead).collect();
    found.sort_unstable();
    Ok(found)
}

/// True if the first two sources are equal, so that their value does not matter: compilers ask so which channels are
/// active.
fn compares_with_itself(inst: &Inst) -> bool {
    let sources = inst.operands.iter().zip(inst.op.row().operands);
    let mut sources = sources.filter(|(_, field)| matches!(field, Field::Src(_)));
    matches!((sources.next(), sources.next()), (Some((a, _)), Some((b, _))) if a == b)
}

/// Contents of a variable that an instruction finds.
#[derive(Clone, Copy, Default)]
struct Found {
    /// A path writes some of what it reads.
    some: bool,
    /// A path leaves out some of what another one writes.
    is_missing: bool,
}

/// An access in a block.
#[derive(Clone, Copy)]
struct Item {
    block: usize,
    access: Access,
    /// The instruction works on active channels alone.
    is_masked: bool,
}

impl Item {
    /// The access, of all bits.
    fn whole(&self) -> Item {
        let access = Access {
            mask: Mask::MAX,
            ..self.access
        };
        Item { access, ..*self }
    }
}

/// Bits that some path has written, and those that every path has.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Written {
    may: Mask,
    must: Mask,
}

impl Written {
    const NOTHING: Written = Written { may: 0, must: 0 };
    /// The state of code that no path reaches.
    const UNREACHED: Written = Written {
        may: 0,
        must: Mask::MAX,
    };

    /// The state after another one's writes.
    fn then(self, more: Written) -> Written {
        Written {
            may: self.may | more.may,
            must: self.must | more.must,
        }
    }

    /// The state where paths meet.
    fn meet(self, other: Written) -> Written {
        Written {
            may: self.may | other.may,
            must: self.must & other.must,
        }
    }
}

/// Bits that are live.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Live {
    /// For the channel whose bits they are.
    own: Mask,
    /// For a read across channels, on the ways of the thread.
    across: Mask,
    /// For any read, on the ways of the thread: what a write by all channels may leave to those that wait.
    any: Mask,
}

impl Live {
    /// The state before an access.
    fn step(&mut self, access: &Access) {
        match access.kind {
            AccessKind::ReadOwn => {
                self.own |= access.mask;
                self.any |= access.mask;
            }
            AccessKind::ReadWhole => {
                self.own |= access.mask;
                self.across |= access.mask;
                self.any |= access.mask;
            }
            AccessKind::WriteOwn => self.own &= !access.mask,
            AccessKind::WriteAll => {
                self.own &= !access.mask;
                self.across &= !access.mask;
                self.any &= !access.mask;
            }
            AccessKind::WriteSome => {}
        }
    }

    /// True if nothing reads the write, after which this is the state.
    fn is_dead(self, write: &Item) -> bool {
        let wanted = match write.access.kind {
            AccessKind::WriteOwn => self.own | self.across,
            AccessKind::WriteAll if write.is_masked => self.own | self.across,
            _ => self.own | self.any,
        };
        wanted & write.access.mask == 0
    }

    fn is_empty(self) -> bool {
        self.own | self.any == 0
    }
}

/// The control flow of an object: by block, the edges into it and out of it.
struct Flow<'a> {
    graph: &'a Cfg,
    /// Ways that the thread goes without active channels, beside those of channels.
    idle: Vec<Vec<usize>>,
    /// By block: the ways of channels into it, calls of the routine that it begins included.
    preds: Vec<Vec<usize>>,
    /// The routine of each block.
    routine: Vec<usize>,
    reached: Vec<bool>,
}

/// Accesses of a block to a cell.
#[derive(Clone, Copy, Default)]
struct Summary {
    /// Bits that are read before the block writes them.
    exposed: Mask,
    written: Mask,
    /// Bits that a channel's own path finds overwritten.
    ended: Mask,
}

impl Summary {
    fn of(items: &[Item]) -> BTreeMap<usize, Summary> {
        let mut all: BTreeMap<usize, Summary> = BTreeMap::new();
        for Item { block, access, .. } in items {
            let here = all.entry(*block).or_default();
            match access.kind {
                AccessKind::ReadOwn | AccessKind::ReadWhole => {
                    here.exposed |= access.mask & !here.written;
                }
                AccessKind::WriteSome => here.written |= access.mask,
                AccessKind::WriteOwn | AccessKind::WriteAll => {
                    here.written |= access.mask;
                    here.ended |= access.mask;
                }
            }
        }
        all
    }
}

impl<'a> Flow<'a> {
    fn new(graph: &'a Cfg) -> Flow<'a> {
        let count = graph.blocks.len();
        let mut idle = vec![Vec::new(); count];
        let mut routine = vec![0; count];
        for (r, blocks) in graph.routines.iter().enumerate() {
            routine[blocks.clone()].fill(r);
        }
        for (b, block) in graph.blocks.iter().enumerate() {
            if let Exit::Diverge { jip, .. } = block.exit {
                idle[b].push(jip);
            }
            idle[b].extend(block.join_jip);
        }
        let mut preds = vec![Vec::new(); count];
        for b in 0..count {
            for to in graph.logical_succs(b) {
                preds[to].push(b);
            }
            if let Some(callee) = graph.blocks[b].call {
                preds[graph.routines[callee].start].push(b);
            }
        }
        let mut reached = vec![false; count];
        let mut open: Vec<usize> = graph
            .routines
            .first()
            .map(|r| r.start)
            .into_iter()
            .collect();
        while let Some(b) = open.pop() {
            if b < count && !std::mem::replace(&mut reached[b], true) {
                open.extend(graph.logical_succs(b));
                open.extend(graph.blocks[b].call.map(|r| graph.routines[r].start));
            }
        }
        Flow {
            graph,
            idle,
            preds,
            routine,
            reached,
        }
    }

    /// True if each path to a read has written all of it: no way back from a read leads to the entry.
    fn is_written_first(&self, items: &[Item]) -> bool {
        let blocks = Summary::of(items);
        let mut wanted: BTreeMap<usize, Mask> = BTreeMap::new();
        let mut open: Vec<(usize, Mask)> = Vec::new();
        let read = blocks.iter().filter(|(b, _)| self.reached[**b]);
        open.extend(read.map(|(b, here)| (*b, here.exposed)));
        while let Some((b, bits)) = open.pop() {
            let known = wanted.entry(b).or_default();
            let new = bits & !*known;
            if new == 0 {
                continue;
            }
            *known |= new;
            if b == 0 {
                return false;
            }
            for &from in &self.preds[b] {
                let written = blocks.get(&from).map_or(0, |here| here.written);
                open.push((from, new & !written));
            }
        }
        true
    }

    /// True if a channel's own way from each write leads to a read of some of it.
    fn is_read_later(&self, items: &[Item]) -> bool {
        let blocks = Summary::of(items);
        let mut others = blocks.iter().filter(|(_, here)| here.exposed != 0);
        let first = others.next().map(|(b, _)| self.routine[*b]);
        if others.any(|(b, _)| Some(self.routine[*b]) != first) {
            // Several routines read the cell.
            return false;
        }
        items.chunk_by(|a, b| a.block == b.block).all(|block| {
            let mut writes = block.iter().enumerate();
            writes.all(
                |(
                    n,
                    Item {
                        access, block: b, ..
                    },
                )| {
                    access.kind.is_read()
                        || self.finds_read(&blocks, access.mask, *b, &block[n + 1..])
                },
            )
        })
    }

    /// As [`Flow::is_read_later`], for bits that are written before the rest of a block.
    fn finds_read(
        &self,
        blocks: &BTreeMap<usize, Summary>,
        mut bits: Mask,
        block: usize,
        rest: &[Item],
    ) -> bool {
        for Item { access, .. } in rest {
            match access.kind {
                AccessKind::WriteSome => {}
                AccessKind::WriteOwn | AccessKind::WriteAll => bits &= !access.mask,
                _ if access.mask & bits != 0 => return true,
                _ => {}
            }
        }
        let mut seen: BTreeMap<usize, Mask> = BTreeMap::new();
        let succs = |b: usize, bits: Mask| self.graph.logical_succs(b).map(move |to| (to, bits));
        let mut open: Vec<(usize, Mask)> = succs(block, bits).collect();
        while let Some((b, bits)) = open.pop() {
            let known = seen.entry(b).or_default();
            let new = bits & !*known;
            if new == 0 {
                continue;
            }
            *known |= new;
            let here = blocks.get(&b).copied().unwrap_or_default();
            if here.exposed & new != 0 {
                return true;
            }
            open.extend(succs(b, new & !here.ended));
        }
        false
    }

    /// Calls `each` with the reads of a cell in code that is reached, and what is written before them.
    fn reads(&self, items: &[Item], mut each: impl FnMut(&Access, Written)) {
        if self.is_written_first(items) {
            let known = Written {
                may: Mask::MAX,
                must: Mask::MAX,
            };
            let reads = items.iter().filter(|item| item.access.kind.is_read());
            reads.for_each(|item| each(&item.access, known));
            return;
        }
        let channel = self.written(items, false);
        let thread = items
            .iter()
            .any(|item| item.access.kind == AccessKind::ReadWhole)
            .then(|| self.written(items, true));
        for block in items.chunk_by(|a, b| a.block == b.block) {
            let b = block[0].block;
            if !self.reached[b] {
                continue;
            }
            let mut here = Written::NOTHING;
            for Item { access, .. } in block {
                if !access.kind.is_read() {
                    here.may |= access.mask;
                    here.must |= access.mask;
                    continue;
                }
                let mut before = channel[b].then(here);
                if access.kind == AccessKind::ReadWhole
                    && let Some(thread) = &thread
                {
                    before.may |= thread[b].may;
                }
                each(access, before);
            }
        }
    }

    /// By block: what is written before it, on the ways of channels, or with `idle` of the thread.
    fn written(&self, items: &[Item], idle: bool) -> Vec<Written> {
        let graph = self.graph;
        let mut own = vec![Written::NOTHING; graph.blocks.len()];
        for item in items.iter().filter(|item| !item.access.kind.is_read()) {
            own[item.block].may |= item.access.mask;
            own[item.block].must |= item.access.mask;
        }
        let mut before = vec![Written::UNREACHED; graph.blocks.len()];
        // By routine: what it writes.
        let mut effect = vec![Written::NOTHING; graph.routines.len()];
        let after = |before: &[Written], effect: &[Written], b: usize| {
            let called = graph.blocks[b].call.map(|r| effect[r]);
            let here = before[b].then(own[b]);
            called.map_or(here, |called| here.then(called))
        };
        for &r in &graph.bottom_up {
            let blocks = graph.routines[r].clone();
            if let Some(first) = before.get_mut(blocks.start) {
                *first = Written::NOTHING;
            }
            forward(blocks.clone(), |b| {
                if !self.reached[b] {
                    return false;
                }
                let out = after(&before, &effect, b);
                let mut changed = false;
                let idle = self.idle[b].iter().copied().filter(|_| idle);
                for to in graph.logical_succs(b).chain(idle) {
                    let met = before[to].meet(out);
                    changed |= met != before[to];
                    before[to] = met;
                }
                changed
            });
            let ends = blocks.filter(|&b| self.reached[b] && graph.blocks[b].exit == Exit::Ret);
            let ends = ends.map(|b| after(&before, &effect, b));
            effect[r] = ends.reduce(Written::meet).unwrap_or(Written::UNREACHED);
        }
        // Callers first: what all callers have written.
        let mut entry = vec![Written::UNREACHED; graph.routines.len()];
        if let Some(first) = entry.first_mut() {
            *first = Written::NOTHING;
        }
        for &r in graph.bottom_up.iter().rev() {
            for b in graph.routines[r].clone() {
                before[b] = before[b].then(entry[r]);
                if let Some(callee) = graph.blocks[b].call.filter(|_| self.reached[b]) {
                    entry[callee] = entry[callee].meet(before[b].then(own[b]));
                }
            }
        }
        before
    }

    /// Calls `each` with the writes of a cell in code that is reached, and true for those that nothing reads. If the cell
    /// is one value, nothing reads any of it then.
    fn writes(&self, items: &[Item], is_one: bool, mut each: impl FnMut(&Access, bool)) {
        if self.is_read_later(items) {
            let writes = items.iter().filter(|item| !item.access.kind.is_read());
            writes.for_each(|item| each(&item.access, false));
            return;
        }
        let graph = self.graph;
        let count = graph.blocks.len();
        let mut ranges: Vec<Range<usize>> = vec![0..0; count];
        let mut first = 0;
        for block in items.chunk_by(|a, b| a.block == b.block) {
            ranges[block[0].block] = first..first + block.len();
            first += block.len();
        }
        // All that another routine reads lives at the ends of a routine and at its calls.
        let mut read = vec![0; graph.routines.len()];
        for item in items.iter().filter(|item| item.access.kind.is_read()) {
            read[self.routine[item.block]] |= item.access.mask;
        }
        let others = |r: usize| {
            let others = read.iter().enumerate().filter(|(other, _)| *other != r);
            let bits = others.fold(0, |all, (_, bits)| all | bits);
            Live {
                own: bits,
                across: bits,
                any: bits,
            }
        };
        let others: Vec<Live> = (0..read.len()).map(others).collect();
        let unite = |a: &mut Live, b: Live| {
            a.own |= b.own;
            a.across |= b.across;
            a.any |= b.any;
        };
        let mut at_start = vec![Live::default(); count];
        let at_end = |at_start: &[Live], b: usize| {
            let r = self.routine[b];
            let is_end = graph.blocks[b].exit == Exit::Ret || graph.blocks[b].call.is_some();
            let mut live = if is_end { others[r] } else { Live::default() };
            for to in graph.logical_succs(b) {
                unite(&mut live, at_start[to]);
            }
            for &to in &self.idle[b] {
                live.across |= at_start[to].across;
                live.any |= at_start[to].any;
            }
            live
        };
        loop {
            let mut changed = false;
            for b in (0..count).rev() {
                let mut live = at_end(&at_start, b);
                for item in items[ranges[b].clone()].iter().rev() {
                    live.step(&item.access);
                }
                changed |= live != at_start[b];
                at_start[b] = live;
            }
            if !changed {
                break;
            }
        }
        for (b, range) in ranges.into_iter().enumerate() {
            if range.is_empty() || !self.reached[b] {
                continue;
            }
            let mut live = at_end(&at_start, b);
            for item in items[range].iter().rev() {
                if !item.access.kind.is_read() {
                    each(
                        &item.access,
                        live.is_dead(item) && (!is_one || live.is_empty()),
                    );
                }
                live.step(&item.access);
            }
        }
    }
}

/// Visits blocks in order until no visit changes anything.
fn forward(blocks: Range<usize>, mut visit: impl FnMut(usize) -> bool) {
    while blocks.clone().fold(false, |changed, b| visit(b) | changed) {}
}
