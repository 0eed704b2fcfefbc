//! Any text is compiled to legal machine code or refused: kernels near valid ones, and every prefix of an example. The
//! fuzz target `compile` in `fuzz` searches longer.

use kiln_compile::source::Input;
use kiln_compile::{Options, Session};
use kiln_emit::platform::{Platform, SKL, find};
use proptest::collection::vec;
use proptest::prelude::*;

/// Compiles changed kernels for a platform, `MUTANTS` or a usual number; a share of them is accepted.
fn try_changed(platform: &'static Platform, usual: u32) {
    let set = std::env::var("MUTANTS").ok().and_then(|n| n.parse().ok());
    // The seed is fixed: fuzzing finds new failures, this test guards against old ones.
    let config = ProptestConfig {
        cases: set.unwrap_or(usual),
        failure_persistence: None,
        rng_algorithm: prop::test_runner::RngAlgorithm::ChaCha,
        ..ProptestConfig::default()
    };
    let changes = vec(any::<[u8; crate::mutate::CHANGE]>(), 1..4);
    let mut runner = prop::test_runner::TestRunner::new_with_rng(
        config,
        prop::test_runner::TestRng::deterministic_rng(prop::test_runner::RngAlgorithm::ChaCha),
    );
    let accepted = std::cell::Cell::new(0);
    let result = runner.run(&(any::<[u8; 2]>(), changes), |(choices, changes)| {
        let data = [&choices, changes.concat().as_slice()].concat();
        let (text, limit) = crate::mutate::mutated(&data, platform);
        accepted.set(accepted.get() + u32::from(crate::mutate::compile(&text, platform, limit)));
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    // The test is void if almost nothing compiles.
    assert!(
        accepted.get() >= usual / 4,
        "{}: only {} accepted",
        platform.name,
        accepted.get()
    );
}

#[test]
fn changed_kernels_are_compiled_or_refused() {
    try_changed(&SKL, 400);
}

#[test]
fn changed_kernels_for_xe2_and_xe3_are_compiled_or_refused() {
    for name in ["bmg", "lnl", "ptl"] {
        try_changed(find(name).expect("a known platform"), 150);
    }
}

#[test]
fn every_beginning_of_an_example_is_compiled_or_refused() {
    for text in crate::mutate::texts() {
        let ends = text.match_indices('\n').map(|(end, _)| end + 1);
        let accepted = ends
            .filter(|end| crate::mutate::compile(&text[..*end], &SKL, 128))
            .count();
        assert!(accepted > 0, "the whole is accepted");
    }
}

/// Files of one module are compiled in parallel, always to the same code, and the error reported is always the first
/// in the order of the kernels.
#[test]
fn modules_of_many_kernels_have_one_result() {
    let session = Session::new(Options::new(&SKL));
    let many: Vec<String> = (0..40)
        .map(|i| {
            let text = &crate::mutate::texts()[i % crate::mutate::texts().len()];
            let (before, rest) = text.split_once(".kernel \"").expect("a kernel");
            format!("{before}.kernel \"k{i}_{rest}")
        })
        .collect();
    fn inputs(texts: &[String]) -> Vec<Input<'_>> {
        texts
            .iter()
            .map(|text| Input {
                name: "k",
                bytes: text.as_bytes(),
            })
            .collect()
    }
    let code = || -> Vec<(String, Vec<u8>)> {
        let module = session
            .compile_module(&inputs(&many))
            .unwrap_or_else(|e| panic!("{e}"));
        module
            .kernels
            .into_iter()
            .map(|k| (k.name, k.code))
            .collect()
    };
    let first = code();
    assert_eq!(first.len(), many.len());
    for (kernel, text) in first.iter().zip(&many) {
        assert!(text.contains(&kernel.0), "{} is not in its place", kernel.0);
    }
    for _ in 0..3 {
        assert!(code() == first, "the code differs");
    }
    // These kernels as separate modules.
    let alone = session.compile_modules(&inputs(&many));
    for (number, outcome) in alone.into_iter().enumerate() {
        assert_eq!(outcome.files, [number]);
        let module = outcome.result.unwrap_or_else(|e| panic!("{e}"));
        assert!(module.kernels[0].code == first[number].1, "{number}");
    }

    let mut wrong = many;
    for number in [31, 7, 19] {
        wrong[number].push_str(&format!(
            "\n.kernel \"wrong{number}\"\n    jmp (M1, 1) nowhere{number}\n"
        ));
    }
    for _ in 0..3 {
        let failure = session
            .compile_module(&inputs(&wrong))
            .expect_err("an error");
        assert!(failure.to_string().contains("nowhere7"), "{failure}");
    }
}
