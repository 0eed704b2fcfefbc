//! Programs below the loader of another system, which is given its options, the program and the program's arguments.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Variable with the loader and its options, one a line, for the programs that a program starts.
pub const LOADER: &str = "KILN_GPU_LOADER";

/// Most bytes of a script's first line that are read.
const LINE: u64 = 256;
/// First bytes of a file for the loader: ELF of 64 bits, little-endian.
const ELF64: &[u8] = b"\x7fELF\x02\x01";
/// Machine of x86-64, and the kind of a segment that names a loader (System V ABI).
const X86_64: u64 = 62;
const INTERP: u64 = 3;

/// Path of a program by its name, as a shell finds it.
pub fn find(name: &OsStr) -> PathBuf {
    let path = Path::new(name);
    if path.components().count() > 1 || name.as_bytes().contains(&b'/') {
        return path.to_path_buf();
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&folders).map(|folder| folder.join(path));
    places
        .find(|place| place.is_file())
        .unwrap_or_else(|| path.to_path_buf())
}

/// The interpreter that a script's first line names, with its argument; nothing for other files.
pub fn interpreter(file: &Path) -> Vec<PathBuf> {
    let mut line = Vec::new();
    if let Ok(file) = File::open(file) {
        let _ = BufReader::new(file.take(LINE)).read_until(b'\n', &mut line);
    }
    let text = String::from_utf8_lossy(&line);
    let Some(words) = text.strip_prefix("#!") else {
        return Vec::new();
    };
    let mut words: Vec<_> = words.split_whitespace().collect();
    if words.first().is_some_and(|word| word.ends_with("/env")) {
        words.remove(0);
    }
    words.iter().map(|word| find(OsStr::new(word))).collect()
}

/// True for a file that names a loader, so that another loader can take its place.
pub fn is_loaded(file: &Path) -> bool {
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|file| file.take(1 << 16).read_to_end(&mut bytes));
    if read.is_err() || !bytes.starts_with(ELF64) {
        return false;
    }
    let number = |at: usize, size: usize| {
        let found = bytes.get(at..at.checked_add(size)?)?;
        let digits = found.iter().rev();
        Some(digits.fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
    };
    // Fields of the file's header: machine; place, size and number of the headers of segments.
    let header = || {
        Some((
            number(18, 2)?,
            number(32, 8)?,
            number(54, 2)?,
            number(56, 2)?,
        ))
    };
    let Some((machine, place, size, count)) = header() else {
        return false;
    };
    let kind = |index: u64| number(usize::try_from(place.checked_add(index * size)?).ok()?, 4);
    machine == X86_64 && (0..count).any(|index| kind(index) == Some(INTERP))
}
