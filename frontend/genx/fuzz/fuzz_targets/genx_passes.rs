//! Compiles any LLVM IR in text; the verifier runs after each pass.

#![no_main]

use kiln_platform::platform::PLATFORMS;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    let options = kiln_genx::Options {
        platform: &PLATFORMS[0],
        variant: None,
    };
    let _ = kiln_genx::compile(source.as_bytes(), &options);
});
