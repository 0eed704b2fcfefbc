//! Wrong machine code and wrong launches end in errors with their cause.

use std::path::{Path, PathBuf};

use kiln_emit::platform;
use kiln_emit::zebin::Zebin;
use kiln_exec::launch::Description;
use kiln_exec::{Arg, BindError, Cause, Launch, Program, RunError};

struct Example {
    dir: PathBuf,
    zebin: Zebin,
    description: Description,
}

impl Example {
    fn new(name: &str) -> Example {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../examples")
            .join(name);
        let yaml = std::fs::read_to_string(dir.join("launch.yaml")).unwrap();
        let file = std::fs::read(dir.join(format!("{name}.zebin"))).unwrap();
        Example {
            zebin: Zebin::parse(&file).unwrap(),
            description: Description::parse(&yaml).unwrap(),
            dir,
        }
    }

    fn text(&self) -> &[u8] {
        self.zebin.text(&self.description.kernel).unwrap()
    }

    fn launch(&self) -> Launch<'_> {
        Launch {
            ze_info: &self.zebin.ze_info,
            kernel: &self.description.kernel,
            global: self.description.global,
            local: self.description.local,
            dimensions: self.description.dimensions,
            args: self.description.load_args(&self.dir).unwrap(),
            budget: 100_000,
        }
    }
}

fn program(text: &[u8]) -> Program {
    Program::from_text(text, platform::find("skl").unwrap())
}

fn cause(result: Result<kiln_exec::Stats, RunError>) -> Cause {
    match result {
        Err(RunError::Exec(error)) => error.cause,
        other => panic!("{other:?}"),
    }
}

#[test]
fn changed_code_never_panics_or_hangs() {
    let mut state = 0x0123_4567_89ab_cdefu64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as usize
    };
    let mut failures = 0;
    for name in [
        "argmix",
        "double",
        "histogram",
        "int64",
        "nested_loops",
        "prefix_sum",
        "switch",
    ] {
        let example = Example::new(name);
        for _ in 0..250 {
            let mut text = example.text().to_vec();
            for _ in 0..1 + random() % 6 {
                let at = random() % text.len();
                text[at] ^= 1 << (random() % 8);
            }
            let mut launch = example.launch();
            launch.global = launch.local;
            launch.budget = 20_000;
            failures += u32::from(launch.run(&program(&text)).is_err());
        }
    }
    assert!(failures > 100, "{failures}");
}

#[test]
fn an_error_says_where_it_happened() {
    let example = Example::new("saxpy");
    let mut launch = example.launch();
    // One element too few: the last channel of the last thread reads past the end.
    let Arg::Buffer(x) = &mut launch.args[0] else {
        panic!("a buffer expected")
    };
    x.truncate(4 * 1002);
    let error = launch
        .run(&program(example.text()))
        .unwrap_err()
        .to_string();
    for part in [
        "group [15, 0, 0], thread 1",
        "channel 10: 4 bytes at 0xfa8 of argument 0, which has 0xfa8 bytes",
        "send",
        "r12:",
    ] {
        assert!(error.contains(part), "`{part}` is not in\n{error}");
    }
}

#[test]
fn budgets_end_execution() {
    let example = Example::new("mandelbrot");
    let mut launch = example.launch();
    launch.budget = 1000;
    // The first group takes fewer instructions, the first two together take more.
    let error = launch.run(&program(example.text())).unwrap_err();
    assert!(
        matches!(
            error,
            RunError::Budget {
                group: [1, 0, 0],
                budget: 1000
            }
        ),
        "{error}"
    );
    launch.budget = 100;
    let cause = cause(launch.run(&program(example.text())));
    assert!(matches!(cause, Cause::Budget(100)), "{cause}");
}

#[test]
fn running_off_the_code_is_an_error() {
    let example = Example::new("saxpy");
    let cause = cause(example.launch().run(&program(&example.text()[..40])));
    assert!(
        matches!(
            cause,
            Cause::NoInstruction(40) | Cause::Undecodable { at: 40, .. }
        ),
        "{cause}"
    );
}

#[test]
fn a_barrier_that_not_all_threads_reach_is_an_error() {
    let example = Example::new("reduction");
    // Drops one signal of the barrier.
    let text = example.text().to_vec();
    let signal = 0x0200_0004u32.to_le_bytes();
    let at = text.windows(4).position(|w| w == signal).unwrap();
    let mut changed = text;
    // A `nop` in place of the signal (opcode 0x7e): all wait, none has signalled.
    changed[at - 12..at + 4].fill(0);
    changed[at - 12] = 0x7e;
    let cause = cause(example.launch().run(&program(&changed)));
    assert!(
        matches!(
            cause,
            Cause::Deadlock {
                waiting: 4,
                threads: 4
            }
        ),
        "{cause}"
    );
}

#[test]
fn arguments_must_be_those_of_the_kernel() {
    let example = Example::new("saxpy");
    let code = program(example.text());
    let bind = |change: &dyn Fn(&mut Launch)| {
        let mut launch = example.launch();
        change(&mut launch);
        let before = launch.args.clone();
        match launch.run(&code) {
            Err(RunError::Bind(error)) => {
                assert_eq!(launch.args, before, "the arguments are as they were");
                error
            }
            other => panic!("{other:?}"),
        }
    };
    let error = bind(&|l| {
        l.args.pop();
    });
    assert_eq!(error.to_string(), "3 arguments found, 4 expected");
    let error = bind(&|l| l.args[2] = Arg::Value(vec![0; 8]));
    assert_eq!(
        error.to_string(),
        "argument 2, counted from 0 (float;4): a value of 8 bytes found, a value of 4 bytes expected"
    );
    let error = bind(&|l| l.args[0] = Arg::Local(64));
    assert!(
        error
            .to_string()
            .contains("local memory found, a buffer expected"),
        "{error}"
    );
    let error = bind(&|l| l.args[3] = Arg::Buffer(vec![0; 4]));
    assert!(
        error
            .to_string()
            .contains("argument 3, counted from 0 (uint;4): a buffer found"),
        "{error}"
    );
    let error = bind(&|l| l.global[0] = 1000);
    assert!(matches!(
        error,
        BindError::Size {
            dimension: 0,
            global: 1000,
            local: 64
        }
    ));
    let error = bind(&|l| l.local[1] = 0);
    assert!(matches!(error, BindError::Size { dimension: 1, .. }));
    let error = bind(&|l| (l.global[0], l.local[0]) = (2048, 2048));
    assert!(matches!(error, BindError::GroupSize { items: 2048, .. }));
    let error = bind(&|l| l.kernel = "other");
    assert!(matches!(error, BindError::NoKernel(_)));
}

#[test]
fn shared_memory_has_an_end() {
    let example = Example::new("reduction");
    let code = program(example.text());
    let mut launch = example.launch();
    launch.args[2] = Arg::Local(65537);
    let error = launch.run(&code).unwrap_err();
    assert!(
        matches!(error, RunError::Bind(BindError::Slm { found: 65537 })),
        "{error}"
    );
    launch.args[2] = Arg::Local(508);
    let cause = cause(launch.run(&code));
    assert!(
        matches!(
            cause,
            Cause::OutOfBounds {
                at: 508,
                room: 508,
                ..
            }
        ),
        "{cause}"
    );
}

#[test]
fn launches_are_deterministic() {
    let example = Example::new("prefix_sum");
    let code = program(example.text());
    let run = || {
        let mut launch = example.launch();
        let stats = launch.run(&code).unwrap();
        (stats, launch.args)
    };
    assert_eq!(run(), run());
}
