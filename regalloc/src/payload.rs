//! Placement of message payloads and matrices: consecutive units for operands that span several.
//!
//! Takes a function with the live ranges of the [`wanted`] registers, and chooses a unit for each register of a payload
//! or result of more than one, since an allocator assigns single units only. Greedy: messages are taken in program
//! order, each operand put where the fewest of its units are wanted by an earlier one while its own values live, and
//! where values that have a unit already keep it, so that values are computed in place. A live range is one interval
//! over the code here, so that a loop-carried value has all of the loop, and begins with the first of the registers that
//! it is joined with. Payloads of a message that ends the thread go to the end of the file. A sum of products takes the
//! place of its addend, if nothing else reads that or it is written over in part. A response that is part of a longer
//! operand is placed so that the other parts may be beside it.

use cranelift_entity::{EntitySet, SecondaryMap};
use kiln_machine::func::{Block, Function};
use kiln_machine::inst::{Role, Src, VReg};
use kiln_machine::liveness::Liveness;
use kiln_platform::bits::UnitSet;
use kiln_platform::errata::Erratum;
use kiln_platform::platform::UNIT_GRFS;
use petgraph::unionfind::UnionFind;
use smallvec::SmallVec;

use crate::AllocError;
use crate::flags::at_end;
use crate::frame::Frame;
use crate::late::reads_late;
use crate::problem::Unit;

const NONE: u32 = u32::MAX;
/// The number of the result among an instruction's operands, after its sources.
const RESULT: usize = 3;

/// Units chosen for operands: one a register, for each source and the result; none if the choice is the
/// allocator's.
#[derive(Default)]
pub struct Payloads {
    pool: Vec<Option<Unit>>,
    /// Instructions with a choice, and the start of each choice in the pool.
    chosen: SecondaryMap<Block, Vec<(u32, u32)>>,
}

impl Payloads {
    /// The choice for an instruction.
    pub fn of(&self, block: Block, inst: u32) -> Option<&[Option<Unit>]> {
        let list = &self.chosen[block];
        let at = list.binary_search_by_key(&inst, |&(i, _)| i).ok()?;
        Some(&self.pool[list[at].1 as usize..])
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Span {
    from: u32,
    to: u32,
}

type Spans = SmallVec<[Span; 16]>;

/// Spans in which messages want each unit, disjoint and in order.
struct Busy(Vec<Vec<Span>>);

impl Busy {
    fn conflicts(&self, unit: u32, span: Span) -> bool {
        let spans = &self.0[unit as usize];
        let next = spans.partition_point(|s| s.to <= span.from);
        spans.get(next).is_some_and(|s| s.from < span.to)
    }

    fn add(&mut self, unit: u32, mut span: Span) {
        let spans = &mut self.0[unit as usize];
        let first = spans.partition_point(|s| s.to < span.from);
        let end = spans.partition_point(|s| s.from <= span.to);
        if first < end {
            span.from = span.from.min(spans[first].from);
            span.to = span.to.max(spans[end - 1].to);
        }
        spans.splice(first..end, [span]);
    }
}

/// Registers of an instruction's sources and result, each with the register that it is tied to.
pub type Parts = [SmallVec<[(VReg, Option<VReg>); 4]>; RESULT + 1];

/// The parts of an instruction's operands.
pub fn parts(func: &Function, inst: &kiln_machine::inst::Inst) -> Parts {
    let mut parts = Parts::default();
    func.visit(inst, |v, role| match role {
        Role::Source { src, .. } => parts[usize::from(src)].push((v, None)),
        Role::Result { old, .. } => parts[RESULT].push((v, old)),
        _ => {}
    });
    parts
}

/// Registers whose live ranges matter here: inputs, and parts of operands of several registers.
pub fn wanted(func: &Function) -> EntitySet<VReg> {
    let mut wanted = EntitySet::new();
    wanted.extend(func.inputs.iter().map(|&(v, _)| v));
    let insts = func.blocks.values().flat_map(|block| &block.insts);
    for inst in insts.filter(|inst| inst.takes_lists()) {
        for part in parts(func, inst).iter().filter(|part| part.len() > 1) {
            wanted.extend(part.iter().map(|&(v, _)| v));
        }
    }
    wanted
}

/// By register: the first longer list of sources that it is part of, as an instruction's number, and the list.
type Longer<'f> = SecondaryMap<VReg, Option<(u32, &'f [VReg])>>;

/// How the operands of an instruction are placed.
#[derive(Clone, Copy)]
struct How {
    /// True for a message that ends the thread.
    ends: bool,
    /// True if the first source may be in the registers of the result.
    in_place: bool,
    /// The result may overlap a source for want of other units.
    over: bool,
    /// The operands follow each other directly: for instructions where the best units of each leave no room for the
    /// last.
    packed: bool,
}

struct Placer<'a> {
    frame: &'a Frame,
    /// Units for payloads of a message that ends the thread.
    last: UnitSet,
    spans: SecondaryMap<VReg, Span>,
    /// The first instruction that reads each value.
    reads: SecondaryMap<VReg, u32>,
    lists: Longer<'a>,
    /// The last list of sources that each register is part of, as an instruction's number; the end of a loop around it
    /// into which the register is live.
    listed_to: SecondaryMap<VReg, u32>,
    busy: Busy,
    /// The unit of each value, and the end of the span for which that is known to be wanted.
    home: SecondaryMap<VReg, u32>,
    until: SecondaryMap<VReg, u32>,
}

/// Chooses among the allocatable units.
///
/// Takes the liveness of the [`wanted`] registers at least.
///
/// # Errors
/// An operand needs more consecutive units than there are.
pub fn place(func: &Function, live: &Liveness, frame: &Frame) -> Result<Payloads, AllocError> {
    let mut chosen = Payloads::default();
    let (spans, reads) = spans(func, live);
    let (lists, listed_to) = lists(func, live);
    let mut placer = Placer {
        frame,
        last: frame.last_units.iter().copied().collect(),
        spans,
        reads,
        lists,
        listed_to,
        busy: Busy(vec![Vec::new(); frame.unit_count]),
        home: func.map_of_registers(NONE),
        until: func.map_of_registers(0),
    };
    for &(v, grf) in &func.inputs {
        let Some(grf) = grf else { continue };
        let unit = grf / UNIT_GRFS;
        if frame.allocatable.contains(unit) {
            let to = placer.spans[v].to.max(1);
            placer.busy.add(unit, Span { from: 0, to });
            placer.home[v] = unit;
            placer.until[v] = to;
        }
    }
    let mut number = 0;
    for (b, block) in func.blocks.iter() {
        number += 1;
        for (i, inst) in block.insts.iter().enumerate() {
            number += 1;
            if !inst.takes_lists() {
                continue;
            }
            let message = inst.message.expand();
            let ends = message.is_some_and(|message| func.messages[message].eot);
            let parts = parts(func, inst);
            if parts.iter().all(|p| p.len() < 2) && !ends {
                continue;
            }
            chosen.chosen[b].push((i as u32, chosen.pool.len() as u32));
            let how = How {
                ends,
                in_place: func.adds_in_place(inst),
                over: message.is_some() && !func.target.needs(Erratum::ResponseApart),
                packed: false,
            };
            let packed = How {
                packed: true,
                ..how
            };
            placer.look_ahead(&parts, number, how);
            let bases = placer.bases(&parts, number, how);
            let Some(bases) = bases.or_else(|| placer.bases(&parts, number, packed)) else {
                let most = parts.iter().map(|p| p.len()).max().unwrap_or(0) as u32;
                return Err(AllocError::TooFew {
                    func: func.name.clone(),
                    limit: frame.units.len() as u32 * UNIT_GRFS,
                    what: format!(
                        "an operation of {b} needs {} consecutive registers beside its others; {}",
                        most * UNIT_GRFS,
                        frame.holders(func)
                    ),
                });
            };
            for (p, (part, base)) in parts.iter().zip(bases).enumerate() {
                let Some(base) = base else {
                    chosen.pool.extend(part.iter().map(|_| None));
                    continue;
                };
                placer.take(part, base, p == RESULT, number);
                let units = base..base + part.len() as u32;
                chosen.pool.extend(units.map(|u| Some(Unit(u as u16))));
            }
        }
        number += 1;
    }
    Ok(chosen)
}

impl Placer<'_> {
    /// The spans in which the values of an operand must be in their units: a source until the last message that it is part
    /// of, a result from its message on. A response is in flight until any part of it is read: whatever else is put in a
    /// unit of it waits for that.
    fn wanted(&self, part: &[(VReg, Option<VReg>)], result: bool, number: u32) -> Spans {
        let reads = part.iter().map(|&(v, _)| self.reads[v]);
        let arrived = reads.filter(|&read| read != NONE).min().unwrap_or(0);
        let span = |k: usize| {
            let life = self.spans[part[k].0];
            let (from, to) = match result {
                true => (number, life.to.max(arrived)),
                false if is_repeated(part, k) => (number - 1, number),
                false => (life.from.min(number), self.listed_to[part[k].0].max(number)),
            };
            let to = to.max(from + 1);
            Span { from, to }
        };
        (0..part.len()).map(span).collect()
    }

    /// Finds a place for a longer list that the result becomes part of: for values that several messages load, and that one
    /// instruction reads side by side.
    fn look_ahead(&mut self, parts: &Parts, number: u32, how: How) {
        let [sources @ .., result] = parts;
        let [(first, None), _, ..] = result[..] else {
            return;
        };
        let Some((read, list)) = self.lists[first] else {
            return;
        };
        let known = self.home[first] != NONE;
        if known || list.len() <= result.len() || read <= number {
            return;
        }
        let own = |v: VReg| result.iter().any(|&(other, _)| other == v);
        let part: SmallVec<[(VReg, Option<VReg>); 8]> = list.iter().map(|&v| (v, None)).collect();
        let wanted: Spans = (list.iter())
            .map(|&v| Span {
                from: if own(v) { number } else { self.spans[v].from },
                to: self.spans[v].to.max(read),
            })
            .collect();
        let homes = sources.iter().flatten().map(|&(v, _)| self.home[v]);
        let taken: SmallVec<[u32; 16]> = homes.filter(|&home| home != NONE).collect();
        let Some(base) = self.choose(&part, &wanted, (true, false), &taken, how) else {
            return;
        };
        for ((unit, &v), span) in (base..).zip(list).zip(wanted) {
            if self.home[v] != NONE {
                continue;
            }
            self.home[v] = unit;
            if !own(v) {
                self.until[v] = span.to;
                self.busy.add(unit, span);
            }
        }
    }

    /// The first units of an instruction's operands of several units. Payloads of a message that ends the thread are
    /// placed whatever their length.
    fn bases(&self, parts: &Parts, number: u32, how: How) -> Option<[Option<u32>; RESULT + 1]> {
        let mut taken: SmallVec<[u32; 16]> = SmallVec::new();
        let mut bases = [None; RESULT + 1];
        // Old contents are written over where products are added to them; other addends only where they end.
        let mut results = parts[0].iter().zip(&parts[RESULT]);
        let in_place = how.in_place
            && results.all(|(&(v, _), &(_, old))| old.is_some() || self.spans[v].to <= number);
        for (p, part) in parts.iter().enumerate() {
            let last = how.ends && p != RESULT;
            if part.len() < if last { 1 } else { 2 } {
                continue;
            }
            if p == RESULT && in_place {
                bases[p] = bases[0];
                continue;
            }
            let mut wanted = self.wanted(part, p == RESULT, number);
            if p == 0 && in_place {
                let results = self.wanted(&parts[RESULT], true, number);
                for (span, result) in wanted.iter_mut().zip(results) {
                    span.to = result.to;
                }
            }
            let base = self.choose(part, &wanted, (p == RESULT, last), &taken, how)?;
            taken.extend(base..base + part.len() as u32);
            bases[p] = Some(base);
        }
        Some(bases)
    }

    /// The first of consecutive units with the fewest conflicts, or the first of all.
    fn choose(
        &self,
        part: &[(VReg, Option<VReg>)],
        wanted: &[Span],
        (result, last): (bool, bool),
        taken: &[u32],
        how: How,
    ) -> Option<u32> {
        let home = |k: usize| {
            let (v, old) = part[k];
            match self.home[old.unwrap_or(v)] {
                _ if is_repeated(part, k) => NONE,
                NONE => self.home[v],
                home => home,
            }
        };
        let cost = |base: u32| -> u32 {
            let each = |k: usize| {
                let (unit, home, mut span) = (base + k as u32, home(k), wanted[k]);
                if home == unit {
                    span.from = span.from.max(self.until[part[k].0]);
                }
                let moved = u32::from(home != NONE && home != unit);
                let busy = span.from < span.to && self.busy.conflicts(unit, span);
                moved + 2 * u32::from(busy)
            };
            (0..part.len()).map(each).sum()
        };
        let (units, allowed) = match last {
            true => (&self.frame.last_units, self.last),
            false => (&self.frame.units, self.frame.allocatable),
        };
        let whole = |base: u32| (base..base + part.len() as u32).all(|u| allowed.contains(u));
        let apart = |base: u32| {
            taken
                .iter()
                .all(|&t| t < base || t >= base + part.len() as u32)
        };
        let best = |apart: &dyn Fn(u32) -> bool| {
            let mut best: Option<(u32, u32)> = None;
            let kept = (0..part.len())
                .filter(|_| !how.packed)
                .filter_map(|k| match home(k) {
                    NONE => None,
                    home => home.checked_sub(k as u32),
                });
            for base in kept
                .chain(units.iter().map(|&unit| u32::from(unit)))
                .filter(|&b| whole(b) && apart(b))
            {
                let cost = cost(base);
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, base));
                }
                if cost == 0 || how.packed {
                    break;
                }
            }
            best.map(|(_, base)| base)
        };
        let over = how.over && result && part.iter().all(|(_, old)| old.is_none());
        best(&apart).or_else(|| if over { best(&|_| true) } else { None })
    }

    fn take(&mut self, part: &[(VReg, Option<VReg>)], base: u32, result: bool, number: u32) {
        let wanted = self.wanted(part, result, number);
        for (k, (unit, span)) in (base..).zip(wanted).enumerate() {
            self.busy.add(unit, span);
            let v = part[k].0;
            if is_repeated(part, k) {
                continue;
            }
            if self.home[v] == unit {
                self.until[v] = self.until[v].max(span.to);
            } else {
                self.home[v] = unit;
                self.until[v] = span.to;
            }
        }
    }
}

/// True for a register that the operand has before: its other units get copies right before the instruction.
fn is_repeated(part: &[(VReg, Option<VReg>)], k: usize) -> bool {
    part[..k].iter().any(|&(v, _)| v == part[k].0)
}

/// The first list of sources that each register is part of, and the last; or the end of the outermost loop around that
/// into which the register is live, since it is read there in each round.
fn lists<'f>(func: &'f Function, live: &Liveness) -> (Longer<'f>, SecondaryMap<VReg, u32>) {
    let mut lists: Longer = func.map_of_registers(None);
    let mut last = func.map_of_registers(0);
    let mut starts: SecondaryMap<Block, u32> = SecondaryMap::new();
    let mut number = 0;
    for (b, block) in func.blocks.iter() {
        number += 1;
        starts[b] = number;
        for inst in &block.insts {
            number += 1;
            for src in inst.srcs.iter().filter_map(Src::as_reg) {
                let list = func.registers_of(&src.reg);
                for &v in list.iter().filter(|_| list.len() > 1) {
                    lists[v].get_or_insert((number, list));
                    last[v] = number;
                }
            }
        }
        number += 1;
        // Backward edges to heads of outer loops are later.
        for edge in block.succs.iter().filter(|edge| edge.to <= b) {
            for &v in live.live_in(edge.to) {
                if last[v] >= starts[edge.to] {
                    last[v] = number;
                }
            }
        }
    }
    (lists, last)
}

impl Default for Span {
    fn default() -> Span {
        Span { from: NONE, to: 0 }
    }
}

/// The span of each register from its definition to its last use, in numbers of instructions: a block's start and
/// its end have one each; and the first instruction that reads it. A late use reaches to the next instruction.
fn spans(func: &Function, live: &Liveness) -> (SecondaryMap<VReg, Span>, SecondaryMap<VReg, u32>) {
    let mut spans = func.map_of_registers(Span::default());
    let mut reads = func.map_of_registers(NONE);
    let mut touch = |v: VReg, at: u32| {
        let s = &mut spans[v];
        s.from = s.from.min(at);
        s.to = s.to.max(at);
    };
    for &(v, _) in &func.inputs {
        touch(v, 0);
    }
    let mut number = 0;
    for (b, block) in func.blocks.iter() {
        number += 1;
        for &v in block.params.iter().chain(live.live_in(b)) {
            touch(v, number);
        }
        for inst in &block.insts {
            number += 1;
            let late = reads_late(func, inst);
            func.visit(inst, |v, role| {
                let is_late = matches!(role, Role::Source { src, .. } if late[usize::from(src)]);
                touch(v, number + u32::from(is_late));
                if !role.is_def() {
                    reads[v] = reads[v].min(number);
                }
                if let Some(old) = role.old() {
                    touch(old, number);
                }
            });
        }
        number += 1;
        for &v in at_end(block, live.live_out(b)) {
            touch(v, number);
        }
    }
    // Registers that parts or parameters of blocks join are in one unit where that can be, from the first definition on.
    let mut joined: Vec<(VReg, VReg)> = Vec::new();
    for block in func.blocks.values() {
        for inst in &block.insts {
            func.visit(inst, |v, role| {
                joined.extend(role.old().map(|old| (v, old)))
            });
        }
        for edge in &block.succs {
            let params = func.blocks[edge.to].params.iter().copied();
            joined.extend(params.zip(edge.args.iter().copied()));
        }
    }
    let mut webs: UnionFind<u32> = UnionFind::new(func.regs.len());
    for (a, b) in &joined {
        webs.union(a.as_u32(), b.as_u32());
    }
    let mut first = func.map_of_registers(NONE);
    let members = || joined.iter().flat_map(|&(a, b)| [a, b]);
    for v in members() {
        let web = VReg::from_u32(webs.find_mut(v.as_u32()));
        first[web] = first[web].min(spans[v].from);
    }
    for v in members() {
        spans[v].from = first[VReg::from_u32(webs.find_mut(v.as_u32()))];
    }
    (spans, reads)
}
