//! Allocation of machine functions.

mod random;

use kiln_regalloc::machine::{AllocError, Options, allocate};

fn options(grf_limit: u32) -> Options {
    Options {
        grf_limit: Some(grf_limit),
        check: true,
        ..Options::default()
    }
}

#[test]
fn random_functions_are_allocated_right() {
    let count = 200;
    let mut spills = 0;
    let mut refused = 0;
    for seed in 0..count {
        let bytes = random::bytes(seed, 4000);
        for limit in [128, 64, 48, 32, 24, 16, 12] {
            let func = random::function(&mut random::Choices(&bytes), 40);
            match allocate(func, &options(limit)) {
                Ok(allocated) => spills += allocated.stats.spills,
                // Messages have up to eleven units.
                Err(AllocError::TooFew { .. }) if limit < 32 => refused += 1,
                Err(e) => panic!("seed {seed} in {limit}: {e}"),
            }
        }
    }
    assert!(spills > 1000, "only {spills} spills");
    assert!(
        refused < 2 * count,
        "{refused} of {count} refused in few registers"
    );
}
