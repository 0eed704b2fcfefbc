//! The machine IR: Gen instructions on virtual registers, in SSA form.
//!
//! `kiln-ir` is for analysis of vISA and changes no instruction. The machine IR is for
//! rewriting: selection makes a [`func::Function`] of wide instructions, passes improve it,
//! legalization splits them into instructions of the target, allocation assigns registers. Every state
//! prints ([`mod@print`]) and reads back ([`parse`]); the verifier checks it between passes ([`verify`]).

pub mod build;
pub mod func;
pub mod graph;
pub mod inst;
pub mod liveness;
pub mod parse;
pub mod pressure;
pub mod print;
pub mod verify;
