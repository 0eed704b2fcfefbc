//! Arbitrary flow graphs, executed: the results of each channel are those of its own walk.
//!
//! More graphs than usual: `GRAPHS=3000 cargo test --test flow_graphs`; many more, and the reference
//! finalizer's code as well: `.ci/random graphs`.

#[path = "../visa_ops/random.rs"]
mod random;

mod graph;
mod run;

use std::path::Path;

use kiln_compile::Tier;
use kiln_compile::info::Info;
use kiln_emit::platform::{self, Platform};
use kiln_emit::zebin::Zebin;
use kiln_exec::{Arg, Launch, Program};

use graph::Graph;

/// Graphs that failed once: channels that stayed at a goto ran into the moves of another edge.
const FOUND: [u64; 7] = [831, 1603, 2110, 2228, 2359, 3002, 3416];

fn target(name: &str) -> &'static Platform {
    platform::find(name).expect("a known platform")
}

fn graphs(usual: u64) -> u64 {
    let set = std::env::var("GRAPHS").ok().and_then(|n| n.parse().ok());
    set.unwrap_or(usual)
}

#[test]
fn channels_walk_any_graph_alone() {
    let count = graphs(300);
    for seed in (0..count).chain(FOUND.into_iter().filter(|&seed| seed >= count)) {
        let name = format!("graph {seed}");
        check(&Graph::random(seed), &name, target("skl"));
    }
}

#[test]
fn channels_walk_any_graph_alone_on_xe2() {
    for seed in 0..graphs(100) {
        let name = format!("graph {seed}");
        check(&Graph::random(seed), &name, target("bmg"));
        let name = format!("graph {seed} with subroutines");
        check(&Graph::with_routines(seed), &name, target("bmg"));
    }
}

/// Runs a graph's code and compares what its channels do with their walks.
fn check(graph: &Graph, name: &str, target: &'static Platform) {
    for variant in run::variants(target) {
        let code = run::compile_graph(graph, target, variant);
        if let Err(what) = code.and_then(|code| run::check(&code, graph)) {
            let text = graph.text(target);
            panic!("{name}, {variant:?}: {what}\n{text}");
        }
    }
}

/// More graphs with `GRAPHS`, as above.
#[test]
fn channels_walk_graphs_with_subroutines_alone() {
    for seed in 0..graphs(200) {
        let name = format!("graph {seed} with subroutines");
        check(&Graph::with_routines(seed), &name, target("skl"));
    }
}

/// Kernels that lost channels when moves stood between a loop and the join after it, each with the reference
/// finalizer's machine code.
#[test]
fn no_channel_is_lost_where_moves_leave_a_loop() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let zebin = std::fs::read(root.join("../../examples/switch/switch.zebin")).unwrap();
    let mut zebin = Zebin::parse(&zebin).unwrap();
    // The example's kernel does not spill, but ours with few registers do.
    for kernel in &mut zebin.ze_info.kernels {
        kernel.execution_env.spill_size = 16384;
    }
    let run = |code: &Program| {
        let mut launch = Launch {
            ze_info: &zebin.ze_info,
            kernel: "switch_",
            global: [160, 1, 1],
            local: [160, 1, 1],
            dimensions: 1,
            args: vec![
                Arg::Buffer(vec![0; 1280]),
                Arg::Buffer(vec![0; 1280]),
                Arg::Value(20u32.to_le_bytes().to_vec()),
            ],
            budget: 1 << 24,
        };
        let result = launch.run(code);
        result.map(|_| launch.args).map_err(|e| e.to_string())
    };
    let folder = kiln_corpus::path("flow_graphs/lost_channels");
    for name in ["0", "1", "2", "3", "4", "min"] {
        let text = std::fs::read_to_string(folder.join(format!("{name}.visaasm"))).unwrap();
        let theirs = std::fs::read(folder.join(format!("{name}.dat"))).unwrap();
        let theirs = Program::from_text(&theirs, target("skl"));
        let expected = run(&theirs).unwrap_or_else(|e| panic!("{name}, the reference's code: {e}"));
        for grf_limit in [128, 42, 30] {
            let (info, variant) = (Info::Zebin(zebin.clone()), (grf_limit, Tier::Best));
            let code = run::compile(&text, "switch_", info, target("skl"), variant);
            let found = code.and_then(|code| run(&code.program));
            assert!(
                found.as_ref() == Ok(&expected),
                "{name}, {grf_limit} GRFs: {:?}",
                found.err()
            );
        }
    }
}
