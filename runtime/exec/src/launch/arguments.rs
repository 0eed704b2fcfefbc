//! Checks of arguments against a kernel's declarations.

use kiln_emit::ze_info::{AddrMode, AddrSpace, ArgInfo, ArgType, Kernel, PayloadArgument};

use super::binding;
use super::error::BindError;
use super::request::Arg;
use crate::state::image::ImageKind;

/// Checks that the arguments are of the kernel's types.
pub fn check_args(kernel: &Kernel, infos: &[ArgInfo], args: &[Arg]) -> Result<(), BindError> {
    let named = kernel.payload_arguments.iter().filter_map(|a| a.arg_index);
    let expected = named
        .max()
        .map_or(0, |last| last as usize + 1)
        .max(infos.len());
    if args.len() != expected {
        return Err(BindError::ArgCount {
            found: args.len(),
            expected,
        });
    }
    for (index, arg) in args.iter().enumerate() {
        if let Arg::Image(image) = arg
            && image.texels.len() as u64 != image.shape.bytes()
        {
            return Err(BindError::Texels {
                expected: image.shape.bytes(),
                found: image.texels.len() as u64,
            });
        }
        let index = index as u32;
        let info = infos.iter().find(|i| i.index == index);
        let declared = info.map_or("not named", |i| i.type_name.as_str());
        let uses = || {
            kernel
                .payload_arguments
                .iter()
                .filter(|a| a.arg_index == Some(index))
        };
        let Some(expected) = expected_arg(uses(), info) else {
            // The kernel does not use it.
            continue;
        };
        let found = match arg {
            Arg::Buffer(_) => "a buffer".to_string(),
            Arg::Local(_) => "local memory".to_string(),
            Arg::Value(bytes) => format!("a value of {} bytes", bytes.len()),
            Arg::Image(image) => format!("an {}", image.shape.kind.name()),
            Arg::Sampler(_) => "a sampler".to_string(),
        };
        let fits = match (&expected, arg) {
            (Expected::Buffer, Arg::Buffer(_))
            | (Expected::Local, Arg::Local(_))
            | (Expected::Sampler, Arg::Sampler(_)) => true,
            (Expected::Image(kind), Arg::Image(image)) => {
                kind.is_none_or(|kind| kind == image.shape.kind)
            }
            (Expected::Value { least, most }, Arg::Value(bytes)) => {
                (*least..=*most).contains(&bytes.len())
            }
            _ => false,
        };
        if !fits {
            let declared = declared.to_string();
            let expected = expected.to_string();
            return Err(BindError::ArgKind {
                index,
                declared,
                found,
                expected,
            });
        }
    }
    Ok(())
}

/// The requirement on an argument.
enum Expected {
    Buffer,
    Local,
    Sampler,
    /// An image, of this kind if one is named.
    Image(Option<ImageKind>),
    /// A size in bytes within these bounds.
    Value {
        least: usize,
        most: usize,
    },
}

impl std::fmt::Display for Expected {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Expected::Buffer => write!(f, "a buffer"),
            Expected::Local => write!(f, "local memory"),
            Expected::Sampler => write!(f, "a sampler"),
            Expected::Image(kind) => write!(f, "an {}", kind.map_or("image", ImageKind::name)),
            Expected::Value { most, .. } => write!(f, "a value of {most} bytes"),
        }
    }
}

fn expected_arg<'a>(
    uses: impl Iterator<Item = &'a PayloadArgument>,
    info: Option<&ArgInfo>,
) -> Option<Expected> {
    let mut expected = None;
    for argument in uses {
        match (&argument.arg_type, &argument.addrmode) {
            (ArgType::ArgByvalue, _) => {
                let most = (argument.source_offset.unwrap_or(0) + argument.size) as usize;
                let most = match expected {
                    Some(Expected::Value { most: other, .. }) => most.max(other),
                    _ => most,
                };
                // A value smaller than a dword takes a whole one in the payload.
                expected = Some(Expected::Value {
                    least: most.saturating_sub(3),
                    most,
                });
            }
            (ArgType::ArgBypointer, Some(AddrMode::Slm)) => expected = Some(Expected::Local),
            (ArgType::ArgBypointer, _) if argument.addrspace == Some(AddrSpace::Sampler) => {
                expected = Some(Expected::Sampler);
            }
            (ArgType::ArgBypointer, _) if argument.addrspace == Some(AddrSpace::Image) => {
                let kind = argument.image_type.as_ref().and_then(binding::image_kind);
                expected = Some(Expected::Image(kind));
            }
            (ArgType::ArgBypointer, _) => expected = Some(Expected::Buffer),
            _ => {}
        }
    }
    if let (Some(Expected::Value { .. }), Some(size)) = (&expected, info.and_then(ArgInfo::size)) {
        let size = size as usize;
        expected = Some(Expected::Value {
            least: size,
            most: size,
        });
    }
    expected
}
