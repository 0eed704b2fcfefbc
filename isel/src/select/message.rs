//! Messages: what each memory, sampler and gateway operation of vISA sends.
//!
//! A message is a descriptor, one or two payloads and a result, each of whole registers. Payloads
//! that do not begin at a register are copied; results likewise, under the mask of the message.

use kiln_emit::messages::{
    Atomic as Operation, Block, Descriptors, Flag, Kind, Request, Simd, Surface as Memory,
    data_port, extended_room, others,
};
use kiln_frontend::module::{self as visa, Operand, predefined};
use kiln_frontend::opcode::{Atomic, AtomicOp, Fence, Field, Opcode, svm_block_bytes};
use kiln_frontend::shape::{RawShape, raw_access};
use kiln_machine::func::Class;
use kiln_machine::inst::{Desc, Dst, Message, Old, Reg, Src};
use kiln_target::isa::{Cond, Op, Region, Type};

use super::alu::condition;
use super::buffer::Buffer;
use super::operand::Storage;
use super::{Channels, Result, Select, field, ud};

/// Parts of an extended descriptor.
const END_OF_THREAD: u32 = 0x20;
const SECOND_LENGTH: u32 = 0x7c0;

/// Of a block message's header: what offsets count from if there is no surface. In r0 it is where the
/// thread's own scratch space begins.
const BUFFER_BASE: u32 = 20;
/// All memory.
const STATELESS: Surface = Surface::Known(Memory::Stateless);

/// Registers that a message reads.
#[derive(Clone, Copy)]
pub(super) struct Payload {
    pub(super) reg: Reg,
    pub(super) grfs: u32,
}

/// Where a message's result goes.
#[derive(Clone, Copy)]
pub(super) struct Answer {
    pub(super) storage: Storage,
    pub(super) byte: u32,
    pub(super) grfs: u32,
    pub(super) shape: RawShape,
}

/// Which memory a message accesses.
#[derive(Clone, Copy)]
pub(super) enum Surface {
    Known(Memory),
    /// The entry of the binding table whose index is in a register.
    Indexed(Src),
    /// The offset of the surface's state, in a register.
    Bindless(Src),
}

/// The hardware's operation for an atomic one of vISA.
fn atomic_operation(op: AtomicOp) -> Option<Operation> {
    Some(match op {
        AtomicOp::And => Operation::And,
        AtomicOp::Or => Operation::Or,
        AtomicOp::Xor => Operation::Xor,
        AtomicOp::Xchg => Operation::Exchange,
        AtomicOp::Inc => Operation::Increment,
        AtomicOp::Dec => Operation::Decrement,
        AtomicOp::Add => Operation::Add,
        AtomicOp::Sub => Operation::Subtract,
        AtomicOp::IMax => Operation::SignedMax,
        AtomicOp::IMin => Operation::SignedMin,
        AtomicOp::Max => Operation::UnsignedMax,
        AtomicOp::Min => Operation::UnsignedMin,
        AtomicOp::CmpXchg => Operation::CompareExchange,
        AtomicOp::PreDec => Operation::PreDecrement,
        AtomicOp::FMax => Operation::FloatMax,
        AtomicOp::FMin => Operation::FloatMin,
        AtomicOp::FCmpWr => Operation::FloatCompareExchange,
        AtomicOp::FAdd | AtomicOp::FSub => return None,
    })
}

impl Select<'_, '_> {
    /// Selects a vISA instruction that is a message, or fails.
    pub(super) fn message(&mut self, visa: &visa::Inst) -> Result {
        let ops = &visa.operands;
        let channels = self.channels(visa);
        let simd = if channels.size > 8 {
            Simd::S16
        } else {
            Simd::S8
        };
        let mask = ops.first().map_or(0, field) as u8;
        match visa.op {
            Opcode::Gather4Scaled | Opcode::Scatter4Scaled => {
                let request = match visa.op {
                    Opcode::Gather4Scaled => data_port::untyped_read(mask, simd),
                    _ => data_port::untyped_write(mask, simd),
                };
                let surface = self.surface(&ops[2])?;
                let address = self.offsets(&ops[4], &ops[3], Type::Ud, channels)?;
                self.access(channels, (request, surface), address, visa, 5)
            }
            Opcode::GatherScaled | Opcode::ScatterScaled => {
                let bits = 8 << field(&ops[1]).min(2);
                let request = match visa.op {
                    Opcode::GatherScaled => data_port::byte_gather(bits, simd),
                    _ => data_port::byte_scatter(bits, simd),
                };
                let surface = self.surface(&ops[3])?;
                let address = self.offsets(&ops[5], &ops[4], Type::Ud, channels)?;
                self.access(channels, (request, surface), address, visa, 6)
            }
            Opcode::SvmGather4Scaled | Opcode::SvmScatter4Scaled => {
                let request = match visa.op {
                    Opcode::SvmGather4Scaled => data_port::a64_untyped_read(mask, simd),
                    _ => data_port::a64_untyped_write(mask, simd),
                };
                let address = self.offsets(&ops[3], &ops[2], Type::Uq, channels)?;
                self.access(channels, (request, STATELESS), address, visa, 4)
            }
            Opcode::SvmGather | Opcode::SvmScatter => {
                let count = 1 << field(&ops[1]).min(3);
                let read = visa.op == Opcode::SvmGather;
                let request = match (svm_block_bytes(field(&ops[0])), read) {
                    (Some(1), true) => data_port::a64_byte_gather(count * 8, simd),
                    (Some(1), false) => data_port::a64_byte_scatter(count * 8, simd),
                    (Some(4), true) => data_port::elements(Kind::A64DwordGather, count, simd),
                    (Some(4), false) => data_port::elements(Kind::A64DwordScatter, count, simd),
                    (Some(8), true) => data_port::elements(Kind::A64QwordGather, count, simd),
                    (Some(8), false) => data_port::elements(Kind::A64QwordScatter, count, simd),
                    _ => return self.fail("an unknown block size"),
                };
                let address = self.payload(visa, 2)?;
                self.access(channels, (request, STATELESS), address, visa, 3)
            }
            Opcode::DwordAtomic => {
                let surface = self.surface(&ops[1])?;
                let address = self.payload(visa, 2)?;
                let (operation, _) = self.atomic_of(visa, &[32])?;
                let returns = !is_null(&ops[5]);
                let request = data_port::atomic(operation, simd, returns);
                self.atomic(visa, channels, (request, surface), address, 3)
            }
            Opcode::SvmAtomic => {
                let address = self.payload(visa, 1)?;
                let (operation, bits) = self.atomic_of(visa, &[32, 64])?;
                let returns = !is_null(&ops[4]);
                let request = data_port::a64_atomic(operation, bits, returns);
                self.atomic(visa, channels, (request, STATELESS), address, 2)
            }
            Opcode::SvmBlockLd | Opcode::SvmBlockSt => {
                let log = field(&ops[0]) & 7;
                // Reads take any dword-aligned address.
                let kind = match visa.op {
                    Opcode::SvmBlockLd => Kind::A64AlignedOwordBlockRead,
                    _ => Kind::A64OwordBlockWrite,
                };
                let request = data_port::block(kind, self.block(log)?).with_header();
                let header = self.temp(self.grf());
                let address = self.scalar(&ops[1])?;
                match address {
                    Src::Reg(r) if !self.out.target.int64 && r.indirect.is_none() => {
                        let to = Dst::new(header, 1, Type::Ud);
                        let halves = Src::packed(r.reg, Type::Ud);
                        self.alu(Op::Mov, Channels::all(2), to, &[halves]);
                    }
                    _ => {
                        let to = Dst::new(header, 1, Type::Uq);
                        self.alu(Op::Mov, Channels::SCALAR, to, &[address]);
                    }
                }
                let header = Payload {
                    reg: header,
                    grfs: 1,
                };
                let all = Channels::all(if log > 1 { 16 } else { 8 });
                self.access(all, (request, STATELESS), header, visa, 2)
            }
            Opcode::OwordLd | Opcode::OwordLdUnaligned | Opcode::OwordSt => {
                let read = visa.op != Opcode::OwordSt;
                let (surface, offset, data) = if read { (2, 3, 4) } else { (1, 2, 3) };
                let log = field(&ops[0]);
                let kind = match visa.op {
                    Opcode::OwordLd => Kind::OwordBlockRead,
                    Opcode::OwordSt => Kind::OwordBlockWrite,
                    _ => Kind::AlignedOwordBlockRead,
                };
                let request = data_port::block(kind, self.block(log)?).with_header();
                let offset = self.scalar(&ops[offset])?;
                let surface = self.surface(&ops[surface])?;
                let header = match surface {
                    Surface::Known(Memory::Bti(_) | Memory::Slm) | Surface::Bindless(_) => {
                        self.header_with(&[(8, offset)])
                    }
                    _ => self.header_with(&[(8, offset), (BUFFER_BASE, ud(0))]),
                };
                let all = Channels::all(if log > 1 { 16 } else { 8 });
                self.access(all, (request, surface), header, visa, data)
            }
            Opcode::RawSend | Opcode::RawSends => self.raw_send(visa, channels),
            Opcode::Fence => match Fence::from_number(field(&ops[0])) {
                Some(fence) if !fence.is_software() => {
                    let mut request = data_port::memory_fence(true);
                    if self.out.target.slm_fence {
                        request = match fence.is_local() {
                            true => request.surface(Memory::Slm),
                            false => request.flag(Flag::FlushL1, fence.flushes_level_1()),
                        };
                    }
                    self.fence(Op::Send, request)
                }
                _ => Ok(()),
            },
            Opcode::Sample3d
            | Opcode::Load3d
            | Opcode::Gather4Sampler
            | Opcode::ResInfo
            | Opcode::SampleInfo => self.sampler(visa, channels),
            Opcode::Gather4Typed | Opcode::Scatter4Typed | Opcode::TypedAtomic => {
                self.typed(visa, channels)
            }
            Opcode::MediaLd
            | Opcode::MediaSt
            | Opcode::VmeIme
            | Opcode::VmeSic
            | Opcode::VmeFbr
            | Opcode::VmeIdm
            | Opcode::Avs
            | Opcode::Sample
            | Opcode::SampleUnorm
            | Opcode::Load
            | Opcode::SamplerCacheFlush => self.media(visa),
            Opcode::Gather | Opcode::Scatter => {
                let log = field(&ops[0]).min(2);
                let reads = visa.op == Opcode::Gather;
                let (request, first) = match reads {
                    true => (data_port::byte_gather(8 << log, simd), 2),
                    false => (data_port::byte_scatter(8 << log, simd), 1),
                };
                let surface = self.surface(&ops[first])?;
                // Offsets are in elements, those of the messages in bytes.
                let mut address =
                    self.offsets(&ops[first + 2], &ops[first + 1], Type::Ud, channels)?;
                if log > 0 {
                    let bytes = self.temp(address.grfs * self.grf());
                    let to = Dst::new(bytes, 1, Type::Ud);
                    let elements = Src::packed(address.reg, Type::Ud);
                    self.alu(
                        Op::Shl,
                        Channels::all(channels.size),
                        to,
                        &[elements, ud(log)],
                    );
                    address.reg = bytes;
                }
                self.access(channels, (request, surface), address, visa, first + 3)
            }
            Opcode::RtWrite => self.render_write(visa, channels),
            Opcode::UrbWrite => self.urb_write(visa, channels),
            Opcode::RtRead => self.fail("reads a render target"),
            Opcode::Breakpoint => self.fail("stops for a debugger"),
            _ => self.fail("video analytics of the sampler"),
        }
    }

    /// A copy of r0 with some of its dwords replaced.
    pub(super) fn header_with(&mut self, dwords: &[(u32, Src)]) -> Payload {
        let mut header = Buffer::new(self.grf());
        let thread = Src::packed(self.header(0), Type::Ud);
        let to = header.write(self, 0, 8, Type::Ud);
        self.alu(Op::Mov, Channels::all(8), to, &[thread]);
        for &(byte, value) in dwords {
            let to = header.write(self, byte, 1, Type::Ud);
            self.alu(Op::Mov, Channels::SCALAR, to, &[value]);
        }
        Payload {
            reg: header.whole(self),
            grfs: 1,
        }
    }

    pub(super) fn surface(&mut self, operand: &Operand) -> Result<Surface> {
        let Operand::Surface(s) = operand else {
            return self.fail("an operand that is no surface");
        };
        if let Some(index) = self.constant_surface(*s) {
            return Ok(Surface::Known(Memory::of(index as u8)));
        }
        let storage = self.state(visa::StateVar::Surface(*s));
        if storage == Storage::Null {
            return self.fail("a surface without a state");
        }
        let word = Src::scalar(self.read(storage, 0, 4), Type::Ud);
        Ok(match s.as_u32() {
            predefined::SURFACE_BINDLESS => Surface::Bindless(word),
            _ => Surface::Indexed(word),
        })
    }

    /// A block of so many owords, as a power of two.
    fn block(&self, log: u32) -> Result<Block> {
        match Block::of(1 << log.min(4)) {
            Some(Block::X16) | None => self.fail("an unknown block size"),
            Some(block) => Ok(block),
        }
    }

    /// The layout of a raw operand, and its length in registers.
    pub(super) fn shape(&self, visa: &visa::Inst, at: usize) -> Result<(RawShape, u32)> {
        let grf = self.grf();
        let access = raw_access(self.ir.object, visa, at, grf);
        match access.map(|access| access.shape) {
            Some(shape @ RawShape::Block { bytes }) => Ok((shape, bytes.div_ceil(grf))),
            Some(shape @ RawShape::Lanes { bytes, planes }) => {
                // The messages know eight and sixteen channels.
                let size = visa.exec.size.max(8);
                let grfs = RawShape::plane_stride(bytes, size) / grf * planes;
                Ok((shape, grfs))
            }
            None => self.fail("a raw operand of unknown length"),
        }
    }

    /// The registers of a raw source, copied to aligned ones where they are not.
    pub(super) fn payload(&mut self, visa: &visa::Inst, at: usize) -> Result<Payload> {
        let Operand::Raw { var, offset } = visa.operands[at] else {
            return self.fail("an operand that is not raw");
        };
        let (_, grfs) = self.shape(visa, at)?;
        let (storage, byte) = self.storage(var, offset.into())?;
        let bytes = grfs * self.grf();
        let reg = self.read(storage, byte, byte + bytes);
        Ok(self.aligned(Payload { reg, grfs }))
    }

    fn aligned(&mut self, payload: Payload) -> Payload {
        match payload.reg.byte().is_multiple_of(self.grf()) {
            true => payload,
            false => self.joined(&[payload]),
        }
    }

    /// Payloads one behind the other, as copies.
    pub(super) fn joined(&mut self, payloads: &[Payload]) -> Payload {
        let (grf, unit) = (self.grf(), self.unit());
        let grfs = payloads.iter().map(|p| p.grfs).sum();
        let mut whole = Buffer::new(grfs * grf);
        let mut at = 0;
        for payload in payloads {
            let end = at + payload.grfs * grf;
            let start = at;
            while at < end {
                let n = (end - at).min(unit - at % unit) / 4;
                let from = payload.reg.at(payload.reg.byte() + at - start);
                let to = whole.write(self, at, n, Type::Ud);
                let all = Channels::all(n as u8);
                self.alu(Op::Mov, all, to, &[Src::packed(from, Type::Ud)]);
                at += n * 4;
            }
        }
        Payload {
            reg: whole.whole(self),
            grfs,
        }
    }

    /// Where the result of raw operand `at` goes.
    pub(super) fn answer(&mut self, visa: &visa::Inst, at: usize) -> Result<Answer> {
        let Operand::Raw { var, offset } = visa.operands[at] else {
            return self.fail("an operand that is not raw");
        };
        let (shape, grfs) = self.shape(visa, at)?;
        let (storage, byte) = self.storage(var, offset.into())?;
        Ok(Answer {
            storage,
            byte,
            grfs,
            shape,
        })
    }

    /// Offsets of the channels, of type `ty`, with the global offset added.
    fn offsets(
        &mut self,
        offsets: &Operand,
        global: &Operand,
        ty: Type,
        channels: Channels,
    ) -> Result<Payload> {
        let Operand::Raw { var, offset } = *offsets else {
            return self.fail("an operand that is not raw");
        };
        let (storage, byte) = self.storage(var, offset.into())?;
        let bytes = RawShape::plane_stride(ty.bytes(), channels.size.max(8));
        let reg = self.read(storage, byte, byte + bytes);
        let grfs = bytes / self.grf();
        match self.scalar(global)? {
            Src::Imm(imm) if imm.bits() == 0 => Ok(self.aligned(Payload { reg, grfs })),
            Src::Reg(base) if ty == Type::Uq && !self.out.target.int64 => {
                Ok(self.long_offsets(reg, base.reg, channels.size))
            }
            global => {
                let sum = self.temp(bytes);
                let all = Channels::all(channels.size);
                let own = Src::packed(reg, ty);
                self.alu(Op::Add, all, Dst::new(sum, 1, ty), &[own, global]);
                Ok(Payload { reg: sum, grfs })
            }
        }
    }

    /// Offsets of 64 bits and a base, added in halves.
    fn long_offsets(&mut self, offsets: Reg, base: Reg, size: u8) -> Payload {
        let n = u32::from(size);
        let bytes = RawShape::plane_stride(8, size.max(8));
        let mut sum = Buffer::new(bytes);
        let all = Channels::all(size);
        let strided = Region {
            vstride: Some(2),
            width: 1,
            hstride: 0,
        };
        let own = |at: u32| Src::reg(offsets.at(offsets.byte() + at), strided, Type::Ud);
        let of_base = |at: u32| Src::scalar(base.at(base.byte() + at), Type::Ud);
        // The carry: a sum that is less than what was added.
        let low = self.temp(n * 4);
        self.alu(
            Op::Add,
            all,
            Dst::new(low, 1, Type::Ud),
            &[own(0), of_base(0)],
        );
        let carry = self.temp(n * 4);
        let flag = self.temp_flag();
        self.conditional(
            Op::Cmp,
            all,
            Dst::new(carry, 1, Type::Ud),
            &[Src::packed(low, Type::Ud), of_base(0)],
            condition(Cond::Lt, flag, Old::None),
        );
        let high = self.temp(n * 4);
        self.alu(
            Op::Add,
            all,
            Dst::new(high, 1, Type::Ud),
            &[own(4), of_base(4)],
        );
        for (at, part) in [(0, low), (4, high)] {
            let to = sum.write(self, 0, n * 2, Type::Ud);
            let to = Dst {
                reg: to.reg.at(to.reg.byte() + at),
                hstride: 2,
                ..to
            };
            match at {
                0 => self.alu(Op::Mov, all, to, &[Src::packed(part, Type::Ud)]),
                // A comparison leaves -1 where it holds.
                _ => {
                    let mut carry = Src::packed(carry, Type::D);
                    if let Src::Reg(r) = &mut carry {
                        r.modifier.neg = true;
                    }
                    let part = Src::packed(part, Type::Ud);
                    self.alu(Op::Add, all, to, &[part, carry]);
                }
            }
        }
        Payload {
            reg: sum.whole(self),
            grfs: bytes / self.grf(),
        }
    }

    /// A load to, or a store from, raw operand `data`, as its row in the opcode table has it.
    pub(super) fn access(
        &mut self,
        channels: Channels,
        request: (Request, Surface),
        address: Payload,
        visa: &visa::Inst,
        data: usize,
    ) -> Result {
        let mut fields = visa.op.row().operand_fields().skip(data);
        let (payload, answer) = match fields.next() {
            Some(Field::RawDst) => (None, Some(self.answer(visa, data)?)),
            _ => (Some(self.payload(visa, data)?), None),
        };
        self.send(channels, request, address, payload, answer)
    }

    /// The operation of an atomic instruction, and the width of what it works on.
    pub(super) fn atomic_of(&self, visa: &visa::Inst, widths: &[u8]) -> Result<(Operation, u8)> {
        let Some(atomic) = Atomic::from_number(field(&visa.operands[0])) else {
            return self.fail("an unknown atomic operation");
        };
        let Some(operation) = atomic_operation(atomic.op) else {
            return self.fail("an atomic operation the platform lacks");
        };
        if !widths.contains(&atomic.bits) {
            return self.fail("an atomic width the platform lacks");
        }
        Ok((operation, atomic.bits))
    }

    pub(super) fn atomic(
        &mut self,
        visa: &visa::Inst,
        channels: Channels,
        request: (Request, Surface),
        address: Payload,
        first: usize,
    ) -> Result {
        let mut sources = Vec::with_capacity(2);
        for at in first..first + 2 {
            if !is_null(&visa.operands[at]) {
                sources.push(self.payload(visa, at)?);
            }
        }
        // vISA has the new value before the one compared with, the hardware after it.
        let exchanges = Atomic::from_number(field(&visa.operands[0]));
        if exchanges.is_some_and(|a| a.op == AtomicOp::CmpXchg) {
            sources.reverse();
        }
        let answer = match is_null(&visa.operands[first + 2]) {
            true => None,
            false => Some(self.answer(visa, first + 2)?),
        };
        // Messages with addresses of 64 bits know eight channels.
        if visa.op != Opcode::SvmAtomic || channels.size <= 8 {
            let data = match sources[..] {
                [] => None,
                [one] => Some(one),
                _ => Some(self.joined(&sources)),
            };
            return self.send(channels, request, address, data, answer);
        }
        let grf = self.grf();
        for half in 0..2 {
            let part = |whole: Payload| Payload {
                reg: whole.reg.at(whole.reg.byte() + half * whole.grfs / 2 * grf),
                grfs: whole.grfs / 2,
            };
            let data = match sources[..] {
                [] => None,
                [one] => Some(part(one)),
                _ => {
                    let parts: Vec<Payload> = sources.iter().map(|&whole| part(whole)).collect();
                    Some(self.joined(&parts))
                }
            };
            let answer = answer.map(|whole| Answer {
                byte: whole.byte + half * whole.grfs / 2 * grf,
                grfs: whole.grfs / 2,
                ..whole
            });
            let channels = Channels {
                size: 8,
                off: channels.off + 8 * half as u8,
                ..channels
            };
            self.send(channels, request, part(address), data, answer)?;
        }
        Ok(())
    }

    /// The message that tells the gateway this thread has reached the barrier.
    pub(super) fn signal_barrier(&mut self, payload: Reg) -> Result {
        let message = self.known(others::barrier())?;
        let payload = Payload {
            reg: payload,
            grfs: 1,
        };
        let to = Dst::null(Type::Ud);
        self.emit(Op::Send, Channels::SCALAR, message, payload, None, to);
        Ok(())
    }

    /// Waited for by reading the register that the fence writes.
    pub(super) fn fence(&mut self, op: Op, request: Request) -> Result {
        let done = self.temp(self.grf());
        let header = Payload {
            reg: self.header(0),
            grfs: 1,
        };
        let message = self.known(request.lengths(1, 0, 1))?;
        let all = Channels::all(8);
        self.emit(op, all, message, header, None, Dst::new(done, 1, Type::Ud));
        let wait = Src::packed(done, Type::Ud);
        self.alu(Op::Mov, all, Dst::null(Type::Ud), &[wait]);
        Ok(())
    }

    /// The message of a request whose descriptors are constants.
    pub(super) fn known(&self, request: Request) -> Result<Message> {
        let Descriptors {
            sfid,
            end_of_thread: eot,
            desc,
            ex_desc,
        } = match request.encode(self.out.target.family) {
            Ok(descriptors) => descriptors,
            Err(error) => return self.fail(error.to_string()),
        };
        Ok(Message {
            sfid,
            eot,
            desc: Desc::Imm(desc),
            ex_desc: Desc::Imm(ex_desc),
        })
    }

    /// As it is given: nothing checked, merged or split. What the extended descriptor says of the function
    /// and the end of the thread counts, the length of the second payload is added where it is
    /// missing. Lengths that the instruction has no room for go by register; other bits that it has no
    /// room for mean nothing.
    fn raw_send(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        let ops = &visa.operands;
        let modifiers = field(&ops[0]);
        let split = visa.op == Opcode::RawSends;
        let [ex_desc, desc, src0, result] = if split { [5, 6, 7, 9] } else { [1, 4, 5, 6] };
        let mut payload = self.payload(visa, src0)?;
        let mut second = match split && !is_null(&ops[8]) {
            true => Some(self.payload(visa, 8)?),
            false => None,
        };
        let answer = match is_null(&ops[result]) {
            true => None,
            false => Some(self.answer(visa, result)?),
        };
        let op = match (split, modifiers & 1 != 0) {
            (false, false) => Op::Send,
            (false, true) => Op::Sendc,
            (true, false) => Op::Sends,
            (true, true) => Op::Sendsc,
        };
        let desc = match self.scalar(&ops[desc])? {
            Src::Imm(imm) => Desc::Imm(imm.bits() as u32),
            reg => self.descriptor(&[reg], Op::Mov),
        };
        let room = extended_room(self.out.target.family, split);
        let (given, ex_desc) = match split {
            false => {
                let given = field(&ops[ex_desc]);
                (given, Desc::Imm(given & room))
            }
            true => {
                let end = if modifiers & 2 != 0 { END_OF_THREAD } else { 0 };
                let length = field(&ops[2]) << 6;
                match self.scalar(&ops[ex_desc])? {
                    Src::Imm(imm) => {
                        let given = imm.bits() as u32 | length | end;
                        let ex_desc = match given & SECOND_LENGTH & !room {
                            0 => Desc::Imm(given & room),
                            _ => self.descriptor(&[ud(given)], Op::Mov),
                        };
                        (given, ex_desc)
                    }
                    reg => (end, self.descriptor(&[reg], Op::Mov)),
                }
            }
        };
        let eot = given & END_OF_THREAD != 0;
        if eot {
            // What has a place of its own, or takes one more unit than it needs, is copied: there are few
            // registers to send it from.
            let unit = self.unit();
            for payload in second.iter_mut().chain([&mut payload]) {
                if payload.reg.as_phys().is_some() || !payload.reg.byte().is_multiple_of(unit) {
                    *payload = self.joined(&[*payload]);
                }
            }
        }
        // The function in a register counts alone.
        let sfid = match ex_desc {
            Desc::Imm(_) => (given & 0xf) as u8,
            Desc::Addr(_) => 0,
        };
        let message = Message {
            sfid,
            eot,
            desc,
            ex_desc,
        };
        self.exchange(op, channels, message, payload, second, answer);
        Ok(())
    }

    /// Puts a descriptor into the address register.
    pub(super) fn descriptor(&mut self, parts: &[Src], op: Op) -> Desc {
        let addr = self.temp_of(Class::Addr, 4);
        self.alu(op, Channels::SCALAR, Dst::new(addr, 1, Type::Ud), parts);
        Desc::Addr(addr)
    }

    pub(super) fn send(
        &mut self,
        channels: Channels,
        (request, surface): (Request, Surface),
        src0: Payload,
        src1: Option<Payload>,
        answer: Option<Answer>,
    ) -> Result {
        let second = src1.map_or(0, |p| p.grfs);
        let response = answer.map_or(0, |a| a.grfs);
        let request = request.lengths(src0.grfs as u8, second as u8, response as u8);
        let message = self.on_surface(request, surface, None)?;
        // Only the send of two payloads takes its extended descriptor from a register.
        let split = src1.is_some() || matches!(message.ex_desc, Desc::Addr(_));
        let op = if split { Op::Sends } else { Op::Send };
        self.exchange(op, channels, message, src0, src1, answer);
        Ok(())
    }

    /// The message of a request on a surface; `more` are bits of the descriptor in a register.
    pub(super) fn on_surface(
        &mut self,
        request: Request,
        surface: Surface,
        more: Option<Src>,
    ) -> Result<Message> {
        let mut message = self.known(request.surface(match surface {
            Surface::Known(memory) => memory,
            Surface::Indexed(_) => Memory::Bti(0),
            Surface::Bindless(_) => Memory::Bindless,
        }))?;
        if let (Surface::Bindless(offset), Desc::Imm(bits)) = (surface, message.ex_desc) {
            message.ex_desc = self.descriptor(&[offset, ud(bits)], Op::Or);
        }
        let index = match surface {
            Surface::Indexed(index) => Some(index),
            _ => None,
        };
        let bits = match (index, more) {
            (Some(index), Some(more)) => {
                let both = self.temp(4);
                let to = Dst::new(both, 1, Type::Ud);
                self.alu(Op::Or, Channels::SCALAR, to, &[index, more]);
                Some(Src::scalar(both, Type::Ud))
            }
            (one, other) => one.or(other),
        };
        if let (Some(register), Desc::Imm(fixed)) = (bits, message.desc) {
            message.desc = self.descriptor(&[register, ud(fixed)], Op::Or);
        }
        Ok(message)
    }

    /// Sends a message and puts its answer where it belongs: what the message cannot write in place
    /// is copied there, under its mask.
    pub(super) fn exchange(
        &mut self,
        op: Op,
        channels: Channels,
        message: Message,
        src0: Payload,
        src1: Option<Payload>,
        answer: Option<Answer>,
    ) {
        // The reference encodes these types. They say nothing to the hardware but how wide a row is.
        let ty = match channels.size {
            16 if !op.is_split_send() => Type::Uw,
            _ => Type::Ud,
        };
        let grf = self.grf();
        let Some(answer) = answer else {
            self.emit(op, channels, message, src0, src1, Dst::null(ty));
            return;
        };
        let bytes = answer.grfs * grf;
        if answer.byte.is_multiple_of(grf) {
            let (reg, old) = self.write(answer.storage, answer.byte, answer.byte + bytes);
            let to = Dst {
                old,
                ..Dst::new(reg, 1, ty)
            };
            self.emit(op, channels, message, src0, src1, to);
            return;
        }
        let tmp = self.temp(bytes);
        self.emit(op, channels, message, src0, src1, Dst::new(tmp, 1, ty));
        let (ty, stride, pieces, channels) = match answer.shape {
            RawShape::Lanes { bytes, planes } => {
                let ty = if bytes == 8 { Type::Uq } else { Type::Ud };
                let stride = RawShape::plane_stride(bytes, channels.size.max(8));
                (ty, stride, planes, channels)
            }
            RawShape::Block { .. } => (Type::Ud, grf, answer.grfs, Channels::all(8)),
        };
        let n = u32::from(channels.size);
        for piece in 0..pieces {
            let at = answer.byte + piece * stride;
            let (reg, old) = self.write(answer.storage, at, at + n * ty.bytes());
            let to = Dst {
                old,
                ..Dst::new(reg, 1, ty)
            };
            let from = Src::packed(tmp.at(piece * stride), ty);
            self.alu(Op::Mov, channels.unpredicated(), to, &[from]);
        }
    }

    pub(super) fn emit(
        &mut self,
        op: Op,
        channels: Channels,
        message: Message,
        src0: Payload,
        src1: Option<Payload>,
        to: Dst,
    ) {
        let mut send = self.instruction(op, channels);
        let row = Region::packed(8);
        send.srcs.push(Src::reg(src0.reg, row, Type::Ud));
        if op.is_split_send() {
            let reg = src1.map_or(Reg::NULL, |p| p.reg);
            send.srcs.push(Src::reg(reg, row, Type::Ud));
        }
        send.dst = Some(to);
        send.message = self.out.messages.push(message).into();
        self.push(send);
    }
}

pub(super) fn is_null(operand: &Operand) -> bool {
    matches!(operand, Operand::Raw { var, .. } if var.as_u32() == predefined::NULL)
}
