//! Execution of arbitrary bytes, on every platform, ends in an error or within the budget. The fuzz target in `fuzz`
//! searches longer, and `engines changed` compares translated code; their findings are below.

mod changed;

use changed::{CHANGE, Fixture, INSERT, PLATFORMS};
use kiln_exec::{Engine, Options};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Cases for each of [`PLATFORMS`].
const CASES: u32 = 250;
/// Maximum number of executed instructions.
const BUDGET: u64 = 5_000;

/// Tries the same cases of each platform in every run: fuzzing finds new failures, this test guards against old ones.
/// `CASES` in the environment raises their number.
fn each_platform<S: Strategy>(
    cases: &S,
    check: impl Fn(usize, S::Value) -> Result<(), TestCaseError>,
) {
    let count = std::env::var("CASES").map_or(CASES, |n| n.parse().expect("a number"));
    for (number, platform) in PLATFORMS.iter().enumerate() {
        let config = Config {
            cases: count,
            failure_persistence: None,
            ..Config::default()
        };
        let random = TestRng::from_seed(RngAlgorithm::ChaCha, &[number as u8 + 1; 32]);
        let mut runner = TestRunner::new_with_rng(config, random);
        if let Err(error) = runner.run(cases, |case| check(number, case)) {
            panic!("{platform:?}: {error}");
        }
    }
}

/// Executes code; an error about the executor itself fails the test.
fn execute(fixture: &Fixture, text: &[u8], check: bool) -> Result<(), TestCaseError> {
    let options = Options {
        threads: 1,
        check,
        engine: Engine::Interpret,
        ..Options::default()
    };
    fixture
        .execute(text, BUDGET, &options)
        .map_err(TestCaseError::fail)
}

/// Executes code with both engines.
fn compare(fixture: &Fixture, text: &[u8]) -> Result<(), String> {
    let options = Options {
        engine: Engine::Both,
        ..Options::default()
    };
    fixture.execute(text, BUDGET, &options)
}

#[test]
fn changed_code_ends() {
    let changes = prop::collection::vec(any::<[u8; CHANGE]>(), 1..8);
    let cases = (any::<[u16; 2]>(), changes, any::<bool>());
    each_platform(&cases, |platform, (numbers, changes, check)| {
        let [fixture, donor] = numbers.map(|n| Fixture::get(platform, n.into()));
        execute(
            fixture,
            &fixture.changed(donor, changes.as_flattened()),
            check,
        )
    });
}

#[test]
fn any_bytes_end() {
    let cases = (
        any::<u16>(),
        prop::collection::vec(any::<u8>(), 0..400),
        any::<bool>(),
    );
    each_platform(&cases, |platform, (number, text, check)| {
        execute(Fixture::get(platform, number.into()), &text, check)
    });
}

#[test]
fn instructions_in_any_order_end() {
    let order = prop::collection::vec(any::<[u16; 2]>(), 1..24);
    let cases = (any::<[u16; 2]>(), order, any::<bool>());
    each_platform(&cases, |platform, (numbers, order, check)| {
        let [fixture, donor] = numbers.map(|n| Fixture::get(platform, n.into()));
        // Inserts instructions of both before existing ones.
        let insert = |[at, from]: &[u16; 2]| {
            let ([a, b], [c, d]) = (at.to_le_bytes(), from.to_le_bytes());
            [INSERT, a % 16, b % 2, c, d, 0, 0, 0]
        };
        let changes: Vec<[u8; CHANGE]> = order.iter().map(insert).collect();
        execute(
            fixture,
            &fixture.changed(donor, changes.as_flattened()),
            check,
        )
    });
}

#[test]
fn a_comparison_writes_the_full_value_of_an_accumulator() {
    // The destination of a comparison of floats becomes an accumulator.
    let [fixture, donor] = [44232, 16865].map(|number| Fixture::get(2, number));
    let code = fixture.changed(donor, &[0, 127, 40, 210, 0, 33, 0, 0]);
    assert_eq!(compare(fixture, &code), Ok(()));
}

#[test]
fn floats_of_two_accumulators_have_their_full_values() {
    // A sum of sixteen channels goes to elements from the second of an accumulator on.
    let code = [192, 0, 32, 160, 97, 0, 28, 1];
    let fixture = Fixture::get(3, 57428);
    assert_eq!(compare(fixture, &code), Ok(()));
}

#[test]
fn channels_that_a_thread_lacks_are_not_counted() {
    // Sixteen channels from number 24 on.
    let [fixture, donor] = [31463, 1076].map(|number| Fixture::get(4, number));
    let code = fixture.changed(donor, &[120, 114, 19, 146, 0, 116, 0, 0]);
    assert_eq!(compare(fixture, &code), Ok(()));
}

#[test]
fn a_condition_follows_the_destination_that_has_its_flag() {
    // `mov (1) (ge)f0.0 f0.0:uw 0x40:uw`
    let code = [97, 0, 0, 128, 16, 65, 1, 48, 0, 0, 0, 64, 64, 0, 64, 0];
    assert_eq!(compare(Fixture::get(3, 0), &code), Ok(()));
}

#[test]
fn bits_of_floats_are_no_negative_numbers() {
    // `and (1) r175.0:uw (abs)r153.2:tf32 0xb8ff:uw`
    let code = [
        101, 0, 0, 128, 16, 158, 5, 175, 36, 153, 0, 1, 255, 184, 255, 154,
    ];
    assert_eq!(compare(Fixture::get(7, 0), &code), Ok(()));
}
