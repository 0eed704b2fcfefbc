//! Construction of the IR: takes a vISA object, guarantees SSA form on its linear graph.
//!
//! In turn: control flow, storage of variables, accesses of cells, layout, liveness of old contents, SSA.

use std::collections::HashMap;

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, EntitySet, PrimaryMap, SecondaryMap};
use foldhash::fast::FixedState;
use kiln_frontend::module::{
    Input, InputVar, Object, ObjectKind, Operand, Sampler, Surface, Var, predefined,
};
use kiln_target::platform::Platform;

use crate::access;
use crate::cfg::{self, CfgError};
use crate::dominators::Dominators;
use crate::func::*;
use crate::linear;
use crate::liveness::{Access, Accesses, CallAccess, CallKind, Graph, Solver};
use crate::pack;
use crate::ssa::{self, Origin, Placer};

/// Options of the construction.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Narrow variables share cells ([`crate::pack`]).
    pub pack: bool,
}

impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions { pack: true }
    }
}

/// Builds the IR of one kernel with the default options.
///
/// # Errors
/// As [`build_with`].
pub fn build<'m>(object: &'m Object, target: &'static Platform) -> Result<Function<'m>, CfgError> {
    build_with(object, target, BuildOptions::default())
}

/// Builds the IR of one kernel.
///
/// The object must have passed the frontend's verifier; names it uses must exist and accesses must
/// lie inside their variables.
///
/// # Errors
/// A construct that has no IR, with its instruction.
pub fn build_with<'m>(
    object: &'m Object,
    target: &'static Platform,
    options: BuildOptions,
) -> Result<Function<'m>, CfgError> {
    let graph = cfg::build(object)?;
    let mut func = empty(object, target, &graph);
    let uses = options.pack.then(|| pack::uses(object, target));
    make_homes(&mut func, &access::address_taken(object), uses);
    let ranges: Vec<_> = graph.blocks.iter().map(|b| b.insts.clone()).collect();
    let accesses = access::collect(&func, &ranges)?;
    let linear = linear::lay_out(&graph);
    let doms = Dominators::of(&linear.blocks, &linear.routines);
    (func.blocks, func.routines) = (linear.blocks, linear.routines);
    rename(&mut func, &graph, &accesses, &doms, &linear.origins);
    Ok(func)
}

/// A function without cells, blocks and accesses.
fn empty<'m>(object: &'m Object, target: &'static Platform, graph: &cfg::Cfg) -> Function<'m> {
    let calls = (graph.blocks.iter()).filter_map(|block| {
        let call = Inst::from_u32(block.insts.end.checked_sub(1)?);
        Some((call, Routine::new(block.call?)))
    });
    let mut func = Function {
        object,
        target,
        simd: match object.int_attr("SimdSize") {
            Some(16) => 16,
            Some(32) => 32,
            Some(8) => 8,
            // The callers of a scalar function may have any number of channels.
            _ if matches!(object.kind, ObjectKind::Function { .. }) => 32,
            _ => widest(object),
        },
        blocks: PrimaryMap::new(),
        cells: PrimaryMap::new(),
        homes: SecondaryMap::with_default(Home::Special),
        pred_cells: SecondaryMap::new(),
        addr_cells: SecondaryMap::new(),
        surface_cells: SecondaryMap::new(),
        sampler_cells: SecondaryMap::new(),
        values: PrimaryMap::new(),
        entry: Vec::new(),
        routines: PrimaryMap::new(),
        bottom_up: (graph.bottom_up.iter()).map(|&r| Routine::new(r)).collect(),
        calls: calls.collect(),
        insts: vec![InstData::default(); object.insts.len()],
        read_pool: Vec::new(),
        write_pool: Vec::new(),
        fixed_bytes: 0,
        payload_bytes: payload_bytes(object, target),
        stack: uses_stack(object),
    };
    func.values.push(ValueData {
        cell: PackedOption::default(),
        def: Def::Undef,
    });
    func.homes.resize(object.vars.len());
    func
}

/// Gives each access of a cell the value that it reads or defines.
fn rename(
    func: &mut Function,
    graph: &cfg::Cfg,
    accesses: &Accesses,
    doms: &Dominators,
    origins: &[Origin],
) {
    let sizes: SecondaryMap<Cell, u32> =
        func.cells.iter().map(|(c, data)| (c, data.size)).collect();
    let mut graph = Graph::new(graph, accesses, &sizes);
    let (kept, batches) = graph.split(func.cells.len());
    let mut solver = Solver::new(&graph, kept);
    let mut placer = Placer::new(func, doms, origins);
    for batch in &batches {
        solver.solve(batch);
        placer.place(func, &solver, batch, accesses);
    }
    solver.call_accesses.sort_unstable();
    fill_insts(func, &accesses.list, &solver.kept);
    fill_calls(func, &solver.call_accesses);
    ssa::rename(func, doms);
}

/// Channels of a kernel without the attribute: those of the widest instruction under the execution mask.
fn widest(object: &Object) -> u8 {
    let reach = object
        .insts
        .iter()
        .filter(|i| !i.exec.no_mask)
        .map(|i| i.exec.offset + i.exec.size)
        .max();
    match reach.unwrap_or(8) {
        0..=8 => 8,
        9..=16 => 16,
        _ => 32,
    }
}

/// True if the calling convention of stack calls applies to the object.
pub fn uses_stack(object: &Object) -> bool {
    let pointers = |operand: &Operand| match operand {
        Operand::General { var, .. } | Operand::Raw { var, .. } => matches!(
            object.root(*var).0.as_u32(),
            predefined::ARG
                | predefined::RETVAL
                | predefined::SP
                | predefined::FP
                | predefined::IMPL_ARG_BUF_PTR
                | predefined::LOCAL_ID_BUF_PTR
        ),
        _ => false,
    };
    object.kind != ObjectKind::Kernel
        || object
            .insts
            .iter()
            .any(|i| i.passed_grfs().is_some() || i.operands.iter().any(pointers))
}

/// Makes the cells of `%arg` and `%retval`; those in which a function's arguments arrive have values at entry.
fn make_passed(func: &mut Function) {
    let [args, _] = func.object.passed_grfs();
    for (var, arriving) in [
        (predefined::ARG, args * func.row_bytes()),
        (predefined::RETVAL, 0),
    ] {
        let var = Var::from_u32(var);
        let bytes = func.object.vars[var].bytes();
        let first = Cell::new(func.cells.len());
        for offset in (0..bytes).step_by(func.cell_bytes() as usize) {
            let cell = func.cells.push(CellData {
                class: Class::Grf,
                owner: Owner::Var { var, offset },
                size: func.cell_bytes(),
            });
            if offset < arriving {
                let value = func.values.push(ValueData {
                    cell: cell.into(),
                    def: Def::Entry,
                });
                func.entry.push((cell, value));
            }
        }
        func.homes[var] = Home::Cells { first, offset: 0 };
    }
}

/// Bytes of the register file that an input takes.
fn input_bytes(object: &Object, input: &Input) -> u32 {
    match input.var {
        InputVar::General(v) => object.vars[v].bytes().max(input.size.into()),
        _ => input.size.into(),
    }
}

/// Bytes of the register file, from r0 on, in which inputs arrive, in whole GRFs.
fn payload_bytes(object: &Object, target: &Platform) -> u32 {
    let ends = (object.inputs.iter()).map(|i| u32::from(i.offset) + input_bytes(object, i));
    let end = ends.max().unwrap_or(0);
    end.next_multiple_of(target.grf_bytes).max(target.grf_bytes)
}

fn make_homes(func: &mut Function, taken: &[Var], uses: Option<pack::Uses>) {
    let object = func.object;
    let is_taken = |v| taken.binary_search(&v).is_ok();
    let input_bytes = |input: &Input| input_bytes(object, input);
    // Allocation units of the payload with an input, and those with an input whose address is taken.
    let units = func.payload_bytes.div_ceil(func.cell_bytes()) as usize;
    let mut used = vec![false; units];
    let mut fixed = vec![false; units];
    for input in &object.inputs {
        let from = u32::from(input.offset) / func.cell_bytes();
        let to = (u32::from(input.offset) + input_bytes(input)).div_ceil(func.cell_bytes());
        for unit in from as usize..to as usize {
            used[unit] = true;
            fixed[unit] |= matches!(input.var, InputVar::General(v) if is_taken(v));
        }
    }
    let first = Cell::new(func.cells.len());
    for unit in 0..units as u32 {
        func.cells.push(CellData {
            class: Class::Grf,
            owner: Owner::Payload { unit },
            size: func.cell_bytes(),
        });
    }
    for (unit, _) in used
        .iter()
        .enumerate()
        .filter(|&(u, &used)| used && !fixed[u])
    {
        let cell = Cell::from_u32(first.as_u32() + unit as u32);
        let value = func.values.push(ValueData {
            cell: cell.into(),
            def: Def::Entry,
        });
        func.entry.push((cell, value));
    }
    for input in &object.inputs {
        let offset = u32::from(input.offset);
        match input.var {
            InputVar::General(v) => {
                let mut span = offset / func.cell_bytes()
                    ..(offset + input_bytes(input)).div_ceil(func.cell_bytes());
                func.homes[v] = if span.any(|u| fixed[u as usize]) {
                    Home::FixedPayload { offset }
                } else {
                    Home::Cells { first, offset }
                };
            }
            InputVar::Surface(_) | InputVar::Sampler(_) => {}
        }
    }
    let mut inputs: EntitySet<Var> = EntitySet::new();
    inputs.extend(access::input_vars(object).map(|(var, _)| var));
    let is_own = |var: Var| {
        var.index() >= predefined::VAR_COUNT
            && object.vars[var].alias.is_none()
            && !inputs.contains(var)
    };
    if let Some(uses) = uses {
        let slots = pack::pack(object, uses, func.target, |var| {
            is_own(var) && !is_taken(var)
        });
        let mut cells: HashMap<u32, Cell, FixedState> = HashMap::default();
        for slot in slots {
            let first = *cells.entry(slot.group).or_insert_with(|| {
                func.cells.push(CellData {
                    class: Class::Grf,
                    owner: Owner::Packed { first: slot.var },
                    size: func.cell_bytes(),
                })
            });
            func.homes[slot.var] = Home::Cells {
                first,
                offset: slot.offset,
            };
        }
    }
    for (var, decl) in &object.vars {
        if !is_own(var) || func.homes[var] != Home::Special {
            continue;
        }
        if is_taken(var) {
            func.homes[var] = Home::Fixed {
                offset: func.fixed_bytes,
            };
            func.fixed_bytes =
                (func.fixed_bytes + decl.bytes()).next_multiple_of(func.cell_bytes());
            continue;
        }
        let first = Cell::new(func.cells.len());
        let mut offset = 0;
        while offset < decl.bytes() {
            let size = (decl.bytes() - offset).min(func.cell_bytes());
            func.cells.push(CellData {
                class: Class::Grf,
                owner: Owner::Var { var, offset },
                size,
            });
            offset += size;
        }
        func.homes[var] = Home::Cells { first, offset: 0 };
    }
    if func.stack {
        make_passed(func);
    }
    for (p, decl) in object.predicates.iter().skip(1) {
        let size = u32::from(decl.elements).min(32);
        let cell = func.cells.push(CellData {
            class: Class::Flag,
            owner: Owner::Predicate(p),
            size,
        });
        func.pred_cells[p] = cell.into();
    }
    for (a, decl) in &object.addrs {
        let size = (u32::from(decl.elements) * 2).min(32);
        let cell = func.cells.push(CellData {
            class: Class::Addr,
            owner: Owner::Addr(a),
            size,
        });
        func.addr_cells[a] = cell.into();
    }
    let in_registers = |s: &Surface| {
        s.as_u32() == predefined::SURFACE_BINDLESS || s.index() >= predefined::SURFACES.len()
    };
    for s in object.surfaces.keys().filter(in_registers) {
        let cell = func.cells.push(CellData {
            class: Class::Grf,
            owner: Owner::Surface(s),
            size: 4,
        });
        func.surface_cells[s] = cell.into();
    }
    let bindless = Sampler::from_u32(predefined::BINDLESS_SAMPLER);
    let declared = object.samplers.keys().filter(|s| *s != bindless);
    for s in declared.chain([bindless]) {
        let cell = func.cells.push(CellData {
            class: Class::Grf,
            owner: Owner::Sampler(s),
            size: 4,
        });
        func.sampler_cells[s] = cell.into();
    }
}

/// Fills in the reads and writes of instructions, without values: one read and one write of a cell at most.
fn fill_insts(func: &mut Function, accesses: &[Access], kept: &[bool]) {
    func.read_pool.reserve(accesses.len());
    func.write_pool.reserve(accesses.len() / 2);
    let mut from = 0;
    for list in accesses.chunk_by(|a, b| a.inst == b.inst) {
        let kept = &kept[from..from + list.len()];
        from += list.len();
        let (reads, writes) = (func.read_pool.len(), func.write_pool.len());
        for (a, &kept) in list.iter().zip(kept) {
            let cell = a.cell;
            if a.kind.is_read() {
                if func.read_pool[reads..].iter().all(|r| r.cell != cell) {
                    func.read_pool.push(Read {
                        cell,
                        value: Value::UNDEF,
                    });
                }
                continue;
            }
            let old = kept.then_some(Value::UNDEF).into();
            let known = func.write_pool[writes..].iter_mut();
            match known.into_iter().find(|w| w.cell == cell) {
                Some(w) if kept => w.old = old,
                Some(_) => {}
                None => func.write_pool.push(Write {
                    cell,
                    old,
                    new: Value::UNDEF,
                }),
            }
        }
        func.insts[list[0].inst as usize] = InstData {
            reads: reads as u32..func.read_pool.len() as u32,
            writes: writes as u32..func.write_pool.len() as u32,
        };
    }
}

/// Fills in the reads and writes of calls, given in the order of the instructions.
fn fill_calls(func: &mut Function, accesses: &[CallAccess]) {
    for list in accesses.chunk_by(|a, b| a.inst == b.inst) {
        let (reads, writes) = (func.read_pool.len(), func.write_pool.len());
        for &CallAccess { cell, kind, .. } in list {
            let value = Value::UNDEF;
            match kind {
                CallKind::Read => func.read_pool.push(Read { cell, value }),
                CallKind::Write { kept } => func.write_pool.push(Write {
                    cell,
                    old: kept.then_some(value).into(),
                    new: value,
                }),
            }
        }
        func.insts[list[0].inst as usize] = InstData {
            reads: reads as u32..func.read_pool.len() as u32,
            writes: writes as u32..func.write_pool.len() as u32,
        };
    }
}
