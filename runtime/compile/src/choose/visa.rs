//! The choice for each kernel among files of vISA.
//!
//! Each file is a program by itself. Kernels of equal name are variants of one kernel, and each is made with the platform's usual number of
//! registers and with the larger ones, unless its options, its attribute or its calls fix the number.

use kiln_ir::build::uses_stack;
use kiln_visa::module::{Object, ObjectKind};

use crate::failure::Failure;
use crate::options::{Grfs, NUM_GRF, Options};
use crate::parallel;
use crate::rank::{self, Choice, Fixed, Refused, Variant};
use crate::result::{Compiled, CompiledModule};
use crate::session::{Loaded, Session, names, read_some};
use crate::source::Input;

/// The best variants of kernels.
#[derive(Debug, Default)]
pub struct Chosen {
    /// The choices, in the order in which the files name the kernels.
    pub choices: Vec<Choice>,
    /// For each choice the kernel that was taken, with the functions that it needs.
    pub modules: Vec<CompiledModule>,
    /// Files that cannot be read, and kernels of which no variant compiles.
    pub failures: Vec<Box<Failure>>,
}

/// Two kernels that were taken need different things of one name, so that they cannot be in one module: its kind and name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("kernels of different files that were taken need the {0} {1}, and it differs")]
pub struct Differs(&'static str, String);

impl Chosen {
    /// One module of all kernels that were taken.
    ///
    /// # Errors
    /// Functions or texts of one name differ.
    pub fn merged(modules: Vec<CompiledModule>) -> Result<CompiledModule, Differs> {
        let mut modules = modules.into_iter();
        let Some(mut whole) = modules.next() else {
            return Ok(CompiledModule::default());
        };
        for module in modules {
            for function in module.functions {
                let known = whole.functions.iter().find(|f| f.name == function.name);
                match known {
                    None => whole.functions.push(function),
                    Some(known) if known.code == function.code => {}
                    Some(_) => return Err(Differs("function", function.name)),
                }
            }
            whole.kernels.extend(module.kernels);
            whole.read_seconds += module.read_seconds;
            whole.warnings.extend(module.warnings);
            match (&mut whole.interface, module.interface) {
                (Some(all), Some(more)) => {
                    let added = all.add(more);
                    added.map_err(|name| Differs("text", name))?;
                }
                (all @ None, more) => *all = more,
                (Some(_), None) => {}
            }
        }
        Ok(whole)
    }
}

/// A variant to be compiled.
struct Job<'a> {
    loaded: &'a Loaded,
    file: usize,
    kernel: &'a str,
    options: Options,
    grfs: u32,
    fixed: Option<Fixed>,
}

/// Compiles all variants of the kernels in these files with the options and the cache of a session, and takes the best of each kernel.
/// A kernel of one file only is chosen among the numbers of registers.
///
/// # Errors
/// No code can be made with the options.
pub fn choose_visa(session: &Session, inputs: &[Input]) -> Result<Chosen, Box<Failure>> {
    session.possible()?;
    let options = session.options().begun();
    let all_names = names(inputs);
    let mut chosen = Chosen::default();
    // Kernels in their order, each with the variants that are refused before they are compiled.
    let mut order: Vec<(String, Vec<Refused>)> = Vec::new();
    // Failures, each with the kernels that it concerns.
    let mut failed: Vec<(Vec<String>, Box<Failure>)> = Vec::new();
    let mut files = Vec::new();
    for file in 0..inputs.len() {
        let (merged, seconds) = match read_some(inputs, &[file], &options.reading()) {
            Ok(read) => read,
            Err(failure) => {
                chosen.failures.push(failure);
                continue;
            }
        };
        let kernels = merged.module.objects.iter();
        let kernels = kernels.filter(|object| object.kind == ObjectKind::Kernel);
        let kernels: Vec<String> = kernels
            .map(|object| object.name.to_string())
            .filter(|name| session.kernel().is_none_or(|wanted| wanted == name))
            .collect();
        for kernel in &kernels {
            if !order.iter().any(|(known, _)| known == kernel) {
                order.push((kernel.clone(), Vec::new()));
            }
        }
        match session.checked(all_names.clone(), merged, seconds) {
            Ok(loaded) => files.push((file, loaded)),
            Err(failure) => {
                let error = failure.to_string();
                let refused = order.iter_mut().filter(|(name, _)| kernels.contains(name));
                refused.for_each(|(_, refused)| {
                    refused.push(Refused {
                        file,
                        grfs: options.grf_limit,
                        error: error.clone(),
                    });
                });
                match kernels.is_empty() {
                    true => chosen.failures.push(failure),
                    false => failed.push((kernels, failure)),
                }
            }
        }
    }
    let jobs = files.iter().flat_map(|(file, loaded)| {
        let objects = loaded.module().objects.iter();
        let kernels = objects.filter(|object| {
            object.kind == ObjectKind::Kernel && order.iter().any(|(name, _)| *name == *object.name)
        });
        kernels.flat_map(|object| jobs(*file, loaded, object, &options))
    });
    let mut jobs: Vec<Job> = jobs.collect();
    jobs.sort_by_key(|job| (job.grfs, job.file));
    let made = parallel::map(jobs, |job| {
        let session = session.for_variant(job.kernel, job.options.clone());
        let made = session.compile_file(job.loaded, &inputs[job.file]);
        (job, made)
    });
    let mut made: Vec<Option<_>> = made.into_iter().map(Some).collect();
    let mut lacking = Vec::new();
    for (kernel, mut refused) in order {
        let (mut variants, mut modules) = (Vec::new(), Vec::new());
        for one in &mut made {
            let Some((job, result)) = one.take_if(|(job, _)| job.kernel == kernel) else {
                continue;
            };
            match result {
                Ok(module) => {
                    let compiled = module.kernels.iter().find(|k| k.name == kernel);
                    let Some(compiled) = compiled else { continue };
                    variants.push(variant(&job, compiled, &options));
                    modules.push(module);
                }
                Err(failure) => {
                    refused.push(Refused {
                        file: job.file,
                        grfs: job.grfs,
                        error: failure.to_string(),
                    });
                    failed.push((vec![kernel.clone()], failure));
                }
            }
        }
        match rank::best(&variants) {
            Some((variant, reason)) => {
                chosen.modules.push(modules.swap_remove(variant));
                chosen.choices.push(Choice {
                    kernel,
                    variant,
                    reason,
                    variants,
                    refused,
                });
            }
            None => lacking.push(kernel),
        }
    }
    // The first failure of each kernel that has no variant.
    for (kernels, failure) in failed {
        let before = lacking.len();
        lacking.retain(|kernel| !kernels.contains(kernel));
        if lacking.len() < before {
            chosen.failures.push(failure);
        }
    }
    Ok(chosen)
}

/// The variants of a kernel of a file.
fn jobs<'a>(
    file: usize,
    loaded: &'a Loaded,
    object: &'a Object,
    options: &Options,
) -> impl Iterator<Item = Job<'a>> {
    let attribute = match options.grfs {
        Grfs::Kernel => object.int_attr(NUM_GRF).filter(|&count| count != 0),
        Grfs::Limit | Grfs::Auto => None,
    };
    let fixed = match options.grfs {
        Grfs::Limit => Some(Fixed::Options),
        _ if attribute.is_some() => Some(Fixed::Attribute),
        _ if uses_stack(object) => Some(Fixed::Calls),
        _ => None,
    };
    let usual = match fixed {
        Some(_) => options.clone(),
        None => options.with_limit(options.grf_limit),
    };
    let larger = options.larger().filter(move |_| fixed.is_none());
    let grfs = attribute.and_then(|count| u32::try_from(count).ok());
    std::iter::once(usual)
        .chain(larger)
        .map(move |options| Job {
            loaded,
            file,
            kernel: &object.name,
            grfs: grfs.unwrap_or(options.grf_limit),
            options,
            fixed,
        })
}

/// The figures of a variant.
fn variant(job: &Job, compiled: &Compiled, options: &Options) -> Variant {
    Variant {
        file: job.file,
        fixed: job.fixed,
        ..Variant::of(&compiled.made(), options.platform)
    }
}
