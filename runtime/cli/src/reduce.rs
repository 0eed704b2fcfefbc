//! `kiln reduce`: a failing input made small.
//!
//! Lines of a text of vISA are removed as long as a command still succeeds, which says that the failure is still there.
//! The method is delta debugging (Zeller and Hildebrandt, "Simplifying and Isolating Failure-Inducing Input"): ever
//! smaller runs of lines are left out, until no single line can be. Objects in the binary format are converted first.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kiln_compile::source;
use miette::{Report, miette};
use serde::Serialize;

use super::exit::Exit;
use super::input::Input;
use super::output::Outputs;
use super::{Format, report};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln reduce examples/saxpy/saxpy.visaasm --test 'grep -q mad {}' -o small.visaasm
  kiln reduce examples/saxpy/saxpy.visaasm --test '! kiln compile {} -p skl --grf-limit 8 -q -o /dev/null' -o small.visaasm")]
pub struct Args {
    /// Text or binary vISA, `-` for standard input
    #[arg(value_name = "INPUT")]
    input: PathBuf,
    /// Command of a shell that succeeds if the failure is still there; `{}` is the file
    #[arg(long, value_name = "COMMAND")]
    test: String,
    /// File to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Stop after this time, with what is left then
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    seconds: u64,
}

/// Result of the command.
#[derive(Serialize)]
struct Reduced {
    lines_before: usize,
    lines: usize,
    /// Runs of the command.
    tests: usize,
    /// True if no line can be removed any more.
    is_minimal: bool,
}

/// Runs the command.
///
/// # Errors
/// The input cannot be read, or the command fails on all of it.
pub fn reduce(args: &Args, format: Format) -> Result<Exit, Report> {
    let input = Input::open(&args.input)?;
    let text = match source::form(&input) {
        Ok(source::Form::Text(text)) => text.to_string(),
        Ok(source::Form::Binary) => {
            let module = kiln_visa::binary::read(&input);
            let module = module.map_err(|e| report::file(&args.input, &e))?;
            kiln_visa::print::print(&module)
        }
        // A text that is no vISA may be what fails.
        _ => match std::str::from_utf8(&input) {
            Ok(text) => text.to_string(),
            Err(_) => return Err(report::file(&args.input, &"this is neither text nor vISA")),
        },
    };
    let folder = tempfile::tempdir().map_err(|e| miette!("a folder for attempts: {e}"))?;
    let name = args.input.file_name().filter(|name| *name != "-");
    let file = folder
        .path()
        .join(name.unwrap_or("input".as_ref()))
        .with_extension("visaasm");
    let mut attempts = Attempts {
        args,
        file,
        tests: 0,
        end: Instant::now().checked_add(Duration::from_secs(args.seconds)),
    };
    let mut lines: Vec<&str> = text.lines().collect();
    if !attempts.fails(&lines)? {
        let what = "the command does not succeed on the whole input: the failure is not there";
        return Err(report::file(&args.input, &what));
    }
    let lines_before = lines.len();
    let is_minimal = attempts.shrink(&mut lines)?;
    let reduced = Reduced {
        lines_before,
        lines: lines.len(),
        tests: attempts.tests,
        is_minimal,
    };
    let mut outputs = Outputs::new([args.input.as_path()]);
    outputs.add(&args.output, joined(&lines).into_bytes())?;
    outputs.report(format, &reduced, || {
        let Reduced {
            lines_before,
            lines,
            tests,
            ..
        } = reduced;
        let end = match reduced.is_minimal {
            true => "",
            false => ", and time is up",
        };
        format!("{lines} of {lines_before} lines are left after {tests} attempts{end}\n")
    })?;
    outputs.write()?;
    Ok(Exit::Done)
}

fn joined(lines: &[&str]) -> String {
    lines.iter().flat_map(|line| [*line, "\n"]).collect()
}

struct Attempts<'a> {
    args: &'a Args,
    /// The file that the command is given.
    file: PathBuf,
    tests: usize,
    /// `None` if the clock cannot hold it.
    end: Option<Instant>,
}

impl Attempts<'_> {
    /// Removes runs of lines. False if time was up first.
    fn shrink(&mut self, lines: &mut Vec<&str>) -> Result<bool, Report> {
        let mut run = lines.len().div_ceil(2).max(1);
        loop {
            let mut at = 0;
            let mut removed = false;
            while at < lines.len() {
                if self.end.is_some_and(|end| Instant::now() >= end) {
                    return Ok(false);
                }
                let end = (at + run).min(lines.len());
                let rest = [&lines[..at], &lines[end..]].concat();
                match self.fails(&rest)? {
                    true => {
                        *lines = rest;
                        removed = true;
                    }
                    false => at = end,
                }
            }
            match (run, removed) {
                (1, false) => return Ok(true),
                // Lines that another one needed may be gone now.
                (1, true) => {}
                _ => run = run.div_ceil(2),
            }
        }
    }

    /// True if the failure is there with these lines.
    fn fails(&mut self, lines: &[&str]) -> Result<bool, Report> {
        self.tests += 1;
        fs::write(&self.file, joined(lines)).map_err(|e| report::access(&self.file, &e))?;
        let quoted = format!(
            "'{}'",
            self.file.display().to_string().replace('\'', "'\\''")
        );
        let status = Command::new("sh")
            .arg("-c")
            .arg(self.args.test.replace("{}", &quoted))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .map_err(|e| report::access(Path::new("sh"), &e))?;
        Ok(status.success())
    }
}
