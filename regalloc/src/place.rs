//! Chooses consecutive units for messages that span several.
//!
//! regalloc2 knows single registers only, so that each register of a payload or result of more than
//! one gets a fixed unit. A good choice makes the values be computed in place and leaves no moves:
//! messages are taken in program order, each operand put where the fewest of its units are wanted
//! by an earlier one while its own values live, and where values that have a place already keep it.
//! How long a value lives is one interval over the code, from liveness, so that what lives round a
//! loop has all of it. The payloads of a message that ends the thread go to the end of the file.

use cranelift_entity::{EntitySet, SecondaryMap};
use kiln_machine::func::{Block, Function};
use kiln_machine::inst::{Role, VReg};
use kiln_machine::liveness::Liveness;
use smallvec::SmallVec;

use crate::AllocError;
use crate::adapter::UNITS;
use crate::flags::at_end;
use crate::frame::Frame;

/// Leaves the choice to the allocator.
pub const ANY: u8 = u8::MAX;
const NONE: u32 = u32::MAX;
/// The number of the result among a message's operands.
const RESULT: usize = 2;

/// Units chosen for messages: one a register, for the first payload, the second, and the result.
#[derive(Default)]
pub struct Fixed {
    pool: Vec<u8>,
    /// Instructions with a choice, and where it begins.
    chosen: SecondaryMap<Block, Vec<(u32, u32)>>,
}

impl Fixed {
    /// The choice for an instruction.
    pub fn of(&self, block: Block, inst: u32) -> Option<&[u8]> {
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

/// For each unit when messages want it: disjoint spans in order.
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

/// Registers of a message's payloads and result, with what each is written over.
pub type Parts = [SmallVec<[(VReg, Option<VReg>); 4]>; 3];

/// The parts of an instruction's operands.
pub fn parts(func: &Function, inst: &kiln_machine::inst::Inst) -> Parts {
    let mut parts = Parts::default();
    func.visit(inst, |v, role| match role {
        Role::Source { src, .. } if src < 2 => parts[usize::from(src)].push((v, None)),
        Role::Result { old, .. } => parts[2].push((v, old)),
        _ => {}
    });
    parts
}

/// Registers of which it matters here where they live: inputs, and parts of operands of several.
pub fn wanted(func: &Function) -> EntitySet<VReg> {
    let mut wanted = EntitySet::new();
    wanted.extend(func.inputs.iter().map(|&(v, _)| v));
    let insts = func.blocks.values().flat_map(|block| &block.insts);
    for inst in insts.filter(|inst| inst.message.is_some()) {
        for part in parts(func, inst).iter().filter(|part| part.len() > 1) {
            wanted.extend(part.iter().map(|&(v, _)| v));
        }
    }
    wanted
}

struct Placer<'a> {
    frame: &'a Frame,
    /// Results never overlap payloads.
    apart: bool,
    allowed: [bool; UNITS as usize],
    /// Those that the payloads of a message may be in that ends the thread.
    last: [bool; UNITS as usize],
    spans: SecondaryMap<VReg, Span>,
    busy: Busy,
    /// Where a value was put, and until when its unit is known to be wanted for it.
    home: SecondaryMap<VReg, u32>,
    until: SecondaryMap<VReg, u32>,
}

/// Chooses among the allocatable units.
///
/// Takes the liveness of the [`wanted`] registers at least.
///
/// # Errors
/// An operand needs more consecutive units than there are.
pub fn place(func: &Function, live: &Liveness, frame: &Frame) -> Result<Fixed, AllocError> {
    let mut fixed = Fixed::default();
    let mut placer = Placer {
        frame,
        apart: func.target.response_apart,
        allowed: [false; UNITS as usize],
        last: [false; UNITS as usize],
        spans: spans(func, live),
        busy: Busy(vec![Vec::new(); UNITS as usize]),
        home: SecondaryMap::with_default(NONE),
        until: SecondaryMap::new(),
    };
    for &u in &frame.units {
        placer.allowed[u as usize] = true;
    }
    for &u in &frame.last_units {
        placer.last[u as usize] = true;
    }
    for &(v, grf) in &func.inputs {
        let Some(grf) = grf else { continue };
        let unit = grf / frame.unit_grfs;
        if unit < UNITS && placer.allowed[unit as usize] {
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
            let Some(message) = inst.message.expand() else {
                continue;
            };
            let ends = func.messages[message].eot;
            let parts = parts(func, inst);
            if parts.iter().all(|p| p.len() < 2) && !ends {
                continue;
            }
            fixed.chosen[b].push((i as u32, fixed.pool.len() as u32));
            let bases = placer.bases(&parts, number, ends, false);
            let Some(bases) = bases.or_else(|| placer.bases(&parts, number, ends, true)) else {
                let most = parts.iter().map(|p| p.len()).max().unwrap_or(0) as u32;
                return Err(AllocError::TooFew {
                    func: func.name.clone(),
                    limit: frame.units.len() as u32 * frame.unit_grfs,
                    what: format!(
                        "a message of {b} needs {} consecutive registers beside its others; {}",
                        most * frame.unit_grfs,
                        frame.holders(func)
                    ),
                });
            };
            for (p, (part, base)) in parts.iter().zip(bases).enumerate() {
                let Some(base) = base else {
                    fixed.pool.extend(part.iter().map(|_| ANY));
                    continue;
                };
                placer.settle(part, base, p == RESULT, number);
                let units = base..base + part.len() as u32;
                fixed.pool.extend(units.map(|u| u as u8));
            }
        }
        number += 1;
    }
    Ok(fixed)
}

impl Placer<'_> {
    /// While a value must be in its unit: until the message reads it, or from then on.
    fn wanted(&self, v: VReg, result: bool, number: u32) -> Span {
        let life = self.spans[v];
        let (from, to) = match result {
            true => (number, life.to),
            false => (life.from.min(number), number),
        };
        let to = to.max(from + 1);
        Span { from, to }
    }

    /// Where the operands of a message begin that are of several units; packed, one directly behind
    /// the other, where choosing the best for each leaves no room for the last.
    /// The payloads of one that ends the thread, `ends`, have a place whatever their length.
    fn bases(
        &self,
        parts: &Parts,
        number: u32,
        ends: bool,
        packed: bool,
    ) -> Option<[Option<u32>; 3]> {
        let mut taken: SmallVec<[u32; 16]> = SmallVec::new();
        let mut bases = [None; 3];
        for (p, part) in parts.iter().enumerate() {
            let last = ends && p != RESULT;
            if part.len() < if last { 1 } else { 2 } {
                continue;
            }
            let base = self.choose(part, (p == RESULT, last), number, &taken, packed)?;
            taken.extend(base..base + part.len() as u32);
            bases[p] = Some(base);
        }
        Some(bases)
    }

    /// The first of consecutive units with the fewest conflicts, or the first of all.
    fn choose(
        &self,
        part: &[(VReg, Option<VReg>)],
        (result, last): (bool, bool),
        number: u32,
        taken: &[u32],
        packed: bool,
    ) -> Option<u32> {
        let wanted: SmallVec<[Span; 16]> = part
            .iter()
            .map(|&(v, _)| self.wanted(v, result, number))
            .collect();
        let home = |k: usize| {
            let (v, old) = part[k];
            match self.home[old.unwrap_or(v)] {
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
            true => (&self.frame.last_units, &self.last),
            false => (&self.frame.units, &self.allowed),
        };
        let whole =
            |base: u32| (base..base + part.len() as u32).all(|u| u < UNITS && allowed[u as usize]);
        let apart = |base: u32| {
            taken
                .iter()
                .all(|&t| t < base || t >= base + part.len() as u32)
        };
        let best = |apart: &dyn Fn(u32) -> bool| {
            let mut best: Option<(u32, u32)> = None;
            let kept = (0..part.len())
                .filter(|_| !packed)
                .filter_map(|k| match home(k) {
                    NONE => None,
                    home => home.checked_sub(k as u32),
                });
            for base in kept
                .chain(units.iter().copied())
                .filter(|&b| whole(b) && apart(b))
            {
                let cost = cost(base);
                if best.is_none_or(|(least, _)| cost < least) {
                    best = Some((cost, base));
                }
                if cost == 0 || packed {
                    break;
                }
            }
            best.map(|(_, base)| base)
        };
        // A result may take the place of a payload where there is no other.
        let over = result && !self.apart && part.iter().all(|(_, old)| old.is_none());
        best(&apart).or_else(|| if over { best(&|_| true) } else { None })
    }

    fn settle(&mut self, part: &[(VReg, Option<VReg>)], base: u32, result: bool, number: u32) {
        for (unit, &(v, _)) in (base..).zip(part) {
            let span = self.wanted(v, result, number);
            self.busy.add(unit, span);
            if self.home[v] == unit {
                self.until[v] = self.until[v].max(span.to);
            } else {
                self.home[v] = unit;
                self.until[v] = span.to;
            }
        }
    }
}

impl Default for Span {
    fn default() -> Span {
        Span { from: NONE, to: 0 }
    }
}

/// From the definition of each register to its last use, in instruction numbers: one for a block's
/// start, one for its end.
fn spans(func: &Function, live: &Liveness) -> SecondaryMap<VReg, Span> {
    let mut spans: SecondaryMap<VReg, Span> = SecondaryMap::new();
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
            func.visit(inst, |v, role| {
                touch(v, number);
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
    // What is put together bit by bit has its place from the first on.
    let mut number = 0;
    for block in func.blocks.values() {
        number += 1;
        for inst in &block.insts {
            number += 1;
            func.visit(inst, |v, role| {
                if let Some(old) = role.old()
                    && spans[old].to == number
                {
                    spans[v].from = spans[v].from.min(spans[old].from);
                }
            });
        }
        number += 1;
    }
    spans
}
