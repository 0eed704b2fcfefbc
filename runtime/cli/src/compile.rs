//! `kiln compile`: vISA, or LLVM IR or SPIR-V for GenX, in; an object file, raw machine code or a listing out.

mod budget;
mod choose;
mod remarks;

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use kiln_compile::cache::Cache;
use kiln_compile::info::Info;
use kiln_compile::object_file;
use kiln_compile::pressure::Place;
use kiln_compile::{Compiled, CompiledModule, Options, Outcome, Relocation, Session, Tier};
use kiln_emit::assemble::RelocationKind;
use kiln_emit::listing::{self, Style};
use kiln_emit::platform::Platform;
use kiln_platform::abi::{self, Abi};
use miette::Report;

use budget::{Budget, BudgetArgs};
use remarks::Visa;

use super::directives;
use super::dump::{self, Dump};
use super::exit::Exit;
use super::grfs::GrfArgs;
use super::input::{self, Input};
use super::names::Map;
use super::object::{self, Comments};
use super::output::{self, Outputs, is_standard, plain, print_error};
use super::platforms::{Machine, Revision, Variant};
use super::stats::KernelStats;
use super::sweep::AllocatorName;
use super::variables;
use super::{Format, choices, exit, pass_parser, progress, report, stats, tier_parser};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln compile examples/saxpy/saxpy.visaasm -p skl --info examples/saxpy/saxpy.zebin -o saxpy.zebin
  kiln compile examples/*/*.visaasm -p skl --out-dir build --cache ~/.cache/kiln
  kiln compile -p icllp --choose examples/int64/icllp/int64.visaasm examples/int64/int64.visaasm
  kiln compile - -p skl --emit asm -o - < examples/saxpy/saxpy.visaasm")]
pub struct Args {
    /// Binary or text vISA, LLVM IR or SPIR-V for GenX, `-` for standard input, or folders of vISA
    #[arg(required_unless_present = "choose", value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Platforms to make code for; with several, the name of each is put before the extension of its outputs
    #[arg(
        short,
        long = "platform",
        value_name = "PLATFORM",
        required = true,
        value_delimiter = ',',
        value_parser = Machine
    )]
    platforms: Vec<&'static Platform>,
    #[command(flatten)]
    revision: Revision,
    /// Zebin or .ze_info document with the kernels' argument layouts
    #[arg(long, value_name = "FILE")]
    info: Option<PathBuf>,
    /// Interface of the kernels, for an object file without --info (docs/object-files.md); without either, each .input
    /// is taken for an argument, in the order of declaration
    #[arg(long, value_name = "FILE", conflicts_with = "info")]
    interface: Option<PathBuf>,
    /// Write the vISA instruction and the source line that code comes from: as debug sections in an object file, as
    /// comments in a listing, as a table in --json
    #[arg(short = 'g', long = "debug")]
    lines: bool,
    /// In a listing, write lines of the source, or of a text of vISA, as directives of assemblers: .file, .loc, and labels of
    /// kernels; for Compiler Explorer (docs/machine-code.md)
    #[arg(long, conflicts_with = "lines")]
    directives: bool,
    /// In a listing, show how much lives at each instruction, as `kiln disasm --live` does
    #[arg(long)]
    live: bool,
    /// Form of the output [default: the extension of -o, else zebin with --info, else bin]
    #[arg(long)]
    emit: Option<Emit>,
    /// File to write, `-` for standard output [default: INPUT with its extension changed]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Folder to write to, created if necessary [default: that of each INPUT]
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    out_dir: Option<PathBuf>,
    /// Print neither figures nor warnings
    #[arg(short, long)]
    quiet: bool,
    /// Write figures of every kernel as JSON, `-` for standard output
    #[arg(long, value_name = "FILE", alias = "stats")]
    json: Option<PathBuf>,
    /// Write the registers and slots that hold each variable, and where, as JSON, for `kiln live` and `kiln report --names`
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    /// Put the same into the object file, in a section that drivers load no part of
    #[arg(long)]
    embed_names: bool,
    /// Print the code of these stages (genx, genx:PASS, visa, ir, isel, ra, asm) and after these passes (`kiln passes`);
    /// code is then written only with --emit or --output
    #[arg(long, value_name = "STAGES", value_delimiter = ',', value_parser = dump::parse)]
    dump: Vec<Dump>,
    /// Compile this kernel only
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Take of each kernel the best variant: kernels of equal name in the inputs and in these files are variants of one, and each is
    /// made with the usual and with more registers, unless --grf, its attribute NumGRF or its calls fix them (docs/choose.md);
    /// without --output, --out-dir and --emit only the figures are printed
    #[arg(long, value_name = "INPUT", num_args = 0.., conflicts_with_all = ["lines", "directives", "names", "embed_names", "dump", "remarks"])]
    choose: Option<Vec<PathBuf>>,
    #[command(flatten)]
    grfs: GrfArgs,
    /// Register allocator
    #[arg(long, value_name = "NAME", default_value = "scan")]
    allocator: AllocatorName,
    /// Allow mid-thread preemption, for which messages to the sampler need a header on Gen9; object files mark kernels
    /// compiled without it as not preemptible
    #[arg(long)]
    preemption: bool,
    /// Optimization: 0 for short compile times, 2 for fast code
    #[arg(short = 'O', long, value_name = "LEVEL", value_parser = tier_parser(), default_value = "2")]
    optimize: Tier,
    /// Form of the LLVM IR for GenX [default: detected]
    #[arg(long, value_name = "VARIANT")]
    variant: Option<Variant>,
    /// Leave out these passes, to measure their effect
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = pass_parser())]
    without: Vec<&'static str>,
    /// Run the verifier after each pass and prove the allocation, as debug builds always do
    #[arg(long)]
    verify: bool,
    /// Version of the stack call convention; code of different versions cannot call each other
    #[arg(long, value_name = "VERSION", value_parser = abi_parser(), default_value = "2")]
    abi: &'static Abi,
    /// Write what was spilled, kept in memory or not structured, and why, in the YAML form of LLVM's remarks
    #[arg(long, value_name = "FILE")]
    remarks: Option<PathBuf>,
    #[command(flatten)]
    budget: BudgetArgs,
    #[command(flatten)]
    cache: super::cache::CacheArgs,
}

/// Parses the version of a stack call convention.
fn abi_parser() -> impl TypedValueParser<Value = &'static Abi> {
    PossibleValuesParser::new(["1", "2"]).try_map(|version| {
        let version = version.parse().ok().and_then(abi::stack);
        version.ok_or("no such version")
    })
}

/// Forms of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Emit {
    /// An object file
    Zebin,
    /// Machine code, one file for each kernel
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

    /// Form of output for a file name, by its extension.
    fn of_name(path: &Path) -> Option<Emit> {
        let extension = path.extension()?.to_str()?;
        let all = [Emit::Zebin, Emit::Bin, Emit::Asm];
        all.into_iter().find(|emit| emit.extension() == extension)
    }
}

/// Runs the command. Each file is written as soon as its module is compiled. An error in one module or file does not
/// stop the others.
///
/// # Errors
/// The command line cannot be understood, or the only input has an error.
pub fn compile(args: &Args, format: Format) -> Result<Exit, Report> {
    keep_memory();
    let emit = emit(args)?;
    let mut platforms = args.platforms.clone();
    let mut seen = HashSet::new();
    platforms.retain(|platform| seen.insert(platform.name));
    if let (Some(output), [_, _, ..]) = (&args.output, platforms.as_slice()) {
        return Err(report::usage(format_args!(
            "{}: one output, and {} platforms: --out-dir takes those of all",
            report::name(output),
            platforms.len()
        )));
    }
    let info = args.info.as_deref();
    let interface = args.interface.as_deref();
    let paths = args.inputs.iter().chain(args.choose.iter().flatten());
    let paths: Vec<PathBuf> = paths.cloned().collect();
    if paths.is_empty() {
        return Err(report::usage("--choose: no input is given"));
    }
    let (inputs, mut failures) = input::open_each(&paths, "");
    let read = inputs.iter().map(|input| input.path.as_path());
    let mut outputs = Outputs::new(read.chain(info).chain(interface).chain(args.budget.file()));
    let budget = args.budget.read()?;
    if let Some(path) = &args.json {
        outputs.check(path)?;
    }
    let interface = interface.map(object::interface).transpose()?;
    let infos = platforms.iter().map(|platform| match info {
        Some(path) => input::info(path, platform).map(Some),
        None => Ok(None),
    });
    let infos = infos.collect::<Result<Vec<_>, _>>()?;
    let cache = args.cache.open()?;
    // If all files make one module, one missing file leaves none.
    let of_all = args.output.is_some() || args.kernel.is_some();
    if inputs.is_empty() || of_all && !failures.is_empty() {
        return only(failures);
    }
    let is_one = of_all || inputs.len() == 1;
    let sources: Vec<_> = inputs.iter().map(Input::source).collect();
    let total = (sources.len() * platforms.len()) as u64;
    let mut made = progress::with_bar(total, "files", |done| {
        let mut made = Vec::new();
        for (&platform, info) in platforms.iter().zip(&infos) {
            let session = session(args, platform, format, cache.clone());
            let of_several = (platforms.len() > 1).then_some(platform);
            let names = match args.choose.is_some() {
                true => Vec::new(),
                false => names(args, emit, &inputs, of_several)?,
            };
            let mut job = Job {
                args,
                platform,
                emit,
                info: info.as_ref().or(interface.as_ref()),
                inputs: &inputs,
                session: &session,
                budget: &budget,
                wanted: stats::Wanted {
                    cycles: args.json.is_some() || format == Format::Json,
                    lines: args.lines && (args.json.is_some() || format == Format::Json),
                },
                outputs: &outputs,
                repeated: repeated(&names),
                names,
            };
            if args.choose.is_some() {
                let to = (args.output.as_deref(), args.out_dir.as_deref());
                let output = choose::Output::of(emit, to, of_several.map(|one| one.name))?;
                made.extend(choose::choose(&mut job, &sources, &output));
                continue;
            }
            match is_one {
                true => made.push(job.finish(Outcome {
                    files: (0..sources.len()).collect(),
                    result: session.compile_module(&sources),
                })),
                false => made.extend(session.compile_each(&sources, |outcome| {
                    let files = outcome.files.len() as u64;
                    done.things.fetch_add(files, Relaxed);
                    job.finish(outcome)
                })),
            }
        }
        Ok::<_, Report>(made)
    })?;
    for made in &mut made {
        for (path, bytes, from) in std::mem::take(&mut made.later) {
            let written = outputs.write_now(&path, &bytes, &from);
            made.failures.extend(written.err());
        }
    }
    let (mut figures, mut warnings) = (Vec::new(), Vec::new());
    if let Some(path) = &args.names {
        let maps: Vec<&Map> = made.iter().flat_map(|made| &made.maps).collect();
        outputs.json(path, &maps)?;
    }
    if let Some(path) = &args.remarks {
        let all: String = made.iter().map(|made| made.remarks.as_str()).collect();
        outputs.add(path, all.into_bytes())?;
    }
    for mut made in made {
        outputs.print(&made.dumps);
        if let Some(bytes) = made.stdout {
            outputs.add(Path::new("-"), bytes)?;
        }
        // A module whose files could not be written has no figures.
        if made.failures.is_empty() {
            figures.append(&mut made.figures);
        }
        warnings.append(&mut made.warnings);
        failures.append(&mut made.failures);
    }
    if failures.len() == 1 && figures.is_empty() {
        return only(failures);
    }
    let text = || match args.choose.is_some() {
        true => choices::tables(
            &figures,
            &inputs
                .iter()
                .map(|input| input.name.clone())
                .collect::<Vec<_>>(),
        ),
        false => stats::table(&figures),
    };
    let result = report(args, format, emit, outputs, (&figures, &text));
    failures.extend(result.err());
    let about_cache = cache.as_ref().and_then(super::cache::warning);
    warnings.extend(about_cache.map(|said| report::warning(&said)));
    for warning in warnings.iter().filter(|_| !args.quiet) {
        output::say(warning);
    }
    Ok(exit::say(&failures))
}

/// Lets the C library's allocator keep what is freed. It gives large pieces back to the system at once, and a fifth of a
/// compile's page faults is for getting them again; but it keeps all that are smaller than one that was freed, up to a limit.
fn keep_memory() {
    /// Just below the limit of the GNU C library.
    const BYTES: usize = (32 << 20) - (64 << 10);
    drop(std::hint::black_box(Vec::<u8>::with_capacity(BYTES)));
}

/// The session for a command line and one of its platforms.
fn session(
    args: &Args,
    platform: &'static Platform,
    format: Format,
    cache: Option<Cache>,
) -> Session {
    let defaults = Options::new(args.revision.of(platform));
    let mut session = Session::new(args.grfs.applied(Options {
        verify: args.verify || defaults.verify,
        allocator: args.allocator.allocator(),
        dump: args.dump.iter().filter_map(|d| d.stage()).collect(),
        profile: (args.budget.is_some() || args.remarks.is_some()).then_some(Place::Peak),
        pressure: args.json.is_some() || format == Format::Json,
        names: args.names.is_some()
            || args.embed_names
            || args.lines && (args.json.is_some() || format == Format::Json),
        abi: args.abi,
        interruptible: args.preemption,
        without: args.without.clone(),
        variant: args.variant.map(Variant::into),
        ..defaults.tier(args.optimize)
    }));
    if let Some(kernel) = &args.kernel {
        session = session.only(kernel);
    }
    match cache {
        Some(cache) => session.with_cache(cache),
        None => session,
    }
}

/// The exit of a command that made nothing.
fn only(mut failures: Vec<Report>) -> Result<Exit, Report> {
    match failures.len() {
        1 => failures.pop().map_or(Ok(Exit::Wrong), Err),
        _ => Ok(exit::say(&failures)),
    }
}

/// Writes figures and standard output.
fn report(
    args: &Args,
    format: Format,
    emit: Option<Emit>,
    mut outputs: Outputs,
    (figures, text): (&[KernelStats], &dyn Fn() -> String),
) -> Result<(), Report> {
    if let Some(path) = &args.json {
        outputs.json(path, figures)?;
    }
    if outputs.stdout_taken() && !args.dump.is_empty() {
        return Err(report::usage(
            "dumps and a file are both to go to standard output",
        ));
    }
    let quiet = args.quiet || emit.is_none() && args.choose.is_none();
    let taken = outputs.stdout_taken();
    if !quiet || format == Format::Json {
        outputs.report(format, figures, text)?;
    }
    outputs.write()?;
    if !quiet && taken && format == Format::Text {
        print_error(&plain(&text()));
    }
    Ok(())
}

/// The output of each input, or the single output; with the name of a platform, if it is one of several.
fn names(
    args: &Args,
    emit: Option<Emit>,
    inputs: &[Input],
    platform: Option<&Platform>,
) -> Result<Vec<PathBuf>, Report> {
    match (emit, &args.output) {
        (Some(_), Some(output)) => Ok(vec![output.clone()]),
        (Some(emit), None) => {
            let extension = match platform {
                Some(platform) => format!("{}.{}", platform.name, emit.extension()),
                None => emit.extension().to_string(),
            };
            let dir = args.out_dir.as_deref();
            let name = |input: &Input| default_output(&input.path, dir, &extension);
            inputs.iter().map(name).collect()
        }
        (None, _) => Ok(Vec::new()),
    }
}

/// True for each name that one before it equals.
fn repeated(names: &[PathBuf]) -> Vec<bool> {
    let mut seen = HashSet::new();
    names.iter().map(|name| !seen.insert(name)).collect()
}

/// State that turns compiled modules into files.
struct Job<'a> {
    args: &'a Args,
    platform: &'static Platform,
    emit: Option<Emit>,
    /// Path and contents of the file with argument layouts.
    info: Option<&'a (&'a Path, Info)>,
    inputs: &'a [Input],
    session: &'a Session,
    budget: &'a Budget,
    wanted: stats::Wanted,
    outputs: &'a Outputs,
    /// Output of each input, or the single output.
    names: Vec<PathBuf>,
    /// Per name: true if an earlier name is the same.
    repeated: Vec<bool>,
}

/// Results of one module.
#[derive(Default)]
struct Made {
    dumps: String,
    remarks: String,
    maps: Vec<Map>,
    figures: Vec<KernelStats>,
    warnings: Vec<Report>,
    failures: Vec<Report>,
    /// Contents of the file that goes to standard output.
    stdout: Option<Vec<u8>>,
    /// Files whose names another module may have taken, with the names of their inputs. They are written last, so that
    /// which of two is refused does not depend on timing.
    later: Vec<(PathBuf, Vec<u8>, String)>,
}

impl Job<'_> {
    /// Sets the output of all inputs; `repeated` if another module has the same.
    fn name_all(&mut self, path: PathBuf, repeated: bool) {
        self.names = vec![path; self.inputs.len()];
        self.repeated = vec![repeated; self.inputs.len()];
    }

    /// Writes the files of a module.
    fn finish(&self, Outcome { files, result }: Outcome) -> Made {
        let mut made = Made::default();
        let reading = self.session.options().reading();
        for file in &files {
            let text = dump::genx(&self.inputs[*file], &self.args.dump, &reading);
            made.dumps.push_str(&text);
        }
        let module = match result {
            Ok(module) => module,
            Err(failure) => {
                made.failures.push(report::failure(self.inputs, &failure));
                return made;
            }
        };
        let input = &self.inputs[files[0]];
        made.dumps.push_str(&dumps(&module));
        if self.args.names.is_some() || self.args.embed_names || self.wanted.lines {
            let inputs: Vec<&Input> = files.iter().map(|file| &self.inputs[*file]).collect();
            match variables::of_module(&module, &inputs, &reading) {
                Ok(maps) => made.maps = maps,
                Err(failure) => made.failures.push(failure),
            }
        }
        if self.args.remarks.is_some() {
            let visa = Visa::of(input);
            for kernel in module.kernels.iter().chain(&module.functions) {
                remarks::of(kernel, self.platform, &visa, &mut made.remarks);
            }
        }
        let warnings = module.warnings.iter();
        let warnings = warnings.map(|warning| report::genx_warning(input, warning));
        made.warnings.extend(warnings);
        let figures =
            |input: &Input| stats::stats(&input.name, &module, self.platform, self.wanted);
        made.figures = figures(input);
        if self.wanted.lines {
            for figures in &mut made.figures {
                let map = made.maps.iter().find(|map| map.kernel == figures.name);
                figures.variables = map.map(|map| map.variables.clone());
            }
        }
        let check = |kernel| self.budget.check(&input.name, kernel, self.platform);
        made.failures = match self.args.budget.is_some() {
            true => module.kernels.iter().flat_map(check).collect(),
            false => Vec::new(),
        };
        if !made.failures.is_empty() {
            return made;
        }
        let Some(emit) = self.emit else { return made };
        let numbers: Vec<usize> = match &self.args.output {
            Some(_) => vec![0],
            // Files of equal contents are compiled once and each have an output.
            None => {
                let equal = |file: &usize| self.inputs[*file][..] == input[..];
                files.into_iter().filter(equal).collect()
            }
        };
        for (nth, number) in numbers.into_iter().enumerate() {
            let name = &self.names[number];
            let from = match &self.args.output {
                Some(_) => input,
                None => &self.inputs[number],
            };
            if nth > 0 {
                made.figures.extend(figures(from));
            }
            let contents = match self.contents(emit, name, input, (&module, &made.maps)) {
                Ok(contents) => contents,
                Err(failure) => {
                    // Figures of a module whose files failed are dropped.
                    made.figures.clear();
                    made.failures.push(failure);
                    break;
                }
            };
            if nth == 0 {
                let warnings = self.warnings(emit, &module);
                made.warnings
                    .extend(warnings.iter().map(|warning| report::warning(warning)));
            }
            for (path, bytes) in contents {
                if is_standard(&path) {
                    made.stdout = Some(bytes);
                } else if self.repeated[number] {
                    made.later.push((path, bytes, from.name.clone()));
                } else {
                    let written = self.write(&path, &bytes, &from.name);
                    made.failures.extend(written.err());
                }
            }
        }
        made
    }

    fn write(&self, path: &Path, bytes: &[u8], from: &str) -> Result<(), Report> {
        if let Some(dir) = &self.args.out_dir {
            fs::create_dir_all(dir).map_err(|e| report::access(dir, &e))?;
        }
        self.outputs.write_now(path, bytes, from)
    }

    /// Names and contents of a module's files.
    fn contents(
        &self,
        emit: Emit,
        output: &Path,
        input: &Input,
        (module, maps): (&CompiledModule, &[Map]),
    ) -> Result<Vec<(PathBuf, Vec<u8>)>, Report> {
        let kernels: Vec<&Compiled> = module.parts().collect();
        let platform = self.platform;
        let bytes = match emit {
            Emit::Bin => return bins(output, &kernels),
            Emit::Asm if self.args.directives => {
                let reading = self.session.options().reading();
                let live = self.args.live;
                directives::listing(&kernels, platform, self.inputs, &reading, live).into_bytes()
            }
            Emit::Asm if self.args.lines || self.args.live => {
                let comments = Comments {
                    lines: self.args.lines,
                    live: self.args.live,
                };
                object::listings(&kernels, platform, comments).into_bytes()
            }
            Emit::Asm => asm(&kernels, platform).into_bytes(),
            Emit::Zebin => {
                let (path, info) = match self.info {
                    Some((path, info)) => (*path, info.clone()),
                    None => (input.path.as_path(), object::guess(&input.path, module)?),
                };
                let zebin = self.session.object_file(module, info);
                let mut zebin = zebin.map_err(|e| report::file(path, &e))?;
                if self.args.lines {
                    let added = object_file::add_lines(&mut zebin, module);
                    added.map_err(|e| report::file(output, &e))?;
                }
                if self.args.embed_names {
                    let names = serde_json::to_vec(maps).map_err(|e| report::file(output, &e))?;
                    object_file::add_names(&mut zebin, names);
                }
                zebin.write().map_err(|e| report::file(output, &e))?
            }
        };
        Ok(vec![(output.to_path_buf(), bytes)])
    }

    /// Warnings about a module's files.
    fn warnings(&self, emit: Emit, module: &CompiledModule) -> Vec<String> {
        match emit {
            Emit::Bin => unresolved(&module.parts().collect::<Vec<_>>()),
            Emit::Zebin if self.info.is_none() => object::guessed(module).collect(),
            Emit::Asm | Emit::Zebin => Vec::new(),
        }
    }
}

/// The form of output, or `None` if no code is written.
fn emit(args: &Args) -> Result<Option<Emit>, Report> {
    let output = args.output.as_deref();
    let named = output.and_then(Emit::of_name);
    if let (Some(output), Some(json)) = (output, &args.json)
        && output == json
    {
        let output = report::name(output);
        return Err(report::usage(format_args!(
            "two outputs are to go to {output}"
        )));
    }
    let emit = match (args.emit, named) {
        (Some(emit), Some(named)) if emit != named => {
            let output = report::name(args.output.as_deref().unwrap_or(Path::new("")));
            let [emit, named] = [emit, named].map(Emit::extension);
            return Err(report::usage(format_args!(
                "--emit {emit} is another form than .{named} of {output}"
            )));
        }
        (Some(emit), _) | (None, Some(emit)) => emit,
        (None, None) if args.output.is_none() && !args.dump.is_empty() => return Ok(None),
        (None, None)
            if args.choose.is_some() && args.output.is_none() && args.out_dir.is_none() =>
        {
            return Ok(None);
        }
        (None, None) if args.info.is_some() || args.interface.is_some() => Emit::Zebin,
        (None, None) => match output.filter(|path| !is_standard(path)) {
            Some(path) if path.extension().is_some() => {
                let output = report::name(path);
                return Err(report::usage(format_args!(
                    "{output}: a name that ends in .zebin, .bin or .asm is expected, or --emit"
                )));
            }
            _ => Emit::Bin,
        },
    };
    if args.live && emit != Emit::Asm {
        return Err(report::usage(
            "--live is for a listing, and none is to be written: --emit asm",
        ));
    }
    let of_objects = [
        ("--info", args.info.is_some()),
        ("--interface", args.interface.is_some()),
        ("--embed-names", args.embed_names),
    ];
    for (name, _) in of_objects.iter().filter(|(_, is_given)| *is_given) {
        if emit != Emit::Zebin {
            return Err(report::usage(format_args!(
                "{name} is for an object file, and none is to be written"
            )));
        }
    }
    Ok(Some(emit))
}

/// The input's name with another extension, in `dir` if one is given.
fn default_output(input: &Path, dir: Option<&Path>, extension: &str) -> Result<PathBuf, Report> {
    if is_standard(input) {
        return Err(report::usage(
            "standard input has no name: say with -o where the output is to go",
        ));
    }
    let beside = input.with_extension(extension);
    Ok(match (dir, beside.file_name()) {
        (Some(dir), Some(name)) => dir.join(name),
        _ => beside,
    })
}

/// Files of machine code, one for each kernel.
fn bins(output: &Path, kernels: &[&Compiled]) -> Result<Vec<(PathBuf, Vec<u8>)>, Report> {
    if let [kernel] = kernels {
        return Ok(vec![(output.to_path_buf(), kernel.code.clone())]);
    }
    if is_standard(output) {
        return Err(report::usage(format_args!(
            "{} kernels cannot all go to standard output: choose one with --kernel",
            kernels.len()
        )));
    }
    let file = |kernel: &&Compiled| (numbered(output, &kernel.name), kernel.code.clone());
    Ok(kernels.iter().map(file).collect())
}

/// A kernel's name as part of a file name. Names come from the input, so path separators are replaced.
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

/// Unresolved relocations of raw machine code, a line for each kernel.
fn unresolved(kernels: &[&Compiled]) -> Vec<String> {
    let mut lines = Vec::new();
    for Compiled {
        name, relocations, ..
    } in kernels
    {
        match &relocations[..] {
            [] => {}
            [one] => lines.push(format!("{name}: {}", place(one))),
            [first, rest @ ..] => lines.push(format!(
                "{name}: {}; {} more, which an object file lists",
                place(first),
                rest.len()
            )),
        }
    }
    lines
}

/// A place in machine code that needs an address.
fn place(relocation: &Relocation) -> String {
    let Relocation {
        offset,
        symbol,
        kind,
    } = relocation;
    let bits = kind.bytes() * 8;
    let part = match kind {
        RelocationKind::AddressHigh => "the upper half of ",
        _ => "",
    };
    format!("the {bits} bits at offset {offset:#x} need {part}the address of {symbol}")
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
    for kernel in module.parts() {
        for (stage, dump) in &kernel.dumps {
            out.push_str(&format!(
                "// {}: {}\n{}\n",
                kernel.name,
                stage.name(),
                dump.trim_end()
            ));
        }
    }
    out
}
