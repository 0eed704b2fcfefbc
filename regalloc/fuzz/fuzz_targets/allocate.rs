//! Random machine functions in random numbers of registers: allocated right, or refused.
#![no_main]

#[path = "../../tests/allocation/random.rs"]
mod random;

use kiln_platform::platform::SKL;
use kiln_regalloc::{AllocError, Options, allocate};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [limit, ref bytes @ ..] = *bytes else {
        return;
    };
    let func = random::function(&SKL, &mut random::Choices(bytes), 40);
    let options = Options {
        grf_limit: Some(u32::from(limit) % 129),
        check: true,
        ..Options::default()
    };
    match allocate(func, &options) {
        Ok(_) | Err(AllocError::TooFew { .. }) => {}
        Err(e) => panic!("{e}"),
    }
});
