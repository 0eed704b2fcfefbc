//! Messages of the functions that load and store by address (`ugm`, `ugml`, `slm`, `tgm`), since
//! XeHPG.

use super::Part::{Address, Caches, Channels, Coded, Mark, Suffix};
use super::field::{AddressKind, Data, Flag, Flush, Scope, Value, Vector};
use super::{FamilyMessages, SendSyntax};
use super::{Kind, Part, Row, field, row};
use crate::inst::{Desc, Inst, Message};
use crate::print::Text;

const OP: (u32, u32) = (0, 6);

/// Size of an element in memory and, where it differs, in the register.
const DATA: Part = Coded(
    9,
    3,
    &[
        Value::Data(Data::D8),
        Value::Data(Data::D16),
        Value::Data(Data::D32),
        Value::Data(Data::D64),
        Value::Data(Data::D8U32),
        Value::Data(Data::D16U32),
        Value::Data(Data::D16U32High),
    ],
);
/// Elements for an address, in consecutive registers or (`t`) in one.
const VECTOR: Part = Suffix(
    12,
    4,
    &[
        vector(1, false),
        vector(2, false),
        vector(3, false),
        vector(4, false),
        vector(8, false),
        vector(16, false),
        vector(32, false),
        vector(64, false),
        vector(1, true),
        vector(2, true),
        vector(3, true),
        vector(4, true),
        vector(8, true),
        vector(16, true),
        vector(32, true),
        vector(64, true),
    ],
);

const fn vector(count: u8, transposed: bool) -> Value {
    Value::Vector(Vector { count, transposed })
}

const SIZE: Part = Coded(
    7,
    2,
    &[
        Value::AddressBits(0),
        Value::AddressBits(16),
        Value::AddressBits(32),
        Value::AddressBits(64),
    ],
);
/// Blocks have 64-bit addresses; the bit tells if they are rearranged for matrices.
const BLOCK: Part = Coded(7, 1, &[Value::Transformed(false), Value::Transformed(true)]);
const TRANSPOSED: Part = Mark(15, Flag::Transposed);
const SCOPE: Part = Coded(
    9,
    3,
    &[
        Value::Scope(Scope::Group),
        Value::Scope(Scope::Local),
        Value::Scope(Scope::Tile),
        Value::Scope(Scope::Gpu),
        Value::Scope(Scope::AllGpus),
        Value::Scope(Scope::SystemRelease),
        Value::Scope(Scope::SystemAcquire),
    ],
);
const FLUSH: Part = Coded(
    12,
    3,
    &[
        Value::Flush(Flush::None),
        Value::Flush(Flush::Evict),
        Value::Flush(Flush::Invalidate),
        Value::Flush(Flush::Discard),
        Value::Flush(Flush::Clean),
        Value::Flush(Flush::L3),
        Value::Flush(Flush::Nothing),
    ],
);

const LOAD: &[Part] = &[DATA, VECTOR, SIZE, Caches(true), Address];
const STORE: &[Part] = &[DATA, VECTOR, SIZE, Caches(false), Address];
const LOAD_QUAD: &[Part] = &[DATA, Channels(12, false), SIZE, Caches(true), Address];
const STORE_QUAD: &[Part] = &[DATA, Channels(12, false), SIZE, Caches(false), Address];

pub(super) const ROWS: &[Row] = &[
    row(OP, 0, Kind::Load, LOAD),
    row(OP, 1, Kind::LoadStrided, LOAD),
    row(OP, 2, Kind::LoadQuad, LOAD_QUAD),
    row(
        OP,
        3,
        Kind::LoadBlock2d,
        &[DATA, TRANSPOSED, BLOCK, Caches(true), Address],
    ),
    row(OP, 4, Kind::Store, STORE),
    row(OP, 5, Kind::StoreStrided, STORE),
    row(OP, 6, Kind::StoreQuad, STORE_QUAD),
    row(
        OP,
        7,
        Kind::StoreBlock2d,
        &[DATA, TRANSPOSED, BLOCK, Caches(false), Address],
    ),
    row(OP, 8, Kind::AtomicIncrement, STORE),
    row(OP, 9, Kind::AtomicDecrement, STORE),
    row(OP, 10, Kind::AtomicLoad, STORE),
    row(OP, 11, Kind::AtomicStore, STORE),
    row(OP, 12, Kind::AtomicAdd, STORE),
    row(OP, 13, Kind::AtomicSubtract, STORE),
    row(OP, 14, Kind::AtomicSignedMinimum, STORE),
    row(OP, 15, Kind::AtomicSignedMaximum, STORE),
    row(OP, 16, Kind::AtomicUnsignedMinimum, STORE),
    row(OP, 17, Kind::AtomicUnsignedMaximum, STORE),
    row(OP, 18, Kind::AtomicCompareAndExchange, STORE),
    row(OP, 19, Kind::AtomicFloatAdd, STORE),
    row(OP, 20, Kind::AtomicFloatSubtract, STORE),
    row(OP, 21, Kind::AtomicFloatMinimum, STORE),
    row(OP, 22, Kind::AtomicFloatMaximum, STORE),
    row(OP, 23, Kind::AtomicFloatCompareAndExchange, STORE),
    row(OP, 24, Kind::AtomicAnd, STORE),
    row(OP, 25, Kind::AtomicOr, STORE),
    row(OP, 26, Kind::AtomicXor, STORE),
    row(OP, 27, Kind::LoadStatus, LOAD),
    row(OP, 28, Kind::StoreUncompressed, STORE),
    row(OP, 29, Kind::CompressionStateControl, &[Address]),
    row(OP, 30, Kind::ReadSurfaceState, &[Address]),
    row(OP, 31, Kind::Fence, &[SCOPE, FLUSH]),
    row(OP, 32, Kind::StoreQuadUncompressed, STORE_QUAD),
    row(OP, 40, Kind::AtomicAddToAppendCounter, STORE),
    row(OP, 41, Kind::AtomicSubtractFromAppendCounter, STORE),
    row(OP, 42, Kind::AtomicStoreToAppendCounter, STORE),
    row(OP, 49, Kind::LoadQuadOfMultisampledTarget, LOAD_QUAD),
    row(OP, 50, Kind::StoreQuadOfMultisampledTarget, STORE_QUAD),
];

/// Meanings of the cache policy's four bits: the code, and the policies of L1 and L3 for a load and for a store.
pub(crate) type CacheCodes = [(u32, &'static str, &'static str)];

/// Three bits, the lowest reserved.
pub(crate) const CACHES: &CacheCodes = &[
    (0x0, "", ""),
    (0x2, " uncached", " uncached"),
    (0x4, " cached L3", " written back L3"),
    (0x6, " cached L1", " written through L1"),
    (0x8, " cached L1 L3", " written through L1, back L3"),
    (0xa, " streamed L1", " streamed L1"),
    (
        0xc,
        " streamed L1, cached L3",
        " streamed L1, written back L3",
    ),
    (0xe, " invalidated L1, cached L3", " written back L1 L3"),
];

/// Four bits, with policies for constants.
pub(crate) const CACHES_CONSTANT: &CacheCodes = &[
    (0x0, "", ""),
    (0x2, " uncached", " uncached"),
    (0x4, " cached L3", " written back L3"),
    (0x5, " constant L3", " code 5"),
    (0x6, " cached L1", " written through L1"),
    (0x8, " cached L1 L3", " written through L1, back L3"),
    (0x9, " cached L1, constant L3", " code 9"),
    (0xa, " streamed L1", " streamed L1"),
    (
        0xc,
        " streamed L1, cached L3",
        " streamed L1, written back L3",
    ),
    (0xe, " invalidated L1 L3", " written back L1 L3"),
];

pub(super) fn write_caches(desc: u32, load: bool, codes: &CacheCodes, text: &mut Text) {
    let code = field(desc, 16, 4);
    match codes.iter().find(|(known, ..)| *known == code) {
        Some((_, words, _)) if load => text.str(words),
        Some((.., words)) => text.str(words),
        None => {
            text.str(" cache policy ");
            text.number(code);
        }
    }
}

/// Meanings of addresses, by code.
pub(super) const KINDS: [AddressKind; 4] = [
    AddressKind::Flat,
    AddressKind::BindlessSurface,
    AddressKind::SurfaceState,
    AddressKind::BindingTable,
];

pub(super) fn write_address(
    inst: &Inst,
    message: &Message,
    desc: u32,
    messages: &FamilyMessages,
    text: &mut Text,
) {
    let kind = KINDS[field(desc, 29, 2) as usize];
    text.str(", ");
    text.str(Value::Address(kind).word().unwrap_or_default());
    match message.ex_desc {
        _ if kind == AddressKind::Flat => {}
        Desc::Addr { byte } => {
            text.byte(b' ');
            super::address(byte, text);
        }
        Desc::Imm(ex_desc) if kind == AddressKind::BindingTable => {
            text.byte(b' ');
            text.number(ex_desc >> 24);
        }
        Desc::Imm(ex_desc) => {
            text.byte(b' ');
            text.hex(u64::from(ex_desc & !0x7ff), 1);
        }
    }
    let offset = offset(inst, message, kind, messages);
    if offset != 0 {
        text.str(if offset < 0 { " -" } else { " +" });
        text.hex(u64::from(offset.unsigned_abs()), 1);
    }
}

/// Offset that a message adds to every address.
pub(super) fn offset_of(inst: &Inst, desc: u32, messages: &FamilyMessages) -> i32 {
    let kind = KINDS[field(desc, 29, 2) as usize];
    let message = inst.msg.as_ref();
    message.map_or(0, |message| offset(inst, message, kind, messages))
}

/// Offset in a descriptor with room for one.
fn offset(inst: &Inst, message: &Message, kind: AddressKind, messages: &FamilyMessages) -> i32 {
    if messages.send_syntax != SendSyntax::SuffixAndLength || !messages.address_offsets {
        return 0;
    }
    let signed = |value: u32, bits: u32| (value << (32 - bits)) as i32 >> (32 - bits);
    match (message.ex_desc, kind) {
        (Desc::Imm(ex_desc), AddressKind::Flat) => signed(ex_desc >> 12, 20),
        (Desc::Imm(ex_desc), AddressKind::BindingTable) => signed(field(ex_desc, 12, 12), 12),
        (Desc::Addr { .. }, AddressKind::Flat) => signed(inst.send.ex_offset >> 12, 20),
        (Desc::Addr { .. }, AddressKind::BindlessSurface | AddressKind::SurfaceState) => {
            let offset = inst.send.ex_offset;
            signed(field(offset, 19, 13) << 4 | field(offset, 12, 4), 17)
        }
        _ => 0,
    }
}
