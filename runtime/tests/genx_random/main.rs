//! Random programs in LLVM IR of the GenX backend: an interpreter of the IR and the executed code give the same.
//!
//! `.ci/genx --random` runs more of them, and asks the reference compiler, too.

mod check;
mod generate;
mod interpret;

use kiln_runtime::find_platform;

/// Programs of each run.
const PROGRAMS: u64 = 150;

#[test]
fn random_programs_give_what_the_interpreter_gives() {
    let skl = find_platform("skl").expect("skl");
    let wrong: Vec<String> = (0..PROGRAMS)
        .filter_map(|seed| {
            check::check(seed, seed % 4 == 0, skl)
                .err()
                .map(|e| format!("seed {seed}: {e}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
