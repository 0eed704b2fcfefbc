//! The examples, and kernels of all kinds, run to the results that another OpenCL implementation gave:
//! as the reference compiler compiled them for each platform that the executor knows, which shows that
//! it is faithful, and as we finalize them, with all registers and with few. `examples/remake` and
//! `kernels/remake` make their files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use kiln_emit::assemble::Program;
use kiln_emit::encoding::encode;
use kiln_emit::errata;
use kiln_emit::inst::Inst;
use kiln_emit::listing::entries;
use kiln_emit::platform::{self, Platform};
use kiln_emit::zebin::Zebin;
use kiln_runtime::exec::{self, Launch};
use kiln_runtime::info::Info;
use kiln_runtime::launch::Description;
use kiln_runtime::pipeline::{Options, Tier};
use kiln_runtime::session::Session;
use kiln_runtime::source::Input;

/// GRFs to finalize in; those after the first make many of the kernels spill.
const LIMITS: [u32; 3] = [128, 48, 32];
/// Of these each kernel is finalized in one more.
const MORE: [u32; 5] = [24, 28, 40, 64, 96];

/// The limits for a kernel: the environment's `LIMITS`, if it has them (`.ci/limits`).
fn limits(k: &Kernel) -> Vec<u32> {
    match std::env::var("LIMITS") {
        Ok(all) => all.split(' ').map(|n| n.parse().unwrap()).collect(),
        Err(_) => {
            let pick = k.name.bytes().map(usize::from).sum::<usize>() % MORE.len();
            LIMITS.into_iter().chain([MORE[pick]]).collect()
        }
    }
}

fn skl() -> &'static Platform {
    platform::find("skl").expect("the platform is known")
}

fn gen11() -> &'static Platform {
    platform::find("icllp").expect("the platform is known")
}

/// The platforms for which there is only the reference compiler's code, and how many kernels of it. Of a
/// platform whose code is that of another, there are the kernels that the other cannot run.
const XE: [(&str, usize); 6] = [
    ("tgllp", 163),
    ("dg2", 163),
    ("mtl", 28),
    ("pvc", 167),
    ("bmg", 186),
    ("lnl", 1),
];

/// The same of kernels that need what only these platforms have.
const XE_ONLY: [(&str, usize); 3] = [("dg2", 5), ("pvc", 7), ("bmg", 7)];

fn each_xe(check: impl Fn(&Kernel) -> Result<(), String> + Sync) {
    let of_all = XE.map(|(name, count)| (name, count, &["../examples", "tests/kernels"][..]));
    let own = XE_ONLY.map(|(name, count)| (name, count, &["tests/xe_kernels"][..]));
    for (name, count, roots) in of_all.into_iter().chain(own) {
        let platform = platform::find(name).expect("the platform is known");
        let mut dirs = folders_in(roots);
        dirs.retain(|dir| dir.join(name).exists());
        assert_eq!(dirs.len(), count, "kernels for {name}");
        on_each(read(platform, dirs), &check);
    }
}

/// An example or kernel, as the reference compiler compiled it for a platform.
struct Kernel {
    dir: PathBuf,
    name: String,
    platform: &'static Platform,
    description: Description,
    zebin: Zebin,
}

impl Kernel {
    /// The vISA that the reference compiler made: where a platform has none of its own, it is that of
    /// the first platform.
    fn visa(&self) -> Vec<u8> {
        let file = format!("{}.visaasm", self.name);
        let own = std::fs::read(self.dir.join(self.platform.name).join(&file));
        own.unwrap_or_else(|_| std::fs::read(self.dir.join(&file)).unwrap())
    }
}

/// The folders of all examples and kernels.
fn folders() -> Vec<PathBuf> {
    folders_in(&["../examples", "tests/kernels"])
}

fn folders_in(roots: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let roots: Vec<PathBuf> = roots.iter().map(|dir| root.join(dir)).collect();
    let entries = roots.iter().flat_map(|dir| std::fs::read_dir(dir).unwrap());
    let mut dirs: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("launch.yaml").exists())
        .collect();
    dirs.sort();
    dirs
}

/// What the reference compiler does not compile for a platform: names of examples and kernels.
fn unsupported(platform: &Platform) -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/unsupported.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let words = lines.map(|line| line.split(' ').collect::<Vec<_>>());
    words
        .filter(|words| words[0] == platform.name)
        .map(|words| words[1].to_string())
        .collect()
}

/// All that a platform can run.
fn kernels(platform: &'static Platform) -> Vec<Kernel> {
    let unsupported = unsupported(platform);
    let name = |dir: &Path| dir.file_name().unwrap().to_string_lossy().into_owned();
    let (without, with): (Vec<_>, Vec<_>) = folders()
        .into_iter()
        .partition(|dir| unsupported.contains(&name(dir)));
    assert_eq!(without.len(), unsupported.len(), "of {unsupported:?}");
    read(platform, with)
}

/// The kernels of those folders.
fn read(platform: &'static Platform, dirs: Vec<PathBuf>) -> Vec<Kernel> {
    dirs.into_iter()
        .map(|dir| {
            let name = dir.file_name().unwrap().to_string_lossy().into_owned();
            let yaml = std::fs::read_to_string(dir.join("launch.yaml")).unwrap();
            let own = match platform.name {
                "skl" => dir.clone(),
                other => dir.join(other),
            };
            let zebin = std::fs::read(own.join(format!("{name}.zebin"))).unwrap();
            Kernel {
                description: Description::parse(&yaml).unwrap(),
                zebin: Zebin::parse(&zebin).unwrap(),
                platform,
                dir,
                name,
            }
        })
        .collect()
}

/// Runs `check` on every kernel of a platform, of which there are so many, on two threads, and fails
/// with all that went wrong.
fn each(
    platform: &'static Platform,
    count: usize,
    check: impl Fn(&Kernel) -> Result<(), String> + Sync,
) {
    let kernels = kernels(platform);
    assert!(kernels.len() >= count, "only {} kernels", kernels.len());
    on_each(kernels, check);
}

fn on_each(kernels: Vec<Kernel>, check: impl Fn(&Kernel) -> Result<(), String> + Sync) {
    let (first, second) = kernels.split_at(kernels.len() / 2);
    let run = |part: &[Kernel]| -> Vec<String> {
        let title = |k: &Kernel| format!("{} on {}", k.name, k.platform.name);
        let failed = |k: &Kernel| check(k).err().map(|e| format!("{}: {e}", title(k)));
        part.iter().filter_map(failed).collect()
    };
    let failures: Vec<String> = std::thread::scope(|scope| {
        let other = scope.spawn(|| run(second));
        let mut failures = run(first);
        failures.extend(other.join().unwrap());
        failures
    });
    assert!(
        failures.is_empty(),
        "{} kernels fail:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// The compiler that made the code heeds the errata that ours are brought to heed.
#[test]
fn the_reference_compilers_code_for_gen11_heeds_the_errata() {
    each(gen11(), 155, |k| {
        for kernel in &k.zebin.kernels {
            let decoded = entries(&kernel.text, k.platform);
            let mut insts = decoded
                .map(|entry| entry.inst.map_err(|e| e.to_string()))
                .collect::<Result<Vec<Inst>, String>>()?;
            let mut plain = insts.clone();
            for inst in insts.iter_mut().chain(&mut plain) {
                inst.opts.compacted = false;
            }
            plain
                .iter_mut()
                .for_each(|inst| inst.opts.no_preempt = false);
            let mut program = Program {
                blocks: vec![plain],
            };
            errata::run(&mut program, k.platform);
            let ours = &program.blocks[0];
            let added = ours.len() - insts.len();
            if let Some(missing) = ours[..added].iter().find(|inst| !insts.contains(inst)) {
                return Err(format!("{missing}: not there"));
            }
            let differs = |(a, b): &(&Inst, &Inst)| a.opts.no_preempt != b.opts.no_preempt;
            if let Some((_, theirs)) = ours[added..].iter().zip(&insts).find(differs) {
                return Err(format!("{theirs}: may be interrupted, or not, otherwise"));
            }
        }
        Ok(())
    });
}

/// Runs a kernel of an object file.
fn run(k: &Kernel, zebin: &Zebin) -> Result<(), String> {
    let kernel = &k.description.kernel;
    let program =
        exec::Program::from_zebin(zebin, kernel, k.platform).map_err(|e| e.to_string())?;
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel,
        global: k.description.global,
        local: k.description.local,
        dimensions: k.description.dimensions,
        args: k.description.load_args(&k.dir).map_err(|e| e.to_string())?,
        budget: Launch::BUDGET,
    };
    launch.run(&program).map_err(|e| e.to_string())?;
    k.description
        .check(&launch.args, &k.dir)
        .map_err(|e| e.to_string())
}

/// Runs a kernel as the reference compiler compiled it.
fn run_reference(k: &Kernel) -> Result<(), String> {
    run(k, &k.zebin)
}

#[test]
fn the_reference_compilers_code_for_gen9_gives_the_expected_results() {
    each(skl(), 183, run_reference);
}

#[test]
fn the_reference_compilers_code_for_gen11_gives_the_expected_results() {
    each(gen11(), 155, run_reference);
}

#[test]
fn the_reference_compilers_code_for_xe_gives_the_expected_results() {
    each_xe(run_reference);
}

/// Encodes each instruction of a kernel again.
fn encode_again(k: &Kernel) -> Result<(), String> {
    for kernel in &k.zebin.kernels {
        let entries = entries(&kernel.text, k.platform);
        for entry in entries {
            let at = entry.offset as usize;
            let inst = entry.inst.map_err(|e| format!("{at:#x}: {e}"))?;
            let code = encode(&inst, k.platform).map_err(|e| format!("{at:#x}: {e}"))?;
            let bytes = code.as_bytes();
            if kernel.text.get(at..at + bytes.len()) != Some(bytes) {
                return Err(format!("{at:#x}: {inst} is encoded otherwise"));
            }
        }
    }
    Ok(())
}

/// The compiler that made the code encodes each instruction as our encoder does.
#[test]
fn the_reference_compilers_code_for_gen11_is_encoded_again() {
    each(gen11(), 155, encode_again);
}

/// Runs a kernel as we finalize it, in each of its limits: in the object file that we make of it. Counts
/// the runs.
fn run_ours(k: &Kernel, runs: &AtomicUsize) -> Result<(), String> {
    let visa = k.visa();
    let limits = limits(k);
    let ways = limits.iter().map(|&limit| (limit, Tier::Best));
    let quick = [LIMITS[0], LIMITS[LIMITS.len() - 1]].map(|limit| (limit, Tier::Quick));
    for (limit, tier) in ways.chain(quick) {
        let object = match object_file(k, &visa, limit, tier) {
            // The convention of stack calls has all registers.
            Err(why) if limit < LIMITS[0] && why.contains("the convention of stack calls") => {
                continue;
            }
            object => object?,
        };
        run(k, &object).map_err(|e| format!("{limit} GRFs, {tier:?}: {e}"))?;
        runs.fetch_add(1, Ordering::Relaxed);
    }
    Ok(())
}

fn ours_in_all_limits(platform: &'static Platform, count: usize) {
    let runs = AtomicUsize::new(0);
    each(platform, count, |k| run_ours(k, &runs));
    println!("{}: {} runs", platform.name, runs.into_inner());
}

/// Our object file of a kernel, compiled in so many GRFs with every verifier on.
fn object_file(k: &Kernel, visa: &[u8], limit: u32, tier: Tier) -> Result<Zebin, String> {
    let mut options = Options::new(k.platform).tier(tier);
    options.verify = true;
    options.grf_limit = limit;
    let session = Session::new(options).only(&k.description.kernel);
    let input = Input {
        name: &k.name,
        bytes: visa,
    };
    let module = session
        .compile_module(&[input])
        .map_err(|e| e.to_string())?;
    let info = Info::Zebin(k.zebin.clone());
    (session.object_file(&module, info)).map_err(|e| e.to_string())
}

#[test]
fn our_code_for_gen9_gives_the_expected_results() {
    ours_in_all_limits(skl(), 181);
}

#[test]
fn our_code_for_gen11_gives_the_expected_results() {
    ours_in_all_limits(gen11(), 153);
}
