//! `kiln check`: all that is wrong with files of vISA.
//!
//! Every file is read as far as it can be. Those of which one calls what another defines are one
//! module ([`source::related`]), as a compiler writes a kernel and the functions it calls into files of
//! their own; others are modules of their own. A function that is called and in none of the files is
//! of another module: that is no error. An object with a syntax error is not held against the rules,
//! for most of what it broke would follow from that error.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use kiln_frontend::module::Module;
use kiln_frontend::text::{self, Spans};
use kiln_frontend::verify::{self, Severity};
use kiln_runtime::source::{self, InputError, Merged};
use kiln_target::platform::Generation;
use miette::Report;

use super::input::Input;
use super::report::{self, About, Source};
use super::{generation_parser, output};

/// Say all that is wrong with vISA
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Binary or text vISA, `-` for standard input; files that call each other are one module
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Platform whose instructions and registers are allowed
    #[arg(short, long, value_parser = generation_parser(), ignore_case = true)]
    platform: Option<Generation>,
    /// Take all files as one module
    #[arg(long)]
    one_module: bool,
}

/// A file that was read.
struct File<'a> {
    source: Source<'a>,
    /// Of a text.
    spans: Option<Spans>,
}

/// All that was read.
#[derive(Default)]
struct Files<'a> {
    files: Vec<File<'a>>,
    /// Of each file.
    modules: Vec<Module>,
    kernels: usize,
    functions: usize,
    errors: usize,
    warnings: usize,
}

/// Runs the command. All that is wrong goes to standard error, what it comes to, to standard
/// output.
pub fn check(args: &Args) -> ExitCode {
    let opened: Vec<_> = args
        .inputs
        .iter()
        .map(|path| (path, Input::load(path)))
        .collect();
    let mut files = Files::default();
    for (path, input) in &opened {
        match input {
            Ok(input) => files.read(input),
            Err(error) => files.error(&report::unopened(path, error)),
        }
    }
    files.verify(args);
    files.sum_up()
}

impl<'a> Files<'a> {
    fn error(&mut self, report: &Report) {
        self.errors += 1;
        output::print_error(&format!("{report:?}"));
    }

    fn read(&mut self, input: &'a Input) {
        let source = Source::new(input);
        let (module, spans) = match source::form(input) {
            Ok(source::Form::Text(text)) => {
                let diagnosis = text::diagnose(text);
                for error in &diagnosis.errors {
                    self.error(&source.syntax(error));
                }
                if diagnosis.more > 0 {
                    self.errors += diagnosis.more;
                    let (path, more) = (&input.name, diagnosis.more);
                    output::print_error(&format!("{path}: {more} more syntax errors"));
                }
                (diagnosis.module, Some(diagnosis.spans))
            }
            Ok(source::Form::Binary) => match kiln_frontend::binary::read(input) {
                Ok(module) => (module, None),
                Err(error) => return self.error(&report::input(input, &InputError::Binary(error))),
            },
            Err(error) => return self.error(&report::input(input, &error)),
        };
        self.files.push(File { source, spans });
        self.modules.push(module);
    }

    fn verify(&mut self, args: &Args) {
        let groups = if args.one_module {
            vec![(0..self.modules.len()).collect()]
        } else {
            source::related(&self.modules)
        };
        // In the order of the files and their lines; what has no place in a text, in that of the check.
        let mut reports = Vec::new();
        for group in groups {
            let taken = |file: usize| (file, std::mem::take(&mut self.modules[file]));
            let merged = Merged::new(group.into_iter().map(taken));
            let kernels = merged.module.kernels().count();
            self.kernels += kernels;
            self.functions += merged.module.objects.len() - kernels;
            for finding in verify::check(&merged.module, args.platform) {
                let origin = merged.origin(finding.object);
                let File { source, spans } = &self.files[origin.file];
                let find = |s: &Spans| s.find(origin.object, finding.inst, finding.subject);
                let span = spans.as_ref().and_then(find);
                let object = &merged.module.objects[finding.object];
                let about = About::new(object, origin.object, &finding);
                let report = source.finding(&finding, &about, spans.as_ref());
                let place = (origin.file, span.map(|span| span.start));
                reports.push((place, finding.severity(), report));
            }
        }
        reports.sort_by_key(|(place, ..)| *place);
        for (_, severity, report) in reports {
            match severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
            }
            output::print_error(&format!("{report:?}"));
        }
    }

    fn sum_up(&self) -> ExitCode {
        let counted = [
            (self.kernels, "kernel"),
            (self.functions, "function"),
            (self.errors, "error"),
            (self.warnings, "warning"),
        ];
        let [kernels, functions, errors, warnings] = counted.map(|(n, what)| {
            let plural = if n == 1 { "" } else { "s" };
            format!("{n} {what}{plural}")
        });
        let line = format!("{kernels} and {functions} checked: {errors}, {warnings}");
        // A reader that has gone away is no failure of the check.
        let _ = writeln!(io::stdout(), "{line}");
        if self.errors == 0 {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }
}
