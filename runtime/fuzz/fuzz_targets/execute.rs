//! Changed machine code of real kernels of every platform, and bytes that are no code at all.

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kiln_runtime_fuzz::execute(data));
