//! The connection of a driver that speaks to a simulator, for programs of several threads.
//!
//! The driver's threads share it without a lock, so that one may take another's answer, and all that come later are wrong. Here a thread has the
//! connection from the begin of its message to the end of the answer. The driver also fetches memory that a launch has been given and the
//! program cannot write, such as constants or what it has freed: such bytes are dropped, so that the next answer begins where it should.
//! Other connections are the C library's alone.

use std::collections::{HashMap, VecDeque};
use std::ffi::{c_int, c_void};
use std::net::Ipv4Addr;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, ThreadId};

use kiln_gpu::exchange;
use nix::errno::Errno;
use nix::libc;

use crate::next;

/// Variable with the simulator's port.
const PORT: &str = "KILN_GPU_PORT";
/// Maximum number of bytes that are dropped at once.
const DROPPED: usize = 1 << 12;

/// A connection that threads want.
#[derive(Default)]
struct Line {
    /// The thread that has it, and those that wait, in their order: one that polls would otherwise have it for ever.
    threads: VecDeque<ThreadId>,
    /// Begin of a message whose length is not known yet.
    begin: Vec<u8>,
    /// Numbers of bytes that are left of the message, and of its answer.
    sends: usize,
    receives: usize,
}

impl Line {
    /// Takes note of bytes that were sent.
    fn sent(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let count = match self.sends {
                0 => {
                    self.begin.push(bytes[0]);
                    if let Some((sends, receives)) = exchange(&self.begin) {
                        self.begin.clear();
                        self.sends = sends;
                        self.receives += receives;
                    }
                    1
                }
                left => {
                    let count = left.min(bytes.len());
                    self.sends -= count;
                    count
                }
            };
            bytes = &bytes[count..];
        }
    }

    /// Ends what an error has cut off.
    fn end(&mut self) {
        self.begin.clear();
        (self.sends, self.receives) = (0, 0);
    }

    fn is_mine(&self) -> bool {
        self.threads.front() == Some(&thread::current().id())
    }

    fn is_done(&self) -> bool {
        self.begin.is_empty() && self.sends == 0 && self.receives == 0
    }
}

type Lines = HashMap<c_int, Line>;

static LINES: Mutex<Option<Lines>> = Mutex::new(None);
/// A connection has become free.
static FREE: Condvar = Condvar::new();

fn lines() -> MutexGuard<'static, Option<Lines>> {
    LINES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes note for the connection that this thread has, and gives it up if nothing is left.
fn note(fd: c_int, change: impl FnOnce(&mut Line)) {
    let mut lines = lines();
    let line = lines.get_or_insert_default().get_mut(&fd);
    if let Some(line) = line.filter(|line| line.is_mine()) {
        change(line);
        if line.is_done() {
            line.threads.pop_front();
            FREE.notify_all();
        }
    }
}

/// True if this thread has the connection.
fn has(fd: c_int) -> bool {
    let lines = lines();
    let line = lines.as_ref().and_then(|lines| lines.get(&fd));
    line.is_some_and(Line::is_mine)
}

/// Waits until this thread has the connection.
fn take(fd: c_int) {
    let mut lines = lines();
    let line = lines.get_or_insert_default().entry(fd).or_default();
    if line.is_mine() {
        return;
    }
    line.threads.push_back(thread::current().id());
    while !(lines.get_or_insert_default().entry(fd).or_default()).is_mine() {
        lines = FREE.wait(lines).unwrap_or_else(PoisonError::into_inner);
    }
}

/// True if a descriptor is a connection to the simulator.
fn is_simulator(fd: c_int) -> bool {
    static PORT_OF: OnceLock<Option<u16>> = OnceLock::new();
    let port = PORT_OF.get_or_init(|| std::env::var(PORT).ok()?.parse().ok());
    let Some(port) = *port else {
        return false;
    };
    // SAFETY: all zeros are an address.
    let mut peer: libc::sockaddr_in = unsafe { std::mem::zeroed() };
    let mut size = size_of::<libc::sockaddr_in>() as libc::socklen_t;
    // SAFETY: the address is ours and has so many bytes.
    let failed = unsafe { libc::getpeername(fd, (&raw mut peer).cast(), &raw mut size) } != 0;
    !failed
        && c_int::from(peer.sin_family) == libc::AF_INET
        && u16::from_be(peer.sin_port) == port
        && u32::from_be(peer.sin_addr.s_addr) == u32::from(Ipv4Addr::LOCALHOST)
}

/// As the C library's.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn send(
    fd: c_int,
    buffer: *const c_void,
    size: usize,
    flags: c_int,
) -> isize {
    type Send = unsafe extern "C" fn(c_int, *const c_void, usize, c_int) -> isize;
    // SAFETY: the C library's function has this type.
    let Some(function) = (unsafe { next::<Send>(c"send") }) else {
        return -1;
    };
    if !is_simulator(fd) {
        // SAFETY: the caller's.
        return unsafe { function(fd, buffer, size, flags) };
    }
    take(fd);
    // SAFETY: the caller's.
    let sent = unsafe { function(fd, buffer, size, flags) };
    let error = Errno::last();
    note(fd, |line| match usize::try_from(sent) {
        // SAFETY: the system has read so many bytes there.
        Ok(count) => line.sent(unsafe { std::slice::from_raw_parts(buffer.cast(), count) }),
        Err(_) => line.end(),
    });
    error.set();
    sent
}

/// As the C library's.
///
/// # Safety
/// As the C library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recv(fd: c_int, buffer: *mut c_void, size: usize, flags: c_int) -> isize {
    type Receive = unsafe extern "C" fn(c_int, *mut c_void, usize, c_int) -> isize;
    // SAFETY: the C library's function has this type.
    let Some(function) = (unsafe { next::<Receive>(c"recv") }) else {
        return -1;
    };
    // SAFETY: the caller's.
    let mut received = unsafe { function(fd, buffer, size, flags) };
    if !has(fd) {
        return received;
    }
    let mut error = Errno::last();
    if received < 0 && error == Errno::EFAULT {
        let mut dropped = [0_u8; DROPPED];
        // SAFETY: the buffer is ours and has so many bytes.
        received = unsafe { function(fd, dropped.as_mut_ptr().cast(), size.min(DROPPED), flags) };
        error = Errno::last();
    }
    note(fd, |line| match usize::try_from(received) {
        Ok(count @ 1..) => line.receives = line.receives.saturating_sub(count),
        _ => line.end(),
    });
    error.set();
    received
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages by bytes: a register is set and read, memory is written, and read.
    #[test]
    fn a_message_ends_with_its_answer() {
        let message = |words: &[u32], more: usize| {
            let words = words.iter().flat_map(|word| word.to_le_bytes());
            words.chain(vec![0; more]).collect::<Vec<u8>>()
        };
        let [set, get, write, read] = [
            message(&[0, 1, 12, 1, 0x2230, 7], 0),
            message(&[0, 2, 12, 0, 0x2234, 0], 0),
            message(&[4, 3, 12, 0, 0x1000, 5], 5),
            message(&[5, 4, 12, 0, 0x1000, 9], 0),
        ];
        for (bytes, answer) in [(&set, 0), (&get, 16), (&write, 0), (&read, 33)] {
            let mut line = Line::default();
            for (number, byte) in bytes.iter().enumerate() {
                assert!(number == 0 || !line.is_done(), "{bytes:?}: {number}");
                line.sent(&[*byte]);
            }
            assert_eq!((line.sends, line.receives), (0, answer), "{bytes:?}");
            assert_eq!(line.is_done(), answer == 0, "{bytes:?}");
        }
        let mut line = Line::default();
        line.sent(&[write, read].concat());
        assert_eq!((line.sends, line.receives), (0, 33));
    }
}
