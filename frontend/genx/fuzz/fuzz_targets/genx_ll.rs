//! Reads any text as LLVM IR.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    let _ = kiln_genx::read(source.as_bytes());
});
