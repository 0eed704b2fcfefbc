//! Options of a compilation.

use std::ops::RangeInclusive;

use kiln_emit::platform::Platform;
use kiln_genx::Variant;
use kiln_regalloc::Allocator;
use kiln_target::abi::{self, Abi};

use crate::pressure::Place;
use crate::source::Reading;

/// A stage whose result can be printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Visa,
    Ir,
    /// Machine IR as selected, after each pass of the optimizer, and legalized.
    Isel,
    Ra,
    Asm,
}

/// What is wanted first: code soon, or code that is fast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// No pass that only makes the code better.
    Quick,
    /// All that makes the code better.
    Best,
}

/// How a kernel is to be compiled.
#[derive(Clone)]
pub struct Options {
    pub platform: &'static Platform,
    /// GRFs that may be used, out of 128. Fewer than a kernel needs make it spill.
    pub grf_limit: u32,
    /// The convention of stack calls.
    pub abi: &'static Abi,
    /// Threads may be interrupted in the middle of the code (mid-thread preemption), which costs messages
    /// to the sampler a header on some platforms.
    pub interruptible: bool,
    /// How registers are assigned; where that finds too few, as [`Allocator::Ion`] does.
    pub allocator: Allocator,
    /// Run the passes of the optimizer.
    pub optimize: bool,
    /// Passes that are left out, by their names ([`passes`](crate::passes::optional_passes)).
    pub without: Vec<&'static str>,
    /// Run every verifier and have the allocation proved.
    pub verify: bool,
    /// Measure how many registers are live at once.
    pub pressure: bool,
    /// Take the register pressure along the code, and what lives at that place.
    pub profile: Option<Place>,
    /// Stages to print.
    pub dump: Vec<Stage>,
    /// Form of LLVM IR; `None` to see which it is.
    pub variant: Option<Variant>,
}

/// Minimum number of registers that a kernel can be compiled for.
const MIN_GRFS: u32 = 24;

impl Options {
    /// The values that `grf_limit` may have on a platform.
    pub fn grf_limits(platform: &Platform) -> RangeInclusive<u32> {
        MIN_GRFS..=platform.grf_count
    }

    pub fn new(platform: &'static Platform) -> Options {
        Options {
            platform,
            grf_limit: platform.grf_count,
            abi: &abi::STACK_2,
            interruptible: false,
            allocator: Allocator::default(),
            optimize: true,
            without: Vec::new(),
            verify: cfg!(debug_assertions),
            pressure: false,
            profile: None,
            dump: Vec::new(),
            variant: None,
        }
    }

    /// How files are read.
    pub fn reading(&self) -> Reading {
        Reading {
            platform: self.platform,
            variant: self.variant,
        }
    }

    /// How much is done for the code.
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
