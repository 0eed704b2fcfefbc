//! `kiln disasm`: the listing of machine code, raw or in object files.
//!
//! A file is a list of [units](unit): all of a raw file, or a kernel or function of an object file.
//! Each is listed by itself, so that places in it count from its start, wherever it is in its
//! section. Files are listed side by side, and written in the order in which they were named.

mod json;
mod unit;

use std::path::{Path, PathBuf};

use kiln_emit::listing::{self, Style};
use kiln_emit::platform::{self, Platform};
use miette::{Report, miette};
use rayon::prelude::*;

use super::finalize::no_kernel;
use super::info;
use super::input::Input;
use super::output::Outputs;
use super::platform_parser;
use unit::Unit;

/// Of raw machine code, which says nothing about itself.
const DEFAULT_PLATFORM: &str = "skl";

/// List machine code
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Zebins or raw machine code
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Platform that the code is for [default: what a zebin says, and skl for raw code]
    #[arg(short, long, value_parser = platform_parser())]
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
    let text = if args.json {
        let files = args.files.iter().map(|path| open(path, args));
        let files = files.collect::<Result<Vec<_>, _>>()?;
        json::write(&files, style)?
    } else if let [path] = args.files.as_slice() {
        list(&open(path, args)?, style)
    } else {
        let listed = |path: &PathBuf| -> Result<String, Report> {
            let file = open(path, args)?;
            Ok(format!("// {}\n{}", path.display(), list(&file, style)))
        };
        // All are awaited, so that of several errors it is always the same that is reported.
        let texts: Vec<_> = args.files.par_iter().map(listed).collect();
        texts.into_iter().collect::<Result<String, _>>()?
    };
    let mut outputs = Outputs::default();
    outputs.add(&args.output, text.into_bytes())?;
    outputs.write()
}

fn open<'a>(path: &'a Path, args: &Args) -> Result<File<'a>, Report> {
    let input = Input::open(path)?;
    let wanted = args.kernel.as_deref();
    if info::is_elf(&input) {
        let (zebin, platform) = info::zebin_of(&input, args.platform)?;
        let mut units = unit::of_zebin(&zebin);
        if wanted.is_some() || units.is_empty() {
            let names: Vec<_> = units.iter().map(|unit| unit.name.clone()).collect();
            units.retain(|unit| wanted.is_none_or(|name| unit.name == name));
            if units.is_empty() {
                return Err(no_kernel(&input, wanted, names.iter().map(String::as_str)));
            }
        }
        return Ok(File {
            path,
            platform,
            units,
        });
    }
    let shown = path.display();
    if wanted.is_some() {
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
    let platform = args.platform.or_else(|| platform::find(DEFAULT_PLATFORM));
    let platform = platform.ok_or_else(|| miette!("{shown}: its platform is not known"))?;
    Ok(File {
        path,
        platform,
        units: vec![Unit::raw(input)],
    })
}

/// The listing of a file; where there is more than one unit, each under its name.
fn list(file: &File, style: Style) -> String {
    let listed = |unit: &Unit| listing::list_with(unit.code(), file.platform, style, &unit.remarks);
    if let [unit] = file.units.as_slice() {
        return listed(unit);
    }
    let titled = |unit: &Unit| {
        let title = format!("// {} {}", unit.kind.name(), unit.name.escape_debug());
        match &unit.section {
            Some(section) => format!(
                "{title}: {:#x} in {}\n{}",
                unit.offset,
                section.escape_debug(),
                listed(unit)
            ),
            None => format!("{title}\n{}", listed(unit)),
        }
    };
    file.units.iter().map(titled).collect()
}
