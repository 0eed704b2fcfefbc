//! The finalizer as a library: sessions that compile modules of vISA, and the host execution of Gen
//! code.

pub mod cache;
pub mod callgraph;
mod debug;
pub mod exec;
pub mod info;
pub mod interface;
pub mod launch;
pub mod lines;
pub mod link;
pub mod object_file;
pub mod picture;
pub mod pipeline;
pub mod pressure;
pub mod relink;
pub mod session;
pub mod source;
