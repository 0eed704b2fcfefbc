//! Chooses consecutive units for messages that span several.
//!
//! regalloc2 knows single registers only, so that a payload or result of more than one unit gets
//! fixed registers. A good choice makes the values be computed in place and leaves no moves: groups
//! are placed in program order, each where the units are not wanted by an earlier group while its
//! own values live; a group of values that another message produced or consumed goes to the same
//! place. Intervals are spans of instruction numbers, loops not looked at: they only guide.

use std::collections::{BTreeMap, HashMap};

use kiln_emit::inst::VReg;
use kiln_isel::mir::{MFunc, Role};

/// Units chosen for the groups of some instructions: for payload 0, payload 1 and result, one unit
/// a register; `u32::MAX` leaves the choice to the allocator.
#[derive(Default)]
pub struct Fixed {
    units: HashMap<(u32, u32), Vec<u32>>,
}

impl Fixed {
    /// The choice for instruction `inst` of block `block`.
    pub fn of(&self, block: u32, inst: u32) -> Option<&[u32]> {
        self.units.get(&(block, inst)).map(Vec::as_slice)
    }
}

#[derive(Clone, Copy)]
struct Span {
    from: u32,
    to: u32,
}

/// For each unit the spans that placed groups want it for, by their start.
struct Busy(Vec<BTreeMap<u32, u32>>);

impl Busy {
    fn conflicts(&self, unit: u32, span: Span) -> bool {
        self.0[unit as usize]
            .range(..span.to)
            .next_back()
            .is_some_and(|(_, &end)| end > span.from)
    }

    fn add(&mut self, unit: u32, span: Span) {
        let end = self.0[unit as usize].entry(span.from).or_insert(span.to);
        *end = (*end).max(span.to);
    }
}

/// Chooses among the allocatable `units`, which ascend.
pub fn place(func: &MFunc, units: &[u32]) -> Fixed {
    let spans = spans(func);
    let mut fixed = Fixed::default();
    let mut busy = Busy(vec![BTreeMap::new(); crate::UNITS as usize]);
    for &(v, unit) in &func.entry {
        busy.add(
            unit,
            Span {
                from: 0,
                to: spans[v.as_u32() as usize].to.max(1),
            },
        );
    }
    let mut home: HashMap<VReg, u32> = HashMap::new();
    let mut number = 0;
    for (b, block) in func.blocks.iter().enumerate() {
        for (i, m) in block.insts.iter().enumerate() {
            number += 1;
            let Some(group) = m.group.as_deref() else {
                continue;
            };
            if [&group.srcs[0], &group.srcs[1], &group.dst]
                .iter()
                .all(|g| g.len() < 2)
            {
                continue;
            }
            let mut chosen = Vec::new();
            // What the message reads stays where it is until the result is there.
            let mut taken: Vec<u32> = Vec::new();
            for (part, vregs) in [&group.srcs[0], &group.srcs[1], &group.dst]
                .into_iter()
                .enumerate()
            {
                if vregs.len() < 2 {
                    chosen.extend(std::iter::repeat_n(u32::MAX, vregs.len()));
                    continue;
                }
                let wanted: Vec<Span> = (vregs.iter())
                    .map(|v| {
                        let s = spans[v.as_u32() as usize];
                        if part < 2 {
                            Span {
                                from: s.from,
                                to: number,
                            }
                        } else {
                            Span {
                                from: number,
                                to: s.to,
                            }
                        }
                    })
                    .map(|s| Span {
                        to: s.to.max(s.from + 1),
                        ..s
                    })
                    .collect();
                let before = home.get(&vregs[0]).copied();
                let base = choose(units, &busy, &wanted, before, &taken);
                for (unit, span) in (base..).zip(&wanted) {
                    busy.add(unit, *span);
                    taken.push(unit);
                    chosen.push(unit);
                }
                home.insert(vregs[0], base);
            }
            fixed.units.insert((b as u32, i as u32), chosen);
        }
    }
    fixed
}

/// The first of consecutive units with the fewest conflicts.
fn choose(units: &[u32], busy: &Busy, wanted: &[Span], before: Option<u32>, taken: &[u32]) -> u32 {
    let n = wanted.len();
    let free = |base: u32| (0..n as u32).all(|k| !taken.contains(&(base + k)));
    let cost = |base: u32| {
        (0..n)
            .filter(|&k| busy.conflicts(base + k as u32, wanted[k]))
            .count()
    };
    if let Some(base) = before
        && free(base)
    {
        return base;
    }
    let bases = units
        .windows(n)
        .filter(|w| w[n - 1] - w[0] == n as u32 - 1)
        .map(|w| w[0])
        .filter(|&b| free(b));
    let mut best = (usize::MAX, units[0]);
    for base in bases {
        let c = cost(base);
        if c < best.0 {
            best = (c, base);
            if c == 0 {
                break;
            }
        }
    }
    best.1
}

/// From the definition of each register to its last use, in instruction numbers.
fn spans(func: &MFunc) -> Vec<Span> {
    let mut spans = vec![
        Span {
            from: u32::MAX,
            to: 0
        };
        func.vregs.len()
    ];
    let mut touch = |v: VReg, at: u32| {
        let s = &mut spans[v.as_u32() as usize];
        s.from = s.from.min(at);
        s.to = s.to.max(at);
    };
    let mut number = 0;
    for block in &func.blocks {
        for &v in &block.params {
            touch(v, number);
        }
        for m in &block.insts {
            number += 1;
            m.operands(|v, role| {
                touch(v, number);
                if let Role::DefOver(old) | Role::Result(_, Some(old)) = role {
                    touch(old, number);
                }
            });
        }
        for (_, args) in &block.succs {
            for &v in args {
                touch(v, number);
            }
        }
    }
    for &(v, _) in &func.entry {
        touch(v, 0);
    }
    for s in &mut spans {
        s.from = s.from.min(s.to);
    }
    spans
}
