//! Memory that is mapped for one buffer, with inaccessible pages on both sides: a second wall after the checks of messages.
//! An access of translated code beyond them ends the process, and changes nothing. Memory of others, which they have mapped, has
//! no walls.

#![expect(
    unsafe_code,
    reason = "parts of a mapping are protected, released, and shared as words; others lend memory of theirs"
)]

use std::alloc::{Layout, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::AtomicU32;

use memmap2::{MmapMut, MmapRaw};

/// Size of the inaccessible memory on each side in bytes, a multiple of any host's page.
const WALL: usize = 1 << 16;
/// Alignment of the first word in bytes.
const LINE: usize = 64;
/// Mappings of the smallest size, kept for other buffers: small launches would take half of their time to map some.
static KEPT: Mutex<Vec<MmapRaw>> = Mutex::new(Vec::new());
const MAX_KEPT: usize = 32;

/// Words with any contents. The last one of memory that is mapped here is in the last line before a page.
#[derive(Debug, Default)]
pub struct Mapping {
    /// None if there are no words, or others have mapped them.
    map: Option<MmapRaw>,
    /// The first word; none if there are no words.
    first: Option<NonNull<AtomicU32>>,
    count: usize,
}

// SAFETY: all accesses through the pointer are atomic, and the memory lives as long as the value.
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps a number of words. The process ends if there is no memory, as for a vector.
    pub fn new(count: usize) -> Mapping {
        if count == 0 {
            return Mapping::default();
        }
        let bytes = (count * size_of::<AtomicU32>()).next_multiple_of(LINE);
        let inside = bytes.next_multiple_of(WALL);
        let keeps = KEPT.lock().ok().filter(|_| inside == WALL);
        let kept = keeps.and_then(|mut kept| kept.pop());
        let map = kept.unwrap_or_else(|| walled(inside));
        let first = map.as_mut_ptr().wrapping_add(WALL + inside - bytes);
        Mapping {
            map: Some(map),
            first: NonNull::new(first.cast()),
            count,
        }
    }

    /// Words that others have mapped.
    ///
    /// # Safety
    /// They are at a multiple of 4, and stay mapped, readable and writable as long as the value lives. Nobody accesses them
    /// through references meanwhile.
    pub unsafe fn foreign(first: NonNull<AtomicU32>, count: usize) -> Mapping {
        Mapping {
            map: None,
            first: Some(first),
            count,
        }
    }

    /// All words.
    #[inline]
    pub fn words(&self) -> &[AtomicU32] {
        let Some(first) = self.first else {
            return &[];
        };
        // SAFETY: `new` has placed the words between two walls, from a multiple of a word's size on, or the caller of `foreign`
        // says so of others. They stay mapped and accessible as long as this is borrowed, any bits are a word, and all accesses
        // are atomic.
        unsafe { std::slice::from_raw_parts(first.as_ptr(), self.count) }
    }

    /// Gives the memory of a number of words from the first one on back to the system, where it can take part of a
    /// mapping. Their contents are lost.
    pub fn release(&mut self, count: usize) {
        #[cfg(unix)]
        if let Some(map) = &self.map {
            let start = self
                .first
                .map_or(0, |first| first.addr().get() - map.as_ptr().addr());
            let end = start + count.min(self.count) * size_of::<AtomicU32>();
            // SAFETY: nobody borrows the words. The pages, no other words among them, stay mapped.
            let _ = unsafe {
                map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, 0, end / WALL * WALL)
            };
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if let (Some(map), Ok(mut kept)) = (self.map.take(), KEPT.lock())
            && map.len() == 3 * WALL
            && kept.len() < MAX_KEPT
        {
            kept.push(map);
        }
    }
}

/// A mapping of a number of bytes between walls. Without walls, which is no error, the checks of messages remain.
fn walled(inside: usize) -> MmapRaw {
    let Ok(map) = MmapMut::map_anon(WALL + inside + WALL) else {
        handle_alloc_error(Layout::new::<AtomicU32>())
    };
    let map = MmapRaw::from(map);
    #[cfg(unix)]
    for at in [0, WALL + inside] {
        use nix::sys::mman::{ProtFlags, mprotect};
        if let Some(wall) = std::ptr::NonNull::new(map.as_mut_ptr().wrapping_add(at)) {
            // SAFETY: these pages of the mapping are for the wall, and nothing refers to them.
            let _ = unsafe { mprotect(wall.cast(), WALL, ProtFlags::PROT_NONE) };
        }
    }
    map
}

#[cfg(all(test, target_os = "linux"))]
#[path = "../tests/mapping.rs"]
mod tests;
