//! Facts about images and samplers that the driver passes to a kernel: entries of their tables, and implicit
//! arguments.

use kiln_emit::ze_info::{
    AddrMode, ArgType, ImageType, InlineSampler, Kernel, SamplerAddrMode, SamplerFilterMode,
};

use super::error::BindError;
use crate::state::image::{Addressing, Filter, ImageKind, Sampler, Shape};

/// Number of entries in the table of samplers.
const SAMPLER_ENTRIES: u32 = 16;

impl Sampler {
    /// Value of `sampler_address`: the mode's number in OpenCL C.
    fn addressing_code(self) -> u32 {
        match self.addressing {
            Addressing::Clamp => 1,
            Addressing::ClampToEdge => 2,
            Addressing::Repeat => 3,
            Addressing::MirroredRepeat => 4,
        }
    }

    /// A sampler that the source declares.
    fn inline(declared: &InlineSampler) -> Result<Sampler, BindError> {
        let unknown = |value: &str| BindError::InlineSampler {
            index: declared.sampler_index,
            value: value.to_string(),
        };
        Ok(Sampler {
            normalized: declared.normalized,
            addressing: match &declared.addrmode {
                // The driver selects clamping if the source gives no mode.
                SamplerAddrMode::None | SamplerAddrMode::ClampBorder => Addressing::Clamp,
                SamplerAddrMode::ClampEdge => Addressing::ClampToEdge,
                SamplerAddrMode::Repeat => Addressing::Repeat,
                SamplerAddrMode::Mirror => Addressing::MirroredRepeat,
                SamplerAddrMode::Other(value) => return Err(unknown(value)),
            },
            filter: match &declared.filtermode {
                SamplerFilterMode::Nearest => Filter::Nearest,
                SamplerFilterMode::Linear => Filter::Linear,
                SamplerFilterMode::Other(value) => return Err(unknown(value)),
            },
            comparison: None,
        })
    }

    /// Value of an implicit argument about a sampler; none for other arguments.
    pub(super) fn implicit(self, kind: &ArgType) -> Option<u32> {
        Some(match kind {
            ArgType::SamplerAddress => self.addressing_code(),
            // The flag's bit in OpenCL C's sampler.
            ArgType::SamplerNormalized => u32::from(self.normalized) << 3,
            ArgType::SamplerSnapWa
                if self.addressing == Addressing::Clamp && self.filter == Filter::Nearest =>
            {
                u32::MAX
            }
            ArgType::SamplerSnapWa => 0,
            _ => return None,
        })
    }
}

impl Shape {
    /// Value of an implicit argument about an image at an address; none for other arguments.
    pub(super) fn implicit(&self, kind: &ArgType, address: u64) -> Option<u64> {
        let [width, height, depth] = self.size.map(u64::from);
        let (order, channels) = self.format.codes();
        let layers = self.kind.layer_axis().map_or(0, |axis| self.size[axis]);
        Some(match kind {
            ArgType::ImageWidth => width,
            ArgType::ImageHeight if self.kind.axes() >= 2 => height,
            ArgType::ImageDepth if self.kind == ImageKind::D3 => depth,
            ArgType::ImageHeight | ArgType::ImageDepth => 0,
            ArgType::ImageArraySize => u64::from(layers),
            ArgType::ImageChannelDataType => u64::from(channels),
            ArgType::ImageChannelOrder => u64::from(order),
            ArgType::ImageNumSamples if self.kind == ImageKind::D2Msaa => u64::from(self.samples()),
            // All other images here have one sample, one level of detail, and no gamma.
            ArgType::ImageNumSamples
            | ArgType::ImageNumMipLevels
            | ArgType::ImageSrgbChannelOrder => 0,
            ArgType::FlatImageBaseoffset => address,
            ArgType::FlatImageWidth | ArgType::FlatImagePitch => self.pitch() - 1,
            ArgType::FlatImageHeight => height - 1,
            _ => return None,
        })
    }
}

/// Kind of image that a declaration asks for; none if any kind is accepted.
pub(super) fn image_kind(declared: &ImageType) -> Option<ImageKind> {
    Some(match declared {
        ImageType::ImageBuffer => ImageKind::D1Buffer,
        ImageType::Image1d => ImageKind::D1,
        ImageType::Image1dArray => ImageKind::D1Array,
        ImageType::Image2d | ImageType::Image2dMedia | ImageType::Image2dMediaBlock => {
            ImageKind::D2
        }
        ImageType::Image2dArray => ImageKind::D2Array,
        ImageType::Image3d => ImageKind::D3,
        ImageType::Other(_) => return None,
    })
}

/// Index of a bindless sampler argument's state among all samplers: after the table, so that it differs from a
/// declared sampler of the same index.
pub(super) fn bindless_sampler(argument: u32) -> u32 {
    SAMPLER_ENTRIES.saturating_add(argument)
}

/// The table of samplers, with those among the arguments and those that the source declares, followed by the bindless
/// arguments.
pub(super) fn samplers(
    kernel: &Kernel,
    arguments: u32,
    argument: impl Fn(u32) -> Option<Sampler>,
) -> Result<Vec<Option<Sampler>>, BindError> {
    let mut table = Vec::new();
    let mut place = |index: u32, sampler| {
        if index >= SAMPLER_ENTRIES {
            return Err(BindError::SamplerIndex(index));
        }
        let index = index as usize;
        if table.len() <= index {
            table.resize(index + 1, None);
        }
        table[index] = sampler;
        Ok(())
    };
    for used in &kernel.payload_arguments {
        let bindless = used.addrmode == Some(AddrMode::Bindless);
        if let (Some(index), Some(number), false) = (used.sampler_index, used.arg_index, bindless) {
            place(index, argument(number))?;
        }
    }
    for declared in &kernel.inline_samplers {
        place(declared.sampler_index, Some(Sampler::inline(declared)?))?;
    }
    if (kernel.payload_arguments.iter()).any(|used| used.addrmode == Some(AddrMode::Bindless)) {
        table.resize(SAMPLER_ENTRIES as usize, None);
        table.extend((0..arguments).map(argument));
    }
    Ok(table)
}
