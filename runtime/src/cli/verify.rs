//! `kiln verify`: what is wrong with machine code, raw or in object files.
//!
//! Each instruction must be one of the platform's and keep its rules; where the hardware does not look
//! for hazards itself, the annotations must cover every dependency on every path. Findings are written
//! in the order of the files and of the code, each with the instructions it is about.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use kiln_emit::inst::{Inst, Op};
use kiln_emit::listing;
use kiln_emit::platform::Platform;
use kiln_emit::verify::{self, scoreboard};
use miette::Report;
use rayon::prelude::*;

use super::disasm::unit::Unit;
use super::disasm::{File, open};
use super::output::{self, print_error};
use super::{platform_parser, report};

/// Say what is wrong with machine code: bytes that are no instructions, broken rules of the platform,
/// and dependencies that no annotation covers
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Zebins or raw machine code, `-` for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Platform that the code is for [default: what a zebin says]
    #[arg(short, long, value_parser = platform_parser(), ignore_case = true)]
    platform: Option<&'static Platform>,
}

/// Runs the command. Exit code 1 if anything is wrong.
///
/// # Errors
/// Why nothing was written.
pub fn verify(args: &Args) -> Result<ExitCode, Report> {
    let verified: Vec<Result<Verified, Report>> = args
        .files
        .par_iter()
        .map(|path| Ok(file(&open(path, args.platform, None)?)))
        .collect();
    let mut all = Verified::default();
    let mut failed = false;
    for verified in verified {
        match verified {
            Ok(Verified {
                text,
                findings,
                instructions,
            }) => {
                all.findings += findings;
                all.instructions += instructions;
                if !output::print(&text)? {
                    break;
                }
            }
            Err(problem) => {
                failed = true;
                print_error(&format!("{problem:?}"));
            }
        }
    }
    let summary = format!(
        "{} instructions, {} findings\n",
        all.instructions, all.findings
    );
    output::print(&summary)?;
    Ok(match failed || all.findings > 0 {
        true => ExitCode::FAILURE,
        false => ExitCode::SUCCESS,
    })
}

/// What came of a file.
#[derive(Default)]
struct Verified {
    text: String,
    findings: usize,
    instructions: usize,
}

fn file(file: &File) -> Verified {
    let mut verified = Verified::default();
    for unit in &file.units {
        let place = match &unit.section {
            Some(section) => format!("{}, {section}", report::name(file.path)),
            None => report::name(file.path),
        };
        self::unit(unit, &place, file.platform, &mut verified);
    }
    verified
}

fn unit(unit: &Unit, place: &str, platform: &'static Platform, verified: &mut Verified) {
    let (mut insts, mut offsets) = (Vec::new(), Vec::new());
    let mut say = |text: String| {
        verified.findings += 1;
        // A string takes all that is written to it.
        let _ = writeln!(verified.text, "{place}: {text}");
    };
    for entry in listing::entries(unit.code(), platform) {
        let inst = match entry.inst {
            Ok(inst) => inst,
            Err(error) => {
                say(format!("{:#x}: no instruction: {error}", entry.offset));
                // Nothing goes on behind it.
                let mut illegal = Inst::new(Op::Illegal, 1);
                illegal.opts.compacted = entry.len == 8;
                illegal
            }
        };
        if inst.op != Op::Illegal
            && let Err(broken) = verify::verify(&inst, platform)
        {
            say(format!("{:#x}: {inst}\n    {broken}", entry.offset));
        }
        offsets.push(entry.offset);
        insts.push(inst);
    }
    let findings = scoreboard::check_code(&insts, platform).unwrap_or_else(|error| {
        say(error.to_string());
        Vec::new()
    });
    for finding in findings {
        let line = |number: usize| format!("{:#x}: {}", offsets[number], insts[number]);
        say(format!(
            "{}\n    does not wait for {}\n    {finding}",
            line(finding.second),
            line(finding.first)
        ));
    }
    verified.instructions += insts.len();
}
