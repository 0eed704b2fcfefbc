//! Interfaces of kernels that come without an argument layout: the meaning of each argument and implicit value, and
//! its place in the registers (docs/object-files.md).
//!
//! An [`Interface`] is given as a YAML file or made in memory, and checked against the `.input` declarations of the
//! vISA: a value must lie in an input, values must not overlap, and every input needs a value. The result is the
//! `.ze_info` of an object file. [`Interface::guess`] makes one from the declarations alone, taking every input for an
//! argument.
//!
//! Offsets are those of `.input`: bytes in the register file. Register 0 is the header. The local ids follow, or one
//! unused register if there are none, and then the values that all threads share (PRM vol. 7, "Thread Payload").
//! Where arguments are in memory, there is no unused register, and the values are inline data and what the kernel's
//! prologue loads: this module takes both from the compiled code.

use std::fmt;
use std::ops::Range;

use kiln_emit::platform::{Payload, Platform};
use kiln_emit::prologue::ARGUMENTS_UNIT;
use kiln_emit::yaml::{self, TooDeep};
use kiln_emit::ze_info::{
    AccessType, AddrMode, AddrSpace, ArgType, BindingTableIndex, ExecutionEnv, ImageType,
    Kernel as Entry, MemoryKind, MemoryUsage, PayloadArgument, PerThreadMemoryBuffer,
    PerThreadPayloadArgument, ZeInfo,
};
use serde::{Deserialize, Serialize};
use serde_norway::Mapping;

use crate::result::CompiledModule;
use crate::result::{Compiled, KernelInput};

/// Version of the `.ze_info` that is written.
const VERSION: &str = "1.20";
/// Maximum number of binding table entries for buffers and images; higher ones are reserved.
const MAX_SURFACES: u32 = 240;
/// Maximum number of samplers of a kernel.
const MAX_SAMPLERS: u32 = 16;
/// Bytes of a local id; `DIMENSIONS` is the number of ids.
const ID_BYTES: u32 = 2;
const DIMENSIONS: u32 = 3;
/// Maximum bytes of shared local memory of a group.
const MAX_LOCAL_BYTES: u32 = 64 << 10;

/// Interfaces of kernels.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Interface {
    pub kernels: Vec<KernelInterface>,
}

/// The interface of one kernel.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KernelInterface {
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
    pub kind: ImplicitKind,
    pub offset: u32,
    /// True if the kernel does not read it, so that no `.input` is declared there.
    #[serde(default)]
    pub unread: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImplicitKind {
    /// A word for each channel and dimension; each dimension begins at the start of a register. In a
    /// kernel of explicit SIMD, three adjacent words. They follow the header.
    LocalIds,
    /// Three dwords each, from this variant to `EnqueuedLocalSize`.
    GlobalIdOffset,
    GlobalSize,
    GroupCount,
    LocalSize,
    /// Size of the groups that are not at the edge of the launch.
    EnqueuedLocalSize,
    /// One dword.
    WorkDimensions,
    /// Addresses of 8 bytes: of the private memory of all threads, of the buffer of `printf`, and of what a launch says of
    /// itself.
    PrivateBase,
    PrintfBuffer,
    ArgumentBuffer,
}

/// An argument of a kernel.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Argument {
    /// Passed by value.
    Value {
        offset: u32,
        size: u32,
        /// True if the kernel does not read it, so that no `.input` is declared there.
        #[serde(default)]
        unread: bool,
    },
    /// A buffer: its 8-byte address at an offset, its index in the binding table, or both.
    Buffer {
        #[serde(default)]
        offset: Option<u32>,
        #[serde(default)]
        bti: Option<u32>,
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
        offset: u32,
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
        bti: u32,
        image_type: ImageType,
        #[serde(default)]
        access: Access,
    },
    /// A sampler, by its index in the sampler table.
    Sampler { index: u32 },
}

fn dword() -> u32 {
    4
}

/// Accesses of a kernel to a buffer or image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    #[serde(rename = "readonly")]
    ReadOnly,
    #[serde(rename = "writeonly")]
    WriteOnly,
    #[default]
    #[serde(rename = "readwrite")]
    ReadWrite,
}

/// Reasons why a document is no interface.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    #[error(transparent)]
    TooDeep(#[from] TooDeep),
    #[error(transparent)]
    Yaml(#[from] serde_norway::Error),
}

/// An error in a kernel's interface.
#[derive(Debug, thiserror::Error)]
#[error("kernel {kernel}: {what}")]
pub struct InterfaceError {
    pub kernel: String,
    pub what: Fault,
}

/// The kinds of errors, without the kernel's name. A place is named by the value there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("its interface is not given")]
    Missing,
    #[error("its interface is given twice")]
    Twice,
    #[error(
        "{what}: no .input covers bytes {offset} to {end}; only a value marked `unread` has none"
    )]
    Outside { what: String, offset: u32, end: u64 },
    #[error("{what} is marked `unread`, but .input {input} covers it")]
    Read { what: String, input: String },
    #[error("{what}: `stateless` is for a buffer with both an offset and a binding table index")]
    NotBoth { what: String },
    #[error("{first} and {second} overlap")]
    Overlap { first: String, second: String },
    #[error("the interface has no value for .input {input}, bytes {offset} to {end}")]
    Unfilled {
        input: String,
        offset: u32,
        end: u64,
    },
    #[error("local_ids at offset {found}: they follow the header, at {expected}")]
    LocalIds { found: u32, expected: u32 },
    #[error(
        "the attribute PerThreadInputSize says {found} bytes of local ids; those of the interface have {expected}"
    )]
    LoadedIds { found: u32, expected: u32 },
    #[error(
        "{what} at offset {offset}, to {end}: neither inline data nor in the bytes that the kernel loads, {} to {}",
        loaded.start,
        loaded.end
    )]
    NotLoaded {
        what: String,
        offset: u32,
        end: u64,
        loaded: Range<u32>,
    },
    #[error("{what} at offset {found}: the values that all threads share begin at {expected}")]
    BeforeShared {
        what: String,
        found: u32,
        expected: u32,
    },
    #[error("{what}: neither an offset nor a binding table index")]
    Nowhere { what: String },
    #[error("{what}: {found} is not below {limit}")]
    TooLarge {
        what: String,
        found: u32,
        limit: u32,
    },
    #[error("{what}: {found}")]
    Impossible { what: String, found: u32 },
    #[error("{first} and {second} have the same index {number}")]
    SameNumber {
        first: String,
        second: String,
        number: u32,
    },
    #[error("the meaning of .input {0} is unknown: an interface must give it (see --interface)")]
    Unknown(String),
}

/// Where the values that all threads share are before a kernel reads them in registers.
struct Shared<'a> {
    /// Bytes of the local ids before them.
    id_bytes: u32,
    /// Offset of the first value.
    start: u32,
    /// Bytes of the values that arrive in registers if others are in memory.
    inline: u32,
    /// End of the values that arrive in registers.
    arrived: u64,
    /// Byte range, in the register file, of the values that the kernel loads.
    loaded: &'a Range<u32>,
}

impl Shared<'_> {
    /// The place of a value in the arguments that a driver writes.
    fn place(&self, offset: u32) -> u32 {
        match u64::from(offset) < self.arrived {
            true => offset - self.start,
            false => self.inline + offset - self.loaded.start,
        }
    }

    /// True if the value arrives and stays, or is loaded from where the driver writes it.
    fn has(&self, one: &Placed) -> bool {
        let start = u64::from(one.offset);
        let end = start + u64::from(one.size);
        let [first, last] = [self.loaded.start, self.loaded.end].map(u64::from);
        let is_overwritten = first < last && first < end;
        let is_loaded = first <= start && end <= last;
        match start < self.arrived {
            true => end <= self.arrived && !is_overwritten,
            false => is_loaded,
        }
    }
}

/// A value with a place in the registers.
struct Placed {
    what: What,
    offset: u32,
    size: u32,
    unread: bool,
}

/// The name of a value in messages.
#[derive(Clone, Copy)]
enum What {
    Implicit(ImplicitKind),
    Argument(usize),
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            What::Implicit(ImplicitKind::LocalIds) => f.write_str("local_ids"),
            What::Implicit(kind) => f.write_str(kind.name()),
            // Messages count arguments from 1.
            What::Argument(number) => write!(f, "argument {}", number + 1),
        }
    }
}

impl ImplicitKind {
    fn name(self) -> &'static str {
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

    /// Its type in a kernel whose threads have so many work-items.
    fn arg_type(self, simd: u32) -> ArgType {
        match self {
            ImplicitKind::LocalIds if simd == 1 => ArgType::PackedLocalIds,
            ImplicitKind::LocalIds => ArgType::LocalId,
            ImplicitKind::GlobalIdOffset => ArgType::GlobalIdOffset,
            ImplicitKind::GlobalSize => ArgType::GlobalSize,
            ImplicitKind::GroupCount => ArgType::GroupCount,
            ImplicitKind::LocalSize => ArgType::LocalSize,
            ImplicitKind::EnqueuedLocalSize => ArgType::EnqueuedLocalSize,
            ImplicitKind::WorkDimensions => ArgType::WorkDimensions,
            ImplicitKind::PrivateBase => ArgType::PrivateBaseStateless,
            ImplicitKind::PrintfBuffer => ArgType::PrintfBuffer,
            ImplicitKind::ArgumentBuffer => ArgType::ImplicitArgBuffer,
        }
    }

    /// Bytes that it takes in a kernel whose threads have `simd` work-items.
    fn bytes(self, simd: u32, grf_bytes: u32) -> u32 {
        match self {
            ImplicitKind::LocalIds if simd == 1 => DIMENSIONS * ID_BYTES,
            ImplicitKind::LocalIds => DIMENSIONS * (simd * ID_BYTES).next_multiple_of(grf_bytes),
            ImplicitKind::WorkDimensions => 4,
            ImplicitKind::PrivateBase
            | ImplicitKind::PrintfBuffer
            | ImplicitKind::ArgumentBuffer => 8,
            _ => 4 * DIMENSIONS,
        }
    }
}

impl Access {
    fn access_type(self) -> AccessType {
        match self {
            Access::ReadOnly => AccessType::Readonly,
            Access::WriteOnly => AccessType::Writeonly,
            Access::ReadWrite => AccessType::Readwrite,
        }
    }
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

    /// The interfaces that the module has itself, else interfaces that take each `.input` for an argument, in the order
    /// of declaration: an input of type `uq` for the address of a buffer that is read and written, any other for a
    /// value of its type.
    ///
    /// # Errors
    /// An input has several elements, so that its kind is unknown.
    pub fn guess(module: &CompiledModule) -> Result<Interface, InterfaceError> {
        if let Some(interface) = &module.interface {
            return Ok(interface.clone());
        }
        let kernel = |kernel: &Compiled| {
            let arguments = kernel.inputs.iter().map(argument);
            let arguments = arguments.collect::<Result<_, _>>();
            Ok(KernelInterface {
                name: kernel.name.clone(),
                arguments: arguments.map_err(|what| InterfaceError {
                    kernel: kernel.name.clone(),
                    what,
                })?,
                ..KernelInterface::default()
            })
        };
        let kernels = module.kernels.iter().map(kernel);
        Ok(Interface {
            kernels: kernels.collect::<Result<_, _>>()?,
        })
    }

    /// The `.ze_info` of a module's kernels, without the facts that compilation decides;
    /// [`object_file`](crate::object_file) adds those.
    ///
    /// # Errors
    /// A kernel has no interface, or one that does not fit its `.input` declarations.
    pub fn ze_info(
        &self,
        module: &CompiledModule,
        platform: &Platform,
    ) -> Result<ZeInfo, InterfaceError> {
        let entry = |kernel: &Compiled| {
            self.entry(kernel, platform).map_err(|what| InterfaceError {
                kernel: kernel.name.clone(),
                what,
            })
        };
        let kernels = module.kernels.iter().map(entry);
        Ok(ZeInfo {
            version: VERSION.to_string(),
            kernels: kernels.collect::<Result<_, _>>()?,
            ..ZeInfo::default()
        })
    }

    fn entry(&self, kernel: &Compiled, platform: &Platform) -> Result<Entry, Fault> {
        let mut of_name = self.kernels.iter().filter(|k| k.name == kernel.name);
        let interface = of_name.next().ok_or(Fault::Missing)?;
        if of_name.next().is_some() {
            return Err(Fault::Twice);
        }
        interface.check_numbers()?;
        let shared = interface.check_places(kernel, platform)?;
        Ok(interface.entry(u32::from(kernel.simd), platform, &shared))
    }
}

/// The argument that an input is taken for.
fn argument(input: &KernelInput) -> Result<Argument, Fault> {
    let &KernelInput { offset, size, .. } = input;
    match input.scalar.as_deref() {
        Some("uq") => Ok(Argument::Buffer {
            offset: Some(offset),
            bti: None,
            access: Access::default(),
            stateless: false,
            unread: false,
        }),
        Some(_) => Ok(Argument::Value {
            offset,
            size,
            unread: false,
        }),
        None => Err(Fault::Unknown(input.name.clone())),
    }
}

impl KernelInterface {
    /// All values that come in registers.
    fn placed(&self, simd: u32, grf_bytes: u32) -> Vec<Placed> {
        let implicit = self.implicit.iter().map(|implicit| Placed {
            what: What::Implicit(implicit.kind),
            offset: implicit.offset,
            size: implicit.kind.bytes(simd, grf_bytes),
            unread: implicit.unread,
        });
        let arguments = self.arguments.iter().enumerate();
        let arguments = arguments.filter_map(|(number, argument)| {
            let (offset, size, unread) = match *argument {
                Argument::Value {
                    offset,
                    size,
                    unread,
                }
                | Argument::Local {
                    offset,
                    size,
                    unread,
                    ..
                } => (offset, size, unread),
                Argument::Buffer { offset, unread, .. } => (offset?, 8, unread),
                Argument::Image { .. } | Argument::Sampler { .. } => return None,
            };
            Some(Placed {
                what: What::Argument(number),
                offset,
                size,
                unread,
            })
        });
        implicit.chain(arguments).collect()
    }

    /// Checks the places against the declarations. Returns the places of values that all threads share.
    fn check_places<'a>(
        &self,
        kernel: &'a Compiled,
        platform: &Platform,
    ) -> Result<Shared<'a>, Fault> {
        let Compiled { inputs, loads, .. } = kernel;
        let (simd, grf_bytes) = (u32::from(kernel.simd), platform.grf_bytes);
        let mut placed = self.placed(simd, grf_bytes);
        placed.sort_by_key(|one| one.offset);
        let end = |offset: u32, size: u32| u64::from(offset) + u64::from(size);
        let meets = |one: &Placed, input: &KernelInput| {
            u64::from(one.offset) < end(input.offset, input.size)
                && u64::from(input.offset) < end(one.offset, one.size)
        };
        let is_ids = |one: &Placed| matches!(one.what, What::Implicit(ImplicitKind::LocalIds));
        let in_memory = platform.payload == Payload::Memory;
        // In registers, an unused one takes the place of absent local ids.
        let mut start = if in_memory { grf_bytes } else { 2 * grf_bytes };
        let mut id_bytes = 0;
        if let Some(ids) = placed.iter_mut().find(|one| is_ids(one)) {
            if ids.offset != grf_bytes {
                return Err(Fault::LocalIds {
                    found: ids.offset,
                    expected: grf_bytes,
                });
            }
            if in_memory && simd != 1 {
                // The kernel may load fewer dimensions.
                let each = ids.size / DIMENSIONS;
                ids.size = loads.ids.clamp(each, ids.size);
            }
            id_bytes = ids.size;
            start = grf_bytes + id_bytes.next_multiple_of(grf_bytes);
        }
        if in_memory && id_bytes.next_multiple_of(grf_bytes) != loads.ids {
            return Err(Fault::LoadedIds {
                found: loads.ids,
                expected: id_bytes,
            });
        }
        let shared = Shared {
            id_bytes,
            start,
            inline: platform.inline_bytes,
            arrived: match platform.payload {
                Payload::Registers => u64::MAX,
                Payload::Memory => end(start, platform.inline_bytes),
            },
            loaded: &loads.arguments,
        };
        for one in &placed {
            let what = || one.what.to_string();
            // Each used dimension of the local ids has an input of its own.
            if is_ids(one) {
                continue;
            }
            if one.size == 0 {
                return Err(Fault::Impossible {
                    what: format!("{}: size", one.what),
                    found: 0,
                });
            }
            if one.offset < start {
                return Err(Fault::BeforeShared {
                    what: what(),
                    found: one.offset,
                    expected: start,
                });
            }
            let last = end(one.offset, one.size);
            if !shared.has(one) {
                return Err(Fault::NotLoaded {
                    what: what(),
                    offset: one.offset,
                    end: last,
                    loaded: loads.arguments.clone(),
                });
            }
            if one.unread {
                if let Some(input) = inputs.iter().find(|input| meets(one, input)) {
                    return Err(Fault::Read {
                        what: what(),
                        input: input.name.clone(),
                    });
                }
                continue;
            }
            let within = |input: &KernelInput| {
                input.offset <= one.offset && last <= end(input.offset, input.size)
            };
            // A value that the kernel reads in parts has an input for each part.
            let part = |input: &KernelInput| {
                one.offset <= input.offset && end(input.offset, input.size) <= last
            };
            let mut met = inputs.iter().filter(|input| meets(one, input)).peekable();
            if met.peek().is_none() || !met.all(|input| within(input) || part(input)) {
                return Err(Fault::Outside {
                    what: what(),
                    offset: one.offset,
                    end: last,
                });
            }
        }
        for pair in placed.windows(2) {
            if end(pair[0].offset, pair[0].size) > u64::from(pair[1].offset) {
                return Err(Fault::Overlap {
                    first: pair[0].what.to_string(),
                    second: pair[1].what.to_string(),
                });
            }
        }
        // A thread's local ids follow the arguments, so that both sides need the same end.
        if let Some(last) = placed.iter().max_by_key(|one| end(one.offset, one.size)) {
            let has = end(last.offset, last.size).next_multiple_of(ARGUMENTS_UNIT.into());
            if !loads.arguments.is_empty() && has != u64::from(loads.arguments.end) {
                return Err(Fault::NotLoaded {
                    what: last.what.to_string(),
                    offset: last.offset,
                    end: end(last.offset, last.size),
                    loaded: loads.arguments.clone(),
                });
            }
        }
        for input in inputs {
            let last = end(input.offset, input.size);
            if !placed.iter().any(|one| meets(one, input)) {
                return Err(Fault::Unfilled {
                    input: input.name.clone(),
                    offset: input.offset,
                    end: last,
                });
            }
        }
        Ok(shared)
    }

    /// Checks indices and sizes against each other and against the hardware's limits.
    fn check_numbers(&self) -> Result<(), Fault> {
        let mut surfaces: Vec<(u32, usize)> = Vec::new();
        let mut samplers: Vec<(u32, usize)> = Vec::new();
        let below = |what: String, found: u32, limit: u32| match found < limit {
            true => Ok(()),
            false => Err(Fault::TooLarge { what, found, limit }),
        };
        below(
            "local_memory".to_string(),
            self.local_memory,
            MAX_LOCAL_BYTES + 1,
        )?;
        if self.group_size.is_some_and(|size| size.contains(&0)) {
            return Err(Fault::Impossible {
                what: "group_size".to_string(),
                found: 0,
            });
        }
        for (number, argument) in self.arguments.iter().enumerate() {
            let what = || What::Argument(number).to_string();
            match *argument {
                Argument::Buffer {
                    offset: None,
                    bti: None,
                    ..
                } => return Err(Fault::Nowhere { what: what() }),
                Argument::Buffer {
                    offset,
                    bti,
                    stateless: true,
                    ..
                } if offset.is_none() || bti.is_none() => {
                    return Err(Fault::NotBoth { what: what() });
                }
                Argument::Buffer { bti: Some(bti), .. } | Argument::Image { bti, .. } => {
                    below(format!("{}: bti", what()), bti, MAX_SURFACES)?;
                    surfaces.push((bti, number));
                }
                Argument::Sampler { index } => {
                    below(format!("{}: index", what()), index, MAX_SAMPLERS)?;
                    samplers.push((index, number));
                }
                Argument::Local {
                    size, alignment, ..
                } => {
                    if size != 4 && size != 8 {
                        return Err(Fault::Impossible {
                            what: format!("{}: size of an address", what()),
                            found: size,
                        });
                    }
                    if !alignment.is_power_of_two() {
                        return Err(Fault::Impossible {
                            what: format!("{}: alignment", what()),
                            found: alignment,
                        });
                    }
                }
                Argument::Buffer { .. } | Argument::Value { .. } => {}
            }
        }
        for numbers in [&mut surfaces, &mut samplers] {
            numbers.sort_unstable();
            if let Some(pair) = numbers.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                return Err(Fault::SameNumber {
                    first: What::Argument(pair[0].1).to_string(),
                    second: What::Argument(pair[1].1).to_string(),
                    number: pair[0].0,
                });
            }
        }
        Ok(())
    }

    /// The `.ze_info` entry of a checked interface.
    fn entry(&self, simd: u32, platform: &Platform, shared: &Shared) -> Entry {
        let mut entry = Entry {
            name: self.name.clone(),
            execution_env: ExecutionEnv {
                simd_size: simd,
                slm_size: self.local_memory,
                inline_data_payload_size: platform.inline_bytes,
                required_work_group_size: self.group_size.map_or(Vec::new(), Vec::from),
                ..ExecutionEnv::default()
            },
            ..Entry::default()
        };
        if self.private_memory > 0 {
            entry.per_thread_memory_buffers.push(PerThreadMemoryBuffer {
                kind: MemoryKind::Global,
                usage: MemoryUsage::PrivateSpace,
                size: self.private_memory,
                slot: 0,
                is_simt_thread: true,
                other: Mapping::new(),
            });
        }
        for &Implicit { kind, offset, .. } in &self.implicit {
            match kind {
                ImplicitKind::LocalIds => {
                    let ids = PerThreadPayloadArgument {
                        arg_type: kind.arg_type(simd),
                        offset: 0,
                        size: shared.id_bytes,
                        other: Mapping::new(),
                    };
                    entry.per_thread_payload_arguments.push(ids);
                }
                _ => entry.payload_arguments.push(PayloadArgument {
                    offset: shared.place(offset),
                    size: kind.bytes(simd, platform.grf_bytes),
                    ..datum(kind.arg_type(simd))
                }),
            }
        }
        for (number, argument) in (0..).zip(&self.arguments) {
            argument.describe(number, shared, &mut entry);
        }
        entry
    }
}

impl Argument {
    /// Adds the argument of a number to an entry.
    fn describe(&self, number: u32, shared: &Shared, entry: &mut Entry) {
        let of = |arg_type| PayloadArgument {
            arg_index: Some(number),
            ..datum(arg_type)
        };
        let pointer = |mode, space, access: Access| PayloadArgument {
            addrmode: Some(mode),
            addrspace: Some(space),
            access_type: Some(access.access_type()),
            ..of(ArgType::ArgBypointer)
        };
        let index = |bti_value| BindingTableIndex {
            bti_value,
            arg_index: number,
            other: Mapping::new(),
        };
        let payload = &mut entry.payload_arguments;
        match *self {
            Argument::Value { offset, size, .. } => payload.push(PayloadArgument {
                offset: shared.place(offset),
                size,
                ..of(ArgType::ArgByvalue)
            }),
            Argument::Buffer {
                offset,
                bti,
                access,
                stateless,
                ..
            } => {
                let offset = offset.map(|offset| shared.place(offset));
                let global = |mode| pointer(mode, AddrSpace::Global, access);
                match (bti, offset) {
                    (None, offset) => payload.push(PayloadArgument {
                        offset: offset.unwrap_or(0),
                        size: 8,
                        ..global(AddrMode::Stateless)
                    }),
                    (Some(bti), offset) => {
                        let address = match stateless {
                            true => global(AddrMode::Stateless),
                            false => of(ArgType::BufferAddress),
                        };
                        payload.push(global(AddrMode::Stateful));
                        payload.extend(offset.map(|offset| PayloadArgument {
                            offset,
                            size: 8,
                            ..address
                        }));
                        entry.binding_table_indices.push(index(bti));
                    }
                }
            }
            Argument::Local {
                offset,
                size,
                alignment,
                ..
            } => payload.push(PayloadArgument {
                offset: shared.place(offset),
                size,
                slm_alignment: Some(alignment),
                ..pointer(AddrMode::Slm, AddrSpace::Local, Access::ReadWrite)
            }),
            Argument::Image {
                bti,
                ref image_type,
                access,
            } => {
                payload.push(PayloadArgument {
                    image_type: Some(image_type.clone()),
                    ..pointer(AddrMode::Stateful, AddrSpace::Image, access)
                });
                entry.binding_table_indices.push(index(bti));
            }
            Argument::Sampler { index } => {
                let mut other = Mapping::new();
                other.insert("sampler_type".into(), "texture".into());
                payload.push(PayloadArgument {
                    sampler_index: Some(index),
                    other,
                    ..pointer(AddrMode::Stateful, AddrSpace::Sampler, Access::ReadWrite)
                });
            }
        }
    }
}

/// Interfaces of kernels compiled from LLVM IR.
pub(crate) fn of_genx(kernels: &[kiln_genx::emit::module::Interface]) -> Interface {
    use kiln_genx::passes::kernels::Implicit as From;
    let kernels = kernels.iter().map(|kernel| {
        let implicit = kernel.implicit.iter().map(|(kind, place)| Implicit {
            kind: match kind {
                From::LocalIds => ImplicitKind::LocalIds,
                From::LocalSize => ImplicitKind::LocalSize,
                From::GroupCount => ImplicitKind::GroupCount,
                From::PrintfBuffer => ImplicitKind::PrintfBuffer,
                From::PrivateBase => ImplicitKind::PrivateBase,
                From::ArgumentBuffer => ImplicitKind::ArgumentBuffer,
            },
            offset: place.offset,
            unread: false,
        });
        KernelInterface {
            name: kernel.name.clone(),
            local_memory: kernel.slm,
            private_memory: kernel.private,
            group_size: None,
            implicit: implicit.collect(),
            arguments: kernel.args.iter().map(genx_argument).collect(),
        }
    });
    Interface {
        kernels: kernels.collect(),
    }
}

/// Alignment of shared local memory whose size a launch sets, for a kernel compiled from LLVM IR.
const LOCAL_ALIGNMENT: u32 = 16;

/// Image type of a name in `.ze_info`.
fn ze_image(name: &str) -> ImageType {
    let value = serde_norway::Value::String(name.to_string());
    serde_norway::from_value(value).unwrap_or(ImageType::Other(name.to_string()))
}

fn genx_argument(argument: &kiln_genx::emit::module::Argument) -> Argument {
    use kiln_genx::passes::kernels::{Access as From, ArgKind};
    let access = match argument.arg.access {
        From::Read => Access::ReadOnly,
        From::Write => Access::WriteOnly,
        From::Both => Access::ReadWrite,
    };
    let offset = argument.place.map_or(0, |place| place.offset);
    let number = argument.number.unwrap_or(0);
    match &argument.arg.kind {
        ArgKind::Local => Argument::Local {
            offset,
            size: argument.place.map_or(0, |place| place.bytes),
            alignment: LOCAL_ALIGNMENT,
            unread: false,
        },
        ArgKind::Pointer | ArgKind::Buffer => Argument::Buffer {
            offset: argument.place.map(|place| place.offset),
            bti: argument.number,
            access,
            stateless: false,
            unread: false,
        },
        ArgKind::Image(name) => Argument::Image {
            bti: number,
            image_type: ze_image(name),
            access,
        },
        ArgKind::Sampler => Argument::Sampler { index: number },
        ArgKind::Value | ArgKind::Structure(_) | ArgKind::Part(..) | ArgKind::Implicit(_) => {
            Argument::Value {
                offset,
                size: argument.place.map_or(0, |place| place.bytes),
                unread: false,
            }
        }
    }
}

/// A payload argument of which only the type is known.
fn datum(arg_type: ArgType) -> PayloadArgument {
    PayloadArgument {
        arg_type,
        offset: 0,
        size: 0,
        arg_index: None,
        addrmode: None,
        addrspace: None,
        access_type: None,
        source_offset: None,
        slm_alignment: None,
        bti_value: None,
        sampler_index: None,
        image_type: None,
        other: Mapping::new(),
    }
}
