//! The front half: Intel's ocloc, as a program or as a library, and what a call of it leaves.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// Variable with the path of Intel's ocloc.
pub const PROGRAM: &str = "KILN_OCLOC";
/// Variable of the compiler with the SIMD size of kernels.
const SIMD: &str = "IGC_ForceOCLSIMDWidth";
/// Variable of the compiler that selects the files it dumps. With vISA sections it also dumps that into the current folder;
/// no name matches.
pub(crate) const DUMP_FILTER: (&str, &str) = ("IGC_ShaderDumpRegexFilter", "^$");

/// Results of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Exit code.
    pub code: i32,
    /// Standard output.
    pub said: Vec<u8>,
    /// Standard error.
    pub warned: Vec<u8>,
    /// Files, by their places in the folder of outputs, in the order of names.
    pub files: Vec<(String, Vec<u8>)>,
}

impl Outcome {
    /// Contents of a file.
    pub fn file(&self, name: &str) -> Option<&[u8]> {
        let found = self.files.iter().find(|(one, _)| one == name);
        found.map(|(_, bytes)| bytes.as_slice())
    }
}

/// A way to call ocloc.
pub trait Front {
    /// Makes a call whose outputs go to `folder`, which nothing else uses; with `simd`, kernels whose source does not say
    /// their SIMD size get that one.
    ///
    /// # Errors
    /// ocloc cannot be called.
    fn call(&self, arguments: &[String], folder: &Path, simd: Option<u32>) -> io::Result<Outcome>;

    /// True if a call can have a SIMD size.
    fn selects_simd(&self) -> bool;
}

/// ocloc as a program.
pub struct Program(pub PathBuf);

impl Program {
    /// The program in [`PROGRAM`], else the first `ocloc` in `PATH` that is not this one.
    ///
    /// # Errors
    /// There is none.
    pub fn find() -> io::Result<Program> {
        if let Some(path) = env::var_os(PROGRAM) {
            return Ok(Program(path.into()));
        }
        let own = env::current_exe().and_then(fs::canonicalize).ok();
        let folders = env::var_os("PATH").unwrap_or_default();
        let mut candidates = env::split_paths(&folders).map(|folder| folder.join("ocloc"));
        let found = candidates.find(|path| path.is_file() && fs::canonicalize(path).ok() != own);
        found.map(Program).ok_or_else(|| {
            let what = format!("no ocloc in PATH; {PROGRAM} may have its path");
            io::Error::new(io::ErrorKind::NotFound, what)
        })
    }

    /// The call as a command.
    pub fn command(&self, arguments: &[OsString]) -> Command {
        let mut command = Command::new(&self.0);
        command.args(arguments);
        command
    }
}

impl Front for Program {
    fn selects_simd(&self) -> bool {
        env::var_os(SIMD).is_none()
    }

    fn call(&self, arguments: &[String], folder: &Path, simd: Option<u32>) -> io::Result<Outcome> {
        let arguments: Vec<OsString> = arguments.iter().map(OsString::from).collect();
        let mut command = self.command(&arguments);
        if env::var_os(DUMP_FILTER.0).is_none() {
            command.env(DUMP_FILTER.0, DUMP_FILTER.1);
        }
        if let Some(simd) = simd {
            command.env(SIMD, simd.to_string());
        }
        let done = command.stdin(Stdio::null()).output();
        let done =
            done.map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", self.0.display())))?;
        let mut files = Vec::new();
        if folder.is_dir() {
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                let Ok(name) = entry.file_name().into_string() else {
                    continue;
                };
                files.push((name, fs::read(entry.path())?));
            }
        }
        files.sort();
        Ok(Outcome {
            // A signal has no code.
            code: done.status.code().unwrap_or(-1),
            said: done.stdout,
            warned: done.stderr,
            files,
        })
    }
}
