//! `kiln disasm`: the listing of machine code, raw or in object files.
//!
//! A file is a list of [units](unit): all of a raw file, or a section of an object file. Places count
//! from a unit's start. Files are listed side by side, and written in the order in which they were
//! named.

mod json;
pub(super) mod unit;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

use kiln_compile::info;
use kiln_emit::listing::{self, Counts, Style};
use kiln_emit::platform::Platform;
use kiln_emit::zebin::Zebin;
use miette::Report;
use rayon::prelude::*;

use super::exit::Exit;
use super::input::Input;
use super::output::{self, Outputs};
use super::platforms::Machine;
use super::progress::Done;
use super::{Format, exit, no_kernel, progress, report};
use unit::Unit;

/// Files that are listed side by side.
const BATCH: usize = 8;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln disasm examples/saxpy/saxpy.zebin
  kiln disasm examples/saxpy/bmg/saxpy.zebin --format json -o saxpy.json")]
pub struct Args {
    /// Zebins or raw machine code, `-` for standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Platform that the code is for [default: what a zebin says]
    #[arg(short, long, value_parser = Machine)]
    platform: Option<&'static Platform>,
    /// Write branch targets as distances in bytes instead of labels
    #[arg(long)]
    numeric_labels: bool,
    /// List this kernel or function of a zebin only
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// File to write
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// A file's code.
pub(super) struct File<'a> {
    pub path: &'a Path,
    pub platform: &'static Platform,
    pub units: Vec<Unit>,
}

/// Runs the command. Files that cannot be listed and bytes that are no instructions are said behind
/// the listing.
///
/// # Errors
/// Why nothing was written.
pub fn disasm(args: &Args, format: Format) -> Result<Exit, Report> {
    let style = if args.numeric_labels {
        Style::Numeric
    } else {
        Style::Labels
    };
    let mut outputs = Outputs::new(args.files.iter().map(PathBuf::as_path));
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for path in &args.files {
        match open(path, args.platform, args.kernel.as_deref()) {
            Ok(file) => files.push(file),
            Err(problem) => problems.push(problem),
        }
    }
    if files.is_empty()
        && let [_] = problems.as_slice()
    {
        return problems.pop().map_or(Ok(Exit::Wrong), Err);
    }
    if format == Format::Json {
        let (text, counts) = json::write(&files, style)?;
        outputs.add(&args.output, text.into_bytes())?;
        outputs.write()?;
        problems.extend(files.iter().zip(counts).filter_map(|(f, n)| illegal(f, n)));
        return Ok(exit::say(&problems));
    }
    let to_file = !output::is_standard(&args.output);
    // A bar would stand in the middle of a listing on the same terminal.
    let collected = match to_file {
        true => progress::with_bar(files.len() as u64, "files", |done| {
            listings(&files, args, style, &mut problems, Some(done))
        })?,
        false => listings(&files, args, style, &mut problems, None)?,
    };
    if to_file {
        outputs.add(&args.output, collected)?;
    }
    outputs.write()?;
    Ok(exit::say(&problems))
}

/// The listings of all files, and what is to be said of them. What goes to standard output is written
/// there at once.
fn listings(
    files: &[File],
    args: &Args,
    style: Style,
    problems: &mut Vec<Report>,
    done: Option<&Done>,
) -> Result<Vec<u8>, Report> {
    let titles = args.files.len() > 1;
    let mut collected = Vec::new();
    // A listing is many times the size of its code, and its memory is used again.
    let mut texts = vec![String::new(); BATCH];
    for batch in files.chunks(BATCH) {
        let list = |(file, text)| list(file, style, titles, text);
        let places = batch.iter().zip(&mut texts);
        // Starting threads takes longer than listing a small file.
        let counts: Vec<Counts> = match batch {
            [_] => places.map(list).collect(),
            _ => places
                .collect::<Vec<_>>()
                .into_par_iter()
                .map(list)
                .collect(),
        };
        problems.extend(batch.iter().zip(counts).filter_map(|(f, n)| illegal(f, n)));
        for text in &texts[..batch.len()] {
            match done {
                Some(_) => collected.extend_from_slice(text.as_bytes()),
                // Nobody reads on.
                None if !output::print(text)? => return Ok(collected),
                None => {}
            }
        }
        if let Some(done) = done {
            done.things.fetch_add(batch.len() as u64, Relaxed);
        }
    }
    Ok(collected)
}

/// What is said of a file with entries that are no instructions.
pub(super) fn illegal(file: &File, counts: Counts) -> Option<Report> {
    let Counts { illegal, entries } = counts;
    let error = format!(
        "{illegal} of {entries} are no instructions of {}",
        file.platform.name
    );
    (illegal > 0).then(|| report::file(file.path, &error))
}

/// Reads a file of machine code, or the kernel or function of that name in it.
///
/// # Errors
/// Why it is none, or of which platform is not known.
pub(super) fn open<'a>(
    path: &'a Path,
    platform: Option<&'static Platform>,
    kernel: Option<&str>,
) -> Result<File<'a>, Report> {
    let input = Input::open(path)?;
    let shown = report::name(path);
    if info::is_elf(&input) {
        return open_zebin(path, &input, platform, kernel);
    }
    if kernel.is_some() {
        return Err(report::usage(format_args!(
            "{shown}: not a zebin; raw machine code has no kernel names"
        )));
    }
    if input.is_empty() {
        return Err(report::file(path, &"the file is empty"));
    }
    if input.starts_with(b"CISA") {
        let what = "this is vISA, not machine code; finalize it first";
        return Err(report::file(path, &what));
    }
    if is_text(&input) {
        return Err(report::file(path, &"this is text, not machine code"));
    }
    let platform = platform.ok_or_else(|| {
        report::usage(format_args!(
            "{shown}: raw machine code does not say its platform: name it with --platform"
        ))
    })?;
    Ok(File {
        path,
        platform,
        units: vec![Unit::raw(input)],
    })
}

fn open_zebin<'a>(
    path: &'a Path,
    input: &Input,
    platform: Option<&'static Platform>,
    wanted: Option<&str>,
) -> Result<File<'a>, Report> {
    let (zebin, platform) = match platform {
        Some(platform) => {
            let zebin = info::zebin(input, platform).map_err(|e| report::file(path, &e))?;
            (zebin, platform)
        }
        None => {
            let zebin = Zebin::parse(input).map_err(|e| report::file(path, &e))?;
            let platform = info::platform_of(&zebin).ok_or_else(|| {
                let shown = report::name(path);
                report::usage(format_args!(
                    "{shown}: it does not say for which known platform it was made; use --platform"
                ))
            })?;
            (zebin, platform)
        }
    };
    let mut units = unit::of_zebin(&zebin);
    if let Some(name) = wanted {
        let named: Vec<Unit> = units.iter().filter_map(|unit| unit.part(name)).collect();
        if named.is_empty() {
            let names = units.iter().flat_map(|unit| &unit.symbols);
            return Err(no_kernel(path, wanted, names.map(|s| s.name.as_str())));
        }
        units = named;
    }
    if units.is_empty() {
        return Err(no_kernel(path, wanted, std::iter::empty()));
    }
    Ok(File {
        path,
        platform,
        units,
    })
}

/// Whether the beginning of a file is text, which no machine code is by accident.
fn is_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(256)];
    let printable = |b: &u8| matches!(b, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    head.iter().filter(|b| !printable(b)).count() * 16 <= head.len()
}

/// Makes `text` the listing of a file, under its name if that is wanted. Kernels and functions have
/// headings where there is more than one.
fn list(file: &File, style: Style, title: bool, text: &mut String) -> Counts {
    text.clear();
    if title {
        text.push_str(&format!("// {}\n", report::name(file.path)));
    }
    let symbols = file
        .units
        .iter()
        .map(|unit| unit.symbols.len())
        .sum::<usize>();
    let mut counts = Counts::default();
    for unit in &file.units {
        let annotations = unit.annotations(symbols > 1);
        let listed = listing::list_onto(unit.code(), file.platform, style, &annotations, text);
        counts.entries += listed.entries;
        counts.illegal += listed.illegal;
    }
    counts
}
