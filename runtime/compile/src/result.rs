//! Results of a compilation: machine code, and facts for a loader, a debugger and statistics.

use std::ops::AddAssign;
use std::time::Instant;

use kiln_emit::assemble::{self, RelocationKind};
use kiln_emit::prologue::Loads;
use kiln_machine::func::{Address, Entered};
use kiln_regalloc::Stats;
use kiln_visa::module::{Input, InputVar, Object};
use serde::{Deserialize, Serialize};

#[cfg(not(feature = "objects"))]
use crate::absent::Interface;
use crate::absent::Warning;
use crate::attempt::list::Attempt;
#[cfg(feature = "objects")]
use crate::interface::data::Interface;
use crate::level::Level;
use crate::lines::Lines;
use crate::options::Stage;
use crate::pressure::Profile;
use crate::rank::Made;
use crate::stored;

/// Seconds of each phase. Passes over control flow count as register allocation.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Seconds {
    /// From vISA to the IR in SSA form.
    pub ir: f64,
    /// Selection, and the passes over machine IR.
    pub isel: f64,
    /// Register allocation, and the passes over allocated code.
    pub regalloc: f64,
    /// Encoding.
    pub emit: f64,
}

impl Seconds {
    /// Adds the time since `start` to the phase of a level.
    pub(crate) fn add(&mut self, level: Level, start: Instant) {
        let phase = match level {
            Level::Object | Level::Ir => &mut self.ir,
            Level::Wide | Level::Legal => &mut self.isel,
            Level::LaidOut | Level::Allocated | Level::Formed => &mut self.regalloc,
            Level::Code => &mut self.emit,
        };
        *phase += start.elapsed().as_secs_f64();
    }
}

impl AddAssign for Seconds {
    fn add_assign(&mut self, other: Seconds) {
        self.ir += other.ir;
        self.isel += other.isel;
        self.regalloc += other.regalloc;
        self.emit += other.emit;
    }
}

/// A field in the code that the loader fills with an address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relocation {
    /// Offset of the field in bytes from the start of the code.
    pub offset: u32,
    /// Name of the kernel, function or variable whose address it is.
    pub symbol: String,
    /// Part of the address, and size of the field.
    #[serde(with = "stored::RelocationKindForm")]
    pub kind: RelocationKind,
}

impl Relocation {
    /// A relocation of assembled code, with the name of its symbol.
    pub(crate) fn of(found: &assemble::Relocation, addresses: &[Address]) -> Relocation {
        let address = &addresses[found.symbol as usize];
        Relocation {
            offset: found.offset,
            symbol: address.name.clone(),
            kind: match (found.kind, address.high) {
                (RelocationKind::AddressLow, true) => RelocationKind::AddressHigh,
                (kind, _) => kind,
            },
        }
    }
}

/// A variable that holds a value when a kernel starts, as vISA declares it (`.input`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelInput {
    /// Name of the variable.
    pub name: String,
    /// Offset in the register file, in bytes.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// vISA type (`uq`, `f`) of a general variable with one element.
    pub scalar: Option<String>,
}

impl KernelInput {
    pub(crate) fn of(object: &Object, input: &Input) -> KernelInput {
        let (name, scalar) = match input.var {
            InputVar::General(var) => {
                let declared = &object.vars[var];
                let scalar = (declared.elements == 1).then(|| declared.ty.name().to_string());
                (&declared.name, scalar)
            }
            InputVar::Sampler(sampler) => (&object.samplers[sampler].name, None),
            InputVar::Surface(surface) => (&object.surfaces[surface].name, None),
        };
        KernelInput {
            name: name.to_string(),
            offset: input.offset.into(),
            size: input.size.into(),
            scalar,
        }
    }
}

/// The code of a kernel or function in linked code; offset and size in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    /// Name of the kernel or function.
    pub name: String,
    /// Offset in the linked code, in bytes.
    pub offset: u32,
    /// Size of its own code, in bytes.
    pub size: u32,
}

/// A finalized kernel or function. The code cache stores it without times, profiles and dumps, which are of one run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Compiled {
    /// Name of the kernel or function.
    pub name: String,
    /// Way in which it is entered: by a dispatch or by a call.
    #[serde(with = "stored::EnteredForm")]
    pub entered: Entered,
    /// True for a function that may be called by its address.
    pub addressed: bool,
    /// True if it follows the convention of stack calls.
    pub stack: bool,
    /// Machine code; a linked kernel's includes the functions that it calls by name.
    #[serde(with = "stored::code")]
    pub code: Vec<u8>,
    /// Inputs in the order of their declarations.
    pub inputs: Vec<KernelInput>,
    /// Line table of the code.
    pub lines: Lines,
    /// Fields that the loader fills, in the order of the code.
    pub relocations: Vec<Relocation>,
    /// Kernels and functions in linked code; the first covers the whole.
    pub symbols: Vec<Symbol>,
    /// Bytes of scratch space for the stack frames of its callees.
    pub stack_bytes: u32,
    /// Number of registers of a thread: the register mode.
    pub grf_count: u32,
    /// Work-items of a thread: its channels, or 1 in a kernel of explicit SIMD.
    pub simd: u8,
    /// Bytes at the start of scratch space that the vISA uses itself; spill slots follow.
    pub scratch_base: u32,
    /// Bytes of the code that loads local ids, which threads leave out that have them.
    pub id_loading_bytes: u32,
    /// Bytes of the code that loads local ids and arguments, before the kernel's own.
    pub loading_bytes: u32,
    /// Local ids and arguments that the prologue loads, on platforms whose arguments are in memory.
    #[serde(with = "stored::LoadsForm")]
    pub loads: Loads,
    /// True if the kernel waits at a barrier.
    pub barrier: bool,
    /// Number of named barriers that the kernel says it has.
    pub named_barriers: u32,
    /// True if its threads must not be interrupted in the middle of the code.
    pub uninterruptible: bool,
    /// True if its threads must not run in pairs of execution units.
    pub unpaired: bool,
    /// Number of vISA instructions.
    pub visa_instructions: usize,
    /// Number of machine instructions.
    pub instructions: usize,
    /// Figures of register allocation.
    #[serde(with = "stored::StatsForm")]
    pub allocation: Stats,
    /// Variables whose address is taken that are in scratch space, for want of registers.
    pub arrays_in_memory: Vec<String>,
    /// The attempt that made the code, one of [`ATTEMPTS`](crate::attempt::ATTEMPTS).
    #[serde(with = "stored::attempt")]
    pub attempt: &'static Attempt,
    /// Time of each phase.
    #[serde(skip)]
    pub seconds: Seconds,
    /// Register pressure of the object and of its subroutines, if it was asked for.
    #[serde(skip)]
    pub profiles: Vec<Profile>,
    /// Dumps that were asked for, in the order of the stages.
    #[serde(skip)]
    pub dumps: Vec<(Stage, String)>,
}

impl Compiled {
    /// Facts for its figures as a variant.
    pub(crate) fn made(&self) -> Made<'_> {
        let own = self.symbols.first().map(|own| own.size as usize);
        let code = own.and_then(|own| self.code.get(..own));
        Made {
            code: code.unwrap_or(&self.code),
            simd: self.simd.into(),
            grfs: self.grf_count,
            spill_bytes: self.allocation.spill_bytes,
        }
    }
}

/// The finalized kernels of a module.
#[derive(Debug, Default)]
pub struct CompiledModule {
    /// Kernels, each with the functions that it calls by name.
    pub kernels: Vec<Compiled>,
    /// Functions that are called by address, likewise.
    pub functions: Vec<Compiled>,
    /// Seconds of reading and checking the files.
    pub read_seconds: f64,
    /// The module as text, if that stage was asked for.
    pub visa: Option<String>,
    /// The interfaces of the kernels, where the input says them.
    pub interface: Option<Interface>,
    /// Parts of LLVM IR that are compiled in another way than it asks for.
    pub warnings: Vec<Warning>,
}

impl CompiledModule {
    /// The kernel of that name.
    pub fn kernel(&self, name: &str) -> Option<&Compiled> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// All separately linked code: the kernels, then the functions that are called by address.
    pub fn parts(&self) -> impl Iterator<Item = &Compiled> {
        self.kernels.iter().chain(&self.functions)
    }
}
