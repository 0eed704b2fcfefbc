//! Live registers of machine code of any compiler.
//!
//! Takes decoded instructions in program order, and where kernels and functions begin. Gives, for each instruction, how much
//! lives while it executes: what is wanted before it and what it writes. A register is live by bytes, a flag by channels.
//! `flow` has the blocks, `accesses` what instructions read and write, `solve` the data flow and its rules, `spans`
//! where registers hold values. `docs/live.md` says what is exact and what is not.

mod accesses;
mod flow;
mod solve;
mod spans;
mod state;

use serde::Serialize;

use crate::inst::{Inst, RegFile};
use crate::platform::Platform;
use crate::verify::pairs;
use kiln_platform::errata::Erratum;

pub use accesses::Row;
use accesses::{Accesses, Gather, ROWS};
use flow::Graph;
use solve::Solved;

/// How much lives while an instruction executes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Point {
    /// General registers of which a byte lives.
    pub grfs: u16,
    /// Bytes of general registers.
    pub bytes: u32,
    /// General registers of which nothing certainly lives, but that an access through an address, a message whose length is
    /// in a register, or code that is not here may read.
    pub maybe: u16,
    /// Halves of flags (16 channels).
    pub flags: u8,
    pub accumulators: u8,
    /// Words of the address register.
    pub addresses: u8,
}

/// A stretch of code in which a register holds a value. Instructions are numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    pub row: Row,
    /// First and last instruction.
    pub from: u32,
    pub to: u32,
    /// The bytes that live somewhere in it; of a flag, its channels.
    pub bytes: u64,
    /// Number of instructions that write and that read it.
    pub writes: u32,
    pub reads: u32,
    first_write: u32,
    first_read: u32,
    last_read: u32,
    /// Number of its value: spans of a register that branches connect are of one value.
    pub value: u32,
}

impl Span {
    /// The first instruction that writes it; none if a branch brings it.
    pub fn first_write(&self) -> Option<u32> {
        (self.writes > 0).then_some(self.first_write)
    }

    /// The first and the last instruction that read it.
    pub fn reads(&self) -> Option<(u32, u32)> {
        (self.reads > 0).then_some((self.first_read, self.last_read))
    }
}

/// Instructions that write and that read a value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accessed {
    pub writes: Vec<u32>,
    pub reads: Vec<u32>,
}

/// A basic block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// First instruction, and that after the last.
    pub first: u32,
    pub end: u32,
    /// Blocks to which the instruction pointer may go; a call goes to the next block.
    pub next: Vec<u32>,
    /// Block of the subroutine that it calls.
    pub calls: Option<u32>,
}

/// Live registers of a piece of code.
#[derive(Clone, Debug)]
pub struct Live {
    /// By instruction.
    pub points: Vec<Point>,
    /// By register, then by place.
    pub spans: Vec<Span>,
    pub blocks: Vec<Block>,
    /// Number of general registers of a thread, as far as the code says: 128 or 256.
    pub grfs: u32,
    /// Number of values.
    pub values: u32,
    /// By register: the index of its first span.
    rows: Vec<usize>,
}

impl Live {
    /// Analyzes code. `entries` are the instructions at which kernels and functions begin.
    pub fn new(code: &[Inst], platform: &Platform, entries: &[u32]) -> Live {
        let graph = Graph::new(code, entries);
        let guarded = match platform.paired && platform.needs(Erratum::NoMaskPredicated) {
            true => pairs::nested_in_code(code),
            false => Vec::new(),
        };
        let solved = Solved::new(code, &graph, Gather { platform }, &guarded, entries);
        let (points, mut spans) = spans::walk(&solved, platform.grf_bytes);
        let mut rows = Vec::with_capacity(ROWS + 1);
        for row in 0..=ROWS {
            rows.push(spans.partition_point(|span| usize::from(span.row.0) < row));
        }
        let values = spans::number(&solved, &mut spans, &rows);
        let block = |block: &flow::Block| Block {
            first: block.first,
            end: block.end,
            next: block.next.to_vec(),
            calls: block.calls,
        };
        Live {
            points,
            spans,
            grfs: solved.grfs() as u32,
            blocks: graph.blocks.iter().map(block).collect(),
            values,
            rows,
        }
    }

    /// The first instruction at which the most general registers live; none of empty code.
    pub fn peak(&self) -> Option<u32> {
        let most = |(at, point): (u32, &Point)| (point.grfs, std::cmp::Reverse(at));
        let points = (0u32..).zip(&self.points);
        points.max_by_key(|&at| most(at)).map(|(at, _)| at)
    }

    /// The spans that contain an instruction, by register.
    pub fn at(&self, at: u32) -> impl Iterator<Item = &Span> {
        let rows = self.rows.windows(2).map(|row| &self.spans[row[0]..row[1]]);
        rows.flat_map(move |spans| {
            let end = spans.partition_point(|span| span.from <= at);
            // An instruction that reads a value and writes the next one is in both.
            spans[..end]
                .iter()
                .rev()
                .take(2)
                .filter(move |span| span.to >= at)
        })
    }

    /// The span of a register at an instruction.
    pub fn span(&self, row: Row, at: u32) -> Option<&Span> {
        let row = usize::from(row.0);
        let spans = self.spans.get(self.rows[row]..self.rows[row + 1])?;
        find(spans, at).map(|n| &spans[n])
    }

    /// The instructions that write and read some values, in the order of these. Walks the code once.
    pub fn accessed(&self, code: &[Inst], platform: &Platform, values: &[u32]) -> Vec<Accessed> {
        let mut found = vec![Accessed::default(); values.len()];
        let mut numbers = vec![u32::MAX; self.values as usize];
        for (n, value) in (0u32..).zip(values) {
            numbers[*value as usize] = n;
        }
        let gather = Gather { platform };
        let mut accesses = Accesses::default();
        for (at, inst) in (0u32..).zip(code) {
            gather.of(inst, &mut accesses);
            for (list, writes) in [(&accesses.reads[..], false), (&accesses.writes[..], true)] {
                for access in list {
                    let row = usize::from(access.row);
                    let spans = &self.spans[self.rows[row]..self.rows[row + 1]];
                    let Some(span) = side(spans, at, writes).map(|n| &spans[n]) else {
                        continue;
                    };
                    let Some(found) = found.get_mut(numbers[span.value as usize] as usize) else {
                        continue;
                    };
                    let list = if writes {
                        &mut found.writes
                    } else {
                        &mut found.reads
                    };
                    if list.last() != Some(&at) {
                        list.push(at);
                    }
                }
            }
        }
        found
    }
}

/// The span that contains an instruction: of two, the one that begins there.
fn find(spans: &[Span], at: u32) -> Option<usize> {
    let end = spans.partition_point(|span| span.from <= at);
    let n = end.checked_sub(1)?;
    (spans[n].to >= at).then_some(n)
}

/// The span that an instruction writes or reads.
fn side(spans: &[Span], at: u32, writes: bool) -> Option<usize> {
    let n = find(spans, at)?;
    let before = n.checked_sub(1).filter(|n| spans[*n].to == at);
    match before {
        Some(before) if !writes => Some(before),
        _ => Some(n),
    }
}

/// Registers that an instruction accesses, with their bytes; of flags, channels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    pub reads: Vec<(Row, u64)>,
    pub writes: Vec<(Row, u64)>,
}

/// The registers that an instruction accesses.
pub fn touched(inst: &Inst, platform: &Platform) -> Touched {
    let mut accesses = Accesses::default();
    Gather { platform }.of(inst, &mut accesses);
    let list = |list: &[accesses::Access]| {
        list.iter()
            .map(|access| (Row(access.row), access.bytes))
            .collect()
    };
    Touched {
        reads: list(&accesses.reads),
        writes: list(&accesses.writes),
    }
}

impl std::fmt::Display for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let (file, number) = self.register();
        let name = match file {
            RegFile::Grf => "r",
            RegFile::Flag => "f",
            RegFile::Acc => "acc",
            RegFile::Addr => "a",
            _ => "s",
        };
        write!(f, "{name}{number}")
    }
}
