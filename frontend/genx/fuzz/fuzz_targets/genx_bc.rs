//! Reads any bytes as bitcode, after its first four bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = kiln_genx::read(&[b"BC\xC0\xDE", bytes].concat());
});
