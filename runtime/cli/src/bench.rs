//! `kiln bench`: a corpus compiled by Kiln and by another finalizer, side by side.
//!
//! Each kernel is compiled in a process of its own by one finalizer and then by the other. Both outputs are read back
//! and counted in the same way ([`cost::Figures`]). A failure is a row, too. Sums are over the kernels that both
//! compile. Time is that of the processor, and each process has one thread.

mod listed;
mod plot;
mod table;

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering::Relaxed;

use kiln_compile::Tier;
use kiln_compile::source;
use kiln_emit::platform::Platform;
use miette::{Report, miette};
use serde::Serialize;

use super::cost::Figures;
use super::exit::{self, Exit};
use super::input::Input;
use super::measure::Measured;
use super::output::{Outputs, is_standard};
use super::platforms::Machine;
use super::{Format, corpus, progress, report, stats, tier_parser};

/// Maximum number of the other finalizer's instructions in a small kernel.
const SMALL_INSTS: usize = 500;
/// Runs for a kernel without code, which is subtracted from each small one.
const EMPTY_RUNS: u32 = 31;
/// A kernel without code, in the oldest version of vISA.
const EMPTY: &str = "\
.version 3.6
.kernel \"empty\"
.kernel_attr Target=\"cm\"
.function \"empty_BB_0\"
ret (M1, 1)
";

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln bench examples/*/*.visaasm -p skl
  kiln bench CORPUS -p skl --against GenX_IR --csv bench.csv")]
pub struct Args {
    /// Binary or text vISA, `-` for standard input, or folders of it: each file is a module
    #[arg(required = true, value_name = "CORPUS")]
    corpus: Vec<PathBuf>,
    /// Another finalizer to compare with, with the command line of GenX_IR [default: none]
    #[arg(long, value_name = "PROGRAM")]
    against: Option<PathBuf>,
    /// Give the other finalizer the options that the listing beside each kernel has (`K.asm` of `K.visaasm`)
    #[arg(long, requires = "against")]
    listed_options: bool,
    /// Platform to compile for
    #[arg(short, long, value_parser = Machine)]
    platform: &'static Platform,
    /// In folders, take only files whose names begin with this
    #[arg(long, value_name = "PREFIX", default_value = "")]
    only: String,
    /// Runs of each finalizer for each kernel; the median time counts
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Optimization: 0 for short compile times, 2 for fast code
    #[arg(short = 'O', long, value_name = "LEVEL", default_value = "2", value_parser = tier_parser())]
    optimize: Tier,
    /// Memory limit of a process, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 3072)]
    memory: u64,
    /// Processor time limit of a process, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    seconds: u64,
    /// Write the figures of every kernel as CSV, `-` for standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write all figures as JSON, `-` for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a plot of time over instructions as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Results of a corpus.
#[derive(Serialize)]
struct Benched {
    platform: &'static str,
    runs: u32,
    /// One call of ours that compiles all kernels that we compile.
    one_call: Option<Side>,
    /// `None` if nothing is compared, or no kernel is small.
    session: Option<Session>,
    /// Names of the corpora.
    corpora: Vec<String>,
    rows: Vec<Row>,
}

/// One call of ours for all small kernels, beside a process of the other finalizer for each.
#[derive(Serialize)]
struct Session {
    kernels: usize,
    ours_seconds: f64,
    /// Sum over the processes, less that of as many processes for a kernel without code.
    reference_seconds: f64,
}

/// Results of one kernel.
#[derive(Serialize)]
struct Row {
    kernel: String,
    /// Number of the corpus: of the folder that was named, or zero for files that were named themselves.
    corpus: usize,
    #[serde(skip)]
    path: PathBuf,
    ours: Side,
    /// `None` if nothing is compared.
    reference: Option<Side>,
}

/// Result of one finalizer for a kernel.
#[derive(Clone, Default, Serialize)]
struct Side {
    /// `None` if it failed.
    figures: Option<Figures>,
    /// Median of all runs.
    seconds: f64,
    peak_bytes: u64,
    failure: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// The reason why nothing was compared.
pub fn bench(args: &Args, format: Format) -> Result<Exit, Report> {
    if let Some(program) = &args.against {
        found(program).map_err(|e| report::access(program, &e))?;
    }
    let kept = folder()?;
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for path in corpus::each(&args.corpus, &args.only) {
        match path.and_then(|path| keep(path, kept.path())) {
            Ok(path) => files.push(path),
            Err(problem) => problems.push(problem),
        }
    }
    let own = std::env::current_exe().map_err(|e| miette!("kiln's own path: {e}"))?;
    let bench = Bench { args, own };
    let folders = args.corpus.iter().filter(|path| path.is_dir());
    let named = folders.map(|path| (Some(path.as_path()), path.display().to_string()));
    let corpora: Vec<_> = std::iter::once((None, "files".to_string()))
        .chain(named)
        .collect();
    let corpus = |path: &Path| {
        let found = corpora
            .iter()
            .position(|(folder, _)| folder.is_some() && *folder == path.parent());
        found.unwrap_or(0)
    };
    let rows = progress::with_bar(files.len() as u64, "kernels", |done| {
        let row = |path: &PathBuf| {
            let row = bench.row(path, corpus(path));
            done.things.fetch_add(1, Relaxed);
            row
        };
        files.iter().map(row).collect::<Result<Vec<_>, _>>()
    })?;
    let benched = Benched {
        platform: args.platform.name,
        runs: args.runs,
        one_call: bench.one_call(rows.iter().filter(|row| row.ours.figures.is_some()))?,
        session: bench.session(&rows)?,
        corpora: corpora.into_iter().map(|(_, name)| name).collect(),
        rows,
    };
    let mut outputs = Outputs::new(files.iter().map(PathBuf::as_path));
    if let Some(path) = &args.json {
        outputs.json(path, &benched)?;
    }
    if let Some(path) = &args.csv {
        outputs.add(path, csv(&benched.rows)?)?;
    }
    if let Some(path) = &args.svg {
        let svg = plot::svg(&benched.rows).map_err(|e| report::file(path, &*e))?;
        outputs.svg(path, svg)?;
    }
    outputs.report(format, &benched, || table::write(&benched))?;
    outputs.write()?;
    Ok(exit::say(&problems))
}

/// Checks that a program is there: at its path, or in a folder of the environment.
fn found(program: &Path) -> std::io::Result<()> {
    if program.components().count() > 1 {
        return fs::metadata(program).map(drop);
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let mut places = std::env::split_paths(&folders).map(|folder| folder.join(program));
    match places.any(|place| place.is_file()) {
        true => Ok(()),
        false => Err(std::io::ErrorKind::NotFound.into()),
    }
}

/// State of a bench.
struct Bench<'a> {
    args: &'a Args,
    /// Path of this program.
    own: PathBuf,
}

impl Bench<'_> {
    fn row(&self, path: &Path, corpus: usize) -> Result<Row, Report> {
        let path = fs::canonicalize(path).map_err(|e| report::file(path, &e))?;
        let reference = self.reference(&path);
        let reference = reference.map(|command| self.side(command, "dat"));
        let ours = [
            self.own.as_os_str(),
            OsStr::new("compile"),
            path.as_os_str(),
        ];
        let ours = ours.into_iter().chain(self.options().map(OsStr::new));
        let ours = ours.chain(["-o", "ours.bin"].map(OsStr::new));
        Ok(Row {
            corpus,
            kernel: path
                .file_stem()
                .map_or_else(String::new, |stem| stem.to_string_lossy().into_owned()),
            ours: self.side(ours.map(OsStr::to_owned).collect(), "bin")?,
            reference: reference.transpose()?,
            path,
        })
    }

    /// The command of the other finalizer for a kernel; `None` if nothing is compared.
    fn reference(&self, path: &Path) -> Option<Vec<OsString>> {
        let program = self.args.against.as_deref()?;
        let platform = self.args.platform.finalizer_name;
        let options = ["-platform", platform, "-binary", "-output"];
        let command = [program.as_os_str(), path.as_os_str()].into_iter();
        let command = command.chain(options.iter().map(OsStr::new));
        let listed = match self.args.listed_options {
            true => listed::options(path),
            false => Vec::new(),
        };
        let command = command.chain(listed.iter().map(OsStr::new));
        Some(command.map(OsStr::to_owned).collect())
    }

    /// Options of our program.
    fn options(&self) -> [&'static str; 4] {
        let level = match self.args.optimize {
            Tier::Quick => "0",
            Tier::Best => "2",
        };
        ["-p", self.args.platform.name, "-O", level]
    }

    /// Runs a finalizer and collects the files of machine code with that extension.
    fn side(&self, command: Vec<OsString>, extension: &str) -> Result<Side, Report> {
        let folder = folder()?;
        let measured = self.measured(folder.path(), &command, self.args.runs)?;
        let mut side = Side {
            seconds: measured.median().unwrap_or_default(),
            peak_bytes: measured.peak_bytes,
            ..Side::default()
        };
        if measured.killed {
            side.failure = measured.failure;
            return Ok(side);
        }
        let fail = |e: std::io::Error| report::file(folder.path(), &e);
        for entry in fs::read_dir(folder.path()).map_err(fail)? {
            let path = entry.map_err(fail)?.path();
            if path.extension().is_some_and(|e| e == extension) {
                let code = fs::read(&path).map_err(fail)?;
                let figures = Figures::of(&code, self.args.platform);
                side.figures = Some(side.figures.unwrap_or_default().with(&figures));
            }
        }
        // The reference also exits with 1 if a kernel spills much.
        if side.figures.is_none() {
            let none = || "it left no machine code".to_string();
            side.failure = Some(measured.failure.unwrap_or_else(none));
        }
        Ok(side)
    }

    /// Compares the time of small kernels without the start of a process for each.
    fn session(&self, rows: &[Row]) -> Result<Option<Session>, Report> {
        let small = |row: &&Row| {
            let theirs = row
                .reference
                .as_ref()
                .and_then(|side| side.figures.as_ref());
            row.ours.figures.is_some() && theirs.is_some_and(|f| f.instructions <= SMALL_INSTS)
        };
        let small: Vec<&Row> = rows.iter().filter(small).collect();
        let Some(ours) = self.one_call(small.iter().copied())? else {
            return Ok(None);
        };
        let folder = folder()?;
        let path = folder.path().join("empty.visaasm");
        fs::write(&path, EMPTY).map_err(|e| report::access(&path, &e))?;
        let Some(command) = self.reference(&path) else {
            return Ok(None);
        };
        let empty = self.measured(folder.path(), &command, EMPTY_RUNS)?;
        let empty = empty.median().unwrap_or_default();
        let theirs = small.iter().filter_map(|row| row.reference.as_ref());
        Ok(Some(Session {
            kernels: small.len(),
            ours_seconds: ours.seconds,
            reference_seconds: theirs.map(|side| side.seconds - empty).sum(),
        }))
    }

    /// Compiles kernels in one call; `None` if there are none.
    fn one_call<'r>(&self, rows: impl Iterator<Item = &'r Row>) -> Result<Option<Side>, Report> {
        let folder = folder()?;
        let mut command = vec![self.own.clone().into_os_string(), "compile".into()];
        for (n, row) in rows.enumerate() {
            // Outputs are written beside the link.
            let name = row.path.file_name().unwrap_or_default().to_string_lossy();
            let link = folder.path().join(format!("{n}.{name}"));
            let linked = std::os::unix::fs::symlink(&row.path, &link);
            linked.map_err(|e| report::file(&link, &e))?;
            command.push(link.into_os_string());
        }
        if command.len() == 2 {
            return Ok(None);
        }
        command.extend(self.options().map(OsString::from));
        let measured = self.measured(folder.path(), &command, self.args.runs)?;
        Ok(Some(Side {
            seconds: measured.median().unwrap_or_default(),
            peak_bytes: measured.peak_bytes,
            failure: measured.failure,
            figures: None,
        }))
    }

    fn measured(&self, folder: &Path, command: &[OsString], runs: u32) -> Result<Measured, Report> {
        let Args {
            memory, seconds, ..
        } = self.args;
        let output = Command::new(&self.own)
            .current_dir(folder)
            .env("RAYON_NUM_THREADS", "1")
            .arg("measure")
            .args(["--memory", &(memory << 20).to_string()])
            .args(["--seconds", &seconds.to_string()])
            .args(["--runs", &runs.to_string(), "--"])
            .args(command)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| report::file(&self.own, &e))?;
        let said = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(miette!("{}", said.trim()));
        }
        serde_json::from_slice(&output.stdout).map_err(|e| miette!("JSON: {e}"))
    }
}

/// The path of an input that can be read; standard input is copied to a file in `folder`, since several processes read
/// it.
fn keep(path: PathBuf, folder: &Path) -> Result<PathBuf, Report> {
    if !is_standard(&path) {
        fs::File::open(&path).map_err(|e| report::access(&path, &e))?;
        return Ok(path);
    }
    let input = Input::open(&path)?;
    let extension = match source::form(&input) {
        Ok(source::Form::Binary) => "isa",
        Ok(source::Form::Genx(_)) => "ll",
        _ => "visaasm",
    };
    let copy = folder.join("stdin").with_extension(extension);
    fs::write(&copy, &input[..]).map_err(|e| report::access(&copy, &e))?;
    Ok(copy)
}

/// A folder that is removed when dropped.
fn folder() -> Result<tempfile::TempDir, Report> {
    tempfile::tempdir().map_err(|e| miette!("a folder for machine code: {e}"))
}

fn csv(rows: &[Row]) -> Result<Vec<u8>, Report> {
    let heading = "kernel \
        ours_instructions ours_bytes ours_spills ours_fills ours_spill_bytes ours_cycles ours_seconds ours_peak_bytes ours_failure \
        reference_instructions reference_bytes reference_spills reference_fills reference_spill_bytes reference_cycles \
        reference_seconds reference_peak_bytes reference_failure";
    let side = |side: Option<&Side>| -> [String; 9] {
        let Some(side) = side else {
            return Default::default();
        };
        let figure =
            |of: fn(&Figures) -> String| side.figures.as_ref().map_or_else(String::new, of);
        [
            figure(|f| f.instructions.to_string()),
            figure(|f| f.bytes.to_string()),
            figure(|f| f.spills.to_string()),
            figure(|f| f.fills.to_string()),
            figure(|f| f.spill_bytes.to_string()),
            figure(|f| format!("{:.0}", f.cycles)),
            format!("{:.5}", side.seconds),
            side.peak_bytes.to_string(),
            side.failure.clone().unwrap_or_default(),
        ]
    };
    let lines = rows.iter().map(|row| {
        let ours = side(Some(&row.ours));
        let reference = side(row.reference.as_ref());
        let mut cells = std::iter::once(row.kernel.clone())
            .chain(ours)
            .chain(reference);
        std::array::from_fn::<String, 19, _>(|_| cells.next().unwrap_or_default())
    });
    stats::csv(heading, lines)
}
