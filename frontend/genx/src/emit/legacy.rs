//! Messages of the data ports as messages of the load-store units, for platforms that only have those.

use kiln_visa::module::{Operand, Type as VType, Var};
use kiln_visa::opcode::{AtomicOp, Opcode};

use super::bale;
use super::function::{Emitter, source};
use super::lsc::{self, Address, Data, Pixels, Target};
use super::messages::SLM;
use super::object::exec;
use super::operand::{Dst, Layout};
use super::payload::{Item, Payload, Receive};
use crate::error::{Code, Result};
use crate::intrinsics::messages::{Message, Part};
use crate::intrinsics::{AtomicKind, AtomicRow, Sign};
use crate::ir::{Inst, Value};

/// Bytes of a dword, the unit of blocks.
const DWORD: u32 = 4;
/// Dwords of the largest block, and their number in vISA by the power of two: 4 to 64.
const MOST_DWORDS: u32 = 64;
const BLOCK_ELEMENTS: [u32; 7] = [1, 2, 4, 5, 6, 7, 8];
/// Both caches as the surface says.
const DEFAULT: [Operand; 2] = [Operand::Field(0), Operand::Field(0)];
/// Bytes that the offset of a block of owords counts.
const OWORD: u32 = 16;

impl Emitter<'_, '_> {
    /// Memory of a surface, and the operand that names it.
    fn lsc_target(&mut self, index: Value) -> Result<Target> {
        match bale::uniform(self.function, index) {
            Some(bti) if bti & 0xffff_ffff == SLM => Ok(Target::LOCAL),
            _ => Ok(Target::table(self.scalar_operand(index, VType::Ud)?)),
        }
    }

    /// A block at consecutive addresses.
    pub fn lsc_legacy_block(&mut self, inst: Inst, message: &Message) -> Result<()> {
        let (value, all) = self.data_of(inst, message)?;
        let args = self.data(inst).args.clone();
        let (count, scalar) = self.shape(value)?;
        let ty = self.visa(scalar, Sign::Unsigned)?;
        let bytes = all.next_multiple_of(DWORD);
        let grf = self.shared.object.grf;
        let mut target = Target::STATELESS;
        let mut place = None;
        for part in message.parts {
            match *part {
                Part::Surface(n) => target = self.lsc_target(args[usize::from(n)])?,
                Part::Scalar(n) => place = Some(args[usize::from(n)]),
                _ => {}
            }
        }
        let Some(place) = place else {
            return self.error(Code::Operand, "an address is expected");
        };
        let svm = target.address == Address::Long;
        let address_type = if svm { VType::Uq } else { VType::Ud };
        let mut address = self.scalar(place, Sign::Unsigned)?;
        if message.op == Opcode::OwordLd || message.op == Opcode::OwordSt {
            let (_, dst, owords) = self.temp(VType::Ud, 1);
            let shift = super::function::imm(VType::Ud, OWORD.trailing_zeros().into());
            self.alu(Opcode::Shl, 1, dst, &[address, shift])?;
            address = owords;
        }
        let at = self.object().block(address_type, address_type.bytes());
        let to = Dst::var(at, address_type, Layout::same(0));
        self.copy(1, to, address)?;
        let stores = message.is_store();
        let whole = bytes == all;
        let var = match (stores, whole) {
            (true, _) => self.payload(value, bytes)?,
            (false, true) => self.var(value)?,
            (false, false) => self.object().block(ty, bytes),
        };
        let mut done = 0;
        while done < bytes {
            let dwords = (1u32 << ((bytes - done) / DWORD).ilog2()).min(MOST_DWORDS);
            let size = dwords * DWORD;
            // A part that does not begin a register goes by way of one that does.
            let apart = !done.is_multiple_of(grf);
            let part = Layout::contiguous(done, DWORD);
            let data = match apart {
                true => self.object().block(VType::Ud, size),
                false => var,
            };
            let of = |var, layout| Dst::var(var, VType::Ud, layout);
            if apart && stores {
                let from = source(var, VType::Ud, part.clone());
                self.copy(dwords, of(data, Layout::contiguous(0, DWORD)), from)?;
            }
            let raw = match apart {
                true => data.raw(0),
                false => self.raw(data, ty, done),
            };
            self.lsc_dwords(&target, stores, (at, done), raw, dwords);
            if apart && !stores {
                let from = source(data, VType::Ud, Layout::contiguous(0, DWORD));
                self.copy(dwords, of(var, part), from)?;
            }
            done += size;
        }
        if !stores && !whole {
            let dst = self.whole(value, Sign::Unsigned)?;
            let from = source(var, ty, Layout::contiguous(0, ty.bytes()));
            self.copy(count, dst, from)?;
        }
        Ok(())
    }

    /// A message of a block of dwords, the offset in bytes from an address.
    pub fn lsc_dwords(
        &mut self,
        target: &Target,
        stores: bool,
        (at, offset): (Var, u32),
        data: Operand,
        dwords: u32,
    ) {
        let op = if stores { lsc::STORE } else { lsc::LOAD };
        let block = Data {
            size: lsc::DWORDS,
            bytes: DWORD,
            planes: dwords,
            elements: BLOCK_ELEMENTS[dwords.ilog2() as usize],
            channels: 0,
        };
        let mut operands = target.head(op, &block, true, [0, 0], offset);
        let null = || Var::NULL.raw(0);
        let (written, read) = match stores {
            true => (null(), data),
            false => (data, null()),
        };
        operands.extend([written, at.raw(0), read, null()]);
        self.object().inst(Opcode::LscUntyped, exec(1), operands);
    }

    /// A message by channels, whose addresses are this operand.
    pub fn lsc_legacy_channels(&mut self, inst: Inst, message: &Message, of: u8) -> Result<()> {
        let args = self.data(inst).args.clone();
        let arg = |n: u8| args[usize::from(n)];
        let (count, _) = self.shape(arg(of))?;
        let (value, bytes) = self.data_of(inst, message)?;
        let (_, scalar) = self.shape(value)?;
        let element = self.shared.module.types.scalar_bytes(scalar);
        let mut target = Target::STATELESS;
        let (mut blocks, mut base, mut channels) = (0, None, 0);
        for part in message.parts {
            match *part {
                Part::Surface(n) => target = self.lsc_target(arg(n))?,
                Part::Number(n) => blocks = self.number(arg(n))? as u32,
                Part::Scalar(n) => base = Some(arg(n)),
                Part::Channels(n) => channels = self.number(arg(n))? as u32 & 15,
                _ => {}
            }
        }
        // Bytes of a channel, if they are not elements of four or eight.
        let scaled = matches!(message.op, Opcode::GatherScaled | Opcode::ScatterScaled);
        let small = (element < DWORD || scaled).then_some(1u32 << blocks.min(3));
        let (size, unit, planes, elements) = match (channels, small) {
            (0, Some(1)) => (5, DWORD, 1, 1),
            (0, Some(2)) => (6, DWORD, 1, 1),
            (0, Some(4)) => (lsc::DWORDS, DWORD, 1, 1),
            (0, Some(_)) => (4, 8, 1, 1),
            (0, None) => {
                let planes = 1 << blocks.min(3);
                let number = BLOCK_ELEMENTS[blocks.min(3) as usize];
                match element {
                    8 => (4, 8, planes, number),
                    _ => (lsc::DWORDS, DWORD, planes, number),
                }
            }
            _ => (lsc::DWORDS, DWORD, channels.count_ones(), 0),
        };
        if bytes != count * unit * planes {
            let message = format!("{bytes} bytes of data do not fit {count} channels");
            return self.error(Code::Operand, message);
        }
        let ty = if unit == 8 { VType::Uq } else { VType::Ud };
        let address = match target.address {
            Address::Long => VType::Uq,
            Address::Short => VType::Ud,
        };
        let addresses = self.moved_addresses(arg(of), base, count, address)?;
        let sent = match message.sent() {
            Some(n) => {
                let src = self.in_variable(arg(n), bytes / element)?;
                Some(Item::Send(Payload {
                    src: self.retype(src, bytes / element, ty)?,
                    ty,
                    planes,
                    value: Some(arg(n)),
                }))
            }
            None => None,
        };
        let op = match (sent.is_some(), channels != 0) {
            (false, false) => lsc::LOAD,
            (false, true) => lsc::LOAD_QUAD,
            (true, false) => lsc::STORE,
            (true, true) => lsc::STORE_QUAD,
        };
        let data = Data {
            size,
            bytes: unit,
            planes,
            elements,
            channels,
        };
        let receive = sent.is_none().then(|| Receive {
            value,
            old: message.old.map(arg),
            ty,
            planes,
        });
        let mask = match message.predicate {
            Some(n) => self.some_channels(arg(n), count)?,
            None => None,
        };
        let head = target.head(op, &data, false, [0, 0], 0);
        let sources = [sent, None];
        self.lsc_send(head, &data, count, addresses, sources, mask, receive)
    }

    /// A message on pixels.
    pub fn lsc_legacy_pixels(&mut self, inst: Inst, message: &Message) -> Result<()> {
        let args = self.data(inst).args.clone();
        let arg = |n: u8| args[usize::from(n)];
        let (mut channels, mut surface) = (0, None);
        let (mut places, mut known) = ([None; 4], 0);
        for part in message.parts {
            match *part {
                Part::Number(n) => channels = self.number(arg(n))? as u32 & 15,
                Part::Surface(n) => surface = Some(arg(n)),
                Part::Offsets(n) => {
                    places[known] = Some(arg(n));
                    known += 1;
                }
                _ => {}
            }
        }
        let (Some(surface), Some(mask)) = (surface, message.predicate) else {
            return self.error(Code::Operand, "a surface is expected");
        };
        let sent = message.sent().map(arg);
        let result = self.data(inst).result.filter(|_| sent.is_none());
        self.lsc_pixels(&Pixels {
            op: match sent {
                Some(_) => lsc::STORE_QUAD,
                None => lsc::LOAD_QUAD,
            },
            channels,
            caching: DEFAULT,
            mask: arg(mask),
            surface,
            places,
            sent: [sent, None],
            received: result.map(|result| (result, message.old.map(arg))),
        })
    }

    /// Addresses with a scalar added.
    fn moved_addresses(
        &mut self,
        value: Value,
        base: Option<Value>,
        count: u32,
        ty: VType,
    ) -> Result<Item> {
        let zero = |value| bale::uniform(self.function, value) == Some(0);
        let Some(base) = base.filter(|base| !zero(*base)) else {
            return self.channels(value, ty);
        };
        let offsets = self.source(value, Sign::Unsigned)?;
        let base = self.scalar(base, Sign::Unsigned)?;
        let (_, dst, sum) = self.temp(ty, count);
        self.alu(Opcode::Add, count, dst, &[offsets, base])?;
        Ok(Item::Send(Payload {
            src: sum,
            ty,
            planes: 1,
            value: None,
        }))
    }

    /// An atomic access by channels.
    pub fn lsc_legacy_atomic(
        &mut self,
        inst: Inst,
        result: Value,
        family: AtomicKind,
        op: AtomicOp,
        sources: u8,
    ) -> Result<()> {
        let args = self.data(inst).args.clone();
        let AtomicRow {
            before,
            surface,
            has_old,
            ..
        } = family.row();
        let target = match surface {
            true => self.lsc_target(args[1])?,
            false => Target::STATELESS,
        };
        let (count, scalar) = self.shape(result)?;
        let bytes = self.shared.module.types.scalar_bytes(scalar);
        let number = number(op);
        let ty = match bytes {
            8 => VType::Uq,
            _ => VType::Ud,
        };
        let address = match target.address {
            Address::Long => VType::Uq,
            Address::Short => VType::Ud,
        };
        let addresses = match family {
            AtomicKind::Untyped => {
                let base = self.scalar(args[2], Sign::Unsigned)?;
                let offsets = self.source(args[before], Sign::Unsigned)?;
                let (_, dst, at) = self.temp(VType::Ud, count);
                self.alu(Opcode::Add, count, dst.clone(), &[offsets, base])?;
                let two = super::function::imm(VType::Ud, 2);
                self.alu(Opcode::Shl, count, dst, &[at.clone(), two])?;
                Item::Send(Payload {
                    src: at,
                    ty: VType::Ud,
                    planes: 1,
                    value: None,
                })
            }
            _ => self.channels(args[before], address)?,
        };
        // The operations of the load-store units compare with the first operand; the intrinsics with the second.
        let mut values: Vec<Value> = args[before + 1..before + 1 + usize::from(sources)].to_vec();
        values.reverse();
        let mut items = [None, None];
        for (item, value) in items.iter_mut().zip(values) {
            *item = Some(self.channels(value, ty)?);
        }
        let used = !self.bales.uses[result].is_empty();
        let receive = used.then(|| Receive {
            value: result,
            old: args.last().copied().filter(|_| has_old),
            ty,
            planes: 1,
        });
        let data = Data {
            size: if bytes == 8 { 4 } else { lsc::DWORDS },
            bytes,
            planes: 1,
            elements: 1,
            channels: 0,
        };
        let mask = self.some_channels(args[0], count)?;
        let head = target.head(number, &data, false, [0, 0], 0);
        self.lsc_send(head, &data, count, addresses, items, mask, receive)
    }
}

/// Number of an operation among those of the load-store units.
fn number(op: AtomicOp) -> u32 {
    match op {
        AtomicOp::Inc => 8,
        AtomicOp::Dec | AtomicOp::PreDec => 9,
        AtomicOp::Xchg => 11,
        AtomicOp::Add => 12,
        AtomicOp::Sub => 13,
        AtomicOp::IMin => 14,
        AtomicOp::IMax => 15,
        AtomicOp::Min => 16,
        AtomicOp::Max => 17,
        AtomicOp::CmpXchg => 18,
        AtomicOp::FAdd => 19,
        AtomicOp::FSub => 20,
        AtomicOp::FMin => 21,
        AtomicOp::FMax => 22,
        AtomicOp::FCmpWr => 23,
        AtomicOp::And => 24,
        AtomicOp::Or => 25,
        AtomicOp::Xor => 26,
    }
}
