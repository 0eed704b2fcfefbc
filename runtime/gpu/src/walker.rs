//! Launches since XeHP: `COMPUTE_WALKER` with its interface descriptor (PRM vol. 2a, "COMPUTE_WALKER"; vol. 2d,
//! "INTERFACE_DESCRIPTOR_DATA").

use kiln_emit::platform::Platform;
use kiln_exec::device::{SCRATCH_STATE, Start, write_local_ids};

use super::launch::{Bases, Launch, Scratch, slm_bytes};
use super::record::Arguments;
use super::space::Space;

/// Number of dwords of the command before Xe2. Its interface descriptor starts one dword earlier.
const SHORT: usize = 39;
/// Type of a surface with scratch space.
const SCRATCH_SURFACE: u32 = 6;
/// Dimensions by the code of their order, the one that changes fastest first.
const WALKS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// A decoded command.
pub struct Walker<'a> {
    words: &'a [u32],
    descriptor: &'a [u32],
    /// The store after the last thread: an operation, an address, and a value.
    post: &'a [u32],
}

impl<'a> Walker<'a> {
    /// The command with its dwords; none if there are too few.
    pub fn new(words: &'a [u32]) -> Option<Walker<'a>> {
        let first = match words.len() {
            SHORT => 18,
            40.. => 19,
            _ => return None,
        };
        Some(Walker {
            words,
            descriptor: &words[first..first + 8],
            post: &words[first + 8..first + 13],
        })
    }

    /// The operation after the last thread, with its address and its value.
    pub fn post(&self) -> (u32, u64, u64) {
        let pair = |at: usize| u64::from(self.post[at]) | u64::from(self.post[at + 1]) << 32;
        (self.post[0] & 3, pair(1), pair(3))
    }

    /// True if clocks that are stored have 64 bits: since Xe2.
    pub fn wide_clock(&self) -> bool {
        self.words.len() > SHORT
    }

    fn simd(&self, platform: &Platform) -> u32 {
        // Registers of 64 bytes have no SIMD8.
        let least = platform.grf_bytes / 4;
        let simd = match self.words[4] >> 30 {
            0 => 8,
            1 => 16,
            _ => 32,
        };
        simd.max(least)
    }

    /// The launch.
    pub fn launch(&self, space: &Space, bases: &Bases, platform: &Platform) -> Launch {
        let (words, descriptor) = (self.words, self.descriptor);
        let threads = (descriptor[5] & 0x3ff).max(1);
        let starts = (0..threads).map(|number| self.start(platform, number, threads));
        Launch {
            code: bases.instruction + u64::from(descriptor[0] & !0x3f),
            first: [words[10], words[11], words[12]],
            // The command has the number after the last group's.
            groups: [0, 1, 2].map(|axis| words[7 + axis].saturating_sub(words[10 + axis])),
            threads: starts.collect(),
            slm: descriptor[5] >> 16 & 31,
            rounding: descriptor[5] >> 22 & 3,
            table: descriptor[4] & 0x1f_ffe0,
            samplers: descriptor[3] & !0x1f,
            scratch: Scratch::Surface(scratch(space, bases)),
            arguments: Arguments {
                inline: self.inline().unwrap_or_default(),
                indirect: bases.general + u64::from(words[3] & !0x3f),
                local: (words[4] >> 29 & 1 != 0).then(|| self.local()),
                slm: slm_bytes(descriptor[5] >> 16 & 31) as u64,
            },
        }
    }

    /// Work-items of a group in each dimension.
    fn local(&self) -> [u32; 3] {
        [0, 10, 20].map(|low| (self.words[6] >> low & 0x3ff) + 1)
    }

    /// Inline data, if threads are given any.
    fn inline(&self) -> Option<Vec<u8>> {
        let words = &self.words[self.words.len() - 8..];
        let is_given = self.words[4] >> 25 & 1 != 0;
        is_given.then(|| words.iter().flat_map(|dword| dword.to_le_bytes()).collect())
    }

    /// A thread with its header, local ids and inline data.
    fn start(&self, platform: &Platform, number: u32, threads: u32) -> Start {
        let words = self.words;
        let simd = self.simd(platform);
        let last = number + 1 == threads;
        let all = u32::MAX >> (32 - simd);
        let mut header = [0; 8];
        header[0] = words[3] & !0x3f;
        header[2] = number | threads << 24;
        header[4] = self.descriptor[4];
        header[5] = SCRATCH_STATE;
        let row = (simd as usize * 2).next_multiple_of(platform.grf_bytes as usize);
        let walk = WALKS[(words[4] >> 22 & 7) as usize % WALKS.len()];
        let mut ids = vec![0; 3 * row];
        write_local_ids(&mut ids, row, self.local(), walk, number * simd, simd);
        let mut payload = Vec::new();
        for (ids, bit) in ids.chunks_exact(row).zip(26..) {
            if words[4] >> bit & 1 != 0 {
                payload.extend(ids);
            }
        }
        payload.extend(self.inline().unwrap_or_default());
        Start {
            channels: if last { words[5] & all } else { all },
            header,
            payload,
        }
    }
}

/// Size of a thread's scratch space: the pitch of the scratch surface.
fn scratch(space: &Space, bases: &Bases) -> u32 {
    let state = (bases.scratch != 0)
        .then(|| space.dwords::<4>(bases.surface + bases.scratch).ok())
        .flatten();
    match state {
        Some(state) if state[0] >> 29 == SCRATCH_SURFACE => (state[3] & 0x3ffff) + 1,
        _ => 0,
    }
}
