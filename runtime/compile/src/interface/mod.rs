//! Interfaces of kernels that come without an argument layout: the meaning of each argument and implicit value, and
//! its place in the registers (docs/object-files.md).
//!
//! An [`Interface`] is given as a YAML file or made in memory, and checked against the `.input` declarations of the
//! vISA: a value must lie in an input, values must not overlap, and every input needs a value. The result is the
//! `.ze_info` of an object file. [`Interface::guess`] makes one from the declarations alone, taking every input for an
//! argument.
//!
//! Offsets are those of `.input`: bytes in the register file. Register 0 is the header. The local ids follow, or one
//! unused register if there are none, and then the values that all threads share (PRM vol. 7, "Thread Payload").
//! Where arguments are in memory, there is no unused register, and the values are inline data and what the kernel's
//! prologue loads: this module takes both from the compiled code.

mod check;
pub(crate) mod data;
mod entry;
pub(crate) mod genx;
mod guess;
mod places;

pub use check::{Fault, InterfaceError};
pub use data::{
    Access, Argument, Implicit, ImplicitKind, Interface, KernelInterface, ParseError, Text,
};
