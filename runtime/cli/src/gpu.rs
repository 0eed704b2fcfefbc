//! `kiln gpu`: a program on a virtual device below the driver.

use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::builder::{PossibleValue, TypedValueParser};
use clap::error::ErrorKind;
use kiln_gpu::{DEVICES, Device, Doors, Settings, Tbx, program, record, report as told};
use miette::Report;

use super::exit::Exit;
use super::gpu_code::Compiler;
use super::platforms::Machine;
use super::{gpu_both, output, report};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln gpu -p lnl -- clinfo
  kiln gpu -p lnl --driver ~/sid -- python3 program.py
  kiln gpu -p skl -- clinfo
  kiln gpu -p skl --listen 4321")]
pub struct Args {
    /// Platform of the device
    #[arg(short, long, value_parser = Devices, default_value = "lnl")]
    platform: &'static Device,
    /// Root of a system with the driver, such as unpacked packages of it [default: the driver that is installed]
    #[arg(long, value_name = "DIR")]
    driver: Option<PathBuf>,
    /// Report reads of undefined registers as faults, and the kernel and line of each fault; takes several times as long
    #[arg(long)]
    check: bool,
    /// Maximum number of instructions of a launch: more are a fault, as of a kernel that never ends [default: no limit]
    #[arg(long, value_name = "N")]
    budget: Option<u64>,
    /// List the commands that the driver gives to the device
    #[arg(long)]
    commands: bool,
    /// Serve drivers that speak to a simulator, on this port of loopback, until ended: skl, icllp and tgllp
    #[arg(long, value_name = "PORT")]
    listen: Option<u16>,
    /// Serve a driver that speaks to a simulator also where the device has another door: tgllp
    #[arg(long, conflicts_with = "listen")]
    simulator: bool,
    /// Take Kiln for the finalizer of the driver's compiler; at the end a line says how many kernels it compiled
    #[arg(long, conflicts_with = "listen")]
    finalize: bool,
    /// Keep each launch in a folder of its own below DIR, as an object file, a launch file and buffers, for `kiln run`
    #[arg(long, value_name = "DIR", conflicts_with = "listen")]
    record: Option<PathBuf>,
    /// Execute each launch that can be recorded with Kiln's code as well, and compare what both leave in its buffers
    #[arg(long, conflicts_with_all = ["listen", "finalize"])]
    both: bool,
    /// The library to preload [default: beside this program]
    #[arg(long, value_name = "FILE")]
    library: Option<PathBuf>,
    /// Program and its arguments
    #[arg(
        last = true,
        required_unless_present = "listen",
        conflicts_with = "listen",
        value_name = "PROGRAM"
    )]
    program: Vec<OsString>,
}

/// Parses the name of a platform that there is a device of.
#[derive(Clone)]
struct Devices;

impl TypedValueParser for Devices {
    type Value = &'static Device;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<&'static Device, clap::Error> {
        let name = Machine.parse_ref(command, argument, value)?.name;
        Device::find(name).ok_or_else(|| {
            let names: Vec<_> = DEVICES.iter().map(|device| device.platform).collect();
            let what = format!("there is no device of {name}, but of {}", names.join(", "));
            command.clone().error(ErrorKind::InvalidValue, what)
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let all = Machine.possible_values()?;
        Some(Box::new(
            all.filter(|value| Device::find(value.get_name()).is_some()),
        ))
    }
}

/// Name of the library that programs are given.
const LIBRARY: &str = "libkiln_gpu_preload.so";
/// Variable with folders that libraries are searched in first.
const SEARCH: &str = "LD_LIBRARY_PATH";
/// Variables by which the driver copies buffers by the copy engine, whose rows are moved whole, instead of by kernels. The last is for buffers in the
/// device's own memory.
const COPIES: [(&str, &str); 3] = [
    ("NEOReadDebugKeys", "1"),
    ("EnableBlitterForEnqueueOperations", "1"),
    ("PreferCopyEngineForCopyBufferToBuffer", "1"),
];
/// Variable by which the driver copies images by kernels all the same, as it does by itself for a device without memory of its own. With the copy engine it
/// takes bytes of an address for texels, and leaves wrong texels of 8 and 16 bits where a mapped part begins at no multiple of 4 bytes.
const IMAGES: (&str, &str) = ("EnableBlitterForEnqueueImageOperations", "0");
/// Variables by which a driver of a simulator copies buffers itself where a program waits for it, instead of by kernels. It fetches all memory of a launch
/// when that has ended; where a program's part of a copy is constant memory, the fetch fails, and all later ones of the connection with it.
const HOST_COPIES: [(&str, &str); 2] = [
    ("DoCpuCopyOnReadBuffer", "1"),
    ("DoCpuCopyOnWriteBuffer", "1"),
];
/// Places of a system's libraries, loader, and OpenCL and Level Zero drivers below its root.
const LIBRARIES: &str = "usr/lib/x86_64-linux-gnu";
const LOADER: &str = "lib64/ld-linux-x86-64.so.2";
const OPENCL: &str = "usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so";
const LEVEL_ZERO: &str = "usr/lib/x86_64-linux-gnu/libze_intel_gpu.so.1";

/// Runs the command.
///
/// # Errors
/// There is no such device, program or library.
pub fn gpu(args: &Args) -> Result<Exit, Report> {
    let device = args.platform;
    if let Some(port) = args.listen {
        return listen(args, device, port);
    }
    let folder = tempfile::tempdir().map_err(|e| report::access(&std::env::temp_dir(), &e))?;
    let folder = folder.path();
    let watch = Watch::new(args, folder)?;
    let exit = match device.doors == Doors::Simulator || args.simulator {
        true => simulated(args, device, folder, &watch)?,
        false => preloaded(args, device, folder, &watch)?,
    };
    if let Some(summary) = watch.compiler.as_ref().and_then(Compiler::summary) {
        eprintln!("kiln gpu: {summary}");
    }
    match watch.records.filter(|_| args.both) {
        Some(records) if !gpu_both::compare(&records, device)? => Ok(Exit::Wrong),
        _ => Ok(exit),
    }
}

/// Folders that keep a program's object files and launches, and the compiler that makes the files.
struct Watch {
    /// Folder of the object files, if they are needed.
    objects: Option<PathBuf>,
    /// Folder of the records, if there are any.
    records: Option<PathBuf>,
    /// Kiln in the place of the driver's compiler, if object files are needed or replaced.
    compiler: Option<Compiler>,
}

impl Watch {
    fn new(args: &Args, folder: &Path) -> Result<Watch, Report> {
        let records = match (&args.record, args.both) {
            (None, false) => None,
            (Some(given), _) => Some(made(given)?),
            (None, true) => Some(made(&folder.join("records"))?),
        };
        let is_watched = args.check || records.is_some();
        let objects =
            is_watched.then(|| records.as_deref().unwrap_or(folder).join(record::OBJECTS));
        if let Some(objects) = &objects {
            std::fs::create_dir_all(objects).map_err(|e| report::access(objects, &e))?;
        }
        let is_needed = args.finalize || records.is_some();
        let compiler = (is_needed || is_watched)
            .then(|| Compiler::new(folder, objects.clone(), args.finalize));
        let compiler = match compiler {
            // A check tells a kernel's address where it cannot tell the name.
            Some(Err(_)) if !is_needed => None,
            compiler => compiler.transpose()?,
        };
        Ok(Watch {
            objects: objects.filter(|_| compiler.is_some()),
            records,
            compiler,
        })
    }

    /// Tells a program's driver of the compiler, below a root or the system's.
    fn tell(&self, command: &mut Command, root: Option<&Path>) {
        let Some(compiler) = &self.compiler else {
            return;
        };
        if root.is_none() {
            let others = std::env::var_os(SEARCH).unwrap_or_default();
            command.env(SEARCH, compiler.before(others));
        }
        let libraries = root.map(|root| root.join(LIBRARIES));
        compiler.tell(command, libraries.as_deref());
    }
}

/// Runs a program with the library that answers the kernel's calls.
fn preloaded(
    args: &Args,
    device: &'static Device,
    folder: &Path,
    watch: &Watch,
) -> Result<Exit, Report> {
    let library = library(args.library.as_deref())?;
    let sums = folder.join("sums");
    let mut command = match &args.driver {
        Some(root) => {
            let first = watch.compiler.as_ref();
            below(root, Some(&library), &args.program, folder, first)?
        }
        None => {
            let mut command = Command::new(&args.program[0]);
            command.args(&args.program[1..]).env("LD_PRELOAD", &library);
            command
        }
    };
    watch.tell(&mut command, args.driver.as_deref());
    let images = (device.local == 0).then_some(IMAGES);
    set_unset(&mut command, COPIES.into_iter().chain(images));
    command
        .env("KILN_GPU", device.platform)
        .env("KILN_GPU_REPORT", &sums);
    if args.check {
        command.env("KILN_GPU_CHECK", "1");
    }
    if let Some(budget) = args.budget {
        command.env("KILN_GPU_BUDGET", budget.to_string());
    }
    if let Some(objects) = &watch.objects {
        command.env("KILN_GPU_OBJECTS", objects);
    }
    if args.commands {
        command.env("KILN_GPU_COMMANDS", "1");
    }
    if let Some(records) = &watch.records {
        command.env("KILN_GPU_RECORD", records);
    }
    let exit = run(command, &args.program[0])?;
    let all = std::fs::read_to_string(&sums).unwrap_or_default();
    let is_faulty = all.lines().any(|line| line == told::FAULT);
    if all.is_empty() {
        output::say(&report::warning(
            "no driver used the device: one that speaks the xe interface is needed (intel-opencl-icd 24.39 or later), installed or by --driver",
        ));
    }
    let sums = all
        .lines()
        .filter(|line| ![told::USED, told::FAULT].contains(line));
    sums.for_each(|line| eprintln!("kiln gpu: {line}"));
    Ok(with_faults(exit, is_faulty))
}

/// Sets variables of a program's that are not set.
fn set_unset(
    command: &mut Command,
    variables: impl IntoIterator<Item = (&'static str, &'static str)>,
) {
    for (name, value) in variables {
        if std::env::var_os(name).is_none() {
            command.env(name, value);
        }
    }
}

/// The exit of a program whose kernels may have had faults: it may not have asked for them, or hide them.
fn with_faults(exit: Exit, is_faulty: bool) -> Exit {
    match exit {
        Exit::Done if is_faulty => Exit::Wrong,
        exit => exit,
    }
}

/// A folder for records, with one for object files.
fn made(records: &Path) -> Result<PathBuf, Report> {
    let made = std::fs::create_dir_all(records.join(record::OBJECTS));
    made.and_then(|()| records.canonicalize())
        .map_err(|e| report::access(records, &e))
}

/// Exit code of a program that a signal ends, without the signal's number: that of shells.
const BY_SIGNAL: i32 = 128;

/// Runs a program to its end.
fn run(mut command: Command, program: &OsStr) -> Result<Exit, Report> {
    let status = command
        .status()
        .map_err(|e| report::access(Path::new(program), &e))?;
    let by_signal = || BY_SIGNAL + status.signal().unwrap_or(0);
    Ok(match status.code().unwrap_or_else(by_signal) {
        0 => Exit::Done,
        code => Exit::Other(code as u8),
    })
}

/// A server of simulated devices.
fn server(args: &Args, device: &'static Device, port: u16) -> Result<(Tbx, u16), Report> {
    if device.doors == Doors::Kernel {
        let what = format!("no driver speaks to a simulator of {}", device.platform);
        return Err(report::usage(what));
    }
    let settings = Settings {
        check: args.check,
        budget: args.budget.unwrap_or(u64::MAX),
        commands: args.commands,
        ..Settings::default()
    };
    let failed = |e| report::usage(format!("port {port} of loopback: {e}"));
    let server = Tbx::new(port, device, settings).map_err(failed)?;
    let port = server.port().map_err(failed)?;
    Ok((server, port))
}

/// Serves simulated devices until the program is ended.
fn listen(args: &Args, device: &'static Device, port: u16) -> Result<Exit, Report> {
    let (server, port) = server(args, device, port)?;
    let copies = HOST_COPIES.map(|(name, value)| (name, value.to_string()));
    let all = simulator(device, port).into_iter().chain(copies);
    let environment: Vec<_> = all.map(|(name, value)| format!("{name}={value}")).collect();
    println!("{}", environment.join(" "));
    let failed = |e| report::usage(format!("port {port} of loopback: {e}"));
    server.serve().map_err(failed)?;
    Ok(Exit::Done)
}

/// Variables by which a driver speaks to a simulator (its debug keys).
fn simulator(device: &Device, port: u16) -> [(&'static str, String); 4] {
    [
        ("NEOReadDebugKeys", "1".to_string()),
        ("SetCommandStreamReceiver", "2".to_string()),
        ("ProductFamilyOverride", device.platform.to_string()),
        ("TbxPort", port.to_string()),
    ]
}

/// Runs a program on a device that this process simulates.
fn simulated(
    args: &Args,
    device: &'static Device,
    folder: &Path,
    watch: &Watch,
) -> Result<Exit, Report> {
    let (server, port) = server(args, device, 0)?;
    if let Some(objects) = &watch.objects {
        record::with(objects, watch.records.clone());
    }
    // The server runs until the process ends.
    std::thread::spawn(move || server.serve());
    // Programs of one thread need no library.
    let library = library(args.library.as_deref()).ok();
    let mut command = match &args.driver {
        Some(root) => {
            let first = watch.compiler.as_ref();
            below(root, library.as_deref(), &args.program, folder, first)?
        }
        None => {
            let mut command = Command::new(&args.program[0]);
            command.args(&args.program[1..]);
            if let Some(library) = library {
                command.env("LD_PRELOAD", library);
            }
            let root = Path::new("/");
            command.env("OCL_ICD_VENDORS", vendors(&root.join(OPENCL), folder)?);
            command
        }
    };
    watch.tell(&mut command, args.driver.as_deref());
    command
        .envs(simulator(device, port))
        .env("KILN_GPU_PORT", port.to_string());
    set_unset(&mut command, HOST_COPIES);
    let exit = with_faults(run(command, &args.program[0])?, told::faults() > 0);
    match told::summary() {
        Some(sums) => eprintln!("kiln gpu: {sums}"),
        None => output::say(&report::warning(
            "no driver used the device: one that speaks to a simulator of it is needed (intel-opencl-icd 22.43, as in Debian bookworm), installed or by --driver",
        )),
    }
    Ok(exit)
}

/// The library to preload.
fn library(given: Option<&Path>) -> Result<PathBuf, Report> {
    let beside = || {
        let program = std::env::current_exe().ok()?;
        let folder = program.parent()?;
        let places = [folder.join(LIBRARY), folder.join("../lib").join(LIBRARY)];
        places.into_iter().find(|path| path.exists())
    };
    let Some(path) = given.map(Path::to_path_buf).or_else(beside) else {
        let what = format!(
            "{LIBRARY} is not beside this program: build it (cargo build --release -p kiln-gpu-preload), or name it by --library"
        );
        return Err(report::usage(what));
    };
    path.canonicalize().map_err(|e| report::access(&path, &e))
}

/// A program with the loader, libraries and drivers below a root.
fn below(
    root: &Path,
    library: Option<&Path>,
    words: &[OsString],
    folder: &Path,
    compiler: Option<&Compiler>,
) -> Result<Command, Report> {
    let root = root.canonicalize().map_err(|e| report::access(root, &e))?;
    let (loader, opencl, level_zero) =
        (root.join(LOADER), root.join(OPENCL), root.join(LEVEL_ZERO));
    if !loader.exists() || !opencl.exists() {
        let what = format!(
            "{}: neither {LOADER} nor {OPENCL} may be missing in a root with the driver",
            root.display()
        );
        return Err(report::usage(what));
    }
    let vendors = vendors(&opencl, folder)?;
    let mut path = root.join(LIBRARIES).into_os_string();
    path.push(":/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu");
    if let Some(compiler) = compiler {
        path = compiler.before(path);
    }
    let mut command = Command::new(&loader);
    command.arg("--library-path").arg(&path);
    if let Some(library) = library {
        // For programs that this one starts, also where one without the loader is between.
        let mut line = loader.into_os_string();
        for word in [OsStr::new("--library-path"), &path] {
            line.push("\n");
            line.push(word);
        }
        command
            .env(program::LOADER, line)
            .env("LD_PRELOAD", library);
    }
    command.env("OCL_ICD_VENDORS", &vendors);
    if level_zero.exists() {
        command.env("ZE_ENABLE_ALT_DRIVERS", level_zero);
    }
    // The loader runs programs, not scripts.
    let file = program::find(&words[0]);
    command
        .args(program::interpreter(&file))
        .arg(file)
        .args(&words[1..]);
    Ok(command)
}

/// A file that names the only OpenCL driver.
fn vendors(driver: &Path, folder: &Path) -> Result<PathBuf, Report> {
    let path = folder.join("intel.icd");
    let written =
        std::fs::File::create(&path).and_then(|mut file| writeln!(file, "{}", driver.display()));
    written.map_err(|e| report::access(&path, &e))?;
    Ok(path)
}
