//! Kiln as the finalizer of the driver's compiler, for `kiln gpu --finalize`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use miette::Report;

use super::report;

/// Name of the library that takes the compiler's place.
const LIBRARY: &str = "libkiln_igc.so";
/// Names by which drivers open their compiler, the newest first.
const NAMES: [&str; 2] = ["libigc.so.2", "libigc.so.1"];

/// A folder with our library under the compiler's names, and its log.
pub struct Compiler {
    folder: PathBuf,
    log: PathBuf,
    /// Folder for the object files, if they are wanted.
    objects: Option<PathBuf>,
    /// True if the code of object files is replaced.
    finalizes: bool,
}

impl Compiler {
    /// Makes the folder below another. Object files are also written to a folder, if one is given.
    ///
    /// # Errors
    /// The library is not beside this program, or the folder cannot be made.
    pub fn new(
        below: &Path,
        objects: Option<PathBuf>,
        finalizes: bool,
    ) -> Result<Compiler, Report> {
        let program = std::env::current_exe().ok();
        let beside = program
            .as_deref()
            .and_then(Path::parent)
            .and_then(|folder| {
                let places = [folder.join(LIBRARY), folder.join("../lib").join(LIBRARY)];
                places.into_iter().find(|path| path.exists())
            });
        let Some(library) = beside else {
            return Err(report::usage(format!(
                "{LIBRARY} is not beside this program: build it (cargo build --release -p kiln-igc)"
            )));
        };
        let folder = below.join("igc");
        let made = || -> std::io::Result<()> {
            std::fs::create_dir(&folder)?;
            let library = library.canonicalize()?;
            NAMES
                .iter()
                .try_for_each(|name| symlink(&library, folder.join(name)))
        };
        made().map_err(|e| report::access(&folder, &e))?;
        Ok(Compiler {
            log: below.join("log"),
            folder,
            objects,
            finalizes,
        })
    }

    /// A search path of libraries with the folder before others.
    pub fn before(&self, others: OsString) -> OsString {
        let mut path = self.folder.clone().into_os_string();
        if !others.is_empty() {
            path.push(":");
            path.push(others);
        }
        path
    }

    /// Tells the library which compiler is the real one, below a root or the system's, and where its log is.
    pub fn tell(&self, command: &mut Command, libraries: Option<&Path>) {
        command.env("KILN_LOG", &self.log);
        if let Some(objects) = &self.objects {
            command.env("KILN_OBJECTS", objects);
        }
        if !self.finalizes {
            command.env("KILN_OBSERVE", "1");
        }
        // A program in the driver's own cache, or PyOpenCL's, is not compiled.
        command.env("NEO_CACHE_PERSISTENT", "0");
        command.env("PYOPENCL_NO_CACHE", "1");
        let real = NAMES.iter().filter_map(|name| Some(libraries?.join(name)));
        if let Some(real) = real.into_iter().find(|path| path.exists()) {
            command.env("KILN_IGC", real);
        }
    }

    /// Numbers of object files with code of Kiln and with that of the driver's compiler, and reasons for the latter; none if no code
    /// was to be replaced.
    pub fn summary(&self) -> Option<String> {
        if !self.finalizes {
            return None;
        }
        let log = std::fs::read_to_string(&self.log).unwrap_or_default();
        let (mut kernels, mut kept) = (0, BTreeMap::<&str, usize>::new());
        for line in log.lines() {
            match line.split_once(": ") {
                Some(("kiln", names)) => kernels += names.split(' ').count(),
                Some((_, reason)) => *kept.entry(reason).or_default() += 1,
                None => {}
            }
        }
        let mut text = format!(
            "{kernels} kernels compiled by Kiln, {} object files with the driver's code",
            kept.values().sum::<usize>()
        );
        for (reason, count) in kept {
            text += &format!("\nkiln gpu: driver's code, {count} times: {reason}");
        }
        Some(text)
    }
}
