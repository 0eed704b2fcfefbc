//! vISA in: the opcode table, shapes of payloads, the readers for binary objects and text, the printer; and a
//! [builder](build) for those who make vISA.
//!
//! Nothing here knows of Gen machine code. A [`module::Module`] is what both readers make and
//! what everything behind them takes.

mod attributes;
pub mod binary;
pub mod build;
pub mod labels;
pub mod module;
pub mod opcode;
pub mod print;
pub mod shape;
pub mod text;
pub mod verify;
