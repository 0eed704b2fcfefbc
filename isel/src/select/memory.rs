//! Accesses of memory: gathers, scatters, blocks, atomics and fences.
//!
//! Takes vISA operations on surfaces and on global memory, and makes a [`MemoryAccess`] of each, which the platform's
//! message family lowers to a request.

use kiln_emit::messages::access::{Address, Elements, MemoryAccess, MemoryFence, Operation, Space};
use kiln_emit::messages::{Atomic as AtomicOperation, Request, Surface as Memory};
use kiln_machine::inst::{Dst, Src};
use kiln_platform::isa::{Op, Type};
use kiln_visa::module::{self as visa, Operand, predefined};
use kiln_visa::opcode::{Atomic, AtomicOp, Fence, Opcode, svm_block_bytes};
use kiln_visa::shape::RawShape;

use super::message::{Answer, Payload, Surface, is_null};
use super::operand::Storage;
use super::{Channels, Result, Select, field, ud};

/// Byte of a block message's header with the base that offsets count from if there is no surface. In r0 it is the
/// beginning of the thread's scratch space.
const BUFFER_BASE: u32 = 20;
/// Byte of a block message's header with the offset.
const BLOCK_OFFSET: u32 = 8;
const OWORD: u32 = 16;
/// Maximum number of owords in a block of vISA.
const MAX_BLOCK_OWORDS: u32 = 8;
/// All memory.
const STATELESS: Surface = Surface::Known(Memory::Stateless);

/// The hardware's operation for an atomic operation of vISA.
fn atomic_operation(op: AtomicOp) -> Option<AtomicOperation> {
    Some(match op {
        AtomicOp::And => AtomicOperation::And,
        AtomicOp::Or => AtomicOperation::Or,
        AtomicOp::Xor => AtomicOperation::Xor,
        AtomicOp::Xchg => AtomicOperation::Exchange,
        AtomicOp::Inc => AtomicOperation::Increment,
        AtomicOp::Dec => AtomicOperation::Decrement,
        AtomicOp::Add => AtomicOperation::Add,
        AtomicOp::Sub => AtomicOperation::Subtract,
        AtomicOp::IMax => AtomicOperation::SignedMax,
        AtomicOp::IMin => AtomicOperation::SignedMin,
        AtomicOp::Max => AtomicOperation::UnsignedMax,
        AtomicOp::Min => AtomicOperation::UnsignedMin,
        AtomicOp::CmpXchg => AtomicOperation::CompareExchange,
        AtomicOp::PreDec => AtomicOperation::PreDecrement,
        AtomicOp::FMax => AtomicOperation::FloatMax,
        AtomicOp::FMin => AtomicOperation::FloatMin,
        AtomicOp::FCmpWr => AtomicOperation::FloatCompareExchange,
        AtomicOp::FAdd | AtomicOp::FSub => return None,
    })
}

/// The operation of a vISA instruction that loads or stores.
fn operation(op: Opcode) -> Operation {
    match op {
        Opcode::Scatter4Scaled
        | Opcode::ScatterScaled
        | Opcode::Scatter
        | Opcode::SvmScatter4Scaled
        | Opcode::SvmScatter
        | Opcode::SvmBlockSt
        | Opcode::OwordSt
        | Opcode::Scatter4Typed
        | Opcode::MediaSt => Operation::Store,
        _ => Operation::Load,
    }
}

/// A number of `bits` bits at any address.
fn unaligned(bits: u32) -> Elements {
    Elements::Numbers {
        bits,
        count: 1,
        alignment: 1,
    }
}

impl Select<'_, '_> {
    /// Selects a gather or scatter on a surface.
    pub(super) fn surface_access(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        let ops = &visa.operands;
        let bits = |at: usize| 8 << field(&ops[at]).min(2);
        let (elements, surface) = match visa.op {
            Opcode::Gather4Scaled | Opcode::Scatter4Scaled => {
                let mask = field(&ops[0]) as u8;
                (Elements::Components { mask }, 2)
            }
            Opcode::GatherScaled | Opcode::ScatterScaled => (unaligned(bits(1)), 3),
            Opcode::Gather => (unaligned(bits(0)), 2),
            _ => (unaligned(bits(0)), 1),
        };
        let space = Space::Surface;
        let access = MemoryAccess::per_channel(operation(visa.op), space, elements, channels.size);
        let state = self.surface(&ops[surface])?;
        let mut address = self.offsets(&ops[surface + 2], &ops[surface + 1], Type::Ud, channels)?;
        let log = field(&ops[0]).min(2);
        if matches!(visa.op, Opcode::Gather | Opcode::Scatter) && log > 0 {
            // Offsets of vISA count elements here, those of messages bytes.
            let bytes = self.temp(address.grfs * self.grf());
            let to = Dst::new(bytes, 1, Type::Ud);
            let elements = Src::packed(address.reg, Type::Ud);
            let all = Channels::all(channels.size);
            self.alu(Op::Shl, all, to, &[elements, ud(log)]);
            address.reg = bytes;
        }
        self.access(channels, (access, state), address, visa, surface + 3)
    }

    /// Selects a gather or scatter on global memory.
    pub(super) fn global_access(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        let ops = &visa.operands;
        let (elements, address, data) = match visa.op {
            Opcode::SvmGather4Scaled | Opcode::SvmScatter4Scaled => {
                let mask = field(&ops[0]) as u8;
                let address = self.offsets(&ops[3], &ops[2], Type::Uq, channels)?;
                (Elements::Components { mask }, address, 4)
            }
            _ => {
                let Some(bytes) = svm_block_bytes(field(&ops[0])) else {
                    return self.fail("an unknown block size");
                };
                let elements = Elements::Numbers {
                    bits: 8 * bytes,
                    count: 1 << field(&ops[1]).min(3),
                    alignment: bytes,
                };
                (elements, self.payload(visa, 2)?, 3)
            }
        };
        let space = Space::Global;
        let access = MemoryAccess::per_channel(operation(visa.op), space, elements, channels.size);
        self.access(channels, (access, STATELESS), address, visa, data)
    }

    /// Selects an atomic operation on a surface or on global memory.
    pub(super) fn untyped_atomic(&mut self, visa: &visa::Inst, channels: Channels) -> Result {
        let (space, surface, first) = match visa.op {
            Opcode::DwordAtomic => (Space::Surface, self.surface(&visa.operands[1])?, 2),
            _ => (Space::Global, STATELESS, 1),
        };
        let address = self.payload(visa, first)?;
        let widths: &[u8] = if first == 2 { &[32] } else { &[32, 64] };
        let access = self.atomic_access(visa, space, widths, first + 3)?;
        self.atomic(visa, channels, (access, surface), address, first + 1)
    }

    /// The access of an atomic operation whose operand `result` is its destination.
    pub(super) fn atomic_access(
        &self,
        visa: &visa::Inst,
        space: Space,
        widths: &[u8],
        result: usize,
    ) -> Result<MemoryAccess> {
        let (operation, bits) = self.atomic_of(visa, widths)?;
        let operation = Operation::Atomic {
            operation,
            returns: !is_null(&visa.operands[result]),
        };
        let elements = Elements::Numbers {
            bits,
            count: 1,
            alignment: bits / 8,
        };
        let channels = visa.exec.size;
        Ok(MemoryAccess::per_channel(
            operation, space, elements, channels,
        ))
    }

    /// Selects a block of global memory.
    pub(super) fn global_block(&mut self, visa: &visa::Inst) -> Result {
        let ops = &visa.operands;
        let log = field(&ops[0]) & 7;
        let operation = operation(visa.op);
        // Reads take any dword-aligned address.
        let alignment = if operation == Operation::Load {
            4
        } else {
            OWORD
        };
        let bytes = self.block_bytes(log)?;
        let access =
            MemoryAccess::block(operation, Space::Global, Address::Uniform, bytes, alignment);
        let header = self.temp(self.grf());
        let address = self.scalar(&ops[1])?;
        match address {
            Src::Reg(r) if !self.out.target.int64 && r.indirect.is_none() => {
                let to = Dst::new(header, 1, Type::Ud);
                let words = Src::packed(r.reg, Type::Ud);
                self.alu(Op::Mov, Channels::all(2), to, &[words]);
            }
            _ => {
                let to = Dst::new(header, 1, Type::Uq);
                self.alu(Op::Mov, Channels::SCALAR, to, &[address]);
            }
        }
        let header = Payload::new(header, 1);
        let all = Channels::all(if log > 1 { 16 } else { 8 });
        self.access(all, (access, STATELESS), header, visa, 2)
    }

    /// Selects a block of a surface.
    pub(super) fn surface_block(&mut self, visa: &visa::Inst) -> Result {
        let ops = &visa.operands;
        let operation = operation(visa.op);
        let (surface, offset, data) = match operation {
            Operation::Load => (2, 3, 4),
            _ => (1, 2, 3),
        };
        let log = field(&ops[0]);
        let bytes = self.block_bytes(log)?;
        let alignment = match visa.op {
            Opcode::OwordLdUnaligned => 4,
            _ => OWORD,
        };
        let access = MemoryAccess::block(
            operation,
            Space::Surface,
            Address::Uniform,
            bytes,
            alignment,
        );
        let offset = self.scalar(&ops[offset])?;
        let surface = self.surface(&ops[surface])?;
        let header = match surface {
            Surface::Known(Memory::Bti(_) | Memory::Slm) | Surface::Bindless(_) => {
                self.header_with(&[(BLOCK_OFFSET, offset)])
            }
            _ => self.header_with(&[(BLOCK_OFFSET, offset), (BUFFER_BASE, ud(0))]),
        };
        let all = Channels::all(if log > 1 { 16 } else { 8 });
        self.access(all, (access, surface), header, visa, data)
    }

    /// Bytes of a block of 2 to the power of `log` owords.
    fn block_bytes(&self, log: u32) -> Result<u32> {
        match 1u32.checked_shl(log) {
            Some(owords) if owords <= MAX_BLOCK_OWORDS => Ok(owords * OWORD),
            _ => self.fail("an unknown block size"),
        }
    }

    /// Selects a fence. A fence of the compiler's alone sends nothing.
    pub(super) fn visa_fence(&mut self, visa: &visa::Inst) -> Result {
        match Fence::from_number(field(&visa.operands[0])) {
            Some(fence) if !fence.is_software() => {
                let fence = MemoryFence {
                    local: fence.is_local(),
                    flush_level_1: fence.flushes_level_1(),
                };
                self.fence(Op::Send, fence)
            }
            _ => Ok(()),
        }
    }

    /// The request for an access on the platform.
    pub(super) fn request(&self, access: &MemoryAccess) -> Result<Request> {
        match access.request(self.out.target) {
            Ok(request) => Ok(request),
            Err(error) => self.fail(error.to_string()),
        }
    }

    /// The surface that an operand names.
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

    /// The payload of the channels' offsets, of type `ty`, plus the global offset.
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
        let bytes = RawShape::plane_stride(ty.bytes(), channels.size, self.grf());
        let reg = self.read(storage, byte, byte + bytes);
        let grfs = bytes / self.grf();
        match self.scalar(global)? {
            Src::Imm(imm) if imm.bits() == 0 => Ok(self.aligned(Payload { reg, grfs })),
            Src::Reg(base) if ty == Type::Uq && !self.out.target.int64 => {
                let base = Src::scalar(base.reg, ty);
                let reg = self.long_sum(channels.size, Src::packed(reg, ty), base);
                Ok(Payload { reg, grfs })
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

    /// Emits a load to, or a store from, raw operand `data`.
    pub(super) fn access(
        &mut self,
        channels: Channels,
        (access, surface): (MemoryAccess, Surface),
        address: Payload,
        visa: &visa::Inst,
        data: usize,
    ) -> Result {
        let request = self.request(&access)?;
        let (payload, answer) = match access.operation {
            Operation::Load => (None, Some(self.answer(visa, data)?)),
            _ => (Some(self.payload(visa, data)?), None),
        };
        self.send(channels, (request, surface), address, payload, answer)
    }

    /// The operation of an atomic instruction, and the width of its numbers in bits.
    pub(super) fn atomic_of(
        &self,
        visa: &visa::Inst,
        widths: &[u8],
    ) -> Result<(AtomicOperation, u32)> {
        let Some(atomic) = Atomic::from_number(field(&visa.operands[0])) else {
            return self.fail("an unknown atomic operation");
        };
        let Some(operation) = atomic_operation(atomic.op) else {
            return self.fail("an atomic operation the platform lacks");
        };
        if !widths.contains(&atomic.bits) {
            return self.fail("an atomic width the platform lacks");
        }
        Ok((operation, atomic.bits.into()))
    }

    /// Emits an atomic access, in two messages if it has more channels than one message takes. Operands from
    /// `first` on are the two sources and the destination.
    pub(super) fn atomic(
        &mut self,
        visa: &visa::Inst,
        channels: Channels,
        (access, surface): (MemoryAccess, Surface),
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
        let most = access.max_channels(self.out.target);
        let request = (
            self.request(&MemoryAccess {
                channels: channels.size.min(most),
                ..access
            })?,
            surface,
        );
        if channels.size <= most {
            let data = match sources[..] {
                [] => None,
                [one] => Some(one),
                _ => Some(self.joined(&sources)),
            };
            return self.send(channels, request, address, data, answer);
        }
        let grf = self.grf();
        for half in 0..2 {
            let part = |whole: Payload| {
                Payload::new(
                    whole.reg.at(whole.reg.byte() + half * whole.grfs / 2 * grf),
                    whole.grfs / 2,
                )
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

    /// Emits the messages of a fence.
    pub(super) fn fence(&mut self, op: Op, fence: MemoryFence) -> Result {
        let requests = fence.requests(self.out.target);
        (requests.into_iter()).try_for_each(|request| self.send_answered(op, request))
    }
}
