//! Regions and elements that are read and written by themselves.

use kiln_visa::module::Var;
use kiln_visa::opcode::Opcode;

use super::bale::{self, Fold};
use super::function::{Emitter, imm};
use super::operand::{Dst, Layout, Src};
use super::parts::Part;
use super::predicates::Mask;
use super::value::selected;
use crate::error::{Code, Result};
use crate::intrinsics::Sign;
use crate::ir::{Inst, Scalar, Value, ValueDef};

impl Emitter<'_, '_> {
    /// True if an instruction, or one folded into it, reads a value of a class.
    fn reads(&self, value: Value, class: Value) -> bool {
        match self.function.values[value].def {
            ValueDef::Inst(inst) if self.bales.fold[inst] != Fold::No => self
                .data(inst)
                .args
                .iter()
                .any(|arg| self.reads(*arg, class)),
            ValueDef::Inst(_) | ValueDef::Param(_) => self.classes.root(value) == class,
            _ => false,
        }
    }

    /// Puts the old value of a vector into the variable of the new one. Returns true if `new` must be computed
    /// before that, for it reads what is overwritten.
    fn keep_old(&mut self, result: Value, old: Value, new: Value) -> Result<bool> {
        let class = self.classes.root(result);
        if self.function.is_undef(old) || self.classes.root(old) == class {
            return Ok(false);
        }
        Ok(self.reads(new, class))
    }

    fn write_old(&mut self, result: Value, old: Value) -> Result<()> {
        if self.function.is_undef(old) || self.classes.root(old) == self.classes.root(result) {
            return Ok(());
        }
        let (count, _) = self.shape(result)?;
        let src = self.source(old, Sign::Signed)?;
        let dst = self.whole(result, Sign::Signed)?;
        self.copy(count, dst, src)
    }

    /// A new element or region as a source in a variable of its own.
    fn apart(&mut self, new: Value) -> Result<Src> {
        let (count, scalar) = self.shape(new)?;
        let ty = self.visa(scalar, Sign::Signed)?;
        let (_, dst, src) = self.temp(ty, count);
        self.write_new(new, count, dst, None)?;
        Ok(src)
    }

    /// The part of a vector that a value stays in.
    fn part_of(&self, value: Value) -> Option<Part> {
        match self.function.values[value].def {
            ValueDef::Inst(_) => self.parts[self.classes.root(value)],
            _ => None,
        }
    }

    /// Writes a value, or computes it, into a destination.
    fn write_new(&mut self, new: Value, count: u32, dst: Dst, mask: Option<Mask>) -> Result<()> {
        match self.function.inst_of(new) {
            Some(inst) if self.bales.fold[inst] == Fold::Destination => {
                self.compute(inst, dst, mask, false)
            }
            _ => {
                let src = self.source(new, Sign::Signed)?;
                self.masked(Opcode::Mov, count, dst, &[src], mask, false)
            }
        }
    }

    pub fn write_region(&mut self, inst: Inst, result: Value) -> Result<()> {
        let data = self.data(inst);
        let [old, new, v, w, h, offset, _, mask] = data.args[..] else {
            return self.error(Code::Operand, "a region that is written has eight operands");
        };
        let (of, scalar) = self.shape(result)?;
        let (count, element) = self.shape(new)?;
        if element != scalar || self.function.ty(old) != data.ty {
            return self.error(
                Code::Mismatch,
                "a region has another element type than its vector",
            );
        }
        let ty = self.visa(scalar, Sign::Signed)?;
        let shape = [self.number(v)?, self.number(w)?, self.number(h)?];
        let everything = bale::uniform(self.function, mask) == Some(1);
        let mask = match everything {
            true => None,
            false => Some(self.mask_of(mask, count)?),
        };
        let source = match self.keep_old(result, old, new)? {
            true => Some(self.apart(new)?),
            false => None,
        };
        let offsets = self.constant_offsets(offset, ty.bytes())?;
        let numbers = match &offsets {
            Some(offsets) => self.region_numbers(shape, count, of, offsets)?,
            None => self.region_numbers(shape, count, u32::MAX, &[0])?,
        };
        let all = everything && offsets.is_some() && (0..of).eq(numbers.iter().copied());
        if !all {
            self.write_old(result, old)?;
        }
        if let Some(part) = self.part_of(new)
            && self.classes.root(part.of) == self.classes.root(result)
            && everything
            && offsets.as_deref() == Some(&[part.byte / ty.bytes()])
        {
            return Ok(());
        }
        let var = self.var(result)?;
        let layout = Layout::contiguous(0, ty.bytes());
        if offsets.is_none() && self.shape(offset)?.0 > 1 {
            let rows = self.shape(offset)?.0;
            // A row may be written over what a later one reads.
            let class = self.classes.root(result);
            let src = match source {
                Some(src) => src,
                None if self.reads(new, class) => self.apart(new)?,
                None => self.source(new, Sign::Signed)?,
            };
            return self.write_rows(var, layout, src, offset, count / rows, shape[2], mask);
        }
        let layout = layout.select(numbers.into_iter());
        let dst = match offsets {
            Some(_) => Dst::Var { var, ty, layout },
            None => {
                let offset = self.scalar(offset, Sign::Unsigned)?;
                let addr = self.address_of(var, 0, offset)?;
                Dst::Indirect {
                    addr,
                    var,
                    ty,
                    layout,
                }
            }
        };
        match source {
            Some(src) => self.masked(Opcode::Mov, count, dst, &[src], mask, false),
            None => self.write_new(new, count, dst, mask),
        }
    }

    /// Writes rows of a region, each at its own variable place.
    #[expect(clippy::too_many_arguments, reason = "all parts of the region")]
    fn write_rows(
        &mut self,
        var: Var,
        whole: Layout,
        src: Src,
        offset: Value,
        width: u32,
        stride: u64,
        mask: Option<Mask>,
    ) -> Result<()> {
        let offsets = self.source(offset, Sign::Unsigned)?;
        let rows = self.shape(offset)?.0;
        let ty = src.ty();
        // A mask of part of the elements is applied on what is there.
        let masked = mask.is_some();
        for row in 0..rows {
            let one = super::value::uniform(selected(offsets.clone(), std::iter::once(row)));
            let addr = self.address_of(var, 0, one)?;
            let layout = whole.select((0..width).map(|i| i * stride as u32));
            let dst = Dst::Indirect {
                addr,
                var,
                ty,
                layout,
            };
            let part = selected(src.clone(), row * width..(row + 1) * width);
            if !masked {
                self.copy(width, dst, part)?;
                continue;
            }
            let Some(mask) = &mask else { continue };
            let bits = self.sub_mask(mask, row * width, width)?;
            self.masked(Opcode::Mov, width, dst, &[part], Some(bits), false)?;
        }
        Ok(())
    }

    pub fn read_region(&mut self, inst: Inst, result: Value) -> Result<()> {
        let data = self.data(inst);
        let Some(&offset) = data.args.get(4) else {
            return self.error(Code::Operand, "a region that is read has six operands");
        };
        if let Some(part) = self.part_of(result)
            && self.classes.root(part.of) == self.classes.root(data.args[0])
        {
            return Ok(());
        }
        let dst = self.whole(result, Sign::Signed)?;
        let (count, _) = self.shape(result)?;
        let rows = self.shape(offset)?.0;
        if rows == 1 || self.function.as_const(offset).is_some() {
            let src = self.region(inst, Sign::Signed)?;
            return self.copy(count, dst, src);
        }
        let width = match self.number(data.args[2])? as u32 {
            0 => count / rows,
            width => width,
        };
        let stride = self.number(data.args[3])?;
        if u64::from(rows) * u64::from(width) != u64::from(count) || stride > 1 << 16 {
            return self.error(Code::Region, "a region must have an offset for each row");
        }
        let from = self.in_variable(data.args[0], self.shape(data.args[0])?.0)?;
        let offsets = self.source(offset, Sign::Unsigned)?;
        for row in 0..rows {
            let one = super::value::uniform(selected(offsets.clone(), std::iter::once(row)));
            let numbers = (0..width).map(|i| i * stride as u32).collect();
            let src = self.indirect(from.clone(), numbers, one)?;
            let Dst::Var { var, ty, layout } = &dst else {
                return Ok(());
            };
            let to = Dst::var(*var, *ty, layout.moved(row * width * ty.bytes()));
            self.copy(width, to, src)?;
        }
        Ok(())
    }

    pub fn insert_element(&mut self, inst: Inst) -> Result<()> {
        let data = self.data(inst);
        let Some(result) = data.result else {
            return Ok(());
        };
        if self.shared.module.types.is_bool(data.ty) {
            return self.bools(inst, result);
        }
        let (old, new, index) = (data.args[0], data.args[1], data.args[2]);
        let (of, scalar) = self.shape(result)?;
        let ty = self.visa(scalar, Sign::Signed)?;
        let source = match self.keep_old(result, old, new)? {
            true => Some(self.apart(new)?),
            false => None,
        };
        self.write_old(result, old)?;
        let var = self.var(result)?;
        let dst = match bale::uniform(self.function, index) {
            Some(index) if index >= u64::from(of) => return Ok(()),
            Some(index) => Dst::var(var, ty, Layout::same(index as u32 * ty.bytes())),
            None => {
                let offset = self.byte_offset(index, ty.bytes())?;
                let addr = self.address_of(var, 0, offset)?;
                Dst::Indirect {
                    addr,
                    var,
                    ty,
                    layout: Layout::same(0),
                }
            }
        };
        match source {
            Some(src) => self.copy(1, dst, src),
            None => self.write_new(new, 1, dst, None),
        }
    }

    pub fn extract_element(&mut self, inst: Inst) -> Result<()> {
        let data = self.data(inst);
        let Some(result) = data.result else {
            return Ok(());
        };
        if self.shared.module.types.is_bool(data.ty) {
            return self.bools(inst, result);
        }
        let dst = self.whole(result, Sign::Signed)?;
        let src = self.element(inst, Sign::Signed)?;
        self.copy(1, dst, src)
    }

    pub fn shuffle(&mut self, inst: Inst, mask: &[u32]) -> Result<()> {
        let data = self.data(inst);
        let Some(result) = data.result else {
            return Ok(());
        };
        if self.shared.module.types.is_bool(data.ty) {
            return self.bools(inst, result);
        }
        let (count, scalar) = self.shape(data.args[0])?;
        let ty = self.visa(scalar, Sign::Signed)?;
        let var = self.var(result)?;
        let whole = Layout::contiguous(0, ty.bytes());
        for (n, arg) in (0..2).zip(&data.args) {
            let first = n * count;
            let taken = |m: &u32| *m != u32::MAX && (first..first + count).contains(m);
            let to: Vec<u32> = (0..)
                .zip(mask)
                .filter(|(_, m)| taken(m))
                .map(|(i, _)| i)
                .collect();
            if to.is_empty() || self.function.is_undef(*arg) {
                continue;
            }
            let from: Vec<u32> = mask
                .iter()
                .filter(|m| taken(m))
                .map(|m| m - first)
                .collect();
            let src = self.source(*arg, Sign::Signed)?;
            let total = to.len() as u32;
            let dst = Dst::var(var, ty, whole.select(to.into_iter()));
            self.copy(total, dst, selected(src, from.into_iter()))?;
        }
        Ok(())
    }

    /// Vector of 16-bit elements that are 1 where a mask is set.
    pub fn ones(&mut self, mask: Mask) -> Result<Src> {
        use kiln_visa::module::Type as VType;
        let count = mask.count;
        let (_, dst, src) = self.temp(VType::Uw, count);
        let ty = self.visa(Scalar::Int(16), Sign::Unsigned)?;
        self.choose(mask, count, dst, imm(ty, 1), imm(ty, 0), false)?;
        Ok(src)
    }
}
