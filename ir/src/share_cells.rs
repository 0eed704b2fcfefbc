//! Sharing between lanes: cells whose contents different channels want get one home.
//!
//! After a divergent branch the thread carries the contents of the channels that wait, in registers of which the active
//! channels use nothing. Takes cells with their live ranges. Where more cells live than there are allocation units, a
//! cell is moved into another one in which its channels want nothing meanwhile, so that one register has, say, a
//! temporary of the active channels beside what the waiting ones keep.
//!
//! Guarantees that no channel wants both cells at once. Both are written by each channel on its own alone, and read so unless
//! all channels are active, and a byte of the home belongs to the same channel for both: an instruction under the execution mask
//! leaves the bytes of other channels as they are. [`check`] proves it by reaching definitions.
//!
//! The algorithm is greedy, a coloring of live ranges in the order of the code: a cell joins the home with which it
//! lives at the most positions that are over the limit.

pub mod check;

use std::collections::VecDeque;
use std::ops::Range;

use cranelift_entity::EntityRef;
use kiln_platform::crowded::Crowded;
use kiln_platform::isa::Class;

use crate::access::{LaneMaps, Lanes};
use crate::func::{Cell, CellData, Function, Homes};
use crate::ranges::{CellRanges, Spans};

/// Maximum number of homes, the latest ones, that a cell may join.
const MAX_OPEN_HOMES: usize = 128;

/// A home that may still be joined.
struct Home {
    cell: Cell,
    /// True if contents are carried somewhere that no active channel wants.
    waits: bool,
    lanes: LaneMaps,
    ranges: CellRanges,
    /// Where the last range in which contents are carried ends.
    end: u32,
}

/// The position after the last one at which contents are carried.
fn end_of(ranges: &CellRanges) -> u32 {
    ranges.carried.last().map_or(0, |span| span.end)
}

/// Finds homes so that at most `units` cells live at once, as far as possible.
pub fn share(func: &Function, lanes: &Lanes, ranges: Vec<CellRanges>, units: u32) -> Homes {
    let mut homes = Homes::default();
    let mut crowded = Crowded::new(&excess(func, &ranges, units as i32));
    if crowded.total() == 0 {
        return homes;
    }
    let over = |crowded: &Crowded, spans: &Spans| -> u32 {
        spans.iter().map(|s| crowded.over(s.start, s.end)).sum()
    };
    let mut order: Vec<(Cell, &LaneMaps, CellRanges)> = (ranges.into_iter().enumerate())
        .filter_map(|(c, ranges)| Some((Cell::new(c), lanes[Cell::new(c)].as_ref()?, ranges)))
        .filter(|(.., ranges)| over(&crowded, &ranges.carried) > 0)
        .collect();
    order.sort_by_key(|(cell, _, ranges)| (ranges.carried[0].start, *cell));
    let mut open: VecDeque<Home> = VecDeque::new();
    for (cell, lanes, ranges) in order {
        let start = ranges.carried[0].start;
        open.retain(|home| home.end > start);
        let waits = ranges.carried != ranges.wanted;
        let mut best: Option<(u32, usize)> = None;
        let most = over(&crowded, &ranges.carried);
        if most > 0 {
            for (h, home) in open.iter().enumerate() {
                let is_free = (waits || home.waits)
                    && meet(&home.ranges.wanted, &ranges.wanted).next().is_none()
                    && home.lanes.agree(lanes);
                if !is_free {
                    continue;
                }
                let gain = meet(&home.ranges.carried, &ranges.carried)
                    .map(|s| crowded.over(s.start, s.end))
                    .sum();
                if gain > best.map_or(0, |(gain, _)| gain) {
                    best = Some((gain, h));
                }
                if gain == most {
                    break;
                }
            }
        }
        let Some((_, h)) = best else {
            if open.len() == MAX_OPEN_HOMES {
                open.pop_front();
            }
            open.push_back(Home {
                cell,
                waits,
                lanes: lanes.clone(),
                end: end_of(&ranges),
                ranges,
            });
            continue;
        };
        let home = &mut open[h];
        for both in meet(&home.ranges.carried, &ranges.carried) {
            crowded.add(both.start, both.end, -1);
        }
        home.waits |= waits;
        home.lanes.unite(lanes);
        unite(&mut home.ranges.carried, &ranges.carried);
        unite(&mut home.ranges.wanted, &ranges.wanted);
        home.end = end_of(&home.ranges);
        homes.join(cell, home.cell);
    }
    homes
}

/// True if more than `units` general cells may be carried at once. Given the ranges of cells that are local to a block;
/// global ones may be carried everywhere.
pub fn may_exceed(func: &Function, global: &[bool], locals: &[CellRanges], units: u32) -> bool {
    let is_everywhere =
        |(cell, data): &(Cell, &CellData)| data.class == Class::Grf && global[cell.index()];
    let everywhere = func.cells.iter().filter(is_everywhere).count() as i32;
    let mut excess = excess(func, locals, units as i32 - everywhere).into_iter();
    excess.any(|excess| excess > 0)
}

/// By position: the number of general cells that are carried, less the limit.
fn excess(func: &Function, ranges: &[CellRanges], units: i32) -> Vec<i32> {
    let general = || {
        let general = func
            .cells
            .iter()
            .filter(|(_, data)| data.class == Class::Grf);
        general.flat_map(|(cell, _)| ranges[cell.index()].carried.iter())
    };
    let end = general().map(|s| s.end).max().unwrap_or(0);
    let mut excess = vec![0; end as usize + 1];
    for span in general() {
        excess[span.start as usize] += 1;
        excess[span.end as usize] -= 1;
    }
    let mut sum = -units;
    for at in &mut excess {
        sum += *at;
        *at = sum;
    }
    excess
}

/// The positions that both lists have, ascending.
fn meet<'a>(a: &'a Spans, b: &'a Spans) -> impl Iterator<Item = Range<u32>> + 'a {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    few.iter().flat_map(move |s| {
        let first = many.partition_point(|t| t.end <= s.start);
        let inside = many[first..].iter().take_while(|t| t.start < s.end);
        inside.map(|t| s.start.max(t.start)..s.end.min(t.end))
    })
}

/// Adds spans to a list.
fn unite(list: &mut Spans, more: &Spans) {
    let start = more.first().map_or(0, |s| s.start);
    let first = list.partition_point(|s| s.end < start);
    list.extend(more.iter().cloned());
    // A stable sort merges two sorted lists in linear time.
    list[first..].sort_by_key(|s| s.start);
    list.dedup_by(|next, last| {
        let touch = next.start <= last.end;
        if touch {
            last.end = last.end.max(next.end);
        }
        touch
    });
}
