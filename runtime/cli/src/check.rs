//! `kiln check`: all errors and warnings in files of vISA.
//!
//! Parsing goes on after an error. Files that call each other's functions make one module ([`source::related`]), since
//! compilers write a kernel and the functions that it calls into separate files. A call of a function that no file
//! defines is no error: another module may define it. An object with a syntax error is not checked against the rules,
//! because most findings would follow from that error.

mod lint;

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::path::PathBuf;

use kiln_compile::source::{self, InputError, Merged};
use kiln_platform::platform::{Generation, PLATFORMS, Platform};
use kiln_visa::module::Module;
use kiln_visa::text::{self, Spans};
use kiln_visa::verify;
use miette::{Report, Severity};
use serde::Serialize;

use super::exit::Exit;
use super::input::Input;
use super::output::{self, Outputs};
use super::platforms::Visa;
use super::report::{self, About, Record, Source, record};
use super::{Format, corpus, progress};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  kiln check examples/*/*.visaasm -p skl
  kiln check - --format json < examples/saxpy/saxpy.visaasm")]
pub struct Args {
    /// Binary or text vISA, LLVM IR or SPIR-V for GenX, `-` for standard input, or folders of vISA; files that call each other's functions are one
    /// module
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Platform whose instructions and registers are allowed; of several, with commas, all
    #[arg(short, long = "platform", value_name = "PLATFORM", value_delimiter = ',', value_parser = Visa)]
    platforms: Vec<Generation>,
    /// Take all files as one module
    #[arg(long)]
    one_module: bool,
    /// Warn of code that is allowed and likely a mistake, or slow (docs/visa.md)
    #[arg(long)]
    lint: bool,
}

/// A file that was read.
struct File<'a> {
    source: Source<'a>,
    /// Spans of a text.
    spans: Option<Spans>,
}

/// All files.
#[derive(Default)]
struct Files<'a> {
    files: Vec<File<'a>>,
    /// Modules by file.
    modules: Vec<Module>,
    /// Diagnostics, and the number of those that were left out because there are too many.
    diagnostics: Vec<Report>,
    unsaid: usize,
    kernels: usize,
    functions: usize,
}

/// Result of a check.
#[derive(Serialize)]
struct Summary {
    diagnostics: Vec<Record>,
    kernels: usize,
    functions: usize,
    errors: usize,
    warnings: usize,
}

/// Result of reading a file.
struct Read {
    module: Option<(Module, Option<Spans>)>,
    diagnostics: Vec<Report>,
    unsaid: usize,
}

/// Runs the command. Diagnostics go to standard error and the summary to standard output; as JSON, both go to standard
/// output.
///
/// # Errors
/// A folder cannot be read, or standard output not be written to.
pub fn check(args: &Args, format: Format) -> Result<Exit, Report> {
    let platforms = known(&args.platforms);
    // How vISA is read depends on no platform, and LLVM IR is read for the first.
    let (_, platform) = platforms[0];
    let paths = corpus::files(&args.inputs, "")?;
    let opened: Vec<_> = paths.iter().map(|p| (p, Input::load(p))).collect();
    let mut files = Files::default();
    let read = progress::each(&opened, "files", |(_, input)| {
        input.as_ref().ok().map(|input| read(input, platform))
    });
    for ((path, input), read) in opened.iter().zip(read) {
        match (input, read) {
            (Ok(input), Some(read)) => files.add(input, read),
            (Err(error), _) => files.diagnostics.push(report::access(path, error)),
            (Ok(_), None) => {}
        }
    }
    files.verify(args, &platforms);
    files.sum_up(format)
}

/// A platform whose rules hold, if one was named, and one of its machines, or the first of all.
type Target = (Option<Generation>, &'static Platform);

/// The platforms of a command line, each once.
fn known(named: &[Generation]) -> Vec<Target> {
    let machine = |generation: &Generation| {
        let mut machines = PLATFORMS.iter();
        let found = machines.find(|platform| platform.generation == *generation);
        (Some(*generation), found.unwrap_or(&PLATFORMS[0]))
    };
    let mut seen = HashSet::new();
    let once = named.iter().filter(|generation| seen.insert(**generation));
    let known: Vec<Target> = once.map(machine).collect();
    match known.is_empty() {
        true => vec![(None, &PLATFORMS[0])],
        false => known,
    }
}

/// Something that was found, and the platforms on which it was, in words; nothing for all.
struct On<T> {
    found: T,
    on: String,
}

/// Findings on several platforms, each once, in the order in which the platforms find it. Equal ones have one `key`.
fn on_each<T: PartialEq, K: Hash + Eq>(
    platforms: &[Target],
    key: impl Fn(&T) -> K,
    find: impl Fn(Target) -> Vec<T>,
) -> Vec<On<T>> {
    let mut all: Vec<(T, Vec<&'static str>)> = Vec::new();
    let mut places: HashMap<K, Vec<usize>> = HashMap::new();
    for target in platforms {
        let name = target.0.map_or("", Generation::name);
        for found in find(*target) {
            let same = places.entry(key(&found)).or_default();
            match same.iter().find(|at| all[**at].0 == found) {
                // One platform may find the same twice.
                Some(at) if all[*at].1.last() != Some(&name) => all[*at].1.push(name),
                _ => {
                    same.push(all.len());
                    all.push((found, vec![name]));
                }
            }
        }
    }
    let on = |(found, on): (T, Vec<&str>)| On {
        found,
        on: match on.len() == platforms.len() {
            true => String::new(),
            false => format!(" (on {})", on.join(", ")),
        },
    };
    all.into_iter().map(on).collect()
}

/// Reads a file; parsing goes on after an error.
fn read(input: &Input, platform: &'static Platform) -> Read {
    let mut read = Read {
        module: None,
        diagnostics: Vec::new(),
        unsaid: 0,
    };
    match source::form(input) {
        Ok(source::Form::Text(text)) => {
            let source = Source::new(input);
            let diagnosis = text::diagnose(text);
            let errors = diagnosis.errors.iter();
            read.diagnostics.extend(errors.map(|e| source.syntax(e)));
            if diagnosis.more > 0 {
                read.unsaid = diagnosis.more;
                let more = format!("{}: {} more syntax errors", input.name, diagnosis.more);
                read.diagnostics.push(report::note(&more));
            }
            read.module = Some((diagnosis.module, Some(diagnosis.spans)));
        }
        Ok(source::Form::Binary) => match kiln_visa::binary::read(input) {
            Ok(module) => read.module = Some((module, None)),
            Err(error) => {
                let error = InputError::Binary(error);
                read.diagnostics.push(report::input(input, &error));
            }
        },
        Ok(source::Form::Genx(_)) => match source::read(input, &source::Reading::new(platform)) {
            Ok(source) => {
                let warnings = source.warnings.iter();
                let warnings = warnings.map(|warning| report::genx_warning(input, warning));
                read.diagnostics.extend(warnings);
                read.module = Some((source.module, None));
            }
            Err(error) => read.diagnostics.push(report::input(input, &error)),
        },
        Err(error) => read.diagnostics.push(report::input(input, &error)),
    }
    read
}

impl<'a> Files<'a> {
    fn add(&mut self, input: &'a Input, read: Read) {
        self.diagnostics.extend(read.diagnostics);
        self.unsaid += read.unsaid;
        if let Some((module, spans)) = read.module {
            let source = Source::new(input);
            self.files.push(File { source, spans });
            self.modules.push(module);
        }
    }

    fn verify(&mut self, args: &Args, platforms: &[Target]) {
        let groups = if args.one_module {
            vec![(0..self.modules.len()).collect()]
        } else {
            source::related(&self.modules)
        };
        // In the order of the files and their lines; findings without a place in a text keep the order of the check.
        let mut reports = Vec::new();
        for group in groups {
            let taken = |file: usize| (file, std::mem::take(&mut self.modules[file]));
            let merged = Merged::new(group.into_iter().map(taken));
            let kernels = merged.module.kernels().count();
            self.kernels += kernels;
            self.functions += merged.module.objects.len() - kernels;
            let module = &merged.module;
            let findings = on_each(
                platforms,
                |finding: &verify::Finding| (finding.object, finding.inst),
                |(generation, _)| verify::check(module, generation),
            );
            if args.lint {
                let wrong: HashSet<usize> = findings.iter().map(|f| f.found.object).collect();
                let is_sound = |number| !wrong.contains(&number);
                let lints = on_each(
                    platforms,
                    |(number, lint): &(usize, lint::Lint)| (*number, lint.inst),
                    |(_, platform)| lint::lints(module, platform, is_sound),
                );
                for On {
                    found: (number, lint),
                    on,
                } in lints
                {
                    let origin = merged.origin(number);
                    let File { source, spans } = &self.files[origin.file];
                    let name = &merged.module.objects[number].name;
                    let find = |s: &Spans| s.find(origin.object, lint.inst, lint.subject);
                    let span = spans.as_ref().and_then(find);
                    let place = (origin.file, span.as_ref().map(|span| span.start));
                    let what = lint.what + &on;
                    let report = source.lint(name, lint.code, lint.inst, &what, span);
                    reports.push((place, report));
                }
            }
            for On { found: finding, on } in findings {
                let origin = merged.origin(finding.object);
                let File { source, spans } = &self.files[origin.file];
                let find = |s: &Spans| s.find(origin.object, finding.inst, finding.subject);
                let span = spans.as_ref().and_then(find);
                let object = &merged.module.objects[finding.object];
                let about = About {
                    on,
                    ..About::new(object, origin.object, &finding)
                };
                let report = source.finding(&finding, &about, spans.as_ref());
                let place = (origin.file, span.map(|span| span.start));
                reports.push((place, report));
            }
        }
        reports.sort_by_key(|(place, _)| *place);
        let reports = reports.into_iter().map(|(_, report)| report);
        self.diagnostics.extend(reports);
    }

    fn sum_up(self, format: Format) -> Result<Exit, Report> {
        let is_error = |d: &&Report| matches!(d.severity(), None | Some(Severity::Error));
        let is_warning = |d: &&Report| d.severity() == Some(Severity::Warning);
        let count = |is: fn(&&Report) -> bool| self.diagnostics.iter().filter(is).count();
        let summary = Summary {
            kernels: self.kernels,
            functions: self.functions,
            errors: count(is_error) + self.unsaid,
            warnings: count(is_warning),
            diagnostics: match format {
                Format::Text => Vec::new(),
                Format::Json => self.diagnostics.iter().map(|d| record(&**d)).collect(),
            },
        };
        if format == Format::Text {
            self.diagnostics.iter().for_each(output::say);
        }
        let mut outputs = Outputs::default();
        outputs.report(format, &summary, || text_of(&summary))?;
        outputs.write()?;
        let errors = self.diagnostics.iter().filter(is_error);
        Ok(errors.map(Exit::of).min().unwrap_or(Exit::Done))
    }
}

fn text_of(summary: &Summary) -> String {
    let counted = [
        (summary.kernels, "kernel"),
        (summary.functions, "function"),
        (summary.errors, "error"),
        (summary.warnings, "warning"),
    ];
    let [kernels, functions, errors, warnings] = counted.map(|(n, what)| {
        let plural = if n == 1 { "" } else { "s" };
        format!("{n} {what}{plural}")
    });
    format!("{kernels} and {functions} checked: {errors}, {warnings}\n")
}
