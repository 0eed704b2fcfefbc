//! Chains of systolic operations.
//!
//! Takes blocks of instructions with physical registers, in their final order, and marks systolic operations that the hardware is to
//! execute as one with the next: registers that several of a chain read, it reads once, and the scoreboard has one token for the chain.
//!
//! The operations of a chain have eight steps, the same types and channels. None reads what an earlier one writes, and none overwrites
//! what an earlier one accesses. All have the same second source, of eight registers; or, where the hardware keeps third sources too, eight
//! rows, and third sources of four registers and more that take a kilobyte together. A chain has fewer operations than in the reference
//! finalizer (`SWSB_G4IR.cpp`, `isLastDpas`), which also puts different second sources of 256 bytes together. The algorithm is one walk:
//! each operation joins the chain before it where it may.

use std::mem;

use kiln_platform::rules::rules;
use smallvec::SmallVec;

use crate::assemble::Program;
use crate::footprint::{self, Bytes, Footprint};
use crate::inst::{Inst, Op, Systolic};
use crate::platform::Platform;

/// Steps of the operations that may be in a chain.
const DEPTH: u8 = 8;
/// Rows of the operations that may have different second sources.
const ROWS: u8 = 8;
/// Registers of a second source that is read once.
const SECOND_REGISTERS: usize = 8;
/// Minimum number of registers of a third source that is read once.
const MIN_THIRD_REGISTERS: usize = 4;
/// Bytes of all third sources that are kept.
const THIRD_BYTES: usize = 1024;

/// Marks the operations of all blocks.
pub fn run(program: &mut Program, platform: &'static Platform) {
    for block in &mut program.blocks {
        let mut chain = Chain::default();
        for at in 0..block.len() {
            if !block[at].op.is_systolic() {
                chain.links.clear();
                continue;
            }
            let link = Link::new(&block[at], platform);
            match at.checked_sub(1) {
                Some(before) if chain.takes(&block[before], &block[at], &link, platform) => {
                    block[before].opts.atomic = true;
                }
                _ => chain.links.clear(),
            }
            // An operation that overwrites its own sources is alone.
            if link.is_apart() {
                chain.links.push(link);
            }
        }
    }
}

/// The accesses of an operation.
struct Link {
    rows: u8,
    reads: SmallVec<[Bytes; 3]>,
    writes: Bytes,
}

impl Link {
    fn new(inst: &Inst, platform: &Platform) -> Link {
        let Footprint { reads, writes } = footprint::of(inst, platform);
        let rows = shape(inst).map_or(0, |shape| shape.repeat);
        Link {
            rows,
            reads,
            writes,
        }
    }

    fn source(&self, n: usize) -> impl Iterator<Item = u16> {
        self.reads.get(n).into_iter().flat_map(Bytes::registers)
    }

    /// True if the result is in the place of the first source or meets no source.
    fn is_apart(&self) -> bool {
        let meets = |n: usize| {
            self.reads
                .get(n)
                .is_some_and(|read| read.meets(&self.writes))
        };
        let in_place = self
            .reads
            .first()
            .is_some_and(|first| first.cover(&self.writes) && self.writes.cover(first));
        (in_place || !meets(0)) && !meets(1) && !meets(2)
    }

    /// True if an operation after this one accesses nothing that this one writes, and overwrites nothing that it reads.
    fn is_independent(&self, next: &Link) -> bool {
        let meets_reads =
            |reads: &[Bytes], written: &Bytes| reads.iter().any(|read| read.meets(written));
        !self.writes.meets(&next.writes)
            && !meets_reads(&next.reads, &self.writes)
            && !meets_reads(&self.reads, &next.writes)
    }
}

/// A chain, of one operation or more.
#[derive(Default)]
struct Chain {
    links: SmallVec<[Link; 8]>,
}

impl Chain {
    /// True if an operation may come after the last one in the chain.
    fn takes(&self, last: &Inst, next: &Inst, link: &Link, platform: &Platform) -> bool {
        !self.links.is_empty()
            && is_alike(last, next)
            && link.is_apart()
            && self
                .links
                .iter()
                .all(|earlier| earlier.is_independent(link))
            && (self.has_second(link) || self.keeps_third(link, platform))
    }

    fn has_second(&self, link: &Link) -> bool {
        link.source(1).count() == SECOND_REGISTERS
            && self
                .links
                .iter()
                .all(|earlier| earlier.source(1).eq(link.source(1)))
    }

    fn keeps_third(&self, link: &Link, platform: &Platform) -> bool {
        let mut links = self.links.iter().chain([link]);
        if !rules(platform.family).keeps_third_source || links.any(|link| link.rows != ROWS) {
            return false;
        }
        let mut kept: SmallVec<[u16; 16]> = SmallVec::new();
        for link in self.links.iter().chain([link]) {
            let known = link
                .source(2)
                .filter(|register| kept.contains(register))
                .count();
            let count = link.source(2).count();
            if count < MIN_THIRD_REGISTERS || known != 0 && known != count {
                return false;
            }
            if known == 0 {
                kept.extend(link.source(2));
            }
        }
        kept.len() * platform.grf_bytes as usize <= THIRD_BYTES
    }
}

/// The shape of a systolic operation.
fn shape(inst: &Inst) -> Option<Systolic> {
    match inst.op {
        Op::Dpas(shape) | Op::Dpasw(shape) => Some(shape),
        _ => None,
    }
}

/// True for operations of the same name and of eight steps, with the same types and channels and no predicate.
fn is_alike(a: &Inst, b: &Inst) -> bool {
    let depth = |inst: &Inst| shape(inst).map(|shape| shape.depth);
    let types = |inst: &Inst| {
        let sources: SmallVec<[_; 3]> = inst.srcs.iter().map(|src| src.ty()).collect();
        (inst.dst.map(|dst| dst.ty), sources)
    };
    let channels = |inst: &Inst| (inst.exec_size, inst.chan_off, inst.no_mask);
    [a, b].map(depth) == [Some(DEPTH); 2]
        && mem::discriminant(&a.op) == mem::discriminant(&b.op)
        && channels(a) == channels(b)
        && types(a) == types(b)
        && a.pred.is_none()
        && b.pred.is_none()
}
