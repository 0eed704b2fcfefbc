//! Conventions of subroutines: each has its own, which its allocation finds; and what functions overwrite.
//!
//! The subroutines of a kernel are allocated before their callers. Where allocation has put what a
//! subroutine is given and gives back, and which registers it overwrites, is then the convention that its
//! callers keep to: arguments and results are operands in fixed registers, or in slots of scratch space
//! where there are more than fit, and what is overwritten is lost. The return address is a value like
//! others: it arrives in a register, and is spilled if that pays.
//!
//! Frames are places in scratch space that are known: a subroutine's begins behind those of all that it
//! calls, so that those under way at one time never overlap, and the kernel's own comes last.
//!
//! Functions keep to the convention of stack calls. Of one whose code is known when its caller is
//! allocated, the caller loses only what that code overwrites.

use std::collections::BTreeMap;

use kiln_machine::func::Function;
use kiln_machine::inst::{Inst, Opcode};

use crate::frame::Frame;
use crate::{AllocError, Options};

/// Where a value is when a subroutine is called, or goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passed {
    /// A unit of the register file.
    Unit(u32),
    /// A unit of scratch space, by the number of its first register there.
    Slot(u32),
}

impl Passed {
    pub fn unit(self) -> Option<u32> {
        match self {
            Passed::Unit(unit) => Some(unit),
            Passed::Slot(_) => None,
        }
    }
}

/// What the callers of a subroutine have to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Convention {
    /// Inputs but for the return address, and that: a unit.
    pub inputs: Vec<Passed>,
    pub back: u32,
    pub results: Vec<Passed>,
    /// Units that it overwrites, with all that it calls; a bit each.
    pub lost: u128,
    /// Where its frame and those of all that it calls end in scratch space, in registers.
    pub frame_end: u32,
}

/// What the parts of a kernel have in common.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The register that holds the copy of r0, once the kernel has chosen it.
    pub header: Option<u32>,
    /// The register that holds the copy for messages that go far, if there is one.
    pub far: Option<u32>,
    /// By number, of those that are allocated.
    pub conventions: Vec<Option<Convention>>,
    /// What calls of functions by name overwrite, as [`Stats::overwritten`](crate::Stats::overwritten) of
    /// these has it. Of others the convention of stack calls says it.
    pub functions: BTreeMap<String, u128>,
}

impl Parts {
    /// A kernel has so many parts: decides what they have in common, where its copies of r0 are.
    ///
    /// # Errors
    /// There are too few registers.
    pub fn have(
        &mut self,
        kernel: &Function,
        count: usize,
        options: &Options,
    ) -> Result<(), AllocError> {
        let frame = Frame::new(kernel, options.grf_limit, self)?;
        (self.header, self.far) = (Some(frame.header), frame.far);
        self.conventions = vec![None; count];
        Ok(())
    }

    pub fn convention(&self, number: u32) -> Option<&Convention> {
        self.conventions.get(number as usize)?.as_ref()
    }

    /// Units that a call may overwrite by the convention of stack calls, results among them, a bit each:
    /// those of the callee, if that is known.
    pub fn lost_by(&self, func: &Function, call: &Inst) -> u128 {
        let Some(stack) = &func.abi.stack else {
            return u128::MAX;
        };
        let unit_grfs = func.target.unit_grfs();
        let whole = (1 << (stack.callee_saved.start / unit_grfs)) - 1;
        let symbol = call.symbol.expand().filter(|_| call.op == Opcode::Call);
        let known = symbol.and_then(|s| self.functions.get(&func.symbols[s].name));
        known.map_or(whole, |grfs| units(*grfs, unit_grfs) & whole)
    }

    /// Where the frames end of all that a function calls, in registers.
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

/// The units that registers lie in, both as sets of a bit each.
pub fn units(grfs: u128, unit_grfs: u32) -> u128 {
    let of = ((1 << unit_grfs) - 1) as u128;
    let lies = |unit: &u32| grfs >> (unit * unit_grfs) & of != 0;
    (0..u128::BITS / unit_grfs)
        .filter(lies)
        .fold(0, |set, unit| set | 1 << unit)
}
