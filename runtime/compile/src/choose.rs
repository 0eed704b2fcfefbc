//! Chooses the SIMD size and the number of registers of each kernel among variants of one program.
//!
//! Before its finalizer the reference compiler takes the widest SIMD size that compiles, since it does not learn of spills;
//! compiled again for a narrower size it hands over a variant, and the same vISA with more registers is another. Takes the object files
//! with their vISA, in the order of preference, and the first one finalized. Finalizes the others, and gives the object file with each kernel
//! of the best variant: one that hardly spills before one that does, as in the reference compiler's retry, since what spills cost depends on
//! caches and on how often loops turn, which an estimate does not know; then that whose work-items take the fewest estimated cycles
//! (`kiln_emit::cost`, ten iterations a loop) of a unit with all the threads that its registers allow. A variant without the kernel, or that does not
//! compile, is left out. Only where kernels of several variants are taken, the result is finalized once more.

use std::borrow::Cow;
use std::iter;

use kiln_emit::cost::{self, Weights};
use kiln_emit::listing;
use kiln_emit::platform::Platform;
use kiln_emit::zebin::{FUNCTIONS, VISA, Zebin};
use serde::Serialize;

use crate::info;
use crate::options::NUM_GRF;
use crate::relink::{RelinkError, Relinked};

/// Bytes of a channel of the narrowest code: a register has one for each.
const CHANNEL_BYTES: u32 = 4;
/// Registers and spills of a thread in parts of its registers, at most, at which code is better than of twice the width, though it
/// spills. Between 1.27 and 1.41 in a sweep of twelve kernels on `dg2` (docs/driver.md).
const FITS: f64 = 1.3;

/// Spills and fills, each with the weight of its loops, for an instruction of a kernel, up to which it hardly spills. It is the larger
/// threshold of the reference compiler's retry (`SIMD8_SpillThreshold`, in percent, or twice `SIMD16_SpillThreshold`).
const SPILLS: f64 = 0.02;
/// Beginning of an attribute in the vISA of a kernel, which has one at least.
const ATTRIBUTE: &str = ".kernel_attr ";

/// The choice for one kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// Name of the kernel.
    pub kernel: String,
    /// Index of the variant that was chosen.
    pub variant: usize,
    /// The reason for it.
    pub reason: Reason,
    /// The variants, in the order of the object files, those with more registers after the others.
    pub variants: Vec<Variant>,
}

/// Reasons for a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// There is no other.
    Only,
    /// All others spill.
    Spills,
    /// Of those that hardly spill, or of all if each does, it takes the fewest cycles.
    Cycles,
}

/// A variant of a kernel.
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
    /// Spills and fills for an instruction, each ten times for each loop around it.
    pub spills: f64,
    /// Estimated cycles of a thread for each of its work-items; twice as many for a thread that takes the place of two.
    pub cycles: f64,
}

impl Variant {
    /// True if it spills so much that one that does not is better.
    fn is_spilling(&self) -> bool {
        self.spills > SPILLS
    }
}

/// An object file among which is chosen, and what was made of it.
struct Candidate<'a> {
    file: usize,
    zebin: Cow<'a, Zebin>,
    made: Option<Relinked>,
}

/// Finalizes variants of an object file that was finalized itself, and gives the result with the better ones, and the choices.
/// Each of the object files is also tried with these numbers of registers. `finalize` makes the code of an object file for the platform.
///
/// # Errors
/// The object file with kernels of several variants cannot be finalized.
pub fn choose(
    platform: &'static Platform,
    (object, finalized): (&Zebin, Relinked),
    others: &[Zebin],
    grfs: &[u32],
    finalize: impl Fn(Zebin) -> Result<Relinked, RelinkError>,
) -> Result<(Relinked, Vec<Choice>), RelinkError> {
    let files = || iter::once(object).chain(others).enumerate();
    let given = files().map(|(file, zebin)| (file, Cow::Borrowed(zebin)));
    let asking = grfs.iter().flat_map(|grfs| {
        files().filter_map(|(file, zebin)| Some((file, Cow::Owned(asking(zebin, *grfs)?))))
    });
    let mut first = Some(finalized);
    let candidates = given.chain(asking).map(|(file, zebin)| Candidate {
        made: first
            .take()
            .or_else(|| finalize(zebin.clone().into_owned()).ok()),
        file,
        zebin,
    });
    let mut candidates: Vec<Candidate> = candidates.collect();
    let kernels = object.kernels.iter().map(|kernel| &kernel.name);
    let (taken, mut choices): (Vec<usize>, Vec<Choice>) = kernels
        .filter(|kernel| *kernel != FUNCTIONS)
        .map(|kernel| choice(&candidates, kernel, platform))
        .unzip();
    if let Some(first) = taken.first().copied()
        && taken.iter().all(|taken| *taken == first)
        && let Some(all) = candidates[first].made.take()
    {
        return Ok((all, choices));
    }
    let mut mixed = object.clone();
    for (choice, taken) in choices.iter_mut().zip(taken) {
        if taken > 0 && !exchange(&mut mixed, &candidates[taken].zebin, &choice.kernel) {
            choice.variant = 0;
        }
        // A compiler asks for registers of a whole program, which would be those of the most in the mixed one.
        let grfs = choice
            .variants
            .get(choice.variant)
            .map(|variant| variant.grfs);
        if let Some((place, grfs)) = section(&mixed, &choice.kernel).zip(grfs) {
            ask(&mut mixed.others[place].data, grfs);
        }
    }
    Ok((finalize(mixed)?, choices))
}

/// The object file whose kernels ask for a number of registers; none if they ask for one themselves, or call functions, whose
/// convention depends on it.
fn asking(zebin: &Zebin, grfs: u32) -> Option<Zebin> {
    let mut asking = zebin.clone();
    let mut texts = asking
        .others
        .iter_mut()
        .filter(|section| section.kind == VISA);
    let all = texts.all(|section| ask(&mut section.data, grfs));
    let calls = zebin.kernels.iter().any(|kernel| kernel.name == FUNCTIONS);
    (all && !calls).then_some(asking)
}

/// Has the vISA of a kernel ask for a number of registers; false if it does already.
fn ask(text: &mut Vec<u8>, grfs: u32) -> bool {
    let place = |what: &str| memchr::memmem::find(text, what.as_bytes());
    let own = place(&format!("{ATTRIBUTE}{NUM_GRF}"));
    let Some(at) = place(ATTRIBUTE).filter(|_| own.is_none()) else {
        return false;
    };
    text.splice(
        at..at,
        format!("{ATTRIBUTE}{NUM_GRF}={grfs}\n").into_bytes(),
    );
    true
}

/// The SIMD size that a variant of a finalized object file is worth compiling for: of its kernels that spill, the widest size below
/// theirs at which registers and spills together would nearly fit, or half theirs; none if no kernel spills, or none
/// that does has a narrower size. Spills of functions on the stack say nothing of a kernel's width.
pub fn narrower(finalized: &Zebin) -> Option<u32> {
    let platform = info::platform_of(finalized)?;
    let least = platform.grf_bytes / CHANNEL_BYTES;
    let kernels = finalized.ze_info.kernels.iter();
    let kernels = kernels.filter(|kernel| !kernel.execution_env.has_stack_calls);
    let kernels = kernels.filter_map(|kernel| variant(finalized, &kernel.name, platform));
    let sizes = kernels.filter(Variant::is_spilling).filter_map(|kernel| {
        let registers = f64::from(kernel.grfs * platform.grf_bytes);
        let whole = registers + f64::from(kernel.spill_bytes);
        let of = |simd: u32| whole * f64::from(simd) / f64::from(kernel.simd);
        let halves = iter::successors(Some(kernel.simd / 2), |simd| Some(simd / 2));
        let halves: Vec<u32> = halves.take_while(|simd| *simd >= least).collect();
        let fitting = halves.iter().find(|simd| of(**simd) <= FITS * registers);
        fitting.or(halves.first()).copied()
    });
    sizes.max()
}

/// The best variant of a kernel, the first of equal ones: its place among the candidates, and the choice.
fn choice(candidates: &[Candidate], kernel: &str, platform: &'static Platform) -> (usize, Choice) {
    let variants = candidates.iter().enumerate().filter_map(|(place, one)| {
        let figures = variant(&one.made.as_ref()?.zebin, kernel, platform)?;
        let file = one.file;
        Some((place, Variant { file, ..figures }))
    });
    let (places, variants): (Vec<usize>, Vec<Variant>) = variants.unzip();
    let order = |a: &Variant, b: &Variant| {
        let by_spills = a.is_spilling().cmp(&b.is_spilling());
        by_spills.then(a.cycles.total_cmp(&b.cycles))
    };
    let best = (0..variants.len()).min_by(|a, b| order(&variants[*a], &variants[*b]));
    let best = best.unwrap_or(0);
    let without = variants.iter().filter(|one| !one.is_spilling()).count();
    let choice = Choice {
        kernel: kernel.to_string(),
        variant: best,
        reason: match variants.len() {
            0 | 1 => Reason::Only,
            _ if without == 1 => Reason::Spills,
            _ => Reason::Cycles,
        },
        variants,
    };
    (places.get(best).copied().unwrap_or(0), choice)
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
    let insts = listing::insts(code, platform);
    let estimate = cost::estimate(&insts, platform, Weights::Loops);
    let weights = cost::accesses(&insts, platform).map(|access| {
        let after = estimate
            .blocks
            .partition_point(|block| block.first <= access.at);
        estimate.blocks[..after]
            .last()
            .map_or(1.0, |block| block.weight)
    });
    let threads = |grfs| f64::from(platform.mode_of(grfs).threads);
    let places = threads(platform.default_grfs) / threads(env.grf_count);
    Some(Variant {
        file: 0,
        simd: env.simd_size,
        grfs: env.grf_count,
        spill_bytes: env.spill_size,
        spills: weights.fold(0.0, |sum, weight| sum + weight) / insts.len().max(1) as f64,
        cycles: estimate.cycles.sum() * places / f64::from(env.simd_size.max(1)),
    })
}

/// Place of the section with a kernel's vISA.
fn section(zebin: &Zebin, kernel: &str) -> Option<usize> {
    let declaration = format!(".kernel \"{kernel}\"");
    let declares = |data: &[u8]| memchr::memmem::find(data, declaration.as_bytes()).is_some();
    let mut sections = zebin.others.iter();
    sections.position(|section| section.kind == VISA && declares(&section.data))
}

/// Takes a kernel's entry and its vISA from another object file; false if one of the two lacks it.
fn exchange(zebin: &mut Zebin, other: &Zebin, kernel: &str) -> bool {
    let places = (section(zebin, kernel), section(other, kernel));
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
