//! Files and standard output of a command.
//!
//! Most commands collect their files in [`Outputs`] and write them at their end, all or none: every file gets a
//! temporary name beside its place, and its own name only when all are complete. A command with many independent
//! inputs writes each file as soon as it is made ([`Outputs::write_now`]). Text for standard output comes last. A
//! reader that goes away early (`| head`) is no failure.
//!
//! Names in text come from inputs. Control characters in them are replaced wherever text goes to standard output or
//! standard error, because a terminal would obey them.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use miette::{Report, miette};
use serde::Serialize;

use super::{Format, report};

/// Maximum number of links followed to a file that does not exist yet.
const MAX_LINKS: usize = 40;

/// Outputs of a command.
#[derive(Default)]
pub struct Outputs {
    /// Paths of inputs, which must not be replaced.
    inputs: HashSet<PathBuf>,
    /// Paths of files that are written or will be, each with the name of the input that it is made of, if it is one's.
    claimed: Mutex<HashMap<PathBuf, Option<String>>>,
    files: Vec<(PathBuf, Vec<u8>)>,
    stdout: Vec<u8>,
    taken: bool,
}

/// True for the name of standard input or output.
pub fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Text in which each control character that a terminal would obey is replaced by one of the same size.
pub fn plain(text: &str) -> Cow<'_, str> {
    let harmful = |c: char| c.is_control() && !matches!(c, '\n' | '\t') || is_bidi(c);
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let replaced = |c: char| match (harmful(c), c.len_utf8()) {
        (false, _) => c,
        (true, 1) if c == '\r' => ' ',
        (true, 1) => '?',
        (true, 2) => '\u{bf}',
        (true, _) => char::REPLACEMENT_CHARACTER,
    };
    Cow::Owned(text.chars().map(replaced).collect())
}

/// True for a character that changes the direction of text.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl Outputs {
    /// Outputs of a command with these inputs.
    pub fn new<'a>(inputs: impl IntoIterator<Item = &'a Path>) -> Outputs {
        let inputs = inputs.into_iter().filter(|path| !is_standard(path));
        Outputs {
            inputs: inputs.filter_map(|path| path.canonicalize().ok()).collect(),
            ..Outputs::default()
        }
    }

    /// Adds a file; `-` is standard output, which can be taken once.
    ///
    /// # Errors
    /// The path was added before, or is an input.
    pub fn add(&mut self, path: &Path, bytes: Vec<u8>) -> Result<(), Report> {
        if is_standard(path) {
            if self.taken {
                return Err(report::usage(format_args!(
                    "two outputs are to go to standard output"
                )));
            }
            self.taken = true;
            self.stdout.extend(bytes);
            return Ok(());
        }
        let path = self.claim(path, None)?;
        self.files.push((path, bytes));
        Ok(())
    }

    /// Writes a file that is made of the input `from` without waiting for the others. Several threads may call this at a
    /// time.
    ///
    /// # Errors
    /// The path was written before, is an input, or cannot be written.
    pub fn write_now(&self, path: &Path, bytes: &[u8], from: &str) -> Result<(), Report> {
        let path = self.claim(path, Some(from))?;
        let mut staged = Staged::default();
        staged
            .write(&path, bytes)
            .map_err(|e| report::access(&path, &e))?;
        staged.finish()
    }

    /// Checks that a path leads to no input.
    ///
    /// # Errors
    /// The path leads to an input.
    pub fn check(&self, shown: &Path) -> Result<(), Report> {
        self.resolve(shown).map(|_| ())
    }

    /// The file that a path leads to, which is no input.
    fn resolve(&self, shown: &Path) -> Result<PathBuf, Report> {
        let path = resolved(shown);
        let is_file = || fs::metadata(&path).is_ok_and(|metadata| metadata.is_file());
        if self.inputs.contains(&path) && is_file() {
            let shown = report::name(shown);
            return Err(report::usage(format_args!(
                "{shown} is an input: say with -o where the output is to go"
            )));
        }
        Ok(path)
    }

    /// Resolves a path and claims it, so that nothing else is written there.
    fn claim(&self, shown: &Path, from: Option<&str>) -> Result<PathBuf, Report> {
        let path = self.resolve(shown)?;
        let mut claimed = self.claimed.lock().unwrap_or_else(PoisonError::into_inner);
        match claimed.entry(path.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(from.map(str::to_string));
                Ok(path)
            }
            Entry::Occupied(first) => {
                let shown = report::name(shown);
                let inputs = match (first.get(), from) {
                    (Some(first), Some(from)) => format!(", of {first} and of {from}"),
                    _ => String::new(),
                };
                Err(report::usage(format_args!(
                    "two outputs are to go to {shown}{inputs}"
                )))
            }
        }
    }

    /// Adds a plot.
    ///
    /// # Errors
    /// The name is not that of an SVG, and as [`Outputs::add`].
    pub fn svg(&mut self, path: &Path, svg: String) -> Result<(), Report> {
        let extension = path.extension().and_then(OsStr::to_str);
        if !is_standard(path) && extension != Some("svg") {
            return Err(report::usage(format_args!(
                "{}: plots are SVG: a name that ends in .svg is expected",
                report::name(path)
            )));
        }
        self.add(path, svg.into_bytes())
    }

    /// Adds a file of JSON.
    ///
    /// # Errors
    /// As [`Outputs::add`].
    pub fn json<T: Serialize + ?Sized>(&mut self, path: &Path, value: &T) -> Result<(), Report> {
        self.add(path, json(value)?)
    }

    /// Adds the result of a command to standard output. Text is left out if a file goes there.
    ///
    /// # Errors
    /// JSON and a file would both go there.
    pub fn report<T: Serialize + ?Sized>(
        &mut self,
        format: Format,
        value: &T,
        text: impl FnOnce() -> String,
    ) -> Result<(), Report> {
        match format {
            Format::Text if self.taken => {}
            Format::Text => self.print(&text()),
            Format::Json if !self.stdout.is_empty() => {
                return Err(report::usage(format_args!(
                    "JSON and something else are both to go to standard output"
                )));
            }
            Format::Json => self.add(Path::new("-"), json(value)?)?,
        }
        Ok(())
    }

    /// Adds text to standard output.
    pub fn print(&mut self, text: &str) {
        self.stdout.extend_from_slice(plain(text).as_bytes());
    }

    /// True if a file goes to standard output.
    pub fn stdout_taken(&self) -> bool {
        self.taken
    }

    /// Writes everything.
    ///
    /// # Errors
    /// A file cannot be written; then none is.
    pub fn write(self) -> Result<(), Report> {
        let mut staged = Staged::default();
        for (path, bytes) in &self.files {
            staged
                .write(path, bytes)
                .map_err(|e| report::access(path, &e))?;
        }
        staged.finish()?;
        write_stdout(&self.stdout).map(|_| ())
    }
}

/// The file that a path leads to. The target of a link is replaced, not the link, even if it does not exist yet.
fn resolved(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        if let Ok(path) = fs::canonicalize(&path) {
            return path;
        }
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            Err(_) => break,
        }
    }
    // A file has one name before and after it is made.
    let folder = path
        .parent()
        .map(|folder| match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        });
    let folder = folder.and_then(|folder| fs::canonicalize(folder).ok());
    match (folder, path.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// Writes text to standard output at once, for output that is too large to collect, when nothing else can fail. False
/// if the reader has gone away.
///
/// # Errors
/// Standard output cannot be written.
pub fn print(text: &str) -> Result<bool, Report> {
    write_stdout(plain(text).as_bytes())
}

fn write_stdout(text: &[u8]) -> Result<bool, Report> {
    if !text.is_empty() && IS_CLOSED.load(Ordering::Relaxed) {
        let error = io::Error::new(ErrorKind::BrokenPipe, "it is closed");
        return Err(report::access(Path::new("standard output"), &error));
    }
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(false),
        Err(e) => Err(report::access(Path::new("standard output"), &e)),
        Ok(()) => Ok(true),
    }
}

/// True if the program was started without a standard output. Rust's runtime opens the null device in its place, which
/// nothing tells from a null device that the parent gave.
static IS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Looks for standard output before Rust's runtime starts. Nothing is said where the system does not list descriptors.
// Safety: before `main`, no thread runs, and looking up a path needs nothing that the runtime sets up.
#[cfg(unix)]
#[ctor::ctor(unsafe)]
fn look_for_stdout() {
    let descriptors = Path::new("/dev/fd");
    let closed = descriptors.is_dir() && descriptors.join("1").symlink_metadata().is_err();
    IS_CLOSED.store(closed, Ordering::Relaxed);
}

/// Files under temporary names, which are removed when dropped.
#[derive(Default)]
struct Staged<'a> {
    files: Vec<(PathBuf, &'a Path)>,
    /// Devices and pipes, which are written directly.
    direct: Vec<(&'a Path, &'a [u8])>,
}

impl<'a> Staged<'a> {
    fn write(&mut self, path: &'a Path, bytes: &'a [u8]) -> io::Result<()> {
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => return Err(ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => {
                self.direct.push((path, bytes));
                return Ok(());
            }
            _ => {}
        }
        let name = path.file_name().ok_or(ErrorKind::InvalidInput)?;
        let mut temporary = std::ffi::OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}.tmp", std::process::id()));
        let temporary = path.with_file_name(temporary);
        let mut file = File::options()
            .write(true)
            .create_new(true)
            .open(&temporary)?;
        self.files.push((temporary, path));
        file.write_all(bytes)
    }

    fn finish(mut self) -> Result<(), Report> {
        for (path, bytes) in std::mem::take(&mut self.direct) {
            fs::write(path, bytes).map_err(|e| report::access(path, &e))?;
        }
        for (temporary, path) in &self.files {
            fs::rename(temporary, path).map_err(|e| report::access(path, &e))?;
        }
        self.files.clear();
        Ok(())
    }
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        for (temporary, _) in &self.files {
            // The file may have its own name by now; then nothing can be undone.
            let _ = fs::remove_file(temporary);
        }
    }
}

fn json<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, Report> {
    let mut json = serde_json::to_vec_pretty(value).map_err(|e| miette!("JSON: {e}"))?;
    json.push(b'\n');
    Ok(json)
}

/// Prints all diagnostics of a report.
pub fn say(diagnostic: &Report) {
    for one in report::each(diagnostic) {
        print_error(&format!("{one:?}"));
    }
}

/// Writes a line to standard error; errors are ignored.
pub fn print_error(text: &str) {
    let _ = writeln!(io::stderr(), "{}", text.trim_end());
}
