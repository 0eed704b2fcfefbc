//! Execution of machine code on the host.
//!
//! Machine code is decoded once to resolved operations ([`Program`]), threads are set up as the driver does from
//! `.ze_info` ([`Launch`]), and each operation is executed as the Programmer's Reference Manual defines its instruction:
//! by an interpreter, or by code of the host that it was translated to ([`Engine`]). Differences between platforms are
//! resolved when code is decoded. The crate shares no code with instruction selection, so that one checks the other.
//!
//! | room | contents |
//! | --- | --- |
//! | `state` | threads with their registers, memory, images, barriers; numbers; causes of failures |
//! | `code` | decoded code: operations, and how instructions are resolved to them |
//! | `messages` | effects of messages: memory, images, samplers, barriers |
//! | `interpret` | the interpreter |
//! | `translate` | translation to x86-64 |
//! | `launch` | launches: arguments, payloads, groups on several cores, figures, traces |
//!
//! Each room uses only those above it.
//!
//! The executor is exact where the architecture is: integers, IEEE arithmetic, control flow, memory. The
//! extended math functions are rounded correctly, where the hardware's differ in the last places.
//! Undefined behaviour of a machine (an access out of bounds, an unwritten register's value)
//! is an error here or a value no one expects. Groups run on several cores, a group's threads in
//! turn on one of them: results, figures ([`Stats`]) and errors do not depend on the number of
//! cores, as far as the kernel itself orders what its groups do.

#![warn(missing_docs)]
#![deny(unsafe_code)]

mod code;
mod interpret;
pub mod launch;
mod messages;
mod state;
#[cfg(all(feature = "translate", target_arch = "x86_64", target_os = "linux"))]
pub mod translate;

/// Launches below those of [`Launch`], for a device that a driver controls.
pub mod device {
    pub use crate::launch::dispatch::{Dispatch, Start};
    pub use crate::launch::setup::write_local_ids;
    pub use crate::state::image::{Rows, Tile};
    pub use crate::state::memory::{Bindings, HEAP, Memory, Place, SCRATCH_STATE, Surface};
}

pub use code::counts::Count;
pub use code::link::LinkError;
pub use launch::buffer::{Buffer, Element};
pub use launch::engine::Engine;
pub use launch::error::{BindError, ExecError, RunError};
pub use launch::picture;
pub use launch::program::Program;
pub use launch::request::{Arg, Launch};
pub use launch::run::Options;
pub use launch::single::{Registers, World};
pub use launch::stats::Stats;
pub use launch::trace::Trace;
pub use state::cause::Cause;
pub use state::format::Format;
pub use state::image::{Addressing, Comparison, Filter, Image, ImageKind, Sampler, Shape};

#[cfg(test)]
mod tests;
