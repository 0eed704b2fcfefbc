//! Types that each operation takes, and values worth trying (specification, the page of each instruction: "Operand
//! type maps", "Supported types").

use half::f16;
use kiln_emit::encoding;
use kiln_emit::inst::{MathFn, Op};
use kiln_emit::platform::Platform;
use kiln_visa::opcode::Opcode;

use crate::model::Ty::{self, *};
use crate::random::Random;

/// Source modifiers that an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mods {
    None,
    /// Arithmetic ones.
    Arith,
    /// Arithmetic ones, if the result does not depend on whether a negated unsigned number is one bit wider, which the
    /// specification does not define.
    Ordered,
    Logic,
}

/// Types of destinations and sources that go together.
#[derive(Clone, Copy, Debug)]
pub struct Types {
    pub targets: &'static [&'static [Ty]],
    pub sources: &'static [&'static [Ty]],
}

impl Types {
    /// True if the target has an operation on them: the math unit of some does not divide integers.
    pub fn are_on(&self, op: &str, target: &Platform) -> bool {
        let divides = encoding::has(Op::Math(MathFn::Iqot), target);
        let integers = !self.targets[0].iter().any(|ty| ty.is_float());
        divides || !integers || !matches!(op, "div" | "mod")
    }
}

/// True if an operation is made for these types on the target. Without integers of 64 bits, dwords take the place of
/// those that are moved, selected, compared, shifted or added; without doubles, of those that are moved or selected.
pub fn is_made(op: &str, dst: Ty, sources: &[Ty], saturate: bool, target: &Platform) -> bool {
    let types = || sources.iter().copied().chain([dst]);
    if types().all(|ty| ty.is_on(target)) {
        return true;
    }
    if types().any(Ty::is_float) {
        return matches!(op, "mov" | "sel") && types().all(|ty| ty == dst) && !saturate;
    }
    match op {
        "mov" | "sel" | "min" | "max" | "cmp" => true,
        "and" | "or" | "xor" | "not" | "shl" | "shr" | "asr" | "add" => !saturate,
        _ => false,
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub op: &'static str,
    pub types: &'static [Types],
    pub mods: Mods,
    pub saturates: bool,
    pub immediates: bool,
    /// True if the hardware approximates the function.
    pub near: bool,
    /// Execution sizes; empty for all.
    pub sizes: &'static [usize],
    /// Values of each source.
    pub values: Values,
    /// True if values include the least integer, whose magnitude does not fit its type.
    pub least: bool,
    /// True if there is a second destination for the upper halves.
    pub upper: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    Any,
    /// The last source is not zero.
    Divisor,
    /// Finite and not too far from 1.
    Tame,
    /// As `Tame`, and greater than zero.
    Positive,
    /// Integers whose sums and products every float type can represent.
    Small,
}

const INT: &[Ty] = &[B, Ub, W, Uw, D, Ud];
const SIGNED: &[Ty] = &[B, W, D];
const UNSIGNED: &[Ty] = &[Ub, Uw, Ud];
const DWORDS: &[Ty] = &[D, Ud];
const ANY_INT: &[Ty] = &[B, Ub, W, Uw, D, Ud, Q, Uq];
const WIDE: &[Ty] = &[Q, Uq];
const ALL: &[Ty] = &Ty::ALL;
const BYTES: &[Ty] = &[B, Ub];
const SINGLE: &[Ty] = &[Hf, F];

/// `types!{dst <- src, src; …}`.
macro_rules! types {
    ($($($dst:ident)+ <- $($src:ident),+;)+) => {
        &[$(Types { targets: &[$(types!(@ $dst)),+], sources: &[$(types!(@ $src)),+] }),+]
    };
    (@ Hf) => { &[Hf] };
    (@ F) => { &[F] };
    (@ Df) => { &[Df] };
    (@ D) => { &[D] };
    (@ Ud) => { &[Ud] };
    (@ Q) => { &[Q] };
    (@ Uq) => { &[Uq] };
    (@ $list:ident) => { $list };
}

const fn row(op: &'static str, types: &'static [Types]) -> Row {
    Row {
        op,
        types,
        mods: Mods::None,
        saturates: false,
        immediates: true,
        near: false,
        sizes: &[],
        values: Values::Any,
        least: false,
        upper: false,
    }
}

const fn arith(op: &'static str, types: &'static [Types]) -> Row {
    Row {
        mods: Mods::Arith,
        ..row(op, types)
    }
}

/// A function of floats that the hardware approximates.
const fn function(op: &'static str, values: Values, types: &'static [Types]) -> Row {
    Row {
        near: true,
        values,
        ..row(op, types)
    }
}

pub const ROWS: &[Row] = &[
    // Conversions that the machine does in several steps.
    Row {
        saturates: true,
        mods: Mods::Ordered,
        ..row("mov", types! { BYTES <- WIDE; WIDE <- BYTES; })
    },
    Row {
        saturates: true,
        mods: Mods::Ordered,
        ..row(
            "mov",
            types! { Hf <- WIDE; WIDE <- Hf; Hf <- Df; Df <- Hf; BYTES <- Df; Df <- BYTES; },
        )
    },
    Row {
        saturates: true,
        mods: Mods::Ordered,
        ..row("mov", types! { ALL <- ALL; })
    },
    Row {
        saturates: true,
        ..arith(
            "add",
            types! { INT <- INT, INT; WIDE <- ANY_INT, WIDE; F <- F, F; Hf <- Hf, Hf; Df <- Df, Df; },
        )
    },
    arith(
        "mul",
        types! { INT <- INT, INT; F <- F, F; Hf <- Hf, Hf; Df <- Df, Df; },
    ),
    Row {
        least: true,
        ..arith("mul", types! { Q <- D, D; Uq <- Ud, Ud; })
    },
    Row {
        least: true,
        ..arith("mul", types! { DWORDS <- DWORDS, DWORDS; })
    },
    Row {
        saturates: true,
        ..arith("mul", types! { F <- F, F; Hf <- Hf, Hf; Df <- Df, Df; })
    },
    Row {
        saturates: true,
        mods: Mods::Ordered,
        ..row(
            "avg",
            types! { SIGNED <- SIGNED, SIGNED; UNSIGNED <- UNSIGNED, UNSIGNED; },
        )
    },
    arith(
        "mad",
        types! { INT <- INT, INT, INT; F <- F, F, F; Df <- Df, Df, Df; },
    ),
    Row {
        values: Values::Small,
        saturates: true,
        ..arith(
            "mad",
            types! { Hf <- Hf, Hf, Hf; F <- F, F, F; Df <- Df, Df, Df; },
        )
    },
    // Half and single floats may be mixed; small integers give the same result in both.
    Row {
        values: Values::Small,
        ..arith("mul", types! { SINGLE <- SINGLE, SINGLE; })
    },
    Row {
        values: Values::Small,
        ..arith("mad", types! { SINGLE <- SINGLE, SINGLE, SINGLE; })
    },
    Row {
        values: Values::Small,
        mods: Mods::Ordered,
        ..row("sel", types! { SINGLE <- SINGLE, SINGLE; })
    },
    Row {
        values: Values::Small,
        ..arith("lrp", types! { F <- F, F, F; })
    },
    Row {
        mods: Mods::Logic,
        ..row("and", types! { INT <- INT, INT; WIDE <- WIDE, WIDE; })
    },
    Row {
        mods: Mods::Logic,
        ..row("or", types! { INT <- INT, INT; WIDE <- WIDE, WIDE; })
    },
    Row {
        mods: Mods::Logic,
        ..row("xor", types! { INT <- INT, INT; WIDE <- WIDE, WIDE; })
    },
    Row {
        mods: Mods::Logic,
        ..row("not", types! { INT <- INT; WIDE <- WIDE; })
    },
    arith(
        "shl",
        types! { INT <- INT, INT; WIDE <- WIDE, ANY_INT; INT <- WIDE, ANY_INT; },
    ),
    row(
        "shr",
        types! { UNSIGNED <- UNSIGNED, INT; Uq <- Uq, ANY_INT; UNSIGNED <- Uq, ANY_INT; },
    ),
    Row {
        mods: Mods::Ordered,
        ..row(
            "asr",
            types! { SIGNED <- SIGNED, INT; Q <- Q, ANY_INT; SIGNED <- Q, ANY_INT; },
        )
    },
    // Mixed types, signed with unsigned.
    Row {
        saturates: true,
        ..arith("add", types! { INT <- ANY_INT, ANY_INT; WIDE <- INT, INT; })
    },
    arith("mul", types! { WIDE <- INT, INT; }),
    Row {
        mods: Mods::Ordered,
        saturates: true,
        ..row("avg", types! { INT <- INT, INT; })
    },
    arith(
        "mad",
        types! { INT <- ANY_INT, ANY_INT, ANY_INT; WIDE <- INT, INT, ANY_INT; },
    ),
    Row {
        values: Values::Divisor,
        mods: Mods::Ordered,
        ..row(
            "div",
            types! { INT <- SIGNED, SIGNED; INT <- UNSIGNED, UNSIGNED; },
        )
    },
    Row {
        mods: Mods::Logic,
        ..row(
            "and",
            types! { INT <- ANY_INT, ANY_INT; WIDE <- ANY_INT, ANY_INT; },
        )
    },
    Row {
        mods: Mods::Logic,
        ..row(
            "xor",
            types! { INT <- ANY_INT, ANY_INT; WIDE <- ANY_INT, ANY_INT; },
        )
    },
    Row {
        mods: Mods::Logic,
        ..row("not", types! { INT <- ANY_INT; WIDE <- ANY_INT; })
    },
    row("cbit", types! { DWORDS <- UNSIGNED; }),
    row("bfrev", types! { DWORDS <- DWORDS; }),
    row(
        "bfe",
        types! { DWORDS <- UNSIGNED, UNSIGNED, Ud; D <- UNSIGNED, UNSIGNED, D; },
    ),
    Row {
        saturates: true,
        mods: Mods::Ordered,
        ..row("sel", types! { INT <- ANY_INT, ANY_INT; WIDE <- INT, INT; })
    },
    Row {
        saturates: true,
        mods: Mods::Ordered,
        ..row("min", types! { INT <- INT, INT; WIDE <- INT, INT; })
    },
    Row {
        saturates: true,
        mods: Mods::Ordered,
        ..row("max", types! { INT <- INT, INT; WIDE <- INT, INT; })
    },
    Row {
        mods: Mods::Ordered,
        ..row("cmp", types! { ANY_INT <- INT, INT; })
    },
    Row {
        values: Values::Small,
        saturates: true,
        ..arith("add", types! { SINGLE <- SINGLE, SINGLE; })
    },
    Row {
        values: Values::Small,
        mods: Mods::Ordered,
        ..row("min", types! { SINGLE <- SINGLE, SINGLE; })
    },
    Row {
        values: Values::Small,
        mods: Mods::Ordered,
        ..row("max", types! { SINGLE <- SINGLE, SINGLE; })
    },
    Row {
        values: Values::Small,
        mods: Mods::Ordered,
        ..row("cmp", types! { ALL <- SINGLE, SINGLE; })
    },
    Row {
        values: Values::Small,
        ..arith("lrp", types! { F <- SINGLE, SINGLE, SINGLE; })
    },
    row("rndd", types! { F <- SINGLE; }),
    row("rnde", types! { F <- SINGLE; }),
    row("rndz", types! { F <- SINGLE; }),
    row("rndu", types! { F <- SINGLE; }),
    row("divm", types! { Df <- F, Df; F <- Df, F; }),
    function(
        "sqrt",
        Values::Positive,
        types! { SINGLE <- SINGLE; Df <- Df; },
    ),
    function(
        "inv",
        Values::Positive,
        types! { SINGLE <- SINGLE; Df <- Df; },
    ),
    function(
        "div",
        Values::Positive,
        types! { SINGLE <- SINGLE, SINGLE; Df <- Df, Df; },
    ),
    function("exp", Values::Tame, types! { SINGLE <- SINGLE; }),
    row("cbit", types! { Ud <- UNSIGNED; }),
    row("lzd", types! { Ud <- Ud; }),
    row("fbl", types! { Ud <- Ud; }),
    row("fbh", types! { Ud <- Ud; Ud <- D; }),
    row("bfrev", types! { Ud <- Ud; }),
    Row {
        saturates: true,
        mods: Mods::Ordered,
        ..row(
            "sel",
            types! { INT <- INT, INT; WIDE <- ANY_INT, ANY_INT; F <- F, F; Hf <- Hf, Hf; Df <- Df, Df; },
        )
    },
    Row {
        saturates: true,
        mods: Mods::Ordered,
        ..row(
            "min",
            types! { SIGNED <- SIGNED, SIGNED; UNSIGNED <- UNSIGNED, UNSIGNED; Q <- Q, Q; Uq <- Uq, Uq; F <- F, F; Hf <- Hf, Hf; Df <- Df, Df; },
        )
    },
    Row {
        saturates: true,
        mods: Mods::Ordered,
        ..row(
            "max",
            types! { SIGNED <- SIGNED, SIGNED; UNSIGNED <- UNSIGNED, UNSIGNED; Q <- Q, Q; Uq <- Uq, Uq; F <- F, F; Hf <- Hf, Hf; Df <- Df, Df; },
        )
    },
    Row {
        mods: Mods::Ordered,
        ..row(
            "cmp",
            types! { SIGNED <- SIGNED, SIGNED; UNSIGNED <- UNSIGNED, UNSIGNED; Q <- Q, Q; Uq <- Uq, Uq; F <- F, F; Hf <- Hf, Hf; Df <- Df, Df; },
        )
    },
    Row {
        mods: Mods::Ordered,
        ..row(
            "cmp",
            types! { INT <- SIGNED, SIGNED; INT <- UNSIGNED, UNSIGNED; },
        )
    },
    Row {
        least: true,
        ..arith("mulh", types! { DWORDS <- DWORDS, DWORDS; })
    },
    Row {
        least: true,
        upper: true,
        sizes: &[1, 2, 4, 8, 16],
        ..arith("madw", types! { DWORDS <- DWORDS, DWORDS, DWORDS; })
    },
    Row {
        least: true,
        ..arith("mad", types! { DWORDS <- DWORDS, DWORDS, DWORDS; })
    },
    Row {
        values: Values::Divisor,
        mods: Mods::Ordered,
        ..row(
            "div",
            types! { SIGNED <- SIGNED, SIGNED; UNSIGNED <- UNSIGNED, UNSIGNED; },
        )
    },
    Row {
        values: Values::Divisor,
        mods: Mods::Ordered,
        ..row(
            "mod",
            types! { SIGNED <- SIGNED, SIGNED; UNSIGNED <- UNSIGNED, UNSIGNED; },
        )
    },
    row("divm", types! { F <- F, F; Df <- Df, Df; }),
    row("sqrtm", types! { F <- F; Df <- Df; }),
    function("div", Values::Positive, types! { F <- F, F; }),
    Row {
        mods: Mods::Arith,
        ..row("frc", types! { F <- F; })
    },
    Row {
        mods: Mods::Arith,
        saturates: true,
        ..row("rndd", types! { F <- F; })
    },
    Row {
        mods: Mods::Arith,
        saturates: true,
        ..row("rndu", types! { F <- F; })
    },
    Row {
        mods: Mods::Arith,
        saturates: true,
        ..row("rndz", types! { F <- F; })
    },
    Row {
        mods: Mods::Arith,
        saturates: true,
        ..row("rnde", types! { F <- F; })
    },
    function("inv", Values::Positive, types! { F <- F; Hf <- Hf; }),
    function("sqrt", Values::Positive, types! { F <- F; Hf <- Hf; }),
    function("rsqrt", Values::Positive, types! { F <- F; Hf <- Hf; }),
    function("log", Values::Positive, types! { F <- F; Hf <- Hf; }),
    function("exp", Values::Tame, types! { F <- F; Hf <- Hf; }),
    function("sin", Values::Tame, types! { F <- F; }),
    function("cos", Values::Tame, types! { F <- F; }),
    function("pow", Values::Positive, types! { F <- F, F; }),
    row("bfe", types! { Ud <- Ud, Ud, Ud; D <- D, D, D; }),
    row("bfi", types! { Ud <- Ud, Ud, Ud, Ud; D <- D, D, D, D; }),
    row("addc", types! { Ud Ud <- Ud, Ud; }),
    row("subb", types! { Ud Ud <- Ud, Ud; }),
];

impl Row {
    /// True if the target has the operation, on types that it has.
    pub fn is_on(&self, target: &Platform) -> bool {
        let known = Opcode::rows().iter().find(|row| row.mnemonic == self.op);
        let made = |types: &Types| {
            let mut sources = vec![Vec::new()];
            for list in types.sources {
                let longer = |one: &Vec<Ty>| {
                    let more = list.iter().map(|ty| [one.as_slice(), &[*ty]].concat());
                    more.collect::<Vec<_>>()
                };
                sources = sources.iter().flat_map(longer).collect();
            }
            let of = |dst: &Ty| {
                let mut all = sources.iter();
                all.any(|sources| is_made(self.op, *dst, sources, false, target))
            };
            types.targets[0].iter().any(of)
        };
        let types = self.types.iter().any(made);
        types && known.is_none_or(|row| row.platforms.contains(target.generation))
    }

    /// A value of source `k`, as the bits of an element.
    pub fn value(&self, r: &mut Random, k: usize, ty: Ty) -> u64 {
        let last = k + 1 == self.types[0].sources.len();
        let bits = if ty.is_float() {
            self.float(r, ty)
        } else {
            self.integer(r, ty)
        };
        if self.values == Values::Divisor && last && bits == 0 {
            3
        } else {
            bits
        }
    }

    fn integer(&self, r: &mut Random, ty: Ty) -> u64 {
        let ones = u64::MAX >> (64 - ty.bytes() * 8);
        let top = ones ^ ones >> 1;
        let bits = match r.below(8) {
            0 => 0,
            1 => 1,
            2 => ones,
            3 => ones >> 1,
            4 => top + u64::from(!self.least),
            5 => r.next() & 0x3f,
            _ => r.next(),
        } & ones;
        // The magnitude of the least integer does not fit its type.
        if ty.is_signed() && bits == top && !self.least {
            top + 7
        } else {
            bits
        }
    }

    fn float(&self, r: &mut Random, ty: Ty) -> u64 {
        let wild = self.values == Values::Any;
        let value = match r.below(if wild { 16 } else { 12 }) {
            _ if self.values == Values::Small => r.below(33) as f64 - 16.0,
            0 => 1.0,
            1 => r.below(9) as f64 * 0.5,
            2..=11 => {
                let fraction = 1.0 + (r.next() >> 12) as f64 / (1u64 << 52) as f64;
                let scale = f64::powi(2.0, r.below(7) as i32 - 3);
                if r.below(2) == 0 {
                    fraction * scale
                } else {
                    -fraction * scale
                }
            }
            12 => f64::INFINITY,
            13 => f64::NEG_INFINITY,
            14 => f64::NAN,
            // Denormal as a half float only.
            _ => -1e-6,
        };
        let value = match self.values {
            Values::Positive => value.abs() + 0.125,
            _ => value,
        };
        match ty {
            Ty::Hf => f16::from_f64(value).to_bits().into(),
            Ty::F => (value as f32).to_bits().into(),
            _ => value.to_bits(),
        }
    }
}
