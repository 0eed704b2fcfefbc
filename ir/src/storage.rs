//! Storage of variables: cells, or bytes of the fixed area.
//!
//! Takes a function without cells and guarantees that each root variable, predicate, address, surface and sampler of
//! the object has storage. A variable whose address is taken gets a fixed place ([`crate::address_taken`]); a narrow one may
//! share a cell ([`crate::pack`]).

use std::collections::HashMap;

use cranelift_entity::{EntityRef, EntitySet};
use foldhash::fast::FixedState;
use kiln_platform::platform::Platform;
use kiln_visa::module::{Input, InputVar, Object, Sampler, Surface, Var, predefined};

use crate::cfg::Cfg;
use crate::func::*;
use crate::{access, in_place, pack};

/// Bytes of the register file that an input takes.
fn input_bytes(object: &Object, input: &Input) -> u32 {
    match input.var {
        InputVar::General(v) => object.vars[v].bytes().max(input.size.into()),
        _ => input.size.into(),
    }
}

/// Bytes of the register file, from r0 on, in which inputs arrive, in whole GRFs.
pub(crate) fn payload_bytes(object: &Object, target: &Platform) -> u32 {
    let ends = (object.inputs.iter()).map(|i| u32::from(i.offset) + input_bytes(object, i));
    let end = ends.max().unwrap_or(0);
    end.next_multiple_of(target.grf_bytes).max(target.grf_bytes)
}

/// Variables whose storage follows from others'.
pub(crate) struct Assigned {
    /// Variables that want a place in the fixed area.
    pub taken: Vec<Var>,
    /// Temporaries, each with the variable whose storage it has.
    pub placed: Vec<(Var, Var)>,
}

/// Gives the variables of the function storage. Narrow variables share cells if their `uses` are given.
pub(crate) fn assign(func: &mut Function, graph: &Cfg, uses: Option<pack::Uses>) -> Assigned {
    let object = func.object;
    let taken = access::address_taken(object);
    let is_taken = |v| taken.binary_search(&v).is_ok();
    payload(func, is_taken);
    let mut inputs: EntitySet<Var> = EntitySet::new();
    inputs.extend(access::input_vars(object).map(|(var, _)| var));
    let is_own = |var: Var| {
        var.index() >= predefined::VAR_COUNT
            && object.vars[var].alias.is_none()
            && !inputs.contains(var)
    };
    let mut placed = Vec::new();
    let mut inside: EntitySet<Var> = EntitySet::new();
    if let Some(mut uses) = uses {
        let may = |var| is_own(var) && !is_taken(var);
        placed = in_place::find(object, graph, func.target, pack::widest(func.target), may);
        for &(var, home) in &placed {
            uses.unite(var, home);
        }
        inside.extend(placed.iter().map(|&(var, _)| var));
        shared(func, uses, may);
    }
    for var in object
        .vars
        .keys()
        .filter(|&var| is_own(var) && !is_taken(var) && !inside.contains(var))
    {
        if func.storage[var] == VarStorage::Special {
            let first = var_cells(func, var, object.vars[var].bytes(), 0);
            func.storage[var] = VarStorage::Cells { first, offset: 0 };
        }
    }
    for &(var, home) in &placed {
        func.storage[var] = func.storage[home];
    }
    if func.stack {
        passed(func);
    }
    flags_and_addresses(func);
    states(func);
    let taken = taken.iter().copied().filter(|&var| is_own(var)).collect();
    Assigned { taken, placed }
}

fn push_cell(func: &mut Function, class: Class, owner: Owner, size: u32) -> Cell {
    func.cells.push(CellData { class, owner, size })
}

/// A value that the cell has at entry.
fn push_entry(func: &mut Function, cell: Cell) {
    let value = func.values.push(ValueData {
        cell: cell.into(),
        def: Def::Entry,
    });
    func.entry.push((cell, value));
}

/// The cells of a variable of so many bytes, the first `arriving` bytes with values at entry. Returns the first cell.
pub(crate) fn var_cells(func: &mut Function, var: Var, bytes: u32, arriving: u32) -> Cell {
    let cell_bytes = func.cell_bytes();
    let first = Cell::new(func.cells.len());
    for offset in (0..bytes).step_by(cell_bytes as usize) {
        let owner = Owner::Var { var, offset };
        let cell = push_cell(func, Class::Grf, owner, (bytes - offset).min(cell_bytes));
        if offset < arriving {
            push_entry(func, cell);
        }
    }
    first
}

/// Cells of the thread payload, and the inputs' storage in it.
fn payload(func: &mut Function, is_taken: impl Fn(Var) -> bool) {
    let object = func.object;
    let cell_bytes = func.cell_bytes();
    let units_of = |input: &Input| {
        let end = u32::from(input.offset) + input_bytes(object, input);
        (u32::from(input.offset) / cell_bytes) as usize..end.div_ceil(cell_bytes) as usize
    };
    // Allocation units of the payload with an input, and those with an input whose address is taken.
    let units = func.payload_bytes.div_ceil(cell_bytes) as usize;
    let mut used = vec![false; units];
    let mut fixed = vec![false; units];
    for input in &object.inputs {
        for unit in units_of(input) {
            used[unit] = true;
            fixed[unit] |= matches!(input.var, InputVar::General(v) if is_taken(v));
        }
    }
    let first = Cell::new(func.cells.len());
    for unit in 0..units as u32 {
        push_cell(func, Class::Grf, Owner::Payload { unit }, cell_bytes);
    }
    for unit in (0..units).filter(|&u| used[u] && !fixed[u]) {
        push_entry(func, Cell::new(first.index() + unit));
    }
    for input in &object.inputs {
        let offset = u32::from(input.offset);
        if let InputVar::General(v) = input.var {
            func.storage[v] = match units_of(input).any(|u| fixed[u]) {
                true => VarStorage::FixedPayload { offset },
                false => VarStorage::Cells { first, offset },
            };
        }
    }
}

/// Cells that several narrow variables share.
fn shared(func: &mut Function, uses: pack::Uses, may_share: impl Fn(Var) -> bool) {
    let mut cells: HashMap<u32, Cell, FixedState> = HashMap::default();
    for slot in pack::pack(func.object, uses, func.target, may_share) {
        let owner = Owner::Packed { first: slot.var };
        let size = func.cell_bytes();
        let first =
            *(cells.entry(slot.group)).or_insert_with(|| push_cell(func, Class::Grf, owner, size));
        func.storage[slot.var] = VarStorage::Cells {
            first,
            offset: slot.offset,
        };
    }
}

/// Cells of `%arg` and `%retval`, which have as many registers on all platforms; those in which a function's arguments arrive have values at entry.
fn passed(func: &mut Function) {
    let [args, _] = func.object.passed_grfs();
    for (var, arriving) in [
        (predefined::ARG, args * func.row_bytes()),
        (predefined::RETVAL, 0),
    ] {
        let var = Var::from_u32(var);
        let bytes = func.object.vars[var].bytes() / predefined::ROW_BYTES * func.row_bytes();
        let first = var_cells(func, var, bytes, arriving);
        func.storage[var] = VarStorage::Cells { first, offset: 0 };
    }
}

/// Cells of predicates and address variables.
fn flags_and_addresses(func: &mut Function) {
    for (p, decl) in func.object.predicates.iter().skip(1) {
        let size = u32::from(decl.elements).min(32);
        func.pred_cells[p] = push_cell(func, Class::Flag, Owner::Predicate(p), size).into();
    }
    for (a, decl) in &func.object.addrs {
        let size = (u32::from(decl.elements) * 2).min(32);
        func.addr_cells[a] = push_cell(func, Class::Addr, Owner::Addr(a), size).into();
    }
}

/// Cells of surfaces and samplers whose states or indices are in registers.
fn states(func: &mut Function) {
    let in_registers = |s: &Surface| {
        s.as_u32() == predefined::SURFACE_BINDLESS || s.index() >= predefined::SURFACES.len()
    };
    for s in func.object.surfaces.keys().filter(in_registers) {
        func.surface_cells[s] = push_cell(func, Class::Grf, Owner::Surface(s), 4).into();
    }
    let bindless = Sampler::from_u32(predefined::BINDLESS_SAMPLER);
    let declared = func.object.samplers.keys().filter(|s| *s != bindless);
    for s in declared.chain([bindless]) {
        func.sampler_cells[s] = push_cell(func, Class::Grf, Owner::Sampler(s), 4).into();
    }
}
