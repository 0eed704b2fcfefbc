//! The fixtures of the whole project, for tests only. A test reads a file by the name that it has in the folder `corpus`,
//! or a [`Kernel`] by the platform that it was compiled for.
//!
//! Files of a platform lie in a folder with its name: those of Battlemage as they are, those of other platforms in the
//! archive `packed/PLATFORM.tar.xz`, which the build of this crate unpacks once. `.ci/corpus.py` packs. Files for
//! Skylake, and those that serve every platform, have no such folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The platform whose files have no folder of their own.
pub const FIRST: &str = "skl";
/// The folders of kernels that every platform can have, in the order of [`kernels`]: for users, and for tests.
pub const COMMON: [&str; 2] = ["examples", "kernels"];
/// [`COMMON`], and kernels that need features of newer platforms.
pub const ALL: [&str; 3] = ["examples", "kernels", "xe_kernels"];

/// The platforms whose files are packed.
pub fn packed() -> impl Iterator<Item = &'static str> {
    env!("PACKED").split(' ')
}

/// The folder of the project.
pub fn project() -> &'static Path {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR"));
    corpus.parent().unwrap_or(corpus)
}

/// Path of a file or folder of the corpus, by its name there. Panics if there is none.
pub fn path(name: &str) -> PathBuf {
    let is_packed = |part: &str| packed().any(|platform| platform == part);
    let root = match name.split('/').any(is_packed) {
        true => concat!(env!("OUT_DIR"), "/files"),
        false => env!("CARGO_MANIFEST_DIR"),
    };
    let path = Path::new(root).join(name);
    assert!(path.exists(), "the corpus has no {name}");
    path
}

/// Bytes of a file of the corpus.
pub fn read(name: &str) -> Vec<u8> {
    fs::read(path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Text of a file of the corpus.
pub fn text(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Paths of the files and folders in a folder, in the order of their names.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let failed = |e| -> ! { panic!("{}: {e}", folder.display()) };
    let entries = fs::read_dir(folder).unwrap_or_else(|e| failed(e));
    let path = |entry: std::io::Result<fs::DirEntry>| entry.unwrap_or_else(|e| failed(e)).path();
    let mut paths: Vec<PathBuf> = entries.map(path).collect();
    paths.sort();
    paths
}

/// A kernel with inputs and expected results, as a folder: `launch.yaml` with its buffers, and what a reference compiler made
/// of it for platforms.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Kernel {
    pub name: String,
    /// The folder of `launch.yaml`.
    pub folder: PathBuf,
    /// The set: the folder's parent, by its name.
    set: String,
}

/// The kernels of sets (folders of the corpus, or `examples`), in the order of the sets and then of names.
pub fn kernels(sets: &[&str]) -> Vec<Kernel> {
    sets.iter().flat_map(|set| of_set(set)).collect()
}

fn folder_of(set: &str) -> PathBuf {
    match set {
        "examples" => project().join(set),
        _ => path(set),
    }
}

fn of_set(set: &str) -> Vec<Kernel> {
    let folders = entries(&folder_of(set)).into_iter();
    let folders = folders.filter(|folder| folder.join("launch.yaml").exists());
    let name = |folder: &PathBuf| folder.file_name().map(|n| n.to_string_lossy().into_owned());
    let kernel = |folder| Kernel {
        name: name(&folder).unwrap_or_default(),
        folder,
        set: set.to_owned(),
    };
    folders.map(kernel).collect()
}

impl Kernel {
    /// The kernel of a name in a set.
    pub fn in_set(set: &str, name: &str) -> Kernel {
        let mut found = of_set(set).into_iter();
        let found = found.find(|kernel| kernel.name == name);
        found.unwrap_or_else(|| panic!("{set} has no {name}"))
    }

    /// The kernel of a name in [`ALL`].
    pub fn named(name: &str) -> Kernel {
        let mut found = kernels(&ALL).into_iter();
        let found = found.find(|kernel| kernel.name == name);
        found.unwrap_or_else(|| panic!("no kernel is named {name}"))
    }

    /// Path of the reference compiler's object file for a platform, if there is one.
    pub fn object(&self, platform: &str) -> Option<PathBuf> {
        self.file(platform, "zebin")
    }

    /// Path of the reference compiler's vISA for a platform, if there is one.
    pub fn visa(&self, platform: &str) -> Option<PathBuf> {
        self.file(platform, "visaasm")
    }

    fn file(&self, platform: &str, extension: &str) -> Option<PathBuf> {
        let is_packed = self.set != "examples" && packed().any(|p| p == platform);
        let folder = match is_packed {
            true => Path::new(concat!(env!("OUT_DIR"), "/files"))
                .join(&self.set)
                .join(&self.name),
            false => self.folder.clone(),
        };
        let own = match platform {
            FIRST => folder,
            _ => folder.join(platform),
        };
        let file = own.join(format!("{}.{extension}", self.name));
        file.exists().then_some(file)
    }
}

/// Machine code of a platform with the reference disassembler's listing of it, whose targets are numbers.
#[derive(Clone, Debug)]
pub struct MachineCode {
    pub name: String,
    pub path: PathBuf,
    pub code: Vec<u8>,
    pub listing: String,
}

/// The machine code of a platform, in the order of names; none of a platform for which the tools print no listings.
pub fn machine_code(platform: &str) -> Vec<MachineCode> {
    let listings = machine_code_files(platform, "asm");
    let codes = machine_code_files(platform, "dat").into_iter();
    let read = |(name, path): (String, PathBuf)| MachineCode {
        code: fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display())),
        listing: fs::read_to_string(&listings[&name]).unwrap_or_else(|e| panic!("{name}: {e}")),
        name,
        path,
    };
    codes.map(read).collect()
}

/// Paths of a platform's files with an extension, by the names of their codes: in a folder of the platform's, and as
/// `shared/NAME.PLATFORM+PLATFORM.EXTENSION` what several platforms have alike.
fn machine_code_files(platform: &str, extension: &str) -> BTreeMap<String, PathBuf> {
    let is_packed = packed().any(|p| p == platform);
    let own = match is_packed || platform == FIRST {
        true => entries(&path(&format!("machine_code/{platform}"))),
        false => Vec::new(),
    };
    let named = |path: PathBuf| {
        let file = path.file_name()?.to_str()?;
        let (name, ending) = file.split_once('.')?;
        let is_its = match ending.split_once('.') {
            None => ending == extension,
            Some((of, ending)) => ending == extension && of.split('+').any(|p| p == platform),
        };
        is_its.then(|| (name.to_owned(), path.clone()))
    };
    let shared = entries(&path("machine_code/shared"));
    shared.into_iter().chain(own).filter_map(named).collect()
}
