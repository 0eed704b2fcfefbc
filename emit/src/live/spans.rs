//! Spans: where a register holds a value, in the order of the code.
//!
//! Takes the solved problem. A span begins at the write of a register of which nothing is wanted before, or where a block
//! begins, and ends at the last instruction that wants it. Spans of a register that meet along a branch are of one value
//! (union-find). The walk goes through the code once, backward.

use smallvec::SmallVec;

use super::accesses::{Accesses, GRF_ROWS, ROWS, Row};
use super::solve::Solved;
use super::state::State;
use super::{Point, Span};

/// No span.
const NONE: u32 = u32::MAX;

/// Points by instruction, and spans by register and place.
pub(super) fn walk(solved: &Solved, grf_bytes: u32) -> (Vec<Point>, Vec<Span>) {
    let mut points = vec![Point::default(); solved.code.len()];
    let mut spans: Vec<Span> = Vec::new();
    let mut open = vec![NONE; ROWS];
    let mut state = State::new();
    let mut accesses = Accesses::default();
    for (b, block) in solved.graph.blocks.iter().enumerate().rev() {
        let b = b as u32;
        let falls = block.next.contains(&(b + 1));
        let last = block.end - 1;
        solved.at_end(b, &mut state);
        for ((row, open), wanted) in (0u16..).zip(&mut open).zip(&state.0) {
            let certain = wanted.certain();
            if certain == 0 || !falls {
                *open = NONE;
            }
            if certain == 0 {
                continue;
            }
            let span = span(*open, row, last, open, &mut spans);
            (span.from, span.bytes) = (last, span.bytes | certain);
        }
        let all_run = solved.all_run(b);
        for at in (block.first..block.end).rev() {
            solved.accesses(at, &mut accesses);
            let replaces = solved.replaces(at);
            state.undo_writes(&accesses, replaces, all_run);
            for write in &accesses.writes {
                let open = &mut open[usize::from(write.row)];
                let span = span(*open, write.row, at, open, &mut spans);
                span.bytes |= write.bytes;
                span.from = at;
                if span.first_write != at {
                    span.writes += 1;
                    span.first_write = at;
                }
            }
            for write in &accesses.writes {
                if state.0[usize::from(write.row)].certain() == 0 {
                    open[usize::from(write.row)] = NONE;
                }
            }
            state.undo_reads(&accesses, replaces);
            for read in &accesses.reads {
                let open = &mut open[usize::from(read.row)];
                let span = span(*open, read.row, at, open, &mut spans);
                span.bytes |= read.bytes;
                span.from = at;
                if span.last_read == NONE {
                    span.last_read = at;
                }
                if span.first_read != at {
                    span.reads += 1;
                    span.first_read = at;
                }
            }
            points[at as usize] = point(&state, &accesses, solved.grfs(), grf_bytes);
        }
        for (row, open) in open.iter().enumerate().filter(|(_, open)| **open != NONE) {
            if state.0[row].certain() != 0 {
                spans[*open as usize].from = block.first;
            }
        }
    }
    spans.sort_by_key(|span| (span.row, span.from));
    (points, spans)
}

/// The open span of a register, or a new one that ends here.
fn span<'a>(at: u32, row: u16, to: u32, open: &mut u32, spans: &'a mut Vec<Span>) -> &'a mut Span {
    if at == NONE {
        *open = spans.len() as u32;
        spans.push(Span {
            row: Row(row),
            from: to,
            to,
            bytes: 0,
            writes: 0,
            reads: 0,
            first_write: NONE,
            first_read: NONE,
            last_read: NONE,
            value: 0,
        });
    }
    &mut spans[*open as usize]
}

/// Registers that live while an instruction executes: those wanted before it, and those that it writes.
fn point(state: &State, accesses: &Accesses, grfs: usize, grf_bytes: u32) -> Point {
    let mut point = Point::default();
    let mut add = |row: usize, certain: u64, sign: i32| match row {
        row if row < grfs => {
            let bytes = certain & u64::MAX >> (64 - grf_bytes);
            add_to(&mut point.grfs, sign * i32::from(bytes != 0));
            add_to(&mut point.bytes, sign * bytes.count_ones() as i32);
        }
        row if row < GRF_ROWS => {}
        row if row < Row::FIRST_ACC => {
            let halves = [certain & 0xffff, certain >> 16 & 0xffff];
            let count = halves.iter().filter(|half| **half != 0).count();
            add_to(&mut point.flags, sign * count as i32);
        }
        row if row < Row::ADDRESS => {
            add_to(&mut point.accumulators, sign * i32::from(certain != 0));
        }
        Row::ADDRESS => add_to(&mut point.addresses, sign * words(certain).cast_signed()),
        _ => {}
    };
    for (row, wanted) in state.0.iter().enumerate() {
        add(row, wanted.certain(), 1);
    }
    // Parts of a register may be written one by one.
    let mut written: SmallVec<[(usize, u64); 8]> = SmallVec::new();
    for write in &accesses.writes {
        let row = usize::from(write.row);
        let known = written.iter().position(|(other, _)| *other == row);
        let n = known.unwrap_or_else(|| {
            written.push((row, state.0[row].certain()));
            written.len() - 1
        });
        let before = written[n].1;
        written[n].1 |= write.bytes;
        add(row, before, -1);
        add(row, before | write.bytes, 1);
    }
    let maybe = |wanted: &&super::state::Wanted| wanted.certain() == 0 && wanted.maybe != 0;
    point.maybe = state.0[..grfs].iter().filter(maybe).count() as u16;
    point
}

/// Adds a difference to a count that stays within its type.
fn add_to<T: Copy + Into<i64> + TryFrom<i64>>(count: &mut T, by: i32) {
    if let Ok(sum) = T::try_from((*count).into() + i64::from(by)) {
        *count = sum;
    }
}

/// Words of an address register of which any byte is wanted.
fn words(bytes: u64) -> u32 {
    let low = (bytes | bytes >> 1) & (u64::MAX / 3);
    low.count_ones()
}

/// Numbers values: spans of a register that meet along a branch have one.
pub(super) fn number(solved: &Solved, spans: &mut [Span], rows: &[usize]) -> u32 {
    let mut parent: Vec<u32> = (0..spans.len() as u32).collect();
    let of_row = |row: u16| {
        let first = rows[usize::from(row)];
        (first as u32, first..rows[usize::from(row) + 1])
    };
    for (b, block) in (0u32..).zip(&solved.graph.blocks) {
        for &next in block.next.iter().filter(|next| **next != b + 1) {
            let first = solved.graph.blocks[next as usize].first;
            for (row, wanted) in &solved.wanted[next as usize].0 {
                if wanted.certain() == 0 {
                    continue;
                }
                let (base, range) = of_row(*row);
                let spans = &spans[range];
                // The last instruction of a block writes what leaves it; the first one reads what enters.
                let leaves = super::side(spans, block.end - 1, true);
                let enters = super::side(spans, first, false);
                if let (Some(a), Some(b)) = (leaves, enters) {
                    let a = root(&mut parent, base + a as u32);
                    let b = root(&mut parent, base + b as u32);
                    let (low, high) = (a.min(b), a.max(b));
                    parent[high as usize] = low;
                }
            }
        }
    }
    let mut numbers = vec![NONE; spans.len()];
    let mut count = 0;
    for at in 0..spans.len() as u32 {
        let root = root(&mut parent, at) as usize;
        if numbers[root] == NONE {
            numbers[root] = count;
            count += 1;
        }
        spans[at as usize].value = numbers[root];
    }
    count
}

fn root(parent: &mut [u32], mut at: u32) -> u32 {
    while parent[at as usize] != at {
        let above = parent[parent[at as usize] as usize];
        parent[at as usize] = above;
        at = above;
    }
    at
}
