//! Messages of the load-store units, for platforms that have them.

use kiln_platform::platform::MessageFamily;
use kiln_visa::module::{Exec, Operand, PredUse, Type as VType, Var};
use kiln_visa::opcode::{LscOp, Opcode};
use kiln_visa::shape::RawShape;

use super::bale;
use super::function::Emitter;
use super::object::exec;
use super::operand::{Dst, Layout};
use super::payload::{Item, Payload, Receive, Transfer};
use super::predicates::Mask;
use crate::error::{Code, Result};
use crate::intrinsics::Sign;
use crate::intrinsics::lsc::{self, Action, Memory};
use crate::ir::{Inst, Value};

/// Numbers of vISA's units, types and sizes of addresses, orders of data, and of operations.
const GLOBAL: u32 = 0;
const LOCAL: u32 = 3;
const FLAT: u32 = 1;
const BINDLESS: u32 = 2;
const TABLE: u32 = 4;
const BITS_32: u32 = 2;
const BITS_64: u32 = 3;
const STRAIGHT: u32 = 1;
const TRANSPOSED: u32 = 2;
pub const LOAD: u32 = 0;
pub const LOAD_QUAD: u32 = 2;
const LOAD_BLOCK: u32 = 3;
pub const STORE: u32 = 4;
pub const STORE_QUAD: u32 = 6;
const STORE_BLOCK: u32 = 7;
/// Number of vISA for elements of 32 bits.
pub const DWORDS: u32 = 3;
/// Place of the factor of the addresses among the operands.
const SCALE: usize = 5;
/// Registers of data of one message.
const MAX_GRFS: u32 = 8;
/// Elements by the number that says how many.
const ELEMENTS: [u32; 9] = [0, 1, 2, 3, 4, 8, 16, 32, 64];
/// Mask of the channels of a pixel.
const PIXEL: u64 = 15;

/// Data of a message by channels: number and bytes of the size of an element, elements of a channel.
pub struct Data {
    pub size: u32,
    pub bytes: u32,
    pub planes: u32,
    /// Numbers of vISA for elements and channels.
    pub elements: u32,
    pub channels: u32,
}

/// A message on pixels.
pub struct Pixels {
    pub op: u32,
    /// Mask of a pixel's channels that are moved; 0 for an atomic access, which has one.
    pub channels: u32,
    /// Numbers of the two caches.
    pub caching: [Operand; 2],
    pub mask: Value,
    pub surface: Value,
    /// The coordinates, and the level of detail.
    pub places: [Option<Value>; 4],
    pub sent: [Option<Value>; 2],
    /// The result, with its old value.
    pub received: Option<(Value, Option<Value>)>,
}

/// Bits of addresses: 64, or 32.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Address {
    Long,
    Short,
}

/// Memory of a message.
pub struct Target {
    unit: u32,
    kind: u32,
    pub address: Address,
    surface: Operand,
}

impl Target {
    /// All memory.
    pub const STATELESS: Target = Target {
        unit: GLOBAL,
        kind: FLAT,
        address: Address::Long,
        surface: NO_SURFACE,
    };
    /// Shared local memory.
    pub const LOCAL: Target = Target {
        unit: LOCAL,
        kind: FLAT,
        address: Address::Short,
        surface: NO_SURFACE,
    };

    /// A surface of the binding table.
    pub fn table(surface: Operand) -> Target {
        Target {
            unit: GLOBAL,
            kind: TABLE,
            address: Address::Short,
            surface,
        }
    }

    /// Operands before data and addresses. The offset is in bytes, as each address is.
    pub fn head(
        &self,
        op: u32,
        data: &Data,
        transposed: bool,
        caching: [u32; 2],
        offset: u32,
    ) -> Vec<Operand> {
        let [l1, l3] = caching;
        let order = if transposed { TRANSPOSED } else { STRAIGHT };
        let size = match self.address {
            Address::Long => BITS_64,
            Address::Short => BITS_32,
        };
        let (unit, kind) = (self.unit, self.kind);
        let fields = [
            op,
            unit,
            l1,
            l3,
            kind,
            1,
            offset,
            size,
            data.size,
            order,
            data.elements,
        ];
        let mut operands: Vec<Operand> = fields.into_iter().map(Operand::Field).collect();
        operands.push(Operand::Field(data.channels));
        operands.push(self.surface.clone());
        operands.push(Operand::Field(0));
        operands
    }
}

/// The operand where there is no surface.
const NO_SURFACE: Operand = Operand::Imm {
    ty: VType::Ud,
    bits: 0,
};

impl Emitter<'_, '_> {
    fn needs_lsc(&self) -> Result<()> {
        let platform = self.shared.platform;
        match platform.memory {
            MessageFamily::LoadStore => Ok(()),
            MessageFamily::DataPort => self.error(
                Code::Platform,
                format!("{} has no load-store units", platform.name),
            ),
        }
    }

    /// Blocks of two dimensions came with registers of 64 bytes.
    fn needs_blocks(&self) -> Result<()> {
        let platform = self.shared.platform;
        match platform.grf_bytes < 64 {
            true => self.error(
                Code::Platform,
                format!("{} has no blocks of two dimensions", platform.name),
            ),
            false => self.needs_lsc(),
        }
    }

    fn arg(&self, inst: Inst, n: usize) -> Result<Value> {
        match self.data(inst).args.get(n) {
            Some(arg) => Ok(*arg),
            None => self.error(Code::Operand, format!("{} operands are expected", n + 1)),
        }
    }

    fn field(&self, inst: Inst, n: usize) -> Result<Operand> {
        Ok(Operand::Field(self.number(self.arg(inst, n)?)? as u32))
    }

    /// The predicate of a mask that may be true for all.
    fn when(&mut self, mask: Value) -> Result<Option<PredUse>> {
        match bale::uniform(self.function, mask) {
            Some(bit) if bit & 1 != 0 => Ok(None),
            _ => Ok(self.mask(mask)?.at(0)),
        }
    }

    fn lsc_data(&self, inst: Inst, message: &lsc::Message, count: u32) -> Result<Data> {
        let size = self.number(self.arg(inst, lsc::SIZE)?)? as u32 & 0xff;
        let bytes = match size {
            DWORDS | 5..=7 => 4,
            4 => 8,
            _ => {
                let what = "the size of an element must be 32 or 64 bits";
                return self.error(Code::Operand, what);
            }
        };
        let mut data = Data {
            size,
            bytes,
            planes: 1,
            elements: 0,
            channels: 0,
        };
        if message.quad {
            data.channels = (self.number(self.arg(inst, lsc::CHANNELS)?)? & PIXEL) as u32;
            data.planes = data.channels.count_ones();
        } else {
            data.elements = match message.action {
                Action::Atomic => 1,
                _ => (self.number(self.arg(inst, lsc::ELEMENTS)?)? & 0xff) as u32,
            };
            data.planes = (ELEMENTS.get(data.elements as usize).copied()).unwrap_or(0);
        }
        let most = if count == 1 { 64 } else { 8 };
        if data.planes == 0 || data.planes > most || data.planes > 1 && matches!(size, 5..=7) {
            return self.error(Code::Operand, "an element count that no message has");
        }
        Ok(data)
    }

    /// The memory that a message is for.
    fn lsc_memory(&mut self, inst: Inst, message: &lsc::Message) -> Result<Target> {
        let kind = match message.memory {
            Memory::Stateless => return Ok(Target::STATELESS),
            Memory::Local => return Ok(Target::LOCAL),
            Memory::Table => TABLE,
            Memory::Bindless => BINDLESS,
        };
        let surface = self.arg(inst, message.surface.into())?;
        let surface = self.scalar_operand(surface, VType::Ud)?;
        Ok(Target {
            kind,
            ..Target::table(surface)
        })
    }

    /// The payload of a value, in elements of a type for so many channels.
    fn lsc_sent(&mut self, value: Value, ty: VType, count: u32) -> Result<Item> {
        let (n, scalar) = self.shape(value)?;
        let src = self.in_variable(value, n)?;
        let elements = n * self.shared.module.types.scalar_bytes(scalar) / ty.bytes();
        Ok(Item::Send(Payload {
            src: self.retype(src, n, ty)?,
            ty,
            planes: elements.div_ceil(count),
            value: Some(value),
        }))
    }

    /// A message by channels, or of a block.
    pub fn lsc(&mut self, inst: Inst, message: &lsc::Message) -> Result<()> {
        self.needs_lsc()?;
        let mask = self.arg(inst, lsc::MASK)?;
        let (count, _) = self.shape(mask)?;
        let data = self.lsc_data(inst, message, count)?;
        let sent = match message.data {
            Some(n) => Some(self.arg(inst, n.into())?),
            None => None,
        };
        let result = self.data(inst).result;
        let value = match message.action {
            Action::Store => sent,
            Action::Load | Action::Atomic => result,
            Action::Prefetch => None,
        };
        if let Some(value) = value {
            let (n, scalar) = self.shape(value)?;
            let bytes = n * self.shared.module.types.scalar_bytes(scalar);
            if bytes != count * data.planes * data.bytes {
                let message = format!("{bytes} bytes of data do not fit {count} channels");
                return self.error(Code::Operand, message);
            }
        }
        let op = match (message.action, message.quad) {
            (Action::Load | Action::Prefetch, false) => LOAD,
            (Action::Load | Action::Prefetch, true) => LOAD_QUAD,
            (Action::Store, false) => STORE,
            (Action::Store, true) => STORE_QUAD,
            (Action::Atomic, _) => self.number(self.arg(inst, lsc::OPERATION)?)? as u32,
        };
        let atomic = matches!(LscOp::from_number(op), Some(LscOp::Atomic(_)));
        if atomic != (message.action == Action::Atomic) {
            return self.error(Code::Operand, format!("there is no operation {op}"));
        }
        let target = self.lsc_memory(inst, message)?;
        let block = message.action != Action::Atomic && count == 1 && data.elements > 1;
        let number = |n| -> Result<u32> { Ok(self.number(self.arg(inst, n)?)? as u32) };
        let caching = [number(lsc::CACHING)?, number(lsc::CACHING + 1)?];
        let (scale, offset) = (number(lsc::SCALE)?, number(lsc::OFFSET)?);
        let mut head = target.head(op, &data, block, caching, offset);
        head[SCALE] = Operand::Field(scale);
        let ty = match data.bytes {
            8 => VType::Uq,
            _ => VType::Ud,
        };
        let used = match result {
            Some(result) => !self.bales.uses[result].is_empty(),
            None => false,
        };
        let address = match target.address {
            Address::Long => VType::Uq,
            Address::Short => VType::Ud,
        };
        let old = match message.old {
            Some(n) => Some(self.arg(inst, n.into())?),
            None => None,
        };
        if block {
            let place = self.arg(inst, message.address.into())?;
            let mut operands = head;
            let pred = self.when(mask)?;
            operands.push(match message.action {
                Action::Load => self.received(result, old, pred.is_some())?,
                _ => Var::NULL.raw(0),
            });
            operands.push(self.lsc_address(place, address)?);
            operands.push(match sent {
                Some(value) => self.lsc_block_data(value)?,
                None => Var::NULL.raw(0),
            });
            operands.push(Var::NULL.raw(0));
            let bytes = data.planes * data.bytes;
            if bytes > MAX_GRFS * self.shared.object.grf {
                return self.error(Code::Size, format!("a block of {bytes} bytes is too large"));
            }
            self.object()
                .inst_if(Opcode::LscUntyped, exec(1), pred, operands);
            return Ok(());
        }
        let addresses = self.channels(self.arg(inst, message.address.into())?, address)?;
        let sources = match message.action {
            Action::Store => 1,
            Action::Atomic => LscOp::arguments(op),
            Action::Load | Action::Prefetch => 0,
        };
        let mut items = [None, None];
        for (i, item) in items.iter_mut().enumerate().take(sources) {
            if let Some(n) = message.data {
                let value = self.arg(inst, usize::from(n) + i)?;
                *item = Some(self.lsc_sent(value, ty, count)?);
            }
        }
        let receive = match (result, message.action) {
            (Some(value), Action::Load | Action::Atomic) if used => Some(Receive {
                value,
                old,
                ty,
                planes: data.planes,
            }),
            _ => None,
        };
        let mask = self.some_channels(mask, count)?;
        self.lsc_send(head, &data, count, addresses, items, mask, receive)
    }

    /// The mask of a message, unless it has all its channels.
    pub fn some_channels(&mut self, mask: Value, count: u32) -> Result<Option<Mask>> {
        match bale::uniform(self.function, mask) {
            Some(bit) if bit & 1 != 0 => Ok(None),
            _ => Ok(Some(self.mask_of(mask, count)?)),
        }
    }

    /// Sends a message by channels.
    #[expect(clippy::too_many_arguments, reason = "all parts of one message")]
    pub fn lsc_send(
        &mut self,
        head: Vec<Operand>,
        data: &Data,
        count: u32,
        addresses: Item,
        sources: [Option<Item>; 2],
        mask: Option<Mask>,
        receive: Option<Receive>,
    ) -> Result<()> {
        let mut items: Vec<Item> = head.into_iter().map(Item::Is).collect();
        items.push(match receive {
            Some(_) => Item::Receive,
            None => Item::Null,
        });
        items.push(addresses);
        items.extend(sources.map(|source| source.unwrap_or(Item::Null)));
        self.send(&Transfer {
            op: Opcode::LscUntyped,
            count,
            most: self.lsc_channels(data.planes, data.bytes),
            room: 1,
            items,
            mask,
            receive,
        })
    }

    /// Channels that one message can have.
    fn lsc_channels(&self, planes: u32, bytes: u32) -> u32 {
        let grf = self.shared.object.grf;
        let mut most = grf / 2;
        while most > 1 && planes * RawShape::plane_stride(bytes, most as u8, grf) > MAX_GRFS * grf {
            most /= 2;
        }
        most
    }

    /// The address of a block, at the start of a register.
    fn lsc_address(&mut self, value: Value, ty: VType) -> Result<Operand> {
        let (_, scalar) = self.shape(value)?;
        if self.shared.module.types.scalar_bytes(scalar) == ty.bytes() {
            let var = self.payload(value, ty.bytes())?;
            return Ok(self.raw(var, ty, 0));
        }
        let src = self.scalar(value, Sign::Unsigned)?;
        let var = self.object().block(ty, ty.bytes());
        let layout = Layout::same(0);
        self.copy(1, Dst::Var { var, ty, layout }, src)?;
        Ok(var.raw(0))
    }

    /// The variable that a message writes, with the old value if it may keep it.
    fn received(
        &mut self,
        result: Option<Value>,
        old: Option<Value>,
        masked: bool,
    ) -> Result<Operand> {
        let Some(result) = result else {
            return self.error(Code::Operand, "a result is expected");
        };
        if let Some(old) = old
            && masked
            && !self.function.is_undef(old)
            && self.classes.root(old) != self.classes.root(result)
        {
            let (n, _) = self.shape(old)?;
            let src = self.source(old, Sign::Signed)?;
            let dst = self.whole(result, Sign::Signed)?;
            self.copy(n, dst, src)?;
        }
        Ok(self.var(result)?.raw(0))
    }

    /// A block of two dimensions of a matrix in memory.
    pub fn lsc_matrix(&mut self, inst: Inst, action: Action) -> Result<()> {
        const OLD: usize = 15;
        self.needs_blocks()?;
        let order = match self.number(self.arg(inst, 4)?)? {
            2 => TRANSPOSED,
            _ => STRAIGHT,
        };
        let data = match action {
            Action::Store => self.lsc_block_data(self.arg(inst, OLD)?)?,
            Action::Load => self.received(self.data(inst).result, None, false)?,
            _ => Var::NULL.raw(0),
        };
        let op = match action {
            Action::Store => STORE_BLOCK,
            _ => LOAD_BLOCK,
        };
        let mut operands = vec![
            Operand::Field(op),
            Operand::Field(GLOBAL),
            self.field(inst, 1)?,
            self.field(inst, 2)?,
            self.field(inst, 3)?,
            Operand::Field(order),
            self.field(inst, 5)?,
            self.field(inst, 6)?,
            self.field(inst, 7)?,
            self.field(inst, 8)?,
        ];
        let (written, read) = match action {
            Action::Load => (data, Var::NULL.raw(0)),
            _ => (Var::NULL.raw(0), data),
        };
        operands.push(written);
        operands.push(self.scalar_operand(self.arg(inst, 9)?, VType::Uq)?);
        for n in 10..=12 {
            operands.push(self.scalar_operand(self.arg(inst, n)?, VType::Ud)?);
        }
        for n in 13..=14 {
            operands.push(self.scalar_operand(self.arg(inst, n)?, VType::D)?);
            operands.push(Operand::Field(0));
        }
        operands.push(read);
        let pred = self.when(self.arg(inst, lsc::MASK)?)?;
        self.object()
            .inst_if(Opcode::LscBlock2d, exec(1), pred, operands);
        Ok(())
    }

    fn lsc_block_data(&mut self, value: Value) -> Result<Operand> {
        let (n, scalar) = self.shape(value)?;
        let bytes = n * self.shared.module.types.scalar_bytes(scalar);
        Ok(self.payload(value, bytes)?.raw(0))
    }

    /// Pixels of a surface.
    pub fn lsc_typed(&mut self, inst: Inst, action: Action) -> Result<()> {
        const DATA: usize = 9;
        self.needs_lsc()?;
        let place = |n| self.arg(inst, n);
        let mut pixels = Pixels {
            op: LOAD_QUAD,
            channels: (self.number(place(3)?)? & PIXEL) as u32,
            caching: [self.field(inst, 1)?, self.field(inst, 2)?],
            mask: place(lsc::MASK)?,
            surface: place(4)?,
            places: [place(5)?, place(6)?, place(7)?, place(8)?].map(Some),
            sent: [None, None],
            received: None,
        };
        match (action, self.data(inst).result) {
            (Action::Store, _) => {
                pixels.op = STORE_QUAD;
                pixels.sent = [Some(place(DATA)?), None];
            }
            (Action::Load, Some(result)) => pixels.received = Some((result, Some(place(DATA)?))),
            _ => {}
        }
        self.lsc_pixels(&pixels)
    }

    /// A message on pixels of a surface.
    pub fn lsc_pixels(&mut self, pixels: &Pixels) -> Result<()> {
        let (count, _) = self.shape(pixels.mask)?;
        let planes = pixels.channels.count_ones().max(1);
        let values = pixels.sent.into_iter().flatten();
        for value in values.chain(pixels.received.map(|(value, _)| value)) {
            let (n, scalar) = self.shape(value)?;
            if n != count * planes || self.shared.module.types.scalar_bytes(scalar) != 4 {
                let message = format!("{planes} channels of {count} pixels have other data");
                return self.error(Code::Operand, message);
            }
        }
        let surface = self.scalar_operand(pixels.surface, VType::Ud)?;
        let [l1, l3] = pixels.caching.clone();
        let elements = u32::from(pixels.channels == 0);
        let head = [
            Operand::Field(pixels.op),
            l1,
            l3,
            Operand::Field(TABLE),
            Operand::Field(BITS_32),
            Operand::Field(DWORDS),
            Operand::Field(STRAIGHT),
            Operand::Field(elements),
            Operand::Field(pixels.channels),
            surface,
            Operand::Field(0),
        ];
        let mut items: Vec<Item> = head.into_iter().map(Item::Is).collect();
        items.push(match pixels.received {
            Some(_) => Item::Receive,
            None => Item::Null,
        });
        for (n, place) in pixels.places.into_iter().enumerate() {
            items.push(match place {
                Some(place) if !self.function.is_undef(place) => self.channels(place, VType::Ud)?,
                _ => Item::Null,
            });
            if n + 1 < pixels.places.len() {
                items.push(Item::Is(Operand::Field(0)));
            }
        }
        for sent in pixels.sent {
            items.push(match sent {
                Some(value) => {
                    let src = self.in_variable(value, count * planes)?;
                    Item::Send(Payload {
                        src: src.typed(VType::Ud),
                        ty: VType::Ud,
                        planes,
                        value: Some(value),
                    })
                }
                None => Item::Null,
            });
        }
        let receive = pixels.received.map(|(value, old)| Receive {
            value,
            old,
            ty: VType::Ud,
            planes,
        });
        let mask = self.some_channels(pixels.mask, count)?;
        self.send(&Transfer {
            op: Opcode::LscTyped,
            count,
            most: self.shared.object.grf / 4,
            room: 1,
            items,
            mask,
            receive,
        })
    }

    /// A block of a surface.
    pub fn lsc_typed_block(&mut self, inst: Inst, action: Action) -> Result<()> {
        const DATA: usize = 7;
        self.needs_blocks()?;
        let value = match action {
            Action::Store => Some(self.arg(inst, DATA)?),
            _ => self.data(inst).result,
        };
        let Some(value) = value else {
            return self.error(Code::Operand, "a result is expected");
        };
        let (_, scalar) = self.shape(value)?;
        let bytes = u64::from(self.shared.module.types.scalar_bytes(scalar));
        let width = self.number(self.arg(inst, 4)?)?.saturating_mul(bytes);
        let data = match action {
            Action::Store => self.lsc_block_data(value)?,
            _ => self.received(Some(value), None, false)?,
        };
        let (op, written, read) = match action {
            Action::Store => (STORE_BLOCK, Var::NULL.raw(0), data),
            _ => (LOAD_BLOCK, data, Var::NULL.raw(0)),
        };
        let surface = self.scalar_operand(self.arg(inst, 2)?, VType::Ud)?;
        let mut operands = vec![
            Operand::Field(op),
            self.field(inst, 0)?,
            self.field(inst, 1)?,
            Operand::Field(TABLE),
            Operand::Field(u32::try_from(width).unwrap_or(u32::MAX)),
            self.field(inst, 3)?,
            surface,
            Operand::Field(0),
            written,
        ];
        for n in 5..=6 {
            operands.push(self.scalar_operand(self.arg(inst, n)?, VType::D)?);
            operands.push(Operand::Field(0));
        }
        operands.push(read);
        self.object()
            .inst(Opcode::LscTypedBlock2d, Exec::NONE, operands);
        Ok(())
    }

    pub fn lsc_fence(&mut self, inst: Inst) -> Result<()> {
        self.needs_lsc()?;
        let operands = [1, 2, 3].map(|n| self.field(inst, n));
        let operands = operands.into_iter().collect::<Result<Vec<_>>>()?;
        self.object().inst(Opcode::LscFence, Exec::NONE, operands);
        Ok(())
    }
}
