//! vISA of a module that was lowered.

mod alu;
mod assign;
mod bale;
mod bits;
mod bools;
mod calls;
mod diverge;
mod division;
mod emulate;
mod floats;
mod flow;
mod function;
mod inline;
mod legacy;
mod lsc;
mod messages;
pub mod module;
mod object;
mod operand;
mod parts;
mod payload;
mod places;
mod predicates;
mod regions;
mod sampler;
mod send;
mod systolic;
mod value;

pub use assign::predecessors;
pub use bale::{Uses, uses};
pub use diverge::has as diverges;
