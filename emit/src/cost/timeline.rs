//! Cycles of each instruction: when it is issued, how long it waits, for what, and for which instruction.
//!
//! Takes decoded code of any compiler and runs the model of the estimate block by block, so that the sums are those of
//! [`super::estimate`]. Beside the model's state it keeps the last instructions that wrote and read each register, and those
//! of each pipeline and token.

use serde::Serialize;

use super::board::{Board, Waits};
use super::loops::Blocks;
use super::{Cycles, Facts, LOOP_WEIGHT, Model, Weights};
use crate::footprint;
use crate::inst::{Inst, Pipe, TokenUse};
use crate::platform::Platform;
use crate::scoreboard::{PIPES, Unit};

/// Number of instructions of a pipeline that a distance can count.
const MAX_DISTANCE: usize = 15;

/// An instruction in the time of its block.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Step {
    /// Cycle of its block in which the thread comes to it.
    pub start: u64,
    /// Cycles of the step, by cause.
    pub cycles: Cycles,
    /// Cycles from its issue until its result can be read.
    pub latency: u64,
    /// The instruction that it waits for longest, if it waits.
    pub stalled_by: Option<u32>,
    /// Instructions that its annotations name, in its block or before it in the order of the code.
    pub waits_for: Vec<u32>,
    /// Executions of the block that count.
    pub weight: f64,
}

/// A loop with what takes its time.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Loop {
    /// First instruction of its first block.
    pub first: u32,
    /// Last instruction of its last block in the order of the code.
    pub last: u32,
    /// Loops around it, itself among them.
    pub depth: u32,
    /// Cycles of a round: each block within it once, and those of inner loops ten times.
    pub cycles: Cycles,
    /// The instruction that waits longest in a round, and how long.
    pub worst: Option<(u32, f64)>,
}

/// The time of a piece of code.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Timeline {
    /// By instruction.
    pub steps: Vec<Step>,
    /// Outermost first, in the order of the code.
    pub loops: Vec<Loop>,
    /// Weighted cycles of the whole.
    pub cycles: Cycles,
}

/// The cause that takes most cycles.
pub fn bottleneck(cycles: &Cycles) -> (&'static str, f64) {
    let parts = [
        ("issue", cycles.issue),
        ("banks", cycles.banks),
        ("results", cycles.results),
        ("messages", cycles.messages),
        ("units", cycles.units),
    ];
    let first = parts[0];
    let more = |most: (&'static str, f64), next: (&'static str, f64)| {
        if next.1 > most.1 { next } else { most }
    };
    parts.into_iter().fold(first, more)
}

/// The time of each instruction.
pub fn timeline(code: &[Inst], platform: &Platform, weights: Weights) -> Timeline {
    let blocks = Blocks::new(code);
    let mut model = Model::of_annotations(platform);
    let mut last = Last::new(&model);
    let mut timeline = Timeline::default();
    timeline.steps.reserve(code.len());
    for (range, &depth) in blocks.starts.windows(2).zip(&blocks.depths) {
        let (first, end) = (range[0] as usize, range[1] as usize);
        let weight = match weights {
            Weights::Loops => LOOP_WEIGHT.powi(depth as i32),
            Weights::Counts(counts) => counts.get(first).map_or(0.0, |count| *count as f64),
        };
        let start = model.start();
        last.enter();
        for (at, inst) in (first as u32..).zip(&code[first..end]) {
            let facts = model.facts(inst, &footprint::of(inst, platform));
            let begins = (model.now - start).max(0) as u64;
            let (stalled_by, waits_for) = last.before(&model, &facts);
            let cycles = model.issue(&facts);
            let waited = cycles.results + cycles.messages > 0.0;
            last.issue(&model, &facts, at);
            timeline.cycles.add(&cycles, weight);
            timeline.steps.push(Step {
                start: begins,
                cycles,
                latency: facts.time.result.max(0) as u64,
                stalled_by: stalled_by.filter(|_| waited),
                waits_for,
                weight,
            });
        }
    }
    timeline.loops = loops(&blocks, &timeline.steps);
    timeline
}

/// The loops with the cycles of a round.
fn loops(blocks: &Blocks, steps: &[Step]) -> Vec<Loop> {
    let starts = &blocks.starts;
    let mut found: Vec<(u32, Loop)> = Vec::new();
    let mut number = vec![None; blocks.heads.len()];
    let depth_of = |head: u32| {
        let outer = std::iter::successors(Some(head), |head| blocks.around[*head as usize]);
        outer.take(blocks.heads.len()).count() as u32
    };
    let heads = blocks.heads.iter().enumerate();
    for (b, _) in heads.filter(|(b, head)| **head == Some(*b as u32)) {
        number[b] = Some(found.len());
        let first = starts[b];
        let depth = depth_of(b as u32);
        let own = Loop {
            first,
            last: first,
            depth,
            cycles: Cycles::default(),
            worst: None,
        };
        found.push((b as u32, own));
    }
    for (b, head) in blocks.heads.iter().enumerate() {
        let range = starts[b] as usize..starts[b + 1] as usize;
        let mut rounds = 1.0;
        let mut at = *head;
        // A circle of loops cannot be; the bound is for its cost.
        for _ in 0..blocks.heads.len() {
            let Some(n) = at.and_then(|head| number[head as usize]) else {
                break;
            };
            let (head, own) = &mut found[n];
            for (here, step) in (range.start as u32..).zip(&steps[range.clone()]) {
                own.cycles.add(&step.cycles, rounds);
                let waits = (step.cycles.sum() - step.cycles.issue) * rounds;
                if waits > own.worst.map_or(0.0, |(_, most)| most) {
                    own.worst = Some((here, waits));
                }
            }
            own.last = own.last.max(range.end as u32 - 1);
            at = blocks.around[*head as usize];
            rounds *= LOOP_WEIGHT;
        }
    }
    let mut loops: Vec<Loop> = found.into_iter().map(|(_, own)| own).collect();
    loops.sort_by_key(|own| (own.first, own.depth));
    loops
}

/// The instructions that accesses and annotations wait for.
struct Last {
    writer: Vec<Option<u32>>,
    reader: Vec<Option<u32>>,
    /// By pipeline, its last instructions, the last one first.
    pipes: [[Option<u32>; MAX_DISTANCE]; PIPES],
    tokens: [Option<u32>; 32],
}

impl Last {
    fn new(model: &Model) -> Last {
        let places = usize::from(model.places.count);
        Last {
            writer: vec![None; places],
            reader: vec![None; places],
            pipes: [[None; MAX_DISTANCE]; PIPES],
            tokens: [None; 32],
        }
    }

    /// Begins a block. Tokens are taken over from the code before.
    fn enter(&mut self) {
        self.writer.fill(None);
        self.reader.fill(None);
        self.pipes = [[None; MAX_DISTANCE]; PIPES];
    }

    /// The instruction that one waits for longest, and those that its annotations name.
    fn before(&self, model: &Model, facts: &Facts) -> (Option<u32>, Vec<u32>) {
        let mut longest: (i64, Option<u32>) = (model.now, None);
        let mut see = |until: i64, by: Option<u32>| {
            if until > longest.0 {
                longest = (until, by);
            }
        };
        let place = |at: u16| {
            model
                .ready
                .get(usize::from(at))
                .copied()
                .unwrap_or_default()
        };
        let who = |list: &[Option<u32>], at: u16| list.get(usize::from(at)).copied().flatten();
        let mut named = Vec::new();
        match (&model.board, &facts.waits) {
            (Some(board), Some(waits)) => {
                self.named(board, waits, &mut see, &mut named);
                for &at in facts.reads.iter().filter(|at| **at >= model.places.flags) {
                    see(place(at).written.cycle(), who(&self.writer, at));
                }
            }
            _ => {
                for &at in &facts.reads {
                    see(place(at).written.cycle(), who(&self.writer, at));
                }
                for &at in facts.writes.iter().filter(|_| !facts.no_dd_chk) {
                    see(place(at).written.cycle(), who(&self.writer, at));
                    see(place(at).read.cycle(), who(&self.reader, at));
                }
            }
        }
        named.sort_unstable();
        named.dedup();
        (longest.1, named)
    }

    fn named(
        &self,
        board: &Board,
        waits: &Waits,
        see: &mut impl FnMut(i64, Option<u32>),
        named: &mut Vec<u32>,
    ) {
        if let Some((pipe, count)) = waits.swsb.dist {
            let place = usize::from(count.max(1)) - 1;
            for (number, (ends, last)) in (0u8..).zip(board.ends.iter().zip(&self.pipes)) {
                let counts = match pipe {
                    Pipe::All => true,
                    Pipe::Own => waits.own.contains(&number),
                    pipe => board.units.name(number) == pipe,
                };
                if counts && place < MAX_DISTANCE {
                    see(ends[place], last[place]);
                    named.extend(last[place]);
                }
            }
        }
        let mut token = |token: usize, until: i64| {
            see(until, self.tokens[token]);
            named.extend(self.tokens[token]);
        };
        if let Some((used, number)) = waits.swsb.token {
            let number = usize::from(number & 31);
            match used {
                TokenUse::Src => token(number, board.read[number]),
                TokenUse::Set | TokenUse::Dst => {
                    token(number, board.read[number].max(board.written[number]))
                }
            }
        }
        for (mask, ends) in [(waits.read, &board.read), (waits.written, &board.written)] {
            for (number, end) in ends
                .iter()
                .enumerate()
                .filter(|(number, _)| mask >> number & 1 != 0)
            {
                token(number, *end);
            }
        }
    }

    /// Records an instruction that has been issued.
    fn issue(&mut self, model: &Model, facts: &Facts, at: u32) {
        let set = |list: &mut Vec<Option<u32>>, place: u16| {
            if let Some(last) = list.get_mut(usize::from(place)) {
                *last = Some(at);
            }
        };
        for &place in &facts.writes {
            set(&mut self.writer, place);
        }
        if facts.time.read.is_some() {
            for &place in &facts.reads[..facts.general_reads] {
                set(&mut self.reader, place);
            }
        }
        let (Some(_), Some(waits)) = (&model.board, &facts.waits) else {
            return;
        };
        match waits.unit {
            Unit::None => {}
            Unit::Pipe(pipe) => {
                let last = &mut self.pipes[usize::from(pipe)];
                last.rotate_right(1);
                last[0] = Some(at);
            }
            Unit::Token => {
                if let Some((TokenUse::Set, token)) = waits.swsb.token {
                    self.tokens[usize::from(token & 31)] = Some(at);
                }
            }
        }
    }
}

/// The chain of instructions that decides how long a block takes, from its first to its last: each waits for the one before
/// it, or is issued after it.
pub fn critical_path(steps: &[Step], first: u32, end: u32) -> Vec<u32> {
    let mut path = Vec::new();
    let mut at = end.checked_sub(1).filter(|last| *last >= first);
    while let Some(here) = at {
        path.push(here);
        let before = steps[here as usize]
            .stalled_by
            .filter(|by| (first..here).contains(by));
        at = before.or_else(|| here.checked_sub(1).filter(|before| *before >= first));
    }
    path.reverse();
    path
}
