//! Conventions of subroutines, and registers that calls clobber.
//!
//! Each subroutine of a kernel has a calling convention of its own, which its allocation finds: subroutines are
//! allocated before their callers. The places of its inputs and results and the units that it overwrites are then the
//! convention that its callers keep to: arguments and results are operands in fixed units, or in slots of scratch
//! space if there are more than fit, and overwritten units are clobbers. The return address is a value like others:
//! it arrives in a unit, and is spilled if that pays.
//!
//! A subroutine's frame is at a known place of scratch space: it begins after the frames of all that it calls, so that
//! frames that are in use at one time never overlap, and the kernel's own comes last.
//!
//! Functions keep to the convention of stack calls. If the code of a function is known when its caller is allocated,
//! the call clobbers only what that code overwrites.

use std::collections::BTreeMap;

use kiln_machine::func::Function;
use kiln_machine::inst::{Inst, Opcode};
use kiln_platform::bits::{GrfSet, UnitSet};
use kiln_platform::platform::UNIT_GRFS;

use crate::AllocError;
use crate::frame::{Frame, Headers};
use crate::problem::Unit;

/// The place of a value when a subroutine is called, or returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// A unit of the register file.
    Unit(Unit),
    /// A unit of scratch space, by the number of its first GRF there.
    Slot(u32),
}

/// The calling convention of a subroutine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Convention {
    /// Inputs without the return address.
    pub inputs: Vec<Passed>,
    pub return_address: Unit,
    pub results: Vec<Passed>,
    /// Units that the subroutine overwrites, or a callee of it.
    pub clobbers: UnitSet,
    /// The end of its frame and of those of all that it calls in scratch space, in GRFs.
    pub frame_end: u32,
}

/// Facts that the parts of a kernel share.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The registers that hold copies of r0, once the kernel has chosen them.
    pub headers: Option<Headers>,
    /// Conventions of the parts that are allocated, by number.
    pub conventions: Vec<Option<Convention>>,
    /// Registers that functions overwrite, by name, as [`Stats::overwritten`](crate::Stats::overwritten) has them.
    /// A call of any other function clobbers what the convention of stack calls says.
    pub functions: BTreeMap<String, GrfSet>,
}

impl Parts {
    /// Chooses the registers for copies of r0 of a kernel of `count` parts.
    ///
    /// # Errors
    /// There are too few registers.
    pub fn have(
        &mut self,
        kernel: &Function,
        count: usize,
        options: &crate::Options,
    ) -> Result<(), AllocError> {
        let frame = Frame::new(kernel, options.grf_limit, self.headers)?;
        self.headers = Some(frame.headers);
        self.conventions = vec![None; count];
        Ok(())
    }

    pub fn convention(&self, number: u32) -> Option<&Convention> {
        self.conventions.get(number as usize)?.as_ref()
    }

    /// Units that a call with a stack may overwrite, results among them: those of the callee, if that is known.
    pub fn clobbers(&self, func: &Function, call: &Inst) -> UnitSet {
        let Some(stack) = &func.abi.stack else {
            return UnitSet::ALL;
        };
        let whole: UnitSet = (0..stack.callee_saved.start / UNIT_GRFS).collect();
        let symbol = call.symbol.expand().filter(|_| call.op == Opcode::Call);
        let known = symbol.and_then(|s| self.functions.get(&func.symbols[s].name));
        known.map_or(whole, |grfs| units(*grfs) & whole)
    }

    /// The end of the frames of all that a function calls, in GRFs of scratch space.
    pub fn frames_end(&self, func: &Function) -> u32 {
        if self.conventions.iter().all(Option::is_none) {
            return 0;
        }
        let insts = func.blocks.values().flat_map(|block| &block.insts);
        let callees = insts.filter_map(|inst| match inst.op {
            Opcode::CallRoutine(n) => self.convention(n.into()),
            _ => None,
        });
        callees.map(|callee| callee.frame_end).max().unwrap_or(0)
    }
}

/// The units that registers lie in.
pub fn units(grfs: GrfSet) -> UnitSet {
    grfs.iter().map(|grf| grf / UNIT_GRFS).collect()
}
