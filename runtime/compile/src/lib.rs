//! Compiles modules of vISA: from texts or binaries to machine code, object files and code for an address.
//!
//! A [`Session`] compiles an [`Input`] to a [`CompiledModule`]. Programs depend on `kiln-runtime`, which re-exports
//! this crate and the executor.

#![warn(missing_docs)]

pub mod attempt;
pub mod cache;
pub mod callgraph;
pub mod choose;
mod debug;
pub mod debug_lines;
pub mod diagnostic;
mod failure;
pub mod finalize;
pub mod info;
pub mod interface;
mod level;
pub mod lines;
pub mod link;
pub mod loader;
pub mod object_file;
mod options;
pub mod passes;
pub mod pressure;
pub mod relink;
mod result;
mod run;
pub mod session;
pub mod source;
mod stages;
mod steps;
mod stored;
mod unit;

pub use kiln_emit::assemble::RelocationKind;
pub use kiln_emit::zebin::Zebin;
pub use kiln_machine::func::Entered;
pub use kiln_platform::platform::{PLATFORMS, Platform, find as find_platform};
pub use kiln_regalloc::{Allocator, Stats as AllocationStats};
pub use kiln_visa as visa;
pub use kiln_visa::verify::Severity;

pub use cache::Cache;
pub use diagnostic::Diagnostic;
pub use failure::{CompileError, Error, Failure, Unsupported};
pub use info::Info;
pub use interface::Interface;
pub use loader::{Image, LoadError};
pub use object_file::ObjectError;
pub use options::{Grfs, Options, Stage, Tier};
pub use result::{Compiled, CompiledModule, KernelInput, Relocation, Seconds, Symbol};
pub use session::{Loaded, Outcome, Session};
pub use source::Input;
