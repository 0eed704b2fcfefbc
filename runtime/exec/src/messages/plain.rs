//! Plain loads and stores: messages in which each channel accesses elements at an address of its own ([`Plain`]), or
//! all of them consecutive bytes at one address ([`Block`]).
//!
//! All that the constant descriptors say is worked out once, for the data port and for the functions that
//! load and store by address alike: the space, the size of addresses and elements, and their places in the registers.

use kiln_emit::messages::{AddressKind, Flag, Function, Kind};
use kiln_emit::platform::Payload;

use super::block::{hword_count, oword_count};
use super::load_store::{Element, TABLE_SHIFT, registers};
use super::payload::{byte_count, channels, elements};
use crate::code::operation::Operation;
use crate::code::send::{Message, Send};
use crate::state::memory::{BTI_SLM, BTI_STATELESS, BTI_STATELESS_NONCOHERENT, SCRATCH_STATE};

/// A message of which each channel loads or stores elements at its own address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plain {
    pub write: bool,
    pub space: AddressSpace,
    /// First byte of the addresses in the general registers.
    pub addresses: usize,
    /// Factor of each address, and the number added to it.
    pub unit: u32,
    pub offset: i32,
    /// Size of an element in memory and in registers, in bytes.
    pub element: usize,
    pub slot: usize,
    /// Required alignment of addresses in bytes.
    pub alignment: u64,
    /// Indices of the elements that each channel accesses, counted from its address.
    pub elements: Vec<u32>,
    /// First byte of the data in the general registers, and the distance between the data of two elements.
    pub data: usize,
    pub pitch: usize,
}

impl Plain {
    /// The plain form of a message; none if it has none.
    pub fn of(op: &Operation, m: &Message) -> Option<Plain> {
        let lanes = usize::from(op.lanes);
        if m.has_header() {
            return None;
        }
        let plain = match m.function() {
            Function::DataPort0 | Function::DataPort1 | Function::ReadOnlyPort => {
                // The message may have more channels than the instruction; they are off.
                let channels = channels(m).ok().filter(|&channels| channels >= lanes)?;
                data_port(m, channels)?
            }
            Function::Untyped | Function::UntypedLow | Function::LocalMemory => {
                by_address(m, lanes)?
            }
            _ => return None,
        };
        (!plain.elements.is_empty()).then_some(plain)
    }

    /// True for shared local memory.
    pub fn is_local(&self) -> bool {
        self.space == AddressSpace::Surface(BTI_SLM)
    }

    /// Bytes of an address.
    pub fn address(&self) -> usize {
        self.space.address()
    }

    /// Size of the memory that a channel accesses, in bytes.
    pub fn extent(&self) -> usize {
        let last = self.elements.last().map_or(0, |&e| e as usize);
        (last + 1) * self.element
    }
}

/// The space that the addresses of a message are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressSpace {
    /// 32-bit offsets into a surface.
    Surface(u32),
    /// 32-bit offsets into the thread's scratch space.
    Own,
    /// 32-bit offsets from the general state's base.
    Stateless,
    /// 64-bit addresses.
    Flat,
    /// The thread's scratch space. The header's sixth dword must name it: by its offset, or by this number.
    Scratch(Option<u32>),
}

impl AddressSpace {
    /// Bytes of an address.
    pub fn address(self) -> usize {
        match self {
            AddressSpace::Flat => 8,
            _ => 4,
        }
    }
}

/// A message that loads or stores consecutive bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    pub write: bool,
    pub space: AddressSpace,
    /// Place of the address in the general registers, and that of the dword whose upper bits are added; scratch space
    /// has an address of its own.
    pub address: usize,
    pub base: Option<usize>,
    /// Factor of the address, and the number added to it.
    pub unit: u32,
    pub offset: i32,
    pub size: usize,
    pub alignment: u64,
    /// First byte of the data in the general registers.
    pub data: usize,
}

impl Block {
    /// The form of a message that some channel executes in any case; none if it has none.
    pub fn of(op: &Operation, send: &Send, m: &Message) -> Option<Block> {
        if op.ungated == 0 || op.pred.is_some() {
            return None;
        }
        match m.function() {
            Function::DataPort0 | Function::DataPort1 | Function::ReadOnlyPort => {
                Block::with_header(m, op, send)
            }
            Function::Untyped | Function::UntypedLow | Function::LocalMemory => {
                Block::transposed(m, op)
            }
            _ => None,
        }
    }

    fn with_header(m: &Message, op: &Operation, send: &Send) -> Option<Block> {
        use Kind::*;
        let request = m.request().ok().filter(|_| m.has_header())?;
        let write = matches!(
            request.kind,
            OwordBlockWrite
                | A64OwordBlockWrite
                | A64AlignedOwordBlockWrite
                | A64HwordBlockWrite
                | HwordScratchBlockWrite
        );
        let in_words = |unit, alignment| Some((oword_count(m).ok()?, unit, alignment));
        let ((size, skip), unit, alignment) = match request.kind {
            OwordBlockRead | OwordBlockWrite | ConstantOwordBlockRead => in_words(16, 1)?,
            AlignedOwordBlockRead | ConstantAlignedOwordBlockRead => in_words(1, 4)?,
            A64OwordBlockRead | A64OwordBlockWrite => in_words(1, 16)?,
            A64AlignedOwordBlockRead | A64AlignedOwordBlockWrite => in_words(1, 4)?,
            A64HwordBlockRead | A64HwordBlockWrite => ((hword_count(m).ok()?, 0), 1, 4),
            HwordScratchBlockRead | HwordScratchBlockWrite => ((hword_count(m).ok()?, 0), 1, 1),
            _ => return None,
        };
        let first = m.at(0, 0).ok()?;
        let (space, address, base, offset) = match request.kind {
            HwordScratchBlockRead | HwordScratchBlockWrite => {
                // A mask of dwords covers all of them only if it has sixteen bits.
                if write && request.fields.flags.has(Flag::ByDword) && op.lanes < 16 {
                    return None;
                }
                let named = match send.payload_kind() {
                    Payload::Registers => None,
                    Payload::Memory => Some(SCRATCH_STATE),
                };
                let offset = request.fields.offset.unwrap_or_default();
                let offset = i32::try_from(offset).ok()?;
                (
                    AddressSpace::Scratch(named),
                    first,
                    Some(first + 20),
                    offset,
                )
            }
            A64OwordBlockRead
            | A64OwordBlockWrite
            | A64AlignedOwordBlockRead
            | A64AlignedOwordBlockWrite
            | A64HwordBlockRead
            | A64HwordBlockWrite => (AddressSpace::Flat, first, None, 0),
            _ => match m.bti() {
                BTI_STATELESS | BTI_STATELESS_NONCOHERENT => {
                    (AddressSpace::Stateless, first + 8, Some(first + 20), 0)
                }
                bti => (AddressSpace::Surface(bti), first + 8, None, 0),
            },
        };
        let registers = (size + skip).div_ceil(m.register());
        Some(Block {
            write,
            space,
            address,
            base,
            unit,
            offset,
            size,
            alignment,
            data: skip
                + match write {
                    true => adjacent(m, 1, registers)?,
                    false => m.response()?,
                },
        })
    }

    fn transposed(m: &Message, op: &Operation) -> Option<Block> {
        let request = m.request().ok()?;
        let fields = &request.fields;
        let write = match request.kind {
            Kind::Load => false,
            Kind::Store => true,
            _ => return None,
        };
        let element = Element::of(fields.data?);
        let vector = fields.vector.filter(|v| v.transposed)?;
        if op.lanes != 1 || element.slot != element.size || element.size < 4 {
            return None;
        }
        let size = usize::from(vector.count) * element.size;
        let local = m.function() == Function::LocalMemory;
        let space = match (fields.address?, fields.address_bits?) {
            (AddressKind::Flat, 32) if local => AddressSpace::Surface(BTI_SLM),
            _ if local => return None,
            (AddressKind::Flat, 64) => AddressSpace::Flat,
            (AddressKind::Flat, 32) => AddressSpace::Stateless,
            (kind, 32) => offsets(kind, m)?,
            _ => return None,
        };
        Some(Block {
            write,
            space,
            address: m.at(0, 0).ok()?,
            base: None,
            unit: 1,
            offset: m.offset(),
            size,
            alignment: element.size as u64,
            data: match write {
                true => adjacent(m, m.data(1), size.div_ceil(m.register()))?,
                false => m.response()?,
            },
        })
    }
}

fn data_port(m: &Message, lanes: usize) -> Option<Plain> {
    use Kind::*;
    let request = m.request().ok()?;
    let mask: Vec<u32> = match request.fields.channels {
        Some(mask) => (0..4).filter(|e| mask >> e & 1 != 0).collect(),
        None => Vec::new(),
    };
    let several = || elements(m).to_vec();
    // True for a write; bytes of an address, of an element in the payload and in memory, of what addresses count, and of
    // the alignment; numbers of the elements.
    let (write, address, slot, element, unit, alignment, elements) = match request.kind {
        UntypedSurfaceRead => (false, 4, 4, 4, 1, 4, mask),
        UntypedSurfaceWrite => (true, 4, 4, 4, 1, 4, mask),
        A64UntypedSurfaceRead => (false, 8, 4, 4, 1, 4, mask),
        A64UntypedSurfaceWrite => (true, 8, 4, 4, 1, 4, mask),
        ByteGather => (false, 4, 4, byte_count(m).ok()?, 1, 1, several()),
        ByteScatter => (true, 4, 4, byte_count(m).ok()?, 1, 1, several()),
        DwordGather | ConstantDwordGather => (false, 4, 4, 4, 4, 4, several()),
        DwordScatter => (true, 4, 4, 4, 4, 4, several()),
        QwordGather => (false, 4, 8, 8, 8, 8, several()),
        QwordScatter => (true, 4, 8, 8, 8, 8, several()),
        A64ByteGather => (false, 8, 4, byte_count(m).ok()?, 1, 1, several()),
        A64ByteScatter => (true, 8, 4, byte_count(m).ok()?, 1, 1, several()),
        A64DwordGather => (false, 8, 4, 4, 1, 4, several()),
        A64DwordScatter => (true, 8, 4, 4, 1, 4, several()),
        A64QwordGather => (false, 8, 8, 8, 1, 8, several()),
        A64QwordScatter => (true, 8, 8, 8, 1, 8, several()),
        _ => return None,
    };
    let space = match (address, m.bti()) {
        (8, _) => AddressSpace::Flat,
        (_, BTI_STATELESS | BTI_STATELESS_NONCOHERENT) => AddressSpace::Stateless,
        (_, bti) => AddressSpace::Surface(bti),
    };
    let rows = (lanes * slot).div_ceil(m.register());
    let first = (lanes * address).div_ceil(m.register());
    Some(Plain {
        write,
        space,
        addresses: adjacent(m, 0, first)?,
        unit,
        offset: 0,
        element,
        slot,
        alignment,
        data: match write {
            true => adjacent(m, first, rows * elements.len())?,
            false => m.response()?,
        },
        elements,
        pitch: rows * m.register(),
    })
}

fn by_address(m: &Message, lanes: usize) -> Option<Plain> {
    let request = m.request().ok()?;
    let fields = &request.fields;
    let write = match request.kind {
        Kind::Load | Kind::LoadQuad => false,
        Kind::Store | Kind::StoreQuad => true,
        _ => return None,
    };
    let element = Element::of(fields.data?);
    if fields.vector.is_some_and(|v| v.transposed) || element.skip != 0 {
        return None;
    }
    let elements: Vec<u32> = match (fields.vector, fields.channels) {
        (Some(vector), _) => (0..u32::from(vector.count).clamp(1, 64)).collect(),
        (None, Some(mask)) => (0..8).filter(|e| mask >> e & 1 != 0).collect(),
        (None, None) => return None,
    };
    let local = m.function() == Function::LocalMemory;
    let space = match (fields.address?, fields.address_bits?) {
        (AddressKind::Flat, 32) if local => AddressSpace::Surface(BTI_SLM),
        _ if local => return None,
        (AddressKind::Flat, 64) => AddressSpace::Flat,
        (AddressKind::Flat, 32) => AddressSpace::Stateless,
        (kind, 32) => offsets(kind, m)?,
        _ => return None,
    };
    let address = space.address();
    let rows = registers(m, lanes, element.slot);
    let first = registers(m, lanes, address);
    Some(Plain {
        write,
        space,
        addresses: adjacent(m, 0, first)?,
        unit: 1,
        offset: m.offset(),
        element: element.size,
        slot: element.slot,
        alignment: 1,
        data: match write {
            true => adjacent(m, m.data(first), rows * elements.len())?,
            false => m.response()?,
        },
        elements,
        pitch: rows * m.register(),
    })
}

/// The space that a message's offsets of 32 bits are in, by its extended descriptor. Own scratch space is a surface that
/// the descriptor has to name (`load_store::names_scratch`).
fn offsets(kind: AddressKind, m: &Message) -> Option<AddressSpace> {
    Some(match kind {
        AddressKind::BindlessSurface => AddressSpace::Surface(m.bindless()),
        AddressKind::BindingTable => match m.extended() >> TABLE_SHIFT {
            BTI_STATELESS | BTI_STATELESS_NONCOHERENT => AddressSpace::Stateless,
            bti => AddressSpace::Surface(bti),
        },
        AddressKind::SurfaceState => AddressSpace::Own,
        AddressKind::Flat => return None,
    })
}

/// First byte of so many registers of the payload, if they are adjacent.
fn adjacent(m: &Message, first: usize, count: usize) -> Option<usize> {
    let start = m.at(first, 0).ok()?;
    let follows = |n: usize| m.at(first + n, 0).ok() == Some(start + n * m.register());
    (0..count).all(follows).then_some(start)
}
