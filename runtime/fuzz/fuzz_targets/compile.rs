//! Texts near those of the examples, compiled: to legal machine code or to an error.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    kiln_runtime_fuzz::mutate::compile(&kiln_runtime_fuzz::mutate::mutated(data));
});
