//! The finalizer as a library: sessions that compile modules of vISA, and the host execution of Gen
//! code.

pub mod callgraph;
pub mod exec;
pub mod info;
pub mod launch;
pub mod link;
pub mod object_file;
pub mod picture;
pub mod pipeline;
pub mod pressure;
pub mod session;
pub mod source;
