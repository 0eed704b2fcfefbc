//! Instruction selection: from the IR of a vISA function to machine IR that the target takes.
//!
//! In turn: [`select`] makes wide instructions of what vISA says, [`opt`] improves them, [`legalize`]
//! cuts them to what the hardware has, [`schedule`] orders them, [`pairs`] puts narrow values two to a
//! register, [`remat`] computes cheap ones again where too many live. Register allocation follows.

mod channels;
pub mod legalize;
pub mod opt;
pub mod pairs;
pub mod remat;
pub mod schedule;
pub mod select;
