//! Chooses the SIMD size of each kernel among object files of one program.
//!
//! Before its finalizer the reference compiler takes the widest SIMD size that compiles, since it does not learn of spills;
//! compiled again for a narrower size it hands over a variant. Takes the object files with their vISA, in the order of
//! preference, and the first one finalized. Finalizes the others, and gives the object file with each kernel of the variant
//! whose work-items take the fewest estimated cycles (`kiln_emit::cost`, ten iterations a loop). A variant that spills and one that
//! does not are compared in the same way, since spill code is part of the cycles. A variant without the kernel, or that does not
//! compile, is left out. Only where kernels of several object files are taken, that of the result is finalized once more.

use kiln_emit::cost::{self, Weights};
use kiln_emit::listing;
use kiln_emit::platform::Platform;
use kiln_emit::zebin::{FUNCTIONS, VISA, Zebin};
use serde::Serialize;

use crate::info;
use crate::relink::{RelinkError, Relinked};

/// Bytes of a channel of the narrowest code: a register has one for each.
const CHANNEL_BYTES: u32 = 4;
/// Registers and spills of a thread in parts of its registers, at most, at which code is better than of twice the width, though it
/// spills. Between 1.27 and 1.41 in a sweep of twelve kernels on `dg2` (docs/driver.md).
const FITS: f64 = 1.3;

/// The choice for one kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// Name of the kernel.
    pub kernel: String,
    /// Index of the object file that was chosen.
    pub variant: usize,
    /// The variants, in the order of the object files.
    pub variants: Vec<Variant>,
}

/// A kernel in one of the object files.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Variant {
    /// Index of the object file.
    pub file: usize,
    /// Work-items of a thread.
    pub simd: u32,
    /// Number of registers of a thread.
    pub grfs: u32,
    /// Bytes of spills of a thread.
    pub spill_bytes: u32,
    /// Estimated cycles of a thread for each of its work-items.
    pub cycles: f64,
}

/// Finalizes variants of an object file that was finalized itself, and gives the result with the better ones, and the choices.
/// `finalize` makes the code of an object file for the platform.
///
/// # Errors
/// The object file with kernels of several variants cannot be finalized.
pub fn choose(
    platform: &'static Platform,
    (object, finalized): (&Zebin, Relinked),
    variants: &[Zebin],
    finalize: impl Fn(Zebin) -> Result<Relinked, RelinkError>,
) -> Result<(Relinked, Vec<Choice>), RelinkError> {
    let mut made = vec![Some(finalized)];
    made.extend(variants.iter().map(|other| finalize(other.clone()).ok()));
    let kernels = object.kernels.iter().map(|kernel| &kernel.name);
    let mut choices: Vec<Choice> = kernels
        .filter(|kernel| *kernel != FUNCTIONS)
        .map(|kernel| choice(&made, kernel, platform))
        .collect();
    if let Some(file) = choices.first().map(|choice| choice.variant)
        && choices.iter().all(|choice| choice.variant == file)
        && let Some(all) = made.swap_remove(file)
    {
        return Ok((all, choices));
    }
    let mut mixed = object.clone();
    for choice in &mut choices {
        let other = choice.variant.checked_sub(1).map(|other| &variants[other]);
        if other.is_some_and(|other| !exchange(&mut mixed, other, &choice.kernel)) {
            choice.variant = 0;
        }
    }
    Ok((finalize(mixed)?, choices))
}

/// The SIMD size that a variant of a finalized object file is worth compiling for: of its kernels that spill, the widest size below
/// theirs at which registers and spills together would nearly fit, or half theirs; none if no kernel spills, or none
/// that does has a narrower size. Spills of functions on the stack say nothing of a kernel's width.
pub fn narrower(finalized: &Zebin) -> Option<u32> {
    let platform = info::platform_of(finalized)?;
    let least = platform.grf_bytes / CHANNEL_BYTES;
    let kernels = finalized.ze_info.kernels.iter().map(|k| &k.execution_env);
    let spilling = kernels.filter(|env| env.spill_size > 0 && !env.has_stack_calls);
    let sizes = spilling.filter_map(|env| {
        let registers = f64::from(env.grf_count * platform.grf_bytes);
        let whole = registers + f64::from(env.spill_size);
        let of = |simd: u32| whole * f64::from(simd) / f64::from(env.simd_size);
        let halves = std::iter::successors(Some(env.simd_size / 2), |simd| Some(simd / 2));
        let halves: Vec<u32> = halves.take_while(|simd| *simd >= least).collect();
        let fitting = halves.iter().find(|simd| of(**simd) <= FITS * registers);
        fitting.or(halves.first()).copied()
    });
    sizes.max()
}

/// The best variant of a kernel, the first of equal ones.
fn choice(made: &[Option<Relinked>], kernel: &str, platform: &'static Platform) -> Choice {
    let variants = made.iter().enumerate().filter_map(|(file, made)| {
        let figures = variant(&made.as_ref()?.zebin, kernel, platform);
        figures.map(|figures| Variant { file, ..figures })
    });
    let variants: Vec<Variant> = variants.collect();
    let best = variants.iter().min_by(|a, b| a.cycles.total_cmp(&b.cycles));
    Choice {
        kernel: kernel.to_string(),
        variant: best.map_or(0, |best| best.file),
        variants,
    }
}

/// Figures of a finalized kernel.
fn variant(zebin: &Zebin, kernel: &str, platform: &'static Platform) -> Option<Variant> {
    let env = &zebin.ze_info.kernel(kernel)?.execution_env;
    let code = zebin.text(kernel)?;
    let size = zebin
        .symbols
        .iter()
        .find(|symbol| symbol.name == kernel)?
        .size;
    let code = code.get(..size as usize)?;
    let estimate = cost::estimate(&listing::insts(code, platform), platform, Weights::Loops);
    Some(Variant {
        file: 0,
        simd: env.simd_size,
        grfs: env.grf_count,
        spill_bytes: env.spill_size,
        cycles: estimate.cycles.sum() / f64::from(env.simd_size.max(1)),
    })
}

/// Takes a kernel's entry and its vISA from another object file; false if one of the two lacks it.
fn exchange(zebin: &mut Zebin, other: &Zebin, kernel: &str) -> bool {
    let declares = |data: &[u8]| {
        let declaration = format!(".kernel \"{kernel}\"");
        memchr::memmem::find(data, declaration.as_bytes()).is_some()
    };
    let section = |zebin: &Zebin| {
        let mut sections = zebin.others.iter();
        sections.position(|section| section.kind == VISA && declares(&section.data))
    };
    let places = (section(zebin), section(other));
    let (Some(to), Some(from)) = places else {
        return false;
    };
    let Some(theirs) = other.ze_info.kernel(kernel).cloned() else {
        return false;
    };
    let Some(entry) = zebin.ze_info.kernel_mut(kernel) else {
        return false;
    };
    *entry = theirs;
    zebin.others[to] = other.others[from].clone();
    true
}
