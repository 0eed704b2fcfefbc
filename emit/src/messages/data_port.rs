//! Messages of the data ports, which address memory through surfaces.
//!
//! `lower` makes the request of a [`MemoryAccess`].
//! The functions make requests without lengths, header and surface, which callers set; a request that needs no
//! surface says so. Section names are those of the PRM, vol. 2d, "Message Descriptor - Data Port 0" and "- Data Port
//! 1" (Gen9 and later).

use super::Part::{Channels, Coded, Flags, Mark, Number, Surface};
use super::access::{Address, Cache, Elements, MemoryAccess, MemoryFence, Operation, Space};
use super::field::{self, Atomic, Block, Flag, Lines, Simd, Slots, Value};
use super::{Fields, Function, Kind, Part, Quantity, Request, Row, row};

fn request(function: Function, kind: Kind, fields: Fields) -> Request {
    Request {
        fields,
        ..Request::new(function, kind)
    }
}

/// "Untyped Surface Read": `channels` (x is bit 0) dwords for each offset into a surface.
pub fn untyped_read(channels: u8, simd: Simd) -> Request {
    untyped(Kind::UntypedSurfaceRead, channels, simd)
}

/// "Untyped Surface Write".
pub fn untyped_write(channels: u8, simd: Simd) -> Request {
    untyped(Kind::UntypedSurfaceWrite, channels, simd)
}

/// "A64 Untyped Surface Read": `channels` dwords for each 64-bit address.
pub fn a64_untyped_read(channels: u8, simd: Simd) -> Request {
    untyped(Kind::A64UntypedSurfaceRead, channels, simd)
}

/// "A64 Untyped Surface Write".
pub fn a64_untyped_write(channels: u8, simd: Simd) -> Request {
    untyped(Kind::A64UntypedSurfaceWrite, channels, simd)
}

fn untyped(kind: Kind, channels: u8, simd: Simd) -> Request {
    let fields = Fields {
        channels: Some(channels),
        simd: Some(simd),
        ..Fields::default()
    };
    request(Function::DataPort1, kind, fields)
}

/// "Byte Gather Read": an element of 8, 16 or 32 bits for each offset into a surface.
pub fn byte_gather(bits: u8, simd: Simd) -> Request {
    bytes(Function::DataPort0, Kind::ByteGather, bits, simd)
}

/// "Byte Scatter Write".
pub fn byte_scatter(bits: u8, simd: Simd) -> Request {
    bytes(Function::DataPort0, Kind::ByteScatter, bits, simd)
}

/// "A64 Scattered Read" of bytes: an element of 8, 16 or 32 bits for each address of 64 bits.
pub fn a64_byte_gather(bits: u8, simd: Simd) -> Request {
    bytes(Function::DataPort1, Kind::A64ByteGather, bits, simd)
}

/// "A64 Scattered Write" of bytes.
pub fn a64_byte_scatter(bits: u8, simd: Simd) -> Request {
    bytes(Function::DataPort1, Kind::A64ByteScatter, bits, simd)
}

fn bytes(function: Function, kind: Kind, bits: u8, simd: Simd) -> Request {
    let fields = Fields {
        bits: Some(bits),
        simd: Some(simd),
        ..Fields::default()
    };
    request(function, kind, fields)
}

/// Requests that move dwords or qwords, `elements` (1, 2, 4 or 8) for each offset or address: `DwordGather`,
/// `QwordScatter`, `A64DwordGather` and similar kinds.
pub fn elements(kind: Kind, elements: u8, simd: Simd) -> Request {
    let port_0 = matches!(
        kind,
        Kind::DwordGather | Kind::DwordScatter | Kind::QwordGather | Kind::QwordScatter
    );
    let function = if port_0 {
        Function::DataPort0
    } else {
        Function::DataPort1
    };
    let fields = Fields {
        elements: Some(elements),
        simd: Some(simd),
        ..Fields::default()
    };
    request(function, kind, fields)
}

/// Requests that move a block of consecutive owords or hwords at an offset into a surface (`OwordBlockRead`,
/// `AlignedOwordBlockRead`, `OwordBlockWrite`) or at an address (`A64OwordBlockRead`, `A64HwordBlockWrite` and
/// similar kinds).
pub fn block(kind: Kind, block: Block) -> Request {
    let port_0 = PORT_0.iter().any(|row| row.kind == kind);
    let function = if port_0 {
        Function::DataPort0
    } else {
        Function::DataPort1
    };
    let fields = Fields {
        block: Some(block),
        ..Fields::default()
    };
    request(function, kind, fields)
}

/// "Untyped Atomic Operation" on dwords of a surface, of floats or integers depending on the operation.
pub fn atomic(operation: Atomic, simd: Simd, returns: bool) -> Request {
    let kind = if operation.is_float() {
        Kind::UntypedFloatAtomic
    } else {
        Kind::UntypedAtomic
    };
    let fields = Fields {
        atomic: Some(operation),
        simd: Some(simd),
        ..Fields::default()
    };
    request(Function::DataPort1, kind, fields).flag(Flag::Returns, returns)
}

/// "A64 Untyped Atomic Operation" of eight channels on elements of `bits`, 32 or 64.
pub fn a64_atomic(operation: Atomic, bits: u8, returns: bool) -> Request {
    let mut fields = Fields {
        atomic: Some(operation),
        ..Fields::default()
    };
    let kind = if operation.is_float() {
        fields.simd = Some(Simd::S8);
        Kind::A64UntypedFloatAtomic
    } else {
        fields.bits = Some(bits);
        Kind::A64UntypedAtomic
    };
    request(Function::DataPort1, kind, fields).flag(Flag::Returns, returns)
}

/// "Typed Surface Read": `channels` components of elements of an image.
pub fn typed_read(channels: u8, slots: Slots) -> Request {
    typed(Kind::TypedSurfaceRead, channels, slots)
}

/// "Typed Surface Write".
pub fn typed_write(channels: u8, slots: Slots) -> Request {
    typed(Kind::TypedSurfaceWrite, channels, slots)
}

fn typed(kind: Kind, channels: u8, slots: Slots) -> Request {
    let fields = Fields {
        channels: Some(channels),
        slots: Some(slots),
        ..Fields::default()
    };
    request(Function::DataPort1, kind, fields)
}

/// "Typed Atomic Operation" of eight channels, the upper ones if `high`.
pub fn typed_atomic(operation: Atomic, high: bool, returns: bool) -> Request {
    let fields = Fields {
        atomic: Some(operation),
        ..Fields::default()
    };
    let request = request(Function::DataPort1, Kind::TypedAtomic, fields);
    request
        .flag(Flag::HighSlots, high)
        .flag(Flag::Returns, returns)
}

/// "Media Block Read" or "Media Block Write" of the rectangle in the header.
pub fn media_block(write: bool, lines: Lines) -> Request {
    let kind = match write {
        true => Kind::MediaBlockWrite,
        false => Kind::MediaBlockRead,
    };
    let fields = Fields {
        lines: Some(lines),
        ..Fields::default()
    };
    request(Function::DataPort1, kind, fields).with_header()
}

/// "Memory Fence" on all memory. Has a header and no surface; a committed one writes a register when it is done.
pub fn memory_fence(commit: bool) -> Request {
    let fence = request(Function::DataPort0, Kind::MemoryFence, Fields::default());
    fence.with_header().flag(Flag::Commit, commit)
}

/// "Scratch Block Read": registers from the thread's scratch space, whose start is in the header, at `offset` bytes
/// (a multiple of 32, below 128 KiB). Has no surface.
pub fn scratch_read(registers: Block, offset: u32) -> Request {
    scratch(Kind::HwordScratchBlockRead, registers, offset)
}

/// "Scratch Block Write". With [`Flag::ByDword`] the execution mask covers dwords, else owords.
pub fn scratch_write(registers: Block, offset: u32) -> Request {
    scratch(Kind::HwordScratchBlockWrite, registers, offset)
}

fn scratch(kind: Kind, registers: Block, offset: u32) -> Request {
    let fields = Fields {
        block: Some(registers),
        offset: Some(offset),
        ..Fields::default()
    };
    request(Function::DataPort0, kind, fields).with_header()
}

/// Bytes of an oword, and of a register that scratch blocks count.
const OWORD: u32 = 16;
const HWORD: u32 = 32;

/// The request of an access, if the data port has one.
pub(super) fn lower(access: &MemoryAccess) -> Option<Request> {
    let request = match access.address {
        Address::PerChannel => lower_per_channel(access)?,
        Address::Uniform => lower_block(access)?,
        Address::Constant(offset) => lower_scratch(access, offset)?,
    };
    Some(request.flag(Flag::InvalidateAfterRead, access.cache == Cache::LastUse))
}

/// Maximum number of channels of an access's message.
pub(super) fn max_channels(access: &MemoryAccess) -> u8 {
    match (access.space, access.operation) {
        (Space::Image, _) | (Space::Global, Operation::Atomic { .. }) => 8,
        _ => 16,
    }
}

/// The request of a fence. Where local memory has no fence of its own, that of all memory orders both and flushes
/// nothing.
pub(super) fn lower_fence(fence: &MemoryFence, has_local: bool) -> Request {
    let request = memory_fence(true);
    match (has_local, fence.local) {
        (false, _) => request,
        (true, true) => request.surface(field::Surface::Slm),
        (true, false) => request.flag(Flag::FlushL1, fence.flush_level_1),
    }
}

fn lower_per_channel(access: &MemoryAccess) -> Option<Request> {
    use Operation::{Atomic, Load, Store};
    use Space::{Global, Image, Surface};
    let simd = if access.channels > 8 {
        Simd::S16
    } else {
        Simd::S8
    };
    if access.channels > max_channels(access) {
        return None;
    }
    Some(match (access.elements, access.operation, access.space) {
        (Elements::Components { mask }, Load, Surface) => untyped_read(mask, simd),
        (Elements::Components { mask }, Store, Surface) => untyped_write(mask, simd),
        (Elements::Components { mask }, Load, Global) => a64_untyped_read(mask, simd),
        (Elements::Components { mask }, Store, Global) => a64_untyped_write(mask, simd),
        (Elements::Components { mask }, Load, Image) => typed_read(mask, Slots::Low),
        (Elements::Components { mask }, Store, Image) => typed_write(mask, Slots::Low),
        (Elements::Numbers { bits, .. }, Atomic { operation, returns }, space) => match space {
            Surface => atomic(operation, simd, returns),
            Global => a64_atomic(operation, bits as u8, returns),
            Image => typed_atomic(operation, false, returns),
            Space::Scratch => return None,
        },
        (
            Elements::Numbers {
                bits,
                count,
                alignment,
            },
            operation,
            space,
        ) => match (operation, space, alignment) {
            (Load, Surface, _) if count == 1 => byte_gather(bits as u8, simd),
            (Store, Surface, _) if count == 1 => byte_scatter(bits as u8, simd),
            // Bytes one after the other are one number that is not aligned.
            (Load, Global, 1) => a64_byte_gather((bits * count) as u8, simd),
            (Store, Global, 1) => a64_byte_scatter((bits * count) as u8, simd),
            (_, Global, _) => {
                let kind = match (operation, bits) {
                    (Load, 32) => Kind::A64DwordGather,
                    (Load, 64) => Kind::A64QwordGather,
                    (Store, 32) => Kind::A64DwordScatter,
                    (Store, 64) => Kind::A64QwordScatter,
                    _ => return None,
                };
                elements(kind, count as u8, simd)
            }
            _ => return None,
        },
        _ => return None,
    })
}

/// Oword blocks at an address, or at an offset in a header.
fn lower_block(access: &MemoryAccess) -> Option<Request> {
    let (bits, count, alignment) = match access.elements {
        Elements::Numbers {
            bits,
            count,
            alignment,
        } => (bits, count, alignment),
        Elements::Rectangle { lines } if access.space == Space::Image => {
            return Some(media_block(access.operation == Operation::Store, lines));
        }
        _ => return None,
    };
    let is_aligned = alignment >= OWORD;
    let kind = match (access.operation, access.space) {
        (Operation::Load, Space::Global) if is_aligned => Kind::A64OwordBlockRead,
        (Operation::Load, Space::Global) => Kind::A64AlignedOwordBlockRead,
        (Operation::Store, Space::Global) if is_aligned => Kind::A64OwordBlockWrite,
        (Operation::Load, Space::Surface) if !is_aligned => Kind::AlignedOwordBlockRead,
        (Operation::Load, Space::Surface | Space::Scratch) => Kind::OwordBlockRead,
        (Operation::Store, Space::Surface | Space::Scratch) if is_aligned => Kind::OwordBlockWrite,
        _ => return None,
    };
    let request = block(kind, Block::of(bits / 8 * count / OWORD)?).with_header();
    Some(match access.space {
        // Offsets count from the header's buffer base, which is where the scratch space begins.
        Space::Scratch => request.surface(field::Surface::Stateless),
        _ => request,
    })
}

/// Registers of scratch space at a constant offset.
fn lower_scratch(access: &MemoryAccess, offset: u32) -> Option<Request> {
    let (Space::Scratch, Elements::Numbers { bits, count, .. }) = (access.space, access.elements)
    else {
        return None;
    };
    let registers = Block::of(bits / 8 * count / HWORD)?;
    match access.operation {
        Operation::Load => Some(scratch_read(registers, offset)),
        Operation::Store => Some(scratch_write(registers, offset).flag(Flag::ByDword, true)),
        Operation::Atomic { .. } => None,
    }
}

/// Lowest bit and width of the message type.
const TYPE: (u32, u32) = (14, 5);
/// Mask that includes the element size of scattered A64 messages, bits 8-9.
const SCATTERED: u32 = 0x7c300;
/// Mask that includes the kind of A64 blocks, bits 11-12.
const BLOCKS: u32 = 0x7d800;

const fn sub(mask: u32, number: u32, sub: u32, kind: Kind, parts: &'static [Part]) -> Row {
    Row {
        mask,
        bits: number << 14 | sub,
        kind,
        parts,
    }
}

/// Descriptor bits 8-10, "Block Size".
const OWORDS: Part = Coded(
    8,
    3,
    &[
        Value::Block(Block::X1),
        Value::Block(Block::X1High),
        Value::Block(Block::X2),
        Value::Block(Block::X4),
        Value::Block(Block::X8),
        Value::Block(Block::X16),
    ],
);
const HWORDS: Part = Coded(
    8,
    3,
    &[
        Value::Block(Block::X1),
        Value::Block(Block::X2),
        Value::Block(Block::X4),
        Value::Block(Block::X8),
        Value::Block(Block::X16),
    ],
);
const SCRATCH_HWORDS: Part = Coded(
    12,
    2,
    &[
        Value::Block(Block::X1),
        Value::Block(Block::X2),
        Value::Block(Block::X4),
        Value::Block(Block::X8),
    ],
);
/// Bits 10-11, "Data Size".
const BITS: Part = Coded(
    10,
    2,
    &[
        Value::Bits(8),
        Value::Bits(16),
        Value::Bits(32),
        Value::Bits(64),
    ],
);
/// Bits 10-11, "Data Elements".
const ELEMENTS: Part = Coded(
    10,
    2,
    &[
        Value::Elements(1),
        Value::Elements(2),
        Value::Elements(4),
        Value::Elements(8),
    ],
);
/// Number of channels ("SIMD Mode"); its place depends on the message.
const SIMD_8: Part = Coded(8, 1, &[Value::Simd(Simd::S8), Value::Simd(Simd::S16)]);
const SIMD_12: Part = Coded(12, 1, &[Value::Simd(Simd::S8), Value::Simd(Simd::S16)]);
const SIMD_12_REVERSED: Part = Coded(12, 1, &[Value::Simd(Simd::S16), Value::Simd(Simd::S8)]);
const SIMD_UNTYPED: Part = Coded(
    12,
    2,
    &[
        Value::Simd(Simd::S4x2),
        Value::Simd(Simd::S16),
        Value::Simd(Simd::S8),
    ],
);
/// "Slot Group".
const SLOTS: Part = Coded(
    12,
    2,
    &[
        Value::Slots(Slots::S4x2),
        Value::Slots(Slots::Low),
        Value::Slots(Slots::High),
    ],
);
const HIGH_SLOTS: Part = Mark(12, Flag::HighSlots);
/// Bits 8-11, "Channel Mask".
const OMITTED_CHANNELS: Part = Channels(8, true);
/// Bit 13, "Return Data Control".
const RETURN: Part = Mark(13, Flag::Returns);
const WIDTH: Part = Coded(12, 1, &[Value::Bits(32), Value::Bits(64)]);
/// Bits 8-11, "Atomic Operation Type".
const ATOMIC: Part = Coded(
    8,
    4,
    &[
        Value::Atomic(Atomic::CompareExchange64),
        Value::Atomic(Atomic::And),
        Value::Atomic(Atomic::Or),
        Value::Atomic(Atomic::Xor),
        Value::Atomic(Atomic::Exchange),
        Value::Atomic(Atomic::Increment),
        Value::Atomic(Atomic::Decrement),
        Value::Atomic(Atomic::Add),
        Value::Atomic(Atomic::Subtract),
        Value::Atomic(Atomic::ReverseSubtract),
        Value::Atomic(Atomic::SignedMax),
        Value::Atomic(Atomic::SignedMin),
        Value::Atomic(Atomic::UnsignedMax),
        Value::Atomic(Atomic::UnsignedMin),
        Value::Atomic(Atomic::CompareExchange),
        Value::Atomic(Atomic::PreDecrement),
    ],
);
const FLOAT_ATOMIC: Part = Coded(
    8,
    3,
    &[
        Value::Reserved,
        Value::Atomic(Atomic::FloatMax),
        Value::Atomic(Atomic::FloatMin),
        Value::Atomic(Atomic::FloatCompareExchange),
        Value::Atomic(Atomic::FloatAdd),
        Value::Atomic(Atomic::FloatSubtract),
        Value::Atomic(Atomic::FloatAdd64),
        Value::Atomic(Atomic::FloatSubtract64),
    ],
);
/// Bits 8-10, "Vertical Line Stride Override", "Stride" and "Offset".
const LINES: Part = Coded(
    8,
    3,
    &[
        Value::Lines(Lines::All),
        Value::Reserved,
        Value::Reserved,
        Value::Reserved,
        Value::Reserved,
        Value::Reserved,
        Value::Lines(Lines::Top),
        Value::Lines(Lines::Bottom),
    ],
);
const COMMIT: Part = Flags(13, &[Flag::Commit]);
const FLUSHES: Part = Flags(
    8,
    &[
        Flag::FlushL1,
        Flag::FlushInstructions,
        Flag::FlushTextures,
        Flag::FlushConstants,
        Flag::FlushData,
    ],
);
const INVALIDATE: Part = Flags(13, &[Flag::InvalidateAfterRead]);

/// The read-only port for constants.
pub(super) const READ_ONLY: &[Row] = &[
    row(
        TYPE,
        0x00,
        Kind::ConstantOwordBlockRead,
        &[OWORDS, INVALIDATE, Surface],
    ),
    row(
        TYPE,
        0x01,
        Kind::ConstantAlignedOwordBlockRead,
        &[OWORDS, INVALIDATE, Surface],
    ),
    row(
        TYPE,
        0x03,
        Kind::ConstantDwordGather,
        &[ELEMENTS, SIMD_8, INVALIDATE, Surface],
    ),
];

pub(super) const PORT_0: &[Row] = &[
    row(TYPE, 0x00, Kind::OwordBlockRead, &[OWORDS, Surface]),
    sub(
        0x7e000,
        0x01,
        0,
        Kind::AlignedOwordBlockRead,
        &[OWORDS, Surface],
    ),
    sub(
        0x7e000,
        0x01,
        1 << 13,
        Kind::AlignedHwordBlockRead,
        &[HWORDS, Surface],
    ),
    row(TYPE, 0x02, Kind::OwordDualBlockRead, &[Surface]),
    row(
        TYPE,
        0x03,
        Kind::DwordGather,
        &[ELEMENTS, SIMD_8, INVALIDATE, Surface],
    ),
    row(
        TYPE,
        0x04,
        Kind::ByteGather,
        &[BITS, SIMD_8, INVALIDATE, Surface],
    ),
    row(TYPE, 0x05, Kind::QwordGather, &[ELEMENTS, SIMD_8, Surface]),
    // Surface 0 stands for all of memory here.
    sub(0x7c0ff, 0x07, 0, Kind::MemoryFence, &[FLUSHES, COMMIT]),
    row(TYPE, 0x07, Kind::MemoryFence, &[FLUSHES, COMMIT, Surface]),
    row(TYPE, 0x08, Kind::OwordBlockWrite, &[OWORDS, Surface]),
    row(TYPE, 0x09, Kind::AlignedHwordBlockWrite, &[HWORDS, Surface]),
    row(TYPE, 0x0a, Kind::OwordDualBlockWrite, &[Surface]),
    row(TYPE, 0x0b, Kind::DwordScatter, &[ELEMENTS, SIMD_8, Surface]),
    row(TYPE, 0x0c, Kind::ByteScatter, &[BITS, SIMD_8, Surface]),
    row(TYPE, 0x0d, Kind::QwordScatter, &[ELEMENTS, SIMD_8, Surface]),
    row(
        (17, 2),
        2,
        Kind::HwordScratchBlockRead,
        &[SCRATCH_HWORDS, SCRATCH, SCRATCH_FLAGS],
    ),
    row(
        (17, 2),
        3,
        Kind::HwordScratchBlockWrite,
        &[SCRATCH_HWORDS, SCRATCH, SCRATCH_FLAGS],
    ),
];

/// Bits 0-11, "Offset", in registers of 32 bytes.
const SCRATCH: Part = Number(0, 12, 32, Quantity::Offset);
/// Bits 15 and 16, "Invalidate After Read" and "Channel Mode".
const SCRATCH_FLAGS: Part = Flags(15, &[Flag::InvalidateAfterRead, Flag::ByDword]);

pub(super) const PORT_1: &[Row] = &[
    row(
        TYPE,
        0x01,
        Kind::UntypedSurfaceRead,
        &[OMITTED_CHANNELS, SIMD_UNTYPED, Surface],
    ),
    row(
        TYPE,
        0x02,
        Kind::UntypedAtomic,
        &[ATOMIC, SIMD_12_REVERSED, RETURN, Surface],
    ),
    row(
        TYPE,
        0x03,
        Kind::Untyped16BitAtomic,
        &[ATOMIC, SIMD_12_REVERSED, RETURN, Surface],
    ),
    row(TYPE, 0x04, Kind::MediaBlockRead, &[LINES, Surface]),
    row(
        TYPE,
        0x05,
        Kind::TypedSurfaceRead,
        &[OMITTED_CHANNELS, SLOTS, Surface],
    ),
    row(
        TYPE,
        0x06,
        Kind::TypedAtomic,
        &[ATOMIC, HIGH_SLOTS, RETURN, Surface],
    ),
    row(
        TYPE,
        0x07,
        Kind::Typed16BitAtomic,
        &[ATOMIC, HIGH_SLOTS, RETURN, Surface],
    ),
    row(
        TYPE,
        0x09,
        Kind::UntypedSurfaceWrite,
        &[OMITTED_CHANNELS, SIMD_UNTYPED, Surface],
    ),
    row(TYPE, 0x0a, Kind::MediaBlockWrite, &[LINES, Surface]),
    row(
        TYPE,
        0x0b,
        Kind::TypedAtomicOnCounter,
        &[ATOMIC, SIMD_12_REVERSED, RETURN, Surface],
    ),
    row(
        TYPE,
        0x0c,
        Kind::Typed16BitAtomicOnCounter,
        &[ATOMIC, SIMD_12_REVERSED, RETURN, Surface],
    ),
    row(
        TYPE,
        0x0d,
        Kind::TypedSurfaceWrite,
        &[OMITTED_CHANNELS, SLOTS, Surface],
    ),
    row(
        TYPE,
        0x0e,
        Kind::TypedSurfaceReadWithStatus,
        &[OMITTED_CHANNELS, SLOTS, Surface],
    ),
    sub(
        SCATTERED,
        0x10,
        0x000,
        Kind::A64ByteGather,
        &[BITS, SIMD_12, INVALIDATE, Surface],
    ),
    sub(
        SCATTERED,
        0x10,
        0x100,
        Kind::A64DwordGather,
        &[ELEMENTS, SIMD_12, INVALIDATE, Surface],
    ),
    sub(
        SCATTERED,
        0x10,
        0x200,
        Kind::A64QwordGather,
        &[ELEMENTS, SIMD_12, INVALIDATE, Surface],
    ),
    sub(
        SCATTERED,
        0x10,
        0x300,
        Kind::A64ByteGatherWithStatus,
        &[BITS, SIMD_12, Surface],
    ),
    row(
        TYPE,
        0x11,
        Kind::A64UntypedSurfaceRead,
        &[OMITTED_CHANNELS, SIMD_UNTYPED, Surface],
    ),
    row(
        TYPE,
        0x12,
        Kind::A64UntypedAtomic,
        &[ATOMIC, WIDTH, RETURN, Surface],
    ),
    row(
        TYPE,
        0x13,
        Kind::A64Untyped16BitAtomic,
        &[ATOMIC, SIMD_12_REVERSED, RETURN, Surface],
    ),
    sub(
        BLOCKS,
        0x14,
        0x0000,
        Kind::A64OwordBlockRead,
        &[OWORDS, Surface],
    ),
    sub(
        BLOCKS,
        0x14,
        0x0800,
        Kind::A64AlignedOwordBlockRead,
        &[OWORDS, Surface],
    ),
    sub(
        BLOCKS,
        0x14,
        0x1000,
        Kind::A64OwordDualBlockRead,
        &[Surface],
    ),
    sub(
        BLOCKS,
        0x14,
        0x1800,
        Kind::A64HwordBlockRead,
        &[HWORDS, Surface],
    ),
    sub(
        BLOCKS,
        0x15,
        0x0000,
        Kind::A64OwordBlockWrite,
        &[OWORDS, Surface],
    ),
    sub(
        BLOCKS,
        0x15,
        0x0800,
        Kind::A64AlignedOwordBlockWrite,
        &[OWORDS, Surface],
    ),
    sub(
        BLOCKS,
        0x15,
        0x1000,
        Kind::A64OwordDualBlockWrite,
        &[Surface],
    ),
    sub(
        BLOCKS,
        0x15,
        0x1800,
        Kind::A64HwordBlockWrite,
        &[HWORDS, Surface],
    ),
    row(
        TYPE,
        0x19,
        Kind::A64UntypedSurfaceWrite,
        &[OMITTED_CHANNELS, SIMD_UNTYPED, Surface],
    ),
    sub(
        SCATTERED,
        0x1a,
        0x000,
        Kind::A64ByteScatter,
        &[BITS, SIMD_12, Surface],
    ),
    sub(
        SCATTERED,
        0x1a,
        0x100,
        Kind::A64DwordScatter,
        &[ELEMENTS, SIMD_12, Surface],
    ),
    sub(
        SCATTERED,
        0x1a,
        0x200,
        Kind::A64QwordScatter,
        &[ELEMENTS, SIMD_12, Surface],
    ),
    row(
        TYPE,
        0x1b,
        Kind::UntypedFloatAtomic,
        &[FLOAT_ATOMIC, SIMD_12_REVERSED, RETURN, Surface],
    ),
    row(
        TYPE,
        0x1c,
        Kind::UntypedHalfFloatAtomic,
        &[FLOAT_ATOMIC, SIMD_12_REVERSED, RETURN, Surface],
    ),
    row(
        TYPE,
        0x1d,
        Kind::A64UntypedFloatAtomic,
        &[FLOAT_ATOMIC, SIMD_12, RETURN, Surface],
    ),
    row(
        TYPE,
        0x1e,
        Kind::A64UntypedHalfFloatAtomic,
        &[FLOAT_ATOMIC, SIMD_12, RETURN, Surface],
    ),
];
