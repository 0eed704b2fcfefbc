//! The reader of text, with any text.

#![no_main]

use kiln_frontend::text::parse;
use kiln_frontend_fuzz::use_all;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|source: &str| {
    if let Ok(module) = parse(source) {
        use_all(&module);
    }
});
