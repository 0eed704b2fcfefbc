//! The machine: Gen registers, regions, types and instructions; their encoding, decoding and
//! listing; and the object files that carry them.
//!
//! Nothing here knows of vISA. [`inst`] is the one model of an instruction that the encoder, the
//! decoder, the listing, instruction selection, register allocation and the executor share.

pub mod accumulators;
pub mod assemble;
pub mod chains;
pub mod cost;
pub mod encoding;
pub mod errata;
pub mod flow;
mod footprint;
pub mod forms;
mod insert;
pub mod inst;
pub mod listing;
pub mod live;
pub mod messages;
mod print;
pub mod prologue;
pub mod read;
pub mod schedule;
pub mod scoreboard;
mod text;
pub mod verify;
#[cfg(feature = "objects")]
pub mod yaml;
#[cfg(feature = "objects")]
pub mod ze_info;
#[cfg(feature = "objects")]
pub mod zebin;

pub use kiln_platform::platform;
