//! Tests of analyses of vISA.
//! One program, because linking each file for itself takes minutes.

mod calls;
mod common;
mod contents;
mod dominators;
mod flow;
mod in_place;
mod kept;
mod pack;
mod share_cells;
mod ssa;
mod subroutines;
mod taken;
