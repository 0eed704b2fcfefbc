//! Which kinds of instructions are shown to be executed right: by the project's kernels, whose
//! results are those of another implementation, by programs of random control flow, whose results
//! are an interpreter's of their statements, or one by one beside the model.
//!
//! `kinds/skl.txt` lists the kinds that real programs have: a line each of the kind's machine code in
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
use crate::random::Random;
use crate::{flow, messages};

/// Instances that are compared of each kind.
const INSTANCES: usize = 40;
/// Programs of random control flow.
pub const PROGRAMS: usize = 1000;
/// Where the instances' random numbers start.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

pub fn skl() -> &'static Platform {
    platform::find("skl").expect("the executor's platform")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The kinds of `kinds/skl.txt`.
pub fn listed() -> Result<Vec<Inst>, String> {
    let path = root().join("tests/ops/kinds/skl.txt");
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

/// A kind's line in `kinds/skl.txt`.
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

/// What is executed to the right results in programs.
#[derive(Default)]
pub struct Executed {
    /// The kinds of the instructions of the project's kernels, by name.
    pub kernels: BTreeSet<String>,
    /// Those of branches, in programs at random.
    pub flow: BTreeSet<String>,
    /// Kernels and programs that fail, which show nothing, and why.
    pub failures: Vec<String>,
}

/// Runs the kernels of the project, and programs at random.
pub fn executed() -> Result<Executed, String> {
    let mut executed = Executed::default();
    for folder in ["tests/kernels", "../examples"] {
        let entries = std::fs::read_dir(root().join(folder)).map_err(|e| e.to_string())?;
        for entry in entries {
            let dir = entry.map_err(|e| e.to_string())?.path();
            if dir.join("launch.yaml").exists() {
                match executed_by(&dir) {
                    Ok(kinds) => executed.kernels.extend(kinds),
                    Err(e) => executed.failures.push(format!("{}: {e}", dir.display())),
                }
            }
        }
    }
    let mut random = Random(SEED);
    for _ in 0..PROGRAMS {
        match flow::compare(&mut random) {
            Ok(kinds) => executed.flow.extend(kinds),
            Err(e) => executed.failures.push(e),
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

/// What shows that a kind is executed right.
///
/// # Errors
/// Why nothing does.
pub fn cover(kind: &Inst, executed: &Executed) -> Result<&'static str, String> {
    let compared = match kind.op.is_send() {
        true => messages::compare(kind, INSTANCES, SEED),
        false => compare(kind, INSTANCES, SEED),
    };
    let name = kind.to_string();
    match compared {
        Err(Difference::Wrong(how)) => Err(how),
        _ if executed.kernels.contains(&name) => Ok("kernel"),
        Ok(()) => Ok("model"),
        Err(_) if kind.op.is_branch() && executed.flow.contains(&name) => Ok("flow"),
        Err(Difference::Unknown(what)) => Err(format!("no kernel has it, and no model: {what}")),
        Err(Difference::Refused(why)) => Err(why),
    }
}
