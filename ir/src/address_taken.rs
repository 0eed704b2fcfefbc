//! Places of variables whose address is taken: those that are not in use at once share them.
//!
//! Takes a function whose other variables have storage, and guarantees each of these a place in the fixed area. Their
//! contents are read and written by name, or through an address variable. A variable shares its place with others if
//! each address variable that holds its address holds no other, and if one routine alone uses it.
//!
//! A variable is in use from its first access in the order of the code to the last, so that channels that wait meanwhile
//! keep theirs, and in each loop that is in part outside of that. A loop around all its accesses counts if a channel may
//! read what it has from the round before: liveness of the same channels ([`crate::liveness`]), for which an access
//! through an address reads all bytes and overwrites none. Contents of channels that left such a loop, which others
//! could read across channels in a later round, are not kept.
//!
//! The loops are made a forest: of two that overlap in part the earlier one is extended. So the loops that a use lies in
//! are the ancestors of one. Places are assigned by first fit.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::Range;

use cranelift_entity::{EntitySet, SecondaryMap};
use kiln_visa::module::{Addr, Object, Operand, Var};
use kiln_visa::opcode::{Field, Opcode};

use crate::access::{self, Reached};
use crate::cfg::{Cfg, CfgError};
use crate::func::{Cell, Function, Owner, VarStorage};
use crate::liveness::{Accesses, Graph, Solver, coarsen};
use crate::{build, storage};

/// Where a variable is in use.
#[derive(Clone, Copy)]
struct Use {
    var: Var,
    routine: usize,
    /// First instruction and last.
    start: u32,
    end: u32,
}

/// A backward branch: its target, and the code from there on.
struct Loop {
    head: usize,
    insts: Range<u32>,
    parent: Option<usize>,
}

/// The loops of a function, by their starts, each after those that it lies in.
struct Loops(Vec<Loop>);

/// Units of the fixed area, taken in the order of the code.
#[derive(Default)]
struct Area {
    count: u32,
    /// Units that are taken at the current instruction, with the last instruction of that.
    busy: BinaryHeap<Reverse<(u32, u32)>>,
    /// The others.
    idle: BTreeSet<u32>,
}

/// Gives variables whose address is taken places in the fixed area.
///
/// # Errors
/// As [`access::collect`].
pub(crate) fn place(func: &mut Function, graph: &Cfg, vars: &[Var]) -> Result<(), CfgError> {
    let units =
        |func: &Function, var: Var| func.object.vars[var].bytes().div_ceil(func.cell_bytes());
    if vars.len() > 1 {
        let mut uses = uses(func, graph, vars)?;
        uses.sort_by_key(|used| (used.routine, used.start, used.var));
        for of_routine in uses.chunk_by(|a, b| a.routine == b.routine) {
            let mut area = Area::default();
            for used in of_routine {
                let at = area.first_fit(used, units(func, used.var));
                let offset = func.fixed_bytes + at * func.cell_bytes();
                func.storage[used.var] = VarStorage::Fixed { offset };
            }
            func.fixed_bytes += area.count * func.cell_bytes();
        }
    }
    for &var in vars {
        if func.storage[var] == VarStorage::Special {
            let offset = func.fixed_bytes;
            func.storage[var] = VarStorage::Fixed { offset };
            func.fixed_bytes += units(func, var) * func.cell_bytes();
        }
    }
    Ok(())
}

impl Area {
    /// Takes the first units that follow each other and are idle.
    fn first_fit(&mut self, used: &Use, units: u32) -> u32 {
        while let Some(&Reverse((end, unit))) = self.busy.peek()
            && end < used.start
        {
            self.busy.pop();
            self.idle.insert(unit);
        }
        let is_idle = |unit| unit >= self.count || self.idle.contains(&unit);
        let fits = |&at: &u32| (at..at + units).all(is_idle);
        let at = self.idle.iter().copied().find(fits).unwrap_or(self.count);
        for unit in at..at + units {
            self.idle.remove(&unit);
            self.busy.push(Reverse((used.end, unit)));
        }
        self.count = self.count.max(at + units);
        at
    }
}

/// The variables that may share places, with their uses.
fn uses(func: &Function, graph: &Cfg, vars: &[Var]) -> Result<Vec<Use>, CfgError> {
    let object = func.object;
    let (reached, unknown) = reached(object);
    let mut apart = build::empty(object, func.target, graph);
    for &var in vars.iter().filter(|&&var| !unknown.contains(var)) {
        let bytes = object.vars[var].bytes();
        let first = storage::var_cells(&mut apart, var, bytes, 0);
        apart.storage[var] = VarStorage::Cells { first, offset: 0 };
    }
    let (mut accesses, _) = access::collect(&apart, graph, &reached)?;
    let sizes: SecondaryMap<Cell, u32> = (apart.cells.iter())
        .map(|(c, data)| (c, data.size))
        .collect();
    coarsen(&mut accesses, &sizes);
    let loops = Loops::of(graph);
    let mut uses = named(&apart, graph, &accesses);
    for used in uses.values_mut().flatten() {
        loops.cross(used);
    }
    let flow = Graph::new(graph, &accesses, &sizes, apart.cells.len());
    let (kept, batches) = flow.split();
    let mut solver = Solver::new(&flow, kept);
    for batch in &batches {
        solver.solve(batch);
        for &(cell, bits) in &batch.cells {
            let Owner::Var { var, .. } = apart.cells[cell].owner else {
                continue;
            };
            let Some(used) = &mut uses[var] else {
                continue;
            };
            let is_live = |block| solver.own_in(block) & bits != 0;
            // From one call of a subroutine to the next.
            if used.routine > 0 && is_live(graph.routines[used.routine].start) {
                uses[var] = None;
            } else {
                loops.surround(used, is_live);
            }
        }
    }
    Ok(uses.values().copied().flatten().collect())
}

/// The variables that address variables hold the addresses of, and those of which not all such are known.
fn reached(object: &Object) -> (Reached, EntitySet<Var>) {
    let mut reached = Reached::new();
    let mut unknown = EntitySet::new();
    let mut used_as_numbers: EntitySet<Addr> = EntitySet::new();
    for inst in &object.insts {
        let mut operands = &inst.operands[..];
        if let (
            Opcode::AddrAdd,
            [
                Operand::Address { addr, .. },
                Operand::AddressOf { var, .. },
                ..,
            ],
        ) = (inst.op, operands)
        {
            let root = object.root(*var).0;
            let held = &mut reached[*addr];
            match held.expand() {
                Some(other) if other != root => {
                    unknown.insert(other);
                    unknown.insert(root);
                }
                _ => *held = root.into(),
            }
            operands = &operands[2..];
        }
        // A number that is assigned tells no address, and one that was an address has been read as a number before.
        if let (Some(Field::Dst(_)), [Operand::Address { .. }, sources @ ..]) =
            (inst.op.row().operand_fields().next(), operands)
        {
            operands = sources;
        }
        for operand in operands {
            match operand {
                Operand::Address { addr, .. } => {
                    used_as_numbers.insert(*addr);
                }
                Operand::AddressOf { var, .. } => {
                    unknown.insert(object.root(*var).0);
                }
                _ => {}
            }
        }
    }
    let held = reached
        .iter()
        .filter(|(addr, _)| used_as_numbers.contains(*addr));
    unknown.extend(held.filter_map(|(_, var)| var.expand()));
    (reached, unknown)
}

/// From the first access of each variable to its last, of those that one routine alone uses.
fn named(func: &Function, graph: &Cfg, accesses: &Accesses) -> SecondaryMap<Var, Option<Use>> {
    let mut uses: SecondaryMap<Var, Option<Use>> = SecondaryMap::new();
    let mut several: EntitySet<Var> = EntitySet::new();
    for (routine, blocks) in graph.routines.iter().enumerate() {
        for list in &accesses.blocks[blocks.clone()] {
            for a in &accesses.list[list.start as usize..list.end as usize] {
                let Owner::Var { var, .. } = func.cells[a.cell].owner else {
                    continue;
                };
                let used = uses[var].get_or_insert(Use {
                    var,
                    routine,
                    start: a.inst,
                    end: a.inst,
                });
                (used.start, used.end) = (used.start.min(a.inst), used.end.max(a.inst));
                if used.routine != routine {
                    several.insert(var);
                }
            }
        }
    }
    for var in several.keys() {
        uses[var] = None;
    }
    uses
}

impl Loops {
    fn of(graph: &Cfg) -> Loops {
        let blocks = graph.blocks.iter().enumerate();
        let back = blocks.filter_map(|(b, block)| {
            let head = block.exit.target().filter(|&head| head <= b)?;
            Some((graph.blocks[head].insts.start..block.insts.end, head))
        });
        let mut back: Vec<_> = back.collect();
        back.sort_by_key(|(insts, _)| (insts.start, Reverse(insts.end)));
        let mut loops: Vec<Loop> = Vec::with_capacity(back.len());
        let mut parent: Option<usize> = None;
        for (insts, head) in back {
            while let Some(p) = parent
                && loops[p].insts.end <= insts.start
            {
                parent = loops[p].parent;
            }
            let mut around = parent;
            while let Some(p) = around
                && loops[p].insts.end < insts.end
            {
                loops[p].insts.end = insts.end;
                around = loops[p].parent;
            }
            loops.push(Loop {
                head,
                insts,
                parent,
            });
            parent = Some(loops.len() - 1);
        }
        Loops(loops)
    }

    /// The loops that an instruction lies in, from the innermost one on.
    fn around(&self, inst: u32) -> impl Iterator<Item = &Loop> {
        let before = self.0.partition_point(|l| l.insts.start <= inst);
        let last = before.checked_sub(1).map(|n| &self.0[n]);
        let outwards = std::iter::successors(last, |l| Some(&self.0[l.parent?]));
        outwards.skip_while(move |l| l.insts.end <= inst)
    }

    /// Extends a use to the loops that are in part outside of it.
    fn cross(&self, used: &mut Use) {
        let Use { start, end, .. } = *used;
        if let Some(first) = self.around(start).take_while(|l| l.insts.end <= end).last() {
            used.start = first.insts.start;
        }
        if let Some(last) = self
            .around(end)
            .take_while(|l| l.insts.start > start)
            .last()
        {
            used.end = last.insts.end - 1;
        }
    }

    /// Extends a use to the outermost of the loops around it at whose start it is live.
    fn surround(&self, used: &mut Use, is_live: impl Fn(usize) -> bool) {
        let around = self.around(used.start).filter(|l| l.insts.end > used.end);
        if let Some(outermost) = around.filter(|l| is_live(l.head)).last() {
            (used.start, used.end) = (outermost.insts.start, outermost.insts.end - 1);
        }
    }
}
