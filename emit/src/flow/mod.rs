//! Control flow after register allocation: passes over a [`Program`](crate::assemble::Program).
//!
//! Allocation may put moves on any edge, and only then is it known which edges are empty. What
//! depends on that is done here. `docs/control-flow.md` has the argument why no channel is lost.

pub mod backward;
