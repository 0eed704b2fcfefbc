//! From machine IR to instructions on physical registers, routine by routine.

use kiln_isel::remat;
use kiln_regalloc::frame::Frame;
use kiln_regalloc::{Scratch, allocate_part};

use crate::failure::CompileError;
use crate::pressure::{self, Profile};
use crate::stages::{Frames, Part, Routine, Shared};

pub(crate) fn rematerialize(frames: &Frames, routine: &mut Routine) {
    let Frames { parts, grfs, .. } = frames;
    let frame = Frame::new(&routine.machine, Some(*grfs), parts.headers);
    let units = frame.map_or(routine.units, |frame| frame.units.len() as u32);
    let clobbers = |callee: u16| {
        let convention = parts.convention(callee.into());
        convention.map_or(0, |convention| convention.clobbers.len())
    };
    remat::run(&mut routine.machine, units, routine.max_units, clobbers);
}

/// Allocates the routine of a number, whose callees are allocated, and keeps its convention for its callers.
pub(crate) fn allocate(
    shared: &Shared,
    frames: &mut Frames,
    memory: &mut Scratch,
    number: usize,
    routine: Routine,
) -> Result<Part, CompileError> {
    let machine = routine.machine;
    let profile = |place| pressure::profile(&machine, frames.grfs, place);
    let mut profile = shared.options.profile.map(profile);
    frames.settings.explain = profile.as_ref().map(Profile::spot);
    let allocated = allocate_part(machine, &frames.settings, &frames.parts, memory)?;
    if let Some((profile, memory)) = profile.as_mut().zip(allocated.in_memory.as_ref()) {
        profile.add_memory(memory);
    }
    if let Some(profile) = &mut profile {
        profile.program = allocated.program.clone();
    }
    if let Some(convention) = frames.parts.conventions.get_mut(number) {
        *convention = allocated.convention;
    }
    Ok(Part {
        program: allocated.program,
        stats: allocated.stats,
        profile,
    })
}
