//! Messages of the data ports, which address memory through surfaces.

use super::Part::{Channels, Flags, Names, Number, Surface};
use super::{Part, Request, request};

/// Where a descriptor has the message's type.
const TYPE: (u32, u32) = (14, 5);
/// Scattered messages with 64-bit addresses say the size of their elements in bits 8-9.
const SCATTERED: u32 = 0x7c300;
/// Blocks with 64-bit addresses say what they are blocks of in bits 11-12.
const BLOCKS: u32 = 0x7d800;

const fn sub(
    mask: u32,
    kind: u32,
    sub: u32,
    name: &'static str,
    parts: &'static [Part],
) -> Request {
    Request {
        mask,
        bits: kind << 14 | sub,
        name,
        parts,
    }
}

const OWORDS: Part = Names(8, 3, &["x1", "x1 high", "x2", "x4", "x8", "x16"]);
const HWORDS: Part = Names(8, 3, &["x1", "x2", "x4", "x8", "x16"]);
const SCRATCH_HWORDS: Part = Names(12, 2, &["x1", "x2", "x4", "x8"]);
const BITS: Part = Names(
    10,
    2,
    &["of 8 bits", "of 16 bits", "of 32 bits", "of 64 bits"],
);
const ELEMENTS: Part = Names(10, 2, &["", "x2", "x4", "x8"]);
/// How many channels, by messages that say it in different places.
const SIMD_8: Part = Names(8, 1, &["simd8", "simd16"]);
const SIMD_12: Part = Names(12, 1, &["simd8", "simd16"]);
const SIMD_12_REVERSED: Part = Names(12, 1, &["simd16", "simd8"]);
const SIMD_UNTYPED: Part = Names(12, 2, &["simd4x2", "simd16", "simd8"]);
const SLOTS: Part = Names(12, 2, &["simd4x2", "", "high slots"]);
const HIGH_SLOTS: Part = Names(12, 1, &["", "high slots"]);
const LEFT_OUT: Part = Channels(8, true);
const RETURN: Part = Names(13, 1, &["", "with return"]);
const WIDTH: Part = Names(12, 1, &["of 32 bits", "of 64 bits"]);
const ATOMIC: Part = Names(
    8,
    4,
    &[
        "compare and exchange of 64 bits",
        "and",
        "or",
        "xor",
        "exchange",
        "increment",
        "decrement",
        "add",
        "subtract",
        "reverse subtract",
        "signed maximum",
        "signed minimum",
        "unsigned maximum",
        "unsigned minimum",
        "compare and exchange",
        "decrement first",
    ],
);
const FLOAT_ATOMIC: Part = Names(
    8,
    3,
    &[
        "code 0",
        "maximum",
        "minimum",
        "compare and exchange",
        "add",
        "subtract",
        "add of 64 bits",
        "subtract of 64 bits",
    ],
);
const COMMIT: Part = Flags(13, &["waits for it"]);
const FLUSHES: Part = Flags(
    8,
    &[
        "flushes L1",
        "flushes L3 instructions",
        "flushes L3 textures",
        "flushes L3 constants",
        "flushes L3 data",
    ],
);
const INVALIDATE: Part = Flags(13, &["invalidates after read"]);

/// The read-only port for constants.
pub(super) const READ_ONLY: &[Request] = &[
    request(
        TYPE,
        0x00,
        "constant oword block read",
        &[OWORDS, INVALIDATE, Surface],
    ),
    request(
        TYPE,
        0x01,
        "constant aligned oword block read",
        &[OWORDS, INVALIDATE, Surface],
    ),
    request(
        TYPE,
        0x03,
        "constant dword gather",
        &[ELEMENTS, SIMD_8, INVALIDATE, Surface],
    ),
];

pub(super) const PORT_0: &[Request] = &[
    request(TYPE, 0x00, "oword block read", &[OWORDS, Surface]),
    sub(
        0x7e000,
        0x01,
        0,
        "aligned oword block read",
        &[OWORDS, Surface],
    ),
    sub(
        0x7e000,
        0x01,
        1 << 13,
        "aligned hword block read",
        &[HWORDS, Surface],
    ),
    request(TYPE, 0x02, "oword dual block read", &[Surface]),
    request(
        TYPE,
        0x03,
        "dword gather",
        &[ELEMENTS, SIMD_8, INVALIDATE, Surface],
    ),
    request(
        TYPE,
        0x04,
        "byte gather",
        &[BITS, SIMD_8, INVALIDATE, Surface],
    ),
    request(TYPE, 0x05, "qword gather", &[ELEMENTS, SIMD_8, Surface]),
    // Surface 0 is all of memory here.
    sub(0x7c0ff, 0x07, 0, "memory fence", &[FLUSHES, COMMIT]),
    request(TYPE, 0x07, "memory fence", &[FLUSHES, COMMIT, Surface]),
    request(TYPE, 0x08, "oword block write", &[OWORDS, Surface]),
    request(TYPE, 0x09, "aligned hword block write", &[HWORDS, Surface]),
    request(TYPE, 0x0a, "oword dual block write", &[Surface]),
    request(TYPE, 0x0b, "dword scatter", &[ELEMENTS, SIMD_8, Surface]),
    request(TYPE, 0x0c, "byte scatter", &[BITS, SIMD_8, Surface]),
    request(TYPE, 0x0d, "qword scatter", &[ELEMENTS, SIMD_8, Surface]),
    request(
        (17, 2),
        2,
        "hword scratch block read",
        &[SCRATCH_HWORDS, SCRATCH],
    ),
    request(
        (17, 2),
        3,
        "hword scratch block write",
        &[SCRATCH_HWORDS, SCRATCH],
    ),
];

const SCRATCH: Part = Number(0, 12, 32, "offset");

pub(super) const PORT_1: &[Request] = &[
    request(
        TYPE,
        0x01,
        "untyped surface read",
        &[LEFT_OUT, SIMD_UNTYPED, Surface],
    ),
    request(
        TYPE,
        0x02,
        "untyped atomic",
        &[ATOMIC, SIMD_12_REVERSED, RETURN, Surface],
    ),
    request(
        TYPE,
        0x03,
        "untyped 16-bit atomic",
        &[ATOMIC, SIMD_12_REVERSED, RETURN, Surface],
    ),
    request(TYPE, 0x04, "media block read", &[Surface]),
    request(
        TYPE,
        0x05,
        "typed surface read",
        &[LEFT_OUT, SLOTS, Surface],
    ),
    request(
        TYPE,
        0x06,
        "typed atomic",
        &[ATOMIC, HIGH_SLOTS, RETURN, Surface],
    ),
    request(
        TYPE,
        0x07,
        "typed 16-bit atomic",
        &[ATOMIC, HIGH_SLOTS, RETURN, Surface],
    ),
    request(
        TYPE,
        0x09,
        "untyped surface write",
        &[LEFT_OUT, SIMD_UNTYPED, Surface],
    ),
    request(TYPE, 0x0a, "media block write", &[Surface]),
    request(
        TYPE,
        0x0b,
        "typed atomic on counter",
        &[ATOMIC, SIMD_12_REVERSED, RETURN, Surface],
    ),
    request(
        TYPE,
        0x0c,
        "typed 16-bit atomic on counter",
        &[ATOMIC, SIMD_12_REVERSED, RETURN, Surface],
    ),
    request(
        TYPE,
        0x0d,
        "typed surface write",
        &[LEFT_OUT, SLOTS, Surface],
    ),
    request(
        TYPE,
        0x0e,
        "typed surface read with status",
        &[LEFT_OUT, SLOTS, Surface],
    ),
    sub(
        SCATTERED,
        0x10,
        0x000,
        "a64 byte gather",
        &[BITS, SIMD_12, INVALIDATE, Surface],
    ),
    sub(
        SCATTERED,
        0x10,
        0x100,
        "a64 dword gather",
        &[ELEMENTS, SIMD_12, INVALIDATE, Surface],
    ),
    sub(
        SCATTERED,
        0x10,
        0x200,
        "a64 qword gather",
        &[ELEMENTS, SIMD_12, INVALIDATE, Surface],
    ),
    sub(
        SCATTERED,
        0x10,
        0x300,
        "a64 byte gather with status",
        &[BITS, SIMD_12, Surface],
    ),
    request(
        TYPE,
        0x11,
        "a64 untyped surface read",
        &[LEFT_OUT, SIMD_UNTYPED, Surface],
    ),
    request(
        TYPE,
        0x12,
        "a64 untyped atomic",
        &[ATOMIC, WIDTH, RETURN, Surface],
    ),
    request(
        TYPE,
        0x13,
        "a64 untyped 16-bit atomic",
        &[ATOMIC, SIMD_12_REVERSED, RETURN, Surface],
    ),
    sub(
        BLOCKS,
        0x14,
        0x0000,
        "a64 oword block read",
        &[OWORDS, Surface],
    ),
    sub(
        BLOCKS,
        0x14,
        0x0800,
        "a64 aligned oword block read",
        &[OWORDS, Surface],
    ),
    sub(
        BLOCKS,
        0x14,
        0x1000,
        "a64 oword dual block read",
        &[Surface],
    ),
    sub(
        BLOCKS,
        0x14,
        0x1800,
        "a64 hword block read",
        &[HWORDS, Surface],
    ),
    sub(
        BLOCKS,
        0x15,
        0x0000,
        "a64 oword block write",
        &[OWORDS, Surface],
    ),
    sub(
        BLOCKS,
        0x15,
        0x0800,
        "a64 aligned oword block write",
        &[OWORDS, Surface],
    ),
    sub(
        BLOCKS,
        0x15,
        0x1000,
        "a64 oword dual block write",
        &[Surface],
    ),
    sub(
        BLOCKS,
        0x15,
        0x1800,
        "a64 hword block write",
        &[HWORDS, Surface],
    ),
    request(
        TYPE,
        0x19,
        "a64 untyped surface write",
        &[LEFT_OUT, SIMD_UNTYPED, Surface],
    ),
    sub(
        SCATTERED,
        0x1a,
        0x000,
        "a64 byte scatter",
        &[BITS, SIMD_12, Surface],
    ),
    sub(
        SCATTERED,
        0x1a,
        0x100,
        "a64 dword scatter",
        &[ELEMENTS, SIMD_12, Surface],
    ),
    sub(
        SCATTERED,
        0x1a,
        0x200,
        "a64 qword scatter",
        &[ELEMENTS, SIMD_12, Surface],
    ),
    request(
        TYPE,
        0x1b,
        "untyped float atomic",
        &[FLOAT_ATOMIC, SIMD_12_REVERSED, RETURN, Surface],
    ),
    request(
        TYPE,
        0x1c,
        "untyped half-float atomic",
        &[FLOAT_ATOMIC, SIMD_12_REVERSED, RETURN, Surface],
    ),
    request(
        TYPE,
        0x1d,
        "a64 untyped float atomic",
        &[FLOAT_ATOMIC, SIMD_12, RETURN, Surface],
    ),
    request(
        TYPE,
        0x1e,
        "a64 untyped half-float atomic",
        &[FLOAT_ATOMIC, SIMD_12, RETURN, Surface],
    ),
];
