//! `kiln pressure --summary`: a line for each kernel, function and subroutine of a corpus.

use std::sync::atomic::Ordering::Relaxed;

use kiln_compile::pressure::{Kept, Profile};
use kiln_compile::{Failure, Outcome, Session};
use miette::Report;
use serde::Serialize;

use super::super::exit::Exit;
use super::super::input::{self, Input};
use super::super::output::Outputs;
use super::super::{Format, exit, progress, report, stats};
use super::{Args, options, place};

/// The pressure of a kernel, a function or a subroutine.
#[derive(Serialize)]
struct Row {
    file: String,
    platform: &'static str,
    kernel: String,
    /// The kernel's own code, or a subroutine.
    part: String,
    /// Number of points.
    points: usize,
    /// Maximum of the GRFs live at once, and bytes of them in use.
    peak: u32,
    peak_bytes: u32,
    /// GRFs at the peak that only waiting channels want, of constants, and in memory.
    waiting: u32,
    constants: u32,
    in_memory: u32,
    /// Mean over all points.
    mean: f64,
    /// Number of points with more live GRFs than the limit.
    above: usize,
    /// Place of the peak: vISA instruction, source line, loop depth.
    visa: Option<u32>,
    source: String,
    loops: u32,
}

impl Row {
    fn new(file: &str, platform: &'static str, kernel: &str, profile: &Profile) -> Option<Row> {
        let points = &profile.points;
        let peak = points.get(profile.peak)?;
        let [_, source] = place(profile, peak);
        let sum: u64 = points.iter().map(|point| u64::from(point.grfs)).sum();
        Some(Row {
            file: file.to_string(),
            platform,
            kernel: kernel.to_string(),
            part: profile.name.clone(),
            points: points.len(),
            peak: peak.grfs,
            peak_bytes: peak.bytes,
            waiting: profile.kept(Kept::Waiting),
            constants: profile.kept(Kept::Constant),
            in_memory: profile.kept(Kept::Memory),
            mean: sum as f64 / points.len() as f64,
            above: points.iter().filter(|p| p.grfs > profile.grfs).count(),
            visa: peak.visa,
            source,
            loops: peak.loops,
        })
    }

    fn cells(&self) -> [String; 15] {
        [
            self.file.clone(),
            self.platform.to_string(),
            self.kernel.clone(),
            self.part.clone(),
            self.points.to_string(),
            self.peak.to_string(),
            self.peak_bytes.to_string(),
            self.waiting.to_string(),
            self.constants.to_string(),
            self.in_memory.to_string(),
            format!("{:.1}", self.mean),
            self.above.to_string(),
            self.visa.map_or_else(String::new, |visa| visa.to_string()),
            self.source.clone(),
            self.loops.to_string(),
        ]
    }
}

/// Names of the columns.
const HEADING: &str = "file platform kernel part points peak peak_bytes waiting constants in_memory mean above visa source loops";

/// Runs the command. A file that cannot be read and a module that cannot be compiled are reported and do not stop the
/// others.
///
/// # Errors
/// The reason why nothing was printed.
pub fn write(args: &Args, format: Format) -> Result<Exit, Report> {
    let (inputs, mut failures) = input::open_each(&args.inputs, &args.only);
    let sources: Vec<_> = inputs.iter().map(Input::source).collect();
    let of = |Outcome { files, result }: Outcome, platform| -> Result<Vec<Row>, Box<Failure>> {
        let module = result?;
        let file = files.first().map_or("", |&file| sources[file].name);
        let rows = module.parts().flat_map(|one| {
            let profiles = one.profiles.iter();
            profiles.filter_map(|profile| Row::new(file, platform, &one.name, profile))
        });
        Ok(rows.collect())
    };
    let all = inputs.len() * args.platforms.len();
    let outcomes = progress::with_bar(all as u64, "files", |done| {
        let each = args.platforms.iter().flat_map(|platform| {
            let session = Session::new(options(args, platform));
            session.compile_each(&sources, |outcome| {
                done.things.fetch_add(outcome.files.len() as u64, Relaxed);
                of(outcome, platform.name)
            })
        });
        each.collect::<Vec<_>>()
    });
    let mut rows = Vec::new();
    for outcome in outcomes {
        match outcome {
            Ok(some) => rows.extend(some),
            Err(failure) => failures.push(report::failure(&inputs, &failure)),
        }
    }
    let mut outputs = Outputs::new(inputs.iter().map(|input| input.path.as_path()));
    if let Some(path) = &args.json {
        outputs.json(path, &rows)?;
    }
    if let Some(path) = &args.csv {
        outputs.add(path, stats::csv(HEADING, rows.iter().map(Row::cells))?)?;
    }
    outputs.report(format, &rows, || {
        let mut heading = HEADING.split(' ').map(|word| word.replace('_', " "));
        let mut lines = vec![std::array::from_fn(|_| heading.next().unwrap_or_default())];
        lines.extend(rows.iter().map(Row::cells));
        stats::align(&lines)
    })?;
    outputs.write()?;
    Ok(exit::say(&failures))
}
