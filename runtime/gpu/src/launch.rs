//! Launches, whatever command they come from: groups of threads with payloads, to the executor.

use std::sync::{Arc, LazyLock};

use kiln_exec::device::{Dispatch, Start};
use kiln_exec::{Engine, Options, RunError, Stats};

use super::code::Programs;
use super::device::{Device, SUBSLICES};
use super::record::{self, Arguments};
use super::space::{Fault, SCRATCH, Space};
use super::surfaces::States;

/// Cores that the program may use. The question costs fifteen system calls, more than the rest of an empty launch.
static CORES: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, usize::from));

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
    /// Indirect object base.
    pub indirect: u64,
    /// Instruction base.
    pub instruction: u64,
    /// Base of bindless surfaces.
    pub bindless: u64,
    /// Base of bindless samplers.
    pub bindless_samplers: u64,
    /// The front end's state: since XeHP, the offset of the scratch surface's state from the surface state base; before, the size and
    /// the place of scratch memory. None if 0.
    pub scratch: u64,
    /// Offset of interface descriptors from the dynamic state base.
    pub descriptors: u64,
}

/// Options of all launches.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The engine.
    pub engine: Engine,
    /// True if reads of undefined registers are reported.
    pub check: bool,
    /// True if commands are listed on standard error.
    pub commands: bool,
    /// True if the batch goes on after a launch that fails: drivers of simulators cannot be told that one has.
    pub goes_on: bool,
    /// Maximum number of instructions of a launch.
    pub budget: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            engine: Engine::default(),
            check: false,
            commands: false,
            goes_on: false,
            budget: u64::MAX,
        }
    }
}

/// A launch or a batch that failed.
#[derive(Debug)]
pub enum Failure {
    /// Nothing is bound at an address.
    Fault(Fault),
    /// A thread failed, with the report.
    Run(String),
    /// A batch asks for more than a device would finish, with the reason.
    Endless(&'static str),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Failure {
        Failure::Fault(fault)
    }
}

/// Scratch space of threads.
#[derive(Clone, Copy, Debug)]
pub enum Scratch {
    /// Bytes of a thread, in a surface that the header names.
    Surface(u32),
    /// Bytes of a thread in the driver's memory, and the first thread's offset from the general state base, which the header
    /// has.
    Memory(u32, u32),
}

/// A launch.
pub struct Launch {
    /// Address of the first instruction.
    pub code: u64,
    /// Number of the first group in each dimension.
    pub first: [u32; 3],
    /// Number of groups in each dimension.
    pub groups: [u32; 3],
    /// Threads of each group.
    pub threads: Vec<Start>,
    /// Size of shared local memory by the code in an interface descriptor.
    pub slm: u32,
    /// Float mode by its code in an interface descriptor.
    pub rounding: u32,
    /// Offset of the binding table.
    pub table: u32,
    /// Offset of the samplers from the dynamic state base.
    pub samplers: u32,
    /// Scratch space.
    pub scratch: Scratch,
    /// Places of arguments.
    pub arguments: Arguments,
}

/// Number of threads of an execution unit.
const UNIT_THREADS: u32 = 7;
/// Bytes of shared local memory by the code of their number from 8 on.
const LARGE_SLM: [usize; 4] = [24 << 10, 48 << 10, 96 << 10, 128 << 10];
/// Maximum number of groups: no device ends more of them in a day.
const MOST_GROUPS: u64 = 1 << 40;

/// Bytes of shared local memory by the code of an interface descriptor.
pub fn slm_bytes(code: u32) -> usize {
    match code as usize {
        0 => 0,
        code @ 1..=7 => 512 << code,
        code => LARGE_SLM[(code - 8).min(LARGE_SLM.len() - 1)],
    }
}

impl Launch {
    /// Places of the states that messages name.
    pub fn states(&self, space: &Arc<Space>, bases: &Bases, device: &Device) -> States {
        States {
            space: space.clone(),
            table: bases.tables + u64::from(self.table),
            surfaces: bases.surface,
            bindless: bases.bindless,
            samplers: bases.dynamic + u64::from(self.samplers),
            bindless_samplers: bases.bindless_samplers,
            tiling: device.tiling,
        }
    }

    /// Executes all groups.
    pub fn run(
        self,
        space: &Arc<Space>,
        bases: &Bases,
        programs: &mut Programs,
        device: &Device,
        options: &Options,
        budget: u64,
    ) -> Result<Stats, Failure> {
        let platform = device.platform();
        let groups = self.groups.iter().map(|&n| u64::from(n));
        let all = groups.fold(1, u64::saturating_mul);
        if all > MOST_GROUPS {
            return Err(Failure::Endless("a launch of too many groups"));
        }
        let code = self.code;
        let program = programs.at(space, (bases.instruction, code), platform)?;
        let threads = self.threads.len() as u32;
        let general_state = space.canonical(bases.general);
        let states = self.states(space, bases, device);
        let (scratch, scratch_bytes, scratch_first) = match self.scratch {
            Scratch::Surface(bytes) => (SCRATCH, bytes, None),
            Scratch::Memory(bytes, first) => (general_state, bytes, Some(first)),
        };
        let own = match self.scratch {
            Scratch::Surface(bytes) => bytes as usize * threads as usize,
            Scratch::Memory(..) => 0,
        };
        let slm = slm_bytes(self.slm);
        let dispatch = Dispatch {
            platform,
            first: self.first,
            groups: self.groups,
            threads: self.threads,
            start: 0,
            scratch_bytes,
            scratch_first,
            slm,
            memory: space.memory(own),
            bindings: Box::new(states),
            general_state,
            scratch,
            control: self.rounding << 4,
            own_ids: true,
            printed: None,
            budget,
        };
        // Memory by thread ids is as large as the device has threads.
        let most = SUBSLICES * device.units * UNIT_THREADS / threads.max(1);
        let options = Options {
            threads: CORES.min(most.max(1) as usize),
            ..*options
        };
        let result = dispatch.run(&program, &options);
        result.map_err(|error| {
            let at = match &error {
                RunError::Exec(error) => Some(error.ip),
                _ => None,
            };
            Failure::Run(match record::place(space, code, at) {
                Some(place) => format!("{place}: {error}"),
                None => error.to_string(),
            })
        })
    }
}
