//! Calls of the kernel driver, by their numbers with the sizes of their structures (`xe_drm.h`).

use kiln_gpu::Xe;

pub(crate) const GEM_CREATE: (u64, usize) = (0x41, 56);
pub(crate) const VM_CREATE: (u64, usize) = (0x43, 32);
pub(crate) const VM_BIND: (u64, usize) = (0x45, 136);
pub(crate) const QUEUE_CREATE: (u64, usize) = (0x46, 48);
pub(crate) const QUEUE_DESTROY: (u64, usize) = (0x47, 24);
pub(crate) const QUEUE_PROPERTY: (u64, usize) = (0x48, 40);
pub(crate) const EXEC: (u64, usize) = (0x49, 56);
pub(crate) const WAIT: (u64, usize) = (0x4a, 72);

/// Makes a call with fields by their offsets in bytes; gives the structure as it then is.
pub(crate) fn call(
    xe: &Xe,
    (number, size): (u64, usize),
    fields: &[(usize, u64)],
) -> Result<Vec<u64>, i32> {
    let mut words = vec![0u64; size / 8];
    for &(at, value) in fields {
        words[at / 8] |= value << (at % 8 * 8);
    }
    let request = number | 0x64 << 8 | (size as u64) << 16;
    // SAFETY: the structure has its size, and its addresses are those of live memory.
    match unsafe { xe.call(request, words.as_mut_ptr().cast()) } {
        Ok(()) => Ok(words),
        Err(error) => Err(error as i32),
    }
}
