//! Prints what each platform's fixtures exercise: `cargo run -p kiln-emit --example coverage`.

#[path = "../tests/common/mod.rs"]
mod common;

use kiln_emit::listing::entries;
use kiln_emit::platform::PLATFORMS;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

fn main() -> io::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut out = io::stdout().lock();
    for platform in PLATFORMS {
        let mut code = Vec::new();
        collect(&root.join("tests/fixtures").join(platform.name), &mut code)?;
        if platform.name == "skl" {
            for example in fs::read_dir(root.join("../examples"))? {
                let example = example?.path();
                if example.is_dir() {
                    collect(&example, &mut code)?;
                }
            }
        }
        let mut counts = BTreeMap::<String, usize>::new();
        let mut insts = 0;
        for inst in code
            .iter()
            .flat_map(|code| entries(code, platform))
            .filter_map(|entry| entry.inst.ok())
        {
            insts += 1;
            for feature in common::features(&inst) {
                *counts.entry(feature).or_default() += 1;
            }
        }
        let features = counts.len();
        writeln!(
            out,
            "{}: {} programs, {insts} instructions, {features} features",
            platform.name,
            code.len()
        )?;
        for (feature, count) in counts {
            writeln!(out, "  {count:6} {feature}")?;
        }
    }
    Ok(())
}

/// The machine code in a directory; none if it is not there.
fn collect(dir: &Path, code: &mut Vec<Vec<u8>>) -> io::Result<()> {
    let Ok(files) = fs::read_dir(dir) else {
        return Ok(());
    };
    for file in files {
        let path = file?.path();
        if path.extension().is_some_and(|e| e == "dat") {
            code.push(fs::read(path)?);
        }
    }
    Ok(())
}
