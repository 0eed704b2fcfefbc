//! Parts of a declaration: linkage, attributes, and the number of a node of metadata.

use cranelift_entity::entity_impl;
use smol_str::SmolStr;

/// A node of metadata.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct MetaId(u32);
entity_impl!(MetaId, "!");

/// Linkage of a function or variable, as far as the dialect tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    External,
    /// `internal` or `private`.
    Internal,
    /// `dllexport`: a kernel.
    Kernel,
    Other,
}

/// String attributes and those with a value, by name.
pub type Attrs = Vec<(SmolStr, SmolStr)>;
