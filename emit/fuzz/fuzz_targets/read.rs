//! Reads any text as a listing. The first byte chooses the platform. What is read says the same when it is listed and
//! read again.

#![no_main]

use kiln_emit::listing::{Style, list};
use kiln_emit::platform::PLATFORMS;
use kiln_emit::read::assemble;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, text)) = bytes.split_first() else {
        return;
    };
    let platform = &PLATFORMS[usize::from(*first) % PLATFORMS.len()];
    let Ok(text) = str::from_utf8(text) else {
        return;
    };
    let Ok(read) = assemble(text, platform, true) else {
        return;
    };
    let listing = list(&read.code, platform, Style::Numeric);
    let again = assemble(&listing, platform, true).expect("a listing is read");
    // A run of zeros at the end that is too short for an instruction is padding.
    assert!(read.code.starts_with(&again.code), "{listing}");
});
