//! The kernel driver's interface, answered in the process: Linux's `xe_drm.h`, and the calls of all graphics drivers (`drm.h`).
//!
//! Buffer objects are ranges of one file in memory, whose descriptors programs get when they open the device: their own `mmap`
//! then works, and the device has the whole file mapped. Each queue has a thread that executes its batches in their order.

#![expect(
    unsafe_code,
    reason = "a program passes structures and memory by address"
)]

use std::collections::HashMap;
use std::os::fd::{AsRawFd, OwnedFd};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, RwLock};
use std::thread::JoinHandle;
use std::time::Duration;

use memmap2::{MmapOptions, MmapRaw};
use nix::errno::Errno;
use nix::libc;

use super::device::{Device, SUBSLICES};
use super::launch::{Failure, Settings};
use super::report;
use super::space::Space;
use super::stream::{CLOCK, Streamer, ticks};

/// Size of the file with all buffer objects.
const MEMORY: u64 = 1 << 36;
/// Alignment of buffer objects in the file.
const PAGE: u64 = 1 << 16;
/// Alignment of memory of the system.
const SYSTEM_PAGE: u64 = 1 << 12;
/// Size of the system's memory that the device says there is.
const TOLD_MEMORY: u64 = 16 << 30;
/// First of the numbers of a driver's own calls.
const OWN: u32 = 0x40;

/// The kernel driver of one device.
pub struct Xe {
    device: &'static Device,
    settings: Settings,
    file: OwnedFd,
    map: MmapRaw,
    state: Mutex<State>,
}

/// Objects by their numbers.
#[derive(Default)]
struct State {
    last: u32,
    /// End of the last buffer object in the file.
    top: u64,
    objects: HashMap<u32, (u64, u64)>,
    spaces: HashMap<u32, Arc<RwLock<Arc<Space>>>>,
    queues: HashMap<u32, Queue>,
    syncs: HashMap<u32, Arc<Sync>>,
}

impl State {
    fn number(&mut self) -> u32 {
        self.last += 1;
        self.last
    }
}

/// A synchronization object: true if it has been signaled.
#[derive(Default)]
struct Sync {
    signaled: Mutex<bool>,
    changed: Condvar,
}

impl Sync {
    fn set(&self, signaled: bool) {
        *self.signaled.lock().unwrap_or_else(|e| e.into_inner()) = signaled;
        self.changed.notify_all();
    }

    /// Waits until it is signaled; false after the time.
    fn wait(&self, time: Duration) -> bool {
        let signaled = self.signaled.lock().unwrap_or_else(|e| e.into_inner());
        let waited = self
            .changed
            .wait_timeout_while(signaled, time, |signaled| !*signaled);
        *waited.unwrap_or_else(|e| e.into_inner()).0
    }
}

/// A queue of batches, executed by a thread of its own.
struct Queue {
    space: Arc<RwLock<Arc<Space>>>,
    jobs: Sender<Job>,
    banned: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Queue {
    /// Waits until the thread accesses no memory of the program any longer.
    fn end(self) {
        self.stop.store(true, Relaxed);
        drop(self.jobs);
        // A thread that has panicked has ended, too.
        let _ = self.thread.join();
    }
}

struct Job {
    batch: u64,
    after: Vec<Arc<Sync>>,
    signals: Vec<Signal>,
}

enum Signal {
    Sync(Arc<Sync>),
    /// A number at an address of the device or, without one, of the process.
    Fence {
        at: u64,
        value: u64,
        own: bool,
    },
}

/// Fields of a call's structure, by their offsets in bytes.
struct Fields<'a>(&'a mut [u8]);

impl Fields<'_> {
    fn u16(&self, at: usize) -> u16 {
        self.0
            .get(at..at + 2)
            .map_or(0, |b| u16::from_le_bytes([b[0], b[1]]))
    }

    fn u32(&self, at: usize) -> u32 {
        u32::from(self.u16(at)) | u32::from(self.u16(at + 2)) << 16
    }

    fn u64(&self, at: usize) -> u64 {
        u64::from(self.u32(at)) | u64::from(self.u32(at + 4)) << 32
    }

    fn set(&mut self, at: usize, bytes: &[u8]) {
        if let Some(place) = self.0.get_mut(at..at + bytes.len()) {
            place.copy_from_slice(bytes);
        }
    }

    fn set_u32(&mut self, at: usize, value: u32) {
        self.set(at, &value.to_le_bytes());
    }

    fn set_u64(&mut self, at: usize, value: u64) {
        self.set(at, &value.to_le_bytes());
    }
}

/// Copies memory of the process.
fn peek(at: u64, len: usize) -> Result<Vec<u8>, Errno> {
    if at == 0 {
        return Err(Errno::EFAULT);
    }
    // SAFETY: the program has passed the address of so many bytes, as it does to a kernel.
    Ok(unsafe { std::slice::from_raw_parts(at as *const u8, len) }.to_vec())
}

/// Copies to memory of the process.
fn poke(at: u64, bytes: &[u8]) -> Result<(), Errno> {
    if at == 0 {
        return Err(Errno::EFAULT);
    }
    // SAFETY: as `peek`.
    unsafe { std::slice::from_raw_parts_mut(at as *mut u8, bytes.len()) }.copy_from_slice(bytes);
    Ok(())
}

/// Bytes of the structures of synchronization and of bindings.
const SYNC_BYTES: usize = 48;
const BIND_BYTES: usize = 80;
/// Maximum number of such structures of a call.
const MOST: u32 = 1024;

impl Xe {
    /// The kernel driver of a device.
    ///
    /// # Errors
    /// There is no memory.
    pub fn new(device: &'static Device, settings: Settings) -> Result<Xe, std::io::Error> {
        let file =
            nix::sys::memfd::memfd_create(c"kiln-gpu", nix::sys::memfd::MFdFlags::MFD_CLOEXEC)?;
        nix::unistd::ftruncate(&file, MEMORY as i64)?;
        let map = MmapOptions::new()
            .len(MEMORY as usize)
            .no_reserve_swap()
            .map_raw(&file)?;
        Ok(Xe {
            device,
            settings,
            file,
            map,
            state: Mutex::default(),
        })
    }

    /// A new descriptor of the device.
    pub fn open(&self) -> Result<OwnedFd, Errno> {
        self.file
            .try_clone()
            .map_err(|e| Errno::from_raw(e.raw_os_error().unwrap_or(libc::EMFILE)))
    }

    /// True if a descriptor is one of the device.
    pub fn has(&self, fd: i32) -> bool {
        let status = |fd: i32| {
            // SAFETY: all zeros are a status.
            let mut status: libc::stat = unsafe { std::mem::zeroed() };
            // SAFETY: the place is a status.
            (unsafe { libc::fstat(fd, &mut status) } == 0).then_some((status.st_dev, status.st_ino))
        };
        fd >= 0 && status(fd).is_some_and(|found| status(self.file.as_raw_fd()) == Some(found))
    }

    /// Answers a call.
    ///
    /// # Errors
    /// The number that the call leaves in `errno`.
    ///
    /// # Safety
    /// `argument` is the address of the structure of `request`, and so are the addresses in it, as a kernel expects them.
    pub unsafe fn call(&self, request: u64, argument: *mut u8) -> Result<(), Errno> {
        let bytes = (request >> 16 & 0x3fff) as usize;
        let number = (request & 0xff) as u32;
        if argument.is_null() {
            return Err(Errno::EFAULT);
        }
        // SAFETY: the caller's; nobody else has the structure during a call.
        let mut fields = Fields(unsafe { std::slice::from_raw_parts_mut(argument, bytes) });
        match number.checked_sub(OWN) {
            Some(number @ 0..0x60) => self.own(number, &mut fields),
            _ => self.common(number, &mut fields),
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|e| e.into_inner())
    }

    /// Calls of all graphics drivers.
    fn common(&self, number: u32, f: &mut Fields) -> Result<(), Errno> {
        match number {
            // VERSION
            0x00 => {
                f.set_u32(0, 1);
                f.set_u32(4, 1);
                if f.u64(16) >= 2 && f.u64(24) != 0 {
                    poke(f.u64(24), b"xe")?;
                }
                f.set_u64(16, 2);
                f.set_u64(32, 0);
                f.set_u64(48, 0);
                Ok(())
            }
            // GEM_CLOSE; the room in the file goes back to the system.
            0x09 => {
                if let Some((at, len)) = self.state().objects.remove(&f.u32(0)) {
                    self.release(at, len);
                }
                Ok(())
            }
            // GET_CAP
            0x0c => {
                f.set_u64(8, 0);
                Ok(())
            }
            // SYNCOBJ_CREATE, with the flag that it is signaled.
            0xbf => {
                let sync = Arc::new(Sync::default());
                sync.set(f.u32(4) & 1 != 0);
                let mut state = self.state();
                let number = state.number();
                state.syncs.insert(number, sync);
                f.set_u32(0, number);
                Ok(())
            }
            // SYNCOBJ_DESTROY
            0xc0 => {
                self.state().syncs.remove(&f.u32(0));
                Ok(())
            }
            // SYNCOBJ_WAIT for all or one
            0xc3 => {
                let deadline = f.u64(8) as i64;
                let handles = peek(f.u64(0), f.u32(16).min(MOST) as usize * 4)?;
                for handle in handles.as_chunks().0 {
                    let sync = self.sync(u32::from_le_bytes(*handle))?;
                    if !sync.wait(until(deadline)) {
                        return Err(Errno::ETIME);
                    }
                }
                Ok(())
            }
            // SYNCOBJ_RESET, SYNCOBJ_SIGNAL
            0xc4 | 0xc5 => {
                let handles = peek(f.u64(0), f.u32(8).min(MOST) as usize * 4)?;
                for handle in handles.as_chunks().0 {
                    self.sync(u32::from_le_bytes(*handle))?.set(number == 0xc5);
                }
                Ok(())
            }
            _ => {
                report::unknown(format_args!(
                    "call {number:#x} of the graphics driver is not implemented"
                ));
                Err(Errno::EINVAL)
            }
        }
    }

    fn sync(&self, handle: u32) -> Result<Arc<Sync>, Errno> {
        self.state()
            .syncs
            .get(&handle)
            .cloned()
            .ok_or(Errno::ENOENT)
    }

    /// Calls of this driver.
    fn own(&self, number: u32, f: &mut Fields) -> Result<(), Errno> {
        match number {
            0x00 => self.query(f),
            // GEM_CREATE
            0x01 => {
                let len = f.u64(8);
                let mut state = self.state();
                let at = state.top.next_multiple_of(PAGE);
                if len == 0 || len > MEMORY - at {
                    return Err(Errno::ENOMEM);
                }
                state.top = at + len;
                let number = state.number();
                state.objects.insert(number, (at, len));
                f.set_u32(28, number);
                Ok(())
            }
            // GEM_MMAP_OFFSET
            0x02 => {
                let &(at, _) = self.state().objects.get(&f.u32(8)).ok_or(Errno::ENOENT)?;
                f.set_u64(16, at);
                Ok(())
            }
            // VM_CREATE
            0x03 => {
                let mut state = self.state();
                let number = state.number();
                let space = Space::new(self.device.address_bits);
                state
                    .spaces
                    .insert(number, Arc::new(RwLock::new(Arc::new(space))));
                f.set_u32(12, number);
                Ok(())
            }
            // VM_DESTROY
            0x04 => {
                self.state().spaces.remove(&f.u32(0));
                Ok(())
            }
            0x05 => self.bind(f),
            0x06 => self.create_queue(f),
            // EXEC_QUEUE_DESTROY
            0x07 => {
                let queue = self.state().queues.remove(&f.u32(0));
                if let Some(queue) = queue {
                    queue.end();
                }
                Ok(())
            }
            // EXEC_QUEUE_GET_PROPERTY: banned or not
            0x08 => {
                let banned = self.banned(f.u32(8));
                f.set_u64(16, banned.into());
                Ok(())
            }
            0x09 => self.execute(f),
            0x0a => self.wait(f),
            _ => {
                report::unknown(format_args!("call {number:#x} of xe is not implemented"));
                Err(Errno::EINVAL)
            }
        }
    }

    fn banned(&self, queue: u32) -> bool {
        let state = self.state();
        state
            .queues
            .get(&queue)
            .is_some_and(|queue| queue.banned.load(Relaxed))
    }

    fn query(&self, f: &mut Fields) -> Result<(), Errno> {
        let answer = self.answer(f.u32(8), f)?;
        let room = f.u32(12) as usize;
        f.set_u32(12, answer.len() as u32);
        match room {
            0 => Ok(()),
            room if room < answer.len() => Err(Errno::EINVAL),
            _ => poke(f.u64(16), &answer),
        }
    }

    /// The answer to a query.
    fn answer(&self, query: u32, f: &Fields) -> Result<Vec<u8>, Errno> {
        let mut out = Out::default();
        match query {
            // ENGINES: render, compute, copy
            0 => {
                out.u32(&[3, 0]);
                for class in [0, 4, 1] {
                    out.u16(&[class, 0, 0, 0]).u64(&[0; 3]);
                }
            }
            // MEM_REGIONS: that of the system, and the device's own, all of which programs can map
            1 => {
                let local = self.device.local;
                out.u32(&[1 + u32::from(local != 0), 0]);
                out.u16(&[0, 0]).u32(&[SYSTEM_PAGE as u32]);
                out.u64(&[TOLD_MEMORY, 0, 0, 0]).u64(&[0; 6]);
                if local != 0 {
                    out.u16(&[1, 1]).u32(&[PAGE as u32]);
                    out.u64(&[local, 0, local, 0]).u64(&[0; 6]);
                }
            }
            // CONFIG: revision and device, flags, alignment, bits of addresses, highest priority
            2 => {
                let local = self.device.local != 0;
                let page = if local { PAGE } else { SYSTEM_PAGE };
                let id = self.device.id | self.device.revision << 16;
                let bits = self.device.address_bits;
                out.u32(&[5, 0])
                    .u64(&[id.into(), local.into(), page, bits.into(), 2]);
            }
            // GT_LIST
            3 => {
                let (ip, revision) = self.device.ip;
                // The region that is near: by its number's bit.
                let near = 1 << u32::from(self.device.local != 0);
                out.u32(&[1, 0]).u16(&[0; 6]).u32(&[CLOCK]).u64(&[near, 1]);
                out.u16(&[ip / 100, ip % 100, revision, 0]).u64(&[0; 7]);
            }
            // HWCONFIG
            4 => {
                out.u32(&self.device.configuration());
            }
            // GT_TOPOLOGY: subslices for geometry and compute, banks of the cache, units of a subslice
            5 => {
                let units = u32::MAX >> (32 - self.device.units);
                let all = u32::MAX >> (32 - SUBSLICES);
                for (kind, mask) in [
                    (1, all),
                    (2, all),
                    (3, 0xff),
                    (self.device.units_mask, units),
                ] {
                    out.u16(&[0, kind]).u32(&[8, mask, 0]);
                }
            }
            // ENGINE_CYCLES: the clock
            6 => {
                let mut now = libc::timespec {
                    tv_sec: 0,
                    tv_nsec: 0,
                };
                let given = peek(f.u64(16), 12).unwrap_or_default();
                let clock = given
                    .get(8..12)
                    .map_or(0, |b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]));
                // SAFETY: the place is a time.
                unsafe { libc::clock_gettime(clock, &mut now) };
                out.0.extend(given.get(..12).unwrap_or(&[0; 12]));
                out.u32(&[36]);
                let now = now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64;
                out.u64(&[ticks(), now, 1]);
            }
            query => {
                report::unknown(format_args!("query {query} of xe is not implemented"));
                return Err(Errno::EINVAL);
            }
        }
        Ok(out.0)
    }

    fn bind(&self, f: &Fields) -> Result<(), Errno> {
        let count = f.u32(20);
        let operations = match count {
            1 => f.0.get(24..24 + BIND_BYTES).ok_or(Errno::EINVAL)?.to_vec(),
            2..=MOST => peek(f.u64(24), count as usize * BIND_BYTES)?,
            _ => Vec::new(),
        };
        let state = self.state();
        let space = state.spaces.get(&f.u32(8)).cloned().ok_or(Errno::ENOENT)?;
        let mut held = space.write().unwrap_or_else(|e| e.into_inner());
        let bound = Arc::make_mut(&mut held);
        for operation in operations.chunks_exact(BIND_BYTES) {
            let mut operation = operation.to_vec();
            let b = Fields(&mut operation);
            let (offset, len, at) = (b.u64(16), b.u64(24), b.u64(32));
            if [offset, len, at]
                .iter()
                .any(|number| !number.is_multiple_of(SYSTEM_PAGE))
                || len > 1 << self.device.address_bits
            {
                return Err(Errno::EINVAL);
            }
            const NULL: u32 = 1 << 2;
            let host = match b.u32(40) {
                0 if b.u32(44) & NULL != 0 => None,
                0 => {
                    let &(start, size) = state.objects.get(&b.u32(8)).ok_or(Errno::ENOENT)?;
                    if offset
                        .checked_add(len)
                        .is_none_or(|end| end > size.next_multiple_of(PAGE))
                    {
                        return Err(Errno::EINVAL);
                    }
                    NonNull::new(
                        self.map
                            .as_mut_ptr()
                            .wrapping_add((start + offset) as usize),
                    )
                }
                2 => NonNull::new(offset as *mut u8),
                1 => None,
                _ => continue,
            };
            match host {
                // SAFETY: the file stays mapped; a program keeps memory of its own that it has bound, as it does for a kernel.
                Some(host) => unsafe { bound.bind(at, len, host) },
                None => bound.unbind(at, len),
            }
        }
        drop(held);
        drop(state);
        for signal in self.syncs(f.u64(112), f.u32(108), true)?.1 {
            signal.send(&Space::new(self.device.address_bits));
        }
        Ok(())
    }

    /// Objects that a call waits for, and signals that it sends. `own`: fences are at addresses of the process.
    fn syncs(
        &self,
        at: u64,
        count: u32,
        own: bool,
    ) -> Result<(Vec<Arc<Sync>>, Vec<Signal>), Errno> {
        let (mut after, mut signals) = (Vec::new(), Vec::new());
        if count == 0 {
            return Ok((after, signals));
        }
        let mut all = peek(at, count.min(MOST) as usize * SYNC_BYTES)?;
        for one in all.chunks_exact_mut(SYNC_BYTES) {
            let s = Fields(one);
            match (s.u32(8), s.u32(12) & 1 != 0) {
                (0 | 1, true) => signals.push(Signal::Sync(self.sync(s.u32(16))?)),
                (0 | 1, false) => after.push(self.sync(s.u32(16))?),
                (2, true) => signals.push(Signal::Fence {
                    at: s.u64(16),
                    value: s.u64(24),
                    own,
                }),
                _ => return Err(Errno::EINVAL),
            }
        }
        Ok((after, signals))
    }

    fn create_queue(&self, f: &mut Fields) -> Result<(), Errno> {
        let mut state = self.state();
        let space = state.spaces.get(&f.u32(12)).cloned().ok_or(Errno::ENOENT)?;
        let (jobs, inbox) = channel::<Job>();
        let stop = Arc::<AtomicBool>::default();
        // The ban is that of all queues of an address space: the driver asks for that of the queue that it waits for, as
        // of copies after a kernel.
        let same = |queue: &&Queue| Arc::ptr_eq(&queue.space, &space);
        let other = state.queues.values().find(same);
        let banned = other.map_or_else(Default::default, |queue| queue.banned.clone());
        let (queue_space, queue_banned, queue_stop) = (space.clone(), banned.clone(), stop.clone());
        let mut streamer = Streamer::new(self.device, self.settings);
        streamer.ban = Some(banned.clone());
        let work = move || {
            let now = || space.read().unwrap_or_else(|e| e.into_inner()).clone();
            let serve = || -> Result<(), Failure> {
                for job in inbox {
                    for sync in &job.after {
                        while !sync.wait(Duration::from_millis(100)) && !stop.load(Relaxed) {}
                    }
                    streamer.run(job.batch, &now, &stop)?;
                    job.signals.iter().for_each(|signal| signal.send(&now()));
                }
                Ok(())
            };
            // A thread that panics must not leave a queue that programs wait for.
            match catch_unwind(AssertUnwindSafe(serve)) {
                Ok(Ok(())) => return,
                Ok(Err(failure)) => tell(&failure),
                Err(_) => report::fault("an internal error of the device"),
            }
            banned.store(true, Relaxed);
        };
        let thread = std::thread::Builder::new().name("kiln-gpu".into());
        let thread = thread.spawn(work).map_err(|_| Errno::EAGAIN)?;
        let queue = Queue {
            space: queue_space,
            jobs,
            banned: queue_banned,
            stop: queue_stop,
            thread,
        };
        let number = state.number();
        state.queues.insert(number, queue);
        f.set_u32(20, number);
        Ok(())
    }

    fn execute(&self, f: &Fields) -> Result<(), Errno> {
        let (after, signals) = self.syncs(f.u64(16), f.u32(12), false)?;
        let state = self.state();
        let queue = state.queues.get(&f.u32(8)).ok_or(Errno::ENOENT)?;
        if f.u16(32) == 0 {
            let now = queue
                .space
                .read()
                .unwrap_or_else(|e| e.into_inner())
                .clone();
            signals.iter().for_each(|signal| signal.send(&now));
            return Ok(());
        }
        let job = Job {
            batch: f.u64(24),
            after,
            signals,
        };
        match queue.banned.load(Relaxed) {
            true => Err(Errno::ECANCELED),
            false => queue.jobs.send(job).map_err(|_| Errno::ECANCELED),
        }
    }

    /// Waits until a number in the process's memory compares.
    fn wait(&self, f: &Fields) -> Result<(), Errno> {
        let (at, value, mask) = (f.u64(8), f.u64(24), f.u64(32));
        let timeout = f.u64(40) as i64;
        let deadline = match f.u16(18) & 1 {
            0 if timeout < 0 => i64::MAX,
            0 => clock().saturating_add(timeout),
            _ => timeout,
        };
        let queue = f.u32(48);
        let mut tries = 0u32;
        loop {
            let now = peek(at, 8)?;
            let now = now
                .as_chunks()
                .0
                .first()
                .map_or(0, |b| u64::from_le_bytes(*b))
                & mask;
            let given = value & mask;
            let holds = match f.u16(16) {
                0 => now == given,
                1 => now != given,
                2 => now > given,
                3 => now >= given,
                4 => now < given,
                _ => now <= given,
            };
            if holds {
                return Ok(());
            }
            if queue != 0 && self.banned(queue) {
                return Err(Errno::EIO);
            }
            if clock() >= deadline {
                return Err(Errno::ETIME);
            }
            tries = tries.saturating_add(1);
            match tries {
                0..200 => std::thread::yield_now(),
                _ => std::thread::sleep(Duration::from_micros(20)),
            }
        }
    }

    /// Gives the memory of a buffer object back to the system.
    fn release(&self, at: u64, len: u64) {
        let end = (at + len).min(MEMORY);
        let flags = nix::fcntl::FallocateFlags::FALLOC_FL_PUNCH_HOLE
            | nix::fcntl::FallocateFlags::FALLOC_FL_KEEP_SIZE;
        let _ = nix::fcntl::fallocate(&self.file, flags, at as i64, (end - at) as i64);
    }
}

impl Signal {
    fn send(&self, space: &Space) {
        match self {
            Signal::Sync(sync) => sync.set(true),
            Signal::Fence {
                at,
                value,
                own: true,
            } => {
                let _ = poke(*at, &value.to_le_bytes());
            }
            Signal::Fence {
                at,
                value,
                own: false,
            } => {
                if space.set_qword(*at, *value).is_err() {
                    let _ = poke(*at, &value.to_le_bytes());
                }
            }
        }
    }
}

/// Reports a failure of a queue.
fn tell(failure: &Failure) {
    match failure {
        Failure::Fault(fault) => report::fault(format_args!("page fault at {:#x}", fault.at)),
        Failure::Run(error) => report::fault(error),
        Failure::Endless(what) => report::fault(what),
    }
}

/// The monotonic clock in nanoseconds, which deadlines count in.
fn clock() -> i64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the place is a time.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    now.tv_sec * 1_000_000_000 + now.tv_nsec
}

/// Time left until a deadline.
fn until(deadline: i64) -> Duration {
    Duration::from_nanos(deadline.saturating_sub(clock()).max(0) as u64)
}

/// Bytes of an answer.
#[derive(Default)]
struct Out(Vec<u8>);

impl Out {
    fn u16(&mut self, values: &[u16]) -> &mut Out {
        self.0.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        self
    }

    fn u32(&mut self, values: &[u32]) -> &mut Out {
        self.0.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        self
    }

    fn u64(&mut self, values: &[u64]) -> &mut Out {
        self.0.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        self
    }
}
