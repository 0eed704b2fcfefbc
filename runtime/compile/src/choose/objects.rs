//! The choice for each kernel among object files with their vISA.
//!
//! Before its finalizer the reference compiler takes the widest SIMD size that compiles, since it does not learn of spills;
//! compiled again for a narrower size it hands over a variant, and the same vISA with more registers is another. Takes the object files
//! with their vISA, in the order of preference, and the first one finalized. Finalizes the others, and gives the object file with each kernel
//! of the [best](mod@crate::rank) variant. A variant without the kernel, or that does not compile, is left out. Only where kernels of
//! several variants are taken, the result is finalized once more.

use std::borrow::Cow;
use std::iter;

use kiln_emit::platform::Platform;
use kiln_emit::zebin::{FUNCTIONS, VISA, Zebin};

use crate::info;
use crate::options::NUM_GRF;
use crate::rank::{self, Choice, Made, Reason, Variant};
use crate::relink::{RelinkError, Relinked};

/// Bytes of a channel of the narrowest code: a register has one for each.
const CHANNEL_BYTES: u32 = 4;
/// Registers and spills of a thread in parts of its registers, at most, at which code is better than of twice the width, though it
/// spills. Between 1.27 and 1.41 in a sweep of twelve kernels on `dg2` (docs/driver.md).
const FITS: f64 = 1.3;
/// Beginning of an attribute in the vISA of a kernel, which has one at least.
const ATTRIBUTE: &str = ".kernel_attr ";

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
    let (best, reason) = rank::best(&variants).unwrap_or((0, Reason::Only));
    let choice = Choice {
        kernel: kernel.to_string(),
        variant: best,
        reason,
        variants,
        refused: Vec::new(),
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
    let made = Made {
        code: code.get(..size as usize)?,
        simd: env.simd_size,
        grfs: env.grf_count,
        spill_bytes: env.spill_size,
    };
    Some(Variant::of(&made, platform))
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
