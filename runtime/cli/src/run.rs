//! `kiln run`: executes a kernel's machine code on the host.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

use kiln_compile::info;
use kiln_compile::{Options, Session, Tier};
use kiln_emit::platform::{self, Platform};
use kiln_emit::zebin::{FUNCTIONS, Zebin, is_object};
use kiln_exec::launch::{
    Description, FileError, LoadError, Source, Spec, check_types, compare, parse_spec,
};
use kiln_exec::picture;
use kiln_exec::{Arg, Engine, Launch, Options as ExecOptions, Program, RunError, Stats, Trace};
use miette::{Report, miette};

use super::exit::{self, Exit};
use super::grfs::GrfArgs;
use super::input::{self, Input};
use super::object;
use super::output::{self, Outputs, is_standard, plain, print_error};
use super::platforms::Machine;
use super::progress::with_bar;
use super::run_stats::{self, Checked, RunStats};
use super::translate::Host;
use super::{Format, chosen_kernel, report, tier_parser};

const ABOUT: &str = "\
Execute a kernel's machine code on the host

A SPEC stands for one argument of the kernel, in their order:

  buf:FILE             a buffer with the file's contents
  zero:BYTES           a buffer of zeroes
  buf:FILE>OUT         the same two, written to OUT afterwards; if
  zero:BYTES>OUT       OUT ends in .png, as a picture of RGBA8 pixels
                       as wide as the first global size
  i32:VALUE            a number: i8 u8 i16 u16 f16 i32 u32 f32 i64 u64 f64
  bytes:HEX            a vector or structure
  local:BYTES          shared local memory
  image2d:FORMAT:WxH:FILE[>OUT]
                       an image with the texels of the file, rows from
                       the top, or with the pixels of a PNG; of zeroes
                       if FILE is empty. OUT may be a .png, too.
                       FORMAT: r a rg ra rgba bgra argb abgr, and then
                       8unorm 8snorm 8uint 8sint 16unorm 16snorm 16uint
                       16sint 16float 32uint 32sint 32float
  image1d:FORMAT:W:..., image1d_buffer:FORMAT:W:...,
  image1d_array:FORMAT:WxN:..., image2d_array:FORMAT:WxHxN:...,
  image3d:FORMAT:WxHxD:..., image2d_msaa:FORMAT:WxHxS:...,
  cube:FORMAT:WxWx6:...
                       images of other kinds; N layers, S samples
  sampler:FLAGS        a sampler; FLAGS, with commas between:
                       unnormalized* or normalized;
                       edge*, clamp, repeat or mirror;
                       nearest* or linear (* if none is given)";

#[derive(Debug, clap::Args)]
#[command(long_about = ABOUT, after_help = EXAMPLES, after_long_help = LAUNCH_FILE.to_string() + EXAMPLES)]
pub struct Args {
    /// Zebin, or vISA, LLVM IR or SPIR-V for GenX, which is compiled first; `-` for standard input
    program: PathBuf,
    /// Kernel to run [default: the only one]
    #[arg(long, value_name = "NAME", conflicts_with = "launch")]
    kernel: Option<String>,
    /// Work-items in each dimension, X[,Y[,Z]]
    #[arg(long, value_name = "X,Y,Z", value_parser = sizes, required_unless_present = "launch", conflicts_with = "launch")]
    global: Option<Sizes>,
    /// Work-items of a group in each dimension, X[,Y[,Z]]
    #[arg(long, value_name = "X,Y,Z", value_parser = sizes, required_unless_present = "launch", conflicts_with = "launch")]
    local: Option<Sizes>,
    /// The kernel's next argument
    #[arg(long = "arg", value_name = "SPEC", conflicts_with = "launch")]
    args: Vec<String>,
    /// Read the launch from a file, and compare results with the files it names
    #[arg(long, value_name = "FILE")]
    launch: Option<PathBuf>,
    /// Zebin or .ze_info document with the argument layout of the vISA
    #[arg(long, value_name = "FILE")]
    info: Option<PathBuf>,
    /// Interface of the kernels of the vISA (docs/object-files.md); without it and --info, each .input is taken for an
    /// argument, in the order of declaration
    #[arg(long, value_name = "FILE", conflicts_with = "info")]
    interface: Option<PathBuf>,
    /// Platform to execute as [default: as a zebin says, else skl]
    #[arg(short, long, value_parser = Machine)]
    platform: Option<&'static Platform>,
    #[command(flatten)]
    grfs: GrfArgs,
    /// Optimization of vISA: 0 for short compile times, 2 for fast code
    #[arg(short = 'O', long, value_name = "LEVEL", value_parser = tier_parser(), default_value = "2")]
    optimize: Tier,
    /// Number of host threads that execute groups [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Maximum number of instructions executed in all groups together
    #[arg(long, value_name = "N", default_value_t = Launch::BUDGET)]
    budget: u64,
    /// Maximum number of bytes of all arguments together
    #[arg(long, value_name = "BYTES", default_value_t = MEMORY)]
    memory: u64,
    /// Stop where code reads a register that nothing has written; takes about twice the time
    #[arg(long)]
    check: bool,
    /// Execute as hardware may: what it leaves undefined stops or has its worst effect; takes many times the time, with
    /// the interpreter
    #[arg(long)]
    hardware: bool,
    /// The part that executes instructions: the interpreter, or code of the host where that is possible
    #[arg(long, value_name = "ENGINE", value_enum, default_value_t = EngineName::Auto)]
    engine: EngineName,
    /// Features of the host that code may use [default: all that it has]
    #[arg(long, value_name = "FEATURES", value_enum)]
    host: Option<Host>,
    /// Print each instruction with the values it writes, for all threads, for a group (a number, counted along x
    /// first), or for a thread of a group
    #[arg(long, value_name = "GROUP[:THREAD]", num_args = 0..=1, require_equals = true, value_parser = traced)]
    trace: Option<Option<Traced>>,
    /// Print execution counts by kind of instruction and message, or write them as --json does
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true)]
    stats: Option<Option<PathBuf>>,
    /// Write the results and all execution counts as JSON, `-` for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Bytes of arguments that are allowed if the command line does not say.
const MEMORY: u64 = 8 << 30;

/// Engines by their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum EngineName {
    /// Code of the host, once it pays
    Auto,
    /// The interpreter
    Interpret,
    /// Code of the host, where it has AVX-512 or AVX2
    Translate,
    /// Both, compared all along
    Both,
}

impl EngineName {
    fn engine(self) -> Engine {
        match self {
            EngineName::Auto => Engine::Auto,
            EngineName::Interpret => Engine::Interpret,
            EngineName::Translate => Engine::Translate,
            EngineName::Both => Engine::Both,
        }
    }
}

const EXAMPLES: &str = "\
Examples:
  kiln run examples/saxpy/saxpy.zebin --launch examples/saxpy/launch.yaml
  kiln run examples/saxpy/saxpy.visaasm --info examples/saxpy/saxpy.zebin --global 1024 --local 64 \
--arg buf:examples/saxpy/x.bin --arg 'buf:examples/saxpy/y.bin>y.bin' --arg f32:2.5 --arg u32:1003";

/// The format of [`Description`] for the help.
const LAUNCH_FILE: &str = "\
Launch files:
  YAML with four keys; file names count from the folder that it is in.

    kernel: saxpy
    global: [1024]          work-items in each of 1 to 3 dimensions
    local: [64]             as many numbers
    args:                   in the order of the kernel's arguments
      - {buf: x.bin}
      - {buf: y.bin, expect: expect_y.bin, type: f32, ulp: 4}
      - {f32: 2.5}
      - {zero: 4096, expect: expect_out.bin, type: u32}

  An argument is one of the SPECs above, as `KIND: VALUE` (no `>OUT`). What the
  memory of one must hold afterwards, it says with
    expect: FILE            bytes to compare with
    type: TYPE              of the numbers, as of a SPEC: integers must be equal
    ulp: N                  floats may differ by N units in the last place,
    abs: X                  or by X

";

/// The threads that are traced.
#[derive(Clone, Copy, Debug)]
struct Traced {
    group: u64,
    thread: Option<u32>,
}

fn traced(text: &str) -> Result<Traced, String> {
    let (group, thread) = match text.split_once(':') {
        Some((group, thread)) => (group, Some(thread)),
        None => (text, None),
    };
    let thread = thread.map(|t| {
        t.parse()
            .map_err(|_| format!("`{t}` is no thread's number"))
    });
    Ok(Traced {
        group: group
            .parse()
            .map_err(|_| format!("`{group}` is no group's number"))?,
        thread: thread.transpose()?,
    })
}

/// Sizes of up to three dimensions; missing ones are 1.
#[derive(Clone, Copy, Debug)]
struct Sizes {
    sizes: [u32; 3],
    dimensions: u32,
}

fn sizes(text: &str) -> Result<Sizes, String> {
    let mut sizes = Sizes {
        sizes: [1; 3],
        dimensions: 0,
    };
    for part in text.split(',') {
        let size = sizes.sizes.get_mut(sizes.dimensions as usize);
        let size = size.ok_or("more than three dimensions")?;
        *size = part
            .parse()
            .map_err(|_| format!("`{part}` is no number of work-items"))?;
        sizes.dimensions += 1;
    }
    Ok(sizes)
}

/// A launch, from the command line or a file.
struct Plan {
    kernel: Option<String>,
    global: Sizes,
    local: [u32; 3],
    args: Vec<Arg>,
    results: Results,
}

/// Use of the buffers after the run.
enum Results {
    /// Results are written to files.
    Write(Vec<Spec>),
    /// Results are compared with expected contents; file names are relative to the folder.
    Check(Description, PathBuf),
}

impl Results {
    /// Sources of the arguments, in order.
    fn sources(&self) -> Vec<&Source> {
        match self {
            Results::Write(specs) => specs.iter().map(|spec| &spec.source).collect(),
            Results::Check(description, _) => {
                description.args.iter().map(|arg| &arg.source).collect()
            }
        }
    }
}

/// Runs the command.
///
/// # Errors
/// The reason why the kernel did not run, or the results that differ.
pub fn run(args: &Args, format: Format) -> Result<Exit, Report> {
    let plan = match &args.launch {
        Some(path) => described(path, args.memory)?,
        None => given(args)?,
    };
    let input = Input::open(&args.program)?;
    let platform = platform(args, &input)?;
    let (zebin, kernel) = program(args, &input, platform, plan.kernel.as_deref())?;
    let code = Program::from_zebin(&zebin, &kernel, platform)
        .map_err(|e| report::file(&input.path, &e))?;
    check_types(plan.results.sources(), zebin.ze_info.args_info(&kernel))
        .map_err(|e| wrong_arguments(args, &format!("{}: {kernel}: {e}", input.name)))?;
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: &kernel,
        global: plan.global.sizes,
        local: plan.local,
        dimensions: plan.global.dimensions,
        args: plan.args,
        budget: args.budget,
    };
    let out = Mutex::new(BufWriter::new(std::io::stdout()));
    let trace = args.trace.map(|traced| Trace {
        out: &out,
        group: traced.map(|t| t.group),
        thread: traced.and_then(|t| t.thread),
    });
    if let (Some(_), Results::Write(specs)) = (&trace, &plan.results)
        && specs
            .iter()
            .filter_map(|s| s.out.as_deref())
            .any(is_standard)
    {
        return Err(report::usage(format_args!(
            "a trace and a buffer are both to go to standard output"
        )));
    }
    if args.host == Some(Host::Avx2) {
        kiln_exec::translate::Host::leave_out_avx512();
    }
    if matches!(args.engine, EngineName::Translate | EngineName::Both)
        && !args.engine.engine().translates(&code)
    {
        print_error("this host does not execute translated code: the kernel is interpreted\n");
    }
    let groups = groups(&launch);
    let clock = Instant::now();
    let stats = with_bar(groups, "groups", |done| {
        let options = ExecOptions {
            threads: args.threads.map_or(0, usize::from),
            check: args.check,
            hardware: args.hardware,
            engine: args.engine.engine(),
            trace: trace.as_ref(),
            done: Some(&done.things),
            executed: Some(&done.instructions),
            ..ExecOptions::default()
        };
        launch.run_with(&code, &options)
    });
    let seconds = clock.elapsed().as_secs_f64();
    // A reader that has gone away is no failure.
    let _ = out.lock().map(|mut out| out.flush());
    let stats = stats.map_err(|e| {
        let said = format!("{}: {kernel}: {e}", input.name);
        match e {
            RunError::Bind(_) => wrong_arguments(args, &said),
            _ => miette!("{}", plain(&said)),
        }
    })?;
    let mut figures = figures(&kernel, &stats, seconds);
    let read = [
        Some(&args.program),
        args.info.as_ref(),
        args.interface.as_ref(),
        args.launch.as_ref(),
    ];
    let mut outputs = Outputs::new(read.into_iter().flatten().map(PathBuf::as_path));
    let results = match &plan.results {
        Results::Write(specs) => {
            write(&mut outputs, specs, &launch.args, plan.global.sizes[0])?;
            Vec::new()
        }
        Results::Check(description, dir) => check(description, &launch.args, dir)?,
    };
    let (wrong, checked) = (results.iter().filter(|r| !r.pass).count(), results.len());
    let taken = outputs.stdout_taken();
    let lines = results.iter().map(Checked::line);
    let text: String = std::iter::once(stats.printed.clone())
        .chain(lines)
        .collect();
    let document = RunStats::new(&kernel, &stats, seconds, results);
    let named = args.stats.iter().flatten().chain(&args.json);
    for path in named {
        outputs.json(path, &document)?;
    }
    if args.stats == Some(None) {
        figures.push_str(&run_stats::table(&stats));
    }
    outputs.report(format, &document, || text + &figures)?;
    outputs.write()?;
    if taken && format == Format::Text {
        print_error(&figures);
    }
    if wrong > 0 {
        // The results are written.
        let wrong = report::file(
            &args.program,
            &format_args!("{kernel}: {wrong} of {checked} buffers are wrong"),
        );
        return Ok(exit::say(&[wrong]));
    }
    Ok(Exit::Done)
}

/// An error in the arguments of a kernel: in the command line, or in the launch file.
fn wrong_arguments(args: &Args, said: &str) -> Report {
    match &args.launch {
        Some(launch) => report::file(launch, &said),
        None => report::usage(said),
    }
}

/// An error in making an argument of a file.
fn unloaded(error: LoadError) -> Report {
    match error {
        LoadError::File(FileError { path, error }) => report::access(&path, &error),
        LoadError::Texels { .. } | LoadError::PictureSize { .. } | LoadError::Picture { .. } => {
            report::contents(&error)
        }
    }
}

/// Number of groups of a launch; the sizes are checked later, when it runs.
fn groups(launch: &Launch) -> u64 {
    let count = |(&global, &local): (&u32, &u32)| u64::from(global) / u64::from(local.max(1));
    let counts = launch.global.iter().zip(&launch.local).map(count);
    counts.fold(1, u64::saturating_mul)
}

/// The launch given by the command line.
fn given(args: &Args) -> Result<Plan, Report> {
    let (Some(global), Some(local)) = (args.global, args.local) else {
        return Err(report::usage(format_args!(
            "--global and --local are needed"
        )));
    };
    if global.dimensions != local.dimensions {
        return Err(report::usage(format_args!(
            "--global has {} dimensions, --local has {}: as many are expected",
            global.dimensions, local.dimensions
        )));
    }
    let specs = args.args.iter().map(|spec| parse_spec(spec));
    let specs = specs
        .collect::<Result<Vec<_>, _>>()
        .map_err(report::usage)?;
    let here = Path::new("");
    within(
        args.memory,
        specs.iter().map(|spec| spec.source.bytes(here)),
    )?;
    let loaded = specs.iter().map(|spec| spec.source.load(here));
    let loaded = loaded.collect::<Result<_, _>>().map_err(unloaded)?;
    Ok(Plan {
        kernel: args.kernel.clone(),
        global,
        local: local.sizes,
        args: loaded,
        results: Results::Write(specs),
    })
}

/// Checks that arguments of these sizes in bytes fit a limit on all of them.
fn within(limit: u64, sizes: impl Iterator<Item = u64>) -> Result<(), Report> {
    let all = sizes.fold(0, u64::saturating_add);
    match all > limit {
        true => Err(report::usage(format_args!(
            "the arguments have {all} bytes, and --memory allows {limit}"
        ))),
        false => Ok(()),
    }
}

/// The launch given by a file, with a limit on the bytes of its arguments.
fn described(path: &Path, memory: u64) -> Result<Plan, Report> {
    let input = Input::open(path)?;
    let yaml = std::str::from_utf8(&input).map_err(|e| report::file(path, &e))?;
    let description = Description::parse(yaml).map_err(|e| report::file(path, &e))?;
    let dir = path.parent().unwrap_or(Path::new("")).to_path_buf();
    within(
        memory,
        description.args.iter().map(|arg| arg.source.bytes(&dir)),
    )?;
    Ok(Plan {
        kernel: Some(description.kernel.clone()),
        global: Sizes {
            sizes: description.global,
            dimensions: description.dimensions,
        },
        local: description.local,
        args: description.load_args(&dir).map_err(unloaded)?,
        results: Results::Check(description, dir),
    })
}

/// The platform of the program.
fn platform(args: &Args, input: &Input) -> Result<&'static Platform, Report> {
    if let Some(platform) = args.platform {
        return Ok(platform);
    }
    if is_object(input) {
        let zebin = Zebin::parse(input).map_err(|e| report::file(&input.path, &e))?;
        return Ok(info::platform_of(&zebin).unwrap_or(&platform::SKL));
    }
    Ok(&platform::SKL)
}

/// The object file to run, and the name of the kernel in it.
fn program(
    args: &Args,
    input: &Input,
    platform: &'static Platform,
    kernel: Option<&str>,
) -> Result<(Zebin, String), Report> {
    let zebin = if is_object(input) {
        if args.info.is_some() || args.interface.is_some() || args.grfs.is_given() {
            return Err(report::usage(format_args!(
                "{}: an object file: --info, --interface and --grf-limit are for vISA, which is finalized first",
                input.name
            )));
        }
        info::zebin(input, platform).map_err(|e| report::file(&input.path, &e))?
    } else {
        let given = match (&args.info, &args.interface) {
            (Some(path), _) => Some(input::info(path, platform)?),
            (None, Some(path)) => Some(object::interface(path)?),
            (None, None) => None,
        };
        let options = Options::new(platform).tier(args.optimize);
        let mut session = Session::new(args.grfs.applied(options));
        if let Some(kernel) = kernel {
            session = session.only(kernel);
        }
        let module = session.compile_module(&[input.source()]);
        let module = module.map_err(|e| report::failure(std::slice::from_ref(input), &e))?;
        let warnings = module.warnings.iter();
        let mut warnings: Vec<_> = warnings.map(|w| report::genx_warning(input, w)).collect();
        let (path, info) = match given {
            Some(given) => given,
            None => {
                let guessed = object::guessed(&module);
                warnings.extend(guessed.map(|said| report::warning(&said)));
                (&*input.path, object::guess(&input.path, &module)?)
            }
        };
        warnings.iter().for_each(output::say);
        let zebin = session.object_file(&module, info);
        let mut zebin = zebin.map_err(|e| report::file(path, &e))?;
        // Kernels that only --info has are not part of the program.
        zebin.kernels.retain(|text| {
            text.name == FUNCTIONS || module.kernels.iter().any(|k| k.name == text.name)
        });
        zebin
    };
    let chosen = chosen_kernel(input, &zebin, kernel)?;
    Ok((zebin, chosen))
}

/// Adds the buffers that are written to files.
fn write(outputs: &mut Outputs, specs: &[Spec], args: &[Arg], width: u32) -> Result<(), Report> {
    for (spec, arg) in specs.iter().zip(args) {
        let (Some(path), Some(bytes)) = (&spec.out, arg.memory()) else {
            continue;
        };
        let is_png = path.extension().is_some_and(|e| e == "png");
        let bytes = match arg {
            Arg::Image(image) if is_png => picture::image_png(image),
            _ if is_png => picture::png(bytes, width),
            _ => Ok(bytes.to_vec()),
        };
        let bytes = bytes.map_err(|e| report::file(path, &e))?;
        outputs.add(path, bytes)?;
    }
    Ok(())
}

/// Compares the buffers with their expected contents.
fn check(description: &Description, args: &[Arg], dir: &Path) -> Result<Vec<Checked>, Report> {
    let mut results = Vec::new();
    for (described, arg) in description.args.iter().zip(args) {
        let (Some(expect), Some(found)) = (&described.expect, arg.memory()) else {
            continue;
        };
        let path = dir.join(&expect.file);
        let expected = std::fs::read(&path).map_err(|e| report::access(&path, &e))?;
        let mismatch = compare(&expected, found, expect.tolerance).err();
        results.push(Checked {
            expect: expect.file.display().to_string(),
            pass: mismatch.is_none(),
            mismatch: mismatch.map(|mismatch| mismatch.to_string()),
        });
    }
    Ok(results)
}

/// One line of figures of the run.
fn figures(kernel: &str, stats: &Stats, seconds: f64) -> String {
    let Stats {
        groups,
        threads,
        instructions,
        messages,
        ..
    } = stats;
    let rate = *instructions as f64 / seconds.max(f64::MIN_POSITIVE) / 1e6;
    format!(
        "{kernel}: {groups} groups, {threads} threads, {instructions} Gen instructions, {messages} \
         messages, {seconds:.6} s, {rate:.3} M instr/s\n"
    )
}
