//! Any bytes at all can be executed: they end in an error, or within the budget. The fuzz target in
//! `fuzz` looks longer; what it found is below.

use std::path::Path;
use std::sync::OnceLock;

use kiln_emit::platform::{self, Platform};
use kiln_emit::zebin::Zebin;
use kiln_runtime::exec::{Arg, BindError, Launch, Options, Program, RunError};
use kiln_runtime::launch::Description;
use proptest::prelude::*;

const BUDGET: u64 = 5_000;
/// Examples and the platforms that they are compiled for.
const EXAMPLES: [(&str, &str); 14] = [
    ("argmix", "skl"),
    ("double", "skl"),
    ("histogram", "skl"),
    ("int64", "skl"),
    ("intmix", "skl"),
    ("switch", "skl"),
    ("histogram", "tgllp"),
    ("int64", "tgllp"),
    ("switch", "tgllp"),
    ("histogram", "dg2"),
    ("int64", "dg2"),
    ("prefix_sum", "dg2"),
    ("switch", "dg2"),
    ("double", "mtl"),
];

struct Example {
    platform: &'static Platform,
    zebin: Zebin,
    description: Description,
    args: Vec<Arg>,
}

fn examples() -> &'static [Example] {
    static READ: OnceLock<Vec<Example>> = OnceLock::new();
    READ.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
        let read = |(name, device): &(&str, &str)| {
            let dir = root.join(name);
            let yaml = std::fs::read_to_string(dir.join("launch.yaml")).unwrap();
            let own = match *device {
                "skl" => dir.clone(),
                other => dir.join(other),
            };
            let file = std::fs::read(own.join(format!("{name}.zebin"))).unwrap();
            let description = Description::parse(&yaml).unwrap();
            Example {
                platform: platform::find(device).unwrap(),
                zebin: Zebin::parse(&file).unwrap(),
                args: description.load_args(&dir).unwrap(),
                description,
            }
        };
        EXAMPLES.iter().map(read).collect()
    })
}

/// Executes code in place of an example's, in one group.
fn execute(example: &Example, text: &[u8], check: bool) -> Result<(), TestCaseError> {
    let mut launch = Launch {
        ze_info: &example.zebin.ze_info,
        kernel: &example.description.kernel,
        global: example.description.local,
        local: example.description.local,
        dimensions: example.description.dimensions,
        args: example.args.clone(),
        budget: BUDGET,
    };
    let options = Options {
        threads: 1,
        check,
        ..Options::default()
    };
    let program = Program::from_text(text, example.platform);
    match launch.run_with(&program, &options) {
        Ok(stats) => prop_assert!(stats.instructions <= BUDGET),
        // Changed code need not have an instruction where threads start.
        Err(RunError::Bind(BindError::Entry(_))) => {}
        Err(RunError::Bind(error)) => prop_assert!(false, "{error}"),
        Err(error) => prop_assert!(!error.to_string().is_empty()),
    }
    for (now, before) in launch.args.iter().zip(&example.args) {
        prop_assert_eq!(
            now.memory().map(<[u8]>::len),
            before.memory().map(<[u8]>::len)
        );
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_code_ends(
        number in 0..EXAMPLES.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        check: bool,
    ) {
        let example = &examples()[number];
        let mut text = example.zebin.text(&example.description.kernel).unwrap().to_vec();
        for (at, byte) in changes {
            let at = at.index(text.len());
            text[at] = byte;
        }
        execute(example, &text, check)?;
    }

    #[test]
    fn any_bytes_end(
        number in 0..EXAMPLES.len(),
        text in prop::collection::vec(any::<u8>(), 0..400),
        check: bool,
    ) {
        execute(&examples()[number], &text, check)?;
    }

    #[test]
    fn instructions_in_any_order_end(
        number in 0..EXAMPLES.len(),
        order in prop::collection::vec(any::<prop::sample::Index>(), 1..40),
        check: bool,
    ) {
        let example = &examples()[number];
        let text = example.zebin.text(&example.description.kernel).unwrap();
        let units: Vec<&[u8]> = text.chunks_exact(16).collect();
        let shuffled: Vec<u8> = order.iter().flat_map(|at| at.get(&units).to_vec()).collect();
        execute(example, &shuffled, check)?;
    }
}
