//! A launch bound to its kernel: memory, surfaces, samplers, and the payload of each thread.
//!
//! A thread starts with `r0`, its header; then the per-thread payload (local ids); then the
//! cross-thread payload (arguments and sizes), laid out as `.ze_info` says (PRM vol. 7, "Thread
//! Spawn"; zebin documentation).

use std::sync::Arc;

use kiln_emit::platform::{Payload, Platform};
use kiln_emit::ze_info::{AddrMode, ArgType, Kernel, MemoryKind, PayloadArgument};

use super::binding;
use super::dispatch::{Dispatch, Start};
use super::error::BindError;
use super::implicit::ImplicitArgs;
use super::printed;
use super::request::{Arg, Launch};
use crate::code::decoded::Decoded;
use crate::state::image::Sampler;
use crate::state::lanes::low_mask;
use crate::state::memory::{HEAP, Memory, SCRATCH_STATE, Surface, Tables};
use crate::state::thread::File;
use crate::state::words::Words;

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

/// SIMD size of kernels of explicit SIMD: a thread is one work-item, and its instructions have execution sizes of
/// their own.
const EXPLICIT: u32 = 1;
/// Maximum number of work-items of a group.
const GROUP_ITEMS: u64 = 1024;
/// Maximum size of a group's shared local memory in bytes.
const SLM_BYTES: u64 = 64 << 10;
/// Number of binding table entries for surfaces; larger indices are reserved.
const BINDING_ENTRIES: u32 = 240;
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
    threads: u32,
    items: u32,
    groups: [u32; 3],
    memory: Memory,
    /// Index of each argument's buffer.
    buffers: Vec<Option<usize>>,
    /// The binding table, followed by the heap of bindless surfaces.
    surfaces: Vec<Option<Surface>>,
    samplers: Vec<Option<Sampler>>,
    slm: usize,
    /// Payload that all threads share, after the per-thread payload.
    cross_thread: Vec<u8>,
    /// Size of the per-thread payload.
    per_thread_bytes: usize,
    local_ids: Vec<LocalIds>,
    walk: [usize; 3],
    scratch_bytes: u32,
    /// Address of the scratch space of a group's threads, which is the origin of 32-bit stateless offsets.
    scratch: u64,
    general_state: u64,
    /// Index of the first operation.
    start: u32,
    /// Index of the buffer that `printf` writes to, if the kernel has its address.
    printed: Option<usize>,
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
    pub(super) fn new(
        launch: &Launch,
        program: &Decoded,
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
            printed: None,
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
        program: &Decoded,
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
        Some(Surface::of(buffer, None))
    }

    /// An argument as a surface.
    fn surface(&self, launch: &Launch, argument: usize) -> Option<Surface> {
        let buffer = self.buffers.get(argument).copied().flatten()?;
        let image = launch.args.get(argument).and_then(Arg::shape);
        Some(Surface::of(buffer, image))
    }

    /// Offset of a heap surface as its name in messages.
    fn heap_offset(&self, number: usize) -> Vec<u8> {
        let offset = (number as u32).wrapping_shl(self.platform.surface_state_bit);
        offset.to_le_bytes().to_vec()
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
                    None => self.heap_offset(index),
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
                self.heap_offset(launch.args.len() + section)
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

    /// The address of the buffer for `printf`.
    fn printf_buffer(&mut self) -> u64 {
        let buffer = *self.printed.get_or_insert_with(|| {
            let mut bytes = vec![0; PRINTF_BYTES];
            bytes[..4].copy_from_slice(&printed::FIRST.to_le_bytes());
            self.memory.add("printf buffer", &bytes)
        });
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

    /// The launch as the hardware gets it.
    pub(super) fn dispatch(self, launch: &Launch) -> Dispatch {
        let threads = (0..self.threads).map(|number| self.thread(launch, number));
        Dispatch {
            platform: self.platform,
            first: [0; 3],
            groups: self.groups,
            threads: threads.collect(),
            start: self.start,
            scratch_bytes: self.scratch_bytes,
            scratch_first: (self.platform.payload == Payload::Registers).then_some(0),
            slm: self.slm,
            bindings: Box::new(Tables {
                surfaces: self.surfaces,
                samplers: self.samplers,
            }),
            general_state: self.general_state,
            scratch: self.scratch,
            memory: self.memory,
            control: 0,
            own_ids: false,
            printed: self.printed,
            budget: launch.budget,
        }
    }

    /// A thread that the hardware has just started, in any group.
    fn thread(&self, launch: &Launch, number: u32) -> Start {
        let channels = match self.simd {
            EXPLICIT => self.channels,
            simd => (self.items - number * simd).min(simd),
        };
        let scratch_log = (u64::from(self.scratch_bytes) / SCRATCH_UNIT).checked_ilog2();
        let mut header = [0u32; 8];
        header[3] = scratch_log.unwrap_or(0);
        if self.platform.payload == Payload::Memory {
            header[5] = SCRATCH_STATE;
            header[0] = ARGUMENTS;
            header[2] = number;
        }
        // Numbers of producers and consumers for the message of the group's barrier.
        if self.platform.barriers > 1 {
            header[2] |= self.threads << 24;
        }
        let mut payload = vec![0; self.per_thread_bytes];
        self.write_local_ids(launch, number, &mut payload);
        payload.extend(&self.cross_thread);
        Start {
            channels: low_mask(channels as usize),
            header,
            payload,
        }
    }
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
/// room for, then y, then z. `walk` is the order of the dimensions, the one that changes fastest first; no size in `local` is 0.
pub fn write_local_ids(
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
#[path = "../tests/setup.rs"]
mod tests;
