//! Two things at the same time, where there is enough to do for a second thread.

/// Instructions from which on there is.
pub const MANY: usize = 4096;

/// Does both, at the same time if `many`.
pub fn both<A: Send, B: Send>(
    many: bool,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    match many {
        true => rayon::join(one, other),
        false => (one(), other()),
    }
}
