//! Input files, read into memory.
//!
//! Files are not mapped, since another process that shortens a mapped file ends this one.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use kiln_compile::info::Info;
use kiln_compile::source;
use kiln_emit::platform::Platform;
use miette::Report;

use super::output::{is_standard, plain};
use super::{corpus, report};

/// Limit on the bytes of an input.
const MAX_BYTES: u64 = 1 << 30;

/// Reads argument layouts; returns them with the name of their file.
///
/// # Errors
/// The file cannot be read, has none, or is for another platform.
pub fn info<'a>(path: &'a Path, platform: &Platform) -> Result<(&'a Path, Info), Report> {
    let input = Input::open(path)?;
    let info = Info::parse(&input, platform).map_err(|e| report::file(path, &e))?;
    Ok((path, info))
}

/// Opens named files, and the vISA in named folders whose names begin with `prefix`. What cannot be read does not stop
/// the others; the second list says it.
pub fn open_each(named: &[PathBuf], prefix: &str) -> (Vec<Input>, Vec<Report>) {
    let (mut inputs, mut problems) = (Vec::new(), Vec::new());
    for path in corpus::each(named, prefix) {
        match path.and_then(|path| Input::open(&path)) {
            Ok(input) => inputs.push(input),
            Err(problem) => problems.push(problem),
        }
    }
    (inputs, problems)
}

/// An input file's bytes.
pub struct Input {
    pub path: PathBuf,
    /// Name for messages.
    pub name: String,
    bytes: Vec<u8>,
}

impl Input {
    /// Opens a file.
    ///
    /// # Errors
    /// The file is not there or cannot be read.
    pub fn open(path: &Path) -> Result<Input, Report> {
        Input::load(path).map_err(|e| report::access(path, &e))
    }

    /// As [`Input::open`], with the plain error.
    ///
    /// # Errors
    /// The file is not there or cannot be read.
    pub fn load(path: &Path) -> io::Result<Input> {
        Ok(Input {
            path: path.to_path_buf(),
            name: report::name(path),
            bytes: load(path)?,
        })
    }

    /// A part of a file, of that name.
    pub fn part(path: &Path, name: &str, bytes: Vec<u8>) -> Input {
        Input {
            path: path.to_path_buf(),
            name: format!("{}({})", report::name(path), plain(name)),
            bytes,
        }
    }

    /// The input in the library's form.
    pub fn source(&self) -> source::Input<'_> {
        source::Input {
            name: &self.name,
            bytes: self,
        }
    }
}

impl Deref for Input {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

fn load(path: &Path) -> io::Result<Vec<u8>> {
    if is_standard(path) {
        return read(io::stdin().lock(), 0);
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() && metadata.len() > MAX_BYTES {
        return Err(too_large());
    }
    read(file, metadata.len())
}

fn too_large() -> io::Error {
    let what = format!("more than {MAX_BYTES} bytes");
    io::Error::new(ErrorKind::FileTooLarge, what)
}

/// Reads a file of about `size` bytes, but at most those that an input may have.
fn read(from: impl Read, size: u64) -> io::Result<Vec<u8>> {
    // One more byte lets the reader see the end without more room.
    let mut bytes = Vec::with_capacity(size.min(MAX_BYTES) as usize + 1);
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MAX_BYTES {
        true => Err(too_large()),
        false => Ok(bytes),
    }
}
