//! `kiln cache`: inspects and clears a code cache. Also the arguments of the commands that use one.
//!
//! A cache is named by `--cache` or by the environment variable `KILN_CACHE`; without either, none is used.

use std::path::{Path, PathBuf};

use kiln_compile::cache::{Cache, CacheError, Size};
use miette::Report;

use super::exit::Exit;
use super::output::Outputs;
use super::{Format, report};

/// The environment variable that names a cache.
const VARIABLE: &str = "KILN_CACHE";
const MIB: u64 = 1 << 20;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln compile examples/saxpy/saxpy.visaasm -p skl -o saxpy.bin --cache ~/.cache/kiln
  kiln cache stat ~/.cache/kiln")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Print the number of entries and their size
    Stat {
        /// The cache's folder [default: $KILN_CACHE]
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
    },
    /// Remove all entries
    Clear {
        /// The cache's folder [default: $KILN_CACHE]
        #[arg(value_name = "DIR")]
        folder: Option<PathBuf>,
    },
}

// Not a doc comment, because clap would put it before the help of each verb with these options.
#[derive(Debug, clap::Args)]
pub struct CacheArgs {
    /// Look modules up in this code cache, and store those compiled [default: $KILN_CACHE, if it is set]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
    /// Maximum size of the cache in MiB, 0 for no limit; the least recently used entries are removed
    #[arg(long, value_name = "MIB", default_value_t = Cache::LIMIT / MIB)]
    cache_limit: u64,
}

impl CacheArgs {
    /// Opens the cache, if one is to be used.
    ///
    /// # Errors
    /// The folder cannot be a cache.
    pub fn open(&self) -> Result<Option<Cache>, Report> {
        let Some(folder) = self.cache.clone().or_else(of_environment) else {
            return Ok(None);
        };
        let limit = self.cache_limit.saturating_mul(MIB);
        let cache = Cache::open(&folder, limit).map_err(|e| fail(&folder, e))?;
        Ok(Some(cache))
    }
}

/// The folder that the environment names.
fn of_environment() -> Option<PathBuf> {
    let variable = std::env::var_os(VARIABLE).filter(|value| !value.is_empty());
    variable.map(PathBuf::from)
}

/// The warning after a command that could not write to its cache.
pub fn warning(cache: &Cache) -> Option<String> {
    let unwritten = cache.counts().unwritten;
    let problem = cache.problem()?;
    Some(format!(
        "the cache cannot be written ({unwritten} of its entries): {problem}"
    ))
}

/// Runs the command.
///
/// # Errors
/// The folder is no cache, or cannot be read or changed.
pub fn cache(args: &Args, format: Format) -> Result<Exit, Report> {
    let (Action::Stat { folder } | Action::Clear { folder }) = &args.action;
    let folder = folder.clone().or_else(of_environment).ok_or_else(|| {
        report::usage(format_args!(
            "a folder is expected, or one that {VARIABLE} names"
        ))
    })?;
    let cache = Cache::existing(&folder).map_err(|e| fail(&folder, e))?;
    let (size, text) = match &args.action {
        Action::Stat { .. } => {
            let size = cache.size().map_err(|e| report::access(&folder, &e))?;
            (size, format!("{}\n", shown(size)))
        }
        Action::Clear { .. } => {
            let removed = cache.clear().map_err(|e| report::access(&folder, &e))?;
            (removed, format!("{} removed\n", shown(removed)))
        }
    };
    let mut outputs = Outputs::default();
    outputs.report(format, &size, || text)?;
    outputs.write()?;
    Ok(Exit::Done)
}

fn fail(folder: &Path, error: CacheError) -> Report {
    match error {
        CacheError::Io(error) => report::access(folder, &error),
        error => report::file(folder, &error),
    }
}

fn shown(size: Size) -> String {
    let entries = match size.entries {
        1 => "1 entry".to_string(),
        entries => format!("{entries} entries"),
    };
    format!("{entries}, {:.1} MiB", size.bytes as f64 / MIB as f64)
}
