//! Unpacks `packed/PLATFORM.tar.xz` into the folder of the build, and names the platforms that have such an archive.

use std::error::Error;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use lzma_rust2::XzReader;

const ENDING: &str = ".tar.xz";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=packed");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    let files = out.join("files");
    if files.exists() {
        fs::remove_dir_all(&files)?;
    }
    let packed = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("packed");
    let mut platforms = Vec::new();
    for entry in fs::read_dir(packed)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(platform) = name.strip_suffix(ENDING) else {
            continue;
        };
        platforms.push(platform.to_owned());
        let file = BufReader::new(File::open(entry.path())?);
        tar::Archive::new(XzReader::new(file, false)).unpack(&files)?;
    }
    platforms.sort();
    println!("cargo::rustc-env=PACKED={}", platforms.join(" "));
    Ok(())
}
