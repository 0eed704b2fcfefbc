//! Which general registers are there to allocate, and which have a duty of their own.
//!
//! A copy of r0 is made first of all: message headers, spills among them, and the end of the thread
//! need it. It is in the register that the calling convention names, or, where fewer registers may
//! be used, in the highest of these that is nobody's at entry. Instructions that name the
//! convention's register get the real one.
//!
//! Scratch block messages reach the first 128 KiB of scratch space. What lies farther is reached by oword
//! blocks, which have their offset in the header: a second copy of r0, in the other register of the
//! header's unit, or the one that the convention of stack calls has for such messages.

use std::ops::Range;

use kiln_machine::func::Function;

use crate::AllocError;
use crate::adapter::ONE_CLASS;
use crate::routines::Parts;

/// The first register from which a message may be sent that ends the thread (PRM vol. 2a, "send").
pub const END_FROM: u32 = 112;

/// GRFs of scratch space that a scratch block message can address.
pub const NEAR_GRFS: u32 = 4096;

/// Bytes of scratch space that a thread can have (PRM vol. 2a, "MEDIA_VFE_STATE", Per Thread Scratch Space).
pub const MOST_SCRATCH: u32 = 2 << 20;

/// The register file, for one function.
pub struct Frame {
    /// Where the copy of r0 is.
    pub header: u32,
    /// Where a copy of r0 is, but for an offset, with which messages reach all of scratch space; none if
    /// nothing is free for it.
    pub far: Option<u32>,
    /// Units to allocate, ascending.
    pub units: Vec<u32>,
    /// Bytes and registers of a unit.
    pub unit_bytes: u32,
    pub unit_grfs: u32,
    pub grf_bytes: u32,
    /// Units that messages may be sent from that end the thread, whatever the limit; ascending.
    pub last_units: Vec<u32>,
    /// Units that are out of allocation, the header's among them.
    pub kept: Vec<u32>,
    /// Units that a function has to save before it uses them.
    pub saved: Range<u32>,
}

impl Frame {
    /// The registers of units, both as sets of a bit each.
    pub fn grfs(&self, units: u128) -> u128 {
        let of = |unit: u32| ((1 << self.unit_grfs) - 1) << (unit * self.unit_grfs);
        let used = (0..u128::BITS / self.unit_grfs).filter(|unit| units >> unit & 1 == 1);
        used.fold(0, |set, unit| set | of(unit))
    }

    /// A subroutine is told where the copies of r0 are.
    ///
    /// # Errors
    /// The limit is beyond the file, or what must be kept leaves nothing.
    pub fn new(func: &Function, limit: Option<u32>, parts: &Parts) -> Result<Frame, AllocError> {
        let target = func.target;
        let (unit_bytes, unit_grfs) = (target.unit_bytes(), target.unit_grfs());
        if let (Some(limit), Some(_)) = (limit, &func.abi.stack)
            && limit < target.grf_count
        {
            return Err(AllocError::Convention {
                func: func.name.clone(),
                limit,
                count: target.grf_count,
            });
        }
        let grfs = match limit {
            Some(limit) if limit > target.grf_count => {
                return Err(AllocError::Limit {
                    func: func.name.clone(),
                    limit,
                    count: target.grf_count,
                });
            }
            Some(limit) => limit,
            None => target.grf_count,
        };
        let grfs = grfs.min((ONE_CLASS + 1) * unit_grfs);
        let fail = |what: String| {
            Err(AllocError::TooFew {
                func: func.name.clone(),
                limit: grfs,
                what,
            })
        };
        let reserved = |grf: u32| func.reserved.iter().any(|r| r.contains(&grf));
        if let Some(range) = func.reserved.iter().find(|r| r.end > grfs) {
            let (first, last) = (range.start, range.end - 1);
            return fail(format!(
                "variables whose address is taken lie in r{first} to r{last}"
            ));
        }
        let duty = |grf: u32| {
            let stack = func.abi.stack.as_ref();
            stack.is_some_and(|s| grf >= s.callee_saved.end)
        };
        let kept = |grf: u32| reserved(grf) || duty(grf);
        let unit_kept = |unit: u32| (unit * unit_grfs..(unit + 1) * unit_grfs).any(kept);
        let header = func
            .header
            .or(parts.header)
            .or_else(|| func.header_of(grfs));
        let Some(header) = header else {
            return fail(format!(
                "inputs arrive in {} units and none is left for the thread's header",
                func.inputs.len()
            ));
        };
        let far = match (&func.abi.stack, parts.header) {
            (Some(stack), _) => Some(stack.messages),
            (None, Some(_)) => parts.far,
            (None, None) => {
                let first = header / unit_grfs * unit_grfs;
                let mut others = (first..first + unit_grfs).filter(|&grf| grf != header);
                others.find(|&grf| grf < grfs && !reserved(grf))
            }
        };
        let all = 0..grfs.div_ceil(unit_grfs);
        let (kept, units): (Vec<u32>, Vec<u32>) = all.partition(|&u| {
            unit_kept(u) || u == header / unit_grfs || (u + 1) * unit_grfs > grfs || u >= ONE_CLASS
        });
        if units.is_empty() {
            return fail(format!("r{header} holds the thread's header, none is left"));
        }
        let kept = (kept.into_iter())
            .filter(|&u| unit_kept(u) || u == header / unit_grfs)
            .collect();
        let last_units =
            END_FROM.div_ceil(unit_grfs)..(target.grf_count / unit_grfs).min(ONE_CLASS);
        Ok(Frame {
            header,
            far,
            last_units: (last_units.filter(|&u| u != header / unit_grfs && !unit_kept(u)))
                .collect(),
            units,
            unit_bytes,
            unit_grfs,
            grf_bytes: target.grf_bytes,
            kept,
            saved: match &func.abi.stack {
                Some(stack) if func.entered.by_stack_call() => {
                    stack.callee_saved.start / unit_grfs..stack.callee_saved.end / unit_grfs
                }
                _ => 0..0,
            },
        })
    }

    /// Spill slots that messages can address, behind so many registers in scratch memory.
    pub fn slots(&self, used: u32) -> u32 {
        self.scratch_grfs().saturating_sub(used) / self.unit_grfs
    }

    /// GRFs of scratch space that messages can address.
    pub fn scratch_grfs(&self) -> u32 {
        match self.far {
            Some(_) => MOST_SCRATCH / self.grf_bytes,
            None => NEAR_GRFS,
        }
    }

    /// What holds the registers, for an error.
    pub fn holders(&self, func: &Function) -> String {
        let reserved: u32 = func.reserved.iter().map(|r| r.end - r.start).sum();
        let left = self.units.len() as u32 * self.unit_grfs;
        format!(
            "r{} holds the thread's header, {reserved} hold variables whose address is taken, \
             {left} are left",
            self.header
        )
    }
}
