//! Compiling one text for a platform.

use std::fmt::Display;

use kiln_compile::attempt::{self, Scratch};
use kiln_compile::{Compiled, Options, find_platform};
use kiln_visa::text;

/// Options of a platform with all verifiers.
pub fn verified(platform: &str) -> Options {
    let mut options = Options::new(find_platform(platform).expect("a platform"));
    options.verify = true;
    options
}

/// The code of the first object of a text. Panics with the name of the case if there is none.
pub fn compiled(source: &str, options: &Options, case: impl Display) -> Compiled {
    let platform = options.platform;
    let module = text::parse_for(source, platform.grf_bytes);
    let module = module.unwrap_or_else(|e| panic!("{}, {case}: {e}", platform.name));
    let compiled = attempt::compile(&module.objects[0], options, &mut Scratch::default());
    compiled.unwrap_or_else(|e| panic!("{}, {case}: {e}", platform.name))
}
