//! What holds of each operation on every platform: its name and its properties.
//!
//! What an encoding family adds (numbers, places of fields, what may be predicated) stands with the
//! encodings; [`Op::row`] is what all parts of the compiler read.

use crate::isa::{MathFn, Op, SyncFn, Systolic};

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
    /// Works on bits alone: a source's `-` is a `~`, and floats have no meaning.
    pub const BITWISE: Props = Props(1 << 5);
    /// The first two sources may be exchanged.
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

    pub const fn or(self, other: Props) -> Props {
        Props(self.0 | other.0)
    }

    pub const fn has(self, other: Props) -> bool {
        self.0 & other.0 == other.0
    }
}

/// What holds of an operation.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The name in listings, without a function.
    pub name: &'static str,
    pub props: Props,
}

macro_rules! rows {
    ($($pattern:pat => $name:literal $($prop:ident)*;)*) => {
        impl Op {
            /// What holds of the operation.
            pub const fn row(self) -> Row {
                match self {$(
                    $pattern => Row { name: $name, props: Props::NONE$(.or(Props::$prop))* },
                )*}
            }
        }
    };
}

rows! {
    Op::Illegal => "illegal" EFFECT;
    Op::Nop => "nop";
    Op::Mov => "mov";
    Op::Sel => "sel";
    Op::Movi => "movi";
    Op::Not => "not" BITWISE;
    Op::And => "and" BITWISE COMMUTES;
    Op::Or => "or" BITWISE COMMUTES;
    Op::Xor => "xor" BITWISE COMMUTES;
    Op::Shr => "shr";
    Op::Shl => "shl";
    Op::Asr => "asr";
    Op::Smov => "smov";
    Op::Cmp => "cmp";
    Op::Cmpn => "cmpn";
    Op::Csel => "csel" TERNARY;
    Op::Bfrev => "bfrev";
    Op::Bfe => "bfe" TERNARY;
    Op::Bfi1 => "bfi1";
    Op::Bfi2 => "bfi2" TERNARY;
    Op::Jmpi => "jmpi" BRANCH BY_REGISTER EFFECT;
    Op::Brd => "brd" BRANCH BY_REGISTER EFFECT;
    Op::If => "if" BRANCH EFFECT;
    Op::Brc => "brc" BRANCH BY_REGISTER EFFECT;
    Op::Else => "else" BRANCH EFFECT;
    Op::Endif => "endif" BRANCH EFFECT;
    Op::While => "while" BRANCH EFFECT;
    Op::Break => "break" BRANCH EFFECT;
    Op::Cont => "cont" BRANCH EFFECT;
    Op::Halt => "halt" BRANCH EFFECT;
    Op::Calla => "calla" BRANCH BY_REGISTER EFFECT;
    Op::Call => "call" BRANCH BY_REGISTER EFFECT;
    Op::Ret => "ret" BRANCH BY_REGISTER EFFECT;
    Op::Goto => "goto" BRANCH EFFECT;
    Op::Join => "join" BRANCH EFFECT;
    Op::Wait => "wait" EFFECT;
    Op::Send => "send" SEND EFFECT;
    Op::Sendc => "sendc" SEND EFFECT;
    Op::Sends => "sends" SEND SPLIT EFFECT;
    Op::Sendsc => "sendsc" SEND SPLIT EFFECT;
    Op::Math(_) => "math" MATH;
    Op::Add => "add" COMMUTES;
    Op::Mul => "mul" COMMUTES;
    Op::Avg => "avg" COMMUTES;
    Op::Frc => "frc";
    Op::Rndu => "rndu";
    Op::Rndd => "rndd";
    Op::Rnde => "rnde";
    Op::Rndz => "rndz";
    Op::Mac => "mac" READS_ACC;
    Op::Mach => "mach" READS_ACC WRITES_ACC;
    Op::Lzd => "lzd";
    Op::Fbh => "fbh";
    Op::Fbl => "fbl";
    Op::Cbit => "cbit";
    Op::Addc => "addc" COMMUTES WRITES_ACC;
    Op::Subb => "subb" WRITES_ACC;
    Op::Sad2 => "sad2";
    Op::Sada2 => "sada2" READS_ACC;
    Op::Dp4 => "dp4";
    Op::Dph => "dph";
    Op::Dp3 => "dp3";
    Op::Dp2 => "dp2";
    Op::Line => "line";
    Op::Pln => "pln";
    Op::Mad => "mad" TERNARY;
    Op::Lrp => "lrp" TERNARY;
    Op::Madm => "madm" TERNARY;
    Op::Rol => "rol";
    Op::Ror => "ror";
    Op::Add3 => "add3" TERNARY;
    Op::Bfn(_) => "bfn" TERNARY;
    Op::Dp4a => "dp4a" TERNARY;
    Op::Macl => "macl" READS_ACC;
    Op::Srnd => "srnd";
    Op::Dpas(_) => "dpas" SYSTOLIC;
    Op::Dpasw(_) => "dpasw" SYSTOLIC;
    Op::Sync(_) => "sync" EFFECT;
}

impl Op {
    /// The name in listings, without a `math` function.
    pub const fn mnemonic(self) -> &'static str {
        self.row().name
    }

    pub const fn is(self, props: Props) -> bool {
        self.row().props.has(props)
    }

    pub const fn is_branch(self) -> bool {
        self.is(Props::BRANCH)
    }

    /// Whether its target is a place in the code rather than a distance.
    pub fn branches_to_place(self) -> bool {
        self == Op::Calla
    }

    pub const fn branches_by_register(self) -> bool {
        self.is(Props::BY_REGISTER)
    }

    pub const fn is_send(self) -> bool {
        self.is(Props::SEND)
    }

    pub const fn is_split_send(self) -> bool {
        self.is(Props::SPLIT)
    }

    pub const fn is_systolic(self) -> bool {
        self.is(Props::SYSTOLIC)
    }

    pub const fn is_bitwise(self) -> bool {
        self.is(Props::BITWISE)
    }

    /// Whether operands name extended accumulators in place of swizzles and channel masks.
    pub fn is_macro(self) -> bool {
        match self {
            Op::Madm => true,
            Op::Math(function) => function.is_macro(),
            _ => false,
        }
    }

    /// The operation alone: every function of `math` is the same, and so on.
    pub fn without_function(self) -> Op {
        const ONE_BY_ONE: Systolic = Systolic {
            depth: 1,
            repeat: 1,
        };
        match self {
            Op::Math(_) => Op::Math(MathFn::Inv),
            Op::Sync(_) => Op::Sync(SyncFn::Nop),
            Op::Bfn(_) => Op::Bfn(0),
            Op::Dpas(_) => Op::Dpas(ONE_BY_ONE),
            Op::Dpasw(_) => Op::Dpasw(ONE_BY_ONE),
            op => op,
        }
    }
}

impl MathFn {
    /// A macro step: its operands name extended accumulators.
    pub fn is_macro(self) -> bool {
        matches!(self, MathFn::Invm | MathFn::Rsqtm)
    }
}
