//! `kiln report`: a page for a kernel or two, with everything that is known of the machine code.
//!
//! The page is one file without outside parts: a frame, a style sheet and a program (`page/`), and the data as packed JSON.
//! Each input is a build: an object file or machine code of any compiler, or vISA that is compiled here and brings its own
//! text and source lines.

use std::collections::{BTreeMap, HashMap};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::DeflateEncoder;
use kiln_compile::lines::{Lines, defined};
use kiln_compile::{Compiled, CompiledModule, Failure, Options, Session};
use kiln_emit::cost::timeline::{self, Timeline};
use kiln_emit::cost::{self, Weights};
use kiln_emit::inst::{Inst, Op};
use kiln_emit::listing::{self, Style};
use kiln_emit::live::{Live, Row};
use kiln_emit::platform::Platform;
use kiln_visa::module::Object;
use kiln_visa::print::Printer;
use miette::Report;
use serde::Serialize;

use super::cost::{Counts, bottleneck};
use super::disasm::unit;
use super::disasm::{File, open};
use super::exit::Exit;
use super::grfs::GrfArgs;
use super::input::Input;
use super::layered;
use super::names::{Map, Maps, Names, Stored};
use super::output::Outputs;
use super::platforms::Machine;
use super::{Format, report};

/// Number of blocks beyond which the control flow is not drawn.
const MAX_BLOCKS: usize = 2500;
/// Size of a block in the picture of the control flow.
const BLOCK: (f64, f64) = (84.0, 34.0);
/// Most builds of a page.
const MAX_BUILDS: usize = 3;
/// Numbers of lines of a file are below this; the page takes file and line as one number.
const LINES: u64 = 1_000_000;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln report examples/nbody/nbody.visaasm -p skl -o nbody.html
  kiln report examples/nbody/nbody.zebin examples/nbody/bmg/nbody.zebin -o two.html
  kiln report examples/intmix/intmix.visaasm -p skl,icllp -o both.html")]
pub struct Args {
    /// Zebins, machine code, vISA, LLVM IR or SPIR-V; several are shown side by side
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Platform of vISA and of raw machine code; vISA is compiled for each of several
    #[arg(short, long, value_name = "PLATFORM", value_delimiter = ',', value_parser = Machine)]
    platform: Vec<&'static Platform>,
    #[command(flatten)]
    grfs: GrfArgs,
    /// Only this kernel or function
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Execution counts of a run (`kiln run --stats=STATS`), for the build of the same place in the order of the inputs
    #[arg(long, value_name = "STATS")]
    counts: Vec<PathBuf>,
    /// Names of values in machine code: a map of `kiln compile --names`
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    /// Page to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// A page's data.
#[derive(Serialize)]
struct Page {
    title: String,
    /// By build, its pieces of code.
    inputs: Vec<Vec<Piece>>,
}

/// A piece of code: all lists but those said otherwise are by instruction.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Piece {
    name: String,
    file: String,
    platform: &'static str,
    grfs: u32,
    peak: u32,
    cycles: f64,
    bottleneck: (&'static str, f64),
    /// The listing, a line an instruction.
    lines: String,
    offsets: Vec<u32>,
    live: Vec<u16>,
    bytes: Vec<u32>,
    maybe: Vec<u16>,
    issue: Vec<u64>,
    stall: Vec<u64>,
    /// A letter an instruction: why it waits.
    cause: String,
    /// The instruction that it waits for longest, of those that wait.
    by: BTreeMap<u32, u32>,
    /// Instructions that annotations name.
    waits: BTreeMap<u32, Vec<u32>>,
    weight: Vec<f64>,
    counts: Option<Vec<u64>>,
    scratch: Vec<Stored>,
    /// Six numbers a span: register, first instruction, instructions after it, value, writes, reads.
    spans: Vec<u32>,
    /// Names of values.
    names: BTreeMap<u32, String>,
    /// First and last instruction, depth, and what takes the time of each loop.
    loops: Vec<(u32, u32, u32, String)>,
    graph: Option<Graph>,
    /// Instructions of vISA, and the one that each instruction comes from.
    visa: Option<Vec<String>>,
    of_visa: Option<Vec<i64>>,
    files: Vec<SourceFile>,
    /// File and line as one number, -1 for none.
    of_line: Option<Vec<i64>>,
}

/// Blocks and edges with their places.
#[derive(Serialize)]
struct Graph {
    width: f64,
    height: f64,
    /// Size of a block.
    block: (f64, f64),
    nodes: Vec<Block>,
    /// Path, and true if it goes up.
    edges: Vec<(String, bool)>,
}

#[derive(Serialize)]
struct Block {
    /// First instruction, and that after the last.
    first: u32,
    end: u32,
    x: f64,
    y: f64,
    /// Most live registers.
    live: u16,
    /// Loops around it.
    loops: u32,
}

#[derive(Serialize)]
struct SourceFile {
    name: String,
    /// Lines of the file, if it can be read.
    lines: Option<Vec<String>>,
}

/// The result as JSON.
#[derive(Serialize)]
struct Made<'a> {
    build: usize,
    name: &'a str,
    file: &'a str,
    platform: &'static str,
    instructions: usize,
    live: u16,
    cycles: f64,
}

/// Code with what its maker tells.
pub struct Code<'a> {
    pub name: String,
    file: String,
    platform: &'static Platform,
    pub bytes: &'a [u8],
    /// Offsets at which kernels and functions begin.
    pub entries: Vec<u32>,
    lines: &'a Lines,
    /// Objects of vISA with the offset at which the code of each begins.
    objects: Vec<(u32, &'a Object)>,
    /// Names of the inputs, by general register.
    inputs: HashMap<u32, String>,
    /// Folder of its file, in which sources are sought.
    folder: &'a Path,
    /// Variables with their places, of a side file.
    map: Option<&'a Map>,
}

/// Runs the command.
///
/// # Errors
/// The reason why there is no page.
pub fn page(args: &Args, format: Format) -> Result<Exit, Report> {
    let counts = args.counts.iter().map(|path| Counts::read(path));
    let counts = counts.collect::<Result<Vec<_>, _>>()?;
    let maps = Maps::read(args.names.as_deref())?;
    let mut inputs: Vec<Vec<Piece>> = Vec::new();
    for path in &args.inputs {
        let input = Input::open(path)?;
        if is_code(&input) {
            let file = open(path, args.platform.first().copied(), args.kernel.as_deref())?;
            inputs.push(of_file(&file, counts.get(inputs.len()), &maps)?);
            continue;
        }
        if args.platform.is_empty() {
            return Err(report::usage(format_args!(
                "{}: name the platform to compile for with --platform",
                report::name(path)
            )));
        }
        for platform in &args.platform {
            let options = args.grfs.applied(Options::new(platform));
            let counts = counts.get(inputs.len());
            inputs.push(of_visa(&input, options, args.kernel.as_deref(), |code| {
                piece(code, counts)
            })?);
        }
    }
    if inputs.len() > MAX_BUILDS {
        return Err(report::usage(format_args!(
            "a page has {MAX_BUILDS} builds at most; these are {}",
            inputs.len()
        )));
    }
    let first = inputs.iter().flatten().next();
    let page = Page {
        title: first.map_or_else(|| "kiln".to_string(), |piece| piece.name.clone()),
        inputs,
    };
    let html = html(&page);
    let mut outputs = Outputs::new(args.inputs.iter().map(PathBuf::as_path));
    outputs.add(&args.output, html.into_bytes())?;
    let made = page.inputs.iter().enumerate().flat_map(|(build, pieces)| {
        pieces.iter().map(move |piece| Made {
            build,
            name: &piece.name,
            file: &piece.file,
            platform: piece.platform,
            instructions: piece.live.len(),
            live: piece.live.get(piece.peak as usize).copied().unwrap_or(0),
            cycles: piece.cycles,
        })
    });
    let made: Vec<Made> = made.collect();
    outputs.report(format, &made, String::new)?;
    outputs.write()?;
    Ok(Exit::Done)
}

/// True for machine code, false for what has to be compiled.
pub fn is_code(input: &Input) -> bool {
    let extension = input
        .path
        .extension()
        .and_then(|extension| extension.to_str());
    let source = matches!(
        extension,
        Some("isa" | "visaasm" | "isaasm" | "ll" | "bc" | "spv")
    );
    !source && !input.starts_with(b"CISA")
}

/// The pieces of a file of machine code.
fn of_file(file: &File, counts: Option<&Counts>, maps: &Maps) -> Result<Vec<Piece>, Report> {
    let folder = file.path.parent().unwrap_or(Path::new("."));
    let mut pieces = Vec::new();
    let inside = Maps::inside(file);
    for unit in &file.units {
        let name = unit.name();
        let count = listing::count(unit.code(), file.platform).entries;
        let known = maps.of(name, file.platform, count)?;
        // Another code's map inside of an object file is none.
        let inside = || inside.of(name, file.platform, count).ok().flatten();
        let code = Code {
            name: name.unwrap_or("code").to_string(),
            file: report::name(file.path),
            platform: file.platform,
            bytes: unit.code(),
            entries: unit.entries(),
            lines: &unit.lines,
            objects: Vec::new(),
            inputs: HashMap::new(),
            folder,
            map: known.or_else(inside),
        };
        pieces.push(piece(&code, counts)?);
    }
    Ok(pieces)
}

/// Compiles vISA with these options, and gives what is made of each kernel and function.
///
/// # Errors
/// The input is not compiled, or the first failure of `make`.
pub fn of_visa<T>(
    input: &Input,
    options: Options,
    kernel: Option<&str>,
    make: impl Fn(&Code) -> Result<T, Report>,
) -> Result<Vec<T>, Report> {
    let platform = options.platform;
    let mut session = Session::new(Options {
        names: true,
        ..options
    });
    if let Some(kernel) = kernel {
        session = session.only(kernel);
    }
    let failed = |failure: Box<Failure>| report::failure(std::slice::from_ref(input), &failure);
    let loaded = session.load(&[input.source()]).map_err(failed)?;
    let module = session.compile_loaded(&loaded).map_err(failed)?;
    of_module(&module, &loaded.module().objects, input, platform, make)
}

/// As [`of_visa`], for a module that was compiled from these objects.
///
/// # Errors
/// The first failure of `make`.
pub fn of_module<'a, T>(
    module: &CompiledModule,
    objects: impl IntoIterator<Item = &'a Object>,
    input: &Input,
    platform: &'static Platform,
    make: impl Fn(&Code) -> Result<T, Report>,
) -> Result<Vec<T>, Report> {
    let named = objects.into_iter().map(|object| (&*object.name, object));
    let objects: HashMap<&str, &Object> = named.collect();
    let folder = input.path.parent().unwrap_or(Path::new("."));
    let mut pieces = Vec::new();
    for compiled in module.parts() {
        let symbols = compiled
            .symbols
            .iter()
            .map(|symbol| (symbol.offset, symbol.name.as_str()));
        let whole = [(0, compiled.name.as_str())].into_iter();
        let mut parts: Vec<(u32, &str)> = whole.chain(symbols.skip(1)).collect();
        parts.sort_unstable();
        let code = Code {
            name: compiled.name.clone(),
            file: report::name(&input.path),
            platform,
            bytes: &compiled.code,
            entries: parts.iter().map(|(offset, _)| *offset).collect(),
            lines: &compiled.lines,
            objects: parts
                .iter()
                .filter_map(|(at, name)| Some((*at, *objects.get(name)?)))
                .collect(),
            inputs: inputs(compiled, platform),
            folder,
            map: None,
        };
        pieces.push(make(&code)?);
    }
    Ok(pieces)
}

/// Names of a kernel's inputs by the register that they begin in and those after it.
fn inputs(compiled: &Compiled, platform: &Platform) -> HashMap<u32, String> {
    let mut names: HashMap<u32, String> = HashMap::new();
    for input in &compiled.inputs {
        let (first, last) = (input.offset, input.offset + input.size.max(1) - 1);
        for register in first / platform.grf_bytes..=last / platform.grf_bytes {
            let name = names.entry(register).or_default();
            if !name.is_empty() {
                name.push(' ');
            }
            name.push_str(&input.name);
        }
    }
    names
}

/// Everything about a piece of code.
fn piece(code: &Code, counts: Option<&Counts>) -> Result<Piece, Report> {
    let platform = code.platform;
    let insts = listing::insts(code.bytes, platform);
    let live = unit::live(&insts, platform, &code.entries);
    let counts = counts.map(|counts| counts.of(insts.len())).transpose();
    let counts = counts.map_err(|found| {
        report::usage(format_args!(
            "{}: it has {} instructions, of which {found} were counted",
            code.file,
            insts.len()
        ))
    })?;
    let weights = counts.map_or(Weights::Loops, Weights::Counts);
    let time = timeline::timeline(&insts, platform, weights);
    let mut offsets = Vec::with_capacity(insts.len());
    let mut lines = String::new();
    let mut offset = 0;
    for inst in &insts {
        if offset > 0 {
            lines.push('\n');
        }
        lines.push_str(&match inst.op {
            Op::Illegal => "illegal".to_string(),
            _ => listing::line(inst, offset, platform, Style::Labels),
        });
        offsets.push(offset);
        offset += inst.size();
    }
    let texts = Texts::new(code);
    let of_visa: Option<Vec<i64>> = texts
        .as_ref()
        .map(|texts| offsets.iter().map(|at| texts.number(code, *at)).collect());
    let names = names(code, &insts, &live, texts.as_ref(), &offsets);
    let scratch = stored(&insts, platform, &live, &names);
    let spans = live
        .spans
        .iter()
        .filter(|span| span.row.is_grf())
        .flat_map(|span| {
            let (_, register) = span.row.register();
            [
                register,
                span.from,
                span.to - span.from,
                span.value,
                span.writes,
                span.reads,
            ]
        });
    let (files, of_line) = sources(code, &offsets);
    let stalls = |n: usize| {
        let cycles = &time.steps[n].cycles;
        cycles.sum() - cycles.issue
    };
    Ok(Piece {
        name: code.name.clone(),
        file: code.file.clone(),
        platform: platform.name,
        grfs: live.grfs,
        peak: live.peak().unwrap_or(0),
        cycles: time.cycles.sum(),
        bottleneck: timeline::bottleneck(&time.cycles),
        lines,
        live: live.points.iter().map(|point| point.grfs).collect(),
        bytes: live.points.iter().map(|point| point.bytes).collect(),
        maybe: live.points.iter().map(|point| point.maybe).collect(),
        issue: time
            .steps
            .iter()
            .map(|step| step.cycles.issue as u64)
            .collect(),
        stall: (0..insts.len()).map(|n| stalls(n) as u64).collect(),
        cause: (0..insts.len()).map(|n| cause(&time, n)).collect(),
        by: (0u32..)
            .zip(&time.steps)
            .filter_map(|(at, step)| Some((at, step.stalled_by?)))
            .collect(),
        waits: (0u32..)
            .zip(&time.steps)
            .filter(|(_, step)| !step.waits_for.is_empty())
            .map(|(at, step)| (at, step.waits_for.clone()))
            .collect(),
        weight: time.steps.iter().map(|step| step.weight).collect(),
        counts: counts.map(<[u64]>::to_vec),
        scratch,
        spans: spans.collect(),
        names: names.values,
        loops: time
            .loops
            .iter()
            .map(|own| (own.first, own.last, own.depth, bottleneck(own)))
            .collect(),
        graph: graph(&live, &time),
        visa: texts.map(|texts| texts.lines),
        of_visa,
        files,
        of_line,
        offsets,
    })
}

/// Why an instruction waits longest, as a letter.
fn cause(time: &Timeline, n: usize) -> char {
    let cycles = &time.steps[n].cycles;
    let parts = [
        (cycles.results, 'r'),
        (cycles.messages, 'm'),
        (cycles.units, 'u'),
        (cycles.banks, 'b'),
    ];
    let most = parts.into_iter().fold(
        (0.0, ' '),
        |most, next| if next.0 > most.0 { next } else { most },
    );
    most.1
}

/// The instructions of vISA of all objects, one after the other.
struct Texts {
    lines: Vec<String>,
    /// By object: the offset of its code, and its first line.
    starts: Vec<(u32, usize, usize)>,
}

impl Texts {
    fn new(code: &Code) -> Option<Texts> {
        if code.objects.is_empty() {
            return None;
        }
        let mut texts = Texts {
            lines: Vec::new(),
            starts: Vec::new(),
        };
        for (offset, object) in &code.objects {
            texts
                .starts
                .push((*offset, texts.lines.len(), object.insts.len()));
            let printer = Printer::new(object);
            texts
                .lines
                .extend(object.insts.iter().map(|inst| printer.inst_text(inst)));
        }
        Some(texts)
    }

    /// The line of the instruction that code at an offset comes from; -1 for none.
    fn number(&self, code: &Code, offset: u32) -> i64 {
        let visa = code.lines.at(offset).and_then(|line| line.visa);
        let part = self
            .starts
            .partition_point(|(start, ..)| *start <= offset)
            .checked_sub(1);
        match (visa, part.map(|part| self.starts[part])) {
            (Some(visa), Some((_, first, count))) if (visa as usize) < count => {
                first as i64 + i64::from(visa)
            }
            _ => -1,
        }
    }
}

/// Names of values, by their numbers: see [`names`].
pub fn value_names(code: &Code, insts: &[Inst], live: &Live) -> Names {
    let mut offset = 0;
    let offsets = insts.iter().map(|inst| {
        let here = offset;
        offset += inst.size();
        here
    });
    let offsets: Vec<u32> = offsets.collect();
    names(code, insts, live, Texts::new(code).as_ref(), &offsets)
}

/// The messages to scratch space, with names of what they store and load.
pub fn stored(insts: &[Inst], platform: &Platform, live: &Live, names: &Names) -> Vec<Stored> {
    let mut last: HashMap<u32, String> = HashMap::new();
    let found = cost::accesses(insts, platform).map(|access| {
        let cost::Access {
            at,
            writes,
            offset,
            bytes,
        } = access;
        let known = names.messages.get(&(at as u32)).cloned();
        let own = known.or_else(|| spilled(&insts[at], at as u32, writes, live, names));
        // Without an account of allocation, a load has the name of what was stored last in its place, in the order of the code.
        let name = match (writes, own) {
            (true, Some(name)) => {
                last.insert(offset, name.clone());
                Some(name)
            }
            (false, None) => last.get(&offset).cloned(),
            (_, own) => own,
        };
        Stored {
            at: at as u32,
            writes,
            offset,
            bytes,
            name,
        }
    });
    found.collect()
}

/// Names of values and of what messages store: the variable that allocation says. A temporary, of which it says none, has
/// the name of what the vISA instruction of its first write defines, and an input its own.
fn names(
    code: &Code,
    insts: &[Inst],
    live: &Live,
    texts: Option<&Texts>,
    offsets: &[u32],
) -> Names {
    if let Some(map) = code.map {
        return map.names(live);
    }
    let (mut names, mut spans) = (BTreeMap::new(), BTreeMap::new());
    let variable = |at: u32| code.lines.variable(offsets[at as usize]);
    let messages = cost::accesses(insts, code.platform).filter_map(|access| {
        let at = access.at as u32;
        Some((at, variable(at)?.to_string()))
    });
    let messages = messages.collect();
    let Some(texts) = texts else {
        return Names {
            messages,
            ..Names::default()
        };
    };
    let all = live.spans.iter().enumerate();
    for (n, span) in all.filter(|(_, span)| span.row.is_grf()) {
        if let Some(value) = names.get(&span.value) {
            let begins = span.first_write().filter(|&at| at == span.from);
            if let Some(other) = begins.and_then(variable).filter(|other| other != value) {
                spans.insert(n, other.to_string());
            }
            continue;
        }
        let (_, register) = span.row.register();
        let Some(at) = span.first_write() else {
            if let Some(name) = code.inputs.get(&register).filter(|_| span.from == 0) {
                names.insert(span.value, name.clone());
            } else if span.from == 0 && register == 0 {
                names.insert(span.value, "header".to_string());
            }
            continue;
        };
        if let Some(name) = variable(at) {
            names.insert(span.value, name.to_string());
            continue;
        }
        let number = texts.number(code, offsets[at as usize]);
        let part = texts
            .starts
            .partition_point(|(_, first, _)| *first as i64 <= number)
            .checked_sub(1);
        let Some((_, object)) = part.filter(|_| number >= 0).map(|part| code.objects[part]) else {
            continue;
        };
        let first = part.map_or(0, |part| texts.starts[part].1);
        if let Some(name) = defined(object, number as usize - first).map(str::to_string) {
            let payload = insts[at as usize].op == Op::Mov
                && object.insts[number as usize - first].op.row().has_list();
            if !payload {
                names.insert(span.value, name);
            }
        }
    }
    Names {
        values: names,
        spans,
        messages,
    }
}

/// The name of the value that a message stores or loads.
fn spilled(inst: &Inst, at: u32, writes: bool, live: &Live, names: &Names) -> Option<String> {
    let place = match writes {
        true => inst.srcs.iter().rev().find_map(|src| match src {
            kiln_emit::inst::Src::Reg(src) => Some(src.place),
            kiln_emit::inst::Src::Imm { .. } => None,
        }),
        false => inst.dst.map(|dst| dst.place),
    };
    let Some(kiln_emit::inst::Place::Direct(reg)) = place else {
        return None;
    };
    if reg.file != kiln_emit::inst::RegFile::Grf {
        return None;
    }
    let span = live.span(Row::grf(reg.num), at)?;
    names.get(span.value).cloned()
}

/// The source files, and the line of each instruction.
fn sources(code: &Code, offsets: &[u32]) -> (Vec<SourceFile>, Option<Vec<i64>>) {
    let known = code.lines.lines.iter().any(|line| line.source.is_some());
    if !known {
        return (Vec::new(), None);
    }
    let file = |name: &String| {
        let path = Path::new(name);
        let beside = path.file_name().map(|name| code.folder.join(name));
        let places = [
            Some(path.to_path_buf()),
            Some(code.folder.join(path)),
            beside,
        ];
        let text = places
            .into_iter()
            .flatten()
            .find_map(|path| std::fs::read_to_string(path).ok());
        let lines = text.map(|text| text.lines().map(str::to_string).collect());
        SourceFile {
            name: name.clone(),
            lines,
        }
    };
    let of = |offset: &u32| match code.lines.at(*offset).and_then(|line| line.source) {
        Some(source) => (u64::from(source.file) * LINES + u64::from(source.line) % LINES) as i64,
        None => -1,
    };
    (
        code.lines.files.iter().map(file).collect(),
        Some(offsets.iter().map(of).collect()),
    )
}

/// The control flow with places of its blocks; none if there are too many.
fn graph(live: &Live, time: &Timeline) -> Option<Graph> {
    if live.blocks.len() > MAX_BLOCKS || live.blocks.is_empty() {
        return None;
    }
    let sizes = vec![BLOCK; live.blocks.len()];
    let edges = live.blocks.iter().enumerate().flat_map(|(from, block)| {
        let called = block.calls.into_iter();
        block
            .next
            .iter()
            .copied()
            .chain(called)
            .map(move |to| (from, to as usize))
    });
    let edges: Vec<(usize, usize)> = edges.collect();
    let drawing = layered::draw(&sizes, &edges);
    let nodes = live
        .blocks
        .iter()
        .zip(&drawing.places)
        .map(|(block, (x, y))| {
            let points = &live.points[block.first as usize..block.end as usize];
            let most = points.iter().map(|point| point.grfs).max().unwrap_or(0);
            let around =
                |own: &&timeline::Loop| own.first <= block.first && block.end <= own.last + 1;
            let loops = time.loops.iter().filter(around).count() as u32;
            Block {
                first: block.first,
                end: block.end,
                x: *x,
                y: *y,
                live: most,
                loops,
            }
        });
    Some(Graph {
        width: drawing.width,
        height: drawing.height,
        block: BLOCK,
        nodes: nodes.collect(),
        edges: drawing.edges,
    })
}

/// The page.
fn html(page: &Page) -> String {
    let data = packed(&serde_json::to_vec(page).unwrap_or_default());
    let frame = include_str!("page/page.html");
    let mut out = String::with_capacity(data.len() + 100_000);
    let parts = [
        ("{{title}}", layered::escaped(&page.title)),
        ("{{css}}", include_str!("page/page.css").to_string()),
        ("{{data}}", data),
        ("{{js}}", include_str!("page/page.js").to_string()),
    ];
    let mut rest = frame;
    for (mark, text) in &parts {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        out.push_str(before);
        out.push_str(text);
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Data in the letters of base64 after DEFLATE, which browsers undo.
fn packed(data: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    // Writing to memory cannot fail.
    let _ = encoder.write_all(data);
    let bytes = encoder.finish().unwrap_or_default();
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word = three
            .iter()
            .fold(0, |word, byte| word << 8 | u32::from(*byte));
        let word = word << (8 * (3 - three.len()));
        let letters = (0..4).map(|n| char::from(LETTERS[(word >> (18 - 6 * n) & 63) as usize]));
        text.extend(letters.take(three.len() + 1));
        text.extend(std::iter::repeat_n('=', 3 - three.len()));
    }
    text
}
