//! Sites: what translated code keeps of the memory that a message last accessed.

use std::mem::discriminant;

use crate::code::operation::{Operation, Path};
use crate::code::send::{Message, Send};
use crate::messages::load_store;
use crate::messages::plain::{AddressSpace, Block, Plain};
use crate::state::memory::{Memory, Part, Shared, Space};
use crate::state::thread::Thread;
use crate::state::words::Words;

/// A buffer as a message accesses it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Site {
    /// Host address of the first byte.
    pub origin: u64,
    /// Virtual address of the first byte, or its offset from the general state; 0 for a surface.
    pub base: u64,
    /// Number of distances at which a channel's access is inside.
    pub starts: u64,
    /// The last offset of a thread's scratch space, if distances count from there.
    pub last_thread: u64,
    /// The extended descriptor that names the buffer.
    pub extended: u32,
}

/// A message that has a site.
#[derive(Clone, Debug)]
pub struct SiteKind {
    pub access: Kind,
    /// Size of the memory that code accesses at a distance, in bytes.
    pub extent: usize,
    /// Byte of the address registers that its extended descriptor is at; none if it is a constant.
    pub named: Option<usize>,
}

#[derive(Clone, Debug)]
pub enum Kind {
    Plain(Plain),
    Block(Block),
}

/// Bits of addresses that shared local memory ignores.
pub const LOCAL_TAG: u32 = 1 << 28;

/// The first distance that is negative as a dword; what is farther is left to the interpreter.
pub const FAR: usize = 1 << 31;

/// Alignment of buffers that the alignment of distances says nothing about.
pub const BASE_ALIGNMENT: u64 = 64;

/// Bits of a header's address that are not part of it.
pub const LOW_BITS: u32 = 0x3ff;

impl Site {
    /// A buffer with a first address, for accesses of an extent.
    fn of(words: &Words, base: u64, extent: usize) -> Site {
        Site {
            origin: words.address(),
            base,
            starts: starts(words.len(), extent),
            ..Site::default()
        }
    }

    /// A surface; that of no buffer if it is none.
    fn of_surface(bti: u32, shared: &Shared, extent: usize) -> Site {
        match shared.space(bti) {
            Ok(Space::Part(memory, part)) => {
                Site::of_part(memory, part, extent).unwrap_or_default()
            }
            Ok(space) => {
                let words = space.words();
                words.map_or(Site::default(), |(words, _)| Site::of(words, 0, extent))
            }
            Err(_) => Site::default(),
        }
    }

    /// A range of addresses, if it lies in one buffer at a place with the alignment of buffers.
    fn of_part(memory: &Memory, part: Part, extent: usize) -> Option<Site> {
        let (base, words) = memory.buffer_at(part.base)?;
        let before = part.base - base;
        let origin = words.address() + before;
        let room = (words.len() as u64 - before).min(part.bytes);
        origin.is_multiple_of(BASE_ALIGNMENT).then(|| Site {
            origin,
            starts: starts(room as usize, extent),
            ..Site::default()
        })
    }

    /// A thread's scratch space; that of another thread has the same size.
    fn of_own(thread: &Thread, shared: &Shared, extent: usize) -> Option<Site> {
        let (base, words) = shared.memory.buffer_at(shared.scratch)?;
        let before = shared.scratch - base;
        let room = (words.len() as u64).checked_sub(before)?;
        let size = u64::from(thread.scratch_bytes);
        Some(Site {
            origin: words.address() + before,
            base: 0,
            starts: starts(size as usize, extent),
            last_thread: room.checked_sub(size)?,
            extended: 0,
        })
    }
}

/// Number of distances at which an access of an extent is inside.
fn starts(size: usize, extent: usize) -> u64 {
    (size + 1).saturating_sub(extent).min(FAR) as u64
}

impl SiteKind {
    /// The site of a constant surface; that of no buffer for any other space.
    pub fn bind(&self, shared: &Shared) -> Site {
        match (self.access.space(), self.named) {
            (AddressSpace::Surface(bti), None) => Site::of_surface(bti, shared, self.extent),
            _ => Site::default(),
        }
    }

    /// The buffer that a message at addresses is about to access.
    pub fn find(&self, op: &Operation, thread: &Thread, shared: &Shared) -> Option<Site> {
        let Path::Send(send) = &op.path else {
            return None;
        };
        let message = send.exact(thread).ok()?;
        let named = match self.named {
            Some(_) => Some(Kind::of(op, send, &message)?),
            None => None,
        };
        let access = named.as_ref().unwrap_or(&self.access);
        // The code is that of a space, whichever of its buffers has the name.
        if discriminant(&access.space()) != discriminant(&self.access.space()) {
            return None;
        }
        let site = match access.space() {
            AddressSpace::Surface(_) if named.is_none() => return None,
            AddressSpace::Surface(bti) => Site::of_surface(bti, shared, self.extent),
            AddressSpace::Own if !load_store::names_scratch(&message) => return None,
            AddressSpace::Own => Site::of_own(thread, shared, self.extent)?,
            _ => {
                let (origin, address) = access.address(op, thread, shared)?;
                let (base, words) = shared.memory.buffer_at(address)?;
                let aligned =
                    base.is_multiple_of(BASE_ALIGNMENT) && origin.is_multiple_of(BASE_ALIGNMENT);
                let start = base.wrapping_sub(origin);
                // Distances of 32 bits tell places apart only where no offset in the buffer wraps.
                let offsets = matches!(access, Kind::Plain(plain) if plain.address() == 4);
                let wraps = offsets && start.saturating_add(words.len() as u64) > 1 << 32;
                (aligned && !wraps).then(|| Site::of(words, start, self.extent))?
            }
        };
        let extended = message.extended();
        Some(Site { extended, ..site })
    }
}

impl Kind {
    /// How to translate a message; none leaves it to the interpreter.
    pub fn of(op: &Operation, send: &Send, m: &Message) -> Option<Kind> {
        let plain = || Plain::of(op, m).map(Kind::Plain);
        plain().or_else(|| Block::of(op, send, m).map(Kind::Block))
    }

    pub fn space(&self) -> AddressSpace {
        match self {
            Kind::Plain(plain) => plain.space,
            Kind::Block(block) => block.space,
        }
    }

    /// The virtual address from which the code's distances are counted, and an address that is about to be accessed.
    pub fn address(&self, op: &Operation, thread: &Thread, shared: &Shared) -> Option<(u64, u64)> {
        let quad =
            |at: usize| u64::from(thread.grf_dword(at)) | u64::from(thread.grf_dword(at + 4)) << 32;
        match self {
            Kind::Plain(plain) => {
                let enabled = thread.enabled(op);
                let lane = (enabled != 0).then(|| enabled.trailing_zeros() as usize)?;
                let at = plain.addresses + lane * plain.address();
                if plain.space == AddressSpace::Stateless {
                    let offset = thread.grf_dword(at).wrapping_mul(plain.unit);
                    let offset = offset.wrapping_add_signed(plain.offset);
                    let origin = shared.general_state;
                    return Some((origin, origin.wrapping_add(offset.into())));
                }
                Some((0, quad(at).wrapping_add_signed(plain.offset.into())))
            }
            Kind::Block(block) => {
                let offset = || {
                    let upper = block.base.map_or(0, |at| thread.grf_dword(at) & !LOW_BITS);
                    let scaled = thread.grf_dword(block.address).wrapping_mul(block.unit);
                    let sum = scaled.wrapping_add(upper);
                    u64::from(sum.wrapping_add_signed(block.offset))
                };
                match block.space {
                    AddressSpace::Surface(_) | AddressSpace::Own => None,
                    AddressSpace::Flat => {
                        let address = quad(block.address);
                        Some((0, address.wrapping_add_signed(block.offset.into())))
                    }
                    AddressSpace::Stateless => {
                        let origin = shared.general_state;
                        Some((origin, origin.wrapping_add(offset())))
                    }
                    AddressSpace::Scratch(_) => {
                        let own = u64::from(thread.scratch & !LOW_BITS);
                        let address = shared.scratch.wrapping_add(own);
                        let offset = block.offset.into();
                        Some((shared.scratch, address.wrapping_add_signed(offset)))
                    }
                }
            }
        }
    }
}
