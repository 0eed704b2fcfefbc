//! Any program, executed: what its variables hold in the end is what a walk of its tree gives.
//!
//! More programs than usual: `PROGRAMS=3000 cargo test --test programs`; many more, and the reference
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

#[test]
fn programs_compute_what_their_trees_say() {
    let set = std::env::var("PROGRAMS").ok().and_then(|n| n.parse().ok());
    let mut left = set.unwrap_or(200);
    for seed in 0.. {
        if left == 0 {
            break;
        }
        let program = draw::program(seed);
        let Ok(expected) = walk::walk(&program) else {
            continue;
        };
        left -= 1;
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
}
