//! Reads any bytes as a binary object.

#![no_main]

use kiln_visa::binary::read;
use kiln_visa_fuzz::{comes_back, use_all};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(module) = read(bytes) {
        use_all(&module);
        comes_back(&module);
    }
});
