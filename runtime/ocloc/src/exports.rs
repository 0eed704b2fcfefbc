//! The functions of `libocloc.so`. Files of outputs are ours, whoever made them.

use std::ffi::{CStr, CString, c_char, c_int, c_uint};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::command::{self, Call};
use crate::front::{Front, Outcome};
use crate::library::{self, Files, LOG, Library};
use crate::{compile, log};

/// Version 1.0 of ocloc's interface.
const VERSION: c_int = 1 << 16;
/// Codes of ocloc_api.h: the build failed, a file cannot be read or written, the compiler crashed.
const BUILD_FAILURE: c_int = -11;
const INVALID_FILE: c_int = -5151;
const CRASH: c_int = -5152;

/// Version of the interface: major in the upper half, minor in the lower.
#[unsafe(no_mangle)]
pub extern "C" fn oclocVersion() -> c_int {
    VERSION
}

/// Makes a call of ocloc: arguments with the program's name, files in memory, and variables for the outputs, which are
/// written to disk if there are none. The result is ocloc's.
///
/// # Safety
/// As ocloc_api.h says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn oclocInvoke(
    count: c_uint,
    arguments: *const *const c_char,
    sources: u32,
    source_data: *const *const u8,
    source_sizes: *const u64,
    source_names: *const *const c_char,
    headers: u32,
    header_data: *const *const u8,
    header_sizes: *const u64,
    header_names: *const *const c_char,
    outputs: *mut u32,
    data: *mut *mut *mut u8,
    sizes: *mut *mut u64,
    names: *mut *mut *mut c_char,
) -> c_int {
    let sources = Files {
        count: sources,
        data: source_data,
        sizes: source_sizes,
        names: source_names,
    };
    let headers = Files {
        count: headers,
        data: header_data,
        sizes: header_sizes,
        names: header_names,
    };
    let words = (0..count as usize).map(|number| {
        // SAFETY: the caller's contract: as many strings.
        unsafe { CStr::from_ptr(*arguments.add(number)) }.to_owned()
    });
    let words: Vec<CString> = words.collect();
    let work = || invoke(&words, sources, headers);
    let mut outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Outcome {
        code: CRASH,
        ..Outcome::default()
    });
    outcome.said.append(&mut outcome.warned);
    if outputs.is_null() || data.is_null() || sizes.is_null() || names.is_null() {
        // A closed standard output is no failure of the call.
        let _ = io::stdout().write_all(&outcome.said);
        return match compile::write("", &outcome.files) {
            Ok(()) => outcome.code,
            Err(_) => INVALID_FILE,
        };
    }
    outcome.said.push(0);
    outcome.files.push((LOG.to_string(), outcome.said));
    // SAFETY: they are variables of the caller's.
    unsafe { library::give(outcome.files, outputs, data, sizes, names) };
    outcome.code
}

/// Frees the outputs of `oclocInvoke`.
///
/// # Safety
/// As ocloc_api.h says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn oclocFreeOutput(
    outputs: *mut u32,
    data: *mut *mut *mut u8,
    sizes: *mut *mut u64,
    names: *mut *mut *mut c_char,
) -> c_int {
    // SAFETY: the caller's contract.
    unsafe { library::free(outputs, data, sizes, names) };
    0
}

/// A call with its outputs, whose names are those that ocloc gives them.
fn invoke(words: &[CString], sources: Files, headers: Files) -> Outcome {
    let failed = |error: &dyn std::fmt::Display, code| Outcome {
        code,
        said: format!("kiln-ocloc: {error}\n").into_bytes(),
        ..Outcome::default()
    };
    let program = words.first().cloned().unwrap_or_default();
    // SAFETY: the contract of `oclocInvoke`, in whose call the library is used.
    let library = match unsafe { Library::load(&program, sources, headers, oclocInvoke) } {
        Ok(library) => library,
        Err(error) => return failed(&error, INVALID_FILE),
    };
    let texts = words
        .iter()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned());
    let arguments: Vec<String> = texts.collect();
    let as_it_was = || {
        library
            .invoke(&arguments)
            .unwrap_or_else(|e| failed(&e, INVALID_FILE))
    };
    let with_line = |reason: String| {
        let mut outcome = as_it_was();
        if outcome.code == 0 {
            outcome.said.extend(log::kept(reason).bytes());
        }
        outcome
    };
    let call = match command::read(&arguments) {
        Call::Compile(call) => call,
        Call::Kept(word) if log::is_strict() => {
            return failed(&log::unread(word), BUILD_FAILURE);
        }
        Call::Kept(word) => return with_line(log::unread(word)),
        Call::Other => return as_it_was(),
    };
    let front: &dyn Front = &library;
    match compile::compile(front, &call) {
        Ok(Some(done)) if !done.kept.is_empty() && log::is_strict() => {
            failed(&log::refusals(&done.kept).trim_end(), BUILD_FAILURE)
        }
        Ok(Some(done)) => {
            let mut outcome = done.outcome;
            outcome.said = log::without_change(&outcome.said, &arguments);
            outcome.said.extend(log::refusals(&done.kept).bytes());
            for (name, _) in &mut outcome.files {
                if !call.folder.is_empty() {
                    *name = Path::new(&call.folder).join(&*name).display().to_string();
                }
            }
            outcome
        }
        Ok(None) => as_it_was(),
        Err(error) if log::is_strict() => failed(&error, INVALID_FILE),
        Err(error) => with_line(error.to_string()),
    }
}
