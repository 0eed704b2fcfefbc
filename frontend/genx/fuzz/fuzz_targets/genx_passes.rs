//! Compiles any LLVM IR in text; the verifier, which runs after each pass, finds no fault.

#![no_main]

use kiln_platform::platform::PLATFORMS;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    let options = kiln_genx::Options {
        verify: true,
        ..kiln_genx::Options::new(&PLATFORMS[0])
    };
    if let Err(error) = kiln_genx::compile(source.as_bytes(), &options) {
        assert_ne!(error.code, kiln_genx::error::Code::Pass, "{error}");
    }
});
