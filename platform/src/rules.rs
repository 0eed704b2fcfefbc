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
    /// True if `mul` gives the dword of a product of two dwords.
    pub dword_products: bool,
    /// True if bytes and words are moved within a register only as far as the crossbar reaches, which is by certain
    /// steps.
    pub narrow_steps: bool,
    /// True if operations other than `mov` may mix floats of 16 and of 32 bits.
    pub mixed_floats: bool,
    /// True if the short forms of instructions have packed sources as rows of one element.
    pub packed_by_ones: bool,
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
    /// Dependencies of the software scoreboard beside those of general registers.
    pub scoreboard: ScoreboardRules,
}

/// Dependencies that software waits for on some families only.
#[derive(Clone, Copy, Debug)]
pub struct ScoreboardRules {
    /// True if the address register must not be overwritten before others have read it.
    pub addresses: bool,
    /// True if an instruction that writes the address register waits for all pipelines.
    pub address_waits_for_all: bool,
    /// True if a flag must not be overwritten before a predicate was read from it.
    pub predicates: bool,
    /// True if a byte is merged into the word that it is in, so that the word must be finished.
    pub byte_merges: bool,
    /// True if loads from local memory may read after stores that follow them.
    pub local_reads_late: bool,
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
    dword_products: false,
    mixed_floats: false,
    second_bytes: false,
    ieee_macros: false,
    ..GEN9_ROW
};
static GEN12LP: Rules = Rules {
    ternary: ALIGN1,
    types: &[Type::Nf],
    dword_products: false,
    second_bytes: false,
    ieee_macros: false,
    payloads_apart: false,
    ..GEN9_ROW
};
static XE_HPG: Rules = XE_HPG_ROW;
static XE_HPC: Rules = XE_HPC_ROW;
static XE2: Rules = XE2_ROW;
static XE3: Rules = Rules {
    ends_from_last: false,
    scoreboard: ScoreboardRules {
        predicates: false,
        ..XE2_ROW.scoreboard
    },
    ..XE2_ROW
};

const XE_HPC_ROW: Rules = Rules {
    systolic_channels: Some(16),
    narrow_steps: true,
    ieee_macros: true,
    long_pipe: LongPipe::Doubles,
    types: &[Type::Bf, Type::Tf32, Type::Bf8],
    scoreboard: ScoreboardRules {
        byte_merges: true,
        ..XE_HPG_ROW.scoreboard
    },
    ..XE_HPG_ROW
};
const XE2_ROW: Rules = Rules {
    scoreboard: ScoreboardRules {
        addresses: true,
        address_waits_for_all: false,
        local_reads_late: false,
        ..XE_HPC_ROW.scoreboard
    },
    ..XE_HPC_ROW
};

const GEN9_ROW: Rules = Rules {
    ternary: ALIGN16,
    systolic_channels: None,
    in_place: false,
    dword_products: true,
    narrow_steps: false,
    mixed_floats: true,
    packed_by_ones: false,
    second_bytes: true,
    ieee_macros: true,
    payloads_apart: true,
    named_distance: false,
    ends_from_last: true,
    long_pipe: LongPipe::Operands,
    types: &[],
    scoreboard: ScoreboardRules {
        addresses: false,
        address_waits_for_all: false,
        predicates: true,
        byte_merges: false,
        local_reads_late: false,
    },
};
const XE_HPG_ROW: Rules = Rules {
    ternary: ALIGN1,
    systolic_channels: Some(8),
    in_place: true,
    dword_products: false,
    narrow_steps: false,
    mixed_floats: true,
    packed_by_ones: true,
    second_bytes: false,
    ieee_macros: false,
    payloads_apart: false,
    named_distance: true,
    ends_from_last: true,
    long_pipe: LongPipe::Operands,
    types: &[Type::Bf, Type::Nf],
    scoreboard: ScoreboardRules {
        address_waits_for_all: true,
        local_reads_late: true,
        ..GEN9_ROW.scoreboard
    },
};

/// A family's row.
pub fn rules(family: Family) -> &'static Rules {
    match family {
        Family::Gen9 => &GEN9,
        Family::Gen11 => &GEN11,
        Family::Gen12Lp => &GEN12LP,
        Family::XeHpg => &XE_HPG,
        Family::XeHpc => &XE_HPC,
        Family::Xe2 => &XE2,
        Family::Xe3 => &XE3,
    }
}
