//! Random flow graphs: our code and the reference finalizer's against a walk of each channel.
//!
//! `flow_graphs [subroutines] PLATFORM COUNT SEED FOLDER [FINALIZER]`: kernels whose results differ are written to
//! FOLDER.
//! `flow_graphs reduce PLATFORM SEED FOLDER FINALIZER`: a graph for which the reference's code is wrong and ours right is
//! reduced and written to FOLDER.
//!
//! Each graph is compiled for both tiers, in the platform's register modes and with few registers. Prints how many of our programs and of the
//! reference's are wrong; fails if one of ours is.

use std::path::Path;
use std::process::ExitCode;

mod reference;

#[path = "../../../exec/tests/visa_ops/random.rs"]
mod random;

#[path = "../../../exec/tests/flow_graphs/graph.rs"]
mod graph;
#[path = "../../../exec/tests/flow_graphs/reduce.rs"]
mod reduce;
#[path = "../../../exec/tests/flow_graphs/run.rs"]
mod run;

use graph::Graph;
use kiln_emit::platform::{self, Payload, Platform};
use kiln_exec::Program;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [what, name, seed, folder, finalizer] = &args[..]
        && what == "reduce"
        && let (Some(target), Ok(seed)) = (platform::find(name), seed.parse())
    {
        return reduced(target, seed, Path::new(folder), Path::new(finalizer));
    }
    let (draw, args): (fn(u64) -> Graph, _) = match args.split_first() {
        Some((what, rest)) if what == "subroutines" => (Graph::with_routines, rest),
        _ => (Graph::random, &args[..]),
    };
    let number = |at: usize| args.get(at).and_then(|n| n.parse::<u64>().ok());
    let target = args.first().and_then(|name| platform::find(name));
    let (Some(target), Some(count), Some(seed)) = (target, number(1), number(2)) else {
        eprintln!("flow_graphs [subroutines] PLATFORM COUNT SEED FOLDER [FINALIZER]");
        return ExitCode::FAILURE;
    };
    let Some(folder) = args.get(3).map(Path::new) else {
        eprintln!("a folder for what fails is missing");
        return ExitCode::FAILURE;
    };
    let finalizer = args.get(4).map(Path::new);
    let (mut refused, mut wrong, mut reference_refused, mut reference_wrong) = (0, 0, 0, 0);
    for seed in seed..seed + count {
        let graph = draw(seed);
        let text = graph.text(target);
        let keep = |what: &str| {
            let path = folder.join(format!("graph-{seed}.visaasm"));
            match std::fs::write(&path, &text) {
                Ok(()) => println!("{}: {what}", path.display()),
                Err(e) => println!("graph {seed}: {what} (not kept: {e})"),
            }
        };
        for variant in run::variants(target) {
            match run::compile_graph(&graph, target, variant) {
                Err(what) => {
                    refused += 1;
                    keep(&format!("{variant:?}: not compiled: {what}"));
                }
                Ok(code) => {
                    if let Err(what) = run::check(&code, &graph) {
                        wrong += 1;
                        keep(&format!("{variant:?}: {what}"));
                    }
                }
            }
        }
        if let Some(finalizer) = finalizer {
            match reference::finalize(finalizer, folder, target, &text) {
                None => reference_refused += 1,
                Some(code) => {
                    let code = of_text(&code, &graph, target);
                    if let Err(what) = run::check(&code, &graph) {
                        reference_wrong += 1;
                        keep(&format!("the reference's code: {what}"));
                    }
                }
            }
        }
    }
    let reference = match finalizer {
        Some(_) => format!(
            ", {reference_refused} refused by the reference, {reference_wrong} wrong in its code"
        ),
        None => String::new(),
    };
    println!("total: {count} graphs, {refused} of our programs refused, {wrong} wrong{reference}");
    ExitCode::from(u8::from(refused + wrong > 0))
}

/// Reduces a graph whose code by the reference is wrong.
fn reduced(target: &'static Platform, seed: u64, folder: &Path, finalizer: &Path) -> ExitCode {
    let wrong = |graph: &Graph| {
        let reference = reference::finalize(finalizer, folder, target, &graph.text(target))?;
        let variant = run::variants(target).next()?;
        let ours = run::compile_graph(graph, target, variant).ok()?;
        run::check(&ours, graph).ok()?;
        run::check(&of_text(&reference, graph, target), graph).err()
    };
    let graph = reduce::reduce(Graph::random(seed), |graph| wrong(graph).is_some());
    let Some(what) = wrong(&graph) else {
        println!("graph {seed}: nothing is wrong in the reference's code");
        return ExitCode::FAILURE;
    };
    let path = folder.join(format!("graph-{seed}-reduced.visaasm"));
    let line = what.lines().next().unwrap_or_default();
    match std::fs::write(&path, graph.text(target)) {
        Ok(()) => println!(
            "{}: {} of {} channels: {line}",
            path.display(),
            graph.items,
            graph.simd
        ),
        Err(e) => println!("{}: {e}", path.display()),
    }
    println!("{graph:?}");
    ExitCode::SUCCESS
}

/// Bytes of the reference finalizer's code that loads local ids.
const ID_LOADING_BYTES: u32 = 128;

/// The reference finalizer's code of a graph's kernel.
fn of_text(text: &[u8], graph: &Graph, target: &'static Platform) -> run::Code {
    let mut info = run::info(graph, target);
    if target.payload == Payload::Memory {
        let env = &mut info.kernels[0].execution_env;
        env.offset_to_skip_per_thread_data_load = ID_LOADING_BYTES;
    }
    run::Code {
        program: Program::from_text(text, target),
        info,
    }
}
