//! `kiln cost`: estimated cycles of machine code, and their causes.
//!
//! Works on code of any compiler: all figures come from decoded instructions (docs/cost-model.md).

use std::path::{Path, PathBuf};

use kiln_emit::cost::timeline::{self, Timeline};
use kiln_emit::cost::{self, Block, Cycles, Estimate, Weights};
use kiln_emit::inst::{Inst, Op};
use kiln_emit::listing::{self, Style};
use kiln_emit::platform::Platform;
use miette::{Report, miette};
use serde::{Deserialize, Serialize};

use super::disasm::unit::Unit;
use super::disasm::{File, illegal, open};
use super::exit::{self, Exit};
use super::input::Input;
use super::output::Outputs;
use super::platforms::{self, Machine};
use super::{Format, progress, report, stats};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln cost examples/sgemm/sgemm.zebin
  kiln cost examples/sgemm/sgemm.zebin --timeline
  kiln cost examples/*/*.zebin --format json")]
pub struct Args {
    /// Zebins or raw machine code, `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Platform of the code; several, with commas, each have their turn [default: as a zebin says]
    #[arg(short, long = "platform", value_name = "PLATFORM", value_delimiter = ',', value_parser = Machine)]
    platforms: Vec<&'static Platform>,
    /// Only this kernel or function of a zebin
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Weight each block by its execution count in a run (`kiln run --stats=STATS`)
    #[arg(long, value_name = "STATS")]
    counts: Option<PathBuf>,
    /// Show each instruction: when it is issued, how long it waits, for what and for which instruction; and what takes the
    /// time of each loop
    #[arg(long)]
    timeline: bool,
    /// Write the figures of the code and of each block as JSON, `-` for standard output
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Figures of machine code.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Figures {
    pub instructions: usize,
    /// Instructions that only wait.
    pub syncs: usize,
    pub bytes: usize,
    /// Scratch writes and reads, and bytes written.
    pub spills: usize,
    pub fills: usize,
    pub spill_bytes: usize,
    /// Estimated cycles.
    pub cycles: f64,
}

impl Figures {
    /// Figures of a piece of machine code; each loop counts ten iterations.
    pub fn of(code: &[u8], platform: &'static Platform) -> Figures {
        let insts = listing::insts(code, platform);
        let estimate = cost::estimate(&insts, platform, Weights::Loops);
        Figures::counted(&insts, &estimate, platform)
    }

    /// Adds the figures of other code.
    pub fn with(&self, other: &Figures) -> Figures {
        Figures {
            instructions: self.instructions + other.instructions,
            syncs: self.syncs + other.syncs,
            bytes: self.bytes + other.bytes,
            spills: self.spills + other.spills,
            fills: self.fills + other.fills,
            spill_bytes: self.spill_bytes + other.spill_bytes,
            cycles: self.cycles + other.cycles,
        }
    }

    fn counted(insts: &[Inst], estimate: &Estimate, platform: &Platform) -> Figures {
        let scratch = cost::scratch(insts, platform);
        let waits = |inst: &&Inst| matches!(inst.op, Op::Sync(_));
        Figures {
            instructions: insts.len(),
            syncs: insts.iter().filter(waits).count(),
            bytes: insts.iter().map(|inst| inst.size() as usize).sum(),
            spills: scratch.spills,
            fills: scratch.fills,
            spill_bytes: scratch.bytes,
            cycles: estimate.cycles.sum(),
        }
    }
}

/// A piece of code with its figures.
#[derive(Serialize)]
struct Row {
    file: String,
    platform: &'static str,
    /// Section of an object file.
    section: Option<String>,
    #[serde(flatten)]
    figures: Figures,
    /// Cycles by cause.
    parts: Cycles,
    blocks: Vec<Block>,
    /// The time of each instruction and loop, if it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    timeline: Option<Timeline>,
    #[serde(skip)]
    text: String,
}

/// Execution count of each instruction of a kernel.
#[derive(Deserialize)]
pub struct Counts {
    kernel: String,
    by_place: Vec<u64>,
}

impl Counts {
    /// The counts of a run.
    ///
    /// # Errors
    /// The file cannot be read, or holds none.
    pub fn read(path: &Path) -> Result<Counts, Report> {
        let input = Input::open(path)?;
        serde_json::from_slice(&input).map_err(|e| report::file(path, &e))
    }

    /// The counts of that many instructions.
    ///
    /// # Errors
    /// Fewer were counted: that number.
    pub fn of(&self, instructions: usize) -> Result<&[u64], usize> {
        self.by_place.get(..instructions).ok_or(self.by_place.len())
    }
}

/// Runs the command. A file that cannot be read does not stop the others.
///
/// # Errors
/// The reason why nothing was estimated.
pub fn cost(args: &Args, format: Format) -> Result<Exit, Report> {
    let counts = args.counts.as_deref().map(Counts::read).transpose()?;
    let counted = counts.as_ref().map(|counts| counts.kernel.as_str());
    let kernel = args.kernel.as_deref().or(counted);
    let of = |(path, platform): &(&PathBuf, Option<&'static Platform>)| {
        // Raw code has no names, so it is assumed to be the kernel that was counted.
        let whole = args.kernel.is_none();
        let file = match open(path, *platform, kernel) {
            Err(_) if whole => open(path, *platform, None)?,
            file => file?,
        };
        rows(&file, counts.as_ref(), args.timeline)
    };
    let turns = platforms::turns(&args.files, &args.platforms);
    let files: Vec<Result<Rows, Report>> = progress::each(&turns, "files", of);
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    for file in files {
        match file {
            Ok(file) => {
                rows.extend(file.rows);
                problems.extend(file.illegal);
            }
            Err(problem) => problems.push(problem),
        }
    }
    let mut outputs = Outputs::new(args.files.iter().map(PathBuf::as_path));
    if let Some(path) = &args.json {
        outputs.json(path, &rows)?;
    }
    if !rows.is_empty() || problems.is_empty() || format == Format::Json {
        outputs.report(format, &rows, || table(&rows, args.platforms.len() > 1))?;
    }
    outputs.write()?;
    Ok(exit::say(&problems))
}

/// Figures of a file.
struct Rows {
    rows: Vec<Row>,
    /// Diagnostic about bytes that decode to no instruction.
    illegal: Option<Report>,
}

fn rows(file: &File, counts: Option<&Counts>, timeline: bool) -> Result<Rows, Report> {
    let mut listed = listing::Counts::default();
    let row = |unit: &Unit| {
        let insts = listing::insts(unit.code(), file.platform);
        let counts = counts.map(|counts| counts.of(insts.len())).transpose();
        let counts = counts.map_err(|found| {
            miette!(
                "{}: it has {} instructions, of which {found} were counted",
                report::name(file.path),
                insts.len()
            )
        })?;
        let weights = counts.map_or(Weights::Loops, Weights::Counts);
        let counted = listing::count(unit.code(), file.platform);
        listed.entries += counted.entries;
        listed.illegal += counted.illegal;
        let timeline = timeline.then(|| timeline::timeline(&insts, file.platform, weights));
        let estimate = cost::estimate(&insts, file.platform, weights);
        Ok(Row {
            file: report::name(file.path),
            platform: file.platform.name,
            section: unit.section.clone(),
            figures: Figures::counted(&insts, &estimate, file.platform),
            parts: estimate.cycles,
            text: timeline.as_ref().map_or_else(String::new, |timeline| {
                steps(timeline, &insts, &estimate.blocks, file.platform)
            }),
            timeline,
            blocks: estimate.blocks,
        })
    };
    let rows = file.units.iter().map(row).collect::<Result<_, Report>>()?;
    Ok(Rows {
        rows,
        illegal: illegal(file, listed),
    })
}

/// The figures as text, with their platforms if there are `several`.
fn table(rows: &[Row], several: bool) -> String {
    let heading = [
        "code",
        "instructions",
        "bytes",
        "spills",
        "fills",
        "spill bytes",
        "cycles",
        "issue",
        "results",
        "messages",
        "units",
        "banks",
    ];
    let mut lines = vec![heading.map(str::to_string)];
    for Row {
        file,
        platform,
        section,
        figures,
        parts,
        ..
    } in rows
    {
        let Cycles {
            issue,
            banks,
            results,
            messages,
            units,
        } = parts;
        let cycles = |n: &f64| format!("{n:.0}");
        let code = match section {
            Some(section) => format!("{file}, {section}"),
            None => file.clone(),
        };
        lines.push([
            if several {
                format!("{code} ({platform})")
            } else {
                code
            },
            figures.instructions.to_string(),
            figures.bytes.to_string(),
            figures.spills.to_string(),
            figures.fills.to_string(),
            figures.spill_bytes.to_string(),
            cycles(&figures.cycles),
            cycles(issue),
            cycles(results),
            cycles(messages),
            cycles(units),
            cycles(banks),
        ]);
    }
    let mut text = stats::align(&lines);
    for row in rows.iter().filter(|row| !row.text.is_empty()) {
        text.push('\n');
        text.push_str(&row.text);
    }
    text
}

/// The time of each instruction, with a star on the chain that decides how long its block takes, and a line for each loop.
fn steps(timeline: &Timeline, insts: &[Inst], blocks: &[Block], platform: &Platform) -> String {
    let mut critical = vec![false; insts.len()];
    for block in blocks {
        let (first, end) = (
            block.first as u32,
            (block.first + block.instructions) as u32,
        );
        for at in timeline::critical_path(&timeline.steps, first, end) {
            critical[at as usize] = true;
        }
    }
    let heading = ["number", "cycle", "issue", "waits", "for", "of", ""];
    let mut lines = vec![heading.map(str::to_string)];
    let mut texts = vec!["instruction".to_string()];
    let mut offset = 0;
    for (at, (inst, step)) in insts.iter().zip(&timeline.steps).enumerate() {
        let waits = Cycles {
            issue: 0.0,
            ..step.cycles
        };
        let (cause, _) = timeline::bottleneck(&waits);
        let waited = waits.sum();
        lines.push([
            at.to_string(),
            step.start.to_string(),
            step.cycles.issue.to_string(),
            waited.to_string(),
            if waited > 0.0 {
                cause.to_string()
            } else {
                String::new()
            },
            step.stalled_by
                .map_or_else(String::new, |by| by.to_string()),
            if critical[at] {
                "*".to_string()
            } else {
                String::new()
            },
        ]);
        texts.push(listing::line(inst, offset, platform, Style::Labels));
        offset += inst.size();
    }
    let table = stats::align(&lines);
    let mut text = String::new();
    for (line, inst) in table.lines().zip(&texts) {
        text.push_str(&format!("{line}  {inst}\n"));
    }
    for own in &timeline.loops {
        text.push_str(&format!(
            "loop of {} to {}: {}\n",
            own.first,
            own.last,
            bottleneck(own)
        ));
    }
    text
}

/// A line that says where the time of a loop goes.
pub fn bottleneck(own: &timeline::Loop) -> String {
    let sum = own.cycles.sum();
    let (cause, most) = timeline::bottleneck(&own.cycles);
    let part = if sum > 0.0 { 100.0 * most / sum } else { 0.0 };
    let mut text = format!("{sum:.0} cycles a round, {part:.0} % {cause}");
    if let Some((at, waits)) = own.worst {
        text.push_str(&format!("; instruction {at} waits {waits:.0}"));
    }
    text
}
