//! The SSA-like IR between vISA and Gen.
//!
//! [`build`](build::build) turns one vISA kernel or function into a [`func::Function`]: blocks in
//! the order the hardware runs them, joins where divergent channels meet again, and an SSA value
//! for every version of every piece of storage. The vISA instructions themselves stay as the
//! frontend read them; the IR says which values each one reads and makes.
//!
//! Two control-flow graphs are kept apart by name: the *logical* one (what a single channel can
//! do) and the *linear* one (what the hardware executes, fall-through of disabled channels
//! included). Liveness of old contents is solved on the logical graph, SSA is built on the linear
//! one; `docs/ir.md` has the argument.

pub mod access;
pub mod address_taken;
pub mod build;
pub mod callgraph;
pub mod cfg;
pub mod contents;
pub mod divergence;
pub mod dominators;
pub mod expand;
pub mod func;
pub mod in_place;
mod lane_local;
pub mod linear;
pub mod liveness;
pub mod pack;
pub mod print;
pub mod ranges;
pub mod regions;
pub mod share_cells;
pub mod ssa;
mod storage;
pub mod subroutines;
pub mod verify;
