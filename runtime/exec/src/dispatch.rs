//! Launching: binding of the kernel's arguments, and the payload of each thread.
//!
//! A thread starts with `r0`, its header; then the per-thread payload (local ids); then the
//! cross-thread payload (arguments and sizes), laid out as `.ze_info` says (PRM vol. 7, "Thread
//! Spawn"; zebin documentation).

use std::sync::Arc;

use kiln_emit::ze_info::{
    AddrMode, AddrSpace, ArgInfo, ArgType, Kernel, MemoryKind, PayloadArgument, ZeInfo,
};

use kiln_emit::platform::{Payload, Platform};

use super::binding;
use super::error::ExecError;
use super::image::{Image, ImageKind, Sampler, Shape};
use super::implicit::ImplicitArgs;
use super::machine::{Thread, low_mask};
use super::memory::{HEAP, Memory, Surface};
use super::operation::File;
use super::program::Program;
use super::run::{self, Options};
use super::stats::Stats;
use super::words::Words;

/// A kernel argument.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg {
    /// The contents of a buffer; after the launch, as the kernel left them. [`super::Buffer`] makes them from
    /// numbers.
    Buffer(Vec<u8>),
    /// Bytes passed by value, little-endian: as many as the argument's type has.
    Value(Vec<u8>),
    /// Size of an argument in shared local memory, in bytes; a group has 65536 in all.
    Local(u32),
    /// An image; after the launch, with texels as the kernel left them.
    Image(Image),
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

    fn memory_mut(&mut self) -> Option<&mut Vec<u8>> {
        match self {
            Arg::Buffer(bytes) => Some(bytes),
            Arg::Image(image) => Some(&mut image.texels),
            _ => None,
        }
    }

    fn shape(&self) -> Option<Shape> {
        match self {
            Arg::Image(image) => Some(image.shape),
            _ => None,
        }
    }

    fn sampler(&self) -> Option<Sampler> {
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

/// A launch that does not fit its kernel.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    #[error("no kernel named {0}")]
    NoKernel(String),
    #[error("{found} arguments found, {expected} expected")]
    ArgCount { found: usize, expected: usize },
    #[error("argument {index}, counted from 0 ({declared}): {found} found, {expected} expected")]
    ArgKind {
        index: u32,
        declared: String,
        found: String,
        expected: String,
    },
    #[error("global size {global} is no multiple of local size {local} in dimension {dimension}")]
    Size {
        dimension: usize,
        global: u32,
        local: u32,
    },
    #[error("a group of {items} work-items in {simd}-channel threads: 1 to 1024 are possible")]
    GroupSize { items: u64, simd: u32 },
    #[error("SIMD size {0}: 1, 8, 16 or 32 expected")]
    Simd(u32),
    #[error("{found} bytes of shared local memory: 65536 are possible")]
    Slm { found: u64 },
    #[error("`{name}`, {part} byte {offset} of the payload, is not implemented")]
    Payload {
        name: String,
        /// Name of the payload.
        part: &'static str,
        offset: u32,
    },
    #[error("a payload of {0} bytes does not fit the registers")]
    PayloadSize(u64),
    #[error("binding table index {0}: 239 is the last")]
    Binding(u32),
    #[error("work_group_walk_order_dimensions {0:?}: 0, 1 and 2 expected, in any order")]
    WalkOrder(Vec<u32>),
    #[error("sampler {0}: 15 is the last")]
    SamplerIndex(u32),
    #[error("inline sampler {index}: `{value}` is not implemented")]
    InlineSampler { index: u32, value: String },
    #[error("an image of {expected} bytes has {found}")]
    Texels { expected: u64, found: u64 },
    #[error("{0} bytes of memory for each thread are too many")]
    ThreadMemory(u64),
    #[error("no instruction at {0:#x}, the entry of threads that start with local ids")]
    Entry(u32),
    #[error("a trace of group {group}: {last} is the last")]
    TracedGroup { group: u64, last: u64 },
    #[error("a trace of thread {thread}: {last} is the last of a group")]
    TracedThread { thread: u32, last: u32 },
}

/// The error for an unknown datum of the payload.
fn unknown(kind: &ArgType, part: &'static str, offset: u32) -> BindError {
    // Name in the description.
    let name = serde_norway::to_string(kind).unwrap_or_default();
    BindError::Payload {
        name: name.trim_end().to_string(),
        part,
        offset,
    }
}

/// The error of a launch.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    #[error(transparent)]
    Bind(#[from] BindError),
    #[error(transparent)]
    Exec(#[from] Box<ExecError>),
    /// All groups up to this one together executed more instructions than [`Launch::budget`].
    #[error("group {group:?}: {budget} instructions executed: the budget is used up")]
    Budget { group: [u32; 3], budget: u64 },
}

/// SIMD size of kernels of explicit SIMD: a thread is one work-item, and its instructions have execution sizes of
/// their own.
const EXPLICIT: u32 = 1;
/// Maximum number of work-items of a group.
const GROUP_ITEMS: u64 = 1024;
/// Maximum size of a group's shared local memory in bytes.
const SLM_BYTES: u64 = 64 << 10;
/// Number of binding table entries for surfaces; larger indices are reserved.
const BINDING_ENTRIES: u32 = 240;
/// Lowest bit of a bindless surface's index in an extended descriptor.
const HEAP_SHIFT: u32 = 12;
/// Size of a sampler's state in bytes: the unit of a bindless sampler's offset.
const SAMPLER_STATE_BYTES: u32 = 16;
/// Bytes of the buffer that `printf` writes to.
const PRINTF_BYTES: usize = 1 << 20;
/// Sections whose addresses `const_base` and `global_base` are.
const CONST_DATA: &str = ".data.const";
const GLOBAL_DATA: &str = ".data.global";
/// Maximum size of one thread's memory in bytes.
const THREAD_BYTES: u64 = 2 << 20;
/// Unit of scratch space in bytes.
const SCRATCH_UNIT: u64 = 1 << 10;
/// Padding of the arguments in bytes, whatever the size of a register.
const ARGUMENTS_UNIT: u64 = 32;
/// Offset of the arguments in memory, from the origin of 32-bit stateless offsets, for threads that load them. It is
/// not 0, so that a kernel that forgets to add it fails.
const ARGUMENTS: u32 = 64;
/// State of the scratch surface in the header. Messages name it in the field of a surface's offset, which is four
/// bits lower.
pub(super) const SCRATCH_STATE: u32 = 1 << SCRATCH_STATE_SHIFT;
const SCRATCH_STATE_SHIFT: u32 = 10;

impl Launch<'_> {
    /// The default of [`Launch::budget`].
    pub const BUDGET: u64 = 1 << 33;

    /// Runs all groups, on all cores. The buffers among the arguments are changed as the kernel
    /// changes them, also when it fails.
    ///
    /// # Errors
    /// The launch does not fit the kernel; or the first group that fails, and why.
    pub fn run(&mut self, program: &Program) -> Result<Stats, RunError> {
        self.run_with(program, &Options::default())
    }

    /// Runs all groups with options.
    ///
    /// # Errors
    /// As [`Launch::run`].
    pub fn run_with(&mut self, program: &Program, options: &Options) -> Result<Stats, RunError> {
        check_args(
            self.kernel()?,
            self.ze_info.args_info(self.kernel),
            &self.args,
        )?;
        // While groups run, buffers are words, of which there is one copy.
        let take = |arg: &mut Arg| {
            let bytes = std::mem::take(arg.memory_mut()?);
            Some(Arc::new(Words::of(bytes)))
        };
        let contents: Vec<_> = self.args.iter_mut().map(take).collect();
        let result = Setup::new(self, program, &contents)
            .map_err(RunError::from)
            .and_then(|setup| run::run(&setup, self, program, options));
        for (arg, words) in self.args.iter_mut().zip(contents) {
            if let (Some(bytes), Some(words)) = (arg.memory_mut(), words) {
                *bytes = match Arc::try_unwrap(words) {
                    Ok(words) => words.into_bytes(),
                    Err(shared) => shared.to_bytes(),
                };
            }
        }
        result
    }

    fn kernel(&self) -> Result<&Kernel, BindError> {
        let kernel = self.ze_info.kernel(self.kernel);
        kernel.ok_or_else(|| BindError::NoKernel(self.kernel.to_string()))
    }
}

/// A launch bound to its kernel.
pub(super) struct Setup {
    platform: &'static Platform,
    /// Bytes of a general register, and of all of them.
    register: usize,
    file: u64,
    /// Number of work-items of a thread.
    simd: u32,
    /// Number of channels that are on when a thread of explicit SIMD starts.
    channels: u32,
    /// Number of threads of a group.
    pub(super) threads: u32,
    items: u32,
    pub(super) groups: [u32; 3],
    pub(super) memory: Memory,
    /// Index of each argument's buffer.
    buffers: Vec<Option<usize>>,
    /// The binding table, followed by the heap of bindless surfaces.
    pub(super) surfaces: Vec<Option<Surface>>,
    pub(super) samplers: Vec<Option<Sampler>>,
    pub(super) slm: usize,
    /// Payload that all threads share, after the per-thread payload.
    cross_thread: Vec<u8>,
    /// Size of the per-thread payload.
    per_thread_bytes: usize,
    local_ids: Vec<LocalIds>,
    walk: [usize; 3],
    scratch_bytes: u32,
    /// Address of the scratch space of a group's threads, which is the origin of 32-bit stateless offsets.
    pub(super) scratch: u64,
    pub(super) general_state: u64,
    /// Index of the first operation.
    start: u32,
}

/// Local ids in the per-thread payload.
struct LocalIds {
    offset: usize,
    size: usize,
    /// True if the ids of one work-item are adjacent, instead of one id of all work-items.
    packed: bool,
}

impl Setup {
    /// `contents` are those of the buffers among the arguments.
    fn new(
        launch: &Launch,
        program: &Program,
        contents: &[Option<Arc<Words>>],
    ) -> Result<Setup, BindError> {
        let kernel = launch.kernel()?;
        let simd = kernel.execution_env.simd_size;
        if !matches!(simd, EXPLICIT | 8 | 16 | 32) {
            return Err(BindError::Simd(simd));
        }
        let mut groups = [0; 3];
        for (dimension, (&global, &local)) in launch.global.iter().zip(&launch.local).enumerate() {
            if local == 0 || global == 0 || !global.is_multiple_of(local) {
                return Err(BindError::Size {
                    dimension,
                    global,
                    local,
                });
            }
            groups[dimension] = global / local;
        }
        let items: u64 = launch
            .local
            .iter()
            .fold(1, |n: u64, &l| n.saturating_mul(u64::from(l)));
        if items > GROUP_ITEMS {
            return Err(BindError::GroupSize { items, simd });
        }
        let walk = walk_order(kernel)?;
        let threads = (items as u32).div_ceil(simd);
        let scratch_bytes = scratch_size(kernel)?;
        let mut memory = Memory::default();
        let mut buffers = Vec::new();
        memory.load(program.data());
        for (index, words) in contents.iter().enumerate() {
            let words = words.as_ref();
            buffers.push(words.map(|words| memory.share(format!("argument {index}"), words)));
        }
        let scratch =
            memory.add_private("scratch space", scratch_bytes as usize * threads as usize);
        let general_state = memory.address(scratch);
        let platform = program.platform();
        let mut setup = Setup {
            platform,
            register: platform.grf_bytes as usize,
            file: File::Grf.bytes(platform) as u64,
            simd,
            channels: program.channels(),
            threads,
            items: items as u32,
            groups,
            memory,
            buffers,
            surfaces: Vec::new(),
            samplers: Vec::new(),
            slm: 0,
            cross_thread: Vec::new(),
            per_thread_bytes: 0,
            local_ids: Vec::new(),
            walk,
            scratch_bytes,
            scratch: general_state,
            general_state,
            start: 0,
        };
        setup.bind(launch, kernel)?;
        if platform.payload == Payload::Memory {
            setup.leave_in_memory(launch, kernel, program)?;
        }
        Ok(setup)
    }

    fn bind(&mut self, launch: &Launch, kernel: &Kernel) -> Result<(), BindError> {
        self.bind_per_thread(kernel)?;
        self.bind_surfaces(launch, kernel)?;
        let argument = |index: u32| launch.args.get(index as usize).and_then(Arg::sampler);
        self.samplers = binding::samplers(kernel, launch.args.len() as u32, argument)?;
        let last = kernel
            .payload_arguments
            .iter()
            .map(|a| u64::from(a.offset) + u64::from(a.size));
        let bytes = last.max().unwrap_or(0).next_multiple_of(ARGUMENTS_UNIT);
        if bytes + (self.register + self.per_thread_bytes) as u64 > self.file {
            return Err(BindError::PayloadSize(bytes));
        }
        self.cross_thread = vec![0; bytes as usize];
        let mut slm = u64::from(kernel.execution_env.slm_size);
        for argument in &kernel.payload_arguments {
            let value = self.payload(launch, kernel, argument, &mut slm)?;
            let place = argument.offset as usize..(argument.offset + argument.size) as usize;
            let size = value.len().min(place.len());
            self.cross_thread[place][..size].copy_from_slice(&value[..size]);
        }
        if slm > SLM_BYTES {
            return Err(BindError::Slm { found: slm });
        }
        self.slm = slm as usize;
        Ok(())
    }

    /// Keeps in registers only what the hardware loads. All else is in memory, from which the kernel loads it: the
    /// arguments after the inline data, and the local ids of each thread unless the hardware generates them. The
    /// hardware generates only ids that are bits of the work-item's number; the kernel then starts after the
    /// instructions that load them. It generates no packed ids.
    fn leave_in_memory(
        &mut self,
        launch: &Launch,
        kernel: &Kernel,
        program: &Program,
    ) -> Result<(), BindError> {
        let env = &kernel.execution_env;
        let inline = env.inline_data_payload_size as usize;
        if (self.register + self.per_thread_bytes) as u64 + inline as u64 > self.file {
            return Err(BindError::PayloadSize(inline as u64));
        }
        if self.cross_thread.len() < inline {
            self.cross_thread.resize(inline, 0);
        }
        let mut image = vec![0; ARGUMENTS as usize];
        if program.before_arguments() != 0 {
            image.extend(self.implicit_args(launch));
            image.resize(ARGUMENTS as usize + program.before_arguments() as usize, 0);
        }
        image.extend(self.cross_thread.split_off(inline));
        let [fast, middle, _] = self.walk;
        let by_hardware = self.simd != EXPLICIT
            && [fast, middle]
                .iter()
                .all(|&dimension| launch.local[dimension].is_power_of_two());
        if by_hardware {
            let entry = env.offset_to_skip_per_thread_data_load;
            self.start = program.find(entry).ok_or(BindError::Entry(entry))?;
        } else {
            for number in 0..self.threads {
                let start = image.len();
                image.resize(start + self.per_thread_bytes, 0);
                self.write_local_ids(launch, number, &mut image[start..]);
            }
            self.local_ids.clear();
            self.per_thread_bytes = 0;
        }
        let arguments = self.memory.add("the threads' arguments", &image);
        self.general_state = self.memory.address(arguments);
        Ok(())
    }

    /// Writes the local ids of a thread to its payload.
    fn write_local_ids(&self, launch: &Launch, number: u32, payload: &mut [u8]) {
        let first = number * self.simd;
        for ids in &self.local_ids {
            let place = &mut payload[ids.offset..ids.offset + ids.size];
            let stride = local_id_stride(ids.packed, self.simd, self.register);
            write_local_ids(place, stride, launch.local, self.walk, first, self.simd);
        }
    }

    fn bind_per_thread(&mut self, kernel: &Kernel) -> Result<(), BindError> {
        let none = kernel.per_thread_payload_arguments.is_empty();
        if none && self.platform.payload == Payload::Registers {
            // A thread's payload has a register of its own, even if it is empty.
            self.per_thread_bytes = self.register;
        }
        for argument in &kernel.per_thread_payload_arguments {
            let packed = match argument.arg_type {
                ArgType::LocalId => false,
                ArgType::PackedLocalIds => true,
                ref kind => return Err(unknown(kind, "of each thread, at", argument.offset)),
            };
            let end = u64::from(argument.offset) + u64::from(argument.size);
            if end > self.file / 2 {
                return Err(BindError::PayloadSize(end));
            }
            self.local_ids.push(LocalIds {
                offset: argument.offset as usize,
                size: argument.size as usize,
                packed,
            });
            let end = (end as usize).next_multiple_of(self.register);
            self.per_thread_bytes = self.per_thread_bytes.max(end);
        }
        Ok(())
    }

    fn bind_surfaces(&mut self, launch: &Launch, kernel: &Kernel) -> Result<(), BindError> {
        let indices = kernel
            .binding_table_indices
            .iter()
            .map(|b| (b.bti_value, b.arg_index));
        // An argument may have a binding table entry of its own.
        let own = kernel
            .payload_arguments
            .iter()
            .filter_map(|a| Some((a.bti_value?, a.arg_index?)));
        for (bti, argument) in indices.chain(own) {
            let surface = self.surface(launch, argument as usize);
            *self.entry(bti)? = surface;
        }
        // The program's data may have one, too.
        for argument in &kernel.payload_arguments {
            let section = match argument.arg_type {
                ArgType::ConstBase => CONST_DATA,
                ArgType::GlobalBase => GLOBAL_DATA,
                _ => continue,
            };
            if let Some(bti) = argument.bti_value {
                *self.entry(bti)? = self.data_surface(section);
            }
        }
        // Bindless messages find every argument in the heap, at the argument's index, and the program's data after
        // them.
        let heap = (0..launch.args.len()).map(|index| self.surface(launch, index));
        let mut heap: Vec<_> = heap.collect();
        heap.extend([CONST_DATA, GLOBAL_DATA].map(|section| self.data_surface(section)));
        self.surfaces.resize(HEAP as usize, None);
        self.surfaces.extend(heap);
        Ok(())
    }

    /// The binding table entry of an index.
    fn entry(&mut self, bti: u32) -> Result<&mut Option<Surface>, BindError> {
        if bti >= BINDING_ENTRIES {
            return Err(BindError::Binding(bti));
        }
        let bti = bti as usize;
        if self.surfaces.len() <= bti {
            self.surfaces.resize(bti + 1, None);
        }
        Ok(&mut self.surfaces[bti])
    }

    /// A section of the program's data as a surface.
    fn data_surface(&mut self, section: &str) -> Option<Surface> {
        let buffer = self.memory.share_data(section)?;
        Some(Surface {
            buffer,
            image: None,
        })
    }

    /// An argument as a surface.
    fn surface(&self, launch: &Launch, argument: usize) -> Option<Surface> {
        let buffer = self.buffers.get(argument).copied().flatten()?;
        let image = launch.args.get(argument).and_then(Arg::shape);
        Some(Surface { buffer, image })
    }

    /// The bytes of one datum of the cross-thread payload.
    fn payload(
        &mut self,
        launch: &Launch,
        kernel: &Kernel,
        argument: &PayloadArgument,
        slm: &mut u64,
    ) -> Result<Vec<u8>, BindError> {
        let sizes = |sizes: [u32; 3]| sizes.iter().flat_map(|s| s.to_le_bytes()).collect();
        let index = argument.arg_index.map_or(usize::MAX, |i| i as usize);
        Ok(match argument.arg_type {
            ArgType::GlobalIdOffset => sizes([0; 3]),
            ArgType::LocalSize | ArgType::EnqueuedLocalSize => sizes(launch.local),
            ArgType::GlobalSize => sizes(launch.global),
            ArgType::GroupCount => sizes(self.groups),
            ArgType::WorkDimensions => launch.dimensions.to_le_bytes().to_vec(),
            // Buffers start at the start of their surfaces.
            ArgType::BufferOffset => vec![0; argument.size as usize],
            ArgType::ArgByvalue => match launch.args.get(index) {
                Some(Arg::Value(bytes)) => {
                    let start = argument.source_offset.unwrap_or(0) as usize;
                    bytes.get(start..).unwrap_or_default().to_vec()
                }
                _ => Vec::new(),
            },
            ArgType::ArgBypointer if argument.addrmode == Some(AddrMode::Bindless) => {
                match argument.sampler_index {
                    Some(_) => {
                        let sampler = binding::bindless_sampler(index as u32);
                        let offset = sampler.wrapping_mul(SAMPLER_STATE_BYTES);
                        offset.to_le_bytes().to_vec()
                    }
                    None => heap_offset(index),
                }
            }
            ArgType::InlineSampler => {
                let sampler = argument.sampler_index.unwrap_or(0);
                let offset = sampler.wrapping_mul(SAMPLER_STATE_BYTES);
                offset.to_le_bytes().to_vec()
            }
            ArgType::ArgBypointer | ArgType::BufferAddress => match launch.args.get(index) {
                Some(Arg::Local(bytes)) => {
                    let alignment = u64::from(argument.slm_alignment.unwrap_or(16)).max(1);
                    let start = slm.next_multiple_of(alignment);
                    *slm = start + u64::from(*bytes);
                    start.to_le_bytes().to_vec()
                }
                _ => {
                    let buffer = self.buffers.get(index).copied().flatten();
                    let address = buffer.map_or(0, |b| self.memory.address(b));
                    address.to_le_bytes().to_vec()
                }
            },
            ArgType::PrivateBaseStateless => {
                let bytes = private_size(kernel, self.simd)? * u64::from(self.threads);
                let buffer = self.memory.add_private("private memory", bytes as usize);
                self.memory.address(buffer).to_le_bytes().to_vec()
            }
            ArgType::ConstBase | ArgType::GlobalBase
                if argument.addrmode == Some(AddrMode::Bindless) =>
            {
                let section = usize::from(argument.arg_type == ArgType::GlobalBase);
                heap_offset(launch.args.len() + section)
            }
            ArgType::ConstBase => self.data_base(CONST_DATA),
            ArgType::GlobalBase => self.data_base(GLOBAL_DATA),
            ArgType::PrintfBuffer => self.printf_buffer().to_le_bytes().to_vec(),
            ArgType::ImplicitArgBuffer => {
                let bytes = self.implicit_args(launch);
                let buffer = self.memory.add("implicit arguments", &bytes);
                self.memory.address(buffer).to_le_bytes().to_vec()
            }
            ref kind => {
                return self
                    .implicit(launch, kind, index)
                    .ok_or_else(|| unknown(kind, "at", argument.offset));
            }
        })
    }

    /// The address of a new buffer for `printf`.
    fn printf_buffer(&mut self) -> u64 {
        let buffer = self.memory.add("printf buffer", &vec![0; PRINTF_BYTES]);
        self.memory.address(buffer)
    }

    /// The implicit arguments, with a table of the local ids of all of a group's threads.
    fn implicit_args(&mut self, launch: &Launch) -> Vec<u8> {
        // Rows have at least 16 channels, whatever the size of a register; of explicit SIMD, one work-item.
        let stride = match self.simd {
            EXPLICIT => 2,
            simd => simd.max(16) as usize * 2,
        };
        let row = 3 * stride;
        let mut ids = vec![0; row * self.threads as usize];
        for (number, place) in (0..).zip(ids.chunks_exact_mut(row)) {
            let first = number * self.simd;
            write_local_ids(place, stride, launch.local, self.walk, first, self.simd);
        }
        let local_ids = self.memory.add("local ids", &ids);
        let args = ImplicitArgs {
            dimensions: launch.dimensions,
            simd: self.simd,
            local: launch.local,
            global: launch.global,
            groups: self.groups,
            printf: self.printf_buffer(),
            local_ids: self.memory.address(local_ids),
        };
        args.bytes()
    }

    /// The bytes of an implicit argument about a kernel's argument.
    fn implicit(&self, launch: &Launch, kind: &ArgType, index: usize) -> Option<Vec<u8>> {
        let buffer = self.buffers.get(index).copied().flatten();
        let address = buffer.map_or(0, |buffer| self.memory.address(buffer));
        let value = match launch.args.get(index) {
            Some(Arg::Image(image)) => image.shape.implicit(kind, address),
            Some(Arg::Sampler(sampler)) => sampler.implicit(kind).map(u64::from),
            Some(Arg::Buffer(_)) if *kind == ArgType::BufferSize => {
                Some(buffer.map_or(0, |buffer| self.memory.size(buffer)))
            }
            _ => None,
        };
        value.map(|value| value.to_le_bytes().to_vec())
    }

    /// Address of a section of the program's data; null if there is none.
    fn data_base(&self, section: &str) -> Vec<u8> {
        let address = self.memory.data_address(section).unwrap_or(0);
        address.to_le_bytes().to_vec()
    }

    /// Position of the group with a number: x counts first, then y, then z.
    pub(super) fn group(&self, number: u64) -> [u32; 3] {
        let [x, y, _] = self.groups.map(|n| u64::from(n).max(1));
        [number % x, number / x % y, number / x / y].map(|id| id as u32)
    }

    /// Size of the payload in the general registers.
    pub(super) fn payload_bytes(&self) -> usize {
        self.register + self.per_thread_bytes + self.cross_thread.len()
    }

    /// The threads of a group, none of them started.
    pub(super) fn threads(&self) -> Vec<Thread> {
        let numbers = 0..self.threads;
        numbers
            .map(|number| Thread::new(number, 0, self.platform))
            .collect()
    }

    /// Makes a thread one that the hardware has just started.
    pub(super) fn start(&self, thread: &mut Thread, launch: &Launch, group: [u32; 3], number: u32) {
        let channels = match self.simd {
            EXPLICIT => self.channels,
            simd => (self.items - number * simd).min(simd),
        };
        let dispatch = low_mask(channels as usize);
        thread.reset(number, dispatch);
        thread.ip = self.start;
        thread.scratch = number * self.scratch_bytes;
        thread.scratch_bytes = self.scratch_bytes;
        let scratch_log = (u64::from(self.scratch_bytes) / SCRATCH_UNIT).checked_ilog2();
        let mut header = [0u32; 8];
        header[1] = group[0];
        header[3] = scratch_log.unwrap_or(0);
        // The thread's number serves as its fixed-function thread id, the index of private memory.
        header[5] = number
            | match self.platform.payload {
                Payload::Registers => thread.scratch,
                Payload::Memory => SCRATCH_STATE,
            };
        if self.platform.payload == Payload::Memory {
            header[0] = ARGUMENTS;
            header[2] = number;
        }
        // Numbers of producers and consumers for the message of the group's barrier.
        if self.platform.barriers > 1 {
            header[2] |= self.threads << 24;
        }
        header[6] = group[1];
        header[7] = group[2];
        for (bytes, dword) in thread.grf.chunks_exact_mut(4).zip(header) {
            bytes.copy_from_slice(&dword.to_le_bytes());
        }
        self.write_local_ids(launch, number, &mut thread.grf[self.register..]);
        let start = self.register + self.per_thread_bytes;
        thread.grf[start..start + self.cross_thread.len()].copy_from_slice(&self.cross_thread);
    }
}

/// Offset of a heap surface as its name in messages.
fn heap_offset(number: usize) -> Vec<u8> {
    let offset = (number as u32).wrapping_shl(HEAP_SHIFT);
    offset.to_le_bytes().to_vec()
}

/// Dimensions in the order in which local ids change, the fastest first: x, y, z by default, which newer compilers
/// write as three zeros.
fn walk_order(kernel: &Kernel) -> Result<[usize; 3], BindError> {
    let order = &kernel.execution_env.work_group_walk_order_dimensions;
    if order.is_empty() || *order == [0; 3] {
        return Ok([0, 1, 2]);
    }
    let mut sorted = order.clone();
    sorted.sort_unstable();
    match (order.as_slice(), sorted.as_slice()) {
        (&[a, b, c], [0, 1, 2]) => Ok([a, b, c].map(|dimension| dimension as usize)),
        _ => Err(BindError::WalkOrder(order.clone())),
    }
}

/// Size of the local ids of one dimension in bytes.
fn local_id_stride(packed: bool, simd: u32, register: usize) -> usize {
    match packed {
        true => 2,
        false => (simd as usize * 2).next_multiple_of(register),
    }
}

/// Writes local ids of the work-items from `first`: 16-bit numbers, x for as many channels as `stride` bytes have
/// room for, then y, then z. `walk` is the order of the dimensions.
fn write_local_ids(
    place: &mut [u8],
    stride: usize,
    local: [u32; 3],
    walk: [usize; 3],
    first: u32,
    simd: u32,
) {
    let [fast, middle, slow] = walk;
    let mut ids = [0; 3];
    ids[fast] = first % local[fast];
    ids[middle] = first / local[fast] % local[middle];
    ids[slow] = first / local[fast] / local[middle];
    for channel in 0..simd as usize {
        for (dimension, id) in ids.iter().enumerate() {
            // A payload may have room for fewer dimensions or channels.
            let inside = (channel + 1) * 2 <= stride;
            let at = dimension * stride + channel * 2;
            if let Some(bytes) = place.get_mut(at..at + 2).filter(|_| inside) {
                bytes.copy_from_slice(&(*id as u16).to_le_bytes());
            }
        }
        ids[fast] += 1;
        for (inner, outer) in [(fast, middle), (middle, slow)] {
            if ids[inner] == local[inner] {
                ids[inner] = 0;
                ids[outer] += 1;
            }
        }
    }
}

/// Checks that the arguments are of the kernel's types.
fn check_args(kernel: &Kernel, infos: &[ArgInfo], args: &[Arg]) -> Result<(), BindError> {
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

/// Size of one thread's scratch space in bytes: a power of two, or none.
fn scratch_size(kernel: &Kernel) -> Result<u32, BindError> {
    let buffers = kernel.per_thread_memory_buffers.iter();
    let named: u64 = buffers
        .filter(|b| b.kind == MemoryKind::Scratch)
        .map(|b| u64::from(b.size))
        .sum();
    let env = &kernel.execution_env;
    let bytes = named.max(u64::from(env.spill_size) + u64::from(env.private_size));
    if bytes == 0 {
        return Ok(0);
    }
    if bytes > THREAD_BYTES {
        return Err(BindError::ThreadMemory(bytes));
    }
    Ok(bytes.next_power_of_two().max(SCRATCH_UNIT) as u32)
}

/// Size of one thread's private memory in bytes.
fn private_size(kernel: &Kernel, simd: u32) -> Result<u64, BindError> {
    let mut bytes = 0;
    for buffer in kernel
        .per_thread_memory_buffers
        .iter()
        .filter(|b| b.kind == MemoryKind::Global)
    {
        let count = if buffer.is_simt_thread {
            u64::from(simd)
        } else {
            1
        };
        bytes += u64::from(buffer.size) * count;
    }
    if bytes > THREAD_BYTES {
        Err(BindError::ThreadMemory(bytes))
    } else {
        Ok(bytes)
    }
}

#[cfg(test)]
#[path = "tests/dispatch.rs"]
mod tests;
