//! Accesses of memory by their meaning, and the messages that make them.
//!
//! Selection, spilling and stack frames describe an access as a [`MemoryAccess`]. [`MemoryAccess::request`] lowers it
//! to a request of the message family that the platform has for memory
//! ([`Platform::memory`](crate::platform::Platform::memory)). Lengths of payloads, and the surface of an access to
//! [`Space::Surface`] or [`Space::Image`], are set on the request.

use smallvec::{SmallVec, smallvec};

use super::field::{Atomic, Lines};
use super::{Request, RequestError, data_port, load_store};
use crate::platform::{MessageFamily, Platform};

/// An access of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryAccess {
    pub operation: Operation,
    pub space: Space,
    pub address: Address,
    pub elements: Elements,
    /// Number of channels.
    pub channels: u8,
    pub cache: Cache,
}

/// The effect of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Load,
    Store,
    Atomic {
        operation: Atomic,
        /// True if the old contents are the response.
        returns: bool,
    },
}

/// The memory that is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// A surface; addresses are offsets of 32 bits.
    Surface,
    /// All memory; addresses have 64 bits.
    Global,
    /// The thread's scratch space; addresses are offsets from its beginning.
    Scratch,
    /// An image; addresses are coordinates.
    Image,
}

/// The place of the addresses of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    /// One for each channel, in the first payload.
    PerChannel,
    /// One for all channels, in the first payload.
    Uniform,
    /// One for all channels, in bytes, in the message itself.
    Constant(u32),
}

/// The data at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// `count` consecutive numbers of `bits` bits; their address is a multiple of `alignment` bytes.
    Numbers {
        bits: u32,
        count: u32,
        alignment: u32,
    },
    /// Some of four components: dwords of memory, or channels of a texel. Bit 0 of the mask is x.
    Components { mask: u8 },
    /// A rectangle of an image's rows.
    Rectangle { lines: Lines },
}

/// How caches treat the data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cache {
    #[default]
    Default,
    /// The data is not needed after this load.
    LastUse,
}

/// A fence: earlier accesses of the thread come before later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryFence {
    /// True for a fence of shared local memory alone.
    pub local: bool,
    /// True if the cache of level 1 is flushed.
    pub flush_level_1: bool,
}

impl MemoryAccess {
    /// An access with an address for each channel.
    pub fn per_channel(
        operation: Operation,
        space: Space,
        elements: Elements,
        channels: u8,
    ) -> MemoryAccess {
        MemoryAccess {
            operation,
            space,
            address: Address::PerChannel,
            elements,
            channels,
            cache: Cache::Default,
        }
    }

    /// An access of `bytes` consecutive bytes by all channels together.
    pub fn block(
        operation: Operation,
        space: Space,
        address: Address,
        bytes: u32,
        alignment: u32,
    ) -> MemoryAccess {
        let elements = Elements::Numbers {
            bits: 32,
            count: bytes / 4,
            alignment,
        };
        MemoryAccess {
            operation,
            space,
            address,
            elements,
            channels: 16,
            cache: Cache::Default,
        }
    }

    /// An access of `bytes` consecutive bytes of the thread's scratch space.
    pub fn scratch(write: bool, address: Address, bytes: u32) -> MemoryAccess {
        let operation = if write {
            Operation::Store
        } else {
            Operation::Load
        };
        MemoryAccess::block(operation, Space::Scratch, address, bytes, 16)
    }

    /// The request that makes the access on a platform.
    ///
    /// # Errors
    /// The platform's message family has no message for it.
    pub fn request(&self, platform: &Platform) -> Result<Request, RequestError> {
        let family = self.family(platform);
        let request = match family {
            MessageFamily::DataPort => data_port::lower(self),
            MessageFamily::LoadStore => load_store::lower(self),
        };
        request.ok_or(RequestError::Access(family))
    }

    fn family(&self, platform: &Platform) -> MessageFamily {
        match (self.space, self.address) {
            (Space::Image, _) => platform.images,
            // Scratch block messages are those of the data port.
            (Space::Scratch, Address::Constant(_)) if platform.scratch_block_bytes > 0 => {
                MessageFamily::DataPort
            }
            _ => platform.memory,
        }
    }

    /// Maximum number of channels of a message that makes the access.
    pub fn max_channels(&self, platform: &Platform) -> u8 {
        match self.family(platform) {
            MessageFamily::DataPort => data_port::max_channels(self),
            MessageFamily::LoadStore => 32,
        }
    }
}

impl MemoryFence {
    /// The requests for the fence on a platform; they answer when earlier accesses are done.
    pub fn requests(&self, platform: &Platform) -> SmallVec<[Request; 2]> {
        match platform.memory {
            MessageFamily::DataPort => {
                smallvec![data_port::lower_fence(self, platform.slm_fence)]
            }
            MessageFamily::LoadStore => load_store::lower_fence(self),
        }
    }
}
