//! The vocabulary of machine code: operations, types, register files, regions, conditions.
//!
//! The union of the encoding families. Instructions on virtual registers (`kiln-machine`) and on physical ones
//! (`kiln-emit`) are made of it.

use crate::named::named;
pub use crate::op::{MathFn, Op, SyncFn, Systolic};

impl Systolic {
    /// Number of elements of the second and third source in a step: as many of the wider type as fill a dword, and at
    /// most eight.
    pub const fn step(columns: Type, rows: Type) -> u32 {
        let (a, b) = (columns.bits(), rows.bits());
        let count = 32 / if a > b { a } else { b };
        if count > 8 { 8 } else { count }
    }

    /// Number of registers of the second source.
    pub const fn column_registers(self, columns: Type, rows: Type) -> u32 {
        (self.depth as u32 * Systolic::step(columns, rows) * columns.bits()).div_ceil(32)
    }

    /// Number of bytes of the third source.
    pub const fn row_bytes(self, columns: Type, rows: Type) -> u32 {
        let elements = self.repeat as u32 * self.depth as u32 * Systolic::step(columns, rows);
        (elements * rows.bits()).div_ceil(8)
    }
}

named! {
    /// The type of an operand's elements.
    pub enum Type {
        Ub = "ub",
        B = "b",
        Uw = "uw",
        W = "w",
        Ud = "ud",
        D = "d",
        Uq = "uq",
        Q = "q",
        Hf = "hf",
        F = "f",
        Df = "df",
        /// Packed signed nibbles, immediate only: eight of them.
        V = "v",
        /// Packed unsigned nibbles, immediate only: eight of them.
        Uv = "uv",
        /// Packed 8-bit restricted floats, immediate only: four of them.
        Vf = "vf",
        /// The native float of accumulators: a single with extra bits that the register's dword does not show.
        Nf = "nf",
        /// `bfloat16`: 8 bits of exponent, 7 of mantissa.
        Bf = "bf",
        /// 8 bits of exponent, 10 of mantissa, in the high bits of a dword.
        Tf32 = "tf32",
        /// 5 bits of exponent, 2 of mantissa.
        Bf8 = "bf8",
        /// 4 bits of exponent, 3 of mantissa.
        Hf8 = "hf8",
        /// Elements of systolic operations below a byte.
        U4 = "u4",
        S4 = "s4",
        U2 = "u2",
        S2 = "s2",
    }
}

impl Type {
    /// Size of an element in bytes. A packed immediate has 4; a type below a byte has 1, which its elements share.
    #[inline]
    pub const fn bytes(self) -> u32 {
        match self {
            Type::Ub | Type::B | Type::Bf8 | Type::Hf8 => 1,
            Type::U4 | Type::S4 | Type::U2 | Type::S2 => 1,
            Type::Uw | Type::W | Type::Hf | Type::Bf => 2,
            Type::Ud | Type::D | Type::V | Type::Uv => 4,
            Type::F | Type::Vf | Type::Nf | Type::Tf32 => 4,
            Type::Uq | Type::Q | Type::Df => 8,
        }
    }

    /// Number of elements in a byte.
    pub fn per_byte(self) -> u32 {
        match self {
            Type::U4 | Type::S4 => 2,
            Type::U2 | Type::S2 => 4,
            _ => 1,
        }
    }

    #[inline]
    pub fn is_float(self) -> bool {
        use Type::*;
        matches!(self, Hf | F | Df | Vf | Nf | Bf | Tf32 | Bf8 | Hf8)
    }

    pub fn is_signed(self) -> bool {
        use Type::*;
        matches!(self, B | W | D | Q | V | S4 | S2) || self.is_float()
    }

    /// The type of as many bits without a sign, for an integer; others are themselves.
    pub fn unsigned(self) -> Type {
        match self {
            Type::B => Type::Ub,
            Type::W => Type::Uw,
            Type::D => Type::Ud,
            Type::Q => Type::Uq,
            other => other,
        }
    }

    /// Bits of an element.
    pub const fn bits(self) -> u32 {
        match self {
            Type::U4 | Type::S4 => 4,
            Type::U2 | Type::S2 => 2,
            ty => ty.bytes() * 8,
        }
    }
}

/// The register files whose registers an allocator assigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// General registers.
    Grf,
    /// Flags.
    Flag,
    /// The address register.
    Addr,
}

named! {
    /// A register file.
    pub enum RegFile {
        /// `r0`…: general registers.
        Grf = "r",
        Null = "null",
        /// `a0`: address register, 16 words.
        Addr = "a",
        /// `acc0`…: accumulators.
        Acc = "acc",
        /// `mme0`…: math macro extended accumulators.
        Mme = "mme",
        /// `f0`…: flags of 32 bits, halves `.0` and `.1`.
        Flag = "f",
        /// `ce0`: channel enables.
        ChannelEnable = "ce",
        /// `sp`: stack pointer of the hardware's call stack.
        StackPointer = "sp",
        /// `sr0`: state.
        State = "sr",
        /// `cr0`: control.
        Control = "cr",
        /// `n0`: notification counts.
        Notification = "n",
        /// `ip`: instruction pointer.
        Ip = "ip",
        /// `tdr0`: thread dependency.
        Tdr = "tdr",
        /// `tm0`: timestamp.
        Timestamp = "tm",
        /// `fc0`…: flow control (`num` 0-4).
        FlowControl = "fc",
        /// `dbg0`: debug.
        Debug = "dbg",
        /// `msg0`…: message control.
        MessageControl = "msg",
        /// `s0`: scalars for gathering sends.
        Scalar = "s",
    }
}

/// A source region `<vstride;width,hstride>`, in elements. The form without a vertical stride
/// (`<width,hstride>`, one address a row: VxH, or Vx1 when `width` is 1) has `vstride` `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    pub vstride: Option<u8>,
    pub width: u8,
    pub hstride: u8,
}

impl Region {
    /// `<0;1,0>`: the first element for every channel.
    pub const SCALAR: Region = Region {
        vstride: Some(0),
        width: 1,
        hstride: 0,
    };

    /// `<0;2,1>`: the two dwords of a return address, which are a place and a mask of channels.
    pub const RETURN: Region = Region::new(0, 2, 1);
    /// `<2;2,1>`: two dwords of a branch, as the reference assembler has them.
    pub const ASSEMBLED_PAIR: Region = Region::new(2, 2, 1);

    pub const fn new(vstride: u8, width: u8, hstride: u8) -> Region {
        Region {
            vstride: Some(vstride),
            width,
            hstride,
        }
    }

    /// `<8;8,1>` or narrower: `exec` consecutive elements.
    pub fn packed(exec: u8) -> Region {
        match exec {
            1 => Region::SCALAR,
            n => {
                let w = n.min(8);
                Region::new(w, w, 1)
            }
        }
    }
}

/// Modifiers of a source. On `and`, `or`, `xor` and `not` a set `neg` means bitwise complement (`~`), and `abs` is
/// not allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SrcMod {
    pub neg: bool,
    pub abs: bool,
}

/// The function from a flag's bits to the predicate of each channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PredCtrl {
    /// Channel *n* takes bit *n*.
    Normal,
    /// True when any of the group's bits in `f.0` or `f.1` is set (`anyv`).
    AnyV,
    /// True when all of the group's bits are set (`allv`).
    AllV,
    /// Horizontally over groups of 2, 4, 8, 16 or 32 channels.
    Any(u8),
    All(u8),
    /// Horizontally over all channels of the instruction.
    AnyChannel,
    AllChannels,
    /// Align16: replicated from one of x, y, z, w (0-3).
    Replicate(u8),
}

named! {
    /// A comparison's relation.
    pub enum Cond {
        /// Zero or equal (`ze`, `eq`).
        Eq = "eq",
        Ne = "ne",
        Gt = "gt",
        Ge = "ge",
        Lt = "lt",
        Le = "le",
        /// Signed overflow.
        Ov = "ov",
        /// Unordered.
        Un = "un",
        /// Early out: the implied condition of the macro forms of `math`, which flag the channels whose
        /// result is already exact.
        Eo = "eo",
    }
}

/// Options of a send since Gen12, beside its message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SendOptions {
    /// `{ExBSO}`: the register with the extended descriptor holds only the surface's base, and `src1_len` the second
    /// payload's length.
    pub ex_bso: bool,
    /// Number of registers of the second payload (0-31); 0 when a descriptor holds it. On Xe2, messages of untyped
    /// memory (`ugm`) always have it here if their extended descriptor is in a register.
    pub src1_len: u8,
    /// `{CPS}`, before Xe2.
    pub cps: bool,
    /// Xe2: added to the extended descriptor in its register; bits 11-15 and 19-31.
    pub ex_offset: u32,
    /// `{Serialize}`: fused threads send one after the other.
    pub serialize: bool,
}
