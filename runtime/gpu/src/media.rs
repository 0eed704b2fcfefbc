//! Launches before XeHP: `GPGPU_WALKER`, whose threads get their payload from memory (PRM vol. 2a, "GPGPU_WALKER",
//! "MEDIA_VFE_STATE"; vol. 2d, "INTERFACE_DESCRIPTOR_DATA"; vol. 7, "Thread Payload Information").

use kiln_emit::platform::Platform;
use kiln_exec::device::Start;

use super::launch::{Bases, Launch, Scratch, slm_bytes};
use super::record::Arguments;
use super::space::{Fault, Space};

/// Number of dwords of the command.
pub const WALKER_DWORDS: usize = 15;
/// Bytes of an interface descriptor.
const DESCRIPTOR_BYTES: u64 = 32;
/// Unit of lengths of payloads in bytes.
const UNIT: usize = 32;
/// Maximum size of a group's payload: that of the buffer that fixed functions hand payloads to threads in.
const MOST_PAYLOAD: usize = 1 << 20;

/// The launch of a command with [`WALKER_DWORDS`].
pub fn launch(
    c: &[u32],
    space: &Space,
    bases: &Bases,
    platform: &Platform,
) -> Result<Launch, Fault> {
    let descriptor = bases.dynamic + bases.descriptors + u64::from(c[1] & 63) * DESCRIPTOR_BYTES;
    let d: [u32; 8] = space.dwords(descriptor)?;
    let code = u64::from(d[0] & !0x3f) | u64::from(d[1] & 0xffff) << 32;
    let threads = (d[6] & 0x3ff).max(1);
    let own = (d[5] >> 16) as usize * UNIT;
    let common = (d[7] & 0xff) as usize * UNIT;
    let at = bases.indirect + u64::from(c[3] & !0x3f);
    let bytes = common + own * threads as usize;
    if bytes > MOST_PAYLOAD {
        return Err(Fault { at });
    }
    // Data of all threads comes first in memory, and last in registers.
    let mut data = vec![0; bytes];
    space.read(at, &mut data)?;
    let (all, each) = data.split_at(common);
    // The mask on the right is that of the last thread of each row.
    let (simd, columns) = (8 << (c[4] >> 30).min(2), (c[4] & 63) + 1);
    let channels = u32::MAX >> (32 - simd);
    let (scratch_bytes, first) = scratch(bases);
    let start = |number: u32| {
        let mut header = [0; 8];
        header[3] = scratch_bytes.checked_ilog2().map_or(0, |log| log - 10);
        header[4] = d[4] & 0xffe0;
        if platform.barriers > 1 {
            header[2] = threads << 24;
        }
        let own = &each[number as usize * own..][..own];
        Start {
            channels: match (number + 1) % columns {
                0 => channels & c[13],
                _ => channels,
            },
            header,
            payload: [own, all].concat(),
        }
    };
    Ok(Launch {
        code: bases.instruction + code,
        first: [c[5], c[8], c[11]],
        groups: [(7, 5), (10, 8), (12, 11)].map(|(end, first)| c[end].saturating_sub(c[first])),
        threads: (0..threads).map(start).collect(),
        slm: d[6] >> 16 & 31,
        rounding: d[6] >> 22 & 3,
        table: d[4] & 0xffe0,
        samplers: d[3] & !0x1f,
        scratch: Scratch::Memory(scratch_bytes, first),
        arguments: Arguments {
            indirect: at,
            slm: slm_bytes(d[6] >> 16 & 31) as u64,
            ..Arguments::default()
        },
    })
}

/// Size of a thread's scratch space, and the offset of the first thread's from the general state base.
fn scratch(bases: &Bases) -> (u32, u32) {
    let first = bases.scratch & !0x3ff;
    match (first, bases.scratch & 15) {
        (0, 0) => (0, 0),
        (_, log @ 0..=11) => (1024 << log, first as u32),
        _ => (0, 0),
    }
}
