//! The list of passes: every step from a checked object to machine code.
//!
//! [`PASSES`] is the order. The runner takes each pass in turn, measures its time, prints its result if that was asked
//! for, and runs the verifier of its [`Level`]. Nothing else calls a pass.
//!
//! A run belongs to one [`Attempt`]: it begins with the object as it was read, and an error ends it.

use std::cell::OnceCell;
use std::fmt::Write;
use std::ops::Range;
use std::time::Instant;

use kiln_emit::assemble::{Program, assemble};
use kiln_emit::verify::scoreboard::check_code as check_scoreboard;
use kiln_emit::{cost, errata, flow, forms, listing, prologue, schedule as reschedule, scoreboard};
use kiln_ir::build::BuildOptions;
use kiln_ir::expand;
use kiln_ir::func::VarStorage;
use kiln_ir::subroutines;
use kiln_isel::opt::{
    arrays, conditions, copies, dead, destinations, flags, identities, invariants, narrow,
    scattered, spread, values,
};
use kiln_isel::select::{self, Room};
use kiln_isel::{legalize, pairs, remat, schedule};
use kiln_machine::func::{Address, Entered, Function as Machine};
use kiln_machine::graph::Graph;
use kiln_machine::inst::Opcode;
use kiln_machine::pressure::profile as live_units;
use kiln_machine::verify::{Level as MachineLevel, verify as verify_machine};
use kiln_platform::platform::{Payload, Platform, UNIT_GRFS};
use kiln_regalloc::frame::Frame;
use kiln_regalloc::routines::Parts;
use kiln_regalloc::{AllocError, Stats, allocate_part};
use kiln_visa::module::Object;
use rayon::prelude::*;

use crate::attempt::{Attempt, Callees, Scratch, chooses_grfs, wanted_grfs};
use crate::failure::{CompileError, Unsupported};
use crate::lines::Lines;
use crate::options::{Options, Stage};
use crate::pressure::{self, Profile};
use crate::result::{Compiled, KernelInput, Relocation, Seconds};

/// Minimum number of virtual registers that justifies a thread for each routine.
const MIN_PARALLEL_REGS: usize = 4096;

/// All passes, in the order in which they run.
pub const PASSES: &[Pass] = &[
    object("expand", |run, object| {
        expand::expand(object, &|name| run.callees.by_jump.contains(name))
    }),
    object("inline", |run, object| {
        subroutines::prepare(object, run.attempt.inlined)
    }),
    kernel("ir", Level::Ir, build_ir),
    kernel("select", Level::Wide, select),
    optional("copies", Level::Wide, |r| {
        copies::run(&mut r.machine, &r.graph)
    }),
    optional("narrow", Level::Wide, |r| narrow::run(&mut r.machine)),
    optional("identities", Level::Wide, |r| {
        identities::run(&mut r.machine, &r.graph)
    }),
    optional("dead", Level::Wide, |r| dead::run(&mut r.machine, &r.graph)),
    optional("invariants", Level::Wide, |r| {
        invariants::run(&mut r.machine, &r.graph)
    }),
    optional("values", Level::Wide, |r| {
        values::run(&mut r.machine, &r.graph)
    }),
    optional("flags", Level::Wide, |r| flags::run(&mut r.machine)),
    optional("conditions", Level::Wide, |r| {
        conditions::run(&mut r.machine)
    }),
    optional("arrays", Level::Wide, |r| arrays::run(&mut r.machine)),
    optional("scattered", Level::Wide, |r| scattered::run(&mut r.machine)),
    optional("copies-again", Level::Wide, |r| {
        copies::run(&mut r.machine, &r.graph)
    }),
    optional("dead-again", Level::Wide, |r| {
        dead::run(&mut r.machine, &r.graph)
    }),
    optional("destinations", Level::Wide, |r| {
        destinations::run(&mut r.machine, &r.graph)
    }),
    optional("spread", Level::Wide, |r| spread::run(&mut r.machine)),
    routine("legalize", Level::Legal, legalize),
    routine("dead-legal", Level::Legal, |_, r| {
        dead::run(&mut r.machine, &r.graph);
        Ok(())
    }),
    optional("schedule", Level::Legal, schedule),
    optional("pairs", Level::Legal, |r| pairs::run(&mut r.machine)),
    kernel("registers", Level::Legal, choose_registers),
    kernel("headers", Level::Legal, share_headers),
    bottom_up("remat", true, Level::Legal, rematerialize),
    bottom_up("allocate", false, Level::Allocated, allocate),
    part("shared-gotos", true, |program, _| {
        flow::shared::share(program)
    }),
    part("backward-gotos", false, |program, _| {
        flow::backward::invert(program)
    }),
    part("short-ifs", true, |program, _| {
        flow::predicate::predicate(program)
    }),
    part("redundant-gotos", true, |program, _| {
        flow::redundant::remove(program)
    }),
    part("structure", true, |program, _| {
        flow::structure::structure(program)
    }),
    part("reschedule", true, reschedule::schedule),
    part("errata", false, errata::run),
    part("forms", false, forms::run),
    kernel("link-routines", Level::Allocated, link_routines),
    kernel("prologue", Level::Allocated, add_prologue),
    kernel("scoreboard", Level::Allocated, annotate),
    kernel("assemble", Level::Code, assemble_code),
];

/// The form of the code after a pass: it says which verifier runs and which phase the time counts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// vISA, as the front end's verifier accepted it.
    Object,
    /// SSA form of vISA.
    Ir,
    /// Machine IR before legalization: instructions may be wider than the machine's.
    Wide,
    /// Machine IR whose instructions are the machine's, on virtual registers.
    Legal,
    /// Gen instructions on physical registers.
    Allocated,
    /// Machine code.
    Code,
}

/// One step from a checked object to machine code.
pub struct Pass {
    pub name: &'static str,
    pub level: Level,
    /// True if the code is right without the pass: `-O0` and [`Options::without`] leave it out.
    pub is_optional: bool,
    step: Step,
}

#[derive(Clone, Copy)]
enum Step {
    /// Rewrites the object; `None` if there is nothing to rewrite.
    Object(fn(&Shared, &Object) -> Result<Option<Object>, kiln_ir::cfg::CfgError>),
    Kernel(fn(&mut Kernel) -> Result<(), CompileError>),
    /// Runs over each routine by itself, so that threads may share the routines.
    Routine(fn(&Shared, &mut Routine) -> Result<(), CompileError>),
    Optional(fn(&mut Routine)),
    /// Runs over a routine after all passes of this kind ran over those that it calls.
    BottomUp(fn(&mut Kernel, usize) -> Result<(), CompileError>),
    /// Runs over the allocated code of each routine.
    Part(fn(&mut Program, &'static Platform)),
}

impl Pass {
    fn runs(&self, options: &Options) -> bool {
        !self.is_optional || options.optimize && !options.without.contains(&self.name)
    }

    /// True for a pass of the optimizer on wide machine IR.
    pub fn is_optimization(&self) -> bool {
        self.level == Level::Wide && matches!(self.step, Step::Optional(_))
    }

    fn is_bottom_up(&self) -> bool {
        matches!(self.step, Step::BottomUp(_))
    }

    fn is_of_routine(&self) -> bool {
        matches!(self.step, Step::Routine(_) | Step::Optional(_))
    }
}

const fn pass(name: &'static str, level: Level, is_optional: bool, step: Step) -> Pass {
    Pass {
        name,
        level,
        is_optional,
        step,
    }
}

const fn object(
    name: &'static str,
    step: fn(&Shared, &Object) -> Result<Option<Object>, kiln_ir::cfg::CfgError>,
) -> Pass {
    pass(name, Level::Object, false, Step::Object(step))
}

const fn kernel(
    name: &'static str,
    level: Level,
    step: fn(&mut Kernel) -> Result<(), CompileError>,
) -> Pass {
    pass(name, level, false, Step::Kernel(step))
}

const fn routine(
    name: &'static str,
    level: Level,
    step: fn(&Shared, &mut Routine) -> Result<(), CompileError>,
) -> Pass {
    pass(name, level, false, Step::Routine(step))
}

const fn optional(name: &'static str, level: Level, step: fn(&mut Routine)) -> Pass {
    pass(name, level, true, Step::Optional(step))
}

const fn bottom_up(
    name: &'static str,
    is_optional: bool,
    level: Level,
    step: fn(&mut Kernel, usize) -> Result<(), CompileError>,
) -> Pass {
    pass(name, level, is_optional, Step::BottomUp(step))
}

const fn part(
    name: &'static str,
    is_optional: bool,
    step: fn(&mut Program, &'static Platform),
) -> Pass {
    pass(name, Level::Allocated, is_optional, Step::Part(step))
}

/// Names of the passes that may be left out, in their order.
pub fn optional_passes() -> impl Iterator<Item = &'static str> {
    PASSES
        .iter()
        .filter(|pass| pass.is_optional)
        .map(|pass| pass.name)
}

/// Runs [optimizations](Pass::is_optimization) over one function, in the order given, for tests and experiments.
pub fn optimize(passes: &[&Pass], func: &mut Machine) {
    let units = func.target.grf_count / UNIT_GRFS;
    let mut routine = Routine::new(func.clone(), units);
    for pass in passes {
        if let Step::Optional(step) = pass.step {
            step(&mut routine);
        }
    }
    *func = routine.machine;
}

/// The part of a run's state that its routines share.
#[derive(Clone, Copy)]
struct Shared<'a> {
    /// The object as it was read.
    source: &'a Object,
    callees: &'a Callees<'a>,
    options: &'a Options,
    attempt: &'static Attempt,
}

/// A kernel or function on its way to machine code.
struct Kernel<'a> {
    shared: Shared<'a>,
    /// The object as the last rewrite left it.
    object: &'a Object,
    scratch: &'a mut Scratch,
    func: Option<kiln_ir::func::Function<'a>>,
    /// Routines with the kernel's own first; `None` after allocation.
    routines: Vec<Option<Routine>>,
    /// Routines by number, callees before their callers.
    bottom_up: Vec<usize>,
    /// Conventions of the routines that are allocated, and clobbers of functions.
    parts: Parts,
    settings: kiln_regalloc::Options,
    /// Maximum number of registers.
    grfs: u32,
    programs: Vec<Program>,
    program: Program,
    /// Bytes of scratch space that selection uses.
    own_scratch: u32,
    /// True if variables whose address is taken are in registers.
    has_register_arrays: bool,
    /// General registers that addresses may name.
    addressed: Vec<Range<u32>>,
    /// Texts of the routines after each pass.
    texts: Vec<String>,
    profiles: Vec<Option<Profile>>,
    symbols: Vec<Address>,
    compiled: Compiled,
}

/// A routine on its way through machine IR.
pub struct Routine {
    machine: Machine,
    /// The control-flow graph. No pass on machine IR adds, removes or redirects an edge.
    graph: Graph,
    /// Allocation units that are given out, as far as is known before headers are.
    units: u32,
    /// Upper bound of the allocation units that are live at once.
    max_units: u32,
    text: String,
    seconds: Seconds,
}

/// An error with the fact that decides which attempt may help.
pub(crate) struct Failed {
    pub error: CompileError,
    /// True if variables whose address is taken were in registers.
    pub has_register_arrays: bool,
}

/// Runs all passes over a checked object. Seconds are added to those of earlier attempts.
pub(crate) fn run(
    source: &Object,
    callees: &Callees,
    options: &Options,
    attempt: &'static Attempt,
    scratch: &mut Scratch,
    seconds: &mut Seconds,
) -> Result<Compiled, Failed> {
    let rewritten = [OnceCell::new(), OnceCell::new()];
    let mut spare = rewritten.iter();
    let shared = Shared {
        source,
        callees,
        options,
        attempt,
    };
    let mut kernel = Kernel::new(shared, scratch, *seconds);
    let ended = kernel.run_all(&mut spare);
    *seconds = kernel.compiled.seconds;
    match ended {
        Ok(()) => Ok(kernel.finished()),
        Err(error) => Err(Failed {
            error,
            has_register_arrays: kernel.has_register_arrays,
        }),
    }
}

impl<'a> Kernel<'a> {
    fn new(shared: Shared<'a>, scratch: &'a mut Scratch, seconds: Seconds) -> Kernel<'a> {
        let Shared {
            source,
            callees,
            options,
            attempt,
        } = shared;
        let grfs = wanted_grfs(source, options).unwrap_or(options.grf_limit);
        Kernel {
            shared,
            grfs,
            object: source,
            scratch,
            func: None,
            routines: Vec::new(),
            bottom_up: Vec::new(),
            parts: Parts {
                functions: callees.overwritten.clone(),
                ..Parts::default()
            },
            settings: kiln_regalloc::Options {
                grf_limit: Some(grfs),
                allocator: options.allocator,
                check: options.verify,
                pressure: options.pressure,
                ..kiln_regalloc::Options::default()
            },
            programs: Vec::new(),
            program: Program::default(),
            own_scratch: 0,
            has_register_arrays: false,
            addressed: Vec::new(),
            texts: Vec::new(),
            profiles: Vec::new(),
            symbols: Vec::new(),
            compiled: Compiled {
                name: source.name.to_string(),
                entered: Entered::Dispatched,
                addressed: false,
                stack: false,
                code: Vec::new(),
                inputs: source
                    .inputs
                    .iter()
                    .map(|i| KernelInput::of(source, i))
                    .collect(),
                lines: Lines::default(),
                relocations: Vec::new(),
                symbols: Vec::new(),
                stack_bytes: 0,
                simd: 0,
                grf_count: 0,
                scratch_base: 0,
                id_loading_bytes: 0,
                loads: prologue::Loads::default(),
                barrier: false,
                named_barriers: source
                    .int_attr("NBarrierCnt")
                    .and_then(|count| u32::try_from(count).ok())
                    .unwrap_or(0),
                uninterruptible: false,
                visa_instructions: source.insts.len(),
                instructions: 0,
                allocation: Stats::default(),
                arrays_in_memory: Vec::new(),
                attempt,
                seconds,
                profiles: Vec::new(),
                dumps: Vec::new(),
            },
        }
    }

    /// Runs the list.
    fn run_all(
        &mut self,
        rewritten: &mut std::slice::Iter<'a, OnceCell<Object>>,
    ) -> Result<(), CompileError> {
        let mut next = 0;
        while let Some(pass) = PASSES.get(next) {
            let first = next;
            next += 1;
            match pass.step {
                Step::Object(step) => {
                    let clock = Instant::now();
                    let object = step(&self.shared, self.object)
                        .map_err(|source| CompileError::flow(self.object, source))?;
                    if let Some((object, slot)) = object.zip(rewritten.next()) {
                        self.object = slot.get_or_init(|| object);
                    }
                    self.compiled.seconds.add(pass.level, clock);
                }
                Step::Kernel(step) => {
                    let clock = Instant::now();
                    step(self)?;
                    self.compiled.seconds.add(pass.level, clock);
                    self.verify(pass)?;
                    self.print(pass);
                }
                Step::Routine(_) | Step::Optional(_) => {
                    next = first + count(first, Pass::is_of_routine);
                    self.run_routines(first..next)?;
                }
                Step::BottomUp(_) => {
                    next = first + count(first, Pass::is_bottom_up);
                    self.run_bottom_up(first..next)?;
                }
                Step::Part(step) if pass.runs(self.shared.options) => {
                    let clock = Instant::now();
                    for program in &mut self.programs {
                        step(program, self.shared.options.platform);
                    }
                    self.compiled.seconds.add(pass.level, clock);
                }
                Step::Part(_) => {}
            }
        }
        Ok(())
    }

    /// Runs several passes over each routine. The first error is that of the first routine with one.
    fn run_routines(&mut self, passes: Range<usize>) -> Result<(), CompileError> {
        let shared = self.shared;
        let run = |routine: &mut Routine| routine.run(&shared, &PASSES[passes.clone()]);
        let routines = || self.routines.iter().flatten();
        let regs: usize = routines().map(|routine| routine.machine.regs.len()).sum();
        let ended: Vec<_> = match self.routines.len() > 1 && regs > MIN_PARALLEL_REGS {
            true => self.routines.par_iter_mut().flatten().map(run).collect(),
            false => self.routines.iter_mut().flatten().map(run).collect(),
        };
        for routine in self.routines.iter_mut().flatten() {
            self.compiled.seconds += std::mem::take(&mut routine.seconds);
        }
        ended.into_iter().collect()
    }

    /// Runs several passes over one routine after the other, callees before their callers.
    fn run_bottom_up(&mut self, passes: Range<usize>) -> Result<(), CompileError> {
        for n in self.bottom_up.clone() {
            for pass in &PASSES[passes.clone()] {
                let Step::BottomUp(step) = pass.step else {
                    continue;
                };
                if !pass.runs(self.shared.options) {
                    continue;
                }
                let clock = Instant::now();
                step(self, n)?;
                self.compiled.seconds.add(pass.level, clock);
                if let Some(routine) = &mut self.routines[n] {
                    routine.checked(&self.shared, pass)?;
                }
            }
        }
        Ok(())
    }

    /// Runs the verifier of a pass over the whole kernel. Routines on virtual registers have their own.
    fn verify(&mut self, pass: &Pass) -> Result<(), CompileError> {
        let Shared {
            source, options, ..
        } = self.shared;
        if !options.verify {
            return Ok(());
        }
        match pass.level {
            Level::Ir => self.func.iter().try_for_each(|func| {
                kiln_ir::verify::verify(func).map_err(|e| broken(source, pass.name, &e))
            }),
            Level::Wide | Level::Legal => {
                let mut routines = self.routines.iter_mut().flatten();
                routines.try_for_each(|routine| routine.checked(&self.shared, pass))
            }
            Level::Allocated => {
                for inst in self.program.blocks.iter().flatten() {
                    kiln_emit::verify::verify(inst, options.platform)
                        .map_err(|e| broken(source, pass.name, &format_args!("{inst}: {e}")))?;
                }
                kiln_emit::verify::flow::check_program(&self.program)
                    .map_err(|e| broken(source, pass.name, &e))
            }
            Level::Code => {
                let code = listing::insts(&self.compiled.code, options.platform);
                let found = check_scoreboard(&code, options.platform)
                    .map_err(|e| broken(source, pass.name, &e))?;
                found.first().map_or(Ok(()), |finding| {
                    let insts = [&code[finding.first], &code[finding.second]];
                    let what = format_args!("{}; {}: {finding}", insts[0], insts[1]);
                    Err(broken(source, pass.name, &what))
                })
            }
            Level::Object => Ok(()),
        }
    }

    /// Keeps the text of a stage that was asked for.
    fn print(&mut self, pass: &Pass) {
        let options = self.shared.options;
        let (stage, text): (_, &dyn Fn() -> String) = match pass.level {
            Level::Ir => (Stage::Ir, &|| {
                self.func
                    .as_ref()
                    .map(ToString::to_string)
                    .unwrap_or_default()
            }),
            Level::Allocated => (Stage::Ra, &|| program_text(&self.program)),
            Level::Code => (Stage::Asm, &|| {
                listing::list(
                    &self.compiled.code,
                    options.platform,
                    listing::Style::Labels,
                )
            }),
            Level::Object | Level::Wide | Level::Legal => return,
        };
        if options.dump.contains(&stage) {
            // The text of a stage is that of its last pass.
            let dumps = &mut self.compiled.dumps;
            dumps.retain(|(of, _)| *of != stage);
            dumps.push((stage, text()));
        }
    }

    fn finished(mut self) -> Compiled {
        let Shared {
            source, options, ..
        } = self.shared;
        let mut compiled = self.compiled;
        compiled.lines.locate(source);
        compiled.profiles = self.profiles.drain(..).flatten().collect();
        for profile in &mut compiled.profiles {
            profile.locate(source);
        }
        if options.dump.contains(&Stage::Isel) {
            let at = compiled
                .dumps
                .partition_point(|(stage, _)| *stage == Stage::Ir);
            compiled
                .dumps
                .insert(at, (Stage::Isel, self.texts.concat()));
        }
        compiled
    }
}

/// Number of passes of a kind that follow each other in the list.
fn count(first: usize, is_of_kind: fn(&Pass) -> bool) -> usize {
    PASSES[first..]
        .iter()
        .take_while(|pass| is_of_kind(pass))
        .count()
}

impl Routine {
    fn new(machine: Machine, units: u32) -> Routine {
        Routine {
            graph: Graph::new(&machine),
            units,
            max_units: u32::MAX,
            text: String::new(),
            seconds: Seconds::default(),
            machine,
        }
    }

    fn run(&mut self, shared: &Shared, passes: &[Pass]) -> Result<(), CompileError> {
        for pass in passes.iter().filter(|pass| pass.runs(shared.options)) {
            let clock = Instant::now();
            match pass.step {
                Step::Routine(step) => step(shared, self)?,
                Step::Optional(step) => step(self),
                _ => continue,
            }
            self.seconds.add(pass.level, clock);
            self.checked(shared, pass)?;
        }
        Ok(())
    }

    /// Prints the routine after a pass, if that was asked for, and runs the verifier.
    fn checked(&mut self, shared: &Shared, pass: &Pass) -> Result<(), CompileError> {
        let Shared {
            source, options, ..
        } = shared;
        if options.dump.contains(&Stage::Isel) {
            let _ = writeln!(self.text, "// {}\n{}", pass.name, self.machine);
        }
        if !options.verify {
            return Ok(());
        }
        let level = match pass.level {
            Level::Wide => MachineLevel::Wide,
            _ => MachineLevel::Legal,
        };
        if !self.graph.is_of(&self.machine) {
            return Err(broken(source, pass.name, &"an edge between blocks changed"));
        }
        verify_machine(&self.machine, level, None).map_err(|e| broken(source, pass.name, &e))
    }
}

fn build_ir(kernel: &mut Kernel) -> Result<(), CompileError> {
    let (object, options) = (kernel.object, kernel.shared.options);
    let base = object.int_attr("SpillMemOffset").unwrap_or(0);
    let base = u32::try_from(base)
        .ok()
        .filter(|base| *base <= options.platform.scratch_bytes);
    kernel.compiled.scratch_base = base.ok_or_else(|| scratch_exceeded(kernel))?;
    let build = BuildOptions {
        // One unit holds the copy of r0.
        units: options.optimize.then(|| kernel.grfs / UNIT_GRFS - 1),
        ..BuildOptions::default()
    };
    let func = kiln_ir::build::build_with(object, options.platform, build)
        .map_err(|source| CompileError::flow(object, source))?;
    if !select::can_pass(&func) {
        return Err(CompileError::Subroutines {
            kernel: object.name.to_string(),
        });
    }
    kernel.bottom_up = func.bottom_up.iter().map(|r| r.as_u32() as usize).collect();
    kernel.compiled.simd = match object.is_explicit() {
        true => 1,
        false => func.simd,
    };
    kernel.compiled.stack = func.stack;
    kernel.func = Some(func);
    Ok(())
}

fn select(kernel: &mut Kernel) -> Result<(), CompileError> {
    let Shared {
        callees,
        options,
        attempt,
        ..
    } = kernel.shared;
    let Some(func) = kernel.func.take() else {
        return Ok(());
    };
    let calls = select::Calls {
        abi: options.abi.with_grfs(kernel.grfs),
        by_jump: &|name| callees.by_jump.contains(name),
    };
    let room = Room {
        grfs: kernel.grfs,
        scratch_base: kernel.compiled.scratch_base,
        in_memory: attempt.arrays_in_memory,
        interruptible: options.interruptible,
    };
    let machines = select::select_in(&func, options.platform, &calls, room).map_err(|errors| {
        let insts = &kernel.object.insts;
        let one = |e: select::SelectError| Unsupported {
            inst: insts.get(e.inst).map_or(e.inst, |i| i.origin as usize),
            what: format!("{}: {}", e.op, e.what),
        };
        CompileError::unsupported(kernel.object, errors.into_iter().map(one).collect())
    })?;
    let count = machines.len();
    kernel.profiles = vec![None; count];
    kernel.programs = vec![Program::default(); count];
    kernel.texts = vec![String::new(); count];
    let compiled = &mut kernel.compiled;
    compiled.barrier = machines.iter().any(|machine| machine.barrier);
    compiled.uninterruptible = machines.iter().any(|machine| machine.uninterruptible);
    compiled.entered = machines[0].entered;
    kernel.own_scratch = machines[0].scratch_bytes;
    if kernel.own_scratch > 0 {
        use VarStorage::{Fixed, FixedPayload};
        let is_array = |s: &VarStorage| matches!(s, Fixed { .. } | FixedPayload { .. });
        let arrays = func.storage.iter().filter(|(_, s)| is_array(s));
        let names = arrays.map(|(var, _)| kernel.object.vars[var].name.to_string());
        compiled.arrays_in_memory = names.collect();
    }
    kernel.has_register_arrays = kernel.own_scratch == 0 && !machines[0].reserved.is_empty();
    let addressed = |machine: &Machine| {
        let header = machine.header.map(|header| header..header + 1);
        machine
            .reserved
            .iter()
            .cloned()
            .chain(header)
            .collect::<Vec<_>>()
    };
    kernel.addressed = machines.iter().flat_map(addressed).collect();
    kernel.settings.scratch_base = compiled.scratch_base + kernel.own_scratch;
    if let Some(last) = machines.last() {
        kernel.symbols = last.symbols.values().cloned().collect();
    }
    let grfs = kernel.grfs;
    let units = grfs / UNIT_GRFS;
    let routine = |machine: Machine| {
        let frame = Frame::new(&machine, Some(grfs), None);
        let units = frame.map_or(units, |frame| frame.units.len() as u32);
        Some(Routine::new(machine, units))
    };
    kernel.routines = machines.into_iter().map(routine).collect();
    Ok(())
}

fn legalize(shared: &Shared, routine: &mut Routine) -> Result<(), CompileError> {
    legalize::run(&mut routine.machine).map_err(|errors| {
        let one = |e: legalize::LegalizeError| Unsupported {
            inst: e.origin as usize,
            what: e.what,
        };
        CompileError::unsupported(shared.source, errors.into_iter().map(one).collect())
    })
}

fn schedule(routine: &mut Routine) {
    routine.max_units = schedule::run(&mut routine.machine, routine.units);
}

/// Chooses the register mode by the pressure, if that was asked for.
fn choose_registers(kernel: &mut Kernel) -> Result<(), CompileError> {
    let Shared {
        source, options, ..
    } = kernel.shared;
    let platform = options.platform;
    let first = kernel.routines.iter().flatten().next();
    let own = first.map_or(0, |routine| routine.units);
    let has_stack = first.is_some_and(|routine| routine.machine.abi.stack.is_some());
    if chooses_grfs(source, options) && !has_stack {
        let reserved = kernel.grfs / UNIT_GRFS - own;
        // A spare unit lets a payload find neighbours.
        let units = units_in_use(kernel) + reserved + 1;
        let mode = platform.mode_of(units * UNIT_GRFS).grfs;
        kernel.grfs = kernel.grfs.max(mode);
        kernel.settings.grf_limit = Some(kernel.grfs);
    }
    kernel.compiled.grf_count = platform.mode_of(kernel.grfs).grfs;
    Ok(())
}

/// The most allocation units that a kernel has in use at once: its subroutines' are beside the values that live across
/// their calls.
fn units_in_use(kernel: &Kernel) -> u32 {
    let mut peaks = vec![0; kernel.routines.len()];
    for &n in &kernel.bottom_up {
        let Some(Routine { machine, graph, .. }) = &kernel.routines[n] else {
            continue;
        };
        let points = live_units(machine, graph);
        for (block, data) in machine.blocks.iter() {
            let ops = data.insts.iter().map(|inst| Some(inst.op)).chain([None]);
            for (op, amount) in ops.zip(points.of(block)) {
                let callee = match op {
                    Some(Opcode::CallRoutine(callee)) => peaks[usize::from(callee)],
                    _ => 0,
                };
                peaks[n] = amount.units.saturating_add(callee).max(peaks[n]);
            }
        }
    }
    peaks.first().copied().unwrap_or(0)
}

/// Chooses the registers for the copies of r0 that the routines of a kernel share.
fn share_headers(kernel: &mut Kernel) -> Result<(), CompileError> {
    if let [Some(first), _, ..] = &kernel.routines[..] {
        let count = kernel.routines.len();
        kernel.parts.have(&first.machine, count, &kernel.settings)?;
    }
    Ok(())
}

fn rematerialize(kernel: &mut Kernel, n: usize) -> Result<(), CompileError> {
    let (parts, grfs) = (&kernel.parts, kernel.grfs);
    let Some(routine) = &mut kernel.routines[n] else {
        return Ok(());
    };
    let frame = Frame::new(&routine.machine, Some(grfs), parts.headers);
    let units = frame.map_or(routine.units, |frame| frame.units.len() as u32);
    let clobbers = |callee: u16| {
        let convention = parts.convention(callee.into());
        convention.map_or(0, |convention| convention.clobbers.len())
    };
    remat::run(&mut routine.machine, units, routine.max_units, clobbers);
    Ok(())
}

fn allocate(kernel: &mut Kernel, n: usize) -> Result<(), CompileError> {
    let options = kernel.shared.options;
    let Some(Routine { machine, text, .. }) = kernel.routines[n].take() else {
        return Ok(());
    };
    kernel.texts[n] = text;
    let profile = |place| pressure::profile(&machine, kernel.grfs, place);
    let mut profile = options.profile.map(profile);
    kernel.settings.explain = profile.as_ref().map(Profile::spot);
    let memory = &mut kernel.scratch.allocation;
    let allocated = allocate_part(machine, &kernel.settings, &kernel.parts, memory)?;
    if let Some((profile, memory)) = profile.as_mut().zip(allocated.in_memory.as_ref()) {
        profile.add_memory(memory);
    }
    kernel.profiles[n] = profile;
    kernel.programs[n] = allocated.program;
    if let Some(convention) = kernel.parts.conventions.get_mut(n) {
        *convention = allocated.convention;
    }
    let stats = &mut kernel.compiled.allocation;
    *stats = stats.with(&allocated.stats);
    Ok(())
}

/// Puts the code of subroutines after that of the kernel.
fn link_routines(kernel: &mut Kernel) -> Result<(), CompileError> {
    kernel.compiled.allocation.spill_bytes += kernel.own_scratch;
    let used = kernel.compiled.scratch_base + kernel.compiled.allocation.spill_bytes;
    if used > kernel.shared.options.platform.scratch_bytes {
        return Err(scratch_exceeded(kernel));
    }
    let mut programs = kernel.programs.drain(..);
    let mut program = programs.next().unwrap_or_default();
    program.append(programs);
    kernel.program = program;
    Ok(())
}

/// Puts the code that loads a kernel's arguments before its own, on platforms where they are in memory.
fn add_prologue(kernel: &mut Kernel) -> Result<(), CompileError> {
    let Some((inputs, platform)) = inputs_of(kernel) else {
        return Ok(());
    };
    let blocks = prologue::add(&mut kernel.program, &inputs, platform);
    blocks.map_err(|e| broken(kernel.shared.source, "prologue", &e))?;
    kernel.compiled.loads = prologue::loads(&inputs, platform);
    kernel.symbols.push(Address {
        name: prologue::ARGUMENTS_OFFSET.to_string(),
        high: false,
    });
    Ok(())
}

/// The inputs of a kernel whose arguments are in memory.
fn inputs_of(kernel: &Kernel) -> Option<(prologue::Inputs, &'static Platform)> {
    let Shared {
        source, options, ..
    } = kernel.shared;
    let dispatched = kernel.compiled.entered == Entered::Dispatched;
    if !dispatched || options.platform.payload != Payload::Memory {
        return None;
    }
    let per_thread = source.int_attr("PerThreadInputSize").unwrap_or(0);
    let ranges = source.inputs.iter().map(|input| {
        let start = u32::from(input.offset);
        start..start + u32::from(input.size)
    });
    let inputs = prologue::Inputs {
        per_thread: u32::try_from(per_thread).unwrap_or(0),
        ranges: ranges.collect(),
        register: kernel.grfs - 1,
        symbol: kernel.symbols.len() as u32,
    };
    (prologue::blocks(&inputs, options.platform).0 > 0).then_some((inputs, options.platform))
}

/// Makes the code wait for its dependencies, on platforms where the hardware does not.
fn annotate(kernel: &mut Kernel) -> Result<(), CompileError> {
    let platform = kernel.shared.options.platform;
    scoreboard::run(&mut kernel.program, platform, &kernel.addressed);
    if let Some((inputs, platform)) = inputs_of(kernel)
        && prologue::blocks(&inputs, platform).1
    {
        kernel.compiled.id_loading_bytes = prologue::pad(&mut kernel.program);
    }
    Ok(())
}

fn assemble_code(kernel: &mut Kernel) -> Result<(), CompileError> {
    let compiled = &mut kernel.compiled;
    let assembled =
        assemble(&kernel.program, kernel.shared.options.platform).map_err(|source| {
            CompileError::Encode {
                kernel: compiled.name.clone(),
                source,
            }
        })?;
    let relocations = assembled.relocations.iter();
    let relocation = |found| Relocation::of(found, &kernel.symbols);
    compiled.relocations = relocations.map(relocation).collect();
    compiled.lines = Lines::of(&kernel.program, &assembled.inst_offsets);
    compiled.instructions = kernel.program.blocks.iter().map(Vec::len).sum();
    if compiled.allocation.spill_bytes > 0 {
        let insts = kernel.program.blocks.iter().flatten();
        let scratch = cost::scratch(insts, kernel.shared.options.platform);
        compiled.allocation.spills = scratch.spills as u32;
        compiled.allocation.fills = scratch.fills as u32;
    }
    compiled.code = assembled.code;
    Ok(())
}

fn scratch_exceeded(kernel: &Kernel) -> CompileError {
    let error = AllocError::Scratch {
        func: kernel.compiled.name.clone(),
        limit: kernel.shared.options.platform.scratch_bytes,
    };
    error.into()
}

fn broken(object: &Object, pass: &'static str, what: &dyn std::fmt::Display) -> CompileError {
    CompileError::Broken {
        kernel: object.name.to_string(),
        stage: pass,
        what: what.to_string(),
    }
}

fn program_text(program: &Program) -> String {
    let mut text = String::new();
    for (b, block) in program.blocks.iter().enumerate() {
        let _ = writeln!(text, "block{b}:");
        for inst in block {
            let _ = writeln!(text, "    {inst}");
        }
    }
    text
}
