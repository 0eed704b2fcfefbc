//! Threads of a session. The global pool of rayon never ends, which does not suit a library that may be unloaded.

use std::thread::JoinHandle;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Number of steps after which the memory of ended threads is freed: each step advances the epoch if no thread
/// prevents it, memory is freed two epochs after its last use, and queue entries are freed before what they point to.
const RECLAIM_STEPS: usize = 16;

/// Threads that end when it is dropped, which waits for them.
pub struct Pool {
    pool: Option<ThreadPool>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// A pool of `count` threads; 0 for the number of processors of the host. `None` if the system cannot start them.
    pub fn new(count: usize) -> Option<Pool> {
        let mut pool = Pool {
            pool: None,
            threads: Vec::new(),
        };
        let builder = ThreadPoolBuilder::new().num_threads(count);
        let built = builder.spawn_handler(|thread| {
            let named = std::thread::Builder::new().name(format!("kiln {}", thread.index()));
            pool.threads.push(named.spawn(|| thread.run())?);
            Ok(())
        });
        pool.pool = Some(built.build().ok()?);
        Some(pool)
    }

    /// Runs work on these threads; on the caller's if they are ending.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // Starts their end.
        self.pool = None;
        for thread in self.threads.drain(..) {
            // A thread that panicked has ended, too.
            let _ = thread.join();
        }
        // Entries of threads in the global list of queues would be freed in a few steps of later users; freeing them here
        // leaves nothing of the session.
        for _ in 0..RECLAIM_STEPS {
            crossbeam_epoch::pin().flush();
        }
    }
}
