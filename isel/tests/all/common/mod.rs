//! Functions shared by the tests of passes.

use kiln_isel::legalize;
use kiln_machine::func::Function;
use kiln_machine::verify::Level;
use kiln_machine_testing::random::{Shape, function};

/// A random legal function, drawn as legal or legalized, in turns.
pub fn legal(seed: u64) -> Function {
    let level = match seed.is_multiple_of(2) {
        true => Level::Wide,
        false => Level::Legal,
    };
    let shape = Shape {
        level,
        depth: seed as u32 % 3,
        length: 24,
        messages: !seed.is_multiple_of(3),
    };
    let mut func = function(seed, &shape);
    if level == Level::Wide {
        legalize::run(&mut func).unwrap_or_else(|e| panic!("seed {seed}: {e:?}"));
    }
    func
}
