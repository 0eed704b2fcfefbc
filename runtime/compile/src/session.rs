//! Compilation of a module from its files to an object file: the interface for drivers and compilers.
//!
//! A [`Session`] owns the options and the scratch memory of compilations; threads may share it.
//! [`Session::compile_module`] reads the files of a module, checks it against the rules of vISA and of the platform,
//! and compiles its kernels and their callees in parallel. [`Session::object_file`] makes an object file of them, and
//! [`CompiledModule::load_at`] code for an address. Results and the order of errors do not depend on the number of
//! threads.
//!
//! A driver that needs code quickly compiles with [`Tier::Quick`], and hot kernels again with [`Tier::Best`]:
//! [`Session::load`] reads a module ([`Session::load_visa`] takes one that was built in memory),
//! [`Session::compile_loaded`] compiles it, and [`Session::recompile`] replaces the code of one kernel.
//!
//! ```
//! use kiln_compile::{Info, Input, Options, Session, find_platform};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/saxpy/saxpy");
//! let platform = find_platform("skl").ok_or("no such platform")?;
//! let session = Session::new(Options::new(platform));
//! let bytes = std::fs::read(format!("{folder}.visaasm"))?;
//! let input = Input { name: "saxpy.visaasm", bytes: &bytes };
//! let module = session.compile_module(&[input])?;
//! let kernel = module.kernel("saxpy").ok_or("no such kernel")?;
//! println!("{} instructions, {} bytes", kernel.instructions, kernel.code.len());
//! let info = Info::parse(&std::fs::read(format!("{folder}.zebin"))?, platform)?;
//! let object_file: Vec<u8> = session.object_file(&module, info)?.write()?;
//! # assert!(object_file.starts_with(b"\x7fELF"));
//! # Ok(())
//! # }
//! ```

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

#[cfg(feature = "objects")]
use kiln_emit::zebin::Zebin;
use kiln_ir::callgraph::{CallGraph, Edge};
use kiln_machine::func::Entered;
use kiln_platform::bits::GrfSet;
use kiln_platform::platform::AddressCalls;
use kiln_visa::module::{Module, ObjectKind};
use kiln_visa::print;
use kiln_visa::text;
use kiln_visa::verify::{self, Severity};

use crate::attempt::{self, Callees, Scratch};
#[cfg(feature = "cache")]
use crate::cache::Cache;
use crate::diagnostic::Diagnostic;
use crate::failure::{Error, Failure, Places};
#[cfg(feature = "objects")]
use crate::info::Info;
use crate::link;
#[cfg(not(feature = "cache"))]
use crate::no_cache::Cache;
#[cfg(feature = "objects")]
use crate::object_file::{self, ObjectError};
use crate::options::{Options, Stage, Tier};
use crate::parallel;
use crate::result::{Compiled, CompiledModule};
use crate::source::{self, Form, Input, InputError, Merged, Reading, Source};

/// Options and scratch memory of compilations.
pub struct Session {
    options: Options,
    kernel: Option<String>,
    cache: Option<Cache>,
    /// Scratch memory that no compilation is using.
    scratch: Mutex<Vec<Scratch>>,
}

/// A module that was read and checked, and can be compiled any number of times.
pub struct Loaded {
    /// Names of all inputs, by number; the module may be some of them.
    files: Arc<[String]>,
    merged: Merged,
    graph: CallGraph,
    warnings: Vec<Diagnostic>,
    read_seconds: f64,
}

impl Loaded {
    /// The module as it was read.
    pub fn module(&self) -> &Module {
        &self.merged.module
    }

    /// Warnings in the order of the module.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }
}

/// The result for one of several modules.
pub struct Outcome {
    /// Indices of its files.
    pub files: Vec<usize>,
    /// The module, or its first failure with all others.
    pub result: Result<CompiledModule, Box<Failure>>,
}

impl Session {
    /// A session without a cache, for all kernels of a module.
    pub fn new(options: Options) -> Session {
        Session {
            options,
            kernel: None,
            cache: None,
            scratch: Mutex::default(),
        }
    }

    /// A session with the same cache, but other options, for one kernel.
    #[cfg(feature = "objects")]
    pub(crate) fn for_variant(&self, kernel: &str, options: Options) -> Session {
        Session {
            options,
            kernel: Some(kernel.to_string()),
            cache: self.cache.clone(),
            scratch: Mutex::default(),
        }
    }

    /// The kernel that it is restricted to.
    #[cfg(feature = "objects")]
    pub(crate) fn kernel(&self) -> Option<&str> {
        self.kernel.as_deref()
    }

    /// Compiles a module of one file that was loaded, unless the cache has it.
    #[cfg(feature = "objects")]
    pub(crate) fn compile_file(
        &self,
        loaded: &Loaded,
        input: &Input,
    ) -> Result<CompiledModule, Box<Failure>> {
        self.through_cache(&[input], || self.compile_loaded(loaded))
    }

    /// A session with the same options and cache, but for the number of registers of kernels that do not say theirs.
    #[cfg(feature = "objects")]
    pub(crate) fn with_limit(&self, grf_limit: u32) -> Session {
        Session {
            options: Options {
                grf_limit,
                ..self.options.clone()
            },
            kernel: self.kernel.clone(),
            cache: self.cache.clone(),
            scratch: Mutex::default(),
        }
    }

    /// Restricts the session to the kernel of that name and its callees.
    #[must_use]
    pub fn only(mut self, kernel: &str) -> Session {
        self.kernel = Some(kernel.to_string());
        self
    }

    /// Lets the session look results up in a cache and store new ones. [`Session::compile_module`],
    /// [`Session::compile_modules`] and [`Session::compile_each`] do so, unless the options ask for dumps of stages or
    /// for the register pressure by instruction, which no entry holds. A cached result equals a compiled one except
    /// for its seconds.
    #[cfg(feature = "cache")]
    #[must_use]
    pub fn with_cache(mut self, cache: Cache) -> Session {
        self.cache = Some(cache);
        self
    }

    /// The options of all its compilations.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Compiles a module of one or several files.
    ///
    /// # Errors
    /// The first file that cannot be read; else errors in the module; else the errors of the first kernel that cannot
    /// be compiled.
    pub fn compile_module(&self, inputs: &[Input]) -> Result<CompiledModule, Box<Failure>> {
        self.possible()?;
        let options = self.options.begun();
        self.through_cache(&inputs.iter().collect::<Vec<_>>(), || {
            self.compile_as(&self.load_as(inputs, &options)?, &options)
        })
    }

    /// Looks the module of these files up in the cache; else calls `compile` and stores its result.
    fn through_cache(
        &self,
        files: &[&Input],
        compile: impl FnOnce() -> Result<CompiledModule, Box<Failure>>,
    ) -> Result<CompiledModule, Box<Failure>> {
        let Some(cache) = &self.cache else {
            return compile();
        };
        let clock = Instant::now();
        let Some(key) = Cache::key_of(&self.options, self.kernel.as_deref(), files) else {
            return compile();
        };
        if let Some(module) = cache.module(&key) {
            return Ok(CompiledModule {
                read_seconds: clock.elapsed().as_secs_f64(),
                ..module
            });
        }
        let module = compile()?;
        cache.keep_module(&key, &module);
        Ok(module)
    }

    /// Compiles the modules that the files make: [related](source::related) files make one module. A file that cannot
    /// be read is a module by itself.
    pub fn compile_modules(&self, inputs: &[Input]) -> Vec<Outcome> {
        self.compile_each(inputs, |outcome| outcome)
    }

    /// As [`Session::compile_modules`], but maps each outcome by `of` at once, so that its memory is freed early.
    pub fn compile_each<T: Send>(
        &self,
        inputs: &[Input],
        of: impl Fn(Outcome) -> T + Sync,
    ) -> Vec<T> {
        if let Err(failure) = self.possible() {
            return vec![of(Outcome {
                files: (0..inputs.len()).collect(),
                result: Err(failure),
            })];
        }
        let options = &self.options.begun();
        let names = names(inputs);
        let groups_key = |cache: &Cache| (cache.clone(), Cache::key_of_groups(inputs));
        let cache = self.cache.as_ref().map(groups_key);
        if let Some((cache, key)) = &cache
            && let Some(groups) = cache.groups(key, inputs.len())
        {
            let outcome = |files: Vec<usize>| {
                let members: Vec<&Input> = files.iter().map(|file| &inputs[*file]).collect();
                let result = self.through_cache(&members, || {
                    let (merged, seconds) = read_some(inputs, &files, &options.reading())?;
                    self.compile_merged(&names, merged, seconds, options)
                });
                of(Outcome { files, result })
            };
            return parallel::map(groups, outcome);
        }
        let mut units = Vec::new();
        let (mut numbers, mut modules) = (Vec::new(), Vec::new());
        let mut besides = Vec::new();
        let mut seconds = Vec::new();
        for (number, (module, took)) in read(inputs, &options.reading()).into_iter().enumerate() {
            seconds.push(took);
            match module {
                Ok(source) => {
                    numbers.push(number);
                    modules.push(source.module);
                    besides.push((source.interface, source.warnings));
                }
                Err(failure) => units.push((vec![number], Err(failure))),
            }
        }
        let groups = source::related(&modules);
        let mut modules: Vec<_> = modules.into_iter().map(Some).collect();
        for group in groups {
            let files: Vec<usize> = group.iter().map(|file| numbers[*file]).collect();
            let taken = group.iter().filter_map(|file| {
                let (interface, warnings) = std::mem::take(&mut besides[*file]);
                let module = modules[*file].take()?;
                Some(Source {
                    module,
                    interface,
                    warnings,
                })
            });
            let merged = Merged::of_sources(files.iter().copied().zip(taken));
            units.push((files, Ok(merged)));
        }
        units.sort_by_key(|(files, _)| files.first().copied());
        let outcome = |(files, merged): (Vec<usize>, Result<Merged, Box<Failure>>)| {
            let read = files.iter().map(|file| seconds[*file]).sum();
            let members: Vec<&Input> = files.iter().map(|file| &inputs[*file]).collect();
            let result = merged.and_then(|merged| {
                self.through_cache(&members, || {
                    self.compile_merged(&names, merged, read, options)
                })
            });
            of(Outcome { files, result })
        };
        if let Some((cache, key)) = &cache {
            cache.keep_groups(key, units.iter().map(|(files, _)| files.as_slice()));
        }
        if units.len() == 1 {
            units.into_iter().map(outcome).collect()
        } else {
            parallel::map(units, outcome)
        }
    }

    /// Checks and compiles a module whose reading took `read_seconds`.
    fn compile_merged(
        &self,
        names: &Arc<[String]>,
        merged: Merged,
        read_seconds: f64,
        options: &Options,
    ) -> Result<CompiledModule, Box<Failure>> {
        let loaded = self.checked(names.clone(), merged, read_seconds)?;
        self.compile_as(&loaded, options)
    }

    /// Reads and checks a module that is to be compiled more than once.
    ///
    /// # Errors
    /// As [`Session::compile_module`], without those of compilation.
    pub fn load(&self, inputs: &[Input]) -> Result<Loaded, Box<Failure>> {
        self.possible()?;
        self.load_as(inputs, &self.options.begun())
    }

    fn load_as(&self, inputs: &[Input], options: &Options) -> Result<Loaded, Box<Failure>> {
        let (merged, seconds) = read_module(inputs, &options.reading())?;
        self.checked(names(inputs), merged, seconds)
    }

    /// As [`Session::load`] for a module that was built in memory ([`kiln_visa::build`]); messages use `name`.
    ///
    /// # Errors
    /// As [`Session::load`].
    pub fn load_visa(&self, name: &str, module: Module) -> Result<Loaded, Box<Failure>> {
        self.possible()?;
        self.checked([name.to_string()].into(), Merged::new([(0, module)]), 0.0)
    }

    /// Checks a module against the rules of vISA and of the platform.
    pub(crate) fn checked(
        &self,
        files: Arc<[String]>,
        merged: Merged,
        read_seconds: f64,
    ) -> Result<Loaded, Box<Failure>> {
        let clock = Instant::now();
        let generation = Some(self.options.platform.generation);
        let findings = verify::check(&merged.module, generation).into_iter();
        let mut places = Places::new(&files, &merged);
        let mut found: Vec<Failure> = findings
            .map(|finding| {
                let (object, inst) = (finding.object, finding.inst);
                places.failure(finding.into(), object, inst)
            })
            .collect();
        if found.iter().any(|f| f.severity() == Severity::Error) {
            return Err(Failure::with_others(found));
        }
        let graph = CallGraph::new(&merged.module);
        if !graph.errors.is_empty() {
            found.extend(graph.errors.iter().map(|error| {
                let (object, inst) = (error.object, error.inst);
                places.failure(error.clone().into(), object, Some(inst))
            }));
            return Err(Failure::with_others(found));
        }
        let warnings = merged.warnings.iter();
        let warnings =
            warnings.map(|(file, warning)| Diagnostic::of_genx(files.get(*file), warning));
        let warnings = warnings.chain(found.iter().map(Failure::diagnostic));
        Ok(Loaded {
            warnings: warnings.collect(),
            files,
            merged,
            graph,
            read_seconds: read_seconds + clock.elapsed().as_secs_f64(),
        })
    }

    /// Compiles a module that was loaded.
    ///
    /// # Errors
    /// The errors of the first kernel that cannot be compiled.
    pub fn compile_loaded(&self, loaded: &Loaded) -> Result<CompiledModule, Box<Failure>> {
        self.compile_as(loaded, &self.options.begun())
    }

    fn compile_as(
        &self,
        loaded: &Loaded,
        options: &Options,
    ) -> Result<CompiledModule, Box<Failure>> {
        let wanted = self.kernel.as_deref();
        let (kernels, functions) = self.compile_checked(loaded, wanted, options)?;
        let visa = self.options.dump.contains(&Stage::Visa);
        Ok(CompiledModule {
            kernels,
            functions,
            read_seconds: loaded.read_seconds,
            visa: visa.then(|| print::print(loaded.module())),
            interface: loaded.merged.interface.clone(),
            warnings: (loaded.merged.warnings.iter())
                .map(|(_, warning)| warning.clone())
                .collect(),
        })
    }

    /// Compiles the kernels of a module, or the one of that name, and the functions that are called by address, each
    /// with the functions that it calls by name.
    fn compile_checked(
        &self,
        loaded: &Loaded,
        wanted: Option<&str>,
        options: &Options,
    ) -> Result<(Vec<Compiled>, Vec<Compiled>), Box<Failure>> {
        let Loaded {
            files,
            merged,
            graph,
            ..
        } = loaded;
        let order = self.order(files, merged, graph, wanted)?;
        let (mut objects, mut failures) = (Vec::with_capacity(order.len()), Vec::new());
        for result in self.compile_objects(files, merged, graph, &order, options) {
            match result {
                Ok(object) => objects.push(object),
                Err(failure) => failures.push(*failure),
            }
        }
        if !failures.is_empty() {
            return Err(Failure::with_others(failures));
        }
        Ok(link::link(order.into_iter().zip(objects).collect(), graph))
    }

    /// Compiles a kernel of a compiled module again for another tier, and replaces its code. The functions that it
    /// calls by name are compiled with it, since they are part of its code. Functions that are called by address stay,
    /// because others may hold their addresses. Conventions, arguments and symbols stay the same, so that the new code
    /// can be loaded in place of the old.
    ///
    /// # Errors
    /// There is no such kernel, or it cannot be compiled with this tier; the module stays as it was.
    pub fn recompile(
        &self,
        loaded: &Loaded,
        module: &mut CompiledModule,
        kernel: &str,
        tier: Tier,
    ) -> Result<(), Box<Failure>> {
        let Some(place) = module.kernels.iter().position(|k| k.name == kernel) else {
            let error = Error::NoSuchKernel {
                wanted: kernel.to_string(),
                names: module.kernels.iter().map(|k| k.name.clone()).collect(),
            };
            return Err(Failure::of_file(error, &loaded.files, 0));
        };
        let options = self.options.begun().tier(tier);
        let (kernels, _) = self.compile_checked(loaded, Some(kernel), &options)?;
        let before = &module.kernels[place];
        let Some(mut after) = kernels.into_iter().find(|k| k.name == kernel) else {
            return Err(Failure::of_file(Error::NoKernel, &loaded.files, 0));
        };
        // A chain of calls may mix new frames and old ones, so the sum of both depths is the safe bound.
        if after.stack_bytes != before.stack_bytes {
            after.stack_bytes += before.stack_bytes;
        }
        after.uninterruptible |= module.functions.iter().any(|f| f.uninterruptible);
        after.unpaired |= module.functions.iter().any(|f| f.unpaired);
        module.kernels[place] = after;
        Ok(())
    }

    /// Compiles objects of a module, callees before those that call them by name. Waits for all results, so that the
    /// error reported is always the first in order.
    pub(crate) fn compile_objects(
        &self,
        files: &[String],
        merged: &Merged,
        graph: &CallGraph,
        order: &[usize],
        options: &Options,
    ) -> Vec<Result<Compiled, Box<Failure>>> {
        let by_address = link::by_address(&merged.module, graph);
        let by_jump = match options.platform.address_calls {
            AddressCalls::Jump => &by_address,
            AddressCalls::Call | AddressCalls::Calla => &HashSet::new(),
        };
        let compile = |&object: &usize, overwritten: BTreeMap<String, GrfSet>| {
            let mut scratch = self.take_scratch();
            let object_of = &merged.module.objects[object];
            let callees = Callees {
                by_jump,
                overwritten,
            };
            let compiled = attempt::compile_in(object_of, &callees, options, &mut scratch);
            self.give_back(scratch);
            let compiled = compiled.map(|compiled| Compiled {
                addressed: by_address.contains(object_of.name.as_str()),
                ..compiled
            });
            compiled.map_err(|error| {
                let mut places = Places::new(files, merged);
                let errors = error.split().into_iter();
                let failures = errors.map(|error| {
                    let inst = error.instruction();
                    places.failure(error.into(), object, inst)
                });
                Failure::with_others(failures.collect())
            })
        };
        let steps = graph.steps();
        let mut results: Vec<Option<Result<Compiled, Box<Failure>>>> = Vec::new();
        results.resize_with(merged.module.objects.len(), || None);
        for step in 0..=order.iter().map(|object| steps[*object]).max().unwrap_or(0) {
            let known = |object: &usize| {
                let callees = graph.callees(*object).into_iter();
                let named = callees.filter(|(edge, _)| matches!(edge, Edge::Direct(_)));
                let of = named.filter_map(|(_, callee)| match &results[callee] {
                    Some(Ok(callee)) if callee.entered == Entered::Called => {
                        Some((callee.name.clone(), callee.allocation.overwritten))
                    }
                    _ => None,
                });
                of.collect::<BTreeMap<_, _>>()
            };
            let now = order.iter().filter(|object| steps[**object] == step);
            let now: Vec<_> = now.map(|object| (object, known(object))).collect();
            let compiled = |(object, known): (&usize, _)| (*object, compile(object, known));
            // Starting threads takes as long as compiling a small kernel.
            let done: Vec<_> = match now.len() {
                1 => now.into_iter().map(compiled).collect(),
                _ => parallel::map(now, compiled),
            };
            for (object, result) in done {
                results[object] = Some(result);
            }
        }
        let in_order = order.iter().filter_map(|object| results[*object].take());
        in_order.collect()
    }

    /// Makes an object file of a module's kernels.
    ///
    /// # Errors
    /// `info` does not describe a kernel, or does not define a symbol that its code uses.
    #[cfg(feature = "objects")]
    pub fn object_file(&self, module: &CompiledModule, info: Info) -> Result<Zebin, ObjectError> {
        object_file::object_file(info, module, self.options.platform)
    }

    /// Checks that the options can compile anything.
    pub(crate) fn possible(&self) -> Result<(), Box<Failure>> {
        let Options {
            platform,
            grf_limit: found,
            ..
        } = self.options;
        if !platform.compiles {
            return Err(Error::Platform(platform.name).into());
        }
        let limits = Options::grf_limits(platform);
        if !limits.contains(&found) {
            let error = Error::GrfLimit {
                found,
                fewest: *limits.start(),
                most: *limits.end(),
                platform: platform.name,
            };
            return Err(error.into());
        }
        Ok(())
    }

    /// Indices of the objects to compile: the kernels, the objects that other modules see, and all that these may
    /// reach. A module without kernels is a library and keeps everything.
    fn order(
        &self,
        files: &[String],
        merged: &Merged,
        graph: &CallGraph,
        wanted: Option<&str>,
    ) -> Result<Vec<usize>, Box<Failure>> {
        let objects = &merged.module.objects;
        let is_kernel = |number: &usize| objects[*number].kind == ObjectKind::Kernel;
        let all = 0..objects.len();
        let roots: Vec<usize> = match wanted {
            Some(wanted) => {
                let named = |number: &usize| objects[*number].name == wanted;
                let kernel = all.clone().filter(is_kernel).find(named);
                let Some(kernel) = kernel.or_else(|| all.clone().find(named)) else {
                    let names = objects.iter().map(|o| o.name.to_string()).collect();
                    let wanted = wanted.to_string();
                    let error = Error::NoSuchKernel { wanted, names };
                    return Err(Failure::of_file(error, files, 0));
                };
                vec![kernel]
            }
            None if all.clone().any(|number| is_kernel(&number)) => all
                .filter(|number| is_kernel(number) || graph.facts(*number).visible)
                .collect(),
            None => all.collect(),
        };
        let reached = graph.reachable(roots.into_iter());
        let order: Vec<usize> = (0..objects.len()).filter(|n| reached[*n]).collect();
        if order.is_empty() {
            return Err(Failure::of_file(Error::NoKernel, files, 0));
        }
        Ok(order)
    }

    fn take_scratch(&self) -> Scratch {
        let mut pool = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        pool.pop().unwrap_or_default()
    }

    fn give_back(&self, scratch: Scratch) {
        let mut pool = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        pool.push(scratch);
    }
}

/// Names of the inputs.
pub(crate) fn names(inputs: &[Input]) -> Arc<[String]> {
    inputs.iter().map(|input| input.name.to_string()).collect()
}

/// Reads the files of one module; returns the seconds that took as well.
pub(crate) fn read_module(inputs: &[Input], how: &Reading) -> Result<(Merged, f64), Box<Failure>> {
    let (mut modules, mut failures, mut seconds) = (Vec::new(), Vec::new(), 0.0);
    for (module, took) in read(inputs, how) {
        seconds += took;
        match module {
            Ok(module) => modules.push(module),
            Err(failure) => failures.push(*failure),
        }
    }
    if !failures.is_empty() {
        return Err(Failure::with_others(failures));
    }
    Ok((Merged::of_sources(modules.into_iter().enumerate()), seconds))
}

/// Reads the files with these indices, which make one module.
pub(crate) fn read_some(
    inputs: &[Input],
    files: &[usize],
    how: &Reading,
) -> Result<(Merged, f64), Box<Failure>> {
    let (mut modules, mut seconds) = (Vec::new(), 0.0);
    for &file in files {
        let (module, took) = read_file(inputs, file, how);
        modules.push((file, module?));
        seconds += took;
    }
    Ok((Merged::of_sources(modules), seconds))
}

/// Reads one of several files; returns the seconds that took as well.
fn read_file(
    inputs: &[Input],
    number: usize,
    how: &Reading,
) -> (Result<Source, Box<Failure>>, f64) {
    let clock = Instant::now();
    let module = source::read(inputs[number].bytes, how);
    let module = module.map_err(|error| unread(error, inputs, number));
    (module, clock.elapsed().as_secs_f64())
}

/// Reads files in parallel, and a single file on this thread; returns the seconds of each.
fn read(inputs: &[Input], how: &Reading) -> Vec<(Result<Source, Box<Failure>>, f64)> {
    match inputs {
        [_] => vec![read_file(inputs, 0, how)],
        several => parallel::map((0..several.len()).collect(), |number| {
            read_file(inputs, number, how)
        }),
    }
}

/// The failure for a file that cannot be read. The text parser stops at the first error, so the text is parsed again
/// here to collect the rest.
fn unread(error: InputError, inputs: &[Input], number: usize) -> Box<Failure> {
    let names = names(inputs);
    let mut others = Vec::new();
    if let (InputError::Text(first), Ok(Form::Text(source))) =
        (&error, source::form(inputs[number].bytes))
    {
        let errors = text::diagnose(source).errors.into_iter();
        let of = |error| *Failure::of_file(InputError::Text(error).into(), &names, number);
        others.extend(errors.filter(|other| other.offset > first.offset).map(of));
    }
    let mut failure = Failure::of_file(error.into(), &names, number);
    failure.others = others;
    failure
}
