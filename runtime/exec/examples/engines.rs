//! The engines compared: translated code beside the interpreter, and what is not translated.
//!
//! `engines kernels [-p PLATFORM]` runs all examples and test kernels from the reference compiler's object files with
//! both engines, compares with the expected results, and prints for each platform how many of the executed instructions
//! the interpreter executes for translated code, and which.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use kiln_emit::platform::{self, Platform};
use kiln_emit::zebin::Zebin;
use kiln_exec::launch::Description;
use kiln_exec::translate::Listing;
use kiln_exec::{Engine, Launch, Options, Program};

/// All platforms that there is code for.
const PLATFORMS: [&str; 9] = [
    "skl", "icllp", "tgllp", "dg2", "mtl", "pvc", "bmg", "lnl", "ptl",
];
/// Number of kinds listed.
const LISTED_KINDS: usize = 25;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let at = args.iter().position(|a| a == name)?;
        args.get(at + 1).cloned()
    };
    let wrong = match args.first().map(String::as_str) {
        Some("kernels") => kernels(value("-p").as_deref(), value("-k").as_deref()),
        _ => {
            eprintln!("engines kernels [-p PLATFORM] [-k KERNEL]");
            return ExitCode::FAILURE;
        }
    };
    ExitCode::from(u8::from(wrong > 0))
}

/// Executed instructions of all kernels of a platform.
#[derive(Default)]
struct Coverage {
    executed: u64,
    called: u64,
    /// Executions of what is called out, by a form of the instruction.
    kinds: BTreeMap<String, u64>,
}

fn kernels(only: Option<&str>, kernel: Option<&str>) -> usize {
    let mut wrong = 0;
    for name in PLATFORMS
        .into_iter()
        .filter(|p| only.is_none_or(|o| o == *p))
    {
        let Some(platform) = platform::find(name) else {
            continue;
        };
        let mut coverage = Coverage::default();
        let mut count = 0;
        for folder in folders() {
            let own = if name == "skl" {
                folder.clone()
            } else {
                folder.join(name)
            };
            let title = folder
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let file = own.join(format!("{title}.zebin"));
            if !file.exists() || kernel.is_some_and(|k| k != title) {
                continue;
            }
            count += 1;
            if let Err(what) = run(&folder, &file, platform, &mut coverage) {
                println!("{name} {title}: {what}");
                wrong += 1;
            }
        }
        let share = 100.0 * coverage.called as f64 / coverage.executed.max(1) as f64;
        println!(
            "{name}: {count} kernels, {} instructions, {share:.2} % called out",
            coverage.executed
        );
        let mut kinds: Vec<_> = coverage.kinds.into_iter().collect();
        kinds.sort_by_key(|(_, n)| std::cmp::Reverse(*n));
        for (kind, n) in kinds.into_iter().take(LISTED_KINDS) {
            let share = 100.0 * n as f64 / coverage.executed.max(1) as f64;
            println!("  {share:6.2} %  {kind}");
        }
    }
    wrong
}

fn run(
    folder: &Path,
    file: &Path,
    platform: &'static Platform,
    coverage: &mut Coverage,
) -> Result<(), String> {
    let error = |e: &dyn std::fmt::Display| e.to_string();
    let bytes = std::fs::read(file).map_err(|e| error(&e))?;
    let yaml = std::fs::read_to_string(folder.join("launch.yaml")).map_err(|e| error(&e))?;
    let description = Description::parse(&yaml).map_err(|e| error(&e))?;
    let zebin = Zebin::parse(&bytes).map_err(|e| error(&e))?;
    let program =
        Program::from_zebin(&zebin, &description.kernel, platform).map_err(|e| error(&e))?;
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: &description.kernel,
        global: description.global,
        local: description.local,
        dimensions: description.dimensions,
        args: description.load_args(folder).map_err(|e| error(&e))?,
        budget: Launch::BUDGET,
    };
    let options = Options {
        engine: Engine::Both,
        ..Options::default()
    };
    let stats = launch.run_with(&program, &options).map_err(|e| error(&e))?;
    description
        .check(&launch.args, folder)
        .map_err(|e| error(&e))?;
    let listing = Listing::of(&program).map_err(|e| error(&e))?;
    let operations = listing.blocks.iter().flat_map(|b| &b.operations);
    for (operation, count) in operations.zip(&stats.by_place) {
        coverage.executed += count.instructions;
        if operation.called {
            coverage.called += count.instructions;
            *coverage.kinds.entry(kind(&operation.inst)).or_default() += count.instructions;
        }
    }
    Ok(())
}

/// An instruction without the numbers of its registers.
fn kind(inst: &str) -> String {
    let mut text = String::new();
    let mut last = ' ';
    for c in inst.split("//").next().unwrap_or_default().chars() {
        let number = c.is_ascii_digit() && (last == 'r' || last == '#');
        if number {
            if last == 'r' {
                text.push('#');
            }
            last = '#';
            continue;
        }
        if c == ' ' && last == ' ' {
            continue;
        }
        text.push(c);
        last = c;
    }
    text
}

/// The folders of all examples and test kernels.
fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let roots = ["../../examples", "../tests/kernels", "../tests/xe_kernels"];
    let entries = roots
        .iter()
        .filter_map(|dir| std::fs::read_dir(root.join(dir)).ok());
    let mut folders: Vec<PathBuf> = entries
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("launch.yaml").exists())
        .collect();
    folders.sort();
    folders
}
