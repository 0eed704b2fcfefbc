//! `kiln live`: live registers of machine code, by instruction.
//!
//! Works on code of any compiler: everything comes from decoded instructions (docs/live.md).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use kiln_compile::Options;
use kiln_emit::inst::Inst;
use kiln_emit::listing::{self, Entry, Style};
use kiln_emit::live::{self, Live, Point, Row};
use kiln_emit::platform::Platform;
use miette::{Report, miette};
use serde::Serialize;

use super::disasm::{illegal, open, unit};
use super::exit::{self, Exit};
use super::input::Input;
use super::names::{Maps, Names, Variable};
use super::output::Outputs;
use super::page;
use super::platforms::{self, Machine};
use super::variables::variables;
use super::{Format, progress, report, stats};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln live examples/sgemm/sgemm.zebin
  kiln live examples/nbody/nbody.zebin --map
  kiln live examples/nbody/nbody.visaasm -p skl
  kiln live examples/*/*.zebin --summary")]
pub struct Args {
    /// Zebins or raw machine code, `-` for standard input; or vISA, which is compiled and gives values their names
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Platform of the code; several, with commas, each have their turn [default: as a zebin says]
    #[arg(short, long = "platform", value_name = "PLATFORM", value_delimiter = ',', value_parser = Machine)]
    platforms: Vec<&'static Platform>,
    /// Only this kernel or function of a zebin
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// List what lives at this instruction, counted from 0 [default: at the peak]
    #[arg(long, value_name = "N")]
    at: Option<u32>,
    /// Names of values in machine code: a map of `kiln compile --names`
    #[arg(long, value_name = "FILE")]
    names: Option<PathBuf>,
    /// Show each register beside each instruction: `^` written, `v` read, `x` both, `:` live
    #[arg(long, conflicts_with = "summary")]
    map: bool,
    /// Only a line for each piece of code
    #[arg(long)]
    summary: bool,
    /// Write a line for each instruction as CSV, `-` for standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write everything as JSON, `-` for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Live registers of a piece of code.
#[derive(Serialize)]
struct Piece {
    file: String,
    /// Section of an object file.
    section: Option<String>,
    platform: &'static str,
    /// Number of general registers of a thread, as far as the code says.
    grfs: u32,
    instructions: usize,
    /// The first instruction at which the most general registers live.
    peak: Option<u32>,
    most: Point,
    /// The instruction of which `values` lists what lives.
    at: Option<u32>,
    values: Vec<Value>,
    points: Vec<Place>,
    /// Variables of vISA with their places, of code that was compiled here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    variables: Vec<Variable>,
    #[serde(skip)]
    text: String,
}

impl Piece {
    /// The file, and the section of an object file.
    fn name(&self) -> String {
        match &self.section {
            Some(section) => format!("{}, {section}", self.file),
            None => self.file.clone(),
        }
    }
}

/// An instruction.
#[derive(Serialize)]
struct Place {
    /// Offset in bytes.
    offset: u32,
    #[serde(flatten)]
    point: Point,
}

/// A value that lives at an instruction: neighbouring registers that are written and read by the same instructions.
#[derive(Serialize)]
struct Value {
    /// `r12` or `r12-r15`.
    registers: String,
    /// Name of the variable, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Number of registers.
    count: u32,
    /// Bytes that live; of flags, channels.
    bytes: u32,
    /// First and last instruction of the stretch of code in which it lives.
    from: u32,
    to: u32,
    /// Instructions that write it; none of an input.
    writes: Vec<u32>,
    /// Instructions that read it.
    reads: Vec<u32>,
}

/// A line of the CSV.
#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    section: &'a str,
    instruction: usize,
    offset: u32,
    grfs: u16,
    bytes: u32,
    maybe: u16,
    flags: u8,
    accumulators: u8,
    addresses: u8,
}

/// Runs the command. A file that cannot be read does not stop the others.
///
/// # Errors
/// The reason why nothing was analyzed.
pub fn live(args: &Args, format: Format) -> Result<Exit, Report> {
    let maps = Maps::read(args.names.as_deref())?;
    let of = |(path, platform): &(&PathBuf, Option<&'static Platform>)| {
        let (path, platform) = (*path, *platform);
        let input = Input::open(path)?;
        if !page::is_code(&input) {
            let platform = platform.ok_or_else(|| {
                report::usage(format_args!(
                    "{}: name the platform to compile for with --platform",
                    report::name(path)
                ))
            })?;
            let pieces = page::of_visa(
                &input,
                Options::new(platform),
                args.kernel.as_deref(),
                |code| {
                    let insts = listing::insts(code.bytes, platform);
                    let live = unit::live(&insts, platform, &code.entries);
                    let names = page::value_names(code, &insts, &live);
                    let shown = Shown {
                        path,
                        section: Some(&code.name),
                        platform,
                        bytes: code.bytes,
                    };
                    piece(&shown, &insts, &live, &names, args)
                },
            )?;
            return Ok((pieces, None));
        }
        let file = open(path, platform, args.kernel.as_deref())?;
        let mut counts = listing::Counts::default();
        let mut pieces = Vec::new();
        for unit in &file.units {
            let (section, platform, bytes) = (unit.section.as_deref(), file.platform, unit.code());
            let insts = listing::insts(bytes, platform);
            let live = unit.live(&insts, platform);
            let shown = Shown {
                path,
                section,
                platform,
                bytes,
            };
            let names = maps.names(&file, unit, insts.len(), &live)?;
            pieces.push(piece(&shown, &insts, &live, &names, args)?);
            let counted = listing::count(bytes, platform);
            counts.entries += counted.entries;
            counts.illegal += counted.illegal;
        }
        Ok((pieces, illegal(&file, counts)))
    };
    let turns = platforms::turns(&args.files, &args.platforms);
    let files: Vec<Result<_, Report>> = progress::each(&turns, "files", of);
    let (mut pieces, mut problems) = (Vec::new(), Vec::new());
    for file in files {
        match file {
            Ok((found, problem)) => {
                pieces.extend(found);
                problems.extend(problem);
            }
            Err(problem) => problems.push(problem),
        }
    }
    let mut outputs = Outputs::new(args.files.iter().map(PathBuf::as_path));
    if let Some(path) = &args.csv {
        outputs.add(path, csv(&pieces)?)?;
    }
    if let Some(path) = &args.json {
        outputs.json(path, &pieces)?;
    }
    if !pieces.is_empty() || problems.is_empty() || format == Format::Json {
        outputs.report(format, &pieces, || match args.summary {
            true => summary(&pieces, args.platforms.len() > 1),
            false => pieces.iter().map(|piece| piece.text.as_str()).collect(),
        })?;
    }
    outputs.write()?;
    Ok(exit::say(&problems))
}

/// A piece of code that is shown.
struct Shown<'a> {
    path: &'a Path,
    section: Option<&'a str>,
    platform: &'static Platform,
    bytes: &'a [u8],
}

/// Describes a piece of code.
fn piece(
    shown: &Shown,
    code: &[Inst],
    live: &Live,
    names: &Names,
    args: &Args,
) -> Result<Piece, Report> {
    let platform = shown.platform;
    let peak = live.peak();
    if let Some(at) = args.at
        && live.points.len() <= at as usize
    {
        return Err(report::usage(format_args!(
            "{}: it has {} instructions, numbered from 0",
            report::name(shown.path),
            live.points.len()
        )));
    }
    let at = args.at.or(peak);
    let values = at.map_or_else(Vec::new, |at| values(live, code, platform, names, at));
    let most = peak.map_or(Point::default(), |at| live.points[at as usize]);
    let mut end = 0;
    let places = code.iter().zip(&live.points).map(|(inst, point)| {
        let offset = end;
        end += inst.size();
        Place {
            offset,
            point: *point,
        }
    });
    let mut piece = Piece {
        file: report::name(shown.path),
        section: shown.section.map(str::to_string),
        platform: platform.name,
        grfs: live.grfs,
        instructions: code.len(),
        peak,
        most,
        at,
        values,
        points: places.collect(),
        variables: variables(live, code, platform, names),
        text: String::new(),
    };
    let wants_text = !args.summary && args.csv.is_none() && args.json.is_none();
    if wants_text {
        let named = args.platforms.len() > 1;
        let entries = listing::entries(shown.bytes, platform);
        piece.text = text(&piece, live, entries, platform, (args.map, named));
    }
    Ok(piece)
}

/// The values that live at an instruction, in the order of their registers.
fn values(live: &Live, code: &[Inst], platform: &Platform, names: &Names, at: u32) -> Vec<Value> {
    let spans: Vec<_> = live.at(at).collect();
    let numbers: Vec<u32> = spans.iter().map(|span| span.value).collect();
    let accessed = live.accessed(code, platform, &numbers);
    let mut values: Vec<(Row, u32, Value)> = Vec::new();
    for (span, accessed) in spans.into_iter().zip(accessed) {
        if let Some((first, count, value)) = values.last_mut()
            && first.is_grf()
            && first.follows(*count) == span.row
            && (value.from, value.to) == (span.from, span.to)
            && value.name.as_ref() == names.get(span.value)
            && (&value.writes, &value.reads) == (&accessed.writes, &accessed.reads)
        {
            *count += 1;
            value.count += 1;
            value.bytes += span.bytes.count_ones();
            value.registers = format!("{first}-{}", span.row);
            continue;
        }
        values.push((
            span.row,
            1,
            Value {
                registers: span.row.to_string(),
                name: names.get(span.value).cloned(),
                count: 1,
                bytes: span.bytes.count_ones(),
                from: span.from,
                to: span.to,
                writes: accessed.writes,
                reads: accessed.reads,
            },
        ));
    }
    values.into_iter().map(|(_, _, value)| value).collect()
}

/// Instructions as text: all of a few, the first and the last of many.
fn places(list: &[u32]) -> String {
    match list {
        [] => "-".to_string(),
        [first, .., last] if list.len() > 4 => format!("{first} .. {last} ({})", list.len()),
        list => {
            let list: Vec<String> = list.iter().map(u32::to_string).collect();
            list.join(" ")
        }
    }
}

/// The listing with what lives, and the values at the chosen instruction, with a map if that is wanted, and the platform if
/// it is to be `named`.
fn text(
    piece: &Piece,
    live: &Live,
    entries: impl Iterator<Item = Entry>,
    platform: &Platform,
    (map, named): (bool, bool),
) -> String {
    let mut text = String::new();
    let mut name = piece.name();
    if named {
        name.push_str(&format!(" ({})", piece.platform));
    }
    let Point { grfs, bytes, .. } = piece.most;
    let peak = piece.peak.unwrap_or(0);
    // Writing to memory cannot fail.
    let _ = writeln!(
        text,
        "// {name}: at most {grfs} of {} GRFs live ({bytes} bytes), at instruction {peak}",
        piece.grfs
    );
    let shown = if map { used(live) } else { Vec::new() };
    let _ = writeln!(
        text,
        "// number  grfs bytes flags acc addr  {}instruction",
        heading(&shown)
    );
    for (at, (entry, point)) in (0u32..).zip(entries.zip(&live.points)) {
        let listed = match &entry.inst {
            Ok(inst) => listing::line(inst, entry.offset, platform, Style::Labels),
            Err(_) => "illegal".to_string(),
        };
        let grfs = match point.maybe {
            0 => point.grfs.to_string(),
            maybe => format!("{}+{maybe}", point.grfs),
        };
        let Point {
            bytes,
            flags,
            accumulators,
            addresses,
            ..
        } = point;
        let map = marks(live, &entry, platform, at, &shown);
        let _ = writeln!(
            text,
            "{at:>9} {grfs:>5} {bytes:>5} {flags:>5} {accumulators:>3} {addresses:>4}  {map}{listed}"
        );
    }
    if let Some(at) = piece.at {
        let _ = writeln!(text, "\n// live at instruction {at}");
        let heading = [
            "registers",
            "variable",
            "bytes",
            "from",
            "to",
            "written at",
            "read at",
        ];
        let mut lines = vec![heading.map(str::to_string)];
        for value in &piece.values {
            lines.push([
                value.registers.clone(),
                value.name.clone().unwrap_or_default(),
                value.bytes.to_string(),
                value.from.to_string(),
                value.to.to_string(),
                places(&value.writes),
                places(&value.reads),
            ]);
        }
        text.push_str(&stats::align(&lines));
    }
    text.push('\n');
    text
}

/// The general registers that hold anything somewhere.
fn used(live: &Live) -> Vec<Row> {
    let mut rows: Vec<Row> = live
        .spans
        .iter()
        .map(|span| span.row)
        .filter(|row| row.is_grf())
        .collect();
    rows.dedup();
    rows
}

/// The tens of the registers' numbers above the map: each number ends above its register.
fn heading(shown: &[Row]) -> String {
    if shown.is_empty() {
        return String::new();
    }
    let mut line = vec![' '; shown.len()];
    for (at, row) in shown.iter().enumerate() {
        let (_, number) = row.register();
        let digits: Vec<char> = number.to_string().chars().collect();
        if number % 10 == 0 && digits.len() <= at + 1 {
            line[at + 1 - digits.len()..=at].copy_from_slice(&digits);
        }
    }
    let line: String = line.into_iter().collect();
    format!("{line}  ")
}

/// A mark for each register at an instruction.
fn marks(live: &Live, entry: &Entry, platform: &Platform, at: u32, shown: &[Row]) -> String {
    if shown.is_empty() {
        return String::new();
    }
    let touched = entry
        .inst
        .as_ref()
        .map(|inst| live::touched(inst, platform));
    let touched = touched.unwrap_or_default();
    let has = |list: &[(Row, u64)], row: Row| list.iter().any(|(other, _)| *other == row);
    let mark = |row: &Row| match (has(&touched.writes, *row), has(&touched.reads, *row)) {
        (true, true) => 'x',
        (true, false) => '^',
        (false, true) => 'v',
        _ if live.span(*row, at).is_some() => ':',
        _ => ' ',
    };
    let mut marks: String = shown.iter().map(mark).collect();
    marks.push_str("  ");
    marks
}

/// A line for each piece, with its platform if there are `several`.
fn summary(pieces: &[Piece], several: bool) -> String {
    let heading = ["code", "instructions", "grfs", "of", "bytes", "at"];
    let mut lines = vec![heading.map(str::to_string)];
    for piece in pieces {
        let code = piece.name();
        lines.push([
            if several {
                format!("{code} ({})", piece.platform)
            } else {
                code
            },
            piece.instructions.to_string(),
            piece.most.grfs.to_string(),
            piece.grfs.to_string(),
            piece.most.bytes.to_string(),
            piece.peak.map_or_else(String::new, |peak| peak.to_string()),
        ]);
    }
    stats::align(&lines)
}

fn csv(pieces: &[Piece]) -> Result<Vec<u8>, Report> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for piece in pieces {
        for (instruction, Place { offset, point }) in piece.points.iter().enumerate() {
            let Point {
                grfs,
                bytes,
                maybe,
                flags,
                accumulators,
                addresses,
            } = *point;
            let line = Line {
                file: &piece.file,
                section: piece.section.as_deref().unwrap_or_default(),
                instruction,
                offset: *offset,
                grfs,
                bytes,
                maybe,
                flags,
                accumulators,
                addresses,
            };
            writer.serialize(line).map_err(|e| miette!("CSV: {e}"))?;
        }
    }
    writer.into_inner().map_err(|e| miette!("CSV: {e}"))
}
