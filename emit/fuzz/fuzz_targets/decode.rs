//! Decodes, lists, verifies and encodes any bytes. The first byte chooses the platform.

#![no_main]

use kiln_emit::encoding::{compactable, decode, encode};
use kiln_emit::listing::{Style, entries, list};
use kiln_emit::platform::{PLATFORMS, Platform};
use kiln_emit::verify::verify;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((first, code)) = bytes.split_first() else {
        return;
    };
    let platform = &PLATFORMS[usize::from(*first) % PLATFORMS.len()];
    list(code, platform, Style::Labels);
    list(code, platform, Style::Numeric);
    for entry in entries(code, platform) {
        if let Ok(inst) = entry.inst {
            check(inst, platform);
        }
    }
});

fn check(mut inst: kiln_emit::inst::Inst, platform: &'static Platform) {
    // The verifier must return; both verdicts are fine.
    let _ = verify(&inst, platform);
    assert!(!inst.to_string().is_empty());
    // A compact form may carry bits that the instruction lacks; the instruction itself then need not have a compact
    // form.
    let encoded = encode(&inst, platform).or_else(|_| {
        inst.opts.compacted = false;
        encode(&inst, platform)
    });
    let encoded = encoded.expect("what decodes encodes");
    assert_eq!(decode(encoded.as_bytes(), platform).as_ref(), Ok(&inst));
    inst.opts.compacted = false;
    compactable(&inst, platform).expect("what decodes encodes");
}
