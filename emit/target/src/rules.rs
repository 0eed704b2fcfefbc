//! What the rules of each encoding family differ in, as rows.
//!
//! Sources: the public programmer's reference manuals of these products, vol. 7 (before Gen12) and
//! vol. 9 ("Register Region Restrictions", "Execution Data Type", the instructions' own pages), and
//! what the reference finalizer keeps to.

use crate::isa::Type;
use crate::platform::Family;

/// What holds of a family beside what holds of all.
#[derive(Debug)]
pub struct Rules {
    /// Three-source operands.
    pub ternary: TernaryRules,
    /// Channels that a systolic operation has, where there are any.
    pub systolic_channels: Option<u8>,
    /// Floats and values of 64 bits stay in their channel's place: a source that is no scalar lies as
    /// the destination does.
    pub in_place: bool,
    /// An operation computes on floats of 16 and of 32 bits at once, beside `mov`.
    pub mixed_floats: bool,
    /// The second source of two may be of bytes.
    pub second_bytes: bool,
    /// There are steps of exact division and root: `madm`, `math.invm`, `math.rsqtm`.
    pub ieee_macros: bool,
    /// The two payloads of a message may not overlap.
    pub payloads_apart: bool,
    /// A distance on a message names its pipeline, since messages have none themselves.
    pub named_distance: bool,
    /// The message that ends a thread is sent from the last 16 registers of 128, or of 256.
    pub ends_from_last: bool,
    /// What is computed in the pipeline of long values, where there is one.
    pub long_pipe: LongPipe,
    /// Types of operands that this family has and an earlier one that shares its codes has not.
    pub types: &'static [Type],
}

/// Which operations are computed in the pipeline of long values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongPipe {
    /// Those with an operand of 64 bits.
    Operands,
    /// Those whose result is a double.
    Doubles,
}

#[derive(Debug)]
pub struct TernaryRules {
    /// They may be accumulators.
    pub accumulators: bool,
    /// The first and the last may be immediates of 16 bits.
    pub immediates: bool,
    /// Integers need not be of one type.
    pub mixed_integers: bool,
    /// Strides of the destination.
    pub strides: &'static [u8],
}

const ALIGN16: TernaryRules = TernaryRules {
    accumulators: false,
    immediates: false,
    mixed_integers: false,
    strides: &[1],
};
const ALIGN1: TernaryRules = TernaryRules {
    accumulators: true,
    immediates: true,
    mixed_integers: true,
    strides: &[1, 2],
};

static GEN9: Rules = GEN9_ROW;
static GEN11: Rules = Rules {
    ternary: ALIGN1,
    types: &[Type::Nf],
    mixed_floats: false,
    second_bytes: false,
    ieee_macros: false,
    ..GEN9_ROW
};
static GEN12LP: Rules = Rules {
    ternary: ALIGN1,
    types: &[Type::Nf],
    second_bytes: false,
    ieee_macros: false,
    payloads_apart: false,
    ..GEN9_ROW
};
static XE_HPG: Rules = XE_HPG_ROW;
static XE_HPC: Rules = XE_HPC_ROW;
static XE3: Rules = Rules {
    ends_from_last: false,
    ..XE_HPC_ROW
};

const XE_HPC_ROW: Rules = Rules {
    systolic_channels: Some(16),
    ieee_macros: true,
    long_pipe: LongPipe::Doubles,
    types: &[Type::Bf, Type::Tf32, Type::Bf8],
    ..XE_HPG_ROW
};

const GEN9_ROW: Rules = Rules {
    ternary: ALIGN16,
    systolic_channels: None,
    in_place: false,
    mixed_floats: true,
    second_bytes: true,
    ieee_macros: true,
    payloads_apart: true,
    named_distance: false,
    ends_from_last: true,
    long_pipe: LongPipe::Operands,
    types: &[],
};
const XE_HPG_ROW: Rules = Rules {
    ternary: ALIGN1,
    systolic_channels: Some(8),
    in_place: true,
    mixed_floats: true,
    second_bytes: false,
    ieee_macros: false,
    payloads_apart: false,
    named_distance: true,
    ends_from_last: true,
    long_pipe: LongPipe::Operands,
    types: &[Type::Bf, Type::Nf],
};

/// A family's row.
pub fn rules(family: Family) -> &'static Rules {
    match family {
        Family::Gen9 => &GEN9,
        Family::Gen11 => &GEN11,
        Family::Gen12Lp => &GEN12LP,
        Family::XeHpg => &XE_HPG,
        Family::XeHpc | Family::Xe2 => &XE_HPC,
        Family::Xe3 => &XE3,
    }
}
