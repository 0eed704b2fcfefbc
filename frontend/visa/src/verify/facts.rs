//! Tables of the types, modifiers and execution sizes that each instruction allows.
//!
//! Source: the page of each instruction of the vISA specification ("Type map", "Saturation", "Source Modifier",
//! "Must have type"). Where the reference compiler accepts more (half and single precision together, `vf` for a
//! float, either sign where bits are only shifted or counted, offsets of type d), so do the tables, since producers
//! emit it.

use std::fmt;

use crate::module::Type;
use crate::opcode::{AtomicOp, LATER, Opcode};
use kiln_platform::platform::{Generation, Generations};

/// Number of opcodes, which index the tables.
const OPCODES: usize = Opcode::rows().len();

/// A set of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Types(u16);

impl Types {
    pub const NONE: Types = Types(0);

    const fn of(types: &[Type]) -> Types {
        let mut set = 0;
        let mut i = 0;
        while i < types.len() {
            set |= 1 << types[i] as u8;
            i += 1;
        }
        Types(set)
    }

    pub const fn or(self, other: Types) -> Types {
        Types(self.0 | other.0)
    }

    pub const fn contains(self, ty: Type) -> bool {
        self.0 >> ty as u8 & 1 != 0
    }

    pub const fn one(ty: Type) -> Types {
        Types::of(&[ty])
    }

    /// True if all types of another set are in this one.
    pub const fn has_all(self, other: Types) -> bool {
        other.0 & !self.0 == 0
    }
}

/// `ud, d or f`.
impl fmt::Display for Types {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut rest = (0..16).filter_map(Type::from_number);
        let mut rest: Vec<Type> = rest.by_ref().filter(|ty| self.contains(*ty)).collect();
        let last = rest.pop().map_or("nothing", Type::name);
        for (i, ty) in rest.iter().enumerate() {
            let comma = if i + 1 < rest.len() { ", " } else { " or " };
            write!(f, "{}{comma}", ty.name())?;
        }
        f.write_str(last)
    }
}

/// Combination of types of the destination and of all sources.
#[derive(Clone, Copy, Debug)]
pub struct Map {
    pub dst: Types,
    pub src: Types,
    /// Platforms that have the combination.
    pub on: Generations,
}

/// Destinations that can be saturated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Saturation {
    No,
    /// Destinations of a floating-point type.
    Float,
    Yes,
}

/// Modifiers that sources can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modifiers {
    No,
    /// `(-)`, `(abs)` and `(-abs)`.
    Arith,
    /// `(~)`.
    Logic,
}

/// Types and modifiers that an instruction on vector operands allows.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    pub saturation: Saturation,
    pub modifiers: Modifiers,
    /// Combinations of types, one of which must fit.
    pub maps: &'static [Map],
}

pub const FLOATS: Types = Types::of(&[Type::F, Type::Df, Type::Hf, Type::Bf, Type::Vf]);

const SMALL: Types = Types::of(&[Type::Ub, Type::B, Type::Uw, Type::W, Type::Ud, Type::D]);
const QUAD: Types = Types::of(&[Type::Uq, Type::Q]);
const PACKED: Types = Types::of(&[Type::V, Type::Uv]);
const INT: Types = SMALL.or(QUAD);
const INT_SRC: Types = INT.or(PACKED);
const SMALL_SRC: Types = SMALL.or(PACKED);
const DWORD: Types = Types::of(&[Type::Ud, Type::D]);
const DWORD_SRC: Types = DWORD.or(PACKED);
const UD: Types = Types::of(&[Type::Ud]);
const UD_SRC: Types = UD.or(Types::of(&[Type::Uv]));
const UB: Types = Types::of(&[Type::Ub]);
const UW: Types = Types::of(&[Type::Uw]);
const B: Types = Types::of(&[Type::B]);
const BYTE: Types = UB.or(B);
const WORD: Types = Types::of(&[Type::Uw, Type::W]);
const WORD_DWORD: Types = WORD.or(DWORD);
const F: Types = Types::of(&[Type::F]);
const F_HF: Types = Types::of(&[Type::F, Type::Hf]);
const F_HF_SRC: Types = Types::of(&[Type::F, Type::Hf, Type::Vf]);
const HF: Types = Types::of(&[Type::Hf]);
const BF: Types = Types::of(&[Type::Bf]);
const F_BF: Types = Types::of(&[Type::F, Type::Bf]);
const DF: Types = Types::of(&[Type::Df]);
const F_DF: Types = F.or(DF);
const NUMBERS: Types = INT.or(F_HF).or(DF);
const NUMBERS_SRC: Types = NUMBERS.or(PACKED).or(Types::of(&[Type::Vf]));
const BITS_32: Types = DWORD.or(F);

const ALL: Generations = Generations::ALL;
const XEHP_ON: Generations = Generations::from(Generation::XeHp);
const BEFORE_XEHP: Generations = Generations::before(Generation::XeHp);
const PVC_ON: Generations = Generations::from(Generation::Pvc);
/// Platforms without the macros for IEEE division and square root.
const NO_MACROS: Generations = Generations::only(&[
    Generation::Icllp,
    Generation::Tgllp,
    Generation::Dg2,
    Generation::Mtl,
]);
const MACROS: Generations = NO_MACROS.not();

macro_rules! facts {
    ($($($op:ident)+: $saturation:ident $modifiers:ident
        [$($dst:ident <- $src:ident $(on $on:ident)?),*];)*) => {
        const FACTS: &[(&[Opcode], Facts)] = &[$((
            &[$(Opcode::$op),+],
            Facts {
                saturation: Saturation::$saturation,
                modifiers: Modifiers::$modifiers,
                maps: &[$(Map { dst: $dst, src: $src, on: [$($on,)? ALL][0] }),*],
            },
        )),*];
    };
}

facts! {
    // Instruction: saturation, modifiers of its sources, types.
    Add: Yes Arith [INT <- INT_SRC, DF <- DF, F_HF <- F_HF_SRC, F_BF <- F_BF on XEHP_ON];
    Mul: Float Arith [INT <- SMALL_SRC, DF <- DF, F_HF <- F_HF_SRC, F_BF <- F_BF on XEHP_ON];
    Mad: Float Arith [INT <- INT_SRC, DF <- DF, F_HF <- F_HF_SRC, F_BF <- F_BF on XEHP_ON];
    Avg: Yes Arith [SMALL <- SMALL_SRC];
    Div: Float Arith [SMALL <- SMALL_SRC on BEFORE_XEHP, DF <- DF on MACROS, F_HF <- F_HF_SRC];
    Mod: Yes Arith [SMALL <- SMALL_SRC];
    Mulh Madw: No Arith [DWORD <- DWORD_SRC];
    Add3: Yes Arith [WORD_DWORD <- WORD_DWORD];
    Add3O: No Arith [WORD_DWORD <- WORD_DWORD];
    Addc Subb: No No [UD <- UD_SRC];
    Dp4a: Yes No [DWORD <- DWORD];
    Dp2 Dp3 Dp4 Dph Lrp Plane: Yes Arith [F <- F_HF_SRC];
    Line: Yes Arith [F <- F_HF_SRC, INT <- INT_SRC];
    Frc: No Arith [F <- F_HF_SRC];
    Rndd Rndu Rnde Rndz: Yes Arith [F <- F_HF_SRC];
    Exp Log Sin Cos Pow Rsqrt Tanh Sigm: Yes Arith [F_HF <- F_HF_SRC, BF <- BF on PVC_ON];
    Sqrt Inv: Yes Arith [F_HF <- F_HF_SRC, DF <- DF on MACROS, BF <- BF on PVC_ON];
    Sqrtm Divm: Yes Arith [F_DF <- F_DF];
    Invm Rsqtm: No Arith [F_DF <- F_DF];
    Lzd: No No [UD <- DWORD_SRC];
    Sad2: Yes Arith [WORD <- BYTE];
    Srnd: No No [UB <- HF_RANDOM, HF <- F_RANDOM];

    And Or Xor Not: No Logic [INT <- INT_SRC];
    Shl Shr Asr: Yes Arith [INT <- INT_SRC];
    Rol Ror: No No [WORD_DWORD <- INT_SRC, QUAD <- INT_SRC on PVC_ON];
    Cbit Fbh Fbl: No No [DWORD <- SMALL_SRC];
    Bfrev Bfe Bfi: No No [DWORD <- SMALL_SRC];
    Bfn: No No [WORD_DWORD <- WORD_DWORD_SRC];
    Lfsr: No No [UD <- UD];

    Sel: Yes Arith [INT <- INT_SRC, DF <- DF, F_HF <- F_HF_SRC, F_BF <- F_BF on XEHP_ON];
    FMinMax: Yes Arith [INT <- INT_SRC, DF <- DF, F_HF <- F_HF_SRC, BF <- BF on PVC_ON];
    Mov: Yes Arith [NUMBERS <- NUMBERS_SRC, F_BF <- F_BF on XEHP_ON];
    Cmp: No Arith [NUMBERS <- INT_SRC, NUMBERS <- DF, NUMBERS <- F_HF_SRC, F_BF <- F_BF on XEHP_ON];
    // A `ub` is `bf8`, a `b` is `hf8`, a `ud` is `tf32`.
    Fcvt: No No [HF <- UB, UB <- HF, HF <- B on LATER, B <- HF on LATER, UD <- F, F <- UD];
}

/// Sources of `srnd`: the value, and the random bits.
const HF_RANDOM: Types = HF.or(UB).or(UW);
const F_RANDOM: Types = F.or(UB).or(UW);
const WORD_DWORD_SRC: Types = WORD_DWORD.or(PACKED);

static BY_OPCODE: [Option<&Facts>; OPCODES] = {
    let mut by_opcode = [None; OPCODES];
    let mut i = 0;
    while i < FACTS.len() {
        let (ops, facts) = &FACTS[i];
        let mut op = 0;
        while op < ops.len() {
            by_opcode[ops[op] as usize] = Some(facts);
            op += 1;
        }
        i += 1;
    }
    by_opcode
};

impl Facts {
    /// Facts of an opcode; `None` if it does not calculate.
    pub fn of(op: Opcode) -> Option<&'static Facts> {
        BY_OPCODE[op as usize]
    }

    /// True if one of the maps has all these types of destinations and sources, on the platform.
    pub fn have(&self, dst: Types, src: Types, platform: Option<Generation>) -> bool {
        self.maps.iter().any(|map| {
            map.dst.has_all(dst)
                && map.src.has_all(src)
                && platform.is_none_or(|platform| map.on.contains(platform))
        })
    }
}

macro_rules! operands {
    ($($op:ident: $($operand:literal $types:expr),*;)*) => {
        &[$((Opcode::$op, &[$(($operand, $types)),*])),*]
    };
}

/// Types of single operands, by instruction and number of the operand: messages, and instructions with a type for
/// each operand. `%null` has no type. Data of memory are raw: their layout follows from the instruction alone, and
/// producers declare them as they use them elsewhere.
const OPERANDS: &[(Opcode, &[(usize, Types)])] = operands! {
    AddrAdd: 2 WORD.or(BYTE).or(PACKED);
    Setp: 1 INT;
    // The front end of the reference compiler moves handles of 64 bits.
    Movs: 0 DWORD, 1 DWORD.or(QUAD);
    Sad2Add: 0 WORD, 1 BYTE, 2 BYTE, 3 WORD;
    SwitchJmp: 0 SMALL;
    OwordLd: 3 DWORD;
    OwordSt: 2 DWORD;
    OwordLdUnaligned: 3 DWORD;
    MediaLd: 5 DWORD, 6 DWORD;
    MediaSt: 5 DWORD, 6 DWORD;
    Gather: 3 DWORD, 4 DWORD;
    Scatter: 2 DWORD, 3 DWORD;
    GatherScaled: 4 DWORD, 5 DWORD;
    ScatterScaled: 4 DWORD, 5 DWORD;
    Gather4Scaled: 3 DWORD, 4 DWORD;
    Scatter4Scaled: 3 DWORD, 4 DWORD;
    Gather4Typed: 2 DWORD, 3 DWORD, 4 DWORD, 5 DWORD;
    Scatter4Typed: 2 DWORD, 3 DWORD, 4 DWORD, 5 DWORD;
    QwGather: 2 DWORD;
    QwScatter: 2 DWORD;
    DwordAtomic: 2 UD;
    TypedAtomic: 2 DWORD, 3 DWORD, 4 DWORD, 5 DWORD;
    SvmBlockLd: 1 QUAD;
    SvmBlockSt: 1 QUAD;
    SvmGather: 2 QUAD;
    SvmScatter: 2 QUAD;
    SvmAtomic: 1 QUAD;
    SvmGather4Scaled: 2 ADDRESS, 3 QUAD;
    SvmScatter4Scaled: 2 ADDRESS.or(DWORD), 3 QUAD;
    Sample3d: 2 UW, 5 SAMPLED;
    Load3d: 2 UW, 4 SAMPLED;
    Gather4Sampler: 2 UW, 5 SAMPLED;
    ResInfo: 2 BITS_32, 3 DWORD;
    SampleInfo: 2 DWORD;
    SampleUnorm: 3 F, 4 F, 5 F, 6 F, 7 UW;
    Avs: 3 F, 4 F, 5 F, 6 F, 7 F, 11 F, 13 UB;
    VmeIme: 2 UB, 3 UB, 5 UW, 6 UW, 7 UW, 8 UB;
    VmeSic: 0 UB, 1 UB, 3 UB;
    VmeFbr: 0 UB, 1 UB, 3 DWORD, 4 DWORD, 5 DWORD, 6 UB;
    VmeIdm: 0 UB, 1 UB, 3 UB;
    // The specification allows `ub` only; the reference takes any of these and uses eight bits.
    Wait: 0 SMALL;
    Nbarrier: 1 SMALL, 2 SMALL, 3 SMALL, 4 SMALL;
    UrbWrite: 1 DWORD, 3 DWORD, 4 DWORD, 5 BITS_32;
    Dpas: 0 ACCUMULATED, 1 ACCUMULATED, 2 DWORD, 3 DWORD;
    Dpasw: 0 ACCUMULATED, 1 ACCUMULATED, 2 DWORD, 3 DWORD;
    ShflIdx4: 0 UD, 1 UD, 2 UB.or(UW);
};

/// Data is moved as dwords, whatever the type of its variable.
/// The base of a message may be an immediate of either size.
const ADDRESS: Types = QUAD.or(DWORD);
const SAMPLED: Types = WORD_DWORD.or(F_HF);
/// `dpas`: older modules have words for `bf`.
const ACCUMULATED: Types = DWORD.or(F_HF).or(BF).or(WORD);

impl Types {
    /// Types of sampler parameters from Ice Lake on. The reference compiler also writes integers of the same size.
    pub const SAMPLED: Types = F_HF.or(WORD_DWORD);
    pub const SAMPLED_BEFORE: Types = F.or(DWORD);
    /// Types of parameters of loads.
    pub const LOADED: Types = WORD_DWORD.or(F_HF);
}

/// Types of an atomic's sources and result, by its operation.
pub const ATOMIC_TYPES: &[(&[AtomicOp], Types)] = {
    use AtomicOp as A;
    &[
        (&[A::FMax, A::FMin, A::FCmpWr, A::FAdd, A::FSub], FLOAT_DATA),
        (
            &[
                A::Add,
                A::Sub,
                A::Inc,
                A::Dec,
                A::Min,
                A::Max,
                A::Xchg,
                A::CmpXchg,
                A::And,
                A::Or,
                A::Xor,
                A::IMin,
                A::IMax,
                A::PreDec,
            ],
            INT_DATA,
        ),
    ]
};

const FLOAT_DATA: Types = F.or(HF).or(DF);
const INT_DATA: Types = WORD_DWORD.or(QUAD);

/// Operands whose types are restricted, by their number, with the allowed types.
pub fn operand_types(op: Opcode) -> &'static [(usize, Types)] {
    BY_OPERAND[op as usize]
}

static BY_OPERAND: [&[(usize, Types)]; OPCODES] = {
    let mut by_operand: [&[(usize, Types)]; OPCODES] = [&[]; OPCODES];
    let mut i = 0;
    while i < OPERANDS.len() {
        let (op, operands) = OPERANDS[i];
        by_operand[op as usize] = operands;
        i += 1;
    }
    by_operand
};

/// Execution sizes of instructions that do not have all, and the platforms that have them.
const SIZES: &[(&[Opcode], &[u8], Generations)] = &[
    (
        &[Opcode::Sample3d, Opcode::Load3d, Opcode::Gather4Sampler],
        &[1, 8, 16, 32],
        ALL,
    ),
    (&[Opcode::ResInfo, Opcode::SampleInfo], &[1, 8, 16, 32], ALL),
    (
        &[Opcode::Dpas, Opcode::Dpasw],
        &[8],
        Generations::before(Generation::Pvc),
    ),
    (&[Opcode::Dpas, Opcode::Bdpas], &[16], PVC_ON),
    (
        &[
            Opcode::SvmGather,
            Opcode::SvmScatter,
            Opcode::SvmAtomic,
            Opcode::SvmGather4Scaled,
            Opcode::SvmScatter4Scaled,
        ],
        &[1, 2, 4, 8, 16],
        ALL,
    ),
    (
        &[
            Opcode::QwGather,
            Opcode::QwScatter,
            Opcode::GatherScaled,
            Opcode::ScatterScaled,
            Opcode::Gather4Scaled,
            Opcode::Scatter4Scaled,
            Opcode::DwordAtomic,
        ],
        &[1, 2, 4, 8, 16],
        ALL,
    ),
    (&[Opcode::Madw], &[1, 2, 4, 8, 16], ALL),
    (&[Opcode::UrbWrite], &[1, 8], ALL),
    (&[Opcode::RtWrite], &[8, 16, 32], ALL),
    (&[Opcode::RtRead], &[16, 32], ALL),
    (&[Opcode::Plane], &[8, 16], ALL),
    (&[Opcode::SwitchJmp], &[1], ALL),
    (&[Opcode::ShflIdx4], &[16, 32], ALL),
];

/// True if the instruction does not have all execution sizes.
pub fn has_sizes(op: Opcode) -> bool {
    SIZED[op as usize]
}

static SIZED: [bool; OPCODES] = {
    let mut sized = [false; OPCODES];
    let mut i = 0;
    while i < SIZES.len() {
        let ops = SIZES[i].0;
        let mut op = 0;
        while op < ops.len() {
            sized[ops[op] as usize] = true;
            op += 1;
        }
        i += 1;
    }
    sized
};

/// Execution sizes of the instruction on the platform, `None` if all; without a platform, those of any platform.
pub fn sizes(op: Opcode, platform: Option<Generation>) -> Option<Vec<u8>> {
    if !has_sizes(op) {
        return None;
    }
    let of = SIZES.iter().filter(|(ops, ..)| ops.contains(&op));
    let here = of.filter(|(.., on)| platform.is_none_or(|p| on.contains(p)));
    let mut sizes: Vec<u8> = here.flat_map(|(_, sizes, _)| *sizes).copied().collect();
    sizes.sort_unstable();
    (!sizes.is_empty()).then_some(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_read() {
        assert_eq!(F.or(UD).to_string(), "ud or f");
        assert_eq!(DWORD.or(F).to_string(), "ud, d or f");
        assert!(Facts::of(Opcode::Add).is_some_and(|f| f.maps.len() == 4));
        assert!(Facts::of(Opcode::Label).is_none());
        assert_eq!(operand_types(Opcode::VmeIdm), [(0, UB), (1, UB), (3, UB)]);
        assert_eq!(sizes(Opcode::Dpas, None), Some(vec![8, 16]));
    }

    #[test]
    fn every_instruction_has_one_row() {
        let all: Vec<Opcode> = FACTS.iter().flat_map(|(ops, _)| *ops).copied().collect();
        for (i, op) in all.iter().enumerate() {
            assert!(!all[..i].contains(op), "{op:?}");
        }
    }
}
