//! Distances: waits for instructions that finish in order.
//!
//! One walk over all code. By register, the accesses that may be unfinished are kept with their numbers in their
//! pipelines. An access is over when its pipeline has issued a certain number of instructions after it, when
//! something has waited for it or a later one, and at a branch. There are as many unfinished accesses at a time as
//! the pipelines hold, so that time is linear.

use kiln_platform::errata::Erratum;
use smallvec::SmallVec;

use crate::encoding::swsb::MAX_DISTANCE;

use super::facts::{Code, Fact, Notes, Part};
use super::registers::{Kind, REGISTERS, kind};
use super::units::{FLOAT, PIPES, Unit};

/// The wait of an instruction for pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Distance {
    None,
    /// In one pipeline; true if a distance without the pipeline's name does.
    One(u8, u8, bool),
    /// In all pipelines.
    All(u8),
}

/// Numbers of instructions of a pipeline after which one has finished (as the static checker has them), by pipeline.
const FINISHED: [u32; PIPES] = [11, 11, 15, 18, 11];

/// An unfinished access.
#[derive(Clone, Copy)]
struct Access {
    pipe: u8,
    writes: bool,
    /// Number of its instruction in the pipeline.
    number: u32,
    bytes: u64,
}

/// Unfinished accesses of a register.
#[derive(Clone, Default)]
struct Held {
    /// The stretch between branches that they belong to.
    stretch: u32,
    accesses: SmallVec<[Access; 4]>,
}

/// The state of a pipeline.
#[derive(Clone, Copy, Default)]
struct Pipeline {
    /// Number of instructions issued.
    issued: u32,
    /// Instructions with lower numbers have finished.
    done: u32,
    /// One after the last instruction that read or wrote by an indirect operand.
    read_any: u32,
    wrote_any: u32,
    /// One after the last instruction that read or wrote a register that an indirect operand may access.
    read_array: u32,
    wrote_array: u32,
}

struct Walk<'a> {
    code: &'a Code<'a>,
    pipes: [Pipeline; PIPES],
    held: Vec<Held>,
    stretch: u32,
    /// True after the first write of an address register.
    addressed: bool,
}

/// The distance that each instruction waits for.
pub(super) fn distances(code: &Code) -> Vec<Distance> {
    let mut walk = Walk {
        code,
        pipes: [Pipeline::default(); PIPES],
        held: vec![Held::default(); REGISTERS],
        stretch: 0,
        addressed: false,
    };
    (0..code.len() as u32).map(|inst| walk.step(inst)).collect()
}

/// Smallest distances to what an instruction depends on, by pipeline; 0 for none.
#[derive(Default)]
struct Needs {
    ages: [u32; PIPES],
    /// True if it waits for more than results that it reads.
    overwrites: bool,
}

impl Needs {
    fn add(&mut self, pipe: u8, age: u32, overwrites: bool) {
        let known = &mut self.ages[usize::from(pipe)];
        if *known == 0 || age < *known {
            *known = age;
        }
        self.overwrites |= overwrites;
    }
}

impl Walk<'_> {
    fn step(&mut self, inst: u32) -> Distance {
        let code = self.code;
        let fact = code.fact(inst);
        let distance = self.distance(fact, code.parts(inst));
        match distance {
            Distance::None => {}
            Distance::One(pipe, age, _) => self.finish(pipe, age.into()),
            Distance::All(age) => {
                for pipe in 0..PIPES as u8 {
                    self.finish(pipe, age.into());
                }
            }
        }
        if let Unit::Pipe(pipe) = fact.unit {
            self.issue(pipe, fact, code.parts(inst));
        }
        if fact.notes.has(Notes::BRANCH) {
            self.stretch += 1;
            for pipe in &mut self.pipes {
                pipe.done = pipe.issued;
            }
        }
        distance
    }

    /// Records that all at a distance or more have finished.
    fn finish(&mut self, pipe: u8, age: u32) {
        let pipe = &mut self.pipes[usize::from(pipe)];
        pipe.done = pipe.done.max((pipe.issued + 1).saturating_sub(age));
    }

    fn distance(&mut self, fact: &Fact, parts: &[Part]) -> Distance {
        let code = self.code;
        let notes = fact.notes;
        let address =
            notes.has(Notes::ADDRESS) && code.platform.needs(Erratum::AddressWritesWaitForAll);
        let last = notes.has(Notes::LAST);
        if notes.has(Notes::ALONE) || notes.has(Notes::LEAVES) || address || last {
            return self.all(1);
        }
        let mut needs = Needs::default();
        let first = notes.has(Notes::ADDRESS) && !std::mem::replace(&mut self.addressed, true);
        if first && code.platform.needs(Erratum::AddressWaitsForFloats) {
            needs.add(FLOAT, 1, true);
        }
        for part in parts {
            self.need(fact, part, &mut needs);
        }
        if notes.has(Notes::READS_ANY) || notes.has(Notes::WRITES_ANY) {
            self.need_any(fact, &mut needs);
        }
        let mut needed = (0u8..).zip(needs.ages).filter(|(_, age)| *age != 0);
        let Some((pipe, age)) = needed.next() else {
            return Distance::None;
        };
        match needed.map(|(_, age)| age).min() {
            Some(other) => self.all(age.min(other).min(u32::from(MAX_DISTANCE)) as u8),
            None => {
                let unnamed =
                    fact.own == Some(pipe) && (!needs.overwrites || self.code.units.one_pipe);
                Distance::One(pipe, age.min(u32::from(MAX_DISTANCE)) as u8, unnamed)
            }
        }
    }

    fn all(&self, age: u8) -> Distance {
        match self.code.units.one_pipe {
            true => Distance::One(0, age, true),
            false => Distance::All(age),
        }
    }

    /// Adds the unfinished instructions that an access depends on.
    fn need(&mut self, fact: &Fact, part: &Part, needs: &mut Needs) {
        let kind = kind(part.register);
        if kind != Kind::Tracked && !part.writes {
            return;
        }
        let other = |pipe: u8| fact.unit != Unit::Pipe(pipe) || fact.notes.has(Notes::MERGES);
        if kind == Kind::Tracked && self.code.indirect.contains(part.register) {
            for (n, pipe) in (0u8..).zip(&self.pipes) {
                let unknown = match part.writes {
                    false => pipe.wrote_any,
                    true if other(n) => pipe.wrote_any.max(pipe.read_any),
                    true => 0,
                };
                if unknown > pipe.done {
                    needs.add(n, pipe.issued + 1 - unknown, part.writes);
                }
            }
        }
        let held = &mut self.held[usize::from(part.register)];
        if held.stretch != self.stretch {
            held.stretch = self.stretch;
            held.accesses.clear();
            return;
        }
        let pipes = &self.pipes;
        let mut n = 0;
        while let Some(&access) = held.accesses.get(n) {
            let pipe = &pipes[usize::from(access.pipe)];
            let age = pipe.issued - access.number;
            if access.number < pipe.done || age >= FINISHED[usize::from(access.pipe)] {
                held.accesses.swap_remove(n);
                continue;
            }
            let depends = match (access.writes, part.writes) {
                (true, false) => true,
                (true, true) => kind != Kind::ReadOnly && other(access.pipe),
                (false, true) => fact.unit != Unit::Pipe(access.pipe),
                (false, false) => false,
            };
            if depends && access.bytes & part.bytes != 0 {
                needs.add(access.pipe, age, part.writes);
            }
            n += 1;
        }
    }

    /// Adds the last instruction of each pipeline on which an indirect operand may depend.
    fn need_any(&self, fact: &Fact, needs: &mut Needs) {
        for (n, pipe) in (0u8..).zip(&self.pipes) {
            if fact.notes.has(Notes::READS_ANY) && pipe.wrote_array > pipe.done {
                needs.add(n, pipe.issued + 1 - pipe.wrote_array, false);
            }
            let last = pipe.wrote_array.max(pipe.read_array);
            let other = fact.unit != Unit::Pipe(n);
            if fact.notes.has(Notes::WRITES_ANY) && other && last > pipe.done {
                needs.add(n, pipe.issued + 1 - last, true);
            }
        }
    }

    /// Records the accesses of an instruction.
    fn issue(&mut self, pipe: u8, fact: &Fact, parts: &[Part]) {
        let state = &mut self.pipes[usize::from(pipe)];
        let number = state.issued;
        state.issued += 1;
        if fact.notes.has(Notes::READS_ANY) {
            state.read_any = state.issued;
            state.read_array = state.issued;
        }
        if fact.notes.has(Notes::WRITES_ANY) {
            state.wrote_any = state.issued;
            state.wrote_array = state.issued;
        }
        for part in parts {
            if self.code.indirect.contains(part.register) {
                match part.writes {
                    true => state.wrote_array = state.issued,
                    false => state.read_array = state.issued,
                }
            }
            let held = &mut self.held[usize::from(part.register)];
            if held.stretch != self.stretch {
                held.stretch = self.stretch;
                held.accesses.clear();
            }
            // A wait for it covers earlier accesses of the pipeline to the same bytes.
            let mut n = 0;
            while let Some(access) = held.accesses.get(n) {
                let is_covered = access.pipe == pipe
                    && access.writes == part.writes
                    && access.bytes & !part.bytes == 0;
                match is_covered {
                    true => _ = held.accesses.swap_remove(n),
                    false => n += 1,
                }
            }
            held.accesses.push(Access {
                pipe,
                writes: part.writes,
                number,
                bytes: part.bytes,
            });
        }
    }
}
