//! `kiln sweep`: compiles a corpus with several register limits and allocators.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;

use clap::ValueEnum;
use kiln_compile::{CompileError, Compiled, Error, Failure, Grfs, Options, Outcome, Session};
use kiln_emit::platform::Platform;
use kiln_regalloc::Allocator;
use miette::Report;
use plotters::prelude::*;
use serde::Serialize;

use super::exit::{self, Exit};
use super::input::{self, Input};
use super::output::{self, Outputs};
use super::platforms::Machine;
use super::progress::Done;
use super::{Format, cost, pass_parser, progress, report, stats};

/// Size of a plot in points.
const PLOT: (u32, u32) = (900, 400);
/// Radius of the dot of a measured limit, in points.
const DOT: u32 = 3;
/// Colours of the lines, each of them dark enough for white paper.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 70, 170),
    RGBColor(200, 30, 30),
    RGBColor(0, 120, 60),
    RGBColor(130, 60, 160),
    RGBColor(170, 90, 0),
    RGBColor(0, 120, 140),
    RGBColor(90, 90, 90),
    RGBColor(180, 30, 120),
];

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln sweep examples/*/*.visaasm -p skl --grf-limit 32,64,128
  kiln sweep examples/intmix/intmix.visaasm -p skl --allocator scan,ion --csv sweep.csv")]
pub struct Args {
    /// Binary or text vISA, LLVM IR or SPIR-V for GenX, `-` for standard input, or folders of vISA; files that call each other's functions are one
    /// module
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// In folders, take only files whose names begin with this
    #[arg(long, value_name = "PREFIX", default_value = "")]
    only: String,
    /// Platform to compile for
    #[arg(short, long, value_parser = Machine)]
    platform: &'static Platform,
    /// Maximum numbers of registers
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [32, 48, 64, 80, 96, 112, 128])]
    grf_limit: Vec<u32>,
    /// Allocators
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "scan"
    )]
    allocator: Vec<AllocatorName>,
    /// Compile without each of these passes in turn, too
    #[arg(long, value_name = "PASS", value_delimiter = ',', value_parser = pass_parser())]
    without: Vec<&'static str>,
    /// Write the figures of every kernel as CSV, `-` for standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the figures of every kernel as JSON, `-` for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a plot of spill and fill messages over limits as SVG
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// Names of the allocators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum AllocatorName {
    /// Our own: one scan over the code, which spills the value whose next use is farthest
    Scan,
    /// regalloc2's after the same plan of spilling: splits live ranges and evicts earlier assignments
    Ion,
}

impl AllocatorName {
    pub fn allocator(self) -> Allocator {
        match self {
            AllocatorName::Scan => Allocator::Scan,
            AllocatorName::Ion => Allocator::Ion,
        }
    }

    fn name(self) -> &'static str {
        match self {
            AllocatorName::Scan => "scan",
            AllocatorName::Ion => "ion",
        }
    }
}

/// Result of one kernel.
#[derive(Clone, Debug, Serialize)]
struct Row {
    file: String,
    kernel: String,
    #[serde(flatten)]
    way: Way,
    /// `None` if the kernel does not compile.
    figures: Option<Figures>,
    /// Reason why it does not compile.
    failure: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Figures {
    /// Figures of the code.
    #[serde(flatten)]
    code: cost::Figures,
    moves: u32,
    milliseconds: f64,
}

impl Figures {
    fn of(compiled: &Compiled, platform: &'static Platform) -> Figures {
        let seconds = &compiled.seconds;
        Figures {
            code: cost::Figures::of(&compiled.code, platform),
            moves: compiled.allocation.moves,
            milliseconds: (seconds.ir + seconds.isel + seconds.regalloc + seconds.emit) * 1e3,
        }
    }

    fn with(self, other: &Figures) -> Figures {
        Figures {
            code: self.code.with(&other.code),
            moves: self.moves + other.moves,
            milliseconds: self.milliseconds + other.milliseconds,
        }
    }
}

/// One setting of the options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
struct Way {
    allocator: AllocatorName,
    /// The pass that is left out.
    without: Option<&'static str>,
    grfs: u32,
}

impl Way {
    /// The setting without its limit.
    fn line(self) -> (AllocatorName, Option<&'static str>) {
        (self.allocator, self.without)
    }
}

/// Result of one module with one setting.
type Compilation = Result<Vec<Row>, Box<Failure>>;

/// Runs the command. A file that cannot be read or a module that is not compiled with any setting does not stop the
/// others.
///
/// # Errors
/// The reason why nothing was compared.
pub fn sweep(args: &Args, format: Format) -> Result<Exit, Report> {
    let (inputs, mut problems) = input::open_each(&args.inputs, &args.only);
    let mut limits = args.grf_limit.clone();
    let mut seen = HashSet::new();
    limits.retain(|&limit| seen.insert(limit));
    let passes = || std::iter::once(None).chain(args.without.iter().copied().map(Some));
    let lines = (args.allocator.iter())
        .flat_map(|&allocator| passes().map(move |without| (allocator, without)));
    let ways: Vec<Way> = lines
        .flat_map(|(allocator, without)| {
            let way = move |&grfs| Way {
                allocator,
                without,
                grfs,
            };
            limits.iter().map(way)
        })
        .collect();
    let total = ways.len() * inputs.len();
    let (mut compiled, mut refused) = (Vec::new(), HashSet::new());
    progress::with_bar(total as u64, "files", |done| {
        for way in &ways {
            let mut rows = Vec::new();
            for (file, result) in compile(args, &inputs, *way, done) {
                match result {
                    Ok(some) => rows.extend(some),
                    // Most errors are those of every setting.
                    Err(failure) if refused.insert(file) => {
                        problems.push(report::failure(&inputs, &failure));
                    }
                    Err(_) => {}
                }
            }
            compiled.push((*way, rows));
        }
    });
    let rows: Vec<&Row> = compiled.iter().flat_map(|(_, rows)| rows).collect();
    let mut outputs = Outputs::new(inputs.iter().map(|input| input.path.as_path()));
    if let Some(path) = &args.csv {
        outputs.add(path, csv(&rows)?)?;
    }
    if let Some(path) = &args.json {
        outputs.json(path, &rows)?;
    }
    let sums = sums(&compiled);
    if let Some(path) = &args.svg {
        let mut out = String::new();
        let area = SVGBackend::with_string(&mut out, PLOT).into_drawing_area();
        draw(&sums, &area).map_err(|e| report::file(path, &*e))?;
        drop(area);
        outputs.svg(path, out)?;
    }
    if !rows.is_empty() || problems.is_empty() || format == Format::Json {
        outputs.report(format, &rows, || table(&sums))?;
    }
    outputs.write()?;
    for line in failures(&rows) {
        output::say(&report::warning(&line));
    }
    Ok(exit::say(&problems))
}

/// The rows of each module, with the number of its first file.
fn compile(args: &Args, inputs: &[Input], way: Way, done: &Done) -> Vec<(usize, Compilation)> {
    let session = Session::new(Options {
        grf_limit: way.grfs,
        grfs: Grfs::Limit,
        allocator: way.allocator.allocator(),
        without: way.without.into_iter().collect(),
        ..Options::new(args.platform)
    });
    let sources: Vec<_> = inputs.iter().map(Input::source).collect();
    let of = |Outcome { files, result }: Outcome| {
        done.things.fetch_add(files.len() as u64, Relaxed);
        let file = files.first().copied().unwrap_or_default();
        let row = |kernel: &str, figures, failure| Row {
            file: sources[file].name.to_string(),
            kernel: kernel.to_string(),
            way,
            figures,
            failure,
        };
        let rows = match result {
            Ok(module) => {
                let all = module.kernels.iter().chain(&module.functions);
                let row =
                    |one: &Compiled| row(&one.name, Some(Figures::of(one, args.platform)), None);
                Ok(all.map(row).collect())
            }
            Err(failure) if is_of_registers(&failure.error) => {
                Ok(vec![row("", None, Some(failure.error.to_string()))])
            }
            Err(failure) => Err(failure),
        };
        (file, rows)
    };
    session.compile_each(&sources, of)
}

/// True if the error is that registers are too few, which is a result here.
fn is_of_registers(error: &Error) -> bool {
    matches!(error, Error::Compile(CompileError::Allocate(_)))
}

/// For each setting, sums over the files that compile with every setting, and the number of files that fail with this
/// one.
fn sums(ways: &[(Way, Vec<Row>)]) -> Vec<(Way, Figures, usize)> {
    let failed = |row: &&Row| row.figures.is_none();
    let all = ways.iter().flat_map(|(_, rows)| rows);
    let out: HashSet<&str> = all.filter(failed).map(|row| row.file.as_str()).collect();
    let sum = |(way, rows): &(Way, Vec<Row>)| {
        let counted = rows.iter().filter(|row| !out.contains(row.file.as_str()));
        let figures = counted.filter_map(|row| row.figures.as_ref());
        let sum = figures.fold(Figures::default(), Figures::with);
        (*way, sum, rows.iter().filter(failed).count())
    };
    ways.iter().map(sum).collect()
}

fn table(sums: &[(Way, Figures, usize)]) -> String {
    let heading = [
        "allocator",
        "without",
        "GRFs",
        "instructions",
        "bytes",
        "moves",
        "spills",
        "fills",
        "spill bytes",
        "cycles",
        "ms",
        "too few",
    ];
    let mut lines = vec![heading.map(str::to_string)];
    for (way, f, failures) in sums {
        lines.push([
            way.allocator.name().to_string(),
            way.without.unwrap_or("-").to_string(),
            way.grfs.to_string(),
            f.code.instructions.to_string(),
            f.code.bytes.to_string(),
            f.moves.to_string(),
            f.code.spills.to_string(),
            f.code.fills.to_string(),
            f.code.spill_bytes.to_string(),
            format!("{:.0}", f.code.cycles),
            format!("{:.2}", f.milliseconds),
            match failures {
                0 => String::new(),
                n => n.to_string(),
            },
        ]);
    }
    stats::align(&lines)
}

/// Failures, a line for each file with the highest limit at which it fails.
fn failures(rows: &[&Row]) -> Vec<String> {
    let mut last: Vec<&Row> = Vec::new();
    for row in rows.iter().filter(|row| row.failure.is_some()) {
        match last.iter_mut().find(|other| other.file == row.file) {
            Some(other) if other.way.grfs < row.way.grfs => *other = row,
            Some(_) => {}
            None => last.push(row),
        }
    }
    let line = |row: &&Row| {
        let why = row.failure.as_deref().unwrap_or_default();
        format!("{}: {why}", row.file)
    };
    last.iter().map(line).collect()
}

fn csv(rows: &[&Row]) -> Result<Vec<u8>, Report> {
    let heading = "file kernel allocator without grfs instructions bytes moves spills fills spill_bytes cycles milliseconds";
    let lines = rows.iter().map(|row| {
        let figure = |of: fn(&Figures) -> String| row.figures.as_ref().map_or_else(String::new, of);
        [
            row.file.clone(),
            row.kernel.clone(),
            row.way.allocator.name().to_string(),
            row.way.without.unwrap_or_default().to_string(),
            row.way.grfs.to_string(),
            figure(|f| f.code.instructions.to_string()),
            figure(|f| f.code.bytes.to_string()),
            figure(|f| f.moves.to_string()),
            figure(|f| f.code.spills.to_string()),
            figure(|f| f.code.fills.to_string()),
            figure(|f| f.code.spill_bytes.to_string()),
            figure(|f| format!("{:.0}", f.code.cycles)),
            figure(|f| format!("{:.3}", f.milliseconds)),
        ]
    });
    stats::csv(heading, lines)
}

/// Plots messages over limits, a line for each allocator and pass left out.
fn draw(
    sums: &[(Way, Figures, usize)],
    area: &DrawingArea<SVGBackend, plotters::coord::Shift>,
) -> Result<(), Box<dyn std::error::Error>> {
    area.fill(&WHITE)?;
    let sizes = || sums.iter().map(|(way, ..)| way.grfs);
    let (least, most) = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(1));
    let messages = |f: &Figures| f.code.spills + f.code.fills;
    let highest = sums.iter().map(|(_, f, _)| messages(f)).max();
    let mut chart = ChartBuilder::on(area)
        .caption(
            "Messages of spills and fills by register limit",
            ("sans-serif", 16),
        )
        .margin(8)
        .x_label_area_size(36)
        .y_label_area_size(64)
        .build_cartesian_2d(least..most.max(least + 1), 0..highest.unwrap_or(0) + 1)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.1))
        .x_desc("maximum number of GRFs")
        .y_desc("spill and fill messages")
        .draw()?;
    let mut lines: Vec<_> = sums.iter().map(|(way, ..)| way.line()).collect();
    lines.dedup();
    for (n, line) in lines.into_iter().enumerate() {
        let (allocator, without) = line;
        let colour = COLOURS[n % COLOURS.len()];
        let mut points: Vec<(u32, usize)> = (sums.iter())
            .filter(|(way, ..)| way.line() == line)
            .map(|(way, f, _)| (way.grfs, messages(f)))
            .collect();
        points.sort_unstable();
        let name = match without {
            Some(pass) => format!("{} without {pass}", allocator.name()),
            None => allocator.name().to_string(),
        };
        chart
            .draw_series(LineSeries::new(points, colour.stroke_width(2)).point_size(DOT))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
    }
    chart.configure_series_labels().border_style(BLACK).draw()?;
    area.present()?;
    Ok(())
}
