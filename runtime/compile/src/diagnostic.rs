//! Diagnostics as records, for programs that show or store them in their own way.

use std::fmt;

use kiln_visa::verify::Severity;

use crate::absent::Warning;

/// One finding. A place in a text is a line and a column, a place in a binary object is an offset; findings about a
/// whole file or module have neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Severity: after a warning, the input still has a meaning.
    pub severity: Severity,
    /// Identifies the kind of finding, such as `V0014`. Codes are stable and never reused.
    pub code: &'static str,
    /// Name of the input, as the caller gave it.
    pub file: Option<String>,
    /// The kernel or function.
    pub kernel: Option<String>,
    /// Index of the instruction in the kernel or function; labels count.
    pub instruction: Option<usize>,
    /// Line in a text, from 1.
    pub line: Option<u32>,
    /// Column in a text, in bytes from 1.
    pub column: Option<u32>,
    /// Offset in a binary object, in bytes.
    pub offset: Option<u32>,
    /// The instruction as text.
    pub text: Option<String>,
    /// The fault, as one sentence.
    pub message: String,
}

impl Diagnostic {
    /// A warning about LLVM IR.
    #[cfg(feature = "genx")]
    pub(crate) fn of_genx(file: Option<&String>, warning: &Warning) -> Diagnostic {
        let kiln_genx::error::Loc { line, column, byte } = warning.loc;
        Diagnostic {
            severity: Severity::Warning,
            code: warning.code.text(),
            file: file.cloned(),
            kernel: None,
            instruction: None,
            line: Some(line).filter(|line| *line > 0),
            column: Some(column).filter(|column| *column > 0),
            offset: Some(byte).filter(|byte| *byte > 0 && line == 0),
            text: None,
            message: warning.message.clone(),
        }
    }

    /// A warning about LLVM IR, of which a build that reads none has no value.
    #[cfg(not(feature = "genx"))]
    pub(crate) fn of_genx(_: Option<&String>, warning: &Warning) -> Diagnostic {
        match *warning {}
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(file) = &self.file {
            f.write_str(file)?;
            if let (Some(line), Some(column)) = (self.line, self.column) {
                write!(f, ":{line}:{column}")?;
            }
            f.write_str(": ")?;
        }
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{severity} {}: ", self.code)?;
        if let Some(kernel) = &self.kernel {
            f.write_str(kernel)?;
            if let Some(instruction) = self.instruction {
                write!(f, ", instruction {instruction}")?;
            }
            f.write_str(": ")?;
        }
        f.write_str(&self.message)?;
        match self.offset {
            Some(offset) => write!(f, ", at offset {offset:#x}"),
            None => Ok(()),
        }
    }
}
