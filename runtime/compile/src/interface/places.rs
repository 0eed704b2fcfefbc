//! Places of the values of an interface in the registers and in memory.

use std::fmt;
use std::ops::Range;

use super::data::{Argument, ImplicitKind, KernelInterface};

/// Bytes of a local id; `DIMENSIONS` is the number of ids.
const ID_BYTES: u32 = 2;
pub(super) const DIMENSIONS: u32 = 3;

/// Where the values that all threads share are before a kernel reads them in registers.
pub(super) struct Shared<'a> {
    /// Bytes of the local ids before them.
    pub id_bytes: u32,
    /// Offset of the first value.
    pub start: u32,
    /// Bytes of the values that arrive in registers if others are in memory.
    pub inline: u32,
    /// End of the values that arrive in registers.
    pub arrived: u64,
    /// Byte range, in the register file, of the values that the kernel loads.
    pub loaded: &'a Range<u32>,
}

impl Shared<'_> {
    /// The place of a value in the arguments that a driver writes.
    pub fn place(&self, offset: u32) -> u32 {
        match u64::from(offset) < self.arrived {
            true => offset - self.start,
            false => self.inline + offset - self.loaded.start,
        }
    }

    /// True if the value arrives and stays, or is loaded from where the driver writes it.
    pub fn has(&self, one: &Placed) -> bool {
        let start = u64::from(one.offset);
        let end = start + u64::from(one.size);
        let [first, last] = [self.loaded.start, self.loaded.end].map(u64::from);
        let is_overwritten = first < last && first < end;
        let is_loaded = first <= start && end <= last;
        match start < self.arrived {
            true => end <= self.arrived && !is_overwritten,
            false => is_loaded,
        }
    }
}

/// A value with a place in the registers.
pub(super) struct Placed {
    pub what: What,
    pub offset: u32,
    pub size: u32,
    pub unread: bool,
}

/// The name of a value in messages.
#[derive(Clone, Copy)]
pub(super) enum What {
    Implicit(ImplicitKind),
    Argument(usize),
}

impl Placed {
    /// End of the value in bytes.
    pub fn end(&self) -> u64 {
        u64::from(self.offset) + u64::from(self.size)
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            What::Implicit(ImplicitKind::LocalIds) => f.write_str("local_ids"),
            What::Implicit(kind) => f.write_str(kind.name()),
            // Messages count arguments from 1.
            What::Argument(number) => write!(f, "argument {}", number + 1),
        }
    }
}

impl ImplicitKind {
    /// Bytes that it takes in a kernel whose threads have `simd` work-items.
    pub(super) fn bytes(self, simd: u32, grf_bytes: u32) -> u32 {
        match self {
            ImplicitKind::LocalIds if simd == 1 => DIMENSIONS * ID_BYTES,
            ImplicitKind::LocalIds => DIMENSIONS * (simd * ID_BYTES).next_multiple_of(grf_bytes),
            ImplicitKind::WorkDimensions => 4,
            ImplicitKind::PrivateBase
            | ImplicitKind::PrintfBuffer
            | ImplicitKind::ArgumentBuffer => 8,
            _ => 4 * DIMENSIONS,
        }
    }
}

impl KernelInterface {
    /// All values that come in registers.
    pub(super) fn placed(&self, simd: u32, grf_bytes: u32) -> Vec<Placed> {
        let implicit = self.implicit.iter().map(|implicit| Placed {
            what: What::Implicit(implicit.kind),
            offset: implicit.offset,
            size: implicit.kind.bytes(simd, grf_bytes),
            unread: implicit.unread,
        });
        let arguments = self.arguments.iter().enumerate();
        let arguments = arguments.filter_map(|(number, argument)| {
            let (offset, size, unread) = match *argument {
                Argument::Value {
                    offset,
                    size,
                    unread,
                }
                | Argument::Local {
                    offset,
                    size,
                    unread,
                    ..
                } => (offset, size, unread),
                Argument::Buffer { offset, unread, .. } => (offset?, 8, unread),
                Argument::Image { .. } | Argument::Sampler { .. } => return None,
            };
            Some(Placed {
                what: What::Argument(number),
                offset,
                size,
                unread,
            })
        });
        implicit.chain(arguments).collect()
    }
}
