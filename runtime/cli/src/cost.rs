//! `kiln cost`: estimated cycles of machine code, and their causes.
//!
//! Works on code of any compiler: all figures come from decoded instructions (docs/cost-model.md).

use std::path::{Path, PathBuf};

use kiln_emit::cost::{self, Block, Cycles, Estimate, Weights};
use kiln_emit::inst::{Inst, Op};
use kiln_emit::listing;
use kiln_emit::platform::Platform;
use miette::{Report, miette};
use serde::{Deserialize, Serialize};

use super::disasm::unit::Unit;
use super::disasm::{File, illegal, open};
use super::exit::{self, Exit};
use super::input::Input;
use super::output::Outputs;
use super::platforms::Machine;
use super::{Format, progress, report, stats};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln cost examples/sgemm/sgemm.zebin
  kiln cost examples/*/*.zebin --format json")]
pub struct Args {
    /// Zebins or raw machine code, `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Platform of the code [default: as a zebin says]
    #[arg(short, long, value_parser = Machine)]
    platform: Option<&'static Platform>,
    /// Only this kernel or function of a zebin
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Weight each block by its execution count in a run (`kiln run --stats=STATS`)
    #[arg(long, value_name = "STATS")]
    counts: Option<PathBuf>,
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
    /// Section of an object file.
    section: Option<String>,
    #[serde(flatten)]
    figures: Figures,
    /// Cycles by cause.
    parts: Cycles,
    blocks: Vec<Block>,
}

/// Execution count of each instruction of a kernel.
#[derive(Deserialize)]
struct Counts {
    kernel: String,
    by_place: Vec<u64>,
}

/// Runs the command. A file that cannot be read does not stop the others.
///
/// # Errors
/// The reason why nothing was estimated.
pub fn cost(args: &Args, format: Format) -> Result<Exit, Report> {
    let counts = args.counts.as_deref().map(counts).transpose()?;
    let counted = counts.as_ref().map(|counts| counts.kernel.as_str());
    let kernel = args.kernel.as_deref().or(counted);
    let of = |path: &PathBuf| {
        // Raw code has no names, so it is assumed to be the kernel that was counted.
        let whole = args.kernel.is_none();
        let file = match open(path, args.platform, kernel) {
            Err(_) if whole => open(path, args.platform, None)?,
            file => file?,
        };
        rows(&file, counts.as_ref())
    };
    let files: Vec<Result<Rows, Report>> = progress::each(&args.files, "files", of);
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
        outputs.report(format, &rows, || table(&rows))?;
    }
    outputs.write()?;
    Ok(exit::say(&problems))
}

fn counts(path: &Path) -> Result<Counts, Report> {
    let input = Input::open(path)?;
    serde_json::from_slice(&input).map_err(|e| report::file(path, &e))
}

/// Figures of a file.
struct Rows {
    rows: Vec<Row>,
    /// Diagnostic about bytes that decode to no instruction.
    illegal: Option<Report>,
}

fn rows(file: &File, counts: Option<&Counts>) -> Result<Rows, Report> {
    let mut listed = listing::Counts::default();
    let row = |unit: &Unit| {
        let insts = listing::insts(unit.code(), file.platform);
        let weights = match counts {
            Some(counts) if counts.by_place.len() < insts.len() => {
                return Err(miette!(
                    "{}: it has {} instructions, of which {} were counted",
                    report::name(file.path),
                    insts.len(),
                    counts.by_place.len()
                ));
            }
            Some(counts) => Weights::Counts(&counts.by_place),
            None => Weights::Loops,
        };
        listed.entries += insts.len();
        listed.illegal += insts.iter().filter(|inst| inst.op == Op::Illegal).count();
        let estimate = cost::estimate(&insts, file.platform, weights);
        Ok(Row {
            file: report::name(file.path),
            section: unit.section.clone(),
            figures: Figures::counted(&insts, &estimate, file.platform),
            parts: estimate.cycles,
            blocks: estimate.blocks,
        })
    };
    let rows = file.units.iter().map(row).collect::<Result<_, _>>()?;
    Ok(Rows {
        rows,
        illegal: illegal(file, listed),
    })
}

fn table(rows: &[Row]) -> String {
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
        lines.push([
            match section {
                Some(section) => format!("{file}, {section}"),
                None => file.clone(),
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
    stats::align(&lines)
}
