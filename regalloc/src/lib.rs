//! Register allocation of the machine IR.
//!
//! [`allocate`] takes a legal function in SSA form and gives a program on physical registers. In turn: [`frame`] says
//! which general registers there are; [`flags`] assigns flags and the address register; [`payload`] chooses
//! consecutive units for messages that span several; [`build_problem`] states the rest as a [`problem`], which an allocator
//! answers, [`scan`] or [`regalloc2`], and [`prove`] proves;
//! [`rewrite`] applies the answer with moves, spills and fills; [`layout`] puts the blocks in order and ends them;
//! [`check`] proves the program against the function.
//!
//! [`routines`] and [`stack`] have the calling conventions, [`physical`] makes single instructions, and
//! [`spill_messages`] the messages to scratch space.

pub mod build_problem;
pub mod check;
pub mod flags;
pub mod frame;
pub mod in_memory;
pub mod last_dword;
pub mod late;
pub mod layout;
pub mod names;
pub mod payload;
pub mod physical;
pub mod problem;
pub mod prove;
pub mod regalloc2;
pub mod rewrite;
pub mod routines;
pub mod scan;
pub mod spill_addresses;
pub mod spill_messages;
pub mod split_by_plan;
pub mod stack;

use kiln_emit::assemble::Program;
use kiln_machine::func::{Class, Function};
use kiln_machine::graph::Graph;
use kiln_machine::liveness::Liveness;
use kiln_machine::pressure;
use kiln_platform::bits::GrfSet;
use kiln_platform::platform::UNIT_GRFS;

use build_problem::Presented;
use flags::Assigned;
use frame::Frame;
use in_memory::{InMemory, Spot};
use names::Names;
use payload::Payloads;
use problem::{Answer, NoAnswer};
use routines::{Convention, Parts};

/// How registers are assigned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Allocator {
    /// One walk over the code, which spills by distance to the next use ([`scan`]).
    #[default]
    Scan,
    /// regalloc2's, with live-range splitting and backtracking ([`regalloc2`]).
    Ion,
}

/// Options of an allocation.
#[derive(Clone, Debug)]
pub struct Options {
    /// Number of general registers that may be used, reserved ones among them; without it all of them. Fewer make the
    /// function spill (for experiments and tests).
    pub grf_limit: Option<u32>,
    pub allocator: Allocator,
    /// Prove the answer of the allocator, and the program made of it.
    pub check: bool,
    /// Measure how many registers are live at once.
    pub pressure: bool,
    /// Say what is in memory, and what units hold at this place.
    pub explain: Option<Spot>,
    /// Note the variable of what allocation moves, stores and loads ([`kiln_emit::inst::Origin::variable`]).
    pub names: bool,
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
            explain: None,
            names: false,
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
    #[error("{func}: {count} registers are asked for, which is no register mode of {platform}")]
    Mode {
        func: String,
        count: i64,
        platform: &'static str,
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
    /// The calling convention, if the function is a subroutine.
    pub convention: Option<Convention>,
    /// The spill slots, if they were asked for.
    pub in_memory: Option<InMemory>,
}

/// Figures of one allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Bytes of scratch space a thread spills to.
    pub spill_bytes: u32,
    /// Numbers of messages that write and read it.
    pub spills: u32,
    pub fills: u32,
    /// Bytes of the stack that one call of the function takes.
    pub frame_bytes: u32,
    /// Copies between general registers that allocation added.
    pub moves: u32,
    /// Flags and addresses that a general register holds.
    pub demoted: u32,
    /// Number of general registers that are used.
    pub grf_used: u32,
    /// Registers that the function overwrites, those of calls by name among them and callee-saved ones apart.
    pub overwritten: GrfSet,
    /// Maximum number of general registers live at once before allocation, if that was asked for.
    pub max_pressure: Option<u32>,
}

impl Stats {
    /// The figures of two parts of a kernel together.
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
    ion: regalloc2::Context,
}

/// Assigns physical registers.
///
/// # Errors
/// There are too few registers for the function, or it is not what allocation takes.
pub fn allocate(func: Function, options: &Options) -> Result<Allocated, AllocError> {
    allocate_part(func, options, &Parts::default(), &mut Scratch::default())
}

/// Allocates a part of a kernel. The subroutines that it calls are allocated before, and have their conventions in
/// `parts`.
///
/// # Errors
/// As [`allocate`].
pub fn allocate_part(
    mut func: Function,
    options: &Options,
    parts: &Parts,
    scratch: &mut Scratch,
) -> Result<Allocated, AllocError> {
    let frame = Frame::new(&func, options.grf_limit, parts.headers)?;
    let max_pressure = options.pressure.then(|| max_pressure(&func));
    let before = options.check.then(|| func.clone());
    let (assigned, payloads) = place_first(&mut func, &frame)?;
    let input = build_problem::build(&func, &payloads, &frame, parts)?;
    let answer = match options.allocator {
        Allocator::Scan => scan::allocate(&input.problem),
        Allocator::Ion => split_by_plan::allocate(&input.problem, &mut scratch.ion),
    };
    let (answer, in_memory, names) = proved(&input, answer, options, &frame)?;
    let base = options.scratch_base;
    let code = rewrite::rewrite(&input, &answer, &frame, &assigned, &names, base)?;
    let (program, origins) = layout::layout(&func, &frame, code.bodies)?;
    let allocated = Allocated {
        program,
        origins,
        stats: Stats {
            max_pressure,
            ..code.stats
        },
        convention: code.convention,
        in_memory,
    };
    if let Some(before) = before {
        let proved = check::check_part(&before, &allocated, parts);
        proved.map_err(|e| unproved(&before, e.to_string()))?;
    }
    Ok(allocated)
}

/// Maximum number of general registers that are live at once.
fn max_pressure(func: &Function) -> u32 {
    pressure::pressure(func, &Graph::new(func)).units.amount * UNIT_GRFS
}

/// Assigns flags and addresses, and places payloads.
fn place_first(func: &mut Function, frame: &Frame) -> Result<(Assigned, Payloads), AllocError> {
    let graph = Graph::new(func);
    let numbers = flags::all(func);
    let wanted = payload::wanted(func);
    let is_wanted = |v| wanted.contains(v) || func.regs[v].class != Class::Grf;
    let live = Liveness::of(func, &graph, is_wanted);
    let assigned = flags::assign(func, &graph, &live, numbers)?;
    let payloads = payload::place(func, &live, frame)?;
    Ok((assigned, payloads))
}

/// An answer, proved and explained if that is asked for, with the variables of its moves.
fn proved(
    input: &Presented,
    answer: Result<Answer, NoAnswer>,
    options: &Options,
    frame: &Frame,
) -> Result<(Answer, Option<InMemory>, Names), AllocError> {
    let (func, problem) = (input.func, &input.problem);
    let limit = options.grf_limit.unwrap_or(func.target.default_grfs);
    let answer = answer.map_err(|e| match e {
        NoAnswer::TooFewUnits => AllocError::TooFew {
            func: func.name.clone(),
            limit,
            what: format!(
                "an instruction needs more at once than there are; {}",
                frame.holders(func)
            ),
        },
        NoAnswer::TooManyUnits { .. } | NoAnswer::Invalid(_) => AllocError::Invalid {
            func: func.name.clone(),
            what: e.to_string(),
        },
    })?;
    let (mut explained, mut names) = (None, Names::default());
    if options.check || options.explain.is_some() || options.names {
        let proved = prove::prove(problem, &answer).map_err(|what| unproved(func, what))?;
        let explain = |spot| in_memory::in_memory(input, &answer, &proved, spot);
        explained = options.explain.map(explain);
        if options.names {
            names = names::names(input, &answer, &proved);
        }
    }
    if options.check {
        regalloc2::check(problem, &answer).map_err(|what| unproved(func, what))?;
    }
    Ok((answer, explained, names))
}

fn unproved(func: &Function, what: String) -> AllocError {
    AllocError::Unproved {
        func: func.name.clone(),
        what,
    }
}
