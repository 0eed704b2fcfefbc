//! The list of attempts, and the inputs that all of them take.

use std::collections::{BTreeMap, HashSet};

use kiln_ir::subroutines::Which;
use kiln_platform::bits::GrfSet;

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
    /// Name of the attempt in reports.
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
