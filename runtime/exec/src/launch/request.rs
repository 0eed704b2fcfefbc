//! Kernels with their arguments and sizes.

use kiln_emit::ze_info::{Kernel, ZeInfo};

use super::error::BindError;
use crate::state::image::{Image, Sampler, Shape};

/// A kernel argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// The contents of a buffer; after the launch, as the kernel left them. [`crate::Buffer`] makes them from
    /// numbers.
    Buffer(Vec<u8>),
    /// Bytes passed by value, little-endian: as many as the argument's type has.
    Value(Vec<u8>),
    /// Size of an argument in shared local memory, in bytes; a group has 65536 in all.
    Local(u32),
    /// An image; after the launch, with texels as the kernel left them.
    Image(Image),
    /// State of a sampler.
    Sampler(Sampler),
}

impl Arg {
    /// Memory that the kernel may change: a buffer's bytes, an image's texels.
    pub fn memory(&self) -> Option<&[u8]> {
        match self {
            Arg::Buffer(bytes) => Some(bytes),
            Arg::Image(image) => Some(&image.texels),
            _ => None,
        }
    }

    pub(super) fn memory_mut(&mut self) -> Option<&mut Vec<u8>> {
        match self {
            Arg::Buffer(bytes) => Some(bytes),
            Arg::Image(image) => Some(&mut image.texels),
            _ => None,
        }
    }

    pub(super) fn shape(&self) -> Option<Shape> {
        match self {
            Arg::Image(image) => Some(image.shape),
            _ => None,
        }
    }

    pub(super) fn sampler(&self) -> Option<Sampler> {
        match self {
            Arg::Sampler(sampler) => Some(*sampler),
            _ => None,
        }
    }
}

/// A launch of a kernel.
///
/// ```
/// use kiln_emit::{platform, zebin::Zebin};
/// use kiln_exec::{Arg, Buffer, Launch, Program};
///
/// // y = a * x + y
/// let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/saxpy/saxpy.zebin");
/// let zebin = Zebin::parse(&std::fs::read(path)?)?;
/// let skl = platform::find("skl").expect("a platform");
/// let program = Program::from_zebin(&zebin, "saxpy", skl)?;
/// let mut launch = Launch {
///     ze_info: &zebin.ze_info,
///     kernel: "saxpy",
///     global: [64, 1, 1],
///     local: [64, 1, 1],
///     dimensions: 1,
///     args: vec![
///         Buffer::of(&[1f32, 2.0, 3.0]).into(),
///         Buffer::of(&[10f32, 10.0, 10.0]).into(),
///         Arg::Value(2f32.to_le_bytes().to_vec()),
///         Arg::Value(3u32.to_le_bytes().to_vec()),
///     ],
///     budget: Launch::BUDGET,
/// };
/// let stats = launch.run(&program)?;
/// let y = Buffer::try_from(launch.args.swap_remove(1)).expect("a buffer");
/// assert_eq!(y.values::<f32>(), [12.0, 14.0, 16.0]);
/// assert_eq!((stats.groups, stats.threads, stats.bytes_written), (1, 2, 12));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    /// The object file's description of the kernel, with the layout of its payload.
    pub ze_info: &'a ZeInfo,
    /// The kernel's name.
    pub kernel: &'a str,
    /// Number of work-items in each dimension, at least 1; a multiple of `local`.
    pub global: [u32; 3],
    /// Number of work-items of a group in each dimension, at least 1; at most 1024 in all.
    pub local: [u32; 3],
    /// Number of dimensions of the launch, 1 to 3, which `get_work_dim` returns.
    pub dimensions: u32,
    /// The kernel's arguments, in their order.
    pub args: Vec<Arg>,
    /// Maximum number of executed instructions of all threads of all groups together.
    pub budget: u64,
}

impl Launch<'_> {
    /// The default of [`Launch::budget`].
    pub const BUDGET: u64 = 1 << 33;

    pub(super) fn kernel(&self) -> Result<&Kernel, BindError> {
        let kernel = self.ze_info.kernel(self.kernel);
        kernel.ok_or_else(|| BindError::NoKernel(self.kernel.to_string()))
    }
}
