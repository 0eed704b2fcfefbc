//! Messages of the functions that are no memory: sampler, gateway, render targets, URB, thread
//! dispatch.

use super::Part::{Flags, Names, Number, Surface};
use super::{Part, Request, request};

/// The sampler's message has five bits and, for offsets from a place, a sixth far from them.
const fn sample(code: u32, name: &'static str, parts: &'static [Part]) -> Request {
    Request {
        mask: 0x8001_f000,
        bits: (code & 31) << 12 | (code >> 5) << 31,
        name,
        parts,
    }
}

const SIMD: Part = Names(17, 2, &["simd8, integers", "simd8", "simd16", "simd32/64"]);
const XE2_SIMD: Part = Names(17, 2, &["simd16, integers", "simd16", "simd32", "code 3"]);
const HALF: Part = Names(30, 1, &["", "of 16 bits"]);
const STATE: Part = Number(8, 4, 1, "sampler");
const SAMPLE: &[Part] = &[SIMD, HALF, STATE, Surface];
const XE2_SAMPLE: &[Part] = &[XE2_SIMD, HALF, STATE, Surface];

macro_rules! sampler {
    ($parts:expr) => {
        &[
            sample(0x00, "sample", $parts),
            sample(0x01, "sample_b", $parts),
            sample(0x02, "sample_l", $parts),
            sample(0x03, "sample_c", $parts),
            sample(0x04, "sample_d", $parts),
            sample(0x05, "sample_b_c", $parts),
            sample(0x06, "sample_l_c", $parts),
            sample(0x07, "ld", $parts),
            sample(0x08, "gather4", $parts),
            sample(0x09, "lod", $parts),
            sample(0x0a, "resinfo", $parts),
            sample(0x0b, "sampleinfo", $parts),
            sample(0x0c, "sample_killpix", $parts),
            sample(0x10, "gather4_c", $parts),
            sample(0x11, "gather4_po", $parts),
            sample(0x12, "gather4_po_c", $parts),
            sample(0x14, "sample_d_c", $parts),
            sample(0x16, "sample_min", $parts),
            sample(0x17, "sample_max", $parts),
            sample(0x18, "sample_lz", $parts),
            sample(0x19, "sample_c_lz", $parts),
            sample(0x1a, "ld_lz", $parts),
            sample(0x1c, "ld2dms_w", $parts),
            sample(0x1d, "ld_mcs", $parts),
            sample(0x1e, "ld2dms", $parts),
            sample(0x1f, "ld2dss", $parts),
        ]
    };
}

pub(super) const SAMPLER: &[Request] = sampler!(SAMPLE);
pub(super) const XE2_SAMPLER: &[Request] = sampler!(XE2_SAMPLE);

const GATEWAY_OP: (u32, u32) = (0, 4);

pub(super) const GATEWAY: &[Request] = &[
    request(GATEWAY_OP, 0, "end of thread", &[]),
    request(GATEWAY_OP, 1, "signal event", &[]),
    request(GATEWAY_OP, 2, "monitor event", &[]),
    request(GATEWAY_OP, 3, "stop monitoring", &[]),
    request(GATEWAY_OP, 4, "barrier", &[]),
    request(GATEWAY_OP, 5, "named barrier", &[]),
    request(GATEWAY_OP, 6, "wait for event", &[]),
    request(GATEWAY_OP, 8, "save barrier", &[]),
    request(GATEWAY_OP, 9, "restore barrier", &[]),
    request(GATEWAY_OP, 10, "end of restore", &[]),
    request(GATEWAY_OP, 11, "restore stack", &[]),
    request(GATEWAY_OP, 12, "barrier of system routine", &[]),
];

const RENDER_OP: (u32, u32) = (14, 4);
const RENDER_SIMD: Part = Names(
    8,
    3,
    &[
        "simd16",
        "replicated simd16",
        "dual low simd8",
        "dual high simd8",
        "simd8",
    ],
);
const RENDER_FLAGS: Part = Flags(11, &["high slots", "last target", "each sample"]);

pub(super) const RENDER: &[Request] = &[
    request(
        RENDER_OP,
        12,
        "render target write",
        &[RENDER_SIMD, HALF, RENDER_FLAGS, Surface],
    ),
    request(
        RENDER_OP,
        13,
        "render target read",
        &[RENDER_FLAGS, Surface],
    ),
];

const URB_OP: (u32, u32) = (0, 4);
/// In eight-dword steps.
const URB_OFFSET: Part = Number(4, 11, 8, "offset");
const URB_MASKS: Part = Flags(15, &["channel masks"]);
const URB_SLOTS: Part = Flags(17, &["offsets of slots"]);

pub(super) const URB: &[Request] = &[
    request(
        URB_OP,
        7,
        "dword write",
        &[URB_OFFSET, URB_MASKS, URB_SLOTS],
    ),
    request(URB_OP, 8, "dword read", &[URB_OFFSET, URB_MASKS, URB_SLOTS]),
    request(URB_OP, 9, "fence", &[]),
];

pub(super) const BINDLESS: &[Request] = &[
    request((14, 4), 1, "spawn bindless threads", &[]),
    request((14, 4), 2, "spawn bindless threads beyond the limit", &[]),
];
