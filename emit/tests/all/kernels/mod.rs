//! Machine code that the reference compiler made of the project's own kernels.

use std::path::{Path, PathBuf};

use kiln_emit::inst::Inst;
use kiln_emit::listing::entries;
use kiln_emit::platform::Platform;
use kiln_emit::zebin::Zebin;

/// Object files for a platform.
fn zebins(platform: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let roots =
        ["../examples", "../corpus/kernels", "../corpus/xe_kernels"].map(|dir| root.join(dir));
    let mut files: Vec<PathBuf> = roots
        .iter()
        .flat_map(|dir| std::fs::read_dir(dir).unwrap())
        .filter_map(|entry| {
            let dir = entry.unwrap().path();
            let name = format!("{}.zebin", dir.file_name()?.to_str()?);
            Some(dir.join(platform).join(name)).filter(|file| file.exists())
        })
        .collect();
    files.sort();
    files
}

/// The code of each kernel in the project's object files for a platform.
pub fn kernels(platform: &'static Platform) -> Vec<(String, Vec<Inst>)> {
    let mut codes = Vec::new();
    for file in zebins(platform.name) {
        let zebin = Zebin::parse(&std::fs::read(&file).unwrap()).unwrap();
        for kernel in &zebin.kernels {
            let insts = entries(&kernel.text, platform).map(|entry| entry.inst.unwrap());
            codes.push((kernel.name.clone(), insts.collect()));
        }
    }
    codes
}
