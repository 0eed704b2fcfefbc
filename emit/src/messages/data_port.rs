//! Messages of the data ports, which address memory through surfaces.
//!
//! `lower` makes the request of a [`MemoryAccess`].
//! The functions make requests without lengths, header and surface, which callers set; a request that needs no
//! surface says so. Section names are those of the PRM, vol. 2d, "Message Descriptor - Data Port 0" and "- Data Port
//! 1" (Gen9 and later).

use super::Part::{Channels, Coded, Flags, Mark, Number, Surface};
use super::access::{Address, Cache, Elements, MemoryAccess, MemoryFence, Operation, Space};
use super::field::{self, Atomic, Block, Flag, Lines, Simd, Slots, Value};
use super::{Function, Kind, Part, Quantity, Request, Row, values};

/// An empty request of a kind, to the port that has it.
fn request(kind: Kind) -> Request {
    let function = match PORT_0.iter().any(|row| row.kind == kind) {
        true => Function::DataPort0,
        false => Function::DataPort1,
    };
    Request::new(function, kind)
}

/// A request that moves the components `channels` (x is bit 0).
fn components(kind: Kind, channels: u8) -> Request {
    let mut request = request(kind);
    request.fields.channels = Some(channels);
    request
}

/// "Untyped Surface Read": `channels` (x is bit 0) dwords for each offset into a surface.
pub fn untyped_read(channels: u8, simd: Simd) -> Request {
    components(Kind::UntypedSurfaceRead, channels).with(Value::Simd(simd))
}

/// "Untyped Surface Write".
pub fn untyped_write(channels: u8, simd: Simd) -> Request {
    components(Kind::UntypedSurfaceWrite, channels).with(Value::Simd(simd))
}

/// "A64 Untyped Surface Read": `channels` dwords for each 64-bit address.
pub fn a64_untyped_read(channels: u8, simd: Simd) -> Request {
    components(Kind::A64UntypedSurfaceRead, channels).with(Value::Simd(simd))
}

/// "A64 Untyped Surface Write".
pub fn a64_untyped_write(channels: u8, simd: Simd) -> Request {
    components(Kind::A64UntypedSurfaceWrite, channels).with(Value::Simd(simd))
}

/// "Byte Gather Read": an element of 8, 16 or 32 bits for each offset into a surface.
pub fn byte_gather(bits: u8, simd: Simd) -> Request {
    bytes(Kind::ByteGather, bits, simd)
}

/// "Byte Scatter Write".
pub fn byte_scatter(bits: u8, simd: Simd) -> Request {
    bytes(Kind::ByteScatter, bits, simd)
}

/// "A64 Scattered Read" of bytes: an element of 8, 16 or 32 bits for each address of 64 bits.
pub fn a64_byte_gather(bits: u8, simd: Simd) -> Request {
    bytes(Kind::A64ByteGather, bits, simd)
}

/// "A64 Scattered Write" of bytes.
pub fn a64_byte_scatter(bits: u8, simd: Simd) -> Request {
    bytes(Kind::A64ByteScatter, bits, simd)
}

fn bytes(kind: Kind, bits: u8, simd: Simd) -> Request {
    request(kind)
        .with(Value::Bits(bits))
        .with(Value::Simd(simd))
}

/// Requests that move dwords or qwords, `elements` (1, 2, 4 or 8) for each offset or address: `DwordGather`,
/// `QwordScatter`, `A64DwordGather` and similar kinds.
pub fn elements(kind: Kind, elements: u8, simd: Simd) -> Request {
    request(kind)
        .with(Value::Elements(elements))
        .with(Value::Simd(simd))
}

/// Requests that move a block of consecutive owords or hwords at an offset into a surface (`OwordBlockRead`,
/// `AlignedOwordBlockRead`, `OwordBlockWrite`) or at an address (`A64OwordBlockRead`, `A64HwordBlockWrite` and
/// similar kinds).
pub fn block(kind: Kind, block: Block) -> Request {
    request(kind).with(Value::Block(block))
}

/// An atomic operation, of floats or of integers.
fn atomic_of([float, integer]: [Kind; 2], operation: Atomic, returns: bool) -> Request {
    let kind = if operation.is_float() { float } else { integer };
    request(kind)
        .with(Value::Atomic(operation))
        .flag(Flag::Returns, returns)
}

/// "Untyped Atomic Operation" on dwords of a surface, of floats or integers depending on the operation.
pub fn atomic(operation: Atomic, simd: Simd, returns: bool) -> Request {
    let kinds = [Kind::UntypedFloatAtomic, Kind::UntypedAtomic];
    atomic_of(kinds, operation, returns).with(Value::Simd(simd))
}

/// "A64 Untyped Atomic Operation" of eight channels on elements of `bits`, 32 or 64.
pub fn a64_atomic(operation: Atomic, bits: u8, returns: bool) -> Request {
    let kinds = [Kind::A64UntypedFloatAtomic, Kind::A64UntypedAtomic];
    atomic_of(kinds, operation, returns).with(match operation.is_float() {
        true => Value::Simd(Simd::S8),
        false => Value::Bits(bits),
    })
}

/// "Typed Surface Read": `channels` components of elements of an image.
pub fn typed_read(channels: u8, slots: Slots) -> Request {
    components(Kind::TypedSurfaceRead, channels).with(Value::Slots(slots))
}

/// "Typed Surface Write".
pub fn typed_write(channels: u8, slots: Slots) -> Request {
    components(Kind::TypedSurfaceWrite, channels).with(Value::Slots(slots))
}

/// "Typed Atomic Operation" of eight channels, the upper ones if `high`.
pub fn typed_atomic(operation: Atomic, high: bool, returns: bool) -> Request {
    atomic_of([Kind::TypedAtomic; 2], operation, returns).flag(Flag::HighSlots, high)
}

/// "Media Block Read" or "Media Block Write" of the rectangle in the header.
pub fn media_block(write: bool, lines: Lines) -> Request {
    let kind = match write {
        true => Kind::MediaBlockWrite,
        false => Kind::MediaBlockRead,
    };
    request(kind).with(Value::Lines(lines)).with_header()
}

/// "Memory Fence" on all memory. Has a header and no surface; a committed one writes a register when it is done.
pub fn memory_fence(commit: bool) -> Request {
    let fence = request(Kind::MemoryFence).with_header();
    fence.flag(Flag::Commit, commit)
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
    let mut request = block(kind, registers).with_header();
    request.fields.offset = Some(offset);
    request
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

/// Lowest bit of the number that identifies a request, and the mask of all bits that do.
type Place = (u32, u32);
/// The message type.
const TYPE: Place = (14, 0x7_c000);
/// The message type, and the element size of scattered A64 messages, bits 8-9.
const SCATTERED: Place = (14, 0x7_c300);
/// The message type, and the kind of A64 blocks, bits 11-12.
const BLOCKS: Place = (14, 0x7_d800);
/// The message type, and the unit of aligned blocks, bit 13.
const ALIGNED: Place = (14, 0x7_e000);
/// The message type, and the index of the surface.
const WITH_SURFACE: Place = (14, 0x7_c0ff);
/// Bits 17-18: scratch blocks.
const SCRATCH_TYPE: Place = (17, 0x6_0000);

/// A row a line: the place and the number that identify the request, bits of its place that the number lacks, its
/// kind, its fields.
macro_rules! rows {
    ($($place:ident $number:literal $(+ $more:literal)? $kind:ident: $($part:ident),*;)*) => {
        &[$(Row {
            mask: $place.1,
            bits: $number << $place.0 $(| $more)?,
            kind: Kind::$kind,
            parts: &[$($part),*],
        }),*]
    };
}

/// Descriptor bits 8-10, "Block Size".
const OWORDS: Part = Coded(8, 3, values!(Block: X1, X1High, X2, X4, X8, X16));
const HWORDS: Part = Coded(8, 3, values!(Block: X1, X2, X4, X8, X16));
const SCRATCH_HWORDS: Part = Coded(12, 2, values!(Block: X1, X2, X4, X8));
/// Bits 10-11, "Data Size".
const BITS: Part = Coded(10, 2, values!(Bits: 8, 16, 32, 64));
/// Bits 10-11, "Data Elements".
const ELEMENTS: Part = Coded(10, 2, values!(Elements: 1, 2, 4, 8));
/// Number of channels ("SIMD Mode"); its place depends on the message.
const SIMD_8: Part = Coded(8, 1, values!(Simd: S8, S16));
const SIMD_12: Part = Coded(12, 1, values!(Simd: S8, S16));
const SIMD_12_REVERSED: Part = Coded(12, 1, values!(Simd: S16, S8));
const SIMD_UNTYPED: Part = Coded(12, 2, values!(Simd: S4x2, S16, S8));
/// "Slot Group".
const SLOTS: Part = Coded(12, 2, values!(Slots: S4x2, Low, High));
const HIGH_SLOTS: Part = Mark(12, Flag::HighSlots);
/// Bits 8-11, "Channel Mask".
const OMITTED_CHANNELS: Part = Channels(8, true);
/// Bit 13, "Return Data Control".
const RETURN: Part = Mark(13, Flag::Returns);
const WIDTH: Part = Coded(12, 1, values!(Bits: 32, 64));
/// Bits 8-11, "Atomic Operation Type".
const ATOMIC: Part = Coded(
    8,
    4,
    values!(Atomic:
        CompareExchange64, And, Or, Xor, Exchange, Increment, Decrement, Add, Subtract,
        ReverseSubtract, SignedMax, SignedMin, UnsignedMax, UnsignedMin, CompareExchange,
        PreDecrement
    ),
);
const FLOAT_ATOMIC: Part = Coded(
    8,
    3,
    values!(Atomic:
        _, FloatMax, FloatMin, FloatCompareExchange, FloatAdd, FloatSubtract, FloatAdd64,
        FloatSubtract64
    ),
);
/// Bits 8-10, "Vertical Line Stride Override", "Stride" and "Offset".
const LINES: Part = Coded(8, 3, values!(Lines: All, _, _, _, _, _, Top, Bottom));
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
pub(super) const READ_ONLY: &[Row] = rows! {
    TYPE 0x00 ConstantOwordBlockRead: OWORDS, INVALIDATE, Surface;
    TYPE 0x01 ConstantAlignedOwordBlockRead: OWORDS, INVALIDATE, Surface;
    TYPE 0x03 ConstantDwordGather: ELEMENTS, SIMD_8, INVALIDATE, Surface;
};

pub(super) const PORT_0: &[Row] = rows! {
    TYPE 0x00 OwordBlockRead: OWORDS, Surface;
    ALIGNED 0x01 AlignedOwordBlockRead: OWORDS, Surface;
    ALIGNED 0x01 + 0x2000 AlignedHwordBlockRead: HWORDS, Surface;
    TYPE 0x02 OwordDualBlockRead: Surface;
    TYPE 0x03 DwordGather: ELEMENTS, SIMD_8, INVALIDATE, Surface;
    TYPE 0x04 ByteGather: BITS, SIMD_8, INVALIDATE, Surface;
    TYPE 0x05 QwordGather: ELEMENTS, SIMD_8, Surface;
    // Surface 0 stands for all of memory here.
    WITH_SURFACE 0x07 MemoryFence: FLUSHES, COMMIT;
    TYPE 0x07 MemoryFence: FLUSHES, COMMIT, Surface;
    TYPE 0x08 OwordBlockWrite: OWORDS, Surface;
    TYPE 0x09 AlignedHwordBlockWrite: HWORDS, Surface;
    TYPE 0x0a OwordDualBlockWrite: Surface;
    TYPE 0x0b DwordScatter: ELEMENTS, SIMD_8, Surface;
    TYPE 0x0c ByteScatter: BITS, SIMD_8, Surface;
    TYPE 0x0d QwordScatter: ELEMENTS, SIMD_8, Surface;
    SCRATCH_TYPE 2 HwordScratchBlockRead: SCRATCH_HWORDS, SCRATCH, SCRATCH_FLAGS;
    SCRATCH_TYPE 3 HwordScratchBlockWrite: SCRATCH_HWORDS, SCRATCH, SCRATCH_FLAGS;
};

/// Bits 0-11, "Offset", in registers of 32 bytes.
const SCRATCH: Part = Number(0, 12, 32, Quantity::Offset);
/// Bits 15 and 16, "Invalidate After Read" and "Channel Mode".
const SCRATCH_FLAGS: Part = Flags(15, &[Flag::InvalidateAfterRead, Flag::ByDword]);

pub(super) const PORT_1: &[Row] = rows! {
    TYPE 0x01 UntypedSurfaceRead: OMITTED_CHANNELS, SIMD_UNTYPED, Surface;
    TYPE 0x02 UntypedAtomic: ATOMIC, SIMD_12_REVERSED, RETURN, Surface;
    TYPE 0x03 Untyped16BitAtomic: ATOMIC, SIMD_12_REVERSED, RETURN, Surface;
    TYPE 0x04 MediaBlockRead: LINES, Surface;
    TYPE 0x05 TypedSurfaceRead: OMITTED_CHANNELS, SLOTS, Surface;
    TYPE 0x06 TypedAtomic: ATOMIC, HIGH_SLOTS, RETURN, Surface;
    TYPE 0x07 Typed16BitAtomic: ATOMIC, HIGH_SLOTS, RETURN, Surface;
    TYPE 0x09 UntypedSurfaceWrite: OMITTED_CHANNELS, SIMD_UNTYPED, Surface;
    TYPE 0x0a MediaBlockWrite: LINES, Surface;
    TYPE 0x0b TypedAtomicOnCounter: ATOMIC, SIMD_12_REVERSED, RETURN, Surface;
    TYPE 0x0c Typed16BitAtomicOnCounter: ATOMIC, SIMD_12_REVERSED, RETURN, Surface;
    TYPE 0x0d TypedSurfaceWrite: OMITTED_CHANNELS, SLOTS, Surface;
    TYPE 0x0e TypedSurfaceReadWithStatus: OMITTED_CHANNELS, SLOTS, Surface;
    SCATTERED 0x10 A64ByteGather: BITS, SIMD_12, INVALIDATE, Surface;
    SCATTERED 0x10 + 0x100 A64DwordGather: ELEMENTS, SIMD_12, INVALIDATE, Surface;
    SCATTERED 0x10 + 0x200 A64QwordGather: ELEMENTS, SIMD_12, INVALIDATE, Surface;
    SCATTERED 0x10 + 0x300 A64ByteGatherWithStatus: BITS, SIMD_12, Surface;
    TYPE 0x11 A64UntypedSurfaceRead: OMITTED_CHANNELS, SIMD_UNTYPED, Surface;
    TYPE 0x12 A64UntypedAtomic: ATOMIC, WIDTH, RETURN, Surface;
    TYPE 0x13 A64Untyped16BitAtomic: ATOMIC, SIMD_12_REVERSED, RETURN, Surface;
    BLOCKS 0x14 A64OwordBlockRead: OWORDS, Surface;
    BLOCKS 0x14 + 0x0800 A64AlignedOwordBlockRead: OWORDS, Surface;
    BLOCKS 0x14 + 0x1000 A64OwordDualBlockRead: Surface;
    BLOCKS 0x14 + 0x1800 A64HwordBlockRead: HWORDS, Surface;
    BLOCKS 0x15 A64OwordBlockWrite: OWORDS, Surface;
    BLOCKS 0x15 + 0x0800 A64AlignedOwordBlockWrite: OWORDS, Surface;
    BLOCKS 0x15 + 0x1000 A64OwordDualBlockWrite: Surface;
    BLOCKS 0x15 + 0x1800 A64HwordBlockWrite: HWORDS, Surface;
    TYPE 0x19 A64UntypedSurfaceWrite: OMITTED_CHANNELS, SIMD_UNTYPED, Surface;
    SCATTERED 0x1a A64ByteScatter: BITS, SIMD_12, Surface;
    SCATTERED 0x1a + 0x100 A64DwordScatter: ELEMENTS, SIMD_12, Surface;
    SCATTERED 0x1a + 0x200 A64QwordScatter: ELEMENTS, SIMD_12, Surface;
    TYPE 0x1b UntypedFloatAtomic: FLOAT_ATOMIC, SIMD_12_REVERSED, RETURN, Surface;
    TYPE 0x1c UntypedHalfFloatAtomic: FLOAT_ATOMIC, SIMD_12_REVERSED, RETURN, Surface;
    TYPE 0x1d A64UntypedFloatAtomic: FLOAT_ATOMIC, SIMD_12, RETURN, Surface;
    TYPE 0x1e A64UntypedHalfFloatAtomic: FLOAT_ATOMIC, SIMD_12, RETURN, Surface;
};
