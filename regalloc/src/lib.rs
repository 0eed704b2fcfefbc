//! Register allocation of the machine IR: regalloc2 around Gen's registers.
//!
//! [`allocate`] takes a legal function in SSA form and gives a program on physical registers. In
//! turn: [`flags`] assigns flags and the address register; [`spill`] puts in memory what lives far
//! beyond the registers; [`frame`] says which general registers there are; [`place`] chooses
//! consecutive ones for messages that span several; [`adapter`] presents the function to an allocator,
//! [`scan`] or regalloc2; [`rewrite`] applies the answer with moves and spills; [`layout`] puts the
//! blocks in order and ends them; [`check`] holds the result against the function.

pub mod adapter;
pub mod check;
pub mod flags;
pub mod frame;
pub mod layout;
pub mod physical;
pub mod place;
pub mod rewrite;
pub mod routines;
pub mod scan;
pub mod spill;
pub mod stack;

use std::collections::BTreeMap;

use kiln_emit::assemble::Program;
use kiln_machine::func::{Class, Function};
use kiln_machine::graph::Graph;
use kiln_machine::liveness::Liveness;
use kiln_machine::pressure;
use regalloc2::checker::Checker;
use regalloc2::{Algorithm, RegAllocError, RegallocOptions};

use adapter::Adapter;
use frame::Frame;
use routines::{Convention, Parts};

/// Values that live at once, in hundredths of the units, from which on [`spill`] is better than what comes
/// behind it: regalloc2 spills less well the further it is over; our own only takes long.
const REGALLOC2_OVER: u32 = 150;
const SCAN_OVER: u32 = 300;

/// How registers are assigned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Allocator {
    /// Our own, in one walk ([`scan`]).
    #[default]
    Scan,
    /// regalloc2's, with lives that are split, and registers taken back for what is worth more.
    Ion,
}

/// What the caller may ask for.
#[derive(Clone, Debug)]
pub struct Options {
    /// General registers that may be used, those that the function keeps for itself among them; all that
    /// there are without. Fewer make the function spill (for experiments and tests).
    pub grf_limit: Option<u32>,
    pub allocator: Allocator,
    /// Prove the allocation, and the program after it.
    pub check: bool,
    /// Measure how many registers are live at once.
    pub pressure: bool,
    /// First byte of scratch space that spills may use.
    pub scratch_base: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            grf_limit: None,
            allocator: Allocator::default(),
            check: cfg!(debug_assertions),
            pressure: false,
            scratch_base: 0,
        }
    }
}

/// Why allocation failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AllocError {
    #[error("{func}: {limit} registers are asked for, there are {count}")]
    Limit {
        func: String,
        limit: u32,
        count: u32,
    },
    #[error(
        "{func}: {limit} registers are asked for; the convention of stack calls has all {count}"
    )]
    Convention {
        func: String,
        limit: u32,
        count: u32,
    },
    #[error("{func}: {limit} registers are too few: {what}")]
    TooFew {
        func: String,
        limit: u32,
        what: String,
    },
    #[error("{func}: too few {file}: {what}")]
    Small {
        func: String,
        file: &'static str,
        what: String,
    },
    #[error("{func}: no function to allocate: {what}")]
    Invalid { func: String, what: String },
    #[error("{func}: the allocation is wrong: {what}")]
    Unproved { func: String, what: String },
    #[error(
        "{func}: private memory and spills need more than the {limit} bytes of scratch space that can be addressed"
    )]
    Scratch { func: String, limit: u32 },
}

/// An allocated function.
#[derive(Clone, Debug)]
pub struct Allocated {
    pub program: Program,
    pub origins: layout::Origins,
    pub stats: Stats,
    /// Of a subroutine.
    pub convention: Option<Convention>,
}

/// Figures of one allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Bytes of scratch space a thread spills to.
    pub spill_bytes: u32,
    /// Messages that write and read it.
    pub spills: u32,
    pub fills: u32,
    /// Bytes of the stack that one call of the function takes.
    pub frame_bytes: u32,
    /// Copies between general registers that allocation added.
    pub moves: u32,
    /// Flags and addresses that a general register holds.
    pub demoted: u32,
    /// General registers that hold something at one time or another.
    pub grf_used: u32,
    /// GRFs that are not afterwards what they were before, a bit each, with what calls by name overwrite: of
    /// a function that others call, not those that it saves.
    pub overwritten: u128,
    /// Most general registers live at once before allocation, if that was asked for.
    pub max_pressure: Option<u32>,
}

impl Stats {
    /// Those of a kernel's parts together.
    pub fn with(&self, other: &Stats) -> Stats {
        Stats {
            spill_bytes: self.spill_bytes.max(other.spill_bytes),
            spills: self.spills + other.spills,
            fills: self.fills + other.fills,
            frame_bytes: self.frame_bytes.max(other.frame_bytes),
            moves: self.moves + other.moves,
            demoted: self.demoted + other.demoted,
            grf_used: self.grf_used.max(other.grf_used),
            overwritten: self.overwritten | other.overwritten,
            max_pressure: self.max_pressure.max(other.max_pressure),
        }
    }
}

/// Memory that allocations use one after the other.
#[derive(Default)]
pub struct Scratch {
    regalloc: regalloc2::Ctx,
}

/// Assigns physical registers.
///
/// # Errors
/// There are too few registers for the function, or it is not what allocation takes.
pub fn allocate(func: Function, options: &Options) -> Result<Allocated, AllocError> {
    allocate_with(func, options, &Parts::default(), &mut Scratch::default())
}

/// Allocates a kernel and its subroutines, which come behind it, in an order with callees before their
/// callers. Gives their programs, and the figures of all together. Of functions that are called by name
/// it may be known what they overwrite ([`Parts::functions`]). Each part may be made ready when its callees' conventions
/// are known, just before it is allocated.
///
/// # Errors
/// As [`allocate`], of the first that cannot be allocated or made ready.
pub fn allocate_parts(
    funcs: Vec<Function>,
    bottom_up: impl IntoIterator<Item = usize>,
    options: &Options,
    functions: BTreeMap<String, u128>,
    scratch: &mut Scratch,
    mut ready: impl FnMut(usize, &mut Function, &Parts) -> Result<(), AllocError>,
) -> Result<(Vec<Program>, Stats), AllocError> {
    let mut parts = Parts {
        functions,
        ..Parts::default()
    };
    if let [kernel, _, ..] = &funcs[..] {
        parts.have(kernel, funcs.len(), options)?;
    }
    let mut programs = vec![Program::default(); funcs.len()];
    let mut funcs: Vec<Option<Function>> = funcs.into_iter().map(Some).collect();
    let mut stats = Stats::default();
    for n in bottom_up {
        let Some(mut func) = funcs.get_mut(n).and_then(Option::take) else {
            continue;
        };
        ready(n, &mut func, &parts)?;
        let allocated = allocate_with(func, options, &parts, scratch)?;
        stats = stats.with(&allocated.stats);
        programs[n] = allocated.program;
        if let Some(convention) = parts.conventions.get_mut(n) {
            *convention = allocated.convention;
        }
    }
    Ok((programs, stats))
}

/// The same in memory of the caller's, for a part of a kernel; those that it calls come before.
///
/// # Errors
/// As [`allocate`].
pub fn allocate_with(
    mut func: Function,
    options: &Options,
    parts: &Parts,
    scratch: &mut Scratch,
) -> Result<Allocated, AllocError> {
    let frame = Frame::new(&func, options.grf_limit, parts)?;
    let max_pressure = options.pressure.then(|| {
        let live = Liveness::new(&func, &Graph::new(&func));
        pressure::pressure(&func, &live).units.amount * func.target.unit_grfs()
    });
    let before = options.check.then(|| func.clone());
    let graph = Graph::new(&func);
    let numbers = flags::all(&func);
    let placed = place::wanted(&func);
    let wanted = |v| placed.contains(v) || func.regs[v].class != Class::Grf;
    let live = Liveness::of(&func, &graph, wanted);
    let mut assigned = flags::assign(&mut func, &live, numbers)?;
    let used = options.scratch_base.div_ceil(frame.grf_bytes);
    let room = spill::Room {
        units: frame.units.len() as u32,
        over: match options.allocator {
            Allocator::Scan => SCAN_OVER,
            Allocator::Ion => REGALLOC2_OVER,
        },
        slots: frame.slots(used.max(parts.frames_end(&func))),
    };
    let mut spilled = 0;
    let input = match spill::over(&func, &graph, &room) {
        None => input(&func, &live, &frame, parts)?,
        Some(over) => {
            spilled = spill::run(&mut func, &graph, room, over, &mut assigned.origins);
            let placed = place::wanted(&func);
            let live = Liveness::of(&func, &graph, |v| placed.contains(v));
            input(&func, &live, &frame, parts)?
        }
    };
    let env = adapter::environment(&frame);
    let settings = RegallocOptions {
        verbose_log: false,
        validate_ssa: options.check,
        algorithm: Algorithm::Ion,
    };
    let mut slots = Vec::new();
    let output = match options.allocator {
        Allocator::Scan => scan::run(&input, &frame).map(|(output, places)| {
            slots = places;
            scratch.regalloc.output = output;
            &scratch.regalloc.output
        }),
        Allocator::Ion => regalloc2::run_with_ctx(&input, &env, &settings, &mut scratch.regalloc),
    };
    let output = match output {
        Ok(output) => output,
        Err(RegAllocError::TooManyLiveRegs) => {
            return Err(AllocError::TooFew {
                func: func.name.clone(),
                limit: options.grf_limit.unwrap_or(func.target.grf_count),
                what: format!(
                    "an instruction needs more at once than there are; {}",
                    frame.holders(&func)
                ),
            });
        }
        Err(e) => {
            return Err(AllocError::Invalid {
                func: func.name.clone(),
                what: e.to_string(),
            });
        }
    };
    if options.check {
        let mut checker = Checker::new(&input, &env);
        checker.prepare(output);
        checker.run().map_err(|e| AllocError::Unproved {
            func: func.name.clone(),
            what: format!("{e:?}"),
        })?;
    }
    let (bodies, mut stats, convention) = rewrite::rewrite(
        &func,
        &frame,
        &input,
        rewrite::Answer {
            output,
            slots: &slots,
        },
        &assigned,
        spilled,
        options.scratch_base,
    )?;
    stats.max_pressure = max_pressure;
    let (program, origins) = layout::layout(&func, &frame, bodies)?;
    let allocated = Allocated {
        program,
        origins,
        stats,
        convention,
    };
    proved(before, allocated, parts)
}

/// What has been allocated, if it does what the function says that is given.
fn proved(
    before: Option<Function>,
    allocated: Allocated,
    parts: &Parts,
) -> Result<Allocated, AllocError> {
    if let Some(before) = before {
        check::check_part(&before, &allocated, parts).map_err(|e| AllocError::Unproved {
            func: before.name.clone(),
            what: e.to_string(),
        })?;
    }
    Ok(allocated)
}

/// The function as allocators take it, with what spans several registers in its place.
fn input<'f>(
    func: &'f Function,
    live: &Liveness,
    frame: &Frame,
    parts: &'f Parts,
) -> Result<Adapter<'f>, AllocError> {
    let fixed = place::place(func, live, frame)?;
    Adapter::new(func, &fixed, frame, parts)
}
