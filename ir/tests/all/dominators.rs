//! Dominators compared with petgraph's, on random flow graphs.

use crate::common::kernel;
use kiln_ir::build::build;
use kiln_ir::dominators::Dominators;
use kiln_ir::func::Block;
use kiln_ir::verify::verify;
use kiln_platform::platform::SKL;
use petgraph::algo::dominators::simple_fast;
use petgraph::graph::{DiGraph, NodeIndex};

/// Blocks that end in gotos to any block, some of them uniform; `seed` chooses.
fn flow(blocks: u32, seed: &mut u64) -> String {
    let mut next = |below: u32| {
        *seed = seed
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (*seed >> 33) as u32 % below
    };
    let mut text = String::new();
    for b in 0..blocks {
        text += &format!("b{b}:\nadd (M1, 16) V(0,0)<1> V(0,0)<1;1,0> W(0,0)<1;1,0>\n");
        let to = next(blocks);
        text += &match next(5) {
            0 => format!("goto (M1, 16) b{to}\n"),
            1 => format!("(P1) goto (M1, 1) b{to}\n"),
            2 => format!("(P1) jmp (M1, 1) b{to}\n"),
            3 => format!("(P2) goto (M1, 16) b{to}\nmov (M1, 16) W(0,0)<1> V(0,0)<1;1,0>\n"),
            _ => String::new(),
        };
    }
    text + "not (M1, 16) X(0,0)<1> W(0,0)<1;1,0>\nret (M1, 1)\n"
}

#[test]
fn they_are_those_of_petgraph() {
    let mut seed = 1;
    let mut merged = 0;
    for round in 0..400 {
        let module = kernel(&flow(2 + round % 30, &mut seed));
        let func = build(&module.objects[0], &SKL).expect("a graph");
        verify(&func).expect("sound");
        let doms = Dominators::new(&func);
        let mut graph: DiGraph<(), ()> = DiGraph::new();
        let nodes: Vec<NodeIndex> = func.blocks.keys().map(|_| graph.add_node(())).collect();
        for (b, data) in &func.blocks {
            for edge in &data.succs {
                graph.add_edge(
                    nodes[b.as_u32() as usize],
                    nodes[edge.to.as_u32() as usize],
                    (),
                );
            }
        }
        let other = simple_fast(&graph, nodes[0]);
        for b in func.blocks.keys() {
            let node = nodes[b.as_u32() as usize];
            let idom = other.immediate_dominator(node);
            let expected = idom.map(|n| Block::from_u32(n.index() as u32));
            assert_eq!(doms.idom(b), expected, "{b}\n{func}");
            let reachable = b.as_u32() == 0 || expected.is_some();
            assert_eq!(doms.is_reachable(b), reachable);
            for a in func.blocks.keys().filter(|_| reachable) {
                let mut up = other.dominators(node).expect("it can be reached");
                let expected = up.any(|n| n == nodes[a.as_u32() as usize]);
                assert_eq!(doms.dominates(a, b), expected, "{a} {b}\n{func}");
            }
            merged += usize::from(func.blocks[b].preds.len() > 1);
        }
    }
    assert!(
        merged > 2_000,
        "only {merged} blocks with several predecessors"
    );
}
