//! `kiln check`: all that is wrong with files of vISA.
//!
//! Every file is read as far as it can be, and all that could be read is one module, as a compiler
//! writes a kernel and the functions it calls into files of their own. A function that is called
//! and in none of the files is of another module: that is no error. An object with a syntax error
//! is not held against the rules, for most of what it broke would follow from that error.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use kiln_frontend::module::Module;
use kiln_frontend::text::{self, Spans};
use kiln_frontend::verify::{self, Finding, Severity};
use kiln_runtime::pipeline::{self, InputError};
use kiln_target::platform::Generation;
use miette::Report;

use super::input::Input;
use super::report::{self, Source};
use super::{generation_parser, output};

/// Say all that is wrong with vISA
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Binary or text vISA; several files are one module
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Platform whose instructions and registers are allowed
    #[arg(short, long, value_parser = generation_parser(), ignore_case = true)]
    platform: Option<Generation>,
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
    module: Module,
    /// Of each object of the module the number of its file, and its own there.
    origins: Vec<(usize, usize)>,
    /// The numbers of the objects of a name.
    named: HashMap<String, Vec<usize>>,
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
    files.verify(args.platform);
    files.sum_up()
}

impl<'a> Files<'a> {
    fn error(&mut self, report: &Report) {
        self.errors += 1;
        output::print_error(&format!("{report:?}"));
    }

    fn read(&mut self, input: &'a Input) {
        let source = Source::new(input);
        let (module, spans) = match pipeline::form(input) {
            Ok(pipeline::Form::Text(text)) => {
                let diagnosis = text::diagnose(text);
                for error in &diagnosis.errors {
                    self.error(&source.syntax(error));
                }
                if diagnosis.more > 0 {
                    self.errors += diagnosis.more;
                    let (path, more) = (input.path.display(), diagnosis.more);
                    output::print_error(&format!("{path}: {more} more syntax errors"));
                }
                (diagnosis.module, Some(diagnosis.spans))
            }
            Ok(pipeline::Form::Binary) => match kiln_frontend::binary::read(input) {
                Ok(module) => (module, None),
                Err(error) => return self.error(&report::input(input, &InputError::Binary(error))),
            },
            Err(error) => return self.error(&report::input(input, &error)),
        };
        let file = self.files.len();
        self.files.push(File { source, spans });
        self.module.version = self.module.version.max(module.version);
        self.module.globals.extend(module.globals);
        for (number, object) in module.objects.into_iter().enumerate() {
            // The same function may be in a file by itself and in one of the whole module.
            let same = self.named.entry(object.name.to_string()).or_default();
            let twin =
                |at: &usize| self.origins[*at].0 != file && self.module.objects[*at] == object;
            if !same.iter().any(twin) {
                same.push(self.module.objects.len());
                self.module.objects.push(object);
                self.origins.push((file, number));
            }
        }
    }

    fn verify(&mut self, platform: Option<Generation>) {
        let findings = verify::check(&self.module, platform);
        // In the order of the files' lines; what has no place in a text, in that of the check.
        let place = |finding: &Finding| {
            let (file, number) = self.origins[finding.object];
            let spans = self.files[file].spans.as_ref();
            let span = spans.and_then(|s| s.find(number, finding.inst, finding.subject));
            (file, span.map(|span| span.start))
        };
        let mut findings: Vec<_> = findings.into_iter().map(|f| (place(&f), f)).collect();
        findings.sort_by_key(|(place, _)| *place);
        for (_, finding) in findings {
            let (file, number) = self.origins[finding.object];
            let File { source, spans } = &self.files[file];
            let report = source.finding(&self.module, &finding, number, spans.as_ref());
            match finding.severity() {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
            }
            output::print_error(&format!("{report:?}"));
        }
    }

    fn sum_up(&self) -> ExitCode {
        let kernels = self.module.kernels().count();
        let functions = self.module.objects.len() - kernels;
        let counted = [
            (kernels, "kernel"),
            (functions, "function"),
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
