//! Decoding, listing, verifying and encoding again any bytes. The first byte says which platform.

#![no_main]

use kiln_emit::encoding::{decode, encode};
use kiln_emit::listing::{Style, list};
use kiln_emit::platform::PLATFORMS;
use kiln_emit::verify::verify;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, code)) = bytes.split_first() else {
        return;
    };
    let platform = &PLATFORMS[usize::from(*first) % PLATFORMS.len()];
    list(code, platform, Style::Labels);
    let Ok(mut inst) = decode(code, platform) else {
        return;
    };
    // Any verdict is fine.
    let _ = verify(&inst, platform);
    // A short form may carry bits that the instruction does not have, and then its own bits alone
    // need not have a short form.
    let encoded = encode(&inst, platform).or_else(|_| {
        inst.opts.compacted = false;
        encode(&inst, platform)
    });
    let encoded = encoded.expect("what decodes encodes");
    assert_eq!(decode(encoded.as_bytes(), platform), Ok(inst));
});
