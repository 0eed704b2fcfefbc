//! The runner: the attempts, the passes of each, the verifier after each pass, and vISA of the result.

use kiln_visa::module::Module as Visa;

use crate::attempt::Attempt;
use crate::emit::module::Interface;
use crate::error::{Code, Diagnostic, Loc, Result};
use crate::intrinsics::{regions, signatures};
use crate::ir::{Function, Module, Types, print, verify};
use crate::passes::calls::{self, Calls};
use crate::passes::kernels::{self, Kernel};
use crate::passes::pointers;
use crate::passes::{Context, PASSES, Pass};
use crate::{Compiled, Dump, Options, READ, emit};

/// Compiles a module that was read and verified. If `dumps` are asked for, they are those of the last attempt.
///
/// # Errors
/// The error of the last attempt.
pub fn compile(
    mut module: Module,
    options: &Options,
    mut dumps: Option<&mut Vec<Dump>>,
) -> Result<Compiled> {
    if let Some(dumps) = &mut dumps {
        dumps.push((READ, print::print(&module)));
    }
    signatures::check(&module)?;
    let mut kernels = kernels::find(&module, options.variant)?;
    pointers::mark(&module, &mut kernels);
    let calls = calls::find(&module, &kernels)?;
    calls.remove_others(&mut module);
    let diverges = module.functions.values().any(emit::diverges);
    let mut failed: Vec<Diagnostic> = Vec::new();
    let mut warnings = calls.warnings(&module);
    warnings.extend(regions::warnings(&module));
    for attempt in options.attempts {
        if failed.last().is_some_and(|error| !attempt.helps(error)) {
            continue;
        }
        if let Some(dumps) = &mut dumps {
            dumps.truncate(1);
        }
        let mut run = Run {
            // No attempt follows on one without divergent control flow.
            module: match diverges {
                true => module.clone(),
                false => std::mem::take(&mut module),
            },
            kernels: &kernels,
            calls: &calls,
            options,
            dumps: dumps.as_deref_mut(),
        };
        match run.passes(attempt).and_then(|()| run.emit()) {
            Ok((visa, interfaces)) => {
                return Ok(Compiled {
                    visa,
                    interfaces,
                    strings: emit::module::strings(&run.module),
                    attempt,
                    warnings: warnings.into_iter().chain(failed).collect(),
                });
            }
            Err(error) => failed.push(*error),
        }
    }
    let error = failed.pop().map(Box::new);
    Err(error.unwrap_or_else(|| Diagnostic::new(Code::Pass, Loc::default(), "no attempt")))
}

/// A module on its way through one attempt.
struct Run<'a> {
    module: Module,
    kernels: &'a [Kernel],
    calls: &'a Calls,
    options: &'a Options,
    dumps: Option<&'a mut Vec<Dump>>,
}

impl Run<'_> {
    /// Runs the list.
    fn passes(&mut self, attempt: &Attempt) -> Result<()> {
        for pass in PASSES.iter().filter(|pass| pass.runs(attempt)) {
            self.pass(pass)?;
            if let Some(dumps) = &mut self.dumps {
                dumps.push((pass.name, print::print(&self.module)));
            }
            if self.options.verify {
                verify::module(&mut self.module).map_err(|error| {
                    let message = format!("after the pass {}: {error}", pass.name);
                    Diagnostic::new(Code::Pass, error.loc, message)
                })?;
            }
        }
        Ok(())
    }

    /// Runs a pass over all functions.
    fn pass(&mut self, pass: &Pass) -> Result<()> {
        for id in self.module.functions.keys().collect::<Vec<_>>() {
            if self.module.functions[id].is_declaration() {
                continue;
            }
            let context = Context {
                platform: self.options.platform,
                kernel: self.kernels.iter().find(|kernel| kernel.function == id),
                id,
                calls: self.calls,
            };
            let empty = Function::new("".into(), Types::VOID);
            let mut function = std::mem::replace(&mut self.module.functions[id], empty);
            let done = (pass.step)(&mut self.module, &mut function, context);
            self.module.functions[id] = function;
            done?;
        }
        Ok(())
    }

    /// Makes vISA of the lowered module.
    fn emit(&self) -> Result<(Visa, Vec<Interface>)> {
        let (module, platform) = (&self.module, self.options.platform);
        let (objects, interfaces) =
            emit::module::objects(module, self.kernels, self.calls, platform)?;
        let places: Vec<Vec<_>> = objects
            .iter()
            .map(|object| object.insts.iter().map(|inst| inst.place).collect())
            .collect();
        let visa = kiln_visa::build::module(objects).map_err(|found| {
            let first = found.0.first();
            let place = first.and_then(|found| places.get(found.object)?.get(found.inst?));
            let loc = place.map_or(Loc::default(), |place| match place.column {
                0 => Loc::byte(place.pos.into()),
                column => Loc {
                    line: place.pos,
                    column,
                    byte: 0,
                },
            });
            Diagnostic::new(Code::Rule, loc, found.to_string())
        })?;
        Ok((visa, interfaces))
    }
}
