//! Allocation of machine functions.

mod random;

use kiln_regalloc::{AllocError, Options, allocate};

fn options(grf_limit: u32) -> Options {
    Options {
        grf_limit: Some(grf_limit),
        check: true,
        ..Options::default()
    }
}

#[test]
fn random_functions_are_allocated_right() {
    let mut fits = [0; 7];
    let mut spills = 0;
    let count = 600;
    for seed in 0..count {
        let bytes = random::bytes(seed, 4000);
        for (i, limit) in [128, 64, 48, 32, 24, 16, 12].into_iter().enumerate() {
            let func = random::function(&mut random::Choices(&bytes), 40);
            match allocate(func, &options(limit)) {
                Ok(allocated) => {
                    fits[i] += 1;
                    spills += allocated.stats.spills;
                }
                Err(AllocError::TooFew { .. }) if limit < 64 => {}
                Err(e) => panic!("seed {seed} in {limit}: {e}"),
            }
        }
    }
    eprintln!("{fits:?} {spills}");
}
