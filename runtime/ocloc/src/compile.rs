//! One call that compiles: the front half, and our code in its object files.
//!
//! The front half is asked for vISA alone; where an object file lacks the symbols of its data or a kernel, for both. It takes the widest SIMD
//! size, since it does not learn of spills: if our code of a kernel spills, it is asked once for a narrower size, too, beginning with the
//! SPIR-V that it left, and the better of both is taken ([`kiln_compile::choose`]). An object file that Kiln cannot finalize, and a
//! file of code in another form, is that of the call as it was; each has its reason. A call that ocloc refuses has no result here, and is to be made as it was, so that its messages and its exit
//! code are ocloc's own.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::{fs, io};

use kiln_compile::archive::{self, Member};
use kiln_compile::choose;
use kiln_compile::finalize::{FinalizeError, Strip, finalize};
use kiln_compile::info::{self, InfoError};
use kiln_compile::relink::{RelinkError, Relinked};
use kiln_compile::{ObjectError, Options, Session};
use kiln_emit::zebin::Zebin;

use crate::command::{Compile, Parts};
use crate::front::{Front, Outcome};

/// First bytes of an object file.
const ELF: &[u8] = b"\x7fELF";
/// First bytes of SPIR-V, and the extension of its files.
const SPIRV: &[u8] = b"\x03\x02\x23\x07";
const SPIRV_EXTENSION: &str = "spv";

/// Reason of a file that is not read.
const NO_OBJECT: &str = "it is no object file of a form that is read";

/// The result of a call.
#[derive(Debug)]
pub struct Done {
    /// Output of ocloc, and its files with our code.
    pub outcome: Outcome,
    /// Files that have ocloc's code, each with the reason.
    pub kept: Vec<(String, String)>,
}

/// Makes a call. `None` if ocloc refuses it, or makes no code.
///
/// # Errors
/// ocloc cannot be called, or files cannot be read or written.
pub fn compile(front: &dyn Front, call: &Compile) -> io::Result<Option<Done>> {
    for parts in [Parts::Visa, Parts::Both] {
        let Some(outcome) = make(front, call, parts, None)? else {
            return Ok(None);
        };
        let Some(mut finished) = Finished::of(&outcome, None, call) else {
            return Ok(None);
        };
        if finished.is_partial && parts == Parts::Visa {
            continue;
        }
        if let Some(simd) = finished.narrower.filter(|_| front.selects_simd())
            && let Some(second) = again(front, call, &outcome, parts, simd)?
        {
            let narrow = Narrow {
                outcome: second,
                made: finished.made,
            };
            let Some(better) = Finished::of(&outcome, Some(narrow), call) else {
                return Ok(None);
            };
            finished = better;
        }
        if finished.kept.is_empty() {
            let outcome = Outcome {
                files: finished.files,
                ..outcome
            };
            let kept = finished.kept;
            return Ok(Some(Done { outcome, kept }));
        }
        // The call as it was has the code of the rest.
        let theirs = make(front, call, Parts::Code, None)?;
        return Ok(theirs.map(|outcome| finished.with(outcome)));
    }
    Ok(None)
}

/// A call for these parts and this SIMD size; `None` if ocloc refuses it.
fn make(
    front: &dyn Front,
    call: &Compile,
    parts: Parts,
    simd: Option<u32>,
) -> io::Result<Option<Outcome>> {
    let folder = tempfile::Builder::new().prefix("kiln-ocloc-").tempdir()?;
    let outputs = folder.path().join("out");
    fs::create_dir(&outputs)?;
    let Some(text) = outputs.to_str() else {
        return Ok(None);
    };
    let outcome = front.call(&call.arguments(parts, text), &outputs, simd)?;
    Ok((outcome.code == 0).then_some(outcome))
}

/// The call for another SIMD size, without the work of the first one up to SPIR-V, if that left any.
fn again(
    front: &dyn Front,
    call: &Compile,
    first: &Outcome,
    parts: Parts,
    simd: u32,
) -> io::Result<Option<Outcome>> {
    let mut files = first.files.iter().map(|(_, bytes)| bytes);
    let spirv = files.find(|bytes| bytes.starts_with(SPIRV));
    let (Some(spirv), Some(stem)) = (spirv, call.source_stem()) else {
        return make(front, call, parts, Some(simd));
    };
    let folder = tempfile::Builder::new().prefix("kiln-ocloc-").tempdir()?;
    // Names of outputs follow from that of the source.
    let path = folder
        .path()
        .join(stem)
        .with_added_extension(SPIRV_EXTENSION);
    fs::write(&path, spirv)?;
    match path.to_str() {
        Some(path) => make(front, &call.from_spirv(path), parts, Some(simd)),
        None => Ok(None),
    }
}

/// The files of a call with our code.
struct Finished {
    files: Vec<(String, Vec<u8>)>,
    /// Names of files that are not finalized, or of which a part is not, and why.
    kept: Vec<(String, String)>,
    /// True if one of those lacks symbols or kernels, which a whole compilation has.
    is_partial: bool,
    /// Widest of the narrower SIMD sizes that kernels whose code spills are asked for with.
    narrower: Option<u32>,
    /// Object files with our code, by their names in messages.
    made: HashMap<String, Relinked>,
}

/// The call for a narrower SIMD size, and what was made of the object files before it.
struct Narrow {
    outcome: Outcome,
    made: HashMap<String, Relinked>,
}

impl Finished {
    /// Finalizes the files, each with its variant of the same name; `None` if none of them has code.
    fn of(outcome: &Outcome, narrow: Option<Narrow>, call: &Compile) -> Option<Finished> {
        let (narrow, before) = narrow.map(|narrow| (narrow.outcome, narrow.made)).unzip();
        let mut finished = Finished {
            files: Vec::new(),
            kept: Vec::new(),
            is_partial: false,
            narrower: None,
            made: before.unwrap_or_default(),
        };
        let mut objects = 0;
        for (name, bytes) in &outcome.files {
            let variant = narrow.as_ref().and_then(|narrow| narrow.file(name));
            let made = if bytes.starts_with(ELF) {
                objects += 1;
                finished.object(name, bytes, variant, call)
            } else if archive::is_archive(bytes) {
                objects += 1;
                match archive::read(bytes) {
                    Some(members) => finished.archive(name, members, variant, call),
                    None => {
                        let reason = FinalizeError::Archive.to_string();
                        finished.kept.push((name.clone(), reason));
                        bytes.clone()
                    }
                }
            } else {
                bytes.clone()
            };
            finished.files.push((name.clone(), made));
        }
        if objects == 0 {
            // Code in another form of the compiler's, if any.
            let code = outcome.files.iter();
            let code = code.filter(|(_, bytes)| !bytes.starts_with(SPIRV));
            let kept = code.map(|(name, _)| (name.clone(), NO_OBJECT.to_string()));
            finished.kept = kept.collect();
        }
        (objects > 0 || !finished.kept.is_empty()).then_some(finished)
    }

    /// An object file with our code, or as it is.
    fn object(
        &mut self,
        name: &str,
        object: &[u8],
        variant: Option<&[u8]>,
        call: &Compile,
    ) -> Vec<u8> {
        let variant = variant.zip(self.made.remove(name));
        match code(object, variant, call) {
            Ok((bytes, made)) => {
                self.narrower = self.narrower.max(choose::narrower(&made.zebin));
                self.made.insert(name.to_string(), made);
                bytes
            }
            Err(error) => {
                self.is_partial |= matches!(
                    error,
                    FinalizeError::Relink(
                        RelinkError::Absent(_) | RelinkError::Object(ObjectError::NoSymbol { .. })
                    )
                );
                self.kept.push((name.to_string(), error.to_string()));
                object.to_vec()
            }
        }
    }

    /// The archive of members with our code, or as they are.
    fn archive(
        &mut self,
        name: &str,
        members: Vec<Member>,
        variant: Option<&[u8]>,
        call: &Compile,
    ) -> Vec<u8> {
        let variants = variant.and_then(archive::read).unwrap_or_default();
        let made = members.into_iter().map(|member| {
            if !member.is_program() {
                return member;
            }
            let variant = variants.iter().find(|other| other.name == member.name);
            let variant = variant.map(|other| other.data.as_slice());
            let full = in_archive(name, &member.name);
            Member {
                data: self.object(&full, &member.data, variant, call),
                ..member
            }
        });
        archive::write(&made.collect::<Vec<_>>())
    }

    /// The outcome of the call as it was, with our code where we have it.
    fn with(self, theirs: Outcome) -> Done {
        let kept = |name: &str| self.kept.iter().any(|(one, _)| one == name);
        let ours = |name: &str| self.files.iter().find(|(one, _)| one == name);
        let mut outcome = theirs;
        for (name, bytes) in &mut outcome.files {
            let Some((_, made)) = ours(name).filter(|_| !kept(name)) else {
                continue;
            };
            let members = (archive::read(bytes), archive::read(made));
            let (Some(mut theirs), Some(made)) = members else {
                bytes.clone_from(made);
                continue;
            };
            for member in &mut theirs {
                let own = made.iter().find(|own| own.name == member.name);
                if let Some(own) = own.filter(|_| !kept(&in_archive(name, &member.name))) {
                    member.data.clone_from(&own.data);
                }
            }
            *bytes = archive::write(&theirs);
        }
        Done {
            outcome,
            kept: self.kept,
        }
    }
}

/// Name of a member for messages.
fn in_archive(archive: &str, member: &str) -> String {
    format!("{archive}({member})")
}

/// An object file with our code; with a variant and what was made of the object file before it, of the better one of each kernel.
fn code(
    object: &[u8],
    variant: Option<(&[u8], Relinked)>,
    call: &Compile,
) -> Result<(Vec<u8>, Relinked), FinalizeError> {
    let zebin = Zebin::parse(object).map_err(InfoError::from)?;
    let platform = info::platform_of(&zebin).ok_or(FinalizeError::Platform)?;
    let session = Session::new(Options::new(platform));
    let strip = Strip {
        visa: !call.keeps_visa,
        spirv: false,
    };
    let make = |zebin| finalize(&session, zebin, strip, false, call.lines);
    let made = match variant {
        None => make(zebin)?,
        Some((variant, first)) => {
            let variants: Vec<Zebin> = Zebin::parse(variant).into_iter().collect();
            choose::choose(platform, (&zebin, first), &variants, &[], make)?.0
        }
    };
    let bytes = made.zebin.write().map_err(FinalizeError::Write)?;
    Ok((bytes, made))
}

/// Writes files into a folder and folders below it, each under another name first, so that it is whole or not there.
///
/// # Errors
/// A folder or a file cannot be written; files before it are there.
pub fn write(folder: &str, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    let folder = match folder {
        "" => Path::new("."),
        folder => Path::new(folder),
    };
    let failed = |path: &Path, e: io::Error| {
        let name = path.strip_prefix(".").unwrap_or(path);
        io::Error::new(e.kind(), format!("{}: {e}", name.display()))
    };
    for (name, bytes) in files {
        let path = folder.join(name);
        let folder = path.parent().unwrap_or(folder);
        fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
        let special = fs::metadata(&path).is_ok_and(|found| !found.is_file());
        let written = if special {
            fs::write(&path, bytes)
        } else {
            whole(folder, &path, bytes)
        };
        written.map_err(|e| failed(&path, e))?;
    }
    Ok(())
}

fn whole(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kiln-");
    // As files of other programs: readable by all whom the process's mask allows.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map(drop).map_err(|e| e.error)
}
