//! Differences between the rules of encoding families, one row per family.
//!
//! Sources: the public programmer's reference manuals of these products, vol. 7 (before Gen12) and vol. 9 ("Register
//! Region Restrictions", "Execution Data Type", the instructions' own pages), and the behaviour of the reference
//! finalizer.

use crate::isa::Type;
use crate::platform::Family;

/// Rules in which families differ.
#[derive(Debug)]
pub struct Rules {
    /// Rules of three-source operands.
    pub ternary: TernaryRules,
    /// Number of channels of a systolic operation, on families with systolic operations.
    pub systolic_channels: Option<u8>,
    /// True if floats and 64-bit values stay in their channel's place: a source that is no scalar has the layout of
    /// the destination.
    pub in_place: bool,
    /// True if operations other than `mov` may mix floats of 16 and of 32 bits.
    pub mixed_floats: bool,
    /// True if the second source of two may have bytes.
    pub second_bytes: bool,
    /// True if there are steps of exact division and root: `madm`, `math.invm`, `math.rsqtm`.
    pub ieee_macros: bool,
    /// True if the two payloads of a message must not overlap.
    pub payloads_apart: bool,
    /// True if a distance on a message names its pipeline, because messages have no pipeline themselves.
    pub named_distance: bool,
    /// True if the message that ends a thread is sent from the last 16 registers of 128, or of 256.
    pub ends_from_last: bool,
    /// Operations of the long pipeline, on families that have one.
    pub long_pipe: LongPipe,
    /// Types of operands that other families with the same codes lack.
    pub types: &'static [Type],
}

/// The criterion for operations of the long pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongPipe {
    /// An operand of 64 bits.
    Operands,
    /// A double as the result.
    Doubles,
}

#[derive(Debug)]
pub struct TernaryRules {
    /// True if operands may be accumulators.
    pub accumulators: bool,
    /// True if the first and the last source may be 16-bit immediates.
    pub immediates: bool,
    /// True if integer operands may differ in type.
    pub mixed_integers: bool,
    /// Allowed strides of the destination.
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
