//! The software scoreboard field: the dependencies that an instruction waits for, and the token that it takes.
//!
//! The field's high bits give the kind of its low bits: a distance in a pipeline, a token, or both. The meaning of a
//! combination depends on the kind of instruction.

use super::DecodeError;
use crate::inst::{Pipe, Swsb, TokenUse};

/// Kinds of instructions with different combinations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwsbKind {
    Send,
    Math,
    Systolic,
    Other,
}

/// A family's codes of the field.
#[derive(Debug)]
pub struct SwsbSpec {
    /// Number of bits of a distance without a token.
    pub dist_bits: u32,
    /// Meanings of the bits above a distance: a pipeline.
    pub dists: &'static [(Pipe, u16)],
    /// Bits of a token.
    pub token_bits: u32,
    /// Meanings of the bits above a token: a use.
    pub tokens: &'static [(TokenUse, u16)],
    /// Combinations, with the bits above a token and a three-bit distance.
    pub both: &'static [Both],
    /// `{NoAccSBSet}`.
    pub no_acc_set: Option<u16>,
}

/// A distance and a token together.
#[derive(Debug)]
pub struct Both {
    pub code: u16,
    pub kinds: &'static [SwsbKind],
    pub pipe: Pipe,
    pub token: TokenUse,
}

const BOTH_DIST_BITS: u32 = 3;

/// Maximum distance that the hardware counts, whatever the bits of the field (IGC, `SWSB_MAX_ALU_DEPENDENCE_DISTANCE_VALUE`).
pub const MAX_DISTANCE: u8 = 7;

impl SwsbSpec {
    #[inline]
    pub fn decode(&self, value: u16, kind: SwsbKind) -> Result<Swsb, DecodeError> {
        if self.no_acc_set == Some(value) {
            return Ok(Swsb {
                no_acc_set: true,
                ..Swsb::default()
            });
        }
        let (head, count) = split(value, self.dist_bits);
        if let Some((pipe, _)) = self.dists.iter().find(|(_, code)| *code == head) {
            return Ok(Swsb {
                dist: (count != 0).then_some((*pipe, count)),
                ..Swsb::default()
            });
        }
        let (head, id) = split(value, self.token_bits);
        if let Some((token, _)) = self.tokens.iter().find(|(_, code)| *code == head) {
            return Ok(Swsb {
                token: Some((*token, id)),
                ..Swsb::default()
            });
        }
        let (code, count) = split(head, BOTH_DIST_BITS);
        let both = self
            .both
            .iter()
            .find(|both| both.code == code && both.kinds.contains(&kind) && count != 0);
        let both = both.ok_or(DecodeError::Reserved {
            what: "scoreboard annotation",
            value: u64::from(value),
        })?;
        Ok(Swsb {
            dist: Some((both.pipe, count)),
            token: Some((both.token, id)),
            no_acc_set: false,
        })
    }

    /// `None` if the family has no code for it.
    pub fn encode(&self, swsb: &Swsb, kind: SwsbKind) -> Option<u16> {
        let fits = |value: u8, bits: u32| u32::from(value) >> bits == 0;
        match (swsb.no_acc_set, swsb.dist, swsb.token) {
            (true, None, None) => self.no_acc_set,
            (true, ..) => None,
            (false, None, None) => Some(0),
            (false, Some((pipe, count)), None) => {
                let (_, head) = self.dists.iter().find(|(known, _)| *known == pipe)?;
                let ok = count != 0 && fits(count, self.dist_bits);
                ok.then_some(head << self.dist_bits | u16::from(count))
            }
            (false, None, Some((token, id))) => {
                let (_, head) = self.tokens.iter().find(|(known, _)| *known == token)?;
                fits(id, self.token_bits).then_some(head << self.token_bits | u16::from(id))
            }
            (false, Some((pipe, count)), Some((token, id))) => {
                let both = self.both.iter().find(|both| {
                    both.pipe == pipe && both.token == token && both.kinds.contains(&kind)
                })?;
                let ok = count != 0 && fits(count, BOTH_DIST_BITS) && fits(id, self.token_bits);
                let head = both.code << BOTH_DIST_BITS | u16::from(count);
                ok.then_some(head << self.token_bits | u16::from(id))
            }
        }
    }
}

fn split(value: u16, low: u32) -> (u16, u8) {
    (value >> low, (value & ((1 << low) - 1)) as u8)
}

const IN_ORDER: &[SwsbKind] = &[SwsbKind::Other];
const OUT_OF_ORDER: &[SwsbKind] = &[SwsbKind::Send, SwsbKind::Math, SwsbKind::Systolic];
const COMPUTED: &[SwsbKind] = &[SwsbKind::Math, SwsbKind::Systolic];
const SENDS: &[SwsbKind] = &[SwsbKind::Send];
const SYSTOLIC: &[SwsbKind] = &[SwsbKind::Systolic];
const NOT_SENDS: &[SwsbKind] = &[SwsbKind::Other, SwsbKind::Math, SwsbKind::Systolic];
const BASIC: &[SwsbKind] = &[SwsbKind::Other, SwsbKind::Math];

const fn both(code: u16, kinds: &'static [SwsbKind], pipe: Pipe, token: TokenUse) -> Both {
    Both {
        code,
        kinds,
        pipe,
        token,
    }
}

/// One pipeline in order, 16 tokens.
pub static ONE_PIPE: SwsbSpec = SwsbSpec {
    dist_bits: 4,
    dists: &[(Pipe::Own, 0)],
    token_bits: 4,
    tokens: &[(TokenUse::Dst, 2), (TokenUse::Src, 3), (TokenUse::Set, 4)],
    both: &[
        both(1, OUT_OF_ORDER, Pipe::Own, TokenUse::Set),
        both(1, IN_ORDER, Pipe::Own, TokenUse::Dst),
    ],
    no_acc_set: None,
};

/// Pipelines for floats, integers and long values, 16 tokens.
pub static THREE_PIPES: SwsbSpec = SwsbSpec {
    dist_bits: 3,
    dists: &[
        (Pipe::Own, 0),
        (Pipe::All, 1),
        (Pipe::Float, 2),
        (Pipe::Int, 3),
        (Pipe::Long, 10),
    ],
    token_bits: 4,
    tokens: ONE_PIPE.tokens,
    both: &[
        both(1, COMPUTED, Pipe::Own, TokenUse::Set),
        both(1, SENDS, Pipe::All, TokenUse::Set),
        both(1, IN_ORDER, Pipe::Own, TokenUse::Dst),
    ],
    no_acc_set: None,
};

/// `THREE_PIPES` with a pipeline for math and 32 tokens.
pub static FOUR_PIPES: SwsbSpec = FOUR_PIPES_SPEC;

const FOUR_PIPES_SPEC: SwsbSpec = SwsbSpec {
    dist_bits: 3,
    dists: &[
        (Pipe::Own, 0),
        (Pipe::All, 1),
        (Pipe::Float, 2),
        (Pipe::Int, 3),
        (Pipe::Long, 4),
        (Pipe::Math, 5),
    ],
    token_bits: 5,
    tokens: &[(TokenUse::Dst, 4), (TokenUse::Src, 5), (TokenUse::Set, 6)],
    both: &[
        both(1, SYSTOLIC, Pipe::Own, TokenUse::Set),
        both(1, SENDS, Pipe::All, TokenUse::Set),
        both(1, BASIC, Pipe::Own, TokenUse::Dst),
        both(2, SENDS, Pipe::Float, TokenUse::Set),
        both(2, NOT_SENDS, Pipe::Own, TokenUse::Src),
        both(3, SYSTOLIC, Pipe::Own, TokenUse::Dst),
        both(3, SENDS, Pipe::Int, TokenUse::Set),
        both(3, BASIC, Pipe::All, TokenUse::Dst),
    ],
    no_acc_set: Some(0xf0),
};

/// `FOUR_PIPES` with a pipeline for scalar registers.
pub static FIVE_PIPES: SwsbSpec = SwsbSpec {
    dists: &[
        (Pipe::Own, 0),
        (Pipe::All, 1),
        (Pipe::Float, 2),
        (Pipe::Int, 3),
        (Pipe::Long, 4),
        (Pipe::Math, 5),
        (Pipe::Scalar, 6),
    ],
    ..FOUR_PIPES_SPEC
};

#[cfg(test)]
#[path = "tests/swsb.rs"]
mod tests;
