//! Mutated texts of examples are compiled to legal machine code or refused. The first byte chooses the platform.

#![no_main]

use kiln_emit::platform::find;
use kiln_runtime_fuzz::mutate;

const PLATFORMS: [&str; 3] = ["skl", "bmg", "ptl"];

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let [choice, data @ ..] = data else { return };
    let name = PLATFORMS[usize::from(*choice) % PLATFORMS.len()];
    let platform = find(name).expect("a known platform");
    let (text, limit) = mutate::mutated(data, platform);
    mutate::compile(&text, platform, limit);
});
