//! Messages: descriptors as data, payloads, results.
//!
//! A message is built from a [`Kind`] of the data port (its type number and control field) and
//! lengths that follow from the channels. Field positions are those of the PRM, vol. 2d, "Message
//! Descriptor - Data Port 0/1". A payload that spans several allocation units becomes a group,
//! which register allocation keeps consecutive.

use kiln_emit::inst::{Desc, Dst, Inst as Gen, Message, Op, Reg, Region, Src, Type, VReg};
use kiln_frontend::module::{self as visa, Operand};
use kiln_frontend::opcode::{Atomic, AtomicOp, Fence, Opcode, svm_block_bytes};
use kiln_ir::access::{RawShape, raw_shape};
use kiln_ir::func::Class;
use smallvec::SmallVec;

use crate::alu::field;
use crate::lower::{Base, Ctl, DstOpnd, HEADER_GRF, Opnd, RegOpnd, Select, SelectError};
use crate::mir::{GRF_BYTES, Group, MInst, UNIT_BYTES};

type Result<T = ()> = std::result::Result<T, SelectError>;

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

/// Payload or result: storage and length in GRFs.
#[derive(Clone, Copy)]
struct Span {
    base: Base,
    byte: u32,
    grfs: u32,
}

/// What a message reads and writes.
struct Spans {
    src0: Span,
    src1: Option<Span>,
    dst: Option<Span>,
}

/// A message but for its lengths.
struct Shape {
    sfid: u8,
    kind: u32,
    control: u32,
    header: bool,
    surface: Surface,
}

#[derive(Clone, Copy)]
enum Surface {
    Constant(u32),
    /// In a general register.
    Dynamic(Base),
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
    pub fn select_message(&mut self, visa: &visa::Inst) -> Result {
        let ops = &visa.operands;
        let ctl = self.ctl(visa);
        let wide = ctl.size > 8;
        match visa.op {
            Opcode::Gather4Scaled | Opcode::Scatter4Scaled => {
                let shape = Shape {
                    sfid: SFID_DC1,
                    kind: if visa.op == Opcode::Gather4Scaled {
                        kind::DC1_UNTYPED_READ
                    } else {
                        kind::DC1_UNTYPED_WRITE
                    },
                    control: untyped_control(field(&ops[0]), wide),
                    header: false,
                    surface: self.surface(&ops[2])?,
                };
                let address = self.offsets(&ops[4], &ops[3], Type::Ud, ctl)?;
                let data = self.raw(&ops[5], visa, 5)?;
                self.load_or_store(visa.op == Opcode::Gather4Scaled, ctl, shape, address, data)
            }
            Opcode::GatherScaled | Opcode::ScatterScaled => {
                let shape = Shape {
                    sfid: SFID_DC0,
                    kind: if visa.op == Opcode::GatherScaled {
                        kind::DC0_BYTE_READ
                    } else {
                        kind::DC0_BYTE_WRITE
                    },
                    control: u32::from(wide) | field(&ops[1]) << 2,
                    header: false,
                    surface: self.surface(&ops[3])?,
                };
                let address = self.offsets(&ops[5], &ops[4], Type::Ud, ctl)?;
                let data = self.raw(&ops[6], visa, 6)?;
                self.load_or_store(visa.op == Opcode::GatherScaled, ctl, shape, address, data)
            }
            Opcode::SvmGather4Scaled | Opcode::SvmScatter4Scaled => {
                let read = visa.op == Opcode::SvmGather4Scaled;
                let shape = Shape {
                    sfid: SFID_DC1,
                    kind: if read {
                        kind::DC1_A64_UNTYPED_READ
                    } else {
                        kind::DC1_A64_UNTYPED_WRITE
                    },
                    control: untyped_control(field(&ops[0]), wide),
                    header: false,
                    surface: Surface::Constant(crate::lower::BTI_STATELESS),
                };
                let address = self.offsets(&ops[3], &ops[2], Type::Uq, ctl)?;
                let data = self.raw(&ops[4], visa, 4)?;
                self.load_or_store(read, ctl, shape, address, data)
            }
            Opcode::SvmGather | Opcode::SvmScatter => {
                let size = match svm_block_bytes(field(&ops[0])) {
                    Some(1) => 0,
                    Some(4) => 1,
                    Some(8) => 2,
                    _ => return self.fail("an unknown block size"),
                };
                let read = visa.op == Opcode::SvmGather;
                let shape = Shape {
                    sfid: SFID_DC1,
                    kind: if read {
                        kind::DC1_A64_SCATTERED_READ
                    } else {
                        kind::DC1_A64_SCATTERED_WRITE
                    },
                    control: size | field(&ops[1]) << 2 | u32::from(wide) << 4,
                    header: false,
                    surface: Surface::Constant(crate::lower::BTI_STATELESS),
                };
                let address = self.raw(&ops[2], visa, 2)?;
                let data = self.raw(&ops[3], visa, 3)?;
                self.load_or_store(read, ctl, shape, address, data)
            }
            Opcode::DwordAtomic => {
                let surface = self.surface(&ops[1])?;
                let address = self.raw(&ops[2], visa, 2)?;
                self.atomic(visa, ctl, surface, address, 3, false)
            }
            Opcode::SvmAtomic => {
                if wide {
                    return self.fail("an atomic of more than eight 64-bit addresses");
                }
                let address = self.raw(&ops[1], visa, 1)?;
                self.atomic(
                    visa,
                    ctl,
                    Surface::Constant(crate::lower::BTI_STATELESS),
                    address,
                    2,
                    true,
                )
            }
            Opcode::SvmBlockLd | Opcode::SvmBlockSt => {
                let log = field(&ops[0]) & 7;
                let Some(code) = oword_code(log) else {
                    return self.fail("an unknown block size");
                };
                let header = self.temp(GRF_BYTES);
                let address = self.scalar(&ops[1])?;
                self.alu(
                    Op::Mov,
                    Ctl::SCALAR,
                    DstOpnd::new(header, 0, Type::Uq),
                    &[address],
                    None,
                )?;
                let read = visa.op == Opcode::SvmBlockLd;
                let shape = Shape {
                    sfid: SFID_DC1,
                    kind: if read {
                        kind::DC1_A64_BLOCK_READ
                    } else {
                        kind::DC1_A64_BLOCK_WRITE
                    },
                    // Reads take any dword-aligned address.
                    control: code | u32::from(read) << 3,
                    header: true,
                    surface: Surface::Constant(crate::lower::BTI_STATELESS),
                };
                let data = self.raw(&ops[2], visa, 2)?;
                let header = Span {
                    base: header,
                    byte: 0,
                    grfs: 1,
                };
                self.load_or_store(
                    read,
                    Ctl::all(if log > 1 { 16 } else { 8 }),
                    shape,
                    header,
                    data,
                )
            }
            Opcode::OwordLd | Opcode::OwordLdUnaligned | Opcode::OwordSt => {
                let read = visa.op != Opcode::OwordSt;
                let (surface, offset, data) = if read { (2, 3, 4) } else { (1, 2, 3) };
                let log = field(&ops[0]);
                let Some(code) = oword_code(log) else {
                    return self.fail("an unknown block size");
                };
                let header = self.temp(GRF_BYTES);
                let thread = Opnd::packed(Base::Abs, HEADER_GRF * GRF_BYTES, Type::Ud);
                self.alu(
                    Op::Mov,
                    Ctl::all(8),
                    DstOpnd::new(header, 0, Type::Ud),
                    &[thread],
                    None,
                )?;
                let offset = self.scalar(&ops[offset])?;
                self.alu(
                    Op::Mov,
                    Ctl::SCALAR,
                    DstOpnd::new(header, 8, Type::Ud),
                    &[offset],
                    None,
                )?;
                let shape = Shape {
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
                let data = self.raw(&ops[data], visa, data)?;
                let header = Span {
                    base: header,
                    byte: 0,
                    grfs: 1,
                };
                self.load_or_store(
                    read,
                    Ctl::all(if log > 1 { 16 } else { 8 }),
                    shape,
                    header,
                    data,
                )
            }
            Opcode::RawSend => self.raw_send(visa, ctl),
            Opcode::Fence => self.fence(Fence::from_number(field(&ops[0]))),
            _ => self.fail("not supported yet"),
        }
    }

    fn surface(&self, operand: &Operand) -> Result<Surface> {
        let Operand::Surface(s) = operand else {
            return self.fail("an operand that is no surface");
        };
        match (self.constant_surface(*s), self.surface_storage(*s)) {
            (Some(index), _) => Ok(Surface::Constant(index)),
            (None, Some(base)) => Ok(Surface::Dynamic(base)),
            (None, None) => self.fail("a surface without a state"),
        }
    }

    /// A raw operand with the length its instruction gives it.
    fn raw(&mut self, operand: &Operand, visa: &visa::Inst, at: usize) -> Result<Span> {
        let Operand::Raw { var, offset } = operand else {
            return self.fail("an operand that is not raw");
        };
        let grfs = match raw_shape(visa, at) {
            Some(RawShape::Block { bytes }) => bytes.div_ceil(GRF_BYTES),
            Some(RawShape::Lanes { bytes, planes }) => {
                // The messages know eight and sixteen channels.
                let size = visa.exec.size.max(8);
                RawShape::plane_stride(bytes, size) / GRF_BYTES * planes
            }
            None => return self.fail("a raw operand of unknown length"),
        };
        let (base, byte) = self.storage(*var, u32::from(*offset))?;
        Ok(Span { base, byte, grfs })
    }

    /// A scalar operand: whatever its region says, its first element.
    fn scalar(&mut self, operand: &Operand) -> Result<Opnd> {
        Ok(match self.src(operand)? {
            Opnd::Reg(r) => Opnd::Reg(RegOpnd {
                v: Some(0),
                w: 1,
                h: 0,
                ..r
            }),
            imm => imm,
        })
    }

    /// Offsets of the channels, of type `ty`, with the global offset added.
    fn offsets(&mut self, offsets: &Operand, global: &Operand, ty: Type, ctl: Ctl) -> Result<Span> {
        let Operand::Raw { var, offset } = offsets else {
            return self.fail("an operand that is not raw");
        };
        let (base, byte) = self.storage(*var, u32::from(*offset))?;
        let grfs = RawShape::plane_stride(ty.bytes(), ctl.size.max(8)) / GRF_BYTES;
        match self.scalar(global)? {
            Opnd::Imm { bits: 0, .. } => Ok(Span { base, byte, grfs }),
            global => {
                let tmp = self.temp(grfs * GRF_BYTES);
                let own = Opnd::packed(base, byte, ty);
                self.alu(
                    Op::Add,
                    Ctl::all(ctl.size),
                    DstOpnd::new(tmp, 0, ty),
                    &[own, global],
                    None,
                )?;
                Ok(Span {
                    base: tmp,
                    byte: 0,
                    grfs,
                })
            }
        }
    }

    fn load_or_store(
        &mut self,
        read: bool,
        ctl: Ctl,
        shape: Shape,
        address: Span,
        data: Span,
    ) -> Result {
        if read {
            self.send(ctl, shape, address, None, Some(data))
        } else {
            self.send(ctl, shape, address, Some(data), None)
        }
    }

    fn atomic(
        &mut self,
        visa: &visa::Inst,
        ctl: Ctl,
        surface: Surface,
        address: Span,
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
        let mut sources: SmallVec<[Span; 2]> = SmallVec::new();
        for at in first..first + 2 {
            if !is_null(&visa.operands[at]) {
                sources.push(self.raw(&visa.operands[at], visa, at)?);
            }
        }
        // vISA has the new value before the one compared with, the hardware after it.
        if atomic.op == AtomicOp::CmpXchg {
            sources.reverse();
        }
        let data = match sources[..] {
            [] => None,
            [one] => Some(one),
            [a, b, ..] => {
                let tmp = self.temp((a.grfs + b.grfs) * GRF_BYTES);
                for (span, at) in [(a, 0), (b, a.grfs * GRF_BYTES)] {
                    self.copy(span, tmp, at)?;
                }
                Some(Span {
                    base: tmp,
                    byte: 0,
                    grfs: a.grfs + b.grfs,
                })
            }
        };
        let result = &visa.operands[first + 2];
        let returns = !is_null(result);
        let result = if returns {
            Some(self.raw(result, visa, first + 2)?)
        } else {
            None
        };
        // Of 64-bit addresses bit 4 is the element's width, else that there are eight channels.
        let narrow = if a64 {
            atomic.bits == 64
        } else {
            ctl.size <= 8
        };
        let shape = Shape {
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
        self.send(ctl, shape, address, data, result)
    }

    /// Copies whole registers.
    fn copy(&mut self, from: Span, to: Base, byte: u32) -> Result {
        for grf in 0..from.grfs {
            let src = Opnd::packed(from.base, from.byte + grf * GRF_BYTES, Type::Ud);
            let dst = DstOpnd::new(to, byte + grf * GRF_BYTES, Type::Ud);
            self.alu(Op::Mov, Ctl::all(8), dst, &[src], None)?;
        }
        Ok(())
    }

    /// The message that tells the gateway this thread has reached the barrier.
    pub fn send_barrier(&mut self, payload: Base) {
        let reg = self.read(payload, 0);
        let mut send = Gen::new(Op::Send, 1);
        send.no_mask = true;
        send.dst = Some(Dst::new(Reg::NULL, 1, Type::Ud));
        send.srcs.push(Src::reg(reg, Region::packed(8), Type::Ud));
        send.msg = Some(Message {
            sfid: SFID_GATEWAY,
            eot: false,
            desc: Desc::Imm(1 << 25 | 4),
            ex_desc: Desc::Imm(SFID_GATEWAY.into()),
        });
        self.push(send);
    }

    fn fence(&mut self, fence: Option<Fence>) -> Result {
        if fence.is_none_or(|f| f.is_software()) {
            return Ok(());
        }
        // Waited for by reading the register the fence writes.
        let done = self.temp(GRF_BYTES);
        let header = Span {
            base: Base::Abs,
            byte: HEADER_GRF * GRF_BYTES,
            grfs: 1,
        };
        let shape = Shape {
            sfid: SFID_DC0,
            kind: kind::DC0_FENCE,
            control: 1 << 5,
            header: true,
            surface: Surface::Constant(0),
        };
        self.send(
            Ctl::all(8),
            shape,
            header,
            None,
            Some(Span {
                base: done,
                byte: 0,
                grfs: 1,
            }),
        )?;
        let wait = Opnd::packed(done, 0, Type::Ud);
        self.alu(Op::Mov, Ctl::all(8), DstOpnd::null(Type::Ud), &[wait], None)
    }

    fn raw_send(&mut self, visa: &visa::Inst, ctl: Ctl) -> Result {
        let ops = &visa.operands;
        let conditional = field(&ops[0]) & 1 != 0;
        let ex_desc = field(&ops[1]);
        let payload = self.raw(&ops[5], visa, 5)?;
        let result = if is_null(&ops[6]) {
            None
        } else {
            Some(self.raw(&ops[6], visa, 6)?)
        };
        let op = if conditional { Op::Sendc } else { Op::Send };
        let desc = match self.scalar(&ops[4])? {
            Opnd::Imm { bits, .. } => (Desc::Imm(bits as u32), None),
            reg => self.descriptor(&[reg])?,
        };
        self.emit_send(
            op,
            ctl,
            ex_desc,
            desc,
            Spans {
                src0: payload,
                src1: None,
                dst: result,
            },
        )
    }

    /// Puts a descriptor into the address register.
    fn descriptor(&mut self, parts: &[Opnd]) -> Result<(Desc, Option<VReg>)> {
        let addr = self.temp_addr();
        let op = if parts.len() > 1 { Op::Or } else { Op::Mov };
        self.alu(
            op,
            Ctl::SCALAR,
            DstOpnd::new(addr, 0, Type::Ud),
            parts,
            None,
        )?;
        let reg = self.read(addr, 0);
        Ok((Desc::Addr { byte: 0 }, reg.as_virt()))
    }

    fn send(
        &mut self,
        ctl: Ctl,
        shape: Shape,
        src0: Span,
        src1: Option<Span>,
        dst: Option<Span>,
    ) -> Result {
        let lengths = src0.grfs << 25 | dst.map_or(0, |d| d.grfs) << 20;
        let fixed = lengths | u32::from(shape.header) << 19 | shape.kind << 14 | shape.control << 8;
        let desc = match shape.surface {
            Surface::Constant(index) => (Desc::Imm(fixed | index & 0xff), None),
            Surface::Dynamic(base) => {
                let index = Opnd::scalar(base, 0, Type::Ud);
                self.descriptor(&[index, Opnd::ud(fixed)])?
            }
        };
        let ex_desc = u32::from(shape.sfid) | src1.map_or(0, |s| s.grfs) << 6;
        let op = if src1.is_some() { Op::Sends } else { Op::Send };
        self.emit_send(op, ctl, ex_desc, desc, Spans { src0, src1, dst })
    }

    fn emit_send(
        &mut self,
        op: Op,
        ctl: Ctl,
        ex_desc: u32,
        desc: (Desc, Option<VReg>),
        spans: Spans,
    ) -> Result {
        let Spans { src0, src1, dst } = spans;
        let mut group = Group::default();
        let mut inst = Gen::new(op, ctl.size);
        inst.chan_off = if ctl.no_mask && ctl.pred.is_none() {
            0
        } else {
            ctl.off
        };
        inst.no_mask = ctl.no_mask;
        inst.pred = ctl.pred;
        inst.msg = Some(Message {
            sfid: (ex_desc & 0xf) as u8,
            eot: ex_desc & 0x20 != 0,
            desc: desc.0,
            ex_desc: Desc::Imm(ex_desc),
        });
        for (i, span) in [Some(src0), src1].into_iter().flatten().enumerate() {
            let (first, units) = self.payload(span)?;
            inst.srcs.push(Src::reg(first, Region::packed(8), Type::Ud));
            group.srcs[i] = units;
        }
        // A result the message cannot write in place is copied there.
        let ty = if ctl.size > 8 { Type::W } else { Type::Ud };
        let mut back = None;
        let reg = match dst {
            None => Reg::NULL,
            Some(span) => {
                let direct = span.byte.is_multiple_of(GRF_BYTES);
                let to = if direct {
                    span
                } else {
                    Span {
                        base: self.temp(span.grfs * GRF_BYTES),
                        byte: 0,
                        ..span
                    }
                };
                back = (!direct).then_some((to, span));
                self.result(to, &mut group)
            }
        };
        inst.dst = Some(Dst::new(reg, 1, ty));
        let mut m = MInst::new(inst);
        m.group = Some(Box::new(group));
        m.desc = desc.1;
        self.code.push(m);
        if let Some((from, to)) = back {
            for grf in 0..to.grfs {
                let src = Opnd::packed(from.base, grf * GRF_BYTES, Type::Ud);
                let dst = DstOpnd::new(to.base, to.byte + grf * GRF_BYTES, Type::Ud);
                let size = ctl.size.min(8);
                self.alu(
                    Op::Mov,
                    Ctl {
                        size,
                        pred: None,
                        ..ctl
                    },
                    dst,
                    &[src],
                    None,
                )?;
            }
        }
        Ok(())
    }

    /// The registers of a payload, copied to aligned ones where they are not.
    fn payload(&mut self, span: Span) -> Result<(Reg, SmallVec<[VReg; 2]>)> {
        let mut span = span;
        if !span.byte.is_multiple_of(GRF_BYTES) {
            let tmp = self.temp(span.grfs * GRF_BYTES);
            self.copy(span, tmp, 0)?;
            span = Span {
                base: tmp,
                byte: 0,
                grfs: span.grfs,
            };
        }
        let first = self.read(span.base, span.byte);
        if first.as_virt().is_none() {
            return Ok((first, SmallVec::new()));
        }
        let mut units = SmallVec::new();
        let end = span.byte + span.grfs.max(1) * GRF_BYTES;
        let mut at = span.byte;
        while at < end {
            let reg = if at == span.byte {
                first
            } else {
                self.read(span.base, at)
            };
            units.extend(reg.as_virt());
            at = (at / UNIT_BYTES + 1) * UNIT_BYTES;
        }
        Ok((first, units))
    }

    fn result(&mut self, span: Span, group: &mut Group) -> Reg {
        let mut first = None;
        let end = span.byte + span.grfs.max(1) * GRF_BYTES;
        let mut at = span.byte;
        while at < end {
            let (reg, old) = self.write(span.base, at);
            first.get_or_insert(reg);
            if let Some(v) = reg.as_virt() {
                group.dst.push(v);
                group.tied.push(old);
            }
            at = (at / UNIT_BYTES + 1) * UNIT_BYTES;
        }
        first.unwrap_or(Reg::NULL)
    }

    fn temp_addr(&mut self) -> Base {
        self.temp_of(Class::Addr)
    }
}

fn is_null(operand: &Operand) -> bool {
    matches!(operand, Operand::Raw { var, .. } if var.as_u32() == visa::predefined::NULL)
}
