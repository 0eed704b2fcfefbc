//! Coverage of kinds of instructions: a kind is covered if it is executed to right results by the project's kernels,
//! whose results come from another implementation; by random programs of control flow, whose results an interpreter of
//! their statements gives; or alone, beside the model.
//!
//! The kinds to be covered are those in the project's object files of each platform and in the lists in `kinds/`,
//! which have the kinds of real programs. A line there is the kind's machine code in hexadecimal bytes and its
//! listing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kiln_emit::encoding::{decode, encode};
use kiln_emit::inst::{Inst, Op};
use kiln_emit::listing::entries;
use kiln_emit::platform::{self, Platform};
use kiln_emit::zebin::Zebin;
use kiln_exec::launch::Description;
use kiln_exec::{Launch, Program};

use crate::compare::{Difference, compare};
use crate::kind::{self, kind};
use crate::random::Random;
use crate::{flow, messages};

/// Platforms whose code is executed.
pub const PLATFORMS: [&str; 9] = [
    "skl", "icllp", "tgllp", "dg2", "mtl", "pvc", "lnl", "bmg", "ptl",
];
/// Instances that are compared of each kind.
const INSTANCES: usize = 40;
/// Programs of random control flow.
pub const PROGRAMS: usize = 1000;
/// Seed of the random instances.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// Kinds by name with their number of occurrences.
pub type Kinds = BTreeMap<String, (Inst, u64)>;

pub fn skl() -> &'static Platform {
    find("skl")
}

pub fn find(name: &str) -> &'static Platform {
    platform::find(name).expect("a platform of the executor")
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The kinds of the platform's list; none if it has no list.
pub fn listed(platform: &'static Platform) -> Result<Vec<Inst>, String> {
    let path = root().join(format!("../tests/ops/kinds/{}.txt", platform.name));
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    text.lines().map(|line| parse(line, platform)).collect()
}

fn parse(line: &str, platform: &'static Platform) -> Result<Inst, String> {
    let malformed = |what: String| format!("{line}: {what}");
    let (code, name) = line
        .split_at_checked(32)
        .ok_or_else(|| malformed("too short".into()))?;
    let byte = |i: usize| u8::from_str_radix(&code[i * 2..i * 2 + 2], 16);
    let bytes = (0..16).map(byte).collect::<Result<Vec<_>, _>>();
    let bytes = bytes.map_err(|e| malformed(e.to_string()))?;
    let found = decode(&bytes, platform).map_err(|e| malformed(e.to_string()))?;
    let [text, same] = [&found, &kind(&found, platform)].map(|inst| kind::name(inst, platform));
    if same != text || text != name.trim() {
        return Err(malformed(format!("is {text}, of kind {same}")));
    }
    Ok(found)
}

/// A kind's line in a list.
pub fn line(kind: &Inst, platform: &'static Platform) -> Result<String, String> {
    let bytes = encode(kind, platform).map_err(|e| format!("{kind}: {e}"))?;
    let code: String = bytes
        .as_bytes()
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect();
    let line = format!("{code}  {}", kind::name(kind, platform));
    parse(&line, platform).map(|_| line)
}

/// Adds the kinds of machine code.
pub fn add(kinds: &mut Kinds, code: &[u8], platform: &'static Platform) -> Result<(), String> {
    for entry in entries(code, platform) {
        let inst = entry.inst.map_err(|e| e.to_string())?;
        // Padding after code is illegal on purpose.
        if inst.op == Op::Illegal {
            continue;
        }
        let kind = kind(&inst, platform);
        let name = kind::name(&kind, platform);
        kinds.entry(name).or_insert((kind, 0)).1 += 1;
    }
    Ok(())
}

/// The folders of the project's kernels, and the object files that a platform has of them.
fn object_files(platform: &'static Platform) -> Result<Vec<(PathBuf, PathBuf)>, String> {
    let mut files = Vec::new();
    for folder in ["../tests/kernels", "../../examples", "../tests/xe_kernels"] {
        let entries = std::fs::read_dir(root().join(folder)).map_err(|e| e.to_string())?;
        for entry in entries {
            let dir = entry.map_err(|e| e.to_string())?.path();
            let name = dir.file_name().unwrap_or_default().to_string_lossy();
            let own = match platform.name {
                "skl" => dir.clone(),
                other => dir.join(other),
            };
            let file = own.join(format!("{name}.zebin"));
            if file.exists() {
                files.push((dir, file));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The kinds in the object files of a platform.
pub fn of_object_files(platform: &'static Platform) -> Result<Kinds, String> {
    let mut kinds = Kinds::new();
    for (_, file) in object_files(platform)? {
        let failed = |e: String| format!("{}: {e}", file.display());
        let bytes = std::fs::read(&file).map_err(|e| failed(e.to_string()))?;
        let zebin = Zebin::parse(&bytes).map_err(|e| failed(e.to_string()))?;
        for kernel in &zebin.kernels {
            add(&mut kinds, &kernel.text, platform).map_err(failed)?;
        }
    }
    Ok(kinds)
}

/// Kinds that programs execute to right results.
#[derive(Default)]
pub struct Executed {
    /// The kinds of the instructions of the project's kernels, by name.
    pub kernels: BTreeSet<String>,
    /// Kinds of branches in random programs.
    pub flow: BTreeSet<String>,
    /// Kernels and programs that fail, which show nothing, and why.
    pub failures: Vec<String>,
}

/// Runs the kernels of the project, and programs at random.
pub fn executed(platform: &'static Platform) -> Result<Executed, String> {
    let mut executed = Executed::default();
    for (dir, file) in object_files(platform)? {
        match executed_by(&dir, &file, platform) {
            Ok(kinds) => executed.kernels.extend(kinds),
            Err(e) => executed.failures.push(format!("{}: {e}", file.display())),
        }
    }
    if platform == skl() {
        let mut random = Random(SEED);
        for _ in 0..PROGRAMS {
            match flow::compare(&mut random) {
                Ok(kinds) => executed.flow.extend(kinds),
                Err(e) => executed.failures.push(e),
            }
        }
    }
    Ok(executed)
}

fn executed_by(
    dir: &Path,
    file: &Path,
    platform: &'static Platform,
) -> Result<Vec<String>, String> {
    let yaml = std::fs::read_to_string(dir.join("launch.yaml")).map_err(|e| e.to_string())?;
    let file = std::fs::read(file).map_err(|e| e.to_string())?;
    let description = Description::parse(&yaml).map_err(|e| e.to_string())?;
    let zebin = Zebin::parse(&file).map_err(|e| e.to_string())?;
    let program = Program::from_zebin(&zebin, &description.kernel, platform);
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
    Ok(ran
        .map(|(inst, _)| kind::name(&kind(inst, platform), platform))
        .collect())
}

/// The evidence that a kind is executed right.
///
/// # Errors
/// The reason why there is none.
pub fn cover(
    kind: &Inst,
    platform: &'static Platform,
    executed: &Executed,
) -> Result<&'static str, String> {
    let compared = match kind.op.is_send() {
        true => messages::compare(kind, platform, INSTANCES, SEED),
        false => compare(kind, platform, INSTANCES, SEED),
    };
    let name = kind::name(kind, platform);
    match compared {
        Err(Difference::Wrong(how)) => Err(how),
        _ if executed.kernels.contains(&name) => Ok("kernel"),
        Ok(()) => Ok("model"),
        Err(_) if kind.op.is_branch() && executed.flow.contains(&name) => Ok("flow"),
        Err(Difference::Unknown(what)) => Err(format!("no kernel has it, and no model: {what}")),
        Err(Difference::Refused(why)) => Err(why),
    }
}
