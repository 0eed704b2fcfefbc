//! Barriers: the threads that have signalled them, and those to wake when all have (PRM, "Message Gateway"; the
//! virtual ISA's documentation of `NBARRIER`).
//!
//! The barrier of the group is complete when all its threads have signalled it. A named barrier is complete when as
//! many producers and consumers have signalled it as the signals say; its consumers are then woken. A thread may be
//! both. Where there are named barriers, the group's is number 0, signalled by the same message.

use super::cause::Cause;
use super::thread::{BARRIERS, Thread};

/// All barriers of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Barriers {
    /// Number of threads that have signalled the group's barrier since it was last complete.
    arrived: usize,
    named: [Named; BARRIERS],
}

/// A named barrier with signals since it was last complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Named {
    /// Required number and present number of signals.
    producers: (u32, u32),
    consumers: (u32, u32),
    /// Set of threads to wake, a bit each: a group has at most 128.
    waiting: u128,
}

impl Barriers {
    /// Records a thread's signal of its group's barrier.
    pub fn arrive(&mut self) {
        self.arrived += 1;
    }

    /// Records a thread's signal of a named barrier, given the dword of its message.
    ///
    /// # Errors
    /// Others have signalled it with other numbers of threads.
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

    /// Wakes the threads, of a group of so many, whose barrier is complete. Those that have ended may be left out.
    pub fn pass(&mut self, threads: &mut [Thread], count: usize) {
        if self.arrived >= count {
            self.arrived -= count;
            threads.iter_mut().for_each(|thread| thread.notify(0));
        }
        for (number, named) in self.named.iter_mut().enumerate() {
            let here = |(expected, here): (u32, u32)| here >= expected;
            let signalled = named.producers.1 + named.consumers.1 != 0;
            if signalled && here(named.producers) && here(named.consumers) {
                for thread in &mut *threads {
                    if named.waiting.checked_shr(thread.number).unwrap_or(0) & 1 != 0 {
                        thread.notify(number);
                    }
                }
                *named = Named::default();
            }
        }
    }
}
