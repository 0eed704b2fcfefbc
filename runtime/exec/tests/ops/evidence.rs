//! Evidence for kinds of instructions: a kind is covered if it is executed to right results by the project's kernels,
//! whose results come from another implementation; by random programs of control flow, whose results an interpreter of
//! their statements gives; or alone, beside the model.

use std::collections::BTreeSet;
use std::path::Path;

use kiln_emit::encoding::encode;
use kiln_emit::inst::Inst;
use kiln_emit::platform::Platform;
use kiln_emit::zebin::Zebin;
use kiln_exec::launch::Description;
use kiln_exec::{Launch, Program};

use crate::compare::{Difference, compare};
use crate::coverage::{object_files, parse, skl};
use crate::kind::{self, kind};
use crate::random::Random;
use crate::{flow, messages};

/// Instances that are compared of each kind.
const INSTANCES: usize = 40;
/// Programs of random control flow.
const PROGRAMS: usize = 1000;
/// Seed of the random instances.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

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
    for (dir, file) in object_files(platform) {
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
