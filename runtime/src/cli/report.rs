//! Errors as diagnostics: what is wrong, and where in which file.
//!
//! A place in text is shown with its line; a place in a binary file is a byte offset.

use std::fmt::Display;
use std::path::Path;

use kiln_frontend::module::{Module, Place};
use kiln_frontend::verify::Finding;
use kiln_ir::callgraph::CallError;
use kiln_ir::cfg::CfgError;
use kiln_runtime::pipeline::{CompileError, InputError};
use miette::{
    LabeledSpan, MietteDiagnostic, NamedSource, Report, SourceOffset, SourceSpan, miette,
};

use super::input::Input;

/// Something is wrong with a file as a whole.
pub fn file(path: &Path, error: &dyn Display) -> Report {
    miette!("{}: {error}", path.display())
}

/// A file is no vISA.
pub fn input(input: &Input, error: &InputError) -> Report {
    let path = input.path.display();
    let InputError::Text(error) = error else {
        return file(&input.path, error);
    };
    // At the end of a file there is nothing left to underline.
    let start = error.offset.min(input.len());
    let length = error.length.min(input.len() - start);
    let message = format!("{path}:{}:{}: {}", error.line, error.column, error.kind);
    underlined(input, message, (start, length).into())
}

/// A kernel cannot be finalized.
pub fn compile(input: &Input, module: &Module, error: &CompileError) -> Report {
    let place = instruction(error).and_then(|(object, inst)| {
        let object = module.objects.iter().find(|o| o.name == object)?;
        Some(object.insts.get(inst)?.place)
    });
    match place {
        Some(place) => placed(input, place, error),
        None => file(&input.path, error),
    }
}

/// Something is wrong with a module that was read.
pub fn finding(input: &Input, module: &Module, finding: &Finding) -> Report {
    if finding.inst.is_some() {
        return placed(input, finding.place, finding);
    }
    let object = module
        .objects
        .get(finding.object)
        .map_or("", |o| o.name.as_str());
    miette!("{}: {object}: {finding}", input.path.display())
}

/// An error at an instruction.
fn placed(input: &Input, place: Place, error: &dyn Display) -> Report {
    let path = input.path.display();
    let message = format!("{path}: {error}");
    if place.column == 0 {
        return miette!("{message}, at offset {:#x}", place.pos);
    }
    let (line, column) = (place.pos as usize, place.column as usize);
    let Ok(text) = std::str::from_utf8(input) else {
        return Report::msg(message);
    };
    let start = SourceOffset::from_location(text, line, column).offset();
    let rest = text
        .get(start..)
        .unwrap_or_default()
        .lines()
        .next()
        .unwrap_or_default();
    let length = rest.split("//").next().unwrap_or_default().trim_end().len();
    let message = format!("{path}:{line}:{column}: {error}");
    underlined(input, message, (start, length).into())
}

/// The object's name and the instruction's number in it that an error is about.
fn instruction(error: &CompileError) -> Option<(&str, usize)> {
    match error {
        CompileError::Calls(
            CallError::Unknown { caller, inst, .. } | CallError::Size { caller, inst, .. },
        ) => Some((caller, *inst)),
        CompileError::Flow { kernel, source } => match source {
            CfgError::NoLabel { inst, .. } | CfgError::Unsupported { inst, .. } => {
                Some((kernel, *inst))
            }
        },
        CompileError::Select { kernel, source } => Some((kernel, source.inst)),
        _ => None,
    }
}

fn underlined(input: &Input, message: String, span: SourceSpan) -> Report {
    let label = LabeledSpan::new_with_span(Some("here".to_string()), span);
    let text = String::from_utf8_lossy(input).into_owned();
    let source = NamedSource::new(input.path.display().to_string(), text);
    Report::new(MietteDiagnostic::new(message).with_label(label)).with_source_code(source)
}
