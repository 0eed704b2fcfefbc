//! Types of operands that operations are defined for: positive lists by operation and family.
//!
//! Sources: the operations' own pages (PRM vol. 2a, "Src Types" and "Dst Types"), the type mappings of the reference assembler
//! (IGA, `Models/bxml`), and what the reference compiler's code of all corpora has beyond them: shifts and rotations by
//! numbers of another type, shifts of signed numbers as unsigned, signed results of counts, 64-bit integers beside narrower
//! ones. Types that a platform does not compute with at all are in the rows of operations all the same.

use crate::family::Family::{self, Gen9, Gen11, Xe3, XeHpc, XeHpg};
use crate::isa::Op;
use crate::isa::Type::{self, B, Bf, Bf8, D, Df, F, Hf, Nf, Q, Tf32, Ub, Ud, Uq, Uv, Uw, V, Vf, W};

/// A set of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Types(u32);

impl Types {
    const fn or(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    /// A packed immediate has the type of its elements' values.
    fn has(self, ty: Type) -> bool {
        let ty = match ty {
            V => W,
            Uv => Uw,
            Vf => F,
            ty => ty,
        };
        self.0 >> ty as u32 & 1 == 1
    }
}

const fn of<const N: usize>(types: [Type; N]) -> Types {
    let mut bits = 0;
    let mut at = 0;
    while at < N {
        bits |= 1 << types[at] as u32;
        at += 1;
    }
    Types(bits)
}

const BYTES: Types = of([Ub, B]);
const WORDS: Types = of([Uw, W]);
const DWORDS: Types = of([Ud, D]);
const LONGS: Types = of([Uq, Q]);
/// Integers of 16 and 32 bits.
const MIDDLE: Types = WORDS.or(DWORDS);
/// Integers of up to 32 bits.
const SHORT: Types = BYTES.or(MIDDLE);
/// Integers of 16 to 64 bits.
const WIDE: Types = MIDDLE.or(LONGS);
const INTEGERS: Types = SHORT.or(LONGS);
const UNSIGNED: Types = of([Uw, Ud]);
const SMALL_FLOATS: Types = of([Hf, F]);

/// Types that go together: of the result, the first source, and the other sources, on some families.
#[derive(Clone, Copy, Debug)]
struct Row {
    result: Types,
    first: Types,
    others: Types,
    since: Family,
    until: Family,
}

impl Row {
    const fn since(mut self, family: Family) -> Row {
        self.since = family;
        self
    }

    /// Only on one family.
    const fn only(mut self, family: Family) -> Row {
        (self.since, self.until) = (family, family);
        self
    }
}

/// Results of some types from sources of others.
const fn from(result: Types, sources: Types) -> Row {
    by(result, sources, sources)
}

/// Results and sources of the same types.
const fn all(types: Types) -> Row {
    from(types, types)
}

/// The first source and the others have types of their own.
const fn by(result: Types, first: Types, others: Types) -> Row {
    Row {
        result,
        first,
        others,
        since: Gen9,
        until: Xe3,
    }
}

const HALF: Row = all(of([Hf]));
const SINGLE: Row = all(of([F]));
const DOUBLE: Row = all(of([Df]));
const MIXED: Row = all(SMALL_FLOATS);
const BRAINS: Row = all(of([F, Bf])).since(XeHpg);

const SUMS: &[Row] = &[
    all(SHORT),
    all(WIDE),
    DOUBLE,
    MIXED,
    BRAINS,
    from(SMALL_FLOATS, SHORT),
];
const SELECTIONS: &[Row] = &[
    all(SHORT),
    all(WIDE),
    from(LONGS, INTEGERS).only(Gen9),
    DOUBLE,
    MIXED,
    BRAINS,
];
const BITS: &[Row] = &[all(SHORT), all(WIDE), by(LONGS, LONGS, SHORT).only(Gen9)];
const SHIFTS: &[Row] = &[by(SHORT, SHORT, INTEGERS), by(WIDE, WIDE, INTEGERS)];
const ROTATIONS: &[Row] = &[
    by(of([Uw]), of([Uw]), SHORT),
    by(of([Ud]), of([Ud]), SHORT),
    by(of([Uq]), of([Uq]), INTEGERS),
];
const FIELDS: &[Row] = &[all(of([Ud])), all(of([D]))];
const SINGLES: &[Row] = &[SINGLE];
const CONDITIONALS: &[Row] = &[
    SINGLE,
    MIXED.since(Gen11),
    all(DWORDS).since(Gen11),
    all(WORDS).since(Gen11),
];
const PRODUCTS: &[Row] = &[
    from(MIDDLE, SHORT),
    from(LONGS, DWORDS),
    DOUBLE,
    MIXED,
    BRAINS,
];
const ACCUMULATIONS: &[Row] = &[from(SHORT, BYTES.or(WORDS)), DOUBLE, MIXED, BRAINS];
const SUMS_OF_PRODUCTS: &[Row] = &[
    DOUBLE,
    MIXED,
    BRAINS,
    all(of([F, Nf])).since(Gen11),
    from(MIDDLE, SHORT).since(Gen11),
    from(LONGS, DWORDS.or(LONGS)).since(Xe3),
];
const MOVES: &[Row] = &[
    all(SHORT),
    all(WIDE),
    from(SMALL_FLOATS, SHORT),
    from(SHORT, SMALL_FLOATS),
    MIXED,
    from(LONGS, of([F, Df])),
    from(of([F, Df]), LONGS),
    from(of([Df]), MIDDLE.or(of([F, Df]))),
    from(MIDDLE.or(of([F])), of([Df])),
    all(of([F, Nf])).since(Gen11),
    from(of([Bf]), of([F, Bf])).since(XeHpg),
    from(of([Tf32]), of([F, Tf32])).since(XeHpc),
    from(of([Hf, Bf8]), of([Hf, Bf8])).since(XeHpc),
];

/// The rows of an operation; none if its types have rules of their own, or it has none.
fn rows(op: Op) -> Option<&'static [Row]> {
    Some(match op {
        Op::Mov => MOVES,
        Op::Add | Op::Cmp | Op::Cmpn => SUMS,
        Op::Sel => SELECTIONS,
        Op::And | Op::Or | Op::Xor | Op::Not => BITS,
        Op::Asr | Op::Shl | Op::Shr => SHIFTS,
        Op::Rol | Op::Ror => ROTATIONS,
        Op::Bfe | Op::Bfi1 | Op::Bfi2 | Op::Bfrev => FIELDS,
        Op::Addc | Op::Subb => const { &[by(of([Ud]), of([Ud]), of([Ud, Uw, W]))] },
        Op::Avg => const { &[all(SHORT)] },
        Op::Cbit => const { &[from(DWORDS, of([Ub, Uw, Ud]))] },
        Op::Fbh => const { &[all(DWORDS)] },
        Op::Fbl => const { &[from(DWORDS, UNSIGNED)] },
        Op::Lzd => const { &[from(DWORDS, SHORT)] },
        Op::Csel => CONDITIONALS,
        Op::Dp2 | Op::Dp3 | Op::Dp4 | Op::Dph | Op::Line | Op::Lrp | Op::Pln => SINGLES,
        Op::Frc | Op::Rndu | Op::Rndd | Op::Rnde | Op::Rndz => const { &[HALF, SINGLE, DOUBLE] },
        Op::Mul => PRODUCTS,
        Op::Mac => ACCUMULATIONS,
        Op::Mach | Op::Macl => const { &[all(DWORDS)] },
        Op::Mad => SUMS_OF_PRODUCTS,
        Op::Add3 => const { &[all(MIDDLE)] },
        // Scalars may be signed.
        Op::Bfn(_) => const { &[from(UNSIGNED, MIDDLE)] },
        Op::Dp4a => const { &[all(DWORDS)] },
        Op::Sad2 | Op::Sada2 => const { &[from(WORDS, BYTES)] },
        Op::Srnd => const { &[from(of([Hf]), of([F])), from(of([Bf8]), of([Hf]))] },
        _ => return None,
    })
}

/// True if an operation is defined for operands of these types on a family. Operations without a list have rules of
/// their own.
pub fn is_defined(
    op: Op,
    family: Family,
    result: Type,
    mut sources: impl Iterator<Item = Type> + Clone,
) -> bool {
    let Some(rows) = rows(op) else { return true };
    let first = sources.next();
    rows.iter().any(|row| {
        let known = row.since as u8 <= family as u8 && family as u8 <= row.until as u8;
        let of_first = first.is_none_or(|ty| row.first.has(ty));
        known && row.result.has(result) && of_first && sources.clone().all(|ty| row.others.has(ty))
    })
}
