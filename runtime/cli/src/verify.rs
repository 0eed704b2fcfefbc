//! `kiln verify`: checks machine code, raw or in object files.
//!
//! Each instruction must be one of the platform's and keep its rules. Where software annotates dependencies, the
//! annotations must cover every dependency on every path. An object must not let threads run in pairs of execution units if
//! the code is wrong there, nor let them be interrupted if it overwrites what an interruption restores. Findings are in the order of the files and of the code, each with the instructions involved.

use std::fmt::Write as _;
use std::path::PathBuf;

use kiln_emit::errata::header;
use kiln_emit::inst::{Inst, Op};
use kiln_emit::listing;
use kiln_emit::platform::Platform;
use kiln_emit::verify::{self, errata, late_reads, scoreboard};
use kiln_platform::errata::ROWS;
use miette::Report;
use serde::Serialize;

use super::disasm::unit::Unit;
use super::disasm::{File, open};
use super::exit::Exit;
use super::output::Outputs;
use super::platforms::{self, Machine, Revision};
use super::{Format, exit, progress, report};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln verify examples/*/*.zebin
  kiln compile examples/saxpy/saxpy.visaasm -p skl -o - -q | kiln verify - -p skl")]
pub struct Args {
    /// Zebins or raw machine code, `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Platform of the code; several, with commas, each have their turn [default: as a zebin says]
    #[arg(short, long = "platform", value_name = "PLATFORM", value_delimiter = ',', value_parser = Machine)]
    platforms: Vec<&'static Platform>,
    #[command(flatten)]
    revision: Revision,
}

/// Result for all files.
#[derive(Default, Serialize)]
struct Verified {
    /// The first [`MAX_FINDINGS`] of each file.
    findings: Vec<Finding>,
    /// Number of the others.
    more: usize,
    instructions: usize,
}

/// Maximum number of findings of a file that are kept: bytes that are no code give one each.
const MAX_FINDINGS: usize = 10_000;
/// Maximum number of places of a section that are no instruction. More are no code: what follows is only counted, and the
/// rules of the code as a whole are not asked, so that memory has a bound.
const MAX_ILLEGAL: usize = 10_000;

/// An error in code.
#[derive(Serialize)]
struct Finding {
    file: String,
    platform: &'static str,
    /// `None` for a raw file.
    section: Option<String>,
    /// `None` if it is about the code as a whole.
    at: Option<Place>,
    /// The instruction that `at` does not wait for.
    first: Option<Place>,
    message: String,
}

/// An instruction, or bytes that are none.
#[derive(Serialize)]
struct Place {
    /// Offset in the section, or in the raw file, in bytes.
    offset: u32,
    instruction: Option<String>,
}

/// Runs the command.
///
/// # Errors
/// The reason why nothing was written.
pub fn verify(args: &Args, format: Format) -> Result<Exit, Report> {
    let of = |(path, platform): &(&PathBuf, Option<&'static Platform>)| {
        let mut opened = open(path, *platform, None)?;
        opened.platform = args.revision.of(opened.platform);
        Ok(file(&opened))
    };
    let turns = platforms::turns(&args.files, &args.platforms);
    let each: Vec<Result<Verified, Report>> = progress::each(&turns, "files", of);
    let mut all = Verified::default();
    let mut problems = Vec::new();
    for verified in each {
        match verified {
            Ok(Verified {
                findings,
                more,
                instructions,
            }) => {
                all.findings.extend(findings);
                all.more += more;
                all.instructions += instructions;
            }
            Err(problem) => problems.push(problem),
        }
    }
    let mut outputs = Outputs::default();
    outputs.report(format, &all, || text(&all, args.platforms.len() > 1))?;
    outputs.write()?;
    let exit = exit::say(&problems);
    Ok(match (exit, all.findings.as_slice()) {
        (Exit::Done, [_, ..]) => Exit::Wrong,
        _ => exit,
    })
}

/// The findings as text, with their platforms if there are `several`.
fn text(verified: &Verified, several: bool) -> String {
    let mut out = String::new();
    for finding in &verified.findings {
        let Finding {
            file,
            platform,
            section,
            at,
            first,
            message,
        } = finding;
        let place = match section {
            Some(section) => format!("{file}, {section}"),
            None => file.clone(),
        };
        let place = if several {
            format!("{place} ({platform})")
        } else {
            place
        };
        let line = |place: &Place| match &place.instruction {
            Some(inst) => format!("{:#x}: {inst}", place.offset),
            None => format!("{:#x}", place.offset),
        };
        // Writing to a string cannot fail.
        let _ = match (at, first) {
            (Some(at), Some(first)) => writeln!(
                out,
                "{place}: {}\n    does not wait for {}\n    {message}",
                line(at),
                line(first)
            ),
            (Some(at), None) if at.instruction.is_some() => {
                writeln!(out, "{place}: {}\n    {message}", line(at))
            }
            (Some(at), None) => writeln!(out, "{place}: {}: {message}", line(at)),
            (None, _) => writeln!(out, "{place}: {message}"),
        };
    }
    let (instructions, more) = (verified.instructions, verified.more);
    let findings = verified.findings.len() + more;
    let _ = match more {
        0 => writeln!(out, "{instructions} instructions, {findings} findings"),
        _ => writeln!(
            out,
            "{instructions} instructions, {findings} findings, {more} of them not shown"
        ),
    };
    out
}

fn file(file: &File) -> Verified {
    let mut verified = Verified::default();
    for unit in &file.units {
        self::unit(unit, &report::name(file.path), file.platform, &mut verified);
    }
    verified
}

/// Findings in code that is in no file yet: the offset of each, if it has a place, and its message.
pub(super) fn findings(unit: &Unit, platform: &'static Platform) -> Vec<(Option<u32>, String)> {
    let mut verified = Verified::default();
    self::unit(unit, "", platform, &mut verified);
    let of = |finding: Finding| {
        let message = match finding.first.and_then(|first| first.instruction) {
            Some(first) => format!("{} (does not wait for {first})", finding.message),
            None => finding.message,
        };
        (finding.at.map(|at| at.offset), message)
    };
    verified.findings.into_iter().map(of).collect()
}

fn unit(unit: &Unit, name: &str, platform: &'static Platform, verified: &mut Verified) {
    let (mut insts, mut offsets) = (Vec::new(), Vec::new());
    let (mut count, mut illegal) = (0, 0);
    let mut say = |at, first, message: String| {
        if verified.findings.len() >= MAX_FINDINGS {
            verified.more += 1;
            return;
        }
        verified.findings.push(Finding {
            file: name.to_string(),
            platform: platform.name,
            section: unit.section.clone(),
            at,
            first,
            message,
        });
    };
    let place = |offset: u32, inst: Option<&Inst>| {
        Some(Place {
            offset,
            instruction: inst.map(ToString::to_string),
        })
    };
    for entry in listing::entries(unit.code(), platform) {
        count += 1;
        let inst = match entry.inst {
            Ok(inst) => inst,
            Err(error) => {
                let message = format!("no instruction: {error}");
                say(place(entry.offset, None), None, message);
                illegal += 1;
                // An illegal instruction ends the control flow.
                let mut end = Inst::new(Op::Illegal, 1);
                end.opts.compacted = entry.len == 8;
                end
            }
        };
        if inst.op != Op::Illegal
            && let Err(broken) = verify::verify_finished(&inst, platform)
                .and_then(|()| verify::verify_function(&inst, platform))
        {
            say(place(entry.offset, Some(&inst)), None, broken.to_string());
        }
        if illegal <= MAX_ILLEGAL {
            offsets.push(entry.offset);
            insts.push(inst);
        }
    }
    verified.instructions += count;
    if illegal > MAX_ILLEGAL {
        return;
    }
    let kept = (0..).zip(&insts).filter(|_| unit.interrupted);
    let broken = |(number, inst)| Some((number, header::if_interrupted(inst, platform)?));
    // One finding says enough: it is about the object's mark.
    if let Some((number, (erratum, what))) = kept.filter_map(broken).next() {
        let number: usize = number;
        let at = place(offsets[number], Some(&insts[number]));
        let row = &ROWS[erratum as usize];
        say(
            at,
            None,
            format!("{what}, and may be interrupted ({})", row.name),
        );
    }
    for finding in errata::check_code(&insts, platform) {
        let at = place(offsets[finding.at], Some(&insts[finding.at]));
        say(at, None, finding.to_string());
    }
    let findings = scoreboard::check_code(&insts, platform).unwrap_or_else(|error| {
        say(None, None, error.to_string());
        Vec::new()
    });
    for finding in findings {
        let place = |number: usize| place(offsets[number], Some(&insts[number]));
        let (at, first) = (place(finding.second), place(finding.first));
        say(at, first, finding.to_string());
    }
    // The rules of pairs are about branches that are right.
    if unit.paired
        && verify::flow::check_code(&insts).is_ok()
        && let Err(error) = verify::pairs::check_code(&insts, platform)
    {
        let (_, number) = error.at;
        say(
            place(offsets[number], Some(&insts[number])),
            None,
            error.what.to_string(),
        );
    }
    for finding in late_reads::check_code(&insts, platform) {
        let place = |number: usize| place(offsets[number], Some(&insts[number]));
        let (at, message) = (place(finding.waiting), place(finding.message));
        say(at, message, finding.to_string());
    }
}
