//! Many inputs at once: files, and folders of them.

use std::fs;
use std::path::{Path, PathBuf};

use miette::Report;

use super::output::is_standard;
use super::report;

/// The files that are named, and those of the folders that are: their texts of vISA, and the binary objects
/// beside which there is no text of the same name; in the order of their names. Of folders only what
/// begins with the prefix.
///
/// # Errors
/// A folder cannot be read.
pub fn files(named: &[PathBuf], prefix: &str) -> Result<Vec<PathBuf>, Report> {
    let mut files = Vec::new();
    for path in named {
        if !is_standard(path) && path.is_dir() {
            let found = of_folder(path, prefix).map_err(|e| report::access(path, &e))?;
            if found.is_empty() {
                let what = format!("no .visaasm or .isa whose name begins with `{prefix}`");
                let what = match prefix {
                    "" => "no .visaasm or .isa in this folder",
                    _ => what.as_str(),
                };
                return Err(report::file(path, &what));
            }
            files.extend(found);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn of_folder(folder: &Path, prefix: &str) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let begins = path.file_name().is_some_and(|name| {
            let name = name.to_string_lossy();
            name.starts_with(prefix)
        });
        let extension = path.extension().and_then(|e| e.to_str());
        let is_input = match extension {
            Some("visaasm") => true,
            Some("isa") => !path.with_extension("visaasm").exists(),
            _ => false,
        };
        if begins && is_input {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
