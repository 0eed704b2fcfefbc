//! Messages of the functions that load and store by address (`ugm`, `ugml`, `slm`, `tgm`), since
//! XeHPG.

use super::Part::{Address, Caches, Channels, Coded, Mark, Suffix};
use super::access::{Address as Place, Elements, MemoryAccess, MemoryFence, Operation, Space};
use super::field::{AddressKind, Data, Flag, Flush, Scope, Value, Vector};
use super::{FamilyMessages, SendSyntax, family_messages};
use super::{Function, Kind, Part, Request, Row, field, row, values};
use smallvec::{SmallVec, smallvec};

use crate::inst::{Desc, Inst, Message};
use crate::platform::Family;
use crate::text::Text;

const OP: (u32, u32) = (0, 6);

/// Size of an element in memory and, where it differs, in the register.
const DATA: Part = Coded(
    9,
    3,
    values!(Data: D8, D16, D32, D64, D8U32, D16U32, D16U32High),
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

const SIZE: Part = Coded(7, 2, values!(AddressBits: 0, 16, 32, 64));
/// Blocks have 64-bit addresses; the bit tells if they are rearranged for matrices.
const BLOCK: Part = Coded(7, 1, values!(Transformed: false, true));
const TRANSPOSED: Part = Mark(15, Flag::Transposed);
const SCOPE: Part = Coded(
    9,
    3,
    values!(Scope: Group, Local, Tile, Gpu, AllGpus, SystemRelease, SystemAcquire),
);
const FLUSH: Part = Coded(
    12,
    3,
    values!(Flush: None, Evict, Invalidate, Discard, Clean, L3, Nothing),
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

/// A code of the cache policy's four bits: policies of L1 and L3 for a load and for a store, in the words of listings
/// and as vISA has them.
#[derive(Debug)]
pub(crate) struct CacheCode {
    code: u8,
    words: [&'static str; 2],
    policies: [&'static str; 2],
}

pub(crate) type CacheCodes = [CacheCode];

const fn cache(code: u8, words: [&'static str; 2], policies: [&'static str; 2]) -> CacheCode {
    CacheCode {
        code,
        words,
        policies,
    }
}

const DEFAULT: CacheCode = cache(0x0, ["", ""], ["df.df", "df.df"]);
const UNCACHED: CacheCode = cache(0x2, [" uncached", " uncached"], ["uc.uc", "uc.uc"]);
const L3: CacheCode = cache(0x4, [" cached L3", " written back L3"], ["uc.ca", "uc.wb"]);
const L1: CacheCode = cache(
    0x6,
    [" cached L1", " written through L1"],
    ["ca.uc", "wt.uc"],
);
const BOTH: CacheCode = cache(
    0x8,
    [" cached L1 L3", " written through L1, back L3"],
    ["ca.ca", "wt.wb"],
);
const STREAMED: CacheCode = cache(0xa, [" streamed L1", " streamed L1"], ["st.uc", "st.uc"]);
const STREAMED_L3: CacheCode = cache(
    0xc,
    [" streamed L1, cached L3", " streamed L1, written back L3"],
    ["st.ca", "st.wb"],
);

/// Three bits, the lowest reserved.
pub(crate) const CACHES: &CacheCodes = &[
    DEFAULT,
    UNCACHED,
    L3,
    L1,
    BOTH,
    STREAMED,
    STREAMED_L3,
    cache(
        0xe,
        [" invalidated L1, cached L3", " written back L1 L3"],
        ["ri.ca", "wb.wb"],
    ),
];

/// Four bits, with policies for constants.
pub(crate) const CACHES_CONSTANT: &CacheCodes = &[
    DEFAULT,
    UNCACHED,
    L3,
    cache(0x5, [" constant L3", " code 5"], ["uc.cc", ""]),
    L1,
    BOTH,
    cache(0x9, [" cached L1, constant L3", " code 9"], ["ca.cc", ""]),
    STREAMED,
    STREAMED_L3,
    cache(
        0xe,
        [" invalidated L1 L3", " written back L1 L3"],
        ["ri.ri", "wb.wb"],
    ),
];

pub(super) fn write_caches(desc: u32, load: bool, codes: &CacheCodes, text: &mut Text) {
    let code = field(desc, 16, 4);
    match codes.iter().find(|known| u32::from(known.code) == code) {
        Some(known) => text.str(known.words[usize::from(!load)]),
        None => {
            text.str(" cache policy ");
            text.number(code);
        }
    }
}

/// The requests of a fence. A fence of local memory has one, in the scope of the group. A fence of all memory has one
/// for each shared function, in the scope of the GPU.
pub(super) fn lower_fence(fence: &MemoryFence) -> SmallVec<[Request; 2]> {
    let request = |function, scope, flush| {
        let request = Request::new(function, Kind::Fence);
        request.with(Value::Scope(scope)).with(Value::Flush(flush))
    };
    match fence.local {
        true => smallvec![request(Function::LocalMemory, Scope::Group, Flush::None)],
        false => [Function::Untyped, Function::Typed]
            .map(|function| request(function, Scope::Gpu, Flush::Evict))
            .into(),
    }
}

/// The request for an access of consecutive dwords of scratch space, whose surface is in the extended descriptor and
/// whose address is in the first payload. None for any other access.
pub(super) fn lower(access: &MemoryAccess) -> Option<Request> {
    let kind = match access.operation {
        Operation::Load => Kind::Load,
        Operation::Store => Kind::Store,
        Operation::Atomic { .. } => return None,
    };
    let (
        Space::Scratch,
        Place::Uniform,
        Elements::Numbers {
            bits: 32, count, ..
        },
    ) = (access.space, access.address, access.elements)
    else {
        return None;
    };
    let vector = Vector {
        count: u8::try_from(count).ok()?,
        transposed: true,
    };
    let mut request = Request::new(Function::Untyped, kind)
        .with(Value::Data(Data::D32))
        .with(Value::Vector(vector))
        .with(Value::AddressBits(32))
        .with(Value::Address(AddressKind::SurfaceState));
    request.fields.cache = Some(DEFAULT.code);
    Some(request)
}

/// The kind of an operation's number, which vISA and messages share.
pub fn kind(op: u32) -> Option<Kind> {
    ROWS.iter().find(|row| row.bits == op).map(|row| row.kind)
}

/// The code of a policy, such as `ca.cc`, of a load or of a store or atomic.
pub fn cache_code(policy: &str, load: bool, family: Family) -> Option<u8> {
    let mut codes = family_messages(family).caches.iter();
    let found = codes.find(|known| known.policies[usize::from(!load)] == policy);
    found.map(|known| known.code)
}

/// True if a store's policy has the first cache keep the data, written back later or streamed, instead of passing each
/// store on.
pub fn is_kept(code: u8, family: Family) -> bool {
    let mut codes = family_messages(family).caches.iter();
    codes.find(|known| known.code == code).is_some_and(|known| {
        ["wb.", "st."]
            .iter()
            .any(|kept| known.policies[1].starts_with(kept))
    })
}

/// The offset in bytes that a message adds to every address, as bits of the extended descriptor: of a constant one, or
/// of the one that the instruction adds to that in a register. None if the kind of address has no room for it.
pub fn offset_bits(offset: i32, kind: AddressKind, family: Family) -> Option<u32> {
    let fits = |bits: u32| offset << (32 - bits) >> (32 - bits) == offset;
    if offset == 0 {
        return Some(0);
    }
    if !family_messages(family).address_offsets || offset % 4 != 0 {
        return None;
    }
    let bits = offset as u32;
    match kind {
        AddressKind::Flat if fits(20) => Some(bits << 12),
        AddressKind::BindingTable if fits(12) => Some(bits << 12 & 0x00ff_f000),
        AddressKind::BindlessSurface | AddressKind::SurfaceState if fits(17) => {
            Some(bits >> 4 << 19 | (bits & 0xf) << 12)
        }
        _ => None,
    }
}

/// Meanings of addresses, by code.
pub const KINDS: [AddressKind; 4] = [
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
