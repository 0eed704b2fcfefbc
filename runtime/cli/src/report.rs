//! Diagnostics: errors and warnings with their place in a file.
//!
//! A place in text is shown with its line; a place in a binary file is a byte offset, and the instruction there is
//! printed.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::{self, Display};
use std::ops::Range;
use std::path::Path;

use kiln_compile::source::InputError;
use kiln_compile::{Error, Failure};
use kiln_emit::read::ReadError;
use kiln_visa::module::{Module, Object, Place};
use kiln_visa::print::inst_text;
use kiln_visa::text::{self, ParseError, ParseErrorKind, Spans};
use kiln_visa::verify::{self, Finding};
use miette::{
    Diagnostic, LabeledSpan, MietteDiagnostic, MietteError, MietteSpanContents, Report,
    ReportHandler, Severity, SourceCode, SourceSpan, SpanContents,
};
use serde::Serialize;

use super::input::Input;
use super::output::{is_standard, plain};

/// Code for a file that cannot be read or written.
pub const NO_ACCESS: &str = "F0002";
/// Code for valid vISA that is not supported.
pub const UNSUPPORTED: &str = "C0001";
/// Code for an internal error.
pub const FAULT: &str = "C0002";
/// Code for a file with the wrong kind of contents.
const WRONG_CONTENTS: &str = "F0003";
/// Code for a register limit that the platform does not have.
pub const WRONG_LIMIT: &str = "O0001";
/// Code for options that contradict each other.
pub const WRONG_OPTIONS: &str = "O0004";
/// Maximum number of diagnostics of a module.
const MAX_DIAGNOSTICS: usize = 20;
/// Code for a kernel over its budget.
const OVER_BUDGET: &str = "O0005";
/// Code for a listing that is none.
const NO_LISTING: &str = "A0001";
/// Bytes of a message, and of a line of an input, above which they are shortened: both may be as long as the input.
const MAX_MESSAGE: usize = 2000;
const MAX_LINE: usize = 400;

/// A text without its middle if it is longer than `most` bytes.
fn shortened(text: &str, most: usize) -> Cow<'_, str> {
    if text.len() <= most {
        return Cow::Borrowed(text);
    }
    let begin = &text[..text.floor_char_boundary(most * 3 / 4)];
    let end = &text[text.ceil_char_boundary(text.len() - most / 4)..];
    Cow::Owned(format!("{begin} … {end}"))
}

/// A file's name for messages.
pub fn name(path: &Path) -> String {
    if is_standard(path) {
        return "<stdin>".to_string();
    }
    plain(&path.display().to_string()).into_owned()
}

/// An error about a file as a whole.
pub fn file(path: &Path, error: &dyn Display) -> Report {
    message(format!("{}: {error}", name(path)), Some(WRONG_CONTENTS))
}

/// An error about a file as a whole, whose message names it.
pub fn contents(error: &dyn Display) -> Report {
    message(error.to_string(), Some(WRONG_CONTENTS))
}

/// An error in the command line.
pub fn usage(text: impl Display) -> Report {
    message(text.to_string(), Some(WRONG_OPTIONS))
}

/// An error about a module.
pub fn module(path: &Path, error: &Error) -> Report {
    message(format!("{}: {error}", name(path)), Some(error.code()))
}

/// An error in reading or writing a file.
pub fn access(path: &Path, error: &std::io::Error) -> Report {
    message(format!("{}: {error}", name(path)), Some(NO_ACCESS))
}

/// A warning.
pub fn warning(text: &str) -> Report {
    let diagnostic = MietteDiagnostic::new(plain(text));
    diagnostic.with_severity(Severity::Warning).into()
}

/// A warning about a part of LLVM IR.
pub fn genx_warning(input: &Input, warning: &kiln_genx::error::Diagnostic) -> Report {
    Source::new(input).genx(warning, Severity::Warning)
}

/// A note.
pub fn note(text: &str) -> Report {
    let diagnostic = MietteDiagnostic::new(plain(text));
    diagnostic.with_severity(Severity::Advice).into()
}

/// An error in an input file.
pub fn input(input: &Input, error: &InputError) -> Report {
    match error {
        InputError::Text(error) => Source::new(input).syntax(error),
        InputError::Genx(error) => Source::new(input).genx(error, Severity::Error),
        _ => message(format!("{}: {error}", input.name), Some(error.code())),
    }
}

fn message(message: String, code: Option<&str>) -> Report {
    diagnostic(&message, code).into()
}

/// A diagnostic whose message may contain names from an input.
fn diagnostic(message: &str, code: Option<&str>) -> MietteDiagnostic {
    let diagnostic = MietteDiagnostic::new(plain(&shortened(message, MAX_MESSAGE)));
    match code {
        Some(code) => diagnostic.with_code(code),
        None => diagnostic,
    }
}

/// Findings of a module that cannot be finalized, up to the maximum number.
pub fn failure(inputs: &[Input], failure: &Failure) -> Report {
    let found = failure.all();
    let mut texts: HashMap<usize, Text> = HashMap::new();
    let report = |one: &&Failure| {
        let file = one.file.as_ref().map(|(file, _)| *file);
        let Some((file, input)) = file.and_then(|file| Some((file, inputs.get(file)?))) else {
            return message(one.to_string(), Some(one.error.code()));
        };
        match &one.error {
            // Places are not searched in files that are no text.
            Error::Input(
                error @ (InputError::Binary(_) | InputError::Neither(_) | InputError::NoDirective),
            ) => self::input(input, error),
            _ => {
                let text = texts.entry(file).or_insert_with(|| Text {
                    source: Source::new(input),
                    spans: None,
                });
                text.failure(one)
            }
        }
    };
    let mut reports: Vec<Report> = found.iter().take(MAX_DIAGNOSTICS).map(report).collect();
    if found.len() > MAX_DIAGNOSTICS {
        let more = found.len() - MAX_DIAGNOSTICS;
        reports.push(note(&format!("{more} more are not shown")));
    }
    match reports.len() {
        1 => reports.remove(0),
        _ => Several(reports).into(),
    }
}

/// A file that several failures may be about.
struct Text<'a> {
    source: Source<'a>,
    /// Spans of a text, computed when they are needed.
    spans: Option<Spans>,
}

impl Text<'_> {
    /// The report of one failure in the file.
    fn failure(&mut self, failure: &Failure) -> Report {
        let source = &self.source;
        match &failure.error {
            Error::Input(InputError::Text(error)) => source.syntax(error),
            Error::Input(InputError::Genx(error)) => source.genx(error, Severity::Error),
            Error::Rule(finding) => {
                if self.spans.is_none() && !source.text.is_empty() {
                    self.spans = Some(text::diagnose(source.text).spans);
                }
                let (number, kernel) = failure.kernel.clone().unwrap_or_default();
                let about = About {
                    kernel: &kernel,
                    number,
                    at: failure.place.zip(failure.text.clone()),
                    on: String::new(),
                };
                source.finding(finding, &about, self.spans.as_ref())
            }
            error => {
                let diagnostic = diagnostic(&failure.to_string(), Some(error.code()));
                match failure.place {
                    Some(place) if place.column > 0 => {
                        let span = verify::span(source.text, place);
                        source.underlined(diagnostic, span.start, span.len())
                    }
                    _ => diagnostic.into(),
                }
            }
        }
    }
}

/// Several diagnostics in one report: it displays as the first; [`each`] gives all.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0[0])]
struct Several(Vec<Report>);

impl Diagnostic for Several {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.0[0].code()
    }

    fn severity(&self) -> Option<Severity> {
        self.0[0].severity()
    }
}

/// A kernel over its budget, with what costs most.
pub fn over_budget(said: &str, help: &str) -> Report {
    let diagnostic = diagnostic(said, Some(OVER_BUDGET));
    diagnostic
        .with_help(plain(&shortened(help, MAX_MESSAGE)))
        .into()
}

/// Errors of a listing.
pub fn listing(input: &Input, errors: &[ReadError]) -> Report {
    let source = Source::new(input);
    let mut reports: Vec<Report> = errors.iter().map(|e| source.listing(e)).collect();
    match reports.len() {
        1 => reports.remove(0),
        _ => Several(reports).into(),
    }
}

/// The diagnostics of a report.
pub fn each(report: &Report) -> &[Report] {
    match report.downcast_ref::<Several>() {
        Some(several) => &several.0,
        None => std::slice::from_ref(report),
    }
}

/// The subject of a finding.
pub struct About<'a> {
    /// Name and index of the kernel or function.
    pub kernel: &'a str,
    pub number: usize,
    /// Place and text of the instruction.
    pub at: Option<(Place, String)>,
    /// The platforms of several on which it is found, in words; empty for all.
    pub on: String,
}

/// A finding about a module read from that file.
pub fn finding(input: &Input, module: &Module, finding: &Finding) -> Report {
    let source = Source::new(input);
    let spans = (!source.text.is_empty()).then(|| text::diagnose(source.text).spans);
    let object = &module.objects[finding.object];
    source.finding(
        finding,
        &About::new(object, finding.object, finding),
        spans.as_ref(),
    )
}

impl<'a> About<'a> {
    /// `number` is the index of the object in its file.
    pub fn new(object: &'a Object, number: usize, finding: &Finding) -> About<'a> {
        let inst = finding.inst.and_then(|inst| object.insts.get(inst));
        About {
            kernel: &object.name,
            number,
            at: inst.map(|inst| (inst.place, inst_text(object, inst))),
            on: String::new(),
        }
    }
}

/// A file that diagnostics are about, with the offsets of its lines, so that finding a place is a binary search.
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
            name: input.name.clone(),
            text,
            lines: std::iter::once(0).chain(ends.map(|(i, _)| i + 1)).collect(),
        }
    }

    /// A syntax error.
    pub fn syntax(&self, error: &ParseError) -> Report {
        let place = format!("{}:{}:{}", self.name, error.line, error.column);
        let message = format!("{place}: {}", error.kind);
        let mut diagnostic = diagnostic(&message, Some(error.kind.code()));
        // The reference dumps inline assembly twice: with its scopes, and as one list of declarations.
        let scoped = Path::new(&self.name).with_extension("inline.visaasm");
        if matches!(error.kind, ParseErrorKind::Duplicate { .. }) && scoped.exists() {
            let scoped = name(&scoped);
            diagnostic =
                diagnostic.with_help(format!("{scoped} has the scopes of inline assembly"));
        }
        self.underlined(diagnostic, error.offset, error.length)
    }

    /// An error in a listing.
    pub fn listing(&self, error: &ReadError) -> Report {
        let message = format!("{}:{}: {error}", self.name, error.at);
        let diagnostic = diagnostic(&message, Some(NO_LISTING));
        let line = (error.at.line as usize).saturating_sub(1);
        let start = self.lines.get(line).map_or(self.text.len(), |start| {
            start + (error.at.column as usize).saturating_sub(1)
        });
        self.underlined(diagnostic, start, error.len as usize)
    }

    /// An error in LLVM IR, an unsupported feature, or a warning.
    pub fn genx(&self, error: &kiln_genx::error::Diagnostic, severity: Severity) -> Report {
        let kiln_genx::error::Loc { line, column, byte } = error.loc;
        if line == 0 {
            let message = match byte {
                0 => format!("{}: {error}", self.name),
                _ => format!("{}: byte {byte}: {error}", self.name),
            };
            let diagnostic = diagnostic(&message, Some(error.code.text()));
            return diagnostic.with_severity(severity).into();
        }
        let message = format!("{}:{line}:{column}: {error}", self.name);
        let diagnostic = diagnostic(&message, Some(error.code.text())).with_severity(severity);
        let span = verify::span(self.text, Place { pos: line, column });
        self.underlined(diagnostic, span.start, span.len())
    }

    /// A finding about an object of the file.
    pub fn finding(&self, finding: &Finding, about: &About, spans: Option<&Spans>) -> Report {
        let inst = finding.inst;
        let numbered = inst.map_or_else(String::new, |i| format!(", instruction {i}"));
        let span = spans.and_then(|spans| spans.find(about.number, inst, finding.subject));
        let place = match &span {
            Some(span) => {
                let (line, column) = self.position(span.start);
                format!("{}:{line}:{column}", self.name)
            }
            None => self.name.clone(),
        };
        let About { kernel, on, .. } = about;
        let message = format!("{place}: {kernel}{numbered}: {finding}{on}");
        let severity = match finding.severity() {
            verify::Severity::Warning => Severity::Warning,
            verify::Severity::Error => Severity::Error,
        };
        let diagnostic = diagnostic(&message, Some(finding.code())).with_severity(severity);
        match (span, &about.at) {
            (Some(span), _) => self.underlined(diagnostic, span.start, span.len()),
            (None, Some((place, text))) => {
                let help = format!("at offset {:#x}: {text}", place.pos);
                diagnostic
                    .with_help(plain(&shortened(&help, MAX_MESSAGE)))
                    .into()
            }
            (None, None) => diagnostic.into(),
        }
    }

    /// A warning about an instruction or a declaration.
    pub fn lint(
        &self,
        kernel: &str,
        code: &str,
        inst: Option<usize>,
        what: &str,
        span: Option<Range<usize>>,
    ) -> Report {
        let place = match &span {
            Some(span) => {
                let (line, column) = self.position(span.start);
                format!("{}:{line}:{column}", self.name)
            }
            None => self.name.clone(),
        };
        let numbered = inst.map_or_else(String::new, |i| format!(", instruction {i}"));
        let message = format!("{place}: {kernel}{numbered}: {what}");
        let diagnostic = diagnostic(&message, Some(code)).with_severity(Severity::Warning);
        match span {
            Some(span) => self.underlined(diagnostic, span.start, span.len()),
            None => diagnostic.into(),
        }
    }

    /// Line and column of a byte offset, from 1.
    fn position(&self, offset: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).map_or(0, |i| self.lines[i]);
        (line, offset - start + 1)
    }

    fn underlined(&self, diagnostic: MietteDiagnostic, start: usize, length: usize) -> Report {
        // At the end of a file there is nothing to underline.
        let start = start.min(self.text.len());
        let length = length.min(self.text.len() - start);
        let line = self.position(start).0.saturating_sub(1);
        // The lines before and after are shown, too.
        let first = line.saturating_sub(1);
        let begin = self.lines[first];
        let end = self.lines.get(line + 2).copied();
        let lines = &self.text[begin..end.unwrap_or(self.text.len())];
        if lines.len() > 3 * MAX_LINE {
            return self.shortly_underlined(diagnostic, line, start, length);
        }
        let excerpt = Excerpt {
            name: self.name.clone(),
            text: plain(lines).into_owned(),
            first,
            at: 0,
            cut: 0,
        };
        let span = SourceSpan::from((start - begin, length));
        let label = LabeledSpan::new_with_span(Some("here".to_owned()), span);
        Report::new(diagnostic.with_label(label)).with_source_code(excerpt)
    }

    /// As [`Self::underlined`], with a part of a long line and the beginnings of those beside it.
    fn shortly_underlined(
        &self,
        diagnostic: MietteDiagnostic,
        line: usize,
        start: usize,
        length: usize,
    ) -> Report {
        let of = |line: usize| {
            let from = self.lines[line];
            let row = self.text[from..].lines().next().unwrap_or_default();
            (from, row)
        };
        let head = |line: usize| plain(&shortened(of(line).1, MAX_LINE)).into_owned();
        let (from, row) = of(line);
        let column = start - from;
        let cut = row.floor_char_boundary(column.saturating_sub(MAX_LINE / 2));
        let shown = &row[cut..row.ceil_char_boundary(cut + MAX_LINE)];
        let mut text = String::new();
        if line > 0 {
            text.push_str(&head(line - 1));
            text.push('\n');
        }
        let begin = text.len() + column - cut;
        text.push_str(&plain(shown));
        let length = length.min(text.len().saturating_sub(begin));
        if line + 1 < self.lines.len() {
            text.push('\n');
            text.push_str(&head(line + 1));
        }
        let excerpt = Excerpt {
            name: self.name.clone(),
            text,
            first: line.saturating_sub(1),
            at: line.min(1),
            cut,
        };
        let label =
            LabeledSpan::new_with_span(Some("here".to_owned()), SourceSpan::from((begin, length)));
        Report::new(diagnostic.with_label(label)).with_source_code(excerpt)
    }
}

/// Some lines of a file.
#[derive(Debug)]
struct Excerpt {
    name: String,
    text: String,
    /// Index of its first line in the file.
    first: usize,
    /// Index in it of a line that is cut at its beginning, and the bytes that were.
    at: usize,
    cut: usize,
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
            lines.column() + if lines.line() == self.at { self.cut } else { 0 },
            lines.line_count(),
        )))
    }
}

/// A diagnostic as JSON.
#[derive(Serialize)]
pub struct Record {
    severity: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
    message: String,
    /// Place in a text.
    #[serde(flatten)]
    place: Option<Underlined>,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
}

/// A place in a text; line and column count from 1, and columns in bytes.
#[derive(Serialize)]
struct Underlined {
    file: Option<String>,
    line: usize,
    column: usize,
    length: usize,
}

/// A diagnostic as a record.
pub fn record(diagnostic: &dyn Diagnostic) -> Record {
    let label = diagnostic.labels().and_then(|mut labels| labels.next());
    let contents = label
        .zip(diagnostic.source_code())
        .and_then(|(label, source)| {
            let contents = source.read_span(label.inner(), 0, 0).ok()?;
            Some(Underlined {
                file: contents.name().map(str::to_string),
                line: contents.line() + 1,
                column: contents.column() + 1,
                length: label.len(),
            })
        });
    Record {
        severity: match diagnostic.severity() {
            Some(Severity::Advice) => "note",
            Some(Severity::Warning) => "warning",
            Some(Severity::Error) | None => "error",
        },
        code: diagnostic.code().map(|code| code.to_string()),
        message: match &contents {
            Some(place) => without_place(&diagnostic.to_string(), place),
            None => diagnostic.to_string(),
        },
        place: contents,
        help: diagnostic.help().map(|help| help.to_string()),
    }
}

/// A message without the place at its beginning, which is in the record's fields.
fn without_place(message: &str, place: &Underlined) -> String {
    let file = place.file.as_deref().unwrap_or_default();
    let prefix = format!("{file}:{}:{}: ", place.line, place.column);
    message.strip_prefix(&prefix).unwrap_or(message).to_string()
}

/// Writes a diagnostic as a line of JSON.
pub struct Lines;

impl ReportHandler for Lines {
    fn debug(&self, diagnostic: &dyn Diagnostic, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = serde_json::to_string(&record(diagnostic)).map_err(|_| fmt::Error)?;
        f.write_str(&line)
    }
}
