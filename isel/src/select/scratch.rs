//! Variables in scratch memory: those whose address is taken, if they do not fit in registers.
//!
//! All of them are placed there, one after the other, so that an address is an offset in this area and an access is
//! right whatever variable an address register points to, without alias analysis. An operand that an instruction
//! reads by name is loaded before it. One that it writes is loaded before and stored after it, in whole units and
//! whatever the execution mask; the write itself is under the mask, so that all other bytes keep their contents. A
//! thread's accesses are in order, which makes this right in divergent code.
//!
//! An access through an address register is cut into pieces that span a few registers. For each piece, the
//! registers around its address are loaded into a window of reserved registers, and the piece is a `mov` from or to
//! the window with the rest of the address. The load's descriptor has the offset, in a register. Offsets beyond the
//! end are clamped to the last register, so that an uninitialized address does no harm.
//!
//! A kernel's variables are at a constant offset in scratch memory. If that exceeds the reach of scratch block
//! messages, oword blocks access them, whose header has the offset. A function may be active several times: its
//! variables are in its frame, after the caller's pointers, and are accessed by oword blocks, too. Where messages load
//! and store by address, these take the place of oword blocks: scratch memory is a surface.

use std::ops::Range;

use kiln_emit::messages::AddressKind;
use kiln_emit::messages::access::{Address, MemoryAccess};
use kiln_machine::func::Class;
use kiln_machine::inst::{CondMod, Desc, Dst, Inst, Message, Old, Reg, Src, SrcReg, VReg};
use kiln_platform::abi::{self, Stack};
use kiln_platform::isa::{Cond, Op, Region, Type};
use kiln_platform::platform::{MessageFamily, UNIT_GRFS};
use kiln_visa::module::Operand;
use kiln_visa::opcode::Opcode;
use smallvec::SmallVec;

use super::area::Area;
use super::buffer::Buffer;
use super::lsc::Surface;
use super::message::Payload;
use super::{Channels, Result, Select, ud};

/// Bytes that offsets into the stack count, and maximum bytes of a message to it.
const OWORD: u32 = 16;
const MAX_BLOCK_BYTES: u32 = 8 * OWORD;
/// Maximum bytes of a message that loads or stores by address.
const MAX_LOAD_BYTES: u32 = 256;

/// A store at the end of the current instruction.
pub(super) enum Store {
    /// The new contents of a unit of the area.
    Unit { area: Area, at: u32, v: VReg },
    /// Elements that go where an address register points.
    Indirect(Indirect),
}

/// Consecutive elements in registers that go where an address points.
pub(super) struct Indirect {
    area: Area,
    from: Reg,
    address: Reg,
    imm: i16,
    stride: u32,
    ty: Type,
    channels: Channels,
}

/// The start of a transfer: a byte of the area, or the number of a register of the area.
#[derive(Clone, Copy)]
enum From {
    Byte(u32),
    Number(Src),
}

/// Elements of one address that a window spans.
#[derive(Clone, Copy)]
struct Piece {
    /// The row whose address is used, and an offset from it in bytes.
    row: u32,
    delta: u32,
    first: u32,
    count: u32,
    /// Bytes from an element to the next.
    step: u32,
}

/// A type of the same size whose moves do not convert.
fn raw(ty: Type) -> Type {
    match ty.bytes() {
        1 => Type::Ub,
        2 => Type::Uw,
        4 => Type::Ud,
        _ => Type::Uq,
    }
}

impl Select<'_, '_> {
    /// The registers of the window. Inputs that arrive in them are moved first.
    pub(super) fn window(area: Area) -> Range<u32> {
        UNIT_GRFS..UNIT_GRFS + area.window
    }

    /// Loads or stores `grfs` registers of the area.
    fn transfer(&mut self, area: Area, grfs: u32, from: From, reg: Reg, write: bool) -> Result {
        let target = self.out.target;
        if area.frame.is_some() || area.end(self.grf()) > target.scratch_block_bytes {
            return match target.memory {
                MessageFamily::DataPort => self.transfer_far(area, grfs, from, reg, write),
                MessageFamily::LoadStore => self.transfer_by_address(area, grfs, from, reg, write),
            };
        }
        let at = match from {
            From::Byte(at) => area.base + at,
            From::Number(_) => area.base,
        };
        let access = MemoryAccess::scratch(write, Address::Constant(at), grfs * self.grf());
        let (second, response) = if write { (grfs, 0) } else { (0, grfs) };
        let request = self.request(&access)?;
        let request = request.lengths(1, second as u8, response as u8);
        let mut message = self.known(request)?;
        if let (Desc::Imm(bits), From::Number(number)) = (message.desc, from) {
            message.desc = self.descriptor(&[number, ud(bits)], Op::Add);
        }
        let header = self.header(0);
        self.block_send(message, (header, 16), reg, write);
        Ok(())
    }

    /// Loads or stores registers of an area in a frame, or beyond the reach of scratch blocks, in blocks of at most
    /// eight owords.
    fn transfer_far(&mut self, area: Area, grfs: u32, from: From, reg: Reg, write: bool) -> Result {
        let grf = self.grf();
        let scalar = |reg: Reg| Src::scalar(reg, Type::Ud);
        let (place, first) = match from {
            From::Byte(at) => (area.frame, area.base + at),
            From::Number(number) => {
                let owords = self.temp(4);
                let to = |reg: Reg| Dst::new(reg, 1, Type::Ud);
                let log = ud((grf / OWORD).ilog2());
                self.alu(Op::Shl, Channels::SCALAR, to(owords), &[number, log]);
                let place = match area.frame {
                    Some(frame) => {
                        let place = self.temp(4);
                        let sum = [scalar(owords), scalar(frame)];
                        self.alu(Op::Add, Channels::SCALAR, to(place), &sum);
                        place
                    }
                    None => owords,
                };
                (Some(place), area.base)
            }
        };
        let most = MAX_BLOCK_BYTES / grf;
        for at in (0..grfs).step_by(most as usize) {
            let count = most.min(grfs - at);
            let by = ud((first + at * grf) / OWORD);
            let offset = match place {
                Some(place) => {
                    let offset = self.temp(4);
                    let to = Dst::new(offset, 1, Type::Ud);
                    self.alu(Op::Add, Channels::SCALAR, to, &[scalar(place), by]);
                    scalar(offset)
                }
                None => by,
            };
            let header = self.header_with(&[(Stack::OFFSET, offset)]);
            let access = MemoryAccess::scratch(write, Address::Uniform, count * grf);
            let (second, response) = if write { (count, 0) } else { (0, count) };
            let request = self.request(&access)?;
            let request = request.lengths(1, second as u8, response as u8);
            let message = self.known(request)?;
            let size = if count > 1 { 16 } else { 8 };
            let part = reg.at(reg.byte() + at * grf);
            self.block_send(message, (header.reg, size), part, write);
        }
        Ok(())
    }

    /// Loads or stores registers of an area by their address in scratch space, whose state is in r0.
    fn transfer_by_address(
        &mut self,
        area: Area,
        grfs: u32,
        from: From,
        reg: Reg,
        write: bool,
    ) -> Result {
        let grf = self.grf();
        let dword = |s: &mut Self, op, srcs: [Src; 2]| {
            let to = s.temp(4);
            s.alu(op, Channels::SCALAR, Dst::new(to, 1, Type::Ud), &srcs);
            Src::scalar(to, Type::Ud)
        };
        let state = Src::scalar(self.header(abi::SCRATCH_STATE), Type::Ud);
        let state = dword(self, Op::And, [state, ud(abi::SCRATCH_STATE_MASK)]);
        let state = dword(self, Op::Shr, [state, ud(abi::SCRATCH_STATE_SHIFT)]);
        let (start, first) = match from {
            From::Byte(at) => (None, area.base + at),
            From::Number(number) => {
                let bytes = dword(self, Op::Shl, [number, ud(grf.ilog2())]);
                (Some(bytes), area.base)
            }
        };
        let frame = area.frame.map(|frame| Src::scalar(frame, Type::Ud));
        let start = match (start, frame) {
            (Some(start), Some(frame)) => Some(dword(self, Op::Add, [start, frame])),
            (start, frame) => start.or(frame),
        };
        let most = MAX_LOAD_BYTES / grf;
        for at in (0..grfs).step_by(most as usize) {
            let count = most.min(grfs - at);
            let by = ud(first + at * grf);
            let mut address = Buffer::new(grf);
            let to = address.write(self, 0, 1, Type::Ud);
            match start {
                Some(start) => self.alu(Op::Add, Channels::SCALAR, to, &[start, by]),
                None => self.alu(Op::Mov, Channels::SCALAR, to, &[by]),
            }
            let address = Payload::new(address.whole(self), 1);
            let access = MemoryAccess::scratch(write, Address::Uniform, count * grf);
            let (second, response) = if write { (count, 0) } else { (0, count) };
            let request = self.request(&access)?;
            let request = request.lengths(1, second as u8, response as u8);
            let message = self.known(request)?;
            let surface = (Surface::Register(state), AddressKind::SurfaceState);
            let message = self.lsc_on(message, surface, second, 0);
            let reg = reg.at(reg.byte() + at * grf);
            let data = write.then_some(Payload { reg, grfs: count });
            let to = match write {
                true => Dst::null(Type::Ud),
                false => Dst::new(reg, 1, Type::Ud),
            };
            let one = Channels::SCALAR;
            self.emit(Op::Sends, one, message, address, data, to);
        }
        Ok(())
    }

    fn block_send(&mut self, message: Message, (header, size): (Reg, u8), reg: Reg, write: bool) {
        let mut send = Inst::no_mask(if write { Op::Sends } else { Op::Send }, size);
        let row = Region::packed(8);
        send.srcs.push(Src::reg(header, row, Type::Ud));
        send.dst = Some(match write {
            true => Dst::null(Type::Uw),
            false => Dst::new(reg, 1, Type::Uw),
        });
        if write {
            send.srcs.push(Src::reg(reg, row, Type::Ud));
        }
        send.message = self.out.messages.push(message).into();
        self.push(send);
    }

    /// Loads a unit of the area.
    fn load(&mut self, area: Area, at: u32) -> Result<VReg> {
        let unit = self.unit();
        let v = self.out.grf(unit);
        self.transfer(area, UNIT_GRFS, From::Byte(at), Reg::virt(v, 0), false)?;
        Ok(v)
    }

    /// Stores a unit of inputs that arrived at a byte of the register file.
    pub(super) fn keep_input(&mut self, area: Area, at: u32, v: VReg) -> Result {
        self.store(area, area.payload + at, v)
    }

    /// Stores r0, if its address is taken, or chooses the place of its copy.
    pub(super) fn keep_header(&mut self) -> Result {
        let object = self.ir.object;
        let is_header = |operand: &Operand| match *operand {
            Operand::AddressOf { var, .. } => self.is_header(object.root(var).0),
            _ => false,
        };
        let mut operands = object.insts.iter().flat_map(|i| &i.operands);
        match (operands.any(is_header), self.taken.area) {
            (false, _) => {}
            (true, Some(area)) => {
                // A copy: the payload may not be the message's header itself.
                let v = self.out.grf(self.grf());
                let mut copy = Inst::no_mask(Op::Mov, 8);
                copy.dst = Some(Dst::new(Reg::virt(v, 0), 1, Type::Ud));
                copy.srcs
                    .push(Src::reg(self.header(0), Region::packed(8), Type::Ud));
                self.push(copy);
                let at = From::Byte(area.header());
                self.transfer(area, 1, at, Reg::virt(v, 0), true)?;
            }
            (true, None) => self.out.header = self.out.header_of(self.room.grfs),
        }
        Ok(())
    }

    fn store(&mut self, area: Area, at: u32, v: VReg) -> Result {
        self.transfer(area, UNIT_GRFS, From::Byte(at), Reg::virt(v, 0), true)
    }

    /// The units with bytes `from..to` of the area; there are none beyond its end.
    fn units(&mut self, area: Area, from: u32, to: u32) -> Range<u32> {
        let unit = self.unit();
        let end = to.max(from + 1).div_ceil(unit);
        from / unit..end.min((area.bytes / unit).max(from / unit + 1))
    }

    /// Registers with bytes of the area, loaded before the instruction.
    pub(super) fn read_scratch(&mut self, area: Area, from: u32, to: u32) -> Reg {
        let unit = self.unit();
        let units = self.units(area, from, to);
        let first = units.start * unit;
        let mut regs: SmallVec<[VReg; 4]> = SmallVec::new();
        for n in units {
            match self.load(area, n * unit) {
                Ok(v) => regs.push(v),
                Err(error) => self.errors.push(error),
            }
        }
        Reg::new(self.base(regs, to - first), from % unit)
    }

    /// Registers for new contents of bytes of the area, tied to the old ones, and stored after the instruction.
    pub(super) fn write_scratch(&mut self, area: Area, from: u32, to: u32) -> (Reg, Old) {
        let unit = self.unit();
        let units = self.units(area, from, to);
        let first = units.start * unit;
        let mut regs: SmallVec<[VReg; 4]> = SmallVec::new();
        let mut old: SmallVec<[VReg; 4]> = SmallVec::new();
        for n in units {
            let at = n * unit;
            let new = self.out.grf(unit);
            let before = self.current.stores.iter_mut().find_map(|s| match s {
                Store::Unit { at: a, v, .. } if *a == at => Some(std::mem::replace(v, new)),
                _ => None,
            });
            let before = match before.map_or_else(|| self.load(area, at), Ok) {
                Ok(before) => before,
                Err(error) => {
                    self.errors.push(error);
                    continue;
                }
            };
            if !self
                .current
                .stores
                .iter()
                .any(|s| matches!(s, Store::Unit { at: a, .. } if *a == at))
            {
                self.current.stores.push(Store::Unit { area, at, v: new });
            }
            regs.push(new);
            old.push(before);
        }
        let old = match old[..] {
            [one] => Old::Reg(one),
            _ => Old::List(self.out.lists.push(old)),
        };
        (Reg::new(self.base(regs, to - first), from % unit), old)
    }

    /// Stores the results of the instruction.
    pub(super) fn write_back(&mut self) -> Result {
        for store in std::mem::take(&mut self.current.stores) {
            match store {
                Store::Unit { area, at, v } => self.store(area, at, v)?,
                Store::Indirect(indirect) => self.write_indirect(&indirect)?,
            }
        }
        Ok(())
    }

    /// A source through an address register, as elements in registers.
    pub(super) fn read_indirect(&mut self, area: Area, src: &SrcReg, n: u8) -> Result<SrcReg> {
        let bytes = src.ty.bytes();
        let region = src.region;
        let row_step = region.vstride.map(|v| u32::from(v) * bytes);
        let width = u32::from(region.width.max(1)).min(n.into());
        let step = u32::from(region.hstride) * bytes;
        let same = row_step == Some(0) && (step == 0 || width == 1);
        let count = if same { 1 } else { u32::from(n) };
        let mut pieces = Vec::new();
        match (row_step, src.step(count)) {
            (Some(_), Some(even)) => {
                self.cut(area, &mut pieces, (0, 0), (0, count), (even * bytes, bytes));
            }
            _ => {
                for r in 0..count / width {
                    let from = row_step.map_or((r, 0), |row| (0, r * row));
                    self.cut(area, &mut pieces, from, (r * width, width), (step, bytes));
                }
            }
        }
        let rows = if row_step.is_some() { 1 } else { count / width };
        let ty = raw(src.ty);
        let mut buffer = Buffer::new(count * bytes);
        let imm = src.indirect.unwrap_or(0);
        let read = |s: &mut Self, piece: Piece, window: Reg| {
            let to = buffer.write(s, piece.first * bytes, piece.count, ty);
            let mut from = match piece.count {
                1 => Src::scalar(window, ty),
                _ => Src::strided(window, ty, (piece.step / bytes) as u8),
            };
            if let Src::Reg(r) = &mut from {
                r.indirect = Some(0);
            }
            s.alu(Op::Mov, Channels::all(piece.count as u8), to, &[from]);
        };
        self.each(area, (src.reg, imm), (rows, bytes, false), &pieces, read)?;
        let region = if same {
            Region::SCALAR
        } else {
            Region::new(1, 1, 0)
        };
        Ok(SrcReg {
            reg: buffer.whole(self),
            region,
            indirect: None,
            ..*src
        })
    }

    /// A destination through an address register: registers that are stored there after the instruction.
    pub(super) fn indirect_dst(
        &mut self,
        area: Area,
        (address, imm): (Reg, i16),
        stride: u8,
        ty: Type,
        n: u8,
    ) -> Dst {
        let from = self.temp(u32::from(n) * ty.bytes());
        let visa = self.ir.visa(self.current.inst);
        let mut channels = self.channels(visa);
        if visa.op == Opcode::Sel {
            channels.pred = None;
        }
        self.current.stores.push(Store::Indirect(Indirect {
            area,
            from,
            address,
            imm,
            stride: u32::from(stride) * ty.bytes(),
            ty,
            channels: Channels {
                size: n,
                ..channels
            },
        }));
        Dst::new(from, 1, ty)
    }

    fn write_indirect(&mut self, to: &Indirect) -> Result {
        let area = to.area;
        let bytes = to.ty.bytes();
        let mut pieces = Vec::new();
        let n = to.channels.size.into();
        self.cut(area, &mut pieces, (0, 0), (0, n), (to.stride, bytes));
        let ty = raw(to.ty);
        let write = |s: &mut Self, piece: Piece, window: Reg| {
            let channels = Channels {
                size: piece.count as u8,
                off: to.channels.off + piece.first as u8,
                ..to.channels
            };
            let from = to.from.at(to.from.byte() + piece.first * bytes);
            let mut dst = Dst::new(window, (to.stride / bytes).max(1) as u8, ty);
            dst.indirect = Some(0);
            s.alu(Op::Mov, channels, dst, &[Src::packed(from, ty)]);
        };
        self.each(area, (to.address, to.imm), (1, bytes, true), &pieces, write)
    }

    /// Cuts elements into pieces that fit in a window whatever their alignment.
    fn cut(
        &self,
        area: Area,
        pieces: &mut Vec<Piece>,
        (row, delta): (u32, u32),
        (first, n): (u32, u32),
        (step, bytes): (u32, u32),
    ) {
        let room = (area.window - 1) * self.grf();
        let most = (room - bytes).checked_div(step).map_or(n, |more| more + 1);
        let count = n.min(1 << most.max(1).ilog2());
        for at in (0..n).step_by(count as usize) {
            pieces.push(Piece {
                row,
                delta: delta + at * step,
                first: first + at,
                count: count.min(n - at),
                step,
            });
        }
    }

    /// Number of registers to load for a piece. A single element lies in one.
    fn block_of(&self, piece: Piece, bytes: u32) -> u32 {
        let grf = self.grf();
        let span = (piece.count - 1) * piece.step + bytes;
        let start = grf - bytes.min(grf);
        (start + span).div_ceil(grf).next_power_of_two()
    }

    /// For each piece: loads the window, calls `access` with an address register that points to the piece, and
    /// stores the window if it was written.
    fn each(
        &mut self,
        area: Area,
        (address, imm): (Reg, i16),
        (rows, bytes, write): (u32, u32, bool),
        pieces: &[Piece],
        mut access: impl FnMut(&mut Self, Piece, Reg),
    ) -> Result {
        let grf = self.grf();
        let all = Channels::all(rows as u8);
        let words = |reg: Reg| Src::packed(reg, Type::Uw);
        let uw = |bits: u32| Src::imm(Type::Uw, bits.into());
        let mut known: Option<(u32, [Reg; 2])> = None;
        for &piece in pieces {
            let [grfs, rest] = match known {
                Some((delta, regs)) if delta == piece.delta => regs,
                _ => {
                    let vector = |s: &mut Self, op: Op, srcs: &[Src]| {
                        let to = s.temp(rows * 2);
                        s.alu(op, all, Dst::new(to, 1, Type::Uw), srcs);
                        to
                    };
                    let by = (imm as u16).wrapping_add(piece.delta as u16);
                    let at = vector(self, Op::Add, &[words(address), uw(by.into())]);
                    let number = vector(self, Op::Shr, &[words(at), uw(grf.ilog2())]);
                    let last = area.bytes / grf - 1;
                    let least = vector(self, Op::Sel, &[words(number), uw(last)]);
                    if let Some(sel) = self.code.last_mut() {
                        sel.cond = Some(CondMod {
                            cond: Cond::Lt,
                            flag: Reg::NULL,
                            old: None.into(),
                        });
                    }
                    let low = vector(self, Op::And, &[words(at), uw(grf - 1)]);
                    let first = Self::window(area).start * grf;
                    let rest = vector(self, Op::Add, &[words(low), uw(first)]);
                    known = Some((piece.delta, [least, rest]));
                    [least, rest]
                }
            };
            let element = |reg: Reg| Src::scalar(reg.at(reg.byte() + piece.row * 2), Type::Uw);
            let blocks = self.block_of(piece, bytes);
            self.move_window(area, blocks, element(grfs), false)?;
            let window = self.temp_of(Class::Addr, 2);
            let to = Dst::new(window, 1, Type::Uw);
            self.alu(Op::Mov, Channels::SCALAR, to, &[element(rest)]);
            access(self, piece, window);
            if write {
                self.move_window(area, blocks, element(grfs), true)?;
            }
        }
        Ok(())
    }

    /// Loads or stores `grfs` registers of the window.
    fn move_window(&mut self, area: Area, grfs: u32, from: Src, write: bool) -> Result {
        let window = Self::window(area).start;
        let reg = Reg::grf(window as u8);
        self.transfer(area, grfs, From::Number(from), reg, write)
    }
}
