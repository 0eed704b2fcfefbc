//! From vISA to machine code, on every example: compiled code gives the expected results, with and without spills, and
//! does not depend on the way of compiling.

mod common;
#[path = "common/run.rs"]
mod run;

use std::path::{Path, PathBuf};

use common::{compile, skl};
use kiln_compile::Compiled;
use kiln_emit::encoding;
use kiln_emit::listing::{self, Style};
use kiln_emit::zebin::Zebin;
use kiln_exec::launch::Description;
use kiln_visa::binary;
use kiln_visa::module::Module;
use kiln_visa::text;
use run::{Work, run};

/// GRFs of a thread.
const ALL_GRFS: u32 = 128;

struct Example {
    name: String,
    dir: PathBuf,
    module: Module,
}

impl Example {
    fn file(&self, extension: &str) -> Vec<u8> {
        let path = self.dir.join(&self.name).with_extension(extension);
        std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    fn compile(&self, grf_limit: u32) -> Compiled {
        compile(&self.module.objects[0], skl(), grf_limit)
            .unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    /// Runs code on the example's inputs and compares its outputs.
    fn check(&self, compiled: &Compiled) -> Result<(), String> {
        let yaml =
            std::fs::read_to_string(self.dir.join("launch.yaml")).map_err(|e| e.to_string())?;
        let description = Description::parse(&yaml).map_err(|e| e.to_string())?;
        let zebin = Zebin::parse(&self.file("zebin")).map_err(|e| e.to_string())?;
        let args = description
            .load_args(&self.dir)
            .map_err(|e| e.to_string())?;
        let work = Work {
            info: &zebin.ze_info,
            global: description.global,
            local: description.local,
            dimensions: description.dimensions,
            args,
        };
        let args = run(compiled, skl(), work)?;
        description
            .check(&args, &self.dir)
            .map_err(|e| e.to_string())
    }
}

/// All examples, by name.
fn examples() -> Vec<Example> {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut examples: Vec<Example> = std::fs::read_dir(all)
        .expect("the examples")
        .map(|entry| entry.expect("an example").path())
        .filter(|dir| dir.join("launch.yaml").exists())
        .map(|dir| {
            let name = dir
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            let path = dir.join(&name).with_extension("visaasm");
            let text = std::fs::read_to_string(path).expect("vISA text");
            let module = text::parse(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
            Example { name, dir, module }
        })
        .collect();
    examples.sort_by(|a, b| a.name.cmp(&b.name));
    assert!(
        examples.len() >= 14,
        "only {} examples found",
        examples.len()
    );
    examples
}

/// Runs `f` on every example and reports all that fail.
fn each(f: impl Fn(&Example) -> Result<(), String>) {
    let failures: Vec<String> = examples()
        .iter()
        .filter_map(|e| f(e).err().map(|why| format!("{}: {why}", e.name)))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_example_gives_the_expected_results() {
    each(|example| example.check(&example.compile(ALL_GRFS)));
}

fn spilling(grf_limit: u32) -> usize {
    let mut spilling = 0;
    let mut failures = Vec::new();
    for example in examples() {
        let compiled = example.compile(grf_limit);
        let stats = compiled.allocation;
        spilling += usize::from(stats.spills > 0);
        if stats.spills > 0 && stats.spill_bytes == 0 {
            failures.push(format!("{}: {stats:?}", example.name));
        }
        if let Err(why) = example.check(&compiled) {
            failures.push(format!("{} in {grf_limit} GRFs: {why}", example.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    spilling
}

#[test]
fn every_example_gives_the_expected_results_in_48_registers() {
    spilling(48);
}

#[test]
fn every_example_gives_the_expected_results_in_32_registers() {
    spilling(32);
}

#[test]
fn every_example_gives_the_expected_results_in_24_registers() {
    let spilling = spilling(24);
    assert!(spilling >= 3, "only {spilling} examples spill");
}

#[test]
fn text_and_binary_give_the_same_code() {
    each(|example| {
        let code = example.compile(ALL_GRFS).code;
        let same = |what: &str, bytes: &[u8]| {
            let module = binary::read(bytes).map_err(|e| format!("{what}: {e}"))?;
            let compiled =
                compile(&module.objects[0], skl(), ALL_GRFS).map_err(|e| format!("{what}: {e}"))?;
            if compiled.code == code {
                Ok(())
            } else {
                Err(format!("{what}: other code"))
            }
        };
        let written = binary::write(&example.module).map_err(|e| e.to_string())?;
        same("written and read", &written)?;
        same("committed", &example.file("isa"))
    });
}

#[test]
fn code_is_the_same_every_time() {
    let examples = examples();
    let all = || -> Vec<Vec<u8>> {
        examples
            .iter()
            .map(|e| [ALL_GRFS, 32].map(|grfs| e.compile(grfs).code).concat())
            .collect()
    };
    let first = all();
    std::thread::scope(|scope| {
        let threads = [scope.spawn(all), scope.spawn(all)];
        for thread in threads {
            let again = thread.join().expect("a thread that compiles");
            for ((a, b), example) in first.iter().zip(&again).zip(&examples) {
                assert_eq!(a, b, "{}", example.name);
            }
        }
    });
}

#[test]
fn code_is_legal_and_survives_decoding() {
    each(|example| {
        for grfs in [ALL_GRFS, 32] {
            let code = example.compile(grfs).code;
            let text = listing::list(&code, skl(), Style::Labels);
            if let Some(line) = text.lines().find(|line| line.contains("illegal")) {
                return Err(line.to_string());
            }
            let mut again = Vec::with_capacity(code.len());
            for entry in listing::entries(&code, skl()) {
                let inst = entry.inst.map_err(|e| e.to_string())?;
                let encoded = encoding::encode(&inst, skl()).map_err(|e| e.to_string())?;
                again.extend_from_slice(encoded.as_bytes());
            }
            if again != code {
                return Err("encoded again, the code differs".into());
            }
        }
        Ok(())
    });
}
