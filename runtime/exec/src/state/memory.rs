//! Memory that messages access: buffers at 64-bit virtual addresses, the surfaces of the binding table, and the
//! shared local memory of a group. Every access is checked, so that none is silently out of bounds.

use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use super::barrier::Barriers;
use super::cause::Cause;
use super::image::{Sampler, Shape};
use super::mapping::Mapping;
use super::thread::UNDEFINED;
use super::words::Words;

/// A buffer of the memory.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// Name in error messages.
    pub name: Arc<str>,
    /// Virtual address of the first byte.
    pub base: u64,
    words: Arc<Words>,
    /// True if each group has its own.
    private: bool,
}

/// Minimum distance between the address ranges of two buffers, so that an overrun of one is no access to another.
pub const GUARD: u64 = 1 << 32;
/// Lowest address of a program's own data, which lie below all buffers.
pub const DATA: u64 = 1 << 36;
/// Lowest address of a buffer.
const LOWEST: u64 = 1 << 40;

/// A section of data at its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub name: String,
    pub base: u64,
    pub bytes: Vec<u8>,
}

/// Offset of the scratch surface's state in the header ([`kiln_platform::abi::SCRATCH_STATE_MASK`]).
pub const SCRATCH_STATE: u32 = 1 << 10;

/// All buffers, in the order of their addresses.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    buffers: Vec<Buffer>,
    /// The program's own data.
    data: Vec<Buffer>,
}

impl Memory {
    /// Adds a buffer and gives its index. Its address is a multiple of 4 GiB.
    pub fn add(&mut self, name: impl Into<Arc<str>>, bytes: &[u8]) -> usize {
        self.push(name.into(), Arc::new(Words::new(bytes)), false)
    }

    /// Adds a buffer with existing contents.
    pub fn share(&mut self, name: impl Into<Arc<str>>, words: &Arc<Words>) -> usize {
        self.push(name.into(), words.clone(), false)
    }

    /// Adds memory that each group has for itself, initially undefined.
    pub fn add_private(&mut self, name: impl Into<Arc<str>>, size: usize) -> usize {
        let words = Words::filled(size, UNDEFINED);
        self.push(name.into(), Arc::new(words), true)
    }

    /// Adds a buffer at an address after those of all others, with memory that others have mapped.
    ///
    /// # Safety
    /// As `Mapping::foreign`, for `len` bytes rounded up to words.
    #[expect(unsafe_code, reason = "others lend memory of theirs")]
    pub unsafe fn lend(
        &mut self,
        name: Arc<str>,
        base: u64,
        first: NonNull<AtomicU32>,
        len: usize,
    ) {
        // SAFETY: the caller's.
        let words = unsafe { Mapping::foreign(first, len.div_ceil(size_of::<AtomicU32>())) };
        self.buffers.push(Buffer {
            name,
            base,
            words: Arc::new(Words::of_mapping(words, len)),
            private: false,
        });
    }

    /// Adds memory that each group has for itself, at an address between those of other buffers.
    pub fn add_private_at(&mut self, name: impl Into<Arc<str>>, base: u64, size: usize) {
        let index = self.buffers.partition_point(|b| b.base <= base);
        let buffer = Buffer {
            name: name.into(),
            base,
            words: Arc::new(Words::filled(size, UNDEFINED)),
            private: true,
        };
        self.buffers.insert(index, buffer);
    }

    fn push(&mut self, name: Arc<str>, words: Arc<Words>, private: bool) -> usize {
        let base = match self.buffers.last() {
            None => LOWEST,
            Some(last) => (last.base + last.words.len() as u64).next_multiple_of(GUARD) + GUARD,
        };
        self.buffers.push(Buffer {
            name,
            base,
            words,
            private,
        });
        self.buffers.len() - 1
    }

    /// A copy of the memory with private buffers of its own.
    pub fn with_own(&self) -> Memory {
        let mut memory = self.clone();
        for buffer in memory.buffers.iter_mut().filter(|b| b.private) {
            buffer.words = Arc::new(Words::filled(buffer.words.len(), UNDEFINED));
        }
        memory
    }

    /// Makes private buffers undefined again.
    pub fn forget_own(&self) {
        let private = self.buffers.iter().filter(|b| b.private);
        private.for_each(|b| b.words.fill(UNDEFINED));
    }

    /// Memory that threads share.
    fn shared(&self) -> impl Iterator<Item = &Words> {
        let shared = self.buffers.iter().chain(&self.data).filter(|b| !b.private);
        shared.map(|b| &*b.words)
    }

    /// As `Words::hold_stores`, of memory that threads share.
    pub fn hold_stores(&self) {
        self.shared().for_each(Words::hold_stores);
    }

    /// As `Words::take_turn`.
    pub fn take_turn(&self, thread: u32) {
        self.shared().for_each(|words| words.take_turn(thread));
    }

    /// As `Words::release`.
    pub fn release(&self, thread: u32) {
        self.shared().for_each(|words| words.release(thread));
    }

    /// A copy of all of it, at the same addresses.
    pub fn copied(&self) -> Memory {
        let copies = |buffers: &[Buffer]| {
            let copy = |b: &Buffer| Buffer {
                words: Arc::new(Words::new(&b.words.to_bytes())),
                ..b.clone()
            };
            buffers.iter().map(copy).collect()
        };
        let mut memory = Memory {
            buffers: copies(&self.buffers),
            data: copies(&self.data),
        };
        // Memory that is both a section of the data and a buffer stays one.
        for (copy, original) in memory.buffers.iter_mut().zip(&self.buffers) {
            let same = |b: &Buffer| Arc::ptr_eq(&b.words, &original.words);
            if let Some(index) = self.data.iter().position(same) {
                copy.words = memory.data[index].words.clone();
            }
        }
        memory
    }

    /// The first buffer and byte in which another memory with the same buffers differs.
    pub fn first_difference(&self, other: &Memory) -> Option<String> {
        let pairs = self.buffers.iter().zip(&other.buffers);
        let data = self.data.iter().zip(&other.data);
        pairs.chain(data).find_map(|(a, b)| {
            let at = a.words.first_difference(&b.words)?;
            Some(format!("{} from byte {at:#x} on", a.name))
        })
    }

    /// Size of all buffers in bytes.
    pub fn total(&self) -> u64 {
        let buffers = self.buffers.iter().chain(&self.data);
        buffers.map(|b| b.words.len() as u64).sum()
    }

    /// Stores a program's data at their addresses.
    pub fn load(&mut self, data: &[Segment]) {
        self.data = data
            .iter()
            .map(|segment| Buffer {
                name: segment.name.as_str().into(),
                base: segment.base,
                words: Arc::new(Words::new(&segment.bytes)),
                private: false,
            })
            .collect();
    }

    /// Address of a section of the program's own data; none if it has no such section.
    pub fn data_address(&self, section: &str) -> Option<u64> {
        let section = self.data.iter().find(|b| &*b.name == section);
        section.map(|b| b.base)
    }

    /// A section of the program's own data as a buffer; none if it has no such section.
    pub fn share_data(&mut self, section: &str) -> Option<usize> {
        let words = self
            .data
            .iter()
            .find(|b| &*b.name == section)?
            .words
            .clone();
        Some(self.share(section, &words))
    }

    /// Address of a buffer's first byte.
    pub fn address(&self, index: usize) -> u64 {
        self.buffers.get(index).map_or(0, |b| b.base)
    }

    /// Size of a buffer in bytes.
    pub fn size(&self, index: usize) -> u64 {
        self.buffers.get(index).map_or(0, |b| b.words.len() as u64)
    }

    /// A buffer's contents.
    pub fn contents(&self, index: usize) -> Vec<u8> {
        let buffer = self.buffers.get(index);
        buffer.map(|b| b.words.to_bytes()).unwrap_or_default()
    }

    /// The last buffer that starts at a virtual address or before it: one of the program's data only if none of the others does,
    /// since the data lie below them.
    fn last_before(&self, at: u64) -> Option<&Buffer> {
        let last = |buffers: &'_ [Buffer]| buffers.partition_point(|b| b.base <= at).checked_sub(1);
        match last(&self.buffers) {
            Some(index) => self.buffers.get(index),
            None => self.data.get(last(&self.data)?),
        }
    }

    /// The buffer that contains a virtual address: its first address and its contents.
    pub fn buffer_at(&self, at: u64) -> Option<(u64, &Words)> {
        let buffer = self.last_before(at)?;
        let inside = at - buffer.base < buffer.words.len() as u64;
        inside.then_some((buffer.base, &*buffer.words))
    }

    /// `size` bytes at a virtual address, for a channel.
    pub fn at_address(&self, at: u64, size: usize, channel: u32) -> Result<Span<'_>, Cause> {
        match self.last_before(at) {
            Some(buffer) if at - buffer.base < GUARD + buffer.words.len() as u64 => {
                within(&buffer.words, &buffer.name, at - buffer.base, size, channel)
            }
            _ => Err(Cause::NoBuffer {
                channel,
                at,
                size: size as u64,
            }),
        }
    }

    /// `size` bytes at an offset into a buffer, for a channel.
    pub fn at_offset(
        &self,
        index: usize,
        at: u64,
        size: usize,
        channel: u32,
    ) -> Result<Span<'_>, Cause> {
        let buffer = self.buffers.get(index).ok_or(Cause::NoBuffer {
            channel,
            at,
            size: size as u64,
        })?;
        within(&buffer.words, &buffer.name, at, size, channel)
    }
}

/// A range of existing memory.
#[derive(Clone, Copy)]
pub struct Span<'a> {
    words: &'a Words,
    at: usize,
}

impl Span<'_> {
    /// Copies bytes from its start; no more than it has.
    #[inline]
    pub fn read(self, out: &mut [u8]) {
        self.words.read(self.at, out);
    }

    /// Copies bytes to its start; no more than it has.
    #[inline]
    pub fn write(self, bytes: &[u8]) {
        self.words.write(self.at, bytes);
    }

    /// Dwords of its first bytes, at most 16; zeros follow.
    #[inline]
    pub fn dwords(self, size: usize) -> [u32; 4] {
        let mut dwords = [0; 4];
        if self.at.is_multiple_of(4) && size.is_multiple_of(4) {
            for (dword, at) in dwords[..size / 4].iter_mut().zip((self.at..).step_by(4)) {
                *dword = self.words.dword(at);
            }
            return dwords;
        }
        let mut bytes = [0; 16];
        self.read(&mut bytes[..size]);
        dwords_of(bytes)
    }

    /// Stores its first bytes, at most 16, from dwords.
    #[inline]
    pub fn set_dwords(self, dwords: [u32; 4], size: usize) {
        if self.at.is_multiple_of(4) && size.is_multiple_of(4) {
            for (dword, at) in dwords[..size / 4].iter().zip((self.at..).step_by(4)) {
                self.words.set_dword(at, *dword);
            }
        } else {
            self.write(&dwords.map(u32::to_le_bytes).as_flattened()[..size]);
        }
    }

    /// The dword at the start of the place.
    #[inline]
    pub fn dword(self) -> u32 {
        if self.at.is_multiple_of(4) {
            return self.words.dword(self.at);
        }
        let mut bytes = [0; 4];
        self.read(&mut bytes);
        u32::from_le_bytes(bytes)
    }

    /// Stores its dword.
    #[inline]
    pub fn set_dword(self, value: u32) {
        if self.at.is_multiple_of(4) {
            self.words.set_dword(self.at, value);
        } else {
            self.write(&value.to_le_bytes());
        }
    }

    /// Replaces its number of `size` bytes, 1, 2, 4 or 8, atomically; returns the old one. Its address must be a
    /// multiple of the size.
    pub fn update(self, size: usize, new: impl Fn(u64) -> u64) -> u64 {
        self.words.update(self.at, size, new)
    }
}

fn dwords_of(bytes: [u8; 16]) -> [u32; 4] {
    let number = u128::from_le_bytes(bytes);
    [0, 32, 64, 96].map(|low| (number >> low) as u32)
}

#[inline]
fn within<'a>(
    words: &'a Words,
    space: &str,
    at: u64,
    size: usize,
    channel: u32,
) -> Result<Span<'a>, Cause> {
    if at
        .checked_add(size as u64)
        .is_some_and(|end| end <= words.len() as u64)
    {
        return Ok(Span {
            words,
            at: at as usize,
        });
    }
    Err(Cause::OutOfBounds {
        channel,
        space: space.to_string(),
        at,
        size: size as u64,
        room: words.len() as u64,
    })
}

/// Reserved binding table indices (PRM vol. 7, "Binding Table Surface State Model").
pub const BTI_SLM: u32 = 254;
pub const BTI_STATELESS: u32 = 255;
pub const BTI_STATELESS_NONCOHERENT: u32 = 253;
/// Index of the first surface of the bindless heap in the table of surfaces.
pub const HEAP: u32 = 256;

/// Memory of a surface.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// A buffer of the memory, by its index.
    Buffer(usize),
    /// A range of virtual addresses, with its first one and its size in bytes.
    Range(u64, u64),
}

/// A surface: memory, or memory with an image's texels.
#[derive(Clone, Copy, Debug)]
pub struct Surface {
    /// Memory of the contents.
    pub place: Place,
    /// Shape of the texels; none if messages access bytes.
    pub image: Option<Shape>,
}

impl Surface {
    /// A buffer of the memory as a surface.
    pub fn of(buffer: usize, image: Option<Shape>) -> Surface {
        let place = Place::Buffer(buffer);
        Surface { place, image }
    }
}

/// Surfaces and samplers by their numbers in messages.
pub trait Bindings: Sync {
    /// The surface with an index in the binding table; from [`HEAP`] on, one of the bindless heap.
    fn surface(&self, index: u32) -> Option<Surface>;

    /// The sampler with an index in the table of states; or, bindless, in the heap.
    fn sampler(&self, index: u32, bindless: bool) -> Option<Sampler>;
}

/// Surfaces and samplers that are all known before a launch.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// The binding table, and from [`HEAP`] on the heap.
    pub surfaces: Vec<Option<Surface>>,
    /// The table of states, followed by the heap.
    pub samplers: Vec<Option<Sampler>>,
}

impl Bindings for Tables {
    fn surface(&self, index: u32) -> Option<Surface> {
        self.surfaces.get(index as usize).copied().flatten()
    }

    fn sampler(&self, index: u32, _bindless: bool) -> Option<Sampler> {
        self.samplers.get(index as usize).copied().flatten()
    }
}

/// Bit that the reference compiler sets in addresses of the kernel's own shared variables, so that none is null. The
/// hardware ignores it: shared memory has 64 KiB.
const SLM_TAG: u32 = 1 << 28;

/// State that the threads of a group share.
pub struct Shared<'a> {
    pub memory: &'a Memory,
    pub bindings: &'a dyn Bindings,
    pub slm: &'a Words,
    /// Origin of 32-bit stateless offsets.
    pub general_state: u64,
    /// The address of the scratch space of all threads.
    pub scratch: u64,
    pub barriers: Barriers,
    /// Numbers of bytes that messages read and wrote.
    pub read: u64,
    pub written: u64,
}

/// Address space of a message's offsets.
#[derive(Clone, Copy)]
pub enum Space<'a> {
    Local(&'a Words),
    Buffer(&'a Memory, usize),
    /// Virtual addresses, starting at this one.
    Address(&'a Memory, u64),
    /// A range of virtual addresses.
    Part(&'a Memory, Part),
}

/// A range of virtual addresses.
#[derive(Clone, Copy)]
pub struct Part {
    pub base: u64,
    pub bytes: u64,
    /// Name in error messages.
    pub name: &'static str,
}

impl<'a> Space<'a> {
    /// The memory of the offsets and a mask of their ignored bits, if it is one buffer.
    pub fn words(self) -> Option<(&'a Words, u32)> {
        match self {
            Space::Local(slm) => Some((slm, SLM_TAG)),
            Space::Buffer(memory, index) => Some((&*memory.buffers.get(index)?.words, 0)),
            Space::Address(..) | Space::Part(..) => None,
        }
    }

    /// `size` bytes at an offset, for a channel.
    #[inline]
    pub fn at(self, at: u64, size: usize, channel: u32) -> Result<Span<'a>, Cause> {
        match self {
            Space::Local(slm) => {
                let start = at & !u64::from(SLM_TAG);
                within(slm, "shared local memory", start, size, channel)
            }
            Space::Buffer(memory, index) => memory.at_offset(index, at, size, channel),
            Space::Address(memory, base) => memory.at_address(base.wrapping_add(at), size, channel),
            Space::Part(_, part)
                if at
                    .checked_add(size as u64)
                    .is_none_or(|end| end > part.bytes) =>
            {
                Err(Cause::OutOfBounds {
                    channel,
                    space: part.name.to_string(),
                    at,
                    size: size as u64,
                    room: part.bytes,
                })
            }
            Space::Part(memory, part) => memory.at_address(part.base + at, size, channel),
        }
    }
}

/// A space with the buffer of the last access at an address: accesses in it need no search.
pub struct Nearby<'a> {
    space: Space<'a>,
    words: Option<&'a Words>,
    /// The first offset in the buffer, its place there, and how many bytes follow.
    first: u64,
    start: u64,
    len: u64,
}

impl<'a> Nearby<'a> {
    pub fn new(space: Space<'a>) -> Nearby<'a> {
        Nearby {
            space,
            words: None,
            first: 0,
            start: 0,
            len: 0,
        }
    }

    /// As [`Space::at`].
    #[inline]
    pub fn at(&mut self, at: u64, size: usize, channel: u32) -> Result<Span<'a>, Cause> {
        let inside = at.wrapping_sub(self.first);
        if let Some(words) = self.words
            && inside < self.len
            && size as u64 <= self.len - inside
        {
            let at = (self.start + inside) as usize;
            return Ok(Span { words, at });
        }
        let span = self.space.at(at, size, channel)?;
        self.remember(at);
        Ok(span)
    }

    /// Remembers the buffer of an offset.
    fn remember(&mut self, at: u64) {
        let (memory, address, room) = match self.space {
            Space::Address(memory, base) => (memory, base.wrapping_add(at), u64::MAX),
            Space::Part(memory, part) => (memory, part.base + at, part.bytes),
            Space::Local(_) | Space::Buffer(..) => return,
        };
        if let Some((base, words)) = memory.buffer_at(address) {
            // A part may begin in the middle of a buffer, and end there.
            let before = (address - base).min(at);
            self.words = Some(words);
            self.first = at - before;
            self.start = address - base - before;
            self.len = (words.len() as u64 - self.start).min(room - self.first);
        }
    }
}

impl<'a> Shared<'a> {
    /// Address space of a binding table index.
    pub fn space(&self, bti: u32) -> Result<Space<'a>, Cause> {
        match bti {
            BTI_SLM => Ok(Space::Local(self.slm)),
            BTI_STATELESS | BTI_STATELESS_NONCOHERENT => {
                Ok(Space::Address(self.memory, self.general_state))
            }
            _ => {
                let surface = self.surface(bti)?;
                if surface.image.is_some() {
                    return Err(Cause::Image(bti));
                }
                Ok(self.contents(surface))
            }
        }
    }

    /// The image of a binding table index: the space of its texels, and its shape.
    pub fn image(&self, bti: u32) -> Result<(Space<'a>, Shape), Cause> {
        let surface = self.surface(bti)?;
        let shape = surface.image.ok_or(Cause::NoImage(bti))?;
        Ok((self.contents(surface), shape))
    }

    fn surface(&self, bti: u32) -> Result<Surface, Cause> {
        self.bindings.surface(bti).ok_or(Cause::EmptyEntry(bti))
    }

    fn contents(&self, surface: Surface) -> Space<'a> {
        match surface.place {
            Place::Buffer(index) => Space::Buffer(self.memory, index),
            Place::Range(base, bytes) => {
                let name = "the surface";
                Space::Part(self.memory, Part { base, bytes, name })
            }
        }
    }

    /// Says which thread's accesses follow.
    pub fn take_turn(&self, thread: u32) {
        self.memory.take_turn(thread);
        self.slm.take_turn(thread);
    }

    /// Counts bytes that a message moved.
    pub fn count(&mut self, write: bool, bytes: usize) {
        let total = if write {
            &mut self.written
        } else {
            &mut self.read
        };
        *total += bytes as u64;
    }
}
