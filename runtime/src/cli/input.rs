//! Input files, mapped into memory.
//!
//! A file's bytes are there as long as its [`Input`] is. What cannot be mapped (a pipe, an empty
//! file) is read.

use std::fs::File;
use std::io::Read;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use memmap2::Mmap;
use miette::Report;

use super::report;

/// An input file's bytes.
pub struct Input {
    pub path: PathBuf,
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
        Input::load(path).map_err(|e| report::file(path, &e))
    }

    /// The same, with the error as it is.
    ///
    /// # Errors
    /// The file is not there or cannot be read.
    pub fn load(path: &Path) -> std::io::Result<Input> {
        let bytes = load(path)?;
        Ok(Input {
            path: path.to_path_buf(),
            bytes,
        })
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

fn load(path: &Path) -> std::io::Result<Bytes> {
    let mut file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() && metadata.len() > 0 {
        return Ok(Bytes::Mapped(map(&file)?));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Bytes::Read(bytes))
}

/// Maps a whole file for reading.
fn map(file: &File) -> std::io::Result<Mmap> {
    // SAFETY: a mapping's bytes must not change while they are borrowed. This process maps files
    // for reading only and changes none in place: what it writes, it writes to a new file that then
    // takes the old one's name (`output`), and a mapping keeps the old one. That no other process
    // changes or shortens an input during a run is what the command line asks of its user, as
    // every compiler that maps its sources does.
    unsafe { Mmap::map(file) }
}
