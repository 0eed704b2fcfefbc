//! Options of a compilation.

use std::ops::RangeInclusive;

use kiln_emit::platform::Platform;
use kiln_ir::build::uses_stack;
use kiln_platform::abi::{self, Abi};
use kiln_regalloc::{AllocError, Allocator};
use kiln_visa::module::Object;

use crate::absent::Variant;
use crate::failure::CompileError;
use crate::pressure::Place;
use crate::source::Reading;
use crate::stop::Stop;

/// Code that can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// vISA as it was read.
    Visa,
    /// The IR of vISA, in SSA form.
    Ir,
    /// Machine IR after selection and after each pass until allocation.
    Isel,
    /// Instructions on physical registers, before they are assembled.
    Ra,
    /// The listing of the machine code.
    Asm,
    /// The code after the pass of a name ([`list`](crate::passes::list)), in its form there, and after each of its places.
    Pass(&'static str),
}

impl Stage {
    /// Names of all stages but [`Stage::Pass`].
    pub const NAMES: [(&'static str, Stage); 5] = [
        ("visa", Stage::Visa),
        ("ir", Stage::Ir),
        ("isel", Stage::Isel),
        ("ra", Stage::Ra),
        ("asm", Stage::Asm),
    ];

    /// Name of the stage among the arguments of `--dump`.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Visa => "visa",
            Stage::Ir => "ir",
            Stage::Isel => "isel",
            Stage::Ra => "ra",
            Stage::Asm => "asm",
            Stage::Pass(name) => name,
        }
    }
}

/// Priority of a compilation: compile time or code quality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// Leaves out all optional passes.
    Quick,
    /// Runs all passes.
    Best,
}

/// Options of a compilation.
#[derive(Clone)]
pub struct Options {
    /// The platform that code is for.
    pub platform: &'static Platform,
    /// Maximum number of GRFs used; a kernel that needs more spills. See [`Options::grf_limits`].
    pub grf_limit: u32,
    /// The source of the number of registers.
    pub grfs: Grfs,
    /// The convention of stack calls.
    pub abi: &'static Abi,
    /// True if threads may be interrupted in the middle of the code (mid-thread preemption), for which some platforms
    /// need a header in messages to the sampler.
    pub interruptible: bool,
    /// The allocator of all [attempts](crate::attempt::ATTEMPTS).
    pub allocator: Allocator,
    /// Runs the optional passes.
    pub optimize: bool,
    /// Names of passes that are left out ([`passes`](crate::passes::optional_passes)), each at all of its places.
    pub without: Vec<&'static str>,
    /// Runs every verifier and the checker of the allocation.
    pub verify: bool,
    /// Measures the maximum register pressure.
    pub pressure: bool,
    /// Records the register pressure by instruction, and the live values at this place.
    pub profile: Option<Place>,
    /// Notes the variable that each instruction's result belongs to, in [`Lines::held`](crate::lines::Lines::held).
    pub names: bool,
    /// Stages and passes whose code is kept as text, in [`Compiled::dumps`](crate::Compiled::dumps).
    pub dump: Vec<Stage>,
    /// Form of LLVM IR; `None` to see which it is.
    pub variant: Option<Variant>,
    /// The end of compilations before their time.
    pub stop: Stop,
}

/// Attribute of a kernel with the number of registers of its threads; 0 leaves it to the finalizer.
pub(crate) const NUM_GRF: &str = "NumGRF";

/// Minimum number of registers that a kernel can be compiled for.
const MIN_GRFS: u32 = 24;

/// Sources of a kernel's number of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grfs {
    /// [`Options::grf_limit`].
    Limit,
    /// The kernel's attribute `NumGRF`; without it, the limit.
    Kernel,
    /// The [order](mod@crate::rank) of variants: the limit for a kernel that hardly spills in it, else the best of the platform's modes
    /// from the limit on. Functions, and kernels that call them, have the limit, since their convention depends on it.
    Auto,
}

impl Options {
    /// Allowed values of `grf_limit` on a platform.
    pub fn grf_limits(platform: &Platform) -> RangeInclusive<u32> {
        MIN_GRFS..=platform.grf_count
    }

    /// Options of `-O2` for a platform: all registers of the default mode, all passes, nothing printed.
    pub fn new(platform: &'static Platform) -> Options {
        Options {
            platform,
            grf_limit: platform.default_grfs,
            grfs: Grfs::Kernel,
            abi: &abi::STACK_2,
            interruptible: false,
            allocator: Allocator::default(),
            optimize: true,
            without: Vec::new(),
            verify: cfg!(debug_assertions),
            pressure: false,
            profile: None,
            names: false,
            dump: Vec::new(),
            variant: None,
            stop: Stop::default(),
        }
    }

    /// The number of registers that a kernel may use, or begins with if the finalizer chooses.
    ///
    /// # Errors
    /// The kernel asks for a number that is no register mode of the platform.
    pub fn wanted_grfs(&self, object: &Object) -> Result<u32, CompileError> {
        let attribute = match self.grfs {
            Grfs::Kernel => object.int_attr(NUM_GRF).filter(|&count| count != 0),
            Grfs::Limit | Grfs::Auto => None,
        };
        let Some(count) = attribute else {
            return Ok(self.grf_limit);
        };
        let modes = self.platform.grf_modes;
        let known = u32::try_from(count)
            .ok()
            .filter(|&count| modes.iter().any(|mode| mode.grfs == count));
        known.ok_or_else(|| {
            let error = AllocError::Mode {
                func: object.name.to_string(),
                count,
                platform: self.platform.name,
            };
            error.into()
        })
    }

    /// True if the finalizer chooses the number of registers.
    pub fn chooses_grfs(&self, object: &Object) -> bool {
        match self.grfs {
            Grfs::Auto => !uses_stack(object),
            Grfs::Kernel => object.int_attr(NUM_GRF) == Some(0) && !uses_stack(object),
            Grfs::Limit => false,
        }
    }

    /// The options with each of the platform's modes of more registers than the limit.
    pub(crate) fn larger(&self) -> impl Iterator<Item = Options> {
        let modes = self.platform.grf_modes.iter();
        let larger = modes.filter(|mode| mode.grfs > self.grf_limit);
        larger.map(|mode| self.with_limit(mode.grfs))
    }

    /// The options with that number of registers for all kernels.
    pub(crate) fn with_limit(&self, grf_limit: u32) -> Options {
        Options {
            grf_limit,
            grfs: Grfs::Limit,
            ..self.clone()
        }
    }

    /// Options with a time limit that counts from now on.
    pub(crate) fn begun(&self) -> Options {
        Options {
            stop: self.stop.begin(),
            ..self.clone()
        }
    }

    /// How files are read.
    pub fn reading(&self) -> Reading {
        Reading {
            platform: self.platform,
            variant: self.variant,
            verify: self.verify,
            stop: self.stop.clone(),
        }
    }

    /// Sets a limit that was asked for; without one, the kernel decides.
    #[must_use]
    pub fn limited(self, limit: Option<u32>) -> Options {
        Options {
            grf_limit: limit.unwrap_or(self.platform.default_grfs),
            grfs: limit.map_or(Grfs::Kernel, |_| Grfs::Limit),
            ..self
        }
    }

    /// Sets the options of a tier.
    #[must_use]
    pub fn tier(self, tier: Tier) -> Options {
        let is_quick = tier == Tier::Quick;
        Options {
            allocator: Allocator::Scan,
            optimize: !is_quick,
            ..self
        }
    }
}
