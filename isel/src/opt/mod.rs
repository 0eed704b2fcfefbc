//! The optimizer: passes over wide machine IR, between selection and legalization.
//!
//! [`PASSES`] is what runs, in that order. Each pass takes functions that [`kiln_machine::verify`]
//! accepts and leaves such functions, in time near linear in their size. None adds, removes or leads elsewhere an edge
//! between blocks, so that one graph serves all of them.

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
use kiln_machine::graph::Graph;
use kiln_machine::inst::{Inst, VReg};
use kiln_machine::liveness::{term_uses, uses_of};
use kiln_machine::verify::{Level, verify};

/// A pass.
#[derive(Clone, Copy, Debug)]
pub struct Pass {
    pub name: &'static str,
    pub run: fn(&mut Function, &Graph),
}

/// All passes, in the order in which they run.
pub const PASSES: &[Pass] = &[
    Pass {
        name: "copies",
        run: copies::run,
    },
    Pass {
        name: "narrow",
        run: |func, _| narrow::run(func),
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
        run: |func, _| flags::run(func),
    },
    Pass {
        name: "conditions",
        run: |func, _| conditions::run(func),
    },
    Pass {
        name: "arrays",
        run: |func, _| arrays::run(func),
    },
    Pass {
        name: "scattered",
        run: |func, _| scattered::run(func),
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
        run: |func, _| spread::run(func),
    },
];

/// Runs all passes. After each `dump` gets its name and the function; debug builds check that the
/// function still keeps the rules.
pub fn run(func: &mut Function, dump: impl FnMut(&'static str, &Function)) {
    run_without(func, &Graph::new(func), &[], dump);
}

/// The same without the passes of those names, where the graph is that of the function.
pub fn run_without(
    func: &mut Function,
    graph: &Graph,
    without: &[&str],
    mut dump: impl FnMut(&'static str, &Function),
) {
    for pass in PASSES.iter().filter(|pass| !without.contains(&pass.name)) {
        (pass.run)(func, graph);
        if cfg!(debug_assertions)
            && let Err(error) = verify(func, Level::Wide, None)
        {
            panic!("pass {}: {error}", pass.name);
        }
        debug_assert!(graph.is_of(func), "pass {} changes edges", pass.name);
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
