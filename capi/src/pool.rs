//! The threads of a session. Without them work would go to threads that are shared by the whole process and never
//! end, which a library that is unloaded, or whose user counts threads and memory, must not leave behind.

use std::thread::JoinHandle;

use rayon::{ThreadPool, ThreadPoolBuilder};

/// Steps after which the memory of threads that have ended is free: each takes the epoch one further, if no thread
/// stands in its way, memory is freed two epochs after the last use, and entries go before what they point to.
const RECLAIMING: usize = 16;

/// Threads that end, and are waited for, when it is dropped.
pub struct Pool {
    pool: Option<ThreadPool>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// So many threads; 0 for as many as the host has processors. None if the system gives none.
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

    /// Does work on these threads; on the caller's if they are going to end.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // Has them end.
        self.pool = None;
        for thread in self.threads.drain(..) {
            // One that panicked has ended, too.
            let _ = thread.join();
        }
        // Their entries in the list that the queues of all threads share go when others use it next, in a few steps;
        // these are taken now, so that nothing of a session is left.
        for _ in 0..RECLAIMING {
            crossbeam_epoch::pin().flush();
        }
    }
}
