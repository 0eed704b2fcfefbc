//! Execution of machine code on the host.
//!
//! An interpreter. It decodes machine code once to resolved operations ([`Program`]), sets up threads as the driver
//! does from `.ze_info` ([`Launch`]), and executes each operation as the Programmer's Reference Manual defines its
//! instruction. Differences between platforms are resolved when code is decoded. It shares no code with instruction
//! selection, so that one checks the other.
//!
//! It is exact where the architecture is: integers, IEEE arithmetic, control flow, memory. The
//! extended math functions are rounded correctly, where the hardware's differ in the last places.
//! Undefined behaviour of a machine (an access out of bounds, an unwritten register's value)
//! is an error here or a value no one expects. Groups run on several cores, a group's threads in
//! turn on one of them: results, figures ([`Stats`]) and errors do not depend on the number of
//! cores, as far as the kernel itself orders what its groups do.

#![deny(unsafe_code)]

mod alu;
mod atomic;
mod barrier;
mod binding;
mod block;
mod block_2d;
mod buffer;
mod defined;
mod dispatch;
mod engine;
mod error;
mod fast;
mod filter;
mod flow;
mod format;
mod image;
mod implicit;
pub mod launch;
mod link;
mod load_store;
mod machine;
mod mapping;
mod math;
mod memory;
mod message;
mod operand;
mod operation;
pub mod picture;
mod plain;
mod program;
mod run;
mod sampler;
mod single;
mod stats;
mod systolic;
mod trace;
#[cfg(all(feature = "translate", target_arch = "x86_64", target_os = "linux"))]
pub mod translate;
mod typed;
mod vector;
mod wide;
mod words;

pub use buffer::{Buffer, Element};
pub use dispatch::{Arg, BindError, Launch, RunError};
pub use engine::Engine;
pub use error::{Cause, ExecError};
pub use format::Format;
pub use image::{Addressing, Comparison, Filter, Image, ImageKind, Sampler, Shape};
pub use link::LinkError;
pub use program::Program;
pub use run::Options;
pub use single::{Registers, World};
pub use stats::{Count, Stats};
pub use trace::Trace;

#[cfg(test)]
mod tests;
