//! Single instructions against an independent model, and which kinds of them are covered.

mod compare;
mod compute;
mod coverage;
mod elements;
mod evidence;
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
use kiln_emit::platform::Platform;
use random::Random;

/// Number of random kinds, and of instances of each.
const KINDS: usize = 20_000;
const INSTANCES: usize = 3;

#[test]
fn random_instructions_do_what_the_model_says() {
    let mut random = Random(0x5eed_1234_5678_9abd);
    let mut failures = Vec::new();
    for _ in 0..KINDS {
        let kind = space::kind(&mut random);
        let seed = random.next();
        match compare(&kind, coverage::skl(), INSTANCES, seed) {
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
fn every_kind_is_executed_right_on_its_platform() {
    let failures: Vec<String> = std::thread::scope(|scope| {
        let platforms =
            coverage::platforms().map(|platform| scope.spawn(move || not_covered(platform)));
        let platforms: Vec<_> = platforms.collect();
        let of = platforms.into_iter().map(|one| one.join().unwrap());
        of.flat_map(Result::unwrap).collect()
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The kinds in a platform's object files and list that nothing covers.
fn not_covered(platform: &'static Platform) -> Result<Vec<String>, String> {
    let name = platform.name;
    let mut kinds = coverage::of_object_files(platform)?;
    assert!(kinds.len() > 100, "only {} kinds on {name}", kinds.len());
    for kind in coverage::listed(platform)? {
        evidence::line(&kind, platform)?;
        let listed = kind::name(&kind, platform);
        kinds.entry(listed).or_insert((kind, 1));
    }
    let executed = evidence::executed(platform)?;
    let uncovered = kinds.values().filter_map(|(kind, _)| {
        let why = evidence::cover(kind, platform, &executed).err()?;
        Some(format!("{kind} on {name}: {why}"))
    });
    let failures = executed.failures.iter().cloned();
    Ok(failures.chain(uncovered).collect())
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
