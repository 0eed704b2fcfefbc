//! Messages: memory, atomics, barriers, raw sends; and the values that a thread begins with.

use kiln_platform::platform::{Generation, MessageFamily};
use kiln_visa::module::{Exec, Operand, StateVar, Surface, Type as VType, Var, predefined};
use kiln_visa::opcode::{Atomic, AtomicOp, Opcode};

use super::bale;
use super::function::{Emitter, imm, source};
use super::object::exec;
use super::operand::{Dst, Layout};
use super::payload::{Item, Payload, Receive, Transfer};
use crate::error::{Code, Result};
use crate::intrinsics::messages::{Message, Part, Shape};
use crate::intrinsics::{AtomicKind, AtomicRow, Kind, Sign};
use crate::ir::{Inst, Op, Value, ValueDef};

/// Binding table indices of memory without a surface.
pub const SLM: u64 = 254;
const STATELESS: std::ops::RangeInclusive<u64> = 253..=255;
const OWORD: u32 = 16;
/// Bytes of a register that vISA names, in steps: the rest of a quarter may be read.
const MIN_REGISTER_BYTES: u32 = 16;
/// Registers that a raw message can have.
const MAX_GRFS: u32 = 31;

impl Emitter<'_, '_> {
    /// Surface of an operand that is a binding table index.
    pub fn surface(&mut self, index: Value) -> Result<Surface> {
        self.surface_of(index, true)
    }

    /// Surface of an operand that is a binding table index; `predefined` is false for messages that cannot name the
    /// surface of shared local memory.
    fn surface_of(&mut self, index: Value, predefined: bool) -> Result<Surface> {
        if let Some(bti) = bale::uniform(self.function, index) {
            let bti = bti & 0xffff_ffff;
            if bti == SLM && predefined {
                return Ok(Surface::from_u32(predefined::SURFACE_SLM));
            }
            if bti != SLM && STATELESS.contains(&bti) {
                return Ok(Surface::from_u32(predefined::SURFACE_STATELESS));
            }
        }
        let bti = self.scalar_operand(index, VType::Ud)?;
        let name = format!("t{}", self.object().builder_surfaces());
        let surface = self.object().builder.surface(&name);
        let state = Operand::State {
            of: StateVar::Surface(surface),
            off: 0,
        };
        self.object().inst(Opcode::Movs, exec(1), [state, bti]);
        Ok(surface)
    }

    /// Sampler of an operand that is its number.
    pub fn sampler(&mut self, index: Value) -> Result<Operand> {
        let number = self.scalar_operand(index, VType::Ud)?;
        let name = format!("s{}", self.object().builder_surfaces());
        let sampler = self.object().builder.sampler(&name);
        let state = Operand::State {
            of: StateVar::Sampler(sampler),
            off: 0,
        };
        self.object().inst(Opcode::Movs, exec(1), [state, number]);
        Ok(Operand::Sampler(sampler))
    }

    /// Variable that begins a register and has a value's elements.
    pub fn payload(&mut self, value: Value, bytes: u32) -> Result<Var> {
        let (count, scalar) = self.shape(value)?;
        let ty = self.visa(scalar, Sign::Unsigned)?;
        let in_place = match self.function.values[value].def {
            ValueDef::Inst(inst) => self.bales.fold[inst] == bale::Fold::No,
            ValueDef::Param(_) => true,
            _ => false,
        };
        if in_place {
            let var = self.var(value)?;
            if self.object().is_block(var) && self.object().bytes_of(var) >= bytes {
                return Ok(var);
            }
        }
        let var = self.object().block(ty, bytes.max(count * ty.bytes()));
        if !self.function.is_undef(value) {
            let src = self.source(value, Sign::Unsigned)?;
            let layout = Layout::contiguous(0, ty.bytes());
            self.copy(count, Dst::Var { var, ty, layout }, src)?;
        }
        Ok(var)
    }

    pub fn raw(&mut self, var: Var, ty: VType, offset: u32) -> Operand {
        let var = self.object().alias(var, ty);
        var.raw(offset as u16)
    }

    pub fn message(&mut self, inst: Inst, message: &Message) -> Result<()> {
        let args = &self.data(inst).args;
        let most = message.parts.iter().filter_map(|part| match *part {
            Part::Number(n)
            | Part::Texels(n)
            | Part::Sampler(n)
            | Part::Singles(n)
            | Part::Channels(n)
            | Part::Rows(n)
            | Part::Surface(n)
            | Part::Scalar(n)
            | Part::Addresses(n)
            | Part::Offsets(n)
            | Part::Send(n) => Some(n),
            _ => None,
        });
        let need = most
            .chain(message.predicate)
            .chain(message.old)
            .max()
            .unwrap_or(0);
        if args.len() <= usize::from(need) {
            return self.error(Code::Operand, format!("{} operands are expected", need + 1));
        }
        let only_lsc = self.shared.platform.memory == MessageFamily::LoadStore;
        match message.shape {
            Shape::Block { .. } if only_lsc => self.lsc_legacy_block(inst, message),
            Shape::Channels { of, .. } if only_lsc && is_untyped(message.op) => {
                self.lsc_legacy_channels(inst, message, of)
            }
            Shape::Channels { .. }
                if only_lsc
                    && matches!(message.op, Opcode::Gather4Typed | Opcode::Scatter4Typed) =>
            {
                self.lsc_legacy_pixels(inst, message)
            }
            Shape::Block {
                address,
                unit,
                most,
            } => self.block_message(inst, message, address, unit, most),
            Shape::Rectangle => self.rectangle(inst, message),
            Shape::Channels { of, most } => self.channel_message(inst, message, of, most),
        }
    }

    /// Data of a message: its value, and bytes.
    pub fn data_of(&self, inst: Inst, message: &Message) -> Result<(Value, u32)> {
        let data = self.data(inst);
        let value = match (message.sent(), data.result) {
            (Some(n), _) => data.args[usize::from(n)],
            (None, Some(result)) => result,
            _ => return self.error(Code::Operand, "a result is expected"),
        };
        let (count, scalar) = self.shape(value)?;
        Ok((value, count * self.shared.module.types.scalar_bytes(scalar)))
    }

    fn block_message(
        &mut self,
        inst: Inst,
        message: &Message,
        address: u8,
        unit: u32,
        most: u32,
    ) -> Result<()> {
        let (value, all) = self.data_of(inst, message)?;
        // A block smaller than an oword is the beginning of one.
        let bytes = all.max(OWORD);
        if bytes % OWORD != 0 {
            return self.error(
                Code::Operand,
                format!("a block of {bytes} bytes: a multiple of {OWORD} is expected"),
            );
        }
        let (count, scalar) = self.shape(value)?;
        let ty = self.visa(scalar, Sign::Unsigned)?;
        let var = match (message.is_store(), all < OWORD) {
            (true, _) => self.payload(value, bytes)?,
            (false, true) => self.object().block(ty, OWORD),
            (false, false) => self.var(value)?,
        };
        let mut at = 0;
        let mut surface = None;
        while at < bytes {
            let owords = (1u32 << ((bytes - at) / OWORD).ilog2()).min(most);
            let mut operands = Vec::new();
            for part in message.parts {
                let operand = match *part {
                    Part::Owords(extra) => Operand::Field(owords.trailing_zeros() + extra),
                    Part::Number(n) => {
                        Operand::Field(self.number(self.data(inst).args[usize::from(n)])? as u32)
                    }
                    Part::Surface(n) => {
                        let found = match surface {
                            Some(surface) => surface,
                            None => self.surface_of(self.data(inst).args[usize::from(n)], false)?,
                        };
                        surface = Some(found);
                        found.into()
                    }
                    Part::Scalar(n) => {
                        let place = self.data(inst).args[usize::from(n)];
                        let svm = matches!(message.op, Opcode::SvmBlockLd | Opcode::SvmBlockSt);
                        let ty = if svm { VType::Uq } else { VType::Ud };
                        let moved = if n == address { at / unit } else { 0 };
                        self.moved_scalar(place, ty, moved)?
                    }
                    _ => self.raw(var, ty, at),
                };
                operands.push(operand);
            }
            self.object().inst(message.op, Exec::NONE, operands);
            at += owords * OWORD;
        }
        if !message.is_store() && all < OWORD {
            let dst = self.whole(value, Sign::Unsigned)?;
            self.copy(
                count,
                dst,
                source(var, ty, Layout::contiguous(0, ty.bytes())),
            )?;
        }
        Ok(())
    }

    /// A scalar with a number added.
    fn moved_scalar(&mut self, value: Value, ty: VType, by: u32) -> Result<Operand> {
        if by == 0 {
            return self.scalar_operand(value, ty);
        }
        if let Some(bits) = bale::uniform(self.function, value) {
            return Ok(Operand::imm(ty, bits.wrapping_add(by.into())));
        }
        let src = self.scalar(value, Sign::Unsigned)?;
        let (var, dst, _) = self.temp(ty, 1);
        self.alu(Opcode::Add, 1, dst, &[src, imm(VType::Ud, by.into())])?;
        Ok(self.object().scalar(var, ty, 0))
    }

    fn rectangle(&mut self, inst: Inst, message: &Message) -> Result<()> {
        let (value, bytes) = self.data_of(inst, message)?;
        let (_, scalar) = self.shape(value)?;
        let ty = self.visa(scalar, Sign::Unsigned)?;
        let args = self.data(inst).args.clone();
        let mut operands = Vec::new();
        for part in message.parts {
            operands.push(match *part {
                Part::Number(n) => Operand::Field(self.number(args[usize::from(n)])? as u32),
                Part::Surface(n) => self.surface(args[usize::from(n)])?.into(),
                Part::Rows(n) => {
                    let width = self.number(args[usize::from(n)])?.clamp(1, 1 << 16) as u32;
                    let pitch = width.next_power_of_two().max(4);
                    if width > 64 || bytes % pitch != 0 || bytes / pitch > 64 {
                        return self.error(
                            Code::Operand,
                            format!("no block of {bytes} bytes has rows of {width}"),
                        );
                    }
                    Operand::Field(bytes / pitch)
                }
                Part::Scalar(n) => self.scalar_operand(args[usize::from(n)], VType::Ud)?,
                Part::Send(_) => {
                    let var = self.payload(value, bytes)?;
                    self.raw(var, ty, 0)
                }
                _ => {
                    let var = self.var(value)?;
                    self.raw(var, ty, 0)
                }
            });
        }
        self.object().inst(message.op, Exec::NONE, operands);
        Ok(())
    }

    fn channel_message(&mut self, inst: Inst, message: &Message, of: u8, most: u32) -> Result<()> {
        let args = self.data(inst).args.clone();
        let arg = |n: u8| args[usize::from(n)];
        let (count, _) = self.shape(arg(of))?;
        let (value, bytes) = self.data_of(inst, message)?;
        let (_, scalar) = self.shape(value)?;
        let element = self.shared.module.types.scalar_bytes(scalar);
        // Bytes or words of a channel take a dword, or a qword, together.
        let plane = match (element, bytes / count) {
            (1, 8) => 8,
            (1 | 2, _) => 4,
            (n, _) => n,
        };
        if !matches!(plane, 4 | 8) || bytes % (count * plane) != 0 {
            return self.error(
                Code::Operand,
                format!("{bytes} bytes of data do not fit {count} channels"),
            );
        }
        let planes = bytes / (count * plane);
        let float = scalar.is_float() && element == plane;
        let ty = match (plane, float) {
            (4, true) => VType::F,
            (4, false) => VType::Ud,
            (_, true) => VType::Df,
            (_, false) => VType::Uq,
        };
        let mut items = Vec::new();
        for part in message.parts {
            items.push(match *part {
                Part::Is(n) => Item::Is(Operand::Field(n)),
                Part::Number(n) => Item::Is(Operand::Field(self.number(arg(n))? as u32)),
                Part::Sampler(n) => Item::Is(self.sampler(arg(n))?),
                Part::Singles(n) => self.channels(arg(n), VType::F)?,
                Part::Texels(n) | Part::Channels(n) => {
                    let left = self.number(arg(n))? as u32 & 15;
                    if left.count_ones() != planes {
                        return self.error(
                            Code::Operand,
                            "the mask has another number of channels than the data",
                        );
                    }
                    match *part {
                        Part::Texels(_) => Item::Texels(left),
                        _ => Item::Is(Operand::Field(left)),
                    }
                }
                Part::ElementSize => Item::Is(Operand::Field(match element {
                    1 | 2 => 0,
                    4 => 1,
                    _ => 2,
                })),
                Part::Surface(n) => Item::Is(self.surface(arg(n))?.into()),
                Part::Scalar(n) => {
                    let wide = matches!(
                        message.op,
                        Opcode::SvmGather4Scaled | Opcode::SvmScatter4Scaled
                    );
                    let ty = if wide { VType::Uq } else { VType::Ud };
                    Item::Is(self.scalar_operand(arg(n), ty)?)
                }
                Part::Addresses(n) => self.channels(arg(n), VType::Uq)?,
                Part::Offsets(n) => self.channels(arg(n), VType::Ud)?,
                Part::Null => Item::Null,
                Part::Send(n) => {
                    let src = self.in_variable(arg(n), bytes / element)?;
                    let src = self.retype(src, bytes / element, ty)?;
                    Item::Send(Payload {
                        src,
                        ty,
                        planes,
                        value: Some(arg(n)),
                    })
                }
                _ => Item::Receive,
            });
        }
        let mask = match message.predicate {
            Some(n) if bale::uniform(self.function, arg(n)).is_none_or(|b| b & 1 == 0) => {
                Some(self.mask_of(arg(n), count)?)
            }
            _ => None,
        };
        let receive = match message.is_store() {
            true => None,
            false => Some(Receive {
                value,
                old: message.old.map(arg),
                ty,
                planes,
            }),
        };
        self.send(&Transfer {
            op: message.op,
            count,
            most,
            room: self.least_channels(),
            items,
            mask,
            receive,
        })
    }

    pub fn atomic(
        &mut self,
        inst: Inst,
        result: Value,
        family: AtomicKind,
        op: AtomicOp,
        sources: u8,
    ) -> Result<()> {
        if matches!(op, AtomicOp::FAdd | AtomicOp::FSub)
            && self.shared.platform.memory == MessageFamily::DataPort
        {
            let message = format!(
                "{} has no sums of floats in memory",
                self.shared.platform.name
            );
            return self.error(Code::Platform, message);
        }
        let args = self.data(inst).args.clone();
        let AtomicRow {
            before,
            surface,
            has_old,
            coordinates,
        } = family.row();
        if self.shared.platform.memory == MessageFamily::LoadStore
            && !coordinates
            && args.len() > before + usize::from(sources)
        {
            return self.lsc_legacy_atomic(inst, result, family, op, sources);
        }
        let sources = usize::from(sources);
        let places = if coordinates { 4 } else { 1 };
        if args.len() != before + places + sources + usize::from(has_old) {
            return self.error(Code::Operand, "the atomic has another number of operands");
        }
        let (count, scalar) = self.shape(result)?;
        let bits = self.shared.module.types.bits(scalar);
        let ty = self.visa(
            scalar,
            match op {
                _ if scalar.is_float() => Sign::Own,
                AtomicOp::IMin | AtomicOp::IMax => Sign::Signed,
                _ => Sign::Unsigned,
            },
        )?;
        let number = Atomic {
            op,
            bits: bits as u8,
        }
        .number();
        let mut items = vec![Item::Is(Operand::Field(number))];
        if surface {
            items.push(Item::Is(self.surface(args[1])?.into()));
        }
        let (at, from) = match coordinates {
            true => (before + sources, before),
            false => (before, before + 1),
        };
        match family {
            AtomicKind::Svm => items.push(self.channels(args[at], VType::Uq)?),
            AtomicKind::Untyped => {
                let base = self.scalar(args[2], Sign::Unsigned)?;
                let offsets = self.source(args[at], Sign::Unsigned)?;
                let (_, dst, bytes) = self.temp(VType::Ud, count);
                self.alu(Opcode::Add, count, dst.clone(), &[offsets, base])?;
                self.alu(Opcode::Shl, count, dst, &[bytes.clone(), imm(VType::Ud, 2)])?;
                items.push(Item::Send(Payload {
                    src: bytes,
                    ty: VType::Ud,
                    planes: 1,
                    value: None,
                }));
            }
            AtomicKind::Typed => {
                for coordinate in &args[at..at + 4] {
                    items.push(self.channels(*coordinate, VType::Ud)?);
                }
            }
            _ => items.push(self.channels(args[at], VType::Ud)?),
        }
        // The intrinsics have the new value first, and then what it is compared with; so does vISA for integers.
        let mut values = args[from..from + sources].to_vec();
        if op == AtomicOp::FCmpWr {
            values.reverse();
        }
        for i in 0..2 {
            items.push(match values.get(i) {
                Some(value) => self.channels(*value, ty)?,
                None => Item::Null,
            });
        }
        let used = !self.bales.uses[result].is_empty();
        items.push(if used { Item::Receive } else { Item::Null });
        let mask = match bale::uniform(self.function, args[0]) {
            Some(bit) if bit & 1 != 0 => None,
            _ => Some(self.mask_of(args[0], count)?),
        };
        let op = match family {
            AtomicKind::Svm => Opcode::SvmAtomic,
            AtomicKind::Typed => Opcode::TypedAtomic,
            _ => Opcode::DwordAtomic,
        };
        let most = if coordinates || bits == 64 { 8 } else { 16 };
        let receive = used.then(|| Receive {
            value: result,
            old: has_old.then(|| args[args.len() - 1]),
            ty,
            planes: 1,
        });
        self.send(&Transfer {
            op,
            count,
            most,
            room: self.least_channels(),
            items,
            mask,
            receive,
        })
    }

    pub fn synchronize(&mut self, inst: Inst, kind: Kind) -> Result<()> {
        let (op, operand) = match kind {
            Kind::Barrier => (Opcode::Barrier, None),
            Kind::SplitBarrier => {
                // The intrinsic's 1 signals and 0 waits, as in vISA.
                let signal = self.number(self.data(inst).args[0])?;
                (
                    Opcode::SBarrier,
                    Some(Operand::Field(u32::from(signal != 0))),
                )
            }
            Kind::Fence => {
                let mask = self.number(self.data(inst).args[0])? as u32 & 0xff;
                (Opcode::Fence, Some(Operand::Field(mask)))
            }
            Kind::CacheFlush => (Opcode::SamplerCacheFlush, None),
            Kind::Yield => (Opcode::Yield, None),
            _ => return Ok(()),
        };
        self.object().inst(op, Exec::NONE, operand);
        Ok(())
    }

    /// A register that vISA names, from its first element on.
    pub fn predefined(&mut self, number: u32, count: u32, dst: Dst) -> Result<()> {
        let Some(&(_, ty, elements)) = predefined::VARS.get(number as usize) else {
            return self.unsupported("this register");
        };
        // The bytes after the value are undefined. Dwords are read in pairs where qwords are wanted.
        let wide = matches!(&dst, Dst::Var { ty: to, .. } if to.bytes() == 8 && ty.bytes() == 4);
        let (ty, elements) = match wide {
            true => (VType::Uq, elements / 2),
            false => (ty, elements),
        };
        let count = count.min(elements.into());
        let var = Var::from_u32(number);
        self.copy(
            count,
            dst,
            source(var, ty, Layout::contiguous(0, ty.bytes())),
        )
    }

    /// A register that vISA names by a number, with room for so many bytes.
    fn register(&self, number: Value, bytes: u32) -> Result<Var> {
        let number = self.number(number)? as u32;
        let platform = self.shared.platform;
        if number == predefined::MSG0 && platform.generation < Generation::Tgllp {
            let message = format!("{} has no such register", platform.name);
            return self.error(Code::Platform, message);
        }
        let row = predefined::VARS.get(number as usize);
        let known = row.filter(|_| number != predefined::NULL);
        let Some((name, ty, elements)) = known else {
            return self.error(Code::Operand, format!("vISA has no register {number}"));
        };
        let has = u32::from(*elements) * ty.bytes();
        if bytes > has.next_multiple_of(MIN_REGISTER_BYTES) {
            let message = format!("{name} has {has} bytes, not {bytes}");
            return self.error(Code::Operand, message);
        }
        Ok(Var::from_u32(number))
    }

    /// Reads a register that vISA names.
    pub fn read_register(&mut self, inst: Inst, result: Value) -> Result<()> {
        let (count, scalar) = self.shape(result)?;
        let ty = self.visa(scalar, Sign::Unsigned)?;
        let var = self.register(self.data(inst).args[0], count * ty.bytes())?;
        let dst = self.whole(result, Sign::Unsigned)?;
        self.copy(
            count,
            dst,
            source(var, ty, Layout::contiguous(0, ty.bytes())),
        )
    }

    /// Writes a register that vISA names. The result is what was written.
    pub fn write_register(&mut self, inst: Inst, result: Option<Value>) -> Result<()> {
        let args = &self.data(inst).args;
        let &[number, value, ..] = &args[..] else {
            return self.error(Code::Operand, "2 operands are expected");
        };
        let (count, scalar) = self.shape(value)?;
        let ty = self.visa(scalar, Sign::Unsigned)?;
        let var = self.register(number, count * ty.bytes())?;
        let layout = Layout::contiguous(0, ty.bytes());
        if !self.function.is_undef(value) {
            let src = self.source(value, Sign::Unsigned)?;
            self.copy(count, Dst::Var { var, ty, layout }, src)?;
        }
        let Some(result) = result.filter(|result| !self.bales.uses[*result].is_empty()) else {
            return Ok(());
        };
        let (count, scalar) = self.shape(result)?;
        let ty = self.visa(scalar, Sign::Unsigned)?;
        let dst = self.whole(result, Sign::Unsigned)?;
        let var = self.register(number, count * ty.bytes())?;
        self.copy(
            count,
            dst,
            source(var, ty, Layout::contiguous(0, ty.bytes())),
        )
    }

    /// A value that the launch gives.
    pub fn implicit(&mut self, kind: Kind, count: u32, dst: Dst) -> Result<()> {
        let (place, ty) = match kind {
            Kind::LocalId => (0, VType::Uw),
            Kind::LocalSize => (1, VType::Ud),
            Kind::PrintBuffer => (3, VType::Uq),
            _ => (2, VType::Ud),
        };
        let Some(var) = self.shared.implicit[place] else {
            let what =
                "a value that only a kernel receives, in a function that is called with a stack";
            return self.unsupported(what);
        };
        if count > 3 {
            return self.error(Code::Operand, "there are three dimensions");
        }
        self.copy(
            count,
            dst,
            source(var, ty, Layout::contiguous(0, ty.bytes())),
        )
    }

    pub fn raw_send(&mut self, inst: Inst, split: bool, full: bool, result: bool) -> Result<()> {
        let args = self.data(inst).args.clone();
        let sources = 1 + usize::from(split);
        let head = match (full, split) {
            (true, _) => 6 + usize::from(split) + usize::from(result),
            (false, true) => 5,
            (false, false) => 4,
        };
        // Modifier, [size], predicate, [GRFs], [function], extended descriptor, descriptor, sources, [old].
        let expected = match full {
            true => 2 + 1 + sources + usize::from(result) + 1 + 2 + sources + usize::from(result),
            false => head + sources + usize::from(result),
        };
        if args.len() != expected {
            return self.error(Code::Operand, format!("{expected} operands are expected"));
        }
        let modifier = self.number(args[0])? as u32;
        let predicate = args[if full { 2 } else { 1 }];
        let (channels, _) = self.shape(predicate)?;
        let size = match full {
            true => 1 << (self.number(args[1])? as u32).min(5),
            false if channels == 1 => 16,
            false => channels,
        };
        let at = args.len() - sources - usize::from(result);
        let data = &args[at..at + sources];
        let (desc, extended) = (args[at - 1], args[at - 2]);
        let function = match (full, split) {
            (true, _) => Some(args[at - 3]),
            (false, true) => Some(args[2]),
            (false, false) => None,
        };
        let grf = self.shared.object.grf;
        let mut sizes = Vec::new();
        for value in data {
            let (n, scalar) = self.shape(*value)?;
            let bytes = n * self.shared.module.types.scalar_bytes(scalar);
            sizes.push(bytes.div_ceil(grf));
        }
        let written = match self.data(inst).result {
            Some(value) if result => {
                let (n, scalar) = self.shape(value)?;
                (n * self.shared.module.types.scalar_bytes(scalar)).div_ceil(grf)
            }
            _ => 0,
        };
        if full {
            for (i, size) in sizes.iter_mut().enumerate() {
                *size = self.number(args[3 + i])? as u32;
            }
        }
        if sizes.iter().chain([&written]).any(|n| *n > MAX_GRFS) {
            return self.error(Code::Size, "the message is too large");
        }
        let mut raws = Vec::new();
        for (value, grfs) in data.iter().zip(&sizes) {
            let var = self.payload(*value, grfs * grf)?;
            raws.push(var.raw(0));
        }
        let pred = match bale::uniform(self.function, predicate) {
            Some(bit) if bit & 1 != 0 => None,
            _ => self.mask(predicate)?.at(0),
        };
        let mut to = Var::NULL.raw(0);
        if let (Some(value), true) = (self.data(inst).result, result) {
            let old = args[args.len() - 1];
            if !self.function.is_undef(old) && self.classes.root(old) != self.classes.root(value) {
                let (n, _) = self.shape(old)?;
                let src = self.source(old, Sign::Signed)?;
                let dst = self.whole(value, Sign::Signed)?;
                self.copy(n, dst, src)?;
            }
            to = self.var(value)?.raw(0);
        }
        let desc = self.scalar_operand(desc, VType::Ud)?;
        let mut operands = vec![Operand::Field(modifier)];
        if split || full {
            let Some(function) = function else {
                return self.unsupported("this message");
            };
            let function = self.number(function)? as u32;
            let second = sizes.get(1).copied().unwrap_or(0);
            operands.extend([sizes[0], second, written, function].map(Operand::Field));
            operands.push(self.scalar_operand(extended, VType::Ud)?);
            operands.push(desc);
            raws.resize(2, Var::NULL.raw(0));
            operands.extend(raws);
            operands.push(to);
            self.object()
                .inst_if(Opcode::RawSends, exec(size), pred, operands);
        } else {
            let extended = self.number(extended)? as u32;
            operands.extend([extended, sizes[0], written].map(Operand::Field));
            operands.push(desc);
            operands.extend(raws);
            operands.push(to);
            self.object()
                .inst_if(Opcode::RawSend, exec(size), pred, operands);
        }
        Ok(())
    }

    /// Class roots of values that messages send or receive: their variables begin registers.
    pub fn find_payloads(&mut self) {
        let function = self.function;
        let mut roots = Vec::new();
        for &block in &function.order {
            for &inst in &function.blocks[block].insts {
                let data = &function.insts[inst];
                let is_asm = |value: Value| {
                    let from = function.inst_of(value);
                    from.is_some_and(|from| matches!(function.insts[from].op, Op::Asm(_)))
                };
                let begins = match &data.op {
                    Op::Intrinsic(intrinsic) => intrinsic.has_payload(),
                    Op::ExtractValue(_) => is_asm(data.args[0]),
                    Op::Asm(_) => true,
                    _ => false,
                };
                if begins {
                    let values = data.args.iter().copied().chain(data.result);
                    let is_value =
                        |v: &Value| self.shared.module.types.shape(function.ty(*v)).is_some();
                    roots.extend(values.filter(is_value));
                }
            }
        }
        for value in roots {
            let root = self.classes.root(value);
            let whole = self.parts[root].map(|part| self.classes.root(part.of));
            self.payloads[whole.unwrap_or(root)] = true;
        }
    }
}

/// True for messages by channels that the load-store units have, too.
fn is_untyped(op: Opcode) -> bool {
    matches!(
        op,
        Opcode::SvmGather
            | Opcode::SvmScatter
            | Opcode::SvmGather4Scaled
            | Opcode::SvmScatter4Scaled
            | Opcode::GatherScaled
            | Opcode::ScatterScaled
            | Opcode::Gather4Scaled
            | Opcode::Scatter4Scaled
    )
}
