//! Any flow graph, executed: what each channel computes is what its own way through the graph gives.
//!
//! More graphs than usual: `GRAPHS=3000 cargo test --test flow_graphs`; many more, and the reference
//! finalizer's code as well: `.ci/flow-graphs`.

#[path = "../visa_ops/random.rs"]
mod random;

mod graph;
mod run;

use graph::Graph;

#[test]
fn channels_walk_any_graph_alone() {
    let set = std::env::var("GRAPHS").ok().and_then(|n| n.parse().ok());
    for seed in 0..set.unwrap_or(300) {
        let graph = Graph::random(seed);
        let text = graph.text();
        for grf_limit in [128, 30] {
            let result = run::compile(&text, grf_limit)
                .and_then(|code| run::run(&code, &graph))
                .and_then(|found| run::compare(&found, &graph));
            if let Err(what) = result {
                panic!("graph {seed}, {grf_limit} GRFs: {what}\n{text}");
            }
        }
    }
}
