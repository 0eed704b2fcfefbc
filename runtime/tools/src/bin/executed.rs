//! Executed instructions of our code and of the reference compiler's, over all examples and test kernels.
//!
//! `cargo run --release -p kiln-tools --bin executed [-- FOLDER...]` runs each kernel from the reference compiler's
//! object file and as compiled by Kiln, with the launch beside it. It prints the sums of executed instructions,
//! messages and estimated cycles (docs/cost-model.md), and the worst kernels. Kernels with wrong results are reported
//! and do not count.

use std::error::Error;
use std::path::{Path, PathBuf};

use kiln_compile::info::Info;
use kiln_compile::source::Input;
use kiln_compile::{Options, Session};
use kiln_emit::cost::{Weights, estimate};
use kiln_emit::inst::Inst;
use kiln_emit::platform::find;
use kiln_emit::zebin::Zebin;
use kiln_exec::launch::Description;
use kiln_exec::{Launch, Program};
use rayon::prelude::*;

/// Platform of all kernels.
const PLATFORM: &str = "skl";

/// Number of worst kernels listed.
const WORST_ROWS: usize = 10;
/// Minimum number of the reference's executed instructions for a ratio to be meaningful.
const MIN_RATED_INSTS: f64 = 100.0;

/// Instructions, messages and estimated cycles.
type Figures = [f64; 3];
const NAMES: [&str; 3] = ["instructions", "messages", "estimated cycles"];

fn run(zebin: &Zebin, description: &Description, folder: &Path) -> Result<Figures, Box<dyn Error>> {
    let platform = find(PLATFORM).ok_or("no such platform")?;
    let program = Program::from_zebin(zebin, &description.kernel, platform)?;
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: &description.kernel,
        global: description.global,
        local: description.local,
        dimensions: description.dimensions,
        args: description.load_args(folder)?,
        budget: Launch::BUDGET,
    };
    let stats = launch.run(&program)?;
    let insts: Vec<Inst> = program.insts().cloned().collect();
    description.check(&launch.args, folder)?;
    let counts: Vec<u64> = stats
        .by_place
        .iter()
        .map(|count| count.instructions)
        .collect();
    let cycles = estimate(&insts, platform, Weights::Counts(&counts))
        .cycles
        .sum();
    Ok([stats.instructions as f64, stats.messages as f64, cycles])
}

/// Figures of a kernel's execution: ours, then the reference's.
fn both(folder: &Path) -> Result<[Figures; 2], Box<dyn Error>> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let read = |extension: &str| std::fs::read(folder.join(format!("{name}.{extension}")));
    let yaml = std::fs::read_to_string(folder.join("launch.yaml"))?;
    let description = Description::parse(&yaml)?;
    let theirs = Zebin::parse(&read("zebin")?)?;
    let platform = find(PLATFORM).ok_or("no such platform")?;
    let session = Session::new(Options::new(platform)).only(&description.kernel);
    let bytes = read("visaasm")?;
    let input = Input {
        name: &name,
        bytes: &bytes,
    };
    let module = session.compile_module(&[input])?;
    let ours = session.object_file(&module, Info::Zebin(theirs.clone()))?;
    Ok([
        run(&ours, &description, folder)?,
        run(&theirs, &description, folder)?,
    ])
}

/// Subfolders with a launch.
fn kernels(roots: &[PathBuf]) -> Result<Vec<PathBuf>, Box<dyn Error>> {
    let mut folders = Vec::new();
    for root in roots {
        for entry in std::fs::read_dir(root)? {
            let folder = entry?.path();
            if folder.join("launch.yaml").exists() {
                folders.push(folder);
            }
        }
    }
    folders.sort();
    Ok(folders)
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut roots: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if roots.is_empty() {
        roots = vec![
            kiln_corpus::project().join("examples"),
            kiln_corpus::path("kernels"),
        ];
    }
    let folders = kernels(&roots)?;
    let results: Vec<(String, Result<[Figures; 2], String>)> = folders
        .par_iter()
        .map(|folder| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            (name.into_owned(), both(folder).map_err(|e| e.to_string()))
        })
        .collect();
    let mut rows: Vec<(&str, [Figures; 2])> = Vec::new();
    for (name, result) in &results {
        match result {
            Ok(figures) => rows.push((name, *figures)),
            Err(error) => println!("{name}: {error}"),
        }
    }
    println!(
        "{} of {} kernels, both run rightly",
        rows.len(),
        results.len()
    );
    println!("\n| executed | ours | reference | ratio |\n| --- | --: | --: | --: |");
    for (figure, name) in NAMES.iter().enumerate() {
        let sum = |side: usize| rows.iter().map(|(_, f)| f[side][figure]).sum::<f64>();
        let (ours, reference) = (sum(0), sum(1));
        println!(
            "| {name} | {ours:.0} | {reference:.0} | {:.4} |",
            ours / reference
        );
    }
    let ratio = |[ours, reference]: [f64; 2]| ours / reference;
    let more = |[ours, reference]: [f64; 2]| ours - reference;
    list("instructions, by how many more", &rows, 0, more);
    list("instructions, the worst", &rows, 0, ratio);
    list("estimated cycles, the worst", &rows, 2, ratio);
    Ok(())
}

/// Prints the kernels with the largest measure of a figure.
fn list(title: &str, rows: &[(&str, [Figures; 2])], figure: usize, of: fn([f64; 2]) -> f64) {
    println!("\n| {title} | ours | reference | ratio |\n| --- | --: | --: | --: |");
    let mut rows: Vec<(&str, [f64; 2])> = (rows.iter())
        .filter(|(_, figures)| figures[1][0] >= MIN_RATED_INSTS)
        .map(|(name, figures)| (*name, figures.map(|side| side[figure])))
        .collect();
    rows.sort_by(|a, b| of(b.1).total_cmp(&of(a.1)));
    for (name, [ours, reference]) in rows.into_iter().take(WORST_ROWS) {
        println!(
            "| {name} | {ours:.0} | {reference:.0} | {:.3} |",
            ours / reference
        );
    }
}
