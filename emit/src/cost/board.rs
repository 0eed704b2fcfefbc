//! Waits for what annotations of the software scoreboard say.
//!
//! The state has, by pipeline, the cycles at which its last instructions finish; by token, the cycles at which its
//! holder has read and written.

use smallvec::SmallVec;

use super::End;
use super::time::Time;
use crate::inst::{Inst, Op, Pipe, Src, Swsb, SyncFn, TokenUse};
use crate::platform::Platform;
use crate::scoreboard::{PIPES, Unit, Units};

/// Number of instructions of a pipeline that a distance can count.
const MAX_DISTANCE: usize = 15;

/// Annotations of an instruction.
#[derive(Debug)]
pub(super) struct Waits {
    pub(super) swsb: Swsb,
    pub(super) unit: Unit,
    /// Pipelines in which a distance without a name counts.
    pub(super) own: SmallVec<[u8; 4]>,
    /// Tokens that a `sync` names: until sources are read, until results are written.
    pub(super) read: u32,
    pub(super) written: u32,
}

/// The state of pipelines and tokens.
#[derive(Debug)]
pub(super) struct Board {
    pub(super) units: Units,
    /// By pipeline, the ends of its last instructions, the last one first.
    pub(super) ends: [[i64; MAX_DISTANCE]; PIPES],
    /// By token, the ends of its holder's reads and writes.
    pub(super) read: [i64; 32],
    pub(super) written: [i64; 32],
}

impl Board {
    /// None on platforms without annotations.
    pub(super) fn new(platform: &Platform) -> Option<Board> {
        Some(Board {
            units: Units::new(platform)?,
            ends: [[0; MAX_DISTANCE]; PIPES],
            read: [0; 32],
            written: [0; 32],
        })
    }

    pub(super) fn waits(&self, inst: &Inst) -> Waits {
        let named = match inst.srcs.first() {
            Some(Src::Imm { bits, .. }) => *bits as u32,
            _ => u32::MAX,
        };
        Waits {
            swsb: inst.swsb,
            unit: self.units.unit(inst),
            own: self.units.of_operands(inst).collect(),
            read: if inst.op == Op::Sync(SyncFn::AllRd) {
                named
            } else {
                0
            },
            written: if inst.op == Op::Sync(SyncFn::AllWr) {
                named
            } else {
                0
            },
        }
    }

    /// The end of what an instruction waits for; a token is a message's.
    pub(super) fn until(&self, waits: &Waits) -> End {
        let mut last = End::default();
        if let Some((named, count)) = waits.swsb.dist {
            let place = usize::from(count.max(1)) - 1;
            for (pipe, ends) in (0u8..).zip(&self.ends) {
                let counts = match named {
                    Pipe::All => true,
                    Pipe::Own => waits.own.contains(&pipe),
                    named => self.units.name(pipe) == named,
                };
                if counts {
                    last = last.max(End::new(ends.get(place).copied().unwrap_or(0), false));
                }
            }
        }
        if let Some((used, token)) = waits.swsb.token {
            let token = usize::from(token & 31);
            let end = match used {
                TokenUse::Src => self.read[token],
                TokenUse::Set | TokenUse::Dst => self.read[token].max(self.written[token]),
            };
            last = last.max(End::new(end, true));
        }
        for (mask, ends) in [(waits.read, &self.read), (waits.written, &self.written)] {
            for (token, end) in ends.iter().enumerate() {
                if mask >> token & 1 != 0 {
                    last = last.max(End::new(*end, true));
                }
            }
        }
        last
    }

    /// Records an instruction that is issued now.
    pub(super) fn issue(&mut self, waits: &Waits, now: i64, time: &Time) {
        match waits.unit {
            Unit::None => {}
            Unit::Pipe(pipe) => {
                let ends = &mut self.ends[usize::from(pipe)];
                ends.rotate_right(1);
                ends[0] = now + time.result;
            }
            Unit::Token => {
                if let Some((TokenUse::Set, token)) = waits.swsb.token {
                    let token = usize::from(token & 31);
                    self.read[token] = now + time.read.unwrap_or(0);
                    self.written[token] = now + time.result;
                }
            }
        }
    }
}
