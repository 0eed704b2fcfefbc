//! Values as sources of instructions: constants, variables, and folded instructions.

use kiln_visa::module::{Modifier, Operand, Type as VType, Var};
use kiln_visa::opcode::Opcode;

use super::bale::{self, Fold};
use super::function::{Address, Emitter, Place, imm, source};
use super::object::exec;
use super::operand::{Dst, Layout, Src};
use crate::error::{Code, Result};
use crate::intrinsics::{Kind, Sign};
use crate::ir::{CastOp, Const, Inst, Op, Value, ValueDef};

impl Emitter<'_, '_> {
    /// A value as a source.
    pub fn source(&mut self, value: Value, sign: Sign) -> Result<Src> {
        let (count, scalar) = self.shape(value)?;
        let ty = self.visa(scalar, sign)?;
        match &self.function.values[value].def {
            ValueDef::Const(constant) => match constant {
                Const::Bits(bits) => Ok(imm(ty, *bits)),
                Const::Zero | Const::Undef => Ok(imm(ty, 0)),
                Const::Vector(elements) => match self.function.as_bits(value) {
                    Some(bits) => Ok(imm(ty, bits)),
                    None => {
                        let var = self.constant(value, ty, elements)?;
                        Ok(source(var, ty, Layout::contiguous(0, ty.bytes())))
                    }
                },
                Const::Aggregate(_) => self.unsupported("an aggregate as an operand"),
            },
            ValueDef::Inst(inst) => {
                let inst = *inst;
                match self.bales.fold[inst] {
                    Fold::Source => Ok(self.folded(inst, sign)?),
                    _ => self.variable(value, ty, count),
                }
            }
            ValueDef::Param(_) => self.variable(value, ty, count),
            ValueDef::Function(id) => {
                let var = self.function_address(*id, value)?;
                Ok(source(var, ty, Layout::same(0)))
            }
            ValueDef::Global(id) => match self.shared.addresses.get(id).copied() {
                Some(Address::Frame(at)) => self.address_in_frame(at),
                Some(Address::Local(at)) => Ok(imm(ty, at.into())),
                Some(Address::Named) => {
                    let var = self.address_of_variable(*id, value);
                    Ok(source(var, ty, Layout::same(0)))
                }
                None => self.error(
                    Code::Memory,
                    "the address of a global is not supported here",
                ),
            },
            ValueDef::Metadata | ValueDef::Forward => self.unsupported("such an operand"),
        }
    }

    /// Address of a byte of the object's part of private memory.
    pub fn address_in_frame(&mut self, at: u32) -> Result<Src> {
        let Some(base) = self.shared.frame else {
            return self.error(Code::Memory, "private memory is not supported here");
        };
        let start = source(base, VType::Uq, Layout::same(0));
        if at == 0 {
            return Ok(start);
        }
        let (_, dst, address) = self.temp(VType::Uq, 1);
        self.alu(Opcode::Add, 1, dst, &[start, imm(VType::Ud, at.into())])?;
        Ok(address)
    }

    fn variable(&mut self, value: Value, ty: VType, _count: u32) -> Result<Src> {
        let var = self.var(value)?;
        Ok(source(var, ty, Layout::contiguous(0, ty.bytes())))
    }

    /// One element of a value for all channels.
    pub fn scalar(&mut self, value: Value, sign: Sign) -> Result<Src> {
        Ok(uniform(self.source(value, sign)?))
    }

    /// A scalar as an operand of an instruction that is not elementwise.
    pub fn scalar_operand(&mut self, value: Value, ty: VType) -> Result<Operand> {
        let src = self.scalar(value, Sign::Unsigned)?;
        let wide = src.ty().bytes() != ty.bytes();
        if let Src::Imm { bits, .. } = src {
            return Ok(Operand::imm(ty, bits));
        }
        let src = match wide || matches!(src, Src::Indirect { .. }) {
            true => {
                let (_, dst, temp) = self.temp(ty, 1);
                self.copy(1, dst, src)?;
                temp
            }
            false => src,
        };
        match src {
            Src::Var { var, layout, .. } => Ok(self.object().scalar(var, ty, layout.at(0))),
            _ => self.unsupported("such an operand"),
        }
    }

    /// A source that an instruction is part of.
    fn folded(&mut self, inst: Inst, sign: Sign) -> Result<Src> {
        let data = self.data(inst);
        let arg = data.args[0];
        match &data.op {
            Op::FNeg => Ok(negated(self.source(arg, sign)?)),
            Op::Cast(CastOp::ZExt) => self.source(arg, Sign::Unsigned),
            Op::Cast(_) => self.source(arg, Sign::Signed),
            Op::InsertElement => self.scalar(data.args[1], sign),
            Op::Intrinsic(intrinsic) => match intrinsic.kind() {
                Kind::Modifier(modifier) => Ok(self.source(arg, sign)?.with(modifier)),
                Kind::ReadRegion => self.region(inst, sign),
                _ => self.unsupported("an intrinsic"),
            },
            Op::ExtractElement => self.element(inst, sign),
            Op::Shuffle(mask) => {
                let src = self.source(arg, sign)?;
                let first = mask.iter().copied().find(|m| *m != u32::MAX).unwrap_or(0);
                let mut last = first;
                let numbers = mask.iter().map(|m| {
                    // An element that may be anything is what is easiest to read.
                    if *m != u32::MAX {
                        last = *m;
                    }
                    last
                });
                let numbers: Vec<u32> = numbers.collect();
                Ok(selected(src, numbers.into_iter()))
            }
            _ => self.unsupported("an operand"),
        }
    }

    /// Numbers of the elements that a region of constant offset has. One beyond the vector has no value, so that it may be any
    /// of the vector's; code that is never reached may name one after its loop is unrolled.
    pub fn region_numbers(
        &self,
        shape: [u64; 3],
        count: u32,
        of: u32,
        offsets: &[u32],
    ) -> Result<Vec<u32>> {
        let [v, w, h] = shape;
        if v > 1 << 16 || h > 1 << 16 {
            return self.error(Code::Region, "the strides of a region must be small");
        }
        // A region without a width has one row.
        let w = if w == 0 { count.into() } else { w };
        let mut numbers = Vec::with_capacity(count as usize);
        for i in 0..u64::from(count) {
            let (row, column) = (i / w, i % w);
            let start = match offsets {
                [one] => u64::from(*one) + row * v,
                rows => match rows.get(row as usize) {
                    Some(start) => u64::from(*start),
                    None => return self.error(Code::Region, "a region has more rows than offsets"),
                },
            };
            let number = start + column * h;
            numbers.push((number % u64::from(of.max(1))) as u32);
        }
        Ok(numbers)
    }

    /// Constant operand of an intrinsic.
    pub fn number(&self, value: Value) -> Result<u64> {
        match bale::uniform(self.function, value) {
            Some(bits) => Ok(bits),
            None => self.error(Code::Operand, "a constant is expected here"),
        }
    }

    /// Offsets in elements of a region, if they are constant.
    pub fn constant_offsets(&self, offset: Value, bytes: u32) -> Result<Option<Vec<u32>>> {
        let offsets: Vec<u64> = match self.function.as_const(offset) {
            None => return Ok(None),
            Some(Const::Bits(bits)) => vec![*bits],
            Some(Const::Vector(elements)) => elements.to_vec(),
            Some(_) => vec![0; self.shape(offset)?.0 as usize],
        };
        let elements = offsets.iter().map(|offset| {
            let offset = offset & 0xffff;
            match offset % u64::from(bytes) {
                0 => Ok((offset / u64::from(bytes)) as u32),
                _ => self.error(
                    Code::Region,
                    format!("offset {offset} is not a multiple of the {bytes} bytes of an element"),
                ),
            }
        });
        elements.collect::<Result<Vec<u32>>>().map(Some)
    }

    /// A region that is read as a source.
    pub fn region(&mut self, inst: Inst, sign: Sign) -> Result<Src> {
        let data = self.data(inst);
        let (count, scalar) = self.shape_of(data.ty)?;
        let (of, from) = self.shape(data.args[0])?;
        if from != scalar || data.args.len() < 5 {
            return self.error(
                Code::Mismatch,
                "a region has another element type than its vector",
            );
        }
        let ty = self.visa(scalar, sign)?;
        let shape = [
            self.number(data.args[1])?,
            self.number(data.args[2])?,
            self.number(data.args[3])?,
        ];
        if let Some(offsets) = self.constant_offsets(data.args[4], ty.bytes())? {
            let numbers = self.region_numbers(shape, count, of, &offsets)?;
            let src = self.source(data.args[0], sign)?;
            return Ok(selected(src, numbers.into_iter()));
        }
        let numbers = self.region_numbers(shape, count, u32::MAX, &[0])?;
        let src = self.source(data.args[0], sign)?;
        let offset = self.scalar(data.args[4], Sign::Unsigned)?;
        self.indirect(src, numbers, offset)
    }

    /// Elements of a source from a variable byte on.
    pub fn indirect(&mut self, src: Src, numbers: Vec<u32>, offset: Src) -> Result<Src> {
        match src {
            Src::Var {
                var,
                ty,
                layout,
                modifier,
            } => {
                let addr = self.address_of(var, layout.at(0), offset)?;
                let layout = Layout::contiguous(0, ty.bytes()).select(numbers.into_iter());
                Ok(Src::Indirect {
                    addr,
                    ty,
                    layout,
                    modifier,
                })
            }
            Src::Imm { ty, bits } => Ok(imm(ty, bits)),
            Src::Indirect { .. } => {
                self.unsupported("a region at a variable place of another such")
            }
        }
    }

    /// Address variable of a byte of a variable, with an offset in bytes.
    pub fn address_of(
        &mut self,
        var: Var,
        byte: u32,
        offset: Src,
    ) -> Result<kiln_visa::module::Addr> {
        let word = self.as_word(offset)?;
        let addr = self.object().addr(1);
        let to = Operand::Address {
            addr,
            off: 0,
            width: 1,
        };
        let base = Operand::AddressOf {
            var,
            offset: byte as u16,
        };
        self.object()
            .inst(Opcode::AddrAdd, exec(1), [to, base, word]);
        Ok(addr)
    }

    /// The lower word of a scalar as an operand.
    fn as_word(&mut self, offset: Src) -> Result<Operand> {
        match offset {
            Src::Imm { bits, .. } => Ok(Operand::imm(VType::Uw, bits & 0xffff)),
            Src::Var {
                var, layout, ty, ..
            } if ty.bytes() >= 2 => Ok(self.object().scalar(var, VType::Uw, layout.at(0))),
            other => {
                let (var, dst, _) = self.temp(VType::Uw, 1);
                self.copy(1, dst, other)?;
                Ok(self.object().scalar(var, VType::Uw, 0))
            }
        }
    }

    /// Source of an `extractelement`.
    pub fn element(&mut self, inst: Inst, sign: Sign) -> Result<Src> {
        let data = self.data(inst);
        let (count, _) = self.shape(data.args[0])?;
        let src = self.source(data.args[0], sign)?;
        if let Some(index) = bale::uniform(self.function, data.args[1]) {
            if index >= u64::from(count) {
                return Ok(imm(src.ty(), 0));
            }
            return Ok(selected(src, std::iter::once(index as u32)));
        }
        let bytes = src.ty().bytes();
        let offset = self.byte_offset(data.args[1], bytes)?;
        self.indirect(src, vec![0], offset)
    }

    /// An index in elements as an offset in bytes.
    pub fn byte_offset(&mut self, index: Value, bytes: u32) -> Result<Src> {
        let index = self.scalar(index, Sign::Unsigned)?;
        if bytes == 1 {
            return Ok(index);
        }
        let index = match index {
            Src::Var {
                var, ty, layout, ..
            } if ty.bytes() > 2 => source(var, VType::Uw, layout),
            other => other,
        };
        let (_, dst, word) = self.temp(VType::Uw, 1);
        let amount = imm(VType::Uw, u64::from(bytes.trailing_zeros()));
        self.alu(Opcode::Shl, 1, dst, &[index, amount])?;
        Ok(word)
    }

    /// Variable of a vector of constants that differ; made once a block.
    pub fn constant(&mut self, value: Value, ty: VType, elements: &[u64]) -> Result<Var> {
        if let Some(Place::Var(var)) = self.constants.get(&value) {
            return Ok(*var);
        }
        let bytes = super::object::padded_bytes(elements.len() as u32, ty.bytes());
        let var = self.object().var(ty, bytes);
        self.fill(var, ty, elements)?;
        self.constants.insert(value, Place::Var(var));
        Ok(var)
    }

    /// Elements of 64 bits as those of 32 that they are extended from, with the type, if those are multiples.
    fn narrower(&self, ty: VType, elements: &[u64]) -> Option<(VType, Vec<u64>)> {
        let long = matches!(ty, VType::Q | VType::Uq) && self.shared.platform.int64;
        let size = [8, 4].into_iter().find(|n| elements.len() >= *n)?;
        let all = |fits: fn(u64) -> bool| elements.iter().all(|e| fits(*e));
        let narrow = match () {
            () if !long => None,
            () if all(|e| i32::try_from(e.cast_signed()).is_ok()) => Some(VType::D),
            () if all(|e| u32::try_from(e).is_ok()) => Some(VType::Ud),
            () => None,
        }?;
        let small: Vec<u64> = elements.iter().map(|e| e & 0xffff_ffff).collect();
        Multiples::of(&small[..size], narrow.bytes())?;
        Some((narrow, small))
    }

    /// Writes constants into a variable: runs of equal ones, of small multiples with an offset, and of those before them
    /// with an offset take up to three instructions each.
    pub fn fill(&mut self, var: Var, ty: VType, elements: &[u64]) -> Result<()> {
        let bytes = ty.bytes();
        let layout = |at: usize| Layout::contiguous(at as u32 * bytes, bytes);
        let dst = |at: usize| Dst::var(var, ty, layout(at));
        if let Some((narrow, small)) = self.narrower(ty, elements) {
            let (var, _, src) = self.temp(narrow, elements.len() as u32);
            self.fill(var, narrow, &small)?;
            return self.copy(elements.len() as u32, dst(0), src);
        }
        let is_int = matches!(
            ty,
            VType::B | VType::Ub | VType::W | VType::Uw | VType::D | VType::Ud
        );
        let mut at = 0;
        while at < elements.len() {
            let rest = &elements[at..];
            if let Some((wide, bits, count)) = periodic(rest, at, bytes) {
                let layout = Layout::contiguous(at as u32 * bytes, wide.bytes());
                self.copy(count, Dst::var(var, wide, layout), imm(wide, bits))?;
                at += (count * wide.bytes() / bytes) as usize;
                continue;
            }
            let equal = rest.iter().take_while(|e| **e == rest[0]).count();
            if equal >= 4 || !is_int {
                self.copy(equal as u32, dst(at), imm(ty, rest[0]))?;
                at += equal;
                continue;
            }
            if let Some((size, distance)) = repetition(elements, at, bytes) {
                let before = source(var, ty, layout(at - size));
                let distance = imm(wide_imm(ty), distance);
                self.alu(Opcode::Add, size as u32, dst(at), &[before, distance])?;
                at += size;
                continue;
            }
            let size = [8, 4].into_iter().find(|n| rest.len() >= *n);
            if let Some(multiples) = size.and_then(|n| Multiples::of(&rest[..n], bytes)) {
                let Multiples { size, .. } = multiples;
                let these = source(var, ty, layout(at));
                self.copy(size, dst(at), imm(multiples.kind, multiples.packed))?;
                let steps = [
                    (Opcode::Mul, multiples.unit, 1),
                    (Opcode::Add, multiples.base, 0),
                ];
                for (op, number, _) in steps.into_iter().filter(|s| s.1 != s.2) {
                    let number = imm(wide_imm(ty), number);
                    self.alu(op, size, dst(at), &[these.clone(), number])?;
                }
                at += size as usize;
                continue;
            }
            self.copy(equal as u32, dst(at), imm(ty, rest[0]))?;
            at += equal;
        }
        Ok(())
    }
}

/// Elements of bytes or words from number `at` on as equal doublewords, at least two: their type, value and number.
fn periodic(elements: &[u64], at: usize, bytes: u32) -> Option<(VType, u64, u32)> {
    let wide = VType::Ud;
    let each = (wide.bytes() / bytes) as usize;
    if each < 2 || !at.is_multiple_of(each) {
        return None;
    }
    let mask = u64::MAX >> (64 - 8 * bytes);
    let packed = |chunk: &[u64]| {
        let parts = chunk.iter().rev();
        parts.fold(0, |bits, element| bits << (8 * bytes) | element & mask)
    };
    let mut chunks = elements.chunks_exact(each).map(packed);
    let first = chunks.next()?;
    let count = 1 + chunks.take_while(|chunk| *chunk == first).count() as u32;
    (count >= 2).then_some((wide, first, count))
}

/// Bits of an element of so many bytes, again and again in a wider one.
pub fn repeated(bits: u64, bytes: u32, wide: u32) -> u64 {
    let element = bits & (u64::MAX >> (64 - 8 * bytes));
    (0..wide / bytes).fold(0, |all, _| all << (8 * bytes) | element)
}

/// Maximum size of an operand in bytes.
const MAX_OPERAND_BYTES: usize = 64;

/// The number of elements, at least four, that are those before them plus a number, and that number.
fn repetition(elements: &[u64], at: usize, bytes: u32) -> Option<(usize, u64)> {
    let fits =
        |n: &usize| *n <= at && at + n <= elements.len() && n * bytes as usize <= MAX_OPERAND_BYTES;
    let mask = u64::MAX >> (64 - 8 * bytes);
    let distance = |i: usize, n: usize| elements[i].wrapping_sub(elements[i - n]) & mask;
    [32, 16, 8, 4].into_iter().filter(fits).find_map(|n| {
        let first = distance(at, n);
        let all = (at..at + n).all(|i| distance(i, n) == first);
        all.then_some((n, first))
    })
}

/// Four or eight constants as multiples, of four bits each, of a unit, plus a base.
struct Multiples {
    packed: u64,
    kind: VType,
    size: u32,
    unit: u64,
    base: u64,
}

impl Multiples {
    fn of(elements: &[u64], bytes: u32) -> Option<Multiples> {
        let plain = |(packed, kind, unit, base)| Multiples {
            packed,
            kind,
            size: elements.len() as u32,
            unit,
            base,
        };
        if let Some((bits, kind)) = packed(elements, bytes) {
            return Some(plain((bits, kind, 1, 0)));
        }
        let least = elements.iter().map(|e| signed(*e, bytes)).min()?;
        let distance = |e: &u64| signed(*e, bytes).wrapping_sub(least).cast_unsigned();
        let unit = elements.iter().map(distance).fold(0, gcd).max(1);
        let multiples: Vec<u64> = elements.iter().map(|e| distance(e) / unit).collect();
        let small = multiples.iter().all(|m| *m < 16) && unit <= u64::from(u16::MAX);
        let (bits, kind) = packed(&multiples, 8)?;
        small.then(|| plain((bits, kind, unit, least.cast_unsigned())))
    }
}

/// The greatest common divisor (Euclid).
fn gcd(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

/// Type of an immediate for an operation of a type.
fn wide_imm(ty: VType) -> VType {
    match ty {
        VType::B => VType::W,
        VType::Ub => VType::Uw,
        ty => ty,
    }
}

/// Value of an element, its sign extended.
fn signed(bits: u64, bytes: u32) -> i64 {
    let shift = 64 - 8 * bytes;
    (bits << shift).cast_signed() >> shift
}

/// Elements as a packed immediate of eight numbers of four bits.
fn packed(elements: &[u64], bytes: u32) -> Option<(u64, VType)> {
    let all =
        |range: std::ops::Range<i64>| elements.iter().all(|e| range.contains(&signed(*e, bytes)));
    let kind = match (all(0..16), all(-8..8)) {
        (true, _) => VType::Uv,
        (_, true) => VType::V,
        _ => return None,
    };
    let bits = (0..)
        .zip(elements)
        .fold(0, |bits, (i, e)| bits | (e & 15) << (4 * i));
    Some((bits, kind))
}

/// The first element of a source for all channels.
pub fn uniform(src: Src) -> Src {
    src.laid_out(|layout| Layout::same(layout.at(0)))
}

/// Some elements of a source.
pub fn selected(src: Src, numbers: impl Iterator<Item = u32>) -> Src {
    src.laid_out(|layout| layout.select(numbers))
}

/// The source with its sign changed.
pub fn negated(src: Src) -> Src {
    match src {
        Src::Imm { ty, bits } => {
            let sign = 1u64 << (8 * ty.bytes() - 1);
            match ty {
                VType::F | VType::Df | VType::Hf => imm(ty, bits ^ sign),
                _ => imm(ty, bits.wrapping_neg()),
            }
        }
        Src::Var { modifier, .. } | Src::Indirect { modifier, .. } => {
            let new = match modifier {
                Modifier::None => Modifier::Neg,
                Modifier::Neg => Modifier::None,
                Modifier::Abs => Modifier::NegAbs,
                Modifier::NegAbs => Modifier::Abs,
                other => other,
            };
            src.with(new)
        }
    }
}
