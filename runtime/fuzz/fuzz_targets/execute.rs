//! Mutated machine code of real kernels of every platform, and random bytes, are executed or refused.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kiln_runtime_fuzz::execute(data));
