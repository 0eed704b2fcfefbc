//! Differences between the rules of encoding families, one row per rule.
//!
//! Sources: the public programmer's reference manuals of these products, vol. 7 (before Gen12) and vol. 9 ("Register
//! Region Restrictions", "Execution Data Type", the instructions' own pages), and the behaviour of the reference
//! finalizer.

use crate::facts::{Table, facts};
use crate::family::Family;
use crate::isa::Type;

facts! {
    /// Rules in which families differ.
    #[derive(Debug)]
    pub struct Rules of Family by order;
    since {
        /// Rules of three-source operands.
        ternary: TernaryRules { Gen9 => ALIGN16, Gen11 => ALIGN1 }
        /// Number of channels of a systolic operation, on families with systolic operations.
        systolic_channels: Option<u8> { Gen9 => None, XeHpg => Some(8), XeHpc => Some(16) }
        /// True if systolic operations in a chain read a third source once (IGC, `hasDpasSrc2ReadSupression`).
        keeps_third_source: bool { Gen9 => false, XeHpc => true }
        /// True if floats and 64-bit values stay in their channel's place: a source that is no scalar has the layout of
        /// the destination.
        in_place: bool { Gen9 => false, XeHpg => true }
        /// True if math has the offset of its destination in its sources that are no scalars, whatever their types (IGC,
        /// `fixMathInst`).
        math_in_place: bool { Gen9 => false, Gen12Lp => true }
        /// True if one byte for all channels becomes floats in one step (IGC, `noScalarByteToFloat`).
        scalar_byte_floats: bool { Gen9 => true, XeHpg => false }
        /// True if addresses may name floats and 64-bit values that are no scalars (IGC, `hasVxHFloat64b` and
        /// `fixUnalignedRegions`).
        float_addresses: bool { Gen9 => true, XeHpg => false }
        /// True if `mul` gives the dword of a product of two dwords.
        dword_products: bool { Gen9 => true, Gen11 => false }
        /// True if bytes and words are moved within a register only as far as the crossbar reaches, which is by certain
        /// steps.
        narrow_steps: bool { Gen9 => false, XeHpc => true }
        /// True if operations other than `mov` may mix floats of 16 and of 32 bits. Later families have some of the mixtures
        /// (IGA's operand types); the reference makes none of them from XeHPG on.
        mixed_floats: bool { Gen9 => true, Gen11 => false }
        /// True if a result of 32 bits of floats of 16 and of 32 bits has at most one register of channels.
        narrow_mixes: bool { Gen9 => true, Xe2 => false }
        /// True if floats of 32 bits become packed ones of 16 in one move of at least a register of them (IGC,
        /// `hasFtoPackedHFMove`, which has Xe-HPG, too, where Mesa's validator forbids more than an oword).
        packed_halves: bool { Gen9 => false, XeHpc => true }
        /// True if a product of a dword and an integer may negate its factors or take their magnitudes (IGC,
        /// `supportSrcModforMul`).
        product_modifiers: bool { Gen9 => true, Gen12Lp => false }
        /// True if the short forms of instructions have packed sources as rows of one element.
        packed_by_ones: bool { Gen9 => false, XeHpg => true }
        /// True if the second source of two may have bytes.
        second_bytes: bool { Gen9 => true, Gen11 => false }
        /// True if there are steps of exact division and root: `madm`, `math.invm`, `math.rsqtm`.
        ieee_macros: bool { Gen9 => true, Gen11 => false, XeHpc => true }
        /// True if the two payloads of a message must not overlap.
        payloads_apart: bool { Gen9 => true, Gen12Lp => false }
        /// True if a distance on a message names its pipeline, because messages have no pipeline themselves.
        named_distance: bool { Gen9 => false, XeHpg => true }
        /// True if the message that ends a thread is sent from the last 16 registers of 128, or of 256.
        ends_from_last: bool { Gen9 => true, Xe3 => false }
        /// Operations of the long pipeline, on families that have one.
        long_pipe: LongPipe { Gen9 => LongPipe::Operands, XeHpc => LongPipe::Doubles }
        /// Types of operands that other families with the same codes lack.
        types: &'static [Type] {
            Gen9 => &[],
            Gen11 => &[Type::Nf],
            XeHpg => &[Type::Bf, Type::Nf],
            XeHpc => &[Type::Bf, Type::Tf32, Type::Bf8],
        }
        /// True if the address register must not be overwritten before others have read it.
        guards_addresses: bool { Gen9 => false, Xe2 => true }
        /// True if a byte is merged into the word that it is in, so that the word must be finished.
        byte_merges: bool { Gen9 => false, XeHpc => true }
    }
}

const fn order(family: &Family) -> u8 {
    *family as u8
}

/// The criterion for operations of the long pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LongPipe {
    /// An operand of 64 bits.
    Operands,
    /// A double as the result.
    Doubles,
}

#[derive(Clone, Copy, Debug)]
pub struct TernaryRules {
    /// True if operands may be accumulators.
    pub accumulators: bool,
    /// True if the first and the last source may be 16-bit immediates.
    pub immediates: bool,
    /// True if integer operands may differ in type.
    pub mixed_integers: bool,
    /// True if the last source, unless it is a scalar, has the destination's distance between elements and its offset in
    /// a register: its region is not encoded (IGC, `noSrc2Regioning`). Floats of 16 bits beside others may be packed.
    pub last_as_destination: bool,
    /// Allowed strides of the destination.
    pub strides: &'static [u8],
}

const ALIGN16: TernaryRules = TernaryRules {
    accumulators: false,
    immediates: false,
    mixed_integers: false,
    last_as_destination: false,
    strides: &[1],
};
const ALIGN1: TernaryRules = TernaryRules {
    accumulators: true,
    immediates: true,
    mixed_integers: true,
    last_as_destination: true,
    strides: &[1, 2],
};

static RULES: [Rules; Family::ALL.len()] = [
    Rules::of(Family::Gen9),
    Rules::of(Family::Gen11),
    Rules::of(Family::Gen12Lp),
    Rules::of(Family::XeHpg),
    Rules::of(Family::XeHpc),
    Rules::of(Family::Xe2),
    Rules::of(Family::Xe3),
];

/// A family's rules.
pub fn rules(family: Family) -> &'static Rules {
    &RULES[family as usize]
}

/// Every rule of every family, for those who print them.
pub fn table() -> Table {
    let column = |family: Family| (family.name(), rules(family).values());
    Table {
        facts: Rules::facts(),
        columns: Family::ALL.map(column).to_vec(),
    }
}

/// True if the channels of an operation on these types keep their place, on families where floats and 64-bit values
/// do (PRM, "Register Region Restrictions"; Mesa, `gen_validate.cpp`). Floats of 16 bits and less that become integers
/// are free, unless there are wider ones beside them.
pub fn keeps_places(to: Type, from: impl Iterator<Item = Type> + Clone) -> bool {
    let fixed = |ty: Type| ty.is_float() || ty.bytes() == 8;
    let small = |ty: Type| !fixed(ty) || is_small_float(ty);
    let rounds = !to.is_float() && from.clone().any(is_small_float) && from.clone().all(small);
    from.chain([to]).any(fixed) && !rounds
}

/// True if a source and a result, each with the distance between its elements in elements, are floats of which a packed
/// one has at most 16 bits, so that they need not lie alike.
pub fn packs_floats(to: (Type, u32), from: (Type, u32)) -> bool {
    let packed = |(ty, stride)| is_small_float(ty) && stride == 1;
    let floats = to.0 != from.0 && to.0.is_float() && from.0.is_float();
    floats && (packed(to) || packed(from))
}

fn is_small_float(ty: Type) -> bool {
    ty.is_float() && ty.bytes() < 4
}

/// True if an operation turns half floats into integers or integers into half floats: its results are a dword apart, at
/// multiples of a dword (PRM vol. 2a, "mov").
pub fn converts_halves(to: Type, mut from: impl Iterator<Item = Type>) -> bool {
    match to {
        Type::Hf => from.any(|ty| !ty.is_float()),
        _ => !to.is_float() && from.any(|ty| ty == Type::Hf),
    }
}
