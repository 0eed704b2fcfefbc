//! Builds: the figures of each kernel, from machine code or from documents with figures.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use kiln_emit::listing;
use kiln_emit::platform::Platform;
use kiln_emit::zebin::is_object;
use miette::{Report, miette};
use serde_json::Value;

use super::Numbers;
use crate::cost::Figures;
use crate::disasm::open;
use crate::input::Input;
use crate::report;

/// Extensions of files in a folder that are a part of its build.
const EXTENSIONS: [&str; 5] = ["zebin", "bin", "dat", "elf", "json"];

/// Source of figures. Bytes of spills mean what code writes, or the scratch space of a thread.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Counted,
    Said,
}

/// A build.
pub struct Side {
    pub name: String,
    pub kind: Kind,
    pub kernels: BTreeMap<String, Numbers>,
}

/// The build of a file or folder.
///
/// # Errors
/// The file cannot be read, or has no kernel.
pub fn build(path: &Path, platform: Option<&'static Platform>) -> Result<Side, Report> {
    let mut side = Side {
        name: super::name(path),
        kind: Kind::Counted,
        kernels: BTreeMap::new(),
    };
    if path.is_dir() {
        let mut files = Vec::new();
        collect(path, &mut files)?;
        for file in files {
            let name = file.strip_prefix(path).unwrap_or(&file).with_extension("");
            let name = name.to_string_lossy().into_owned();
            add(&mut side, &file, Some(&name), platform)?;
        }
    } else {
        add(&mut side, path, None, platform)?;
    }
    match side.kernels.is_empty() {
        true => Err(report::file(path, &"there is no kernel")),
        false => Ok(side),
    }
}

/// The two sides of a document of `kiln bench`.
///
/// # Errors
/// The file is no such document.
pub fn both(path: &Path) -> Result<[Side; 2], Report> {
    let document = document(&Input::open(path)?);
    let rows = document
        .as_ref()
        .and_then(|document| document["rows"].as_array());
    let Some(rows) = rows else {
        return Err(report::usage(format_args!(
            "{}: two builds are compared; only a document of `kiln bench --json` has both",
            report::name(path)
        )));
    };
    Ok(["reference", "ours"].map(|side| Side {
        name: side.to_string(),
        kind: Kind::Counted,
        kernels: bench(rows, side),
    }))
}

/// Builds of the same inputs by another program and by this one.
///
/// # Errors
/// A program cannot be run, or makes no code of any input.
pub fn compiled(
    program: &Path,
    inputs: &[PathBuf],
    platform: &'static Platform,
) -> Result<[Side; 2], Report> {
    let own = std::env::current_exe().map_err(|e| miette!("kiln's own path: {e}"))?;
    let side = |program: &Path, name: String| {
        let folder = tempfile::tempdir().map_err(|e| miette!("a folder for code: {e}"))?;
        let output = Command::new(program)
            .arg("compile")
            .args(inputs)
            .args(["-p", platform.name, "--emit", "bin", "--quiet", "--out-dir"])
            .arg(folder.path())
            .stdin(Stdio::null())
            .output()
            .map_err(|e| report::access(program, &e))?;
        let side = build(folder.path(), Some(platform));
        let side = side.map_err(|_| {
            let said = String::from_utf8_lossy(&output.stderr);
            report::file(program, &format_args!("it made no code: {}", said.trim()))
        })?;
        Ok::<_, Report>(Side { name, ..side })
    };
    let before = side(program, super::name(program))?;
    Ok([before, side(&own, "this program".to_string())?])
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Report> {
    let fail = |e: std::io::Error| report::access(folder, &e);
    let mut entries = fs::read_dir(folder)
        .map_err(fail)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(fail)?;
    entries.sort();
    for path in entries {
        // Links to folders may lead in circles.
        if path.is_dir() && !path.is_symlink() {
            collect(&path, files)?;
        }
        let extension = path.extension().and_then(|extension| extension.to_str());
        if path.is_file() && extension.is_some_and(|e| EXTENSIONS.contains(&e)) {
            files.push(path);
        }
    }
    Ok(())
}

/// Adds the kernels of a file. `name` is that of the file in a folder.
fn add(
    side: &mut Side,
    path: &Path,
    name: Option<&str>,
    platform: Option<&'static Platform>,
) -> Result<(), Report> {
    let input = Input::open(path)?;
    if !is_object(&input)
        && let Some(document) = document(&input)
    {
        let (kind, kernels) = documented(&document);
        if kernels.is_empty() && name.is_none() {
            let what = "these are no figures of `compile --stats`, `bench --json` or `run --stats`";
            return Err(report::file(path, &what));
        }
        if !kernels.is_empty() {
            side.kind = kind;
        }
        side.kernels.extend(kernels);
        return Ok(());
    }
    let file = open(path, platform, None)?;
    let several = file.units.len() > 1;
    for unit in &file.units {
        let section = unit.symbols.first().map(|symbol| symbol.name.as_str());
        let kernel = match (name, section) {
            (Some(name), Some(kernel)) if several => format!("{name}:{kernel}"),
            (Some(name), _) => name.to_string(),
            (None, Some(kernel)) => kernel.to_string(),
            (None, None) => report::name(path),
        };
        let figures = Figures::of(unit.code(), file.platform);
        let live = unit.live(&listing::insts(unit.code(), file.platform), file.platform);
        let most = live.points.iter().map(|point| point.grfs).max();
        let numbers = Numbers {
            live: most.map(f64::from),
            ..counted(&figures)
        };
        side.kernels.insert(kernel, numbers);
    }
    Ok(())
}

fn counted(figures: &Figures) -> Numbers {
    Numbers {
        instructions: Some(figures.instructions as f64),
        bytes: Some(figures.bytes as f64),
        spill_bytes: Some(figures.spill_bytes as f64),
        messages: Some((figures.spills + figures.fills) as f64),
        cycles: Some(figures.cycles),
        ..Numbers::default()
    }
}

/// A document of figures; `None` for anything else.
fn document(bytes: &[u8]) -> Option<Value> {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace())?;
    let is_json = matches!(first, b'{' | b'[');
    is_json.then(|| serde_json::from_slice(bytes).ok())?
}

/// The kernels of a document, and the source of their figures.
fn documented(document: &Value) -> (Kind, BTreeMap<String, Numbers>) {
    if let Some(rows) = document["rows"].as_array() {
        return (Kind::Counted, bench(rows, "ours"));
    }
    if let Some(kernel) = document["kernel"].as_str()
        && document["by_place"].is_array()
    {
        let executed = document["instructions"].as_f64();
        let numbers = Numbers {
            executed,
            ..Numbers::default()
        };
        return (
            Kind::Counted,
            BTreeMap::from([(kernel.to_string(), numbers)]),
        );
    }
    let rows = document.as_array().map(Vec::as_slice).unwrap_or_default();
    let named = |row: &Value| {
        let name = row["name"].as_str()?.to_string();
        let file = row["file"].as_str().unwrap_or_default().to_string();
        Some((
            (file, name, row["platform"].as_str()?.to_string()),
            said(row),
        ))
    };
    let all: Vec<_> = rows.iter().filter_map(named).collect();
    let platforms = all.iter().any(|((_, _, p), _)| *p != all[0].0.2);
    let kernels = all.iter().map(|((file, name, platform), numbers)| {
        let twice = all
            .iter()
            .filter(|((_, n, p), _)| n == name && p == platform)
            .count()
            > 1;
        let name = match twice {
            true => format!("{file}:{name}"),
            false => name.clone(),
        };
        let name = match platforms {
            true => format!("{name} ({platform})"),
            false => name,
        };
        (name, *numbers)
    });
    (Kind::Said, kernels.collect())
}

/// The figures of a kernel of `compile --stats`.
fn said(row: &Value) -> Numbers {
    let of = |key: &str| row[key].as_f64();
    Numbers {
        instructions: of("instructions"),
        bytes: of("bytes"),
        spill_bytes: of("spill_bytes"),
        messages: of("spills").zip(of("fills")).map(|(a, b)| a + b),
        live: None,
        max_pressure: of("max_pressure"),
        grf_used: of("grf_used"),
        cycles: of("cycles"),
        executed: None,
    }
}

/// One side of a bench.
fn bench(rows: &[Value], side: &str) -> BTreeMap<String, Numbers> {
    let row = |row: &Value| {
        let figures: Figures = serde_json::from_value(row[side]["figures"].clone()).ok()?;
        Some((row["kernel"].as_str()?.to_string(), counted(&figures)))
    };
    rows.iter().filter_map(row).collect()
}
