//! The finalizer as a library: sessions that compile modules of vISA, and the host execution of Gen
//! code.
//!
//! A [`Session`] compiles an [`Input`], which is vISA in memory, to a [`CompiledModule`]: its kernels, each a
//! [`Compiled`] with machine code, relocations, symbols and figures. [`CompiledModule::load_at`] makes code for an
//! address of it, [`Session::object_file`] an object file, and [`exec`] executes either on the host. What is wrong with
//! a module is a [`Failure`], or as records, [`Diagnostic`]s. Ordinary use needs no other crate: what of others it
//! meets is here, and [`visa`] is vISA itself, to be built, read, checked and written. `docs/embedding.md` is the
//! guide.

pub use kiln_compile::*;
pub use kiln_exec::{self as exec, launch, picture};
