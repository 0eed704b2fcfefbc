//! The register file of one function: which general registers are allocated, and which are reserved.
//!
//! The first instruction of a kernel copies r0: message headers, spills among them, and the end of the thread need it.
//! The copy is in the register that the calling convention names, or, where fewer registers may be used, in the highest
//! of these in which nothing arrives. Instructions that name the convention's register get the real one. Where threads may be
//! interrupted, the unit of r0 is not allocated: an interruption restores it ([`Erratum::PreemptionKeepsHeader`]).
//!
//! Scratch block messages reach the start of scratch space only. The rest is reached by oword blocks, which have their
//! offset in the header: a second copy of r0, in the other register of the header's unit, or in the one that the
//! convention of stack calls has for such messages. Where messages access memory by address, that register has the
//! address of those that go there.

use kiln_machine::func::{Entered, Function};
use kiln_machine::inst::{Dst, Inst, Opcode};
use kiln_platform::bits::{GrfSet, UnitSet};
use kiln_platform::errata::Erratum;
use kiln_platform::isa::RegFile;
use kiln_platform::platform::UNIT_GRFS;

use crate::AllocError;
use crate::problem::{File, Unit, units};

/// Registers with copies of r0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headers {
    /// A copy of r0.
    pub header: u32,
    /// A copy of r0 but for an offset, with which messages reach all of scratch space; none if nothing is free for it.
    pub far: Option<u32>,
}

/// The register file, for one function.
pub struct Frame {
    pub headers: Headers,
    /// Units that are allocated, ascending, and the set of them.
    pub units: Vec<Unit>,
    pub allocatable: UnitSet,
    /// True if nothing overwrites the unit of r0.
    pub keeps_first: bool,
    /// The register that instructions read the thread's header from: r0 itself where nothing overwrites it.
    pub read_header: u32,
    /// True for a subroutine: callers keep values in the units that it does not use.
    pub is_called: bool,
    /// Number of units in the file.
    pub unit_count: usize,
    pub unit_bytes: u32,
    pub grf_bytes: u32,
    /// Number of registers that may be used.
    pub grfs: u32,
    /// Units that messages may be sent from that end the thread, whatever the limit; ascending.
    pub last_units: Vec<Unit>,
    /// Reserved units, the header's among them.
    pub reserved: UnitSet,
    /// Callee-saved units.
    pub saved: UnitSet,
    /// GRFs of scratch space that messages reach with the copy of r0 alone, and that all messages do.
    pub near_scratch_grfs: u32,
    pub scratch_grfs: u32,
}

impl Frame {
    /// A part of a kernel is told where its copies of r0 are.
    ///
    /// # Errors
    /// The limit is beyond the file, or what is reserved leaves nothing.
    pub fn new(
        func: &Function,
        limit: Option<u32>,
        headers: Option<Headers>,
    ) -> Result<Frame, AllocError> {
        let target = func.target;
        let grfs = limit_of(func, limit)?;
        let fail = |what: String| {
            Err(AllocError::TooFew {
                func: func.name.clone(),
                limit: grfs,
                what,
            })
        };
        if let Some(range) = func.reserved.iter().find(|r| r.end > grfs) {
            let (first, last) = (range.start, range.end - 1);
            return fail(format!(
                "variables whose address is taken lie in r{first} to r{last}"
            ));
        }
        let Some(headers) = headers_of(func, grfs, headers) else {
            return fail(format!(
                "inputs arrive in {} units and none is left for the thread's header",
                func.inputs.len()
            ));
        };
        let duties = func.abi.stack.as_ref().map(|s| s.callee_saved.end);
        let is_reserved = |grf: u32| {
            func.reserved.iter().any(|r| r.contains(&grf)) || duties.is_some_and(|end| grf >= end)
        };
        let unit_count = target.grf_count / UNIT_GRFS;
        let of_unit = |unit: u32| unit * UNIT_GRFS..(unit + 1) * UNIT_GRFS;
        let named = (0..target.grf_count).filter(|&grf| is_reserved(grf));
        let mut reserved: UnitSet = named.map(|grf| grf / UNIT_GRFS).collect();
        reserved.insert(headers.header / UNIT_GRFS);
        let meets = func.barrier && target.needs(Erratum::BarrierKeepsHeader);
        let keeps_first =
            (target.needs(Erratum::PreemptionKeepsHeader) || meets) && !reserved.contains(0u32);
        if keeps_first {
            reserved.insert(0u32);
        }
        let whole = (0..unit_count).filter(|&unit| of_unit(unit).end <= grfs);
        let allocatable = whole.collect::<UnitSet>() - reserved;
        if allocatable.is_empty() {
            let header = headers.header;
            return fail(format!("r{header} holds the thread's header, none is left"));
        }
        let within = (0..grfs.div_ceil(UNIT_GRFS)).collect::<UnitSet>();
        let last =
            (0..unit_count).filter(|&unit| of_unit(unit).all(|grf| target.ends_thread(grf, grfs)));
        let last: UnitSet = last.collect();
        let saved = match &func.abi.stack {
            Some(stack) if func.entered.by_stack_call() => {
                let saved =
                    stack.callee_saved.start / UNIT_GRFS..stack.callee_saved.end / UNIT_GRFS;
                saved.collect()
            }
            _ => UnitSet::EMPTY,
        };
        let near_scratch_bytes = target.scratch_block_bytes;
        let scratch_grfs = match headers.far {
            Some(_) => target.scratch_bytes,
            None => near_scratch_bytes,
        };
        Ok(Frame {
            headers,
            units: units(allocatable).collect(),
            allocatable,
            keeps_first,
            read_header: match first_is_header(func) {
                true => 0,
                false => headers.header,
            },
            is_called: func.entered == Entered::Subroutine,
            unit_count: unit_count as usize,
            unit_bytes: target.unit_bytes(),
            grf_bytes: target.grf_bytes,
            grfs,
            last_units: units(last - reserved).collect(),
            reserved: reserved & within,
            saved,
            near_scratch_grfs: near_scratch_bytes / target.grf_bytes,
            scratch_grfs: scratch_grfs / target.grf_bytes,
        })
    }

    /// The register file as an allocator sees it.
    pub fn file(&self) -> File {
        let is_saved = |unit: &Unit| self.saved.contains(*unit);
        let (callee_saved, preferred) = self.units.iter().copied().partition(is_saved);
        File {
            unit_count: self.unit_count,
            preferred,
            callee_saved,
            is_called: self.is_called,
        }
    }

    /// The registers of units.
    pub fn grfs(&self, units: UnitSet) -> GrfSet {
        let grfs = units
            .iter()
            .flat_map(|u| u * UNIT_GRFS..(u + 1) * UNIT_GRFS);
        grfs.collect()
    }

    /// The uses of registers that are not allocated, for an error.
    pub fn holders(&self, func: &Function) -> String {
        let reserved: u32 = func.reserved.iter().map(|r| r.end - r.start).sum();
        let left = self.units.len() as u32 * UNIT_GRFS;
        format!(
            "r{} holds the thread's header, {reserved} hold variables whose address is taken, \
             {left} are left",
            self.headers.header
        )
    }
}

/// The number of registers that a function may use.
fn limit_of(func: &Function, limit: Option<u32>) -> Result<u32, AllocError> {
    let count = func.target.grf_count;
    let func_name = || func.name.clone();
    let wanted = func.abi.stack.as_ref().map_or(0, |stack| stack.grfs());
    match limit {
        Some(limit) if limit < wanted => Err(AllocError::Convention {
            func: func_name(),
            limit,
            count: wanted,
        }),
        Some(limit) if limit > count => Err(AllocError::Limit {
            func: func_name(),
            limit,
            count,
        }),
        limit => Ok(limit.unwrap_or(count)),
    }
}

/// True if r0 has the thread's header wherever the function reads that: the function writes no header and nothing by an
/// address, and calls no code that may.
fn first_is_header(func: &Function) -> bool {
    let header = Some((RegFile::Grf, func.abi.header as u8));
    let keeps = |inst: &Inst| {
        let calls = inst.is_call() || matches!(inst.op, Opcode::CallRoutine(_));
        let may_write = |dst: Dst| dst.indirect.is_some() || dst.reg.as_phys() == header;
        !calls && !inst.dst.is_some_and(may_write)
    };
    func.target.needs(Erratum::PreemptionKeepsHeader)
        && func.entered == Entered::Dispatched
        && func
            .blocks
            .values()
            .all(|block| block.insts.iter().all(keeps))
}

/// The registers for copies of r0: those of the kernel, or those that a kernel chooses.
fn headers_of(func: &Function, grfs: u32, given: Option<Headers>) -> Option<Headers> {
    let given_header = given.map(|headers| headers.header);
    let header = func
        .header
        .or(given_header)
        .or_else(|| func.header_of(grfs))?;
    let far = match (&func.abi.stack, given) {
        (Some(stack), _) => Some(stack.messages),
        (None, Some(headers)) => headers.far,
        (None, None) => {
            let first = header / UNIT_GRFS * UNIT_GRFS;
            let reserved = |grf: u32| func.reserved.iter().any(|r| r.contains(&grf));
            let mut others = (first..first + UNIT_GRFS).filter(|&grf| grf != header);
            others.find(|&grf| grf < grfs && !reserved(grf))
        }
    };
    Some(Headers { header, far })
}
