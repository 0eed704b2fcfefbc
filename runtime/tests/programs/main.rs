//! Any program, executed: what its variables hold in the end is what a walk of its tree gives.
//!
//! More seeds than usual: `PROGRAMS=3000 cargo test --test programs`; many more, and the reference
//! finalizer's code as well: `.ci/random programs`.

#[path = "../visa_ops/model.rs"]
mod model;
#[path = "../visa_ops/ops.rs"]
mod ops;
#[path = "../visa_ops/random.rs"]
mod random;

mod draw;
mod program;
mod run;
mod text;
mod walk;

/// The dword at a byte.
fn bits(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

/// Programs that went wrong once: modifiers of sources found by address, operands that overlap in a
/// variable whose address is taken, destinations of three-source and math operations found by
/// address, shifts of 64-bit immediates, functions that call subroutines, messages in part of a unit.
const FOUND: [u64; 15] = [
    160, 301, 325, 373, 378, 426, 623, 636, 680, 1395, 1892, 1934, 2093, 2507, 3485,
];

#[test]
fn programs_compute_what_their_trees_say() {
    let set = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok());
    let count = set.unwrap_or(150);
    let mut tried = 0;
    for seed in (0..count).chain(FOUND.into_iter().filter(|&seed| seed >= count)) {
        let program = draw::program(seed);
        let Ok(expected) = walk::walk(&program) else {
            continue;
        };
        tried += 1;
        let text = program.text();
        for grf_limit in program.limits() {
            let result = run::compile(&program, &text, *grf_limit)
                .and_then(|code| run::run(&code, &program))
                .and_then(|found| run::compare(&found, &program, &expected));
            if let Err(what) = result {
                panic!("program {seed}, {grf_limit} GRFs: {what}\n{text}");
            }
        }
    }
    assert!(2 * tried > count, "most programs are defined");
}
