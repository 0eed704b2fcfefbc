//! Kinds of instructions of the project's object files and of real programs.
//!
//! The kinds to be covered are those in the project's object files of each platform and in the lists in `kinds/`,
//! which have the kinds of real programs. A line there is the kind's machine code in hexadecimal bytes and its
//! listing.

use std::collections::BTreeMap;
use std::path::PathBuf;

use kiln_emit::encoding::decode;
use kiln_emit::inst::{Inst, Op};
use kiln_emit::listing::entries;
use kiln_emit::platform::{self, Generation, PLATFORMS, Platform};
use kiln_emit::zebin::Zebin;

use crate::kind::{self, kind};

/// Platforms whose code is executed. Broxton's is Skylake's.
pub fn platforms() -> impl Iterator<Item = &'static Platform> {
    PLATFORMS.iter().filter(|p| p.generation != Generation::Bxt)
}

/// Kinds by name with their number of occurrences.
pub type Kinds = BTreeMap<String, (Inst, u64)>;

pub fn skl() -> &'static Platform {
    find("skl")
}

pub fn find(name: &str) -> &'static Platform {
    platform::find(name).expect("a platform of the executor")
}

/// The kinds of the platform's list; none if it has no list.
pub fn listed(platform: &'static Platform) -> Result<Vec<Inst>, String> {
    let path = kiln_corpus::path("ops/kinds").join(format!("{}.txt", platform.name));
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    text.lines().map(|line| parse(line, platform)).collect()
}

/// The kind of a line of a list.
pub fn parse(line: &str, platform: &'static Platform) -> Result<Inst, String> {
    let malformed = |what: String| format!("{line}: {what}");
    let (code, name) = line
        .split_at_checked(32)
        .ok_or_else(|| malformed("too short".into()))?;
    let byte = |i: usize| u8::from_str_radix(&code[i * 2..i * 2 + 2], 16);
    let bytes = (0..16).map(byte).collect::<Result<Vec<_>, _>>();
    let bytes = bytes.map_err(|e| malformed(e.to_string()))?;
    let found = decode(&bytes, platform).map_err(|e| malformed(e.to_string()))?;
    let [text, same] = [&found, &kind(&found, platform)].map(|inst| kind::name(inst, platform));
    if same != text || text != name.trim() {
        return Err(malformed(format!("is {text}, of kind {same}")));
    }
    Ok(found)
}

/// Adds the kinds of machine code.
pub fn add(kinds: &mut Kinds, code: &[u8], platform: &'static Platform) -> Result<(), String> {
    for entry in entries(code, platform) {
        let inst = entry.inst.map_err(|e| e.to_string())?;
        // Padding after code is illegal on purpose.
        if inst.op == Op::Illegal {
            continue;
        }
        let kind = kind(&inst, platform);
        let name = kind::name(&kind, platform);
        kinds.entry(name).or_insert((kind, 0)).1 += 1;
    }
    Ok(())
}

/// The folders of the project's kernels, and the object files that a platform has of them.
pub fn object_files(platform: &Platform) -> Vec<(PathBuf, PathBuf)> {
    let kernels = kiln_corpus::kernels(&kiln_corpus::ALL).into_iter();
    let object = |kernel: kiln_corpus::Kernel| Some((kernel.object(platform.name)?, kernel.folder));
    let files = kernels.filter_map(object);
    files.map(|(file, folder)| (folder, file)).collect()
}

/// The kinds in the object files of a platform.
pub fn of_object_files(platform: &'static Platform) -> Result<Kinds, String> {
    let mut kinds = Kinds::new();
    for (_, file) in object_files(platform) {
        let failed = |e: String| format!("{}: {e}", file.display());
        let bytes = std::fs::read(&file).map_err(|e| failed(e.to_string()))?;
        let zebin = Zebin::parse(&bytes).map_err(|e| failed(e.to_string()))?;
        for kernel in &zebin.kernels {
            add(&mut kinds, &kernel.text, platform).map_err(failed)?;
        }
    }
    Ok(kinds)
}
