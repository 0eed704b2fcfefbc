//! The finalizer as a library: sessions that compile modules of vISA, and the host execution of Gen
//! code.
//!
//! A [`Session`] compiles an [`Input`], which is vISA in memory, to a [`CompiledModule`]: its kernels, each a
//! [`Compiled`] with machine code, relocations, symbols and figures. [`CompiledModule::load_at`] makes code for an
//! address of it, [`Session::object_file`] an object file, and [`exec`] executes either on the host. What is wrong with
//! a module is a [`Failure`], or as records, [`Diagnostic`]s. Ordinary use needs no other crate: what of others it
//! meets is here, and [`visa`] is vISA itself, to be built, read, checked and written. `docs/embedding.md` is the
//! guide.

pub mod cache;
pub mod callgraph;
mod debug;
pub mod debug_lines;
pub mod diagnostic;
pub mod exec;
pub mod info;
pub mod interface;
pub mod launch;
pub mod lines;
pub mod link;
pub mod loader;
pub mod object_file;
pub mod picture;
pub mod pipeline;
pub mod pressure;
pub mod relink;
pub mod session;
pub mod source;

pub use kiln_emit::assemble::RelocationKind;
pub use kiln_emit::zebin::Zebin;
pub use kiln_frontend as visa;
pub use kiln_frontend::verify::Severity;
pub use kiln_machine::func::Entered;
pub use kiln_regalloc::{Allocator, Stats as AllocationStats};
pub use kiln_target::platform::{PLATFORMS, Platform, find as find_platform};

pub use cache::Cache;
pub use diagnostic::Diagnostic;
pub use info::Info;
pub use interface::Interface;
pub use loader::{Image, LoadError};
pub use object_file::ObjectError;
pub use pipeline::{Compiled, Options, Relocation, Symbol, Tier};
pub use session::{CompiledModule, Error, Failure, Loaded, Session};
pub use source::Input;
