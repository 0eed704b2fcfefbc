//! Errors as diagnostics: what is wrong, and where in which file.
//!
//! A place in text is shown with its line; a place in a binary file is a byte offset, and the
//! instruction there is written out.

use std::fmt::Display;
use std::path::Path;

use kiln_frontend::module::{Module, Place};
use kiln_frontend::print::inst_text;
use kiln_frontend::text::{self, ParseError, Spans};
use kiln_frontend::verify::{self, Finding};
use kiln_ir::callgraph::CallError;
use kiln_ir::cfg::CfgError;
use kiln_runtime::pipeline::{CompileError, InputError};
use miette::{
    LabeledSpan, MietteDiagnostic, MietteError, MietteSpanContents, Report, Severity, SourceCode,
    SourceSpan, SpanContents, miette,
};

use super::input::Input;

/// The code of a file that is no vISA at all.
const NO_FILE: &str = "F0001";
/// The code of a binary object that cannot be read.
const NO_OBJECT: &str = "B0001";

/// Something is wrong with a file as a whole.
pub fn file(path: &Path, error: &dyn Display) -> Report {
    miette!("{}: {error}", path.display())
}

/// A file cannot be opened.
pub fn unopened(path: &Path, error: &dyn Display) -> Report {
    let message = format!("{}: {error}", path.display());
    MietteDiagnostic::new(message).with_code(NO_FILE).into()
}

/// A file is no vISA.
pub fn input(input: &Input, error: &InputError) -> Report {
    let code = match error {
        InputError::Text(error) => return Source::new(input).syntax(error),
        InputError::Binary(_) => NO_OBJECT,
        InputError::Neither(_) => NO_FILE,
    };
    let message = format!("{}: {error}", input.path.display());
    MietteDiagnostic::new(message).with_code(code).into()
}

/// A kernel cannot be finalized.
pub fn compile(input: &Input, module: &Module, error: &CompileError) -> Report {
    let place = instruction(error).and_then(|(object, inst)| {
        let object = module.objects.iter().find(|o| o.name == object)?;
        Some(object.insts.get(inst)?.place)
    });
    let path = input.path.display();
    match place {
        None => file(&input.path, error),
        Some(place) if place.column == 0 => {
            miette!("{path}: {error}, at offset {:#x}", place.pos)
        }
        Some(place) => Source::new(input).placed(place, error),
    }
}

/// Something is wrong with a module that was read.
pub fn finding(input: &Input, module: &Module, finding: &Finding) -> Report {
    let source = Source::new(input);
    let object = finding.object;
    if source.text.is_empty() {
        return source.finding(module, finding, object, None);
    }
    let spans = text::diagnose(source.text).spans;
    source.finding(module, finding, object, Some(&spans))
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

/// A file that diagnostics are about, with the beginnings of its lines, so that many of them do not
/// each look for theirs from the start.
pub struct Source<'a> {
    name: String,
    /// Empty if the file is no text.
    pub text: &'a str,
    lines: Vec<usize>,
}

impl<'a> Source<'a> {
    pub fn new(input: &'a Input) -> Source<'a> {
        let text = match std::str::from_utf8(input) {
            Ok(text) if !text.contains('\0') => text,
            _ => "",
        };
        let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
        Source {
            name: input.path.display().to_string(),
            text,
            lines: std::iter::once(0).chain(ends.map(|(i, _)| i + 1)).collect(),
        }
    }

    /// The text is no vISA.
    pub fn syntax(&self, error: &ParseError) -> Report {
        let place = format!("{}:{}:{}", self.name, error.line, error.column);
        let message = format!("{place}: {}", error.kind);
        let diagnostic = MietteDiagnostic::new(message).with_code(error.kind.code());
        self.underlined(diagnostic, error.offset, error.length)
    }

    /// Something is wrong with an object of the file, of which it is the one of that number.
    pub fn finding(
        &self,
        module: &Module,
        finding: &Finding,
        number: usize,
        spans: Option<&Spans>,
    ) -> Report {
        let object = module.objects.get(finding.object);
        let name = object.map_or("", |object| object.name.as_str());
        let inst = finding.inst;
        let numbered = inst.map_or_else(String::new, |i| format!(", instruction {i}"));
        let span = spans.and_then(|spans| spans.find(number, inst, finding.subject));
        let place = match &span {
            Some(span) => {
                let (line, column) = self.position(span.start);
                format!("{}:{line}:{column}", self.name)
            }
            None => self.name.clone(),
        };
        let message = format!("{place}: {name}{numbered}: {finding}");
        let severity = match finding.severity() {
            verify::Severity::Warning => Severity::Warning,
            verify::Severity::Error => Severity::Error,
        };
        let mut diagnostic = MietteDiagnostic::new(message)
            .with_code(finding.code())
            .with_severity(severity);
        if let Some(span) = span {
            return self.underlined(diagnostic, span.start, span.len());
        }
        let found = object.and_then(|object| Some((object, object.insts.get(inst?)?)));
        if let Some((object, inst)) = found {
            let offset = inst.place.pos;
            let text = inst_text(object, inst);
            diagnostic = diagnostic.with_help(format!("at offset {offset:#x}: {text}"));
        }
        diagnostic.into()
    }

    /// An error at an instruction of the text.
    fn placed(&self, place: Place, error: &dyn Display) -> Report {
        let (line, column) = (place.pos, place.column);
        let message = format!("{}:{line}:{column}: {error}", self.name);
        let span = verify::span(self.text, place);
        self.underlined(MietteDiagnostic::new(message), span.start, span.len())
    }

    /// Line and column of a byte, from 1.
    fn position(&self, offset: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).map_or(0, |i| self.lines[i]);
        (line, offset - start + 1)
    }

    fn underlined(&self, diagnostic: MietteDiagnostic, start: usize, length: usize) -> Report {
        // At the end of a file there is nothing left to underline.
        let start = start.min(self.text.len());
        let length = length.min(self.text.len() - start);
        let line = self.position(start).0.saturating_sub(1);
        // The line before and the one behind are shown too.
        let first = line.saturating_sub(1);
        let begin = self.lines[first];
        let end = self.lines.get(line + 2).copied();
        let excerpt = Excerpt {
            name: self.name.clone(),
            text: self.text[begin..end.unwrap_or(self.text.len())].to_owned(),
            first,
        };
        let span = SourceSpan::from((start - begin, length));
        let label = LabeledSpan::new_with_span(Some("here".to_owned()), span);
        Report::new(diagnostic.with_label(label)).with_source_code(excerpt)
    }
}

/// Some lines of a file.
#[derive(Debug)]
struct Excerpt {
    name: String,
    text: String,
    /// The number of the first in the file, from 0.
    first: usize,
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let lines = self.text.read_span(span, before, after)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            lines.data(),
            *lines.span(),
            self.first + lines.line(),
            lines.column(),
            lines.line_count(),
        )))
    }
}
