//! A request to a shared function as typed fields, encoded to descriptors and decoded from them.
//!
//! Requests are built by the functions of [`data_port`](super::data_port) and [`others`](super::others), or from
//! [`Request::new`]. The fields of a kind are given by its rows alone. Encoding refuses a missing field, a field that
//! the kind lacks, and one without a code. Decoding keeps unused bits, so that an encoded request equals the decoded
//! descriptors.

use super::family_messages;
use super::field::{Fields, Flag, Surface, Value};
use super::{Kind, Part, Quantity, Row, load_store};
use crate::inst::{Desc, Message};
use crate::platform::{Family, MessageFamily};

/// A shared function, by its number (PRM vol. 2d, "Shared Function ID").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Function {
    Null,
    /// `ugml`, since XeHPG.
    UntypedLow,
    Sampler,
    Gateway,
    DataPort2,
    RenderTarget,
    Urb,
    /// The thread spawner; since XeHPG the dispatch of bindless threads.
    Spawner,
    VideoMotion,
    /// The data port's read-only part: constants and the sampler's cache.
    ReadOnlyPort,
    DataPort0,
    PixelInterpolator,
    DataPort1,
    /// `tgm`, since XeHPG; before, the check and refinement engine.
    Typed,
    /// `slm`, since XeHPG.
    LocalMemory,
    /// `ugm`, since XeHPG.
    Untyped,
}

impl Function {
    const ALL: [Function; 16] = {
        use Function::*;
        [
            Null,
            UntypedLow,
            Sampler,
            Gateway,
            DataPort2,
            RenderTarget,
            Urb,
            Spawner,
            VideoMotion,
            ReadOnlyPort,
            DataPort0,
            PixelInterpolator,
            DataPort1,
            Typed,
            LocalMemory,
            Untyped,
        ]
    };

    /// The function of a number, whose low four bits count.
    pub const fn of(sfid: u8) -> Function {
        Function::ALL[(sfid & 15) as usize]
    }

    pub const fn sfid(self) -> u8 {
        self as u8
    }
}

/// A request of a message to a shared function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub function: Function,
    pub kind: Kind,
    pub fields: Fields,
    /// The payload begins with a header (descriptor bit 19; not of loads and stores by address).
    pub header: bool,
    /// Numbers of registers: of the first payload (bits 25-28, "Message Length"), of the second one (bits 6-9 of the
    /// extended descriptor, 6-10 since Gen12, "Extended Message Length"), and of the response (bits 20-24, "Response
    /// Length").
    pub payload: u8,
    pub second: u8,
    pub response: u8,
    /// The thread ends with it (bit 5 of the extended descriptor before Gen12).
    pub end_of_thread: bool,
    /// Bits of the descriptors outside all fields, in their places. In the extended descriptor, bits from 12 up are
    /// the offset of a bindless surface or sampler, in steps of 64 bytes; for loads and stores by address,
    /// [`Fields::address`] gives their meaning.
    pub rest: u32,
    pub extended_rest: u32,
}

/// A message's descriptors, with the function's number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptors {
    pub sfid: u8,
    pub end_of_thread: bool,
    pub desc: u32,
    pub ex_desc: u32,
}

/// Bits of a constant extended descriptor that a send has room for.
pub fn extended_room(family: Family, split: bool) -> u32 {
    family_messages(family).extended_room[usize::from(split)]
}

impl Descriptors {
    /// The descriptors of a `send` with a constant descriptor; an extended one in a register counts as 0.
    pub fn of(message: &Message) -> Option<Descriptors> {
        let Desc::Imm(desc) = message.desc else {
            return None;
        };
        let ex_desc = match message.ex_desc {
            Desc::Imm(bits) => bits,
            Desc::Addr { .. } => 0,
        };
        Some(Descriptors {
            sfid: message.sfid,
            end_of_thread: message.eot,
            desc,
            ex_desc,
        })
    }

    /// Number of registers of the first payload.
    pub fn payload(self) -> u32 {
        self.desc >> 25 & 15
    }

    /// Number of registers of the second payload.
    pub fn second(self, family: Family) -> u32 {
        Descriptors::second_of(self.ex_desc, family)
    }

    /// Number of registers of the second payload that an extended descriptor has.
    pub fn second_of(ex_desc: u32, family: Family) -> u32 {
        ex_desc >> 6 & ((1 << family_messages(family).second_length_bits) - 1)
    }

    /// Number of registers of the response, by its field.
    pub fn response(self) -> u32 {
        self.desc >> 20 & 31
    }

    /// Maximum number of registers of the response. A block of two dimensions may have 32, for which the field has
    /// only room for 31; the data port counts from the block's sizes in the payload.
    pub fn response_at_most(self, family: Family) -> u32 {
        let block = || Request::decode(self, family).is_ok_and(|r| r.kind == Kind::LoadBlock2d);
        match self.response() {
            31 if block() => 32,
            length => length,
        }
    }

    /// The message of a `send` with two constant descriptors.
    pub fn message(self) -> Message {
        Message {
            sfid: self.sfid,
            eot: self.end_of_thread,
            desc: Desc::Imm(self.desc),
            ex_desc: Desc::Imm(self.ex_desc),
        }
    }
}

/// The error of encoding or decoding a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    #[error("{function:?} does not take {}", kind.name())]
    Kind { function: Function, kind: Kind },
    #[error("{function:?} has no request of descriptor {desc:#x}")]
    Unknown { function: Function, desc: u32 },
    #[error("{what} has the reserved code {code}")]
    Code { what: &'static str, code: u32 },
    #[error("{} has no {what}", kind.name())]
    Missing { kind: Kind, what: &'static str },
    #[error("{} cannot have this {what}", kind.name())]
    Value { kind: Kind, what: &'static str },
    #[error("{} cannot have a field that was set", kind.name())]
    Unexpected { kind: Kind },
    #[error("{what} {value} is out of range")]
    Range { what: &'static str, value: u32 },
    #[error("no message of the platform makes this memory access")]
    Access(MessageFamily),
}

/// Memory that a request accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Shared local memory.
    Local,
    /// Images, by their texels.
    Images,
    /// Buffers, scratch space, or what is not known.
    Other,
}

impl Request {
    pub fn memory(&self) -> Memory {
        use Kind::{MediaBlockRead, MediaBlockWrite, Typed16BitAtomic, TypedAtomic};
        use Kind::{TypedSurfaceRead, TypedSurfaceWrite};
        match (self.function, self.kind, self.fields.surface) {
            (Function::LocalMemory, ..) | (.., Some(Surface::Slm)) => Memory::Local,
            (Function::Sampler | Function::Typed, ..) => Memory::Images,
            (_, MediaBlockRead | MediaBlockWrite | Typed16BitAtomic | TypedAtomic, _)
            | (_, TypedSurfaceRead | TypedSurfaceWrite, _) => Memory::Images,
            _ => Memory::Other,
        }
    }

    pub fn new(function: Function, kind: Kind) -> Request {
        Request {
            function,
            kind,
            fields: Fields::default(),
            header: false,
            payload: 0,
            second: 0,
            response: 0,
            end_of_thread: false,
            rest: 0,
            extended_rest: 0,
        }
    }

    /// Sets the surface; `None` for a request without one.
    #[must_use]
    pub fn surface(mut self, surface: Surface) -> Request {
        self.fields.surface = Some(surface);
        self
    }

    #[must_use]
    pub fn flag(mut self, flag: Flag, set: bool) -> Request {
        self.fields.flags = if set {
            self.fields.flags.with(flag)
        } else {
            self.fields.flags.without(flag)
        };
        self
    }

    /// Sets the value's field.
    #[must_use]
    pub fn with(mut self, value: Value) -> Request {
        self.fields.put(value);
        self
    }

    #[must_use]
    pub fn with_header(mut self) -> Request {
        self.header = true;
        self
    }

    /// Sets the numbers of registers of both payloads and of the response.
    #[must_use]
    pub fn lengths(mut self, payload: u8, second: u8, response: u8) -> Request {
        (self.payload, self.second, self.response) = (payload, second, response);
        self
    }

    #[must_use]
    pub fn ending_thread(mut self) -> Request {
        self.end_of_thread = true;
        self
    }

    /// The request's descriptors.
    ///
    /// # Errors
    /// A field without a place or a code in the family's tables.
    pub fn encode(&self, family: Family) -> Result<Descriptors, RequestError> {
        let messages = family_messages(family);
        let (function, kind) = (self.function, self.kind);
        let requested = &messages.requests[usize::from(function.sfid())];
        let mut result = Err(RequestError::Kind { function, kind });
        // Among rows of one kind, the first with a place for all fields.
        for row in requested.rows.iter().filter(|row| row.kind == kind) {
            result = row.encode(&self.fields);
            if result.is_ok() {
                break;
            }
        }
        let row = result?;
        let mut desc = row;
        for (what, low, width, value) in self.common(requested.header) {
            desc |= ranged(what, value, width)? << low;
        }
        let length = ranged(
            "length",
            u32::from(self.second),
            messages.second_length_bits,
        )?;
        let mut ex_desc = self.extended_rest | length << 6;
        if messages.function_in_descriptor {
            ex_desc |= u32::from(function.sfid()) | u32::from(self.end_of_thread) << 5;
        }
        Ok(Descriptors {
            sfid: function.sfid(),
            end_of_thread: self.end_of_thread,
            desc: desc | self.rest,
            ex_desc,
        })
    }

    /// The fields of every request: name, lowest bit, width, value.
    fn common(&self, header: bool) -> impl Iterator<Item = (&'static str, u32, u32, u32)> {
        let lengths = [
            ("length", 25, 4, u32::from(self.payload)),
            ("length", 20, 5, u32::from(self.response)),
        ];
        let header = ("header", 19, u32::from(header), u32::from(self.header));
        lengths.into_iter().chain([header])
    }

    /// The request of descriptors.
    ///
    /// # Errors
    /// No row of the function has this descriptor, or a field of it has a reserved code.
    pub fn decode(of: Descriptors, family: Family) -> Result<Request, RequestError> {
        let messages = family_messages(family);
        let function = Function::of(of.sfid);
        let requested = &messages.requests[usize::from(function.sfid())];
        let desc = of.desc;
        let row = requested
            .row(desc)
            .ok_or(RequestError::Unknown { function, desc })?;
        let mut request = Request::new(function, row.kind);
        let mut known = row.mask | 0x1ff << 20;
        if requested.header {
            request.header = desc >> 19 & 1 != 0;
            known |= 1 << 19;
        }
        request.payload = of.payload() as u8;
        request.second = of.second(family) as u8;
        request.response = of.response() as u8;
        for part in row.parts {
            part.decode(desc, &mut request.fields)?;
            known |= part.mask();
        }
        request.rest = desc & !known;
        let lengths = (1 << messages.second_length_bits) - 1;
        let mut known = lengths << 6;
        if messages.function_in_descriptor {
            known |= 0x2f;
        }
        request.extended_rest = of.ex_desc & !known;
        request.end_of_thread = of.end_of_thread;
        Ok(request)
    }
}

fn ranged(what: &'static str, value: u32, width: u32) -> Result<u32, RequestError> {
    if value >> width == 0 {
        Ok(value)
    } else {
        Err(RequestError::Range { what, value })
    }
}

impl Row {
    /// Descriptor bits of the row and of its fields.
    fn encode(&self, fields: &Fields) -> Result<u32, RequestError> {
        let mut left = *fields;
        let mut desc = self.bits;
        for part in self.parts {
            desc |= part.encode(&mut left, self.kind)?;
        }
        if left == Fields::default() {
            Ok(desc)
        } else {
            Err(RequestError::Unexpected { kind: self.kind })
        }
    }
}

impl Part {
    /// Mask of the part's bits.
    fn mask(&self) -> u32 {
        let bits = |low: u32, width: u32| ((1 << width) - 1) << low;
        match self {
            Part::Coded(low, width, _) | Part::Suffix(low, width, _) => bits(*low, *width),
            Part::Flags(low, flags) => bits(*low, flags.len() as u32),
            Part::Mark(low, _) => bits(*low, 1),
            Part::Number(low, width, ..) => bits(*low, *width),
            Part::Channels(low, _) => bits(*low, 4),
            Part::Surface => 0xff,
            Part::Caches(_) => bits(16, 4),
            Part::Address => bits(29, 2),
        }
    }

    /// Bits of the part's field, which is removed from `fields`.
    fn encode(&self, fields: &mut Fields, kind: Kind) -> Result<u32, RequestError> {
        let missing = |what| RequestError::Missing { kind, what };
        match self {
            Part::Coded(low, _, values) | Part::Suffix(low, _, values) => {
                // All values are of one field, except for reserved codes.
                let like = values.iter().find(|value| **value != Value::Reserved);
                let like = *like.ok_or(missing("field"))?;
                let what = like.what();
                let value = fields.take(like).ok_or(missing(what))?;
                let code = values.iter().position(|known| *known == value);
                let code = code.ok_or(RequestError::Value { kind, what })?;
                Ok((code as u32) << low)
            }
            Part::Flags(low, flags) => {
                let bits = flags.iter().zip(*low..);
                Ok(bits.map(|(flag, at)| take_flag(fields, *flag) << at).sum())
            }
            Part::Mark(low, flag) => Ok(take_flag(fields, *flag) << low),
            Part::Number(low, width, unit, quantity) => {
                let value = quantity.of(fields).take().ok_or(missing(quantity.name()))?;
                if value % unit != 0 {
                    let what = quantity.name();
                    return Err(RequestError::Range { what, value });
                }
                Ok(ranged(quantity.name(), value / unit, *width)? << low)
            }
            Part::Channels(low, left_out) => {
                let mask = fields.channels.take().ok_or(missing("channels"))?;
                let mask = ranged("channels", u32::from(mask), 4)?;
                Ok((mask ^ if *left_out { 15 } else { 0 }) << low)
            }
            Part::Surface => {
                let surface = fields.surface.take().ok_or(missing("surface"))?;
                Ok(u32::from(surface.index()))
            }
            Part::Caches(_) => {
                let cache = fields.cache.take().ok_or(missing("cache policy"))?;
                Ok(ranged("cache policy", u32::from(cache), 4)? << 16)
            }
            Part::Address => {
                let address = fields.address.take().ok_or(missing("kind of address"))?;
                Ok((address as u32) << 29)
            }
        }
    }

    /// Sets the fields that the part's bits stand for.
    fn decode(&self, desc: u32, fields: &mut Fields) -> Result<(), RequestError> {
        let get = |low: u32, width: u32| desc >> low & ((1 << width) - 1);
        match self {
            Part::Coded(low, width, values) | Part::Suffix(low, width, values) => {
                let code = get(*low, *width);
                match values.get(code as usize) {
                    Some(value) if *value != Value::Reserved => fields.put(*value),
                    _ => {
                        let what = values.last().map_or("field", |value| value.what());
                        return Err(RequestError::Code { what, code });
                    }
                }
            }
            Part::Flags(low, flags) => {
                for (flag, at) in flags.iter().zip(*low..) {
                    if get(at, 1) != 0 {
                        fields.flags = fields.flags.with(*flag);
                    }
                }
            }
            Part::Mark(low, flag) => {
                if get(*low, 1) != 0 {
                    fields.flags = fields.flags.with(*flag);
                }
            }
            Part::Number(low, width, unit, quantity) => {
                *quantity.of(fields) = Some(get(*low, *width) * unit);
            }
            Part::Channels(low, left_out) => {
                fields.channels = Some(get(*low, 4) as u8 ^ if *left_out { 15 } else { 0 });
            }
            Part::Surface => fields.surface = Some(Surface::of(desc as u8)),
            Part::Caches(_) => fields.cache = Some(get(16, 4) as u8),
            Part::Address => fields.address = Some(load_store::KINDS[get(29, 2) as usize]),
        }
        Ok(())
    }
}

impl Quantity {
    fn of(self, fields: &mut Fields) -> &mut Option<u32> {
        match self {
            Quantity::Offset => &mut fields.offset,
            Quantity::Sampler => &mut fields.sampler,
        }
    }
}

fn take_flag(fields: &mut Fields, flag: Flag) -> u32 {
    let set = fields.flags.has(flag);
    fields.flags = fields.flags.without(flag);
    u32::from(set)
}

#[cfg(test)]
#[path = "tests/request.rs"]
mod tests;
