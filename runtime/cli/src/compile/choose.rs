//! `kiln compile --choose`: of the kernels in several files, the best variants.

use std::path::{Path, PathBuf};

use kiln_compile::choose::{Choice, Chosen, choose_visa};
use kiln_compile::source::Input as Source;
use kiln_compile::{CompiledModule, Outcome};
use miette::Report;

use super::{Emit, Job, Made, repeated, safe};
use crate::report;

/// The outputs of the kernels that are taken.
pub(super) enum Output {
    /// The figures only.
    None,
    /// One file.
    One(PathBuf),
    /// A file for each kernel, with that name and this extension, in a folder.
    Each(PathBuf, String),
}

impl Output {
    /// The outputs for a command line; `platform` is the name of one of several.
    ///
    /// # Errors
    /// The caller does not say where code is to go.
    pub(super) fn of(
        emit: Option<Emit>,
        (output, dir): (Option<&Path>, Option<&Path>),
        platform: Option<&str>,
    ) -> Result<Output, Report> {
        match (emit, output, dir) {
            (None, ..) => Ok(Output::None),
            (Some(_), Some(output), _) => Ok(Output::One(output.to_path_buf())),
            (Some(emit), None, Some(dir)) => {
                let extension = emit.extension();
                let extension = match platform {
                    Some(platform) => format!("{platform}.{extension}"),
                    None => extension.to_string(),
                };
                Ok(Output::Each(dir.to_path_buf(), extension))
            }
            (Some(_), None, None) => Err(report::usage(
                "--choose: say with --output or --out-dir where the code is to go",
            )),
        }
    }
}

/// Chooses among the variants of all kernels, and writes those that are taken.
pub(super) fn choose(job: &mut Job, sources: &[Source], output: &Output) -> Vec<Made> {
    let failed = |failure: &_| report::failure(job.inputs, failure);
    let chosen = match choose_visa(job.session, sources) {
        Ok(chosen) => chosen,
        Err(failure) => {
            return vec![Made {
                failures: vec![failed(&failure)],
                ..Made::default()
            }];
        }
    };
    let Chosen {
        choices,
        modules,
        failures,
    } = chosen;
    let mut made = vec![Made {
        failures: failures.iter().map(|failure| failed(failure)).collect(),
        ..Made::default()
    }];
    // The ids of work-items take other places in each size.
    let infos = job.info.filter(|_| job.emit == Some(Emit::Zebin));
    for choice in choices.iter().filter(|_| infos.is_some()) {
        let taken = choice.variants[choice.variant].simd;
        let laid_out = infos.and_then(|(path, info)| Some((path, info.simd_of(&choice.kernel)?)));
        if let Some((path, simd)) = laid_out.filter(|(_, simd)| *simd != taken) {
            made[0].failures.push(report::usage(format_args!(
                "{}: arguments of {} are laid out for SIMD{simd}, and SIMD{taken} is taken: an --interface serves all sizes",
                report::name(path),
                choice.kernel
            )));
        }
    }
    let file_of = |choice: &Choice| choice.variants[choice.variant].file;
    match output {
        // One file is whole or not there.
        Output::One(_) if !made[0].failures.is_empty() || modules.is_empty() => {}
        Output::One(path) => {
            let mut files: Vec<usize> = choices.iter().map(file_of).collect();
            files.sort_unstable();
            files.dedup();
            let first = files[0];
            let result = match Chosen::merged(modules) {
                Ok(whole) => whole,
                Err(why) => {
                    let why =
                        report::usage(format_args!("{why}; --out-dir writes a file for each"));
                    made[0].failures.push(why);
                    return made;
                }
            };
            job.name_all(path.clone(), false);
            let mut one = job.finish(Outcome {
                files: vec![first],
                result: Ok(result),
            });
            note(job, &mut one, &choices);
            made.push(one);
        }
        Output::None | Output::Each(..) => {
            let name = |choice: &Choice| match output {
                Output::Each(dir, extension) => {
                    dir.join(format!("{}.{extension}", safe(&choice.kernel)))
                }
                Output::None | Output::One(_) => PathBuf::new(),
            };
            let paths: Vec<PathBuf> = choices.iter().map(name).collect();
            let repeated = repeated(&paths);
            let each = choices
                .iter()
                .zip(modules)
                .zip(paths.into_iter().zip(repeated));
            for ((choice, module), (path, repeated)) in each {
                job.name_all(path, repeated);
                made.push(one(job, choice, file_of(choice), module));
            }
        }
    }
    made
}

/// Writes the file of one kernel.
fn one(job: &Job, choice: &Choice, file: usize, module: CompiledModule) -> Made {
    let mut made = job.finish(Outcome {
        files: vec![file],
        result: Ok(module),
    });
    note(job, &mut made, std::slice::from_ref(choice));
    made
}

/// Puts the choices, and the files of the kernels that were taken, into their figures.
fn note(job: &Job, made: &mut Made, choices: &[Choice]) {
    for kernel in &mut made.figures {
        let of = choices.iter().find(|choice| choice.kernel == kernel.name);
        if let Some(choice) = of {
            let file = choice.variants[choice.variant].file;
            kernel.file.clone_from(&job.inputs[file].name);
            kernel.choice = Some(choice.clone());
        }
    }
}
