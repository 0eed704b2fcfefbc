//! A library that gives a program a virtual Intel GPU: preloaded, its functions are met instead of the C library's.
//!
//! | variable | meaning |
//! | --- | --- |
//! | `KILN_GPU` | platform of the device; without it, all is as without the library |
//! | `KILN_GPU_CHECK` | if set, reads of undefined registers are faults |
//! | `KILN_GPU_BUDGET` | maximum number of instructions of a launch |
//! | `KILN_GPU_COMMANDS` | if set, commands are listed on standard error |
//! | `KILN_GPU_ENGINE` | `interpret` or `translate` |
//! | `KILN_GPU_LOADER` | loader of another system and its options, one a line, for the programs that this one starts |
//! | `KILN_GPU_OBJECTS` | folder of the object files that the driver's compiler makes |
//! | `KILN_GPU_PORT` | port of a simulator on this machine, whose connections have one thread at a time |
//! | `KILN_GPU_RECORD` | folder that launches are recorded in |
//! | `KILN_GPU_REPORT` | file that each process appends to: its use of the device, its faults, and its sums at its end |
//!
//! `kiln gpu` sets them.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![expect(unsafe_code, reason = "functions of the C library are replaced")]

mod below;
mod connection;
#[cfg(test)]
mod tests;

use std::ffi::{CStr, c_char, c_int, c_ulong, c_void};
use std::os::fd::IntoRawFd;
use std::sync::OnceLock;

use kiln_exec::Engine;
use kiln_gpu::{Device, Settings, Xe, record, report};
use nix::errno::Errno;
use nix::libc;

/// Path of the device.
const NODE: &CStr = c"/dev/dri/renderD128";
/// Kind of the graphics drivers' calls.
const DRM: c_ulong = b'd' as c_ulong;

/// The device; none if the environment names none.
fn device() -> Option<&'static Xe> {
    static DEVICE: OnceLock<Option<Xe>> = OnceLock::new();
    DEVICE.get_or_init(make).as_ref()
}

fn make() -> Option<Xe> {
    let device = Device::find(&std::env::var("KILN_GPU").ok()?)?;
    let budget = std::env::var("KILN_GPU_BUDGET").ok();
    let settings = Settings {
        budget: budget.and_then(|n| n.parse().ok()).unwrap_or(u64::MAX),
        check: std::env::var_os("KILN_GPU_CHECK").is_some(),
        commands: std::env::var_os("KILN_GPU_COMMANDS").is_some(),
        engine: match std::env::var("KILN_GPU_ENGINE").as_deref() {
            Ok("interpret") => Engine::Interpret,
            Ok("translate") => Engine::Translate,
            _ => Engine::Auto,
        },
        ..Settings::default()
    };
    if let Some(files) = std::env::var_os("KILN_GPU_OBJECTS") {
        let folder = std::env::var_os("KILN_GPU_RECORD");
        record::with(files.as_ref(), folder.map(Into::into));
    }
    // SAFETY: the function is one without arguments.
    unsafe { libc::atexit(end) };
    report::used(std::env::var_os("KILN_GPU_REPORT").map(Into::into));
    Xe::new(device, settings).map_err(report::fault).ok()
}

extern "C" fn end() {
    report::end();
}

/// The C library's function with a name; without one, the error number is set.
///
/// # Safety
/// `F` is the type of a pointer to that function.
unsafe fn next<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>()) };
    // SAFETY: the name ends in a zero.
    let function = unsafe { libc::dlsym(libc::RTLD_NEXT, name.as_ptr()) };
    if function.is_null() {
        Errno::ENOSYS.set();
        return None;
    }
    // SAFETY: the caller's; the sizes are equal.
    Some(unsafe { std::mem::transmute_copy::<*mut c_void, F>(&function) })
}

/// Opens the device, or else what the C library does.
unsafe fn open_as(name: &CStr, path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: the caller's; a path ends in a zero.
    let is_node = || unsafe { CStr::from_ptr(path) } == NODE;
    if !path.is_null()
        && is_node()
        && let Some(device) = device()
    {
        return match device.open() {
            Ok(fd) => fd.into_raw_fd(),
            Err(error) => {
                error.set();
                -1
            }
        };
    }
    type Open = unsafe extern "C" fn(*const c_char, c_int, ...) -> c_int;
    // SAFETY: the caller's, and the C library's function has this type.
    unsafe {
        let path = below::seen(path);
        next::<Open>(name).map_or(-1, |function| function(path, flags, mode))
    }
}

/// As the C library's. The mode is passed on whether it was given or not.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open(path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: the caller's.
    unsafe { open_as(c"open", path, flags, mode) }
}

/// As the C library's.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn open64(path: *const c_char, flags: c_int, mode: libc::mode_t) -> c_int {
    // SAFETY: the caller's.
    unsafe { open_as(c"open64", path, flags, mode) }
}

/// As the C library's, but for calls of the device.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ioctl(fd: c_int, request: c_ulong, argument: *mut c_void) -> c_int {
    if request >> 8 & 0xff == DRM
        && let Some(device) = device()
        && device.has(fd)
    {
        // SAFETY: the caller's.
        return match unsafe { device.call(request, argument.cast()) } {
            Ok(()) => 0,
            Err(error) => {
                error.set();
                -1
            }
        };
    }
    type Ioctl = unsafe extern "C" fn(c_int, c_ulong, ...) -> c_int;
    // SAFETY: the caller's, and the C library's function has this type.
    unsafe { next::<Ioctl>(c"ioctl").map_or(-1, |function| function(fd, request, argument)) }
}
