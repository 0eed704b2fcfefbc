//! Messages of functions other than memory: sampler, gateway, render targets, URB, thread dispatch.

use super::Part::{Coded, Flags, Mark, Number, Surface};
use super::field::{Flag, Simd, Stream, Value};
use super::{Function, Kind, Part, Quantity, Request, Row, family_messages, row, values};
use crate::platform::Family;

/// A message to the sampler ("Message Type") that uses the state `sampler`. With [`Flag::Half`] result or coordinates
/// have 16 bits.
pub fn sample(kind: Kind, simd: Simd, sampler: u32) -> Request {
    let mut request = Request::new(Function::Sampler, kind).with(Value::Simd(simd));
    request.fields.sampler = Some(sampler);
    request
}

/// "Barrier Msg" to the gateway: the thread has reached its group's barrier. One register, no response.
pub fn barrier() -> Request {
    Request::new(Function::Gateway, Kind::Barrier).lengths(1, 0, 0)
}

/// Bit 4 of a gateway's end of thread: the thread has no URB handle to return.
const NO_URB_HANDLE: u32 = 1 << 4;

/// The message that ends a thread: one register, the thread's header. The spawner takes it before XeHPG, then the
/// gateway.
pub fn end_of_thread(family: Family) -> Request {
    let request = match family_messages(family).thread_end {
        Function::Gateway => Request {
            rest: NO_URB_HANDLE,
            ..Request::new(Function::Gateway, Kind::EndOfThread)
        },
        function => Request::new(function, Kind::DereferenceResource).flag(Flag::NoUrbHandle, true),
    };
    request.lengths(1, 0, 0).ending_thread()
}

/// A sampler row, whose message type has five bits and a sixth apart from them.
const fn sampler_row(code: u32, kind: Kind, parts: &'static [Part]) -> Row {
    Row {
        mask: 0x8001_f000,
        bits: (code & 31) << 12 | (code >> 5) << 31,
        kind,
        parts,
    }
}

/// Bits 17-18, "SIMD Mode".
const SIMD: Part = Coded(17, 2, values!(Simd: S8Integers, S8, S16, S32Or64));
const XE2_SIMD: Part = Coded(17, 2, values!(Simd: S16Integers, S16, S32));
/// Bit 30, "Return Format".
const HALF: Part = Mark(30, Flag::Half);
/// Bits 8-11, "Sampler Index".
const STATE: Part = Number(8, 4, 1, Quantity::Sampler);
/// Bit 29, one of the three bits of "SIMD Mode".
const HALF_PARAMETERS: Part = Mark(29, Flag::HalfParameters);
const SAMPLE: &[Part] = &[SIMD, HALF, HALF_PARAMETERS, STATE, Surface];
const XE2_SAMPLE: &[Part] = &[XE2_SIMD, HALF, STATE, Surface];

/// A media message of the sampler; bits 17-18 tell if it is for 32 or 64 pixels.
const fn media_row(code: u32, kind: Kind) -> Row {
    Row {
        mask: 0x8007_f000,
        bits: code << 12 | 3 << 17,
        kind,
        parts: &[STATE, Surface],
    }
}

macro_rules! sampler {
    ($parts:expr) => {
        &[
            media_row(0x0b, Kind::Sample8x8),
            media_row(0x0c, Kind::SampleUnorm),
            media_row(0x1f, Kind::SamplerFlush),
            sampler_row(0x00, Kind::Sample, $parts),
            sampler_row(0x01, Kind::SampleB, $parts),
            sampler_row(0x02, Kind::SampleL, $parts),
            sampler_row(0x03, Kind::SampleC, $parts),
            sampler_row(0x04, Kind::SampleD, $parts),
            sampler_row(0x05, Kind::SampleBC, $parts),
            sampler_row(0x06, Kind::SampleLC, $parts),
            sampler_row(0x07, Kind::Ld, $parts),
            sampler_row(0x08, Kind::Gather4, $parts),
            sampler_row(0x09, Kind::Lod, $parts),
            sampler_row(0x0a, Kind::Resinfo, $parts),
            sampler_row(0x0b, Kind::Sampleinfo, $parts),
            sampler_row(0x0c, Kind::SampleKillpix, $parts),
            sampler_row(0x10, Kind::Gather4C, $parts),
            sampler_row(0x11, Kind::Gather4Po, $parts),
            sampler_row(0x12, Kind::Gather4PoC, $parts),
            sampler_row(0x14, Kind::SampleDC, $parts),
            sampler_row(0x16, Kind::SampleMin, $parts),
            sampler_row(0x17, Kind::SampleMax, $parts),
            sampler_row(0x18, Kind::SampleLz, $parts),
            sampler_row(0x19, Kind::SampleCLz, $parts),
            sampler_row(0x1a, Kind::LdLz, $parts),
            sampler_row(0x1c, Kind::Ld2dmsW, $parts),
            sampler_row(0x1d, Kind::LdMcs, $parts),
            sampler_row(0x1e, Kind::Ld2dms, $parts),
            sampler_row(0x1f, Kind::Ld2dss, $parts),
        ]
    };
}

pub(super) const SAMPLER: &[Row] = sampler!(SAMPLE);
pub(super) const XE2_SAMPLER: &[Row] = sampler!(XE2_SAMPLE);

const MOTION_OP: (u32, u32) = (13, 2);
/// Bits 15-16.
const STREAM: Part = Coded(15, 2, values!(Stream: None, Out, In, InOut));

/// Video motion estimation, before Gen12.
pub(super) const MOTION: &[Row] = &[
    row(MOTION_OP, 0, Kind::MotionIntra, &[Surface]),
    row(MOTION_OP, 2, Kind::MotionSearch, &[STREAM, Surface]),
];

/// The check and refinement engine, before Gen12.
pub(super) const REFINEMENT: &[Row] = &[
    row(MOTION_OP, 1, Kind::MotionSkip, &[Surface]),
    row(MOTION_OP, 3, Kind::MotionRefine, &[Surface]),
];

const GATEWAY_OP: (u32, u32) = (0, 4);

pub(super) const GATEWAY: &[Row] = &[
    row(GATEWAY_OP, 0, Kind::EndOfThread, &[]),
    row(GATEWAY_OP, 1, Kind::SignalEvent, &[]),
    row(GATEWAY_OP, 2, Kind::MonitorEvent, &[]),
    row(GATEWAY_OP, 3, Kind::StopMonitoring, &[]),
    row(GATEWAY_OP, 4, Kind::Barrier, &[]),
    row(GATEWAY_OP, 5, Kind::NamedBarrier, &[]),
    row(GATEWAY_OP, 6, Kind::WaitForEvent, &[]),
    row(GATEWAY_OP, 8, Kind::SaveBarrier, &[]),
    row(GATEWAY_OP, 9, Kind::RestoreBarrier, &[]),
    row(GATEWAY_OP, 10, Kind::EndOfRestore, &[]),
    row(GATEWAY_OP, 11, Kind::RestoreStack, &[]),
    row(GATEWAY_OP, 12, Kind::BarrierOfSystemRoutine, &[]),
];

/// The end of a thread, a message to the spawner (bits 0-1, "Opcode" and "Requester Type").
pub(super) const SPAWNER: &[Row] = &[row(
    (0, 2),
    0,
    Kind::DereferenceResource,
    &[Flags(4, &[Flag::NoUrbHandle])],
)];

const RENDER_OP: (u32, u32) = (14, 4);
const RENDER_SIMD: Part = Coded(8, 3, values!(Simd: S16, Replicated, DualLow, DualHigh, S8));
const RENDER_FLAGS: Part = Flags(11, &[Flag::HighSlots, Flag::LastTarget, Flag::EachSample]);

pub(super) const RENDER: &[Row] = &[
    row(
        RENDER_OP,
        12,
        Kind::RenderTargetWrite,
        &[RENDER_SIMD, HALF, RENDER_FLAGS, Surface],
    ),
    row(
        RENDER_OP,
        13,
        Kind::RenderTargetRead,
        &[RENDER_FLAGS, Surface],
    ),
];

const URB_OP: (u32, u32) = (0, 4);
/// In steps of eight dwords.
const URB_OFFSET: Part = Number(4, 11, 8, Quantity::Offset);
const URB_MASKS: Part = Flags(15, &[Flag::ChannelMasks]);
const URB_SLOTS: Part = Flags(17, &[Flag::SlotOffsets]);

pub(super) const URB: &[Row] = &[
    row(
        URB_OP,
        7,
        Kind::UrbDwordWrite,
        &[URB_OFFSET, URB_MASKS, URB_SLOTS],
    ),
    row(
        URB_OP,
        8,
        Kind::UrbDwordRead,
        &[URB_OFFSET, URB_MASKS, URB_SLOTS],
    ),
    row(URB_OP, 9, Kind::UrbFence, &[]),
];

pub(super) const BINDLESS: &[Row] = &[
    row((14, 4), 1, Kind::SpawnBindlessThreads, &[]),
    row((14, 4), 2, Kind::SpawnBindlessThreadsBeyondTheLimit, &[]),
];
