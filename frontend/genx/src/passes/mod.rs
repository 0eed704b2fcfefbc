//! Passes over the IR, one a file.

pub mod cfg;
pub mod kernels;
pub mod memory;
pub mod simdcf;
pub mod simplify;
