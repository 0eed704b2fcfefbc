//! What things are called in listings, and the classes of operations that they write alike.

use crate::inst::{Cond, MathFn, Op, SyncFn};

impl Op {
    /// The name in listings, without a `math` function.
    pub fn mnemonic(self) -> &'static str {
        match self {
            Op::Illegal => "illegal",
            Op::Nop => "nop",
            Op::Mov => "mov",
            Op::Sel => "sel",
            Op::Movi => "movi",
            Op::Not => "not",
            Op::And => "and",
            Op::Or => "or",
            Op::Xor => "xor",
            Op::Shr => "shr",
            Op::Shl => "shl",
            Op::Asr => "asr",
            Op::Smov => "smov",
            Op::Cmp => "cmp",
            Op::Cmpn => "cmpn",
            Op::Csel => "csel",
            Op::Bfrev => "bfrev",
            Op::Bfe => "bfe",
            Op::Bfi1 => "bfi1",
            Op::Bfi2 => "bfi2",
            Op::Jmpi => "jmpi",
            Op::Brd => "brd",
            Op::If => "if",
            Op::Brc => "brc",
            Op::Else => "else",
            Op::Endif => "endif",
            Op::While => "while",
            Op::Break => "break",
            Op::Cont => "cont",
            Op::Halt => "halt",
            Op::Calla => "calla",
            Op::Call => "call",
            Op::Ret => "ret",
            Op::Goto => "goto",
            Op::Join => "join",
            Op::Wait => "wait",
            Op::Send => "send",
            Op::Sendc => "sendc",
            Op::Sends => "sends",
            Op::Sendsc => "sendsc",
            Op::Math(_) => "math",
            Op::Add => "add",
            Op::Mul => "mul",
            Op::Avg => "avg",
            Op::Frc => "frc",
            Op::Rndu => "rndu",
            Op::Rndd => "rndd",
            Op::Rnde => "rnde",
            Op::Rndz => "rndz",
            Op::Mac => "mac",
            Op::Mach => "mach",
            Op::Lzd => "lzd",
            Op::Fbh => "fbh",
            Op::Fbl => "fbl",
            Op::Cbit => "cbit",
            Op::Addc => "addc",
            Op::Subb => "subb",
            Op::Sad2 => "sad2",
            Op::Sada2 => "sada2",
            Op::Dp4 => "dp4",
            Op::Dph => "dph",
            Op::Dp3 => "dp3",
            Op::Dp2 => "dp2",
            Op::Line => "line",
            Op::Pln => "pln",
            Op::Mad => "mad",
            Op::Lrp => "lrp",
            Op::Madm => "madm",
            Op::Rol => "rol",
            Op::Ror => "ror",
            Op::Add3 => "add3",
            Op::Bfn(_) => "bfn",
            Op::Dp4a => "dp4a",
            Op::Macl => "macl",
            Op::Srnd => "srnd",
            Op::Dpas(_) => "dpas",
            Op::Dpasw(_) => "dpasw",
            Op::Sync(_) => "sync",
        }
    }

    /// Control flow.
    pub fn is_branch(self) -> bool {
        self.branches_by_register()
            || matches!(
                self,
                Op::If
                    | Op::Else
                    | Op::Endif
                    | Op::While
                    | Op::Break
                    | Op::Cont
                    | Op::Halt
                    | Op::Goto
                    | Op::Join
            )
    }

    /// Whether its target is a place in the code rather than a distance.
    pub fn branches_to_place(self) -> bool {
        self == Op::Calla
    }

    /// Control flow that may take its target from a register.
    pub(super) fn branches_by_register(self) -> bool {
        matches!(
            self,
            Op::Jmpi | Op::Brd | Op::Brc | Op::Calla | Op::Call | Op::Ret
        )
    }

    pub fn is_send(self) -> bool {
        matches!(self, Op::Send | Op::Sendc | Op::Sends | Op::Sendsc)
    }

    /// A send with two payloads.
    pub fn is_split_send(self) -> bool {
        matches!(self, Op::Sends | Op::Sendsc)
    }

    /// Operations on matrices.
    pub fn is_systolic(self) -> bool {
        matches!(self, Op::Dpas(_) | Op::Dpasw(_))
    }

    /// Operations on bits alone, where a source's `-` is a `~`.
    pub fn is_bitwise(self) -> bool {
        matches!(self, Op::And | Op::Or | Op::Xor | Op::Not)
    }
}

impl MathFn {
    /// The name in listings.
    pub fn name(self) -> &'static str {
        match self {
            MathFn::Inv => "inv",
            MathFn::Log => "log",
            MathFn::Exp => "exp",
            MathFn::Sqt => "sqt",
            MathFn::Rsqt => "rsqt",
            MathFn::Sin => "sin",
            MathFn::Cos => "cos",
            MathFn::Fdiv => "fdiv",
            MathFn::Pow => "pow",
            MathFn::Idiv => "idiv",
            MathFn::Iqot => "iqot",
            MathFn::Irem => "irem",
            MathFn::Invm => "invm",
            MathFn::Rsqtm => "rsqtm",
        }
    }
}

impl SyncFn {
    /// The name in listings.
    pub fn name(self) -> &'static str {
        match self {
            SyncFn::Nop => "nop",
            SyncFn::AllRd => "allrd",
            SyncFn::AllWr => "allwr",
            SyncFn::Flush => "flush",
            SyncFn::Fence => "fence",
            SyncFn::Bar => "bar",
            SyncFn::Host => "host",
        }
    }

    /// Whether its source is a set of tokens.
    pub(super) fn names_tokens(self) -> bool {
        matches!(self, SyncFn::AllRd | SyncFn::AllWr)
    }
}

impl Cond {
    /// The name in listings.
    pub fn name(self) -> &'static str {
        match self {
            Cond::Eq => "eq",
            Cond::Ne => "ne",
            Cond::Gt => "gt",
            Cond::Ge => "ge",
            Cond::Lt => "lt",
            Cond::Le => "le",
            Cond::Ov => "ov",
            Cond::Un => "un",
            Cond::Eo => "eo",
        }
    }
}
