//! One call that compiles: the front half, and our code in its object files.
//!
//! The front half is asked for vISA alone; where an object file lacks the symbols of its data, for both. It takes the widest SIMD
//! size, since it does not learn of spills: if our code of a kernel spills, it is asked for half that size, too, and the better of
//! both is taken ([`kiln_compile::choose`]). An object file that Kiln cannot finalize is that of the call as it was; each has
//! its reason. A call that ocloc refuses has no result here, and is to be made as it was, so that its messages and its exit
//! code are ocloc's own.

use std::io::Write;
use std::path::Path;
use std::{fs, io};

use kiln_compile::choose::choose;
use kiln_compile::finalize::{FinalizeError, Strip, finalize};
use kiln_compile::info::{self, InfoError};
use kiln_compile::relink::RelinkError;
use kiln_compile::{ObjectError, Options, Session};
use kiln_emit::zebin::Zebin;

use crate::archive::{self, Member};
use crate::command::{Compile, Parts};
use crate::front::{Front, Outcome};

/// First bytes of an object file.
const ELF: &[u8] = b"\x7fELF";
/// Bytes of a register for each channel of the least SIMD size of a platform.
const CHANNEL_BYTES: u32 = 4;

/// The result of a call.
#[derive(Debug)]
pub struct Done {
    /// Output of ocloc, and its files with our code.
    pub outcome: Outcome,
    /// Object files that have ocloc's code, each with the reason.
    pub kept: Vec<(String, String)>,
}

/// Makes a call. `None` if ocloc refuses it, or writes no object file of a form that can be read.
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
        if let Some(simd) = finished.narrower.filter(|_| front.selects_simd())
            && let Some(narrow) = make(front, call, parts, Some(simd))?
            && let Some(better) = Finished::of(&outcome, Some(&narrow), call)
        {
            finished = better;
        }
        if finished.lacks_symbols && parts == Parts::Visa {
            continue;
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

/// The files of a call with our code.
struct Finished {
    files: Vec<(String, Vec<u8>)>,
    /// Names of files that are not finalized, or of which a part is not, and why.
    kept: Vec<(String, String)>,
    /// True if one of those lacks symbols, which a whole compilation has.
    lacks_symbols: bool,
    /// Half the widest SIMD size of a kernel whose code spills, if the platform has it.
    narrower: Option<u32>,
}

impl Finished {
    /// Finalizes the files, each with its variant of the same name; `None` if there is no object file among them.
    fn of(outcome: &Outcome, narrow: Option<&Outcome>, call: &Compile) -> Option<Finished> {
        let mut finished = Finished {
            files: Vec::new(),
            kept: Vec::new(),
            lacks_symbols: false,
            narrower: None,
        };
        let mut objects = 0;
        for (name, bytes) in &outcome.files {
            let variant = narrow.and_then(|narrow| narrow.file(name));
            let made = if bytes.starts_with(ELF) {
                objects += 1;
                finished.object(name, bytes, variant, call)
            } else if archive::is_archive(bytes) {
                objects += 1;
                finished.archive(name, archive::read(bytes)?, variant, call)
            } else {
                bytes.clone()
            };
            finished.files.push((name.clone(), made));
        }
        (objects > 0).then_some(finished)
    }

    /// An object file with our code, or as it is.
    fn object(
        &mut self,
        name: &str,
        object: &[u8],
        variant: Option<&[u8]>,
        call: &Compile,
    ) -> Vec<u8> {
        match code(object, variant, call) {
            Ok((made, narrower)) => {
                self.narrower = self.narrower.max(narrower);
                made
            }
            Err(error) => {
                self.lacks_symbols |= matches!(
                    error,
                    FinalizeError::Relink(RelinkError::Object(ObjectError::NoSymbol { .. }))
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
            if !is_program(&member) {
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

/// True for an object file of a device, not the program in SPIR-V.
fn is_program(member: &Member) -> bool {
    member.data.starts_with(ELF) && Zebin::parse(&member.data).is_ok()
}

/// An object file with our code, of the better variant of each kernel, and half the widest SIMD size of one that spills.
fn code(
    object: &[u8],
    variant: Option<&[u8]>,
    call: &Compile,
) -> Result<(Vec<u8>, Option<u32>), FinalizeError> {
    let zebin = Zebin::parse(object).map_err(InfoError::from)?;
    let platform = info::platform_of(&zebin).ok_or(FinalizeError::Platform)?;
    let session = Session::new(Options::new(platform));
    let variant = variant.and_then(|variant| Zebin::parse(variant).ok());
    let chosen = variant.and_then(|variant| choose(&session, &[zebin.clone(), variant]).ok());
    let zebin = chosen.flatten().map_or(zebin, |(chosen, _)| chosen);
    let strip = Strip {
        visa: !call.keeps_visa,
        spirv: false,
    };
    let made = finalize(&session, zebin, strip, false, call.lines)?.zebin;
    let kernels = made.ze_info.kernels.iter().map(|k| &k.execution_env);
    // Spills of functions on the stack say nothing of the kernel's width.
    let spilling = kernels.filter(|env| env.spill_size > 0 && !env.has_stack_calls);
    let narrower = spilling.map(|env| env.simd_size / 2);
    let narrower = narrower.filter(|simd| *simd >= platform.grf_bytes / CHANNEL_BYTES);
    let narrower = narrower.max();
    Ok((made.write().map_err(FinalizeError::Write)?, narrower))
}

/// Writes files into a folder, each under another name first, so that it is whole or not there.
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
    fs::create_dir_all(folder).map_err(|e| failed(folder, e))?;
    for (name, bytes) in files {
        let path = folder.join(name);
        let special = fs::metadata(&path).is_ok_and(|found| !found.is_file());
        let written = if special {
            fs::write(&path, bytes)
        } else {
            whole(path.parent().unwrap_or(folder), &path, bytes)
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
