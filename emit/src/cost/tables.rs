//! The numbers of the model: what instructions and messages take, by platform.
//!
//! `docs/cost-model.md` says where each comes from.

use crate::inst::{MathFn, Op};
use crate::messages::{Function, Kind};
use crate::platform::Family;

/// What executes an instruction after it was issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Floats and integers.
    Fpu,
    Math,
    Sampler,
    /// What a data port reads and writes through its own cache.
    DataPort,
    ReadOnlyPort,
    RenderPort,
    /// Barriers, threads, and all else.
    Other,
}

impl Unit {
    pub const COUNT: usize = Unit::Other as usize + 1;
}

/// Instructions that take the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Those on elements of up to 32 bits, and of 64 bits.
    Plain,
    Long,
    /// The sum of products.
    Dot,
    Interpolation,
    Math,
    /// Functions of two floats.
    Power,
    Division,
    Systolic,
    Flow,
    /// Waits for a barrier.
    Wait,
    /// Takes its place and no more.
    Nothing,
}

/// Cycles that instructions of a class take. A pass is a register of elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    pub unit: Option<Unit>,
    /// The thread can issue nothing else meanwhile.
    pub issue: i64,
    pub issue_pass: i64,
    /// The unit takes nothing else meanwhile.
    pub busy: i64,
    pub busy_pass: i64,
    /// From then on until what reads the result can be issued: of general registers and addresses,
    /// accumulators, flags.
    pub result: i64,
    pub accumulator: i64,
    pub flag: i64,
}

/// Kinds of messages as far as their time goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One place in memory.
    Block,
    /// Each channel has its own.
    Scattered,
    Atomic,
    Fence,
}

/// Cycles that messages take. A pass is eight channels, or 64 bytes of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageTiming {
    pub unit: Unit,
    pub busy: i64,
    pub busy_pass: i64,
    /// Until the payload has been read and may be overwritten, and more for each register of it.
    pub read: i64,
    pub read_register: i64,
    /// Until the result is there, and more for each pass.
    pub result: i64,
    pub result_pass: i64,
}

/// The time that a message takes to issue.
pub(super) const MESSAGE_ISSUE: i64 = 2;
/// Bytes of a block that are read or written at a time.
pub(super) const LINE_BYTES: u32 = 64;

/// A platform's numbers.
#[derive(Debug)]
pub(super) struct Table {
    /// In the order of [`Class`].
    timings: [Timing; 11],
    /// A dword of one source times a dword of the other takes as long as 64 bits.
    pub long_products: bool,
    /// Sources of a ternary operation whose second and third come from the same bank take a cycle more
    /// a pass: the bits of a register's number that tell its bank.
    pub bank_bits: Option<u32>,
}

impl Table {
    pub fn timing(&self, class: Class) -> &Timing {
        &self.timings[class as usize]
    }
}

/// The numbers of a family.
pub(super) fn table(family: Family) -> &'static Table {
    match family {
        Family::Gen9 => &GEN9,
        Family::Gen11 | Family::Gen12Lp | Family::XeHpg | Family::XeHpc | Family::Xe2 => &GEN11,
    }
}

/// What takes so many cycles a pass, with the time until its result is there.
const fn computed(pass: i64, [result, accumulator, flag]: [i64; 3]) -> Timing {
    Timing {
        unit: Some(Unit::Fpu),
        issue: 0,
        issue_pass: pass,
        busy: 0,
        busy_pass: pass,
        result,
        accumulator,
        flag,
    }
}

/// The same of the functions' unit, which the thread need not wait for.
const fn function(busy_pass: i64, result: i64) -> Timing {
    Timing {
        unit: Some(Unit::Math),
        issue: -2,
        issue_pass: 4,
        busy_pass,
        ..computed(0, [result, 0, 0])
    }
}

/// What is done when it has been issued.
const fn alone(issue: i64) -> Timing {
    Timing {
        unit: None,
        issue,
        ..computed(0, [0, 0, 0])
    }
}

const DIVISION: Timing = Timing {
    issue: 2,
    issue_pass: 0,
    busy: 26,
    busy_pass: 0,
    ..function(0, 28)
};
const FLOW: Timing = alone(8);
const WAIT: Timing = alone(90);
const NOTHING: Timing = alone(2);

const GEN9: Table = Table {
    timings: [
        computed(2, [8, 4, 12]),
        computed(4, [12, 8, 16]),
        computed(2, [12, 8, 16]),
        computed(4, [12, 8, 16]),
        function(4, 16),
        function(8, 24),
        DIVISION,
        computed(2, [32, 8, 16]),
        FLOW,
        WAIT,
        NOTHING,
    ],
    long_products: true,
    bank_bits: Some(0x41),
};

const GEN11: Table = Table {
    timings: [
        computed(2, [10, 6, 14]),
        computed(2, [10, 6, 14]),
        computed(2, [12, 8, 16]),
        computed(4, [12, 8, 16]),
        function(4, 16),
        function(8, 24),
        DIVISION,
        computed(2, [32, 8, 16]),
        FLOW,
        WAIT,
        NOTHING,
    ],
    long_products: true,
    bank_bits: None,
};

/// The class of an operation; `long`: on elements of 64 bits.
pub(super) fn class(op: Op, long: bool) -> Class {
    match op {
        Op::Nop | Op::Illegal | Op::Sync(_) => Class::Nothing,
        Op::Wait => Class::Wait,
        op if op.is_branch() => Class::Flow,
        op if op.is_systolic() => Class::Systolic,
        Op::Math(MathFn::Pow | MathFn::Fdiv) => Class::Power,
        Op::Math(MathFn::Idiv | MathFn::Iqot | MathFn::Irem) => Class::Division,
        Op::Math(_) => Class::Math,
        Op::Dp2 | Op::Dp3 | Op::Dp4 | Op::Dph => Class::Dot,
        Op::Pln | Op::Lrp => Class::Interpolation,
        _ if long => Class::Long,
        _ => Class::Plain,
    }
}

/// The shape of a kind of message.
pub(super) fn shape(kind: Kind) -> Shape {
    use Kind::*;
    match kind {
        ConstantOwordBlockRead
        | ConstantAlignedOwordBlockRead
        | OwordBlockRead
        | AlignedOwordBlockRead
        | AlignedHwordBlockRead
        | OwordDualBlockRead
        | OwordBlockWrite
        | AlignedHwordBlockWrite
        | OwordDualBlockWrite
        | HwordScratchBlockRead
        | HwordScratchBlockWrite
        | MediaBlockRead
        | MediaBlockWrite
        | A64OwordBlockRead
        | A64AlignedOwordBlockRead
        | A64OwordDualBlockRead
        | A64HwordBlockRead
        | A64OwordBlockWrite
        | A64AlignedOwordBlockWrite
        | A64OwordDualBlockWrite
        | A64HwordBlockWrite
        | LoadBlock2d
        | StoreBlock2d => Shape::Block,
        MemoryFence | Fence | UrbFence | SamplerFlush => Shape::Fence,
        kind if kind.name().contains("atomic") => Shape::Atomic,
        _ => Shape::Scattered,
    }
}

const fn port(
    unit: Unit,
    busy: i64,
    busy_pass: i64,
    result: i64,
    result_pass: i64,
) -> MessageTiming {
    MessageTiming {
        unit,
        busy,
        busy_pass,
        read: 10,
        read_register: 0,
        result,
        result_pass,
    }
}

/// The time that a message takes.
pub(super) fn message(function: Function, shape: Shape) -> MessageTiming {
    use Function::*;
    use Unit::DataPort;
    match (function, shape) {
        (Sampler, _) => MessageTiming {
            read: 8,
            read_register: 2,
            ..port(Unit::Sampler, 0, 16, 750, 0)
        },
        (ReadOnlyPort, _) => port(Unit::ReadOnlyPort, 0, 16, 100, 0),
        (RenderTarget, Shape::Atomic) => port(Unit::RenderPort, 30, 450, 100, 400),
        (RenderTarget, Shape::Fence) => port(Unit::RenderPort, 30, 0, 300, 0),
        (RenderTarget, _) => port(Unit::RenderPort, 0, 450, 300, 0),
        (Urb, _) => MessageTiming {
            read: 32,
            ..port(Unit::Other, 0, 6, 200, 0)
        },
        (Gateway | Spawner | Null, _) => port(Unit::Other, 0, 0, 0, 0),
        (PixelInterpolator, _) => MessageTiming {
            read: 0,
            ..port(Unit::Other, 14, 0, 90, 0)
        },
        (_, Shape::Fence) => port(DataPort, 30, 0, 100, 0),
        (_, Shape::Atomic) => port(DataPort, 30, 400, 100, 400),
        (_, _) => port(DataPort, 0, 20, 100, 0),
    }
}
