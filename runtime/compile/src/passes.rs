//! The list of passes: every step from a checked object to machine code.
//!
//! The lists below are in the order in which the passes run; [`list`] has all of them. `run.rs` takes
//! each in turn, measures its time, prints its result if that was asked for, and runs the verifier of its [`Level`].
//! Nothing else calls a pass.
//!
//! The type of a step says which stage (`stages.rs`) it takes. Most change the code of a stage; the others make
//! the next stage of it.

use std::collections::HashSet;

use kiln_emit::assemble::Program;
use kiln_emit::inst::Inst;
use kiln_emit::{accumulators, chains, errata, flow, forms, schedule as reschedule};
use kiln_ir::cfg::CfgError;
use kiln_ir::{expand, subroutines};
use kiln_isel::opt::{
    arrays, conditions, copies, dead, destinations, flags, identities, invariants, narrow,
    scattered, values, widen_slots,
};
use kiln_isel::pairs;
use kiln_machine::func::Function as Machine;
use kiln_machine::graph::Graph;
use kiln_platform::platform::{Platform, UNIT_GRFS};
use kiln_visa::module::Object;

use crate::failure::CompileError;
pub use crate::level::Level;
use crate::options::Options;
use crate::result::Compiled;
pub use crate::stages::Routine;
use crate::stages::{Allocated, Built, Frames, Linked, Part, Selected, Shared, Source};
use crate::steps::{allocate, emit, select};

type Result<T = ()> = std::result::Result<T, CompileError>;

/// Rewrites of the object; `None` if there is nothing to rewrite.
pub(crate) const OBJECT: &[Step<Rewrite>] = &[
    object("expand", |shared, object| {
        expand::expand(object, &|name| shared.callees.by_jump.contains(name))
    }),
    object("inline", |shared, object| {
        subroutines::prepare(object, shared.attempt.inlined)
    }),
];

pub(crate) const IR: Step<for<'a> fn(Source<'a>) -> Result<Built<'a>>> = Step {
    pass: pass("ir", Level::Ir, false),
    run: select::build_ir,
};

pub(crate) const SELECT: Step<for<'a> fn(Built<'a>) -> Result<Selected<'a>>> = Step {
    pass: pass("select", Level::Wide, false),
    run: select::select,
};

/// The optimizer on wide machine IR. Passes from here to `LEGAL` run over each routine by itself, so that threads may
/// share the routines.
pub const OPTIMIZER: &[Step<Edit>] = &[
    optional("copies", Level::Wide, |r| {
        copies::run(&mut r.machine, &r.graph)
    }),
    optional("narrow", Level::Wide, |r| narrow::run(&mut r.machine)),
    optional("identities", Level::Wide, |r| {
        identities::run(&mut r.machine, &r.graph)
    }),
    optional("dead", Level::Wide, remove_dead),
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
    optional("copies", Level::Wide, |r| {
        copies::run(&mut r.machine, &r.graph)
    }),
    optional("dead", Level::Wide, remove_dead),
    optional("destinations", Level::Wide, |r| {
        destinations::run(&mut r.machine, &r.graph)
    }),
    optional("widen-slots", Level::Wide, |r| {
        widen_slots::run(&mut r.machine)
    }),
];

pub(crate) const LEGALIZE: Step<fn(&Shared, &mut Routine) -> Result> = Step {
    pass: pass("legalize", Level::Legal, false),
    run: select::legalize,
};

pub(crate) const LEGAL: &[Step<Edit>] = &[
    // Legalization leaves dead instructions even where nothing is optimized.
    Step {
        pass: pass("dead", Level::Legal, false),
        run: Edit::Code(remove_dead),
    },
    optional("schedule", Level::Legal, select::schedule),
    optional("pairs", Level::Legal, |r| pairs::run(&mut r.machine)),
];

/// Decisions about all routines of a kernel.
pub(crate) const KERNEL: &[Step<OnSelected>] = &[Step {
    pass: pass("headers", Level::Legal, false),
    run: select::share_headers,
}];

/// Runs over a routine, as the next pass, after both ran over all routines that it calls.
pub(crate) const REMAT: Step<fn(&Frames, &mut Routine)> = Step {
    pass: pass("remat", Level::Legal, true),
    run: allocate::rematerialize,
};

pub(crate) const ALLOCATE: Step<Allocate> = Step {
    pass: pass("allocate", Level::LaidOut, false),
    run: allocate::allocate,
};

/// Passes over the allocated code of each routine.
pub(crate) const PARTS: &[Step<OnProgram>] = &[
    Step {
        pass: pass("shared-gotos", Level::LaidOut, true),
        run: OnProgram::Any(flow::shared::share),
    },
    flow("backward-gotos", false, flow::backward::invert),
    flow("short-ifs", true, flow::predicate::predicate),
    flow("redundant-gotos", true, flow::redundant::remove),
    flow("structure", true, flow::structure::structure),
    Step {
        pass: pass("reschedule", Level::Allocated, true),
        run: OnProgram::After(reschedule::schedule),
    },
    Step {
        pass: pass("accumulators", Level::Allocated, true),
        run: OnProgram::For(accumulators::run),
    },
    Step {
        pass: pass("errata", Level::Allocated, false),
        run: OnProgram::For(errata::run),
    },
    Step {
        pass: pass("forms", Level::Formed, false),
        run: OnProgram::For(forms::run),
    },
    Step {
        pass: pass("chains", Level::Formed, true),
        run: OnProgram::For(chains::run),
    },
];

pub(crate) const LINK: Step<for<'a> fn(Allocated<'a>) -> Result<Linked<'a>>> = Step {
    pass: pass("link-routines", Level::Formed, false),
    run: emit::link_routines,
};

pub(crate) const LINKED: &[Step<OnLinked>] = &[
    Step {
        pass: pass("prologue", Level::Formed, false),
        run: emit::add_prologue,
    },
    Step {
        pass: pass("scoreboard", Level::Formed, false),
        run: emit::annotate,
    },
];

pub(crate) const ASSEMBLE: Step<fn(Linked) -> Result<Compiled>> = Step {
    pass: pass("assemble", Level::Code, false),
    run: emit::assemble_code,
};

/// All passes, in the order in which they run. One that runs in several places has a row for each.
pub fn list() -> impl Iterator<Item = Pass> {
    fn of<S>(steps: &'static [Step<S>]) -> impl Iterator<Item = Pass> {
        steps.iter().map(|step| step.pass)
    }
    of(OBJECT)
        .chain([IR.pass, SELECT.pass])
        .chain(of(OPTIMIZER))
        .chain([LEGALIZE.pass])
        .chain(of(LEGAL))
        .chain(of(KERNEL))
        .chain([REMAT.pass, ALLOCATE.pass])
        .chain(of(PARTS))
        .chain([LINK.pass])
        .chain(of(LINKED))
        .chain([ASSEMBLE.pass])
}

/// A pass, whatever stage it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Name in `--without`, `--dump` and reports.
    pub name: &'static str,
    /// The form of the code after the pass.
    pub level: Level,
    /// True if the code is right without the pass, so that `-O0` leaves it out.
    pub is_optional: bool,
}

impl Pass {
    /// True if the options do not leave the pass out.
    pub(crate) fn runs(&self, options: &Options) -> bool {
        (options.optimize || !self.is_optional) && !options.without.contains(&self.name)
    }
}

/// A pass with its code.
pub struct Step<S> {
    /// Name, form and kind.
    pub pass: Pass,
    pub(crate) run: S,
}

/// Code of a decision about all routines.
pub(crate) type OnSelected = fn(&mut Selected) -> Result;

/// Code of a pass over the linked program.
pub(crate) type OnLinked = fn(&mut Linked) -> Result;

/// Code of a rewrite of the object.
pub(crate) type Rewrite = fn(&Shared, &Object) -> std::result::Result<Option<Object>, CfgError>;

/// Code of the allocation of the routine of a number.
pub(crate) type Allocate =
    fn(&Shared, &mut Frames, &mut kiln_regalloc::Scratch, usize, Routine) -> Result<Part>;

/// Code of a pass over allocated code.
pub(crate) enum OnProgram {
    Any(fn(&mut Program)),
    /// Needs the platform.
    For(fn(&mut Program, &'static Platform)),
    /// Needs also the code that runs right before.
    After(fn(&mut Program, &'static Platform, &[Inst])),
}

/// Code of a pass over the machine IR of a routine.
pub enum Edit {
    /// Adds, removes and redirects no edge between blocks.
    Code(fn(&mut Routine)),
    /// Changes the control flow; the graph is made anew.
    Flow(fn(&mut Machine)),
}

impl Edit {
    pub(crate) fn apply(&self, routine: &mut Routine) {
        match self {
            Edit::Code(run) => run(routine),
            Edit::Flow(run) => {
                run(&mut routine.machine);
                routine.graph = Graph::new(&routine.machine);
            }
        }
    }
}

impl Step<Edit> {
    /// A pass of the optimizer that changes the control flow.
    pub const fn on_flow(name: &'static str, run: fn(&mut Machine)) -> Step<Edit> {
        Step {
            pass: pass(name, Level::Wide, true),
            run: Edit::Flow(run),
        }
    }
}

const fn pass(name: &'static str, level: Level, is_optional: bool) -> Pass {
    Pass {
        name,
        level,
        is_optional,
    }
}

const fn object(name: &'static str, run: Rewrite) -> Step<Rewrite> {
    Step {
        pass: pass(name, Level::Object, false),
        run,
    }
}

const fn optional(name: &'static str, level: Level, run: fn(&mut Routine)) -> Step<Edit> {
    Step {
        pass: pass(name, level, true),
        run: Edit::Code(run),
    }
}

const fn flow(name: &'static str, is_optional: bool, run: fn(&mut Program)) -> Step<OnProgram> {
    Step {
        pass: pass(name, Level::Allocated, is_optional),
        run: OnProgram::Any(run),
    }
}

fn remove_dead(routine: &mut Routine) {
    dead::run(&mut routine.machine, &routine.graph);
}

/// Names of all passes, in the order of their first places.
pub fn names() -> impl Iterator<Item = &'static str> {
    first_places(list())
}

/// Names of the passes that may be left out, in the order of their first places. A name stands for all its places.
pub fn optional_passes() -> impl Iterator<Item = &'static str> {
    first_places(list().filter(|pass| pass.is_optional))
}

fn first_places(passes: impl Iterator<Item = Pass>) -> impl Iterator<Item = &'static str> {
    let mut seen = HashSet::new();
    passes
        .map(|pass| pass.name)
        .filter(move |name| seen.insert(*name))
}

/// Runs passes over one function, in the order given, for tests and experiments.
pub fn optimize(passes: &[&Step<Edit>], func: &mut Machine) {
    let units = func.target.grf_count / UNIT_GRFS;
    let mut routine = Routine::new(func.clone(), units);
    for step in passes {
        step.run.apply(&mut routine);
    }
    *func = routine.machine;
}
