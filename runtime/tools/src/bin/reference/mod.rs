//! The reference finalizer, run on a text.

use std::path::Path;
use std::process::{Command, Stdio};

use kiln_emit::platform::Platform;

/// The reference finalizer's machine code. Its exit code is not reliable, so only the file counts.
pub fn finalize(finalizer: &Path, folder: &Path, target: &Platform, text: &str) -> Option<Vec<u8>> {
    let (source, code) = (
        folder.join("reference.visaasm"),
        folder.join("reference.dat"),
    );
    std::fs::write(&source, text).ok()?;
    let _ = std::fs::remove_file(&code);
    Command::new(finalizer)
        .args(["reference.visaasm", "-platform", target.finalizer_name])
        .arg("-binary")
        .current_dir(folder)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    std::fs::read(code).ok()
}
