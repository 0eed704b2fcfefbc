//! `kiln finalize --driver-cache`: our code in the object files that a driver keeps.
//!
//! Intel's drivers keep compiled programs in a folder (`NEO_CACHE_DIR`), each in a file by itself, below at most two folders with the
//! first letters of its name (compute-runtime, `compiler_cache.cpp`). The object files among them are replaced in place: each is
//! written beside its place and renamed, as drivers do, so that programs may use the cache meanwhile. `config.file`, which some
//! versions have, is their lock, and has the sum of all sizes in 8 bytes.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

use kiln_compile::finalize::{Finalized, Strip, finalize_file};
use kiln_compile::{Options, Session};
use miette::Report;
use serde::Serialize;

use super::exit::Exit;
use super::output::Outputs;
use super::{Format, progress, report};

/// Extensions of files of OpenCL, Level Zero and ocloc.
const EXTENSIONS: [&str; 3] = ["cl_cache", "l0_cache", "ocloc_cache"];
/// Folders below that of the cache that a file may be in.
const DEPTH: usize = 2;
const CONFIGURATION: &str = "config.file";
const SIZE_BYTES: usize = 8;

/// Result for one file.
#[derive(Serialize)]
struct Entry {
    /// Path below the cache's folder.
    file: PathBuf,
    /// Names of the kernels with our code.
    replaced: Vec<String>,
    /// Reason why the file is as it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    kept: Option<String>,
}

/// Finalizes all object files of a cache. `options` makes those for a platform.
///
/// # Errors
/// The cache cannot be read, or a file cannot be written; those before it are.
pub fn finalize(
    folder: &Path,
    options: impl Fn(Options) -> Options + Sync,
    strip: Strip,
    lines: bool,
    (format, quiet): (Format, bool),
) -> Result<Exit, Report> {
    let mut paths = Vec::new();
    list(folder, DEPTH, &mut paths).map_err(|e| report::access(folder, &e))?;
    paths.sort();
    let made = progress::each(&paths, "files", |path| {
        let file = fs::read(path).map_err(|e| e.to_string())?;
        let session = |platform| Session::new(options(Options::new(platform)));
        finalize_file(&file, session, strip, false, lines).map_err(|e| e.to_string())
    });
    let mut outputs = Outputs::new([]);
    let mut entries = Vec::new();
    for (path, made) in paths.iter().zip(made) {
        let file = path.strip_prefix(folder).unwrap_or(path).to_path_buf();
        let (replaced, kept) = match made {
            Ok(Finalized {
                bytes, replaced, ..
            }) => {
                let written = sized(folder, path, bytes.len(), || {
                    outputs.write_now(path, &bytes, "a file of the cache")
                });
                written.map_err(|e| report::access(&folder.join(CONFIGURATION), &e))??;
                (replaced, None)
            }
            Err(error) => (Vec::new(), Some(error)),
        };
        entries.push(Entry {
            file,
            replaced,
            kept,
        });
    }
    outputs.report(format, &entries, || match quiet {
        true => String::new(),
        false => shown(&entries),
    })?;
    outputs.write()?;
    Ok(Exit::Done)
}

/// Adds the files of a cache below a folder. Files and folders that go away meanwhile are none.
fn list(folder: &Path, depth: usize, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_dir() && depth > 0 {
            match list(&path, depth - 1, paths) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                listed => listed?,
            }
        } else if extension.is_some_and(|extension| EXTENSIONS.contains(&extension)) {
            paths.push(path);
        }
    }
    Ok(())
}

/// Replaces a file by one of another size under the cache's lock, if it has one, and corrects the sum of sizes.
fn sized<T>(folder: &Path, path: &Path, size: usize, replace: impl FnOnce() -> T) -> io::Result<T> {
    let configuration = File::options()
        .read(true)
        .write(true)
        .open(folder.join(CONFIGURATION));
    let mut configuration = match configuration {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(replace()),
        opened => opened?,
    };
    configuration.lock()?;
    let before = fs::metadata(path).map_or(0, |metadata| metadata.len());
    let replaced = replace();
    let mut sum = [0; SIZE_BYTES];
    if configuration.read_exact(&mut sum).is_ok() {
        let sum = u64::from_le_bytes(sum).saturating_sub(before);
        configuration.rewind()?;
        configuration.write_all(&sum.saturating_add(size as u64).to_le_bytes())?;
    }
    Ok(replaced)
}

fn shown(entries: &[Entry]) -> String {
    let line = |entry: &Entry| {
        let what = match &entry.kept {
            Some(reason) => format!("kept: {reason}"),
            None => format!("replaced: {}", entry.replaced.join(", ")),
        };
        format!("{}: {what}\n", entry.file.display())
    };
    entries.iter().map(line).collect()
}
