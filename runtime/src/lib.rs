//! The finalizer as a library: the pipeline from vISA to machine code, and the host execution of
//! Gen code.

pub mod exec;
pub mod launch;
pub mod picture;
pub mod pipeline;
