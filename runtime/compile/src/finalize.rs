//! Makes the code of an object file from the vISA that it carries.
//!
//! The reference compiler writes the vISA of each kernel and function into a section of its own if the internal option
//! `-emit-zebin-visa-sections` asks for it (`-ze-emit-zebin-visa-sections` in older ones). With `-emit-visa-only` as well it stops there: the code is padding, and the
//! symbols of code and the fields of `.ze_info` that a finalizer decides are missing. Takes such an object file, with
//! code or without, and gives one whose code, symbols, relocations and fields are ours; all else is kept. An archive of them for several devices is
//! one of ours.
//!
//! ```
//! use kiln_compile::finalize::{Strip, finalize_bytes};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/finalize/saxpy.alone.zebin");
//! let from_compiler: Vec<u8> = std::fs::read(path)?;
//! let object_file: Vec<u8> = finalize_bytes(&from_compiler, Strip::default())?;
//! # assert!(object_file.starts_with(b"\x7fELF"));
//! # Ok(())
//! # }
//! ```

use std::collections::HashMap;

use kiln_emit::platform::Platform;
use kiln_emit::zebin::{FUNCTIONS, SPIRV, VISA, Zebin, ZebinError};

use crate::archive;
use crate::entry_points;
use crate::info::{self, InfoError};
use crate::options::{Grfs, Options};
use crate::relink::{self, RelinkError, Relinked, Wanted};
use crate::session::Session;
use crate::source::Input;

/// Sections that the result does not need, and that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Strip {
    /// vISA as text.
    pub visa: bool,
    /// The program in SPIR-V, which a driver needs to compile it for another device.
    pub spirv: bool,
}

impl Strip {
    /// Leaves the sections out.
    pub fn apply(self, zebin: &mut Zebin) {
        let is_stripped = |kind| kind == VISA && self.visa || kind == SPIRV && self.spirv;
        zebin.others.retain(|section| !is_stripped(section.kind));
    }
}

/// Reasons why an object file has no code.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum FinalizeError {
    #[error(transparent)]
    Info(#[from] InfoError),
    #[error("it names no device that Kiln knows")]
    Platform,
    #[error("it is an archive that cannot be read")]
    Archive,
    #[error("{member}: {error}")]
    Member {
        member: String,
        error: Box<FinalizeError>,
    },
    #[error(transparent)]
    Relink(#[from] RelinkError),
    #[error("the object file cannot be written: {0}")]
    Write(ZebinError),
}

/// A file with our code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Finalized {
    /// The object file, or the archive of object files.
    pub bytes: Vec<u8>,
    /// Names of the kernels with our code, in an archive after those of their members.
    pub replaced: Vec<String>,
    /// Names of the others.
    pub kept: Vec<String>,
}

/// Finalizes an object file, or those in an archive, for the platforms that they name, with all optimizations, on this thread's pool.
/// Bytes in, bytes out; [`finalize_file`] and [`finalize`] have all choices.
///
/// # Errors
/// The bytes are no object file for a platform that Kiln compiles for; a kernel has no vISA; or compilation fails.
pub fn finalize_bytes(file: &[u8], strip: Strip) -> Result<Vec<u8>, FinalizeError> {
    let session = |platform| Session::new(Options::new(platform));
    finalize_file(file, session, strip, false, false).map(|finalized| finalized.bytes)
}

/// Finalizes an object file, or those in an archive for several devices, whose other members stay. `session` makes that for a platform;
/// `keep` and `lines` are those of [`finalize`].
///
/// # Errors
/// As those of [`finalize_bytes`], of the first member.
pub fn finalize_file(
    file: &[u8],
    session: impl Fn(&'static Platform) -> Session,
    strip: Strip,
    keep: bool,
    lines: bool,
) -> Result<Finalized, FinalizeError> {
    let one = |object: &[u8]| {
        let zebin = Zebin::parse(object).map_err(InfoError::from)?;
        let platform = info::platform_of(&zebin).ok_or(FinalizeError::Platform)?;
        let relinked = finalize(&session(platform), zebin, strip, keep, lines)?;
        Ok(Finalized {
            bytes: relinked.zebin.write().map_err(FinalizeError::Write)?,
            replaced: relinked.replaced,
            kept: relinked.kept,
        })
    };
    if !archive::is_archive(file) {
        return one(file);
    }
    let mut members = archive::read(file).ok_or(FinalizeError::Archive)?;
    let mut all = Finalized::default();
    for member in members.iter_mut().filter(|member| !member.is_ir()) {
        let made = one(&member.data).map_err(|error| FinalizeError::Member {
            member: member.name.clone(),
            error: Box::new(error),
        })?;
        let full = |name: &String| format!("{}/{name}", member.name);
        all.replaced.extend(made.replaced.iter().map(full));
        all.kept.extend(made.kept.iter().map(full));
        member.data = made.bytes;
    }
    all.bytes = archive::write(&members);
    Ok(all)
}

/// Texts of the sections with vISA, with names for messages: those of the sections, numbered from the second of a name on.
pub fn visa(zebin: &Zebin) -> Vec<(String, Vec<u8>)> {
    let mut seen: HashMap<&str, u32> = HashMap::new();
    let sections = zebin.others.iter().filter(|section| section.kind == VISA);
    let text = |section: &'_ kiln_emit::zebin::Section| {
        let end = section.data.iter().rposition(|byte| *byte != 0);
        section.data[..end.map_or(0, |last| last + 1)].to_vec()
    };
    let mut found = Vec::new();
    for section in sections {
        let count = seen.entry(&section.name).or_default();
        *count += 1;
        let name = match count {
            1 => section.name.clone(),
            more => format!("{}#{more}", section.name),
        };
        found.push((name, text(section)));
    }
    found
}

/// The declaration of the kernel that the section of functions begins with.
const FUNCTIONS_KERNEL: &str = ".kernel \"Intel_Symbol_Table_Void_Program\"";
/// Option of the reference finalizer, in a comment at the end of its vISA: the number of registers of a thread.
const TOTAL_GRFS: &str = "-TotalGRFNum ";

/// The number of registers that the compiler asks its own finalizer for, which no attribute says.
fn asked_grfs(text: &[u8]) -> Option<u32> {
    let at = memchr::memmem::rfind(text, TOTAL_GRFS.as_bytes())? + TOTAL_GRFS.len();
    let digits = text[at..].iter().take_while(|byte| byte.is_ascii_digit());
    let number: Vec<u8> = digits.copied().collect();
    std::str::from_utf8(&number).ok()?.parse().ok()
}

/// The declaration of every kernel by older compilers (1.0.12504), in the order of the object file's kernels.
const UNNAMED: &str = ".kernel \"kernel\"";

/// Gives the kernels of texts their names where the compiler has not, if there are as many as in the object file.
fn name_kernels(texts: &mut [(String, Vec<u8>)], zebin: &Zebin) {
    let declared = |(_, text): &(String, Vec<u8>)| memchr::memmem::find(text, UNNAMED.as_bytes());
    let places: Vec<_> = texts.iter().map(declared).collect();
    if places.iter().flatten().count() != zebin.kernels.len() {
        return;
    }
    let found = texts.iter_mut().zip(places);
    let found = found.filter_map(|((_, text), at)| Some((text, at?)));
    for ((text, at), kernel) in found.zip(&zebin.kernels) {
        let named = format!(".kernel \"{}\"", kernel.name);
        text.splice(at..at + UNNAMED.len(), named.into_bytes());
    }
}

/// Finalizes an object file with a session's options. That of a program without kernels is complete. `keep` allows kernels without vISA, which keep their code. `lines`
/// adds sections with the source lines of the code.
///
/// # Errors
/// No section has vISA, or none that of a kernel; or compilation fails. Files of failures are numbers in [`visa`].
pub fn finalize(
    session: &Session,
    mut zebin: Zebin,
    strip: Strip,
    keep: bool,
    lines: bool,
) -> Result<Relinked, RelinkError> {
    let mut texts = visa(&zebin);
    name_kernels(&mut texts, &zebin);
    if texts.is_empty() && !zebin.kernels.is_empty() {
        return Err(RelinkError::NoSections);
    }
    let absent = entry_points::absent(&zebin);
    if !absent.is_empty() {
        return Err(RelinkError::Absent(absent));
    }
    strip.apply(&mut zebin);
    // The section of functions has a kernel of its own only if the compiler made one.
    let declares = |text: &[u8]| memchr::memmem::find(text, FUNCTIONS_KERNEL.as_bytes()).is_some();
    let own = texts.iter().any(|(_, text)| declares(text));
    let mut names = Vec::new();
    for kernel in &mut zebin.kernels {
        // Padding alone is no code.
        if kernel.text.iter().all(|byte| *byte == 0) {
            kernel.text.clear();
        }
        if kernel.name != FUNCTIONS || own {
            names.push(kernel.name.clone());
        }
    }
    let counts = texts.iter().filter_map(|(_, text)| asked_grfs(text));
    let limit = counts.max().filter(|count| {
        let modes = session.options().platform.grf_modes;
        session.options().grfs == Grfs::Kernel && modes.iter().any(|mode| mode.grfs == *count)
    });
    let larger = limit.map(|grf_limit| session.with_limit(grf_limit));
    let session = larger.as_ref().unwrap_or(session);
    let inputs: Vec<Input> = (texts.iter())
        .map(|(name, bytes)| Input { name, bytes })
        .collect();
    let wanted = Wanted {
        names,
        together: true,
        keep,
        lines,
    };
    relink::replace(session, zebin, &inputs, wanted)
}
