//! Decoded code: instructions resolved to operations, which say all that does not depend on a thread's state.

pub mod channels;
pub mod classify;
pub mod counts;
pub mod decoded;
pub mod link;
pub mod operation;
mod resolve;
pub mod send;
pub mod systolic;
pub mod written;
