//! The machine IR: Gen instructions on virtual registers, in SSA form.
//!
//! `kiln-ir` is for analysis of vISA and changes no instruction. The machine IR is for
//! rewriting: selection makes a [`func::Function`] of wide instructions, passes improve it,
//! legalization splits them into instructions of the target, allocation assigns registers. Every state
//! prints ([`mod@print`]), a form that `kiln-machine-testing` reads back; the verifier checks it between passes ([`verify`]).

pub mod build;
pub mod func;
pub mod graph;
pub mod inst;
pub mod liveness;
pub mod pressure;
pub mod print;
pub mod verify;
