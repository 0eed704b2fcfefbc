//! Launches: `COMPUTE_WALKER` and its interface descriptor to threads with payloads (PRM vol. 2a, "COMPUTE_WALKER"; vol. 2d,
//! "INTERFACE_DESCRIPTOR_DATA").

use std::sync::Arc;

use kiln_emit::platform::Platform;
use kiln_exec::device::{Dispatch, SCRATCH_STATE, Start, write_local_ids};
use kiln_exec::{Engine, Options, RunError, Stats};

use super::code::Programs;
use super::device::{Device, SUBSLICES};
use super::space::{Fault, SCRATCH, Space, canonical};
use super::surfaces::States;

/// State that launches use, set by earlier commands.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bases {
    /// General state base.
    pub general: u64,
    /// Surface state base.
    pub surface: u64,
    /// Base of binding tables.
    pub tables: u64,
    /// Dynamic state base.
    pub dynamic: u64,
    /// Instruction base.
    pub instruction: u64,
    /// Base of bindless surfaces.
    pub bindless: u64,
    /// Base of bindless samplers.
    pub bindless_samplers: u64,
    /// Offset of the scratch surface's state from the surface state base; none if 0.
    pub scratch: u64,
}

/// Options of all launches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// The engine.
    pub engine: Engine,
    /// True if reads of undefined registers are reported.
    pub check: bool,
    /// True if commands are listed on standard error.
    pub commands: bool,
}

/// A launch that failed.
#[derive(Debug)]
pub enum Failure {
    /// Nothing is bound at an address.
    Fault(Fault),
    /// A thread failed.
    Run(Box<RunError>),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        Failure::Fault(fault)
    }
}

/// Number of dwords of the command before Xe2. Its interface descriptor starts one dword earlier.
const SHORT: usize = 39;
/// Bytes of shared local memory by the code of their number from 8 on.
const LARGE_SLM: [usize; 4] = [24 << 10, 48 << 10, 96 << 10, 128 << 10];
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
/// Number of threads of an execution unit.
const UNIT_THREADS: u32 = 8;

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

    /// Address of the first instruction.
    fn code(&self, bases: &Bases) -> u64 {
        bases.instruction + u64::from(self.descriptor[0] & !0x3f)
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

    fn slm(&self) -> usize {
        match (self.descriptor[5] >> 16 & 31) as usize {
            0 => 0,
            code @ 1..=7 => 512 << code,
            code => LARGE_SLM[(code - 8).min(LARGE_SLM.len() - 1)],
        }
    }

    /// Executes all groups.
    pub fn run(
        &self,
        space: &Arc<Space>,
        bases: &Bases,
        programs: &mut Programs,
        device: &Device,
        settings: Settings,
    ) -> Result<Stats, Failure> {
        let platform = device.platform();
        let program = programs.at(space, self.code(bases), platform)?;
        let words = self.words;
        let threads = (self.descriptor[5] & 0x3ff).max(1);
        let scratch_bytes = scratch(space, bases);
        let starts = (0..threads).map(|number| self.start(platform, number, threads));
        let dispatch = Dispatch {
            platform,
            first: [words[10], words[11], words[12]],
            groups: [words[7], words[8], words[9]],
            threads: starts.collect(),
            start: 0,
            scratch_bytes,
            slm: self.slm(),
            memory: space.memory(scratch_bytes as usize * threads as usize),
            bindings: Box::new(States {
                space: space.clone(),
                table: bases.tables + u64::from(self.descriptor[4] & 0x1f_ffe0),
                surfaces: bases.surface,
                bindless: bases.bindless,
                samplers: bases.dynamic + u64::from(self.descriptor[3] & !0x1f),
                bindless_samplers: bases.bindless_samplers,
                wide: platform.grf_bytes == 64,
            }),
            general_state: canonical(bases.general),
            scratch: SCRATCH,
            control: (self.descriptor[5] >> 22 & 3) << 4,
            own_ids: true,
            budget: u64::MAX,
        };
        // Memory by thread ids is as large as the device has threads.
        let most = SUBSLICES * device.units * UNIT_THREADS / threads;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let options = Options {
            threads: cores.min(most.max(1) as usize),
            check: settings.check,
            engine: settings.engine,
            ..Options::default()
        };
        let result = dispatch.run(&program, &options);
        result.map_err(|error| Failure::Run(Box::new(error)))
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
        header[5] = number | SCRATCH_STATE;
        let row = (simd as usize * 2).next_multiple_of(platform.grf_bytes as usize);
        let local = [0, 10, 20].map(|low| (words[6] >> low & 0x3ff) + 1);
        let walk = WALKS[(words[4] >> 22 & 7) as usize % WALKS.len()];
        let mut ids = vec![0; 3 * row];
        write_local_ids(&mut ids, row, local, walk, number * simd, simd);
        let mut payload = Vec::new();
        for (ids, bit) in ids.chunks_exact(row).zip(26..) {
            if words[4] >> bit & 1 != 0 {
                payload.extend(ids);
            }
        }
        if words[4] >> 25 & 1 != 0 {
            let inline = &words[words.len() - 8..];
            payload.extend(inline.iter().flat_map(|dword| dword.to_le_bytes()));
        }
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
