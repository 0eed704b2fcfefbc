//! Barriers: who has signalled them, and who is told when all have (PRM, "Message Gateway"; the virtual
//! ISA's documentation of `NBARRIER`).
//!
//! The barrier of the group is passed when all its threads have signalled it. A named one is passed when as
//! many producers and as many consumers have as its signals say; its consumers are told. A thread may be
//! both. Where there are named ones, the group's is that of number 0, signalled by the same message.

use super::error::Cause;
use super::machine::Thread;

/// Barriers of a group at most.
pub const BARRIERS: usize = 32;

/// All barriers of a group.
#[derive(Debug, Default)]
pub struct Barriers {
    /// Threads that have signalled the group's barrier and not passed it.
    arrived: usize,
    named: [Named; BARRIERS],
}

/// A named barrier that has been signalled since it was passed.
#[derive(Clone, Copy, Debug, Default)]
struct Named {
    /// How many there must be, and how many there are.
    producers: (u32, u32),
    consumers: (u32, u32),
    /// The threads that are told, a bit each: a group has at most 128.
    waiting: u128,
}

impl Barriers {
    /// A thread has signalled the barrier of its group.
    pub fn arrive(&mut self) {
        self.arrived += 1;
    }

    /// A thread has signalled a named barrier, as the dword of its message says.
    ///
    /// # Errors
    /// Others have signalled it for other numbers of threads.
    pub fn arrive_at(&mut self, thread: u32, dword: u32) -> Result<(), Cause> {
        let named = &mut self.named[dword as usize % BARRIERS];
        let (producers, consumers) = (dword >> 16 & 0xff, dword >> 24);
        let (produces, consumes) = match dword >> 14 & 3 {
            0 => (true, true),
            1 => (true, false),
            2 => (false, true),
            _ => {
                return Err(Cause::Malformed {
                    what: "a named barrier of a kind that is not there",
                });
            }
        };
        let new = named.producers.1 == 0 && named.consumers.1 == 0;
        if !new && (named.producers.0, named.consumers.0) != (producers, consumers) {
            return Err(Cause::Malformed {
                what: "a named barrier is signalled for several numbers of threads",
            });
        }
        named.producers = (producers, named.producers.1 + u32::from(produces));
        named.consumers = (consumers, named.consumers.1 + u32::from(consumes));
        if consumes {
            named.waiting |= 1u128.checked_shl(thread).unwrap_or(0);
        }
        Ok(())
    }

    /// Lets the threads go on whose barrier is passed.
    pub fn pass(&mut self, threads: &mut [Thread]) {
        if self.arrived >= threads.len() {
            self.arrived -= threads.len();
            threads.iter_mut().for_each(|thread| thread.notify(0));
        }
        for (number, named) in self.named.iter_mut().enumerate() {
            let here = |(expected, here): (u32, u32)| here >= expected;
            let signalled = named.producers.1 + named.consumers.1 != 0;
            if signalled && here(named.producers) && here(named.consumers) {
                for (thread, n) in threads.iter_mut().zip(0..) {
                    if named.waiting.checked_shr(n).unwrap_or(0) & 1 != 0 {
                        thread.notify(number);
                    }
                }
                *named = Named::default();
            }
        }
    }
}
