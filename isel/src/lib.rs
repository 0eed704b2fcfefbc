//! Instruction selection: from the IR of a vISA function to legal machine IR.
//!
//! The passes in order: [`select`] makes wide instructions of vISA operations, [`opt`] improves them, [`legalize`]
//! cuts them to what the hardware has, [`schedule`] orders them, [`pairs`] assigns two narrow values to one
//! register, [`remat`] rematerializes cheap values where register pressure is too high. Register allocation
//! follows.

mod channels;
mod extent;
pub mod legalize;
pub mod opt;
pub mod pairs;
pub mod remat;
pub mod schedule;
pub mod select;
