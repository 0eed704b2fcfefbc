//! Hashes the sources that the compiler is built from.
//!
//! `KILN_SOURCES` is a hash of all sources and of the versions of all dependencies. Keys of the code cache include it,
//! so that builds do not share entries.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Folders of the crates that the generated code depends on.
const CRATES: [&str; 9] = [
    "../../frontend/visa",
    "../../frontend/genx",
    "../../ir",
    "../../machine",
    "../../isel",
    "../../regalloc",
    "../../emit",
    "../../platform",
    ".",
];

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-env=KILN_SOURCES={:016x}", sources()?);
    Ok(())
}

/// A hash of the names and contents of all sources.
fn sources() -> io::Result<u64> {
    let mut files = BTreeSet::from([PathBuf::from("../../Cargo.lock")]);
    for name in CRATES {
        files.insert(Path::new(name).join("Cargo.toml"));
        add(&Path::new(name).join("src"), &mut files)?;
    }
    let mut hasher = DefaultHasher::new();
    // A crate that is built outside the workspace has no sibling crates.
    for file in files.iter().filter(|file| file.exists()) {
        println!("cargo::rerun-if-changed={}", file.display());
        hasher.write(file.as_os_str().as_encoded_bytes());
        hasher.write(&fs::read(file)?);
    }
    Ok(hasher.finish())
}

/// Adds the files of a folder, recursively; cargo also watches the folder for new files.
fn add(folder: &Path, files: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    if !folder.exists() {
        return Ok(());
    }
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => add(&path, files)?,
            false => _ = files.insert(path),
        }
    }
    Ok(())
}
