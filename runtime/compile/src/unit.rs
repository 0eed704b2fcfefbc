//! The code that a pass leaves, in any of its forms: its text and its verifier.

use std::borrow::Cow;
use std::fmt::Write;

use kiln_emit::assemble::Program;
use kiln_emit::listing;
use kiln_emit::verify as gen_rules;
use kiln_machine::verify::{Level as MachineLevel, verify as verify_machine};
use kiln_platform::platform::Platform;
use kiln_visa::module::Object;
use kiln_visa::print::Printer;
use kiln_visa::verify as visa;

use crate::level::Level;
use crate::stages::Routine;

/// An object, a routine or a kernel after a pass.
pub(crate) enum Unit<'u, 'a> {
    Object(&'u mut Cow<'a, Object>),
    Ir(&'u mut kiln_ir::func::Function<'a>),
    Routine(&'u mut Routine),
    Program(&'u mut Program),
    Code(&'u mut Vec<u8>),
}

impl Unit<'_, '_> {
    pub(crate) fn text(&self, platform: &'static Platform) -> String {
        match self {
            Unit::Object(object) => Printer::new(object).to_string(),
            Unit::Ir(func) => func.to_string(),
            Unit::Routine(routine) => routine.machine.to_string(),
            Unit::Program(program) => program_text(program),
            Unit::Code(code) => listing::list(code, platform, listing::Style::Labels),
        }
    }

    /// Checks the rules of a level.
    ///
    /// # Errors
    /// The first that is broken.
    pub(crate) fn verify(&self, level: Level, platform: &'static Platform) -> Result<(), String> {
        match self {
            Unit::Object(object) => {
                let found = visa::check_object(object, platform.generation);
                match found.iter().find(|f| f.severity() == visa::Severity::Error) {
                    None => Ok(()),
                    Some(finding) => {
                        let inst = finding.inst.and_then(|at| object.insts.get(at));
                        let inst = inst.map(|inst| Printer::new(object).inst_text(inst));
                        Err(format!("{}: {finding}", inst.unwrap_or_default()))
                    }
                }
            }
            Unit::Ir(func) => kiln_ir::verify::verify(func).map_err(|e| e.to_string()),
            Unit::Routine(routine) => {
                if !routine.graph.is_of(&routine.machine) {
                    return Err("an edge between blocks changed".to_string());
                }
                let level = match level {
                    Level::Wide => MachineLevel::Wide,
                    _ => MachineLevel::Legal,
                };
                verify_machine(&routine.machine, level, None).map_err(|e| e.to_string())
            }
            Unit::Program(program) => {
                let level = match level {
                    Level::LaidOut => gen_rules::Level::LaidOut,
                    Level::Allocated => gen_rules::Level::Allocated,
                    _ => gen_rules::Level::Formed,
                };
                gen_rules::check_program(program, platform, level).map_err(|e| e.to_string())
            }
            Unit::Code(code) => gen_rules::check_code(code, platform),
        }
    }
}

fn program_text(program: &Program) -> String {
    let mut text = String::new();
    for (b, block) in program.blocks.iter().enumerate() {
        let _ = writeln!(text, "block{b}:");
        for inst in block {
            let _ = writeln!(text, "    {inst}");
        }
    }
    text
}
