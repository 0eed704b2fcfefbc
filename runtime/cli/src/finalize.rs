//! `kiln finalize`: makes the code of the kernels in an object file, or replaces it.

use std::path::{Path, PathBuf};

use kiln_compile::archive;
use kiln_compile::cache::Cache;
use kiln_compile::choose::{Choice, Variant, choose};
use kiln_compile::finalize::{self as sections, Strip};
use kiln_compile::info;
use kiln_compile::relink::{RelinkError, relink};
use kiln_compile::{CompiledModule, Options, Session, Tier};
use kiln_emit::platform::Platform;
use kiln_emit::zebin::Zebin;
use miette::Report;
use serde::Serialize;

use super::cache::{self, CacheArgs};
use super::exit::Exit;
use super::grfs::GrfArgs;
use super::input::Input;
use super::output::{self, Outputs};
use super::platforms::Machine;
use super::stats::{self, KernelStats};
use super::{Format, choices, corpus, driver_cache, report, tier_parser};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln finalize examples/saxpy/saxpy.zebin --visa examples/saxpy -o ours.zebin
  kiln run ours.zebin --launch examples/saxpy/launch.yaml")]
pub struct Args {
    /// Object file of the reference compiler, or archive of those for several devices
    #[arg(value_name = "OBJECT", required_unless_present = "driver_cache")]
    object: Option<PathBuf>,
    /// Replace the code of the object files in the folder where a driver keeps compiled programs (NEO_CACHE_DIR)
    #[arg(long, value_name = "DIR", conflicts_with_all = ["object", "visa", "output", "keep", "choose", "choose_grf", "platform", "cache"])]
    driver_cache: Option<PathBuf>,
    /// Folder with the vISA of its kernels [default: that in OBJECT]
    #[arg(long, value_name = "DIR")]
    visa: Option<PathBuf>,
    /// File to write, `-` for standard output
    #[arg(
        short,
        long,
        value_name = "FILE",
        required_unless_present = "driver_cache"
    )]
    output: Option<PathBuf>,
    /// Leave kernels without vISA as they are
    #[arg(long)]
    keep: bool,
    /// Further object file of the same program with vISA, compiled for another SIMD size; of each kernel a variant without
    /// spills is taken if there is one, and of several that whose work-items take the fewest estimated cycles
    #[arg(long, value_name = "OBJECT", conflicts_with = "visa")]
    choose: Vec<PathBuf>,
    /// Choose among these numbers of registers of a thread, too, for each of the object files
    #[arg(long, value_name = "N", conflicts_with_all = ["visa", "mode", "grf_limit"])]
    choose_grf: Vec<u32>,
    /// Leave out the sections with vISA
    #[arg(long)]
    strip_visa: bool,
    /// Leave out the section with SPIR-V, which drivers compile for other devices
    #[arg(long)]
    strip_spv: bool,
    /// Platform to make code for [default: that of OBJECT]
    #[arg(short, long, value_parser = Machine)]
    platform: Option<&'static Platform>,
    /// Optimization: 0 for short compile times, 2 for fast code
    #[arg(short = 'O', long, value_name = "LEVEL", value_parser = tier_parser(), default_value = "2")]
    optimize: Tier,
    #[command(flatten)]
    grfs: GrfArgs,
    /// Add debug sections with the source lines of the code, where the vISA has any
    #[arg(short = 'g', long = "debug")]
    lines: bool,
    /// Write figures of every kernel as JSON, as those of `compile`, with the reasons of --choose; `-` for standard output
    #[arg(
        long,
        value_name = "FILE",
        alias = "json",
        conflicts_with = "driver_cache"
    )]
    stats: Option<PathBuf>,
    /// Print neither the names of the kernels nor warnings
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    cache: CacheArgs,
}

/// Result of the command.
#[derive(Serialize)]
struct Done {
    /// Names of the kernels with our code, and of the others.
    replaced: Vec<String>,
    kept: Vec<String>,
    /// Reasons for the variants of the kernels, if there were several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    choices: Vec<Choice>,
}

impl Args {
    /// Writes the outputs, and says what was done.
    fn end(
        &self,
        mut outputs: Outputs,
        format: Format,
        done: &Done,
        cache: Option<&Cache>,
    ) -> Result<Exit, Report> {
        outputs.report(format, done, || shown(done, self.quiet))?;
        outputs.write()?;
        let warning = cache.filter(|_| !self.quiet).and_then(cache::warning);
        if let Some(warning) = warning {
            output::say(&report::warning(&warning));
        }
        Ok(Exit::Done)
    }
}

/// Runs the command.
///
/// # Errors
/// The reason why nothing was written.
pub fn finalize(args: &Args, format: Format) -> Result<Exit, Report> {
    let strip = Strip {
        visa: args.strip_visa,
        spirv: args.strip_spv,
    };
    let applied = |options: Options| args.grfs.applied(options.tier(args.optimize));
    let (path, output) = match (&args.object, &args.output, &args.driver_cache) {
        (_, _, Some(folder)) => {
            let said = (format, args.quiet);
            return driver_cache::finalize(folder, applied, strip, args.lines, said);
        }
        (Some(path), Some(output), None) => (path, output),
        _ => {
            return Err(report::usage(
                "an object file and a file to write are needed",
            ));
        }
    };
    let object = Input::open(path)?;
    if archive::is_archive(&object) && args.visa.is_none() {
        return of_archive(args, path, &object, (output, format), applied, strip);
    }
    let is_none = |e: &dyn std::fmt::Display| report::file(path, e);
    let zebin = Zebin::parse(&object).map_err(|e| is_none(&e))?;
    let platform = args.platform.or_else(|| info::platform_of(&zebin));
    let platform = platform.ok_or_else(|| {
        let name = report::name(path);
        report::usage(format_args!(
            "{name} does not say for which platform it is: say it with -p"
        ))
    })?;
    // The rest of the object file is kept, which is only right on its own platform.
    let mut zebin = info::zebin(&object, platform).map_err(|e| is_none(&e))?;
    let (paths, inputs) = match &args.visa {
        Some(folder) => {
            let paths = corpus::files(std::slice::from_ref(folder), "")?;
            let inputs = paths.iter().map(|path| Input::open(path));
            let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
            (paths, inputs)
        }
        None => {
            let texts = sections::visa(&zebin).into_iter();
            let of = |(name, text): (String, Vec<u8>)| Input::part(path, &name, text);
            (Vec::new(), texts.map(of).collect())
        }
    };
    let read = paths.iter().chain([path]);
    let mut outputs = Outputs::new(read.map(PathBuf::as_path));

    let mut session = Session::new(Options {
        pressure: args.stats.is_some(),
        ..applied(Options::new(platform))
    });
    let cache = args.cache.open()?;
    if let Some(cache) = &cache {
        session = session.with_cache(cache.clone());
    }
    let grfs = args.choose_grf.as_slice();
    let is_mode = |count: &u32| platform.grf_modes.iter().any(|mode| mode.grfs == *count);
    if let Some(other) = grfs.iter().find(|count| !is_mode(count)) {
        return Err(report::usage(format_args!(
            "threads of {} have no mode of {other} registers",
            platform.name
        )));
    }
    let mut choices = Vec::new();
    let relinked = match &args.visa {
        Some(_) => {
            strip.apply(&mut zebin);
            let sources: Vec<_> = inputs.iter().map(Input::source).collect();
            relink(&session, zebin, &sources, args.keep, args.lines)
        }
        None => {
            let make = |zebin| sections::finalize(&session, zebin, strip, args.keep, args.lines);
            let variants = args.choose.iter().map(|path| {
                let other = info::zebin(&Input::open(path)?, platform);
                other.map_err(|e| report::file(path, &e))
            });
            let variants = variants.collect::<Result<Vec<_>, _>>()?;
            match variants.is_empty() && grfs.is_empty() {
                true => make(zebin),
                false => make(zebin.clone())
                    .and_then(|first| choose(platform, (&zebin, first), &variants, grfs, make))
                    .map(|(relinked, reasons)| {
                        choices = reasons;
                        relinked
                    }),
            }
        }
    };
    let relinked = relinked.map_err(|error| match error {
        RelinkError::Compile(failure) => report::failure(&inputs, &failure),
        error => is_none(&error),
    })?;
    let bytes = relinked.zebin.write();
    let bytes = bytes.map_err(|e| report::file(output, &e))?;
    outputs.add(output, bytes)?;
    if let Some(file) = &args.stats {
        outputs.json(
            file,
            &figures(args, path, &relinked.module, platform, &choices),
        )?;
    }
    let done = Done {
        replaced: relinked.replaced,
        kept: relinked.kept,
        choices,
    };
    args.end(outputs, format, &done, cache.as_ref())
}

/// Finalizes the object files in an archive for several devices.
fn of_archive(
    args: &Args,
    path: &Path,
    archive: &[u8],
    (output, format): (&Path, Format),
    options: impl Fn(Options) -> Options,
    strip: Strip,
) -> Result<Exit, Report> {
    let of_one = [
        ("--choose", !args.choose.is_empty()),
        ("--choose-grf", !args.choose_grf.is_empty()),
        ("--platform", args.platform.is_some()),
        ("--stats", args.stats.is_some()),
    ];
    if let Some((option, _)) = of_one.iter().find(|(_, given)| *given) {
        return Err(report::usage(format_args!(
            "{option} is for one object file, and {} is an archive",
            report::name(path)
        )));
    }
    let cache = args.cache.open()?;
    let session = |platform| {
        let session = Session::new(options(Options::new(platform)));
        match &cache {
            Some(cache) => session.with_cache(cache.clone()),
            None => session,
        }
    };
    let made = sections::finalize_file(archive, session, strip, args.keep, args.lines);
    let made = made.map_err(|e| report::file(path, &e))?;
    let mut outputs = Outputs::new([path]);
    outputs.add(output, made.bytes)?;
    let done = Done {
        replaced: made.replaced,
        kept: made.kept,
        choices: Vec::new(),
    };
    args.end(outputs, format, &done, cache.as_ref())
}

/// Figures of the kernels with our code, each with the reasons for its variant.
fn figures(
    args: &Args,
    object: &Path,
    module: &CompiledModule,
    platform: &'static Platform,
    choices: &[Choice],
) -> Vec<KernelStats> {
    let wanted = stats::Wanted {
        cycles: true,
        lines: args.lines,
    };
    let mut figures = stats::stats(&report::name(object), module, platform, wanted);
    for kernel in &mut figures {
        let of = choices.iter().find(|choice| choice.kernel == kernel.name);
        kernel.choice = of.cloned();
    }
    figures
}

/// Text for standard output.
fn shown(done: &Done, quiet: bool) -> String {
    if quiet {
        return String::new();
    }
    let mut text = match done.replaced.is_empty() {
        true => "replaced: no kernel\n".to_string(),
        false => format!("replaced: {}\n", done.replaced.join(", ")),
    };
    if !done.kept.is_empty() {
        text += &format!("kept: {}\n", done.kept.join(", "));
    }
    for choice in &done.choices {
        let of = choice.variants.iter().map(|v| {
            let Variant {
                simd,
                grfs,
                spill_bytes,
                item_cycles,
                ..
            } = v;
            format!(
                "SIMD{simd}: {item_cycles:.1} cycles, {grfs} registers, {spill_bytes} bytes spilled"
            )
        });
        let of: Vec<String> = of.collect();
        let Some(taken) = choice.variants.get(choice.variant) else {
            continue;
        };
        let reason = choices::reason(choice);
        text += &format!(
            "{}: SIMD{} with {} registers, {reason} ({})\n",
            choice.kernel,
            taken.simd,
            taken.grfs,
            of.join("; ")
        );
    }
    text
}
