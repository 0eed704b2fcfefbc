//! Work on several things at once, by the threads of the pool of the caller. Without the feature `threads`, one thing
//! after the other.

/// Maps each of some things, in their order.
#[cfg(feature = "threads")]
pub(crate) fn map<T: Send, R: Send>(things: Vec<T>, of: impl Fn(T) -> R + Sync + Send) -> Vec<R> {
    use rayon::prelude::*;
    match rayon::current_num_threads() {
        // The memory of the program's first thread grows with fewer calls of the system.
        1 => things.into_iter().map(of).collect(),
        _ => things.into_par_iter().map(of).collect(),
    }
}

/// Maps each of some things, in their order.
#[cfg(not(feature = "threads"))]
pub(crate) fn map<T, R>(things: Vec<T>, of: impl Fn(T) -> R) -> Vec<R> {
    things.into_iter().map(of).collect()
}
