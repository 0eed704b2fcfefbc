//! Messages: what each memory, sampler and gateway operation of vISA sends.
//!
//! A message is a descriptor, one or two payloads and a result, each of whole registers. Payloads
//! that do not begin at a register are copied; results likewise, under the mask of the message.

use kiln_frontend::module::{self as visa, Operand, predefined};
use kiln_frontend::opcode::{Atomic, AtomicOp, Fence, Opcode, svm_block_bytes};
use kiln_ir::access::{RawShape, raw_shape};
use kiln_machine::func::Class;
use kiln_machine::inst::{Desc, Dst, Inst, Message, Reg, Src};
use kiln_target::isa::{Op, Region, Type};

use super::buffer::Buffer;
use super::operand::{BTI_BINDLESS, BTI_STATELESS, Storage};
use super::{Channels, Result, Select, field, ud};

/// Shared functions.
const SFID_GATEWAY: u8 = 3;
const SFID_DC0: u8 = 10;
const SFID_DC1: u8 = 12;

/// Message types of the data ports (PRM, "Message Type" of each port's descriptor).
mod kind {
    pub const DC0_OWORD_READ: u32 = 0;
    pub const DC0_OWORD_READ_UNALIGNED: u32 = 1;
    pub const DC0_BYTE_READ: u32 = 4;
    pub const DC0_FENCE: u32 = 7;
    pub const DC0_OWORD_WRITE: u32 = 8;
    pub const DC0_BYTE_WRITE: u32 = 12;
    pub const DC1_UNTYPED_READ: u32 = 1;
    pub const DC1_ATOMIC: u32 = 2;
    pub const DC1_UNTYPED_WRITE: u32 = 9;
    pub const DC1_A64_SCATTERED_READ: u32 = 0x10;
    pub const DC1_A64_UNTYPED_READ: u32 = 0x11;
    pub const DC1_A64_ATOMIC: u32 = 0x12;
    pub const DC1_A64_BLOCK_READ: u32 = 0x14;
    pub const DC1_A64_BLOCK_WRITE: u32 = 0x15;
    pub const DC1_A64_UNTYPED_WRITE: u32 = 0x19;
    pub const DC1_A64_SCATTERED_WRITE: u32 = 0x1a;
    pub const DC1_ATOMIC_FLOAT: u32 = 0x1b;
    pub const DC1_A64_ATOMIC_FLOAT: u32 = 0x1d;
}

/// Registers that a message reads.
#[derive(Clone, Copy)]
struct Payload {
    reg: Reg,
    grfs: u32,
}

/// Where a message's result goes.
#[derive(Clone, Copy)]
struct Answer {
    storage: Storage,
    byte: u32,
    grfs: u32,
    shape: RawShape,
}

/// A message but for its lengths.
struct Request {
    sfid: u8,
    kind: u32,
    control: u32,
    header: bool,
    surface: Surface,
}

#[derive(Clone, Copy)]
enum Surface {
    /// An index in the binding table.
    Constant(u32),
    /// An index in a register.
    Dynamic(Src),
    /// The offset of the surface's state, in a register.
    Bindless(Src),
}

/// How the hardware numbers an atomic operation; float ones have a message type of their own.
fn atomic_number(op: AtomicOp) -> Option<(bool, u32)> {
    Some(match op {
        AtomicOp::And => (false, 1),
        AtomicOp::Or => (false, 2),
        AtomicOp::Xor => (false, 3),
        AtomicOp::Xchg => (false, 4),
        AtomicOp::Inc => (false, 5),
        AtomicOp::Dec => (false, 6),
        AtomicOp::Add => (false, 7),
        AtomicOp::Sub => (false, 8),
        AtomicOp::IMax => (false, 10),
        AtomicOp::IMin => (false, 11),
        AtomicOp::Max => (false, 12),
        AtomicOp::Min => (false, 13),
        AtomicOp::CmpXchg => (false, 14),
        AtomicOp::PreDec => (false, 15),
        AtomicOp::FMax => (true, 1),
        AtomicOp::FMin => (true, 2),
        AtomicOp::FCmpWr => (true, 3),
        AtomicOp::FAdd | AtomicOp::FSub => return None,
    })
}

/// Control of the untyped messages: enabled channels are named by clear bits; SIMD16 is 1, SIMD8
/// is 2.
fn untyped_control(channels: u32, wide: bool) -> u32 {
    !channels & 0xf | if wide { 1 } else { 2 } << 4
}

/// Owords of a block as the descriptor has them: 1, 2, 4, 8.
fn oword_code(log: u32) -> Option<u32> {
    [0, 2, 3, 4].get(log as usize).copied()
}

impl Select<'_, '_> {
    /// Selects a vISA instruction that is a message, or fails.
    pub(super) fn message(&mut self, visa: &visa::Inst) -> Result {
        let ops = &visa.operands;
        let channels = self.channels(visa);
        let wide = channels.size > 8;
        match visa.op {
            Opcode::Gather4Scaled | Opcode::Scatter4Scaled => {
                let read = visa.op == Opcode::Gather4Scaled;
                let request = Request {
                    sfid: SFID_DC1,
                    kind: match read {
                        true => kind::DC1_UNTYPED_READ,
                        false => kind::DC1_UNTYPED_WRITE,
                    },
                    control: untyped_control(field(&ops[0]), wide),
                    header: false,
                    surface: self.surface(&ops[2])?,
                };
                let address = self.offsets(&ops[4], &ops[3], Type::Ud, channels)?;
                self.access(read, channels, request, address, visa, 5)
            }
            Opcode::GatherScaled | Opcode::ScatterScaled => {
                let read = visa.op == Opcode::GatherScaled;
                let request = Request {
                    sfid: SFID_DC0,
                    kind: match read {
                        true => kind::DC0_BYTE_READ,
                        false => kind::DC0_BYTE_WRITE,
                    },
                    control: u32::from(wide) | field(&ops[1]) << 2,
                    header: false,
                    surface: self.surface(&ops[3])?,
                };
                let address = self.offsets(&ops[5], &ops[4], Type::Ud, channels)?;
                self.access(read, channels, request, address, visa, 6)
            }
            Opcode::SvmGather4Scaled | Opcode::SvmScatter4Scaled => {
                let read = visa.op == Opcode::SvmGather4Scaled;
                let request = Request {
                    sfid: SFID_DC1,
                    kind: match read {
                        true => kind::DC1_A64_UNTYPED_READ,
                        false => kind::DC1_A64_UNTYPED_WRITE,
                    },
                    control: untyped_control(field(&ops[0]), wide),
                    header: false,
                    surface: Surface::Constant(BTI_STATELESS),
                };
                let address = self.offsets(&ops[3], &ops[2], Type::Uq, channels)?;
                self.access(read, channels, request, address, visa, 4)
            }
            Opcode::SvmGather | Opcode::SvmScatter => {
                let size = match svm_block_bytes(field(&ops[0])) {
                    Some(1) => 0,
                    Some(4) => 1,
                    Some(8) => 2,
                    _ => return self.fail("an unknown block size"),
                };
                let read = visa.op == Opcode::SvmGather;
                let request = Request {
                    sfid: SFID_DC1,
                    kind: match read {
                        true => kind::DC1_A64_SCATTERED_READ,
                        false => kind::DC1_A64_SCATTERED_WRITE,
                    },
                    control: size | field(&ops[1]) << 2 | u32::from(wide) << 4,
                    header: false,
                    surface: Surface::Constant(BTI_STATELESS),
                };
                let address = self.payload(visa, 2)?;
                self.access(read, channels, request, address, visa, 3)
            }
            Opcode::DwordAtomic => {
                let surface = self.surface(&ops[1])?;
                let address = self.payload(visa, 2)?;
                self.atomic(visa, channels, surface, address, 3, false)
            }
            Opcode::SvmAtomic => {
                if wide {
                    return self.fail("an atomic of more than eight 64-bit addresses");
                }
                let address = self.payload(visa, 1)?;
                let surface = Surface::Constant(BTI_STATELESS);
                self.atomic(visa, channels, surface, address, 2, true)
            }
            Opcode::SvmBlockLd | Opcode::SvmBlockSt => {
                let log = field(&ops[0]) & 7;
                let Some(code) = oword_code(log) else {
                    return self.fail("an unknown block size");
                };
                let header = self.temp(self.grf());
                let address = self.scalar(&ops[1])?;
                let to = Dst::new(header, 1, Type::Uq);
                self.alu(Op::Mov, Channels::SCALAR, to, &[address]);
                let read = visa.op == Opcode::SvmBlockLd;
                let request = Request {
                    sfid: SFID_DC1,
                    kind: match read {
                        true => kind::DC1_A64_BLOCK_READ,
                        false => kind::DC1_A64_BLOCK_WRITE,
                    },
                    // Reads take any dword-aligned address.
                    control: code | u32::from(read) << 3,
                    header: true,
                    surface: Surface::Constant(BTI_STATELESS),
                };
                let header = Payload {
                    reg: header,
                    grfs: 1,
                };
                let all = Channels::all(if log > 1 { 16 } else { 8 });
                self.access(read, all, request, header, visa, 2)
            }
            Opcode::OwordLd | Opcode::OwordLdUnaligned | Opcode::OwordSt => {
                let read = visa.op != Opcode::OwordSt;
                let (surface, offset, data) = if read { (2, 3, 4) } else { (1, 2, 3) };
                let log = field(&ops[0]);
                let Some(code) = oword_code(log) else {
                    return self.fail("an unknown block size");
                };
                let offset = self.scalar(&ops[offset])?;
                let request = Request {
                    sfid: SFID_DC0,
                    kind: match visa.op {
                        Opcode::OwordLd => kind::DC0_OWORD_READ,
                        Opcode::OwordSt => kind::DC0_OWORD_WRITE,
                        _ => kind::DC0_OWORD_READ_UNALIGNED,
                    },
                    control: code,
                    header: true,
                    surface: self.surface(&ops[surface])?,
                };
                let header = self.header_with(&[(8, offset)]);
                let all = Channels::all(if log > 1 { 16 } else { 8 });
                self.access(read, all, request, header, visa, data)
            }
            Opcode::RawSend | Opcode::RawSends => self.raw_send(visa, channels),
            Opcode::Fence => {
                match Fence::from_number(field(&ops[0])) {
                    Some(fence) if !fence.is_software() => self.fence(Op::Send),
                    _ => {}
                }
                Ok(())
            }
            _ => self.fail("not supported yet"),
        }
    }

    /// A copy of r0 with some of its dwords replaced.
    fn header_with(&mut self, dwords: &[(u32, Src)]) -> Payload {
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

    fn surface(&mut self, operand: &Operand) -> Result<Surface> {
        let Operand::Surface(s) = operand else {
            return self.fail("an operand that is no surface");
        };
        if let Some(index) = self.constant_surface(*s) {
            return Ok(Surface::Constant(index));
        }
        let storage = self.state(visa::StateVar::Surface(*s));
        if storage == Storage::Null {
            return self.fail("a surface without a state");
        }
        let word = Src::scalar(self.read(storage, 0, 4), Type::Ud);
        Ok(match s.as_u32() {
            predefined::SURFACE_BINDLESS => Surface::Bindless(word),
            _ => Surface::Dynamic(word),
        })
    }

    /// The layout of a raw operand, and its length in registers.
    fn shape(&self, visa: &visa::Inst, at: usize) -> Result<(RawShape, u32)> {
        let grf = self.grf();
        match raw_shape(visa, at) {
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
    fn payload(&mut self, visa: &visa::Inst, at: usize) -> Result<Payload> {
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
    fn joined(&mut self, payloads: &[Payload]) -> Payload {
        let grf = self.grf();
        let grfs = payloads.iter().map(|p| p.grfs).sum();
        let mut whole = Buffer::new(grfs * grf);
        let mut at = 0;
        for payload in payloads {
            let end = at + payload.grfs * grf;
            let start = at;
            while at < end {
                let n = ((end - at) / 4).min(8);
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
    fn answer(&mut self, visa: &visa::Inst, at: usize) -> Result<Answer> {
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
            global => {
                let sum = self.temp(bytes);
                let all = Channels::all(channels.size);
                let own = Src::packed(reg, ty);
                self.alu(Op::Add, all, Dst::new(sum, 1, ty), &[own, global]);
                Ok(Payload { reg: sum, grfs })
            }
        }
    }

    /// A load to, or a store from, raw operand `data`.
    fn access(
        &mut self,
        read: bool,
        channels: Channels,
        request: Request,
        address: Payload,
        visa: &visa::Inst,
        data: usize,
    ) -> Result {
        let (payload, answer) = match read {
            true => (None, Some(self.answer(visa, data)?)),
            false => (Some(self.payload(visa, data)?), None),
        };
        self.send(channels, request, address, payload, answer);
        Ok(())
    }

    fn atomic(
        &mut self,
        visa: &visa::Inst,
        channels: Channels,
        surface: Surface,
        address: Payload,
        first: usize,
        a64: bool,
    ) -> Result {
        let Some(atomic) = Atomic::from_number(field(&visa.operands[0])) else {
            return self.fail("an unknown atomic operation");
        };
        let Some((float, number)) = atomic_number(atomic.op) else {
            return self.fail("an atomic operation the platform lacks");
        };
        if atomic.bits == 16 || atomic.bits == 64 && !a64 {
            return self.fail("an atomic width the platform lacks");
        }
        let mut sources = Vec::with_capacity(2);
        for at in first..first + 2 {
            if !is_null(&visa.operands[at]) {
                sources.push(self.payload(visa, at)?);
            }
        }
        // vISA has the new value before the one compared with, the hardware after it.
        if atomic.op == AtomicOp::CmpXchg {
            sources.reverse();
        }
        let data = match sources[..] {
            [] => None,
            [one] => Some(one),
            _ => Some(self.joined(&sources)),
        };
        let returns = !is_null(&visa.operands[first + 2]);
        let answer = match returns {
            true => Some(self.answer(visa, first + 2)?),
            false => None,
        };
        // Of 64-bit addresses bit 4 is the element's width, else that there are eight channels.
        let narrow = match a64 {
            true => atomic.bits == 64,
            false => channels.size <= 8,
        };
        let request = Request {
            sfid: SFID_DC1,
            kind: match (a64, float) {
                (true, true) => kind::DC1_A64_ATOMIC_FLOAT,
                (true, false) => kind::DC1_A64_ATOMIC,
                (false, true) => kind::DC1_ATOMIC_FLOAT,
                (false, false) => kind::DC1_ATOMIC,
            },
            control: number | u32::from(narrow) << 4 | u32::from(returns) << 5,
            header: false,
            surface,
        };
        self.send(channels, request, address, data, answer);
        Ok(())
    }

    /// The message that tells the gateway this thread has reached the barrier.
    pub(super) fn signal_barrier(&mut self, payload: Reg) {
        let message = Message {
            sfid: SFID_GATEWAY,
            eot: false,
            desc: Desc::Imm(1 << 25 | 4),
            ex_desc: Desc::Imm(SFID_GATEWAY.into()),
        };
        let mut send = Inst::no_mask(Op::Send, 1);
        send.dst = Some(Dst::null(Type::Ud));
        send.srcs
            .push(Src::reg(payload, Region::packed(8), Type::Ud));
        send.message = self.out.messages.push(message).into();
        self.push(send);
    }

    /// Waited for by reading the register that the fence writes.
    pub(super) fn fence(&mut self, op: Op) {
        let done = self.temp(self.grf());
        let header = Payload {
            reg: self.header(0),
            grfs: 1,
        };
        let request = Request {
            sfid: SFID_DC0,
            kind: kind::DC0_FENCE,
            control: 1 << 5,
            header: true,
            surface: Surface::Constant(0),
        };
        let all = Channels::all(8);
        let (desc, ex_desc) = self.descriptors(&request, header, None, 1);
        let message = Message {
            sfid: SFID_DC0,
            eot: false,
            desc,
            ex_desc,
        };
        self.emit(op, all, message, header, None, Dst::new(done, 1, Type::Ud));
        let wait = Src::packed(done, Type::Ud);
        self.alu(Op::Mov, all, Dst::null(Type::Ud), &[wait]);
    }

    /// As it is given: nothing checked, merged or split.
    fn raw_send(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        let ops = &visa.operands;
        let modifiers = field(&ops[0]);
        let split = visa.op == Opcode::RawSends;
        let [ex_desc, desc, src0, result] = if split { [5, 6, 7, 9] } else { [1, 4, 5, 6] };
        let payload = self.payload(visa, src0)?;
        let second = match split && !is_null(&ops[8]) {
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
        let eot = modifiers & 2 != 0;
        let (sfid, ex_desc) = match split {
            false => (
                (field(&ops[ex_desc]) & 0xf) as u8,
                Desc::Imm(field(&ops[ex_desc])),
            ),
            true => {
                let fixed = field(&ops[4]) | u32::from(eot) << 5 | field(&ops[2]) << 6;
                let ex_desc = match self.scalar(&ops[ex_desc])? {
                    Src::Imm(imm) => Desc::Imm(imm.bits() as u32 | fixed),
                    reg => self.descriptor(&[reg, ud(fixed)], Op::Or),
                };
                ((field(&ops[4]) & 0xf) as u8, ex_desc)
            }
        };
        let desc = match self.scalar(&ops[desc])? {
            Src::Imm(imm) => Desc::Imm(imm.bits() as u32),
            reg => self.descriptor(&[reg], Op::Mov),
        };
        let message = Message {
            sfid,
            eot: eot || matches!(ex_desc, Desc::Imm(bits) if bits & 0x20 != 0),
            desc,
            ex_desc,
        };
        self.exchange(op, channels, message, payload, second, answer);
        Ok(())
    }

    /// Puts a descriptor into the address register.
    fn descriptor(&mut self, parts: &[Src], op: Op) -> Desc {
        let addr = self.temp_of(Class::Addr, 4);
        self.alu(op, Channels::SCALAR, Dst::new(addr, 1, Type::Ud), parts);
        Desc::Addr(addr)
    }

    /// The descriptors of a request whose answer has so many registers.
    fn descriptors(
        &mut self,
        request: &Request,
        src0: Payload,
        src1: Option<Payload>,
        answer_grfs: u32,
    ) -> (Desc, Desc) {
        let lengths = src0.grfs << 25 | answer_grfs << 20;
        let header = u32::from(request.header) << 19;
        let fixed = lengths | header | request.kind << 14 | request.control << 8;
        let ex_fixed = u32::from(request.sfid) | src1.map_or(0, |s| s.grfs) << 6;
        match request.surface {
            Surface::Constant(index) => (Desc::Imm(fixed | index & 0xff), Desc::Imm(ex_fixed)),
            Surface::Dynamic(index) => {
                let desc = self.descriptor(&[index, ud(fixed)], Op::Or);
                (desc, Desc::Imm(ex_fixed))
            }
            Surface::Bindless(offset) => {
                let ex_desc = self.descriptor(&[offset, ud(ex_fixed)], Op::Or);
                (Desc::Imm(fixed | BTI_BINDLESS), ex_desc)
            }
        }
    }

    fn send(
        &mut self,
        channels: Channels,
        request: Request,
        src0: Payload,
        src1: Option<Payload>,
        answer: Option<Answer>,
    ) {
        let grfs = answer.map_or(0, |a| a.grfs);
        let (desc, ex_desc) = self.descriptors(&request, src0, src1, grfs);
        // Only the send of two payloads takes its extended descriptor from a register.
        let split = src1.is_some() || matches!(ex_desc, Desc::Addr(_));
        let message = Message {
            sfid: request.sfid,
            eot: false,
            desc,
            ex_desc,
        };
        let op = if split { Op::Sends } else { Op::Send };
        self.exchange(op, channels, message, src0, src1, answer);
    }

    /// Sends a message and puts its answer where it belongs: what the message cannot write in place
    /// is copied there, under its mask.
    fn exchange(
        &mut self,
        op: Op,
        channels: Channels,
        message: Message,
        src0: Payload,
        src1: Option<Payload>,
        answer: Option<Answer>,
    ) {
        let ty = if channels.size > 8 { Type::W } else { Type::Ud };
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
                let stride = RawShape::plane_stride(bytes, channels.size);
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

    fn emit(
        &mut self,
        op: Op,
        channels: Channels,
        message: Message,
        src0: Payload,
        src1: Option<Payload>,
        to: Dst,
    ) {
        let mut send = self.instruction(op, channels);
        if channels.no_mask && channels.pred.is_none() {
            send.chan_off = 0;
        }
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

fn is_null(operand: &Operand) -> bool {
    matches!(operand, Operand::Raw { var, .. } if var.as_u32() == predefined::NULL)
}
