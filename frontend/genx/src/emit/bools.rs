//! Vectors of `i1`: comparisons, logic, and their conversions to and from numbers.

use kiln_visa::module::{Operand, PredUse, Predicate, Type as VType};
use kiln_visa::opcode::{Opcode, Relation};
use smallvec::smallvec;

use super::bale::{self, Fold};
use super::function::{Emitter, Place, elementwise, imm};
use super::object::exec;
use super::operand::{Dst, Elementwise, Src};
use super::predicates::{CHANNELS, Mask, channels};
use super::value::selected;
use crate::error::{Code, Result};
use crate::intrinsics::{Kind, Sign};
use crate::ir::{BinaryOp, CastOp, Const, FloatRel, Inst, IntRel, Op, Scalar, Value, ValueDef};

impl Emitter<'_, '_> {
    /// A vector of `i1` as a mask of predicates.
    pub fn mask(&mut self, value: Value) -> Result<Mask> {
        let (count, _) = self.shape(value)?;
        if self.diverge.as_ref().is_some_and(|plan| plan.masks[value]) {
            return Ok(Mask::execution(count));
        }
        match &self.function.values[value].def {
            ValueDef::Const(constant) => {
                if let Some(Place::Mask(mask)) = self.constants.get(&value) {
                    return Ok(mask.clone());
                }
                let bits: Vec<bool> = match constant {
                    Const::Vector(elements) => elements.iter().map(|e| e & 1 != 0).collect(),
                    Const::Bits(bits) => vec![bits & 1 != 0; count as usize],
                    _ => vec![false; count as usize],
                };
                let mask = self.constant_mask(&bits)?;
                self.constants.insert(value, Place::Mask(mask.clone()));
                Ok(mask)
            }
            ValueDef::Inst(inst) if self.bales.fold[*inst] == Fold::Mask => {
                let data = self.data(*inst);
                let mut mask = self.mask(data.args[0])?;
                match &data.op {
                    Op::Shuffle(_) => {
                        mask.count = count;
                        mask.parts.truncate(1);
                    }
                    _ => mask.inverse = !mask.inverse,
                }
                Ok(mask)
            }
            _ => match self.place(value)? {
                Place::Mask(mask) => Ok(mask),
                _ => self.error(Code::Mismatch, "a vector of i1 is expected"),
            },
        }
    }

    fn constant_mask(&mut self, bits: &[bool]) -> Result<Mask> {
        let mask = self.object().mask(bits.len() as u32);
        for (part, bits) in mask.parts.iter().zip(bits.chunks(CHANNELS as usize)) {
            let n = (0..)
                .zip(bits)
                .fold(0u64, |n, (i, b)| n | u64::from(*b) << i);
            self.set(*part, bits.len() as u32, Operand::imm(VType::Ud, n));
        }
        Ok(mask)
    }

    /// Sets a predicate to the bits of a dword.
    fn set(&mut self, pred: Predicate, width: u32, bits: Operand) {
        let to = Operand::Predicate(PredUse::of(pred));
        self.object()
            .inst(Opcode::Setp, exec(channels(width)), [to, bits]);
    }

    /// A mask for so many elements; a scalar is one for all.
    pub fn mask_of(&mut self, value: Value, count: u32) -> Result<Mask> {
        let (found, _) = self.shape(value)?;
        if found == count {
            return self.mask(value);
        }
        if found != 1 {
            return self.error(
                Code::Mismatch,
                format!("a mask of {found} elements for {count}"),
            );
        }
        if let Some(bit) = bale::uniform(self.function, value) {
            return self.constant_mask(&vec![bit & 1 != 0; count as usize]);
        }
        let one = self.mask(value)?;
        self.splat(&one, count)
    }

    /// One `i1` for all elements.
    fn splat(&mut self, one: &Mask, count: u32) -> Result<Mask> {
        let (_, dst, all) = self.temp(VType::Ud, 1);
        self.choose(
            one.clone(),
            1,
            dst,
            imm(VType::Ud, 0xffff_ffff),
            imm(VType::Ud, 0),
            false,
        )?;
        let mask = self.object().mask(count);
        for part in 0..mask.parts.len() {
            let bits = self.operand_of(&all)?;
            self.set(mask.parts[part], mask.width(part), bits);
        }
        Ok(mask)
    }

    fn operand_of(&mut self, src: &Src) -> Result<Operand> {
        match src {
            Src::Var {
                var, ty, layout, ..
            } => Ok(self.object().scalar(*var, *ty, layout.at(0))),
            Src::Imm { ty, bits } => Ok(Operand::imm(*ty, *bits)),
            Src::Indirect { .. } => self.unsupported("such an operand"),
        }
    }

    /// The elements of a part of a mask as a dword, those after the last clear.
    pub fn bits(&mut self, mask: &Mask, part: usize) -> Result<Src> {
        let width = mask.width(part);
        let (var, dst, src) = self.temp(VType::Ud, 1);
        let to = self.object().element(var, VType::Ud, 0);
        let pred = Operand::Predicate(PredUse::of(mask.parts[part]));
        self.object().inst(Opcode::Mov, exec(1), [to, pred]);
        if mask.inverse {
            self.alu(Opcode::Not, 1, dst.clone(), std::slice::from_ref(&src))?;
        }
        if width < 32 {
            self.alu(
                Opcode::And,
                1,
                dst,
                &[src.clone(), imm(VType::Ud, (1 << width) - 1)],
            )?;
        }
        Ok(src)
    }

    /// Some consecutive elements of a mask.
    pub fn sub_mask(&mut self, mask: &Mask, first: u32, count: u32) -> Result<Mask> {
        if mask.execution {
            return self.unsupported("a part of the execution mask");
        }
        let (part, shift) = (first / CHANNELS, first % CHANNELS);
        if shift == 0 && first + count <= mask.count && count <= CHANNELS {
            return Ok(Mask {
                parts: smallvec![mask.parts[part as usize]],
                count,
                ..mask.clone()
            });
        }
        if shift + count > CHANNELS {
            let ones = self.ones(mask.clone())?;
            let to = self.object().mask(count);
            self.test(selected(ones, first..first + count), count, &to)?;
            return Ok(to);
        }
        let src = self.bits(mask, part as usize)?;
        let (_, dst, moved) = self.temp(VType::Ud, 1);
        self.alu(Opcode::Shr, 1, dst, &[src, imm(VType::Ud, shift.into())])?;
        let to = self.object().mask(count);
        let bits = self.operand_of(&moved)?;
        self.set(to.parts[0], count, bits);
        Ok(to)
    }

    /// Sets a mask where elements are not 0.
    pub fn test(&mut self, src: Src, count: u32, to: &Mask) -> Result<()> {
        let zero = imm(src.ty(), 0);
        self.relation(Relation::Ne, count, Dst::Predicate(to.clone()), src, zero)
    }

    fn relation(&mut self, rel: Relation, count: u32, dst: Dst, a: Src, b: Src) -> Result<()> {
        self.apply(Elementwise {
            lead: Some(rel.into()),
            ..elementwise(Opcode::Cmp, count, dst, &[a, b])
        })
    }

    /// New mask of a comparison.
    pub fn compare(&mut self, rel: Relation, count: u32, a: Src, b: Src) -> Result<Mask> {
        let mask = self.object().mask(count);
        self.relation(rel, count, Dst::Predicate(mask.clone()), a, b)?;
        Ok(mask)
    }

    /// Copies a mask.
    pub fn copy_mask(&mut self, to: &Mask, from: &Mask) -> Result<()> {
        for part in 0..to.parts.len().min(from.parts.len()) {
            let (dst, src) = (to.parts[part], from.parts[part]);
            if dst == src && !from.inverse {
                continue;
            }
            let op = if from.inverse {
                Opcode::Not
            } else {
                Opcode::And
            };
            self.logic(op, to.width(part), dst, src, src);
        }
        Ok(())
    }

    fn logic(&mut self, op: Opcode, width: u32, dst: Predicate, a: Predicate, b: Predicate) {
        let operand = |p| Operand::Predicate(PredUse::of(p));
        let exec = exec(channels(width));
        match op {
            Opcode::Not => self.object().inst(op, exec, [operand(dst), operand(a)]),
            _ => self
                .object()
                .inst(op, exec, [operand(dst), operand(a), operand(b)]),
        }
    }

    /// An operation on all parts of masks.
    fn combine(&mut self, op: Opcode, to: &Mask, a: &Mask, b: &Mask) -> Result<()> {
        let a = self.plain(a)?;
        let b = self.plain(b)?;
        for part in 0..to.parts.len() {
            self.logic(
                op,
                to.width(part),
                to.parts[part],
                a.parts[part],
                b.parts[part],
            );
        }
        Ok(())
    }

    /// The mask without its inversion.
    fn plain(&mut self, mask: &Mask) -> Result<Mask> {
        if !mask.inverse {
            return Ok(mask.clone());
        }
        let to = self.object().mask(mask.count);
        self.copy_mask(&to, mask)?;
        Ok(to)
    }

    /// Computes a result that is `i1` or a vector of it.
    pub fn bools(&mut self, inst: Inst, result: Value) -> Result<()> {
        let data = self.data(inst);
        let Place::Mask(to) = self.place(result)? else {
            return self.unsupported("this instruction");
        };
        let count = to.count;
        match &data.op {
            Op::ICmp(rel) => self.compare_ints(inst, *rel, &to),
            Op::FCmp(rel) => self.compare_floats(inst, *rel, &to),
            Op::Binary(op) => self.logic_of(inst, *op, &to),
            Op::Select => {
                let mask = self.mask_of(data.args[0], count)?;
                let (yes, no) = (self.mask(data.args[1])?, self.mask(data.args[2])?);
                let taken = self.object().mask(count);
                self.combine(Opcode::And, &taken, &mask, &yes)?;
                let other = Mask {
                    inverse: !mask.inverse,
                    ..mask
                };
                let left = self.object().mask(count);
                self.combine(Opcode::And, &left, &other, &no)?;
                self.combine(Opcode::Or, &to, &taken, &left)
            }
            Op::Cast(CastOp::Trunc) => {
                let src = self.source(data.args[0], Sign::Unsigned)?;
                let (_, dst, low) = self.temp(src.ty(), count);
                let one = imm(src.ty(), 1);
                self.alu(Opcode::And, count, dst, &[src, one])?;
                self.test(low, count, &to)
            }
            Op::Cast(CastOp::FpToUi | CastOp::FpToSi) => {
                let (_, scalar) = self.shape(data.args[0])?;
                let ty = self.visa(scalar, Sign::Own)?;
                let src = self.source(data.args[0], Sign::Own)?;
                self.relation(Relation::Ne, count, Dst::Predicate(to), src, imm(ty, 0))
            }
            Op::Cast(CastOp::BitCast) | Op::Freeze => self.set_bits(data.args[0], &to),
            Op::ExtractElement => self.extract_bool(inst, &to),
            Op::InsertElement => self.insert_bool(inst, &to),
            Op::Shuffle(mask) => self.shuffle_bools(inst, mask, &to),
            Op::Intrinsic(intrinsic) => match intrinsic.kind() {
                Kind::All | Kind::Any => {
                    let all = matches!(intrinsic.kind(), Kind::All);
                    self.reduce(data.args[0], all, &to)
                }
                Kind::ReadPredicate => {
                    let first = self.number(data.args[1])? as u32;
                    let from = self.mask(data.args[0])?;
                    if first.checked_add(count).is_none_or(|end| end > from.count) {
                        return self.error(Code::Region, "the region is not in the predicate");
                    }
                    let part = self.sub_mask(&from, first, count)?;
                    self.copy_mask(&to, &part)
                }
                Kind::WritePredicate => self.write_predicate(inst, &to),
                Kind::Copy => {
                    let from = self.mask(data.args[0])?;
                    self.copy_mask(&to, &from)
                }
                Kind::Unmask => self.copy_from(&[true; CHANNELS as usize], &to),
                Kind::Remask => self.set_bits(data.args[1], &to),
                _ => self.unsupported(format_args!("{} of i1", intrinsic.name())),
            },
            _ => self.unsupported("this instruction on i1"),
        }
    }

    fn copy_from(&mut self, bits: &[bool], to: &Mask) -> Result<()> {
        let from = self.constant_mask(&bits[..to.count.min(CHANNELS) as usize])?;
        self.copy_mask(to, &from)
    }

    fn compare_ints(&mut self, inst: Inst, rel: IntRel, to: &Mask) -> Result<()> {
        let data = self.data(inst);
        let (count, scalar) = self.shape(data.args[0])?;
        if scalar == Scalar::Int(1) {
            return self.compare_bools(inst, rel, to);
        }
        let sign = match rel {
            IntRel::Eq | IntRel::Ne => Sign::Signed,
            rel => bale::sign(rel.is_signed()),
        };
        let rel = match rel {
            IntRel::Eq => Relation::Eq,
            IntRel::Ne => Relation::Ne,
            IntRel::Ugt | IntRel::Sgt => Relation::Gt,
            IntRel::Uge | IntRel::Sge => Relation::Ge,
            IntRel::Ult | IntRel::Slt => Relation::Lt,
            IntRel::Ule | IntRel::Sle => Relation::Le,
        };
        let a = self.source(data.args[0], sign)?;
        let b = self.source(data.args[1], sign)?;
        self.relation(rel, count, Dst::Predicate(to.clone()), a, b)
    }

    fn compare_bools(&mut self, inst: Inst, rel: IntRel, to: &Mask) -> Result<()> {
        let data = self.data(inst);
        let (a, b) = (self.mask(data.args[0])?, self.mask(data.args[1])?);
        let not = |mask: &Mask| Mask {
            inverse: !mask.inverse,
            ..mask.clone()
        };
        match rel {
            IntRel::Ne => self.combine(Opcode::Xor, to, &a, &b),
            IntRel::Eq => self.combine(Opcode::Xor, to, &a, &not(&b)),
            // A set bit is 1 without a sign and -1 with one.
            IntRel::Ugt | IntRel::Slt => self.combine(Opcode::And, to, &a, &not(&b)),
            IntRel::Ult | IntRel::Sgt => self.combine(Opcode::And, to, &not(&a), &b),
            IntRel::Uge | IntRel::Sle => self.combine(Opcode::Or, to, &a, &not(&b)),
            IntRel::Ule | IntRel::Sge => self.combine(Opcode::Or, to, &not(&a), &b),
        }
    }

    fn compare_floats(&mut self, inst: Inst, rel: FloatRel, to: &Mask) -> Result<()> {
        let data = self.data(inst);
        let (count, _) = self.shape(data.args[0])?;
        let a = self.source(data.args[0], Sign::Own)?;
        let b = self.source(data.args[1], Sign::Own)?;
        let direct = |rel: u8| match rel {
            0b0001 => Some(Relation::Eq),
            0b0010 => Some(Relation::Gt),
            0b0011 => Some(Relation::Ge),
            0b0100 => Some(Relation::Lt),
            0b0101 => Some(Relation::Le),
            0b1110 => Some(Relation::Ne),
            _ => None,
        };
        let FloatRel(bits) = rel;
        if let Some(rel) = direct(bits) {
            return self.relation(rel, count, Dst::Predicate(to.clone()), a, b);
        }
        if bits == 0 || bits == 15 {
            let all = self.constant_mask(&vec![bits == 15; count as usize])?;
            return self.copy_mask(to, &all);
        }
        // The complement, or less or greater, or equal to itself.
        if let Some(rel) = direct(!bits & 15) {
            let mask = self.compare(rel, count, a, b)?;
            return self.copy_mask(
                to,
                &Mask {
                    inverse: true,
                    ..mask
                },
            );
        }
        let (rel, op) = match bits {
            0b0110 | 0b1001 => ((Relation::Gt, Relation::Lt), Opcode::Or),
            _ => ((Relation::Eq, Relation::Eq), Opcode::And),
        };
        let (first, second) = match bits {
            0b0110 | 0b1001 => (
                self.compare(rel.0, count, a.clone(), b.clone())?,
                self.compare(rel.1, count, a, b)?,
            ),
            _ => (self.itself(count, a)?, self.itself(count, b)?),
        };
        if matches!(bits, 0b0110 | 0b0111) {
            return self.combine(op, to, &first, &second);
        }
        let mask = self.object().mask(count);
        self.combine(op, &mask, &first, &second)?;
        self.copy_mask(
            to,
            &Mask {
                inverse: true,
                ..mask
            },
        )
    }

    /// Mask of the elements that are numbers.
    fn itself(&mut self, count: u32, src: Src) -> Result<Mask> {
        let src = match src {
            Src::Imm { .. } => {
                let (_, dst, var) = self.temp(src.ty(), count);
                self.copy(count, dst, src)?;
                var
            }
            src => src,
        };
        self.compare(Relation::Eq, count, src.clone(), src)
    }

    fn logic_of(&mut self, inst: Inst, op: BinaryOp, to: &Mask) -> Result<()> {
        let data = self.data(inst);
        let a = self.mask(data.args[0])?;
        if op == BinaryOp::Xor && bale::uniform(self.function, data.args[1]) == Some(1) {
            return self.copy_mask(
                to,
                &Mask {
                    inverse: !a.inverse,
                    ..a
                },
            );
        }
        let b = self.mask(data.args[1])?;
        let op = match op {
            BinaryOp::And | BinaryOp::Mul => Opcode::And,
            BinaryOp::Or => Opcode::Or,
            BinaryOp::Xor | BinaryOp::Add | BinaryOp::Sub => Opcode::Xor,
            _ => return self.unsupported("this operation on i1"),
        };
        self.combine(op, to, &a, &b)
    }

    /// A number with the bits of a mask, or a mask with those of a number.
    fn set_bits(&mut self, value: Value, to: &Mask) -> Result<()> {
        let (count, scalar) = self.shape(value)?;
        if scalar == Scalar::Int(1) {
            let from = self.mask(value)?;
            return self.copy_mask(to, &from);
        }
        let src = self.in_variable(value, count)?;
        for part in 0..to.parts.len() {
            let bytes = to.width(part).div_ceil(8);
            let (_, dst, dword) = self.temp(VType::Ud, 1);
            let from = match &src {
                Src::Var { var, .. } => {
                    let ty = match bytes {
                        1 => VType::Ub,
                        2 => VType::Uw,
                        _ => VType::Ud,
                    };
                    super::function::source(*var, ty, super::operand::Layout::same(part as u32 * 4))
                }
                Src::Imm { bits, .. } => imm(VType::Ud, bits >> (32 * part as u32).min(63)),
                Src::Indirect { .. } => return self.unsupported("such an operand"),
            };
            self.copy(1, dst, from)?;
            let bits = self.operand_of(&dword)?;
            self.set(to.parts[part], to.width(part), bits);
        }
        Ok(())
    }

    /// A conversion of `i1` to numbers.
    pub fn convert_bools(
        &mut self,
        op: CastOp,
        arg: Value,
        count: u32,
        to: Scalar,
        dst: Dst,
    ) -> Result<()> {
        let ty = self.visa(to, Sign::Signed)?;
        let ones = match to {
            Scalar::Half => (0x3c00, 0xbc00),
            Scalar::Float => (0x3f80_0000, 0xbf80_0000),
            Scalar::Double => (1.0f64.to_bits(), (-1.0f64).to_bits()),
            _ => (1, u64::MAX),
        };
        let one = match op {
            CastOp::ZExt | CastOp::UiToFp => ones.0,
            CastOp::SExt | CastOp::SiToFp => ones.1,
            CastOp::BitCast => return self.gather_bits(arg, count, ty, dst),
            _ => return self.unsupported("this conversion of i1"),
        };
        let mask = self.mask(arg)?;
        self.choose(mask, count, dst, imm(ty, one), imm(ty, 0), false)
    }

    fn gather_bits(&mut self, arg: Value, count: u32, ty: VType, dst: Dst) -> Result<()> {
        let mask = self.mask(arg)?;
        let Dst::Var { var, layout, .. } = dst else {
            return self.unsupported("this conversion of i1");
        };
        let whole = mask.count / 8;
        if mask.count % 8 != 0 || whole != count * ty.bytes() {
            return self.unsupported("a number of so many i1");
        }
        for part in 0..mask.parts.len() {
            let bits = self.bits(&mask, part)?;
            let to = match mask.width(part) / 8 {
                1 => VType::Ub,
                2 => VType::Uw,
                4 => VType::Ud,
                _ => return self.unsupported("a number of so many i1"),
            };
            let at = layout.at(0) + part as u32 * 4;
            let dst = Dst::var(var, to, super::operand::Layout::same(at));
            let src = match bits {
                Src::Var { var, layout, .. } if to != VType::Ub => {
                    super::function::source(var, to, layout)
                }
                bits => bits,
            };
            self.copy(1, dst, src)?;
        }
        Ok(())
    }

    fn extract_bool(&mut self, inst: Inst, to: &Mask) -> Result<()> {
        let data = self.data(inst);
        let from = self.mask(data.args[0])?;
        let Some(index) = bale::uniform(self.function, data.args[1]) else {
            if from.parts.len() > 1 {
                return self.unsupported("an element at a variable place of over 32 i1");
            }
            let bits = self.bits(&from, 0)?;
            let index = self.scalar(data.args[1], Sign::Unsigned)?;
            let (_, dst, bit) = self.temp(VType::Ud, 1);
            self.alu(Opcode::Shr, 1, dst.clone(), &[bits, index])?;
            self.alu(Opcode::And, 1, dst, &[bit.clone(), imm(VType::Ud, 1)])?;
            return self.test(bit, 1, to);
        };
        if index >= u64::from(from.count) {
            return Ok(());
        }
        let (part, bit) = (index as u32 / CHANNELS, index as u32 % CHANNELS);
        let bits = self.bits(&from, part as usize)?;
        let (_, dst, src) = self.temp(VType::Ud, 1);
        self.alu(Opcode::And, 1, dst, &[bits, imm(VType::Ud, 1 << bit)])?;
        self.test(src, 1, to)
    }

    fn insert_bool(&mut self, inst: Inst, to: &Mask) -> Result<()> {
        let data = self.data(inst);
        let old = self.mask(data.args[0])?;
        let one = self.mask(data.args[1])?;
        let index = bale::uniform(self.function, data.args[2]);
        let Some(index) = index.filter(|i| *i < u64::from(old.count)) else {
            return self.unsupported("an i1 that is put at a variable place");
        };
        let (part, bit) = (index as u32 / CHANNELS, index as u32 % CHANNELS);
        let bits = self.bits(&old, part as usize)?;
        let (_, dst, new) = self.temp(VType::Ud, 1);
        let clear = imm(VType::Ud, u64::from(!(1u32 << bit)));
        self.alu(Opcode::And, 1, dst, &[bits, clear])?;
        let (_, dst2, chosen) = self.temp(VType::Ud, 1);
        self.choose(
            one,
            1,
            dst2.clone(),
            imm(VType::Ud, 1 << bit),
            imm(VType::Ud, 0),
            false,
        )?;
        self.alu(Opcode::Or, 1, dst2, &[new, chosen.clone()])?;
        self.copy_mask(to, &old)?;
        let bits = self.operand_of(&chosen)?;
        self.set(to.parts[part as usize], to.width(part as usize), bits);
        Ok(())
    }

    fn shuffle_bools(&mut self, inst: Inst, numbers: &[u32], to: &Mask) -> Result<()> {
        let data = self.data(inst);
        let (count, _) = self.shape(data.args[0])?;
        let first = numbers
            .iter()
            .copied()
            .find(|n| *n != u32::MAX)
            .unwrap_or(0);
        let from = self.mask(data.args[usize::from(first >= count)])?;
        let start = first % count;
        let run = (0..)
            .zip(numbers)
            .all(|(i, n)| *n == u32::MAX || *n == first + i);
        if run && start + to.count <= from.count {
            let part = self.sub_mask(&from, start, to.count)?;
            return self.copy_mask(to, &part);
        }
        if numbers.iter().all(|n| *n == first || *n == u32::MAX) {
            let one = self.sub_mask(&from, start, 1)?;
            let all = self.splat(&one, to.count)?;
            return self.copy_mask(to, &all);
        }
        // In words of 0 and 1, one vector after the other.
        let (var, _, words) = self.temp(VType::Uw, 2 * count);
        for (n, arg) in (0..2).zip(&data.args) {
            let mask = self.mask(*arg)?;
            let ones = self.ones(mask)?;
            let layout = super::operand::Layout::contiguous(n * count * 2, 2);
            let dst = Dst::var(var, VType::Uw, layout);
            self.copy(count, dst, ones)?;
        }
        let numbers: Vec<u32> = numbers
            .iter()
            .map(|n| if *n == u32::MAX { 0 } else { *n })
            .collect();
        self.test(selected(words, numbers.into_iter()), to.count, to)
    }

    fn reduce(&mut self, arg: Value, all: bool, to: &Mask) -> Result<()> {
        let (count, scalar) = self.shape(arg)?;
        let mask = match scalar {
            Scalar::Int(1) => self.mask(arg)?,
            // A number is true if it is not 0.
            _ => {
                let mask = self.object().mask(count);
                let src = self.in_variable(arg, count)?;
                self.test(src, count, &mask)?;
                mask
            }
        };
        let mut result = self.bits(&mask, 0)?;
        let full = |width: u32| u64::from(u32::MAX >> (32 - width));
        if mask.parts.len() == 1 {
            let (rel, with) = match all {
                true => (Relation::Eq, full(mask.width(0))),
                false => (Relation::Ne, 0),
            };
            return self.relation(
                rel,
                1,
                Dst::Predicate(to.clone()),
                result,
                imm(VType::Ud, with),
            );
        }
        for part in 1..mask.parts.len() {
            let mut bits = self.bits(&mask, part)?;
            if all && mask.width(part) < 32 {
                let (_, dst, filled) = self.temp(VType::Ud, 1);
                let rest = u64::from(!(full(mask.width(part)) as u32));
                self.alu(Opcode::Or, 1, dst, &[bits, imm(VType::Ud, rest)])?;
                bits = filled;
            }
            let (_, dst, both) = self.temp(VType::Ud, 1);
            let op = if all { Opcode::And } else { Opcode::Or };
            self.alu(op, 1, dst, &[result, bits])?;
            result = both;
        }
        let (rel, with) = if all {
            (Relation::Eq, 0xffff_ffff)
        } else {
            (Relation::Ne, 0)
        };
        self.relation(
            rel,
            1,
            Dst::Predicate(to.clone()),
            result,
            imm(VType::Ud, with),
        )
    }

    fn write_predicate(&mut self, inst: Inst, to: &Mask) -> Result<()> {
        let data = self.data(inst);
        let old = self.mask(data.args[0])?;
        let new = self.mask(data.args[1])?;
        let first = self.number(data.args[2])? as u32;
        let (part, shift) = (first / CHANNELS, first % CHANNELS);
        if first
            .checked_add(new.count)
            .is_none_or(|end| end > old.count)
            || shift + new.count > CHANNELS
        {
            return self.error(Code::Region, "the region is not in the predicate");
        }
        let mut bits = self.bits(&new, 0)?;
        if let Some(mask) = data.args.get(3) {
            let mask = self.mask(*mask)?;
            let em = self.bits(&mask, part as usize)?;
            let (_, dst, cut) = self.temp(VType::Ud, 1);
            self.alu(
                Opcode::Shr,
                1,
                dst.clone(),
                &[em, imm(VType::Ud, shift.into())],
            )?;
            self.alu(Opcode::And, 1, dst, &[cut.clone(), bits])?;
            bits = cut;
        }
        let mut moved = bits;
        if shift != 0 {
            let (_, dst, shifted) = self.temp(VType::Ud, 1);
            self.alu(Opcode::Shl, 1, dst, &[moved, imm(VType::Ud, shift.into())])?;
            moved = shifted;
        }
        let kept = self.bits(&old, part as usize)?;
        let hole = u64::from(!((u32::MAX >> (32 - new.count)) << shift));
        let (_, dst, rest) = self.temp(VType::Ud, 1);
        self.alu(Opcode::And, 1, dst.clone(), &[kept, imm(VType::Ud, hole)])?;
        self.alu(Opcode::Or, 1, dst, &[rest.clone(), moved])?;
        self.copy_mask(to, &old)?;
        let bits = self.operand_of(&rest)?;
        self.set(to.parts[part as usize], to.width(part as usize), bits);
        Ok(())
    }
}
