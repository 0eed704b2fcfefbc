//! Object files around finalized kernels: an argument layout ([`Info`]), with our machine code
//! and what the finalizer decides of a kernel's set-up.

use crate::info::Info;
use crate::pipeline::Compiled;
use kiln_emit::platform::Platform;
use kiln_emit::ze_info::{Kernel as Entry, MemoryKind, MemoryUsage, PerThreadMemoryBuffer, ZeInfo};
use kiln_emit::zebin::{ADDRESS, ADDRESS_HIGH, ADDRESS_LOW, Relocation, Relocations, Zebin};
use serde_norway::Mapping;

/// The unit of scratch space in bytes; a thread has a power of two of them (PRM vol. 2a,
/// "MEDIA_VFE_STATE", Per Thread Scratch Space).
const SCRATCH_UNIT: u32 = 1 << 10;
/// The first version of `.ze_info` that tells the bytes spilled from the scratch space.
const SPILL_SIZE_VERSION: (u32, u32) = (1, 39);
/// Sections that describe machine code; the kernel's name follows.
const ABOUT_CODE: [&str; 2] = [".gtpin_info.", ".debug_"];

/// Why there is no object file of a kernel.
#[derive(Debug, thiserror::Error)]
pub enum ObjectError {
    #[error("it describes no kernel {0}")]
    NoKernel(String),
    #[error("kernel {kernel} uses the address of {symbol}, which it does not define")]
    NoSymbol { kernel: String, symbol: String },
}

/// Makes an object file with these kernels. Kernels that only a zebin `info` has stay as they are;
/// of a `.ze_info` document only the entries of these kernels are kept, as others have no code.
///
/// # Errors
/// `info` does not describe a kernel, or does not define what its code uses.
pub fn object_file(
    info: Info,
    kernels: &[Compiled],
    platform: &Platform,
) -> Result<Zebin, ObjectError> {
    let mut zebin = match info {
        Info::Zebin(zebin) => zebin,
        Info::ZeInfo(mut info) => {
            let ours = |name: &String| kernels.iter().any(|k| k.name == *name);
            info.kernels.retain(|k| ours(&k.name));
            info.kernels_misc_info.retain(|k| ours(&k.name));
            let texts = kernels.iter().map(|k| (k.name.clone(), Vec::new()));
            Zebin::new(platform, texts.collect(), info)
        }
    };
    let version = version(&zebin.ze_info);
    for kernel in kernels {
        let name = &kernel.name;
        let entry = zebin.ze_info.kernel_mut(name);
        let entry = entry.ok_or_else(|| ObjectError::NoKernel(name.clone()))?;
        decide(entry, kernel, version, platform);
        relocate(&mut zebin, kernel)?;
        if !zebin.set_text(name, &kernel.code) {
            return Err(ObjectError::NoKernel(name.clone()));
        }
    }
    zebin.others.retain(|section| {
        !ABOUT_CODE
            .iter()
            .any(|prefix| section.name.starts_with(prefix))
    });
    Ok(zebin)
}

/// Puts our code's relocations in the place of the old code's.
fn relocate(zebin: &mut Zebin, compiled: &Compiled) -> Result<(), ObjectError> {
    let mut entries = Vec::new();
    for relocation in &compiled.relocations {
        let number = zebin
            .symbols
            .iter()
            .position(|s| s.name == relocation.symbol);
        let number = number.ok_or_else(|| ObjectError::NoSymbol {
            kernel: compiled.name.clone(),
            symbol: relocation.symbol.clone(),
        })?;
        entries.push(Relocation {
            offset: u64::from(relocation.offset),
            kind: match (relocation.bits, relocation.high) {
                (64, _) => ADDRESS,
                (_, false) => ADDRESS_LOW,
                (_, true) => ADDRESS_HIGH,
            },
            // The null symbol comes before those in `symbols`.
            symbol: number as u32 + 1,
            addend: 0,
        });
    }
    let section = format!(".text.{}", compiled.name);
    zebin.relocations.retain(|r| r.section != section);
    if !entries.is_empty() {
        zebin.relocations.push(Relocations {
            section,
            addends: false,
            entries,
        });
    }
    Ok(())
}

fn version(info: &ZeInfo) -> (u32, u32) {
    let (major, minor) = info.version.split_once('.').unwrap_or((&info.version, "0"));
    (major.parse().unwrap_or(0), minor.parse().unwrap_or(0))
}

/// Sets what the finalizer decides.
fn decide(entry: &mut Entry, kernel: &Compiled, version: (u32, u32), platform: &Platform) {
    let env = &mut entry.execution_env;
    env.grf_count = platform.grf_count;
    env.simd_size = u32::from(kernel.simd);
    env.barrier_count = u32::from(kernel.barrier);
    env.offset_to_skip_per_thread_data_load = 0;
    env.offset_to_skip_set_ffid_gp = 0;
    let spilled = kernel.allocation.spill_bytes;
    env.spill_size = if version >= SPILL_SIZE_VERSION {
        spilled
    } else {
        0
    };

    let buffers = &mut entry.per_thread_memory_buffers;
    buffers.retain(|b| b.kind != MemoryKind::Scratch || b.slot != 0);
    let bytes = kernel.scratch_base + spilled;
    if bytes > 0 {
        // The reference's names for it: alone, or besides private memory elsewhere.
        let usage = match buffers.is_empty() {
            true => MemoryUsage::SingleSpace,
            false => MemoryUsage::SpillFillSpace,
        };
        let scratch = PerThreadMemoryBuffer {
            kind: MemoryKind::Scratch,
            usage,
            size: bytes.next_power_of_two().max(SCRATCH_UNIT),
            slot: 0,
            is_simt_thread: false,
            other: Mapping::new(),
        };
        buffers.insert(0, scratch);
    }
}
