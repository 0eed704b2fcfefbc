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

use std::ops::Range;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntitySet, SecondaryMap};
use kiln_frontend::module::{Addr, Object, Operand, Var};
use kiln_frontend::opcode::Opcode;

use crate::cfg::{Cfg, CfgError};
use crate::func::{Cell, Function, Owner, VarStorage};
use crate::liveness::{Accesses, Graph, Solver, coarsen};
use crate::{access, build, storage};

/// By address variable: the root variable whose address it holds.
pub type Reached = SecondaryMap<Addr, PackedOption<Var>>;

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
}

/// Gives variables whose address is taken places in the fixed area.
///
/// # Errors
/// As [`access::collect`].
pub(crate) fn place(func: &mut Function, graph: &Cfg, vars: &[Var]) -> Result<(), CfgError> {
    if vars.len() > 1 {
        let mut uses = uses(func, graph, vars)?;
        uses.sort_by_key(|used| (used.routine, used.start, used.var));
        for of_routine in uses.chunk_by(|a, b| a.routine == b.routine) {
            share(func, of_routine);
        }
    }
    for &var in vars {
        if func.storage[var] == VarStorage::Special {
            let offset = func.fixed_bytes;
            func.storage[var] = VarStorage::Fixed { offset };
            func.fixed_bytes = offset + place_bytes(func, var);
        }
    }
    Ok(())
}

fn place_bytes(func: &Function, var: Var) -> u32 {
    func.object.vars[var]
        .bytes()
        .next_multiple_of(func.cell_bytes())
}

/// Gives variables of a routine, in the order of their first instructions, the first places that are free.
fn share(func: &mut Function, uses: &[Use]) {
    let base = func.fixed_bytes;
    // Places in use with the last instructions, by place.
    let mut open: Vec<(Range<u32>, u32)> = Vec::new();
    for used in uses {
        open.retain(|&(_, end)| end >= used.start);
        let bytes = place_bytes(func, used.var);
        let mut offset = base;
        let before = open.iter().take_while(|(place, _)| {
            let fits = offset + bytes <= place.start;
            if !fits {
                offset = place.end;
            }
            !fits
        });
        let at = before.count();
        open.insert(at, (offset..offset + bytes, used.end));
        func.storage[used.var] = VarStorage::Fixed { offset };
        func.fixed_bytes = func.fixed_bytes.max(offset + bytes);
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
    let mut uses = named(&apart, graph, &accesses);
    let loops = loops(graph);
    let mut live = SecondaryMap::with_default(Vec::new());
    let mut flow = Graph::new(graph, &accesses, &sizes);
    let (kept, batches) = flow.split(apart.cells.len());
    let mut solver = Solver::new(&flow, kept);
    for batch in &batches {
        solver.solve(batch);
        let entries = graph.routines.iter().skip(1).map(|blocks| blocks.start);
        for head in loops.iter().map(|l| l.head).chain(entries) {
            let own = solver.own_in(head);
            for &(cell, _) in batch.cells.iter().filter(|(_, bits)| own & bits != 0) {
                if let Owner::Var { var, .. } = apart.cells[cell].owner {
                    live[var].push(head);
                }
            }
        }
    }
    uses.retain_mut(|used| {
        let live: &Vec<usize> = &live[used.var];
        // From one call of a subroutine to the next.
        let is_passed = used.routine > 0 && live.contains(&graph.routines[used.routine].start);
        extend(used, &loops, |head| live.contains(&head));
        !is_passed
    });
    Ok(uses)
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
fn named(func: &Function, graph: &Cfg, accesses: &Accesses) -> Vec<Use> {
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
    let uses = uses.values().copied().flatten();
    uses.filter(|used| !several.contains(used.var)).collect()
}

/// Backward branches.
fn loops(graph: &Cfg) -> Vec<Loop> {
    let blocks = graph.blocks.iter().enumerate();
    blocks
        .filter_map(|(b, block)| {
            let head = block.exit.target().filter(|&head| head <= b)?;
            let insts = graph.blocks[head].insts.start..block.insts.end;
            Some(Loop { head, insts })
        })
        .collect()
}

/// Extends a use to the loops that are in part outside of it, and to those around it at whose start it is live.
fn extend(used: &mut Use, loops: &[Loop], is_live: impl Fn(usize) -> bool) {
    loop {
        let (start, end) = (used.start, used.end);
        for l in loops {
            let Range {
                start: from,
                end: to,
            } = l.insts;
            let is_apart = to <= used.start || used.end < from;
            let is_around = from <= used.start && used.end < to;
            if !is_apart && (!is_around || is_live(l.head)) {
                (used.start, used.end) = (used.start.min(from), used.end.max(to - 1));
            }
        }
        if (start, end) == (used.start, used.end) {
            return;
        }
    }
}
