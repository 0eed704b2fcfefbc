//! ocloc's command line and library interface, with Kiln in place of the finalizer.
//!
//! [`compile::compile`] makes a call: Intel's ocloc ([`front`]) does everything up to vISA, and Kiln the code. The program
//! `kiln-ocloc` takes ocloc's arguments, and the library exports what `libocloc.so` does. `docs/driver.md` is the guide.

#![warn(missing_docs)]

pub mod command;
pub mod compile;
pub mod front;
#[cfg(unix)]
pub mod library;
mod log;

pub use log::{STRICT, is_strict, kept, refusals, unread, without_change};

#[cfg(unix)]
mod exports;
