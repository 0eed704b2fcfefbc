//! Execution of Gen9 machine code on the host.
//!
//! A plain interpreter: it decodes the bytes that go to the hardware ([`Program`]), sets threads
//! up as the driver does from `.ze_info` ([`Launch`]), and carries out each instruction by its
//! definition in the Programmer's Reference Manual. It shares no code with instruction selection,
//! so that one checks the other.
//!
//! It is exact where the architecture is: integers, IEEE arithmetic, control flow, memory. The
//! extended math functions are rounded correctly, where the hardware's differ in the last places.
//! What a machine would leave undefined (an access out of bounds, an unwritten register's value)
//! is an error here or a value no one expects. Execution is deterministic: groups run one after
//! the other, a group's threads in turn.

mod alu;
mod atomic;
mod binding;
mod block;
mod defined;
mod dispatch;
mod error;
mod fast;
mod filter;
mod flow;
mod format;
mod image;
mod implicit;
mod link;
mod machine;
mod math;
mod memory;
mod message;
mod operand;
mod operation;
mod program;
mod run;
mod sampler;
mod stats;
mod trace;
mod typed;
mod wide;
mod words;

pub use dispatch::{Arg, BindError, Launch, RunError};
pub use error::{Cause, ExecError};
pub use format::Format;
pub use image::{Addressing, Filter, Image, ImageKind, Sampler, Shape};
pub use link::LinkError;
pub use program::Program;
pub use run::Options;
pub use stats::{Count, Stats};
pub use trace::Trace;

#[cfg(test)]
mod tests;
