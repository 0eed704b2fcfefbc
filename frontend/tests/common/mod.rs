//! The examples' folder, for all test files.

use std::fs;
use std::path::{Path, PathBuf};

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

/// The texts of all examples.
pub fn texts() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the examples' folder");
    let text = |path: PathBuf| {
        let name = path.file_name()?.to_str()?;
        fs::read_to_string(path.join(format!("{name}.visaasm"))).ok()
    };
    entries
        .filter_map(|entry| text(entry.ok()?.path()))
        .collect()
}

/// The text of the example `saxpy`.
pub fn saxpy() -> String {
    fs::read_to_string(folder().join("saxpy/saxpy.visaasm")).expect("the example saxpy")
}
