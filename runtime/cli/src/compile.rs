//! `kiln compile`: vISA in; an object file, raw machine code or a listing out.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use kiln_compile::object_file;
use kiln_compile::{Compiled, CompiledModule, Options, Outcome, Relocation, Session, Stage, Tier};
use kiln_emit::assemble::RelocationKind;
use kiln_emit::listing::{self, Style};
use kiln_emit::platform::Platform;
use kiln_target::abi::{self, Abi};
use miette::{Report, miette};

use super::exit::Exit;
use super::input::{self, Input};
use super::object;
use super::output::{self, Outputs, is_standard, plain, print_error};
use super::platforms::Machine;
use super::sweep::AllocatorName;
use super::{Format, corpus, exit, pass_parser, progress, report, stats, tier_parser};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln compile examples/saxpy/saxpy.visaasm -p skl --info examples/saxpy/saxpy.zebin -o saxpy.zebin
  kiln compile examples/*/*.visaasm -p skl --out-dir build --cache ~/.cache/kiln
  kiln compile - -p skl --emit asm -o - < examples/saxpy/saxpy.visaasm")]
pub struct Args {
    /// Binary or text vISA, `-` for standard input, or folders of it
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Platform to make code for
    #[arg(short, long, value_parser = Machine)]
    platform: &'static Platform,
    /// Zebin or .ze_info document with the kernels' argument layouts
    #[arg(long, value_name = "FILE")]
    info: Option<PathBuf>,
    /// Interface of the kernels, for an object file without --info (docs/object-files.md); without either, each .input
    /// is taken for an argument, in their order
    #[arg(long, value_name = "FILE", conflicts_with = "info")]
    interface: Option<PathBuf>,
    /// Say which instructions of vISA and lines of the source the code comes from: in an object file as sections for
    /// debuggers, in a listing as comments, in --stats as a table
    #[arg(short = 'g', long = "debug")]
    lines: bool,
    /// What to write [default: what the name of -o ends in, else zebin with --info, else bin]
    #[arg(long)]
    emit: Option<Emit>,
    /// File to write, `-` for standard output [default: INPUT with its extension changed]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Folder to write to, which is made if it is not there [default: that of each INPUT]
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    out_dir: Option<PathBuf>,
    /// Print no table of figures
    #[arg(short, long)]
    quiet: bool,
    /// Write figures of every kernel as JSON, `-` for standard output
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// Print stages; writes code only if --emit or --output ask for it
    #[arg(long, value_name = "STAGES", value_delimiter = ',')]
    dump: Vec<DumpStage>,
    /// Take this kernel only
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Use no more registers than this
    #[arg(long, value_name = "N")]
    grf_limit: Option<u32>,
    /// How general registers are assigned; where that finds too few, it is done as with ion
    #[arg(long, value_name = "NAME", default_value = "scan")]
    allocator: AllocatorName,
    /// Let threads be interrupted in the middle (mid-thread preemption), which costs messages to the
    /// sampler a header on Gen9; an object file says of kernels made without that they must not be
    #[arg(long)]
    preemption: bool,
    /// Optimize: 0 for code soon, 2 for code that is fast
    #[arg(short = 'O', long, value_name = "LEVEL", value_parser = tier_parser(), default_value = "2")]
    optimize: Tier,
    /// Leave out these passes, to see what they are worth
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = pass_parser())]
    without: Vec<&'static str>,
    /// Version of the convention of stack calls; code of different versions cannot call each other
    #[arg(long, value_name = "VERSION", value_parser = abi_parser(), default_value = "2")]
    abi: &'static Abi,
    #[command(flatten)]
    cache: super::cache::CacheArgs,
}

/// Takes the version of a convention of stack calls.
fn abi_parser() -> impl TypedValueParser<Value = &'static Abi> {
    PossibleValuesParser::new(["1", "2"]).try_map(|version| {
        let version = version.parse().ok().and_then(abi::stack);
        version.ok_or("no such version")
    })
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// An object file
    Zebin,
    /// Machine code, one file a kernel
    Bin,
    /// A listing of the machine code
    Asm,
}

impl Emit {
    fn extension(self) -> &'static str {
        match self {
            Emit::Zebin => "zebin",
            Emit::Bin => "bin",
            Emit::Asm => "asm",
        }
    }

    /// What a file of that name is, if its extension says.
    fn of_name(path: &Path) -> Option<Emit> {
        let extension = path.extension()?.to_str()?;
        let all = [Emit::Zebin, Emit::Bin, Emit::Asm];
        all.into_iter().find(|emit| emit.extension() == extension)
    }
}

/// A stage that can be printed.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum DumpStage {
    /// The module as text
    Visa,
    /// The intermediate representation
    Ir,
    /// Selected instructions on virtual registers
    Isel,
    /// Allocated instructions
    Ra,
    /// The machine code's listing
    Asm,
}

impl DumpStage {
    fn stage(self) -> Stage {
        match self {
            DumpStage::Visa => Stage::Visa,
            DumpStage::Ir => Stage::Ir,
            DumpStage::Isel => Stage::Isel,
            DumpStage::Ra => Stage::Ra,
            DumpStage::Asm => Stage::Asm,
        }
    }
}

/// Runs the command. Modules that cannot be compiled are said, and keep no other from being written.
///
/// # Errors
/// Why nothing was written.
pub fn compile(args: &Args, format: Format) -> Result<Exit, Report> {
    let emit = emit(args)?;
    let info = args.info.as_deref();
    let interface = args.interface.as_deref();
    let paths = corpus::files(&args.inputs, "")?;
    let read = paths.iter().map(PathBuf::as_path);
    let mut outputs = Outputs::new(read.chain(info).chain(interface));
    let interface = interface.map(object::interface).transpose()?;
    let info = info
        .map(|path| input::info(path, args.platform))
        .transpose()?;
    let inputs = paths.iter().map(|path| Input::open(path));
    let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
    let all_figures = args.stats.is_some() || format == Format::Json;
    let mut session = Session::new(Options {
        grf_limit: args.grf_limit.unwrap_or(args.platform.grf_count),
        allocator: args.allocator.allocator(),
        dump: args.dump.iter().map(|d| d.stage()).collect(),
        pressure: all_figures,
        abi: args.abi,
        interruptible: args.preemption,
        without: args.without.clone(),
        ..Options::new(args.platform).tier(args.optimize)
    });
    if let Some(kernel) = &args.kernel {
        session = session.only(kernel);
    }
    let cache = args.cache.open()?;
    if let Some(cache) = &cache {
        session = session.with_cache(cache.clone());
    }
    let sources: Vec<_> = inputs.iter().map(Input::source).collect();
    let one = args.output.is_some() || args.kernel.is_some() || sources.len() == 1;
    let outcomes = progress::with_bar(sources.len() as u64, "files", |done| match one {
        true => vec![Outcome {
            files: (0..sources.len()).collect(),
            result: session.compile_module(&sources),
        }],
        false => session.compile_each(&sources, |outcome| {
            let files = outcome.files.len() as u64;
            done.things.fetch_add(files, Relaxed);
            outcome
        }),
    });

    let mut figures = Vec::new();
    let mut warnings = Vec::new();
    let mut failures = Vec::new();
    for Outcome { files, result } in outcomes {
        let module = match result {
            Ok(module) => module,
            Err(failure) => {
                failures.push(report::failure(&inputs, &failure));
                continue;
            }
        };
        outputs.print(&dumps(&module));
        let wanted = stats::Wanted {
            cycles: all_figures,
            lines: all_figures && args.lines,
        };
        figures.extend(stats::stats(&module, args.platform, wanted));
        let Some(emit) = emit else { continue };
        let output = match &args.output {
            Some(path) => path.clone(),
            None => default_output(&paths[files[0]], args.out_dir.as_deref(), emit)?,
        };
        let kernels: Vec<&Compiled> = module.kernels.iter().chain(&module.functions).collect();
        let kernels = &kernels[..];
        match (emit, &info) {
            (Emit::Bin, _) => {
                write_bins(&mut outputs, &output, kernels)?;
                warnings.extend(unresolved(kernels));
            }
            (Emit::Asm, _) => {
                let text = match args.lines {
                    true => object::listings(kernels, args.platform),
                    false => asm(kernels, args.platform),
                };
                outputs.add(&output, text.into_bytes())?;
            }
            (Emit::Zebin, info) => {
                let (path, info) = match (info, &interface) {
                    (Some((path, info)), _) => (*path, info.clone()),
                    (None, Some((path, interface))) => (*path, interface.clone()),
                    (None, None) => {
                        warnings.extend(object::guessed(&module));
                        let path = &paths[files[0]];
                        (path.as_path(), object::guess(path, &module)?)
                    }
                };
                let zebin = session.object_file(&module, info);
                let mut zebin = zebin.map_err(|e| report::file(path, &e))?;
                if args.lines {
                    let added = object_file::add_lines(&mut zebin, &module);
                    added.map_err(|e| report::file(&output, &e))?;
                }
                let bytes = zebin.write().map_err(|e| report::file(&output, &e))?;
                outputs.add(&output, bytes)?;
            }
        }
    }
    if let [_] = failures.as_slice()
        && figures.is_empty()
    {
        return failures.pop().map_or(Ok(Exit::Wrong), Err);
    }
    if let Some(path) = &args.stats {
        outputs.json(path, &figures)?;
    }
    if outputs.stdout_taken() && !args.dump.is_empty() {
        return Err(miette!(
            "dumps and a file are both to go to standard output"
        ));
    }
    let quiet = args.quiet || emit.is_none();
    let taken = outputs.stdout_taken();
    if !quiet || format == Format::Json {
        outputs.report(format, &figures, || stats::table(&figures))?;
    }
    if let Some(dir) = &args.out_dir {
        fs::create_dir_all(dir).map_err(|e| report::access(dir, &e))?;
    }
    outputs.write()?;
    warnings.extend(cache.as_ref().and_then(super::cache::warning));
    for warning in &warnings {
        output::say(&report::warning(warning));
    }
    if !quiet && taken && format == Format::Text {
        print_error(&plain(&stats::table(&figures)));
    }
    Ok(exit::say(&failures))
}

/// What is to be written, if code is.
fn emit(args: &Args) -> Result<Option<Emit>, Report> {
    let named = args.output.as_deref().and_then(Emit::of_name);
    let emit = match (args.emit, named) {
        (Some(emit), Some(named)) if emit != named => {
            let output = report::name(args.output.as_deref().unwrap_or(Path::new("")));
            let [emit, named] = [emit, named].map(Emit::extension);
            return Err(miette!(
                "--emit {emit} is another form than .{named} of {output}"
            ));
        }
        (Some(emit), _) | (None, Some(emit)) => emit,
        (None, None) if args.output.is_none() && !args.dump.is_empty() => return Ok(None),
        (None, None) if args.info.is_some() || args.interface.is_some() => Emit::Zebin,
        (None, None) => Emit::Bin,
    };
    let of_objects = [("--info", &args.info), ("--interface", &args.interface)];
    for (name, _) in of_objects.iter().filter(|(_, file)| file.is_some()) {
        if emit != Emit::Zebin {
            return Err(miette!(
                "{name} is for an object file, and none is to be written"
            ));
        }
    }
    Ok(Some(emit))
}

/// The input's name with another extension, in the folder if one is given.
fn default_output(input: &Path, dir: Option<&Path>, emit: Emit) -> Result<PathBuf, Report> {
    if is_standard(input) {
        return Err(miette!(
            "standard input has no name: say with -o where the output is to go"
        ));
    }
    let beside = input.with_extension(emit.extension());
    Ok(match (dir, beside.file_name()) {
        (Some(dir), Some(name)) => dir.join(name),
        _ => beside,
    })
}

/// One file of machine code a kernel.
fn write_bins(outputs: &mut Outputs, output: &Path, kernels: &[&Compiled]) -> Result<(), Report> {
    if let [kernel] = kernels {
        return outputs.add(output, kernel.code.clone());
    }
    if is_standard(output) {
        return Err(miette!(
            "{} kernels cannot all go to standard output: choose one with --kernel",
            kernels.len()
        ));
    }
    for kernel in kernels {
        outputs.add(&numbered(output, &kernel.name), kernel.code.clone())?;
    }
    Ok(())
}

/// A kernel's name as part of a file's. It comes from the input: it must not lead elsewhere.
pub(super) fn safe(kernel: &str) -> String {
    let safe = |c: char| match c.is_ascii_alphanumeric() || "_$-".contains(c) {
        true => c,
        false => '_',
    };
    kernel.chars().map(safe).collect()
}

/// `OUT.NAME.bin` for `OUT.bin`.
fn numbered(output: &Path, kernel: &str) -> PathBuf {
    let stem = if output.extension().is_some_and(|e| e == "bin") {
        output.with_extension("")
    } else {
        output.into()
    };
    let mut name = OsString::from(stem);
    name.push(format!(".{}.bin", safe(kernel)));
    name.into()
}

/// What raw machine code leaves open, one for each address.
fn unresolved(kernels: &[&Compiled]) -> Vec<String> {
    let mut lines = Vec::new();
    for Compiled {
        name, relocations, ..
    } in kernels
    {
        for Relocation {
            offset,
            symbol,
            kind,
        } in relocations
        {
            let bits = kind.bytes() * 8;
            let part = match kind {
                RelocationKind::AddressHigh => "the upper half of ",
                _ => "",
            };
            lines.push(format!(
                "{name}: the {bits} bits at offset {offset:#x} are to be {part}the address of {symbol}"
            ));
        }
    }
    lines
}

pub(super) fn asm(kernels: &[&Compiled], platform: &'static Platform) -> String {
    kernels
        .iter()
        .map(|kernel| {
            let list = listing::list(&kernel.code, platform, Style::Labels);
            match kernels {
                [_] => list,
                _ => format!("// kernel {}\n{list}", plain(&kernel.name)),
            }
        })
        .collect()
}

/// The dumps of all kernels, each under a heading.
fn dumps(module: &CompiledModule) -> String {
    let mut out = String::new();
    if let Some(visa) = &module.visa {
        out.push_str(visa);
    }
    for kernel in module.kernels.iter().chain(&module.functions) {
        for (stage, dump) in &kernel.dumps {
            let stage = format!("{stage:?}").to_lowercase();
            out.push_str(&format!(
                "// {}: {stage}\n{}\n",
                kernel.name,
                dump.trim_end()
            ));
        }
    }
    out
}
