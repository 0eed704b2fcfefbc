//! Single instructions against an independent model.

mod compare;
mod instance;
mod kind;
mod model;
mod real;
mod space;

use compare::{Difference, compare};
use instance::Random;

/// Kinds at random, and instances of each.
const KINDS: usize = 20_000;
const INSTANCES: usize = 3;

#[test]
fn random_instructions_do_what_the_model_says() {
    let mut random = Random(0x5eed_1234_5678_9abd);
    let mut failures = Vec::new();
    for _ in 0..KINDS {
        let kind = space::kind(&mut random);
        let seed = random.next();
        match compare(&kind, INSTANCES, seed) {
            Ok(()) => {}
            Err(Difference::Wrong(text) | Difference::Refused(text)) => failures.push(text),
            Err(Difference::Unknown(what)) => failures.push(format!("{kind}: no model: {what}")),
        }
    }
    failures.sort();
    let shown = failures
        .iter()
        .take(40)
        .map(String::as_str)
        .collect::<Vec<_>>();
    assert!(
        failures.is_empty(),
        "{} of {KINDS} kinds differ:\n{}",
        failures.len(),
        shown.join("\n")
    );
}
