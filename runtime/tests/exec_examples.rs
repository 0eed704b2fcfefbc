//! Every example, as the reference compiler compiled it, runs to the results that another OpenCL
//! implementation gave: the executor is faithful.

use std::path::{Path, PathBuf};

use kiln_emit::platform;
use kiln_emit::zebin::Zebin;
use kiln_runtime::exec::{Launch, Program, Stats};
use kiln_runtime::launch::Description;

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples")
}

/// Runs an example's reference object file and compares what it leaves in the buffers.
fn run(name: &str) -> Result<Stats, String> {
    let dir = examples().join(name);
    let read = |file: String| std::fs::read(dir.join(&file)).map_err(|e| format!("{file}: {e}"));
    let yaml = String::from_utf8(read("launch.yaml".into())?).map_err(|e| e.to_string())?;
    let description = Description::parse(&yaml).map_err(|e| e.to_string())?;
    let zebin = Zebin::parse(&read(format!("{name}.zebin"))?).map_err(|e| e.to_string())?;
    let skl = platform::find("skl").ok_or("no platform")?;
    let mut launch = Launch {
        ze_info: &zebin.ze_info,
        kernel: &description.kernel,
        global: description.global,
        local: description.local,
        dimensions: description.dimensions,
        args: description.load_args(&dir).map_err(|e| e.to_string())?,
        budget: Launch::BUDGET,
    };
    let program =
        Program::from_zebin(&zebin, &description.kernel, skl).map_err(|e| e.to_string())?;
    let stats = launch.run(&program).map_err(|e| e.to_string())?;
    description
        .check(&launch.args, &dir)
        .map_err(|e| e.to_string())?;
    Ok(stats)
}

#[test]
fn every_example_gives_the_expected_results() {
    let mut failures = Vec::new();
    let mut count = 0;
    let mut names: Vec<_> = std::fs::read_dir(examples())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.join("launch.yaml").exists())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in names {
        count += 1;
        match run(&name) {
            Ok(stats) => println!("{name}: {stats:?}"),
            Err(error) => failures.push(format!("{name}: {error}")),
        }
    }
    assert!(count >= 14, "only {count} examples found");
    assert!(
        failures.is_empty(),
        "{} of {count} fail:\n{}",
        failures.len(),
        failures.join("\n")
    );
}
