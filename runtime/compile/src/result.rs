//! Results of a compilation: machine code with what a loader, a debugger and statistics need.

use kiln_emit::assemble::RelocationKind;
use kiln_machine::func::Entered;
use kiln_regalloc::{Allocator, Stats};
use serde::Serialize;

use crate::lines::Lines;
use crate::options::Stage;
use crate::pressure::Profile;

/// Seconds each phase took. Control flow's passes count among those of register allocation.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Seconds {
    pub ir: f64,
    pub isel: f64,
    pub regalloc: f64,
    pub emit: f64,
}

/// A place in the code that holds the address of a name, to be filled in by the loader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relocation {
    /// Of the field, in bytes from the start of the code.
    pub offset: u32,
    pub symbol: String,
    pub kind: RelocationKind,
}

/// A variable that holds a value when a kernel begins, as vISA declares it (`.input`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInput {
    /// Of the variable.
    pub name: String,
    /// In the register file, and size; in bytes.
    pub offset: u32,
    pub size: u32,
    /// The type of vISA (`uq`, `f`), if it is a general variable of one element.
    pub scalar: Option<String>,
}

/// A kernel or function in linked code, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    pub offset: u32,
    pub size: u32,
}

/// A finalized kernel or function.
pub struct Compiled {
    pub name: String,
    pub entered: Entered,
    /// Keeps to the convention of stack calls.
    pub stack: bool,
    /// Machine code; of a linked kernel with that of the functions that it calls by name.
    pub code: Vec<u8>,
    /// Its inputs, in the order of their declarations.
    pub inputs: Vec<KernelInput>,
    /// What its parts come from.
    pub lines: Lines,
    pub relocations: Vec<Relocation>,
    /// What is where in the code, if it is linked; the first is the whole's own.
    pub symbols: Vec<Symbol>,
    /// Bytes of scratch space for the stacks of what it calls.
    pub stack_bytes: u32,
    /// Channels of a dispatch.
    pub simd: u8,
    /// Bytes at the start of scratch space that the vISA itself uses; spills come behind them.
    pub scratch_base: u32,
    /// Whether the kernel waits at a barrier.
    pub barrier: bool,
    /// Whether its threads must not be interrupted in the middle.
    pub uninterruptible: bool,
    /// Instructions of vISA and of Gen.
    pub visa_instructions: usize,
    pub instructions: usize,
    pub allocation: Stats,
    /// What has assigned its registers.
    pub allocator: Allocator,
    pub seconds: Seconds,
    /// The register pressure, if it was asked for: the object's own, and its subroutines'.
    pub profiles: Vec<Profile>,
    /// The dumps asked for, in the order of the stages.
    pub dumps: Vec<(Stage, String)>,
}

/// The finalized kernels of a module.
pub struct CompiledModule {
    /// Each with the functions that it calls by name.
    pub kernels: Vec<Compiled>,
    /// Functions that are called by address, likewise.
    pub functions: Vec<Compiled>,
    /// Seconds that reading and checking the files took.
    pub read_seconds: f64,
    /// The module as text, if that stage was asked for.
    pub visa: Option<String>,
}

impl CompiledModule {
    /// The kernel of that name.
    pub fn kernel(&self, name: &str) -> Option<&Compiled> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// All that has code of its own: the kernels, and behind them the functions that are called by address.
    pub fn parts(&self) -> impl Iterator<Item = &Compiled> {
        self.kernels.iter().chain(&self.functions)
    }
}
