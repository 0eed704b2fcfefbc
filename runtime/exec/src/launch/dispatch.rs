//! A launch as the hardware gets it: groups of threads with their payloads, in a memory.
//!
//! [`super::setup`] makes it from arguments as `.ze_info` says; a device below a driver makes it from the driver's commands.

use kiln_emit::platform::Platform;

use crate::state::memory::{Bindings, Memory};
use crate::state::thread::{Thread, Written};

/// A launch as the hardware gets it.
pub struct Dispatch {
    /// Platform that the code is for.
    pub platform: &'static Platform,
    /// Number of the first group in each dimension.
    pub first: [u32; 3],
    /// Number of groups in each dimension.
    pub groups: [u32; 3],
    /// Threads of each group, in the order of their numbers.
    pub threads: Vec<Start>,
    /// Index of the operation that threads start with.
    pub start: u32,
    /// Size of a thread's scratch space in bytes.
    pub scratch_bytes: u32,
    /// Offset of the first thread's scratch space from [`Dispatch::scratch`], if `r0.5` has a thread's offset: each thread id then has a
    /// space. None if a surface that `r0.5` names has it: each thread of a group then has a space.
    pub scratch_first: Option<u32>,
    /// Size of a group's shared local memory in bytes.
    pub slm: usize,
    /// Memory that messages access.
    pub memory: Memory,
    /// Surfaces and samplers.
    pub bindings: Box<dyn Bindings>,
    /// Origin of 32-bit stateless offsets.
    pub general_state: u64,
    /// Address of the scratch space of all threads; each has [`Dispatch::scratch_bytes`] of it.
    pub scratch: u64,
    /// Bits that are set in `cr0.0` when a thread starts: the float mode.
    pub control: u32,
    /// True if groups that run at once need thread ids of their own: memory by thread id is then not one's own.
    pub own_ids: bool,
    /// Index of the buffer that `printf` writes to, if its text is wanted.
    pub printed: Option<usize>,
    /// Maximum number of instructions.
    pub budget: u64,
}

/// A thread that the hardware has just started.
pub struct Start {
    /// Channels that are on.
    pub channels: u32,
    /// `r0`, without the group's number, the thread's id, and the offset of its scratch space.
    pub header: [u32; 8],
    /// Contents of the registers from `r1` on.
    pub payload: Vec<u8>,
}

impl Dispatch {
    /// Position of the group with a number: x counts first, then y, then z.
    pub(super) fn group(&self, number: u64) -> [u32; 3] {
        let [x, y, _] = self.groups.map(|n| u64::from(n).max(1));
        let inside = [number % x, number / x % y, number / x / y];
        let mut group = self.first;
        for (place, id) in group.iter_mut().zip(inside) {
            *place = place.wrapping_add(id as u32);
        }
        group
    }

    /// Size of the largest payload in the general registers.
    pub(super) fn payload_bytes(&self) -> usize {
        let payloads = self.threads.iter().map(|start| start.payload.len());
        self.platform.grf_bytes as usize + payloads.max().unwrap_or(0)
    }

    /// State of threads that code, which can change the state `written`, and payloads change. Payloads differ: an earlier thread may have had
    /// more registers than the next one starts with.
    pub(super) fn written(&self, written: &Written) -> Written {
        let given = usize::from(self.platform.header_registers) * self.platform.grf_bytes as usize;
        let mut ranges = written.grf.clone();
        ranges.push(0..self.payload_bytes().max(given));
        Written::new(ranges, written.accumulators)
    }

    /// Makes a thread the one with a number in a group that the hardware has just started, on behalf of one of several workers.
    /// It was a thread of this launch, with the state `written` that they change.
    pub(super) fn start(
        &self,
        thread: &mut Thread,
        number: u32,
        group: [u32; 3],
        worker: u32,
        written: &Written,
    ) {
        let Some(start) = self.threads.get(number as usize) else {
            return;
        };
        let first_id = match self.own_ids {
            true => worker * self.threads.len() as u32,
            false => 0,
        };
        let id = first_id + number;
        thread.reset(id, start.channels, written);
        thread.number = number;
        thread.ip = self.start;
        thread.scratch = match self.scratch_first {
            Some(first) => first.wrapping_add(id.wrapping_mul(self.scratch_bytes)),
            None => number * self.scratch_bytes,
        };
        thread.scratch_bytes = self.scratch_bytes;
        thread.start_control(self.control);
        let mut header = start.header;
        [header[1], header[6], header[7]] = group;
        // The id is the index of memory by thread ids; the offset is a multiple of 1,024.
        header[5] |= id;
        if self.scratch_first.is_some() {
            header[5] |= thread.scratch & !0x3ff;
        }
        let header = header.map(u32::to_le_bytes);
        thread.grf[..size_of_val(&header)].copy_from_slice(header.as_flattened());
        let register = self.platform.grf_bytes as usize;
        let room = thread.grf.get_mut(register..).unwrap_or_default();
        let count = start.payload.len().min(room.len());
        room[..count].copy_from_slice(&start.payload[..count]);
    }
}
