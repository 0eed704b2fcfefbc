//! The operations: the name of each, its functions, and its properties that hold on every platform.
//!
//! Facts that depend on the encoding family (numbers, places of fields, predication) are with the encodings. All
//! parts of the compiler read [`Op::props`].

use std::ops::RangeInclusive;

use crate::named::named;

/// Properties of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Props(u16);

impl Props {
    pub const NONE: Props = Props(0);
    /// Control flow.
    pub const BRANCH: Props = Props(1);
    /// Control flow that may take its target from a register.
    pub const BY_REGISTER: Props = Props(1 << 1);
    /// A message.
    pub const SEND: Props = Props(1 << 2);
    /// A message with two payloads.
    pub const SPLIT: Props = Props(1 << 3);
    /// Works on matrices.
    pub const SYSTOLIC: Props = Props(1 << 4);
    /// Works on bits alone: a source's `-` is a `~`, and floats are not allowed.
    pub const BITWISE: Props = Props(1 << 5);
    /// The first two sources commute.
    pub const COMMUTES: Props = Props(1 << 6);
    /// Takes three sources, encoded as such.
    pub const TERNARY: Props = Props(1 << 7);
    /// Runs in the math unit.
    pub const MATH: Props = Props(1 << 8);
    /// Writes the accumulator beside its destination.
    pub const WRITES_ACC: Props = Props(1 << 9);
    /// Reads the accumulator beside its sources.
    pub const READS_ACC: Props = Props(1 << 10);
    /// Does something beside writing its destination.
    pub const EFFECT: Props = Props(1 << 11);
    /// A channel has no result, or one that depends on several elements of a source.
    pub const GROUPED: Props = Props(1 << 12);
    /// Takes one source.
    pub const UNARY: Props = Props(1 << 13);

    pub const fn or(self, other: Props) -> Props {
        Props(self.0 | other.0)
    }

    #[inline]
    pub const fn has(self, other: Props) -> bool {
        self.0 & other.0 == other.0
    }

    /// True if it has at least one of the given properties.
    #[inline]
    pub const fn has_any(self, others: Props) -> bool {
        self.0 & others.0 != 0
    }
}

named! {
    /// The function control of `math` (PRM vol. 2a, "Extended Math Function").
    pub enum MathFn {
        Inv = "inv",
        Log = "log",
        Exp = "exp",
        Sqt = "sqt",
        Rsqt = "rsqt",
        Sin = "sin",
        Cos = "cos",
        Fdiv = "fdiv",
        Pow = "pow",
        /// Integer quotient and remainder (the remainder in the register after the quotient).
        Idiv = "idiv",
        /// Integer quotient.
        Iqot = "iqot",
        /// Integer remainder.
        Irem = "irem",
        Invm = "invm",
        Rsqtm = "rsqtm",
    }
}

named! {
    /// The condition that `sync` waits for.
    pub enum SyncFn {
        /// Nothing but the instruction's own dependencies.
        Nop = "nop",
        /// Reads of the named tokens, or of all.
        AllRd = "allrd",
        /// Writes of the named tokens, or of all.
        AllWr = "allwr",
        Flush = "flush",
        Fence = "fence",
        /// A barrier.
        Bar = "bar",
        Host = "host",
    }
}

impl SyncFn {
    /// True if its source is a set of tokens.
    pub fn names_tokens(self) -> bool {
        matches!(self, SyncFn::AllRd | SyncFn::AllWr)
    }
}

/// The shape of a systolic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Systolic {
    /// Steps in depth: 1, 2, 4 or 8.
    pub depth: u8,
    /// Rows: 1-8.
    pub repeat: u8,
}

const ONE_BY_ONE: Systolic = Systolic {
    depth: 1,
    repeat: 1,
};

/// One row per operation. The row of an operation with functions names one of them and holds for all.
macro_rules! rows {
    ($($(#[$doc:meta])* $op:ident $(($payload:ty = $function:expr))? => $name:literal $($prop:ident)*;)*) => {
        /// An operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Op {
            $($(#[$doc])* $op$(($payload))?,)*
        }

        /// The operations without their functions, in the order of the rows.
        enum Place {
            $($op,)*
        }

        impl Op {
            /// Every operation, those with functions once.
            pub const ALL: &[Op] = &[$(Op::$op$(($function))?),*];

            /// Name in listings, without a function.
            pub const fn mnemonic(self) -> &'static str {
                match self {$(
                    Op::$op$((rows!(@any $function)))? => $name,
                )*}
            }

            /// Properties of the operation.
            #[inline]
            pub const fn props(self) -> Props {
                match self {$(
                    Op::$op$((rows!(@any $function)))? => const { Props::NONE$(.or(Props::$prop))* },
                )*}
            }

            /// Index of the operation among the rows, whatever its function: an index into tables of [`Op::COUNT`].
            #[inline]
            pub const fn index(self) -> usize {
                match self {
                    $(Op::$op$((rows!(@any $function)))? => Place::$op as usize,)*
                }
            }

            /// The operation with its function replaced by that of its row.
            pub const fn without_function(self) -> Op {
                match self {$(
                    Op::$op$((rows!(@any $function)))? => Op::$op$(($function))?,
                )*}
            }
        }
    };
    (@any $function:expr) => {
        _
    };
}

rows! {
    Illegal => "illegal" EFFECT GROUPED;
    Nop => "nop" GROUPED;
    Mov => "mov" UNARY;
    Sel => "sel";
    Movi => "movi" GROUPED;
    Not => "not" BITWISE UNARY;
    And => "and" BITWISE COMMUTES;
    Or => "or" BITWISE COMMUTES;
    Xor => "xor" BITWISE COMMUTES;
    Shr => "shr";
    Shl => "shl";
    Asr => "asr";
    /// Scattered move: channels whose bit in the second source (a mask, immediate) is set take the next
    /// element of the first.
    Smov => "smov" GROUPED;
    Cmp => "cmp";
    Cmpn => "cmpn";
    Csel => "csel" TERNARY;
    Bfrev => "bfrev" UNARY;
    Bfe => "bfe" TERNARY;
    Bfi1 => "bfi1";
    Bfi2 => "bfi2" TERNARY;
    Jmpi => "jmpi" BRANCH BY_REGISTER EFFECT;
    Brd => "brd" BRANCH BY_REGISTER EFFECT;
    If => "if" BRANCH EFFECT;
    Brc => "brc" BRANCH BY_REGISTER EFFECT;
    Else => "else" BRANCH EFFECT;
    Endif => "endif" BRANCH EFFECT;
    While => "while" BRANCH EFFECT;
    Break => "break" BRANCH EFFECT;
    Cont => "cont" BRANCH EFFECT;
    Halt => "halt" BRANCH EFFECT;
    Calla => "calla" BRANCH BY_REGISTER EFFECT;
    Call => "call" BRANCH BY_REGISTER EFFECT;
    Ret => "ret" BRANCH BY_REGISTER EFFECT;
    Goto => "goto" BRANCH EFFECT;
    Join => "join" BRANCH EFFECT;
    Wait => "wait" EFFECT GROUPED;
    Send => "send" SEND EFFECT;
    Sendc => "sendc" SEND EFFECT;
    Sends => "sends" SEND SPLIT EFFECT;
    Sendsc => "sendsc" SEND SPLIT EFFECT;
    Math(MathFn = MathFn::Inv) => "math" MATH;
    Add => "add" COMMUTES;
    Mul => "mul" COMMUTES;
    Avg => "avg" COMMUTES;
    Frc => "frc" UNARY;
    Rndu => "rndu" UNARY;
    Rndd => "rndd" UNARY;
    Rnde => "rnde" UNARY;
    Rndz => "rndz" UNARY;
    Mac => "mac" READS_ACC;
    Mach => "mach" READS_ACC WRITES_ACC;
    Lzd => "lzd" UNARY;
    Fbh => "fbh" UNARY;
    Fbl => "fbl" UNARY;
    Cbit => "cbit" UNARY;
    Addc => "addc" COMMUTES WRITES_ACC;
    Subb => "subb" WRITES_ACC;
    Sad2 => "sad2" GROUPED;
    Sada2 => "sada2" READS_ACC GROUPED;
    Dp4 => "dp4" GROUPED;
    Dph => "dph" GROUPED;
    Dp3 => "dp3" GROUPED;
    Dp2 => "dp2" GROUPED;
    Line => "line" GROUPED;
    Pln => "pln" GROUPED;
    Mad => "mad" TERNARY;
    Lrp => "lrp" TERNARY;
    Madm => "madm" TERNARY GROUPED;
    /// Rotations of bits.
    Rol => "rol";
    Ror => "ror";
    /// Sum of three.
    Add3 => "add3" TERNARY;
    /// Bitwise function of three sources: bit *n* of the number is the result where the sources' bits,
    /// the first the least significant, make *n*.
    Bfn(u8 = 0) => "bfn" TERNARY;
    /// Sum of four products of bytes and an addend, which is the first source.
    Dp4a => "dp4a" TERNARY;
    /// The low half of `mach`'s product.
    Macl => "macl" READS_ACC;
    /// Conversion with stochastic rounding.
    Srnd => "srnd";
    /// A systolic product of matrices.
    Dpas(Systolic = ONE_BY_ONE) => "dpas" SYSTOLIC;
    /// `Dpas` whose second source the two threads of a fused pair share.
    Dpasw(Systolic = ONE_BY_ONE) => "dpasw" SYSTOLIC;
    /// Waits for the accesses that the function names.
    Sync(SyncFn = SyncFn::Nop) => "sync" EFFECT GROUPED;
}

impl Op {
    /// Number of operations, not counting functions.
    pub const COUNT: usize = Op::ALL.len();

    #[inline]
    pub const fn is(self, props: Props) -> bool {
        self.props().has(props)
    }

    #[inline]
    pub const fn is_branch(self) -> bool {
        self.is(Props::BRANCH)
    }

    /// True if its target is an absolute place in the code instead of a distance.
    pub fn branches_to_place(self) -> bool {
        self == Op::Calla
    }

    pub const fn branches_by_register(self) -> bool {
        self.is(Props::BY_REGISTER)
    }

    #[inline]
    pub const fn is_send(self) -> bool {
        self.is(Props::SEND)
    }

    #[inline]
    pub const fn is_split_send(self) -> bool {
        self.is(Props::SPLIT)
    }

    #[inline]
    pub const fn is_systolic(self) -> bool {
        self.is(Props::SYSTOLIC)
    }

    /// Numbers of sources that the operation may have; all for messages, control flow and others with effects.
    pub fn sources(self) -> RangeInclusive<usize> {
        match self {
            _ if self.props().has_any(Props::EFFECT) => 0..=3,
            _ if self.props().has_any(Props::TERNARY.or(Props::SYSTOLIC)) => 3..=3,
            _ if self.is(Props::UNARY) => 1..=1,
            Op::Nop => 0..=0,
            // The mask of the elements is a source since Gen11.
            Op::Movi => 1..=2,
            Op::Math(function) => function.sources()..=function.sources(),
            _ => 2..=2,
        }
    }

    #[inline]
    pub const fn is_bitwise(self) -> bool {
        self.is(Props::BITWISE)
    }

    /// True if operands name extended accumulators in place of swizzles and channel masks.
    pub fn is_macro(self) -> bool {
        match self {
            Op::Madm => true,
            Op::Math(function) => function.is_macro(),
            _ => false,
        }
    }
}

impl MathFn {
    /// Number of sources.
    pub fn sources(self) -> usize {
        use MathFn::{Fdiv, Idiv, Invm, Iqot, Irem, Pow};
        match self {
            Fdiv | Pow | Idiv | Iqot | Irem | Invm => 2,
            _ => 1,
        }
    }

    /// A macro step: its operands name extended accumulators.
    pub fn is_macro(self) -> bool {
        matches!(self, MathFn::Invm | MathFn::Rsqtm)
    }
}
