//! From a file of vISA to finalized kernels.

use std::time::Instant;

use kiln_runtime::pipeline::{self, Compiled, Options, Stage};
use miette::{Report, miette};
use rayon::prelude::*;

use super::input::Input;
use super::report;

/// The finalized kernels of a file.
pub struct Finalized {
    pub kernels: Vec<Compiled>,
    /// Seconds that reading the file took.
    pub read_seconds: f64,
    /// The module as text, if that was asked for.
    pub visa: Option<String>,
}

/// Finalizes the kernels of a file, or the one of that name.
///
/// # Errors
/// What is wrong with the file; that a kernel cannot be finalized; that there is none of that name.
pub fn finalize(input: &Input, options: &Options, name: Option<&str>) -> Result<Finalized, Report> {
    let clock = Instant::now();
    let module = pipeline::read(input).map_err(|e| report::input(input, &e))?;
    pipeline::check(&module, options.platform).map_err(|e| report::finding(input, &module, &e))?;
    let read_seconds = clock.elapsed().as_secs_f64();
    let failed = |e| report::compile(input, &module, &e);

    let mut order = pipeline::order(&module).map_err(failed)?;
    if let Some(name) = name {
        order.retain(|&index| module.objects[index].name == name);
    }
    if order.is_empty() {
        let names = module.objects.iter().map(|o| o.name.as_str());
        return Err(no_kernel(input, name, names));
    }
    // All results are awaited, so that of several errors it is always the same that is reported.
    let results: Vec<_> = order
        .par_iter()
        .map(|&index| {
            let object = &module.objects[index];
            pipeline::compile(object, options)
        })
        .collect();
    let kernels = results
        .into_iter()
        .collect::<Result<_, _>>()
        .map_err(failed)?;
    let visa = options.dump.contains(&Stage::Visa);
    let visa = visa.then(|| kiln_frontend::print::print(&module));
    Ok(Finalized {
        kernels,
        read_seconds,
        visa,
    })
}

/// A file does not hold what is looked for.
pub fn no_kernel<'a>(
    input: &Input,
    name: Option<&str>,
    names: impl Iterator<Item = &'a str>,
) -> Report {
    let path = input.path.display();
    let names: Vec<_> = names.collect();
    let names = if names.is_empty() {
        "none".to_string()
    } else {
        names.join(", ")
    };
    match name {
        Some(name) => miette!("{path}: no kernel is named {name}; the kernels are: {names}"),
        None => miette!("{path}: it holds no kernel"),
    }
}
