//! What messages reach: buffers at 64-bit virtual addresses, the surfaces of the binding table,
//! and the shared local memory of a group. Every access is checked; none is ever out of bounds
//! silently.

use super::error::Cause;
use super::image::{Sampler, Shape};
use super::link::Segment;

/// A buffer.
#[derive(Debug)]
pub struct Buffer {
    /// For messages of errors.
    pub name: String,
    /// Virtual address of the first byte.
    pub base: u64,
    pub bytes: Vec<u8>,
}

/// Distance between the starts of two buffers' address ranges at least: an overrun of one is no
/// access to another.
pub const GUARD: u64 = 1 << 32;
/// The lowest address of a program's own data, which lie below all buffers.
pub const DATA: u64 = 1 << 36;
/// The lowest address given to a buffer.
const LOWEST: u64 = 1 << 40;

/// All buffers, in the order of their addresses.
#[derive(Debug, Default)]
pub struct Memory {
    buffers: Vec<Buffer>,
    /// The program's own data.
    data: Vec<Buffer>,
}

impl Memory {
    /// Adds a buffer and gives its index. Its address is a multiple of 4 GiB.
    pub fn add(&mut self, name: impl Into<String>, bytes: Vec<u8>) -> usize {
        let base = match self.buffers.last() {
            None => LOWEST,
            Some(last) => (last.base + last.bytes.len() as u64).next_multiple_of(GUARD) + GUARD,
        };
        self.buffers.push(Buffer {
            name: name.into(),
            base,
            bytes,
        });
        self.buffers.len() - 1
    }

    /// Puts a program's data at their addresses.
    pub fn load(&mut self, data: &[Segment]) {
        self.data = data
            .iter()
            .map(|segment| Buffer {
                name: segment.name.clone(),
                base: segment.base,
                bytes: segment.bytes.clone(),
            })
            .collect();
    }

    /// Address of a section of the program's own data; none if it has no such section.
    pub fn data_address(&self, section: &str) -> Option<u64> {
        let section = self.data.iter().find(|b| b.name == section);
        section.map(|b| b.base)
    }

    /// Address of a buffer's first byte.
    pub fn address(&self, index: usize) -> u64 {
        self.buffers.get(index).map_or(0, |b| b.base)
    }

    /// Bytes of a buffer.
    pub fn size(&self, index: usize) -> u64 {
        self.buffers.get(index).map_or(0, |b| b.bytes.len() as u64)
    }

    /// Takes a buffer's contents out.
    pub fn take(&mut self, index: usize) -> Vec<u8> {
        self.buffers
            .get_mut(index)
            .map(|b| std::mem::take(&mut b.bytes))
            .unwrap_or_default()
    }

    /// `size` bytes at a virtual address, for a channel.
    pub fn at_address(&mut self, at: u64, size: usize, channel: u32) -> Result<&mut [u8], Cause> {
        let buffers = if at < LOWEST {
            &mut self.data
        } else {
            &mut self.buffers
        };
        let after = buffers.partition_point(|b| b.base <= at);
        let missing = Cause::NoBuffer {
            channel,
            at,
            size: size as u64,
        };
        let Some(index) = after.checked_sub(1) else {
            return Err(missing);
        };
        let buffer = buffers.get_mut(index).ok_or(missing)?;
        let offset = at - buffer.base;
        if offset >= GUARD + buffer.bytes.len() as u64 {
            return Err(Cause::NoBuffer {
                channel,
                at,
                size: size as u64,
            });
        }
        within(buffer, offset, size, channel)
    }

    /// `size` bytes at an offset into a buffer, for a channel.
    pub fn at_offset(
        &mut self,
        index: usize,
        at: u64,
        size: usize,
        channel: u32,
    ) -> Result<&mut [u8], Cause> {
        let missing = Cause::NoBuffer {
            channel,
            at,
            size: size as u64,
        };
        within(
            self.buffers.get_mut(index).ok_or(missing)?,
            at,
            size,
            channel,
        )
    }
}

fn within(buffer: &mut Buffer, at: u64, size: usize, channel: u32) -> Result<&mut [u8], Cause> {
    let room = buffer.bytes.len();
    let range = usize::try_from(at)
        .ok()
        .and_then(|at| Some(at..at.checked_add(size)?));
    let outside = || Cause::OutOfBounds {
        channel,
        space: buffer.name.clone(),
        at,
        size: size as u64,
        room: room as u64,
    };
    match range {
        Some(range) if range.end <= room => Ok(&mut buffer.bytes[range]),
        _ => Err(outside()),
    }
}

/// Binding table indices that are no entries of the table (PRM vol. 7, "Binding Table Surface
/// State Model").
pub const BTI_SLM: u32 = 254;
pub const BTI_STATELESS: u32 = 255;
pub const BTI_STATELESS_NONCOHERENT: u32 = 253;
/// The surface is named by the extended descriptor.
pub const BTI_BINDLESS: u32 = 252;
/// Where in the table of surfaces the heap begins that bindless messages name.
pub const HEAP: u32 = 256;

/// A surface: a buffer, or one with an image's texels.
#[derive(Clone, Copy, Debug)]
pub struct Surface {
    pub buffer: usize,
    pub image: Option<Shape>,
}

/// The reference compiler counts the kernel's own shared variables from here, so that none is at
/// the null pointer. The hardware ignores the bit: shared memory has 64 KiB.
const SLM_TAG: u32 = 1 << 28;

/// What the threads of a group share.
pub struct Shared<'a> {
    pub memory: &'a mut Memory,
    /// The binding table, and the heap from [`HEAP`] on.
    pub surfaces: &'a [Option<Surface>],
    pub samplers: &'a [Option<Sampler>],
    pub slm: Vec<u8>,
    /// The address that 32-bit stateless offsets count from.
    pub general_state: u64,
    /// Threads that have signalled the barrier and not passed it.
    pub arrived: u32,
}

impl Shared<'_> {
    /// `size` bytes at `at` of what a binding table index names.
    pub fn at(&mut self, bti: u32, at: u32, size: usize, channel: u32) -> Result<&mut [u8], Cause> {
        match bti {
            BTI_SLM => {
                let room = self.slm.len();
                let start = (at & !SLM_TAG) as usize;
                let found = self.slm.get_mut(start..start.saturating_add(size));
                found.ok_or_else(|| Cause::OutOfBounds {
                    channel,
                    space: "shared local memory".to_string(),
                    at: u64::from(at),
                    size: size as u64,
                    room: room as u64,
                })
            }
            BTI_STATELESS | BTI_STATELESS_NONCOHERENT => {
                self.memory
                    .at_address(self.general_state + u64::from(at), size, channel)
            }
            _ => {
                let surface = self.surface(bti)?;
                if surface.image.is_some() {
                    return Err(Cause::Image(bti));
                }
                self.memory
                    .at_offset(surface.buffer, u64::from(at), size, channel)
            }
        }
    }

    /// The image that a binding table index names: its buffer and shape.
    pub fn image(&self, bti: u32) -> Result<(usize, Shape), Cause> {
        let surface = self.surface(bti)?;
        let shape = surface.image.ok_or(Cause::NoImage(bti))?;
        Ok((surface.buffer, shape))
    }

    fn surface(&self, bti: u32) -> Result<Surface, Cause> {
        let entry = self.surfaces.get(bti as usize).copied().flatten();
        entry.ok_or(Cause::EmptyEntry(bti))
    }
}
