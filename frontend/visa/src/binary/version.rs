//! Differences between the versions of the object format.
//!
//! A module always has the fields of the newest version. A field that an older version lacks gets the value that
//! its absence means, and only that value can be written in that version. Source: the reference finalizer's reader
//! of objects.

use crate::opcode::{Field, Kinds, Meaning, Opcode, Width};

pub(super) type Version = (u8, u8);

/// Versions that introduced the present form of something.
pub(super) mod since {
    use super::Version;

    /// All bits of the execution mask: before, it is M1 to M8, 8 for M1 without mask, 9 for M1.
    pub const MASK_BITS: Version = (3, 1);
    /// Numbers of variables and strings, and their counts, have four bytes; before, two.
    pub const WIDE_NUMBERS: Version = (3, 4);
    /// The count of inputs has four bytes; before, one.
    pub const WIDE_INPUT_COUNT: Version = (3, 5);
    /// The length of names in the file's header has two bytes; before, one.
    pub const WIDE_NAME_LENGTH: Version = (3, 7);
    /// The operation of the 3D sampler has two bytes; before, one.
    pub const WIDE_SAMPLER_OP: Version = (4, 0);
}

/// Part of an instruction in an object of an older version.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// A field of the opcode's row.
    Now(Field),
    /// An execution mask with the size 0, which means 8.
    Exec8,
    /// An operand in another form.
    Older(OlderOperand),
}

/// Form of an operand in an older version.
#[derive(Clone, Copy)]
pub(super) enum OlderOperand {
    /// Nothing; the source is `0:uw`.
    Zero,
    /// Nothing; the raw source is the null variable.
    Null,
    /// A number of two bytes that is the source `uw`.
    Immediate,
    /// The channels that are not moved, bits 0 to 3.
    OtherChannels,
}

/// Parts of an opcode in versions before `before`.
struct Older {
    opcode: Opcode,
    before: Version,
    parts: &'static [Part],
}

const fn older(opcode: Opcode, before: Version, parts: &'static [Part]) -> Older {
    Older {
        opcode,
        before,
        parts,
    }
}

/// The layout does not depend on the kinds of operands.
const S: Part = Part::Now(Field::Src(Kinds::GENERAL));
const RS: Part = Part::Now(Field::RawSrc);
const RD: Part = Part::Now(Field::RawDst);
const X: Part = Part::Now(Field::Exec);
const P: Part = Part::Now(Field::Pred);
const SURFACE: Part = Part::Now(Field::Surface);
const SAMPLER: Part = Part::Now(Field::Sampler);
const COUNT: Part = Part::Now(Field::Count);
const LIST: Part = Part::Now(Field::RawSrcs);
const SAMPLER_OP: Part = number(Width::SamplerOp, Meaning::SamplerOp);

const fn number(width: Width, meaning: Meaning) -> Part {
    Part::Now(Field::Number(width, meaning))
}

const EXEC8: Part = Part::Exec8;
const ZERO: Part = Part::Older(OlderOperand::Zero);
const NULL: Part = Part::Older(OlderOperand::Null);
const IMMEDIATE: Part = Part::Older(OlderOperand::Immediate);
const OTHER_CHANNELS: Part = Part::Older(OlderOperand::OtherChannels);
const CHANNELS: Part = number(Width::Byte, Meaning::Channels);
const CHANNEL: Part = number(Width::Byte, Meaning::Channel);
const MODIFIER: Part = number(Width::Byte, Meaning::SendModifier);
const GRFS: Part = number(Width::Byte, Meaning::MessageGrfs);
const NO_UNIT: Part = number(Width::Nothing, Meaning::FunctionUnit);

const OLDER: &[Older] = &[
    older(Opcode::Wait, (3, 1), &[ZERO]),
    older(
        Opcode::Gather4Typed,
        (3, 2),
        &[OTHER_CHANNELS, EXEC8, SURFACE, RS, RS, RS, NULL, RD],
    ),
    older(
        Opcode::Scatter4Typed,
        (3, 2),
        &[OTHER_CHANNELS, EXEC8, SURFACE, RS, RS, RS, NULL, RS],
    ),
    // A name of two bytes, as a function's.
    older(Opcode::File, (3, 4), &[Part::Now(Field::Name)]),
    older(
        Opcode::Lifetime,
        (3, 4),
        &[
            number(Width::Byte, Meaning::Lifetime),
            number(Width::Word, Meaning::Variable),
        ],
    ),
    older(
        Opcode::Sample3d,
        (3, 4),
        &[
            SAMPLER_OP, X, P, CHANNELS, IMMEDIATE, SAMPLER, SURFACE, RD, COUNT, LIST,
        ],
    ),
    older(
        Opcode::Load3d,
        (3, 4),
        &[
            SAMPLER_OP, X, P, CHANNELS, IMMEDIATE, SURFACE, RD, COUNT, LIST,
        ],
    ),
    older(
        Opcode::Gather4Sampler,
        (3, 4),
        &[
            SAMPLER_OP, X, P, CHANNEL, IMMEDIATE, SAMPLER, SURFACE, RD, COUNT, LIST,
        ],
    ),
    older(
        Opcode::RawSends,
        (3, 6),
        &[MODIFIER, X, P, GRFS, GRFS, GRFS, NO_UNIT, S, S, RS, RS, RD],
    ),
];

/// First version in which all opcodes have the fields of their rows.
pub(super) const ROWS: Version = (3, 6);

/// Parts of an opcode's instructions in objects of one version.
#[derive(Clone, Copy)]
pub(super) enum Parts {
    Row(&'static [Field]),
    Older(&'static [Part]),
}

impl Parts {
    pub fn of(opcode: Opcode, version: Version) -> Parts {
        let older = |o: &&Older| o.opcode == opcode && version < o.before;
        let found = (version < ROWS).then(|| OLDER.iter().find(older));
        match found.flatten() {
            Some(older) => Parts::Older(older.parts),
            None => Parts::Row(opcode.row().fields),
        }
    }

    pub fn len(self) -> usize {
        match self {
            Parts::Row(fields) => fields.len(),
            Parts::Older(parts) => parts.len(),
        }
    }

    pub fn get(self, i: usize) -> Part {
        match self {
            Parts::Row(fields) => Part::Now(fields[i]),
            Parts::Older(parts) => parts[i],
        }
    }
}
