//! Passes over the IR, one a file, and the list of them.
//!
//! [`PASSES`] is the order. The runner (`run.rs`) takes each pass in turn, keeps its dump if that was asked for, and runs the
//! verifier.

mod accesses;
pub mod aggregates;
pub mod allocations;
pub mod arguments;
pub mod bfloat;
mod builder;
pub mod builtins;
pub mod calls;
pub mod cfg;
pub mod copies;
pub mod exchanges;
pub mod expand;
pub mod kernels;
pub mod launch;
mod library;
pub mod memory;
pub mod passed;
pub mod pointers;
pub mod printf;
pub mod reduce;
pub mod simdcf;
pub mod simplify;
pub mod spirv;
pub mod unroll;
pub mod widths;

use kiln_platform::platform::Platform;

use crate::attempt::Attempt;
use crate::error::Result;
use crate::ir::{Function, FunctionId, Module};
use calls::Calls;
use kernels::Kernel;

/// A pass over all functions of a module. The verifier of the IR ([`crate::ir::verify`]) runs after each.
pub struct Pass {
    /// Name of its dump.
    pub name: &'static str,
    /// True if only an attempt with masks runs it.
    for_masks: bool,
    /// Runs the pass over one function.
    pub step: Step,
}

/// The module has an empty function in the place of the one that is given.
type Step = fn(&mut Module, &mut Function, Context) -> Result<()>;

/// Facts of the module that a pass may ask for besides the function.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub platform: &'static Platform,
    /// The description of the function, if it is a kernel.
    pub kernel: Option<&'a Kernel>,
    /// The function itself, and those that are called with a stack.
    pub id: FunctionId,
    pub calls: &'a Calls,
}

impl Pass {
    /// True if an attempt runs the pass.
    pub fn runs(&self, attempt: &Attempt) -> bool {
        attempt.masks || !self.for_masks
    }
}

const fn pass(name: &'static str, step: Step) -> Pass {
    Pass {
        name,
        for_masks: false,
        step,
    }
}

/// All passes, in the order in which they run.
pub const PASSES: &[Pass] = &[
    pass("launch", |module, function, _| {
        launch::lower(module, function)
    }),
    pass("arguments", |module, function, context| {
        arguments::lower(&mut module.types, function, context.kernel)
    }),
    pass("cfg", |_, function, _| {
        cfg::prune(function);
        Ok(())
    }),
    pass("printf", |module, function, _| {
        printf::lower(module, function)
    }),
    pass("spirv", |module, function, _| {
        spirv::lower(module, function)
    }),
    pass("exchanges", |module, function, _| {
        exchanges::lower(module, function)
    }),
    pass("bfloat", |module, function, _| {
        bfloat::lower(module, function)
    }),
    pass("expand", |module, function, _| {
        expand::lower(module, function)
    }),
    pass("aggregates", |module, function, _| {
        aggregates::lower(module, function)
    }),
    pass("reduce", |module, function, _| {
        reduce::lower(module, function)
    }),
    pass("widths", |module, function, context| {
        widths::lower(module, function, context.kernel)
    }),
    pass("passed", |module, function, context| {
        passed::lower(module, function, context)
    }),
    pass("unroll", |module, function, _| {
        unroll::unroll(&mut module.types, function);
        Ok(())
    }),
    pass("copies", |module, function, _| {
        copies::expand(module, function)
    }),
    pass("allocations", |module, function, _| {
        allocations::lower(module, function)
    }),
    pass("addresses", |module, function, _| {
        memory::find_addresses(module, function);
        Ok(())
    }),
    pass("memory", |module, function, context| {
        memory::lower(module, function, context.platform)
    }),
    Pass {
        for_masks: true,
        ..pass("simdcf", |module, function, _| {
            simdcf::lower(module, function)
        })
    },
    pass("builtins", |module, function, context| {
        builtins::lower(module, function, context.platform)
    }),
    pass("simplify", |module, function, _| {
        simplify::simplify(&mut module.types, function);
        Ok(())
    }),
    pass("edges", |_, function, _| {
        cfg::split_edges(function);
        Ok(())
    }),
];
