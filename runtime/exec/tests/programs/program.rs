//! Random vISA programs as trees.
//!
//! A program has two kinds of variables. In a *private* one each channel owns the element of its number; divergent
//! code accesses nothing else, so that its results do not depend on the order of channels. *Shared* variables are
//! bytes that uniform code reads and writes with any region, mask and execution size, by name or through address
//! registers; divergent code only reads them.
//!
//! Subroutines share the variables of their object; functions have their own and receive arguments.

use kiln_emit::platform::Platform;

pub use crate::model::Modifier;
use crate::model::{Relation, Ty};

/// A variable of whole GRFs, at least 64 bytes; the compiler chooses its registers.
#[derive(Clone, Copy, Debug)]
pub struct Var {
    pub bytes: usize,
    /// Bytes of a channel's element in a private variable.
    pub element: Option<usize>,
    /// Type of its first contents and of most accesses.
    pub ty: Ty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    pub v: usize,
    pub w: usize,
    pub h: usize,
}

impl Region {
    pub const SCALAR: Region = Region { v: 0, w: 1, h: 0 };

    pub fn element(self, lane: usize) -> usize {
        lane / self.w * self.v + lane % self.w * self.h
    }
}

#[derive(Clone, Copy, Debug)]
pub enum Place {
    Direct {
        var: usize,
        byte: usize,
    },
    /// Addressed by one element of an address register plus an offset in bytes.
    Indirect {
        addr: usize,
        element: usize,
        byte: usize,
    },
}

#[derive(Clone, Copy, Debug)]
pub enum What {
    Imm(u64),
    At {
        place: Place,
        region: Region,
    },
    /// Each channel uses its own element of the address register, from this one on.
    Scattered {
        addr: usize,
        byte: usize,
    },
}

#[derive(Clone, Copy, Debug)]
pub struct Source {
    pub ty: Ty,
    pub modifier: Modifier,
    pub what: What,
}

#[derive(Clone, Copy, Debug)]
pub struct Target {
    pub ty: Ty,
    pub place: Place,
    pub stride: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    None,
    Any,
    All,
}

#[derive(Clone, Copy, Debug)]
pub struct Guard {
    pub pred: usize,
    pub inverse: bool,
    pub combine: Combine,
}

/// Channels of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Exec {
    pub size: usize,
    pub off: usize,
    pub no_mask: bool,
}

#[derive(Clone, Debug)]
pub struct Inst {
    pub op: &'static str,
    pub relation: Option<Relation>,
    pub exec: Exec,
    pub guard: Option<Guard>,
    pub saturate: bool,
    /// The predicate that a compare writes, instead of a variable.
    pub flag: Option<usize>,
    /// True if the least integer of a type may occur negated.
    pub least: bool,
    pub targets: Vec<Target>,
    pub sources: Vec<Source>,
}

#[derive(Clone, Debug)]
pub enum Stmt {
    Inst(Inst),
    /// Sets all bits of a predicate.
    SetPred {
        pred: usize,
        bits: u32,
    },
    /// Addresses in a variable: one offset, or elements of type `uw` of another variable.
    Address {
        addr: usize,
        element: usize,
        count: usize,
        var: usize,
        offset: Offset,
    },
    /// Loads or stores a dword a channel of the buffer, at the offsets in a variable.
    Memory {
        store: bool,
        message: Message,
        exec: Exec,
        guard: Option<Guard>,
        offsets: usize,
        data: usize,
    },
    /// Adds a channel's dword to one place of the buffer.
    Count {
        exec: Exec,
        guard: Option<Guard>,
        offsets: usize,
        data: usize,
    },
    /// A branch; uniform if all channels take the same side.
    If {
        guard: Guard,
        uniform: bool,
        then: Vec<Stmt>,
        other: Vec<Stmt>,
    },
    /// Repeated for the channels whose predicate holds after `step`.
    Loop {
        pred: usize,
        uniform: bool,
        body: Vec<Stmt>,
        step: Vec<Stmt>,
    },
    Break(Option<Guard>),
    Continue(Option<Guard>),
    /// Return of a subroutine or function.
    Return(Option<Guard>),
    /// A subroutine of the same object.
    Subroutine {
        sub: usize,
        guard: Option<Guard>,
    },
    /// Calls a function: a private variable for each argument of the channels, a place in a shared one for each
    /// uniform argument; a private variable for the result.
    Function {
        function: usize,
        by: By,
        args: Vec<(usize, usize)>,
        result: usize,
    },
}

/// Form of a call.
#[derive(Clone, Copy, Debug)]
pub enum By {
    Name,
    /// By address; where the predicate holds, by that of another function with the same signature.
    Address {
        other: usize,
        guard: Guard,
    },
}

/// Form of a message.
#[derive(Clone, Copy, Debug)]
pub enum Message {
    Operation,
    /// As a raw send with its descriptor.
    Raw {
        conditional: bool,
    },
}

#[derive(Clone, Copy, Debug)]
pub enum Offset {
    Imm(usize),
    At {
        var: usize,
        byte: usize,
        region: Region,
    },
}

/// A subroutine's body. A `wide` one is called by uniform code only.
#[derive(Clone, Debug)]
pub struct Sub {
    pub wide: bool,
    pub body: Vec<Stmt>,
}

/// Variables of the kernel or of one function.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub vars: Vec<Var>,
    /// Elements of each predicate: 1, or the number of channels.
    pub preds: Vec<usize>,
    /// Elements of each address register.
    pub addrs: Vec<usize>,
    pub subs: Vec<Sub>,
    pub body: Vec<Stmt>,
    /// Signature of a function: its first variables are the arguments, the next one is the result.
    pub signature: Signature,
}

/// Arguments and result of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    pub args: Vec<Arg>,
    pub result: Option<Ty>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arg {
    pub ty: Ty,
    /// True if all channels share one value.
    pub common: bool,
}

/// GRFs that arguments may take.
const ARG_GRFS: usize = 32;

impl Arg {
    /// Bytes in the arguments' registers.
    pub fn bytes(self, simd: usize) -> usize {
        self.ty.bytes() * if self.common { 1 } else { simd }
    }
}

impl Signature {
    /// The byte offset of each argument, in whole GRFs of a size or packed with its neighbours, and the number of GRFs;
    /// `None` if there are too many.
    pub fn layout(&self, simd: usize, grf: usize) -> Option<(Vec<usize>, usize)> {
        let mut end = 0usize;
        let places = self.args.iter().map(|arg| {
            let at = end.next_multiple_of(if arg.common { arg.ty.bytes() } else { grf });
            end = at + arg.bytes(simd);
            at
        });
        let places = places.collect();
        let grfs = end.div_ceil(grf);
        (grfs <= ARG_GRFS).then_some((places, grfs))
    }

    pub fn result_grfs(&self, simd: usize, grf: usize) -> usize {
        self.result
            .map_or(0, |ty| (ty.bytes() * simd).div_ceil(grf))
    }
}

#[derive(Clone, Debug)]
pub struct Program {
    pub target: &'static Platform,
    pub seed: u64,
    pub simd: usize,
    /// Work-items of the only group, `simd` at most.
    pub items: usize,
    /// The kernel, then functions.
    pub scopes: Vec<Scope>,
}

/// Dwords of the buffer that each channel owns; the counters follow those of all channels.
pub const OWN: usize = 8;
pub const COUNTERS: usize = 4;
