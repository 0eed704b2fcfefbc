//! Two things at the same time, where there is enough to do for a second thread.

use kiln_frontend::module::Inst;

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

/// Whether some instruction is of a kind, asked of halves at the same time if there are many.
pub fn any(insts: &[Inst], is: impl Fn(&Inst) -> bool + Sync) -> bool {
    match insts.len() >= MANY {
        true => {
            let (first, second) = insts.split_at(insts.len() / 2);
            let (one, other) = rayon::join(|| first.iter().any(&is), || second.iter().any(&is));
            one || other
        }
        false => insts.iter().any(is),
    }
}
