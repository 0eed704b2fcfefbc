//! Tests of analyses of vISA.
//! One program, because linking each file for itself takes minutes.

mod calls;
mod common;
mod dominators;
mod flow;
mod kept;
mod lanes;
mod pack;
mod ssa;
mod subroutines;
mod taken;
