//! The examples' folder, for all test files.

use std::fs;
use std::path::{Path, PathBuf};

pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples")
}

/// The text of the example `saxpy`.
pub fn saxpy() -> String {
    fs::read_to_string(folder().join("saxpy/saxpy.visaasm")).expect("the example saxpy")
}
