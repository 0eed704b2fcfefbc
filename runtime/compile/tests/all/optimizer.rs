//! Passes of the optimizer: random functions give the same results before and after them.

use kiln_compile::passes::{OPTIMIZER, Step, optimize};
use kiln_machine::func::{BlockData, Edge, Function, Term};
use kiln_machine::verify::{Level, verify};
use kiln_machine_testing::random::{Shape, function, seeds};
use kiln_machine_testing::run::compare;

fn shape(seed: u64) -> Shape {
    Shape {
        level: Level::Wide,
        depth: seed as u32 % 3,
        length: 16,
        messages: seed.is_multiple_of(2),
    }
}

fn check(name: &str, seeds: std::ops::Range<u64>, mut pass: impl FnMut(&mut Function)) {
    for seed in seeds {
        let before = function(seed, &shape(seed));
        let mut after = before.clone();
        pass(&mut after);
        if let Err(e) = verify(&after, Level::Wide, None) {
            panic!("{name}, seed {seed}: {e}\n{before}\n{after}");
        }
        if let Err(e) = compare(&before, &after) {
            panic!("{name}, seed {seed}: {e}\n{before}\n{after}");
        }
    }
}

#[test]
fn passes_keep_what_functions_do() {
    assert!(OPTIMIZER.len() > 10);
    for pass in OPTIMIZER {
        check(pass.pass.name, 0..seeds(), |func| optimize(&[pass], func));
    }
}

#[test]
fn all_passes_together_keep_what_functions_do() {
    check("all", 1000..1000 + 2 * seeds(), |func| {
        optimize(&OPTIMIZER.iter().collect::<Vec<_>>(), func);
    });
}

#[test]
fn passes_do_something() {
    let count = |func: &Function| func.blocks.values().map(|b| b.insts.len()).sum::<usize>();
    for pass in OPTIMIZER.iter().filter(|step| step.pass.name == "dead") {
        let (mut before, mut after) = (0, 0);
        for seed in 0..50 {
            let mut func = function(seed, &shape(seed));
            before += count(&func);
            optimize(&[pass], &mut func);
            after += count(&func);
        }
        assert!(
            after * 10 < before * 9,
            "{}: {before} to {after}",
            pass.pass.name
        );
    }
}

/// Puts an empty block on the first edge of a scalar jump.
fn split_edge(func: &mut Function) {
    let jumps = |data: &&mut BlockData| data.term == Term::Jump;
    let Some(from) = func.blocks.values_mut().find(jumps) else {
        return;
    };
    let edge = from.succs[0].clone();
    let origin = from.term_origin;
    let to = func.blocks.push(BlockData {
        params: Vec::new(),
        insts: Vec::new(),
        term: Term::Jump,
        succs: [edge].into_iter().collect(),
        term_origin: origin,
    });
    let mut blocks = func.blocks.values_mut();
    if let Some(from) = blocks.find(jumps) {
        from.succs[0] = Edge {
            to,
            args: Default::default(),
        };
    }
}

/// The passes after a pass that changes the control flow see the new graph.
#[test]
fn a_pass_may_change_the_control_flow() {
    let split = Step::on_flow("split", split_edge);
    let passes: Vec<_> = std::iter::once(&split).chain(OPTIMIZER).collect();
    let mut changed = 0;
    check("split", 0..seeds(), |func| {
        let count = func.blocks.len();
        optimize(&passes, func);
        changed += usize::from(func.blocks.len() > count);
    });
    assert!(changed > 0);
}
