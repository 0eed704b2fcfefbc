//! From the code of routines to machine code of a kernel.

use kiln_emit::assemble::assemble;
use kiln_emit::inst::Inst;
use kiln_emit::verify::pairs;
use kiln_emit::{cost, errata, prologue, scoreboard};
use kiln_machine::func::{Address, Entered};
use kiln_platform::platform::{Payload, Platform};

use super::scratch_exceeded;
use crate::failure::CompileError;
use crate::lines::Lines;
use crate::result::{Compiled, KernelInput, Relocation, Seconds};
use crate::stages::{Allocated, Facts, Linked, Shared};

/// Puts the code of subroutines after that of the kernel.
pub(crate) fn link_routines(allocated: Allocated) -> Result<Linked, CompileError> {
    let Allocated {
        shared,
        facts,
        grfs,
        programs,
        mut stats,
        profiles,
    } = allocated;
    stats.spill_bytes += facts.own_scratch;
    if facts.scratch_base + stats.spill_bytes > shared.options.platform.scratch_bytes {
        return Err(scratch_exceeded(&shared));
    }
    let mut programs = programs.into_iter();
    let mut program = programs.next().unwrap_or_default();
    program.append(programs);
    Ok(Linked {
        shared,
        facts,
        grfs,
        program,
        stats,
        profiles,
        loads: prologue::Loads::default(),
        id_loading_bytes: 0,
    })
}

/// Puts the code that loads a kernel's arguments before its own, on platforms where they are in memory.
pub(crate) fn add_prologue(linked: &mut Linked) -> Result<(), CompileError> {
    let Some((inputs, platform)) = inputs_of(&linked.shared, &linked.facts, linked.grfs) else {
        return Ok(());
    };
    let blocks = prologue::code(&inputs, platform);
    let blocks = blocks.map_err(|e| CompileError::broken(linked.shared.source, "prologue", &e))?;
    linked.program.prepend(blocks);
    linked.loads = prologue::loads(&inputs, platform);
    linked.facts.symbols.push(Address {
        name: prologue::ARGUMENTS_OFFSET.to_string(),
        high: false,
    });
    Ok(())
}

/// The code that runs right before a kernel's own.
pub(crate) fn before(allocated: &Allocated) -> Vec<Inst> {
    let inputs = inputs_of(&allocated.shared, &allocated.facts, allocated.grfs);
    let blocks = inputs.and_then(|(inputs, platform)| prologue::code(&inputs, platform).ok());
    blocks.unwrap_or_default().concat()
}

/// The inputs of a kernel whose arguments are in memory.
fn inputs_of(
    shared: &Shared,
    facts: &Facts,
    grfs: u32,
) -> Option<(prologue::Inputs, &'static Platform)> {
    let Shared {
        source, options, ..
    } = *shared;
    let dispatched = facts.entered == Entered::Dispatched;
    if !dispatched || options.platform.payload != Payload::Memory {
        return None;
    }
    let per_thread = source.int_attr("PerThreadInputSize").unwrap_or(0);
    let ranges = source.inputs.iter().map(|input| {
        let start = u32::from(input.offset);
        start..start + u32::from(input.size)
    });
    let inputs = prologue::Inputs {
        per_thread: u32::try_from(per_thread).unwrap_or(0),
        ranges: ranges.collect(),
        // The kernel's copy of r0, in the last register, need not wait for the messages.
        register: grfs - 2,
        symbol: facts.symbols.len() as u32,
    };
    (prologue::blocks(&inputs, options.platform).0 > 0).then_some((inputs, options.platform))
}

/// Makes the code wait for its dependencies, on platforms where the hardware does not.
pub(crate) fn annotate(linked: &mut Linked) -> Result<(), CompileError> {
    let platform = linked.shared.options.platform;
    scoreboard::run(&mut linked.program, platform, &linked.facts.addressed);
    if let Some((inputs, platform)) = inputs_of(&linked.shared, &linked.facts, linked.grfs)
        && prologue::blocks(&inputs, platform).1
    {
        linked.id_loading_bytes = prologue::pad(&mut linked.program);
    }
    Ok(())
}

pub(crate) fn assemble_code(linked: Linked) -> Result<Compiled, CompileError> {
    let inputs = inputs_of(&linked.shared, &linked.facts, linked.grfs);
    let loading_blocks = inputs.map_or(0, |(inputs, platform)| {
        prologue::blocks(&inputs, platform).0
    });
    let Linked {
        shared,
        facts,
        grfs,
        program,
        mut stats,
        mut profiles,
        loads,
        id_loading_bytes,
    } = linked;
    let Shared {
        source,
        options,
        attempt,
        ..
    } = shared;
    let platform = options.platform;
    let header_is_overwritten = errata::header::is_overwritten(&program, platform);
    let unpaired = pairs::check_program(&program, platform, source.is_explicit()).is_err();
    let assembled = assemble(&program, platform).map_err(|e| CompileError::Encode {
        kernel: source.name.to_string(),
        source: e,
    })?;
    if stats.spill_bytes > 0 {
        let scratch = cost::scratch(program.blocks.iter().flatten(), platform);
        stats.spills = scratch.spills as u32;
        stats.fills = scratch.fills as u32;
    }
    let loading = program.blocks.iter().take(loading_blocks as usize);
    let loading_bytes = match loading.map(Vec::len).sum::<usize>() {
        0 => 0,
        count => {
            (assembled.inst_offsets.get(count).copied()).unwrap_or(assembled.code.len() as u32)
        }
    };
    let mut lines = Lines::of(&program, &assembled.inst_offsets);
    lines.locate(source);
    if options.names {
        lines.name(&program, &assembled.inst_offsets, source);
    }
    for profile in &mut profiles {
        profile.locate(source);
    }
    let relocations = assembled.relocations.iter();
    let relocation = |found| Relocation::of(found, &facts.symbols);
    let named_barriers = source.int_attr("NBarrierCnt").unwrap_or(0);
    Ok(Compiled {
        name: source.name.to_string(),
        entered: facts.entered,
        addressed: false,
        stack: facts.stack,
        inputs: source
            .inputs
            .iter()
            .map(|i| KernelInput::of(source, i))
            .collect(),
        lines,
        relocations: relocations.map(relocation).collect(),
        symbols: Vec::new(),
        stack_bytes: 0,
        simd: facts.simd,
        grf_count: platform.mode_of(grfs).grfs,
        scratch_base: facts.scratch_base,
        id_loading_bytes,
        loading_bytes,
        loads,
        barrier: facts.barrier,
        named_barriers: u32::try_from(named_barriers).unwrap_or(0),
        uninterruptible: facts.uninterruptible || header_is_overwritten,
        unpaired,
        visa_instructions: source.insts.len(),
        instructions: program.blocks.iter().map(Vec::len).sum(),
        code: assembled.code,
        allocation: stats,
        arrays_in_memory: facts.arrays_in_memory,
        attempt,
        seconds: Seconds::default(),
        profiles,
        dumps: Vec::new(),
    })
}
