//! `.ze_info`: a kernel's launch requirements for the driver, as YAML (zebin documentation).
//!
//! A document is read into [`ZeInfo`] and written from it. Keys that this model does not name are kept in a map
//! `other`, so that rewriting one field (the register count, say) loses nothing of the producer's.

use serde::{Deserialize, Serialize};
use serde_norway::{Mapping, Value};

/// The error of a `.ze_info` document.
#[derive(Debug, thiserror::Error)]
#[error(".ze_info: {0}")]
pub struct ZeInfoError(#[from] serde_norway::Error);

/// The whole document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(expecting = "a document with keys version and kernels")]
pub struct ZeInfo {
    /// Version of the format (`1.20`).
    pub version: String,
    #[serde(default)]
    pub kernels: Vec<Kernel>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<Function>,
    /// The source's declarations of the kernels' arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kernels_misc_info: Vec<KernelMiscInfo>,
    #[serde(flatten)]
    pub other: Mapping,
}

/// One kernel's entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Kernel {
    pub name: String,
    pub execution_env: ExecutionEnv,
    /// The cross-thread part of the payload, offsets from its start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub payload_arguments: Vec<PayloadArgument>,
    /// The per-thread part of the payload, offsets from its start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per_thread_payload_arguments: Vec<PerThreadPayloadArgument>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub binding_table_indices: Vec<BindingTableIndex>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub per_thread_memory_buffers: Vec<PerThreadMemoryBuffer>,
    /// Samplers that the source declares.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inline_samplers: Vec<InlineSampler>,
    #[serde(flatten)]
    pub other: Mapping,
}

/// One kernel's entry of `kernels_misc_info`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KernelMiscInfo {
    pub name: String,
    #[serde(default)]
    pub args_info: Vec<ArgInfo>,
    #[serde(flatten)]
    pub other: Mapping,
}

/// An argument as the source declares it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ArgInfo {
    pub index: u32,
    /// The type and, after a semicolon, its size in bytes: `float4;16`.
    #[serde(default)]
    pub type_name: String,
    #[serde(flatten)]
    pub other: Mapping,
}

impl ArgInfo {
    /// The type's size in bytes.
    pub fn size(&self) -> Option<u32> {
        self.type_name.rsplit_once(';')?.1.parse().ok()
    }
}

/// An externally callable function's entry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Function {
    pub name: String,
    pub execution_env: ExecutionEnv,
    #[serde(flatten)]
    pub other: Mapping,
}

/// Requirements of a kernel's threads. An absent field has the driver's default, which is 0 or false.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExecutionEnv {
    /// Number of barriers that a group uses.
    #[serde(default, skip_serializing_if = "is_default")]
    pub barrier_count: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub disable_mid_thread_preemption: bool,
    /// Number of threads that an execution unit runs at a time; 0 if the driver is to derive it from `grf_count`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub eu_thread_count: u32,
    /// Number of general registers of a thread.
    pub grf_count: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub has_global_atomics: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub has_no_stateless_write: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub has_stack_calls: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub inline_data_payload_size: u32,
    /// Bytes from the kernel's start to the code after the per-thread payload's loading.
    #[serde(default, skip_serializing_if = "is_default")]
    pub offset_to_skip_per_thread_data_load: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub offset_to_skip_set_ffid_gp: u32,
    /// True if threads must not run in pairs of execution units.
    #[serde(default, skip_serializing_if = "is_default")]
    pub require_disable_eufusion: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    pub required_sub_group_size: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub required_work_group_size: Vec<u32>,
    /// Number of channels of a thread.
    pub simd_size: u32,
    /// Bytes of shared local memory the kernel itself declares (without `local` arguments).
    #[serde(default, skip_serializing_if = "is_default")]
    pub slm_size: u32,
    /// Bytes of private memory and of spill space in the scratch of one thread.
    #[serde(default, skip_serializing_if = "is_default")]
    pub private_size: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub spill_size: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub subgroup_independent_forward_progress: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub work_group_walk_order_dimensions: Vec<u32>,
    #[serde(flatten)]
    pub other: Mapping,
}

/// One datum of the cross-thread payload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PayloadArgument {
    pub arg_type: ArgType,
    /// Offset in the cross-thread payload, in bytes, and size there. A stateful pointer has size 0.
    #[serde(default)]
    pub offset: u32,
    #[serde(default)]
    pub size: u32,
    /// Index of the kernel's argument.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arg_index: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub addrmode: Option<AddrMode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub addrspace: Option<AddrSpace>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub access_type: Option<AccessType>,
    /// For a by-value argument passed in pieces: the piece's offset in the argument, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_offset: Option<u32>,
    /// Alignment of a `local` argument in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slm_alignment: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bti_value: Option<u32>,
    /// Index in the table of samplers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sampler_index: Option<u32>,
    /// Kind of the image in the source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image_type: Option<ImageType>,
    #[serde(flatten)]
    pub other: Mapping,
}

/// Kind of a datum of the payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgType {
    PackedLocalIds,
    LocalId,
    LocalSize,
    GroupCount,
    GlobalSize,
    EnqueuedLocalSize,
    GlobalIdOffset,
    PrivateBaseStateless,
    ArgByvalue,
    ArgBypointer,
    BufferAddress,
    BufferOffset,
    PrintfBuffer,
    WorkDimensions,
    ImplicitArgBuffer,
    ConstBase,
    GlobalBase,
    BufferSize,
    ImageWidth,
    ImageHeight,
    ImageDepth,
    ImageArraySize,
    ImageChannelDataType,
    ImageChannelOrder,
    ImageNumSamples,
    ImageNumMipLevels,
    ImageSrgbChannelOrder,
    /// Address of an image's memory, with sizes in bytes and rows, less 1.
    FlatImageBaseoffset,
    FlatImageWidth,
    FlatImageHeight,
    FlatImagePitch,
    SamplerAddress,
    SamplerNormalized,
    /// All ones if the kernel itself must distinguish coordinates below 0 from those above.
    SamplerSnapWa,
    /// Offset of a sampler that the source declares.
    InlineSampler,
    #[serde(untagged)]
    Other(String),
}

/// Kind of an image argument.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageType {
    ImageBuffer,
    #[serde(rename = "image_1d")]
    Image1d,
    #[serde(rename = "image_1d_array")]
    Image1dArray,
    #[serde(rename = "image_2d")]
    Image2d,
    #[serde(rename = "image_2d_array")]
    Image2dArray,
    #[serde(rename = "image_3d")]
    Image3d,
    #[serde(rename = "image_2d_media")]
    Image2dMedia,
    #[serde(rename = "image_2d_media_block")]
    Image2dMediaBlock,
    #[serde(untagged)]
    Other(String),
}

/// A sampler that the source declares: an entry of the table of samplers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InlineSampler {
    pub sampler_index: u32,
    #[serde(default)]
    pub addrmode: SamplerAddrMode,
    #[serde(default)]
    pub filtermode: SamplerFilterMode,
    #[serde(default, skip_serializing_if = "is_default")]
    pub normalized: bool,
    #[serde(flatten)]
    pub other: Mapping,
}

/// Treatment of coordinates outside an image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SamplerAddrMode {
    #[default]
    None,
    Repeat,
    ClampEdge,
    ClampBorder,
    Mirror,
    #[serde(untagged)]
    Other(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SamplerFilterMode {
    #[default]
    Nearest,
    Linear,
    #[serde(untagged)]
    Other(String),
}

/// Way in which a pointer argument is accessed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AddrMode {
    /// By an entry of the binding table.
    Stateful,
    /// By its address.
    Stateless,
    Bindless,
    /// Shared local memory.
    Slm,
    #[serde(untagged)]
    Other(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AddrSpace {
    Global,
    Local,
    Constant,
    Image,
    Sampler,
    #[serde(untagged)]
    Other(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessType {
    Readonly,
    Writeonly,
    Readwrite,
    #[serde(untagged)]
    Other(String),
}

/// One datum of the per-thread payload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PerThreadPayloadArgument {
    pub arg_type: ArgType,
    #[serde(default)]
    pub offset: u32,
    #[serde(default)]
    pub size: u32,
    #[serde(flatten)]
    pub other: Mapping,
}

/// An entry of the binding table and the argument it describes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BindingTableIndex {
    pub bti_value: u32,
    pub arg_index: u32,
    #[serde(flatten)]
    pub other: Mapping,
}

/// Memory that each thread needs besides its registers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PerThreadMemoryBuffer {
    #[serde(rename = "type")]
    pub kind: MemoryKind,
    pub usage: MemoryUsage,
    /// Bytes of one work-item when `is_simt_thread`, else of one thread.
    pub size: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub slot: u32,
    #[serde(default, skip_serializing_if = "is_default")]
    pub is_simt_thread: bool,
    #[serde(flatten)]
    pub other: Mapping,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryKind {
    Global,
    Scratch,
    Slm,
    #[serde(untagged)]
    Other(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryUsage {
    PrivateSpace,
    SpillFillSpace,
    SingleSpace,
    #[serde(untagged)]
    Other(String),
}

/// Writes a mapping's lines. The first is not indented, because it may follow the dash of a list.
fn write_mapping(mapping: &Mapping, indent: usize, out: &mut String) -> Result<(), ZeInfoError> {
    for (index, (key, value)) in mapping.iter().enumerate() {
        if index > 0 {
            out.extend(std::iter::repeat_n(' ', indent));
        }
        out.push_str(&scalar(key)?);
        out.push(':');
        match value {
            Value::Mapping(inner) if !inner.is_empty() => {
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', indent + 2));
                write_mapping(inner, indent + 2, out)?;
            }
            Value::Sequence(items) if items.iter().any(Value::is_mapping) => {
                out.push('\n');
                for item in items {
                    out.extend(std::iter::repeat_n(' ', indent + 2));
                    out.push_str("- ");
                    match item {
                        Value::Mapping(inner) if !inner.is_empty() => {
                            write_mapping(inner, indent + 4, out)?;
                        }
                        other => {
                            out.push_str(&scalar(other)?);
                            out.push('\n');
                        }
                    }
                }
            }
            other => {
                out.push(' ');
                out.push_str(&scalar(other)?);
                out.push('\n');
            }
        }
    }
    Ok(())
}

/// A value on one line: unquoted or quoted, or a list or mapping in brackets.
fn scalar(value: &Value) -> Result<String, ZeInfoError> {
    Ok(match value {
        Value::Sequence(items) => {
            let items = items.iter().map(scalar).collect::<Result<Vec<_>, _>>()?;
            format!("[{}]", items.join(", "))
        }
        Value::Mapping(entries) => {
            let entries = entries
                .iter()
                .map(|(k, v)| Ok(format!("{}: {}", scalar(k)?, scalar(v)?)))
                .collect::<Result<Vec<_>, ZeInfoError>>()?;
            format!("{{{}}}", entries.join(", "))
        }
        Value::String(s) if !is_words(s) => quoted(s),
        plain => serde_norway::to_string(plain)?.trim_end().to_string(),
    })
}

/// True for names with single spaces between. The driver's reader (compute-runtime, `yaml_parser.h`) takes qualifiers, such as
/// `const restrict`, without quotes only, and types of arguments, such as `int*;8`, with them only.
fn is_words(s: &str) -> bool {
    let is_name = |word: &str| {
        word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
    };
    s.split(' ').all(is_name)
}

/// A string in single quotes, as the reference compiler writes it, or in double quotes with escapes that every YAML reader accepts.
fn quoted(s: &str) -> String {
    if s.chars().all(|c| matches!(c, ' '..='~') && c != '\'') {
        return format!("'{s}'");
    }
    let mut out = "\"".to_string();
    for c in s.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            c => out.push_str(&format!("\\U{:08x}", u32::from(c))),
        }
    }
    out.push('"');
    out
}

fn is_default<T: Default + PartialEq>(v: &T) -> bool {
    *v == T::default()
}

impl ZeInfo {
    /// Reads a document.
    pub fn parse(yaml: &[u8]) -> Result<ZeInfo, ZeInfoError> {
        crate::yaml::check(yaml).map_err(<serde_norway::Error as serde::de::Error>::custom)?;
        let info: ZeInfo = serde_norway::from_slice(yaml)?;
        // An entry without a size has none.
        let sizes = |kernel: &Kernel| matches!(kernel.execution_env.simd_size, 0 | 1 | 8 | 16 | 32);
        match info.kernels.iter().find(|kernel| !sizes(kernel)) {
            Some(kernel) => {
                let (name, size) = (&kernel.name, kernel.execution_env.simd_size);
                let what = format!("kernel {name}: simd_size {size}, 1, 8, 16 or 32 expected");
                Err(ZeInfoError(serde::de::Error::custom(what)))
            }
            None => Ok(info),
        }
    }

    /// The document as YAML in the layout of the driver's reader: a list is indented under its key, and a list of
    /// scalars is on one line.
    pub fn to_yaml(&self) -> Result<String, ZeInfoError> {
        let mut out = "---\n".to_string();
        if let Value::Mapping(document) = serde_norway::to_value(self)? {
            write_mapping(&document, 0, &mut out)?;
        }
        out.push_str("...\n");
        Ok(out)
    }

    /// The kernel with the given name.
    pub fn kernel(&self, name: &str) -> Option<&Kernel> {
        self.kernels.iter().find(|k| k.name == name)
    }

    /// The source's declarations of the arguments of a kernel.
    pub fn args_info(&self, kernel: &str) -> &[ArgInfo] {
        let infos = self.kernels_misc_info.iter().find(|k| k.name == kernel);
        infos.map_or(&[], |k| k.args_info.as_slice())
    }

    /// The kernel with the given name, mutable.
    pub fn kernel_mut(&mut self, name: &str) -> Option<&mut Kernel> {
        self.kernels.iter_mut().find(|k| k.name == name)
    }
}

#[cfg(test)]
#[path = "tests/ze_info.rs"]
mod tests;
