//! Large functions: few moves, and time in proportion.

use std::time::{Duration, Instant};

use kiln_machine::func::{Function, Term};
use kiln_machine::inst::{Pred, Reg, VReg};
use kiln_regalloc::{Allocator, Options, allocate};
use kiln_target::isa::PredCtrl;

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

fn straight(count: usize) -> Function {
    let mut func = function(1);
    let mut last: Vec<VReg> = (0..40).map(|_| compute(&mut func, 0, &[])).collect();
    for i in 0..count {
        let v = compute(&mut func, 0, &[last[i % 40], last[(i * 7 + 3) % 40]]);
        last[i % 40] = v;
    }
    for v in last {
        store(&mut func, 0, v);
    }
    func
}

/// The least time of three.
fn time(func: &Function, check: bool) -> Duration {
    let once = || {
        let func = func.clone();
        let options = Options {
            check,
            ..Options::default()
        };
        let start = Instant::now();
        allocate(func, &options).expect("registers enough");
        start.elapsed()
    };
    (0..3).map(|_| once()).min().unwrap_or_default()
}

#[test]
fn time_grows_with_the_function() {
    type Make = fn(usize) -> Function;
    let ways: [(&str, Make, usize, bool); 3] = [
        ("instructions", straight, 20_000, false),
        ("blocks", |n| diamonds(n, 8), 800, false),
        ("blocks, checked", |n| diamonds(n, 8), 400, true),
    ];
    for (name, make, size, check) in ways {
        let (one, four) = (time(&make(size), check), time(&make(4 * size), check));
        // Four times the work; sixteen times would be quadratic.
        assert!(
            four < one * 10,
            "{name}: {one:?} for {size}, {four:?} for {}",
            4 * size
        );
    }
}
