//! Intel's graphics compiler as its OpenCL and Level Zero drivers load it, with Kiln in place of the finalizer.
//!
//! A driver opens `libigc.so.2` by name and calls its one function, `CIFCreateMain`; all else are virtual functions of C++
//! objects. Under that name, in a folder that the loader searches first, this library opens the real one, and exchanges three
//! functions in the tables of its classes (`table.rs`): those that create a device, create a translation, and translate.
//! The last asks for vISA in the object file and replaces its code (`code.rs`). On any error the driver's code stays.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `KILN_IGC` | path of the real library; without it, that of the same name in the system's folders |
//! | `KILN_LOG` | file that a line for each object file is appended to |
//! | `KILN_OBJECTS` | folder that each object file is also written to |
//! | `KILN_OBSERVE` | if set, the compiler's code stays |
//!
//! `kiln gpu --finalize` sets them. Numbers of functions and their arguments are those of the compiler's interface
//! (`cif/common/cif.h`, `ocl_igc_interface`), which only grows.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![expect(
    unsafe_code,
    reason = "functions of C++ objects are called and exchanged"
)]

mod code;
mod real;
mod table;
mod translate;

use std::ffi::c_void;

/// The compiler's entry: the object that makes all others, null without a compiler.
///
/// # Safety
/// As the compiler's own.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn CIFCreateMain() -> *mut c_void {
    let Some(create) = real::entry() else {
        return std::ptr::null_mut();
    };
    // SAFETY: it is the compiler's function, which takes nothing.
    let main = unsafe { create() };
    // SAFETY: the object is the compiler's.
    unsafe { translate::follow(main) };
    main
}
