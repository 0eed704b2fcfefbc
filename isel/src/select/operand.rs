//! Operands of vISA as operands of the machine IR.
//!
//! A variable's bytes lie in consecutive cells. An operand names the registers of the cells that it touches, and
//! the byte in the first of them. A read gives the registers with the contents before the instruction; a write
//! creates new ones, tied to the old contents where these are kept.

use kiln_emit::encoding;
use kiln_emit::messages::Surface as Memory;
use kiln_ir::func::{Cell, Def, VarStorage};
use kiln_machine::func::Class;
use kiln_machine::inst::{Base, CondMod, Dst, Imm, Old, Pred, Reg, Src, SrcReg, VReg};
use kiln_platform::abi::Stack;
use kiln_platform::isa::{Cond, Op, PredCtrl, RegFile, Region, SrcMod, Type};
use kiln_platform::platform::{HeaderField, MessageFamily};
use kiln_visa::module::{self as visa, Combine, Modifier, Operand, predefined};
use kiln_visa::opcode::Opcode;
use smallvec::SmallVec;

use super::area::Area;
use super::{Channels, Result, Select, Touched, ud};

/// The place of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    /// Consecutive cells from a cell on.
    Cells(Cell),
    /// The general register file, for variables whose address is taken.
    Grf,
    /// Scratch memory.
    Scratch(Area),
    /// An architecture register.
    Arch(RegFile),
    Null,
}

/// The machine type of a vISA type.
pub(super) fn machine_type(ty: visa::Type) -> Type {
    match ty {
        visa::Type::Ud | visa::Type::Bool => Type::Ud,
        visa::Type::D => Type::D,
        visa::Type::Uw => Type::Uw,
        visa::Type::W => Type::W,
        visa::Type::Ub => Type::Ub,
        visa::Type::B => Type::B,
        visa::Type::Df => Type::Df,
        visa::Type::F => Type::F,
        visa::Type::V => Type::V,
        visa::Type::Vf => Type::Vf,
        visa::Type::Uq => Type::Uq,
        visa::Type::Uv => Type::Uv,
        visa::Type::Q => Type::Q,
        visa::Type::Hf => Type::Hf,
        visa::Type::Bf => Type::Bf,
    }
}

fn modifier(m: Modifier) -> SrcMod {
    let (neg, abs) = match m {
        Modifier::None | Modifier::Sat => (false, false),
        Modifier::Abs => (false, true),
        Modifier::Neg | Modifier::Not => (true, false),
        Modifier::NegAbs => (true, true),
    };
    SrcMod { neg, abs }
}

impl Select<'_, '_> {
    /// The registers with bytes `from..to` of a variable; their offset is the place of byte `from`.
    pub(super) fn read(&mut self, storage: Storage, from: u32, to: u32) -> Reg {
        let first = match storage {
            Storage::Null => return Reg::NULL,
            Storage::Grf => return self.fixed(from),
            Storage::Scratch(area) => return self.read_scratch(area, from, to),
            Storage::Arch(file) => return Reg::phys(file, 0, from),
            Storage::Cells(first) => first.as_u32(),
        };
        let unit = self.unit();
        let (low, high) = (from / unit, to.max(from + 1).div_ceil(unit));
        let mut regs: SmallVec<[VReg; 4]> = SmallVec::new();
        for n in low..high {
            regs.push(self.contents_of(self.cell_at(first, n)));
        }
        Reg::new(self.base(regs, to - low * unit), from % unit)
    }

    fn cell_at(&self, first: u32, n: u32) -> Cell {
        let cell = Cell::from_u32(first + n);
        self.ir.cell_at(Cell::from_u32(first), n).unwrap_or(cell)
    }

    /// The register with a cell's contents before the instruction.
    fn contents_of(&mut self, cell: Cell) -> VReg {
        let at = self.current.touched.iter().position(|t| t.cell == cell);
        let touched = at.map(|i| &self.current.touched[i]);
        let value = touched.and_then(|t| t.read);
        if let Some(v) = value.and_then(|v| self.values[v].expand()) {
            return v;
        }
        if let Some(v) = touched.and_then(|t| t.undefined) {
            return v;
        }
        // Cells past the end of a variable may be read too, by a message.
        let v = match self.ir.cells.is_valid(cell) {
            true => self.cell_reg(cell),
            false => {
                let unit = self.unit();
                self.out.grf(unit)
            }
        };
        self.undef(v);
        match at {
            Some(i) => self.current.touched[i].undefined = Some(v),
            None => self.current.touched.push(Touched {
                cell,
                read: None,
                undefined: Some(v),
                now: None,
                new: None,
            }),
        }
        v
    }

    /// New registers for bytes `from..to` of a variable, and the old contents that they are tied to.
    pub(super) fn write(&mut self, storage: Storage, from: u32, to: u32) -> (Reg, Old) {
        let first = match storage {
            Storage::Null | Storage::Grf | Storage::Arch(_) => {
                return (self.read(storage, from, to), Old::None);
            }
            Storage::Scratch(area) => return self.write_scratch(area, from, to),
            Storage::Cells(first) => first.as_u32(),
        };
        let unit = self.unit();
        let (low, high) = (from / unit, to.max(from + 1).div_ceil(unit));
        let mut regs: SmallVec<[VReg; 4]> = SmallVec::new();
        let mut old: SmallVec<[VReg; 4]> = SmallVec::new();
        for n in low..high {
            let cell = self.cell_at(first, n);
            let v = match self.ir.cells.is_valid(cell) {
                true => self.written_reg(cell),
                false => self.out.grf(unit),
            };
            let touched = self.current.touched.iter_mut();
            let before = touched
                .into_iter()
                .find(|t| t.cell == cell && t.new.is_some())
                .and_then(|t| t.now.replace(v));
            regs.push(v);
            old.push(before.unwrap_or(VReg::NOTHING));
        }
        let old = self.old(old);
        (Reg::new(self.base(regs, to - low * unit), from % unit), old)
    }

    /// Old contents in consecutive registers, some of which may be nothing.
    pub(super) fn old(&mut self, regs: SmallVec<[VReg; 4]>) -> Old {
        match regs[..] {
            [one] if one != VReg::NOTHING => Old::Reg(one),
            _ if regs.iter().all(|v| *v == VReg::NOTHING) => Old::None,
            _ => Old::List(self.out.lists.push(regs)),
        }
    }

    /// Consecutive registers of which `bytes` bytes are used. Accesses past the end of a variable belong to them,
    /// too.
    pub(super) fn base(&mut self, regs: SmallVec<[VReg; 4]>, bytes: u32) -> Base {
        let unit = self.unit();
        let several = regs.iter().enumerate().filter(|_| regs.len() > 1);
        for (n, &v) in several {
            let used = bytes.saturating_sub(n as u32 * unit).min(unit) as u16;
            let data = &mut self.out.regs[v];
            if data.class == Class::Grf {
                data.bytes = data.bytes.max(used);
            }
        }
        match regs[..] {
            [one] => Base::Virt(one),
            _ => Base::List(self.out.lists.push(regs)),
        }
    }

    /// The place of a byte in the register file.
    pub(super) fn fixed(&self, byte: u32) -> Reg {
        let grf = self.grf();
        Reg::phys(RegFile::Grf, (byte / grf) as u8, byte % grf)
    }

    /// The place of a byte in the thread's copy of r0.
    pub(super) fn header(&self, byte: u32) -> Reg {
        Reg::phys(RegFile::Grf, self.abi.header as u8, byte)
    }

    /// True if a variable is a part of the copy of r0.
    pub(super) fn is_header(&self, root: visa::Var) -> bool {
        matches!(
            root.as_u32(),
            predefined::R0
                | predefined::GROUP_ID_X
                | predefined::GROUP_ID_Y
                | predefined::GROUP_ID_Z
        )
    }

    /// The place of a byte of a general variable.
    pub(super) fn storage(&self, var: visa::Var, offset: u32) -> Result<(Storage, u32)> {
        let (root, at) = self.ir.object.root(var);
        let byte = at + offset;
        let header = self.abi.header * self.grf();
        // Headers of stack messages that load and store by address reuse the bytes of the pointers to implicit arguments:
        // the pointers cannot be read there.
        let by_place = self.out.target.memory == MessageFamily::DataPort;
        let storage = self.ir.storage[root];
        if let (Some(area), VarStorage::Fixed { .. } | VarStorage::FixedPayload { .. }) =
            (self.taken.area, storage)
        {
            return Ok((Storage::Scratch(area), area.place(storage) + byte));
        }
        Ok(match storage {
            VarStorage::Cells { first, offset } => (Storage::Cells(first), offset + byte),
            VarStorage::Fixed { offset } => (Storage::Grf, self.taken.base + offset + byte),
            VarStorage::FixedPayload { offset } => (Storage::Grf, offset + byte),
            VarStorage::Special => match root.as_u32() {
                predefined::NULL => (Storage::Null, 0),
                predefined::R0 => (Storage::Grf, header + byte),
                predefined::GROUP_ID_X => (Storage::Grf, header + 4 + byte),
                predefined::GROUP_ID_Y => (Storage::Grf, header + 24 + byte),
                predefined::GROUP_ID_Z => (Storage::Grf, header + 28 + byte),
                predefined::TSC => (Storage::Arch(RegFile::Timestamp), byte),
                predefined::SR0 => (Storage::Arch(RegFile::State), byte),
                predefined::CR0 => (Storage::Arch(RegFile::Control), byte),
                predefined::CE0 => (Storage::Arch(RegFile::ChannelEnable), byte),
                predefined::MSG0 => (Storage::Arch(RegFile::MessageControl), byte),
                predefined::DBG0 => (Storage::Arch(RegFile::Debug), byte),
                predefined::SP => self.stack(|s| s.pointers, Stack::SP + byte),
                predefined::FP => self.stack(|s| s.pointers, Stack::FP + byte),
                predefined::IMPL_ARG_BUF_PTR if by_place => {
                    self.stack(|s| s.messages, Stack::IMPLICIT_ARGS + byte)
                }
                predefined::LOCAL_ID_BUF_PTR if by_place => {
                    self.stack(|s| s.messages, Stack::LOCAL_IDS + byte)
                }
                _ => {
                    let name = &self.ir.object.vars[root].name;
                    return self.fail(format!("the operand {name}"));
                }
            },
        })
    }

    /// The place of a byte of a register of the stack call convention.
    fn stack(&self, of: impl Fn(&Stack) -> u32, byte: u32) -> (Storage, u32) {
        match &self.abi.stack {
            Some(stack) => (Storage::Grf, of(stack) * self.grf() + byte),
            None => (Storage::Null, 0),
        }
    }

    /// The offset of a row and column in a variable, in bytes.
    pub(super) fn offset(&self, var: visa::Var, row: u16, col: u16) -> u32 {
        let ty = machine_type(self.ir.object.vars[var].ty);
        u32::from(row) * self.grf() + u32::from(col) * ty.bytes()
    }

    /// The address of a variable, in the register file or in the area in scratch memory.
    pub(super) fn address_of(&self, var: visa::Var, offset: u32) -> Result<u32> {
        let copy = self.abi.header * self.grf();
        match self.storage(var, offset)? {
            // With few registers, the copy of r0 is elsewhere.
            (Storage::Grf, byte) if (copy..copy + self.grf()).contains(&byte) => {
                match (self.taken.area, self.out.header) {
                    (Some(area), _) => Ok(area.header() + byte - copy),
                    (None, Some(header)) => Ok(header * self.grf() + byte - copy),
                    (None, None) => self.fail("no register is left for the thread's header"),
                }
            }
            (Storage::Grf | Storage::Scratch(_), byte) => Ok(byte),
            _ => self.fail("the address of a variable that has none"),
        }
    }

    fn address_reg(&mut self, addr: visa::Addr, byte: u32) -> Reg {
        let bytes = u32::from(self.ir.object.addrs[addr].elements) * 2;
        match self.ir.addr_cells[addr].expand() {
            Some(cell) => self.read(Storage::Cells(cell), byte, bytes.min(self.unit())),
            None => Reg::NULL,
        }
    }

    /// A source operand of an operation on `n` channels.
    pub(super) fn src(&mut self, operand: &Operand, n: u8) -> Result<Src> {
        match *operand {
            Operand::Imm { ty, bits } => Ok(Src::Imm(Imm::new(machine_type(ty), bits))),
            Operand::General {
                var,
                row,
                col,
                region,
                modifier: m,
            } => {
                let ty = machine_type(self.ir.object.vars[var].ty);
                if let Some(field) = self.header_field(var) {
                    return Ok(self.read_header(field, ty, modifier(m)));
                }
                let (storage, byte) =
                    self.storage(var, self.offset(var, row.into(), col.into()))?;
                if storage == Storage::Null {
                    return self.fail("%null as a source");
                }
                let region = Region {
                    vstride: Some(region.v.unwrap_or(0)),
                    width: region.w.max(1),
                    hstride: region.h,
                };
                let mut src = SrcReg {
                    reg: Reg::NULL,
                    region,
                    ty,
                    modifier: modifier(m),
                    indirect: None,
                    mme: None,
                };
                src.reg = self.read(storage, byte, byte + src.span(n));
                Ok(Src::Reg(src))
            }
            Operand::Indirect {
                addr,
                off,
                imm,
                ty,
                region,
                modifier: m,
            } => {
                let src = SrcReg {
                    reg: self.address_reg(addr, u32::from(off) * 2),
                    region: Region {
                        vstride: region.v,
                        width: region.w.max(1),
                        hstride: region.h,
                    },
                    ty: machine_type(ty),
                    modifier: modifier(m),
                    indirect: Some(imm),
                    mme: None,
                };
                Ok(Src::Reg(match self.taken.area {
                    Some(area) => self.read_indirect(area, &src, n)?,
                    None => src,
                }))
            }
            Operand::Predicate(p) => {
                let elements = self.ir.object.predicates[p.pred].elements;
                let ty = if elements > 16 { Type::Ud } else { Type::Uw };
                let flag = self.predicate(p.pred);
                let mut src = Src::scalar(self.read(flag, 0, ty.bytes()), ty);
                if let (true, Src::Reg(r)) = (p.inverse, &mut src) {
                    r.modifier.neg = true;
                }
                Ok(src)
            }
            Operand::Address { addr, off, .. } => {
                let reg = self.address_reg(addr, u32::from(off) * 2);
                Ok(Src::packed(reg, Type::Uw))
            }
            Operand::State { of, off } => {
                let at = u32::from(off) * 4;
                let storage = self.state(of);
                let reg = self.read(storage, at, at + 4 * u32::from(n));
                Ok(Src::packed(reg, Type::Ud))
            }
            _ => self.fail("an operand that cannot be a source"),
        }
    }

    /// The first element of an operand, whatever its region.
    pub(super) fn scalar(&mut self, operand: &Operand) -> Result<Src> {
        let mut src = self.src(operand, 1)?;
        if let Src::Reg(r) = &mut src {
            r.region = Region::SCALAR;
        }
        Ok(src)
    }

    /// The bits of r0 that are a predefined variable, if it is one.
    fn header_field(&self, var: visa::Var) -> Option<HeaderField> {
        let target = self.out.target;
        match self.ir.object.root(var).0.as_u32() {
            predefined::HW_ID => Some(target.thread_id),
            predefined::THREAD_X => Some(target.thread_space.x),
            predefined::THREAD_Y => Some(target.thread_space.y),
            predefined::COLOR => Some(target.thread_space.color),
            _ => None,
        }
    }

    /// A field of r0 as a source of a type.
    fn read_header(&mut self, field: HeaderField, ty: Type, modifier: SrcMod) -> Src {
        let mut src = Src::scalar(self.header(field.dword * 4), Type::Ud);
        let mut step = |s: &mut Self, op, bits| {
            let to = s.temp(4);
            let dst = Dst::new(to, 1, Type::Ud);
            s.alu(op, Channels::SCALAR, dst, &[src, ud(bits)]);
            src = Src::scalar(to, Type::Ud);
        };
        if field.low > 0 {
            step(self, Op::Shr, field.low);
        }
        if field.low + field.count < 32 {
            step(self, Op::And, (1 << field.count) - 1);
        }
        if let Src::Reg(r) = &mut src {
            (r.ty, r.modifier) = (ty, modifier);
        }
        src
    }

    /// A destination operand of an operation on `n` channels, and true if it saturates.
    pub(super) fn dst(&mut self, operand: &Operand, n: u8) -> Result<(Dst, bool)> {
        self.dst_behind(operand, n, 0)
    }

    /// The place `bytes` bytes after a destination operand, as a destination of the same kind.
    pub(super) fn dst_behind(
        &mut self,
        operand: &Operand,
        n: u8,
        behind: u32,
    ) -> Result<(Dst, bool)> {
        match *operand {
            Operand::General {
                var,
                row,
                col,
                region,
                modifier,
            } => {
                let ty = machine_type(self.ir.object.vars[var].ty);
                if self.ir.object.root(var).0.as_u32() == predefined::R0 {
                    return self.fail("r0 is read-only");
                }
                let (storage, byte) =
                    self.storage(var, self.offset(var, row.into(), col.into()) + behind)?;
                let h = region.h.max(1);
                let last = u32::from(n.saturating_sub(1)) * u32::from(h) * ty.bytes();
                let (reg, old) = self.write(storage, byte, byte + last + ty.bytes());
                let dst = Dst {
                    old,
                    ..Dst::new(reg, h, ty)
                };
                Ok((dst, modifier == Modifier::Sat))
            }
            Operand::Indirect {
                addr,
                off,
                imm,
                ty,
                region,
                modifier,
            } => {
                let reg = self.address_reg(addr, u32::from(off) * 2);
                let (stride, ty) = (region.h.max(1), machine_type(ty));
                let dst = match self.taken.area {
                    Some(area) => {
                        self.indirect_dst(area, (reg, imm + behind as i16), stride, ty, n)
                    }
                    None => Dst {
                        indirect: Some(imm + behind as i16),
                        ..Dst::new(reg, stride, ty)
                    },
                };
                Ok((dst, modifier == Modifier::Sat))
            }
            Operand::Address { addr, off, .. } => {
                let Some(cell) = self.ir.addr_cells[addr].expand() else {
                    return self.fail("an unknown address variable");
                };
                let at = u32::from(off) * 2;
                let (reg, old) = self.write(Storage::Cells(cell), at, at + 2 * u32::from(n));
                let dst = Dst {
                    old,
                    ..Dst::new(reg, 1, Type::Uw)
                };
                Ok((dst, false))
            }
            Operand::State { of, off } => {
                let at = u32::from(off) * 4;
                let storage = self.state(of);
                let (reg, old) = self.write(storage, at, at + 4 * u32::from(n));
                let dst = Dst {
                    old,
                    ..Dst::new(reg, 1, Type::Ud)
                };
                Ok((dst, false))
            }
            _ => self.fail("an operand that cannot be a destination"),
        }
    }

    /// The channels and the predicate of a vISA instruction.
    pub(super) fn channels(&mut self, visa: &visa::Inst) -> Channels {
        let exec = visa.exec;
        Channels {
            size: exec.size,
            off: exec.offset,
            no_mask: exec.no_mask,
            pred: visa.pred.map(|p| self.pred(p, exec.size)),
        }
    }

    pub(super) fn pred(&mut self, p: visa::PredUse, size: u8) -> Pred {
        let storage = self.predicate(p.pred);
        let flag = self.read(storage, 0, 2);
        let elements = self.ir.object.predicates[p.pred].elements.min(32) as u8;
        // A group of one channel is the channel itself.
        let group = size.max(elements);
        let ctrl = match p.combine {
            Combine::Any if group > 1 => PredCtrl::Any(group),
            Combine::All if group > 1 => PredCtrl::All(group),
            _ => PredCtrl::Normal,
        };
        let pred = Pred {
            flag,
            inverse: p.inverse,
            ctrl,
        };
        match encoding::takes_predicate(ctrl, self.out.target) {
            true => pred,
            false => self.of_group(pred, group),
        }
    }

    /// A predicate whose bits are all the combination of those of a group.
    fn of_group(&mut self, pred: Pred, group: u8) -> Pred {
        let ty = if group > 16 { Type::Ud } else { Type::Uw };
        let mut bits = Src::scalar(pred.flag, ty);
        let all = matches!(pred.ctrl, PredCtrl::All(_));
        if let (Src::Reg(bits), true) = (&mut bits, all) {
            // None of the complement is set.
            bits.modifier.neg = true;
        }
        let mask = Src::imm(ty, u64::from(u32::MAX >> (32 - u32::from(group))));
        let relation = if all { Cond::Eq } else { Cond::Ne };
        let flag = self.temp_flag();
        self.conditional(
            Op::And,
            Channels::all(self.ir.simd.max(group)),
            Dst::null(ty),
            &[bits, mask],
            condition(relation, flag, Old::None),
        );
        Pred {
            flag,
            ctrl: PredCtrl::Normal,
            ..pred
        }
    }

    pub(super) fn predicate(&self, p: visa::Predicate) -> Storage {
        self.ir.pred_cells[p]
            .expand()
            .map_or(Storage::Null, Storage::Cells)
    }

    pub(super) fn state(&self, of: visa::StateVar) -> Storage {
        match of {
            visa::StateVar::Surface(s) => self.ir.surface_cells[s],
            visa::StateVar::Sampler(s) => self.ir.sampler_cells[s],
        }
        .expand()
        .map_or(Storage::Null, Storage::Cells)
    }

    /// A surface's index in the binding table, if it is a constant.
    pub(super) fn constant_surface(&self, surface: visa::Surface) -> Option<u32> {
        match surface.as_u32() {
            predefined::SURFACE_SLM => return Some(Memory::Slm.index().into()),
            predefined::SURFACE_STATELESS => return Some(Memory::Stateless.index().into()),
            _ => {}
        }
        let index = self.constant_state(visa::StateVar::Surface(surface))?;
        Some(index & 0xff)
    }

    /// The index in a surface or sampler variable, if it is a constant.
    pub(super) fn constant_state(&self, of: visa::StateVar) -> Option<u32> {
        let cell = match of {
            visa::StateVar::Surface(s) => self.ir.surface_cells[s],
            visa::StateVar::Sampler(s) => self.ir.sampler_cells[s],
        }
        .expand()?;
        let value = self.current.touched.iter().find(|t| t.cell == cell)?.read?;
        let Def::Inst(inst) = self.ir.values[value].def else {
            return None;
        };
        let visa = self.ir.visa(inst);
        match (visa.op, &visa.operands[..]) {
            (Opcode::Movs, [_, Operand::Imm { bits, .. }]) if visa.exec.size == 1 => {
                Some(*bits as u32)
            }
            _ => None,
        }
    }

    /// A temporary flag for this many channels.
    pub(super) fn temp_flag(&mut self) -> Reg {
        let bytes = if self.ir.simd > 16 { 4 } else { 2 };
        self.temp_of(Class::Flag, bytes)
    }
}

pub(super) fn condition(cond: Cond, flag: Reg, old: Old) -> CondMod {
    let old = match old {
        Old::Reg(v) => v.into(),
        _ => None.into(),
    };
    CondMod { cond, flag, old }
}
