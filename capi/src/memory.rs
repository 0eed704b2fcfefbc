//! Memory of the library: the system's, or that of functions of the embedder.
//!
//! Which it is, the first allocation or [`kiln_memory_set`] decides, whichever comes first; it never changes, so that
//! memory is freed by the functions that gave it.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ffi::c_void;
use std::sync::OnceLock;

use crate::guard::guard;
use crate::pointer;
use crate::records::{KilnMemory, KilnResult};

/// Functions of the embedder, which are all there.
#[derive(Clone, Copy)]
struct Functions {
    allocate: unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void, *mut c_void, usize, usize),
    user: *mut c_void,
}

// SAFETY: the pointer is only passed back to the embedder's functions, which by the header may be called from each
// thread.
unsafe impl Send for Functions {}
// SAFETY: as for `Send`.
unsafe impl Sync for Functions {}

/// The decision; it allocates nothing itself.
static FUNCTIONS: OnceLock<Option<Functions>> = OnceLock::new();

fn functions() -> &'static Option<Functions> {
    FUNCTIONS.get_or_init(|| None)
}

/// Memory as was decided.
struct Memory;

#[global_allocator]
static MEMORY: Memory = Memory;

// SAFETY: each call goes to the system's allocator or to the embedder's functions, always the same, whose contract in the
// header is that of this trait: memory of that size and alignment that nobody else has, or null.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match functions() {
            // SAFETY: the caller's contract.
            None => unsafe { System.alloc(layout) },
            // SAFETY: the embedder's function and pointer, used as the header says.
            Some(of) => unsafe { (of.allocate)(of.user, layout.size(), layout.align()) }.cast(),
        }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        match functions() {
            // SAFETY: the caller's contract; the system gave the memory, since the decision never changes.
            None => unsafe { System.dealloc(memory, layout) },
            // SAFETY: as above for the embedder's functions.
            Some(of) => unsafe {
                (of.free)(of.user, memory.cast(), layout.size(), layout.align());
            },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if functions().is_none() {
            // SAFETY: the caller's contract.
            return unsafe { System.alloc_zeroed(layout) };
        }
        // SAFETY: the caller's contract.
        let memory = unsafe { self.alloc(layout) };
        if !memory.is_null() {
            // SAFETY: the memory has that size, and nobody else has it.
            unsafe { memory.write_bytes(0, layout.size()) };
        }
        memory
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if functions().is_none() {
            // SAFETY: the caller's contract; the system gave the memory.
            return unsafe { System.realloc(memory, layout, size) };
        }
        // SAFETY: the caller's contract: the size does not overflow with this alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        // SAFETY: the size is not 0 by the caller's contract.
        let moved = unsafe { self.alloc(wanted) };
        if !moved.is_null() {
            let kept = layout.size().min(size);
            // SAFETY: both have that many bytes, and the new memory is nobody else's.
            unsafe { std::ptr::copy_nonoverlapping(memory, moved, kept) };
            // SAFETY: the caller's contract; the memory is not used any more.
            unsafe { self.dealloc(memory, layout) };
        }
        moved
    }
}

/// Takes all memory of the library from the caller's functions, in the whole process and for good. It is the first call
/// of the library: after any other that needed memory, the result is KILN_RESULT_ARGUMENT, and nothing changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_memory_set(memory: *const KilnMemory) -> KilnResult {
    guard(|| {
        // SAFETY: the caller's contract.
        let given = *unsafe { pointer::reference(memory) }?;
        let (Some(allocate), Some(free)) = (given.allocate, given.free) else {
            return Err(KilnResult::Null);
        };
        let functions = Functions {
            allocate,
            free,
            user: given.user,
        };
        let decided = FUNCTIONS.set(Some(functions));
        decided.map_err(|_| KilnResult::Argument)
    })
}
