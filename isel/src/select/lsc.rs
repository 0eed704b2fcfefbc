//! Loads, stores and atomics by address (LSC), and their fences.
//!
//! Takes the `lsc_` operations of vISA, each of which is one message; the request has their fields, whose codes are
//! those of [`kiln_emit::messages::load_store`]. An offset of all addresses is in the message where their kind has room
//! for it, and is added to the addresses where not. The surface is in the extended descriptor, a register unless it is
//! a constant entry of the binding table.

use kiln_emit::messages::length_in_instruction;
use kiln_emit::messages::load_store::{KINDS, cache_code, kind, offset_bits};
use kiln_emit::messages::{
    AddressKind, Data, Flag, Flush, Function, Kind, Request, Scope, Value, Vector,
};
use kiln_machine::inst::{Desc, Dst, Imm, Message, Src, SrcReg};
use kiln_platform::errata::Erratum;
use kiln_platform::isa::{Op, Type};
use kiln_visa::lsc::caching;
use kiln_visa::module as visa;
use kiln_visa::opcode::{Field, LscOp, Meaning, Opcode};
use kiln_visa::shape::{LSC_ELEMENTS, RawShape, number};

use super::buffer::Buffer;
use super::message::{Payload, is_null};
use super::{Channels, Result, Select, ud};

/// Order of data in which one address has all elements.
const TRANSPOSED: u32 = 2;
/// Address of the thread's arguments, of which r0.0 has the base.
const ARGUMENTS: u32 = 5;
const ARGUMENTS_MASK: u32 = !0x3f;
/// Entry of the binding table for all memory from the base of the general state on.
const GENERAL_STATE: u32 = 255;
/// Bytes of the pitch in the payload of strided elements.
const PITCH: u32 = 8;
/// Bytes of the fields in the payload of a two-dimensional block: the surface's width, height and pitch, the block's
/// place, and its shape.
const BLOCK_FIELDS: [u32; 5] = [8, 12, 16, 20, 24];
const BLOCK_SHAPE: u32 = 28;
/// Dwords of that payload.
const BLOCK_DWORDS: u32 = 8;
/// Bits of an extended descriptor with a block's offsets, and the number of bits of each.
const BLOCK_OFFSETS: [u32; 2] = [12, 22];
const BLOCK_OFFSET_BITS: u32 = 10;

const SCOPES: [Scope; 7] = [
    Scope::Group,
    Scope::Local,
    Scope::Tile,
    Scope::Gpu,
    Scope::AllGpus,
    Scope::SystemRelease,
    Scope::SystemAcquire,
];
const FLUSHES: [Flush; 7] = [
    Flush::None,
    Flush::Evict,
    Flush::Invalidate,
    Flush::Discard,
    Flush::Clean,
    Flush::L3,
    Flush::Nothing,
];
const FUNCTIONS: [Function; 5] = [
    Function::Untyped,
    Function::UntypedLow,
    Function::Typed,
    Function::LocalMemory,
    Function::Urb,
];
const DATA: [Data; 7] = [
    Data::D8,
    Data::D16,
    Data::D32,
    Data::D64,
    Data::D8U32,
    Data::D16U32,
    Data::D16U32High,
];
/// Bits of addresses, by their number in vISA.
const ADDRESS_BITS: [u8; 4] = [0, 16, 32, 64];

/// The surface of a message: the bits of a constant extended descriptor, or a register.
pub(super) enum Surface {
    Bits(u32),
    Register(Src),
}

fn n(visa: &visa::Inst, meaning: Meaning) -> u32 {
    number(visa, meaning, 0).unwrap_or_default()
}

/// Indices of the operands for which `is` holds.
fn operands(visa: &visa::Inst, is: impl Fn(Field) -> bool) -> impl Iterator<Item = usize> {
    let fields = visa.op.row().operand_fields().enumerate();
    fields.filter(move |&(_, field)| is(field)).map(|(i, _)| i)
}

impl Select<'_, '_> {
    /// Selects an operation of LSC.
    pub(super) fn lsc(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        match visa.op {
            Opcode::LscFence => self.lsc_fence(visa),
            Opcode::LscBlock2d | Opcode::LscBlock2dPayload => self.lsc_block_2d(visa, channels),
            Opcode::LscTypedBlock2d => self.lsc_typed_block_2d(visa, channels),
            Opcode::LscTyped => self.lsc_typed(visa, channels),
            Opcode::LscUntyped => self.lsc_untyped(visa, channels),
            Opcode::LscStrided => self.lsc_strided(visa, channels),
            _ => self.fail("an operation the platform lacks"),
        }
    }

    fn lsc_function(&self, visa: &visa::Inst) -> Result<Function> {
        let unit = match visa.op {
            Opcode::LscTyped => return Ok(Function::Typed),
            _ => n(visa, Meaning::LscUnit),
        };
        match FUNCTIONS.get(unit as usize) {
            Some(&function) => Ok(function),
            None => self.fail("an unknown unit"),
        }
    }

    fn lsc_fence(&mut self, visa: &visa::Inst) -> Result {
        let scope = SCOPES.get(n(visa, Meaning::LscScope) as usize);
        let flush = FLUSHES.get(n(visa, Meaning::LscFenceOp) as usize);
        let (Some(&scope), Some(&flush)) = (scope, flush) else {
            return self.fail("an unknown fence");
        };
        let (function, target) = (self.lsc_function(visa)?, self.out.target);
        let is_far = function == Function::Untyped && !matches!(scope, Scope::Group | Scope::Local);
        let flush = match flush {
            Flush::None if is_far && target.needs(Erratum::FenceInvalidates) => Flush::Invalidate,
            Flush::Discard if target.needs(Erratum::FenceDiscards) => {
                return self.fail("a fence that discards");
            }
            flush => flush,
        };
        let request = Request::new(function, Kind::Fence);
        let request = request.with(Value::Scope(scope)).with(Value::Flush(flush));
        self.send_answered(Op::Send, request)
    }

    /// Selects a message with an address for each channel, or one for all elements.
    fn lsc_untyped(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        let sources: Vec<usize> = operands(visa, |f| f == Field::RawSrc).collect();
        let (request, place) = self.lsc_request(visa)?;
        let offset = number(visa, Meaning::LscOffset, 0).unwrap_or_default() as i32;
        let bits = match place {
            AddressKind::BindlessSurface | AddressKind::SurfaceState | AddressKind::Flat => {
                offset_bits(offset, place, self.out.target.family)
            }
            AddressKind::BindingTable => match self.lsc_surface(visa, place)? {
                Surface::Bits(_) => offset_bits(offset, place, self.out.target.family),
                Surface::Register(_) => (offset == 0).then_some(0),
            },
        };
        let mut address = self.payload(visa, sources[0])?;
        if n(visa, Meaning::LscAddressType) == ARGUMENTS {
            let base = self.temp(4);
            let header = Src::scalar(self.header(0), Type::Ud);
            let to = Dst::new(base, 1, Type::Ud);
            self.alu(Op::And, Channels::SCALAR, to, &[header, ud(ARGUMENTS_MASK)]);
            let base = Src::scalar(base, Type::Ud);
            address = self.lsc_added(visa, address, base, channels);
        }
        if bits.is_none() {
            let offset = Src::imm(Type::D, u64::from(offset as u32));
            address = self.lsc_added(visa, address, offset, channels);
        }
        let data = self.lsc_data(visa, &sources[1..])?;
        self.lsc_send(
            visa,
            channels,
            (request, place, bits.unwrap_or(0)),
            address,
            data,
        )
    }

    /// Selects a message of elements that lie a pitch apart from one address on.
    fn lsc_strided(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        let sources: Vec<usize> = operands(visa, |f| f == Field::RawSrc).collect();
        let vectors: Vec<usize> = operands(visa, |f| matches!(f, Field::Src(_))).collect();
        let (request, place) = self.lsc_request(visa)?;
        let ty = match n(visa, Meaning::LscAddressSize) {
            3 => Type::Uq,
            _ => Type::Ud,
        };
        let offset = number(visa, Meaning::LscOffset, 0).unwrap_or_default();
        let base = self.payload(visa, sources[0])?;
        let mut payload = Buffer::new(self.grf());
        let to = payload.write(self, 0, 1, ty);
        let base = Src::scalar(base.reg, ty);
        match offset {
            0 => self.alu(Op::Mov, Channels::SCALAR, to, &[base]),
            _ => {
                let offset = Src::imm(Type::D, offset.into());
                self.alu(Op::Add, Channels::SCALAR, to, &[base, offset]);
            }
        }
        let pitch = self.scalar(&visa.operands[vectors[1]])?;
        let to = payload.write(self, PITCH, 1, Type::Ud);
        self.alu(Op::Mov, Channels::SCALAR, to, &[pitch]);
        let address = Payload::new(payload.whole(self), 1);
        let data = self.lsc_data(visa, &sources[1..])?;
        self.lsc_send(visa, channels, (request, place, 0), address, data)
    }

    /// Selects a message on an image, whose coordinates may have offsets.
    fn lsc_typed(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        let sources: Vec<usize> = operands(visa, |f| f == Field::RawSrc).collect();
        let (request, place) = self.lsc_request(visa)?;
        let given = sources[..4]
            .iter()
            .rposition(|&at| !is_null(&visa.operands[at]));
        let mut coordinates = Vec::with_capacity(4);
        let count = given.map_or(1, |last| last + 1);
        for (nth, &at) in sources.iter().enumerate().take(count) {
            if is_null(&visa.operands[at]) {
                let grf = self.grf();
                let bytes = RawShape::plane_stride(4, visa.exec.size, grf);
                let reg = self.temp(bytes);
                let to = Dst::new(reg, 1, Type::Ud);
                let all = Channels::all((bytes / 4) as u8);
                self.alu(Op::Mov, all, to, &[ud(0)]);
                let grfs = bytes / grf;
                coordinates.push(Payload { reg, grfs });
                continue;
            }
            let coordinate = self.payload(visa, at)?;
            let offset = number(visa, Meaning::LscOffset, nth).unwrap_or_default();
            coordinates.push(match offset {
                0 => coordinate,
                _ => {
                    let offset = Src::imm(Type::D, offset.into());
                    self.lsc_added(visa, coordinate, offset, channels)
                }
            });
        }
        let address = match coordinates[..] {
            [one] => one,
            _ => self.joined(&coordinates),
        };
        let data = self.lsc_data(visa, &sources[4..])?;
        self.lsc_send(visa, channels, (request, place, 0), address, data)
    }

    /// Selects a message of a block of rows of a surface that an address, a size and a pitch describe.
    fn lsc_block_2d(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        let sources: Vec<usize> = operands(visa, |f| f == Field::RawSrc).collect();
        let family = self.out.target.family;
        let Some(kind) = kind(n(visa, Meaning::LscOp)) else {
            return self.fail("an unknown operation");
        };
        let mut request = Request::new(self.lsc_function(visa)?, kind)
            .with(Value::Data(self.lsc_element(visa)?))
            .with(Value::Transformed(n(visa, Meaning::LscVnni) != 0))
            .with(Value::Address(AddressKind::Flat))
            .flag(
                Flag::Transposed,
                n(visa, Meaning::LscDataOrder) == TRANSPOSED,
            );
        request.fields.cache = Some(self.lsc_cache(visa, kind)?);
        // Offsets that the message has room for, and those that are added to the place.
        let offsets =
            [0, 1].map(|nth| number(visa, Meaning::LscOffset, nth).unwrap_or_default() as i32);
        let limit = 1 << (BLOCK_OFFSET_BITS - 1);
        let has_room = offset_bits(4, AddressKind::Flat, family).is_some();
        let mut bits = 0;
        let mut added = [0; 2];
        for (axis, offset) in offsets.into_iter().enumerate() {
            match has_room && (-limit..limit).contains(&offset) {
                true => {
                    let mask = (1 << BLOCK_OFFSET_BITS) - 1;
                    bits |= (offset as u32 & mask) << BLOCK_OFFSETS[axis];
                }
                false => added[axis] = offset,
            }
        }
        let whole = operands(visa, |f| f == Field::SrcBlock).next();
        let address = match whole {
            Some(at) => self.lsc_block_moved(visa, at, added)?,
            None => self.lsc_block_address(visa, added)?,
        };
        let data = self.lsc_data(visa, &sources)?;
        self.lsc_send(
            visa,
            channels,
            (request, AddressKind::Flat, bits),
            address,
            data,
        )
    }

    /// A block's address from its parts, the place with added offsets.
    fn lsc_block_address(&mut self, visa: &visa::Inst, added: [i32; 2]) -> Result<Payload> {
        let vectors: Vec<usize> = operands(visa, |f| matches!(f, Field::Src(_))).collect();
        let mut payload = Buffer::new(self.grf());
        let base = self.scalar(&visa.operands[vectors[0]])?;
        let to = payload.write(self, 0, 1, Type::Uq);
        self.alu(Op::Mov, Channels::SCALAR, to, &[base]);
        let added = [0; 3].into_iter().chain(added);
        for ((nth, at), added) in BLOCK_FIELDS.into_iter().enumerate().zip(added) {
            let value = self.scalar(&visa.operands[vectors[nth + 1]])?;
            self.lsc_field(&mut payload, at, value, added);
        }
        let blocks = (n(visa, Meaning::LscBlocks).wrapping_sub(1) & 0xf) << 16;
        Ok(self.lsc_block_shape(visa, payload, blocks))
    }

    /// A block's address in a variable; a copy if offsets are added to the place.
    fn lsc_block_moved(
        &mut self,
        visa: &visa::Inst,
        at: usize,
        added: [i32; 2],
    ) -> Result<Payload> {
        let reg = self.matrix(visa, at)?;
        if added == [0; 2] {
            return Ok(Payload { reg, grfs: 1 });
        }
        let mut payload = Buffer::new(self.grf());
        let to = payload.write(self, 0, BLOCK_DWORDS, Type::Ud);
        let all = Channels::all(BLOCK_DWORDS as u8);
        self.alu(Op::Mov, all, to, &[Src::packed(reg, Type::Ud)]);
        for (&field, added) in BLOCK_FIELDS[3..].iter().zip(added) {
            if added != 0 {
                let value = Src::scalar(reg.at(reg.byte() + field), Type::D);
                self.lsc_field(&mut payload, field, value, added);
            }
        }
        Ok(Payload {
            reg: payload.whole(self),
            grfs: 1,
        })
    }

    /// Selects a message of a block of an image's rows.
    fn lsc_typed_block_2d(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        let sources: Vec<usize> = operands(visa, |f| f == Field::RawSrc).collect();
        let vectors: Vec<usize> = operands(visa, |f| matches!(f, Field::Src(_))).collect();
        let place = KINDS.get(n(visa, Meaning::LscAddressType).wrapping_sub(1) as usize);
        let (Some(kind), Some(&place)) = (kind(n(visa, Meaning::LscOp)), place) else {
            return self.fail("an operation or an address the platform lacks");
        };
        let mut request = Request::new(Function::Typed, kind)
            .with(Value::Data(Data::D8))
            .with(Value::Transformed(false))
            .with(Value::Address(place));
        request.fields.cache = Some(self.lsc_cache(visa, kind)?);
        let mut payload = Buffer::new(self.grf());
        // The message has no room for offsets.
        for (axis, at) in BLOCK_FIELDS[3..].iter().enumerate() {
            let value = self.scalar(&visa.operands[vectors[axis + 1]])?;
            let offset = number(visa, Meaning::LscOffset, axis).unwrap_or_default();
            self.lsc_field(&mut payload, *at, value, offset as i32);
        }
        let address = self.lsc_block_shape(visa, payload, 0);
        let data = self.lsc_data(visa, &sources)?;
        self.lsc_send(visa, channels, (request, place, 0), address, data)
    }

    /// Writes the sum of a value and a number to a field of a block's payload.
    fn lsc_field(&mut self, payload: &mut Buffer, at: u32, value: Src, added: i32) {
        let to = payload.write(self, at, 1, Type::Ud);
        match added {
            0 => self.alu(Op::Mov, Channels::SCALAR, to, &[value]),
            _ => {
                let added = Src::imm(Type::D, u64::from(added as u32));
                self.alu(Op::Add, Channels::SCALAR, to, &[value, added]);
            }
        }
    }

    /// A block's payload with its last field: width and height, each less one, and more bits.
    fn lsc_block_shape(&mut self, visa: &visa::Inst, mut payload: Buffer, more: u32) -> Payload {
        let less_one = |meaning| n(visa, meaning).wrapping_sub(1) & 0xff;
        let shape = less_one(Meaning::LscWidth) | less_one(Meaning::LscHeight) << 8 | more;
        self.lsc_field(&mut payload, BLOCK_SHAPE, ud(shape), 0);
        Payload::new(payload.whole(self), 1)
    }

    /// The request of an operation, without lengths, and its kind of address.
    fn lsc_request(&self, visa: &visa::Inst) -> Result<(Request, AddressKind)> {
        let op = n(visa, Meaning::LscOp);
        let address = match n(visa, Meaning::LscAddressType) {
            ARGUMENTS => Some(&AddressKind::BindingTable),
            ty => KINDS.get(ty.wrapping_sub(1) as usize),
        };
        let (Some(kind), Some(&address)) = (kind(op), address) else {
            return self.fail("an operation or an address the platform lacks");
        };
        let request = Request::new(self.lsc_function(visa)?, kind).with(Value::Address(address));
        if op == LscOp::STATE_INFO {
            return Ok((request, address));
        }
        let Some(&bits) = ADDRESS_BITS.get(n(visa, Meaning::LscAddressSize) as usize) else {
            return self.fail("an address size the platform lacks");
        };
        let mut request = request
            .with(Value::Data(self.lsc_element(visa)?))
            .with(Value::AddressBits(bits));
        if LscOp::has_channels(op) {
            request.fields.channels = Some(n(visa, Meaning::LscChannels) as u8);
        } else {
            let elements = n(visa, Meaning::LscElements).max(1) as usize;
            request = request.with(Value::Vector(Vector {
                count: LSC_ELEMENTS.get(elements).copied().unwrap_or(1) as u8,
                transposed: n(visa, Meaning::LscDataOrder) == TRANSPOSED,
            }));
        }
        request.fields.cache = Some(self.lsc_cache(visa, kind)?);
        Ok((request, address))
    }

    fn lsc_element(&self, visa: &visa::Inst) -> Result<Data> {
        match DATA.get(n(visa, Meaning::LscDataSize).wrapping_sub(1) as usize) {
            Some(&data) => Ok(data),
            None => self.fail("an unknown data size"),
        }
    }

    fn lsc_cache(&self, visa: &visa::Inst, kind: Kind) -> Result<u8> {
        let policy =
            caching([0, 1].map(|nth| number(visa, Meaning::LscCaching, nth).unwrap_or_default()));
        let load = matches!(
            LscOp::from_number(n(visa, Meaning::LscOp)),
            Some(LscOp::Load)
        );
        let family = self.out.target.family;
        match cache_code(&policy, load, family) {
            Some(code) => Ok(code),
            None => self.fail(format!("caching {policy} of {}", kind.name())),
        }
    }

    /// The surface that a message's addresses are in.
    fn lsc_surface(&mut self, visa: &visa::Inst, place: AddressKind) -> Result<Surface> {
        if n(visa, Meaning::LscAddressType) == ARGUMENTS {
            return Ok(Surface::Bits(GENERAL_STATE << 24));
        }
        let first = operands(visa, |f| matches!(f, Field::Src(_))).next();
        let Some(at) = first.filter(|_| place != AddressKind::Flat) else {
            return Ok(Surface::Bits(0));
        };
        if number(visa, Meaning::LscSurfaceIndex, 0).unwrap_or_default() != 0 {
            return self.fail("a surface counted from another");
        }
        let surface = match self.scalar(&visa.operands[at])? {
            Src::Imm(imm) if place == AddressKind::BindingTable => {
                return Ok(Surface::Bits((imm.bits() as u32) << 24));
            }
            Src::Imm(imm) => Src::Imm(Imm::new(Type::Ud, imm.bits() & 0xffff_ffff)),
            // The lower half of an address.
            Src::Reg(r) => Src::Reg(SrcReg { ty: Type::Ud, ..r }),
        };
        if place != AddressKind::BindingTable {
            return Ok(Surface::Register(surface));
        }
        let index = self.temp(4);
        let to = Dst::new(index, 1, Type::Ud);
        self.alu(Op::Shl, Channels::SCALAR, to, &[surface, ud(24)]);
        Ok(Surface::Register(Src::scalar(index, Type::Ud)))
    }

    /// The sums of addresses or coordinates and a number.
    fn lsc_added(
        &mut self,
        visa: &visa::Inst,
        address: Payload,
        number: Src,
        channels: Channels,
    ) -> Payload {
        let wide = n(visa, Meaning::LscAddressSize) == 3 && visa.op != Opcode::LscTyped;
        let ty = if wide { Type::Q } else { Type::D };
        let own = Src::packed(address.reg, ty);
        let reg = if wide && !self.out.target.int64 {
            self.long_sum(channels.size, own, number)
        } else {
            let sum = self.temp(address.grfs * self.grf());
            let all = Channels::all(channels.size);
            self.alu(Op::Add, all, Dst::new(sum, 1, ty), &[own, number]);
            sum
        };
        Payload::new(reg, address.grfs)
    }

    /// The second payload: the data of a store, the operands of an atomic.
    fn lsc_data(&mut self, visa: &visa::Inst, at: &[usize]) -> Result<Option<Payload>> {
        let mut parts = Vec::with_capacity(2);
        for &at in at.iter().filter(|&&at| !is_null(&visa.operands[at])) {
            parts.push(self.payload(visa, at)?);
        }
        Ok(match parts[..] {
            [] => None,
            [one] => Some(one),
            _ => Some(self.joined(&parts)),
        })
    }

    /// Sends the message; `bits` are those of its offset.
    fn lsc_send(
        &mut self,
        visa: &visa::Inst,
        channels: Channels,
        (request, place, bits): (Request, AddressKind, u32),
        address: Payload,
        data: Option<Payload>,
    ) -> Result {
        let to = operands(visa, |f| f == Field::RawDst).next();
        let answer = match to.filter(|&at| !is_null(&visa.operands[at])) {
            Some(at) => Some(self.answer(visa, at)?),
            None => None,
        };
        let second = data.map_or(0, |p| p.grfs);
        let response = answer.map_or(0, |a| a.grfs);
        // The hardware counts the registers of a block that is longer than the field has room for.
        let response = match request.kind {
            Kind::LoadBlock2d => response.min(31),
            _ => response,
        };
        let request = request.lengths(address.grfs as u8, second as u8, response as u8);
        let message = self.known(request)?;
        let surface = self.lsc_surface(visa, place)?;
        let message = self.lsc_on(message, (surface, place), second, bits);
        let split = data.is_some() || matches!(message.ex_desc, Desc::Addr(_));
        let op = if split { Op::Sends } else { Op::Send };
        self.exchange(op, channels, message, address, data, answer);
        Ok(())
    }

    /// The message with its surface, the length of its second payload, and an offset.
    pub(super) fn lsc_on(
        &mut self,
        mut message: Message,
        (surface, place): (Surface, AddressKind),
        second: u32,
        bits: u32,
    ) -> Message {
        let Desc::Imm(fixed) = message.ex_desc else {
            return message;
        };
        match surface {
            Surface::Bits(constant) => message.ex_desc = Desc::Imm(fixed | constant | bits),
            Surface::Register(register) => {
                let family = self.out.target.family;
                let beside = length_in_instruction(message.sfid, family);
                message.send.ex_bso = !beside && place != AddressKind::BindingTable;
                if beside || message.send.ex_bso {
                    message.send.src1_len = second as u8;
                    message.send.ex_offset = bits;
                    message.ex_desc = self.descriptor(&[register], Op::Mov);
                } else {
                    message.ex_desc = self.descriptor(&[register, ud(fixed)], Op::Or);
                }
            }
        }
        message
    }
}
