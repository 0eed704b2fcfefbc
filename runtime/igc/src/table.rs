//! Tables of virtual functions (Itanium C++ ABI): calls by number, and the exchange of a function for all objects of a class.

use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use nix::libc;

use crate::code;

/// Functions that were exchanged: by the address of the table's entry, the original.
static ORIGINALS: Mutex<Option<HashMap<usize, usize>>> = Mutex::new(None);

/// Address of a function's entry in an object's table.
///
/// # Safety
/// The object has virtual functions, at least so many.
unsafe fn entry(object: *mut c_void, number: usize) -> *mut *const c_void {
    // SAFETY: an object begins with the address of its table.
    unsafe { (*object.cast::<*mut *const c_void>()).add(number) }
}

/// A virtual function of an object, the original if it was exchanged.
///
/// # Safety
/// The object has virtual functions, at least so many.
pub unsafe fn function(object: *mut c_void, number: usize) -> *const c_void {
    // SAFETY: the caller's contract.
    let entry = unsafe { entry(object, number) };
    let originals = ORIGINALS.lock().unwrap_or_else(PoisonError::into_inner);
    let known = originals
        .as_ref()
        .and_then(|all| all.get(&(entry as usize)));
    match known {
        Some(original) => *original as *const c_void,
        // SAFETY: the caller's contract.
        None => unsafe { *entry },
    }
}

/// Exchanges a virtual function for all objects of an object's class; nothing if it was exchanged before or cannot be.
///
/// # Safety
/// As [`function`]; the new function has the original's arguments.
pub unsafe fn exchange(object: *mut c_void, number: usize, by: *const c_void) {
    // SAFETY: the caller's contract.
    let entry = unsafe { entry(object, number) };
    let mut originals = ORIGINALS.lock().unwrap_or_else(PoisonError::into_inner);
    let originals = originals.get_or_insert_with(HashMap::new);
    if originals.contains_key(&(entry as usize)) {
        return;
    }
    // SAFETY: sysconf takes a number; the entry's page is mapped, and its other contents stay. It may stay writable, as the
    // tables of a library without `-z relro` are.
    unsafe {
        let page = libc::sysconf(libc::_SC_PAGESIZE) as usize;
        let start = entry as usize / page * page;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        if libc::mprotect(start as *mut c_void, page, access) != 0 {
            return code::log("driver: the compiler's functions cannot be exchanged");
        }
        originals.insert(entry as usize, *entry as usize);
        *entry = by;
    }
}

/// Calls a virtual function of an object by its number: `call!(object, 17; size: usize) -> usize`.
macro_rules! call {
    ($object:expr, $number:expr; $($value:expr => $type:ty),* ; $result:ty) => {{
        let object: *mut std::ffi::c_void = $object;
        let function = $crate::table::function(object, $number);
        let function = std::mem::transmute::<
            *const std::ffi::c_void,
            unsafe extern "C" fn(*mut std::ffi::c_void $(, $type)*) -> $result,
        >(function);
        function(object $(, $value)*)
    }};
}
pub(crate) use call;
