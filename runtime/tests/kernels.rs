//! Kernels of all kinds run to the results that another OpenCL implementation gave: as the reference
//! compiler compiled them, which shows that the executor is faithful, and as we finalize them, with
//! all registers and with few. `kernels/remake` makes their files.

mod common;

use std::path::{Path, PathBuf};

use kiln_emit::zebin::Zebin;
use kiln_runtime::exec::{Launch, Program};
use kiln_runtime::launch::{Description, Source};
use kiln_runtime::source;

/// GRFs to finalize in; the second makes many of the kernels spill.
const LIMITS: [u32; 2] = [128, 48];

struct Kernel {
    dir: PathBuf,
    name: String,
    description: Description,
    zebin: Zebin,
}

fn kernels() -> Vec<Kernel> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels");
    let mut dirs: Vec<PathBuf> = std::fs::read_dir(root)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("launch.yaml").exists())
        .collect();
    dirs.sort();
    dirs.into_iter()
        .map(|dir| {
            let name = dir.file_name().unwrap().to_string_lossy().into_owned();
            let yaml = std::fs::read_to_string(dir.join("launch.yaml")).unwrap();
            let zebin = std::fs::read(dir.join(format!("{name}.zebin"))).unwrap();
            Kernel {
                description: Description::parse(&yaml).unwrap(),
                zebin: Zebin::parse(&zebin).unwrap(),
                dir,
                name,
            }
        })
        .collect()
}

/// Runs `check` on every kernel, on two threads, and fails with all that went wrong.
fn each(check: impl Fn(&Kernel) -> Result<(), String> + Sync) {
    let kernels = kernels();
    assert!(kernels.len() >= 160, "only {} kernels found", kernels.len());
    let (first, second) = kernels.split_at(kernels.len() / 2);
    let run = |part: &[Kernel]| -> Vec<String> {
        let failed = |k: &Kernel| check(k).err().map(|e| format!("{}: {e}", k.name));
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

#[test]
fn the_reference_compilers_code_gives_the_expected_results() {
    each(|k| {
        let kernel = &k.description.kernel;
        let program =
            Program::from_zebin(&k.zebin, kernel, common::skl()).map_err(|e| e.to_string())?;
        let mut launch = Launch {
            ze_info: &k.zebin.ze_info,
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
    });
}

#[test]
fn our_code_gives_the_expected_results() {
    each(|k| {
        // Images are not selected yet: only the executor is tested with them.
        let image = |source: &Source| matches!(source, Source::Image { .. });
        if k.description.args.iter().any(|arg| image(&arg.source)) {
            return Ok(());
        }
        let text = std::fs::read(k.dir.join(format!("{}.visaasm", k.name))).unwrap();
        let module = source::read(&text).map_err(|e| e.to_string())?;
        for limit in LIMITS {
            let compiled = common::compile(&module.objects[0], limit)?;
            // Addresses of constant data are the loader's to fill in; the program's tests do that.
            if !compiled.relocations.is_empty() {
                continue;
            }
            let work = common::Work {
                info: &k.zebin.ze_info,
                global: k.description.global,
                local: k.description.local,
                dimensions: k.description.dimensions,
                args: k.description.load_args(&k.dir).map_err(|e| e.to_string())?,
            };
            let args = common::run(&compiled, work).map_err(|e| format!("{limit} GRFs: {e}"))?;
            k.description
                .check(&args, &k.dir)
                .map_err(|e| format!("{limit} GRFs: {e}"))?;
        }
        Ok(())
    });
}
