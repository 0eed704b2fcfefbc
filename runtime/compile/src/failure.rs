//! Reasons why there is no machine code: of a kernel ([`CompileError`]), and of a module with its place ([`Failure`]).

use std::fmt;

use kiln_emit::encoding::EncodeError;
use kiln_ir::callgraph::CallError;
use kiln_ir::cfg::CfgError;
use kiln_regalloc::AllocError;
use kiln_visa::module::{Object, Place};
use kiln_visa::print::Printer;
use kiln_visa::verify::{Finding, Severity};

use crate::diagnostic::Diagnostic;
use crate::source::{InputError, Merged};
use crate::stop::Stopped;

/// A feature of a kernel that is not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// Index of the instruction.
    pub inst: usize,
    /// The feature, as a phrase.
    pub what: String,
}

/// Reasons why a kernel cannot be finalized.
#[derive(Debug, thiserror::Error)]
#[expect(
    missing_docs,
    reason = "each is documented by its message; `kernel` is a name"
)]
pub enum CompileError {
    /// Sorted by instruction; not empty.
    #[error("{kernel}: {}", UnsupportedList(.list))]
    Unsupported {
        kernel: String,
        list: Vec<Unsupported>,
    },
    #[error("{kernel}: too many subroutines, or one with more than 255 parameters or results")]
    Subroutines { kernel: String },
    #[error("{kernel}: {source}")]
    Flow { kernel: String, source: CfgError },
    #[error(transparent)]
    Allocate(#[from] AllocError),
    #[error("{kernel}: {source}")]
    Encode { kernel: String, source: EncodeError },
    #[error("{kernel}: {source}")]
    Stopped { kernel: String, source: Stopped },
    #[error("{kernel}: after {stage}: {what}")]
    Broken {
        kernel: String,
        stage: &'static str,
        what: String,
    },
}

impl CompileError {
    /// An error about the control flow of an object, with the instruction's number in the source.
    pub(crate) fn flow(object: &Object, source: CfgError) -> CompileError {
        let kernel = object.name.to_string();
        match source.in_source(object) {
            CfgError::Unsupported { inst, what } => CompileError::Unsupported {
                kernel,
                list: vec![Unsupported {
                    inst,
                    what: what.to_string(),
                }],
            },
            source => CompileError::Flow { kernel, source },
        }
    }

    /// The end of a compilation before its time.
    pub(crate) fn stopped(object: &Object, source: Stopped) -> CompileError {
        CompileError::Stopped {
            kernel: object.name.to_string(),
            source,
        }
    }

    /// An error that a verifier found after a pass.
    pub(crate) fn broken(
        object: &Object,
        pass: &'static str,
        what: &dyn fmt::Display,
    ) -> CompileError {
        CompileError::Broken {
            kernel: object.name.to_string(),
            stage: pass,
            what: what.to_string(),
        }
    }

    /// Makes one error of unsupported instructions; sorts and deduplicates them.
    pub(crate) fn unsupported(object: &Object, mut list: Vec<Unsupported>) -> CompileError {
        list.sort_by_key(|one| one.inst);
        list.dedup();
        CompileError::Unsupported {
            kernel: object.name.to_string(),
            list,
        }
    }

    /// Splits a list of unsupported instructions into one error for each kind of feature.
    pub fn split(self) -> Vec<CompileError> {
        let CompileError::Unsupported { kernel, list } = self else {
            return vec![self];
        };
        let of_kind = |kind: Vec<&Unsupported>| CompileError::Unsupported {
            kernel: kernel.clone(),
            list: kind.into_iter().cloned().collect(),
        };
        by_kind(&list).into_iter().map(of_kind).collect()
    }

    /// Index of the instruction with the error, if there is one.
    pub fn instruction(&self) -> Option<usize> {
        match self {
            CompileError::Unsupported { list, .. } => list.first().map(|first| first.inst),
            CompileError::Flow { source, .. } => match source {
                CfgError::NoLabel { inst, .. } | CfgError::Unsupported { inst, .. } => Some(*inst),
            },
            CompileError::Subroutines { .. }
            | CompileError::Allocate(_)
            | CompileError::Encode { .. }
            | CompileError::Stopped { .. }
            | CompileError::Broken { .. } => None,
        }
    }
}

/// Text of a list of unsupported features, grouped by kind.
struct UnsupportedList<'a>(&'a [Unsupported]);

/// Maximum number of places named for one kind.
const NAMED_PLACES: usize = 4;

/// Groups features by kind, in the order of their first instructions.
fn by_kind(list: &[Unsupported]) -> Vec<Vec<&Unsupported>> {
    let mut kinds: Vec<Vec<&Unsupported>> = Vec::new();
    for one in list {
        match kinds.iter_mut().find(|kind| kind[0].what == one.what) {
            Some(kind) => kind.push(one),
            None => kinds.push(vec![one]),
        }
    }
    kinds
}

impl fmt::Display for UnsupportedList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (number, kind) in by_kind(self.0).iter().enumerate() {
            f.write_str(if number == 0 { "" } else { "; " })?;
            let Unsupported { inst, what } = kind[0];
            if let [_] = kind.as_slice() {
                write!(f, "instruction {inst}: {what}: not supported")?;
                continue;
            }
            let count = kind.len();
            write!(
                f,
                "{what}: not supported, {count} times: instructions {inst}"
            )?;
            let named = kind[1..].iter().take(NAMED_PLACES - 1);
            named
                .into_iter()
                .try_for_each(|one| write!(f, ", {}", one.inst))?;
            f.write_str(if count > NAMED_PLACES { ", …" } else { "" })?;
        }
        Ok(())
    }
}

/// An error in a module with its place; `Display` writes both. [`Failure::diagnostics`] has all findings as records.
#[derive(Debug)]
pub struct Failure {
    /// Index and name of the input.
    pub file: Option<(usize, String)>,
    /// Index in its file and name of the kernel or function.
    pub kernel: Option<(usize, String)>,
    /// Index of the instruction in it.
    pub inst: Option<usize>,
    /// Place of the instruction in its file.
    pub place: Option<Place>,
    /// Text of the instruction, if the file is not a text.
    pub text: Option<String>,
    /// The cause.
    pub error: Error,
    /// All other findings, including warnings, in the order of the module.
    pub others: Vec<Failure>,
}

/// Causes of a failure.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum Error {
    #[error("no machine code is made for {0} yet")]
    Platform(&'static str),
    #[error("a limit of {found} registers: {fewest} to {most} are possible on {platform}")]
    GrfLimit {
        found: u32,
        fewest: u32,
        most: u32,
        platform: &'static str,
    },
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Rule(#[from] Finding),
    #[error(transparent)]
    Calls(#[from] CallError),
    #[error(transparent)]
    Compile(#[from] CompileError),
    #[error("no kernel is named {wanted}; the kernels are: {}", listed(.names))]
    NoSuchKernel { wanted: String, names: Vec<String> },
    #[error("it holds no kernel")]
    NoKernel,
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "none".to_string(),
        names => names.join(", "),
    }
}

impl From<Error> for Box<Failure> {
    fn from(error: Error) -> Box<Failure> {
        Box::new(Failure::new(error))
    }
}

impl Error {
    /// Identifies the kind of error; `docs/embedding.md` lists the codes. They are stable and never reused.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Input(error) => error.code(),
            Error::Rule(finding) => finding.code(),
            Error::Calls(_) => "L0001",
            Error::Platform(_)
            | Error::Compile(CompileError::Unsupported { .. } | CompileError::Subroutines { .. }) => {
                "C0001"
            }
            Error::Compile(CompileError::Encode { .. } | CompileError::Broken { .. }) => "C0002",
            Error::Compile(CompileError::Allocate(_)) => "C0003",
            Error::Compile(CompileError::Flow { .. }) => "C0004",
            Error::Compile(CompileError::Stopped { .. }) => "C0005",
            Error::GrfLimit { .. } => "O0001",
            Error::NoSuchKernel { .. } => "O0002",
            Error::NoKernel => "O0003",
        }
    }
}

/// Finds the place of errors. Keeps the printer of the last object, since printing an instruction needs all its names.
pub(crate) struct Places<'a> {
    files: &'a [String],
    merged: &'a Merged,
    printer: Option<(usize, Printer<'a>)>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(files: &'a [String], merged: &'a Merged) -> Places<'a> {
        Places {
            files,
            merged,
            printer: None,
        }
    }

    pub(crate) fn failure(&mut self, error: Error, number: usize, inst: Option<usize>) -> Failure {
        let origin = self.merged.origin(number);
        let object = &self.merged.module.objects[number];
        let mut failure = *Failure::of_file(error, self.files, origin.file);
        failure.kernel = Some((origin.object, object.name.to_string()));
        failure.inst = inst;
        let Some(inst) = inst.and_then(|inst| object.insts.get(inst)) else {
            return failure;
        };
        failure.place = Some(inst.place);
        if inst.place.column == 0 {
            let (_, printer) = match self.printer.take() {
                Some(same) if same.0 == number => self.printer.insert(same),
                _ => self.printer.insert((number, Printer::new(object))),
            };
            failure.text = Some(printer.inst_text(inst));
        }
        failure
    }
}

impl Failure {
    fn new(error: Error) -> Failure {
        Failure {
            file: None,
            kernel: None,
            inst: None,
            place: None,
            text: None,
            error,
            others: Vec::new(),
        }
    }

    /// Makes one failure of several findings: the first error, with the others attached.
    pub(crate) fn with_others(mut found: Vec<Failure>) -> Box<Failure> {
        let first = found.iter().position(|f| f.severity() == Severity::Error);
        let mut failure = found.remove(first.unwrap_or(0));
        failure.others.append(&mut found);
        Box::new(failure)
    }

    pub(crate) fn of_file(error: Error, files: &[String], number: usize) -> Box<Failure> {
        let place = match &error {
            Error::Input(InputError::Text(error)) => Some(Place {
                pos: error.line,
                column: error.column,
            }),
            #[cfg(feature = "genx")]
            Error::Input(InputError::Genx(error)) if error.loc.line > 0 => Some(Place {
                pos: error.loc.line,
                column: error.loc.column,
            }),
            #[cfg(feature = "genx")]
            Error::Input(InputError::Genx(error)) if error.loc.byte > 0 => Some(Place {
                pos: error.loc.byte,
                column: 0,
            }),
            _ => None,
        };
        Box::new(Failure {
            file: files.get(number).map(|name| (number, name.clone())),
            place,
            ..Failure::new(error)
        })
    }

    pub(crate) fn at(
        error: Error,
        files: &[String],
        merged: &Merged,
        object: usize,
        inst: Option<usize>,
    ) -> Box<Failure> {
        Box::new(Places::new(files, merged).failure(error, object, inst))
    }

    /// Severity; some of [`Failure::others`] are warnings.
    pub fn severity(&self) -> Severity {
        match &self.error {
            Error::Rule(finding) => finding.severity(),
            _ => Severity::Error,
        }
    }

    /// This finding as a record, without the others.
    pub fn diagnostic(&self) -> Diagnostic {
        let message = match &self.error {
            // The record has the place in its own fields.
            Error::Input(InputError::Text(error)) => error.kind.to_string(),
            error => error.to_string(),
        };
        let place = self.place.unwrap_or_default();
        let is_text = place.column > 0;
        Diagnostic {
            severity: self.severity(),
            code: self.error.code(),
            file: self.file.as_ref().map(|(_, name)| name.clone()),
            kernel: self.kernel.as_ref().map(|(_, name)| name.clone()),
            instruction: self.inst,
            line: is_text.then_some(place.pos),
            column: is_text.then_some(place.column),
            offset: (!is_text && place.pos > 0).then_some(place.pos),
            text: self.text.clone(),
            message,
        }
    }

    /// All findings: this one first, then the others in the order of the module.
    pub fn all(&self) -> Vec<&Failure> {
        let mut all = vec![self];
        all.extend(self.others.iter().flat_map(Failure::all));
        all
    }

    /// All findings as records.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.all().into_iter().map(Failure::diagnostic).collect()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let text = self.place.filter(|place| place.column > 0);
        match (&self.file, text) {
            (Some((_, file)), Some(Place { pos, column })) => write!(f, "{file}:{pos}:{column}: ")?,
            (Some((_, file)), None) => write!(f, "{file}: ")?,
            (None, _) => {}
        }
        match (&self.error, &self.kernel) {
            // The place is written already.
            (Error::Input(InputError::Text(error)), _) => return write!(f, "{}", error.kind),
            // Errors of other kinds name the kernel themselves.
            (Error::Rule(_), Some((_, kernel))) => {
                f.write_str(kernel)?;
                if let Some(inst) = self.inst {
                    write!(f, ", instruction {inst}")?;
                }
                f.write_str(": ")?;
            }
            _ => {}
        }
        write!(f, "{}", self.error)?;
        match self.place {
            Some(Place { pos, column: 0 }) if pos > 0 => write!(f, ", at offset {pos:#x}"),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}
