//! Large functions: few moves.

use kiln_machine::func::{Function, Term};
use kiln_machine::inst::{Pred, Reg, VReg};
use kiln_platform::isa::PredCtrl;
use kiln_regalloc::{Allocator, Options, allocate};

use crate::{block, compute, edge, flag, function, options, store};

/// One behind the other, places where a value changes on one of two ways.
fn diamonds(count: usize, variables: usize) -> Function {
    let mut func = function(3 * count + 1);
    let mut now: Vec<VReg> = (0..variables).map(|_| compute(&mut func, 0, &[])).collect();
    for i in 0..count {
        let (head, then, other, join) = (3 * i, 3 * i + 1, 3 * i + 2, 3 * i + 3);
        let p = flag(&mut func, head);
        let pred = Pred {
            flag: Reg::virt(p, 0),
            inverse: false,
            ctrl: PredCtrl::Normal,
        };
        let changed = i % variables;
        let new = compute(&mut func, then, &[now[changed], now[(i + 1) % variables]]);
        let old = now[changed];
        let mut set = |b: usize, term: Term, succs: Vec<kiln_machine::func::Edge>| {
            func.blocks[block(b)].term = term;
            func.blocks[block(b)].succs = succs.into_iter().collect();
        };
        set(
            head,
            Term::Branch { pred },
            vec![edge(then, &[]), edge(other, &[])],
        );
        set(then, Term::Jump, vec![edge(join, &[new])]);
        set(other, Term::Jump, vec![edge(join, &[old])]);
        let param = func.grf(64);
        func.blocks[block(join)].params.push(param);
        now[changed] = param;
    }
    for v in now {
        store(&mut func, 3 * count, v);
    }
    func
}

#[test]
fn a_large_web_is_one_register() {
    for allocator in [Allocator::Scan, Allocator::Ion] {
        let options = Options {
            allocator,
            ..options(128)
        };
        let allocated = allocate(diamonds(3000, 8), &options).expect("registers enough");
        let stats = allocated.stats;
        assert_eq!((stats.spills, stats.fills, stats.demoted), (0, 0, 0));
        // Ion makes forty with ascending numbers of virtual registers.
        assert_eq!(stats.moves, 0, "{allocator:?}");
    }
}
