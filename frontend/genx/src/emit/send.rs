//! Messages that go out by channels: their payloads, and the parts in which they are sent.
//!
//! Channels that are no power of two, or whose planes would not begin a register, are copied into payloads that are,
//! with the channels after the last off. A payload of a value is made once a block.

use kiln_visa::module::{Operand, PredUse, Type as VType, Var};
use kiln_visa::opcode::Opcode;
use kiln_visa::shape::RawShape;

use super::function::{Emitter, source};
use super::object::exec;
use super::operand::{Dst, Layout, Src};
use super::payload::{Item, Payload, Receive, Transfer};
use super::predicates::Mask;
use super::value::selected;
use crate::error::{Code, Result};
use crate::intrinsics::Sign;
use crate::ir::Value;
use kiln_visa::module::Exec;

/// Bit of the mode of a sampler's message with sixteen pixels.
const WIDE_SAMPLE: u32 = 16;
/// Channels of the smallest message of the data ports and samplers.
const MIN_CHANNELS: u32 = 8;

/// Channels of a message that one instruction moves.
#[derive(Clone, Copy)]
struct Part {
    first: u32,
    width: u32,
    /// Execution size of the instruction.
    size: u32,
    /// True if operands that are all of the message need no copy.
    direct: bool,
}

impl Emitter<'_, '_> {
    /// Channels of the smallest message by channels, whose dwords fill a register.
    pub fn least_channels(&self) -> u32 {
        MIN_CHANNELS.max(self.shared.object.grf / 4)
    }

    /// One element of this type for each channel.
    pub fn channels(&mut self, value: Value, ty: VType) -> Result<Item> {
        let src = self.source(value, Sign::Unsigned)?;
        let src = match src.ty().bytes() == ty.bytes() {
            true => src.typed(ty),
            false => src,
        };
        Ok(Item::Send(Payload {
            src,
            ty,
            planes: 1,
            value: Some(value),
        }))
    }

    /// A contiguous source as elements of another size.
    pub fn retype(&mut self, src: Src, count: u32, ty: VType) -> Result<Src> {
        match src {
            Src::Var {
                var,
                layout,
                ty: old,
                ..
            } if layout == Layout::contiguous(layout.at(0), old.bytes()) => Ok(source(
                var,
                ty,
                Layout::contiguous(layout.at(0), ty.bytes()),
            )),
            src => {
                let old = src.ty();
                let (var, dst, _) = self.temp(old, count);
                self.copy(count, dst, src)?;
                Ok(source(var, ty, Layout::contiguous(0, ty.bytes())))
            }
        }
    }

    /// Sends a message in as many parts as its channels need.
    pub fn send(&mut self, message: &Transfer) -> Result<()> {
        let grf = self.shared.object.grf;
        let &Transfer {
            count, most, room, ..
        } = message;
        if let Some(Receive {
            value,
            old: Some(old),
            ..
        }) = &message.receive
            && message.mask.is_some()
            && !self.function.is_undef(*old)
            && self.classes.root(*old) != self.classes.root(*value)
        {
            let (n, _) = self.shape(*old)?;
            let src = self.source(*old, Sign::Signed)?;
            let dst = self.whole(*value, Sign::Signed)?;
            self.copy(n, dst, src)?;
        }
        let pixels = message.items.iter().any(|i| matches!(i, Item::Texels(_)));
        let mut first = 0;
        while first < count {
            let width = (count - first).min(most);
            let whole = |ty: VType, planes: u32| {
                let stride = RawShape::plane_stride(ty.bytes(), width as u8, grf);
                planes == 1 || width * ty.bytes() == stride
            };
            let sent = message.items.iter().all(|item| match item {
                Item::Send(payload) => whole(payload.ty, payload.planes),
                _ => true,
            });
            let received = message.receive.as_ref();
            let regular = width.is_power_of_two()
                && sent
                && received.is_none_or(|r| whole(r.ty, r.planes))
                && (!pixels || width >= room);
            let size = match regular {
                true => width,
                false => width.next_power_of_two().max(room),
            };
            let part = Part {
                first,
                width,
                size,
                direct: regular && width == count,
            };
            self.send_part(message, part)?;
            first += width;
        }
        Ok(())
    }

    /// Bytes of a plane of a part.
    fn plane(&self, message: &Transfer, ty: VType, size: u32) -> u32 {
        let size = size.max(message.room) as u8;
        RawShape::plane_stride(ty.bytes(), size, self.shared.object.grf)
    }

    /// A payload as an operand.
    fn sent(&mut self, message: &Transfer, part: Part, payload: &Payload) -> Result<Operand> {
        let Payload {
            ref src,
            ty,
            planes,
            value,
        } = *payload;
        let stride = self.plane(message, ty, part.size);
        if let Src::Var { var, layout, .. } = src
            && part.direct
            && src.ty().bytes() == ty.bytes()
            && *layout == Layout::contiguous(0, ty.bytes())
            && self.object().holds(*var, stride * planes)
            && self.object().is_block(*var)
        {
            return Ok(self.raw(*var, ty, 0));
        }
        let key = value.map(|value| (value, ty, [message.count, part.first, part.size]));
        if let Some(var) = key.and_then(|key| self.payloads_made.get(&key)) {
            return Ok(var.raw(0));
        }
        let var = self.object().block(ty, stride * planes);
        for plane in 0..planes {
            let from = plane * message.count + part.first;
            let layout = Layout::contiguous(plane * stride, ty.bytes());
            let elements = selected(src.clone(), from..from + part.width);
            self.copy(part.width, Dst::Var { var, ty, layout }, elements)?;
        }
        if let Some(key) = key {
            self.payloads_made.insert(key, var);
        }
        Ok(var.raw(0))
    }

    fn send_part(&mut self, message: &Transfer, part: Part) -> Result<()> {
        let Part {
            first, width, size, ..
        } = part;
        let mut operands = Vec::new();
        let mut received = None;
        for item in &message.items {
            operands.push(match item {
                Item::Is(operand) => operand.clone(),
                Item::Texels(mask) => {
                    let wide = if size > MIN_CHANNELS { WIDE_SAMPLE } else { 0 };
                    Operand::Field(mask | wide)
                }
                Item::Null => Var::NULL.raw(0),
                Item::Send(payload) => self.sent(message, part, payload)?,
                Item::Receive => {
                    let Some(r) = &message.receive else {
                        return self.error(Code::Operand, "a result is expected");
                    };
                    let stride = self.plane(message, r.ty, size);
                    let target = self.var(r.value)?;
                    let whole = self.object().holds(target, stride * r.planes);
                    if part.direct && whole && self.object().is_block(target) {
                        self.raw(target, r.ty, 0)
                    } else {
                        let var = self.object().block(r.ty, stride * r.planes);
                        received = Some((var, target, stride));
                        if message.mask.is_some()
                            && r.old.is_some_and(|old| !self.function.is_undef(old))
                        {
                            for plane in 0..r.planes {
                                let from = (plane * message.count + first) * r.ty.bytes();
                                let old =
                                    source(target, r.ty, Layout::contiguous(from, r.ty.bytes()));
                                let layout = Layout::contiguous(plane * stride, r.ty.bytes());
                                let ty = r.ty;
                                self.copy(width, Dst::Var { var, ty, layout }, old)?;
                            }
                        }
                        self.raw(var, r.ty, 0)
                    }
                }
            });
        }
        // The samplers' messages have all their pixels.
        if message.items.iter().any(|i| matches!(i, Item::Texels(_))) {
            self.object().inst(message.op, Exec::NONE, operands);
        } else {
            let pred = self.part_mask(message.mask.as_ref(), first, width, size)?;
            self.object()
                .inst_if(message.op, exec(size), pred, operands);
        }
        if let (Some((from, var, stride)), Some(r)) = (received, &message.receive) {
            for plane in 0..r.planes {
                let ty = r.ty;
                let to = (plane * message.count + first) * ty.bytes();
                let layout = Layout::contiguous(to, ty.bytes());
                let src = source(from, ty, Layout::contiguous(plane * stride, ty.bytes()));
                self.copy(width, Dst::Var { var, ty, layout }, src)?;
            }
        }
        Ok(())
    }

    /// Predicate of a part of a message, the channels after its width off.
    fn part_mask(
        &mut self,
        mask: Option<&Mask>,
        first: u32,
        width: u32,
        size: u32,
    ) -> Result<Option<PredUse>> {
        let Some(mask) = mask else {
            if width == size {
                return Ok(None);
            }
            let pred = self.object().predicate(size);
            let bits = Operand::imm(VType::Ud, (1u64 << width) - 1);
            let to = Operand::Predicate(PredUse::of(pred));
            self.object().inst(Opcode::Setp, exec(size), [to, bits]);
            return Ok(Some(PredUse::of(pred)));
        };
        if first == 0 && width == size {
            return Ok(mask.at(0));
        }
        let part = self.sub_mask(mask, first, width)?;
        if width == size {
            return Ok(part.at(0));
        }
        let bits = self.bits(&part, 0)?;
        let Src::Var { var, .. } = bits else {
            return self.unsupported("a mask");
        };
        let pred = self.object().predicate(size);
        let to = Operand::Predicate(PredUse::of(pred));
        let bits = self.object().scalar(var, VType::Ud, 0);
        self.object().inst(Opcode::Setp, exec(size), [to, bits]);
        Ok(Some(PredUse::of(pred)))
    }
}
