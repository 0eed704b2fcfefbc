//! Kiln as a C library: the functions of `include/kiln.h`, which `cbindgen` makes from this crate.
//!
//! The crate only converts: pointers to references ([`pointer`]), errors and panics to results ([`guard`]), records to
//! C structures. There is no global state but the source of memory
//! ([`memory`]): a session has its own threads ([`pool`]), which end with it.
//!
//! # Safety
//! Contract of every function, and basis of each `unsafe`: a pointer that is not null points to what the header says,
//! for the time of the call; a handle comes from this library and was not freed; and nothing changes the memory
//! meanwhile. Null, sizes that are too large, unknown numbers and strings that are not UTF-8 are errors.

mod diagnostics;
mod guard;
mod looks;
mod memory;
mod object;
mod pointer;
mod pool;
mod program;
mod records;
mod session;

#[cfg(test)]
mod tests;

use std::ffi::{CStr, c_char};

use records::KilnResult;

/// Version of this interface: of its functions, and of the layout of its structures. It grows whenever programs must
/// be recompiled. Pass it to kiln_session_new.
pub const KILN_ABI_VERSION: u32 = 5;

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// Version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn kiln_version() -> *const c_char {
    VERSION.as_ptr().cast()
}

/// The KILN_ABI_VERSION that the library was built with.
#[unsafe(no_mangle)]
pub extern "C" fn kiln_abi_version() -> u32 {
    KILN_ABI_VERSION
}

/// Description of a result.
#[unsafe(no_mangle)]
pub extern "C" fn kiln_result_text(result: u32) -> *const c_char {
    let known = KilnResult::ALL
        .iter()
        .find(|(known, _)| *known as u32 == result);
    let text: &CStr = known.map_or(c"no result of this library", |(_, text)| text);
    text.as_ptr()
}
