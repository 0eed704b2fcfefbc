//! Random flow graphs: our code and the reference finalizer's against a walk of each channel.
//!
//! `flow_graphs [subroutines] COUNT SEED FOLDER [FINALIZER]`: kernels whose results differ are written to FOLDER.
//! `flow_graphs reduce SEED FOLDER FINALIZER`: a graph for which the reference's code is wrong and ours right is
//! reduced and written to FOLDER.
//!
//! Each graph is compiled for both tiers, with all registers and with few. Prints how many of our programs and of the
//! reference's are wrong; fails if one of ours is.

use std::path::Path;
use std::process::ExitCode;

mod reference;

#[path = "../tests/visa_ops/random.rs"]
mod random;

#[path = "../tests/flow_graphs/graph.rs"]
mod graph;
#[path = "../tests/flow_graphs/reduce.rs"]
mod reduce;
#[path = "../tests/flow_graphs/run.rs"]
mod run;

use graph::Graph;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [what, seed, folder, finalizer] = &args[..]
        && what == "reduce"
        && let Ok(seed) = seed.parse()
    {
        return reduced(seed, Path::new(folder), Path::new(finalizer));
    }
    let (draw, args): (fn(u64) -> Graph, _) = match args.split_first() {
        Some((what, rest)) if what == "subroutines" => (Graph::with_routines, rest),
        _ => (Graph::random, &args[..]),
    };
    let numbers = (args.first(), args.get(1));
    let (Some(count), Some(seed)) = (
        numbers.0.and_then(|n| n.parse::<u64>().ok()),
        numbers.1.and_then(|n| n.parse::<u64>().ok()),
    ) else {
        eprintln!("flow_graphs [subroutines] COUNT SEED FOLDER [FINALIZER]");
        return ExitCode::FAILURE;
    };
    let Some(folder) = args.get(2).map(Path::new) else {
        eprintln!("a folder for what fails is missing");
        return ExitCode::FAILURE;
    };
    let finalizer = args.get(3).map(Path::new);
    let (mut refused, mut wrong, mut reference_refused, mut reference_wrong) = (0, 0, 0, 0);
    for seed in seed..seed + count {
        let graph = draw(seed);
        let text = graph.text();
        let keep = |what: &str| {
            let path = folder.join(format!("graph-{seed}.visaasm"));
            match std::fs::write(&path, &text) {
                Ok(()) => println!("{}: {what}", path.display()),
                Err(e) => println!("graph {seed}: {what} (not kept: {e})"),
            }
        };
        for variant in run::VARIANTS {
            match run::compile(&text, variant) {
                Err(what) => {
                    refused += 1;
                    keep(&format!("{variant:?}: not compiled: {what}"));
                }
                Ok(code) => {
                    let result = run::run(&code, &graph);
                    if let Err(what) = result.and_then(|found| run::compare(&found, &graph)) {
                        wrong += 1;
                        keep(&format!("{variant:?}: {what}"));
                    }
                }
            }
        }
        if let Some(finalizer) = finalizer {
            match reference::finalize(finalizer, folder, &text) {
                None => reference_refused += 1,
                Some(code) => {
                    let result = run::run(&code, &graph);
                    if let Err(what) = result.and_then(|found| run::compare(&found, &graph)) {
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
fn reduced(seed: u64, folder: &Path, finalizer: &Path) -> ExitCode {
    let right = |graph: &Graph, code: &[u8]| {
        let result = run::run(code, graph);
        result.and_then(|found| run::compare(&found, graph))
    };
    let wrong = |graph: &Graph| {
        let text = graph.text();
        let reference = reference::finalize(finalizer, folder, &text)?;
        let ours = run::compile(&text, run::VARIANTS[0]).ok()?;
        right(graph, &ours).ok()?;
        right(graph, &reference).err()
    };
    let graph = reduce::reduce(Graph::random(seed), |graph| wrong(graph).is_some());
    let Some(what) = wrong(&graph) else {
        println!("graph {seed}: nothing is wrong in the reference's code");
        return ExitCode::FAILURE;
    };
    let path = folder.join(format!("graph-{seed}-reduced.visaasm"));
    let line = what.lines().next().unwrap_or_default();
    match std::fs::write(&path, graph.text()) {
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
