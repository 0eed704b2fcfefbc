//! Lists of input files from files and folders.

use std::fs;
use std::path::{Path, PathBuf};

use miette::Report;

use super::output::is_standard;
use super::report;

/// Named files, and the vISA files in named folders whose names begin with `prefix`: the texts, and the binary objects
/// without a text of the same name, in the order of their names.
///
/// # Errors
/// A folder cannot be read.
pub fn files(named: &[PathBuf], prefix: &str) -> Result<Vec<PathBuf>, Report> {
    each(named, prefix).into_iter().collect()
}

/// As [`files`], with an error for each folder that cannot be read or has no such file.
pub fn each(named: &[PathBuf], prefix: &str) -> Vec<Result<PathBuf, Report>> {
    let mut files = Vec::new();
    let mut standard = 0;
    for path in named {
        standard += u32::from(is_standard(path));
        if is_standard(path) && standard > 1 {
            files.push(Err(report::usage("standard input can be read only once")));
        } else if is_standard(path) || !path.is_dir() {
            files.push(Ok(path.clone()));
        } else {
            match of_folder(path, prefix) {
                Ok(found) if found.is_empty() => {
                    let what = match prefix {
                        "" => "no .visaasm or .isa in this folder".to_string(),
                        _ => format!("no .visaasm or .isa whose name begins with `{prefix}`"),
                    };
                    files.push(Err(report::file(path, &what)));
                }
                Ok(found) => files.extend(found.into_iter().map(Ok)),
                Err(error) => files.push(Err(report::access(path, &error))),
            }
        }
    }
    files
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
