//! Random programs, executed: the final variables are those of a walk of the program's tree.
//!
//! More seeds than usual: `PROGRAMS=3000 cargo test --test programs`; many more, and the reference
//! finalizer's code as well: `.ci/random programs`.

#[path = "../visa_ops/model.rs"]
mod model;
#[path = "../visa_ops/ops.rs"]
mod ops;
#[path = "../visa_ops/random.rs"]
mod random;

mod case;
mod draw;
mod program;
mod run;
mod text;
mod walk;

use case::Case;
use kiln_emit::platform::{self, Platform};

/// Programs that failed once.
const FOUND: &str = "programs/found";

fn target(name: &str) -> &'static Platform {
    platform::find(name).expect("a known platform")
}

fn check(name: &str, case: &Case) {
    for &limit in case.limits() {
        for tier in run::TIERS {
            let code = run::compile(case, limit, tier);
            if let Err(what) = code.and_then(|code| run::check(&code, case)) {
                panic!("{name}, {limit} GRFs, {tier:?}: {what}\n{}", case.text);
            }
        }
    }
}

fn programs_of(target: &'static Platform, usual: u64) {
    let set = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok());
    let count = set.unwrap_or(usual);
    let mut tried = 0;
    for seed in 0..count {
        let program = draw::program(seed, target);
        let Ok(outcome) = walk::walk(&program) else {
            continue;
        };
        tried += 1;
        let name = format!("{}, program {seed}", target.name);
        check(&name, &Case::new(&program, &outcome));
    }
    assert!(2 * tried > count, "most programs are defined");
}

#[test]
fn programs_compute_what_their_trees_say() {
    programs_of(target("skl"), 150);
}

#[test]
fn programs_for_xe2_compute_what_their_trees_say() {
    programs_of(target("bmg"), 60);
}

#[test]
fn what_went_wrong_once_does_not_again() {
    let mut tried = 0;
    for entry in std::fs::read_dir(kiln_corpus::path(FOUND))
        .expect("a folder")
        .flatten()
    {
        let text = std::fs::read_to_string(entry.path()).expect("a text");
        let name = entry.file_name().into_string().expect("a name");
        check(&name, &Case::read(&text).expect("a case"));
        tried += 1;
    }
    assert!(tried >= 9);
}

#[test]
fn a_case_is_read_as_it_was_written() {
    for seed in 0..20 {
        let program = draw::program(seed, target("skl"));
        if let Ok(outcome) = walk::walk(&program) {
            let case = Case::new(&program, &outcome);
            assert_eq!(Case::read(&case.write()), Some(case));
        }
    }
}
