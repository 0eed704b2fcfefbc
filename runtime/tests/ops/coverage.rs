//! Which kinds of instructions are shown to be executed right: by the project's kernels, whose
//! results are those of another implementation, or beside the model.
//!
//! `kinds.txt` lists the kinds that real programs have: a line each of the kind's machine code in
//! hexadecimal bytes and the kind as a listing has it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kiln_emit::encoding::{decode, encode};
use kiln_emit::inst::Inst;
use kiln_emit::platform::{self, Platform};
use kiln_emit::zebin::Zebin;
use kiln_runtime::exec::{Launch, Program};
use kiln_runtime::launch::Description;

use crate::compare::{Difference, compare};
use crate::kind::kind;

/// Instances that are compared of each kind.
const INSTANCES: usize = 40;
/// Where the instances' random numbers start.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

pub fn skl() -> &'static Platform {
    platform::find("skl").expect("the executor's platform")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The kinds of `kinds.txt`.
pub fn listed() -> Result<Vec<Inst>, String> {
    let path = root().join("tests/ops/kinds.txt");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    text.lines().map(parse).collect()
}

fn parse(line: &str) -> Result<Inst, String> {
    let malformed = |what: String| format!("{line}: {what}");
    let (code, name) = line
        .split_at_checked(32)
        .ok_or_else(|| malformed("too short".into()))?;
    let byte = |i: usize| u8::from_str_radix(&code[i * 2..i * 2 + 2], 16);
    let bytes = (0..16).map(byte).collect::<Result<Vec<_>, _>>();
    let bytes = bytes.map_err(|e| malformed(e.to_string()))?;
    let found = decode(&bytes, skl()).map_err(|e| malformed(e.to_string()))?;
    let text = found.to_string();
    if kind(&found).to_string() != text || text.trim() != name.trim() {
        return Err(malformed(format!("is {}, of kind {}", found, kind(&found))));
    }
    Ok(found)
}

/// A kind's line in `kinds.txt`.
pub fn line(kind: &Inst) -> Result<String, String> {
    let bytes = encode(kind, skl()).map_err(|e| format!("{kind}: {e}"))?;
    let code: String = bytes
        .as_bytes()
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    let line = format!("{code}  {}", kind.to_string().trim());
    parse(&line).map(|_| line)
}

/// What the kernels of the project execute to the right results.
#[derive(Default)]
pub struct Executed {
    /// The kinds of their instructions, by name.
    pub kinds: BTreeSet<String>,
    /// Kernels that fail, which show nothing, and why.
    pub failures: Vec<String>,
}

/// Runs the kernels of the project.
pub fn executed() -> Result<Executed, String> {
    let mut executed = Executed::default();
    for folder in ["tests/kernels", "../examples"] {
        let entries = std::fs::read_dir(root().join(folder)).map_err(|e| e.to_string())?;
        for entry in entries {
            let dir = entry.map_err(|e| e.to_string())?.path();
            if dir.join("launch.yaml").exists() {
                match executed_by(&dir) {
                    Ok(kinds) => executed.kinds.extend(kinds),
                    Err(e) => executed.failures.push(format!("{}: {e}", dir.display())),
                }
            }
        }
    }
    Ok(executed)
}

fn executed_by(dir: &Path) -> Result<Vec<String>, String> {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let yaml = std::fs::read_to_string(dir.join("launch.yaml")).map_err(|e| e.to_string())?;
    let file: PathBuf = dir.join(format!("{name}.zebin"));
    let file = std::fs::read(file).map_err(|e| e.to_string())?;
    let description = Description::parse(&yaml).map_err(|e| e.to_string())?;
    let zebin = Zebin::parse(&file).map_err(|e| e.to_string())?;
    let program = Program::from_zebin(&zebin, &description.kernel, skl());
    let program = program.map_err(|e| e.to_string())?;
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: &description.kernel,
        global: description.global,
        local: description.local,
        dimensions: description.dimensions,
        args: description.load_args(dir).map_err(|e| e.to_string())?,
        budget: Launch::BUDGET,
    };
    let stats = launch.run(&program).map_err(|e| e.to_string())?;
    description
        .check(&launch.args, dir)
        .map_err(|e| e.to_string())?;
    let ran = program.insts().zip(&stats.by_place);
    let ran = ran.filter(|(_, count)| count.lanes > 0);
    Ok(ran.map(|(inst, _)| kind(inst).to_string()).collect())
}

/// Why a kind is not covered; none if it is.
pub fn uncovered(kind: &Inst, executed: &Executed) -> Option<String> {
    match compare(kind, INSTANCES, SEED) {
        Ok(()) => None,
        Err(Difference::Wrong(how)) => Some(how),
        Err(_) if executed.kinds.contains(&kind.to_string()) => None,
        Err(Difference::Unknown(what)) => Some(format!("no kernel has it, and no model: {what}")),
        Err(Difference::Refused(why)) => Some(why),
    }
}
