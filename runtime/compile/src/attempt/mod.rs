//! Attempts to compile a kernel: the usual one, and the fallbacks after an error that they may avoid.
//!
//! Each attempt is a whole run of the [`passes`](mod@crate::passes) from the object as it was read, with all verifiers.
//! [`Compiled::attempt`](crate::Compiled::attempt) says which attempt made the code. Where the finalizer chooses the number of registers, a
//! kernel that spills is made for each larger mode as well, and the [best](mod@crate::rank) is taken.

pub mod list;

use std::collections::{BTreeMap, HashSet};

use kiln_ir::build::uses_stack;
use kiln_ir::subroutines::Which;
use kiln_platform::platform::Platform;
use kiln_regalloc::AllocError;
use kiln_visa::module::{Object, ObjectKind};

use crate::failure::CompileError;
use crate::options::Options;
use crate::rank::{self, Variant};
use crate::result::{Compiled, Seconds};
use crate::run::{self, Failed};
use crate::stages::Shared;

pub use list::{ATTEMPTS, Attempt, Callees, Scratch};

/// True if an attempt may succeed where an earlier one failed.
fn helps(attempt: &Attempt, earlier: &Attempt, failed: &Failed) -> bool {
    match failed.error {
        CompileError::Subroutines { .. } => attempt.inlined != earlier.inlined,
        CompileError::Allocate(AllocError::TooFew { .. }) => {
            attempt.inlined == earlier.inlined && failed.has_register_arrays
        }
        _ => false,
    }
}

/// Finalizes one kernel or function that holds to the rules of vISA and of the platform. All functions that it calls
/// are taken to be entered by calls.
///
/// # Errors
/// As [`compile_in`].
pub fn compile(
    object: &Object,
    options: &Options,
    scratch: &mut Scratch,
) -> Result<Compiled, CompileError> {
    let callees = Callees {
        by_jump: &HashSet::new(),
        overwritten: BTreeMap::new(),
    };
    compile_in(object, &callees, options, scratch)
}

/// Finalizes one kernel or function of a module that holds to the rules of vISA and of the platform.
///
/// # Errors
/// The instructions that cannot be finalized, or the reason why the last attempt failed.
pub fn compile_in(
    object: &Object,
    callees: &Callees,
    options: &Options,
    scratch: &mut Scratch,
) -> Result<Compiled, CompileError> {
    let usual = compile_with(object, callees, options, scratch);
    if !options.chooses_grfs(object) || !wants_registers(&usual, options.platform) {
        return usual;
    }
    let mut all = vec![usual];
    for larger in options.larger() {
        let made = compile_with(object, callees, &larger, scratch);
        if let Err(CompileError::Stopped { .. }) = made {
            return made;
        }
        all.push(made);
    }
    let mut seconds = Seconds::default();
    let (mut made, mut variants) = (Vec::new(), Vec::new());
    for (number, one) in all.iter().enumerate() {
        if let Ok(compiled) = one {
            seconds += compiled.seconds;
            variants.push(Variant::of(&compiled.made(), options.platform));
            made.push(number);
        }
    }
    // Without a variant that compiles, the first has the error.
    let best = rank::best(&variants).map_or(0, |(best, _)| made[best]);
    let best = all.swap_remove(best);
    best.map(|compiled| Compiled {
        seconds,
        ..compiled
    })
}

/// True if code spills more than hardly, or could not be made for want of registers.
fn wants_registers(made: &Result<Compiled, CompileError>, platform: &'static Platform) -> bool {
    match made {
        Ok(compiled) => {
            let spills = compiled.allocation.spills + compiled.allocation.fills > 0;
            spills && Variant::of(&compiled.made(), platform).is_spilling()
        }
        Err(error) => matches!(error, CompileError::Allocate(AllocError::TooFew { .. })),
    }
}

/// Finalizes with the number of registers that the kernel or the options say.
fn compile_with(
    object: &Object,
    callees: &Callees,
    options: &Options,
    scratch: &mut Scratch,
) -> Result<Compiled, CompileError> {
    // A function that is called with a stack has no fixed place for the frames of subroutines.
    let is_stack_call = object.kind != ObjectKind::Kernel && uses_stack(object);
    options.wanted_grfs(object)?;
    let mut seconds = Seconds::default();
    let mut last: Option<(&Attempt, Failed)> = None;
    let stopped = |source| CompileError::stopped(object, source);
    options.stop.check().map_err(stopped)?;
    for attempt in ATTEMPTS {
        if is_stack_call && attempt.inlined == Which::Few
            || (last.as_ref()).is_some_and(|(earlier, failed)| !helps(attempt, earlier, failed))
        {
            continue;
        }
        let shared = Shared {
            source: object,
            callees,
            options,
            attempt,
        };
        match run::run(shared, scratch, &mut seconds, None) {
            Ok(compiled) => return Ok(compiled),
            Err(failed) => last = Some((attempt, failed)),
        }
    }
    // Every object has an attempt.
    Err(last.map_or_else(
        || CompileError::Subroutines {
            kernel: object.name.to_string(),
        },
        |(_, failed)| failed.error,
    ))
}
