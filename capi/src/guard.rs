//! Turns panics into results and, where the caller takes diagnostics, into diagnostics.

use std::panic::{AssertUnwindSafe, catch_unwind};

use kiln_runtime::{Diagnostic, Severity};

use crate::diagnostics::Diagnostics;
use crate::pointer;
use crate::records::KilnResult;
use crate::session::Session;

/// Code of a panic.
const PANIC: &str = "K0001";

/// Runs the body of a function of the interface.
pub fn guard(work: impl FnOnce() -> Result<(), KilnResult>) -> KilnResult {
    // Unwind safety: functions publish results only in their last step, and scratch memory of a session is taken out
    // of it while in use, so that nothing half done remains.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(Ok(())) => KilnResult::Ok,
        Ok(Err(result)) => result,
        Err(_) => KilnResult::Internal,
    }
}

/// As [`guard`], for a function with a session. Gathers diagnostics for the session's log and, if the caller wants
/// them, for the caller.
///
/// # Safety
/// See the crate's documentation.
pub unsafe fn diagnosed(
    session: *const Session,
    out: *mut *mut Diagnostics,
    work: impl FnOnce(&Session, &mut Vec<Diagnostic>) -> Result<(), KilnResult>,
) -> KilnResult {
    guard(|| {
        if !out.is_null() {
            // SAFETY: the caller's contract.
            unsafe { pointer::put(out, std::ptr::null_mut()) }?;
        }
        // SAFETY: the caller's contract.
        let session = unsafe { pointer::reference(session) }?;
        let mut found = Vec::new();
        let result = match catch_unwind(AssertUnwindSafe(|| work(session, &mut found))) {
            Ok(result) => result,
            Err(panic) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
                found.push(error(PANIC, text.unwrap_or("a panic").to_string()));
                Err(KilnResult::Internal)
            }
        };
        found.iter().for_each(|diagnostic| session.log(diagnostic));
        if !out.is_null() && !found.is_empty() {
            // SAFETY: the caller's contract.
            unsafe { pointer::make(out, || Ok(Diagnostics::new(found))) }?;
        }
        result
    })
}

/// As [`diagnosed`], for work that makes an object whose handle the caller gets.
///
/// # Safety
/// See the crate's documentation.
pub unsafe fn making<T>(
    session: *const Session,
    out: *mut *mut T,
    diagnostics: *mut *mut Diagnostics,
    work: impl FnOnce(&Session, &mut Vec<Diagnostic>) -> Result<T, KilnResult>,
) -> KilnResult {
    // SAFETY: the caller's contract.
    let work = |session: &Session, found: &mut Vec<_>| unsafe {
        pointer::make(out, || work(session, found))
    };
    // SAFETY: the caller's contract.
    unsafe { diagnosed(session, diagnostics, work) }
}

/// An error without a place in vISA.
pub fn error(code: &'static str, message: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code,
        file: None,
        kernel: None,
        instruction: None,
        line: None,
        column: None,
        offset: None,
        text: None,
        message,
    }
}
