//! Interfaces of kernels that come with LLVM IR.

use kiln_emit::ze_info::ImageType;

use super::data::{Access, Argument, Implicit, ImplicitKind, Interface, KernelInterface, Text};

/// Interfaces of kernels compiled from LLVM IR, and the texts that they print.
pub(crate) fn interface(
    kernels: &[kiln_genx::emit::module::Interface],
    strings: Vec<(String, Vec<u8>)>,
) -> Interface {
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
        strings: {
            let strings = strings.into_iter();
            strings.map(|(name, bytes)| Text { name, bytes }).collect()
        },
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
