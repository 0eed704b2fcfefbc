//! Compiles kernels with the reference compiler, its vISA with ours, and executes both.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use kiln_compile::info::Info;
use kiln_compile::source::Input;
use kiln_compile::{Options, Session, Tier};
use kiln_emit::platform::Platform;
use kiln_emit::zebin::{FUNCTIONS, Zebin};
use kiln_exec::{Arg, Buffer, Launch};

use crate::generate::{input, shared};
use crate::program::{INPUT, Program, Range, SLOT, Type};

/// Limit on the instructions of a launch.
const BUDGET: u64 = 1 << 24;
/// Time limit of the reference compiler for a file, and its increase for each kernel in it.
const TIMEOUT: Duration = Duration::from_secs(30);
const TIMEOUT_PER_KERNEL: Duration = Duration::from_secs(2);

/// The reference compiler's output for a file.
pub struct Reference {
    pub target: &'static Platform,
    pub zebin: Zebin,
    /// The vISA of the functions that are called by address.
    shared: Vec<String>,
    /// Texts of each kernel and of the functions that it calls by name, by kernel.
    texts: Vec<Option<String>>,
}

impl Reference {
    /// The whole vISA of a kernel.
    pub fn visa(&self, number: usize) -> Option<String> {
        let own = self.texts.get(number)?.as_ref()?;
        let mut texts = vec![own.as_str()];
        texts.extend(self.shared.iter().map(String::as_str));
        Some(texts.join("\n"))
    }
}

/// The source of a file of kernels that have the same settings.
pub fn source(programs: &[&Program]) -> String {
    let mut text = String::from(
        "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#pragma OPENCL FP_CONTRACT OFF\n",
    );
    for (number, program) in programs.iter().enumerate() {
        text += &program.text(number);
    }
    text
}

/// Source file of one kernel that describes its launch in the form of `corpus/kernels/remake`.
pub fn described(program: &Program, range: &Range) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    let mut line = |line: std::fmt::Arguments| {
        let _ = writeln!(text, "//! {line}");
    };
    let sizes = |sizes: [u32; 3]| {
        let sizes = sizes[..range.dimensions].iter().map(u32::to_string);
        sizes.collect::<Vec<_>>().join(" ")
    };
    line(format_args!("global {}", sizes(range.global)));
    line(format_args!("local {}", sizes(range.local)));
    let settings = program.settings;
    if !settings.optimize {
        line(format_args!("options -cl-opt-disable"));
    }
    match settings.control {
        2 => line(format_args!("subroutines")),
        3 => line(format_args!("stack")),
        4 => line(format_args!("indirect")),
        _ => {}
    }
    let hex = |values: Vec<u64>| {
        let values = values.iter().map(|n| format!("{n:#x}"));
        values.collect::<Vec<_>>().join(" ")
    };
    let (items, values) = (range.items(), hex(input(program.seed)));
    line(format_args!("in in u64 {} list {values}", INPUT / 8));
    line(format_args!("out out u8 {}", items * SLOT));
    let dwords = shared(items);
    let values = hex(dwords[..7].iter().map(|&n| u64::from(n)).collect());
    line(format_args!("inout at u32 {} list {values}", dwords.len()));
    for (ty, bits) in &program.values {
        let hex: String = bytes(*ty, bits)
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        line(format_args!("bytes {hex}"));
    }
    text + &source(&[program])
}

/// Compiles kernels with the reference compiler, in a temporary folder.
pub fn reference(
    (ocloc, target): (&Path, &'static Platform),
    folder: &Path,
    programs: &[&Program],
) -> Result<Reference, String> {
    fs::create_dir_all(folder).map_err(|e| e.to_string())?;
    let made = compile((ocloc, target), folder, programs);
    let removed = fs::remove_dir_all(folder).map_err(|e| e.to_string());
    let made = made?;
    removed?;
    Ok(made)
}

fn compile(
    (ocloc, target): (&Path, &'static Platform),
    folder: &Path,
    programs: &[&Program],
) -> Result<Reference, String> {
    let failed = |e: io::Error| e.to_string();
    fs::write(folder.join("k.cl"), source(programs)).map_err(failed)?;
    let settings = programs[0].settings;
    let mut command = Command::new(ocloc);
    command.args(["compile", "-file", "k.cl", "-device", target.name]);
    command.args(["--format", "zebin", "-out_dir", "out"]);
    if !settings.optimize {
        command.args(["-options", "-cl-opt-disable"]);
    }
    let log = fs::File::create(folder.join("log")).map_err(failed)?;
    let mut child = command
        .current_dir(folder)
        .env("IGC_ShaderDumpEnable", "1")
        .env("IGC_DumpToCustomDir", "dump/")
        .env("IGC_FunctionControl", settings.control.to_string())
        .env("IGC_VISAOptions", settings.finalizer)
        .stdout(log)
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let clock = Instant::now();
    let patience = TIMEOUT + TIMEOUT_PER_KERNEL * programs.len() as u32;
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if clock.elapsed() > patience {
            child.kill().and_then(|()| child.wait()).map_err(failed)?;
            return Err("the reference compiler does not end".to_string());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let log = fs::read(folder.join("log")).map_err(failed)?;
    if !status.success() {
        return Err(format!("{status}: {}", String::from_utf8_lossy(&log)));
    }
    let object = files(&folder.join("out"), ".bin")?;
    let [object] = &object[..] else {
        return Err(format!("{} object files", object.len()));
    };
    let object = fs::read(object).map_err(failed)?;
    let zebin = Zebin::parse(&object).map_err(|e| e.to_string())?;
    let mut reference = Reference {
        target,
        zebin,
        shared: Vec::new(),
        texts: vec![None; programs.len()],
    };
    let visa = files(&folder.join("dump"), ".visaasm")?;
    for path in &visa {
        let stem = path.with_extension("");
        let stem = stem.to_string_lossy();
        let code = path.with_extension("dat");
        // Functions have files of their own, without machine code.
        let functions = |reference: &mut Vec<String>| -> Result<(), String> {
            let own = format!("{stem}_f");
            for path in visa
                .iter()
                .filter(|p| p.to_string_lossy().starts_with(&own))
            {
                reference.push(fs::read_to_string(path).map_err(failed)?);
            }
            Ok(())
        };
        if !code.exists() {
            continue;
        }
        let text = fs::read_to_string(path).map_err(failed)?;
        if text.contains(&format!(".kernel \"{FUNCTIONS}\"")) {
            functions(&mut reference.shared)?;
            continue;
        }
        let Some(number) = number(&text).filter(|&n| n < programs.len()) else {
            return Err(format!("{stem}: what kernel is it?"));
        };
        // If several SIMD sizes were tried, the object file has the code of the one that was kept.
        let code = fs::read(code).map_err(failed)?;
        let kept = reference.zebin.text(&Program::name(number));
        if kept.is_some_and(|kept| kept.starts_with(&code)) {
            let mut texts = vec![text];
            functions(&mut texts)?;
            reference.texts[number] = Some(texts.join("\n"));
        }
    }
    Ok(reference)
}

/// The number of the kernel in a text.
fn number(text: &str) -> Option<usize> {
    let line = text.lines().find(|line| line.starts_with(".kernel "))?;
    let name = line.split('"').nth(1)?;
    name.strip_prefix('k')?.parse().ok()
}

/// Files of a folder with an ending, in order.
fn files(folder: &Path, end: &str) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.to_string_lossy().ends_with(end))
        .collect();
    paths.sort();
    Ok(paths)
}

/// Our object file of a kernel, every stage verified.
pub fn ours(
    reference: &Reference,
    number: usize,
    (grf_limit, tier): (u32, Tier),
) -> Result<Zebin, String> {
    let text = reference.visa(number).ok_or("there is no vISA of it")?;
    let name = Program::name(number);
    let mut options = Options::new(reference.target).tier(tier);
    options.verify = true;
    options.grf_limit = grf_limit;
    let session = Session::new(options).only(&name);
    let input = Input {
        name: &name,
        bytes: text.as_bytes(),
    };
    let module = session
        .compile_module(&[input])
        .map_err(|e| e.to_string())?;
    let info = Info::Zebin(reference.zebin.clone());
    session
        .object_file(&module, info)
        .map_err(|e| e.to_string())
}

/// The bytes of a value with these bits of lanes.
pub fn bytes(ty: Type, bits: &[u64]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for lane in 0..ty.lanes as usize {
        let lane = bits[lane % bits.len()].to_le_bytes();
        bytes.extend_from_slice(&lane[..ty.scalar.bytes() as usize]);
    }
    bytes.resize(ty.bytes() as usize, 0);
    bytes
}

/// The arguments of a launch.
pub fn arguments(program: &Program, range: &Range) -> Vec<Arg> {
    let items = range.items();
    let values = input(program.seed);
    let repeated: Vec<u64> = (0..INPUT as usize / 8)
        .map(|n| values[n % values.len()])
        .collect();
    let mut args = vec![
        Arg::from(Buffer::of(&repeated)),
        Arg::Buffer(vec![0; (items * SLOT) as usize]),
        Arg::from(Buffer::of(&shared(items))),
    ];
    args.extend(
        program
            .values
            .iter()
            .map(|(ty, bits)| Arg::Value(bytes(*ty, bits))),
    );
    args
}

/// Contents of the buffers after a launch.
pub fn run(
    (zebin, target): (&Zebin, &'static Platform),
    number: usize,
    program: &Program,
    range: &Range,
) -> Result<Vec<Arg>, String> {
    run_with((zebin, target), number, program, range, false)
}

/// The place where the code reads an undefined register, if there is one.
pub fn undefined(
    (zebin, target): (&Zebin, &'static Platform),
    number: usize,
    program: &Program,
    range: &Range,
) -> Option<String> {
    run_with((zebin, target), number, program, range, true).err()
}

fn run_with(
    (zebin, target): (&Zebin, &'static Platform),
    number: usize,
    program: &Program,
    range: &Range,
    check: bool,
) -> Result<Vec<Arg>, String> {
    let name = Program::name(number);
    let code = kiln_exec::Program::from_zebin(zebin, &name, target).map_err(|e| e.to_string())?;
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: &name,
        global: range.global,
        local: range.local,
        dimensions: range.dimensions as u32,
        args: arguments(program, range),
        budget: BUDGET,
    };
    let options = kiln_exec::Options {
        threads: 1,
        check,
        ..kiln_exec::Options::default()
    };
    launch
        .run_with(&code, &options)
        .map_err(|e| e.to_string())?;
    Ok(launch.args)
}

/// The first difference between the results of two launches.
pub fn difference(found: &[Arg], expected: &[Arg]) -> Option<String> {
    let memory = |args: &[Arg], n: usize| args[n].memory().unwrap_or_default().to_vec();
    for (n, name) in [(1, "out"), (2, "at")] {
        let (a, b) = (memory(found, n), memory(expected, n));
        if let Some(at) = (0..b.len()).find(|&i| a.get(i) != b.get(i)) {
            let end = (at / 8 * 8 + 8).min(b.len());
            let place = match n {
                1 => format!("work-item {}, byte {}", at as u32 / SLOT, at as u32 % SLOT),
                _ => format!("dword {}", at / 4),
            };
            return Some(format!(
                "{name}: {place}: {:02x?} found, {:02x?} expected",
                &a[at..end],
                &b[at..end]
            ));
        }
    }
    None
}
