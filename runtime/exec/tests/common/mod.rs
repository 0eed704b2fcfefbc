//! Compiling with every verifier on.

use kiln_compile::attempt::{self, Scratch};
use kiln_compile::{Compiled, Options};
use kiln_emit::platform::{self, Platform};
use kiln_visa::module::Object;

pub fn target(name: &str) -> &'static Platform {
    platform::find(name).expect("a known platform")
}

pub fn skl() -> &'static Platform {
    target("skl")
}

/// Finalizes a kernel in a number of GRFs; every stage's result is verified.
pub fn compile(
    object: &Object,
    platform: &'static Platform,
    grf_limit: u32,
) -> Result<Compiled, String> {
    let mut options = Options::new(platform);
    options.verify = true;
    options.grf_limit = grf_limit;
    attempt::compile(object, &options, &mut Scratch::default()).map_err(|e| e.to_string())
}
