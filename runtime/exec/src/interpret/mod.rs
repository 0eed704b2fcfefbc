//! The interpreter: executes one operation after the other on a thread.

mod alu;
mod check;
mod flow;
mod math;
mod operand;
pub mod step;
pub mod systolic;
pub mod turns;
mod vector;
