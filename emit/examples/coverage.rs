//! Table of the features that the fixtures of each encoding family use: `cargo run -p kiln-emit --example coverage`.
//!
//! If `$KILN_CORPUS` names a directory of directories of machine code by platform (`skl/*.dat`, `skl/*.zebin`), also
//! prints the features of that code that the fixtures lack. With `--record`, its features become the list that the
//! tests compare the fixtures with (`corpus/machine_code/FAMILY.features`).

#[path = "../tests/all/common/mod.rs"]
mod common;

use common::{families, fixtures, recorded_path};
use kiln_emit::listing::entries;
use kiln_emit::platform::Platform;
use kiln_emit::zebin::Zebin;
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Used features with their counts.
#[derive(Default)]
struct Uses {
    programs: usize,
    insts: usize,
    counts: BTreeMap<String, usize>,
}

impl Uses {
    fn add(&mut self, code: &[u8], platform: &'static Platform) {
        self.programs += 1;
        for inst in entries(code, platform).filter_map(|entry| entry.inst.ok()) {
            self.insts += 1;
            for feature in common::features(&inst, platform) {
                *self.counts.entry(feature).or_default() += 1;
            }
        }
    }
}

fn main() -> io::Result<()> {
    let record = env::args().nth(1).as_deref() == Some("--record");
    let corpus = env::var_os("KILN_CORPUS").map(PathBuf::from);
    let mut out = io::stdout().lock();
    for (family, platforms) in families() {
        let mut ours = Uses::default();
        let mut real = Uses::default();
        let mut names = Vec::new();
        for platform in platforms {
            for fixture in fixtures(platform) {
                ours.add(&fixture.code, platform);
                let stem = fixture.path.file_stem().unwrap_or_default();
                names.push(format!("{}/{}", platform.name, stem.display()));
            }
            if let Some(corpus) = &corpus {
                collect(&corpus.join(platform.name), platform, &mut real)?;
            }
        }
        let Uses {
            programs, insts, ..
        } = ours;
        let features = ours.counts.len();
        writeln!(
            out,
            "{family:?}: {programs} programs, {insts} instructions, {features} features"
        )?;
        writeln!(out, "  in {}", names.join(" "))?;
        for (feature, count) in &ours.counts {
            writeln!(out, "  {count:6} {feature}")?;
        }
        if corpus.is_some() {
            missing(&ours, &real, &mut out)?;
        }
        if record && real.programs != 0 {
            let known: BTreeSet<&str> = real.counts.keys().map(String::as_str).collect();
            let lines: Vec<&str> = known.into_iter().collect();
            fs::write(recorded_path(family), lines.join("\n") + "\n")?;
        }
    }
    Ok(())
}

/// Features that the corpus uses and the fixtures do not.
fn missing(ours: &Uses, real: &Uses, out: &mut impl Write) -> io::Result<()> {
    let missing = || {
        let known = real.counts.iter();
        known.filter(|(feature, _)| !ours.counts.contains_key(*feature))
    };
    writeln!(
        out,
        "  corpus: {} programs, {} instructions, {} features, {} of them not in fixtures",
        real.programs,
        real.insts,
        real.counts.len(),
        missing().count()
    )?;
    for (feature, count) in missing() {
        writeln!(out, "  missing {count:6} {feature}")?;
    }
    Ok(())
}

/// Adds the machine code in a directory, if it exists.
fn collect(dir: &Path, platform: &'static Platform, uses: &mut Uses) -> io::Result<()> {
    let Ok(files) = fs::read_dir(dir) else {
        return Ok(());
    };
    for file in files {
        let path = file?.path();
        let Some(ending) = path.extension() else {
            continue;
        };
        if ending == "dat" {
            uses.add(&fs::read(path)?, platform);
        } else if ending == "zebin" {
            let object = Zebin::parse(&fs::read(path)?).map_err(io::Error::other)?;
            for kernel in &object.kernels {
                uses.add(&kernel.text, platform);
            }
        }
    }
    Ok(())
}
