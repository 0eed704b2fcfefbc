//! Input files, mapped into memory.
//!
//! A file's bytes are valid as long as its [`Input`]. Pipes, empty files and standard input (`-`) cannot be mapped and
//! are read.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::ops::Deref;
use std::path::{Path, PathBuf};

use kiln_compile::info::Info;
use kiln_compile::source;
use kiln_emit::platform::Platform;
use memmap2::Mmap;
use miette::Report;

use super::output::is_standard;
use super::report;

/// Limit on the bytes read from a file of unknown size.
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

/// An input file's bytes.
pub struct Input {
    pub path: PathBuf,
    /// Name for messages.
    pub name: String,
    bytes: Bytes,
}

enum Bytes {
    Mapped(Mmap),
    Read(Vec<u8>),
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
        match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Read(bytes) => bytes,
        }
    }
}

fn load(path: &Path) -> io::Result<Bytes> {
    if is_standard(path) {
        return read(io::stdin().lock());
    }
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() && metadata.len() > 0 {
        return Ok(Bytes::Mapped(map(&file)?));
    }
    read(file)
}

fn read(from: impl Read) -> io::Result<Bytes> {
    let mut bytes = Vec::new();
    from.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        let what = format!("more than {MAX_BYTES} bytes, and no file of known size");
        return Err(io::Error::new(ErrorKind::FileTooLarge, what));
    }
    Ok(Bytes::Read(bytes))
}

/// Maps a whole file for reading.
fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: a mapping's bytes must not change while they are borrowed. This process maps files for reading only and
    // changes none in place: it writes a new file, which then takes the old one's name (`output`), and the mapping
    // keeps the old one. The user must not let another process change or shorten an input during a run, as with every
    // compiler that maps its sources.
    unsafe { Mmap::map(file) }
}
