//! Random flow graphs: our code and the reference finalizer's against a walk of each channel.
//!
//! `flow_graphs [subroutines] PLATFORM COUNT SEED FOLDER [FINALIZER]`: kernels whose results differ are written to
//! FOLDER.
//! `flow_graphs reduce PLATFORM SEED FOLDER [FINALIZER]`: the graph, reduced to what the error needs (an error of the
//! finalizer's code, if one is given and ours is right), is written to FOLDER.
//!
//! Each graph is compiled for both tiers, in the platform's register modes and with few registers. Prints how many of our
//! programs and of the reference's are wrong; fails if one of ours is.

use std::process::ExitCode;

mod comparison;
mod reference;

#[path = "../../../exec/tests/visa_ops/random.rs"]
mod random;

#[path = "../../../exec/tests/flow_graphs/graph.rs"]
mod graph;
#[path = "../../../exec/tests/flow_graphs/reduce.rs"]
mod reduce;
#[path = "../../../exec/tests/flow_graphs/run.rs"]
mod run;

use comparison::{Case, Fault, Request};
use graph::Graph;
use kiln_emit::platform::{Payload, Platform};
use kiln_exec::Program;

/// Bytes of the reference finalizer's code that loads local ids.
const ID_LOADING_BYTES: u32 = 128;

/// A graph for a platform.
#[derive(Debug)]
struct Drawn {
    graph: Graph,
    target: &'static Platform,
}

impl Case for Drawn {
    const NAME: &'static str = "graph";

    fn target(&self) -> &'static Platform {
        self.target
    }

    fn file(&self) -> String {
        self.graph.text(self.target)
    }

    fn visa(&self) -> Option<String> {
        Some(self.file())
    }

    fn ours(&self) -> Vec<Fault> {
        let Drawn { graph, target } = self;
        let faults = run::variants(target).filter_map(|variant| {
            let code = run::compile_graph(graph, target, variant);
            Fault::of(&variant, code, |code| run::check(code, graph))
        });
        faults.collect()
    }

    fn check_reference(&self, code: &[u8]) -> Result<(), String> {
        let Drawn { graph, target } = self;
        let mut info = run::info(graph, target);
        if target.payload == Payload::Memory {
            let env = &mut info.kernels[0].execution_env;
            env.offset_to_skip_per_thread_data_load = ID_LOADING_BYTES;
        }
        let program = Program::from_text(code, target);
        run::check(&run::Code { program, info }, graph)
    }

    fn reduced(self, fails: impl Fn(&Self) -> bool) -> Self {
        let target = self.target;
        let drawn = |graph: &Graph| Drawn {
            graph: graph.clone(),
            target,
        };
        let graph = reduce::reduce(self.graph, |graph| fails(&drawn(graph)));
        Drawn { graph, target }
    }
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = match args.split_first() {
        Some((what, rest)) if ["reduce", "subroutines"].contains(&what.as_str()) => {
            (what.as_str(), rest)
        }
        _ => ("", &args[..]),
    };
    let Some(request) = Request::of(rest, command != "reduce") else {
        eprintln!(
            "flow_graphs [subroutines] PLATFORM COUNT SEED FOLDER [FINALIZER]\n\
             flow_graphs reduce PLATFORM SEED FOLDER [FINALIZER]"
        );
        return ExitCode::FAILURE;
    };
    let target = request.target;
    let random = |graph| Some(Drawn { graph, target });
    match command {
        "reduce" => request.reduce(|seed| random(Graph::random(seed))),
        "subroutines" => request.compare(|seed| random(Graph::with_routines(seed))),
        _ => request.compare(|seed| random(Graph::random(seed))),
    }
}
