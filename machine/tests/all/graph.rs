//! Dominators and orders of control-flow graphs, by their definitions.

use kiln_machine::func::{Block, BlockData, Edge, Function, Term};
use kiln_machine::graph::Graph;
use kiln_platform::platform::SKL;

/// Dominators by their definition: blocks that are unreachable without another one.
#[test]
fn dominators_by_removal() {
    let mut state = 1u32;
    let mut random = |n: usize| {
        state = state.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
        (state >> 8) as usize % n
    };
    for round in 0..200 {
        let count = 1 + random(12);
        let mut func = Function::new("", &SKL, 8);
        for _ in 0..count {
            let mut data = BlockData::new(Term::Jump);
            for _ in 0..random(3) {
                let to = Block::from_u32(random(count) as u32);
                let args = Default::default();
                data.succs.push(Edge { to, args });
            }
            func.blocks.push(data);
        }
        let reached = |without: Option<Block>| {
            let mut seen = vec![false; count];
            let mut stack = vec![func.entry()];
            while let Some(b) = stack.pop() {
                if Some(b) != without && !seen[b.as_u32() as usize] {
                    seen[b.as_u32() as usize] = true;
                    stack.extend(func.blocks[b].succs.iter().map(|e| e.to));
                }
            }
            seen
        };
        let graph = Graph::new(&func);
        let all = reached(None);
        for a in func.blocks.keys() {
            assert_eq!(graph.is_reached(a), all[a.as_u32() as usize]);
            let without = reached(Some(a));
            for b in func.blocks.keys() {
                let n = b.as_u32() as usize;
                let expected = all[a.as_u32() as usize] && all[n] && !without[n];
                assert_eq!(graph.dominates(a, b), expected, "round {round}: {a} {b}");
            }
            for (i, &block) in graph.order().iter().enumerate() {
                assert_eq!(graph.place(block), Some(i));
            }
            if let Some(idom) = graph.idom(a) {
                assert!(graph.dominates(idom, a) && idom != a);
                let others = func.blocks.keys().filter(|&b| b != a);
                for b in others.filter(|&b| graph.dominates(b, a)) {
                    assert!(graph.dominates(b, idom));
                }
            }
        }
    }
}
