//! Messages of the functions that load and store by address (`ugm`, `ugml`, `slm`, `tgm`), since
//! XeHPG.

use super::Part::{Address, Caches, Channels, Names, Suffix};
use super::{Part, Request, field, request};
use crate::encoding::spec::{SendSyntax, Spec};
use crate::inst::{Desc, Inst, Message};
use crate::print::Text;

const OP: (u32, u32) = (0, 6);

/// What an element is in memory and, where they differ, in the register.
const DATA: Part = Names(
    9,
    3,
    &["d8", "d16", "d32", "d64", "d8u32", "d16u32", "d16u32h"],
);
/// Elements for an address, one after another in registers or (`t`) in one.
const VECTOR: Part = Suffix(
    12,
    4,
    &[
        "", "x2", "x3", "x4", "x8", "x16", "x32", "x64", "x1t", "x2t", "x3t", "x4t", "x8t", "x16t",
        "x32t", "x64t",
    ],
);
const SIZE: Part = Names(7, 2, &["a?", "a16", "a32", "a64"]);
/// Blocks have addresses of 64 bits; the bit says whether they are rearranged for matrices.
const BLOCK: Part = Names(7, 1, &["a64", "transformed a64"]);
const TRANSPOSED: Part = Names(15, 1, &["", "transposed"]);
const SCOPE: Part = Names(
    9,
    3,
    &[
        "group",
        "local",
        "tile",
        "gpu",
        "all gpus",
        "system release",
        "system acquire",
    ],
);
const FLUSH: Part = Names(
    12,
    3,
    &["", "evict", "invalidate", "discard", "clean", "flush L3"],
);

const LOAD: &[Part] = &[DATA, VECTOR, SIZE, Caches(true), Address];
const STORE: &[Part] = &[DATA, VECTOR, SIZE, Caches(false), Address];
const LOAD_QUAD: &[Part] = &[DATA, Channels(12, false), SIZE, Caches(true), Address];
const STORE_QUAD: &[Part] = &[DATA, Channels(12, false), SIZE, Caches(false), Address];

pub(super) const REQUESTS: &[Request] = &[
    request(OP, 0, "load", LOAD),
    request(OP, 1, "load strided", LOAD),
    request(OP, 2, "load quad", LOAD_QUAD),
    request(
        OP,
        3,
        "load block 2d",
        &[DATA, TRANSPOSED, BLOCK, Caches(true), Address],
    ),
    request(OP, 4, "store", STORE),
    request(OP, 5, "store strided", STORE),
    request(OP, 6, "store quad", STORE_QUAD),
    request(
        OP,
        7,
        "store block 2d",
        &[DATA, TRANSPOSED, BLOCK, Caches(false), Address],
    ),
    request(OP, 8, "atomic increment", STORE),
    request(OP, 9, "atomic decrement", STORE),
    request(OP, 10, "atomic load", STORE),
    request(OP, 11, "atomic store", STORE),
    request(OP, 12, "atomic add", STORE),
    request(OP, 13, "atomic subtract", STORE),
    request(OP, 14, "atomic signed minimum", STORE),
    request(OP, 15, "atomic signed maximum", STORE),
    request(OP, 16, "atomic unsigned minimum", STORE),
    request(OP, 17, "atomic unsigned maximum", STORE),
    request(OP, 18, "atomic compare and exchange", STORE),
    request(OP, 19, "atomic float add", STORE),
    request(OP, 20, "atomic float subtract", STORE),
    request(OP, 21, "atomic float minimum", STORE),
    request(OP, 22, "atomic float maximum", STORE),
    request(OP, 23, "atomic float compare and exchange", STORE),
    request(OP, 24, "atomic and", STORE),
    request(OP, 25, "atomic or", STORE),
    request(OP, 26, "atomic xor", STORE),
    request(OP, 27, "load status", LOAD),
    request(OP, 28, "store uncompressed", STORE),
    request(OP, 29, "compression state control", &[Address]),
    request(OP, 30, "read surface state", &[Address]),
    request(OP, 31, "fence", &[SCOPE, FLUSH]),
    request(OP, 32, "store quad uncompressed", STORE_QUAD),
    request(OP, 40, "atomic add to append counter", STORE),
    request(OP, 41, "atomic subtract from append counter", STORE),
    request(OP, 42, "atomic store to append counter", STORE),
    request(OP, 49, "load quad of multisampled target", LOAD_QUAD),
    request(OP, 50, "store quad of multisampled target", STORE_QUAD),
];

/// What the four bits of the cache policy stand for: its code, and L1 and L3 of a load and of a
/// store.
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

/// How addresses are meant.
const KINDS: [&str; 4] = [
    ", flat",
    ", bindless surface",
    ", surface state",
    ", binding table",
];
const FLAT: u32 = 0;
const BINDING_TABLE: u32 = 3;

pub(super) fn write_address(
    inst: &Inst,
    message: &Message,
    desc: u32,
    spec: &Spec,
    text: &mut Text,
) {
    let kind = field(desc, 29, 2);
    text.str(KINDS[kind as usize]);
    match message.ex_desc {
        _ if kind == FLAT => {}
        Desc::Addr { byte } => {
            text.byte(b' ');
            super::address(byte, text);
        }
        Desc::Imm(ex_desc) if kind == BINDING_TABLE => {
            text.byte(b' ');
            text.number(ex_desc >> 24);
        }
        Desc::Imm(ex_desc) => {
            text.byte(b' ');
            text.hex(u64::from(ex_desc & !0x7ff), 1);
        }
    }
    let offset = offset(inst, message, kind, spec);
    if offset != 0 {
        text.str(if offset < 0 { " -" } else { " +" });
        text.hex(u64::from(offset.unsigned_abs()), 1);
    }
}

/// What is added to every address, where descriptors have a place for it.
fn offset(inst: &Inst, message: &Message, kind: u32, spec: &Spec) -> i32 {
    if spec.send_syntax != SendSyntax::SuffixAndLength || !spec.address_offsets {
        return 0;
    }
    let signed = |value: u32, bits: u32| (value << (32 - bits)) as i32 >> (32 - bits);
    match (message.ex_desc, kind) {
        (Desc::Imm(ex_desc), FLAT) => signed(ex_desc >> 12, 20),
        (Desc::Imm(ex_desc), BINDING_TABLE) => signed(field(ex_desc, 12, 12), 12),
        (Desc::Addr { .. }, FLAT) => signed(inst.send.ex_offset >> 12, 20),
        (Desc::Addr { .. }, 1 | 2) => {
            let offset = inst.send.ex_offset;
            signed(field(offset, 19, 13) << 4 | field(offset, 12, 4), 17)
        }
        _ => 0,
    }
}
