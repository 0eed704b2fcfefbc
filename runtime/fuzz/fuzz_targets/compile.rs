//! Mutated texts of examples are compiled to legal machine code or refused.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let (text, limit) = kiln_runtime_fuzz::mutate::mutated(data);
    kiln_runtime_fuzz::mutate::compile(&text, limit);
});
