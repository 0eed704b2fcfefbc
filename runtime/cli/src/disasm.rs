//! `kiln disasm`: lists machine code, raw or in object files.
//!
//! A file is a list of [units](unit): all of a raw file, or a section of an object file. Offsets count from the start
//! of a unit. Files are listed in parallel and written in the order of the command line.

mod json;
pub(super) mod unit;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

use kiln_compile::{info, object_file};
use kiln_emit::listing::{self, Counts, Style};
use kiln_emit::platform::Platform;
use kiln_emit::zebin::{Zebin, is_object};
use miette::Report;
use rayon::prelude::*;

use super::exit::Exit;
use super::input::Input;
use super::names::Maps;
use super::output::{self, Outputs};
use super::platforms::Machine;
use super::progress::Done;
use super::{Format, exit, no_kernel, progress, report};
use unit::Unit;

/// Number of files listed in parallel.
const BATCH_FILES: usize = 8;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln disasm examples/saxpy/saxpy.zebin
  kiln disasm examples/saxpy/saxpy.zebin --live
  kiln disasm examples/saxpy/bmg/saxpy.zebin --format json -o saxpy.json")]
pub struct Args {
    /// Zebins or raw machine code, `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Platform of the code [default: as a zebin says]
    #[arg(short, long, value_parser = Machine)]
    platform: Option<&'static Platform>,
    /// Write branch targets as distances in bytes instead of labels
    #[arg(long)]
    numeric_labels: bool,
    /// Show how much lives at each instruction (kiln live)
    #[arg(long)]
    live: bool,
    /// List this kernel or function of a zebin only
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// File to write
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// The code of a file.
pub(super) struct File<'a> {
    pub path: &'a Path,
    pub platform: &'static Platform,
    pub units: Vec<Unit>,
    /// The document with names of variables that an object file has.
    pub names: Option<Vec<u8>>,
}

/// Runs the command. Files that cannot be listed and bytes that are no instructions are reported after the listing.
///
/// # Errors
/// The reason why nothing was written.
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
        let (text, counts) = json::write(&files, style, args.live)?;
        outputs.add(&args.output, text.into_bytes())?;
        outputs.write()?;
        problems.extend(files.iter().zip(counts).filter_map(|(f, n)| illegal(f, n)));
        return Ok(exit::say(&problems));
    }
    let to_file = !output::is_standard(&args.output);
    // A progress bar would appear within a listing on the same terminal.
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

/// The listings of all files, and the diagnostics. Listings for standard output are written at once.
fn listings(
    files: &[File],
    args: &Args,
    style: Style,
    problems: &mut Vec<Report>,
    done: Option<&Done>,
) -> Result<Vec<u8>, Report> {
    let titles = args.files.len() > 1;
    let mut collected = Vec::new();
    // Listings are many times larger than code, so their memory is reused.
    let mut texts = vec![String::new(); BATCH_FILES];
    for batch in files.chunks(BATCH_FILES) {
        let list = |(file, text)| list(file, style, titles, args.live, text);
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
                // The reader has gone away.
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

/// The diagnostic for a file with bytes that are no instructions.
pub(super) fn illegal(file: &File, counts: Counts) -> Option<Report> {
    let Counts { illegal, entries } = counts;
    let error = format!(
        "{illegal} of {entries} are no instructions of {}",
        file.platform.name
    );
    (illegal > 0).then(|| report::file(file.path, &error))
}

/// Reads a file of machine code, or one kernel or function of it.
///
/// # Errors
/// The file holds no machine code, or its platform is unknown.
pub(super) fn open<'a>(
    path: &'a Path,
    platform: Option<&'static Platform>,
    kernel: Option<&str>,
) -> Result<File<'a>, Report> {
    let input = Input::open(path)?;
    let shown = report::name(path);
    if is_object(&input) {
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
        names: None,
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
        names: object_file::names(&zebin).map(<[u8]>::to_vec),
    })
}

/// True if the beginning of a file is text.
fn is_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(256)];
    let printable = |b: &u8| matches!(b, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    head.iter().filter(|b| !printable(b)).count() * 16 <= head.len()
}

/// Writes the listing of a file to `text`, below its name if `title` is set. Several kernels and functions each have a
/// heading.
fn list(file: &File, style: Style, title: bool, live: bool, text: &mut String) -> Counts {
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
        let mut annotations = unit.annotations(symbols > 1);
        if live {
            unit.add_live(file.platform, &Maps::inside(file), &mut annotations);
        }
        let listed = listing::list_onto(unit.code(), file.platform, style, &annotations, text);
        counts.entries += listed.entries;
        counts.illegal += listed.illegal;
    }
    counts
}
