//! Changed machine code, executed by both engines in child processes.
//!
//! Each child executes a batch of cases. The cases of a batch that ends by a signal, a panic or the limit of time are
//! executed again, each in a child of its own, which names those that do it.

use std::ops::Range;
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use kiln_exec::{Engine, Options};
use rayon::prelude::*;

use super::SHOWN;
use super::limit::limit_time;
use super::random::Random;
use changed::{CHANGE, Fixture, PLATFORMS};

#[path = "../../../../exec/tests/changed/mod.rs"]
mod changed;

/// Number of cases of a child.
const BATCH: u64 = 500;
/// Maximum number of instructions that a case executes.
const BUDGET: u64 = 100_000;
/// Processor time of a case in seconds, far more than its budget takes.
const SECONDS: u64 = 30;
/// Maximum number of bits turned, and of changes.
const MAX_CHANGES: usize = 8;
/// Maximum number of instructions inserted.
const MAX_INSERTED: usize = 24;
/// Maximum length of code of random bytes.
const MAX_BYTES: usize = 400;

/// Code in place of a kernel's.
#[derive(Debug)]
enum Code {
    /// The kernel's with bits turned; their numbers are taken modulo the length.
    Bits(Vec<usize>),
    /// The kernel's after changes ([`Fixture::changed`]).
    Changes(Vec<u8>),
    Bytes(Vec<u8>),
}

/// One program. It depends on its number and the seed only.
struct Case {
    /// Index in [`PLATFORMS`].
    platform: usize,
    /// Numbers of the kernel and of the one that instructions are taken from.
    fixture: usize,
    donor: usize,
    code: Code,
}

impl Case {
    fn draw(number: u64, seed: u64) -> Case {
        let state = (seed << 32 ^ (number + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut random = Random(state | 1);
        let [kind, fixture, donor, count] = [(); 4].map(|()| random.below(1 << 16));
        let mut bytes =
            |count| -> Vec<u8> { (0..count).map(|_| random.below(1 << 8) as u8).collect() };
        let code = match kind % 8 {
            0..3 => {
                let count = 1 + count % MAX_CHANGES;
                let bit =
                    |n: &[u8]| usize::from(n[0]) << 16 | usize::from(n[1]) << 8 | usize::from(n[2]);
                Code::Bits(bytes(3 * count).chunks_exact(3).map(bit).collect())
            }
            3..6 => Code::Changes(bytes(CHANGE * (1 + count % MAX_CHANGES))),
            6 => {
                let mut changes = bytes(CHANGE * (1 + count % MAX_INSERTED));
                for change in changes.chunks_exact_mut(CHANGE) {
                    change[0] = changed::INSERT;
                }
                Code::Changes(changes)
            }
            _ => Code::Bytes(bytes(count % MAX_BYTES)),
        };
        Case {
            platform: number as usize % PLATFORMS.len(),
            fixture,
            donor,
            code,
        }
    }

    /// Executes the code with both engines.
    fn run(&self) -> Result<(), String> {
        let [fixture, donor] = [self.fixture, self.donor].map(|n| Fixture::get(self.platform, n));
        let text = match &self.code {
            Code::Bits(bits) => {
                let mut text = fixture.changed(donor, &[]);
                for bit in bits {
                    let bit = bit % (text.len() * 8);
                    text[bit / 8] ^= 1 << (bit % 8);
                }
                text
            }
            Code::Changes(changes) => fixture.changed(donor, changes),
            Code::Bytes(bytes) => bytes.clone(),
        };
        let options = Options {
            engine: Engine::Both,
            ..Options::default()
        };
        fixture.execute(&text, BUDGET, &options)
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let (name, files) = PLATFORMS[self.platform];
        write!(
            f,
            "{name} with a kernel of {files}, fixture {}, donor {}, {:?}",
            self.fixture, self.donor, self.code
        )
    }
}

/// Runs cases in children; gives the number of those that fail.
pub fn parent(count: u64, seed: u64, host: Option<&str>) -> usize {
    let parent = Parent {
        seed,
        host,
        shown: AtomicUsize::new(0),
    };
    let batches: Vec<u64> = (0..count).step_by(BATCH as usize).collect();
    let [differ, ended] = batches
        .into_par_iter()
        .map(|first| parent.batch(first..count.min(first + BATCH)))
        .reduce(Failures::default, add);
    println!(
        "{count} programs of changed code, {differ} differ or exceed their budget, {ended} end the process"
    );
    differ + ended
}

/// Runs cases in this process; gives the number of those that fail, a line for each.
pub fn child(cases: Range<u64>, seed: u64) -> usize {
    let mut wrong = 0;
    for number in cases {
        limit_time(SECONDS);
        let case = Case::draw(number, seed);
        if let Err(what) = case.run() {
            println!("case {number}: {case}: {}", what.replace('\n', " "));
            wrong += 1;
        }
    }
    wrong
}

/// Numbers of cases that differ or exceed their budget, and of those that end their process.
type Failures = [usize; 2];

fn add(a: Failures, b: Failures) -> Failures {
    [a[0] + b[0], a[1] + b[1]]
}

struct Parent<'a> {
    seed: u64,
    host: Option<&'a str>,
    /// Number of failures that are shown.
    shown: AtomicUsize,
}

impl Parent<'_> {
    fn batch(&self, cases: Range<u64>) -> Failures {
        let output = self.start(&cases);
        let [out, error] = [&output.stdout, &output.stderr].map(|b| String::from_utf8_lossy(b));
        let status = output.status;
        // Exit codes of `main`, which say that all cases were executed.
        if let Some(0 | 1) = status.code() {
            out.lines().for_each(|line| self.show(line));
            return [out.lines().count(), 0];
        }
        let number = cases.start;
        if cases.end - number > 1 {
            let alone = |number| self.batch(number..number + 1);
            let [differ, ended] = cases.clone().map(alone).fold(Failures::default(), add);
            if ended == 0 {
                self.show(&format!(
                    "cases {cases:?}: {status}, but none of them alone"
                ));
            }
            return [differ, ended.max(1)];
        }
        let case = Case::draw(number, self.seed);
        let error = error.trim().replace('\n', " ");
        self.show(&format!("case {number}: {case}: {status} {error}"));
        [0, 1]
    }

    /// Runs cases in a child.
    fn start(&self, cases: &Range<u64>) -> Output {
        let count = cases.end - cases.start;
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.arg("changed");
        for (name, value) in [
            ("--case", cases.start),
            ("--count", count),
            ("--seed", self.seed),
        ] {
            command.arg(name).arg(value.to_string());
        }
        if let Some(host) = self.host {
            command.args(["--host", host]);
        }
        command.output().expect("a child process")
    }

    fn show(&self, what: &str) {
        if self.shown.fetch_add(1, Relaxed) < SHOWN {
            println!("{what}");
        }
    }
}
