//! The time of a single instruction, computed from the facts that it depends on.

use super::tables::{self, Class, LINE_BYTES, Shape, Unit};
use crate::inst::{Op, Type};
use crate::messages::{Function, Kind};
use crate::platform::Platform;
use crate::scoreboard::Units;

/// Cycles of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Time {
    pub(super) unit: Option<Unit>,
    /// Registers of elements.
    pub(super) passes: i64,
    /// Cycles until the thread can issue the next instruction.
    pub issue: i64,
    /// Cycles until the unit can take the next instruction.
    pub busy: i64,
    /// Cycles until the payloads of a message have been read.
    pub read: Option<i64>,
    /// Cycles from issue until a reader of the result can be issued: of general and address registers, of
    /// accumulators, of flags.
    pub result: i64,
    pub accumulator: i64,
    pub flag: i64,
}

impl Time {
    /// Number of units that execute instructions.
    pub const UNITS: usize = Unit::COUNT;

    /// The time of a pseudo-instruction.
    pub const NONE: Time = Time {
        unit: None,
        passes: 0,
        issue: 0,
        busy: 0,
        read: None,
        result: 0,
        accumulator: 0,
        flag: 0,
    };

    /// Index of the unit that executes it, if any.
    pub fn unit(&self) -> Option<usize> {
        self.unit.map(|unit| unit as usize)
    }
}

/// The time of an operation on elements of the given types. The result has a type and a stride in elements.
pub fn computation(
    platform: &Platform,
    op: Op,
    exec_size: u8,
    sources: &[Type],
    result: Option<(Type, u8)>,
) -> Time {
    let table = tables::table(platform.family);
    let size = |ty: &Type| match ty {
        Type::V | Type::Uv => 2,
        ty => ty.bytes().max(2),
    };
    let written = result.map(|(ty, _)| ty.bytes());
    let element = sources.iter().map(size).chain(written).max().unwrap_or(0);
    let apart = result.map_or(0, |(ty, apart)| ty.bytes() * u32::from(apart));
    let bytes = u32::from(exec_size) * element.max(apart);
    let passes = match op {
        Op::Dpas(shape) | Op::Dpasw(shape) => i64::from(shape.repeat),
        _ => i64::from(bytes.div_ceil(platform.grf_bytes).max(1)),
    };
    let long = element == 8 || table.long_products && is_long_product(op, sources);
    let class = tables::class(op, long);
    let timing = table.timing(class);
    let more = timing.result_pass * (passes - 1);
    Time {
        unit: match class {
            Class::Plain | Class::Long => pipeline(platform, result).or(timing.unit),
            _ => timing.unit,
        },
        passes,
        issue: (timing.issue + timing.issue_pass * passes).max(1),
        busy: timing.busy + timing.busy_pass * passes,
        read: None,
        result: timing.result + more,
        accumulator: timing.accumulator + more,
        flag: timing.flag + more,
    }
}

/// The pipeline of a simple operation, by its result, where there are several.
fn pipeline(platform: &Platform, result: Option<(Type, u8)>) -> Option<Unit> {
    let units = Units::new(platform)?;
    let pipe = result.map_or(units.pipe_of(Type::D), |(ty, _)| units.pipe_of(ty));
    Some(Unit::PIPES[usize::from(pipe)])
}

/// The facts that the time of a message depends on.
#[derive(Clone, Copy, Debug)]
pub struct Message {
    pub function: Function,
    /// Kind of the request, if it is known, and true if the payload begins with a header.
    pub request: Option<(Kind, bool)>,
    /// Code of the cache policy of a load or store by address.
    pub cache: Option<u8>,
    pub exec_size: u8,
    /// Number of general registers of both payloads, and of the response.
    pub payload: u32,
    pub result: u32,
}

/// The time of a message.
pub fn message(platform: &Platform, message: &Message) -> Time {
    let kind = message.request.map(|(kind, _)| kind);
    let shape = kind.map_or(Shape::Scattered, tables::shape);
    let table = tables::table(platform.family);
    let cached = tables::cached(message.cache);
    let timing = (table.message)(message.function, shape, cached);
    let passes = match shape {
        Shape::Block => {
            // Written data follow the header.
            let header = message.request.is_some_and(|(_, header)| header);
            let registers = match message.result {
                0 => message.payload.saturating_sub(u32::from(header)),
                result => result,
            };
            (registers * platform.grf_bytes).div_ceil(LINE_BYTES)
        }
        _ => u32::from(message.exec_size).div_ceil(platform.grf_bytes / 4),
    };
    let passes = i64::from(passes.max(1));
    Time {
        unit: Some(timing.unit),
        passes,
        issue: table.message_issue,
        busy: timing.busy + timing.busy_pass * passes,
        read: Some(timing.read + timing.read_register * i64::from(message.payload)),
        result: timing.result + timing.result_pass * passes,
        accumulator: 0,
        flag: 0,
    }
}

/// True if it multiplies dwords with dwords.
fn is_long_product(op: Op, sources: &[Type]) -> bool {
    let factors = match op {
        Op::Mul => sources,
        Op::Mad => sources.get(1..).unwrap_or_default(),
        _ => return false,
    };
    let is_dword = |ty: &Type| matches!(ty, Type::D | Type::Ud);
    factors.len() == 2 && factors.iter().all(is_dword)
}
