//! `kiln measure`, which `kiln bench` calls: runs a program several times, within limits, and reports time and memory.
//!
//! A process inherits the peak memory of its parent, and its limits. Each measurement is therefore made by a small
//! process of its own.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use miette::{Report, miette};
use nix::sys::resource::{Resource, UsageWho, getrusage, setrlimit};
use nix::sys::time::TimeValLike;
use serde::{Deserialize, Serialize};

use super::exit::Exit;
use super::{output, report};

/// Maximum bytes kept of the program's output.
const MAX_OUTPUT_BYTES: u64 = 1 << 16;
/// Maximum characters kept of a line of it.
const MAX_LINE_CHARS: usize = 300;

#[derive(Debug, clap::Args)]
pub struct Args {
    /// Memory limit in bytes
    #[arg(long)]
    memory: u64,
    /// Processor time limit in seconds
    #[arg(long)]
    seconds: u64,
    #[arg(long)]
    runs: u32,
    /// The program and its arguments
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

/// Measurements of a program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Measured {
    /// Seconds of the processor of each run.
    pub seconds: Vec<f64>,
    /// Peak memory of all runs.
    pub peak_bytes: u64,
    /// Failure of the last run.
    pub failure: Option<String>,
    /// True if a signal ended a run; no more runs were made.
    pub killed: bool,
}

impl Measured {
    /// Median time of all runs.
    pub fn median(&self) -> Option<f64> {
        let mut sorted = self.seconds.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied()
    }
}

/// Runs the command.
///
/// # Errors
/// The program cannot be started.
pub fn measure(args: &Args) -> Result<Exit, Report> {
    let fail = |e: nix::Error| miette!("limits: {e}");
    setrlimit(Resource::RLIMIT_AS, args.memory, args.memory).map_err(fail)?;
    setrlimit(Resource::RLIMIT_CPU, args.seconds, args.seconds).map_err(fail)?;
    let mut measured = Measured::default();
    let before = files()?;
    for _ in 0..args.runs {
        for left in files()?.difference(&before) {
            fs::remove_file(left).map_err(|e| report::access(Path::new(left), &e))?;
        }
        let (seconds, status, said) = run(&args.command)?;
        measured.seconds.push(seconds);
        measured.failure = (!status.success()).then(|| words(status, &said));
        measured.killed = status.signal().is_some();
        if measured.killed {
            break;
        }
    }
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(fail)?;
    // In units of 1024 bytes (getrusage(2), Linux).
    measured.peak_bytes = u64::try_from(usage.max_rss()).unwrap_or_default() * 1024;
    let json = serde_json::to_string(&measured).map_err(|e| miette!("JSON: {e}"))?;
    output::print(&(json + "\n"))?;
    Ok(Exit::Done)
}

/// Files in the working folder. Those that a run adds are removed before the next run, because replacing a file takes
/// longer than making one.
fn files() -> Result<BTreeSet<OsString>, Report> {
    let fail = |e: std::io::Error| report::access(Path::new("."), &e);
    let entries = fs::read_dir(".").map_err(fail)?;
    let names = entries.map(|entry| Ok(entry?.file_name()));
    names.collect::<Result<_, _>>().map_err(fail)
}

/// Seconds of one run, its exit status, and its output.
fn run(command: &[OsString]) -> Result<(f64, ExitStatus, String), Report> {
    let program = &command[0];
    let fail = |e: std::io::Error| miette!("{}: {e}", program.display());
    let before = processor_seconds()?;
    let mut child = Command::new(program)
        .args(&command[1..])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(fail)?;
    let mut said = Vec::new();
    if let Some(mut stderr) = child.stderr.take() {
        stderr
            .by_ref()
            .take(MAX_OUTPUT_BYTES)
            .read_to_end(&mut said)
            .map_err(fail)?;
        // The output is read to its end, or the program would block.
        std::io::copy(&mut stderr, &mut std::io::sink()).map_err(fail)?;
    }
    let status = child.wait().map_err(fail)?;
    let seconds = processor_seconds()? - before;
    Ok((seconds, status, String::from_utf8_lossy(&said).into_owned()))
}

/// Seconds of the processor that all ended runs took, in the program and in the system for it.
fn processor_seconds() -> Result<f64, Report> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|e| miette!("time: {e}"))?;
    let microseconds = (usage.user_time() + usage.system_time()).num_microseconds();
    Ok(microseconds as f64 / 1e6)
}

/// Exit status and first line of output as text.
fn words(status: ExitStatus, said: &str) -> String {
    let how = match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "no exit code".to_string(),
    };
    // Lines in brackets are headings.
    let says = |line: &&str| !line.is_empty() && !line.starts_with('[');
    let line = said.lines().map(str::trim).find(says);
    match line {
        Some(line) => format!(
            "{how}: {}",
            line.chars().take(MAX_LINE_CHARS).collect::<String>()
        ),
        None => how,
    }
}
