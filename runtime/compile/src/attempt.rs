//! Attempts to compile a kernel: the usual one, and the fallbacks after an error that they may avoid.
//!
//! Each attempt is a whole run of the [`passes`](mod@crate::passes) from the object as it was read, with all verifiers.
//! [`Compiled::attempt`](crate::Compiled::attempt) says which attempt made the code.

use std::collections::{BTreeMap, HashSet};

use kiln_ir::build::uses_stack;
use kiln_ir::subroutines::Which;
use kiln_platform::bits::GrfSet;
use kiln_regalloc::AllocError;
use kiln_visa::module::{Object, ObjectKind};

use crate::failure::CompileError;
use crate::options::{Grfs, Options};
use crate::passes::{self, Failed};
use crate::result::{Compiled, Seconds};

/// Facts about the functions of a module that one of its objects calls.
pub struct Callees<'a> {
    /// Names of the functions that are entered by jumps.
    pub by_jump: &'a HashSet<&'a str>,
    /// GRFs that a call of a function clobbers, by name, for the functions that are compiled already.
    pub overwritten: BTreeMap<String, GrfSet>,
}

/// Memory that compilations use one after the other. No result depends on its contents.
#[derive(Default)]
pub struct Scratch {
    pub(crate) allocation: kiln_regalloc::Scratch,
}

/// Decisions that hold for a whole run of the passes.
#[derive(Debug, PartialEq, Eq)]
pub struct Attempt {
    pub name: &'static str,
    /// The subroutines that are inlined.
    pub inlined: Which,
    /// True if variables whose address is taken are in scratch memory even where registers could hold them.
    pub arrays_in_memory: bool,
}

/// The attempts, in the order in which they are made.
pub const ATTEMPTS: &[Attempt] = &[
    attempt("usual", Which::Few, false),
    attempt("arrays in memory", Which::Few, true),
    attempt("all inlined", Which::All, false),
    attempt("all inlined, arrays in memory", Which::All, true),
];

const fn attempt(name: &'static str, inlined: Which, arrays_in_memory: bool) -> Attempt {
    Attempt {
        name,
        inlined,
        arrays_in_memory,
    }
}

impl Attempt {
    /// True if the attempt may succeed where an earlier one failed.
    fn helps(&self, earlier: &Attempt, failed: &Failed) -> bool {
        match failed.error {
            CompileError::Subroutines { .. } => self.inlined != earlier.inlined,
            CompileError::Allocate(AllocError::TooFew { .. }) => {
                self.inlined == earlier.inlined && failed.has_register_arrays
            }
            _ => false,
        }
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
    // A function that is called with a stack has no fixed place for the frames of subroutines.
    let is_stack_call = object.kind != ObjectKind::Kernel && uses_stack(object);
    wanted_grfs(object, options)?;
    let mut seconds = Seconds::default();
    let mut last: Option<(&Attempt, Failed)> = None;
    for attempt in ATTEMPTS {
        if is_stack_call && attempt.inlined == Which::Few
            || (last.as_ref()).is_some_and(|(earlier, failed)| !attempt.helps(earlier, failed))
        {
            continue;
        }
        match passes::run(object, callees, options, attempt, scratch, &mut seconds) {
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

/// The number of registers that a kernel may use, unless its pressure decides.
///
/// # Errors
/// The kernel asks for a number that is no register mode of the platform.
pub fn wanted_grfs(object: &Object, options: &Options) -> Result<u32, CompileError> {
    let attribute = match options.grfs {
        Grfs::Kernel => object.int_attr(NUM_GRF).filter(|&count| count != 0),
        Grfs::Limit | Grfs::Auto => None,
    };
    let Some(count) = attribute else {
        return Ok(options.grf_limit);
    };
    let modes = options.platform.grf_modes;
    let known = u32::try_from(count)
        .ok()
        .filter(|&count| modes.iter().any(|mode| mode.grfs == count));
    known.ok_or_else(|| {
        let error = AllocError::Mode {
            func: object.name.to_string(),
            count,
            platform: options.platform.name,
        };
        error.into()
    })
}

/// True if the pressure decides on the number of registers.
pub fn chooses_grfs(object: &Object, options: &Options) -> bool {
    match options.grfs {
        Grfs::Auto => true,
        Grfs::Kernel => object.int_attr(NUM_GRF) == Some(0),
        Grfs::Limit => false,
    }
}

/// Attribute of a kernel with the number of registers of its threads; 0 leaves it to the finalizer.
const NUM_GRF: &str = "NumGRF";
