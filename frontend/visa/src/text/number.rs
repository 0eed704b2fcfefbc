//! Text of the numbers of instructions ([`Meaning`]).
//!
//! A number may be part of the mnemonic ([`crate::opcode::Row::family_names`]), a suffix of it (`.lt`, `.RGBA`,
//! `.add.64`) or an operand (`(2)`, `0xc`), or be split among the three. A number without a name has the suffix
//! `.x` and its value in hexadecimal.

use std::fmt::{self, Write};

use crate::opcode::{Atomic, AtomicOp, ChannelMask, Fence, Meaning, PRECISIONS, Relation, name_of};

/// Form of a number among the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Positional {
    /// No operand.
    No,
    Decimal,
    Hex,
    /// `(4)` for 2: the size as a power of two, in bits 0 to 2.
    Power,
    /// `(8)` or `(16)`, as bit 4.
    Simd,
    /// `(8,` of `(8,16)`.
    First,
    /// `16)` of `(8,16)`.
    Second,
    /// `/32` directly after an operand.
    Slash,
    /// 64 bits: this number is the lower half, the next one the upper.
    Wide,
    /// One of these names.
    Named(&'static [(&'static str, u32)]),
    /// The name of a variable.
    Variable,
}

/// Suffixes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Suffixes {
    None,
    /// Exactly one.
    One,
    /// Any number of suffixes, each setting bits.
    Flags,
    /// One, then any number of flags.
    OneAndFlags,
    /// Two precisions, the depth and the count.
    Systolic,
}

/// Named provenances of inputs; 0 is `.input` itself.
pub(crate) const IMPLICIT_KINDS: &[(&str, u8)] = &[
    ("LOCAL_SIZE", 1),
    ("GROUP_COUNT", 2),
    ("LOCAL_ID", 3),
    ("PSEUDO_INPUT", 16),
];
/// Prefix of a provenance without a name, before its number.
pub(crate) const UNDEFINED_KIND: &str = "UNDEFINED_";

const NAMES_OF_CHANNELS: [&str; 16] = [
    "0000", "R", "G", "RG", "B", "RB", "GB", "RGB", "A", "RA", "GA", "RGA", "BA", "RBA", "GBA",
    "RGBA",
];
const SIZES: &[(&str, u32)] = &[("1", 0), ("2", 1), ("4", 2), ("8", 3)];
const MODES: &[(&str, u32)] = &[
    ("nomod", 0),
    ("modified", 1),
    ("top", 2),
    ("bottom", 3),
    ("top_mod", 4),
    ("bottom_mod", 5),
];
const FORMATS: &[(&str, u32)] = &[
    ("16-full", 0x00),
    ("16-downsampled", 0x10),
    ("8-full", 0x20),
    ("8-downsampled", 0x30),
];
const SAMPLER_FLAGS: &[(&str, u32)] =
    &[("pixel_null_mask", 0x100), ("cps", 0x200), ("divS", 0x400)];
const CALL_FLAGS: &[(&str, u32)] = &[("uniform", 1), ("noreturn", 2)];
const RENDER_TARGET: &[(&str, u32)] = &[
    ("<RTI>", 1 << 2),
    ("<A>", 1 << 3),
    ("<O>", 1 << 4),
    ("<Z>", 1 << 5),
    ("<ST>", 1 << 6),
    ("<LRTW>", 1 << 7),
    ("<CPS>", 1 << 8),
    ("<PS>", 1 << 9),
    ("<CM>", 1 << 10),
    ("<SI>", 1 << 11),
    ("<NULLRT>", 1 << 12),
];
const RENDER_TARGET_READ: &[(&str, u32)] = &[("<PS>", 1), ("<SI>", 2)];
const AVS_CONTROLS: &[(&str, u32)] = &[
    ("AVS_16_FULL", 0),
    ("AVS_16_DOWN_SAMPLE", 1),
    ("AVS_8_FULL", 2),
    ("AVS_8_DOWN_SAMPLE", 3),
];
const AVS_EXECS: &[(&str, u32)] = &[
    ("AVS_16x4", 0),
    ("AVS_8x4", 1),
    ("AVS_16x8", 2),
    ("AVS_4x4", 3),
];
const BARRIERS: &[(&str, u32)] = &[("wait", 0), ("signal", 1), ("signal", 2)];
const LIFETIMES: &[(&str, u32)] = &[("start", 0), ("end", 1)];
const LFSR: &[(&str, u32)] = &[("b32", 0), ("b16v2", 1), ("b8v4", 2)];
const DOWNSCALE_TYPES: &[(&str, u32)] = &[
    ("bftoe2m1", 1),
    ("bftoint4", 2),
    ("hftoe2m1", 4),
    ("hftoint4", 5),
];
const DOWNSCALE_MODES: &[(&str, u32)] = &[("mode0", 0), ("mode1", 1), ("mode2", 2), ("mode3", 3)];
const ROUNDINGS: &[(&str, u32)] = &[("srnd", 0), ("rne", 1)];
/// Function units, by their numbers in `raw_sends`.
const FUNCTION_UNITS: &[(&str, u32)] = &[
    ("null", 0),
    ("smpl", 2),
    ("gtwy", 3),
    ("rc", 5),
    ("urb", 6),
    ("btd", 7),
    ("rta", 8),
    ("tgm", 13),
    ("ugm", 14),
    ("slm", 15),
];
const WIDTHS: &[(&str, u32)] = &[("16", 0x20), ("32", 0), ("64", 0x40)];

/// Bit of [`Meaning::SvmOwords`] for an address that is not aligned to an oword.
const UNALIGNED: u32 = 8;

impl Meaning {
    pub(crate) fn positional(self) -> Positional {
        use Meaning::*;
        match self {
            Owords | SvmOwords => Positional::Power,
            SampleMode => Positional::Simd,
            PairFirst => Positional::First,
            PairSecond => Positional::Second,
            Variable => Positional::Variable,
            AvsControl => Positional::Named(AVS_CONTROLS),
            AvsExec => Positional::Named(AVS_EXECS),
            Descriptor => Positional::Hex,
            PayloadBytes => Positional::Slash,
            WideDescriptor => Positional::Wide,
            Amount | Grfs | Line | Mode => Positional::Decimal,
            Relation | MinMax | Atomic | Channels | Channel | Modified | ElementSize
            | SvmBlockSize | BlockCount | Zero | MediaMode | MessageGrfs | Fence | Barrier
            | TruthTable | SendModifier | FunctionUnit | SamplerOp | SampleFormat
            | RenderTargetMode | RenderTargetRead | Lifetime | LfsrMode | DownscaleType
            | DownscaleMode | DownscaleRounding | Systolic | CallFlags | WideDescriptorHigh => {
                Positional::No
            }
            // The text of these is in [`super::lsc`].
            LscOp | LscUnit | LscCaching | LscAddressType | LscScale | LscOffset
            | LscAddressSize | LscDataSize | LscDataOrder | LscElements | LscChannels
            | LscSurfaceIndex | LscBlocks | LscWidth | LscHeight | LscVnni | LscFenceOp
            | LscScope => Positional::No,
        }
    }

    pub(crate) fn suffixes(self) -> Suffixes {
        use Meaning::*;
        match self {
            Relation | Channels | Channel | ElementSize | SvmBlockSize | BlockCount | MediaMode
            | MessageGrfs | Barrier | TruthTable | FunctionUnit | SampleMode | Lifetime
            | LfsrMode | DownscaleType | DownscaleMode | DownscaleRounding => Suffixes::One,
            Atomic | SampleFormat => Suffixes::OneAndFlags,
            Modified | SvmOwords | Fence | SamplerOp | RenderTargetMode | RenderTargetRead
            | CallFlags => Suffixes::Flags,
            Systolic => Suffixes::Systolic,
            _ => Suffixes::None,
        }
    }

    /// Description of a suffix, for errors.
    pub(crate) fn described(self) -> &'static str {
        use Meaning::*;
        match self {
            Relation => "the relation (`.lt`)",
            Atomic => "the operation (`.add`)",
            Channels | Channel | SampleMode | SampleFormat => "the channels (`.RGBA`)",
            ElementSize | SvmBlockSize => "the size of an element in bytes (`.4`)",
            BlockCount => "the count of elements (`.1`)",
            MessageGrfs => "a count of GRFs (`.1`)",
            FunctionUnit => "the function unit (`.10`)",
            TruthTable => "the truth table (`.xd8`)",
            Barrier => "whether it waits or signals (`.wait`)",
            Lifetime => "whether it starts or ends (`.start`)",
            _ => "its mode",
        }
    }

    /// Bits that a suffix sets.
    pub(crate) fn suffix_value(self, word: &str) -> Option<u32> {
        let of = |names: &[(&str, u32)]| names.iter().find(|(n, _)| *n == word).map(|(_, v)| *v);
        let named = match self {
            Meaning::Relation => Relation::from_name(word)
                .or_else(|| Relation::from_name(&word.to_ascii_lowercase()))
                .map(|r| r as u32),
            Meaning::Atomic => AtomicOp::from_name(word)
                .map(|op| op as u32)
                .or_else(|| of(WIDTHS)),
            Meaning::Channels | Meaning::SampleMode => channels(word),
            Meaning::SampleFormat => channels(word).or_else(|| of(FORMATS)),
            Meaning::Channel => match channels(word)? {
                mask if mask.is_power_of_two() => Some(mask.trailing_zeros()),
                _ => None,
            },
            Meaning::Modified => (word == "mod").then_some(1),
            Meaning::ElementSize => of(&SIZES[..3]),
            Meaning::BlockCount => of(SIZES),
            Meaning::SvmBlockSize => of(&[("1", 0), ("4", 1), ("8", 2)]),
            Meaning::SvmOwords => of(&[("unaligned", UNALIGNED), ("aligned", 0)]),
            Meaning::MediaMode => of(MODES),
            Meaning::MessageGrfs => word.parse().ok(),
            Meaning::FunctionUnit => of(FUNCTION_UNITS)
                .or_else(|| word.parse().ok())
                .or_else(|| u32::from_str_radix(word.strip_prefix("0x")?, 16).ok()),
            Meaning::Fence => flags(word, Fence::FLAGS),
            Meaning::Barrier => of(BARRIERS),
            Meaning::SamplerOp => of(SAMPLER_FLAGS),
            Meaning::CallFlags => of(CALL_FLAGS),
            Meaning::RenderTargetMode => flags(word, RENDER_TARGET),
            Meaning::RenderTargetRead => flags(word, RENDER_TARGET_READ),
            Meaning::Lifetime => of(LIFETIMES),
            Meaning::LfsrMode => of(LFSR),
            Meaning::DownscaleType => of(DOWNSCALE_TYPES),
            Meaning::DownscaleMode => of(DOWNSCALE_MODES),
            Meaning::DownscaleRounding => of(ROUNDINGS),
            _ => None,
        };
        let hex = || u32::from_str_radix(word.strip_prefix('x')?, 16).ok();
        named.or_else(hex)
    }

    /// Writes the suffixes of a number.
    pub(crate) fn write_suffixes(self, n: u32, out: &mut impl Write) -> fmt::Result {
        let name = |names: &[(&'static str, u32)]| {
            names.iter().find(|(_, v)| *v == n).map(|(name, _)| *name)
        };
        let named = match self {
            Meaning::Relation => Relation::from_number(n).map(Relation::name),
            Meaning::Atomic => {
                return match Atomic::from_number(n) {
                    Some(Atomic { op, bits: 32 }) => write!(out, ".{}", op.name()),
                    Some(Atomic { op, bits }) => write!(out, ".{}.{bits}", op.name()),
                    None => write!(out, ".x{n:x}"),
                };
            }
            Meaning::Channels => channels_name(n),
            Meaning::SampleMode => channels_name(n & 0xf),
            Meaning::SampleFormat => {
                let format = FORMATS
                    .iter()
                    .find(|(_, v)| *v == n & 0x30)
                    .map_or("", |(n, _)| n);
                return match channels_name(n & !0x30) {
                    Some(channels) => write!(out, ".{channels}.{format}"),
                    None => write!(out, ".x{n:x}"),
                };
            }
            Meaning::Channel => (n < 4).then(|| NAMES_OF_CHANNELS[1 << n]),
            Meaning::ElementSize => name(&SIZES[..3]),
            Meaning::BlockCount => name(SIZES),
            Meaning::SvmBlockSize => name(&[("1", 0), ("4", 1), ("8", 2)]),
            Meaning::MediaMode => name(MODES),
            Meaning::MessageGrfs | Meaning::FunctionUnit => return write!(out, ".{n}"),
            Meaning::Barrier => name(BARRIERS),
            Meaning::Lifetime => Some(LIFETIMES[n as usize & 1].0),
            Meaning::LfsrMode => name(LFSR),
            Meaning::DownscaleType => name(DOWNSCALE_TYPES),
            Meaning::DownscaleMode => name(DOWNSCALE_MODES),
            Meaning::DownscaleRounding => name(ROUNDINGS),
            Meaning::TruthTable => None,
            Meaning::Systolic => {
                let precision = |n| name_of(PRECISIONS, n & 0xff).unwrap_or("?");
                let (src1, src2) = (precision(n >> 8), precision(n));
                return write!(out, ".{src1}.{src2}.{}.{}", n >> 16 & 0xff, n >> 24);
            }
            _ => return self.write_flags(n, out),
        };
        match named {
            Some(name) => write!(out, ".{name}"),
            None => write!(out, ".x{n:x}"),
        }
    }

    fn write_flags(self, n: u32, out: &mut impl Write) -> fmt::Result {
        let (names, known): (&[(&str, u32)], u32) = match self {
            Meaning::Modified => (&[("mod", 1)], 1),
            Meaning::SvmOwords => (&[("unaligned", UNALIGNED)], UNALIGNED | 7),
            Meaning::SamplerOp => (SAMPLER_FLAGS, 0x7ff),
            Meaning::CallFlags => (CALL_FLAGS, 3),
            Meaning::Fence => return write_packed(n & !0xa0, Fence::FLAGS, out),
            Meaning::RenderTargetMode => return write_packed(n, RENDER_TARGET, out),
            Meaning::RenderTargetRead => return write_packed(n, RENDER_TARGET_READ, out),
            _ => return Ok(()),
        };
        for (name, bit) in names {
            if n & bit != 0 {
                write!(out, ".{name}")?;
            }
        }
        match n & !known {
            0 => Ok(()),
            rest => write!(out, ".x{rest:x}"),
        }
    }
}

/// Number with this name.
pub(crate) fn bits_of(names: &[(&str, u32)], name: &str) -> Option<u32> {
    let found = names.iter().find(|(n, _)| *n == name);
    found.map(|(_, bits)| *bits)
}

/// Bits of the `nth` suffix of a [`Meaning::Systolic`]: precision of the first source, of the second, depth, count.
pub(super) fn systolic_suffix(word: &str, nth: usize) -> Option<u32> {
    let amount = || word.parse::<u8>().ok().filter(|n| (1..=8).contains(n));
    match nth {
        0 => bits_of(PRECISIONS, &word.to_ascii_lowercase()).map(|n| n << 8),
        1 => bits_of(PRECISIONS, &word.to_ascii_lowercase()),
        2 => amount().map(|n| u32::from(n) << 16),
        _ => amount().map(|n| u32::from(n) << 24),
    }
}

fn write_packed(n: u32, flags: &[(&str, u32)], out: &mut impl Write) -> fmt::Result {
    if n == 0 {
        return Ok(());
    }
    if n & !flags.iter().map(|(_, bit)| bit).sum::<u32>() != 0 {
        return write!(out, ".x{n:x}");
    }
    out.write_char('.')?;
    flags
        .iter()
        .filter(|(_, bit)| n & bit != 0)
        .try_for_each(|(name, _)| out.write_str(name))
}

/// Bits of flags whose names are concatenated.
fn flags(mut word: &str, names: &[(&str, u32)]) -> Option<u32> {
    let mut bits = 0;
    while !word.is_empty() {
        let (rest, bit) = names
            .iter()
            .find_map(|(n, b)| Some((word.strip_prefix(n)?, b)))?;
        (word, bits) = (rest, bits | bit);
    }
    Some(bits)
}

fn channels(word: &str) -> Option<u32> {
    let named = |n: &&str| n.eq_ignore_ascii_case(word);
    NAMES_OF_CHANNELS.iter().position(named).map(|i| i as u32)
}

fn channels_name(n: u32) -> Option<&'static str> {
    ChannelMask::from_number(n).map(|mask| NAMES_OF_CHANNELS[mask.number() as usize])
}
