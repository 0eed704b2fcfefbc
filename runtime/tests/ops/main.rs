//! Single instructions against an independent model, and which kinds of them are covered.

mod compare;
mod compute;
mod coverage;
mod elements;
mod exact;
mod exactness;
mod flow;
mod instance;
mod kind;
mod messages;
mod model;
mod random;
mod real;
mod space;

use compare::{Difference, compare};
use random::Random;

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
    let shown: Vec<&str> = failures.iter().take(40).map(String::as_str).collect();
    assert!(
        failures.is_empty(),
        "{} of {KINDS} kinds differ:\n{}",
        failures.len(),
        shown.join("\n")
    );
}

#[test]
fn every_listed_kind_is_executed_right() {
    let listed = coverage::listed().unwrap();
    assert!(listed.len() > 800, "only {} kinds", listed.len());
    for kind in &listed {
        coverage::line(kind).unwrap();
    }
    let executed = coverage::executed().unwrap();
    assert!(executed.failures.is_empty(), "{}", executed.failures[0]);
    let uncovered: Vec<String> = listed
        .iter()
        .filter_map(|kind| {
            Some(format!(
                "{kind}: {}",
                coverage::cover(kind, &executed).err()?
            ))
        })
        .collect();
    assert!(uncovered.is_empty(), "{}", uncovered.join("\n"));
}

#[test]
fn math_functions_are_rounded_correctly() {
    let mut random = Random(0xfeed_5678_1234_9abd);
    for function in exactness::FUNCTIONS {
        let found = function.measure(2_000, &mut random).unwrap();
        let name = function.function.name();
        assert!(found.samples > 1_000, "{name}: {found:?}");
        assert!(found.worst <= 0.5 + 1e-6, "{name}: {found:?}");
        let wrong = function.edges().unwrap();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
