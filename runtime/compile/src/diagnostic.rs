//! What is wrong with a module as a record, for programs that show or store it in their own way.

use std::fmt;

use kiln_frontend::verify::Severity;

/// One thing that was found. A place in a text is a line and a column, one in a binary object an offset; what is
/// about a file or a module as a whole has neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    /// What is wrong, such as `V0014`: for ever the same, whatever the message says.
    pub code: &'static str,
    /// The name that the input was given with.
    pub file: Option<String>,
    /// The kernel or function.
    pub kernel: Option<String>,
    /// The number of the instruction in it, from 0; labels count.
    pub instruction: Option<usize>,
    /// In a text, from 1.
    pub line: Option<u32>,
    /// In a text, in bytes from 1.
    pub column: Option<u32>,
    /// In a binary object, in bytes from its start.
    pub offset: Option<u32>,
    /// The instruction as text.
    pub text: Option<String>,
    pub message: String,
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
