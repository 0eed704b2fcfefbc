//! Messages: their payloads, descriptors and responses.
//!
//! Takes vISA operations that memory, the sampler, render targets or the gateway execute; most have a file of their
//! own beside this one, [`memory`](super::memory) those that access memory. A message has a descriptor, one or two
//! payloads and a response, each of whole registers. A payload that does not begin at a register is copied; so is a
//! response, under the mask of the message.

use kiln_emit::messages::{Descriptors, Request, Surface as Memory, others, surface_apart};
use kiln_machine::func::Class;
use kiln_machine::inst::{Desc, Dst, Message, Reg, Src};
use kiln_platform::isa::{Op, Region, SendOptions, Type};
use kiln_visa::module::{self as visa, Operand, predefined};
use kiln_visa::opcode::Opcode;
use kiln_visa::shape::{RawShape, raw_access};

use super::buffer::Buffer;
use super::operand::Storage;
use super::{Channels, Result, Select, ud};

/// The memory that a message accesses.
#[derive(Clone, Copy)]
pub(super) enum Surface {
    Known(Memory),
    /// The entry of the binding table whose index is in a register.
    Indexed(Src),
    /// The offset of the surface's state, in a register.
    Bindless(Src),
}

/// The registers of a payload.
#[derive(Clone, Copy)]
pub(super) struct Payload {
    pub(super) reg: Reg,
    pub(super) grfs: u32,
}

impl Payload {
    pub(super) fn new(reg: Reg, grfs: u32) -> Payload {
        Payload { reg, grfs }
    }
}

/// The destination of a message's response.
#[derive(Clone, Copy)]
pub(super) struct Answer {
    pub(super) storage: Storage,
    pub(super) byte: u32,
    pub(super) grfs: u32,
    pub(super) shape: RawShape,
}

impl Select<'_, '_> {
    /// Selects a vISA instruction that is a message.
    pub(super) fn message(&mut self, visa: &visa::Inst) -> Result {
        let channels = self.channels(visa);
        match visa.op {
            Opcode::Gather4Scaled
            | Opcode::Scatter4Scaled
            | Opcode::GatherScaled
            | Opcode::ScatterScaled
            | Opcode::Gather
            | Opcode::Scatter => self.surface_access(visa, channels),
            Opcode::SvmGather4Scaled
            | Opcode::SvmScatter4Scaled
            | Opcode::SvmGather
            | Opcode::SvmScatter => self.global_access(visa, channels),
            Opcode::DwordAtomic | Opcode::SvmAtomic => self.untyped_atomic(visa, channels),
            Opcode::SvmBlockLd | Opcode::SvmBlockSt => self.global_block(visa),
            Opcode::OwordLd | Opcode::OwordLdUnaligned | Opcode::OwordSt => {
                self.surface_block(visa)
            }
            Opcode::Gather4Typed | Opcode::Scatter4Typed | Opcode::TypedAtomic => {
                self.typed(visa, channels)
            }
            Opcode::LscUntyped
            | Opcode::LscStrided
            | Opcode::LscBlock2d
            | Opcode::LscBlock2dPayload
            | Opcode::LscCounter
            | Opcode::LscTyped
            | Opcode::LscTypedBlock2d
            | Opcode::LscFence => self.lsc(visa, channels),
            Opcode::Fence => self.visa_fence(visa),
            Opcode::RawSend | Opcode::RawSends => self.raw_send(visa, channels),
            Opcode::Sample3d
            | Opcode::Load3d
            | Opcode::Gather4Sampler
            | Opcode::ResInfo
            | Opcode::SampleInfo => self.sampler(visa, channels),
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
        Payload::new(header.whole(self), 1)
    }

    /// The layout of a raw operand, and its length in registers.
    pub(super) fn shape(&self, visa: &visa::Inst, at: usize) -> Result<(RawShape, u32)> {
        let grf = self.grf();
        let access = raw_access(self.ir.object, visa, at, grf);
        match access.map(|access| access.shape) {
            Some(shape @ RawShape::Block { bytes }) => Ok((shape, bytes.div_ceil(grf))),
            Some(shape @ RawShape::Lanes { bytes, planes }) => {
                let grfs = RawShape::plane_stride(bytes, visa.exec.size, grf) / grf * planes;
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

    /// The payload, copied if it does not begin at a register.
    pub(super) fn aligned(&mut self, payload: Payload) -> Payload {
        match payload.reg.byte().is_multiple_of(self.grf()) {
            true => payload,
            false => self.joined(&[payload]),
        }
    }

    /// One payload made of copies of several. A message may have more channels than the variable that it sends, whose
    /// others are undefined.
    pub(super) fn joined(&mut self, payloads: &[Payload]) -> Payload {
        let (grf, unit) = (self.grf(), self.unit());
        let grfs = payloads.iter().map(|p| p.grfs).sum();
        let mut whole = Buffer::new(grfs * grf);
        let mut at = 0;
        for payload in payloads {
            let start = at;
            let end = at + payload.grfs * grf;
            let known = payload.reg.as_virt().map(|v| self.out.regs[v].bytes.into());
            let known = known.map_or(end, |bytes: u32| start + bytes - payload.reg.byte());
            while at < end.min(known) {
                let n = (end.min(known) - at).min(unit - at % unit).div_ceil(4);
                let from = payload.reg.at(payload.reg.byte() + at - start);
                let to = whole.write(self, at, n, Type::Ud);
                let all = Channels::all(n as u8);
                self.alu(Op::Mov, all, to, &[Src::packed(from, Type::Ud)]);
                at += n * 4;
            }
            at = end;
        }
        Payload::new(whole.whole(self), grfs)
    }

    /// The destination of a message whose response is operand number `at`.
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

    /// Sends the gateway the message that this thread has reached the barrier.
    pub(super) fn signal_barrier(&mut self, payload: Reg) -> Result {
        let message = self.known(others::barrier())?;
        let payload = Payload::new(payload, 1);
        let to = Dst::null(Type::Ud);
        self.emit(Op::Send, Channels::SCALAR, message, payload, None, to);
        Ok(())
    }

    /// Sends r0 for a request that answers with a register when it is done. The scoreboard, or a workaround in finished
    /// code, waits for it.
    pub(super) fn send_answered(&mut self, op: Op, request: Request) -> Result {
        let done = self.temp(self.grf());
        let header = Payload::new(self.header(0), 1);
        let message = self.known(request.lengths(1, 0, 1))?;
        let all = Channels::all(8);
        self.emit(op, all, message, header, None, Dst::new(done, 1, Type::Ud));
        Ok(())
    }

    /// The message of a request with constant descriptors.
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
            send: SendOptions::default(),
        })
    }

    /// A descriptor in the address register.
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
        // Only a send with two payloads reads its extended descriptor from a register.
        let split = src1.is_some() || matches!(message.ex_desc, Desc::Addr(_));
        let op = if split { Op::Sends } else { Op::Send };
        self.exchange(op, channels, message, src0, src1, answer);
        Ok(())
    }

    /// The message of a request on a surface; `more` are additional descriptor bits in a register.
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
            let family = self.out.target.family;
            if surface_apart(family) {
                message.send.ex_bso = true;
                message.send.src1_len = Descriptors::second_of(bits, family) as u8;
                message.ex_desc = self.descriptor(&[offset], Op::Mov);
            } else {
                message.ex_desc = self.descriptor(&[offset, ud(bits)], Op::Or);
            }
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

    /// Sends a message and stores its response.
    pub(super) fn exchange(
        &mut self,
        op: Op,
        channels: Channels,
        message: Message,
        src0: Payload,
        src1: Option<Payload>,
        answer: Option<Answer>,
    ) {
        // The reference encodes these types; the hardware uses them for the width of a row only.
        let ty = match channels.size {
            16 if !op.is_split_send() => Type::Uw,
            _ => Type::Ud,
        };
        match answer {
            None => self.emit(op, channels, message, src0, src1, Dst::null(ty)),
            Some(answer) => self.received(answer, ty, channels, |select, to| {
                select.emit(op, channels, message, src0, src1, to);
            }),
        }
    }

    /// Emits an instruction with a result of several registers, whose elements are of type `ty`, by `emit`. A result
    /// that cannot be written in place is copied, under the instruction's mask.
    pub(super) fn received(
        &mut self,
        answer: Answer,
        ty: Type,
        channels: Channels,
        emit: impl FnOnce(&mut Self, Dst),
    ) {
        let grf = self.grf();
        let bytes = answer.grfs * grf;
        if answer.byte.is_multiple_of(grf) {
            let (reg, old) = self.write(answer.storage, answer.byte, answer.byte + bytes);
            let to = Dst {
                old,
                ..Dst::new(reg, 1, ty)
            };
            emit(self, to);
            return;
        }
        let tmp = self.temp(bytes);
        emit(self, Dst::new(tmp, 1, ty));
        let (ty, stride, pieces, channels) = match answer.shape {
            RawShape::Lanes { bytes, planes } => {
                let ty = if bytes == 8 { Type::Uq } else { Type::Ud };
                let stride = RawShape::plane_stride(bytes, channels.size, grf);
                (ty, stride, planes, channels)
            }
            RawShape::Block { .. } => {
                let register = Channels::all((grf / 4) as u8);
                (Type::Ud, grf, answer.grfs, register)
            }
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
