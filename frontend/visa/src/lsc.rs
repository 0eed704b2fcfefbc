//! Words and shapes of LSC instructions, for their reader, printer and verifier.
//!
//! Text has another order than the binary: mnemonic, unit, caching, channels, then data and address, each with its
//! shape after a colon. Each part finds its operand by its [`Meaning`] in the opcode's row, so only the rows of
//! [`crate::opcode`] know the order of the operands.
//!
//! Omitted in text: a number is 0, the scale of an address 1, a raw operand `%null`, a surface the immediate 0.

use crate::module::{Inst, Operand, Var, predefined};
use crate::opcode::{Field, LscOp, Meaning, Opcode, Row, name_of};

pub(crate) const UNITS: &[(&str, u32)] =
    &[("ugm", 0), ("ugml", 1), (TYPED, 2), ("slm", 3), ("urb", 4)];
/// The unit of typed surfaces; their rows have no field for it.
pub(crate) const TYPED: &str = "tgm";
pub(crate) const CACHING: &[(&str, u32)] = &[
    ("df", 0),
    ("uc", 1),
    ("ca", 2),
    ("wb", 3),
    ("wt", 4),
    ("st", 5),
    ("ri", 6),
    ("cc", 7),
];
pub(crate) const FENCES: &[(&str, u32)] = &[
    ("none", 0),
    ("evict", 1),
    ("invalidate", 2),
    ("discard", 3),
    ("clean", 4),
    ("flushl3", 5),
    ("type6", 6),
];
pub(crate) const SCOPES: &[(&str, u32)] = &[
    ("group", 0),
    ("local", 1),
    ("tile", 2),
    ("gpu", 3),
    ("gpus", 4),
    ("sysrel", 5),
    ("sysacq", 6),
];
pub(crate) const ADDRESS_TYPES: &[(&str, u32)] = &[
    ("flat", FLAT),
    ("bss", 2),
    ("ss", 3),
    ("bti", 4),
    ("arg", 5),
    ("surf", SURF),
];
pub(crate) const FLAT: u32 = 1;
pub(crate) const SURF: u32 = 6;
pub(crate) const ADDRESS_SIZES: &[(&str, u32)] =
    &[("a16", 1), ("a32", 2), ("a64", 3), ("a32u", 4), ("a32s", 5)];
/// Printing uses the first name of a number.
pub(crate) const DATA_SIZES: &[(&str, u32)] = &[
    ("d8", 1),
    ("d16", 2),
    ("d32", 3),
    ("d64", 4),
    // All readers of the reference's take these names.
    ("d8c32", 5),
    ("d16c32", 6),
    ("d16c32h", 7),
    ("u8", 1),
    ("u16", 2),
    ("u32", 3),
    ("u64", 4),
    ("d8u32", 5),
    ("u8c32", 5),
    ("d16u32", 6),
    ("u16c32", 6),
    ("d16u32h", 7),
    ("u16c32h", 7),
];
pub(crate) const ELEMENTS: &[(&str, u32)] = &[
    ("1", 1),
    ("2", 2),
    ("3", 3),
    ("4", 4),
    ("8", 5),
    ("16", 6),
    ("32", 7),
    ("64", 8),
];
pub(crate) const STRAIGHT: u32 = 1;
pub(crate) const TRANSPOSED: u32 = 2;
/// Names of channels, by bit.
pub(crate) const CHANNELS: [char; 4] = ['x', 'y', 'z', 'w'];

/// Names of the numbers with this meaning, if they have names.
pub(crate) fn names(meaning: Meaning) -> Option<&'static [(&'static str, u32)]> {
    match meaning {
        Meaning::LscUnit => Some(UNITS),
        Meaning::LscCaching => Some(CACHING),
        Meaning::LscFenceOp => Some(FENCES),
        Meaning::LscScope => Some(SCOPES),
        Meaning::LscAddressType => Some(ADDRESS_TYPES),
        Meaning::LscAddressSize => Some(ADDRESS_SIZES),
        Meaning::LscDataSize => Some(DATA_SIZES),
        _ => None,
    }
}

/// Caching of level 1 and level 3 by their numbers, in the words of text, such as `ca.cc`.
pub fn caching(levels: [u32; 2]) -> String {
    levels.map(|n| name(Meaning::LscCaching, n)).join(".")
}

/// Name of the number; `?` if it has none.
pub(crate) fn name(meaning: Meaning, n: u32) -> &'static str {
    let names = names(meaning).unwrap_or(&[]);
    names
        .iter()
        .find(|(_, v)| *v == n)
        .map_or("?", |(name, _)| name)
}

/// Count of elements that a number of [`Meaning::LscElements`] stands for.
pub(crate) fn element_count(n: u32) -> u32 {
    let found = ELEMENTS.iter().find(|(_, v)| *v == n);
    found.and_then(|(name, _)| name.parse().ok()).unwrap_or(0)
}

/// True if a number of LSC is valid.
pub(crate) fn is_known(meaning: Meaning, n: u32) -> bool {
    match meaning {
        Meaning::LscDataOrder => n == STRAIGHT || n == TRANSPOSED,
        Meaning::LscChannels => n < 1 << CHANNELS.len(),
        Meaning::LscOp => LscOp::name(n).is_some(),
        meaning => names(meaning).is_none_or(|names| names.iter().any(|(_, v)| *v == n)),
    }
}

/// True if the operation belongs to the instruction's opcode.
pub(crate) fn is_of_row(inst: &Inst, op: u32) -> bool {
    let unit = match number_at(inst.op.row(), Meaning::LscUnit, 0) {
        Some(i) => inst.operands.get(i),
        None => None,
    };
    let typed = match unit {
        Some(Operand::Field(unit)) => name_of(UNITS, *unit) == Some(TYPED),
        _ => true,
    };
    LscOp::row(op, typed).is_some_and(|row| {
        let payload = (Opcode::LscBlock2d, Opcode::LscBlock2dPayload);
        row.opcode == inst.op || (row.opcode, inst.op) == payload
    })
}

/// True if `n` is a valid [`Meaning::LscElements`] of the instruction: 0 if it has channels instead.
pub(crate) fn are_elements(inst: &Inst, n: u32) -> bool {
    let &[Operand::Field(op), ..] = &inst.operands[..] else {
        return false;
    };
    let least = u32::from(matches!(shape(inst.op.row(), op), Shape::Elements));
    (least..=8).contains(&n)
}

/// Part of an instruction in text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Data,
    Address,
    /// Another raw operand of an atomic.
    Argument,
}

/// Parts of an operation after its mnemonic, in order.
pub(crate) fn parts(op: u32) -> &'static [Part] {
    use Part::*;
    match LscOp::from_number(op) {
        Some(LscOp::Store) => &[Address, Data],
        Some(LscOp::Atomic(_)) => &[Data, Address, Argument, Argument],
        Some(LscOp::Counter) => &[Data, Address, Data],
        _ => &[Data, Address],
    }
}

/// Form of the shape of data.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `d32x4t`
    Elements,
    /// `d32.xyzw`
    Channels,
    /// `d8.2x16x8nn`
    Block,
    /// `64x4`
    TypedBlock,
    /// Nothing.
    None,
}

pub(crate) fn shape(row: &Row, op: u32) -> Shape {
    match row.opcode {
        Opcode::LscBlock2d | Opcode::LscBlock2dPayload => Shape::Block,
        Opcode::LscTypedBlock2d => Shape::TypedBlock,
        _ if op == LscOp::STATE_INFO => Shape::None,
        _ if LscOp::has_channels(op) => Shape::Channels,
        _ => Shape::Elements,
    }
}

/// True if text has an execution size; some instructions always have 1.
pub(crate) fn says_exec(row: &Row, op: u32) -> bool {
    !matches!(row.opcode, Opcode::LscTypedBlock2d | Opcode::LscFence) && op != LscOp::STATE_INFO
}

/// Index of the `nth` field for which `is` holds.
pub(crate) fn position(row: &Row, nth: usize, is: impl Fn(Field) -> bool) -> Option<usize> {
    let mut fields = row.operand_fields().enumerate();
    let found = fields.by_ref().filter(|(_, field)| is(*field)).nth(nth);
    found.map(|(i, _)| i)
}

pub(crate) fn number_at(row: &Row, meaning: Meaning, nth: usize) -> Option<usize> {
    position(
        row,
        nth,
        |f| matches!(f, Field::Number(_, m) if m == meaning),
    )
}

pub(crate) fn is_raw_src(field: Field) -> bool {
    field == Field::RawSrc
}

pub(crate) fn is_vector(field: Field) -> bool {
    matches!(field, Field::Src(_))
}

/// True if the operand is a variable that has the address of a message.
pub(crate) fn is_address_payload(field: Field) -> bool {
    field == Field::SrcBlock
}

/// Index, among raw sources, of the first that is no address.
pub(crate) fn first_data(row: &Row) -> usize {
    match row.opcode {
        Opcode::LscTyped => 4,
        Opcode::LscBlock2d
        | Opcode::LscBlock2dPayload
        | Opcode::LscTypedBlock2d
        | Opcode::LscCounter => 0,
        _ => 1,
    }
}

/// Index of the operand for the data that an instruction reads or writes.
pub(crate) fn data_at(row: &Row, op: u32, parts_before: usize) -> Option<usize> {
    let written = parts(op).first() == Some(&Part::Data) && parts_before == 0;
    if written {
        position(row, 0, |f| f == Field::RawDst)
    } else {
        position(row, first_data(row), is_raw_src)
    }
}

/// Raw operand that means none.
pub(crate) fn null() -> Operand {
    Operand::Raw {
        var: Var::from_u32(predefined::NULL),
        offset: 0,
    }
}
