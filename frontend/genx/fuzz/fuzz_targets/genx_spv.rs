//! Reads any bytes as SPIR-V, after its first word.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = kiln_genx::read(&[b"\x03\x02\x23\x07", bytes].concat());
});
