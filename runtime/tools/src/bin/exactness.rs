//! Table of the extended math functions' errors: `exactness [SAMPLES]` prints each function's error and the results at
//! the edges of its range.

use std::error::Error;

#[path = "../../../exec/tests/ops/exactness.rs"]
mod exactness;
#[path = "../../../exec/tests/ops/random.rs"]
mod random;
#[path = "../../../exec/tests/ops/real.rs"]
mod real;

fn main() -> Result<(), Box<dyn Error>> {
    let samples = match std::env::args().nth(1) {
        Some(count) => count.parse()?,
        None => 100_000,
    };
    let mut random = random::Random(0x0123_4567_89ab_cdef);
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
    let mut wrong = Vec::new();
    for function in exactness::FUNCTIONS {
        wrong.extend(function.edges()?);
    }
    wrong.iter().for_each(|text| println!("wrong: {text}"));
    match wrong.len() {
        0 => Ok(()),
        n => Err(format!("{n} edges are wrong").into()),
    }
}
