//! Annotations: puts waits where the encoding has room for them.
//!
//! An instruction carries a distance, a token, or a combination that its family has. A wait that does not fit goes to
//! the nearest earlier instruction of the block with room: behind the token's holder, and not before another message,
//! which would be sent later for it. Only what is left becomes a `sync` in front of the instruction, one for several
//! tokens.

use smallvec::SmallVec;

use super::distance::Distance;
use super::facts::{Code, Notes};
use super::flow::{NO_TOKEN, Wait, Waits, bits};
use super::units::Unit;
use crate::assemble::Program;
use crate::encoding::spec;
use crate::encoding::swsb::SwsbKind;
use crate::insert;
use crate::inst::{Inst, Op, Pipe, Src, Swsb, SyncFn, TokenUse, Type};

/// Maximum numbers of instructions that a wait for a result is moved over, and one for a payload, which is short.
const MAX_MOVE_RESULT: usize = 2;
const MAX_MOVE_PAYLOAD: usize = 8;
/// Maximum distance beside a token.
const COMBINED_DISTANCE_MAX: u8 = 7;

struct Placer<'a> {
    code: &'a Code<'a>,
    waits: &'a Waits,
    /// Number of the block's first instruction.
    first: u32,
    kinds: Vec<SwsbKind>,
    annotations: Vec<Swsb>,
    /// `sync` instructions in front of the block's instructions.
    syncs: Vec<(usize, Inst)>,
    /// Index behind the last holder of each token.
    behind: [usize; 32],
}

/// Annotates all blocks.
pub(super) fn place(program: &mut Program, code: &Code, distances: &[Distance], waits: &Waits) {
    let spec = spec(code.platform);
    for (block, insts) in program.blocks.iter_mut().enumerate() {
        let kind = |inst: &Inst| {
            spec.op(inst.op)
                .map_or(SwsbKind::Other, |op| op.swsb_kind())
        };
        let mut placer = Placer {
            code,
            waits,
            first: code.starts[block],
            kinds: insts.iter().map(kind).collect(),
            annotations: vec![Swsb::default(); insts.len()],
            syncs: Vec::new(),
            behind: [0; 32],
        };
        for at in 0..insts.len() {
            placer.step(at, distances[placer.first as usize + at]);
        }
        for (inst, swsb) in insts.iter_mut().zip(&placer.annotations) {
            inst.swsb = *swsb;
        }
        if !placer.syncs.is_empty() {
            insert::all(insts, &mut placer.syncs);
        }
    }
}

type Tokens = SmallVec<[(TokenUse, u8); 4]>;

impl Placer<'_> {
    fn step(&mut self, at: usize, distance: Distance) {
        let number = self.first as usize + at;
        let set = self.waits.tokens[number];
        let wait = self.waits.waits[number];
        let mut rest = distance;
        if set != NO_TOKEN {
            self.annotations[at].token = Some((TokenUse::Set, set));
        }
        if let Some(dist) = self.fitting(at, distance) {
            self.annotations[at].dist = Some(dist);
            rest = Distance::None;
        }
        let mut left = Tokens::new();
        if wait != Wait::default() {
            left.extend(bits(wait.dst).map(|token| (TokenUse::Dst, token)));
            left.extend(bits(wait.src).map(|token| (TokenUse::Src, token)));
            // The youngest holder's wait can be moved least.
            left.sort_by_key(|(_, token)| std::cmp::Reverse(self.behind[usize::from(*token)]));
            left.retain(|wait| !self.carries(at, *wait));
            left.retain(|wait| !self.moved(at, *wait));
        }
        if rest != Distance::None && self.moved_distance(at, rest) {
            rest = Distance::None;
        }
        self.sync(at, rest, &left);
        if set != NO_TOKEN {
            self.behind[usize::from(set)] = at + 1;
        }
    }

    fn encodes(&self, at: usize, swsb: &Swsb) -> bool {
        self.code.swsb.encode(swsb, self.kinds[at]).is_some()
    }

    /// The distance that an instruction can have beside its token.
    fn fitting(&self, at: usize, distance: Distance) -> Option<(Pipe, u8)> {
        let before = self.annotations[at];
        let fits = |dist: (Pipe, u8)| {
            let swsb = Swsb {
                dist: Some(dist),
                ..before
            };
            self.encodes(at, &swsb).then_some(dist)
        };
        match distance {
            Distance::None => None,
            Distance::All(age) => {
                fits((Pipe::All, age)).or_else(|| fits((Pipe::All, age.min(COMBINED_DISTANCE_MAX))))
            }
            Distance::One(pipe, age, unnamed) => {
                let name = self.code.units.name(pipe);
                let own = || {
                    unnamed
                        .then(|| fits((Pipe::Own, age.min(COMBINED_DISTANCE_MAX))))
                        .flatten()
                };
                // Messages wait in all pipelines where they cannot name one.
                let all = || fits((Pipe::All, age.min(COMBINED_DISTANCE_MAX)));
                fits((name, age)).or_else(own).or_else(all)
            }
        }
    }

    /// Puts a token's wait on an instruction that has room.
    fn carries(&mut self, at: usize, wait: (TokenUse, u8)) -> bool {
        let before = self.annotations[at];
        let number = self.first + at as u32;
        let closed = self.code.fact(number).notes.has(Notes::BOUND);
        if closed || before.token.is_some() {
            return false;
        }
        let mut swsb = Swsb {
            token: Some(wait),
            ..before
        };
        if !self.encodes(at, &swsb) {
            let Some((pipe, age)) = before.dist else {
                return false;
            };
            let own = self.own(number) == Some(pipe);
            let fits = |pipe| Swsb {
                dist: Some((pipe, age.min(COMBINED_DISTANCE_MAX))),
                ..swsb
            };
            let own = own
                .then(|| fits(Pipe::Own))
                .filter(|swsb| self.encodes(at, swsb));
            match own.or_else(|| Some(fits(Pipe::All)).filter(|swsb| self.encodes(at, swsb))) {
                Some(fitting) => swsb = fitting,
                None => return false,
            }
        }
        self.annotations[at] = swsb;
        true
    }

    /// The pipeline that a distance without a name counts in.
    fn own(&self, number: u32) -> Option<Pipe> {
        let own = self.code.fact(number).own;
        own.map(|pipe| self.code.units.name(pipe))
    }

    /// Moves a token's wait to an earlier instruction.
    fn moved(&mut self, at: usize, wait: (TokenUse, u8)) -> bool {
        let first = self.behind[usize::from(wait.1)];
        let reach = match wait.0 {
            TokenUse::Src => MAX_MOVE_PAYLOAD,
            _ => MAX_MOVE_RESULT,
        };
        let first = first.max(at.saturating_sub(reach));
        for earlier in (first..at).rev() {
            let fact = self.code.fact(self.first + earlier as u32);
            if fact.notes.has(Notes::BRANCH) {
                return false;
            }
            if self.carries(earlier, wait) {
                return true;
            }
            if fact.unit == Unit::Token {
                return false;
            }
        }
        false
    }

    /// Moves a distance to the instruction before, where it is smaller by that one.
    fn moved_distance(&mut self, at: usize, distance: Distance) -> bool {
        let Some(earlier) = at.checked_sub(1) else {
            return false;
        };
        let fact = self.code.fact(self.first + earlier as u32);
        if fact.notes.has(Notes::BRANCH) || fact.notes.has(Notes::BOUND) {
            return false;
        }
        if self.annotations[earlier].dist.is_some() {
            return false;
        }
        let smaller =
            |age: u8, counts: bool| age.checked_sub(counts.into()).filter(|age| *age != 0);
        let moved = match (distance, fact.unit) {
            (Distance::One(pipe, age, _), unit) => {
                let age = smaller(age, unit == Unit::Pipe(pipe));
                age.map(|age| Distance::One(pipe, age, fact.own == Some(pipe)))
            }
            (Distance::All(age), unit) => {
                smaller(age, matches!(unit, Unit::Pipe(_))).map(Distance::All)
            }
            (Distance::None, _) => None,
        };
        let Some(dist) = moved.and_then(|moved| self.fitting(earlier, moved)) else {
            return false;
        };
        self.annotations[earlier].dist = Some(dist);
        true
    }

    /// Adds `sync` instructions for waits that have no place elsewhere.
    fn sync(&mut self, at: usize, distance: Distance, left: &[(TokenUse, u8)]) {
        if left.is_empty() && distance == Distance::None {
            return;
        }
        let of = |used: TokenUse| left.iter().filter(move |wait| wait.0 == used);
        let mask = |used| of(used).fold(0u32, |mask, (_, token)| mask | 1 << token);
        let (dst, src) = (mask(TokenUse::Dst), mask(TokenUse::Src));
        let mut syncs: SmallVec<[Inst; 2]> = SmallVec::new();
        let mut token = None;
        match (dst.count_ones(), src.count_ones()) {
            (0, 0) => syncs.push(sync(SyncFn::Nop, 0)),
            (1, 0) | (0, 1) => {
                token = left.first().copied();
                syncs.push(sync(SyncFn::Nop, 0));
            }
            // One of the two can be the other's annotation.
            (many, 1) if many > 0 => {
                token = of(TokenUse::Src).next().copied();
                syncs.push(sync(SyncFn::AllWr, dst));
            }
            (1, _) => {
                token = of(TokenUse::Dst).next().copied();
                syncs.push(sync(SyncFn::AllRd, src));
            }
            (0, _) => syncs.push(sync(SyncFn::AllRd, src)),
            (_, 0) => syncs.push(sync(SyncFn::AllWr, dst)),
            _ => syncs.extend([sync(SyncFn::AllRd, src), sync(SyncFn::AllWr, dst)]),
        }
        let dist = match distance {
            Distance::None => None,
            Distance::One(pipe, age, _) => Some((self.code.units.name(pipe), age)),
            Distance::All(age) => Some((Pipe::All, age)),
        };
        // The combinations of a `sync` have no names of pipelines.
        let swsb = Swsb {
            dist,
            token,
            no_acc_set: false,
        };
        let last = syncs.len() - 1;
        if self.code.swsb.encode(&swsb, SwsbKind::Other).is_some() {
            syncs[last].swsb = swsb;
        } else {
            syncs[last].swsb.token = token;
            let mut waiting = sync(SyncFn::Nop, 0);
            waiting.swsb.dist = dist;
            syncs.push(waiting);
        }
        // After an access to the thread's state, the very next instruction waits for it.
        let alone = self
            .code
            .fact(self.first + at as u32)
            .notes
            .has(Notes::ALONE);
        if alone && at > 0 && syncs[0].swsb.dist.is_none() {
            let mut waiting = sync(SyncFn::Nop, 0);
            let pipe = match self.code.units.one_pipe {
                true => Pipe::Own,
                false => Pipe::All,
            };
            waiting.swsb.dist = Some((pipe, 1));
            syncs.insert(0, waiting);
        }
        self.syncs.extend(syncs.into_iter().map(|sync| (at, sync)));
    }
}

/// A `sync` for the tokens of a mask.
pub(super) fn sync(function: SyncFn, mask: u32) -> Inst {
    let mut inst = Inst::new(Op::Sync(function), 1);
    if function != SyncFn::Nop {
        inst.srcs.push(Src::imm(Type::Ud, mask.into()));
    }
    inst
}
