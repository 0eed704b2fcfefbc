//! The finalizer as a library: sessions that compile modules of vISA, and execution of Gen code on the host.
//!
//! A [`Session`] compiles an [`Input`], which is vISA in memory, to a [`CompiledModule`]: its kernels, each a
//! [`Compiled`] with machine code, relocations, symbols and figures. [`CompiledModule::load_at`] makes code for an
//! address, [`Session::object_file`] an object file, and [`exec`] executes both on the host. Errors are [`Failure`]s,
//! or [`Diagnostic`]s as records. Most programs need no other crate: the types of other crates in these interfaces are
//! re-exported, [`machine`] lists code and looks at its cost and live registers, and [`visa`] builds, reads, checks and writes vISA. `docs/embedding.md` is the guide.

#![warn(missing_docs)]

pub use kiln_compile::*;
pub use kiln_emit as machine;
#[cfg(feature = "exec")]
pub use kiln_exec::{self as exec, launch, picture};
