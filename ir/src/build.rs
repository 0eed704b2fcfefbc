//! Construction of the IR: takes a vISA object, guarantees SSA form on its linear graph.
//!
//! In turn: control flow, storage of variables, accesses of cells, layout, liveness of old contents, SSA.

use cranelift_entity::packed_option::PackedOption;
use cranelift_entity::{EntityRef, PrimaryMap, SecondaryMap};
use kiln_platform::platform::Platform;
use kiln_visa::module::{Object, ObjectKind, Operand, Var, predefined};
use kiln_visa::opcode::Opcode;

use crate::access::{self, Lanes, Reached};
use crate::address_taken;
use crate::cfg::{self, CfgError};
use crate::dominators::Dominators;
use crate::func::*;
use crate::linear;
use crate::liveness::{Access, Accesses, CallAccess, CallKind, Graph, Solver, coarsen};
use crate::share_cells;
use crate::ssa::{self, Origin, Placer};
use crate::{lane_local, pack, ranges, storage};

/// Options of the construction.
#[derive(Clone, Debug)]
pub struct BuildOptions {
    /// Narrow variables share cells ([`crate::pack`]).
    pub pack: bool,
    /// Number of allocation units, where no more cells are to live at once if cells share homes ([`crate::share_cells`]).
    pub units: Option<u32>,
}

impl Default for BuildOptions {
    fn default() -> BuildOptions {
        BuildOptions {
            pack: true,
            units: None,
        }
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
    let graph = cfg::build(object, target)?;
    let mut func = empty(object, target, &graph);
    let uses = options.pack.then(|| pack::uses(object, target));
    let assigned = storage::assign(&mut func, &graph, uses);
    debug_assert!(keeps_contents(&func, &graph, &assigned.placed));
    address_taken::place(&mut func, &graph, &assigned.taken)?;
    let (mut accesses, lanes) = access::collect(&func, &graph, &Reached::new())?;
    let mut sizes: SecondaryMap<Cell, u32> =
        func.cells.iter().map(|(c, data)| (c, data.size)).collect();
    coarsen(&mut accesses, &sizes);
    let linear = linear::lay_out(&graph);
    let doms = Dominators::of(&linear.blocks, &linear.routines);
    (func.blocks, func.routines) = (linear.blocks, linear.routines);
    if let Some(units) = options.units {
        let placer = Placer::new(&func, &doms, &linear.origins);
        let homes = share(&func, &graph, (&accesses, &sizes), lanes, placer, units);
        for (cell, home) in homes.moved() {
            func.cells[home].size = func.cells[home].size.max(func.cells[cell].size);
            sizes[home] = func.cells[home].size;
        }
        for access in &mut accesses.list {
            access.cell = homes.of(access.cell);
        }
        func.homes = homes;
    }
    rename(
        &mut func,
        &graph,
        (&accesses, &sizes),
        &doms,
        &linear.origins,
    );
    Ok(func)
}

/// True if no read of a variable finds contents of a temporary with its storage, or the other way round: the proof of
/// [`share_cells::check`], for variables that have cells of their own. A function without a proof counts as right.
fn keeps_contents(func: &Function, graph: &cfg::Cfg, placed: &[(Var, Var)]) -> bool {
    if placed.is_empty() {
        return true;
    }
    let mut apart = empty(func.object, func.target, graph);
    let assigned = storage::assign(&mut apart, graph, None);
    if address_taken::place(&mut apart, graph, &assigned.taken).is_err() {
        return true;
    }
    let Ok((accesses, _)) = access::collect(&apart, graph, &Reached::new()) else {
        return true;
    };
    let mut homes = Homes::default();
    for &(var, home) in placed {
        let cells = apart.cells_of(var).zip(apart.cells_of(home));
        if let Some(((cell, _), (home, _))) = cells {
            homes.join(cell, home);
        }
    }
    share_cells::check::conflict(graph, &accesses, &homes).is_none()
}

/// A function without cells, blocks and accesses.
pub(crate) fn empty<'m>(
    object: &'m Object,
    target: &'static Platform,
    graph: &cfg::Cfg,
) -> Function<'m> {
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
        homes: Homes::default(),
        storage: SecondaryMap::with_default(VarStorage::Special),
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
        payload_bytes: storage::payload_bytes(object, target),
        stack: uses_stack(object),
    };
    func.values.push(ValueData {
        cell: PackedOption::default(),
        def: Def::Undef,
    });
    func.storage.resize(object.vars.len());
    func
}

/// Finds homes for cells where more of them live at once than there are units.
fn share(
    func: &Function,
    graph: &cfg::Cfg,
    (accesses, sizes): (&Accesses, &SecondaryMap<Cell, u32>),
    mut lanes: Lanes,
    placer: Placer,
    units: u32,
) -> Homes {
    let general = func.cells.values().filter(|data| data.class == Class::Grf);
    if general.count() <= units as usize {
        return Homes::default();
    }
    let flow = Graph::new(graph, accesses, sizes, func.cells.len());
    let locals = ranges::locals(func, &flow);
    if !share_cells::may_exceed(func, &flow.global, &locals, units) {
        return Homes::default();
    }
    let (kept, batches) = flow.split();
    let solver = Solver::new(&flow, kept);
    let ranges = ranges::of(func, graph, accesses, (solver, &batches), placer, locals);
    // Contents that live from one call of a subroutine to the next pass through its callers.
    let subroutines = graph.routines.iter().skip(1);
    let entries: Vec<u32> = subroutines
        .map(|blocks| 2 * graph.blocks[blocks.start].insts.start)
        .collect();
    let is_passed = |cell: Cell| {
        let carried = &ranges[cell.index()].carried;
        flow.is_shared(cell)
            || entries
                .iter()
                .any(|entry| carried.iter().any(|s| s.contains(entry)))
    };
    for cell in func.cells.keys().filter(|&cell| is_passed(cell)) {
        lanes[cell] = None;
    }
    let homes = share_cells::share(func, &lanes, ranges, units);
    debug_assert_eq!(share_cells::check::conflict(graph, accesses, &homes), None);
    homes
}

/// Gives each access of a cell the value that it reads or defines.
fn rename(
    func: &mut Function,
    graph: &cfg::Cfg,
    (accesses, sizes): (&Accesses, &SecondaryMap<Cell, u32>),
    doms: &Dominators,
    origins: &[Origin],
) {
    let graph = Graph::new(graph, accesses, sizes, func.cells.len());
    let (kept, batches) = graph.split();
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
    lane_local::forget(func);
    ssa::drop_undefined(func);
}

/// Channels of a kernel without the attribute: those of the widest instruction under the execution mask. Calls and
/// jumps may be wider than all else.
fn widest(object: &Object) -> u8 {
    let reach = object
        .insts
        .iter()
        .filter(|i| !i.exec.no_mask && !matches!(i.op, Opcode::Call | Opcode::Ret | Opcode::Jmp))
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
