//! `kiln disasm`: the listing of machine code, raw or in object files.
//!
//! A file is a list of [units](unit): all of a raw file, or a section of an object file. Places count
//! from a unit's start. Files are listed side by side, and written in the order in which they were
//! named.

mod json;
mod unit;

use std::path::{Path, PathBuf};

use kiln_emit::listing::{self, Style};
use kiln_emit::platform::{self, Platform};
use kiln_emit::zebin::Zebin;
use miette::{Report, miette};
use rayon::prelude::*;

use super::finalize::no_kernel;
use super::info;
use super::input::Input;
use super::output::{self, Outputs};
use super::platform_parser;
use super::report;
use unit::Unit;

/// Of raw machine code, which says nothing about itself.
const DEFAULT_PLATFORM: &Platform = &platform::SKL;

/// Files that are listed side by side.
const BATCH: usize = 8;

/// List machine code
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Zebins or raw machine code
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Platform that the code is for [default: what a zebin says, and skl for raw code]
    #[arg(short, long, value_parser = platform_parser(), ignore_case = true)]
    platform: Option<&'static Platform>,
    /// Write branch targets as distances in bytes instead of labels
    #[arg(long)]
    numeric_labels: bool,
    /// Write JSON: files, their kernels and functions, and every instruction with what is known of it
    #[arg(long)]
    json: bool,
    /// List this kernel or function of a zebin only
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// File to write
    #[arg(short, long, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

/// A file's code.
struct File<'a> {
    path: &'a Path,
    platform: &'static Platform,
    units: Vec<Unit>,
}

/// Runs the command.
///
/// # Errors
/// Why nothing was written.
pub fn disasm(args: &Args) -> Result<(), Report> {
    let style = if args.numeric_labels {
        Style::Numeric
    } else {
        Style::Labels
    };
    let files = args.files.iter().map(|path| open(path, args));
    let files = files.collect::<Result<Vec<_>, _>>()?;
    if args.json {
        let text = json::write(&files, style)?;
        let mut outputs = Outputs::default();
        outputs.add(&args.output, text.into_bytes())?;
        return outputs.write();
    }
    let titles = files.len() > 1;
    let mut collected = Vec::new();
    // A listing is many times the size of its code, and its memory is used again.
    let mut texts = vec![String::new(); BATCH];
    for batch in files.chunks(BATCH) {
        let places = batch.par_iter().zip(&mut texts);
        places.for_each(|(file, text)| list(file, style, titles, text));
        for text in &texts[..batch.len()] {
            if !output::is_stdout(&args.output) {
                collected.extend_from_slice(text.as_bytes());
            } else if !output::print(text.as_bytes())? {
                return Ok(());
            }
        }
    }
    let mut outputs = Outputs::default();
    if !output::is_stdout(&args.output) {
        outputs.add(&args.output, collected)?;
    }
    outputs.write()
}

fn open<'a>(path: &'a Path, args: &Args) -> Result<File<'a>, Report> {
    let input = Input::open(path)?;
    let shown = path.display();
    if info::is_elf(&input) {
        return open_zebin(path, &input, args);
    }
    if args.kernel.is_some() {
        return Err(miette!(
            "{shown}: not a zebin; raw machine code has no kernel names"
        ));
    }
    if input.is_empty() {
        return Err(miette!("{shown}: the file is empty"));
    }
    if input.starts_with(b"CISA") {
        return Err(miette!(
            "{shown}: this is vISA, not machine code; finalize it first"
        ));
    }
    let platform = args.platform.unwrap_or(DEFAULT_PLATFORM);
    Ok(File {
        path,
        platform,
        units: vec![Unit::raw(input)],
    })
}

fn open_zebin<'a>(path: &'a Path, input: &Input, args: &Args) -> Result<File<'a>, Report> {
    let (zebin, platform) = match args.platform {
        Some(platform) => (info::zebin(input, platform)?, platform),
        None => {
            let zebin = Zebin::parse(input).map_err(|e| report::file(path, &e))?;
            let platform = info::platform_of(&zebin).ok_or_else(|| {
                let shown = path.display();
                miette!(
                    "{shown}: it does not say for which known platform it was made; use --platform"
                )
            })?;
            (zebin, platform)
        }
    };
    let mut units = unit::of_zebin(&zebin);
    let wanted = args.kernel.as_deref();
    if let Some(name) = wanted {
        let named: Vec<Unit> = units.iter().filter_map(|unit| unit.part(name)).collect();
        if named.is_empty() {
            let names = units.iter().flat_map(|unit| &unit.symbols);
            return Err(no_kernel(input, wanted, names.map(|s| s.name.as_str())));
        }
        units = named;
    }
    if units.is_empty() {
        return Err(no_kernel(input, wanted, std::iter::empty()));
    }
    Ok(File {
        path,
        platform,
        units,
    })
}

/// Makes `text` the listing of a file, under its name if that is wanted. Kernels and functions have
/// headings where there is more than one.
fn list(file: &File, style: Style, title: bool, text: &mut String) {
    text.clear();
    if title {
        text.push_str(&format!("// {}\n", file.path.display()));
    }
    let symbols = file
        .units
        .iter()
        .map(|unit| unit.symbols.len())
        .sum::<usize>();
    for unit in &file.units {
        let annotations = unit.annotations(symbols > 1);
        listing::list_onto(unit.code(), file.platform, style, &annotations, text);
    }
}
