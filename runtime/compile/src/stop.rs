//! Compilations that end before their time: after a limit, or because another thread asks.
//!
//! Passes do not know of it. The runner of the passes looks after each of them, and sessions before each file and kernel.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Reasons to end a compilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each is documented by its message")]
pub enum Stopped {
    #[error("the compilation was cancelled")]
    Cancelled,
    #[error("the compilation takes longer than its time limit")]
    TimeLimit,
}

/// The end of compilations; copies share it.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    limit: Option<Duration>,
    /// Number of times that compilations were cancelled.
    cancelled: Arc<AtomicU64>,
    /// The compilation that runs.
    running: Option<Running>,
}

/// A compilation that runs.
#[derive(Clone, Copy, Debug)]
struct Running {
    /// Number of cancellations when the compilation began.
    cancelled: u64,
    deadline: Option<Instant>,
}

impl Stop {
    /// A stop with a limit to the time of a call that compiles. A limit beyond the range of the clock is none.
    #[must_use]
    pub fn after(self, limit: Duration) -> Stop {
        Stop {
            limit: Some(limit),
            ..self
        }
    }

    /// Ends the calls that compile now, on any thread; later calls are not concerned.
    pub fn cancel(&self) {
        self.cancelled.fetch_add(1, Ordering::Relaxed);
    }

    /// A stop whose limit counts from now on, or from the begin of the call that this is a part of.
    pub(crate) fn begin(&self) -> Stop {
        let begun = || Running {
            cancelled: self.cancelled.load(Ordering::Relaxed),
            deadline: self
                .limit
                .and_then(|limit| Instant::now().checked_add(limit)),
        };
        Stop {
            running: Some(self.running.unwrap_or_else(begun)),
            ..self.clone()
        }
    }

    /// Looks whether the compilation should end.
    pub(crate) fn check(&self) -> Result<(), Stopped> {
        let Some(running) = &self.running else {
            return Ok(());
        };
        if self.cancelled.load(Ordering::Relaxed) != running.cancelled {
            return Err(Stopped::Cancelled);
        }
        match running.deadline {
            Some(deadline) if Instant::now() >= deadline => Err(Stopped::TimeLimit),
            _ => Ok(()),
        }
    }
}
