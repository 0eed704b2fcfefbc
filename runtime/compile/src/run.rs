//! The runner of the passes: the time, the text and the verifier of each.

use std::borrow::Cow;
use std::fmt::Write;
use std::time::Instant;

use kiln_visa::module::Object;

use crate::attempt::list::Scratch;
use crate::failure::CompileError;
use crate::level::Level;
use crate::options::Stage;
use crate::parallel;
use crate::passes::{self, Edit, OnProgram, Pass, Step};
use crate::result::{Compiled, Seconds};
use crate::stages::{Allocated, Routine, Selected, Shared, Source};
use crate::steps::emit::before;
use crate::unit::Unit;

/// Minimum number of virtual registers that justifies a thread for each routine.
const MIN_PARALLEL_REGS: usize = 4096;

/// An error with the fact that decides which attempt may help.
pub(crate) struct Failed {
    pub error: CompileError,
    /// True if variables whose address is taken were in registers.
    pub has_register_arrays: bool,
}

/// A function that sees, and may change, the code after each pass before it is verified.
pub(crate) type Hook<'h> = &'h (dyn Fn(&Pass, &mut Unit) + Sync);

/// Runs all passes over a checked object. Seconds are added to those of earlier attempts.
pub(crate) fn run(
    shared: Shared,
    scratch: &mut Scratch,
    seconds: &mut Seconds,
    hook: Option<Hook>,
) -> Result<Compiled, Failed> {
    let mut runner = Runner {
        watch: Watch { shared, hook },
        log: Log::default(),
    };
    let ended = runner.run(scratch);
    *seconds += runner.log.seconds;
    ended.map(|compiled| Compiled {
        seconds: *seconds,
        dumps: runner.log.dumps(),
        ..compiled
    })
}

/// The times and texts of passes.
#[derive(Default)]
struct Log {
    seconds: Seconds,
    /// Texts that were asked for, each with the number of the routine.
    texts: Vec<(Stage, usize, String)>,
}

impl Log {
    fn append(&mut self, other: Log) {
        self.seconds += other.seconds;
        self.texts.extend(other.texts);
    }

    /// The texts under their headings. The stages of machine IR have one, under which each routine's follow each other.
    fn dumps(self) -> Vec<(Stage, String)> {
        let (mut isel, others): (Vec<_>, Vec<_>) = self
            .texts
            .into_iter()
            .partition(|(stage, ..)| *stage == Stage::Isel);
        isel.sort_by_key(|(_, routine, _)| *routine);
        let isel: String = isel.into_iter().map(|(.., text)| text).collect();
        let mut dumps: Vec<_> = others
            .into_iter()
            .map(|(stage, _, text)| (stage, text))
            .collect();
        if !isel.is_empty() {
            let at = dumps.partition_point(|(stage, _)| *stage == Stage::Ir);
            dumps.insert(at, (Stage::Isel, isel));
        }
        dumps
    }
}

/// True if the text of a stage is that after the pass.
fn is_after(stage: Stage, pass: &Pass) -> bool {
    match stage {
        Stage::Visa => false,
        Stage::Ir => pass.level == Level::Ir,
        Stage::Isel => matches!(pass.level, Level::Wide | Level::Legal),
        Stage::Ra => passes::LINKED.last().is_some_and(|last| last.pass == *pass),
        Stage::Asm => pass.level == Level::Code,
        Stage::Pass(name) => pass.name == name,
    }
}

/// Checks and prints what passes leave.
#[derive(Clone, Copy)]
struct Watch<'a> {
    shared: Shared<'a>,
    hook: Option<Hook<'a>>,
}

impl Watch<'_> {
    /// Counts the time since `clock` to a pass, prints the code of a routine and verifies it.
    fn after(
        &self,
        log: &mut Log,
        pass: &Pass,
        routine: usize,
        mut unit: Unit,
    ) -> Result<(), CompileError> {
        let Shared {
            source, options, ..
        } = self.shared;
        let stopped = |why| CompileError::stopped(source, why);
        options.stop.check().map_err(stopped)?;
        if let Some(hook) = self.hook {
            hook(pass, &mut unit);
        }
        for &stage in options.dump.iter().filter(|stage| is_after(**stage, pass)) {
            let mut text = String::new();
            if stage == Stage::Isel {
                let _ = writeln!(text, "// {}", pass.name);
            }
            let _ = writeln!(text, "{}", unit.text(options.platform));
            log.texts.push((stage, routine, text));
        }
        if !options.verify {
            return Ok(());
        }
        unit.verify(pass.level, options.platform)
            .map_err(|what| CompileError::broken(source, pass.name, &what))
    }

    /// Runs the passes over a routine that take it by itself.
    fn lower(
        &self,
        log: &mut Log,
        number: usize,
        routine: &mut Routine,
    ) -> Result<(), CompileError> {
        self.edit(log, passes::OPTIMIZER, number, routine)?;
        let legalize = passes::LEGALIZE;
        let clock = Instant::now();
        (legalize.run)(&self.shared, routine)?;
        log.seconds.add(legalize.pass.level, clock);
        self.after(log, &legalize.pass, number, Unit::Routine(routine))?;
        self.edit(log, passes::LEGAL, number, routine)
    }

    /// Runs those passes of a list over a routine that the options do not leave out.
    fn edit(
        &self,
        log: &mut Log,
        list: &[Step<Edit>],
        number: usize,
        routine: &mut Routine,
    ) -> Result<(), CompileError> {
        let runs = |step: &&Step<Edit>| step.pass.runs(self.shared.options);
        for step in list.iter().filter(runs) {
            let clock = Instant::now();
            step.run.apply(routine);
            log.seconds.add(step.pass.level, clock);
            self.after(log, &step.pass, number, Unit::Routine(routine))?;
        }
        Ok(())
    }
}

struct Runner<'a> {
    watch: Watch<'a>,
    log: Log,
}

impl Runner<'_> {
    fn after(&mut self, pass: &Pass, routine: usize, unit: Unit) -> Result<(), CompileError> {
        self.watch.after(&mut self.log, pass, routine, unit)
    }

    /// Runs code of a pass and counts its time.
    fn timed<T>(&mut self, pass: &Pass, run: impl FnOnce() -> T) -> T {
        let clock = Instant::now();
        let made = run();
        self.log.seconds.add(pass.level, clock);
        made
    }

    /// Runs the lists from the object on.
    fn run(&mut self, scratch: &mut Scratch) -> Result<Compiled, Failed> {
        let early = |error| Failed {
            error,
            has_register_arrays: false,
        };
        let object = self.rewrite().map_err(early)?;
        let selected = self.select(&object).map_err(early)?;
        let has_register_arrays = selected.has_register_arrays;
        self.finish(selected, scratch).map_err(|error| Failed {
            error,
            has_register_arrays,
        })
    }
}

impl<'a> Runner<'a> {
    fn rewrite(&mut self) -> Result<Cow<'a, Object>, CompileError> {
        let shared = self.watch.shared;
        let mut object = Cow::Borrowed(shared.source);
        for step in passes::OBJECT {
            let rewritten = self.timed(&step.pass, || (step.run)(&shared, &object));
            let rewritten = rewritten.map_err(|source| CompileError::flow(&object, source))?;
            if let Some(rewritten) = rewritten {
                object = Cow::Owned(rewritten);
            }
            self.after(&step.pass, 0, Unit::Object(&mut object))?;
        }
        Ok(object)
    }

    fn select<'o>(&mut self, object: &'o Object) -> Result<Selected<'o>, CompileError>
    where
        'a: 'o,
    {
        let shared: Shared<'o> = self.watch.shared;
        let (ir, select) = (passes::IR, passes::SELECT);
        let mut built = self.timed(&ir.pass, || (ir.run)(Source { shared, object }))?;
        self.after(&ir.pass, 0, Unit::Ir(&mut built.func))?;
        let mut selected = self.timed(&select.pass, || (select.run)(built))?;
        self.after_routines(&select.pass, &mut selected)?;
        Ok(selected)
    }

    fn after_routines(&mut self, pass: &Pass, selected: &mut Selected) -> Result<(), CompileError> {
        for (number, routine) in selected.routines.iter_mut().enumerate() {
            self.after(pass, number, Unit::Routine(routine))?;
        }
        Ok(())
    }

    fn finish(
        &mut self,
        mut selected: Selected,
        scratch: &mut Scratch,
    ) -> Result<Compiled, CompileError> {
        self.lower(&mut selected.routines)?;
        for step in passes::KERNEL {
            self.timed(&step.pass, || (step.run)(&mut selected))?;
            self.after_routines(&step.pass, &mut selected)?;
        }
        let mut allocated = self.allocate(selected, scratch)?;
        self.change_parts(&mut allocated)?;
        let link = passes::LINK;
        let mut linked = self.timed(&link.pass, || (link.run)(allocated))?;
        self.after(&link.pass, 0, Unit::Program(&mut linked.program))?;
        for step in passes::LINKED {
            self.timed(&step.pass, || (step.run)(&mut linked))?;
            self.after(&step.pass, 0, Unit::Program(&mut linked.program))?;
        }
        let assemble = passes::ASSEMBLE;
        let mut compiled = self.timed(&assemble.pass, || (assemble.run)(linked))?;
        self.after(&assemble.pass, 0, Unit::Code(&mut compiled.code))?;
        Ok(compiled)
    }

    /// Runs several passes over each routine. The first error is that of the first routine with one.
    fn lower(&mut self, routines: &mut [Routine]) -> Result<(), CompileError> {
        let watch = self.watch;
        let run = |(number, routine): (usize, &mut Routine)| {
            let mut log = Log::default();
            let ended = watch.lower(&mut log, number, routine);
            (log, ended)
        };
        let regs: usize = routines.iter().map(|r| r.machine.regs.len()).sum();
        let ended: Vec<_> = match routines.len() > 1 && regs > MIN_PARALLEL_REGS {
            true => parallel::map(routines.iter_mut().enumerate().collect(), run),
            false => routines.iter_mut().enumerate().map(run).collect(),
        };
        let mut first = Ok(());
        for (log, ended) in ended {
            self.log.append(log);
            first = first.and(ended);
        }
        first
    }

    /// Allocates one routine after the other, callees before their callers.
    fn allocate<'o>(
        &mut self,
        selected: Selected<'o>,
        scratch: &mut Scratch,
    ) -> Result<Allocated<'o>, CompileError> {
        let Selected {
            shared,
            facts,
            routines,
            bottom_up,
            mut frames,
            has_register_arrays: _,
        } = selected;
        let mut place = vec![0; routines.len()];
        for (at, &number) in bottom_up.iter().enumerate() {
            place[number] = at;
        }
        let mut routines: Vec<(usize, Routine)> = routines.into_iter().enumerate().collect();
        routines.sort_by_key(|(number, _)| place[*number]);
        let (remat, allocate) = (passes::REMAT, passes::ALLOCATE);
        let memory = &mut scratch.allocation;
        let mut stats = kiln_regalloc::Stats::default();
        let mut parts = Vec::with_capacity(routines.len());
        for (number, mut routine) in routines {
            if remat.pass.runs(shared.options) {
                self.timed(&remat.pass, || (remat.run)(&frames, &mut routine));
                self.after(&remat.pass, number, Unit::Routine(&mut routine))?;
            }
            let mut part = self.timed(&allocate.pass, || {
                (allocate.run)(&shared, &mut frames, memory, number, routine)
            })?;
            self.after(&allocate.pass, number, Unit::Program(&mut part.program))?;
            stats = stats.with(&part.stats);
            parts.push((number, part));
        }
        parts.sort_by_key(|(number, _)| *number);
        let (programs, profiles): (Vec<_>, Vec<_>) = (parts.into_iter())
            .map(|(_, part)| (part.program, part.profile))
            .unzip();
        Ok(Allocated {
            shared,
            facts,
            grfs: frames.grfs,
            programs,
            stats,
            profiles: profiles.into_iter().flatten().collect(),
        })
    }

    fn change_parts(&mut self, allocated: &mut Allocated) -> Result<(), CompileError> {
        let options = allocated.shared.options;
        let runs = |step: &&Step<OnProgram>| step.pass.runs(options);
        let before = before(allocated);
        for step in passes::PARTS.iter().filter(runs) {
            for (number, program) in allocated.programs.iter_mut().enumerate() {
                self.timed(&step.pass, || match step.run {
                    OnProgram::Any(run) => run(program),
                    OnProgram::For(run) => run(program, options.platform),
                    OnProgram::After(run) => {
                        let before = if number == 0 { &before[..] } else { &[] };
                        run(program, options.platform, before);
                    }
                });
                self.after(&step.pass, number, Unit::Program(program))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
#[path = "tests/planted.rs"]
mod planted;
