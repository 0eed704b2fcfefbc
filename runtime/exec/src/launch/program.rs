//! A kernel's machine code as it is launched.

use std::fmt;
use std::ops::Deref;

use kiln_emit::inst::Inst;
use kiln_emit::platform::Platform;
use kiln_emit::zebin::Zebin;

use crate::code::decoded::Decoded;
use crate::code::link::LinkError;
#[cfg(all(feature = "translate", target_arch = "x86_64", target_os = "linux"))]
use crate::translate::translations::Translations;

/// A kernel's machine code: decoded once, with the host's code that it was translated to so far.
#[derive(Debug)]
pub struct Program {
    code: Decoded,
    #[cfg(all(feature = "translate", target_arch = "x86_64", target_os = "linux"))]
    translations: Translations,
}

impl From<Decoded> for Program {
    fn from(code: Decoded) -> Program {
        Program {
            code,
            #[cfg(all(feature = "translate", target_arch = "x86_64", target_os = "linux"))]
            translations: Translations::default(),
        }
    }
}

impl Deref for Program {
    type Target = Decoded;

    fn deref(&self) -> &Decoded {
        &self.code
    }
}

impl Program {
    /// Decodes the code of a kernel of an object file, linked to the object file's data.
    ///
    /// # Errors
    /// The object file has no such kernel, or a reference of it has no target.
    pub fn from_zebin(
        zebin: &Zebin,
        kernel: &str,
        platform: &'static Platform,
    ) -> Result<Program, LinkError> {
        Decoded::from_zebin(zebin, kernel, platform).map(Program::from)
    }

    /// Decodes the code of a kernel. What follows the last instruction (padding, data) need not
    /// decode: only executing it is an error.
    pub fn from_text(text: &[u8], platform: &'static Platform) -> Program {
        Decoded::from_text(text, platform).into()
    }

    /// As [`Program::from_text`], of code at several distances from its start, the first at 0. `origin` is the start's
    /// distance from the origin of absolute branches.
    pub fn from_parts(parts: &[(u32, &[u8])], origin: u32, platform: &'static Platform) -> Program {
        Decoded::from_parts(parts, origin, platform).into()
    }

    /// Code made of instructions, at the places that their encodings would have.
    pub fn from_insts(insts: Vec<Inst>, platform: &'static Platform) -> Program {
        Decoded::from_insts(insts, platform).into()
    }

    /// The program's code for the host.
    #[cfg(all(feature = "translate", target_arch = "x86_64", target_os = "linux"))]
    pub(super) fn translations(&self) -> &Translations {
        &self.translations
    }
}

impl fmt::Display for Program {
    /// The operations, one a line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.code.fmt(f)
    }
}
