//! `kiln diff`: the figures of two builds, side by side.
//!
//! The form is that of reports about shader databases: totals over the kernels that both builds have, totals over those
//! whose figure changed, sums of what grew and of what shrank, and the kernels that changed most. The figures are those
//! of `kiln bench`. [`load`] reads a build, [`table`] writes the report.

mod load;
mod table;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kiln_emit::platform::Platform;
use miette::Report;
use serde::Serialize;

use super::exit::Exit;
use super::output::Outputs;
use super::platforms::Machine;
use super::{Format, output, report};
use load::Side;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln diff examples/saxpy/saxpy.zebin examples/saxpy/bmg/saxpy.zebin --markdown report.md
  kiln diff --with kiln examples/*/*.visaasm -p skl --fail-above 1%")]
pub struct Args {
    /// Two builds: object files, machine code, folders of these, figures of `compile --stats`, `bench --json` or `run
    /// --stats`; one file of `bench --json` compares its two sides; with --with, inputs to compile
    #[arg(required = true, value_name = "BUILD")]
    builds: Vec<PathBuf>,
    /// Compile the inputs with this older program and with the one that runs
    #[arg(long, value_name = "PROGRAM", requires = "platform")]
    with: Option<PathBuf>,
    /// Platform of machine code that is in no object file, and to compile for
    #[arg(short, long, value_parser = Machine)]
    platform: Option<&'static Platform>,
    /// End with exit code 1 if the total of a figure grows by more than this, or if a kernel is gone
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    fail_above: Option<f64>,
    /// Write the report as Markdown, `-` for standard output
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Write the report as a page, `-` for standard output
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Write the figures of every kernel as CSV, `-` for standard output
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Write the report and all figures as JSON, `-` for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').unwrap_or(text).parse::<f64>();
    let number = number
        .ok()
        .filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| format!("`{text}` is no percentage, such as 1%"))
}

/// A figure of kernels, of which less is better.
struct Measure {
    /// Name in reports, and in JSON and CSV.
    name: &'static str,
    key: &'static str,
    of: fn(&Numbers) -> Option<f64>,
}

/// The compared figures in the order of reports.
static MEASURES: [Measure; 9] = [
    measure("instructions", "instructions", |n| n.instructions),
    measure("bytes", "bytes", |n| n.bytes),
    measure("spill bytes", "spill_bytes", |n| n.spill_bytes),
    measure("spill and fill messages", "messages", |n| n.messages),
    measure("live registers", "live", |n| n.live),
    measure("peak registers", "max_pressure", |n| n.max_pressure),
    measure("registers used", "grf_used", |n| n.grf_used),
    measure("estimated cycles", "cycles", |n| n.cycles),
    measure("executed instructions", "executed", |n| n.executed),
];

const fn measure(
    name: &'static str,
    key: &'static str,
    of: fn(&Numbers) -> Option<f64>,
) -> Measure {
    Measure { name, key, of }
}

/// Figures of a kernel; those that its file does not have are missing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Numbers {
    instructions: Option<f64>,
    bytes: Option<f64>,
    spill_bytes: Option<f64>,
    messages: Option<f64>,
    /// The most general registers that live at once in machine code.
    live: Option<f64>,
    max_pressure: Option<f64>,
    grf_used: Option<f64>,
    cycles: Option<f64>,
    executed: Option<f64>,
}

/// The comparison.
#[derive(Serialize)]
struct Diff {
    version: u32,
    before: String,
    after: String,
    /// Number of kernels that both builds have.
    kernels: usize,
    only_before: Vec<String>,
    only_after: Vec<String>,
    measures: Vec<Compared>,
    rows: Vec<Row>,
}

/// A figure of a kernel that both builds have.
#[derive(Serialize)]
struct Row {
    kernel: String,
    /// By figure: before and after.
    figures: BTreeMap<&'static str, [f64; 2]>,
}

/// A figure over all kernels that have it in both builds.
#[derive(Serialize)]
struct Compared {
    #[serde(skip)]
    name: &'static str,
    figure: &'static str,
    kernels: usize,
    total: Total,
    /// Kernels whose figure changed.
    affected: Sum,
    worse: Sum,
    better: Sum,
    /// The kernels that grew most and shrank most, by ratio.
    worst: Vec<Changed>,
    best: Vec<Changed>,
}

#[derive(Clone, Copy, Default, Serialize)]
struct Total {
    before: f64,
    after: f64,
}

#[derive(Clone, Copy, Default, Serialize)]
struct Sum {
    kernels: usize,
    before: f64,
    after: f64,
}

#[derive(Clone, Serialize)]
struct Changed {
    kernel: String,
    before: f64,
    after: f64,
}

/// Kernels in a list of those that changed most.
const MOST: usize = 10;

impl Sum {
    fn add(&mut self, [before, after]: [f64; 2]) {
        self.kernels += 1;
        self.before += before;
        self.after += after;
    }

    fn change(&self) -> f64 {
        self.after - self.before
    }
}

/// Growth in percent; from nothing it is infinite.
fn growth(before: f64, after: f64) -> f64 {
    match before == after {
        true => 0.0,
        false => (after / before - 1.0) * 100.0,
    }
}

/// Runs the command.
///
/// # Errors
/// The reason why nothing was compared.
pub fn diff(args: &Args, format: Format) -> Result<Exit, Report> {
    let [before, after] = match (&args.with, args.platform, args.builds.as_slice()) {
        (Some(program), Some(platform), inputs) => load::compiled(program, inputs, platform)?,
        (_, _, [before, after]) => [before, after]
            .map(|path| load::build(path, args.platform))
            .try_each()?,
        (_, _, [one]) => load::both(one)?,
        (_, _, more) => {
            return Err(report::usage(format_args!(
                "two builds are compared, and {} are given",
                more.len()
            )));
        }
    };
    let diff = compare(before, after);
    let mut outputs = Outputs::new(args.builds.iter().map(PathBuf::as_path));
    if let Some(path) = &args.json {
        outputs.json(path, &diff)?;
    }
    if let Some(path) = &args.csv {
        outputs.add(path, table::csv(&diff)?)?;
    }
    if let Some(path) = &args.markdown {
        outputs.add(path, table::markdown(&diff).into_bytes())?;
    }
    if let Some(path) = &args.html {
        outputs.add(path, table::html(&diff).into_bytes())?;
    }
    outputs.report(format, &diff, || table::text(&diff))?;
    outputs.write()?;
    Ok(match args.fail_above.map(|limit| too_much(&diff, limit)) {
        Some(said) if !said.is_empty() => {
            for said in said {
                output::say(&report::contents(&said));
            }
            Exit::Wrong
        }
        _ => Exit::Done,
    })
}

/// Both results, or the first error.
trait TryEach<T> {
    fn try_each(self) -> Result<[T; 2], Report>;
}

impl<T> TryEach<T> for [Result<T, Report>; 2] {
    fn try_each(self) -> Result<[T; 2], Report> {
        let [a, b] = self;
        Ok([a?, b?])
    }
}

/// Measures that grew by more than the limit, which is in percent.
fn too_much(diff: &Diff, limit: f64) -> Vec<String> {
    let grown = diff.measures.iter().filter_map(|measure| {
        let Total { before, after } = measure.total;
        let by = growth(before, after);
        (by > limit).then(|| {
            let name = measure.name;
            format!("{name}: {before:.0} → {after:.0} ({by:+.2} %), more than {limit} %")
        })
    });
    let gone = diff.only_before.iter();
    let gone = gone.map(|kernel| format!("{kernel} is in `{}` only", diff.before));
    grown.chain(gone).collect()
}

fn compare(before: Side, after: Side) -> Diff {
    // Files that say the scratch space of a thread, and counts of what code writes there.
    let comparable = before.kind == after.kind;
    let mut rows = Vec::new();
    let (mut only_before, mut left) = (Vec::new(), after.kernels);
    // Two single kernels are compared whatever their names are.
    let single = before.kernels.len() == 1 && left.len() == 1;
    for (kernel, old) in before.kernels {
        let new = match single {
            true => left.pop_first().map(|(_, new)| new),
            false => left.remove(&kernel),
        };
        let Some(new) = new else {
            only_before.push(kernel);
            continue;
        };
        let figures = MEASURES.iter().filter_map(|measure| {
            let both = [(measure.of)(&old)?, (measure.of)(&new)?];
            let said = comparable || measure.key != "spill_bytes";
            said.then_some((measure.key, both))
        });
        rows.push(Row {
            kernel,
            figures: figures.collect(),
        });
    }
    let measures = MEASURES
        .iter()
        .filter_map(|measure| compared(measure, &rows));
    Diff {
        version: 1,
        before: before.name,
        after: after.name,
        kernels: rows.len(),
        only_before,
        only_after: left.into_keys().collect(),
        measures: measures.collect(),
        rows,
    }
}

/// `None` if no kernel has the figure in both builds.
fn compared(measure: &Measure, rows: &[Row]) -> Option<Compared> {
    let of = |row: &Row| Some((row.kernel.clone(), *row.figures.get(measure.key)?));
    let all: Vec<(String, [f64; 2])> = rows.iter().filter_map(of).collect();
    if all.is_empty() {
        return None;
    }
    let mut total = Total::default();
    let [mut affected, mut worse, mut better] = [Sum::default(); 3];
    for (_, both @ [before, after]) in &all {
        total.before += before;
        total.after += after;
        if before != after {
            affected.add(*both);
        }
        if before < after {
            worse.add(*both);
        }
        if before > after {
            better.add(*both);
        }
    }
    let most = |is_of: fn(f64) -> bool| {
        let mut changed: Vec<Changed> = (all.iter())
            .filter(|(_, [before, after])| is_of(after - before))
            .map(|(kernel, [before, after])| Changed {
                kernel: kernel.clone(),
                before: *before,
                after: *after,
            })
            .collect();
        // By ratio, then by difference, then by name.
        changed.sort_by(|a, b| {
            let of = |c: &Changed| (growth(c.before, c.after).abs(), (c.after - c.before).abs());
            let ((ra, da), (rb, db)) = (of(a), of(b));
            rb.total_cmp(&ra)
                .then(db.total_cmp(&da))
                .then(a.kernel.cmp(&b.kernel))
        });
        changed.truncate(MOST);
        changed
    };
    Some(Compared {
        name: measure.name,
        figure: measure.key,
        kernels: all.len(),
        total,
        affected,
        worse,
        better,
        worst: most(|by| by > 0.0),
        best: most(|by| by < 0.0),
    })
}

/// The name of a build in reports.
fn name(path: &Path) -> String {
    report::name(path)
}
