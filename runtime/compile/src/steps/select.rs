//! From vISA to legal machine IR.

use kiln_ir::build::BuildOptions;
use kiln_ir::func::VarStorage;
use kiln_isel::select::{self, Room};
use kiln_isel::{legalize, schedule};
use kiln_machine::func::Function as Machine;
use kiln_platform::platform::UNIT_GRFS;
use kiln_regalloc::frame::Frame;
use kiln_regalloc::routines::Parts;

use super::scratch_exceeded;
use crate::failure::{CompileError, Unsupported};
use crate::stages::{Built, Facts, Frames, Routine, Selected, Shared, Source};

/// Twelfths of the allocation units that cells may take before they share homes.
const UNITS_OF_CELLS: u32 = 11;

pub(crate) fn build_ir(source: Source) -> Result<Built, CompileError> {
    let Source { shared, object } = source;
    let options = shared.options;
    let base = object.int_attr("SpillMemOffset").unwrap_or(0);
    let base = u32::try_from(base)
        .ok()
        .filter(|base| *base <= options.platform.scratch_bytes);
    let scratch_base = base.ok_or_else(|| scratch_exceeded(&shared))?;
    let grfs = options.wanted_grfs(shared.source)?;
    let build = BuildOptions {
        // One unit holds the copy of r0, and selection makes values beside the cells.
        units: (options.optimize).then(|| grfs / UNIT_GRFS * UNITS_OF_CELLS / 12 - 1),
        ..BuildOptions::default()
    };
    let func = kiln_ir::build::build_with(object, options.platform, build)
        .map_err(|source| CompileError::flow(object, source))?;
    if !select::can_pass(&func) {
        return Err(CompileError::Subroutines {
            kernel: object.name.to_string(),
        });
    }
    Ok(Built {
        shared,
        object,
        func,
        grfs,
        scratch_base,
    })
}

pub(crate) fn select(built: Built) -> Result<Selected, CompileError> {
    let Built {
        shared,
        object,
        func,
        grfs,
        scratch_base,
    } = built;
    let Shared {
        callees,
        options,
        attempt,
        ..
    } = shared;
    let calls = select::Calls {
        abi: options.abi.with_grfs(grfs),
        by_jump: &|name| callees.by_jump.contains(name),
    };
    let room = Room {
        grfs,
        scratch_base,
        in_memory: attempt.arrays_in_memory,
        interruptible: options.interruptible,
    };
    let machines = select::select_in(&func, options.platform, &calls, room).map_err(|errors| {
        let one = |e: select::SelectError| Unsupported {
            inst: object
                .insts
                .get(e.inst)
                .map_or(e.inst, |i| i.origin as usize),
            what: format!("{}: {}", e.op, e.what),
        };
        CompileError::unsupported(object, errors.into_iter().map(one).collect())
    })?;
    let own_scratch = machines[0].scratch_bytes;
    let mut arrays_in_memory = Vec::new();
    if own_scratch > 0 {
        use VarStorage::{Fixed, FixedPayload};
        let is_array = |s: &VarStorage| matches!(s, Fixed { .. } | FixedPayload { .. });
        let arrays = func.storage.iter().filter(|(_, s)| is_array(s));
        arrays_in_memory.extend(arrays.map(|(var, _)| object.vars[var].name.to_string()));
    }
    let addressed = |machine: &Machine| {
        let header = machine.header.map(|header| header..header + 1);
        machine
            .reserved
            .iter()
            .cloned()
            .chain(header)
            .collect::<Vec<_>>()
    };
    let symbols = machines.last().map(|last| &last.symbols);
    let facts = Facts {
        simd: match object.is_explicit() {
            true => 1,
            false => func.simd,
        },
        stack: func.stack,
        entered: machines[0].entered,
        barrier: machines.iter().any(|machine| machine.barrier),
        uninterruptible: machines.iter().any(|machine| machine.uninterruptible),
        scratch_base,
        own_scratch,
        arrays_in_memory,
        addressed: machines.iter().flat_map(addressed).collect(),
        symbols: symbols.map_or(Vec::new(), |symbols| symbols.values().cloned().collect()),
    };
    let frames = Frames {
        parts: Parts {
            functions: callees.overwritten.clone(),
            ..Parts::default()
        },
        settings: kiln_regalloc::Options {
            grf_limit: Some(grfs),
            allocator: options.allocator,
            check: options.verify,
            pressure: options.pressure,
            names: options.names,
            scratch_base: scratch_base + own_scratch,
            ..kiln_regalloc::Options::default()
        },
        grfs,
    };
    let has_register_arrays = own_scratch == 0 && !machines[0].reserved.is_empty();
    let units = grfs / UNIT_GRFS;
    let routine = |machine: Machine| {
        let frame = Frame::new(&machine, Some(grfs), None);
        let units = frame.map_or(units, |frame| frame.units.len() as u32);
        Routine::new(machine, units)
    };
    Ok(Selected {
        shared,
        facts,
        routines: machines.into_iter().map(routine).collect(),
        bottom_up: func.bottom_up.iter().map(|r| r.as_u32() as usize).collect(),
        frames,
        has_register_arrays,
    })
}

pub(crate) fn legalize(shared: &Shared, routine: &mut Routine) -> Result<(), CompileError> {
    legalize::run(&mut routine.machine).map_err(|errors| {
        let one = |e: legalize::LegalizeError| Unsupported {
            inst: e.origin as usize,
            what: e.what,
        };
        CompileError::unsupported(shared.source, errors.into_iter().map(one).collect())
    })
}

pub(crate) fn schedule(routine: &mut Routine) {
    routine.max_units = schedule::run(&mut routine.machine, routine.units);
}

/// Chooses the registers for the copies of r0 that the routines of a kernel share.
pub(crate) fn share_headers(selected: &mut Selected) -> Result<(), CompileError> {
    if let [first, _, ..] = &selected.routines[..] {
        let count = selected.routines.len();
        let Frames {
            parts, settings, ..
        } = &mut selected.frames;
        parts.have(&first.machine, count, settings)?;
    }
    Ok(())
}
