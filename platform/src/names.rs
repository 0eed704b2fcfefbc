//! Names of functions and conditions in listings.

use crate::isa::{Cond, MathFn, SyncFn};

impl MathFn {
    pub const ALL: [MathFn; 14] = [
        MathFn::Inv,
        MathFn::Log,
        MathFn::Exp,
        MathFn::Sqt,
        MathFn::Rsqt,
        MathFn::Sin,
        MathFn::Cos,
        MathFn::Fdiv,
        MathFn::Pow,
        MathFn::Idiv,
        MathFn::Iqot,
        MathFn::Irem,
        MathFn::Invm,
        MathFn::Rsqtm,
    ];

    /// Name in listings.
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
    pub const ALL: [SyncFn; 7] = [
        SyncFn::Nop,
        SyncFn::AllRd,
        SyncFn::AllWr,
        SyncFn::Flush,
        SyncFn::Fence,
        SyncFn::Bar,
        SyncFn::Host,
    ];

    /// Name in listings.
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

    /// True if its source is a set of tokens.
    pub fn names_tokens(self) -> bool {
        matches!(self, SyncFn::AllRd | SyncFn::AllWr)
    }
}

impl Cond {
    pub const ALL: [Cond; 9] = [
        Cond::Eq,
        Cond::Ne,
        Cond::Gt,
        Cond::Ge,
        Cond::Lt,
        Cond::Le,
        Cond::Ov,
        Cond::Un,
        Cond::Eo,
    ];

    /// Name in listings.
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
