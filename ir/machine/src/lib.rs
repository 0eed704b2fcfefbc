//! The machine IR: Gen instructions on virtual registers, in SSA form.
//!
//! `kiln-ir` is for analysis of vISA: it says who reads what and changes nothing. This is for
//! rewriting: selection makes a [`func::Function`] of wide instructions, passes improve it,
//! legalization cuts it to what the target takes, allocation assigns registers. Every state of it
//! prints ([`mod@print`]), reads back ([`parse`]), and is held against its rules between passes
//! ([`verify`]).

pub mod build;
pub mod func;
pub mod graph;
pub mod inst;
pub mod liveness;
pub mod parse;
pub mod pressure;
pub mod print;
#[cfg(feature = "testing")]
pub mod testing;
pub mod verify;
