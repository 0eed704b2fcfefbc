//! Stages of a kernel between an object and machine code. Each has all that is known there, and nothing that is not, so
//! that a pass in a wrong place of the list does not compile.
//!
//! [`Source`] -> [`Built`] -> [`Selected`] -> [`Allocated`] -> [`Linked`] -> [`Compiled`](crate::Compiled)

use std::ops::Range;

use kiln_emit::assemble::Program;
use kiln_emit::prologue::Loads;
use kiln_machine::func::{Address, Entered, Function as Machine};
use kiln_machine::graph::Graph;
use kiln_regalloc::Stats;
use kiln_regalloc::routines::Parts;
use kiln_visa::module::Object;

use crate::attempt::list::{Attempt, Callees};
use crate::options::Options;
use crate::pressure::Profile;

/// The inputs of a run of the passes.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'a> {
    /// The object as it was read.
    pub source: &'a Object,
    pub callees: &'a Callees<'a>,
    pub options: &'a Options,
    pub attempt: &'static Attempt,
}

/// vISA that selection can take.
pub(crate) struct Source<'a> {
    pub shared: Shared<'a>,
    /// The object as the last rewrite left it.
    pub object: &'a Object,
}

/// The SSA form of an object.
pub(crate) struct Built<'a> {
    pub shared: Shared<'a>,
    pub object: &'a Object,
    pub func: kiln_ir::func::Function<'a>,
    /// Maximum number of registers.
    pub grfs: u32,
    /// Bytes at the start of scratch space that the vISA uses itself.
    pub scratch_base: u32,
}

/// Facts about a kernel that selection decides.
pub(crate) struct Facts {
    pub simd: u8,
    pub stack: bool,
    pub entered: Entered,
    pub barrier: bool,
    pub uninterruptible: bool,
    /// Bytes at the start of scratch space that the vISA uses itself.
    pub scratch_base: u32,
    /// Bytes of scratch space that selection uses.
    pub own_scratch: u32,
    /// Variables whose address is taken that are in scratch space.
    pub arrays_in_memory: Vec<String>,
    /// General registers that addresses may name.
    pub addressed: Vec<Range<u32>>,
    /// Symbols that the code names, by number.
    pub symbols: Vec<Address>,
}

/// Machine IR of the routines of a kernel.
pub(crate) struct Selected<'a> {
    pub shared: Shared<'a>,
    pub facts: Facts,
    /// The kernel's own code first.
    pub routines: Vec<Routine>,
    /// Routines by number, callees before their callers.
    pub bottom_up: Vec<usize>,
    pub frames: Frames,
    /// True if variables whose address is taken are in registers.
    pub has_register_arrays: bool,
}

/// A routine on its way through machine IR.
pub struct Routine {
    pub(crate) machine: Machine,
    /// The control-flow graph of `machine`.
    pub(crate) graph: Graph,
    /// Allocation units that are given out, as far as is known before headers are.
    pub(crate) units: u32,
    /// Upper bound of the allocation units that are live at once.
    pub(crate) max_units: u32,
}

impl Routine {
    pub(crate) fn new(machine: Machine, units: u32) -> Routine {
        Routine {
            graph: Graph::new(&machine),
            units,
            max_units: u32::MAX,
            machine,
        }
    }
}

/// The registers and conventions that the routines of a kernel share.
pub(crate) struct Frames {
    /// Conventions of the routines that are allocated, and clobbers of functions.
    pub parts: Parts,
    pub settings: kiln_regalloc::Options,
    /// Maximum number of registers.
    pub grfs: u32,
}

/// The allocated code of one routine.
pub(crate) struct Part {
    pub program: Program,
    pub stats: Stats,
    pub profile: Option<Profile>,
}

/// The allocated code of the routines of a kernel.
pub(crate) struct Allocated<'a> {
    pub shared: Shared<'a>,
    pub facts: Facts,
    pub grfs: u32,
    /// By number of the routine.
    pub programs: Vec<Program>,
    pub stats: Stats,
    pub profiles: Vec<Profile>,
}

/// The allocated code of a kernel.
pub(crate) struct Linked<'a> {
    pub shared: Shared<'a>,
    pub facts: Facts,
    pub grfs: u32,
    pub program: Program,
    pub stats: Stats,
    pub profiles: Vec<Profile>,
    /// Local ids and arguments that the prologue loads.
    pub loads: Loads,
    /// Bytes of the code that loads local ids.
    pub id_loading_bytes: u32,
}
