//! Proof that cells share homes without a loss, by reaching definitions.
//!
//! Takes the accesses of cells and their homes. Follows forward, on the logical graph, the contents that a channel may
//! have in each byte of a home: those of the cells that were written last on some way. Each read of a cell must find
//! contents of that cell alone. Sharing itself looks at liveness, so that the two have no step in common.

use std::collections::BTreeMap;

use smallvec::SmallVec;

use crate::cfg::Cfg;
use crate::func::Cell;
use crate::func::Homes;
use crate::liveness::{Access, AccessKind, Accesses, Mask};

/// Cells with the bytes of their home in which a channel may have contents of them.
type Contents = SmallVec<[(Cell, Mask); 4]>;

/// The first read found that may get contents of another cell.
pub fn conflict(cfg: &Cfg, accesses: &Accesses, homes: &Homes) -> Option<Access> {
    // By home that cells share: the accesses of each block.
    let mut shared: BTreeMap<Cell, BTreeMap<usize, Vec<Access>>> = BTreeMap::new();
    for (_, home) in homes.moved() {
        shared.entry(home).or_default();
    }
    for (b, range) in accesses.blocks.iter().enumerate() {
        for access in &accesses.list[range.start as usize..range.end as usize] {
            if let Some(blocks) = shared.get_mut(&homes.of(access.cell)) {
                blocks.entry(b).or_default().push(*access);
            }
        }
    }
    shared.values().find_map(|blocks| conflict_in(cfg, blocks))
}

/// As [`conflict`], in one home.
fn conflict_in(cfg: &Cfg, blocks: &BTreeMap<usize, Vec<Access>>) -> Option<Access> {
    let mut at_start: BTreeMap<usize, Contents> = BTreeMap::new();
    let mut work: Vec<usize> = blocks.keys().rev().copied().collect();
    while let Some(b) = work.pop() {
        let mut contents = at_start.get(&b).cloned().unwrap_or_default();
        for access in blocks.get(&b).into_iter().flatten() {
            if access.kind.is_read() {
                let is_foreign =
                    |&(cell, bytes): &(Cell, Mask)| cell != access.cell && bytes & access.mask != 0;
                if contents.iter().any(is_foreign) {
                    return Some(*access);
                }
                continue;
            }
            if access.kind != AccessKind::WriteSome {
                for (_, bytes) in &mut contents {
                    *bytes &= !access.mask;
                }
                contents.retain(|(_, bytes)| *bytes != 0);
            }
            add(&mut contents, (access.cell, access.mask));
        }
        for to in cfg.logical_succs(b) {
            let known = at_start.entry(to).or_default();
            let mut changed = false;
            for &more in &contents {
                changed |= add(known, more);
            }
            if changed {
                work.push(to);
            }
        }
    }
    None
}

/// Adds contents; true if they were not there.
fn add(contents: &mut Contents, (cell, bytes): (Cell, Mask)) -> bool {
    match contents.iter_mut().find(|(known, _)| *known == cell) {
        Some((_, known)) => {
            let is_new = bytes & !*known != 0;
            *known |= bytes;
            is_new
        }
        None => {
            contents.push((cell, bytes));
            bytes != 0
        }
    }
}
