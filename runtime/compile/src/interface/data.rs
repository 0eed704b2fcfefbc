//! The data of interfaces, and their text.

use kiln_emit::yaml::{self, TooDeep};
use kiln_emit::ze_info::ImageType;
use serde::{Deserialize, Serialize};

/// Interfaces of kernels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interface {
    /// One of each kernel.
    pub kernels: Vec<KernelInterface>,
    /// Texts that the driver keeps, for kernels that print.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub strings: Vec<Text>,
}

impl Interface {
    /// Adds the interfaces of other kernels.
    ///
    /// # Errors
    /// The name of a text that is another in these.
    pub(crate) fn add(&mut self, other: Interface) -> Result<(), String> {
        self.kernels.extend(other.kernels);
        for text in other.strings {
            match self.strings.iter().find(|known| known.name == text.name) {
                None => self.strings.push(text),
                Some(known) if known.bytes == text.bytes => {}
                Some(_) => return Err(text.name),
            }
        }
        Ok(())
    }
}

/// A text that code has the address of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Text {
    /// Name of the symbol that the vISA takes the address of.
    pub name: String,
    /// The bytes, a zero at their end.
    pub bytes: Vec<u8>,
}

/// The interface of one kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelInterface {
    /// Name of the kernel.
    pub name: String,
    /// Bytes of shared local memory that the kernel declares itself.
    #[serde(default)]
    pub local_memory: u32,
    /// Bytes of private memory of each work-item, which `private_base` is the address of.
    #[serde(default)]
    pub private_memory: u32,
    /// Required group size in each dimension, if the kernel has one.
    #[serde(default)]
    pub group_size: Option<[u32; 3]>,
    /// Values that the kernel receives besides its arguments.
    #[serde(default)]
    pub implicit: Vec<Implicit>,
    /// Arguments in the order in which they are set.
    #[serde(default)]
    pub arguments: Vec<Argument>,
}

/// A value that is no argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Implicit {
    /// Meaning of the value.
    pub kind: ImplicitKind,
    /// Offset in bytes from the start of the arguments.
    pub offset: u32,
    /// True if the kernel does not read it, so that no `.input` is declared there.
    #[serde(default)]
    pub unread: bool,
}

/// Kinds of values that a kernel receives besides its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImplicitKind {
    /// A word for each channel and dimension; each dimension begins at the start of a register. In a
    /// kernel of explicit SIMD, three adjacent words. They follow the header.
    LocalIds,
    /// Three dwords each, from this variant to `EnqueuedLocalSize`.
    GlobalIdOffset,
    /// Work-items of the launch.
    GlobalSize,
    /// Groups of the launch.
    GroupCount,
    /// Work-items of a group.
    LocalSize,
    /// Size of the groups that are not at the edge of the launch.
    EnqueuedLocalSize,
    /// One dword.
    WorkDimensions,
    /// Address of the private memory of all threads; this and the following have 8 bytes.
    PrivateBase,
    /// Address of the buffer of `printf`.
    PrintfBuffer,
    /// Address of what a launch says of itself.
    ArgumentBuffer,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Argument {
    /// Passed by value.
    Value {
        /// Offset in bytes from the start of the arguments.
        offset: u32,
        /// Size in bytes.
        size: u32,
        /// True if the kernel does not read it, so that no `.input` is declared there.
        #[serde(default)]
        unread: bool,
    },
    /// A buffer: its 8-byte address at an offset, its index in the binding table, or both.
    Buffer {
        /// Offset of the address in bytes from the start of the arguments.
        #[serde(default)]
        offset: Option<u32>,
        /// Index in the binding table.
        #[serde(default)]
        bti: Option<u32>,
        /// Accesses of the kernel.
        #[serde(default)]
        access: Access,
        /// For a buffer with both: true if the kernel also accesses it through the address.
        #[serde(default)]
        stateless: bool,
        /// True if the kernel does not read the address, so that no `.input` is declared there.
        #[serde(default)]
        unread: bool,
    },
    /// Shared local memory whose size is set at launch: its address, of 4 bytes by default.
    Local {
        /// Offset of the address in bytes from the start of the arguments.
        offset: u32,
        /// Size of the address in bytes.
        #[serde(default = "dword")]
        size: u32,
        /// Alignment of the address in bytes.
        #[serde(default = "dword")]
        alignment: u32,
        /// True if the kernel does not read the address, so that no `.input` is declared there.
        #[serde(default)]
        unread: bool,
    },
    /// An image, by its index in the binding table.
    Image {
        /// Index in the binding table.
        bti: u32,
        /// Kind of the image.
        image_type: ImageType,
        /// Accesses of the kernel.
        #[serde(default)]
        access: Access,
    },
    /// A sampler, by its index in the sampler table.
    #[expect(missing_docs, reason = "the variant says what the index counts")]
    Sampler { index: u32 },
}

fn dword() -> u32 {
    4
}

/// Accesses of a kernel to a buffer or image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// The kernel reads alone.
    #[serde(rename = "readonly")]
    ReadOnly,
    /// The kernel writes alone.
    #[serde(rename = "writeonly")]
    WriteOnly,
    /// The kernel reads and writes.
    #[default]
    #[serde(rename = "readwrite")]
    ReadWrite,
}

/// Reasons why a document is no interface.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum ParseError {
    #[error(transparent)]
    TooDeep(#[from] TooDeep),
    #[error(transparent)]
    Yaml(#[from] serde_norway::Error),
}

impl Interface {
    /// Reads an interface.
    ///
    /// # Errors
    /// The first error in the document, with its place.
    pub fn parse(document: &[u8]) -> Result<Interface, ParseError> {
        yaml::check(document)?;
        Ok(serde_norway::from_slice(document)?)
    }
}

impl ImplicitKind {
    /// Name of the kind in a document.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ImplicitKind::LocalIds => "local_ids",
            ImplicitKind::GlobalIdOffset => "global_id_offset",
            ImplicitKind::GlobalSize => "global_size",
            ImplicitKind::GroupCount => "group_count",
            ImplicitKind::LocalSize => "local_size",
            ImplicitKind::EnqueuedLocalSize => "enqueued_local_size",
            ImplicitKind::WorkDimensions => "work_dimensions",
            ImplicitKind::PrivateBase => "private_base",
            ImplicitKind::PrintfBuffer => "printf_buffer",
            ImplicitKind::ArgumentBuffer => "argument_buffer",
        }
    }
}
