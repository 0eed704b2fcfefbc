//! The vISA front end: opcode table, shapes of payloads, readers and writers of text and binary objects, verifier;
//! and a [builder](build) for compilers that generate vISA.
//!
//! Nothing here knows Gen machine code. Both readers give a [`module::Module`], which all later steps take.

#![warn(missing_docs)]

mod attributes;
pub mod binary;
pub mod build;
pub mod labels;
pub mod lsc;
pub mod module;
pub mod opcode;
mod operands;
pub mod print;
pub mod shape;
pub mod text;
pub mod verify;
