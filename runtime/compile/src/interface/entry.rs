//! The `.ze_info` of a checked interface.

use kiln_emit::platform::Platform;
use kiln_emit::ze_info::{
    AccessType, AddrMode, AddrSpace, ArgType, BindingTableIndex, ExecutionEnv, Kernel as Entry,
    MemoryKind, MemoryUsage, PayloadArgument, PerThreadMemoryBuffer, PerThreadPayloadArgument,
    ZeInfo,
};
use serde_norway::Mapping;

use super::check::{Fault, InterfaceError};
use super::data::{Access, Argument, Implicit, ImplicitKind, Interface, KernelInterface};
use super::places::Shared;
use crate::result::{Compiled, CompiledModule};

/// Version of the `.ze_info` that is written.
const VERSION: &str = "1.20";

impl ImplicitKind {
    /// Type of the value in a kernel whose threads have so many work-items.
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

impl KernelInterface {
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
