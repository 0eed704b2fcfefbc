//! Kiln as a C library: the functions of `include/kiln.h`, which `cbindgen` makes of this crate.
//!
//! It adds nothing to `kiln-runtime`, it only carries: pointers to references ([`pointer`]), errors and panics to
//! results ([`guard`]), records to C. Nothing is global: a session has its own threads ([`pool`]), which end with it.
//!
//! # Safety
//! What every function asks of its caller, and what each `unsafe` here rests on: a pointer that is not null points to
//! what the header says, for as long as the call lasts, a handle is one that this library gave and that was not freed,
//! and nobody changes what is pointed to meanwhile. Null, sizes that are too large, numbers that mean nothing and
//! strings that are no UTF-8 are errors.

mod diagnostics;
mod guard;
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

/// The version of this interface: of its functions, and of the layout of its structures.
/// It grows whenever a program has to be compiled again, and is what kiln_session_new is given.
pub const KILN_ABI_VERSION: u32 = 3;

const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");

/// The version of the library, such as "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn kiln_version() -> *const c_char {
    VERSION.as_ptr().cast()
}

/// The KILN_ABI_VERSION that the library was made with.
#[unsafe(no_mangle)]
pub extern "C" fn kiln_abi_version() -> u32 {
    KILN_ABI_VERSION
}

/// What a result means, in words.
#[unsafe(no_mangle)]
pub extern "C" fn kiln_result_text(result: u32) -> *const c_char {
    let known = KilnResult::ALL
        .iter()
        .find(|(known, _)| *known as u32 == result);
    let text: &CStr = known.map_or(c"no result of this library", |(_, text)| text);
    text.as_ptr()
}
