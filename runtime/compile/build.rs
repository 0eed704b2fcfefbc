//! What the compiler was built from.
//!
//! `KILN_SOURCES` is a hash of all sources and of the versions of all dependencies: entries of the code cache carry
//! it, so that no build takes what another has made.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The crates that what is compiled depends on, from this one's folder.
const CRATES: [&str; 9] = [
    "../../frontend/visa",
    "../../frontend/genx",
    "../../ir",
    "../../ir/machine",
    "../../isel",
    "../../regalloc",
    "../../emit",
    "../../emit/target",
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
    // A crate that is built by itself has no others beside it.
    for file in files.iter().filter(|file| file.exists()) {
        println!("cargo::rerun-if-changed={}", file.display());
        hasher.write(file.as_os_str().as_encoded_bytes());
        hasher.write(&fs::read(file)?);
    }
    Ok(hasher.finish())
}

/// Adds the files of a folder and of those in it; the folder itself is looked at again if one is added to it.
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
