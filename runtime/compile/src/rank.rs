//! Variants of a kernel, their figures, and the order in which one is better: the only rule by which a SIMD size or a number of registers
//! is chosen, for object files and for vISA ([`choose`](crate::choose)) and for [`Grfs::Auto`](crate::Grfs::Auto).
//!
//! One that hardly spills is better than one that does, as in the reference compiler's retry, since what spills cost depends on caches and
//! on how often loops turn, which an estimate does not know, unless it takes far more cycles. Of several, that is better whose work-items
//! take the fewest estimated cycles (`kiln_emit::cost`, ten iterations a loop) of a unit with all the threads that its registers allow.

use kiln_emit::cost::{self, Weights};
use kiln_emit::listing;
use kiln_platform::platform::Platform;
use serde::Serialize;

/// Spills and fills, each with the weight of its loops, for an instruction of a kernel, up to which it hardly spills. It is the larger
/// threshold of the reference compiler's retry (`SIMD8_SpillThreshold`, in percent, or twice `SIMD16_SpillThreshold`).
const SPILLS: f64 = 0.02;
/// Estimated cycles of a variant that hardly spills, in parts of those of one that does, above which the latter is better: all that is spilled
/// costs less than half the width. Measured on twenty kernels (docs/driver.md).
const FAR: f64 = 1.5;

/// The choice for one kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Choice {
    /// Name of the kernel.
    pub kernel: String,
    /// Index of the variant that was chosen.
    pub variant: usize,
    /// The reason for it.
    pub reason: Reason,
    /// The variants, in the order of the files, those with more registers after the others.
    pub variants: Vec<Variant>,
    /// The variants that do not compile, in the same order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Refused>,
}

/// Reasons for a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The only variant.
    Only,
    /// All others spill.
    Spills,
    /// Fewest cycles of a unit for its work-items, of the variants that hardly spill, or of all.
    Cycles,
}

/// Reasons why a kernel of a file has one number of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fixed {
    /// The options of the compilation say it.
    Options,
    /// The kernel's attribute says it.
    Attribute,
    /// The convention of its calls depends on it.
    Calls,
}

/// A variant of a kernel that does not compile.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refused {
    /// Index of the file.
    pub file: usize,
    /// Number of registers of a thread.
    pub grfs: u32,
    /// The first error.
    pub error: String,
}

/// A variant of a kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Variant {
    /// Index of the file.
    pub file: usize,
    /// Work-items of a thread.
    pub simd: u32,
    /// Number of registers of a thread.
    pub grfs: u32,
    /// The reason why the file has no variant of other registers, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fixed: Option<Fixed>,
    /// Threads that a unit runs at a time.
    pub threads: u32,
    /// Bytes of spills of a thread.
    pub spill_bytes: u32,
    /// Bytes of spills for each work-item.
    pub lane_spill_bytes: f64,
    /// Messages that spill and fill.
    pub messages: usize,
    /// Spills and fills for an instruction, each ten times for each loop around it.
    pub spills: f64,
    /// Estimated cycles of a thread for each of its work-items.
    pub item_cycles: f64,
    /// Estimated cycles for each work-item, twice as many in a thread that takes the place of two.
    pub cycles: f64,
}

/// Facts about a kernel whose code is made.
pub(crate) struct Made<'a> {
    /// Its own code, without that of functions.
    pub code: &'a [u8],
    pub simd: u32,
    pub grfs: u32,
    pub spill_bytes: u32,
}

impl Variant {
    /// The figures of a kernel.
    pub(crate) fn of(made: &Made, platform: &'static Platform) -> Variant {
        let insts = listing::insts(made.code, platform);
        let estimate = cost::estimate(&insts, platform, Weights::Loops);
        let weights = cost::accesses(&insts, platform).map(|access| {
            let after = estimate
                .blocks
                .partition_point(|block| block.first <= access.at);
            estimate.blocks[..after]
                .last()
                .map_or(1.0, |block| block.weight)
        });
        // Without bytes of spills, scratch space is the kernel's own.
        let weights: Vec<f64> = match made.spill_bytes {
            0 => Vec::new(),
            _ => weights.collect(),
        };
        let spills =
            weights.iter().fold(0.0, |sum, weight| sum + weight) / insts.len().max(1) as f64;
        let cycles = estimate.cycles.sum();
        let figures = (made.spill_bytes, weights.len(), spills, cycles);
        let threads = |grfs| platform.mode_of(grfs).threads;
        let places = (threads(made.grfs), threads(platform.default_grfs));
        Variant::with((made.simd, made.grfs), places, figures)
    }

    /// A variant with these work-items and registers; threads of its mode and of the usual one; and bytes of spills, messages, spills for an
    /// instruction and cycles of a thread.
    fn with(
        (simd, grfs): (u32, u32),
        (threads, usual): (u32, u32),
        (spill_bytes, messages, spills, cycles): (u32, usize, f64, f64),
    ) -> Variant {
        let lanes = f64::from(simd.max(1));
        Variant {
            file: 0,
            simd,
            grfs,
            fixed: None,
            threads,
            spill_bytes,
            lane_spill_bytes: f64::from(spill_bytes) / lanes,
            messages,
            spills,
            item_cycles: cycles / lanes,
            cycles: cycles * (f64::from(usual) / f64::from(threads)) / lanes,
        }
    }

    /// True if it spills so much that one that does not is better.
    pub fn is_spilling(&self) -> bool {
        self.spills > SPILLS
    }
}

/// The place of the best variant, the first of equal ones, and the reason for it: of those that hardly spill, unless one that does is far
/// better. None of none.
pub(crate) fn best(variants: &[Variant]) -> Option<(usize, Reason)> {
    let fastest = |spilling| {
        let of = variants.iter().enumerate();
        let of = of.filter(|(_, one)| one.is_spilling() == spilling);
        of.min_by(|(_, a), (_, b)| a.cycles.total_cmp(&b.cycles))
    };
    let best = match (fastest(false), fastest(true)) {
        (Some((_, one)), Some((at, spilling))) if one.cycles > FAR * spilling.cycles => at,
        (Some((at, _)), _) | (None, Some((at, _))) => at,
        (None, None) => return None,
    };
    let without = variants.iter().filter(|one| !one.is_spilling()).count();
    let reason = match variants.len() {
        1 => Reason::Only,
        _ if without == 1 && !variants[best].is_spilling() => Reason::Spills,
        _ => Reason::Cycles,
    };
    Some((best, reason))
}

#[cfg(test)]
#[path = "tests/rank.rs"]
mod tests;
