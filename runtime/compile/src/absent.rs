//! Types of parts that a build leaves out. None has a value, so that code for them needs no second form.

/// Dialects of LLVM IR.
#[cfg(feature = "genx")]
pub use kiln_genx::Variant;
/// Warnings about LLVM IR.
#[cfg(feature = "genx")]
pub use kiln_genx::error::Diagnostic as Warning;

/// Dialects of LLVM IR, which this build does not read.
#[cfg(not(feature = "genx"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {}

/// Warnings about LLVM IR, which this build does not read.
#[cfg(not(feature = "genx"))]
#[derive(Clone, Debug)]
pub enum Warning {}

/// Argument layouts, which this build does not read.
#[cfg(not(feature = "objects"))]
#[derive(Clone, Debug)]
pub enum Interface {}
