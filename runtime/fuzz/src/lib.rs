//! What must hold of the compilation of any text and of the execution of any bytes.

#[path = "../../tests/mutate/mod.rs"]
pub mod mutate;

use std::path::Path;
use std::sync::OnceLock;

use kiln_emit::platform;
use kiln_emit::zebin::Zebin;
use kiln_runtime::exec::{Arg, Launch, Options, Program, RunError};
use kiln_runtime::launch::Description;

/// The examples whose code is changed: all that differ in the kinds of their instructions.
const EXAMPLES: [&str; 10] = [
    "argmix",
    "convolution",
    "double",
    "histogram",
    "int64",
    "intmix",
    "nested_loops",
    "prefix_sum",
    "sgemm",
    "switch",
];
/// Instructions executed at most.
const BUDGET: u64 = 20_000;

struct Example {
    zebin: Zebin,
    description: Description,
    args: Vec<Arg>,
}

fn examples() -> &'static [Example] {
    static EXAMPLES_READ: OnceLock<Vec<Example>> = OnceLock::new();
    EXAMPLES_READ.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
        EXAMPLES
            .iter()
            .map(|name| {
                let dir = root.join(name);
                let yaml = std::fs::read_to_string(dir.join("launch.yaml")).expect("a launch");
                let file = std::fs::read(dir.join(format!("{name}.zebin"))).expect("a zebin");
                let description = Description::parse(&yaml).expect("a launch");
                Example {
                    zebin: Zebin::parse(&file).expect("a zebin"),
                    args: description.load_args(&dir).expect("arguments"),
                    description,
                }
            })
            .collect()
    })
}

/// Executes one group of code made of the data. The first byte chooses the example and whether
/// registers are checked. With its upper bit the rest is the code; else it is changes, of three
/// bytes each: where, and what is put there.
///
/// # Panics
/// The executor goes beyond its budget, or changes the size of a buffer.
pub fn execute(data: &[u8]) {
    let Some((&choice, rest)) = data.split_first() else {
        return;
    };
    let all = examples();
    let example = &all[usize::from(choice & 0x3f) % all.len()];
    let kernel = &example.description.kernel;
    let mut text = example.zebin.text(kernel).expect("the kernel").to_vec();
    if choice & 0x80 != 0 {
        text = rest.to_vec();
    } else {
        for change in rest.chunks_exact(3) {
            let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % text.len();
            text[at] = change[2];
        }
    }
    let program = Program::from_text(&text, platform::find("skl").expect("the platform"));
    let mut launch = Launch {
        ze_info: &example.zebin.ze_info,
        kernel,
        global: example.description.local,
        local: example.description.local,
        dimensions: example.description.dimensions,
        args: example.args.clone(),
        budget: BUDGET,
    };
    let options = Options {
        threads: 1,
        check: choice & 0x40 != 0,
        ..Options::default()
    };
    match launch.run_with(&program, &options) {
        Ok(stats) => assert!(stats.instructions <= BUDGET, "{}", stats.instructions),
        Err(RunError::Bind(error)) => panic!("{error}"),
        // What an error says must be possible to say.
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    for (now, before) in launch.args.iter().zip(&example.args) {
        let size = |arg: &Arg| arg.memory().map(<[u8]>::len);
        assert_eq!(size(now), size(before));
    }
}
