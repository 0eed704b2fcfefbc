//! Effects of messages to the shared functions: memory, images, samplers, barriers.

mod atomic;
mod block;
mod block_2d;
mod bound;
mod filter;
pub mod load_store;
mod payload;
pub mod plain;
mod sampler;
mod scatter;
pub mod send;
mod typed;
