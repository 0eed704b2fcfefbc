//! Register allocation: regalloc2 around Gen's registers.
//!
//! [`allocate`] takes a machine function in SSA form and gives a program on physical registers. The
//! general register file is allocated in units of two GRFs, so that its 128 registers are the 64 of
//! one class of regalloc2 (the last unit is kept for the thread header and spilled flags: it is
//! also the number regalloc2 cannot use). Flags and the address register are classes of their own.
//!
//! [`place`] chooses consecutive units for messages that span several, [`adapter`] presents the
//! function to regalloc2, [`rewrite`] applies the answer and makes the moves and spills,
//! [`pressure`] measures how many units are live.

pub mod adapter;
pub mod machine;
pub mod place;
pub mod pressure;
pub mod rewrite;

use kiln_emit::assemble::Program;
use kiln_isel::mir::MFunc;
use regalloc2::checker::Checker;
use regalloc2::{Algorithm, MachineEnv, PReg, PRegSet, RegClass, RegallocOptions};

/// GRFs in a unit.
pub const UNIT_GRFS: u32 = kiln_isel::mir::UNIT_BYTES / kiln_isel::mir::GRF_BYTES;
/// Units of the register file; the last is never allocated.
pub const UNITS: u32 = 64;
/// The fewest units a function can be allocated in: a message of eight registers, its addresses,
/// and something to work with.
pub const FEWEST_UNITS: u32 = 12;

/// What the caller may ask for.
#[derive(Clone, Debug)]
pub struct Options {
    /// GRFs that may be used, out of 128; fewer make the function spill (for experiments and tests).
    pub grf_limit: u32,
    /// Have regalloc2's checker prove the allocation.
    pub check: bool,
    /// First byte of scratch space that spills may use.
    pub scratch_base: u32,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            grf_limit: 128,
            check: cfg!(debug_assertions),
            scratch_base: 0,
        }
    }
}

/// Why allocation failed.
#[derive(Debug, thiserror::Error)]
pub enum AllocError {
    #[error(
        "{func}: {left} of {limit} registers are left to allocate, at least {fewest} are needed; variables whose \
         address is taken and spilled flags hold the others"
    )]
    TooFew {
        func: String,
        left: u32,
        limit: u32,
        fewest: u32,
    },
    #[error("{func}: register allocation: {what}")]
    Failed { func: String, what: String },
    #[error("{func}: the allocation is wrong: {what}")]
    Unproved { func: String, what: String },
    #[error("{func}: {bytes} bytes of scratch space are needed, {limit} can be addressed")]
    Scratch {
        func: String,
        bytes: u32,
        limit: u32,
    },
}

/// An allocated function.
#[derive(Debug)]
pub struct Allocated {
    pub program: Program,
    /// Instructions whose immediate is the address of a name: block, index, and the name's number
    /// in [`MFunc::symbols`].
    pub symbols: Vec<(usize, usize, u32)>,
    pub stats: Stats,
}

/// Figures of one allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Bytes of scratch space a thread spills to.
    pub spill_bytes: u32,
    /// Messages that write and read it.
    pub spills: u32,
    pub fills: u32,
    /// Copies between registers that the allocator added.
    pub moves: u32,
    /// GRFs that hold something at one time or another.
    pub grf_used: u32,
    /// Most GRFs live at once, in units of two, before allocation.
    pub max_pressure: u32,
}

/// Assigns physical registers.
pub fn allocate(func: &MFunc, options: &Options) -> Result<Allocated, AllocError> {
    let limit = options.grf_limit.min(128) / UNIT_GRFS;
    let reserved = reserved_units(func);
    let mut extra = 0;
    loop {
        let units = allocatable(limit.min(UNITS - 1), &reserved, extra);
        if (units.len() as u32) < FEWEST_UNITS {
            return Err(AllocError::TooFew {
                func: func.name.clone(),
                left: units.len() as u32 * UNIT_GRFS,
                limit: options.grf_limit,
                fewest: FEWEST_UNITS * UNIT_GRFS,
            });
        }
        let fixed = place::place(func, &units);
        let input = adapter::Adapter::new(func, &fixed);
        let env = environment(&units);
        let settings = RegallocOptions {
            verbose_log: false,
            validate_ssa: options.check,
            algorithm: Algorithm::Ion,
        };
        let output = regalloc2::run(&input, &env, &settings).map_err(|e| AllocError::Failed {
            func: func.name.clone(),
            what: e.to_string(),
        })?;
        if options.check {
            let mut checker = Checker::new(&input, &env);
            checker.prepare(&output);
            checker.run().map_err(|e| AllocError::Unproved {
                func: func.name.clone(),
                what: format!("{e:?}"),
            })?;
        }
        let spare: Vec<u32> = spare_units(limit.min(UNITS - 1), &reserved, extra);
        let slots = rewrite::Slots::new(&output, options.scratch_base, &spare);
        if let Some(more) = slots.missing_units() {
            extra += more;
            continue;
        }
        let bytes = slots.scratch_end();
        if bytes > rewrite::SCRATCH_LIMIT {
            return Err(AllocError::Scratch {
                func: func.name.clone(),
                bytes,
                limit: rewrite::SCRATCH_LIMIT,
            });
        }
        let mut allocated = rewrite::rewrite(func, &input, &output, &slots);
        allocated.stats.max_pressure = pressure::max(func) * UNIT_GRFS;
        return Ok(allocated);
    }
}

fn reserved_units(func: &MFunc) -> Vec<bool> {
    let mut reserved = vec![false; UNITS as usize];
    for range in &func.reserved {
        for grf in range.clone() {
            reserved[(grf / UNIT_GRFS) as usize % UNITS as usize] = true;
        }
    }
    reserved
}

/// Units that may hold values: below the limit, not reserved, the highest `extra` of them kept for
/// spilled flags. Units where inputs arrive count even beyond the limit, as nothing else can be
/// done with them.
fn allocatable(limit: u32, reserved: &[bool], extra: u32) -> Vec<u32> {
    let mut units: Vec<u32> = (0..limit).filter(|&u| !reserved[u as usize]).collect();
    units.truncate(units.len().saturating_sub(extra as usize));
    units
}

fn spare_units(limit: u32, reserved: &[bool], extra: u32) -> Vec<u32> {
    let units: Vec<u32> = (0..limit).filter(|&u| !reserved[u as usize]).collect();
    units[units.len().saturating_sub(extra as usize)..].to_vec()
}

fn environment(units: &[u32]) -> MachineEnv {
    let mut grf = PRegSet::empty();
    for &u in units {
        grf.add(PReg::new(u as usize, RegClass::Int));
    }
    let mut flags = PRegSet::empty();
    for f in 0..2 {
        flags.add(PReg::new(f, RegClass::Float));
    }
    let mut addr = PRegSet::empty();
    addr.add(PReg::new(0, RegClass::Vector));
    MachineEnv {
        preferred_regs_by_class: [grf, flags, addr],
        non_preferred_regs_by_class: [PRegSet::empty(), PRegSet::empty(), PRegSet::empty()],
        scratch_by_class: [None, None, None],
        fixed_stack_slots: Vec::new(),
    }
}
