//! Chooses the SIMD size of each kernel among object files of one program.
//!
//! Before its finalizer the reference compiler takes the widest SIMD size that compiles, since it does not learn of spills;
//! compiled again for a narrower size it hands over a variant. Takes the object files with their vISA, in the order of
//! preference, compiles all, and gives the first with each kernel's entry and vISA from the variant whose work-items take the
//! fewest estimated cycles (`kiln_emit::cost`, ten iterations a loop). A variant that spills and one that does not are compared in
//! the same way, since spill code is part of the cycles. A variant without the kernel, or that does not compile, is left out.

use kiln_emit::cost::{self, Weights};
use kiln_emit::listing;
use kiln_emit::platform::Platform;
use kiln_emit::zebin::{FUNCTIONS, VISA, Zebin};
use serde::Serialize;

use crate::finalize::{Strip, finalize};
use crate::relink::RelinkError;
use crate::session::Session;

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

/// Chooses variants of the kernels of the first object file; gives it with those, not yet finalized.
///
/// # Errors
/// The first object file cannot be finalized by itself.
pub fn choose(
    session: &Session,
    objects: &[Zebin],
) -> Result<Option<(Zebin, Vec<Choice>)>, RelinkError> {
    let Some((first, others)) = objects.split_first() else {
        return Ok(None);
    };
    let made = |zebin: &Zebin| finalize(session, zebin.clone(), Strip::default(), false, false);
    let mut finalized = vec![Some(made(first)?.zebin)];
    finalized.extend(others.iter().map(|other| made(other).ok().map(|r| r.zebin)));
    let platform = session.options().platform;
    let mut chosen = first.clone();
    let mut choices = Vec::new();
    for kernel in first.kernels.iter().filter(|k| k.name != FUNCTIONS) {
        let name = &kernel.name;
        let variants = finalized.iter().enumerate().filter_map(|(file, zebin)| {
            let own = zebin.as_ref()?;
            variant(own, name, platform).map(|figures| Variant { file, ..figures })
        });
        let variants: Vec<Variant> = variants.collect();
        // The first of equal variants is taken.
        let best = variants.iter().min_by(|a, b| a.cycles.total_cmp(&b.cycles));
        let best = best.map_or(0, |best| best.file);
        if best == 0 || exchange(&mut chosen, &objects[best], name) {
            choices.push(Choice {
                kernel: name.clone(),
                variant: best,
                variants,
            });
        }
    }
    Ok(Some((chosen, choices)))
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
