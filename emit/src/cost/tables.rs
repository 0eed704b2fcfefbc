//! Latencies and throughputs of the cost model, by family.
//!
//! `docs/cost-model.md` cites the source of each.

use crate::inst::{MathFn, Op};
use crate::messages::{Function, Kind};
use crate::platform::Family;

/// The unit that executes an instruction after it was issued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Floats and integers.
    Fpu,
    Math,
    Sampler,
    /// The data port's own cache.
    DataPort,
    ReadOnlyPort,
    RenderPort,
    /// Barriers, threads, and everything else.
    Other,
    /// Pipelines of Xe for integers, for 64-bit values, for scalar registers and for matrices; floats are the FPU's.
    Int,
    Long,
    Scalar,
    Systolic,
}

impl Unit {
    pub const COUNT: usize = Unit::Systolic as usize + 1;

    /// The units of the scoreboard's pipelines, in their order.
    pub const PIPES: [Unit; 5] = [Unit::Fpu, Unit::Int, Unit::Long, Unit::Math, Unit::Scalar];
}

/// Instructions with the same timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Simple operations on elements of up to 32 bits, and on elements of 64 bits.
    Plain,
    Long,
    /// Dot products.
    Dot,
    Interpolation,
    Math,
    /// Math functions of two floats.
    Power,
    Division,
    Systolic,
    Flow,
    /// Waits for a barrier.
    Wait,
    /// Instructions that only take an issue slot.
    Nothing,
}

/// Cycles of a class. A pass is a register of elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timing {
    pub unit: Option<Unit>,
    /// Cycles until the thread can issue the next instruction.
    pub issue: i64,
    pub issue_pass: i64,
    /// Cycles until the unit can take the next instruction.
    pub busy: i64,
    pub busy_pass: i64,
    /// Cycles from issue until a reader of the result can be issued: of general and address registers, of
    /// accumulators, of flags.
    pub result: i64,
    pub accumulator: i64,
    pub flag: i64,
    /// Cycles that each pass after the first adds to the latencies.
    pub result_pass: i64,
}

/// Kinds of messages with the same timing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// One address for all channels.
    Block,
    /// An address for each channel.
    Scattered,
    Atomic,
    Fence,
}

/// Cycles of messages. A pass is eight channels, or 64 bytes of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct MessageTiming {
    pub unit: Unit,
    pub busy: i64,
    pub busy_pass: i64,
    /// Cycles until the payload has been read and may be overwritten, and those that each of its registers adds.
    pub read: i64,
    pub read_register: i64,
    /// Cycles until the response is there, and those that each pass adds.
    pub result: i64,
    pub result_pass: i64,
}

/// Issue cycles of a message.
const MESSAGE_ISSUE: i64 = 2;
/// Bytes that a block message transfers at a time.
pub(super) const LINE_BYTES: u32 = 64;

/// The timing of a family.
#[derive(Debug)]
pub(super) struct Table {
    /// Timings in the order of [`Class`].
    timings: [Timing; 11],
    /// True if a product of two dwords takes as long as one of 64-bit elements.
    pub long_products: bool,
    /// Banks of the register file, as far as they are known.
    pub banks: Option<Banks>,
    /// Timing of messages.
    pub message: fn(Function, Shape, Cached) -> MessageTiming,
    /// Issue cycles of a message.
    pub message_issue: i64,
}

/// Banks of the register file. An operation whose sources are read together and clash takes a cycle more a pass.
#[derive(Debug)]
pub(super) struct Banks {
    /// Bits of a register's number that tell its bank.
    bank: u32,
    /// Bits that tell its bundle in the bank.
    bundle: u32,
    together: Together,
    /// True if a source is not read again that the same source of the operation before had.
    pub keeps: bool,
}

/// Sources that are read in one cycle.
#[derive(Debug)]
enum Together {
    /// The last two of three.
    Last,
    /// The last two of three; where these clash, the first and the last.
    Swapped,
    /// All.
    All,
}

/// No register, where the register of a source is expected.
pub(super) const NO_REGISTER: u16 = u16::MAX;

impl Banks {
    /// Cycles that a pass takes more for the registers of its sources.
    pub fn cycles(&self, registers: [u16; 3]) -> i64 {
        let clash = |a: u16, b: u16, bits: u32| {
            a != b && a != NO_REGISTER && b != NO_REGISTER && u32::from(a ^ b) & bits == 0
        };
        let [first, second, third] = registers;
        let same = |a, b| clash(a, b, self.bank | self.bundle);
        match self.together {
            Together::Last => same(second, third).into(),
            Together::Swapped => (same(second, third) && same(first, third)).into(),
            Together::All => {
                let bank = |a, b| clash(a, b, self.bank);
                let bundles = i64::from(same(first, second))
                    + i64::from(same(first, third) || same(second, third));
                let all = bank(first, second) && bank(second, third) && first != third;
                bundles.max(all.into())
            }
        }
    }
}

const fn banks(bank: u32, bundle: u32, together: Together, keeps: bool) -> Option<Banks> {
    Some(Banks {
        bank,
        bundle,
        together,
        keeps,
    })
}

/// The nearest cache that a message asks to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cached {
    /// The first level.
    First,
    /// The third level, or unknown.
    Third,
}

impl Table {
    pub fn timing(&self, class: Class) -> &Timing {
        &self.timings[class as usize]
    }
}

/// The timing of a family.
pub(super) fn table(family: Family) -> &'static Table {
    match family {
        Family::Gen9 => &GEN9,
        Family::Gen11 => &GEN11,
        Family::Gen12Lp => &GEN12LP,
        Family::XeHpg => &XE_HPG,
        Family::XeHpc => &XE_HPC,
        Family::Xe2 | Family::Xe3 => &XE2,
    }
}

/// An operation of the FPU, with cycles a pass and result latencies.
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
        result_pass: 0,
    }
}

/// An operation of a pipeline of Xe, which takes a pass a cycle while the thread goes on.
const fn piped(unit: Unit, busy_pass: i64, result: i64, result_pass: i64) -> Timing {
    Timing {
        unit: Some(unit),
        issue: 1,
        issue_pass: 0,
        busy: 0,
        busy_pass,
        result,
        accumulator: XE_ACCUMULATOR,
        flag: XE_FLAG,
        result_pass,
    }
}

/// An operation of the math unit, for which the thread need not wait.
const fn function(busy_pass: i64, result: i64) -> Timing {
    Timing {
        unit: Some(Unit::Math),
        issue: -2,
        issue_pass: 4,
        busy_pass,
        ..computed(0, [result, 0, 0])
    }
}

/// An operation that is complete when it has been issued.
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
    banks: banks(0x41, 0, Together::Last, false),
    message,
    message_issue: MESSAGE_ISSUE,
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
    banks: None,
    message,
    message_issue: MESSAGE_ISSUE,
};

const XE_ACCUMULATOR: i64 = 6;
const XE_FLAG: i64 = 16;

/// The timing since Gen12, with these banks.
const fn xe(banks: Option<Banks>) -> Table {
    Table {
        timings: [
            piped(Unit::Fpu, 1, 10, 1),
            piped(Unit::Long, 1, 10, 1),
            piped(Unit::Fpu, 1, 10, 1),
            piped(Unit::Fpu, 1, 10, 1),
            piped(Unit::Math, 4, 17, 4),
            piped(Unit::Math, 8, 24, 8),
            Timing {
                busy: 26,
                ..piped(Unit::Math, 0, 28, 0)
            },
            // A pass is a row of the result.
            piped(Unit::Systolic, 1, 21, 1),
            FLOW,
            alone(30),
            alone(1),
        ],
        long_products: false,
        banks,
        message: xe_message,
        message_issue: 1,
    }
}

const GEN12LP: Table = xe(banks(1, 0xe, Together::Swapped, true));
const XE_HPG: Table = xe(banks(2, 0x3c, Together::All, true));
const XE_HPC: Table = xe(banks(1, 0x1e, Together::All, true));
const XE2: Table = xe(banks(1, 0xe, Together::All, true));

/// The cache of a policy's code, by those that name the first level.
pub(super) fn cached(code: Option<u8>) -> Cached {
    match code {
        Some(6 | 8 | 9) => Cached::First,
        _ => Cached::Third,
    }
}

/// The timing of a message since Gen12.
fn xe_message(function: Function, shape: Shape, cached: Cached) -> MessageTiming {
    use Function::*;
    use Unit::DataPort;
    let timing = |unit, busy_pass, result| MessageTiming {
        // Arbitration, and a cycle for each register.
        read: 8,
        read_register: 1,
        ..port(unit, 0, busy_pass, result, 1)
    };
    match (function, shape, cached) {
        (Sampler, ..) => timing(Unit::Sampler, 8, 214),
        (LocalMemory, Shape::Fence, _) => timing(DataPort, 1, 23),
        (LocalMemory, ..) => timing(DataPort, 4, 28),
        (Typed, Shape::Fence, _) => timing(DataPort, 1, 60),
        (Typed, _, Cached::First) => timing(DataPort, 8, 75),
        (Typed, ..) => timing(DataPort, 8, 200),
        (Untyped | UntypedLow, Shape::Fence, _) => timing(DataPort, 1, 35),
        (Untyped | UntypedLow, _, Cached::First) => timing(DataPort, 4, 45),
        (Untyped | UntypedLow, ..) => timing(DataPort, 4, 200),
        (Gateway, ..) => timing(Unit::Other, 0, 30),
        (DataPort0 | DataPort1 | DataPort2 | ReadOnlyPort, ..) => timing(DataPort, 8, 146),
        _ => timing(Unit::Other, 4, 50),
    }
}

/// The class of an operation. `long` is true for elements of 64 bits.
pub(super) fn class(op: Op, long: bool) -> Class {
    use Op::*;
    match op {
        Nop | Illegal | Sync(_) => Class::Nothing,
        Op::Wait => Class::Wait,
        Jmpi | Brd | If | Brc | Else | Endif | While | Break | Cont | Halt | Calla | Call | Ret
        | Goto | Join => Class::Flow,
        Dpas(_) | Dpasw(_) => Class::Systolic,
        Op::Math(MathFn::Pow | MathFn::Fdiv) => Class::Power,
        Op::Math(MathFn::Idiv | MathFn::Iqot | MathFn::Irem) => Class::Division,
        Op::Math(_) => Class::Math,
        Dp2 | Dp3 | Dp4 | Dph => Class::Dot,
        Pln | Lrp => Class::Interpolation,
        Mov | Sel | Movi | Not | And | Or | Xor | Shr | Shl | Asr | Smov | Cmp | Cmpn | Csel
        | Bfrev | Bfe | Bfi1 | Bfi2 | Add | Mul | Avg | Frc | Rndu | Rndd | Rnde | Rndz | Mac
        | Mach | Lzd | Fbh | Fbl | Cbit | Addc | Subb | Sad2 | Sada2 | Line | Mad | Madm | Rol
        | Ror | Add3 | Bfn(_) | Dp4a | Macl | Srnd => match long {
            true => Class::Long,
            false => Class::Plain,
        },
        // Messages have timings of their own.
        Send | Sendc | Sends | Sendsc => Class::Plain,
    }
}

/// True if a message has an element for each channel.
pub(crate) fn is_by_channel(kind: Kind) -> bool {
    matches!(shape(kind), Shape::Scattered | Shape::Atomic)
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

/// The timing of a message before Gen12, by function alone.
fn message(function: Function, shape: Shape, _: Cached) -> MessageTiming {
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
