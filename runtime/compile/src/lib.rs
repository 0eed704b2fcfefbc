//! Compiles modules of vISA: from texts or binaries to machine code, object files and code for an address.
//!
//! A [`Session`] compiles an [`Input`] to a [`CompiledModule`]. Programs depend on `kiln-runtime`, which re-exports
//! this crate and the executor.

//!
//! Features, all of them in the default: `cache`, `genx` (LLVM IR and SPIR-V), `objects` (object files and argument
//! layouts) and `threads`. Without them, vISA becomes machine code and code for an address.

#![warn(missing_docs)]

mod absent;
#[cfg(feature = "objects")]
pub mod archive;
pub mod attempt;
#[cfg(feature = "cache")]
pub mod cache;
pub mod callgraph;
#[cfg(feature = "objects")]
pub mod choose;
#[cfg(feature = "objects")]
mod debug;
#[cfg(feature = "objects")]
pub mod debug_lines;
pub mod diagnostic;
#[cfg(feature = "objects")]
mod entry_points;
mod failure;
#[cfg(feature = "objects")]
pub mod finalize;
#[cfg(feature = "objects")]
pub mod info;
#[cfg(feature = "objects")]
pub mod interface;
mod level;
pub mod lines;
pub mod link;
pub mod loader;
#[cfg(not(feature = "cache"))]
mod no_cache;
#[cfg(feature = "objects")]
pub mod object_file;
mod options;
mod parallel;
pub mod passes;
pub mod pressure;
pub mod rank;
#[cfg(feature = "objects")]
pub mod relink;
mod result;
mod run;
pub mod session;
pub mod source;
mod stages;
mod steps;
mod stop;
mod stored;
mod unit;

pub use kiln_emit::assemble::RelocationKind;
#[cfg(feature = "objects")]
pub use kiln_emit::zebin::Zebin;
pub use kiln_machine::func::Entered;
pub use kiln_platform::platform::{PLATFORMS, Platform, find as find_platform};
pub use kiln_regalloc::{Allocator, Stats as AllocationStats};
pub use kiln_visa as visa;
pub use kiln_visa::verify::Severity;

#[cfg(feature = "cache")]
pub use cache::Cache;
pub use diagnostic::Diagnostic;
pub use failure::{CompileError, Error, Failure, Unsupported};
#[cfg(feature = "objects")]
pub use info::Info;
#[cfg(feature = "objects")]
pub use interface::Interface;
pub use loader::{Image, LoadError};
#[cfg(feature = "objects")]
pub use object_file::ObjectError;
pub use options::{Grfs, Options, Stage, Tier};
pub use result::{Compiled, CompiledModule, KernelInput, Relocation, Seconds, Symbol};
pub use session::{Loaded, Outcome, Session};
pub use source::Input;
pub use stop::{Stop, Stopped};
