//! The optimizer: passes over wide machine IR, between selection and legalization.
//!
//! [`PASSES`] is what runs, in that order. Each pass takes functions that [`kiln_machine::verify`]
//! accepts and leaves such functions, in time near linear in their size.

pub mod arrays;
pub mod conditions;
pub mod copies;
pub mod dead;
pub mod destinations;
pub mod flags;
pub mod identities;
pub mod narrow;
pub mod scattered;
pub mod spread;
pub mod values;

use cranelift_entity::SecondaryMap;
use kiln_machine::func::{Block, Function};
use kiln_machine::inst::{Inst, VReg};
use kiln_machine::liveness::{term_uses, uses_of};
use kiln_machine::verify::{Level, verify};

/// A pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    pub name: &'static str,
    pub run: fn(&mut Function),
}

/// All passes, in the order in which they run.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "copies",
        run: copies::run,
    },
    Pass {
        name: "narrow",
        run: narrow::run,
    },
    Pass {
        name: "identities",
        run: identities::run,
    },
    Pass {
        name: "dead",
        run: dead::run,
    },
    Pass {
        name: "values",
        run: values::run,
    },
    Pass {
        name: "flags",
        run: flags::run,
    },
    Pass {
        name: "conditions",
        run: conditions::run,
    },
    Pass {
        name: "arrays",
        run: arrays::run,
    },
    Pass {
        name: "scattered",
        run: scattered::run,
    },
    Pass {
        name: "copies-again",
        run: copies::run,
    },
    Pass {
        name: "dead-again",
        run: dead::run,
    },
    Pass {
        name: "destinations",
        run: destinations::run,
    },
    Pass {
        name: "spread",
        run: spread::run,
    },
];

/// Runs all passes. After each `dump` gets its name and the function; debug builds check that the
/// function still keeps the rules.
pub fn run(func: &mut Function, dump: impl FnMut(&'static str, &Function)) {
    run_without(func, &[], dump);
}

/// The same without the passes of those names.
pub fn run_without(
    func: &mut Function,
    without: &[&str],
    mut dump: impl FnMut(&'static str, &Function),
) {
    for pass in PASSES.iter().filter(|pass| !without.contains(&pass.name)) {
        (pass.run)(func);
        if cfg!(debug_assertions)
            && let Err(error) = verify(func, Level::Wide, None)
        {
            panic!("pass {}: {error}", pass.name);
        }
        dump(pass.name, func);
    }
}

/// Visits blocks in an order with each instruction taken out of its block meanwhile, so that `f` may
/// change the rest of the function.
fn for_each_inst(
    func: &mut Function,
    order: &[Block],
    mut f: impl FnMut(&mut Function, Block, usize, &mut Inst),
) {
    for &block in order {
        let mut insts = std::mem::take(&mut func.blocks[block].insts);
        for (n, inst) in insts.iter_mut().enumerate() {
            f(func, block, n, inst);
        }
        func.blocks[block].insts = insts;
    }
}

/// How often each register is read.
fn count_uses(func: &Function) -> SecondaryMap<VReg, u32> {
    let mut uses: SecondaryMap<VReg, u32> = SecondaryMap::with_capacity(func.regs.len());
    for (block, data) in func.blocks.iter() {
        for inst in &data.insts {
            uses_of(func, inst, |v| uses[v] += 1);
        }
        term_uses(func, block, |v| uses[v] += 1);
    }
    uses
}
