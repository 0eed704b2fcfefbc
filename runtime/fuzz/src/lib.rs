//! Properties that hold for compiling any text and executing any bytes.

#[path = "../../exec/tests/changed/mod.rs"]
pub mod changed;
#[path = "../../compile/tests/all/mutate/mod.rs"]
pub mod mutate;

use changed::Fixture;
use kiln_exec::{Engine, Options};

/// Maximum number of instructions that one group executes.
const BUDGET: u64 = 5_000;

/// Executes one group of mutated code. The first byte chooses the platform, whether registers and the scoreboard are
/// checked, and by its top bit whether the rest is the code itself. The next two bytes choose kernels; changes to the
/// first of them follow ([`Fixture::changed`]).
///
/// # Panics
/// The executor exceeds its budget, or changes the size of a buffer.
pub fn execute(data: &[u8]) {
    let [choice, kernel, donor, rest @ ..] = data else {
        return;
    };
    let platform = usize::from(choice & 0x3f);
    let [fixture, donor] = [kernel, donor].map(|n| Fixture::get(platform, usize::from(*n)));
    let text = match choice & 0x80 {
        0 => fixture.changed(donor, rest),
        _ => rest.to_vec(),
    };
    let options = Options {
        threads: 1,
        check: choice & 0x40 != 0,
        engine: Engine::Interpret,
        ..Options::default()
    };
    if let Err(error) = fixture.execute(&text, BUDGET, &options) {
        panic!("{error}");
    }
}
