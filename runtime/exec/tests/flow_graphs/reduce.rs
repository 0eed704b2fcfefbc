//! Reduces a graph while a property holds.

use crate::graph::{Change, Exit, Graph};

/// A locally smallest graph for which `fails` holds.
pub fn reduce(mut graph: Graph, fails: impl Fn(&Graph) -> bool) -> Graph {
    while let Some(next) = smaller(&graph).into_iter().find(|next| fails(next)) {
        graph = next;
    }
    graph
}

/// The graphs with one part removed.
fn smaller(graph: &Graph) -> Vec<Graph> {
    let mut all = Vec::new();
    let mut add = |change: &dyn Fn(&mut Graph)| {
        let mut next = graph.clone();
        change(&mut next);
        all.push(next);
    };
    for b in 0..graph.blocks.len() {
        if graph.blocks.len() > 1 {
            add(&|g| remove(g, b));
        }
        if !matches!(graph.blocks[b].exit, Exit::Fall) {
            add(&|g| g.blocks[b].exit = Exit::Fall);
        }
        for c in 0..graph.blocks[b].changes.len() {
            add(&|g| {
                g.blocks[b].changes.remove(c);
            });
            let guarded = |change: &Change| matches!(change, Change::Assign { guard: Some(_), .. });
            if guarded(&graph.blocks[b].changes[c]) {
                add(&|g| {
                    if let Change::Assign { guard, .. } = &mut g.blocks[b].changes[c] {
                        *guard = None;
                    }
                });
            }
        }
        if let Exit::Goto { guard: Some(_), .. } | Exit::Back { guard: Some(_), .. } =
            graph.blocks[b].exit
        {
            add(&|g| {
                if let Exit::Goto { guard, .. } | Exit::Back { guard, .. } = &mut g.blocks[b].exit {
                    *guard = None;
                }
            });
        }
    }
    if graph.items > 1 {
        add(&|g| g.items /= 2);
        add(&|g| g.items -= 1);
    }
    if graph.simd > 8 && graph.items <= graph.simd / 2 {
        add(&|g| g.simd /= 2);
    }
    all
}

/// Removes a block; its predecessors continue at the next one.
fn remove(graph: &mut Graph, block: usize) {
    graph.blocks.remove(block);
    for (b, other) in graph.blocks.iter_mut().enumerate() {
        let moved = |to: &mut usize| *to -= usize::from(*to > block);
        match &mut other.exit {
            Exit::Fall => {}
            Exit::Goto { to, .. } | Exit::Uniform { to, .. } => moved(to),
            Exit::Back { to, .. } => {
                moved(to);
                *to = (*to).min(b);
            }
            Exit::UniformBack { to, out, .. } => {
                moved(to);
                moved(out);
                *to = (*to).min(b);
            }
        }
        // Forward targets are after the block itself.
        if let Exit::Goto { to, .. }
        | Exit::Uniform { to, .. }
        | Exit::UniformBack { out: to, .. } = &mut other.exit
        {
            *to = (*to).max(b + 1);
        }
    }
}
