//! Reads any text. The reader that continues after errors must agree with the one that stops at the first.

#![no_main]

use kiln_visa::text::{diagnose, parse};
use kiln_visa_fuzz::use_all;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    let all = diagnose(source);
    match parse(source) {
        Ok(module) => {
            assert!(all.errors.is_empty() && module == all.module);
            use_all(&module);
        }
        Err(error) => assert!(all.more > 0 || all.errors.contains(&error)),
    }
});
