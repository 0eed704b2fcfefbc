//! The table of the extended math functions' errors: `exactness [SAMPLES]`, of each function.

use std::error::Error;

#[path = "../tests/ops/exactness.rs"]
mod exactness;
#[path = "../tests/ops/instance.rs"]
#[allow(dead_code, reason = "only its random numbers are used here")]
mod instance;
#[path = "../tests/ops/model.rs"]
#[allow(
    dead_code,
    reason = "the instances' registers, of which none are made here"
)]
mod model;
#[path = "../tests/ops/real.rs"]
#[allow(dead_code, reason = "only its functions are used here")]
mod real;

fn main() -> Result<(), Box<dyn Error>> {
    let samples = match std::env::args().nth(1) {
        Some(count) => count.parse()?,
        None => 100_000,
    };
    let mut random = instance::Random(0x0123_4567_89ab_cdef);
    println!("| function | samples | largest error (ULP) | not correctly rounded |");
    println!("| --- | --- | --- | --- |");
    for function in exactness::FUNCTIONS {
        let found = function.measure(samples, &mut random)?;
        println!(
            "| {} | {} | {:.6} | {} |",
            function.function.name(),
            found.samples,
            found.worst,
            found.not_nearest
        );
    }
    Ok(())
}
