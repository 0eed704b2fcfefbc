//! Diagnostics: a list of records.

use std::ffi::CString;

use kiln_runtime::{Diagnostic, Severity};

use crate::guard::guard;
use crate::pointer::{self, c_string, optional};
use crate::records::{KilnDiagnostic, KilnResult, KilnSeverity};

/// Findings of one call.
pub struct Diagnostics {
    records: Vec<Record>,
}

struct Record {
    diagnostic: Diagnostic,
    code: CString,
    file: Option<CString>,
    kernel: Option<CString>,
    text: Option<CString>,
    message: CString,
}

impl Diagnostics {
    pub fn new(found: Vec<Diagnostic>) -> Diagnostics {
        let optional = |text: &Option<String>| text.as_deref().map(c_string);
        let record = |diagnostic: Diagnostic| Record {
            code: c_string(diagnostic.code),
            file: optional(&diagnostic.file),
            kernel: optional(&diagnostic.kernel),
            text: optional(&diagnostic.text),
            message: c_string(&diagnostic.message),
            diagnostic,
        };
        Diagnostics {
            records: found.into_iter().map(record).collect(),
        }
    }
}

impl From<Severity> for KilnSeverity {
    fn from(severity: Severity) -> KilnSeverity {
        match severity {
            Severity::Error => KilnSeverity::Error,
            Severity::Warning => KilnSeverity::Warning,
        }
    }
}

impl Record {
    fn view(&self) -> KilnDiagnostic {
        let found = &self.diagnostic;
        KilnDiagnostic {
            severity: found.severity.into(),
            code: self.code.as_ptr(),
            file: optional(&self.file),
            kernel: optional(&self.kernel),
            text: optional(&self.text),
            message: self.message.as_ptr(),
            instruction: found.instruction.map_or(-1, |inst| inst as i64),
            line: found.line.unwrap_or(0),
            column: found.column.unwrap_or(0),
            offset: found.offset.map_or(-1, i64::from),
        }
    }
}

/// Number of diagnostics; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_diagnostics_count(diagnostics: *const Diagnostics) -> usize {
    // SAFETY: the caller's contract.
    let diagnostics = unsafe { pointer::reference(diagnostics) };
    diagnostics.map_or(0, |diagnostics| diagnostics.records.len())
}

/// The diagnostic of an index, from 0: the first error, then the others in the order of the input.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_diagnostics_get(
    diagnostics: *const Diagnostics,
    index: usize,
    out: *mut KilnDiagnostic,
) -> KilnResult {
    guard(|| {
        // SAFETY: the caller's contract.
        let diagnostics = unsafe { pointer::reference(diagnostics) }?;
        let record = diagnostics.records.get(index).ok_or(KilnResult::NotFound)?;
        // SAFETY: the caller's contract.
        unsafe { pointer::put(out, record.view()) }
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn kiln_diagnostics_free(diagnostics: *mut Diagnostics) {
    // SAFETY: the caller's contract.
    unsafe { pointer::free(diagnostics) };
}
